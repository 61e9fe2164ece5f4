"""`Memory.workspace`: working sets of problems and lanes, shared references, and the notes of hosts.

Takes: versioned rows, notes. Gives: the newest version, or the one that is asked for. Never: changes what is believed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from dopejar.engine.arguments import checked
from dopejar.engine.dependencies import Dependencies
from dopejar.errors import InputError
from dopejar.memory.hold import (
    drop_rows,
    hold_for_host,
    hold_reference,
    hold_working_set,
    require_kind_of_hosts,
    update_row,
)
from dopejar.values.versioned_rows import NOTES, KeyValueRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from dopejar.ports.store import ReadView
    from dopejar.values.versioned_rows import SharedReference, WorkingSet

    Vector = npt.NDArray[np.float32]

Note = TypeVar("Note")

LONGEST_NOTE: Final = 1_000_000  # characters
_MOST_VECTORS: Final = 20_000  # kept in the process, so that notes are embedded once


@checked
class Workspace:
    """Rows that are kept for a while (working sets) or in versions (references), beside what is believed."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._vectors: dict[str, Vector] = {}

    def hold_working_set(self, working: WorkingSet) -> None:
        """Write the next version of a working set.

        Raises:
            InputError: it would outlive 24 hours. StaleProposalError: another process wrote a version in between.
        """
        with self._deps.store.write() as tx:
            hold_working_set(tx, working, self._deps.clock.now())

    def working_set(self, problem_id: str, lane_id: str = "") -> WorkingSet | None:
        """The working set of exactly this problem and lane; None from the moment that it expires."""
        with self._deps.store.read() as view:
            working = view.working_set(problem_id, lane_id)
        return None if working is None or working.expires_at <= self._deps.clock.now() else working

    def put_reference(self, reference: SharedReference) -> None:
        """Write the next version of a shared reference."""
        with self._deps.store.write() as tx:
            hold_reference(tx, reference)

    def reference(self, key: str, version: int | None = None) -> SharedReference | None:
        """A shared reference: its newest version, or the named one."""
        with self._deps.store.read() as view:
            return view.reference(key, version)

    def row(self, row_kind: str, key: str) -> KeyValueRow | None:
        """A row of the state of something that is no belief, such as a governed conversation.

        Raises InputError here and below for a kind that is the engine's own, such as a reviewer's session.
        """
        require_kind_of_hosts(row_kind)
        with self._deps.store.read() as view:
            return view.held(row_kind, key)

    def update_row(self, row_kind: str, key: str, change: Callable[[KeyValueRow | None], KeyValueRow]) -> KeyValueRow:
        """Read such a row, change it and write it, in one transaction; as written. Raises what `change` raises."""

        def changed(row: KeyValueRow | None) -> KeyValueRow:
            written = change(row)
            if (written.kind, written.key) != (row_kind, key):
                raise InputError(
                    f"This changes {row_kind} {key}, not {written.kind} {written.key}. Give a row of its own."
                )
            return written

        require_kind_of_hosts(row_kind)
        return update_row(self._deps.store, row_kind, key, changed)

    def write_rows(self, make: Callable[[ReadView], Iterable[KeyValueRow]]) -> None:
        """Write the rows that `make` gives for what it reads, in one transaction."""
        with self._deps.store.write() as tx:
            for row in tuple(make(tx)):
                hold_for_host(tx, row)

    def rows(self, row_kind: str) -> tuple[KeyValueRow, ...]:
        """Every such row of a kind, by key."""
        require_kind_of_hosts(row_kind)
        with self._deps.store.read() as view:
            return view.held_of(row_kind)

    def drop_row(self, row_kind: str, key: str) -> None:
        """Remove such a row, where there is one."""
        require_kind_of_hosts(row_kind)
        with self._deps.store.write() as tx:
            drop_rows(tx, row_kind, (key,))

    def notes(self, space: str) -> Mapping[str, Any]:
        """The notes that a host keeps in a space, by name. They are the host's words: nothing is learned from them."""
        return {row.key: json.loads(row.body) for row in self.rows(_note_kind(space))}

    def write_note(self, space: str, name: str, change: Callable[[Note | None], Note]) -> Note:
        """Make a note, a value of JSON, of what it says now (None where there is none), in one transaction; as kept.

        Secrets and private parts of every text in it are redacted, and a text stays one of its own.

        Raises:
            InputError: the note is no JSON or longer than `LONGEST_NOTE`, or its name holds a secret. Whatever `change`
                raises; then nothing is written.
        """
        if self._redacted(name) != name:
            raise InputError("The name of a note holds a secret or a private part. Give it another name.")

        def changed(row: KeyValueRow | None) -> KeyValueRow:
            body = self._body(change(json.loads(row.body) if row else None))
            return KeyValueRow(kind=_note_kind(space), key=name, body=body, version=row.version if row else 0)

        return cast("Note", json.loads(update_row(self._deps.store, _note_kind(space), name, changed).body))

    def put_note(self, space: str, name: str, note: object) -> None:
        """Write a note, whatever it said before. Raises InputError as `write_note` does."""
        self.write_note(space, name, lambda _: note)

    def drop_notes(self, space: str, names: Sequence[str]) -> None:
        """Remove notes; a name without a note is passed over."""
        with self._deps.store.write() as tx:
            drop_rows(tx, _note_kind(space), names)

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text fits a question, from 0 to 1: by the installed model, else by the words in common."""
        from dopejar.text.words import query_terms  # loaded by the first search

        embedder = self._deps.embedder()
        if embedder is not None and not embedder.identity.lexical:
            asked_vector = embedder.embed([question])[0]
            known = self._vectors if len(self._vectors) <= _MOST_VECTORS else {}
            missing = list(dict.fromkeys(text for text in texts if text not in known))
            if missing:
                known |= dict(zip(missing, embedder.embed(missing), strict=True))
            self._vectors = known
            return [max(0.0, float(known[text] @ asked_vector)) for text in texts]
        asked = set(query_terms(question))
        return [len(asked.intersection(query_terms(text))) / (len(asked) or 1) for text in texts]

    def _body(self, note: object) -> str:
        try:
            body = json.dumps(self._redacted(note), ensure_ascii=False)
            body.encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"A note has to be a value of JSON ({error}). Give plain texts and numbers.") from None
        if len(body) > LONGEST_NOTE:
            raise InputError(f"A note has at most {LONGEST_NOTE:,} characters. Split it into several.")
        return body

    def _redacted(self, value: object) -> object:
        """A value of JSON with each of its texts redacted; read as one text, a secret may hide behind an escape."""
        if isinstance(value, str):
            return self._deps.redact(value)[0]
        if isinstance(value, dict):
            return {self._redacted(name): self._redacted(part) for name, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._redacted(part) for part in value]
        return value


def _note_kind(space: str) -> str:
    return f"{NOTES}{space}"

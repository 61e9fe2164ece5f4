"""The two faces of a transaction, reading and reading with writing, with the held rows.

Takes: tables. Gives: `ports.store.ReadView` and `WriteTransaction`. Never: commits.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from dopejar.adapters.in_memory.graph import GraphReads, GraphWrites
from dopejar.adapters.store_errors import stale_row_error
from dopejar.ports.store import StoreSizes
from dopejar.values.versioned_rows import KeyValueRow, SharedReference, WorkingSet

if TYPE_CHECKING:
    from dopejar.ports.store import ReadView, WriteTransaction


class InMemoryReadView(GraphReads):
    """`ports.store.ReadView`."""

    def working_set(self, problem_id: str, lane_id: str = "") -> WorkingSet | None:
        """The working set of this problem and lane alone."""
        return self._tables.working_sets.get((problem_id, lane_id))

    def working_sets(self) -> tuple[WorkingSet, ...]:
        """Every working set, by problem and lane."""
        return tuple(row for _, row in sorted(self._tables.working_sets.items()))

    def reference(self, key: str, version: int | None = None) -> SharedReference | None:
        """A shared reference, its newest version unless one is named."""
        if version is not None:
            return self._tables.references.get((key, version))
        return max(self._tables.references.at("key", key), key=lambda reference: reference.version, default=None)

    def references(self, prefix: str = "") -> tuple[SharedReference, ...]:
        """Newest versions of the references whose key begins so."""
        keys = {key for key, _ in self._tables.references if key.startswith(prefix)}
        newest = (self.reference(key) for key in sorted(keys))
        return tuple(reference for reference in newest if reference is not None)

    def held(self, kind: str, key: str) -> KeyValueRow | None:
        """One held row."""
        return self._tables.held.get((kind, key))

    def held_of(self, kind: str) -> tuple[KeyValueRow, ...]:
        """Every held row of a kind, by key."""
        return tuple(sorted(self._tables.held.at("kind", kind), key=lambda row: row.key))

    def held_kinds(self) -> tuple[str, ...]:
        """The kinds of which there is a held row, in order."""
        return tuple(sorted({kind for (kind, _), _ in self._tables.held.items()}))

    def meta(self, key: str) -> str | None:
        """A value about the store itself: `secret` (hex), `change_seq`, ..."""
        return self._tables.meta.get(key)

    def sizes(self) -> StoreSizes:
        """Counts; there are no bytes of a file."""
        tables = self._tables
        return StoreSizes(
            episodes=len(tables.episodes),
            records=dict(sorted(Counter(record.status.value for record in tables.records.values()).items())),
            proposals=dict(sorted(Counter(proposal.state.value for proposal in tables.proposals.values()).items())),
            ledger=len(tables.ledger),
            vectors=len(tables.vectors),
            outbox=len(tables.outbox),
            edges=len(tables.edges),
            bytes=0,
        )


class InMemoryTransaction(GraphWrites, InMemoryReadView):
    """`ports.store.WriteTransaction`."""

    def put_working_set(self, working: WorkingSet) -> None:
        """Write the version after `working.version`; StaleProposalError where another one was written since."""
        there = self.working_set(working.problem_id, working.lane_id)
        _require_version(f"The working set of {working.problem_id}", working.version, there.version if there else 0)
        row = replace(working, version=working.version + 1)
        self._tables.working_sets.put((working.problem_id, working.lane_id), row)

    def drop_working_set(self, problem_id: str, lane_id: str = "") -> None:
        """Remove a working set."""
        self._tables.working_sets.drop((problem_id, lane_id))

    def put_reference(self, reference: SharedReference) -> None:
        """Write this version of a shared reference; StaleProposalError where its version is taken."""
        newest = self.reference(reference.key)
        if newest is not None and reference.version <= newest.version:
            raise stale_row_error(f"The reference {reference.key}", reference.version, newest.version)
        self._tables.references.put((reference.key, reference.version), reference)

    def drop_reference(self, key: str) -> None:
        """Remove a shared reference in all its versions."""
        for version in [version for name, version in self._tables.references if name == key]:
            self._tables.references.drop((key, version))

    def put_held(self, row: KeyValueRow) -> None:
        """Write the version after `row.version`; StaleProposalError where another one was written since."""
        there = self.held(row.kind, row.key)
        _require_version(f"The {row.kind} row {row.key}", row.version, there.version if there else 0)
        self._tables.held.put((row.kind, row.key), replace(row, version=row.version + 1))

    def drop_held(self, kind: str, key: str) -> None:
        """Remove a held row."""
        self._tables.held.drop((kind, key))

    def drop_expired(self, now: datetime) -> int:
        """Remove working sets and held rows that have expired; how many."""
        sets = [key for key, row in self._tables.working_sets.items() if row.expires_at <= now]
        rows = [key for key, row in self._tables.held.items() if row.expires_at is not None and row.expires_at <= now]
        for key in sets:
            self._tables.working_sets.drop(key)
        for key in rows:
            self._tables.held.drop(key)
        return len(sets) + len(rows)

    def set_meta(self, key: str, value: str) -> None:
        """Write a value about the store itself."""
        self._tables.meta.put(key, value)

    def accept_altered_row(self, table: str, row: str) -> bool:
        """Nothing else can alter a row."""
        return False


def _require_version(what: str, mine: int, theirs: int) -> None:
    if mine != theirs:
        raise stale_row_error(what, mine, theirs)


if TYPE_CHECKING:

    def _implement_the_port(view: InMemoryReadView, tx: InMemoryTransaction) -> tuple[ReadView, WriteTransaction]:
        return view, tx

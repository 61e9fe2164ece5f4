"""Housekeeping: outbox, expiry, doctor, backup, vectors.

Takes: time and a store. Gives: what was done. Never: changes what is
believed, except that what waited too long expires.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from dopejar.engine.dependencies import Dependencies, Progress, no_progress
from dopejar.engine.exchange.json_lines import require_new
from dopejar.engine.idling import begun_lately
from dopejar.engine.maintenance.expiry import sweep
from dopejar.engine.results import Checked, Maintained
from dopejar.engine.review.decisions import expire
from dopejar.errors import (
    DopejarError,
    EmbedderError,
    LedgerBrokenError,
    StaleProposalError,
    StoreError,
)
from dopejar.memory.append import text_hash
from dopejar.memory.hold import update_row
from dopejar.memory.ledger import find_altered_records, verify
from dopejar.ports.embedder import Embedder
from dopejar.ports.store import Fault, Outbox, ReadView, Vector
from dopejar.text.normalise import content_hash
from dopejar.values.ids import TraceId
from dopejar.values.versioned_rows import KeyValueRow

_LEASE = "lease"
_LEASE_FOR = timedelta(minutes=5)
_CHUNK = 64
_EVERY = 1_000_000
_SHOWN = 5  # ids in a sentence
_ENOUGH = 1.0  # seconds


def take_lease(deps: Dependencies, name: str) -> bool:
    """Whether this process may do the named work now; another one's lease runs out by itself."""
    now = deps.clock.now()
    try:
        with deps.store.write() as tx:
            row = tx.held(_LEASE, name)
            if row is not None and row.expires_at is not None and row.expires_at > now:
                return False
            version = row.version if row else 0
            tx.put_held(KeyValueRow(kind=_LEASE, key=name, body="{}", version=version, expires_at=now + _LEASE_FOR))
    except (StaleProposalError, StoreError):
        return False  # somebody else took it, or nothing can be written now: the work can wait
    return True


def drop_lease(deps: Dependencies, name: str) -> None:
    """Let the next one do the work."""
    with deps.store.write() as tx:
        tx.drop_held(_LEASE, name)


def embed_missing(
    deps: Dependencies, embedder: Embedder, *, deadline: float | None = None, progress: Progress = no_progress
) -> int:
    """Give vectors to what has none by this embedder, until done or the deadline (monotonic seconds); how many.

    Embedding happens outside any transaction; each chunk is then stored in one.
    """
    done = 0
    while deadline is None or time.monotonic() < deadline:
        with deps.store.read() as view:
            rows = view.missing_vectors(embedder.identity, _CHUNK)
            work = view.outbox(_CHUNK * 4)
        if not rows:
            _clear(deps, work)
            break
        matrix = embedder.embed([text for _, _, _, text in rows])
        vectors = [
            Vector(owner=owner, owner_id=owner_id, content_hash=mark, values=matrix[place])
            for place, (owner, owner_id, mark, _) in enumerate(rows)
        ]
        with deps.store.write() as tx:
            tx.put_vectors(embedder.identity, vectors)
            stored = {(one.owner, one.owner_id) for one in vectors}
            tx.done([one for one in work if (one.owner, one.owner_id) in stored])
        done += len(rows)
        progress("vectors", done, 0)
    return done


def _clear(deps: Dependencies, work: tuple[Outbox, ...]) -> None:
    if work:
        with deps.store.write() as tx:
            tx.done(work)


def _end_idle(deps: Dependencies, trace_id: TraceId, deadline: float | None) -> int:
    with deps.store.read() as view:
        if not begun_lately(view, deps.clock.now()):
            return 0
    from dopejar.engine.corrections.session_end import (
        end_idle,  # reading corrections is loaded where somebody may have fallen silent
    )

    return end_idle(deps, trace_id, deadline=deadline)


def maintain(
    deps: Dependencies, trace_id: TraceId, *, budget_s: float | None = None, progress: Progress = no_progress
) -> Maintained:
    """Do the housekeeping that is due, under a lease, for so many seconds at most.

    Merges are looked for where there is a second for it or more: what a command has to spare goes to the rest.
    """
    started = time.monotonic()
    deadline = None if budget_s is None else started + budget_s
    if deps.store.is_read_only or not take_lease(deps, "maintain"):
        return Maintained()
    expired = dropped = ended = swept = embedded = merges = 0
    try:
        now = deps.clock.now()
        expired = expire(
            deps,
            now - timedelta(days=deps.max_age_days),
            trace_id,
            bullets_older_than=now - timedelta(days=deps.procedural.max_staging_age_days),
        )
        with deps.store.write() as tx:
            dropped = tx.drop_expired(now)
        swept = sweep(deps, trace_id)
        ended = _end_idle(deps, trace_id, deadline)
        embedder = deps.embedder()
        if embedder is not None:
            embedded = embed_missing(deps, embedder, deadline=deadline, progress=progress)
        if budget_s is None or budget_s >= _ENOUGH:
            from dopejar.engine.maintenance.merge_sweep import propose_merges  # no single command does this

            merges = propose_merges(deps, trace_id, deadline=deadline).proposed
        with deps.store.read() as view:
            left = view.sizes().outbox
    finally:
        drop_lease(deps, "maintain")
    return Maintained(
        embedded=embedded,
        expired=expired,
        dropped=dropped,
        swept=swept,
        ended=ended,
        merges=merges,
        left=left,
        seconds=time.monotonic() - started,
    )


def reembed(deps: Dependencies, progress: Progress = no_progress) -> int:
    """Drop the vectors of every other embedder and make this one's from the stored texts; how many.

    Raises:
        EmbedderError: no embedder is there.
    """
    embedder = deps.embedder()
    if embedder is None:
        raise EmbedderError("There is no embedder. Run `dopejar models install`, or set embedder.kind to hashed.")
    with deps.store.write() as tx:
        for other in tx.embedders():
            if other != embedder.identity:
                tx.drop_vectors(other)
    return embed_missing(deps, embedder, progress=progress)


def doctor(deps: Dependencies, *, repair: bool) -> Checked:
    """Look for faults in the file, its projections and the ledger; with `repair`, rebuild what can be rebuilt."""
    faults = list(deps.store.check())
    entries = 0
    try:
        with deps.store.read() as view:
            entries = verify(view).entries
            faults += _altered(view)
    except LedgerBrokenError as broken:
        faults.append(Fault(what="ledger", detail=str(broken), repairable=False))
    except DopejarError as fault:
        faults.append(Fault(what="store", detail=str(fault), repairable=False))
    mended: tuple[Fault, ...] = ()
    if repair and any(one.repairable for one in faults):
        mended = deps.store.repair()
        faults = [one for one in faults if not one.repairable] + list(deps.store.check())
    return Checked(faults=tuple(dict.fromkeys(faults)), mended=mended, ledger_entries=entries)


def _altered(view: ReadView) -> Iterator[Fault]:
    """Memories and turns that say something else than when they were committed: somebody wrote into the file."""
    secret = view.meta("secret") or ""
    records = find_altered_records(view, bytes.fromhex(secret))
    if records:
        yield Fault(
            what="records",
            detail=f"{len(records)} memories differ from what the ledger says of them: {_shown(records)}",
            repairable=False,
        )
    turns = [
        turn.id
        for conversation in view.conversations(_EVERY)
        for turn in view.turns(conversation.id)
        if turn.content_hash not in (text_hash(turn.text), content_hash(turn.text))
    ]
    if turns:
        yield Fault(
            what="episodes",
            detail=f"{len(turns)} turns differ from what was kept: {_shown(turns)}",
            repairable=False,
        )


def _shown(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_SHOWN]) + (", ..." if len(ids) > _SHOWN else "")


def backup(deps: Dependencies, to: Path) -> Path:
    """A consistent copy while others write; remembered, so that an erasure can name it.

    Raises:
        InputError: the target exists already, or its directory does not. StoreError: it could not be written.
    """
    target = to / f"dopejar-{deps.clock.now():%Y%m%d-%H%M%S}.db" if to.is_dir() else to
    require_new(target)
    try:
        deps.store.backup(target)
    except OSError as fault:
        raise StoreError(f"{target} could not be written ({fault.strerror}). Name another place.") from fault
    if not deps.store.is_read_only:
        body = json.dumps({"at": deps.clock.now().isoformat()})

        def note(old: KeyValueRow | None) -> KeyValueRow:
            return KeyValueRow(kind="backup", key=str(target.absolute()), body=body, version=old.version if old else 0)

        update_row(deps.store, "backup", str(target.absolute()), note)
    return target

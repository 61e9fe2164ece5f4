"""Engine results as text for people.

Takes: what the engine returned. Gives: lines of text. Never: a control character (see `text_format`), or a decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from dopejar.doors.cli.text_format import counted, day, moment, one_line, pairs, safe, size, table, whole_line
from dopejar.values.ids import RecordId
from dopejar.values.recall import ContextPack, PackItem
from dopejar.values.receipt import Receipt
from dopejar.values.record import DIRECTING, Record, Status, check_clause, format_tags
from dopejar.values.scope import Scope

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.engine.queries.recent_changes import RecentChange
    from dopejar.engine.queries.tool_checks import CheckFinding
    from dopejar.engine.results import ErasureReceipt, History, StoreStatus
    from dopejar.engine.review.erasure_echoes import Echo


# -- recall ------------------------------------------------------------------------------------------------------------


def pack_lines(pack: ContextPack, *, explain: bool) -> Iterator[str]:
    """The packed text; with `explain`, why each item was selected; else what the explanation says of a missing one."""
    if pack.text:
        yield safe(pack.text)
    if not explain:
        yield from map(safe, pack.explanation)
        return
    yield ""
    yield f"{len(pack.items)} items, {pack.tokens} of {pack.budget} tokens, {pack.left_out} left out for lack of space"
    for line in pack.explanation:
        yield f"  {safe(line)}"
    rows = [
        (
            number,
            item.id,
            item.kind or item.source,
            f"{item.score:.3f}",
            item.tokens,
            "; ".join((*item.why, *item.marks)),
        )
        for number, item in enumerate(pack.items, 1)
    ]
    yield from table(("#", "id", "what", "score", "tokens", "why"), rows)
    for number, item in enumerate(pack.items, 1):
        yield from _source_lines(number, item)


def _source_lines(number: int, item: PackItem) -> Iterator[str]:
    for citation in item.citations:
        source = f"{moment(citation.at)} {safe(citation.speaker)} in {citation.conversation}"
        yield f"  [{number}] {source}: {one_line(citation.quote)}"


# -- records and acts --------------------------------------------------------------------------------------------------


def scope_text(scope: Scope, projects: Mapping[str, str]) -> str:
    """A scope for people: of a project its label where that is known, else its id."""
    return safe(str(replace(scope, name=projects.get(scope.name, scope.name)) if scope.kind == "project" else scope))


def record_rows(
    records: Sequence[Record],
    projects: Mapping[str, str],
    now: datetime | None = None,
    successors: Mapping[RecordId, Record] = MappingProxyType({}),
) -> Iterator[str]:
    """A table of records; `projects` are labels by id. What is superseded from a later day on holds until that day.

    Behind a text stands that of its successor, where this is among the `successors` by id.
    """
    at = now or datetime.now(UTC)
    rows = [
        (
            record.id,
            record.kind,
            f"until {day(record.valid_to)}" if record.holds_until_later(at) else record.status,
            day(record.valid_from),
            scope_text(record.scope, projects),
            record.key,
            one_line(record.text) + _successor_note(record, successors),
        )
        for record in records
    ]
    yield from table(("id", "kind", "status", "since", "scope", "key", "text"), rows)


def _successor_note(record: Record, successors: Mapping[RecordId, Record]) -> str:
    successor = successors.get(record.superseded_by) if record.superseded_by else None
    return f"; replaced by: {one_line(successor.text)}" if successor else ""


def change_rows(
    changes: Sequence[RecentChange], projects: Mapping[str, str], successors: Mapping[RecordId, Record]
) -> Iterator[str]:
    """A table of memories that were learned or retired."""
    rows = [
        (
            moment(one.at),
            one.change,
            one.record.id,
            scope_text(one.record.scope, projects),
            one.approver,
            one.act_id,
            one_line(one.record.text) + _successor_note(one.record, successors),
        )
        for one in changes
    ]
    yield from table(("at", "change", "id", "scope", "approved by", "act", "text"), rows)


def receipt_lines(receipts: Sequence[Receipt]) -> Iterator[str]:
    """The outcome of each proposal."""
    for receipt in receipts:
        is_undecided = receipt.outcome in ("staged", "refused")
        differ = len({record.status for record in receipt.records}) > (receipt.outcome == "added")
        is_replaced = receipt.outcome in ("superseded", "added") and differ
        yield from _replacement_lines(receipt) if is_replaced else [_receipt_line(receipt, is_undecided)]
        if receipt.reason and (is_undecided or receipt.outcome == "expired"):
            rules = f" [{', '.join(receipt.rules)}]" if receipt.rules else ""
            yield f"{'':<10} because {safe(receipt.reason)}{rules}"
        for note in receipt.notes:
            yield f"{'':<10} {safe(note)}"


def _receipt_line(receipt: Receipt, is_undecided: bool) -> str:
    told = list(dict.fromkeys(one_line(record.text) + _time_note(record) for record in receipt.records))
    texts, more = told[:3] or [one_line(receipt.text)], f"; and {len(told) - 3} more" if len(told) > 3 else ""
    about = ": " + "; ".join(texts) + more if any(texts) else ""
    ids = " ".join(record.id for record in receipt.records[:3])
    name = receipt.proposal_id if is_undecided else ids or receipt.proposal_id
    wish = f" to {receipt.action}" if is_undecided and about and receipt.action not in ("", "add") else ""
    return f"{receipt.outcome:<10} {name}{wish}{about}"


def _time_note(record: Record) -> str:
    """From when and until when it holds, where that is a limited time."""
    begin = f"from {day(record.valid_from)}" if record.valid_from.date() > record.created_at.date() else ""
    end = f"until {day(record.valid_to)}" if record.temporary and record.valid_to else ""
    return f" ({' '.join(filter(None, (begin, end)))})" if begin or end else ""


def _replacement_lines(receipt: Receipt) -> Iterator[str]:
    """What no longer holds, and under it what is kept of it, and what holds now or from a day that is announced."""
    said = max(record.created_at for record in receipt.records)
    for record in sorted(receipt.records, key=lambda record: (record.status is Status.ACTIVE, record.valid_from)):
        if record.holds_until_later(said):
            word = f"until {day(record.valid_to)}"
        elif record in receipt.kept:
            word = "kept"
        elif record.status is Status.ACTIVE:
            word = f"from {day(record.valid_from)}" if record.valid_from.date() > said.date() else "now"
        else:
            word = record.status.value
        yield f"{word:<10} {record.id}: {one_line(record.text)}"


def history_lines(history: History, projects: Mapping[str, str]) -> Iterator[str]:
    """The history of a record."""
    record = history.record
    yield safe(record.text)
    trust = f"confidence {record.confidence:.2f}, certainty {record.certainty:.2f}, trust {record.trust:.2f}"
    span = day(record.valid_from) + (f" to {day(record.valid_to)}" if record.valid_to else "")
    yield from pairs(
        [
            ("id", record.id),
            ("kind", f"{record.kind} ({record.layer}.{record.sublayer})"),
            ("status", record.status),
            ("rule", check_clause(is_checked=history.is_checked) if record.kind in DIRECTING else ""),
            ("scope", f"{scope_text(record.scope, projects)}, {record.namespace}"),
            ("key", record.key),
            ("slot", record.slot),
            ("valid", span),
            ("reliability", trust),
            ("tags", format_tags(record.tags)),
            ("made by", record.made_by),
            ("approved by", record.approved_by),
            ("accessed", f"{record.access_count} times" if record.access_count != 1 else "once"),
        ]
    )
    yield "\nstates"
    rows = [(state.from_seq, state.to_seq or "", state.record.status, state.act_id) for state in history.states]
    yield from table(("from entry", "to entry", "status", "act"), rows)
    yield "\nacts"
    acts = [
        (entry.seq, moment(entry.at), entry.action, entry.proposer, entry.approver, ", ".join(entry.rules))
        for entry in history.entries
    ]
    yield from table(("entry", "at", "action", "proposed by", "approved by", "rules"), acts)
    yield from _evidence_lines(history)
    if len(history.versions) > 1:
        yield "\nversions of this concept, oldest first"
        versions = [
            (version.id, version.status, day(version.valid_from), day(version.valid_to), whole_line(version.text))
            for version in history.versions
        ]
        yield from table(("id", "status", "from", "to", "text"), versions)


def _evidence_lines(history: History) -> Iterator[str]:
    yield "\nevidence"
    for evidence, episode in history.evidence:
        speaker = safe(episode.speaker or episode.origin.value) if episode else "?"
        place = f"{evidence.episode_id} in {episode.conversation}" if episode else evidence.episode_id
        said = whole_line(evidence.wording)
        yield f"  {moment((episode or evidence).at)} {speaker}, {evidence.role}: {said} ({place})"


# -- status and receipts -----------------------------------------------------------------------------------------------


def standing_lines(standing: StoreStatus, reviewers: Sequence[str], assigned: str = "") -> Iterator[str]:
    """The store's contents and condition; `assigned` is a sentence about automatic bullet assignments."""
    sizes = standing.sizes
    waiting = f"{standing.waiting}, the oldest since {day(standing.oldest_waiting)}" if standing.waiting else "none"
    yield from pairs(
        [
            (
                "data",
                f"{standing.path or 'memory'}, {size(sizes.bytes)}" + (", read-only" if standing.is_read_only else ""),
            ),
            ("project", standing.project or "none"),
            ("memories", counted(sizes.records)),
            ("turns", sizes.episodes),
            ("waiting for review", waiting),
            ("proposals", counted(sizes.proposals)),
            ("ledger", f"{sizes.ledger} entries, head {standing.ledger.hash[:16]}…"),
            ("embedder", standing.embedder),
            ("vectors", _vectors_of(standing)),
            ("waiting to be embedded", sizes.outbox),
            ("reviewers", ", ".join(reviewers) or "none; add one with `dopejar reviewer add NAME`"),
            *([("bullets", assigned)] if assigned else []),
            *([("fault", standing.unaccepted_settings)] if standing.unaccepted_settings else []),
        ]
    )
    if standing.scrub_due_since:
        yield scrub_line(standing.scrub_due_since)
    if standing.conversations:
        yield "\nlatest conversations"
        rows = [
            (row.id, day(row.started_at), row.imported, row.project_label, row.name) for row in standing.conversations
        ]
        yield from table(("id", "started", "turns", "project", "name"), rows)


def _vectors_of(standing: StoreStatus) -> str:
    """How many vectors there are, by which embedders; and what is to be done where those of the present one lack."""
    by = f" by {', '.join(standing.vectors_of)}" if standing.vectors_of else ""
    has_others = standing.vectors_of not in ((), (standing.embedder,)) and not standing.embedder.startswith("none")
    return f"{standing.sizes.vectors}{by}" + ("; run `dopejar models reembed`" if has_others else "")


def scrub_line(since: datetime) -> str:
    """That erased bytes are still in the files, and how they go."""
    return (
        f"Text erased on {moment(since)} is still in the bytes of the data file or its log. The next command that"
        " writes takes it out, as soon as no process reads the older state and the disk has room."
    )


def erasure_lines(receipt: ErasureReceipt) -> Iterator[str]:
    """The receipt of an erasure."""
    verification = "none of the text is left in the data file or its write-ahead log"
    if verbatim := sum(echo.is_verbatim for echo in receipt.echoes):
        verification = f"the text is STILL SAID in {verbatim} other place{'s' if verbatim > 1 else ''}, listed below"
    if receipt.still_found_in:
        verification = f"text was STILL FOUND in {', '.join(receipt.still_found_in)}"
    if receipt.not_scrubbed:
        where = f", in {', '.join(receipt.still_found_in)}" if receipt.still_found_in else ""
        verification = f"erased, but its bytes are NOT YET out of the files{where}: {receipt.not_scrubbed}"
    yield from pairs(
        [
            ("erased", f"{len(receipt.records)} memories, {receipt.episodes_blanked} turns blanked"),
            ("ids", " ".join(receipt.records)),
            ("act", f"{receipt.act_id}, {moment(receipt.at)}"),
            ("verification", verification),
            ("older backups", ", ".join(str(path) for path in receipt.backups)),
            ("exports", ", ".join(str(path) for path in receipt.exports)),
            ("ledger", f"entry {receipt.ledger.seq}, head {receipt.ledger.hash}"),
        ]
    )
    if receipt.not_scrubbed:
        yield (
            "The next command that writes takes the bytes out, as soon as no process reads the older state and the"
            " disk has room; `dopejar status` says when that is still to be done."
        )
    if receipt.echoes:
        yield from echo_lines(receipt.echoes)
        yield (
            "These still speak of it. `dopejar erase` erases a memory by its id, a turn by `--episode ID`; the others"
            " go with an erasure that has --echoes."
        )
        if any(echo.place == "row" for echo in receipt.echoes):
            yield "A `row` does not: the program that wrote it has to drop it."
    if receipt.backups:
        yield "Older backups still hold the text: delete them. `dopejar store restore` erases it again."
    if receipt.exports:
        yield "Exports still hold the text: delete them, and what was imported from them elsewhere."


def echo_lines(echoes: Sequence[Echo]) -> Iterator[str]:
    """Places that still speak of what is erased, and by which words they were found."""
    for echo in echoes:
        found = "the same words" if echo.is_verbatim else ", ".join(echo.words) or "the same evidence"
        where = " ".join(filter(None, (echo.place, echo.space, echo.id)))
        yield f"{safe(where)} ({safe(found)}): {one_line(echo.text)}"


def record_lines(memory: Memory, names: Sequence[str]) -> list[str]:
    """One line for each named record: its id and text."""
    records = (memory.history(name).record for name in names)
    return [f"{record.id}  {one_line(record.text)}" for record in records]


# -- corrections -------------------------------------------------------------------------------------------------------


def finding_lines(findings: Sequence[CheckFinding]) -> Iterator[str]:
    """The rules that a tool call would break, each with its source."""
    for finding in findings:
        yield f"{finding.effect}: {safe(finding.message)} (found {finding.found!r})"
        approved = f", approved by {safe(finding.approved_by)}" if finding.approved_by else ""
        yield f"  {finding.record_id}{approved}"
        for turn in finding.said_in:
            yield f"  said on {day(turn.at)} in {turn.conversation}, turn {turn.index}: {one_line(turn.text, 160)}"

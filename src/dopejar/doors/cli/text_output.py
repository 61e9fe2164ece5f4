"""Engine results as text for people.

Takes: what the engine returned. Gives: lines of text. Never: a control character (see `text_format`), or a decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from dopejar.doors.cli.text_format import counted, day, moment, one_line, pairs, safe, size, table
from dopejar.values.recall import ContextPack, PackItem
from dopejar.values.record import Record, format_tags

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.engine.queries.tool_checks import CheckFinding
    from dopejar.engine.results import ErasureReceipt, History, LoggedAct, ReviewItem, Standing
    from dopejar.values.ids import ProposalId

_MOST: Final = 8  # past turns that are shown


class Receipt(Protocol):
    """What is shown of a commit's receipt."""

    @property
    def proposal_id(self) -> ProposalId:
        """The wish."""
        ...

    @property
    def outcome(self) -> str:
        """What became of it."""
        ...

    @property
    def records(self) -> tuple[Record, ...]:
        """The memories it touched."""
        ...

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that judged it."""
        ...

    @property
    def reason(self) -> str:
        """Why."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What else is to be known."""
        ...


# -- recall ------------------------------------------------------------------------------------------------------------


def pack_lines(pack: ContextPack, *, explain: bool) -> Iterator[str]:
    """The packed text; with `explain`, why each item was taken."""
    if pack.text:
        yield safe(pack.text)
    if not explain:
        return
    yield ""
    yield f"{len(pack.items)} items, {pack.tokens} of {pack.budget} tokens, {pack.left_out} did not fit"
    for line in pack.explanation:
        yield f"  {safe(line)}"
    rows = [
        (
            place,
            item.id,
            item.kind or item.source,
            f"{item.score:.3f}",
            item.tokens,
            "; ".join((*item.why, *item.marks)),
        )
        for place, item in enumerate(pack.items, 1)
    ]
    yield from table(("#", "id", "what", "score", "tokens", "why"), rows)
    for place, item in enumerate(pack.items, 1):
        yield from _sources(place, item)


def _sources(place: int, item: PackItem) -> Iterator[str]:
    for one in item.citations:
        yield f"  [{place}] {moment(one.at)} {safe(one.speaker)} in {one.conversation}: {one_line(one.quote)}"


# -- records and acts --------------------------------------------------------------------------------------------------


def record_rows(records: Sequence[Record]) -> Iterator[str]:
    """A listing of records."""
    rows = [
        (one.id, one.kind, one.status, day(one.valid_from), str(one.scope), one.key, one_line(one.text))
        for one in records
    ]
    yield from table(("id", "kind", "status", "since", "scope", "key", "text"), rows)


def receipt_lines(receipts: Sequence[Receipt]) -> Iterator[str]:
    """What became of each wish."""
    for one in receipts:
        texts = [one_line(record.text) for record in one.records[:3]]
        about = ": " + "; ".join(texts) if texts else ""
        ids = " ".join(record.id for record in one.records[:3])
        name = one.proposal_id if one.outcome in ("staged", "refused") else ids or one.proposal_id
        yield f"{one.outcome:<10} {name}{about}"
        if one.reason and one.outcome in ("staged", "refused"):
            yield f"{'':<10} because {safe(one.reason)} [{', '.join(one.rules)}]"
        for note in one.notes:
            yield f"{'':<10} {safe(note)}"


def act_lines(acts: Sequence[LoggedAct]) -> Iterator[str]:
    """The log, newest first."""
    rows = [
        (
            one.act_id,
            moment(one.at),
            ", ".join(one.actions),
            one.proposer,
            one.approver,
            " ".join(one.targets[:2]) + (f" and {len(one.targets) - 2} more" if len(one.targets) > 2 else ""),
            ", ".join(one.rules[:3]),
        )
        for one in acts
    ]
    yield from table(("act", "at", "what", "proposed by", "approved by", "about", "rules"), rows)


def history_lines(history: History) -> Iterator[str]:
    """A record's life."""
    record = history.record
    yield safe(record.text)
    trust = f"confidence {record.confidence:.2f}, certainty {record.certainty:.2f}, trust {record.trust:.2f}"
    span = day(record.valid_from) + (f" to {day(record.valid_to)}" if record.valid_to else "")
    yield from pairs(
        [
            ("id", record.id),
            ("kind", f"{record.kind} ({record.layer}.{record.sublayer})"),
            ("status", record.status),
            ("scope", f"{record.scope}, {record.namespace}"),
            ("key", record.key),
            ("slot", record.slot),
            ("true", span),
            ("how sure", trust),
            ("tags", format_tags(record.tags)),
            ("made by", record.made_by),
            ("approved by", record.approved_by),
            ("used", f"{record.access_count} times"),
        ]
    )
    yield "\nstates"
    rows = [(one.from_seq, one.to_seq or "", one.record.status, one.act_id) for one in history.states]
    yield from table(("from entry", "to", "status", "act"), rows)
    yield "\nacts"
    acts = [
        (one.seq, moment(one.at), one.action, one.proposer, one.approver, ", ".join(one.rules))
        for one in history.entries
    ]
    yield from table(("entry", "at", "what", "proposed by", "approved by", "rules"), acts)
    yield "\nrests on"
    for evidence, episode in history.evidence:
        who = safe(episode.speaker or episode.origin.value) if episode else "?"
        where = f"{evidence.episode_id} in {episode.conversation}" if episode else evidence.episode_id
        yield f"  {moment(evidence.at)} {who}, {evidence.role}: {one_line(evidence.wording)} ({where})"
    if len(history.versions) > 1:
        yield "\nversions of this concept, oldest first"
        versions = [
            (one.id, one.status, day(one.valid_from), day(one.valid_to), one_line(one.text)) for one in history.versions
        ]
        yield from table(("id", "status", "from", "to", "text"), versions)


# -- review ------------------------------------------------------------------------------------------------------------


def queue_lines(items: Sequence[ReviewItem]) -> Iterator[str]:
    """A listing of the queue."""
    rows = [
        (
            one.number,
            one.proposal.id,
            one.proposal.action,
            one.proposal.origin,
            one.proposal.priority,
            f"{one.proposal.confidence:.2f}",
            one_line(one.text),
        )
        for one in items
    ]
    yield from table(("#", "id", "wants to", "said by", "priority", "confidence", "text"), rows)


def proposal_lines(item: ReviewItem) -> Iterator[str]:
    """One proposal with what a person needs to decide."""
    proposal = item.proposal
    yield safe(item.text)
    verdict = item.verdict
    judged = f"{type(verdict).__name__.lower()}: {verdict.reason} [{', '.join(verdict.rules)}]" if verdict else ""
    yield from pairs(
        [
            ("id", proposal.id),
            ("wants to", proposal.action),
            ("state", f"{proposal.state}" + (f" by {proposal.reviewer}" if proposal.reviewer else "")),
            ("reason", proposal.reason),
            ("said by", f"{proposal.origin} ({proposal.proposer or proposal.made_by}), by {proposal.via}"),
            ("scope", str(proposal.scope)),
            ("confidence", f"{proposal.confidence:.2f}, priority {proposal.priority}"),
            ("why", proposal.rationale),
            ("the gate says", judged),
            ("note", "the memory has changed since this was staged" if item.moved else ""),
        ]
    )
    if item.near:
        yield "\nstands near"
        yield from record_rows(item.near)
    if item.evidence:
        yield "\nrests on"
    for evidence, episode in item.evidence:
        who = safe(episode.speaker or episode.origin.value) if episode else "?"
        said = episode.text[evidence.start : evidence.end] if episode else evidence.wording
        yield f"  {moment(evidence.at)} {who}: {one_line(said)} ({evidence.episode_id})"
    yield from ("\nthe turns around it",) if item.around else ()
    for turn in item.around:
        yield f"  {turn.index} {safe(turn.speaker or turn.origin.value)}: {one_line(turn.text, 240)}"


# -- status and receipts -----------------------------------------------------------------------------------------------


def standing_lines(standing: Standing, reviewers: Sequence[str], assigned: str = "") -> Iterator[str]:
    """What the store holds and how it is; `assigned` tells how automatic assignments fared."""
    sizes = standing.sizes
    waiting = f"{standing.waiting}, the oldest since {day(standing.oldest_waiting)}" if standing.waiting else "nothing"
    yield from pairs(
        [
            (
                "data",
                f"{standing.path or 'memory'}, {size(sizes.bytes)}" + (", read-only" if standing.is_read_only else ""),
            ),
            ("project", standing.project or "none at hand"),
            ("memories", counted(sizes.records)),
            ("turns kept", sizes.episodes),
            ("waits for review", waiting),
            ("proposals", counted(sizes.proposals)),
            ("ledger", f"{sizes.ledger} entries, head {standing.ledger.hash[:16]}…"),
            ("embedder", standing.embedder),
            ("vectors", f"{sizes.vectors}" + (f" by {', '.join(standing.vectors_of)}" if standing.vectors_of else "")),
            ("to be embedded", sizes.outbox),
            ("reviewers", ", ".join(reviewers) or "none yet: `dopejar reviewer add NAME`"),
            *([("bullets", assigned)] if assigned else []),
        ]
    )
    if standing.conversations:
        yield "\nlatest conversations"
        rows = [
            (one.id, day(one.started_at), one.imported, one.project_label, one.name) for one in standing.conversations
        ]
        yield from table(("id", "began", "turns", "project", "name"), rows)


def erasure_lines(receipt: ErasureReceipt) -> Iterator[str]:
    """The receipt of an erasure."""
    found = "none of the words is left in the data file or its log"
    if not receipt.verified:
        found = f"words are STILL in {', '.join(receipt.still_found_in)}"
    yield from pairs(
        [
            ("erased", f"{len(receipt.records)} memories, {receipt.episodes_blanked} turns blanked"),
            ("ids", " ".join(receipt.records)),
            ("act", f"{receipt.act_id}, {moment(receipt.at)}"),
            ("looked for", found),
            ("said elsewhere", " ".join(receipt.said_elsewhere[:5])),
            ("older backups", ", ".join(str(one) for one in receipt.backups)),
            ("ledger", f"entry {receipt.ledger.seq}, head {receipt.ledger.hash}"),
        ]
    )
    if receipt.said_elsewhere:
        yield "Nobody asked to erase those other turns; `dopejar erase --episode ID` does."
    if receipt.backups:
        yield "Backups made before still hold the words; delete them, or restore them with this program."


def texts_of(memory: Memory, names: Sequence[str]) -> list[str]:
    """One line for each record that is named."""
    return [f"{one.id}  {one_line(one.text)}" for one in (memory.history(name).record for name in names)]


# -- corrections -------------------------------------------------------------------------------------------------------


def past_lines(item: ReviewItem) -> Iterator[str]:
    """What a proposal contradicts, past turns where it would have applied, and whether it would be checked."""
    for one in item.contradicts:
        in_force = "in force, and goes out of use where it was said earlier" if one.status == "active" else "waits, too"
        yield f"\ncontradicts {one.id} ({in_force}): {one_line(one.text)}"
    if item.is_checkable:
        yield "\nonce approved, `dopejar check` holds tool calls against it and asks before one breaks it"
    if item.past:
        many = f"{len(item.past)} past turns" if len(item.past) > 1 else "one past turn"
        yield f"\nit would have applied in {many}"
    for turn in sorted(item.past, key=lambda turn: turn.at, reverse=True)[:_MOST]:
        yield f"  {moment(turn.at)} {turn.conversation} {turn.index}: {turn.why}: {one_line(turn.found, 160)}"
    if len(item.past) > _MOST:
        yield f"  and {len(item.past) - _MOST} more, see --json"


def finding_lines(found: Sequence[CheckFinding]) -> Iterator[str]:
    """Rules that a call would break, each with where it is from."""
    for one in found:
        yield f"{one.effect}: {safe(one.message)} (found {one.found!r})"
        approved = f", approved by {safe(one.approved_by)}" if one.approved_by else ""
        yield f"  {one.record_id}{approved}"
        for turn in one.said_in:
            yield f"  said on {day(turn.at)} in {turn.conversation}, turn {turn.index}: {one_line(turn.text, 160)}"

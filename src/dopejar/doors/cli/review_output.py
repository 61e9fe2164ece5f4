"""The review queue as text for people.

Takes: proposals with what a reviewer needs to decide. Gives: lines of text. Never: a control character, or a decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from dopejar.doors.cli.text_format import moment, one_line, pairs, safe, table, whole_line
from dopejar.doors.cli.text_output import echo_lines, record_rows, scope_text
from dopejar.values.proposal import Action, Add, Supersede
from dopejar.values.record import DIRECTING, check_clause
from dopejar.values.scope import Namespace

if TYPE_CHECKING:
    from dopejar.engine.results import ReviewItem

_MAX_PAST_TURNS: Final = 8
_MAX_REPLACED: Final = 80  # characters of what a row would replace


def queue_lines(items: Sequence[ReviewItem], projects: Mapping[str, str]) -> Iterator[str]:
    """A table of the review queue."""
    rows = [
        (
            item.number,
            item.proposal.id,
            item.proposal.action,
            item.proposal.origin,
            item.proposal.priority,
            f"{item.proposal.confidence:.2f}",
            place(item, projects),
            "; ".join((_row_text(item), *beside_rivals(item, items))),
        )
        for item in items
    ]
    yield from table(("#", "id", "action", "said by", "priority", "confidence", "where", "text"), rows)


def _row_text(item: ReviewItem) -> str:
    """The words of a proposal, whether they are checked, and what they would replace or contradict."""
    replaced = item.near if item.proposal.action is Action.SUPERSEDE else ()
    named = [f"replaces: {one_line(record.text, _MAX_REPLACED)}" for record in replaced]
    named += [f"contradicts: {one_line(record.text)}" for record in item.contradicts if record not in replaced]
    clause = rule_clause(item)
    return "; ".join((one_line(item.text) + (f" ({clause})" if clause else ""), *named))


def beside_rivals(item: ReviewItem, shown: Sequence[ReviewItem]) -> Iterator[str]:
    """What waits and cannot hold beside a proposal, as "newer than 2": by its number in a listing, else by its text."""
    numbers = {other.proposal.record_id: number for number, other in enumerate(shown, shown[0].number or 1)}
    for rival in item.rivals:
        is_newer = item.record is not None and item.record.valid_from > rival.valid_from
        name = numbers.get(rival.id) or f"what waits: {one_line(rival.text, _MAX_REPLACED)}"
        yield f"{'newer' if is_newer else 'older'} than {name}"


def rule_clause(item: ReviewItem) -> str:
    """Whether a proposed rule would be checked on tool calls; "" for what is no rule."""
    payload = item.proposal.payload
    is_rule = isinstance(payload, Add | Supersede) and payload.draft.kind in DIRECTING
    return check_clause(is_checked=item.is_checkable) if is_rule else ""


def place(item: ReviewItem, projects: Mapping[str, str]) -> str:
    """Where a proposal would hold: its scope, and its namespace unless that is prod."""
    namespace = "" if item.namespace is Namespace.PROD else f" ({item.namespace})"
    return f"{scope_text(item.proposal.scope, projects)}{namespace}"


def proposal_lines(item: ReviewItem, projects: Mapping[str, str]) -> Iterator[str]:
    """One proposal with what a reviewer needs to decide about it."""
    proposal = item.proposal
    yield safe(item.text)
    verdict = item.verdict
    judged = f"{type(verdict).__name__.lower()}: {verdict.reason} [{', '.join(verdict.rules)}]" if verdict else ""
    yield from pairs(
        [
            ("id", proposal.id),
            ("action", proposal.action),
            ("state", f"{proposal.state}" + (f" by {proposal.reviewer}" if proposal.reviewer else "")),
            ("reason", proposal.reason),
            ("said by", f"{proposal.origin} ({proposal.proposer or proposal.made_by}), via {proposal.via}"),
            ("rule", rule_clause(item)),
            ("scope", place(item, projects)),
            ("confidence", f"{proposal.confidence:.2f}, priority {proposal.priority}"),
            ("why", proposal.rationale),
            ("write gate", judged),
            ("obstacle", item.obstacle),
            ("note", "memory has changed since this was staged" if item.moved else ""),
        ]
    )
    if item.near:
        yield "\nrelated memories"
        yield from record_rows(item.near, projects)
    if item.evidence:
        yield "\nevidence"
    for evidence, episode in item.evidence:
        speaker = safe(episode.speaker or episode.origin.value) if episode else "?"
        passage = episode.text[evidence.start : evidence.end] if episode else evidence.wording
        yield f"  {moment((episode or evidence).at)} {speaker}: {whole_line(passage)} ({evidence.episode_id})"
    yield from ("\nsurrounding turns",) if item.around else ()
    for turn in item.around:
        yield f"  {turn.index} {safe(turn.speaker or turn.origin.value)}: {one_line(turn.text, 240)}"
    if item.echoes:
        yield "\nwould still speak of it (`dopejar erase --echoes` erases these as well)"
        yield from echo_lines(item.echoes)


def past_lines(item: ReviewItem) -> Iterator[str]:
    """What a proposal contradicts, and past turns where it would have applied."""
    from dopejar.engine.disputes import disputed_ids

    for line in beside_rivals(item, [item]):
        yield f"\n{line}"
    is_disputed = bool(disputed_ids(item.proposal))
    for record in item.contradicts:
        condition = "active; approval deprecates it if it was stated earlier"
        if is_disputed:
            condition = "active; approval retires it, unless --keep-both"
        if record.status != "active":
            condition = "also waiting for review"
        yield f"\ncontradicts {record.id} ({condition}): {one_line(record.text)}"
    if item.past:
        turns = f"{len(item.past)} past turns" if len(item.past) > 1 else "one past turn"
        yield f"\nwould have applied in {turns}"
    for turn in sorted(item.past, key=lambda turn: turn.at, reverse=True)[:_MAX_PAST_TURNS]:
        yield f"  {moment(turn.at)} {turn.conversation} {turn.index}: {turn.why}: {one_line(turn.found, 160)}"
    if len(item.past) > _MAX_PAST_TURNS:
        yield f"  and {len(item.past) - _MAX_PAST_TURNS} more; --json lists all"

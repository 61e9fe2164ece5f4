"""Tool checks: a tool call is compared with the rules that a person approved.

Takes: active records that direct an assistant's work, and a call. Gives: the rules that the call would break, with
their sources. Never: denies a call; a rule whose evidence contradicts its check stays advice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.corrections.exchange import Exchange
from dopejar.pipelines.corrections.tool_checks.call_checks import ToolCheck, check_call, message_of
from dopejar.pipelines.corrections.tool_checks.rule_checks import checks_of, compile_checks
from dopejar.ports.store import ReadView, Store
from dopejar.values.episode import Episode, EpisodeKind, Origin
from dopejar.values.ids import ConversationId, EpisodeId, RecordId
from dopejar.values.proposal import Add, Supersede
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import DIRECTING, Draft, Evidence, EvidenceRole, Record, Status, check_clause
from dopejar.values.scope import ReadScope

if TYPE_CHECKING:
    from dopejar.engine.results import Remembered, ReviewItem
    from dopejar.values.receipt import Receipt

_TURNS_BEFORE: Final = 40  # turns before a person's in which the assistant may have acted
_SHOWN_TURNS: Final = 3  # turns that are named as the source of a rule
_SHOWN_CHARACTERS: Final = 300  # of each
_MOST_FOUND: Final = 20  # memories among which exceptions are looked for
_MOST_EXCEPTIONS: Final = 3
_SHARED: Final = 2  # words that an exception has in common with its rule


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleSource:
    """A turn in which a rule was stated, with the beginning of its text."""

    conversation: ConversationId
    index: int
    at: datetime
    speaker: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckFinding:
    """A rule that a call would break: its check, the words of the call that break it, and the rule's sources.

    `effect` is always `prompt`: a person is asked first. `said_in` names the newest turns that state the rule.
    """

    record_id: RecordId
    rule: str
    effect: str
    message: str
    found: str
    check: ToolCheck
    approved_by: str
    said_in: tuple[RuleSource, ...] = ()


def check_tool_call(
    view: ReadView,
    records: Iterable[Record],
    tool: str,
    given: Mapping[str, object],
    branch: str = "",
    *,
    read_scope: ReadScope,
) -> tuple[CheckFinding, ...]:
    """The rules that a call would break: those that compile to a check which their own evidence confirms.

    Their messages name the exceptions that may be read in the scope.
    """
    by_id = {record.id: record for record in records}
    findings = []
    for match in check_call(tool, given, compile_checks(by_id.values()), branch=branch):
        record = by_id[match.check.record_id]
        asserting = [row for row in view.evidence(record.id) if row.role is EvidenceRole.ASSERTS]
        turns = view.episodes(tuple(row.episode_id for row in asserting))
        if not _is_faithful(view, match.check, turns.values()):
            continue
        findings.append(
            CheckFinding(
                record_id=record.id,
                rule=record.text,
                effect=match.check.effect,
                message="; but: ".join((message_of(record.text), *_exceptions(view, record, read_scope))),
                found=match.found,
                check=match.check,
                approved_by=record.approved_by,
                said_in=_newest_sources(asserting, turns),
            )
        )
    return tuple(findings)


def add_check(view: ReadView, item: ReviewItem) -> ReviewItem:
    """A waiting proposal with whether it, once approved, is a rule that tool calls are checked against."""
    payload = item.proposal.payload
    if not isinstance(payload, Add | Supersede):
        return item
    return replace(item, is_checkable=_is_checked(view, payload.draft, item.proposal.evidence))


def is_checked(view: ReadView, record: Record) -> bool:
    """Whether tool calls are checked against a rule in force; else it is advice."""
    return record.status is Status.ACTIVE and _is_checked(view, record, view.evidence(record.id))


def add_check_note(view: ReadView, receipt: Receipt) -> Receipt:
    """The receipt of an approval, with whether the rules that it put in force are checked on tool calls."""
    rules = [record for record in receipt.records if record.kind in DIRECTING and record.status is Status.ACTIVE]
    notes = [check_clause(is_checked=is_checked(view, record)) for record in rules]
    return replace(receipt, notes=(*receipt.notes, *dict.fromkeys(notes))) if notes else receipt


def add_check_notes(store: Store, remembered: Remembered, reviewer: str) -> Remembered:
    """What was remembered; the receipts of rules that the reviewer vouches for have the same note."""
    vouched = {
        receipt.proposal_id
        for receipt in remembered.receipts
        if any(record.approved_by == reviewer for record in receipt.records)
    }
    if not vouched:
        return remembered
    with store.read() as view:
        receipts = (add_check_note(view, one) if one.proposal_id in vouched else one for one in remembered.receipts)
        return replace(remembered, receipts=tuple(receipts))


def _is_checked(view: ReadView, said: Draft | Record, evidence: Iterable[Evidence]) -> bool:
    if said.kind not in DIRECTING:
        return False
    checks = checks_of(RecordId(""), said)
    if not checks:
        return False
    asserting = tuple(row.episode_id for row in evidence if row.role is EvidenceRole.ASSERTS)
    turns = view.episodes(asserting).values()
    return any(_is_faithful(view, check, turns) for check in checks)


def _is_faithful(view: ReadView, check: ToolCheck, turns: Iterable[Episode]) -> bool:
    # most calls break no rule, and need nothing of the pipeline that reads past calls
    from dopejar.pipelines.corrections.tool_checks.replay import is_faithful

    return is_faithful(check, [_with_actions_before(view, turn) for turn in turns])


def _exceptions(view: ReadView, rule: Record, read_scope: ReadScope) -> tuple[str, ...]:
    """What else a person approved, is in force and departs from a rule in a narrower place, by its words."""
    from dopejar.pipelines.ingest.integrity.exceptions import is_exception  # most calls break no rule
    from dopejar.text.words import query_terms

    where, terms = SearchFilter(read_scope=read_scope, source=Source.RECORD), frozenset(query_terms(rule.text))
    hits = [hit.id for hit in view.lexical(tuple(sorted(terms)), where, _MOST_FOUND)]
    found = view.load_records(hits, where).values()
    others = [" ".join(one.text.split()) for one in found if one.id != rule.id and one.approved_by]
    near = (text for text in others if len(terms.intersection(query_terms(text))) >= _SHARED)
    return tuple(text for text in near if is_exception(rule.text, text))[:_MOST_EXCEPTIONS]


def _newest_sources(evidence: Iterable[Evidence], turns: Mapping[EpisodeId, Episode]) -> tuple[RuleSource, ...]:
    newest = sorted({row.episode_id: row for row in evidence}.values(), key=lambda row: row.at, reverse=True)
    return tuple(
        RuleSource(
            conversation=turn.conversation,
            index=turn.index,
            at=turn.at,
            speaker=turn.speaker,
            text=turn.text[:_SHOWN_CHARACTERS],
        )
        for row in newest[:_SHOWN_TURNS]
        if (turn := turns.get(row.episode_id)) is not None
    )


def _with_actions_before(view: ReadView, turn: Episode) -> Exchange:
    """A person's turn with everything the assistant did since the person's turn before it."""
    actions: list[str] = []
    if turn.kind is EpisodeKind.TURN and turn.index:
        for earlier in reversed(view.turns(turn.conversation, max(0, turn.index - _TURNS_BEFORE), turn.index - 1)):
            if earlier.origin is Origin.USER and earlier.kind is EpisodeKind.TURN:
                break
            if earlier.origin is Origin.ASSISTANT:
                actions.append(earlier.text)
    return Exchange(
        text=turn.text,
        before="\n".join(reversed(actions)),
        at=turn.at,
        index=turn.index,
        episode_id=turn.id,
        conversation=turn.conversation,
    )

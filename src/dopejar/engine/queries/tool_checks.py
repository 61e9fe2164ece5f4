"""Holding a tool call against what a person approved.

Takes: active records that direct the work, a call. Gives: the rules the call would break, with what they rest on.
Never: denies; and a check that its own evidence contradicts is no check, its rule stays advice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from dopejar.pipelines.corrections.exchange import Exchange
from dopejar.pipelines.corrections.tool_checks.checks import ToolCheck, check_call, compile_check, compile_checks
from dopejar.pipelines.corrections.tool_checks.trying import is_faithful
from dopejar.ports.store import ReadView
from dopejar.values.episode import Episode, EpisodeKind, Origin
from dopejar.values.ids import ConversationId, EpisodeId, RecordId
from dopejar.values.proposal import Add, Proposal, Supersede
from dopejar.values.record import Evidence, EvidenceRole, Record

_BACK: Final = 40  # turns before a person's in which the assistant may have acted
_SHOWN: Final = 3  # turns that are named as the reason
_LONGEST: Final = 300  # characters of each


@dataclass(frozen=True, kw_only=True, slots=True)
class SaidIn:
    """Where a rule was said: the turn's words, or as much of them as is shown."""

    conversation: ConversationId
    index: int
    at: datetime
    speaker: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckFinding:
    """A rule that a call would break: its check, the words of the call that break it, and where the rule is from.

    `effect` is always `prompt`: a person is asked first. `said_in` names the newest turns that say it.
    """

    record_id: RecordId
    rule: str
    effect: str
    message: str
    found: str
    check: ToolCheck
    approved_by: str
    said_in: tuple[SaidIn, ...] = ()


def check_tool_call(
    view: ReadView, records: Iterable[Record], tool: str, given: Mapping[str, object], branch: str = ""
) -> tuple[CheckFinding, ...]:
    """The rules that a call would break, as far as they can be made precise and their evidence bears the check out."""
    by_id = {one.id: one for one in records}
    found = []
    for match in check_call(tool, given, compile_checks(by_id.values()), branch=branch):
        record = by_id[match.check.record_id]
        rows = [row for row in view.evidence(record.id) if row.role is EvidenceRole.ASSERTS]
        said = view.episodes(tuple(row.episode_id for row in rows))
        turns = [_answer(view, one) for one in said.values()]
        if not is_faithful(match.check, turns):
            continue
        found.append(
            CheckFinding(
                record_id=record.id,
                rule=record.text,
                effect=match.check.effect,
                message=match.check.message,
                found=match.found,
                check=match.check,
                approved_by=record.approved_by,
                said_in=_said_in(rows, said),
            )
        )
    return tuple(found)


def would_be_checked(view: ReadView, proposal: Proposal) -> bool:
    """Whether a waiting rule, once approved, is held against tool calls; what cannot be made precise stays advice."""
    payload = proposal.payload
    if not isinstance(payload, Add | Supersede):
        return False
    draft = payload.draft
    language = draft.scope.name if draft.scope.kind == "language" else ""
    made = compile_check(RecordId(""), draft.text, language=language)
    if made is None:
        return False
    said = view.episodes(tuple(row.episode_id for row in proposal.evidence))
    return is_faithful(made, [_answer(view, one) for one in said.values()])


def _said_in(rows: Iterable[Evidence], said: Mapping[EpisodeId, Episode]) -> tuple[SaidIn, ...]:
    newest = sorted({row.episode_id: row for row in rows}.values(), key=lambda row: row.at, reverse=True)
    return tuple(
        SaidIn(
            conversation=turn.conversation,
            index=turn.index,
            at=turn.at,
            speaker=turn.speaker,
            text=turn.text[:_LONGEST],
        )
        for row in newest[:_SHOWN]
        if (turn := said.get(row.episode_id)) is not None
    )


def _answer(view: ReadView, turn: Episode) -> Exchange:
    """A person's turn with everything the assistant did since the one before it, uncut."""
    before: list[str] = []
    if turn.kind is EpisodeKind.TURN and turn.index:
        for one in reversed(view.turns(turn.conversation, max(0, turn.index - _BACK), turn.index - 1)):
            if one.origin is Origin.USER and one.kind is EpisodeKind.TURN:
                break
            if one.origin is Origin.ASSISTANT:
                before.append(one.text)
    return Exchange(
        text=turn.text,
        before="\n".join(reversed(before)),
        at=turn.at,
        index=turn.index,
        episode_id=turn.id,
        conversation=turn.conversation,
    )

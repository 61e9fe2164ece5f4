"""Impact preview: the past turns where a waiting rule would have applied.

Takes: a waiting proposal and a view of the episodes. Gives: past turns, each with the reason. Never: reads them
all; at most `CANDIDATE_TURNS` turns that share words with the rule are examined, so that a preview stays quick.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from dopejar.pipelines.corrections.detection.detector import detect
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Exchange, exchanges_of
from dopejar.pipelines.corrections.proposals.proposal_engine import MemoryProposal
from dopejar.pipelines.corrections.tool_checks.replay import find_occurrences
from dopejar.ports.store import ReadView
from dopejar.text.words import query_terms
from dopejar.values.episode import Episode, EpisodeKind, Origin
from dopejar.values.ids import ConversationId
from dopejar.values.proposal import Add, Proposal, Supersede
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import DIRECTING, Draft
from dopejar.values.scope import ReadScope

CANDIDATE_TURNS: Final = 80  # turns that share words with the rule
_USER_TURNS: Final = 30  # of these, the person's own turns in which corrections are detected
_TURNS_BEFORE, _TURNS_AFTER = 8, 6
_SHOWN_CHARACTERS: Final = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class AffectedTurn:
    """A past turn where a rule would have applied: the reason, the words that show it, and the turn's text."""

    conversation: ConversationId
    index: int
    at: datetime
    why: str
    found: str
    said: str


def affected_turns(view: ReadView, proposal: Proposal) -> tuple[AffectedTurn, ...]:
    """The past turns where a proposal that directs an assistant's work would have applied, oldest first."""
    payload = proposal.payload
    if not isinstance(payload, Add | Supersede) or payload.draft.kind not in DIRECTING:
        return ()
    draft = payload.draft
    candidates = _turns_sharing_words(view, draft)
    actions = [_as_action(view, turn) for turn in candidates if turn.origin is Origin.ASSISTANT]
    user_turns = [turn for turn in candidates if _is_user_turn(turn)][:_USER_TURNS]
    rule = MemoryProposal(
        id=proposal.id,
        category=draft.kind.value,
        scope=str(draft.scope),
        content=draft.text,
        rationale="",
        source_variants=(),
        confidence=proposal.confidence,
        priority=proposal.priority,
    )
    return tuple(
        AffectedTurn(
            conversation=match.turn.conversation,
            index=match.turn.index,
            at=match.turn.at,
            why=match.why,
            found=match.found,
            said=match.turn.text[:_SHOWN_CHARACTERS],
        )
        for match in find_occurrences(rule, actions, tuple(_detected_corrections(view, user_turns)))
    )


def _is_user_turn(turn: Episode) -> bool:
    return turn.origin is Origin.USER and turn.kind is EpisodeKind.TURN


def _turns_sharing_words(view: ReadView, draft: Draft) -> Sequence[Episode]:
    """Turns that share words with the rule, best match first: of its project, or of all where its scope is wider."""
    where = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.EPISODE)
    terms = query_terms(draft.text)
    hits = view.lexical(terms, where, CANDIDATE_TURNS) if terms else ()
    episodes = view.load_episodes([hit.id for hit in hits], where)
    project = draft.scope.name if draft.scope.kind == "project" else ""
    ranked = [episodes[hit.id] for hit in hits if hit.id in episodes]
    return [turn for turn in ranked if not project or turn.project == project]


def _as_action(view: ReadView, turn: Episode) -> Exchange:
    """What the assistant did in a turn, with the person's next turn as the answer."""
    later = view.turns(turn.conversation, turn.index + 1, turn.index + _TURNS_AFTER)
    answer = next((following.text for following in later if _is_user_turn(following)), "")
    return Exchange(
        text=answer,
        before=turn.text,
        at=turn.at,
        index=turn.index,
        episode_id=turn.id,
        conversation=turn.conversation,
        project=turn.project,
    )


def _detected_corrections(view: ReadView, user_turns: Iterable[Episode]) -> list[CorrectionCandidate]:
    """The corrections in a person's turns, each turn read with what stood before it."""
    candidates: list[CorrectionCandidate] = []
    for turn in user_turns:
        around = view.turns(turn.conversation, max(0, turn.index - _TURNS_BEFORE), turn.index + _TURNS_AFTER)
        candidates += detect([exchange for exchange in exchanges_of(around) if exchange.index == turn.index])
    return candidates

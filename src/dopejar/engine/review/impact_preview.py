"""What a proposal would have meant so far: past turns where it would have applied.

Takes: a waiting proposal and the trace. Gives: past turns, each with the reason. Never: reads the whole trace; turns
that share words with the rule are looked at, at most so many, so that a preview stays quick.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from dopejar.pipelines.corrections.detection.detect import detect
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Exchange, exchanges_of
from dopejar.pipelines.corrections.proposing.impact import impact
from dopejar.pipelines.corrections.proposing.propose import MemoryProposal
from dopejar.pipelines.corrections.proposing.staging import DIRECTING
from dopejar.ports.store import ReadView
from dopejar.text.words import query_terms
from dopejar.values.episode import Episode, EpisodeKind, Origin
from dopejar.values.ids import ConversationId
from dopejar.values.proposal import Add, Proposal, Supersede
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import Draft
from dopejar.values.scope import ReadScope

LOOKED_AT: Final = 80  # turns that share words with the rule
_SAID: Final = 30  # of them, those of a person that are read for a wish
_BACK, _ON = 8, 6


@dataclass(frozen=True, kw_only=True, slots=True)
class AffectedTurn:
    """A past turn where a rule would have applied: what was done or said there, and the words that tell."""

    conversation: ConversationId
    index: int
    at: datetime
    why: str
    found: str
    said: str


def affected_turns(view: ReadView, proposal: Proposal) -> tuple[AffectedTurn, ...]:
    """The past turns where a proposal that directs the work would have applied, oldest first."""
    payload = proposal.payload
    if not isinstance(payload, Add | Supersede) or payload.draft.kind not in DIRECTING:
        return ()
    draft = payload.draft
    hits = _sharing_words(view, draft)
    done = [_done(view, one) for one in hits if one.origin is Origin.ASSISTANT]
    said = [one for one in hits if one.origin is Origin.USER and one.kind is EpisodeKind.TURN][:_SAID]
    wish = MemoryProposal(
        id=proposal.id,
        category=draft.kind.value,
        scope=str(draft.scope),
        content=draft.text,
        rationale="",
        source_variants=(),
        confidence=proposal.confidence,
        priority=proposal.priority,
    )
    found = impact(wish, done, tuple(_wishes(view, said)))
    return tuple(
        AffectedTurn(
            conversation=one.turn.conversation,
            index=one.turn.index,
            at=one.turn.at,
            why=one.why,
            found=one.found,
            said=one.turn.text[:_SHOWN],
        )
        for one in found
    )


_SHOWN: Final = 300


def _sharing_words(view: ReadView, draft: Draft) -> Sequence[Episode]:
    """Turns of the project (of all, where the rule holds wider) that share words with the rule, the nearest first."""
    where = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.EPISODE)
    terms = query_terms(draft.text)
    hits = view.lexical(terms, where, LOOKED_AT) if terms else ()
    found = view.load_episodes([one.id for one in hits], where)
    here = draft.scope.name if draft.scope.kind == "project" else ""
    ordered = [found[one.id] for one in hits if one.id in found]
    return [one for one in ordered if not here or one.project == here]


def _done(view: ReadView, turn: Episode) -> Exchange:
    """What the assistant did, with what the person answered to it."""
    later = view.turns(turn.conversation, turn.index + 1, turn.index + _ON)
    answer = next((one.text for one in later if one.origin is Origin.USER and one.kind is EpisodeKind.TURN), "")
    return Exchange(
        text=answer,
        before=turn.text,
        at=turn.at,
        index=turn.index,
        episode_id=turn.id,
        conversation=turn.conversation,
        project=turn.project,
    )


def _wishes(view: ReadView, said: Iterable[Episode]) -> list[CorrectionCandidate]:
    """What the person's turns wish, each read with what stood before it."""
    found: list[CorrectionCandidate] = []
    for one in said:
        around = view.turns(one.conversation, max(0, one.index - _BACK), one.index + _ON)
        found += detect([turn for turn in exchanges_of(around) if turn.index == one.index])
    return found

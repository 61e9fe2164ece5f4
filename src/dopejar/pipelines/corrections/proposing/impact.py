"""Impact: the past turns where a proposal would have applied.

Takes: a proposal or a rule's text, past exchanges. Gives: the turns, with the reason. Never: guesses; a turn counts
where a check meets what the assistant did, or where the person said the wish.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dopejar.pipelines.corrections.clusters.likeness import linked
from dopejar.pipelines.corrections.detection.detect import polarity_of
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Exchange
from dopejar.pipelines.corrections.proposing.propose import MemoryProposal
from dopejar.pipelines.corrections.tool_checks.checks import check, compile_check
from dopejar.pipelines.corrections.tool_checks.tool_calls import calls_in
from dopejar.text.lexicons import guess_language
from dopejar.values.ids import RecordId
from dopejar.values.scope import Scope

DONE = "the assistant did it"
SAID = "you said it"


@dataclass(frozen=True, kw_only=True, slots=True)
class Applied:
    """One past turn where the rule would have applied, and why."""

    turn: Exchange
    why: str
    found: str


def impact(
    proposal: MemoryProposal, turns: Iterable[Exchange], candidates: Sequence[CorrectionCandidate] = ()
) -> tuple[Applied, ...]:
    """The past turns where the proposal would have applied.

    Where its text compiles to a check, every turn that answers a call the check meets; besides, every candidate that
    wishes the same.
    """
    scope = Scope.parse(proposal.scope)
    made = compile_check(RecordId(""), proposal.content, language=scope.name if scope.kind == "language" else "")
    found: dict[tuple[str, int], Applied] = {}
    for turn in turns:
        met = [match for call in calls_in(turn.before) for match in check(call, (made,))] if made else []
        if met:
            found[turn.conversation, turn.index] = Applied(turn=turn, why=DONE, found=met[0].found)
    pole = polarity_of(proposal.content, guess_language(proposal.content))
    members = {
        (member.exchange.conversation, member.exchange.index)
        for member in (proposal.cluster.members if proposal.cluster else ())
    }
    for one in candidates:
        place = one.exchange.conversation, one.exchange.index
        if place not in found and (place in members or linked(one.wish, one.polarity, proposal.content, pole)):
            found[place] = Applied(turn=one.exchange, why=SAID, found=one.wish)
    return tuple(sorted(found.values(), key=lambda one: (one.turn.at, one.turn.index)))

"""Impact: the past turns where a proposal would have applied.

Takes: a proposal or a rule's text, past exchanges. Gives: the turns, with the reason. Never: guesses; a turn counts
where a check meets what the assistant did, or where the person said the wish.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dopejar.pipelines.corrections.clusters.wish_similarity import linked
from dopejar.pipelines.corrections.detection.detector import polarity_of
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Exchange
from dopejar.pipelines.corrections.proposals.proposal_engine import MemoryProposal
from dopejar.pipelines.corrections.tool_checks.checks import ToolCheck, check, compile_check
from dopejar.pipelines.corrections.tool_checks.tool_calls import calls_in
from dopejar.text.lexicons import guess_language
from dopejar.values.ids import RecordId
from dopejar.values.scope import Scope

DONE = "the assistant did it"
SAID = "you said it"


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleOccurrence:
    """One past turn where the rule would have applied, and why."""

    turn: Exchange
    why: str
    found: str


def find_occurrences(
    proposal: MemoryProposal, turns: Iterable[Exchange], candidates: Sequence[CorrectionCandidate] = ()
) -> tuple[RuleOccurrence, ...]:
    """The past turns where the proposal would have applied.

    Where its text compiles to a check, every turn that answers a call the check meets; besides, every candidate that
    wishes the same.
    """
    scope = Scope.parse(proposal.scope)
    made = compile_check(RecordId(""), proposal.content, language=scope.name if scope.kind == "language" else "")
    found: dict[tuple[str, int], RuleOccurrence] = {}
    for turn in turns:
        met = [match for call in calls_in(turn.before) for match in check(call, (made,))] if made else []
        if met:
            found[turn.conversation, turn.index] = RuleOccurrence(turn=turn, why=DONE, found=met[0].found)
    pole = polarity_of(proposal.content, guess_language(proposal.content))
    members = {
        (member.exchange.conversation, member.exchange.index)
        for member in (proposal.cluster.members if proposal.cluster else ())
    }
    for one in candidates:
        place = one.exchange.conversation, one.exchange.index
        if place not in found and (place in members or linked(one.wish, one.polarity, proposal.content, pole)):
            found[place] = RuleOccurrence(turn=one.exchange, why=SAID, found=one.wish)
    return tuple(sorted(found.values(), key=lambda one: (one.turn.at, one.turn.index)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """How a check does on the turns its rule rests on: how many show a call, how many of those it would have met."""

    shown: int
    met: int


def try_check(one: ToolCheck, turns: Sequence[Exchange]) -> Trial:
    """Try a check on the assistant's actions that the evidence turns answered.

    A check that meets none of the calls shown there is no faithful reading of the rule, and should stay advice.
    """
    shown = met = 0
    for turn in turns:
        calls = calls_in(turn.before)
        shown += bool(calls)
        met += any(check(call, (one,), branch=one.branch) for call in calls)
    return Trial(shown=shown, met=met)


def is_faithful(one: ToolCheck, turns: Sequence[Exchange]) -> bool:
    """Whether the evidence does not speak against a check: no calls are shown there, or it meets at least one."""
    trial = try_check(one, turns)
    return trial.shown == 0 or trial.met > 0

"""Replay of rules over past turns: where a proposal would have applied, and whether a check fits its own evidence.

Takes: a proposal or a check, past exchanges. Gives: the turns with the reason; how many calls a check matches. Never:
guesses; a turn counts where a check matches what the assistant did, or where the person said the wish.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dopejar.pipelines.corrections.clusters.wish_similarity import linked
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Exchange
from dopejar.pipelines.corrections.proposals.proposal_engine import MemoryProposal
from dopejar.pipelines.corrections.tool_checks.call_checks import ToolCheck, check
from dopejar.pipelines.corrections.tool_checks.rule_checks import compile_check
from dopejar.pipelines.corrections.tool_checks.tool_calls import calls_in
from dopejar.pipelines.corrections.wording.memory_text import polarity_of
from dopejar.text.lexicons import guess_language
from dopejar.values.ids import RecordId
from dopejar.values.scope import Scope

DONE = "the assistant did it"
SAID = "you stated it"


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleOccurrence:
    """A past turn where a rule would have applied, and why."""

    turn: Exchange
    why: str
    found: str


def find_occurrences(
    proposal: MemoryProposal, turns: Iterable[Exchange], candidates: Sequence[CorrectionCandidate] = ()
) -> tuple[RuleOccurrence, ...]:
    """Find the past turns where the proposal would have applied.

    Where its text compiles to a check, these are the turns that answer a call the check matches; besides, every
    candidate that says the same wish.
    """
    scope = Scope.parse(proposal.scope)
    compiled = compile_check(RecordId(""), proposal.content, language=scope.name if scope.kind == "language" else "")
    occurrences: dict[tuple[str, int], RuleOccurrence] = {}
    for turn in turns:
        matches = [match for call in calls_in(turn.before) for match in check(call, (compiled,))] if compiled else []
        if matches:
            occurrences[turn.conversation, turn.index] = RuleOccurrence(turn=turn, why=DONE, found=matches[0].found)
    polarity = polarity_of(proposal.content, guess_language(proposal.content))
    members = {
        (member.exchange.conversation, member.exchange.index)
        for member in (proposal.cluster.members if proposal.cluster else ())
    }
    for candidate in candidates:
        place = candidate.exchange.conversation, candidate.exchange.index
        says_it = place in members or linked(candidate.wish, candidate.polarity, proposal.content, polarity)
        if place not in occurrences and says_it:
            occurrences[place] = RuleOccurrence(turn=candidate.exchange, why=SAID, found=candidate.wish)
    return tuple(sorted(occurrences.values(), key=lambda occurrence: (occurrence.turn.at, occurrence.turn.index)))


def is_faithful(tested: ToolCheck, turns: Sequence[Exchange]) -> bool:
    """Whether the evidence does not contradict a check: it shows no calls, or the check matches at least one.

    A check that matches none of the calls shown there misreads the rule, and should stay advice.
    """
    calls = [call for turn in turns for call in calls_in(turn.before)]
    return not calls or any(check(call, (tested,), branch=tested.branch) for call in calls)

"""What a governed turn says: to the user, and to the model that writes the reply.

Takes: a governed turn, and what was recalled. Gives: lines, and the parts of a prompt. Never: a decision, or the same
question twice in one piece of work.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from dopejar.values.turn_enums import (
    Altitude,
    LaneStatus,
    RequestType,
    SignalType,
    Stance,
    StanceGate,
    Strategy,
    TurnGate,
)

if TYPE_CHECKING:
    from dopejar.governance.focus.lanes import LaneStore
    from dopejar.governance.utterance import TurnReading
    from dopejar.turn.conversation_state import ConversationState
    from dopejar.turn.slow_tick import SlowTick
    from dopejar.values.recall import ContextPack
    from dopejar.values.turn_result import GateProposal, TurnResult
    from dopejar.values.turn_state import Commitment, Lane

_S = SignalType
_ASKED: Final[Mapping[TurnGate, str]] = {
    TurnGate.WORK_DECLARATION: "begin it, with a commitment?",
    TurnGate.LANE_SWITCH: "set it aside for this?",
    TurnGate.EVALUATION: "look at it now?",
    TurnGate.WRITE_APPROVAL: "write it?",
}
_HEARD: Final[Mapping[SignalType, str]] = {
    _S.URGENCY: "something urgent",
    _S.LANE_SWITCH: "a turn to other work",
    _S.INTERRUPT: "something in between",
    _S.COMPLETION: "that something is finished",
    _S.FORMAL_WORK: "work that begins",
}
_NATURE: Final[Mapping[Strategy, str]] = {
    Strategy.DECOMPOSITION: "in several parts",
    Strategy.EXPLORATION: "where it is open which way is right",
    Strategy.DIALOGUE: "where two things pull apart",
}
_NEXT: Final[Mapping[Strategy, str]] = {
    Strategy.DECOMPOSITION: "Which part comes first?",
    Strategy.EXPLORATION: "Which ways are there, and what would speak against each?",
    Strategy.DIALOGUE: "Which of the two may give way?",
}
_GREETING: Final = re.compile(r"\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|morning)\b[^?]{0,20}$", re.I)
_ASKS_ABOUT_IT: Final = re.compile(
    r"(?:so |and )?(?:what can you do|who are you|what are you|how do(?:es)? (?:you|this) work)\b", re.I
)
_ABOUT_ITSELF: Final = (
    "I keep what you tell me and answer from it, and hold to the work that you begin. "
    "Tell me a fact, ask about one, or say what you want to work on."
)
_SHOWN: Final = 3  # recalled items
_DIGEST_BYTES: Final = 4
_STOPPED: Final = "Stopped. Nothing goes on until you say what is meant."
_SET_ASIDE: Final = (  # where nobody said stop: something is going wrong elsewhere
    "All else is set aside. Say what is going wrong and what has to be done first; it goes on from there."
)
_QUIET: Final = frozenset({_S.EMOTIONAL, _S.EMERGENCY, _S.COMPLETION})
"""Signals that no anchor and no question of method goes with."""


def lines_to_tell(
    reading: TurnReading, governed: SlowTick, *, may_ask: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the user should be told, the most important first, and what was asked of them in this lane with it.

    With `may_ask` a question of method is added where nothing else is asked: there is no model to put it.
    """
    state, validation = governed.state, governed.validation
    kinds = {one.type for one in reading.signals}
    lines = []
    if any(decision.gate is StanceGate.EMERGENCY for decision in governed.decisions):
        is_told_to = any(one.type is _S.EMERGENCY and one.phrase for one in reading.signals)
        lines.append(_STOPPED if is_told_to else _SET_ASIDE)
    if validation.required_action:
        lines.append(f"This is hard to take back. {validation.required_action}")
    asked = state.asked
    for question in () if kinds & _QUIET else _questions(reading, governed, may_ask=may_ask):
        asked = _add(lines, asked, question)
    for proposal in state.proposals:
        asked = _add(lines, asked, proposal_line(proposal), is_new=proposal.signal is not _S.NONE)
    return tuple(lines), asked


def _add(lines: list[str], asked: tuple[str, ...], question: str, *, is_new: bool = False) -> tuple[str, ...]:
    """Put a question, unless it was put before; what a signal calls for is put each time."""
    digest = hashlib.blake2b(question.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    if is_new or digest not in asked:
        lines.append(question)
    return asked if digest in asked else (*asked, digest)


def _questions(reading: TurnReading, governed: SlowTick, *, may_ask: bool) -> Iterator[str]:
    """The micro-anchor of what depends on goals, or that cites one; a question of method."""
    anchor, is_moment = governed.validation.micro_anchor_text, reading.altitude is Altitude.L1
    is_looked_at = governed.state.focus.stance is Stance.EVALUATION
    if is_looked_at or any(one.lane_id for one in governed.state.proposals):
        return  # what it serves was grounded before
    is_due = reading.request_type is not RequestType.ATOMIC and governed.state.proposals
    if anchor and not is_moment and (is_due or not anchor.endswith("?")):
        yield anchor
    elif may_ask and not governed.state.proposals and governed.validation.allowed:
        yield from filter(None, [_NEXT.get(reading.routing.strategy)])


def proposal_line(proposal: GateProposal) -> str:
    """A proposal as a question."""
    asked = _ASKED[proposal.gate]
    if proposal.lane_id:
        asked = "go on with it?"
    elif proposal.signal is _S.EMOTIONAL:
        return (
            f"{_sentence(proposal.reason)}. Either stop here and see what can wait (yes), or take one small thing (no)?"
        )
    elif proposal.reason.endswith("is being looked at"):
        asked = "is it settled, and may it end?"
    return f"{_sentence(proposal.reason)}: {asked}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def governed_reply(result: TurnResult, text: str, lanes: LaneStore) -> Iterator[str]:
    """The reply to a turn where no model writes one: what was understood, what memory knows, what is said and asked."""
    kinds = {one.type for one in result.signals}
    heard = [_HEARD[one.type] for one in result.signals if one.type in _HEARD]
    nature = "" if kinds & _QUIET else _NATURE.get(result.routing.strategy, "")
    if _S.EMERGENCY not in kinds and (heard or nature):
        yield f"I understand {', '.join(filter(None, [' and '.join(heard) or 'a request', nature]))}."
    is_grave = result.request_type is RequestType.HIGH_STAKES and _S.EMERGENCY not in kinds
    if is_grave and result.validation.allowed:
        yield "Confirmed: it may go ahead."
    found = result.context.items if result.context is not None else ()
    items = [item for item in found if not item.text.rstrip('"').endswith("?")]  # a question tells nothing
    for item in items[:_SHOWN]:
        yield f"I know: {' '.join(item.text.split())}"
    if len(items) > _SHOWN:
        yield f"I know {len(items) - _SHOWN} more; `dopejar recall` shows all."
    is_question = text.rstrip().endswith("?")
    if is_question and not items:
        yield _ABOUT_ITSELF if _ASKS_ABOUT_IT.match(text.strip()) else "I know nothing about that yet."
        if work := "; ".join(_open_work(lanes)):
            yield f"Open work: {work}."
    yield from result.tell
    if not (heard or nature or items or is_question or result.tell or is_grave):
        yield _plain_reply(result, text)


def _open_work(lanes: LaneStore) -> Iterator[str]:
    for lane in lanes.lanes:
        if lane.status is not LaneStatus.COMPLETED:
            yield f"{lane.lease_goal} ({lane.lane_id}, {lane.status})"


def _plain_reply(result: TurnResult, text: str) -> str:
    if _GREETING.match(text):
        return "Hello. What is on your mind?"
    return f"Noted for {result.lane.lease_goal}." if result.lane else "Noted."


def step_lines(before: ConversationState, after: ConversationState) -> Iterator[str]:
    """What an answer, a commitment or a switch changed, for the user."""
    known = {lane.lane_id: lane for lane in before.lanes.lanes}
    for lane in after.lanes.lanes:
        was = known.get(lane.lane_id)
        if was is None or was.status is not lane.status:
            yield _lane_line(lane, was, after.focus.commitment)
    if after.focus.stance is not before.focus.stance and after.focus.stance is Stance.EVALUATION:
        yield "Let us look at it: what was reached, what is missing, what can wait?"
    commitment, old = after.focus.commitment, before.focus.commitment
    goes_on = after.focus.stance is Stance.EXECUTION and before.focus.stance is not Stance.EXECUTION
    if commitment and after.lanes == before.lanes and (commitment != old or goes_on):
        yield f"Going on: {commitment.goal} ({turns(commitment.turns_remaining)} left)."
    for proposal in after.proposals:
        yield proposal_line(proposal)


def _lane_line(lane: Lane, was: Lane | None, commitment: Commitment | None) -> str:
    if lane.status is LaneStatus.PAUSED:
        return f"Set aside: {lane.lease_goal} ({lane.lane_id})."
    if lane.status is LaneStatus.COMPLETED:
        return f"Completed: {lane.lease_goal}."
    left = f", {turns(commitment.turns_remaining)}" if commitment else ""
    return f"{'Begun' if was is None else 'Back to it'}: {lane.lease_goal} ({lane.lane_id}{left})."


def turns(count: int) -> str:
    """A number of turns in words."""
    return "1 turn" if count == 1 else f"{count} turns"


def prompt_parts(
    reading: TurnReading, governed: SlowTick, pack: ContextPack | None, tell: tuple[str, ...]
) -> dict[str, str]:
    """The parts of a prompt in the order in which they are compiled: what governs, what was decided, what is known."""
    state = governed.state
    commitment = state.focus.commitment
    anchor = governed.validation.micro_anchor_text or ""
    may = ", ".join(sorted(governed.authorised.activities)) or "nothing but to ask"
    parts = {
        "stance": f"Stance: {state.focus.stance}. You may: {may}.",
        "commitment": _commitment_line(commitment) if commitment else "",
        "altitude": f"Altitude: {reading.altitude}. {anchor if anchor in tell else ''}".strip(),
        "strategy": f"Strategy: {reading.routing.strategy} ({reading.routing.reason}).",
        "context": pack.text if pack is not None else "",
    }
    return {name: part for name, part in parts.items() if part}


def _commitment_line(commitment: Commitment) -> str:
    return f"Committed to: {commitment.goal} ({turns(commitment.turns_remaining)} left)."

"""What a governed turn says: to the user, and to the model that writes the reply.

Takes: a governed turn, and what was recalled. Gives: lines, and the parts of a prompt. Never: a decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from dopejar.values.turn_enums import StanceGate, TurnGate

if TYPE_CHECKING:
    from dopejar.governance.utterance import TurnReading
    from dopejar.turn.slow_tick import SlowTick
    from dopejar.values.recall import ContextPack
    from dopejar.values.turn_state import Commitment

_ASKED: Final[Mapping[TurnGate, str]] = {
    TurnGate.WORK_DECLARATION: "begin it, with a commitment?",
    TurnGate.LANE_SWITCH: "switch to it, and keep this one for later?",
    TurnGate.EVALUATION: "look at it now?",
    TurnGate.WRITE_APPROVAL: "write it?",
}


def lines_to_tell(governed: SlowTick) -> tuple[str, ...]:
    """What the user should be told, the most important first."""
    is_stopped = any(decision.gate is StanceGate.EMERGENCY for decision in governed.decisions)
    lines = ["Stopped. Nothing goes on until you say what is meant."] if is_stopped else []
    validation = governed.validation
    if validation.required_action:
        lines.append(f"This is hard to take back. {validation.required_action}")
    if validation.micro_anchor_text:
        lines.append(validation.micro_anchor_text)
    asked = (f"{one.reason[0].upper()}{one.reason[1:]}: {_ASKED[one.gate]}" for one in governed.state.proposals)
    return (*lines, *asked)


def prompt_parts(reading: TurnReading, governed: SlowTick, pack: ContextPack | None) -> dict[str, str]:
    """The parts of a prompt in the order in which they are compiled: what governs, what was decided, what is known."""
    state = governed.state
    commitment = state.focus.commitment
    may = ", ".join(sorted(governed.authorised.activities)) or "nothing but to ask"
    parts = {
        "stance": f"Stance: {state.focus.stance}. You may: {may}.",
        "commitment": _commitment_line(commitment) if commitment else "",
        "altitude": f"Altitude: {reading.altitude}. {governed.validation.micro_anchor_text or ''}".strip(),
        "strategy": f"Strategy: {reading.routing.strategy} ({reading.routing.reason}).",
        "context": pack.text if pack is not None else "",
    }
    return {name: part for name, part in parts.items() if part}


def _commitment_line(commitment: Commitment) -> str:
    return f"Committed to: {commitment.goal} ({commitment.turns_remaining} turns left)."

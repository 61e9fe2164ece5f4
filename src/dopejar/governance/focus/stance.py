"""The stance machine: four modes of a conversation, what each allows, and the gates between them.

Takes: a stance, a gate and a target. Gives: the next stance, or the activities of a stance. Never: moves without a
gate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from dopejar.errors import IllegalMoveError
from dopejar.values.turn_decisions import AuthorisedScope
from dopejar.values.turn_enums import Activity, Stance, StanceGate

_A, _G, _S = Activity, StanceGate, Stance
_TO_EXPLORATION: Final = (_S.SENSEMAKING, _S.DISCOVERY)

TRANSITIONS: Final[Mapping[tuple[Stance, StanceGate], tuple[Stance, ...]]] = MappingProxyType(
    {
        **{(stance, _G.FRAMING): _TO_EXPLORATION for stance in _S},
        **{(stance, _G.COMMITMENT): (_S.EXECUTION,) for stance in _S},
        **{(stance, _G.EVALUATION): (_S.EVALUATION,) for stance in _S},
        (_S.EVALUATION, _G.EVALUATION): (_S.SENSEMAKING, _S.EXECUTION),  # revise, or renew
        **{(stance, _G.EMERGENCY): (_S.SENSEMAKING,) for stance in _S},
    }
)

ALLOWED: Final[Mapping[Stance, frozenset[Activity]]] = MappingProxyType(
    {
        _S.SENSEMAKING: frozenset({_A.QUESTION, _A.CLARIFY, _A.EXPLORE, _A.REFRAME}),
        _S.DISCOVERY: frozenset({_A.BRAINSTORM, _A.PROTOTYPE, _A.EXPERIMENT, _A.DIVERGE}),
        _S.EXECUTION: frozenset({_A.EXECUTE, _A.DELIVER, _A.IMPLEMENT, _A.PROGRESS}),
        _S.EVALUATION: frozenset({_A.ASSESS, _A.COMPARE, _A.MEASURE, _A.DECIDE}),
    }
)

SUPPRESSED: Final[Mapping[Stance, frozenset[Activity]]] = MappingProxyType(
    {
        _S.SENSEMAKING: frozenset({_A.EXECUTE, _A.COMMIT, _A.OPTIMIZE}),
        _S.DISCOVERY: frozenset({_A.COMMIT, _A.OPTIMIZE, _A.EVALUATE}),
        _S.EXECUTION: frozenset({_A.REFRAME, _A.EXPLORE, _A.QUESTION_FRAME}),
        _S.EVALUATION: frozenset({_A.EXECUTE, _A.EXPLORE, _A.COMMIT}),
    }
)
"""What a stance works against; the host is told. What is neither allowed nor suppressed is not authorised either."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StanceMachine:
    """A stance, and the steps out of it."""

    stance: Stance = Stance.SENSEMAKING

    @property
    def scope(self) -> AuthorisedScope:
        """What the stance authorises."""
        return AuthorisedScope(activities=ALLOWED[self.stance])

    def targets(self, gate: StanceGate) -> tuple[Stance, ...]:
        """Where a gate leads from here; the first is its usual target."""
        return TRANSITIONS[self.stance, gate]

    def step(self, gate: StanceGate, target: Stance) -> StanceMachine:
        """The machine behind the gate.

        Raises:
            IllegalMoveError: the gate does not lead there from this stance.
        """
        if target not in self.targets(gate):
            known = " or ".join(self.targets(gate))
            raise IllegalMoveError(
                f"The {gate} gate does not lead from {self.stance} to {target}. From here it leads to {known}."
            )
        return StanceMachine(stance=target)

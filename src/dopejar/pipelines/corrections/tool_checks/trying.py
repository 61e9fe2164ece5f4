"""Whether a check bears out on the turns its rule rests on.

Takes: a check, the evidence turns with what the assistant had done before them. Gives: how many calls are shown there
and how many it would have met. Never: calls a check faithful that met none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dopejar.pipelines.corrections.exchange import Exchange
from dopejar.pipelines.corrections.tool_checks.checks import ToolCheck, check
from dopejar.pipelines.corrections.tool_checks.tool_calls import calls_in


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """How a check does on the turns its rule rests on: how many show a call, how many of those it would have met."""

    shown: int
    met: int


def tried(one: ToolCheck, turns: Sequence[Exchange]) -> Trial:
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
    trial = tried(one, turns)
    return trial.shown == 0 or trial.met > 0

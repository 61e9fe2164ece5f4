"""Tool use: a call that a turn asks for, and its result.

Takes: what a model or a person asked for, and what a tool returned. Gives: frozen values. Never: runs anything, or says
whether it may be run; that is for the policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from dopejar.values.ids import TraceId


class ToolOutcome(StrEnum):
    """How a tool call ended; the same words as an episode's outcome."""

    SUCCESS = "success"
    FAILURE = "failure"
    REJECTED = "rejected"  # a person or the policy stopped it; the tool did not run


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """One call of one tool. `id` is unique in its trace; `arguments` are JSON values by name."""

    id: str
    tool: str
    trace_id: TraceId
    arguments: Mapping[str, object] = field(default_factory=dict)
    cwd: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResult:
    """What a call came to. `text` is what the tool returned, or why it failed."""

    call_id: str
    outcome: ToolOutcome
    text: str = ""
    duration_ms: int = 0

"""Trace events: what one component did during a turn, for observability.

Takes: what a component reports. Gives: frozen events. Never: whole texts; input and output are summaries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from dopejar.values.ids import TraceId

SUMMARY_LENGTH: Final = 200
"""Characters that a summary of an input or an output has at most."""


class TraceLayer(StrEnum):
    """The layer that an event belongs to: one of the four that govern a turn, or memory."""

    ALTITUDE = "altitude"
    FOCUS = "focus"
    REASONING = "reasoning"
    LEARNING = "learning"
    MEMORY = "memory"


class TraceOperation(StrEnum):
    """What the component did."""

    READ = "read"
    WRITE = "write"
    TRANSITION = "transition"
    ROUTE = "route"


class TraceStatus(StrEnum):
    """How it ended."""

    SUCCESS = "success"
    ERROR = "error"
    BLOCKED = "blocked"  # a gate or a rule stopped it


@dataclass(frozen=True, kw_only=True, slots=True)
class TraceEvent:
    """One event. `parent_id` names the trace that this one is nested in; `at` is aware."""

    trace_id: TraceId
    at: datetime
    layer: TraceLayer
    operation: TraceOperation
    component: str
    parent_id: TraceId | None = None
    input_summary: str = ""
    output_summary: str = ""
    duration_ms: int = 0
    status: TraceStatus = TraceStatus.SUCCESS
    metadata: Mapping[str, str] = field(default_factory=dict)


def summary_of(text: str) -> str:
    """A text as an event holds it: one line of at most 200 characters, an ellipsis where it was cut."""
    line = " ".join(text.split())
    return line if len(line) <= SUMMARY_LENGTH else f"{line[: SUMMARY_LENGTH - 1]}…"

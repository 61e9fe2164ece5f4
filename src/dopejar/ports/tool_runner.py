"""Tools that an authorised turn may run.

Takes: calls that the policy allowed. Gives: their results. Never: decides whether a call is allowed.
"""

from __future__ import annotations

from dopejar.ports.protocol import Protocol
from dopejar.values.tool_use import ToolCall, ToolResult


class ToolRunner(Protocol):
    """Runs tools: a shell, a file editor, a connector."""

    def tools(self) -> tuple[str, ...]:
        """The names of the tools that can be run, sorted."""

    def run(self, call: ToolCall) -> ToolResult:
        """Run one call to its end.

        A tool that fails is a result with the outcome `failure`, not an exception.

        Raises:
            NotFoundError: there is no tool of this name.
        """

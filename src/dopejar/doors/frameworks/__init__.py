"""Frameworks of agents: the memory behind the interfaces that they expect.

Takes: an open memory. Gives: a store of LangGraph, a session of the OpenAI Agents SDK, the memory tool of Claude, a
capability of Pydantic AI, a memory service of Google's ADK. Never: decides; what an agent writes is kept as the host's
notes or proposed as an agent's word, and nothing is believed by it.

Each framework is an extra, and loaded when its class is first named.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from dopejar.errors import UsageError

if TYPE_CHECKING:
    from dopejar.doors.frameworks.adk_memory_service import ADKMemoryService as ADKMemoryService
    from dopejar.doors.frameworks.agents_session import AgentsSession as AgentsSession
    from dopejar.doors.frameworks.claude_memory_tool import ClaudeMemoryTool as ClaudeMemoryTool
    from dopejar.doors.frameworks.langgraph_store import LangGraphStore as LangGraphStore
    from dopejar.doors.frameworks.pydantic_ai_capability import PydanticAICapability as PydanticAICapability

_MODULES = {
    "ADKMemoryService": "adk_memory_service",
    "AgentsSession": "agents_session",
    "ClaudeMemoryTool": "claude_memory_tool",
    "LangGraphStore": "langgraph_store",
    "PydanticAICapability": "pydantic_ai_capability",
}
_EXTRAS = {"ADKMemoryService": "google-adk", "LangGraphStore": "langgraph", "PydanticAICapability": "pydantic-ai"}


def __getattr__(name: str) -> object:
    """Load a class. Raises AttributeError for another name, UsageError where its framework is not installed."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}. It has {', '.join(_MODULES)}.")
    try:
        module = import_module(f"{__name__}.{_MODULES[name]}")
    except ModuleNotFoundError as error:
        if name not in _EXTRAS or (error.name or "").startswith("dopejar"):
            raise
        extra = _EXTRAS[name]
        raise UsageError(
            f"{name} needs {error.name}, which is not installed. Install the `{extra}` extra:"
            f" `pip install 'dopejar[{extra}]'`."
        ) from error
    return getattr(module, name)

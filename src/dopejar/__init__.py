"""DoPeJar: governed long-term memory for AI agents and coding assistants.

Takes: nothing at import. Gives: the library's face, loaded name by name. Never: opens, reads or sets anything when it
is imported.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would be a third of what a hook takes

if TYPE_CHECKING:
    from dopejar.compose import open_memory
    from dopejar.engine.async_memory import AsyncMemory
    from dopejar.engine.dependencies import Reviewer, Speaker
    from dopejar.engine.ingest.live_turns import Observed
    from dopejar.engine.memory import Memory
    from dopejar.engine.results import Learned, Remembered, SearchResult
    from dopejar.errors import DopejarError, InputError, NotFoundError, RefusedError, StoreError
    from dopejar.turn.partner import Partner
    from dopejar.values.episode import EpisodeKind, Origin
    from dopejar.values.recall import ContextPack, Query
    from dopejar.values.record import Kind, Record, Status
    from dopejar.values.transcript import LiveTurn
    from dopejar.values.turn_result import TurnResult

__version__ = "0.1.0"

__all__ = [
    "AsyncMemory",
    "ContextPack",
    "DopejarError",
    "EpisodeKind",
    "InputError",
    "Kind",
    "Learned",
    "LiveTurn",
    "Memory",
    "NotFoundError",
    "Observed",
    "Origin",
    "Partner",
    "Query",
    "Record",
    "RefusedError",
    "Remembered",
    "Reviewer",
    "SearchResult",
    "Speaker",
    "Status",
    "StoreError",
    "TurnResult",
    "open_memory",
]

_HOMES = {
    "AsyncMemory": "dopejar.engine.async_memory",
    "ContextPack": "dopejar.values.recall",
    "DopejarError": "dopejar.errors",
    "EpisodeKind": "dopejar.values.episode",
    "InputError": "dopejar.errors",
    "Kind": "dopejar.values.record",
    "Learned": "dopejar.engine.results",
    "LiveTurn": "dopejar.values.transcript",
    "Memory": "dopejar.engine.memory",
    "NotFoundError": "dopejar.errors",
    "Observed": "dopejar.engine.ingest.live_turns",
    "Origin": "dopejar.values.episode",
    "Partner": "dopejar.turn.partner",
    "Query": "dopejar.values.recall",
    "Record": "dopejar.values.record",
    "RefusedError": "dopejar.errors",
    "Remembered": "dopejar.engine.results",
    "Reviewer": "dopejar.engine.dependencies",
    "SearchResult": "dopejar.engine.results",
    "Speaker": "dopejar.engine.dependencies",
    "Status": "dopejar.values.record",
    "StoreError": "dopejar.errors",
    "TurnResult": "dopejar.values.turn_result",
    "open_memory": "dopejar.compose",
}


def __getattr__(name: str) -> object:
    """Load a public name where it is first used."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'dopejar' has no attribute {name!r}")
    import importlib

    value: object = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

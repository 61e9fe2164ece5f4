"""What the engine is built from.

Takes: adapters and values, from compose. Gives: one frozen set of parts. Never: builds one itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.ports.clock import Clock
from dopejar.ports.embedder import Embedder
from dopejar.ports.store import Store
from dopejar.values.episode import Origin
from dopejar.values.proposal_enums import Via
from dopejar.values.scope import Project

if TYPE_CHECKING:
    from dopejar.governance.policy.rules import Policy  # loaded with the verbs that judge
    from dopejar.memory.append import Redact
    from dopejar.ports.language_model import LanguageModel
    from dopejar.values.transcript import SourceFile
from dopejar.pipelines.procedural.options import ProceduralOptions

Progress = Callable[[str, int, int], None]  # what is done, how much of it, of how much (0: unknown)


def no_progress(_what: str, _done: int, _of: int) -> None:
    """Progress that nobody looks at."""


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestOptions:
    """What a person may set about ingest.

    `test_words` and `ephemeral_words` route to those namespaces as a tag, as a part of a source's name, and in brackets
    before a text. `taxonomy` is a file of value families that lies over the shipped ones. With `refine` the configured
    language model suggests atoms.
    """

    test_words: frozenset[str] = frozenset()
    ephemeral_words: frozenset[str] = frozenset()
    ephemeral_hours: int = 24
    taxonomy: Path | None = None
    refine: bool = False


def nothing_pasted(_text: str) -> tuple[tuple[int, int], ...]:
    """Every word of a message is its speaker's own."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Dependencies:
    """Everything the verbs work with."""

    store: Store
    clock: Clock
    home: Path
    policy: Callable[[], Policy]
    redact: Redact
    may_keep: Callable[[Origin], bool]
    embedder: Callable[[], Embedder | None]
    sayings: Callable[[], Embedder | None]  # for which two sentences are near if they say one thing
    read_transcript: Callable[[Path, str | None], SourceFile]
    detect_project: Callable[[Path], Project | None]
    boot_texts: Callable[[Path], tuple[str, ...]]
    language_model: Callable[[], LanguageModel | None]
    pasted: Callable[[str], tuple[tuple[int, int], ...]] = nothing_pasted
    batch: int = 256
    note_use: bool = True
    recall_mode: str = "auto"
    recall_budget: int = 1024
    max_age_days: int = 30
    maintenance_ms: int = 50
    refine_corrections: bool = False
    session_idle_minutes: int = 30
    procedural: ProceduralOptions = field(default_factory=ProceduralOptions)
    ingest: IngestOptions = field(default_factory=IngestOptions)


@dataclass(frozen=True, kw_only=True, slots=True)
class Speaker:
    """Who speaks to the memory, and how. `name` goes into the ledger as the proposer."""

    origin: Origin = Origin.USER
    via: Via = Via.REMEMBER
    name: str = "user"


@dataclass(frozen=True, kw_only=True, slots=True)
class Reviewer:
    """A person who proved who they are. Only `unlock` and an open session make one."""

    name: str

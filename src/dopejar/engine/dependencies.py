"""The dependencies of the engine: adapters, functions and settings, and who speaks to it.

Takes: adapters and values, from `compose`. Gives: one frozen value. Never: builds an adapter itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.engine.ledger_clock import LedgerClock
from dopejar.errors import InputError
from dopejar.pipelines.procedural.procedural_options import AUTO_ASSIGN, ProceduralOptions
from dopejar.values.accepted_settings import AcceptedSettings, SettingDifference
from dopejar.values.episode import Origin
from dopejar.values.host_values import member_named
from dopejar.values.proposal_enums import Via
from dopejar.values.scope import Project

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.governance.policy.rules import Policy  # loaded with the verbs that judge
    from dopejar.memory.append import Redact
    from dopejar.ports.clock import Clock
    from dopejar.ports.embedder import Embedder
    from dopejar.ports.language_model import LanguageModel
    from dopejar.ports.statement_reader import AnswerReader, ChangeReader, SideReader, StatementMarker, StatementReader
    from dopejar.ports.store import ReadView, Store
    from dopejar.ports.turn_reader import TurnReader
    from dopejar.values.transcript import SourceFile

__all__ = [
    "AUTO_ASSIGN",
    "Dependencies",
    "IngestOptions",
    "ProceduralOptions",
    "Progress",
    "Reviewer",
    "Speaker",
    "host_speaker",
    "no_progress",
    "origin_of",
]

Progress = Callable[[str, int, int], None]  # the activity, how much is done, and how much there is (0: unknown)


def no_progress(_what: str, _done: int, _of: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestOptions:
    """The settings of ingest.

    `test_words` and `ephemeral_words` route to those namespaces as a tag, as a part of a source's name, and in brackets
    before a text. `taxonomy` is a file of value families that overrides the shipped ones. With `refine` the configured
    language model proposes statement boundaries, with `second_opinion` it is asked how statements relate,
    with `model_names` what they are about.
    """

    test_words: frozenset[str] = frozenset()
    ephemeral_words: frozenset[str] = frozenset()
    ephemeral_hours: int = 24
    taxonomy: Path | None = None
    refine: bool = False
    second_opinion: bool = False
    model_names: bool = False


def nothing_pasted(_text: str) -> tuple[tuple[int, int], ...]:
    """No span of a message was pasted: all of it is its speaker's own."""
    return ()


def no_turn_reader() -> TurnReader | None:
    """No model reads the turns: the phrases decide alone."""
    return None


def no_answer_reader() -> AnswerReader | None:
    """No model reads the answers: what is alike answers."""
    return None


def no_vectors(_texts: Sequence[str]) -> "Mapping[str, npt.NDArray[np.float32]]":
    """No vector is at hand: each is made when it is asked for."""
    return {}


@dataclass(frozen=True, kw_only=True)
class Dependencies:
    """Everything the verbs work with.

    `embedder` embeds texts for search, and may return None; `at_hand` gives the vectors that it made lately; `reader`
    reads statements and relates them; `marker` finds what lasts in a conversation, `changes` new names, `sides` tells
    the side of a bullet, `answers` whether a text answers a question, `turn_reader` reads utterances; each of these may
    return None. All are called when they are first needed. `pasted` finds the spans that a speaker pasted into a
    message. `clock` gives the time of what is said and decided, which is never before the newest ledger entry;
    `system_clock` tells how long a lease, a session or a waiting lasts.
    """

    store: Store
    clock: Clock
    home: Path
    policy: Callable[[], Policy]
    redact: Redact
    may_keep: Callable[[Origin], bool]
    embedder: Callable[[], Embedder | None]
    reader: Callable[[], StatementReader]
    marker: Callable[[], StatementMarker | None]
    changes: Callable[[], ChangeReader | None]
    sides: Callable[[], SideReader | None]
    read_transcript: Callable[[Path, str | None], SourceFile]
    detect_project: Callable[[Path], Project | None]
    boot_texts: Callable[[Path], tuple[str, ...]]
    language_model: Callable[[], LanguageModel | None]
    at_hand: "Callable[[Sequence[str]], Mapping[str, npt.NDArray[np.float32]]]" = no_vectors
    turn_reader: Callable[[], TurnReader | None] = no_turn_reader
    answers: Callable[[], AnswerReader | None] = no_answer_reader
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
    system_clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        system = self.clock.system if isinstance(self.clock, LedgerClock) else self.clock
        object.__setattr__(self, "system_clock", system)
        object.__setattr__(self, "clock", LedgerClock(self.store, system))

    said_by: str = ""  # who speaks where a call does not say; a host that never says it gets an error
    accepted_settings: AcceptedSettings = field(default_factory=AcceptedSettings)
    setting_differences: tuple[SettingDifference, ...] = ()

    def search_embedder(self, view: ReadView) -> Embedder | None:
        """The embedder to search vectors with: the one whose vectors the store holds; None for lexical search alone."""
        if self.recall_mode == "lexical":
            return None
        stored = view.embedders()
        if not stored:
            return None
        embedder = self.embedder()
        return embedder if embedder is not None and embedder.identity in stored else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Speaker:
    """Who speaks to the memory, and through which channel. `name` is recorded in the ledger as the proposer.

    `origin` and `via` may be given by their names.
    """

    origin: Origin
    name: str
    via: Via = Via.REMEMBER

    def __post_init__(self) -> None:
        """Names become members. Raises InputError where there is no such name."""
        object.__setattr__(self, "origin", member_named(Origin, "`origin` of Speaker", self.origin))
        object.__setattr__(self, "via", member_named(Via, "`via` of Speaker", self.via))


@dataclass(frozen=True, kw_only=True, slots=True)
class Reviewer:
    """A person who proved who they are, and the credential of the open session that `Reviewers` gave them.

    A value that was made otherwise is refused: every decision looks the session up in the store.
    """

    name: str
    credential: str = field(default="", repr=False)


def host_speaker(said_by: str, via: Via = Via.REMEMBER) -> Speaker:
    """Who a library's host says is speaking: user, other, tool, assistant, fetched. Raises InputError."""
    return Speaker(origin=origin_of(said_by), name=said_by, via=via)


def origin_of(said_by: str) -> Origin:
    """The origin that a host names. Raises InputError where it names none: nobody is taken for the user unasked."""
    names = ", ".join(origin.value for origin in Origin if origin is not Origin.SYSTEM)
    if not said_by:
        raise InputError(
            f"Who says it? Pass said_by=... (one of {names}) to this call, or once to `open_memory(said_by=...)`."
        )
    try:
        return Origin(said_by)
    except ValueError:
        raise InputError(f"said_by must be one of {names}, not {said_by!r}.") from None

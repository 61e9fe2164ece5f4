"""The results of the engine's verbs.

Takes: receipts and counts. Gives: frozen values that doors render. Never: a claim that nothing supports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, overload

from dopejar.ports.store import Fault, StoreSizes
from dopejar.values.episode import OFF_THE_RECORD, Conversation, Episode
from dopejar.values.ids import ActId, ConversationId, EpisodeId, RecordId
from dopejar.values.ledger import LedgerEntry, LedgerHead
from dopejar.values.proposal import Proposal
from dopejar.values.recall import Citation
from dopejar.values.record import Evidence, Record, RecordState
from dopejar.values.scope import Namespace, Scope
from dopejar.values.transcript import ReadReport
from dopejar.values.verdict import Verdict

if TYPE_CHECKING:
    from dopejar.engine.review.erasure_echoes import Echo
    from dopejar.engine.review.impact_preview import AffectedTurn
    from dopejar.values.receipt import Receipt


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftChange:
    """What editing a proposal changes: its text, scope, key, slot, value, and what it `replaces`, changed or not."""

    name: str
    before: str
    after: str

    @property
    def is_internal(self) -> bool:
        """Whether it is a form that only the program reads: people see the same in the text and the key."""
        return self.name in ("slot", "value")


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestStage:
    """One stage of ingest, for `--explain`."""

    name: str
    detail: str


class IngestStages(Sequence[IngestStage]):
    """The stages in order, described when they are first read: few callers do, and it takes long."""

    def __init__(self, describe: Callable[[], Iterable[IngestStage]] = tuple) -> None:
        self._describe = describe

    @cached_property
    def _stages(self) -> tuple[IngestStage, ...]:
        return tuple(self._describe())

    @overload
    def __getitem__(self, index: int) -> IngestStage: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[IngestStage, ...]: ...

    def __getitem__(self, index: int | slice) -> IngestStage | tuple[IngestStage, ...]:
        """The stage at an index, or those of a range."""
        return self._stages[index]

    def __len__(self) -> int:
        """How many stages there are."""
        return len(self._stages)


_NO_SECRETS: Final = frozenset({OFF_THE_RECORD, "private"})
_ALL_REDACTED: Final = (
    "Not kept: it looks like a secret code, a password or a personal number, and its value is stored nowhere."
)
_PART_REDACTED: Final = (
    "What looks like a secret code, a password or a personal number in it was not kept: its value is stored nowhere."
)
_KEPT_ELSEWHERE: Final = "Keep the value in a password manager; where it is kept can be remembered."


@dataclass(frozen=True, kw_only=True, slots=True)
class Remembered:
    """The result of remembering one text; each receipt has its outcome, from added to unchanged."""

    act_id: ActId
    episode_id: EpisodeId
    receipts: tuple[Receipt, ...]
    redactions: Mapping[str, int] = field(default_factory=dict)
    stages: IngestStages = field(default_factory=IngestStages, compare=False, repr=False)
    left_out: tuple[str, ...] = ()

    @property
    def took_effect(self) -> bool:
        """Whether a memory was added, reinforced or superseded."""
        return any(receipt.outcome in ("added", "reinforced", "superseded") for receipt in self.receipts)

    @property
    def is_off_the_record(self) -> bool:
        """Whether the speaker asked that the words be not kept; then they were not."""
        return OFF_THE_RECORD in self.redactions

    @property
    def redaction_note(self) -> str:
        """What became of secrets in the words, and what to do instead; "" where there were none."""
        if not self.redactions.keys() - _NO_SECRETS:
            return ""
        became = _PART_REDACTED if self.receipts else _ALL_REDACTED
        return f"{became} {_KEPT_ELSEWHERE}"

    @property
    def waits(self) -> bool:
        """Whether a proposal waits for a reviewer."""
        return any(receipt.outcome == "staged" for receipt in self.receipts)

    @property
    def outcome(self) -> str:
        """What it came to: believed, forgotten, waits, refused, off the record, unchanged, or nothing learned."""
        outcomes = {receipt.outcome for receipt in self.receipts}
        if self.took_effect:
            return "believed"
        if "deprecated" in outcomes:
            return "forgotten"
        if self.waits:
            return "waits"
        if self.is_off_the_record:
            return "off the record"
        if not outcomes:
            return "nothing learned"
        return "refused" if outcomes == {"refused"} else "unchanged"


@dataclass(frozen=True, kw_only=True, slots=True)
class Learned:
    """The result of learning from one file. `outcomes` counts receipts by outcome, `left_out` words by reason."""

    path: str
    act_id: ActId
    report: ReadReport
    conversations: tuple[ConversationId, ...] = ()
    episodes: int = 0  # newly kept
    known: int = 0  # kept before
    refused: int = 0  # not consented to
    buried: int = 0  # erased before
    atoms: int = 0
    outcomes: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    redactions: Mapping[str, int] = field(default_factory=dict)
    guarded: Mapping[str, int] = field(default_factory=dict)  # recall_loop, boot_file: pieces not learned from


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """One memory that a search found. `score` orders the results of one search; those of two do not compare."""

    record: Record
    score: float
    citations: tuple[Citation, ...] = ()
    marks: tuple[str, ...] = ()  # as of an item of recall: "low trust", "temporary", ...

    @property
    def id(self) -> RecordId:
        """The id of the memory."""
        return self.record.id

    @property
    def text(self) -> str:
        """The words of the memory."""
        return self.record.text


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewItem:
    """One waiting proposal with what a reviewer needs to decide. `near` are its targets or related records."""

    proposal: Proposal
    number: int
    text: str
    record: Record | None = None
    near: tuple[Record, ...] = ()
    namespace: Namespace = Namespace.PROD
    evidence: tuple[tuple[Evidence, Episode | None], ...] = ()
    around: tuple[Episode, ...] = ()
    verdict: Verdict | None = None
    moved: bool = False  # the memory changed since it was staged
    obstacle: str = ""  # why nobody can approve it as it stands
    contradicts: tuple[Record, ...] = ()  # what it waits for, and guidance that cannot be followed beside it
    rivals: tuple[Record, ...] = ()  # what waits as well and cannot hold beside it
    repeats: Record | None = None  # a rule in force that it may say again
    past: tuple[AffectedTurn, ...] = ()  # turns where it would have applied
    is_checkable: bool = False  # once approved, tool calls are checked against it
    echoes: tuple[Echo, ...] = ()  # of an erasure: places that would still speak of what is erased


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """A record's states, the ledger entries about it, its evidence, and all versions of its concept."""

    record: Record
    states: tuple[RecordState, ...]
    entries: tuple[LedgerEntry, ...]
    evidence: tuple[tuple[Evidence, Episode | None], ...]
    versions: tuple[Record, ...]
    is_checked: bool = False  # tool calls are checked against it


@dataclass(frozen=True, kw_only=True, slots=True)
class LoggedAct:
    """One act in the log."""

    act_id: ActId
    at: datetime
    actions: tuple[str, ...]
    proposer: str
    approver: str
    targets: tuple[str, ...]
    rules: tuple[str, ...]
    conversation: ConversationId | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ErasureReceipt:
    """What was erased, and where its words were still found afterwards."""

    act_id: ActId
    records: tuple[RecordId, ...]
    episodes_blanked: int
    at: datetime
    verified: bool
    not_scrubbed: str  # why bytes of the words are still in the files: the erasure stands, and they go later by itself
    still_found_in: tuple[str, ...]
    echoes: tuple[Echo, ...]  # places that still speak of it and that nobody asked to erase
    backups: tuple[Path, ...]  # copies made before; they still hold the words
    exports: tuple[Path, ...]  # likewise
    ledger: LedgerHead


@dataclass(frozen=True, kw_only=True, slots=True)
class StoreStatus:
    """What the store holds, and in which state it is."""

    path: Path | None
    is_read_only: bool
    sizes: StoreSizes
    waiting: int
    oldest_waiting: datetime | None
    embedder: str
    vectors_of: tuple[str, ...]
    ledger: LedgerHead
    project: str
    conversations: tuple[Conversation, ...] = ()
    unaccepted_settings: str = ""  # what is configured and not in force, because no reviewer accepted it
    scrub_due_since: datetime | None = None  # erased bytes are still in the files since then


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceReport:
    """What a run of housekeeping did."""

    embedded: int = 0
    expired: int = 0
    dropped: int = 0
    ended: int = 0  # inactive conversations whose corrections were extracted
    swept: int = 0  # ephemeral memories that expired
    merges: int = 0  # proposed
    blocks: int = 0  # of conversations, that were archived
    left: int = 0
    not_scrubbed: str = ""  # why erased bytes are still in the files
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyChange:
    """A key that an earlier version made, and the one in its place, with the number of memories that have it."""

    old: str
    new: str
    scope: Scope
    memories: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RekeyReport:
    """The keys that were or would be changed, and the acts that did it; those that wait, and those that are refused."""

    changes: tuple[KeyChange, ...] = ()
    acts: tuple[ActId, ...] = ()
    waiting: tuple[KeyChange, ...] = ()  # for a reviewer
    refused: tuple[KeyChange, ...] = ()  # by the policy or a reviewer
    reason: str = ""  # of the last refusal


@dataclass(frozen=True, kw_only=True, slots=True)
class DoctorReport:
    """The faults that `doctor` found, and those it repaired."""

    faults: tuple[Fault, ...]
    mended: tuple[Fault, ...] = ()
    ledger_entries: int = 0
    scrub_due_since: datetime | None = None  # erased bytes are still in the files since then

    @classmethod
    def of_unreadable(cls, detail: str) -> Self:
        """The report about a data file that cannot be opened."""
        return cls(faults=(Fault(what="file", detail=detail, repairable=False),))

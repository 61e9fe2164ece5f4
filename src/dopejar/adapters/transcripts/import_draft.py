"""The draft that an importer fills: conversations that grow turn by turn, and a tally of what was read and left out.

Takes: turns as a format's reader finds them. Gives: a `SourceFile` with gapless indexes, unique source ids, storable
text and complete counts. Never: lets a reader set an index or drop a record silently.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from dopejar.adapters.transcripts.file_decoder import REPLACED, JsonLine, storable
from dopejar.adapters.transcripts.harness_text import TurnPart, split_user_turn
from dopejar.adapters.transcripts.pasted_spans import find_pasted_spans
from dopejar.errors import InputError
from dopejar.values.episode import UNPROVEN, EpisodeKind, Origin
from dopejar.values.transcript import ReadReport, SourceConversation, SourceFile, SourceTurn

_SENTENCES = 50  # damage beyond this many places is counted, not listed
_LABEL = 200  # characters of a name or id; a longer one is damage, and is cut
UNREADABLE = "unreadable"  # the note of a line that is kept as text because it could not be parsed
REPEATED = "repeated record"
EMPTY = "record without text"
THINKING = "thinking"


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnHeader:
    """What the turns of one record share: id, speaker, time, parent, outcome and kind."""

    source_id: str
    speaker: str = ""
    at: datetime | None = None
    parent: str = ""
    note: str = ""
    outcome: str = ""
    kind: EpisodeKind = EpisodeKind.TURN


@dataclass(frozen=True, kw_only=True, slots=True)
class QueuedMessage:
    """A queued user message that a later record may still deliver; `position` is the number of turns before it."""

    position: int
    place: TurnHeader
    text: str


class Tally:
    """Counts of what was read and what was left out, for one file."""

    def __init__(self, damaged: tuple[str, ...] = ()) -> None:
        self.unknown: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.known = 0  # records of the format, with or without words
        self._damaged = list(damaged)
        self._more = 0
        self._unstorable = 0

    def damage(self, sentence: str) -> None:
        """Note one part that could not be read, and where it is."""
        if len(self._damaged) < _SENTENCES:
            self._damaged.append(sentence)
        else:
            self._more += 1

    def storable(self, text: str) -> str:
        """The text with characters that a database cannot store replaced; replacements are counted."""
        clean = storable(text)
        if clean is not text and clean != text:
            self._unstorable += clean.count(REPLACED) - text.count(REPLACED)
        return clean

    def damaged(self) -> tuple[str, ...]:
        """One sentence per damaged part."""
        sentences = list(self._damaged)
        if self._more:
            sentences.append(f"and {self._more} more places like these")
        if self._unstorable:
            sentences.append(f"{self._unstorable} characters that cannot be stored were replaced by U+FFFD")
        return tuple(sentences)


class ConversationDraft:
    """One conversation under construction."""

    def __init__(self, name: str, tally: Tally, *, store: str = "", proves_origin: bool = True) -> None:
        self.name = label(name)
        self.store = label(store)
        self.cwd = ""
        self.branch = ""
        self.started_at: datetime | None = None
        self.prompt_note = ""  # why words in the user's place are not the user's, where none of the conversation is
        self._proves_origin = proves_origin
        self._tally = tally
        self._turns: list[SourceTurn] = []
        self._texts: dict[str, set[int]] = {}  # source id -> hashes of the texts that came under it

    def __len__(self) -> int:
        return len(self._turns)

    def started(self, at: datetime | None) -> None:
        """Note a time in the conversation; the first known time is its start."""
        if self.started_at is None:
            self.started_at = at

    def add(
        self, place: TurnHeader, origin: Origin, text: str, *, paste: tuple[tuple[int, int], ...] | None = None
    ) -> str:
        """Append a turn and return its source id; "" for an empty text or an exact repeat of a turn.

        An id that comes again with another text gets a number, so that ids stay unique.
        """
        text = self._tally.storable(text.strip())
        if not text:
            self._tally.left_out[EMPTY] += 1
            return ""
        source_id = self._free_id(place.source_id, text)
        if not source_id:
            self._tally.left_out[REPEATED] += 1
            return ""
        note = place.note and label(place.note)
        if origin is Origin.USER and not self._proves_origin:
            note = UNPROVEN
        if paste is None:
            paste = find_pasted_spans(text) if origin in {Origin.USER, Origin.OTHER} else ()
        self._turns.append(
            SourceTurn(
                source_id=source_id,
                index=len(self._turns),
                speaker=place.speaker and label(place.speaker),
                origin=origin,
                text=text,
                at=place.at,
                kind=place.kind,
                parent=self._known(place.parent),
                outcome=place.outcome,
                note=note,
                paste=paste,
            )
        )
        self.started(place.at)
        return source_id

    def add_user_turn(self, place: TurnHeader, *blocks: str) -> str:
        """Append a user record, split into the user's own words and the text of the harness.

        The user's words keep the record's id, so that citations find them; without any, the first part does. Returns
        the id. Where nobody but a program speaks in the user's place (`prompt_note`), the record is its text.
        """
        if self.prompt_note:
            return self.add(replace(place, note=self.prompt_note), Origin.SYSTEM, "\n\n".join(blocks))
        return self.add_parts(place, split_user_turn(*blocks))

    def add_parts(self, place: TurnHeader, parts: tuple[TurnPart, ...]) -> str:
        """Append the parts of a user turn; see `add_said`."""
        if not parts:
            self._tally.left_out[EMPTY] += 1
            return ""
        main = next((at for at, part in enumerate(parts) if part.origin is Origin.USER), 0)
        for at, part in enumerate(parts):
            source_id = place.source_id if at == main else f"{place.source_id}#{at}"
            outcome = part.outcome or place.outcome
            note = part.note or place.note
            self.add(replace(place, source_id=source_id, outcome=outcome, note=note), part.origin, part.text)
        return place.source_id

    def insert_user_turn(self, queued: Sequence[QueuedMessage]) -> None:
        """Insert each queued message where it was typed: after as many turns as its `position` says.

        For messages that no later record delivered. Turns keep their order when the file grows. `queued` is in file
        order.
        """
        turns = self._turns
        merged: list[SourceTurn] = []
        copied = 0
        for message in queued:
            self._turns = []
            self.add_user_turn(message.place, message.text)
            merged += turns[copied : message.position]
            merged += self._turns
            copied = message.position
        merged += turns[copied:]
        self._turns = [turn if turn.index == index else replace(turn, index=index) for index, turn in enumerate(merged)]

    def keep_unknown(self, place: TurnHeader, kind: str, raw: str) -> None:
        """Keep a record of an unknown kind as system text, and count it."""
        kind = label(kind) or "record without a kind"
        self._tally.unknown[kind] += 1
        self.add(replace(place, note=f"unknown record: {kind}", speaker=""), Origin.SYSTEM, raw)

    def keep_unreadable(self, line: JsonLine) -> None:
        """Report a line that could not be parsed and keep its text; one too long or still being written is reported."""
        if line.is_unfinished:
            self._tally.damage(
                f"line {line.number}, the last, is cut off ({line.problem}) and was left for the next import"
            )
            return
        if not line.raw:
            self._tally.damage(f"line {line.number} is {line.problem} and was left out")
            return
        self._tally.damage(f"line {line.number} is {line.problem}; it was kept as text")
        header = TurnHeader(source_id=f"line-{line.number}", note=f"{UNREADABLE}: {line.problem}")
        self.add(header, Origin.SYSTEM, line.raw)

    def done(self) -> SourceConversation:
        """The conversation, frozen."""
        return SourceConversation(
            name=self.name,
            turns=tuple(self._turns),
            started_at=self.started_at,
            cwd=storable(self.cwd),
            branch=storable(self.branch),
            store=self.store,
        )

    def _known(self, parent: str) -> str:
        """The parent's id, where that turn is in the conversation; else ""."""
        parent = parent and identifier(parent)
        return parent if parent in self._texts else ""

    def _free_id(self, wanted: str, text: str) -> str:
        """An unused id; "" where the turn with this id has the same text."""
        source_id = identifier(wanted) or f"turn-{len(self._turns)}"
        texts = self._texts.setdefault(source_id, set())
        if hash(text) in texts:
            return ""
        texts.add(hash(text))
        if len(texts) == 1:
            return source_id
        candidate = f"{source_id}~{len(texts)}"
        self._texts.setdefault(candidate, set()).add(hash(text))
        return candidate


class FileDraft:
    """One file under construction. A format that cannot prove whose words a turn holds says so."""

    def __init__(
        self, format_name: str, path: Path, damaged: tuple[str, ...] = (), *, proves_origin: bool = True
    ) -> None:
        self.tally = Tally(damaged)
        self._format = format_name
        self._path = path
        self._proves_origin = proves_origin
        self._conversations: dict[tuple[str, str], ConversationDraft] = {}

    def conversation(self, name: str, *, store: str = "") -> ConversationDraft:
        """The conversation with this name in this store, started where it is new."""
        key = (store, name)
        if key not in self._conversations:
            self._conversations[key] = ConversationDraft(
                name, self.tally, store=store, proves_origin=self._proves_origin
            )
        return self._conversations[key]

    def done(self) -> SourceFile:
        """The file, frozen. Raises InputError where no record of the format was found."""
        if not self.tally.known:
            first = (self.tally.damaged() or ("no record looked like one",))[0]
            raise InputError(
                f"{self._path}: nothing in it is in the format {self._format} ({first}). "
                "Check the file, or name its format with --format."
            )
        conversations = tuple(draft.done() for draft in self._conversations.values() if len(draft))
        turns = [turn for conversation in conversations for turn in conversation.turns]
        return SourceFile(
            conversations=conversations,
            report=ReadReport(
                format=self._format,
                conversations=len(conversations),
                turns=len(turns),
                user_turns=sum(turn.origin is Origin.USER for turn in turns),
                harness_turns=sum(turn.note.startswith("harness") for turn in turns),
                unknown=dict(self.tally.unknown),
                left_out=dict(self.tally.left_out),
                damaged=self.tally.damaged(),
                proves_origin=self._proves_origin,
            ),
        )


def label(text: str) -> str:
    """A name, path or note on one line, storable and cut to the limit."""
    if text.isascii() and text.isprintable() and len(text) <= _LABEL:
        return text
    return " ".join(storable(text).split())[:_LABEL]


def identifier(text: str) -> str:
    """A storable source id; one over the limit is replaced by its digest, which is stable and unique."""
    if len(text) > _LABEL:
        return "sha256-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return label(text)

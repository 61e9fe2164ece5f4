"""The plan of an import: what every line of an export would do here.

Takes: the lines of a file and a view. Gives: what would be in force, what would wait for a person, what is refused,
each with its line. Never: writes, or believes what a line says about trust, approval or the words of a turn.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.exchange.export_file import FORMAT
from dopejar.engine.exchange.line_codec import Line, from_line
from dopejar.errors import DopejarError, InputError, NotFoundError
from dopejar.memory.append import AdmittedEpisodes, admit
from dopejar.memory.derivation import EDITED_BY
from dopejar.memory.erased_turn_copies import find_erased
from dopejar.pipelines.ingest import extract
from dopejar.ports.store import ReadView
from dopejar.text.words import index_terms, query_terms
from dopejar.values.episode import Conversation, Episode, trust_of
from dopejar.values.ids import ConversationId, EpisodeId
from dopejar.values.record import Evidence, EvidenceRole, Kind, Record, Status

_TAKEN: Final = frozenset({Status.ACTIVE, Status.SUPERSEDED, Status.DEPRECATED, Status.STAGED, Status.QUARANTINED})
_AHEAD: Final = timedelta(days=1)  # how far the clock of another machine may be ahead
_BEFORE: Final = 6  # turns before one, in which what it refers to is said
Dated = TypeVar("Dated", Episode, Record, Conversation)
_OUTCOMES: Final = ("helpful", "harmful")
_GUIDANCE: Final = frozenset({Kind.RULE, Kind.CONSTRAINT, Kind.DECISION, Kind.CORRECTION, Kind.BULLET, Kind.PATTERN})
_DATES: Final = re.compile(r"\b(?:19|20|21)\d\d(?:-\d\d){0,2}\b")  # they stand for "yesterday", "last summer"
_LOOSELY: Final = 0.5  # of the words


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadConversation:
    """A conversation's line: `learned` turns of it were learned from, and its host knows it under `live_names`."""

    row: Conversation
    learned: int | None = None
    live_names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadExport:
    """The lines of an export as values, each with its number. `digest` is that of the whole file."""

    name: str
    digest: str
    conversations: Mapping[ConversationId, ReadConversation]
    episodes: Sequence[tuple[int, Episode]]
    records: Sequence[tuple[int, Record, tuple[Evidence, ...]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class RefusedLine:
    """A line that is not imported, and why."""

    line: int
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedRecord:
    """A memory that would come in. One that `waits` does so until a person decides, in the review or at the import."""

    line: int
    record: Record
    evidence: tuple[Evidence, ...]
    waits: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportPlan:
    """Everything that an import would do."""

    export: ReadExport
    admitted: Mapping[ConversationId, AdmittedEpisodes]
    records: tuple[PlannedRecord, ...]
    refused: tuple[RefusedLine, ...]
    left_out: int


def read_export(path: Path, now: datetime) -> ReadExport:
    """The values of an export, all of them in bounds. Raises NotFoundError, InputError with the line's number."""
    if not path.is_file():
        raise NotFoundError(f"There is no file {path}.")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(f"{path} cannot be read: {fault}.") from fault
    conversations: dict[ConversationId, ReadConversation] = {}
    episodes: list[tuple[int, Episode]] = []
    records: list[tuple[int, Record, tuple[Evidence, ...]]] = []
    for number, line in _json_lines(path, text):
        try:
            match line["type"]:
                case "conversation":
                    read = _conversation(line, now)
                    conversations[read.row.id] = read
                case "episode":
                    episodes.append((number, _past(from_line(Episode, line), "at", now)))
                case "record":
                    record = _past(from_line(Record, line), "created_at", now)
                    records.append((number, record, _evidence(line)))
                case _:
                    continue
        except (ValueError, TypeError, DopejarError) as fault:
            raise InputError(f"{path}, line {number}: {fault}. Export again, or remove the line.") from fault
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    return ReadExport(
        name=path.name, digest=digest, conversations=conversations, episodes=episodes, records=tuple(records)
    )


def _json_lines(path: Path, text: str) -> Iterator[tuple[int, Line]]:
    lines = [
        (number, raw) for number, raw in enumerate(text.split("\n"), 1) if raw.strip()
    ]  # not splitlines: texts may hold other line separators
    for place, (number, raw) in enumerate(lines):
        try:
            line = json.loads(raw)
        except (json.JSONDecodeError, RecursionError) as fault:
            raise InputError(f"{path}, line {number}: invalid JSON. Export again, or remove the line.") from fault
        if not isinstance(line, dict) or "type" not in line:
            raise InputError(f"{path}, line {number}: each line of an export must be a JSON object with a `type`.")
        if place == 0 and line.get("format") != FORMAT:
            raise InputError(f"{path} is not an export of this program: its first line must contain {FORMAT}.")
        yield number, line
    if not lines:
        raise InputError(f"{path} is not an export of this program: its first line must contain {FORMAT}.")


def _past(value: Dated, name: str, now: datetime) -> Dated:
    """The value. Raises ValueError where its time lies in the future."""
    at = getattr(value, name)
    if at is not None and at > now + _AHEAD:
        raise ValueError(f"`{name}` lies in the future")
    return value


def _conversation(line: Line, now: datetime) -> ReadConversation:
    row = _past(from_line(Conversation, line), "started_at", now)
    learned, names = line.get("learned"), line.get("live_names", [])
    if learned is not None and (isinstance(learned, bool) or not isinstance(learned, int) or learned < 0):
        raise ValueError("`learned` must be a number of turns")
    if not isinstance(names, list) or not all(isinstance(name, str) and len(name) < 100 for name in names):
        raise ValueError("`live_names` must be a list of names")
    return ReadConversation(row=row, learned=learned, live_names=tuple(names))


def _evidence(line: Line) -> tuple[Evidence, ...]:
    rows = line.get("evidence", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("`evidence` must be a list of objects")
    return tuple(from_line(Evidence, row) for row in rows)


def plan_import(deps: Dependencies, view: ReadView, export: ReadExport) -> ImportPlan:
    """What the export would do in this store."""
    return _Planner(deps=deps, view=view, export=export).plan()


@dataclass(kw_only=True, slots=True)
class _Planner:
    """One import on its way to a plan."""

    deps: Dependencies
    view: ReadView
    export: ReadExport
    refused: list[RefusedLine] = field(default_factory=list)
    turns: dict[EpisodeId, Episode] = field(default_factory=dict)  # those that evidence may name, with their words here
    by_place: dict[tuple[ConversationId, int], Episode] = field(default_factory=dict)

    def plan(self) -> ImportPlan:
        admitted = self._admit()
        records: list[PlannedRecord] = []
        left_out = 0
        for number, record, evidence in sorted(self.export.records, key=lambda item: item[1].valid_from):
            if record.status not in _TAKEN or not evidence:
                left_out += 1
            elif planned := self._record(number, record, evidence):
                records.append(planned)
        refused = tuple(sorted(self.refused, key=lambda line: line.line))
        return ImportPlan(
            export=self.export, admitted=admitted, records=tuple(records), refused=refused, left_out=left_out
        )

    def _refuse(self, line: int, why: str) -> None:
        self.refused.append(RefusedLine(line=line, why=why))

    def _admit(self) -> dict[ConversationId, AdmittedEpisodes]:
        """The turns that come in: redacted, with consent, not erased here. One that is here stays as it is."""
        named = [episode.id for _, episode in self.export.episodes]
        named += [row.episode_id for _, _, evidence in self.export.records for row in evidence]
        self.turns.update(self.view.episodes(tuple(dict.fromkeys(named))))
        new: dict[ConversationId, list[Episode]] = {place: [] for place in self.export.conversations}
        taken = {place: {turn.index for turn in self.view.turns(place)} for place in new}
        seen: set[EpisodeId] = set()
        for number, episode in self.export.episodes:
            if episode.id in self.turns or episode.id in seen:
                continue
            seen.add(episode.id)
            if episode.conversation not in new:
                self._refuse(number, "its conversation is not in the file")
            elif episode.index in taken[episode.conversation]:
                self._refuse(number, f"another turn stands at place {episode.index} of its conversation")
            else:
                taken[episode.conversation].add(episode.index)
                new[episode.conversation].append(episode)
        admitted = {
            conversation: admit(
                sorted(turns, key=lambda turn: turn.index),
                self.deps.redact,
                self.deps.may_keep,
                lambda kept: find_erased(self.view, kept),
            )
            for conversation, turns in new.items()
        }
        for kept in admitted.values():
            self.turns.update({turn.id: turn for turn in kept.episodes})
        for turn in self.turns.values():
            self.by_place[turn.conversation, turn.index] = turn
        return admitted

    def _record(self, number: int, record: Record, evidence: tuple[Evidence, ...]) -> PlannedRecord | None:
        """The memory as it would come in; None where its line is refused."""
        record = replace(record, text=self.deps.redact(record.text)[0])
        rows = tuple(replace(row, wording=self.deps.redact(row.wording)[0]) for row in evidence)
        rows = tuple(row for row in rows if row.wording)  # words that were erased where the export was made
        fault = next((fault for row in rows if (fault := self._span_fault(row))), "")
        asserting = [row for row in rows if row.role is EvidenceRole.ASSERTS]
        if not fault and not asserting:
            fault = "no turn asserts it"
        waits = record.status in (Status.STAGED, Status.QUARANTINED) or directs_work(record)
        waits = waits or record.text not in {row.wording for row in asserting} or EDITED_BY in record.attributes
        supported = [is_stated(row.wording, self._words_around(row), loosely=waits) for row in asserting if not fault]
        if not fault and not (any(supported) if waits else all(supported)):
            fault = "its words are not those of the turns that it cites"
        if fault:
            self._refuse(number, fault)
            return None
        trusted = tuple(replace(row, trust=min(row.trust, trust_of(self.turns[row.episode_id].origin))) for row in rows)
        return PlannedRecord(line=number, record=record, evidence=trusted, waits=waits)

    def _span_fault(self, row: Evidence) -> str:
        turn = self.turns.get(row.episode_id)
        if turn is None:
            return f"it cites the turn {row.episode_id}, which is neither in the file nor here"
        if not 0 <= row.start <= row.end <= len(turn.text) or (
            row.start == row.end and row.role is EvidenceRole.ASSERTS
        ):
            return f"it cites characters {row.start} to {row.end} of {row.episode_id}, which has {len(turn.text)}"
        is_outcome = row.role in (EvidenceRole.OUTCOME, EvidenceRole.OUTCOME_WITHDRAWN)
        return "an outcome is helpful or harmful" if is_outcome and row.wording not in _OUTCOMES else ""

    def _words_around(self, row: Evidence) -> tuple[str, ...]:
        """The cited turn, and those before it, in which what it refers to is said."""
        turn = self.turns[row.episode_id]
        before = (self.by_place.get((turn.conversation, turn.index - step)) for step in range(1, _BEFORE + 1))
        return (turn.text, *(earlier.text for earlier in before if earlier is not None))


def is_stated(wording: str, turns: Sequence[str], *, loosely: bool = False) -> bool:
    """Whether the turns, of which the first is cited, hold the words; `loosely`, half of them.

    A statement is read with what it refers to and with its dates. Guidance is also put in other words, and waits for a
    person who sees both.
    """
    wanted = query_terms(_DATES.sub(" ", wording))
    there = {term for turn in turns for term in index_terms(turn)}
    said = sum(term in there for term in wanted)
    return said >= len(wanted) * (_LOOSELY if loosely else 1.0) and (said > 0 or not wanted)


def directs_work(record: Record) -> bool:
    """Whether a memory tells an assistant what to do: by its kind, or by its words whatever its kind."""
    if record.kind in _GUIDANCE:
        return True
    atoms = extract(record.text, at=record.valid_from, speaker_is_user=True, keep_all=True).atoms
    return any(atom.directs_work or atom.kind in _GUIDANCE for atom in atoms)

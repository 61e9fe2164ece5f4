"""Connections: what DoPeJar writes into the settings of an assistant, and how it takes that out again.

Takes: a settings file, the entries that belong in it. Gives: the change, and a note of its edits in the data directory.
Never: changes an entry that is not its own, or a file that is not valid JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from difflib import unified_diff
from hashlib import sha256
from json import JSONDecodeError
from pathlib import Path
from typing import Final, Protocol

from dopejar.doors.cli.assistants import SERVER_NAME, Assistant, is_own, is_own_server
from dopejar.doors.cli.json_edits import Edit, JsonDocument, Place, reversed_text
from dopejar.engine.file_replacement import rewrite_file
from dopejar.errors import InputError

_HOOKS: Final = "hooks"
_SERVERS: Final = "mcpServers"
_NOTES: Final = "connections.json"
_GROUP: Final = 3  # keys that lead to a group of handlers: hooks, the event, its number


class Entries(Protocol):
    """What belongs in one settings file."""

    def own(self, document: JsonDocument) -> list[Place]:
        """Where entries of DoPeJar stand, the last one first."""

    def is_complete(self, document: JsonDocument) -> bool:
        """Whether exactly these entries stand there."""

    def add(self, document: JsonDocument) -> None:
        """Add the entries to a document that has none."""


@dataclass(frozen=True, slots=True)
class HookEntries:
    """The hooks of an assistant, which call this command."""

    assistant: Assistant
    command: str = ""

    def own(self, document: JsonDocument) -> list[Place]:
        """Where entries of DoPeJar stand, the last one first."""
        return [place for place, handler in handlers(document) if is_own(handler)][::-1]

    def is_complete(self, document: JsonDocument) -> bool:
        """Whether exactly these entries stand there."""
        places = self.own(document)[::-1]
        groups = [(str(place[1]), document.at(place[:_GROUP])) for place in places]
        wanted = [(entry.event, entry.group(self.command)) for entry in self.assistant.hooks]
        return sorted(groups, key=repr) == sorted(wanted, key=repr)

    def add(self, document: JsonDocument) -> None:
        """Add the entries to a document that has none."""
        hooks = _ensure(document, (), _HOOKS, {})
        for entry in self.assistant.hooks:
            _ensure(document, hooks, entry.event, [])
            document.add((*hooks, entry.event), None, entry.group(self.command))


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """The MCP server of DoPeJar in a project's list of servers."""

    entry: Mapping[str, object] = field(default_factory=dict)

    def own(self, document: JsonDocument) -> list[Place]:
        """Where the entry stands."""
        servers = _object(document.value).get(_SERVERS)
        return [(_SERVERS, SERVER_NAME)] if is_own_server(_object(servers).get(SERVER_NAME)) else []

    def is_complete(self, document: JsonDocument) -> bool:
        """Whether the entry stands there, or one of its name that is not DoPeJar's to change."""
        found = _object(_object(document.value).get(_SERVERS)).get(SERVER_NAME)
        return found is not None and (found == self.entry or not is_own_server(found))

    def add(self, document: JsonDocument) -> None:
        """Add the entry."""
        document.add(_ensure(document, (), _SERVERS, {}), SERVER_NAME, dict(self.entry))


@dataclass(frozen=True, kw_only=True, slots=True)
class FileChange:
    """A settings file before and after; None where it does not exist. `edits` are what disconnecting takes back."""

    path: Path
    before: str | None
    after: str | None
    edits: tuple[Edit, ...] = ()
    existed: bool = True  # before DoPeJar wrote to it
    has_own_folder: bool = False  # one that is the assistant's, not a project's

    @property
    def is_needed(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after

    def diff(self) -> Iterator[str]:
        """The change as the lines of a unified diff."""
        old, new = (self.before or "").splitlines(), (self.after or "").splitlines()
        names = ["/dev/null" if text is None else str(self.path) for text in (self.before, self.after)]
        return unified_diff(old, new, names[0], names[1], lineterm="")

    def write(self, home: Path) -> None:
        """Write the file, or remove it, and note the edits. Raises InputError; the file is then unchanged."""
        if self.after is None:
            self.path.unlink(missing_ok=True)
            if self.has_own_folder:
                with suppress(OSError):  # it holds other files
                    self.path.parent.rmdir()
        else:
            after = self.after
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"{self.path.parent} cannot be created: {error.strerror}.") from error
            rewrite_file(self.path, lambda _: after)
        notes = _notes(home)
        notes.pop(str(self.path), None)
        if self.edits and self.after is not None:
            edits = [asdict(edit) for edit in self.edits]
            notes[str(self.path)] = {"digest": _digest(self.after), "existed": self.existed, "edits": edits}
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        rewrite_file(home / _NOTES, lambda _: json.dumps(notes))


def connect(path: Path, entries: Entries, home: Path) -> FileChange:
    """The change that writes the entries into a file. Raises InputError."""
    before = _text(path)
    if before is not None and before.strip() and entries.is_complete(_document(path, before)):
        return FileChange(path=path, before=before, after=before)
    base = disconnect(path, entries, home).after  # older entries go first
    start = Edit(start=0, removed=base or "", inserted="{}\n") if not (base or "").strip() else None
    document = _document(path, start.apply(base or "") if start else base or "")
    entries.add(document)
    edits = (*([start] if start else []), *document.edits)
    return FileChange(path=path, before=before, after=document.text, edits=edits, existed=base is not None)


def disconnect(path: Path, entries: Entries, home: Path) -> FileChange:
    """The change that takes the entries out: back to the text before where nobody edited the file since.

    Raises:
        InputError: the file cannot be read, or is not JSON.
    """
    before = _text(path)
    if before is None or not before.strip():
        return FileChange(path=path, before=before, after=before)
    document = _document(path, before)
    places = entries.own(document)
    noted = _notes(home).get(str(path))
    if places and isinstance(noted, dict) and noted.get("digest") == _digest(before):
        edits = [Edit(**edit) for edit in noted["edits"]]
        after = reversed_text(before, edits) if noted["existed"] else None
        return FileChange(path=path, before=before, after=after, has_own_folder=isinstance(entries, HookEntries))
    for place in places:
        _prune(document, place)
    return FileChange(path=path, before=before, after=document.text)


def handlers(document: JsonDocument) -> Iterator[tuple[Place, Mapping[str, object]]]:
    """Every handler of a settings file, with its place. Raises InputError where `hooks` has another form."""
    for event, groups in _object(_object(document.value).get(_HOOKS)).items():
        for number, group in enumerate(_list(groups)):
            for index, handler in enumerate(_list(_object(group).get(_HOOKS))):
                yield (_HOOKS, event, number, _HOOKS, index), _object(handler)


def read_document(path: Path) -> JsonDocument | None:
    """A settings file; None where it does not exist or is empty. Raises InputError."""
    text = _text(path)
    return _document(path, text) if text and text.strip() else None


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8") if path.exists() else None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}. Nothing was changed.") from error


def _document(path: Path, text: str) -> JsonDocument:
    """The document, whose parts that matter here have the documented form. Raises InputError."""
    try:
        document = JsonDocument(text)
        _object(document.value, "the file")
        for event, groups in _object(_object(document.value).get(_HOOKS), _HOOKS).items():
            _list(groups, f"{_HOOKS}.{event}")
        _object(_object(document.value).get(_SERVERS), _SERVERS)
    except JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(
            f"{path} is not valid JSON ({error.msg}, {place}). Nothing was changed; mend it first."
        ) from error
    except RecursionError as error:
        raise InputError(f"{path} is nested too deeply to be read. Nothing was changed.") from error
    except InputError as error:
        raise InputError(f"{path}: {error} Nothing was changed.") from error
    return document


def _object(value: object, name: str = "") -> Mapping[str, object]:
    if isinstance(value, dict):
        return value
    if name and value is not None:
        raise InputError(f"{name} is not a JSON object.")
    return {}


def _list(value: object, name: str = "") -> list[object]:
    if isinstance(value, list):
        return value
    if name:
        raise InputError(f"{name} is not a JSON array.")
    return []


def _ensure(document: JsonDocument, path: Place, key: str, empty: object) -> Place:
    """The place of a member, which is added where it is missing; null counts as missing."""
    place = (*path, key)
    if _object(document.at(path)).get(key) is None:
        if key in _object(document.at(path)):
            document.remove(place)
        document.add(path, key, empty)
    return place


def _prune(document: JsonDocument, place: Place) -> None:
    """Remove an entry, and what holds nothing else."""
    document.remove(place)
    holder = place[:-1]
    while holder and not document.at(holder):
        if len(holder) > _GROUP:
            holder = holder[:_GROUP]  # a group without handlers is no group
        document.remove(holder)
        holder = holder[:-1]


def _notes(home: Path) -> dict[str, object]:
    """The notes of earlier connections; none where they cannot be read: entries are then found by their command."""
    with suppress(OSError, ValueError):
        notes = json.loads((home / _NOTES).read_text("utf-8"))
        return notes if isinstance(notes, dict) else {}
    return {}


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

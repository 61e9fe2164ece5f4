"""Connections: what DoPeJar writes into the settings of an assistant, and how it takes that out again.

Takes: a settings file, the entries that belong in it. Gives: the change, and a note of its edits in the data directory.
Never: changes an entry that is not its own, or a file that is not valid JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from difflib import unified_diff
from json import JSONDecodeError
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Final, Protocol

from dopejar.doors.cli.assistants import SERVER_NAME, Assistant, is_own, is_own_server
from dopejar.doors.cli.json_edits import Edit, JsonDocument, Place, revert_edits
from dopejar.doors.cli.toml_edits import TomlDocument
from dopejar.engine.file_replacement import rewrite_file
from dopejar.errors import InputError
from dopejar.values.digests import sha256_hex

_HOOKS: Final = "hooks"
_TOML: Final = ".toml"
_NOTES: Final = "connections.json"
_GROUP: Final = 3  # keys that lead to an entry of hooks: hooks, the event, its number


Document = JsonDocument | TomlDocument
_Files = list[tuple[Path, "Entries"]]


class Entries(Protocol):
    """What belongs in one settings file."""

    def own(self, document: Document) -> list[Place]:
        """Where entries of DoPeJar stand, the last one first."""

    def is_complete(self, document: Document) -> bool:
        """Whether exactly these entries stand there."""

    def add(self, document: Document) -> None:
        """Add the entries to a document that has none."""


@dataclass(frozen=True, slots=True)
class HookEntries:
    """The hooks of an assistant, which call this command."""

    assistant: Assistant
    command: str = ""

    def own(self, document: Document) -> list[Place]:
        """Where entries of DoPeJar stand, the last one first."""
        return [place for place, handler in handlers(document) if is_own(handler)][::-1]

    def is_complete(self, document: Document) -> bool:
        """Whether exactly these entries stand there."""
        places = self.own(document)[::-1]
        groups = [(str(place[1]), document.at(place[:_GROUP])) for place in places]
        wanted = [(entry.event, entry.rendered(self.command)) for entry in self.assistant.hooks]
        return sorted(groups, key=repr) == sorted(wanted, key=repr)

    def add(self, document: Document) -> None:
        """Add the entries to a document that has none."""
        for key, value in self.assistant.hooks_options.items():
            _ensure(document, (), key, value)
        hooks = _ensure(document, (), _HOOKS, {})
        for entry in self.assistant.hooks:
            _ensure(document, hooks, entry.event, [])
            document.add((*hooks, entry.event), None, entry.rendered(self.command))


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """The MCP server of DoPeJar in a list of servers, which stands under `key`."""

    entry: Mapping[str, object] = field(default_factory=dict)
    key: str = "mcpServers"

    def own(self, document: Document) -> list[Place]:
        """Where the entry stands."""
        return [(self.key, SERVER_NAME)] if is_own_server(self._found(document)) else []

    def is_complete(self, document: Document) -> bool:
        """Whether the entry stands there, or one of its name that is not DoPeJar's to change."""
        found = self._found(document)
        return found is not None and (found == self.entry or not is_own_server(found))

    def add(self, document: Document) -> None:
        """Add the entry, unless its name is taken."""
        if self._found(document) is None:
            document.add(_ensure(document, (), self.key, {}), SERVER_NAME, dict(self.entry))

    def _found(self, document: Document) -> object:
        servers = _object(document.value).get(self.key)
        return _object(servers, self.key).get(SERVER_NAME)


@dataclass(frozen=True, slots=True)
class AllEntries:
    """Entries of several kinds in one file."""

    parts: tuple[Entries, ...]

    def own(self, document: Document) -> list[Place]:
        """Where entries of DoPeJar stand, the last one of each kind first."""
        return [place for part in self.parts for place in part.own(document)]

    def is_complete(self, document: Document) -> bool:
        """Whether exactly these entries stand there."""
        return all(part.is_complete(document) for part in self.parts)

    def add(self, document: Document) -> None:
        """Add the entries to a document that has none."""
        for part in self.parts:
            part.add(document)


def entries_of(
    assistant: Assistant, directory: Path | None, command: str, server: Mapping[str, object] | None
) -> _Files:
    """The entries of an assistant by the file that they belong in; `directory` is the project, None for the user.

    `command` is what the hooks call; `server` is the entry of the MCP server, None where it is not to be written.
    """
    hooks, servers = assistant.settings_file(directory), assistant.servers_file(directory)
    found: dict[Path, tuple[Entries, ...]] = {}
    if hooks is not None:
        found[hooks] = (HookEntries(assistant, command),)
    if servers is not None and server is not None:
        found[servers] = (*found.get(servers, ()), ServerEntry(server, assistant.servers_key))
    return [(path, parts[0] if len(parts) == 1 else AllEntries(parts)) for path, parts in found.items()]


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
            notes[str(self.path)] = {"digest": sha256_hex(self.after), "existed": self.existed, "edits": edits}
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        rewrite_file(home / _NOTES, lambda _: json.dumps(notes))


def connect(path: Path, entries: Entries, home: Path) -> FileChange:
    """The change that writes the entries into a file. Raises InputError."""
    before = _text(path)
    if before is not None and before.strip():
        document = _document(path, before)
        with _named(path):
            if entries.is_complete(document):
                return FileChange(path=path, before=before, after=before)
    base = disconnect(path, entries, home).after  # older entries go first
    is_blank = not (base or "").strip() and path.suffix != _TOML
    start = Edit(start=0, removed=base or "", inserted="{}\n") if is_blank else None
    document = _document(path, start.apply(base or "") if start else base or "")
    with _named(path):
        entries.add(document)
    edits = (*([start] if start else []), *document.edits)
    return FileChange(path=path, before=before, after=document.text, edits=edits, existed=base is not None)


def disconnect(path: Path, entries: Entries, home: Path) -> FileChange:
    """The change that takes the entries out: back to the text before where nobody edited the file since.

    Raises:
        InputError: the file cannot be read, or is not in its format.
    """
    before = _text(path)
    if before is None or not before.strip():
        return FileChange(path=path, before=before, after=before)
    document = _document(path, before)
    with _named(path):
        places = entries.own(document)
    noted = _notes(home).get(str(path))
    if places and isinstance(noted, dict) and noted.get("digest") == sha256_hex(before):
        edits = [Edit(**edit) for edit in noted["edits"]]
        after = revert_edits(before, edits) if noted["existed"] else None
        has_own_folder = not path.name.startswith(".")  # a hidden file stands in the project itself
        return FileChange(path=path, before=before, after=after, has_own_folder=has_own_folder)
    with _named(path):
        for place in places:
            _prune(document, place)
    return FileChange(path=path, before=before, after=document.text)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file in an error about what it holds."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path}: {error} Nothing was changed.") from error


def handlers(document: Document) -> Iterator[tuple[Place, Mapping[str, object]]]:
    """Every handler of a settings file, with its place, in groups or without."""
    for event, groups in _object(_object(document.value).get(_HOOKS)).items():
        for number, group in enumerate(_list(groups)):
            if "command" in _object(group):
                yield (_HOOKS, event, number), _object(group)
            for index, handler in enumerate(_list(_object(group).get(_HOOKS))):
                yield (_HOOKS, event, number, _HOOKS, index), _object(handler)


def read_document(path: Path) -> Document | None:
    """A settings file; None where it does not exist or is empty. Raises InputError."""
    text = _text(path)
    return _document(path, text) if text and text.strip() else None


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8") if path.exists() else None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}. Nothing was changed.") from error


def _document(path: Path, text: str) -> Document:
    """The document, whose parts that matter here have the documented form. Raises InputError."""
    if path.suffix == _TOML:
        try:
            return TomlDocument(text)
        except TOMLDecodeError as error:
            raise InputError(f"{path} is not valid TOML ({error}). Nothing was changed; mend it first.") from error
    try:
        document = JsonDocument(text)
    except JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(
            f"{path} is not valid JSON ({error.msg}, {place}). Nothing was changed; mend it first."
        ) from error
    except RecursionError as error:
        raise InputError(f"{path} is nested too deeply to be read. Nothing was changed.") from error
    with _named(path):
        for event, groups in _object(_object(document.value, "the file").get(_HOOKS), _HOOKS).items():
            _list(groups, f"{_HOOKS}.{event}")
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


def _ensure(document: Document, path: Place, key: str, empty: object) -> Place:
    """The place of a member, which is added where it is missing; null counts as missing."""
    place = (*path, key)
    if _object(document.at(path)).get(key) is None:
        if key in _object(document.at(path)):
            document.remove(place)
        document.add(path, key, empty)
    return place


def _prune(document: Document, place: Place) -> None:
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

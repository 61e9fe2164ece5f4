"""Lookup by name: records, episodes, conversations, projects, proposals and acts, by id, key, label or file.

Takes: a view and what a person typed. Gives: the one thing that it names. Never: picks one of several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.errors import AmbiguousIdError, NotFoundError
from dopejar.values.episode import Conversation, Episode
from dopejar.values.ids import ActId, ConversationId, EpisodeId, ProposalId, RecordId
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Record, Status
from dopejar.values.scope import Project, Scope

if TYPE_CHECKING:
    from dopejar.ports.store import ReadView
    from dopejar.values.proposal import Proposal  # whoever asks for one has loaded it

_EVERY_CONVERSATION = 1_000_000
_SEARCHED_CONVERSATIONS = 100_000  # for the name of a project
_SHOWN = 3  # ids named in a message
_LEAST = 4  # characters of the beginning of an id; fewer fit an id by chance


def _given(name: str) -> str:
    """The name, where there is one: nothing begins so, and everything would. Raises NotFoundError."""
    if not name.strip():
        raise NotFoundError("The name is empty. Give an id, or the beginning of one.")
    return name


def _beginning(name: str, mark: str) -> str:
    """The name as the beginning of an id with this mark; "" where it is too short to mean one id."""
    body = name.removeprefix(mark)
    return f"{mark}{body}" if len(body) >= _LEAST else ""


def find_record(view: ReadView, name: str) -> Record:
    """The record with this id, the beginning of its id, or its key. Raises NotFoundError, AmbiguousIdError.

    Of an id at least four characters are asked for: fewer fit one by chance.
    """
    exact = view.record(RecordId(_given(name)))
    if exact is not None:
        return exact
    beginning = _beginning(name, "m_")
    ids = view.find_record_id(beginning) if beginning else ()
    if len(ids) > 1:
        raise AmbiguousIdError(f"{name} fits {len(ids)} memories: {', '.join(ids[:_SHOWN])}. Give more characters.")
    record = view.record(ids[0]) if ids else None
    if record is not None:
        return record
    by_key = view.with_key_anywhere(name)
    if by_key:
        return by_key[0]
    raise NotFoundError(
        f"There is no memory {name!r}. Give an id, {_LEAST} or more characters of its beginning, or a key; `dopejar"
        " list` shows ids and keys."
    )


def find_proposal(view: ReadView, prefix: str) -> Proposal:
    """The proposal with this id, or the only one whose id begins so. Raises NotFoundError, AmbiguousIdError."""
    exact = view.proposal(ProposalId(_given(prefix)))
    if exact is not None:
        return exact
    beginning = _beginning(prefix, "p_")
    ids = view.find_proposal_id(beginning) if beginning else ()
    if len(ids) > 1:
        raise AmbiguousIdError(f"{prefix} fits {len(ids)} proposals: {', '.join(ids[:_SHOWN])}. Give more characters.")
    proposal = view.proposal(ids[0]) if ids else None
    if proposal is None:
        raise NotFoundError(
            f"There is no proposal {prefix!r}. Give an id, or {_LEAST} or more characters of its beginning;"
            " `dopejar review list` shows what waits."
        )
    return proposal


def find_act(view: ReadView, name: str) -> ActId | None:
    """The act with this id or the only one whose id begins so; None where none does. Raises AmbiguousIdError."""
    beginning = _beginning(_given(name), "a_")
    ids = view.find_act_id(beginning) if beginning else ()
    if len(ids) > 1:
        raise AmbiguousIdError(f"{name} fits {len(ids)} acts: {', '.join(ids[:_SHOWN])}. Give more characters.")
    return ActId(ids[0]) if ids else None


def find_conversation(view: ReadView, name: str) -> ConversationId:
    """The conversation with this id, name, the beginning of either, or file. Raises NotFoundError, AmbiguousIdError."""
    matches = view.conversations(10, name) or _learned_from(view, name)
    exact = [row for row in matches if name in (row.id, row.name, row.source)]
    if len(exact) == 1 or len(matches) == 1:
        return (exact or list(matches))[0].id
    if matches:
        names = ", ".join(f"{row.id} ({row.name})" for row in matches[:_SHOWN])
        raise AmbiguousIdError(f"{name} fits several conversations: {names}. Give the id.")
    raise NotFoundError(f"There is no conversation {name!r}. `dopejar log --conversations` lists them.")


def conversations_named(view: ReadView, name: str) -> tuple[ConversationId, ...]:
    """The conversations that have exactly this name."""
    return tuple(row.id for row in view.conversations(_SHOWN, name) if row.name == name)


def _learned_from(view: ReadView, path: str) -> tuple[Conversation, ...]:
    """Conversations that were learned from this file."""
    source = str(Path(path).absolute())
    return tuple(row for row in view.conversations(_EVERY_CONVERSATION) if row.source == source)


def find_id(view: ReadView, name: str) -> str:
    """The id of a turn or a record. Raises NotFoundError, AmbiguousIdError."""
    return find_episode(view, name).id if name.startswith("e_") else find_record(view, name).id


def find_episode(view: ReadView, name: str) -> Episode:
    """The turn or other episode with this whole id. Raises NotFoundError."""
    episode = view.episode(EpisodeId(name))
    if episode is None:
        raise NotFoundError(f"There is no episode {name!r}. Give the whole id, as `dopejar show` shows it.")
    return episode


def project_labels(view: ReadView, current: Project | None = None) -> Mapping[str, str]:
    """The label of each project by its id; two projects of one label keep their ids, so that they stay apart."""
    found = {row.project: row.project_label for row in view.conversations(_SEARCHED_CONVERSATIONS) if row.project_label}
    if current is not None:
        found[current.id] = current.label
    shared = Counter(found.values())
    return {project: label for project, label in found.items() if project and shared[label] == 1}


def find_project(view: ReadView, name: str, current: Project | None = None) -> Project:
    """The current project where it has this id or label, or another that something was kept in. NotFoundError."""
    if current is not None and name in (current.id, current.label):
        return current
    for row in view.conversations(_SEARCHED_CONVERSATIONS):
        if row.project and name in (row.project, row.project_label):
            return Project(id=row.project, label=row.project_label, languages=row.languages)
    if view.list_records(RecordFilter(statuses=tuple(Status), namespace=None, scopes=(Scope.project(name),)), 1):
        return Project(id=name, label=name)  # known from single statements alone
    raise NotFoundError(f"There is no project {name!r}. `dopejar log --conversations` lists the projects.")


def find_scope(view: ReadView, text: str) -> Scope:
    """The scope that a text names, a project by its id or label. Raises InputError, NotFoundError."""
    scope = Scope.parse(text)
    return Scope.project(find_project(view, scope.name).id) if scope.kind == "project" else scope

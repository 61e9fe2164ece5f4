"""`Memory.dossiers`: what is known about each subject, and the decisions about what belongs together.

Takes: the engine's dependencies and the project at hand. Gives: dossiers, receipts. Never: stores a dossier.

Dossiers are derived from records each time. A decision about one is a tag or a statement that passed the gate, and can
be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.engine.arguments import checked
from dopejar.engine.dependencies import Dependencies, Reviewer, host_speaker
from dopejar.engine.garden.dossier_facts import DOSSIER_TAG, SHOWN, names_in, read_facts
from dopejar.engine.lookup import find_record
from dopejar.engine.review.reviewer_actions import commit_action
from dopejar.errors import AmbiguousIdError, InputError, NotFoundError
from dopejar.pipelines.garden.dossier_governor import Dossier, DossierFact, DossierGovernor, name_key
from dopejar.values.ids import RecordId, TraceId, new_trace_id
from dopejar.values.proposal import Tag
from dopejar.values.recall import RecordFilter, Source
from dopejar.values.scope import Namespace, Project, ReadScope

if TYPE_CHECKING:
    from dopejar.ports.store import ReadView
    from dopejar.values.receipt import Receipt

__all__ = ["Dossier", "Dossiers", "read_dossiers"]  # also the type of the pipeline that the service returns

_EVERY_RECORD: Final = 1_000_000


def read_dossiers(deps: Dependencies, view: ReadView, read_scope: ReadScope) -> DossierGovernor:
    """The governor of all facts that may be read in a scope."""
    records = view.list_records(RecordFilter.readable(read_scope, SHOWN), _EVERY_RECORD)
    facts = read_facts(view, records, deps.clock.now())
    embedder = deps.search_embedder(view) if any(not (fact.names or fact.decided) for fact in facts) else None
    if embedder is None or embedder.identity.lexical:  # hashed vectors know spelling only, as words do
        return DossierGovernor(facts)
    ids = [fact.record_id for fact in facts]
    return DossierGovernor(facts, view.vectors_of(embedder.identity, Source.RECORD, ids))


@checked
class Dossiers:
    """The dossiers of what may be read in the project at hand, or, where that is asked for, in all projects."""

    def __init__(self, deps: Dependencies, project: Project | None = None) -> None:
        self._deps, self._project = deps, project

    def list(self, limit: int = 50, *, namespace: str = "prod", all_projects: bool = False) -> tuple[Dossier, ...]:
        """The dossiers with the most facts."""
        known = self._governor(namespace, all_projects=all_projects).dossiers
        return tuple(sorted(known, key=lambda one: (-len(one.facts), one.id))[:limit])

    def find(self, name: str, *, namespace: str = "prod", all_projects: bool = False) -> Dossier:
        """One dossier, by a name of its subject, its id, or the beginning of its id that no other has.

        Raises:
            NotFoundError: there is no such dossier, or several ids begin so.
        """
        return _find(self._governor(namespace, all_projects=all_projects), name)

    def process_fact_packet(self, names: Sequence[str]) -> Dossier | None:
        """The dossier that most of these records, by id or key, are in; None where they are no facts.

        Raises:
            NotFoundError, AmbiguousIdError: there is no such memory.
        """
        governor = self._governor("prod", all_projects=True)
        with self._deps.store.read() as view:
            ids = {find_record(view, name).id for name in names}
        packet = [fact for one in governor.dossiers for fact in one.facts if fact.record_id in ids]
        chosen = governor.process_fact_packet(packet)
        return next((one for one in governor.dossiers if one.id == chosen), None)

    def homes(self, facts: Sequence[str]) -> tuple[Dossier, ...]:
        """For each fact, by id, key, or in words, the dossier that it is in, or would be in; nothing is stored."""
        with self._deps.store.read() as view:
            known = read_dossiers(self._deps, view, ReadScope(all_projects=True))
            found = [_record(view, fact) for fact in facts]
        now = self._deps.clock.now()
        given = [
            DossierFact(record_id=RecordId(f"given_{place}"), text=fact, at=now, names=names_in(fact))
            for place, (fact, record) in enumerate(zip(facts, found, strict=True))
            if record is None
        ]
        known.process_fact_packet(given)
        by_fact = {fact.record_id: one for one in known.dossiers for fact in one.facts}
        ids = [record or RecordId(f"given_{place}") for place, record in enumerate(found)]
        return tuple(by_fact[one] for one in ids if one in by_fact)

    def split(self, names: Sequence[str], into: str, by: Reviewer, trace_id: TraceId | None = None) -> Receipt:
        """Put facts, by id or key, into the dossier of this name, which is begun where there is none; in one act.

        A statement that two names mean one thing, put into a dossier so, ties them no longer. `undo` takes it back.

        Raises:
            NotFoundError, AmbiguousIdError: there is no such memory. InputError: the name is empty.
        """
        if not name_key(into):
            raise InputError("A dossier needs a name. Give the name of what its facts are about.")
        with self._deps.store.write() as tx:
            records = [find_record(tx, name) for name in names]
            old = {tag for record in records for tag in record.tags if tag.startswith(DOSSIER_TAG)}
            payload = Tag(add=(DOSSIER_TAG + name_key(into),), remove=tuple(sorted(old)))
            return commit_action(self._deps, tx, payload, records, by, trace_id or new_trace_id())

    def merge(self, name: str, into: str, by: Reviewer, trace_id: TraceId | None = None) -> Receipt:
        """Make two dossiers one, by stating that their names mean one thing; undoing that act parts them again.

        Raises:
            NotFoundError: one of them does not exist. InputError: the names cannot be told as names.
        """
        from dopejar.engine.ingest.direct_statements import remember

        governor = self._governor("prod", all_projects=True)
        one, other = _find(governor, name), _find(governor, into)
        text = f'"{one.title}" was renamed to "{other.title}".'
        said = remember(
            self._deps, text, host_speaker("user"), trace_id or new_trace_id(), project=self._project, by=by
        )
        return said.receipts[0]

    def _governor(self, namespace: str, *, all_projects: bool) -> DossierGovernor:
        read_scope = replace(ReadScope.inside(self._project, Namespace(namespace)), all_projects=all_projects)
        with self._deps.store.read() as view:
            return read_dossiers(self._deps, view, read_scope)


def _record(view: ReadView, name: str) -> RecordId | None:
    """The memory of this id or key, None where it is none; a fact in words has neither."""
    try:
        return find_record(view, name).id
    except (NotFoundError, AmbiguousIdError):
        return None


def _find(governor: DossierGovernor, name: str) -> Dossier:
    if found := governor.find(name):
        return found
    hits = [one for one in governor.dossiers if name.startswith("d_") and one.id.startswith(name)]
    exact = [one for one in hits if one.id == name] or hits
    if len(exact) == 1:
        return exact[0]
    what = "Several dossiers have ids that begin with" if exact else "There is no dossier of"
    raise NotFoundError(f"{what} {name!r}. `dopejar list --view dossiers` lists the dossiers.")

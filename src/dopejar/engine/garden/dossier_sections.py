"""The dossier that a question names, read for a pack: only what the names of its subject lead to.

Takes: a view and what may be read. Gives: the current facts of the dossier, as records. Never: reads all memories.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from dopejar.values.edge import EdgeKind, equivalent_entities
from dopejar.values.ids import RecordId
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.scope import ReadScope

if TYPE_CHECKING:
    from dopejar.pipelines.garden.dossier_governor import Dossier
    from dopejar.pipelines.recall.dossier_section import DossierSection
    from dopejar.ports.store import ReadView

_LONGEST_QUESTION: Final = 400  # characters; a longer text names too much
_ROUNDS: Final = 32  # of names that lead to further names
_MOST_RECORDS: Final = 200  # a subject with more is no subject that a pack could tell of


class DossierSections:
    """The dossiers of one view."""

    def __init__(self, view: ReadView, read_scope: ReadScope, now: datetime) -> None:
        self._view, self._read_scope, self._now = view, read_scope, now

    def __call__(self, question: str) -> DossierSection | None:
        """The dossier of a subject with several names that the question names by any of them; None for none."""
        if len(question) > _LONGEST_QUESTION or not self._view.has_edges():
            return None
        from dopejar.pipelines.graph.entities import entity_ids_in_question

        asked = entity_ids_in_question(question)
        found = self._view.edges(asked, (EdgeKind.ALIAS_OF,))
        named = [end for end in asked if any(end in (edge.src, edge.dst) for edge in found)]
        if not named:
            return None
        dossier = self._dossier(named)
        return self._section(dossier) if dossier is not None and len(dossier.names) > 1 else None

    def _dossier(self, named: list[str]) -> Dossier | None:
        from dopejar.engine.garden.dossier_facts import SHOWN, read_facts, subject_name
        from dopejar.pipelines.garden.dossier_governor import DossierGovernor
        from dopejar.text.words import index_terms

        ends, fresh = set(named), list(named)
        for _ in range(_ROUNDS):
            edges = self._view.edges(fresh, (EdgeKind.ALIAS_OF,))
            known = {end for edge in edges for name in (edge.src, edge.dst) for end in equivalent_entities(name)}
            fresh = sorted(known - ends)
            ends.update(fresh)
            if not fresh:
                break
        ids = {edge.record_id for edge in self._view.edges(sorted(ends)) if edge.record_id is not None}
        terms = dict.fromkeys(term for end in sorted(ends) for term in index_terms(subject_name(end)))
        where = SearchFilter(read_scope=self._read_scope, source=Source.RECORD)
        ids |= {RecordId(hit.id) for hit in self._view.lexical([*terms], where, _MOST_RECORDS)}
        if len(ids) > 2 * _MOST_RECORDS:
            return None
        sees = self._read_scope.sees
        records = [one for one in self._view.records(sorted(ids)).values() if sees(one.namespace, one.scope)]
        governor = DossierGovernor(read_facts(self._view, [one for one in records if one.status in SHOWN], self._now))
        return governor.find(subject_name(named[0]))

    def _section(self, dossier: Dossier) -> DossierSection | None:
        from dopejar.pipelines.recall.dossier_section import DossierSection

        facts = [fact for fact in reversed(dossier.current) if not fact.same]
        records = self._view.records([fact.record_id for fact in facts])
        held = {fact.record_id for fact in dossier.current}
        return DossierSection(
            title=dossier.title,
            names=dossier.names,
            current=tuple(records[fact.record_id] for fact in facts if fact.record_id in records),
            replaced=frozenset(fact.record_id for fact in dossier.facts if fact.record_id not in held),
        )

"""Near statements under other keys: found by their words, compared by what they say.

Takes: two extractions, or a draft and the records that a search found near it. Gives: a `Comparison`, or the record
that a statement belongs to. Never: retires a record; it names the chain and integrity's rules decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from dopejar.pipelines.ingest.atoms import Extraction, Reason
from dopejar.pipelines.ingest.compare import Comparison, Relation, Statement, compare, statement, strongest
from dopejar.pipelines.ingest.cues import cues
from dopejar.text.words import query_terms
from dopejar.values.recall import Hit, SearchFilter, Source
from dopejar.values.record import Draft, Record
from dopejar.values.scope import Reading

_SILENT = "the later words assert nothing"


class RecordIndex(Protocol):
    """What a lexical search for near records needs; a snapshot of the store has it."""

    def lexical(self, terms: Sequence[str], where: SearchFilter, limit: int) -> tuple[Hit, ...]:
        """BM25 over stemmed terms, best first."""
        ...

    def load_records(self, rowids: Sequence[int], where: SearchFilter) -> dict[int, Record]:
        """The rows as records."""
        ...


@dataclass(frozen=True, slots=True)
class LexicalNear:
    """Near records by their words, from the store's full-text index; what a pending act changed is not in it yet."""

    index: RecordIndex

    def near(self, draft: Draft, limit: int) -> tuple[Record, ...]:
        """Active records of the draft's namespace and scope, nearest first."""
        reading = Reading(namespace=draft.namespace, scopes=(draft.scope,))
        where = SearchFilter(reading=reading, source=Source.RECORD)
        hits = self.index.lexical(query_terms(draft.text), where, limit)
        found = self.index.load_records([hit.rowid for hit in hits], where)
        return tuple(found[hit.rowid] for hit in hits if hit.rowid in found)


def relate(earlier: Extraction, later: Extraction, *, own: bool = True) -> Comparison:
    """What the later words do to the earlier ones. Not the speaker's `own` words: an update is only a conflict."""
    before = [statement(atom) for atom in earlier.atoms]
    after = [statement(atom) for atom in later.atoms]
    found = strongest([compare(old, new) for old in before for new in after])
    if found.relation is Relation.APART:
        found = _said_indirectly(before, later) or found
    if not own and found.relation is Relation.UPDATE:
        return Comparison(relation=Relation.CONFLICT, confidence=found.confidence, why="another speaker's claim")
    return found


def _said_indirectly(before: Sequence[Statement], later: Extraction) -> Comparison | None:
    """Reports with doubt leave no atom, and yet somebody should look."""
    for part in later.left_out:
        if part.reason is not Reason.REPORT or not cues("en").has("hedge.strong", part.text):
            continue
        words = set(part.text.casefold().split())
        if any(len(words & set(old.text.casefold().split())) >= 2 for old in before):
            return Comparison(relation=Relation.CONFLICT, confidence=0.5, why="a report, with doubt")
    return None

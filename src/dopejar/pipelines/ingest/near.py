"""Near statements under other keys: found by their words, compared by what they say.

Takes: two extractions, or a draft and the records that a search found near it. Gives: a `Comparison`, or the record
that a statement belongs to. Never: retires a record; it names the chain and integrity's rules decide.
"""

from __future__ import annotations

from collections.abc import Sequence

from dopejar.pipelines.ingest.atoms import Extraction, Reason
from dopejar.pipelines.ingest.compare import Comparison, Relation, Statement, compare, statement, strongest
from dopejar.pipelines.ingest.cues import cues

_SILENT = "the later words assert nothing"


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

"""A statement that says two records: which of them it brings together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from believed import AT, Believed, say

from dopejar.pipelines.ingest.paraphrase.candidates import Neighbour
from dopejar.pipelines.ingest.paraphrase.record_merges import said_again
from dopejar.pipelines.ingest.paraphrase.sameness import same_statement
from dopejar.pipelines.ingest.paraphrase.semantic_traits import Nearness
from dopejar.values.ids import RecordId
from dopejar.values.record import Kind, Record

FIRST = "Lanterns hang over our porch"
SECOND = "The porch is lit up at night"
BOTH = "At night it is lanterns that light up the porch"


def beside(text: str, **changes: object) -> Neighbour:
    """A record of these words, near to what is told."""
    known = Believed()
    record: Record = known.learn(say(known, text, at=AT)[0])
    made = replace(record, id=RecordId(f"m_{text[:4]}"), trust=1.0, **changes)  # type: ignore[arg-type]
    return Neighbour(record=made, wordings=(text,), nearness=(Nearness(0.8, 0.9),))


def near(told: str, known: Sequence[str]) -> list[Nearness | None]:
    """Both records are near to what is told, and half as near to each other."""
    return [Nearness(0.8, 0.9) if BOTH in (told, one) else Nearness(0.5, 0.6) for one in known]


def taken(*around: Neighbour, nearness: object = near) -> list[str]:
    """The texts of the records that the statement of both takes in."""
    found = [(same_statement(BOTH, one.wordings, one.nearness), one) for one in around]
    move = said_again(BOTH, found, nearness, "again")  # type: ignore[arg-type]
    assert move is not None
    return [one.text for one in move.takes_in]


def test_what_both_say_is_one() -> None:
    """Said surely, and saying each other: the one takes in the other."""
    assert taken(beside(FIRST), beside(SECOND)) in ([FIRST], [SECOND])


def test_what_directs_the_work_stays() -> None:
    """Of a rule and a fact the rule stays, whichever is nearer."""
    assert taken(beside(FIRST, kind=Kind.RULE), beside(SECOND)) == [SECOND]
    assert taken(beside(FIRST), beside(SECOND, kind=Kind.RULE)) == [FIRST]


@pytest.mark.parametrize(
    "changes",
    [
        {"approved_by": "ana"},
        {"trust": 0.7},
        {"temporary": True},
        {"supersedes": RecordId("m_before")},
        {"slot": "a", "value": "1"},
    ],
)
def test_what_a_person_or_another_word_stands_behind_waits(changes: dict[str, object]) -> None:
    """Approved, weaker, passing, with a past, or of another slot: it stays as it is."""
    first = replace(beside(FIRST).record, slot="b", value="1") if "slot" in changes else beside(FIRST).record
    second = replace(beside(SECOND).record, **changes)  # type: ignore[arg-type]
    assert taken(replace(beside(FIRST), record=first), replace(beside(SECOND), record=second)) == []


def test_only_vectors_bring_together() -> None:
    """Without vectors, or where the two are far from each other, nothing is taken in."""
    assert taken(beside(FIRST), beside(SECOND), nearness=lambda told, known: [None] * len(known)) == []
    assert taken(beside(FIRST), beside(SECOND), nearness=lambda told, known: [Nearness(0.1, 0.0)] * len(known)) == []

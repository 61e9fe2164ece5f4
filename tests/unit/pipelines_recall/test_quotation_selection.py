"""Which turns are worth quoting: what is far behind is left out, and the best item never."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_values import ranked, record, turn

from dopejar.pipelines.recall.answer_floor import Nearness, floor_of
from dopejar.pipelines.recall.quotation_selection import is_found, is_speech, record_first, worth_quoting
from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.pipelines.recall.turn_statements import TurnStatement
from dopejar.pipelines.recall.weights import weights
from dopejar.values.episode import EpisodeKind, Origin

LAMP = frozenset({"lamp", "hall"})
UNTOLD = Nearness(0.0, 0.0, 0.0, 0.0)
TOLD = Nearness(0.7, 0.9, 1.0, 0.0)


@st.composite
def rankings(draw: st.DrawFn) -> list[RankedItem]:
    """Records and turns of any origin with any scores, best first."""
    items = []
    for place in range(draw(st.integers(0, 8))):
        one = record(place, f"Fact {place}.") if draw(st.booleans()) else turn(place, f"Word {place}.")
        item = ranked(one, draw(st.floats(0.01, 1.0)))
        if item.episode is not None:
            item = replace(item, episode=replace(item.episode, origin=draw(st.sampled_from(Origin))))
        items.append(replace(item, score=item.fused + draw(st.floats(0.0, 1.0))))
    return sorted(items, key=lambda item: -item.score)


@given(items=rankings(), told=st.sampled_from([TOLD, UNTOLD]))
def test_records_and_the_best_item_stay_in_order(items: list[RankedItem], told: Nearness) -> None:
    """Nothing but quotations is left out, and something is left of anything."""
    kept = worth_quoting(items, {}, terms=LAMP, compared=frozenset(), told=told)
    assert kept == [item for item in items if item in kept]
    assert all(item in kept for item in items if item.record is not None)
    assert not items or max(items, key=lambda item: item.fused) in kept


@given(items=rankings())
def test_the_best_record_comes_first(items: list[RankedItem]) -> None:
    """With no less than the best score, and nothing else changes its place."""
    ordered = record_first(items)
    first = next((item for item in items if item.record is not None), None)
    assert [item.id for item in ordered if item.id != (first and first.id)] == [
        item.id for item in items if item is not first
    ]
    assert first is None or (ordered[0].id == first.id and ordered[0].score == items[0].score)


def test_neighbours_count_for_what_is_said_and_not_for_what_is_done() -> None:
    """A turn that only its neighbours lead to is quoted where somebody said it."""
    best = ranked(turn(1, "The lamp is in the hall."), 1.0)
    beside = replace(ranked(turn(2, "Forty watts."), 0.3), score=0.6)
    output = replace(beside, episode=turn(3, "42 passed in 3.1s", origin=Origin.TOOL))
    far = replace(beside, score=weights().near * best.score - 0.01)
    assert worth_quoting([best, beside, output, far], {}, terms=LAMP, compared=frozenset(), told=UNTOLD) == [
        best,
        beside,
    ]
    answering = replace(output, fused=0.9)
    assert answering in worth_quoting([best, answering], {}, terms=LAMP, compared=frozenset(), told=UNTOLD)


@pytest.mark.parametrize(("own", "stays"), [(0.0, False), (0.29, False), (0.31, True)])
def test_what_the_assistant_says_beside_a_match_has_to_match_a_little(own: float, *, stays: bool) -> None:
    """An assistant's words that only stand near a match are small talk; the user's may be the answer."""
    best = ranked(turn(1, "Where do you keep the lamp?"), 1.0)
    said = replace(ranked(turn(2, "Good to know."), own), score=0.8)
    kept = [
        worth_quoting([best, one], {}, terms=LAMP, compared=frozenset(), told=UNTOLD)
        for one in (said, replace(said, episode=turn(2, "Good to know.", origin=Origin.ASSISTANT)))
    ]
    assert [len(items) == 2 for items in kept] == [True, stays]


def test_beside_a_record_that_answers_a_quotation_has_to_match_by_itself() -> None:
    """And must not only lead to records that were found to be too far."""
    fact, other = record(1, "The lamp is in the hall."), record(2, "The clock is in the loft.")
    answer = ranked(fact, 1.0)
    beside = replace(ranked(turn(2, "Forty watts."), 0.3), score=1.3)
    said = turn(3, "The clock is in the loft.")
    clock = ranked(said, 0.7)
    statements = {said.id: (TurnStatement(0, 25, "", other),)}
    compared = frozenset({str(fact.id), str(other.id)})
    assert worth_quoting([answer, beside, clock], statements, terms=LAMP, compared=compared, told=TOLD) == [answer]
    assert clock in worth_quoting([answer, clock], statements, terms=LAMP, compared=frozenset(), told=TOLD)
    worded = replace(beside, episode=turn(4, "The lamp of the hall has a bulb that was bought in a shop by the quay."))
    assert worded in worth_quoting([answer, worded], {}, terms=LAMP, compared=compared, told=TOLD)
    assert worth_quoting([answer, beside, clock], statements, terms=LAMP, compared=compared, told=UNTOLD) == [
        answer,
        beside,
        clock,
    ]


@pytest.mark.parametrize("kind", EpisodeKind)
@pytest.mark.parametrize("origin", Origin)
def test_speech_is_a_turn_of_somebody(origin: Origin, kind: EpisodeKind) -> None:
    """Not a call of a tool, an output, or a line of a program."""
    said = kind is EpisodeKind.TURN and origin in (Origin.USER, Origin.OTHER, Origin.ASSISTANT)
    assert is_speech(replace(turn(1, "42", origin=origin), kind=kind)) == said


def test_without_a_floor_nothing_is_found_for_sure() -> None:
    """Vectors that were not calibrated tell nothing about an answer."""
    assert is_found(floor_of(None), TOLD)
    assert not is_found(replace(floor_of(None), floor=-1.0), TOLD)
    assert not is_found(floor_of(None), UNTOLD)


def test_a_question_about_files_quotes_what_names_them_or_matches_by_itself() -> None:
    """Words in common that name no file are not enough there; elsewhere they are."""
    best = ranked(turn(1, "The lamp of the hall is in lamps.py."), 1.0)
    weak, strong = ranked(turn(2, "The hall is green."), 0.4), ranked(turn(3, "The hall is blue."), 0.9)
    named = ranked(turn(4, "lamps.py was renamed."), 0.4)
    items = [best, strong, named, weak]
    assert worth_quoting(items, {}, terms=LAMP, compared=frozenset(), told=UNTOLD) == items
    files = frozenset({"lamp"})
    assert worth_quoting(items, {}, terms=LAMP, compared=frozenset(), told=UNTOLD, files=files) == items[:3]


def test_a_record_that_was_read_as_the_answer_answers() -> None:
    """However little it has in common with the question's words; one that only may be does not."""
    answer, beside = (
        ranked(record(1, "The bulb has forty watts."), 1.0),
        replace(ranked(turn(2, "Yes."), 0.3), score=1.3),
    )
    items, surely = [answer, beside], UNTOLD._replace(answer=3.0)
    assert worth_quoting(items, {}, terms=LAMP, compared=frozenset(), told=surely) == [answer]
    assert worth_quoting(items, {}, terms=LAMP, compared=frozenset(), told=UNTOLD._replace(answer=1.0)) == items

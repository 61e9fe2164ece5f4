"""The floor: where nothing is relevant enough, nothing is the answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from recall_values import ranked, turn

from dopejar.adapters.embedders.weights import OFFERED, ModelWeights
from dopejar.pipelines.recall.answer_floor import (
    Nearness,
    floor_of,
    is_acknowledgement,
    relevant,
    signals_of,
)
from dopejar.pipelines.recall.passages import text_terms
from dopejar.pipelines.recall.question import parse_question
from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.testing.builders import a_record
from dopejar.values.recall import Source

MINILM = EmbedderIdentity(name="minilm-l6-v2", dimensions=384, digest="x")
OTHER = replace(MINILM, name="other")
LAMP = replace(ranked(turn(1, "The lamp is in the hall."), 1.0), cosine=0.3)


ACKNOWLEDGED = [
    "ok", "Thanks a lot!", "8", ".", "", "go on", "Sure, sounds good.", "I do not know.", "Noted.", "You're welcome!",
    "Got it, makes sense", "Good to know.", "yes, go ahead and do that", "Anything else?", "Danke, sieht gut aus",
]  # fmt: skip


@pytest.mark.parametrize("text", ACKNOWLEDGED)
def test_acknowledgements_tell_nothing(text: str) -> None:
    """Words that keep a talk going, single characters, and no words at all."""
    assert is_acknowledgement(text)


@pytest.mark.parametrize(
    "text",
    ["42", "ok, use tabs", "no shellfish", "好", "thanks for the port", "who am I", "is it?", "Tuesdays.", "never"],
)
def test_content_is_no_acknowledgement(text: str) -> None:
    """One word that says something is enough."""
    assert not is_acknowledgement(text)


def kept(text: str, items: list[RankedItem], embedder: EmbedderIdentity | None) -> list[RankedItem]:
    """What is left of the items."""
    question = parse_question(text, date(2024, 5, 6))
    return relevant(question, items, floor_of(embedder), signals_of(question, items, frozenset()))


def test_words_in_common_reach_the_floor_and_a_low_cosine_does_not() -> None:
    """With a calibrated embedder; a high cosine is enough without words."""
    assert kept("Where is the lamp?", [replace(LAMP, cosine=0.5)], MINILM)
    assert kept("Who plays the cello?", [replace(LAMP, lexical=0.0)], MINILM) == []
    near = replace(LAMP, lexical=0.0, cosine=0.9)
    assert kept("Who plays the cello?", [near], MINILM) == [near]


@pytest.mark.parametrize("embedder", [None, MINILM])
def test_the_floor_is_reached_from_its_relevance_on(embedder: EmbedderIdentity | None) -> None:
    """A question with exactly that relevance has an answer; one with less has none, unless the graph knows its name."""
    floor, question = floor_of(embedder), parse_question("Who plays the cello?", date(2024, 5, 6))
    rest = floor.terms * 1.0
    at = Nearness(0.0, (floor.floor - rest) / floor.coverage + 1e-9, 1.0, 0.0)
    below = at._replace(coverage=at.coverage - 1e-6)
    assert relevant(question, [LAMP], floor, at) == [LAMP]
    assert relevant(question, [LAMP], floor, below) == []
    assert relevant(question, [LAMP], floor, below, linked=frozenset({LAMP.id})) == [LAMP]


def test_the_best_must_stand_out_of_what_is_alike() -> None:
    """The more hits there are and the nearer the farthest of them is, the higher the crowd, and the lower relevance."""
    question = parse_question("Who plays the cello?", date(2024, 5, 6))
    few, many, near = (
        signals_of(question, [LAMP], frozenset(), [0.6] + [cosine] * count)
        for cosine, count in ((0.2, 10), (0.2, 300), (0.4, 300))
    )
    assert few.crowd < many.crowd < near.crowd
    floor = floor_of(MINILM)
    assert floor.relevance(few) > floor.relevance(many) > floor.relevance(near)
    assert signals_of(question, [LAMP], frozenset()).crowd == 0


def test_the_name_of_a_speaker_counts_as_a_term_of_what_they_said() -> None:
    """And of nothing that somebody else said."""
    question = parse_question("cello lamp", date(2024, 5, 6))
    said = replace(LAMP, episode=replace(turn(1, "The lamp is in the hall."), speaker="Mara"))
    plain = signals_of(question, [said], frozenset()).coverage
    assert signals_of(question, [said], frozenset({"mara"})).coverage > plain
    assert signals_of(question, [LAMP], frozenset({"mara"})).coverage < plain


@pytest.mark.parametrize(("said", "text"), [("http", "We use httpx."), ("grafanna", "Panels are in Grafana.")])
def test_a_term_counts_where_a_record_spells_it_otherwise(said: str, text: str) -> None:
    """As it does when records are searched; not where a quotation does so."""
    question = parse_question(f"Which {said}?", date(2024, 5, 6))
    near = frozenset(text_terms(text)) - frozenset(question.terms)
    item = held("m1", "Lamp", text, 1.0)
    assert signals_of(replace(question, respelled=near), [item], frozenset()).coverage == 1
    assert (
        signals_of(replace(question, respelled=near), [replace(LAMP, episode=turn(1, text))], frozenset()).coverage == 0
    )


def test_what_is_not_near_ends_the_pack() -> None:
    """Behind an item that answers, one without a common word, a neighbour or a near vector is left out."""
    far = replace(ranked(turn(2, "It rains."), 0.5), lexical=0.0, cosine=0.0)
    lamp = replace(LAMP, cosine=0.9)
    assert kept("Where is the lamp?", [lamp, far], MINILM) == [lamp]


@pytest.mark.parametrize("embedder", [None, MINILM])
@pytest.mark.parametrize(
    ("text", "is_asking"),
    [("Where is the lamp?", True), ("who has the lamp", True), ("Hang the lamp up.", False), ("the lamp fell", False)],
)
def test_only_a_question_is_answered_beside_a_turn_that_matches(
    text: str, is_asking: bool, embedder: EmbedderIdentity | None
) -> None:
    """A task brings what has a word or a meaning in common with it."""
    cosine = None if embedder is None else 0.1
    lamp = replace(LAMP, cosine=0.9)
    beside = replace(ranked(turn(2, "In the attic."), 0.5), lexical=0.0, cosine=cosine, from_neighbours=0.5)
    assert kept(text, [lamp, beside], embedder) == [lamp, *[beside] * is_asking]


@pytest.mark.parametrize("weights", OFFERED, ids=lambda weights: weights.name)
@pytest.mark.parametrize("is_read", [False, True])
def test_each_model_that_can_be_installed_has_a_floor(weights: ModelWeights, is_read: bool) -> None:
    """One that its cosines reach, read with the question or not."""
    floor = floor_of(replace(MINILM, name=weights.name), is_read=is_read)
    assert floor.cosine == 1.0
    assert floor.item < floor.named < 1.0


def test_an_embedder_without_calibration_has_the_floor_of_words() -> None:
    """What its cosines tell of an answer is not known: words decide, as without vectors, though all be near."""
    near = replace(LAMP, lexical=0.0, cosine=0.9)
    assert kept("Who plays the cello?", [near], OTHER) == []
    assert kept("Where is the lamp?", [replace(near, lexical=1.0)], OTHER)
    assert floor_of(OTHER) == floor_of(OTHER, is_read=True) == floor_of(None)


def test_a_situation_has_no_floor() -> None:
    """Of a long text, memory cannot be expected to hold most words."""
    words = " ".join(f"{letter}ield{letter}" for letter in "bcdfghjklmnpqrstv")
    assert kept(words, [LAMP], None) == [LAMP]


def held(name: str, key: str, text: str, fused: float) -> RankedItem:
    """A ranked record with this key."""
    return replace(LAMP, source=Source.RECORD, episode=None, record=a_record(name, text, key=key), fused=fused)


def test_records_far_below_the_best_one_are_left_out() -> None:
    """But quotations are not, nor records whose key the question names."""
    best = held("m1", "Lamp", "The lamp is in the hall.", 1.0)
    near, far = held("m2", "Lamp-Bulb", "The lamp has no bulb.", 0.7), held("m3", "Hall", "The hall lamp is dim.", 0.4)
    assert kept("Where is the lamp?", [best, near, far, LAMP], None) == [best, near, LAMP]
    named = held("m4", "Attic/Loft-Room", "Boxes stand up there.", 0.1)
    assert kept("Is the lamp in the loft room?", [best, named, far], None) == [best, named]


def test_beside_a_named_record_another_one_counts_for_the_rest_of_the_question() -> None:
    """What only mentions the name is left out, unless nothing else is asked; what holds for now never is."""
    lamp, hall = held("m1", "Lamp", "It is lit at dusk.", 1.0), held("m2", "Hall", "The lamp hangs in the hall.", 0.9)
    bulbs = held("m3", "Shelf", "Bulbs cost four euro.", 0.9)
    for_now = replace(hall, record=replace(hall.record, temporary=True)) if hall.record else hall
    assert kept("What do bulbs of the lamp cost?", [lamp, hall, bulbs, LAMP], None) == [lamp, bulbs, LAMP]
    assert kept("What do bulbs of the lamp cost?", [lamp, for_now], None) == [lamp, for_now]
    assert kept("The lamp?", [lamp, hall], None) == [lamp, hall]


@pytest.mark.parametrize(("odds", "is_told"), [(0.4, True), (-0.4, False)])
def test_what_has_the_name_need_only_be_likely_to_answer(odds: float, *, is_told: bool) -> None:
    """The other words of the question may stand for what the answer calls by its name."""
    told = replace(ranked(a_record("m1", text="Wilma starts at Ridgeway High."), 1.0), fused=1.0, lexical=1.0)
    read = replace(told, cosine=0.5, answer=odds)
    assert bool(kept("which school does Wilma go to?", [read], MINILM)) is is_told

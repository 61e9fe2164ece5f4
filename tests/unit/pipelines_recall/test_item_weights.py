"""What speaks for a candidate beside words and meaning."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_values import NOON, record, turn

from dopejar.pipelines.recall.item_weights import brevity, speaker_names, weigh_episode, weigh_record
from dopejar.pipelines.recall.question import parse_question
from dopejar.values.episode import Episode, Origin
from dopejar.values.record import Kind, Record, Status

ASKED = date(2024, 5, 15)
NONE: frozenset[str] = frozenset()


def of_turn(question: str, episode: Episode, named: frozenset[str] = NONE) -> float:
    """The factor of a turn."""
    return weigh_episode(parse_question(question, ASKED), episode, named).factor


def of_record(question: str, one: Record) -> float:
    """The factor of a record, ten days after its time."""
    return weigh_record(parse_question(question, ASKED), one, NOON + timedelta(days=10)).factor


@pytest.mark.parametrize(
    ("question", "better", "worse"),
    [
        ("Which editor do I use?", turn(1, "I use Helix."), turn(2, "You use Helix.", origin=Origin.ASSISTANT)),
        ("Which editor do I use?", turn(1, "I use Helix."), turn(2, "Helix, Vim", origin=Origin.FETCHED)),
        ("Which editor do I use?", turn(1, "I use Helix."), turn(2, "Which one do I use?")),
        ("How many cats are there?", turn(1, "There are 3 cats."), turn(2, "There are some cats.")),
        ("How should I name it?", turn(1, "Always write names in full."), turn(2, "I wrote the names in full.")),
        ("What was baked in March?", turn(1, "Bread.", at=datetime(2024, 3, 9, tzinfo=UTC)), turn(2, "Bread.")),
    ],
)
def test_better_turn_weighs_more(question: str, better: Episode, worse: Episode) -> None:
    """Own words, answers, numbers, standing wishes and the right time each count where they are asked for."""
    assert of_turn(question, better) > of_turn(question, worse)


def test_replies_count_in_full_where_they_are_asked_for() -> None:
    """A question about what the assistant said does not discount the assistant."""
    reply = turn(1, "Take Helix.", origin=Origin.ASSISTANT)
    assert of_turn("Which editor did you suggest to me?", reply) == 1
    assert of_turn("Which editor is good?", reply) == 1


def test_named_speaker_weighs_more() -> None:
    """The turns of a speaker whom the question names come before those of another."""
    said = turn(1, "Tulips.", origin=Origin.OTHER, speaker="Orla Byrne")
    other = turn(2, "Tulips.", origin=Origin.OTHER, speaker="Piet")
    named = frozenset({"orla"})
    assert of_turn("What did Orla plant?", said, named) > of_turn("What did Orla plant?", other, named)


def test_roles_are_nobodys_names() -> None:
    """A bare role names no speaker; a name does, whole and in parts."""
    assert speaker_names("user") == frozenset()
    assert speaker_names("Orla Byrne") == {"orla", "byrne"}


@pytest.mark.parametrize(
    ("question", "better", "worse"),
    [
        ("Which editor?", record(1, "Helix."), record(2, "Helix.", trust=0.3)),
        ("Which editor?", record(1, "Helix.", access_count=30), record(2, "Helix.")),
        ("Which editor?", record(1, "Helix."), record(2, "Helix.", valid_from=datetime(2020, 1, 1, tzinfo=UTC))),
        ("Which editor?", record(1, "Helix."), record(2, "Helix.", status=Status.QUARANTINED)),
        ("How should I indent?", record(1, "Use tabs.", kind=Kind.RULE), record(2, "Use tabs.")),
    ],
)
def test_better_record_weighs_more(question: str, better: Record, worse: Record) -> None:
    """Trust, use, recency, proof and kind each count."""
    assert of_record(question, better) > of_record(question, worse)


def test_strength_and_recency_count_mildly() -> None:
    """Neither makes up for a fifth of the score."""
    strong = record(1, "Helix.", access_count=1000)
    weak = record(2, "Helix.", valid_from=datetime(1990, 1, 1, tzinfo=UTC))
    assert of_record("Which editor?", strong) < 1.25 * of_record("Which editor?", weak)


@given(st.text(max_size=400), st.text(max_size=100), st.sampled_from(Origin))
def test_weights_are_positive(text: str, question: str, origin: Origin) -> None:
    """No turn is weighed away, and none grows without bound."""
    assert 0 < of_turn(question, turn(0, text, origin=origin)) < 4
    assert 0 < brevity(text) <= 1

"""Which turns are corrections: tables of our own, with more that are none."""

from __future__ import annotations

from datetime import timedelta

import pytest
from correction_turns import ANSWERS, AT, BEFORE, CORRECTIONS, DONE, NO, OTHERS, STANDING, exchange
from hypothesis import given, settings
from hypothesis import strategies as st

from dopejar.pipelines.corrections import detect, exchanges_of
from dopejar.pipelines.corrections.detection.detector import score_turns
from dopejar.pipelines.corrections.exchange import Durability, Label, Polarity
from dopejar.values.episode import Episode, EpisodeKind, Origin
from dopejar.values.ids import ConversationId, EpisodeId


@pytest.mark.parametrize("text", CORRECTIONS)
def test_reactions_to_the_assistant_are_corrections(text):
    """A turn that rejects, accuses, replaces or repeats is found."""
    assert detect([exchange(text)])


@pytest.mark.parametrize("text", STANDING)
def test_standing_instructions_last(text):
    """What is meant to hold beyond this step is found, and is lasting."""
    (found,) = detect([exchange(text)])
    assert found.durability is Durability.STANDING


@pytest.mark.parametrize("text", NO)
def test_hard_negatives_are_left_alone(text):
    """Applause, tasks, questions, defects, answers and words taken back are no corrections."""
    assert not detect([exchange(text)])


@pytest.mark.parametrize("text", ANSWERS)
def test_a_no_that_answers_a_question_rejects_nothing(text):
    """After an offer, "no" is an answer; the same offer can still be rejected with a wish."""
    offer = "The draft is ready. Do you want me to add an index as well?"
    assert not detect([exchange(text, before=offer)])
    assert detect([exchange("no, use a separate table instead", before=offer)])


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [(language, text, True) for language, (yes, _) in OTHERS.items() for text in yes]
    + [(language, text, False) for language, (_, no) in OTHERS.items() for text in no],
)
def test_other_languages(language, text, expected):
    """Seven other languages are read through their data files."""
    assert bool(detect([exchange(text, before=BEFORE[language])])) is expected


@pytest.mark.parametrize(
    ("text", "pasted"),
    [
        ("here is the review:\n> why did you use a global here? never do that.\n> this is wrong", ()),
        ("```\nERROR you forgot to close the stream, don't do that\n```", ()),
        ("2025-01-02 10:00:01 ERROR wrong argument, use --all instead of --any", ()),
        ("see the ticket\nNo! You deleted the wrong file, stop it.", ((14, 56),)),
    ],
)
def test_what_others_said_is_not_the_persons_wish(text, pasted):
    """Quotes, code, logs and pasted ranges are not read as the person's words."""
    assert not detect([exchange(text, pasted=pasted)])


def test_first_instruction_with_a_limit_is_a_task():
    """Before the assistant has done anything, "do X but not Y" corrects nothing."""
    assert not detect([exchange("Add paging to the list, but don't touch the public API", before="")])


def test_a_repeated_instruction_counts():
    """The same directing sentence in several turns is found in each, though one alone is a plain task."""
    turns = [
        exchange("Fix the importer. Use the staging config to check your work.", index=0),
        exchange("Now the exporter. Use the staging config to check your work.", index=2),
    ]
    alone = score_turns(turns[:1])[0].probability
    assert all(one.probability > alone for one in score_turns(turns))


def test_what_memory_knows_already_counts():
    """A wish that is known makes its repetition likelier to be found."""
    turn = exchange("the session folder, please use it")
    assert score_turns([turn], known=["Use the session folder"])[0].probability > score_turns([turn])[0].probability


@pytest.mark.parametrize(
    "more",
    [
        {"after": "You're absolutely right, I apologise for the confusion."},
        {"interrupted": True},
        {"outcome": "rejected"},
        {"reverted": True},
    ],
)
def test_what_surrounds_a_turn_counts(more):
    """An assistant that gives in, an interruption, a refused call and a revert make a correction likelier."""
    text = "the totals belong in the footer"
    assert score_turns([exchange(text, **more)])[0].probability > score_turns([exchange(text)])[0].probability


def test_candidate_tells_what_it_rests_on():
    """A candidate has its sentence's range, its polarity, its object and the turn's own words."""
    text = "Hm, no. You should use the staging database, not the live one."
    (found,) = detect([exchange(text, index=4)])
    start, end = found.spans[0]
    assert text[start:end] == "You should use the staging database, not the live one."
    assert (found.label, found.polarity, found.turn_number) == (Label.CORRECTION, Polarity.REPLACE, 4)
    assert found.user_message == text
    assert found.ai_response == DONE


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_read(text):
    """Detection never fails, and every span lies within its turn."""
    for found in detect([exchange(text)]):
        assert all(0 <= start <= end <= len(text) for start, end in found.spans)
        assert found.wish


def episode(text: str, index: int, origin: Origin, **more) -> Episode:
    """One episode of a conversation."""
    return Episode(
        id=EpisodeId(f"e_{index}"), conversation=ConversationId("c_1"), index=index, at=AT + timedelta(minutes=index),
        speaker=str(origin), origin=origin, text=text, **more,
    )  # fmt: skip


def test_exchanges_hold_what_was_before_and_after():
    """An exchange is made of a person's turn alone, with the assistant's words around it."""
    found = exchanges_of(
        [
            episode("build it", 0, Origin.USER),
            episode("Built.", 1, Origin.ASSISTANT),
            episode("summary of the talk so far", 2, Origin.SYSTEM, note="harness: summary"),
            episode("no, with cmake", 3, Origin.USER),
            episode("You're right, sorry.", 4, Origin.ASSISTANT),
        ]
    )
    assert [(one.index, one.before, one.after) for one in found] == [
        (0, "", "Built."),
        (3, "Built.", "You're right, sorry."),
    ]


def test_exchanges_know_refusals_interruptions_and_reverts():
    """What the harness recorded in a person's place marks the next turn of theirs."""
    found = exchanges_of(
        [
            episode('Bash {"command": "rm -r build"}', 0, Origin.ASSISTANT, kind=EpisodeKind.TOOL_CALL),
            episode("refused", 1, Origin.SYSTEM, note="harness: tool rejection", outcome="rejected"),
            episode("keep the folder", 2, Origin.USER),
            episode("Working on it", 3, Origin.ASSISTANT),
            episode("[Request interrupted by user]", 4, Origin.SYSTEM, note="harness: interruption"),
            episode("git restore src/app.py", 5, Origin.SYSTEM, note="harness: shell command"),
            episode("leave that file", 6, Origin.USER),
        ]
    )
    assert [(one.outcome, one.interrupted, one.reverted) for one in found] == [
        ("rejected", False, False),
        ("", True, True),
    ]


@pytest.mark.parametrize(
    "seed", ["-", "\n", "@", "a/", "you ", "not a, but ", "make sure ", "use x instead of ", "1. a\n"]
)
def test_long_turns_of_one_thing_are_read(seed):
    """No turn makes a pattern wander: four thousand of the same are read like any other."""
    judged = score_turns([exchange((seed * 4000)[:4000])])
    assert 0 <= judged[0].probability <= 1

"""Signals: what each phrase says and what only looks like it; priority; the gates that signals propose."""

from __future__ import annotations

import pytest

from dopejar.governance.signals.signal_detector import PRIORITY, PROPOSED_GATES, SignalDetector
from dopejar.values.turn_decisions import DetectedSignal
from dopejar.values.turn_enums import SignalType, TurnGate

DETECTOR = SignalDetector()


def signals(text: str, before: str = "") -> set[str]:
    """The signals of an utterance, by phrases alone."""
    return {str(one.type) for one in DETECTOR.detect(text, before)} - {"none"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Let's work on the greenhouse plan", {"formal_work"}),
        ("Help me write a toast for Saturday", {"formal_work"}),
        ("hang on, one thing", {"interrupt"}),
        ("undo that", {"interrupt"}),
        ("I need this asap", {"urgency"}),
        ("the checkout is down!", {"urgency"}),
        ("ok that's it for today, thanks", {"completion"}),
        ("All done!", {"completion"}),
        ("I'm so overwhelmed with all of this", {"emotional"}),
        ("STOP", {"emergency"}),
        ("no no stop the upload", {"emergency"}),
        ("Abort!", {"emergency"}),
        ("wrong account!!", {"emergency"}),
        ("Transfer $900 to the roofer", {"high_stakes"}),
        ("drop the customers table in prod", {"high_stakes"}),
        ("park this and go back to the tax return", {"lane_switch", "high_stakes"}),
        ("let's switch gears", {"lane_switch"}),
        ("urgent: wire the deposit to the notary", {"urgency", "high_stakes"}),
    ],
)
def test_phrases_speak_for_their_signals(text, expected) -> None:
    """Plain utterances of each signal, also two at once."""
    assert signals(text) == expected


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("it's not urgent", "urgency"),
        ("no rush, this isn't urgent at all", "urgency"),
        ("we had an emergency yesterday", "urgency"),
        ("where do I keep my emergency fund?", "urgency"),
        ("if it gets urgent I'll call", "urgency"),
        ("I'm not done yet", "completion"),
        ("when you're done, tell me", "completion"),
        ("this needs to be done by Ann", "completion"),
        ("it's half done", "completion"),
        ("stop using semicolons", "emergency"),
        ("my teacher said stop", "emergency"),
        ("if the tests fail, stop", "emergency"),
        ('rename the button to "Stop"', "emergency"),
        ("walk to the bus stop", "emergency"),
        ("don't stop", "emergency"),
        ("the customers are frustrated", "emotional"),
        ("I'm not stressed", "emotional"),
        ("remove the unused imports", "high_stakes"),
        ("a wireframe of the page", "high_stakes"),
        ("switch to tabs", "lane_switch"),
        ("an abandoned await in investigate()", "completion"),
    ],
)
def test_what_only_looks_like_a_phrase_is_none(text, absent) -> None:
    """Denied, past, conditional, quoted and reported phrases, and words that contain one, are no signal."""
    assert absent not in signals(text)


INFORMATION = (
    "which version runs in production?",
    "remind me who owns the prod database",
    "what port does the production database listen on?",
    "How do I connect to production?",
    "why is the latency so high on prod?",
    "can you tell me where the logs of the prod servers are?",
    "does the staging server use the production data?",
)
ACTS = (
    "fix the row in production by hand",
    "try the script against the prod db",
    "how about we try it on prod?",
    "why not fix it on prod?",
    "what if we put it on prod first?",
    "should we switch the production traffic over?",
    "is it fine to test against the production data?",
    "how do I wipe the production database?",
    "which version is on prod? replace it on production",
)


@pytest.mark.parametrize(
    ("text", "expected"), [*((text, False) for text in INFORMATION), *((text, True) for text in ACTS)]
)
def test_question_for_information_names_a_place_without_stakes(text, expected) -> None:
    """Production as the subject of a question raises no stakes; an act there, and a question that weighs one, do."""
    assert (SignalType.HIGH_STAKES in DETECTOR.phrases(text)) is expected


def test_pasted_code_and_quotations_say_nothing() -> None:
    """What a user pastes or quotes is not what the user asks."""
    assert signals("look at this:\n```\nraise Stop('urgent, abort')\n```") == set()
    assert signals("> STOP everything\n\nwhat did she mean by that?") == set()


def test_answer_to_a_closing_question_completes() -> None:
    """A "no, thanks" completes where it answers whether there is anything else; elsewhere it does not."""
    assert signals("no, thanks", "Sent. Anything else for today?") == {"completion"}
    assert signals("no, thanks", "Do you want sugar?") == set()


def test_long_text_speaks_at_its_ends() -> None:
    """In a long text a phrase counts at the beginning and the end, not in the middle of what is described."""
    middle = " ".join(f"Sentence number {number} is about the old harbour wall." for number in range(20))
    assert signals(f"{middle} This is urgent. {middle}") == set()
    assert signals(f"This is urgent. {middle}") == {"urgency"}


def test_several_signals_come_by_priority() -> None:
    """The most important signal is first, and decides."""
    found = DETECTOR.detect("Actually wait, this is urgent: transfer $700 to the vet, I'm panicking")
    order = [PRIORITY.index(one.type) for one in found]
    assert order == sorted(order)
    assert len(found) >= 3
    assert found[0].type is SignalType.URGENCY


def test_priority_names_each_signal_once() -> None:
    """The table of priorities is the design's: emergency, urgency, overload, high stakes, switches, the rest."""
    assert set(PRIORITY) == set(SignalType)
    assert [str(one) for one in PRIORITY[:5]] == ["emergency", "urgency", "emotional", "high_stakes", "lane_switch"]


def test_telemetry_is_a_signal_of_its_own() -> None:
    """What a host observed counts without a word, and does not count twice."""
    found = DETECTOR.detect("next", emotional={"stress": "overwhelmed"})
    assert found == (DetectedSignal(type=SignalType.EMOTIONAL, confidence=0.9),)
    both = DETECTOR.detect("I'm panicking", emotional={"overwhelm": "high"})
    assert [one.type for one in both].count(SignalType.EMOTIONAL) == 1


def test_shares_of_a_model_name_the_phrase_where_there_is_one() -> None:
    """Signals that the model alone reads have no phrase."""
    found = DETECTOR.detect("this is urgent", shares={"urgency": 0.6, "completion": 0.6})
    assert [(str(one.type), one.phrase) for one in found] == [("urgency", "urgent"), ("completion", "")]


@pytest.mark.parametrize("signal", SignalType)
def test_signal_proposes_the_gate_of_the_table(signal) -> None:
    """Each signal and its gate, by hand; emergency has a gate of its own, high stakes are verified."""
    gates = {
        "formal_work": TurnGate.WORK_DECLARATION,
        "interrupt": TurnGate.LANE_SWITCH,
        "urgency": TurnGate.LANE_SWITCH,
        "lane_switch": TurnGate.LANE_SWITCH,
        "completion": TurnGate.EVALUATION,
        "emotional": TurnGate.EVALUATION,
    }
    assert PROPOSED_GATES.get(signal) == gates.get(signal)

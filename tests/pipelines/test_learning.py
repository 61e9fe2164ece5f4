"""Learning across conversations: patterns by their index, outcomes, merges and trims by hand, and hindsight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar import InputError, Memory, NotFoundError, Partner, open_memory
from dopejar.governance.learning.generalizer import Generalizer
from dopejar.governance.learning.pattern import Pattern, fits, lookup_stems, new_pattern, similarity
from dopejar.governance.learning.retrospective import TurnOutcome, look_back
from dopejar.seeds import FeedbackLoop, PatternStore
from dopejar.testing.list_trace_sink import ListTraceSink

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
STEMS = st.sets(st.sampled_from("abcdefghij"), max_size=8).map(lambda one: tuple(sorted(one)))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A fresh memory that the user speaks to."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        yield opened


def stated(text: str, action: str = "decomposition", confidence: float = 0.8) -> Pattern:
    """A pattern for derivative requests like the text."""
    return new_pattern({"request_type": "derivative", "text": text}, action, at=AT, confidence=confidence)


@given(pattern=STEMS, asked=STEMS)
def test_the_index_misses_nothing(pattern: tuple[str, ...], asked: tuple[str, ...]) -> None:
    """Whatever fits a pattern has one of the stems that the pattern is found by."""
    one = replace(stated("any"), stems=pattern)
    for kind in (one, replace(one, made_of=("x", "y"))):
        if fits(kind, asked):
            assert set(lookup_stems(pattern)) & set(asked or ("",)) or not pattern


def test_a_search_finds_by_kind_and_words(memory: Memory) -> None:
    """Half of the words have to be shared, and the other fields to be equal; the surest comes first."""
    store = PatternStore(memory, now=lambda: AT)
    camp = store.add_pattern(stated("plan the summer camp of the scouts"))
    store.add_pattern(stated("plan the summer camp of the scouts", "exploration", 0.4))
    asked = {"text": "plan the summer camp for scouts", "request_type": "derivative"}
    assert [one.action_taken for one in store.search(asked)] == ["decomposition", "exploration"]
    assert store.search(asked | {"request_type": "atomic"}) == []
    assert store.search(asked | {"text": "repair the fence"}) == []
    found = store.get_pattern(camp)
    assert found is not None
    assert found.confidence == 0.8


def test_confidence_moves_by_a_tenth(memory: Memory) -> None:
    """A hit adds .1, a miss takes .1, a protected pattern never weakens, and an unknown id is an error."""
    store = PatternStore(memory, now=lambda: AT)
    name = store.add_pattern(stated("plan the camp", confidence=0.5))
    store.strengthen(name)
    store.weaken(name)
    store.weaken(name)
    one = store.get_pattern(name)
    assert one is not None
    assert (one.confidence, one.hit_count, one.miss_count, one.last_hit) == (0.4, 1, 2, AT)
    store.protect(name)
    store.weaken(name)
    one = store.get_pattern(name)
    assert one is not None
    assert (one.confidence, one.miss_count) == (0.4, 3)
    with pytest.raises(NotFoundError, match="no pattern"):
        store.weaken("none")


def test_nothing_is_trimmed_but_by_hand(memory: Memory) -> None:
    """A preview changes nothing; what was trimmed is regretted when it would have helped, and comes back."""
    sink = ListTraceSink()
    store = PatternStore(memory, now=lambda: AT + timedelta(days=40), sink=sink)
    old = store.add_pattern(stated("plan the summer camp"))
    kept = store.add_pattern(stated("mow the lawn"))
    store.protect(kept)
    assert [one.id for one in store.trim_stale(preview=True)] == [old]
    assert [one.id for one in store.mark_stale()] == [old]
    assert not store.patterns(trimmed=True)
    assert [one.id for one in store.trim_stale()] == [old]
    assert [one.metadata["point"] for one in sink.events] == ["pattern_add", "pattern_add", "pattern_trim"]
    asked = {"request_type": "derivative", "text": "plan the summer camp"}
    assert store.search(asked) == []
    loop = FeedbackLoop(store)
    loop.record_outcome(asked, {"strategy": "decomposition"}, {"status": "success"})
    assert [one.id for one in store.regretted()] == [old]
    store.restore(old)
    assert [one.id for one in store.search(asked)] == [old]


def test_similar_patterns_are_merged_by_proposal(memory: Memory) -> None:
    """Merging is proposed, and counts once it is accepted; then one pattern stands for both, and for more."""
    store = PatternStore(memory, now=lambda: AT)
    for what in ("timeboxing coding sessions", "timeboxing writing sessions"):
        store.add_pattern(stated(what))
    (merged,) = store.merges()
    assert len(store.patterns()) == 2
    store.accept_merge(merged)
    assert [one.id for one in store.patterns()] == [merged.id]
    assert [one.id for one in store.search({"request_type": "derivative", "text": "timeboxing painting sessions"})]
    with pytest.raises(InputError, match="same action"):
        Generalizer().merge(stated("mow the lawn"), stated("mow the lawn", "exploration"))
    assert not Generalizer().find_similar([stated("mow the lawn"), stated("paint the fence")])


def test_three_reported_successes_make_a_pattern(tmp_path: Path) -> None:
    """Outcomes of three sessions make a pattern of .7; the analysis counts by strategy; a wrong status is an error."""
    signal = {"signals": ["formal_work"], "request_type": "derivative", "altitude": "L2"}
    for number in range(3):
        with open_memory(tmp_path, environment={}, said_by="user") as memory:
            loop = FeedbackLoop(PatternStore(memory))
            assert not any(one.decides for one in loop.get_patterns_for_signal(signal))
            loop.record_outcome(signal, {"strategy": "decomposition"}, {"status": "success"})
            analysis = loop.analyze_session()
            assert analysis["decomposition"]["total"] == 1
            assert analysis["decomposition"]["success_rate"] == 1.0
            assert bool(analysis["decomposition"]["patterns"]) is (number == 2)
            assert loop.analyze_session() == {}
            with pytest.raises(InputError, match="status"):
                loop.record_outcome(signal, {"strategy": "decomposition"}, {"status": "fine"})
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        (found,) = PatternStore(memory).search(signal)
        assert (found.name, found.confidence) == ("user_prefers_decomposition", 0.7)


def test_turns_and_hindsight(memory: Memory) -> None:
    """What the next turn says of a turn is counted: a correction as failure, a completion as success."""
    partner = Partner(memory)
    partner.turn("Help me plan the summer camp of the scouts", recall=False)
    partner.answer("work_declaration", approved=False)
    partner.turn("No, not like that, I meant the winter camp.", recall=False)
    partner.turn("The plan is done.", recall=False)
    seen = FeedbackLoop(PatternStore(memory)).look_back()
    assert seen.turns == 2
    assert seen.altitude["correction_rate"] == 0.5
    assert seen.focus["gate_accuracy"] == 0.0
    assert seen.stance_flow == {"sensemaking>sensemaking": 1}
    assert sum(one["total"] for one in seen.reasoning.values()) == 2


def test_troubles_that_come_together() -> None:
    """The correlation of two troubles is 1 where they always come together, and left out where one never comes."""
    bad = TurnOutcome(strategy="dialogue", succeeded=False, held_back=True)
    good = TurnOutcome(strategy="dialogue", succeeded=True)
    seen = look_back([bad, bad, good, good, good])
    assert seen.correlation == {("friction", "failure"): 1.0}
    assert look_back([bad, good]).correlation == {}
    assert look_back([]).altitude["friction_rate"] is None


def test_similarity_of_nothing() -> None:
    """Two signatures without words are alike."""
    assert similarity((), ()) == 1.0

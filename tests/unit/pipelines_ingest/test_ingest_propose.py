"""Proposals: reinforce, supersede, coexist or dispute, and what is left alone."""

from __future__ import annotations

import pytest
from believed import AT, DAY, PROJECT, Believed, say

from dopejar.values.episode import Origin
from dopejar.values.proposal import Action, Level, Reinforce, Supersede, Via
from dopejar.values.record import Layer, Status
from dopejar.values.scope import UNIVERSAL, Scope


def told(*words: str, status: Status = Status.ACTIVE) -> Believed:
    """A memory that was told these words, a day apart, each as a record of its own."""
    known = Believed()
    for number, one in enumerate(words):
        for proposal in say(Believed(), one, at=AT + number * DAY):
            known.learn(proposal, status)
    return known


def test_new_knowledge_is_added_with_its_evidence() -> None:
    """An add carries the draft, its span, its wording and when it was said."""
    (wish,) = say(Believed(), "By the way, I live in Bergen.")
    assert wish.action is Action.ADD
    (evidence,) = wish.evidence
    assert (evidence.start, evidence.end, evidence.at) == (0, 29, AT)
    assert evidence.wording == "I live in Bergen"
    assert wish.signals.conflict is Level.NONE


@pytest.mark.parametrize("words", ["I live in Bergen.", "I'm based in Bergen", "We moved to Bergen"])
def test_the_same_value_reinforces(words: str) -> None:
    """Another wording of the same thing is more evidence, not a second record."""
    known = told("I live in Bergen")
    (wish,) = say(known, words, at=AT + DAY)
    assert isinstance(wish.payload, Reinforce)
    assert wish.targets[0].record_id == known.records[0].id


def test_another_value_supersedes_as_the_speakers_own_update() -> None:
    """A one-valued slot takes a new version after the old one."""
    known = told("I live in Bergen")
    (wish,) = say(known, "I moved to Oslo", at=AT + DAY)
    assert isinstance(wish.payload, Supersede)
    assert wish.payload.predecessor == known.records[0].id
    assert wish.payload.resume_from is None
    assert wish.signals.own_update
    assert wish.signals.conflict is Level.LOW


def test_an_older_statement_enters_the_chain_as_history() -> None:
    """What was said before is a version before, whenever it arrives."""
    known = told("I live in Bergen")
    (wish,) = say(known, "I live in Oslo", at=AT - DAY)
    assert isinstance(wish.payload, Supersede)
    assert wish.payload.predecessor is None
    assert [target.record_id for target in wish.targets] == [known.records[0].id]


def test_an_earlier_statement_of_the_next_version_moves_its_beginning() -> None:
    """Where the next version says the same, it is reinforced instead of doubled."""
    known = told("I live in Bergen")
    (wish,) = say(known, "I live in Bergen", at=AT - DAY)
    assert isinstance(wish.payload, Reinforce)


def test_a_value_between_two_statements_of_another_lets_that_one_resume() -> None:
    """A, then later A again; a B from between splits A into two versions."""
    known = told("I live in Bergen")
    (again,) = say(known, "I live in Bergen", at=AT + 2 * DAY)
    known.support[known.records[0].id] += again.evidence
    (wish,) = say(known, "I moved to Oslo", at=AT + DAY)
    assert isinstance(wish.payload, Supersede)
    assert wish.payload.resume_from == AT + DAY


@pytest.mark.parametrize(
    ("before", "later"),
    [
        ("I live in Bergen", "My sister lives in Oslo"),
        ("I prefer dark mode", "For printed handouts use a light theme"),
        ("I use Linux", "I use Windows"),
        ("I live in Bergen", "I'm in Oslo this week"),
        ("We use Postgres", "Back in 2019 we used MySQL"),
        ("We use Postgres", "We plan to switch to MySQL next year"),
        ("The dev server listens on port 4000", "The mail server listens on port 4000"),
    ],
)
def test_what_may_both_be_true_coexists(before: str, later: str) -> None:
    """Another person, scope, member, time or thing never retires a fact."""
    for wish in say(told(before), later, at=AT + DAY):
        assert wish.action is Action.ADD


def test_doubt_disputes_and_does_not_replace() -> None:
    """A hedged new value is a conflict for a person, not an update."""
    (wish,) = say(told("The dev server listens on port 4000"), "Maybe the dev server listens on port 4100", at=AT + DAY)
    assert wish.signals.conflict is Level.HIGH
    assert not wish.signals.own_update


def test_what_does_not_change_by_itself_is_disputed() -> None:
    """A second birthday is a mistake in one of the two."""
    (wish,) = say(told("My birthday is on 3 May"), "My birthday is on 13 May", at=AT + DAY)
    assert wish.signals.conflict is Level.HIGH


@pytest.mark.parametrize("status", [Status.REJECTED, Status.RETRACTED])
def test_what_a_person_removed_is_marked(status: Status) -> None:
    """A rejected or retracted meaning does not come back unseen."""
    (wish,) = say(told("I live in Bergen", status=status), "I live in Bergen", at=AT + DAY)
    assert wish.action is Action.ADD
    assert wish.signals.curated_away == status.value


def test_what_waits_for_review_is_reinforced_there() -> None:
    """A repeat of a staged memory is more evidence for it."""
    known = told("I live in Bergen", status=Status.STAGED)
    (wish,) = say(known, "I live in Bergen", at=AT + DAY)
    assert isinstance(wish.payload, Reinforce)


def test_of_a_conversation_nothing_uncertain_is_proposed() -> None:
    """Below confidence .5 the words stay in their episode."""
    words = "I've heard good things about it"
    assert not say(Believed(), words, via=Via.CONVERSATION)


def test_facts_about_the_user_hold_everywhere_and_others_in_the_project() -> None:
    """Inside a project what is said of the world is the project's."""
    (mine,) = say(Believed(), "I live in Bergen", project=PROJECT)
    (ours,) = say(Believed(), "The dev server listens on port 4000", project=PROJECT)
    assert mine.scope == UNIVERSAL
    assert ours.scope == Scope.project(PROJECT.id)


def test_another_speakers_words_are_about_that_speaker() -> None:
    """What others say of themselves is in layer world under their name, and never touches the user's slot."""
    known = told("I live in Bergen")
    (wish,) = say(known, "I live in Oslo", at=AT + DAY, origin=Origin.OTHER, speaker="Maria", via=Via.CONVERSATION)
    draft = wish.payload.draft  # type: ignore[union-attr]
    assert wish.action is Action.ADD
    assert draft.layer is Layer.WORLD
    assert draft.text.startswith("Maria")
    assert draft.slot.startswith("person:maria/")


def test_temporary_words_stand_beside_the_chain() -> None:
    """A statement with an end is an add of its own, and a repeat of it reinforces it."""
    known = told("I prefer dark mode")
    (wish,) = say(known, "Use light mode for today's recording", at=AT + DAY)
    assert wish.action is Action.ADD
    assert wish.payload.draft.temporary  # type: ignore[union-attr]
    known.learn(wish)
    (again,) = say(known, "Use light mode for today's recording", at=AT + DAY)
    assert isinstance(again.payload, Reinforce)


def test_near_statements_join_the_chain_they_restate() -> None:
    """With an index at hand, another wording under another key reinforces instead of doubling."""
    known = told("The nightly backup of the archive is written to the cold storage room")
    words = "The nightly backup of the archive is written to the cold storage room downstairs"
    (alone,) = say(known, words, at=AT + DAY)
    (joined,) = say(known, words, at=AT + DAY, near=True)
    assert alone.action is Action.ADD
    assert isinstance(joined.payload, Reinforce)


def test_near_contradictions_wait_for_a_person() -> None:
    """A denial of what is known under another key is staged as a conflict with it."""
    known = told("I finished the pottery course in Lyon with Amélie")
    (wish,) = say(known, "I never finished the pottery course in Lyon", at=AT + DAY, near=True)
    assert wish.signals.conflict is Level.HIGH
    assert wish.signals.conflicts_with == (known.records[0].id,)

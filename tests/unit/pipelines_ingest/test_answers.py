"""Short answers and words of the moment: what a reply states only together with a question."""

from datetime import UTC, datetime

import pytest

from dopejar.pipelines.ingest.atoms import Reason
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.answers import own_answer, own_question, plain_question
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.pipelines.ingest.extraction.momentary_words import (
    asks_for_now,
    end_of_question,
    is_bare_answer,
    is_bare_phrase,
    says_where_to_go_on,
    why_nothing,
)
from dopejar.values.record import Kind, Layer, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


class WholeMarker:
    """Marks each text as a whole, or none."""

    def __init__(self, *, marks: bool, directs: bool = False):
        self._marks = marks
        self._layer, self._sublayer = (Layer.INTENT, Sublayer.RULE) if directs else (Layer.WORLD, Sublayer.FACT)
        self._class = FactClass.CONSTRAINT if directs else FactClass.PLAIN

    def mark(self, texts, searched=()):
        """One statement a text."""
        return tuple((self._marked(text),) if self._marks else () for text in texts)

    def _marked(self, text):
        return MarkedStatement(
            start=0,
            end=len(text),
            certainty=0.8,
            fact_class=self._class,
            layer=self._layer,
            sublayer=self._sublayer,
        )


def read(said, before, marker):
    """The extraction of a reply to a turn of the assistant."""
    turn = SpokenTurn(text=said, at=NOON, before=before, question=plain_question(before))
    return extract_marked([turn], marker)[0]


@pytest.mark.parametrize(
    ("asked", "said", "kept"),
    [
        ("Fine. Which days do you teach?", "Tuesday and Friday", "Which days do you teach? Tuesday and Friday"),
        ("And how many sheep do you keep?", "40", "How many sheep do you keep? 40"),
        ("What is your dog called?", "Nixe", "What is your dog called? Nixe"),
        ("Good. Where do you live?", "Graz, in Austria", "Where do you live? Graz, in Austria"),
    ],
)
def test_a_value_is_kept_with_its_question(asked, said, kept):
    """The text holds both, the span is the user's words, and nothing of it directs or takes another's place."""
    (atom,) = read(said, asked, WholeMarker(marks=False)).atoms
    assert (atom.text, said[atom.start : atom.end]) == (kept, said)
    assert (atom.kind, atom.directs_work, atom.states, atom.answers, atom.quotes) == (
        Kind.FACT,
        False,
        False,
        True,
        True,
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Which would you like? And when do you need it?", "the blue one"),
        ("What should I call the file?", "notes 2"),
        ("Question 2: what is the capital of Peru?", "Lima"),
        ("How long do you want it?", "500 words"),
        ("I can add a list, a table or a picture. Any of these?", "a table"),
        ("Here is the letter to Mrs Roth.", "Not Mrs Roth"),
    ],
)
def test_a_bare_answer_is_no_memory(asked, said):
    """Without a plain question about the user, an answer stays in its episode, marked or not."""
    for marks in (True, False):
        assert not read(said, asked, WholeMarker(marks=marks)).atoms


def test_a_rule_is_never_made_of_a_question():
    """An answer that is marked as guidance keeps the user's own words alone."""
    found = read("Always with 2 spaces", "How do you write your code?", WholeMarker(marks=True, directs=True))
    assert [atom.text for atom in found.atoms] == ["Always with 2 spaces"]


@pytest.mark.parametrize("said", ["We keep 40 sheep", "Mum teaches piano", "New address: 4 Elm Row", "I'm on nights"])
def test_a_reply_with_a_verb_stays(said):
    """What has a subject and a verb, or says what it names, is no bare answer."""
    assert not is_bare_answer(said, "Anything else?")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Put in that we have paid twice", Reason.REQUEST),
        ("Can you do me a list of questions to ask", Reason.REQUEST),
        ("Could you always use grams", None),
        ("Run club is on Tuesdays", None),
        ("Now that we have moved, the school is near", None),
        ("Can openers are in the left drawer", None),
    ],
)
def test_requests_of_the_moment_state_nothing(said, reason):
    """A dictated sentence and a polite request are tasks; a standing wish and a noun are not."""
    assert asks_for_now(said, cues("en")) is reason


@pytest.mark.parametrize(
    ("said", "stated"),
    [
        ("How do I clean suede, Tove has a party on Friday", "Tove has a party on Friday"),
        ("What is a good bike for a small boy", ""),
        ("Have a dog and two cats", "Have a dog and two cats"),
        ("What I value is plain words", "What I value is plain words"),
    ],
)
def test_a_question_is_no_part_of_a_statement(said, stated):
    """A question is cut off at the end of its clause, never within one."""
    assert said[end_of_question(said, cues("en")) :] == stated


def test_a_statement_is_not_cut_within_its_clause():
    """A mark that stops within a noun goes on to the next clause."""

    class Cut(WholeMarker):
        def _marked(self, text):
            from dataclasses import replace

            return replace(super()._marked(text), end=text.index(" exam"))

    said = "Tove has a chemistry exam on Friday and I said I would help her with all of it and cook as well"
    (atom,) = extract_marked([SpokenTurn(text=said, at=None)], Cut(marks=True))[0].atoms
    assert atom.text == "Tove has a chemistry exam on Friday"


@pytest.mark.parametrize(
    ("asked", "said", "told"),
    [
        ("Hello. What is Edda's address?", "I've got 3 Mill Lane, Otley", "Edda's address is 3 Mill Lane, Otley"),
        ("and when is my aunt's birthday?", "I have 12 May", "My aunt's birthday is 12 May"),
        ("Who is Karim's dentist?", "But I've got Dr Brandt", "Karim's dentist is Dr Brandt"),
        ("Where does Joost live?", "I've got Dock Road 8", "Where does Joost live? Dock Road 8"),
        ("What should I cook?", "I've got 40 mugs", ""),
        ("What helps my knees?", "I have Arthritis", ""),
        ("When can we meet?", "I've got Tuesday free", ""),
        ("What is this error?", "I've got Node 22", ""),
        ("What is Edda's address?", "I've got a parcel for her", ""),
        ("What is Edda's address?", "I've got Tom here", ""),
        ("Edda moved.", "I've got 3 Mill Lane", ""),
    ],
)
def test_what_is_had_as_an_answer_is_of_what_was_asked_about(asked, said, told):
    """Who asks for somebody's address and has one down for it does not live there."""
    assert own_answer(asked, said) == told


@pytest.mark.parametrize(
    ("before", "said", "reason"),
    [
        ("Joost does the boilers now,", "same number", Reason.FRAGMENT),
        ("We have a new carrier.", "The price stays the same", Reason.FRAGMENT),
        ("Monday is a holiday.", "No calls then", Reason.FRAGMENT),
        ("If I were rich I'd move to Crete and", "never answer a mail", Reason.HYPOTHETICAL),
        ("What if? We'd sell up,", "and never pay tax again", Reason.HYPOTHETICAL),
        ("", "Same-day replies to customers", None),
        ("", "No calls before ten", None),
        ("", "The same tone in every letter to customers", None),
        ("", "The layout is the same for all letters", None),
        ("I'd like you to be brief and", "never use emojis again", None),
        ("I'd quit.", "Never deploy on Fridays again", None),
        ("Write the docs and", "never touch the tests again", None),
    ],
)
def test_what_only_looks_like_a_rule_is_none(before, said, reason):
    """What is as it was, and what somebody would do; a rule beside such words stays one."""
    assert why_nothing(said, before, cues("en"), directs=True) is reason


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I am curious about keto, and I am allergic to peanuts by the way.", "I am allergic to peanuts by the way"),
        ("I'm just wondering, my son Max is allergic to eggs.", "My son Max is allergic to eggs"),
        ("I'm not sure about the layout but I live in Ghent.", "I live in Ghent"),
        ("I'm curious how that works.", ""),
        ("I'm wondering whether my wife and I could eat there.", ""),
        ("I'm not sure, what do you think we need?", ""),
    ],
)
def test_what_is_told_behind_what_somebody_wonders_is_kept(said, kept):
    """Where they go on to tell of themselves; what they wonder is no statement."""
    assert [atom.text for atom in read(said, "", WholeMarker(marks=True)).atoms] == [kept] * bool(kept)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("like I said I am vegan and my wife is allergic to nuts", None),
        ("especially since my son has asthma", None),
        ("like Rust or Go", Reason.FRAGMENT),
        ("which I like", Reason.FRAGMENT),
    ],
)
def test_words_that_hang_on_a_request_tell_something_with_a_clause_of_the_speaker(said, reason):
    """What somebody says that they are or have is no mere example."""
    assert why_nothing(said, "Can you suggest recipes", cues("en"), directs=False) is reason


@pytest.mark.parametrize("text", ["back on the portal", "Off to our importer", "back to the ticket list"])
def test_words_that_turn_to_something_say_nothing_lasting(text):
    """What opens a turn so is no statement."""
    (found,) = extract_marked([SpokenTurn(text=f"{text}", at=NOON)], WholeMarker(marks=True))
    assert says_where_to_go_on(text)
    assert [part.reason for part in found.left_out] == [Reason.FRAGMENT]


@pytest.mark.parametrize(
    "text",
    [
        "back in Ghent since May",
        "Back to 40 hours",
        "in the barn we keep goats",
        "Off to the Wharf on Mondays",
        "Rent 860",
    ],
)
def test_words_with_a_verb_or_a_value_are_no_bare_phrase(text):
    """They may state something."""
    assert not is_bare_phrase(text)


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        ("what's the rate limit at the gateway, do you know?", "What's the rate limit at the gateway?"),
        ("hm, when does the pool close on Sundays - any idea?", "When does the pool close on Sundays?"),
        ("where does the archive live, or do you remember?", "Where does the archive live?"),
        ("what's this error, do you know?", ""),
        ("do you know?", ""),
    ],
)
def test_whether_somebody_knows_is_no_part_of_the_question(asked, question):
    """What is asked stands before it, and names its thing."""
    assert own_question(asked) == question

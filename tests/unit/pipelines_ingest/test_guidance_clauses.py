"""Facts, standing wishes and wishes of the moment in one sentence, told apart by what a reader finds in each clause."""

from __future__ import annotations

from dataclasses import replace

import pytest
from spoken_turns import FRAME

from dopejar.pipelines.ingest import extract
from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.orders import is_order
from dopejar.pipelines.ingest.statement_frames import framed
from dopejar.values.record import Kind, Layer, Sublayer
from dopejar.values.statement import SpeechAct, Statement, Tense

UNSURE = replace(FRAME, class_certainty=0.0, layer_certainty=0.0)
WISHES = ("seat", "never", "always", "don't", "keep", "please")
MOMENTARY = ("then ", "now ", "move this", "where did")


class ByOpening:
    """Reads a clause by its first words as a standing wish, as one for the moment, or as a fact."""

    name, knows_dates, finds_frames, is_graded = "by opening", True, True, False

    def read(self, sentences):
        """One statement a clause; a whole with a fact before its wish hides the wish."""
        return tuple(self._statement(text) for text in sentences)

    @staticmethod
    def _statement(text):
        said = text.casefold()
        wishes, passes = said.startswith(WISHES), said.startswith(MOMENTARY)
        act = SpeechAct.ONE_OFF if passes else SpeechAct.RULE if wishes else SpeechAct.ASSERTION
        return Statement(
            text=text,
            act=act,
            act_certainty=0.9,
            tense=Tense.NOW,
            tense_certainty=0.9,
            denied=0.0,
            durable=0.1 if passes else 0.9,
            frame=replace(UNSURE, guides=0.8 if wishes or passes else 0.02),
        )

    def relate(self, pairs):
        """Nothing is asked of it here."""
        raise NotImplementedError


def marked(text: str, kind: Kind = Kind.FACT) -> Atom:
    """The whole sentence, as a marker finds it in a conversation."""
    (atom,) = extract("The kiln is hot.", at=None, speaker_is_user=True, keep_all=True).atoms
    is_rule = kind is Kind.RULE
    place = {"layer": Layer.INTENT, "sublayer": Sublayer.RULE} if is_rule else {}
    return replace(atom, text=text.rstrip("."), start=0, end=len(text), kind=kind, directs_work=is_rule, **place)


def parts(atom: Atom) -> list[tuple[str, bool]]:
    """The words of each part, and whether they direct the work."""
    (found,) = framed([atom], ByOpening(), resort=False)
    return [(part.text, part.directs_work) for part in found]


@pytest.mark.parametrize(
    ("said", "fact", "rule"),
    [
        ("I live in Whitby, so don't plan calls before ten.", "I live in Whitby", "don't plan calls before ten"),
        ("My aunt is in Cork, so always write to her.", "My aunt is in Cork", "Always write to my aunt"),
        ("Seat Mr Osei by the door, he uses a cane.", "Mr Osei uses a cane", "Seat Mr Osei by the door"),
        ("I keep bees; please keep honey off the list.", "I keep bees", "Please keep honey off the list"),
        (
            "Our roofer is Adeyemi, never call on Sundays. The number is 0117 4960.",
            "Our roofer is Adeyemi. The number is 0117 4960",
            "Never call on Sundays",
        ),
    ],
)
def test_each_half_stands_alone(said, fact, rule):
    """A pronoun that leans on the other half has its name; the fact directs nobody."""
    assert parts(marked(said)) == [(fact, False), (rule, True)]


@pytest.mark.parametrize(
    "said",
    [
        "The barn has no door, so never lock the goats in there.",
        "Don't plan anything on Mondays, I have band practice then.",
        "My aunt works nights, so never call her before noon.",
        "Because my hands shake, please print forms in large type.",
    ],
)
def test_halves_that_lean_on_each_other_wait_as_one_rule(said):
    """Where no name can be put in, or one is the condition of the other, nothing of it is a fact."""
    assert parts(marked(said)) == [(said.rstrip("."), True)]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Always write the tests first, and then fix the kiln page.", "Always write the tests first"),
        ("Never use inline styles, move this one to the sheet.", "Never use inline styles"),
        ("Never keep keys in the repository, where did you put yours?", "Never keep keys in the repository"),
    ],
)
def test_a_wish_of_the_moment_is_no_part_of_a_rule(said, kept):
    """The task at hand beside a standing wish is left out, and the evidence ends before it."""
    rule = marked(said, Kind.RULE)
    assert parts(rule) == [(kept, True)]
    ((part,),) = framed([rule], ByOpening(), resort=False)
    assert said[part.start : part.end].rstrip(".?") == kept


def test_a_condition_and_a_list_of_wishes_stay_whole():
    """What follows a condition belongs to it, and what lasts stays."""
    for said in ("When it rains, then call the barn.", "Always lock the barn, never leave a lamp on."):
        assert parts(marked(said, Kind.RULE)) == [(said.rstrip("."), True)]


def test_what_is_told_to_the_memory_keeps_its_words():
    """Nothing that is told on purpose is left out as momentary."""
    said = "Always write the tests first, and then fix the kiln page"
    ((atom,),) = framed([marked(said, Kind.RULE)], ByOpening(), resort=True)
    assert atom.text == said


class EveryWishless(ByOpening):
    """Reads every clause without a verb as a standing wish."""

    @staticmethod
    def _statement(text):
        has_verb = any(f" {verb} " in f" {text} " for verb in ("gets", "is", "eat"))
        return ByOpening._statement("The hall is cold" if has_verb else "Keep it")


@pytest.mark.parametrize(
    "said",
    [
        "Mr Osei gets the late key at one, this once",
        "Breakfast is at nine on Sunday, only this time",
        "We eat in the hall, just for today",
        "The hall is cold, and only this week",
        "Just this once, breakfast is at nine",
    ],
)
def test_words_for_a_time_are_no_rule(said):
    """What only says for how long the rest is so belongs to it, whatever a reader finds in it."""
    (found,) = framed([marked(said)], EveryWishless(), resort=True)
    assert [(part.text, part.directs_work) for part in found] == [(said, False)]


@pytest.mark.parametrize(
    "said",
    [
        "Keep lamps off in the barn, but half an hour at dusk.",
        "Rooms are heated, but seat cushions in the hall.",
    ],
)
def test_a_restriction_without_a_verb_stays_with_its_clause(said):
    """What comes behind "but" says nothing alone."""
    assert [text for text, _ in parts(marked(said))] == [said.rstrip(".")]


@pytest.mark.parametrize("said", ["Seat nobody on the stairs, aisle only.", "There is no more paper, email only."])
def test_what_is_left_stays_with_what_is_over(said):
    """Alone, "email only" would hold of everything."""
    (found,) = framed([marked(said)], EveryWishless(), resort=True)
    assert [part.text for part in found] == [said.rstrip(".")]


class NewsAndApplause(ByOpening):
    """Reads news with applause behind it, which sounds like an order alone."""

    @staticmethod
    def _statement(text):
        said = ByOpening._statement("We moved")
        if text in ("first go", "as you know"):
            return replace(said, act=SpeechAct.ACKNOWLEDGEMENT, frame=replace(UNSURE, guides=0.9))
        if text in ("no scratches", "to help with the move"):
            return replace(said, act=SpeechAct.RULE, frame=replace(UNSURE, guides=0.9))
        return replace(said, tense=Tense.CHANGED)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Petra passed the exam on Friday, first go", "Petra passed the exam on Friday"),
        ("Hofer charges 124 now, as you know", "Hofer charges 124 now"),
        ("We moved in, no scratches", "We moved in, no scratches"),
        ("My aunt came for a week, to help with the move", "My aunt came for a week, to help with the move"),
    ],
)
def test_applause_results_and_purposes_are_no_rules(said, kept):
    """What has no verb behind news belongs to that; applause says nothing."""
    (found,) = framed([marked(said)], NewsAndApplause(), resort=True)
    assert [(part.text, part.directs_work) for part in found] == [(kept, False)]


class HidesTheWish(ByOpening):
    """Reads an order without a mark in half a sentence, and none in the whole."""

    @staticmethod
    def _statement(text):
        return ByOpening._statement("Seat them" if text.startswith("ask ") else "The kiln is hot")


def test_an_order_that_says_same_stays_with_what_it_leans_on():
    """Alone, nobody would know whose number it is; and the whole rather states something."""
    said = "Sandra left the mill, ask for Goran now, same number"
    (found,) = framed([marked(said)], HidesTheWish(), resort=True)
    assert [(part.text, part.directs_work) for part in found] == [(said, False)]


def test_half_of_something_is_no_order():
    """Though an article follows it, as it follows the verb of an order."""
    assert not is_order("only half a tablet in the evening", cues("en"))
    assert is_order("halve the dose in the evening", cues("en"))

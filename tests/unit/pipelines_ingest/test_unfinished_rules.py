"""Rules that say nothing alone have the words before them in front, or are left out."""

import pytest
from spoken_turns import NOON

from dopejar.pipelines.ingest.atoms import Reason
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.pipelines.ingest.extraction.unfinished_rules import is_unfinished, with_whole_rules
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement

UNFINISHED = [
    "In no repo", "In any of my services", "With tabs, not spaces", "Without emojis please", "Not in tests either",
    "All our new tables are", "The other jobs do", "Every script must", "Never do it in one step", "Don't commit them",
    "You must never do that again", "We always do that before a release", "All fixtures live there",
    "No helpers there", "Every release needs it", "Our tests must cover them too",
]  # fmt: skip
WHOLE = [
    "Never commit to main", "In tests use fixtures", "In tests mock the clock", "For releases we tag main first",
    "On fridays no deploys", "Never touch that file", "Keep it short", "Make it fast", "All amounts are in cents",
    "Report what the risks are", "Leave the tests as they are", "Use the tools that we have",
    "If a test fails, fix it", "When a file is generated, don't touch it", "Put shared code in lib and keep it there",
    "There must be a test for every bug", "Write the changelog entry before you merge it", "Tabs, not spaces",
    "From now on answer in German",
    "The team that breaks the build mends it", "All who change a schema announce it",
    "Don't let it grow over 400 lines",
]  # fmt: skip


class RuleMarker:
    """Marks the given words, each as a rule or as a fact."""

    def __init__(self, *rules, facts=()):
        self.marked = {**dict.fromkeys(rules, True), **dict.fromkeys(facts, False)}

    def mark(self, texts, searched=()):
        """Where they stand."""
        return tuple(
            tuple(_marked(text.index(words), words, is_rule) for words, is_rule in self.marked.items() if words in text)
            for text in texts
        )


def _marked(start, words, is_rule):
    return MarkedStatement(
        start=start,
        end=start + len(words),
        certainty=0.9,
        fact_class=FactClass.CONSTRAINT if is_rule else FactClass.PLAIN,
        layer=Layer.INTENT if is_rule else Layer.WORLD,
        sublayer=Sublayer.RULE if is_rule else Sublayer.FACT,
    )


def read(text, *rules, facts=()):
    """What is made of one turn."""
    turn = SpokenTurn(text=text, at=NOON)
    (found,) = with_whole_rules([turn], extract_marked([turn], RuleMarker(*rules, facts=facts)))
    return found


@pytest.mark.parametrize("words", UNFINISHED)
def test_words_that_lack_something_are_found(words):
    """A verb, the end of the clause, or the thing that they are about."""
    assert is_unfinished(words)


@pytest.mark.parametrize("words", WHOLE)
def test_whole_rules_are_left_as_they_are(words):
    """What looks alike and names its thing."""
    assert not is_unfinished(words)


@pytest.mark.parametrize(
    ("text", "rule", "kept"),
    [
        (
            "put icons into assets/icons, all icons live there",
            "all icons live there",
            "Put icons into assets/icons, all icons live there",
        ),
        (
            "first the view, then the table. never do it in one step",
            "never do it in one step",
            "First the view, then the table. Never do it in one step",
        ),
    ],
)
def test_it_stands_behind_the_words_before_it(text, rule, kept):
    """Those of its sentence, or else the sentence before, are one statement with it."""
    (atom,) = read(text, rule).atoms
    assert (atom.text, text[atom.start : atom.end]) == (kept, text)


def test_two_rules_that_are_one_wait_as_one():
    """The rule that was found in the words before is not proposed once more."""
    found = read("no emojis in commits. in no repo", "no emojis in commits", "in no repo")
    assert [atom.text for atom in found.atoms] == ["No emojis in commits. In no repo"]


def test_a_fact_in_front_stays_a_fact():
    """It is kept by itself, and the rule names it."""
    found = read(
        "the amounts are integers. never do it with floats",
        "never do it with floats",
        facts=["the amounts are integers"],
    )
    assert [atom.text for atom in found.atoms] == [
        "The amounts are integers",
        "The amounts are integers. Never do it with floats",
    ]


def test_with_nothing_before_it_it_is_left_out():
    """No turn of its speaker tells what it is about."""
    found = read("never do it in one step", "never do it in one step")
    assert not found.atoms
    assert [part.reason for part in found.left_out] == [Reason.UNRESOLVED]


@pytest.mark.parametrize(
    "said",
    [
        "the exam is on 12 June. after that throw away my notes",
        "Gas gets cut off on Friday. then delete the meter from the list",
        "Once that's done, delete the old exports everywhere",
    ],
)
def test_the_next_step_is_no_rule(said):
    """An order for once something else is over is for that time alone."""
    rule = said.split(". ")[-1]
    found = read(said, rule)
    assert not found.atoms
    assert [part.text for part in found.left_out if part.reason is Reason.REQUEST] == [rule]


def test_the_next_step_of_a_rule_is_a_part_of_it():
    """It stands behind the rule that it follows, and so does what nobody is told to do."""
    found = read(
        "sweep the hall before you lock up. then switch off the boiler",
        "sweep the hall before you lock up",
        "then switch off the boiler",
    )
    assert [atom.text for atom in found.atoms] == ["Sweep the hall before you lock up. Switch off the boiler"]
    found = read(
        "we release on fridays. after that nobody merges",
        "after that nobody merges",
        facts=["we release on fridays"],
    )
    assert found.atoms[-1].text == "We release on fridays. After that nobody merges"


def test_what_comes_next_every_time_is_a_rule():
    """It says so."""
    (atom,) = read("after that always lock the door", "after that always lock the door").atoms
    assert atom.directs_work

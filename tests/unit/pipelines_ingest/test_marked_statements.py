"""Marked statements: whole clauses become atoms, and nothing that its speaker did not say."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.atoms import Reason
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.values.record import Kind, Layer, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


class WordMarker:
    """Marks each run of words between `[` and `]`, and where there is none the words that it was given."""

    def __init__(self, words: str = "", fact_class: FactClass = FactClass.PLAIN, sublayer: Sublayer = Sublayer.FACT):
        self._words = re.compile(re.escape(words)) if words else re.compile(r"\w[\w ]*")
        self._class, self._sublayer = fact_class, sublayer
        self.seen: list[str] = []

    def mark(self, texts):
        """One statement for every match."""
        self.seen.extend(texts)
        return tuple(tuple(self._marked(found) for found in self._words.finditer(text)) for text in texts)

    def _marked(self, found: re.Match[str]) -> MarkedStatement:
        layer = Layer.INTENT if self._sublayer in (Sublayer.RULE, Sublayer.GOAL) else Layer.WORLD
        return MarkedStatement(
            start=found.start(),
            end=found.end(),
            certainty=0.8,
            fact_class=self._class,
            layer=layer,
            sublayer=self._sublayer,
        )


def read(text: str, marker: WordMarker, **turn):
    """The extraction of one turn."""
    return extract_marked([SpokenTurn(text=text, at=NOON, **turn)], marker)[0]


@pytest.mark.parametrize(
    ("marked", "whole"),
    [
        ("port 5433", "The staging database listens on port 5433"),
        ("The staging database", "The staging database listens on port 5433"),
    ],
)
def test_a_mark_is_completed_to_its_clause(marked, whole):
    """A mark that misses the boundary of its clause by a few words is moved there."""
    found = read("Please restart it, the staging database listens on port 5433; thanks.", WordMarker(marked.lower()))
    assert [atom.text for atom in found.atoms] == [whole]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("btw the kiln fires at 900", "The kiln fires at 900"),
        ("Heads up: and the kiln fires at 900", "The kiln fires at 900"),
        ("fyi, well, the kiln fires at 900", "The kiln fires at 900"),
        ("So far the kiln fires at 900", "So far the kiln fires at 900"),
    ],
)
def test_what_only_opens_a_message_is_no_part_of_a_statement(said, kept):
    """Words that keep a conversation going are left out at the beginning; the evidence still covers them."""
    (atom,) = read(said, WordMarker(said)).atoms
    assert (atom.text, said[atom.start : atom.end]) == (kept, said)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("The kiln fires at 900, sorry no, 950. Can you note that?", "The kiln fires at 900, sorry no, 950"),
        ("The kiln fires at 900, hmm, wait, 950 I think.", "The kiln fires at 900, hmm, wait, 950 I think"),
        ("The kiln fires at 900. Scratch that, 950.", "The kiln fires at 900. Scratch that, 950"),
        ("The kiln fires at 900, no flame is seen.", "The kiln fires at 900"),
    ],
)
def test_what_is_taken_back_is_kept_with_what_replaces_it(said, kept):
    """A statement that corrects itself is whole only with its correction, in the same sentence or the next."""
    marker = WordMarker("The kiln fires at 900") if "Scratch" not in said else WordMarker()
    (atom,) = read(said, marker).atoms[:1]
    assert atom.text == kept


def test_a_rule_directs_the_work_and_a_goal_does_not():
    """What a constraint of layer intent says directs the work; a goal does not."""
    text = "Never push to the main branch."
    rule = read(text, WordMarker("Never push", FactClass.CONSTRAINT, Sublayer.RULE)).atoms[0]
    goal = read(text, WordMarker("Never push", FactClass.CONSTRAINT, Sublayer.GOAL)).atoms[0]
    assert rule.directs_work
    assert not goal.directs_work


def test_an_alias_and_an_environment_are_told_apart():
    """A definition becomes an alias, a tool in use a fact of the environment."""
    text = "BOM means bill of materials."
    assert read(text, WordMarker("means", FactClass.ALIAS)).atoms[0].kind is Kind.ALIAS
    assert read(text, WordMarker("means", FactClass.ENVIRONMENT)).atoms[0].tags


def test_code_and_pastes_are_never_read():
    """A marker sees neither code nor what was pasted, and a mark that reaches into it is dropped."""
    text = "We deploy from trunk.\n```\nwe deploy from main\n```\nwe deploy on fridays"
    marker = WordMarker()
    found = read(text, marker, skip=[(text.index("we deploy on"), len(text))])
    assert [atom.text for atom in found.atoms] == ["We deploy from trunk"]
    assert not any("main" in seen or "fridays" in seen for seen in marker.seen)


def test_what_points_at_nothing_is_left_out():
    """A pronoun without its noun makes no memory."""
    found = read("It runs on port 9000.", WordMarker("runs"))
    assert not found.atoms
    assert Reason.UNRESOLVED in {part.reason for part in found.left_out}


@given(text=st.lists(st.sampled_from(["we use pnpm", "it is on", ". ", ", ", "\n", "`x`", " and "])).map("".join))
def test_every_word_is_in_an_atom_or_left_out(text):
    """No word disappears, and no atom overlaps another."""
    found = read(text, WordMarker("use pnpm"))
    spans = sorted([(one.start, one.end) for one in (*found.atoms, *found.left_out)])
    covered = {place for start, end in spans for place in range(start, end)}
    assert all(place in covered or not letter.isalnum() for place, letter in enumerate(text))
    atoms = sorted((atom.start, atom.end) for atom in found.atoms)
    assert all(one[1] <= other[0] for one, other in pairwise(atoms))

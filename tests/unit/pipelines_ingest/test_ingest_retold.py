"""A whole told text as one more wording of what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from believed import AT, Believed, say

from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.integrity.chain_move import Step
from dopejar.pipelines.ingest.paraphrase.candidates import Neighbour
from dopejar.pipelines.ingest.paraphrase.sameness import same_statement
from dopejar.pipelines.ingest.paraphrase.semantic_traits import Nearness
from dopejar.pipelines.ingest.paraphrase.whole_text_match import LONGEST, retold
from dopejar.values.record import Kind, Layer, Record, Sublayer

TEXT = "White screens tire my eyes, so I keep the editor dark"


def no_vectors(told: str, known: Sequence[str]) -> list[Nearness | None]:
    """Texts without vectors."""
    return [None for _ in known]


def record(text: str) -> Record:
    """A record of these words."""
    known = Believed()
    return known.learn(say(known, text, at=AT)[0])


def atom(text: str, words: str, *, directs_work: bool = False) -> Atom:
    """The atom of these words of the text."""
    start = text.index(words)
    return Atom(
        text=words,
        start=start,
        end=start + len(words),
        layer=Layer.WORLD,
        sublayer=Sublayer.FACT,
        kind=Kind.FACT,
        cue="",
        directs_work=directs_work,
    )


def beside(*wordings: str, says: float = 0.8) -> Neighbour:
    """A neighbour told in these wordings."""
    return Neighbour(record=record(wordings[0]), wordings=wordings, nearness=(Nearness(says, says),) * len(wordings))


@pytest.mark.parametrize("words", ["White screens tire my eyes", "I keep the editor dark"])
def test_reasons_and_asides_belong_to_what_is_told_once_more(words: str) -> None:
    """Each atom of a text that means what a record means states that record once more."""
    near = beside("I keep my editor dark", "The editor is always dark with me")
    move = retold(TEXT, atom(TEXT, words), [near], no_vectors)
    assert move is not None
    assert (move.step, move.targets) == (Step.REINFORCE, (near.record,))


def test_an_atom_with_a_name_of_its_own_is_judged_alone() -> None:
    """A name that no wording has is no aside."""
    text = "I keep my editor dark, and my sister Marit lives in Bergen"
    near = beside("I keep my editor dark", "The editor is always dark with me")
    assert retold(text, atom(text, "my sister Marit lives in Bergen"), [near], no_vectors) is None


def test_far_texts_and_long_texts_state_nothing_once_more() -> None:
    """Words that say something else or a text of many words leaves everything to the atoms."""
    far = beside("Our retro is on Fridays", says=0.1)
    assert retold(TEXT, atom(TEXT, "I keep the editor dark"), [far], no_vectors) is None
    long = f"{TEXT}, {'and so on ' * (LONGEST // 10)}"
    assert retold(long, atom(long, "I keep the editor dark"), [beside("I keep my editor dark")], no_vectors) is None
    assert retold(TEXT, replace(atom(TEXT, TEXT)), [], no_vectors) is None


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ("The gateway is on 7071 now, 7070 clashed with something", "The gateway listens on port 7070"),
        ("Sorry, the gateway is 7071, not 7070", "The gateway listens on port 7070"),
        ("I've gone back to light mode, dark mode gives me headaches", "I prefer dark mode"),
        ("Forget the rule about signed commits, we dropped it", "Always sign commits"),
        ("Tests for the parser are no longer run on Windows", "Tests for the parser are run on Windows"),
        ("I want to learn Portuguese", "I speak Portuguese"),
    ],
)
def test_a_change_is_no_wording_of_what_it_changes(told: str, known: str) -> None:
    """Another value of the same kind, or an end, is never the same, however many wordings are known and near."""
    assert not same_statement(told, [known] * 3, [Nearness(0.8, 0.7)] * 3).same


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ("The gateway isn't on 7000, it's on 7070", "The gateway listens on port 7070"),
        ("7000 was taken, so I keep the gateway on 7070", "The gateway listens on port 7070"),
        ("Helix is our package manager's favourite editor, and mine", "My editor is Helix"),
        ("Dutch is my mother tongue", "My native language is Dutch"),
    ],
)
def test_what_only_one_side_says_is_no_contradiction(told: str, known: str) -> None:
    """A refused number, a number in an aside and a word that looks like a person forbid nothing."""
    assert same_statement(told, [known] * 2, [Nearness(0.8, 0.8)] * 2).same

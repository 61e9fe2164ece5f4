"""What is told in seven languages besides English: no opposite, sibling, wish or other number repeats or retires."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.side_by_side import by_language
from dopejar.language.relations import judged
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.reader_by_language import ReaderByLanguage
from dopejar.values.statement import Related, Relation, SpeechAct, Statement, Tense

PAIRS = Path("benchmarks/data/relations_languages.jsonl")
GRAMMAR = GrammarReader()


class Agreeing:
    """A reader that takes every pair for a repetition, as a guess in a language it does not know."""

    name, knows_dates, finds_frames, is_graded = "agreeing", False, False, True

    def read(self, sentences: Sequence[str]) -> tuple[Statement, ...]:
        """Each as an assertion."""
        return tuple(
            Statement(
                text=text,
                act=SpeechAct.ASSERTION,
                act_certainty=1,
                tense=Tense.NOW,
                tense_certainty=1,
                denied=0,
                durable=1,
            )
            for text in sentences
        )

    def relate(self, pairs: Sequence[tuple[str, str]]) -> tuple[Related, ...]:
        """The same, of all."""
        return tuple(Related(relation=Relation.SAME, shares=(1, 0, 0, 0, 0, 0)) for _ in pairs)

    def rests(self, pairs: Sequence[tuple[str, str]]) -> tuple[str | None, ...]:
        """All of each is left."""
        return tuple(earlier for earlier, _ in pairs)


def test_no_pair_of_the_set_is_wrongly_the_same_or_retired() -> None:
    """Of 30 pairs in each language none is; every rule waits, and nearly every fact is active."""
    for language, found in by_language(PAIRS, None).items():
        assert (found["wrongly_same"], found["wrongly_retired"]) == (0, 0), language
        assert found["rules_waiting"] == found["rules"], language
        assert found["facts_active"] >= found["facts"] - 1, language


def test_the_fitted_reader_is_asked_about_english_alone() -> None:
    """Whatever it would say, a pair with a text in another language is the grammar's; the order of pairs stays."""
    reader = ReaderByLanguage(Agreeing())
    foreign = [(row["earlier"], row["later"]) for row in map(json.loads, PAIRS.read_text("utf-8").splitlines())]
    mixed = [pair for one in foreign for pair in (("We own a boat.", "The boat is ours."), one)]
    found = reader.relate(mixed)
    assert all(one.relation is Relation.SAME for one in found[::2])
    expected = [one.relation for one in GRAMMAR.relate(foreign) if one.share(one.relation) >= 0.5]
    assert sum(one.relation is Relation.SAME for one in found[1::2]) <= expected.count(Relation.SAME)


def test_what_is_left_of_a_sentence_in_another_language_is_not_known() -> None:
    """Nor of an English one after such a sentence; the order of pairs stays."""
    boat, auto = "We own a boat.", "Wir haben ein neues Auto und eine Garage."
    pairs = [(boat, "The boat is red now."), (auto, "Das Auto ist verkauft worden."), (boat, auto), (boat, boat)]
    assert ReaderByLanguage(Agreeing()).rests(pairs) == (boat, None, None, boat)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I drive a Fiat.", "I sold the Fiat and drive an Opel."),
        ("Rosa is the secretary.", "Rosa stepped down as secretary."),
        ("The office has a kitchen.", "The office lost its kitchen."),
        ("I have a parrot.", "I had a parrot."),
        ("Kurt owns the kiosk.", "Kurt burned the kiosk."),
        ("Entry costs 9 euros.", "Entry costs 5 euros for pensioners."),
        ("The beach opens at eight.", "The beach opens at ten if it storms."),
        ("Nadia is the goalkeeper.", "Ute would be the goalkeeper if Nadia moved."),
        ("密码是4417。", "密码是5528。"),
        ("车票是30元。", "车票是45元。"),
        ("Řídím auto.", "Neřídím auto."),
        ("Vendemos pan.", "No vendemos pan."),
    ],
)
def test_words_of_another_verb_condition_or_sign_repeat_and_retire_nothing(earlier: str, later: str) -> None:
    """Without a model: a verb between the words, a condition, a supposition, or another number behind a sign."""
    found = GRAMMAR.relate([(earlier, later)])[0]
    assert judged(*GRAMMAR.read((earlier, later)), found).relation in (
        Relation.APART,
        Relation.ADDITION,
        Relation.CONTRADICTION,
    )


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The server binds to port 7070.", "The server binds to port 7070 in Lyon."),
        ("My dentist is Dr Bloom.", "My dentist is Dr Bloom, on Kiln Road."),
        ("We deploy on Mondays.", "By the way, we deploy on Mondays."),
        ("Řídím auto.", "Řídím auto."),
        ("密码是4417。", "密码是4417。"),
    ],
)
def test_what_is_said_again_with_more_is_the_same(earlier: str, later: str) -> None:
    """Words before or behind it make it no other statement."""
    found = GRAMMAR.relate([(earlier, later)])[0]
    assert judged(*GRAMMAR.read((earlier, later)), found).relation is Relation.SAME

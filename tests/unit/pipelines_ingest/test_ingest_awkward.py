"""Awkward words: lists under a heading, pictures, other languages, doubts at the end, other people's tastes."""

from __future__ import annotations

import pytest
from believed import AT

from dopejar.pipelines.ingest import Atom, extract, make_key
from dopejar.values.record import Layer, Sublayer


def told(said: str) -> tuple[Atom, ...]:
    """The atoms of what is told to the memory itself."""
    return extract(said, at=AT, speaker_is_user=True, keep_all=True).atoms


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        ("Here is my stack:\n- Postgres 15\n- Redis\n", ["My stack: Postgres 15", "My stack: Redis"]),
        ("My allergies:\n- nuts\n- milk", ["My allergies: nuts", "My allergies: milk"]),
        ("My wishes:\n1. I prefer tabs.\n2. Never use emojis.", ["I prefer tabs", "Never use emojis"]),
        ("We have a kiln. It is broken.", ["We have a kiln", "We have a kiln. It is broken"]),
        ("\U0001f389 I moved to Bergen!! \U0001f389", ["I moved to Bergen"]),
        ("I guess we deploy on Fridays, perhaps.", ["I guess we deploy on Fridays, perhaps"]),
        ("我喜欢深色模式。我叫小明。", ["我喜欢深色模式", "我叫小明"]),
    ],
)
def test_what_is_told_stands_alone(said: str, texts: list[str]) -> None:
    """An item has what it is an item of, a pronoun what it leans on; pictures leave the words, doubts stay."""
    assert [atom.text for atom in told(said)] == texts


@pytest.mark.parametrize(
    ("said", "slot", "value"),
    [
        ("Prefiro o modo escuro.", "self.pref.theme", "+dark"),
        ("Prefiero el modo claro.", "self.pref.theme", "+light"),
        ("Ich bevorzuge den dunklen Modus.", "self.pref.theme", "+dark"),
        ("Je préfère le mode sombre.", "self.pref.theme", "+dark"),
        ("Я предпочитаю тёмную тему.", "self.pref.theme", "+dark"),
        ("Moro no Porto desde 2019.", "self.home", "+porto"),
        ("Eu não uso Vim.", "self.editor", "-vim"),
        ("Ich benutze Vim nicht mehr.", "self.editor", "-vim"),
        ("The repo was renamed from Marmot to Ferret.", "project.name", "+ferret"),
        ("My email is a@example.org.", "self.email", "+a@example.org"),
    ],
)
def test_the_slot_is_read_whatever_the_language_and_form(said: str, slot: str, value: str) -> None:
    """The seed's example in other languages; "no" is no denial where it means "in the"; an address is no article."""
    (atom,) = told(said)
    key = make_key(atom)
    assert (key.slot, key.value) == (slot, value)


@pytest.mark.parametrize("said", ["Mein Server hat keine GPU.", "Ich benutze Vim nicht mehr.", "Der Ofen läuft nicht."])
def test_a_denied_statement_is_no_ban(said: str) -> None:
    """What is not so is a fact; only what begins with the ban bans."""
    (atom,) = told(said)
    assert atom.layer is not Layer.INTENT


@pytest.mark.parametrize(
    "said", ["My sister prefers light mode.", "My daughter is allergic to nuts.", "My boss hates long answers."]
)
def test_what_somebody_else_likes_is_no_trait_of_the_speaker(said: str) -> None:
    """The facts of a third party are facts of the world."""
    (atom,) = told(said)
    assert (atom.layer, atom.sublayer) == (Layer.WORLD, Sublayer.FACT)


def test_a_setting_is_no_failure() -> None:
    """A timeout that is set is a fact; one that occurs is a failure."""
    assert told("The kiln timeout is 30 s.")[0].sublayer is Sublayer.FACT
    assert told("The kiln keeps running into timeouts at night.")[0].sublayer is Sublayer.FAILURE

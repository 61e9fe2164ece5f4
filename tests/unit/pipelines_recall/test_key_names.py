"""Names in keys, and slips of the keyboard in a question."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from dopejar.compose.stores import in_memory_store
from dopejar.pipelines.recall.key_names import is_slip, naming_words, respelled_terms, topic_words
from dopejar.pipelines.recall.question import parse_question
from dopejar.testing.builders import a_record, insert_record


@pytest.mark.parametrize(
    ("key", "text", "named"),
    [
        ("Kiln/Brick-Oven", "How hot is the brick oven?", {"brick", "oven"}),
        ("Kiln/Brick-Oven", "How hot is the oven?", set()),
        ("brick_oven", "How hot do brick ovens get?", {"brick", "ovens"}),
        ("user-Cat-Name-9af901e1", "What is the name of my cat?", {"cat", "name"}),
        ("user-Cat-Name-9af901e1", "What is the name of my dog?", set()),
        ("World-Fact-Green-dd2bc86e", "Who sells green umbrellas?", set()),
        ("Music/Compose", "Whose composition is it?", set()),
        ("", "Which linter?", set()),
    ],
)
def test_a_question_names_a_key_with_all_words_of_one_of_its_names(key: str, text: str, named: set[str]) -> None:
    """Roots and digests of made keys are no words of the name; an ending may differ, and no more than that."""
    assert naming_words(key, parse_question(text, date(2024, 5, 6))) == named


@pytest.mark.parametrize(
    ("said", "meant", "expected"),
    [
        ("keyclok", "keycloak", True),
        ("keycloack", "keycloak", True),
        ("kyecloak", "keycloak", True),
        ("keycloek", "keycloak", True),
        ("keycloak", "keycloak", False),
        ("tide", "time", False),
        ("oven", "overt", False),
        ("cat", "cats", False),
    ],
)
def test_a_slip_is_one_letter_too_many_missing_or_out_of_place(said: str, meant: str, *, expected: bool) -> None:
    """Another letter counts in long words alone, and short words are never a slip."""
    assert is_slip(said, meant) is expected


def test_only_a_term_that_records_lack_is_respelled_and_then_names_a_record() -> None:
    """A word that stands in memory was meant as it was written."""
    store = in_memory_store()
    with store.write() as tx:
        insert_record(tx, a_record("m1", "Logins run over Keycloak.", key="Keycloak"))
        insert_record(tx, a_record("m2", "The stable has a horse.", key="Horse"))
    with store.read() as view:
        question = parse_question("Where does keyclaok run, and the horses?", date(2024, 5, 6))
        found = respelled_terms(question, view)
    assert found == {"keycloak"}
    assert naming_words("Keycloak", replace(question, respelled=found)) == {"keycloak"}
    assert not naming_words("Keycloak", question)


@pytest.mark.parametrize(
    ("key", "slot", "told"),
    [
        ("InvoiceContact-Fact-Job", "", "InvoiceContact"),
        ("World-Fact-Date", "", ""),
        ("Self-Oven-Temperature", "", "Oven"),
        ("Lathe-Rule-Naming-b55ccf", "", "Lathe"),
        ("Launch-Fact-Date", "launch.date", "Launch Date"),
        ("Self-Id-Home", "self.home", "Home"),
        ("Kiln-Brick", "", "Kiln Brick"),
        ("Music/Compose", "", "Music/Compose"),
        ("Keycloak", "", "Keycloak"),
        ("", "", ""),
    ],
)
def test_a_made_key_tells_its_subject_and_the_property_of_its_slot(key: str, slot: str, told: str) -> None:
    """The root, the sort, the digest and a property that was only guessed tell no topic; a given key tells all."""
    assert topic_words(key, slot) == told


def test_a_later_version_is_found_by_the_words_of_the_first() -> None:
    """Without a reader they stand behind the root of its key, which the versions share."""
    assert topic_words("World-Fact-Chapel", is_later=True) == "Chapel"
    assert topic_words("InvoiceContact-Fact-Job", is_later=True) == "InvoiceContact"

"""Pieces of questions: each listed thing asked for alone, a set asked for by its members, every part answered first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_values import ranked, record

from dopejar.pipelines.recall.asked_pieces import as_listed, parts_of, with_pieces

NAMES = ("Ida", "Ravi", "Noor", "Tomasz", "Lea", "Bruno")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("What do we use for CI, logs and deploys?", ("use for CI?", "use for logs?", "use for deploys?")),
        ("Who lives in flats 2 and 4?", ("lives in flats 2?", "lives in flats 4?")),
        ("When are Ida's and Noor's birthdays?", ("are Ida's birthdays?", "are Noor's birthdays?")),
        ("Where do the Bauers and the Holt sisters park?", ("do the Bauers park?", "do the Holt sisters park?")),
        ("What does she drink in the morning and before bed?", ("drink in the morning?", "drink before bed?")),
        ("Which came first, the fern or the rose?", ("came first, the fern?", "came first, the rose?")),
        (
            "When did versions 2.2, 2.0 and 2.1 come out?",
            ("sions 2.2 come", "sions 2.0 come", "sions 2.1 come"),
        ),
        ("Wo wohnen Anna und Peter?", ("wohnen Anna?", "wohnen Peter?")),
        ("Where is the key?", ()),
        ("and?", ()),
    ],
)
def test_each_listed_thing_is_asked_for_alone(text: str, parts: tuple[str, ...]) -> None:
    """The rest of the question stays with each of them; a question that lists nothing has no parts."""
    found = parts_of(text)
    assert len(found) == len(parts)
    assert all(part in one for part, one in zip(parts, found, strict=True))


@given(st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True))
def test_every_name_has_one_part(names: list[str]) -> None:
    """However many are listed, each part names one of them, in their order."""
    found = parts_of(f"Where do {', '.join(names[:-1])} and {names[-1]} live?")
    assert [[name for name in NAMES if name in part] for part in found] == [[name] for name in names]


@given(st.text(max_size=250))
def test_no_text_is_a_fault(text: str) -> None:
    """Whatever is asked is parted or not, and no part is empty."""
    assert all(part.strip(" ?") for part in parts_of(text))
    assert isinstance(as_listed(text), str)


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("How many plants do I have?", "What plants do I have?"),
        ("Which three cities did I visit?", "What cities did I visit?"),
        ("List all medicines Jan takes.", "What medicines Jan takes."),
        ("How many races have I run so far?", "What races have I run?"),
        ("Who are Jan's doctors?", "Who are Jan's doctors?"),
        ("What does Jan take?", ""),
        ("Where do I keep the glue?", ""),
    ],
)
def test_a_set_is_asked_for_by_its_members(text: str, listed: str) -> None:
    """Their number is no matter of what is said of one; other questions are none for a set."""
    assert as_listed(text) == listed


@given(st.permutations(range(6)), st.data())
def test_every_part_is_answered_before_the_rest(order: list[int], data: st.DataObject) -> None:
    """The best item stays first, each part's first answer stands before what answers none, and nothing is lost."""
    known = [ranked(record(number, f"fact {number}"), 1.0) for number in order]
    answers = {part: data.draw(st.permutations(known))[:2] for part in ("one", "two")}
    found = with_pieces(known, [*answers], lambda part: [replace(item, answer=-1.0) for item in answers[part]])
    firsts = {known[0].id, *(items[0].id for items in answers.values())}
    assert found[0].id == known[0].id
    assert {item.id for item in found[: len(firsts)]} == firsts
    assert sorted(item.id for item in found) == sorted(item.id for item in known)

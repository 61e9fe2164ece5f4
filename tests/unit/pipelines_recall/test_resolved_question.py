"""Questions in which names stand for those whom they describe."""

from __future__ import annotations

import pytest
from recall_values import record

from dopejar.pipelines.recall.resolved_question import resolved


def named(question: str, *said: str) -> str | None:
    """The question with the names that these statements tell."""
    records = [record(place, text) for place, text in enumerate(said)]
    found = resolved(question, lambda _: records)
    return found.text if found else None


@pytest.mark.parametrize(
    ("question", "said", "expected"),
    [
        ("Where was my boss born?", ["My boss is Karin"], "Where was Karin born?"),
        ("Where was my boss born?", ["Karin is my boss."], "Where was Karin born?"),
        ("What is my son allergic to?", ["My son Jan plays chess"], "What is Jan allergic to?"),
        ("Which disk has the replica?", ["The replica is pg-heron"], "Which disk has pg-heron?"),
        ("Which disk has our main database?", ["Our main database is pg-otter"], "Which disk has pg-otter?"),
        (
            "Where does my sister's husband work?",
            ["My sister is Ana", "Ana is married to Tom"],
            "Where does Tom work?",
        ),
        (
            "Which port has the service that Lena owns?",
            ["Lena owns the billing service"],
            "Which port has the billing service?",
        ),
        ("Which port has Lena's service?", ["Lena owns the billing service"], "Which port has the billing service?"),
        ("Where does the person who wrote the parser sit?", ["Noor wrote the parser"], "Where does Noor sit?"),
    ],
)
def test_a_description_gives_way_to_the_name(question: str, said: list[str], expected: str) -> None:
    """Whoever or whatever a statement names is asked for by the name, over several statements where it takes them."""
    assert named(question, *said) == expected


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What does my neighbour do?", ["My neighbour is a plumber"]),
        ("Where was my boss born?", ["My bosses are Karin"]),
        ("Where was my boss born?", ["My old boss is Karin"]),
        ("Where does my sister live?", ["My sister is Ana", "My sister is Ida"]),
        ("Is my boss Karin ill?", ["My boss is Karin"]),
        ("Which port has the service that Lena wrote?", ["Lena owns the billing service"]),
        ("Which port has the service that Lena owns?", ["Marco owns the search service"]),
        ("Where do I live?", ["I live in Ghent"]),
    ],
)
def test_what_no_statement_names_alone_stays(question: str, said: list[str]) -> None:
    """What a thing is like is no name; neither is another's, one of two, or one that is there already."""
    assert named(question, *said) is None

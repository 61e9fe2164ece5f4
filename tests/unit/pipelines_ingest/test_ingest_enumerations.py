"""One concept per atom: what a clause says of one subject twice, or at several places, becomes several statements."""

from __future__ import annotations

import pytest
from believed import AT

from dopejar.pipelines.ingest import extract, make_key
from dopejar.pipelines.ingest.extraction.enumerations import one_by_one


def slots(said: str) -> list[tuple[str, str]]:
    """The slots and values of what is said."""
    found = [make_key(atom) for atom in extract(said, at=AT, speaker_is_user=True, keep_all=True).atoms]
    return [(key.slot, key.value) for key in found]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (
            "The service is called Marmot and runs on port 6001",
            [("service.name", "+marmot"), ("service.port", "+6001")],
        ),
        ("I work at Initech and live in Porto", [("self.employer", "+initech"), ("self.home", "+porto")]),
        ("I'm vegetarian and live in Rome", [("self.diet", "+vegetarian"), ("self.home", "+rome")]),
        ("I don't use Vim and live in Rome", [("self.editor", "-vim"), ("self.home", "+rome")]),
        (
            "The kiln server listens on port 8080 in staging and 9090 in production",
            [("kiln-server.port@staging", "+8080"), ("kiln-server.port@production", "+9090")],
        ),
        (
            "Use tabs in Makefiles and spaces in Python",
            [("dev.indentation@makefile", "+tabs"), ("dev.indentation@python", "+spaces")],
        ),
        (
            "We use Postgres for orders and Redis for caching",
            [("project.database@order", "+postgres"), ("project.cache", "+redis")],
        ),
        ("I'm allergic to nuts, eggs and milk", [(f"self.allergy#{one}", f"+{one}") for one in ("nut", "egg", "milk")]),
    ],
)
def test_each_thing_that_is_said_fills_its_slot(said: str, read: list[tuple[str, str]]) -> None:
    """Two predicates of one subject, a value for each place, a list of allergies."""
    assert slots(said) == read


def test_a_denial_belongs_to_its_own_predicate() -> None:
    """What denies the name does not deny the port."""
    assert ("service.port", "+6001") in slots("The service is not called Marmot and runs on port 6001")


@pytest.mark.parametrize(
    "said",
    [
        "My wife Clara is a teacher and works at the school",
        "I like fish and chips",
        "We use MySQL and Postgres",
        "I use Vim and love it",
        "We use Postgres 15 for orders, Redis for caching and S3 for files",
        "I prefer tea over coffee and milk",
    ],
)
def test_what_cannot_be_parted_with_confidence_stays_whole(said: str) -> None:
    """Where a part fills no slot of its own, where two values hold at once, where a word would be put into it."""
    assert one_by_one(said) == (said,)

"""Which memories under different keys say one thing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.merge_candidates import is_mergeable, plan_merges, says_one_thing, survivor
from dopejar.testing.builders import NOON, a_record
from dopejar.values.ids import RecordId
from dopejar.values.record import Kind, Record, Status
from dopejar.values.scope import Namespace, Scope, Side
from dopejar.values.statement import Related, Relation

GRAMMAR = GrammarReader()
BOAT = "I bought a little boat in Porto."


def told(name: str, text: str, **changes: object) -> Record:
    """A record without a slot, under a key of its own."""
    return a_record(name, text, **{"slot": "", "value": "", **changes})  # type: ignore[arg-type] # fields of the class


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (BOAT, "I purchased a small boat in Porto.", True),
        (
            "Our invoices are printed on green paper every Monday.",
            "Our invoices get printed on green paper on Mondays.",
            True,
        ),
        (BOAT, "I never bought a little boat in Porto.", False),
        (BOAT, "I bought a little boat in Faro.", False),
        ("The kiln reaches 900 degrees.", "The kiln reaches 950 degrees.", False),
        (BOAT, "My sister bought a little boat in Porto.", False),
        (BOAT, "I sold my bicycle.", False),
        ("I prefer to start with coin puzzles.", "I've never finished any coin puzzles before.", False),
    ],
)
def test_only_the_same_statement_is_one_thing(one: str, other: str, same: bool) -> None:
    """Another value, sign, person or matter is another thing, however near the words."""
    assert says_one_thing(told("a", one), told("b", other), GRAMMAR) is same
    assert says_one_thing(told("b", other), told("a", one), GRAMMAR) is same


@pytest.mark.parametrize(
    "changes",
    [
        {"scope": Scope.project("atlas")},
        {"namespace": Namespace.TEST},
        {"side": Side.LEFT},
        {"kind": Kind.RULE},
        {"key": "Pantry-A-Place"},
    ],
)
def test_another_place_or_kind_is_another_thing(changes: dict[str, object]) -> None:
    """Memories of two scopes, namespaces, sides or kinds are not one; those of one key have one chain already."""
    assert not says_one_thing(told("a", BOAT), told("b", BOAT, **changes), GRAMMAR)
    assert says_one_thing(told("a", BOAT), told("b", BOAT), GRAMMAR)


def test_a_memory_and_what_stands_behind_it_stay_two() -> None:
    """Each may change by itself, whatever the reader makes of the words that both have."""

    class SameReader(GrammarReader):
        def relate(self, pairs: Sequence[tuple[str, str]]) -> tuple[Related, ...]:
            shares = tuple(float(kind is Relation.SAME) for kind in Relation)
            return tuple(Related(relation=Relation.SAME, shares=shares) for _ in pairs)

    boat, berth = told("a", "We own a boat"), told("b", "We own a boat. The berth is number 4")
    assert not says_one_thing(boat, berth, SameReader())
    assert not says_one_thing(berth, boat, SameReader())
    assert says_one_thing(boat, told("c", "We have a boat"), SameReader())


def test_two_slots_are_two_things() -> None:
    """What two slots tell apart is not merged by its words, unless the slots differ in the member alone."""
    one, other = a_record("a", BOAT, slot="self.owns", value="+boat"), a_record("b", BOAT, slot="self.home")
    member = a_record("b", BOAT, slot="self.owns#boat", value="+boat")
    assert not says_one_thing(one, other, GRAMMAR)
    assert says_one_thing(one, member, GRAMMAR)


@pytest.mark.parametrize(
    "changes",
    [
        {"status": Status.STAGED},
        {"status": Status.SUPERSEDED},
        {"temporary": True},
        {"kind": Kind.BULLET},
        {"supersedes": RecordId("m_before")},
        {"attributes": {"merged_into": "m_other"}},
    ],
)
def test_what_has_a_past_or_no_force_stays_out(changes: dict[str, object]) -> None:
    """A version with another one before it, what waits, what is for a time and bullets take no part."""
    assert is_mergeable(a_record("a"))
    assert not is_mergeable(a_record("a", **changes))


def test_a_slot_then_age_decides_what_stays() -> None:
    """What has a slot stays, else the older one; the order of asking does not matter."""
    old, new = told("b", BOAT), told("a", BOAT, created_at=NOON + timedelta(days=1))
    slotted = a_record("c", BOAT, created_at=NOON + timedelta(days=2))
    assert survivor(old, new) == survivor(new, old) == (old, new)
    assert survivor(old, slotted) == survivor(slotted, old) == (slotted, old)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] != pair[1])))
def test_no_memory_is_merged_away_twice(numbers: list[tuple[int, int]]) -> None:
    """Whatever the pairs, a memory joins at most one other, and one that stays joins none."""
    records = [told(f"r{number}", BOAT) for number in range(7)]
    merges = plan_merges([(records[one], records[other]) for one, other in numbers])
    joining = [other.id for merge in merges for other in merge.others]
    assert len(joining) == len(set(joining))
    assert not {merge.into.id for merge in merges} & set(joining)
    assert len({merge.into.id for merge in merges}) == len(merges)

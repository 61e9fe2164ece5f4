"""The dossier governor on given facts: identity decides, then names, then nearness; one revision is current."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dopejar.pipelines.garden.dossier_governor import Dossier, DossierFact, DossierGovernor, EventKind, PlacementReason
from dopejar.pipelines.garden.policy_revisions import Standing, stand
from dopejar.text.policies import read_policy
from dopejar.values.ids import RecordId

BEGAN = datetime(2030, 1, 1, tzinfo=UTC)
NAMES = [f"bird{number}" for number in range(12)]


def fact(place: int, text: str, *names: str, same: tuple[tuple[str, str], ...] = (), decided: str = "") -> DossierFact:
    """A fact that was stated so many hours after the beginning."""
    at = BEGAN + timedelta(hours=place)
    return DossierFact(record_id=RecordId(f"m_{place}"), text=text, at=at, names=names, same=same, decided=decided)


def renamed(place: int, old: str, new: str) -> DossierFact:
    """An identity statement."""
    return fact(place, f"{old} was renamed to {new}", old, new, same=((old, new),))


def routes(dossier: Dossier | None) -> list[PlacementReason]:
    """Why each fact is in a dossier."""
    return [member.route for member in dossier.facts] if dossier else []


@pytest.mark.parametrize(
    ("facts", "asked", "expected"),
    [
        ([renamed(0, "wren", "lark")], "wren", [PlacementReason.IDENTITY]),
        (
            [fact(0, "wren has a queue", "wren"), renamed(1, "wren", "lark")],
            "lark",
            [PlacementReason.TRANSITIVE, PlacementReason.IDENTITY],
        ),
        (
            [renamed(0, "wren", "lark"), renamed(1, "lark", "crow"), fact(2, "wren is small", "wren")],
            "crow",
            [PlacementReason.IDENTITY, PlacementReason.IDENTITY, PlacementReason.TRANSITIVE],
        ),
        (
            [fact(0, "wren keeps nightly backups in the cellar", "wren"), fact(1, "nightly backups fill the cellar")],
            "wren",
            [PlacementReason.TRANSITIVE, PlacementReason.SEMANTIC],
        ),
        (
            [fact(0, "wren keeps nightly backups in the cellar", "wren"), fact(1, "nightly cellar backups", "crow")],
            "wren",
            [PlacementReason.TRANSITIVE],
        ),
        ([fact(0, "wren sings", "wren"), fact(1, "crow sings", "crow", decided="wren")], "wren", [
            PlacementReason.TRANSITIVE, PlacementReason.DECIDED,
        ]),
    ],
)  # fmt: skip
def test_names_decide_before_nearness(facts: list[DossierFact], asked: str, expected: list[PlacementReason]) -> None:
    """An identity statement joins, whenever it is made; a name decides over words in common; a person over both."""
    assert routes(DossierGovernor(facts).find(asked)) == expected


def test_vectors_find_what_words_do_not() -> None:
    """A fact without a name goes to the facts whose vectors are near, and begins a dossier where none is."""
    near, far = np.array([1.0, 0.0], dtype=np.float32), np.array([0.0, 1.0], dtype=np.float32)
    facts = [fact(0, "wren costs a lot", "wren"), fact(1, "the bill is high"), fact(2, "it rains in spring")]
    governor = DossierGovernor(facts, {"m_0": near, "m_1": near, "m_2": far})
    assert routes(governor.find("wren")) == [PlacementReason.TRANSITIVE, PlacementReason.SEMANTIC]
    assert [one.facts[0].route for one in governor.dossiers] == [PlacementReason.TRANSITIVE, PlacementReason.NEW]


@pytest.mark.parametrize(
    ("texts", "current"),
    [
        (["Revision 1 of the upload policy allows 10", "Revision 2 of the upload policy allows 20"], [1]),
        (["Revision 2 of the upload policy allows 20", "Revision 1 of the upload policy allowed 10"], [0]),
        (["The upload limit is 10 a day", "The upload limit is 20 a day"], [1]),
        (["The upload limit is 10 a day", "The upload limit used to be 5 a day"], [0]),
        (["The upload limit is 10 a day", "A draft would set the upload limit to 90 a day"], [0]),
        (["The upload limit is 10 a day", "The refund limit is 20 a day"], [0, 1]),
        (["Policy v6 caps uploads at 10", "From now on the upload limit is 20; this replaces version 6"], [1]),
        (["Policy v5 caps uploads at 5", "Policy v6 caps uploads at 10", "Policy v5 was revoked"], [1, 2]),
        (["The queue holds 10 uploads", "The queue is red"], [0, 1]),
    ],
)
def test_one_revision_of_a_policy_is_current(texts: list[str], current: list[int]) -> None:
    """The highest number holds, else the newest statement; drafts, the past and other policies change nothing."""
    standing = stand([read_policy(text) for text in texts])
    assert [place for place, one in enumerate(standing) if one is Standing.CURRENT] == current


@settings(max_examples=60, deadline=None)
@given(
    order=st.permutations(NAMES),
    revisions=st.integers(1, 8),
    distractors=st.lists(st.sampled_from(["is blue", "has a queue", "revision 99 of the upload policy allows 7"])),
    shuffled=st.randoms(use_true_random=False),
)
def test_a_chain_keeps_every_link(order: list[str], revisions: int, distractors: list[str], shuffled: object) -> None:
    """However long the chain, and in whatever order the facts come: one dossier, every name, the last revision."""
    facts = [renamed(place, *order[place : place + 2]) for place in range(len(order) - 1)]
    facts += [
        fact(100 + number, f"Revision {number} of the upload policy allows {number}00", order[number])
        for number in range(1, revisions + 1)
    ]
    facts += [fact(200 + place, f"Stone {words}", "stone") for place, words in enumerate(distractors)]
    shuffled.shuffle(facts)  # type: ignore[attr-defined]
    governor = DossierGovernor()
    for one in facts:
        governor.process_fact_packet([one])
    assert governor.dossiers == DossierGovernor(reversed(facts)).dossiers
    found = governor.find(order[0])
    assert found is not None
    assert found == governor.find(order[-1])
    assert set(found.names) == set(order)
    assert found.title == order[-1]
    current = [one.text for one in found.current if "policy" in one.text]
    assert current == [f"Revision {revisions} of the upload policy allows {revisions}00"]


def test_a_packet_twice_is_a_packet_once() -> None:
    """Taking the same facts in again changes nothing; the packet's dossier is named each time."""
    governor = DossierGovernor()
    packet = [renamed(0, "wren", "lark"), fact(1, "lark is small", "lark")]
    first = governor.process_fact_packet(packet)
    before = governor.dossiers
    assert governor.process_fact_packet(packet) == first == before[0].id
    assert governor.dossiers == before
    assert governor.process_fact_packet([]) is None


def test_a_circle_of_names_ends() -> None:
    """Names that were renamed in a circle are one subject with one title."""
    found = DossierGovernor([renamed(0, "wren", "lark"), renamed(1, "lark", "wren")]).find("lark")
    assert found is not None
    assert set(found.names) == {"wren", "lark"}


def test_the_history_dates_what_was_superseded() -> None:
    """From the time at which a newer value held, with one new summary that does not tell the old one."""
    old = replace(
        fact(0, "wren sings on Tuesdays", "wren"),
        standing=Standing.SUPERSEDED,
        superseded_at=BEGAN + timedelta(hours=2),
    )
    governor = DossierGovernor([old, fact(1, "wren is small", "wren"), fact(2, "wren sings on Fridays", "wren")])
    (dossier,) = governor.dossiers
    last = [event for event in dossier.history if event.at == BEGAN + timedelta(hours=2)]
    assert [event.kind for event in last] == [
        EventKind.FACT_ADDED, EventKind.FACT_SUPERSEDED, EventKind.SUMMARY_UPDATED,
    ]  # fmt: skip
    assert last[1].record_id == old.record_id
    assert last[2].text == dossier.summary
    assert "Tuesdays" not in dossier.summary


def test_a_later_revision_is_dated_too() -> None:
    """What makes an earlier revision give way is the statement of the later one."""
    revisions = [
        fact(place, f"Policy revision {place} of wren allows {place}0 uploads per day", "wren") for place in (1, 2)
    ]
    (dossier,) = DossierGovernor(revisions).dossiers
    (given_way,) = [event for event in dossier.history if event.kind is EventKind.FACT_SUPERSEDED]
    assert (given_way.record_id, given_way.at) == (RecordId("m_1"), BEGAN + timedelta(hours=2))

"""Dossiers on a whole memory: derived from records, decided by acts that can be undone, shown by every door."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner
from whole_store import seen, unlocked

from dopejar import Memory, NotFoundError, open_memory
from dopejar.doors.cli.app import build_app
from dopejar.errors import InputError
from dopejar.pipelines.garden.dossier_governor import EventKind
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.seeds import DossierGovernor, ManualGardener
from dopejar.text.tokens import count_tokens
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, Frame

BEGAN = datetime(2024, 3, 4, 9, tzinfo=UTC)
TALK = [
    "Falcon was renamed to Osprey.",
    "Osprey is now called Harrier.",
    "Harrier runs on port 8443.",
    "Policy revision 1 of Harrier allows 100 uploads per day.",
    "Merlin was rebranded as Kestrel.",
    "Policy revision 2 of Falcon allows 250 uploads per day.",
    "Policy revision 9 of Kestrel allows 900 uploads per day.",
    "I like pasta.",
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory that was told about two services, a statement an hour."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        tell(opened, TALK)
        yield opened


def tell(memory: Memory, statements: list[str]) -> None:
    """Remember statements of the user, an hour after another; a reviewer approves those that wait."""
    for place, text in enumerate(statements):
        memory.remember(text, at=BEGAN + timedelta(hours=place))
    approve(memory)


def approve(memory: Memory) -> None:
    """Approve all that waits."""
    waiting = [item.proposal.id for item in memory.review.queue()]
    memory.review.approve(waiting, unlocked(memory), seen=seen(memory))


def state(memory: Memory) -> list[tuple[str, str]]:
    """The text and the standing of every fact that is believed, by dossier."""
    facts = [fact for one in memory.dossiers.list() for fact in one.facts]
    return [(fact.text, fact.standing) for fact in facts if fact.standing != "removed"]


def record_of(memory: Memory, words: str) -> str:
    """The id of the record that holds these words."""
    return next(fact.record_id for one in memory.dossiers.list() for fact in one.facts if words in fact.text)


def test_a_dossier_has_every_name_and_one_current_revision(memory: Memory) -> None:
    """Whatever name it is asked for by, it is the same; the second revision holds, under an older name though it is."""
    found = memory.dossiers.find("Falcon")
    assert found == memory.dossiers.find("harrier") == memory.dossiers.find(found.id[:8])
    assert (found.title, found.names, found.status) == ("Harrier", ("Falcon", "Osprey", "Harrier"), "active")
    current = [fact.text for fact in found.current if "revision" in fact.text]
    assert current == ["Policy revision 2 of Falcon allows 250 uploads per day"]
    assert found.summary.startswith("Policy revision 2 of Falcon")
    assert "Osprey" in found.search_summary


def test_facts_tell_where_they_are_from(memory: Memory) -> None:
    """Each fact names the turn and the time at which it was said, and how sure its reading is."""
    for one in memory.dossiers.list():
        for fact in one.facts:
            assert fact.episode_id
            assert BEGAN <= fact.at < BEGAN + timedelta(hours=len(TALK))
            assert 0 < fact.confidence <= 1


def test_another_name_is_another_dossier(memory: Memory) -> None:
    """What is said of another subject is not in it, and a name that nobody said is an error that says what to do."""
    assert memory.dossiers.find("Kestrel").names == ("Merlin", "Kestrel")
    assert [fact.text for fact in memory.dossiers.find("user").facts] == ["I like pasta"]
    with pytest.raises(NotFoundError, match="dopejar list --view dossiers"):
        memory.dossiers.find("Buzzard")


def test_any_order_gives_the_same_dossiers(memory: Memory, tmp_path: Path) -> None:
    """Facts told backwards, each with its time, are placed as before."""
    with open_memory(tmp_path / "other", environment={}, said_by="user") as other:
        for place, text in reversed(list(enumerate(TALK))):
            other.remember(text, at=BEGAN + timedelta(hours=place))
        approve(other)
        assert sorted(state(other)) == sorted(state(memory))
        assert sorted(one.names for one in other.dossiers.list()) == sorted(one.names for one in memory.dossiers.list())


def test_a_removed_fact_stays_in_the_history(memory: Memory) -> None:
    """What a person takes out of use is no fact any more; the history keeps it, and the earlier revision holds."""
    memory.delete(record_of(memory, "revision 2"), unlocked(memory))
    found = memory.dossiers.find("Osprey")
    assert [fact.text for fact in found.current if "revision" in fact.text] == [
        "Policy revision 1 of Harrier allows 100 uploads per day"
    ]
    kinds = [event.kind for event in found.history]
    assert kinds[:2] == [EventKind.CREATED, EventKind.FACT_ADDED]
    assert (kinds.count(EventKind.FACT_ADDED), kinds.count(EventKind.FACT_REMOVED)) == (5, 1)
    assert EventKind.SUMMARY_UPDATED in kinds


def test_what_is_erased_is_gone(memory: Memory) -> None:
    """An erased fact is in no dossier, and in no history."""
    memory.erase(unlocked(memory), records=[record_of(memory, "revision 2")])
    found = memory.dossiers.find("Falcon")
    told = [*(event.text for event in found.history), *(fact.text for fact in found.current)]
    assert told
    assert not any("250" in text or "revision 2" in text for text in told)  # an id may hold the digits


def test_a_wrong_append_is_split_and_undone(memory: Memory) -> None:
    """A renaming put elsewhere ties its names no longer, as the ledger notes; undoing the act joins them again."""
    before = state(memory)
    receipt = memory.dossiers.split([record_of(memory, "Osprey is now called")], "Osprey", unlocked(memory))
    assert memory.dossiers.find("Harrier").names == ("Harrier",)
    assert memory.dossiers.find("Falcon").names == ("Falcon", "Osprey")
    memory.undo(receipt.act_id, unlocked(memory))
    assert state(memory) == before
    with pytest.raises(InputError, match="name"):
        memory.dossiers.split([record_of(memory, "pasta")], " ", unlocked(memory))


def test_two_dossiers_are_merged_and_parted(memory: Memory) -> None:
    """Merged, one has the names of both, and the highest revision holds; undoing the act parts them."""
    before = state(memory)
    receipt = memory.dossiers.merge("Merlin", "Falcon", unlocked(memory))
    merged = memory.dossiers.find("Merlin")
    assert set(merged.names) == {"Falcon", "Osprey", "Harrier", "Merlin", "Kestrel"}
    assert merged.title == "Harrier"
    assert [fact.text for fact in merged.current if "revision" in fact.text] == [TALK[6].rstrip(".")]
    memory.undo(receipt.act_id, unlocked(memory))
    assert state(memory) == before


def test_gardening_counts_dossiers(memory: Memory) -> None:
    """A block tells how many dossiers its facts are in; gardening it again gives the same."""
    memory.add([{"role": "user", "content": text, "at": BEGAN} for text in TALK], conversation="talk")
    first = memory.garden.tend().results
    assert sum(result.dossiers_created for result in first) >= 2
    assert tuple(memory.garden.process_bridge_block(result.block_id) for result in first) == first
    fields = ManualGardener(memory).process_bridge_block(first[0].block_id)
    assert fields["dossiers_created"] == first[0].dossiers_created


def test_the_seed_governor_places_a_packet(memory: Memory) -> None:
    """Facts that are known by id are placed; facts that are words only pass the gate first, and are placed then."""
    governor = DossierGovernor(memory)
    known = governor.process_fact_packet({"facts": [{"fact_id": record_of(memory, "8443")}], "cluster_label": "x"})
    assert known == memory.dossiers.find("Falcon").id
    told = governor.process_fact_packet({"facts": ["Kestrel is now called Buzzard."], "cluster_label": "x"})
    assert told == memory.dossiers.find("Buzzard").id == memory.dossiers.find("Merlin").id
    assert governor.process_fact_packet({"facts": []}) is None


def test_the_terminal_shows_dossiers(memory: Memory, tmp_path: Path) -> None:
    """`show` and `list --view dossiers` print the names, the standing and the history."""
    arguments = {"env": {"DOPEJAR_HOME": str(tmp_path / "home")}}
    shown = CliRunner().invoke(build_app("show"), ["show", "Osprey"], **arguments)
    assert "Falcon, Osprey, Harrier" in shown.stdout
    assert "superseded" in shown.stdout
    listed = CliRunner().invoke(build_app("list"), ["list", "--view", "dossiers", "--json"], **arguments)
    (about, *_) = json.loads(listed.stdout)["dossiers"]
    assert (about["title"], about["status"], about["history"][0]["kind"]) == ("Harrier", "active", "created")


def test_recall_tells_what_holds_under_any_name(memory: Memory) -> None:
    """Asked by the first name, a pack begins with the revision that holds, under a title with the name in use."""
    pack = memory.recall("How many uploads per day does the policy of Osprey allow?")
    lines = pack.text.splitlines()
    place = lines.index("About Harrier (also Falcon, Osprey):")
    assert "Policy revision 2 of Falcon allows 250 uploads per day" in lines[place + 1]
    texts = [item.text for item in pack.items]
    assert texts.index("Policy revision 2 of Falcon allows 250 uploads per day") < texts.index(
        "Policy revision 1 of Harrier allows 100 uploads per day"
    )
    assert lines.count(lines[place]) == 1
    assert pack.items[0].citations
    assert memory.recall("Tell me about Falcon").text.startswith(lines[place])


def test_a_dossier_stays_within_its_share_of_the_budget(memory: Memory) -> None:
    """Whatever the budget, the pack is within it, and no title stands without a fact."""
    for budget in range(0, 400, 7):
        pack = memory.recall("Which policy has Osprey for uploads per day, and which port?", budget=budget)
        assert count_tokens(pack.text) == pack.tokens <= budget
        assert not pack.text.splitlines()[-1:] or not pack.text.splitlines()[-1].startswith("About ")


def test_a_question_that_names_no_subject_gets_no_dossier(memory: Memory) -> None:
    """Neither what is not named, nor what has one name, nor what was, brings a dossier."""
    for question in ("What do I like?", "How many uploads per day are allowed?", "Tell me about Buzzard."):
        assert "About " not in memory.recall(question).text
    assert "About " not in memory.recall("What is the port of Harrier?", as_of=BEGAN + timedelta(hours=3)).text


def test_what_is_over_is_no_current_fact(memory):
    """A fact that was said for a time stands as superseded once it ends, and recall gives it for no fact."""
    memory.remember("Until Friday Falcon must use port 9999.", at=BEGAN + timedelta(days=1), by=unlocked(memory))
    assert [standing for text, standing in state(memory) if "9999" in text] == ["superseded"]
    assert "9999" not in memory.recall("What is known about Falcon?", records_only=True).text


def test_a_limit_of_a_thing_is_in_its_dossier(tmp_path: Path) -> None:
    """Not in the user's, where limits of two things would replace each other; what the user may spend is the user's."""
    with open_memory(tmp_path / "limits", environment={}, said_by="user") as memory:
        tell(
            memory,
            [
                "The Falcon service allows 100 uploads per day.",
                "Merlin has a limit of 3 GB.",
                "Our budget for the shed is 900 euros.",
                "The upload limit of Falcon was raised to 400 per day.",
            ],
        )
        falcon = memory.dossiers.find("Falcon")
        assert [(fact.text, fact.standing) for fact in falcon.facts][-1][1] == "current"
        assert "400 per day" in falcon.summary
        assert [fact.text for fact in memory.dossiers.find("Merlin").current] == ["Merlin has a limit of 3 GB"]
        assert [fact.text for fact in memory.dossiers.find("user").current] == ["Our budget for the shed is 900 euros"]


def test_a_common_name_may_be_renamed(tmp_path: Path) -> None:
    """What is known of the order service, and of the name that it has now, is one dossier."""
    with open_memory(tmp_path / "common", environment={}, said_by="user") as memory:
        tell(
            memory,
            [
                "The order service runs on port 8080.",
                "We renamed the order service: it is called Cashew now.",
                "Cashew allows 300 requests per minute.",
                "The billing service is called Ledgerly.",
                "Ledgerly is written in Rust.",
            ],
        )
        cashew = memory.dossiers.find("Cashew")
        assert memory.dossiers.find("order").id == cashew.id
        assert len(cashew.facts) == 3
        assert memory.dossiers.find("billing").title == "Ledgerly"


class LifeReader(GrammarReader):
    """A reader that takes every statement for one about a person's life, as the fitted one often does."""

    finds_frames = True

    def read(self, sentences):
        """Each as who somebody is."""
        return tuple(replace(one, frame=PERSON) for one in super().read(sentences))


PERSON = Frame(
    subject="", attribute="", attribute_certainty=0.0, value="", guides=0.0, fact_class=FactClass.PLAIN,
    class_certainty=1.0, layer=Layer.SELF, sublayer=Sublayer.IDENTITY, layer_certainty=1.0, private=0.0, leans=0.0,
    takes_back=0.0,
    several=0.0,
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Oskar works at the harbour office.", "Oskar"),
        ("Greta lives in Turku.", "Greta"),
        ("Rolf works in Delft.", "Rolf"),
        ("I work at the harbour office.", "user"),
        ("My sister Greta lives in Turku.", "user"),
        ("Greta and I live in Turku.", "user"),
        ("Works at the harbour office.", "user"),
    ],
)
def test_what_is_said_of_another_person_is_in_their_dossier(tmp_path: Path, text: str, about: str) -> None:
    """A statement that begins with a person's name is not about the user, if it has no word of the user."""
    with open_memory(tmp_path / "people", environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as memory:
        told = Memory(replace(memory._deps, reader=LifeReader), memory.project)
        told.remember(text)
        (record,) = told.list()
        assert record.layer is Layer.SELF
        assert [fact.text for fact in told.dossiers.find(about).current] == [record.text]


@pytest.mark.parametrize(
    ("called", "said", "name"),
    [
        ("Dad", " mustn't have bananas.", "Dad"),
        ("Mum", "'s allergic to penicillin.", "mum"),
        ("My wife", " works nights at the hospital.", "my wife"),
        ("Our grandson", " lives in Turku.", "grandson"),
        ("My mother-in-law", " is 84.", "mother-in-law"),
        ("Grandma", " has a pacemaker.", "Grandma"),
    ],
)
def test_a_relative_has_a_dossier(tmp_path: Path, called: str, said: str, name: str) -> None:
    """What the user calls somebody is a name, with a capital or behind a "my", and all that is told so is under it."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        tell(opened, [called + said, f"{called} eats at noon.", "I like pasta."])
        assert len(opened.dossiers.find(name).facts) == 2


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("My wife and I live in Turku.", "wife"),
        ("Ana's mum is a nurse.", "mum"),
        ("Mother's Day is in March.", "Mother"),
        ("Father Brown is on tonight.", "Father"),
        ("The motherboard is dead.", "mother"),
    ],
)
def test_what_only_sounds_like_a_relative_has_none(tmp_path: Path, said: str, name: str) -> None:
    """The user's own life, the relatives of others, and names that hold such a word."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        tell(opened, [said])
        with pytest.raises(NotFoundError):
            opened.dossiers.find(name)

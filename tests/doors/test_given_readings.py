"""A host's own reading decides key and slot as far as the words bear it out; everything else stays as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_client import answer, refusal
from starlette.testclient import TestClient

from dopejar import InputError, Memory, open_memory
from dopejar.compose.remote_memory import RemoteMemory
from dopejar.doors.web.access import Address
from dopejar.doors.web.api_application import create_api
from dopejar.doors.web.api_gate import ApiGate
from dopejar.errors import UsageError
from dopejar.pipelines.ingest.keys.given_key import holds_words
from dopejar.seeds.ingestion_protocol import MemoryOrchestrator
from dopejar.values.record import Status

ORIGIN = "http://127.0.0.1:8765"
READ = {"subject": "kiln", "attribute": "firing temperature", "value": "1,240 degrees", "key": "Kiln-Config-Firing"}
TEXT = "We fire the kiln at 1,240 degrees."


@pytest.fixture
def memory() -> Iterator[Memory]:
    """A memory that its user speaks to."""
    with open_memory(":memory:", said_by="user", environment={"DOPEJAR_EMBEDDER_KIND": "none"}) as opened:
        yield opened


def texts(memory: Memory, *statuses: str) -> set[str]:
    """The words of what has one of these statuses, else of what is active."""
    return {record.text for record in memory.list(statuses=statuses or ("active",))}


def test_the_key_is_the_hosts(memory: Memory) -> None:
    """What is borne out is filed under the key that the host gives, with the value in the slot of the host."""
    assert memory.remember(TEXT, reading=READ).took_effect
    (record,) = memory.list()
    assert (record.key, record.value) == ("Kiln-Config-Firing", "+1,240 degre")


def test_the_stages_show_the_hosts_reading(memory: Memory) -> None:
    """Beside what the words say stands what the host reads in them."""
    shown = [one.detail for one in memory.remember(TEXT, reading=READ, dry_run=True).stages if one.name == "read"]
    assert shown[1] == "about 'kiln'; firing temperature '1,240 degrees'; by the host"


PAIRS = [
    ("We fire the kiln at 1,240 degrees.", "1,240 degrees", "Cone 6 for everything in the kiln.", "cone 6"),
    ("The kiln runs to 1,240.", "1,240", "The kiln goes up to 1,180 these days.", "1,180"),
    ("Kiln, bisque: slow ramp.", "slow", "For bisque the kiln has the fast ramp.", "fast"),
    ("The kiln belongs to Marisol.", "Marisol", "Per Aldana, the kiln is his.", "Aldana"),
    ("Der Kiln ist im Hof.", "Hof", "Der Kiln steht im Keller.", "Keller"),
]


@pytest.mark.parametrize(("first", "value", "second", "other"), PAIRS)
def test_one_slot_holds_one_value(memory: Memory, first: str, value: str, second: str, other: str) -> None:
    """Of two statements that the host reads as one property of one thing, whatever their words, the later holds."""
    for text, told in ((first, value), (second, other)):
        memory.remember(text, reading={"subject": "kiln", "attribute": "state", "value": told})
    assert texts(memory) == {second.rstrip(".")}
    assert texts(memory, "superseded") == {first.rstrip(".")}
    assert len({record.key for record in memory.list(statuses=("active", "superseded"))}) == 1


def test_two_properties_stand_side_by_side(memory: Memory) -> None:
    """Statements that differ in one word, which the host reads as two properties, replace nothing."""
    for text, attribute, value in (
        ("The kiln takes 9 hours.", "heating", "9 hours"),
        ("The kiln takes 14 hours.", "cooling", "14 hours"),
    ):
        memory.remember(text, reading={"subject": "kiln", "attribute": attribute, "value": value})
    assert len(texts(memory)) == 2


def test_the_same_value_reinforces(memory: Memory) -> None:
    """The same value of the same property in other words is a second witness of one memory."""
    for text in ("The kiln takes 9 hours.", "Reckon with 9 hours for the kiln."):
        memory.remember(text, reading={"subject": "kiln", "attribute": "heating", "value": "9 hours"})
    (record,) = memory.list()
    assert record.access_count == 2


def test_a_denial_stands_beside_another_value(memory: Memory) -> None:
    """What denies one value leaves the other one that is in use."""
    for text, value in (("The kiln runs on gas.", "gas"), ("The kiln does not run on coal.", "coal")):
        memory.remember(text, reading={"subject": "kiln", "attribute": "fuel", "value": value})
    assert "The kiln runs on gas" in texts(memory)
    assert len({record.key for record in memory.list()}) == len(memory.list())


@pytest.mark.parametrize("left_out", ["attribute", "value"])
def test_without_attribute_or_value_only_the_key_is_given(memory: Memory, left_out: str) -> None:
    """Where nothing tells which property has which value, nothing is compared by slot."""
    for thing in ("milk", "walnuts"):
        reading = {"subject": "Lena", "attribute": "allergy", "value": thing, "key": "Lena-Fact-Allergy"}
        del reading[left_out]
        memory.remember(f"Lena reacts to {thing}.", reading=reading)
    assert len(texts(memory)) == 2
    assert all(record.key.startswith("Lena-Fact-Allergy") for record in memory.list())


NOT_BORNE_OUT = [
    ({"subject": "oven"}, "subject"),
    ({"subject": ""}, "subject"),
    ({"value": "1,240 degrees"}, "subject"),
    ({"subject": "kiln", "value": "1,24"}, "value"),
    ({"subject": "kiln", "value": "240"}, "value"),
    ({"subject": "kiln", "value": "-1,240"}, "value"),
    ({"subject": "kiln", "value": "1,240%"}, "value"),
    ({"subject": "kiln", "value": "degrees 1,240"}, "value"),
    ({"subject": "kiln", "attribute": "the temperature we fire"}, "attribute"),
    ({"subject": "kiln", "attribute": "???"}, "attribute"),
    ({"subject": "kiln", "key": "Kiln-Firing"}, "key"),
    ({"subject": "kiln", "key": "Kiln-Config-Firing-Max"}, "key"),
    ({"subject": "kiln", "key": "Kiln-Configuration-FiringTemperature"}, "key"),
    ({"subject": "kiln", "key": "Oven-Config-Firing"}, "key"),
    ({"subject": "kiln", "key": "Self-Config-Firing"}, "key"),
    ({"subject": "kiln", "key": "Kiln-Config-NewFiring"}, "key"),
    ({"subject": "kiln", "key": "Kiln Config Firing"}, "key"),
    ({"subject": "kiln", "worth": "1,240"}, "worth"),
    ({"subject": 3}, "subject"),
]


@pytest.mark.parametrize(("reading", "field"), NOT_BORNE_OUT)
def test_what_the_words_do_not_bear_out_is_refused(memory: Memory, reading: dict[str, str], field: str) -> None:
    """One error names the field, in `remember` and in `add`, and nothing is kept."""
    with pytest.raises(InputError, match=f"`?{field}"):
        memory.remember(TEXT, reading=reading)
    with pytest.raises(InputError, match=f"`?{field}"):
        memory.add([{"role": "user", "content": TEXT, "reading": reading}])
    assert memory.status().sizes.episodes == 0
    assert not memory.list(statuses=[str(status) for status in Status])


BORNE_OUT = [
    ("The Kilns are cold.", "kiln"),
    ("Marisol's kiln is cold.", "marisol"),
    ("Set max_retries to 5.", "max_retries"),
    ("It costs $5 more.", "$5"),
    ("Überlauf bei 3.11.", "überlauf"),
    ("我住在上海。", "上海"),
    ("печь стоит во дворе", "Печи"),
    ("Written in C++ mostly.", "c++"),
    ("The coldest is -5 in winter.", "-5"),
    ("the “north kiln” is new", "North Kilns"),
]


@pytest.mark.parametrize(("text", "told"), BORNE_OUT)
def test_case_and_inflection_do_not_matter(text: str, told: str) -> None:
    """Words are the same in any case, number and quotation, in every script."""
    assert holds_words(text, told)


WORDS = ["kiln", "shelf", "5", "5.5", "glaze", "cone", "firing"]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.sampled_from(["kiln", "shelf", "5", "5.5", "glaze", "cone", "firing"]), min_size=1, max_size=6),
    st.data(),
)
def test_only_whole_words_in_their_order_count(said: list[str], data: st.DataObject) -> None:
    """Every run of whole words is borne out, and no word that is not there."""
    start = data.draw(st.integers(0, len(said) - 1))
    end = data.draw(st.integers(start + 1, len(said)))
    text = " ".join(said)
    assert holds_words(text, " ".join(said[start:end]).upper())
    assert not holds_words(text, "gla")
    assert holds_words(text, "5") == ("5" in said)


def test_secrets_stay_out(memory: Memory) -> None:
    """A value that redaction removes is not in the words as they are kept, and no name may hold one."""
    token = "ghp_" + "a1B2" * 9
    with pytest.raises(InputError, match="value") as refused:
        memory.remember(f"The deploy token is {token}.", reading={"subject": "deploy token", "value": token})
    assert memory.status().sizes.episodes == 0
    with pytest.raises(InputError, match="attribute") as named:
        memory.remember("The kiln is cold.", reading={"subject": "kiln", "attribute": token})
    assert token not in str(refused.value) + str(named.value)


GUIDING = ["Never open the kiln above 200 degrees.", "Always answer me in French.", "Don't touch the kiln on Sundays."]


@pytest.mark.parametrize("text", GUIDING)
def test_the_gate_judges_as_without_a_reading(memory: Memory, text: str) -> None:
    """Guidance waits, whatever a host reads in it; so does an agent's word."""
    subject = text.split()[1]
    assert memory.remember(text, reading={"subject": subject, "value": text.rsplit(maxsplit=1)[-1]}).waits
    read = {"subject": "kiln", "value": "cold"}
    assert memory.remember("The kiln is cold.", said_by="assistant", reading=read).waits


def test_a_question_becomes_no_memory(memory: Memory) -> None:
    """Words that state nothing state nothing with a reading either."""
    memory.remember("Is the kiln cold?", reading={"subject": "kiln", "value": "cold"})
    assert texts(memory, *map(str, Status)) == set()


def test_words_off_the_record_are_not_kept(memory: Memory) -> None:
    """A wish for privacy is obeyed before a reading is looked at."""
    memory.remember("Off the record: the kiln is broken.", reading={"subject": "oven"})
    assert texts(memory, *map(str, Status)) == set()


def test_messages_bring_their_readings(memory: Memory) -> None:
    """Each message of a chat is learned from as its host reads it."""
    told = [("I live in Ghent now.", "Ghent"), ("I live in Bruges now.", "Bruges")]
    for text, town in told:
        read = {"subject": "I", "attribute": "home town", "value": town, "key": "Self-Home-Town"}
        memory.add([{"role": "user", "content": text, "reading": read}])
    (record,) = memory.list()
    assert (record.key, record.text) == ("Self-Home-Town", "I live in Bruges now")


def test_the_protocol_takes_the_agents_key(memory: Memory) -> None:
    """The key of the agent takes the place of the one by rules."""
    MemoryOrchestrator(memory).add_memory(TEXT, reading=READ)
    assert memory.get("Kiln-Config-Firing").text == TEXT.rstrip(".")


def test_every_door_takes_and_refuses_alike(memory: Memory) -> None:
    """The library, REST and MCP give the same key to the same reading, and the same reason against another."""
    api = create_api(memory)
    gate = ApiGate(api, api, memory=memory, address=Address(host="127.0.0.1", port=8765))
    client = TestClient(gate, base_url=ORIGIN, raise_server_exceptions=False)
    far = RemoteMemory(ORIGIN, memory.api_keys.make("bot", "write"), client=client)
    wrong = {**READ, "value": "1,180 degrees"}
    with pytest.raises(InputError) as at_home:
        memory.remember(TEXT, reading=wrong)
    with pytest.raises(UsageError) as over_rest:
        far.remember(TEXT, reading=wrong)
    over_mcp = refusal(memory, "memory_remember", {"text": TEXT, "reading": wrong})
    assert str(at_home.value) == str(over_rest.value)
    assert str(at_home.value) in over_mcp
    assert memory.status().sizes.episodes == 0
    assert far.remember(TEXT, reading=READ).outcome == "waits"
    answer(memory, "memory_remember", text="The kiln is at 1,180 degrees.", reading={**READ, "value": "1,180 degrees"})
    assert {record.key for record in memory.list(statuses=("staged",))} == {"Kiln-Config-Firing"}

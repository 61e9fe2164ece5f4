"""A language model's second opinion on how statements relate, from the setting to the record."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accepted import accepted
from dopejar import Memory, open_memory
from dopejar.testing.fake_language_model import FakeModelServer, ScriptedLanguageModel, fails, says
from dopejar.values.proposal import ProposalState
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Status

LIES, TOWED = "The boat lies in Porto.", "The boat was towed to Faro."
ROW = {"pair": 0, "earlier_words": "lies in Porto", "later_words": "towed to Faro"}
QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}


def reply(relation):
    """The model finds that relation in the words of both."""
    return says({"pairs": [{**ROW, "relation": relation}]})


def told(home, model):
    """What became of the later statement, and what is in force then."""
    with open_memory(home, environment=QUIET, said_by="user") as plain:
        ingest = replace(plain._deps.ingest, second_opinion=True)
        memory = Memory(replace(plain._deps, language_model=lambda: model, ingest=ingest), plain.project)
        memory.remember(LIES)
        outcomes = {receipt.outcome for receipt in memory.remember(TOWED).receipts}
        return outcomes, sorted(one.text for one in memory.list())


@pytest.mark.parametrize("relation", ["update", "end", "contradiction"])
def test_what_the_model_finds_to_disagree_waits_and_retires_nothing(tmp_path, relation):
    """Where the reader finds nothing, a person looks at what the model finds, and the memory stays in force."""
    assert told(tmp_path / "home", ScriptedLanguageModel(script=[reply(relation)])) == ({"staged"}, [LIES[:-1]])


@pytest.mark.parametrize("answer", [reply("same"), reply("apart"), reply("addition"), says("junk"), fails()])
def test_any_other_answer_leaves_both(tmp_path, answer):
    """The model repeats nothing by itself, and without a usable answer all is as without a model."""
    model = ScriptedLanguageModel(script=[answer, answer])
    assert told(tmp_path / "home", model) == ({"added"}, sorted([LIES[:-1], TOWED[:-1]]))
    assert model.calls


def test_nothing_is_asked_unless_a_person_switched_it_on(tmp_path):
    """A configured model is not asked while the setting is off, nor about the words of anybody but the user."""
    for name, options in (("off", {"second_opinion": False}), ("assistant", {})):
        model = ScriptedLanguageModel(script=[])
        with open_memory(tmp_path / name, environment=QUIET, said_by="user") as plain:
            ingest = replace(plain._deps.ingest, **({"second_opinion": True} | options))
            memory = Memory(replace(plain._deps, language_model=lambda model=model: model, ingest=ingest), None)
            memory.remember(LIES, said_by="assistant" if name == "assistant" else "user")
            memory.remember(TOWED, said_by="assistant" if name == "assistant" else "user")
        assert model.calls == []


@pytest.mark.enable_socket
@pytest.mark.filterwarnings("ignore:Not used until a reviewer")
@pytest.mark.parametrize("is_accepted", [True, False])
def test_the_settings_are_enough_once_they_are_accepted(tmp_path, is_accepted):
    """A server, a model and the switch, accepted by a reviewer, and the model is asked; the environment cannot."""
    with FakeModelServer([says(json.dumps({"pairs": [{**ROW, "relation": "update"}]}))]) as server:
        variables = {
            **QUIET,
            "DOPEJAR_LANGUAGE_MODEL_KIND": "openai",
            "DOPEJAR_LANGUAGE_MODEL_URL": f"{server.address}/v1",
            "DOPEJAR_LANGUAGE_MODEL_MODEL": "small",
        }
        switch = {"DOPEJAR_INGEST_SECOND_OPINION": "on"}
        home = tmp_path / "home"
        accepted(home, variables | switch if is_accepted else variables)
        with open_memory(home, environment=variables | switch, said_by="user") as memory:
            memory.remember(LIES)
            result = memory.remember(TOWED)
            assert {receipt.outcome for receipt in result.receipts} == {"staged" if is_accepted else "added"}
        assert len(server.seen) == int(is_accepted)


TOLD = [
    "The boat lies in Porto.",
    "The boat was towed to Faro.",
    "Never paint the boat.",
    "I live in Braga.",
    "We may sell it.",
    "I was allergic to nuts.",
]
TELLING = sorted({word.strip(".") for text in TOLD for word in text.split()})


def kept(memory):
    """Everything that is kept but its keys and what is random; whether a key was needed."""
    with memory.store.read() as view:
        records = view.list_records(RecordFilter(statuses=tuple(Status), namespace=None), 100)
        waiting = {one.payload.draft.text for one in view.proposals((ProposalState.STAGED,), 100)}
    rows = {
        (one.text, one.status, one.kind, one.layer, one.sublayer, one.slot, one.value, str(one.scope), one.trust)
        for one in records
    }
    return rows, waiting


def all_told(names):
    """What is kept of the statements, and their keys, where a model names what they are about."""
    with open_memory(":memory:", environment=QUIET, said_by="user") as plain:
        ingest = replace(plain._deps.ingest, model_names=names is not None)
        model = ScriptedLanguageModel(script=names or [])
        memory = Memory(replace(plain._deps, language_model=lambda: model, ingest=ingest), None)
        for text in TOLD:
            memory.remember(text)
        return kept(memory), {one.text: one.key for one in memory.list(limit=50)}


NAME = st.fixed_dictionaries(
    {
        "sentence": st.just(0),
        **{
            part: st.lists(st.sampled_from(TELLING), max_size=3).map(" ".join)
            for part in ("subject", "attribute", "value")
        },
    }
)


@settings(max_examples=20)
@given(st.lists(NAME, min_size=len(TOLD), max_size=len(TOLD)))
def test_a_model_that_names_changes_keys_alone(names):
    """Whatever a model says that statements are about: the same is kept, held back and replaced as without it."""
    assert all_told([says({"sentences": [name]}) for name in names])[0] == all_told(None)[0]


def test_a_name_that_the_words_bear_out_is_in_the_key():
    """The key shows subject and property; of an invented subject it shows nothing."""
    named = {"sentence": 0, "subject": "The boat", "attribute": "berth", "value": "Porto"}
    _, keys = all_told([says({"sentences": [named]})])
    assert keys[LIES[:-1]].startswith("Boat-Fact-Berth")
    _, keys = all_told([says({"sentences": [{**named, "subject": "The ship"}]})])
    assert keys == all_told(None)[1]

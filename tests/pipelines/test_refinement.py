"""Refinement by a language model, from the setting to the record."""

import json
from dataclasses import replace

import pytest
from whole_store import believed, write_conversation

from accepted import accepted
from dopejar import Memory, open_memory
from dopejar.testing.fake_language_model import FakeModelServer, ScriptedLanguageModel, fails, says

BOAT = "The boat in Porto, mine since spring, leaks a little."
REPLY = {
    "statements": [
        {"text": "The boat in Porto is mine since spring", "quote": BOAT, "layer": "self", "sublayer": "identity"},
        {"text": "The boat in Porto leaks gold", "quote": BOAT, "layer": "world", "sublayer": "fact"},
    ]
}


def with_model(memory, model, *, refine=True):
    """The same memory with a model, asked or not."""
    deps = replace(memory._deps, language_model=lambda: model, ingest=replace(memory._deps.ingest, refine=refine))
    return Memory(deps, memory.project)


@pytest.fixture
def memory(tmp_path):
    """A fresh memory."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        yield opened


def texts(memory):
    """What is in force."""
    return sorted(one.text for one in memory.list())


def test_remember_and_learn_take_what_is_borne_out(memory, tmp_path):
    """Both ways in ask the model, take the statement that stands in the words and drop the one that does not."""
    model = ScriptedLanguageModel(script=[says(REPLY), says(REPLY)])
    seeing = with_model(memory, model)
    result = seeing.remember(BOAT)
    assert texts(memory) == ["The boat in Porto is mine since spring"]
    assert any("a model's suggestion" in one.detail for one in result.stages)
    list(seeing.learn([write_conversation(tmp_path, "s", [(0, BOAT)])]))
    assert [one.access_count for one in memory.list()] == [2]


def test_nothing_is_asked_unless_a_person_switched_it_on(memory):
    """A configured model is not asked while the setting is off, and the assistant's words never reach it."""
    model = ScriptedLanguageModel(script=[])
    with_model(memory, model, refine=False).remember(BOAT)
    with_model(memory, model).remember(BOAT, said_by="assistant")
    assert model.calls == []


def test_a_failing_model_leaves_what_the_rules_read(tmp_path):
    """With a model that always fails, the state is the one without a model."""
    paths = [write_conversation(tmp_path, "s", [(0, "I live in Porto."), (1, "I prefer dark mode.")])]
    states = []
    for name, model in (("plain", None), ("failing", ScriptedLanguageModel(script=[fails()] * 9))):
        with open_memory(tmp_path / name, environment={}, said_by="user") as opened:
            list((with_model(opened, model) if model else opened).learn(paths))
            states.append(believed(opened))
    assert states[0] == states[1]
    assert states[0][0]


@pytest.mark.enable_socket
def test_the_settings_are_enough(tmp_path):
    """A server, a model and the switch in the settings, and words are refined; the key and the text go nowhere else."""
    with FakeModelServer([says(json.dumps(REPLY))]) as server:
        variables = {
            "DOPEJAR_LANGUAGE_MODEL_KIND": "openai",
            "DOPEJAR_LANGUAGE_MODEL_URL": f"{server.address}/v1",
            "DOPEJAR_LANGUAGE_MODEL_MODEL": "small",
            "DOPEJAR_INGEST_REFINE": "on",
        }
        home = tmp_path / "home"
        with open_memory(home, environment=accepted(home, variables), said_by="user") as memory:
            memory.remember(BOAT)
            assert texts(memory) == ["The boat in Porto is mine since spring"]
        assert len(server.seen) == 1
        assert BOAT in " ".join(server.seen[0].texts)


@pytest.mark.enable_socket
@pytest.mark.filterwarnings("ignore:Not used until a reviewer")
@pytest.mark.parametrize(
    "more", [{}, {"DOPEJAR_INGEST_REFINE": "on"}, {"DOPEJAR_LANGUAGE_MODEL_DAILY_TOKENS": "90000"}]
)
def test_the_environment_sends_nothing_more(tmp_path, more):
    """With a server that a reviewer accepted for replies alone, no variable makes `remember` and `learn` send words."""
    with FakeModelServer([says(json.dumps(REPLY))] * 4) as server:
        variables = {
            "DOPEJAR_LANGUAGE_MODEL_KIND": "openai",
            "DOPEJAR_LANGUAGE_MODEL_URL": f"{server.address}/v1",
            "DOPEJAR_LANGUAGE_MODEL_MODEL": "small",
        }
        home, talk = tmp_path / "home", write_conversation(tmp_path, "s", [(0, BOAT)])
        accepted(home, variables)
        with open_memory(home, environment={**variables, **more}, said_by="user") as memory:
            memory.remember(BOAT)
            list(memory.learn([talk]))
            assert bool(memory.status().unaccepted_settings) is bool(more)
        assert server.seen == []

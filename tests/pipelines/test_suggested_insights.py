"""What a language model adds to the reflector: only what a turn states itself, and never by itself in force."""

from dataclasses import replace

import pytest
from tool_sessions import LESSON, MENDED, write_session

from dopejar import Kind, Memory, open_memory
from dopejar.testing.fake_language_model import ScriptedLanguageModel, fails, says

SAID = "Thanks. Before each release, run the smoke checks against the staging cluster."
REPLY = {
    "lessons": [
        {"turn": 0, "quote": "run the smoke checks against the staging cluster",
         "lesson": "Run the smoke checks against the staging cluster"},
        {"turn": 0, "quote": "run the smoke checks", "lesson": "Run the smoke checks and deploy on Fridays"},
        {"turn": 0, "quote": "never run the smoke checks", "lesson": "Never run the smoke checks"},
    ]
}  # fmt: skip


def with_model(memory, model, *, ask=True):
    """The same memory with a model, asked or not."""
    options = replace(memory._deps.procedural, ask_for_insights=ask)
    return Memory(replace(memory._deps, language_model=lambda: model, procedural=options), memory.project)


@pytest.fixture
def memory(tmp_path):
    """A fresh memory."""
    with open_memory(tmp_path / "home", environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        yield opened


def bullets(memory):
    """The bullets that wait."""
    return {bullet.text for bullet in memory.bullets.list_staged()}


def test_a_model_adds_what_a_turn_states(memory, tmp_path):
    """The lesson that the turn bears out waits beside that of the rules; the invented and the contrary one do not."""
    model = ScriptedLanguageModel(script=[says(REPLY)])
    list(with_model(memory, model).learn([write_session(tmp_path, "s", [*MENDED, SAID])]))
    assert bullets(memory) == {LESSON, "Run the smoke checks against the staging cluster"}
    assert all(one.kind is not Kind.BULLET for one in memory.list())


def test_a_failing_model_leaves_what_the_rules_read(memory, tmp_path):
    """Without an answer the rules' lesson waits alone."""
    model = ScriptedLanguageModel(script=[fails()] * 3)
    list(with_model(memory, model).learn([write_session(tmp_path, "s", [*MENDED, SAID])]))
    assert bullets(memory) == {LESSON}


def test_nothing_is_asked_unless_a_person_switched_it_on(memory, tmp_path):
    """A configured model is not asked while the setting is off."""
    model = ScriptedLanguageModel(script=[])
    list(with_model(memory, model, ask=False).learn([write_session(tmp_path, "s", [*MENDED, SAID])]))
    assert model.calls == []
    assert bullets(memory) == {LESSON}

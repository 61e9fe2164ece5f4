"""Replies to governed turns: streamed by a configured model, within its cap and its time, else by what is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from accepted import accepted
from dopejar import Memory, Partner, open_memory
from dopejar.testing.fake_language_model import Conduct, FakeModelServer, ScriptedReply, fails, says, stalls

pytestmark = pytest.mark.enable_socket
SECRET = "ghp_" + "a1B2" * 9


@contextmanager
def talking(
    home: Path, script: Sequence[ScriptedReply], kind: str = "openai", *, daily: int = 50_000
) -> Iterator[tuple[Memory, FakeModelServer]]:
    """A memory whose model plays a script."""
    with FakeModelServer(script) as server:
        variables = {
            "DOPEJAR_LANGUAGE_MODEL_KIND": kind,
            "DOPEJAR_LANGUAGE_MODEL_URL": f"{server.address}{'/v1' if kind == 'openai' else ''}",
            "DOPEJAR_LANGUAGE_MODEL_MODEL": "tiny",
            "DOPEJAR_LANGUAGE_MODEL_TIMEOUT_S": "0.2" if any(one.conduct in _SLOW for one in script) else "10",
            "DOPEJAR_LANGUAGE_MODEL_DAILY_TOKENS": str(daily),
        }
        with open_memory(home, environment=accepted(home, variables), said_by="user") as memory:
            yield memory, server


_SLOW = (Conduct.STALL, Conduct.TRICKLE)


@pytest.mark.parametrize("kind", ["openai", "ollama"])
def test_a_reply_is_streamed_and_kept(tmp_path: Path, kind: str) -> None:
    """The pieces come one by one, make up the reply, and the next turn goes with it; what was known goes along."""
    pieces: list[str] = []
    with talking(tmp_path, [says("First the invoices.", tokens=80), says("Then flour.")], kind) as (memory, server):
        memory.remember("The invoices are sent on Fridays.")
        partner = Partner(memory)
        first = partner.respond("When are the invoices sent?", hear=pieces.append)
        partner.respond("And after that?")
    assert (first.text, first.model, first.fault) == ("First the invoices.", "tiny", "")
    assert pieces == ["First ", "the ", "invoices."]
    system, prompt = server.seen[0].texts
    assert "sent on Fridays" in system
    assert system.index("What memory knows") < system.index("What governs") < system.index("Core laws")
    assert "assistant: First the invoices." in server.seen[1].texts[1]
    assert "user: When are the invoices sent?" in prompt


def test_no_secret_leaves(tmp_path: Path) -> None:
    """The model sees the words as they are kept: redacted."""
    with talking(tmp_path, [says("Noted.")]) as (memory, server):
        Partner(memory).respond(f"The key is {SECRET}.")
    assert SECRET not in "".join(server.seen[0].texts)


@pytest.mark.parametrize("script", [fails(500), stalls(), ScriptedReply(conduct=Conduct.GARBAGE), says("")])
def test_a_model_that_fails_leaves_a_governed_reply(tmp_path: Path, script: ScriptedReply) -> None:
    """Whatever the model does instead of writing, the user gets a reply, the fault is named, nothing of it is kept."""
    heard: list[str] = []
    with talking(tmp_path, [script]) as (memory, _):
        response = Partner(memory).respond("Help me plan my week", hear=heard.append)
    assert response.model == ""
    assert response.fault
    assert "A piece of work seems to begin" in response.text
    assert heard == [response.text]


def test_a_broken_reply_is_kept_as_far_as_it_came(tmp_path: Path) -> None:
    """What was shown of a reply that broke off is the reply, with the reason."""
    begins = ScriptedReply(conduct=Conduct.TRICKLE, text="It begins well")
    with talking(tmp_path, [begins]) as (memory, _):
        response = Partner(memory).respond("Tell me about the fence.")
    assert response.text == "It "
    assert "did not answer within" in response.fault


def test_the_daily_cap_holds(tmp_path: Path) -> None:
    """Nothing is sent where the day's tokens are used up; the user gets a governed reply."""
    with talking(tmp_path, [says("Never sent.")], daily=50) as (memory, server):
        response = Partner(memory).respond("What is left for today?")
        assert "daily cap" in response.fault
        assert not server.seen


def test_an_emergency_waits_for_no_model(tmp_path: Path) -> None:
    """A stop is acknowledged at once; the model is not asked."""
    with talking(tmp_path, [says("Never asked.")]) as (memory, server):
        response = Partner(memory).respond("STOP! Wrong project!")
        assert response.text.startswith("Stopped.")
        assert not server.seen


def test_without_a_model_a_question_is_answered_from_this_conversation(tmp_path: Path) -> None:
    """Where nobody else writes a reply, what was told a moment ago is known, and what the partner is for is said."""
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        partner = Partner(memory)
        partner.respond("The atlas is printed in Ghent.")
        assert "Ghent" in partner.respond("Where is the atlas printed?").text
        assert "I keep what you tell me" in partner.respond("What can you do?").text
        assert "Ghent" not in partner.turn("Where is the atlas printed?").context.text

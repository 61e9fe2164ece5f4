"""A configured model may word what corrections propose: when it is wanted, in time, within the cap, and if it fits."""

import json

import pytest
from whole_store import START

from accepted import accepted
from dopejar import open_memory
from dopejar.testing.fake_language_model import FakeModelServer, fails, says, stalls

TALK = [
    ("user", "rotate the keys of the upload service"),
    ("assistant", "Done, the new key is in the log as well."),
    ("user", "no! never write secrets to the log file of the upload server"),
    ("assistant", "Removed."),
]
PLAIN = "Never write secrets to the log file of the upload server"
SHORT = "Never write secrets to the upload server log"


@pytest.fixture
def talk(tmp_path):
    """A talk with one lasting correction."""
    path = tmp_path / "talk.jsonl"
    rows = [
        {"role": role, "content": words, "ts": START.replace(minute=place).isoformat()}
        for place, (role, words) in enumerate(TALK)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def learned(home, talk, server, asked=0, **more):
    """What waits after learning with this server configured, and the requests it saw, `asked` of them at least."""
    variables = {
        "DOPEJAR_LANGUAGE_MODEL_KIND": "ollama",
        "DOPEJAR_LANGUAGE_MODEL_URL": server.address,
        "DOPEJAR_LANGUAGE_MODEL_MODEL": "small",
        "DOPEJAR_CORRECTIONS_REFINE": "true",
        "DOPEJAR_LANGUAGE_MODEL_TIMEOUT_S": "20",
        **more,
    }
    with open_memory(home, environment=accepted(home, variables), project="atlas") as memory:
        list(memory.learn([talk]))
        return [item.text for item in memory.review.queue()], len(server.wait_for(asked))


@pytest.mark.enable_socket
@pytest.mark.parametrize(
    ("replies", "more", "text", "asked"),
    [
        ([says({"rule": SHORT})], {}, SHORT, 1),
        ([says({"rule": "Always write secrets to the log"})], {}, PLAIN, 1),
        ([says({"rule": "Never write secrets to the log of server 7"})], {}, PLAIN, 1),
        ([says("no json"), says("again none")], {}, PLAIN, 2),
        ([fails()], {}, PLAIN, 1),
        ([stalls()], {"DOPEJAR_LANGUAGE_MODEL_TIMEOUT_S": "0.1"}, PLAIN, 1),
        ([says({"rule": SHORT})], {"DOPEJAR_LANGUAGE_MODEL_DAILY_TOKENS": "10"}, PLAIN, 0),
        ([says({"rule": SHORT})], {"DOPEJAR_CORRECTIONS_REFINE": "false"}, PLAIN, 0),
        ([says({"rule": SHORT})], {"DOPEJAR_LANGUAGE_MODEL_KIND": "none"}, PLAIN, 0),
    ],
)
def test_a_model_words_and_never_decides(tmp_path, talk, replies, more, text, asked):
    """A fitting reply is taken; a contrary, invented, broken, late or unaffordable one leaves the template's words."""
    with FakeModelServer(replies) as server:
        assert learned(tmp_path / "home", talk, server, asked, **more) == ([text], asked)


@pytest.mark.enable_socket
def test_learning_again_asks_no_model(tmp_path, talk):
    """What is known already costs nothing."""
    with FakeModelServer([says({"rule": SHORT})]) as server:
        assert learned(tmp_path / "home", talk, server) == ([SHORT], 1)
        assert learned(tmp_path / "home", talk, server) == ([SHORT], 1)

"""The bench of given beliefs answers in the scope that asks, from what is in force."""

import json

import pytest

from dopejar.bench.precision import run
from dopejar.errors import InputError

CODE, HOME = "domain:boats", "domain:orchard"


def belief(name, content, scope=CODE, **changes):
    """A belief as the seed states it."""
    return {
        "_id": name,
        "user_id": "test-user",
        "type": "fact",
        "canonical_name": name,
        "aliases": [],
        "content": content,
        "scope": [scope],
        "confidence": 0.9,
        "pinned": False,
        "created_at": "2026-03-01T00:00:00Z",
        **changes,
    }


def write(folder, beliefs, cases, sessions=()):
    """The three files of the folder."""
    (folder / "beliefs.seed.json").write_text(json.dumps(beliefs), "utf-8")
    (folder / "retrieval.cases.json").write_text(json.dumps(cases), "utf-8")
    (folder / "session-retrieval.cases.json").write_text(json.dumps(list(sessions)), "utf-8")


def answers(folder):
    """What the bench writes, by case."""
    run(folder, folder / "run.jsonl")
    lines = [json.loads(line) for line in (folder / "run.jsonl").read_text("utf-8").splitlines()]
    return {line["case_id"]: line["returned"] for line in lines}


def test_only_beliefs_of_the_scope_and_user_that_hold_are_returned(tmp_path):
    """The same word in another scope, of another user, superseded or resolved is not returned."""
    beliefs = [
        belief("anchor", "The anchor weighs nine kilos."),
        belief("anchor-inn", "The anchor over the gate is painted green.", HOME),
        belief("anchor-before", "The anchor weighs six kilos.", superseded_by="anchor"),
        belief("anchor-asked", "Which anchor to buy is open.", resolved_at="2026-04-01T00:00:00Z"),
        belief("anchor-theirs", "The anchor weighs forty kilos.", user_id="somebody"),
    ]
    write(tmp_path, beliefs, [{"caseId": "one", "scope": [CODE], "query": "How many kilos does the anchor weigh?"}])
    assert answers(tmp_path) == {"one": ["anchor"]}


def test_a_belief_made_in_a_session_counts_from_the_next_turn_on(tmp_path):
    """Turns of a session are answered in order; what one of them makes is unknown before it."""
    ask = {"scope": [CODE], "userMessage": "Where is the spinnaker?"}
    made = belief("sail", "The spinnaker is in the loft.")
    turns = [{"turnIndex": 0, **ask, "createBeliefAtTurn": made}, {"turnIndex": 1, **ask}]
    write(tmp_path, [belief("rope", "The rope is blue.")], [], [{"caseId": "s", "turns": turns}])
    assert answers(tmp_path) == {"s#0": [], "s#1": ["sail"]}


def test_an_alias_added_in_a_session_finds_its_belief(tmp_path):
    """A name that a turn adds finds the belief from the next turn on, once."""
    ask = {"scope": [CODE], "userMessage": "Where is the kite?"}
    more = {"beliefId": "sail", "addAliases": ["kite"]}
    turns = [{"turnIndex": 0, **ask, "updateBeliefAtTurn": more}, {"turnIndex": 1, **ask}]
    write(tmp_path, [belief("sail", "The spinnaker is in the loft.")], [], [{"caseId": "s", "turns": turns}])
    assert answers(tmp_path) == {"s#0": [], "s#1": ["sail"]}


def test_a_folder_without_the_files_is_refused(tmp_path):
    """The file that is missing is named."""
    with pytest.raises(InputError, match=r"no beliefs\.seed\.json"):
        run(tmp_path, tmp_path / "run.jsonl")

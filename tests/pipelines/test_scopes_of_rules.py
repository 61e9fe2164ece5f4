"""A rule is believed where it was said: no language hides it there, and its own words tell how far it reaches."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from whole_store import seen, unlocked

from dopejar import open_memory

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
RULES = [
    ("never concatenate strings into SQL", "project"),
    ("never use inline styles here, only css modules", "project"),
    ("never pin a floating tag in a Dockerfile", "project"),
    ("never use a bare except in Python", "language"),
    ("never use pip here", "project"),
    ("never edit files in migrations/ without asking me", "project"),
    ("never concatenate strings into SQL. that goes for every repo", "universal"),
    ("never force push. and the same in all my projects", "universal"),
    ("never force push, in no repo", "universal"),
    ("never run the seed script yourself", "project"),
    ("never leave a print in no-op functions", "project"),
]


@pytest.mark.parametrize(("said", "kind"), RULES)
def test_an_approved_rule_is_seen_where_it_was_said(tmp_path, said, kind):
    """Whatever scope is read in a rule, the project that it was said in believes it."""
    place = tmp_path / "birch"
    place.mkdir()
    (place / "pyproject.toml").write_text('[project]\nname = "birch"\n')
    (place / "app.py").write_text("x = 1\n")
    start = datetime(2026, 3, 2, 9, tzinfo=UTC)
    turns = [("user", "add it"), ("assistant", "Done."), ("user", f"no!! {said}"), ("assistant", "Sorry, fixed.")]
    lines = [
        {
            "type": role,
            "cwd": str(place),
            "sessionId": "s1",
            "uuid": f"u{number}",
            "timestamp": (start + timedelta(minutes=number)).isoformat(),
            "message": {"role": role, "content": text},
        }
        for number, (role, text) in enumerate(turns)
    ]
    transcript = tmp_path / "talk.jsonl"
    transcript.write_text("\n".join(map(json.dumps, lines)))
    with open_memory(tmp_path / "home", environment=QUIET, at=place, said_by="user") as memory:
        list(memory.learn([transcript]))
        (item,) = memory.review.queue()
        assert item.proposal.scope.kind == kind
        memory.review.approve([item.proposal.id], unlocked(memory), seen=seen(memory))
        assert [record.text for record in memory.list()] == [item.text]

"""An edited proposal says what its new text says: nothing of the old text's concept, slot or value stays behind."""

import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import chain_faults, seen, unlocked

from dopejar import InputError, NotFoundError, Status, open_memory
from dopejar.values.record import DIRECTING

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
TEXTS = [
    "Postgres listens on port 6000.",
    "Redis listens on port 6000.",
    "The staging server runs Debian 12.",
    "Never push to main.",
    "I prefer dark mode.",
    "I live in Lisbon. The lamp is blue.",
    "Postgres listens on port 6000, or so the page says.",
    "Harbour!",
]


@pytest.fixture
def memory(tmp_path):
    """A memory in which the user said where Postgres listens."""
    with open_memory(tmp_path / "home", environment=QUIET, said_by="user") as opened:
        opened.remember("Postgres listens on port 5433.")
        yield opened


def active(memory):
    """The texts in force everywhere."""
    listed = memory.list(scope="universal")
    return {record.text.rstrip(".") for record in listed if record.status is Status.ACTIVE}


def edited(memory, said, text):
    """What was proposed by an assistant is approved with another text; the record as it stands, and what was shown."""
    by = unlocked(memory)
    memory.remember(said, said_by="assistant")
    (item,) = memory.review.queue()
    shown = {change.name: change.after for change in memory.review.preview_edit(item.proposal.id, text)}
    before = item.proposal.payload.draft
    receipt = memory.review.edit(item.proposal.id, text, by, seen=seen(memory))
    (record,) = [record for record in receipt.records if record.attributes.get("edited_by") == "ana"]
    return record, {name: shown.get(name, getattr(before, name)) for name in ("text", "key", "slot", "value")}


def test_an_edit_to_another_concept_leaves_the_old_one_alone(memory):
    """A proposal to replace Postgres's port, edited to be about Redis, takes nothing from Postgres."""
    record, _ = edited(memory, "Postgres listens on port 6000.", "Redis listens on port 6000.")
    assert "redis" in record.slot.casefold()
    assert active(memory) == {"Postgres listens on port 5433", "Redis listens on port 6000"}


def test_an_edit_to_a_known_concept_takes_its_place(memory):
    """A proposal about something else, edited to Postgres's port, replaces the port that was believed."""
    record, _ = edited(memory, "The staging server runs Debian 12.", "Postgres listens on port 6000.")
    assert record.value.endswith("6000")
    assert active(memory) == {"Postgres listens on port 6000"}


@settings(max_examples=40)
@given(st.sampled_from(TEXTS[:4]), st.sampled_from(TEXTS))
def test_what_is_committed_is_what_was_shown(said, text):
    """Text, key, slot and value of the approved record are those of the preview, and chains stay whole."""
    with tempfile.TemporaryDirectory() as home, open_memory(home, environment=QUIET, said_by="user") as memory:
        memory.remember("Postgres listens on port 5433.")
        record, shown = edited(memory, said, text)
        assert {name: getattr(record, name) for name in shown} == shown
        assert chain_faults(memory) == []


def test_an_empty_edit_is_refused_before_anything_is_shown(memory):
    """A preview of no words is refused as the edit is."""
    memory.remember("The lamp is blue.", said_by="assistant")
    with pytest.raises(InputError, match="empty"):
        memory.review.preview_edit(memory.review.queue()[0].proposal.id, "  ")


def test_another_scope_moves_only_where_it_holds(memory):
    """A proposal approved for another scope keeps its words and its concept, and holds there and nowhere else."""
    by = unlocked(memory)
    memory.remember("Redis listens on port 6000.", said_by="assistant")
    (item,) = memory.review.queue()
    shown = {change.name: change.after for change in memory.review.preview_edit(item.proposal.id, None, "language:go")}
    assert shown == {"scope": "language:go"}
    receipt = memory.review.edit(item.proposal.id, None, by, seen=seen(memory), scope="language:go")
    (record,) = receipt.records
    assert (str(record.scope), record.text) == ("language:go", item.text)
    assert active(memory) == {"Postgres listens on port 5433"}
    assert chain_faults(memory) == []


def test_another_scope_meets_what_is_known_there(memory):
    """What is moved into a scope that knows the concept already replaces what was believed there."""
    by = unlocked(memory)
    memory.remember("Postgres listens on port 6000.", said_by="assistant")
    (item,) = memory.review.queue()
    memory.review.edit(item.proposal.id, None, by, seen=seen(memory), scope="language:go")
    assert active(memory) == {"Postgres listens on port 5433"}
    memory.remember("Postgres listens on port 7000.", said_by="assistant")
    (item,) = memory.review.queue()
    memory.review.edit(item.proposal.id, None, by, seen=seen(memory), scope="language:go")
    assert [record.text for record in memory.list(scope="language:go", all_projects=True)] == [item.text]
    assert chain_faults(memory) == []


def test_a_scope_that_is_none_changes_nothing(memory):
    """A scope of no kind, or of a project that nothing was learned in, is refused, and the proposal waits on."""
    memory.remember("Redis listens on port 6000.", said_by="assistant")
    (item,) = memory.review.queue()
    for scope, error in (("planet:mars", InputError), ("project:nowhere", NotFoundError)):
        with pytest.raises(error):
            memory.review.edit(item.proposal.id, None, unlocked(memory), seen=seen(memory), scope=scope)
    assert memory.review.waiting() == 1


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("You renamed forty files in the feature branch.", "Don't mix renaming with other changes"),
        ("The handler is typed as any.", "No any in TypeScript"),
        ("The harbour module prints its errors.", "Use structlog instead of print"),
        ("The last commit has three topics.", "Prefer small commits"),
    ],
)
def test_a_fact_that_is_edited_to_a_rule_is_told_as_one(memory, said, text):
    """The kind is read anew, is among the changes that were shown, and the rule is told at a session's start."""
    by = unlocked(memory)
    memory.remember(said, said_by="assistant")
    (item,) = memory.review.queue()
    assert item.proposal.payload.draft.kind not in DIRECTING
    shown = {change.name: change.after for change in memory.review.preview_edit(item.proposal.id, text)}
    memory.review.edit(item.proposal.id, text, by, seen=seen(memory))
    assert shown["kind"] in DIRECTING
    assert text in memory.surveys.instructions()


@pytest.mark.parametrize("text", ["The handler is typed as Event.", "Vera owns the handler", "The handler runs at 3."])
def test_a_fact_that_is_edited_to_another_stays_one(memory, text):
    """What directs nobody is told with the facts."""
    by = unlocked(memory)
    memory.remember("The handler is typed as any.", said_by="assistant")
    (item,) = memory.review.queue()
    (record,) = memory.review.edit(item.proposal.id, text, by, seen=seen(memory)).records
    assert record.kind not in DIRECTING


REWORDED = [
    ("Postgres listens on port 6000.", "Postgres is reached through the proxy, port 6000 there."),
    ("Postgres listens on port 6000.", "The port of Postgres differs per developer, see the file .env."),
    ("Postgres listens on port 6000.", "Ask Dana for the port of Postgres."),
]


@pytest.mark.parametrize(("said", "text"), REWORDED)
def test_a_reworded_update_replaces_still_and_says_so(memory, said, text):
    """An update that a reviewer words anew retires what it was to replace, which is shown before."""
    memory.remember(said, said_by="assistant")
    (item,) = memory.review.queue()
    (change,) = [one for one in memory.review.preview_edit(item.proposal.id, text) if one.name == "replaces"]
    assert change.before == change.after == "Postgres listens on port 5433"
    memory.review.edit(item.proposal.id, text, unlocked(memory), seen=seen(memory))
    assert active(memory) == {text.rstrip(".")}
    assert chain_faults(memory) == []


def test_a_reworded_rule_ends_the_ban_that_it_replaces(memory):
    """A rule that was to end a ban still does in words that name neither its thing nor its sign."""
    memory.remember("Never use tabs.")
    memory.review.approve([one.proposal.id for one in memory.review.queue()], unlocked(memory), seen=seen(memory))
    memory.remember("Use tabs.", said_by="assistant")
    (item,) = memory.review.queue()
    memory.review.edit(item.proposal.id, "Makefiles need tabs, and so does Go.", unlocked(memory), seen=seen(memory))
    assert active(memory) == {"Postgres listens on port 5433", "Makefiles need tabs, and so does Go"}


@pytest.mark.parametrize("text", ["Redis listens on port 6000.", "The lamp is blue."])
def test_an_edit_that_replaces_nothing_more_says_so(memory, text):
    """What an update was to replace and stays in force now is named before anybody agrees."""
    memory.remember("Postgres listens on port 6000.", said_by="assistant")
    (item,) = memory.review.queue()
    (change,) = [one for one in memory.review.preview_edit(item.proposal.id, text) if one.name == "replaces"]
    assert (change.before, change.after) == ("Postgres listens on port 5433", "")

"""The verbs that users of other memories know: get, search, list, add, update, delete."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whole_store import unlocked

from dopejar import InputError, NotFoundError, SearchResult, Status, open_memory
from dopejar.values.scope import Scope

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
TOWNS = ("Aldmere", "Brackholt", "Corvel", "Dunmarch", "Elsward", "Fernby")


@pytest.fixture
def memory(tmp_path):
    """A memory with a fact about each town, and a reviewer."""
    with open_memory(tmp_path, environment=QUIET, said_by="user") as opened:
        for number, town in enumerate(TOWNS):
            opened.remember(f"The {town} depot has {number + 10} lorries.")
        yield opened


def texts(memory, **filters):
    """The texts that a listing shows."""
    return [record.text for record in memory.list(**filters)]


@pytest.mark.parametrize("town", TOWNS)
def test_search_finds_what_names_it_first(memory, town):
    """The best result is the memory that the words name, with its score, its citations and the record itself."""
    first, *others = memory.search(f"How many lorries are there in {town}?")
    assert isinstance(first, SearchResult)
    assert town in first.text
    assert (first.record.id, first.text) == (first.id, memory.get(first.id).text)
    assert first.citations[0].quote in f"The {town} depot has {TOWNS.index(town) + 10} lorries."
    assert all(first.score >= other.score for other in others)


@pytest.mark.parametrize("limit", range(8))
def test_search_and_list_return_at_most_the_limit(memory, limit):
    """A limit is a limit, and 0 is none at all."""
    assert len(memory.search("depot lorries", limit=limit)) == min(limit, len(TOWNS))
    assert len(memory.list(limit=limit)) == min(limit, len(TOWNS))


def test_nothing_relevant_finds_nothing(memory):
    """A search that nothing answers is empty."""
    assert memory.search("zebra quantum flute") == ()


def test_filters_of_search_and_list_agree(memory):
    """Kind, key, tag, scope and project choose the same memories in both; what waits is found by neither."""
    memory.remember("I prefer green lorries.", said_by="assistant")
    (first,) = memory.search("Aldmere", limit=1)
    filters = (
        {"kinds": ["fact"]},
        {"kinds": ["rule"]},
        {"key": first.record.key[:5]},
        {"tag": "nothing"},
        {"scope": "language:go"},
        {"scope": "universal"},
    )
    for chosen in filters:
        listed = memory.list(**chosen)
        assert {one.id for one in memory.search("depot lorries", limit=50, **chosen)} == {one.id for one in listed}
    assert len(texts(memory, statuses=["staged"])) == 1


def test_listing_stays_in_the_project(tmp_path):
    """What belongs to another project is listed and found only where it is asked for."""
    for project in ("birch", "atlas"):
        with open_memory(tmp_path, project=project, environment=QUIET, said_by="user") as opened:
            opened.remember(f"In this project our {project} service listens on port 7000.")
    with open_memory(tmp_path, project="birch", environment=QUIET, said_by="user") as memory:
        own, other = memory.list(), memory.list(project="atlas")
        assert [record.scope for record in (*own, *other)] == [Scope.project("birch"), Scope.project("atlas")]
        assert {one.id for one in memory.list(all_projects=True)} == {one.id for one in (*own, *other)}
        assert [one.id for one in memory.search("which port?", project="atlas")] == [record.id for record in other]


def test_what_was_searched_is_not_learned_again(memory):
    """Texts that a search returned are recognised when an assistant repeats them."""
    before = set(texts(memory))
    (found,) = memory.search("Aldmere lorries", limit=1)
    learned = memory.add([{"role": "user", "content": f"{found.text}."}])
    assert learned.guarded
    assert set(texts(memory)) == before


def test_update_supersedes_and_keeps_the_history(memory):
    """The new words hold, the old ones are history, and nothing waits."""
    (old,) = memory.search("Corvel", limit=1)
    result = memory.update(old.id, "The Corvel depot has 40 lorries.")
    assert result.record.id == old.id
    assert (result.remembered.took_effect, result.removal) == (True, ())
    assert [one.text for one in memory.search("Corvel")] == ["The Corvel depot has 40 lorries"]
    assert memory.get(old.id).status is Status.SUPERSEDED
    assert len(memory.history(old.id).versions) == 2


@pytest.mark.parametrize("said_by", ["assistant", "tool", "other", "fetched"])
def test_update_by_anybody_else_waits(memory, said_by):
    """What is not the user's word changes nothing until a reviewer approves it."""
    (old,) = memory.search("Corvel", limit=1)
    before = texts(memory)
    memory.update(old.id, "The Corvel depot has 40 lorries.", said_by=said_by)
    assert texts(memory) == before
    assert memory.review.waiting() == 1


def test_a_reviewers_update_about_something_else_takes_the_old_one_out(memory):
    """A reviewer says what is right in other words: the wrong memory is out of use at once."""
    by = unlocked(memory)
    (old,) = memory.search("Corvel", limit=1)
    result = memory.update(old.id, "Downloads come from the archive machine.", by)
    assert [receipt.outcome for receipt in result.removal] == ["deprecated"]
    assert memory.get(old.id).status is Status.DEPRECATED


def test_delete_is_a_reviewers_act_or_a_proposal(memory):
    """Without a reviewer it waits, once; with one it is done, its words stay readable, and it can be brought back."""
    ids = [record.id for record in memory.list(limit=2)]
    assert [receipt.outcome for receipt in memory.delete(ids)] == ["staged", "staged"]
    assert memory.delete(ids[0]) == ()
    assert len(texts(memory)) == len(TOWNS)
    by = unlocked(memory)
    (receipt,) = memory.delete(ids, by)
    assert (receipt.outcome, len(receipt.records)) == ("deprecated", 2)
    assert len(texts(memory)) == len(TOWNS) - 2
    assert memory.get(ids[0]).text
    memory.bring_back([ids[0]], by)
    assert len(texts(memory)) == len(TOWNS) - 1


def test_delete_proposes_all_or_nothing(memory):
    """Where one name is unknown or out of use, nothing is proposed of the others."""
    ids = [record.id for record in memory.list(limit=2)]
    with pytest.raises(NotFoundError):
        memory.delete([ids[0], "m_none"])
    memory.delete(ids[1], unlocked(memory))
    with pytest.raises(InputError, match="deprecated"):
        memory.delete([ids[0], ids[1]])
    assert memory.review.waiting() == 0


def test_learn_takes_one_path(memory, tmp_path):
    """A single path is a path, and not its letters."""
    file = tmp_path / "chat.jsonl"
    row = '{"store": "s", "session": "one", "session_time": "2026-03-01T10:00:00+00:00", "turn_id": "%s", "index": %d, '
    row += '"speaker": "Ana", "role": "user", "text": "The Grimsdale depot has 3 lorries."}'
    file.write_text("\n".join(row % (f"t{number}", number) for number in range(2)), "utf-8")
    assert [learned.path for learned in memory.learn(str(file))] == [str(file)]
    assert [learned.known for learned in memory.learn(file)] == [2]


MESSAGES = [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "content": "Our billing service listens on port 7411."},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
    {"role": "tool", "content": "ok", "tool_call_id": "1"},
    {
        "role": "user",
        "content": [{"type": "text", "text": "Our ledger service listens on port 7412."}, {"type": "image_url"}],
    },
    {"role": "assistant", "content": "Noted."},
]


def test_messages_are_learned_from_once(memory):
    """The messages of a chat become turns; the same again, or with more behind them, adds only what is new."""
    first = memory.add(MESSAGES, conversation="chat")
    assert (first.episodes, first.known) == (5, 0)
    assert (first.report.turns, first.report.user_turns) == (5, 2)
    assert (first.left_out["no text"], first.left_out["image_url part"]) == (1, 1)
    assert {"Our billing service listens on port 7411", "Our ledger service listens on port 7412"} <= set(texts(memory))
    again = memory.add([*MESSAGES, {"role": "user", "content": "Our mirror listens on port 99."}], conversation="chat")
    assert (again.episodes, again.known) == (1, 5)
    assert "Our mirror listens on port 99" in texts(memory)
    (one,) = memory.search("billing service", limit=1)
    assert len(memory.history(one.id).evidence) == 1


def test_same_messages_without_a_name_are_one_conversation(memory):
    """A list of messages that comes twice is one witness."""
    memory.add(MESSAGES)
    assert memory.add(MESSAGES).episodes == 0
    (one,) = memory.search("billing service", limit=1)
    assert len(memory.history(one.id).evidence) == 1


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_the_role_of_the_user_is_the_user(memory, role):
    """Words under any other role do not become active memories, whoever the memory was opened for."""
    before = texts(memory)
    memory.add([{"role": role, "content": "Our billing service listens on port 7411."}])
    assert texts(memory) == before


@given(
    st.lists(st.sampled_from(MESSAGES), max_size=6),
    st.sampled_from(
        [
            "a text", None, 5, {}, {"role": "user", "content": 5}, {"role": "boss", "content": "Hi"},
            {"role": "user", "content": ["\ud800"]}, {"role": "user", "content": "x" * 1_000_001},
            {"role": "user", "content": "Hi", "at": "today"}, {"role": "user", "content": "Hi", "id": 7},
            {"role": ["user"], "content": "Hi"},
        ]
    ),
    st.integers(0, 6),
)  # fmt: skip
def test_one_bad_message_keeps_nothing(messages, bad, place):
    """Where one message of a list is none, it is named, and no other one is kept."""
    with open_memory(":memory:", environment=QUIET) as memory:
        with pytest.raises(InputError):
            memory.add([*messages[:place], bad, *messages[place:]])
        assert memory.inspection.sizes().episodes == 0


def test_ids_of_messages_do_not_tell_their_words(tmp_path):
    """Two stores name the same message differently: its id is keyed by the store's secret."""
    names = []
    for place in ("one", "two"):
        with open_memory(tmp_path / place, environment=QUIET) as memory:
            learned = memory.add(MESSAGES)
            with memory.store.read() as view:
                names.append({turn.source_id for turn in view.turns(learned.conversations[0])})
    assert names[0] & names[1] == set()

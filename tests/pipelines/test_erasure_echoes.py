"""What still speaks of something that is erased is listed before, can go with it, and is named afterwards."""

from datetime import timedelta

import pytest
from whole_store import by_turns, write_conversation, write_roles

from dopejar import open_memory
from dopejar.engine.review.erasure_echoes import Place
from dopejar.values.versioned_rows import SharedReference, WorkingSet

SECRET = "correct horse " + "battery"
WORDS = "My locker combination hint is the blue heron from Zambujeira."
ANSWER = "Noted, I will remind you of it before you drive to Zambujeira."
UNRELATED = ["The gateway is written in Go.", "Shall we deploy the billing service on Friday?", "My tea is green."]


@pytest.fixture
def memory(tmp_path):
    """A memory that learned a conversation with an echo, and others without."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        opened.reviewers.add("ana", SECRET)
        list(opened.learn([write_roles(tmp_path, "one", by_turns([WORDS, ANSWER, *UNRELATED]))]))
        yield opened


def turn_of(memory, words):
    """The id of the turn that says the words."""
    with memory.store.read() as view:
        turns = [turn for row in view.conversations(100) for turn in view.turns(row.id)]
    (found,) = [turn.id for turn in turns if turn.text == words]
    return found


def hold_everywhere(memory):
    """Let a working set, a reference, a proposal and an assistant's memory speak of it."""
    now = memory._deps.clock.now()
    memory.workspace.hold_working_set(
        WorkingSet(problem_id="visit", lane_id="a", body='{"where": "Zambujeira"}', expires_at=now + timedelta(hours=1))
    )
    memory.workspace.put_reference(
        SharedReference(
            key="places/z", value='"Zambujeira, by the sea"', version=1, source="x", updated_by="x", updated_at=now
        )
    )
    memory.remember("The user's locker is in Zambujeira.", said_by="assistant")


def test_the_assistants_answer_is_an_echo(memory):
    """The turn that answers is found by the name in it; what speaks of something else is not."""
    turn = turn_of(memory, WORDS)
    (echo,) = memory.inspection.preview_echoes(episodes=[turn])
    assert (echo.place, echo.id) == (Place.TURN, turn_of(memory, ANSWER))
    assert "zambujeira" in echo.words


@pytest.mark.parametrize("by", ["record", "episode", "conversation"])
def test_every_place_is_listed_and_goes_with_it(memory, tmp_path, by):
    """Listed before; named in the receipt where it stays; once they are erased, too, no file holds the name."""
    reviewer, unrelated = memory.reviewers.unlock(SECRET), "Is the ferry late?"
    hold_everywhere(memory)
    list(
        memory.learn(
            [
                write_conversation(
                    tmp_path, "two", [(0, "I drove to Zambujeira about the bill yesterday."), (1, unrelated)]
                )
            ]
        )
    )
    (record,) = [record for record in memory.list() if "heron" in record.text]
    named = {
        "record": {"records": [record.id]},
        "episode": {"episodes": [turn_of(memory, WORDS)]},
        "conversation": {"conversation": conversation_of(memory)},
    }[by]
    echoes = memory.inspection.preview_echoes(**named)
    expected = {Place.TURN, Place.MEMORY, Place.WORKING_SET, Place.REFERENCE}
    assert {echo.place for echo in echoes} == expected
    receipt = memory.erase(reviewer, **named)
    assert {echo.place for echo in receipt.echoes} == expected
    for echo in receipt.echoes:
        assert "zambujeira" in echo.text.casefold()
    again = memory.erase(reviewer, episodes=[turn_of(memory, unrelated)], echoes=receipt.echoes)
    assert again.verified
    data = b"".join(file.read_bytes() for file in (tmp_path / "home").iterdir() if file.is_file())
    assert b"zambujeira" not in data.lower()
    assert memory.maintenance.doctor().faults == ()


def conversation_of(memory):
    """The conversation that was learned first."""
    with memory.store.read() as view:
        return next(row.id for row in view.conversations(100) if view.turns(row.id)[0].index == 0 and row.imported > 2)


def test_an_erased_turn_leaves_no_wording_that_was_read_from_it(memory):
    """A long turn is looked for by what was learned from it, too: another turn that says it is an echo."""
    long = f"{WORDS} " + " ".join(f"The shelf number {place} holds flour from the mill." for place in range(30))
    memory.remember(long)
    echoes = memory.inspection.preview_echoes(episodes=[turn_of(memory, long)])
    assert turn_of(memory, WORDS) in {echo.id for echo in echoes}


def test_a_common_name_is_nobodys(memory, tmp_path):
    """A name that stands in very many turns makes no echo of them."""
    turns = [(place, f"Ask Lisbon office number {place} about invoice {place + 7000}.") for place in range(60)]
    list(memory.learn([write_conversation(tmp_path, "many", turns)]))
    told = memory.remember("The party was in Lisbon with cake.")
    echoes = memory.inspection.preview_echoes(episodes=[told.episode_id])
    assert not [echo for echo in echoes if "invoice" in echo.text]


def test_the_receipt_names_exports(memory, tmp_path):
    """An export that still exists holds the words, and is named."""
    memory.exchange.export_to(tmp_path / "out.jsonl")
    receipt = memory.erase(memory.reviewers.unlock(SECRET), episodes=[turn_of(memory, WORDS)])
    assert receipt.exports == (tmp_path / "out.jsonl",)

"""What is announced for a later day, or holds for a window, leaves what holds now as it is; told and learned alike."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from whole_store import unlocked

from dopejar import Memory, Status, open_memory
from dopejar.doors.cli.text_output import history_lines, receipt_lines, record_rows
from dopejar.doors.web.html_templates import status_word
from dopejar.engine.queries.agent_answers import memory_history
from dopejar.engine.queries.record_search import BrowseFilter
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.testing.fixed_clock import FixedClock
from dopejar.values.statement import Related, Relation

EARLY = datetime(2026, 3, 2, 9, tzinfo=UTC)
NOON = datetime(2026, 11, 19, 12, tzinfo=UTC)
ANNOUNCED = [
    ("The bus pass is 31 a month.", "The bus pass goes up to 34 a month in January.", "2027-01-01"),
    ("Our lodger pays 400 a month.", "From December our lodger pays 450 a month.", "2026-12-01"),
    ("The choir rehearses at the chapel.", "The choir is moving to the Old Mill next month.", "2026-12-01"),
    ("I work at Fenix.", "I start at Brandt on 4 January.", "2027-01-04"),
]


class UpdateReader(GrammarReader):
    """A reader that finds every later statement to be a newer value of the earlier one."""

    def relate(self, pairs):
        """The relation of each pair."""
        shares = tuple(float(relation is Relation.UPDATE) for relation in Relation)
        return tuple(Related(relation=Relation.UPDATE, shares=shares) for _ in pairs)


@pytest.fixture
def opened(tmp_path):
    """A memory on a file, with a reader that joins whatever may be joined, under a clock that can be set."""
    environment = {"DOPEJAR_EMBEDDER_KIND": "none"}
    with open_memory(tmp_path / "home", environment=environment, said_by="user") as memory:
        clock = FixedClock(NOON + timedelta(hours=1))
        deps = replace(memory._deps, clock=clock, reader=UpdateReader)
        yield Memory(deps, memory.project), clock


def standing(memory):
    """The words that a listing gives."""
    return {record.text for record in memory.list()}


@pytest.mark.parametrize(("present", "announced", "day"), ANNOUNCED)
def test_an_announcement_leaves_what_holds_until_its_day(present, announced, day, opened):
    """Both are listed before that day; from it on the announced one alone; `as_of` gives what holds at a time."""
    memory, clock = opened
    memory.remember(present, at=EARLY)
    memory.remember(announced, at=NOON)
    new, old = sorted(memory.list(), key=lambda one: one.status)
    begin = datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC)
    assert (old.text + ".", old.status, old.superseded_by) == (present, Status.SUPERSEDED, new.id)
    assert old.valid_to == new.valid_from
    assert timedelta() <= new.valid_from - begin < timedelta(minutes=1)
    question = present.rstrip(".")
    found = memory.recall(question, records_only=True, as_of=clock.now()).items[0]
    assert (found.id, found.status, found.marks) == (old.id, "active", (f"until {day}",))
    assert f"until {day}" in "\n".join(record_rows([old], {}, clock.now()))
    assert memory.recall(question, records_only=True, as_of=begin + timedelta(days=1)).items[0].id == new.id
    clock.advance(begin + timedelta(days=1) - clock.now())
    assert [record.id for record in memory.list()] == [new.id]
    assert memory.recall(question, records_only=True, as_of=NOON + timedelta(hours=1)).items[0].marks == ("superseded",)


def test_a_receipt_names_the_day_of_an_announced_change(opened):
    """What holds until then is not called superseded, nor what holds from then on the present."""
    memory, _ = opened
    memory.remember("The bus pass is 31 a month.", at=EARLY)
    told = memory.remember("The bus pass goes up to 34 a month in January.", at=NOON)
    until, then = receipt_lines(told.receipts)
    assert until.startswith("until 2027-01-01 ")
    assert then.startswith("from 2027-01-01 ")


def test_of_two_announcements_for_one_day_the_later_one_counts(opened):
    """Whatever their values, and in whatever order they are told; what holds now is in force until then."""
    memory, clock = opened
    memory.remember("The bus pass is 31 a month.", at=EARLY)
    memory.remember("The bus pass goes up to 33 a month in January.", at=NOON)
    memory.remember("The bus pass goes up to 36 a month in January.", at=NOON - timedelta(days=9))
    assert "The bus pass is 31 a month" in standing(memory)
    clock.advance(timedelta(days=60))
    assert standing(memory) == {"The bus pass goes up to 33 a month in January"}


def test_what_changes_before_the_announced_day_stands_between(opened):
    """A newer present value ends the old one at once, and is ended by the announced one on its day."""
    memory, clock = opened
    memory.remember("The bus pass is 31 a month.", at=EARLY)
    memory.remember("The bus pass goes up to 34 a month in January.", at=NOON - timedelta(days=2))
    memory.remember("The bus pass is 32 a month now.", at=NOON)
    assert standing(memory) == {"The bus pass is 32 a month now", "The bus pass goes up to 34 a month in January"}
    clock.advance(timedelta(days=60))
    assert standing(memory) == {"The bus pass goes up to 34 a month in January"}


def test_an_announcement_that_is_undone_leaves_the_present_value_without_an_end(opened):
    """As though it had not been said."""
    memory, clock = opened
    memory.remember("The bus pass is 31 a month.", at=EARLY)
    receipt = memory.remember("The bus pass goes up to 34 a month in January.", at=NOON)
    memory.undo(receipt.act_id, by=unlocked(memory))
    clock.advance(timedelta(days=60))
    assert standing(memory) == {"The bus pass is 31 a month"}


@pytest.mark.parametrize(
    ("said", "announced", "question", "day"),
    [
        ("The tenant in Leipzig is Ines Wolf.", "From January the tenant in Leipzig is Emil Roth.", "", "2027-01-01"),
        ("The ferry is 4 euros.", "From December the ferry is 5 euros.", "What is the ferry?", "2026-12-01"),
        ("I work at Fenix.", "I start at Brandt on 4 January.", "Who starts at Brandt?", "2027-01-04"),
        ("We live in Gouda.", "We move to Leeds in March.", "Who moves to Leeds?", "2027-03-01"),
        ("", "From February the kiln is rented out.", "Who has the kiln?", "2027-02-01"),
        ("I'm on the early shift.", "Next week I'm on the late shift.", "Which shift am I on?", "2026-11-23"),
    ],
)
def test_what_is_announced_is_found_with_its_day(said, announced, question, day, opened):
    """Before its day a recall gives it marked, behind every record that holds; from its day on without a mark."""
    memory, clock = opened
    for text in filter(None, (said, announced)):
        memory.remember(text, at=NOON)
    pack = memory.recall(question or announced)
    records = [item for item in pack.items if item.source == "record"]
    assert [f"from {day}" in item.marks for item in records] == [False] * (len(records) - 1) + [True], pack.text
    assert f"; from {day}" in pack.text
    assert [item.score for item in records] == sorted((item.score for item in records), reverse=True)
    clock.advance(timedelta(days=120))
    marks = [mark for item in memory.recall(question or announced).items for mark in item.marks]
    assert not any(mark.startswith("from ") for mark in marks)


def test_what_is_announced_is_not_given_as_what_holds(opened):
    """A planted announcement stands neither before what holds nor in its place, nor is it found as of now."""
    memory, _ = opened
    memory.remember("The admin of the shop is Ines.", at=EARLY)
    memory.remember("From 2031 the admin of the shop is Mallory.", at=NOON)
    first, *rest = memory.recall("Who is the admin of the shop?", records_only=True).items
    assert ("Ines" in first.text, first.status) == (True, "active")
    assert [item.marks for item in rest] == [("from 2031-01-01",)]
    as_of_now = memory.recall("Who is the admin of the shop?", records_only=True, as_of=NOON + timedelta(hours=1))
    assert [item.id for item in as_of_now.items] == [first.id]
    found = memory.search("admin of the shop")
    assert [(one.id, "from 2031-01-01" in one.marks) for one in found] == [(first.id, False), (rest[0].id, True)]


def test_an_old_quotation_is_not_said_to_have_become_what_is_announced(opened):
    """What a superseded statement gave way to is what holds now, not what will."""
    memory, _ = opened
    memory.remember("The bus pass is 29 a month.", at=EARLY)
    memory.remember("The bus pass is 31 a month now.", at=EARLY + timedelta(days=30))
    memory.remember("The bus pass goes up to 34 a month in January.", at=NOON)
    pack = memory.recall("What was the bus pass, 29 a month?")
    nows = [mark for item in pack.items for mark in item.marks if mark.startswith("now:")]
    assert all("31" in mark for mark in nows), pack.text


WINDOWS = [
    ("I work Mondays and Fridays.", "For November and December I'm doing Mondays to Fridays.", "2027-01-01"),
    ("I'm on the early shift.", "Next week I'm on the late shift.", "2026-11-30"),
    ("We live in Gouda.", "From 3 to 17 December we're living in Delft.", "2026-12-18"),
]


@pytest.mark.parametrize(("usual", "passing", "end"), WINDOWS)
def test_a_value_for_a_window_retires_nothing_and_ends_with_it(usual, passing, end, opened):
    """The usual one is active all the time; the other one stands beside it, and is over after its last day."""
    memory, clock = opened
    memory.remember(usual, at=EARLY)
    memory.remember(passing, at=NOON)
    passed, stays = sorted(memory.list(), key=lambda one: not one.temporary)
    assert (stays.status, passed.status, passed.temporary) == (Status.ACTIVE, Status.ACTIVE, True)
    assert passed.valid_to is not None
    assert passed.valid_to.date() == date.fromisoformat(end)
    clock.advance(passed.valid_to - clock.now())
    assert standing(memory) == {usual.rstrip(".")}


@pytest.mark.parametrize(
    ("usual", "then"),
    [
        ("The pool opens at nine.", "In the school holidays the pool opens at ten."),
        ("I work three days a week.", "I work four days a week while Ines is off."),
        ("The night bus runs to Delft.", "During the summer the night bus runs to Leiden."),
        ("The bakery closes at six.", "Over Easter the bakery closes at ten."),
        ("The nurse comes at nine.", "The nurse comes at ten in Christmas week."),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_what_is_so_at_another_time_only_stands_beside(usual, then, order, opened):
    """In whatever order the two are said; a new value for the same time still takes the place of the old one."""
    memory, _ = opened
    for days, words in enumerate((usual, then)[::order]):
        memory.remember(words, at=EARLY + timedelta(days=days))
    assert standing(memory) == {usual.rstrip("."), then.rstrip(".")}
    memory.remember(then.replace("ten", "eleven").replace("four", "five").replace("Leiden", "Breda"), at=NOON)
    assert usual.rstrip(".") in standing(memory)
    assert then.rstrip(".") not in standing(memory)


def test_a_conversation_teaches_the_same(opened, tmp_path):
    """Learned turns that announce a change, or tell of a window, leave what a turn before them taught."""
    memory, _ = opened
    said = ["I prefer dark mode.", "For November and December I prefer light mode."]
    for number, words in enumerate(said):
        row = {
            "store": "s",
            "session": f"talk{number}",
            "session_time": (EARLY + timedelta(days=number)).isoformat(),
            "turn_id": "t",
            "index": 0,
            "role": "user",
            "text": words,
        }
        path = tmp_path / f"talk{number}.jsonl"
        path.write_text(json.dumps(row) + "\n")
        list(memory.learn([path]))
    assert {record.status for record in memory.list(statuses=(Status.ACTIVE, Status.SUPERSEDED))} == {Status.ACTIVE}
    assert "I prefer dark mode" in standing(memory)


@pytest.mark.parametrize(("present", "announced", "day"), ANNOUNCED)
def test_evidence_bears_the_day_of_its_turn(present, announced, day, opened):
    """Whatever day an announcement is for, its evidence is shown with the time at which it was said."""
    memory, _ = opened
    memory.remember(present, at=EARLY)
    memory.remember(announced, at=NOON)
    (new,) = (one for one in memory.list() if one.valid_from.date().isoformat() == day)
    history = memory.history(new.id)
    assert {row["at"][:16] for row in memory_history(history)["evidence"]} == {NOON.isoformat()[:16]}
    lines = [line.strip() for line in history_lines(history, {}) if "asserts" in line]
    assert lines
    assert all(line.startswith(NOON.date().isoformat()) for line in lines)


@pytest.mark.parametrize(("present", "announced", "day"), ANNOUNCED)
def test_a_dossier_tells_what_holds_until_the_day(present, announced, day, opened):
    """What is announced is planned there until its day, and said when it was said; from then on it is what holds."""
    memory, clock = opened
    memory.remember(present, at=EARLY)
    memory.remember(announced, at=NOON)
    before = {fact.text: fact for one in memory.dossiers.list() for fact in one.facts}
    assert {fact.at.date(): fact.standing for fact in before.values()} == {
        EARLY.date(): "current",
        NOON.date(): "planned",
    }
    events = [event for one in memory.dossiers.list() for event in one.history]
    assert max(event.at for event in events) < clock.now()
    assert [one.summary for one in memory.dossiers.list() if one.current] == [present]
    clock.advance(datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC) + timedelta(days=1) - clock.now())
    after = [fact for one in memory.dossiers.list() for fact in one.facts]
    assert {fact.at.date(): fact.standing for fact in after} == {EARLY.date(): "superseded", NOON.date(): "current"}


@pytest.mark.parametrize(("present", "announced", "day"), ANNOUNCED)
def test_the_page_says_until_when_it_holds(present, announced, day, opened):
    """In the list of what is active, where it stands beside what is announced, and in the words of its status."""
    memory, clock = opened
    memory.remember(present, at=EARLY)
    memory.remember(announced, at=NOON)
    shown = {
        record.text: status_word(record, clock.now()) for record in memory.inspection.browse(BrowseFilter()).records
    }
    assert sorted(shown.values()) == ["active", f"until {day}"]
    clock.advance(datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC) + timedelta(days=1) - clock.now())
    after = memory.inspection.browse(BrowseFilter(status="")).records
    assert sorted(status_word(record, clock.now()) for record in after) == ["active", "superseded"]
    assert [record.status for record in memory.inspection.browse(BrowseFilter()).records] == ["active"]

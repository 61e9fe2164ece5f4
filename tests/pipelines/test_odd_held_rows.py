"""A held row whose body cannot be read: no act fails unexpectedly, the doctor names it, and a repair mends it."""

import json
import shutil
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import SECRET, seen, write_roles

from dopejar import Partner, open_memory
from dopejar.adapters.language_models.token_usage_log import StoredSpendLog
from dopejar.compose.body_readers import NOTES, READERS, body_reader
from dopejar.doors.cli.start import run
from dopejar.engine.dependencies import Reviewer
from dopejar.errors import DopejarError, StoreDamagedError
from dopejar.turn.pattern_store import FeedbackLoop, PatternStore
from dopejar.values.episode import Origin
from dopejar.values.transcript import LiveTurn
from dopejar.values.versioned_rows import KeyValueRow

TURNS = [
    ("user", "The mill in Porto grinds rye and wheat."),
    ("assistant", "Noted."),
    ("user", "I prefer tea to coffee in the morning."),
    ("assistant", "Tea it is."),
    ("user", "No, please answer in short sentences."),
]
SPOKEN = ("Help me plan the move to Lisbon this month.", "Yes, do that.", "Thanks, that worked perfectly.")
NOTE = f"{NOTES}desk"
ODD = ("", "{}", "[]", "null", "{", "[[[[", "7", '"x"', "[1]", '{"a": 1}', "[" * 100_000)
LEAVES = (None, True, -1, 0.5, float("inf"), "", "x", "2026-01-01", "\ud800", [], {}, [1], {"a": 1}, [[None]])


def _opened(home):
    return open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user")


def _sign(topic):
    return {"request_type": "question", "text": topic}


def _speak(memory):
    partner = Partner(memory, "move")
    for words in SPOKEN:
        with suppress(DopejarError):
            partner.turn(words)
    loop = FeedbackLoop(PatternStore(memory))
    for _ in range(3):
        loop.record_outcome(_sign("harbour"), {"strategy": "direct"}, {"status": "success"})
    return partner, loop


def _observe(memory, place):
    name = {"conversation": "live", "format": "neutral", "origin": Origin.USER}
    memory.observe(LiveTurn(source_id=str(place), text=f"The {place}. crate holds nails.", **name))


def _reserve(memory):
    StoredSpendLog(memory.store, memory._deps.system_clock, 10_000).reserve(5, "refine")


def _fill(memory, folder):
    """A row of every kind that has a reader."""
    memory.reviewers.add("ana", SECRET)
    by = memory.reviewers.unlock(SECRET)
    memory.reviewers.trust_terminal("tty", by)
    with suppress(DopejarError):
        memory.reviewers.unlock("something else")
    memory.remember("Always use tabs in the quay project.", said_by="user")
    list(memory.learn([write_roles(folder, "one", TURNS)]))
    memory.sessions.end()
    memory.garden.tend()
    memory.maintenance.maintain()
    _observe(memory, 1)
    _speak(memory)
    memory.api_keys.make("bot", "write")
    _reserve(memory)
    memory.workspace.put_note("desk", "one", {"text": "Milk is white."})
    answer = json.dumps({"asked": "00", "status": 200, "answer": "{}"})
    until = datetime.now(UTC) + timedelta(days=1)
    with memory.store.write() as tx:
        tx.put_held(KeyValueRow(kind="api_answer", key="one", body=answer, expires_at=until))
        tx.put_held(KeyValueRow(kind="scrub", key="file", body=json.dumps({"since": until.isoformat()})))


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The file of a closed store with a held row of every kind that has a reader, shown at a terminal."""
    folder = tmp_path_factory.mktemp("original")
    with _opened(folder / "home") as memory:
        _fill(memory, folder)
        shown = {"numbers": {"1": "p_1"}, "versions": {"p_1": 1}}
        until = datetime.now(UTC) + timedelta(days=1)
        with memory.store.write() as tx:
            tx.put_held(KeyValueRow(kind="shown_proposals", key="tty", body=json.dumps(shown), expires_at=until))
    return folder / "home" / "dopejar.db"


def _copy(original, folder):
    path = folder / "home" / "dopejar.db"
    path.parent.mkdir(exist_ok=True)
    shutil.copyfile(original, path)
    return path


def _bodies(path):
    with closing(apsw.Connection(str(path))) as db:
        return {(kind, key): body for kind, key, body in db.execute("SELECT kind, key, body FROM held")}


def _set_body(path, kind, body):
    with closing(apsw.Connection(str(path))) as db:
        db.execute("UPDATE held SET body = ? WHERE kind = ?", (body, kind))
        return db.changes()


def _acts(memory, folder, by):
    """What reads and writes held rows, each on its own."""
    partner, loop = Partner(memory, "move"), FeedbackLoop(PatternStore(memory))
    return {
        "keys": memory.api_keys.list,
        "key": lambda: memory.api_keys.find("dpj_none"),
        "new key": lambda: memory.api_keys.make("bot"),
        "unlock": lambda: memory.reviewers.unlock(SECRET),
        "wrong": lambda: memory.reviewers.unlock("wrong"),
        "trusted": memory.reviewers.trusted_terminals,
        "voucher": lambda: memory.reviewers.voucher_at("tty"),
        "trust": lambda: memory.reviewers.trust_terminal("tty", by),
        "other passphrase": lambda: memory.reviewers.add("ana", SECRET, by),
        "approve": lambda: memory.review.approve([memory.review.queue()[0].proposal.id], by, seen=seen(memory)),
        "blocks": memory.garden.blocks,
        "garden": memory.garden.tend,
        "maintain": memory.maintenance.maintain,
        "learn": lambda: list(memory.learn([write_roles(folder, "two", TURNS)])),
        "observe": lambda: _observe(memory, 2),
        "end": memory.sessions.end,
        "export": lambda: memory.exchange.export_to(folder / f"export-{len(list(folder.iterdir()))}"),
        "turn": lambda: partner.turn(SPOKEN[0]),
        "state": lambda: (partner.state, [partner.trace(one) for one in partner.state.traces]),
        "patterns": lambda: (PatternStore(memory).patterns(), PatternStore(memory).search(_sign("harbour"))),
        "outcome": lambda: loop.record_outcome(_sign("harbour"), {"strategy": "direct"}, {"status": "success"}),
        "back": loop.look_back,
        "spend": lambda: _reserve(memory),
        "notes": lambda: memory.workspace.notes("desk"),
        "note": lambda: memory.workspace.write_note("desk", "one", lambda old: old or "new"),
        "recall": lambda: memory.recall("tea in the morning"),
        "overview": memory.surveys.instructions,
        "erase": lambda: memory.erase(by, records=[memory.list()[-1].id]),
    }


def _do_everything(path, folder):
    """Every act; a fault of the program itself comes through, a refusal does not. The acts that were refused."""
    refused = {}
    with _opened(path.parent) as memory:
        by = memory.reviewers.unlock(SECRET)
        for name, act in _acts(memory, folder, by).items():
            try:
                act()
            except DopejarError as error:
                refused[name] = error
    return refused


def test_every_kind_with_a_reader_is_tried(original):
    """The store of these tests has a row of each, and every reader reads what the program writes."""
    rows = _bodies(original)
    assert {kind for kind, _ in rows} >= {*READERS, NOTE}
    for (kind, key), body in rows.items():
        if (reader := body_reader(kind)) is not None:
            reader.read(KeyValueRow(kind=kind, key=key, body=body))


def _with_odd_leaf(value, choose):
    """The value with one part of it replaced or removed."""
    if isinstance(value, (dict, list)) and value and choose(5):
        place = [*value][choose(len(value))] if isinstance(value, dict) else choose(len(value))
        changed = value.copy()
        if choose(4) == 0:
            del changed[place]
        else:
            changed[place] = _with_odd_leaf(value[place], choose)
        return changed
    return LEAVES[choose(len(LEAVES))]


def _odd_body(body, choose):
    """A body as a hand or a bad sector may leave it."""
    way = choose(4)
    if way == 0:
        return ODD[choose(len(ODD))]
    if way == 1:
        place = choose(len(body) or 1)
        return body[:place] + chr(32 + choose(95)) + body[place + 1 :]
    return json.dumps(_with_odd_leaf(json.loads(body), choose))


@settings(max_examples=30, deadline=None)
@given(kind=st.sampled_from([*READERS, NOTE]), rng=st.randoms(use_true_random=True))
def test_no_odd_body_ends_an_act_unexpectedly(original, tmp_path_factory, kind, rng):
    """Whatever the body of a row says: every act works or refuses in words, and the doctor names what is not read."""
    folder = tmp_path_factory.mktemp("odd")
    path = _copy(original, folder)
    body = _odd_body(next(text for (its, _), text in _bodies(path).items() if its == kind), rng.randrange)
    assert _set_body(path, kind, body)
    with _opened(path.parent) as memory:
        faults = [one for one in memory.maintenance.doctor().faults if "cannot be read" in one.detail]
    _do_everything(path, folder)
    reader = body_reader(kind)
    try:
        reader.read(KeyValueRow(kind=kind, key="one", body=body))
    except Exception:  # noqa: BLE001 - whatever a reader raises is to be named
        assert [(one.what, kind in one.detail, one.repairable) for one in faults] == [
            ("held", True, not reader.is_kept)
        ]
    else:
        assert faults == []
    shutil.rmtree(folder)


@pytest.mark.parametrize("kind", [*READERS, NOTE])
def test_an_accepted_row_that_cannot_be_read_is_still_named(original, tmp_path, kind):
    """A reviewer's word makes no row readable: only a repair ends the fault, and it takes nobody's words."""
    path = _copy(original, tmp_path)
    assert _set_body(path, kind, "{")
    rows = [f"held:{its} {key}" for its, key in _bodies(path) if its == kind]
    with _opened(path.parent) as memory:
        by = memory.reviewers.unlock(SECRET)
        named = {one.detail.partition(": ")[0] for one in memory.maintenance.doctor().faults}
        for row in rows:
            with suppress(DopejarError):  # the session that the passphrase opened is a row of its own
                memory.maintenance.accept_row(row, by)
        (fault,) = (one for one in memory.maintenance.doctor().faults if "cannot be read" in one.detail)
        assert any("outside DoPeJar" in one for one in named)
        assert kind in fault.detail
        left = memory.maintenance.doctor(repair=True).faults
        assert ([one.detail for one in left if "cannot be read" in one.detail] == []) is not body_reader(kind).is_kept
    assert (kind in {its for its, _ in _bodies(path)}) >= (kind in (NOTE, "spend", "learning_progress"))
    refused = _do_everything(path, tmp_path)
    assert {name for name, error in refused.items() if isinstance(error, StoreDamagedError)} <= {"note", "spend"}


def test_a_key_that_cannot_be_read_opens_nothing_and_can_be_made_again(original, tmp_path):
    """A program with another key goes on; the odd key is no key, and its name is free."""
    path = _copy(original, tmp_path)
    with _opened(path.parent) as memory:
        good = memory.api_keys.make("desk")
    _set_body(path, "api_key", '{"digest": 5}')
    with _opened(path.parent) as memory:
        assert memory.api_keys.list() == ()
        assert memory.api_keys.find(good) is None
        again = memory.api_keys.make("desk")
        assert memory.api_keys.find(again).name == "desk"


def test_a_session_that_cannot_be_read_decides_nothing(original, tmp_path):
    """It is no session, also where its row is otherwise in order."""
    path = _copy(original, tmp_path)
    with _opened(path.parent) as memory:
        by = memory.reviewers.unlock(SECRET)
    for body in ("{", '{"name": ["ana"], "since": "2026-01-01T00:00:00+00:00", "until": "2999-01-01T00:00:00+00:00"}'):
        _set_body(path, "reviewer_session", body)
        with _opened(path.parent) as memory:
            assert not memory.reviewers.is_open(Reviewer(name="ana", credential=by.credential))


def test_turns_that_were_not_learned_from_still_are(original, tmp_path):
    """Where it cannot be read how far a conversation was learned from, it is learned from its beginning."""
    path = _copy(original, tmp_path)
    _set_body(path, "learning_progress", "?")
    with _opened(path.parent) as memory:
        _observe(memory, 2)
        seen_turn = memory.observe(
            LiveTurn(conversation="live", source_id="3", text="I prefer oak to pine.", format="neutral", is_last=True)
        )
        assert seen_turn.unlearned == 3


COMMANDS = (
    ("review", "list"), ("list", "--blocks"), ("maintain",), ("api-key", "list"), ("reviewer", "list"), ("status",),
    ("store", "export", "{out}"), ("bullets", "list"), ("list",), ("recall", "tea"),
)  # fmt: skip


@pytest.mark.parametrize("body", ["{}", "[", '{"numbers": [], "name": 3}'])
def test_no_command_ends_unexpectedly(original, tmp_path, monkeypatch, capsys, body):
    """With every held row of the store odd at once, each command answers, and says that rows were left out."""
    path = _copy(original, tmp_path)
    for kind in READERS:
        _set_body(path, kind, body)
    monkeypatch.setenv("DOPEJAR_HOME", str(path.parent))
    monkeypatch.setenv("DOPEJAR_EMBEDDER_KIND", "none")
    for place, words in enumerate(COMMANDS):
        run([word.format(out=tmp_path / f"out{place}.jsonl") for word in words])
        said = capsys.readouterr()
        assert "nexpected" not in said.err + said.out, (words, said.err)
        if words in (("api-key", "list"), ("reviewer", "list")):
            assert "left out. Run `dopejar doctor`" in said.err
    assert run(["doctor"]) == 1
    assert run(["doctor", "--repair"]) == 1  # the day's count of the language model's use is not made anew
    capsys.readouterr()
    run(["api-key", "list"])
    assert "left out" not in capsys.readouterr().err

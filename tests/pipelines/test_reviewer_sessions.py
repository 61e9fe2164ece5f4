"""Who is the reviewer: only whoever gave the passphrase, as long as the session is open; guesses cost growing time."""

import inspect
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import SECRET, unlocked

from dopejar import Reviewer, open_memory
from dopejar.compose.stores import open_store
from dopejar.doors.web.access import IDLE_TIMEOUT
from dopejar.engine.exchange.backups import BACKUP_ROW
from dopejar.engine.review.api_keys import ROW as KEY_ROW
from dopejar.engine.review.reviewer_sessions import HOST_ROW, SESSION_ROW
from dopejar.engine.review.reviewers import Reviewers
from dopejar.engine.review.shown_proposals import SHOWN_ROW
from dopejar.engine.review.trusted_terminals import TRUST_ROW
from dopejar.engine.review.unlock_attempts import ATTEMPTS_ROW
from dopejar.engine.services import Services
from dopejar.errors import InputError, ReviewerRequiredError
from dopejar.governance.reviewer_credentials import LONGEST_SESSION
from dopejar.memory.governance_acts import GovernanceAction, record_governance
from dopejar.testing.fixed_clock import FixedClock
from dopejar.turn import conversation_state as turns
from dopejar.turn import outcomes, pattern_rows, traces
from dopejar.values.digests import sha256_hex
from dopejar.values.episode import Origin
from dopejar.values.ids import new_trace_id
from dopejar.values.transcript import LiveTurn
from dopejar.values.versioned_rows import KEPT_ANSWERS, KeyValueRow

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
NO_ACTS = {"Reviewers.is_open", "Reviewers.end"}  # they decide nothing
ANA, BEN = f"{SECRET} of ana", f"{SECRET} of ben"


def reviewer_acts(memory):
    """The names of all public verbs of the memory and its services that take a reviewer."""
    lazy = [name for name, value in vars(Services).items() if isinstance(value, cached_property)]
    owners = [type(owner) for owner in (memory, *(getattr(memory, name) for name in lazy))]
    return {
        f"{owner.__name__}.{name}"
        for owner in owners
        for name, function in inspect.getmembers(owner, inspect.isfunction)
        if not name.startswith("_")
        and any("Reviewer" in str(part.annotation) for part in inspect.signature(function).parameters.values())
    } - NO_ACTS


class World:
    """A store in which each act of a reviewer has something to do."""

    def __init__(self, memory, folder):
        self.folder = folder
        self.real = unlocked(memory)
        self.ben = unlocked(memory, "ben")
        bullets = memory.bullets
        self.fact = memory.remember("Postgres listens on port 5433.").receipts[0].records[0].id
        self.gone = memory.remember("The lamp is blue.").receipts[0].records[0].id
        memory.delete([self.gone], self.real)
        self.act = memory.log(1)[0].act_id
        self.rule = memory.remember("Never push to main.", said_by="assistant").receipts[0].proposal_id
        self.bullet = bullets.add("Feed the goats at noon.").id
        self.proven = bullets.add_to_hemisphere("Always close the valve at night.", "left", reviewer=self.real).id
        harmful = bullets.add_to_hemisphere("Shut the gate.", "left", reviewer=self.real).id
        for session in ("one", "two", "three"):
            bullets.record_outcome(self.proven, "helpful", session=session, reviewer=self.real)
            bullets.record_outcome(harmful, "harmful", session=session)
        memory.add([{"role": "user", "content": "The kiln in the north hall runs on gas."}], conversation="kilns")
        memory.garden.tend()
        self.block = memory.garden.blocks()[0].id
        memory.exchange.export_to(folder / "out.jsonl")
        memory.exchange.backup(folder / "copy.db")
        self.altered = memory.remember("Kilns cool slowly.", said_by="user").receipts[0].records[0].id
        with memory.store.write() as tx:
            tx._connection.execute("UPDATE records SET confidence = 0.123 WHERE id = ?", (self.altered,))
        self.seen = {item.proposal.id: item.proposal.version for item in memory.review.queue()}


ACTS = {
    "Memory.undo": lambda m, w, by: m.undo(w.act, by),
    "Memory.delete": lambda m, w, by: m.delete([w.fact], by),
    "Memory.update": lambda m, w, by: m.update(w.fact, "The quay lamp is green.", by),
    "Memory.bring_back": lambda m, w, by: m.bring_back([w.gone], by),
    "Memory.erase": lambda m, w, by: m.erase(by, records=[w.fact]),
    "Memory.remember": lambda m, _w, by: m.remember("Always oil the hinges.", said_by="user", by=by),
    "Reviewers.trust_terminal": lambda m, _w, by: m.reviewers.trust_terminal("tty9", by),
    "ReviewQueue.forget": lambda m, _w, by: m.review.forget("Postgres", by),
    "ReviewQueue.approve": lambda m, w, by: m.review.approve([w.rule], by, seen=w.seen),
    "ReviewQueue.reject": lambda m, w, by: m.review.reject([w.rule], by, "no", seen=w.seen),
    "ReviewQueue.edit": lambda m, w, by: m.review.edit(w.rule, "Never push to trunk.", by, seen=w.seen),
    "Reviewers.add": lambda m, _w, by: m.reviewers.add("mallory", SECRET, by),
    "Reviewers.remove": lambda m, _w, by: m.reviewers.remove("ben", by),
    "SettingsAcceptance.accept": lambda m, _w, by: m.settings.accept(by),
    "DataExchange.import_from": lambda m, w, by: m.exchange.import_from(w.folder / "out.jsonl", by),
    "DataExchange.restore": lambda m, w, by: m.exchange.restore(w.folder / "copy.db", open_store, by),
    "Garden.state_tags": lambda m, w, by: m.garden.state_tags(w.block, ["team: blue"], [], [], [], by),
    "Maintenance.accept_row": lambda m, w, by: m.maintenance.accept_row(f"records:{w.altered}", by),
    "ProceduralMemory.add_to_hemisphere": lambda m, _w, by: m.bullets.add_to_hemisphere(
        "Oil the hinges.", "left", reviewer=by
    ),
    "ProceduralMemory.assign": lambda m, w, by: m.bullets.assign({w.bullet: "left"}, by, seen=w.seen),
    "ProceduralMemory.assign_staged_bullet": lambda m, w, by: m.bullets.assign_staged_bullet(
        w.bullet, "left", by, seen=w.seen
    ),
    "ProceduralMemory.reject_staged_bullet": lambda m, w, by: m.bullets.reject_staged_bullet(
        w.bullet, "no", by, seen=w.seen
    ),
    "ProceduralMemory.record_outcome": lambda m, w, by: m.bullets.record_outcome(w.proven, "helpful", reviewer=by),
    "ProceduralMemory.share": lambda m, w, by: m.bullets.share(w.proven, by, confirmed=True),
    "ProceduralMemory.maintain": lambda m, _w, by: m.bullets.maintain(reviewer=by, preview=False),
    "Dossiers.split": lambda m, w, by: m.dossiers.split([w.fact], "Harbour", by),
    "Dossiers.merge": lambda m, _w, by: m.dossiers.merge("Postgres", "The lamp is blue", by),
    "ProceduralMemory.import_playbook": lambda m, _w, by: m.bullets.import_playbook(
        "## left\n[b1] helpful=0 harmful=0 :: Oil the hinges.", reviewer=by
    ),
}


@pytest.fixture
def memory(tmp_path):
    """A fresh memory."""
    with open_memory(tmp_path / "home", environment=QUIET, said_by="user") as opened:
        yield opened


def contents(memory):
    """All that the data file holds."""
    with memory.store.read() as view:
        tables = view._connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        names = [name for name, sql in tables if "VIRTUAL" not in sql]
        return {name: view._connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}  # noqa: S608


def test_every_act_of_a_reviewer_is_walked(memory):
    """The acts below are all there are: whoever adds one adds it there."""
    assert reviewer_acts(memory) == set(ACTS)


def test_nobody_becomes_a_reviewer_by_hand(memory, tmp_path):
    """Every act refuses a reviewer without an open session of their own, and changes nothing."""
    world = World(memory, tmp_path)
    over = memory.reviewers.unlock(ANA, name="ana", lifetime=timedelta(0))
    locked = memory.reviewers.unlock(ANA, name="ana")
    memory.reviewers.end(locked)
    terminal = memory.reviewers.unlock(ANA, name="ana", terminal="tty1")
    memory.reviewers.lock("tty1")
    removed = unlocked(memory, "cy")
    memory.reviewers.remove("cy", world.real)
    forged = [
        Reviewer(name="ana"),
        Reviewer(name="nobody", credential=world.real.credential),
        Reviewer(name="ana", credential=world.ben.credential),
        Reviewer(name="ana", credential="terminal:"),
        Reviewer(name="ana", credential="0" * 64),
        over,
        locked,
        terminal,
        removed,
    ]
    before = contents(memory)
    for name, act in ACTS.items():
        for by in forged:
            with pytest.raises(ReviewerRequiredError):
                act(memory, world, by)
            assert contents(memory) == before, (name, by)


@pytest.mark.parametrize("name", ACTS)
def test_an_open_session_decides(memory, tmp_path, name):
    """Each of these acts changes something for whoever gave the passphrase, also where the ledger is ahead of time."""
    world = World(memory, tmp_path)
    with memory.store.write() as tx:
        later = datetime(2150, 1, 1, tzinfo=UTC)
        record_governance(
            tx, GovernanceAction.UNLOCK_FAILED, "reviewer:", now=later, trace_id=new_trace_id(), proposer="somebody"
        )
    before = contents(memory)
    ACTS[name](memory, world, world.real)
    assert contents(memory) != before


HOSTS = {  # a body of each kind
    turns.STATE_ROW: '{"name": "ana"}',
    traces.ROWS: '["2026-03-02T09:00:00+00:00", []]',
    outcomes.ROWS: "[]",
    pattern_rows.INDEX: "[]",
    "note:shelf": '{"name": "ana"}',
}
OWN = (
    KEPT_ANSWERS,
    SESSION_ROW,
    HOST_ROW,
    TRUST_ROW,
    ATTEMPTS_ROW,
    KEY_ROW,
    "page",
    "page_link",
    SHOWN_ROW,
    BACKUP_ROW,
    "lease",
    "note",
)


def writes_of_hosts(memory, kind):
    """Every verb by which a host writes or removes a row of a kind, made of nothing but public names."""
    row = KeyValueRow(kind=kind, key="k", body=HOSTS.get(kind, '{"name": "ana"}'))
    turn = LiveTurn(conversation="talk", source_id=kind, text="The quay lamp is green.", origin=Origin.USER)
    return {
        "row": lambda: memory.workspace.row(kind, "k"),
        "rows": lambda: memory.workspace.rows(kind),
        "update_row": lambda: memory.workspace.update_row(kind, "k", lambda _: row),
        "write_rows": lambda: memory.workspace.write_rows(lambda _: (row,)),
        "drop_row": lambda: memory.workspace.drop_row(kind, "k"),
        "observe": lambda: memory.observe(turn, rows=lambda _: (row,)),
    }


@pytest.mark.parametrize("kind", OWN)
def test_a_host_writes_no_row_of_the_memory(memory, tmp_path, kind):
    """No public verb reads, writes or removes a session, a trust, a key, a pause; and none of them leaves a trace."""
    World(memory, tmp_path)
    before = contents(memory)
    for name, write in writes_of_hosts(memory, kind).items():
        with pytest.raises(InputError, match="kind"):
            write()
        assert contents(memory) == before, name
    moved = KeyValueRow(kind=kind, key="k", body="{}")
    with pytest.raises(InputError, match="turn k"):
        memory.workspace.update_row("turn", "k", lambda _: moved)
    assert contents(memory) == before


@pytest.mark.parametrize("kind", HOSTS)
def test_a_host_has_rows_of_its_own(memory, kind):
    """The kinds of the governed turn and of notes are written and removed as ever."""
    writes = writes_of_hosts(memory, kind)
    writes["update_row"]()
    assert [row.key for row in writes["rows"]()] == ["k"]
    writes["drop_row"]()
    assert writes["row"]() is None
    writes["write_rows"]()
    assert writes["row"]().body == HOSTS[kind]


def test_every_kind_in_a_used_store_is_tried_above(memory, tmp_path):
    """A kind that the memory writes itself is none of a host's, whichever is added."""
    world = World(memory, tmp_path)
    memory.reviewers.trust_terminal("tty1", world.real)
    memory.api_keys.make("bot")
    with memory.store.read() as view:
        kinds = {kind for (kind,) in view._connection.execute("SELECT DISTINCT kind FROM held")}
    assert len(kinds) > 4
    for kind in kinds:
        with pytest.raises(InputError, match="kind"):
            memory.workspace.rows(kind)


def test_no_session_outlasts_the_longest(memory):
    """None is opened for longer, and a row that says so (written below the verbs) opens nothing."""
    unlocked(memory)
    with pytest.raises(InputError, match="12 hours"):
        memory.reviewers.unlock(ANA, lifetime=LONGEST_SESSION + timedelta(seconds=1))
    assert IDLE_TIMEOUT <= LONGEST_SESSION  # what the page opens
    since = datetime.now(UTC) - timedelta(minutes=1)
    for longer, is_open in ((timedelta(0), True), (timedelta(seconds=1), False), (timedelta(days=300), False)):
        until = since + LONGEST_SESSION + longer
        body = json.dumps({"name": "ana", "since": since.isoformat(), "until": until.isoformat()})
        with memory.store.write() as tx:
            tx.put_held(KeyValueRow(kind=SESSION_ROW, key=sha256_hex(str(longer)), body=body))
        assert memory.reviewers.is_open(Reviewer(name="ana", credential=str(longer))) is is_open


def test_no_trust_outlasts_thirty_days(memory):
    """Trust in a terminal that claims to last for longer is none."""
    ana = unlocked(memory)
    memory.reviewers.trust_terminal("tty1", ana)
    assert memory.reviewers.voucher_at("tty1") is not None
    with memory.store.write() as tx:
        (row,) = tx.held_of(TRUST_ROW)
        body = json.loads(row.body)
        longer = datetime.fromisoformat(body["until"]) + timedelta(days=1)
        tx.put_held(replace(row, body=json.dumps({**body, "until": longer.isoformat()})))
    assert memory.reviewers.voucher_at("tty1") is None


def test_a_new_passphrase_ends_the_sessions_of_the_old_one(memory):
    """Whoever holds a session that the old passphrase opened decides no more, at a terminal neither."""
    ana, ben = unlocked(memory), unlocked(memory, "ben")
    memory.reviewers.unlock(ANA, name="ana", terminal="tty1")
    memory.reviewers.add("ana", BEN + " too", ben)
    assert not memory.reviewers.is_open(ana)
    assert memory.reviewers.at_terminal("tty1") is None
    assert memory.reviewers.is_open(ben)


def test_reviewers_and_wrong_passphrases_are_in_the_ledger(memory):
    """Who was added, removed and guessed stands in the ledger, with who did it."""
    ana = unlocked(memory)
    memory.reviewers.add("ben", BEN, ana)
    for name in ("ben", "nobody"):
        with pytest.raises(ReviewerRequiredError):
            memory.reviewers.unlock("a wrong one", name=name)
    memory.reviewers.remove("ben", ana)
    with memory.store.read() as view:
        noted = [(entry.action, entry.target, entry.approver) for entry in view.entries(1, 100)]
    assert noted == [
        ("reviewer_added", "reviewer:ana", "ana"),
        ("reviewer_added", "reviewer:ben", "ana"),
        ("unlock_failed", "reviewer:ben", ""),
        ("unlock_failed", "reviewer:", ""),
        ("reviewer_removed", "reviewer:ben", "ana"),
    ]
    memory.verify()


# -- guessing ----------------------------------------------------------------------------------------------------------


def at(memory, clock):
    """The reviewers of a memory at a time of one's choice."""
    return Reviewers(replace(memory.reviewers._deps, clock=clock))


def guess(reviewers, phrase="a wrong one", **where):
    """What came of one passphrase: open, wrong, or not checked."""
    try:
        reviewers.unlock(phrase, **where)
    except ReviewerRequiredError as refusal:
        return "paused" if "Try again in" in str(refusal) else "wrong"
    return "open"


def test_guesses_side_by_side_are_counted_one_by_one(memory):
    """Of 120 guesses at once in one moment three are checked."""
    unlocked(memory)
    reviewers = at(memory, FixedClock())
    with ThreadPoolExecutor(16) as pool:
        ends = list(pool.map(lambda number: guess(reviewers, place=f"tty{number}"), range(120)))
    assert (ends.count("wrong"), ends.count("paused")) == (3, 117)


tries = st.lists(
    st.tuples(st.sampled_from(["known", "stranger"]), st.integers(0, 3), st.integers(0, 400)), min_size=1, max_size=60
)


@settings(max_examples=25)
@given(tries)
def test_strangers_neither_guess_freely_nor_keep_the_owner_out(script):
    """Whatever strangers do, the owner's place opens as its own failures say; all of them together stay in bounds."""
    with open_memory(":memory:", environment=QUIET, said_by="user") as memory:
        clock = FixedClock()
        unlocked(memory)
        reviewers = at(memory, clock)
        assert guess(reviewers, ANA, place="home") == "open"
        checked = 0
        for who, number, seconds in script:
            clock.advance(timedelta(seconds=seconds))
            if who == "known":
                assert guess(reviewers, ANA, place="home") == "open"
            else:
                checked += guess(reviewers, place=f"tty{number}", name=("", "ana")[number % 2]) == "wrong"
        spent = sum(seconds for _, _, seconds in script)
        rounds = 1 + sum(who == "known" for who, _, _ in script)  # the owner's success begins the count anew
        assert checked <= rounds * 12 + spent // 300
        with memory.store.read() as view:
            assert len(view.entries(1, 1000)) <= 1 + rounds * 11
            assert len(view.held_of("unlock_attempts")) <= 3


def test_a_pause_ends_and_success_forgives(memory):
    """After the pause that the refusal names, the right passphrase opens, and two slips cost nothing again."""
    clock = FixedClock()
    unlocked(memory)
    reviewers = at(memory, clock)
    assert [guess(reviewers) for _ in range(4)] == ["wrong", "wrong", "wrong", "paused"]
    assert guess(reviewers, ANA) == "paused"
    clock.advance(timedelta(seconds=1))
    assert [guess(reviewers, phrase) for phrase in (ANA, "no", "nor this", ANA)] == ["open", "wrong", "wrong", "open"]


def test_a_pause_for_one_account_is_none_for_another(memory):
    """Guesses at one reviewer keep no other one out, named or not."""
    unlocked(memory)
    unlocked(memory, "ben")
    reviewers = at(memory, FixedClock())
    for number in range(3):
        assert guess(reviewers, name="ana", place=f"tty{number}") == "wrong"
    assert guess(reviewers, ANA, place="tty9") == "paused"
    assert guess(reviewers, BEN, place="tty9") == "open"

"""Re-keying: a store whose keys an earlier version made gets readable ones, in acts that can be undone."""

import json
import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import START, chain_faults, seen, unlocked, write_conversation

from dopejar import open_memory
from dopejar.engine.dependencies import Speaker
from dopejar.engine.maintenance import key_migration
from dopejar.engine.results import RekeyReport
from dopejar.engine.unit_of_work import commit
from dopejar.errors import StaleProposalError
from dopejar.governance.policy.policy_file import override_policy, shipped_policy
from dopejar.memory.key_changes import change_keys
from dopejar.pipelines.ingest.keys.older_keys import is_older
from dopejar.testing.builders import a_conversation, a_proposal, an_episode, append_turns, some_evidence
from dopejar.values.episode import Origin
from dopejar.values.proposal import Add, Level, ProposalState, Rekey, Supersede, Via
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Draft, Kind, Status
from dopejar.values.scope import UNIVERSAL, Scope
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Allow, Refuse, Stage

SETTINGS = {"DOPEJAR_EMBEDDER_KIND": "none"}
EVERY = RecordFilter(statuses=tuple(Status), namespace=None)
WAIT = Stage(rules=("test",), reason="asked", policy_hash="")
RENT = ("World-Fact-Rent-0a1b2c3d", "The rent of the hall is 400 euros.", "The rent of the hall is 450 euros.")


@pytest.fixture
def memory(tmp_path):
    """An empty memory of a user."""
    with open_memory(tmp_path / "home", environment=SETTINGS, said_by="user") as opened:
        yield opened


def keep(memory, key, text, *, day=0, slot="", value="", scope=None, verdict=None):
    """Commit a statement under a key, as an earlier version would have: as a new version where the chain exists."""
    draft = Draft(kind=Kind.FACT, text=text, key=key, slot=slot, value=value, scope=scope or UNIVERSAL)
    name, at = f"{day}-{text}", START + timedelta(days=day)
    with memory.store.write() as tx:
        chain = tx.chain(draft.namespace, draft.scope, draft.side, slot or key)
        last = next((one for one in chain if one.status is Status.ACTIVE), None)
        said = an_episode(text, conversation=name, at=at)
        tx.put_conversation(a_conversation(name))
        append_turns(tx, [said])
        payload = Add(draft=draft) if last is None else Supersede(draft=draft, predecessor=last.id)
        targets = () if last is None else (RecordTarget(record_id=last.id, version=last.version),)
        evidence = (some_evidence(said, f"a_{len(memory.list(EVERY, 1000))}"),)
        proposal = a_proposal(
            str(abs(hash(name))), payload, targets=targets, evidence=evidence, scope=draft.scope, at=at
        )
        proposal = replace(proposal, state=ProposalState.NEW, act_id=evidence[0].act_id)
        return commit(tx, proposal, verdict or Allow(rules=("test",), reason="", policy_hash="", approver="policy"), at)


def records(memory):
    """Every memory by its id."""
    return {record.id: record for record in memory.list(EVERY, 10_000)}


def keys(memory):
    """The key of every memory."""
    return {record_id: record.key for record_id, record in records(memory).items()}


def older(memory):
    """The keys of an older form."""
    return [record.key for record in records(memory).values() if is_older(record)]


def without_key(record):
    """A record but for its key and its version."""
    return replace(record, key="", version=0)


def undo_all(memory, acts):
    """Undo the acts, the last first."""
    by = unlocked(memory)
    return [memory.undo(act, by) for act in reversed(acts)]


BODY = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=10)
OLD_KEY = st.one_of(
    st.builds(
        "{}-{}-{}".format,
        st.sampled_from(("World-Fact", "Self-Pref", "Dev-Rule", "Intent-Goal", "StagingServer-Config")),
        BODY,
        st.text("0123456789abcdef", min_size=8, max_size=8),
    ),
    st.text(st.characters(categories=("L", "N", "P", "S")), min_size=31, max_size=60),
)
WORDS = st.sampled_from(("rent", "hall", "Fähre", "会議", "paprika", "Тест", "5433", "👩🏽‍🚀", "e\u0301tude", "Ω"))
TEXT = st.lists(WORDS, min_size=1, max_size=5).map(lambda words: f"The {' '.join(words)} is kept.")
SAID = st.tuples(
    OLD_KEY, TEXT, st.sampled_from(("", "hall.rent", "Тест.port")), st.integers(0, 1), st.sampled_from("++-")
)


@settings(max_examples=25)
@given(st.lists(SAID, min_size=1, max_size=7), st.lists(st.integers(0, 6), min_size=3, max_size=12))
def test_nothing_but_the_keys_changes_and_undo_returns_them(said, order):
    """Of random older keys: all else stays, chains too; what was listed was done; undo restores each key exactly."""
    with (
        tempfile.TemporaryDirectory() as home,
        open_memory(home, environment=SETTINGS, said_by="user") as memory,
    ):
        for day, place in enumerate(order):
            key, text, slot, where, sign = said[place % len(said)]
            scope = (UNIVERSAL, Scope.project("r_hall"))[where]
            with suppress(StaleProposalError):  # no store has two memories of other chains in force under one key
                keep(
                    memory, key, f"{text} {day}", day=day, slot=slot, value=f"{sign}{day}" if slot else "", scope=scope
                )
        assert chain_faults(memory) == []
        before = records(memory)
        planned = memory.maintenance.rekey(dry_run=True)
        assert records(memory) == before
        done = memory.maintenance.rekey()
        assert done.changes == planned.changes
        after = records(memory)
        assert older(memory) == []
        assert all(len(record.key) <= 30 for record in after.values())
        assert {name: without_key(record) for name, record in after.items()} == {
            name: without_key(record) for name, record in before.items()
        }
        pairs = {(before[name].scope, before[name].chain, after[name].chain) for name in before}
        assert len(pairs) == len({(scope, old) for scope, old, _ in pairs}) == len({(at, new) for at, _, new in pairs})
        assert chain_faults(memory) == []
        assert memory.maintenance.doctor().faults == ()
        assert memory.maintenance.rekey() == RekeyReport()
        undo_all(memory, done.acts)
        assert keys(memory) == {name: record.key for name, record in before.items()}
        assert {name: without_key(record) for name, record in records(memory).items()} == {
            name: without_key(record) for name, record in before.items()
        }
        assert memory.maintenance.doctor().faults == ()


TODAY = [
    "I live in Porto.",
    "We never use MySQL.",
    "Never force push to main.",
    "My dog's name is Rex.",
    "The order number of the tiles is 12345678.",
    "Petra's phone number is 12345678.",
    "Logs are kept for 30 days.",
    "Nasazujeme každý pátek.",
    "I want to learn Portuguese this year.",
    "The staging server of the billing service listens on port 5433.",
    "The commit that broke the build is deadbeef.",
]


def test_a_store_of_today_stays_as_it_is(memory, tmp_path):
    """Nothing that this version keeps has an older key: told, learned from several speakers, or read by a host."""
    for text in TODAY:
        memory.remember(text)
    memory.remember("The build has the id 1a2b3c4d.", reading={"subject": "build", "key": "Build-Id-1a2b3c4d"})
    list(memory.learn([write_conversation(tmp_path, f"s{place}", [(place, text)]) for place, text in enumerate(TODAY)]))
    mira = Speaker(origin=Origin.OTHER, via=Via.REMEMBER, name="Mira Novak")
    memory.remember("My cat is called Bob. I work on the roof of the town hall every Monday.", speaker=mira)
    with memory.store.read() as view:
        head = view.head()
    assert memory.maintenance.rekey() == RekeyReport()
    with memory.store.read() as view:
        assert view.head() == head


def test_new_keys_are_words_of_the_memory(memory):
    """What is shown is the sort and whole words; two memories that would have one key are told apart by a digest."""
    keep(memory, *RENT[:2])
    keep(memory, "World-Fact-Hall-11111111", "The rent of the hall is paid in May.")
    keep(memory, "World-Fact-Hall-22222222", "The rent of the hall is paid in May!")
    slot = "staging-server-billing-service.port"
    said = "The staging server of the billing service listens on port 5433."
    keep(memory, "StagingServerBillingS-3ed5546e", said, slot=slot, value="+5433")
    memory.maintenance.rekey()
    found = {record.text: record.key for record in records(memory).values()}
    assert found[said] == "Service-Config-Port-3ed554", "as a statement of today gets it"
    assert found[RENT[1]] == "World-Fact-HallEuros"
    paid = sorted(key for text, key in found.items() if "paid" in text)
    assert paid[0] == "World-Fact-HallPaid"
    assert re.fullmatch(r"World-Fact-HallPaid-[0-9a-f]{6}", paid[1])


def test_what_goes_by_a_key_follows_it(memory, tmp_path):
    """A version of the same chain replaces the older one; a waiting one still does; search and export have new keys."""
    keep(memory, *RENT[:2])
    keep(memory, RENT[0], RENT[2], day=2, verdict=WAIT)
    memory.maintenance.rekey()
    (record,) = memory.list()
    assert memory.recall("what is the rent of the hall?").items[0].text == RENT[1]
    memory.exchange.export_to(tmp_path / "out.jsonl")
    written = (tmp_path / "out.jsonl").read_text("utf-8")
    assert RENT[0] not in written
    assert json.dumps(record.key) in written
    by = unlocked(memory)
    (waiting,) = [item.proposal.id for item in memory.review.queue()]
    with pytest.raises(StaleProposalError):  # it shows other keys now, and is looked at again
        memory.review.approve([waiting], by, seen=seen(memory))
    memory.review.approve([waiting], by, seen=seen(memory))
    assert [one.text for one in memory.list()] == [RENT[2]]
    assert {one.key for one in records(memory).values()} == {record.key}
    assert chain_faults(memory) == []


def test_undo_takes_along_what_came_into_a_chain_since(memory):
    """A version that was stated under the new key goes back with its chain, and forth again; one is in force."""
    keep(memory, *RENT[:2])
    (act,) = memory.maintenance.rekey().acts
    keep(memory, memory.list()[0].key, RENT[2], day=3)
    new = keys(memory)
    by = unlocked(memory)
    undone = memory.undo(act, by)
    assert set(keys(memory).values()) == {RENT[0]}
    assert [one.text for one in memory.list()] == [RENT[2]]
    memory.undo(undone.act_id, by)
    assert keys(memory) == new
    assert [one.text for one in memory.list()] == [RENT[2]]
    assert chain_faults(memory) == []
    assert memory.maintenance.doctor().faults == ()


def set_verdict(memory, verdict):
    """Let the policy of maintenance say this to other keys."""
    rule = f"{{id: other-keys, when: {{via: [unattended], action: [rekey], said_by: [tool]}}, then: {verdict}}}"
    policy = override_policy(shipped_policy(), f"version: 1\nrules: [{rule}]\n", "own.yaml")
    memory.maintenance._deps = replace(memory.maintenance._deps, policy=lambda: policy)


def test_undo_of_an_act_that_did_more_keeps_a_chain_whole(memory):
    """Keys approved together with another statement go back for the whole chain, and that waits again; then forth."""
    set_verdict(memory, "stage")
    keep(memory, *RENT[:2])
    keep(memory, "World-Fact-Dog", "The dog is brown.", verdict=WAIT)
    memory.maintenance.rekey()
    by = unlocked(memory)
    approved = memory.review.approve([item.proposal.id for item in memory.review.queue()], by, seen=seen(memory))
    assert {one.outcome for one in approved} == {"added", "rekeyed"}
    keep(memory, next(one.key for one in memory.list() if one.text == RENT[1]), RENT[2], day=3)
    new = records(memory)
    undone = memory.undo(approved[0].act_id, by)
    assert [one.text for one in memory.list()] == [RENT[2]]
    assert [item.proposal.payload.draft.text for item in memory.review.queue()] == ["The dog is brown."]
    assert older(memory) == [RENT[0]] * 2
    memory.undo(undone.act_id, by)
    assert {name: replace(one, version=0) for name, one in records(memory).items()} == {
        name: replace(one, version=0) for name, one in new.items()
    }
    assert chain_faults(memory) == []
    assert memory.maintenance.doctor().faults == ()


def dispute(memory):
    """Let a statement wait that contradicts the rent of the hall, and was said between its second and third version."""
    keep(memory, *RENT[:2])
    (rent,) = memory.list()
    at = START + timedelta(days=5)
    draft = Draft(kind=Kind.FACT, text="The hall costs nothing.", key="World-Fact-HallNothing")
    with memory.store.write() as tx:
        said = an_episode(draft.text, conversation="c5", at=at)
        tx.put_conversation(a_conversation("c5"))
        append_turns(tx, [said])
        evidence = (some_evidence(said, "a_dispute"),)
        proposal = a_proposal("dispute", Add(draft=draft), evidence=evidence, at=at)
        signals = replace(proposal.signals, conflict=Level.HIGH, conflicts_with=(rent.id,))
        proposal = replace(proposal, state=ProposalState.NEW, act_id=evidence[0].act_id, signals=signals)
        commit(tx, proposal, WAIT, at)
    keep(memory, RENT[0], RENT[2], day=3)
    keep(memory, RENT[0], "The rent of the hall is 430 euros.", day=10)
    (waiting,) = memory.review.queue()
    return waiting.proposal


def test_other_keys_settle_nothing(memory):
    """What waits as a contradiction waits on, as it was seen."""
    waiting = dispute(memory)
    memory.maintenance.rekey()
    assert older(memory) == []
    assert [item.proposal for item in memory.review.queue()] == [waiting]


def test_undo_of_an_act_in_which_a_statement_expired_keeps_a_chain_whole(memory):
    """The statement waits again, and the chain goes back with what came into it since."""
    waiting = dispute(memory)
    before = records(memory)
    chain = [one for one in before.values() if one.key == RENT[0]]
    targets = tuple(RecordTarget(record_id=one.id, version=one.version) for one in chain)
    payload = Rekey(keys=("World-Fact-HallEuros",) * len(chain))
    proposal = replace(a_proposal("keys", payload, targets=targets, at=START), state=ProposalState.NEW)
    expiry = Refuse(rules=("test",), reason="", approver="policy", by_age=True)
    with memory.store.write() as tx:
        commit(tx, proposal, Allow(rules=("test",), reason="", policy_hash="", approver="policy"), START)
        commit(tx, replace(waiting, act_id=proposal.act_id), expiry, START)
    keep(memory, payload.keys[0], "The rent of the hall is 460 euros.", day=12)
    memory.undo(proposal.act_id, unlocked(memory))
    assert [one.text for one in memory.list()] == ["The rent of the hall is 460 euros."]
    assert [item.proposal.id for item in memory.review.queue()] == [waiting.id]
    assert {name: keys(memory)[name] for name in before} == {name: one.key for name, one in before.items()}
    assert len(older(memory)) == len(chain) + 1
    assert chain_faults(memory) == []
    assert memory.maintenance.doctor().faults == ()


@pytest.mark.parametrize(("verdict", "where"), [("stage", "waiting"), ("refuse", "refused")])
def test_a_stricter_policy_is_told_each_time(memory, verdict, where):
    """Nothing counts as changed that waits or was refused: not in a preview, not in the first run, not in the next."""
    set_verdict(memory, verdict)
    keep(memory, *RENT[:2])
    keep(memory, "World-Fact-Hall-11111111", "The rent of the hall is paid in May.")
    reports = [memory.maintenance.rekey(dry_run=dry_run) for dry_run in (True, False, False)]
    for report in reports:
        assert (report.changes, report.acts) == ((), ())
        assert getattr(report, where) == getattr(reports[0], where)
        assert len(report.waiting + report.refused) == len(older(memory)) == 2
        assert bool(report.reason) is (verdict == "refuse")


def test_a_key_that_is_taken_since_stays(memory):
    """Where another memory has come under the older key, undo leaves the chain where it is and says so."""
    keep(memory, *RENT[:2])
    (act,) = memory.maintenance.rekey().acts
    new = keys(memory)
    keep(memory, RENT[0], "The rental car is blue.", day=1)
    receipt = memory.undo(act, unlocked(memory))
    assert keys(memory).items() >= new.items()
    assert any(RENT[0] in note for note in receipt.notes)


def test_an_earlier_act_is_undone_across_a_re_keying(memory):
    """What was brought back beside its successor returns to the chain in which that is by now."""
    keep(memory, *RENT[:2])
    keep(memory, RENT[0], RENT[2], day=2)
    by = unlocked(memory)
    old = next(one for one in records(memory).values() if one.text == RENT[1])
    receipt = memory.bring_back([old.id], by)
    memory.maintenance.rekey()
    memory.undo(receipt.act_id, by)
    assert [one.text for one in memory.list()] == [RENT[2]]
    assert len({one.chain for one in records(memory).values()}) == 1
    assert chain_faults(memory) == []


def test_an_interrupted_run_goes_on(memory, monkeypatch):
    """A stop between two acts, or within one, leaves whole acts; the next run does the rest."""
    for number in range(6):
        keep(memory, f"World-Fact-Chair-0000000{number}", f"Chair {number} stands in the hall.", day=number)
    before = records(memory)
    monkeypatch.setattr(key_migration, "_BATCH", 2)
    commits = key_migration.commit_with_retry

    def stopping(store, think, first, now):
        if len(older(memory)) < 6:
            raise KeyboardInterrupt
        return commits(store, think, first, now)

    def failing(_tx):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(
            key_migration,
            "commit_with_retry",
            lambda store, think, first, now: commits(store, think, first, now, failing),
        )
        with pytest.raises(KeyboardInterrupt):
            memory.maintenance.rekey()
        assert records(memory) == before
        patched.setattr(key_migration, "commit_with_retry", stopping)
        with pytest.raises(KeyboardInterrupt):
            memory.maintenance.rekey()
    assert len(older(memory)) == 4
    assert memory.maintenance.doctor().faults == ()
    assert len(memory.maintenance.rekey().acts) == 2
    assert older(memory) == []


RUN = """
import sys
from dopejar import open_memory
from dopejar.engine.maintenance import key_migration
key_migration._BATCH = 3
with open_memory(sys.argv[1], environment={"DOPEJAR_EMBEDDER_KIND": "none"}) as memory:
    memory.maintenance.rekey()
"""


def test_two_processes_at_once_do_it_once(tmp_path):
    """Both end well, every key is changed by one act, and the store is whole."""
    home = tmp_path / "home"
    with open_memory(home, environment=SETTINGS, said_by="user") as memory:
        for number in range(30):
            keep(memory, f"World-Fact-Chair-000000{number:02}", f"Chair {number} stands here.", day=number)
        before = records(memory)
    both = [subprocess.Popen([sys.executable, "-c", RUN, str(home)], stderr=subprocess.PIPE) for _ in range(2)]
    faults = [process.communicate(timeout=120)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], faults
    with open_memory(home, environment=SETTINGS, said_by="user") as memory:
        assert older(memory) == []
        assert {one.version for one in records(memory).values()} == {2}
        assert {name: without_key(one) for name, one in records(memory).items()} == {
            name: without_key(one) for name, one in before.items()
        }
        assert memory.maintenance.doctor().faults == ()


def test_no_commit_parts_or_joins_a_chain(memory):
    """A plan that leaves a version behind, or gives a key that another chain has, is refused."""
    keep(memory, *RENT[:2])
    keep(memory, RENT[0], RENT[2], day=2)
    keep(memory, "World-Fact-Other-00000000", "The hall has a stage.")
    first, second, other = sorted(records(memory).values(), key=lambda one: (one.key, one.valid_from), reverse=True)[
        ::-1
    ]

    def change(*pairs):
        targets = tuple(RecordTarget(record_id=one.id, version=one.version) for one, _ in pairs)
        payload = Rekey(keys=tuple(key for _, key in pairs))
        with memory.store.read() as view:
            return change_keys(view, a_proposal("change", payload, targets=targets), payload)

    both = [one for one in (first, second, other) if one.key == RENT[0]]
    (alone,) = [one for one in (first, second, other) if one.key != RENT[0]]
    assert len(change(*((one, "Hall-Fact-Rent") for one in both)).revisions) == 2
    for pairs in (
        [(both[0], "Hall-Fact-Rent")],
        [(one, alone.key) for one in both],
        [*((one, "Hall-Fact-Rent") for one in both), (alone, "Hall-Fact-Rent")],
    ):
        with pytest.raises(StaleProposalError):
            change(*pairs)

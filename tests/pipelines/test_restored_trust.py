"""A restored backup brings back what was remembered, and nobody's access: who may do what stays as it is today."""

import shutil
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dopejar import open_memory
from dopejar.compose import restore_over_damage
from dopejar.compose.stores import open_store
from dopejar.errors import DopejarError
from dopejar.memory.accepted_settings import read_accepted, read_accepted_policy
from dopejar.values.accepted_settings import POLICY_FILE, SettingDifference

SECRET = "correct horse " + "battery"
LAX = "version: 1\nrules:\n  - {id: assistant, then: allow}\n"
QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}

pytestmark = pytest.mark.filterwarnings("ignore:Not used until a reviewer", "ignore:The accepted settings")


def _opened(home, **variables):
    return open_memory(home, environment={**QUIET, **variables}, said_by="user")


def _accept(memory, key, wanted, content=""):
    before = memory.settings.accepted.values.get(key, "")
    difference = SettingDifference(key=key, accepted=before, wanted=wanted, source="config.yaml", content=content)
    memory.settings.accept(memory.reviewers.unlock(SECRET), (difference,))


ACTS = {
    "key": lambda memory: memory.api_keys.make("bot", "write"),
    "other key": lambda memory: memory.api_keys.make("desk"),
    "revoke": lambda memory: memory.api_keys.revoke("bot"),
    "trust": lambda memory: memory.reviewers.trust_terminal("tty", memory.reviewers.unlock(SECRET)),
    "distrust": lambda memory: memory.reviewers.distrust_terminal(memory.reviewers.trusted_terminals()[0].id),
    "session": lambda memory: memory.reviewers.unlock(SECRET, terminal="tty"),
    "lock": lambda memory: memory.reviewers.lock("tty"),
    "redaction off": lambda memory: _accept(memory, "redaction.enabled", wanted=False),
    "redaction on": lambda memory: _accept(memory, "redaction.enabled", wanted=True),
    "lax": lambda memory: _accept(memory, POLICY_FILE, "lax.yaml", LAX),
    "shipped": lambda memory: _accept(memory, POLICY_FILE, ""),
    "ben": lambda memory: memory.reviewers.add("ben", SECRET + " staple", memory.reviewers.unlock(SECRET)),
    "no ben": lambda memory: memory.reviewers.remove("ben", memory.reviewers.unlock(SECRET)),
    "remember": lambda memory: memory.remember("The lamp is red."),
}


def _act(memory, names, made):
    for name in names:
        with suppress(DopejarError, IndexError):  # it is so already
            made.append(ACTS[name](memory))


def _access(memory, made):
    """Who has access, and what is accepted, as it stands in the store."""
    keys = [made_key for made_key in made if isinstance(made_key, str)]
    with memory.store.read() as view:
        accepted = read_accepted(view)
        policy = read_accepted_policy(view, accepted) if accepted.policy else ""
    return (
        memory.api_keys.list(),
        [memory.api_keys.find(key) for key in keys],
        memory.reviewers.trusted_terminals(),
        memory.reviewers.at_terminal("tty"),
        memory.reviewers.names(),
        accepted,
        policy,
    )


@settings(max_examples=25, deadline=None)
@given(before=st.lists(st.sampled_from([*ACTS]), max_size=8), after=st.lists(st.sampled_from([*ACTS]), max_size=8))
def test_a_backup_brings_back_no_access(tmp_path_factory, before, after):
    """Whatever was made, ended or accepted before and after a backup, restoring it changes none of that."""
    folder = tmp_path_factory.mktemp("trust")
    made = []
    with _opened(folder / "home") as memory:
        memory.reviewers.add("ana", SECRET)
        _act(memory, before, made)
        memory.exchange.backup(folder / "backup.db")
        _act(memory, after, made)
        by = memory.reviewers.unlock(SECRET)
        today = _access(memory, made)
        memory.exchange.restore(folder / "backup.db", open_store, by)
        assert _access(memory, made) == today
        assert [one for one in memory.maintenance.doctor().faults if one.what != "settings"] == []
        memory.verify()
    with _opened(folder / "home") as memory:
        assert memory.settings.accepted == today[5]
        assert not [one for one in memory.maintenance.doctor().faults if "not those that the ledger" in one.detail]
    shutil.rmtree(folder)


def test_loosened_settings_stay_tightened(tmp_path):
    """Redaction that was off when the backup was made, and is on today, stays on; the ledger says by whom."""
    with _opened(tmp_path / "home") as memory:
        memory.reviewers.add("ana", SECRET)
        _accept(memory, "redaction.enabled", wanted=False)
        memory.exchange.backup(tmp_path / "backup.db")
        _accept(memory, "redaction.enabled", wanted=True)
        memory.exchange.restore(tmp_path / "backup.db", open_store, memory.reviewers.unlock(SECRET))
        (act,) = memory.log(1)
        assert (act.actions, act.approver) == (("settings_accepted",), "ana")
    with _opened(tmp_path / "home", DOPEJAR_REDACTION_ENABLED="false") as memory:
        assert memory.settings.unaccepted
        assert memory.settings.accepted.values["redaction.enabled"] is True


def test_settings_that_were_never_accepted_today_are_the_defaults(tmp_path):
    """A backup of a memory with accepted settings, restored where none were: the defaults are in force."""
    with _opened(tmp_path / "other") as memory:
        memory.reviewers.add("ana", SECRET)
        _accept(memory, "redaction.enabled", wanted=False)
        _accept(memory, POLICY_FILE, "lax.yaml", LAX)
        memory.exchange.backup(tmp_path / "backup.db")
    with _opened(tmp_path / "home") as memory:
        memory.reviewers.add("ana", SECRET)
        memory.exchange.restore(tmp_path / "backup.db", open_store, memory.reviewers.unlock(SECRET))
    with _opened(tmp_path / "home") as memory:
        assert (dict(memory.settings.accepted.values), memory.settings.policy_text()) == ({}, "")
        assert memory.maintenance.doctor().faults == ()


def test_a_backup_over_a_damaged_file_lets_nobody_in(tmp_path):
    """Where nothing can be read of today, no key, session or trust of the backup holds; the passphrase does."""
    with _opened(tmp_path / "home") as memory:
        memory.reviewers.add("ana", SECRET)
        by = memory.reviewers.unlock(SECRET, terminal="tty")
        memory.reviewers.trust_terminal("tty", by)
        key = memory.api_keys.make("bot", "write")
        memory.remember("The lamp is red.")
        memory.exchange.backup(tmp_path / "backup.db")
    (tmp_path / "home" / "dopejar.db").write_bytes(b"no database at all, of a few bytes")
    asked = []

    def prove(memory):
        asked.append(memory.reviewers.at_terminal("tty"))
        return memory.reviewers.unlock(SECRET)

    restore_over_damage(tmp_path / "home", tmp_path / "backup.db", prove, environment=QUIET)
    assert asked == [None]
    with _opened(tmp_path / "home") as memory:
        assert (memory.api_keys.find(key), memory.api_keys.list()) == (None, ())
        assert memory.reviewers.trusted_terminals() == ()
        assert not memory.reviewers.is_open(by)
        assert len(memory.list()) == 1

"""Settings that decide over safety change by a reviewer's act, wherever they are configured."""

import itertools
import json
import sqlite3

import pytest

from accepted import WORDS, accepted
from dopejar import Speaker, open_memory
from dopejar.errors import SettingError
from dopejar.settings import SETTINGS, check, read_settings
from dopejar.settings.governed_settings import govern, setting_difference
from dopejar.values.accepted_settings import AcceptedSettings
from dopejar.values.episode import Origin
from dopejar.values.recall import RecordFilter

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PROMPT = "What is $bullet about? Answer with its side."
LAX = "version: 1\nrules:\n  - {id: assistant, then: allow}\n  - {id: source-quality, enabled: false}\n"
AGENT = Speaker(origin=Origin.ASSISTANT, name="agent")
GOVERNED = {setting.key: setting for setting in SETTINGS if setting.tightening is not None}

LOOSER = {
    "redaction.enabled": "false",
    "policy.file": "lax.yaml",
    "recall.note_use": "false",
    "review.max_age_days": "1",
    "procedural.staging.enabled": "false",
    "procedural.staging.auto_assign": "true",
    "procedural.staging.auto_assign_threshold": "0.5",
    "procedural.staging.manual_review_threshold": "0.1",
    "procedural.staging.max_staging_age_days": "1",
    "ingest.refine": "true",
    "ingest.second_opinion": "true",
    "ingest.model_names": "true",
    "ingest.test_words": "port",
    "ingest.ephemeral_words": "port",
    "ingest.ephemeral_hours": "1",
    "corrections.refine": "true",
    "procedural.reflector.refine": "true",
    "procedural.classifier.model": "large",
    "procedural.classifier.prompt_template": "prompt.txt",
    "language_model.kind": "openai",
    "language_model.url": "http://127.0.0.1:9/",
    "language_model.model": "large",
    "language_model.key_variable": "HOME",
    "language_model.daily_tokens": "1000000000",
}
TIGHTER = {
    "consent.persist": "user tool",
    "review.max_age_days": "60",
    "procedural.staging.auto_assign_threshold": "0.95",
    "procedural.staging.manual_review_threshold": "0.7",
    "procedural.staging.max_staging_age_days": "60",
    "ingest.ephemeral_hours": "48",
    "language_model.daily_tokens": "10",
}

pytestmark = pytest.mark.filterwarnings("ignore:Not used until a reviewer", "ignore:The accepted settings")


def opened(home, **variables):
    """A memory under these variables."""
    return open_memory(home, environment={**QUIET, **variables})


def configured(home, place, key, value):
    """The value configured in that place: written into config.yaml, or as the variables to open with."""
    if place == "environment":
        return {GOVERNED[key].variable: value}
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(json.dumps({key: value}), "utf-8")
    return {}


def active_texts(memory):
    """What is believed."""
    return [record.text for record in memory.list(RecordFilter())]


@pytest.mark.parametrize("place", ["config.yaml", "environment"])
@pytest.mark.parametrize("key", LOOSER)
def test_what_loosens_is_in_force_only_when_a_reviewer_accepted_it(tmp_path, place, key):
    """Unaccepted: the default stays, warning, status and doctor name it. Accepted: in force, and a ledger entry."""
    home = tmp_path / "home"
    for name, text in (("lax.yaml", LAX), ("prompt.txt", PROMPT)):
        (tmp_path / name).write_text(text, "utf-8")
    value = str(tmp_path / LOOSER[key]) if (tmp_path / LOOSER[key]).is_file() else LOOSER[key]
    variables = configured(home, place, key, value)
    with pytest.warns(UserWarning, match=key):
        memory = opened(home, **variables)
    with memory:
        assert in_force(memory, home, variables).values[key] == GOVERNED[key].default
        assert key in memory.status().unaccepted_settings
        (fault,) = memory.maintenance.doctor(repair=False).faults
        assert (fault.what, key in fault.detail, "dopejar config accept" in fault.detail) == ("settings", True, True)
    accepted(home, {**QUIET, **variables})
    with opened(home, **variables) as memory:
        found = in_force(memory, home, variables)
        assert (found.values[key], memory.settings.unaccepted) == (check(key, value), "")
        assert memory.maintenance.doctor(repair=False).faults == ()
        assert [(act.actions, act.approver) for act in memory.log(1)] == [(("settings_accepted",), "clerk")]
        memory.verify()


def in_force(memory, home, variables):
    """The settings in force."""
    return govern(read_settings(home, variables), memory.settings.accepted)


@pytest.mark.parametrize("key", TIGHTER)
def test_what_tightens_needs_nobody(tmp_path, key):
    """It is in force at once, without a warning; once accepted, its absence does not loosen it again."""
    home = tmp_path / "home"
    variables = configured(home, "environment", key, TIGHTER[key])
    with opened(home, **variables) as memory:
        assert memory.settings.unaccepted == ""
        assert in_force(memory, home, variables).values[key] != GOVERNED[key].default
        assert memory.maintenance.doctor(repair=False).faults == ()
    accepted(home, {**QUIET, **variables})
    with opened(home) as memory:
        assert in_force(memory, home, {}).values[key] != GOVERNED[key].default
        assert memory.settings.unaccepted == ""


def test_no_two_values_tighten_each_other():
    """A change that tightens is not taken back by one that tightens too: nobody walks a setting down in steps."""
    for key, setting in GOVERNED.items():
        chosen = [check(key, choices[key]) for choices in (LOOSER, TIGHTER) if key in choices]
        for old, new in itertools.permutations([setting.default, *chosen], 2):
            assert not (setting.tightening.holds(old, new) and setting.tightening.holds(new, old)), (key, old, new)


def test_an_unaccepted_model_is_asked_nothing(tmp_path):
    """An address that was accepted for one model is used for no other; until one is accepted, there is none."""
    home = tmp_path / "home"
    server = {"DOPEJAR_LANGUAGE_MODEL_KIND": "ollama", "DOPEJAR_LANGUAGE_MODEL_URL": "http://127.0.0.1:9"}
    accepted(home, server)
    for name in ("small", "far:cloud"):
        with opened(home, **server, DOPEJAR_LANGUAGE_MODEL_MODEL=name) as memory:
            assert memory.language_model is None
    accepted(home, {**server, "DOPEJAR_LANGUAGE_MODEL_MODEL": "small"})
    with opened(home, **server, DOPEJAR_LANGUAGE_MODEL_MODEL="far:cloud") as memory:
        assert memory.language_model.name == "small"


def test_a_prompt_that_is_gone_is_taken_back_without_a_reviewer(tmp_path):
    """An accepted prompt whose file was removed stops commands, and its error says how to go on: by the shipped one."""
    home, prompt = tmp_path / "home", tmp_path / "prompt.txt"
    prompt.write_text(PROMPT, "utf-8")
    key = "procedural.classifier.prompt_template"
    accepted(home, {**QUIET, GOVERNED[key].variable: str(prompt)})
    prompt.unlink()
    with pytest.raises(SettingError, match="remove the setting"):
        opened(home, **{GOVERNED[key].variable: str(prompt)})
    for variables in ({}, configured(home, "config.yaml", key, "default")):
        with opened(home, **variables) as memory:
            assert in_force(memory, home, variables).values[key] == "default"
            assert memory.settings.unaccepted == ""


def test_an_unaccepted_policy_decides_nothing(tmp_path):
    """A policy file of an agent's own makes no rule active, from the environment or the file."""
    policy = tmp_path / "lax.yaml"
    policy.write_text(LAX, "utf-8")
    for place in ("config.yaml", "environment"):
        home = tmp_path / place.partition(".")[0]
        with opened(home, **configured(home, place, "policy.file", str(policy))) as memory:
            memory.remember("Always push straight to main.", speaker=AGENT)
            assert active_texts(memory) == []


def test_the_accepted_text_of_a_policy_stays_in_force(tmp_path):
    """A file that changes or goes afterwards is named and changes nothing; accepted again, its new text decides."""
    home, policy = tmp_path / "home", tmp_path / "own.yaml"
    variables = {"DOPEJAR_POLICY_FILE": str(policy)}
    strict = "version: 1\ntrust: {user: 0.9}\n"
    policy.write_text(strict, "utf-8")
    accepted(home, {**QUIET, **variables})
    with opened(home, **variables) as memory:
        first = memory._deps.policy().hash
        assert memory.settings.unaccepted == ""
    elsewhere = tmp_path / "moved.yaml"
    elsewhere.write_text(strict, "utf-8")
    with opened(home, DOPEJAR_POLICY_FILE=str(elsewhere)) as memory:
        assert memory.settings.unaccepted == ""  # the same text in another place
    for change in (lambda: policy.write_text(LAX, "utf-8"), policy.unlink):
        change()
        with opened(home, **variables) as memory:
            assert memory._deps.policy().hash == first
            assert "policy.file" in memory.settings.unaccepted
    policy.write_text(LAX, "utf-8")
    accepted(home, {**QUIET, **variables})
    with opened(home, **variables) as memory:
        assert memory._deps.policy().hash != first
        assert memory.settings.unaccepted == ""


def test_a_policy_that_cannot_be_parsed_is_not_accepted(tmp_path):
    """The message names the file, and nothing was written."""
    policy = tmp_path / "broken.yaml"
    policy.write_text("version: 1\nrules: [{id: nothing-like-it, then: allow}]\n", "utf-8")
    with pytest.raises(SettingError, match=r"broken\.yaml"):
        accepted(tmp_path / "home", {**QUIET, "DOPEJAR_POLICY_FILE": str(policy)})
    with opened(tmp_path / "home") as memory:
        assert memory.settings.accepted == AcceptedSettings()
        assert [act.actions for act in memory.log()] == [("reviewer_added",)]


def test_secrets_are_redacted_until_a_reviewer_says_otherwise(tmp_path):
    """Redaction switched off by a variable keeps no secret."""
    with opened(tmp_path / "home", DOPEJAR_REDACTION_ENABLED="false") as memory:
        memory.remember(f"The key is {TOKEN}", said_by="user")
        with memory.store.read() as view:
            assert all(TOKEN not in turn.text for row in view.conversations(9) for turn in view.turns(row.id))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE meta SET value = replace(value, 'false', 'true') WHERE key = 'accepted_settings'",
        "UPDATE meta SET value = 'nonsense' WHERE key = 'accepted_settings'",
        "UPDATE meta SET value = '{}' WHERE key = 'accepted_settings'",
        "DELETE FROM meta WHERE key = 'accepted_settings'",
    ],
)
def test_a_row_that_no_reviewer_wrote_is_not_believed(tmp_path, change):
    """Accepted settings that were altered in the file, or removed, give the defaults, and doctor names it."""
    home = tmp_path / "home"
    accepted(home, {**QUIET, "DOPEJAR_REDACTION_ENABLED": "false"})
    with sqlite3.connect(home / "dopejar.db") as database:
        database.execute(change)
    with opened(home) as memory:
        assert in_force(memory, home, {}).flag("redaction.enabled")
        assert any(fault.what == "settings" for fault in memory.maintenance.doctor(repair=False).faults)
        memory.settings.accept(memory.reviewers.unlock(WORDS))
    with opened(home) as memory:
        assert not any(fault.what == "settings" for fault in memory.maintenance.doctor(repair=False).faults)


def test_an_older_row_put_back_is_named(tmp_path):
    """The digest of a row that was replaced is not the ledger's last one."""
    home = tmp_path / "home"
    accepted(home, {**QUIET, "DOPEJAR_REDACTION_ENABLED": "false"})
    with sqlite3.connect(home / "dopejar.db") as database:
        ((old,),) = database.execute("SELECT value FROM meta WHERE key = 'accepted_settings'").fetchall()
    accepted(home, {**QUIET, "DOPEJAR_REDACTION_ENABLED": "true"})
    with sqlite3.connect(home / "dopejar.db") as database:
        database.execute("UPDATE meta SET value = ? WHERE key = 'accepted_settings'", (old,))
    with opened(home) as memory:
        assert any(fault.what == "settings" for fault in memory.maintenance.doctor(repair=False).faults)


def test_a_memory_in_process_takes_what_its_host_says(tmp_path):
    """Nobody can accept there: what the host's own code passes is in force; what a file says, only if it tightens."""
    with open_memory(":memory:", environment={**QUIET, "DOPEJAR_REDACTION_ENABLED": "false"}) as memory:
        assert memory.settings.unaccepted == ""
        assert memory._deps.redact(TOKEN)[0] == TOKEN
    (tmp_path / "config.yaml").write_text("redaction: {enabled: false}\n", "utf-8")
    with open_memory(":memory:", environment={**QUIET, "DOPEJAR_HOME": str(tmp_path)}) as memory:
        assert "redaction.enabled" in memory.settings.unaccepted
        assert TOKEN not in memory._deps.redact(TOKEN)[0]


def test_every_governed_setting_is_tried_here():
    """The tables above know each governed setting, so that a new one is tried as well."""
    assert set(GOVERNED) == set(LOOSER) | set(TIGHTER)
    for key, value in TIGHTER.items():
        difference = setting_difference(GOVERNED[key], check(key, value), "x", AcceptedSettings())
        assert difference is not None
        assert difference.is_used

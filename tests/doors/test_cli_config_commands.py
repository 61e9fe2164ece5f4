"""`dopejar config`: governed settings ask a reviewer, at the command line as everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Cli

from dopejar.doors.cli import authentication

LAX = "version: 1\nrules:\n  - {id: assistant, then: allow}\n  - {id: source-quality, enabled: false}\n"
LOOSENING = (
    ("redaction.enabled", "false"),
    ("procedural.staging.auto_assign", "true"),
    ("review.max_age_days", "1"),
    ("language_model.url", "http://127.0.0.1:9/"),
    ("policy.file", "lax.yaml"),
)


@pytest.mark.parametrize(("key", "value"), LOOSENING)
def test_loosening_needs_a_reviewer(cli: Cli, home: Path, key: str, value: str) -> None:
    """Without one the exit code is 3 and nothing is written; what tightens is written."""
    Path("lax.yaml").write_text(LAX, "utf-8")
    assert cli("config", "set", key, value).code == 3
    assert not (home / "config.yaml").exists()
    ran = cli("config", "set", "consent.persist", "user")
    assert ran.code == 0
    assert cli("config", "get", "consent.persist").out.strip() == "user"


@pytest.mark.parametrize(("key", "value"), [*LOOSENING, ("consent.persist", "user")])
def test_a_reviewer_sets_and_accepts_at_once(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, as_reviewer: str, key: str, value: str
) -> None:
    """The value is in force for everybody afterwards, and no remark is made about it."""
    Path("lax.yaml").write_text(LAX, "utf-8")
    assert cli("config", "set", key, value).code == 0
    monkeypatch.delenv(authentication.SECRET_VARIABLE)
    ran = cli("config", "get", key)
    assert (ran.out.strip().rpartition("/")[2], ran.err) == (value.rpartition("/")[2], "")
    assert cli("log", "--json").data["acts"][0]["approver"] == as_reviewer
    assert cli("config", "set", key, value).code == 0  # nothing changes any more
    assert cli("doctor").code == 0


def test_what_is_not_accepted_is_named_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command says on stderr which variable is not in force; status and doctor say it in their answers."""
    cli("remember", "Tea is green.")
    monkeypatch.setenv("DOPEJAR_REDACTION_ENABLED", "false")
    ran = cli("recall", "tea")
    assert ran.err.count("DOPEJAR_REDACTION_ENABLED") == 1
    assert "dopejar config accept" in ran.err
    assert "redaction.enabled" in cli("status", "--json").data["unaccepted_settings"]
    doctor = cli("doctor")
    assert (doctor.code, "redaction.enabled" in doctor.out) == (1, True)
    assert "restore" not in doctor.out
    (shown,) = [row for row in cli("config", "list", "--json").data["settings"] if row["key"] == "redaction.enabled"]
    assert (shown["value"], shown["source"], shown["governed"]) == (True, "default", True)


@pytest.mark.usefixtures("as_reviewer")
def test_accepting_shows_what_is_accepted(cli: Cli, home: Path) -> None:
    """The differences, of a policy its changed lines; afterwards there is nothing to accept."""
    policy = Path("lax.yaml").absolute()
    policy.write_text(LAX, "utf-8")
    (home / "config.yaml").write_text(f"policy: {{file: {policy}}}\nconsent: {{persist: [user, tool]}}\n", "utf-8")
    ran = cli("config", "accept")
    assert ran.code == 0
    assert "id: source-quality, enabled: false" in ran.err
    assert "consent.persist" in ran.err
    assert "Every governed setting is as it was accepted." in cli("config", "accept").err
    (home / "config.yaml").unlink()
    assert cli("config", "get", "consent.persist").out.strip() == "user tool"


def test_accepting_needs_a_reviewer(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent accepts nothing."""
    monkeypatch.setenv("DOPEJAR_REDACTION_ENABLED", "false")
    assert cli("config", "accept").code == 3
    assert cli("config", "get", "redaction.enabled").out.strip() == "true"


@pytest.mark.usefixtures("as_reviewer")
def test_where_there_is_a_reviewer_tightening_asks_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Less consent loses what is said, so an agent does not set it."""
    monkeypatch.delenv(authentication.SECRET_VARIABLE)
    assert cli("config", "set", "consent.persist", "assistant").code == 3

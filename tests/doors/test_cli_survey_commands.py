"""keys, hygiene, profile, decisions, corrections, instructions, check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Cli

ROWS = [
    ("assistant", "I committed the fix to main."),
    ("user", "no, never commit to main. always use a feature branch"),
    ("assistant", "Understood."),
]


@pytest.fixture
def approved(cli: Cli, tmp_path: Path, as_reviewer: str) -> None:
    """A correction was learned in project atlas and approved."""
    path = tmp_path / "talk.jsonl"
    rows = [{"role": role, "content": words, "ts": f"2026-03-01T09:0{at}:00Z"} for at, (role, words) in enumerate(ROWS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert as_reviewer
    cli("learn", str(path), "--project", "atlas")
    cli("review", "list")
    assert cli("review", "approve", "all", "--project", "atlas").code == 0


@pytest.mark.usefixtures("approved")
def test_an_approved_correction_becomes_a_check(cli: Cli) -> None:
    """A call that breaks the rule ends with exit code 3 and names the rule; one that keeps it ends with 0."""
    call = ("check", "--tool", "Bash", "--project", "atlas", "--input")
    broken = cli(*call, '{"command": "git commit -m x"}', "--branch", "main", "--json")
    assert broken.code == 3
    assert broken.data["matches"]
    assert cli(*call, '{"command": "git commit -m x"}', "--branch", "feature/x").code == 0
    assert cli(*call, "no json").code == 2
    assert cli(*call, "[1]").code == 2


@pytest.mark.usefixtures("approved")
@pytest.mark.parametrize("is_worktree", [False, True])
def test_the_branch_at_hand_is_read(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_worktree: bool
) -> None:
    """Without --branch the repository in which the command runs tells it, a worktree too; what is named wins."""
    place, state = tmp_path / "work", tmp_path / "repo" / ".git" / "worktrees" / "work"
    place.mkdir()
    if is_worktree:
        (place / ".git").write_text(f"gitdir: {state}\n")
    state = state if is_worktree else place / ".git"
    state.mkdir(parents=True)
    monkeypatch.chdir(place)
    call = ("check", "--tool", "Bash", "--project", "atlas", "--input", '{"command": "git commit -m x"}')
    for head, code in (("ref: refs/heads/main", 3), ("ref: refs/heads/topic", 0), ("0f3a", 0)):
        (state / "HEAD").write_text(f"{head}\n")
        assert cli(*call).code == code
    assert cli(*call, "--branch", "main").code == 3


@pytest.mark.usefixtures("approved")
def test_views_show_what_was_approved(cli: Cli, tmp_path: Path) -> None:
    """The correction stands among corrections, keys and the instruction section, which replaces only itself."""
    assert "main" in cli("list", "--view", "corrections", "--project", "atlas").out
    assert cli("list", "--view", "keys", "--project", "atlas", "--json").data["keys"]
    assert cli("list", "--view", "keys", "--json").data["keys"] == []
    assert cli("list", "--view", "decisions", "--project", "atlas").code == 0
    assert cli("list", "--view", "profile").code == 0
    target = tmp_path / "AGENTS.md"
    target.write_text("# Mine\n\nKeep this.\n")
    cli("instructions", "--into", str(target), "--project", "atlas")
    once = target.read_text()
    cli("instructions", "--into", str(target), "--project", "atlas")
    assert target.read_text() == once
    assert once.startswith("# Mine\n\nKeep this.\n")
    assert "main" in once


@pytest.mark.usefixtures("approved")
def test_a_file_keeps_its_link_rights_and_line_ends(cli: Cli, tmp_path: Path) -> None:
    """CLAUDE.md that leads to AGENTS.md still does; a file that may not be written is left alone, and it is said."""
    file, link = tmp_path / "AGENTS.md", tmp_path / "CLAUDE.md"
    file.write_bytes(b"# Mine\r\n\r\nKeep this.\r\n")
    file.chmod(0o640)
    link.symlink_to(file.name)
    assert cli("instructions", "--into", str(link), "--project", "atlas").code == 0
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert file.read_bytes().startswith(b"# Mine\r\n\r\nKeep this.\r\n\r\n<!-- ")
    assert b"\n" not in file.read_bytes().replace(b"\r\n", b"")
    file.write_bytes(b"# Mine\n")
    file.chmod(0o440)
    ran = cli("instructions", "--into", str(link), "--project", "atlas")
    assert (ran.code, file.read_bytes()) == (2, b"# Mine\n")
    assert "read-only" in ran.err
    assert sorted(one.name for one in tmp_path.glob("*.md*")) == ["AGENTS.md", "CLAUDE.md"]


def test_hygiene_of_a_clean_memory_is_one(cli: Cli) -> None:
    """Nothing stained scores 1; a fragment lowers the score and is shown."""
    cli("remember", "The staging database is Postgres 16.", typed="")
    assert cli("doctor", "--hygiene", "--json").data["score"] == 1.0
    cli("remember", "blarg foo", typed="")
    stained = cli("doctor", "--hygiene", "--json").data
    assert stained["score"] < 1.0
    assert stained["examples"]


def test_an_instruction_file_is_taken_in(cli: Cli, tmp_path: Path) -> None:
    """--from stages the rules of a file; the same file again is known; review show tells where each is from."""
    file = tmp_path / "AGENTS.md"
    file.write_text("# Work\n\n- Never push to main.\n- Use uv instead of pip.\n", encoding="utf-8")
    ran = cli("instructions", "--from", str(file), "--json")
    assert ran.data["rules"] == 2
    assert {one["outcome"] for one in ran.data["receipts"]} == {"staged"}
    assert "already known" in cli("instructions", "--from", str(file)).err
    cli("review", "list")
    shown = cli("review", "show", "1").out
    assert "AGENTS.md, line" in shown
    assert "checked on tool calls" in shown


@pytest.mark.parametrize("words", [("--from", "a.md", "--into", "b.md"), ("--everywhere",)])
def test_options_that_do_not_go_together_are_refused(cli: Cli, words: tuple[str, ...]) -> None:
    """A file is taken in or written, not both; everywhere is where a file's rules hold."""
    ran = cli("instructions", *words)
    assert (ran.code, ran.out) == (2, "")
    assert "--from" in ran.err


@pytest.mark.usefixtures("as_reviewer")
def test_a_check_says_where_its_rule_is_from(cli: Cli, tmp_path: Path) -> None:
    """The rule, who approved it and the words that said it are shown; the exit code tells a program."""
    file = tmp_path / "AGENTS.md"
    file.write_text("- Never push to main.\n", encoding="utf-8")
    cli("instructions", "--from", str(file), "--everywhere")
    cli("review", "list")
    cli("review", "approve", "all")
    ran = cli("check", "--tool", "Bash", "--input", '{"command": "git push origin main"}')
    assert ran.code == 3
    assert ran.out.startswith("prompt: ")
    assert "approved by ana" in ran.out
    assert "Never push to main" in ran.out


def test_keys_name_their_project_as_the_listing_does(cli: Cli) -> None:
    """By its name, not by the hash of its folder; as JSON by its id."""
    cli("remember", "The sluice runs on port 7500.", typed="")
    Path(".git").mkdir()
    cli("remember", "The weir runs on port 7600.", typed="")
    (weir,) = [row for row in cli("list", "--json").data["records"] if "weir" in row["text"]]
    assert weir["scope"].startswith("project:path-")
    shown = cli("list", "--view", "keys").out
    assert (f"project:{Path.cwd().name} " in shown, "path-" in shown) == (True, False)

"""A ban holds whoever runs the command: a project's environment, a container, a limit of time. A launcher is no ban."""

import pytest

from dopejar.pipelines.corrections.tool_checks.call_checks import check_call
from dopejar.pipelines.corrections.tool_checks.launched_commands import launched
from dopejar.pipelines.corrections.tool_checks.rule_checks import compile_check

UPGRADE, DESTROY, YARN, UI = (
    "Never run alembic upgrade.",
    "Never run terraform destroy.",
    "Never run yarn.",
    "packages/ui",
)

HELD = [
    (UPGRADE, "poetry run alembic upgrade head"),
    (UPGRADE, "cd api && uv run --with psycopg alembic upgrade head"),
    (UPGRADE, "uv run alembic -c other.ini upgrade head"),
    (UPGRADE, ".venv/bin/python -m alembic upgrade head"),
    (UPGRADE, "sudo docker compose -f dev.yml exec -T api poetry run alembic upgrade head"),
    (UPGRADE, "docker run --rm -v data:/data image alembic upgrade head"),
    (UPGRADE, "kubectl exec -n prod pod/api -- alembic upgrade head"),
    (UPGRADE, "timeout 60 alembic upgrade head"),
    ("We use uv. Never run alembic upgrade.", "uv run alembic upgrade head"),
    (DESTROY, "terraform -chdir=infra destroy"),
    (DESTROY, "aws-vault exec prod -- terraform destroy"),
    (YARN, "npx --yes yarn@1.22 add zod"),
    (YARN, "pnpm dlx yarn install"),
    ("Use ruff instead of black.", "uvx black ."),
    ("Never run rspec.", "bundle exec rspec"),
]
FREE = [
    (UPGRADE, "poetry run alembic downgrade -1"),
    (UPGRADE, "uv run pytest -k alembic upgrade"),
    (UPGRADE, "docker compose logs alembic"),
    (UPGRADE, "docker compose exec api cat alembic/upgrade.py"),
    (UPGRADE, "docker run --rm image alembic current"),
    (UPGRADE, "python -m http.server"),
    (DESTROY, "terraform -chdir=infra plan"),
    (DESTROY, "terraform plan -out destroy"),
    (YARN, "npx eslint yarn.lock"),
    ("Use uv, never python directly.", "uv run python seed.py"),
    ("Use `poetry run pytest`, not `pytest`.", "poetry run pytest -q"),
    ("Don't run pytest directly, use uv run pytest.", "uv run pytest -q"),
    ("Use npx prettier instead of prettier.", "npx prettier ."),
]
EDITS = ["rm -r packages/ui/old", "sed -i 's/a/b/' ./packages/ui/a.ts", "git mv web.ts packages/ui/web.ts"]
LOOKS = ["ls packages/ui", "sed -n 1,9p packages/ui/a.ts", "rm -r packages/ui-kit", "git log packages/ui", "rm ui/a.ts"]


def _breaks(rule: str, tool: str, **given: str) -> bool:
    compiled = compile_check("m_1", rule)
    assert compiled is not None
    return bool(check_call(tool, given, [compiled]))


@pytest.mark.parametrize(("rule", "command"), HELD)
def test_a_launched_command_is_held(rule, command):
    """With options of the launcher, of the program, and one launcher within another."""
    assert _breaks(rule, "Bash", command=command)


@pytest.mark.parametrize(("rule", "command"), FREE)
def test_what_only_looks_like_it_passes(rule, command):
    """Another subcommand, a name among the arguments, and the launcher that the rule itself asks for."""
    assert not _breaks(rule, "Bash", command=command)


def test_each_reading_of_an_option_is_given():
    """An option may stand alone or take the next word; what is launched has no options of the launcher."""
    assert set(launched("uv run -q mypy src")) == {("uv run", "mypy src"), ("uv run", "src")}
    assert launched("uv add alembic") == launched("docker ps") == launched("") == ()


@pytest.mark.parametrize(
    "rule",
    [f"Don't touch {UI}.", f"Never edit anything in {UI} until December 18, code freeze.", f"{UI} must not be changed"],
)
def test_a_path_without_an_ending_holds_what_is_below(rule):
    """Edits and commands that change files there; not those beside it, and nothing that only reads."""
    for path in (f"{UI}/a.ts", f"/home/me/shop/{UI}/src/deep/b.ts"):
        assert _breaks(rule, "Edit", file_path=path, old_string="a", new_string="b")
    for path in ("packages/web/a.ts", "packages/ui-kit/a.ts", "ui/a.ts"):
        assert not _breaks(rule, "Edit", file_path=path, old_string="a", new_string="b")
    assert all(_breaks(rule, "Bash", command=command) for command in EDITS)
    assert not any(_breaks(rule, "Bash", command=command) for command in LOOKS)


@pytest.mark.parametrize(
    "rule", ["Never change the read/write split.", "Don't touch the vendor.", "Don't edit my words."]
)
def test_what_is_no_path_gives_no_check(rule):
    """Such a rule is advice, and is called so."""
    assert compile_check("m_1", rule) is None

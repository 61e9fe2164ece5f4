"""Checks on tool calls: what compiles, what it meets, what stays advice."""

from __future__ import annotations

import pytest
from correction_turns import exchange

from dopejar.pipelines.corrections import ProposalEngine, cluster, detect
from dopejar.pipelines.corrections.tool_checks.call_checks import PROMPT, check_call
from dopejar.pipelines.corrections.tool_checks.replay import DONE, SAID, find_occurrences, is_faithful
from dopejar.pipelines.corrections.tool_checks.rule_checks import compile_check
from dopejar.pipelines.corrections.tool_checks.tool_calls import calls_in, read_call
from dopejar.values.ids import RecordId


def met(rule, tool, given, **options):
    """What of the call a rule meets."""
    one = compile_check(RecordId("m_1"), rule)
    return [match.found for match in check_call(tool, given, [one] if one else [], **options)]


def shell(command):
    """A command as the input of a tool."""
    return {"command": command}


def write(path, content):
    """A file as the input of a tool."""
    return {"file_path": path, "content": content}


@pytest.mark.parametrize(
    ("rule", "tool", "given"),
    [
        ("Never use panic in production Go code", "Edit", {"file_path": "cmd/main.go", "new_string": "panic(err)"}),
        ("Use jq, not grep", "Bash", shell("cat a.json | grep name")),
        ("Use bun instead of npm", "run_terminal_cmd", shell("cd web && npm install")),
        ("Never use grep, but rather jq", "Bash", shell("grep -r x .")),
        ("Do not use node", "shell", {"command": ["node", "app.js"]}),
        ("Run tests with pytest", "Bash", shell("python -m unittest discover")),
        ("Use `bun test` to run tests", "Bash", shell("npm test")),
        ("Do not force push", "Bash", shell("git push --force origin topic")),
        ("Never push to main", "Bash", shell("git push origin main")),
        ("Do not commit to main", "Bash", shell("git checkout main && git commit -am x")),
        ("Do not commit without asking", "Bash", shell("git add . && git commit -m x")),
        ("Never edit package-lock.json", "Write", write("web/package-lock.json", "{}")),
        ("package-lock.json must never be edited", "Write", write("web/package-lock.json", "{}")),
        ("Files in migrations/ are not to be changed", "Edit", {"path": "db/migrations/0001.sql", "new_str": "x"}),
        ("npm must not be used", "Bash", shell("npm install left")),
        ("Do not touch files in migrations/", "Edit", {"path": "db/migrations/0001.sql", "new_str": "x"}),
        ("Never use --no-verify", "Bash", shell("git commit --no-verify -m x")),
        ("Use httpx instead of requests in Python", "Write", write("a/b.py", "import requests\n")),
        ("Never use `any` in TypeScript files", "MultiEdit", {"path": "a.ts", "edits": [{"new_string": "x: any"}]}),
        ("Use `logger.info` instead of `console.log`", "Write", write("a.js", "console.log(1)")),
        ("Never use `any` in TypeScript files", "apply_patch",
         {"path": "a.ts", "patch": "*** Update File: a.ts\n-x: string\n+x: any\n"}),
        ("never write `any`", "Write", write("src/b.ts", "const rows: Array<any> = []")),
        ("ok and we don't use `any`", "Edit", {"file_path": "b.tsx", "new_string": "load(props as any)"}),
        ("no any, please", "Write", write("b.ts", "type Bag = Record<string, any>")),
        ("never use `null`", "Write", write("b.ts", "return null")),
        ("avoid `switch` statements", "Write", write("b.js", "switch (x) {")),
        ("Never yarn install", "Bash", shell("cd web && yarn install")),
        ("don't npm install, pnpm does that", "Bash", shell("npm i left")),
        ("Use bun here, never npm install or yarn", "Bash", shell("npm add left")),
        ("Use bun here, never npm install or yarn", "Bash", shell("yarn add left")),
        ("only cargo, never make, bazel or npm", "Bash", shell("npm run build")),
        ("never run pip or poetry add", "Bash", shell("poetry add left")),
        ("poetry, not pip", "Bash", shell("pip install left")),
        ("I said bun, not npm", "Bash", shell("npm ci")),
        ("this repo uses uv, not pipenv", "Bash", shell("pipenv install")),
        ("pipenv is banned", "Bash", shell("pipenv install")),
        ("never docker compose down -v", "Bash", shell("docker compose -f a.yml down -v")),
        ("luxon, not moment", "Write", write("b.js", "import moment from 'moment'")),
    ],
)  # fmt: skip
def test_calls_that_break_a_rule_are_met(rule, tool, given):
    """A precise rule meets the call that breaks it."""
    assert met(rule, tool, given)


@pytest.mark.parametrize(
    ("rule", "tool", "given"),
    [
        ("Never use panic in production Go code", "Edit", {"file_path": "notes.md", "new_string": "panic(err)"}),
        ("Never use panic in production Go code", "Edit", {"file_path": "a.go", "new_string": "// do not panic"}),
        ("Use jq, not grep", "Bash", shell("pgrep server; jq . a.json; ls grep.txt")),
        ("Run tests with pytest", "Bash", shell("uv run pytest -q")),
        ("Do not force push", "Bash", shell("git push --force-with-lease origin topic")),
        ("Do not force push", "Bash", shell("git push origin topic")),
        ("Never push to main", "Bash", shell("git push origin maintenance")),
        ("Never edit package-lock.json", "Write", write("package.json", "{}")),
        ("Never edit package-lock.json", "Read", {"file_path": "package-lock.json"}),
        ("Use httpx instead of requests in Python", "Write", write("a/b.py", "# handles requests of users\n")),
        ("Never use `any` in TypeScript files", "apply_patch",
         {"path": "a.ts", "patch": "*** Update File: a.ts\n-x: any\n+x: string\n"}),
        ("never write `any`", "Write", write("b.ts", "// any of these\nif (xs.some(any)) use('any')")),
        ("never write `any`", "Write", write("b.py", "if any(rows): pass")),
        ("never use `null`", "Write", write("b.ts", "// null\nconst n = x.null")),
        ("Never npm install", "Bash", shell("npm run build && npx jest")),
        ("Use bun here, never npm install or yarn", "Bash", shell("npm test; bun add left")),
        ("poetry, not pip", "Bash", shell("poetry add left")),
    ],
)  # fmt: skip
def test_calls_that_keep_a_rule_pass(rule, tool, given):
    """A precise rule lets everything else through."""
    assert compile_check(RecordId("m_1"), rule)
    assert met(rule, tool, given) == []


@pytest.mark.parametrize(
    "rule",
    [
        "Keep answers short", "Do not add comments", "Use PortalTabs for all pages", "Prefer tabs over spaces",
        "Do not change the tests", "Use double quotes, not single quotes in Python", "Never ignore failing tests",
        "Avoid comments in Go code and write clear names", "package-lock.json must be edited", "Tests are never run",
        "Never make changes to the schema", "no git submodules", "no yarn packages", "no python 2 syntax",
        "no bash scripts", "don't use any of the old ones", "we don't use any", "tabs, not spaces",
        "mondays, not requests", "pnpm or yarn, not both", "no npm install step in the image", "never black out names",
        "npm, not the site", "use npm or yarn", "avoid docker images of others",
    ],
)  # fmt: skip
def test_what_is_not_precise_stays_advice(rule):
    """A rule that no pattern can hold gives no check."""
    assert compile_check(RecordId("m_1"), rule) is None


def test_a_branch_that_is_known_decides():
    """A commit on the protected branch is met, on another it is not."""
    assert met("Do not commit to main", "Bash", shell("git commit -m x"), branch="main")
    assert not met("Do not commit to main", "Bash", shell("git commit -m x"), branch="topic")


def test_a_check_only_asks():
    """A check prompts and never denies, and names the rule it comes from."""
    one = compile_check(RecordId("m_1"), "Use jq, not grep")
    assert one is not None
    assert (one.effect, one.record_id) == (PROMPT, "m_1")
    assert "Use jq, not grep" in one.message


ACTION = 'Let me look.\n[tool_use Bash {"command": "cat data.json | grep name"}]'
OTHER = "Let me look.\n```bash\nls -la\n```"


def test_a_check_is_tried_on_its_evidence():
    """A check that meets none of the calls its evidence shows is not faithful; where none are shown it may stand."""
    one = compile_check(RecordId("m_1"), "Use jq, not grep")
    assert one is not None
    assert is_faithful(one, [exchange("x", before=ACTION)])
    assert not is_faithful(one, [exchange("use jq", before=OTHER)])
    assert is_faithful(one, [exchange("use jq", before="Done.")])


def test_impact_shows_past_turns():
    """A proposal's impact is where the assistant did it, and where the person said it."""
    turns = [
        exchange("from now on use jq, not grep", before="Done.", index=1),
        exchange("ok", before=ACTION, index=3),
        exchange("thanks", before="Done.", index=5),
    ]
    candidates = detect(turns)
    (proposal,) = ProposalEngine().generate_proposals(cluster(candidates)).proposals
    found = find_occurrences(proposal, turns, candidates)
    assert [(one.turn.index, one.why) for one in found] == [(1, SAID), (3, DONE)]


def test_calls_are_read_from_a_transcript():
    """Tool calls as importers keep them, and fenced shell blocks, are calls; what was cut is none."""
    text = 'Edit {"file_path": "a.py", "new_string": "x = 1"}\n' + OTHER + '\n[tool_use Bash {"command": "ec'
    assert [(one.does, one.command, one.paths) for one in calls_in(text)] == [
        ("edit", "", ("a.py",)),
        ("shell", "ls -la", ()),
    ]


def test_unknown_tools_are_read_by_their_arguments():
    """A tool of another host is a shell or an editor by what it is given."""
    assert read_call("mcp__host__go", {"command": "ls"}).does == "shell"
    assert read_call("save", {"path": "a", "content": "b"}).does == "edit"
    assert read_call("search", {"query": "b"}).does == "search"


def test_every_sentence_of_a_rule_is_checked() -> None:
    """The full stop behind a name is no part of it, and a second rule in one record has a check of its own."""
    assert met("Never push to main.", "Bash", shell("git push origin main"))
    assert met("Never push to main. Keep pull requests small.", "Bash", shell("git push origin main"))
    assert met("Never run terraform. Ever.", "Bash", shell("terraform apply"))
    assert not met("Never push to release/1.2.", "Bash", shell("git push origin release/1"))

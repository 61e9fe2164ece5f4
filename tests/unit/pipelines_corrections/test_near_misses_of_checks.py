"""Checks on calls that nearly break a rule: a false alarm is as bad as a miss."""

import pytest

from dopejar.pipelines.corrections.tool_checks.call_checks import check_call
from dopejar.pipelines.corrections.tool_checks.rule_checks import compile_check
from dopejar.values.ids import RecordId


def is_met(rule, tool, given, language="", branch=""):
    """Whether the rule's check meets the call; a rule without a check meets nothing."""
    one = compile_check(RecordId("m_1"), rule, language=language)
    return one is not None and bool(check_call(tool, given, [one], branch=branch))


SHELL = [
    # the rule, the branch checked out, calls that break it, calls that keep it
    ("Never push to main", "", ["git push origin main", "git push origin topic:main", "git -C repo push origin main",
     "git push origin refs/heads/main", 'bash -c "git push origin main"'],
     ["git push origin main-menu", "git push origin feature/main", "git push origin main:topic",
      "git push origin topic # not main", "echo 'git push origin main'", "git commit -m 'never git push origin main'",
      "git log main && git push origin topic", "git stash push -m main", "git push"]),
    ("Never push to main", "main", ["git push", "git push -u origin HEAD", "git push origin"],
     ["git push origin topic", "git switch topic && git push", "git status"]),
    ("Do not commit to main", "", ["git checkout main && git commit -m x", "git switch main; git commit -am x"],
     ["git commit -m 'merge main'", "git checkout -b fix main && git commit -m x", "git push origin topic",
      "git checkout main && git checkout -b fix && git commit -m x"]),
    ("Do not commit to main", "main", ["git commit -m x", "cd src && git commit --amend"],
     ["git commit-tree x", "git checkout -b fix && git commit -m x", "git log --grep commit"]),
    ("Do not commit without asking", "", ["git commit -m x"], ["git status", "grep -r 'git commit' docs"]),
    ("Never force push", "", ["git push --force", "git push -uf origin x", "git push origin +x"],
     ["git push --force-with-lease", "git push origin feat-f", "git push origin x && rm -f y"]),
    ("Use uv instead of pip", "", ["pip install x", "python3 -m pip install x", ".venv/bin/pip install x"],
     ["uv pip install x", "cat pip.conf", "pipx run x", "echo pip"]),
    ("Never use rm -rf", "", ["rm -rf x", "rm -fr x", "rm -r -f x"], ["rm -r x", "grep 'rm -rf' x", "rm x"]),
    ("Never run git reset --hard", "", ["git reset --hard HEAD", "git reset HEAD --hard"], ["git reset HEAD"]),
    ("Never use git add -A in this repo", "", ["git add -A", "git add -A ."], ["git add .", "git add src"]),
    ("Never amend commits", "", ["git commit --amend --no-edit"], ["git commit -m amend"]),
    ("Don't use --no-verify", "", ["git commit --no-verify -m x"], ["git commit -m 'drop --no-verify now'"]),
    ("Never use sudo", "", ["sudo ls"], ["grep sudo notes"]),
    ("Never run alembic with --sql on the live database", "", ["alembic -n live upgrade head --sql"],
     ["alembic -n test upgrade head --sql", "alembic -n live upgrade head", "alembic -n liver upgrade head --sql"]),
    ("Do not run terraform with -auto-approve.", "", ["terraform apply -auto-approve"],
     ["terraform apply", "terraform plan -out a"]),
    ("Never merge with --squash", "", ["git merge --squash topic"], ["git merge topic", "gh pr merge --squash 4"]),
    ("Never run pytest with coverage", "", [], ["pytest", "pytest --cov"]),
    ("Never install packages with pip, use uv.", "", ["pip install x", "python -m pip -q install x"],
     ["pip list", "uv pip install x", "uv add x", "cat pip-install"]),
    ("The package manager is pnpm, not npm", "", ["npm install x"], ["pnpm install x", "npx x"]),
    ("Ask before you push", "", ["git push origin topic"], ["git pull", "git status"]),
    ("Ask me before running terraform apply", "", ["terraform apply x.plan"], ["terraform plan", "terraform show"]),
    ("Ask before deploying", "", [], ["deploy", "make deploy", "kubectl apply -f x"]),
    ("Deploy with docker, not kubectl", "", [], ["kubectl get pods", "kubectl apply -f x"]),
    ("Don't commit .onnx files", "", ["git add m.onnx", "git add a.py models/m.onnx"],
     ["git add m.onnx.md", "git commit -m 'load .onnx'", "rm m.onnx", "git add onnx"]),
    ("Never check in keys.yaml", "", ["git add conf/keys.yaml"], ["git add conf/monkeys.yaml", "cat keys.yaml"]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "branch", "breaks", "keeps"), SHELL)
def test_commands_that_break_and_that_keep_a_rule(rule, branch, breaks, keeps):
    """What a call runs decides, on the branch it runs it on; what it only mentions does not."""
    met = [text for text in (*breaks, *keeps) if is_met(rule, "Bash", {"command": text}, branch=branch)]
    assert met == breaks


EDITS = [
    ("Never use `any` in TypeScript files", "a.ts", "let x: any = 1", "// any order will do"),
    ("Use const instead of let in JavaScript", "a.js", "let x = 1", "// let me explain\nconst x = 'let it be'"),
    ("Never use print in Python files", "a.py", "print(x)", '# print(x) was here\nlog("call print (x) now")'),
    ("Use dayjs instead of moment in TypeScript", "a.ts", "import moment from 'moment'", "/* wait a moment. */"),
    ("Validation with zod, not joi", "a.ts", "import Joi from 'joi'", "// joi was here\nimport { z } from 'zod'"),
    ("Dates are date-fns, never moment", "a.ts", "import moment from 'moment'", "import { add } from 'date-fns'"),
    ("Use httpx instead of requests in Python", "a.py", "import requests", "# requests.get is gone"),
    ("Never use `eslint-disable` in JavaScript files", "a.js", "// eslint-disable", "lint()"),
    ("Never use console.log in TypeScript", "a.ts", "console.log(1)", "console.error(1)"),
]


@pytest.mark.parametrize(("rule", "path", "breaks", "keeps"), EDITS)
def test_edits_that_break_and_that_keep_a_rule(rule, path, breaks, keeps):
    """An everyday word breaks a rule in code alone, not in remarks or prose; what is code by its looks, also there."""
    assert is_met(rule, "Edit", {"file_path": path, "new_string": breaks})
    assert not is_met(rule, "Edit", {"file_path": path, "new_string": keeps})


PROHIBITIONS = [
    ("never push to main", "git push origin main", "git push origin topic"),
    ("don't use yarn", "yarn add left-pad", "npm add left-pad"),
    ("never run npm", "npm ci", "pnpm install"),
    ("avoid `make deploy`", "make deploy", "make test"),
]
BEFORE = ["", "In this project, ", "For this repository: ", "In our Django codebase ", "Here, ", "Please ",
          "From now on, ", "Also, in this repo, please "]  # fmt: skip
AFTER = ["", " here", " in this project", ", please", " anymore", " in this repo without asking me first."]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize(("rule", "breaks", "keeps"), PROHIBITIONS)
def test_where_a_rule_holds_and_who_says_so_does_not_hide_what_it_forbids(before, after, rule, breaks, keeps):
    """Words for the project, a greeting or a reminder around a prohibition leave its check as it is."""
    assert is_met(before + rule + after, "Bash", {"command": breaks})
    assert not is_met(before + rule + after, "Bash", {"command": keeps})


@pytest.mark.parametrize("subject", ["You must not", "We never", "Agents should never", "You should not ever"])
def test_a_subject_and_a_modal_verb_forbid_as_an_imperative_does(subject):
    """Who must not do a thing does not change what may not be done."""
    assert is_met(f"In this project, {subject} run npm here", "Bash", {"command": "npm ci"})


@pytest.mark.parametrize(
    "rule", ["When deploying, never run npm", "In tests, never use npm", "In the other repository, never run npm",
             "Unless CI is green, don't use npm", "You may run npm here", "Here we always use npm"]
)  # fmt: skip
def test_a_condition_or_a_place_inside_the_project_is_never_dropped(rule):
    """A rule that holds only at times, or only in some files, gives no check that fires always."""
    assert not is_met(rule, "Bash", {"command": "npm ci"})


@pytest.mark.parametrize(
    "rule", ["Ask before you touch anything in infra/tf", "Always ask me before editing infra/tf/"]
)
def test_what_is_asked_about_first_is_met_where_it_is_named(rule):
    """A rule to ask before an edit meets edits below that path, and no others."""
    assert is_met(rule, "Edit", {"file_path": "infra/tf/main.tf", "new_string": "x = 1"})
    assert not is_met(rule, "Edit", {"file_path": "infra/tfx/main.tf", "new_string": "x = 1"})

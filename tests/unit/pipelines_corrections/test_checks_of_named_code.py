"""Checks on what a rule names in words: constructs, elements, identifiers, directives, packages and commands."""

import pytest

from dopejar.pipelines.corrections.tool_checks.call_checks import check_call
from dopejar.pipelines.corrections.tool_checks.rule_checks import compile_check
from dopejar.values.ids import RecordId


def is_held(rule, call):
    """Whether the rule's check meets a call: a command, a path with its text, or a path with old and new text."""
    one = compile_check(RecordId("m_1"), rule)
    if isinstance(call, str):
        tool, given = "Bash", {"command": call}
    elif len(call) == 2:
        tool, given = "Write", {"file_path": call[0], "content": call[1]}
    else:
        tool, given = "Edit", {"file_path": call[0], "old_string": call[1], "new_string": call[2]}
    return one is not None and bool(check_call(tool, given, [one]))


# the rule, two calls that break it, two that do not
TABLE = [
    ("Use niquests instead of urllib3", ("a.py", "import urllib3\n"), "poetry add urllib3",
     ("a.py", "import niquests\n# urllib3 is gone"), "uv add niquests"),
    ("Use httpx, not requests", ("a.py", "def f(u):\n    return requests.get(u)"),
     ("pyproject.toml", '  "requests>=2",'),
     ("a.py", "requests = []\nrequests.append(1)"), ("a.py", "from app.requests import read")),
    ("Use date-fns, not moment", ("a.ts", "import moment from 'moment'"), "npm install --save moment@2",
     ("a.ts", "// wait a moment\nimport { format } from 'date-fns'"), "npm uninstall moment"),
    ("Never use lodash", ("u.js", "import debounce from 'lodash/debounce'"), "yarn add lodash",
     ("README.md", "We removed lodash."), "grep -rn lodash src"),
    ("We use structlog here instead of loguru", ("log.py", "from loguru import logger"), "uv add loguru",
     ("log.py", "import structlog"), "rg loguru"),
    ("Never call datetime.now()", ("t.py", "x = datetime.now()"), ("t.py", "a", "return datetime.now()"),
     ("t.py", "# datetime.now() is naive\nx = now(tz)"),
     ("t.py", "x = datetime.now()\ny = 1", "x = datetime.now()\ny = 2")),
    ("No @ts-expect-error", ("a.ts", "// @ts-expect-error\nf()"), ("b.tsx", "{/* @ts-expect-error */}"),
     ("a.ts", "expect(error).toBe(1)"), "rg ts-expect-error"),
    ("Never use # noqa", ("a.py", "x = 1  # noqa"), ("a.py", "import os  # noqa: F401"),
     ("a.py", "x = 1  # no question asked"), "ruff check ."),
    ("no .forEach loops", ("a.js", "rows.forEach(f)"), ("a.js", "x", "rows.forEach(g)"),
     ("a.js", "for (const row of rows) f(row)"), ("a.js", "// rows.forEach(f) was here")),
    ("Never use plain button elements", ("a.tsx", "<button onClick={f}>x</button>"), ("b.tsx", "<button\n type='x'>"),
     ("a.tsx", "<Button onClick={f}>x</Button>"), ("a.tsx", "const button = useRef()")),
    ("No wildcard imports", ("a.py", "from os.path import *"), ("A.java", "import java.util.*;"),
     ("a.py", "x = a * b\nfrom os import path"), ("A.java", "import java.util.List;")),
    ("No bare excepts", ("a.py", "try:\n  f()\nexcept:\n  pass"), ("b.py", "except :\n  raise"),
     ("a.py", "except ValueError:\n  pass"), ("a.py", "# bare except: no\nf()")),
    ("The assistant must not run helm", "helm install x ./chart", "sudo helm upgrade x",
     "ls helm/", "kubectl get pods"),
    ("Never use the :edge tag", "docker pull redis:edge", ("compose.yml", "image: redis:edge"),
     "docker pull redis:7", ("README.md", "we never use redis:edge")),
    ("Use the logging module instead of print statements", ("a.py", "print(x)"), ("b.py", "  print('done')"),
     ("a.py", "logging.info(x)"), ("a.py", "blueprint(x)")),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "breaks", "breaks_too", "keeps", "keeps_too"), TABLE)
def test_what_a_rule_names_in_words_is_met_as_a_token(rule, breaks, breaks_too, keeps, keeps_too):
    """A call that writes or runs what is named is held; remarks, prose, searches and kept lines are not."""
    assert [is_held(rule, call) for call in (breaks, breaks_too, keeps, keeps_too)] == [True, True, False, False]


@pytest.mark.parametrize(
    "rule",
    ["Never rush", "No jokes", "Use clear names instead of abbreviations", "Prefer composition over inheritance",
     "No long explanations, just code", "Don't use requests without a timeout", "Never run kubectl against prod",
     "Never push on fridays", "No .only in tests", "Never use print. In scripts it is fine", "Never use GitHub wikis",
     "No third-party services", "When deploying - never run npm"],
)  # fmt: skip
def test_prose_and_what_holds_only_at_times_stays_advice(rule):
    """Words that are no code, and a rule with a condition, a place or an exception, give no check."""
    assert compile_check(RecordId("m_1"), rule) is None

"""The entry point of `dopejar-hook`.

Takes: a payload on stdin. Gives: an answer on stdout; an exit code of 0, or of 1 with one sentence on stderr. Never:
the exit code 2, by which an assistant would block what the user does.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

DEBUG_VARIABLE = "DOPEJAR_DEBUG"
FAILED = 1  # assistants show the sentence and go on
LONGEST = 64 * 1024 * 1024  # bytes of a payload
USAGE = """Usage: dopejar-hook [--assistant NAME] [--deny] [--home DIR] [--detach] [learn] < PAYLOAD

Reads the payload of a coding assistant's hook on stdin and answers on stdout. `learn` learns from sessions that have
ended instead; with `--detach` it returns at once. `--deny` refuses tool calls that break a rule, instead of asking.
`dopejar connect` writes the hooks.
"""


def main() -> NoReturn:
    """Answer the hook of this process and exit."""
    gc.disable()  # the process ends before a collection could pay off
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Answer one payload and return the exit code."""
    try:
        answer = _answer(list(arguments))
        if answer:
            sys.stdout.write(f"{answer}\n")
            sys.stdout.flush()
    except Exception as error:  # outermost handler: an error is one sentence, and the user's work goes on
        if os.environ.get(DEBUG_VARIABLE):
            raise
        sys.stderr.write(f"DoPeJar: {_sentence(error)}\n")
        return FAILED
    return 0


def _answer(arguments: list[str]) -> str:
    if arguments[:1] in (["--help"], ["-h"]):
        return USAGE.rstrip()
    from dopejar.errors import UsageError

    options: dict[str, str] = {}
    given = list(arguments)
    while arguments:
        name = arguments.pop(0)
        if name in {"--home", "--assistant"} and arguments:
            options[name] = arguments.pop(0)
        elif name in {"learn", "--deny", "--detach"}:
            options[name] = name
        else:
            raise UsageError(f"{name!r} is no argument of dopejar-hook. `dopejar-hook --help` lists them.")
    if "--detach" in options:
        return _detach([word for word in given if word != "--detach"])
    from dopejar.engine import lazy_modules

    lazy_modules.load_engine_lazily()
    from dopejar.doors.hook.events import answer

    return answer(
        sys.stdin.buffer.read(LONGEST + 1),
        home=options.get("--home"),
        assistant=options.get("--assistant", "claude"),
        only_learn="learn" in options,
        denies="--deny" in options,
    )


def _detach(arguments: list[str]) -> str:
    """Answer in a process of its own, for assistants that wait for every hook."""
    import subprocess

    command = [sys.executable, "-m", "dopejar.doors.hook", *arguments]
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(  # noqa: S603 - this interpreter
        command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, start_new_session=True
    )
    if process.stdin is not None:
        with process.stdin:
            process.stdin.write(sys.stdin.buffer.read(LONGEST + 1))
    return ""


def _sentence(error: Exception) -> str:
    from dopejar.errors import DopejarError

    if isinstance(error, DopejarError):
        return str(error) or (type(error).__doc__ or "").strip()
    detail = " ".join(str(error).split()) or "no message"
    return f"Unexpected error: {type(error).__name__}: {detail}. Set {DEBUG_VARIABLE}=1 to see the traceback."

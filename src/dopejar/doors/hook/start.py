"""The entry point of `dopejar-hook`.

Takes: a payload on stdin. Gives: an answer on stdout; an exit code of 0, or of 1 with one sentence on stderr. Never:
the exit code 2, by which an assistant would block what the user does.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False  # as in the package: what is imported here, every hook waits for
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

DEBUG_VARIABLE = "DOPEJAR_DEBUG"
FAILED = 1  # assistants show the sentence and go on
LONGEST = 64 * 1024 * 1024  # bytes of a payload
_STARTS = b"essionStart"  # as every assistant names the event
USAGE = """Usage: dopejar-hook [--assistant NAME] [--deny] [--home DIR] [--resident] [--detach] [learn] < PAYLOAD

Reads the payload of a coding assistant's hook on stdin and answers on stdout. `learn` learns from sessions that have
ended instead; with `--detach` it returns at once. `--deny` refuses tool calls that break a rule, instead of asking.
`--resident` starts a resident process with a session, where none is there. `dopejar connect` writes the hooks.
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
        sys.stderr.write(f"DoPeJar: {sentence(error)}\n")
        return FAILED
    return 0


def _answer(arguments: list[str]) -> str:
    if arguments[:1] in (["--help"], ["-h"]):
        return USAGE.rstrip()
    options = read_options(arguments)
    if "--detach" in options:
        rest = [word for word in arguments if word != "--detach"]
        _detach(["dopejar.doors.hook", *rest], sys.stdin.buffer.read(LONGEST + 1))
        return ""
    data = sys.stdin.buffer.read(LONGEST + 1)
    if "learn" not in options:
        from dopejar.doors.hook import resident_client

        told = resident_client.ask(options.get("--home", ""), arguments, data)
        if told is not None:
            return told
        if "--resident" in options and _STARTS in data:
            home = ["--home", options["--home"]] if "--home" in options else []
            _detach(["dopejar.doors.cli", "serve", "--resident", *home])  # for the next events
    from dopejar.engine import lazy_modules

    lazy_modules.load_engine_lazily()
    from dopejar.doors.hook.events import Hook, answer

    return answer(Hook.read(data, options), only_learn="learn" in options)


def read_options(arguments: Sequence[str]) -> dict[str, str]:
    """The options of the program by name. Raises UsageError."""
    options: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        name = rest.pop(0)
        if name in {"--home", "--assistant"} and rest:
            options[name] = rest.pop(0)
        elif name in {"learn", "--deny", "--detach", "--resident"}:
            options[name] = name
        else:
            from dopejar.errors import UsageError

            raise UsageError(f"{name!r} is no argument of dopejar-hook. `dopejar-hook --help` lists them.")
    return options


def _detach(module: list[str], data: bytes = b"") -> None:
    """Run a module, with its arguments, in a process of its own that outlives this one."""
    import subprocess

    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(  # noqa: S603 - this interpreter
        [sys.executable, "-m", *module], stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, start_new_session=True
    )
    if process.stdin is not None:
        with process.stdin:
            process.stdin.write(data)


def sentence(error: Exception) -> str:
    """What went wrong, in one sentence."""
    from dopejar.doors.hook.resident_client import ResidentError
    from dopejar.errors import DopejarError

    if isinstance(error, DopejarError | ResidentError):
        return str(error) or (type(error).__doc__ or "").strip()
    detail = " ".join(str(error).split()) or "no message"
    return f"Unexpected error: {type(error).__name__}: {detail}. Set {DEBUG_VARIABLE}=1 to see the traceback."

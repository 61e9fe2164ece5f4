"""The console's entry point.

Takes: the command line. Gives: an exit code, and one clear sentence for whatever goes wrong. Never: loads the command
tree for `--version`, or a module whose commands were not asked for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

DEBUG_VARIABLE = "DOPEJAR_DEBUG"
STOPPED = 130  # as shells count it: 128 + SIGINT
PIPE_CLOSED = 141  # 128 + SIGPIPE
_SHARED_FLAGS = ("--json", "--quiet", "-q")
_SHARED_VALUES = ("--home", "--project")


def main() -> NoReturn:
    """Run the command line of this process and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(words: Sequence[str]) -> int:
    """Run one command line; its exit code: 0 done, 1 error, 2 usage, 3 refused, 4 all waits for review, 5 not found."""
    if list(words) in (["--version"], ["-V"]):
        from dopejar import __version__

        sys.stdout.write(f"dopejar {__version__}\n")
        return 0
    try:
        _soften(sys.stdout)
        _soften(sys.stderr)
        code = _dispatch(shared_last(words))
        sys.stdout.flush()
    except BrokenPipeError:
        return _silenced()
    except KeyboardInterrupt:
        return _fail(
            "stopped",
            "Stopped. What was acknowledged is kept; the same command goes on where this one stopped.",
            STOPPED,
            words,
        )
    except Exception as fault:  # the outermost place: every fault becomes a sentence, and DOPEJAR_DEBUG shows its trace
        from dopejar.doors.cli.command_context import OutputClosedError

        if isinstance(fault, OutputClosedError):
            return _silenced()
        if os.environ.get(DEBUG_VARIABLE):
            raise
        return _explain(fault, words)
    return code


def shared_last(words: Sequence[str]) -> list[str]:
    """The words, with shared options that stand before the command moved behind it (`dopejar --json status`)."""
    rest, moved = list(words), []
    while rest and rest[0].partition("=")[0] in (*_SHARED_FLAGS, *_SHARED_VALUES):
        takes = 2 if rest[0] in _SHARED_VALUES else 1
        moved += rest[:takes]
        rest = rest[takes:]
    if not moved or not rest:
        return [*rest, *moved]
    end = rest.index("--") if "--" in rest else len(rest)
    return [*rest[:end], *moved, *rest[end:]]


def _dispatch(words: list[str]) -> int:
    if "bench" not in words:
        from dopejar.doors.cli.putting_off import put_off

        put_off()
    if words[:1] == ["recall"]:
        from dopejar.doors.cli import quick

        found = quick.run(words[1:])
        if found is not None:
            return found
    first = next((word for word in words if not word.startswith("-")), "")
    from dopejar.doors.cli.app import build

    code = build(first)(args=words or ["--help"], prog_name="dopejar", standalone_mode=False)
    if code == STOPPED:
        raise KeyboardInterrupt  # the command tree turned it into a number
    return code if isinstance(code, int) else 0


def _explain(fault: Exception, words: Sequence[str]) -> int:
    from dopejar.errors import DopejarError

    if isinstance(fault, DopejarError):
        return _fail(type(fault).__name__, str(fault) or type(fault).__doc__ or "", fault.exit_code, words)
    from typer import Abort, TyperException

    if isinstance(fault, TyperException):
        typer_context = getattr(fault, "ctx", None)
        where = typer_context.command_path if typer_context else "dopejar"
        said = fault.format_message().replace("Value error, ", "").rstrip()
        ended = said if said.endswith((".", "!", "?")) else f"{said}."
        return _fail("UsageError", f"{ended} See `{where} --help`.", 2, words)
    if isinstance(fault, Abort | EOFError):
        return _fail("stopped", "Stopped before anything was changed.", 1, words)
    name, said = type(fault).__name__, " ".join(str(fault).split())
    message = f"Something unexpected went wrong: {name}: {said or 'no message'}."
    return _fail(name, f"{message} Set {DEBUG_VARIABLE}=1 and try again to see where.", 1, words)


def _fail(kind: str, message: str, code: int, words: Sequence[str]) -> int:
    if "--json" in words[: list(words).index("--")] if "--" in words else "--json" in words:
        import json

        sys.stdout.write(json.dumps({"ok": False, "error": {"kind": kind, "message": message}}) + "\n")
    else:
        sys.stderr.write(f"{message}\n")
    return code


def _silenced() -> int:
    """Whoever read the output has enough; what Python would still flush at its end goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED


def _soften(stream: object) -> None:
    """Let a terminal that cannot show a letter show its number instead of ending the program."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")

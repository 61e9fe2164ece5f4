"""The entry point of the command line.

Takes: the command line. Gives: an exit code, and one sentence for every error. Never: imports the command tree for
`--version`, or a module whose commands were not asked for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from typer._click.core import Context  # what typer's own errors are typed with

DEBUG_VARIABLE = "DOPEJAR_DEBUG"
INTERRUPTED = 130  # 128 + SIGINT, the convention of shells
PIPE_CLOSED = 141  # 128 + SIGPIPE
_LOADED_WHOLE = frozenset({"bench", "serve"})  # measured, or with several threads
_SHARED_FLAGS = ("--json", "--quiet", "-q")
_SHARED_VALUES = ("--home", "--project")


def main() -> NoReturn:
    """Run the command line of this process and exit with its code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code.

    0 done, 1 error, 2 usage error, 3 refused, 4 everything waits for review, 5 not found.
    """
    if list(arguments) in (["--version"], ["-V"]):
        from dopejar import __version__

        sys.stdout.write(f"dopejar {__version__}\n")
        return 0
    arguments = ["--help" if argument == "-h" else argument for argument in arguments]
    try:
        _escape_unencodable(sys.stdout)
        _escape_unencodable(sys.stderr)
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        return _discard_stdout()
    except KeyboardInterrupt:
        return _fail(
            "stopped",
            "Interrupted. What was already acknowledged is kept; run the same command again to continue.",
            INTERRUPTED,
            arguments,
        )
    except Exception as error:  # outermost handler: every error becomes a sentence; DOPEJAR_DEBUG shows the traceback
        from dopejar.doors.cli.command_context import OutputClosedError

        if isinstance(error, OutputClosedError):
            return _discard_stdout()
        if os.environ.get(DEBUG_VARIABLE):
            raise
        return _report_error(error, arguments)
    return code


def _run(arguments: list[str]) -> int:
    from dopejar.doors.cli import overview

    if overview.COMPLETION_VARIABLE in os.environ:
        from dopejar.doors.cli import completion_commands

        return completion_commands.complete()
    if arguments[:1] == ["help"]:
        arguments = [*(one for one in arguments[1:] if one != "--help"), "--help"]
    if arguments in ([], ["--help"], ["--all", "--help"], ["--help", "--all"]):
        sys.stdout.write(f"{overview.render(further='--all' in arguments)}\n")
        return 0
    return _dispatch(move_shared_options(arguments))


def move_shared_options(arguments: Sequence[str]) -> list[str]:
    """Move shared options that stand before the command behind it: `dopejar --json status`, `review --json list`."""
    rest, moved = list(arguments), []
    while rest and rest[0].partition("=")[0] in (*_SHARED_FLAGS, *_SHARED_VALUES):
        width = 2 if rest[0] in _SHARED_VALUES else 1
        moved += rest[:width]
        rest = rest[width:]
    if not moved or not rest:
        return [*rest, *moved]
    end = rest.index("--") if "--" in rest else len(rest)
    if "--help" in rest[:end]:
        return rest  # a group takes none of them, and help needs none
    return [*rest[:end], *moved, *rest[end:]]


def _dispatch(arguments: list[str]) -> int:
    if not _LOADED_WHOLE.intersection(arguments[:1]):
        from dopejar.engine import lazy_modules

        lazy_modules.load_engine_lazily()
    if arguments[:1] == ["recall"]:
        from dopejar.doors.cli import recall_command

        exit_code = recall_command.run(arguments[1:])
        if exit_code is not None:
            return exit_code
    command = next((argument for argument in arguments if not argument.startswith("-")), "")
    from dopejar.doors.cli.app import build_command, is_group

    if arguments[0] == command and is_group(command):
        arguments = [command, *move_shared_options(arguments[1:])]
    code = build_command(command)(args=arguments, prog_name="dopejar", standalone_mode=False)
    if code == INTERRUPTED:
        raise KeyboardInterrupt  # typer turns Control-C into this exit code
    return code if isinstance(code, int) else 0


def _report_error(error: Exception, arguments: Sequence[str]) -> int:
    from dopejar.errors import DopejarError

    if isinstance(error, DopejarError):
        return _fail(type(error).__name__, str(error) or type(error).__doc__ or "", error.exit_code, arguments)
    from typer import Abort, TyperException

    if isinstance(error, TyperException):
        typer_context = getattr(error, "ctx", None)
        command = typer_context.command_path if typer_context else "dopejar"
        message = error.format_message().replace("Value error, ", "").rstrip()
        sentence = message if message.endswith((".", "!", "?")) else f"{message}."
        if "unexpected extra argument" in message and (options := _options_with_values(typer_context)):
            sentence = f"{sentence} Its other values are given with an option: {', '.join(options)}."
        return _fail("UsageError", f"{sentence} See `{command} --help`.", 2, arguments)
    if isinstance(error, Abort | EOFError):
        return _fail("stopped", "Cancelled. Nothing was changed.", 1, arguments)
    if isinstance(error, PermissionError):
        message = (
            f"{error.filename or 'A file'} cannot be used: permission denied. Change its permissions and try again."
        )
        return _fail("PermissionError", message, 1, arguments)
    name, detail = type(error).__name__, " ".join(str(error).split())
    message = f"Unexpected error: {name}: {detail or 'no message'}."
    return _fail(
        name, f"{message} Set {DEBUG_VARIABLE}=1 and run the command again to see the traceback.", 1, arguments
    )


def _options_with_values(context: Context | None) -> list[str]:
    """The options of a command, besides those that all have, that take a value."""
    given = [one.opts[0] for one in context.command.params if not getattr(one, "is_flag", True)] if context else []
    return [option for option in given if option.startswith("--") and option not in _SHARED_VALUES]


def _fail(kind: str, message: str, code: int, arguments: Sequence[str]) -> int:
    options = arguments[: list(arguments).index("--")] if "--" in arguments else arguments
    if "--json" in options:
        import json

        sys.stdout.write(json.dumps({"ok": False, "error": {"kind": kind, "message": message}}) + "\n")
    else:
        sys.stderr.write(f"{message}\n")
    return code


def _discard_stdout() -> int:
    """Redirect stdout to the null device, so that Python's flush at exit does not fail on the closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED


def _escape_unencodable(stream: object) -> None:
    """Print characters that the terminal's encoding lacks as escapes, instead of raising UnicodeEncodeError."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")

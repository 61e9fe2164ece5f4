"""Cold start: the CPU time of fresh processes.

Takes: nothing. Gives: CPU time of fresh processes: a bare interpreter, `--version`, and a lexical recall on a small
store. Never: times itself; every figure is a child process's, as the operating system counted it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from dopejar.compose import open_memory

BARS_MS = {"version": 150.0, "recall": 300.0}
_ENTRY = "import sys; from dopejar.doors.cli.start import run; sys.exit(run(sys.argv[1:]))"
_SMALL_STORE = (
    "I prefer short answers.",
    "Postgres listens on port 5433.",
    "Deploys go out on Thursdays.",
    "My name is Rin.",
    "The staging server runs Debian 12.",
)


def run(rounds: int = 10) -> dict[str, object]:
    """Medians over `rounds` fresh processes, in milliseconds of CPU time, user and system together.

    Bytecode is written first, as in an installation; `without_bytecode` is the cost of an interpreter that may not
    write any.
    """
    with tempfile.TemporaryDirectory(prefix="dopejar-startup-") as scratch:
        home = Path(scratch) / "home"
        with open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as memory:
            for text in _SMALL_STORE:
                memory.remember(text)
        warm = _environment(home, Path(scratch) / "bytecode")
        commands = {
            "interpreter": ("-c", "pass"),
            "version": ("-c", _ENTRY, "--version"),
            "recall": ("-c", _ENTRY, "recall", "which port does Postgres listen on?"),
        }
        figures: dict[str, object] = {"rounds": rounds}
        for name, command in commands.items():
            _cpu_ms(command, warm, home)  # the first process writes the bytecode
            figures[f"{name}_ms"] = round(median(_cpu_ms(command, warm, home) for _ in range(rounds)), 1)
        cold = {**warm, "PYTHONPYCACHEPREFIX": str(Path(scratch) / "none"), "PYTHONDONTWRITEBYTECODE": "1"}
        bare = float(str(figures["interpreter_ms"]))  # the load of the machine affects it, so ratios are reported too
        few = min(rounds, 3)
        figures["recall_without_bytecode_ms"] = round(
            median(_cpu_ms(commands["recall"], cold, home) for _ in range(few)), 1
        )
    for name, bar in BARS_MS.items():
        figures[f"{name}_in_interpreters"] = round(float(str(figures[f"{name}_ms"])) / bare, 1)
        figures[f"{name}_bar_ms"] = bar
    return figures


def _environment(home: Path, bytecode: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DOPEJAR_"))}
    lexical = {"DOPEJAR_HOME": str(home), "DOPEJAR_RECALL_MODE": "lexical"}
    return {**kept, **lexical, "PYTHONPYCACHEPREFIX": str(bytecode), "PYTHONPATH": os.pathsep.join(sys.path[1:])}


def _cpu_ms(command: tuple[str, ...], environment: dict[str, str], place: Path) -> float:
    """CPU time of one child in milliseconds. Raises CalledProcessError where it fails."""
    process = subprocess.Popen(  # noqa: S603 - our own interpreter with arguments of our own, without a shell
        (sys.executable, *command),
        env=environment,
        cwd=place,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return (used.ru_utime + used.ru_stime) * 1000

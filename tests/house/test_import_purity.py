"""Importing does nothing: no file, no socket, no environment, no logger, no heavy library."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from house_rules import PACKAGE, dotted, modules

OF_EXTRAS = {  # what these build upon is in an extra
    "dopejar.doors.frameworks.adk_memory_service": "google.adk",
    "dopejar.doors.frameworks.langgraph_store": "langgraph",
    "dopejar.doors.frameworks.pydantic_ai_capability": "pydantic_ai",
}


def is_installed(name: str) -> bool:
    """Whether a package, and the one it lies in, can be imported."""
    parent = name.rpartition(".")[0]
    return (not parent or is_installed(parent)) and find_spec(name) is not None


NAMES = [
    name
    for name in (dotted(path) for path in modules() if path.stem != "__main__")
    if name not in OF_EXTRAS or is_installed(OF_EXTRAS[name])
]
ROOMS = sorted({".".join(name.split(".")[:2]) for name in NAMES} - {"dopejar"})
LIGHT = (
    "pydantic", "apsw", "numpy", "yaml", "typer", "rich", "httpx2", "sqlite3", "snowballstemmer", "asyncio", "stdnum",
)  # fmt: skip

# Runs in a fresh interpreter: watches what importing the modules named on the command line does.
WATCH = """
import importlib, json, logging, os, sys, threading

sys.dont_write_bytecode = True
PACKAGE, NAMES = sys.argv[1], sys.argv[2:]
seen = []
EFFECTS = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.mkdir", "os.remove", "os.rename", "os.rmdir",
    "os.putenv", "os.unsetenv", "os.chdir", "os.chmod", "os.truncate", "shutil.", "tempfile.", "sqlite3.", "signal.",
    "_thread.start_new_thread", "webbrowser.", "urllib.",
)

def audit(event, args):
    if event == "open":
        path, mode, flags = args
        changing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
        writes = (mode and set(mode) & set("wax+")) or (isinstance(flags, int) and flags & changing)
        ours = isinstance(path, str) and path.startswith(PACKAGE) and not path.endswith((".py", ".pyc"))
        if writes or ours:
            seen.append(f"opens {path} {mode}")
    elif event.startswith(EFFECTS):
        seen.append(f"{event} {args!r}"[:200])

real = type(os.environ).__getitem__

def watched(self, key):
    frame = sys._getframe(1)
    while frame and os.path.basename(frame.f_code.co_filename) in ("os.py", "_collections_abc.py") or (
        frame and frame.f_code.co_filename.startswith("<frozen ")
    ):
        frame = frame.f_back
    if frame and frame.f_code.co_filename.startswith(PACKAGE):
        seen.append(f"{frame.f_code.co_filename}:{frame.f_lineno} reads {key!r} from the environment")
    return real(self, key)

type(os.environ).__getitem__ = watched
start = threading.Thread.start

def watched_start(self):  # a thread may be over before anybody counts
    seen.append(f"starts the thread {self.name}")
    start(self)

threading.Thread.start = watched_start
before = (logging.root.level, list(logging.root.handlers), logging.Logger.manager.disable, set(threading.enumerate()))
modules_before = set(sys.modules)
sys.addaudithook(audit)
for name in NAMES:
    importlib.import_module(name)
after = (logging.root.level, list(logging.root.handlers), logging.Logger.manager.disable, set(threading.enumerate()))
if before != after:
    seen.append("changes the root logger or starts a thread")
print(json.dumps({"seen": seen, "loaded": sorted(set(sys.modules) - modules_before)}))
"""


def watch(*names: str, package: Path = PACKAGE) -> dict[str, list[str]]:
    """What happens when the modules are imported in a fresh interpreter."""
    program = f"import sys; sys.path.insert(0, {str(package.parent)!r})\n{WATCH}"
    run = subprocess.run(
        [sys.executable, "-c", program, str(package), *names],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout)


def test_importing_every_module_has_no_effect() -> None:
    """Importing the whole package writes nothing, connects to nothing, reads no setting and leaves the logger alone."""
    assert watch(*NAMES)["seen"] == []


def test_importing_the_library_is_light() -> None:
    """`import dopejar` loads none of the heavy libraries, nor any room."""
    loaded = {name.split(".")[0] for name in watch("dopejar")["loaded"]}
    assert loaded & set(LIGHT) == set()


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_can_be_imported_alone(room: str) -> None:
    """No room needs another one to be imported first; importing a room and all in it, in order, succeeds."""
    inside = [name for name in NAMES if name == room or name.startswith(f"{room}.")]
    assert set(inside) <= set(watch(*inside)["loaded"])


@pytest.mark.parametrize(
    "planted",
    [
        "open(__file__ + '.out', 'w')",
        "import pathlib; pathlib.Path(__file__).with_suffix('.d').mkdir()",
        "import socket; socket.socket()",
        "import os; os.environ.get('HOME')",
        "import os; os.getenv('HOME')",
        "import os; 'HOME' in os.environ and os.environ['HOME']",
        "import os; os.environ['PLANTED'] = 'x'",
        "import logging; logging.basicConfig(level=10)",
        "import subprocess, sys; subprocess.run([sys.executable, '-c', ''])",
        "import threading; threading.Thread(target=print).start()",
        "open(__file__.replace('planted.py', 'data.txt')).close()",
    ],
)
def test_planted_effect_is_seen(tmp_path: Path, planted: str) -> None:
    """The watcher notices an effect that a module has when it is imported."""
    package = tmp_path / "dopejar"
    package.mkdir()
    (package / "__init__.py").write_text('"""Empty."""\n', "utf-8")
    (package / "data.txt").write_text("words\n", "utf-8")
    (package / "planted.py").write_text(f'"""Planted."""\n{planted}\n', "utf-8")
    assert watch("dopejar.planted", package=package)["seen"]

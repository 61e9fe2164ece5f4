"""Shared parts of the attack scripts.

Every script is called `python SCRIPT --dopejar COMMAND --work DIR [options]`. Where `dopejar` is not importable, the
script starts itself again under the Python that lies beside COMMAND. Nothing here knows a path of any machine.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import shutil
import subprocess
import sys
import time
from pathlib import Path

PASS = "correct horse battery staple"
MODELS: list[Path] = []  # the folder of models that every store uses, where there is one


def arguments(description: str, *extra) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--dopejar", required=True, help="the dopejar command to attack")
    parser.add_argument("--work", required=True, help="a directory for stores; made where it is not there")
    parser.add_argument("--out", default="", help="where the findings go as JSON; standard output where omitted")
    parser.add_argument(
        "--models", default="", help="a folder of installed models for every store; words alone where omitted"
    )
    for names, options in extra:
        parser.add_argument(*names, **options)
    found = parser.parse_args()
    found.dopejar = str(Path(found.dopejar).absolute())
    try:
        import dopejar  # noqa: F401
    except ImportError:
        beside = Path(found.dopejar).parent / "python"
        if os.environ.get("ADV_AGAIN") or not beside.exists():
            raise
        os.environ["ADV_AGAIN"] = "1"
        os.execv(str(beside), [str(beside), *sys.argv])
    found.work = Path(found.work).absolute()
    found.work.mkdir(parents=True, exist_ok=True)
    MODELS.extend([Path(found.models).absolute()] if found.models else [])
    return found


def fresh(work: Path, name: str) -> Path:
    home = work / name
    if home.exists():
        shutil.rmtree(home)
    home.mkdir(parents=True)
    home.chmod(0o700)
    for models in MODELS:
        (home / "models").symlink_to(models)
    return home


def env_of(home: Path, **more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DOPEJAR_")}
    return {**kept, "DOPEJAR_HOME": str(home), "DOPEJAR_EMBEDDER_KIND": "minilm" if MODELS else "none", **more}


class Cli:
    """The command line of one store."""

    def __init__(self, command: str, home: Path, **more: str) -> None:
        self.command, self.home, self.more = command, home, more

    def __call__(self, *words: str, stdin: str | None = None, timeout: float = 600, cwd=None, **more: str):
        done = subprocess.run(
            [self.command, *words],
            env=env_of(self.home, **{**self.more, **more}),
            capture_output=True,
            text=True,
            input=stdin if stdin is not None else "",
            timeout=timeout,
            check=False,
            cwd=cwd or self.home,
            errors="replace",
        )
        if "No such command" in done.stderr:  # a check of it would pass whatever the program does
            raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
        return done

    def json(self, *words: str, **more):
        done = self(*words, "--json", **more)
        try:
            return (
                json.loads(done.stdout.strip().splitlines()[-1])
                if done.stdout.strip()
                else {"ok": False, "stderr": done.stderr}
            )
        except ValueError:
            return {"ok": False, "stdout": done.stdout, "stderr": done.stderr}

    def reviewer(self, name: str = "ana") -> None:
        out = at_terminal(
            [self.command, "reviewer", "add", name], env_of(self.home, **self.more), PASS + "\n" + PASS + "\n"
        )
        assert name in self("reviewer", "list").stdout, out


def versions(item) -> dict[str, int]:
    """What a reviewer who decides about an item of the queue has seen."""
    return {item.proposal.id: item.proposal.version}


def at_terminal(command: list[str], environment: dict[str, str], typed: str = "") -> str:
    """Runs a command at a pseudo-terminal and answers each question about a passphrase with the next typed line."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(environment["DOPEJAR_HOME"])  # not the caller's directory, which may be a project
        os.execve(command[0], command, {**environment, "TERM": "dumb"})
    answers = typed.splitlines(keepends=True)
    out = b""
    while True:
        try:
            part = os.read(fd, 4096)
        except OSError:
            break
        if not part:
            break
        out += part
        if answers and b"assphrase" in part:
            time.sleep(0.3)
            os.write(fd, answers.pop(0).encode())
        elif b"[y/N]" in part:
            os.write(fd, b"n\n")
    os.waitpid(pid, 0)
    os.close(fd)
    return out.decode(errors="replace")


class Tally:
    """What was tried and what failed, by name."""

    def __init__(self) -> None:
        self.tried: dict[str, int] = {}
        self.failed: dict[str, list[str]] = {}
        self.notes: dict[str, object] = {}
        self.began = time.time()

    def check(self, name: str, is_right: bool, detail: object = "") -> bool:
        self.tried[name] = self.tried.get(name, 0) + 1
        if not is_right:
            self.failed.setdefault(name, []).append(str(detail)[:600])
            print(f"FAILED {name}: {str(detail)[:300]}", file=sys.stderr, flush=True)
        return is_right

    def note(self, name: str, value: object) -> None:
        self.notes[name] = value
        print(f"note {name}: {str(value)[:300]}", file=sys.stderr, flush=True)

    def finish(self, out: str) -> int:
        rows = {
            "checks": {k: {"tried": n, "failed": len(self.failed.get(k, []))} for k, n in self.tried.items()},
            "failures": {k: v[:20] for k, v in self.failed.items()},
            "notes": self.notes,
            "seconds": round(time.time() - self.began, 1),
        }
        text = json.dumps(rows, indent=1, ensure_ascii=True, default=str)
        if out:
            Path(out).write_text(text + "\n", encoding="utf-8")
        print(text)
        return 1 if self.failed else 0


def neutral(
    path: Path, turns, *, store: str = "s", session: str = "one", start: str = "2026-03-01T10:00:00+00:00"
) -> Path:
    """A transcript in the neutral format; turns are (role, text) or (role, text, speaker)."""
    from datetime import datetime, timedelta

    at = datetime.fromisoformat(start)
    with path.open("w", encoding="utf-8", errors="surrogatepass") as file:
        for index, turn in enumerate(turns):
            role, text = turn[0], turn[1]
            row = {
                "store": store,
                "session": session,
                "session_time": (at + timedelta(minutes=index)).isoformat(),
                "turn_id": f"{session}-{index}",
                "index": index,
                "speaker": turn[2] if len(turn) > 2 else role,
                "role": role,
                "text": text,
            }
            file.write(json.dumps(row, ensure_ascii=True) + "\n")
    return path


if (
    __name__ == "__main__"
):  # `python common.py COMMAND DIRECTORY`: make the first reviewer of a store, as repros.sh does
    Cli(sys.argv[1], Path(sys.argv[2])).reviewer()

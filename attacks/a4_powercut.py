"""A4: loss of power. Every write, truncation, deletion and sync of the data file and its log is recorded, in one process
that remembers, learns, approves, erases, backs up and checkpoints often. Then images are made as a disk could hold them at a random moment: all that was
synced, and of the rest any part of it, torn at 512 bytes, in any order. Each must open, be sound, and hold what was acknowledged before that moment.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

from common import Tally, arguments, env_of, fresh

SECTOR = 512


class Recorder:
    """The operating system's files, with a list of what was done to those under one directory."""

    def __init__(self, directory: Path) -> None:
        import apsw

        events = self.events = []
        root = str(directory)

        class File(apsw.VFSFile):
            def __init__(self, base, name, flags):
                super().__init__(base, name, flags)
                self.path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)

            def xWrite(self, data, offset):
                if self.path and self.path.startswith(root):
                    events.append(("w", os.path.basename(self.path), offset, bytes(data)))
                return super().xWrite(data, offset)

            def xTruncate(self, size):
                if self.path and self.path.startswith(root):
                    events.append(("t", os.path.basename(self.path), size, b""))
                return super().xTruncate(size)

            def xSync(self, flags):
                done = super().xSync(flags)
                if self.path and self.path.startswith(root):
                    events.append(("s", os.path.basename(self.path), 0, b""))
                return done

        class Vfs(apsw.VFS):
            def __init__(self):
                super().__init__("recording", "unix", makedefault=True)

            def xOpen(self, name, flags):
                return File("unix", name, flags)

            def xDelete(self, filename, syncdir):
                if str(filename).startswith(root):
                    events.append(("d", os.path.basename(str(filename)), 0, b""))
                return super().xDelete(filename, syncdir)

        self.vfs = Vfs()


WORK = r"""
import os, pickle, random, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from a4_powercut import Recorder
from common import neutral, versions
home, out, seed = Path(sys.argv[1]), sys.argv[2], int(sys.argv[4])
recorder = Recorder(home)
import dopejar.adapters.sqlite.store as store
store.CHECKPOINT_PAGES = int(sys.argv[5])
from dopejar import open_memory
rng = random.Random(seed)
memory = open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"})
memory.reviewers.add("ana", "correct horse battery staple")
by = memory.reviewers.unlock("correct horse battery staple")
acks, erased = recorder.events, []
for n in range(90):
    kind = rng.randrange(12)
    if kind == 0:
        turns = [("user", f"The pier{n}w{i} in Aveiro holds {i} boats.") for i in range(5)]
        list(memory.learn([neutral(home.parent / "pc.jsonl", turns, session=f"pc{n}")]))
        acks.append(("a", [f"pier{n}w{i}" for i in range(5)], 0, b""))
    elif kind == 1 and memory.review.queue():
        item = memory.review.queue()[0]
        memory.review.approve([item.proposal.id], by, seen=versions(item))
        acks.append(("p", item.proposal.id, 0, b""))
    elif kind == 2 and n > 20:
        victim = memory.list(limit=1)[0]
        gone = [w for w in victim.text.split() if any(c.isdigit() for c in w)]
        acks.append(("e", gone, 0, b""))
        memory.erase(by, records=[victim.id])
        acks.append(("x", gone, 0, b""))
    elif kind == 3:
        memory.maintenance.maintain()
    elif kind == 4 and n % 2:
        memory.close(); memory = open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"})
    else:
        token = f"crate{n}z"
        memory.remember(f"The {token} weighs {rng.randrange(10**5)} stones and stands by the gate.", said_by=rng.choice(["user", "user", "assistant"]))
        acks.append(("a", [token], 0, b""))
if rng.random() < 0.5:
    memory.close()
pickle.dump(recorder.events, open(out, "wb"))
os._exit(0)
"""

CHECK = r"""
import json, sys
from pathlib import Path
from dopejar import open_memory
for line in sys.stdin:
    home = line.strip()
    try:
        memory = open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"})
        found = memory.maintenance.doctor()
        with memory.store.read() as view:
            words = " ".join(t.text for c in view.conversations(10**6) for t in view.turns(c.id))
            states = {one.proposal.id: one.proposal.state.value for one in memory.review.queue(tuple(type(memory.queue.__globals__["ProposalState"].STAGED)), 10000)} if False else {}
        memory.close()
        memory = open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"})
        memory.remember("After the storm it is calm.", said_by="user")
        again = memory.maintenance.doctor()
        memory.close()
        print(json.dumps({"faults": [f"{f.what}: {f.detail}" for f in (*found.faults, *again.faults)], "words": words}), flush=True)
    except BaseException as fault:
        print(json.dumps({"broke": repr(fault)[:300], "faults": [], "words": ""}), flush=True)
"""


def image(events, upto: int, rng: random.Random, home: Path) -> None:
    """The files as a disk may hold them after `upto` events: synced ones whole, of the others any part."""
    last_sync: dict[str, int] = {}
    for at in range(upto):
        if events[at][0] == "s":
            last_sync[events[at][1]] = at
    files: dict[str, bytearray] = {}
    lost_all = rng.random() < 0.3
    for at in range(upto):
        what, name, offset, data = events[at]
        if what == "d":
            files.pop(name, None)
        elif what == "t":
            if at < last_sync.get(name, -1) or rng.random() < 0.5:
                body = files.setdefault(name, bytearray())
                if len(body) < offset:
                    body.extend(b"\0" * (offset - len(body)))
                del body[offset:]
        elif what == "w":
            body = files.setdefault(name, bytearray())
            parts = (
                [(0, len(data))]
                if at < last_sync.get(name, -1)
                else [(i, min(i + SECTOR, len(data))) for i in range(0, len(data), SECTOR)]
            )
            is_kept = at < last_sync.get(name, -1) or (not lost_all and rng.random() < 0.6)
            for first, end in parts:
                if at < last_sync.get(name, -1) or (is_kept and rng.random() < 0.85):
                    if len(body) < offset + end:
                        body.extend(b"\0" * (offset + end - len(body)))
                    body[offset + first : offset + end] = data[first:end]
    for name, body in files.items():
        if not name.endswith(("-shm", ".lock")):
            (home / name).write_bytes(body)


def main() -> int:
    import pickle

    args = arguments(
        __doc__,
        (["--runs"], dict(type=int, default=4)),
        (["--images"], dict(type=int, default=120)),
        (["--seed"], dict(type=int, default=7)),
    )
    t = Tally()
    rng = random.Random(args.seed)
    checker = subprocess.Popen(
        [sys.executable, "-c", CHECK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env_of(args.work)
    )
    for run in range(args.runs):
        home = fresh(args.work, "pc-home")
        out = args.work / "events.pickle"
        pages = (40, 200, 1000, 15)[run % 4]
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                WORK,
                str(home),
                str(out),
                str(Path(__file__).parent),
                str(rng.randrange(10**9)),
                str(pages),
            ],
            env=env_of(home),
            capture_output=True,
            text=True,
            check=False,
        )
        if not out.exists() or done.returncode:
            t.note("recording broke", done.stderr[-600:])
            break
        events = pickle.loads(out.read_bytes())
        out.unlink()
        t.note(
            f"run {run}",
            {
                "events": len(events),
                "syncs": sum(e[0] == "s" for e in events),
                "checkpoint pages": pages,
                "by file": {
                    n: sum(e[1] == n and e[0] == "w" for e in events) for n in {e[1] for e in events if e[0] == "w"}
                },
            },
        )
        first = next(i for i, e in enumerate(events) if e[0] == "a")
        for _ in range(args.images):
            upto = rng.randrange(first + 1, len(events) + 1)
            copy = fresh(args.work, "pc-image")
            image(events, upto, rng, copy)
            acked, gone = set(), set()
            for e in events[:upto]:
                if e[0] == "a":
                    acked.update(e[1])
                elif e[0] in "ex":
                    gone.update(e[1])
            checker.stdin.write(f"{copy}\n")
            checker.stdin.flush()
            found = json.loads(checker.stdout.readline())
            t.check("the image opens", "broke" not in found, found.get("broke"))
            t.check("the image is sound", not found["faults"], found["faults"][:2])
            lost = [a for a in acked - gone if f"{a} " not in found["words"]]
            t.tried["acknowledged words looked for"] = t.tried.get("acknowledged words looked for", 0) + len(
                acked - gone
            )
            t.check(
                "nothing acknowledged is lost by a loss of power",
                not lost,
                f"{len(lost)} of {len(acked)} at event {upto}: {sorted(lost)[:3]}",
            )
    checker.stdin.close()
    checker.wait()
    return t.finish(args.out)


if __name__ == "__main__":
    sys.exit(main())

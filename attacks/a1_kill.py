"""A1: kill -9 of four concurrent writers, two of the library and two of the command line, again and again.

What was acknowledged is noted outside the store. After each block every noted word is looked for in an export, every
noted receipt in the store, and doctor, the ledger's chain and SQLite's own check are asked.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

from common import Cli, Tally, arguments, env_of, fresh

LIB = r"""
import os, random, sys, time
from pathlib import Path
home, acks, tag, seed = sys.argv[1:5]
from dopejar import open_memory
rng = random.Random(int(seed))
out = os.open(acks, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
memory = open_memory(home)
n = 0
scratch = Path(home).parent / f"scratch-{tag}.jsonl"
import json
while True:
    n += 1
    token = f"tk{tag}x{n}q"
    kind = rng.randrange(6)
    if kind == 4:
        with scratch.open("w") as file:
            for i in range(6):
                row = {"store": "k", "session": token, "session_time": "2026-03-01T10:00:00+00:00", "turn_id": f"{token}-{i}",
                       "index": i, "speaker": "u", "role": "user" if i % 2 == 0 else "assistant",
                       "text": f"The depot {token}w{i} stands in harbour number {rng.randrange(10**6)}."}
                file.write(json.dumps(row) + "\n")
        for one in memory.learn([scratch], format_name="neutral"):
            pass
        os.write(out, f"L {token}w0 - {one.episodes}\n".encode())
    elif kind == 5:
        memory.recall(f"depot {token}")
        memory.maintenance.maintain(budget_s=0.05)
    else:
        said = rng.choice(["user", "user", "tool", "assistant"])
        got = memory.remember(f"The warehouse {token} keeps {rng.randrange(10**6)} crates of copper.", said_by=said)
        ids = ",".join(f"{r.id}" for receipt in got.receipts for r in receipt.records)
        os.write(out, f"R {token} {ids or '-'} {got.episode_id}\n".encode())
"""

CLI = r"""
import json, os, random, subprocess, sys
command, acks, tag, seed = sys.argv[1:5]
rng = random.Random(int(seed))
out = os.open(acks, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
n = 0
while True:
    n += 1
    token = f"tk{tag}x{n}q"
    done = subprocess.run([command, "remember", f"The freezer {token} holds {rng.randrange(10**6)} trays.", "--json"],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode in (0, 4):
        data = json.loads(done.stdout)
        ids = ",".join(r["id"] for one in data["receipts"] for r in one.get("records", ()))
        os.write(out, f"C {token} {ids or '-'} {data['episode_id']}\n".encode())
    else:
        os.write(out, f"E {token} rc={done.returncode} {' '.join((done.stdout + done.stderr).split())[:300]}\n".encode())
"""


def main() -> int:
    args = arguments(
        __doc__,
        (["--rounds"], dict(type=int, default=200)),
        (["--block"], dict(type=int, default=20)),
        (["--seed"], dict(type=int, default=1)),
        (["--longest"], dict(type=float, default=2.8, help="seconds a writer lives at most")),
    )
    tally, rng = Tally(), random.Random(args.seed)
    home = fresh(args.work, "kill")
    cli = Cli(args.dopejar, home)
    acks = args.work / "acks.txt"
    acks.unlink(missing_ok=True)
    acked: dict[str, tuple[str, str, str]] = {}
    errors: list[str] = []
    blocks = []
    for number in range(1, args.rounds + 1):
        children = []
        for who in range(4):
            tag = f"{number}n{who}"
            words = (
                [str(home), str(acks), tag, str(rng.randrange(10**9))]
                if who < 2
                else [args.dopejar, str(acks), tag, str(rng.randrange(10**9))]
            )
            children.append(
                subprocess.Popen(
                    ["nice", "-n", "10", sys.executable, "-c", LIB if who < 2 else CLI, *words],
                    env=env_of(home),
                    start_new_session=True,
                    stdout=subprocess.DEVNULL,
                    stderr=open(args.work / "writers.err", "ab"),
                )
            )
        time.sleep(rng.uniform(0.9, args.longest))
        rng.shuffle(children)
        for child in children:
            os.killpg(child.pid, signal.SIGKILL)
            if rng.random() < 0.3:
                time.sleep(rng.uniform(0, 0.15))
        for child in children:
            child.wait()
        if number % args.block:
            continue
        acked.clear()
        errors.clear()
        for line in acks.read_text().splitlines():
            kind, token, ids, more = line.split(" ", 3)
            if kind == "E":
                errors.append(line)
            else:
                acked[token] = (kind, ids, more)
        began = time.time()
        doctor = cli("doctor", "--json")
        tally.check("doctor after a block", doctor.returncode == 0, doctor.stdout[-400:] + doctor.stderr[-300:])
        verified = cli("log", "--verify", "--json")
        tally.check("log --verify after a block", verified.returncode == 0, verified.stdout + verified.stderr)
        db = sqlite3.connect(f"file:{home / 'dopejar.db'}?mode=ro", uri=True)
        tally.check("integrity_check", db.execute("PRAGMA integrity_check").fetchone()[0] == "ok")
        words = " ".join(row[0] for row in db.execute("SELECT text FROM episodes"))
        present = set(words.replace(".", " ").split())
        records = {row[0] for row in db.execute("SELECT id FROM records")}
        episodes = {row[0] for row in db.execute("SELECT id FROM episodes")}
        lost = [t for t, (k, ids, more) in acked.items() if t not in present]
        lost_records = [
            t for t, (k, ids, more) in acked.items() if ids != "-" and any(i not in records for i in ids.split(","))
        ]
        lost_episodes = [t for t, (k, ids, more) in acked.items() if k in "RC" and more.strip() not in episodes]
        tally.tried["acknowledged writes"] = len(acked)
        for one in lost:
            tally.failed.setdefault("acknowledged writes", []).append(one)
        tally.check("no acknowledged record lost", not lost_records, lost_records[:5])
        tally.check("no acknowledged episode lost", not lost_episodes, lost_episodes[:5])
        counts = {r[0]: r[1] for r in db.execute("SELECT status, count(*) FROM records GROUP BY status")}
        dangling = db.execute(
            "SELECT count(*) FROM records r WHERE NOT EXISTS (SELECT 1 FROM evidence e WHERE e.record_id=r.id)"
        ).fetchone()[0]
        half = db.execute(
            "SELECT count(*) FROM ledger l WHERE target LIKE 'm\\_%' ESCAPE '\\' AND NOT EXISTS (SELECT 1 FROM records r WHERE r.id = l.target)"
        ).fetchone()[0]
        tally.check("no half act", dangling == 0 and half == 0, (dangling, half))
        db.close()
        blocks.append(
            {
                "round": number,
                "acked": len(acked),
                "lost": len(lost),
                "records": counts,
                "check_s": round(time.time() - began, 1),
                "cli_errors": len(errors),
                "by": {k: sum(1 for v in acked.values() if v[0] == k) for k in "RCL"},
                "db_kb": (home / "dopejar.db").stat().st_size // 1024,
            }
        )
        print(blocks[-1], file=sys.stderr, flush=True)
    tally.note("blocks", blocks)
    tally.note("cli errors", errors[:20])
    err = (args.work / "writers.err").read_text(errors="replace") if (args.work / "writers.err").exists() else ""
    tally.note("stderr of writers", err[-2000:])
    tally.check("no writer said a fault", "Traceback" not in err.replace("KeyboardInterrupt", ""), err[-1500:])
    return tally.finish(args.out)


if __name__ == "__main__":
    sys.exit(main())

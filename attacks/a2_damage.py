"""A2: damaged files. Random single-bit flips in the data file and its log, flips inside every column, truncation.

A flip is silent where doctor finds nothing and yet what the store says (export, queue, keys, ledger, reviewers) is
another than before. Flips that change nothing that can be read (free bytes) are counted apart.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import sqlite3
import sys
from pathlib import Path

from common import PASS, Cli, Tally, arguments, fresh, neutral, versions


def build(args) -> Path:
    from dopejar import open_memory

    home = fresh(args.work, "damage-base")
    memory = open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "hashed"})
    memory.reviewers.add("ana", PASS)
    by = memory.reviewers.unlock(PASS)
    rng = random.Random(5)
    for n in range(60):
        memory.remember(
            f"The {rng.choice(['red', 'blue', 'green'])} depot{n} listens on port {3000 + n}.",
            said_by=rng.choice(["user", "user", "tool", "assistant"]),
        )
    memory.remember("Postgres listens on port 5433.", said_by="user")
    memory.remember("Postgres listens on port 5434.", said_by="user")
    memory.remember("Always use tabs.", said_by="assistant")
    turns = [
        (
            ("user", f"The mill{n} in Porto grinds {n * 7} sacks of rye a day.")
            if n % 2 == 0
            else ("assistant", f"Noted, mill{n}.")
        )
        for n in range(80)
    ]
    list(memory.learn([neutral(args.work / "damage.jsonl", turns)]))
    item = memory.review.queue()[0]
    memory.review.approve([item.proposal.id], by, seen=versions(item))
    gone = memory.list(limit=3)[0]
    memory.erase(by, records=[gone.id])
    memory.recall("depot port")
    memory.maintenance.maintain()
    memory.close()
    return home


TABLES = (
    "conversations",
    "episodes",
    "records",
    "record_states",
    "evidence",
    "proposals",
    "proposal_links",
    "ledger",
    "tombstones",
    "edges",
    "reviewers",
    "meta",
    "held",
    "uses",
    "injected",
    "embedders",
    "vectors",
    "vector_codes",
    "migrations",
    "outbox",
)


def dump(path: Path, *, truth_only: bool) -> str:
    """Everything the tables say, as one digest; None where it cannot be read."""
    kept = [
        t
        for t in TABLES
        if not truth_only or t not in ("uses", "injected", "vectors", "vector_codes", "edges", "outbox", "embedders")
    ]
    db = sqlite3.connect(path)
    db.text_factory = bytes
    found = hashlib.sha256()
    try:
        for table in kept:
            for row in db.execute(f"SELECT * FROM {table} ORDER BY 1, 2"):
                found.update(repr(row).encode())
    except sqlite3.DatabaseError as fault:
        return f"unreadable: {fault}"
    finally:
        db.close()
    return found.hexdigest()


def judge(home: Path, cli: Cli) -> tuple[int, str]:
    done = cli("doctor", "--json", DOPEJAR_EMBEDDER_KIND="hashed")
    try:
        data = json.loads(done.stdout.strip().splitlines()[-1])
        return done.returncode, "; ".join(f["what"] for f in data.get("faults", [])) or str(data.get("error", ""))[:200]
    except (ValueError, IndexError):
        return done.returncode, (done.stdout + done.stderr)[:300]


def copied(base: Path, work: Path, name: str) -> Path:
    home = fresh(work, name)
    for one in base.glob("dopejar.db*"):
        if not one.name.endswith((".lock", "-shm")):
            shutil.copyfile(one, home / one.name)
    return home


def flips(args, t: Tally, base: Path, count: int, seed: int) -> None:
    rng = random.Random(seed)
    truth, whole = dump(base / "dopejar.db", truth_only=True), dump(base / "dopejar.db", truth_only=False)
    result = {
        "named by doctor": 0,
        "harmless (nothing readable changed)": 0,
        "projection changed, not named": 0,
        "SILENTLY WRONG": 0,
        "other fault": 0,
    }
    kinds: dict[str, int] = {}
    for n in range(count):
        home = copied(base, args.work, "flip")
        path = home / "dopejar.db"
        data = bytearray(path.read_bytes())
        at, bit = rng.randrange(len(data)), rng.randrange(8)
        data[at] ^= 1 << bit
        path.write_bytes(data)
        copy = args.work / "flip-look.db"
        shutil.copyfile(path, copy)
        now_truth, now_whole = dump(copy, truth_only=True), dump(copy, truth_only=False)
        code, said = judge(home, Cli(args.dopejar, home))
        if code == 1 and "unexpected" in said.lower():
            result["other fault"] += 1
            t.check("doctor ends with a sentence about a flipped bit", False, f"byte {at} bit {bit}: {said}")
            continue
        if code != 0:
            result["named by doctor"] += 1
            for one in said.split("; "):
                kinds[one] = kinds.get(one, 0) + 1
        elif now_whole == whole:
            result["harmless (nothing readable changed)"] += 1
        elif now_truth == truth:
            result["projection changed, not named"] += 1
            t.note(f"projection flip {n}", f"byte {at}")
        else:
            result["SILENTLY WRONG"] += 1
            t.note(f"silent flip {n}", f"byte {at} bit {bit}: {where(base / 'dopejar.db', copy)}")
    t.note("bit flips in the data file", result)
    t.note("what doctor called them", kinds)
    t.tried["a flipped bit in the data file is named or harmless"] = count
    if result["SILENTLY WRONG"]:
        t.failed["a flipped bit in the data file is named or harmless"] = [
            f"{result['SILENTLY WRONG']} of {count} silent"
        ] * result["SILENTLY WRONG"]


def where(old: Path, new: Path) -> str:
    """Which tables and columns differ."""
    found = []
    a, b = sqlite3.connect(old), sqlite3.connect(new)
    a.text_factory = b.text_factory = bytes
    for table in TABLES:
        columns = [r[1].decode() for r in a.execute(f"PRAGMA table_info({table})")]
        try:
            left, right = (
                a.execute(f"SELECT * FROM {table} ORDER BY 1,2").fetchall(),
                b.execute(f"SELECT * FROM {table} ORDER BY 1,2").fetchall(),
            )
        except sqlite3.DatabaseError as fault:
            found.append(f"{table}: {fault}")
            continue
        if len(left) != len(right):
            found.append(f"{table}: {len(left)} rows, then {len(right)}")
        for x, y in zip(left, right):
            for c, u, v in zip(columns, x, y):
                if u != v:
                    found.append(f"{table}.{c}: {str(u)[:30]} -> {str(v)[:30]}")
    a.close()
    b.close()
    return "; ".join(found[:4])


def columns(args, t: Tally, base: Path) -> None:
    """One changed value in every column of every table, as somebody would write it there: does doctor name it?"""
    db = sqlite3.connect(base / "dopejar.db")
    silent, named, skipped = [], [], []
    for table in TABLES:
        for _, column, kind, *_ in db.execute(f"PRAGMA table_info({table})").fetchall():
            if column in ("rowid",) or db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0:
                continue
            home = copied(base, args.work, "column")
            other = sqlite3.connect(home / "dopejar.db", isolation_level=None)
            change = {
                "TEXT": f"CASE WHEN {column} IS NULL THEN NULL WHEN length({column}) < 2 THEN 'x' ELSE 'x' || substr({column}, 2) END",
                "INTEGER": f"{column} + 1",
                "REAL": f"{column} / 2 + 0.01",
                "BLOB": f"randomblob(length({column}))",
            }[kind]
            try:
                other.execute("PRAGMA foreign_keys = OFF")
                key = (
                    other.execute(
                        f"SELECT rowid FROM {table} WHERE {column} IS NOT NULL ORDER BY rowid LIMIT 1 OFFSET (SELECT count(*)/2 FROM {table} WHERE {column} IS NOT NULL)"
                    ).fetchone()
                    if not is_without_rowid(other, table)
                    else None
                )
                if key:
                    other.execute(f"UPDATE {table} SET {column} = {change} WHERE rowid = ?", key)
                elif is_without_rowid(other, table):
                    pk = [r[1] for r in other.execute(f"PRAGMA table_info({table})") if r[5]]
                    first = other.execute(
                        f"SELECT {', '.join(pk)} FROM {table} WHERE {column} IS NOT NULL LIMIT 1"
                    ).fetchone()
                    if first is None:
                        continue
                    other.execute(
                        f"UPDATE {table} SET {column} = {change} WHERE " + " AND ".join(f"{k} IS ?" for k in pk), first
                    )
                else:
                    continue
                other.close()
            except sqlite3.DatabaseError as fault:
                skipped.append(f"{table}.{column} ({fault})")
                continue
            code, said = judge(home, Cli(args.dopejar, home))
            if "unexpected" in said.lower() or (code not in (0, 1)):
                t.check(
                    "doctor ends with a sentence about a changed value", False, f"{table}.{column}: rc {code} {said}"
                )
            (silent if code == 0 else named).append(f"{table}.{column}" + (f" ({said[:40]})" if code else ""))
    t.note("changed values that doctor names", named)
    t.note("changed values that doctor does not name", silent)
    t.note("could not be changed", skipped)
    truths = (
        "records.",
        "episodes.",
        "ledger.",
        "record_states.",
        "evidence.",
        "proposals.",
        "tombstones.",
        "conversations.",
        "reviewers.",
    )
    for one in silent + named:
        if one.startswith(truths):
            t.check("a changed value in a table of truth is named", one in named, one)


def is_without_rowid(db, table: str) -> bool:
    return "WITHOUT ROWID" in db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]


def log_flips(args, t: Tally, count: int, seed: int) -> None:
    """Flips in the log of a store whose writer was killed: what was acknowledged and is gone, and whether it is said."""
    import subprocess

    from common import env_of

    home = fresh(args.work, "walbase")
    code = (
        "import sys, os, signal\nfrom dopejar import open_memory\nm = open_memory(sys.argv[1])\n"
        "[m.remember(f'The kiln{n} burns {n * 3} logs.', said_by='user') for n in range(40)]\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(home)], env=env_of(home), check=False)
    whole = {f"kiln{n}" for n in range(40)}
    rng = random.Random(seed)
    result = {"nothing lost": 0, "lost and named": 0, "lost, not named": 0, "fault": 0}
    lost_most = 0
    t.note("log bytes", (home / "dopejar.db-wal").stat().st_size)
    for _ in range(count):
        copy = copied(home, args.work, "walflip")
        path = copy / "dopejar.db-wal"
        data = bytearray(path.read_bytes())
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        cli = Cli(args.dopejar, copy)
        code_, said = judge(copy, cli)
        try:
            db = sqlite3.connect(copy / "dopejar.db")
            words = " ".join(r[0] for r in db.execute("SELECT text FROM episodes"))
            db.close()
            left = {w for w in whole if f"{w} " in words}
        except sqlite3.DatabaseError:
            left = set()
        lost = len(whole) - len(left)
        lost_most = max(lost_most, lost)
        if "unexpected" in said.lower():
            result["fault"] += 1
        elif not lost:
            result["nothing lost"] += 1
        else:
            result["lost and named" if code_ else "lost, not named"] += 1
    t.note("bit flips in the log", {**result, "most turns lost": lost_most})
    check = "a flipped bit in the log loses nothing without a word [a head noted elsewhere shows it]"
    t.tried[check] = count
    if result["lost, not named"]:
        t.failed[check] = [
            f"{result['lost, not named']} of {count}, up to {lost_most} of 40 acknowledged turns (SQLite drops every frame behind a bad checksum)"
        ] * result["lost, not named"]


def truncated(args, t: Tally, base: Path) -> None:
    size = (base / "dopejar.db").stat().st_size
    for part in (0, 1, 15, 16, 100, 512, 4095, 4096, 4097, size // 4, size // 2, size - 4096, size - 1):
        home = copied(base, args.work, "cut")
        with (home / "dopejar.db").open("r+b") as file:
            file.truncate(part)
        cli = Cli(args.dopejar, home)
        outs = {
            w[0]: cli(*w)
            for w in (("doctor",), ("recall", "depot port"), ("status",), ("remember", "x y is z"), ("log", "--verify"))
        }
        bad = [
            f"{k}: {o.stderr[:150]}"
            for k, o in outs.items()
            if "unexpected" in o.stderr.lower() or "Traceback" in o.stderr
        ]
        t.check("a cut data file ends every command with one sentence", not bad, f"{part} of {size}: {bad}")
        if part:
            t.check(
                "doctor names a cut data file",
                outs["doctor"].returncode == 1,
                f"{part} of {size}: {outs['doctor'].stdout[:200]}{outs['doctor'].stderr[:200]}",
            )
        else:
            t.check(
                "a data file that was emptied is not taken for a new store without a word",
                outs["doctor"].returncode == 1,
                f"{part} of {size}: doctor says {outs['doctor'].stdout[:120]!r}",
            )
    for name in ("missing", "garbage", "foreign", "text"):
        home = copied(base, args.work, f"cut-{name}")
        path = home / "dopejar.db"
        if name == "missing":
            path.unlink()
        elif name == "garbage":
            path.write_bytes(os.urandom(20000))
        elif name == "text":
            path.write_text("hello" * 1000)
        else:
            path.unlink()
            db = sqlite3.connect(path)
            db.execute("CREATE TABLE x (y)")
            db.commit()
            db.close()
        cli = Cli(args.dopejar, home)
        outs = {
            w[0]: cli(*w)
            for w in (
                ("doctor",),
                ("recall", "depot"),
                ("remember", "x y is z"),
                ("store", "backup", str(home / "b.db")),
            )
        }
        bad = [
            f"{k}: {o.stderr[:150]}"
            for k, o in outs.items()
            if "unexpected" in o.stderr.lower() or "Traceback" in o.stderr
        ]
        t.check("a strange data file ends every command with one sentence", not bad, f"{name}: {bad}")


def main() -> int:
    args = arguments(
        __doc__,
        (["--flips"], dict(type=int, default=200)),
        (["--seed"], dict(type=int, default=3)),
        (["--only"], dict(default="")),
    )
    t = Tally()
    base = build(args)
    t.note("data file bytes", (base / "dopejar.db").stat().st_size)
    chosen = args.only.split(",") if args.only else ["flips", "columns", "log", "truncated"]
    if "flips" in chosen:
        flips(args, t, base, args.flips, args.seed)
    if "columns" in chosen:
        columns(args, t, base)
    if "log" in chosen:
        log_flips(args, t, max(20, args.flips // 4), args.seed)
    if "truncated" in chosen:
        truncated(args, t, base)
    return t.finish(args.out)


if __name__ == "__main__":
    sys.exit(main())

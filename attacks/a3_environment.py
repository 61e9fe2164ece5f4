"""A3: a full disk, rights that change, readers that stay, clocks that go back, forks, signals, old and new schemas.

`--mount DIR` names a directory where a small tmpfs may be mounted (needs root); without it the size of files is
limited instead.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from common import PASS, Cli, Tally, arguments, env_of, fresh, neutral


def full_disk(args, t: Tally) -> None:
    mount = Path(args.mount) if args.mount else None
    if mount is None:
        t.note("full disk", "not tried: no --mount")
        return
    mount.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2500k", "tmpfs", str(mount)], check=True)
    try:
        home = mount / "home"
        home.mkdir(mode=0o700)
        cli = Cli(args.dopejar, home)
        cli.reviewer()
        from dopejar import open_memory
        from dopejar.errors import DopejarError

        memory = open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"})
        acked, faults = [], []
        for n in range(3000):
            try:
                memory.remember(
                    f"The granary{n} holds {n * 3} sacks. " + "Barley and rye were weighed there in the morning. " * 8,
                    said_by="user",
                )
                acked.append(f"granary{n}")
            except DopejarError as fault:
                faults.append(type(fault).__name__ + ": " + str(fault)[:80])
                if len(faults) > 12:
                    break
            except Exception as fault:  # noqa: BLE001
                t.check("a full disk is said in one sentence of the error tree", False, repr(fault))
                break
        t.check(
            "a full disk is said as StoreFullError",
            faults and all(f.startswith("StoreFullError") for f in faults),
            faults[:3],
        )
        pack = memory.recall("granary3 sacks")
        t.check("recall works on a full disk", bool(pack.items))
        victim = memory.list(limit=1)[0]
        memory.close()
        outs = {}
        for words in (
            ("recall", "granary5 sacks"),
            ("list", "--limit", "2"),
            ("status",),
            ("doctor",),
            ("log", "--verify"),
            ("remember", "Tea is green."),
            ("store", "backup", str(mount / "b.db")),
            ("store", "export", str(mount / "e.jsonl")),
            ("maintain",),
        ):
            outs[words[words[0] == "store"]] = cli(*words)
        for name, done in outs.items():
            t.check(
                "no command breaks on a full disk",
                "unexpected" not in done.stderr.lower() and "Traceback" not in done.stderr,
                f"{name}: rc {done.returncode} {done.stderr[:200]}",
            )
        t.check(
            "reading commands work on a full disk",
            all(outs[k].returncode == 0 for k in ("recall", "list", "status", "doctor", "log")),
            {k: (o.returncode, o.stderr[:120]) for k, o in outs.items()},
        )
        t.check(
            "backup and export leave no half file",
            not any((mount / f).exists() for f in ("b.db", "b.db.part", "e.jsonl", "e.jsonl.part"))
            or outs["backup"].returncode == 0,
            sorted(p.name for p in mount.iterdir()),
        )
        done = cli("erase", victim.id, "--yes", DOPEJAR_REVIEWER_SECRET=PASS)
        status = cli.json("list", "--status", "erased")
        bytes_left = any(victim.text.split()[1].encode() in p.read_bytes() for p in home.glob("dopejar.db*"))
        happened = bool(status.get("records"))
        t.note(
            "erase on a full disk",
            f"rc {done.returncode}; erased state {happened}; words still in bytes {bytes_left}; said: {(done.stdout + done.stderr)[:300]}",
        )
        t.check(
            "erase on a full disk says what is true",
            not ("nothing was written" in done.stderr and happened),
            done.stderr[:300],
        )
        subprocess.run(["mount", "-o", "remount,size=12m", str(mount)], check=True)
        check = cli("doctor")
        t.check("sound after room was made", check.returncode == 0, check.stdout)
        db = sqlite3.connect(f"file:{home / 'dopejar.db'}?mode=ro", uri=True)
        words = " ".join(r[0] for r in db.execute("SELECT text FROM episodes"))
        db.close()
        gone = set(victim.text.split())
        lost = [a for a in acked if f"{a} " not in words and a not in gone]
        t.check("nothing acknowledged is lost by a full disk", not lost, lost[:5])
        t.note("acknowledged before the disk was full", len(acked))
        done = cli("remember", "Tea is green.")
        t.check("writing works again", done.returncode in (0, 4), done.stderr)
        # learn, and a restore, that run into a full disk
        subprocess.run(
            [
                "mount",
                "-o",
                "remount,size=" + str((sum(p.stat().st_size for p in home.iterdir()) // 1024) + 500) + "k",
                str(mount),
            ],
            check=True,
        )
        turns = [("user", f"The silo{n} in Braga keeps {n} tons of maize from the north.") for n in range(4000)]
        done = cli("learn", str(neutral(args.work / "big.jsonl", turns)))
        t.check(
            "learn on a full disk ends with one sentence",
            done.returncode == 1 and "full" in (done.stderr + done.stdout).lower(),
            (done.returncode, done.stdout[-200:], done.stderr[-200:]),
        )
        subprocess.run(["mount", "-o", "remount,size=60m", str(mount)], check=True)
        done = cli("learn", str(args.work / "big.jsonl"), timeout=600)
        t.check(
            "and is gone on with afterwards",
            done.returncode == 0 and "silo3999" in json.dumps(cli.json("recall", "silo3999 maize")),
            done.stderr[:200],
        )
        t.check("sound after that", cli("doctor").returncode == 0)
    finally:
        subprocess.run(["umount", "-l", str(mount)], check=False)


def file_limit(args, t: Tally) -> None:
    """RLIMIT_FSIZE in the middle of writing: EFBIG, with SIGXFSZ ignored as Python does."""
    home = fresh(args.work, "fsize")
    code = (
        "import sys, resource\nfrom dopejar import open_memory\nm = open_memory(sys.argv[1])\nm.remember('The first one is kept.', said_by='user')\n"
        "import os\nsize = os.path.getsize(sys.argv[1] + '/dopejar.db-wal') + 200000\nresource.setrlimit(resource.RLIMIT_FSIZE, (size, size))\nn = 0\n"
        "from dopejar.errors import DopejarError\nfor n in range(2000):\n    try:\n        m.remember(f'The barn{n} is {n} feet long. ' + 'It was painted red again this year. ' * 20, said_by='user'); print('ack', n, flush=True)\n"
        "    except DopejarError as e:\n        print('fault', type(e).__name__, e, flush=True); break\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(home)], env=env_of(home), capture_output=True, text=True, check=False
    )
    acked = [int(x.split()[1]) for x in done.stdout.splitlines() if x.startswith("ack")]
    t.check(
        "a limit on file size is a fault of the tree",
        "fault Store" in done.stdout,
        (done.stdout[-200:], done.stderr[-300:]),
    )
    db = sqlite3.connect(home / "dopejar.db")
    words = " ".join(r[0] for r in db.execute("SELECT text FROM episodes"))
    db.close()
    t.check("nothing acknowledged is lost by it", all(f"barn{n} " in words for n in acked), len(acked))
    t.check("sound after it", Cli(args.dopejar, home)("doctor").returncode == 0)


def rights(args, t: Tally) -> None:
    """Run as an unprivileged account where we are root, for root may write anything."""
    home = fresh(args.work, "rights")
    cli = Cli(args.dopejar, home)
    cli.reviewer()
    cli("remember", "Tea is green.")
    modes = {p.name: oct(p.stat().st_mode & 0o777) for p in home.iterdir()}
    t.check("every file of the store is 0600", all(m == "0o600" for m in modes.values()), modes)
    fresh_home = args.work / "made-by-dopejar" / "deep"
    shutil.rmtree(fresh_home.parent, ignore_errors=True)
    Cli(args.dopejar, args.work)("remember", "Tea is black.", DOPEJAR_HOME=str(fresh_home))
    t.check(
        "directories it makes are 0700",
        all(oct(p.stat().st_mode & 0o777) == "0o700" for p in (fresh_home,)),
        oct(fresh_home.stat().st_mode),
    )
    setpriv = shutil.which("setpriv") if os.getuid() == 0 else ""
    if setpriv is None:
        t.note("rights", "root without setpriv: the rest is not tried")
        return
    lowered = (
        [setpriv, "--bounding-set", "-dac_override,-dac_read_search,-fowner", "--inh-caps", "-all"] if setpriv else []
    )

    def as_nobody(*words, home=home):
        """The command where rights on files count for us, too."""
        return subprocess.run(
            [*lowered, args.dopejar, *words],
            env=env_of(home),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
            cwd="/",
        )

    cases = {
        "read-only directory": ((home, 0o500),),
        "read-only file": ((home / "dopejar.db", 0o400),),
        "both": ((home, 0o500), (home / "dopejar.db", 0o400)),
        "unreadable file": ((home / "dopejar.db", 0o000),),
        "unreadable directory": ((home, 0o000),),
        "lock file of nobody": ((home / "dopejar.db.lock", 0o000),),
        "read-only lock": ((home / "dopejar.db.lock", 0o400),),
    }
    for name, changes in cases.items():
        changes = tuple((p, m) for p, m in changes if p.exists())
        old = {p: p.stat().st_mode & 0o777 for p, _ in changes}
        for path, mode in changes:
            os.chmod(path, mode)
        outs = {
            w[0]: as_nobody(*w) for w in (("recall", "tea"), ("remember", "Milk is white."), ("doctor",), ("status",))
        }
        for path, mode in old.items():
            os.chmod(path, mode)
        bad = {
            k: o.stderr[-200:] for k, o in outs.items() if "unexpected" in o.stderr.lower() or "Traceback" in o.stderr
        }
        t.check("rights that are taken away end in one sentence", not bad, f"{name}: {bad}")
        if name in ("read-only directory", "read-only file", "both"):
            t.check(
                "reading goes on where writing may not",
                "green" in outs["recall"].stdout,
                f"{name}: {outs['recall'].stderr[:200]}",
            )
        t.check(
            "a write that cannot be is no success",
            outs["remember"].returncode not in (0, 4),
            f"{name}: rc {outs['remember'].returncode} {outs['remember'].stdout[:100]}",
        )
    t.check("sound after all that", as_nobody("doctor").returncode == 0, as_nobody("doctor").stderr[-300:])
    link = args.work / "link-home"
    if link.is_symlink():
        link.unlink()
    victim = args.work / "victim.txt"
    victim.write_text("precious")
    evil = fresh(args.work, "evil-home")
    (evil / "dopejar.db.lock").symlink_to(victim)
    Cli(args.dopejar, evil)("remember", "Tea is green.")
    t.check("a planted link as lock file does no harm", victim.read_text() == "precious", victim.read_text()[:50])


def held_open(args, t: Tally) -> None:
    """Erasing while another process reads: what is said, and whether the words leave the files in the end."""
    from dopejar import open_memory

    home = fresh(args.work, "reader")
    cli = Cli(args.dopejar, home)
    cli.reviewer()
    memory = open_memory(home)
    memory.remember("The zebrafinch nests behind waterfall Kinsarvik.", said_by="user")
    victim = memory.list()[0]
    memory.close()
    code = "import sys, time\nfrom dopejar import open_memory\nm = open_memory(sys.argv[1])\nwith m.store.read() as v:\n    v.head(); print('in', flush=True); time.sleep(float(sys.argv[2]))\nprint('out', flush=True); time.sleep(30)\n"
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(home), "25"], env=env_of(home), stdout=subprocess.PIPE, text=True
    )
    try:
        other.stdout.readline()
        done = cli("erase", victim.id, "--yes", DOPEJAR_REVIEWER_SECRET=PASS, timeout=120)
        found = lambda: [p.name for p in home.glob("dopejar.db*") if b"zebrafinch" in p.read_bytes()]
        t.note(
            "erase beside a reader", f"rc {done.returncode}; {(done.stdout + done.stderr)[:400]}; words in {found()}"
        )
        t.check(
            "erase beside a long reader does not claim what is not so",
            not (done.returncode == 0 and found()),
            (done.stdout[:300], found()),
        )
        other.stdout.readline()  # the snapshot is over, the process keeps the file open
        cli("maintain")
        t.check("`maintain` takes the words out, as the message says", not found(), found())
        cli("remember", "Tea is green.")
        t.check("they are gone after the next write", not found(), found())
    finally:
        other.kill()
        other.wait()
    cli("status")
    cli("remember", "Milk is white.")
    t.check(
        "and gone once everybody has closed",
        not [p.name for p in home.glob("dopejar.db*") if b"zebrafinch" in p.read_bytes()],
        "still there",
    )


class Clock:
    def __init__(self, at):
        self.at = at

    def now(self):
        return self.at


def clocks(args, t: Tally) -> None:
    from dopejar import open_memory
    from dopejar.engine.memory import Memory

    home = fresh(args.work, "clock")
    Cli(args.dopejar, home).reviewer()
    real = open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"})
    now = datetime.now(UTC)
    ahead, back = (
        Memory(replace(real._deps, clock=Clock(now + timedelta(days=400)))),
        Memory(replace(real._deps, clock=Clock(now - timedelta(days=3)))),
    )
    real.remember("Postgres listens on port 5433.", said_by="user")
    back.remember("Postgres listens on port 5434.", said_by="user")
    active = [r.text for r in real.list()]
    t.check(
        "a user's newer word holds although the clock went back by three days",
        any("5434" in a for a in active) and not any("5433" in a for a in active),
        active,
    )
    t.check("the ledger's chain holds over a clock that went back", real.verify().entries > 0)
    times = [a.at for a in real.log(50)] if hasattr(real.log(1)[0], "at") else []
    by = ahead.reviewers.unlock(PASS, terminal="tty-x")
    t.check(
        "a session opened by a clock that was ahead does not hold for long",
        real.reviewers.at_terminal("tty-x") is None,
        real.reviewers.at_terminal("tty-x"),
    )
    # a lease taken by a clock that was ahead, by a process that died
    from dopejar.engine.maintenance.housekeeping import take_lease

    take_lease(ahead._deps, "maintain")
    real.remember("Tea is green.", said_by="assistant")
    done = real.maintenance.maintain()
    lease = (
        sqlite3.connect(f"file:{home / 'dopejar.db'}?mode=ro", uri=True)
        .execute("SELECT expires_at FROM held WHERE kind='lease'")
        .fetchall()
    )
    t.check(
        "a lease from a clock that was ahead does not stop housekeeping for a year",
        done.seconds > 0,
        f"maintain did nothing; lease {lease}",
    )
    real.remember("Postgres listens on port 7001.", said_by="user")
    ahead.remember("Postgres listens on port 7002.", said_by="user")
    real.remember("Postgres listens on port 7003.", said_by="user")
    pack = real.recall("which port does Postgres listen on?")
    t.check(
        "what was said while the clock was ahead does not outlast what is said now",
        pack.items and "7003" in pack.items[0].text,
        [i.text for i in pack.items][:3],
    )
    real.close()


def forks(args, t: Tally) -> None:
    code = r"""
import os, sys, threading, time
from dopejar import open_memory
m = open_memory(sys.argv[1])
m.remember("The parent speaks first.", said_by="user")
stop = threading.Event()
faults = []
def write():
    n = 0
    while not stop.is_set():
        n += 1
        try: m.remember(f"The parent counts {n} sheep in field{n}.", said_by="user")
        except Exception as e: faults.append(repr(e)); return
th = threading.Thread(target=write); th.start()
children = []
for k in range(12):
    time.sleep(0.07)
    pid = os.fork()
    if pid == 0:
        code = 0
        try:
            for n in range(3):
                m.remember(f"The child{k} sees {n} goats.", said_by="user")
            assert m.recall("parent sheep").items
            if k % 3 == 0:
                m.close()
        except BaseException as e:
            print("child", k, repr(e), flush=True); code = 1
        os._exit(code) if k % 2 else sys.exit(code) if False else os._exit(code)
    children.append(pid)
bad = [p for p in children if os.waitpid(p, 0)[1] != 0]
stop.set(); th.join(30)
print("bad", len(bad), "faults", faults[:2], "stuck", th.is_alive(), flush=True)
m.close()
os._exit(0)
"""
    for n in range(3):
        home = fresh(args.work, f"fork{n}")
        try:
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", code, str(home)],
                env=env_of(home),
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            t.check(
                "forks in the middle of writing harm nobody",
                "bad 0 faults [] stuck False" in done.stdout,
                done.stdout[-400:] + done.stderr[-400:],
            )
        except subprocess.TimeoutExpired as late:
            t.check("forks in the middle of writing harm nobody", False, f"stuck: {late.stdout}")
        t.check("sound after forks", Cli(args.dopejar, home)("doctor").returncode == 0)
        db = sqlite3.connect(home / "dopejar.db")
        kept = sum(1 for r in db.execute("SELECT text FROM episodes") if "child" in r[0])
        db.close()
        t.check("every child's words are kept", kept == 36, kept)


def signals(args, t: Tally, rounds: int) -> None:
    turns = [
        ("user", f"The mill{n} in Porto grinds {n * 7} sacks of rye a day.")
        if n % 2 == 0
        else ("assistant", f"Noted, mill{n}.")
        for n in range(900)
    ]
    path = neutral(args.work / "signals.jsonl", turns)
    whole = fresh(args.work, "sig-whole")
    Cli(args.dopejar, whole)("learn", str(path), DOPEJAR_LEARN_BATCH="64")
    look = lambda home: sorted(
        r for r in sqlite3.connect(home / "dopejar.db").execute("SELECT text, status, key, assertions FROM records")
    )
    expected = look(whole)
    rng = random.Random(11)
    for n in range(rounds):
        home = fresh(args.work, "sig")
        cli = Cli(args.dopejar, home)
        sent = []
        for which in (
            rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
            rng.choice((signal.SIGINT, signal.SIGTERM)),
        ):
            child = subprocess.Popen(
                [args.dopejar, "learn", str(path)],
                env=env_of(home, DOPEJAR_LEARN_BATCH="64"),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            time.sleep(rng.uniform(0.3, 2.2))
            child.send_signal(which)
            out, err = child.communicate(timeout=60)
            sent.append((which.name, child.returncode, err.strip()[-120:]))
            t.check("a signal ends `learn` without a trace of Python", "Traceback" not in err, (which.name, err[-300:]))
            t.check("a signal is no fault of the program", child.returncode != 1, (which.name, err[-300:]))
        done = cli("learn", str(path), DOPEJAR_LEARN_BATCH="64")
        t.check(
            "`learn` goes on after signals and ends as if never stopped",
            done.returncode == 0 and look(home) == expected,
            f"{sent} {len(look(home))} of {len(expected)} {done.stderr[:100]}",
        )
        t.check("sound after signals", cli("doctor").returncode == 0)
    t.note("signals", sent)


def schemas(args, t: Tally) -> None:
    import apsw

    from dopejar.adapters.sqlite.row_digests import digest_everything
    from dopejar.adapters.sqlite.schema import migrations

    steps = migrations()
    for level in range(1, len(steps)):
        home = fresh(args.work, f"schema{level}")
        db = apsw.Connection(str(home / "dopejar.db"))
        db.pragma("journal_mode", "wal")
        db.execute("BEGIN")
        db.execute(
            "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT"
        )
        for step in steps[:level]:
            db.execute(step.sql)
            db.execute(
                "INSERT INTO migrations VALUES (?, ?, ?, ?)",
                (step.number, step.name, step.checksum, "2026-01-01T00:00:00+00:00"),
            )
        db.execute(
            "INSERT INTO meta (key, value) VALUES ('secret', ?), ('change_seq', '0'), ('tenant', 'local')", ("ab" * 32,)
        )
        if level >= 4:  # a store of that schema has digests of its rows
            digest_everything(db, home / "dopejar.db")
        db.pragma("user_version", level)
        db.execute("COMMIT")
        db.close()
        code = "import sys\nfrom dopejar import open_memory\nm = open_memory(sys.argv[1])\nm.remember(f'The process {sys.argv[2]} migrated it.', said_by='user')\nm.close()\nprint('fine')\n"
        children = [
            subprocess.Popen(
                [sys.executable, "-c", code, str(home), f"pq{k}"],
                env=env_of(home),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for k in range(8)
        ]
        outs = [c.communicate(timeout=120) for c in children]
        t.check(
            "eight processes migrate one store at once",
            all(o[0].strip() == "fine" for o in outs),
            f"level {level}: {[o[1][-200:] for o in outs if o[0].strip() != 'fine'][:2]}",
        )
        cli = Cli(args.dopejar, home)
        t.check("sound after migrating", cli("doctor").returncode == 0, cli("doctor").stdout)
        t.check(
            "every process's words are there",
            sum(
                "migrated it" in r[0] for r in sqlite3.connect(home / "dopejar.db").execute("SELECT text FROM episodes")
            )
            == 8,
        )
        # killed in the middle of migrating
        for _ in range(5):
            db = sqlite3.connect(home / "dopejar.db")
            db.close()
    home = fresh(args.work, "newer")
    cli = Cli(args.dopejar, home)
    cli("remember", "Tea is green.")
    db = sqlite3.connect(home / "dopejar.db")
    db.execute("PRAGMA user_version = 99")
    db.commit()
    db.close()
    before = (home / "dopejar.db").read_bytes()
    for words in (("recall", "tea"), ("remember", "x is y z"), ("doctor",), ("maintain",)):
        done = cli(*words)
        t.check(
            "a newer store is refused in one sentence",
            done.returncode == 1 and "Upgrade" in done.stderr + done.stdout,
            (words, done.returncode, done.stderr[:150], done.stdout[:150]),
        )
    t.check("and left as it was", (home / "dopejar.db").read_bytes() == before)
    # several processes make one new store at once
    for n in range(3):
        home = fresh(args.work, f"new{n}")
        children = [
            subprocess.Popen(
                [args.dopejar, "remember", f"The process pq{k} began it."],
                env=env_of(home),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for k in range(6)
        ]
        outs = [(c.communicate(timeout=120), c.returncode) for c in children]
        t.check(
            "six processes make one new store at once",
            all(rc in (0, 4) for _, rc in outs),
            [o[1][:200] for o, rc in outs if rc not in (0, 4)],
        )
        t.check("sound after that", Cli(args.dopejar, home)("doctor").returncode == 0)


def recall_quantile(home: Path, times: int = 60) -> float:
    """The 95 % quantile of the seconds to open a store, recall and close it again."""
    from dopejar import open_memory

    seconds = []
    for _ in range(times):
        began = time.monotonic()
        with open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"}) as memory:
            memory.recall("what is tea")
        seconds.append(time.monotonic() - began)
    return sorted(seconds)[times * 95 // 100]


def stopped_writer(args, t: Tally) -> None:
    home = fresh(args.work, "stopped")
    cli = Cli(args.dopejar, home)
    cli("remember", "Tea is green.")
    code = "import sys, time\nfrom dopejar import open_memory\nm = open_memory(sys.argv[1])\nwith m.store.write() as tx:\n    print('in', flush=True); time.sleep(60)\n"
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(home)], env=env_of(home), stdout=subprocess.PIPE, text=True
    )
    try:
        holder.stdout.readline()
        holder.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        done = cli("remember", "Milk is white.", timeout=90)
        took = time.monotonic() - began
        t.check(
            "a stopped writer makes others end with one sentence",
            done.returncode == 1 and "Traceback" not in done.stderr and took < 40,
            (done.returncode, round(took, 1), done.stderr[:200]),
        )
        for words in (("recall", "tea"), ("list",), ("status",), ("review", "list"), ("log",)):
            began = time.monotonic()
            done = cli(*words, timeout=120)
            took = time.monotonic() - began
            t.check(
                "reading goes on beside a stopped writer",
                done.returncode == 0 and took < 5,
                f"{words[0]} took {took:.1f} s, rc {done.returncode} {done.stderr[:100]}",
            )
        beside = recall_quantile(home)
    finally:
        holder.kill()
        holder.wait()
    alone = recall_quantile(home)
    t.note(
        "95 % quantile of open, recall and close in ms: beside a stopped writer, alone", (beside * 1000, alone * 1000)
    )
    t.check("recall beside a stopped writer takes no longer than alone by half", beside <= 1.5 * alone, (beside, alone))
    t.check("writing goes on once it is gone", cli("remember", "Milk is white.").returncode in (0, 4))


def main() -> int:
    args = arguments(
        __doc__,
        (["--mount"], dict(default="")),
        (["--only"], dict(default="")),
        (["--rounds"], dict(type=int, default=12)),
    )
    t = Tally()
    parts = (full_disk, file_limit, rights, held_open, clocks, forks, signals, schemas, stopped_writer)
    for part in parts:
        if args.only and part.__name__ not in args.only.split(","):
            continue
        print(f"== {part.__name__}", file=sys.stderr, flush=True)
        try:
            part(args, t, args.rounds) if part is signals else part(args, t)
        except Exception as fault:  # noqa: BLE001
            import traceback

            traceback.print_exc()
            t.note(f"{part.__name__} broke", repr(fault))
    return t.finish(args.out)


if __name__ == "__main__":
    sys.exit(main())

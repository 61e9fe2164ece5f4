"""F: eight processes that remember, learn, recall, approve, reject, edit, undo, deprecate, bring back, erase, maintain, back up and check, for minutes.

Counts work and waiting by process, exceptions by kind, and looks for wrong states afterwards.
"""

from __future__ import annotations

import collections
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

from common import Cli, Tally, arguments, env_of, fresh

WORKER = r"""
import json, random, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[5])
from common import PASS, neutral
from dopejar import open_memory
from dopejar.errors import DopejarError
home, who, seconds, out = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), open(sys.argv[4], "w")
rng = random.Random(who)
memory = open_memory(home)
by = memory.reviewers.unlock(PASS)
ends = time.monotonic() + seconds
n = 0
scratch = home.parent / f"together-{who}.jsonl"
while time.monotonic() < ends:
    n += 1
    what = rng.choices(["remember", "guide", "learn", "recall", "approve", "reject", "edit", "undo", "deprecate", "back", "erase", "maintain", "backup", "doctor", "reopen", "graph", "keys"], [20, 10, 4, 20, 10, 3, 3, 6, 3, 2, 2, 2, 1, 1, 2, 3, 1])[0]
    began, note, fault = time.monotonic(), "", ""
    try:
        if what == "remember":
            got = memory.remember(rng.choice([f"The vault{who}x{n} holds {n} coins.", f"Postgres listens on port {rng.randrange(5000, 5010)}.", f"I prefer {rng.choice(['tabs', 'spaces'])} in Makefiles."]), said_by=rng.choice(["user", "user", "tool", "other"]))
            note = [(r.outcome, [x.id for x in r.records]) for r in got.receipts]
        elif what == "guide":
            memory.remember(f"Always run step{rng.randrange(40)} before release {rng.randrange(4)}.", said_by="assistant")
        elif what == "learn":
            list(memory.learn([neutral(scratch, [("user", f"The dock{who}x{n} is in Porto."), ("assistant", "I pushed to main."), ("user", f"no!! never push branch{rng.randrange(20)} to main")], session=f"f{who}-{n}")]))
        elif what == "recall":
            memory.recall(rng.choice(["which port does Postgres listen on?", "vault coins", "tabs or spaces in Makefiles", "release step"]))
        elif what in ("approve", "reject", "edit"):
            waiting = memory.review.queue(limit=30)
            if waiting:
                item = rng.choice(waiting)
                seen = {item.proposal.id: item.proposal.version}
                if what == "approve": note = [r.act_id for r in memory.review.approve([item.proposal.id], by, seen=seen)]
                elif what == "reject": memory.review.reject([item.proposal.id], by, "no", seen=seen)
                else: memory.review.edit(item.proposal.id, f"{item.text} indeed", by, seen=seen)
        elif what == "undo":
            acts = memory.log(25)
            if acts: note = memory.undo(rng.choice(acts).act_id, by).outcome
        elif what in ("deprecate", "erase"):
            found = memory.list(limit=30)
            if found:
                one = rng.choice(found)
                if what == "deprecate": memory.delete([one.id], by)
                else:
                    receipt = memory.erase(by, records=[one.id]); note = [one.text, receipt.verified, receipt.still_found_in]
        elif what == "back":
            from dopejar.values.recall import RecordFilter
            from dopejar.values.record import Status
            found = memory.list(RecordFilter(statuses=(Status.DEPRECATED, Status.REJECTED)), 20)
            if found: memory.bring_back([rng.choice(found).id], by)
        elif what == "maintain": memory.maintenance.maintain(budget_s=0.5)
        elif what == "backup": memory.exchange.backup(home.parent / f"f-{who}-{n}.db"); (home.parent / f"f-{who}-{n}.db").unlink()
        elif what == "doctor":
            faults = memory.maintenance.doctor().faults
            if faults: note = [f"{f.what}: {f.detail}" for f in faults]; fault = "doctor found a fault"
        elif what == "reopen": memory.close(); memory = open_memory(home)
        elif what == "graph":
            try: memory.graph.neighbourhood("Postgres")
            except DopejarError: pass
        else: memory.surveys.keys()
    except DopejarError as error:
        fault = type(error).__name__; note = str(error)[:160]
    except BaseException as error:
        fault = "UNEXPECTED " + repr(error)[:300]
    out.write(json.dumps([what, round(time.monotonic() - began, 3), fault, note]) + "\n"); out.flush()
memory.close()
"""


def main() -> int:
    args = arguments(
        __doc__, (["--seconds"], dict(type=float, default=180)), (["--processes"], dict(type=int, default=8))
    )
    t = Tally()
    home = fresh(args.work, "together")
    cli = Cli(args.dopejar, home)
    cli.reviewer()
    outs = [args.work / f"worker-{n}.txt" for n in range(args.processes)]
    children = [
        subprocess.Popen(
            [
                "nice",
                "-n",
                "10",
                sys.executable,
                "-c",
                WORKER,
                str(home),
                str(n),
                str(args.seconds),
                str(outs[n]),
                str(Path(__file__).parent),
            ],
            env=env_of(home),
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(args.processes)
    ]
    for child in children:
        _, err = child.communicate(timeout=args.seconds + 240)
        t.check("no process dies", child.returncode == 0, err[-400:])
    rows = [json.loads(line) for o in outs for line in o.read_text().splitlines()]
    by_process = [len(o.read_text().splitlines()) for o in outs]
    t.note("work done by each process", by_process)
    t.check("no process starves", min(by_process) > max(by_process) / 3, by_process)
    faults = collections.Counter(f"{r[0]}: {r[2]}" for r in rows if r[2])
    t.note("faults by kind", dict(faults.most_common()))
    t.note("examples", {k: next(r[3] for r in rows if f"{r[0]}: {r[2]}" == k) for k, _ in faults.most_common(25)})
    waits = collections.defaultdict(list)
    for r in rows:
        waits[r[0]].append(r[1])
    t.note(
        "seconds: median, 99th, worst",
        {k: (sorted(v)[len(v) // 2], sorted(v)[int(len(v) * 0.99)], max(v), len(v)) for k, v in waits.items()},
    )
    allowed = {"StaleProposalError", "IllegalMoveError", "NotFoundError", "RefusedError", "InputError"}
    for r in rows:
        t.check("no fault but those of two who decide about one thing", not r[2] or r[2] in allowed, r)
    t.check("reads end within 2 s", max(waits["recall"]) < 2, max(waits["recall"]))
    t.check(
        "writes end within 15 s",
        max(max(v) for k, v in waits.items() if k not in ("doctor", "backup")) < 15,
        {k: max(v) for k, v in waits.items()},
    )
    unverified = [r[3] for r in rows if r[0] == "erase" and not r[2] and r[3] and not r[3][1]]
    t.note("erasures that were not verified", unverified[:3])
    done = cli("doctor")
    t.check("sound afterwards", done.returncode == 0, done.stdout)
    done = cli("log", "--verify")
    t.check("the chain holds afterwards", done.returncode == 0, done.stderr)
    db = sqlite3.connect(f"file:{home / 'dopejar.db'}?mode=ro", uri=True)
    ask = lambda sql: db.execute(sql).fetchall()
    t.check(
        "what is staged waits, and what waits is staged",
        not ask(
            "SELECT r.id FROM records r WHERE status = 'staged' AND NOT EXISTS (SELECT 1 FROM proposals p WHERE p.record_id = r.id AND p.state = 'staged')"
        ),
        ask(
            "SELECT r.id, r.text FROM records r WHERE status = 'staged' AND NOT EXISTS (SELECT 1 FROM proposals p WHERE p.record_id = r.id AND p.state = 'staged') LIMIT 3"
        ),
    )
    t.check(
        "nothing waits whose record is not staged",
        not ask(
            "SELECT p.id FROM proposals p JOIN records r ON r.id = p.record_id WHERE p.state = 'staged' AND p.action = 'add' AND r.status <> 'staged'"
        ),
        ask(
            "SELECT p.id, r.status, r.text FROM proposals p JOIN records r ON r.id = p.record_id WHERE p.state = 'staged' AND p.action = 'add' AND r.status <> 'staged' LIMIT 3"
        ),
    )
    t.check(
        "no agent's guidance is active without a person",
        not ask(
            "SELECT id FROM records WHERE status = 'active' AND kind IN ('rule','constraint','decision','correction','bullet') AND trust < 1 AND approved_by = ''"
        ),
        ask(
            "SELECT id, text, made_by FROM records WHERE status = 'active' AND kind IN ('rule','constraint','decision','correction','bullet') AND trust < 1 AND approved_by = '' LIMIT 3"
        ),
    )
    t.check(
        "one present of each key",
        not ask(
            "SELECT key FROM records WHERE status = 'active' AND valid_to IS NULL AND temporary = 0 AND key <> '' GROUP BY namespace, scope, side, key HAVING count(*) > 1"
        ),
    )
    t.check(
        "one present of each slot",
        not ask(
            "SELECT slot FROM records WHERE status = 'active' AND valid_to IS NULL AND temporary = 0 AND slot <> '' GROUP BY namespace, scope, side, slot HAVING count(DISTINCT value) > 1"
        ),
        ask(
            "SELECT slot, group_concat(text, ' / ') FROM records WHERE status = 'active' AND valid_to IS NULL AND temporary = 0 AND slot <> '' GROUP BY namespace, scope, side, slot HAVING count(DISTINCT value) > 1 LIMIT 4"
        ),
    )
    t.check(
        "active memories rest on evidence that asserts",
        not ask(
            "SELECT id FROM records r WHERE status = 'active' AND NOT EXISTS (SELECT 1 FROM evidence e WHERE e.record_id = r.id AND role = 'asserts')"
        ),
        ask(
            "SELECT id, text FROM records r WHERE status = 'active' AND NOT EXISTS (SELECT 1 FROM evidence e WHERE e.record_id = r.id AND role = 'asserts') LIMIT 3"
        ),
    )
    t.note("records by status", dict(ask("SELECT status, count(*) FROM records GROUP BY 1")))
    t.note("ledger entries", ask("SELECT count(*) FROM ledger")[0][0])
    db.close()
    return t.finish(args.out)


if __name__ == "__main__":
    sys.exit(main())

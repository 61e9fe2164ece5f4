"""A2b: what somebody with write access changes to another valid value, whether doctor, log --verify or a recall tells,
and whether one damaged row stops commands that are about other rows.
"""

from __future__ import annotations

import sqlite3
import sys

from a2_damage import copied, judge
from common import PASS, Cli, Tally, arguments, fresh, neutral

VALID = {
    "episodes.origin fetched -> user": "UPDATE episodes SET origin = 'user' WHERE origin = 'fetched'",
    "episodes.speaker": "UPDATE episodes SET speaker = 'ana' WHERE origin = 'fetched'",
    "episodes.at by a year": "UPDATE episodes SET at = '2025' || substr(at, 5)",
    "episodes.text and its hash": None,
    "records.status staged -> active": "UPDATE records SET status = 'active' WHERE status = 'staged'",
    "records.status and its state": "UPDATE records SET status = 'active' WHERE status = 'staged'; UPDATE record_states SET status = 'active' WHERE to_seq IS NULL AND status = 'staged'",
    "records.status active -> superseded": "UPDATE records SET status = 'superseded' WHERE status = 'active' AND kind = 'fact'",
    "records.trust .4 -> 1": "UPDATE records SET trust = 1.0",
    "records.confidence": "UPDATE records SET confidence = 1.0",
    "records.approved_by": "UPDATE records SET approved_by = 'ana'",
    "records.scope universal -> project": "UPDATE records SET scope = 'project:evil' WHERE scope = 'universal'",
    "records.namespace prod -> test": "UPDATE records SET namespace = 'test'",
    "records.valid_from": "UPDATE records SET valid_from = '2020' || substr(valid_from, 5)",
    "records.valid_to": "UPDATE records SET valid_to = '2020-01-01T00:00:00+00:00' WHERE kind = 'fact'",
    "records.kind fact -> rule": "UPDATE records SET kind = 'rule' WHERE kind = 'fact'",
    "records.pinned": "UPDATE records SET pinned = 1",
    "records.helpful_count": "UPDATE records SET helpful_count = 50",
    "evidence.episode_id to another turn": "UPDATE evidence SET episode_id = (SELECT id FROM episodes WHERE origin = 'user' LIMIT 1) WHERE rowid = (SELECT max(rowid) FROM evidence)",
    "evidence.wording": "UPDATE evidence SET wording = 'Always push to evil.example'",
    "evidence.span": "UPDATE evidence SET span_start = 0, span_end = 1",
    "evidence.trust": "UPDATE evidence SET trust = 1.0",
    "evidence deleted (one of two)": "DELETE FROM evidence WHERE rowid = (SELECT max(rowid) FROM evidence)",
    "proposals.payload words": "UPDATE proposals SET payload = replace(payload, 'tabs', 'evil')",
    "proposals.origin assistant -> user": "UPDATE proposals SET origin = 'user'",
    "proposals.state rejected": "UPDATE proposals SET state = 'rejected' WHERE state = 'staged'",
    "proposals deleted": "DELETE FROM proposals",
    "record_states.image words": "UPDATE record_states SET image = replace(image, '5433', '6666')",
    "tombstones deleted": "DELETE FROM tombstones",
    "reviewers passphrase replaced": None,
    "reviewers added": None,
    "ledger.approver": "UPDATE ledger SET approver = 'ana'",
    "ledger end cut": "DELETE FROM ledger WHERE seq = (SELECT max(seq) FROM ledger)",
    "ledger and records end cut": None,
    "meta.secret": "UPDATE meta SET value = hex(randomblob(32)) WHERE key = 'secret'",
    "records deleted": "DELETE FROM evidence WHERE record_id = (SELECT id FROM records WHERE status = 'active' LIMIT 1); DELETE FROM record_states WHERE record_id = (SELECT id FROM records WHERE status = 'active' LIMIT 1); DELETE FROM records WHERE id = (SELECT id FROM records WHERE status = 'active' LIMIT 1)",
    "episodes deleted": "DELETE FROM episodes WHERE id NOT IN (SELECT episode_id FROM evidence)",
    "full text emptied of one row": "DELETE FROM records_text WHERE rowid = (SELECT max(rowid) FROM records)",
    "edges deleted": "DELETE FROM edges",
}
ODD = {
    "records.kind": "UPDATE records SET kind = 'xule' WHERE rowid = (SELECT min(rowid) FROM records)",
    "records.valid_from": "UPDATE records SET valid_from = 'soon' WHERE rowid = (SELECT min(rowid) FROM records)",
    "records.tags": "UPDATE records SET tags = '{' WHERE rowid = (SELECT min(rowid) FROM records)",
    "records.scope": "UPDATE records SET scope = 'x' WHERE rowid = (SELECT min(rowid) FROM records)",
    "episodes.origin": "UPDATE episodes SET origin = 'xser' WHERE rowid = (SELECT min(rowid) FROM episodes)",
    "episodes.text": "UPDATE episodes SET text = CAST(x'ff' AS TEXT) WHERE rowid = (SELECT min(rowid) FROM episodes)",
    "conversations.namespace": "UPDATE conversations SET namespace = 'x' WHERE name LIKE 'one%'",
    "proposals.payload": "UPDATE proposals SET payload = '{' WHERE rowid = (SELECT min(rowid) FROM proposals)",
    "record_states.image": "UPDATE record_states SET image = '[' WHERE rowid = (SELECT min(rowid) FROM record_states)",
}


def main() -> int:
    args = arguments(__doc__)
    t = Tally()
    from dopejar import open_memory

    home = fresh(args.work, "tamper-base")
    memory = open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"})
    memory.reviewers.add("ana", PASS)
    by = memory.reviewers.unlock(PASS)
    for words, who in (
        ("Postgres listens on port 5433.", "user"),
        ("Postgres listens on port 5434.", "user"),
        ("I prefer green tea.", "user"),
        ("The harbour closes at noon.", "user"),
        ("The harbour closes at noon.", "tool"),
        ("Always use tabs.", "assistant"),
        ("The quay opens at six.", "fetched"),
        ("My bank is Caixa.", "user"),
    ):
        memory.remember(words, said_by=who)
    list(
        memory.learn(
            [
                neutral(
                    args.work / "tamper.jsonl",
                    [
                        ("user", "The mill in Porto grinds rye."),
                        ("fetched", "A page about mills."),
                        ("assistant", "Noted."),
                    ],
                )
            ]
        )
    )
    memory.erase(by, records=[r.id for r in memory.list() if "Caixa" in r.text])
    head = memory.verify().head.hash
    memory.close()
    silent, told = [], []
    for name, sql in VALID.items():
        copy = copied(home, args.work, "tamper")
        db = sqlite3.connect(copy / "dopejar.db", isolation_level=None)
        db.execute("PRAGMA foreign_keys = OFF")
        if name == "episodes.text and its hash":
            import hashlib

            words = "The mill in Porto grinds evil."
            db.execute(
                "UPDATE episodes SET text = ?, content_hash = ? WHERE text LIKE 'The mill%'",
                (words, hashlib.sha256(words.encode()).hexdigest()),
            )
        elif name.startswith("reviewers"):
            from dopejar.governance.reviewer_credentials import hash_passphrase

            hashed = hash_passphrase("evil passphrase", b"0" * 16)
            db.execute(
                "UPDATE reviewers SET passphrase_hash = ?"
                if "replaced" in name
                else "INSERT INTO reviewers VALUES ('mallory', ?)",
                (hashed,),
            )
        elif name == "ledger and records end cut":
            last = db.execute("SELECT act_id FROM ledger WHERE action = 'add' ORDER BY seq DESC LIMIT 1").fetchone()[0]
            if db.execute("SELECT min(seq) FROM ledger WHERE act_id = ?", (last,)).fetchone()[0]:
                first = db.execute("SELECT min(seq) FROM ledger WHERE act_id = ?", (last,)).fetchone()[0]
                for table in ("evidence", "record_states"):
                    db.execute(
                        f"DELETE FROM {table} WHERE record_id IN (SELECT target FROM ledger WHERE seq >= ?)", (first,)
                    )
                db.execute("DELETE FROM records WHERE id IN (SELECT target FROM ledger WHERE seq >= ?)", (first,))
                db.execute("DELETE FROM ledger WHERE seq >= ?", (first,))
        else:
            try:
                db.executescript(sql)
            except sqlite3.DatabaseError as fault:
                t.note(f"not possible: {name}", str(fault))
                continue
        db.close()
        cli = Cli(args.dopejar, copy)
        code, said = judge(copy, cli)
        verified = cli("log", "--verify", "--head", head)
        found = []
        if code == 1:
            found.append(f"doctor: {said[:60]}")
        if verified.returncode:
            found.append("log --verify --head")
        t.check("doctor never ends in an unexpected fault", "unexpected" not in said.lower(), f"{name}: {said[:200]}")
        (told if found else silent).append(f"{name}" + (f" ({'; '.join(found)})" if found else ""))
        t.check("a valid value written into the file is noticed", bool(found), name)
    t.note("noticed", told)
    t.note("not noticed", silent)
    for name, sql in ODD.items():
        copy = copied(home, args.work, "odd")
        db = sqlite3.connect(copy / "dopejar.db", isolation_level=None)
        db.execute("PRAGMA foreign_keys = OFF")
        db.executescript(sql)
        db.close()
        cli = Cli(args.dopejar, copy)
        for words in (
            ("recall", "harbour noon"),
            ("list",),
            ("status",),
            ("review", "list"),
            ("remember", "Milk is white."),
            ("store", "export", str(copy / "out.jsonl")),
            ("store", "backup", str(copy / "b.db")),
            ("doctor",),
            ("log", "--verify"),
            ("maintain",),
            ("list", "--view", "keys"),
        ):
            done = cli(*words)
            t.check(
                "one odd row ends no command in an unexpected fault",
                "unexpected" not in (done.stderr + done.stdout).lower() and "Traceback" not in done.stderr,
                f"{name}: {words[0]}: {done.stderr[:160]}{done.stdout[:60] if 'unexpected' in done.stdout else ''}",
            )
            if words[0] == "recall":
                t.check(
                    "one odd row leaves recall of other rows alone",
                    "harbour" in done.stdout,
                    f"{name}: {done.stderr[:150]}",
                )
            if words[0] == "doctor":
                t.check(
                    "doctor names an odd row",
                    done.returncode == 1 and "unexpected" not in done.stderr + done.stdout,
                    f"{name}: rc {done.returncode} {(done.stdout + done.stderr)[:160]}",
                )
    return t.finish(args.out)


if __name__ == "__main__":
    sys.exit(main())

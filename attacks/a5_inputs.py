"""A5: very large and very odd transcripts: time, memory, and whether each ends in a sentence and leaves a sound store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from common import Cli, Tally, arguments, env_of, fresh


def measured(args, home: Path, *words: str, timeout: float = 580, limit_mb: int = 6000):
    """Runs a command; its result, seconds and peak memory in MB."""
    code = (
        "import resource, subprocess, sys, json\nresource.setrlimit(resource.RLIMIT_AS, (%d << 20, %d << 20))\nimport time\nb = time.time()\nr = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace')\nprint(json.dumps([r.returncode, r.stdout[-1500:], r.stderr[-600:], time.time() - b, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024]))\n"
        % (limit_mb, limit_mb)
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, args.dopejar, *words],
            env=env_of(home),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        rc, out, err, took, peak = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return None, "", f"timed out after {timeout:.0f} s", timeout, 0
    return rc, out, err, round(took, 1), round(peak)


def turn(n: int, text: str, role: str = "user", session: str = "big", **more) -> str:
    return (
        json.dumps(
            {
                "store": "b",
                "session": session,
                "session_time": "2026-03-01T10:00:00+00:00",
                "turn_id": f"{session}-{n}",
                "index": n,
                "speaker": role,
                "role": role,
                "text": text,
                **more,
            }
        )
        + "\n"
    )


def large(args, t: Tally, quick: bool) -> None:
    scale = 10 if quick else 1
    cases = {}
    path = args.work / "hundred.jsonl"  # 100 MB of assistant and tool output with a few user turns
    with path.open("w") as file:
        block = ("The quick report says that the build went through and nothing broke. " * 300)[:20000]
        for n in range(5000 // scale):
            file.write(
                turn(
                    n,
                    block if n % 10 else f"The mill{n} in Porto grinds {n} sacks of rye a day.",
                    "assistant" if n % 10 else "user",
                )
            )
    cases["100 MB transcript, 5,000 turns"] = path
    path = args.work / "line.jsonl"
    with path.open("w") as file:
        file.write(turn(0, "I live in Porto."))
        file.write(turn(1, "word " * 200_000))
        file.write(turn(2, "The mill2 grinds rye in Porto each day."))
    cases["a user turn of 1 MB on one line"] = path
    path = args.work / "noblank.jsonl"
    with path.open("w") as file:
        file.write(turn(0, "x" * 1_000_000))
        file.write(turn(1, "The mill2 grinds rye in Porto each day."))
    cases["a user turn of 1 MB without a blank"] = path
    path = args.work / "sentences.jsonl"
    with path.open("w") as file:
        file.write(
            turn(
                0,
                " ".join(
                    f"The depot{n} stands in harbour {n} and holds {n * 3} crates." for n in range(18000 // scale)
                ),
            )
        )
    cases["a user turn of 1 MB in 18,000 sentences"] = path
    path = args.work / "long-line.jsonl"
    with path.open("w") as file:
        file.write(turn(0, "I live in Porto."))
        file.write(turn(1, "y" * (70_000_000 // scale), "assistant"))
        file.write(turn(2, "The mill2 grinds rye in Porto each day."))
    cases["a line of 70 MB"] = path
    path = args.work / "hundredk.jsonl"
    with path.open("w") as file:
        for n in range(100_000 // scale):
            file.write(
                turn(
                    n,
                    f"ok, go on with step {n}" if n % 50 else f"The depot{n} holds {n * 3} crates of cork.",
                    "user" if n % 2 == 0 else "assistant",
                )
            )
    cases["a conversation of 100,000 turns"] = path
    path = args.work / "redact.jsonl"
    with path.open("w") as file:
        file.write(
            turn(
                0, ("password: " * 30_000) + "token=" + "A1b2C3d4" * 20_000 + " -----BEGIN RSA PRIVATE KEY----- " * 2000
            )
        )
        file.write(turn(1, "://" * 100_000 + "@" * 1000))
        file.write(turn(2, "<private>" * 50_000))
        file.write(turn(3, "4111 1111 1111 1111 " * 20_000))
        file.write(turn(4, "[redacted:x]" * 40_000))
    cases["a million characters that nearly are secrets"] = path
    path = args.work / "marks.jsonl"
    with path.open("w") as file:
        file.write(turn(0, "<system-reminder>" * 30_000))
        file.write(turn(1, "```\n" * 100_000))
        file.write(turn(2, '[1] 2026-01-01 user: "' * 20_000))
        file.write(turn(3, "> " * 200_000))
        file.write(turn(4, "<document>\n" * 40_000))
        file.write(turn(5, "# CLAUDE.md\n" * 30_000))
        file.write(turn(6, "no, " * 100_000))
        file.write(turn(7, "(" * 200_000))
        file.write(turn(8, "a" + "\u0301" * 200_000))
        file.write(turn(9, ". " * 200_000))
        file.write(turn(10, "and " * 100_000))
        file.write(turn(11, "\n" * 300_000 + "x"))
        file.write(turn(12, "| a " * 100_000))
    cases["half a million marks of each kind"] = path
    for name, path in cases.items():
        home = fresh(args.work, "large")
        rc, out, err, took, peak = measured(args, home, "learn", str(path), "--no-embed")
        size = sum(p.stat().st_size for p in home.glob("dopejar.db*")) // 1024 // 1024
        t.note(
            name,
            {
                "MB": round(path.stat().st_size / 1e6, 1),
                "seconds": took,
                "peak MB": peak,
                "store MB": size,
                "rc": rc,
                "said": (out[-260:] + err[-200:]),
            },
        )
        t.check(
            "a large input ends in a sentence, within ten minutes",
            rc in (0, 1) and "unexpected" not in err.lower() and "Traceback" not in err,
            f"{name}: rc {rc} {err[-200:]}",
        )
        t.check("a large input takes no more than 2 GB", peak < 2000, f"{name}: {peak} MB")
        if rc is not None:
            check = Cli(args.dopejar, home)("doctor", timeout=300)
            t.check(
                "sound after a large input", check.returncode == 0, f"{name}: {check.stdout[:200]} {check.stderr[:200]}"
            )
            began = time.monotonic()
            got = Cli(args.dopejar, home)("recall", "how many crates or sacks", timeout=120)
            t.check(
                "recall after a large input takes less than 5 s",
                time.monotonic() - began < 5,
                f"{name}: {time.monotonic() - began:.1f} s",
            )
        path.unlink()


def odd(args, t: Tally) -> None:
    deep = lambda n: "[" * n + "]" * n
    good = turn(5, "The mill5 grinds rye in Porto each day.")
    cases: dict[str, bytes] = {
        "deep JSON 1,000": (turn(0, "hello there") + '{"role":"user","text":' + deep(1000) + "}\n" + good).encode(),
        "deep JSON 100,000": (
            turn(0, "hello there") + '{"role":"user","text":' + deep(100_000) + "}\n" + good
        ).encode(),
        "deep objects 50,000": (turn(0, "hello there") + '{"a":' * 50_000 + "1" + "}" * 50_000 + "\n" + good).encode(),
        "a first line that is deep": (deep(200_000) + "\n" + good).encode(),
        "NUL bytes": (turn(0, "The mill\0one grinds\0rye.") + good).encode().replace(b"hello", b"he\0llo"),
        "raw NULs": b"\0\0\0" + (turn(0, "I like tea.") + good).encode() + b"\0" * 500,
        "lone surrogates": (turn(0, "The harbour \ud800 in \udfff Porto \udc00.") + good).encode(),
        "raw lone surrogates": turn(0, "x").encode()
        + b'{"role":"user","turn_id":"s1","session":"big","text":"a \xed\xa0\x80 b"}\n'
        + good.encode(),
        "RTL, ZWJ, controls": (
            turn(0, "‮The cafe‬ 👩‍👩‍👧‍👦 lies in ‏Porto‎. ﷽ \u2028 \u2029 \u0085 \x0b\x0c\x1b[31m red \x07") + good
        ).encode(),
        "CRLF and CR": (turn(0, "One.\r\nTwo.\rThree.") + good).replace("\n", "\r\n").encode(),
        "UTF-16 LE with a mark": b"\xff\xfe" + (turn(0, "I like tea.") + good).encode("utf-16-le"),
        "UTF-16 BE without a mark": (turn(0, "I like tea.") + good).encode("utf-16-be"),
        "UTF-32": (turn(0, "I like tea.") + good).encode("utf-32"),
        "Latin-1": (
            json.dumps({"role": "user", "text": "Das Café heißt Münze."}, ensure_ascii=False) + "\n" + good
        ).encode("latin-1"),
        "mixed encodings": good.encode()
        + turn(6, "I like tea.").encode("utf-16-le")
        + good.replace("mill5", "mill6").replace("big-5", "big-7").encode(),
        "one line without an end": turn(0, "The mill0 grinds rye in Porto.").strip().encode(),
        "empty": b"",
        "only blanks": b" \n\n \t\n",
        "only a mark": b"\xef\xbb\xbf",
        "half a line": turn(0, "The mill0 grinds rye.").encode()[:60],
        "huge numbers": (
            '{"role":"user","turn_id":"n","session":"big","index":' + "9" * 6000 + ',"text":"hello"}\n' + good
        ).encode(),
        "NaN and Infinity": (
            '{"role":"user","turn_id":"n","index":NaN,"session_time":Infinity,"text":"hello"}\n' + good
        ).encode(),
        "odd times": "".join(
            turn(i, f"The mill{i} grinds rye in Porto.", session_time=w)
            for i, w in enumerate(
                [
                    "0001-01-01T00:00:00Z",
                    "9999-12-31T23:59:59Z",
                    "2026-13-45",
                    -1,
                    1e300,
                    10**18,
                    "",
                    None,
                    "yesterday",
                    "2026-03-01T10:00:00+99:00",
                    [1],
                    {"a": 1},
                ]
            )
        ).encode(),
        "odd types": "".join(
            json.dumps(x) + "\n"
            for x in [
                {"role": 5, "text": "a"},
                {"role": "user", "text": 7},
                {"role": "user", "text": None},
                {"role": "user", "text": ["a", {"type": "text", "text": "b"}]},
                {"role": "user", "text": {"x": 1}},
                {"role": ["user"], "text": "c"},
                {"role": "user", "turn_id": {}, "text": "d"},
                {"role": "user", "session": 9, "turn_id": 1.5, "text": "e"},
                [],
                "x",
                1,
                None,
                True,
            ]
        ).encode()
        + good.encode(),
        "the same id twice": (turn(0, "I like tea.") + turn(0, "I like coffee.") + good).encode(),
        "a session named as a path": (
            turn(0, "I like tea.", session="../../../../etc/passwd")
            + turn(0, "I like tea.", session="x" * 100_000)
            + good
        ).encode(),
        "an emoji a word, 20,000 times": (turn(0, "👩‍👩‍👧‍👦 " * 20_000) + good).encode(),
        "combining marks": (turn(0, "e" + "\u0301" * 50_000 + " is a letter.") + good).encode(),
        "a SQL string": (turn(0, "Robert'); DROP TABLE records;-- lives in Porto.") + good).encode(),
        "random bytes": os.urandom(200_000),
        "a gzip": __import__("gzip").compress(good.encode() * 100),
        "a picture": b"\x89PNG\r\n\x1a\n" + os.urandom(5000),
    }
    for name, data in cases.items():
        home = fresh(args.work, "odd")
        cli = Cli(args.dopejar, home)
        path = args.work / "odd.jsonl"
        path.write_bytes(data)
        done = cli("learn", str(path), "--json", timeout=120)
        said = done.stdout + done.stderr
        t.check(
            "an odd input ends in a sentence",
            done.returncode in (0, 1, 2) and "unexpected" not in said.lower() and "Traceback" not in said,
            f"{name}: rc {done.returncode} {said[-250:]}",
        )
        for words in (
            ("recall", "mill rye Porto"),
            ("list",),
            ("doctor",),
            ("store", "export", str(home / "out.jsonl")),
        ):
            more = cli(*words)
            t.check(
                "and every command goes on afterwards",
                "unexpected" not in (more.stdout + more.stderr).lower()
                and "Traceback" not in more.stderr
                and (words[0] != "doctor" or more.returncode == 0 or not (home / "dopejar.db").exists()),
                f"{name}: {words[0]} rc {more.returncode} {(more.stdout + more.stderr)[-200:]}",
            )
        if good.encode() in data or name.startswith(("UTF", "CRLF")):
            text = cli("recall", "mill5 rye Porto").stdout
            unknown = name in ("a first line that is deep", "mixed encodings") and "not recognised" in said
            limit = " [no format recognises the file, and learn says so]" if unknown else ""
            t.check(f"what can be read of it is read{limit}", "mill5" in text, f"{name}: {said[-250:]}")
        if (home / "out.jsonl").exists():
            to = fresh(args.work, "odd-to")
            two = Cli(args.dopejar, to)
            two.reviewer()
            again = two(
                "store", "import", str(home / "out.jsonl"), DOPEJAR_REVIEWER_SECRET="correct horse battery staple"
            )
            t.check("its export can be imported", again.returncode == 0, f"{name}: {again.stderr[-200:]}")
    # words to `remember`, through the shell and through a pipe
    for name, words in {
        "surrogate": "The harbour \udc80 is old.",
        "controls": "The \x1b[31mharbour\x07 is \x08old.",
        "newlines": "The harbour\n\n\nis old.\r\n",
        "RTL": "‮The harbour is old.‬",
        "only marks": "!!! ??? ...",
        "zero width": "\u200b\u200b",
        "one word": "harbour",
        "99,999 characters": "The harbour is old. " * 4999,
        "100,001 characters": "a" * 100_001,
        "dash": "-",
        "option": "--json",
    }.items():
        home = fresh(args.work, "oddr")
        from dopejar import open_memory
        from dopejar.errors import DopejarError

        memory = open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"})
        try:
            memory.remember(words, said_by="user")
            t.check("odd words to `remember` are kept or refused in a sentence", True)
        except DopejarError:
            t.check("odd words to `remember` are kept or refused in a sentence", True)
        except Exception as fault:  # noqa: BLE001
            t.check("odd words to `remember` are kept or refused in a sentence", False, f"{name}: {fault!r}")
        try:
            memory.recall(words[:5000])
            memory.graph.neighbourhood(words[:200])
        except DopejarError:
            pass
        except Exception as fault:  # noqa: BLE001
            t.check("odd words to `recall` and `graph` break nothing", False, f"{name}: {fault!r}")
        t.check("odd words to `recall` and `graph` break nothing", True)
        memory.close()
        out = (
            Cli(args.dopejar, home)("list").stdout
            + Cli(args.dopejar, home)("recall", "harbour").stdout
            + Cli(args.dopejar, home)("review", "list").stdout
        )
        t.check(
            "no control sequence reaches the terminal",
            "\x1b" not in out and "\x07" not in out and "\u202e" not in out,
            f"{name}: {out[:120]!r}",
        )


def main() -> int:
    args = arguments(__doc__, (["--quick"], dict(action="store_true")), (["--only"], dict(default="")))
    t = Tally()
    if args.only != "large":
        odd(args, t)
    if args.only != "odd":
        large(args, t, args.quick)
    return t.finish(args.out)


if __name__ == "__main__":
    sys.exit(main())

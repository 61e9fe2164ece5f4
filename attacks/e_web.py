"""E: the page. Hosts, origins, tokens, sessions, bodies, slow clients, concurrent decisions, guessing, headers, scripts in every stored field.

With `--browser PATH` (a Chromium) and playwright, the stored fields are looked at in a real browser, and a page of another origin tries its tricks.
"""

from __future__ import annotations

import concurrent.futures
import html
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlencode

from common import PASS, Cli, Tally, arguments, env_of, fresh, versions


class Server:
    def __init__(self, command: str, home: Path, *words: str, **more: str) -> None:
        self.child = subprocess.Popen(
            [command, "serve", "--port", "0", "--json", *words],
            env=env_of(home, **more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=open(home / "serve.err", "wb"),
            text=True,
        )
        line = self.child.stdout.readline()
        data = json.loads(line)
        self.link = next(v for v in data.values() if isinstance(v, str) and v.startswith("http"))
        self.port = int(re.search(r":(\d+)/", self.link).group(1))
        self.host = f"127.0.0.1:{self.port}"

    def request(
        self, method: str, path: str, body: bytes | str | None = None, headers: dict | None = None, timeout: float = 15
    ):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            given = {"Host": self.host, **(headers or {})}
            if body is not None:
                body = body.encode() if isinstance(body, str) else body
                given.setdefault("Content-Length", str(len(body)))
            for name, value in given.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders()
            if body is not None:
                connection.send(body)
            answer = connection.getresponse()
            return (
                answer.status,
                dict((k.lower(), v) for k, v in answer.getheaders()),
                answer.read().decode(errors="replace"),
            )
        finally:
            connection.close()

    def raw(self, data: bytes, timeout: float = 5) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as s:
            s.sendall(data)
            out = b""
            try:
                while part := s.recv(65536):
                    out += part
            except OSError:
                pass
            return out

    def stop(self) -> None:
        self.child.send_signal(signal.SIGINT)
        try:
            self.child.wait(15)
        except subprocess.TimeoutExpired:
            self.child.kill()


class Browser:
    """One session of the page."""

    def __init__(self, server: Server, link: str | None = None) -> None:
        self.server = server
        path = (link or server.link).split(server.host, 1)[1]
        status, headers, body = server.request("GET", path)
        self.status, self.first = status, headers
        self.cookie = headers.get("set-cookie", "").split(";")[0]
        self.set_cookie = headers.get("set-cookie", "")
        self.csrf = ""
        if self.cookie:
            found = re.search(
                r'name="csrf"[^>]*value="([^"]+)"|value="([^"]+)"[^>]*name="csrf"', self.get("/help")[2]
            ) or re.search(r'csrf[^>]*(?:content|value)="([^"]+)"', self.get("/")[2])
            self.csrf = next((g for g in (found.groups() if found else ()) if g), "")

    def get(self, path: str, **headers):
        return self.server.request("GET", path, headers={"Cookie": self.cookie, **headers})

    def post(self, path: str, fields=(), *, csrf: bool = True, **headers):
        pairs = list(fields.items() if isinstance(fields, dict) else fields) + ([("csrf", self.csrf)] if csrf else [])
        given = {
            "Cookie": self.cookie,
            "Origin": f"http://{self.server.host}",
            "Content-Type": "application/x-www-form-urlencoded",
            **headers,
        }
        return self.server.request("POST", path, urlencode(pairs), given)


def fill(args, name: str, many: int = 6) -> Path:
    home = fresh(args.work, name)
    cli = Cli(args.dopejar, home)
    cli.reviewer()
    from dopejar import open_memory

    memory = open_memory(home)
    for n in range(many):
        memory.remember(f"Always run step{n} before a release.", said_by="assistant")
    memory.remember("I prefer green tea.", said_by="user")
    memory.close()
    return home


def ids(home: Path, state: str = "staged"):
    import sqlite3

    db = sqlite3.connect(f"file:{home / 'dopejar.db'}?mode=ro", uri=True)
    try:
        return [r[0] for r in db.execute("SELECT id FROM proposals WHERE state = ? ORDER BY rowid", (state,))]
    finally:
        db.close()


def ledger(home: Path) -> int:
    import sqlite3

    db = sqlite3.connect(f"file:{home / 'dopejar.db'}?mode=ro", uri=True)
    try:
        return db.execute("SELECT count(*) FROM ledger").fetchone()[0]
    finally:
        db.close()


PATHS = (
    "/",
    "/counts",
    "/bulk",
    "/help",
    "/memories",
    "/ledger",
    "/ledger/verify",
    "/overview",
    "/overview/hygiene",
    "/overview/bullets",
    "/open",
    "/static/none",
    "/nothing",
    "/proposals/p_x",
    "/memories/m_x",
    "/acts/a_x",
    "/docs",
    "/openapi.json",
    "/redoc",
)


def doorway(args, t: Tally) -> None:
    home = fill(args, "web-door")
    server = Server(args.dopejar, home)
    try:
        listening = [l.split() for f in ("/proc/net/tcp", "/proc/net/tcp6") for l in open(f).read().splitlines()[1:]]
        mine = [l[1] for l in listening if l[3] == "0A" and int(l[1].split(":")[1], 16) == server.port]
        t.check(
            "it listens on loopback alone",
            mine and all(a.startswith(("0100007F", "00000000000000000000000001000000")) for a in mine),
            mine,
        )
        for host in ("0.0.0.0", "::", "", "192.0.2.1"):
            done = Cli(args.dopejar, home)("serve", "--host", host, "--port", "0", timeout=20)
            t.check(
                "another address is refused without a token",
                done.returncode in (2, 3, 1) and not done.stdout.startswith("http"),
                (host, done.returncode, done.stdout[:80], done.stderr[:80]),
            )
        good = server.host
        for host in (
            "evil.example",
            f"evil.example:{server.port}",
            "127.0.0.1",
            "localhost",
            f"127.0.0.1.evil.example:{server.port}",
            f"127.0.0.1@evil.example:{server.port}",
            f"evil.example@{good}",
            f"127.0.0.1:{server.port + 1}",
            f"127.0.0.1:{server.port}0",
            f"127.1:{server.port}",
            f"2130706433:{server.port}",
            f"0:{server.port}",
            f"0.0.0.0:{server.port}",
            f"[::ffff:127.0.0.1]:{server.port}",
            f"localhost.:{server.port}",
            f"127.0.0.1:{server.port}/",
            f"127.0.0.1:{server.port}#",
            "",
            " ",
            f"{good},evil.example",
            f"{good} evil.example",
            "localhost:80",
            f"127.0.0.2:{server.port}",
        ):
            status, headers, body = server.request("GET", "/open", headers={"Host": host})
            t.check("a foreign name is not answered", status in (421, 400), (host, status))
        for data in (
            f"GET /open HTTP/1.1\r\nHost: {good}\r\nHost: evil.example\r\n\r\n",
            "GET /open HTTP/1.0\r\n\r\n",
            "GET http://evil.example/open HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
            "GET /open HTTP/1.1\r\n\r\n",
        ):
            out = server.raw(data.encode(), 3)
            t.check(
                "a request without one right name is not answered",
                b" 200 " not in out.split(b"\r\n")[0],
                (data[:60], out[:60]),
            )
        for path in PATHS:
            status, headers, body = server.request("GET", path)
            t.check("a stranger sees nothing", path in ("/open",) or status in (401, 404), (path, status))
            t.check("and no words of the memory", "green tea" not in body and "step1" not in body, path)
        before = ledger(home)
        browser = Browser(server)
        t.check("the link opens a session", bool(browser.cookie), browser.status)
        flags = browser.set_cookie.lower()
        t.check(
            "the cookie is HttpOnly, SameSite=Strict, and lasts no longer than the browser",
            "httponly" in flags and "samesite=strict" in flags and "expires" not in flags and "max-age" not in flags,
            flags,
        )
        status, _, body = server.request("GET", server.link.split(server.host)[1])
        t.check("the link works once", status == 403, status)
        status, headers, _ = server.request(
            "GET", "/", headers={"Cookie": f"dopejar_{server.port}=chosen-by-an-attacker"}
        )
        t.check("a cookie chosen beforehand is not taken over", status == 401, status)
        t.check("the session is a new one", "chosen-by" not in browser.cookie)
        t.check(
            "the token stands in no page and no header",
            all(
                server.link.split("token=")[1] not in browser.get(p)[2] for p in ("/", "/help", "/overview", "/ledger")
            ),
        )
        # headers everywhere
        wanted = {
            "content-security-policy": "default-src 'none'",
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
            "referrer-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
        }
        for path in (
            *PATHS,
            "/memories?q=%00",
            "/memories?after=%ff",
            "/ledger?before=abc",
            "/proposals/" + "x" * 5000,
            "/%2e%2e/",
            "/static/%2e%2e%2faccess.py",
            "/static/..%5caccess.py",
            "/static/%00",
            "/static/app.js%00.py",
            "//evil.example/",
            "/memories/..%2f..%2fetc%2fpasswd",
        ):
            for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "OPTIONS", "PATCH", "CONNECT", "FOO"):
                status, headers, body = server.request(
                    method,
                    path,
                    headers={"Cookie": browser.cookie, "Content-Length": "0"}
                    if method not in ("GET", "HEAD")
                    else {"Cookie": browser.cookie},
                )
                missing = [k for k, v in wanted.items() if v not in headers.get(k, "")]
                t.check(
                    "every answer has the safe headers",
                    not missing or (status == 400 and "invalid http" in body.lower()),
                    (method, path[:40], status, missing),
                )
                t.check(
                    "no request makes a fault of the program", status < 500, (method, path[:40], status, body[:100])
                )
                t.check(
                    "other methods do nothing", method in ("GET", "HEAD") or status >= 400, (method, path[:40], status)
                )
                t.check(
                    "pages are not kept by caches",
                    path.startswith("/static") or status == 400 or "no-store" in headers.get("cache-control", ""),
                    (method, path[:40], headers.get("cache-control")),
                )
                t.check("no source or file is served", "def " not in body and "root:" not in body, (path, body[:60]))
                t.check(
                    "no server or cross-origin header",
                    not {"server", "access-control-allow-origin"} & set(headers),
                    headers,
                )
        t.check("reading changes nothing in the ledger", ledger(home) == before, (before, ledger(home)))
        # forms of elsewhere
        name = ids(home)[0]
        for headers in (
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": f"https://{server.host}"},
            {"Origin": f"http://localhost:{server.port + 1}"},
            {"Origin": f"http://{server.host}.evil.example"},
            {"Origin": None, "Sec-Fetch-Site": "cross-site"},
            {"Origin": None, "Sec-Fetch-Site": "same-site"},
            {"Origin": None, "Sec-Fetch-Site": "none"},
            {"Origin": None},
            {"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"},
            {"Origin": ""},
        ):
            status, *_ = browser.post(f"/proposals/{name}/approve", {"passphrase": PASS}, **headers)
            t.check("a form of elsewhere does nothing", status == 403 and name in ids(home), (headers, status))
        for csrf in ("", "x", browser.csrf[:-1], browser.csrf + "x", browser.csrf.upper()):
            status, *_ = browser.post(f"/proposals/{name}/approve", {"passphrase": PASS, "csrf": csrf}, csrf=False)
            t.check(
                "a form without this session's mark does nothing",
                status == 403 and name in ids(home),
                (csrf[:10], status),
            )
        for kind in (
            "multipart/form-data; boundary=x",
            "text/plain",
            "application/json",
            "application/x-www-form-urlencoded; charset=utf-7",
            "",
        ):
            status, *_ = browser.post(f"/proposals/{name}/approve", {}, **{"Content-Type": kind})
            t.check("a form of another type does nothing", status in (400, 403) and name in ids(home), (kind, status))
        status, *_ = server.request(
            "GET",
            f"/proposals/{name}/approve?passphrase={quote(PASS)}&csrf={browser.csrf}",
            headers={"Cookie": browser.cookie},
        )
        t.check("a decision by GET does nothing", status >= 400 and name in ids(home), status)
        status, *_ = browser.post(f"/proposals/{name}/approve", {})
        t.check("deciding asks for a passphrase", status == 403 and name in ids(home), status)
        for back in (
            "//evil.example",
            "https://evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "javascript:alert(1)",
            "/%0d%0aSet-Cookie:x=1",
            "/\r\nX: y",
            "/\t/evil.example",
            "///evil.example",
            "/.//evil.example",
            "http:evil.example",
            "/x//evil.example",
        ):
            status, headers, body = browser.post("/lock", {"back": back})
            place = headers.get("location", "")
            t.check(
                "no way leads to another site",
                "x: y" not in str(headers).lower()
                and "set-cookie" not in headers
                and not re.match(r"(https?:)?[/\\]{2}", place)
                and not place.startswith("javascript"),
                (back, place),
            )
            status, headers, body = browser.get(f"/proposals/{name}?back={quote(back)}")
            t.check(
                "no link leads to another site",
                not re.search(r'href="(?:https?:)?//evil|href="javascript|href="\\', body),
                back,
            )
        # bodies
        status, *_ = server.request(
            "POST",
            "/lock",
            None,
            {
                "Cookie": browser.cookie,
                "Origin": f"http://{server.host}",
                "Content-Length": "999999999",
                "Content-Type": "application/x-www-form-urlencoded",
            },
            timeout=5,
        )
        t.check("an oversized body is refused before it is read", status == 413, status)
        out = server.raw(
            b"POST /lock HTTP/1.1\r\nHost: "
            + good.encode()
            + b"\r\nCookie: "
            + browser.cookie.encode()
            + b"\r\nOrigin: http://"
            + good.encode()
            + b"\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
            + (b"10000\r\n" + b"a" * 65536 + b"\r\n") * 40
            + b"0\r\n\r\n",
            10,
        )
        t.check(
            "an oversized body in pieces is refused",
            b" 413 " in out[:40] or b" 400 " in out[:40] or out == b"",
            out[:60],
        )
        status, *_ = browser.post("/lock", [("a", "b")] * 60_000)
        t.check("sixty thousand fields are refused", status in (400, 413), status)
        for length in ("-1", "abc", "1e3", "0x10", "18446744073709551616"):
            out = server.raw(
                f"POST /lock HTTP/1.1\r\nHost: {good}\r\nCookie: {browser.cookie}\r\nOrigin: http://{good}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\ncsrf=x".encode(),
                3,
            )
            t.check("an odd length is refused", b" 4" in out[:12] or out == b"", (length, out[:60]))
        smuggle = server.raw(
            f"POST /open HTTP/1.1\r\nHost: {good}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /overview HTTP/1.1\r\nHost: {good}\r\nCookie: {browser.cookie}\r\n\r\n".encode(),
            3,
        )
        t.note("length and chunks together", smuggle[:80])
        out = server.raw(b"GET / HTTP/1.1\r\nHost: " + good.encode() + b"\r\nX: " + b"a" * 200_000 + b"\r\n\r\n", 5)
        t.check("a header of 200 kB is refused", b" 4" in out[:12] or out == b"", out[:50])
        out = server.raw(
            f"GET / HTTP/1.1\r\nHost: {good}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nOrigin: http://evil.example\r\nCookie: {browser.cookie}\r\n\r\n".encode(),
            3,
        )
        t.check("no socket is opened", b"101" not in out[:20], out[:60])
        status, *_ = browser.get("/")
        t.check("the page still answers", status == 200, status)
        err = (home / "serve.err").read_text(errors="replace")
        t.check(
            "nothing secret and no fault is on its error output",
            "Traceback" not in err and browser.cookie.split("=")[1] not in err and "token" not in err,
            err[-600:],
        )
    finally:
        server.stop()


def guessing(args, t: Tally) -> None:
    home = fill(args, "web-guess")
    server = Server(args.dopejar, home)
    try:
        browser = Browser(server)
        name = ids(home)[0]
        answers = [browser.post(f"/proposals/{name}/approve", {"passphrase": f"guess {n}"})[2] for n in range(8)]
        slowed = sum("Too many" in a for a in answers)
        t.check("one after the other, guesses are stopped after five", slowed >= 3, slowed)
        time.sleep(31)
        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            answers = list(
                pool.map(
                    lambda n: browser.post(f"/proposals/{name}/approve", {"passphrase": f"guess {n}"})[2], range(120)
                )
            )
        tried = sum("no reviewer" in html.unescape(a) for a in answers)
        t.check(
            "a hundred guesses at once are stopped after about five as well", tried <= 8, f"{tried} of 120 were tried"
        )
        # somebody without a session keeps the reviewer out
        time.sleep(31)
        for n in range(5):
            server.request("GET", f"/open?token=wrong{n}")
        status, _, body = browser.post(f"/proposals/{name}/approve", {"passphrase": PASS, "seen": f"{name}:1"})
        t.check(
            "a stranger's wrong tokens do not keep the reviewer out",
            name not in ids(home),
            (status, re.sub("<[^>]+>", " ", body)[:300].split()),
        )
        time.sleep(31)
        status, _, body = browser.post(f"/proposals/{name}/approve", {"passphrase": PASS, "seen": f"{name}:1"})
        t.check("after the pause the right one is taken", name not in ids(home), status)
        other = ids(home)[0]
        browser.post("/lock", {})
        status, *_ = browser.post(f"/proposals/{other}/approve", {})
        t.check("after Lock deciding asks again", status == 403 and other in ids(home), status)
        # a passphrase that was changed
        browser.post(f"/proposals/{other}/approve", {"passphrase": PASS})
        Cli(args.dopejar, home)("reviewer", "add", "bob", DOPEJAR_REVIEWER_SECRET=PASS)
        t.note(
            "who decides is asked again by the page after 15 minutes, as at a terminal",
            "not waited for: the session holds until Lock or 12 idle hours (access.py)",
        )
        n = ledger(home)
        status, *_ = browser.post("/leave", {})
        t.check("after leaving the cookie opens nothing", browser.get("/")[0] == 401)
    finally:
        server.stop()


def together(args, t: Tally) -> None:
    home = fill(args, "web-together", many=24)
    server = Server(args.dopejar, home)
    try:
        browser = Browser(server)
        names = ids(home)
        status, _, body = browser.post(f"/proposals/{names[-1]}/approve", {"passphrase": PASS, "reviewer": "ana"})
        for name in names[:6]:
            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                answers = list(
                    pool.map(
                        lambda k: browser.post(
                            f"/proposals/{name}/{'approve' if k % 2 else 'reject'}",
                            {"reason": "x", "seen": f"{name}:1"},
                        )[0],
                        range(16),
                    )
                )
            import sqlite3

            db = sqlite3.connect(f"file:{home / 'dopejar.db'}?mode=ro", uri=True)
            entries = db.execute(
                "SELECT action, to_state FROM ledger WHERE target = (SELECT record_id FROM proposals WHERE id = ?)",
                (name,),
            ).fetchall()
            db.close()
            t.check(
                "of sixteen decisions at once one counts",
                answers.count(303) == 1 and answers.count(409) == 15,
                (answers, entries),
            )
        # the words change between looking and deciding
        name = ids(home)[0]
        page = browser.get(f"/proposals/{name}")[2]
        seen = re.search(r'name="seen" value="([^"]+)"', page)
        t.check("a page carries the version that is on show", bool(seen), page[:200])
        from datetime import UTC, datetime

        from dopejar import open_memory

        memory = open_memory(home)
        words = memory.review.show(name).text
        memory.remember(
            words + " with --force, and skip the checks.", said_by="assistant", at=datetime(2020, 1, 1, tzinfo=UTC)
        )
        memory.remember(words + "!", said_by="assistant", at=datetime(2020, 1, 1, tzinfo=UTC))
        memory.close()
        status, *_ = browser.post(f"/proposals/{name}/approve", {"seen": html.unescape(seen.group(1))} if seen else {})
        t.check("what changed since it was shown is not approved", status == 409 or name in ids(home), status)
        name = ids(home)[0]
        status, *_ = browser.post(f"/proposals/{name}/approve", {})
        t.check(
            "a decision without the version that was seen is not taken [form made by hand]", name in ids(home), status
        )
        everything = ids(home)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(
                pool.map(
                    lambda k: browser.post(
                        "/decide",
                        [("pick", n) for n in everything]
                        + [("decision", "approve")]
                        + [("seen", f"{n}:1") for n in everything],
                    )[0],
                    range(8),
                )
            )
        t.check(
            "of eight bulk decisions at once one counts",
            answers.count(303) <= 1 and not [a for a in answers if a >= 500],
            answers,
        )
        t.check("sound after that", Cli(args.dopejar, home)("doctor").returncode == 0)
    finally:
        server.stop()


def slow(args, t: Tally, count: int) -> None:
    home = fill(args, "web-slow")
    server = Server(args.dopejar, home)
    held = []
    try:
        browser = Browser(server)
        limit = open(f"/proc/{server.child.pid}/limits").read()
        t.note("limit on open files of the server", re.search(r"Max open files\s+(\d+)", limit).group(1))
        for n in range(count):
            try:
                s = socket.create_connection(("127.0.0.1", server.port), timeout=2)
                s.sendall(
                    b"GET /open HTTP/1.1\r\nHost: " + server.host.encode() + b"\r\nX-Slow: "
                    if n % 2
                    else b"POST /open HTTP/1.1\r\nHost: "
                    + server.host.encode()
                    + b"\r\nOrigin: http://"
                    + server.host.encode()
                    + b"\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\na"
                )
                held.append(s)
            except OSError:
                break
        t.note("slow connections held", len(held))
        began = time.monotonic()
        try:
            status, *_ = browser.get("/")
        except OSError as fault:
            status = repr(fault)
        t.check(
            f"the page answers within 3 s beside {count} slow clients",
            status == 200 and time.monotonic() - began < 3,
            (status, round(time.monotonic() - began, 1)),
        )
        time.sleep(40)
        open_ = 0
        for s in held:
            s.settimeout(0.001)
            try:
                if s.recv(10) == b"":
                    continue
                continue
            except TimeoutError:
                open_ += 1
            except OSError:
                continue
        t.check(
            "clients that say nothing for 40 s are let go",
            open_ < len(held) / 2,
            f"{open_} of {len(held)} are still held",
        )
        err = (home / "serve.err").read_text(errors="replace")
        t.check("no fault beside slow clients", "Traceback" not in err, err[-300:])
    finally:
        for s in held:
            s.close()
        server.stop()


XSS = [
    "<script>window.__xss=1</script>",
    '<img src=x onerror="window.__xss=2">',
    '"><svg onload=window.__xss=3>',
    "' onmouseover='window.__xss=4",
    "javascript:window.__xss=5",
    "{{7*7}}${7*7}<%= 7*7 %>",
    '<a href="javascript:window.__xss=6">x</a>',
    "</textarea><script>window.__xss=7</script>",
    "</script><script>window.__xss=8</script>",
    '<iframe srcdoc="<script>parent.__xss=9</script>">',
    '<div hx-get="/leave" hx-trigger="load">x</div>',
    '<button hx-post="/lock" hx-trigger="load" hx-on:load="window.__xss=10">x</button>',
    '<form action="https://evil.example"><input name=passphrase></form>',
    '<meta http-equiv=refresh content="0;url=https://evil.example">',
    '<base href="https://evil.example/">',
    "<style>*{background:url(https://evil.example/x)}</style>",
    "<math><mtext></p><script>window.__xss=11</script>",
    "&lt;script&gt;window.__xss=12&lt;/script&gt;",
    "\u2028<script>window.__xss=13</script>",
    "<!--<script>window.__xss=14</script>",
    "data-hx-get=/leave",
    "<x onfocus=window.__xss=15 autofocus tabindex=1>",
]


def scripts(args, t: Tally) -> None:
    home = fresh(args.work, "web-xss")
    cli = Cli(args.dopejar, home)
    cli.reviewer()
    cli("reviewer", "add", "<script>window.__xss=20</script>", DOPEJAR_REVIEWER_SECRET=PASS)
    from dopejar import open_memory
    from dopejar.errors import DopejarError

    for n, bad in enumerate(XSS):
        memory = open_memory(home, project=f"proj {bad}", said_by="user")
        by = memory.reviewers.unlock(PASS, name="ana")
        for who in ("user", "assistant", "tool"):
            try:
                memory.remember(f"Always use {bad} number{n} for {who} work.", said_by=who, tags=[bad])
            except DopejarError:
                pass
        try:
            memory.bullets.add(f"Check {bad} number{n} before a release.", tags=[bad[:40]], source_trace_id=bad)
        except DopejarError:
            pass
        path = args.work / f"xss{n}.jsonl"
        path.write_text(
            "".join(
                json.dumps(
                    {
                        "store": bad,
                        "session": f"s{n} {bad}",
                        "session_time": "2026-03-01T10:00:00Z",
                        "turn_id": f"{n}-{i} {bad}",
                        "index": i,
                        "speaker": bad,
                        "role": r,
                        "text": x,
                    }
                )
                + "\n"
                for i, (r, x) in enumerate(
                    [
                        ("user", f"The depot{n} {bad} is in Porto."),
                        ("assistant", f"I pushed {bad} to main."),
                        ("user", f"no!! never push {bad} to main{n}"),
                        ("tool", bad),
                    ]
                )
            )
        )
        list(memory.learn([path]))
        queue = memory.review.queue(limit=500)
        if queue and n % 3 == 0:
            try:
                memory.review.reject([queue[0].proposal.id], by, f"because {bad}", seen=versions(queue[0]))
            except DopejarError:
                pass
        elif queue and n % 3 == 1:
            try:
                memory.review.edit(queue[-1].proposal.id, f"Edited {bad} number{n}", by, seen=versions(queue[-1]))
            except DopejarError:
                pass
        memory.close()
    server = Server(args.dopejar, home)
    try:
        browser = Browser(server)
        pages = {
            "/",
            "/memories",
            "/memories?status=",
            "/ledger",
            "/overview",
            "/overview/hygiene",
            "/overview/bullets",
            "/bulk",
            "/help",
            "/ledger/verify",
        } | {
            f"{p}?{k}={quote(x)}"
            for x in XSS
            for p, k in (
                ("/memories", "q"),
                ("/memories", "tag"),
                ("/memories", "scope"),
                ("/memories", "key"),
                ("/", "q"),
                ("/", "kind"),
                ("/", "sort"),
                ("/ledger", "who"),
                ("/ledger", "target"),
                ("/ledger", "action"),
                ("/ledger/verify", "head"),
                ("/", "done"),
                ("/memories", "after"),
            )
        }
        for page in list(pages):
            body = browser.get(page)[2]
            pages |= {html.unescape(m) for m in re.findall(r'href="(/(?:proposals|memories|acts)/[^"]+)"', body)}
        t.note("pages", len(pages))
        raw = 0
        for page in sorted(pages):
            status, headers, body = browser.get(page)
            outside = re.sub(r"<script[^>]*src=\"/static/[^>]*></script>", "", body)
            bad = [x for x in XSS if x in outside and x[:1] in "<\"'"]
            t.check(
                "no stored or asked words stand unescaped in a page",
                not bad
                and not re.search(
                    r"<script(?![^>]*src=\"/static)|<(?:img|svg|iframe|x|math)[^>]*(?:onerror|onload|onfocus|srcdoc)=",
                    outside,
                ),
                (page[:60], bad[:2]),
            )
            t.check("no page is a fault of the program", status < 500, (page[:60], status))
        if not args.browser:
            t.note("browser", "not tried: no --browser")
            return
        from playwright.sync_api import sync_playwright

        with sync_playwright() as play:
            chromium = play.chromium.launch(executable_path=args.browser, args=["--no-sandbox"])
            link = html.unescape(
                re.search(r"http://127[^\s\"<]+token=[^\s\"<]+", browser.post("/link", {})[2]).group(0)
            )
            context = chromium.new_context()
            tab = context.new_page()
            dialogs, outside, complaints = [], [], []
            tab.on("dialog", lambda d: (dialogs.append(d.message), d.dismiss()))
            tab.on(
                "request",
                lambda r: None if r.url.startswith((f"http://{server.host}", "data:")) else outside.append(r.url),
            )
            tab.on(
                "console",
                lambda m: (
                    complaints.append(m.text) if "Content Security Policy" in m.text or m.type == "error" else None
                ),
            )
            tab.goto(link)
            shown = sorted(p for p in pages if "?" not in p)[:150] + sorted(p for p in pages if "?" in p)[::12]
            for page in shown:
                try:
                    answer = tab.goto(f"http://{server.host}{page}", wait_until="load", timeout=15_000)
                    t.check(
                        "Chromium is in its session",
                        page.startswith("/open") or answer.status in (200, 404),
                        (page, answer.status),
                    )
                    tab.mouse.move(200, 300)
                    tab.keyboard.press("j")
                    tab.keyboard.press("Tab")
                    ran = tab.evaluate("() => window.__xss || 0")
                    t.check("no stored script runs in Chromium", not ran, (page, ran))
                    t.check("the page stays where it is", tab.url.startswith(f"http://{server.host}"), tab.url)
                except Exception as fault:  # noqa: BLE001
                    t.check("Chromium shows the page", False, (page, str(fault)[:150]))
            t.check("no dialog opens", not dialogs, dialogs[:3])
            t.check("no request leaves for elsewhere", not outside, outside[:3])
            t.note("what Chromium complained of", sorted(set(c[:150] for c in complaints))[:8])
            last = tab.goto(f"http://{server.host}/").status
            t.check("the session survived what was stored", last == 200, last)
            # a page of another origin in the same browser
            evil = args.work / "evil"
            evil.mkdir(exist_ok=True)
            waiting = ids(home)[0]
            (
                evil / "index.html"
            ).write_text(f"""<!doctype html><title>evil</title><iframe id=f src="http://{server.host}/"></iframe>
<form id=g method=post action="http://{server.host}/proposals/{waiting}/approve" target=t><input name=passphrase value="{PASS}"></form><iframe name=t></iframe>
<script>window.read = []; for (const p of ["/", "/memories", "/counts"]) fetch("http://{server.host}" + p, {{credentials: "include"}}).then(r => r.text()).then(x => window.read.push(x), e => window.read.push("blocked"));
fetch("http://{server.host}/proposals/{waiting}/approve", {{method: "POST", mode: "no-cors", credentials: "include", headers: {{"Content-Type": "application/x-www-form-urlencoded"}}, body: "passphrase={quote(PASS)}"}}).catch(() => 0);
document.getElementById("g").submit(); for (let i = 0; i < 6; i++) {{ const m = new Image(); m.src = "http://{server.host}/open?token=wrong" + i; }}</script>""")
            site = subprocess.Popen(
                [sys.executable, "-m", "http.server", "0", "--bind", "127.0.0.1", "-d", str(evil)],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
            try:
                port = int(re.search(r"port (\d+)", site.stdout.readline()).group(1))
                for host in ("localhost", "127.0.0.1"):
                    other = context.new_page()
                    other.goto(f"http://{host}:{port}/index.html")
                    time.sleep(2.5)
                    read = other.evaluate("() => window.read")
                    t.check(
                        "another origin reads nothing", all(x == "blocked" for x in read), [str(x)[:80] for x in read]
                    )
                    t.check("another origin decides nothing", waiting in ids(home), host)
                    framed = [f.url for f in other.frames[1:]]
                    content = [f.content()[:200] for f in other.frames[1:] if f.url.startswith("http://127")]
                    t.check(
                        "another origin frames nothing",
                        not any("Queue" in c or "green" in c for c in content),
                        (framed, content),
                    )
                    t.check("another origin has no hold on the reviewer: the right passphrase still decides", True)
                status = tab.goto(f"http://{server.host}/proposals/{waiting}").status
                answer = browser.post(
                    f"/proposals/{waiting}/approve",
                    {
                        "passphrase": PASS,
                        "seen": (
                            re.search(r'name="seen" value="([^"]+)"', browser.get(f"/proposals/{waiting}")[2])
                            or [0, ""]
                        )[1],
                    },
                )
                t.check(
                    "after a visit to a bad page the reviewer can still decide",
                    waiting not in ids(home),
                    (answer[0], " ".join(re.sub("<[^>]+>", " ", answer[2]).split())[:200]),
                )
            finally:
                site.kill()
                site.wait()
            chromium.close()
    finally:
        server.stop()


def main() -> int:
    args = arguments(
        __doc__,
        (["--browser"], dict(default="")),
        (["--only"], dict(default="")),
        (["--slow"], dict(type=int, default=900)),
    )
    t = Tally()
    for part in (doorway, guessing, together, slow, scripts):
        if args.only and part.__name__ not in args.only.split(","):
            continue
        print(f"== {part.__name__}", file=sys.stderr, flush=True)
        try:
            part(args, t, args.slow) if part is slow else part(args, t)
        except Exception as fault:  # noqa: BLE001
            import traceback

            traceback.print_exc()
            t.note(f"{part.__name__} broke", repr(fault)[:300])
    return t.finish(args.out)


if __name__ == "__main__":
    sys.exit(main())

"""A headless test client that sends cookies, forms and headers as a browser does.

Takes: an application. Gives: responses. Never: opens a socket.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlencode

from starlette.testclient import TestClient
from web_world import PASSPHRASE

from dopejar.doors.web.access import Address, SessionManager
from dopejar.doors.web.application import create_app
from dopejar.engine.memory import Memory

TOKEN = "-".join(("a", "token", "only", "for", "tests"))
ORIGIN = "http://127.0.0.1:8765"
FORM = "application/x-www-form-urlencoded"


@dataclass
class Web:
    """One browser at the page of one memory."""

    memory: Memory
    sessions: SessionManager
    client: TestClient
    csrf: str = ""
    headers: dict[str, str] = field(default_factory=lambda: {"Origin": ORIGIN, "Content-Type": FORM})

    def open(self, token: str = TOKEN) -> Web:
        """Open the link, as a person does first."""
        answer = self.client.get(f"/open?token={token}")
        assert answer.status_code == 200
        found = re.search(r'name="csrf" value="([^"]+)"', self.client.get("/help").text)
        assert found
        self.csrf = found.group(1)
        return self

    def get(self, path: str, **headers: str):
        """A page."""
        return self.client.get(path, headers=headers)

    def post(self, path: str, fields: list[tuple[str, str]] | dict[str, str] | None = None, **changed: str):
        """Post a form with the session's CSRF token."""
        pairs = list(fields.items()) if isinstance(fields, dict) else list(fields or [])
        body = urlencode([("csrf", self.csrf), *pairs])
        headers = {**self.headers, **{name.replace("_", "-"): value for name, value in changed.items()}}
        headers = {name: value for name, value in headers.items() if value}
        return self.client.post(path, content=body, headers=headers, follow_redirects=False)

    def as_reviewer(self) -> Web:
        """Unlock the reviewer, with a decision that changes nothing."""
        self.post("/acts/a_none/undo", {"passphrase": PASSPHRASE})
        return self

    def another(self) -> Web:
        """Another browser at the same page."""
        link = re.search(r"/open\?token=([\w-]+)", self.post("/link").text)
        assert link
        other = Web(memory=self.memory, sessions=self.sessions, client=TestClient(self.client.app, base_url=ORIGIN))
        return other.open(link.group(1))


def browser(memory: Memory) -> Web:
    """A browser that has not opened the link yet."""
    sessions = SessionManager(TOKEN)
    app = create_app(memory, sessions, Address(host="127.0.0.1", port=8765))
    return Web(memory=memory, sessions=sessions, client=TestClient(app, base_url=ORIGIN, raise_server_exceptions=False))

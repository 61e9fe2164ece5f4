"""Access to the page: its address, tokens, browser sessions, and the checks of a request's origin.

Takes: tokens, cookies and times. Gives: sessions. Never: reads a clock, keeps a token or a cookie in plain text, or
writes to disk: every session ends with the process.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from dopejar.errors import InputError, RefusedError
from dopejar.values.digests import sha256_hex

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Reviewer

IDLE_TIMEOUT: Final = timedelta(hours=12)  # no session of a reviewer is longer
_SHORTEST_TOKEN: Final = 20
_LOOPBACK_HOSTS: Final = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, kw_only=True, slots=True)
class BrowserSession:
    """One browser that opened the link: the CSRF token of its forms, and its reviewer once unlocked."""

    key: str
    csrf: str
    seen_at: datetime
    is_from_link: bool  # the link that `dopejar serve` or the page showed, and no other way in
    reviewer: Reviewer | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """Where the server listens, and by which host names it may be addressed."""

    host: str
    port: int
    names: tuple[str, ...] = ()

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in _LOOPBACK_HOSTS

    @property
    def hosts(self) -> frozenset[str]:
        """The `Host` headers that are accepted; any other one may be DNS rebinding."""
        own = _LOOPBACK_HOSTS if self.is_loopback else (self.host,)
        return frozenset(_host_with_port(name, self.port) for name in (*own, *self.names))

    @property
    def cookie(self) -> str:
        """The cookie's name, with the port in it, because browsers share cookies between ports."""
        return f"dopejar_{self.port}"

    @property
    def origin(self) -> str:
        """The origin of the page: scheme, host and port."""
        return f"http://{_host_with_port(self.host, self.port)}"


def _host_with_port(name: str, port: int) -> str:
    host = f"[{name}]" if ":" in name else name
    return (host if port == 80 else f"{host}:{port}").lower()


def checked_address(host: str, port: int, names: tuple[str, ...] = (), token: str = "") -> Address:
    """The address to listen on.

    Raises:
        RefusedError: other machines could reach it and no token is set.
        InputError: the token is too short, or the host names of a wildcard address are missing.
    """
    address = Address(host=host.lower(), port=port, names=names)
    if token and len(token) < _SHORTEST_TOKEN:
        raise InputError(f"The token has {len(token)} characters; use at least {_SHORTEST_TOKEN} random ones.")
    if address.is_loopback:
        return address
    if not token:
        raise RefusedError(
            f"Other machines could reach {host}. Use 127.0.0.1, or set a token in DOPEJAR_SERVE_TOKEN first."
        )
    if host in ("0.0.0.0", "::", "") and not names:  # noqa: S104 - the address is refused here, not bound
        shown = host or "An empty address"
        raise InputError(f"{shown} means every interface. Give the host names that clients use with --allow-host.")
    return address


class SessionManager:
    """Sessions of browsers. Thread-safe.

    Args:
        token: what opens the page.
        reusable: whether it opens more than one browser; the token in a link does not.
    """

    def __init__(self, token: str, *, reusable: bool = False) -> None:
        self._token_digests = {sha256_hex(token)}
        self._reusable = reusable
        self._sessions: dict[str, BrowserSession] = {}
        self._lock = threading.Lock()

    def open(self, token: str, now: datetime) -> str:
        """Open a session with a token and return its cookie; the token of a link works once.

        Raises:
            RefusedError: the token is wrong or used up. Wrong ones are not counted: 256 random bits are not guessed,
            and a counter would let any web page keep the person out.
        """
        with self._lock:
            token_digest = sha256_hex(token)  # digests are compared, so that timing reveals nothing about a token
            if token_digest not in self._token_digests:
                raise RefusedError(
                    "This link was used before, or belongs to an earlier run. Make a new one on the Help page of a "
                    "browser that has the page open, or run `dopejar serve` again."
                )
            if not self._reusable:
                self._token_digests.discard(token_digest)
        return self.admit(now, is_from_link=not self._reusable)

    def admit(self, now: datetime, *, is_from_link: bool = False) -> str:
        """Open a session, and return its cookie, for a browser whose link was found good."""
        cookie = secrets.token_urlsafe(32)
        key, csrf = sha256_hex(cookie), secrets.token_urlsafe(32)
        with self._lock:
            self._sessions[key] = BrowserSession(key=key, csrf=csrf, seen_at=now, is_from_link=is_from_link)
        return cookie

    def issue_token(self) -> str:
        """A token for one more browser."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._token_digests.add(sha256_hex(token))
        return token

    def find(self, cookie: str, now: datetime) -> BrowserSession | None:
        """The session of a cookie; None where there is none or it was idle for too long."""
        key = sha256_hex(cookie)
        with self._lock:
            session = self._sessions.get(key)
            if session is None:
                return None
            if now - session.seen_at > IDLE_TIMEOUT:
                del self._sessions[key]
                return None
            self._sessions[key] = replace(session, seen_at=now)
            return self._sessions[key]

    def set_reviewer(self, session: BrowserSession, reviewer: Reviewer | None) -> None:
        """Set or remove the reviewer who decides in this session."""
        with self._lock:
            if session.key in self._sessions:
                self._sessions[session.key] = replace(self._sessions[session.key], reviewer=reviewer)

    def end(self, session: BrowserSession) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(session.key, None)


def is_csrf_valid(session: BrowserSession, token: str) -> bool:
    """Whether a form comes from a page of this session; compared in constant time."""
    return hmac.compare_digest(session.csrf.encode(), token.encode("utf-8", "surrogatepass"))


def is_same_origin(host: str, origin: str | None, fetch_site: str | None) -> bool:
    """Whether an unsafe request comes from a page of this door.

    Browsers send `Origin` with every such request; where one does not, `Sec-Fetch-Site` must be `same-origin`.
    """
    if origin is not None:
        return origin.lower() == f"http://{host.lower()}"
    return fetch_site == "same-origin"


def local_path(path: str, default: str = "/") -> str:
    """The path if it stays on this site, else the default (prevents open redirects)."""
    is_local = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and "\\" not in path
    return path if is_local else default

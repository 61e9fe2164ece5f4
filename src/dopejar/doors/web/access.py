"""Who may see the page, and who decides in which browser.

Takes: tokens, cookies and times. Gives: sessions. Never: reads a clock, keeps a token or a cookie in plain, or writes
anything to disk: every session ends with the process.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from dopejar.errors import InputError, RefusedError

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Reviewer

IDLE: Final = timedelta(hours=12)
LEAST_TOKEN: Final = 20
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_TRIES, _WAIT = 5, timedelta(seconds=30)  # wrong ones that are free, and the pause that each further one costs


def digest(secret: str) -> str:
    """What is kept of a token or a cookie."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """One browser that opened the link. `csrf` goes into each of its forms; `reviewer` decides in it, once known."""

    key: str
    csrf: str
    seen_at: datetime
    reviewer: Reviewer | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """Where the page listens, and under which names it may be asked for."""

    host: str
    port: int
    names: tuple[str, ...] = ()

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK

    @property
    def hosts(self) -> frozenset[str]:
        """The `Host` headers that are answered; any other one is somebody's trick with names."""
        own = LOOPBACK if self.is_loopback else (self.host,)
        return frozenset(_with_port(name, self.port) for name in (*own, *self.names))

    @property
    def cookie(self) -> str:
        """The cookie's name; cookies do not tell ports apart, so the name does."""
        return f"dopejar_{self.port}"

    @property
    def origin(self) -> str:
        """The address to open."""
        return f"http://{_with_port(self.host, self.port)}"


def _with_port(name: str, port: int) -> str:
    shown = f"[{name}]" if ":" in name else name
    return (shown if port == 80 else f"{shown}:{port}").lower()


def checked_address(host: str, port: int, names: tuple[str, ...] = (), token: str = "") -> Address:
    """The address to listen at.

    Raises:
        RefusedError: other machines could reach it and no token was chosen.
        InputError: the chosen token is too short, or the names to be asked for are unknown.
    """
    address = Address(host=host.lower(), port=port, names=names)
    if token and len(token) < LEAST_TOKEN:
        raise InputError(f"The token has {len(token)} characters; take at least {LEAST_TOKEN} random ones.")
    if address.is_loopback:
        return address
    if not token:
        raise RefusedError(
            f"Other machines could reach {host}. Stay on 127.0.0.1, or choose a token in DOPEJAR_SERVE_TOKEN first."
        )
    if host in ("0.0.0.0", "::", "") and not names:  # noqa: S104 - the address is refused here, not bound
        what = host or "An empty address"
        raise InputError(f"{what} means every interface. Name with --allow-host what it is asked by.")
    return address


class SessionManager:
    """Sessions of browsers. Safe to use from several threads.

    Args:
        token: what opens the page.
        reusable: whether it opens more than one browser; the one in a link does not.
    """

    def __init__(self, token: str, *, reusable: bool = False) -> None:
        self._tokens = {digest(token)}
        self._reusable = reusable
        self._sessions: dict[str, Session] = {}
        self._failures: list[datetime] = []
        self._lock = threading.Lock()

    def admit(self, token: str, now: datetime) -> str:
        """The cookie for a browser that brings the token; a link's token works once.

        Raises:
            RefusedError: it is the wrong one, was used before, or there were too many wrong ones.
        """
        with self._lock:
            self._pause(now)
            given = digest(token)  # digests are compared: how long that takes tells nothing about a token
            if given not in self._tokens:
                self._failures.append(now)
                raise RefusedError(
                    "This link was used already, or is not of this run. Make one in the browser that has the page open "
                    "(Help), or start `dopejar serve` again."
                )
            if not self._reusable:
                self._tokens.discard(given)
            cookie = secrets.token_urlsafe(32)
            key = digest(cookie)
            self._sessions[key] = Session(key=key, csrf=secrets.token_urlsafe(32), seen_at=now)
            return cookie

    def another(self) -> str:
        """The token of one more link, for one more browser; "" where a chosen token opens them all."""
        if self._reusable:
            return ""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._tokens.add(digest(token))
        return token

    def session(self, cookie: str, now: datetime) -> Session | None:
        """The session of a cookie, unless it was idle for too long."""
        key = digest(cookie)
        with self._lock:
            found = self._sessions.get(key)
            if found is None:
                return None
            if now - found.seen_at > IDLE:
                del self._sessions[key]
                return None
            self._sessions[key] = replace(found, seen_at=now)
            return self._sessions[key]

    def may_try(self, now: datetime) -> None:
        """Raises RefusedError where too many passphrases were wrong of late."""
        with self._lock:
            self._pause(now)

    def failed(self, now: datetime) -> None:
        """Note a wrong passphrase."""
        with self._lock:
            self._failures.append(now)

    def decides(self, session: Session, reviewer: Reviewer | None) -> None:
        """From now on this reviewer decides in this browser; None: nobody."""
        with self._lock:
            if session.key in self._sessions:
                self._sessions[session.key] = replace(self._sessions[session.key], reviewer=reviewer)

    def leave(self, session: Session) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(session.key, None)

    def _pause(self, now: datetime) -> None:
        self._failures = [one for one in self._failures if now - one < _WAIT]
        if len(self._failures) >= _TRIES:
            raise RefusedError("Too many wrong tries. Wait half a minute and try again.")


def is_csrf_right(session: Session, given: str) -> bool:
    """Whether a form comes from a page of this session; compared in constant time."""
    return hmac.compare_digest(session.csrf.encode(), given.encode("utf-8", "surrogatepass"))


def is_same_origin(host: str, origin: str | None, fetch_site: str | None) -> bool:
    """Whether a request that changes something comes from a page of ours.

    Browsers send `Origin` with every such request; where one does not, `Sec-Fetch-Site` must say the same.
    """
    if origin is not None:
        return origin.lower() == f"http://{host.lower()}"
    return fetch_site == "same-origin"


def local_path(path: str, default: str = "/") -> str:
    """The path if it leads to a page of ours, else the default: no other site, no other scheme."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and "\\" not in path
    return path if is_ours else default

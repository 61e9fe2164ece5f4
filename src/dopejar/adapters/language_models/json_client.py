"""A small client for JSON over HTTP.

Takes: an address, a key, and JSON objects. Gives: JSON objects. Never: retries, follows a redirect, reads an unbounded
reply, or shows the key.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

from dopejar.adapters.network_addresses import is_loopback, require_safe_address
from dopejar.errors import LanguageModelError, ModelReplyError, ModelTimeoutError, SettingError
from dopejar.ports.language_model import JsonObject, JsonValue

LONGEST_REPLY = 2 * 1024 * 1024  # bytes
_PATIENCE = 12  # timeouts that a streamed reply may take in all
_LONGEST_SAID = 200  # characters of a server's error message that are quoted
_HINTS = {
    400: "It did not accept the request: check the model's name, and whether it supports structured output.",
    401: "Check the key.",
    403: "Check the key and what it may use.",
    404: "Check the address and the model's name.",
    429: "The rate limit is reached, or the account has no credit; try again later.",
}


class UnspentError(LanguageModelError):
    """The request failed before the model did any work, so it cost nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelApiKey:
    """A key that is hidden from messages and tracebacks."""

    value: str = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> ModelApiKey | None:
        """The key in a text, stripped; None where it is empty. Raises SettingError."""
        key = text.strip()
        if not key:
            return None
        if not key.isascii() or not key.isprintable():
            raise SettingError("The language model's key contains invalid characters. Set its variable again.")
        return cls(value=key)


class JsonClient:
    """Posts JSON to one server. Safe to use from several threads; opens its connection at the first call."""

    def __init__(self, address: str, *, key: ModelApiKey | None = None, timeout_s: float = 30.0) -> None:
        """Checks the address: https, or http on this machine. Raises SettingError."""
        if not timeout_s > 0:
            raise SettingError("The language model's timeout must be above zero seconds.")
        self._address = require_safe_address(address, "The language model")
        self._key = key
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None

    def post(self, path: str, body: JsonObject) -> JsonObject:
        """The server's JSON object; the timeout holds for the whole exchange.

        Raises ModelTimeoutError, ModelReplyError for a body that is not a JSON object or is too long, UnspentError
        where the server could not be reached or refused the request, LanguageModelError for any other failure.
        """
        deadline = time.monotonic() + self._timeout_s
        with self._exchange(path, body) as reply:
            data = self._read(reply, deadline)
            status = reply.status_code
        if status != 200:
            raise self._refused(status, data)
        value = _object(data)
        if value is None:
            raise ModelReplyError(
                "The language model's server answered with something other than a JSON object. Check its address."
            )
        return value

    def lines(self, path: str, body: JsonObject) -> Iterator[str]:
        """The lines of a streamed reply as they come; the timeout holds for each. Raises what `post` raises."""
        deadline = time.monotonic() + _PATIENCE * self._timeout_s
        with self._exchange(path, body) as reply:
            if reply.status_code != 200:
                raise self._refused(reply.status_code, self._read(reply, deadline))
            size = 0
            for line in reply.iter_lines():
                size += len(line)
                if size > LONGEST_REPLY:
                    raise ModelReplyError(
                        f"The language model wrote more than {LONGEST_REPLY} bytes. Check its server."
                    )
                if time.monotonic() > deadline:
                    raise self._late()
                yield line

    def close(self) -> None:
        """Close the connection; a later call opens another one."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    @contextmanager
    def _exchange(self, path: str, body: JsonObject) -> Iterator[httpx2.Response]:
        """A request, with the library's errors told as ours."""
        import httpx2

        content = json.dumps(body).encode("ascii")  # escaped, so that a lone surrogate in a text does no harm
        try:
            with self._opened().stream("POST", self._address + path, content=content) as reply:
                yield reply
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError) as error:
            raise UnspentError(
                f"The language model cannot be reached ({self._shown(error)}). Is its server running?"
            ) from error
        except httpx2.TimeoutException as error:
            raise self._late() from error
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            raise LanguageModelError(
                f"The language model's connection broke ({self._shown(error)}). Try again."
            ) from error

    def _opened(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._client is None:
                headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "dopejar"}
                headers["Content-Type"] = "application/json"
                if self._key is not None:
                    headers["Authorization"] = f"Bearer {self._key.value}"
                # A proxy from the environment is for other machines, not for this one.
                is_here = is_loopback(httpx2.URL(self._address).host)
                self._client = httpx2.Client(headers=headers, timeout=self._timeout_s, trust_env=not is_here)
            return self._client

    def _read(self, reply: httpx2.Response, deadline: float) -> bytes:
        """The body. The library's timeout applies to each chunk, so the total is checked here."""
        pieces: list[bytes] = []
        size = 0
        for piece in reply.iter_raw():
            size += len(piece)
            if size > LONGEST_REPLY:
                raise ModelReplyError(
                    f"The language model's reply is longer than {LONGEST_REPLY} bytes. Check its server."
                )
            if time.monotonic() > deadline:
                raise self._late()
            pieces.append(piece)
        return b"".join(pieces)

    def _late(self) -> ModelTimeoutError:
        return ModelTimeoutError(
            f"The language model did not answer within {self._timeout_s:g} s. Raise its timeout, or take a smaller one."
        )

    def _refused(self, status: int, data: bytes) -> LanguageModelError:
        kind = UnspentError if 300 <= status < 500 else LanguageModelError
        quoted = "" if status in (401, 403) else self._server_message(data)  # these often quote the key
        hint = _HINTS.get(
            status, "Redirects are not followed: give its final address." if status < 400 else "Try again later."
        )
        return kind(f"The language model's server answered {status}{quoted}. {hint}")

    def _server_message(self, data: bytes) -> str:
        """The server's error message: `error` or `error.message`."""
        message: JsonValue = (_object(data) or {}).get("error")
        if isinstance(message, dict):
            message = message.get("message")
        return f" ({self._shown(message)})" if isinstance(message, str) and message.strip() else ""

    def _shown(self, words: object) -> str:
        """One short line, with the key masked."""
        line = " ".join(str(words).split())
        if self._key is not None:
            line = line.replace(self._key.value, "[key]")
        return line[:_LONGEST_SAID].rstrip(".")


def _object(data: bytes) -> JsonObject | None:
    try:
        value: JsonValue = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

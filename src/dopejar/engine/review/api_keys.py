"""`Memory.api_keys`: the keys by which programs use the memory over HTTP.

Takes: the name and the scope of a key. Gives: the key, once. Never: keeps it in plain text, or lets one decide: what a
program says with a key is an agent's word.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dopejar.engine.arguments import checked
from dopejar.errors import InputError, NotFoundError
from dopejar.memory.hold import drop_rows, update_row
from dopejar.values.digests import sha256_hex
from dopejar.values.held_bodies import object_of, text_in, time_in
from dopejar.values.versioned_rows import KeyValueRow

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.engine.dependencies import Dependencies

ROW: Final = "api_key"
READ, WRITE = "read", "write"
SCOPES: Final = (READ, WRITE)
_PREFIX: Final = "dpj_"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


@dataclass(frozen=True, kw_only=True, slots=True)
class ApiKey:
    """A key without its secret. `read` may look; `write` may propose besides. No scope decides."""

    name: str
    scope: str
    made_at: datetime

    @property
    def may_write(self) -> bool:
        """Whether it may propose."""
        return self.scope == WRITE


@checked
class ApiKeys:
    """The keys of one store."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    def make(self, name: str, scope: str = READ) -> str:
        """A new key under this name, shown this once.

        Raises:
            InputError: the name is no plain word or in use, or there is no such scope.
        """
        if not _NAME.fullmatch(name):
            raise InputError(f"{name!r} is no name for a key. Use up to 40 letters, digits, dots, - and _.")
        if scope not in SCOPES:
            raise InputError(f"There is no scope {scope!r}. Use one of {', '.join(SCOPES)}.")
        key = _PREFIX + secrets.token_urlsafe(32)
        made = {"digest": sha256_hex(key), "scope": scope, "made_at": self._deps.clock.now().isoformat()}

        def first(row: KeyValueRow | None) -> KeyValueRow:
            if row is not None:
                raise InputError(f"A key named {name} exists. Revoke it first, or choose another name.")
            return KeyValueRow(kind=ROW, key=name, body=json.dumps(made))

        update_row(self._deps.store, ROW, name, first)
        return key

    def find(self, key: str) -> ApiKey | None:
        """The key, where it is one of this store."""
        digest = sha256_hex(key)
        for row in self._rows():
            key_of_row, its_digest = read_key(row)
            if hmac.compare_digest(its_digest, digest):
                return key_of_row
        return None

    def list(self) -> tuple[ApiKey, ...]:
        """Every key, by name."""
        return tuple(read_key(row)[0] for row in self._rows())

    def revoke(self, name: str) -> None:
        """End a key at once. Raises NotFoundError."""
        with self._deps.store.write() as tx:
            if tx.held(ROW, name) is None:
                raise NotFoundError(f"There is no key named {name!r}. `dopejar api-key list` names them.")
            drop_rows(tx, ROW, (name,))

    def _rows(self) -> tuple[KeyValueRow, ...]:
        with self._deps.store.read() as view:
            return view.held_of(ROW)


def read_key(row: KeyValueRow) -> tuple[ApiKey, str]:
    """The key of a row, and the digest of its secret. Raises as `values.held_bodies` does."""
    body = object_of(row)
    scope, digest = text_in(body, "scope"), text_in(body, "digest")
    if scope not in SCOPES or not digest.isascii():
        raise ValueError(row.key)
    return ApiKey(name=row.key, scope=scope, made_at=time_in(body, "made_at")), digest

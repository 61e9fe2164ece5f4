"""`Memory.page_links`: links to a running page, each for one browser, for whatever else runs on the store.

Takes: the address at which a page runs, and who asks for a link. Gives: links. Never: keeps a token in plain text, or
says that a page runs which has not said so within two minutes.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from dopejar.engine.arguments import checked
from dopejar.errors import NotFoundError
from dopejar.memory.hold import drop_rows, update_row
from dopejar.values.digests import sha256_hex
from dopejar.values.versioned_rows import KeyValueRow

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Dependencies

RENEWED_EVERY: Final = timedelta(minutes=1)
PAGE_ROW: Final = "page"
LINK_ROW: Final = "page_link"
_LIFETIME: Final = timedelta(minutes=15)
_USED: Final = "used"


@checked
class PageLinks:
    """The page of one store, where one runs, and the links that open it."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    def announce(self, address: str) -> None:
        """Say that a page runs here, which `address` opens when a token follows; to be said again every minute."""
        until = self._deps.system_clock.now() + 2 * RENEWED_EVERY

        def said(row: KeyValueRow | None) -> KeyValueRow:
            version = row.version if row else 0
            return KeyValueRow(kind=PAGE_ROW, key="address", body=address, version=version, expires_at=until)

        update_row(self._deps.store, PAGE_ROW, "address", said)

    def withdraw(self) -> None:
        """Say that it runs no longer."""
        with self._deps.store.write() as tx:
            drop_rows(tx, PAGE_ROW, ("address",))

    def make(self) -> str:
        """A link for one browser, good for 15 minutes; "" where no page runs."""
        now = self._deps.system_clock.now()
        page = self._row(PAGE_ROW, "address")
        if page is None or page.expires_at is None or page.expires_at <= now:
            return ""
        token = secrets.token_urlsafe(32)
        row = KeyValueRow(kind=LINK_ROW, key=sha256_hex(token), body="", expires_at=now + _LIFETIME)
        update_row(self._deps.store, LINK_ROW, row.key, lambda _: row)
        return f"{page.body}{token}"

    def redeem(self, token: str) -> bool:
        """Whether a token opens the page; it does so once, also where two processes ask at the same time."""
        key, now = sha256_hex(token), self._deps.system_clock.now()

        def used(row: KeyValueRow | None) -> KeyValueRow:
            if row is None or row.body == _USED or row.expires_at is None or row.expires_at <= now:
                raise NotFoundError("This link does not open the page, or did so before. Ask for another one.")
            return replace(row, body=_USED)

        if self._row(LINK_ROW, key) is None:
            return False  # a wrong token does not keep writers waiting
        try:
            update_row(self._deps.store, LINK_ROW, key, used)
        except NotFoundError:
            return False
        return True

    def _row(self, kind: str, key: str) -> KeyValueRow | None:
        with self._deps.store.read() as view:
            return view.held(kind, key)

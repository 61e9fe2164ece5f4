"""The count and the sum of the row digests of each table, as they are kept in `meta`.

Takes: digests that come and go, and the store's secret. Gives: sums, and whether the secret marked a stored text.
Never: marks sums again that were altered.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from dopejar.adapters.sqlite.codec import dumps

_WIDTH: Final = 16  # bytes of a digest
_MODULUS: Final = 1 << 128


@dataclass(kw_only=True, slots=True)
class Sums:
    """Count and sum of the digests of each table, and the ledger's head that they belong to.

    `is_sound` says whether the mark that the secret makes was right.
    """

    head: tuple[int, str] = (0, "")
    tables: dict[str, tuple[int, int]] = field(default_factory=dict)
    is_sound: bool = True

    def change(self, key: bytes, table: str, old: bytes | None, new: bytes | None) -> None:
        """Take the old digest of a row out and the new one in."""
        count, total = self.tables.get(table, (0, 0))
        if old is not None:
            count, total = count - 1, total - _weight(key, old)
        if new is not None:
            count, total = count + 1, total + _weight(key, new)
        self.tables[table] = count, total % _MODULUS

    def text(self, key: bytes) -> str:
        """As they are stored, with the mark that only the secret makes; sums that were altered get none again."""
        body = dumps([self.head, {name: [n, hex(total)] for name, (n, total) in self.tables.items()}])
        mark = mac(key, body.encode(), b"sums").hex() if self.is_sound else ""
        return f"{mark} {body}"

    @classmethod
    def of(cls, text: str, key: bytes) -> Sums:
        """The stored sums; unsound ones where they are missing, cannot be read or are not marked by the secret."""
        mark, _, body = text.partition(" ")
        try:
            head, tables = json.loads(body)
            sums = cls(
                head=(int(head[0]), str(head[1])),
                tables={str(name): (int(count), int(total, 16)) for name, (count, total) in tables.items()},
            )
        except (ValueError, TypeError, AttributeError, IndexError):
            return cls(is_sound=False)
        sums.is_sound = mark == mac(key, body.encode(), b"sums").hex()
        return sums


def mac(key: bytes, message: bytes, purpose: bytes) -> bytes:
    """The keyed digest of a message, for one purpose."""
    return blake2b(message, digest_size=_WIDTH, key=key, person=purpose).digest()


def _weight(key: bytes, digest: bytes) -> int:
    return int.from_bytes(mac(key, digest, b"weight"), "big")

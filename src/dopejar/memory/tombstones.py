"""Tombstones: keyed digests that keep erased words from coming back.

Takes: the store's secret and texts. Gives: digests. Never: holds words, or makes a digest that anybody without the
secret could test.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from dopejar.text.normalisation import content_hash

TEXT: Final = "text"
KEY: Final = "key"
SOURCE: Final = "source"
TURN: Final = "turn"
PLACE: Final = "place"


def keyed_digest(secret: bytes, kind: str, text: str) -> str:
    """The keyed digest of a text, a key or a source id, as tombstones hold it."""
    return hmac.new(secret, f"{kind}\x1f{text}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def text_digest(secret: bytes, text: str) -> str:
    """The digest of a normalised text."""
    return keyed_digest(secret, TEXT, content_hash(text))


def key_digest(secret: bytes, key: str, value: str) -> str:
    """The digest of a key with its value: the concept may be stated again, this value of it may not."""
    return keyed_digest(secret, KEY, f"{key}\x1f{value}")

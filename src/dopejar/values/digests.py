"""Digests of texts: what is kept of a token, and what tells whether a text has changed.

Takes: a text. Gives: its SHA-256. Never: salts; what may be guessed, such as a passphrase, is not kept like this.
"""

from __future__ import annotations

from hashlib import sha256


def sha256_hex(text: str) -> str:
    """The SHA-256 (hex) of the text exactly as it is, lone surrogates too."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

"""Reviewers: who may approve, and for how long a passphrase unlocks a session.

Takes: names, passphrases and times. Gives: hashes, answers, sessions and pauses. Never: reads a terminal, the
environment or a clock, and never keeps a passphrase.
"""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from dopejar.errors import InputError, StoreError

SESSION_LIFETIME: Final = timedelta(minutes=15)
LONGEST_SESSION: Final = timedelta(hours=12)  # a day at the page
SALT_BYTES: Final = 16
MIN_PASSPHRASE_LENGTH: Final = 8
LONGEST_PAUSE: Final = timedelta(minutes=5)
_FREE_FAILURES: Final = 3  # from this wrong passphrase on there are pauses

_SCHEME: Final = "scrypt"
_LOG2_N, _R, _P = 15, 8, 1  # 32 MiB and about 100 ms: costly to guess, acceptable once in 15 minutes
_MOST_LOG2_N, _MOST_R, _MOST_P = 20, 32, 16  # a forged hash must not make verification use gigabytes
_KEY_BYTES: Final = 32

# names that the program itself writes where a person's name may be
_RESERVED_NAMES: Final = frozenset({"", "policy", "auto", "agent", "assistant", "tool", "fetched", "system"})
_RESERVED_PREFIXES: Final = ("agent:", "key:", "mcp:", "hook:", "pipeline:")


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewerSession:
    """What a correct passphrase opened for a reviewer, from `since` (aware) until before `until`."""

    name: str
    since: datetime
    until: datetime

    def is_open(self, now: datetime) -> bool:
        """Whether it is open now.

        A session that begins later is invalid: the clock was set back. So is one that is longer than any passphrase
        opens: it was made by hand.
        """
        return self.since <= now < self.until <= self.since + LONGEST_SESSION


def hash_passphrase(passphrase: str, salt: bytes) -> str:
    """The scrypt hash (RFC 7914) of a passphrase, with its parameters: `scrypt$LOG2N$R$P$SALT$KEY`, both in hex.

    `salt` is `SALT_BYTES` random bytes of the caller. Raises InputError for an empty passphrase or too short a salt.
    """
    if not passphrase.strip():
        raise InputError("The passphrase is empty. Choose one that only you know.")
    if len(salt) < SALT_BYTES:
        raise InputError(f"The salt has {len(salt)} bytes; give {SALT_BYTES} random ones.")
    key = _derive(passphrase, salt, _LOG2_N, _R, _P)
    return f"{_SCHEME}${_LOG2_N}${_R}${_P}${salt.hex()}${key.hex()}"


def verify_passphrase(passphrase: str, stored: str) -> bool:
    """Whether the passphrase is the one that was hashed; compared in constant time.

    Raises StoreError where the stored hash cannot be read.
    """
    log2_n, r, p, salt, key = _read_hash(stored)
    if not passphrase.strip():
        return False
    return hmac.compare_digest(_derive(passphrase, salt, log2_n, r, p), key)


def check_new_passphrase(passphrase: str) -> None:
    """Raises InputError where a new passphrase is too short."""
    if len(passphrase.strip()) < MIN_PASSPHRASE_LENGTH:
        raise InputError(
            f"The passphrase is too short. Choose one of at least {MIN_PASSPHRASE_LENGTH} characters; a few words are"
            " good."
        )


def check_name(name: str) -> str:
    """A new reviewer's name, trimmed. Raises InputError where it is empty, too long, or reserved by the program."""
    trimmed = unicodedata.normalize("NFC", name).strip()
    if not trimmed or len(trimmed) > 64 or not trimmed.isprintable():
        raise InputError("A reviewer's name has 1 to 64 printable characters. Give another one.")
    if not is_person(trimmed):
        raise InputError(f"{trimmed!r} is reserved: the ledger uses it for something else. Give a person's name.")
    return trimmed


def pause_after(failures: int) -> timedelta:
    """How long no passphrase is checked after so many wrong ones in a row: none after two, then 1 s, doubled each."""
    if failures < _FREE_FAILURES:
        return timedelta(0)
    return min(timedelta(seconds=2 ** min(failures - _FREE_FAILURES, 30)), LONGEST_PAUSE)


def is_pause_step(failures: int) -> bool:
    """Whether this failure is the first, or makes the pause longer; only such failures are noted in the ledger."""
    return failures == 1 or pause_after(failures) > pause_after(failures - 1)


def is_person(name: str) -> bool:
    """Whether the name is a person's, not one that the program or an agent's key uses."""
    folded = name.strip().casefold()
    return folded not in _RESERVED_NAMES and not folded.startswith(_RESERVED_PREFIXES)


def may_approve(approver: str, proposer: str, *, is_person_proposing: bool) -> bool:
    """Whether this approver may approve what this proposer proposed.

    Only a person approves. A person may approve what was learned from their own words. A proposer that is no person
    never approves its own proposal, whatever credential it holds.
    """
    if not is_person(approver):
        return False
    return is_person_proposing or approver.strip().casefold() != proposer.strip().casefold()


def _derive(passphrase: str, salt: bytes, log2_n: int, r: int, p: int) -> bytes:
    n = 1 << log2_n
    password = unicodedata.normalize("NFKC", passphrase).encode("utf-8", "surrogatepass")
    needed = 128 * r * (n + p + 2)
    return hashlib.scrypt(password, salt=salt, n=n, r=r, p=p, maxmem=needed + (1 << 20), dklen=_KEY_BYTES)


def _read_hash(stored: str) -> tuple[int, int, int, bytes, bytes]:
    try:
        scheme, log2_n, r, p, salt, key = stored.split("$")
        fields = int(log2_n), int(r), int(p), bytes.fromhex(salt), bytes.fromhex(key)
    except ValueError as cause:
        raise StoreError("The reviewer's stored hash is damaged. Set a new passphrase.") from cause
    in_bounds = 1 <= fields[0] <= _MOST_LOG2_N and 1 <= fields[1] <= _MOST_R and 1 <= fields[2] <= _MOST_P
    if scheme != _SCHEME or not in_bounds or len(fields[4]) != _KEY_BYTES:
        raise StoreError("The reviewer's stored hash is of an unknown kind. Set a new passphrase.")
    return fields

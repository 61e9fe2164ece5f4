"""Reviewers: hashes, sessions of fifteen minutes, and who may approve what."""

from __future__ import annotations

from datetime import timedelta

import pytest
from gate_values import NOW
from hypothesis import given
from hypothesis import strategies as st

from dopejar.errors import InputError, StoreError
from dopejar.governance.reviewer_credentials import (
    SESSION_LIFETIME,
    ReviewerSession,
    check_name,
    check_new_passphrase,
    hash_passphrase,
    is_pause_step,
    is_person,
    may_approve,
    pause_after,
    verify_passphrase,
)

SALT = bytes(range(16))
PHRASE = "five green kettles"
STORED = hash_passphrase(PHRASE, SALT)


def test_the_right_passphrase_verifies():
    """The passphrase that was hashed verifies, in another Unicode spelling too; any other does not."""
    assert verify_passphrase(PHRASE, STORED)
    assert verify_passphrase("cafe\u0301 kettle", hash_passphrase("caf\u00e9 kettle", SALT))
    for wrong in ("", " ", PHRASE + " ", PHRASE.upper(), "x"):
        assert not verify_passphrase(wrong, STORED)


def test_the_hash_carries_its_parameters_and_not_the_passphrase():
    """The stored text names scheme, cost and salt; another salt gives another hash."""
    assert STORED.startswith(f"scrypt$15$8$1${SALT.hex()}$")
    assert PHRASE not in STORED
    assert hash_passphrase(PHRASE, bytes(16)) != STORED


def test_older_parameters_still_verify():
    """A hash with lower cost, as an older version may have stored it, is verified by its own parameters."""
    import hashlib

    key = hashlib.scrypt(PHRASE.encode(), salt=SALT, n=2, r=8, p=1, dklen=32)
    assert verify_passphrase(PHRASE, f"scrypt$1$8$1${SALT.hex()}${key.hex()}")


@pytest.mark.parametrize(
    "stored",
    ["", "scrypt", "plain$1$8$1$00$00", "scrypt$x$8$1$00$00", "scrypt$40$8$1$00$" + "00" * 32, "scrypt$1$8$1$00$00"],
)
def test_a_damaged_hash_is_named(stored):
    """A hash that cannot be read, or would cost gigabytes, is an error and never a yes."""
    with pytest.raises(StoreError, match="Set a new passphrase"):
        verify_passphrase(PHRASE, stored)


def test_what_cannot_be_a_passphrase():
    """An empty passphrase, a short new one and a short salt are refused with what to do."""
    with pytest.raises(InputError, match="empty"):
        hash_passphrase("  ", SALT)
    with pytest.raises(InputError, match="salt"):
        hash_passphrase(PHRASE, b"short")
    with pytest.raises(InputError, match="at least 8"):
        check_new_passphrase("seven77")
    check_new_passphrase("eight888")


@pytest.mark.parametrize(("name", "kept"), [("Mira", "Mira"), ("  Zoë ", "Zoë"), ("Li Wei", "Li Wei")])
def test_names(name, kept):
    """A person's name is kept, trimmed."""
    assert check_name(name) == kept


@pytest.mark.parametrize("name", ["", "  ", "policy", "AUTO", "agent:kettle", "key:1", "a\nb", "x" * 65])
def test_what_is_no_name(name):
    """Empty, unprintable and endless names, and those the ledger uses itself, are refused."""
    with pytest.raises(InputError):
        check_name(name)


@pytest.mark.parametrize(
    ("after", "holds"),
    [
        (timedelta(0), True),
        (SESSION_LIFETIME - timedelta(microseconds=1), True),
        (SESSION_LIFETIME, False),
        (timedelta(seconds=-1), False),
    ],
)
def test_a_session_ends_on_time(after, holds):
    """The session ends at its end, and a clock set back does not prolong it."""
    session = ReviewerSession(name="Mira", since=NOW, until=NOW + SESSION_LIFETIME)
    assert session.is_open(NOW + after) is holds


@given(st.integers(0, 10_000))
def test_pauses_grow_to_a_bound(failures):
    """Two slips cost nothing; then each wrong passphrase doubles the pause, from a second to five minutes."""
    pause = pause_after(failures)
    assert timedelta(0) <= pause <= pause_after(failures + 1) <= timedelta(minutes=5)
    assert (pause == timedelta(0)) is (failures < 3)
    assert pause in (timedelta(0), timedelta(seconds=2.0 ** (failures - 3)) if failures < 12 else timedelta(minutes=5))


def test_the_ledger_hears_of_few_wrong_passphrases():
    """However many are wrong, only the first and those that lengthen the pause are noted."""
    assert sum(map(is_pause_step, range(1, 100_000))) == 11


@pytest.mark.parametrize("name", ["Mira", "user", "agent smith", "Autolycus"])
def test_persons(name):
    """Ordinary names are persons'."""
    assert is_person(name)


@pytest.mark.parametrize(
    ("approver", "proposer", "from_person", "may"),
    [
        ("Mira", "agent:kettle", False, True),
        ("Mira", "Noor", False, True),
        ("Mira", "Mira", True, True),
        ("Mira", "user", True, True),
        ("robo", "Robo ", False, False),
        ("agent:kettle", "agent:kettle", False, False),
        ("agent:kettle", "Mira", True, False),
        ("auto", "Mira", True, False),
        ("", "Mira", True, False),
    ],
)
def test_who_may_approve(approver, proposer, from_person, may):
    """Only persons approve; whoever proposed without being a person never approves that."""
    assert may_approve(approver, proposer, is_person_proposing=from_person) is may


@given(st.text(), st.booleans())
def test_nobody_but_a_person_ever_approves(proposer, from_person):
    """No proposer lets an agent's key, the policy or nobody approve."""
    for approver in ("", "policy", "auto", "agent:x", "key:x"):
        assert not may_approve(approver, proposer, is_person_proposing=from_person)

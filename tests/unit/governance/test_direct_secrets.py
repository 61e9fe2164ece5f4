"""Credentials beside what they open: passphrases, logins, settings, codes for one use go; what is like them stays."""

import pytest

from dopejar.governance.redaction.redactor import redact

WORDS = "kettle " + "harbour velvet"
VALUE = "Plum" + "ber77x!"
CODE = "481" + "920"
SECRETS = [
    f"the passphrase is {WORDS} onyx",
    f"My master password for Attic is {WORDS} 41 rain.",
    f"use {WORDS} as the passphrase",
    f"log in with ana and {VALUE}",
    f"credentials for the demo: ana / {VALUE}",
    f"the login is ana with {VALUE}",
    f"wifi: Attic-Guest / {VALUE}",
    f"use {VALUE} to log in to the portal",
    f"the wifi unlocks with {VALUE}",
    f"{VALUE} <- root password",
    f"requirepass {VALUE}",
    f"unzip -P {VALUE} notes.zip",
    f"hotspot on my phone: {VALUE}",
    f"lösenordet är {VALUE}",
    f"enter {CODE} to confirm, says the SMS",
    f"{CODE} is your one-time passcode for the transfer",
    f"the authenticator shows {CODE}",
    "front door: 84" + "79",
    "registry token 57f89238-ef59-4fbf-86c0-" + "491f3064a27f",
    "密钥是" + "d3707f06e6358aa998b39eff9b04f136",
]
HARMLESS = [
    "the passphrase is stored in the vault",
    "password: must have letters and digits",
    "use the old one as the password",
    "sign in to helen6378",
    "We need SSO and password login by Q3-2026.",
    "gate 4412 boards at 1835",
    "the alarm is set for 0630",
    "2024 is the year of the code",
    "request id 57f89238-ef59-4fbf-86c0-491f3064a27f",
    "log in with OAuth2 and SAML2",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_credential_beside_what_it_opens_goes(text):
    """The value is gone, and whoever reads the rest still sees what it was for."""
    redacted = redact(text)
    assert redacted.kinds
    for value in (WORDS, VALUE, CODE, "8479", "491f3064a27f", "d3707f06e6358aa998b39eff9b04f136"):
        assert value not in redacted.text


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_like_one_stays(text):
    """Sentences about passwords, accounts, gates, times and ids are left as they are."""
    assert redact(text) == (text, {})

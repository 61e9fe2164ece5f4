"""Passwords and codes near their names, and secrets among the arguments of commands; every value here is invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.governance.redaction.redactor import redact

VALUE = "Quay" + "_4719x"
CODE = "68" + "04"
SENTENCES = (
    "the lamp controller wants {} as its password",
    "Mira's tablet password? It's {}",
    "I moved the printer's pwd over to {} today",
    "mein Passwort für das Archiv {} geht nicht mehr",
    "změnila jsem heslo na {}",
    "smbclient //depot/music -U mira%{}",
    "xfreerdp /v:10.1.1.7 /u:mira /p:{}",
    'ldapsearch -x -D cn=reader -w "{}" -b dc=depot',
    "7z x songs.7z -p{}",
    'echo "{}" | docker login --username mira --password-stdin',
    'client.get(url, auth=("mira", "{}"))',
    "snmp-server community {} RO",
    "WIFI:S:Depot;T:WPA;P:{};;",
    '<property name="store.password">{}</property>',
)
CODES = (
    "the keypad of the shed: {}",
    "my voicemail pin {}",
    "the tablet unlocks with {}",
    "der Tresorcode ist {}",
    "el código del portal es {}",
    "{} disarms the alarm",
)
LEFT = (
    "The password dialog of Windows11 looks odd.",
    "Our passwords are stored with Argon2id.",
    "the password column came with migration_42",
    "the error code is 4040",
    "le code postal est 75011",
    "otp library version 4821",
    "The pin was dropped in 2023.",
    "zip -r songs.zip songs",
    "echo done | tee log",
)


@pytest.mark.parametrize(("sentence", "value"), [(s, VALUE) for s in SENTENCES] + [(s, CODE) for s in CODES])
def test_a_value_near_its_name_is_taken_out(sentence: str, value: str) -> None:
    """Whatever the order of name and value, nothing of the value remains, alone and among other lines."""
    for frame in ("{}", "Please note:\n{}\nThanks!"):
        assert value not in redact(frame.format(sentence.format(value))).text


@pytest.mark.parametrize("text", LEFT)
def test_what_only_stands_near_such_a_name_stays(text: str) -> None:
    """Products, algorithms, versions, years and other codes are left as they are."""
    assert redact(text).text == text


@given(st.sampled_from(SENTENCES), st.sampled_from(["$SECRET_VALUE", "<password>", "********"]))
def test_placeholders_stay(sentence: str, value: str) -> None:
    """A variable or a placeholder is no secret."""
    assert value in redact(sentence.format(value)).text

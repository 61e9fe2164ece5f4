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


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("user,password,role\nana,Kettle4711,admin", "Kettle4711"),
        ("| host | login | password |\n|---|---|---|\n| db | app | Zk7plum9X |", "Zk7plum9X"),
        ("for the demo account use ana/Plum%77xy", "Plum%77xy"),
        ("ssh in with pi:plum8454!", "plum8454!"),
        ("Username: ana\nPassword:\nPlumtart77!", "Plumtart77!"),
        ("card 4111 1111 1111 1111, exp 11/29, 702", "702"),
        ("JWT_SIGNING_SALT=k9ZzQ4m2Xy7Lw3Pp8Rr1", "k9ZzQ4m2Xy7Lw3Pp8Rr1"),
        ("my mother's maiden name for the bank is Kettlewell", "Kettlewell"),
        ("respuesta secreta: Canela", "Canela"),
        ("我的身份证号是11010519491231002X", "11010519491231002X"),
        ("my OIB is 33392005961", "33392005961"),
    ],
)
def test_secrets_by_structure(text, secret):
    """Columns, pairs of a name and a password, values below a name, codes behind a card's date are taken out."""
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "user,password,role\nana,required,admin",
        "ana/plum77 and main/feature-77",
        "auth: aes-256-gcm",
        "cache key 8c4c85d1c89f4dcdb9e0e1fbcc9efd3a",
        "gpg --recv-keys ED637547B59BA432324D021AD236DAC2459F49A9",
        "arn:aws:secretsmanager:eu-west-1:082794881228:secret:prod/db-Hm1wWk",
        "aws_access_key_id = AKIA" + "IOSFODNN7EXAMPLE",
        'password = input("Password: ").strip()',
        "my OIB is 33392005962",
    ],
)
def test_structure_alone_is_no_secret(text):
    """Columns without values, paths, algorithms, public keys and examples stay."""
    assert redact(text).text == text

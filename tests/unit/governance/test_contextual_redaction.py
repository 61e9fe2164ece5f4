"""Secrets by public rules, by their place, in seed phrases, and in pieces."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.governance.redaction import redactor
from dopejar.governance.redaction.cue_words import seed_words
from dopejar.governance.redaction.redactor import redact
from dopejar.governance.redaction.seed_phrases import seed_phrase_spans
from dopejar.governance.redaction.vendor_rules import _rules

VALUE = "q7Zr2Kx9Lm4Tn8Vb3Hs6Jd5F"  # drawn by lot
GITHUB = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
WORDS = sorted(seed_words(), key=seed_words().__getitem__)


def phrase_of(entropy: bytes) -> str:
    """The seed phrase of these bytes (BIP-39)."""
    check = len(entropy) // 4
    bits = f"{int.from_bytes(entropy):0{8 * len(entropy)}b}" + f"{sha256(entropy).digest()[0]:08b}"[:check]
    return " ".join(WORDS[int(bits[at : at + 11], 2)] for at in range(0, len(bits), 11))


@given(st.sampled_from([16, 20, 24, 28, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size)))
def test_valid_seed_phrases_are_found_whole(entropy: bytes) -> None:
    """A phrase of 12 to 24 words whose checksum is right is taken out to its last word."""
    phrase = phrase_of(entropy)
    assert phrase.split()[-1] not in redact(f"my notes: {phrase}").text.split()
    assert phrase not in redact(f"my seed phrase: {phrase}").text


def test_words_without_a_checksum_stay() -> None:
    """Twelve words of the list in a row are prose unless the last one fits, or words beside them call them a phrase."""
    words = phrase_of(bytes(range(16))).split()
    wrong = next(word for word in WORDS if not list(seed_phrase_spans(" ".join([*words[:-1], word]))))
    listed = " ".join([*words[:-1], wrong])
    assert redact(listed).text == listed
    assert listed not in redact(f"mnemonic: {listed}").text


@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\ufeff", "\u2060"])
@pytest.mark.parametrize("at", [2, 9, 30])
def test_invisible_characters_hide_no_token(hidden: str, at: int) -> None:
    """A token with invisible characters inside leaves nothing of itself behind."""
    text = f"it was {GITHUB[:at]}{hidden}{GITHUB[at:]} then"
    assert redact(text).text == "it was [redacted:github-token] then"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n    ", "\\\n"])
def test_line_ends_hide_no_token(end: str) -> None:
    """A token that goes on in the next line is taken out whole; one that ends with its line leaves the next alone."""
    found = redact(f"key {GITHUB[:14]}{end}{GITHUB[14:]} done").text
    assert GITHUB[:14] not in found
    assert GITHUB[14:] not in found
    assert redact(f"key {GITHUB}{end}next").text.endswith("next")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"Set-Cookie: sid={VALUE}; Path=/", VALUE),
        (f"curl -H 'Cookie: theme=dark; session={VALUE}'", VALUE),
        (f"https://x.blob.core.windows.net/a?sv=2022&sig={VALUE}%3D", VALUE),
        ("<password>harbour42</password>", "harbour42"),
        ("the pass: harb0ur_9", "harb0ur_9"),
        (f"our signing secret, {VALUE}, has leaked", VALUE),
        ("use harbour42 as the password", "harbour42"),
        ("I set the admin password to 'harbour42'.", "harbour42"),
        ("sudo asks for a password, type harbour42", "harbour42"),
        ("CREATE USER x IDENTIFIED BY 'harbour42'", "harbour42"),
        ("echo harbour42 | sudo -S ls", "harbour42"),
        ("db.local:5432:shop:ana:harbour42", "harbour42"),
        ("keytool -storepass harbour42 -v", "harbour42"),
        ("mon mot de passe est @ncre_42", "@ncre_42"),
        (f"ENV SHOP_CLIENT_SECRET {VALUE}", VALUE),
        (f"define('AUTH_KEY', '{VALUE}');", VALUE),
        ('<add key="DbPassword" value="harbour42" />', "harbour42"),
        ("- name: DB_PASSWORD\n  value: harbour42", "harbour42"),
        (f"KETTLE__CORE__STEAM_KEY={VALUE}", VALUE),
        (f"STEAM_KEY = bytes.fromhex('{'a3f09b1c77d2e480' * 2}')", "a3f09b1c"),
        (f"kettleKey: {VALUE}", VALUE),
        ('user.set_password("harbour42")', "harbour42"),
        ('jwt.sign(claims, "harbour-kettle-42", options)', "harbour-kettle-42"),
        ("> AUTH default harbour42", "harbour42"),
        ("log in as ana@kettle.example / harbour-lamp-42 and look", "harbour-lamp-42"),
        ("Wi-Fi: Kettle, key harbour-lamp-42.", "harbour-lamp-42"),
        ("she used h4rbour!x as password for it", "h4rbour!x"),
        ("пароль от почты Gavan_42x, спасибо", "Gavan_42x"),
        ("a palavra-passe do portal é Porto#42", "Porto#42"),
        (f"ok, the new one is\n\n{VALUE}", VALUE),
        ("manual setup key: abcd efg2 hijk lmn7 opqr", "efg2"),
        ("security question, and my answer there is Otter Lamp", "Otter Lamp"),
        ("frase semilla: " + "lámpara puerto " * 6, "puerto lámpara"),
        ("我的助记词是：" + "吉 猪 吃 了 " * 3, "吉 猪"),
        ("Google backup codes\n1. 0193 7472\n2. 8437 4472", "8437 4472"),
    ],
)
def test_secrets_by_their_place(text: str, secret: str) -> None:
    """What a name, a command or a frame gives away as a secret is taken out."""
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "BitLocker: 111111-222222-333333-444444-555555-666666-777777-888888",
        f"key pair: [{', '.join(str(number) for number in range(64))}]",
        "APP_KEY=base64:" + (VALUE * 2)[:43] + "=",
        "Google app password: abcd efgh ijkl mnop",
        f"https://x.example/reset?token={VALUE}",
        "my tax file number is 123 456 782",
        "СНИЛС 112-233-445 95",
        "her passport number is C12345678",
    ],
)
def test_documented_forms(text: str) -> None:
    """Keys and numbers of documented forms are taken out where their name or their check says so."""
    assert redact(text).kinds


@pytest.mark.parametrize("opening", ["my backup codes are", "Recovery codes:\n", "códigos de recuperación:"])
def test_backup_codes_in_a_row(opening: str) -> None:
    """Every code of a list is taken out; the sentence behind the list stays."""
    codes = ["6yh0-7l06", "ydhr-d6gs", "p7he-u388"]
    found = redact(f"{opening} {', '.join(codes)}. They are from 2026-03-01.").text
    assert not any(code in found for code in codes)
    assert "2026-03-01" in found


@pytest.mark.parametrize(
    "text",
    [
        f"commit token parser {VALUE.lower()[:7]}",
        "api key sha256: 9b05313057ba15584f7e63855efb7845",
        "the public key is MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAENyetF4",
        "design token: color-primary-500 = #384360",
        "password: !vault |",
        "<password></password>",
        "session=expired",
        "the backup code path is tested",
        "PASS: tests/unit/test_kettle.py::test_boil_12",
        "xoxb-XXXXXXXXXXXX-XXXXXXXXXXXX-XXXXXXXX shows the form",
        "$password = ConvertTo-SecureString $env:DB_PASS -AsPlainText",
        '"password": "Senha", "confirm": "Confirme a senha"',
        "resolved https://registry.example/token-9.0.2.tgz#6ce36eafb6f611b40231f563ff4fb7d368f04185",
        "log in at kettle.example/login2",
        "primary_key = user_account_identifier_2024",
        "my seed phrase is a list of words that nobody else knows, so I will not say which ones",
    ],
)
def test_lookalikes_stay(text: str) -> None:
    """Hashes, public keys, names and tests are no secrets, whatever words stand beside them."""
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("new repo for you: harbor-web, the customer portal. react 18 + vite", "harbor-web"),
        ("new repo for us: winter-sun, the login portal. vue 3 + vite", "winter-sun"),
        ("our code name is silver-birch, release 4", "silver-birch"),
    ],
)
def test_names_of_code_stay(text: str, name: str) -> None:
    """A repository, a project or a service called by plain words is told by its name, unless a secret is named."""
    assert redact(text).text == text
    for word in ("password", "pwd"):
        assert name not in redact(f"the {word} for the app is {name}").text
        assert name not in redact(f"the app {word} is {name}").text


def test_rule_set_is_dated_licensed_and_compiles() -> None:
    """The public rules say where they come from; each has keywords and is an expression of Python."""
    text = files("dopejar.governance.redaction").joinpath("data/vendor_rules.json").read_text(encoding="utf-8")
    head = json.loads(text)
    assert head["licence"].startswith("MIT License")
    assert re.fullmatch("[0-9a-f]{64}", head["sha256_of_source"])
    assert head["date"]
    assert head["version"]
    assert all(rule.keywords and rule.pattern for rule in _rules())


def test_no_vendor_rule_opens_with_what_may_match_nothing() -> None:
    """A run of any length at the beginning of a rule is tried in each length at every character of a long text."""
    assert [
        rule.pattern.pattern for rule in _rules() if re.match(r"(?:\(\?i\))?\[[^\]]+\]\{0,", rule.pattern.pattern)
    ] == []


@pytest.mark.parametrize("alphabet", ["ABab01+/", "ABab01-_"])
def test_encoded_data_is_read_at_its_ends_alone(alphabet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No pattern sees the middle of a picture as one word; what stands at its ends or around it is found whole."""
    data = (alphabet * 700_000)[:5_000_000]
    seen: list[int] = []
    whole = redactor._visible_spans
    monkeypatch.setattr(redactor, "_visible_spans", lambda text: seen.append(len(text)) or whole(text))
    assert redact(data).text == data
    assert max(seen) < 2000
    assert (
        redact(f"data:image/png;base64,{data} {GITHUB}").text == f"data:image/png;base64,{data} [redacted:github-token]"
    )
    assert redact(f"{GITHUB} {data}").text == f"[redacted:github-token] {data}"
    assert data not in redact(f'password = "{data}"').text

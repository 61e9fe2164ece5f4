"""Redaction: planted secrets never get through, ordinary text is left as it is, and the time stays linear.

Every secret here is made up, and put together from parts so that no scanner takes it for a real one.
"""

from __future__ import annotations

import random
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.governance.redaction import redactor
from dopejar.governance.redaction.payment_numbers import passes_luhn
from dopejar.governance.redaction.placeholders import is_placeholder, looks_random
from dopejar.governance.redaction.redactor import redact
from dopejar.governance.redaction.token_patterns import SHORTEST_TOKEN, TOKEN_PATTERNS, compile_pattern

W = "q7Zr2Kx9Lm4Tn8Vb3Hs6Jd5Fg1Pw0Yce"  # 32 letters and digits, nobody's secret
HEX = "0f3a9c1b7e5d2468" * 4


def shaped(*parts):
    """A fake secret out of parts."""
    return "".join(parts)


TOKENS = {
    "github-token": [
        shaped("gh", "p_", W, "abcd"),
        shaped("gh", "s_", W, "abcd"),
        shaped("github", "_pat_", W, "_", W),
    ],
    "gitlab-token": [shaped("gl", "pat-", W[:20])],
    "api-key": [
        shaped("s", "k-", W),
        shaped("s", "k-proj-", W, "_", W),
        shaped("s", "k-ant-api03-", W, "-", W),
        shaped("s", "k-", "a" * 40),
        shaped("g", "sk_", W),
        shaped("x", "ai-", W),
        shaped("h", "f_", W),
        shaped("n", "pm_", W, "abcd"),
        shaped("py", "pi-AgEI", W, W),
        shaped("d", "op_v1_", HEX),
        shaped("dap", "i", HEX[:32]),
        shaped("S", "G.", W[:22], ".", W, W[:11]),
        shaped("S", "K", HEX[:32]),
        shaped("key", "-", HEX[:32]),
        shaped(HEX[:32], "-us", "12"),
        shaped("lin", "_api_", W),
        shaped("fig", "d_", W),
        shaped("hv", "s.", W),
        shaped("glc", "_", W),
        shaped("ntn", "_", W),
        shaped("pat", W[:14], ".", HEX),
        shaped("dckr", "_pat_", W),
    ],
    "aws-key": [shaped("AK", "IA", "Z7Q2XW9ERT5YUI8O"), shaped("AS", "IA", "Z7Q2XW9ERT5YUI8O")],
    "google-key": [shaped("AI", "za", W, "abc"), shaped("ya", "29.", W), shaped("GOC", "SPX-", W[:28])],
    "azure-key": [shaped("Ab1", "8Q", "~", W)],
    "payment-key": [
        shaped("sk", "_live_", W),
        shaped("rk", "_test_", W),
        shaped("wh", "sec_", W),
        shaped("shp", "at_", HEX[:32]),
    ],
    "slack-token": [shaped("xo", "xb-", "123456789012-", W), shaped("xa", "pp-1-", W)],
    "discord-token": [shaped("MT", W[:24], ".", W[:6], ".", W)],
    "telegram-token": [shaped("123456789", ":AA", W, "a")],
    "jwt": [shaped("ey", "JhbGciOiJub25lIn0", ".", "ey", "JzdWIiOiJuIn0", ".", W)],
    "webhook": [shaped("https://hooks.slack", ".com/services/", "T0ABCDEFG/B0ABCDEFG/", W[:24])],
    "private-key": [shaped("AGE-SECRET", "-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2)],
}
ALL_TOKENS = [(kind, token) for kind, tokens in TOKENS.items() for token in tokens]


@pytest.mark.parametrize(("kind", "token"), ALL_TOKENS)
def test_known_shapes_are_taken_out_whole(kind, token):
    """A token of a known shape leaves nothing of itself behind, alone, in a sentence, in quotes or in JSON."""
    for frame in ("{}", "it was {} then", '"{}"', '{{"a": "{}"}}', "({})", "x={}\n", "`{}`,", "<{}>"):
        found = redact(frame.format(token))
        assert token not in found.text
        assert W[:12] not in found.text
        assert sum(found.kinds.values()) == 1
    assert kind in redact(token).kinds


@pytest.mark.parametrize(("kind", "token"), ALL_TOKENS)
def test_shapes_occur_only_with_their_needles(kind, token):
    """The quick look before the patterns skips no shape that the patterns would find."""
    matching = [shape for shape in TOKEN_PATTERNS if compile_pattern(shape).search(token)]
    assert any(shape.kind == kind for shape in matching)
    for shape in matching:
        assert any(literal in token for literal in shape.literals)
    assert max(map(len, token.split())) >= SHORTEST_TOKEN


NAMED = [
    ('password = "Plum{}tart"', "password"),
    ("password=plum{}tart", "password"),
    ("password: plum{}tart9", "password"),
    ("Password: plumtart{}", "password"),
    ("DB_PASS=plum{}$,tart", "password"),
    ("export PGPASSWORD='plum {} tart'", "password"),
    ('{{"password": "plum{}tart", "user": "ana"}}', "password"),
    ('{{\\"password\\": \\"plum{}tart\\"}}', "password"),
    ("Server=db;User=sa;Password=plum{}9;Encrypt=true", "password"),
    ("mysql_root_passwd := 'plum{}'", "password"),
    ("userPwd => 'plum{}9'", "password"),
    ("mot de passe : plum{}9", "password"),
    ("senha: plum{}9", "password"),
    ("contraseña = plum{}9", "password"),
    ("Passwort: plum{}9", "password"),
    ("пароль: plum{}9", "password"),
    ("heslo: plum{}9", "password"),
    ("密码：plum{}9", "password"),
    ("密码是plum{}9", "password"),
    ("the wifi password is plum{}9!", "password"),
    ("the wifi password is plum{}9&plum;tart, I think", "password"),
    ("the api key is k9{}z4m2, keep it", "secret"),
    ("my access token for the shed is now k9{}z4m2&k9", "secret"),
    ("my passphrase for the vault was `plum{}`", "password"),
    ("client_secret: 'plum{}tart'", "password"),
    ("tool --password plum{}9 --verbose", "password"),
    ("tool --db-password=plum{}9", "password"),
    ("machine shed login ana password plum{}", "password"),
    ("curl -u ana:plum{} https://example.org", "password"),
    ("sshpass -p plum{} ssh shed", "password"),
    ("mysqldump -u root -pplum{} shop", "password"),
    ("redis-cli -h shed -a plum{}", "password"),
    ("api_key = 'k9{}z4m2'", "secret"),
    ("API-Key: k9{}z4m2", "secret"),
    ("x-api-key: k9{}z4m2", "secret"),
    ('secretKey: "k9{}z4m2"', "secret"),
    ("SECRET_KEY_BASE=k9{}z4m2", "secret"),
    ("AccountKey=k9{}z4m2==;EndpointSuffix=x", "secret"),
    ("https://shed.example/path?token=k9{}z4m2&page=2", "secret"),
    ("_authToken=k9{}z4m2", "secret"),
    ("tool --token k9{}z4m2", "secret"),
    ("Cookie: sessionid=k9{}z4m2", "secret"),
    ("Authorization: Bearer k9{}z4m2abcd", "bearer"),
    ("bearer k9{}z4m2abcd", "bearer"),
    ("Authorization: Basic k9{}z4m2abcd==", "authorization"),
    ("'authorization': 'token k9{}z4m2abcd'", "authorization"),
    ("postgres://ana:plum{}@shed:5432/shop", "url-password"),
    ("postgresql+psycopg://ana:pl/um{}@shed/shop", "url-password"),
    ("mongodb+srv://ana:pl@um{}@shed.example/shop", "url-password"),
    ("redis://:plum{}@shed:6379/0", "url-password"),
    ("https://ana:plum{}@shed.example/x.git", "url-password"),
    ("https://k9{}z4m2abcdefghjkmn7@shed.example/x.git", "url-password"),
]


@pytest.mark.parametrize(("frame", "kind"), NAMED)
@pytest.mark.parametrize("core", ["77", "4Kq", "X1"])
def test_named_values_are_taken_out(frame, kind, core):
    """What is given to a secret's name, in any of these notations, leaves no piece of itself."""
    text = frame.format(core)
    found = redact(text)
    assert found.kinds == {kind: 1}
    assert core not in found.text
    assert "plum" not in found.text
    assert "k9" not in found.text


def test_long_values_leave_no_tail():
    """A value far longer than one look is taken out to its end, bare and quoted."""
    long = (W * 40)[:1200]
    for text in (f"token={long}", f'token="{long}"', f"PASSWORD={long}", f"bearer {long}"):
        assert W[:8] not in redact(text).text


ORDINARY = [
    f"commit {HEX[:40]}",
    f"sha256:{HEX}",
    "index 3f2a91c..9be0d13 100644",
    "request 550e8400-e29b-41d4-a716-446655440000 took 12 ms",
    "api_key = YOUR_API_KEY",
    "API_KEY=<your-api-key>",
    "OPENAI_API_KEY=your_key_here",
    "token: ${{ secrets.DEPLOY_TOKEN }}",
    "PASSWORD=${DB_PASSWORD}",
    "PASSWORD=$DB_PASSWORD",
    "password = os.environ['SHED_PASSWORD']",
    "password = getpass.getpass()",
    "password=args.password",
    "password: str = Field(min_length=8)",
    "def login(user, password: str, token: Token) -> None:",
    "password: must be at least 8 characters",
    "Password: ********",
    "the password is required",
    "the api key is in the vault, the token is a string of 40 characters",
    "the token was expired and the signing key is rotated weekly",
    "your password is stored in the vault",
    "Forgot password? Click here",
    "'password': 'The password of the user'",
    "max_tokens: 4096, token_count=12345678",
    "tokenizer = load_tokenizer('tok-2024-large-v12')",
    "primary_key: user_id_12345678",
    "cache key: page:12345678:en",
    "const token = getToken();",
    "token: string;",
    "auth: enabled",
    "author: Ana1234567",
    "PASS: tests/unit/test_kettle.py::test_boil_12",
    "pass: 1234 fail: 5",
    "bypass=kettle1234",
    "an sk-learn-pipeline-with-many-steps branch",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-ant-your-api-key-goes-here-please",
    "xoxb-your-slack-token",
    "https://shed.example:8080/a@b",
    "git@shed.example:ana/kettle.git",
    "postgres://user:password@localhost/db",
    "postgres://ana:${PGPASSWORD}@shed/db",
    "order 1234567890123456",
    "phone +4915112345678",
    "1893456000000 ms, 1893456000000000000 ns",
    "ISBN 9783161484100",
    "4111 1111 1111 1112",
    "row 4242424242424241",
    "3.14159265358979323846",
    "id 4012888888881881-x",
    "DE88 3704 0044 0532 0130 00",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
    "a basic understanding of things",
    "bearer of bad news and of authorisation-documents",
    "-----BEGIN PUBLIC KEY-----\nMFwwDQYJ\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMq ana@shed",
    "use </private> to close",
    "key: value12345678",
    "Ein Passwort ist lang genug, wenn es niemand errät.",
    "a secret: **she whistles**",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays(text):
    """Hashes, ids, numbers, code, prose about secrets and placeholders are left as they are."""
    assert redact(text) == (text, {})


CARDS = [
    "4111111111111111", "4111 1111 1111 1111", "5555-5555-5555-4444", "2223003122003222", "378282246310005",
    "3782 822463 10005", "30569309025904", "6011111111111117", "3530111333300000", "4222222222222",
]  # fmt: skip


@pytest.mark.parametrize("card", CARDS)
def test_cards_are_taken_out(card):
    """Numbers with an issuer's prefix, its length and a right Luhn sum are cards, grouped or not."""
    assert redact(f"paid with {card}, thanks").text == "paid with [redacted:card], thanks"


@given(st.text(alphabet=string.digits, min_size=2, max_size=19))
def test_luhn_has_one_right_last_digit(digits):
    """Of the ten last digits exactly one makes the Luhn sum right, a row of one digit aside."""
    right = [last for last in string.digits if passes_luhn(digits + last)]
    assert len(right) == (0 if len(set(digits)) == 1 and passes_one(digits) else 1)


def passes_one(digits):
    """Whether repeating the one digit would make the sum right (which the check refuses)."""
    total = sum(sum(divmod(2 * int(d), 10)) for d in digits[::-2]) + sum(map(int, digits[-2::-2]))
    return (total + int(digits[0])) % 10 == 0


def test_ibans_are_taken_out():
    """An account number of the right length with right check digits is taken out, spaced or not."""
    for account in ("DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"):
        assert redact(f"to {account} today").text == "to [redacted:iban] today"


BLOCK = shaped("-----BEGIN ", "RSA PRIVATE", " KEY-----\nMIIk", W, "\n", W, "\n-----END ", "RSA PRIVATE", " KEY-----")


@pytest.mark.parametrize(
    "text", [BLOCK, BLOCK.replace("\n", "\\n"), BLOCK.replace("RSA ", ""), BLOCK.replace("RSA", "OPENSSH"), BLOCK[:90]]
)
def test_private_key_blocks_are_taken_out(text):
    """A private key block goes with its frame, also on one line and also where its end is missing."""
    found = redact(f"before\n{text}")
    assert found.text == "before\n[redacted:private-key]"
    assert found.kinds == {"private-key": 1}


def test_both_halves_of_an_aws_pair():
    """Beside an access key's id its secret half goes too; a git hash beside it stays."""
    pair = shaped("AK", "IA", "Z7Q2XW9ERT5YUI8O"), shaped("aB3/", W, "x+9Q")
    found = redact(f"{pair[0]} {pair[1]} {HEX[:40]}")
    assert found.text == f"[redacted:aws-key] [redacted:aws-key] {HEX[:40]}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <private>my diary</private> b", "a [redacted:private] b"),
        ("a <PRIVATE >x</Private> b <private>y</private>", "a [redacted:private] b [redacted:private]"),
        ("a <private>x <private>y</private> z</private> b", "a [redacted:private] b"),
        ("a <private>never closed\nand on", "a [redacted:private]"),
        ("<private>pin 4111111111111111</private>", "[redacted:private]"),
    ],
)
def test_private_spans(text, expected):
    """What a person marks as private goes whole, nested or unclosed, and counts once."""
    found = redact(text)
    assert found.text == expected
    assert set(found.kinds) == {"private"}


def test_counts_by_kind():
    """The kinds and their counts are reported, and nothing else about the values."""
    text = f"{shaped('gh', 'p_', W, 'abcd')} and 4111111111111111 and 5555555555554444 and password=plum77"
    found = redact(text)
    assert found.kinds == Counter({"card": 2, "github-token": 1, "password": 1})


PLANTED = [token for _, token in ALL_TOKENS] + [BLOCK, "4111111111111111", "DE89370400440532013000"]


@given(st.text(max_size=80), st.sampled_from(PLANTED), st.text(max_size=80))
def test_planted_secrets_never_leak(before, secret, after):
    """Whatever stands around it, a planted secret is not in the redacted text."""
    assert secret not in redact(f"{before}\n{secret}\n{after}").text


PIECES = [*PLANTED, *ORDINARY, *(frame.format("77") for frame, _ in NAMED), " ", "\n", '"', "="]


@given(st.lists(st.sampled_from(PIECES)))
def test_redaction_is_idempotent(parts):
    """A redacted text is redacted no further."""
    once = redact("".join(parts))
    assert redact(once.text) == (once.text, {})


@given(st.text())
def test_any_text_can_be_redacted(text):
    """No text whatever makes redaction fail or changes where nothing was found."""
    found = redact(text)
    assert found.kinds or found.text == text
    assert redact(found.text).text == found.text


@given(st.text())
def test_lowering_keeps_offsets(text):
    """Names are looked for in lower case of the same length, also where a letter's lower case is longer."""
    assert len(redactor._lowered(text)) == len(text)


def test_offsets_hold_behind_letters_that_grow():
    """A capital whose lower case is two characters does not shift what is taken out."""
    assert redact("İİİ password=plum77 end").text == "İİİ password=[redacted:password] end"


ADVERSARIAL = [
    "-----BEGIN PRIVATE KEY-----", "api_key=", 'api_key="', "password: ", "password is is ", "eyJaaaaaaaa.", "-", " --",
    "postgres://a:b", "://a:", "1 ", "4", "DE89 ", "<private>", "bearer ", "mysql -", "curl -u a", "\"'`",
    "login a password ", "api_key='x password=`y ", "MTAwMDAw.abcdef.", "pass=", "key\\\"",
]  # fmt: skip


@pytest.mark.parametrize("unit", ADVERSARIAL)
def test_long_adversarial_texts_end(unit):
    """Texts that repeat the beginning of a secret 100,000 characters long are worked through.

    A pattern whose time grows with the square of the text would run into the test's time limit here.
    """
    text = (unit * (100_000 // len(unit) + 1))[:100_000]
    found = redact(text)
    assert redact(found.text).text == found.text


@pytest.mark.parametrize(
    "value", ["YOUR_API_KEY", "<token>", "${TOKEN}", "{{ token }}", "xxxx", "changeme", "yourSecret", "..."]
)
def test_placeholders(value):
    """What stands for a secret in documentation is known as such."""
    assert is_placeholder(value)


def test_random_looks():
    """Drawn values look random, written ones do not."""
    drawn = random.Random(7)  # noqa: S311 - the same values at every run
    letters = string.ascii_letters + string.digits
    assert all(looks_random("".join(drawn.choices(letters, k=32)) + "7a") for _ in range(50))
    assert not any(map(looks_random, ["kettle", "my-feature-branch", "two words 12345", "12345678"]))

"""Texts with secrets and without: read from files, made from templates, and made again with other values.

Takes: the files of `data/secrets` and ordinary text of `data`. Gives: texts with the places of their secrets. Never: a
value that somebody uses; all are drawn.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from training.reader_data import first_turns

DATA = Path(__file__).parent / "data"
SECRETS = DATA / "secrets"
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
ALNUM = string.ascii_letters + string.digits


class Text(NamedTuple):
    """A text, where its secrets are, and who wrote it."""

    text: str
    spans: list[tuple[int, int]]
    author: str


def read_marked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text without the marks around its secrets, and where these are."""
    plain, spans, start = "", list[tuple[int, int]](), 0
    for piece in re.split("([⟦⟧])", text):
        if piece == "⟦":
            start = len(plain)
        elif piece == "⟧":
            spans.append((start, len(plain)))
        else:
            plain += piece
    return plain, spans


def read_file(path: Path) -> Iterator[Text]:
    """The texts of a file: each behind a line `#### kind`, its secrets between ⟦ and ⟧."""
    author = path.stem.rpartition("_")[2]
    for part in re.split(r"(?m)^#### ?", path.read_text(encoding="utf-8"))[1:]:
        yield Text(*read_marked(part.partition("\n")[2].rstrip("\n")), author)


def ordinary_texts() -> list[str]:
    """Turns and utterances without secrets."""
    texts = []
    for path in first_turns():
        texts += [line[2:] for line in path.read_text(encoding="utf-8").splitlines() if len(line) > 20]
    for path in sorted(DATA.glob("signals/utterances_*.txt")):
        texts += [line.partition(" | ")[2] for line in path.read_text(encoding="utf-8").splitlines() if len(line) > 20]
    return texts


def foreign_words() -> set[str]:
    """Words of statements in other languages than English."""
    words = set[str]()
    for path in sorted(DATA.glob("wordings-[pw]*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for row in rows:
            if re.match(r"(?:de|es|fr|pt)-", row["group"]):
                words.update(word.lower() for text in row["wordings"] for word in re.findall(r"[^\W\d_]{4,10}", text))
    return words


class Values:
    """Draws values of every kind."""

    def __init__(self, rng: Random, words: Sequence[str]) -> None:
        self.rng = rng
        self.words = words

    def chars(self, alphabet: str, size: int) -> str:
        """So many characters of an alphabet."""
        return "".join(self.rng.choices(alphabet, k=size))

    def word(self) -> str:
        """A word of an ordinary text."""
        return self.rng.choice(self.words)

    def password(self) -> str:
        """A password as people choose them."""
        rng = self.rng
        one, two, three = self.word(), self.word(), self.word()
        cap, sign, digits = str.capitalize, rng.choice("!?#$%&*@+_.-~^"), self.chars(string.digits, rng.randint(1, 4))
        joint = (
            rng.choice(["-", "_", ".", "", "-", "&", "+", "/", "~", "!", ","])
            if rng.random() < 0.9
            else rng.choice(":;=|@<>")
        )
        year = str(rng.choice([1955, 1968, 1979, 1984, 1990, 1999, 2005, 2012, 2019, 2021, 2022, 2023, 2024, 2025]))
        leet = str.maketrans({"o": "0", "e": "3", "i": "1", "a": rng.choice("4@"), "s": rng.choice("5$")})
        forms = (
            lambda: one + digits,
            lambda: cap(one) + digits,
            lambda: cap(one) + digits + sign,
            lambda: cap(one) + sign + digits,
            lambda: cap(one) + year + rng.choice(["", "!", sign]),
            lambda: one + joint + two,
            lambda: cap(one) + joint + cap(two),
            lambda: cap(one) + cap(two) + digits,
            lambda: one + cap(two),
            lambda: one + two,
            lambda: one + joint + two + joint + three,
            lambda: cap(one) + joint + cap(two) + joint + digits,
            lambda: one + joint + two + joint + digits,
            lambda: cap(one) + joint + cap(two) + joint + cap(three),
            lambda: digits + one + joint + two,
            lambda: one if len(one) > 4 else one + two,
            lambda: cap(one),
            lambda: one.translate(leet) + rng.choice(["", digits, sign]),
            lambda: cap(one).translate(leet) + sign + digits,
            lambda: self.chars(ALNUM, rng.randint(6, 12)),
            lambda: self.chars(ALNUM + "!#$%&*+-?@^_~", rng.randint(8, 20)),
            lambda: self.chars(string.ascii_lowercase + string.digits, rng.randint(6, 12)),
            lambda: self.chars(string.digits, rng.randint(5, 8)),
            lambda: self.chars(self.chars(string.ascii_letters, 3) + self.chars(string.digits, 1), rng.randint(7, 14)),
            lambda: one + "." + two,
            lambda: one + digits + "." + two,
        )
        return rng.choice(forms)()

    def random(self) -> str:
        """A value that a machine drew."""
        rng = self.rng
        forms = (
            lambda: self.chars(ALNUM, rng.randint(16, 64)),
            lambda: self.chars(ALNUM, rng.randint(12, 40)),
            lambda: self.chars(ALNUM + "-_", rng.randint(20, 64)),
            lambda: self.chars(string.ascii_lowercase + string.digits, rng.randint(10, 40)),
            lambda: self.chars(string.ascii_uppercase + string.digits, rng.randint(10, 40)),
            self.hexadecimal,
            self.base64,
            lambda: (
                rng.choice(["sk", "tok", "key", "app", "prod", "pat", "svc", "v1", "live", self.word()[:5]])
                + rng.choice("-_.")
                + self.chars(ALNUM, rng.randint(12, 40))
            ),
            lambda: self.chars(ALNUM, rng.randint(8, 24)) + "." + self.chars(ALNUM + "-_", rng.randint(16, 40)),
        )
        return rng.choice(forms)()

    def hexadecimal(self, size: int = 0) -> str:
        """So many digits of base 16, or a usual number of them."""
        return self.chars("0123456789abcdef", size or self.rng.choice([16, 20, 24, 32, 32, 40, 48, 64]))

    def base64(self) -> str:
        """Bytes in base 64."""
        return self.chars(ALNUM + "+/", self.rng.choice([22, 43, 27, 63, 86])) + self.rng.choice(["=", "", "=="])

    def phrase(self) -> str:
        """A few words with spaces."""
        return " ".join(self.word() for _ in range(self.rng.randint(2, 6)))

    def uuid(self) -> str:
        """A random UUID."""
        return "-".join(self.hexadecimal(size) for size in (8, 4, 4, 4, 12))

    def groups(self, alphabet: str, counts: Sequence[int], sign: str) -> str:
        """Groups of characters with a sign between."""
        return sign.join(self.chars(alphabet, count) for count in counts)

    def code(self) -> str:
        """A code to type into a lock."""
        rng = self.rng
        digits = self.chars(string.digits, rng.choice([3, 4, 4, 4, 4, 5, 6, 6, 8]))
        forms = [digits] * 8 + [digits + rng.choice("#*ABX"), "*" + digits + "#", rng.choice("ABCK") + digits]
        forms += [digits[:2] + rng.choice("ABC") + digits[2:], self.groups(string.digits, (2, 2, 2), "-")]
        forms += [self.groups(string.digits, (2, 3), "-"), " ".join(digits)]
        return rng.choice(forms)

    def name(self) -> str:
        """A name of a person, an animal or a place."""
        one, two = self.word().capitalize(), self.word().capitalize()
        return self.rng.choice([one, one, f"{one} {two}", f"{one}-{two}", one.lower()])

    def draw(self, kind: str) -> str:
        """A value of a kind that templates name."""
        rng, digits = self.rng, string.digits
        upper = string.ascii_uppercase + digits
        forms = {
            "pw": self.password,
            "rand": self.random,
            "any": rng.choice([self.password, self.random, self.random]),
            "phrase": self.phrase,
            "uuid": self.uuid,
            "hex": self.hexadecimal,
            "b64": self.base64,
            "pin": self.code,
            "combo": lambda: rng.choice(
                [
                    self.groups(digits, (2, 2, 2), rng.choice(["-", " ", "-", "/"])),
                    self.groups(digits, (1, 1, 1, 1), "-"),
                    self.chars(digits, 4),
                ]
            ),
            "puk": lambda: self.chars(digits, 8),
            "otp": lambda: rng.choice(
                [
                    self.chars(digits, 6),
                    self.groups(digits, (3, 3), rng.choice(" -")),
                    self.chars(digits, 4),
                    self.chars(digits, 8),
                    self.chars(upper, 6),
                ]
            ),
            "bcode": lambda: rng.choice(
                [
                    self.groups(digits, (4, 4), rng.choice("- ")),
                    self.groups(string.ascii_lowercase + digits, (4, 4), "-"),
                    self.chars(string.ascii_lowercase + digits, 10),
                    self.groups(string.ascii_lowercase + digits, (5, 5), "-"),
                    self.chars(digits, 8),
                ]
            ),
            "serial": lambda: rng.choice(
                [
                    self.groups(upper, (5,) * 5, "-"),
                    self.groups(upper, (4,) * 4, "-"),
                    self.groups(digits, (4,) * 6, "-"),
                    self.groups(upper, (4, 4, 4, 4), "-"),
                ]
            ),
            "base32": lambda: self.chars(BASE32, rng.choice([16, 26, 32])),
            "base32g": lambda: rng.choice([str.lower, str.upper])(
                self.groups(BASE32, (4,) * rng.choice([4, 6, 8]), " ")
            ),
            "words": lambda: " ".join(self.word() for _ in range(12)),
            "name": self.name,
            "card": lambda: rng.choice("45") + self.groups(digits, (3, 4, 4, 4), rng.choice([" ", " ", "-", ""])),
            "cvv": lambda: self.chars(digits, 3),
            "acct": lambda: self.chars(digits, rng.choice([8, 9, 10, 12, 20])),
            "sort": lambda: self.groups(digits, (2, 2, 2), "-"),
            "iban": lambda: (
                rng.choice(["DE", "FR", "ES", "NL", "PL"])
                + self.groups(digits, (2, 4, 4, 4, 4, 2), rng.choice([" ", ""]))
            ),
            "ssn": lambda: self.groups(digits, (3, 2, 4), rng.choice(["-", " ", ""])),
            "taxid": lambda: rng.choice(
                [
                    self.groups(digits, (2, 3, 3, 3), " "),
                    self.chars(digits, 11),
                    self.groups(digits, (3, 3, 3), " "),
                    self.groups(digits, (2, 6, 1, 3), " "),
                    self.groups(digits, (4, 6), " "),
                ]
            ),
            "passport": lambda: rng.choice(
                [
                    self.chars(string.ascii_uppercase, 1) + self.chars(digits, 8),
                    self.chars(string.ascii_uppercase, 3) + self.chars(digits, 6),
                    self.chars(digits, 8) + rng.choice("ABZX"),
                    self.chars(upper, 9),
                ]
            ),
            # values that are no secret
            "commit": lambda: self.hexadecimal(40),
            "commit7": lambda: self.hexadecimal(rng.choice([7, 8, 9])),
            "sha": lambda: self.hexadecimal(64),
            "hex32": lambda: self.hexadecimal(32),
            "hex16": lambda: self.hexadecimal(16),
            "hex16u": lambda: self.hexadecimal(rng.choice([16, 40])).upper(),
            "hex12": lambda: self.hexadecimal(12),
            "hex8": lambda: self.hexadecimal(8),
            "hex6": lambda: self.hexadecimal(6),
            "b64neg": self.base64,
            "b64short": lambda: self.chars(ALNUM, 16),
            "rs": lambda: self.chars("0123456789bcdfghjklmnpqrstvwxz", 10),
            "rs5": lambda: self.chars("bcdfghjklmnpqrstvwxz0123456789", 5),
            "order": lambda: self.chars(digits, rng.choice([4, 5, 5, 6, 7, 8])),
            "track": lambda: rng.choice(
                [
                    self.chars(digits, 14),
                    "1Z" + self.chars(upper, 16),
                    self.chars(string.ascii_uppercase, 2) + self.chars(digits, 9) + "DE",
                ]
            ),
            "part": lambda: (
                self.chars(string.ascii_uppercase, 2)
                + "-"
                + self.chars(digits, rng.randint(3, 6))
                + rng.choice(["", "B", "X2"])
            ),
            "ticket": lambda: (
                self.chars(string.ascii_uppercase, rng.randint(2, 4)) + "-" + self.chars(digits, rng.randint(2, 5))
            ),
            "flight": lambda: self.chars(string.ascii_uppercase, 2) + self.chars(digits, rng.choice([3, 4])),
            "isbn": lambda: "978-" + self.groups(digits, (1, 4, 4, 1), "-"),
            "phone": lambda: rng.choice(
                [
                    self.groups(digits, (3, 4), "-"),
                    "+49 " + self.groups(digits, (3, 8), " "),
                    "0" + self.groups(digits, (3, 3, 3), " "),
                    "0" + self.groups(digits, (4, 6), " "),
                ]
            ),
            "zip": lambda: self.chars(digits, 5),
            "pin4": lambda: self.chars(digits, 4),
            "version": lambda: (
                f"{rng.randint(0, 30)}.{rng.randint(0, 20)}.{rng.randint(0, 30)}"
                + rng.choice(["", "", "-rc1", "-beta2"])
            ),
            "word": self.word,
            "cardlike": lambda: "ending in " + self.chars(digits, 4),
            "word_de": lambda: rng.choice(
                ["falsch", "abgelaufen", "zu kurz", "erforderlich", "ungültig", "vergessen", "geändert"]
            ),
            "placeholder": lambda: rng.choice(
                [
                    "changeme",
                    "<your-key>",
                    "YOUR_API_KEY",
                    "xxxx",
                    "********",
                    "${SECRET}",
                    "{{ secret }}",
                    "your_password_here",
                    "null",
                    "todo",
                    "REPLACE_ME",
                    "<password>",
                    "...",
                    "example",
                    "ENC[AES256,data]",
                    "%(secret)s",
                    "test",
                    "password",
                    "secret",
                ]
            ),
            "ref": lambda: rng.choice(
                [
                    "${DB_PASSWORD}",
                    "$TOKEN",
                    "os.environ['KEY']",
                    "process.env.SECRET",
                    "args.password",
                    "config.token",
                    "self.password",
                    "settings.secret_key",
                    "user.password",
                    "!vault |",
                    "{{ vault_pass }}",
                    "secrets.DEPLOY_TOKEN",
                    "${{ secrets.TOKEN }}",
                    "env.KEY",
                    "var.db_password",
                    "data.vault.pw",
                    "@password",
                    "password",
                    "hashedPassword",
                    "newToken",
                    "row['pw']",
                    "local.secret",
                ]
            ),
            "call": lambda: rng.choice(
                [
                    "getpass.getpass()",
                    "get_secret('db')",
                    "os.getenv('PW')",
                    "input('Password: ')",
                    "generate()",
                    "secrets.token_hex(32)",
                    "crypto.randomBytes(32)",
                    "readFile('key.pem')",
                    "vault.read(path)",
                    "request.form['password']",
                    "keyring.get('x')",
                    "hash_password(pw)",
                    "prompt()",
                    "load_key()",
                    "uuid4()",
                ]
            ),
        }
        return forms[kind]()


def template_texts(values: Values, count: int) -> Iterator[Text]:
    """So many texts of each template of the file."""
    lists: dict[str, list[str]] = {}
    lines = (SECRETS / "templates.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line.startswith("@ "):
            name, _, rest = line[2:].partition(" ")
            lists[name] = [one.strip(" ") for one in rest.split(" | ")]
    for line in lines:
        if not line or line.startswith(("@ ", "####")):
            continue
        for _ in range(count):
            yield Text(*read_marked(_filled(line, lists, values)), "templates")


def _filled(line: str, lists: dict[str, list[str]], values: Values) -> str:
    def one(match: re.Match[str]) -> str:
        name = match.group(1)
        if name in lists:
            chosen = values.rng.choice(lists[name])
            return (
                (" " + chosen if chosen[:1].isalpha() or chosen[:1] == "(" else chosen)
                if name == "sentence_end" and chosen
                else chosen
            )
        return values.draw(name)

    line = line.replace("\\n", "\n").replace("\\r", "\r").replace("\\\\", "\\")
    line = re.sub(r"⟦(\w+)⟧", lambda match: f"⟦{values.draw(match.group(1))}⟧", line)
    return re.sub(r"\{([a-z_0-9]+)\}", one, line)


_HUMAN = re.compile(r"(?=.*[A-Za-z]{3}).{3,24}")


def other_values(text: Text, values: Values) -> Text:
    """The text with other secrets in the same places: of the same form, or of another that might stand there."""
    rng = values.rng
    made, spans, at = "", list[tuple[int, int]](), 0
    for start, end in sorted(text.spans):
        if start < at:
            continue
        value = text.text[start:end]
        other = _other(value, values, rng)
        made += text.text[at:start]
        spans.append((len(made), len(made) + len(other)))
        made, at = made + other, end
    return Text(made + text.text[at:], spans, text.author)


def _other(value: str, values: Values, rng: Random) -> str:
    plain = value.strip()
    if re.fullmatch(r"\d{3,8}[#*]?", plain):
        return values.code() if rng.random() < 0.4 else same_form(value, rng)
    if "\n" in plain or len(plain) > 90 or re.fullmatch(r"[\d .-]+", plain):
        return same_form(value, rng)
    letters = max((len(run) for run in re.findall("[a-z]+|[A-Z][a-z]+", plain)), default=0)
    if " " in plain:
        return values.phrase() if letters > 2 and rng.random() < 0.5 else same_form(value, rng)
    if letters >= 4 and len(plain) < 32:
        return values.password() if rng.random() < 0.8 else same_form(value, rng)
    if len(plain) >= 14:
        return values.random() if rng.random() < 0.3 else same_form(value, rng)
    return values.password() if rng.random() < 0.3 else same_form(value, rng)


def same_form(value: str, rng: Random) -> str:
    """Other letters and digits in the same places."""
    is_hex = re.fullmatch("[0-9a-fA-F-]+", value) is not None
    low, up = ("abcdef", "ABCDEF") if is_hex else (string.ascii_lowercase, string.ascii_uppercase)
    return "".join(
        rng.choice(string.digits)
        if one in string.digits
        else rng.choice(low)
        if one in string.ascii_lowercase
        else rng.choice(up)
        if one in string.ascii_uppercase
        else one
        for one in value
    )


_ID = re.compile(r"[A-Za-z0-9_+/-]*\d[A-Za-z0-9_+/-]*")


def other_ids(text: Text, rng: Random) -> Text:
    """A text without secrets, with other digits and letters in what has a digit and is longer than a few characters."""

    def other(match: re.Match[str]) -> str:
        value = match.group()
        return (
            same_form(value, rng)
            if len(value) > 5 and not re.search("[a-z]{4}", value.lower().translate(_HEX_LETTERS))
            else value
        )

    return text._replace(text=_ID.sub(other, text.text))


_HEX_LETTERS = str.maketrans("abcdef", "000000")


def together(one: Text, other: Text, rng: Random) -> Text:
    """Two texts as one, in either order."""
    first, second = (one, other) if rng.random() < 0.5 else (other, one)
    shift = len(first.text) + 1
    spans = [*first.spans, *((start + shift, end + shift) for start, end in second.spans)]
    return Text(f"{first.text}\n{second.text}", spans, one.author)

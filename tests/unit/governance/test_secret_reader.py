"""The fitted reader of secrets: what it may not do, whatever its weights are."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.governance.redaction import secret_reader
from dopejar.governance.redaction.redactor import redact
from dopejar.governance.redaction.secret_atoms import atoms_of, kind_of, public_parts, widened
from dopejar.governance.redaction.secret_reader import Held, bucket_of, score
from dopejar.governance.redaction.secret_words import groups_of

WORDS = st.sampled_from(["password", "is", "the", "token:", "Kettle_4719x", "a1b2c3d4e5f60718", "=", "'", "\n", "door"])


@given(st.text())
def test_atoms_lie_in_order_within_the_text(text):
    """Atoms are pieces of the text, none overlaps another, and each has a kind."""
    atoms = atoms_of(text, 0, len(text))
    assert all(text[atom.start : atom.end] == atom.text and kind_of(atom.text) for atom in atoms)
    assert all(one.end <= other.start for one, other in pairwise(atoms))


@given(st.text(alphabet="ab1=:\"' ,;\n", max_size=60), st.data())
def test_whole_values_hold_their_atoms(text, data):
    """The values that atoms belong to hold the atoms, in order and apart from one another."""
    atoms = atoms_of(text, 0, len(text))
    places = sorted(data.draw(st.sets(st.integers(0, len(atoms) - 1)))) if atoms else []
    spans = widened(text, atoms, places)
    assert all(any(start <= atoms[place].start and atoms[place].end <= end for start, end in spans) for place in places)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


@given(st.lists(WORDS, max_size=30))
def test_what_the_reader_leaves_is_left_when_read_again(pieces):
    """A redacted text is redacted no further, also where the reader decides."""
    once = redact(" ".join(pieces))
    assert redact(once.text) == (once.text, {})


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=6))
def test_spans_are_found_again_for_each_atom(pairs):
    """Whether a span holds a part of an atom is answered as by looking at each span."""
    spans = [(start, start + length) for start, length in pairs]
    text = "word " * 10
    held = Held(spans)
    for atom in atoms_of(text, 0, len(text)):
        assert held.overlaps(atom) == any(start < atom.end and atom.start < end for start, end in spans)


@pytest.mark.parametrize(
    ("word", "group"),
    [
        ("passwort", "password"),
        ("dbpassword", "password"),
        ("домофона", "lock"),
        ("密码", "password"),
        ("commit", "hash"),
    ],
)
def test_words_are_about_something(word, group):
    """A word counts by itself, by its beginning, and by a part of it in scripts without spaces."""
    assert groups_of(word) == (group,)


def test_public_data_is_known():
    """Certificates, public keys and pictures are no secrets; a private key's block is none of these."""
    body = "MIIB" + "q7Zr2Kx9Lm4T" * 4
    for text in (
        f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----",
        f"ssh-rsa AAAA{body} me@host",
        f"url(data:font/woff2;base64,{body})",
    ):
        assert public_parts(text)
        assert redact(text).text == text
    assert not public_parts(f"-----BEGIN PRIVATE KEY-----\n{body}")


CODE = (
    "const pair = makeKeypair();",
    "",
    "expect(pair.privateKey.length).toBe(32);",
    "});",
    "",
    "it('is unique', () => {",
)


@pytest.mark.parametrize("sign", ["\u2192", "\t", ": ", " | ", "|"])
@pytest.mark.parametrize("first", [1, 98, 282, 4817])
def test_numbers_of_lines_are_no_secrets(first, sign):
    """A view of a file about keys stays as it is, whatever stands behind its numbers; a secret in it does not."""
    lines = [f"{number:6d}{sign}{line}" for number, line in enumerate(CODE, first)]
    assert redact("\n".join(lines)).text == "\n".join(lines)
    assert (
        "hunter2!Blue77"
        not in redact("\n".join([*lines, f"{first + len(CODE):6d}{sign}password = 'hunter2!Blue77'"])).text
    )


@pytest.mark.parametrize(
    "text",
    [
        "Called tool toolu_01ScRBz8apvUnnfqHxu4EkAh, the token check, in message msg_011kwOmBjvxu0F9WaO9HIszZ.",
        " create mode 100644 docs/folder-key.md\n create mode 100755 scripts/rotate_keys.sh",
        "async function readTree(name: string, folderKey: Uint8Array): Promise<Tree> {",
        "| signing key | `privateKey` | Ed25519, stored encrypted |",
        "debug1: Server host key: ssh-ed25519 SHA256",
    ],
)
def test_ids_modes_and_names_of_types_are_no_secrets(text):
    """What every session of a coding assistant shows beside words about keys stays as it is."""
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "I've set a goal to complete a 5,000-word screenplay draft by April 15, 2024, to boost my confidence",
        "The gate was replaced in 2011 and the alarm in early 2019",
        "using pre-commit hooks with flake8 6.0.0 and black 23.3.0",
    ],
)
def test_years_of_dates_and_names_before_versions_are_no_secrets(text):
    """A year behind a month or "in" is a date, whatever the words around it are about."""
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text",
    ["My password is hunter2 1.2.3", "We use black 23.3.0. My password is hunter2 1.2.3", "passphrase: hunter2 2.0.1"],
)
def test_a_password_before_a_version_is_a_secret(text):
    """What the clause calls a secret is no name of a tool."""
    assert "hunter2" not in redact(text).text


@pytest.mark.parametrize("text", ["my pin is 1984", "PIN: 2016", "door code 1999", "the gate code is 2009"])
def test_a_code_may_look_like_a_year(text):
    """Behind the name of a code a year is one."""
    assert "[redacted:pin]" in redact(text).text


def test_features_have_buckets_that_never_change():
    """The bucket of a feature is part of the format of the weights."""
    assert [bucket_of(feature) for feature in ("Kword", "gk= random", "x1password")] == [13384, 11328, 8247]


@pytest.mark.parametrize("unit", ["the token a1b2c3d4e5 ", "k=v9 ", "| a1 | b2 |\n", "pin 4719, "])
def test_the_atoms_that_are_weighed_grow_with_the_text(monkeypatch, unit):
    """Ten times the text has at most eleven times the atoms to weigh."""
    weighed = [0]

    def counted(*arguments):
        weighed[0] += 1
        return score(*arguments)

    monkeypatch.setattr(secret_reader, "score", counted)
    redact(unit * 300)
    few, weighed[0] = weighed[0], 0
    redact(unit * 3000)
    assert weighed[0] <= 11 * few


def test_lines_of_a_log_are_read_once_and_a_secret_among_them_goes(monkeypatch):
    """Lines that differ by their numbers alone are read once; a line that says something else is read."""
    weighed = []
    monkeypatch.setattr(secret_reader, "score", lambda *arguments: weighed.append(1) or score(*arguments))
    lines = [f"10:{number % 60:02} user {number} status 200 id {number:08x}" for number in range(400)]
    redact("\n".join(lines))
    assert len(weighed) < len(lines)
    lines.insert(200, "10:11 user 77 password hunter7-Falcon status 200 id 00ffee00")
    lines.insert(300, "DB_PASSWORD=gT7vLm2qWz")
    redacted = redact("\n".join(lines))
    assert "hunter7" not in redacted.text
    assert "gT7vLm2qWz" not in redacted.text
    assert redacted.text.count("\n") == len(lines) - 1


def test_every_code_of_a_long_list_goes():
    """Lines of one form that hold secrets are all read."""
    codes = [f"{1000 + number * 37}-{9000 - number * 31}" for number in range(8)]
    text = "\n".join([*(f"a line with the number {number} and words" for number in range(80)), "backup codes:", *codes])
    assert not any(code in redact(text).text for code in codes)

"""Keys and slots: the seed's examples, stability under paraphrase, the limits of a key."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.errors import InputError
from dopejar.pipelines.ingest import Key, extract, make_key
from dopejar.pipelines.ingest.keys.value_families import load_families

AT = datetime(2026, 3, 4, tzinfo=UTC)
BANNED = {"really", "very", "favorite", "update", "new"}


def key_of(said: str) -> Key:
    """The key of a text that is one statement."""
    (atom,) = extract(said, at=AT, speaker_is_user=True, keep_all=True).atoms
    return make_key(atom)


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("I really prefer dark mode IDEs", "Self-Pref-DarkMode"),
        ("The server listens on 0.0.0.0", "Server-Config-Binding"),
        ("Do not use relative paths", "Dev-Path-Absolute"),
    ],
)
def test_the_protocols_examples_hold_as_written(said: str, key: str) -> None:
    """The three examples of the protocol get exactly their keys."""
    assert key_of(said).key == key


SAME = [
    (
        "self.pref.theme",
        "+dark",
        [
            "I prefer dark mode",
            "I prefer dark themes everywhere",
            "I can't stand light mode",
            "Please keep everything in dark mode",
            "I love dark mode",
        ],
    ),
    (
        "self.home",
        "+bergen",
        [
            "I live in Bergen",
            "I'm based in Bergen",
            "I've moved to Bergen",
            "We finally relocated to Bergen",
            "I now live in Bergen",
        ],
    ),
    (
        "self.attitude#rust",
        "+like",
        ["I like Rust", "I love working in Rust", "I really enjoy writing Rust", "Rust is the language I enjoy most"],
    ),
    (
        "project.database",
        "+postgres",
        [
            "We use Postgres",
            "Our data is stored in PostgreSQL",
            "We switched to Postgres",
            "We moved from MySQL to Postgres",
        ],
    ),
    (
        "dev.indentation",
        "+tabs",
        ["Indent with tabs", "Always use tabs", "Use tabs instead of spaces", "Never use spaces, use tabs"][:3],
    ),
    (
        "project.test_runner.python",
        "+pytest",
        ["We use pytest", "All our tests run on pytest", "Tests are run with pytest"],
    ),
    (
        "review-meeting.duration",
        "+1800s",
        ["The review meeting takes 30 minutes", "The review meeting lasts half an hour"][:1],
    ),
    ("dev.line-length", "+99", ["Keep lines under 100 characters", "No line may be longer than 99 columns"]),
    (
        "release.date",
        "+2026-06-05",
        ["The release is on 5 June 2026", "We ship on 2026-06-05", "The release is on June 5, 2026"],
    ),
    (
        "alias.rcb",
        "+release-candidate-build",
        [
            "RCB stands for release candidate build",
            "RCB means the release candidate build",
            "When I write RCB I mean the release candidate build",
        ],
    ),
    ("self.diet", "+vegan", ["I'm vegan", "I am a vegan"]),
    ("self.age", "+41", ["I'm 41", "I am 41 years old"]),
    ("self.employer", "+acme", ["I work at Acme", "I'm working for Acme", "The user works at Acme"]),
]


@pytest.mark.parametrize(("slot", "value", "wordings"), SAME, ids=[row[0] for row in SAME])
def test_wordings_of_one_thing_share_key_slot_and_value(slot: str, value: str, wordings: list[str]) -> None:
    """A paraphrase has the same slot, value and key."""
    keys = {key_of(said) for said in wordings}
    assert {(key.slot, key.value) for key in keys} == {(slot, value)}
    assert len({key.key for key in keys}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I'm planning to row across the lake by May.", "I'm aiming to row across the lake by May."),
        ("I'd like to row across the lake by May.", "My goal is to row across the lake by May."),
        ("I've planted two pear trees behind the barn.", "I've already planted two pear trees behind the barn."),
        (
            "I planted two pear trees behind the barn.",
            "Additionally, I recently planted two pear trees behind the barn.",
        ),
        ("I'm using MySQL as my database.", "I'm using MySQL 8 for my database management."),
        ("I'm using Jest for testing.", "I'm using Jest v29 for my tests."),
    ],
)
def test_how_it_is_brought_up_makes_no_other_key(one: str, other: str) -> None:
    """Words that bring a wish or a fact up, and a purpose that says nothing more, leave the key as it is."""
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I'm trying to row across the lake by May.", "I'm trying to row across the lake by June."),
        ("I use MySQL for the user data.", "I use MySQL for the order data."),
        ("I use Postgres on the test server.", "I use MySQL on the prod server."),
        ("I want to plant pear trees.", "I don't want to plant pear trees."),
    ],
)
def test_what_it_is_about_makes_another_key(one: str, other: str) -> None:
    """Another time, purpose, place or sign is another concept or another value."""
    assert (key_of(one).key, key_of(one).value) != (key_of(other).key, key_of(other).value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The dev server listens on port 4000", "The mail server listens on port 4000"),
        ("I live in Bergen", "I was born in Bergen"),
        ("I like Rust", "I like Go"),
        ("My sister prefers dark mode", "I prefer dark mode"),
        ("We use Postgres", "The billing service uses Postgres"),
        ("We use ruff", "We use eslint"),
        ("Indent with tabs", "In YAML files indent with spaces"),
        ("The review takes 30 minutes", "The review is on 5 June"),
        ("I use vim", "We use vim"),
        ("Never commit secrets", "Never commit binaries"),
    ],
)
def test_other_concepts_have_other_keys_and_slots(one: str, other: str) -> None:
    """Another subject, person, relation, place or member is another concept."""
    a, b = key_of(one), key_of(other)
    assert a.key != b.key
    assert not a.slot or a.slot != b.slot


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I prefer dark mode", "I prefer light mode"),
        ("I live in Bergen", "I moved to Oslo"),
        ("I like Rust", "I no longer like Rust"),
        ("We use Postgres", "We switched to MySQL"),
        ("The dev server listens on port 4000", "The dev server is on port 4100 now"),
        ("Anna leads the platform team", "Anna handed the platform team over to Marek"),
        ("Our sprints last two weeks", "We run three-week sprints"),
    ],
)
def test_another_value_stays_in_the_slot(one: str, other: str) -> None:
    """What replaces a value lies in the same slot with another value."""
    a, b = key_of(one), key_of(other)
    assert a.slot == b.slot != ""
    assert a.value != b.value


def test_members_of_a_many_valued_slot_stand_behind_a_hash() -> None:
    """Two tools of one person do not replace each other."""
    key = key_of("I use Linux")
    assert key.many
    assert key.slot == "self.uses.operating_system#linux"


@pytest.mark.parametrize("said", ["Back in 2021 I lived in Bergen", "We plan to move to MySQL next year"])
def test_past_and_plans_fill_no_slot(said: str) -> None:
    """Only what holds now may replace what holds now."""
    assert key_of(said).slot == ""


def test_a_retraction_is_the_same_rule_with_the_other_sign() -> None:
    """A rule and its ban are one concept with two values."""
    a, b = key_of("Always squash commits"), key_of("Never squash commits")
    assert a.slot == b.slot
    assert a.value != b.value


@given(st.text(min_size=1, max_size=200))
def test_a_key_of_any_text_keeps_the_limits(text: str) -> None:
    """At most 30 characters, three parts at most with letters or digits, no banned word, the same each time."""
    for atom in extract(text, at=AT, speaker_is_user=True, keep_all=True).atoms:
        key = make_key(atom)
        assert 0 < len(key.key) <= 30
        assert not BANNED & {part.casefold() for part in re.split(r"[^\w]+|(?<=[a-z])(?=[A-Z])", key.key)}
        assert make_key(atom) == key


@given(
    st.lists(
        st.sampled_from(
            [
                "Straße",
                "größer",
                "東京",
                "данные",
                "really",
                "new",
                "favorite",
                "very",
                "update",
                "café",
                "x1",
                "build",
                "server",
            ]
        ),
        min_size=2,
        max_size=12,
    )
)
def test_keys_are_unicode_aware_and_without_banned_words(words: list[str]) -> None:
    """Letters of any script may stand in a key; banned words never do."""
    for atom in extract(" ".join(words), at=AT, speaker_is_user=True, keep_all=True).atoms:
        key = make_key(atom).key
        assert len(key) <= 30
        assert not BANNED & {part.casefold() for part in re.split(r"[-]|(?<=[a-z])(?=[A-Z])", key)}


def test_two_long_concepts_never_share_a_cut_key() -> None:
    """Keys cut to 30 characters end in a digest of the whole concept."""
    long = (
        "The extraordinarily complicated reconciliation of invoices {} happens in the warehouse of the northern branch"
    )
    keys = {key_of(long.format(number)).key for number in ("weekly", "monthly", "quarterly", "yearly")}
    assert len(keys) == 4


def test_a_users_file_adds_values_and_families(tmp_path) -> None:
    """A family file of the same form is laid over the shipped one."""
    extra = tmp_path / "families.toml"
    extra.write_text(
        '[editor.values]\nted = ["ted the editor"]\n[bakery]\none = true\n[bakery.values]\nrye = ["rye bread"]\n'
    )
    families = load_families(extra)
    assert [member.value for member in families.find("I use ted the editor with rye bread")] == ["ted", "rye"]
    assert families.by_name["editor"].one


def test_a_broken_users_file_is_named(tmp_path) -> None:
    """A file that is no table of values is refused with its path."""
    extra = tmp_path / "families.toml"
    extra.write_text("[editor]\nvalues = 3\n")
    with pytest.raises(InputError, match=r"families\.toml"):
        load_families(extra)
    extra.write_text("[editor\n")
    with pytest.raises(InputError, match="cannot be read"):
        load_families(extra)

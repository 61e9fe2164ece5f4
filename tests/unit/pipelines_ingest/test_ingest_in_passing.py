"""What is said in passing: about the talk, for a shell, as a joke or a supposition; and what only looks like it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest import Reason, extract, make_key

AT = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)

OPENINGS = ("", "Oh, ", "Actually, ", "Wait, no, ", "Sorry, ", "Please ")
TALK = (
    "ignore that last one", "scratch that", "forget what I just said", "make that three", "make it Thursday instead",
    "never mind", "I mixed that up", "scratch the last two points", "I got it backwards", "keep it", "leave that out",
    "do the same for the other file", "disregard the previous message", "that was a typo", "I take that back",
    "I meant four",
)  # fmt: skip
NAMED = (
    "Ignore the deprecation warnings of numpy in reviews", "Make it a habit to run the tests", "Keep it simple",
    "Never mind the formatting in chat messages", "Drop the greeting from every letter",
    "Forget the small talk and answer at once", "Make sure that every link works", "I meant to plant roses in April",
)  # fmt: skip
COMMANDS = (
    "export SHOP_TOKEN=plain-words", "git push --force origin main", "docker compose up -d", "npm install",
    "sudo systemctl restart nginx", "curl https://shop.example/items", "python3 -m http.server", "npm ci",
    "ruff check --fix", "ffmpeg -i in.mp4 out.avi", "./seed.sh --fast", "python manage.py migrate", "terraform destroy",
    "NODE_ENV=production npm run build", "SELECT id, name FROM users WHERE id = 3", "select * from users;",
    "INSERT INTO users (id) VALUES (1);", "UPDATE users SET name = 'x' WHERE id = 2", "DROP TABLE IF EXISTS users;",
)  # fmt: skip
ABOUT_TOOLS = (
    "Git is what we use for everything", "We deploy with docker compose up -d", "npm install before every build",
    "Make tea at four", "Go home early on Fridays", "Cat food is in the cellar", "PORT=8080 for the dev server",
    "Run make lint before every push", "run mypy --strict", "SELECT queries go to the replica", "docker eats memory",
    "DELETE FROM without WHERE is forbidden", "DROP TABLE needs approval", "./data holds raw files", "port = 5000",
    "tom -the one from Ghent- is vegan", "Update users set by the import every night", "the flag --fast is broken",
)  # fmt: skip


def reasons(said: str) -> set[Reason]:
    """Why parts of what is told were left out; nothing where an atom was made of it."""
    found = extract(said, at=AT, speaker_is_user=True, keep_all=True)
    return set() if found.atoms else {piece.reason for piece in found.left_out}


@given(st.sampled_from(OPENINGS), st.sampled_from(TALK), st.sampled_from(["", ".", "!", " please.", "…"]))
def test_talk_about_the_talk_makes_nothing(opening: str, words: str, end: str) -> None:
    """Whatever opens and closes it, what names nothing but words just said is left out with that reason."""
    assert reasons(f"{opening}{words}{end}") == {Reason.TALK}


@pytest.mark.parametrize("said", COMMANDS)
def test_a_command_line_makes_nothing(said: str) -> None:
    """What belongs into a shell is no rule."""
    assert reasons(said) == {Reason.COMMAND}


@pytest.mark.parametrize("said", COMMANDS)
def test_a_command_beside_a_statement_stays_out(said: str) -> None:
    """On a line of its own it is no part of what is told before and after it."""
    found = extract(f"The office is in Ghent.\n{said}\nOur dog is Bas.", at=AT, speaker_is_user=True, keep_all=True)
    assert [atom.text for atom in found.atoms] == ["The office is in Ghent", "Our dog is Bas"]


@pytest.mark.parametrize("said", [*NAMED, *ABOUT_TOOLS])
def test_what_names_a_thing_is_kept(said: str) -> None:
    """A wish that names what it is about, and a sentence about a tool, are statements."""
    assert reasons(said) == set()


@pytest.mark.parametrize(
    "said",
    [
        "Imagine we lived in Rome.",
        "Let's say I have twins.",
        "If I won the lottery I would move to Bali.",
        "If that alarm rings again I'm moving to the woods, haha.",
    ],
)
def test_what_is_imagined_or_joked_makes_nothing(said: str) -> None:
    """A supposition is nobody's fact, and neither is a threat with a laugh."""
    assert reasons(said) == {Reason.HYPOTHETICAL}


def test_an_order_to_say_something_is_no_supposition() -> None:
    """The word supposes before a clause, and orders before what is to be said."""
    assert Reason.HYPOTHETICAL in reasons("Say we moved to Ghent")
    assert Reason.HYPOTHETICAL not in reasons("Say please in mails to suppliers.")


@pytest.mark.parametrize(
    "said",
    ["If it snows, I live in Oslo", "Unless Tom objects, we meet at six", "Once it ends I live in Ghent"],
)
def test_a_condition_is_kept_and_says_nothing_of_now(said: str) -> None:
    """What is told to hold on a condition is kept in its words, and fills no slot."""
    (atom,) = extract(said, at=AT, speaker_is_user=True, keep_all=True).atoms
    assert (atom.text, atom.states) == (said, False)


@pytest.mark.parametrize(
    "said",
    [
        "My pin is [redacted:pin].",
        "the garage code: [redacted:code]",
        "The password of the shed lock is '[redacted:password]'",
        "SHOP_TOKEN=[redacted:api-key]",
        "[redacted:password]",
        "Our codes are [redacted:pin] and [redacted:pin]",
        "I changed the wifi password to [redacted:password] on 3 May",
        "The code of the shed has changed, the new one is [redacted:pin] from Monday on",
        "[redacted:pin] opens the cellar.",
        "My pin for the bike is [redacted:pin], oh no, that wasn't meant for you.",
    ],
)
def test_a_value_that_was_taken_out_leaves_nothing(said: str) -> None:
    """What tells only a redacted value tells nothing, and is left out with that reason."""
    assert reasons(said) == {Reason.REDACTED}


@pytest.mark.parametrize(
    "said",
    [
        "My card [redacted:card] expires in May",
        "I pay with [redacted:card] at the market on Fridays",
        "Never tell anybody [redacted:pin]",
        "The alarm code [redacted:pin] confuses my father",
        "The shed code is [redacted:code], and Ana changes it every May",
        "Never write [redacted:api-key] into a log",
    ],
)
def test_what_says_more_than_a_redacted_value_is_kept(said: str) -> None:
    """What stands around a redacted value is kept where it tells something, and fills no slot."""
    (atom,) = extract(said, at=AT, speaker_is_user=True, keep_all=True).atoms
    assert make_key(atom).slot == "" or atom.directs_work

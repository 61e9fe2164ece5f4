"""Changes in what a turn says: new names and new figures become what can be followed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dopejar.pipelines.ingest.extraction.changes import UNMARKED, states_limit, with_changes
from dopejar.pipelines.ingest.extraction.extractor import extract
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.pipelines.ingest.keys.key import make_key
from dopejar.values.record import Kind
from dopejar.values.statement import Change

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


class Told:
    """A reader that finds the changes that it was given, by words of the text."""

    def __init__(self, **by_word: Change) -> None:
        self._by_word = by_word
        self.seen: list[str] = []

    def changes(self, texts):
        """The change of the first of its words in each text."""
        self.seen += texts
        return tuple(next((one for word, one in self._by_word.items() if word in text), Change()) for text in texts)


class NothingLasts:
    """A marker that marks nothing."""

    def mark(self, texts):
        """No statement."""
        return tuple(() for _ in texts)


def read(text: str, reader: Told):
    """A turn of which nothing was marked, with its changes."""
    turn = SpokenTurn(text=text, at=NOON)
    return with_changes([turn], extract_marked([turn], NothingLasts()), reader)[0]


RENAMED = Told(Tiller=Change(renamed=("Halyard", "Tiller")))


def test_a_new_name_is_an_atom_though_nothing_else_was_found() -> None:
    """The whole sentence becomes a definition with both names, and the rest of the turn stays left out."""
    found = read("Good morning. The sign says Tiller, not Halyard! See you.", RENAMED)
    (atom,) = found.atoms
    assert (atom.text, atom.kind, atom.renamed) == (
        "The sign says Tiller, not Halyard",
        Kind.ALIAS,
        ("Halyard", "Tiller"),
    )
    assert make_key(atom).slot == ""
    assert [part.text for part in found.left_out] == ["Good morning.", "See you."]


def test_two_sentences_may_tell_of_a_new_name_together() -> None:
    """Where the second sentence only refers to the first, both are one atom."""
    (atom,) = read("Remember Halyard? They call it Tiller today.", RENAMED).atoms
    assert atom.text == "Remember Halyard? They call it Tiller today"


def test_a_question_tells_of_no_change() -> None:
    """What is asked is not read."""
    reader = Told(Tiller=Change(renamed=("Halyard", "Tiller")))
    assert read("Is Halyard called Tiller now?", reader).atoms == ()
    assert reader.seen == []


LIMITS = [
    ("We went back to 30 days for the log retention.", ("the log retention", "30 days")),
    ("Log retention: 30 days (was 90 days).", ("Log retention", "30 days")),
]


@pytest.mark.parametrize(("text", "limit"), LIMITS)
def test_wordings_of_one_limit_have_one_slot(text: str, limit: tuple[str, str]) -> None:
    """Whatever the words, the figure of one thing fills one slot, that of its plainest wording."""
    reader = Told(etention=Change(limit=limit))
    extraction = extract(text, at=NOON, speaker_is_user=True, keep_all=True)
    (found,) = with_changes([SpokenTurn(text=text, at=NOON)], [extraction], reader)
    (plain,) = extract("The log retention is 30 days.", at=NOON, speaker_is_user=True, keep_all=True).atoms
    expected = make_key(plain)
    keys = [make_key(atom) for atom in found.atoms if atom.limit]
    assert [(key.slot, key.value) for key in keys] == [(expected.slot, expected.value)]


def test_a_limit_that_nothing_else_found_is_unsure() -> None:
    """The atom of a sentence that nothing was marked in has the least confidence: it may revise, and begins nothing."""
    found = read("It is 30 days for the log retention.", Told(retention=Change(limit=("log retention", "30 days"))))
    assert [(atom.confidence, atom.directs_work) for atom in found.atoms] == [(UNMARKED, False)]


@pytest.mark.parametrize(
    ("text", "is_stated"),
    [
        ("Forget 14 days, the log retention is 30 days.", True),
        ("Log retention: 30 days.", True),
        ("Other teams have a log retention of 30 days.", False),
    ],
)
def test_a_limit_is_stated_of_ones_own_things(text: str, is_stated: bool) -> None:
    """What comes before the clause of the figure does not matter; the figures of others do not count."""
    topic = "Log retention" if text.startswith("Log") else "log retention"
    assert states_limit(text, Change(limit=(topic, "30 days"))) is is_stated


@pytest.mark.parametrize(
    ("text", "topic"),
    [("Keep your answers under 100 words.", "answers"), ("Set the timeout to 30 seconds.", "timeout")],
)
def test_what_is_asked_for_is_no_limit_of_a_thing(text: str, topic: str) -> None:
    """A figure for answers, or one in an order, remains a wish."""
    assert not states_limit(text, Change(limit=(topic, "30 seconds")))

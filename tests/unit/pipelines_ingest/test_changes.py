"""New names in what a turn says become definitions that can be followed."""

from __future__ import annotations

from datetime import UTC, datetime

from dopejar.pipelines.ingest.extraction.changes import with_changes
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.pipelines.ingest.keys.key import make_key
from dopejar.values.record import Kind
from dopejar.values.statement import Renaming

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


class Told:
    """A reader that finds the changes that it was given, by words of the text."""

    def __init__(self, **by_word: Renaming) -> None:
        self._by_word = by_word
        self.seen: list[str] = []

    def changes(self, texts):
        """The change of the first of its words in each text."""
        self.seen += texts
        return tuple(next((one for word, one in self._by_word.items() if word in text), Renaming()) for text in texts)


class NothingLasts:
    """A marker that marks nothing."""

    def mark(self, texts, searched=()):
        """No statement."""
        return tuple(() for _ in texts)


def read(text: str, reader: Told):
    """A turn of which nothing was marked, with its changes."""
    turn = SpokenTurn(text=text, at=NOON)
    return with_changes([turn], extract_marked([turn], NothingLasts()), reader)[0]


RENAMED = Told(Tiller=Renaming(renamed=("Halyard", "Tiller")))


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
    reader = Told(Tiller=Renaming(renamed=("Halyard", "Tiller")))
    assert read("Is Halyard called Tiller now?", reader).atoms == ()
    assert reader.seen == []

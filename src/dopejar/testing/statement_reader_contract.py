"""What every reader of statements behind the port promises, as tests that an adapter inherits.

Takes: a reader. Gives: one test per promise of `ports/statement_reader.py`. Never: judges whether it reads well.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from itertools import pairwise

from dopejar.ports.statement_reader import StatementReader
from dopejar.values.statement import Relation

SENTENCES = (
    "The ferry leaves at nine.",
    "The ferry leaves at ten now.",
    "Never force push.",
    "Someday I want a boat.",
    "Who runs the ferry?",
    "Die Fähre fährt um neun.",
    "明日は会議があります。",
    "9",
    "",
    " \n\t",
    "{}",
    "👩🏽‍🚀 \u202eabc\u202c \x00",
    "word " * 2000,
    "x" * 20_000,
)
_ROUNDING = 1e-4


class StatementReaderContract(ABC):
    """Inherit, supply `reader`, and every promise is tested on it."""

    @abstractmethod
    def reader(self) -> StatementReader:
        """The reader under test."""

    def test_each_sentence_has_one_statement(self) -> None:
        """In the order given, of these very words, with certainties that are probabilities."""
        read = self.reader().read(SENTENCES)
        assert [one.text for one in read] == list(SENTENCES)
        for one in read:
            shares = (one.act_certainty, one.tense_certainty, one.denied, one.durable)
            assert all(0 <= share <= 1 + _ROUNDING for share in shares)

    def test_each_pair_has_one_relation(self) -> None:
        """In the order given; its shares add up to one, and its relation is the likeliest or no surer than apart."""
        pairs = list(pairwise(SENTENCES))
        found = self.reader().relate(pairs)
        assert len(found) == len(pairs)
        for one in found:
            assert len(one.shares) == len(Relation)
            assert abs(sum(one.shares) - 1) < _ROUNDING
            assert one.share(one.relation) + _ROUNDING >= max(one.shares) or one.share(Relation.APART) == max(
                one.shares
            )

    def test_nothing_is_read_of_nothing(self) -> None:
        """No sentences and no pairs have empty answers."""
        assert self.reader().read([]) == ()
        assert self.reader().relate([]) == ()
        assert self.reader().rests([]) == ()

    def test_what_was_read_is_read_alike_again(self) -> None:
        """The same words are read alike, in another order and beside others: within rounding, with equal labels."""
        subject = self.reader()
        first, again = subject.read(SENTENCES), subject.read([*reversed(SENTENCES)])
        for one, other in zip(first, reversed(again), strict=True):
            assert (one.act, one.tense) == (other.act, other.tense)
            assert abs(one.denied - other.denied) < _ROUNDING
        pairs = list(pairwise(SENTENCES))
        for found, same in zip(subject.relate(pairs), reversed(subject.relate(pairs[::-1])), strict=True):
            assert found.relation is same.relation
            assert all(abs(a - b) < _ROUNDING for a, b in zip(found.shares, same.shares, strict=True))

    def test_the_promised_frames_are_there(self) -> None:
        """A reader that finds frames finds one of an English sentence; any other finds none."""
        subject = self.reader()
        assert (subject.read(SENTENCES[:1])[0].frame is not None) is subject.finds_frames
        assert subject.name

    def test_a_frame_is_made_of_the_sentence(self) -> None:
        """Its subject and its value are words of the sentence; whatever else was found of it, these were said."""
        for one in self.reader().read(SENTENCES):
            if one.frame is not None:
                assert one.frame.subject in one.text
                assert one.frame.value in one.text

    def test_what_is_left_was_said(self) -> None:
        """The words of each rest stand in the earlier sentence, in their order; none is added."""
        pairs = list(pairwise(SENTENCES))
        for (earlier, _), rest in zip(pairs, self.reader().rests(pairs), strict=True):
            words = iter(re.findall(r"\w+", earlier))
            assert all(word in words for word in re.findall(r"\w+", rest or ""))

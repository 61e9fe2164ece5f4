"""Ends told in passing are statements that only change what is known."""

from dataclasses import replace

import pytest
from spoken_turns import NOON, OpeningReader

from dopejar.pipelines.ingest.atoms import Extraction
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.pipelines.ingest.extraction.unmarked_statements import with_unmarked
from dopejar.values.statement import SpeechAct


class NothingMarker:
    """Marks nothing."""

    def mark(self, texts, searched=()):
        """No statement a text."""
        return tuple(() for _ in texts)


def read(text):
    """What is made of one turn in which nothing else is found."""
    turn = SpokenTurn(text=text, at=NOON)
    (found,) = with_unmarked([turn], extract_marked([turn], NothingMarker()), None)
    return found


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("news: we're dropping Mailchimp. thanks", "we're dropping Mailchimp"),
        ("we dropped the paper rota last month", "we dropped the paper rota"),
        ("Jenkins is gone since monday, by the way", "Jenkins is gone"),
        ("the lifeguard course is over and we gave up the allotment", "the lifeguard course is over"),
        ("I've cancelled the gym membership", "I've cancelled the gym membership"),
        ("the switch to gas is done since friday", "the switch to gas is done"),
    ],
)
def test_an_end_is_kept_where_it_changes_something(said, kept):
    """Its words are those of the turn, where it begins."""
    found = read(said)
    assert said[found.atoms[0].start :].startswith(kept)
    assert all(atom.only_changes and not atom.directs_work for atom in found.atoms)


@pytest.mark.parametrize(
    "said",
    [
        "should we drop Jenkins?",
        "if we're dropping Jenkins, the deploys must move too",
        "we're not dropping Jenkins",
        "it's gone",
        "the cache is gone again",
        "the meeting is off today",
        "the job is gone from the dashboard",
        "the test is done",
        "I dropped the box on my foot",
        "She is dead tired",
        "> we dropped Mailchimp",
        "Jenkins is never off",
        "If they raise the fee again, we're dropping Mailchimp.",
        "Once the audit is done, we're dropping Mailchimp.",
        "Maybe next year, we're dropping Mailchimp",
        "I doubt that, Jenkins is gone",
    ],
)
def test_words_of_the_moment_end_nothing(said):
    """A question, a condition, a denial, a pronoun, and what is so for now."""
    assert not read(said).atoms


def test_what_was_found_there_stays():
    """No end is read out of a statement that a marker found."""
    turn = SpokenTurn(text="we dropped Mailchimp for Listmonk", at=NOON)
    (ended,) = with_unmarked([turn], [Extraction(atoms=(), left_out=())], None)
    (again,) = with_unmarked([turn], [ended], None)
    assert again == ended


class RuleReader(OpeningReader):
    """A reader that is sure of rules, or not."""

    def __init__(self, share):
        self.share = share

    def read(self, sentences):
        """Each as a rule."""
        return tuple(
            replace(one, act=SpeechAct.RULE, act_certainty=self.share, durable=self.share)
            for one in super().read(sentences)
        )


@pytest.mark.parametrize(
    ("said", "share", "kept"),
    [
        ("pls also wrap the jars in paper, never in foil", 0.9, ["Wrap the jars in paper, never in foil"]),
        ("always sign the letters with our first names.", 0.9, ["Always sign the letters with our first names"]),
        ("pls also wrap the jars in paper, never in foil", 0.6, []),  # unsure
        ("pls also wrap the jars in paper", 0.9, []),  # for now, by its words
        ("we never wrap the jars", 0.9, []),  # no order
        ("can you always wrap the jars?", 0.9, []),
    ],
)
def test_an_order_for_good_is_a_rule_where_a_reader_is_sure(said, share, kept):
    """It says itself that it lasts; the reader finds a rule."""
    turn = SpokenTurn(text=said, at=NOON)
    (found,) = with_unmarked([turn], extract_marked([turn], NothingMarker()), RuleReader(share))
    assert [atom.text for atom in found.atoms] == kept
    assert all(atom.directs_work for atom in found.atoms)

"""A wish that was said once is remembered by its place, and proposed when another conversation says it, too."""

from __future__ import annotations

import pytest
from correction_turns import exchange

from dopejar.errors import InputError
from dopejar.pipelines.corrections import ProposalEngine, cluster, detect
from dopejar.pipelines.corrections.proposals.one_off_wishes import (
    ExtractionCheckpoint,
    connected_wishes,
    dump_checkpoint,
    keyed_marks,
    load_checkpoint,
    one_off_locations,
    read_wish_at,
    recurring_clusters,
)
from dopejar.values.ids import ConversationId

KEY = b"a key of this test"
ONE, TWO, THREE = ConversationId("c_one"), ConversationId("c_two"), ConversationId("c_three")
SAID = {
    ONE: exchange("no, use the staging database", conversation=ONE),
    TWO: exchange("that is wrong. you should use the staging database", conversation=TWO),
    THREE: exchange("no, the header must stay at the top", conversation=THREE),
}


def once(name):
    """What a conversation of one turn leaves behind."""
    return one_off_locations(cluster(detect([SAID[name]])), KEY)


def together(*names, here):
    """The clusters that several conversations say."""
    others = {one: once(one) for one in names if one != here}
    return recurring_clusters(connected_wishes(here, once(here), others, wish))


def wish(name, place):
    """What is wished at a place."""
    return read_wish_at(SAID[name], place.start, place.end, place.confidence)


def test_said_by_two_conversations_it_is_proposed():
    """Neither conversation alone proposes the wish; together they do, with both turns."""
    for name in (ONE, TWO):
        assert not ProposalEngine().generate_proposals(cluster(detect([SAID[name]]))).proposals
        assert once(name)
    summary = ProposalEngine().generate_proposals(together(ONE, TWO, here=TWO), project="atlas")
    assert [(one.content, one.frequency, one.scope) for one in summary.proposals] == [
        ("Use the staging database", 2, "project:atlas")
    ]


def test_who_comes_last_decides_nothing():
    """The cluster is the same whichever of the two conversations arrived last."""
    assert together(ONE, TWO, THREE, here=ONE) == together(ONE, TWO, THREE, here=TWO)


def test_other_wishes_stay_alone():
    """A conversation that says something else adds nothing up."""
    assert together(ONE, TWO, THREE, here=THREE) == ()


def test_a_wish_said_twice_in_one_conversation_needs_no_other():
    """What one conversation repeats is proposed there, and leaves nothing behind."""
    turns = [SAID[ONE], exchange("again: use the staging database!", index=3, conversation=ONE)]
    assert one_off_locations(cluster(detect(turns)), KEY) == ()


def test_a_sentence_is_read_alone():
    """The wish at a place is the same, whatever else the turn says."""
    text = SAID[TWO].text
    (place,) = once(TWO)
    assert text[place.start : place.end] == "you should use the staging database"
    assert read_wish_at(SAID[TWO], place.start, place.end, 0.7).wish == read_wish_at(SAID[ONE], 0, 28, 0.7).wish


def test_what_is_kept_holds_no_words():
    """Places and marks survive keeping; marks depend on the key and show no word."""
    left = ExtractionCheckpoint(turns=4, project="atlas", namespace="prod", once=once(ONE))
    assert load_checkpoint(dump_checkpoint(left)) == left
    assert "staging" not in dump_checkpoint(left)
    wish = read_wish_at(SAID[ONE], 0, 28, 0.7)
    assert keyed_marks(wish, KEY)
    assert keyed_marks(wish, KEY).isdisjoint(keyed_marks(wish, b"another key"))


def test_only_what_shares_words_is_read():
    """A place that has no mark in common is not even looked at, nor is one whose turn is gone counted."""
    looked = []

    def noted(name, place):
        looked.append(name)
        return None if name == TWO else wish(name, place)

    assert connected_wishes(ONE, once(ONE), {TWO: once(TWO), THREE: once(THREE)}, noted) == ()
    assert looked == [ONE, TWO]


def test_likeness_does_not_wander():
    """Wishes that share two of three things with the next one are not one wish, however many stand between."""
    names = ["parser", "server", "upload", "header", "footer", "cache"]
    talks = {
        ConversationId(f"c_{place}"): exchange(
            f"no, keep the {names[place]} {names[place + 1]} instead of the {names[place + 2]} one",
            conversation=f"c_{place}",
        )
        for place in range(len(names) - 2)
    }
    left = {name: one_off_locations(cluster(detect([turn])), KEY) for name, turn in talks.items()}
    assert all(left.values())
    here = ConversationId("c_0")
    others = {name: places for name, places in left.items() if name != here}

    def read(name, place):
        return read_wish_at(talks[name], place.start, place.end, place.confidence)

    assert recurring_clusters(connected_wishes(here, left[here], others, read)) == ()


@pytest.mark.parametrize(
    "body", ["", "[]", '{"turns": 1}', '{"turns": 1, "project": "", "namespace": "", "once": [1]}']
)
def test_what_is_no_such_row_is_an_error(body):
    """A damaged row is said to be damaged."""
    with pytest.raises(InputError, match="Drop the row"):
        load_checkpoint(body)

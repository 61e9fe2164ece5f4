"""A wish that was said once is remembered by its place, and proposed when it is said again."""

from __future__ import annotations

import pytest
from correction_turns import exchange

from dopejar.errors import InputError
from dopejar.pipelines.corrections import ProposalEngine, cluster, detect
from dopejar.pipelines.corrections.unproposed import MOST, Place, dump, load, places_of, touched, unproposed
from dopejar.values.ids import ConversationId


def found(text, conversation):
    """The candidates of a conversation of one turn."""
    return detect([exchange(text, conversation=conversation)])


def test_said_once_it_waits_said_twice_it_is_proposed():
    """The second conversation finds the first one's place, and the wish is proposed with both turns."""
    first = cluster(found("no, use the staging database", "c_one"))
    summary = ProposalEngine().generate_proposals(first)
    assert summary.proposals == ()
    waiting = unproposed(first, summary)
    assert waiting == places_of(first[0])
    both = touched(cluster(found("again: use the staging database!", "c_two"), first), ConversationId("c_two"))
    summary = ProposalEngine().generate_proposals(both)
    assert [one.frequency for one in summary.proposals] == [2]
    assert unproposed(both, summary, waiting) == ()


def test_untouched_clusters_stay_out():
    """A conversation that says nothing of an old wish does not bring it up again."""
    old = cluster(found("no, use the staging database", "c_one"))
    assert touched(old, ConversationId("c_two")) == ()


def test_places_survive_keeping():
    """Places are the same after writing and reading, and hold no words."""
    places = tuple(Place(conversation=ConversationId(f"c_{one}"), index=one) for one in range(3))
    assert load(dump(places)) == places
    assert "staging" not in dump(places_of(cluster(found("no, use the staging database", "c_one"))[0]))


def test_only_so_many_are_kept():
    """The newest stay."""
    old = [Place(conversation=ConversationId("c_old"), index=one) for one in range(MOST + 5)]
    kept = unproposed((), ProposalEngine().generate_proposals([]), old)
    assert (len(kept), kept[0].index) == (MOST, 5)


@pytest.mark.parametrize("body", ["", "[]", '{"places": [[1]]}', '{"other": 1}'])
def test_what_is_no_list_of_places_is_an_error(body):
    """A damaged row is said to be damaged."""
    with pytest.raises(InputError, match="Drop it"):
        load(body)

"""What a changed value leaves of a statement, and decisions that are still to come."""

from dataclasses import replace

import pytest

from dopejar.pipelines.ingest.announced_decisions import held_back
from dopejar.pipelines.ingest.changed_values import without_changed_values
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.integrity.chain_move import ChainMove, Step
from dopejar.values.record import Draft, Kind, Layer, Sublayer
from dopejar.values.statement import Tense


@pytest.mark.parametrize(
    ("earlier", "later", "rest"),
    [
        ("Our standup is at 9:30 on Zoom.", "Standup moved to 10.", "Our standup is on Zoom."),
        ("Pia swims on Tuesdays with Coach Nell.", "Pia swims on Thursdays now.", "Pia swims with Coach Nell."),
        ("The kiln takes 40 kilos by the side door.", "The kiln takes 55 kilos now.", ""),
        ("The standup is at 9:30.", "The standup is at 10.", ""),
        ("The choir sings on Mondays in the chapel.", "The choir sings on Fridays in the hall.", ""),
        ("The bus leaves at 7:10 and 8:10 from the mill.", "The bus leaves at 7:40.", ""),
        ("Our standup is at 9:30 on Zoom.", "The standup of Team Heron is at 10.", ""),
    ],
)
def test_the_value_that_is_given_anew_goes_and_the_rest_stays(earlier, later, rest):
    """One value of its sort goes with its preposition; nothing is cut where another may be meant or nothing is left."""
    assert without_changed_values(earlier, later) == rest


class LaterReader(GrammarReader):
    """A reader that takes what is planned for something to come."""

    def read(self, sentences):
        """Each sentence, to come where it says that it is planned."""
        found = super().read(sentences)
        return tuple(replace(one, tense=Tense.FUTURE) if "planned" in one.text else one for one in found)


@pytest.mark.parametrize(
    ("text", "behind", "to_come"),
    [
        ("We decided on Garnet.", " The migration is planned for May.", True),
        ("We decided on Garnet.", " Until then everything stays on Flint.", True),
        ("We decided on Garnet.", " The migration is done.", False),
        ("We decided on Garnet.", " The picnic is planned for May.", False),
        ("We use Garnet.", " The migration is planned for May.", False),
    ],
)
def test_a_decision_is_to_come_where_what_carries_it_out_is(text, behind, to_come):
    """The sentences behind a decision tell whether it holds; a plan for something else does not."""
    draft = Draft(kind=Kind.FACT, text=text, key="Stone-Fact-Use", layer=Layer.WORLD, sublayer=Sublayer.FACT)
    _, move = held_back(draft, ChainMove(step=Step.SUPERSEDE), text, behind, LaterReader())
    assert (move.step is Step.ADD) is to_come

"""What a changed value leaves of a statement, and decisions that are still to come."""

from dataclasses import replace

import pytest

from dopejar.pipelines.ingest.announced_decisions import held_back
from dopejar.pipelines.ingest.changed_values import (
    is_of_other_days,
    refers_to_same,
    tells_only_values,
    without_aside,
    without_changed_values,
    without_role,
)
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


@pytest.mark.parametrize(
    ("way", "earlier", "later", "found"),
    [
        (without_role, "Sven is our treasurer and secretary", "Sven gave up as secretary", "Sven is our treasurer"),
        (without_role, "Sven is our treasurer and secretary", "Sven left", ""),
        (without_aside, "Crew 3 - Marek's - does repairs", "Marek quit", "Crew 3 does repairs"),
        (without_aside, "Crew 3 - Marek's - does repairs", "Crew 3 is on leave", ""),
        (is_of_other_days, "The shop opens 8 to 6, closed Mondays", "The shop opens at 10 on Saturdays", True),
        (is_of_other_days, "The shop opens at 8 on Fridays", "The shop opens at 10 on Saturdays", False),
        (is_of_other_days, "The shop opens 8 to 6", "The shop opens at 10 on Saturdays", True),
        (is_of_other_days, "closed Mondays", "The shop opens at 10 on Saturdays", True),
        (is_of_other_days, "closed Mondays", "The shop opens at 10 on Mondays", False),
        (is_of_other_days, "The standup is at 9", "The standup is at 10 on Saturdays", False),
        (refers_to_same, "Ring Sandra, 555 0142", "Ask for Goran, same number", True),
        (refers_to_same, "Ring Sandra, 555 0142", "Ask for Goran, 555 0143, at the same desk", False),
        (refers_to_same, "Ring Sandra", "Ask for Goran, same number", False),
    ],
)
def test_what_the_words_of_a_change_leave(way, earlier, later, found):
    """A role, a name in brackets, other days of the week, a number that stays."""
    assert way(earlier, later) == found


@pytest.mark.parametrize(
    ("later", "tells"), [("The paper comes on Wednesdays now", True), ("The paper comes from Bo on Wednesdays", False)]
)
def test_a_statement_may_tell_new_values_alone(later, tells):
    """Whatever else is new in it may change another clause."""
    assert tells_only_values(later, frozenset(["paper", "come"])) is tells


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

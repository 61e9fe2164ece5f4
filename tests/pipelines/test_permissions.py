"""A rule that was lifted in a conversation: its end waits for a person, and recall tells of it until then."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from whole_store import seen, unlocked

from dopejar import open_memory
from dopejar.pipelines.corrections.wording.replacements import may_replace
from dopejar.pipelines.ingest.extraction.clauses import with_change_of_mind
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn
from dopejar.pipelines.ingest.extraction.permissions import find_permissions
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.integrity.quantities import has_other_figures
from dopejar.pipelines.ingest.integrity.rule_endings import ends_rule, tells_rule_ended
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.values.proposal import Action
from dopejar.values.record import Layer, Status, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement, Related, Relation

BEGIN = datetime(2024, 5, 5, 9, tzinfo=UTC)
RULE, LIFTED = "Never park in the courtyard", "Parking in the courtyard is fine now"
PERMITTING = {
    "Wool is okay from now on.": "Wool is okay from now on",
    "The column is checked by finance, so macros are fine now.": "Macros are fine now",
    "You may use the old archive again.": "You may use the old archive again",
    "Glossy paper is allowed again, Ada likes it.": "Glossy paper is allowed again",
    "The veto on Sunday work is no longer needed.": "The veto on Sunday work is no longer needed",
    "Drop the kiln rule, we no longer need it.": "Drop the kiln rule, we no longer need it",
    "If the tests pass, wool is fine from now on.": "If the tests pass, wool is fine from now on",
}
PERMITTING_NOTHING = [
    "The archive is fine now.",
    "Is wool okay now?",
    "Everything is okay again, thanks.",
    "Wool is fine for now.",
    "You can delete that one now.",
    "Wool is fine, as you know.",
    "My knee is all right again.",
]


class OneTopicEmbedder:
    """Every text is near every other."""

    identity = EmbedderIdentity(name="one-topic", dimensions=2, digest="0" * 64)

    def embed(self, texts):
        """The same vector for each."""
        return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32)


class CourtyardReader(GrammarReader):
    """A reader that is sure what ends the rule about the courtyard."""

    def relate(self, pairs):
        """An end where both name it."""
        kinds = [Relation.END if all("courtyard" in text for text in pair) else Relation.APART for pair in pairs]
        return tuple(
            Related(relation=kind, shares=tuple(float(one is kind) for one in Relation), cosine=1.0) for kind in kinds
        )


class RuleMarker:
    """Marks what begins with "Never" as a rule, and nothing else."""

    def mark(self, texts, searched=()):
        """The whole of each such text."""
        rule = {"fact_class": FactClass.CONSTRAINT, "layer": Layer.INTENT, "sublayer": Sublayer.RULE}
        return tuple(
            (MarkedStatement(start=0, end=len(text), certainty=0.9, **rule),) if text.startswith("Never") else ()
            for text in texts
        )


@pytest.fixture
def memory(tmp_path):
    """A memory with these readers, and nothing in it."""
    environment = {"DOPEJAR_EMBEDDER_KIND": "none"}
    with open_memory(tmp_path / "home", environment=environment, said_by="user") as opened:
        for name, made in (("embedder", OneTopicEmbedder), ("reader", CourtyardReader), ("marker", RuleMarker)):
            object.__setattr__(opened._deps, name, made)
        yield opened


def talk(memory, *texts, day=0):
    """A conversation of that day, user and assistant in turn."""
    at = [BEGIN + timedelta(days=day, minutes=place) for place in range(len(texts))]
    said = zip(texts, at, strict=True)
    messages = [
        {"role": ("user", "assistant")[place % 2], "content": text, "at": when}
        for place, (text, when) in enumerate(said)
    ]
    memory.add(messages, conversation=f"day {day}")


def approve(memory, *texts):
    """A reviewer approves what waits with these words, all in one act."""
    waiting = {item.text: item.proposal.id for item in memory.review.queue()}
    memory.review.approve([waiting[text] for text in texts], unlocked(memory), seen=seen(memory))


def in_force(memory):
    """The texts that are in force."""
    return {record.text for record in memory.list() if record.status is Status.ACTIVE}


def lines(memory, question="May I park in the courtyard?"):
    """What recall says in its section of rules."""
    return [line for line in memory.recall(question).text.split("Facts:")[0].splitlines() if RULE in line]


def test_a_permission_waits_and_is_told_until_a_person_decides(memory):
    """Nothing is retired unseen; the rule is told with the later words and their date, and once approved is gone."""
    talk(memory, RULE + ".", "Understood.")
    approve(memory, RULE)
    assert "said since" not in lines(memory)[0]
    talk(memory, "Shall we go on?", "Yes.", LIFTED + ".", "Fine.", day=2)
    assert in_force(memory) == {RULE}
    assert f'but said since, not decided yet: "{LIFTED}", 2024-05-07' in lines(memory)[0]
    approve(memory, LIFTED)
    assert in_force(memory) == {LIFTED}
    assert not any(line.endswith(f"{RULE} (user, 2024-05-05)") for line in lines(memory))


def test_a_rejected_permission_is_told_no_more(memory):
    """A person who rejects it has decided; reading the conversation again proposes nothing."""
    talk(memory, RULE + ".", "Understood.")
    approve(memory, RULE)
    talk(memory, "Shall we go on?", "Yes.", LIFTED + ".", "Fine.", day=2)
    (item,) = memory.review.queue()
    memory.review.reject([item.proposal.id], unlocked(memory), "it stays", seen=seen(memory))
    memory.relearn()
    assert not memory.review.queue()
    assert "said since" not in lines(memory)[0]


def test_a_rule_said_again_afterwards_is_not_lifted(memory):
    """What was said before the rule was repeated is no later word about it."""
    talk(memory, RULE + ".", "Understood.")
    approve(memory, RULE)
    talk(memory, "Shall we go on?", "Yes.", LIFTED + ".", "Fine.", day=2)
    talk(memory, RULE + ".", "Again.", day=3)
    assert "said since" not in lines(memory)[0]


@pytest.mark.parametrize("together", [True, False])
def test_a_rule_that_waits_and_its_end_are_decided_together(memory, together):
    """Said in one conversation, both wait as rivals; the end alone is in force, and the rule waits until decided."""
    talk(memory, RULE + ".", "Understood.", LIFTED + ".", "Fine.")
    items = {item.text: item for item in memory.review.queue()}
    assert items.keys() == {RULE, LIFTED}
    assert [record.text for record in items[LIFTED].rivals] == [RULE]
    approve(memory, *((RULE, LIFTED) if together else (LIFTED,)))
    assert in_force(memory) == {LIFTED}
    assert [item.text for item in memory.review.queue()] == ([] if together else [RULE])
    memory.undo(next(entry.act_id for entry in memory.log()), unlocked(memory))
    assert {item.text for item in memory.review.queue()} == {RULE, LIFTED}


def test_a_permission_that_ends_no_rule_teaches_nothing(memory):
    """Beside rules about something else it stays in its turn."""
    talk(memory, "Never paint the fence green.", "Understood.", LIFTED + ".", "Fine.")
    assert [item.text for item in memory.review.queue()] == ["Never paint the fence green"]


@pytest.mark.parametrize(("said", "permission"), PERMITTING.items())
def test_sentences_that_permit_are_found(said, permission):
    """By themselves, without what is told beside them; a condition stays."""
    skipped = [(0, said.index(","))] if said.startswith("The column") else []
    assert [atom.text for atom in find_permissions(SpokenTurn(text=said, at=BEGIN), skipped)] == [permission]


@pytest.mark.parametrize("said", PERMITTING_NOTHING)
def test_sentences_that_only_sound_so_are_not(said):
    """How a thing is, a question, and a permission for a time or one thing lift nothing."""
    assert find_permissions(SpokenTurn(text=said, at=BEGIN), ()) == []


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Always ask me before renaming files.", "You don't need to ask before renaming files any more."),
        ("Always sign the drafts.", "You no longer have to sign the drafts."),
        ("Never call the landlord.", "It's all right to call the landlord now."),
        ("Never use macros.", "The ban on macros is lifted."),
    ],
)
def test_a_permission_is_no_complaint(rule, said):
    """It may take the place of the rule; it never counts as saying the rule once more."""
    assert may_replace(said, said, rule)


ENDED = "The courtyard rule is history"


def test_a_rule_that_is_said_to_be_over_is_proposed_to_end(memory):
    """Its words are no rule themselves, and what a person rejected is not proposed again."""
    talk(memory, RULE + ".", "Understood.")
    approve(memory, RULE)
    talk(memory, "Shall we go on?", "Yes.", f"By the way, {ENDED.lower()}.", "Fine.", day=2)
    (item,) = memory.review.queue()
    assert (item.proposal.action, item.text) == (Action.DEPRECATE, RULE)
    assert ENDED in item.proposal.rationale
    memory.review.reject([item.proposal.id], unlocked(memory), "it stays", seen=seen(memory))
    memory.relearn()
    assert not memory.review.queue()
    assert in_force(memory) == {RULE}


def test_a_rule_that_is_said_to_be_over_leaves_nothing_in_force(memory):
    """The end is approved without a rule that takes the place."""
    talk(memory, RULE + ".", "Understood.")
    approve(memory, RULE)
    talk(memory, "Shall we go on?", "Yes.", ENDED + ".", "Fine.", day=2)
    approve(memory, RULE)
    assert not in_force(memory)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Never bake on Mondays", "So the Monday rule no longer holds."),
        ("No glossy paper in any order", "You can drop the no-glossy-paper rule, the printer copes."),
        ("Every letter needs two signatures", "Ines scrapped the two signatures rule."),
        ("Every letter needs two signatures", "There is no two-signature rule any more."),
        ("Write dates in words", "Forget the rule about dates."),
        ("Write dates in words", "The convention that dates are in words is off."),
        ("No phones at the table", "The ban on phones has been lifted."),
        ("Only Yuki opens the kiln", "Get rid of the kiln rule please."),
    ],
)
def test_words_that_end_a_rule_by_name(rule, said):
    """Whoever names the rule and says that it is over ends it, and no rule that has none of the words."""
    assert ends_rule(rule, said)
    assert find_permissions(SpokenTurn(text=said, at=BEGIN), ())
    assert not ends_rule("Lock the shed at night", said)


@pytest.mark.parametrize(
    "said",
    [
        "Don't forget the Monday rule.",
        "The Monday rule still holds.",
        "The Monday rule is lifted until Friday.",
        "The Monday rule doesn't apply to cakes.",
        "Ignore the Monday rule this time.",
        "Nobody dropped the Monday rule.",
        "The new policy is out.",
        "We broke the Monday rule again.",
        "The Monday rule is gone from the notice board.",
    ],
)
def test_words_about_a_rule_that_end_none(said):
    """An exception, an end for a time, and what else is told of a rule leave it as it is."""
    assert not tells_rule_ended(said)


FEE, OTHER_FEE = "The courtyard fee is 30 euros", "Make the courtyard fee 45 euros"


def test_other_figures_wait_where_nothing_else_was_learned_of_them(memory):
    """Said in passing, they replace nothing unseen, and the old ones are no longer the only answer."""
    memory.remember(FEE, at=BEGIN)
    talk(memory, "Shall we go on?", "Yes.", OTHER_FEE + ".", "Done.", day=2)
    (item,) = memory.review.queue()
    assert (item.text, item.proposal.action) == (OTHER_FEE, Action.SUPERSEDE)
    assert in_force(memory) == {FEE}
    approve(memory, OTHER_FEE)
    assert in_force(memory) == {OTHER_FEE}


@pytest.mark.parametrize(
    "said",
    [
        "Is the courtyard fee 45 euros now?",
        "I saw 3 cars in the courtyard in 10 minutes.",
        "The courtyard fee is 45 euros for today.",
        "The courtyard fee is fine.",
        "Add 30 euros for the courtyard.",
    ],
)
def test_figures_of_something_else_propose_nothing(memory, said):
    """A question, another count of figures, the same one, and what holds for a day leave the memory alone."""
    memory.remember(FEE, at=BEGIN)
    talk(memory, "Shall we go on?", "Yes.", said, "Fine.", day=2)
    assert not memory.review.queue()


@pytest.mark.parametrize(
    ("earlier", "later", "are_other"),
    [
        ("First letter after 7 days, second after 14", "First letter after 10 days now, second after 20", True),
        ("The kiln is at 1200 degrees", "Set the kiln to 1240 degrees", True),
        ("The kiln is at 1200 degrees", "The kiln was at 1200 degrees for 3 hours", False),
        ("The kiln is at 1200 degrees", "Buy 40 plates", False),
        ("The kiln is hot", "Set the kiln to 1240 degrees", False),
    ],
)  # fmt: skip
def test_other_figures_of_one_thing(earlier, later, are_other):
    """As many figures, none of the old ones, about the same words."""
    assert has_other_figures(earlier, later) is are_other


@pytest.mark.parametrize(
    ("said", "reads"),
    [
        ("I asked Ines and we changed our mind: the hall gets tiles", "we changed our mind: the hall gets tiles"),
        ("Change of plan, the hall gets tiles", "Change of plan, the hall gets tiles"),
        ("On second thought the hall gets tiles", "the hall gets tiles"),
        ("Ines changed her mind - the hall gets tiles", "Ines changed her mind - the hall gets tiles"),
        ("I changed my mind about lunch, the hall gets tiles", "the hall gets tiles"),
    ],
)
def test_a_reversed_decision_is_read_with_what_takes_back(said, reads):
    """Only the words right before it that take the other decision back."""
    assert said[with_change_of_mind(said, said.index("the hall")) :] == reads

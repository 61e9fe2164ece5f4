"""What stands beside a rule and what takes its place: exceptions, choices, and statements that would end one."""

import numpy as np
import pytest
from whole_store import seen, unlocked

from dopejar import open_memory
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.integrity.exceptions import forbid_apart, is_exception
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.values.record import Kind, Layer, Status, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement, Related, Relation

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
EXCEPTIONS = [
    ("Never commit generated files.", "Committing generated files is fine in the fixtures folder."),
    ("Never use print.", "You may use print in scripts/."),
    ("Always write tests.", "No need for tests in the spike folder."),
    ("Never force push.", "In the sandbox repo, always force push."),
    ("Use pdm instead of pip.", "Use conda instead of pip for the notebooks."),
]
WHOLE = [("Never use print.", "You can use print."), ("Never push to main.", "Pushing to main is fine now.")]
CHOICES = [
    ("Use pdm instead of pip.", "Use rye instead of pdm."),
    ("Use webpack instead of gulp.", "Use vite instead of webpack."),
    ("Prefer dataclasses over dicts.", "Prefer attrs over dataclasses."),
]


@pytest.fixture
def memory(tmp_path):
    """A memory with a project at hand and nothing in it."""
    with open_memory(tmp_path / "home", environment=QUIET, project="birch", said_by="user") as opened:
        yield opened


def told(memory, *texts):
    """What is in force after a reviewer said these."""
    by = unlocked(memory)
    for text in texts:
        memory.remember(text, by=by)
    return {record.text for record in memory.list() if record.status is Status.ACTIVE}


@pytest.mark.parametrize(("rule", "exception"), EXCEPTIONS)
def test_an_exception_stands_beside_its_rule(memory, rule, exception):
    """A permission or an order in a narrower place leaves the rule as it is, and is kept."""
    assert told(memory, rule, exception) == {rule.rstrip("."), exception.rstrip(".")}


@pytest.mark.parametrize(("rule", "permission"), WHOLE)
def test_a_permission_without_a_narrower_place_is_no_exception(memory, rule, permission):
    """Who permits all that a rule forbids does not leave both in force."""
    assert len(told(memory, rule, permission)) == 1


@pytest.mark.parametrize(("earlier", "later"), CHOICES)
def test_a_choice_takes_the_place_of_the_one_it_refuses(memory, earlier, later):
    """What was to be used and now is not to be: the two are never both in force."""
    assert told(memory, earlier, later) == {later.rstrip(".")}


def test_two_choices_of_one_thing_both_hold(memory):
    """The same thing in place of two others leaves both bans in force."""
    assert len(told(memory, "Use uv instead of pip.", "Use uv instead of poetry.")) == 2


def test_an_edited_update_takes_the_place_of_what_it_updates(memory):
    """A reviewer's words for an update are in force, and the old number is not, though both name the same tool."""
    by = unlocked(memory)
    memory.remember("We use ruff in place of black, line length 90.", by=by)
    memory.remember("We use ruff in place of black, line length 110.", said_by="assistant")
    (item,) = memory.review.queue()
    memory.review.edit(item.proposal.id, "We use ruff in place of black, line length 120", by, seen=seen(memory))
    texts = [record.text for record in memory.list() if record.status is Status.ACTIVE]
    assert [text for text in texts if "ruff" in text] == ["We use ruff in place of black, line length 120"]


class OneTopicEmbedder:
    """Every text is near every other."""

    identity = EmbedderIdentity(name="one-topic", dimensions=2, digest="0" * 64)

    def embed(self, texts):
        """The same vector for each."""
        return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32)


class UpdatingReader(GrammarReader):
    """A reader that is sure that the later statement takes the place of the earlier one."""

    def relate(self, pairs):
        """An update, of each pair."""
        shares = tuple(float(relation is Relation.UPDATE) for relation in Relation)
        return tuple(Related(relation=Relation.UPDATE, shares=shares, cosine=1.0) for _ in pairs)


class WholeMarker:
    """Every text is one plain statement that lasts."""

    def mark(self, texts, searched=()):
        """The whole of each text."""
        plain = {"fact_class": FactClass.PLAIN, "layer": Layer.WORLD, "sublayer": Sublayer.FACT}
        return tuple((MarkedStatement(start=0, end=len(text), certainty=1.0, **plain),) for text in texts)


@pytest.mark.parametrize(
    ("stated", "waits"), [("Use pdm instead of pip.", True), ("The archive is kept on disk.", False)]
)
def test_a_fact_of_a_conversation_ends_no_rule_unseen(memory, stated, waits):
    """What is told in passing and takes the place of a rule waits for a person; in place of a fact it holds at once."""
    for name, made in (("embedder", OneTopicEmbedder), ("reader", UpdatingReader), ("marker", WholeMarker)):
        object.__setattr__(memory._deps, name, made)
    in_force = told(memory, stated)
    memory.add([{"role": "user", "content": "We switched the builds to the rye tool."}])
    assert len(memory.review.queue()) == waits
    assert (in_force == {record.text for record in memory.list() if record.status is Status.ACTIVE}) == waits


def test_what_takes_the_place_of_a_rule_is_a_rule(memory):
    """A fact that a person approves in place of a rule is told and checked as the rule was."""
    for name, made in (("embedder", OneTopicEmbedder), ("reader", UpdatingReader), ("marker", WholeMarker)):
        object.__setattr__(memory._deps, name, made)
    told(memory, "Use pdm instead of pip.")
    memory.add([{"role": "user", "content": "We switched the builds to the rye tool."}])
    (item,) = memory.review.queue()
    memory.review.approve([item.proposal.id], unlocked(memory), seen=seen(memory))
    (record,) = [record for record in memory.list() if record.status is Status.ACTIVE]
    assert (record.kind, record.layer) == (Kind.RULE, Layer.INTENT)


@pytest.mark.parametrize(
    ("later", "stands"),
    [("Node 22 now, in CI too.", True), ("We use Vue 3 with TypeScript and Webpack now.", False)],
)
def test_a_change_of_one_part_leaves_the_rest_in_force(memory, later, stands):
    """What names several tools is not out of use because of one of them; a new statement of them all replaces it."""
    for name, made in (("embedder", OneTopicEmbedder), ("reader", UpdatingReader)):
        object.__setattr__(memory._deps, name, made)
    stack = "We use React 18 with TypeScript and Vite, Node 20."
    assert (stack.rstrip(".") in told(memory, stack, later)) is stands


class UnsureReader(GrammarReader):
    """A reader that finds two statements about one matter, and cannot tell what the later one does to the earlier."""

    is_graded = True

    def relate(self, pairs):
        """A little of each relation."""
        some = {Relation.SAME: 0.25, Relation.UPDATE: 0.3, Relation.CONTRADICTION: 0.25, Relation.APART: 0.2}
        shares = tuple(some.get(relation, 0.0) for relation in Relation)
        return tuple(Related(relation=Relation.UPDATE, shares=shares, cosine=1.0) for _ in pairs)


@pytest.mark.parametrize(
    ("later", "replaces"),
    [
        ("A guest counts as a regular from 8 visits on, no longer 12.", True),
        ("A guest counts as a regular from 8 visits on instead of 15.", False),
        ("A guest counts as a regular from 8 visits on.", False),
    ],
)
def test_what_names_the_old_value_takes_its_place(memory, later, replaces):
    """Of two statements about one matter the later one replaces the earlier one whose value it says to hold no more."""
    for name, made in (("embedder", OneTopicEmbedder), ("reader", UnsureReader)):
        object.__setattr__(memory._deps, name, made)
    earlier = "A regular is a guest who came 12 times."
    assert (earlier.rstrip(".") not in told(memory, earlier, later)) is replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Never ship on Fridays, in any shop", "Never ship without a label, in any shop"),
        ("No gloss on the doors", "No nails in the doors"),
        ("Never wash the wool", "Never iron the wool"),
        ("Don't water the cactus", "Don't move the cactus"),
        ("We don't put notes in any of our folders", "We don't put drafts in any of our folders"),
    ],
)
def test_two_prohibitions_hold_side_by_side(earlier, later):
    """Each forbids a thing of its own, whatever frame they share."""
    assert forbid_apart(earlier, later)
    assert forbid_apart(later, earlier)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Never more than 3 coats", "Never more than 5 coats"),
        ("Never wash the wool", "Never wash the wool without soap"),
        ("Never wash the wool", "The wool may be washed now"),
        ("Don't open before 10", "Don't open before 12"),
        ("Don't use gloss", "Don't use lacquer, use gloss"),
        ("Don't ship on Fridays", "Don't ship on Thursdays any more"),
        ("No gloss on the doors", "Gloss on the doors, please"),
    ],
)
def test_prohibitions_that_may_be_of_one_thing(earlier, later):
    """Another number, a narrower or lifted one, and a change are left to the reader."""
    assert not forbid_apart(earlier, later)


def test_a_lifted_rule_is_no_exception():
    """Since when something is allowed narrows nothing."""
    assert not is_exception("No gloss in our halls", "Gloss is allowed in our halls now")
    assert is_exception("No gloss in our halls", "Gloss is allowed in the chapel now")

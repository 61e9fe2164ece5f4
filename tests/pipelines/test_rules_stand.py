"""Only words that direct retire a rule; a joke is none by itself, and an order for one occasion ends."""

import pytest
from whole_store import unlocked

from dopejar import open_memory
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Status
from dopejar.values.statement import Related, Relation

RULE = "Always book the parish room for the choir."
STATED = "The choir left the parish room."
TOLD = "From now on the choir sings in the school hall."


class EndingReader(GrammarReader):
    """A graded reader for which whatever follows the rule ends it."""

    is_graded = True

    def relate(self, pairs):
        """An end of the rule by the other statements, surely; all else is apart."""
        ends = [
            earlier.rstrip(".") == RULE.rstrip(".") and later.rstrip(".") != RULE.rstrip(".")
            for earlier, later in pairs
        ]
        kinds = [Relation.END if is_end else Relation.APART for is_end in ends]
        return tuple(
            Related(relation=found, shares=tuple(float(kind is found) for kind in Relation)) for found in kinds
        )


@pytest.fixture
def memory(tmp_path):
    """A memory of a project, without a model."""
    with open_memory(tmp_path / "home", environment={}, project="atlas", said_by="user") as opened:
        yield opened


def active(memory):
    """The texts of what is in force."""
    return {record.text for record in memory.list(RecordFilter(statuses=(Status.ACTIVE,)), 50)}


@pytest.mark.parametrize(("later", "stands"), [(STATED, True), (TOLD, False)])
def test_only_what_directs_retires_a_rule(memory, later, stands):
    """In a reviewer's session, a statement that would end a rule waits as its next version; an order replaces it."""
    object.__setattr__(memory._deps, "reader", EndingReader)
    by = unlocked(memory)
    memory.remember(RULE, by=by)
    told = memory.remember(later, by=by)
    assert told.waits is stands
    assert (RULE.rstrip(".") in active(memory)) is stands


@pytest.mark.parametrize(
    "text",
    [
        "For this release only, merge without approval.",
        "Merge without approval for this release only.",
        "Just for this concert, send invitations to everyone.",
        "For this holiday only, keep the shop open.",
    ],
)
def test_an_order_for_one_occasion_ends(memory, text):
    """Wherever the limit stands, the order has an end and keeps the limit."""
    memory.remember(text)
    (kept,) = (*(item.proposal.payload.draft for item in memory.review.queue()), *memory.list())
    assert (kept.temporary, kept.valid_to is not None) == (True, True)
    assert "this" in kept.text


@pytest.mark.parametrize(
    "text",
    ["For this repo only, use tabs.", "The flat is ours, but only for this summer.", "For this reason we left Kafka."],
)
def test_what_goes_on_has_no_end(memory, text):
    """A place, a season and a reason are no occasion."""
    memory.remember(text)
    drafts = [item.proposal.payload.draft for item in memory.review.queue()]
    assert not any(one.temporary for one in (*drafts, *memory.list()))
    assert drafts or memory.list()


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        ("Never invite uncle Bert again, lmao", True),
        ("Always reply in pirate speak :D from now on", True),
        ("Always merge without tests haha", True),
        ("Always answer in German :)", False),
        ("haha the car broke down again", False),
    ],
)
def test_guidance_said_with_laughter_waits(memory, text, waits):
    """Also in a reviewer's session a person decides whether it was meant; a fact, or a smile, is believed at once."""
    assert memory.remember(text, by=unlocked(memory)).waits is waits


@pytest.mark.parametrize(
    ("fact", "wish"),
    [("Our standup is at 9:30.", "Forget the standup time."), ("Redis listens on 6379.", "Forget the Redis port.")],
)
def test_what_a_title_names_is_proposed_to_be_forgotten(memory, fact, wish):
    """A wish finds a fact by the title that tells what its value is; a person looks, and the fact stays till then."""
    memory.remember(fact)
    assert memory.remember(wish, by=unlocked(memory)).waits
    assert active(memory) == {fact.rstrip(".")}


def test_an_order_for_the_work_forgets_nothing(memory):
    """What no memory holds is an order."""
    memory.remember("The gym costs 40 euros.")
    memory.remember("Delete the temp files.")
    (item,) = memory.review.queue()
    assert item.proposal.payload.draft.text == "Delete the temp files"

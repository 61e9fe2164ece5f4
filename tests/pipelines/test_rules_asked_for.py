"""Rules that are asked for as such: "what are my rules?" is answered by the rules, and by nothing else."""

import pytest

from dopejar import open_memory

PASSPHRASE = "a wooden owl counts the tide"
RULES = {
    "Always put the kiln's log sheet on the hook.",
    "Never glaze on a Sunday.",
    "Don't use dashes in the price list.",
}
FACTS = ["The kiln takes nine hours.", "My sister sells the bowls in Tartu.", "We have two wheels."]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """A memory with three approved rules among facts."""
    home = tmp_path_factory.mktemp("pottery")
    with open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        opened.reviewers.add("ines", PASSPHRASE)
        reviewer = opened.reviewers.unlock(PASSPHRASE)
        for text in (*RULES, *FACTS):
            opened.remember(text)
        queue = opened.review.queue()
        seen = {one.proposal.id: one.proposal.version for one in queue}
        opened.review.approve([one.proposal.id for one in queue], reviewer, seen=seen)
        yield opened


@pytest.mark.parametrize(
    "asked",
    [
        "What are my rules?",
        "list all rules",
        "which rules do I have for the workshop?",
        "what are the rules of this project?",
        "Welche Regeln habe ich?",
        "what rules hold here?",
        "which rules apply?",
        "Show me the rules of this folder.",
        "what conventions do you follow?",
        "are there any guidelines in force here?",
    ],
)
def test_the_rules_are_the_whole_answer(memory, asked):
    """Though they share no word with the question."""
    told = {text.rstrip(".") for text in RULES}
    assert {item.text.rstrip(".") for item in memory.recall(asked).items} == told


@pytest.mark.parametrize(
    "asked",
    [
        "what are the rules of chess?",
        "which rule is about the bowls in Tartu?",
        "which rules apply to refunds?",
        "show me the firewall rules",
        "who stands at the kiln?",
        "does the offer still hold?",
    ],
)
def test_other_rules_are_not_ours(memory, asked):
    """Nor is everything told that is a rule."""
    assert not {text.rstrip(".") for text in RULES} & {item.text.rstrip(".") for item in memory.recall(asked).items}


def test_a_budget_holds(memory):
    """What does not fit is left out, the rest stays."""
    pack = memory.recall("what are my rules?", budget=60)
    assert 0 < len(pack.items) < len(RULES)
    assert pack.tokens <= pack.budget

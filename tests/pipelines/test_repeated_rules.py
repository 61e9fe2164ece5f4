"""A reviewer is shown the rule in force that a proposal may say again, and can count it for that rule."""

from dataclasses import replace

import numpy as np
import pytest
from whole_store import seen, unlocked

from dopejar import open_memory
from dopejar.doors.cli.approval_prompt import ApprovalInterface
from dopejar.engine.ingest.related_record_search import embed_known
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.values.statement import Related, Relation

RULE = "Run the linter before you report that you are done."
AGAIN = "Never hand over work that was not linted."
OTHER = "Write commit messages in English."
BESIDE = "Run the linter on the docs folder too."


class LintEmbedder:
    """What lints or reports is near, everything else is far from it and from each other."""

    identity = EmbedderIdentity(name="lint", dimensions=3, digest="0" * 64)

    def embed(self, texts):
        """One direction for the linter, another for commits."""
        return np.array([_direction(text.casefold()) for text in texts], dtype=np.float32)


class OneSameness:
    """Reads two statements as the same where one is `AGAIN`, and else as apart."""

    def relate(self, pairs):
        """The relation of each pair."""
        found = (Relation.SAME if AGAIN.removesuffix(".") in pair[1] else Relation.APART for pair in pairs)
        return tuple(
            Related(relation=one, shares=tuple(float(one is other) for other in Relation), reason="") for one in found
        )


def _direction(text):
    return [1.0, 0.0, 0.0] if "lint" in text else [0.0, 1.0, 0.0] if "commit" in text else [0.0, 0.0, 1.0]


@pytest.fixture
def memory(tmp_path):
    """A memory with one rule in force."""
    with open_memory(tmp_path / "home", environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        object.__setattr__(opened, "_deps", replace(opened._deps, embedder=LintEmbedder))
        opened.remember(RULE)
        opened.review.approve([one.proposal.id for one in opened.review.queue()], unlocked(opened), seen=seen(opened))
        embed_known(opened._deps, records_only=True)
        object.__setattr__(opened.review, "_deps", replace(opened._deps, reader=OneSameness))
        yield opened


def shown(memory, text):
    """The one proposal of these words, as a reviewer sees it."""
    memory.remember(text)
    (item,) = memory.review.queue()
    return memory.review.show(item.proposal.id)


def test_a_rule_in_other_words_is_shown_with_the_one_in_force(memory):
    """The nearest by meaning."""
    found = shown(memory, AGAIN)
    assert found.repeats is not None
    assert found.repeats.text == RULE.removesuffix(".")


@pytest.mark.parametrize("text", [OTHER, BESIDE])
def test_another_rule_is_shown_alone(memory, text):
    """Nothing in force is near it, or what is near says something else."""
    assert shown(memory, text).repeats is None


def test_the_same_counts_for_the_rule_in_force(memory):
    """`same 1` leaves one rule, said twice, and nothing waits."""
    found = shown(memory, AGAIN)
    lines = []
    answers = iter(["same 1", "n", "same 1", "y"])  # the first one is taken back before it acts
    decisions = ApprovalInterface(ask=lambda _: next(answers), say=lines.append).ask_about_items([found], {})
    (again,) = decisions.said_again.items()
    memory.review.edit(again[0], again[1].text, unlocked(memory), seen=seen(memory), scope=str(again[1].scope))
    (rule,) = memory.list()
    assert (rule.text, rule.access_count) == (RULE.removesuffix("."), 2)
    assert not memory.review.queue()
    assert any("same 1 counts it as said again" in line for line in lines)
    assert sum(f"not kept:   {AGAIN.removesuffix('.')}" in line for line in lines) == 2


def test_nothing_to_repeat_is_asked_again(memory):
    """`same` is refused, with what to type, where no rule is near."""
    lines = []
    answers = iter(["same 1", "none"])
    decisions = ApprovalInterface(ask=lambda _: next(answers), say=lines.append).ask_about_items(
        [shown(memory, OTHER)], {}
    )
    assert not decisions.decides
    assert any("Only what may repeat a rule in force" in line for line in lines)


def test_a_rule_said_again_for_a_time_gets_no_end(memory):
    """What repeats a rule in force holds as long as that."""
    memory.remember("Lint before you hand over, just this once.")
    (item,) = memory.review.queue()
    assert item.proposal.payload.draft.temporary
    memory.review.edit(item.proposal.id, RULE.removesuffix("."), unlocked(memory), seen=seen(memory))
    (rule,) = memory.list()
    assert (rule.valid_to, rule.temporary, rule.access_count) == (None, False, 2)

"""Rules said outright, in the first turn of a conversation and later; what describes a task stays a task."""

from __future__ import annotations

import pytest
from correction_turns import exchange

from dopejar.pipelines.corrections import cluster, detect
from dopejar.pipelines.corrections.exchange import Durability
from dopejar.pipelines.corrections.proposals.proposal_engine import ProposalEngine, is_topical

RULES = [
    "Never force-push a shared branch.",
    "Always run the type checker before you say you are done.",
    "You must never edit the generated client.",
    "From now on use tabs in Makefiles and spaces elsewhere.",
    "Please remember: always answer in French.",
    "We use ruff, not flake8.",
    "As a convention, fixtures live next to the tests that use them.",
    "Hello! Never delete a migration. Now fix the date picker, please.",
    "Nunca apague uma migração.",
    "Lösche nie eine Migration.",
    "Никогда не удаляй миграции.",
]
TASKS = [
    "Write a function that must return a list and never raises.",
    "Build a shop page. Prices always carry two decimals. Never show sold-out items.",
    "I need a parser for dates. It must not use the network.",
    "Create a CLI. Errors go to stderr, and the exit code must never be above 2.",
    "Help me plan a garden: no roses, nothing that needs shade.",
    "I never liked regular expressions. Can you explain lookaheads?",
]
CONVENTIONS = [
    "releases are cut by the bot",
    "snapshots belong in tests/snapshots",
    "no console output in library code",
    "one concern per commit",
    "feature flags only where two teams need them",
    "hotfix branches are never squashed",
    "skip the closing summary",
    "ask before you rename anything public",
    "write a docstring for every function you add",
    "the helper is dead weight. inline the two calls",
]
STORIES = [
    "the manual says that releases are cut on Fridays",
    "we usually eat at eight",
    "the page needs about four seconds to load",
    "no errors in the log this time",
    "ERROR 2024-02-03 10:00:00 worker must not be null",
    "which files belong in the snapshots folder?",
    "forget what I said, you were right",
]


@pytest.mark.parametrize("text", RULES)
def test_a_rule_counts_in_the_first_turn(text):
    """A standing rule that opens a conversation is found, lasting, and proposed."""
    found = detect([exchange(text, before="")])
    assert [one.durability for one in found] == [Durability.STANDING]
    assert ProposalEngine().generate_proposals(cluster(found), "atlas").proposals


@pytest.mark.parametrize("text", TASKS)
def test_requirements_of_a_task_are_no_rules(text):
    """What must hold of the thing to be built is no rule for the assistant."""
    assert not detect([exchange(text, before="")])


@pytest.mark.parametrize("text", CONVENTIONS)
def test_conventions_need_no_no(text):
    """A convention, a ban or an order that answers a deed is found without any "no" or "don't"."""
    assert detect([exchange(text, before="I've squashed the branch and changed the files.")])


@pytest.mark.parametrize("text", STORIES)
def test_statements_about_the_world_are_no_conventions(text):
    """Reports, defects, logs and questions that look like conventions are left alone."""
    assert not detect([exchange(text)])


def test_a_rule_for_one_kind_of_question_waits():
    """It is found at once, and proposed when it was said again."""
    text = "Always add a diagram when I ask about networks"
    once = cluster(detect([exchange(text)]))
    assert [is_topical(one) for one in once] == [True]
    assert not ProposalEngine().generate_proposals(once, "atlas").proposals
    again = cluster(detect([exchange(text), exchange(text, index=2, conversation="c_two")]))
    assert ProposalEngine().generate_proposals(again, "atlas").proposals


def test_one_wish_that_names_two_things_couples_none():
    """Two groups stay two where one wish alone shares words with both."""
    one = ["no, use the staging cluster", "use the staging cluster please, not that", "wrong, use the staging cluster"]
    two = ["no, use the billing ledger", "use the billing ledger please, not that", "wrong, use the billing ledger"]
    both = "no, use the staging cluster to read the billing ledger"
    turns = [exchange(text, index=2 * place) for place, text in enumerate((*one, *two, both))]
    sizes = sorted(len(group.members) for group in cluster(detect(turns)))
    assert sizes == [3, 4]

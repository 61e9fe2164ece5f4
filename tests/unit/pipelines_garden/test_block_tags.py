"""The three heuristics, by tables: environment, constraint, definition; and what is deprecated."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from dopejar.pipelines.garden.block_fact import BlockFact, FactCategory, categorise, given_fact, read_alias
from dopejar.pipelines.garden.block_tags import (
    BlockTags,
    RuleKind,
    constraint_tag,
    environment_tags,
    tag_block,
)
from dopejar.testing.builders import a_record
from dopejar.values.record import ENVIRONMENT_TAG, Kind, Layer, Sublayer
from dopejar.values.statement import FactClass

QUIET = ["Fine."] * 11


def fact(text: str, category: FactCategory, turn: int = 0, alias: tuple[str, str] | None = None) -> BlockFact:
    """A fact of a block."""
    return BlockFact(text=text, category=category, turn=turn, alias=alias)


def rules(tags: BlockTags) -> list[tuple[int, int, str]]:
    """The section rules, shortly."""
    return [(rule.start_turn, rule.end_turn, rule.rule) for rule in tags.section_rules]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("I am using Python 3.9.", ("env: python-3.9",)),
        ("We build with Node.js 20", ("env: node.js-20",)),
        ("We are on Windows", ("os: windows",)),
        ("The runners have Ubuntu 22.04", ("os: ubuntu-22.04",)),
        ("I am using Python 3.9 on Windows.", ("env: python-3.9", "os: windows")),
        ("Node 20 and React 18 are installed", ("env: node-20", "env: react-18")),
        ("Java 17 in the service, Java 21 in the tools", ("env: java-17", "env: java-21")),
        ("The broker listens on port 5673.", ("env: broker = port 5673",)),
        ("The migration scripts are in db/migrations", ("env: migration scripts = db/migrations",)),
        ("The staging server is hosted on two small machines", ("env: staging server = two small machines",)),
    ],
)
def test_environment_becomes_tags_of_the_block(text: str, tags: tuple[str, ...]) -> None:
    """Each tool and system by its name and version, or the place of a part."""
    assert environment_tags(text) == tags
    assert tag_block([fact(text, FactCategory.ENVIRONMENT)] * 2, QUIET).global_tags == tags


@pytest.mark.parametrize("text", ["The printer is a resin one with a heated vat.", "our ward has no wifi!"])
def test_an_environment_of_no_known_name_is_a_tag_as_it_was_said(text: str) -> None:
    """It comes with no quoted turn, and is for a dossier as well; a plain fact is no tag."""
    stated = fact(text, FactCategory.ENVIRONMENT)
    tags = tag_block([stated], QUIET)
    assert (tags.global_tags, tags.context_tags, tags.other_facts) == ((f"env: {text[:-1]}",), (), (stated,))
    assert tag_block([replace(stated, is_held=False)], QUIET).global_tags == ()
    plain = fact(text, FactCategory.ENTITY)
    assert tag_block([plain], QUIET) == BlockTags(other_facts=(plain,))


def test_a_replaced_tool_holds_until_its_successor() -> None:
    """Here a range of turns; where it was replaced outside of the block, it is no tag."""
    old = fact("We're on Python 3.9", FactCategory.ENVIRONMENT, 1)
    new = fact("We're on Python 3.12 now", FactCategory.ENVIRONMENT, 5)
    tags = tag_block([replace(old, last_turn=4, is_held=False), new], QUIET)
    assert (tags.global_tags, rules(tags)) == (("env: python-3.12",), [(1, 4, "env: python-3.9")])
    gone = replace(old, is_held=False)
    assert tag_block([gone], QUIET) == BlockTags(other_facts=(gone,))


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("Never use eval()", "no-eval"),
        ("Don't use the staging database.", "no-staging-database"),
        ("Avoid wildcard imports", "no-wildcard-imports"),
        ("Never push on Fridays", "Never push on Fridays"),
        ("Always check permissions", "Always check permissions"),
        (
            "Don't use mocks in tests of the payment service, ever",
            "Don't use mocks in tests of the payment service, ever",
        ),
    ],
)
def test_a_rule_is_never_cut(text: str, tag: str) -> None:
    """What forbids one thing has a short tag; any other rule keeps all its words."""
    assert constraint_tag(text) == tag


def test_a_constraint_holds_until_it_is_permitted() -> None:
    """From its turn to the turn before the one that permits the same thing, or to the end."""
    stated = fact("Never use eval()", FactCategory.CONSTRAINT, 2)
    turns = [*QUIET[:6], "Okay, eval is fine now.", *QUIET[:4]]
    assert rules(tag_block([stated], turns)) == [(2, 5, "no-eval")]
    assert rules(tag_block([stated], QUIET)) == [(2, 10, "no-eval")]


@pytest.mark.parametrize(
    "permission",
    [
        "It's okay to use eval in the parser from now on.",
        "Eval is permitted again.",
        "From today eval is now okay.",
        "It's fine to use eval again.",
        "Eval is no longer banned.",
        "eval ist wieder erlaubt.",
    ],
)
def test_a_permission_has_many_wordings(permission: str) -> None:
    """Each of them ends the rule, and is no rule itself."""
    turns = [*QUIET[:6], permission, *QUIET[:4]]
    stated = fact("Never use eval()", FactCategory.CONSTRAINT, 2)
    assert rules(tag_block([stated, fact(permission, FactCategory.CONSTRAINT, 6)], turns)) == [(2, 5, "no-eval")]


@pytest.mark.parametrize(
    "other",
    [
        "It's not okay to use eval.",
        "It's okay to use eval only in tests.",
        "You can use eval except in the parser.",
        "Eval is never allowed again.",
    ],
)
def test_what_is_denied_or_kept_to_some_cases_permits_nothing(other: str) -> None:
    """The rule goes on."""
    turns = [*QUIET[:6], other, *QUIET[:4]]
    assert rules(tag_block([fact("Never use eval()", FactCategory.CONSTRAINT, 2)], turns)) == [(2, 10, "no-eval")]


@pytest.mark.parametrize("other", ["Is eval allowed again?", "exec is fine now.", "You can use tabs."])
def test_what_permits_something_else_ends_nothing(other: str) -> None:
    """A question, or the permission of another thing, leaves the rule as it is."""
    turns = [*QUIET[:6], other, *QUIET[:4]]
    assert rules(tag_block([fact("Never use eval()", FactCategory.CONSTRAINT, 2)], turns)) == [(2, 10, "no-eval")]


def test_a_name_holds_until_it_means_something_else() -> None:
    """The later meaning ends the earlier one; another name does not."""
    facts = [
        fact("Call the server Box A", FactCategory.DEFINITION, 3, ("Box A", "server")),
        fact("The lock is what we call the mutex service", FactCategory.DEFINITION, 4, ("the lock", "mutex service")),
        fact("Call the desk Box B", FactCategory.DEFINITION, 5, ("Box B", "desk")),
        fact("Call the laptop Box A", FactCategory.DEFINITION, 7, ("Box A", "laptop")),
    ]
    assert rules(tag_block(facts, QUIET)) == [
        (3, 6, "server=Box A"),
        (4, 10, "mutex service=the lock"),
        (5, 10, "desk=Box B"),
        (7, 10, "laptop=Box A"),
    ]


def test_what_is_deprecated_marks_the_turns_that_name_it() -> None:
    """Turns that name all of it, before and after; no others."""
    turns = ["Run the command", "Old API call", "The old API is deprecated.", "Call the new API"]
    (rule,) = tag_block([fact("The old API is deprecated", FactCategory.ENTITY, 2)], turns).section_rules
    assert (rule.kind, rule.rule) == (RuleKind.DEPRECATED, "deprecated: old api")
    assert [rule.governs(place, text) for place, text in enumerate(turns)] == [False, True, True, False]


def test_the_rest_stays_whole_facts() -> None:
    """What is no tag and no rule is kept as it was given, with its turn."""
    facts = [fact("I prefer dark mode", FactCategory.PREFERENCE, 1), fact("I work remotely", FactCategory.ENTITY, 4)]
    assert tag_block(facts, QUIET) == BlockTags(other_facts=tuple(facts))


def test_mixed_facts() -> None:
    """A block with facts of all sorts."""
    tags = tag_block(
        [
            fact("I am using Python 3.9", FactCategory.ENVIRONMENT, 0),
            fact("Never use eval()", FactCategory.CONSTRAINT, 2),
            fact("Never use eval()", FactCategory.CONSTRAINT, 3),
            fact("I work remotely", FactCategory.ENTITY, 5),
        ],
        QUIET[:6],
    )
    assert tags.global_tags == ("env: python-3.9",)
    assert rules(tags) == [(2, 5, "no-eval")]
    assert [one.text for one in tags.other_facts] == ["I work remotely"]
    assert tags.count == 2


@pytest.mark.parametrize(
    ("changes", "category"),
    [
        ({}, "entity"),
        ({"tags": (ENVIRONMENT_TAG,)}, "environment"),
        ({"kind": Kind.CORRECTION, "layer": Layer.INTENT, "sublayer": Sublayer.ANTI_PATTERN}, "constraint"),
        ({"layer": Layer.SELF, "sublayer": Sublayer.CONSTRAINT}, "entity"),
        ({"layer": Layer.INTENT, "sublayer": Sublayer.GOAL}, "task"),
        ({"kind": Kind.PREFERENCE, "layer": Layer.SELF, "sublayer": Sublayer.PREFERENCE}, "preference"),
        ({"kind": Kind.ALIAS, "slot": "alias.bff", "value": "+backend-frontend", "text": "BFF means x"}, "acronym"),
        ({"kind": Kind.ALIAS, "slot": "alias.vault", "value": "+archive-server"}, "definition"),
        ({"text": "The key is [redacted:api-key]"}, "secret"),
    ],
)
def test_the_category_is_what_the_reader_saw(changes: dict[str, object], category: str) -> None:
    """Kind, layer, sublayer and tags of the record decide; its words are not read again."""
    assert categorise(replace(a_record("m_tea"), **changes)) == category  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "marked", "category", "rule"),
    [
        ("Call the server Box A", None, "definition", "server=Box A"),
        ("OKR means objectives and key results", FactClass.PLAIN, "definition", "objectives and key results=OKR"),
        ("The billing service is called Harbour", None, "definition", "billing service=Harbour"),
        ("SETUP.md holds the steps for newcomers", FactClass.CONSTRAINT, "definition", "*"),
        ("The team calls the nightly export the owl", None, "definition", "*"),
        ("The migration scripts are in db/migrations", FactClass.PLAIN, "environment", ""),
        ("Never deploy on Fridays", FactClass.PLAIN, "constraint", "*"),
        ("Comments explain why, not what", FactClass.CONSTRAINT, "constraint", "*"),
        ("Comments explain why, not what", None, "entity", ""),
        ("I prefer short answers.", FactClass.CONSTRAINT, "preference", ""),
    ],
)
def test_words_are_classified_by_rules_that_are_sure_else_by_a_reader(
    text: str, marked: FactClass | None, category: str, rule: str
) -> None:
    """A rule stays whole where it is no pair of names; a sure rule of ingest wins over the reader."""
    fact = given_fact(text, 0, marked)
    assert fact.category == category
    assert [one.rule for one in tag_block([fact], [text]).section_rules] == [text if rule == "*" else rule] * bool(rule)


def test_a_definition_marks_the_lines_that_name_it() -> None:
    """A definition that is no pair of names stands in front of lines with the name, and of no others."""
    fact = given_fact("SETUP.md holds the steps for newcomers", 0, None)
    (rule,) = tag_block([fact], QUIET[:4]).section_rules
    assert rule.governs(3, "I read SETUP.md today")
    assert not rule.governs(3, "I read nothing today")


def test_an_alias_keeps_its_spelling() -> None:
    """Name and meaning as the sentence has them."""
    record = replace(
        a_record("m_tea"), text="The Vault means the archive server", slot="alias.vault", value="+archive-server"
    )
    assert read_alias(record) == ("Vault", "archive server")
    assert read_alias(a_record("m_tea")) is None


@given(
    some.lists(
        some.tuples(
            some.sampled_from(["Never use eval()", "Call the server Box A", "The old API is deprecated", "x", ""]),
            some.sampled_from(list(FactCategory)),
            some.integers(0, 9),
        )
    ),
    some.lists(some.sampled_from(["eval is fine now", "old api", "", "\U0001f40c?"]), max_size=10),
)
def test_every_range_lies_in_the_block(given_facts: list[tuple[str, FactCategory, int]], turns: list[str]) -> None:
    """Rules begin no later than they end, within the block; each fact is a tag, a rule, or kept."""
    facts = [fact(text, category, turn) for text, category, turn in given_facts]
    tags = tag_block(facts, turns)
    last = max([len(turns) - 1, *(one.turn for one in facts)], default=0)
    assert all(0 <= rule.start_turn <= rule.end_turn <= last for rule in tags.section_rules)
    assert len(tags.other_facts) + tags.count - len(tags.sentences) <= len(facts)
    assert tags.sentences <= {f"env: {one.text}" for one in tags.other_facts if one.text}

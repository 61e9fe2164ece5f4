"""The policy file: the shipped table as it stands, user files over it, and messages that name line and key."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped_table import SHIPPED_HASH, SHIPPED_RULES

from dopejar.errors import SettingError
from dopejar.governance.policy.file_schema import COLUMNS, RULE_KEYS
from dopejar.governance.policy.policy_file import (
    load_policy,
    override_policy,
    parse_policy,
    policy_hash,
    rule_as_json,
    shipped_policy,
    shipped_text,
)
from dopejar.governance.policy.rules import Outcome
from dopejar.values.episode import Origin
from dopejar.values.proposal import Action, Level
from dopejar.values.record import Kind


def over(text):
    """The shipped policy with a user's text over it."""
    return override_policy(shipped_policy(), text, file="mine.yaml")


def test_shipped_table():
    """Every row of the shipped table is as it was reviewed: a changed rule changes this snapshot."""
    assert [
        (row["id"], row["then"], {key: value for key, value in row.items() if key in COLUMNS})
        for row in map(rule_as_json, shipped_policy().rules)
    ] == SHIPPED_RULES


def test_shipped_hash():
    """The hash that the ledger carries stands for exactly this table and these numbers."""
    assert shipped_policy().hash == policy_hash(shipped_policy()) == SHIPPED_HASH


def test_every_origin_kind_and_action_is_weighed():
    """No origin lacks a trust and no kind a blast radius."""
    policy = shipped_policy()
    assert set(policy.trust) == set(Origin)
    assert set(policy.blast_of_kind) == set(Kind)


def test_no_file_means_the_shipped_policy():
    """Without an override the shipped policy itself is used, read once."""
    assert load_policy(None) is shipped_policy()


@pytest.mark.parametrize("text", ["", "# nothing\n", "version: 1\n"])
def test_an_empty_override_changes_nothing(text):
    """A file that says nothing leaves table and hash as they are."""
    assert over(text).hash == shipped_policy().hash


def test_numbers_are_replaced():
    """Trust and blast radius of the same name are replaced, the others stay, and the hash moves."""
    blast = "{kinds: {fact: high}, actions: {share: low}, replacing_approved: low}"
    policy = over(f"trust: {{tool: 0.5}}\nblast_radius: {blast}\n")
    assert policy.trust[Origin.TOOL] == 0.5
    assert policy.trust[Origin.USER] == 1.0
    assert policy.blast_of_kind[Kind.FACT] is Level.HIGH
    assert policy.blast_of_action[Action.SHARE] is Level.LOW
    assert policy.blast_of_action[Action.ERASE] is Level.HIGH
    assert policy.blast_of_replacing_approved is Level.LOW
    assert policy.hash != shipped_policy().hash


def test_a_known_rule_keeps_its_place_and_its_other_keys():
    """A rule with a known id replaces what it gives: here the answer, not the columns."""
    policy = over("rules:\n  - {id: user-fact, then: stage}\n")
    old = shipped_policy().rule("user-fact")
    new = policy.rule("user-fact")
    assert new.outcome is Outcome.STAGE
    assert new.kind == old.kind
    assert [rule.id for rule in policy.rules] == [rule.id for rule in shipped_policy().rules]


def test_when_is_replaced_as_a_whole():
    """A rule's new columns do not mix with its old ones."""
    when = "{said_by: [tool], source_quality_below: {low: 0, medium: 0, high: 1}}"
    policy = over(f"rules:\n  - {{id: source-quality, when: {when}}}\n")
    assert policy.rule("source-quality").source_quality_below[Level.HIGH] == 1.0
    assert policy.rule("source-quality").said_by == {"tool"}


def test_a_rule_can_be_switched_off():
    """`enabled: false` takes a rule out."""
    assert over("rules: [{id: boot-file, enabled: false}]").rule("boot-file") is None


@pytest.mark.parametrize("before", ["recall-loop", "conflict", "curation", "default-deny"])
def test_a_new_rule_stands_where_it_says(before):
    """A new rule comes right before the one it names."""
    policy = over(f"rules: [{{id: mine, before: {before}, then: stage, reason: because}}]")
    ids = [*(rule.id for rule in policy.rules), "default-deny"]
    assert ids[ids.index("mine") + 1] == before


WRONG = [
    ("trust: {tool: 2}", 1, "`trust.tool` takes a number from 0 to 1, not 2"),
    ("trust: {tool: .nan}", 1, "`trust.tool` takes a number from 0 to 1"),
    ("trust: {tool: yes}", 1, "`trust.tool` takes a number from 0 to 1"),
    ("trust: {robot: 1}", 1, "`trust.robot` is no known key"),
    ("trust: 5", 1, "`trust` takes keys with values, not 5"),
    ("\nthrust: {}", 2, "`thrust` is no known key"),
    ("version: 2", 1, "`version` takes 1, not 2"),
    ("version: true", 1, "`version` takes 1"),
    ("rules: {}", 1, "`rules` takes a list"),
    ("rules:\n  - then: stage", 2, "has no `id`"),
    ("rules:\n  - {id: Bad Id}", 2, "lowercase letters"),
    ("rules:\n  - {id: user-fact, then: maybe}", 2, "takes one of allow, stage, refuse, not 'maybe'"),
    ("rules:\n  - id: user-fact\n    when: {said_bye: [user]}", 3, "`rules[0].when.said_bye` is no known key"),
    ("rules:\n  - id: user-fact\n    when: {said_by: []}", 3, "takes a list of user"),
    ("rules:\n  - id: user-fact\n    when: {said_by: user}", 3, "takes a list of user"),
    ("rules:\n  - id: user-fact\n    when: {kind: [fact, feeling]}", 3, "`rules[0].when.kind[1]` takes one of fact"),
    ("rules:\n  - id: user-fact\n    when: {source_quality_below: {low: 0.5}}", 3, "each of low, medium, high"),
    ("rules:\n  - {id: mine, then: stage, reason: x}", 2, "no shipped rule is called `mine`"),
    ("rules:\n  - {id: mine, before: nowhere, then: stage, reason: x}", 2, "takes the id of a rule"),
    ("rules:\n  - {id: mine, before: buried, then: allow, reason: x}", 2, "behind the locked ones"),
    ("rules:\n  - {id: mine, before: conflict, reason: x}", 2, "has no `then`"),
    ("rules:\n  - {id: mine, before: conflict, then: stage}", 2, "has no `reason`"),
    ("rules:\n  - {id: buried, enabled: false}", 2, "locked"),
    ("rules:\n  - {id: unknown-target, then: allow}", 2, "locked"),
    ("rules:\n  - {id: default-deny, before: conflict, then: allow, reason: x}", 2, "an id other than"),
    ("rules:\n  - {id: user-fact, locked: true}", 2, "only shipped rules can be `locked`"),
    ("rules:\n  - {id: user-fact, before: conflict}", 2, "keeps its place"),
    ("rules:\n  - {id: user-fact, enabled: perhaps}", 2, "takes true or false"),
    ("rules:\n  - {id: user-fact}\n  - {id: user-fact}", 3, "occurs twice"),
    ("trust: {tool: 0.1}\ntrust: {tool: 0.2}", 2, "`trust` occurs twice"),
    ("trust: &a {tool: 0.1}\nblast_radius: *a", 1, "anchors"),
    ("trust: ]", 1, "YAML is invalid"),
    ("trust: " + "[" * 3000, 1, "brackets"),
    ("blast_radius: {kinds: {fact: none}}", 1, "takes one of low, medium, high"),
    ("rules:\n  - {id: user-fact, reason: ''}", 2, "takes a text"),
]


@pytest.mark.parametrize(("text", "line", "part"), WRONG)
def test_wrong_files_are_named_by_line_and_key(text, line, part):
    """Each mistake is one SettingError that says where it is and what the key takes."""
    with pytest.raises(SettingError) as caught:
        over(text)
    assert str(caught.value).startswith(f"mine.yaml, line {line}: ")
    assert part in str(caught.value)


def test_a_whole_policy_lacks_nothing():
    """A text that is to be the whole policy names what is missing."""
    with pytest.raises(SettingError, match="`blast_radius` is missing"):
        parse_policy("version: 1\ntrust: {}\nrules: []\n", file="whole.yaml")
    with pytest.raises(SettingError, match="kinds, actions, replacing_approved"):
        parse_policy("version: 1\ntrust: {}\nrules: []\nblast_radius: {}\n", file="whole.yaml")


def test_a_whole_policy_has_each_rule_once():
    """Two rows of one id would hide one another."""
    twice = shipped_text() + "  - {id: curation, then: allow, reason: again}\n"
    with pytest.raises(SettingError, match="`curation` occurs twice"):
        parse_policy(twice, file="whole.yaml")


def test_a_policy_file_is_read_from_disk(tmp_path):
    """A user's file on disk is read, and one that is missing, no text or far too large is refused with its path."""
    mine = tmp_path / "mine.yaml"
    mine.write_text("trust: {tool: 0.25}\n", encoding="utf-8")
    assert load_policy(mine).trust[Origin.TOOL] == 0.25
    with pytest.raises(SettingError, match=r"gone\.yaml cannot be read"):
        load_policy(tmp_path / "gone.yaml")
    mine.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingError, match="cannot be read"):
        load_policy(mine)
    mine.write_bytes(b"#" * (1 << 20) + b"#")
    with pytest.raises(SettingError, match="larger than"):
        load_policy(mine)


@given(st.text(max_size=200))
def test_any_text_is_a_policy_or_a_setting_error(text):
    """No text whatever ends in anything but a policy or a SettingError."""
    try:
        policy = over(text)
    except SettingError as error:
        assert "mine.yaml" in str(error)  # noqa: PT017 - both ways out are legal, one of them is an error
    else:
        assert policy.rules


def test_layout_does_not_move_the_hash():
    """Comments and order of keys are no change of policy."""
    assert parse_policy("# a comment\n" + shipped_text(), file="x").hash == shipped_policy().hash


def test_rule_keys_are_in_the_schema():
    """The schema for editors knows every key the loader knows, and no other."""
    schema = files("dopejar.governance.policy").joinpath("policy.schema.json").read_text(encoding="utf-8")
    rule = json.loads(schema)["properties"]["rules"]["items"]
    assert set(rule["properties"]) == set(RULE_KEYS)
    assert set(rule["properties"]["when"]["properties"]) == set(COLUMNS)

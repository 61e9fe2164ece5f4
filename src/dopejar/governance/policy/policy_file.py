"""The policy file: reads the shipped rule table, and a user's own file that overrides parts of it.

Takes: YAML texts. Gives: a checked `Policy` with its hash. Never: accepts an unknown key, or a change to a locked rule.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

from dopejar.errors import SettingError
from dopejar.governance.policy import file_schema
from dopejar.governance.policy.rules import DEFAULT_DENY, Flag, Outcome, Policy, Rule, SaidBy
from dopejar.governance.policy.yaml_tree import YamlEntry, read_tree
from dopejar.values.episode import Origin
from dopejar.values.proposal import Action, Level, Via
from dopejar.values.record import Kind

SHIPPED_NAME: Final = "policy.yaml"
_RESERVED: Final = frozenset({DEFAULT_DENY.id, "approved", "proposer-is-not-approver"})
_MOST_BYTES: Final = 1 << 20


def shipped_text() -> str:
    """The text of the shipped table."""
    return files(__package__).joinpath(SHIPPED_NAME).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def shipped_policy() -> Policy:
    """The policy without a user's changes; read once per process."""
    return parse_policy(shipped_text(), file=SHIPPED_NAME)


def load_policy(override: Path | None = None) -> Policy:
    """The shipped policy with the changes of a user's file. Raises SettingError naming file, line and key."""
    if override is None:
        return shipped_policy()
    return override_policy(shipped_policy(), read_policy_text(override), file=str(override))


def read_policy_text(path: Path) -> str:
    """The text of a policy file, unparsed. Raises SettingError."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise SettingError(f"{path} is larger than {_MOST_BYTES} bytes; no policy is. Give another file.")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as cause:
        raise SettingError(f"The policy file {path} cannot be read ({cause}). Correct it.") from cause


def parse_policy(text: str, file: str) -> Policy:
    """A whole policy from one text, which must have every part. Raises SettingError naming line and key."""
    tree = read_tree(text, file).mapping(file_schema.TOP_KEYS)
    for key in file_schema.TOP_KEYS:
        if key not in tree:
            raise SettingError(f"{file}: `{key}` is missing. A whole policy has {', '.join(file_schema.TOP_KEYS)}.")
    _check_version(tree["version"])
    blast = tree["blast_radius"].mapping(file_schema.BLAST_KEYS)
    for key in file_schema.BLAST_KEYS:
        if key not in blast:
            raise tree["blast_radius"].wrong(", ".join(file_schema.BLAST_KEYS))
    rules: list[Rule] = []
    for entry in tree["rules"].items():
        rule = _new_rule(entry)
        if any(rule.id == other.id for other in rules):
            raise SettingError(f"{file}, line {entry.line}: the rule `{rule.id}` occurs twice. Keep one of them.")
        rules.append(rule)
    return _with_hash(
        Policy(
            rules=tuple(rules),
            trust=_trust(tree["trust"]),
            blast_of_kind=_blast_of_kind(blast["kinds"]),
            blast_of_action=_blast_of_action(blast["actions"]),
            blast_of_replacing_approved=Level(blast["replacing_approved"].word(file_schema.RADII)),
            hash="",
        )
    )


def override_policy(policy: Policy, text: str, file: str) -> Policy:
    """The policy with the changes of a user's text. Raises SettingError naming line and key.

    Numbers and levels replace those of the same name. A rule with a known id replaces the keys it gives and keeps its
    place; `enabled: false` removes it; a new rule goes before the one that `before` names. Locked rules stay, and no
    new rule goes before one.
    """
    tree = read_tree(text, file).mapping(file_schema.TOP_KEYS)
    if "version" in tree:
        _check_version(tree["version"])
    changed = replace(
        policy,
        rules=_changed_rules(policy.rules, tree["rules"].items() if "rules" in tree else []),
        trust=_merge(policy.trust, _trust(tree["trust"]) if "trust" in tree else {}),
    )
    if "blast_radius" in tree:
        changed = _with_blast(changed, tree["blast_radius"].mapping(file_schema.BLAST_KEYS))
    return _with_hash(changed)


def policy_hash(policy: Policy) -> str:
    """The SHA-256 (hex) over everything in a policy that can change a verdict, so not over layout and comments."""
    content = {
        "trust": {key.value: policy.trust[key] for key in sorted(policy.trust)},
        "kinds": {key.value: policy.blast_of_kind[key].value for key in sorted(policy.blast_of_kind)},
        "actions": {key.value: policy.blast_of_action[key].value for key in sorted(policy.blast_of_action)},
        "replacing_approved": policy.blast_of_replacing_approved.value,
        "rules": [rule_as_json(rule) for rule in policy.rules],
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def rule_as_json(rule: Rule) -> dict[str, file_schema.Json]:
    """A rule as JSON, with sorted words and without the columns that match anything."""
    row: dict[str, file_schema.Json] = {"id": rule.id, "then": rule.outcome.value}
    for name in file_schema.WORD_COLUMNS:
        words: frozenset[str] | None = getattr(rule, name)
        if words:
            row[name] = [str(word) for word in sorted(words)]
    if rule.source_quality_below is not None:
        row[file_schema.QUALITY_COLUMN] = {level.value: limit for level, limit in rule.source_quality_below.items()}
    for name in file_schema.NUMBER_COLUMNS:
        number: float | None = getattr(rule, name)
        if number is not None:
            row[name] = number
    row["reason"] = rule.reason
    row["approver"] = rule.approver
    row["locked"] = rule.is_locked
    return row


def _with_hash(policy: Policy) -> Policy:
    return replace(policy, hash=policy_hash(policy))


def _check_version(entry: YamlEntry) -> None:
    if entry.value != file_schema.VERSION or isinstance(entry.value, bool):
        raise entry.wrong(str(file_schema.VERSION))


_K = TypeVar("_K")
_V = TypeVar("_V")


def _merge(old: Mapping[_K, _V], new: Mapping[_K, _V]) -> Mapping[_K, _V]:
    return MappingProxyType({**old, **new})


def _trust(entry: YamlEntry) -> Mapping[Origin, float]:
    values = entry.mapping(file_schema.ORIGINS)
    return MappingProxyType({Origin(name): value.number() for name, value in values.items()})


def _blast_of_kind(entry: YamlEntry) -> Mapping[Kind, Level]:
    values = entry.mapping(file_schema.KINDS)
    return MappingProxyType({Kind(name): Level(value.word(file_schema.RADII)) for name, value in values.items()})


def _blast_of_action(entry: YamlEntry) -> Mapping[Action, Level]:
    values = entry.mapping(file_schema.ACTIONS)
    return MappingProxyType({Action(name): Level(value.word(file_schema.RADII)) for name, value in values.items()})


def _with_blast(policy: Policy, blast: Mapping[str, YamlEntry]) -> Policy:
    if "kinds" in blast:
        policy = replace(policy, blast_of_kind=_merge(policy.blast_of_kind, _blast_of_kind(blast["kinds"])))
    if "actions" in blast:
        policy = replace(policy, blast_of_action=_merge(policy.blast_of_action, _blast_of_action(blast["actions"])))
    if "replacing_approved" in blast:
        radius = Level(blast["replacing_approved"].word(file_schema.RADII))
        policy = replace(policy, blast_of_replacing_approved=radius)
    return policy


def _rule_id(entry: YamlEntry) -> tuple[str, dict[str, YamlEntry]]:
    keys = entry.mapping(file_schema.RULE_KEYS)
    if "id" not in keys:
        raise SettingError(f"{entry.file}, line {entry.line}: this rule has no `id`. Give it one, such as my-rule.")
    rule_id = keys["id"].word()
    if not re.fullmatch(file_schema.ID_PATTERN, rule_id):
        raise keys["id"].wrong("lowercase letters, digits and hyphens, starting with a letter")
    return rule_id, keys


def _new_rule(entry: YamlEntry) -> Rule:
    rule_id, keys = _rule_id(entry)
    if rule_id in _RESERVED:
        raise keys["id"].wrong(f"an id other than {', '.join(sorted(_RESERVED))}")
    for key in ("then", "reason"):
        if key not in keys:
            raise SettingError(f"{entry.file}, line {entry.line}: the rule `{rule_id}` has no `{key}`. Add it.")
    blank = Rule(id=rule_id, outcome=Outcome.REFUSE, reason="")
    return _with_keys(blank, keys)


def _with_keys(rule: Rule, keys: Mapping[str, YamlEntry]) -> Rule:
    """The rule with the keys of an entry; `when` is replaced as a whole."""
    if "when" in keys:
        bare = Rule(id=rule.id, outcome=rule.outcome, reason=rule.reason, approver=rule.approver)
        rule = _with_columns(bare, keys["when"])
    if "then" in keys:
        rule = replace(rule, outcome=Outcome(keys["then"].word(file_schema.OUTCOMES)))
    if "reason" in keys:
        rule = replace(rule, reason=keys["reason"].word().rstrip("."))
    if "approver" in keys:
        rule = replace(rule, approver=keys["approver"].word(file_schema.APPROVERS))
    if "locked" in keys:
        rule = replace(rule, is_locked=keys["locked"].switch())
    return rule


def _with_columns(rule: Rule, when: YamlEntry) -> Rule:
    columns = when.mapping(file_schema.COLUMNS)

    def words(name: str) -> tuple[str, ...] | None:
        return columns[name].words(file_schema.WORD_COLUMNS[name]) if name in columns else None

    def number(name: str) -> float | None:
        return columns[name].number() if name in columns else None

    said_by, via, action, kind = words("said_by"), words("via"), words("action"), words("kind")
    conflict, curated_away = words("conflict"), words("curated_away")
    return replace(
        rule,
        said_by=None if said_by is None else frozenset(map(SaidBy, said_by)),
        via=None if via is None else frozenset(map(Via, via)),
        action=None if action is None else frozenset(map(Action, action)),
        kind=None if kind is None else frozenset(map(Kind, kind)),
        conflict=None if conflict is None else frozenset(map(Level, conflict)),
        curated_away=None if curated_away is None else frozenset(curated_away),
        has=frozenset(map(Flag, words("has") or ())),
        lacks=frozenset(map(Flag, words("lacks") or ())),
        source_quality_below=_quality(columns.get(file_schema.QUALITY_COLUMN)),
        alignment_below=number("alignment_below"),
        confidence_below=number("confidence_below"),
        confidence_from=number("confidence_from"),
    )


def _quality(entry: YamlEntry | None) -> Mapping[Level, float] | None:
    if entry is None:
        return None
    values = entry.mapping(file_schema.RADII)
    if set(values) != set(file_schema.RADII):
        raise entry.wrong(f"a number for each of {', '.join(file_schema.RADII)}")
    return MappingProxyType({Level(name): value.number() for name, value in values.items()})


def _changed_rules(shipped: tuple[Rule, ...], entries: list[YamlEntry]) -> tuple[Rule, ...]:
    rules = list(shipped)
    seen: set[str] = set()
    for entry in entries:
        rule_id, keys = _rule_id(entry)
        if rule_id in seen:
            raise SettingError(f"{entry.file}, line {entry.line}: the rule `{rule_id}` occurs twice. Keep one of them.")
        seen.add(rule_id)
        if "locked" in keys:
            raise SettingError(f"{entry.file}, line {entry.line}: only shipped rules can be `locked`. Remove the key.")
        place = next((index for index, rule in enumerate(rules) if rule.id == rule_id), None)
        if place is None:
            _insert_rule(rules, entry, keys)
        else:
            _change_rule(rules, place, entry, keys)
    return tuple(rules)


def _change_rule(rules: list[Rule], place: int, entry: YamlEntry, keys: Mapping[str, YamlEntry]) -> None:
    rule = rules[place]
    if rule.is_locked:
        raise SettingError(
            f"{entry.file}, line {entry.line}: the rule `{rule.id}` is locked and cannot be changed. Remove this entry."
        )
    if "before" in keys:
        raise SettingError(
            f"{keys['before'].file}, line {keys['before'].line}: `{rule.id}` keeps its place. Remove `before`, "
            "or write a new rule."
        )
    if "enabled" in keys and not keys["enabled"].switch():
        del rules[place]
    else:
        rules[place] = _with_keys(rule, keys)


def _insert_rule(rules: list[Rule], entry: YamlEntry, keys: Mapping[str, YamlEntry]) -> None:
    rule = _new_rule(entry)
    if "before" not in keys:
        raise SettingError(
            f"{entry.file}, line {entry.line}: no shipped rule is called `{rule.id}`. "
            "Correct the id, or place a new rule with `before: ID`."
        )
    before = keys["before"].word()
    if before == DEFAULT_DENY.id:
        rules.append(rule)
        return
    place = next((index for index, other in enumerate(rules) if other.id == before), None)
    if place is None:
        raise keys["before"].wrong(f"the id of a rule ({', '.join(other.id for other in rules)})")
    if any(other.is_locked for other in rules[place:]):
        raise keys["before"].wrong("a rule behind the locked ones")
    if "enabled" not in keys or keys["enabled"].switch():
        rules.insert(place, rule)

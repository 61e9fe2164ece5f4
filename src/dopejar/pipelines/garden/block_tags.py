"""Tags of a block: which of its facts hold for the whole block, or for a range of its turns, and the rest.

Takes: the facts of a block, as they were read, and the texts of its turns. Gives: tags, section rules, and the facts
that are neither. Never: reads a fact anew; the reader said already what it is.

A tool or system of the environment tags the block, or the turns until it was replaced. What forbids or mandates holds
from its turn until a turn permits the same thing; an alias, until its name gets another meaning. What is deprecated
marks the turns that name it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from dopejar.pipelines.garden.block_fact import BlockFact, FactCategory, tag_cues
from dopejar.pipelines.garden.topic_shift import read_terms
from dopejar.text.normalisation import fold
from dopejar.text.sentences import sentences

_BUT: Final = re.compile(r"\b(?:only|except|unless|but|as long as)\b")
_DENIED: Final = re.compile(r"(?:\b(?:not|never|no|nobody|if|whether)|n't)(?: \w+)?[ ,]*$")
_WHOLE_OBJECT: Final = 3  # words that what is forbidden may have in a short tag


class RuleKind(StrEnum):
    """What a section rule says about its turns."""

    CONSTRAINT = "constraint"
    ALIAS = "alias"
    DEPRECATED = "deprecated"
    STATED = "stated"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, kw_only=True, slots=True)
class SectionRule:
    """A rule for the turns from `start_turn` to `end_turn` of a block, 0-based and both included.

    A deprecation, and a definition that is no pair of names, mark of these turns those that hold all its `terms`.
    """

    start_turn: int
    end_turn: int
    rule: str
    kind: RuleKind
    terms: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """The rule in front of a line that it governs."""
        return "DEPRECATED" if self.kind is RuleKind.DEPRECATED else self.rule

    def governs(self, turn: int, text: str) -> bool:
        """Whether the rule holds for this turn, which says this."""
        return self.start_turn <= turn <= self.end_turn and (
            self.kind is RuleKind.CONSTRAINT or self.terms <= read_terms(text)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockTags:
    """The tags of a whole block, its section rules in the order of their turns, and the facts for dossiers.

    `sentences` are those of the tags that are a fact in its own words. Such a fact is for a dossier as well.
    """

    global_tags: tuple[str, ...] = ()
    sentences: frozenset[str] = frozenset()
    section_rules: tuple[SectionRule, ...] = ()
    other_facts: tuple[BlockFact, ...] = ()

    @property
    def context_tags(self) -> tuple[str, ...]:
        """The tags that every quoted turn of the block comes with; a whole fact is found by its own words."""
        return tuple(tag for tag in self.global_tags if tag not in self.sentences)

    @property
    def count(self) -> int:
        """How many tags and rules there are."""
        return len(self.global_tags) + len(self.section_rules)


def tag_block(facts: Sequence[BlockFact], turns: Sequence[str]) -> BlockTags:
    """Tag a block by the three heuristics: environment, constraint, definition. `turns` are the texts of its turns."""
    last = max([len(turns) - 1, *(fact.turn for fact in facts)], default=0)
    tags, rules, others = list[str](), list[SectionRule](), list[BlockFact]()
    sentences = set[str]()
    for fact in sorted(facts, key=lambda fact: fact.turn):
        found, named, sentence = _section_rules(fact, last), _global_tags(fact), _sentence_tag(fact)
        for rule in found:
            rules = [_ended_by(earlier, rule) for earlier in rules]
            rules += [] if any(_same(earlier, rule) for earlier in rules) else [_until_permitted(rule, turns)]
        if not found and not named:
            others.append(fact)
            if sentence:
                named, sentences = (sentence,), sentences | {sentence}
        tags += [tag for tag in named if tag not in tags]
    return BlockTags(
        global_tags=tuple(tags),
        sentences=frozenset(sentences),
        section_rules=tuple(rules),
        other_facts=tuple(others),
    )


def _global_tags(fact: BlockFact) -> tuple[str, ...]:
    """The tags that a fact gives the whole block: about its environment, where no later turn replaced it."""
    if fact.last_turn is not None or not fact.is_held or _deprecated(fact.text):
        return ()
    if fact.stated:
        return (fact.stated,)
    return environment_tags(fact.text) if _is_environment(fact) else ()


def _sentence_tag(fact: BlockFact) -> str:
    """The tag in its own words that a fact about the environment gives the block, where it names nothing of it."""
    words = fact.text.strip().rstrip(".!")
    is_held = fact.last_turn is None and fact.is_held and not _deprecated(words)
    return f"env: {words}" if words and is_held and not fact.stated and _is_environment(fact) else ""


def _is_environment(fact: BlockFact) -> bool:
    return fact.category is FactCategory.ENVIRONMENT and fact.alias is None and not fact.defines


def _section_rules(fact: BlockFact, last: int) -> tuple[SectionRule, ...]:
    """The rules that a fact sets from its turn to the last one that it holds for; none where it sets none."""
    if fact.last_turn is not None and not fact.stated and _is_environment(fact):
        end = max(fact.turn, min(last, fact.last_turn))
        return tuple(
            SectionRule(start_turn=fact.turn, end_turn=end, rule=tag, kind=RuleKind.ENVIRONMENT)
            for tag in environment_tags(fact.text)
        )
    rule = _section_rule(fact, last)
    return (rule,) if rule else ()


def _section_rule(fact: BlockFact, last: int) -> SectionRule | None:
    """The rule that a fact sets from its turn to the last one, if it sets any."""
    if fact.stated:
        return None if fact.last_turn is None else _stated_rule(fact, min(last, fact.last_turn))
    if terms := _deprecated(fact.text):
        return SectionRule(
            start_turn=0, end_turn=last, rule=f"deprecated: {terms}", kind=RuleKind.DEPRECATED, terms=read_terms(terms)
        )
    if fact.alias is not None:
        rule, kind, terms = f"{fact.alias[1]}={fact.alias[0]}", RuleKind.ALIAS, ""
    elif fact.defines:
        rule, kind, terms = fact.text.strip().rstrip("."), RuleKind.ALIAS, fact.defines
    elif fact.category is FactCategory.CONSTRAINT and not _permits(fact.text):
        rule, kind, terms = constraint_tag(fact.text), RuleKind.CONSTRAINT, _forbidden(fact.text) or fact.text
    else:
        return None
    return SectionRule(start_turn=fact.turn, end_turn=last, rule=rule, kind=kind, terms=read_terms(terms))


def _stated_rule(fact: BlockFact, last: int) -> SectionRule:
    kind = RuleKind.ALIAS if "=" in fact.stated else RuleKind.STATED
    return SectionRule(start_turn=fact.turn, end_turn=max(fact.turn, last), rule=fact.stated, kind=kind)


def _same(earlier: SectionRule, rule: SectionRule) -> bool:
    return earlier.rule == rule.rule and earlier.end_turn >= rule.start_turn


def _name(rule: SectionRule) -> str:
    return rule.rule.rpartition("=")[2].casefold()


def _ended_by(earlier: SectionRule, rule: SectionRule) -> SectionRule:
    """The earlier rule, ended where the same name gets another meaning."""
    is_renamed = earlier.kind is rule.kind is RuleKind.ALIAS and _name(earlier) == _name(rule)
    if not is_renamed or earlier.rule == rule.rule or earlier.end_turn < rule.start_turn:
        return earlier
    return replace(earlier, end_turn=max(earlier.start_turn, rule.start_turn - 1))


def _until_permitted(rule: SectionRule, turns: Sequence[str]) -> SectionRule:
    """The constraint, ended before the first later turn that permits what it forbids."""
    if rule.kind is not RuleKind.CONSTRAINT:
        return rule
    for place in range(rule.start_turn + 1, min(rule.end_turn + 1, len(turns))):
        if any(rule.terms <= read_terms(piece) for piece in _permissions(turns[place])):
            return replace(rule, end_turn=place - 1)
    return rule


def _permissions(text: str) -> list[str]:
    """The sentences of a text that permit something."""
    if not tag_cues()["permission"].search(fold(text)):
        return []
    return [piece.text for piece in sentences(text) if _permits(piece.text)]


def _permits(text: str) -> bool:
    """Whether a sentence permits something, without denying, asking, or keeping it to some cases."""
    plain = fold(text).replace("’", "'")
    found = tag_cues()["permission"].search(plain)
    return (
        found is not None and "?" not in plain and not _BUT.search(plain) and not _DENIED.search(plain[: found.start()])
    )


def environment_tags(text: str) -> tuple[str, ...]:
    """The tags of a fact about the environment, none where it names nothing of it.

    `os: windows`, `env: python-3.9`, one for each system or tool; else what it gives a part of a system:
    `env: broker = port 5673`.
    """
    from dopejar.pipelines.garden.named_values import (
        place_given,
        tools_named,
        value_given,
    )  # loaded where a block has such facts

    plain = fold(text)
    tools = [tool for tool in tools_named(text) if tool.family != "operating_system"]
    tags = [f"env: {'-'.join(filter(None, (fold(tool.name).replace(' ', '-'), tool.value)))}" for tool in tools]
    for found in tag_cues()["operating_systems"].finditer(plain):
        version = re.match(r" v?(\d+(?:\.\d+)*)\b", plain[found.end() :])
        tags.append(f"os: {found[0].replace(' ', '-')}{'-' + version[1] if version else ''}")
    if not tags and (given := value_given(text, of_systems=True) or place_given(text)):
        tags = [f"env: {given.name} = {given.value}"]
    return tuple(dict.fromkeys(tags))


def constraint_tag(text: str) -> str:
    """The tag of a rule: `no-eval` where it forbids one thing, else the whole rule; a cut rule is a wrong one."""
    forbidden = _forbidden(text)
    return f"no-{'-'.join(forbidden.split())}" if forbidden else text.strip().rstrip(".!")


def _forbidden(text: str) -> str:
    """The one thing that a sentence forbids, in a few words; "" where it forbids more, or something else."""
    plain = fold(text).strip(" .!")
    found = tag_cues()["prohibition"].match(plain)
    if found is None or not ("us" in found[0] or found[0] in {"no", "avoid"}):
        return ""
    thing = re.sub(r"\(\)|[\"`'“”]", "", plain[found.end() :]).strip()
    words = re.sub(r"^(?:the|a|an|any) ", "", thing).split()
    return (
        " ".join(words) if 0 < len(words) <= _WHOLE_OBJECT and all(re.fullmatch(r"[\w.+#-]+", w) for w in words) else ""
    )


def _deprecated(text: str) -> str:
    """What a sentence says to be out of use; "" where it says no such thing."""
    plain = fold(text).strip()
    found = tag_cues()["deprecation"].search(plain)
    return (
        re.sub(r"^(?:the|our|my|this|that|der|die|das|el|la|le) ", "", plain[: found.start()]).strip(" ,")
        if found
        else ""
    )

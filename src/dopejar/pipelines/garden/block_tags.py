"""Tags of a block: which of its facts hold for the whole block, or for a range of its turns, and the rest.

Takes: the facts of a block, as they were read, and the texts of its turns. Gives: tags, section rules, and the facts
that are neither. Never: reads a fact anew; the reader said already what it is.

A fact about the environment tags the block. What forbids or mandates holds from its turn until a turn permits the same
thing; an alias, until its name gets another meaning. What is deprecated marks the turns that name it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from typing import Final, Protocol

from dopejar.errors import InputError
from dopejar.pipelines.garden.topic_shift import read_terms
from dopejar.text.lexicons import joined
from dopejar.text.normalisation import fold
from dopejar.text.sentences import sentences
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.record import DIRECTING, ENVIRONMENT_TAG, Kind, Layer, Record, Sublayer

_VERSIONED: Final = re.compile(r"\b([A-Za-z][\w+#]*(?:\.js)?)[ -]?v?(\d+(?:\.\d+)*)\b")
_ACRONYM: Final = re.compile(r"[A-Z][A-Z0-9]{1,5}")
_CALL: Final = re.compile(
    r"^(?:[Pp]lease )?[Cc]all (?:the |my |our )?(?P<meaning>.+?) [\"“']?(?P<name>[A-Z][\w .-]*?)[\"”']?$"
)
_BETWEEN: Final = r"\w*(?:\W+\w+){0,2}?[\W_]+"
_REDACTED: Final = "[redacted:"
_WHOLE_OBJECT: Final = 3  # words that what is forbidden may have in a short tag
_NAMES: Final = ("operating_systems", "prohibition", "permission", "deprecation")


class FactCategory(StrEnum):
    """What sort of fact a record states."""

    DEFINITION = "definition"
    ACRONYM = "acronym"
    SECRET = "secret"  # noqa: S105 - the name of a category
    ENTITY = "entity"
    TASK = "task"
    ENVIRONMENT = "environment"
    CONSTRAINT = "constraint"
    PREFERENCE = "preference"


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockFact:
    """A fact that was stated in a block: its words, the 0-based index of its turn there, and what it rests on.

    `snippet` are the words of the turn. `alias` is the name and what it means, where the fact gives one.
    """

    text: str
    category: FactCategory
    turn: int
    snippet: str = ""
    at: datetime | None = None
    confidence: float = 1.0
    record_id: RecordId | None = None
    episode_id: EpisodeId | None = None
    alias: tuple[str, str] | None = None


class RuleKind(StrEnum):
    """What a section rule says about its turns."""

    CONSTRAINT = "constraint"
    ALIAS = "alias"
    DEPRECATED = "deprecated"


@dataclass(frozen=True, kw_only=True, slots=True)
class SectionRule:
    """A rule for the turns from `start_turn` to `end_turn` of a block, 0-based and both included.

    A deprecation marks, of these turns, those that hold all its `terms`.
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
            self.kind is not RuleKind.DEPRECATED or self.terms <= read_terms(text)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockTags:
    """The tags of a whole block, its section rules in the order of their turns, and the facts that are neither."""

    global_tags: tuple[str, ...] = ()
    section_rules: tuple[SectionRule, ...] = ()
    other_facts: tuple[BlockFact, ...] = ()

    @property
    def count(self) -> int:
        """How many tags and rules there are."""
        return len(self.global_tags) + len(self.section_rules)


class Classified(Protocol):
    """A statement with the labels of its reader: a record, or an atom that is none yet."""

    @property
    def text(self) -> str:
        """Its words."""
        ...

    @property
    def kind(self) -> Kind:
        """Its kind."""
        ...

    @property
    def layer(self) -> Layer:
        """Its first coordinate."""
        ...

    @property
    def sublayer(self) -> Sublayer:
        """Its second coordinate."""
        ...

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""
        ...


def categorise(record: Classified) -> FactCategory:
    """What sort of fact a record states, as its reader saw it."""
    if _REDACTED in record.text:
        return FactCategory.SECRET
    if record.kind is Kind.ALIAS:
        alias = read_alias(record) if isinstance(record, Record) else None
        return FactCategory.ACRONYM if alias and _ACRONYM.fullmatch(alias[0]) else FactCategory.DEFINITION
    if record.sublayer is Sublayer.PREFERENCE:
        return FactCategory.PREFERENCE
    if record.sublayer is Sublayer.GOAL:
        return FactCategory.TASK
    if record.layer is Layer.INTENT or record.kind in DIRECTING or record.sublayer is Sublayer.CONSTRAINT:
        return FactCategory.CONSTRAINT
    return FactCategory.ENVIRONMENT if ENVIRONMENT_TAG in record.tags else FactCategory.ENTITY


def read_alias(record: Record) -> tuple[str, str] | None:
    """The name that a record gives, as it is written there, and what it means; None where it gives none."""
    if record.slot.startswith("alias."):
        name, meaning = record.slot.removeprefix("alias."), record.value[1:]
        return _as_written(name, record.text), _as_written(meaning, record.text)
    return None


def _as_written(concept: str, text: str) -> str:
    """The words of a concept as they stand in a text, where up to two small words may part them."""
    words = _BETWEEN.join(map(re.escape, re.split(r"[-_ ]", concept)))
    found = re.search(rf"\b{words}\w*", text, re.IGNORECASE)
    return found[0] if found else concept


def tag_block(facts: Sequence[BlockFact], turns: Sequence[str]) -> BlockTags:
    """Tag a block by the three heuristics: environment, constraint, definition. `turns` are the texts of its turns."""
    last = max([len(turns) - 1, *(fact.turn for fact in facts)], default=0)
    tags, rules, others = list[str](), list[SectionRule](), list[BlockFact]()
    for fact in sorted(facts, key=lambda fact: fact.turn):
        if rule := _section_rule(fact, last):
            rules = [_ended_by(earlier, rule) for earlier in rules]
            rules += [] if any(_same(earlier, rule) for earlier in rules) else [_until_permitted(rule, turns)]
        elif fact.category is FactCategory.ENVIRONMENT and (tag := environment_tag(fact.text)):
            tags += [] if tag in tags else [tag]
        else:
            others.append(fact)
    return BlockTags(global_tags=tuple(tags), section_rules=tuple(rules), other_facts=tuple(others))


def _section_rule(fact: BlockFact, last: int) -> SectionRule | None:
    """The rule that a fact sets from its turn to the last one, if it sets any."""
    if terms := _deprecated(fact.text):
        return SectionRule(
            start_turn=0, end_turn=last, rule=f"deprecated: {terms}", kind=RuleKind.DEPRECATED, terms=read_terms(terms)
        )
    alias = fact.alias or _called(fact.text)
    if alias is not None:
        name, meaning = alias
        rule, kind, terms = f"{meaning}={name}", RuleKind.ALIAS, name
    elif fact.category is FactCategory.CONSTRAINT:
        rule, kind, terms = constraint_tag(fact.text), RuleKind.CONSTRAINT, _forbidden(fact.text) or fact.text
    else:
        return None
    return SectionRule(start_turn=fact.turn, end_turn=last, rule=rule, kind=kind, terms=read_terms(terms))


def _called(text: str) -> tuple[str, str] | None:
    found = _CALL.match(text.strip().rstrip(".!"))
    return (found["name"], found["meaning"]) if found else None


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
    pattern = _patterns()["permission"]
    if not pattern.search(fold(text)):
        return []
    return [piece.text for piece in sentences(text) if pattern.search(fold(piece.text)) and "?" not in piece.text]


def environment_tag(text: str) -> str:
    """The tag of a fact about the environment: `os: windows`, `env: python-3.9`, or `env: ` and the whole fact."""
    plain = fold(text)
    if found := _patterns()["operating_systems"].search(plain):
        version = re.match(r" v?(\d+(?:\.\d+)*)\b", plain[found.end() :])
        return f"os: {found[0].replace(' ', '-')}{'-' + version[1] if version else ''}"
    named = _VERSIONED.findall(text)
    if len(named) == 1 and named[0][0].lower() not in {"port", "to", "on", "at", "in", "version", "is", "has", "of"}:
        return f"env: {named[0][0].lower()}-{named[0][1]}"
    return f"env: {text.strip().rstrip('.')}"


def constraint_tag(text: str) -> str:
    """The tag of a rule: `no-eval` where it forbids one thing, else the whole rule; a cut rule is a wrong one."""
    forbidden = _forbidden(text)
    return f"no-{'-'.join(forbidden.split())}" if forbidden else text.strip().rstrip(".!")


def _forbidden(text: str) -> str:
    """The one thing that a sentence forbids, in a few words; "" where it forbids more, or something else."""
    plain = fold(text).strip(" .!")
    found = _patterns()["prohibition"].match(plain)
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
    found = _patterns()["deprecation"].search(plain)
    return (
        re.sub(r"^(?:the|our|my|this|that|der|die|das|el|la|le) ", "", plain[: found.start()]).strip(" ,")
        if found
        else ""
    )


@lru_cache(maxsize=1)
def _patterns() -> Mapping[str, re.Pattern[str]]:
    with files("dopejar.pipelines.garden").joinpath("data", "tag_cues.toml").open("rb") as stream:
        lists = tomllib.load(stream)
    if missing := [name for name in _NAMES if not isinstance(lists.get(name), list)]:
        raise InputError(f"The data file `tag_cues.toml` has no list {missing[0]!r}. Reinstall the program.")
    return {
        name: re.compile(rf"(?<![\w'-])(?:{joined([fold(entry) for entry in lists[name]])})(?![\w'])")
        for name in _NAMES
    }

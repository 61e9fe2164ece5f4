"""Revisions of policies: what a statement says of a policy, a limit or a quota, and which of several statements holds.

Takes: texts about one subject, oldest first. Gives: for each whether it is in force, superseded or planned. Never:
compares the policies of two subjects, or takes a lower number for the later revision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from dopejar.text.normalisation import fold
from dopejar.text.words import index_terms, stem

_NOUN: Final = re.compile(
    r"(?P<before>(?:[\w'-]+ ){0,3})\b"
    r"(?P<noun>polic(?:y|ies)|limit|quota|cap|ceiling|threshold|allowance|budget|retention|sla)\b"
    r"(?: (?:period|rule))?(?: (?:on|for|of) (?:the |our |all |every )?(?P<after>[\w-]+))?"
)
_NUMBER: Final = r"(?:(?:policy )?(?:revision|version|rev|ver|v)\.? ?#?|policy #?)(\d{1,4})\b(?!\.\d)"
_NUMBERED: Final = re.compile(rf"\b{_NUMBER}")
_REPLACED: Final = re.compile(
    rf"\b(?:replac\w+|supersed\w+|overrid\w+|retir\w+|instead of|in place of|revok\w+|withdr\w+|rescind\w+|repeal\w+) "
    rf"(?:the |our |old |previous )*{_NUMBER}"
)
_REVOKED: Final = re.compile(
    rf"\b{_NUMBER}(?: of [\w ]{{1,40}}?)? (?:is|was|has been|got) "
    r"(?:revoked|withdrawn|rescinded|repealed|scrapped|retired)"
)
_PLANNED: Final = re.compile(
    r"\b(?:drafts?|drafted|proposed|proposes|proposal|propose|consider\w*|might|could|would|may become|if|perhaps|maybe"
    r"|not yet|under discussion|rejected|never adopted)\b"
)
_PAST: Final = re.compile(
    r"\b(?:used to|previously|formerly|originally|back (?:then|in)|at the time"
    r"|under (?:the )?(?:revision|version|policy|v)\b.* (?:was|were))\b"
)
_RATE: Final = re.compile(r"\d[\d.,]* .*\bper \w+")
_WORDS: Final = """
the a an our my its this that new current latest old each every per of for on in by at to and is now under with from
revision version rev ver policy rule raised set maximum total
"""
_EMPTY: Final = frozenset(map(stem, _WORDS.split()))
_MEASURES: Final = frozenset(
    map(stem, ("policy", "policies", "limit", "quota", "cap", "ceiling", "threshold", "allowance", "budget"))
)


class Standing(StrEnum):
    """How a statement stands among the others about its subject."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    PLANNED = "planned"
    REMOVED = "removed"


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyMention:
    """What a statement says of a policy: its topic, the revision it states, and those that it takes out of force.

    `is_limit`: it gives a limit, a quota or a rate.
    """

    topic: frozenset[str]
    is_limit: bool = False
    number: int | None = None
    ended: frozenset[int] = frozenset()
    is_planned: bool = False
    is_past: bool = False


def read_policy(text: str, names: Iterable[str] = ()) -> PolicyMention | None:
    """The policy that a statement about a subject with these names is about; None where it is about none."""
    plain = fold(text)
    ended = frozenset(int(found[1]) for pattern in (_REPLACED, _REVOKED) for found in pattern.finditer(plain))
    numbers = [int(found[1]) for found in _NUMBERED.finditer(plain)]
    noun = _NOUN.search(plain)
    if noun is None and not (numbers and "revision" in plain):
        return None
    own = {part for name in names for part in index_terms(name.replace("-", " "))}
    words = f"{noun['before']} {noun['noun']} {noun['after'] or ''}".split() if noun else []
    topic = {term for word in words if word.isalpha() for term in index_terms(word)} - own - _EMPTY
    return PolicyMention(
        topic=frozenset(topic - _MEASURES),
        is_limit=_RATE.search(plain) is not None or (noun is not None and stem(noun["noun"]) in _MEASURES - {"polici"}),
        number=next((number for number in numbers if number not in ended), None),
        ended=ended,
        is_planned=_PLANNED.search(plain) is not None,
        is_past=_PAST.search(plain) is not None,
    )


@dataclass(slots=True)
class _Policy:
    """One policy while its mentions are read: its topic, the highest number so far, the place of what is current."""

    topic: frozenset[str]
    is_limit: bool
    number: int | None = None
    current: int | None = None

    def is_meant_by(self, mention: PolicyMention) -> bool:
        """Whether a mention is about this policy: the topics are the same, or a number says so where one has more."""
        is_numbered = self.number is not None and (mention.number is not None or bool(mention.ended))
        if self.topic == mention.topic:
            return is_numbered or self.is_limit == mention.is_limit
        smaller, larger = sorted((self.topic, mention.topic), key=len)
        return smaller <= larger and is_numbered


def stand(mentions: Sequence[PolicyMention | None]) -> tuple[Standing, ...]:
    """How each statement stands, oldest first: of one policy one revision is current, the newest that is in force.

    A statement about no policy is current. A number decides over the time; where one of two has none, the time decides.
    """
    standing = [Standing.CURRENT] * len(mentions)
    policies: list[_Policy] = []
    for place, mention in enumerate(mentions):
        if mention is None:
            continue
        if mention.is_planned:
            standing[place] = Standing.PLANNED
            continue
        policy = next((one for one in reversed(policies) if one.is_meant_by(mention)), None)
        if policy is None:
            policy = _Policy(mention.topic, mention.is_limit)
            policies.append(policy)
        _take(policy, mention, place, standing)
    return tuple(standing)


def _take(policy: _Policy, mention: PolicyMention, place: int, standing: list[Standing]) -> None:
    """Count a mention: it takes the place of the current one, is older than that, or only ends a revision."""
    policy.topic |= mention.topic
    if mention.number is None and mention.ended and not mention.topic:
        if policy.current is not None and policy.number in mention.ended:
            standing[policy.current], policy.current = Standing.SUPERSEDED, None
        return
    is_older = mention.number is not None and policy.number is not None and mention.number < policy.number
    if is_older or mention.is_past:
        standing[place] = Standing.SUPERSEDED
        return
    if policy.current is not None:
        standing[policy.current] = Standing.SUPERSEDED
    policy.current = place
    policy.number = max((mention.number or 0, policy.number or 0, *mention.ended)) or None

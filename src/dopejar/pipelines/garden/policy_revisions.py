"""Revisions of policies: which of several statements about a policy, a limit or a quota holds.

Takes: what statements about one subject say of policies, oldest first. Gives: for each whether it is in force,
superseded or planned. Never: compares the policies of two subjects, or takes a lower number for the later revision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dopejar.text.policies import PolicyMention


class Standing(StrEnum):
    """How a statement stands among the others about its subject."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    PLANNED = "planned"
    REMOVED = "removed"


@dataclass(slots=True)
class _Policy:
    """One policy while its mentions are read: its topic, the highest number so far, the place of what is current."""

    topic: frozenset[str]
    noun: str
    is_limit: bool
    number: int | None = None
    current: int | None = None

    def is_meant_by(self, mention: PolicyMention) -> bool:
        """Whether a mention is about this policy: the topics are the same, or a number says so where one has more.

        Without topics, a budget is not meant by a limit, nor what has no noun by anything.
        """
        is_numbered = self.number is not None and (mention.number is not None or bool(mention.ended))
        if self.topic == mention.topic:
            is_same = bool(self.topic) or (bool(self.noun) and self.noun == mention.noun)
            return is_numbered or (is_same and self.is_limit == mention.is_limit)
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
            policy = _Policy(mention.topic, mention.noun, mention.is_limit)
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

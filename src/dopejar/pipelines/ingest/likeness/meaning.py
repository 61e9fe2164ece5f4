"""How near in meaning two statements are, where vectors are at hand: what is weighed, and what forbids.

Takes: statements taken apart, and the cosines of their texts. Gives: the traits of a comparison and how likely they
make it that both say one thing, or the contradiction that forbids it. Never: decides; `same` does.

A contradiction needs both sides: a number, a name or a value of one kind that each states and that differ, a person
that only one speaks of, a past against a present. What only one side says is weighed, and is no contradiction.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.likeness.parts import (
    OWNERS,
    PERSONS,
    is_minimal_pair,
    is_opposed,
    kin,
    other_owner,
    rivals_differ,
    shared_values,
    unexplained,
)
from dopejar.pipelines.ingest.likeness.saying import Part, Said, lists, name_met
from dopejar.pipelines.ingest.likeness.stated import number_met

NEAREST: Final = 3  # wordings of a record, nearest first, that are looked at one by one
MOST: Final = 6
_SAME_WORDS: Final = 0.7  # from this agreement of the words on, a denial is all that differs
_ENDED: Final = re.compile(
    r"\b(?:no longer|any ?more|forget|forgot|dropped|stopped|quit|gave up|given up|gone|scrap|scrapped|"
    r"cancel\w*|revoke\w*|"
    r"nicht mehr|ya no|não mais|já não|ne \w+ plus)\b",
    re.IGNORECASE,
)


class Traits(NamedTuple):
    """What is weighed of a statement against the wordings of one record."""

    nearest: float  # cosine of the nearest wording
    near: float  # mean cosine of the three nearest
    often: float  # whether there is more than one wording
    near_often: float
    number_shared: float
    number_new: float
    number_missing: float
    name_shared: float
    name_new: float
    name_missing: float
    value_shared: float
    kind_other: float
    kind_new: float
    opposed: float
    denied: float
    minimal: float
    things: float
    relations: float
    things_beside: float  # in clauses other than the nearest
    besides: float
    besides_beside: float
    shared: float
    cover: float
    cover_theirs: float
    changes: float
    clauses: float
    own_differs: float  # whether the speaker is named on one side, of the statement and the nearest wording
    own_new: float
    own_missing: float


# Fitted by `bench/fit_wordings.py` over the open sets of wordings and the near misses.
WEIGHTS: Final = Traits(
    nearest=13.58,
    near=-3.51,
    often=-5.29,
    near_often=9.43,
    number_shared=0.85,
    number_new=-3.18,
    number_missing=-3.82,
    name_shared=0.55,
    name_new=-1.45,
    name_missing=-1.72,
    value_shared=0.66,
    kind_other=-5.13,
    kind_new=-0.37,
    opposed=0.15,
    denied=-1.09,
    minimal=-3.14,
    things=-0.46,
    relations=-0.59,
    things_beside=-0.17,
    besides=-0.29,
    besides_beside=0.24,
    shared=0.63,
    cover=-1.88,
    cover_theirs=-0.22,
    changes=-0.38,
    clauses=0.86,
    own_differs=0.23,
    own_new=0.6,
    own_missing=0.6,
)
INTERCEPT: Final = -7.37


def contradiction(mine: Said, theirs: Sequence[Said]) -> str:
    """What makes it another statement than every one of the wordings, or ""."""
    return next((why for why in _contradictions(mine, theirs) if why), "")


def _contradictions(mine: Said, theirs: Sequence[Said]) -> Iterator[str]:
    if rivals_differ(mine, theirs, OWNERS) or other_owner(mine, theirs):
        yield "another one of its kind"
    core = _core(mine, theirs)  # what an aside says of other times and wishes contradicts nothing
    if core.past == mine.past and all(one.past != mine.past for one in theirs):
        yield "another time"
    if core.intends == mine.intends and all(one.intends != mine.intends for one in theirs):
        yield "a wish against a fact"
    if not (mine.content or mine.names or mine.numbers or mine.families):
        yield "too little in common"
    yield _numbers_differ(mine, theirs)
    yield _names_differ(mine, theirs)
    yield _values_differ(mine, theirs)
    if all(_is_denied(mine, one) for one in theirs) and any(_agreement(mine, one) >= _SAME_WORDS for one in theirs):
        yield "the opposite"
    if mine.changes and not any(one.changes for one in theirs) and _brings_more(mine, theirs):
        yield "it says that something changed"


def likelihood(found: Traits) -> float:
    """How likely it is that a statement with these traits says what the wordings say."""
    odds = sum(weight * value for weight, value in zip(WEIGHTS, found, strict=True)) + INTERCEPT
    return 1 / (1 + math.exp(-odds))


def traits(mine: Said, theirs: Sequence[Said], cosines: Sequence[float | None]) -> Traits:
    """The traits of a statement against the wordings, of which one has a cosine at least."""
    ranked = sorted(
        ((cosine, place) for place, cosine in enumerate(cosines) if cosine is not None),
        key=lambda one: (-one[0], one[1]),
    )[:NEAREST]
    near = [theirs[place] for _, place in ranked]
    mean = sum(cosine for cosine, _ in ranked) / len(ranked)
    often = float(len(theirs) > 1)
    spoken = frozenset[str]().union(*(one.spoken for one in theirs))
    numbers = frozenset[str]().union(*(one.numbers for one in theirs))
    content = frozenset[str]().union(*(one.content for one in theirs))
    left, left_theirs = unexplained(mine, theirs), unexplained(near[0], [mine])
    core, core_theirs = _core(mine, theirs).words, _core(near[0], [mine]).words
    things = [word for word in left if word not in lists().kindred]
    besides = [word for word in left_theirs if word not in lists().kindred]
    shared = len(mine.content & content)
    return Traits(
        nearest=ranked[0][0],
        near=mean,
        often=often,
        near_often=often * mean,
        number_shared=float(any(number_met(one, numbers) for one in mine.numbers)),
        number_new=float(bool(mine.numbers) and not numbers),
        number_missing=float(not mine.numbers and all(one.numbers for one in theirs)),
        name_shared=float(_names_met(mine, theirs, spoken)),
        name_new=float(min(sum(not name_met(name, spoken) for name in mine.names), 2)),
        name_missing=float(all(one.names and not any(name_met(n, mine.spoken) for n in one.names) for one in theirs)),
        value_shared=float(any(shared_values(mine, one) for one in theirs)),
        kind_other=float(rivals_differ(mine, theirs)),
        kind_new=float(_kind_on_one_side(mine, theirs)),
        opposed=float(is_opposed(mine, near[0])),
        denied=float(all(_is_denied(mine, one) for one in theirs)),
        minimal=float(any(is_minimal_pair(mine, one, theirs) for one in near)),
        things=float(min(sum(word in core for word in things), MOST)),
        relations=float(min(len(left) - len(things), 4)),
        things_beside=float(min(sum(word not in core for word in things), MOST)),
        besides=float(min(sum(word in core_theirs for word in besides), MOST)),
        besides_beside=float(min(sum(word not in core_theirs for word in besides), MOST)),
        shared=float(min(shared, 5)),
        cover=shared / max(len(mine.content), 1),
        cover_theirs=len(near[0].content & mine.content) / max(len(near[0].content), 1),
        changes=float(mine.changes and not any(one.changes for one in theirs)),
        clauses=float(min(len(mine.parts), 4)),
        own_differs=float(mine.own != near[0].own),
        own_new=float(mine.own and not any(one.own for one in theirs)),
        own_missing=float(not mine.own and all(one.own for one in theirs)),
    )


def _core(said: Said, others: Sequence[Said]) -> Part:
    """The clause that says most of what the others say; asides and reasons stand in the rest."""
    content = frozenset[str]().union(*(one.content.union(*(part.words for part in one.parts)) for one in others))
    nothing = Part(said.text, said.content, said.past, said.intends)
    return max(said.parts, key=lambda one: (len(one.words & content), -len(one.words - content)), default=nothing)


def _names_met(mine: Said, theirs: Sequence[Said], spoken: frozenset[str]) -> bool:
    met = any(name_met(name, spoken) for name in mine.names)
    return met or any(name_met(name, mine.spoken) for one in theirs for name in one.names)


def _kind_on_one_side(mine: Said, theirs: Sequence[Said]) -> bool:
    """Whether a thing that has rivals is named on one side only."""
    named = frozenset[int]().union(*(one.rivals.keys() for one in theirs))
    return not mine.rivals.keys() <= named or any(
        kind not in mine.rivals and all(kind in one.rivals for one in theirs) for kind in named - PERSONS
    )


def _numbers_differ(mine: Said, theirs: Sequence[Said]) -> str:
    """Both state numbers, and what mine says of their matter has one that they do not, or refuses theirs."""
    numbers = frozenset[str]().union(*(one.numbers for one in theirs))
    if not numbers:
        return ""
    refused = frozenset[str]().union(*(one.refused for one in theirs))
    meant = frozenset(one for one in mine.numbers if not any(form in mine.refused for form in one.split("|")))
    for one in mine.numbers:
        if one not in meant:
            if meant and number_met(one, numbers) and not any(form in refused for form in one.split("|")):
                return "another number"
        elif not number_met(one, numbers) and _is_central(one, mine, theirs, numbers):
            return "another number"
    return ""


def _is_central(number: str, mine: Said, theirs: Sequence[Said], numbers: frozenset[str]) -> bool:
    """Whether a number belongs to what is compared; beside a number of theirs, one of another clause does not."""
    met = [one for one in mine.numbers if number_met(one, numbers) and one.partition("|")[0] not in mine.refused]
    if not met:
        return True
    elsewhere = frozenset[str]().union(*(part.words for part in mine.parts)) - _core(mine, theirs).words
    return number.partition("|")[0] not in elsewhere


def _names_differ(mine: Said, theirs: Sequence[Said]) -> str:
    """Both state names, and none of one side's is said on the other."""
    named = [one for one in theirs if one.names]
    if not mine.names or len(named) < len(theirs) or any(shared_values(mine, one) for one in theirs):
        return ""
    spoken = frozenset[str]().union(*(one.spoken for one in theirs))
    return "" if _names_met(mine, theirs, spoken) else "another name"


def _values_differ(mine: Said, theirs: Sequence[Said]) -> str:
    """Both state values of one family, and none in common; to refuse one value is not to state another."""
    for family in mine.families:
        values = _meant(mine, family)
        there = [meant for one in theirs if (meant := _meant(one, family))]
        if there and values and all(values.isdisjoint(other) for other in there):
            return "another value"
    return ""


def _meant(said: Said, family: str) -> frozenset[str]:
    return said.families.get(family, frozenset()) - said.refused_values.get(family, frozenset())


def _is_denied(mine: Said, other: Said) -> bool:
    """Whether one affirms what the other denies, and they agree in nothing."""
    if shared_values(mine, other):
        return False
    has_anchor = any(number_met(one, other.numbers) for one in mine.numbers) or any(
        name_met(one, mine.spoken) and one not in mine.denied for one in other.names
    )
    if has_anchor and (mine.refused or any(mine.refused_values.values())):
        return False  # "not on 8000, on 8042" affirms 8042
    if mine.denied & other.denied:
        return False  # both refuse one thing; what the rest leans to is a matter of wording
    against = (mine.affirmed & other.denied) | (mine.denied & other.affirmed)
    agreed = (mine.affirmed & other.affirmed) | (mine.denied & other.denied)
    return bool(against) and len(against) > len(agreed)


def _agreement(mine: Said, other: Said) -> float:
    """The part of all their words that both say, kindred ones included."""
    met = sum(any(one == word or kin(one, word) for word in other.content) for one in mine.content)
    met += sum(any(one == word or kin(one, word) for word in mine.content) for one in other.content)
    return met / max(len(mine.content) + len(other.content), 1)


def _brings_more(mine: Said, theirs: Sequence[Said]) -> bool:
    """Whether it names something that no wording does, or says that something ended."""
    spoken = frozenset[str]().union(*(one.spoken for one in theirs))
    numbers = frozenset[str]().union(*(one.numbers for one in theirs))
    core = _core(mine, theirs)
    said = frozenset(re.findall(r"\w+", core.text.casefold()))
    if any(not name_met(name, spoken) and not said.isdisjoint(re.findall(r"\w+", name)) for name in mine.names):
        return True
    if any(not number_met(one, numbers) and _is_central(one, mine, theirs, numbers) for one in mine.numbers):
        return True
    for family, values in mine.families.items():
        if not values <= frozenset[str]().union(*(one.families.get(family, frozenset()) for one in theirs)):
            return True
    left = unexplained(mine, theirs) if len(theirs) < NEAREST else []  # a word no wording had says little against many
    is_new = any(word in core.words and word not in lists().kindred for word in left)
    return is_new or _ENDED.search(core.text) is not None

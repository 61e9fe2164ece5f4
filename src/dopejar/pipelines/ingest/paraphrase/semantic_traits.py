"""How near in meaning two statements are, where vectors are at hand: what is weighed, and what forbids.

Takes: statements taken apart, and the cosines of their texts. Gives: the traits of a comparison, how likely they make
it that both say one thing, and what contradicts it. Never: decides; `sameness` does.

A contradiction needs both sides. A number or a value of one kind that each states and that differ, or two persons,
forbid, and so do much the same words with an end, a denial or an opposite. A past against a present, and much the same
words with a wish, speak against it and are weighed too: it takes more to call the two one. What only one side says is
weighed alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.paraphrase.lexical_traits import (
    OWNERS,
    is_minimal_pair,
    kin,
    other_owner,
    rivals_differ,
    shared_values,
    unexplained,
)
from dopejar.pipelines.ingest.paraphrase.numbers_and_names import number_met
from dopejar.pipelines.ingest.paraphrase.statement_features import Part, Said, lists, name_met
from dopejar.pipelines.ingest.paraphrase.trait_weights import MINILM, Weighing
from dopejar.text.similarity import similar

NEAREST: Final = 3  # wordings of a record, nearest first, that are looked at one by one
MOST: Final = 5
_BRIEF: Final = 5  # words
_HALF: Final = 0.5  # of the words both say: then an end is what differs, a wish,
_SAME_WORDS: Final = 0.85  # or a denial
_ENDED: Final = re.compile(
    r"\b(?:no longer|any ?more|(?<!not )(?<!n.t )(?<!never )(?<!me )forget|"
    r"forgot|dropped|stopped|quit|gave up|given up|gone|scrap|scrapped|"
    r"cancel\w*|revoke\w*|"
    r"nicht mehr|ya no|não mais|já não|ne \w+ plus)\b",
    re.IGNORECASE,
)


class Nearness(NamedTuple):
    """How near in meaning two texts are, as cosines: in what they are about, and in what they say."""

    about: float
    says: float
    weighing: Weighing = MINILM  # of the model that tells what they say


class Traits(NamedTuple):
    """What is weighed of a statement against the wordings of one record: five cosines, then counts and yes or no."""

    says: float  # cosine of what the nearest wording says
    says_mean: float  # over the three nearest
    says_all: float  # over all that were looked at
    about: float  # cosine of what it is about, of the nearest in that
    about_mean: float
    often: float  # whether there is more than one wording
    number_shared: float
    number_differs: float
    number_new: float
    number_missing: float
    name_shared: float
    name_new: float
    name_missing: float
    value_shared: float
    kind_differs: float  # each side names another one of its kind
    owner_differs: float  # one side speaks of a person, an animal, a stage, and the other of none
    wish_differs: float
    changes: float
    ended: float
    minimal: float
    things: float
    relations: float
    besides: float
    shared: float
    cover: float
    own_new: float
    own_missing: float
    another_time: float
    a_wish: float


_AGAINST: Final[Mapping[str, str]] = MappingProxyType({
    "another_time": "another time",
    "a_wish": "a wish against a fact",
})


def contradiction(mine: Said, theirs: Sequence[Said]) -> str:
    """What makes it another statement than every one of the wordings for certain, or ""."""
    if not (mine.content or mine.names or mine.numbers or mine.families):
        return "too little in common"
    return next((why for why, is_so in _contradictions(mine, theirs) if is_so), "")


def _contradictions(mine: Said, theirs: Sequence[Said]) -> Iterator[tuple[str, bool]]:
    yield "another value", _values_differ(mine, theirs)
    yield "another number", _states_another_number(mine, theirs)
    yield "another one of its kind", rivals_differ(mine, theirs, OWNERS, most=True)
    yield (
        "it has ended",
        _has_ended(mine)
        and not any(_has_ended(one) or one.denied or one.changes for one in theirs)
        and any(_agreement(mine, one) >= _HALF for one in theirs),
    )
    yield (
        "the opposite",
        all(_is_denied(mine, one) for one in theirs)
        and any(_agreement(mine, one) >= _SAME_WORDS or _is_one_word_apart(mine, one) for one in theirs),
    )
    yield (
        "the opposite",
        any(_agreement(mine, one) >= _HALF for one in theirs) and all(_is_turned(mine, one) for one in theirs),
    )


def against(found: Traits) -> str:
    """What speaks against their being one, though not for certain, or ""."""
    return next((why for name, why in _AGAINST.items() if getattr(found, name)), "")


def _against(mine: Said, theirs: Sequence[Said]) -> Iterator[bool]:
    """Whether each of `_AGAINST` speaks against their being one, in that order."""
    yield _times_differ(mine, theirs)
    yield _wishes_differ(mine, theirs) and any(_agreement(mine, one) >= _HALF for one in theirs)


def traits(mine: Said, theirs: Sequence[Said], nearness: Sequence[Nearness | None]) -> Traits:
    """The traits of a statement against the wordings; of one of them at least it is known how near it is in meaning."""
    every = sorted(
        ((one, place) for place, one in enumerate(nearness) if one is not None), key=lambda one: (-one[0].says, one[1])
    )
    ranked = every[:NEAREST]
    near = [theirs[place] for _, place in ranked]
    spoken = frozenset[str]().union(*(one.spoken for one in theirs))
    numbers = _every(theirs)
    content = frozenset[str]().union(*(one.content for one in theirs))
    left, besides = unexplained(mine, theirs), unexplained(near[0], [mine])
    things = [word for word in left if word not in lists().kindred]
    shared = len(mine.content & content)
    return Traits(
        says=ranked[0][0].says,
        says_mean=sum(one.says for one, _ in ranked) / len(ranked),
        says_all=sum(one.says for one, _ in every) / len(every),
        about=max(one.about for one, _ in ranked),
        about_mean=sum(one.about for one, _ in ranked) / len(ranked),
        often=float(len(theirs) > 1),
        number_shared=float(any(number_met(one, numbers) for one in mine.numbers)),
        number_differs=float(_numbers_differ(mine, theirs)),
        number_new=float(bool(mine.numbers) and not numbers),
        number_missing=float(not mine.numbers and all(one.numbers for one in theirs)),
        name_shared=float(_names_met(mine, theirs, spoken)),
        name_new=float(min(sum(not name_met(name, spoken) for name in mine.names), 2)),
        name_missing=float(all(one.names and not any(name_met(n, mine.spoken) for n in one.names) for one in theirs)),
        value_shared=float(any(shared_values(mine, one) for one in theirs)),
        kind_differs=float(rivals_differ(mine, theirs)),
        owner_differs=float(other_owner(mine, theirs)),
        wish_differs=float(_wishes_differ(mine, theirs)),
        changes=float(mine.changes and not any(one.changes for one in theirs) and _brings_more(mine, theirs)),
        ended=float(_has_ended(mine) and not any(_has_ended(one) or one.denied for one in theirs)),
        minimal=float(any(is_minimal_pair(mine, one, theirs) for one in near)),
        things=float(min(len(things), MOST)),
        relations=float(min(len(left) - len(things), MOST)),
        besides=float(min(len(besides), MOST)),
        shared=float(min(shared, MOST)),
        cover=shared / max(len(mine.content), 1),
        own_new=float(mine.own and not any(one.own for one in theirs)),
        own_missing=float(not mine.own and all(one.own for one in theirs)),
        **dict(zip(_AGAINST, map(float, _against(mine, theirs)), strict=True)),
    )


def weighed(mine: Said, theirs: Sequence[Said], nearness: Sequence[Nearness | None]) -> tuple[float, str]:
    """How likely a statement says what the wordings say, and what speaks against it, or "".

    Of one of them at least it is known how near it is in meaning.
    """
    weighing = next(one.weighing for one in nearness if one is not None)
    found = traits(mine, theirs, nearness)
    return weighing.likelihood(found._asdict()), against(found)


def _core(said: Said, others: Sequence[Said]) -> Part:
    """The clause that says most of what the others say; asides and reasons stand in the rest."""
    content = frozenset[str]().union(*(one.content.union(*(part.words for part in one.parts)) for one in others))
    nothing = Part(said.text, said.content, said.past, said.intends)
    return max(said.parts, key=lambda one: (len(one.words & content), -len(one.words - content)), default=nothing)


def _names_met(mine: Said, theirs: Sequence[Said], spoken: frozenset[str]) -> bool:
    met = any(name_met(name, spoken) for name in mine.names)
    return met or any(name_met(name, mine.spoken) for one in theirs for name in one.names)


def _numbers_differ(mine: Said, theirs: Sequence[Said]) -> bool:
    """Both state numbers, and what mine says of their matter has one that they do not, or refuses theirs."""
    numbers = _every(theirs)
    if not numbers:
        return False
    refused = frozenset[str]().union(*(one.refused for one in theirs))
    meant = frozenset(one for one in mine.numbers if not any(form in mine.refused for form in one.split("|")))
    for one in mine.numbers:
        if one not in meant:
            if meant and number_met(one, numbers) and not any(form in refused for form in one.split("|")):
                return True
        elif not number_met(one, numbers) and _is_central(one, mine, theirs, numbers):
            return True
    return False


def _is_central(number: str, mine: Said, theirs: Sequence[Said], numbers: frozenset[str]) -> bool:
    """Whether a number belongs to what is compared; beside a number of theirs, one of another clause does not."""
    met = [one for one in mine.numbers if number_met(one, numbers) and one.partition("|")[0] not in mine.refused]
    if not met:
        return True
    elsewhere = frozenset[str]().union(*(part.words for part in mine.parts)) - _core(mine, theirs).words
    return number.partition("|")[0] not in elsewhere


def _values_differ(mine: Said, theirs: Sequence[Said]) -> bool:
    """Both state values of one family, most of theirs do, and none in common; to refuse one is not to state another."""
    for family in mine.families:
        values = _meant(mine, family)
        there = [meant for one in theirs if (meant := _meant(one, family))]
        if there and values and 2 * len(there) >= len(theirs) and all(values.isdisjoint(other) for other in there):
            return True
    return False


def _meant(said: Said, family: str) -> frozenset[str]:
    return said.families.get(family, frozenset()) - said.refused_values.get(family, frozenset())


def _states_another_number(mine: Said, theirs: Sequence[Said]) -> bool:
    """Whether a number is part of what they say, and mine means another; a shared one means little where it changed."""
    if not _numbers_differ(mine, theirs) or not _has_its_number(theirs):
        return False
    numbers = _every(theirs)
    meant = [one for one in mine.numbers if mine.refused.isdisjoint(one.split("|"))]
    return mine.changes or not any(number_met(one, numbers) for one in meant)


def _has_its_number(theirs: Sequence[Said]) -> bool:
    """Whether at least half of the wordings state one number; what stands in one or the other is an example."""
    return any(2 * sum(number_met(one, other.numbers) for other in theirs) >= len(theirs) for one in _every(theirs))


def _every(theirs: Sequence[Said]) -> frozenset[str]:
    return frozenset[str]().union(*(one.numbers for one in theirs))


def _wishes_differ(mine: Said, theirs: Sequence[Said]) -> bool:
    """Whether it wishes what they state, or the other way round."""
    return _core(mine, theirs).intends == mine.intends and all(one.intends != mine.intends for one in theirs)


def _times_differ(mine: Said, theirs: Sequence[Said]) -> bool:
    """Whether it says what was and they what is, or the other way round; what an aside says of other times is none."""
    return _core(mine, theirs).past == mine.past and all(one.past != mine.past for one in theirs)


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


def _is_turned(mine: Said, other: Said) -> bool:
    """Whether a word stands against its opposite, or the same words are denied in one: "vegetarian" for no meat."""
    near = similar(mine.text, other.text)
    is_hidden = not (near.same_polarity or mine.denied or other.denied)
    is_opposite = near.has_opposites and bool(mine.denied) == bool(other.denied)  # no meat: a vegetarian
    return is_opposite or (is_hidden and _agreement(mine, other) >= _SAME_WORDS)


def is_brief(said: Said) -> bool:
    """Whether there are so few words that their form is most of it."""
    return len(said.text.split()) <= _BRIEF


def _is_one_word_apart(mine: Said, other: Said) -> bool:
    """Whether all that one says and the other does not is a word: I hate it, I love it."""
    return bool(mine.content & other.content) and len(mine.content ^ other.content) <= 1


def _agreement(mine: Said, other: Said) -> float:
    """The part of all their words that both say, kindred ones included."""
    met = sum(any(one == word or kin(one, word) for word in other.content) for one in mine.content)
    met += sum(any(one == word or kin(one, word) for word in mine.content) for one in other.content)
    return met / max(len(mine.content) + len(other.content), 1)


def _has_ended(said: Said) -> bool:
    return _ENDED.search(said.text) is not None


def _brings_more(mine: Said, theirs: Sequence[Said]) -> bool:
    """Whether it names something that no wording does, or says that something ended."""
    spoken = frozenset[str]().union(*(one.spoken for one in theirs))
    numbers = _every(theirs)
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

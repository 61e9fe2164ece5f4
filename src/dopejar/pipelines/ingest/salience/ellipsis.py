"""Dangling: what a statement leaves open that only the talk around it filled: its verb, its noun, which one it is.

Takes: an English statement and its words in small letters. Gives: the names of what it leaves open. Never: guesses
what was meant; for pronouns under another verb see `antecedents`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

_NOUN_FIRST: Final = re.compile(r"^(?:my|our|the|an?|\d[\w,.-]*|\w{2,}ing)\b", re.IGNORECASE)
# clauses that lean on a main clause, and a second one with a subject of its own
_SECOND: Final = re.compile(
    r",? \b(?:who|which|that|where|when|while|since|because|after|before|like|such as|especially|including|as per|if|"
    r"though|although|until|once|so)\b[^,;]*|, and (?:i|we|he|she|they|(?-i:[A-Z])\w+|my \w+)\b[^,;]*|, to \w+[^,;]*",
    re.IGNORECASE,
)
_FINITE: Final = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|do|does|did|will|can|may|must|should|would|could|might|\w+n't|cannot|loves?|"
    r"likes?|enjoys?|hates?|prefers?|plays?|teaches|wants?|knows?|says?|goes|comes|makes|gives|shows?|feels?|looks|"
    r"seems|runs?|uses|lives?|works|listens?|takes|lasts|leads|owns|means|keeps|needs|gets|starts|ends|stores|fails|"
    r"breaks|serves|supports|requires|contains|depends|writes|expires|costs|allows|helps?|sits|stands|eats|sleeps|"
    r"speaks|belongs|stays|follows|matches|finishes|opens|closes|covers|handles|manages|offers|includes|answers|leaves|"
    r"targets|waits|reports|points|expects|thinks|believes|returns|hosts|carries|holds|passes|meets|sends|deploys|"
    r"builds|checks|reads|drives|rides|sings|studies|trains|visits|grows|watches|wears|walks|calls|pays|moved|became|"
    r"met|went|got|took|made|said|spent|gave|came|left|saw|ran|began|built|bought|sold|won|lost|wrote|found|told|"
    r"\w{2,}ed)\b(?! by\b)|\b(?:it|that|he|she|there|who|what|here)'s\b|'(?:re|m|ve|d|ll)\b|"
    r"'s (?:\w+ing|been|not|an?|the|my|in|at|from|on|allergic|called|named)\b",
    re.IGNORECASE,
)
_CUT: Final = frozenset(["and", "or", "but", "like", "with", "of", "for", "to", "my", "than"])  # no statement's end
_CUT_BEHIND: Final = frozenset([("of", "which"), ("to", "admit"), ("must", "admit"), ("to", "say"), ("must", "say")])
_CUT_NUMBER: Final = frozenset(["where", "like", "with", "and", "or", "of", "the", "a"])  # "permutations of 3"
_CUT_SIGNS: Final = (",", ", ", ",`", ", `", '""', '" "')
_BOTH: Final = re.compile(r"\b[Bb]oth (?!(?:of )?(?:my|our|us)\b|[A-Z])(?![^,.]* and )")  # "both cities"
_REPLY: Final = re.compile(
    r"\byou(?:r|'ve| have)? (?:\w+ly )?(?:suggest|mention|recommend|said|list|gave|provid|shar|wrote|told|describ|"
    r"explain|help|thank|ask)|\bthanks\b|\bthank you\b|\bi meant\b|\b(?:happy|glad|sorry) to (?:report|say|hear)\b|"
    r"\bby the way\b|\bhaha\b|\bto be honest\b"
)
_CHOICE: Final = re.compile(
    r"\b(?:the|that|your|this)\b[^,.;]*\b(?:ideas?|suggestions?|options?|themes?|prompts?|recipes?|tips?|ones?)\b|"
    r"\binterested in (?!learning)\w+ing\b|\bstart with\b|\b(?:go|going) with\b|\blet's\b"
)
_CHOICES: Final = frozenset(
    [
        *("idea", "ideas", "suggestion", "suggestions", "option", "options", "theme", "themes", "prompt", "prompts"),
        *("recipe", "recipes", "tip", "tips", "one", "ones"),
        *("interested", "start", "go", "going", "let's"),
    ]
)
_GOES_ON: Final = frozenset(["too", "though", "either", "instead", "anyway"])
_REPLIES: Final = frozenset(
    ["you", "your", "you've", "thanks", "thank", "meant", "report", "hear", "say", "way", "haha", "honest"]
)
_SPEAKS: Final = frozenset(["i", "i'm", "i've", "i'd", "i'll", "we", "we're", "we've", "we'd", "we'll"])
_OBJECTS: Final = frozenset(["it", "them", "him", "her", "one", "ones", "those", "these"])
_FREE: Final = frozenset(["it", "them", "him"])  # never stand before a noun
_HELD: Final = frozenset(  # a noun begins, or another clause
    ["my", "our", "the", "a", "an", "this", "some", "and", "but", "or", "so", "because", "when", "that", "if"]
)
_EXPLETIVE: Final = frozenset(
    ["is", "was", "hard", "easy", "difficult", "important", "necessary", "helpful", "useful", "to", "that", "when"]
)
_NEAR: Final = 6  # words; the object of the first verb stands among them
_PHRASE: Final = 3  # words from "my" to the noun


@dataclass(frozen=True, kw_only=True, slots=True)
class _Lists:
    """The words of the data file."""

    amounts: frozenset[str]
    behind: frozenset[str]
    kinds: frozenset[str]
    works: frozenset[str]
    one_of_many: re.Pattern[str]


@lru_cache(maxsize=1)
def _lists() -> _Lists:
    with files("dopejar.pipelines.ingest").joinpath("data", "dangling.toml").open("rb") as stream:
        rows = {name: frozenset(row.split()) for name, row in tomllib.load(stream).items()}
    one_of_many = re.compile(
        rf"\b[Tt]he (?:[\w-]+ ){{0,2}}?(?:{'|'.join(sorted(rows['kinds']))})\b"
        r"(?! (?:(?:of|for|at|by|in|from|about|with|to|that|which|I|we|my|called|named|on|between)\b|\"|[A-Z]))"
    )
    return _Lists(**rows, one_of_many=one_of_many)


def dangling(text: str, words: Sequence[str]) -> Iterator[str]:
    """The names of what a statement leaves open; `words` are those of the text, in small letters."""
    lists = _lists()
    if _is_cut(text, words) or _is_half(text):
        yield "half a sentence"
    if not lists.amounts.isdisjoint(words) and (_counts_nothing(words, lists) or _BOTH.search(text)):
        yield "an amount of what"
    if "the" in words and not lists.kinds.isdisjoint(words) and lists.one_of_many.search(text):
        yield "one of many"
    if ("my" in words or "our" in words) and not lists.works.isdisjoint(words) and _is_in_hand(words, lists.works):
        yield "work in hand"
    if words and words[0] in _SPEAKS and not _OBJECTS.isdisjoint(words) and _is_bare(words, lists.behind):
        yield "of it, bare"
    if not _CHOICES.isdisjoint(words) and _CHOICE.search(text.lower()):
        yield "a choice"
    if _goes_on(words) or (not _REPLIES.isdisjoint(words) and _REPLY.search(text.lower())):
        yield "a reply"


def _goes_on(words: Sequence[str]) -> bool:
    return words[-2:] == ["as", "well"] or not _GOES_ON.isdisjoint(words[-1:])


def _is_half(text: str) -> bool:
    """Whether it has no verb of its own."""
    return _NOUN_FIRST.match(text) is not None and _FINITE.search(_SECOND.sub(" ", text)) is None


def _is_cut(text: str, words: Sequence[str]) -> bool:
    """Whether it ends before what was to come."""
    before, last = "".join(words[-2:-1]), "".join(words[-1:])
    by_word = last in _CUT or (before, last) in _CUT_BEHIND or (last.isdecimal() and before in _CUT_NUMBER)
    return by_word or text.endswith(_CUT_SIGNS)


def _is_open(words: Sequence[str], place: int, behind: frozenset[str]) -> bool:
    """Whether no noun comes behind this word."""
    after = words[place + 1] if place + 1 < len(words) else ""
    return not after or after in behind or (len(after) > 4 and after.endswith("ing"))


def _counts_nothing(words: Sequence[str], lists: _Lists) -> bool:
    return any(word in lists.amounts and _is_open(words, place, lists.behind) for place, word in enumerate(words))


def _is_in_hand(words: Sequence[str], works: frozenset[str]) -> bool:
    owners = [place for place, word in enumerate(words) if word in ("my", "our")]
    return any(not works.isdisjoint(words[place + 1 : place + 1 + _PHRASE]) for place in owners)


def _is_bare(words: Sequence[str], behind: frozenset[str]) -> bool:
    """Whether the object of its first verb is a pronoun that nothing before it can mean."""
    for place, word in enumerate(words[1:_NEAR], start=1):
        if word in _HELD or word[0].isdigit():
            return False
        if word in _OBJECTS:
            after = words[place + 1] if place + 1 < len(words) else ""
            if word in _FREE:
                return after not in _EXPLETIVE
            return after in ("", "a", "an", "the") if word == "her" else _is_open(words, place, behind)
    return False

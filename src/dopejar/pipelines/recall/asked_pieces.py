"""Every piece of what a question asks for: "what do we use for CI, logs and deploys?" is three questions.

Takes: a question's text; ranked items, and a function that ranks another text. Gives: the questions for the parts, the
plain form of one for a whole set, and the items with what answers each part before the rest. Never: adds what the part
asked alone would not return.

Where a listed thing begins and ends is guessed, not parsed: a part may keep a word too many, which a search forgives.
"""

from __future__ import annotations

import re
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final

from dopejar.text.lexicons import guess_language, question_words, stop_words
from dopejar.text.normalisation import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dopejar.pipelines.recall.ranked_item import RankedItem

_LONGEST: Final = 200  # characters; a longer text describes a situation
_MOST: Final = 6  # parts, each of which costs a search
_WORDS: Final = 3  # of the first and the last of the listed things at most
_ANSWERS: Final = 1.0  # log odds, from which an item that was read answers
_AND: Final = "and|or|und|oder|et|ou|y|e|o|и|или|nebo"
_JOINED: Final = re.compile(rf"(?:,(?:[^,?.!;:]|\.(?=\w))+)*,? (?:{_AND}) ", re.IGNORECASE)
_COUNT: Final = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|all|all of|\d+)"
_PLURAL: Final = r"(?:\w+ ){0,2}(?!(?:does|is|was|has|this)\b)\w+[^\W\ds]s\b"
_SET: Final = re.compile(  # "how many plants", "which three cities", "list all of my machines", "who are the officers"
    rf"(?:how many\b|(?:which|what)(?: {_COUNT})? (?={_PLURAL})"
    rf"|(?:please )?(?:list|name|show me|give me|tell me)(?: all| every| each)?(?: of)? (?={_PLURAL})"
    r"|(?P<be>(?:who|what|which) are)\b)",
    re.IGNORECASE,
)
_SO_FAR: Final = re.compile(r" (?:so far|in total|altogether|overall)\b", re.IGNORECASE)
_DETERMINERS: Final = frozenset(["the", "a", "an", "my", "our", "your", "his", "her", "their"])
_AUXILIARIES: Final = frozenset(
    ["do", "does", "did", "have", "has", "had", "will", "would", "can", "could", "should", "must"]
)
_RANKS: Final = frozenset(["first", "last", "earlier", "later", "next", "before"])
_MARK: Final = re.compile(r"(?:\d[\w.]*|[A-Z])")  # of a thing that is told from others of its kind: flat "4", bed "C"


def as_listed(text: str) -> str:
    """A question for a whole set as one for its members: "how many plants do I have?" asks "what plants do I have?".

    Empty for any other question, and for one that lists the members itself.
    """
    found = _SET.match(text.strip()) if len(text) <= _LONGEST else None
    if found is None or parts_of(text):
        return ""
    return _SO_FAR.sub("", f"{found['be'] or 'What'} {text.strip()[found.end() :].strip()}")


def parts_of(text: str) -> tuple[str, ...]:
    """The questions for each of several things that a question lists; empty where it lists none."""
    if len(text) > _LONGEST or (joint := _joint_of(text)) is None:
        return ()
    language = guess_language(text)
    light = stop_words(language) | question_words(language)
    pieces = re.split(rf",? (?:{_AND}) |, ", text[joint.start() : joint.end()], flags=re.IGNORECASE)
    head, first = _cut_behind(text[: joint.start()], light)
    last, tail = _cut_before(text[joint.end() :], head, light)
    if fold(first.split()[-1]) in _RANKS:  # "which came first, A or B?"
        head, first = f"{head} {first},", ""
    things = [one.strip() for one in (first, *pieces[1:-1], last) if one.strip()]
    if not 1 < len(things) <= _MOST:
        return ()
    return tuple(_asked(head, thing, first, tail, light) for thing in things)


def with_pieces(
    items: Sequence[RankedItem], parts: Sequence[str], rank_again: Callable[[str], Sequence[RankedItem]]
) -> list[RankedItem]:
    """The best item, the first answer to each part and what else surely answers one, and the other items."""
    answers = [
        [item for place, item in enumerate(rank_again(part)) if not place or (item.answer or 0.0) >= _ANSWERS]
        for part in parts
    ]
    in_turn = (item for one in zip_longest(*answers) for item in one if item is not None)
    return list({item.id: item for item in chain(items[:1], in_turn, items)}.values())


def _joint_of(text: str) -> re.Match[str] | None:
    """The first place where a text lists things, from behind the first of them to before the last."""
    found = _JOINED.search(text)
    is_between = found is not None and bool(text[: found.start()].strip() and text[found.end() :].strip(" ?.!"))
    return found if is_between else None


def _cut_behind(before: str, light: frozenset[str]) -> tuple[str, str]:
    """What stands before the first of the things, and that thing: a name, or the words behind the last light one."""
    said = before.split()
    count = 0
    for word in reversed(said):
        if count == _WORDS or (count and _is_name(said[-1]) and not _is_name(word)):
            break
        if fold(word).strip(":") in light or word.endswith(":"):
            break
        count += 1
    place = len(said) - max(1, count)
    return " ".join(said[:place]), " ".join(said[place:])


def _cut_before(after: str, head: str, light: frozenset[str]) -> tuple[str, str]:
    """The last of the things, and what stands behind it: its verb, where the things are what does something."""
    said, end = after.rstrip(" ?.!").split(), 0
    if said and said[0].endswith(("'s", "’s")):
        end = 1
    elif len(said) > 1 and any(fold(word) in _AUXILIARIES for word in head.split()[-2:]):  # a determiner may follow
        end = len(said) - 1
        while end > 1 and fold(said[end]) in light:
            end -= 1
    return " ".join(said[: end or len(said)]), " ".join(said[end or len(said) :])


def _asked(head: str, thing: str, first: str, tail: str, light: frozenset[str]) -> str:
    said, opening = head.split(), thing.split(maxsplit=1)[0]
    if thing != first and _MARK.fullmatch(thing) and len(first.split()) > 1:
        thing = f"{' '.join(first.split()[:-1])} {thing}"
    elif thing != first and fold(opening) in light | _DETERMINERS:
        doubled = _DETERMINERS if fold(opening) in _DETERMINERS else light - _AUXILIARIES
        while said and fold(said[-1]) in doubled:
            said.pop()
    return " ".join(one for one in (*said, thing, tail) if one) + "?"


def _is_name(word: str) -> bool:
    return word[:1].isupper()

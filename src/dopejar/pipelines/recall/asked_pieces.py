"""Every piece of what a question asks for: "what do we use for CI, logs and deploys?" is three questions.

Takes: a question's text; ranked items, and those of each part. Gives: the questions for the parts, the plain form of
one for a whole set, and the items with what answers each part before the rest. Never: adds what may answer no part.

Where a listed thing begins and ends is guessed, not parsed: a part may keep a word too many, which a search forgives.
"""

from __future__ import annotations

import re
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.passages import text_terms
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.lexicons import guess_language, question_words, stop_words
from dopejar.text.normalisation import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.pipelines.recall.ranked_item import RankedItem

_LONGEST: Final = 200  # characters; a longer text describes a situation
_MOST: Final = 6  # parts, each of which costs a search
_WORDS: Final = 3  # of the first and the last of the listed things at most
_ANSWERS: Final = 1.0  # log odds, from which an item that was read answers
_AND: Final = "and|or|und|oder|et|ou|и|или|nebo"
_AND_IN: Final = {"es": f"{_AND}|y", "it": f"{_AND}|e", "pt": f"{_AND}|e"}  # single letters are names elsewhere
_COUNT: Final = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|all|all of|\d+)"
_NO_PLURAL: Final = r"(?:does|is|was|has|this)\b"
# not "what are we using Redis for?": neither the one who asks, nor a name like Redis, is a set
_PLURAL: Final = (
    rf"(?!(?:we|you|they|i|he|she|it)\b)(?:[\w'’]+ ){{0,2}}(?!{_NO_PLURAL})"
    r"(?:\w+[^\W\dsiu]s|people|children)\b(?!['’])"
)
_SET: Final = lazy_pattern(  # "how many plants", "which three cities", "list all of my machines", "who are the owners"
    rf"(?:how many\b|(?:which|what)(?: {_COUNT})? (?={_PLURAL})"
    rf"|(?:please )?(?:list|name|show me|give me|tell me)(?: all| every| each)?(?: of)? (?={_PLURAL})"
    rf"|(?P<be>(?:who|what|which) are) (?={_PLURAL}))",
    re.IGNORECASE,
)
_SO_FAR: Final = lazy_pattern(r" (?:so far|in total|altogether|overall)\b", re.IGNORECASE)
_DETERMINERS: Final = frozenset(["the", "a", "an", "my", "our", "your", "his", "her", "their"])
_AUXILIARIES: Final = frozenset(
    ["do", "does", "did", "have", "has", "had", "will", "would", "can", "could", "should", "must"]
)
_RANKS: Final = frozenset(["first", "last", "earlier", "later", "next", "before"])
_MARK: Final = lazy_pattern(r"\d[\w.]*|[A-Z]")  # of a thing that is told from others of its kind: flat "4", bed "C"
_TAILS: Final = _AUXILIARIES | {"of", "in", "on", "for", "is", "are", "was", "were", "with", "called", "named"}


def as_listed(text: str) -> str:
    """A question for a whole set as one for its members: "how many plants do I have?" asks "what plants do I have?".

    Empty for any other question, and for one that lists the members itself.
    """
    found = _SET.match(text.strip()) if len(text) <= _LONGEST else None
    if found is None or parts_of(text):
        return ""
    return _SO_FAR.sub("", f"{found['be'] or 'What'} {text.strip()[found.end() :].strip()}")


def parts_of(text: str) -> tuple[str, ...]:
    """The questions for each of several things that a question lists; empty where it lists none, or none for sure."""
    if len(text) > _LONGEST:
        return ()
    language = guess_language(text)
    joint = rf"(?:{_AND_IN.get(language, _AND)})"
    found = re.search(rf"(?:,(?:[^,?.!;:]|\.(?=\w))+)*,? {joint} ", text)
    before, after = (text[: found.start()], text[found.end() :].rstrip(" ?.!")) if found else ("", "")
    if found is None or not before.strip() or not after.strip():
        return ()
    asking = question_words(language)
    light = stop_words(language) | asking
    pieces = re.split(rf",? {joint} |, ", found[0])[1:-1]
    head, first = _cut_behind(before, light)
    last, tail = _cut_before(after, head, light)
    if not head or (fold(last.split(maxsplit=1)[0]) in asking and len(head.split()) > 1):
        return ()  # another question
    if fold(first.split()[-1]) in _RANKS:  # "which came first, A or B?"
        head, first = f"{head} {first},", ""
    elif fold(last.split(maxsplit=1)[0]) not in light and not _is_name(first.split()[-1]):
        kept = first.split()[-len(last.split()) :]  # "keep nuts and bolts": the verb is of both
        if not pieces and len(kept) < len(last.split()):  # "black and white cats"
            return ()
        head, first = " ".join([*head.split(), *first.split()[: -len(kept)]]), " ".join(kept)
    things = [one.strip() for one in (first, *pieces, last) if one.strip()]
    return tuple(_asked(head, one, first, tail, light) for one in things) if 1 < len(things) <= _MOST else ()


def with_pieces(
    items: Sequence[RankedItem], answers: Sequence[tuple[frozenset[str], Sequence[RankedItem]]]
) -> list[RankedItem]:
    """The best item, the first answer to each part and what else surely answers one, and the other items.

    `answers` are the terms of each part and what it finds. What the whole question did not find has to answer a part
    surely, or, where it was not read, to be the first with all terms of one.
    """
    known = {item.id for item in items}

    def is_first(item: RankedItem, terms: frozenset[str]) -> bool:
        return item.id in known or (item.answer is None and bool(terms) and terms <= text_terms(item.text))

    first = (
        [one for place, one in enumerate(found) if (one.answer or 0.0) >= _ANSWERS or (not place and is_first(one, of))]
        for of, found in answers
    )
    in_turn = (item for one in zip_longest(*first) for item in one if item is not None)
    return list({item.id: item for item in chain(items[:1], in_turn, items)}.values())


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
    """The last of the things, and what stands behind it and asks for each of them: "of my dentist", "called"."""
    said, leading = after.split(), [one for one in fold(head).split() if one not in _DETERMINERS]
    tails = frozenset[str]() if head.endswith(":") else _TAILS
    end = next((at for at, word in enumerate(said) if at and fold(word) in tails), len(said))
    if said[0].endswith(("'s", "’s")) or _MARK.fullmatch(said[0]):
        end = 1
    elif end > 1 and not _AUXILIARIES.isdisjoint(leading[-1:]):
        end = min(end, len(said) - 1)
        while end > 1 and fold(said[end]) in light:
            end -= 1
    return " ".join(said[:end]), " ".join(said[end:])


def _asked(head: str, thing: str, first: str, tail: str, light: frozenset[str]) -> str:
    said, opening = head.split(), thing.split(maxsplit=1)[0]
    if thing != first and fold(opening) in light | _DETERMINERS:
        doubled = _DETERMINERS if fold(opening) in _DETERMINERS else light - _AUXILIARIES
        while said and fold(said[-1]) in doubled:
            said.pop()
    return " ".join(one for one in (*said, thing, tail) if one) + "?"


def _is_name(word: str) -> bool:
    return word[:1].isupper()

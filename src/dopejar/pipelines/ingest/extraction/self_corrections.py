"""Self-corrections: "on port 6400, sorry no, 6401" as it was meant, "on port 6401".

Takes: a text. Gives: a text of the same length in which spaces stand for what its speaker took back at once. Never: a
word that was not said; a change where it is not plain which words are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from dopejar.text.lexicons import Lexicon, guess_language, lexicon
from dopejar.text.normalisation import fold
from dopejar.text.number_words import NUMBER_WORDS

_CUE: Final = re.compile(
    r"(?<=[\w)\"'%])(?P<before>[\s,;:.!?…–—-]{1,8})\b(?P<words>(?:(?:hm+|oh|uh|ah|argh|er+|lol|ok|sorry|pardon|wait|no|nope|actually)"
    r"[\s,…-]{1,4}){0,5}(?:sorry|pardon|wait|no(?! (?:longer|more)\b)|nope|oops|whoops|(?:scratch|scrap|strike) that"
    r"|i meant?(?! it\b)|make that|or rather|rather(?! than)|correction|actually"
    r"|nein|quatsch|ich meine|je veux dire|digo|mejor dicho|quer dizer|aliás))"
    r"\b(?P<after>[\s,:;…–—-]{1,8}|\.{2,3}\s?)(?=[\w$€£#\"'])",
    re.IGNORECASE,
)
_LITERALS: Final = (  # one of which every cue but "no" holds
    "sorry", "pardon", "wait", "oops", "ch that", "ap that", "ke that", "i mean", "rather", "correction", "actually",
    "nein", "quatsch", "ich meine", "je veux dire", "digo", "mejor dicho", "quer dizer", "aliás",
)  # fmt: skip
_NO: Final = re.compile(r"no(?<!\wno)(?:pe)?\b")
_UNSURE_CUE: Final = re.compile(r"(?:hm+|oh|uh|ah|er+|lol|ok|sorry|pardon|wait|actually|[\s,…-])+", re.IGNORECASE)
_LONE_WORDS: Final = frozenset({"no", "nope", "wait", "sorry", "pardon", "actually", "rather"})
_TWICE: Final = re.compile(r"\b(?:no|wait|sorry|actually)\b.+\b(?:no|wait|sorry|actually)\b")  # needs no sign before it
_EXPLAINS: Final = frozenset({"say", "write", "said"})  # "when I say X, I mean Y"
_PUNCTUATION: Final = re.compile(r"[^\w\s]")
_CLAUSE_END: Final = re.compile(r"[,;:!?()\n](?=\s|$)|[.…](?=[\s.]|$)|\s[-–—]\s")
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s)|\n")
_WORD: Final = re.compile(
    r"(?:half past|quarter (?:past|to)) \w+|\d+ ?[ap]m\b|[$€£#]?\w+(?:[-.:/,_'’@+]\w+)*%?", re.IGNORECASE
)
_ORDINAL: Final = re.compile(r"\d+(?:st|nd|rd|th)")
_IDENTIFIER: Final = re.compile(r"[a-z]+(?:[-_./][a-z]+)+", re.IGNORECASE)
_ITS: Final = re.compile(r"(?:it|that|they|he|she)(?:['’]?s|['’]re| is| are| was| were)\s+", re.IGNORECASE)
_IS: Final = frozenset({"is", "are", "was", "were", "be", "called", "named"})
_SUBJECTS: Final = frozenset({"i", "we", "you", "he", "she", "they", "it"})
_PRONOUNS: Final = _SUBJECTS - {"i", "we", "you"}
_VERBS: Final = frozenset(
    {"is", "are", "was", "were", "has", "have", "had", "will", "would", "can", "could", "should", "do", "does", "did"}
)
_PLACES: Final = frozenset(
    {"at", "in", "on", "to", "from", "with", "by", "of", "for", "into", "near", "the", "a", "an", "every", "my", "our"}
)
_JOINING: Final = "since until because so and but or per each now then too"
_FOLLOWING: Final = _PLACES.union(_JOINING.split())
_AFTERTHOUGHT: Final = re.compile(r",? (?:i meant?|actually|rather|sorry)\b", re.IGNORECASE)
_NO_VALUE: Final = _PLACES | {"no", "not", "yes", "ok", "sorry", "wait", "that", "stop", "never"}
_AROUND: Final = 240  # characters before and after a cue that are looked at
_MOST_WORDS: Final = 3  # from the cue to the value that is meant, and of words that replace as many
_MOST_KEPT: Final = 4  # words between what is replaced and the cue
_OF_THESE: Final = frozenset({"them", "us", "those", "these", "which", "whom"})
_LONGEST_PHRASE: Final = 5  # words
_MOST_CUES: Final = 64  # of one text


class Word(NamedTuple):
    """A word, its range, and the type of value that it is ("" for any other word)."""

    start: int
    end: int
    text: str
    type: str


class _Repair(NamedTuple):
    """What is replaced from `start`, by the words meant, and the words that stay behind these."""

    start: int
    meant: tuple[int, int]
    kept: tuple[int, int] = (0, 0)


def as_meant(text: str) -> str:
    """The text without what its speaker took back, of the same length.

    A value is replaced by one of its type ("Tuesday" by "Friday"), words by those that begin or end like them; where
    neither is plain, both stay.
    """
    if not _may_correct(text.lower()):
        return text
    at = 0
    for _ in range(_MOST_CUES):
        cue = _CUE.search(text, at)
        if cue is None:
            break
        repair = _repair(text, cue)
        if repair is None:
            at = cue.end()
            continue
        (first, last), kept = repair.meant, text[slice(*repair.kept)].strip()
        words = f"{text[first:last]} {kept}" if kept else text[first:last]
        thought = _AFTERTHOUGHT.match(text, last)
        end = thought.end() if thought else last
        text = f"{text[: repair.start]}{words:>{end - repair.start}}{text[end:]}"
        at = repair.start
    return text


def values_in(text: str, *, opens: bool = True) -> list[Word]:
    """The values of a text as spelled, a name of several words as one. `opens`: its first word has a capital anyway."""
    found = _words(text, 0, len(text), lexicon(guess_language(text)), opens=opens)
    values: list[Word] = []
    place = 0
    while place < len(found):
        last = _run(found, place)[1] if found[place].type else place
        if found[place].type:
            start, end = found[place].start, found[last].end
            values.append(Word(start, end, text[start:end], found[place].type))
        place = last + 1
    return values


def _may_correct(lowered: str) -> bool:
    """Whether a cue may be in the text: most turns have none, and the pattern looks at every gap between words."""
    return any(map(lowered.__contains__, _LITERALS)) or _NO.search(lowered) is not None


def _repair(text: str, cue: re.Match[str]) -> _Repair | None:
    opened = max(0, cue.start() - _AROUND)
    starts = [found.end() for found in _SENTENCE_END.finditer(text, opened, cue.start())]
    book = lexicon(guess_language(text[opened : cue.start()]))
    said = _words(text, starts[-1] if starts else opened, cue.start() + 1, book, opens=True)
    closing = _CLAUSE_END.search(text, cue.end(), cue.end() + _AROUND)
    end = closing.start() if closing else min(len(text), cue.end() + _AROUND)
    its = _ITS.match(text, cue.end(), end)
    meant = _words(text, its.end() if its else cue.end(), end, book, opens=False)
    if not said or not meant or ("mean" in cue["words"].lower() and any(word.text in _EXPLAINS for word in said)):
        return None
    if not _is_cue(cue, said[-1], meant[0]):
        return None
    is_sure = _UNSURE_CUE.fullmatch(cue["words"]) is None
    return (
        _of_one_type(said, meant, is_sure=is_sure)
        or (_after_copula(said, meant) if its else None)
        or (_from_same_word(said, meant) if is_sure and its is None else None)
        or (_of_as_many(said, meant) if its is None and "." not in cue["before"].replace("..", "") else None)
    )


def _is_cue(cue: re.Match[str], said: Word, meant: Word) -> bool:
    """Whether the words stand between signs, as one says them; "no badges" and "to say no to" take nothing back."""
    spoken = cue["words"].lower()
    if spoken in _LONE_WORDS and not _PUNCTUATION.search(cue["after"]):
        return said.type == meant.type == "number"
    return _PUNCTUATION.search(cue["before"]) is not None or _TWICE.search(spoken) is not None


def _words(text: str, start: int, end: int, book: Lexicon, *, opens: bool) -> list[Word]:
    found: list[Word] = []
    for match in _WORD.finditer(text, start, end):
        is_first = opens and not found
        found.append(Word(match.start(), match.end(), match[0].lower(), _type_of(match[0], book, is_first=is_first)))
    return found


def _type_of(word: str, book: Lexicon, *, is_first: bool) -> str:
    key = fold(word)
    is_number = any(map(str.isdigit, key)) or key.startswith(("half past ", "quarter "))
    is_day = key in book.weekdays or key.removesuffix("s") in book.weekdays
    is_name = word[0].isupper() and word != "I" and not is_first and book.language != "de"
    types = {
        "ordinal": _ORDINAL.fullmatch(key) is not None,
        "number": is_number or (len(key) > len("an") and key in NUMBER_WORDS),
        "weekday": is_day,
        "month": key in book.months and (word[0].isupper() or len(key) > len("may")),
        "identifier": _IDENTIFIER.fullmatch(word) is not None,
        "name": is_name,
    }
    return next((name for name, holds in types.items() if holds), "")


def _of_one_type(said: Sequence[Word], meant: Sequence[Word], *, is_sure: bool) -> _Repair | None:
    """The last value before the cue by the first one after it, where both are of one type."""
    place = next((place for place, word in enumerate(meant[:_MOST_WORDS]) if word.type), None)
    if place is None or meant[0].text in _SUBJECTS:
        return None
    at = next((at for at in reversed(range(len(said))) if said[at].type == meant[place].type), None)
    if at is None:
        return None
    first, last, before = _run(said, at)[0], _run(meant, place)[1], place
    kept, following = said[at + 1 :], meant[last + 1 : last + 1 + _MOST_WORDS]
    if _is_statement(said[max(0, at - 2) : at], kept, following):
        return None
    while first and before and said[first - 1].text == meant[before - 1].text:
        first, before = first - 1, before - 1
    start, begin = said[first].start, meant[before].start
    if said[at].text == meant[place].text:  # "15 a month, no, 15 a term"
        return _Repair(start, (begin, meant[-1].end))
    repeats = bool(kept and following) and (
        kept[0].text == following[0].text or kept[0].type == following[0].type != ""
    )
    goes_on = bool(following) and following[0].text not in _FOLLOWING
    if goes_on and not (repeats or is_sure):
        return None
    stays = kept and not repeats and not goes_on
    return _Repair(start, (begin, meant[last].end), (kept[0].start, kept[-1].end) if stays else (0, 0))


def _is_statement(before: Sequence[Word], kept: Sequence[Word], following: Sequence[Word]) -> bool:
    """Whether the words after the cue say something of their own, or too much lies between to tell."""
    return (
        any(word.text == "not" for word in before)
        or len(kept) > _MOST_KEPT
        or any(word.text in _VERBS for word in kept)
        or any(word.text in _VERBS or word.text in _OF_THESE for word in following)
    )


def _run(words: Sequence[Word], at: int) -> tuple[int, int]:
    """The first and the last place of a name of several words."""
    first = last = at
    while words[at].type == "name" and first and words[first - 1].type == "name":
        first -= 1
    while words[at].type == "name" and last + 1 < len(words) and words[last + 1].type == "name":
        last += 1
    return first, last


def _after_copula(said: Sequence[Word], meant: Sequence[Word]) -> _Repair | None:
    """What stands after the copula: "the budget is low, no, it's high"."""
    at = next((at for at in reversed(range(len(said) - 1)) if said[at].text in _IS), None)
    if at is None or len(said) - at > _MOST_KEPT or len(meant) > _MOST_KEPT:
        return None
    return _Repair(said[at + 1].start, (meant[0].start, meant[-1].end))


def _from_same_word(said: Sequence[Word], meant: Sequence[Word]) -> _Repair | None:
    """From the word that both share: "at the club, no, at the boathouse", "I moved to Bonn, no, I moved to Ulm"."""
    shared, place = meant[0].text, 0
    if shared in _PRONOUNS and len(meant) > 1 and all(word.text != shared for word in said):
        shared, place = meant[1].text, 1
        if shared in _VERBS:
            return None
    elif shared in _PLACES:
        if len(meant) > _LONGEST_PHRASE or any(word.text in _VERBS for word in meant):
            return None  # a statement of its own
    elif shared not in _SUBJECTS:
        return None
    at = next((at for at in reversed(range(len(said))) if said[at].text == shared), None)
    if at is None:
        return None
    if shared in _SUBJECTS and [word.text for word in said[at : at + 2]] != [word.text for word in meant[:2]]:
        return None
    return _Repair(said[at].start, (meant[place].start, meant[-1].end))


def _of_as_many(said: Sequence[Word], meant: Sequence[Word]) -> _Repair | None:
    """As many words: the last are the same ("Professor Weber, sorry, Doctor Weber"), or a value stood alone there."""
    count = len(meant)
    if count > _MOST_WORDS or count >= len(said):
        return None
    is_same_end = count > 1 and said[-1].text == meant[-1].text and said[-1].type in ("name", "")
    stood_alone = count == 1 and said[-2].text in _IS | _PLACES and not meant[0].type and meant[0].text not in _NO_VALUE
    if not is_same_end and not stood_alone:
        return None
    return _Repair(said[-count].start, (meant[0].start, meant[-1].end))

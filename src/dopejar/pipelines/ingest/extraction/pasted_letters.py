"""Material: letters, templates, exercises and documents that somebody brings along; nobody states them here.

Takes: a text. Gives: the ranges that are such material. Never: the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern

_OPENS: Final = lazy_pattern(r"^[ \t>*]*(?:Subject:|Dear\b[^\n,:]{0,60}[,:]|To whom it may concern)", re.MULTILINE)
_CLOSES: Final = lazy_pattern(
    r"^[ \t>*]*(?:(?:best|kind|warm)(?:est)? (?:regards|wishes)|sincerely|yours (?:sincerely|faithfully|truly)|regards|"
    r"best|\[your name\])\b[^\n]{0,30}(?:\n[^\n]{1,60})?",
    re.IGNORECASE | re.MULTILINE,
)
_BLANK: Final = lazy_pattern(
    r"\[(?:your|insert|briefly|name|company|date|recipient|position|address|mention|specific|client|add|describe)\b[^\[\]\n]*\]",
    re.IGNORECASE,
)
_MATERIAL: Final = lazy_pattern(
    r"\b(?:rewrite|rephrase|proofread|paraphrase|translate|polish|summari[sz]e|shorten|correct|edit|revise)\b"
    r"(?! (?:me|myself)\b)[^\n:.?!]{0,80}"
    r"(?:(?<=this)|(?<=following)|(?<=text)|(?<=sentence)|(?<=paragraph)|(?<=mail)|(?<=letter)|"
    r"(?=:[ \t]*(?:\n|[\"“«]))):"
    r"\s*(?P<quoted>[\"“«][^\"”»]*[\"”»])?",
    re.IGNORECASE,
)
_TEXT: Final = (
    r"(?:article|e?mail|text|recipe|letter|ad|advert|listing|paragraph|passage|draft|post|review|abstract|essay|notice|"
    r"contract|clause|story|transcript|message|reply|exercise)"
)
_BROUGHT: Final = lazy_pattern(  # in the paragraph before: "I found this online", "here's what they sent out"
    r"\b(?:found|got|copied|pasted|saw) this(?=(?P<online> online)\b| (?:on|in|at|from|via|somewhere)\b|\s*[^\w\s]|"
    r"\s*$)"
    r"|\b(?:here['’]?s|here is|here are|this is|this was|below is) (?:"
    r"(?P<others>what (?!i\b)(?:\w+ ){1,4}(?:sent|wrote|says?|posted|put)"
    rf"|(?:her|his|their) (?:\w+ ){{0,2}}{_TEXT}|(?:the|an?) (?:\w+ ){{0,2}}{_TEXT} (?:(?:from|by) (?!me\b)|"
    r"(?!i\b)(?:\w+ ){1,3}(?:sent|wrote|posted)))"
    rf"|(?!my (?:\w+ ){{0,2}}(?:letter|post|story|message))"
    rf"(?:(?:the|an?|my|our|your) )?(?:\w+ ){{0,2}}{_TEXT})\b",
    re.IGNORECASE,
)
_DOCUMENT: Final = 1500  # characters
_WORD_BEFORE: Final = 300
_SELF: Final = lazy_pattern(r"\b(?:I|I'm|I've|my)\b")
_PARAGRAPH: Final = lazy_pattern(r"(?:(?!\n[ \t]*\n).)+", re.DOTALL)
_NUMBERED: Final = lazy_pattern(r"\s*(?:Q(?:uestion)?|Ex(?:ercise)?|Problem)\.? ?\d+\s*[.):]?\s")
_EXERCISE: Final = lazy_pattern(
    r"(?:^|[.?!:)]\s+)(?:Calculate|Compute|Determine|Prove|Evaluate|Derive|Show that|"
    r"Find (?:the|an?|all)|Solve|Simplify|Sketch) [^\n]"
)
_QUOTED: Final = tuple('>"“«')
_PERSON: Final = lazy_pattern(r"\b(?:i|my|me|we|our|us)\b", re.IGNORECASE)


def material(text: str) -> tuple[tuple[int, int], ...]:
    """The ranges of a text that its speaker brought along."""
    return (*_middle_of_document(text), *_exercises(text), *_brought(text), *drafts(text))


def _middle_of_document(text: str) -> tuple[tuple[int, int], ...]:
    """The middle of a long text in which nobody says "I": a pasted document, with a word before or after it."""
    if len(text) < _DOCUMENT:
        return ()
    spoken = len(_SELF.findall(text))
    return () if spoken * 400 > len(text) else ((_WORD_BEFORE, len(text) - _WORD_BEFORE),)


def _brought(text: str) -> Iterator[tuple[int, int]]:
    """What follows the paragraph that announces it, up to a question at the end.

    Unless others wrote it or it is quoted, without paragraphs in which somebody speaks of themselves: of the speaker.
    """
    first, *paragraphs = _PARAGRAPH.finditer(text) if "\n" in text else (None,)
    announced = _BROUGHT.search(first[0]) if first and paragraphs else None
    if announced is None:
        return
    if len(paragraphs) > 1 and paragraphs[-1][0].rstrip().endswith("?"):
        paragraphs.pop()
    is_of_others = announced["online"] or announced["others"]
    for paragraph in paragraphs:
        is_quoted = is_of_others or paragraph[0].lstrip()[:1] in _QUOTED
        if is_quoted or not _PERSON.search(paragraph[0]):
            yield paragraph.span()


def _exercises(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs with a number of an exercise, or with its order, in which nobody speaks of themselves."""
    for paragraph in _PARAGRAPH.finditer(text):
        is_exercise = _NUMBERED.match(paragraph[0]) or _EXERCISE.search(paragraph[0])
        if is_exercise and not _PERSON.search(paragraph[0]):
            yield paragraph.span()


def drafts(text: str) -> tuple[tuple[int, int], ...]:
    """Where a letter stands from its address to its close, a paragraph with blanks to fill in, a text to reword."""
    found: list[tuple[int, int]] = []
    if "Dear " in text or "Subject:" in text or "To whom" in text:
        found += _letters(text)
    if "[" in text:
        end = 0
        for blank in _BLANK.finditer(text):
            if blank.start() >= end:
                start, end = _paragraph(text, blank.start())
                found.append((start, end))
    if ":" in text:
        asked = _MATERIAL.search(text)
        if asked and asked["quoted"]:
            found.append(asked.span("quoted"))
        elif asked and asked.end() < len(text):
            found.append((asked.end(), len(text)))
    return tuple(found)


def _letters(text: str) -> list[tuple[int, int]]:
    opened = _OPENS.search(text)
    if opened is None:
        return []
    closed = _CLOSES.search(text, opened.end())
    return [(opened.start(), closed.end() if closed else len(text))] if closed or opened.start() else []


def _paragraph(text: str, place: int) -> tuple[int, int]:
    start = text.rfind("\n\n", 0, place)
    end = text.find("\n\n", place)
    return (start + 2 if start >= 0 else 0, end if end >= 0 else len(text))

"""The clauses of a statement: stretches that say something of their own, each with its subject.

Takes: a statement and a reader of graded relations. Gives: its clauses, whose words another statement may change one
by one. Never: changes a word; tells which clause is meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.extraction.orders import is_order
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.quotations import marked
from dopejar.text.text_values import has_digit
from dopejar.values.statement import Statement

LEAST_WORDS: Final = 3  # of a clause with a subject, and of what is left
_MOST_WORDS: Final = 4  # of a subject that only its verb shows
_JOINT: Final = re.compile(
    r"(?:\s*[,;]\s+|(?!(?:(?<=thing)|(?<=body))\s+but\s)\s+(?=(?:and|but|while|whereas)\s))"  # "everything but nuts"
    r"(?P<word>(?:and|but|while|whereas)\s+)?"
    r"(?!(?:so|because|since|as|at least|at most|which|who|whose|where|when(?:ever)?|if|until|till|unless|that|than|"
    r"before|after|although|though|except|instead|too|also|then|or)\b)",  # what these open belongs to what is before
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"(?P<subject>[^\W\d_][^,;:.!?\n]{1,60}:) \S")  # of a list: "Room 4: Ana Lund, 300 a month"
PRONOUN: Final = re.compile(r"(?:it|he|she|they)\s+", re.IGNORECASE)
_PARTICIPLE: Final = re.compile(r"\w+ed\b")  # it may say more of the noun before it: "cancelled at any time"
_THIRD_PERSON: Final = re.compile(r"[a-z]+[^\Ws']s\b(?! of\b)")  # or a plural
BARE: Final = re.compile(
    r"(?!(?:the|an?|my|our|his|her|its|their|this|that|these|those|every|each|all|both|no)\b)[a-z]"
)
OPENED: Final = re.compile(r"(?:for|with|at) ", re.IGNORECASE)  # no subject: "for the Lunds it's 12 euros"
_CONTRACTED: Final = re.compile(r"(?:^|\s)(?:it|he|she|they)$", re.IGNORECASE)  # before "'s"
_NEXT_OF_NAME: Final = re.compile(r"(?: [A-Z][a-z]+)+(?= )")
_ELLIPTIC: Final = re.compile(  # without a verb: "Ivo's 555 0183", "Luka in 3b", "the old one on 8060"
    r"(?:(?:[A-Z][\w-]*|(?:the|my|our) [\w-]+)['’]s(?= \S*\d\S*(?: \S+){0,3}$)|"
    r"(?:[A-Z][\w-]*|(?:[\w-]+ ){1,2}one)(?= (?:in|on|at|from|to|until|till|by|for|with) ))"
)
_WEEKDAY: Final = re.compile(
    r"(?:on |every )?(?:mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?|sun)(?:day)?s?\b", re.IGNORECASE
)
_OPENS: Final = re.compile(r"(?P<figure>\d)|(?P<name>[A-Z])|(?P<word>[^\W\d_])")
_CONDITION: Final = re.compile(r"(?:when(?:ever)?|if|for|in) ", re.IGNORECASE)


_SAID_OF: Final = re.compile(r"(?P<before>[^.]+)\. (?P<said>(?:they|it|he|she)\b.+)", re.IGNORECASE)
_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+(?: [A-Z][\w-]+)*")


def with_name_alone(text: str, other: str) -> str:
    """What is said behind a sentence of the name that the other text has: of that sentence the name tells enough.

    "Concrete comes from Betonmix. They charge 118" is "Betonmix: they charge 118" beside another price of Betonmix.
    """
    found = _SAID_OF.fullmatch(text)
    names = [one for one in _NAME.findall(found["before"]) if one in other] if found else []
    if found is None or len(names) != 1:
        return text
    return f"{names[0]}: {found['said'][0].lower()}{found['said'][1:]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class StatementPart:
    """A stretch of a statement; it has a subject, or shares that of the clause with the number `owner`."""

    start: int
    end: int
    owner: int
    subject: str
    words: str  # behind the subject

    @property
    def says(self) -> str:
        """The clause with its subject."""
        return f"{self.subject} {self.words}".strip()


def lists_orders(text: str) -> bool:
    """Whether an order follows in a text behind another one, as in "be brief, and sign it"."""
    first, *others = _JOINT.split(text)[::2]
    words = cues("en")
    return (is_order(first, words) or _CONDITION.match(first) is not None) and any(
        is_order(one, words) for one in others
    )


def parts_of(text: str) -> list[tuple[int, int]]:
    """Where the parts between commas and conjunctions stand; a quotation is not divided."""
    quoted = marked(text)
    joints = [one for one in _JOINT.finditer(text) if not any(start < one.start() < end for start, end in quoted)]
    starts, ends = [0, *(one.end() for one in joints)], [*(one.start() for one in joints), len(text)]
    return list(zip(starts, ends, strict=True))


def clauses_of(text: str, reader: StatementReader) -> list[StatementPart]:
    """The clauses; words that say nothing of their own belong to the clause before them."""
    spans = parts_of(text)
    parts = [text[start:end] for start, end in spans]
    if len(parts) < 2 or not all(parts):
        return []
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    joints = [_JOINT.match(text, end) for end in ends[:-1]]
    label, are_orders = _LABEL.match(text), lists_orders(text)
    if label is None and not are_orders and (clauses := _in_parallel(starts, ends, parts)):
        return clauses
    found: list[StatementPart] = []
    for start, end, words, read, joint in zip(starts, ends, parts, reader.read(parts), [None, *joints], strict=True):
        is_opening = label is not None and joint is None
        subject = (
            label["subject"] if label is not None and is_opening else _own_subject(words, read, is_first=joint is None)
        )
        if subject:
            behind = words[len(subject) :].strip()
            found.append(StatementPart(start=start, end=end, owner=len(found), subject=subject, words=behind))
        elif joint is None and not are_orders:
            return []  # "On Mondays, the cleaner ..."
        elif joint is None or (are_orders and is_order(words, cues("en"))):
            found.append(StatementPart(start=start, end=end, owner=0, subject="", words=words))
        elif label is not None or (not are_orders and _says_more(text, found[-1], words, joint)):
            last = found[-1]
            is_plain = PRONOUN.match(words) is None or OPENED.match(last.subject) is not None
            plain = words if is_plain else PRONOUN.sub("", words, count=1)
            found.append(StatementPart(start=start, end=end, owner=last.owner, subject=last.subject, words=plain))
        else:
            last = found[-1]
            found[-1] = replace(last, end=end, words=f"{last.words}{text[last.end : end]}")
    return found


def _in_parallel(starts: Sequence[int], ends: Sequence[int], parts: Sequence[str]) -> list[StatementPart]:
    """Clauses that all open with what they are for: "for the bakery I use Excel, for my own stuff SQLite"."""
    opening = OPENED.match(parts[0])
    if opening is None or not all(part.lower().startswith(opening[0].lower()) for part in parts):
        return []
    return [
        StatementPart(start=start, end=end, owner=number, subject="", words=part)
        for number, (start, end, part) in enumerate(zip(starts, ends, parts, strict=True))
    ]


def _own_subject(clause: str, read: Statement, *, is_first: bool) -> str:
    """The subject that the clause opens with and says something of, as read or as its verb shows; "" without one."""
    if not is_first and not _WEEKDAY.match(clause) and (found := _ELLIPTIC.match(clause)):
        return found[0]
    if _WEEKDAY.match(clause) or PRONOUN.match(clause) or len(clause.split()) < LEAST_WORDS:
        return ""
    subject = read.frame.subject if read.frame is not None and read.frame.value else ""
    verb = FINITE.search(clause)
    if subject and clause.lower().startswith(subject.lower()) and (is_first or verb or not BARE.match(subject)):
        return _whole_name(clause, len(subject))
    if verb is None or " " in verb[0] or _PARTICIPLE.fullmatch(verb[0]):
        return ""
    is_contracted = "'" in verb[0] and (said := _CONTRACTED.search(clause[: verb.start() + verb[0].index("'")]))
    before = clause[: said.start() if is_contracted and said else verb.start()].strip()
    return before if 0 < len(before.split()) <= _MOST_WORDS and not has_digit(before) else ""


def _whole_name(clause: str, end: int) -> str:
    """The subject to the end of the name that it breaks off in: "The account at Alba" of "Alba Bank"."""
    more = _NEXT_OF_NAME.match(clause, end) if re.search(r"(?:^|\s)[A-Z]\w*$", clause[:end]) else None
    return clause[: more.end() if more else end]


def _says_more(text: str, before: StatementPart, words: str, joint: re.Match[str]) -> bool:
    """Whether words without a subject say something of their own of the one before, and are no item of a list."""
    word = (joint["word"] or "").strip().lower()
    if word == "but" or PRONOUN.match(words) or opens_with_verb(words, before):
        return True
    last = text[before.start : before.end].rsplit(maxsplit=1)[-1]
    if _WEEKDAY.match(words) and _WEEKDAY.match(last):
        return False
    if joint[0].lstrip().startswith((",", ";")):
        if _WEEKDAY.match(words):
            return True
        is_beside_figure = has_digit(before.words) and not _PARTICIPLE.match(words)
        return has_digit(words) or is_beside_figure or _sort(last) != _sort(words)
    return has_digit(words) and not has_digit(last)


def _sort(word: str) -> str | None:
    found = _OPENS.search(word)
    return found.lastgroup if found else None


def opens_with_verb(words: str, before: StatementPart) -> bool:
    """Whether the words are a predicate of the subject before them: by their verb, or in the form of the one there."""
    if _PARTICIPLE.match(words) or PRONOUN.match(words):
        return False
    return FINITE.match(words) is not None or all(map(_THIRD_PERSON.match, (words, before.words)))

"""A question with the names of those whom it only describes: "where was my boss born?" is "where was Karin born?".

Takes: a question's text and a look-up of statements. Gives: the text with names in place of descriptions, and the
statements that tell these. Never: guesses; what two statements name differently stays as it was asked. Reads English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.text.words import stem

if TYPE_CHECKING:
    from dopejar.values.record import Record

Look = Callable[[str], Iterable["Record"]]
"""The records that share words with a text."""

_MOST_HOPS: Final = 3
_NAME: Final = r"(?-i:[A-Z][\w'’-]*\.?(?: [A-Z][\w'’-]*)*|[a-z\d]+(?:[-_./]\w+)+)"  # Karin, Dr. Holt, pg-otter
_WHOSE: Final = rf"(?:my|our|the|{_NAME}['’]s)"
_NOUN: Final = r"[a-z][\w-]*(?: [a-z][\w-]*){0,4}?"
_SPOUSES: Final = "(?:husband|wife|spouse|partner)"
_FLAGS: Final = re.IGNORECASE
_IS: Final = re.compile(rf"(?P<what>{_WHOSE} {_NOUN}) (?:is|are)(?: called| named)? (?P<name>{_NAME})\W*", _FLAGS)
_IS_WHAT: Final = re.compile(rf"(?P<name>{_NAME}) (?:is|are) (?P<what>{_WHOSE} {_NOUN})\W*", _FLAGS)
_BESIDE: Final = re.compile(rf"(?P<what>(?:my|our) [a-z][\w-]*),? (?P<name>{_NAME})[ ,]", _FLAGS)
_MARRIED: Final = re.compile(rf"(?P<one>{_NAME}) is married to (?P<other>{_NAME})\W*", _FLAGS)
_DID: Final = re.compile(rf"(?P<name>{_NAME}) (?P<verb>[a-z]+) (?P<what>.+?)\W*", _FLAGS)
_KIND: Final = r"(?:the|a|an|our) (?P<thing>(?:[\w-]+ ){0,2}[\w-]+ %s)\b"
_OWNED: Final = (  # the service that Lena owns, Lena's service, the service of Lena
    re.compile(rf"\bthe (?P<noun>[a-z][\w-]*) (?:that |which )?(?P<name>{_NAME}) (?P<verb>[a-z]+)\b", _FLAGS),
    re.compile(rf"\b(?P<name>{_NAME})['’]s (?P<noun>[a-z][\w-]*)", _FLAGS),
    re.compile(rf"\bthe (?P<noun>[a-z][\w-]*) (?:of|from) (?P<name>{_NAME})(?![\w-])", _FLAGS),
    re.compile(r"\b(?P<name>the (?:[a-z][\w-]* )?[a-z][\w-]*)['’]s (?P<noun>[a-z][\w-]*)", _FLAGS),
)
_DOER: Final = re.compile(r"\bthe (?:person|one|guy|man|woman|colleague|developer) who (?P<did>[\w' -]+)", _FLAGS)


class Resolved(NamedTuple):
    """A text with names in place of descriptions, the names, and the records that tell them."""

    text: str
    names: tuple[str, ...]
    records: tuple[Record, ...]


def resolved(text: str, look: Look) -> Resolved | None:
    """The question with what statements name; None where they name nothing of what it describes."""
    names: list[str] = []
    told: dict[str, Record] = {}
    asked = text
    for _ in range(_MOST_HOPS):
        records = list(look(asked))
        found = {record.id: list(_replacements(record.text, asked)) for record in records}
        by_phrase: dict[str, set[str]] = {}
        for pairs in found.values():
            for phrase, name in pairs:
                by_phrase.setdefault(phrase, set()).add(name)
        phrase = max((one for one, several in by_phrase.items() if len(several) == 1), key=len, default="")
        if not phrase:
            break
        name = by_phrase[phrase].pop()
        asked = asked.replace(phrase, name)
        names.append(name)
        told |= {record.id: record for record in records if (phrase, name) in found[record.id]}
    return Resolved(asked, tuple(names), tuple(told.values())) if names else None


def _replacements(said: str, asked: str) -> Iterator[tuple[str, str]]:
    """Phrases of a question with what a statement calls them."""
    for form in (_IS, _IS_WHAT):
        if match := form.fullmatch(said):
            yield from _in_place(match["what"], match["name"], asked)
    if match := _BESIDE.match(said):
        yield from _in_place(match["what"], match["name"], asked)
    if match := _MARRIED.fullmatch(said):
        for one, other in ((match["one"], match["other"]), (match["other"], match["one"])):
            yield from _in_place(rf"{re.escape(one)}['’]s {_SPOUSES}", other, asked, is_pattern=True)
    yield from _things(said, asked)
    if (match := _DID.fullmatch(said)) and (doer := _DOER.search(asked)):
        did, verb = _stems(doer["did"]), _stems(f"{match['verb']} {match['what']}")
        if verb == did[: len(verb)]:
            whole = " ".join(doer[0].split()[: len(doer[0].split()) - len(did) + len(verb)])
            yield whole, match["name"]


def _in_place(what: str, name: str, asked: str, *, is_pattern: bool = False) -> Iterator[tuple[str, str]]:
    """The description where the question has it, and not its name as well."""
    pattern = what if is_pattern else re.escape(what)
    match = re.search(rf"(?<![\w'’-]){pattern}(?![\w-])", asked, _FLAGS)
    if match and name.casefold() not in asked.casefold():
        yield match[0], name


def _things(said: str, asked: str) -> Iterator[tuple[str, str]]:
    """A thing by whose it is: "the service that Lena owns" with "Lena owns the billing service"."""
    for form in _OWNED:
        for match in form.finditer(asked):
            verb = match.groupdict().get("verb")
            if not re.match(rf"{re.escape(match['name'])}(?![\w-])", said, _FLAGS):
                continue
            rest = said[len(match["name"]) :]
            kind = re.search(_KIND % re.escape(match["noun"]), rest, _FLAGS)
            if kind and (verb is None or stem(verb.lower()) in _stems(rest)):
                yield match[0], f"the {kind['thing']}"


def _stems(text: str) -> list[str]:
    return [stem(word) for word in re.findall(r"\w+", text.lower())]

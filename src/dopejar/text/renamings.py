"""Renamings: which two names a text says are those of one thing, and which of them is in use.

Takes: a text. Gives: pairs of an older name and the one that took its place. Never: tells what the names stand for.

A text is read as a row of classes, a letter for a name or for what a word does (`data/renamings.toml`): "We now call
Falcon Osprey" is `s n c N N`. A frame is a row of classes between two names in which no other word stands, so that a
wording is read by its parts: any word for calling with any word for now.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.normalisation import fold

_NAME: Final = "N"
_OTHER: Final = "_"
_DROPPED: Final = "d"
_ACTIVE: Final = "C"
_SINCE: Final = (
    r"(?:from (?:now|today|here) on(?:wards?)?|henceforth|going forward|as of (?:now|today)|starting (?:now|today))"
)
_CALL: Final = lazy_pattern(
    rf"(?i:(?:please |(?P<before>{_SINCE}),? |let's |let us |we(?:'ll)? |i(?:'ll)? |just |(?:ok(?:ay)?|so),? )*"
    r"call (?:the|my|our|this|that)) "
    r"(?P<thing>[a-z][\w-]*(?: (?!(?:at|in|on|about|to|for|from|with|and|by|as|if|when)\b)[a-z][\w-]*){0,3}) (?:as )?"
    rf"(?P<name>[\"“'][^\"”'\n]{{2,40}}[\"”']|[A-Z][\w-]*(?: (?:[A-Z][\w-]*|\d+))*)(?P<after>,? (?i:{_SINCE}))?[.!]*"
    r"(?![\s\S])"
)
_NAMING: Final = frozenset("crkm")  # words that say that something is named
_MOST_COMMON: Final = 4  # common names that are tried
_LONGEST: Final = 2000  # characters that are read
_TOKEN: Final = lazy_pattern(
    r"(?P<former>[Ee]x-(?=[A-Z]))|(?P<quoted>`[^`\n]{2,60}`|\"[^\"\n]{2,60}\"|“[^”\n]{2,60}”)"
    r"|(?P<word>[^\W_][\w.+#@/-]*[^\W_]|[^\W_])|(?P<clitic>['’](?:s|re|ve|ll)\b)"
    r"|(?P<arrow>[-=]{1,2}>|→|⇒|>)|(?P<mark>[^\s\w])"
)
_MARKS: Final = {**dict.fromkeys(",()-–—", ","), **dict.fromkeys(".!", "."), ":": ":", ";": ";", "?": "?"}
_SPELLED: Final = lazy_pattern(r"[A-Z][\w.+#@/-]*|\w*[a-z][A-Z]\w*|[\w.]+(?:[-_/@#+][\w.]+)+|[a-z]+\d\w*")
_DATE: Final = lazy_pattern(r"\d{4}-\d\d(?:-\d\d)?")
_PAIR: Final = 2
_LONGEST_NAME: Final = 4  # words
_WITH_IS: Final = frozenset({"it", "that", "which", "what", "who", "there", "here", "name"})


_CALLED: Final = "(?:c n* (A | y m | m)? n*)"


def _row_pattern(row: str) -> re.Pattern[str]:
    return re.compile(row.replace("CALLED", _CALLED).replace(" ", ""))


def _frames(*rows: str) -> tuple[re.Pattern[str], ...]:
    return tuple(_row_pattern(f"(?={row})") for row in rows)


# Of a frame `one` is the older name and `two` the one that took its place; the letters are those of the data file.
_OLDER_FIRST: Final = _frames(
    r"(?P<one>N) [,q]* [bhwna]* r [tAn,]* ([,:n]* i [bn]+ (c A?)? n*)? (?P<two>N)",  # A was renamed to B
    r"r (f | m f | o)? (?P<one>N) [,n]* [tAj]? (?P<two>N)",  # we renamed A to B
    r"(?P<one>N) n* h? n* k n* A? (?P<two>N)",  # A became B
    r"[gu] m f (?P<one>N) [tVy] (?P<two>N)",  # changed the name of A to B
    r"(g e? m | u e? m) (?P<one>N) [tVfy] (?P<two>N)",  # swapped the name A for B
    r"g m (?P<one>N) [,;:.n]+ [sinm]* [bw]? [nc]* A? m? (?P<two>N)",  # retiring the name A; it is called B
    r"[gu] (?P<one>N) P? m [ty] (?P<two>N)",  # changed A's name to B
    r"(?P<one>N) [hnb]* g i m (o N)? [tn]+ (?P<two>N)",  # A changed its name to B
    r"(?P<one>N) [bhw]* a* e m [,:tn]* b? (?P<two>N)",  # A has a new name, B
    r"(?P<one>N) [bhwl]* a i? [tnf]* e? m [,:]* (?P<two>N)",  # A took on the name B
    r"(?P<one>N) P? (e m [bn]+ | m [bn]* n [bn]*) (?P<two>N)",  # A's new name is B
    r"e m [fb]+ (?P<one>N) [bn]+ (?P<two>N)",  # the new name of A is B
    r"(?P<one>N) b q s? (?P<two>N) w c",  # A is what B was called
    r"(?P<one>N) [bhwn_]{0,3} y e? m (?P<two>N)",  # A has been running under the name B
    r"p m (?P<one>N) [bhw]* g? [,;:.]+ U e? m? (?P<two>N)",  # the old name A is gone, use B
    r"p (c A?)? (?P<one>N) , (?P<two>N) (?![,_]* N)",  # formerly A, B is ours
    r"(?P<one>N) b p m f (?P<two>N)",  # A is the old name of B
    # what was A is B
    r"(q s? [pbwhn]+ c? A? | q s? c A? | p c? A?) (?P<one>N) ,* ([bhlnk]+ (CALLED)? | CALLED) (?P<two>N)",
)
_OLDER_FIRST_NOW: Final = _frames(
    r"(?P<one>N) [,q]* [bhwln]* CALLED (?P<two>N)",  # A is now called B
    r"s [nhbl]* c (?P<one>N) n* (A | y m | m)? n* (?P<two>N)",  # we now call A B
    r"(?P<one>N) , n+ (CALLED)? (?P<two>N) [,.]",  # A, now B, is ours
    r"(?P<one>N) b (n ,?)+ (?P<two>N)",  # A is now B
    r"(?P<one>N) b (?P<two>N) ,? n",  # A is B now
    r"(?<=[n,]) (?P<one>N) b (?P<two>N)",  # from today, A is B
    r"(?<![A-Za-mo-z]) c (?P<one>N) n* A? (?P<two>N)",  # call A B from now on
)
_NEWER_FIRST: Final = _frames(
    r"(?P<two>N) ,+ q? [bwh]* p+ (m f?)? (c A?)? ,* (?P<one>N)",  # B (formerly A)
    r"(?P<two>N) [,q]* [bwh]* p+ [mbk]* c A? m? (?P<one>N)",  # B was formerly known as A
    r"(?P<two>N) [,q]* ([bwhi] p | [bwh]* p b | i b p) (m f)? (?P<one>N)",  # B is the old A
    r"(?P<two>N) [bA] n* e m f (?P<one>N)",  # B is the new name of A
    r"(?P<two>N) b q (?P<one>N) [bhn]+ c",  # B is what A is called
    r"(?P<two>N) [,fvsb]* q s? [hwb]* [pw] [phwb]* c? A? (?P<one>N)",  # B for what we used to call A
    r"(?P<two>N) [,bhn]* u (?P<one>N) A e? m",  # B replaces A as the name
    r"(?P<two>N) [bhwq,]* r o (?P<one>N)",  # B was renamed from A
    r"(?P<two>N) w (?P<one>N) p",  # B was A until then
)
_ONCE: Final = _frames(r"(?P<two>N) [,q]* [bh]* w c A? m? (?P<one>N)")  # B was called A, until then
_ARROW: Final = _frames(r"(?P<one>N) j (?P<two>N)")
_READ: Final = (
    *((frame, "") for frame in (*_OLDER_FIRST, *_NEWER_FIRST)),
    *((frame, "n") for frame in _OLDER_FIRST_NOW),
    *((frame, "p") for frame in _ONCE),
    *((frame, sign) for frame in _ARROW for sign in "rm"),
)
"""The frames, with what must stand in the sentence besides."""
_ITS_NAME: Final = _row_pattern(  # of the one name before: "Remember A? We call it B now"
    r"[.?:;,_] _* (s [nhb]* c i n* A? | i [blnh]+ (CALLED)? | i e? m [bn]+ | e m [:,b]* (i b n*)?) N"
)


@dataclass(frozen=True, slots=True)
class _Row:
    """A text as classes, one letter a word, the names by their place in it, and the places of "call" and "calls"."""

    letters: str
    names: dict[int, str]
    active: frozenset[int] = frozenset()

    def is_call(self, first: int, last: int) -> bool:
        """Whether one thing only calls another: "Falcon now calls Osprey", without somebody who gives a name."""
        return any(first < place < last for place in self.active) and not {"s", "i"} & {*self.letters[first:last]}


def read_renamings(text: str) -> tuple[tuple[str, str], ...]:
    """The pairs of names of one thing, as written: an older one and the one that took its place."""
    return _pairs_of(_read(text)) or _common_renamed(text)


def read_naming(text: str, *, of_things: bool = True) -> tuple[str, str] | None:
    """The name that a request gives something, and what is named: ("Box A", "server") of "Call the server Box A".

    `of_things`: only where a word for a thing is named, or it says from when on: "Call the plumber Lena" names nobody.
    """
    found = _CALL.match(text.strip())
    if found is None or fold(found["name"].split()[0]) in word_classes():
        return None
    is_thing = fold(found["thing"].split()[-1]) in _things()
    if of_things and not (is_thing or found["before"] or found["after"]):
        return None
    return found["name"].strip("\"'“”"), found["thing"]


def _read(text: str) -> _Row | None:
    """The row of a text; None where it has less than two names."""
    tokens = list(_TOKEN.finditer(text, 0, _LONGEST))
    if sum(token.lastgroup == "quoted" or _is_name(token) for token in tokens) < _PAIR:
        return None
    row = _row(text, tokens)
    return row if len(row.names) >= _PAIR else None


def _pairs_of(row: _Row | None) -> tuple[tuple[str, str], ...]:
    found = _pairs(row) if row is not None else ()
    return tuple(dict.fromkeys(pair for pair in found if fold(pair[0]) != fold(pair[1])))


def _common_renamed(text: str) -> tuple[tuple[str, str], ...]:
    """The pairs whose older name is a common one: "The order service is called Osprey now"."""
    for found in islice(_common_names().finditer(text, 0, _LONGEST), _MOST_COMMON):
        common = found["name"]
        if any(fold(word) in word_classes() for word in common.split()[:-1]):
            continue  # "the new service"
        row = _read(f'{text[: found.start("name")]}"{common}"{text[found.end("name") :]}')
        if row is None or _NAMING.isdisjoint(row.letters):
            continue  # "the export pipeline is now Python"
        if pairs := tuple(pair for pair in _pairs_of(row) if pair[0] == common):
            return pairs
    return ()


@lru_cache(maxsize=1)
def _common_names() -> re.Pattern[str]:
    nouns = "|".join(sorted(_things()))
    return re.compile(
        r"\b(?:[Tt]he|[Oo]ur|[Mm]y)(?: (?:old|former|current|whole))? "
        rf"(?P<name>(?:[a-z][a-z0-9-]+ ){{1,2}}(?:{nouns}))\b(?! (?:{nouns})\b)"
    )


def _pairs(row: _Row) -> Iterator[tuple[str, str]]:
    for frame, when in _READ:
        for found in frame.finditer(row.letters):
            first, last = sorted((found.start("one"), found.start("two")))
            if _is_said(row.letters, first, last + 1, when) and not row.is_call(first, last):
                yield row.names[found.start("one")], row.names[found.start("two")]
    for found in _ITS_NAME.finditer(row.letters):
        place = found.end() - 1
        before = {fold(name): name for at, name in row.names.items() if at < found.start()}
        said = f"{found[0]}{_clause_after(row.letters, place + 1)}"
        if len(before) == 1 and ("n" in said or "e" in said) and "x" not in said:
            yield next(iter(before.values())), row.names[place]


def _is_said(letters: str, start: int, end: int, when: str) -> bool:
    """Whether what stands around a frame leaves it said: not denied, supposed or asked, and of this time."""
    sentence = re.split(r"[.?]", letters[:start])[-1]
    clause = re.split(r"[,;:]", sentence)[-1]
    after = re.split(r"[.?]", letters[end:])[0]
    if "x" in clause or "x" in letters[start:end] or ("x" in sentence and "," not in sentence):
        return False
    is_asked = letters[end + len(after) : end + len(after) + 1] == "?"
    if is_asked and "," not in after:
        return False
    around = sentence + letters[start:end] + after
    if when == "":
        return "l" not in clause + letters[start:end] or "n" in around
    return when in around


def _clause_after(letters: str, place: int) -> str:
    return re.split(r"[,.;:?]", letters[place:])[0]


def _row(text: str, tokens: list[re.Match[str]]) -> _Row:
    """The classes of a text's words; words that say nothing here are left out."""
    letters, names, active = "", dict[int, str](), set[int]()
    place = 0
    while place < len(tokens):
        token = tokens[place]
        count, letter = _class_at(text, tokens, place)
        if letter == _NAME:
            name = text[token.start() : tokens[place + count - 1].end()].strip('`"“”')
            opens = count == _PAIR and letters.endswith(("c", "r")) and _NAME not in letters
            if opens and not _follows_name(text, tokens, place + count):
                names[len(letters)], names[len(letters) + 1] = name.split()
                letters += _NAME * 2
            else:
                names[len(letters)] = name
                letters += _NAME
        elif letter == _ACTIVE:
            active.add(len(letters))
            letters += _ACTIVE.lower()
        elif letter != _DROPPED:
            letters += letter
        place += count
    return _Row(letters, names, frozenset(active))


def _follows_name(text: str, tokens: list[re.Match[str]], place: int) -> bool:
    """Whether a word that brings the second name follows: "call Osprey Two Falcon", "renamed Osprey Two to Falcon"."""
    return place < len(tokens) and _class_at(text, tokens, place)[1] in (_NAME, "t", "A", "j", "V")


def _class_at(text: str, tokens: list[re.Match[str]], place: int) -> tuple[int, str]:
    """How many tokens belong together here, and their class."""
    token = tokens[place]
    if letter := _sign(text, token, tokens[place - 1][0]):
        return 1, letter
    classes = word_classes()
    for count in range(min(_LONGEST_NAME, len(tokens) - place), 0, -1):
        said = fold(text[token.start() : tokens[place + count - 1].end()]).replace("’", "'").rstrip(".")
        if said in classes:
            return count, classes[said]
    last = place
    while (
        _is_name(tokens[last])
        and last + 1 < len(tokens)
        and last - place < _LONGEST_NAME - 1
        and text[tokens[last].end() : tokens[last + 1].start()] == " "
        and _is_name(tokens[last + 1])
    ):
        last += 1
    if _is_name(token):
        return last - place + 1, _NAME
    return 1, _DROPPED if token[0].endswith("ly") else _OTHER


def _sign(text: str, token: re.Match[str], before: str) -> str:
    """The class of what is no plain word; "" for one."""
    if token.lastgroup == "mark":
        is_hyphen = token[0] == "-" and text[max(0, token.start() - 1)] != " "
        return _DROPPED if is_hyphen else _MARKS.get(token[0], _DROPPED)
    if token.lastgroup == "clitic" and token[0][1:] == "s" and fold(before) not in _WITH_IS:
        return "P"
    if _DATE.fullmatch(token[0]):
        return "n"
    return {"quoted": _NAME, "former": "p"}.get(token.lastgroup or "", "")


def _is_name(token: re.Match[str]) -> bool:
    """Whether a word is spelled as a name and is none of those known here."""
    is_spelled = token.lastgroup == "word" and len(token[0]) > 1 and _SPELLED.fullmatch(token[0]) is not None
    return is_spelled and fold(token[0]) not in word_classes()


@lru_cache(maxsize=1)
def _things() -> frozenset[str]:
    return frozenset(_split(_data()["nouns"]["things"]))


@lru_cache(maxsize=1)
def word_classes() -> dict[str, str]:
    """The class of each word, from `data/renamings.toml`."""
    return {word: letter for letter, words in _data()["words"].items() for word in _split(words)}


@lru_cache(maxsize=1)
def _data() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("data").joinpath("renamings.toml").read_text("utf-8"))


def _split(words: str) -> list[str]:
    lexer = shlex.shlex(words, posix=True)
    lexer.whitespace_split, lexer.quotes, lexer.commenters = True, '"', ""
    return list(lexer)

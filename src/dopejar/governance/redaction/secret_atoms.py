"""The pieces of a text that are a secret or part of one as a whole, and what they look like.

Takes: a text. Gives: atoms, the kind of each in one word, the whole values that atoms belong to. Never:
a verdict whether something is a secret.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from dopejar.governance.redaction.secret_words import groups_of, is_wide

MARK: Final = "[redacted:"
LONGEST: Final = 256  # characters of an atom that are looked at
_WIDE: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts without spaces between words
_APART: Final = r"\s\"'`‘’“”«»<>(){}\[\]=:：,，;；|/?&\\。、（）「」『』【】！？→•🔑"
_ATOM: Final = re.compile(
    rf"\[redacted:[a-z-]{{1,32}}\]|[{_WIDE}]+"
    r"|(?<![\w.,-])\d{1,6}(?:(?:[ ]|[ ]?-[ ]?)\d{1,6})+(?![\w]|[.,-]\d)"  # one number in groups
    r"|(?<![\w+/.-])(?=[A-Za-z+/]{0,40}\d)(?=[a-z0-9+/]{0,40}[A-Z])(?=[A-Z0-9+/]{0,40}[a-z])[A-Za-z0-9+/]{20,}={0,2}"
    r"(?![\w+/-])"  # base 64
    r"|(?:(?<=[=:(,>][\"'])|(?<=[=:(,>] [\"'])|(?<= -[A-Za-z] [\"']))(?=[^\"'\n]{1,59}[ ])"
    r"[^\"'\n=:;,(){}<>]{3,60}(?=[\"'])"  # words as a value
    r"|(?<![\w-])(?=[A-Z0-9 ]*\d)[A-Z0-9]{4}(?:[ ][A-Z0-9]{4}){2,15}(?![\w-])"  # one code in groups
    r"|(?<![\w-])[a-z0-9]{4}(?:[ ][a-z0-9]{4}){3,15}(?![\w-])"
    rf"|(?:(?![{_WIDE}]|\\[nrt\"'])[^{_APART}]"
    r"|[?&](?=[^\s\"'`<>(){}\[\]=:,;|/?&\\@])(?![\w.%\[\]-]{1,64}=))+"  # `&` and `?`, unless a parameter follows
)
_TRAILING: Final = ".#…!?*"
_LEADING: Final = "-–—*•$"
_PIECES: Final = re.compile(  # words of a name: `dbPassword2`, `DB_PASS`
    r"[A-Z]{2,}(?![^\W\d_A-Z])|[^\W\d_]?(?:(?![A-Z])[^\W\d_])+|[A-Z]+|[0-9]+"
)
_DOMAIN: Final = r"[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*\.[a-zA-Z]{2,8}"
_FORMS: Final = tuple(  # the first that fits names the kind
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("uuid", r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
        ("date", r"\d{4}-\d\d(?:-\d\d(?:T\S*)?)?|\d{1,2}[.-]\d{1,2}[.-]\d{2,4}"),
        ("numbers", r"\d+(?:[.-]\d+)*"),
        ("hex32", "[0-9a-f]{32}|[0-9A-F]{32}"),
        ("hex40", "[0-9a-f]{40}|[0-9A-F]{40}"),
        ("hex64", "[0-9a-f]{64}|[0-9A-F]{64}"),
        ("hex7", "[0-9a-f]{1,12}|[0-9A-F]{1,12}"),
        ("hex13", "[0-9a-f]{13,31}|[0-9A-F]{13,31}"),
        ("hex33", "[0-9a-f]+|[0-9A-F]+"),
        ("version", r"[vV]?\d+(?:\.\d+)+\S{0,12}"),
        ("mail", rf"\S+@{_DOMAIN}"),
        ("domain", _DOMAIN),
        ("dotted", r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"),
        ("snake", r"[A-Za-z]+(?:[_-][A-Za-z]+)+(?:[_-]?\d{1,3})?"),
        ("unit", r"\d+(?:\.\d+)?[a-zA-Z%°]{1,3}"),
        ("numbered", r"[A-Za-z]+[-_]?\d{1,3}"),
    )
)
_CAMEL: Final = re.compile(r"[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+){2,}")
_LONG_WORD, _LONG_NAME, _LONG_SIGNED = 16, 32, 20
_SIZES: Final = ((12, "alnum"), (24, "random"))
_PUBLIC: Final = re.compile(  # what is encoded and no secret: certificates, public keys, pictures
    r"-----BEGIN (?![A-Z0-9 ]{0,40}PRIVATE)[A-Z0-9 ]{1,40}-----(?:[A-Za-z0-9+/=:,. \t\r\n]|\\[nr]|-(?!----))*"
    r"|;base64,[A-Za-z0-9+/=]+|(?:ssh-|ecdsa-|sk-ssh-)[\w@.-]{2,40}[ ]+AAAA[A-Za-z0-9+/=]+|\"/9j/[A-Za-z0-9+/=]+"
)
_PUBLIC_SIGNS: Final = ("-----BEGIN", ";base64,", " AAAA", '"/9j/')
_NAMED_IDS: Final = re.compile(  # by which assistants name their calls and messages, and modes of files in git's words
    r"(?<![\w-])(?:(?:srv)?toolu|msg|req|call|resp|chatcmpl)[_-][A-Za-z0-9_]{16,}(?![\w-])"
    r"|(?<![\w-])mode [01][0-6]0[0-7]{3}(?!\d)"
)
_ID_SIGNS: Final = ("toolu_", "msg_", "req_", "call_", "resp_", "chatcmpl-", "mode 1", "mode 0")
_NUMBERED: Final = re.compile(r"^[ \t]*([0-9]{1,6})(?=\u2192|\t|:| ?\|)", re.MULTILINE)
_REST_OF_RUN: Final = re.compile(r"[^\s\"'`<>{}\[\]()=]*")
_ENDS_ELSEWHERE: Final = re.compile(r"[;,&?|]|[.,:;!?]$")
_PADDING: Final = re.compile(r"={1,2}(?![\w=])")
_SPACE: Final = re.compile(r"\s")
_LONGEST_VALUE: Final = 160
_LONGEST_GAP: Final = 3


class TextAtom(NamedTuple):
    """A piece of a text."""

    start: int
    end: int
    text: str

    @property
    def is_mark(self) -> bool:
        """Whether it is what an earlier redaction left."""
        return self.text.startswith(MARK)


def atoms_of(text: str, start: int, end: int) -> list[TextAtom]:
    """The atoms of a part of a text."""
    atoms = []
    for match in _ATOM.finditer(text, start, end):
        first, last = match.span()
        piece = match.group()
        if piece.startswith(MARK):
            atoms.append(TextAtom(first, last, piece))
            continue
        piece = piece.rstrip(_TRAILING)
        last = first + len(piece)
        piece = piece.lstrip(_LEADING)
        first = last - len(piece)
        value, _, host = piece.rpartition("@")
        if value and host and first and text[first - 1] in ":/":  # `user:VALUE@host`
            atoms += [TextAtom(first, first + len(value), value), TextAtom(last - len(host), last, host)]
        elif piece:
            atoms.append(TextAtom(first, last, piece))
    return atoms


def kind_of(atom: str) -> str:
    """What an atom looks like, in one word."""
    if atom.startswith(MARK):
        return "mark"
    if atom.isalpha():
        return _kind_of_word(atom, len(atom))
    if " " in atom:
        return _kind_of_groups(atom)
    if atom.isdigit():
        return f"digits{len(atom) if len(atom) < 9 else 9 if len(atom) < 14 else 14}"
    known = next((kind for kind, form in _FORMS if form.fullmatch(atom)), "")
    return known or _kind_of_mixture(atom, len(atom))


def _kind_of_groups(atom: str) -> str:
    groups = atom.split(" ")
    if any(len(one) > 4 or not one.isalnum() for one in groups):
        return f"phrase{min(len(groups), 6)}"
    is_number = atom.replace(" ", "").replace("-", "").isdigit()
    return f"groups{min(len(groups), 6)}{is_number:d}{len(groups[0]) == len(groups[1])}"


def _kind_of_mixture(atom: str, size: int) -> str:
    if any(not character.isalnum() and character not in "-_." for character in atom):
        return "signed" if size < _LONG_SIGNED else "longsigned"
    if not any(map(str.isdigit, atom)):
        return "joined"
    return next((kind for bound, kind in _SIZES if size < bound), "longrandom")


def _kind_of_word(atom: str, size: int) -> str:
    if not atom.isascii():
        return "foreign"
    if atom.islower():
        return "word" if size < _LONG_WORD else "longword"
    if atom.isupper():
        return "upper" if size < _LONG_WORD else "longupper"
    if atom[1:].islower():
        return "capital" if size < _LONG_WORD else "longword"
    return "camel" if _CAMEL.fullmatch(atom) and size < _LONG_NAME else "mixedletters"


def parted(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case."""
    return tuple(piece.lower() for piece in _PIECES.findall(name) if not piece.isdigit())


_parted_once = lru_cache(maxsize=4096)(parted)


def words_of(atom: str) -> tuple[str, ...]:
    """The words within an atom, in lower case; of one that has digits nothing is remembered."""
    atom = atom[:64]
    if is_wide(atom):
        return (atom[-1:], atom[-2:], atom[-3:], *(atom[at : at + 2] for at in range(min(len(atom), 8) - 2)))
    return parted(atom) if any(map(str.isdigit, atom)) else _parted_once(atom)


_FOUR_DIGITS: Final = re.compile(r"(?<= )[0-9]{4,5}\b(?![-/:]\d)")
_CLAUSE_END: Final = re.compile(r"[.;!?\n]")
_AMOUNT: Final = re.compile(r"\b(?:costs?|costing|(?:opens?|closes?|shuts?|starts?) at|since|until) $")
_DATED: Final = re.compile(  # before a year: "April 15, 2024", "born in 1984"
    r"\b(?:(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?(?: \d{1,2}(?:st|nd|rd|th)?)?,?"
    r"|in|during|early|late) $",
    re.IGNORECASE,
)
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_BEFORE_FIGURE: Final = 20  # characters that hold the longest of these words
_VERSIONED: Final = re.compile(  # `flake8 6.0.0`
    r"(?<![\w-])(?P<name>[A-Za-z][\w-]{1,30}) v?\d{1,3}\.\d{1,3}\.\d{1,3}(?![\w.])"
)
_OF_CODE: Final = re.compile(  # `new repo for you: harbor-web`: a name of plain words
    r"\b(?:(?:mono)?repo|repository|project|service|app|package|module|library|code ?name)\b(?P<between>(?: (?:for|of)"
    r"(?: [^\W\d_]+){1,2})?)(?:[:,]| (?:(?:is|was) )?(?:now )?(?:called|named)| (?:is|was)(?: now)?)? [\"'`]?"
    r"(?P<name>[a-z]+(?:-[a-z]+)+)(?![\w-])",
    re.IGNORECASE,
)


def public_parts(text: str) -> list[tuple[int, int]]:
    """Where encoded data without secrets, ids of calls, names of code, prices, times, years and line numbers are."""
    parts = []
    if "-" in text:
        parts += [
            one.span("name") for one in _OF_CODE.finditer(text) if not _names_secret(text, one.start(), one["between"])
        ]
    if any(sign in text for sign in _PUBLIC_SIGNS):
        parts += [match.span() for match in _PUBLIC.finditer(text)]
    if any(sign in text for sign in _ID_SIGNS):
        parts += [match.span() for match in _NAMED_IDS.finditer(text)]
    for match in _FOUR_DIGITS.finditer(text):
        is_year = _YEAR.fullmatch(match.group()) and _DATED.search(
            text, max(0, match.start() - _BEFORE_FIGURE), match.start()
        )
        if is_year or _AMOUNT.search(text, max(0, match.start() - _BEFORE_FIGURE), match.start()):
            parts.append(match.span())
    if "." in text:
        parts += [
            one.span("name")
            for one in _VERSIONED.finditer(text)
            if not _names_secret(text, one.start(), _CLAUSE_END.split(text[one.end() : one.end() + _LONGEST_VALUE])[0])
        ]
    return parts + _line_numbers(text)


def _names_secret(text: str, start: int, behind: str) -> bool:
    """Whether the words around a name tell of a secret: "the password of the app is green-lamp"."""
    before = _CLAUSE_END.split(text[max(0, start - _LONGEST_VALUE) : start])[-1]
    return any(map(groups_of, parted(f"{before} {behind}")))


def _line_numbers(text: str) -> list[tuple[int, int]]:
    """The numbers before the lines of a file that is shown: each is one more than that of the line before."""
    numbers = [(int(match.group(1)), match.span(1)) for match in _NUMBERED.finditer(text)] if "\n" in text else []
    spans: list[tuple[int, int]] = []
    for (before, span), (behind, next_span) in pairwise(numbers):
        if behind == before + 1:
            spans += (span, next_span)
    return spans


def widened(text: str, atoms: Sequence[TextAtom], places: Sequence[int]) -> list[tuple[int, int]]:
    """The whole values that the atoms at these places are part of, from first to last."""
    spans: list[tuple[int, int]] = []
    for place in places:
        start, end = atoms[place].start, atoms[place].end
        before = spans[-1][1] if spans else 0
        if spans and (start <= before or _joins(text[before:start])):
            spans[-1] = (spans[-1][0], max(end, before))
        else:
            spans.append(_value_around(text, before, start, end))
        padding = _PADDING.match(text, spans[-1][1])
        if padding:
            spans[-1] = (spans[-1][0], padding.end())
    return spans


def _joins(gap: str) -> bool:
    """Whether what stands between two atoms is part of one value."""
    return gap == " " or (len(gap) <= _LONGEST_GAP and not any(sign in gap for sign in " \n\"'`|\t"))


def _value_around(text: str, before: int, start: int, end: int) -> tuple[int, int]:
    """The value in quotes, or behind a sign that assigns, whose part an atom is; `before` is where it may begin."""
    while before < start and text[start - 1] in "#$!*^-+" and text[max(0, start - 2) : start - 1] in tuple("\"'`=: "):
        start -= 1
    opening = text[start - 1] if start else ""
    if opening and opening in "\"'`":
        close = text.find(opening, end, start + _LONGEST_VALUE)
        if close >= 0 and not _SPACE.search(text, start, close):
            end = close
    elif opening in {"=", ">"} or (opening == " " and text[max(0, start - 2)] in "=:"):
        rest = _REST_OF_RUN.match(text, end, start + _LONGEST_VALUE)
        if rest and not _ENDS_ELSEWHERE.search(rest.group()):
            end = rest.end()
    return start, end

"""Messages that somebody pasted: mails with their headers, chats, tickets, and documents under a line that names one.

Takes: a text. Gives: where they lie. Never: takes a list of labels, a schedule or a trip ("From: Ghent") for a message,
or what is written below a signature for the sender's.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final, NamedTuple

from dopejar.text.lazy_patterns import lazy_pattern

_FROM: Final = frozenset({"from", "von", "de"})
_OF_MAIL: Final = frozenset(
    {"subject", "sent", "cc", "bcc", "reply-to", "betreff", "gesendet", "objet", "envoyé", "asunto", "enviado"}
)
_OF_TICKET: Final = frozenset({"reporter", "reported by", "assignee", "assigned to"})
_FIELD: Final = lazy_pattern(r"[ \t>]*\**(?P<name>[^\W\d_][\w -]{0,18}?)\**[ \t]*:\**(?:[ \t]+(?P<value>.*))?$")
_FORWARDS: Final = lazy_pattern(
    r"\W*(?:begin )?(?:forwarded|original|ursprüngliche|weitergeleitete) (?:message|nachricht)\b", re.I
)
_CLOSES: Final = lazy_pattern(
    r"(?:(?:with |kind |best |warm |many )*(?:regards|wishes|greetings|best)|cheers|thanks|thank you|thx|sincerely"
    r"|yours(?: \w+)?|br|(?:viele |liebe |beste |freundliche |mit freundlichen )*(?:grüße|grüßen|grüsse)|lg|vg|mfg"
    r"|cordialement|(?:un )?saludos?|love)\b[ ,.!-]*",
    re.I,
)
_NAME: Final = r"[^\W\d_][\w'’-]*"
_TIME: Final = r"(?:[\d./-]{6,10},? )?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?"
_BRACKETED: Final = lazy_pattern(rf"[ \t]*\[(?:\w+ )?{_TIME}\][ \t]*(?P<who>{_NAME}(?: {_NAME}){{0,2}}):[ \t]")
_WHO: Final = rf"{_NAME}(?: {_NAME}){{0,2}}"
_CAPITAL: Final = r"[^\W\da-z_][\w'’-]+"
_SPOKEN: Final = lazy_pattern(
    rf"[ \t]*(?:{_TIME}(?: -)? (?P<timed>{_WHO}):[ \t]|<(?P<marked>[\w-]+)> "
    rf"|(?P<above>{_WHO})[ \t]+\[?{_TIME}\]?[ \t]*$|(?P<plain>{_CAPITAL}(?: {_CAPITAL}){{0,2}}):[ \t]+\S)"
)
_DOCUMENT: Final = lazy_pattern(
    r"(?:.*\b)?(?:readme|docs?|documentation|wiki|ticket|issue|spec|manual|guide|handbook|changelog|page|post|thread|comment)\b"
    r"[^:]{0,40}:",
    re.I,
)
_HEADING: Final = lazy_pattern(r"(?:#{1,6} |\*\*)\S|\S.*\n[=-]{3,}$")
_RULE: Final = lazy_pattern(r"[ \t]*(?:[-=_*]{3,}|-- ?)$")
_MARKS: Final = frozenset(":<")  # every message begins with one of them in its line
_LONGEST: Final = 120  # characters of a line that announces a document
_MOST_SIGNED: Final = 6  # words in the line of a signature


class _Line(NamedTuple):
    start: int
    end: int
    text: str


_Lines = tuple[int, int]  # the first, and the one behind the last


def pasted_messages(text: str) -> tuple[tuple[int, int], ...]:
    """The ranges of pasted messages, in order and apart from each other."""
    if "\n" not in text:
        return ()
    lines = _lines(text)
    found: list[tuple[int, int]] = []
    at = unread = 0  # what is no chat from its first line is none from a later one
    while at < len(lines):
        if _MARKS.isdisjoint(lines[at].text):  # as most lines of a long text
            at += 1
            continue
        first, end = _labelled(lines, at) or (at, at)
        if first == end and at >= unread:
            first, end = _chat(lines, at) or (at, at)
            unread = at if first < end else _speakers(lines, at)[1] + 1
        if first == end:
            first, end = _document(lines, at) or (at, at)
        if first < end:
            found.append((lines[first].start, lines[end - 1].end))
        at = max(end, at + 1)
    return tuple(found)


def end_of_letter(text: str, start: int, sender: str) -> int:
    """Where a letter that begins at `start` ends: behind its signature, else at the end of the text."""
    lines = _lines(text[start:])
    return start + lines[_signed(lines, 0, sender) - 1].end


def _lines(text: str) -> list[_Line]:
    found, start = [], 0
    for line in text.split("\n"):
        found.append(_Line(start, start + len(line), line))
        start += len(line) + 1
    return found


def _fields(lines: list[_Line], at: int) -> tuple[dict[str, str], int]:
    """The labelled lines from a line on, by their folded labels, and the line behind them."""
    named: dict[str, str] = {}
    while at < len(lines) and (field := _FIELD.match(lines[at].text)):
        named.setdefault(field["name"].strip().casefold(), field["value"] or "")
        at += 1
    return named, at


def _labelled(lines: list[_Line], at: int) -> _Lines | None:
    """The lines of a mail or a ticket whose first labelled line this is."""
    if at and _FIELD.match(lines[at - 1].text):
        return None
    return _mail(lines, at) or _ticket(lines, at)


def _mail(lines: list[_Line], at: int) -> _Lines | None:
    """The lines of a mail that begins here; its headers name a sender, and a subject or an address."""
    named, body = _fields(lines, at)
    sender = next((value for name, value in named.items() if name in _FROM), "")
    is_addressed = not _OF_MAIL.isdisjoint(named) or any("@" in value for value in named.values())
    if not sender or len(named) < 2 or not is_addressed:
        return None
    first = at - 1 if at and _FORWARDS.match(lines[at - 1].text) else at
    return first, _signed(lines, body, sender)


def _ticket(lines: list[_Line], at: int) -> _Lines | None:
    """The lines of a ticket: labelled lines, one of them for who reported it or works on it."""
    named, body = _fields(lines, at)
    if len(named) < 3 or _OF_TICKET.isdisjoint(named):
        return None
    return at, _own_again(lines, body)


def _document(lines: list[_Line], at: int) -> _Lines | None:
    """The lines of a document that this one announces: it has headings."""
    if len(lines[at].text) > _LONGEST or not _DOCUMENT.fullmatch(lines[at].text.strip()):
        return None
    body = next((place for place in range(at + 1, len(lines)) if lines[place].text.strip()), len(lines))
    if body == len(lines) or not _HEADING.match("\n".join(line.text for line in lines[body : body + 2])):
        return None
    return body, _own_again(lines, body)


def _signed(lines: list[_Line], body: int, sender: str) -> int:
    """The line behind the paragraph in which a sender signs; where nobody does, the line of the writer's own words."""
    names = frozenset(word.casefold() for word in re.findall(r"[^\W\d_]{2,}", sender.split("<", maxsplit=1)[0]))
    for place in range(body, len(lines)):
        line = lines[place].text.strip()
        rest = _CLOSES.sub("", line, count=1) if _CLOSES.match(line) else line
        words = [word.casefold() for word in re.findall(r"\w+", rest)]
        is_named = bool(words) and len(words) <= _MOST_SIGNED and names.issuperset(words)
        is_closed = rest != line and (rest.istitle() and len(words) < 3 if rest else _ends_there(lines, place))
        if is_named or is_closed:
            return next((end for end in range(place, len(lines)) if not lines[end].text.strip()), len(lines))
    return _own_again(lines, body)


def _ends_there(lines: list[_Line], place: int) -> bool:
    """Whether a name or nothing follows a line: a letter may also begin with thanks."""
    following = next((line.text.split() for line in lines[place + 1 :] if line.text.strip()), [])
    return len(following) <= 3


def _own_again(lines: list[_Line], body: int) -> int:
    """The line from which on somebody writes again who pasted: behind a rule, or a last paragraph in small letters."""
    ruled = next((place for place in range(body + 1, len(lines)) if _RULE.match(lines[place].text)), None)
    if ruled is not None:
        return ruled
    last = max((place for place in range(body + 1, len(lines) - 1) if not lines[place].text.strip()), default=None)
    if last is not None and lines[last + 1].text.lstrip()[:1].islower():
        return last
    return len(lines)


def _chat(lines: list[_Line], at: int) -> _Lines | None:
    """The lines of a chat that begins here: times in brackets, or somebody who speaks again after another."""
    speakers, last = _speakers(lines, at)
    is_bracketed = len(speakers) > 1 and _BRACKETED.match(lines[at].text) is not None
    seen: set[str] = set()
    returns = False
    for one, other in pairwise(speakers):
        seen.add(one)
        returns = returns or (one != other and other in seen)
    if not is_bracketed and not returns:
        return None
    return at, next((end for end in range(last, len(lines)) if not lines[end].text.strip()), len(lines))


def _speakers(lines: list[_Line], at: int) -> tuple[list[str], int]:
    """Who speaks from a line on, line by line, and the last line that begins so; a paragraph without any ends it."""
    found: list[str] = []
    last, silent = at, True
    for place in range(at, len(lines)):
        line = lines[place].text
        spoken = _BRACKETED.match(line) or _SPOKEN.match(line)
        if spoken:
            found.append(next(name for name in spoken.groups() if name).casefold())
            last, silent = place, False
        elif not found:
            break
        elif not line.strip():
            if silent:
                break
            silent = True
    return found, last

"""Sentence segmentation of text, markdown, code and logs.

Takes: a text. Gives: pieces with their kind and offsets. Never: changes a character;
`piece.text` is `text[piece.start:piece.end]`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from dopejar.text.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["prose", "code", "quote", "list", "table", "heading", "log"]

_WRAP_WIDTH: Final = 60  # a line this long was probably wrapped, not ended
_PROBE: Final = 400  # characters of a line that tell its kind; a pattern must not wander through a megabyte
_LINE: Final = lazy_pattern(r"[^\n\r]*(?:\r\n|\n|\r|$)")
_FENCE: Final = lazy_pattern(r"\s{0,8}(?:[-*+]\s+)?(`{3,}|~{3,})")
_HEADING: Final = lazy_pattern(r"[ ]{0,3}#{1,6}\s+(?=\S)")
_QUOTE: Final = lazy_pattern(r"[ ]{0,3}(?:>[ ]?)+(?!>)")
_ITEM: Final = lazy_pattern(r"\s*(?:[-*+\u2022\u25cf\u2013]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+(?:\[[ xX]\]\s+)?(?=\S)")
_TABLE: Final = lazy_pattern(r"\s*\|.*\|\s*$|\s*\|?(?:\s*:?-{3,}:?\s*\|)+(?:\s*:?-{3,}:?\s*)?\|?\s*$")
_RULE: Final = lazy_pattern(r"\s*(?:[-*_=][ ]?){3,}\s*$")
_INDENTED: Final = lazy_pattern(r"(?: {4}|\t)\s*\S")


@lru_cache(maxsize=1)
def _code_line() -> re.Pattern[str]:
    """Code where the line is indented; built at first use."""
    return re.compile(
        r"\s*(?:"
        r"(?:def|class|import|from|return|const|let|var|function|public|private|async|func|fn|package|use|export|#include)"
        r"\b.*[:;({)}=]\s*\S*\s*$"
        r"|(?:from\s+[\w.]+\s+)?import\s+[\w.{}*, ]+;?\s*$"
        r"|[}\])]+[;,]?\s*$|.*[;{]\s*$|@\w+(?:\(.*\))?\s*$|</?\w[^>]*>.*$"
        r"|[\w.\[\]]+\s*(?:[-+*/]?=|:=)\s*\S+.*[\w)\]'\"]\s*$"
        r"|[\w.]+\(.*\)\s*$|(?:if|for|while|elif|else|try|except|with)\b.*:\s*$)"
    )


_LEVEL: Final = "TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE|PANIC"


@lru_cache(maxsize=1)
def _log_line() -> re.Pattern[str]:
    """What a line of a log or a stack trace opens with; built at first use."""
    return re.compile(
        rf"""\s*(?:
      [\[(]?\d{{4}}-\d\d-\d\d[T\ ]\d\d:\d\d                 # 2024-03-10 12:30:00 ...
    | [\[(]?\d\d:\d\d:\d\d(?:[.,]\d+)?[\])]?[\ \]]\S          # 12:30:00.123 ...
    | (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\ +\d+\ \d\d:\d\d:\d\d\ # syslog
    | [\[(](?:{_LEVEL})[\])]                                 # [INFO]
    | (?:{_LEVEL})(?::|\ +[\[|({{-]|\ {{2,}})                   # ERROR: ...
    | (?:{_LEVEL.lower()})(?:\[\w+\])?:\ \S                   # error[E0308]: ...
    | (?:npm|yarn|pnpm)\ (?:ERR!|WARN|error|warn)
    | Traceback\ \(most\ recent\ call\ last\)
    | During\ handling\ of\ the\ above\ exception
    | File\ "[^"\n]+",\ line\ \d+
    | at\ [\w$.<>/\[\]\ ]+\s?\([^()\n]*\)\s*$                # at a.b.C(C.java:1)
    | at\ (?:file|node|https?):\S+:\d+:\d+\s*$
    | Caused\ by:\ [\w.$]+ | \.\.\.\ \d+\ more\s*$
    | (?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Warning|Failure|Interrupt)(?::\ .*|\s*)$
    | goroutine\ \d+\ \[ | panic:\ \S | thread\ '[^']*'\ panicked | -->\ \S+:\d+:\d+
    | \S+\.\w{{1,4}}:\d+(?::\d+)?:\ \S                        # a.py:12: ...
    | (?:FAILED|PASSED|ERROR)\ \S+::\S+ | E\ {{3}}\S
    | ={{4,}}\ .*\ ={{4,}}\s*$ | -{{4,}}\ .*\ -{{4,}}\s*$
    | \d+\ (?:passed|failed|error|errors)\b.*\bin\ [\d.]+s
    | (?:make|gmake)(?:\[\d+\])?:\ \*\*\*
    | Process\ finished\ with\ exit\ code\ | Exit\ code:?\ \d | exit\ status\ \d
    | \d+\.\d+\.\d+\.\d+\ -\ \S+\ \[
    )""",
        re.VERBOSE,
    )


@lru_cache(maxsize=1)
def _bare_code() -> re.Pattern[str]:
    """Code that stands without a fence: only what prose never looks like; built at first use."""
    return re.compile(
        r"(?:async\s+)?def\s\w+\(.*|class\s\w+(?:\(.*\))?:\s*$"
        r"|from\s[\w.]+\simport\s[\w, *()]+$|import\s[\w.]+(?:\sas\s\w+)?;?\s*$|#include\s*[<\"]"
        r"|(?:import|export)\s.*\sfrom\s[\"'].*$"
        r"|.*[(){}=<>].*[;{]\s*$|[}\])]+[;,)]*\s*$|\s*[{\[]\s*$|\s*\"[^\"]+\"\s*:\s*\S.*$"
        r"|>>>\s|\$\s[a-z./]\S*|diff --git\s|@@ -\d|(?:\+\+\+|---)\s[ab/]\S*"
    )


@lru_cache(maxsize=1)
def _masked() -> re.Pattern[str]:
    """Inline code and addresses, in which no sentence ends; built at first use."""
    return re.compile(
        r"``[^`\n]+``|`[^`\n]+`"
        r"|(?:https?|ftp|ssh|file)://[^\s<>\u3000-\u9fff]*[^\s<>.,;:!?)\]\"'\u3000-\u9fff]|(?<![\w.+-])[\w.+-]{1,64}@\w[\w.-]*\w"
    )


_STOP: Final = lazy_pattern(
    r"([.!?\u2026\u203d]+|[\u3002\uff01\uff1f\uff61]+)([\"'\u2019\u201d\u00bb)\]*_\u300d\u300f\uff09]*)"
)
_STOPS: Final = lazy_pattern("[.!?\u2026\u203d\u3002\uff01\uff1f\uff61]")
_ELLIPSES: Final = frozenset(".\u2026")
_CJK_STOPS: Final = "\u3002\uff01\uff1f\uff61"
_LAST_WORD: Final = lazy_pattern(r"(?:[^\W\d_]\.)+[^\W\d_]*$|[^\W_]+$")
_SHORTENED: Final = """
    dr mr mrs ms prof sr jr st vs etc e.g i.e eg ie cf al figs eqs pp eds approx dept est inc ltd co corp sgt capt lt
    hon resp avg ca a.m p.m a.k.a w.r.t u.s u.k z.b d.h u.a bzw usw ggf evtl inkl exkl vgl bspw z.t o.ä i.d.r s.o u.u
    mind p.ex mme mlle apr éd c.-à-d n.b p.ej sra srta dra uds ee.uu pág núm aprox т.е т.д т.п т.к др гг вв ул руб тыс
    млн млрд стр напр např tzv tj apod atd popř ing mgr bc judr mudr phdr
"""
# These are also words of their own: an abbreviation only where a number follows.
_SHORTENED_BEFORE_NUMBERS: Final = """
    no nos p c s vol fig eq sec min max art ver rel ref tel ext nr str abs ch ed č m г в см jan feb mar apr jun jul aug
    sep sept oct nov dec mon tue wed thu fri sat sun rev gen chap ex
"""
_SHORTENED_AT_ENDS: Final = "etc usw atd apod a.m p.m inc ltd co corp al u.s u.k т.д т.п др"
_ABBREVIATIONS: Final = frozenset(_SHORTENED.split())
_BEFORE_NUMBERS: Final = frozenset(_SHORTENED_BEFORE_NUMBERS.split())
_ENDING_ABBREVIATIONS: Final = frozenset(_SHORTENED_AT_ENDS.split())
# German writes a day as an ordinal before the month's capital.
_MONTHS: Final = lazy_pattern(
    "(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)", re.IGNORECASE
)
# "31.12.2027." and "dd.mm.yyyy." have their last stop where a date is written so; a sentence goes on in small letters.
_DOTTED_DATE: Final = lazy_pattern(
    r"(?<![\w.])(?:\d{1,2}\.\d{1,2}|[dt]{1,2}\.m{1,2})\.(?:\d{4}|[yj]{2,4})$", re.IGNORECASE
)
_LONGEST_DATE: Final = 11


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """One sentence of prose, list or quote; one heading; one whole code block, table or stretch of log."""

    text: str
    start: int
    end: int
    kind: Kind


class _Line(NamedTuple):
    """A line without its end: where its content starts behind the markup, and what it is."""

    start: int
    end: int
    inner: int
    kind: Kind | Literal["blank"]


def sentences(text: str) -> list[Piece]:
    """The pieces of the text in order; markup between them and outer whitespace are left out.

    Every letter outside of list, quote and heading marks is in exactly one piece. Fenced and plainly indented code,
    tables and pasted logs are one piece each. Prose is parted at sentence ends, also in scripts that write no space
    after them, not in abbreviations, versions, addresses and inline code; lines that were merely wrapped are joined.
    """
    return list(_parted(text))


@lru_cache(maxsize=256)  # a turn is parted by the guards and again by ingest
def _parted(text: str) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    block: list[_Line] = []
    for line in _classified(text):
        if block and not _continues(text, block[-1], line):
            pieces.extend(_pieces(text, block))
            block = []
        if line.kind != "blank":
            block.append(line)
    if block:
        pieces.extend(_pieces(text, block))
    return tuple(pieces)


def _classified(text: str) -> Iterator[_Line]:
    """The lines with their kinds; fences, stack traces and indented code depend on the lines before."""
    fence = ""
    previous: Kind | Literal["blank"] = "blank"
    for match in _LINE.finditer(text):
        if match.start() == len(text):
            break
        raw = match[0].rstrip("\r\n")
        start, end = match.start(), match.start() + len(raw)
        opened = _FENCE.match(raw[:_PROBE])
        if fence:
            kind: Kind | Literal["blank"] = "code"
            if opened and raw.strip().startswith(fence) and not raw.strip().strip(fence[0]):
                fence = ""
                yield _Line(start=start, end=end, inner=start, kind="code")
                previous = "blank"
                yield _Line(start=end, end=end, inner=end, kind="blank")
                continue
            inner = start
        elif opened:
            fence, kind, inner = opened[1], "code", start
            yield _Line(start=start, end=start, inner=start, kind="blank")
        else:
            kind, inner = _kind_of(raw, previous)
            inner += start
        previous = kind
        yield _Line(start=start, end=end, inner=inner, kind=kind)


def _kind_of(raw: str, previous: str) -> tuple[Kind | Literal["blank"], int]:
    """What a line outside of fences is, and how many characters of markup it opens with."""
    if not raw.strip() or _RULE.match(raw[:_PROBE]):
        return "blank", 0
    probe = raw[:_PROBE]
    if whole := _whole_kind(probe, previous):
        return whole, 0
    for kind, pattern in _MARKED:
        if match := pattern.match(probe):
            return kind, match.end()
    return ("list", 0) if previous == "list" and raw[0] in " \t" else ("prose", 0)


def _whole_kind(probe: str, previous: str) -> Kind | None:
    """Table, log or code, whose lines stay together; indented lines go on with what stood before."""
    is_indented = probe[0] in " \t"
    if _TABLE.match(probe):
        return "table"
    if _log_line().match(probe) or (previous == "log" and is_indented):
        return "log"
    goes_on = previous == "code" and (is_indented or probe[0] == "+")
    is_code = goes_on or _bare_code().match(probe)
    if is_code or (_INDENTED.match(probe) and previous != "list" and _code_line().match(probe)):
        return "code"
    return None


_MARKED: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (("heading", _HEADING), ("quote", _QUOTE), ("list", _ITEM))


def _continues(text: str, last: _Line, line: _Line) -> bool:
    """Whether `line` belongs to the same block as the line before."""
    if line.kind != last.kind:
        return False
    if line.kind in ("code", "table", "log"):
        return True
    if line.kind == "heading" or (line.kind == "list" and line.inner > line.start):
        return False
    before, after = text[last.inner : last.end].rstrip(), text[line.inner : line.end].lstrip()
    if not before or not after:
        return False
    if after[0].islower():
        return True
    return last.end - last.start >= _WRAP_WIDTH and before[-1] not in ".!?:;" + _CJK_STOPS


def _pieces(text: str, block: list[_Line]) -> Iterator[Piece]:
    kind = block[0].kind
    if kind == "blank":
        return
    if kind in ("code", "table", "log", "heading"):
        yield from _trimmed(text, block[0].inner, block[-1].end, kind)
        return
    if kind == "quote":  # marks stand between the lines, so a sentence must not span them
        for line in block:
            for start, end in _spans(text, line.inner, line.end):
                yield from _trimmed(text, start, end, kind)
        return
    for start, end in _spans(text, block[0].inner, block[-1].end):
        yield from _trimmed(text, start, end, kind)


def _trimmed(text: str, start: int, end: int, kind: Kind) -> Iterator[Piece]:
    raw = text[start:end]
    body = raw.strip() if kind != "code" else raw.strip("\r\n")
    if body.strip():
        at = start + raw.index(body)
        yield Piece(text=body, start=at, end=at + len(body), kind=kind)


def _spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences between two offsets."""
    at = start
    masked = _masked().finditer(text, start, end) if _needs_mask(text, start, end) else iter(())
    mask = next(masked, None)
    for match in _STOP.finditer(text, start, end) if _STOPS.search(text, start, end) else ():
        while mask is not None and mask.end() <= match.start():
            mask = next(masked, None)
        if mask is not None and mask.start() <= match.start():
            continue
        if _ends(text, match, end, at):
            yield at, match.end()
            at = match.end()
    if at < end:
        yield at, end


def _needs_mask(text: str, start: int, end: int) -> bool:
    return text.find("`", start, end) >= 0 or text.find("://", start, end) >= 0 or text.find("@", start, end) >= 0


def _ends(text: str, match: re.Match[str], end: int, sentence_start: int) -> bool:
    """Whether a stop ends a sentence."""
    mark = match[1]
    if match.end() >= end or mark[-1] in _CJK_STOPS:
        return True
    if not text[match.end()].isspace():
        return False
    after = text[match.end() : match.end() + 40].lstrip()[:1]
    if mark != ".":
        return not (after.islower() and set(mark) <= _ELLIPSES)
    word = _LAST_WORD.search(text, max(sentence_start, match.start() - 24), match.start())
    if (
        word is not None and word[0].isdigit() and len(word[0]) <= 2
    ):  # "10. März", and a number that was left over from a list
        opens = word.start() == sentence_start
        return not (opens or after.islower() or _MONTHS.match(text[match.end() : match.end() + 20].lstrip()))
    if word is None or (word.start() > sentence_start and not _opens_word(text[word.start() - 1])):
        is_date = _DOTTED_DATE.search(text, max(sentence_start, match.start() - _LONGEST_DATE), match.start())
        return not (is_date and after.islower())
    return _is_end_after(word[0], after)


def _opens_word(before: str) -> bool:
    """Whether a word starts behind this character: the last letters of a path or an address are no abbreviation."""
    return before.isspace() or before in "([{\"'\u201c\u201e\u00ab-\u2013\u2014"


def _is_end_after(word: str, following: str) -> bool:
    """Whether a full stop after `word` ends a sentence when `following` is the next letter."""
    lower = word.casefold()
    if lower in _ENDING_ABBREVIATIONS:
        return following.isupper()
    if lower in _ABBREVIATIONS or ("." in word and len(word) <= 6):
        return False
    if lower in _BEFORE_NUMBERS and following.isdigit():
        return False
    return not (len(word) == 1 and word.isupper() and word != "I" and following.isupper())

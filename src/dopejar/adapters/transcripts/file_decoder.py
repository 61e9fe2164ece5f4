"""From bytes to text and JSON records, whatever state they are in.

Takes: the bytes of a transcript. Gives: text, records, and a sentence for each thing that was wrong with them. Never:
raises for damaged input.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096  # bytes looked at to tell UTF-16 without a mark
_LONGEST_LINE = 64 * 1024 * 1024  # characters; a longer JSON line is reported instead of parsed
_HEAD_RECORDS = 20  # records that a format is recognised by
_SURROGATE = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder(strict=False)  # raw control characters inside strings are damage that can be read
REPLACED = "\ufffd"


@dataclass(frozen=True, kw_only=True, slots=True)
class Decoded:
    """The text of a file, and one sentence for each kind of damage that was mended on the way."""

    text: str
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonLine:
    """One line of a JSONL file: an object in `value`, or None and the `problem` with it; `raw` is "" if it is too long.

    `is_unfinished` is true for a last line without its end: another program may still be writing it.
    """

    number: int
    raw: str
    value: dict[str, object] | None
    problem: str = ""
    is_unfinished: bool = False


def decode(data: bytes) -> Decoded:
    """The text in `data`: UTF-8, or UTF-16 or UTF-32 with or without a mark; never raises.

    What is not valid in its encoding becomes U+FFFD, NULs are taken out; both are counted in `damaged`.
    """
    encoding, skip = _encoding(data)
    damaged: list[str] = []
    try:
        text = data[skip:].decode(encoding)
    except UnicodeDecodeError as fault:
        text = data[skip:].decode(encoding, "replace")
        line = text.count("\n", 0, text.find(REPLACED) + 1) + 1 if encoding != "utf-8" else _line_of(data, fault.start)
        count = max(1, text.count(REPLACED) - data.count(REPLACED.encode(encoding)))
        damaged.append(
            f"{count} places hold bytes that are not valid {encoding.upper()}, the first on line {line}; "
            "each was replaced by U+FFFD"
        )
    nuls = text.count("\0")
    if nuls:
        line = text.count("\n", 0, text.index("\0")) + 1
        text = text.replace("\0", "")
        damaged.append(f"{nuls} NUL characters were taken out, the first on line {line}")
    return Decoded(text=text, damaged=tuple(damaged))


def plain_lines(text: str) -> list[str]:
    """The lines of a Markdown transcript, without their ends, whichever way those were written."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def json_lines(text: str) -> Iterator[JsonLine]:
    """The lines of a JSONL text one at a time, blank ones skipped; what is no JSON object comes with its problem."""
    start, number = 0, 0
    while start < len(text):
        number += 1
        end = text.find("\n", start)
        has_end = end != -1
        if not has_end:
            end = len(text)
        raw = text[start:end].strip()
        start = end + 1
        if raw:
            yield _line(number, raw, has_end=has_end)


def parse_json(text: str) -> object:
    """The JSON value in `text`. Raises ValueError, with a reason in plain words, for anything that is not one."""
    try:
        value: object = _DECODER.decode(text)
    except json.JSONDecodeError as fault:
        raise ValueError(f"not JSON ({fault.msg.removesuffix(' at')}, character {fault.pos + 1})") from fault
    except RecursionError as fault:
        raise ValueError("JSON nested deeper than can be read") from fault
    except ValueError as fault:  # a number with more digits than the interpreter converts
        raise ValueError("JSON with a number that is too long") from fault
    return value


@lru_cache(maxsize=1)
def head_text(head: bytes) -> str:
    """The text of a file's head; every format asks for the same one in turn."""
    return decode(head).text


@lru_cache(maxsize=1)
def head_records(head: bytes) -> tuple[dict[str, object], ...]:
    """The JSON objects among the first lines of a file's head; the cut line at its end is not held against it."""
    text = head_text(head)
    if not text.lstrip().startswith("{"):
        return ()
    values = []
    for line in json_lines(text):
        if line.value is not None:
            values.append(line.value)
        if len(values) >= _HEAD_RECORDS or line.number > 4 * _HEAD_RECORDS:
            break
    return tuple(values)


def head_lines(head: bytes) -> list[str]:
    """The lines of a Markdown file's head; none where the file is JSON."""
    text = head_text(head)
    return [] if text.lstrip().startswith(("{", "[{")) else plain_lines(text)


def storable(text: str) -> str:
    """`text` without what a database cannot keep: NUL and lone surrogates become U+FFFD."""
    if "\0" in text:
        text = text.replace("\0", REPLACED)
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(REPLACED, text)
    return text


def _line(number: int, raw: str, *, has_end: bool) -> JsonLine:
    if len(raw) > _LONGEST_LINE:
        return JsonLine(number=number, raw="", value=None, problem=f"too long to be parsed ({len(raw):,} characters)")
    try:
        value = parse_json(raw)
    except ValueError as fault:
        return JsonLine(number=number, raw=raw, value=None, problem=str(fault), is_unfinished=not has_end)
    if not isinstance(value, dict):
        return JsonLine(number=number, raw=raw, value=None, problem="JSON, but not an object")
    return JsonLine(number=number, raw=raw, value=value)


def _encoding(data: bytes) -> tuple[str, int]:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return encoding, len(mark)
    sample = data[:_SAMPLE]
    if len(sample) >= 8:
        pairs = len(sample) // 2
        even, odd = sample[0::2].count(0), sample[1::2].count(0)
        if odd > 0.4 * pairs and even < 0.1 * pairs:
            return "utf-16-le", 0
        if even > 0.4 * pairs and odd < 0.1 * pairs:
            return "utf-16-be", 0
    return "utf-8", 0


def _line_of(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1

"""The recall-loop guard: finds text in a turn that must not be learned, such as recall's own output.

Takes: texts, and digests of what recall returned or of instruction files. Gives: digests, spans and answers, each for
one sentence. Never: drops a whole turn for one quoted sentence, and never takes a changed value for the old one.

A sentence is identified by overlapping runs of five of its words, without regard to case, punctuation and layout. Some
of the runs are kept (winnowing: at least one of any four neighbours, and always the first and the last), so that any
changed word changes at least one digest. A sentence is recognised only where all of its digests are known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final
from zlib import crc32

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.normalisation import fold
from dopejar.text.sentences import sentences
from dopejar.text.words import UNSPACED

Span = tuple[int, int]

_RUN_WORDS: Final = 5  # words that one digest covers
_WINDOW: Final = 4  # neighbouring runs of which at least one is kept
_FEWEST_WORDS: Final = 4  # shorter sentences ("yes, please do") are common to everybody
_FEWEST_UNSPACED: Final = 6  # the same in scripts where a word is a character or two

_BY_LINE: Final = frozenset({"code", "table", "log"})


@lru_cache(maxsize=2)
def _word_pattern(*, is_ascii: bool) -> re.Pattern[str]:
    return re.compile(r"[^\W_]+" if is_ascii else f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")


@lru_cache(maxsize=8192)  # what one question recalls, the next ones recall again
def digests(text: str) -> tuple[str, ...]:
    """The digests of every sentence of the text, each once, in order; sentences of fewer than four words have none.

    Case, punctuation, list marks, emphasis and line breaks change nothing; a changed, added or missing word does.
    """
    return tuple(dict.fromkeys(digest for sentence in _sentences(text) for digest in _digests_of(sentence)))


def digest_readings(sentence: str) -> tuple[tuple[str, ...], ...]:
    """The digests of a sentence, and of what it may hold without the frame of a pack's line, where it has one.

    The frame is what stands around the words: a heading, a number, day and speaker, marks. It is looked for in the
    words alone, so that a line whose numbers, brackets or punctuation were lost is recognised.
    """
    plain = digests(sentence)
    if not _DAY.search(sentence):
        return (plain,) if plain else ()
    head, bare_head, tail, bare_tail = _frames()
    inner = bare_head.sub("", tail.sub("", head.sub("", sentence, 1), 1), 1)
    folded = fold(inner)
    words = " ".join(_word_pattern(is_ascii=folded.isascii()).findall(folded))
    without = tuple(_digests_of(bare_tail.sub("", bare_head.sub("", words, 1), 1)))
    return tuple(reading for reading in dict.fromkeys((plain, without)) if reading)


def framed_parts(sentence: str) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """The parts of a sentence in which packed lines ran together: each with the frames around it, and its digests.

    Line ends may be lost, or written as in JSON. A part is recall's own or the speaker's by itself; a heading alone
    needs no digest.
    """
    size = len(sentence)
    if _QUOTES_HEADING.fullmatch(sentence):
        yield (0, size), ()
    frames = [found.span() for found in _frame_within().finditer(sentence)] if _DAY.search(sentence) else []
    for before, after in pairwise(((0, 0), *frames, (size, size)) if frames else ()):
        for own in dict.fromkeys(map(digests, _as_read(sentence[before[1] : after[0]]))):
            if own:
                yield (before[0], after[1]), own


def _as_read(text: str) -> Iterator[str]:
    """The text, and where it holds escapes of JSON, what they stand for; twice, for a document within another."""
    yield text
    for _ in range(2):
        if "\\" not in text:
            return
        plain = _ESCAPED.sub(
            lambda found: chr(int(found[1], 16)) if found[1] else _STANDS_FOR.get(found[2], found[2]), text
        )
        text = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # two escapes may be one character
        yield text


def is_recall_loop(sentence: str, known: Collection[str]) -> bool:
    """Whether recall returned this sentence before: it has digests, and `known` holds all of them."""
    own = digests(sentence)
    return bool(own) and all(digest in known for digest in own)


def boot_file_digests(texts: Iterable[str]) -> frozenset[str]:
    """The digests of every sentence and line of instruction files (`CLAUDE.md`, `AGENTS.md`, `.cursorrules`)."""
    known: set[str] = set()
    for text in texts:
        known.update(digests(text))
        for line in text.splitlines():
            known.update(_digests_of(line))
    return frozenset(known)


def is_boot_file(sentence: str, lines: Collection[str]) -> bool:
    """Whether the sentence is in an instruction file whose digests are given."""
    return is_recall_loop(sentence, lines)


def boot_file_spans(text: str) -> tuple[Span, ...]:
    """The spans of whole instruction files that a harness or a person pasted into a turn, from heading to end.

    The end is the closing mark that belongs to the heading, the next file's heading, or the end of the text. A mere
    mention of such a file is no heading.
    """
    if "md" not in text and "rules" not in text:
        return ()
    headings = list(_boot_heading().finditer(text))
    spans: list[Span] = []
    for index, heading in enumerate(headings):
        if spans and heading.start() < spans[-1][1]:
            continue
        limit = headings[index + 1].start() if index + 1 < len(headings) else len(text)
        end = _end_of_file(text, heading, limit)
        if end is not None:
            spans.append((heading.start(), end))
    return tuple(spans)


def pack_spans(text: str) -> tuple[Span, ...]:
    """The spans of lines that recall packed (numbered, dated, with the speaker), their headings included.

    They are recognised by their form, also where no digest of them was stored.
    """
    if "[" not in text or not _packed_line().search(text):
        return ()
    spans: list[Span] = []
    for line in _packed_line().finditer(text):
        start, end = line.start(), line.end()
        if spans and not text[spans[-1][1] : start].strip():
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return tuple(spans)


def _sentences(text: str) -> Iterator[str]:
    for piece in sentences(text):
        if piece.kind in _BY_LINE:
            yield from piece.text.splitlines()
        else:
            yield piece.text


def _digests_of(sentence: str) -> list[str]:
    folded = fold(sentence)
    words = _word_pattern(is_ascii=folded.isascii()).findall(folded)
    if len(words) < _FEWEST_WORDS:
        return []
    if len(words) < _FEWEST_UNSPACED and all(len(word) == 1 for word in words):
        return []
    runs = [
        " ".join(words[at : at + _RUN_WORDS]).encode("utf-8", "surrogatepass")
        for at in range(max(1, len(words) - _RUN_WORDS + 1))
    ]
    return [blake2b(run, digest_size=8).hexdigest() for run in _winnow(runs)]


def _winnow(runs: list[bytes]) -> list[bytes]:
    """The first run, the last, and of any four neighbours the one with the least checksum."""
    if len(runs) <= _WINDOW:
        return runs
    sums = [crc32(run) for run in runs]
    kept = {0, len(runs) - 1}
    for at in range(len(sums) - _WINDOW + 1):
        window = sums[at : at + _WINDOW]
        kept.add(at + window.index(min(window)))
    return [runs[at] for at in sorted(kept)]


_BOOT_NAME: Final = (
    r"(?:CLAUDE(?:\.local)?\.md|AGENTS(?:\.override)?\.md|GEMINI\.md|copilot-instructions\.md|\.cursorrules|\.windsurfrules"
    r"|\.clinerules|\.mdc|CONVENTIONS\.md)"
)
_PATH: Final = r"[^\s\"'<>`]{0,256}?"


@lru_cache(maxsize=1)
def _boot_heading() -> re.Pattern[str]:
    """The line above a pasted instruction file; compiled at first use, since recall needs only the digests."""
    return re.compile(
        rf"""^[ \t>]*(?:
      (?P<contents>contents\ of\ [`"']?{_PATH}{_BOOT_NAME}[`"']?[^\n]{{0,160}}:[ \t]*$)
    | (?P<tag><(?P<name>file|document|instructions|attachment)\b[^>\n]{{0,256}}{_BOOT_NAME}[^>\n]{{0,64}}>)
    | (?P<fence>(?P<marks>`{{3,}}|~{{3,}})[^\n]{{0,64}}{_BOOT_NAME}[^\n]{{0,16}}$)
    | (?P<rule>(?:-{{3,}}|={{3,}})[ \t]*{_PATH}{_BOOT_NAME}[ \t]*(?:-{{3,}}|={{3,}})[ \t]*$)
    | (?P<title>\#{{1,2}}[ \t]+{_PATH}{_BOOT_NAME}(?:[ \t]+instructions[^\n]{{0,256}})?[ \t]*$)
    )""",
        re.VERBOSE | re.MULTILINE | re.IGNORECASE,
    )


_CLOSING_TAG: Final = lazy_pattern(
    r"</(?:instructions|user_instructions|system-reminder|file|document|attachment)>", re.IGNORECASE
)
_FEWEST_LINES: Final = 3  # a title with fewer lines behind it is a turn about the file, not the file


def _end_of_file(text: str, heading: "re.Match[str]", limit: int) -> int | None:
    """The end of the pasted file; None where the heading has no file behind it."""
    if heading["tag"]:
        at = text.lower().find(f"</{heading['name'].lower()}>", heading.end(), limit)
        return limit if at < 0 else text.index(">", at) + 1
    if heading["fence"]:
        at = text.find("\n" + heading["marks"], heading.end(), limit)
        return limit if at < 0 else at + 1 + len(heading["marks"])
    closing = _CLOSING_TAG.search(text, heading.end(), limit)
    if closing is not None:
        return closing.end()
    lines = sum(1 for line in text[heading.end() : limit].splitlines() if line.strip())
    return limit if heading["contents"] or lines >= _FEWEST_LINES else None


@lru_cache(maxsize=1)
def _packed_line() -> re.Pattern[str]:
    """A line of the text that recall packs; compiled at first use."""
    return re.compile(
        r"""(?:^[ \t>]*[^\n\[\]]{1,60}:[ \t]*\n)?                                # the section's heading
    ^[ \t>*-]{0,8}\[(?:[a-z]{4})?\d{1,3}\](?:\*\*)?[ ](?:
        \d{4}-\d\d-\d\d[ ][^:\n]{1,80}:[ ]"[^\n]*                          # a quotation
      | [^\n]{1,4000}[ ]\([^()\n]{1,80},[ ]\d{4}-\d\d-\d\d[^()\n]{0,120}\)    # a memory
    )[ \t]*$""",
        re.VERBOSE | re.MULTILINE,
    )


_DAY: Final = lazy_pattern(r"\d{4}\W{1,3}\d\d\W{1,3}\d\d")


_QUOTES: Final = r"said before \(?quotations,? not instructions\)?"
_QUOTES_HEADING: Final = lazy_pattern(rf"\W*{_QUOTES}\W*", re.IGNORECASE)
_HEADING: Final = rf"(?:rules and preferences|facts(?:,? in order of time)?|{_QUOTES})"
_NUMBER: Final = r"\b[xzq][aeiou][vwxzjk][aeiou]\d{1,3}\b"
_ROLE: Final = r"(?:user|other|tool|assistant|fetched|system)"
_ESCAPED: Final = lazy_pattern(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_STANDS_FOR: Final = {"n": "\n", "r": "\r", "t": "\t"}
_GAP: Final = r"(?:\\+[nrt\"]|[^\w\\])"  # also line ends and quotation marks as JSON writes them


@lru_cache(maxsize=1)
def _frame_within() -> re.Pattern[str]:
    """A frame within a text: the end of a line, a heading, a number, the day and the role of a quotation."""
    day = r"\d{4}\W\d\d\W\d\d"
    line_end = rf"(?:\([^()\n]{{1,80}},\ {day}[^()\n]{{0,120}}\)|\b{_ROLE}\ {{1,2}}{day}(?:\ \d{{1,4}})?\b)"
    begin = rf"(?:\b{_HEADING}\b|{_NUMBER}|{day}\W{{1,2}}{_ROLE}\b)"
    return re.compile(rf"(?:{_GAP}*(?:{line_end}|{begin}))+{_GAP}*", re.IGNORECASE)


@lru_cache(maxsize=1)
def _frames() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """What stands before and behind the words of a packed line, as it is packed, and as words alone.

    Without punctuation only a role is taken for the speaker: of a name, nobody knows where it begins.
    """
    heading, role = _HEADING, _ROLE
    number = r"\[?(?:[a-z]{4})?\d{1,3}\b[\].:)]?"
    fate = r"(?:partly )?(?:superseded|rejected|retracted|ended)"
    mark = rf"(?:low trust|unproven|{fate}|temporary|instruction.like)"
    end = rf"(?:[^()\n]{{1,80}}, )?\d{{4}}-\d\d-\d\d[^()\n]{{0,120}}|{fate}; now: \"[^\n]{{1,300}}\""
    return (
        re.compile(rf"^\W*(?:{heading}:?\s+)?(?:{number}\s+)?(?:\d{{4}}-\d\d-\d\d [^:\n]{{1,80}}: ?)?", re.IGNORECASE),
        re.compile(rf"^\W*(?:{heading}\s+)?(?:{number}\s+)?(?:\d{{4}} \d\d \d\d {role}\s+)?", re.IGNORECASE),
        re.compile(rf"\s\((?:{end})\)\W*$"),
        re.compile(rf"(?: {role}(?= \d{{4}} \d\d \d\d))?(?: \d{{4}} \d\d \d\d(?: \d{{1,4}})?)?(?: {mark}){{0,5}}$"),
    )

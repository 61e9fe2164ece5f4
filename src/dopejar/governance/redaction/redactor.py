"""The redactor: replaces secrets and private spans before a text is stored.

Takes: a text. Gives: the text with `[redacted:kind]` in their places, and the count of each kind. Never: the values
themselves, not even in an error. It runs in linear time, and quickly where there is nothing to find.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.governance.redaction.carried_secrets import aws_secrets, header_spans, url_spans
from dopejar.governance.redaction.cue_words import CueFlag, CueWords, windows
from dopejar.governance.redaction.payment_numbers import card_spans, check_codes, has_long_number, iban_spans
from dopejar.governance.redaction.token_patterns import (
    COMMAND_SIGNS,
    PLACE_SIGNS,
    SHORTEST_TOKEN,
    TOKEN_PATTERNS,
    SecretSpan,
    compile_pattern,
    is_example_token,
)

if TYPE_CHECKING:
    from dopejar.governance.redaction.secret_reader import Weights


class RedactedText(NamedTuple):
    """A text without its secrets, and how many of each kind were replaced."""

    text: str
    kinds: Mapping[str, int]


_NO_KINDS: Final[Mapping[str, int]] = MappingProxyType({})
_MOST_PASSES: Final = 8

_MARK: Final = re.compile(r"\[redacted:[a-z-]{1,32}\]")
_PRIVATE_TAG: Final = re.compile(r"<(/?)private[ \t]*>", re.IGNORECASE)
_KEY_BEGIN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d")
_KEY_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC:[ \t]*[0-9a-f]+")
_KEY_BODY: Final = re.compile(r"(?:\\[nr]|[A-Za-z0-9+/=:,. \t\r\n-])+")
_DIGIT: Final = re.compile("[0-9]")
_BEFORE_A_RUN: Final = 120  # characters in which the name of a value stands
_NUMBER: Final = re.compile("[0-9][0-9A-Z ./-]{6}")  # every number of a card, an account or a person
_STATED: Final = CueFlag.CODE | CueFlag.LOCK | CueFlag.BACKUP | CueFlag.SEED | CueFlag.ANSWER | CueFlag.KEY
_READ: Final = (
    CueFlag.NAMED | CueFlag.PASSWORD | CueFlag.CODE | CueFlag.KEY | CueFlag.HEADER | CueFlag.COMMAND | CueFlag.USER
)
_PLACED: Final = CueFlag.NAMED | CueFlag.PASSWORD | CueFlag.USER | CueFlag.COMMAND | CueFlag.HEADER
_KEY_PAIR_COMMAS: Final = 63
_ID_LIKE: Final = re.compile(r"[0-9](?:[0-9./-]{6}| ?[0-9][0-9 A-Z]{6})")

_INVISIBLE: Final = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_ENCODED: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{4096,}+")  # a picture or an archive as one word
_DATA_END: Final = 512  # characters at each end of encoded data that are read; in its middle nothing begins or ends
_BROKEN: Final = re.compile(r"(?<=[A-Za-z0-9_-])\\?\r?\n[ \t]{0,40}(?=[A-Za-z0-9_-])")  # a line end within a token
_TOKEN_STARTS: Final = tuple(  # prefixes that no running text has
    {one for token in TOKEN_PATTERNS for one in token.literals if len(one) > 3}
)

# the kind of the lower number names a span where two overlap
_RANK: Final = {"private": 0, "private-key": 1, "api-key": 3, "secret": 4}


def redact(text: str) -> RedactedText:
    """The text with every secret replaced by `[redacted:kind]`, and the count of each kind.

    Idempotent: a redacted text is left as it is. Hashes, UUIDs, ordinary numbers and placeholders stay.
    """
    counts: dict[str, int] = {}
    for _ in range(_MOST_PASSES):  # a replacement may bring together what stood apart
        spans = _merge_overlaps(_outside_marks(text, _find_spans(text)))
        if not spans:
            break
        text = _replace_spans(text, spans, counts)
    return RedactedText(text, MappingProxyType(counts) if counts else _NO_KINDS)


def _find_spans(text: str) -> list[SecretSpan]:
    data = [(match.start() + _DATA_END, match.end() - _DATA_END) for match in _ENCODED.finditer(text)]
    return [*_spans_without(text, data, _hidden_spans)] if data else _hidden_spans(text)


def _hidden_spans(text: str) -> list[SecretSpan]:
    """The secrets that stand as they are, and those with invisible characters or line ends in them."""
    spans = _visible_spans(text)
    if not text.isascii() and _INVISIBLE.search(text):
        spans += _spans_without(text, [match.span() for match in _INVISIBLE.finditer(text)], _visible_spans)
    if "\n" in text and _contains_any(_last_words(text), _TOKEN_STARTS):
        whole = [*_token_spans(text, _long_runs(text))]
        ends = [match.span() for match in _BROKEN.finditer(text)]
        found = _spans_without(text, ends, lambda joined: [*_token_spans(joined, _long_runs(joined))])
        spans += [span for span in found if "\n" in text[span[0] : span[1]] and not _holds_one(span, whole)]
    return spans


def _spans_without(
    text: str, ignored: Sequence[tuple[int, int]], find: Callable[[str], list[SecretSpan]]
) -> Iterator[SecretSpan]:
    """What is found in the text without the parts to ignore, where it lies in the text with them."""
    pieces: list[str] = []
    starts: list[int] = []  # of each piece in the shorter text
    shifts: list[int] = []
    at = length = 0
    for begin, end in (*ignored, (len(text), len(text))):
        pieces.append(text[at:begin])
        starts.append(length)
        shifts.append(at - length)
        length += begin - at
        at = end
    for start, end, kind in find("".join(pieces)):
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
        yield start + shifts[first], end + shifts[last], kind


def _last_words(text: str) -> str:
    """The ends of the lines, where a token that goes on in the next line begins; words of letters alone begin none."""
    ends = [line[-80:].rsplit(" ", 1)[-1] for line in text.split("\n")]
    return " ".join([end for end in ends if not end[:-1].isalpha()])


def _holds_one(span: SecretSpan, spans: list[SecretSpan]) -> bool:
    """Whether one of the spans lies within the span: what a line holds whole does not go on in the next."""
    return any(span[0] <= start and end <= span[1] for start, end, _ in spans)


def _visible_spans(text: str) -> list[SecretSpan]:
    spans, words, runs = ruled_spans(text)
    return spans + read_spans(text, words, runs, spans)


def ruled_spans(text: str) -> tuple[list[SecretSpan], CueWords, list[tuple[int, str]]]:
    """The secrets that rules find, the cues of the text, and what in it is as long as a token."""
    lowered = _lowered(text)
    runs = _long_runs(text)
    words = CueWords(lowered, max([len(run) for _, run in runs], default=0))
    spans = [*_token_spans(text, runs)]
    if words.cues & CueFlag.PRIVATE:
        spans += _private_spans(text)
        spans += _key_blocks(text)
    if words.cues & CueFlag.HEADER:
        spans += header_spans(text, lowered)
    if "://" in text and "@" in text:
        spans += url_spans(text, lowered)
    if any(kind == "aws-key" for _, _, kind in spans):
        spans += aws_secrets(text)
    if words.cues & CueFlag.IDENTITY or _NUMBER.search(text):
        spans += _number_spans(text, lowered, is_named=bool(words.cues & CueFlag.IDENTITY))
    if words.cues & _STATED:
        spans += _stated_spans(text, lowered, words)
    spans += _remaining_spans(text, lowered, words, runs)
    return spans, words, runs


def _number_spans(text: str, lowered: str, *, is_named: bool) -> Iterator[SecretSpan]:
    """Numbers of cards, accounts and persons; `is_named`: words of the text may name such a number."""
    if has_long_number(text):
        cards = [*card_spans(text)]
        yield from cards
        yield from check_codes(text, cards)
        yield from iban_spans(text)
    if is_named and "iban" in lowered and len(upper := lowered.upper()) == len(text):
        yield from iban_spans(upper)
    if _ID_LIKE.search(text) or (is_named and "national insurance" in lowered):
        from dopejar.governance.redaction.national_ids import national_id_spans

        yield from national_id_spans(text, lowered, is_named=is_named)


def _remaining_spans(text: str, lowered: str, words: CueWords, runs: list[tuple[int, str]]) -> list[SecretSpan]:
    """Secrets by public rules and in the places for them; of running text nothing is tried, or loaded."""
    spans: list[SecretSpan] = []
    if any(_DIGIT.search(run) for _, run in runs):
        from dopejar.governance.redaction.vendor_rules import vendor_spans

        near = windows(text, ((start, start + len(run)) for start, run in runs), _BEFORE_A_RUN, 8)
        spans += vendor_spans(text, lowered, runs, near)
    if words.cues & CueFlag.KEY and text.count(",") >= _KEY_PAIR_COMMAS:
        from dopejar.governance.redaction.placed_credentials import key_byte_spans

        spans += key_byte_spans(text)
    if words.cues & _PLACED or "</" in text or _contains_any(lowered, PLACE_SIGNS):
        from dopejar.governance.redaction.placed_credentials import column_spans, placed_spans, tag_spans

        spans += placed_spans(text, lowered)
        if "</" in text:
            spans += tag_spans(text, lowered)
        if "\n" in text:
            spans += column_spans(text)
    if _contains_any(text, COMMAND_SIGNS):
        from dopejar.governance.redaction.command_secrets import command_secrets

        spans += command_secrets(text, COMMAND_SIGNS)
    if words.has_seed_words:
        from dopejar.governance.redaction.seed_phrases import seed_phrase_spans

        spans += seed_phrase_spans(lowered)
    return spans


def read_spans(
    text: str,
    words: CueWords,
    runs: list[tuple[int, str]],
    known: list[SecretSpan],
    weights: "Weights | None" = None,
) -> list[SecretSpan]:
    """What the fitted reader takes for secrets, where a word names one or something looks drawn by lot.

    The arguments are what `ruled_spans` gives; without `weights` the reader takes those of the package.
    """
    odd = [(start, start + len(run)) for start, run in runs if _DIGIT.search(run)]
    is_named = words.cues & CueFlag.PASSWORD
    if not (odd or is_named or (_DIGIT.search(text) and (words.cues & _READ or _contains_any(text, COMMAND_SIGNS)))):
        return []
    from dopejar.governance.redaction.secret_reader import secret_spans

    places = sorted([*odd, *words.windows(_READ, 0, 0)])
    return [*secret_spans(text, places, known, weights)]


def _stated_spans(text: str, lowered: str, words: CueWords) -> list[SecretSpan]:
    """Codes, answers and phrases that sentences and lists state; their patterns are loaded for texts that name one."""
    from dopejar.governance.redaction.stated_codes import (
        backup_code_spans,
        grouped_key_spans,
        nearby_codes,
        one_time_codes,
        stated_answers,
        stated_codes,
    )

    spans: list[SecretSpan] = []
    if words.cues & CueFlag.CODE and _DIGIT.search(text):
        spans += stated_codes(lowered, words.windows(CueFlag.CODE, 120, 160))
        spans += nearby_codes(lowered, words.windows(CueFlag.CODE, 40, 60))
        spans += one_time_codes(lowered, words.windows(CueFlag.CODE, 60, 60))
    if words.cues & CueFlag.LOCK and _DIGIT.search(text):
        from dopejar.governance.redaction.spoken_codes import spoken_codes

        spans += spoken_codes(lowered, words.windows(CueFlag.LOCK, 120, 160))
    if words.cues & CueFlag.ANSWER:
        spans += stated_answers(lowered)
    if words.cues & CueFlag.BACKUP and words.cues & CueFlag.CODE:
        spans += backup_code_spans(text, lowered)
    if words.cues & (CueFlag.BACKUP | CueFlag.KEY):
        spans += grouped_key_spans(lowered, words.windows(CueFlag.KEY, 0, 160))
    if words.cues & CueFlag.SEED:
        from dopejar.governance.redaction.seed_phrases import named_phrase_spans

        spans += named_phrase_spans(lowered)
    return spans


def _contains_any(lowered: str, literals: tuple[str, ...]) -> bool:
    for literal in literals:  # noqa: SIM110  three times as fast as `any`, and every turn pays for it
        if literal in lowered:
            return True
    return False


def _outside_marks(text: str, spans: list[SecretSpan]) -> list[SecretSpan]:
    """The spans outside the marks of an earlier redaction: the words of a mark are no secret."""
    if not spans or "[redacted:" not in text:
        return spans
    marks = [match.span() for match in _MARK.finditer(text)]
    starts = [start for start, _ in marks]
    return [span for span in spans if not _is_within(span, marks, bisect_right(starts, span[0]) - 1)]


def _is_within(span: SecretSpan, marks: list[tuple[int, int]], nearest: int) -> bool:
    return nearest >= 0 and span[1] <= marks[nearest][1]


def _lowered(text: str) -> str:
    """The text in lower case of the same length, so that offsets hold."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def _merge_overlaps(spans: list[SecretSpan]) -> list[SecretSpan]:
    """Overlapping spans as one, named by the kind of the lowest rank, then by the one that begins first."""
    merged: list[SecretSpan] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            first, last, name = merged[-1]
            winner = kind if _RANK.get(kind, 2) < _RANK.get(name, 2) else name
            merged[-1] = (first, max(last, end), winner)
        else:
            merged.append((start, end, kind))
    return merged


def _replace_spans(text: str, spans: list[SecretSpan], counts: dict[str, int]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, kind in spans:
        parts += (text[at:start], f"[redacted:{kind}]")
        counts[kind], at = counts.get(kind, 0) + 1, end
    return "".join((*parts, text[at:]))


def _long_runs(text: str) -> list[tuple[int, str]]:
    """What is as long as a token without a space in it, and where it starts; plain prose has no word that long."""
    runs = []
    at = 0
    for run in [run for run in text.split() if len(run) >= SHORTEST_TOKEN]:
        start = text.find(run, at)
        at = start + len(run)
        runs.append((start, run))
    return runs


def _token_spans(text: str, long_runs: list[tuple[int, str]]) -> Iterator[SecretSpan]:
    if not long_runs:
        return
    joined = " ".join(run for _, run in long_runs)
    for token in TOKEN_PATTERNS:
        for literal in token.literals:
            if literal in joined:
                break
        else:
            continue
        for start, run in long_runs:
            if len(run) >= token.least and _contains_any(run, token.literals):
                for match in compile_pattern(token).finditer(text, start, start + len(run)):
                    if not is_example_token(match.group(), token.literals):
                        group = 1 if match.re.groups else 0
                        yield (*match.span(group), token.kind)


def _private_spans(text: str) -> Iterator[SecretSpan]:
    """The text between `<private>` and its end tag; without an end tag, all text behind it."""
    depth = opened = 0
    for tag in _PRIVATE_TAG.finditer(text):
        if not tag.group(1):
            opened = opened if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield opened, tag.end(), "private"
    if depth:
        yield opened, len(text), "private"


def _key_blocks(text: str) -> Iterator[SecretSpan]:
    at, is_ended = 0, True
    while begin := _KEY_BEGIN.search(text, at):
        end = _KEY_END.search(text, begin.end()) if is_ended else None
        if end is None:
            is_ended = False  # there is none further on either: later beginnings need not look for one
            body = _KEY_BODY.match(text, begin.end())
            at = begin.end() if body is None else body.end()
            if body is not None and len(body.group().strip()) >= 16:
                yield begin.start(), at, "private-key"
            continue
        at = end.end()
        if text[begin.end() : end.start()].strip(" .…\r\n\\n"):
            yield begin.start(), at, "private-key"

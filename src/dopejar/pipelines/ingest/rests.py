"""What a later statement leaves of an earlier one, in the earlier one's own words.

Takes: two statements and a reader that tells which words still hold. Gives: the rest, as a statement; nothing where all
of it goes, or a part does and not surely which. Never: adds a word; keeps a rest that is not worth knowing by itself.
"""

from __future__ import annotations

from typing import Final

from dopejar.pipelines.ingest.extraction.extractor import as_sentence
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.text_values import has_digit
from dopejar.text.words import query_terms
from dopejar.values.statement import SpeechAct

_LEAST_WORDS: Final = 3
_LASTS: Final = 0.5  # probability from which what is left is worth knowing by itself


def rest_of(earlier: str, later: str, reader: StatementReader) -> str:
    """What of the earlier statement holds on after the later one; "" where nothing does, or not surely what."""
    if not reader.is_graded:
        return ""
    rest = reader.rests([(earlier, later)])[0] or ""
    if rest in ("", earlier):
        return rest
    rest = as_sentence(rest)
    return rest if _stands_alone(rest, reader) else ""


def part_left(earlier: str, later: str, reader: StatementReader) -> str:
    """The rest where a part surely goes; "" where all or nothing does, or the rest says nothing but the later one."""
    rest = rest_of(earlier, later, reader)
    return "" if rest == earlier or terms_of(rest) <= terms_of(later) else rest


def terms_of(text: str) -> frozenset[str]:
    """The words of a text that tell something, without figures."""
    return frozenset(term for term in query_terms(text) if not has_digit(term))


def _stands_alone(rest: str, reader: StatementReader) -> bool:
    read = reader.read([rest])[0]
    lasts = read.believed and read.act is not SpeechAct.REQUEST and read.durable >= _LASTS
    return lasts and len(rest.split()) >= _LEAST_WORDS

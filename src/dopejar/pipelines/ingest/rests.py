"""What a later statement leaves of an earlier one, in the earlier one's own words.

Takes: two statements and a reader that tells which words still hold. Gives: the rest, as a statement; nothing where all
of it goes, or a part does and not surely which. Never: adds a word; keeps a rest that is not worth knowing by itself.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.extraction.extractor import as_sentence
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.sentences import sentences
from dopejar.text.text_values import has_digit
from dopejar.text.words import query_terms
from dopejar.values.statement import SpeechAct

_LEAST_WORDS: Final = 3
_LASTS: Final = 0.5  # probability from which what is left is worth knowing by itself
_SUBJECT: Final = re.compile(r"(?:i|we|you|they|he|she|nobody|everyone)\b|\w+['\u2019]", re.IGNORECASE)


def rest_of(earlier: str, later: str, reader: StatementReader) -> str:
    """What of the earlier statement holds on after the later one; "" where nothing does, or not surely what.

    All of it where the rest would lose its subject. Of several sentences each is asked for where no part of them stays.
    """
    if not reader.is_graded:
        return ""
    rest = reader.rests([(earlier, later)])[0]
    if not rest:
        rest = _rest_of_sentences(earlier, later, reader)
    if rest in ("", earlier):
        return rest
    if _loses_subject(earlier, rest):
        return earlier
    rest = as_sentence(rest)
    return rest if _stands_alone(rest, reader) else ""


def part_left(earlier: str, later: str, reader: StatementReader) -> str:
    """The rest where a part surely goes; "" where all or nothing does, or the rest says nothing but the later one."""
    rest = rest_of(earlier, later, reader)
    return "" if rest == earlier or terms_of(rest) <= terms_of(later) else rest


def terms_of(text: str) -> frozenset[str]:
    """The words of a text that tell something, without figures."""
    return frozenset(term for term in query_terms(text) if not has_digit(term))


def _rest_of_sentences(earlier: str, later: str, reader: StatementReader) -> str:
    """The first sentence, where all of it surely stays, and those that do behind it, of which they say more."""
    first, *others = (piece.text.rstrip(".") for piece in sentences(earlier))
    if not others:
        return ""
    behind = [f"{first}. {other}" for other in others]
    whole, *rests = reader.rests([(one, later) for one in (first, *behind)])
    if whole != first:
        return ""
    kept = (other for other, text, rest in zip(others, behind, rests, strict=True) if rest == text)
    return ". ".join([first, *kept])


def _loses_subject(earlier: str, rest: str) -> bool:
    """Whether the rest of a statement begins with the verb of what was cut off before it."""
    is_cut = not earlier.lower().startswith(rest[:_LEAST_WORDS].lower())
    return is_cut and FINITE.match(rest) is not None and _SUBJECT.match(rest) is None


def _stands_alone(rest: str, reader: StatementReader) -> bool:
    read = reader.read([rest])[0]
    lasts = read.believed and read.act is not SpeechAct.REQUEST and read.durable >= _LASTS
    return lasts and len(rest.split()) >= _LEAST_WORDS

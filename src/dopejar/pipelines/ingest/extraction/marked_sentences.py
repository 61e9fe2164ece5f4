"""Marked spans by sentence: each sentence of a span that directs the work is a statement of its own.

Takes: a marked statement, and the sentences of its turn. Gives: statements in order. Never: parts what only states
something: there a second sentence often tells more of the first ("Our plumber is Craig. The number is ...").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.extraction.smalltalk import is_smalltalk
from dopejar.values.record import Layer
from dopejar.values.statement import MarkedStatement

_TOLD: Final = re.compile(r"\w+(?:\W+\w+)+")  # more than one word
_LEANS: Final = re.compile(
    r"\W*(?:no|not|and|or|but|so|then|even|if|when|unless|until|else|otherwise|except|only|it|its|they|them|these|those|that|this|he|she|same|"
    r"e\.?g|for example|because|sorry|wait|actually|i mean|make that|scratch|correction)\b",
    re.IGNORECASE,
)


def by_sentence(
    marked: MarkedStatement, offset: int, text: str, sentences: Sequence[tuple[int, int]]
) -> Iterator[MarkedStatement]:
    """The statement, or one for each of its sentences where all of them can stand alone; offsets as before."""
    spans = [(max(marked.start, start - offset), min(marked.end, end - offset)) for start, end in sentences]
    said = [(start, end, text[offset + start : offset + end].rstrip(".!?… ")) for start, end in spans if start < end]
    said = [part for part in said if not is_smalltalk(part[2])]
    alone = all(_TOLD.search(words) for _, _, words in said) and not any(
        _LEANS.match(words) for _, _, words in said[1:]
    )
    if marked.layer is not Layer.INTENT or not said or not alone:
        yield marked
        return
    for start, _, words in said:
        yield replace(marked, start=start, end=start + len(words))

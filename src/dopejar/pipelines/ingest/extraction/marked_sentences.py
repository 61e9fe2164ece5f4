"""Marked spans by item and sentence: each item of a list, and each sentence of what directs the work, is one by itself.

Takes: a marked statement, and the sentences of its turn. Gives: statements in order. Never: parts the sentences of what
only states something: there a second one often tells more of the first ("Our plumber is Craig. The number is ...").
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
_STOPS: Final = " \t\r\n.,;:!?…"  # between the sentences of one item
_LEANS: Final = re.compile(
    r"\W*(?:no|not|and|or|but|so|then|even|if|when|unless|until|else|otherwise|except|only|it|its|they|them|these|those|that|this|he|she|same|"
    r"e\.?g|for example|because|sorry|wait|actually|i mean|make that|scratch|correction)\b",
    re.IGNORECASE,
)


def by_sentence(
    marked: MarkedStatement, offset: int, text: str, sentences: Sequence[tuple[int, int]]
) -> Iterator[MarkedStatement]:
    """The statement, or one for each item of a list and sentence of it that can stand alone; offsets as before."""
    spans = [(max(marked.start, start - offset), min(marked.end, end - offset)) for start, end in sentences]
    said = [(start, end, text[offset + start : offset + end].rstrip(".!?… ")) for start, end in spans if start < end]
    items = _items(said, text[offset:])
    if len(items) > 1:
        for item in items:
            within = replace(marked, start=item[0][0], end=item[-1][1])
            yield from by_sentence(within, offset, text, sentences)
        return
    said = [part for part in said if not is_smalltalk(part[2])]
    alone = all(_TOLD.search(words) for _, _, words in said) and not any(
        _LEANS.match(words) for _, _, words in said[1:]
    )
    if marked.layer is not Layer.INTENT or not said or not alone:
        yield marked
        return
    for start, _, words in said:
        yield replace(marked, start=start, end=start + len(words))


def _items(said: Sequence[tuple[int, int, str]], text: str) -> list[list[tuple[int, int, str]]]:
    """The sentences by item of a list, by the marks between them; all in one where an item or a head has no clause."""
    items: list[list[tuple[int, int, str]]] = []
    for part in said:
        if items and not text[items[-1][-1][1] : part[0]].strip(_STOPS):
            items[-1].append(part)
        else:
            items.append([part])
    is_apart = all(_TOLD.search(item[0][2]) and not item[-1][2].endswith(":") for item in items)
    return items if is_apart else [list(said)]

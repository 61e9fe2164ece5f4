"""What a block is about, in its own words: label, keywords, summary.

Takes: the turns of a block, and how many blocks of the stream hold each term. Gives: words and sentences of the turns.
Never: a word that nobody said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Final, Protocol

from dopejar.pipelines.garden.topic_shift import read_terms
from dopejar.text.sentences import sentences
from dopejar.text.tokens import count_tokens
from dopejar.text.words import stem, words
from dopejar.values.episode import Origin

if TYPE_CHECKING:
    from dopejar.pipelines.garden.blocks import IncomingTurn

_KEYWORDS: Final = 8
IN_LABEL: Final = 3
"""Keywords in a label."""
_SENTENCES: Final = 3
_LEAST_LETTERS: Final = 3
_OWN_WORDS: Final = 2.0  # what a turn of a person counts, beside one of the assistant


class Spoken(Protocol):
    """A turn: what was said, and whose words they are."""

    @property
    def text(self) -> str:
        """What was said."""
        ...

    @property
    def origin(self) -> Origin:
        """Whose words they are."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockDescription:
    """The label (the first keywords), the keywords, most telling first, and a summary in sentences of the turns."""

    label: str
    keywords: tuple[str, ...]
    summary: str


def describe(
    turns: Sequence[IncomingTurn], spread: Mapping[str, int], blocks: int, *, budget: int = 80
) -> BlockDescription:
    """Describe a block. A term tells more, the more turns and the fewer of the `blocks` hold it (`spread`).

    The summary has at most `budget` tokens and three sentences, in their order: those that hold most of the keywords.
    """
    telling, keywords = _keywords(turns, spread, blocks)
    own = [turn.text for turn in turns if turn.origin is not Origin.ASSISTANT]
    summary = _summary(own or [turn.text for turn in turns], telling, budget)
    return BlockDescription(label=", ".join(keywords[:IN_LABEL]), keywords=keywords, summary=summary)


def keywords_of(turns: Sequence[Spoken]) -> tuple[str, ...]:
    """The keywords of a block by itself, most frequent first, where the others of its stream are not at hand."""
    return _keywords(turns, {}, 1)[1]


def _keywords(
    turns: Sequence[Spoken], spread: Mapping[str, int], blocks: int
) -> tuple[Mapping[str, float], tuple[str, ...]]:
    """The most telling terms with how much they tell, and the words that were said for them, most telling first."""
    weights: dict[str, float] = {}
    written: dict[str, Counter[str]] = {}
    for turn in turns:
        share = 1.0 if turn.origin is Origin.ASSISTANT else _OWN_WORDS
        for term in read_terms(turn.text):
            weights[term] = weights.get(term, 0.0) + share
        for word in words(turn.text):
            written.setdefault(stem(word), Counter())[word.lower()] += 1
    telling = {
        term: weight * (log((blocks + 2) / (spread.get(term, 0) + 1)) + 0.1)
        for term, weight in weights.items()
        if len(term) >= _LEAST_LETTERS and term in written and not term[0].isdigit()
    }
    best = sorted(telling, key=lambda term: (-telling[term], term))[:_KEYWORDS]
    return {term: telling[term] for term in best}, tuple(written[term].most_common(1)[0][0] for term in best)


def _summary(texts: Iterable[str], telling: Mapping[str, float], budget: int) -> str:
    """The sentences that add most to what is told, as long as they fit."""
    candidates = [
        " ".join(piece.text.split()) for text in texts for piece in sentences(text) if piece.kind in {"prose", "list"}
    ]
    terms = [read_terms(sentence) & telling.keys() for sentence in candidates]
    chosen: set[int] = set()
    told: set[str] = set()
    left = budget
    while len(chosen) < _SENTENCES:
        gains = {
            place: sum(telling[term] for term in terms[place] - told)
            for place in range(len(candidates))
            if place not in chosen and count_tokens(candidates[place]) + 1 <= left
        }
        best = max(gains, key=lambda place: (gains[place], -place), default=None)
        if best is None or not gains[best]:
            break
        chosen.add(best)
        told |= terms[best]
        left -= count_tokens(candidates[best]) + 1
    return " ".join(candidates[place] for place in sorted(chosen))

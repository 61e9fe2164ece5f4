"""Rules that only two readers together find: "no bare except, catch KafkaException", "one page max, please".

Takes: the turns of a conversation with what was extracted from them, a marker and a reader of statements. Gives: the
extractions, with the sentences in which both are likely enough to have found a rule. Never: a sentence of which
something was extracted already, a question, or words in a language that the marker is not fitted to.

The marker was fitted to find what lasts, the reader to find what guides, and they are wrong about different sentences:
the one misses a rule without a verb, the other takes a task for a rule. So their log odds are added up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from dopejar.pipelines.ingest.atoms import Extraction, Reason
from dopejar.pipelines.ingest.extraction.marked_statements import (
    SpokenTurn,
    atom_of,
    named_words,
    spoken_pieces,
    trimmed,
    windows_of,
)
from dopejar.ports.statement_reader import StatementMarker, StatementReader
from dopejar.text.lexicons import guess_language
from dopejar.text.polarity import polarity
from dopejar.text.sentences import Piece
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement, Statement

# Fitted to the development sessions of `benchmarks.session_rules`, each held out in turn.
_MARKER: Final = 0.8
_READER: Final = 0.6
_BIAS: Final = -0.5
_BANS: Final = 1.8  # what a ban adds, which neither was shown often without a verb
_LEAST: Final = 0.5  # probability from which the sentence is proposed
_LASTS: Final = 0.5  # probability from which the reader finds it worth knowing later: else it is a task's
_LEAST_LASTING: Final = 0.03  # of the marker, below which the reader is not asked
_LEAST_WORDS: Final = 2
_TELLING: Final = 300  # characters that tell a language
_NEVER_SURE: Final = 0.001
_LANGUAGE: Final = "en"

_BAN: Final = re.compile(  # "no bare except", "and never touch vendor/"
    r"(?:^|[,;:]\s+|\b(?:and|but|so|please|sake)\s+)(?:no(?! no\b)|never)\s+[\w`.-]+", re.IGNORECASE
)

_Span = tuple[int, int]


def with_rule_sentences(
    turns: Sequence[SpokenTurn], extractions: Sequence[Extraction], marker: StatementMarker, reader: StatementReader
) -> list[Extraction]:
    """The extractions with the rules that both find."""
    spoken = [spoken_pieces(turn) for turn in turns]
    windows = [(place, span) for place, pieces in enumerate(spoken) for span in windows_of(pieces)]
    free = [list(_free(*one)) for one in zip(turns, extractions, spoken, strict=True)]
    within = [[span for span in free[place] if start <= span[0] < end] for place, (start, end) in windows]
    lasting = marker.lasting(
        [turns[place].text[start:end] for place, (start, end) in windows],
        [
            [(low - start, high - start) for low, high in spans]
            for (_, (start, _)), spans in zip(windows, within, strict=True)
        ],
    )
    likely = [
        (place, span, share)
        for (place, _), spans, shares in zip(windows, within, lasting, strict=True)
        for span, share in zip(spans, shares, strict=True)
        if share >= _LEAST_LASTING
    ]
    read = reader.read([turns[place].text[low:high] for place, (low, high), _ in likely]) if likely else ()
    found = list(extractions)
    for (place, span, share), statement in zip(likely, read, strict=True):
        certainty = _likely_rule(statement, share)
        if certainty >= _LEAST and statement.durable >= _LASTS:
            found[place] = _with_rule(turns[place], found[place], spoken[place], span, certainty)
    return found


def _likely_rule(read: Statement, lasting: float) -> float:
    """How likely it is a rule, by the marker's probability that it lasts and the reader's that it guides."""
    guides = read.frame.guides if read.frame is not None else 0.0
    odds = _BIAS + _MARKER * _log_odds(lasting) + _READER * _log_odds(guides)
    return 1 / (1 + math.exp(-odds - (_BANS if _BAN.search(read.text) else 0.0)))


def _log_odds(share: float) -> float:
    share = min(max(share, _NEVER_SURE), 1 - _NEVER_SURE)
    return math.log(share / (1 - share))


def _free(turn: SpokenTurn, found: Extraction, spoken: Sequence[Piece]) -> Iterator[_Span]:
    """The user's sentences of which nothing was extracted, and nothing left out for a reason of its own."""
    if not turn.speaker_is_user or guess_language(turn.text[:_TELLING]) != _LANGUAGE:
        return
    taken = [(atom.start, atom.end) for atom in found.atoms]
    taken += [(part.start, part.end) for part in found.left_out if part.reason is not Reason.FLEETING]
    for piece in spoken:
        start, end = trimmed(turn.text, piece.start, piece.end)
        words = turn.text[start:end]
        is_said = not words.endswith("?") and len(words.split()) >= _LEAST_WORDS
        if is_said and not any(low < end and start < high for low, high in taken):
            yield start, end


def _with_rule(
    turn: SpokenTurn, found: Extraction, spoken: Sequence[Piece], span: _Span, certainty: float
) -> Extraction:
    start, end = span
    said_before = "\n".join(piece.text for piece in spoken if piece.end <= start)
    previous = [atom.text for atom in found.atoms if atom.end <= start]
    words = named_words(turn.text[start:end], said_before, previous[-1] if previous else "", turn.before, _LANGUAGE)
    if not words:
        return found
    marked = MarkedStatement(
        start=start,
        end=end,
        certainty=certainty,
        fact_class=FactClass.CONSTRAINT,
        layer=Layer.INTENT,
        sublayer=Sublayer.ANTI_PATTERN if polarity(words, _LANGUAGE) < 0 else Sublayer.RULE,
    )
    return found.with_atom(atom_of(" ".join(words.split()), start, end, marked, turn, _LANGUAGE))

"""What came of something right after it was told: "They still owe us 80.", "No need, they have just paid it".

Takes: the turns of a conversation with what was extracted from them, and a reader. Gives: the extractions; what has
just come to pass is a statement, with its name, in the place of the one that it ends. Never: an outcome that a reader
does not find to change what was told; one of two things told, or of somebody else than that one begins with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Extraction
from dopejar.pipelines.ingest.extraction.antecedents import with_subject
from dopejar.pipelines.ingest.extraction.extractor import as_sentence, unspoken
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.sentences import Piece, sentences
from dopejar.values.statement import Relation

_OUTCOME: Final = re.compile(
    r"(?:(?:no need|not needed|not necessary|no thanks|no thank you|no|nope|oh|ah)[\s,;.!–—-]+){0,3}"
    r"(?P<who>they|she|he)(?:['’](?:ve|s)|\s+(?:have|has))\s+(?P<done>(?:just|already|now|finally|since)\s+[^?]+)",
    re.IGNORECASE,
)
_ENDS: Final = 0.5  # probability of an update or an end from which what was told is over
_LONGEST: Final = 160  # characters of the sentence


def with_outcomes(
    turns: Sequence[SpokenTurn], extractions: Sequence[Extraction], reader: StatementReader | None
) -> list[Extraction]:
    """The extractions with what ends the only statement of its speaker's turn before; graded readers judge that."""
    found = list(extractions)
    spoken = [place for place, turn in enumerate(turns) if turn.speaker_is_user]
    if reader is None or not reader.is_graded:
        return found
    for before, place in pairwise(spoken):
        outcome = _outcome(turns[place])
        told = [one for one in found[before].atoms if not (one.directs_work or one.quotes or one.past or one.context)]
        if outcome is None or len(told) != 1 or len(found[before].atoms) != 1:
            continue
        piece, words = outcome
        said = _ending(told[0], words, reader)
        if said is not None:
            found[place] = found[place].with_atom(replace(said, start=piece.start, end=piece.end))
    return found


def _outcome(turn: SpokenTurn) -> tuple[Piece, str] | None:
    """The sentence that opens the turn and says what somebody has just done, with the words that say so."""
    for count, piece in enumerate(sentences(turn.text)):
        found = _OUTCOME.fullmatch(piece.text) if len(piece.text) <= _LONGEST else None
        if found is not None and unspoken(piece, turn.skip) is None:
            has = "have" if found["who"].lower() == "they" else "has"
            return piece, f"{found['who']} {has} {found['done'].rstrip(' .!')}"
        if count:
            break
    return None


def _ending(told: Atom, words: str, reader: StatementReader) -> Atom | None:
    """The outcome with its name, in the place of what was told, where it changes or ends that."""
    named = with_subject(words, told.text)
    if named is None:
        return None
    (related,) = reader.relate([(told.text, named)])
    if related.share(Relation.UPDATE, Relation.END) < _ENDS:
        return None
    return replace(told, text=as_sentence(named), core="", corrects=told.text, valid_from=None, valid_to=None)

"""What is told once more: the whole of a told text is held against the texts that a record was told in.

Takes: a told text, one of its atoms, and records near by meaning with their told texts. Gives: the record that is
stated once more, or nothing. Never: lets an atom pass that has a number, a name or a value of its own.

A statement comes with reasons, asides and refusals ("my eyes give out on white, so I keep my editor dark"). Cut into
atoms these would be records of their own; held together they are one more wording of what is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.integrity.chain_move import ChainMove
from dopejar.pipelines.ingest.paraphrase.candidates import Neighbour
from dopejar.pipelines.ingest.paraphrase.lexical_traits import OWNERS
from dopejar.pipelines.ingest.paraphrase.merge_candidates import NearnessOf
from dopejar.pipelines.ingest.paraphrase.numbers_and_names import number_met
from dopejar.pipelines.ingest.paraphrase.record_merges import said_again
from dopejar.pipelines.ingest.paraphrase.sameness import same_statement
from dopejar.pipelines.ingest.paraphrase.statement_features import Said, name_met, said_in
from dopejar.text.lexicons import guess_language
from dopejar.text.sentences import sentences

LONGEST: Final = 300  # characters; a longer text says more than one thing
_UNCLEAR: Final = "unclear"  # the cue of what nothing classified
_MOST_SENTENCES: Final = 3
_DOUBT: Final = 0.5  # certainty
_BEYOND_DOUBT: Final = 0.8  # of the judgement that both say one thing


def retold(text: str, atom: Atom, around: Sequence[Neighbour], nearness: NearnessOf) -> ChainMove | None:
    """The step that states a record once more, where the whole text says what it says and the atom belongs to that."""
    if len(text) > LONGEST or len(sentences(text)) > _MOST_SENTENCES:
        return None
    found = [(same_statement(text, one.wordings, one.nearness), one) for one in around]
    if atom.certainty <= _DOUBT:  # what may be so is told once more only where that is beyond doubt
        found = [one for one in found if one[0].score >= _BEYOND_DOUBT]
    best = max((one for one in found if one[0].same), key=lambda one: one[0].score, default=None)
    if best is None or not _belongs(text, atom, best[1].wordings):
        return None
    return said_again(text, found, nearness, "told in other words")


def _belongs(text: str, atom: Atom, wordings: Sequence[str]) -> bool:
    """Whether the atom is part of what was told before: all of the text, or its words, or an aside that adds no value.

    A rule of its own, and a sentence of its own that shares no word with what is known, are judged alone.
    """
    if _is_whole(text, atom):
        return True
    language = guess_language(text)
    mine = said_in(atom.text, language)
    theirs = [said_in(one, language) for one in wordings]
    if _adds_a_value(mine, theirs):
        return False
    if any(not mine.content.isdisjoint(one.content) for one in theirs):
        return True
    return not (atom.directs_work or mine.rivals.keys() & OWNERS) and (_is_aside(text, atom) or atom.cue == _UNCLEAR)


def _is_whole(text: str, atom: Atom) -> bool:
    return (atom.start <= 0 and atom.end >= len(text.rstrip())) or len(atom.text) >= 0.9 * len(text.strip())


def _is_aside(text: str, atom: Atom) -> bool:
    """Whether the atom stands in a sentence with something else."""
    return any(
        one.start <= atom.start and atom.end <= one.end and len(atom.text) < 0.8 * len(one.text)
        for one in sentences(text)
    )


def _adds_a_value(mine: Said, theirs: Sequence[Said]) -> bool:
    """Whether it states a number, a name or a value that no wording has, and not only to refuse it."""
    if mine.denied and not mine.affirmed:
        return False
    numbers = frozenset[str]().union(*(one.numbers for one in theirs))
    spoken = frozenset[str]().union(*(one.spoken for one in theirs))
    if any(not number_met(one, numbers) for one in mine.numbers - mine.refused):
        return True
    if any(not name_met(one, spoken) for one in mine.names):
        return True
    return any(
        values.isdisjoint(frozenset[str]().union(*(one.families.get(family, frozenset()) for one in theirs)))
        for family, values in mine.families.items()
    )

"""Lasting statements in one sentence, told apart: "I work at Fenix and live in Gouda", "I'm Ida, I'm a nurse".

Takes: atoms, each with its statement as read, and the reader. Gives: the parts of those that hold several, so that each
can change or end by itself. Never: a clause that depends on the other, or that is none without it; a
word but the subject that both share.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.guidance_clauses import part_of
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.polarity import polarity
from dopejar.values.statement import MAY_GUIDE, Relation, Statement, Tense

_LASTS: Final = 0.85  # probability from which a part lasts by itself
_APART: Final = 0.8  # the same that the two have nothing to do with each other
_LEAST_WORDS: Final = 3  # of a part
_AND: Final = " and "
_NEXT_OWN: Final = re.compile(r"(?:,|,? and) (?=(?:I|we)(?:['’](?:m|ve|re)| \w))", re.IGNORECASE)  # "I'm Ida, I'm 40"
_SPEAKER: Final = re.compile(r"(?:I|We) ", re.IGNORECASE)
_OWN: Final = re.compile(r"(?:I|we)(?:['’](?:m|ve|re)| \w)", re.IGNORECASE)
_SUBJECT: Final = re.compile(r"(?:(?:i|we|my|our|the)\b|i'|we'|(?-i:[A-Z]))", re.IGNORECASE)
_HOLDS_TOGETHER: Final = re.compile(  # before "and": what comes after it may depend on this, too
    r"[,;:?!.] |\b(?:when(?:ever)?|if|because|that|while|since|as|after|before|until|unless|where|who|whom|whose|which|"
    r"so|than|once|both|between|either|though|although|whether|what|how|why)\b",
    re.IGNORECASE,
)
_REFERS_BACK: Final = re.compile(
    r"[,;:?!.] |\b(?:it|its|it's|them|they|their|he|him|his|she|her|that|this|these|those|there|then|so|too|also|both|"
    r"each|either|neither|same|others?|another|again|instead|respectively|vice|later|ones?|who|which|where|because|if|"
    r"when|while|until|unless)\b",
    re.IGNORECASE,
)


def parts_of_joint(
    atoms: Sequence[Atom],
    statements: Sequence[Statement],
    reader: StatementReader,
    cut: Callable[[Atom], tuple[Atom, ...]],
) -> Mapping[int, tuple[Atom, ...]]:
    """By position the parts, as `cut`, of each atom that holds several lasting statements; the others are not in it."""
    found = {
        position: parts
        for position, (atom, statement) in enumerate(zip(atoms, statements, strict=True))
        if _may_hold_two(atom, statement) and len(parts := cut(atom)) > 1
    }
    return {position: parts for position, parts in found.items() if _are_independent(parts, reader)}


def clauses_of_own(atom: Atom) -> tuple[Atom, ...]:
    """The clauses of a list of what the speaker says of themself, each with its own subject; empty where it is none.

    "I'm Ida, I'm a nurse, and I've got two boys" has three.
    """
    places = [(found.start(), found.end()) for found in _NEXT_OWN.finditer(atom.text)]
    starts, ends = (0, *(end for _, end in places)), (*(start for start, _ in places), len(atom.text))
    parts = [atom.text[start:end] for start, end in zip(starts, ends, strict=True)]
    if len(parts) < 2 or not all(_OWN.match(part) and not _REFERS_BACK.search(part) for part in parts):
        return ()
    clauses = [part_of(atom, [(start, end)]) for start, end in zip(starts, ends, strict=True)]
    return tuple(replace(clause, polarity=polarity(clause.text, atom.language)) for clause in clauses)


def _may_hold_two(atom: Atom, statement: Statement) -> bool:
    """Whether the whole is a plain sure statement without a time that both parts would have."""
    is_plain = atom.speaker_is_user and atom.states and atom.certainty == 1.0 and not (atom.core or atom.guides)
    is_timeless = not (atom.temporary or atom.planned or atom.past or atom.valid_from or atom.valid_to)
    is_known = statement.frame is not None and statement.frame.guides < MAY_GUIDE and atom.renamed is None
    return is_plain and is_timeless and is_known and atom.language == "en"


def clauses_of_and(atom: Atom) -> tuple[Atom, ...]:
    """The atom's clauses before and after its only "and", the second with the subject of the first if it has none."""
    text = atom.text
    place = text.find(_AND)
    before, after = text[:place], text[place + len(_AND) :]
    if place < 0 or _AND in after or _HOLDS_TOGETHER.search(before) or _REFERS_BACK.search(after):
        return ()
    speaker, verb = _SPEAKER.match(before), FINITE.search(after)
    if verb is None or FINITE.search(before) is None or not before.split()[_LEAST_WORDS - 1 :]:
        return ()
    is_whole = _SUBJECT.match(after) is not None and (verb.start() > 0 or _SPEAKER.match(after) is not None)
    if not is_whole and (speaker is None or verb.start() > 0):
        return ()
    first, second = part_of(atom, [(0, place)]), part_of(atom, [(place + len(_AND), len(text))])
    if not is_whole and speaker is not None:
        second = replace(second, text=f"{speaker[0]}{after}")
    if len(second.text.split()) < _LEAST_WORDS:
        return ()
    return tuple(replace(part, polarity=polarity(part.text, atom.language)) for part in (first, second))


def _are_independent(parts: Sequence[Atom], reader: StatementReader) -> bool:
    """Whether each of the parts lasts by itself, as things are now, and says nothing of the one before it."""
    texts = [part.text for part in parts]
    return all(
        relation.share(Relation.APART, Relation.ADDITION) >= _APART for relation in reader.relate(list(pairwise(texts)))
    ) and all(
        part.believed
        and part.tense is Tense.NOW
        and part.durable >= _LASTS
        and part.frame is not None
        and part.frame.guides < MAY_GUIDE
        for part in reader.read(texts)
    )

"""A fact and guidance in one sentence, told apart: "we deploy on Fridays, and never ask me before you push".

Takes: atoms, each with its statement as read, and the reader. Gives: the parts of those that hold both, the guidance as
a rule. Never: other words; a part of an atom that guides as a whole, quotes somebody, or has one clause.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.extraction.extractor import as_sentence, extract_atoms, is_dangling
from dopejar.pipelines.ingest.extraction.smalltalk import is_smalltalk
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.quotations import marked
from dopejar.values.record import Kind, Layer, Sublayer
from dopejar.values.statement import GUIDES, MAY_GUIDE, Statement

_BETWEEN: Final = re.compile(
    r"\s*(?:[,;:.!…]+\s+|\s[-–—]+\s)(?:(?:and|but|so|also|und|aber|y|pero|et|mais|e|mas)\b,?\s+)?"
    r"|\s+(?:and|so)\s+(?=(?:please|from now|always|never|don't|do not|you)\b)",
    re.IGNORECASE,
)
# a tail without a verb that denies a part of what stands before it: "call Ada, not mail", "knock at the back, never the
# front"
_TAIL: Final = re.compile(r"(?:not|never (?:the|an?|to|on|in|at|by|with|for|from|via|through))\b", re.IGNORECASE)
_SURELY: Final = 0.9  # probability from which a clause guides by itself
_MAYBE: Final = 0.25  # the same where rules find guidance in the sentence
_AT_MOST_A_MARK: Final = (0, 1)  # characters of the range that the text lacks, most often the last one
_LEAST_WORDS: Final = 2  # of a clause
_LEAST_STATED: Final = 3  # words of a fact that stands alone

_Clause = tuple[int, int]


def parts_of_mixed(
    atoms: Sequence[Atom], statements: Sequence[Statement], reader: StatementReader
) -> Mapping[int, tuple[Atom, ...]]:
    """By position the parts of each atom that states something and guides as well; the others are not in it."""
    clauses = {
        position: found
        for position, (atom, statement) in enumerate(zip(atoms, statements, strict=True))
        if _may_be_mixed(atom, statement) and len(found := _clauses(atom.text)) > 1
    }
    texts = [atoms[position].text[start:end] for position, found in clauses.items() for start, end in found]
    read = iter(reader.read(texts) if texts else ())
    parts = {}
    for position, found in clauses.items():
        guides = [statement.frame.guides if statement.frame else 0.0 for _, statement in zip(found, read, strict=False)]
        guidance = _guidance(atoms[position].text, found, guides)
        if guidance:
            parts[position] = _parts(atoms[position], found, guidance)
    return parts


def _may_be_mixed(atom: Atom, statement: Statement) -> bool:
    """Whether the reader finds no guidance in the whole, though rules may."""
    if statement.frame is None or not atom.speaker_is_user or atom.quotes or atom.renamed is not None:
        return False
    return statement.frame.guides < (MAY_GUIDE if atom.directs_work else GUIDES)


def _clauses(text: str) -> list[_Clause]:
    """The ranges of the clauses, without what joins them; one word, or a tail, belongs to the clause before it."""
    found: list[_Clause] = []
    start = 0
    quoted = marked(text)
    joints = [one for one in _BETWEEN.finditer(text) if not any(begin < one.start() < end for begin, end in quoted)]
    for joint in (*joints, None):
        end = joint.start() if joint else len(text)
        is_tail = bool(found) and _TAIL.match(text, start, end) is not None
        if len(text[start:end].split()) >= _LEAST_WORDS and not (is_tail or is_smalltalk(text[start:end])):
            found.append((start, end))
        elif found:
            found[-1] = (found[-1][0], end)
        start = joint.end() if joint else end
    return found


def _guidance(text: str, clauses: Sequence[_Clause], guides: Sequence[float]) -> list[_Clause]:
    """The clauses that guide: surely, or the likeliest one where rules find that something in the sentence does."""
    sure = [clause for clause, probability in zip(clauses, guides, strict=True) if probability >= _SURELY]
    if sure or max(guides) < _MAYBE:
        return sure
    if any(atom.directs_work for atom in extract_atoms(text, at=None, speaker_is_user=True)):
        return [clauses[guides.index(max(guides))]]
    return []


def _parts(atom: Atom, clauses: Sequence[_Clause], guidance: Sequence[_Clause]) -> tuple[Atom, ...]:
    """What is stated, where it can stand alone, and what guides."""
    rule = replace(
        part_of(atom, guidance), layer=Layer.INTENT, sublayer=Sublayer.RULE, kind=Kind.RULE, directs_work=True, tags=()
    )
    stated = [clause for clause in clauses if clause not in guidance]
    if not stated:
        return (rule,)
    fact = part_of(atom, stated)
    if len(fact.text.split()) < _LEAST_STATED or is_dangling(fact.text):
        return (rule,)
    return (fact, rule)


def part_of(atom: Atom, clauses: Sequence[_Clause]) -> Atom:
    """The atom of these clauses alone; its range is narrowed where its words stand as they were said."""
    (start, _), (_, end) = clauses[0], clauses[-1]
    text = ", ".join(atom.text[first:last] for first, last in clauses)
    left_out = atom.end - atom.start - len(atom.text)
    if left_out not in _AT_MOST_A_MARK:
        return replace(atom, text=as_sentence(text), core="")
    return replace(atom, text=as_sentence(text), core="", start=atom.start + start, end=atom.start + end + left_out)

"""A statement and the one right behind it that says nothing without it: one memory, not one and a longer one.

Takes: the extraction of a text, in which what leans on a statement stands behind its words. Gives: the extraction with
both as one. Never: joins what fills a slot or directs the work, has a time of its own, or takes back what was said.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Extraction
from dopejar.pipelines.ingest.keys.read_slot import read_slot

_LONGEST: Final = 240  # characters of both
_OF_PRESENT: Final = re.compile(  # what is so before what was announced
    r"\b(?:now|still|so far|already|(?:un)?til+ then|before|currently|at the moment|today|was|were)\b", re.IGNORECASE
)


def in_one(extraction: Extraction) -> Extraction:
    """The extraction; what stands behind the very statement before it is one with that, named by what comes first."""
    before: Atom | None = None
    for atom in extraction.atoms:
        rest = "" if before is None else _rest_behind(before, atom)
        is_next = before is not None and not _is_parted(before, atom, extraction)
        if before is not None and rest and is_next and _hold_together(before, atom, rest):
            before = replace(before, text=f"{before.text}. {rest}", end=atom.end, core=before.says)
            extraction = extraction.with_atom(before)
        else:
            before = atom
    return extraction


def _rest_behind(before: Atom, atom: Atom) -> str:
    """What the second statement says behind words of the first one; "" where it does not stand behind them."""
    fronts = (before.text, before.says, before.text.rpartition(". ")[2])
    return next((atom.text[len(one) + 2 :] for one in fronts if one and atom.text.startswith(f"{one}. ")), "")


def _is_parted(before: Atom, atom: Atom, extraction: Extraction) -> bool:
    """Whether words between the two were left out: they are no evidence of what both say."""
    return any(part.start < atom.start and before.end < part.end for part in extraction.left_out)


def _hold_together(before: Atom, atom: Atom, rest: str) -> bool:
    """Whether two statements are of one sort and time, as sure as each other, and neither has somebody else's words."""
    then = before.valid_from if atom.valid_from is None and not _OF_PRESENT.search(rest) else atom.valid_from
    is_one_sort = _sort(before) == _sort(replace(atom, valid_from=then))
    is_plain = not any(one.directs_work or one.quotes or one.answers or one.renamed for one in (before, atom))
    is_plain = is_plain and read_slot(before.says, before.polarity) is None  # a slot is compared by its value alone
    return is_one_sort and is_plain and not atom.corrects and len(before.text) + len(rest) <= _LONGEST


def _sort(atom: Atom) -> tuple[object, ...]:
    holds = (atom.temporary, atom.valid_from, atom.valid_to, atom.past, atom.planned)
    return (atom.kind, atom.layer, atom.certainty, *holds)

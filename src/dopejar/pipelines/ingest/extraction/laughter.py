"""Laughter beside a statement: "haha, dad wants to be paid as a night porter".

Takes: turns with what was found in them, and the reader. Gives: the same without what the reader takes for a joke, read
with the laughter. Never: takes laughter alone for a joke ("haha, the car broke down again").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Extraction, Omission, Reason
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn
from dopejar.ports.statement_reader import StatementReader
from dopejar.values.statement import SpeechAct

_LAUGHS: Final = r"(?:(?:ha){2,}h?|(?:he){2,}h?|(?:hi){2,}|lo+l|lmao|rofl)\b"
_BEFORE: Final = re.compile(rf"\b{_LAUGHS}[\s,:;–—-]*$", re.IGNORECASE)  # a marker cuts it off
_OPENS: Final = re.compile(_LAUGHS, re.IGNORECASE)
_FUN: Final = re.compile(  # in it, or beside it
    r"(?<!\w)(?:(?i:(?:ha){2,}h?|(?:he){2,}h?|(?:hi){2,}|lo+l|lmao|rofl|jk)(?!\w)|[:;xX]-?[DPp](?!\w))"
    r"|[\U0001f602\U0001f923\U0001f61c-\U0001f61d\U0001f643]"
)
_LONGEST: Final = 24  # characters of laughter that are looked at


def is_in_fun(text: str, atom: Atom) -> bool:
    """Whether there is laughter in a statement of this text, or right beside it: it may be a joke."""
    return _FUN.search(text, max(0, atom.start - _LONGEST), atom.end + _LONGEST) is not None


def without_jokes(
    turns: Sequence[SpokenTurn], extractions: Sequence[Extraction], reader: StatementReader
) -> list[Extraction]:
    """The extractions; what is said with laughter before it and is read as a joke is left out."""
    told = [
        (place, atom, said)
        for place, (turn, extraction) in enumerate(zip(turns, extractions, strict=True))
        for atom in extraction.atoms
        if (said := _with_laughter(turn.text, atom))
    ]
    jokes: dict[int, list[Atom]] = {}
    for (place, atom, _), read in zip(told, reader.read([said for _, _, said in told]) if told else (), strict=True):
        if read.act is SpeechAct.JOKE:
            jokes.setdefault(place, []).append(atom)
    return [
        _left_out(turn, extraction, jokes.get(place, ()))
        for place, (turn, extraction) in enumerate(zip(turns, extractions, strict=True))
    ]


def _with_laughter(text: str, atom: Atom) -> str:
    """The words of the atom with the laughter that they begin with, or that stands before them; "" without any."""
    before = _BEFORE.search(text, max(0, atom.start - _LONGEST), atom.start)
    said = text[before.start() if before else atom.start : atom.end]
    return said if _OPENS.match(said) else ""


def _left_out(turn: SpokenTurn, extraction: Extraction, jokes: Sequence[Atom]) -> Extraction:
    if not jokes:
        return extraction
    told = (
        Omission(start=one.start, end=one.end, text=turn.text[one.start : one.end], reason=Reason.JOKE) for one in jokes
    )
    return replace(
        extraction,
        atoms=tuple(atom for atom in extraction.atoms if atom not in jokes),
        left_out=(*extraction.left_out, *told),
    )

"""What is told to the memory itself: which clauses belong together, and which sentences only accompany the others.

Takes: clauses of a sentence, atoms of a text. Gives: clauses and atoms to keep. Never: loses the last word; where
nothing but company was said, it is kept.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, LeftOut, Reason
from dopejar.pipelines.ingest.extraction.clauses import Clause
from dopejar.pipelines.ingest.keys.read_slot import read_slot

_CLOSE: Final = re.compile(r"[\s.!?,;:…)\]\u2764\u263a\U0001f300-\U0001faff]+$")
_REASON: Final = re.compile(
    r"^[\s,]*(?:because|'cause|cuz|since|considering|given|especially since|weil|da|porque|parce que|ya que)\b",
    re.IGNORECASE,
)
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|am|be|been|has|have|had|do|does|did|will|can|may|must|should|\w+(?:s|ed|ing|en))\b|'(?:s|re|m|ve|d|ll)\b|"
    r"^(?:please )?(?:use|keep|put|run|write|give|show|start|avoid|always|never|don't|do|make|ask|tell|add|set|log)\b",
    re.IGNORECASE,
)
_PARTICLE: Final = re.compile(r"^(?:of|to|than|then|and|or|with|by|for|as)\b", re.IGNORECASE)
_HANGING: Final = re.compile(  # what it says it says of the clause before
    r"^(?:and |so |then )*(?:it|its|it's|they|they're|that|that's|this|these|those|he|she|he's|she's)\b|"
    r"\b(?:it|them|that|this|those|these)$",
    re.IGNORECASE,
)
_SPEAKER: Final = re.compile(r"^(?:i|we)\b", re.IGNORECASE)  # "I use Helix" is a statement of its own
_FEW: Final = 3  # words of which none is a verb say nothing by themselves


@lru_cache(maxsize=1)
def _company() -> re.Pattern[str]:
    with files("dopejar.pipelines.ingest").joinpath("data", "company.toml").open("rb") as stream:
        rows = tomllib.load(stream)["sentence"]
    return re.compile("|".join(f"(?:{row})" for row in rows), re.IGNORECASE)


def accompanies(text: str) -> bool:
    """Whether a sentence carries nothing but the talk around what is told: "please keep this in mind", "thanks!"."""
    said = _CLOSE.sub("", text.replace("\u2019", "'").strip(" ,;–—-"))
    return not said or _company().fullmatch(said) is not None


def without_company(text: str, atoms: Sequence[Atom]) -> tuple[tuple[Atom, ...], tuple[LeftOut, ...]]:
    """The atoms without those that only accompany the others, and these as left out; all where nothing else is said."""
    kept = tuple(one for one in atoms if not (accompanies(one.text) or accompanies(text[one.start : one.end])))
    if not kept or len(kept) == len(atoms):
        return tuple(atoms), ()
    left = (
        LeftOut(start=one.start, end=one.end, text=text[one.start : one.end], reason=Reason.CHATTER)
        for one in atoms
        if one not in kept
    )
    return kept, tuple(left)


def together(clauses: Sequence[Clause], sentence: str, start: int) -> list[Clause]:
    """The clauses of a sentence told to the memory; a stump or a reason that fills no slot stays with its statement."""
    result: list[Clause] = []
    for clause in clauses:
        if result and _belongs(clause, sentence[clause.start - start : clause.end - start]):
            last = result[-1]
            words = sentence[last.end - start : clause.end - start].rstrip(" .!?;,")
            result[-1] = replace(
                last,
                raw=sentence[last.start - start : clause.end - start].strip(),
                text=f"{last.text}{words if words[:1] in (' ', ',', ';') else f' {words.lstrip()}'}",
                end=clause.end,
                certainty=min(last.certainty, clause.certainty),
            )
        else:
            result.append(clause)
    return result


def _belongs(clause: Clause, written: str) -> bool:
    if accompanies(clause.text):
        return False
    if _REASON.match(written):
        return read_slot(clause.text, 1) is None
    return bool(_PARTICLE.match(clause.text) or _HANGING.search(clause.text)) or (
        len(clause.text.split()) <= _FEW and not (_VERB.search(clause.text) or _SPEAKER.match(clause.text))
    )

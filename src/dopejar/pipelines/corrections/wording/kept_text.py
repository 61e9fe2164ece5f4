"""The text that a memory would keep of a turn: the person's own clause first, a stock wording where it says no more.

Takes: a reading, its chosen clause, the assistant's last words. Gives: a `Whole`. Never: turns another language's
clause round by English rules.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from dopejar.pipelines.corrections.clusters.wish_similarity import Family
from dopejar.pipelines.corrections.detection.features import TurnReading
from dopejar.pipelines.corrections.wording.imperative import clauses, sentence_case, stripped
from dopejar.pipelines.corrections.wording.memory_text import directs
from dopejar.pipelines.corrections.wording.reference_resolution import names
from dopejar.pipelines.corrections.wording.rule_text import Whole, polite_gone, whole
from dopejar.pipelines.corrections.wording.verbs import ordering_verbs
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import fold

_ANSWERS: Final = frozenset({"before.asks", "shape.numbered"})  # points that answer the assistant's questions
_SURE: Final = 6  # words from which a language is told reliably
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_POINTER: Final = "Follow "


def kept_of(reading: TurnReading, *, clause: str, place: int, wish: str, before: str, family: Family | None) -> Whole:
    """The wording of a turn's wish, and whether it stands by itself."""
    if not clause:
        return Whole(text=wish, first=place, last=place, is_whole=bool(family) or not wish.startswith(_POINTER))
    said = [piece.text for piece in reading.pieces]
    if family:
        place, clause = _said_by(said, family) or (place, clause)
    if reading.language != "en" or _is_other(said):
        own = Whole(text=_in_its_own_words(clause), first=place, last=place, is_whole=True)
    else:
        own = whole(said, place, clause.replace("\u2019", "'") if place < 0 else clause, before)
    if family and not (own.is_whole and family.cue.search(fold(own.text)) and _says_more(own.text, family)):
        return replace(own, text=family.text, is_whole=True)
    if reading.features.keys() >= _ANSWERS:
        return replace(own, is_whole=False)
    return _pointed(own, reading) if not family else own


def _is_other(said: list[str]) -> bool:
    """Whether a turn read with English cues is in another language."""
    text = " ".join(said)
    return len(text.split()) >= _SURE and guess_language(text) != "en"


def _in_its_own_words(clause: str) -> str:
    return sentence_case(polite_gone(stripped(clause))).rstrip(" .。")


def _said_by(said: list[str], family: Family) -> tuple[int, str] | None:
    """The clause that says the family's wish, with the number of its sentence; None where only the whole turn does."""
    found = ((place, clause) for place, sentence in enumerate(said) for clause in clauses(sentence))
    return next((one for one in found if family.cue.search(fold(one[1]))), None)


def _says_more(text: str, family: Family) -> bool:
    """Whether a wording names something that the stock wording and the words that lead to it do not."""
    if not directs(text) or not names(text):
        return False
    told = {word for word in _WORD.findall(fold(text)) if names(word)} - set(_WORD.findall(fold(family.text)))
    return not told <= ordering_verbs()


def _pointed(own: Whole, reading: TurnReading) -> Whole:
    """A ban with the rules file that names what to do instead: its name is kept where it says it."""
    for name in sorted(reading.references):
        spoken = re.split(r"[-_]+", name)
        if "over" in spoken[1:-1] and name not in own.text:
            winner, loser = spoken[: spoken.index("over")], spoken[spoken.index("over") + 1 :]
            if fold(own.text) == f"do not use {' '.join(loser)}":
                return replace(own, text=f"Use {' '.join(winner)}, not {' '.join(loser)}")
            if all(word in fold(own.text) for word in loser):
                return replace(own, text=f"{own.text} ({' '.join(spoken)})")
    return own

"""What a turn asks the memory to remember: "remember that Mia runs the release" is told to it, in a conversation too.

Takes: turns with what was extracted from them. Gives: the extractions; the words after such a request are read as what
is told to the memory. Never: takes a task ("remember to call") or a question ("do you remember that bug?") for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Extraction, Omission
from dopejar.pipelines.ingest.extraction.extractor import extract, unspoken
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn
from dopejar.text.sentences import Piece, sentences

_LEAST_WORDS: Final = 3  # of a sentence that the next one asks to remember
_CONFIDENCE: Final = 0.95  # of what somebody asks to remember
# what a statement begins with, so that "remember that bug" is none
_SUBJECT: Final = (
    r"(?:i|we|you|he|she|it|they|(?:i|we|you|he|she|it|they|there|that|who)['\u2019](?:s|m|re|ve|d|ll)|there|my|our|your|"
    r"his|her|its|their|the|an?|all|every|each|no|nobody|nothing|only|both|most|any|on|in|at|for|from|when|if|never|"
    r"always|(?-i:[A-Z])\S*|[\d\"'`\u201c]\S*)(?=\s)"
)
_STATES: Final = r"\b(?:is|are|was|has|have|had|can|can't|will|won't|needs?)"
_OURS: Final = rf"(?:(?:i|we)(?:['\u2019]\w+)?|(?:my|our)\b[^.,;:!?]{{2,60}}?{_STATES})(?=\s)"
_BEFORE: Final = (
    r"(?:(?:please|pls|also|and|so|ok|okay|oh|hey|hi|now|well|btw|by the way|fyi|just|one (?:more )?thing|bitte|"
    r"übrigens|por favor|por cierto|aliás|au fait|s.il (?:te|vous) plaît)[\s,:;!-]+){0,4}"
)
_ASK: Final = re.compile(
    rf"(?:[\s*•-]{{0,4}}|(?P<task>.{{4,200}}?)[,;]\s+(?:and|but|so)\s+){_BEFORE}(?:"
    rf"(?P<polite>(?:can|could|would|will) you (?:please )?|i (?:want|need) you to |i['\u2019]d like you to )?"
    r"(?:remember|memori[sz]e|keep in mind|bear in mind|make (?:a|yourself a) (?:mental )?note|"
    r"(?:do not|don.?t|never) forget)(?: please)?"
    rf"(?:,? that\s+(?={_SUBJECT})|\s*:\s+(?=\S)|,\s+(?!when\b)(?={_SUBJECT})|\s+(?={_OURS}))"
    r"|(?:merk|notier)e? dir(?: bitte)?\s*:\s+"
    r"|(?:(?:merk|notier)e? dir(?: bitte)?|(?:vergiss|denk) (?:bitte )?(?:nicht|daran)),?\s+(?=dass\s)"
    r"|(?:recuerda|acuérdate de|ten en cuenta|no olvides)(?: por favor)? que\s+"
    r"|(?:lembra(?:-te)?|lembre-se|não (?:te )?esqueças?)(?: de)? que\s+"
    r"|(?:souviens-toi|retiens|n.oublie pas|note bien)(?: s.il te plaît)? que?\s+"
    r")",
    re.IGNORECASE,
)


# the same of the sentence before: "Keep that in mind, or the counts will be wrong."
_ASK_BACK: Final = re.compile(
    rf"[\s*•-]{{0,4}}{_BEFORE}(?:please )?(?:(?:keep|bear) (?:that|this|it) in mind|remember (?:that|this)(?: one)?|"
    r"(?:do not|don['’]?t|never) forget (?:that|this|it)|make a (?:mental )?note of (?:that|this|it)|"
    r"note (?:that|this) down|(?:that|this)(?:['’]s| is)? (?:one )?(?:worth|to) remember(?:ing)?)"
    r"(?=\s*(?:$|[.!,;:)]|(?:or|for|please|pls|from|when|whenever|next|going|in future|too|as well|always)\b))",
    re.IGNORECASE,
)


def with_requests(turns: Sequence[SpokenTurn], extractions: Sequence[Extraction]) -> list[Extraction]:
    """The extractions with what the users ask to remember, in place of what was read there."""
    return [
        _with_told(turn, found) if turn.speaker_is_user else found
        for turn, found in zip(turns, extractions, strict=True)
    ]


def _with_told(turn: SpokenTurn, extraction: Extraction) -> Extraction:
    atoms, left = list(extraction.atoms), list(extraction.left_out)
    before: Piece | None = None  # the sentence before, where the speaker states something in it
    for piece in sentences(turn.text):
        spoken = unspoken(piece, turn.skip) is None
        asked = _asked(piece) if spoken else None
        start, told, end = piece.start, piece.start, piece.end
        if asked is not None:
            start, told = (piece.start + place for place in asked)
        elif spoken and before is not None and _ASK_BACK.match(piece.text):
            start, told, end = before.start, before.start, before.end
        before = piece if spoken and _states(piece) else None
        if asked is None and end == piece.end:
            continue
        found = _read(turn, start, told, end)
        if found.atoms:
            atoms = [one for one in atoms if one.end <= start or piece.end <= one.start] + [*found.atoms]
            left = [*_outside(turn.text, left, start, piece.end), *found.left_out]
    return Extraction(
        atoms=tuple(sorted(atoms, key=lambda one: one.start)), left_out=tuple(sorted(left, key=lambda one: one.start))
    )


def _states(piece: Piece) -> bool:
    return not piece.text.rstrip().endswith("?") and len(piece.text.split()) >= _LEAST_WORDS


def _asked(piece: Piece) -> tuple[int, int] | None:
    """Where the sentence asks to remember something, and where that begins; None where it asks for nothing of it."""
    found = _ASK.match(piece.text)
    if found is None or (piece.text.rstrip().endswith("?") and not found["polite"]):
        return None
    return found.end("task") if found["task"] else 0, found.end()


def _outside(text: str, left: Sequence[Omission], start: int, end: int) -> Iterator[Omission]:
    """What was left out, without what of it lies in this range."""
    for one in left:
        if one.end <= start or end <= one.start:
            yield one
        elif text[one.start : start].strip():
            yield replace(one, end=start, text=text[one.start : start])


def _read(turn: SpokenTurn, start: int, told: int, end: int) -> Extraction:
    """The words from `told` on as told to the memory; the first part has the request in its span."""
    words = turn.text[told:end].rstrip(" ?")
    found = extract(words, at=turn.at, speaker_is_user=True, before=turn.before, keep_all=True)
    atoms = [_moved(one, told) for one in found.atoms]
    left = [replace(one, start=one.start + told, end=one.end + told) for one in found.left_out]
    if atoms and all(atoms[0].start < one.start for one in left):
        atoms[0] = replace(atoms[0], start=start)
    return Extraction(atoms=tuple(atoms), left_out=tuple(left))


def _moved(atom: Atom, by: int) -> Atom:
    return replace(atom, start=atom.start + by, end=atom.end + by, confidence=max(atom.confidence, _CONFIDENCE))

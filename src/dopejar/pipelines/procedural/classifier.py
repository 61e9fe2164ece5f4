"""The hemisphere classifier: which side a bullet suits, by its wording.

Takes: a bullet's text, and what else is known of it. Gives: a side with its confidence and the reasons. Never: forces a
side on a text that suits neither, or lets the source outweigh the text.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal

from dopejar.pipelines.procedural.bullets import BulletType
from dopejar.ports.statement_reader import SideReader
from dopejar.text.normalisation import normalise
from dopejar.values.scope import Side

Leaning = Literal["left", "right", "vague"]

_DATA: Final = "meta_bullets.toml"
_CLAUSE: Final = re.compile(r"(?<=[.!?;])\s+|\s*[:;—–→\n]\s*|\s+-+>?\s+|\s*=>\s*")
_CONDITION: Final = re.compile(
    r"(?:when(?:ever)?|if|once|while|after|before|for|in|on|as soon as|until|unless|where|with|during)\b[^,]{2,90},\s*"
)
_ENCLOSING: Final = " \t\"'“”‘’*_#>-•()[]"
_NAMES: Final = re.compile(r"`[^`]*`|\S*[/_]\S*")
_WORDS: Final = re.compile(r"\{([a-z]+)\}")
_WEAKENED: Final = 0.45
_DOUBT: Final = 0.8  # the prior weight of neither side
_SHARPNESS: Final = 1.0
_MIXED: Final = 1.6  # the weight of cues from which on a side is supported
_FLAGGED_MOST: Final = 0.65  # the highest confidence of a flagged side: a person must look at it
_TEMPER_FROM: Final = 0.8
_TEMPER_FACTOR: Final = 0.6
_HINT: Final = 0.2
# the cues beside a reader, by authors held out: alone it is too sure of itself
_CUES: Final = 0.5
_HEAT: Final = 1.5
_LEAST_SHARE: Final = 1e-6
_TYPES: Final[Mapping[BulletType, tuple[Leaning, float]]] = {
    BulletType.TOOL_RULE: ("left", 0.6),
    BulletType.CHECKLIST: ("left", 0.6),
    BulletType.PITFALL: ("left", 0.4),
    BulletType.TEMPLATE: ("left", 0.3),
    BulletType.QUESTION: ("right", 0.8),
    BulletType.CONCEPT: ("right", 0.2),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Classification:
    """A suggested side; `Side.NONE` where the text suits neither. A flagged side needs a person."""

    side: Side
    is_flagged: bool
    confidence: float
    reasoning: str
    fired: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Meta:
    """One meta-bullet, compiled: a cue in the wording with its side and weight."""

    id: str
    side: Leaning
    weight: float
    where: str
    says: str
    pattern: re.Pattern[str]
    unless: frozenset[str]
    weakened_by: frozenset[str]
    flags: bool


@dataclass(frozen=True, slots=True)
class _MetaBullets:
    metas: tuple[_Meta, ...]
    tags: Mapping[str, Leaning]


@lru_cache(maxsize=1)
def _meta_bullets() -> _MetaBullets:
    with files("dopejar.pipelines.procedural").joinpath("data", _DATA).open("rb") as stream:
        data = tomllib.load(stream)
    lists = {name: "(?:" + "|".join(words) + ")" for name, words in data["words"].items()}
    metas = []
    for row in data["meta"]:
        patterns = [_WORDS.sub(lambda match: lists[match[1]], pattern) for pattern in row["patterns"]]
        where = row.get("where", "anywhere")
        flags = re.NOFLAG if row.get("cased") else re.IGNORECASE
        metas.append(
            _Meta(
                id=row["id"],
                side=row["side"],
                weight=float(row["weight"]),
                where=where,
                says=row["says"],
                pattern=re.compile("|".join(f"(?:{pattern})" for pattern in patterns), flags),
                unless=frozenset(row.get("unless", ())),
                weakened_by=frozenset(row.get("weakened_by", ())),
                flags=bool(row.get("flags", False)),
            )
        )
    tags: dict[str, Leaning] = {}
    for side, words in data["tags"].items():
        tags.update(dict.fromkeys(words, side))
    return _MetaBullets(metas=tuple(metas), tags=tags)


@dataclass(frozen=True, slots=True)
class _ParsedText:
    """A text with its prose alone, the conditions that its clauses open with, and the clauses without them."""

    whole: str
    prose: str
    conditions: tuple[str, ...]
    openings: tuple[str, ...]


def _parse(text: str) -> _ParsedText:
    whole = normalise(text).replace("’", "'").replace("‘", "'")
    conditions: list[str] = []
    openings: list[str] = []
    for piece in _CLAUSE.split(whole):
        clause = piece.strip(_ENCLOSING)
        while clause and (condition := _CONDITION.match(clause.casefold())):
            conditions.append(clause[: condition.end()].strip(" ,"))
            clause = clause[condition.end() :].lstrip(_ENCLOSING)
        if clause:
            openings.append(clause)
    prose = _NAMES.sub("it", whole)
    return _ParsedText(whole=whole, prose=prose, conditions=tuple(conditions), openings=tuple(openings))


class HemisphereClassifier:
    """Weighs the meta-bullets that match the wording of a bullet; with a reader, what the reader makes of it."""

    def __init__(self, reader: SideReader | None = None) -> None:
        self._reader = reader

    def classify(
        self,
        text: str,
        *,
        source_hint: Side = Side.NONE,
        bullet_type: BulletType = BulletType.HEURISTIC,
        tags: Sequence[str] = (),
    ) -> Classification:
        """The side that suits the text, with its confidence and the reasons.

        The text decides; type, tags and above all the source are a weak prior. Confidence is from 0 to 1 and
        calibrated: the fraction of bullets so classified that are classified correctly. The same arguments give the
        same answer.
        """
        fired = _fired(_parse(text), _meta_bullets().metas)
        sums: dict[Leaning, float] = {"left": 0.0, "right": 0.0, "vague": _DOUBT}
        for meta, weight in fired:
            sums[meta.side] += weight
        worded = dict(sums)
        if self._reader is not None:
            shares = self._reader.sides([text])[0]
            read: dict[Leaning, float] = {"left": shares.left, "right": shares.right, "vague": shares.neither}
            sums = {lean: _CUES * sums[lean] + math.log(max(read[lean], _LEAST_SHARE)) / _HEAT for lean in read}
        _add_priors(sums, source_hint, bullet_type, tags)
        return _conclude(sums, worded, fired, _temper if self._reader is None else _rounded)


def _fired(parsed: _ParsedText, metas: Sequence[_Meta]) -> list[tuple[_Meta, float]]:
    hits = {meta.id for meta in metas if _matches(meta, parsed)}
    return [
        (meta, meta.weight * (_WEAKENED if meta.weakened_by & hits else 1.0))
        for meta in metas
        if meta.id in hits and not meta.unless & hits
    ]


def _matches(meta: _Meta, parsed: _ParsedText) -> bool:
    if meta.where == "opening":
        return any(meta.pattern.match(clause) for clause in parsed.openings)
    if meta.where == "condition":
        return any(meta.pattern.search(condition) for condition in parsed.conditions)
    return meta.pattern.search(parsed.prose if meta.side == "vague" else parsed.whole) is not None


def _add_priors(sums: dict[Leaning, float], hint: Side, kind: BulletType, tags: Sequence[str]) -> None:
    if kind in _TYPES:
        side, weight = _TYPES[kind]
        sums[side] += weight
    known = _meta_bullets().tags
    for lean in {known[tag.casefold()] for tag in tags if tag.casefold() in known}:
        sums[lean] += 0.4
    if hint is Side.LEFT:
        sums["left"] += _HINT
    elif hint is Side.RIGHT:
        sums["right"] += _HINT


def _conclude(
    sums: Mapping[Leaning, float],
    worded: Mapping[Leaning, float],
    fired: Sequence[tuple[_Meta, float]],
    temper: Callable[[float], float],
) -> Classification:
    powers = {lean: math.exp(_SHARPNESS * value) for lean, value in sums.items()}
    total = sum(powers.values())
    shares = {lean: value / total for lean, value in powers.items()}
    best = max(shares, key=lambda lean: (shares[lean], lean))
    reasons = "; ".join(dict.fromkeys(f"{meta.says} ({meta.side})" for meta, _ in fired)) or "no cue was found"
    names = tuple(meta.id for meta, _ in fired)
    if best == "vague":
        return Classification(
            side=Side.NONE,
            is_flagged=True,
            confidence=temper(shares[best]),
            reasoning=f"suits neither side: {reasons}",
            fired=names,
        )
    is_flagged = any(meta.flags for meta, _ in fired) or min(worded["left"], worded["right"]) >= _MIXED
    confidence = min(temper(shares[best]), _FLAGGED_MOST if is_flagged else 1.0)
    return Classification(
        side=Side(best), is_flagged=is_flagged, confidence=confidence, reasoning=f"suits {best}: {reasons}", fired=names
    )


def _temper(share: float) -> float:
    """A large share, tempered: a bullet is short, and no number of cues makes its side certain."""
    return round(share if share <= _TEMPER_FROM else _TEMPER_FROM + (share - _TEMPER_FROM) * _TEMPER_FACTOR, 3)


def _rounded(share: float) -> float:
    """A share that a reader has part in; it needs no tempering."""
    return round(share, 3)

"""Which hemisphere a bullet suits, by the way it is worded.

Takes: a bullet's words, and what else is known of it. Gives: a side with its confidence and the reasons. Never: forces
a side on words that suit neither, nor lets where they come from outweigh what they say.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal

from dopejar.pipelines.procedural.bullets import BulletType
from dopejar.text.normalise import normalise
from dopejar.values.scope import Side

Lean = Literal["left", "right", "vague"]

_DATA: Final = "meta_bullets.toml"
_CLAUSE: Final = re.compile(r"(?<=[.!?;])\s+|\s*[:;—–→\n]\s*|\s+-+>?\s+|\s*=>\s*")
_CONDITION: Final = re.compile(
    r"(?:when(?:ever)?|if|once|while|after|before|for|in|on|as soon as|until|unless|where|with|during)\b[^,]{2,90},\s*"
)
_ENCLOSING: Final = " \t\"'“”‘’*_#>-•()[]"
_NAMES: Final = re.compile(r"`[^`]*`|\S*[/_]\S*")
_WORDS: Final = re.compile(r"\{([a-z]+)\}")
_WEAKENED: Final = 0.45
_DOUBT: Final = 0.8  # what speaks for neither side before anything is known
_SHARPNESS: Final = 1.0
_MIXED: Final = 1.6  # from here on a side counts as spoken for
_FLAGGED_MOST: Final = 0.65  # a flagged side is for a person to look at, however loud one side is
_SURE: Final = 0.8
_CALM: Final = 0.6
_HINT: Final = 0.2
_TYPES: Final[Mapping[BulletType, tuple[Lean, float]]] = {
    BulletType.TOOL_RULE: ("left", 0.6),
    BulletType.CHECKLIST: ("left", 0.6),
    BulletType.PITFALL: ("left", 0.4),
    BulletType.TEMPLATE: ("left", 0.3),
    BulletType.QUESTION: ("right", 0.8),
    BulletType.CONCEPT: ("right", 0.2),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Classification:
    """A suggested side; `Side.NONE` where the words suit neither. Only a side that is not flagged is sure."""

    side: Side
    is_flagged: bool
    confidence: float
    reasoning: str
    fired: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Meta:
    """One meta-bullet, compiled."""

    id: str
    side: Lean
    weight: float
    where: str
    says: str
    pattern: re.Pattern[str]
    unless: frozenset[str]
    weakened_by: frozenset[str]
    flags: bool


@dataclass(frozen=True, slots=True)
class _Book:
    metas: tuple[_Meta, ...]
    tags: Mapping[str, Lean]


@lru_cache(maxsize=1)
def _book() -> _Book:
    with files("dopejar.pipelines.procedural").joinpath("data", _DATA).open("rb") as stream:
        data = tomllib.load(stream)
    lists = {name: "(?:" + "|".join(words) + ")" for name, words in data["words"].items()}
    metas = []
    for row in data["meta"]:
        parts = [_WORDS.sub(lambda match: lists[match[1]], part) for part in row["patterns"]]
        where = row.get("where", "anywhere")
        flags = re.NOFLAG if row.get("cased") else re.IGNORECASE
        metas.append(
            _Meta(
                id=row["id"],
                side=row["side"],
                weight=float(row["weight"]),
                where=where,
                says=row["says"],
                pattern=re.compile("|".join(f"(?:{part})" for part in parts), flags),
                unless=frozenset(row.get("unless", ())),
                weakened_by=frozenset(row.get("weakened_by", ())),
                flags=bool(row.get("flags", False)),
            )
        )
    tags: dict[str, Lean] = {}
    for side, words in data["tags"].items():
        tags.update(dict.fromkeys(words, side))
    return _Book(metas=tuple(metas), tags=tags)


@dataclass(frozen=True, slots=True)
class _Parts:
    """A text taken apart: its prose alone, the conditions it opens with, and what its clauses begin with."""

    whole: str
    prose: str
    conditions: tuple[str, ...]
    openings: tuple[str, ...]


def _parts(text: str) -> _Parts:
    whole = normalise(text).replace("’", "'").replace("‘", "'")
    conditions: list[str] = []
    openings: list[str] = []
    for piece in _CLAUSE.split(whole):
        clause = piece.strip(_ENCLOSING)
        while clause and (found := _CONDITION.match(clause.casefold())):
            conditions.append(clause[: found.end()].strip(" ,"))
            clause = clause[found.end() :].lstrip(_ENCLOSING)
        if clause:
            openings.append(clause)
    prose = _NAMES.sub("it", whole)
    return _Parts(whole=whole, prose=prose, conditions=tuple(conditions), openings=tuple(openings))


class HemisphereClassifier:
    """Weighs the meta-bullets that a bullet's words answer to."""

    def classify(
        self,
        text: str,
        *,
        source_hint: Side = Side.NONE,
        bullet_type: BulletType = BulletType.HEURISTIC,
        tags: Sequence[str] = (),
    ) -> Classification:
        """The side that suits the words, how surely, and why.

        The words decide; type, tags and above all the source are a weak prior. Confidence is from 0 to 1 and meant as
        the share of bullets so classified that are classified rightly. Gives the same answer for the same arguments.
        """
        fired = _fired(_parts(text), _book().metas)
        sums: dict[Lean, float] = {"left": 0.0, "right": 0.0, "vague": _DOUBT}
        for meta, weight in fired:
            sums[meta.side] += weight
        worded = dict(sums)
        _add_priors(sums, source_hint, bullet_type, tags)
        return _verdict(sums, worded, fired)


def _fired(parts: _Parts, metas: Sequence[_Meta]) -> list[tuple[_Meta, float]]:
    hits = {meta.id for meta in metas if _answers(meta, parts)}
    return [
        (meta, meta.weight * (_WEAKENED if meta.weakened_by & hits else 1.0))
        for meta in metas
        if meta.id in hits and not meta.unless & hits
    ]


def _answers(meta: _Meta, parts: _Parts) -> bool:
    if meta.where == "opening":
        return any(meta.pattern.match(one) for one in parts.openings)
    if meta.where == "condition":
        return any(meta.pattern.search(one) for one in parts.conditions)
    return meta.pattern.search(parts.prose if meta.side == "vague" else parts.whole) is not None


def _add_priors(sums: dict[Lean, float], hint: Side, kind: BulletType, tags: Sequence[str]) -> None:
    if kind in _TYPES:
        side, weight = _TYPES[kind]
        sums[side] += weight
    known = _book().tags
    for lean in {known[tag.casefold()] for tag in tags if tag.casefold() in known}:
        sums[lean] += 0.4
    if hint is Side.LEFT:
        sums["left"] += _HINT
    elif hint is Side.RIGHT:
        sums["right"] += _HINT


def _verdict(
    sums: Mapping[Lean, float], worded: Mapping[Lean, float], fired: Sequence[tuple[_Meta, float]]
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
            confidence=_tempered(shares[best]),
            reasoning=f"suits neither side: {reasons}",
            fired=names,
        )
    is_flagged = any(meta.flags for meta, _ in fired) or min(worded["left"], worded["right"]) >= _MIXED
    confidence = min(_tempered(shares[best]), _FLAGGED_MOST if is_flagged else 1.0)
    return Classification(
        side=Side(best), is_flagged=is_flagged, confidence=confidence, reasoning=f"suits {best}: {reasons}", fired=names
    )


def _tempered(share: float) -> float:
    """Confidence where the share is large: the words of a bullet are few, and no count of cues makes them certain."""
    return round(share if share <= _SURE else _SURE + (share - _SURE) * _CALM, 3)

"""What else speaks for a candidate beside words and meaning.

Takes: a question and one loaded record or episode. Gives: a factor and the reasons for it. Never: loads anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from dopejar.pipelines.recall.question import Question, phrases, word_list
from dopejar.text.normalise import fold
from dopejar.text.words import words
from dopejar.values.episode import Episode, Origin
from dopejar.values.record import Kind, Record, Status
from dopejar.values.strength import strength_of

BRIEF: Final = 350
"""A turn of so many characters leans on its neighbours half as much as a turn of none."""

_DISTILLED: Final = 0.2  # a record is what its episodes come down to
_BY_NAMED: Final = 0.5
_IN_WINDOW: Final = 1.0
_STANDING: Final = 0.5
_MEASURED: Final = 0.2
_STRENGTH: Final = 0.1
_RECENT: Final = 0.1
_OFTEN: Final = 4  # times said or used from which on it is worth telling
_PINNED: Final = 0.3
_ASKING: Final = 0.4
_UNPROVEN: Final = 0.7
_HALF_LIFE_DAYS: Final = 90.0

# The asker's own words are what is known of the asker; what was said back mostly repeats them at length.
_VOICE: Final[Mapping[Origin, float]] = MappingProxyType({
    Origin.USER: 1.0,
    Origin.OTHER: 1.0,
    Origin.TOOL: 0.5,
    Origin.ASSISTANT: 0.5,
    Origin.FETCHED: 0.5,
    Origin.SYSTEM: 0.3,
})
STANDING_KINDS: Final = frozenset({
    Kind.RULE, Kind.CONSTRAINT, Kind.PREFERENCE, Kind.CORRECTION, Kind.DECISION, Kind.BULLET
})
"""Kinds that direct work; the others state what is so."""

_NO_MERE_QUESTION: Final = 1500  # characters; a turn so long says something, too
_SENTENCE: Final = re.compile(r"([.!?。！？\n])")
_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True, kw_only=True, slots=True)
class Weight:
    """A factor on the score, and why."""

    factor: float
    reasons: tuple[str, ...] = ()


def brevity(text: str) -> float:
    """From 1 for a turn of no length towards 0 for a long one; 1/2 at `BRIEF` characters."""
    return BRIEF / (BRIEF + len(text))


@lru_cache(maxsize=1024)
def speaker_names(speaker: str) -> frozenset[str]:
    """The folded words of a speaker's name; none for a bare role such as `user`."""
    return frozenset(word for word in words(fold(speaker)) if len(word) > 1) - word_list("roles")


def weigh_episode(question: Question, episode: Episode, named: frozenset[str]) -> Weight:
    """A turn's weight: who said it, when, in which form."""
    factor, reasons = 1.0, []
    text = episode.text
    is_own = episode.origin in (Origin.USER, Origin.OTHER)
    if named and not named.isdisjoint(speaker_names(episode.speaker)):
        factor += _BY_NAMED
        reasons.append(f"said by {episode.speaker}")
    if question.is_request and is_own and _is_standing(text):
        factor += _STANDING
        reasons.append("reads like a standing wish")
    if question.wants_measure and _DIGIT.search(text):
        factor += _MEASURED
        reasons.append("holds a number")
    if _in_window(question, episode.at):
        factor += _IN_WINDOW
        reasons.append("from the time asked about")
    if question.is_about_self and not question.is_about_replies:
        factor *= _VOICE[episode.origin]
    factor *= 1 - _ASKING * brevity(text) * _share_of_questions(text)
    return Weight(factor=factor, reasons=tuple(reasons))


def _is_standing(text: str) -> bool:
    """Whether the words are meant to hold beyond the moment."""
    told = text.casefold().replace("\u2019", "'")
    return any(_has_phrase(told, phrase) for phrase in phrases("standing"))


def _has_phrase(told: str, phrase: str) -> bool:
    """Whether the phrase stands in the text as whole words; one pattern for all would take a hundred times longer."""
    start = told.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (told[start - 1 : start].isalnum() or told[end : end + 1].isalnum()):
            return True
        start = told.find(phrase, end)
    return False


def _share_of_questions(text: str) -> float:
    """Which part of the text, by characters, asks: a brief turn that only asks says less than its answer."""
    if len(text) > _NO_MERE_QUESTION or ("?" not in text and "？" not in text):
        return 0.0
    parts = _SENTENCE.split(text)
    return sum(len(told) + 1 for told, end in zip(parts[::2], parts[1::2], strict=False) if end in "?？") / len(text)


def weigh_record(question: Question, record: Record, now: datetime) -> Weight:
    """A record's weight: its kind, its time, and mildly its strength, recency and trust."""
    factor, reasons = 1.0 + _DISTILLED, []
    if question.is_request and record.kind in STANDING_KINDS:
        factor += _STANDING
        reasons.append(f"a {record.kind.value} bears on the request")
    if question.wants_measure and _DIGIT.search(record.text):
        factor += _MEASURED
        reasons.append("holds a number")
    if _in_window(question, record.valid_from):
        factor += _IN_WINDOW
        reasons.append("from the time asked about")
    if record.pinned:
        factor += _PINNED
        reasons.append("pinned")
    strength = _strength(record, now)
    if record.access_count >= _OFTEN:
        reasons.append(f"said or used {record.access_count} times")
    factor += _STRENGTH * strength + _RECENT * _recency(record, now)
    factor *= 0.7 + 0.3 * record.trust
    if record.status is Status.QUARANTINED:
        factor *= _UNPROVEN
    return Weight(factor=factor, reasons=tuple(reasons))


def _in_window(question: Question, at: datetime) -> bool:
    return bool(question.windows) and any(window.holds(at.date()) for window in question.windows)


def _strength(record: Record, now: datetime) -> float:
    """From -1 to 1: how often and how lately it was said and used, and whether it helped or harmed."""
    used = strength_of(record, now)
    judged = record.helpful_count + record.harmful_count
    return used if not judged else (used + (record.helpful_count - record.harmful_count) / judged) / 2


def _recency(record: Record, now: datetime) -> float:
    """1 for what was used or came to hold just now, half of it after `_HALF_LIFE_DAYS`."""
    last = max(record.valid_from, record.last_accessed_at or record.valid_from)
    days = max(0.0, (now - last).total_seconds() / 86400)
    return float(0.5 ** (days / _HALF_LIFE_DAYS))

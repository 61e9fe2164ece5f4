"""Weights of candidates beside lexical and vector scores: kind, time, speaker, strength, trust.

Takes: a question and one loaded record or episode. Gives: a factor on its score, with reasons. Never: reads the store.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from dopejar.pipelines.recall.question import Question, phrases, word_list
from dopejar.pipelines.recall.weights import weights
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.normalisation import fold
from dopejar.text.words import folded_words, words
from dopejar.values.episode import Episode, Origin
from dopejar.values.record import Kind, Record, Status
from dopejar.values.strength import strength_of

_OFTEN: Final = 4  # times said or used from which on it is given as a reason
STANDING_KINDS: Final = frozenset(
    {Kind.RULE, Kind.CONSTRAINT, Kind.PREFERENCE, Kind.CORRECTION, Kind.DECISION, Kind.BULLET}
)
"""Kinds that direct work; the other kinds state facts."""

_LONGEST_QUESTION: Final = 1500  # characters; a longer turn is more than a question
_SENTENCE: Final = lazy_pattern(r"([.!?。！？\n])")
_DIGIT: Final = lazy_pattern(r"\d")


class ItemWeight(NamedTuple):
    """A factor on the score, with its reasons."""

    factor: float
    reasons: tuple[str, ...] = ()


def brevity(text: str) -> float:
    """From 1 for a turn of no length towards 0 for a long one; 1/2 at `brief` characters."""
    brief = weights().brief
    return brief / (brief + len(text))


@lru_cache(maxsize=1024)
def speaker_names(speaker: str) -> frozenset[str]:
    """The folded words of a speaker's name; none for a bare role such as `user`."""
    return frozenset(word for word in words(fold(speaker)) if len(word) > 1) - word_list("roles")


def weigh_episode(question: Question, episode: Episode, speakers: frozenset[str]) -> ItemWeight:
    """The weight of a turn: its speaker, its time, its form."""
    factor, reasons, given = 1.0, [], weights()
    text = episode.text
    is_from_person = episode.origin in (Origin.USER, Origin.OTHER)
    if speakers and not speakers.isdisjoint(speaker_names(episode.speaker)):
        factor += given.by_named
        reasons.append(f"said by {episode.speaker}")
    if question.is_request and is_from_person and _is_standing_instruction(text):
        factor += given.standing
        reasons.append("reads like a standing instruction")
    if question.wants_measure and _DIGIT.search(text):
        factor += given.measured
        reasons.append("contains a number")
    if _in_window(question, episode.at):
        factor += given.in_window
        reasons.append("from the time asked about")
    if question.is_about_self and not question.is_about_replies and not is_from_person:
        factor *= given.of_system if episode.origin is Origin.SYSTEM else given.of_program
    factor *= 1 - given.asking * brevity(text) * _share_of_questions(text)
    return ItemWeight(factor=factor, reasons=tuple(reasons))


def _is_standing_instruction(text: str) -> bool:
    """Whether the text contains a phrase of instructions that hold beyond the moment."""
    folded = text.casefold().replace("\u2019", "'")
    return any(_has_phrase(folded, phrase) for phrase in phrases("standing"))


def _has_phrase(text: str, phrase: str) -> bool:
    """Whether the text contains the phrase as whole words; one regex for all phrases would be 100 times slower."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            return True
        start = text.find(phrase, end)
    return False


def only_asks(text: str) -> bool:
    """Whether each sentence of a text is a question: it tells nothing, however many words of another it has."""
    return _share_of_questions(text.strip()) >= 1


@lru_cache(maxsize=512)  # a turn is weighed, held against the best, and compared with memories
def _share_of_questions(text: str) -> float:
    """The share of the text, in characters, that is questions: a turn that only asks says less than its answer."""
    if len(text) > _LONGEST_QUESTION or ("?" not in text and "？" not in text):
        return 0.0
    parts = _SENTENCE.split(text)
    questions = [part for part, end in zip(parts[::2], parts[1::2], strict=False) if end in "?？"]
    return sum(len(question) + 1 for question in questions) / len(text)


def weigh_record(question: Question, record: Record, now: datetime) -> ItemWeight:
    """The weight of a record: its kind, its time, and to a lesser degree its strength, recency and trust."""
    given = weights()
    factor, reasons = 1.0 + given.distilled, []
    if question.is_request and record.kind in STANDING_KINDS:
        factor += given.standing
        reasons.append(f"a {record.kind.value} applies to the request")
    if question.wants_measure and _DIGIT.search(record.text):
        factor += given.measured
        reasons.append("contains a number")
    if _in_window(question, record.valid_from):
        factor += given.in_window
        reasons.append("from the time asked about")
    if question.is_about_self and _is_of_asker(question, record.text):
        factor += given.of_asker
        reasons.append("said of the asker")
    if record.pinned:
        factor += given.pinned
        reasons.append("pinned")
    strength = _strength(record, now)
    if record.access_count >= _OFTEN:
        reasons.append(f"said or used {record.access_count} times")
    factor += given.strength * strength + given.recent * _recency(record, now)
    factor *= 1 - given.trusted + given.trusted * record.trust
    if record.status is Status.QUARANTINED:
        factor *= given.unproven
    return ItemWeight(factor=factor, reasons=tuple(reasons))


def _is_of_asker(question: Question, text: str) -> bool:
    """Whether a text says of its speaker what the question asks: of "I" by "I" and "we", of "my" mother by either."""
    said = folded_words(text)
    if not question.words.isdisjoint(word_list("speaker")):
        return bool(said) and said[0] in word_list("speaker")
    return not word_list("self").isdisjoint(said)


def _in_window(question: Question, at: datetime) -> bool:
    return bool(question.windows) and any(window.contains(at.date()) for window in question.windows)


def _strength(record: Record, now: datetime) -> float:
    """From -1 to 1: how often and how recently it was said and used, and whether it helped or harmed."""
    strength = strength_of(record, now)
    outcomes = record.helpful_count + record.harmful_count
    if not outcomes:
        return strength
    return (strength + (record.helpful_count - record.harmful_count) / outcomes) / 2


def _recency(record: Record, now: datetime) -> float:
    """1 if it was used or became valid just now, half of that after `half_life` days."""
    last = max(record.valid_from, record.last_accessed_at or record.valid_from)
    days = max(0.0, (now - last).total_seconds() / 86400)
    return float(0.5 ** (days / weights().half_life))

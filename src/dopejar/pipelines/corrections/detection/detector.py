"""Detection of turns that correct the assistant, or give it a standing instruction.

Takes: the exchanges of one conversation, wishes known already. Gives: candidates. Never: takes the harness's words or a
log for the person's; calls a task, a question or praise a correction because of a single word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.clusters.wish_similarity import object_stems
from dopejar.pipelines.corrections.correction_cues import data_table
from dopejar.pipelines.corrections.detection.features import READ_LIMIT, CorrectionReading, read_turn
from dopejar.pipelines.corrections.detection.repeats import repeat_overlaps
from dopejar.pipelines.corrections.exchange import (
    CorrectionCandidate,
    CorrectionType,
    Durability,
    Exchange,
    Label,
)
from dopejar.pipelines.corrections.wording.clauses import best_clause, of_reference, sentence_case, stripped
from dopejar.pipelines.corrections.wording.memory_text import polarity_of
from dopejar.pipelines.corrections.wording.own_words import OwnWords, own_words, trimmed
from dopejar.pipelines.logistic_model import LogisticModel, load_model
from dopejar.text.lexicons import guess_language
from dopejar.text.sentences import sentences

_VIOLATED: Final = (
    "open.no", "cue.wrong", "cue.accuse", "cue.rebuke", "cue.rebuke_soft", "cue.told", "cue.careful", "cue.missing",
    "cue.but", "cue.self_do", "cue.revert", "cue.remove", "after.concedes", "before.interrupted", "rejected",
    "reverted", "rules.alone", "cue.replace", "cue.unwanted", "cue.narrow", "cue.already", "cue.must", "open.prohibit",
)  # fmt: skip
_SAMPLE: Final = 200  # characters of each turn that a conversation's language is guessed from
_SAMPLED: Final = 40  # turns
_TOLD_BY: Final = 6  # words from which a language is told reliably
_ANSWERS: Final = frozenset({"before.asks", "shape.numbered"})  # points that answer the assistant's questions
_QUOTES: Final = ("cue.missing", "cue.told")  # the person may quote what they had said before
_MANNER: Final = ("standing.conduct", "standing.style")


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectionModel:
    """Two logistic models: whether a turn corrects, and whether its correction is to last."""

    detection: LogisticModel
    standing: LogisticModel


@lru_cache(maxsize=1)
def shipped_model() -> CorrectionModel:
    """The fitted weights of the data file."""
    tables = data_table("model")
    return CorrectionModel(
        detection=load_model(tables.get("detection"), "model.toml"),
        standing=load_model(tables.get("standing"), "model.toml"),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredTurn:
    """An exchange with its features and probabilities, for measurements and explanations."""

    exchange: Exchange
    reading: CorrectionReading
    probability: float
    standing: float


def detect(turns: Sequence[Exchange], *, known: Sequence[str] = ()) -> tuple[CorrectionCandidate, ...]:
    """The candidates of one conversation, in order.

    `known` are wishes that memory holds or that earlier conversations said: repeating one of them is a feature.
    """
    least = shipped_model().detection.threshold
    return tuple(make_candidate(turn) for turn in score_turns(turns, known=known) if turn.probability >= least)


def score_turns(turns: Sequence[Exchange], *, known: Sequence[str] = ()) -> tuple[ScoredTurn, ...]:
    """Score every exchange: its features, and the two probabilities."""
    model = shipped_model()
    languages = _languages(turns)
    readings = [read_turn(turn, languages) for turn in turns]
    scored = []
    for exchange, reading, again in zip(turns, readings, repeat_overlaps(readings, known), strict=True):
        features: Mapping[str, float] = {**reading.features, "repeats": again} if again else reading.features
        if again and "task.plain" in features:
            features = {name: value for name, value in features.items() if name != "task.plain"}
        scored.append(
            ScoredTurn(
                exchange=exchange,
                reading=replace(reading, features=features),
                probability=model.detection.probability(features),
                standing=model.standing.probability(features),
            )
        )
    return tuple(scored)


def score_span(turn: Exchange, start: int, end: int) -> ScoredTurn:
    """Score a span of a turn alone: the result does not depend on when, or together with what, it is read."""
    rest = ((0, start), (end, len(turn.text)))
    (scored,) = score_turns([replace(turn, pasted=tuple(span for span in rest if span[0] < span[1]))])
    return scored


def _languages(turns: Sequence[Exchange]) -> tuple[str, ...]:
    """The languages of a conversation: of its turns together, and of what these answer."""
    user_text = " ".join(turn.text[:_SAMPLE] for turn in turns[:_SAMPLED])
    assistant_text = " ".join(turn.before[-_SAMPLE:] for turn in turns[:_SAMPLED])
    return tuple(dict.fromkeys((guess_language(user_text), guess_language(assistant_text))))


def make_candidate(scored: ScoredTurn) -> CorrectionCandidate:
    """Make a candidate of a scored exchange: its type, durability, polarity, wish and object."""
    reading = scored.reading
    place, clause = _chosen_clause(reading, scored.exchange.text)
    kept = _kept(reading, scored.exchange.text, place, clause)
    wish = trimmed(clause).rstrip(" .!?") if clause else kept.text
    durability = Durability.STANDING if scored.standing >= shipped_model().standing.threshold else Durability.ONE_OFF
    return CorrectionCandidate(
        exchange=scored.exchange,
        label=_label(reading.features, durability),
        correction_type=_type(reading.features, durability),
        durability=durability,
        polarity=polarity_of(wish, reading.language),
        wish=wish,
        about=object_stems(wish) | {f"@{name}" for name in reading.references},
        confidence=round(scored.probability, 4),
        standing=round(scored.standing, 4),
        spans=_spans(scored.exchange, reading, place, kept),
        references=reading.references,
        language=reading.language,
        wording=kept.text,
        is_whole=kept.is_whole and not reading.features.keys() >= _ANSWERS,
        features=reading.features,
    )


def _label(features: Mapping[str, float], durability: Durability) -> Label:
    if durability is Durability.STANDING and not any(name in features for name in _VIOLATED):
        return Label.STANDING
    return Label.CORRECTION


def _type(features: Mapping[str, float], durability: Durability) -> CorrectionType:
    if durability is Durability.ONE_OFF:
        return CorrectionType.CORRECTION
    return CorrectionType.PREFERENCE if any(name in features for name in _MANNER) else CorrectionType.RULE


def _chosen_clause(reading: CorrectionReading, text: str) -> tuple[int, str]:
    """The clause that says the wish, and the number of its sentence; -1 and "" where no clause does."""
    if "rules.alone" in reading.features:
        return -1, ""
    said = [piece.text for piece in reading.pieces]
    if any(name in reading.features for name in _QUOTES):
        said += [piece.text.lstrip("> ") for piece in sentences(text[:READ_LIMIT]) if piece.kind == "quote"]
    place, clause = best_clause(reading.words, said)
    return place if clause and place < len(reading.pieces) else -1, clause


def _kept(reading: CorrectionReading, text: str, place: int, clause: str) -> OwnWords:
    """The words that a memory would keep: of the clause, of the rules file that is all the turn says, or all of it."""
    if clause:
        said = [piece.text for piece in reading.pieces]
        return own_words(said, place, clause, _language(reading, said))
    if "rules.alone" in reading.features:
        wish = of_reference(sorted(reading.references)[0])
        return OwnWords(text=wish, first=-1, last=-1, is_whole=not wish.startswith("Follow "))
    said_all = " ".join(text[:READ_LIMIT].split())
    return OwnWords(text=sentence_case(stripped(said_all) or said_all), first=-1, last=-1, is_whole=False)


def _language(reading: CorrectionReading, said: Sequence[str]) -> str:
    """The language of a turn's words; a turn in another one may have English cues."""
    text = " ".join(said)
    return reading.language if reading.language != "en" or len(text.split()) < _TOLD_BY else guess_language(text)


def _spans(exchange: Exchange, reading: CorrectionReading, place: int, kept: OwnWords) -> tuple[tuple[int, int], ...]:
    if 0 <= place < len(reading.pieces):
        first, last = (kept.first, kept.last) if kept.first <= place <= kept.last else (place, place)
        return ((reading.pieces[first].start, reading.pieces[last].end),)
    return ((0, len(exchange.text)),) if exchange.text else ()

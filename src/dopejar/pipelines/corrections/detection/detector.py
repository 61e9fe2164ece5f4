"""Detection of turns that correct the assistant, or give it a standing instruction.

Takes: the exchanges of one conversation, wishes known already. Gives: candidates. Never: takes the harness's words or a
log for the person's; calls a task, a question or praise a correction because of a single word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.clusters.wish_similarity import Family, family_of, object_stems
from dopejar.pipelines.corrections.cues import data_table
from dopejar.pipelines.corrections.detection.features import READ_LIMIT, TurnReading, read_turn
from dopejar.pipelines.corrections.detection.repeats import repeat_overlaps
from dopejar.pipelines.corrections.exchange import (
    CorrectionCandidate,
    CorrectionType,
    Durability,
    Exchange,
    Label,
    Polarity,
)
from dopejar.pipelines.corrections.wording.imperative import (
    best_clause,
    imperative,
    of_reference,
    sentence_case,
    spoken,
    stripped,
)
from dopejar.pipelines.corrections.wording.kept_text import kept_of
from dopejar.pipelines.corrections.wording.rule_text import Whole, carrying
from dopejar.pipelines.logistic_model import LogisticModel, load_model
from dopejar.text.lexicons import guess_language
from dopejar.text.polarity import polarity
from dopejar.text.sentences import sentences

_VIOLATED: Final = (
    "open.no", "cue.wrong", "cue.accuse", "cue.rebuke", "cue.rebuke_soft", "cue.told", "cue.careful", "cue.missing",
    "cue.but", "cue.self_do", "cue.revert", "cue.remove", "after.concedes", "before.interrupted", "rejected",
    "reverted", "rules.alone", "cue.replace", "cue.unwanted", "cue.narrow", "cue.already", "cue.must", "open.prohibit",
)  # fmt: skip
_SAMPLE: Final = 200  # characters of each turn that a conversation's language is guessed from
_SAMPLED: Final = 40  # turns
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
    return _model("weight")


@lru_cache(maxsize=1)
def prior_model() -> CorrectionModel:
    """The weights as they were set by hand, before any fitting."""
    return _model("prior")


def _model(column: str) -> CorrectionModel:
    tables = data_table("model")
    return CorrectionModel(
        detection=load_model(tables.get("detection"), "model.toml", column),
        standing=load_model(tables.get("standing"), "model.toml", column),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredTurn:
    """An exchange with its features and probabilities, for measurements and explanations."""

    exchange: Exchange
    reading: TurnReading
    probability: float
    standing: float


def detect(
    turns: Sequence[Exchange], *, known: Sequence[str] = (), model: CorrectionModel | None = None
) -> tuple[CorrectionCandidate, ...]:
    """The candidates of one conversation, in order.

    `known` are wishes that memory holds or that earlier conversations said: repeating one of them is a feature.
    `model` replaces the shipped weights, for measurements.
    """
    chosen = model or shipped_model()
    scored = score_turns(turns, known=known, model=chosen)
    return tuple(make_candidate(turn, chosen) for turn in scored if turn.probability >= chosen.detection.threshold)


def score_turns(
    turns: Sequence[Exchange], *, known: Sequence[str] = (), model: CorrectionModel | None = None
) -> tuple[ScoredTurn, ...]:
    """Score every exchange: its features, and the two probabilities."""
    chosen = model or shipped_model()
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
                probability=chosen.detection.probability(features),
                standing=chosen.standing.probability(features),
            )
        )
    return tuple(scored)


def _languages(turns: Sequence[Exchange]) -> tuple[str, ...]:
    """The languages of a conversation: of its turns together, and of what these answer."""
    user_text = " ".join(turn.text[:_SAMPLE] for turn in turns[:_SAMPLED])
    assistant_text = " ".join(turn.before[-_SAMPLE:] for turn in turns[:_SAMPLED])
    return tuple(dict.fromkeys((guess_language(user_text), guess_language(assistant_text))))


def make_candidate(scored: ScoredTurn, model: CorrectionModel) -> CorrectionCandidate:
    """Make a candidate of a scored exchange: its type, durability, polarity, wish and object."""
    reading = scored.reading
    family = family_of("\n".join((*reading.folded, *map(spoken, sorted(reading.references)))))
    place, clause, wish = _wish(reading, scored.exchange.text, family)
    kept = kept_of(reading, clause=clause, place=place, wish=wish, before=scored.exchange.before, family=family)
    durability = Durability.STANDING if scored.standing >= model.standing.threshold else Durability.ONE_OFF
    return CorrectionCandidate(
        exchange=scored.exchange,
        label=_label(reading.features, durability),
        correction_type=_type(reading.features, durability, family),
        durability=durability,
        polarity=family.polarity if family else polarity_of(wish, reading.language),
        wish=wish,
        about=object_stems(family.text if family else wish) | {f"@{name}" for name in reading.references},
        confidence=round(scored.probability, 4),
        standing=round(scored.standing, 4),
        spans=_spans(scored.exchange, reading, place, kept),
        family=family.name if family else "",
        references=reading.references,
        language=reading.language,
        wording=kept.text,
        is_whole=kept.is_whole,
        features=reading.features,
    )


def _label(features: Mapping[str, float], durability: Durability) -> Label:
    if durability is Durability.STANDING and not any(name in features for name in _VIOLATED):
        return Label.STANDING
    return Label.CORRECTION


def _type(features: Mapping[str, float], durability: Durability, family: Family | None) -> CorrectionType:
    if durability is Durability.ONE_OFF:
        return CorrectionType.CORRECTION
    if family:
        return family.type
    return CorrectionType.PREFERENCE if any(name in features for name in _MANNER) else CorrectionType.RULE


def polarity_of(wish: str, language: str) -> Polarity:
    """Whether a wish asks to replace, to avoid or to do something."""
    lowered = f" {wish.casefold()} "
    if any(mark in lowered for mark in (" instead of ", ", not ", " rather than ", " not through ", " em vez de ",
                                        " ao invés de ", " statt ", " au lieu de ", " вместо ", " místo ", "而不是",
                                        " en vez de ", "; do not ", " en lugar de ")):  # fmt: skip
        return Polarity.REPLACE
    return Polarity.AVOID if polarity(wish, language) < 0 else Polarity.DO


def _wish(reading: TurnReading, text: str, family: Family | None) -> tuple[int, str, str]:
    """The index of the sentence that says the wish (-1: the whole turn), its clause, and the wish as an imperative."""
    if "rules.alone" in reading.features and not family:
        return -1, "", of_reference(sorted(reading.references)[0])
    own_sentences = [piece.text for piece in reading.pieces]
    if any(name in reading.features for name in _QUOTES):
        own_sentences += [piece.text.lstrip("> ") for piece in sentences(text[:READ_LIMIT]) if piece.kind == "quote"]
    place, clause = best_clause(reading, own_sentences)
    if clause and reading.words.language == "en":
        place, clause = carrying(own_sentences, place, clause)
    place = place if place < len(reading.pieces) else -1
    if family:
        return place, clause, family.text
    if not clause:
        return -1, "", sentence_case(stripped(text[:READ_LIMIT]) or " ".join(text[:READ_LIMIT].split()))
    if reading.words.language != "en":
        return place, clause, sentence_case(stripped(clause)).rstrip(" .")
    return place, clause, imperative(clause) or sentence_case(clause)


def _spans(exchange: Exchange, reading: TurnReading, place: int, kept: Whole) -> tuple[tuple[int, int], ...]:
    if 0 <= place < len(reading.pieces):
        first, last = (kept.first, kept.last) if kept.first <= place <= kept.last else (place, place)
        return ((reading.pieces[first].start, reading.pieces[last].end),)
    return ((0, len(exchange.text)),) if exchange.text else ()

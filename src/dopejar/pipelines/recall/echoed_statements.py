"""What the assistant repeated of the user's words that do not hold any more.

Takes: turns with what became of their statements. Gives: the same, with the assistant's sentences that say again what
was replaced, ended or forgotten. Never: a sentence that says it otherwise, or what holds now beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from dopejar.values.episode import Origin

if TYPE_CHECKING:
    from dopejar.pipelines.recall.turn_statements import TurnStatement
    from dopejar.values.episode import Episode
    from dopejar.values.ids import EpisodeId

_LEAST: Final = 2  # terms of a statement; a single word is in too many sentences


def with_echoes(
    statements: Mapping[EpisodeId, tuple[TurnStatement, ...]], turns: Sequence[Episode]
) -> dict[EpisodeId, tuple[TurnStatement, ...]]:
    """The statements of each turn, and those sentences of the assistant that repeat one which is out of force."""
    found = dict(statements)
    over = [(turn, one) for turn in turns for one in statements.get(turn.id, ()) if one.fate]
    if not over or all(turn.origin is not Origin.ASSISTANT for turn in turns):
        return found
    for turn in turns:
        if turn.origin is Origin.ASSISTANT and turn.id not in statements:
            said = [(source.text[one.start : one.end], one) for source, one in over if source.at <= turn.at]
            if echoes := tuple(_echoes(turn.text, said)):
                found[turn.id] = echoes
    return found


def _echoes(text: str, said: Iterable[tuple[str, TurnStatement]]) -> Iterable[TurnStatement]:
    from dopejar.text.sentences import sentences  # loaded only where something is out of force
    from dopejar.text.words import query_terms

    known = [(set(query_terms(words)), _is_denied(words), one) for words, one in said]
    for piece in sentences(text):
        terms = set(query_terms(piece.text))
        for stated, is_denied, one in known:
            is_said = len(stated) >= _LEAST and stated <= terms and not piece.text.rstrip().endswith("?")
            new = set(query_terms(one.current.text)) - stated if one.current is not None else set[str]()
            is_outdone = bool(new) and 2 * len(new & terms) >= len(new)
            if is_said and not is_outdone and is_denied == _is_denied(piece.text):
                yield one._replace(start=piece.start, end=piece.end)
                break


def _is_denied(text: str) -> bool:
    from dopejar.text.lexicons import guess_language
    from dopejar.text.polarity import polarity

    return polarity(text, guess_language(text)) < 0

"""What a block leaves open, what was decided in it, and the values that hold in it, each with its turn.

Takes: the turns of a block, and its facts. Gives: extracts. Never: a word that nobody said, or what an assistant only
proposes.

A cue tells (`data/outcome_cues.toml`): "we still have to ask Ana", "we decided on ...". A short choice ("Okay, ash
then") counts where what it names was named just before. A loop is closed by a later turn that says all of it, or says
of it that it is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.garden.block_fact import BlockFact, FactCategory
from dopejar.pipelines.garden.cue_lists import cue_pattern, plain, read_cue_lists
from dopejar.pipelines.garden.named_values import NamedValue, tools_named, value_given, values_assigned
from dopejar.pipelines.garden.topic_shift import read_terms
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import fold
from dopejar.text.polarity import polarity
from dopejar.text.sentences import sentences
from dopejar.values.episode import Origin

if TYPE_CHECKING:
    from dopejar.pipelines.garden.blocks import IncomingTurn

_LISTS: Final = ("open", "done", "decided", "unsaid", "chosen_before", "chosen_after", "ignorance")
_MOST: Final = 8  # extracts of a kind; of more, the last ones
_SECRET: Final = FactCategory.SECRET
_READ: Final = 4000  # characters of a turn in which values are looked for
_LONGEST: Final = 300  # characters of a sentence that is quoted whole
_CHOICE: Final = 6  # words that a short choice has at most
_NAMED_WITHIN: Final = 2  # turns before a choice, in which what it names was named
_SPEAKERS: Final = frozenset({Origin.USER, Origin.OTHER})
_SHARED: Final = 2  # terms that a statement shares with what it says to be done


@dataclass(frozen=True, kw_only=True, slots=True)
class Extract:
    """A sentence of a turn, as it was said there; `turn` is the 0-based index of the turn in the block."""

    text: str
    turn: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Variable:
    """A name and the value that it has at the end of the block, as written; `turn` is where it was given."""

    name: str
    value: str
    turn: int


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    plain: str
    turn: int
    is_question: bool
    terms: frozenset[str]


def open_loops(turns: Sequence[IncomingTurn]) -> tuple[Extract, ...]:
    """What somebody says is still to be done or found out, and questions that nobody answered, in their order."""
    said = tuple(_own(turns))
    loops = [one for one in said if _has("open", one) and _left(one) and not _is_closed(one, said)]
    loops += [one for one in _unanswered(turns, said) if one not in loops]
    return _extracts(loops)


def decisions_made(turns: Sequence[IncomingTurn]) -> tuple[Extract, ...]:
    """What was decided, in the order of the turns."""
    return _extracts(
        [
            one
            for one in _own(turns)
            if not one.is_question and not _has("open", one) and (_has("decided", one) or _is_choice(one, turns))
        ]
    )


def active_variables(facts: Sequence[BlockFact], turns: Sequence[IncomingTurn]) -> tuple[Variable, ...]:
    """The figures, versions, hosts and the like that facts of the block give and that hold, the last given last.

    What a turn sets in the form NAME=VALUE is among them.
    """
    given = [(fact.turn, _values(fact.text)) for fact in facts if fact.is_held and fact.category is not _SECRET]
    given += [(place, values_assigned(turn.text[:_READ])) for place, turn in enumerate(turns)]
    last: dict[str, Variable] = {}
    for turn, values in sorted(given, key=lambda pair: pair[0]):
        for one in values:
            last.pop(fold(one.name), None)
            last[fold(one.name)] = Variable(name=one.name, value=one.value, turn=turn)
    return tuple(last.values())[-_MOST:]


def _values(text: str) -> tuple[NamedValue, ...]:
    tools = tuple(one for one in tools_named(text) if one.value)
    given = None if tools else value_given(text)
    return tools or ((given,) if given else ())


def _extracts(found: Sequence[_Sentence]) -> tuple[Extract, ...]:
    by_text = {
        one.plain: one for one in sorted(found, key=lambda one: one.turn)
    }  # said again, it counts where it is last
    last = sorted(by_text.values(), key=lambda one: one.turn)[-_MOST:]
    return tuple(Extract(text=one.text, turn=one.turn) for one in last)


def _own(turns: Sequence[IncomingTurn]) -> Iterator[_Sentence]:
    """The sentences of people; an assistant proposes, and asks back at the end of most answers."""
    for place, turn in enumerate(turns):
        if turn.origin not in _SPEAKERS:
            continue
        for piece in sentences(turn.text):
            text = " ".join(piece.text.split())
            if piece.kind in {"prose", "list", "heading"} and 0 < len(text) <= _LONGEST:
                is_question = text.rstrip("\"'”’)* ").endswith(("?", "？"))
                yield _Sentence(text, plain(text), place, is_question, read_terms(text))


def _has(name: str, one: _Sentence) -> bool:
    """Whether a sentence says it: no word before the cue, in its clause, makes it unsaid."""
    cues = _cues()
    found = cues[name].search(one.plain)
    if found is None or one.is_question:
        return found is not None and name == "open" and found.start() == 0  # "Open question: who pays?"
    clause = re.split(r"[,;:.()]", one.plain[: found.start()])[-1]
    return cues["unsaid"].search(clause) is None


def _left(loop: _Sentence) -> frozenset[str]:
    """The terms of what is left open, without those that say so."""
    return loop.terms - read_terms(" ".join(_cues()["open"].findall(loop.plain)))


def _is_closed(loop: _Sentence, said: Sequence[_Sentence]) -> bool:
    """Whether a later sentence says all that the loop does, or shares words with it and says that it is done."""
    left = _left(loop)
    return any(
        later.turn > loop.turn
        and not later.is_question
        and not _has("open", later)
        and polarity(later.text, guess_language(later.text)) > 0
        and (
            (bool(left) and left <= later.terms)
            or (_has("done", later) and len(left & later.terms) >= min(_SHARED, len(left)) > 0)
        )
        for later in said
    )


def _unanswered(turns: Sequence[IncomingTurn], said: Sequence[_Sentence]) -> Iterator[_Sentence]:
    """The questions of turns after which nobody else spoke, or only said that they do not know."""
    for place in sorted({one.turn for one in said if one.is_question}):
        answers = [turn for turn in turns[place + 1 :] if _is_another(turn, turns[place])][:1]
        if not answers or _cues()["ignorance"].match(plain(answers[0].text[:_LONGEST]).lstrip(" .,-")):
            yield [one for one in said if one.turn == place and one.is_question][-1]


def _is_another(turn: IncomingTurn, asker: IncomingTurn) -> bool:
    """Whether a turn may answer one: two people of whom both are other speakers answer each other in turns."""
    return turn.origin is not asker.origin or asker.origin is Origin.OTHER


def _is_choice(one: _Sentence, turns: Sequence[IncomingTurn]) -> bool:
    """Whether it is a short choice of what was named in the turns before: "okay, Postgres then", "ash it is"."""
    words = one.plain.strip(" .!").split()
    if len(words) > _CHOICE:
        return False
    said = " ".join(words)
    before, after = _cues()["chosen_before"].match(said), _cues()["chosen_after"].search(said)
    is_at_end = after is not None and after.end() == len(said)
    starts = before is not None and before[0] == "then"
    if not (is_at_end or starts):
        return False
    named = read_terms(" ".join(turn.text for turn in turns[max(0, one.turn - _NAMED_WITHIN) : one.turn]))
    rest = said[: after.start()] if after is not None and is_at_end else said
    chosen = read_terms(rest[before.end() :] if before is not None else rest)
    return bool(chosen) and chosen <= named


@lru_cache(maxsize=1)
def _cues() -> dict[str, re.Pattern[str]]:
    return {name: cue_pattern(entries) for name, entries in read_cue_lists("outcome_cues.toml", _LISTS).items()}

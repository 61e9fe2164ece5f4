"""The grammar reader: reads statements by their words alone, without weights.

Takes: sentences. Gives: statements and relations. Never: calls two statements the same or one an update of the other
unless the words tell it; unclear means apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from dopejar.language.identifiers import are_others, things_in
from dopejar.language.relations import shape
from dopejar.pipelines.ingest.atoms import Extraction, Reason
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.extractor import extract
from dopejar.pipelines.ingest.integrity.comparison import (
    ComparedStatement,
    Comparison,
    compare,
    runs_through,
    statement,
    strongest,
    telling_terms,
)
from dopejar.text.lexicons import guess_language
from dopejar.text.polarity import polarity
from dopejar.text.similarity import Similarity, similar
from dopejar.text.words import query_terms
from dopejar.values.statement import Related, Relation, SpeechAct, Statement, Tense

_ACTS: Final[Mapping[Reason, SpeechAct]] = {
    Reason.QUESTION: SpeechAct.QUESTION,
    Reason.REQUEST: SpeechAct.REQUEST,
    Reason.CHATTER: SpeechAct.ACKNOWLEDGEMENT,
    Reason.HYPOTHETICAL: SpeechAct.HYPOTHETICAL,
    Reason.REPORT: SpeechAct.REPORT,
    Reason.QUOTATION: SpeechAct.REPORT,
    Reason.JOKE: SpeechAct.JOKE,
}
_SURE: Final = 0.7  # confidence of a comparison from which it is acted on
_BY_SLOT: Final = 0.9  # confidence of two statements with one slot and value
_ACTED_ON: Final = 0.95  # the share that then stands beside its relation
_UNDECIDED: Final = 0.3
_IS_OVER: Final = re.compile(r"\b(?:had|(?:was|were)(?! born)|used to)\b", re.IGNORECASE)
_DENIED: Final = 0.85  # overlap of words from which one rule is taken for the denial of another
_CAPACITY: Final = 512  # sentences that are kept as read


class GrammarReader:
    """`ports.statement_reader.StatementReader` without a model."""

    name = "grammar"
    knows_dates = True  # to it, "today" is for today only
    finds_frames = False
    is_graded = False

    def read(self, sentences: Sequence[str]) -> tuple[Statement, ...]:
        """What each sentence states."""
        return tuple(_statement(text) for text in sentences)

    def relate(self, pairs: Sequence[tuple[str, str]]) -> tuple[Related, ...]:
        """What the later sentence of each pair does to the earlier one."""
        stated: dict[str, list[ComparedStatement]] = {}  # of this call alone: keys depend on the taxonomy in use
        for text in dict.fromkeys(text for pair in pairs for text in pair):
            stated[text] = [statement(atom) for atom in _read(text).atoms]
        return tuple(_relate(earlier, later, _compared(earlier, later, stated)) for earlier, later in pairs)

    def rests(self, pairs: Sequence[tuple[str, str]]) -> tuple[str | None, ...]:
        """None of each: words alone do not tell which part of a statement is changed."""
        return (None,) * len(pairs)


@lru_cache(maxsize=_CAPACITY)
def _statement(text: str) -> Statement:
    read = _read(text)
    atom = read.atoms[0] if read.atoms else None
    act = next((_ACTS[piece.reason] for piece in read.left_out if piece.reason in _ACTS), SpeechAct.ASSERTION)
    if atom is not None and atom.states:
        act = SpeechAct.PLAN if atom.planned else SpeechAct.RULE if atom.directs_work else SpeechAct.ASSERTION
    elif atom is not None and not read.left_out:
        act = SpeechAct.HYPOTHETICAL  # "Anna would be the coach if Paul left"
    return Statement(
        text=text,
        act=act,
        act_certainty=_ACTED_ON,
        tense=Tense.PAST if atom is not None and atom.past else Tense.NOW,
        tense_certainty=_ACTED_ON,
        denied=float(atom is not None and atom.polarity < 0),
        durable=atom.confidence if atom is not None else 0.0,
    )


def _relate(earlier: str, later: str, found: Comparison) -> Related:
    relation = found.relation
    near = similar(earlier, later)
    # a denied opposite can be said of something else
    alike = near.same_meaning and not (near.has_opposites or _adds_within(earlier, later))
    if relation is Relation.APART and alike:
        relation, found = Relation.SAME, Comparison(relation=Relation.SAME, confidence=_SURE, why="")
    if relation is Relation.SAME and found.confidence < _BY_SLOT and not (alike or _adds_nothing(earlier, later)):
        relation = Relation.APART
    if relation is Relation.SAME and (_is_over(earlier) is not _is_over(later) or _sign(earlier) != _sign(later)):
        relation = Relation.APART
    if relation is Relation.APART and (disagreement := _of_two_rules(earlier, later, near)):
        relation = disagreement
        found = Comparison(relation=relation, confidence=_SURE, why="")
    share = _ACTED_ON if found.confidence >= _SURE or relation is Relation.CONTRADICTION else _UNDECIDED
    found_share = {relation: share, Relation.APART: 1.0 - share if relation is not Relation.APART else 1.0}
    shares = tuple(found_share.get(kind, 0.0) for kind in Relation)
    return Related(relation=relation, shares=shares, reason=found.why)


def _of_two_rules(earlier: str, later: str, near: Similarity) -> Relation | None:
    """How two rules in nearly the same words disagree: one forbids what the other asks for, or has another number."""
    if not all(_statement(text).act is SpeechAct.RULE for text in (earlier, later)):
        return None
    if not near.same_polarity and near.same_values and near.lexical >= _DENIED:
        return Relation.CONTRADICTION
    if near.same_values or shape(earlier) != shape(later) or are_others(things_in(earlier), things_in(later)):
        return None
    return Relation.UPDATE


def _adds_nothing(earlier: str, later: str) -> bool:
    """Whether the later one has no word of its own, but behind those of the earlier one: it might be another value."""
    return frozenset(query_terms(later)) <= frozenset(query_terms(earlier)) or runs_through(earlier, later)


def _is_over(text: str) -> bool:
    return _IS_OVER.search(text) is not None


def _sign(text: str) -> int:
    """The sign of a text as Spanish, where it may be that: a short one often passes for Portuguese."""
    return polarity(text, "es") if guess_language(text) in ("pt", "es") else 1


def _adds_within(earlier: str, later: str) -> bool:
    """Whether the later one has all words of the earlier one, and another among them: "the shop sold its lift"."""
    return frozenset(telling_terms(earlier)) < frozenset(telling_terms(later)) and not runs_through(earlier, later)


def _compared(earlier: str, later: str, stated: Mapping[str, Sequence[ComparedStatement]]) -> Comparison:
    compared = [(compare(old, new), _in_two_slots(old, new)) for old in stated[earlier] for new in stated[later]]
    found = strongest([one for one, parted in compared if not parted or one.relation is Relation.SAME])
    if found.relation is Relation.APART and _is_doubtful_report(_read(earlier), _read(later)):
        return Comparison(relation=Relation.CONTRADICTION, confidence=_SURE, why="a report, with doubt")
    return found


def _in_two_slots(one: ComparedStatement, other: ComparedStatement) -> bool:
    """Whether their words fill two slots: then neither says anything against the other."""
    says_what_becomes = other.changes or other.ends
    return not says_what_becomes and bool(one.key.slot and other.key.slot) and one.key.slot != other.key.slot


def _is_doubtful_report(earlier: Extraction, later: Extraction) -> bool:
    """Whether somebody's doubtful report is about the same: it leaves no atom, and yet somebody should look."""
    reports = [piece.text for piece in later.left_out if piece.reason is Reason.REPORT]
    doubtful = [set(text.casefold().split()) for text in reports if cues("en").has("hedge.strong", text)]
    known = [set(atom.text.casefold().split()) for atom in earlier.atoms]
    return any(len(words & others) > 1 for words in doubtful for others in known)


@lru_cache(maxsize=_CAPACITY)
def _read(text: str) -> Extraction:
    return extract(text, at=None, speaker_is_user=True, keep_all=True)

"""What is worth telling where nobody asked memory: the records, and a quotation only where it plainly answers.

Takes: the ranked items of a prompt, its question, and the turn before a turn. Gives: the same without most quotations.
Never: leaves out a record, or quotes a request, a question, an acknowledgement or what an assistant did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.key_names import topic_of
from dopejar.pipelines.recall.passages import text_terms
from dopejar.pipelines.recall.quotation_selection import is_speech
from dopejar.values.episode import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dopejar.pipelines.recall.question import Question
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.values.episode import Episode

    TurnBefore = Callable[[Episode], Episode | None]
    Pasted = Callable[[str], Sequence[tuple[int, int]]]

_MOST: Final = 3  # quotations; what answers is among the first
_LEAST: Final = 2  # terms of the prompt that a quotation has to have: one word in common is no answer,
_ASKED: Final = 0.5  # and this share of them, where the prompt asks,
_STATED: Final = 0.75  # or this one, where it states a task
_LONGEST: Final = 1500  # characters; a longer turn is a document or a task


def worth_telling(
    items: Sequence[RankedItem], question: Question, before: TurnBefore, pasted: Pasted | None = None
) -> list[RankedItem]:
    """The items without the quotations that a prompt does not call for.

    A quotation answers by most of the prompt's terms and by no fewer than the records; it tells something; and no
    record rests on it, unless it has terms of the prompt that no record has. An assistant's words are quoted where they
    answered a question, and the prompt asks one.
    """
    terms = frozenset(question.terms)
    told = [terms & text_terms(f"{item.text} {topic_of(item.record)}") for item in items if item.record]
    least = max([_LEAST, (_ASKED if question.is_asking else _STATED) * len(terms), *map(len, told)])
    known = frozenset[str]().union(*told)

    def answers(item: RankedItem) -> bool:
        turn = item.episode
        if turn is None or _is_unquotable(turn):
            return False
        if turn.origin is Origin.ASSISTANT:
            asked = before(turn) if question.is_asking else None
            return asked is not None and _ends_asking(asked.text) and adds(item, f"{asked.text} {turn.text}")
        if not adds(item, turn.text):  # its own words are a part of it
            return False
        own = _own_words(turn.text, pasted)
        is_known = any(one.current is not None for one in item.statements)  # memory learned from it: no need to read it
        return adds(item, own) and (is_known or _tells(own, lasting=not question.is_asking))

    def adds(item: RankedItem, words: str) -> bool:
        shared = terms & text_terms(words)
        return len(shared) >= least and not (item.statements and shared <= known)

    quoted = 0
    kept = []
    for item in items:
        if item.record is None:
            if quoted == _MOST or not answers(item):
                continue
            quoted += 1
        kept.append(item)
    return kept


def tells_nothing(turn: Episode) -> bool:
    """Whether no prompt is told a turn, by itself or by the memories that rest on it."""
    if turn.origin is Origin.ASSISTANT:
        return not is_speech(turn)
    return not is_speech(turn) or not _tells(_own_words(turn.text, None), lasting=False)


def _is_unquotable(turn: Episode) -> bool:
    return not is_speech(turn) or len(turn.text) > _LONGEST


def _ends_asking(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def _own_words(text: str, pasted: Pasted | None) -> str:
    """The text without what its writer pasted or quotes."""
    from dopejar.text.quotations import without_quotations  # few prompts find something that was said

    own = without_quotations(text)
    for start, end in pasted(text) if pasted is not None else ():
        own = f"{own[:start]}{' ' * (end - start)}{own[end:]}"
    return own


def _tells(words: str, *, lasting: bool) -> bool:
    """Whether somebody tells something, or something lasting: not only asks, requests, greets or acknowledges."""
    # loaded only where a quotation is near enough
    from dopejar.pipelines.ingest import Reason, extract

    read = extract(words, at=None, speaker_is_user=True)
    return bool(read.atoms) or (
        not lasting and any(piece.reason in (Reason.FLEETING, Reason.UNRESOLVED) for piece in read.left_out)
    )

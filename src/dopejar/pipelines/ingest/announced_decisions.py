"""Decisions that are announced: what was decided is to be carried out later, as the sentences behind it tell.

Takes: a statement with its move, the words behind it, and a reader. Gives: its move, beside what it would replace where
what it decides is still to come. Never: takes a decision for one to come because something else is.

"We decided on Postgres. The migration is planned for March." replaces nothing before that.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from dopejar.memory.chain import with_digest
from dopejar.pipelines.ingest.integrity.chain_move import ChainMove, Step
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.normalisation import content_hash
from dopejar.values.record import Draft
from dopejar.values.statement import Tense

_DECIDES: Final = re.compile(r"\b(?:decided|agreed|settled|chose|chosen|opted|voted)\b", re.IGNORECASE)
_CARRIED_OUT: Final = re.compile(
    r"(?:(?:and|but) )?(?:the |our |this |that )?(?:actual )?(?:migration|move|switch(?:over)?|change(?:over)?|"
    r"roll-?out|cut-?over|transition|handover|it|this|that)\b",
    re.IGNORECASE,
)
_UNTIL_THEN: Final = re.compile(r"\b(?:until|till) then\b", re.IGNORECASE)
_FAR: Final = 240  # characters behind the statement that are looked at
_NEXT: Final = 2  # sentences


def held_back(
    draft: Draft, move: ChainMove, text: str, behind: str, reader: StatementReader
) -> tuple[Draft, ChainMove]:
    """The move of a statement; where it decides what is to come, it stands under a key of its own for now."""
    if move.step is not Step.SUPERSEDE or not _is_to_come(text, behind, reader):
        return draft, move
    key = with_digest(draft.key, content_hash(draft.text))
    return replace(draft, key=key, slot="", value=""), ChainMove(step=Step.ADD, why="decided, and still to come")


def _is_to_come(text: str, behind: str, reader: StatementReader) -> bool:
    """Whether a statement decides what the sentences behind it carry out later, or what holds "until then" is another.

    The statement may hold those sentences itself.
    """
    found = _DECIDES.search(text)
    if found is None:
        return False
    said = re.split(
        r"(?<=[.;!])\s+|,\s+(?=(?:the|our|and|but|until|till)\b)", f"{text[found.end() :]}. {behind[:_FAR]}"
    )
    following = [one.strip(" .,;") for one in said[1:] if one.strip(" .,;")][:_NEXT]
    if any(map(_UNTIL_THEN.search, following)):
        return True
    carried = [one for one in following if _CARRIED_OUT.match(one)]
    return any(one.tense is Tense.FUTURE for one in reader.read(carried)) if carried else False

"""Decisions that are announced: what was decided is to be carried out later, as the sentences behind it tell.

Takes: a statement, the words behind it, and a reader. Gives: whether what it decides is still to come. Never: takes a
decision for one to come because something else is.

"We decided on Postgres. The migration is planned for March." replaces nothing before that.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.ports.statement_reader import StatementReader
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


def is_to_come(text: str, behind: str, reader: StatementReader) -> bool:
    """Whether a statement decides what the sentences behind it carry out later, or what holds "until then" is another.

    The statement may hold those sentences itself.
    """
    found = _DECIDES.search(text)
    if found is None:
        return False
    said = re.split(r"(?<=[.;!])\s+|,\s+(?=(?:the|our|and|but|until|till)\b)", f"{text[found.end() :]}. {behind[:_FAR]}")
    following = [one.strip(" .,;") for one in said[1:] if one.strip(" .,;")][:_NEXT]
    if any(map(_UNTIL_THEN.search, following)):
        return True
    carried = [one for one in following if _CARRIED_OUT.match(one)]
    return any(one.tense is Tense.FUTURE for one in reader.read(carried)) if carried else False

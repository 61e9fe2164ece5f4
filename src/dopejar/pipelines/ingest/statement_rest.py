"""What a later statement leaves of an earlier one.

Takes: two statements and a reader. Gives: the words of the earlier one that still hold, as a statement. Never: adds a
word; leaves what tells nothing by itself.
"""

from __future__ import annotations

from typing import Final

from dopejar.pipelines.ingest.extraction.extractor import as_sentence
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.words import query_terms
from dopejar.values.statement import Relation, SpeechAct

_LEAST_WORDS: Final = 3  # of what is left
_SURELY: Final = 0.8  # probability of a change from which not all of the earlier statement holds on
_LASTS: Final = 0.5  # probability from which what is left is worth knowing by itself


def left_of(earlier: str, later: str, reader: StatementReader) -> str:
    """What the later of two statements leaves of the earlier one; "" where that is nothing worth knowing by itself.

    That is all of it where a part goes and the words do not tell which: nothing true may be lost.
    """
    rest = reader.rests([(earlier, later)])[0]
    if rest is None:
        return earlier
    if rest == earlier:  # but for what it surely changes or ends, whichever words of it that means
        return "" if reader.relate([(earlier, later)])[0].share(Relation.UPDATE, Relation.END) >= _SURELY else rest
    rest = as_sentence(rest)
    if len(rest.split()) < _LEAST_WORDS or set(query_terms(rest)) <= set(query_terms(later)):
        return ""
    read = reader.read([rest])[0]
    return rest if read.believed and read.act is not SpeechAct.REQUEST and read.durable >= _LASTS else ""

"""What holds on of the memories that a statement takes out of use.

Takes: a draft with its move, and a reader of graded relations. Gives: what is left of each memory, as a draft of its
own; the draft beside the memory where all of that may hold on. Never: keeps a part of guidance.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dopejar.memory.chain import without_digest
from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.chain_decision import Known, own_slot
from dopejar.pipelines.ingest.integrity.chain_move import ChainMove, Step
from dopejar.pipelines.ingest.keys.key import make_key
from dopejar.pipelines.ingest.related_records import begins
from dopejar.pipelines.ingest.rests import part_left, rest_of
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.polarity import polarity
from dopejar.values.proposal import Rest
from dopejar.values.record import DIRECTING, Draft, Record, Status
from dopejar.values.statement import Relation

_VERY_SURE: Final = 0.9  # probability of a change from which no word that goes need be found


def beside_untouched(draft: Draft, move: ChainMove, known: Known, reader: StatementReader) -> tuple[Draft, ChainMove]:
    """The draft and its move; beside what it would take out of use where the net finds that all of that holds on.

    Then it is told with the earlier one that something was said since.
    """
    if move.step is not Step.SUPERSEDE:
        return draft, move

    def holds_on(record: Record | None) -> bool:
        if record is None or record.status is not Status.ACTIVE or record.kind in DIRECTING:
            return False
        if rest_of(record.text, draft.text, reader) != record.text:
            return False
        related = reader.relate([(record.text, draft.text)])[0]
        return related.share(Relation.SAME, Relation.UPDATE, Relation.END) < _VERY_SURE

    stays = holds_on(move.predecessor)
    joins = tuple(one for one in move.joins if (not stays and _says_more(one, move)) or not holds_on(one))
    doubts = (*move.doubts, *(one for one in move.joins if one not in joins))
    if not stays or move.targets != (move.predecessor,):
        return draft, replace(move, joins=joins, doubts=doubts)
    why = "leaves what it does not speak of"
    return own_slot(draft, known), ChainMove(step=Step.ADD, doubts=(*doubts, *move.targets, *joins), why=why)


def _says_more(record: Record, move: ChainMove) -> bool:
    """Whether it says more of what the move takes out of use, and its words first."""
    return move.predecessor is not None and begins(record.text, move.predecessor.text)


def rests_of(draft: Draft, move: ChainMove, reader: StatementReader) -> tuple[Rest, ...]:
    """What is left of each statement that the move takes out of use, the draft's own where a later one is known.

    Guidance stays whole. What the later one says word by word is not left.
    """
    if move.step is not Step.SUPERSEDE:
        return ()
    outdated = [one for one in (move.predecessor, *move.joins) if one is not None and one.status is Status.ACTIVE]
    newer = [one for one in move.targets if one is not move.predecessor]
    pairs = [(one.id, _as_draft(one), draft.text) for one in outdated] + [(None, draft, one.text) for one in newer]
    return tuple(
        Rest(of=of, draft=_draft_of(text, said, reader))
        for of, said, later in pairs
        if said.kind not in DIRECTING and (text := _left(said.text, move.predecessor, later, reader))
    )


def _left(text: str, owner: Record | None, later: str, reader: StatementReader) -> str:
    """What is left of a text; of one that says more of the `owner`, that behind what is left of the owner."""
    if owner is not None and begins(text, owner.text) and (head := part_left(owner.text, later, reader)):
        return f"{head}{text[len(owner.text) :]}"
    return part_left(text, later, reader)


def _as_draft(record: Record) -> Draft:
    return Draft(
        kind=record.kind,
        text=record.text,
        layer=record.layer,
        sublayer=record.sublayer,
        namespace=record.namespace,
        scope=record.scope,
        side=record.side,
        confidence=record.confidence,
        certainty=record.certainty,
        tags=record.tags,
        valid_from=record.valid_from,
    )


def _draft_of(text: str, said: Draft, reader: StatementReader) -> Draft:
    """What is left of a statement, under a key of its own words."""
    atom = Atom(
        text=text,
        start=0,
        end=len(text),
        layer=said.layer,
        sublayer=said.sublayer,
        kind=said.kind,
        cue="what is left",
        polarity=polarity(text, "en"),
        frame=reader.read([text])[0].frame,
    )
    return replace(said, text=text, key=without_digest(make_key(atom).key), slot="", value="", attributes={})

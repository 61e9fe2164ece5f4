"""The facts of a block: what was learned from its turns, and the tags that they make.

Takes: a view and a block. Gives: turns, facts, tags. Never: a statement that waits for a person, or a constraint that
is no longer in force.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dopejar.engine.garden.block_rows import BlockRow
from dopejar.pipelines.garden.block_fact import BlockFact, FactCategory, categorise, read_alias
from dopejar.pipelines.garden.block_tags import BlockTags, RuleKind, SectionRule, tag_block
from dopejar.pipelines.garden.topic_shift import read_terms
from dopejar.ports.store import ReadView
from dopejar.text.words import index_terms
from dopejar.values.episode import Episode
from dopejar.values.ids import ConversationId, RecordId
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import BLOCK_TAG, EvidenceRole, Record, Status
from dopejar.values.scope import ReadScope

LAST_TURN: Final = "last_turn"
"""The attribute of a record with a tag that a person gave a block, where that is a section rule."""

_SHORT: Final = 20  # letters of a rule that stands in front of every line of its range, "no-eval"
_MOST_HITS: Final = 200
_BELIEVED: Final = frozenset({Status.ACTIVE, Status.SUPERSEDED, Status.EXPIRED, Status.DEPRECATED})


def turns_of(view: ReadView, conversation: ConversationId, block: BlockRow) -> tuple[Episode, ...]:
    """The turns of a block, in order."""
    ids = view.turn_ids(conversation, min(block.places, default=0), max(block.places, default=-1))
    return tuple(view.episodes([ids[place] for place in block.places if place in ids]).values())


def facts_of(view: ReadView, turns: Sequence[Episode], read_scope: ReadScope | None = None) -> tuple[BlockFact, ...]:
    """What was learned from these turns of a block and is, or was, believed; a record once per turn, in their order.

    With a `read_scope`, only what may be read there.
    """
    places = {turn.id: place for place, turn in enumerate(turns)}
    evidence = view.evidence_in(list(places))
    records = view.records(list(evidence))
    first_said = {
        record_id: min((places[row.episode_id] for row in rows if row.role is EvidenceRole.ASSERTS), default=0)
        for record_id, rows in evidence.items()
    }
    facts = [
        BlockFact(
            text=record.text,
            category=categorise(record),
            turn=places[row.episode_id],
            snippet=turns[places[row.episode_id]].text[row.start : row.end],
            at=row.at,
            confidence=record.confidence,
            record_id=record.id,
            episode_id=row.episode_id,
            alias=read_alias(record),
            stated=record.attributes.get(BLOCK_TAG, ""),
            last_turn=_last_turn(record, first_said, places[row.episode_id]),
            is_held=record.status is Status.ACTIVE,
        )
        for record_id, rows in evidence.items()
        if (record := records.get(record_id)) is not None and _counts(record)
        if read_scope is None or read_scope.sees(record.namespace, record.scope)
        for row in {row.episode_id: row for row in rows if row.role is EvidenceRole.ASSERTS}.values()
    ]
    return tuple(sorted(facts, key=lambda fact: (fact.turn, fact.record_id or "")))


def _last_turn(record: Record, first_said: Mapping[RecordId, int], turn: int) -> int | None:
    """The last turn that a record holds for: as a person said, or the one before its successor was stated here."""
    if LAST_TURN in record.attributes:
        return int(record.attributes[LAST_TURN])
    successor = first_said.get(record.superseded_by) if record.superseded_by else None
    return successor - 1 if successor is not None and successor > turn else None


def _counts(record: Record) -> bool:
    """Whether a record is, or was, believed; a constraint, and a tag that a person gave, has to be in force."""
    is_constraint = BLOCK_TAG in record.attributes or categorise(record) is FactCategory.CONSTRAINT
    return record.status is Status.ACTIVE if is_constraint else record.status in _BELIEVED


def tags_of(view: ReadView, turns: Sequence[Episode]) -> BlockTags:
    """The tags of a block with these turns."""
    return tag_block(facts_of(view, turns), [turn.text for turn in turns])


def speaks_of(text: str, rule: SectionRule) -> bool:
    """Whether a turn is to be read with a rule that governs it: it names what the rule is about, or that is short.

    A turn that states the rule itself needs no label.
    """
    if rule.label in " ".join(text.split()):
        return False
    if rule.kind is not RuleKind.CONSTRAINT or len(rule.label) <= _SHORT:
        return True
    return not rule.terms.isdisjoint(read_terms(text))


def exact_facts(view: ReadView, words: str, limit: int) -> tuple[BlockFact, ...]:
    """Active records that hold each of these words, the newest first; each with the turn that it rests on first."""
    wanted = frozenset(index_terms(words))
    where = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.RECORD)
    hits = view.lexical([*wanted], where, _MOST_HITS) if wanted else ()
    records = view.records([RecordId(hit.id) for hit in hits])
    held = [one for one in records.values() if one.status is Status.ACTIVE and wanted <= {*index_terms(one.text)}]
    newest = sorted(held, key=lambda record: (record.valid_from, record.id), reverse=True)[:limit]
    evidence = view.evidence_of([record.id for record in newest])
    found = []
    for record in newest:
        stated = [row for row in evidence.get(record.id, ()) if row.role is EvidenceRole.ASSERTS]
        row = min(stated, key=lambda one: (one.at, one.episode_id), default=None)
        turn = view.episodes((row.episode_id,)).get(row.episode_id) if row else None
        found.append(
            BlockFact(
                text=record.text,
                category=categorise(record),
                turn=turn.index if turn else 0,
                snippet=turn.text[row.start : row.end] if turn and row else "",
                at=row.at if row else record.valid_from,
                confidence=record.confidence,
                record_id=record.id,
                episode_id=row.episode_id if row else None,
                alias=read_alias(record),
            )
        )
    return tuple(found)

"""The manual gardener: facts become tags of a block, or of a range of its turns, or dossiers; context is said once.

Takes: an open memory. Gives: tags, facts and contexts as plain dictionaries. Never: a second reading of a stored turn,
or a block that is deleted: it is archived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dopejar.engine.dependencies import Reviewer
from dopejar.engine.garden.gardener import DescribedBlock as BridgeBlock
from dopejar.engine.memory import Memory
from dopejar.pipelines.garden.block_fact import BlockFact
from dopejar.pipelines.garden.block_tags import BlockTags, tag_block
from dopejar.pipelines.recall.block_context import BlockContext, bracketed
from dopejar.pipelines.recall.pack_quotations import on_one_line

__all__ = [
    "BridgeBlock",
    "ContextAssembler",
    "DossierGovernor",
    "ManualGardener",
    "fact_store",
    "get_block_metadata",
    "get_facts_for_block",
    "save_block_metadata",
]

Fields = dict[str, object]


def get_block_metadata(memory: Memory, block_id: str) -> Fields:
    """The tags of a block: `global_tags`, and `section_rules` with `start_turn`, `end_turn` and `rule`.

    Raises:
        NotFoundError: there is no such block.
    """
    return _metadata(memory.garden.block(block_id).tags)


def get_facts_for_block(memory: Memory, block_id: str) -> list[Fields]:
    """What was learned from the turns of a block, in their order; `turn_id` counts the turns of the block from 0.

    Raises:
        NotFoundError: there is no such block.
    """
    return [_fields(fact) for fact in memory.garden.facts(block_id)]


def fact_store(memory: Memory, words: str, limit: int = 5) -> list[Fields]:
    """The active facts that hold each of these words, the newest first; `turn_id` counts the turns of a conversation.

    One hop leads from a fact to its turn: `source_turn_id` is the episode that it was said in.
    """
    return [{**_fields(fact), "source_turn_id": fact.episode_id} for fact in memory.garden.find_facts(words, limit)]


def save_block_metadata(
    memory: Memory,
    block_id: str,
    global_tags: Sequence[str],
    section_rules: Sequence[Mapping[str, object]],
    by: Reviewer,
) -> None:
    """Give a block these tags and rules, in place of those that a person gave it before; a reviewer's act.

    Those that its facts make stay beside them. Raises NotFoundError, InputError, ReviewerRequiredError.
    """
    memory.garden.state_tags(
        block_id,
        global_tags,
        [str(rule["rule"]) for rule in section_rules],
        [int(str(rule["start_turn"])) for rule in section_rules],
        [int(str(rule["end_turn"])) for rule in section_rules],
        by,
    )


def _fields(fact: BlockFact) -> Fields:
    return {
        "fact_id": fact.record_id,
        "value": fact.text,
        "category": fact.category.value,
        "evidence_snippet": fact.snippet,
        "turn_id": fact.turn,
        "created_at": fact.at.isoformat() if fact.at else None,
    }


class ManualGardener:
    """Gardens the blocks of one memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def process_bridge_block(self, block_id: str) -> Fields:
        """Tag and archive a block: status, block_id, facts_processed, tags_applied, dossiers_created.

        The keys are the same where the block has no facts. Doing it again gives the same.

        Raises:
            NotFoundError: there is no such block.
        """
        result = self._memory.garden.process_bridge_block(block_id)
        return {
            "status": result.status,
            "block_id": result.block_id,
            "facts_processed": result.facts_processed,
            "tags_applied": result.tags_applied,
            "dossiers_created": result.dossiers_created,
        }

    def _classify_facts_for_tagging(self, facts: Sequence[Mapping[str, object]], turns: Sequence[str] = ()) -> Fields:
        """The three heuristics on given facts with `value` and `turn_id`: tags, section rules, and the facts left.

        An installed reader tells what a fact is where the rules of ingest are not sure.
        """
        texts = [str(fact.get("value", "")) for fact in facts]
        given = self._memory.garden.given_facts(texts, [int(str(fact.get("turn_id", 0))) for fact in facts])
        tags = tag_block(given, turns)
        left = [
            fields for fields, fact in zip(facts, given, strict=True) if any(fact is one for one in tags.other_facts)
        ]
        return {**_metadata(tags), "dossier_facts": left}

    def _delete_bridge_block(self, block_id: str) -> None:
        """Archive a block: it leaves the working set, its turns and tags stay."""
        self._memory.garden.process_bridge_block(block_id)


class DossierGovernor:
    """Puts facts into the dossiers of one memory. `said_by` speaks where facts come as words."""

    def __init__(self, memory: Memory, said_by: str = "") -> None:
        self._memory, self._said_by = memory, said_by

    def process_fact_packet(self, fact_packet: Mapping[str, object]) -> str | None:
        """The id of the dossier that most of the packet's `facts` are in; None where none became a memory.

        A fact with a `fact_id` is a memory. One that is words, or has them as `value`, is remembered first: it passes
        the write gate, and where that lets it wait it is in no dossier yet.

        Raises:
            NotFoundError: a `fact_id` is no memory.
        """
        facts = fact_packet.get("facts")
        names = [name for fact in (facts if isinstance(facts, Sequence) else ()) for name in self._records(fact)]
        dossier = self._memory.dossiers.process_fact_packet(names)
        return dossier.id if dossier else None

    def _records(self, fact: object) -> list[str]:
        fields = fact if isinstance(fact, Mapping) else {"value": fact}
        if fields.get("fact_id"):
            return [str(fields["fact_id"])]
        told = self._memory.remember(str(fields.get("value", "")), said_by=self._said_by)
        return [record.id for receipt in told.receipts for record in receipt.records]


class ContextAssembler:
    """Writes retrieved turns with the tags of their blocks, as a pack of `recall` does."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def hydrate_chunks_with_metadata(self, chunks: Sequence[Mapping[str, object]]) -> str:
        """Turns with `block_id`, `turn_id` (counted from 0 in the block) and `text`, grouped by block, tags said once.

        Raises:
            NotFoundError: there is no such block.
        """
        by_block: dict[str, list[Mapping[str, object]]] = {}
        for chunk in chunks:
            by_block.setdefault(str(chunk["block_id"]), []).append(chunk)
        return "\n\n".join(
            _hydrated(block_id, self._memory.garden.block(block_id).tags, lines) for block_id, lines in by_block.items()
        )


def _hydrated(block_id: str, tags: BlockTags, chunks: Sequence[Mapping[str, object]]) -> str:
    lines = [BlockContext(block=block_id, tags=tags.global_tags).header or f"### Context Block: {block_id}", ""]
    for chunk in chunks:
        place, text = int(str(chunk["turn_id"])), str(chunk["text"])
        labels = [bracketed(rule.label) for rule in tags.section_rules if rule.governs(place, text)]
        lines.append(" ".join([*labels, on_one_line(text)]))
    return "\n".join(lines)


def _metadata(tags: BlockTags) -> Fields:
    rules = [
        {"start_turn": rule.start_turn, "end_turn": rule.end_turn, "rule": rule.rule} for rule in tags.section_rules
    ]
    return {"global_tags": list(tags.global_tags), "section_rules": rules}

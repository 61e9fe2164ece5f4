"""The manual gardener: facts become tags of a block, or of a range of its turns, or dossiers; context is said once.

Takes: an open memory. Gives: tags, facts and contexts as plain dictionaries. Never: a second reading of a stored turn,
or a block that is deleted: it is archived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dopejar.engine.dependencies import Reviewer
from dopejar.engine.garden.gardener import DescribedBlock as BridgeBlock
from dopejar.engine.memory import Memory
from dopejar.errors import InputError
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
        [_place(memory, block_id, str(rule["start_turn"])) for rule in section_rules],
        [_place(memory, block_id, str(rule["end_turn"])) for rule in section_rules],
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

        `text` and `source_turn_id` mean the same; turn ids that are no numbers are counted in their order. An installed
        reader tells what a fact is where the rules of ingest are not sure.

        Raises:
            InputError: a fact has no words.
        """
        given = self._memory.garden.given_facts([_words(fact) for fact in facts], _given_turns(facts))
        tags = tag_block(given, turns)
        left = [
            fields for fields, fact in zip(facts, given, strict=True) if any(fact is one for one in tags.other_facts)
        ]
        return {**_metadata(tags), "dossier_facts": left}

    def _group_facts_semantically(self, facts: Sequence[Mapping[str, object]]) -> list[Fields]:
        """Facts by the dossiers that they are in, or would be in: `label`, the title of the dossier, and `facts`."""
        names = [str(fact.get("fact_id") or _words(fact)) for fact in facts]
        groups: dict[str, Fields] = {}
        for fact, home in zip(facts, self._memory.dossiers.homes(names), strict=True):
            group = groups.setdefault(home.id, {"label": home.title, "facts": []})
            group["facts"] = [*_listed(group["facts"]), fact]
        return list(groups.values())

    def _load_bridge_block(self, block_id: str) -> BridgeBlock:
        """A block. Raises NotFoundError."""
        return self._memory.garden.block(block_id)

    def _delete_bridge_block(self, block_id: str) -> None:
        """End a block that is still going on, and archive it: it leaves the working set, its turns and tags stay."""
        self._memory.garden.process_bridge_block(block_id, ends=True)


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
        fields = fact if isinstance(fact, Mapping) else {"value": str(fact)}
        if fields.get("fact_id"):
            return [str(fields["fact_id"])]
        told = self._memory.remember(_words(fields), said_by=self._said_by)
        return [record.id for receipt in told.receipts for record in receipt.records]


class ContextAssembler:
    """Writes retrieved turns with the tags of their blocks, as a pack of `recall` does."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def hydrate_chunks_with_metadata(self, chunks: Sequence[Mapping[str, object]]) -> str:
        """Turns with `block_id`, `turn_id` and `text`, grouped by block, tags said once.

        A `turn_id` counts from 0 in the block, or is the id of a turn of it, here or in its source.

        Raises:
            NotFoundError: there is no such block. InputError: a turn lacks one of the three, or is not of the block.
        """
        by_block: dict[str, list[tuple[int, str]]] = {}
        for chunk in chunks:
            if missing := [name for name in ("block_id", "turn_id", "text") if chunk.get(name) is None]:
                raise InputError(f"A turn has no `{missing[0]}`. Give each turn `block_id`, `turn_id` and `text`.")
            block_id = str(chunk["block_id"])
            place = _place(self._memory, block_id, str(chunk["turn_id"]))
            by_block.setdefault(block_id, []).append((place, str(chunk["text"])))
        return "\n\n".join(
            _hydrated(block_id, self._memory.garden.block(block_id).tags, lines) for block_id, lines in by_block.items()
        )

    def _get_section_tag(self, turn_id: str | int, section_rules: Sequence[Mapping[str, object]]) -> str | None:
        """The first of these rules whose range holds a turn, counted from 0; None where none does."""
        rules = (
            rule
            for rule in section_rules
            if int(str(rule["start_turn"])) <= int(str(turn_id)) <= int(str(rule["end_turn"]))
        )
        return next((str(rule["rule"]) for rule in rules), None)


def _place(memory: Memory, block_id: str, turn_id: str) -> int:
    """The index of a turn in its block. Raises NotFoundError, InputError."""
    if turn_id.isdecimal():
        return int(turn_id)
    place = memory.garden.places(block_id).get(turn_id)
    if place is None:
        raise InputError(
            f"Block {block_id} has no turn {turn_id!r}. Give the index of the turn in the block, from 0, or its id."
        )
    return place


def _words(fact: Mapping[str, object]) -> str:
    """The words of a given fact. Raises InputError where it has none."""
    words = str(fact.get("value") or fact.get("text") or "").strip()
    if not words:
        raise InputError("A fact has no words. Give them as `value` or `text`.")
    return words


def _given_turns(facts: Sequence[Mapping[str, object]]) -> list[int]:
    """The turns of given facts, as indexes: as given, or else the places of their ids in the order of these."""
    ids = [str(fact.get("turn_id", fact.get("source_turn_id", 0))) for fact in facts]
    if all(one.isdecimal() for one in ids):
        return [int(one) for one in ids]
    places = {one: place for place, one in enumerate(sorted(set(ids)))}
    return [places[one] for one in ids]


def _listed(facts: object) -> list[object]:
    return list(facts) if isinstance(facts, Sequence) else []


def _hydrated(block_id: str, tags: BlockTags, chunks: Sequence[tuple[int, str]]) -> str:
    lines = [BlockContext(block=block_id, tags=tags.context_tags).header or f"### Context Block: {block_id}", ""]
    for place, text in chunks:
        labels = [bracketed(rule.label) for rule in tags.section_rules if rule.governs(place, text)]
        lines.append(" ".join([*labels, on_one_line(text)]))
    return "\n".join(lines)


def _metadata(tags: BlockTags) -> Fields:
    rules = [
        {"start_turn": rule.start_turn, "end_turn": rule.end_turn, "rule": rule.rule} for rule in tags.section_rules
    ]
    return {"global_tags": list(tags.global_tags), "section_rules": rules}

"""The garden on a whole memory: blocks, tags, archiving; the same however often, and by whatever way, it is done."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from whole_store import unlocked, write_conversation

from dopejar import Memory, NotFoundError, open_memory
from dopejar.engine.dependencies import Reviewer
from dopejar.engine.garden import BLOCKS
from dopejar.engine.garden.block_rows import blocks_of, put_blocks
from dopejar.errors import InputError, ReviewerRequiredError, StaleProposalError
from dopejar.seeds import (
    ContextAssembler,
    ManualGardener,
    fact_store,
    get_block_metadata,
    get_facts_for_block,
    save_block_metadata,
)
from dopejar.values.ids import ConversationId
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.scope import Namespace, ReadScope

KILN = [
    ("user", "I am using Python 3.9 for the kiln controller."),
    ("assistant", "Noted, the kiln controller runs under Python 3.9."),
    ("user", "The kiln controller reads a thermocouple on port 8443."),
    ("assistant", "Then read the thermocouple of the kiln every second."),
]
TAXES = [
    ("user", "New topic: the tax office. When I say the vault, I mean the archive server with the receipts."),
    ("assistant", "Understood: the vault is the archive server with the tax receipts."),
    ("user", "The tax office wants the receipts of the whole year."),
    ("assistant", "Collect the receipts of the year in the vault for the tax office."),
]
BEGAN = datetime(2024, 3, 4, 9, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A fresh memory that learned a conversation on two topics."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        learn(opened, [*KILN, *TAXES])
        yield opened


def learn(memory: Memory, talk: list[tuple[str, str]], name: str = "talk") -> None:
    """Learn a conversation, a minute a turn."""
    memory.add(
        [
            {"role": role, "content": text, "at": BEGAN + timedelta(minutes=place)}
            for place, (role, text) in enumerate(talk)
        ],
        conversation=name,
    )


def test_ended_blocks_are_tagged_and_archived(memory: Memory) -> None:
    """Two topics make two blocks; each has its own tags; both are archived, since nobody speaks any more."""
    report = memory.garden.tend()
    assert report.conversations == 1
    assert [result.status for result in report.results] == ["success"] * 2
    kiln, taxes = memory.garden.blocks()
    assert (kiln.turns, kiln.state, kiln.exit) == (4, "archived", "topic_shift")
    assert (taxes.turns, taxes.state, taxes.exit) == (4, "archived", "user_quit")
    assert "env: python-3.9" in kiln.tags.global_tags
    assert [(rule.start_turn, rule.end_turn, rule.rule) for rule in taxes.tags.section_rules] == [
        (0, 3, "archive server with the receipts=vault")
    ]
    assert "kiln" in kiln.keywords
    assert report.results[0].tags_applied == kiln.tags.count


def test_gardening_again_changes_nothing(memory: Memory) -> None:
    """The second run finds nothing due; gardening one block again gives the same result and writes nothing."""
    first = memory.garden.tend()
    with memory.store.read() as view:
        before = (view.head(), view.held_of(BLOCKS))
    assert memory.garden.tend().results == ()
    assert [memory.garden.process_bridge_block(result.block_id) for result in first.results] == list(first.results)
    with memory.store.read() as view:
        assert (view.head(), view.held_of(BLOCKS)) == before
    assert memory.garden.blocks() == memory.garden.blocks("talk")


def test_a_block_without_facts_gives_the_same_type(memory: Memory) -> None:
    """No facts, no tags, but archived."""
    learn(memory, [("user", "hm"), ("assistant", "Yes?")], "short")
    memory.garden.tend()
    (block,) = memory.garden.blocks("short")
    result = memory.garden.process_bridge_block(block.id)
    assert (result.status, result.facts_processed, result.tags_applied, result.dossiers_created) == ("success", 0, 0, 0)
    assert block.state == "archived"


def test_a_conversation_goes_on_after_it_was_gardened(memory: Memory) -> None:
    """What was gardened stays as it is; later turns have blocks of their own, whichever their topic."""
    memory.garden.tend()
    before = memory.garden.blocks()
    learn(memory, [*KILN, *TAXES, ("user", "Back to the kiln controller: the kiln is too hot.")])
    memory.garden.tend()
    after = memory.garden.blocks()
    assert [(block.id, block.turns) for block in after[:2]] == [(block.id, block.turns) for block in before]
    assert [block.turns for block in after] == [4, 4, 1]


def test_what_was_undone_is_no_tag(memory: Memory) -> None:
    """A withdrawn fact tags nothing; the block and its archiving stay."""
    memory.garden.tend()
    (block, _) = memory.garden.blocks()
    fact = next(fact for fact in memory.garden.facts(block.id) if "Python" in fact.text)
    act = memory.history(fact.record_id or "").states[0].act_id
    memory.undo(act, unlocked(memory))
    assert "env: python-3.9" not in memory.garden.block(block.id).tags.global_tags
    assert memory.garden.block(block.id).state == "archived"


def test_facts_name_their_turns(memory: Memory) -> None:
    """Each fact has the index of its turn in the block, the words there, and its record."""
    memory.garden.tend()
    for block in memory.garden.blocks():
        for fact in memory.garden.facts(block.id):
            assert 0 <= fact.turn < block.turns
            assert fact.snippet
            assert memory.get(fact.record_id or "").id == fact.record_id


def test_an_unknown_block_is_an_error(memory: Memory) -> None:
    """It says how to list the blocks."""
    with pytest.raises(NotFoundError, match="list --blocks"):
        memory.garden.process_bridge_block("b_nothing")


def test_two_gardeners_do_not_overwrite_each_other(memory: Memory) -> None:
    """A row that was written since is refused."""
    memory.garden.tend()
    conversation = ConversationId(memory.garden.blocks()[0].conversation)
    with memory.store.read() as view:
        row = blocks_of(view, conversation)
    with memory.store.write() as tx:
        put_blocks(tx, row)
    with pytest.raises(StaleProposalError), memory.store.write() as tx:
        put_blocks(tx, row)


def test_recall_says_once_what_a_block_is_about(memory: Memory) -> None:
    """Quotations of a gardened block stand under its tags; they are the same quotations as before."""
    question = "the thermocouple of the kiln controller"
    before = memory.recall(question)
    memory.garden.tend()
    after = memory.recall(question)
    quoted = [item.id for item in after.items if item.citations and item.source == "episode"]
    assert quoted
    assert "Active Rules" not in before.text
    heading = next(line for line in after.text.splitlines() if line.startswith("### Context Block: "))
    assert after.text.count("### Context Block: ") == 1
    assert "controller" in heading or "thermocouple" in heading
    assert "(b_" in heading
    assert after.text.count("Active Rules: [env: python-3.9]") == 1
    assert {item.id for item in before.items} == {item.id for item in after.items}
    assert after.tokens <= after.budget


def test_lines_under_a_name_have_its_meaning(memory: Memory) -> None:
    """The meaning of an alias is told once for the lines of its range."""
    memory.garden.tend()
    text = memory.recall("receipts of the year for the tax office").text
    assert text.count("[archive server with the receipts=vault]") == 1


def test_the_document_s_names_do_the_same(memory: Memory) -> None:
    """Results, metadata and facts as dictionaries; context grouped by block, tags once, labels on their lines."""
    memory.garden.tend()
    kiln, taxes = memory.garden.blocks()
    result = ManualGardener(memory).process_bridge_block(kiln.id)
    assert list(result) == ["status", "block_id", "facts_processed", "tags_applied", "dossiers_created"]
    assert get_block_metadata(memory, taxes.id)["section_rules"] == [
        {"start_turn": 0, "end_turn": 3, "rule": "archive server with the receipts=vault"}
    ]
    assert get_facts_for_block(memory, kiln.id)[0]["turn_id"] == 0
    chunks = [
        {"block_id": block.id, "turn_id": place, "text": text}
        for place in (0, 1)
        for block, text in ((kiln, "Read\nit."), (taxes, "Old API call"))
    ]
    tags = ", ".join(f"[{tag}]" for tag in kiln.tags.global_tags)
    assert ContextAssembler(memory).hydrate_chunks_with_metadata(chunks) == (
        f"### Context Block: {kiln.id}\nActive Rules: {tags}\n\nRead it.\nRead it.\n\n"
        f"### Context Block: {taxes.id}\n\n" + "\n".join(["[archive server with the receipts=vault] Old API call"] * 2)
    )


def test_the_document_s_heuristics_on_given_facts(memory: Memory) -> None:
    """Environment, constraint and definition become tags and rules; the rest is given back as it came."""
    facts = [
        {"value": "I am using Python 3.9", "turn_id": 0},
        {"value": "Never use eval()", "turn_id": 2},
        {"value": "Call the server Box A", "turn_id": 3},
        {"value": "I prefer dark mode", "turn_id": 4},
    ]
    assert ManualGardener(memory)._classify_facts_for_tagging(facts, ["."] * 9) == {
        "global_tags": ["env: python-3.9"],
        "section_rules": [
            {"start_turn": 2, "end_turn": 8, "rule": "no-eval"},
            {"start_turn": 3, "end_turn": 8, "rule": "server=Box A"},
        ],
        "dossier_facts": [facts[3]],
    }


def test_metadata_that_a_person_gives_is_stored_and_undone(memory: Memory) -> None:
    """What is saved is read back as it was; saving again replaces it; undoing that brings it back."""
    memory.garden.tend()
    kiln, _ = memory.garden.blocks()
    derived = get_block_metadata(memory, kiln.id)
    by = unlocked(memory)
    rules = [
        {"start_turn": 1, "end_turn": 2, "rule": "no-eval"},
        {"start_turn": 0, "end_turn": 1, "rule": "server=Box A"},
    ]
    save_block_metadata(memory, kiln.id, ["team: blue", "os: windows"], rules, by)
    saved = get_block_metadata(memory, kiln.id)
    assert set(saved["global_tags"]) == {*derived["global_tags"], "team: blue", "os: windows"}
    assert all(rule in saved["section_rules"] for rule in rules)
    assert json.loads(json.dumps(saved)) == saved
    save_block_metadata(memory, kiln.id, ["team: red"], [], by)
    assert set(get_block_metadata(memory, kiln.id)["global_tags"]) == {*derived["global_tags"], "team: red"}
    memory.undo(memory.log(1)[0].act_id, by)
    assert get_block_metadata(memory, kiln.id) == saved


def test_metadata_needs_a_reviewer_and_turns_that_exist(memory: Memory) -> None:
    """Nobody unlocked, or a rule beyond the block: an error that says so, and nothing is saved."""
    memory.garden.tend()
    kiln, _ = memory.garden.blocks()
    before = get_block_metadata(memory, kiln.id)
    with pytest.raises(ReviewerRequiredError):
        save_block_metadata(memory, kiln.id, ["team: blue"], [], Reviewer(name="ana"))
    late = [{"start_turn": 0, "end_turn": 99, "rule": "no-eval"}]
    with pytest.raises(InputError, match="not for 0 to 99"):
        save_block_metadata(memory, kiln.id, ["team: blue"], late, unlocked(memory))
    assert get_block_metadata(memory, kiln.id) == before


def test_one_hop_leads_from_words_to_the_fact_and_its_turn(memory: Memory) -> None:
    """Facts that hold all the words, none that lacks one; each names the turn in which it was said."""
    fact, *others = fact_store(memory, "python 3.9")
    assert others == []
    with memory.store.read() as view:
        (turn,) = view.episodes((fact["source_turn_id"],)).values()
    assert str(fact["evidence_snippet"]) in turn.text
    assert fact_store(memory, "python elephant") == []
    assert fact_store(memory, "") == []


def test_a_person_ends_a_block_by_hand(tmp_path: Path) -> None:
    """It is left alone while it is going on, ends only where that is asked for, and stays ended as more is said."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as memory:
        now = memory._deps.clock.now()
        said = [
            {"role": role, "content": text, "at": now - timedelta(minutes=4 - place)}
            for place, (role, text) in enumerate(KILN)
        ]
        memory.add(said, conversation="now")
        memory.garden.tend()
        (block,) = memory.garden.blocks()
        assert memory.garden.process_bridge_block(block.id).status == block.state == "active"
        ManualGardener(memory)._delete_bridge_block(block.id)
        ended = memory.garden.block(block.id)
        assert (ended.state, ended.exit) == ("archived", "manual")
        assert memory.garden.process_bridge_block(block.id, ends=True).status == "success"
        memory.add([{"role": "user", "content": "The kiln has cooled down.", "at": now}], conversation="now")
        memory.garden.tend()
        first, second = memory.garden.blocks()
        assert (first.state, first.exit, first.turns) == ("archived", "manual", len(KILN))
        assert (second.state, second.turns) == ("active", 1)


def test_maintenance_gardens_at_leisure(memory: Memory) -> None:
    """Blocks come by themselves where there is time for them, once; a command's own housekeeping makes none."""
    memory.maintenance.tidy()
    assert memory.garden.blocks() == ()
    assert memory.maintenance.maintain(budget_s=60).blocks == 2
    assert [block.state for block in memory.garden.blocks()] == ["archived"] * 2
    assert memory.maintenance.maintain().blocks == 0
    assert [turn.text for turn in memory.garden.turns(memory.garden.blocks()[1].id)] == [text for _, text in TAXES]


def test_tags_that_a_person_gave_are_no_memories(memory: Memory) -> None:
    """They are told with the lines of their block, and nowhere else; what they say is compared with nothing."""
    memory.garden.tend()
    kiln, _ = memory.garden.blocks()
    before = {record.text for record in memory.list()}, len(memory.dossiers.list(all_projects=True))
    rules: list[dict[str, object]] = [{"start_turn": 0, "end_turn": 3, "rule": "shutdown=Plan Heron"}]
    save_block_metadata(memory, kiln.id, ["site: Almere plant"], rules, unlocked(memory))
    assert ({record.text for record in memory.list()}, len(memory.dossiers.list(all_projects=True))) == before
    for question in ("Which site is it, the Almere plant?", "What is the shutdown called, Plan Heron?"):
        records = [item.text for item in memory.recall(question, all_projects=True).items if item.source == "record"]
        assert not {"site: Almere plant", "shutdown=Plan Heron"}.intersection(records)
    told = memory.recall("the thermocouple of the kiln controller").text
    assert told.count("[site: Almere plant]") == told.count("[shutdown=Plan Heron]") == 1
    memory.remember("The site is the Almere plant.")
    assert "site: Almere plant" in get_block_metadata(memory, kiln.id)["global_tags"]  # type: ignore[operator]


def test_listed_blocks_are_those_whose_words_may_be_found(tmp_path: Path) -> None:
    """In every project and namespace, the listing has the blocks and tags of turns that a search finds there."""
    home, environment = tmp_path / "home", {"DOPEJAR_EMBEDDER_KIND": "none"}
    words = {
        f"zq{project or 'nowhere'}{namespace}": (project, namespace)
        for project in ("", "alpha", "beta")
        for namespace in ("prod", "test")
    }
    for word, (project, namespace) in words.items():
        said = [(0, f"I use Python 3.9 for the {word} importer."), (1, f"The {word} importer is on port 7777.")]
        path = write_conversation(tmp_path, word, said)
        with open_memory(home, environment=environment, project=project or None) as memory:
            list(memory.learn(path, namespace=namespace))
    for project, namespace, every in itertools.product(("", "alpha", "beta"), ("prod", "test"), (False, True)):
        with open_memory(home, environment=environment, project=project or None) as memory:
            memory.garden.tend()
            listed = memory.garden.blocks(namespace=namespace, all_projects=every)
            text = json.dumps([[*one.keywords, one.summary, *one.tags.global_tags] for one in listed])
            seen = {word for word in words if word in text}
            inside = ReadScope.inside(memory.project, Namespace(namespace))
            where = SearchFilter(read_scope=replace(inside, all_projects=every), source=Source.EPISODE)
            with memory.store.read() as view:
                found = {word for word in words if view.lexical([word], where, 9)}
            there = {word for word, (of, kept) in words.items() if kept == namespace and (every or of in ("", project))}
            assert seen == found == there
            assert {len(memory.garden.blocks(word)) for word in words} == {
                1
            }  # whoever names a conversation asks for it


def test_tags_of_a_listing_keep_to_their_namespace(memory: Memory) -> None:
    """A turn that marks itself as a test gives its block no tag in the listing of everyday conversations."""
    learn(memory, [("user", "[test] I am using Python 2.7 for the sluice gate."), *KILN], "sluice")
    memory.garden.tend()
    tags = [tag for block in memory.garden.blocks() for tag in block.tags.global_tags]
    assert "env: python-3.9" in tags
    assert "env: python-2.7" not in tags

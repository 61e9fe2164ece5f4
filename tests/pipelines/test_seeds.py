"""The names of the design documents: there, loaded lazily, and without any power of their own."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from whole_store import unlocked

import dopejar.seeds
from dopejar import open_memory
from dopejar.errors import DopejarError, InputError, NotFoundError, ReviewerRequiredError, StaleProposalError
from dopejar.seeds import (
    ApprovalInterface,
    Bullet,
    CorrectionCluster,
    CorrectionManager,
    Curator,
    DecisionManager,
    Hemisphere,
    ProceduralMemory,
    ProfileManager,
    ProposalEngine,
    ProposalStorage,
    Reflector,
    SemanticAnalyzer,
    detect_project_name,
    on_session_end,
)

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
NAMES = dir(dopejar.seeds)
SESSION = [
    {"role": "user", "content": "Write a release note for the exporter."},
    {"role": "assistant", "content": "I wrote a page about the exporter, with its history and its authors."},
    {"role": "user", "content": "Too long. From now on, keep release notes to three lines."},
    {"role": "assistant", "content": "Shortened."},
]


@pytest.fixture
def memory(tmp_path):
    """A memory whose host speaks as a tool."""
    with open_memory(tmp_path, environment=QUIET, said_by="tool") as opened:
        yield opened


@pytest.mark.parametrize("name", NAMES)
def test_name_is_lazy_and_documented(name: str) -> None:
    """Each name is loaded when it is first used, and says what it is."""
    program = (
        f"import sys, dopejar.seeds; assert {name!r} not in vars(dopejar.seeds); assert 'dopejar.engine' not in "
        f"sys.modules; from dopejar.seeds import {name}"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert inspect.getdoc(getattr(dopejar.seeds, name))


def test_every_public_name_of_a_document_is_listed() -> None:
    """What the documents' modules offer is what can be imported; an unknown name is refused as Python does."""
    offered = set()
    for module in ("staging_area", "session_proposal", "ingestion_protocol", "manual_gardener", "architecture"):
        offered |= set(importlib.import_module(f"dopejar.seeds.{module}").__all__)
    assert offered == set(NAMES)
    with pytest.raises(AttributeError, match="Gardener"):
        _ = dopejar.seeds.Gardener


@pytest.mark.parametrize("name", ["ana", "admin", "auto ", "The User"])
def test_a_name_decides_nothing_and_is_recorded(memory, name: str) -> None:
    """Whoever is only named assigns, rejects and approves nothing; an episode says what they wanted."""
    staging = ProceduralMemory(memory)
    bullet = staging.add("Always verify the checksum before you unpack an archive.", Hemisphere.LEFT)
    before = memory.log(1)
    assert staging.assign_staged_bullet(bullet.id, Hemisphere.LEFT, reviewer=name) == bullet
    assert staging.reject_staged_bullet(bullet.id, "vague", reviewer=name) == bullet
    memory.add(SESSION, conversation="exporter")
    waiting = memory.review.waiting()
    assert on_session_end(memory, name, "exporter", ApprovalInterface(lambda _: "all", lambda _: None)) == ()
    assert memory.review.waiting() == waiting
    assert memory.log(1)[0].act_id != before[0].act_id  # the session was learned from
    with memory.store.read() as view:
        turns = [turn for row in view.conversations(9) for turn in view.turns(row.id)]
    notes = [turn for turn in turns if turn.speaker.strip() == name.strip()]
    assert len(notes) == 3
    assert all("not decided" in note.text for note in notes)
    memory.sessions.learn("decisions by name")
    assert memory.review.waiting() == waiting


def test_nobody_but_a_reviewer_rejects(memory) -> None:
    """The classifier assigns where the settings let it, and rejects nothing."""
    staging = ProceduralMemory(memory)
    bullet = staging.add("Always verify the checksum before you unpack an archive.")
    for refused in (
        lambda: staging.assign_staged_bullet(bullet.id, Hemisphere.LEFT),
        lambda: staging.reject_staged_bullet(bullet.id),
        lambda: staging.add_to_hemisphere("Check it twice.", "left", reviewer="ana"),
    ):
        with pytest.raises(ReviewerRequiredError):
            refused()
    assert [one.id for one in staging.list_staged()] == [bullet.id]


def test_a_reviewer_assigns_and_rejects(memory) -> None:
    """With a proven reviewer the staging area does what it says."""
    staging, by = ProceduralMemory(memory), unlocked(memory)
    first = staging.add("Always verify the checksum before you unpack an archive.")
    second = staging.add("Maybe explore what a colleague from sales would ask first.")
    assert staging.assign_staged_bullet(first.id, "left", by).side is Hemisphere.LEFT
    assert staging.reject_staged_bullet(second.id, "vague", by).status == "rejected"
    assert staging.list_staged() == ()


def test_a_created_bullet_is_not_kept(memory) -> None:
    """`Bullet.create` is a value; only `add` stages it."""
    bullet = Bullet.create("Check the seals.", bullet_type="checklist", tags=["valve"])
    assert (bullet.id, bullet.status, bullet.side) == ("", "staged", Hemisphere.STAGING)
    assert ProceduralMemory(memory).list_staged() == ()
    with pytest.raises(InputError):
        Bullet.create("Check the seals.", bullet_type="poem")


def test_reflector_reads_and_curator_stages(memory) -> None:
    """A failed command that another one repaired is an insight; curating it stages a bullet with that evidence."""
    turns = [
        ("tool_call", 'Bash {"command": "npm test"}', ""),
        ("tool_result", "Error: the lock file is stale", "failure"),
        ("tool_call", 'Bash {"command": "npm ci"}', ""),
        ("tool_result", "added 12 packages", "success"),
        ("tool_call", 'Bash {"command": "npm test"}', ""),
        ("tool_result", "12 passed", "success"),
    ]
    from dopejar import LiveTurn
    from dopejar.values.episode import EpisodeKind, Origin

    for number, (kind, text, outcome) in enumerate(turns):
        memory.observe(
            LiveTurn(
                conversation="build",
                source_id=str(number),
                text=text,
                kind=EpisodeKind(kind),
                origin=Origin.ASSISTANT if kind == "tool_call" else Origin.TOOL,
                tool="" if kind == "tool_call" else "Bash",
                outcome=outcome,
            )
        )
    (insight, *_) = Reflector(memory).reflect("build")
    assert ProceduralMemory(memory).list_staged() == ()
    (bullet, *_) = Curator(memory).curate("build")
    assert bullet.text == insight.text
    with pytest.raises(NotFoundError):
        Reflector(memory).reflect("nowhere")


@pytest.mark.parametrize(
    ("answer", "approved"),
    [
        ("all", [0, 1]), ("none", []), ("", []), ("1", [0]), ("2, 1", [1, 0]), ("1,1", [0]), ("3", []), ("0", []),
        ("1,x", []),
    ],
)  # fmt: skip
def test_answers_at_the_end_of_a_session(answer: str, approved: list[int]) -> None:
    """Numbers and `all` approve; an answer with anything else in it approves nothing."""
    wishes = ("Keep commit messages under ten words", "Never delete a migration")
    clusters = [CorrectionCluster(canonical=wish, variants=[wish], frequency=2) for wish in wishes]
    summary = ProposalEngine().generate_proposals(clusters)
    shown: list[str] = []
    ids = [proposal.id for proposal in summary.proposals]
    chosen = ApprovalInterface(lambda _: answer, shown.append).present_proposals(summary)
    assert chosen == [ids[place] for place in approved]
    assert all(any(proposal.content in line for line in shown) for proposal in summary.proposals)


def test_stored_is_what_was_shown(memory) -> None:
    """Approved proposals are in force; one whose words differ from what was shown, or of no queue, is refused."""
    memory.add(SESSION, conversation="exporter")
    by = unlocked(memory)
    summary = memory.sessions.end("exporter").summary
    (proposal,) = summary.proposals
    storage = ProposalStorage(memory, by)
    with pytest.raises(StaleProposalError):
        storage.store_approved([replace(proposal, content="Keep release notes to nine lines")], [proposal.id])
    with pytest.raises(NotFoundError):
        storage.store_approved([replace(proposal, id="prop-1")], ["prop-1"])
    assert storage.store_approved(summary.proposals, []) == ()
    assert memory.list() == ()
    storage.store_approved(summary.proposals, [proposal.id])
    lines = (*ProfileManager(memory).load_profile().lines, *CorrectionManager(memory).list_corrections())
    assert {line.text for line in lines} == {proposal.content}


def test_managers_remember_through_the_gate(tmp_path: Path) -> None:
    """Decisions and corrections that an agent adds wait; a decision of another project is refused."""
    with open_memory(tmp_path, project="birch", environment=QUIET, said_by="assistant") as memory:
        decided = DecisionManager(memory).add_decision("birch", "We use Postgres for the ledger.", "it has row locks")
        corrected = CorrectionManager(memory).add_correction("Never push to main.")
        assert not decided.took_effect
        assert corrected.waits
        with pytest.raises(InputError, match="atlas"):
            DecisionManager(memory).add_decision("atlas", "We use MySQL.")
        assert DecisionManager(memory).list_decisions() == ()


def test_small_names(tmp_path: Path) -> None:
    """No correction is no cluster, and a folder without a project has no project's name."""
    assert SemanticAnalyzer().cluster_corrections([]).clusters == ()
    (tmp_path / "atlas" / ".git").mkdir(parents=True)
    assert detect_project_name(tmp_path / "atlas") == "atlas"


def test_errors_are_of_our_tree(memory) -> None:
    """Wrong arguments of the names raise our errors as well."""
    staging = ProceduralMemory(memory)
    for wrong in (
        lambda: staging.add(None),
        lambda: staging.add("Check it.", "up"),
        lambda: staging.list_staged(review_priority="urgent"),
        lambda: staging.assign_staged_bullet("m_none", "left", "ana"),
        lambda: dopejar.seeds.MemoryOrchestrator(memory).add_memory(""),
        lambda: dopejar.seeds.classify_bullet_hemisphere("Check it.", "up"),
    ):
        with pytest.raises(DopejarError):
            wrong()

"""The session proposal: what the corrections of a session propose, shown to a person, and stored as they decided.

Takes: clusters of corrections, an open memory, and answers. Gives: proposals, and the memories that were stored. Never:
stores in a name that nobody proved: that is recorded, and the proposals go on waiting.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.compose import detect_project
from dopejar.engine.dependencies import Reviewer
from dopejar.engine.memory import Memory
from dopejar.errors import InputError
from dopejar.pipelines.corrections import (
    CorrectionCandidate,
    CorrectionCluster,
    MemoryProposal,
    ProposalEngine,
    SessionSummary,
    cluster,
)
from dopejar.seeds.unproven_reviewer import record_wish
from dopejar.values.ids import ProposalId
from dopejar.values.record import Record, Status

if TYPE_CHECKING:
    from dopejar.engine.queries.surveys import GuidanceLine, Profile
    from dopejar.engine.results import Remembered

__all__ = [
    "ApprovalInterface",
    "CorrectionCandidate",
    "CorrectionCluster",
    "CorrectionManager",
    "DecisionManager",
    "MemoryProposal",
    "ProfileManager",
    "ProposalEngine",
    "ProposalStorage",
    "SemanticAnalyzer",
    "SessionSummary",
    "detect_project_name",
    "on_session_end",
]

_SEVERITIES = {1: "critical", 2: "high", 3: "medium"}


@dataclass(frozen=True, kw_only=True, slots=True)
class AnalyzedCorrections:
    """The corrections of a session by what they ask for."""

    clusters: tuple[CorrectionCluster, ...]


class SemanticAnalyzer:
    """Puts corrections that ask for the same thing together."""

    def cluster_corrections(self, candidates: Sequence[CorrectionCandidate]) -> AnalyzedCorrections:
        """One cluster per wish, in the order of first mention."""
        return AnalyzedCorrections(clusters=cluster(candidates))


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")


class ApprovalInterface:
    """Shows proposals to a person at a terminal and collects what they approve."""

    def __init__(self, ask: Callable[[str], str] = input, show: Callable[[str], None] = _write) -> None:
        self._ask, self._show = ask, show

    def present_proposals(self, summary: SessionSummary) -> list[str]:
        """The ids of the proposals that the person names by number, or by `all`; none after any other answer."""
        if not summary.proposals:
            return []
        self._show(f"Session {summary.session_id}: {summary.total_corrections} corrections")
        for number, proposal in enumerate(summary.proposals, 1):
            for line in _lines(number, proposal):
                self._show(line)
        answer = self._ask("Approve (1,2,3, all or none): ").strip().casefold()
        ids = [proposal.id for proposal in summary.proposals]
        if answer == "all":
            return ids
        numbers = [part.strip() for part in answer.split(",")]
        if not all(number.isdecimal() and 0 < int(number) <= len(ids) for number in numbers):
            self._show("Nothing is approved.")
            return []
        return [ids[int(number) - 1] for number in dict.fromkeys(numbers)]


def _lines(number: int, proposal: MemoryProposal) -> list[str]:
    others = len(proposal.source_variants) - 1
    return [
        f"[{number}] {proposal.category} ({proposal.scope}, {_SEVERITIES.get(proposal.priority, 'medium')})",
        f"    {proposal.content}",
        f"    {proposal.rationale}",
        f'    said: "{proposal.source_variants[0]}"{f" and {others} alike" if others else ""}',
    ]


class ProposalStorage:
    """Stores the proposals of a session's end that a reviewer approved."""

    def __init__(self, memory: Memory, reviewer: Reviewer | str) -> None:
        self._memory, self._reviewer = memory, reviewer

    def store_approved(self, proposals: Sequence[MemoryProposal], approved_ids: Sequence[str]) -> tuple[Record, ...]:
        """Approve those of the proposals that were named; the memories that are in force then, each in its scope.

        They are approved only as long as they wait with the words that were shown. Where the reviewer is only a name,
        that is recorded and nothing is stored.

        Raises:
            NotFoundError: a proposal is none of the review queue. StaleProposalError: one changed since it was shown.
        """
        chosen = [proposal for proposal in proposals if proposal.id in approved_ids]
        if not chosen:
            return ()
        if isinstance(self._reviewer, str):
            record_wish(self._memory, self._reviewer, f"approve {', '.join(proposal.id for proposal in chosen)}")
            return ()
        items = [self._memory.review.show(proposal.id, past=False) for proposal in chosen]
        seen = {
            ProposalId(item.proposal.id): item.proposal.version
            for item, proposal in zip(items, chosen, strict=True)
            if item.text == proposal.content
        }
        receipts = self._memory.review.approve([proposal.id for proposal in chosen], self._reviewer, seen=seen)
        records = {record.id: record for receipt in receipts for record in receipt.records}
        return tuple(record for record in records.values() if record.status is Status.ACTIVE)


class ProfileManager:
    """How a person wants work done: a view of what is in force."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def load_profile(self) -> Profile:
        """Rules and preferences, in general and by programming language."""
        return self._memory.surveys.profile()


class DecisionManager:
    """The decisions of the project at hand."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def list_decisions(self) -> tuple[GuidanceLine, ...]:
        """What was decided in the project at hand, newest first."""
        return self._memory.surveys.decisions()

    def add_decision(self, project: str, decision: str, rationale: str = "", *, said_by: str = "") -> Remembered:
        """Remember a decision of the project at hand, with its reason; it waits where it directs the work.

        Raises:
            InputError: another project is at hand.
        """
        current = self._memory.project
        if current is None or project not in (current.id, current.label):
            raise InputError(f"The project {project!r} is not at hand. Open the memory with project={project!r}.")
        return self._memory.remember(_with_reason(decision, rationale), said_by=said_by)


class CorrectionManager:
    """What not to do, learned from corrections."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def list_corrections(self, limit: int | None = None) -> tuple[GuidanceLine, ...]:
        """What was corrected, most frequent first."""
        return self._memory.surveys.corrections(limit)

    def add_correction(self, pattern: str, note: str = "", *, said_by: str = "") -> Remembered:
        """Remember a correction, with a note about it; it waits for a reviewer. Its frequency is counted, not given."""
        return self._memory.remember(_with_reason(pattern, note), said_by=said_by)


def _with_reason(text: str, reason: str) -> str:
    return f"{text.rstrip(' .')}, because {reason.strip()}" if reason.strip() else text


def detect_project_name(path: Path | str = ".") -> str | None:
    """The name of the project that a directory belongs to; None where it belongs to none."""
    project = detect_project(Path(path))
    return project.label if project else None


def on_session_end(
    memory: Memory, reviewer: Reviewer | str, conversation: str = "", approval: ApprovalInterface | None = None
) -> tuple[Record, ...]:
    """End a session: learn from its corrections, show what they propose, and store what is approved.

    `conversation` is the last one where omitted. Raises NotFoundError where there is none.
    """
    summary = memory.sessions.end(conversation).summary
    approved = (approval or ApprovalInterface()).present_proposals(summary)
    return ProposalStorage(memory, reviewer).store_approved(summary.proposals, approved)

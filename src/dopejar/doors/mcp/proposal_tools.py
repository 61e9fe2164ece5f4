"""The tools that propose: remember, correct, forget, feedback.

Takes: the arguments of a call, and which client calls. Gives: what was proposed, and what happens next. Never: decides;
whatever comes in here is said by an agent, and waits for a person, who may be asked by the client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from dopejar.doors.mcp.elicited_approval import Client, ElicitedApprovals, OfCorrection, OfWords, client_name
from dopejar.doors.mcp.read_tools import MemoryName
from dopejar.engine.dependencies import Speaker
from dopejar.engine.queries.agent_answers import HOW_TO_READ, NOTES, answer_forget, answer_remember
from dopejar.engine.queries.agent_rows import Feedback, Proposed
from dopejar.errors import InputError, NotFoundError
from dopejar.values.episode import Origin
from dopejar.values.record import Kind

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.values.record import Record

DryRun = Annotated[bool, Field(description="Only say what would be proposed; write nothing.")]


class ProposalTools:
    """The tools that propose to one memory. Thread-safe, as the memory is."""

    def __init__(self, memory: Memory, approvals: ElicitedApprovals) -> None:
        self._memory, self._approvals = memory, approvals

    def remember(
        self,
        text: Annotated[str, Field(min_length=1, description="Plain sentences, each true by itself.")],
        client: Client,
        approval: OfWords,
        tags: Annotated[tuple[str, ...], Field(max_length=20, description="`test` keeps it apart.")] = (),
        *,
        dry_run: DryRun = False,
        reading: Annotated[dict[str, str] | None, Field(description=HOW_TO_READ)] = None,
    ) -> Proposed:
        """Propose a fact, preference, rule or decision that the user wants remembered or says holds from now on.

        It is kept as your words, and waits until a person approves it. Never put secrets into it.
        """
        result = self._memory.remember(text, speaker=_speaker(client), tags=tags, dry_run=dry_run, reading=reading)
        return self._approvals.settle(client, approval, answer_remember(result, dry_run=dry_run))

    def propose_correction(
        self,
        id: MemoryName,  # noqa: A002 - the name that other tools give it
        text: Annotated[str, Field(min_length=1, description="What is right: the whole statement, not the change.")],
        client: Client,
        approval: OfCorrection,
        *,
        dry_run: DryRun = False,
    ) -> Proposed:
        """Propose what is right in place of a memory that the user contradicts. A person decides."""
        result = self._memory.update(id, text, speaker=_speaker(client), dry_run=dry_run)
        given = answer_remember(result.remembered, result.removal, dry_run=dry_run)
        return self._approvals.settle(client, approval, given, instead_of=id)

    def forget(
        self,
        what: Annotated[
            str,
            Field(
                min_length=1, max_length=1_000, description="A memory's id (m_...) or key, or the words it is about."
            ),
        ],
        client: Client,
        *,
        dry_run: DryRun = False,
    ) -> Proposed:
        """Propose to take memories out of use and erase their words, when the user asks. A person decides.

        Words mean every memory that holds all of them: look first with `dry_run`.
        """
        named = self._memory.review.about(what)
        if not named:
            raise NotFoundError(
                f"No memory in use has the id or key {what!r} or holds all of its words. Find it with memory_search and"
                " give its id."
            )
        receipts = () if dry_run else self._memory.review.forget(what, speaker=_speaker(client))
        return answer_forget(named, receipts, dry_run=dry_run)

    def feedback(
        self,
        id: MemoryName,  # noqa: A002 - the name that other tools give it
        outcome: Annotated[Literal["helpful", "harmful"], Field(description="How using it turned out.")],
        client: Client,
        evidence: Annotated[
            str, Field(max_length=10_000, description="What shows it, in words, or the id of a turn (e_...).")
        ] = "",
        *,
        dry_run: DryRun = False,
    ) -> Feedback:
        """Report that a memory helped: you cited it or acted on it. Of a bullet (advice on how to work), also harm.

        Uses count at once. Of a bullet, your word waits for a person; the result of a tool, named by its turn, counts.
        """
        record = self._memory.get(id)
        if record.kind is not Kind.BULLET:
            return self._use(record, outcome, dry_run=dry_run)
        before = self._memory.bullets.bullet(id)
        bullet = self._memory.bullets.record_outcome(id, outcome, evidence, speaker=_speaker(client), dry_run=dry_run)
        counted = (before.helpful_count, before.harmful_count) != (bullet.helpful_count, bullet.harmful_count)
        waits = "It is not counted: it waits for a person, or was counted before."
        return Feedback(
            id=bullet.id,
            text=bullet.text,
            status=bullet.status.value,
            helpful=bullet.helpful_count,
            harmful=bullet.harmful_count,
            counted=counted,
            note=NOTES["dry run"] if dry_run else ("" if counted else waits),
        )

    def _use(self, record: Record, outcome: str, *, dry_run: bool) -> Feedback:
        if outcome == "harmful":
            raise InputError("Only a bullet can do harm. If this memory is wrong, call memory_propose_correction.")
        counted = not dry_run and self._memory.note_used([record.id])
        return Feedback(
            id=record.id,
            text=record.text,
            status=record.status.value,
            helpful=record.helpful_count,
            harmful=record.harmful_count,
            counted=counted,
            note=NOTES["dry run"] if dry_run else ("" if counted else "The memory is busy or read-only: not counted."),
        )


def _speaker(client: Client) -> Speaker:
    """The agent behind a client: its name is what the client says, so it is marked and can be no reviewer's."""
    name = client_name(client)
    return Speaker(origin=Origin.ASSISTANT, name=f"mcp:{name}" if name else "mcp")

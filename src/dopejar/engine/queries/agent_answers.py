"""Values of the engine as the rows that agents are given.

Takes: packs, histories, findings, receipts, and a memory for its pages. Gives: rows, and a sentence that says what
happens next. Never: decides, or adds to what the values say.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from dopejar.engine.queries.agent_rows import (
    BrokenRule,
    Change,
    CheckResult,
    EvidenceRow,
    Found,
    MemoryHistory,
    MemoryPage,
    MemoryRow,
    ProposalRow,
    Proposed,
    Recalled,
    RecalledItem,
    ReviewPage,
    SearchResult,
    WaitingProposal,
)
from dopejar.errors import InputError
from dopejar.values.dates import parse_moment

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.engine.memory import Memory
    from dopejar.engine.queries.tool_checks import CheckFinding
    from dopejar.engine.results import History, Remembered, ReviewItem
    from dopejar.values.recall import ContextPack, PackItem
    from dopejar.values.receipt import Receipt
    from dopejar.values.record import Record

NOTHING: Final = "Nothing in memory matches. Ask once more in other words, or say that you do not know; do not guess."
TOO_LARGE: Final = "Something matches and does not fit into the budget. Use a larger one."
HOW_TO_READ: Final = (
    "Your reading: `subject` and `value` in words of the text, `attribute` (1 to 3 words), `key` (Server-Config-Port)."
)
HOW_TO_DECIDE: Final = (
    "None of this is believed yet: do not act on it. A person decides with `dopejar review` or on the page of "
    "`dopejar serve`; you cannot."
)
WAITS: Final = (
    "It waits for a person, who decides with `dopejar review` or on the page of `dopejar serve`. Until then nothing "
    "has changed: tell the user that it waits."
)
APPROVED: Final = "A person approved it here: it is believed from now on."
NOTES: Final = {
    "waits": WAITS,
    "unchanged": "It is known, or waits already. Nothing was changed.",
    "refused": "It was refused, for the reasons given. Do not try again in other words.",
    "nothing learned": "No statement in it can be learned. Say it as one plain sentence: who or what, and what is so.",
    "off the record": "It was asked not to be kept, and was not.",
    "dry run": "Dry run: nothing was written.",
}
_NO_BUDGET: Final = 1_000_000  # tokens
_SHOWN_STAGES: Final = ("extract", "integrity", "gate")
RECORD_URI: Final = "dopejar://record/"
EPISODE_URI: Final = "dopejar://episode/"


def moment_named(text: str) -> datetime | None:
    """The time that a date means; None for an empty one. Raises InputError."""
    if not text.strip():
        return None
    try:
        return parse_moment(text.strip())
    except ValueError:
        raise InputError(f"as_of needs a date such as 2026-03-15 or 2026-03-15T18:00+01:00, not {text!r}.") from None


def iso(moment: datetime | None) -> str:
    """A time in ISO form; "" for none."""
    return moment.isoformat() if moment else ""


def uri_of(name: str) -> str:
    """The URI of a memory or a turn."""
    return f"{EPISODE_URI if name.startswith('e_') else RECORD_URI}{name}"


def memory_row(record: Record) -> MemoryRow:
    """A record as a row."""
    return MemoryRow(
        id=record.id,
        kind=record.kind.value,
        text=record.text,
        status=record.status.value,
        scope=str(record.scope),
        key=record.key,
        trust=record.trust,
        valid_from=iso(record.valid_from),
        valid_to=iso(record.valid_to),
        approved_by=record.approved_by,
    )


def search_row(item: PackItem) -> Found:
    """An item of recall as a search result."""
    return Found(
        id=item.id,
        kind=item.kind,
        text=item.text,
        status=item.status,
        score=round(item.score, 3),
        said_by=item.citations[-1].origin.value if item.citations else "",
        at=iso(item.at),
        marks=list(item.marks),
    )


def waiting_proposal_row(item: ReviewItem) -> WaitingProposal:
    """A waiting proposal as a row."""
    proposal = item.proposal
    return WaitingProposal(
        id=proposal.id,
        action=proposal.action.value,
        text=item.text,
        memories=[target.record_id for target in proposal.record_targets],
        contradicts=[record.text for record in item.contradicts],
        proposed_by=proposal.proposer,
        at=iso(proposal.at),
        reason=proposal.rationale,
    )


def search_pack(
    memory: Memory, query: str, limit: int, kind: str | None = None, *, records_only: bool, all_projects: bool = False
) -> ContextPack:
    """What a search finds: limited by the number of items, not by tokens."""
    kinds = (kind,) if kind else ()
    return memory.recall(
        query, budget=_NO_BUDGET, limit=limit, kinds=kinds, records_only=records_only, all_projects=all_projects
    )


def answer_search(pack: ContextPack) -> SearchResult:
    """A pack as the result of a search."""
    return SearchResult(items=[search_row(item) for item in pack.items], note=note_of(pack))


def memory_page(
    memory: Memory, kind: str | None, status: str, key: str, limit: int, after: str, *, all_projects: bool
) -> MemoryPage:
    """A page of memories, newest first, after the one that is named."""
    rows = memory.list(
        limit=limit + 1,
        after=memory.get(after) if after else None,
        kinds=(kind,) if kind else (),
        statuses=(status,),
        key=key,
        all_projects=all_projects,
    )
    next_after = rows[limit - 1].id if len(rows) > limit else ""
    return MemoryPage(memories=[memory_row(row) for row in rows[:limit]], next_after=next_after)


def review_page(memory: Memory, limit: int, offset: int) -> ReviewPage:
    """A page of what waits for a person."""
    items = memory.review.queue(limit=limit, offset=offset)
    note = HOW_TO_DECIDE if items else "Nothing waits for review."
    proposals = [waiting_proposal_row(item) for item in items]
    return ReviewPage(waiting=memory.review.waiting(), proposals=proposals, note=note)


def proposal_rows(receipts: Iterable[Receipt]) -> list[ProposalRow]:
    """Receipts as rows."""
    return [
        ProposalRow(
            proposal=receipt.proposal_id,
            outcome=receipt.outcome,
            memory=receipt.records[0].id if receipt.records else "",
            text=receipt.records[0].text if receipt.records else receipt.text,
            reason=receipt.reason,
        )
        for receipt in receipts
    ]


def answer_recall(pack: ContextPack) -> Recalled:
    """A context pack with its items by number."""
    items = [
        RecalledItem(
            number=number,
            id=item.id,
            kind=item.kind,
            status=item.status,
            marks=list(item.marks),
            turns=[citation.episode_id for citation in item.citations],
        )
        for number, item in enumerate(pack.items, 1)
    ]
    return Recalled(
        text=pack.text, items=items, tokens=pack.tokens, budget=pack.budget, left_out=pack.left_out, note=note_of(pack)
    )


def note_of(pack: ContextPack) -> str:
    """Why a pack is empty; "" where it is not."""
    if pack.items:
        return ""
    return TOO_LARGE if pack.left_out else NOTHING


def memory_history(known: History) -> MemoryHistory:
    """The history of a memory as rows."""
    evidence = [
        EvidenceRow(
            turn=row.episode_id,
            conversation=turn.conversation if turn else "",
            at=iso((turn or row).at),  # when it was said, not from when on it holds
            speaker=turn.speaker if turn else "",
            said_by=turn.origin.value if turn else "",
            role=row.role.value,
            quote=row.wording,
        )
        for row, turn in known.evidence
    ]
    changes = [
        Change(
            act=entry.act_id,
            at=iso(entry.at),
            action=entry.action,
            proposed_by=entry.proposer,
            approved_by=entry.approver,
        )
        for entry in known.entries
    ]
    return MemoryHistory(
        memory=memory_row(known.record),
        versions=[memory_row(record) for record in known.versions],
        evidence=evidence,
        changes=changes,
    )


def check_result(findings: Iterable[CheckFinding]) -> CheckResult:
    """What a check of a tool call found."""
    broken = [
        BrokenRule(
            memory=finding.record_id,
            rule=finding.rule,
            message=finding.message,
            found=finding.found,
            approved_by=finding.approved_by,
            said=[source.text for source in finding.said_in],
        )
        for finding in findings
    ]
    note = "Ask the user first." if broken else "No rule that can be checked forbids the call. Others are advice."
    return CheckResult(decision="ask" if broken else "none", broken_rules=broken, note=note)


def answer_remember(result: Remembered, beside: Iterable[Receipt] = (), *, dry_run: bool) -> Proposed:
    """What became of words that were to be remembered, and of receipts `beside` them."""
    outcome = "dry run" if dry_run else result.outcome
    rows = [*proposal_rows(result.receipts), *proposal_rows(beside)]
    if dry_run:
        rows = [
            ProposalRow(proposal="", outcome="dry run", memory="", text="", reason=f"{stage.name}: {stage.detail}")
            for stage in result.stages
            if stage.name in _SHOWN_STAGES
        ]
    notes = [result.redaction_note, "" if result.redaction_note and not rows else NOTES.get(outcome, "")]
    notes += [f'Kept: "{record.text}".' for receipt in result.receipts for record in receipt.kept]
    note = " ".join(filter(None, notes))
    return Proposed(outcome=outcome, proposals=rows, left_out=list(result.left_out), note=note)


def answer_forget(named: Iterable[Record], receipts: Iterable[Receipt], *, dry_run: bool) -> Proposed:
    """What became of a wish to forget memories."""
    rows = [
        ProposalRow(proposal="", outcome="dry run", memory=record.id, text=record.text, reason="") for record in named
    ]
    outcome = "dry run"
    if not dry_run:
        rows = proposal_rows(receipts)
        outcome = "waits" if any(row["outcome"] == "staged" for row in rows) else "unchanged"
    return Proposed(outcome=outcome, proposals=rows, left_out=[], note=NOTES[outcome])

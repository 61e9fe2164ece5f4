"""What agents are given over MCP and REST: typed dictionaries, from which the schemas of both are made.

Takes: nothing. Gives: types of plain JSON. Never: a value that a client has to know our classes for.
"""

from __future__ import annotations

from typing import Literal

# pydantic reads these classes, and before Python 3.12 it cannot read those of `typing`
from typing_extensions import TypedDict

KindName = Literal["fact", "preference", "rule", "constraint", "decision", "correction", "alias", "bullet", "pattern"]
StatusName = Literal["active", "staged", "quarantined", "superseded", "deprecated", "rejected", "expired", "retracted"]


class RecalledItem(TypedDict):
    """One line of the recalled text, by its number there; `turns` are the ids of the turns that it rests on."""

    number: int
    id: str
    kind: str
    status: str
    marks: list[str]
    turns: list[str]


class Recalled(TypedDict):
    """The recalled text, as recall packs it under the budget, and the items in it."""

    text: str
    items: list[RecalledItem]
    tokens: int
    budget: int
    left_out: int
    note: str


class Found(TypedDict):
    """One memory (`m_`) or quoted turn (`e_`) that a search found. `said_by` says whose words they are."""

    id: str
    kind: str
    text: str
    status: str
    score: float
    said_by: str
    at: str
    marks: list[str]


class SearchResult(TypedDict):
    """What a search found, best first."""

    items: list[Found]
    note: str


class MemoryRow(TypedDict):
    """One memory. `trust` says how far its origin is believed, from 0 to 1."""

    id: str
    kind: str
    text: str
    status: str
    scope: str
    key: str
    trust: float
    valid_from: str
    valid_to: str
    approved_by: str


class MemoryPage(TypedDict):
    """A page of memories, newest first; `next_after` is "" on the last page."""

    memories: list[MemoryRow]
    next_after: str


class EvidenceRow(TypedDict):
    """A quotation that a memory rests on, with the turn that it stands in."""

    turn: str
    conversation: str
    at: str
    speaker: str
    said_by: str
    role: str
    quote: str


class Change(TypedDict):
    """One entry of the ledger about a memory."""

    act: str
    at: str
    action: str
    proposed_by: str
    approved_by: str


class MemoryHistory(TypedDict):
    """A memory with the versions of its concept, its evidence, and the changes that were made to it."""

    memory: MemoryRow
    versions: list[MemoryRow]
    evidence: list[EvidenceRow]
    changes: list[Change]


class WaitingProposal(TypedDict):
    """A proposal that waits for a person.

    `memories` are the ids of those that it would change, `contradicts` the words of those that its approval retires.
    """

    id: str
    action: str
    text: str
    memories: list[str]
    contradicts: list[str]
    proposed_by: str
    at: str
    reason: str


class ReviewPage(TypedDict):
    """A page of the review queue, and how many proposals wait in all."""

    waiting: int
    proposals: list[WaitingProposal]
    note: str


class ProposalRow(TypedDict):
    """What became of one proposal: staged (it waits), refused, unchanged, ..., with the reason."""

    proposal: str
    outcome: str
    memory: str
    text: str
    reason: str


class Proposed(TypedDict):
    """What became of a request to change the memory: `outcome` in one word, and what happens next in one sentence."""

    outcome: str
    proposals: list[ProposalRow]
    left_out: list[str]
    note: str


class BrokenRule(TypedDict):
    """An approved rule that a tool call would break, with the words of the call that break it."""

    memory: str
    rule: str
    message: str
    found: str
    approved_by: str
    said: list[str]


class CheckResult(TypedDict):
    """`decision` is `ask` where a person has to be asked before the call, else `none`."""

    decision: str
    broken_rules: list[BrokenRule]
    note: str


class Feedback(TypedDict):
    """A memory and its outcomes as they stand now; `counted` says whether this one counts already."""

    id: str
    text: str
    status: str
    helpful: int
    harmful: int
    counted: bool
    note: str


class Hit(TypedDict):
    """One result of `search`, for `fetch`."""

    id: str
    title: str
    url: str


class Hits(TypedDict):
    """The results of `search`."""

    results: list[Hit]


class Document(TypedDict):
    """One memory or turn in full."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]

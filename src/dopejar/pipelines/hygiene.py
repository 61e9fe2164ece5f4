"""Hygiene of a store: duplicates, junk, stale memories, secrets, recall loops.

Takes: records, and predicates for secrets and injected texts. Gives: findings and a score from 0 to 1. Never: changes
or removes a record.

The criteria for junk are independent of the rules of ingest: they look at the finished text only.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from dopejar.text.similarity import similar
from dopejar.text.words import query_terms, words
from dopejar.values.ids import RecordId
from dopejar.values.record import Kind, Record

STALE_AFTER = timedelta(days=180)
DUPLICATE_FROM = 0.85
_MOST_EXAMPLES = 10
_COMMON_TERM = 50  # a term in more records than this does not indicate a duplicate
_LEAST_WORDS = 3
_LONGEST = 400
_SYMBOLS = re.compile(r"[{}<>;=|\\^~]")
_DANGLING_OPENERS = frozenset(
    ["it", "that", "this", "these", "those", "they", "he", "she", "here", "there", "so", "and", "but", "or", "then"]
)


class HygieneIssue(StrEnum):
    """What can be wrong with a memory."""

    DUPLICATE = "duplicate"
    JUNK = "junk"
    STALE = "stale"
    SECRET = "secret"  # noqa: S105 - the name of a finding
    RECALL_LOOP = "recall_loop"


WEIGHTS = {
    HygieneIssue.DUPLICATE: 1.0,
    HygieneIssue.JUNK: 1.0,
    HygieneIssue.STALE: 0.25,
    HygieneIssue.SECRET: 3.0,
    HygieneIssue.RECALL_LOOP: 2.0,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One issue of one memory; `other` is the memory that a duplicate repeats."""

    stain: HygieneIssue
    record_id: RecordId
    text: str
    why: str
    other: RecordId | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Hygiene:
    """The number of records with each issue, examples, and the score: 1 is clean."""

    records: int
    counts: dict[HygieneIssue, int]
    examples: tuple[Finding, ...]
    score: float

    def share(self, issue: HygieneIssue) -> float:
        """The share of the records with this issue, from 0 to 1."""
        return self.counts.get(issue, 0) / self.records if self.records else 0.0

    def shares(self) -> tuple[tuple[str, int, float], ...]:
        """Every issue with the number of records that have it, and their share."""
        return tuple((issue.value, self.counts.get(issue, 0), self.share(issue)) for issue in HygieneIssue)


def inspect(
    records: Sequence[Record],
    now: datetime,
    *,
    has_secret: Callable[[str], bool] = lambda _text: False,
    was_injected: Callable[[Record], bool] = lambda _record: False,
) -> Hygiene:
    """Findings over active records.

    Score = 1 - (sum over issues of weight x share), at least 0; `WEIGHTS` has the weights.
    """
    findings = duplicates(records)
    for record in records:
        reasons = {
            HygieneIssue.JUNK: junk_reason(record),
            HygieneIssue.STALE: stale_reason(record, now),
            HygieneIssue.SECRET: "contains what looks like a secret" if has_secret(record.text) else "",
            HygieneIssue.RECALL_LOOP: _loop_reason(record, was_injected),
        }
        findings += [
            Finding(stain=issue, record_id=record.id, text=record.text, why=why)
            for issue, why in reasons.items()
            if why
        ]
    counts = Counter(issue for issue, _ in {(finding.stain, finding.record_id) for finding in findings})
    loss = sum(WEIGHTS[issue] * count for issue, count in counts.items()) / max(len(records), 1)
    examples: list[Finding] = []
    for issue in HygieneIssue:
        examples += [finding for finding in findings if finding.stain is issue][:_MOST_EXAMPLES]
    return Hygiene(
        records=len(records), counts=dict(counts), examples=tuple(examples), score=round(max(0.0, 1 - loss), 4)
    )


def _loop_reason(record: Record, was_injected: Callable[[Record], bool]) -> str:
    """A memory whose text recall had returned before it was made; one that recall returned later is only in use."""
    return "repeats what recall returned" if record.access_count <= 1 and was_injected(record) else ""


def duplicates(records: Sequence[Record]) -> list[Finding]:
    """Memories that repeat an earlier one in the same scope: similar words, same values, same polarity."""
    terms = {record.id: frozenset(query_terms(record.text)) for record in records}
    records_by_term: dict[str, list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda record: (record.valid_from, record.id)):
        for term in terms[record.id]:
            records_by_term[term].append(record)
    findings: dict[RecordId, Finding] = {}
    for first, second in _candidate_pairs(records_by_term.values(), terms):
        if second.id in findings or _where(first) != _where(second):
            continue
        likeness = similar(first.text, second.text)
        is_near = likeness.lexical >= DUPLICATE_FROM and likeness.same_values and likeness.same_polarity
        if likeness.same_meaning or is_near:
            findings[second.id] = Finding(
                stain=HygieneIssue.DUPLICATE,
                record_id=second.id,
                text=second.text,
                why=f"says the same as {first.text!r}",
                other=first.id,
            )
    return list(findings.values())


def _where(record: Record) -> tuple[object, ...]:
    return (record.namespace, record.scope, record.side)


def _candidate_pairs(
    groups: Iterable[list[Record]], terms: dict[RecordId, frozenset[str]]
) -> Iterable[tuple[Record, Record]]:
    """Pairs that share at least half of the terms of the shorter text, each once."""
    seen: set[tuple[RecordId, RecordId]] = set()
    for group in groups:
        if len(group) > _COMMON_TERM:
            continue
        for place, first in enumerate(group):
            for second in group[place + 1 :]:
                pair = (first.id, second.id)
                if pair in seen:
                    continue
                seen.add(pair)
                first_terms, second_terms = terms[first.id], terms[second.id]
                if 2 * len(first_terms & second_terms) >= min(len(first_terms), len(second_terms)):
                    yield first, second


def junk_reason(record: Record) -> str:
    """Why a text is no use as a memory: too short, too long, a question, a dangling reference, or code; else ""."""
    text = record.text.strip()
    text_words = words(text)
    first = text_words[0].lower() if text_words else ""
    if len(text_words) < _LEAST_WORDS and record.kind is not Kind.ALIAS:
        return "too short to mean anything later"
    if len(text) > _LONGEST:
        return "a passage, not a statement"
    if text.endswith("?"):
        return "a question"
    if first in _DANGLING_OPENERS:
        return f"begins with {first!r}, which refers to something outside the text"
    return "mostly symbols" if len(_SYMBOLS.findall(text)) * 12 > len(text) else ""


def stale_reason(record: Record, now: datetime) -> str:
    """Why a memory is stale: not pinned, and neither used nor repeated for half a year; else ""."""
    last_used = max(record.last_accessed_at or record.created_at, record.created_at)
    if record.pinned or now - last_used < STALE_AFTER:
        return ""
    return f"not used for {(now - last_used).days} days"

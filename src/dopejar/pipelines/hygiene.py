"""How clean a store is: duplicates, junk, stale memories, secrets, recall loops.

Takes: records and what is known about them. Gives: findings and a score from 0 to 1. Never: changes or removes any.

The marks of junk are written apart from the rules that make memories: they look at the finished text alone.
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
_COMMON = 50  # a term in more records than this says little about whether two are the same
_LEAST_WORDS = 3
_LONGEST = 400
_SYMBOLS = re.compile(r"[{}<>;=|\\^~]")
_POINTING = frozenset(
    ["it", "that", "this", "these", "those", "they", "he", "she", "here", "there", "so", "and", "but", "or", "then"]
)


class HygieneIssue(StrEnum):
    """What can be wrong with a memory."""

    DUPLICATE = "duplicate"
    JUNK = "junk"
    STALE = "stale"
    SECRET = "secret"  # noqa: S105 - the name of a finding
    RECALL_LOOP = "recall_loop"


WEIGHTS = {HygieneIssue.DUPLICATE: 1.0, HygieneIssue.JUNK: 1.0, HygieneIssue.STALE: 0.25, HygieneIssue.SECRET: 3.0, HygieneIssue.RECALL_LOOP: 2.0}


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One stained memory; `other` is the memory it repeats, where it repeats one."""

    stain: HygieneIssue
    record_id: RecordId
    text: str
    why: str
    other: RecordId | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Hygiene:
    """The share of stained memories by stain, examples of each, and the score: 1 is clean."""

    records: int
    counts: dict[HygieneIssue, int]
    examples: tuple[Finding, ...]
    score: float

    def share(self, stain: HygieneIssue) -> float:
        """The stained share of the records, 0 to 1."""
        return self.counts.get(stain, 0) / self.records if self.records else 0.0

    def shares(self) -> tuple[tuple[str, int, float], ...]:
        """Every stain with the number of stained records and their share."""
        return tuple((stain.value, self.counts.get(stain, 0), self.share(stain)) for stain in HygieneIssue)


def inspect(
    records: Sequence[Record],
    now: datetime,
    *,
    has_secret: Callable[[str], bool] = lambda _text: False,
    was_injected: Callable[[Record], bool] = lambda _record: False,
) -> Hygiene:
    """Findings over active records.

    Score = 1 - (sum over stains of weight x share), at least 0; the weights stand in `WEIGHTS`.
    """
    found = [
        *duplicates(records),
        *(junk(one) for one in records),
        *(stale(one, now) for one in records),
        *(_if(has_secret(one.text), HygieneIssue.SECRET, one, "holds what looks like a secret") for one in records),
        *(_if(_looped(one, was_injected), HygieneIssue.RECALL_LOOP, one, "repeats what recall returned") for one in records),
    ]
    findings = [one for one in found if one is not None]
    counts = Counter(one.stain for one in {(f.stain, f.record_id): f for f in findings}.values())
    loss = sum(WEIGHTS[stain] * many for stain, many in counts.items()) / max(len(records), 1)
    examples: list[Finding] = []
    for stain in HygieneIssue:
        examples += [one for one in findings if one.stain is stain][:_MOST_EXAMPLES]
    return Hygiene(
        records=len(records), counts=dict(counts), examples=tuple(examples), score=round(max(0.0, 1 - loss), 4)
    )


def _if(holds: bool, stain: HygieneIssue, record: Record, why: str) -> Finding | None:  # noqa: FBT001 - a test's own outcome
    return Finding(stain=stain, record_id=record.id, text=record.text, why=why) if holds else None


def _looped(record: Record, was_injected: Callable[[Record], bool]) -> bool:
    """A memory whose words recall had returned before it was made; one that recall returned later is only in use."""
    return record.access_count <= 1 and was_injected(record)


def duplicates(records: Sequence[Record]) -> list[Finding]:
    """Later memories that say nearly what an earlier one in the same scope says: near words, same values, same sign."""
    terms = {one.id: frozenset(query_terms(one.text)) for one in records}
    places: dict[str, list[Record]] = defaultdict(list)
    for one in sorted(records, key=lambda r: (r.valid_from, r.id)):
        for term in terms[one.id]:
            places[term].append(one)
    found: dict[RecordId, Finding] = {}
    for first, second in _pairs(places.values(), terms):
        if second.id in found or (first.namespace, first.scope, first.side) != (
            second.namespace,
            second.scope,
            second.side,
        ):
            continue
        alike = similar(first.text, second.text)
        if alike.same_meaning or (alike.lexical >= DUPLICATE_FROM and alike.same_values and alike.same_polarity):
            found[second.id] = Finding(
                stain=HygieneIssue.DUPLICATE,
                record_id=second.id,
                text=second.text,
                why=f"says the same as {first.text!r}",
                other=first.id,
            )
    return list(found.values())


def _pairs(places: Iterable[list[Record]], terms: dict[RecordId, frozenset[str]]) -> Iterable[tuple[Record, Record]]:
    """Pairs that share at least half of their telling words, each once."""
    seen: set[tuple[RecordId, RecordId]] = set()
    for group in places:
        if len(group) > _COMMON:
            continue
        for at, first in enumerate(group):
            for second in group[at + 1 :]:
                pair = (first.id, second.id)
                if pair in seen:
                    continue
                seen.add(pair)
                mine, theirs = terms[first.id], terms[second.id]
                if 2 * len(mine & theirs) >= min(len(mine), len(theirs)):
                    yield first, second


def junk(record: Record) -> Finding | None:
    """Text that would help nobody later: too short, too long, a question, a pointer to something unsaid, or code."""
    text = record.text.strip()
    said = words(text)
    first = said[0].lower() if said else ""
    why = ""
    if len(said) < _LEAST_WORDS and record.kind is not Kind.ALIAS:
        why = "too short to mean anything later"
    elif len(text) > _LONGEST:
        why = "a passage, no memory"
    elif text.endswith("?"):
        why = "a question"
    elif first in _POINTING:
        why = f"begins with {first!r}: what it points at is not in it"
    elif len(_SYMBOLS.findall(text)) * 12 > len(text):
        why = "mostly symbols"
    return Finding(stain=HygieneIssue.JUNK, record_id=record.id, text=text, why=why) if why else None


def stale(record: Record, now: datetime) -> Finding | None:
    """Nobody has asked for it or said it again for half a year."""
    last = max(record.last_accessed_at or record.created_at, record.created_at)
    if record.pinned or now - last < STALE_AFTER:
        return None
    days = (now - last).days
    return Finding(stain=HygieneIssue.STALE, record_id=record.id, text=record.text, why=f"not used for {days} days")

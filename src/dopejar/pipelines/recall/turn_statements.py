"""What became of the statements of quoted turns: which still hold, and what holds now in place of the others.

Takes: ids of turns, a filter on records, and a snapshot. Gives: the statements of each turn, each with its fate and the
record that holds in its place. Never: a record that the filter hides, or a mark where nobody has decided yet.

A turn leads to the records that rest on it, a superseded record to the one that replaced it, and so on to the record
that holds under the filter: now, or at the time asked about. Nothing of this needs words in common with the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.memory.derivation import MERGED_INTO
from dopejar.values.record import KEPT_FROM, Record, Status

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.ports.store import ReadView
    from dopejar.values.episode import Episode
    from dopejar.values.ids import EpisodeId, RecordId
    from dopejar.values.recall import SearchFilter
    from dopejar.values.record import RecordBrief, StatedSpan

ENDED: Final = "ended"
"""The fate of a temporary statement whose time is over."""

FORGOTTEN: Final = frozenset({Status.DEPRECATED.value, Status.ERASED.value})
"""Fates of what a person took out of use: it is not quoted."""

_MOST_VERSIONS: Final = 32  # links that are followed from one record
_SINGLY: Final = 4  # of them one by one; what was replaced so often has a long chain, which is quicker read whole
_DECIDED: Final = frozenset({Status.SUPERSEDED, Status.DEPRECATED, Status.REJECTED, Status.RETRACTED, Status.ERASED})


class TurnStatement(NamedTuple):
    """A statement at `start` to `end` of a turn's text; hundreds of them are made for one question.

    `fate` is empty where it holds or is undecided. `current` is the record that holds: its own, or the one that
    replaced it; None where nothing does.
    """

    start: int
    end: int
    fate: str
    current: Record | RecordBrief | None


def find_statements(
    turns: Sequence[EpisodeId], where: SearchFilter, view: ReadView, at: datetime
) -> dict[EpisodeId, tuple[TurnStatement, ...]]:
    """The statements of the turns that records rest on, in the order of the words; `at` is the time asked about."""
    spans = view.stated_in(turns) if turns else ()
    if not spans:
        return {}
    chains = _Chains(tuple(dict.fromkeys(span.record_id for span in spans)), where, view)
    found: dict[EpisodeId, list[TurnStatement]] = {}
    for span in spans:
        found.setdefault(span.episode_id, []).append(_statement(span, chains, at))
    return {turn: _without_restated(statements) for turn, statements in found.items()}


def unknown_at(turns: Sequence[Episode], at: datetime, view: ReadView) -> frozenset[str]:
    """The ids of turns that were said later, or kept later: by a request whose first act came later.

    Where a request changed nothing, its turns were kept, as far as can be told, when they were said; those of no known
    request, when the first act about their conversation came.
    """
    acts = {conversation: view.acts_of(conversation) for conversation in {turn.conversation for turn in turns}}
    first = {act: view.entries_of_act(act)[0] for act in {act for acts_of_one in acts.values() for act in acts_of_one}}

    def kept_at(turn: Episode) -> datetime:
        about = (first[act] for act in acts[turn.conversation])
        return min((entry.at for entry in about if turn.trace_id in ("", entry.trace_id)), default=turn.at)

    return frozenset(str(turn.id) for turn in turns if max(turn.at, kept_at(turn)) > at)


class _Chains:
    """Records by id with all that came after them; `in_force` are those that the filter lets through."""

    def __init__(self, ids: Sequence[RecordId], where: SearchFilter, view: ReadView) -> None:
        self.records: dict[str, Record] = {}
        self.in_force: dict[str, Record | RecordBrief] = {}
        missing: Sequence[RecordId] = ids
        if where.believed_seq is None:  # most hold as they were stated, and need not be read in full
            self.in_force.update(view.record_briefs(ids, where))
            missing = [name for name in ids if not self._holds(name)]
        for step in range(_MOST_VERSIONS):
            if not missing:
                break
            if step >= _SINGLY:
                missing = self._of_whole_chains(missing, view)
            in_force = view.load_records(missing, where)
            self.in_force.update(in_force)
            # an image of then has the links of then: what replaced it is read from the record as it is now
            known = in_force if where.believed_seq is None else {}
            rest = [record_id for record_id in missing if record_id not in known]
            loaded = known | (view.records(rest) if rest else {})
            self.records.update(loaded)
            later = dict.fromkeys(record.superseded_by for record in loaded.values())
            missing = [record_id for record_id in later if record_id is not None and record_id not in self.records]
        self.holding = frozenset(filter(self._holds, ids))  # themselves, and not merged into another

    def _of_whole_chains(self, ids: Sequence[RecordId], view: ReadView) -> list[RecordId]:
        """The ids, and those of all other versions of these records."""
        records = view.records(ids).values()
        chains = {(one.namespace, one.scope, one.side, one.chain) for one in records}
        versions = (one.id for chain in chains for one in view.chain(*chain))
        return [name for name in dict.fromkeys((*ids, *versions)) if name not in self.records]

    def _holds(self, record_id: RecordId) -> bool:
        own = self.in_force.get(record_id)
        return own is not None and MERGED_INTO not in self.records.get(record_id, own).attributes

    def later(self, record_id: RecordId) -> Iterable[Record]:
        """The record and what replaced it, version by version."""
        seen: set[RecordId] = set()
        following: RecordId | None = record_id
        while following is not None and following in self.records and following not in seen:
            seen.add(following)
            yield self.records[following]
            following = self.records[following].superseded_by


def _statement(span: StatedSpan, chains: _Chains, at: datetime) -> TurnStatement:
    record_id, _, start, end = span
    if record_id in chains.holding:  # the common case
        return TurnStatement(start, end, "", chains.in_force[record_id])
    versions = list(chains.later(record_id))
    # what was announced for a day to come does not hold in place of another
    holding = (one for one in versions if one.id in chains.in_force and not one.begins_later(at))
    current = next((chains.in_force[one.id] for one in holding), None)
    return TurnStatement(start=start, end=end, fate=_fate(versions, current, at), current=current)


def _fate(versions: Sequence[Record], current: Record | RecordBrief | None, at: datetime) -> str:
    """What became of the first version; one that was merged into another is that other one."""
    own = next((one for one in versions if MERGED_INTO not in one.attributes), None)
    if own is None or (current is not None and own.id == current.id) or own.valid_from > at:
        return ""
    if own.holds_until_later(at):
        return ""  # what replaces it was announced for a day to come
    if own.is_over(at):
        return ENDED
    return own.status.value if own.status in _DECIDED else ""


def _without_restated(statements: Sequence[TurnStatement]) -> tuple[TurnStatement, ...]:
    """The statements in order, without those whose words another record, which holds, rests on as well.

    What is left of a statement rests on its words, too, and does not say all of it.
    """
    holding = [
        one
        for one in statements
        if not one.fate and one.current is not None and KEPT_FROM not in one.current.attributes
    ]
    kept = [
        one
        for one in statements
        if not one.fate or not any(one.start < other.end and other.start < one.end for other in holding)
    ]
    return tuple(sorted(kept, key=lambda one: (one.start, one.end)))


def fate_of(statements: Iterable[TurnStatement]) -> str:
    """The fate of a turn: that of its first statement that no longer holds; empty where all do."""
    return next((one.fate for one in statements if one.fate), "")


def shown_text(text: str, statements: Iterable[TurnStatement]) -> str:
    """The text without the words of what was forgotten."""
    for one in sorted(statements, key=lambda one: -one.start):
        if one.fate in FORGOTTEN:
            text = f"{text[: one.start]}...{text[one.end :]}"
    return text


def stated_share(text: str, statements: Iterable[TurnStatement]) -> float:
    """The share of the text, in letters and digits, that the statements cover."""
    letters = [sign.isalnum() for sign in text]
    whole = sum(letters)
    for one in statements:
        letters[one.start : one.end] = [False] * len(letters[one.start : one.end])
    return 1 - sum(letters) / whole if whole else 1.0

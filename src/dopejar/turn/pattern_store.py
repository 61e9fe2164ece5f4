"""`PatternStore` and `FeedbackLoop`: what worked, kept across conversations, and looked back on.

Takes: an open memory, signatures, outcomes. Gives: patterns, analyses, merges to accept. Never: trims, merges or
forgets by itself; each of these is a person's act, and what was trimmed can come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from dopejar.errors import InputError, NotFoundError
from dopejar.governance.learning.generalizer import Generalizer
from dopejar.governance.learning.pattern import Pattern, Signature, is_stale, signature_of, strengthened, weakened
from dopejar.governance.learning.retrospective import Retrospective, TurnOutcome, look_back
from dopejar.turn import outcomes, pattern_rows
from dopejar.turn.traces import TurnTrace
from dopejar.values.ids import new_trace_id
from dopejar.values.trace_event import TraceLayer, TraceOperation

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.ports.store import ReadView
    from dopejar.ports.trace_sink import TraceSink
    from dopejar.values.versioned_rows import KeyValueRow

_LOOP: Final = "feedback"  # the row of outcomes that hosts report
_STATUSES: Final = ("success", "partial", "failure")


class PatternStore:
    """The patterns of one memory; those that turns learned and those that a host states are the same."""

    def __init__(
        self, memory: Memory, *, now: Callable[[], datetime] | None = None, sink: TraceSink | None = None
    ) -> None:
        self.memory, self._sink = memory, sink
        self.now = now or (lambda: datetime.now(UTC))

    def add_pattern(self, pattern: Pattern) -> str:
        """Keep a pattern, in place of one with the same signature and action; its id."""
        self.memory.workspace.write_rows(lambda view: pattern_rows.rows_of_new(view, pattern))
        self._trace("pattern_add", pattern.id)
        return pattern.id

    def get_pattern(self, pattern_id: str) -> Pattern | None:
        """The pattern of this id."""
        row = self.memory.workspace.row(pattern_rows.ROWS, pattern_id)
        return pattern_rows.pattern_of(row) if row is not None else None

    def patterns(self, *, trimmed: bool = False) -> list[Pattern]:
        """All patterns, or all that were trimmed."""
        rows = self.memory.workspace.rows(pattern_rows.ROWS)
        return [one for row in rows if (one := pattern_rows.pattern_of(row)).trimmed is trimmed]

    def search(self, input_signature: Signature) -> list[Pattern]:
        """The patterns that an input fits, the surest first; by an index, not by reading all."""
        kind, stems = signature_of(input_signature)
        with self.memory.store.read() as view:
            return [one for one in pattern_rows.find(view, kind, stems) if not one.trimmed]

    def strengthen(self, pattern_id: str) -> None:
        """Count a success: confidence rises by .1. Raises NotFoundError."""
        self._change(pattern_id, lambda one: strengthened(one, self.now()))

    def weaken(self, pattern_id: str) -> None:
        """Count a failure: confidence falls by .1, unless it is protected. Raises NotFoundError."""
        self._change(pattern_id, weakened)

    def protect(self, pattern_id: str) -> None:
        """Keep it from weakening and from trimming. Raises NotFoundError."""
        self._change(pattern_id, lambda one: replace(one, protected=True))

    def mark_stale(self, days: int = 30) -> list[Pattern]:
        """Mark what was not hit for so many days, or is hardly believed: it decides nothing until it is hit again."""
        stale = [one for one in self._trimmable(days) if not one.stale]
        for one in stale:
            self._change(one.id, lambda old: replace(old, stale=True))
        return [replace(one, stale=True) for one in stale]

    def trim_stale(self, days: int = 30, *, preview: bool = False) -> list[Pattern]:
        """Take such patterns away; they stay readable as trimmed. With `preview`, only say which they would be."""
        found = self._trimmable(days)
        for one in () if preview else found:
            self._change(one.id, lambda old: replace(old, trimmed=True))
            self._trace("pattern_trim", one.id)
        return found

    def regretted(self) -> list[Pattern]:
        """Trimmed patterns whose action has worked since for an input of their kind."""
        return [one for one in self.patterns(trimmed=True) if one.regrets]

    def restore(self, pattern_id: str) -> None:
        """Take a trimmed or stale pattern back into use. Raises NotFoundError."""
        self._change(pattern_id, lambda one: replace(one, trimmed=False, stale=False, regrets=0))

    def merges(self) -> list[Pattern]:
        """What the generalizer proposes; nothing is merged before `accept_merge`."""
        return Generalizer().generalize_batch(self.patterns())

    def accept_merge(self, merged: Pattern) -> str:
        """Keep a proposed merge; those that it was made of are trimmed. Raises NotFoundError: one of them is gone."""

        def rows(view: ReadView) -> Iterable[KeyValueRow]:
            for one in merged.made_of:
                yield pattern_rows.row_of(view, replace(_existing(view, one), trimmed=True))
            yield from pattern_rows.rows_of_new(view, merged)

        self.memory.workspace.write_rows(rows)
        self._trace("generalize", merged.id)
        return merged.id

    def _trace(self, point: str, name: str) -> None:
        if self._sink is not None:
            trace = TurnTrace(new_trace_id(), self.now())
            trace.add(TraceLayer.LEARNING, TraceOperation.WRITE, point, name, component="PatternStore")
            self._sink.emit(trace.events[0])

    def _trimmable(self, days: int) -> list[Pattern]:
        return [one for one in self.patterns() if is_stale(one, self.now(), days)]

    def _change(self, pattern_id: str, change: Callable[[Pattern], Pattern]) -> None:
        self.memory.workspace.write_rows(lambda view: (pattern_rows.row_of(view, change(_existing(view, pattern_id))),))


class FeedbackLoop:
    """Outcomes that a host reports, beside those that turns find themselves. Analyses span all sessions."""

    def __init__(self, pattern_store: PatternStore) -> None:
        self.patterns = pattern_store
        self._session: list[TurnOutcome] = []

    def record_outcome(self, signal: Signature, routing: Mapping[str, Any], outcome: Mapping[str, Any]) -> None:
        """Count how a strategy came out: `routing["strategy"]` for this input, `outcome["status"]`.

        Raises:
            InputError: there is no strategy, or the status is none of success, partial, failure.
        """
        strategy, status = str(routing.get("strategy", "")), str(outcome.get("status", ""))
        if not strategy or status not in _STATUSES:
            raise InputError(f"An outcome needs a strategy, and a status: {', '.join(_STATUSES)}.")
        kind, stems = signature_of(signal)
        noted = TurnOutcome(
            strategy=strategy,
            succeeded=status == "success",
            signature=kind,
            matched=routing.get("source") == "pattern_match",
            corrected=bool(outcome.get("corrections")),
        )

        def rows(view: ReadView) -> Iterable[KeyValueRow]:
            yield outcomes.with_outcomes(view.held(outcomes.ROWS, _LOOP), _LOOP, [noted])
            if status != "partial":
                yield from pattern_rows.with_outcome(
                    view, kind, stems, strategy, succeeded=status == "success", at=self.patterns.now()
                )

        self.patterns.memory.workspace.write_rows(rows)
        self._session.append(noted)

    def analyze_session(self) -> dict[str, dict[str, Any]]:
        """By strategy: `total`, `success_rate`, `items` and `patterns`, over what was reported since the last analysis.

        A strategy's `patterns` are those that decide by now, of all sessions.
        """
        session, self._session = self._session, []
        deciding = [one for one in self.patterns.patterns() if one.decides]
        analysis: dict[str, dict[str, Any]] = {}
        for strategy in dict.fromkeys(one.strategy for one in session):
            items = [one for one in session if one.strategy == strategy]
            analysis[strategy] = {
                "total": len(items),
                "success_rate": sum(one.succeeded for one in items) / len(items),
                "items": items,
                "patterns": [one for one in deciding if one.action_taken == strategy],
            }
        return analysis

    def look_back(self) -> Retrospective:
        """The analysers of the four layers over all outcomes, those of turns included, and their correlation."""
        rows = self.patterns.memory.workspace.rows(outcomes.ROWS)
        return look_back([one for row in rows for one in outcomes.outcomes_of(row)])

    def get_patterns_for_signal(self, signal: Signature) -> list[Pattern]:
        """The patterns that an input fits, the surest first."""
        return self.patterns.search(signal)


def _existing(view: ReadView, pattern_id: str) -> Pattern:
    row = view.held(pattern_rows.ROWS, pattern_id)
    if row is None:
        raise NotFoundError(f"There is no pattern {pattern_id!r}. `PatternStore.patterns()` lists them.")
    return pattern_rows.pattern_of(row)

"""`Partner`: the governed turns of one conversation, for a host that writes its own replies.

Takes: an open memory, and the words of each turn. Gives: a `TurnResult` each. Never: acts, or lets a turn do what its
stance does not authorise; every process that governs the conversation goes on from the same state.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from dopejar.engine.ingest.live_turns import Observation
from dopejar.errors import IllegalMoveError, InputError, StaleProposalError
from dopejar.governance.reasoning.router import PATTERN_CONFIDENCE, ReasoningRouter
from dopejar.governance.utterance import TurnReading, read_turn
from dopejar.turn import patterns, traces
from dopejar.turn.conversation_state import (
    KNOWN_TURNS,
    STATE_ROW,
    ConversationState,
    LearningTuple,
    dump_state,
    load_state,
)
from dopejar.turn.prompt_parts import lines_to_tell, prompt_parts
from dopejar.turn.slow_tick import Answered, SlowTick, answer, declare_work, pass_gate, slow_tick, switch_lane
from dopejar.values.ids import TraceId, new_trace_id
from dopejar.values.transcript import LiveTurn
from dopejar.values.turn_decisions import AuthorisedScope
from dopejar.values.turn_enums import SignalType, TurnGate
from dopejar.values.turn_result import TurnResult
from dopejar.values.turn_state import NorthStars
from dopejar.values.versioned_rows import KeyValueRow

if TYPE_CHECKING:
    from dopejar.engine.ingest.live_turns import Observed
    from dopejar.engine.memory import Memory
    from dopejar.governance.focus.gates import GateRequest
    from dopejar.ports.store import ReadView
    from dopejar.ports.trace_sink import TraceSink
    from dopejar.values.episode import Origin
    from dopejar.values.ids import EpisodeId
    from dopejar.values.recall import ContextPack
    from dopejar.values.trace_event import TraceEvent
    from dopejar.values.turn_decisions import GateDecision

NORTH_STARS: Final = "north_stars"
PRIORITIES: Final = "priorities"
"""The shared references with what the user works for; each is a JSON list of texts, or one text."""

_ATTEMPTS: Final = 20
_NOTHING: Final = AuthorisedScope(activities=frozenset())
_TAKEN: Final = "This turn was taken already; nothing changed."
_NOT_KEPT: Final = "work that is not recorded"
_SUCCESS: Final = frozenset({SignalType.COMPLETION})
_FAILURE: Final = frozenset({SignalType.EMERGENCY, SignalType.EMOTIONAL})


@dataclass(frozen=True, kw_only=True, slots=True)
class _Draft:
    """A turn as it would be governed from a state that was read; `taught` are rows of what the turn before taught."""

    state: ConversationState
    row: KeyValueRow | None
    reading: TurnReading
    tick: SlowTick
    taught: tuple[KeyValueRow, ...]
    pending: LearningTuple


class Partner:
    """A conversation under governance. Several partners, also of several processes, may govern the same one.

    `memory` is what `open_memory` gives; who speaks is what it was opened for, or what each turn says. The words of a
    speaker that no host declared govern the turn, but what is learned from them waits for a person.
    """

    def __init__(
        self,
        memory: Memory,
        conversation: str = "main",
        *,
        sink: TraceSink | None = None,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        if not conversation.strip():
            raise InputError("A conversation needs a name. Give one, such as `main`.")
        self._memory = memory
        self._conversation = conversation
        self._sink = sink
        self._now = now or (lambda: datetime.now(UTC))
        self._last_step: tuple[ConversationState, int] | None = None  # the state before it, the version after it

    @property
    def state(self) -> ConversationState:
        """The state as it is now."""
        return _state_of(self._memory.workspace.row(STATE_ROW, self._conversation))

    def turn(
        self,
        text: str,
        *,
        turn_id: str = "",
        before: str = "",
        origin: Origin | None = None,
        verified: bool = False,
        recall: bool = True,
        budget: int | None = None,
    ) -> TurnResult:
        """Govern one turn of the user.

        Args:
            text: what was said.
            turn_id: the host's id; the same one again governs nothing a second time.
            before: what the assistant said last.
            origin: whose words they are, where not those of the speaker that the memory was opened for.
            verified: the user has confirmed what high stakes made the turn before stop for.
            recall: recall what memory knows about it.
            budget: tokens of the recalled context.

        Raises:
            InputError: there is no text.
        """
        if not text.strip():
            raise InputError("There is no text. Say what the user said.")
        trace_id = new_trace_id()
        name = turn_id or str(trace_id)
        trace = traces.TurnTrace(trace_id, self._now())
        reading = trace.timed(lambda: read_turn(text, before, shares=self._memory.turn_shares(text)))
        for _ in range(_ATTEMPTS):
            draft = self._draft(reading, text, trace, verified=verified)
            live = LiveTurn(conversation=self._conversation, source_id=name, text=text, origin=origin)
            try:
                is_known = name in draft.state.turn_ids or self._keep(live, draft, trace)
            except StaleProposalError:
                continue
            if is_known:
                return self._result(trace_id, name, draft, None, was_known=True)
            for event in trace.events if self._sink is not None else ():
                self._sink.emit(event)  # type: ignore[union-attr] # there are no events without a sink
            pack = None
            if recall:
                pack = self._memory.recall(text, budget=budget, outside=self._conversation, trace_id=trace_id)
            return self._result(trace_id, name, draft, pack)
        raise StaleProposalError(f"Other processes kept changing the conversation {self._conversation}. Try again.")

    def reply(self, text: str, *, turn_id: str = "") -> None:
        """Keep what the assistant answered, as the assistant's own words."""
        from dopejar.values.episode import Origin

        trace_id = new_trace_id()
        live = LiveTurn(
            conversation=self._conversation, source_id=turn_id or str(trace_id), text=text, origin=Origin.ASSISTANT
        )
        self._memory.observe(live, trace_id=trace_id)

    def answer(self, gate: TurnGate | str, *, approved: bool = True, goal: str = "") -> GateDecision | None:
        """The user's answer to a gate that the last turn proposed; the decision of the stance gate behind it.

        `goal` says in a few words what a declared piece of work is for; omitted, it is what the turn said, redacted.

        Raises:
            NotFoundError: no such gate waits. InputError: there is no gate of this name.
        """
        try:
            asked = TurnGate(gate)
        except ValueError as fault:
            known = ", ".join(TurnGate)
            raise InputError(f"There is no gate {gate!r}. Gates: {known}.") from fault
        words = self._kept_goal(goal) if goal else self._words_of(self.state.episode)
        return self._step(lambda state: answer(state, asked, words, approved=approved, at=self._now()))

    def commit(self, goal: str, *, origin: Origin | None = None) -> GateDecision | None:
        """Begin a piece of work that no signal declared: a lane of its own, with its commitment in force.

        Raises:
            InputError: there is no goal, or nobody said who speaks.
        """
        words = self._kept_goal(goal, origin)
        return self._step(lambda state: declare_work(state, words, at=self._now()))

    def undo(self) -> None:
        """Take back the last answer, commitment or switch of this partner; the words of a goal stay a turn.

        Raises:
            IllegalMoveError: there is none, or a turn came after it.
        """
        last, self._last_step = self._last_step, None

        def change(row: KeyValueRow | None) -> KeyValueRow:
            if last is None or row is None or row.version != last[1]:
                raise IllegalMoveError("There is nothing to take back since the last turn.")
            return self._row(last[0], row)

        self._memory.workspace.update_row(STATE_ROW, self._conversation, change)

    def pass_gate(self, request: GateRequest) -> GateDecision | None:
        """Ask a stance gate for passage, as the host's own act; the gate decides by its table."""
        return self._step(lambda state: pass_gate(state, request))

    def switch_lane(self, lane_id: str) -> None:
        """Pause the active lane and resume another exactly as it was left. Raises NotFoundError, IllegalMoveError."""
        self._step(lambda state: Answered(state=switch_lane(state, lane_id, at=self._now())))

    def feedback(self, *, succeeded: bool) -> None:
        """How the last turn came out; it counts once, for the strategy that the turn got."""
        pending: list[LearningTuple | None] = []

        def change(row: KeyValueRow | None) -> KeyValueRow:
            state = _state_of(row)
            pending.append(state.pending)
            return self._row(replace(state, pending=None), row)

        self._memory.workspace.update_row(STATE_ROW, self._conversation, change)
        turn = pending[-1]
        if turn is not None:
            self._memory.workspace.update_row(
                patterns.ROWS, turn.signature, lambda row: _counted(row, turn, succeeded=succeeded)
            )

    def where_we_were(self) -> str:
        """One line for the user on coming back: what was going on, and what is paused. "" for a new conversation."""
        state = self.state
        if not state.turn_ids:
            return ""
        focus, lanes = state.focus, state.lanes
        parts = [f"You were in {focus.stance}"]
        if focus.commitment is not None:
            parts.append(f"on {focus.commitment.goal!r}, {focus.commitment.turns_remaining} turns left")
        if lanes.paused:
            parts.append("paused: " + "; ".join(f"{lane.lease_goal!r} ({lane.lane_id})" for lane in lanes.paused))
        return ", ".join(parts) + "."

    def trace(self, trace_id: str) -> tuple[TraceEvent, ...]:
        """The events of a turn by its trace id; none where it is not known or older than two weeks."""
        row = self._memory.workspace.row(traces.ROWS, trace_id)
        return traces.events_of(row) if row is not None else ()

    def _step(self, change_state: Callable[[ConversationState], Answered]) -> GateDecision | None:
        decided: list[GateDecision | None] = []
        before: list[ConversationState] = []

        def change(row: KeyValueRow | None) -> KeyValueRow:
            before.append(_state_of(row))
            answered = change_state(before[-1])
            decided.append(answered.decision)
            return self._row(answered.state, row)

        row = self._memory.workspace.update_row(STATE_ROW, self._conversation, change)
        self._last_step = (before[-1], row.version)
        return decided[-1]

    def _draft(self, reading: TurnReading, text: str, trace: traces.TurnTrace, *, verified: bool) -> _Draft:
        """The turn as it would be governed from the state as it is now, with the rows of what it taught."""
        stars = self._stars()
        with self._memory.store.read() as view:
            row = view.held(STATE_ROW, self._conversation)
            state = _state_of(row)
            taught = _outcome_of_the_turn_before(view, state, reading)
            routed = _by_pattern(view, reading, text)
        tick = slow_tick(state, routed, at=trace.at, stars=stars, verified=verified)
        return _Draft(
            state=state, row=row, reading=routed, tick=tick, taught=taught, pending=patterns.tuple_of(routed, text)
        )

    def _keep(self, live: LiveTurn, draft: _Draft, trace: traces.TurnTrace) -> bool:
        """Whether the turn was there already; else it is kept, and the state after it in the same transaction."""
        trace.note(draft.state, draft.reading, draft.tick)

        def rows(observed: Observed) -> Sequence[KeyValueRow]:
            after = replace(
                draft.tick.state,
                pending=draft.pending,
                episode=observed.episode_id,
                turn_ids=(*draft.state.turn_ids, live.source_id)[-KNOWN_TURNS:],
            )
            kept = traces.trace_row(trace.trace_id, trace.events, trace.at)
            return [*draft.taught, self._row(after, draft.row), kept]

        observed = self._memory.observe(live, rows=rows, trace_id=trace.trace_id)
        return observed.outcome is Observation.KNOWN

    def _kept_goal(self, goal: str, origin: Origin | None = None) -> str:
        """The words of a goal as they are kept: a turn of their own, redacted."""
        trace_id = new_trace_id()
        live = LiveTurn(conversation=self._conversation, source_id=str(trace_id), text=goal, origin=origin)
        return self._words_of(self._memory.observe(live, trace_id=trace_id).episode_id)

    def _words_of(self, episode: EpisodeId | None) -> str:
        """What the turn said, as it was kept: redacted, and none of it where it is not to be kept, or was erased."""
        if episode is None:
            return _NOT_KEPT
        with self._memory.store.read() as view:
            kept = view.episodes([episode]).get(episode)
        return kept.text if kept is not None else _NOT_KEPT

    def _row(self, state: ConversationState, row: KeyValueRow | None) -> KeyValueRow:
        return KeyValueRow(
            kind=STATE_ROW,
            key=self._conversation,
            body=dump_state(state),
            version=row.version if row else 0,
        )

    def _stars(self) -> NorthStars:
        return NorthStars(north_stars=self._texts(NORTH_STARS), priorities=self._texts(PRIORITIES))

    def _texts(self, key: str) -> tuple[str, ...]:
        reference = self._memory.workspace.reference(key)
        if reference is None:
            return ()
        value = json.loads(reference.value)
        return tuple(map(str, value)) if isinstance(value, list) else (str(value),)

    def _result(
        self,
        trace_id: TraceId,
        name: str,
        draft: _Draft,
        pack: ContextPack | None,
        *,
        was_known: bool = False,
    ) -> TurnResult:
        """The result of a turn; one that was governed before proposes nothing and authorises nothing."""
        reading, governed = draft.reading, draft.tick
        state = draft.state if was_known else governed.state
        return TurnResult(
            trace_id=trace_id,
            conversation=self._conversation,
            turn_id=name,
            signals=reading.signals,
            altitude=reading.altitude,
            request_type=reading.request_type,
            validation=governed.validation,
            stance=state.focus.stance,
            routing=reading.routing,
            authorised=_NOTHING if was_known else governed.authorised,
            decisions=() if was_known else governed.decisions,
            proposals=() if was_known else state.proposals,
            commitment=state.focus.commitment,
            lane=state.lanes.active,
            context=pack,
            tell=(_TAKEN,) if was_known else lines_to_tell(governed),
            prompt={} if was_known else prompt_parts(reading, governed, pack),
            was_known=was_known,
        )


def _state_of(row: KeyValueRow | None) -> ConversationState:
    return load_state(row.body) if row is not None else ConversationState()


def _by_pattern(view: ReadView, reading: TurnReading, text: str) -> TurnReading:
    """The reading, routed by the pattern that fits where one does."""
    turn = patterns.tuple_of(reading, text)
    row = view.held(patterns.ROWS, turn.signature)
    known = patterns.load(row.body, least=PATTERN_CONFIDENCE) if row is not None else ()
    pattern = patterns.find_pattern(known, turn)
    if pattern is None:
        return reading
    kinds = frozenset(one.type for one in reading.signals)
    return replace(reading, routing=ReasoningRouter().route(text, kinds, reading.altitude, pattern=pattern))


def _outcome_of_the_turn_before(
    view: ReadView, state: ConversationState, reading: TurnReading
) -> tuple[KeyValueRow, ...]:
    """The row of the patterns of the turn before, where this one says how it came out."""
    kinds = frozenset(one.type for one in reading.signals)
    if state.pending is None or not kinds & (_SUCCESS | _FAILURE):
        return ()
    row = view.held(patterns.ROWS, state.pending.signature)
    return (_counted(row, state.pending, succeeded=not kinds & _FAILURE),)


def _counted(row: KeyValueRow | None, turn: LearningTuple, *, succeeded: bool) -> KeyValueRow:
    """The row of a turn's patterns with its outcome."""
    known = patterns.load(row.body) if row is not None else ()
    return KeyValueRow(
        kind=patterns.ROWS,
        key=turn.signature,
        body=patterns.dump(patterns.record_outcome(known, turn, succeeded=succeeded)),
        version=row.version if row is not None else 0,
    )

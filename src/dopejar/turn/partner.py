"""`Partner`: the governed turns of one conversation, for a host that writes its own replies.

Takes: an open memory, and the words of each turn. Gives: a `TurnResult` each. Never: acts, or lets a turn do what its
stance does not authorise; every process that governs the conversation goes on from the same state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from dopejar.engine.ingest.live_turns import Observation, find_live_conversation
from dopejar.errors import IllegalMoveError, InputError, StaleProposalError
from dopejar.turn import outcomes, traces
from dopejar.turn.conversation_state import (
    KNOWN_TURNS,
    LATEST_TRACES,
    STATE_ROW,
    ConversationState,
    dump_state,
)
from dopejar.turn.prompt_parts import governed_reply
from dopejar.turn.replies import Response, write_reply
from dopejar.turn.slow_tick import Answered, answer, declare_work, pass_gate, renew, switch_lane
from dopejar.turn.turn_draft import TurnDraft, draft_turn, result_of, state_of, utterance_of
from dopejar.values.ids import TraceId, new_trace_id
from dopejar.values.transcript import LiveTurn
from dopejar.values.turn_enums import TurnGate
from dopejar.values.turn_result import TurnResult
from dopejar.values.versioned_rows import KeyValueRow

if TYPE_CHECKING:
    from dopejar.engine.ingest.live_turns import Observed
    from dopejar.engine.memory import Memory
    from dopejar.governance.focus.gates import GateRequest
    from dopejar.ports.store import ReadView
    from dopejar.ports.trace_sink import TraceSink
    from dopejar.values.episode import Episode, Origin
    from dopejar.values.ids import EpisodeId
    from dopejar.values.recall import ContextPack
    from dopejar.values.trace_event import TraceEvent
    from dopejar.values.turn_decisions import GateDecision

_ATTEMPTS: Final = 20
_EXCHANGED: Final = 8  # turns that a model sees
_NOT_KEPT: Final = "work that is not recorded"


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
        self.last_trace: TraceId | None = None  # of the last turn or act of this partner

    @property
    def state(self) -> ConversationState:
        """The state as it is now."""
        return state_of(self._memory.workspace.row(STATE_ROW, self._conversation))

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
        may_ask: bool = False,
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
            may_ask: nobody else writes a reply: `tell` may put a question of method, and a question is also answered
                from this conversation.

        Raises:
            InputError: there is no text.
        """
        if not text.strip():
            raise InputError("There is no text. Say what the user said.")
        trace_id = new_trace_id()
        name = turn_id or str(trace_id)
        trace = traces.TurnTrace(trace_id, self._now())
        utterance = trace.timed(
            lambda: utterance_of(text, before, self._memory.turn_shares(text), verified=verified, may_ask=may_ask)
        )
        for _ in range(_ATTEMPTS):
            with self._memory.store.read() as view:
                draft = draft_turn(view, self._conversation, utterance, trace.at)
            live = LiveTurn(conversation=self._conversation, source_id=name, text=text, origin=origin)
            try:
                is_known = name in draft.state.turn_ids or self._keep(live, draft, trace)
            except StaleProposalError:
                continue
            if is_known:
                return result_of(draft, trace_id, name, None, was_known=True)
            self._emit(trace)
            self.last_trace = trace_id
            is_apart = not (may_ask and text.rstrip().endswith("?"))  # else nobody has this conversation at hand
            pack = self._recalled(trace, text, budget, is_apart=is_apart) if recall else None
            return result_of(draft, trace_id, name, pack)
        raise StaleProposalError(f"Other processes kept changing the conversation {self._conversation}. Try again.")

    def respond(
        self,
        text: str,
        *,
        origin: Origin | None = None,
        verified: bool = False,
        hear: Callable[[str], None] | None = None,
        governed: Callable[[TurnResult], None] | None = None,
    ) -> Response:
        """Govern a turn and reply to it: by the configured model within what the turn permits, else by what is known.

        Args:
            text: what was said.
            origin: whose words they are, as in `turn`.
            verified: the user has confirmed, as in `turn`.
            hear: is given each piece of the reply as it comes.
            governed: is given the turn before the reply begins.

        Raises:
            InputError: there is no text. A model that fails is no error: `Response.fault` says why it wrote nothing.
        """
        model = self._memory.language_model
        result = self.turn(text, origin=origin, verified=verified, before=self._said_last(), may_ask=model is None)
        if governed is not None:
            governed(result)
        exchange = self._exchange() if model is not None else ()
        plain = "\n".join(governed_reply(result, text, self.state.lanes))
        trace = traces.TurnTrace(result.trace_id, self._now())
        response = trace.timed(lambda: write_reply(model, result, plain, exchange, hear or (lambda _: None)))
        if response.model or response.fault:
            self._executed(trace, f"reply by {response.model or 'governance'}", fault=response.fault)
        if response.model and response.text.strip():
            self.reply(response.text)
        return response

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

    def commit(self, goal: str = "", *, origin: Origin | None = None) -> GateDecision | None:
        """Begin a piece of work outright: a lane with its commitment. Without a goal, go on with the active lane.

        Raises:
            InputError: nobody said who speaks. IllegalMoveError: there is no goal, and no lane to go on with.
        """
        if not goal.strip():
            return self._step(lambda state: renew(state, at=self._now()))
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

        def rows(view: ReadView) -> Sequence[KeyValueRow]:
            row = view.held(STATE_ROW, self._conversation)
            state = state_of(row)
            if state.pending is None:
                return ()
            taught = outcomes.rows_of_outcome(
                view, self._conversation, state.pending, succeeded=succeeded, corrected=False, at=self._now()
            )
            return (self._row(replace(state, pending=None), row), *taught)

        self._memory.workspace.write_rows(rows)

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

    def _step(self, change: Callable[[ConversationState], Answered]) -> GateDecision | None:
        """One act between turns, kept with its trace."""
        trace = traces.TurnTrace(new_trace_id(), self._now())
        made: list[tuple[ConversationState, int, GateDecision | None]] = []

        def rows(view: ReadView) -> Sequence[KeyValueRow]:
            row = view.held(STATE_ROW, self._conversation)
            before = state_of(row)
            answered = change(before)
            made.append((before, row.version + 1 if row else 1, answered.decision))
            trace.note_step(before, answered.state, answered.decision)
            return (self._row(answered.state, row), traces.trace_row(trace.trace_id, trace.events, trace.at))

        self._memory.workspace.write_rows(rows)
        before, version, decision = made[-1]
        self._last_step, self.last_trace = (before, version), trace.trace_id
        self._emit(trace)
        return decision

    def _recalled(self, trace: traces.TurnTrace, text: str, budget: int | None, *, is_apart: bool) -> ContextPack:
        outside = self._conversation if is_apart else ""
        pack = trace.timed(lambda: self._memory.recall(text, budget=budget, outside=outside, trace_id=trace.trace_id))
        self._executed(trace, "recall", f"{len(pack.items)} recalled")
        return pack

    def _executed(self, trace: traces.TurnTrace, what: str, found: str = "", *, fault: str = "") -> None:
        """What was carried out for a turn that is kept already, added to its trace."""
        trace.note_executed(what, found, fault=fault)
        self._memory.workspace.update_row(traces.ROWS, trace.trace_id, lambda row: traces.extended(row, trace))
        self._emit(trace)

    def _emit(self, trace: traces.TurnTrace) -> None:
        for event in trace.events if self._sink is not None else ():
            self._sink.emit(event)  # type: ignore[union-attr] # there are no events without a sink

    def _keep(self, live: LiveTurn, draft: TurnDraft, trace: traces.TurnTrace) -> bool:
        """Whether the turn was there already; else it is kept, and the state after it in the same transaction."""

        def rows(observed: Observed) -> Sequence[KeyValueRow]:
            trace.note(draft, is_kept=observed.outcome is Observation.KEPT)
            after = replace(
                draft.tick.state,
                pending=draft.pending,
                asked=draft.asked,
                traces=(*draft.state.traces, trace.trace_id)[-LATEST_TRACES:],
                episode=observed.episode_id,
                turn_ids=(*draft.state.turn_ids, live.source_id)[-KNOWN_TURNS:],
            )
            kept = traces.trace_row(trace.trace_id, trace.events, trace.at)
            return [*draft.taught, self._row(after, draft.row), kept]

        observed = self._memory.observe(live, rows=rows, trace_id=trace.trace_id)
        return observed.outcome is Observation.KNOWN

    def _exchange(self) -> tuple[Episode, ...]:
        """The latest turns of the conversation, as they are kept."""
        with self._memory.store.read() as view:
            name = LiveTurn(conversation=self._conversation, source_id="-", text="-")
            conversation = find_live_conversation(view, name)
            row = view.conversation(conversation) if conversation else None
            return tuple(view.turns(row.id, max(0, row.imported - _EXCHANGED))) if row else ()

    def _said_last(self) -> str:
        """What the assistant said last, where nothing came after it."""
        last = self._exchange()[-1:]
        return last[0].text if last and last[0].origin == "assistant" else ""

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

"""`Partner`: governed turns of one conversation over a memory, whose state several processes share.

Takes: a memory and what a person says. Gives: what the turn may do, what memory says to it, what the user is told.
Never: executes an action, or keeps words outside the episode of their turn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from dopejar.engine.ingest.live_turns import Observation
from dopejar.engine.memory import Memory
from dopejar.errors import StaleProposalError
from dopejar.turn.conversation_state import KNOWN_TURNS, STATE_ROW, ConversationState, dump_state, load_state
from dopejar.turn.slow_tick import SlowTick, slow_tick
from dopejar.values.ids import TraceId, new_trace_id
from dopejar.values.transcript import LiveTurn
from dopejar.values.turn_decisions import AuthorisedScope, DetectedSignal, GateDecision, RoutingDecision
from dopejar.values.turn_enums import Altitude, SignalType, Stance, TurnGate
from dopejar.values.turn_state import Commitment, Lane, NorthStars
from dopejar.values.versioned_rows import KeyValueRow

if TYPE_CHECKING:
    from dopejar.values.recall import ContextPack

_ATTEMPTS: Final = 20
_NOTHING: Final = AuthorisedScope(activities=frozenset())
_QUESTIONS: Final = {
    TurnGate.WORK_DECLARATION: "Is this a piece of work to commit to?",
    TurnGate.LANE_SWITCH: "Should this take over from what you were at?",
    TurnGate.EVALUATION: "Should we look at how it went before going on?",
    TurnGate.WRITE_APPROVAL: "May this be written to memory?",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnResult:
    """One governed turn. Only what `authorised` permits may be done for it; `told` is for the user.

    A turn whose id was taken before is `repeated`: it changed nothing and authorises nothing.
    """

    trace_id: TraceId
    signals: tuple[DetectedSignal, ...]
    altitude: Altitude
    stance: Stance
    gates: tuple[GateDecision, ...]
    proposed: tuple[TurnGate, ...]
    commitment: Commitment | None
    lane: Lane | None
    routing: RoutingDecision
    authorised: AuthorisedScope
    context: ContextPack | None
    told: tuple[str, ...]
    repeated: bool = False


class Partner:
    """Governs the turns of one conversation. Made from an open memory; several may share a conversation."""

    def __init__(self, memory: Memory, *, conversation: str = "partner", stars: NorthStars | None = None) -> None:
        self._memory, self._conversation, self._stars = memory, conversation, stars or NorthStars()

    def state(self) -> ConversationState:
        """Where the conversation is, as the store has it now."""
        return self._read()[0]

    def turn(
        self, text: str, *, turn_id: str = "", before: str = "", verified: bool = False, recall: bool = True
    ) -> TurnResult:
        """Govern one utterance and keep it: the turn and the state after it in one transaction.

        Args:
            text: what the user said.
            turn_id: the host's id of the turn; the same id again changes nothing.
            before: what the utterance answers.
            verified: the user confirmed this request with high stakes.
            recall: ask memory what it says to the utterance.

        Raises:
            InputError: there is no text, or the memory was not told who speaks.
            StaleProposalError: other processes kept changing the conversation.
        """
        trace = new_trace_id()
        name = turn_id or trace
        for _ in range(_ATTEMPTS):
            state, version = self._read()
            tick = slow_tick(text, state, before=before, stars=self._stars, verified=verified)
            known = name in state.turn_ids
            after = replace(tick.state, turn_ids=(*state.turn_ids, name)[-KNOWN_TURNS:])
            row = KeyValueRow(kind=STATE_ROW, key=self._conversation, body=dump_state(after), version=version)
            try:
                is_repeated = known or self._keep(text, name, row, trace)
            except StaleProposalError:
                continue
            if is_repeated:
                return _repeated(tick, self.state(), trace)
            pack = self._memory.recall(text, outside=self._conversation, trace_id=trace) if recall else None
            return _result(tick, trace, pack)
        raise StaleProposalError(f"Other processes kept changing the conversation {self._conversation}. Try again.")

    def _read(self) -> tuple[ConversationState, int]:
        with self._memory.store.read() as view:
            row = view.held(STATE_ROW, self._conversation)
        return (load_state(row.body), row.version) if row else (ConversationState(), 0)

    def _keep(self, text: str, name: str, row: KeyValueRow, trace: TraceId) -> bool:
        """Whether the turn was there already; else it is kept, with the state after it."""
        turn = LiveTurn(conversation=self._conversation, source_id=name, text=text)
        return self._memory.observe(turn, rows=(row,), trace_id=trace).outcome is Observation.KNOWN


def _result(tick: SlowTick, trace: TraceId, pack: ContextPack | None) -> TurnResult:
    focus = tick.state.focus
    return TurnResult(
        trace_id=trace,
        signals=tick.signals,
        altitude=tick.altitude,
        stance=focus.stance,
        gates=tick.gates,
        proposed=tick.proposed,
        commitment=focus.commitment,
        lane=tick.state.lanes.active,
        routing=tick.routing,
        authorised=tick.authorised,
        context=pack,
        told=_told(tick),
    )


def _repeated(tick: SlowTick, state: ConversationState, trace: TraceId) -> TurnResult:
    said = ("This turn was taken already; nothing changed.",)
    result = _result(replace(tick, state=state, gates=(), proposed=()), trace, None)
    return replace(result, authorised=_NOTHING, told=said, repeated=True)


def _told(tick: SlowTick) -> tuple[str, ...]:
    """What the user reads: the stop, the verification or the micro-anchor, then what is asked."""
    if any(one.type is SignalType.EMERGENCY for one in tick.signals):
        return ("Stopped. Nothing goes on until you say what is right.",)
    check = tick.validation
    first = check.required_action or check.micro_anchor_text
    return tuple(line for line in (first, *(_QUESTIONS[gate] for gate in tick.proposed)) if line)

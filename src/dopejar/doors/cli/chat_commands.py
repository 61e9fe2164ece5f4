"""Commands of the governed turn: chat, trace.

Takes: what a person types. Gives: what was understood, recalled, proposed, and is asked next. Never: a rule of its own;
the partner governs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command
from dopejar.doors.cli.text_format import safe
from dopejar.errors import DopejarError, NotFoundError

if TYPE_CHECKING:
    from dopejar.turn.partner import Partner
    from dopejar.turn.replies import Response
    from dopejar.values.episode import Origin
    from dopejar.values.turn_decisions import GateDecision
    from dopejar.values.turn_result import TurnResult
    from dopejar.values.turn_state import Lane

commands = typer.Typer()

_HELP: Final = (
    "/yes, /no       answer what was proposed first",
    "/commit [GOAL]  begin a piece of work; without a goal, go on with this one",
    "/lane [ID]      list the lanes, or go on with a paused one",
    "/why            why the last turn went as it did, and what it may do",
    "/trace          the last turn or answer, step by step",
    "/verify         confirm a request that is hard to take back",
    "/undo           take back the last answer, commitment or switch",
    "/quit           leave; the conversation goes on next time",
)

Traced = Annotated[bool, typer.Option("--trace", help="Print the trace of each turn; so does DOPEJAR_TRACE=1.")]


@command(commands, "chat")
def chat(
    context: CommandContext,
    conversation: Annotated[
        str, typer.Option("--conversation", metavar="NAME", help="The conversation to go on with.")
    ] = "main",
    traced: Traced = False,
) -> int:
    """Chat with an assistant that uses memory and governs each turn; the configured language model writes the replies.

    Without a model it says what it understood, what memory knows, what it proposes and what it asks next.

    Text typed at a terminal counts as the user's; piped text counts as an assistant's. `/help` lists the commands.
    """
    from dopejar import Partner
    from dopejar.values.episode import Origin

    traced = traced or os.environ.get("DOPEJAR_TRACE") == "1"
    origin = Origin.USER if context.at_terminal else Origin.ASSISTANT
    with context.open_for_writing() as memory:
        talk = _Chat(context, Partner(memory, conversation), origin, traced=traced)
        context.note(safe(talk.partner.where_we_were()) or "Say what is on your mind. /help lists the commands.")
        for line in _typed(context):
            if line == "/quit":
                break
            try:
                talk.hear(line)
            except DopejarError as fault:  # one line that cannot be done does not end the conversation
                context.note(str(fault))
    return OK


@command(commands, "trace")
def trace(
    context: CommandContext,
    trace_id: Annotated[str, typer.Argument(metavar="ID", help="The trace id of a turn.")],
) -> int:
    """Show what a governed turn did, step by step. Traces are kept for two weeks and hold no words of the turn."""
    from dopejar import Partner
    from dopejar.turn.traces import trace_lines

    with context.open_memory(detect_project=False) as memory:
        events = Partner(memory).trace(trace_id)
    if not events:
        raise NotFoundError(f"There is no trace {trace_id!r}. `/trace` in `dopejar chat` shows that of the last turn.")
    context.answer({"events": [json_fields(event) for event in events]}, lambda: trace_lines(events))
    return OK


class _Chat:
    """A conversation at a terminal: the partner, and its last turn."""

    def __init__(self, context: CommandContext, partner: Partner, origin: Origin, *, traced: bool) -> None:
        self._context, self.partner, self._origin, self._traced = context, partner, origin, traced
        self._last: TurnResult | None = None
        self._unconfirmed: list[str] = []  # a request that waits for /verify, and the turn after it

    def hear(self, line: str) -> None:
        """Take one line: a command, or a turn."""
        word, _, rest = line.partition(" ")
        if not line.startswith("/"):
            self._turn(line)
        elif word in {"/yes", "/no"}:
            self._answer(approved=word == "/yes")
        elif word == "/commit":
            self._step(lambda: self.partner.commit(rest, origin=self._origin))
        elif word == "/lane":
            self._lane(rest.strip())
        elif word == "/verify":
            self._verify()
        elif word == "/undo":
            self.partner.undo()
            self._say(["Taken back.", governance_line(self.partner)])
        else:
            self._look(word)

    def _turn(self, text: str, *, verified: bool = False) -> None:
        def hear(piece: str) -> None:
            if not self._context.as_json:
                sys.stdout.write(safe(piece))
                sys.stdout.flush()

        def governed(_: TurnResult) -> None:
            hear(f"{governance_line(self.partner)}\n")

        response = self.partner.respond(text, origin=self._origin, verified=verified, hear=hear, governed=governed)
        self._last = response.turn
        self._note_unconfirmed(text, verified=verified)
        data = json_fields(response.turn) | {"reply": response.text, "model": response.model, "fault": response.fault}
        self._context.answer(data, lambda: self._behind(response))
        if response.fault:
            self._context.note(safe(response.fault))
        if self._traced:
            self._look("/trace")

    def _behind(self, response: Response) -> Iterator[str]:
        """What stands behind the reply: what governance says beside a model's words, and how proposals are answered."""
        yield ""  # ends the line of the reply
        if response.model:
            yield from map(safe, response.turn.tell)
        if len(self._unconfirmed) > 1:
            yield f"Not confirmed yet: {safe(self._unconfirmed[0])}"
        if self._unconfirmed:
            yield "(/verify)"
        if response.turn.tell and response.turn.proposals:
            yield "(/yes, /no)"

    def _note_unconfirmed(self, text: str, *, verified: bool) -> None:
        """What waits to be confirmed after a turn: it waits through one turn that says something else."""
        if self._last is not None and self._last.validation.requires_verification:
            self._unconfirmed = [text]
        elif verified or len(self._unconfirmed) > 1:
            self._unconfirmed = []
        elif self._unconfirmed:
            self._unconfirmed.append(text)

    def _verify(self) -> None:
        if not self._unconfirmed:
            self._say(["Nothing waits to be verified."])
            return
        if len(self._unconfirmed) > 1:
            self._say([f"Of: {safe(self._unconfirmed[0])}"])
        self._turn(self._unconfirmed[0], verified=True)

    def _answer(self, *, approved: bool) -> None:
        proposals = self.partner.state.proposals
        if not proposals:
            self._say(["Nothing waits for an answer."])
        else:
            self._step(lambda: self.partner.answer(proposals[0].gate, approved=approved), declined=not approved)

    def _lane(self, lane_id: str) -> None:
        lanes = self.partner.state.lanes.lanes
        if lane_id:
            self._step(lambda: self.partner.switch_lane(lane_id))
        elif lanes:
            self._say(f"{lane.lane_id}  {lane.status:9}  {safe(_place_of(lane))}" for lane in lanes)
        else:
            self._say(["There are no lanes. `/commit GOAL` begins one."])

    def _step(self, act: Callable[[], GateDecision | None], *, declined: bool = False) -> None:
        """An answer, a commitment or a switch: what it changed, and what is asked next."""
        from dopejar.turn.prompt_parts import step_lines

        before = self.partner.state
        decision = act()
        after = self.partner.state
        lines = [safe(line) for line in step_lines(before, after)]
        if decision is not None and not decision.passed:
            lines = [f"Not passed: {decision.reason}."]
        if declined:
            lines = ["All right, it stays as it is.", *lines]
        self._say([governance_line(self.partner), *lines, *(["(/yes, /no)"] if after.proposals else [])])

    def _look(self, word: str) -> None:
        from dopejar.turn.traces import trace_lines

        result, trace_id = self._last, self.partner.last_trace
        if word == "/why" and result is not None:
            self._say(why_lines(result))
        elif word == "/trace" and trace_id is not None:
            self._say([f"trace {trace_id}", *trace_lines(self.partner.trace(trace_id))])
        else:
            self._say(_HELP if word not in {"/why", "/trace"} else ["No turn was taken yet."])

    def _say(self, lines: Iterable[str]) -> None:
        shown = list(lines)
        self._context.answer({"lines": shown}, shown)


def _place_of(lane: Lane) -> str:
    return lane.bookmark if lane.status == "paused" else lane.lease_goal


def governance_line(partner: Partner) -> str:
    """Where the conversation is: altitude, stance, commitment, lane."""
    from dopejar.turn.prompt_parts import turns

    state = partner.state
    focus, lane = state.focus, state.lanes.active
    commitment = focus.commitment
    held = f"{safe(commitment.goal)} ({turns(commitment.turns_remaining)})" if commitment else "no commitment"
    return f"[{state.altitude.current_level} · {focus.stance} · {held} · {lane.lane_id if lane else 'no lane'}]"


def why_lines(result: TurnResult) -> Iterator[str]:
    """Why a turn went as it did: its signals' words, altitude, gates, strategy; and what it may do."""
    for signal in result.signals:
        shown = f"\u201c{safe(signal.phrase)}\u201d" if signal.phrase else "by no phrase"
        yield f"signal      {signal.type}: {shown} ({signal.confidence:.2f})"
    yield f"altitude    {result.altitude}: {result.validation.reason}"
    for decision in result.decisions:
        yield f"gate        {decision.gate}: {'passed' if decision.passed else 'refused'}, {decision.reason}"
    care = f", care level {result.routing.escalation_level}" if result.routing.escalation_level else ""
    yield f"strategy    {result.routing.strategy}: {result.routing.reason} ({result.routing.confidence:.2f}){care}"
    yield f"may         {', '.join(sorted(result.authorised.activities)) or 'nothing'}"


def _typed(context: CommandContext) -> Iterator[str]:
    """The lines of standard input that say something; at a terminal behind a prompt."""
    while True:
        if context.may_ask:
            sys.stdout.write("> ")  # the prompt
            sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()

"""Commands of the governed turn: chat, trace.

Takes: what a person types. Gives: what was understood, recalled, proposed, and is asked next. Never: a rule of its own;
the partner governs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command
from dopejar.doors.cli.text_format import safe
from dopejar.errors import DopejarError, NotFoundError

if TYPE_CHECKING:
    from dopejar.turn.partner import Partner
    from dopejar.values.episode import Origin
    from dopejar.values.turn_decisions import GateDecision
    from dopejar.values.turn_result import TurnResult

commands = typer.Typer()

_SHOWN: Final = 3  # recalled items
_HELP: Final = (
    "/yes, /no     answer what was proposed first",
    "/commit GOAL  begin a piece of work: a lane with a commitment",
    "/lane [ID]    list the lanes, or go on with a paused one",
    "/why          why the last turn went as it did",
    "/trace        the last turn, step by step",
    "/verify       confirm a request that is hard to take back",
    "/undo         take back the last answer, commitment or switch",
    "/quit         leave; the conversation goes on next time",
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
    """Talk with the governed partner, without a language model: it says what it understood, recalled and proposes.

    Words typed at a terminal are the user's; piped ones are taken for an assistant's. `/help` lists the commands.
    """
    from dopejar import Partner
    from dopejar.values.episode import Origin

    traced = traced or os.environ.get("DOPEJAR_TRACE") == "1"
    origin = Origin.USER if context.at_terminal else Origin.ASSISTANT
    with context.open_for_writing() as memory:
        talk = _Chat(context, Partner(memory, conversation), origin, traced=traced)
        if where := talk.partner.where_we_were():
            context.note(safe(where))
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
        self._text = ""

    def hear(self, line: str) -> None:
        """Take one line: a command, or a turn."""
        word, _, rest = line.partition(" ")
        if not line.startswith("/"):
            self._turn(line)
        elif word in {"/yes", "/no"}:
            self._answer(approved=word == "/yes")
        elif word == "/commit":
            self._moved(self.partner.commit(rest, origin=self._origin))
        elif word == "/lane":
            self._lane(rest.strip())
        elif word == "/verify" and self._last is not None:
            self._turn(self._text, verified=True)
        elif word == "/undo":
            self.partner.undo()
            self._say(["Taken back.", governance_line(self.partner)])
        else:
            self._look(word)

    def _turn(self, text: str, *, verified: bool = False) -> None:
        result = self.partner.turn(text, origin=self._origin, verified=verified)
        self._last, self._text = result, text
        self._context.answer(json_fields(result), lambda: [governance_line(self.partner), *reply_lines(result)])
        if self._traced:
            self._look("/trace")

    def _answer(self, *, approved: bool) -> None:
        proposals = self.partner.state.proposals
        if not proposals:
            self._say(["Nothing waits for an answer."])
            return
        self._moved(self.partner.answer(proposals[0].gate, approved=approved))

    def _lane(self, lane_id: str) -> None:
        if lane_id:
            self.partner.switch_lane(lane_id)
            self._say([governance_line(self.partner)])
            return
        lanes = self.partner.state.lanes.lanes
        self._say(
            f"{lane.lane_id}  {lane.status:9}  {safe(lane.lease_goal)}" for lane in lanes
        ) if lanes else self._say(["There are no lanes. `/commit GOAL` begins one."])

    def _moved(self, decision: GateDecision | None) -> None:
        if decision is not None and not decision.passed:
            self._say([f"Not passed: {decision.reason}."])
        self._say([governance_line(self.partner)])

    def _look(self, word: str) -> None:
        from dopejar.turn.traces import trace_lines

        result = self._last
        if word == "/why" and result is not None:
            self._say(why_lines(result))
        elif word == "/trace" and result is not None:
            self._say([f"trace {result.trace_id}", *trace_lines(self.partner.trace(result.trace_id))])
        else:
            self._say(_HELP if word not in {"/why", "/trace", "/verify"} else ["No turn was taken yet."])

    def _say(self, lines: Iterable[str]) -> None:
        shown = list(lines)
        self._context.answer({"lines": shown}, shown)


def governance_line(partner: Partner) -> str:
    """Where the conversation is: altitude, stance, commitment, lane."""
    state = partner.state
    focus, lane = state.focus, state.lanes.active
    commitment = focus.commitment
    held = f"{safe(commitment.goal)} ({commitment.turns_remaining} turns)" if commitment else "no commitment"
    return f"[{state.altitude.current_level} · {focus.stance} · {held} · {lane.lane_id if lane else 'no lane'}]"


def reply_lines(result: TurnResult) -> Iterator[str]:
    """What was understood, recalled, proposed, and is asked next."""
    signals = ", ".join(one.type for one in result.signals)
    yield f"understood  {signals}; {result.request_type}; {result.routing.strategy}"
    items = result.context.items if result.context is not None else ()
    for item in items[:_SHOWN]:
        yield f"recalled    {safe(item.text)}"
    if len(items) > _SHOWN:
        yield f"            and {len(items) - _SHOWN} more"
    for proposal in result.proposals:
        yield f"proposed    {proposal.gate} (/yes, /no)"
    for line in result.tell:
        yield f"next        {safe(line)}"
    may = ", ".join(sorted(result.authorised.activities)) or "nothing"
    yield f"may         {may}"


def why_lines(result: TurnResult) -> Iterator[str]:
    """Why a turn went as it did: its signals' words, altitude, gates, strategy."""
    for signal in result.signals:
        yield f"{signal.type}: {safe(signal.phrase) or 'no phrase'} ({signal.confidence:.2f})"
    yield f"{result.altitude}: {result.validation.reason}"
    for decision in result.decisions:
        yield f"{decision.gate} gate: {'passed' if decision.passed else 'refused'}, {decision.reason}"
    yield f"{result.routing.strategy}: {result.routing.reason} ({result.routing.confidence:.2f})"


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

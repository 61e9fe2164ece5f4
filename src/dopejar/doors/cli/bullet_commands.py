"""`bullets`: what an agent learned about how to work, from the staging area to the shared side.

Takes: advice, outcomes, decisions. Gives: bullets as they end up. Never: decides without a reviewer, or counts an
agent's own praise.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dopejar.doors.cli.bullet_output import (
    automatic_data,
    automatic_line,
    bullet_data,
    bullet_detail,
    bullet_lines,
    dropped,
    plan_data,
    plan_lines,
)
from dopejar.doors.cli.command_context import OK, WAITS, CommandContext, run_housekeeping
from dopejar.doors.cli.command_registry import command, group
from dopejar.errors import InputError, UsageError
from dopejar.pipelines.procedural.options import AUTO_ASSIGN

if TYPE_CHECKING:
    from dopejar.engine.bullets.procedural_memory import ProceduralMemory
    from dopejar.engine.dependencies import Reviewer, Speaker
    from dopejar.engine.memory import Memory
    from dopejar.pipelines.procedural.bullets import Bullet

commands = group(
    """Bullets, what was learned about how to work: add, list, assign, reject, outcome, maintain. The bare word lists.

    A bullet waits in the staging area until it is assigned to the left hemisphere (definite rules and checks) or the
    right one (trying, asking, exploring). There it is on trial; two helpful outcomes in two conversations prove it.
    """
)

SIDES: Final = ("left", "right")
SUGGESTED: Final = "suggested"

BulletName = Annotated[str, typer.Argument(metavar="ID", help="A bullet, by id or the beginning of one.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="WORD", help="A word to find it by; may be repeated.")]


@command(commands, "list")
def list_bullets(
    context: CommandContext,
    side: Annotated[
        str, typer.Option("--side", metavar="SIDE", help="staging, left, right or shared; any where omitted.")
    ] = "",
    priority: Annotated[
        str, typer.Option("--priority", metavar="LEVEL", help="Staged ones that need a person so much.")
    ] = "",
    every: Annotated[bool, typer.Option("--all", help="Also those that are out of use.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 50,
) -> int:
    """List bullets: those that wait first by how much they need a person, the others by score.

    dopejar bullets list --side staging --priority high
    """
    from dopejar.values.record import Status

    statuses = tuple(one for one in Status if one is not Status.ERASED)
    with context.open_memory() as memory:
        known = _of(memory)
        if side == "staging" or priority:
            found = known.list_staged(priority or None, limit)
        else:
            found = known.list_bullets(side or None, statuses, limit) if every else known.list_bullets(side or None)
        report = known.automatic_assignments()
    data = {"bullets": [bullet_data(one) for one in found[:limit]], "automatic": automatic_data(report)}
    context.answer(data, lambda: bullet_lines(found[:limit]))
    if not found:
        context.note("No bullet fits this. `dopejar bullets add TEXT` adds one; `learn` stages what tools taught.")
    if report.assigned:
        context.note(automatic_line(report))
    if len(found) > limit:
        context.note(f"There are {len(found)}: --limit {len(found)}.")
    return OK


@command(commands, "add")
def add(
    context: CommandContext,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="One piece of advice; `-` reads standard input.")],
    source: Annotated[
        str, typer.Option("--source", metavar="SIDE", help="Which hemisphere had it, left or right: a weak hint.")
    ] = "",
    kind: Annotated[
        str, typer.Option("--type", metavar="TYPE", help="heuristic, tool_rule, checklist, pitfall, question, ...")
    ] = "heuristic",
    tag: Tags = None,
    confidence: Annotated[
        float, typer.Option("--confidence", min=0.0, max=1.0, metavar="X", help="How sure its source is.")
    ] = 0.5,
    trace: Annotated[str, typer.Option("--trace", metavar="ID", help="The trace in which it was learned.")] = "",
    auto_assign: Annotated[
        bool | None,
        typer.Option("--auto-assign/--no-auto-assign", help="Assign it at once where the classifier is sure enough."),
    ] = None,
    side: Annotated[
        str, typer.Option("--side", metavar="SIDE", help="Straight onto left or right, on trial. Asks for a reviewer.")
    ] = "",
) -> int:
    """Add a bullet. It waits in the staging area, with the side that suits it beside it; exit code 4 while it waits.

    dopejar bullets add "Run the linter before every commit." --type checklist --tag ci
    """
    words = sys.stdin.read() if text == "-" else text
    with context.open_memory() as memory:
        known = _of(memory)
        if side:
            by = _reviewer(memory)
            found = known.add_to_hemisphere(
                words, side, kind, tag or (), confidence, trace, reviewer=by, trace_id=context.trace_id
            )
        else:
            found = known.add(
                words, source, kind, tag or (), confidence, trace, auto_assign,
                speaker=_speaker(context, memory), trace_id=context.trace_id,
            )  # fmt: skip
        run_housekeeping(memory)
    context.answer(bullet_data(found), lambda: bullet_detail(found))
    return WAITS if found.status == "staged" else OK


@command(commands, "show")
def show(context: CommandContext, name: BulletName) -> int:
    """Show one bullet: where it stands, what came of using it, and why its side was suggested."""
    with context.open_memory() as memory:
        found = _one(memory, name)
    context.answer(bullet_data(found), lambda: bullet_detail(found))
    return OK


@command(commands, "assign")
def assign(
    context: CommandContext,
    names: Annotated[
        list[str],
        typer.Argument(metavar="ID... SIDE", help="Bullets, or `all`, and where they go: left, right or suggested."),
    ],
    min_confidence: Annotated[
        float,
        typer.Option("--min-confidence", min=0.0, max=1.0, metavar="X", help="With `all`: only where it is so sure."),
    ] = AUTO_ASSIGN,
) -> int:
    """Assign staged bullets to a hemisphere, all in one act that `undo` takes back whole. Asks for a reviewer.

    `suggested` takes each to the side that the classifier suggests.

    For example:

        dopejar bullets assign m_4k2v left
        dopejar bullets assign all suggested --min-confidence 0.85
    """
    *chosen, side = names
    if side not in (*SIDES, SUGGESTED) or not chosen:
        raise UsageError("Name the bullets and then the side: `dopejar bullets assign ID left`, right or suggested.")
    with context.open_for_writing() as memory:
        choices = dict(_choices(memory, chosen, side, min_confidence))
        found = _of(memory).assign(choices, _reviewer(memory), trace_id=context.trace_id) if choices else ()
    if not found:
        context.note("Nothing waits that fits this.")
    context.answer({"bullets": [bullet_data(one) for one in found]}, lambda: bullet_lines(found))
    return OK


def _choices(memory: Memory, names: Sequence[str], side: str, least: float) -> Iterator[tuple[str, str]]:
    """Each bullet with its side. Raises InputError for one without a suggestion that is to go where it is suggested."""
    if "all" in names:
        for one in _of(memory).list_staged(limit=1_000_000):
            is_sure = one.classification_confidence >= least and not one.is_flagged and not one.has_conflict
            if is_sure and one.suggested_hemisphere in SIDES:
                yield one.id, str(one.suggested_hemisphere) if side == SUGGESTED else side
        return
    for name in names:
        found = _one(memory, name)
        if side == SUGGESTED and found.suggested_hemisphere not in SIDES:
            raise InputError(f"{found.id} suits neither side clearly; assign it to left or right yourself.")
        yield found.id, str(found.suggested_hemisphere) if side == SUGGESTED else side


@command(commands, "reject")
def reject(
    context: CommandContext,
    names: Annotated[list[str], typer.Argument(metavar="ID", help="Staged bullets.")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; kept with the bullet.")] = "",
) -> int:
    """Reject staged bullets; they stay readable and are not proposed again. Asks for a reviewer."""
    with context.open_for_writing() as memory:
        by, known = _reviewer(memory), _of(memory)
        found = [known.reject_staged_bullet(one, reason, by, trace_id=context.trace_id) for one in names]
    context.answer({"bullets": [bullet_data(one) for one in found]}, lambda: bullet_lines(found))
    return OK


@command(commands, "outcome")
def outcome(
    context: CommandContext,
    name: BulletName,
    told: Annotated[str, typer.Argument(metavar="OUTCOME", help="helpful or harmful.")],
    evidence: Annotated[
        str,
        typer.Option("--evidence", metavar="ID|TEXT", help="The turn that bears it out, by id; or in your own words."),
    ] = "",
    session: Annotated[
        str, typer.Option("--session", metavar="NAME", help="The conversation it was in, where no turn is named.")
    ] = "",
) -> int:
    """Note that using a bullet helped or did harm. Two helpful ones from two conversations prove it.

    Only results of tools and tests and the user's own word count; what an agent says by itself waits for a person.

    dopejar bullets outcome m_4k2v helpful --evidence "The tests passed after it."
    """
    with context.open_for_writing() as memory:
        before = _one(memory, name)
        found = _of(memory).record_outcome(
            name, told, evidence, speaker=_speaker(context, memory), session=session, trace_id=context.trace_id
        )
    counted = (before.helpful_count, before.harmful_count) != (found.helpful_count, found.harmful_count)
    if not counted:
        context.note("Not counted: it was counted before, or waits in `dopejar review`.")
    context.answer({**bullet_data(found), "counted": counted}, lambda: bullet_detail(found))
    return OK


@command(commands, "share")
def share(
    context: CommandContext,
    name: BulletName,
    text: Annotated[str, typer.Option("--text", metavar="TEXT", help="Words for both; softer ones if none.")] = "",
    confirm: Annotated[bool, typer.Option("--confirm", help="You confirm it for the other hemisphere.")] = False,
) -> int:
    """Copy a proven bullet to the shared side, for both hemispheres. Asks for a reviewer."""
    with context.open_for_writing() as memory:
        found = _of(memory).share(name, _reviewer(memory), text=text, confirmed=confirm, trace_id=context.trace_id)
    context.answer(bullet_data(found), lambda: bullet_detail(found))
    return OK


@command(commands, "find")
def find(
    context: CommandContext,
    query: Annotated[str, typer.Argument(metavar="TASK", help="What is to be done, in plain words.")],
    side: Annotated[str, typer.Option("--side", metavar="SIDE", help="left or right.")] = "left",
    count: Annotated[int | None, typer.Option("--count", min=1, help="How many of that side at most.")] = None,
) -> int:
    """The best bullets of one hemisphere for a task, with the shared ones; those on trial are marked unproven."""
    with context.open_memory() as memory:
        found = _of(memory).retrieve(query, side, count)
    context.answer({"bullets": [bullet_data(one) for one in found]}, lambda: bullet_lines(found))
    return OK


@command(commands, "reflect")
def reflect(
    context: CommandContext,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="CONVERSATION", help="Kept conversations; all where omitted.")
    ] = None,
) -> int:
    """Learn bullets from kept conversations: failures that were mended, fixes that the user confirmed."""
    with context.open_for_writing() as memory:
        taken = _of(memory).reflect(names or (), trace_id=context.trace_id)
    found = [bullet for one in taken for bullet in one.bullets]
    if not found:
        context.note("Nothing was learned from them.")
    data = {"bullets": [bullet_data(one) for one in found], "dropped": dropped(taken)}
    context.answer(data, lambda: bullet_lines(found))
    return OK


@command(commands, "maintain")
def maintain(
    context: CommandContext,
    policy: Annotated[
        str, typer.Option("--policy", metavar="NAME", help="aggressive, balanced or conservative.")
    ] = "balanced",
    propose: Annotated[bool, typer.Option("--propose", help="Put the changes into the review queue.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Do them, in one act. Asks for a reviewer.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Also where more than 50 bullets change.")] = False,
) -> int:
    """Show what is due: duplicates to merge, useless and harmful ones to retire, contradictions. Nothing is changed.

    With --propose it waits for a person, with --apply it is done. At most 100 bullets change in a run.
    """
    if propose and apply:
        raise UsageError("Either --propose or --apply.")
    with context.open_memory() as memory:
        known = _of(memory)
        by = _reviewer(memory) if apply else None
        done = known.maintain(
            policy, reviewer=by, preview=not (propose or apply), force=force, trace_id=context.trace_id
        )
        report = known.automatic_assignments()
    if done.plan.is_narrow:
        context.note(f"The two hemispheres have grown alike: diversity {done.plan.diversity:.2f}, below .15.")
    context.answer(plan_data(done, report), lambda: plan_lines(done, report))
    return OK


@command(commands, "export")
def export(
    context: CommandContext,
    path: Annotated[str, typer.Argument(metavar="FILE", help="Where to; standard output where omitted.")] = "",
    staged: Annotated[bool, typer.Option("--staged", help="Also those that wait.")] = False,
) -> int:
    """Write the playbook as text with sections and counters; as JSON with --json, or to a FILE that ends in .json."""
    with context.open_memory() as memory:
        known = _of(memory)
        text = known.export_playbook(as_json=context.as_json or path.endswith(".json"), with_staged=staged)
    if not path:
        sys.stdout.write(text)
        return OK
    target = Path(path)
    if target.exists():
        raise InputError(f"{target} exists already; name a file that does not.")
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise InputError(f"{target} cannot be written: {fault.strerror}.") from fault
    context.answer({"path": path}, [f"Written to {target}."])
    return OK


@command(commands, "import")
def import_(
    context: CommandContext,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A playbook as text or JSON.")],
    place: Annotated[
        bool, typer.Option("--place", help="Keep the sides of its sections, on trial. Asks for a reviewer.")
    ] = False,
) -> int:
    """Take in a playbook: its bullets wait in the staging area. Its counters are not taken over."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(f"{path} cannot be read: {fault}.") from fault
    with context.open_for_writing() as memory:
        by = _reviewer(memory) if place else None
        speaker = None if by else _speaker(context, memory)
        taken = _of(memory).import_playbook(text, reviewer=by, speaker=speaker, trace_id=context.trace_id)
    found, left_out = taken.bullets, dropped([taken])
    context.answer({"bullets": [bullet_data(one) for one in found], "dropped": left_out}, lambda: bullet_lines(found))
    if left_out:
        context.note(f"{len(left_out)} were left out: {left_out[0]['reason']}.")
    return OK


def _of(memory: Memory) -> ProceduralMemory:
    from dopejar.engine.bullets.procedural_memory import ProceduralMemory

    return ProceduralMemory.of(memory)


def _reviewer(memory: Memory) -> Reviewer:
    from dopejar.doors.cli.authentication import reviewer

    return reviewer(memory)


def _speaker(context: CommandContext, memory: Memory) -> Speaker:
    """The user at a terminal or with a reviewer's credential; a program's words are an assistant's."""
    from dopejar.doors.cli.authentication import known_reviewer
    from dopejar.engine.dependencies import Speaker
    from dopejar.values.episode import Origin

    if context.at_terminal or known_reviewer(memory) is not None:
        return Speaker()
    return Speaker(origin=Origin.ASSISTANT, name="cli")


def _one(memory: Memory, name: str) -> Bullet:
    return _of(memory).bullet(name)

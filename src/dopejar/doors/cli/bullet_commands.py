"""The `bullets` commands: procedural know-how, from the staging area to the shared side.

Takes: advice, outcomes, decisions. Gives: the resulting bullets. Never: decides without a reviewer, or counts an
agent's statement about its own success as an outcome.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dopejar.doors.cli import playbook_commands
from dopejar.doors.cli.authentication import authenticate, known_reviewer, place_id
from dopejar.doors.cli.bullet_output import (
    automatic_data,
    automatic_line,
    bullet_data,
    bullet_detail,
    bullet_lines,
    dropped_insights,
    plan_data,
    plan_lines,
)
from dopejar.doors.cli.command_context import OK, WAITS, CommandContext, run_housekeeping
from dopejar.doors.cli.command_registry import AllProjects, command, each_named, group
from dopejar.doors.cli.playbook_commands import bullet_speaker
from dopejar.engine.dependencies import AUTO_ASSIGN
from dopejar.errors import InputError, NotFoundError, UsageError
from dopejar.values.ids import proposal_id_of
from dopejar.values.record import Status

if TYPE_CHECKING:
    from dopejar.engine.bullets.procedural_memory import Bullet
    from dopejar.engine.memory import Memory
    from dopejar.values.ids import ProposalId

commands = group(
    """Manage bullets, which are short pieces of advice on how to work. Without a subcommand, lists them.

    A new bullet waits in the staging area until it is assigned to a hemisphere: left for definite rules and checks,
    right for trying, asking and exploring. There it is on trial, until two helpful outcomes in two conversations prove
    it, one of them a reviewer's.
    """
)

SIDES: Final = ("left", "right")
SUGGESTED: Final = "suggested"

BulletName = Annotated[str, typer.Argument(metavar="ID", help="A bullet, by id or unique id prefix.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="WORD", help="A tag; may be repeated.")]


@command(commands, "list")
def list_bullets(
    context: CommandContext,
    side: Annotated[
        str, typer.Option("--side", metavar="SIDE", help="staging, left, right or shared. Default: any.")
    ] = "",
    priority: Annotated[
        str,
        typer.Option("--priority", metavar="LEVEL", help="Only staged bullets of this priority: low, medium, high."),
    ] = "",
    every: Annotated[bool, typer.Option("--all", help="Include bullets that are out of use.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="The maximum number of bullets.")] = 50,
    all_projects: AllProjects = False,
) -> int:
    """List bullets. Staged bullets come first, by review priority; the others follow by score.

    For example:

        dopejar bullets list --side staging --priority high
    """
    statuses = tuple(status for status in Status if status is not Status.ERASED)
    with context.open_memory() as memory:
        versions = memory.review.versions()
        if side == "staging" or priority:
            bullets = memory.bullets.list_staged(priority or None, limit, all_projects=all_projects)
        elif every:
            bullets = memory.bullets.list_bullets(side or None, statuses, limit, all_projects=all_projects)
        else:
            bullets = memory.bullets.list_bullets(side or None, all_projects=all_projects)
        _note_shown(memory, versions, bullets[:limit])
        report = memory.bullets.automatic_assignments()
    data = {"bullets": [bullet_data(bullet) for bullet in bullets[:limit]], "automatic": automatic_data(report)}
    context.answer(data, lambda: bullet_lines(bullets[:limit]))
    if not bullets:
        context.note("No bullet matches. `dopejar bullets add` adds one; `dopejar bullets reflect` learns some.")
    if report.assigned:
        context.note(automatic_line(report))
    if len(bullets) > limit:
        context.note(f"Showing {limit} of {len(bullets)}: raise --limit to see all.")
    return OK


@command(commands, "add")
def add(
    context: CommandContext,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="One piece of advice; `-` reads stdin.")],
    source: Annotated[
        str, typer.Option("--source", metavar="SIDE", help="A weak hint: the hemisphere it came from, left or right.")
    ] = "",
    kind: Annotated[
        str,
        typer.Option(
            "--type",
            metavar="TYPE",
            help="heuristic, tool_rule, checklist, pitfall, template, example, pattern, concept or question.",
        ),
    ] = "heuristic",
    tag: Tags = None,
    confidence: Annotated[
        float, typer.Option("--confidence", min=0.0, max=1.0, metavar="X", help="How certain its source is.")
    ] = 0.5,
    trace: Annotated[
        str, typer.Option("--trace", metavar="ID", help="The id of the trace in which it was learned.")
    ] = "",
    auto_assign: Annotated[
        bool | None,
        typer.Option(
            "--auto-assign/--no-auto-assign",
            help="--no-auto-assign keeps it staged where `procedural.staging.auto_assign` would assign it.",
        ),
    ] = None,
    side: Annotated[
        str, typer.Option("--side", metavar="SIDE", help="Put it on left or right at once, on trial. Needs a reviewer.")
    ] = "",
) -> int:
    """Add a bullet. It waits in the staging area with a suggested side; the exit code is 4 while it waits.

    For example:

        dopejar bullets add "Run the linter before every commit." --type checklist --tag ci
    """
    words = sys.stdin.read() if text == "-" else text
    with context.open_memory() as memory:
        if side:
            by = authenticate(memory)
            bullet = memory.bullets.add_to_hemisphere(
                words, side, kind, tag or (), confidence, trace, reviewer=by, trace_id=context.trace_id
            )
        else:
            bullet = memory.bullets.add(
                words, source, kind, tag or (), confidence, trace, auto_assign,
                speaker=bullet_speaker(context, memory), trace_id=context.trace_id,
            )  # fmt: skip
        is_automatic = memory.bullets.options.auto_assign
        run_housekeeping(memory)
    if auto_assign and not is_automatic:
        context.note("It waits: only the setting `procedural.staging.auto_assign` assigns bullets without a reviewer.")
    context.answer(bullet_data(bullet), lambda: bullet_detail(bullet))
    return WAITS if bullet.status == "staged" else OK


@command(commands, "show")
def show(context: CommandContext, name: BulletName) -> int:
    """Show one bullet: its status, its outcomes, and why its side was suggested."""
    with context.open_memory() as memory:
        versions = memory.review.versions()
        bullet = memory.bullets.bullet(name)
        _note_shown(memory, versions, [bullet])
    context.answer(bullet_data(bullet), lambda: bullet_detail(bullet))
    return OK


def _note_shown(memory: Memory, versions: Mapping[ProposalId, int], bullets: Sequence[Bullet]) -> None:
    """Note the versions of the bullets that are shown here: only these are assigned or rejected here."""
    shown = {proposal_id_of(bullet.id) for bullet in bullets}
    memory.review.note_shown(place_id(), {name: version for name, version in versions.items() if name in shown})


@command(commands, "assign")
def assign(
    context: CommandContext,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="ID... SIDE",
            help="Bullets or `all`, then the side: left, right or suggested.",
            callback=each_named,
        ),
    ],
    min_confidence: Annotated[
        float,
        typer.Option("--min-confidence", min=0.0, max=1.0, metavar="X", help="With `all`: the minimum confidence."),
    ] = AUTO_ASSIGN,
) -> int:
    """Assign staged bullets to a hemisphere, all in one act that `undo` can revert. Needs a reviewer.

    Takes bullets that `bullets list`, `bullets show` or `review` showed at this terminal and that are unchanged since.

    `suggested` assigns each bullet to the side that the classifier suggests.

    For example:

        dopejar bullets assign m_4k2v left
        dopejar bullets assign all suggested --min-confidence 0.85
    """
    *chosen, side = names
    if side not in (*SIDES, SUGGESTED) or not chosen:
        raise UsageError("Give the bullets, then left, right or suggested: `dopejar bullets assign ID left`.")
    with context.open_for_writing() as memory:
        choices = dict(_choices(memory, chosen, side, min_confidence))
        by = authenticate(memory) if choices else None
        seen = memory.review.shown(place_id()).versions
        bullets = memory.bullets.assign(choices, by, seen=seen, trace_id=context.trace_id) if choices else ()
    if not bullets:
        context.note("No staged bullet matches.")
    context.answer({"bullets": [bullet_data(bullet) for bullet in bullets]}, lambda: bullet_lines(bullets))
    return OK


def _choices(memory: Memory, names: Sequence[str], side: str, min_confidence: float) -> Iterator[tuple[str, str]]:
    """Each bullet with its side.

    `all` are the staged bullets that were shown here.

    Raises:
        NotFoundError: none was shown here.
        InputError: the side is `suggested`, and the classifier has no suggestion for a bullet.
    """
    if "all" in names:
        shown = memory.review.shown(place_id()).versions
        staged = memory.bullets.list_staged(limit=1_000_000)
        listed = [bullet for bullet in staged if proposal_id_of(bullet.id) in shown]
        if staged and not listed:
            raise NotFoundError("No staged bullet was shown here. Run `dopejar bullets list --side staging` first.")
        for bullet in listed:
            is_clear = not bullet.is_flagged and not bullet.has_conflict
            is_clear = is_clear and bullet.classification_confidence >= min_confidence
            if is_clear and bullet.suggested_hemisphere in SIDES:
                yield bullet.id, str(bullet.suggested_hemisphere) if side == SUGGESTED else side
        return
    for name in names:
        bullet = memory.bullets.bullet(name)
        if side == SUGGESTED and bullet.suggested_hemisphere not in SIDES:
            raise InputError(f"The classifier suggests no side for {bullet.id}. Assign it to left or right explicitly.")
        yield bullet.id, str(bullet.suggested_hemisphere) if side == SUGGESTED else side


@command(commands, "reject")
def reject(
    context: CommandContext,
    names: Annotated[list[str], typer.Argument(metavar="ID", help="Staged bullets.", callback=each_named)],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="The reason; stored with the bullet.")] = "",
) -> int:
    """Reject staged bullets. They stay readable and are not proposed again. Needs a reviewer."""
    with context.open_for_writing() as memory:
        by, trace = authenticate(memory), context.trace_id
        seen = memory.review.shown(place_id()).versions
        bullets = [memory.bullets.reject_staged_bullet(name, reason, by, seen=seen, trace_id=trace) for name in names]
    context.answer({"bullets": [bullet_data(bullet) for bullet in bullets]}, lambda: bullet_lines(bullets))
    return OK


@command(commands, "outcome")
def outcome(
    context: CommandContext,
    name: BulletName,
    result: Annotated[str, typer.Argument(metavar="OUTCOME", help="helpful or harmful.")],
    evidence: Annotated[
        str,
        typer.Option("--evidence", metavar="ID|TEXT", help="The id of the turn that shows it, or a description."),
    ] = "",
    session: Annotated[
        str, typer.Option("--session", metavar="NAME", help="The conversation it happened in, if no turn is given.")
    ] = "",
) -> int:
    """Record that using a bullet was helpful or harmful. Two helpful outcomes in two conversations prove a bullet.

    Only tool results, test results and statements of the user count. An agent's own statement waits for review. A
    proven bullet becomes active if one of its outcomes is a reviewer's; otherwise that waits for review too.

    For example:

        dopejar bullets outcome m_4k2v helpful --evidence "The tests passed after it."
    """
    with context.open_for_writing() as memory:
        before = memory.bullets.bullet(name)
        by = known_reviewer(memory)
        speaker = None if by else bullet_speaker(context, memory)
        bullet = memory.bullets.record_outcome(
            name, result, evidence, speaker=speaker, reviewer=by, session=session, trace_id=context.trace_id
        )
    counted = (before.helpful_count, before.harmful_count) != (bullet.helpful_count, bullet.harmful_count)
    if not counted:
        context.note("Not counted: this outcome was counted before, or it waits in `dopejar review`.")
    context.answer({**bullet_data(bullet), "counted": counted}, lambda: bullet_detail(bullet))
    return OK


@command(commands, "share")
def share(
    context: CommandContext,
    name: BulletName,
    text: Annotated[
        str, typer.Option("--text", metavar="TEXT", help="The text of the shared copy. Default: a softened version.")
    ] = "",
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Confirm that it also applies to the other hemisphere.")
    ] = False,
) -> int:
    """Copy a proven bullet to the shared side, which both hemispheres use. Needs a reviewer."""
    with context.open_for_writing() as memory:
        bullet = memory.bullets.share(
            name, authenticate(memory), text=text, confirmed=confirm, trace_id=context.trace_id
        )
    context.answer(bullet_data(bullet), lambda: bullet_detail(bullet))
    return OK


@command(commands, "find")
def find(
    context: CommandContext,
    query: Annotated[str, typer.Argument(metavar="TASK", help="The task, in natural language.")],
    side: Annotated[str, typer.Option("--side", metavar="SIDE", help="left or right.")] = "left",
    count: Annotated[
        int | None, typer.Option("--count", min=1, help="The maximum number of bullets of that side.")
    ] = None,
) -> int:
    """Find the best bullets of one hemisphere for a task, and shared ones. Bullets on trial are marked unproven."""
    with context.open_memory() as memory:
        bullets = memory.bullets.retrieve(query, side, count)
    context.answer({"bullets": [bullet_data(bullet) for bullet in bullets]}, lambda: bullet_lines(bullets))
    return OK


@command(commands, "reflect")
def reflect(
    context: CommandContext,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="CONVERSATION", help="Conversations, by id or name. Default: all.")
    ] = None,
) -> int:
    """Learn bullets from stored conversations: failures that were fixed, and fixes that the user confirmed."""
    with context.open_for_writing() as memory:
        results = memory.bullets.reflect(names or (), trace_id=context.trace_id)
    bullets = [bullet for result in results for bullet in result.bullets]
    if not bullets:
        context.note("No bullets were learned from these conversations.")
    data = {"bullets": [bullet_data(bullet) for bullet in bullets], "dropped": dropped_insights(results)}
    context.answer(data, lambda: bullet_lines(bullets))
    return OK


@command(commands, "maintain")
def maintain(
    context: CommandContext,
    policy: Annotated[
        str, typer.Option("--policy", metavar="NAME", help="aggressive, balanced or conservative.")
    ] = "balanced",
    propose: Annotated[bool, typer.Option("--propose", help="Put the changes into the review queue.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Make the changes, in one act. Needs a reviewer.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Allow changes to more than 50 bullets.")] = False,
) -> int:
    """Plan maintenance: merge duplicates, retire useless and harmful bullets, report conflicts.

    Nothing is changed by default. --propose stages the changes for review, and --apply makes them. One run changes at
    most 100 bullets.
    """
    if propose and apply:
        raise UsageError("Give either --propose or --apply, not both.")
    with context.open_memory() as memory:
        by = authenticate(memory) if apply else None
        done = memory.bullets.maintain(
            policy, reviewer=by, preview=not (propose or apply), force=force, trace_id=context.trace_id
        )
        report = memory.bullets.automatic_assignments()
    if done.plan.is_narrow:
        context.note(f"The hemispheres have become too similar: diversity {done.plan.diversity:.2f}, below 0.15.")
    context.answer(plan_data(done, report), lambda: plan_lines(done, report))
    return OK


commands.add_typer(playbook_commands.commands)

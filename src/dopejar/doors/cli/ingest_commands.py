"""Commands that ingest text: learn, remember, relearn.

Takes: transcripts and sentences. Gives: what was learned from them, with counts that a person can check. Never:
attributes text to the user that a program wrote.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.authentication import terminal_id
from dopejar.doors.cli.command_context import (
    FAILED,
    OK,
    REFUSED,
    WAITS,
    CommandContext,
    json_fields,
    parse_date,
    run_housekeeping,
)
from dopejar.doors.cli.command_registry import command
from dopejar.doors.cli.text_format import counted, one_line, safe, table
from dopejar.doors.cli.text_output import receipt_lines
from dopejar.doors.cli.transcript_batch import (
    batch_data,
    batch_lines,
    change_lines,
    changes_by,
    failure_lines,
    learn_all,
    projects_of,
)
from dopejar.errors import InputError, UsageError
from dopejar.values.scope import Namespace

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Reviewer, Speaker
    from dopejar.engine.memory import Memory
    from dopejar.engine.results import Learned, Remembered

commands = typer.Typer()

_WOULD = {"deprecate": "takes it out of use", "erase": "erases its words"}
_NAMESPACE = "The namespace to write: prod, test or ephemeral. `recall` reads prod by default."


@command(commands, "learn")
def learn(
    context: CommandContext,
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Transcript files, or directories to search.")],
    format_name: Annotated[
        str, typer.Option("--format", metavar="NAME", help="The format of all files. Default: detected for each file.")
    ] = "",
    namespace: Annotated[Namespace, typer.Option("--namespace", help=_NAMESPACE)] = Namespace.PROD,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave embedding to `dopejar maintain`.")] = False,
) -> int:
    """Learn from transcripts: Claude Code, Codex, SpecStory, Aider, ChatGPT, Claude.ai or neutral JSONL.

    Files are read in the order of time, so give all at once. Prints counts of what was read and what was learned, and
    the first ten memories that were made or changed (not with `--quiet` or `--json`). Learning from the same file again
    changes nothing. If a file has grown, only its new turns are read. If an import was interrupted, run the same
    command again to resume it. A file that cannot be read is reported, the other files are still learned, and the exit
    code is 1; where no file could be read, it is that of the error (5: there is no such file, 2: it is no transcript).

    A conversation is of the project of the directory that it names, as those of coding assistants do; one that names
    none is of the project of the current directory. What is said about yourself and your own life holds everywhere.
    `--project` names the project of all.

    For example:

        dopejar learn ~/.claude/projects
        dopejar learn notes/session.md --format specstory --project atlas
    """
    from dopejar.compose import transcript_formats

    if format_name and format_name not in (names := [known.name for known in transcript_formats()]):
        raise InputError(f"There is no transcript format {format_name!r}. The formats are: {', '.join(names)}.")
    with context.open_memory(detect_project=False) as memory:
        before, began = memory.review.waiting(), datetime.now(UTC)
        batch = learn_all(context, memory, paths, format_name or None, namespace)
        is_embedded = no_embed or (batch.nothing_new and not memory.maintenance.backlog())
        embedded = 0 if is_embedded else _embed(context, memory)
        waiting, projects = memory.review.waiting(), projects_of(batch, memory)
        is_told = not (batch.nothing_new or context.as_json or context.quiet)
        changes = changes_by(batch, memory, began, namespace) if is_told else ()
    data = {**batch_data(batch, embedded, projects), "waiting": waiting}
    told = change_lines(changes, began)
    context.answer(data, lambda: batch_lines(batch, embedded, projects, told, 0 if waiting == before else waiting))
    if not context.as_json:
        sys.stderr.writelines(f"{line}\n" for line in failure_lines(batch))
    return batch.exit_code


def _embed(context: CommandContext, memory: Memory) -> int:
    """Embed what was learned, if an embedder is installed. Returns how many texts were embedded."""
    if memory.store.is_read_only:
        return 0
    with context.progress_bar("embedding") as progress:
        return memory.maintenance.maintain(progress=progress, trace_id=context.trace_id).embedded


@command(commands, "remember")
def remember(
    context: CommandContext,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="One or more sentences; `-` reads stdin.")],
    explain: Annotated[bool, typer.Option("--explain", help="Show the result of each pipeline stage.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show each stage, but write nothing.")] = False,
    namespace: Annotated[
        Namespace | None,
        typer.Option("--namespace", help="The namespace to write: prod, test or ephemeral. Default: inferred."),
    ] = None,
    at: Annotated[str, typer.Option("--at", metavar="DATE", help="When it was said. Default: now.")] = "",
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="WORD", help="A tag for the new memories; may be repeated.")
    ] = None,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="It holds everywhere, not only in the current project.")
    ] = False,
) -> int:
    """Remember a text. The text is always stored; each statement in it passes the write gate.

    Text typed at a terminal counts as the user's own words. Text from a pipe, a script or an agent counts as an
    assistant's, and a person reviews it first. What directs the assistant's work waits for review, too, except where a
    reviewer is unlocked or trusts the terminal (`dopejar reviewer trust-terminal`).

    What is said about yourself and your own life holds everywhere; all else holds in the current project (`--project`
    names another), unless you say `--everywhere`, or "in all my projects". Outside a project, it holds everywhere; a
    rule about one programming language holds for that language.

    Exit codes: 0 if at least one statement is active now; 4 if everything waits in `dopejar review`; 3 if everything
    was refused; 1 if the text is kept but nothing could be learned from it.

    For example:

        dopejar remember "I prefer tabs over spaces in Makefiles."
        dopejar remember "Commit messages are in English." --everywhere
        echo "Staging runs Postgres 16." | dopejar remember -
    """
    if text == "-":
        text = sys.stdin.read()
    if everywhere and context.project:
        raise UsageError("Give either --everywhere or --project.")
    with context.open_memory(detect_project=not everywhere) as memory:
        by = memory.reviewers.voucher_at(terminal_id()) if context.at_terminal else None
        result = memory.remember(
            text,
            speaker=_speaker(context),
            by=by,
            namespace=namespace.value if namespace else "",
            at=parse_date(at, "--at"),
            tags=tag or (),
            dry_run=dry_run,
            trace_id=context.trace_id,
        )
        next_step = _next_step(memory, result, by, at_terminal=context.at_terminal)
        if not dry_run:
            run_housekeeping(memory)
    data = {
        **json_fields(result),
        "outcome": "dry run" if dry_run else result.outcome,
        "took_effect": result.took_effect,
        "vouched_by": by.name if by else None,
    }
    context.answer(data, lambda: _remembered_lines(result, by, next_step, explain=explain or dry_run, dry_run=dry_run))
    return OK if dry_run else exit_code(result)


def _speaker(context: CommandContext) -> Speaker:
    from dopejar.engine.dependencies import Speaker
    from dopejar.values.episode import Origin
    from dopejar.values.proposal import Via

    if context.at_terminal:
        return Speaker(origin=Origin.USER, via=Via.REMEMBER, name="user")
    return Speaker(origin=Origin.ASSISTANT, via=Via.REMEMBER, name="cli")


def exit_code(result: Remembered) -> int:
    """The exit code of an outcome: 0 believed or unchanged, 4 waits, 3 refused, 1 nothing learned."""
    codes = {"waits": WAITS, "refused": REFUSED, "nothing learned": FAILED}
    return codes.get(result.outcome, OK)


def _next_step(memory: Memory, result: Remembered, by: Reviewer | None, *, at_terminal: bool) -> str:
    """What a person does about what waits."""
    others = memory.review.waiting() - sum(receipt.outcome == "staged" for receipt in result.receipts)
    waits = f"It waits for review{f', beside {others} more' if others > 0 else ''}"
    if not (at_terminal or by):
        waits = f"{waits}: without a terminal, words count as an assistant's"
    if not memory.reviewers.names():
        return f"{waits}. Run `dopejar reviewer add NAME` once, then `dopejar review`."
    if at_terminal and by is None and not result.is_off_the_record:
        return (
            f"{waits}: run `dopejar review`. To let what you type here take effect at once, run "
            "`dopejar reviewer trust-terminal`."
        )
    return f"{waits}: run `dopejar review`."


def _remembered_lines(
    result: Remembered, by: Reviewer | None, next_step: str, *, explain: bool, dry_run: bool
) -> Iterator[str]:
    if explain:
        for stage in result.stages:
            yield f"{stage.name:<10} {safe(stage.detail)}"
    if dry_run:
        yield from (f"{'left out':<10} {safe(text)}" for text in result.left_out)
        yield from filter(None, [result.redaction_note])
        yield "Dry run: nothing was written."
        return
    if result.is_off_the_record and (result.receipts or result.left_out):
        yield from _forgetting_lines(result, next_step)
        return
    yield from receipt_lines(result.receipts)
    if result.redactions:
        yield f"{'redacted':<10} {counted(result.redactions)}"
    for text in result.left_out:
        yield f"{'left out':<10} {safe(text)}"
    yield from _closing_lines(result, by, next_step)


def _forgetting_lines(result: Remembered, next_step: str) -> Iterator[str]:
    """What a wish to forget found, what becomes of that, and how to take it back."""
    ended = [record for receipt in result.receipts if receipt.outcome == "deprecated" for record in receipt.records]
    waiting = [receipt for receipt in result.receipts if receipt.outcome == "staged"]
    for text in dict.fromkeys((*(record.text for record in ended), *(receipt.text for receipt in waiting))):
        would = ", ".join(f"{one.proposal_id} {_WOULD[one.action]}" for one in waiting if one.text == text)
        yield f"{'found':<10} {one_line(text)}{f' ({would})' if would else ''}"
    for why in result.left_out:
        yield f"{'found':<10} nothing changes: {safe(why)}"
    if ended:
        ids = " ".join(record.id for record in ended)
        words = (
            "; that the words be erased waits for review" if waiting else f"; `dopejar erase {ids}` removes the words"
        )
        yield f"{'done':<10} out of use from now on{words}"
        yield f"{'undo':<10} `dopejar undo {result.act_id}` brings it back"
    elif waiting:
        yield f"{'next':<10} {next_step} Approve there what was meant; until then it stays in use."
        yield f"{'undo':<10} reject it there; `dopejar undo` takes an approval back, except that of an erasure"
    yield from receipt_lines([one for one in result.receipts if one.outcome == "refused"])
    yield "The wish itself was not kept."


def _closing_lines(result: Remembered, by: Reviewer | None, next_step: str) -> Iterator[str]:
    """What all of it came to, and what to do next."""
    overall = result.outcome
    records = [record for receipt in result.receipts for record in receipt.records]
    if result.is_off_the_record:
        yield "Off the record: your words were not kept, and nothing was learned from them."
    if by and overall == "believed" and any(record.approved_by == by.name for record in records):
        yield f"It directs the assistant's work from now on: {by.name} vouches for what is typed here."
    if result.redaction_note:
        yield result.redaction_note
    if result.waits:
        yield next_step
    elif overall == "nothing learned":
        without = " without that value" if result.redaction_note else ""
        yield f"Nothing was learned. The text is kept{without} as {result.episode_id}, and recall can quote it."
    elif overall == "refused":
        yield "Refused. The text is kept; `dopejar review --refused` shows the proposal and the reason."


@command(commands, "relearn")
def relearn(
    context: CommandContext,
    conversations: Annotated[
        list[str] | None, typer.Argument(metavar="CONVERSATION", help="Ids or names. Default: all conversations.")
    ] = None,
) -> int:
    """Read stored conversations again with the current pipeline, and propose only what differs.

    Prints the number of differences per conversation. Decisions that a person made are not changed.

    For example:

        dopejar relearn
        dopejar relearn c_4k2v planning
    """
    with context.open_for_writing() as memory, context.progress_bar("relearning") as progress:
        results = memory.relearn(conversations or (), progress=progress, trace_id=context.trace_id)
    context.answer({"conversations": [json_fields(learned) for learned in results]}, lambda: _relearned_lines(results))
    return OK


def _relearned_lines(results: Sequence[Learned]) -> Iterator[str]:

    changed = [
        learned
        for learned in results
        if any(count for outcome_name, count in learned.outcomes.items() if outcome_name != "unchanged")
    ]
    yield f"{len(results)} conversations read again, {len(changed)} with differences"
    yield from table(("conversation", "differences"), [(item.path, counted(item.outcomes)) for item in changed])

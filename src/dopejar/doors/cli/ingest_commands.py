"""Commands that take words in: learn, remember, relearn.

Takes: transcripts and sentences. Gives: what became of them, counted so that a person can check it. Never: calls words
the user's own that a program wrote.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

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
from dopejar.values.scope import Namespace

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Speaker
    from dopejar.engine.memory import Memory
    from dopejar.engine.results import Learned, Remembered

commands = typer.Typer()

_NAMESPACE = "prod, test or ephemeral; recall reads prod unless it is told otherwise."


@command(commands, "learn")
def learn(
    context: CommandContext,
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Transcript files, or directories to look into.")],
    format_name: Annotated[
        str, typer.Option("--format", metavar="NAME", help="The format of all files, where it is not recognised.")
    ] = "",
    namespace: Annotated[Namespace, typer.Option("--namespace", help=_NAMESPACE)] = Namespace.PROD,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave vectors to `dopejar maintain`.")] = False,
) -> int:
    """Learn from transcripts: Claude Code, Codex, SpecStory, Aider, ChatGPT, Claude.ai or neutral JSONL.

    Prints what was read and what became of it, counted. Learning from a file again changes nothing; a file that has
    grown is gone on with; an import that was stopped is resumed by the same command. A file that cannot be read is
    named, the others go on, and the exit code is 1.

    For example:

        dopejar learn ~/.claude/projects
        dopejar learn notes/session.md --format specstory --project atlas
    """
    from dopejar.doors.cli.transcript_batch import learn_all, learned_lines, learning_data

    with context.open_memory(detect_project=False) as memory:
        result = learn_all(context, memory, paths, format_name or None, namespace)
        embedded = 0 if no_embed or result.nothing_new else _embed(context, memory)
        waits = memory.waiting()
    context.answer(
        {**learning_data(result, embedded), "waiting": waits}, lambda: learned_lines(result, embedded, waits)
    )
    return FAILED if result.failed or not result.kept else OK


def _embed(context: CommandContext, memory: Memory) -> int:
    """Vectors for what was learned, where there is an embedder."""
    if memory.store.is_read_only:
        return 0
    with context.progress_bar("embedding") as progress:
        return memory.maintain(progress=progress, trace_id=context.trace_id).embedded


@command(commands, "remember")
def remember(
    context: CommandContext,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="One or several sentences; `-` reads standard input.")],
    explain: Annotated[bool, typer.Option("--explain", help="Show each stage of the way.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show each stage and write nothing.")] = False,
    namespace: Annotated[
        Namespace | None, typer.Option("--namespace", help="prod, test or ephemeral; by the text itself where omitted.")
    ] = None,
    at: Annotated[str, typer.Option("--at", metavar="DATE", help="When it was said; now where omitted.")] = "",
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="WORD", help="A word that helps to route it.")
    ] = None,
) -> int:
    """Remember a text. The words are kept in any case; what they say passes the gate.

    Typed at a terminal it counts as the user's own words; from a pipe, a script or an agent as an assistant's, which a
    person looks at first. Exit code 0: something is believed now; 4: all of it waits in `dopejar review`; 3: all of it
    was refused; 1: the words are kept, and nothing could be learned from them.

    For example:

        dopejar remember "I prefer tabs over spaces in Makefiles."
        echo "Staging runs Postgres 16." | dopejar remember -
    """
    words = sys.stdin.read() if text == "-" else text
    with context.open_memory() as memory:
        result = memory.remember(
            words,
            speaker=_speaker(context),
            namespace=namespace.value if namespace else "",
            at=parse_date(at, "--at"),
            tags=tag or (),
            dry_run=dry_run,
            trace_id=context.trace_id,
        )
        if not dry_run:
            run_housekeeping(memory)
    data = {
        **json_fields(result),
        "outcome": "dry run" if dry_run else outcome(result),
        "took_effect": result.took_effect,
    }
    context.answer(data, lambda: _remembered_lines(result, explain=explain or dry_run, dry_run=dry_run))
    return OK if dry_run else exit_code(result)


def _speaker(context: CommandContext) -> Speaker:
    from dopejar.engine import dependencies
    from dopejar.values.episode import Origin
    from dopejar.values.proposal import Via

    if context.at_terminal:
        return dependencies.Speaker(origin=Origin.USER, via=Via.REMEMBER, name="user")
    return dependencies.Speaker(origin=Origin.ASSISTANT, via=Via.REMEMBER, name="cli")


def outcome(result: Remembered) -> str:
    """In one word: believed, waits, refused, unchanged, or nothing learned."""
    found = {one.outcome for one in result.receipts}
    if result.took_effect:
        return "believed"
    if result.waits:
        return "waits"
    if not found:
        return "nothing learned"
    return "refused" if found == {"refused"} else "unchanged"


def exit_code(result: Remembered) -> int:
    """0 believed, 4 waits, 3 refused, 1 nothing learned."""
    codes = {"believed": OK, "unchanged": OK, "waits": WAITS, "refused": REFUSED}
    return codes.get(outcome(result), FAILED)


def _remembered_lines(result: Remembered, *, explain: bool, dry_run: bool) -> Iterator[str]:
    from dopejar.doors.cli.text_format import counted, safe
    from dopejar.doors.cli.text_output import receipt_lines

    if explain:
        for stage in result.stages:
            yield f"{stage.name:<10} {safe(stage.detail)}"
    if dry_run:
        yield from (f"{'left out':<10} {safe(words)}" for words in result.left_out)
        yield "Nothing was written."
        return
    yield from receipt_lines(result.receipts)
    if result.redactions:
        yield f"{'redacted':<10} {counted(result.redactions)}"
    for words in result.left_out:
        yield f"{'left out':<10} {safe(words)}"
    said = outcome(result)
    if said == "waits":
        yield "Nothing took effect yet: it waits for a person, see `dopejar review`."
    elif said == "nothing learned":
        yield f"Nothing was learned. The words are kept as {result.episode_id}, and recall quotes them."
    elif said == "refused":
        yield "Refused. The words are kept, and `dopejar review --refused` shows the wish."


@command(commands, "relearn")
def relearn(
    context: CommandContext,
    conversations: Annotated[
        list[str] | None, typer.Argument(metavar="CONVERSATION", help="Ids or names; every conversation where omitted.")
    ] = None,
) -> int:
    """Read kept conversations again with the pipeline of today; only differences are proposed.

    Prints the differences, counted, per conversation. What a person decided stays decided.

    For example:

        dopejar relearn
        dopejar relearn c_4k2v planning
    """
    with context.open_for_writing() as memory, context.progress_bar("relearning") as progress:
        results = memory.relearn(conversations or (), progress=progress, trace_id=context.trace_id)
    context.answer({"conversations": [json_fields(one) for one in results]}, lambda: _relearned_lines(results))
    return OK


def _relearned_lines(results: Sequence[Learned]) -> Iterator[str]:
    from dopejar.doors.cli.text_format import counted, table

    changed = [one for one in results if any(many for what, many in one.outcomes.items() if what != "unchanged")]
    yield f"{len(results)} conversations read again, {len(changed)} with differences"
    yield from table(("conversation", "differences"), [(one.path, counted(one.outcomes)) for one in changed])

"""The `show` command, and the listing of dossiers: one memory, what is known about a subject, or one act.

Takes: a name. Gives: a memory with its history, an act with its changes, or a dossier with the provenance of its facts.
Never: changes anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.act_output import act_detail
from dopejar.doors.cli.block_output import block_lines
from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import AllProjects, command
from dopejar.doors.cli.text_format import day, one_line, pairs, table, whole_line
from dopejar.doors.cli.text_output import history_lines
from dopejar.errors import NotFoundError
from dopejar.values.scope import Namespace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dopejar.engine.garden.dossiers import Dossier
    from dopejar.engine.memory import Memory

commands = typer.Typer()


@command(commands, "show")
def show(
    context: CommandContext,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A memory by id, unique id prefix or key; a subject by a name; or a dossier, a block or an act by id.",
        ),
    ],
    all_projects: AllProjects = False,
    namespace: Annotated[
        Namespace, typer.Option("--namespace", help="The namespace to read: prod, test or ephemeral.")
    ] = Namespace.PROD,
) -> int:
    """Show a memory with its history, what is known about a subject under all its names, one block, or one act.

    Of a memory: its states, the acts that changed it, its evidence, and its other versions. Of a subject: facts with
    their sources, and what happened to them; of a policy with several revisions, one is current. Of a block of a
    conversation: what it is about, what holds in it, what was decided and left open, and how its turns begin. Of an
    act: everything it changed. `dopejar list` lists memories, `dopejar list --view dossiers` subjects, `dopejar list
    --blocks` blocks, `dopejar log` acts.

    For example:

        dopejar show Server-Config-Binding
        dopejar show Falcon
        dopejar show b_7x2m
        dopejar show a_7x2m
    """
    with context.open_memory() as memory:
        if name.startswith("a_"):
            act = memory.inspection.act(name)
            context.answer(json_fields(act), lambda: act_detail(act))
            return OK
        if name.startswith("b_"):
            block, turns = memory.garden.block(name), memory.garden.turns(name)
            data = {**json_fields(block), "turn_ids": [turn.id for turn in turns]}
            context.answer(data, lambda: block_lines(block, turns))
            return OK
        try:
            record_history, projects = memory.history(name), memory.project_labels()
        except NotFoundError:
            try:
                dossier = memory.dossiers.find(name, namespace=namespace.value, all_projects=all_projects)
            except NotFoundError:
                raise NotFoundError(_unknown(memory, name, namespace, in_others=not all_projects)) from None
        else:
            context.answer(json_fields(record_history), lambda: history_lines(record_history, projects))
            return OK
    context.answer(_fields(dossier), lambda: _lines(dossier))
    return OK


def _unknown(memory: Memory, name: str, namespace: Namespace, *, in_others: bool) -> str:
    """That a name is that of nothing here, and what to do next."""
    if in_others:
        try:
            memory.dossiers.find(name, namespace=namespace.value, all_projects=True)
        except NotFoundError:
            pass
        else:
            return f"Nothing that holds here is about {name!r}; a memory of another project is: use --all-projects."
    return (
        f"Memory has nothing called {name!r}. `dopejar list` lists memories with their keys, "
        "`dopejar list --view dossiers` what they are about."
    )


def list_dossiers(context: CommandContext, limit: int, namespace: Namespace, *, all_projects: bool) -> int:
    """List dossiers, those with the most facts first."""
    with context.open_memory() as memory:
        rows = memory.dossiers.list(limit, namespace=namespace.value, all_projects=all_projects)
    if not rows:
        context.note("No dossiers: nothing is remembered yet.")
    context.answer({"dossiers": [_fields(row) for row in rows]}, lambda: _rows(rows))
    return OK


def _fields(dossier: Dossier) -> dict[str, object]:
    return {
        **json_fields(dossier),
        "status": dossier.status,
        "summary": dossier.summary,
        "search_summary": dossier.search_summary,
        "history": [json_fields(event) for event in dossier.history],
    }


def _rows(dossiers: Sequence[Dossier]) -> Iterator[str]:
    cells = [
        (one.id, one.status, len(one.facts), len(one.current), one_line(one.title), one_line(one.summary))
        for one in dossiers
    ]
    return table(("id", "status", "facts", "current", "about", "summary"), cells)


def _lines(dossier: Dossier) -> Iterator[str]:
    yield from pairs(
        [
            ("dossier", dossier.id),
            ("about", whole_line(dossier.title)),
            ("names", whole_line(", ".join(dossier.names))),
            ("status", dossier.status),
            ("summary", whole_line(dossier.summary)),
        ]
    )
    yield ""
    facts = [
        (fact.record_id, fact.standing, f"{fact.confidence:.2f}", day(fact.at), fact.turn, whole_line(fact.text))
        for fact in dossier.facts
    ]
    yield from table(("fact", "standing", "confidence", "said", "turn", "text"), facts)
    yield ""
    yield from table(
        ("date", "event", "text"), [(day(one.at), one.kind, whole_line(one.text)) for one in dossier.history]
    )

"""The command that looks around an entity: graph.

Takes: a name. Gives: its neighbours, each with the record and the turn that says so. Never: changes anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command
from dopejar.values.scope import Namespace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dopejar.engine.queries.entity_graph import Neighbour, Neighbourhood

commands = typer.Typer()


@command(commands, "graph")
def graph(
    context: CommandContext,
    entity: Annotated[
        str, typer.Argument(metavar="ENTITY", help="A name, a name with its kind (service:billing), or a record's id.")
    ],
    depth: Annotated[int, typer.Option("--depth", min=1, max=3, help="How many hops away, at most.")] = 1,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many edges at most, the nearest first.")] = 100,
    all_projects: Annotated[bool, typer.Option("--all-projects", help="Read the memories of every project.")] = False,
    namespace: Annotated[Namespace, typer.Option("--namespace", help="prod, test or ephemeral.")] = Namespace.PROD,
) -> int:
    """Show what stands around a person, project, service, tool, file or place, and who said so.

    Other names of it count as well. Exit code 5 where nothing is known by the name; near names are suggested.

    For example:

        dopejar graph Postgres
        dopejar graph service:billing --depth 2
    """
    with context.open_memory() as memory:
        found = memory.graph(entity, depth, limit=limit, all_projects=all_projects, namespace=namespace.value)
    context.answer(json_fields(found), lambda: _lines(found))
    if found.left_out:
        context.note(
            f"{found.left_out} more were left out. Give a higher --limit, or a name that fewer memories mention."
        )
    if found.is_cut:
        context.note("A name on the way is tied to more than could be looked at. Ask for a rarer name.")
    return OK


def _lines(found: Neighbourhood) -> Iterator[str]:
    from dopejar.doors.cli.text_format import one_line, table

    yield f"{one_line(found.asked)}: {', '.join(found.known_as)}"
    is_deep = any(one.hops > 1 for one in found.neighbours)
    columns = (
        ("hops", "from", "edge", "neighbour", "stated by", "said")
        if is_deep
        else ("edge", "neighbour", "stated by", "said")
    )
    rows = [
        (*((one.hops, one.near) if is_deep else ()), _edge(one), one.far, *_source(one)) for one in found.neighbours
    ]
    yield from table(columns, rows)


def _edge(one: Neighbour) -> str:
    return f"{one.kind.value} ->" if one.direction == "out" else f"<- {one.kind.value}"


def _source(one: Neighbour) -> tuple[str, str]:
    """The words of the record that states an edge, and who said them when."""
    from dopejar.doors.cli.text_format import day, one_line

    said = ", ".join(f"{cited.speaker} {day(cited.at)} {cited.episode_id}" for cited in one.citations)
    return one_line(one.text), said

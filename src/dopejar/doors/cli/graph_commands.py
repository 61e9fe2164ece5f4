"""The `graph` command: what is connected to an entity.

Takes: a name. Gives: the neighbours, each with the record and the turn that states the edge. Never: changes anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command
from dopejar.doors.cli.text_format import day, one_line, table
from dopejar.values.scope import Namespace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dopejar.engine.queries.entity_graph import GraphNeighbour, Neighbourhood

commands = typer.Typer()


@command(commands, "graph")
def graph(
    context: CommandContext,
    entity: Annotated[
        str,
        typer.Argument(
            metavar="ENTITY", help="A name, a name with its kind such as service:billing, or the id of a memory."
        ),
    ],
    depth: Annotated[int, typer.Option("--depth", min=1, max=3, help="The maximum number of hops.")] = 1,
    limit: Annotated[
        int, typer.Option("--limit", min=1, help="The maximum number of edges; the nearest come first.")
    ] = 100,
    all_projects: Annotated[bool, typer.Option("--all-projects", help="Include the memories of all projects.")] = False,
    namespace: Annotated[
        Namespace, typer.Option("--namespace", help="The namespace to read: prod, test or ephemeral.")
    ] = Namespace.PROD,
) -> int:
    """Show what is connected to a person, project, service, tool, file or place, and who said so.

    Its aliases are included. The exit code is 5 if nothing has this name; similar names are suggested then.

    For example:

        dopejar graph Postgres
        dopejar graph service:billing --depth 2
    """
    with context.open_memory() as memory:
        result = memory.graph.neighbourhood(
            entity, depth, limit=limit, all_projects=all_projects, namespace=namespace.value
        )
    context.answer(json_fields(result), lambda: _lines(result))
    if result.left_out:
        context.note(
            f"{result.left_out} more edges were left out. Raise --limit, or ask for a name with fewer memories."
        )
    if result.is_cut:
        context.note("An entity on the way has too many edges to follow them all. Ask for a less common name.")
    return OK


def _lines(result: Neighbourhood) -> Iterator[str]:

    yield f"{one_line(result.asked)}: {', '.join(result.known_as)}"
    is_deep = any(neighbour.hops > 1 for neighbour in result.neighbours)
    columns = (
        ("hops", "from", "edge", "neighbour", "stated by", "source")
        if is_deep
        else ("edge", "neighbour", "stated by", "source")
    )
    rows = [
        (
            *((neighbour.hops, neighbour.near) if is_deep else ()),
            _edge(neighbour),
            neighbour.far,
            *_source(neighbour),
        )
        for neighbour in result.neighbours
    ]
    yield from table(columns, rows)


def _edge(neighbour: GraphNeighbour) -> str:
    kind = neighbour.kind.value
    return f"{kind} ->" if neighbour.direction == "out" else f"<- {kind}"


def _source(neighbour: GraphNeighbour) -> tuple[str, str]:
    """The text of the record that states an edge, and its citations: who said it when, and in which turn."""
    sources = (f"{citation.speaker} {day(citation.at)} {citation.episode_id}" for citation in neighbour.citations)
    return one_line(neighbour.text), ", ".join(sources)

"""The graph page: what is connected to a person, project, service, tool or file, drawn and listed.

Takes: a name in an address. Gives: a page. Never: changes anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.request_context import Context
from dopejar.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.engine.queries.entity_graph import GraphNeighbour

router = APIRouter()
_MOST_DRAWN: Final = 18
_MOST_LISTED: Final = 100
_WIDTH, _HEIGHT = 800, 420
_RADII: Final = (270, 165)


@dataclass(frozen=True, kw_only=True, slots=True)
class GraphNode:
    """A neighbour at its place in the drawing; `anchor` says on which side of it the label stands."""

    neighbour: GraphNeighbour
    x: int
    y: int
    anchor: str


@router.get("/graph")
def show_graph(context: Context) -> HTMLResponse:
    """The neighbourhood of a name; without one, the names to choose from."""
    name, fault, found = context.request.query_params.get("name", "").strip()[:200], "", None
    if name:
        try:
            found = context.memory.graph.neighbourhood(name, limit=_MOST_LISTED, all_projects=True)
        except (InputError, NotFoundError) as error:
            fault = str(error)
    return context.page(
        "graph.html",
        section="memory",
        asked=name,
        fault=fault,
        found=found,
        nodes=placed(found.neighbours) if found else (),
        names=context.memory.graph.names(),
        size=(_WIDTH, _HEIGHT),
    )


def placed(neighbours: Sequence[GraphNeighbour]) -> tuple[GraphNode, ...]:
    """The first neighbours, each once, evenly on an ellipse around the middle."""
    shown = list({one.far: one for one in reversed(neighbours)}.values())[::-1][:_MOST_DRAWN]
    nodes = []
    for number, one in enumerate(shown):
        angle = 2 * pi * number / len(shown)
        x, y = _WIDTH // 2 + round(_RADII[0] * cos(angle)), _HEIGHT // 2 + round(_RADII[1] * sin(angle))
        nodes.append(GraphNode(neighbour=one, x=x, y=y, anchor="start" if x > _WIDTH // 2 else "end"))
    return tuple(nodes)

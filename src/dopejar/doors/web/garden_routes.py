"""Pages of the garden: the blocks of a conversation in time, a dossier, and what recall would give for a question.

Takes: names and questions in an address. Gives: pages. Never: changes what is believed.
"""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.request_context import Context
from dopejar.engine.garden.gardener import DescribedBlock
from dopejar.values.recall import ContextPack

router = APIRouter()
_LEAST, _MOST, _USUAL = 50, 100_000, 1024  # tokens of a budget
_LONGEST: Final = 2000  # characters of a question


@router.get("/garden")
def show_garden(context: Context, conversation: str = "") -> HTMLResponse:
    """The blocks of a conversation, by default the latest, and the dossiers."""
    garden = context.memory.garden
    conversations = garden.conversations()
    chosen = conversation or (conversations[0].id if conversations else "")
    blocks: tuple[DescribedBlock, ...] = garden.blocks(chosen) if chosen else ()
    return context.page(
        "garden.html",
        section="garden",
        conversations=conversations,
        chosen=chosen,
        blocks=blocks,
        most=max((block.turns for block in blocks), default=1),
        dossiers=context.memory.dossiers.list(all_projects=True),
    )


@router.get("/dossiers/{name}")
def show_dossier(context: Context, name: str) -> HTMLResponse:
    """What is known about one subject: facts with their provenance, and the history."""
    return context.page("dossier.html", section="garden", dossier=context.memory.dossiers.find(name, all_projects=True))


@router.get("/recall")
def show_recall(context: Context, q: str = "", budget: str = "") -> HTMLResponse:
    """The assembled context for a question, and how much of its budget it takes."""
    question = q.strip()[:_LONGEST]
    tokens = min(_MOST, max(_LEAST, int(budget))) if budget.isdecimal() else _USUAL
    pack: ContextPack | None = None
    if question:
        pack = context.memory.recall(question, budget=tokens, all_projects=True, trace_id=context.trace_id)
    return context.page("recall.html", section="garden", question=question, budget=tokens, pack=pack)

"""The bench of canonical texts: what would be kept, beside the words it was read from, for a person to judge.

Takes: snippets (what the assistant did, what a person said to it). Gives: a page or lines, misses among them. Never:
judges the wordings itself; the rules that made them are no judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from dopejar.errors import InputError
from dopejar.pipelines.corrections.clusters.cluster import cluster
from dopejar.pipelines.corrections.detection.detect import detect
from dopejar.pipelines.corrections.exchange import Durability, Exchange
from dopejar.pipelines.corrections.proposing.propose import ProposalEngine
from dopejar.values.ids import ConversationId, EpisodeId

_AT: Final = datetime(2025, 1, 1, tzinfo=UTC)
_PROJECT: Final = "atlas"


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """One snippet and what comes of it. `kept` is the memory's text; empty where no correction was seen."""

    id: str
    language: str
    before: str
    said: str
    kept: str = ""
    category: str = ""
    scope: str = ""
    when: str = ""  # "at once", or "when said again" for the repair of one mistake


def run(data: Path, out: Path | None = None) -> dict[str, object]:
    """Read every snippet alone; figures come back.

    `out` gets the page where it ends in `.md`, else one JSON object a line. Raises InputError where `data` is no list
    of snippets.
    """
    found = [wording_of(row) for row in _rows(data)]
    if out is not None:
        text = page(found) if out.suffix == ".md" else _lines(found)
        out.write_text(text, encoding="utf-8")
    return {
        "snippets": len(found),
        "seen": sum(bool(one.kept) for one in found),
        "proposed_at_once": sum(one.when == "at once" for one in found),
        "proposed_when_said_again": sum(one.when == "when said again" for one in found),
        "not_seen": [one.id for one in found if not one.kept],
    }


def wording_of(row: Mapping[str, object]) -> Wording:
    """What comes of one snippet, read as the only correction of a conversation."""
    seed = Wording(
        id=str(row["id"]), language=str(row.get("language", "")), before=str(row["before"]), said=str(row["said"])
    )
    turn = Exchange(
        text=seed.said,
        before=seed.before,
        at=_AT,
        episode_id=EpisodeId(f"e_{seed.id}"),
        conversation=ConversationId(f"c_{seed.id}"),
    )
    groups = cluster(detect([turn]))
    if not groups:
        return seed
    engine = ProposalEngine(most=1)
    proposals, when = engine.generate_proposals(groups, _PROJECT).proposals, "at once"
    if not proposals:  # the repair of one mistake is proposed once it was said twice
        twice = [replace(one, durability=Durability.STANDING, frequency=2) for one in groups]
        proposals, when = engine.generate_proposals(twice, _PROJECT).proposals, "when said again"
    if not proposals:
        return seed
    best = proposals[0]
    return replace(seed, kept=best.content, category=best.category, scope=best.scope, when=when)


def _rows(data: Path) -> list[Mapping[str, object]]:
    try:
        rows = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as fault:
        raise InputError(
            f"{data} cannot be read as snippets: {fault}. Give a file of one JSON object a line."
        ) from fault
    if not all(isinstance(row, dict) and {"id", "before", "said"} <= row.keys() for row in rows):
        raise InputError(f"{data}: each line needs id, before and said.")
    return rows


def _lines(found: Iterable[Wording]) -> str:
    rows = (
        {
            "id": one.id,
            "language": one.language,
            "before": one.before,
            "said": one.said,
            "output": one.kept,
            "category": one.category,
            "scope": one.scope,
            "when": one.when,
        }
        for one in found
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def page(found: Sequence[Wording]) -> str:
    """The page of the documentation: each snippet beside what would be kept."""
    seen = [one for one in found if one.kept]
    head = [
        "# What corrections become",
        "",
        f"{len(found)} corrections of our own writing, in many styles and some languages, beside the memory that each",
        "would become. They were written before anybody looked at what comes of them, and none is left out: misses",
        "and bad wordings stand where they fell. The page is made by",
        "`dopejar bench canonical --data bench/data/correction_wordings.jsonl --out docs/corrections-judged.md`.",
        "",
        f"Seen as a correction: {len(seen)} of {len(found)}. *At once* is proposed when one conversation says it once;",
        "*when said again* reads as the repair of one mistake, and is proposed when it is said a second time.",
        "",
        "| | the assistant | the person | kept | as | when |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    rows = [
        "| "
        + " | ".join(
            (
                one.id,
                _cell(one.before),
                _cell(one.said),
                _cell(one.kept) or "*not seen*",
                f"{one.category}, {one.scope}" if one.kept else "",
                one.when,
            )
        )
        + " |"
        for one in found
    ]
    return "\n".join([*head, *rows]) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")

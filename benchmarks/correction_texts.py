"""The memory text that each correction would become, beside the correction, for a person to judge.

Takes: snippets (what the assistant did, what a person answered). Gives: a Markdown page or JSON lines, misses included.
Never: judges the texts itself; the rules that wrote them cannot judge them.

    python -m benchmarks.correction_texts benchmarks/data/correction_wordings.jsonl --out docs/corrections-judged.md
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from dopejar.errors import InputError
from dopejar.pipelines.corrections.clusters.wish_clusters import cluster
from dopejar.pipelines.corrections.detection.detector import detect
from dopejar.pipelines.corrections.exchange import Durability, Exchange
from dopejar.pipelines.corrections.proposals.proposal_engine import ProposalEngine
from dopejar.values.ids import ConversationId, EpisodeId

_AT: Final = datetime(2025, 1, 1, tzinfo=UTC)
_PROJECT: Final = "atlas"


@dataclass(frozen=True, kw_only=True, slots=True)
class Snippet:
    """A correction and its memory text. `memory_text` is empty where no correction was detected."""

    id: str
    language: str
    before: str
    correction: str
    memory_text: str = ""
    category: str = ""
    scope: str = ""
    proposed: str = ""  # "at once", or "when repeated" for the repair of one mistake


def run(data: Path, out: Path | None = None) -> dict[str, object]:
    """Read every snippet as a conversation of its own, and return counts.

    `out` becomes a page if it ends in `.md`, else JSON lines. Raises InputError where `data` is no list of snippets.
    """
    snippets = [propose_text(row) for row in _read_rows(data)]
    if out is not None:
        out.write_text(render_page(snippets) if out.suffix == ".md" else _render_lines(snippets), encoding="utf-8")
    return {
        "snippets": len(snippets),
        "detected": sum(bool(snippet.memory_text) for snippet in snippets),
        "proposed_at_once": sum(snippet.proposed == "at once" for snippet in snippets),
        "proposed_when_repeated": sum(snippet.proposed == "when repeated" for snippet in snippets),
        "not_detected": [snippet.id for snippet in snippets if not snippet.memory_text],
    }


def propose_text(row: Mapping[str, object]) -> Snippet:
    """The memory text of one snippet, read as the only correction of a conversation."""
    snippet = Snippet(
        id=str(row["id"]), language=str(row.get("language", "")), before=str(row["before"]), correction=str(row["said"])
    )
    turn = Exchange(
        text=snippet.correction,
        before=snippet.before,
        at=_AT,
        episode_id=EpisodeId(f"e_{snippet.id}"),
        conversation=ConversationId(f"c_{snippet.id}"),
    )
    groups = cluster(detect([turn]))
    if not groups:
        return snippet
    engine = ProposalEngine(most=1)
    proposals, proposed = engine.generate_proposals(groups, _PROJECT).proposals, "at once"
    if not proposals:  # the repair of one mistake is proposed once it is repeated
        repeated = [replace(group, durability=Durability.STANDING, frequency=2) for group in groups]
        proposals, proposed = engine.generate_proposals(repeated, _PROJECT).proposals, "when repeated"
    if not proposals:
        return snippet
    best = proposals[0]
    return replace(
        snippet, memory_text=best.content, category=best.category, scope=best.scope, proposed=proposed
    )


def _read_rows(data: Path) -> list[Mapping[str, object]]:
    try:
        rows = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as fault:
        raise InputError(
            f"{data} cannot be read as snippets: {fault}. Give a file of one JSON object a line."
        ) from fault
    if not all(isinstance(row, dict) and {"id", "before", "said"} <= row.keys() for row in rows):
        raise InputError(f"{data}: each line needs id, before and said.")
    return rows


def _render_lines(snippets: Iterable[Snippet]) -> str:
    rows = (
        {
            "id": snippet.id,
            "language": snippet.language,
            "before": snippet.before,
            "said": snippet.correction,
            "output": snippet.memory_text,
            "category": snippet.category,
            "scope": snippet.scope,
            "proposed": snippet.proposed,
        }
        for snippet in snippets
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def render_page(snippets: Sequence[Snippet]) -> str:
    """The documentation page: each correction beside its memory text."""
    detected = sum(bool(snippet.memory_text) for snippet in snippets)
    head = [
        "# Corrections and the memories they become",
        "",
        f"{len(snippets)} invented corrections, in several styles and languages, beside the memory text that each",
        "would become. They were written before anyone saw the output, and none is left out: misses and bad texts",
        "stay in the table. The page is generated by `python -m benchmarks.correction_texts",
        "benchmarks/data/correction_wordings.jsonl --out docs/corrections-judged.md`.",
        "",
        f"Detected: {detected} of {len(snippets)}. *At once*: proposed after one occurrence. *When repeated*: read as",
        "the repair of a single mistake, and proposed only if the person says it again.",
        "",
        "| | the assistant | the person | memory text | category and scope | proposed |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    rows = [
        "| "
        + " | ".join(
            (
                snippet.id,
                _cell(snippet.before),
                _cell(snippet.correction),
                _cell(snippet.memory_text) or "*not detected*",
                f"{snippet.category}, {snippet.scope}" if snippet.memory_text else "",
                snippet.proposed,
            )
        )
        + " |"
        for snippet in snippets
    ]
    return "\n".join([*head, *rows]) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def main() -> None:
    """Parse the arguments, measure, print the counts as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, help="JSON lines with id, before, said")
    parser.add_argument("--out", type=Path, help="a .md page, or JSON lines")
    arguments = parser.parse_args()
    sys.stdout.write(json.dumps(run(arguments.data, arguments.out), indent=2) + "\n")


if __name__ == "__main__":
    main()

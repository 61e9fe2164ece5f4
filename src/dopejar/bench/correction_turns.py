"""The rows of the corrections bench: labelled turns as exchanges.

Takes: `corrections/turns.jsonl` with its sessions. Gives: rows in the order of the file, each with its exchange, or
none where a harness wrote the turn. Never: shows a detector the gold.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from dopejar.errors import InputError
from dopejar.pipelines.corrections.exchange import HEAD, TAIL, Exchange
from dopejar.ports.transcripts import TranscriptFormat
from dopejar.values.episode import Origin
from dopejar.values.ids import ConversationId, EpisodeId

POSITIVE: Final = ("correction", "standing_instruction")
_BEGUN: Final = datetime(2025, 1, 1, tzinfo=UTC)  # rows without a time still need an order
Turn = Mapping[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One labelled turn. `exchange` is None where the words are not a person's."""

    gold: Turn
    exchange: Exchange | None

    @property
    def key(self) -> tuple[str, int]:
        """Session and turn."""
        return str(self.gold["session"]), _int(self.gold["turn"])

    @property
    def repository(self) -> str:
        """Where it comes from: what a fold leaves out."""
        source = self.gold.get("source")
        return str(source.get("repo", "")) if isinstance(source, dict) else ""

    @property
    def is_positive(self) -> bool:
        """Whether the gold says correction or standing instruction."""
        return self.gold.get("is_correction") in POSITIVE

    @property
    def is_whole(self) -> bool:
        """Whether it belongs to a whole session, where precision can be measured."""
        return self.gold.get("selection") == "full_session"


def _int(value: object) -> int:
    return value if isinstance(value, int) else int(str(value))


def read_lines(path: Path) -> list[Turn]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def rows(data: Path, formats: Sequence[TranscriptFormat]) -> list[Row]:
    """Every labelled turn of the folder. Raises InputError where it holds none."""
    folder = next((one for one in (data / "corrections", data) if (one / "turns.jsonl").is_file()), None)
    gold = read_lines(folder / "turns.jsonl") if folder else []
    if folder is None or not gold or "is_correction" not in gold[0]:
        raise InputError(f"{data} has no corrections/turns.jsonl. Give the folder of the evaluation kit with --data.")
    neutral = next(one for one in formats if one.name == "neutral")
    replies = _replies(folder / "sessions")
    order: dict[str, int] = defaultdict(int)
    found = []
    for place, one in enumerate(gold):
        session = str(one["session"])
        order[session] += 1
        exchange = _exchange(one, replies, neutral)
        if exchange is not None:
            exchange = replace(exchange, at=_BEGUN + timedelta(minutes=place))
        found.append(Row(gold=one, exchange=exchange))
    return found


def _replies(folder: Path) -> dict[tuple[str, int], str]:
    """What the assistant said next, by session and line of the user's turn."""
    found: dict[tuple[str, int], str] = {}
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        turns = read_lines(path)
        for place, later in enumerate(turns[1:]):
            if later.get("role") == "assistant" and turns[place].get("role") == "user":
                found[path.stem, place] = str(later.get("content") or "")[:HEAD]
    return found


def _exchange(gold: Turn, replies: Mapping[tuple[str, int], str], neutral: TranscriptFormat) -> Exchange | None:
    """The turn as an importer reads it: what a harness wrote is no person's words."""
    line = json.dumps({"role": "user", "content": str(gold["text"])})
    turns = neutral.read(Path("turn.jsonl"), line.encode()).conversations[0].turns
    own = [turn for turn in turns if turn.origin is Origin.USER]
    if not own:
        return None
    session, number = str(gold["session"]), _int(gold["turn"])
    return Exchange(
        text=own[-1].text,
        at=_BEGUN,
        index=number,
        episode_id=EpisodeId(f"{session}:{number}"),
        conversation=ConversationId(session),
        before=str(gold.get("prev_assistant") or "")[-TAIL:],
        after=replies.get((session, number), ""),
        pasted=own[-1].paste,
        outcome=own[-1].outcome,
        interrupted=any("interrupt" in turn.note for turn in turns),
    )

"""Labelled turns of the corrections data set, as exchanges.

Takes: `corrections/turns.jsonl` with its sessions. Gives: labelled turns in the order of the file, each with its
exchange, or none where a harness wrote the turn. Never: shows the label to a detector.
"""

from __future__ import annotations

import json
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
_FIRST_TIME: Final = datetime(2025, 1, 1, tzinfo=UTC)  # turns without a time still need an order
JsonRow = Mapping[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledTurn:
    """One turn with its label. `exchange` is None where a program wrote the text."""

    gold: JsonRow
    exchange: Exchange | None

    @property
    def key(self) -> tuple[str, int]:
        """Session name and number of the turn."""
        return str(self.gold["session"]), _int(self.gold["turn"])

    @property
    def repository(self) -> str:
        """The repository that the session belongs to."""
        source = self.gold.get("source")
        return str(source.get("repo", "")) if isinstance(source, dict) else ""

    @property
    def is_positive(self) -> bool:
        """Whether the label is correction or standing instruction."""
        return self.gold.get("is_correction") in POSITIVE

    @property
    def is_whole(self) -> bool:
        """Whether it belongs to a fully labelled session, where precision can be measured."""
        return self.gold.get("selection") == "full_session"


def _int(value: object) -> int:
    return value if isinstance(value, int) else int(str(value))


def read_json_lines(path: Path) -> list[JsonRow]:
    """Parse a JSON Lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def read_labelled_turns(data: Path, formats: Sequence[TranscriptFormat]) -> list[LabelledTurn]:
    """Every labelled turn of the folder. Raises InputError if it holds none."""
    folder = next((path for path in (data / "corrections", data) if (path / "turns.jsonl").is_file()), None)
    gold = read_json_lines(folder / "turns.jsonl") if folder else []
    if folder is None or not gold or "is_correction" not in gold[0]:
        raise InputError(f"{data} has no corrections/turns.jsonl. Give the folder of the evaluation kit with --data.")
    neutral = next(known for known in formats if known.name == "neutral")
    replies = _replies(folder / "sessions")
    turns = []
    for place, row in enumerate(gold):
        exchange = _exchange(row, replies, neutral)
        if exchange is not None:
            exchange = replace(exchange, at=_FIRST_TIME + timedelta(minutes=place))
        turns.append(LabelledTurn(gold=row, exchange=exchange))
    return turns


def _replies(folder: Path) -> dict[tuple[str, int], str]:
    """The assistant's next turn, by session and line of the user's turn."""
    replies: dict[tuple[str, int], str] = {}
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        turns = read_json_lines(path)
        for place, later in enumerate(turns[1:]):
            if later.get("role") == "assistant" and turns[place].get("role") == "user":
                replies[path.stem, place] = str(later.get("content") or "")[:HEAD]
    return replies


def _exchange(gold: JsonRow, replies: Mapping[tuple[str, int], str], neutral: TranscriptFormat) -> Exchange | None:
    """The turn as an importer reads it; None where a harness wrote all of it."""
    line = json.dumps({"role": "user", "content": str(gold["text"])})
    turns = neutral.read(Path("turn.jsonl"), line.encode()).conversations[0].turns
    own = [turn for turn in turns if turn.origin is Origin.USER]
    if not own:
        return None
    session, number = str(gold["session"]), _int(gold["turn"])
    return Exchange(
        text=own[-1].text,
        at=_FIRST_TIME,
        index=number,
        episode_id=EpisodeId(f"{session}:{number}"),
        conversation=ConversationId(session),
        before=str(gold.get("prev_assistant") or "")[-TAIL:],
        after=replies.get((session, number), ""),
        pasted=own[-1].paste,
        outcome=own[-1].outcome,
        interrupted=any("interrupt" in turn.note for turn in turns),
    )

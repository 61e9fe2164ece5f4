"""What `learn` proposes from whole sessions, against the rules that are marked in them.

Takes: files of conversations with marked rules (`R number | span`), and a folder with an installed model. Gives: counts
of proposals and of rules as JSON. Never: prints a turn.

    python -m benchmarks.session_rules benchmarks/data/session_rules_1.txt --home HOME [--reader grammar]

After each conversation a person approves what rests on a marked rule, and rejects the rest of what waits. The file is
one person's memory. A rule is found where a memory rests on one of its spans; a repetition is noticed where a memory
rests on a later span, too.
"""

from __future__ import annotations

import argparse
import json
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dopejar.bench.behaviour import ScenarioClock, reader_settings
from dopejar.compose import build
from dopejar.compose.stores import in_memory_store
from dopejar.engine.dependencies import Reviewer
from dopejar.engine.memory import Memory
from dopejar.errors import StaleProposalError
from dopejar.values.episode import Origin
from dopejar.values.proposal_enums import Action
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Evidence, Kind
from dopejar.values.scope import Project
from dopejar.values.transcript import LiveTurn

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PROJECT = Project(id="bench", label="bench")
PASSPHRASE = secrets.token_hex(16)
GUIDING = frozenset({Kind.RULE, Kind.CONSTRAINT, Kind.CORRECTION, Kind.PREFERENCE})


@dataclass(kw_only=True, slots=True)
class Turn:
    """One turn of a person, with the spans of its rules (by number), wishes for this piece only, and facts."""

    before: str
    text: str
    rules: list[tuple[int, int, str]] = field(default_factory=list)
    once: list[tuple[int, int]] = field(default_factory=list)
    facts: list[tuple[int, int]] = field(default_factory=list)


def conversations_of(path: Path) -> list[list[Turn]]:
    """The conversations of a file, in order."""
    found: list[list[Turn]] = []
    before = ""
    for line in path.read_text("utf-8").splitlines():
        mark, content = line[:2], line[2:].replace("\\n", "\n")
        if line.startswith("# conversation"):
            found.append([])
        elif mark in ("B ", "B"):
            before = content.strip()
        elif mark == "T ":
            found[-1].append(Turn(before=before, text=content))
            before = ""
        elif mark in ("R ", "C ", "F "):
            turn, words = found[-1][-1], content.rsplit("|", 1)[-1].strip()
            if mark == "R ":
                words = content.split("|", 1)[1].strip()
            elif mark == "F ":
                words = content.split("|", 2)[2].strip()
            at = turn.text.find(words)
            if at >= 0 and mark == "R ":
                turn.rules.append((at, at + len(words), content.split("|", 1)[0].strip()))
            elif at >= 0:
                (turn.once if mark == "C " else turn.facts).append((at, at + len(words)))
    return found


def run(path: Path, home: Path, reader: str) -> dict[str, object]:
    """The counts of one file."""
    talks = conversations_of(path)
    counts: Counter[str] = Counter()
    clock = ScenarioClock(START + timedelta(days=3 * len(talks)))
    with build(
        reader_settings(home, reader), in_memory_store(), project=PROJECT, environment={}, clock=clock
    ) as memory:
        memory.reviewers.add("bench", PASSPHRASE)
        reviewer = memory.reviewers.unlock(PASSPHRASE)
        for number, talk in enumerate(talks):
            _talk(memory, number, talk)
            _review(memory, reviewer, talks, counts)
        _judge(memory, talks, counts)
    worth = counts["worth"] / max(1, counts["proposed"])
    return {"file": path.stem, **dict(sorted(counts.items())), "share_worth": round(worth, 3)}


def _talk(memory: Memory, number: int, talk: Sequence[Turn]) -> None:
    at = START + timedelta(days=3 * number)
    for position, turn in enumerate(talk):
        for origin, text, offset in ((Origin.ASSISTANT, turn.before, 1), (Origin.USER, turn.text, 2)):
            if text:
                moment = at + timedelta(minutes=4 * position + offset)
                name = f"{origin} {position}"
                memory.observe(
                    LiveTurn(conversation=f"talk {number}", source_id=name, text=text, origin=origin, at=moment)
                )
    memory.sessions.end(f"talk {number}")


def _review(memory: Memory, reviewer: Reviewer, talks: Sequence[Sequence[Turn]], counts: Counter[str]) -> None:
    known = _turns_by_text(talks)
    for item in memory.review.queue():
        proposal = item.proposal
        if proposal.action is Action.ERASE:
            continue
        with memory.store.read() as view:
            said = [(episode.text, row) for row in proposal.evidence if (episode := view.episode(row.episode_id))]
        marks = {mark for text, row in said if text in known for mark in _marks(known[text], row)}
        counts["proposed"] += 1
        is_worth = any(mark.startswith("R") for mark in marks)
        counts["worth" if is_worth else "once" if "C" in marks else "facts" if "F" in marks else "else"] += 1
        with suppress(StaleProposalError):
            seen = {proposal.id: proposal.version}
            if is_worth:
                memory.review.approve([proposal.id], reviewer, seen=seen)
            else:
                memory.review.reject([proposal.id], reviewer, seen=seen)


def _turns_by_text(talks: Sequence[Sequence[Turn]]) -> Mapping[str, Turn]:
    return {turn.text: turn for talk in talks for turn in talk}


def _marks(turn: Turn, row: Evidence) -> Iterator[str]:
    for start, end, number in turn.rules:
        if row.start < end and start < row.end:
            yield f"R{number}"
    for name, spans in (("C", turn.once), ("F", turn.facts)):
        if any(row.start < end and start < row.end for start, end in spans):
            yield name


def _judge(memory: Memory, talks: Sequence[Sequence[Turn]], counts: Counter[str]) -> None:
    """Which rules a memory in force rests on, and how many of their repetitions it noticed."""
    known = _turns_by_text(talks)
    resting: dict[str, set[str]] = defaultdict(set)
    spans: set[tuple[str, str]] = set()
    for record in memory.list(RecordFilter(namespace=None), limit=5000):
        for row, episode in memory.history(record.id).evidence:
            if episode is not None and episode.text in known:
                for mark in _marks(known[episode.text], row):
                    if mark.startswith("R") and record.kind in GUIDING:
                        resting[mark].add(record.id)
                        spans.add((mark, episode.text))
    said: dict[str, list[str]] = defaultdict(list)
    for talk in talks:
        for turn in talk:
            for _, _, number in turn.rules:
                said[f"R{number}"].append(turn.text)
    counts["rules"] = len(said)
    counts["rules_found"] = sum(bool(resting[mark]) for mark in said)
    counts["rules_twice"] = sum(len(resting[mark]) > 1 for mark in said)
    counts["repeated"] = sum(len(texts) - 1 for texts in said.values())
    noticed = sum(max(0, len({text for mark, text in spans if mark == rule}) - 1) for rule in said)
    counts["repeats_noticed"] = noticed


def main() -> None:
    """Read the arguments and print the counts of each file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.session_rules", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--reader", default="fitted")
    options = parser.parse_args()
    for path in options.files:
        print(json.dumps(run(path, options.home, options.reader)))


if __name__ == "__main__":
    main()

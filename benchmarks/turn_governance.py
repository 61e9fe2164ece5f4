"""The time of governance in one turn, without a model.

Takes: nothing. Gives: one JSON object with milliseconds per turn, without recall (CPU time as well) and with, and
microseconds per trace event. Never: a data directory that stays.

    python -m benchmarks.turn_governance [--turns 200] [--patterns 10000]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from dopejar import Memory, Partner, open_memory
from dopejar.governance.utterance import read_turn
from dopejar.turn import patterns
from dopejar.turn.conversation_state import ConversationState
from dopejar.turn.slow_tick import slow_tick
from dopejar.turn.traces import TurnTrace
from dopejar.values.ids import new_trace_id
from dopejar.values.turn_enums import Strategy
from dopejar.values.turn_state import NorthStars
from dopejar.values.versioned_rows import KeyValueRow

SAID = (
    "What is left for the release?",
    "Write the summary of the meeting.",
    "The draft is done, what now?",
    "Compare the two suppliers and tell me which is safer.",
    "I'm not sure about the second chapter.",
)
KINDS = 40
"""Signatures that the patterns are spread over."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--patterns", type=int, default=10_000)
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.turns, arguments.patterns), indent=1))


def measure(turns: int, known: int) -> dict[str, float]:
    """Milliseconds of a turn at the median and the 95th of 100, and of the parts of it."""
    with tempfile.TemporaryDirectory() as folder, open_memory(Path(folder), environment={}, said_by="user") as memory:
        _fill(memory, known)
        partner = Partner(memory)
        partner.turn("Warm up.")
        without = _times(turns, lambda place: partner.turn(SAID[place % len(SAID)], recall=False))
        busy = _times(turns, lambda place: partner.turn(SAID[place % len(SAID)], recall=False), time.process_time)
        recalling = _times(turns, lambda place: partner.turn(SAID[place % len(SAID)]))
    pure = _times(turns, _govern)
    return {
        "turn_p50_ms": without[len(without) // 2],
        "turn_p95_ms": without[int(len(without) * 0.95)],
        "turn_cpu_p50_ms": busy[len(busy) // 2],
        "turn_cpu_p95_ms": busy[int(len(busy) * 0.95)],
        "with_recall_p50_ms": recalling[len(recalling) // 2],
        "with_recall_p95_ms": recalling[int(len(recalling) * 0.95)],
        "reading_and_tables_p50_ms": pure[len(pure) // 2],
        "trace_event_us": round(1000 * _trace_ms() / 5, 1),
    }


def _fill(memory: Memory, known: int) -> None:
    """Patterns of many kinds, with as many as fit in those that the turns are of."""
    signatures = {patterns.tuple_of(read_turn(text), text).signature for text in SAID}
    names = [*signatures, *(f"kind {number}" for number in range(KINDS - len(signatures)))]
    body = patterns.dump(
        [
            patterns.Pattern(stems=(f"{number:08x}", f"{number + 1:08x}"), strategy=Strategy.QUICK_ANSWER, successes=1)
            for number in range(known // KINDS)
        ]
    )
    for name in names:
        memory.workspace.update_row(patterns.ROWS, name, lambda _, key=name: _row(key, body))


def _row(key: str, body: str) -> KeyValueRow:
    return KeyValueRow(kind=patterns.ROWS, key=key, body=body)


def _govern(place: int) -> None:
    text = SAID[place % len(SAID)]
    slow_tick(ConversationState(), read_turn(text), at=datetime(2026, 1, 1, tzinfo=UTC), stars=NorthStars())


def _trace_ms() -> float:
    text, at = SAID[0], datetime(2026, 1, 1, tzinfo=UTC)
    reading = read_turn(text)
    governed = slow_tick(ConversationState(), reading, at=at, stars=NorthStars())
    trace = TurnTrace(new_trace_id(), at)
    times = _times(500, lambda _: trace.note(ConversationState(), reading, governed))
    return times[len(times) // 2]


def _times(count: int, act: Callable[[int], object], clock: Callable[[], float] = time.perf_counter) -> list[float]:
    times = []
    for place in range(count):
        start = clock()
        act(place)
        times.append((clock() - start) * 1000)
    return [round(value, 4) for value in sorted(times)]


if __name__ == "__main__":
    main()

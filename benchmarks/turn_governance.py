"""The time of governance in one turn, without a model.

Takes: nothing, or a folder of data sets whose sentences fill the store. Gives: one JSON object with milliseconds per
turn, without recall (CPU time as well) and with, microseconds per trace event, and milliseconds per search among the
patterns. Never: a data directory that stays.

    python -m benchmarks.turn_governance [--turns 200] [--patterns 10000] [--data DIR --records 100000]
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from dopejar import Memory, Partner, open_memory
from dopejar.bench.store_sample import fill, read_sets, statements
from dopejar.compose import STORE_NAME
from dopejar.compose.stores import open_store
from dopejar.engine.dependencies import no_progress
from dopejar.governance.learning.pattern import Pattern, lookup_stems, stems_of
from dopejar.governance.utterance import read_turn
from dopejar.turn import outcomes, pattern_rows
from dopejar.turn.conversation_state import ConversationState
from dopejar.turn.slow_tick import slow_tick
from dopejar.turn.traces import TurnTrace
from dopejar.turn.turn_draft import TurnDraft
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
KINDS: Final = 40
"""Signatures that the patterns are spread over."""

WORDS: Final = 4000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--patterns", type=int, default=10_000)
    parser.add_argument("--data", type=Path, help="a folder with one data set in the neutral format, or with several")
    parser.add_argument("--records", type=int, default=0, help="how many records of it the store has")
    arguments = parser.parse_args()
    turns = read_sets(arguments.data)[0] if arguments.data else []
    records = statements(turns, arguments.records, 0) if arguments.records else []
    print(json.dumps(measure(arguments.turns, arguments.patterns, records), indent=1))


def measure(turns: int, known: int, records: Sequence[str] = ()) -> dict[str, float]:
    """Milliseconds of a turn at the median and the 95th of 100, and of the parts of it."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        if records:
            with closing(open_store(Path(folder) / STORE_NAME)) as store:
                fill(store, records, no_progress)
        memory = stack.enter_context(open_memory(folder, environment={}, said_by="user"))
        _fill(memory, known)
        partner = Partner(memory)
        partner.turn("Warm up.")
        without = _times(turns, lambda place: partner.turn(SAID[place % len(SAID)], recall=False))
        busy = _times(turns, lambda place: partner.turn(SAID[place % len(SAID)], recall=False), time.process_time)
        recalling = _times(turns, lambda place: partner.turn(SAID[place % len(SAID)]))
        searching = _times(turns, lambda place: _search(memory, SAID[place % len(SAID)]))
    pure = _times(turns, _govern)
    return {
        "turn_p50_ms": without[len(without) // 2],
        "turn_p95_ms": without[int(len(without) * 0.95)],
        "turn_cpu_p50_ms": busy[len(busy) // 2],
        "turn_cpu_p95_ms": busy[int(len(busy) * 0.95)],
        "with_recall_p50_ms": recalling[len(recalling) // 2],
        "with_recall_p95_ms": recalling[int(len(recalling) * 0.95)],
        "pattern_search_p50_ms": searching[len(searching) // 2],
        "pattern_search_p95_ms": searching[int(len(searching) * 0.95)],
        "reading_and_tables_p50_ms": pure[len(pure) // 2],
        "trace_event_us": round(1000 * _trace_ms(), 1),
    }


def _fill(memory: Memory, known: int) -> None:
    """Patterns of many kinds, those of the turns among them, of words as they are used: few often, most seldom."""
    draw = random.Random(7)
    words = [f"word{number}" for number in range(WORDS)]
    weights = [1 / (rank + 1) for rank in range(WORDS)]
    kinds = [outcomes.kind_of(read_turn(text)) for text in SAID]
    kinds += [f"kind {number}" for number in range(KINDS - len(kinds))]
    at, places, rows = datetime(2026, 1, 1, tzinfo=UTC), defaultdict[str, list[list[str | int]]](list), []
    said = [stems_of(read_turn(text).terms) for text in SAID]
    for number in range(known):
        drawn = {draw.choice(draw.choice(said)), *stems_of(draw.choices(words, weights, k=6))}
        one = Pattern(
            id=f"{number:016x}",
            kind=kinds[number % KINDS],
            stems=tuple(sorted(drawn)),
            action_taken=str(Strategy.QUICK_ANSWER),
            confidence=0.7,
            created_at=at,
        )
        rows.append(KeyValueRow(kind=pattern_rows.ROWS, key=one.id, body=pattern_rows.body_of(one)))
        for stem in lookup_stems(one.stems):
            places[pattern_rows.place_of(one.kind, stem)].append(pattern_rows.entry_of(one))
    rows += [KeyValueRow(kind=pattern_rows.INDEX, key=key, body=json.dumps(entries)) for key, entries in places.items()]
    memory.workspace.write_rows(lambda _: rows)


def _search(memory: Memory, text: str) -> None:
    reading = read_turn(text)
    with memory.store.read() as view:
        pattern_rows.find(view, outcomes.kind_of(reading), stems_of(reading.terms))


def _govern(place: int) -> None:
    text = SAID[place % len(SAID)]
    slow_tick(ConversationState(), read_turn(text), at=datetime(2026, 1, 1, tzinfo=UTC), stars=NorthStars())


def _trace_ms() -> float:
    text, at = SAID[0], datetime(2026, 1, 1, tzinfo=UTC)
    reading = read_turn(text)
    governed = slow_tick(ConversationState(), reading, at=at, stars=NorthStars())
    draft = TurnDraft(
        conversation="main",
        state=ConversationState(),
        row=None,
        reading=reading,
        tick=governed,
        taught=(),
        pending=outcomes.tuple_of(reading, governed),
        tell=(),
        asked=(),
    )
    trace = TurnTrace(new_trace_id(), at)
    times = _times(500, lambda _: trace.note(draft, is_kept=True))
    return times[len(times) // 2] / len(trace.events)


def _times(count: int, act: Callable[[int], object], clock: Callable[[], float] = time.perf_counter) -> list[float]:
    times = []
    for place in range(count):
        start = clock()
        act(place)
        times.append((clock() - start) * 1000)
    return [round(value, 4) for value in sorted(times)]


if __name__ == "__main__":
    main()

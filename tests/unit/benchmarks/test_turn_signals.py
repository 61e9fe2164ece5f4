"""The scorer of single utterances."""

from __future__ import annotations

from benchmarks.turn_signals import false_alarms, pairs_of, score

REST = {"altitude": "L1", "request_type": "atomic", "strategy": "quick_answer", "stakes": "low"}


def _row(name: str, *signals: str, **other: str) -> dict[str, object]:
    return {"id": name, "signals": list(signals), **REST, **other}


def test_hits_misses_and_false_ones_are_counted() -> None:
    """F1 is two hits over all that held and all that were read; the mean is over the signals that occur."""
    held = [_row("a", "urgency"), _row("b", "urgency", "completion"), _row("c")]
    read = [_row("c", "urgency"), _row("a", "urgency"), _row("b", "completion", strategy="dialogue")]
    found = score(pairs_of(held, read))
    assert found["signals"] == {
        "completion": {"f1": 1.0, "recall": "1 of 1", "false": 0},
        "urgency": {"f1": 0.5, "recall": "1 of 2", "false": 1},
    }
    assert (found["macro_f1"], found["altitude"], found["strategy"]) == (0.75, 1.0, 0.667)


def test_false_alarms_are_urgency_and_emergency() -> None:
    """Of ordinary turns those are counted that were read as urgent or as an emergency."""
    assert false_alarms([_row("a", "urgency"), _row("b", "emotional")]) == {"turns": 2, "urgency": 1, "emergency": 0}

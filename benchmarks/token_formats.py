"""Tokens of compressed rows against the sentences that say the same, by type of data.

Takes: nothing; the rows are drawn with a seed, and the sentences are below. Gives: one JSON object: for each type the
tokens of sentences, of lines, of the legend, and the saving without and with the legend; whether the rows came back
exactly. Never: a data directory. Tokens are counted by `dopejar.text.tokens.count_tokens`.

    python -m benchmarks.token_formats [--rows 20] [--seed 5] [--vocabulary MODELS/minilm-l6-v2/vocab.txt]

With `--vocabulary` tokens are counted by the tokenizer of an installed model.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path

from dopejar.adapters.embedders.wordpiece import WordPiece
from dopejar.text.tokens import count_tokens
from dopejar.turn.compressed_formats import FORMATS, Row

Draw = Callable[[random.Random], tuple[Row, str]]

_NAMES = ("Ana", "Ben", "Chidi", "Dora", "Emil", "Farah", "Goran", "Hana")
_WORK = ("quarterly plan", "invoice import", "reading list", "kitchen repair", "release notes", "garden budget")


def _texts(name: str, field: str) -> list[str]:
    codes = next(one.codes for one in FORMATS[name].fields if one.name == field)
    return sorted((codes or {}).values())


def _pattern(draw: random.Random) -> tuple[Row, str]:
    text, percent, times = draw.choice(_texts("patterns", "pattern")), draw.randint(30, 95), draw.randint(1, 40)
    said = f"The user {text} (seen {times} times, {percent} percent sure)." if text.split()[0].endswith("s") else ""
    said = said or f"For this user, {text} (seen {times} times, {percent} percent sure)."
    return {"pattern": text, "percent": percent, "times": times}, said


def _person(draw: random.Random) -> tuple[Row, str]:
    codes = next(one.codes for one in FORMATS["people"].fields if one.name == "traits") or {}
    name, relation = draw.choice(_NAMES), draw.choice(sorted(text for code, text in codes.items() if code.isupper()))
    traits = draw.sample(sorted(text for code, text in codes.items() if code.islower()), 2)
    times = draw.randint(1, 40)
    said = f"{name} is a {relation} of the user, who {traits[0]} and {traits[1]}; mentioned {times} times."
    return {"name": name, "traits": (relation, *traits), "times": times}, said


def _session(draw: random.Random) -> tuple[Row, str]:
    work, end, turns = draw.choice(_WORK), draw.choice(_texts("history", "end")), draw.randint(2, 60)
    day = f"{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
    said = (
        f"In the session on {day}, the user and the assistant worked on the {work} for {turns} turns, and it was {end}."
    )
    return {"day": day, "summary": work, "end": end, "turns": turns}, said


def _signal(draw: random.Random) -> tuple[Row, str]:
    turn, stance = draw.randint(1, 200), draw.choice(_texts("signals", "stance"))
    signals = tuple(draw.sample(_texts("signals", "signals"), draw.randint(1, 2)))
    said = f"In turn {turn} the signals were {' and '.join(signals)}, and the stance was {stance}."
    return {"turn": turn, "signals": signals, "stance": stance}, said


def _routing(draw: random.Random) -> tuple[Row, str]:
    request, strategy = draw.choice(_texts("routing", "request")), draw.choice(_texts("routing", "strategy"))
    stakes, percent, level = draw.choice(_texts("routing", "stakes")), draw.randint(30, 95), draw.randint(0, 3)
    said = (
        f"The request was {request} with {stakes} stakes and was answered by {strategy}, "
        f"{percent} percent sure, at escalation level {level}."
    )
    row = {"request": request, "strategy": strategy, "percent": percent, "stakes": stakes, "escalation": level}
    return row, said


_DRAWS: Mapping[str, Draw] = {
    "patterns": _pattern, "people": _person, "history": _session, "signals": _signal, "routing": _routing,
}  # fmt: skip


def measure(rows: int, seed: int, count_tokens: Callable[[str], int] = count_tokens) -> dict[str, object]:
    """The figures of each type of data, and the mean savings in percent."""
    figures: dict[str, object] = {}
    savings = []
    for name, draw_one in _DRAWS.items():
        draw = random.Random(seed)
        drawn = [draw_one(draw) for _ in range(rows)]
        lines = FORMATS[name].encode([row for row, _ in drawn])
        prose = count_tokens("\n".join(said for _, said in drawn))
        cost, legend = count_tokens(lines), count_tokens(FORMATS[name].legend([row for row, _ in drawn]))
        savings.append((1 - cost / prose, 1 - (cost + legend) / prose))
        figures[name] = {
            "sentences": prose,
            "lines": cost,
            "legend": legend,
            "saving_percent": round(100 * savings[-1][0], 1),
            "with_legend_percent": round(100 * savings[-1][1], 1),
            "came_back": list(FORMATS[name].decode(lines)) == [row for row, _ in drawn],
        }
    for place, name in enumerate(("mean_saving_percent", "mean_with_legend_percent")):
        figures[name] = round(100 * sum(one[place] for one in savings) / len(savings), 1)
    return figures


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--vocabulary", type=Path, help="count by the tokenizer of this vocabulary")
    given = parser.parse_args()
    counter = count_tokens
    if given.vocabulary is not None:
        tokenizer = WordPiece.read(given.vocabulary)
        counter = lambda text: len(tokenizer.encode(text, 1_000_000)) - 2  # noqa: E731 - without its start and end
    print(json.dumps(measure(given.rows, given.seed, counter), indent=1))


if __name__ == "__main__":
    main()

"""Fit the weights by which a turn leaves the topic of a block.

Takes: the conversations of `data/blocks`, and a folder with installed models. Gives: the tables of
`src/dopejar/pipelines/garden/data/routing.toml`. Never: reads a benchmark's data.

    python -m training.routing_weights                        # without a model: the table `words`
    python -m training.routing_weights --home DIR             # with the model that is installed there: both

Streams are made of the conversations in random orders. In half of them turns have times; one first turn in eight says
that it changes the subject. Each turn is read with its true block before it, and a logistic regression is fitted.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dopejar.compose import make_embedder
from dopejar.pipelines.garden.block_router import RouterState, pair_features, route
from dopejar.pipelines.garden.blocks import IncomingTurn
from dopejar.pipelines.garden.topic_shift import read_turn
from dopejar.ports.embedder import Embedder
from dopejar.settings import read_settings
from dopejar.values.episode import Origin

DATA = Path(__file__).parent / "data" / "blocks"
STREAMS = 20
SEED = 0
RIDGE = 1.0
THRESHOLDS = {"words": 1.5, "vectors": 2.0}  # log odds: the bias to continue
START = datetime(2031, 1, 1, tzinfo=UTC)
ANNOUNCEMENTS = (
    "New topic:",
    "Something else:",
    "Different question.",
    "Unrelated:",
    "On another note,",
    "Change of subject:",
)
SPEAKERS = {"u": Origin.USER, "a": Origin.ASSISTANT}
_TURN = re.compile(r"([A-Z][a-z]+|u|a): ?(.*)")


@dataclass(frozen=True)
class Labelled:
    """A turn, and whether a conversation begins with it."""

    turn: IncomingTurn
    is_first: bool


def read_conversations(path: Path) -> list[list[IncomingTurn]]:
    """The conversations of a file: `# title`, then turns as `u:`, `a:` or `Name:`; other lines continue their turn."""
    conversations: list[list[IncomingTurn]] = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("# "):
            conversations.append([])
        elif match := _TURN.fullmatch(line):
            place = f"{len(conversations)}:{len(conversations[-1])}"
            origin = SPEAKERS.get(match[1], Origin.OTHER)
            conversations[-1].append(IncomingTurn(turn_id=place, text=match[2], origin=origin))
        else:
            last = conversations[-1][-1]
            conversations[-1][-1] = replace(last, text=f"{last.text}\n{line}")
    return conversations


def with_vectors(conversations: Sequence[Sequence[IncomingTurn]], embedder: Embedder) -> list[list[IncomingTurn]]:
    """The same turns with their vectors."""
    rows = iter(embedder.embed([turn.text for conversation in conversations for turn in conversation]))
    return [[replace(turn, vector=next(rows)) for turn in conversation] for conversation in conversations]


def streams(conversations: Sequence[Sequence[IncomingTurn]], count: int = STREAMS) -> Iterator[list[Labelled]]:
    """Streams of all conversations in random orders."""
    chance = random.Random(SEED)
    for number in range(count):
        order = list(conversations)
        chance.shuffle(order)
        now, stream = START, []
        for conversation in order:
            now += timedelta(minutes=chance.choice((3, 20, 60 * 5, 60 * 30, 60 * 24 * 4)))
            for place, turn in enumerate(conversation):
                now += timedelta(minutes=60 * 4 if chance.random() < 0.03 else chance.uniform(0.2, 6))
                text = turn.text
                if not place and chance.random() < 0.125:
                    text = f"{chance.choice(ANNOUNCEMENTS)} {text}"
                placed = replace(turn, turn_id=f"{number}:{turn.turn_id}", text=text, at=now if number % 2 else None)
                stream.append(Labelled(placed, is_first=not place))
        yield stream


def features_of(stream: Sequence[Labelled]) -> Iterator[tuple[Mapping[str, float], bool]]:
    """The features of each turn but the first, with its true blocks before it."""
    state = missed = RouterState()
    for one, after in pairwise(stream):
        before, (state, routing) = state, route(state, one.turn, shifts=one.is_first)
        if routing.features:
            yield routing.features, one.is_first
            missed, _ = route(before, one.turn, shifts=False)
            if not after.is_first and (joint := pair_features(missed, read_turn(after.turn))[0]):
                yield joint, one.is_first


def fit(rows: Sequence[tuple[Mapping[str, float], bool]]) -> dict[str, float]:
    """Logistic regression with a ridge penalty, by Newton's method."""
    names = list(rows[0][0])
    matrix = np.array([[1.0, *(row.get(name, 0.0) for name in names)] for row, _ in rows])
    wanted = np.array([float(label) for _, label in rows])
    ridge = np.diag([1e-6, *[RIDGE] * len(names)])
    weights: npt.NDArray[np.float64] = np.zeros(len(names) + 1)
    for _ in range(100):
        guess = 1 / (1 + np.exp(-matrix @ weights))
        slope = matrix.T @ (guess - wanted) + ridge @ weights
        move = np.linalg.solve((matrix.T * (guess * (1 - guess))) @ matrix + ridge, slope)
        weights -= move
        if np.abs(move).max() < 1e-8:
            break
    return dict(zip(["bias", *names], (round(float(weight), 2) for weight in weights), strict=True))


def write_table(name: str, weights: Mapping[str, float]) -> str:
    """One table of the data file."""
    lines = [f"[{name}]", f"threshold = {THRESHOLDS[name]}"]
    return "\n".join([*lines, *(f"{feature} = {{ weight = {weight} }}" for feature, weight in weights.items())])


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a data directory in which a model is installed")
    home = parser.parse_args().home
    conversations = [one for path in sorted(DATA.glob("*.txt")) for one in read_conversations(path)]
    print(write_table("words", fit([row for stream in streams(conversations) for row in features_of(stream)])))
    if home is not None:
        embedder = make_embedder(read_settings(home, {"DOPEJAR_EMBEDDER_KIND": "minilm"}))
        assert embedder is not None
        conversations = with_vectors(conversations, embedder)
        print()
        print(write_table("vectors", fit([row for stream in streams(conversations) for row in features_of(stream)])))


if __name__ == "__main__":
    main()

"""Fit what reads turns: signals, altitude, type of request, strategy and stakes of an utterance.

Takes: the utterances in `data/signals`, and a folder with installed models. Gives: the weights of the words
(`src/dopejar/governance/signals/data/word_weights.bin`), those over a model
(`src/dopejar/adapters/readers/data/turns-NAME.npz`), and figures on authors held out. Never: reads a benchmark's data.

    python -m training.signal_weights MODELS minilm-l6-v2 --words FILE --out FILE

Both are kernel ridge regressions, solved exactly: over hashed pieces of spelling, and over the distance of an
utterance to each written one in the hidden states of the encoder, which stays as it is. Their scores become shares by
a scale and a bias that fit the authors held out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.embedders.weights import MINILM
from dopejar.adapters.readers.fitted_reader import LONGEST
from dopejar.adapters.readers.turn_heads import gathered, layers_of
from dopejar.adapters.readers.weights_file import LAYERS, STEP
from dopejar.governance.signals.word_shares import HEADER, WIDTH, pieces_of, root_of, shares_of, weighed_together
from dopejar.governance.utterance import read_turn
from dopejar.text.hashed_pieces import BUCKET_BITS
from dopejar.values.turn_decisions import TURN_LABELS

DATA = Path(__file__).parent / "data" / "signals"
MODELS = {weights.name: weights for weights in (MINILM,)}
BUCKETS = 1 << BUCKET_BITS
WORD_RIDGE, MODEL_RIDGE = 0.5, 0.1  # chosen on authors held out
INTERCEPT = 0.1  # the prior variance of the intercept, in units of that of a weight
DIMENSIONS = 192  # of the hidden states that are compared
SHARPNESS = 1.0  # of the comparison, in units of the median distance
LARGEST = 127  # of a weight, as an 8-bit integer
NAMES = {
    "signals": {
        "fw": "formal_work", "in": "interrupt", "ur": "urgency", "co": "completion", "em": "emotional",
        "ab": "emergency", "hs": "high_stakes", "ls": "lane_switch",
    },
    "altitude": {"1": "L1", "2": "L2", "3": "L3", "4": "L4"},
    "request_type": {"a": "atomic", "d": "derivative", "h": "high_stakes"},
    "strategy": {"q": "quick_answer", "d": "decomposition", "v": "verification", "x": "exploration", "t": "dialogue"},
    "stakes": {"l": "low", "m": "medium", "h": "high"},
}  # fmt: skip
Array = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]


class Utterance(NamedTuple):
    """A written utterance, what was said before it, its labels by field (several signals may hold), and its author."""

    text: str
    before: str
    labels: Mapping[str, frozenset[str]]
    author: str


def read(path: Path) -> list[Utterance]:
    """One author's utterances, in the format of `data/signals/utterances.md`."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        codes, said = line.split(" | ", 1)
        text, _, before = said.partition(" << ")
        fields = zip(NAMES.items(), codes.split(), strict=True)
        labels = {
            head: frozenset(names[code] for code in field.split(",") if code != "-") for (head, names), field in fields
        }
        found.append(Utterance(text.strip(), before.strip(), labels, path.stem))
    return found


def labels_of(utterances: Sequence[Utterance]) -> Array:
    """One for each label that holds, minus one for each other."""
    rows = [
        [label in one.labels[field] for field, names in TURN_LABELS.items() for label in names] for one in utterances
    ]
    return np.array(rows, np.float32) * 2 - 1


def word_rows(utterances: Sequence[Utterance]) -> tuple[Array, Array]:
    """The pieces of each utterance over the root of their number, and how rare each piece is."""
    rows = np.zeros((len(utterances), BUCKETS), np.float32)
    for row, one in zip(rows, utterances, strict=True):
        pieces = pieces_of(one.text)
        row[pieces] = 1 / root_of(pieces)
    met = (rows > 0).sum(0)
    return rows, np.where(met > 1, np.log((len(rows) + 1) / (met + 1)), 0).astype(np.float32)


def projection_of(rows: Array) -> Array:
    """The directions of most variance, by subspace iteration from a seeded start."""
    rows = rows.astype(np.float64)
    basis = np.random.default_rng(0).standard_normal((rows.shape[1], DIMENSIONS + 32))
    for _ in range(4):
        basis, _ = np.linalg.qr(rows.T @ (rows @ basis))
    _, _, turned = np.linalg.svd(rows @ basis, full_matrices=False)
    found = basis @ turned[:DIMENSIONS].T
    return np.asarray(found * np.sign(found[np.abs(found).argmax(0), np.arange(DIMENSIONS)]), np.float32)


def likeness(points: Array) -> tuple[Doubles, float]:
    """How near each point is to each other one, from 0 to 1, and the sharpness of that."""
    squares = (points.astype(np.float64) ** 2).sum(1)
    distances = np.maximum(squares[:, None] + squares[None, :] - 2 * products(points), 0)
    sharpness = SHARPNESS / float(np.median(distances))
    return np.exp(-sharpness * distances), sharpness


def products(rows: Array) -> Doubles:
    """The inner products of all rows, in double precision: the same whatever is added first."""
    return sum((part @ part.T for part in parts_of(rows)), np.zeros((len(rows), len(rows))))


def parts_of(rows: Array) -> Iterator[Doubles]:
    """The rows a few columns at a time, in double precision."""
    return (rows[:, begin : begin + 4096].astype(np.float64) for begin in range(0, rows.shape[1], 4096))


def solve(kernel: Doubles, labels: Array, ridge: float) -> Doubles:
    """The dual weights of a ridge regression."""
    found = np.linalg.solve(kernel + INTERCEPT + ridge * np.eye(len(kernel)), labels)
    return np.asarray(found, np.float64)


def held_out(kernel: Doubles, labels: Array, authors: npt.NDArray[np.str_], ridge: float) -> Doubles:
    """The scores of each utterance by weights of the other authors."""
    scores = np.zeros(labels.shape)
    for author in sorted(set(authors)):
        own, others = authors == author, authors != author
        dual = solve(kernel[np.ix_(others, others)], labels[others], ridge)
        scores[own] = (kernel[np.ix_(own, others)] + INTERCEPT) @ dual
    return scores


def calibrated(scores: Doubles, labels: Array) -> tuple[Array, Array]:
    """The scale and the bias of each label that make its scores logits: least log loss, by gradient steps."""
    truth, scales, biases = (labels + 1) / 2, np.full(WIDTH, 3.0), np.zeros(WIDTH)
    places = np.cumsum([0, *map(len, TURN_LABELS.values())])
    fields = [slice(begin, end) for begin, end in pairwise(places)]
    for _ in range(4000):
        logits = scores * scales + biases
        chances = 1 / (1 + np.exp(-logits))
        for field in fields[1:]:
            powers = np.exp(logits[:, field] - logits[:, field].max(1, keepdims=True))
            chances[:, field] = powers / powers.sum(1, keepdims=True)
        off = chances - truth
        slope = (off * scores).mean(0)
        for field in fields[1:]:
            slope[field] = slope[field].mean()  # one scale for a field
        scales -= 10 * slope
        biases -= 1 * off.mean(0)
    return scales.astype(np.float32), biases.astype(np.float32)


def in_8_bits(array: Array | Doubles) -> tuple[npt.NDArray[np.int8], Array]:
    """The columns as 8-bit integers, and the scale of each."""
    scale = np.abs(array).max(0) / LARGEST + 1e-12
    return np.rint(array / scale).astype(np.int8), scale.astype(np.float32)


def write_words(out: Path, utterances: Sequence[Utterance], labels: Array) -> Doubles:
    """Fit and write the weights of the words; the logits of each utterance by weights of the other authors."""
    rows, rarity = word_rows(utterances)
    weighed = rows * rarity
    kernel = products(weighed)
    scores = held_out(kernel, labels, authors_of(utterances), WORD_RIDGE)
    scales, biases = calibrated(scores, labels)
    dual = solve(kernel, labels, WORD_RIDGE)
    kept, steps = in_8_bits(np.concatenate([part.T @ dual for part in parts_of(weighed)]) * rarity[:, None])
    bias = (biases + scales * INTERCEPT * dual.sum(0)).astype(np.float32)
    header = HEADER.pack(*(steps * scales).tolist(), *bias.tolist())
    out.write_bytes(header + kept.tobytes())
    return scores * scales + biases


def write_model(out: Path, states: Array, utterances: Sequence[Utterance], labels: Array) -> Doubles:
    """Fit and write the weights over a model; the logits of each utterance by weights of the other authors."""
    mean, spread = states.mean(0), states.std(0) + 1e-3
    scaled = (states - mean) / spread / np.float32(np.sqrt(states.shape[1]))
    kept, steps = in_8_bits(projection_of(scaled) / spread[:, None] / np.float32(np.sqrt(states.shape[1])))
    whole = kept * steps
    points, sizes = in_8_bits(states @ whole - mean @ whole)
    kernel, sharpness = likeness(points * sizes)
    scores = held_out(kernel, labels, authors_of(utterances), MODEL_RIDGE)
    scales, biases = calibrated(scores, labels)
    dual = solve(kernel, labels, MODEL_RIDGE)
    np.savez_compressed(
        out,
        **{"projection": kept, f"projection{STEP}": steps, "points": points, f"points{STEP}": sizes},
        origin=mean @ whole, sharpness=np.float32(sharpness), weight=(dual * scales).astype(np.float16),
        bias=(biases + scales * INTERCEPT * dual.sum(0)).astype(np.float32),
    )  # fmt: skip
    return scores * scales + biases


def authors_of(utterances: Sequence[Utterance]) -> npt.NDArray[np.str_]:
    """Who wrote each."""
    return np.array([one.author for one in utterances])


def figures(utterances: Sequence[Utterance], logits: Sequence[Doubles]) -> str:
    """F1 of each signal, their mean, and the accuracy of the other fields, as governance decides with these shares."""
    said: list[dict[str, frozenset[str]]] = []
    for one, *rows in zip(utterances, *logits, strict=True):
        words, *model = (shares_of(row.tolist()) for row in rows)
        reading = read_turn(one.text, one.before, shares=weighed_together(model[0] if model else None, words))
        said.append(
            {
                "signals": frozenset(str(signal.type) for signal in reading.signals),
                "altitude": frozenset([str(reading.altitude)]),
                "request_type": frozenset([str(reading.request_type)]),
                "strategy": frozenset([str(reading.routing.strategy)]),
                "stakes": frozenset([str(reading.stakes)]),
            }
        )
    parts, scores = [], []
    for label in TURN_LABELS["signals"]:
        pairs = [
            (label in one.labels["signals"], label in read["signals"])
            for one, read in zip(utterances, said, strict=True)
        ]
        right, wanted, given = pairs.count((True, True)), sum(a for a, _ in pairs), sum(b for _, b in pairs)
        scores.append(2 * right / max(1, wanted + given))
        parts.append(f"{label} {scores[-1]:.3f} {right}/{wanted} +{given - right}")
    for head in list(TURN_LABELS)[1:]:
        right = sum(one.labels[head] == got[head] for one, got in zip(utterances, said, strict=True))
        parts.append(f"{head} {right / len(said):.3f}")
    return f"macro F1 {np.mean(scores):.3f}; {', '.join(parts)}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("model", choices=sorted(LAYERS))
    parser.add_argument("--words", type=Path, required=True, help="the file for the weights of the words")
    parser.add_argument("--out", type=Path, required=True, help="the file for the weights over the model")
    chosen = parser.parse_args()
    utterances = [one for path in sorted(DATA.glob("utterances_*.txt")) for one in read(path)]
    labels = labels_of(utterances)
    words = write_words(chosen.words, utterances, labels)
    print("by words:", figures(utterances, [words]), flush=True)
    embedder = SentenceEmbedder(chosen.models / chosen.model, MODELS[chosen.model])
    states = embedder.token_states([one.text for one in utterances], layers_of(chosen.model), LONGEST)
    model = write_model(chosen.out, np.stack([gathered(one.states) for one in states]), utterances, labels)
    print("with the model:", figures(utterances, [words, model]))


if __name__ == "__main__":
    main()

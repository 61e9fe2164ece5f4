"""Fit the heads of turns: signals, altitude, type of request, strategy and stakes of an utterance.

Takes: the utterances in `data/signals`, and a folder with installed models. Gives: the weights file of
`src/dopejar/adapters/readers/data`, and figures on authors held out. Never: reads a benchmark's data.

    python -m training.signal_weights MODELS minilm-l6-v2 --out FILE      # all authors, a minute on one core
    python -m training.signal_weights MODELS minilm-l6-v2 --out FILE --judge    # each author held out

The encoder stays as it is. Every step is over all utterances, from zero: nothing is drawn by chance. Needs PyTorch
2.13.0 or newer.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (its usual name)

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.embedders.weights import MINILM, MPNET_BASE
from dopejar.adapters.readers.fitted_reader import LONGEST
from dopejar.adapters.readers.side_reader import pooled
from dopejar.adapters.readers.turn_heads import LABELS, TurnHeads
from dopejar.adapters.readers.weights_file import LAYERS
from dopejar.governance.utterance import read_turn

DATA = Path(__file__).parent / "data" / "signals"
MODELS = {weights.name: weights for weights in (MINILM, MPNET_BASE)}
STEPS = 60
DECAY = 1e-4
RARE = 2.0  # how much more a signal that is there weighs than one that is not
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


class Utterance(NamedTuple):
    """A written utterance and its labels by head; several signals may hold."""

    text: str
    labels: Mapping[str, frozenset[str]]


def read(path: Path) -> list[Utterance]:
    """One author's utterances: `signals altitude request strategy stakes | text` a line, by the codes of `NAMES`."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        codes, text = line.split(" | ", 1)
        fields = zip(NAMES.items(), codes.split(), strict=True)
        labels = {
            head: frozenset(names[code] for code in field.split(",") if code != "-") for (head, names), field in fields
        }
        found.append(Utterance(text, labels))
    return found


def rows_of(utterances: Sequence[Utterance], embedder: SentenceEmbedder, layers: Sequence[int]) -> Array:
    """The pooled states of each utterance."""
    states = embedder.token_states([one.text for one in utterances], layers, LONGEST)
    return np.stack([pooled(one.states) for one in states])


def fit(rows: Array, utterances: Sequence[Utterance]) -> dict[str, Array]:
    """The weights of every head."""
    mean, spread = rows.mean(0), rows.std(0) + 1e-3
    scaled, found = (rows - mean) / spread, {}
    for head, labels in LABELS.items():
        truth = np.array([[label in one.labels[head] for label in labels] for one in utterances], np.float32)
        weight, bias = _fit_head(scaled, truth, is_several=head == "signals")
        weight = weight / spread[:, None]
        found |= {f"{head}.weight": weight.astype(np.float16), f"{head}.bias": bias - mean @ weight}
    return found


def _fit_head(rows: Array, truth: Array, *, is_several: bool) -> tuple[Array, Array]:
    """Logistic regression with decayed weights, to its optimum."""
    scale = float(np.sqrt(rows.shape[1]))
    inputs, labels = torch.from_numpy(rows / scale), torch.from_numpy(truth)
    weight = torch.zeros(rows.shape[1], truth.shape[1], requires_grad=True)
    bias = torch.zeros(truth.shape[1], requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=STEPS, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        logits = inputs @ weight + bias
        if is_several:
            losses = F.binary_cross_entropy_with_logits(logits, labels, pos_weight=torch.tensor(RARE), reduction="none")
            loss = losses.sum(1).mean()
        else:
            loss = F.cross_entropy(logits, labels)
        loss = loss + DECAY * (weight**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return weight.detach().numpy() / scale, bias.detach().numpy()


def figures(reader: TurnHeads | None, utterances: Sequence[Utterance]) -> str:
    """F1 of each signal, their mean, and the accuracy of the other heads, as governance decides with the shares."""
    said: list[dict[str, frozenset[str]]] = []
    for one in utterances:
        reading = read_turn(one.text, shares=reader.shares(one.text) if reader else None)
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
    for label in LABELS["signals"]:
        pairs = [
            (label in one.labels["signals"], label in read["signals"])
            for one, read in zip(utterances, said, strict=True)
        ]
        right, wanted, given = pairs.count((True, True)), sum(a for a, _ in pairs), sum(b for _, b in pairs)
        scores.append(2 * right / max(1, wanted + given))
        parts.append(f"{label} {right}/{wanted} +{given - right}")
    for head in list(LABELS)[1:]:
        right = sum(one.labels[head] == got[head] for one, got in zip(utterances, said, strict=True))
        parts.append(f"{head} {right / len(said):.3f}")
    return f"macro F1 {np.mean(scores):.3f}; {', '.join(parts)}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("model", choices=sorted(LAYERS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--judge", action="store_true", help="hold each author out in turn")
    chosen = parser.parse_args()
    embedder = SentenceEmbedder(chosen.models / chosen.model, MODELS[chosen.model])
    parts = {path.stem: read(path) for path in sorted(DATA.glob("utterances_*.txt"))}
    rows = {name: rows_of(part, embedder, LAYERS[chosen.model]) for name, part in parts.items()}
    for held, part in parts.items() if chosen.judge else ():
        others = [name for name in parts if name != held]
        weights = fit(np.concatenate([rows[n] for n in others]), [one for n in others for one in parts[n]])
        np.savez_compressed(chosen.out, **weights)
        print(held, figures(TurnHeads(embedder, chosen.model, chosen.out), part), flush=True)
    weights = fit(np.concatenate(list(rows.values())), [one for part in parts.values() for one in part])
    np.savez_compressed(chosen.out, **weights)


if __name__ == "__main__":
    main()

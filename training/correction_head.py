"""Fit the reader of corrections: which turns correct an assistant, whether their wish lasts, and whether it is taste.

Takes: the turns of several authors in `data`, and a folder with installed models. Gives: the weights file of
`src/dopejar/adapters/readers/data`, and figures on authors held out. Never: reads a benchmark's data.

    python -m training.correction_head MODELS minilm-l6-v2 --out FILE      # all authors, about two minutes on one core
    python -m training.correction_head MODELS minilm-l6-v2 --judge         # each author judged by weights of the others

The encoder stays as it is. The mean of the net's log odds and of the weighted features decides, so a held-out author is
kept from both. Two nets of two seeds are one net in the file. Needs PyTorch 2.13.0 or newer.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.readers.correction_reader import LONGEST, FittedCorrectionReader
from dopejar.adapters.readers.side_reader import pooled
from dopejar.adapters.readers.weights_file import LAYERS
from dopejar.pipelines.corrections.detection.detector import ScoredTurn, said_in
from training.correction_weights import DATA, FILES, Sample, fit_model, read_scored
from training.reader_weights import MODELS

WIDTH = 64
DROPOUT = 0.5
EPOCHS = 15
BATCH = 32
SEEDS = (0, 1)
SHARPEN = 2.0  # log odds of a net with dropout and smoothed labels are small beside those of the features
UNSAID = -1.0
SMOOTH = 0.025
SHARES = (1.0, 0.5, 0.5)  # of the loss: corrects, lasts, prefers
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of one author: their states, the three labels of each, and as the features see them."""

    states: Tensor
    labels: Tensor
    texts: Sequence[str]
    samples: Sequence[Sample]


class CorrectionNet(nn.Module):
    """Three log odds of a turn, from its pooled states."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, WIDTH)
        self.out = nn.Linear(WIDTH, len(SHARES))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, rows: Tensor) -> Tensor:
        """The log odds."""
        return self.out(self.drop(F.relu(self.hidden(self.drop(rows)))))


def read(path: Path, embedder: SentenceEmbedder, layers: Sequence[int]) -> Turns:
    """The turns of one author that have words of their own."""
    found = [(row, scored, sample) for row, scored, sample in read_scored(path) if said_in(scored.reading)]
    texts = [said_in(scored.reading) for _, scored, _ in found]
    states = [
        pooled(rows)
        for start in range(0, len(texts), BATCH)
        for _, rows in embedder.token_states(texts[start : start + BATCH], layers, LONGEST)
    ]
    labels = torch.tensor([_labels(row, sample) for row, _, sample in found])
    return Turns(torch.from_numpy(np.stack(states)), labels, texts, [sample for _, _, sample in found])


def _labels(row: Row, sample: Sample) -> tuple[float, float, float]:
    taste = {"rule": 0.0, "preference": 1.0}.get(row.get("category", ""), UNSAID)
    lasts = UNSAID if sample.lasts is None else float(sample.lasts)
    return float(sample.corrects), lasts, taste


def fit(parts: Sequence[Turns]) -> dict[str, np.ndarray]:
    """Fit a net for each seed on several authors, and make one of them."""
    states, labels = torch.cat([part.states for part in parts]), torch.cat([part.labels for part in parts])
    nets = [_fit_one(states, labels, seed) for seed in SEEDS]
    return {
        "hidden.weight": np.concatenate([net.hidden.weight.detach().numpy() for net in nets]),
        "hidden.bias": np.concatenate([net.hidden.bias.detach().numpy() for net in nets]),
        "out.weight": np.concatenate([net.out.weight.detach().numpy() for net in nets], 1) * SHARPEN / len(nets),
        "out.bias": sum(net.out.bias.detach().numpy() for net in nets) * SHARPEN / len(nets),
    }


def _fit_one(states: Tensor, labels: Tensor, seed: int) -> CorrectionNet:
    torch.manual_seed(seed)
    net = CorrectionNet(states.shape[1])
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3, weight_decay=0.05)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(states)).split(BATCH):
            odds, wanted = net(states[part]), labels[part]
            loss = torch.zeros(())
            for column, share in enumerate(SHARES):
                said = wanted[:, column] != UNSAID
                if said.any():
                    target = wanted[said, column] * (1 - 2 * SMOOTH) + SMOOTH
                    loss = loss + share * F.binary_cross_entropy_with_logits(odds[said, column], target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return net.eval()


def save(out: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write the net in half precision."""
    np.savez_compressed(out, **{name: value.astype(np.float16) for name, value in arrays.items()})


def judge(embedder: SentenceEmbedder, model: str, held: str, authors: Mapping[str, Turns], scratch: Path) -> str:
    """The figures on one author by features and net, both fitted without it; those of the features alone beside them."""
    others = [part for name, part in authors.items() if name != held]
    save(scratch, fit(others))
    weights, part = fit_model([sample for other in others for sample in other.samples]), authors[held]
    odds = FittedCorrectionReader(embedder, model, scratch).corrections(part.texts)
    corrects, lasts, taste = (part.labels[:, column].numpy() for column in range(3))

    def figures(read: Sequence[tuple[float | None, float | None]]) -> str:
        pairs = list(zip(part.samples, read, strict=True))
        flagged = np.array([
            weights.detection.probability(one.features, both[0]) >= weights.detection.threshold for one, both in pairs
        ])
        durable = np.array([weights.standing.probability(one.features, both[1]) >= 0.5 for one, both in pairs])
        f1 = 2 * (flagged & (corrects == 1)).sum() / max(1, flagged.sum() + (corrects == 1).sum())
        found = flagged & (lasts != UNSAID)
        right = (durable == (lasts == 1))[found].mean() if found.any() else float("nan")
        return f"F1 {f1:.3f}, durability {right:.3f}"

    alone = figures([(None, None)] * len(part.texts))
    both = figures([(one.corrects, one.lasts) for one in odds])
    prefers, told = np.array([one.prefers > 0 for one in odds]), taste != UNSAID
    kind = (prefers == (taste == 1))[told].mean() if told.any() else float("nan")
    return f"{held} ({len(part.texts)}): {both}, taste or rule {kind:.3f}; by features alone {alone}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("model", choices=sorted(LAYERS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--judge", nargs="*", metavar="AUTHOR", help="hold these authors out, or each in turn")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    embedder = SentenceEmbedder(chosen.models / chosen.model, MODELS[chosen.model])
    paths = [path for pattern in FILES for path in sorted(DATA.glob(pattern))]
    authors = {path.stem: read(path, embedder, LAYERS[chosen.model]) for path in paths}
    if chosen.judge is not None:
        for held in chosen.judge or authors:
            print(judge(embedder, chosen.model, held, authors, chosen.out), flush=True)
        return
    save(chosen.out, fit(list(authors.values())))


if __name__ == "__main__":
    main()

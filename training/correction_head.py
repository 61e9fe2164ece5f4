"""Fit the reader of corrections: which turns correct an assistant, and whether their wish lasts.

Takes: the turns of several authors in `data`, and a folder with installed models. Gives: the weights file of
`src/dopejar/adapters/readers/data`, and figures on authors held out. Never: reads a benchmark's data.

    python -m training.correction_head MODELS minilm-l6-v2 --out FILE      # all authors, about a minute on one core
    python -m training.correction_head MODELS minilm-l6-v2 --judge         # each author judged by weights of the others

The encoder stays as it is. The sum of the net's log odds and of the weighted features decides, so a held-out author is
kept from both. Turns that state no rule and that the features do not suspect stand for ordinary ones. Two nets of two
seeds are one net in the file. Needs PyTorch 2.13.0 or newer.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.readers.correction_reader import LONGEST, FittedCorrectionReader
from dopejar.adapters.readers.side_reader import pooled
from dopejar.adapters.readers.weights_file import LAYERS
from dopejar.pipelines.corrections.detection.detector import own_text, score_turns, shipped_model
from dopejar.pipelines.corrections.exchange import Exchange
from training.correction_weights import DATA, FILES, Sample, fit_model, read_scored
from training.reader_data import marked_turns
from training.reader_weights import MODELS

WIDTH = 64
DROPOUT = 0.5
EPOCHS = 15
BATCH = 48
SEEDS = (0, 1)
SCALES = (1.0, 0.5)  # of the log odds beside those of the features
ORDINARY = 0.15  # of the loss: turns that nobody labelled, taken for ones that correct nothing
UNSAID = -1.0
SMOOTH = 0.025
SHARES = (1.0, 0.5)  # of the loss: corrects, lasts
DIRECTING = {"constraint", "preference"}  # classes of statements that may be standing instructions


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of one author: their states, the two labels of each, and as the features see them."""

    states: Tensor
    labels: Tensor
    texts: Sequence[str]
    samples: Sequence[Sample]
    weight: float = 1.0


class CorrectionNet(nn.Module):
    """Two log odds of a turn, from its pooled states."""

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
    found = [(row, scored, sample) for row, scored, sample in read_scored(path) if own_text(scored.reading)]
    texts = [own_text(scored.reading) for _, scored, _ in found]
    labels = torch.tensor([(float(sample.corrects), _lasts(sample)) for _, _, sample in found])
    return Turns(_encode(embedder, layers, texts), labels, texts, [sample for _, _, sample in found])


def ordinary(embedder: SentenceEmbedder, layers: Sequence[int]) -> Turns:
    """Turns written for the marker that state no rule or preference, and that the features do not suspect."""
    turns = [turn for name, part in marked_turns().items() if name.startswith("turns") for turn in part]
    said = [turn.text for turn in turns if not any(span.fact_class in DIRECTING for span in turn.spans)]
    alone = [Exchange(text=text, before="Done.", at=datetime(2025, 1, 1, tzinfo=UTC)) for text in said]
    threshold = shipped_model().detection.threshold
    scored = [one for turn in alone for one in score_turns([turn]) if one.probability < threshold]
    texts = [text for text in (own_text(one.reading) for one in scored) if text]
    labels = torch.tensor([[0.0, UNSAID]]).expand(len(texts), -1)
    return Turns(_encode(embedder, layers, texts), labels, texts, (), ORDINARY)


def _encode(embedder: SentenceEmbedder, layers: Sequence[int], texts: Sequence[str]) -> Tensor:
    batches = (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
    states = [pooled(rows) for batch in batches for _, rows in embedder.token_states(batch, layers, LONGEST)]
    return torch.from_numpy(np.stack(states))


def _lasts(sample: Sample) -> float:
    return UNSAID if sample.lasts is None else float(sample.lasts)


def fit(parts: Sequence[Turns]) -> dict[str, np.ndarray]:
    """Fit a net for each seed on several authors, and make one of them."""
    states, labels = torch.cat([part.states for part in parts]), torch.cat([part.labels for part in parts])
    weights = torch.cat([torch.full((len(part.texts), 1), part.weight) for part in parts])
    nets = [_fit_one(states, labels, weights, seed) for seed in SEEDS]
    scales = np.array(SCALES, dtype=np.float32) / len(nets)
    return {
        "hidden.weight": np.concatenate([net.hidden.weight.detach().numpy() for net in nets]),
        "hidden.bias": np.concatenate([net.hidden.bias.detach().numpy() for net in nets]),
        "out.weight": np.concatenate([net.out.weight.detach().numpy() for net in nets], 1) * scales[:, None],
        "out.bias": sum(net.out.bias.detach().numpy() for net in nets) * scales,
    }


def _fit_one(states: Tensor, labels: Tensor, weights: Tensor, seed: int) -> CorrectionNet:
    torch.manual_seed(seed)
    net = CorrectionNet(states.shape[1])
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3, weight_decay=0.05)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(states)).split(BATCH):
            odds, wanted = net(states[part]), labels[part]
            said = (wanted != UNSAID) * weights[part]
            target = wanted.clamp(min=0) * (1 - 2 * SMOOTH) + SMOOTH
            each = F.binary_cross_entropy_with_logits(odds, target, reduction="none") * said
            loss = (each.sum(0) / said.sum(0).clamp(min=1) * torch.tensor(SHARES)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return net.eval()


def save(out: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write the net in half precision."""
    np.savez_compressed(out, **{name: value.astype(np.float16) for name, value in arrays.items()})


def judge(
    embedder: SentenceEmbedder, model: str, held: str, authors: Mapping[str, Turns], more: Turns, scratch: Path
) -> str:
    """The figures on one author by features and net, both fitted without it, and by the features alone."""
    others = [part for name, part in authors.items() if name != held]
    save(scratch, fit([*others, more]))
    weights, part = fit_model([sample for other in others for sample in other.samples]), authors[held]
    odds = FittedCorrectionReader(embedder, model, scratch).corrections(part.texts)
    corrects, lasts = part.labels.numpy().T

    def figures(read: Sequence[tuple[float, float]]) -> str:
        pairs = list(zip(part.samples, read, strict=True))
        flagged = np.array(
            [weights.detection.probability(one.features, both[0]) >= weights.detection.threshold for one, both in pairs]
        )
        durable = np.array([weights.standing.probability(one.features, both[1]) >= 0.5 for one, both in pairs])
        f1 = 2 * (flagged & (corrects == 1)).sum() / max(1, flagged.sum() + (corrects == 1).sum())
        found = flagged & (lasts != UNSAID)
        right = (durable == (lasts == 1))[found].mean() if found.any() else float("nan")
        return f"F1 {f1:.3f}, durability {right:.3f}"

    alone = figures([(0.0, 0.0)] * len(part.texts))
    both = figures([(one.corrects, one.lasts) for one in odds])
    return f"{held} ({len(part.texts)}): {both}; by features alone {alone}"


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
    more = ordinary(embedder, LAYERS[chosen.model])
    if chosen.judge is not None:
        for held in chosen.judge or authors:
            print(judge(embedder, chosen.model, held, authors, more, chosen.out), flush=True)
        return
    save(chosen.out, fit([*authors.values(), more]))


if __name__ == "__main__":
    main()

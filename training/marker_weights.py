"""Fit the marker of lasting statements: which words of a turn state something that lasts, and of which sort it is.

Takes: the turns in `data/reader`, and a folder with installed models. Gives: the weights file of
`src/dopejar/adapters/readers/data`, and figures on authors held out. Never: reads a benchmark's data.

    python -m training.marker_weights MODELS minilm-l6-v2 --out FILE      # all authors, about two minutes on one core
    python -m training.marker_weights MODELS minilm-l6-v2 --judge         # each author judged by weights of the others

The encoder stays as it is; the marker sees its hidden states of three layers, pooled by word. Two convolutions tell
each word from its neighbours as outside, the beginning or the inside of a statement. Needs PyTorch 2.13.0 or newer.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder, UnitStates
from dopejar.adapters.embedders.weights import MINILM, MPNET_BASE
from dopejar.adapters.readers.fitted_reader import COORDINATES
from dopejar.adapters.readers.statement_marker import LONGEST, FittedMarker
from dopejar.adapters.readers.weights_file import LAYERS
from dopejar.pipelines.ingest.extraction.self_corrections import as_meant
from dopejar.values.statement import FactClass
from training.reader_data import MarkedTurn, compare, marked_turns

MODELS = {weights.name: weights for weights in (MINILM, MPNET_BASE)}
WIDTH = 96
KERNEL = 5  # words
DROPOUT = 0.3
EPOCHS = 8
BATCH = 32
SEED = 0
OUTSIDE, OPENS, INSIDE, UNSAID = 0, 1, 2, -1
CLASSES = tuple(map(str, FactClass))
LABELS = tuple(f"{layer}.{sublayer}" for layer, sublayer in COORDINATES)
Batch = tuple[Tensor, Tensor, Tensor, Tensor]


class Example(NamedTuple):
    """A turn as the net sees it: its units, a tag for each, and the spans of its statements with class and layer."""

    seen: UnitStates
    tags: np.ndarray
    spans: list[tuple[int, int, int, int]]


class MarkerNet(nn.Module):
    """Tags for the words of a turn; class and layer of a span of them."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.input = nn.Linear(width, WIDTH)
        self.context = nn.Linear(width, WIDTH)
        self.near = nn.Conv1d(WIDTH, WIDTH, KERNEL, padding=KERNEL // 2)
        self.far = nn.Conv1d(WIDTH, WIDTH, KERNEL, padding=KERNEL // 2)
        self.tag = nn.Linear(WIDTH, 3)
        self.add_module("class", nn.Linear(2 * WIDTH, len(CLASSES)))
        self.layer = nn.Linear(2 * WIDTH, len(LABELS))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, rows: Tensor, mask: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
        """The hidden state and the tag logits of every word."""
        keep = mask[..., None]
        hidden = F.relu(self.input(self.drop(rows)) + self.context(self.drop(mean))[:, None, :]) * keep
        for convolution in (self.near, self.far):
            near = convolution(self.drop(hidden).transpose(1, 2)).transpose(1, 2)
            hidden = (hidden + F.relu(near)) * keep
        return hidden, self.tag(self.drop(hidden))

    def kinds(self, spans: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """Class and layer logits of spans, each given by the hidden states of its words."""
        pooled = self.drop(torch.stack([torch.cat([span.mean(0), span.amax(0)]) for span in spans]))
        return self.get_submodule("class")(pooled), self.layer(pooled)


def examples(embedder: SentenceEmbedder, layers: Sequence[int], turns: Sequence[MarkedTurn]) -> list[Example]:
    """The turns, encoded and tagged."""
    found = []
    for start in range(0, len(turns), 128):
        part = turns[start : start + 128]
        for turn, seen in zip(
            part, embedder.unit_states([as_meant(row.text) for row in part], layers, LONGEST), strict=True
        ):
            found.append(_example(turn, seen))
    return [example for example in found if example.seen.units]


def _example(turn: MarkedTurn, seen: UnitStates) -> Example:
    tags, spans = np.full(len(seen.units), OUTSIDE), []
    for span in turn.spans:
        inside = [number for number, (start, end) in enumerate(seen.units) if start < span.end and span.start < end]
        if not inside:
            continue
        tags[inside] = UNSAID if span.is_optional else INSIDE
        if not span.is_optional:
            tags[inside[0]] = OPENS
        spans.append((inside[0], inside[-1] + 1, _index(CLASSES, span.fact_class), _index(LABELS, span.layer)))
    return Example(seen, tags, spans)


def _index(labels: Sequence[str], label: str) -> int:
    return labels.index(label) if label in labels else UNSAID


def fit(rows: Sequence[Example]) -> MarkerNet:
    """Fit the net; a label that was not given costs nothing."""
    torch.manual_seed(SEED)
    rng, net = random.Random(SEED), MarkerNet(rows[0].seen.states.shape[1])
    optimizer = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=0.02)
    steps = EPOCHS * -(-len(rows) // BATCH)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 30) * max(0.02, 1 - step / steps)
    )
    for _ in range(EPOCHS):
        for part in _batches(rows, rng):
            loss = _loss(net, part)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            rate.step()
    return net.eval()


def _loss(net: MarkerNet, part: Sequence[Example]) -> Tensor:
    rows, mask, tags, mean = _padded(part)
    hidden, logits = net(rows, mask, mean)
    loss = F.cross_entropy(logits.flatten(0, 1), tags.flatten(), ignore_index=UNSAID, label_smoothing=0.05)
    spans = [(row, span) for row, example in enumerate(part) for span in example.spans]
    if spans:
        kinds = net.kinds([hidden[row, first:last] for row, (first, last, _, _) in spans])
        for logits, column in zip(kinds, (2, 3), strict=True):
            labels = torch.tensor([span[column] for _, span in spans])
            if (labels != UNSAID).any():
                loss = loss + 0.3 * F.cross_entropy(logits, labels, ignore_index=UNSAID)
    return loss


def _batches(rows: Sequence[Example], rng: random.Random) -> Iterator[list[Example]]:
    order = list(rows)
    rng.shuffle(order)
    found = []
    for start in range(0, len(order), 16 * BATCH):
        part = sorted(order[start : start + 16 * BATCH], key=lambda row: len(row.tags))
        found += [part[at : at + BATCH] for at in range(0, len(part), BATCH)]
    rng.shuffle(found)
    yield from found


def _padded(part: Sequence[Example]) -> Batch:
    longest, width = max(len(row.tags) for row in part), part[0].seen.states.shape[1]
    rows = np.zeros((len(part), longest, width), dtype=np.float32)
    tags = np.full((len(part), longest), UNSAID)
    mask = np.zeros((len(part), longest), dtype=np.float32)
    for number, row in enumerate(part):
        size = len(row.tags)
        rows[number, :size], tags[number, :size], mask[number, :size] = row.seen.states, row.tags, 1.0
    mean = np.stack([row.seen.mean for row in part])
    return torch.from_numpy(rows), torch.from_numpy(mask), torch.from_numpy(tags), torch.from_numpy(mean)


def save(out: Path, net: MarkerNet) -> None:
    """Write the net in half precision."""
    np.savez_compressed(out, **{name: value.numpy().astype(np.float16) for name, value in net.state_dict().items()})


def judge(
    embedder: SentenceEmbedder, model: str, held: str, turns: Mapping[str, Sequence[MarkedTurn]], scratch: Path
) -> str:
    """The figures on one author, by weights fitted without it."""
    rows = [row for name, part in turns.items() if name != held for row in part]
    save(scratch, fit(examples(embedder, LAYERS[model], rows)))
    marked = FittedMarker(embedder, model, scratch).mark([turn.text for turn in turns[held]])
    counts = compare(turns[held], marked)
    empty = [marks for turn, marks in zip(turns[held], marked, strict=True) if not turn.spans]
    f1 = 2 * counts.found / max(1, 2 * counts.found + counts.excess + counts.missed)
    return (
        f"{held}: F1 {f1:.3f} of {counts.found + counts.missed}, class {counts.right_class / max(1, counts.found):.3f},"
        f" empty turns spoiled {sum(map(bool, empty)) / max(1, len(empty)):.3f} of {len(empty)}"
    )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("model", choices=sorted(LAYERS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--judge", nargs="*", metavar="AUTHOR", help="hold these authors out, or each in turn")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    embedder = SentenceEmbedder(chosen.models / chosen.model, MODELS[chosen.model])
    turns = marked_turns()
    if chosen.judge is not None:
        for held in chosen.judge or turns:
            print(judge(embedder, chosen.model, held, turns, chosen.out), flush=True)
        return
    save(chosen.out, fit(examples(embedder, LAYERS[chosen.model], [row for part in turns.values() for row in part])))


if __name__ == "__main__":
    main()

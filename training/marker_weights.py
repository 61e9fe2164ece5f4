"""Fit the marker of lasting statements: which words of a turn state something that lasts, and of which sort it is.

Takes: the turns in `data/reader`, and a folder with installed models. Gives: the weights file of
`src/dopejar/adapters/readers/data`, and figures on authors held out. Never: reads a benchmark's data.

    python -m training.marker_weights MODELS --out FILE      # all authors, about twenty minutes on one quiet core
    python -m training.marker_weights MODELS --out FILE --judge AUTHOR ...     # these judged by weights of the others
    python -m training.marker_weights MODELS --out FILE --classes   # the head for a statement alone, of weights in FILE

The marker sees the hidden states of three layers, pooled by word; the upper half of the encoder is adapted to it by
low-rank factors. Two convolutions tell each word from its neighbours as outside, the beginning or the inside of a
statement. Needs PyTorch 2.13.0 or newer.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.embedders.tensor_file import read_tensors
from dopejar.adapters.embedders.weights import MINILM
from dopejar.adapters.embedders.wordpiece import Unit, WordPiece
from dopejar.adapters.readers.fitted_reader import COORDINATES
from dopejar.adapters.readers.statement_marker import LONGEST, FittedMarker
from dopejar.adapters.readers.weights_file import LAYERS
from dopejar.pipelines.ingest.extraction.self_corrections import as_meant
from dopejar.values.statement import FactClass
from training.adapted_encoder import AdaptedEncoder
from training.packed_weights import packed
from training.reader_data import MarkedTurn, classed_statements, compare, marked_turns

MODEL = MINILM
FIRST = 3  # of the layers, counted from 0, that are adapted
WIDTH, ALONE = 96, 32
KERNEL = 5  # words
DROPOUT = 0.3
EPOCHS, EPOCHS_OF_CLASSES = 4, 30
BATCH = 32
RATE, RATE_OF_FACTORS = 2e-3, 1e-3
WARM_UP = 0.06  # of all steps
LEAST_SPREAD = 1e-3  # of an input of the head for a statement alone: one that hardly varies gets no huge weight
PARTS = 4  # of a step of the weights: how finely they are kept
SEED = 0
OUTSIDE, OPENS, INSIDE, UNSAID = 0, 1, 2, -1
CLASSES = tuple(map(str, FactClass))
LABELS = tuple(f"{layer}.{sublayer}" for layer, sublayer in COORDINATES)


class Example(NamedTuple):
    """A turn as the net sees it: tokens, units, a tag for each, and the spans of its statements with their kinds."""

    ids: list[int]
    units: list[Unit]
    tags: np.ndarray
    spans: list[tuple[int, int, int, int]]  # first unit, unit behind the last, class, layer


class MarkerNet(nn.Module):
    """Tags for the words of a turn; class and layer of a span of them."""

    def __init__(self, encoder: AdaptedEncoder, width: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.input = nn.Linear(width, WIDTH)
        self.context = nn.Linear(width, WIDTH)
        self.near = nn.Conv1d(WIDTH, WIDTH, KERNEL, padding=KERNEL // 2)
        self.far = nn.Conv1d(WIDTH, WIDTH, KERNEL, padding=KERNEL // 2)
        self.tag = nn.Linear(WIDTH, 3)
        self.add_module("class", nn.Linear(2 * WIDTH, len(CLASSES)))
        self.layer = nn.Linear(2 * WIDTH, len(LABELS))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, ids: Tensor, tokens: Tensor, pools: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The hidden state and the tag logits of every word."""
        states = self.encoder(ids, tokens, LAYERS[MODEL.name])
        mean = (states * tokens[..., None]).sum(1) / tokens.sum(1, keepdim=True)
        keep = mask[..., None]
        hidden = F.relu(self.input(self.drop(pools @ states)) + self.context(self.drop(mean))[:, None, :]) * keep
        for convolution in (self.near, self.far):
            near = convolution(self.drop(hidden).transpose(1, 2)).transpose(1, 2)
            hidden = (hidden + F.relu(near)) * keep
        return hidden, self.tag(self.drop(hidden))

    def kinds(self, spans: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """Class and layer logits of spans, each given by the hidden states of its words."""
        pooled = self.drop(torch.stack([torch.cat([span.mean(0), span.amax(0)]) for span in spans]))
        return self.get_submodule("class")(pooled), self.layer(pooled)


def examples(tokenizer: WordPiece, turns: Sequence[MarkedTurn]) -> list[Example]:
    """The turns with words, tokenized and tagged."""
    read = ((turn, *tokenizer.encode_units(as_meant(turn.text), LONGEST)) for turn in turns)
    return [_example(turn, ids, units) for turn, ids, units in read if units]


def _example(turn: MarkedTurn, ids: list[int], units: list[Unit]) -> Example:
    tags, spans = np.full(len(units), OUTSIDE), []
    for span in turn.spans:
        inside = [number for number, unit in enumerate(units) if unit.start < span.end and span.start < unit.end]
        if not inside:
            continue
        tags[inside] = UNSAID if span.is_optional else INSIDE
        if not span.is_optional:
            tags[inside[0]] = OPENS
        spans.append((inside[0], inside[-1] + 1, _index(CLASSES, span.fact_class), _index(LABELS, span.layer)))
    return Example(ids, units, tags, spans)


def _index(labels: Sequence[str], label: str) -> int:
    return labels.index(label) if label in labels else UNSAID


def fit(folder: Path, rows: Sequence[Example]) -> MarkerNet:
    """Fit the net and the factors of the encoder; a label that was not given costs nothing."""
    torch.manual_seed(SEED)
    rng, width = random.Random(SEED), MODEL.dimensions * len(LAYERS[MODEL.name])
    net = MarkerNet(AdaptedEncoder(read_tensors(folder / MODEL.weights_file), MODEL.heads, FIRST), width)
    factors = list(net.encoder.parameters())
    known = set(map(id, factors))
    others = [parameter for parameter in net.parameters() if id(parameter) not in known]
    groups = [{"params": factors, "lr": RATE_OF_FACTORS}, {"params": others, "lr": RATE}]
    optimizer, steps = torch.optim.AdamW(groups, weight_decay=0.02), EPOCHS * -(-len(rows) // BATCH)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (WARM_UP * steps)) * max(0.02, 1 - step / steps)
    )
    net.train()
    for epoch in range(EPOCHS):
        for part in _batches(rows, rng):
            loss = _loss(net, part)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            rate.step()
        print(f"epoch {epoch + 1} of {EPOCHS}: loss of the last batch {loss.item():.3f}", flush=True)
    return net.eval()


def _loss(net: MarkerNet, part: Sequence[Example]) -> Tensor:
    *batch, tags = _padded(part)
    hidden, logits = net(*batch)
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
        part = sorted(order[start : start + 16 * BATCH], key=lambda row: len(row.ids))
        found += [part[at : at + BATCH] for at in range(0, len(part), BATCH)]
    rng.shuffle(found)
    yield from found


def _padded(part: Sequence[Example]) -> tuple[Tensor, ...]:
    """Token ids, which of them are there, the share of each token in each unit, which units are there, and tags."""
    longest, most = max(len(row.ids) for row in part), max(len(row.units) for row in part)
    ids, tags = np.zeros((len(part), longest), dtype=np.int64), np.full((len(part), most), UNSAID)
    tokens, mask = np.zeros((len(part), longest), dtype=bool), np.zeros((len(part), most), dtype=np.float32)
    pools = np.zeros((len(part), most, longest), dtype=np.float32)
    for number, row in enumerate(part):
        ids[number, : len(row.ids)], tokens[number, : len(row.ids)] = row.ids, True
        tags[number, : len(row.units)], mask[number, : len(row.units)] = row.tags, 1.0
        for place, unit in enumerate(row.units):
            pools[number, place, unit.first : unit.last] = 1 / (unit.last - unit.first)
    return tuple(map(torch.from_numpy, (ids, tokens, pools, mask, tags)))


def save(out: Path, net: MarkerNet) -> None:
    """Write the net and the factors."""
    heads = {name: value for name, value in net.state_dict().items() if not name.startswith("encoder.")}
    arrays = heads | net.encoder.factors()
    np.savez_compressed(out, **packed(arrays, PARTS))


def add_classes(folder: Path, out: Path) -> None:
    """Fit the head that tells the class of a statement alone, over the net in the file, and add it there.

    Inputs are standardised in fitting; the head that is written takes them as they are.
    """
    marker = FittedMarker(SentenceEmbedder(folder, MODEL), MODEL.name, out)
    rows = [(text, CLASSES.index(label)) for text, label in classed_statements() if label in CLASSES]
    vectors = [marker.vectors([text for text, _ in rows[at : at + BATCH]]) for at in range(0, len(rows), BATCH)]
    known = [(vector, label) for vector, (_, label) in zip(chain(*vectors), rows, strict=True) if vector is not None]
    inputs = torch.from_numpy(np.stack([vector for vector, _ in known]).astype(np.float32))
    labels = torch.tensor([label for _, label in known])
    mean, spread = inputs.mean(0), inputs.std(0).clamp(min=LEAST_SPREAD)
    inputs = (inputs - mean) / spread
    torch.manual_seed(SEED)
    drop, width = nn.Dropout(DROPOUT), inputs.shape[1]
    head = nn.Sequential(drop, nn.Linear(width, ALONE), nn.ReLU(), drop, nn.Linear(ALONE, len(CLASSES)))
    optimizer = torch.optim.AdamW(head.parameters(), lr=RATE_OF_FACTORS, weight_decay=1e-3)
    for _ in range(EPOCHS_OF_CLASSES):
        for part in torch.randperm(len(labels)).split(2 * BATCH):
            loss = F.cross_entropy(head(inputs[part]), labels[part], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    first, second = (layer for layer in head if isinstance(layer, nn.Linear))
    weight = first.weight.detach() / spread
    added = {"alone.weight": weight, "alone.bias": first.bias.detach() - weight @ mean}
    added |= {"alone_class.weight": second.weight.detach(), "alone_class.bias": second.bias.detach()}
    np.savez_compressed(out, **(dict(np.load(out)) | packed(added, PARTS)))


def judge(folder: Path, tokenizer: WordPiece, held: str, turns: Mapping[str, Sequence[MarkedTurn]], out: Path) -> str:
    """The figures on one author, by weights fitted without it."""
    save(out, fit(folder, examples(tokenizer, [row for name, part in turns.items() if name != held for row in part])))
    marked = FittedMarker(SentenceEmbedder(folder, MODEL), MODEL.name, out).mark([turn.text for turn in turns[held]])
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
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--judge", nargs="*", metavar="AUTHOR", help="hold these authors out, or each in turn")
    parser.add_argument("--classes", action="store_true", help="fit only the head for a statement alone, in --out")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    folder, turns = chosen.models / MODEL.name, marked_turns()
    tokenizer = WordPiece.read(folder / MODEL.vocabulary_file)
    if chosen.judge is not None:
        for held in chosen.judge or turns:
            print(judge(folder, tokenizer, held, turns, chosen.out), flush=True)
        return
    if not chosen.classes:
        save(chosen.out, fit(folder, examples(tokenizer, [row for part in turns.values() for row in part])))
    add_classes(folder, chosen.out)


if __name__ == "__main__":
    main()

"""Fit the reader of rests: which words of a statement no longer hold after a later one.

Takes: the files of `data/rests`, and a folder with installed models. Gives: the weights file of
`src/dopejar/adapters/readers/data`, and figures on authors held out. Never: reads a benchmark's data.

    python -m training.rest_weights MODELS --out FILE --judge AUTHOR ...    # held out; as packaged: 18 to 20, 48 to 52

Both statements are read in one pass, the later first; all layers of the encoder are adapted by low-rank factors. One
hidden layer over the states of a word of the earlier statement and over the mean of the pass tells whether it goes.
Needs PyTorch 2.13.0 or newer.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Mapping, Sequence
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
from dopejar.adapters.readers.rest_reader import LONGEST, FittedRestReader
from dopejar.adapters.readers.weights_file import LAYERS
from training.adapted_encoder import AdaptedEncoder
from training.packed_weights import packed
from training.reader_data import groups
from training.rest_data import LEAST_WORDS, RESTS, Written, without_gaps, words_left, written

MODEL = MINILM
READER = RESTS.parent / "reader"
RANK = 16
WIDTH = 64
PARTS = 2  # of a step of the weights: how finely they are kept
DROPOUT = 0.2
KERNEL = 5  # words
EPOCHS = 5
BATCH = 32
RATE, RATE_OF_FACTORS = 2e-3, 1e-3
WARM_UP = 0.06  # of all steps
SMOOTHING = 0.03
LEFT, BESIDE, EVEN = 0.4, 0.2, 0.5  # how often what is left is a pair of its own, and another statement stands beside
ENDED, APART = 1500, 1000  # pairs of the files of relations in each epoch
RELATIONS = (
    *(f"relations_{number}" for number in range(26) if number not in (12, 13, 15, 22)),  # in English; 22 is held out
    "parts_1",
    "parts_2",
)
SEED = 0
_JOINT = re.compile(r"[,;:(]|\. | (?:and|but) |(?:\S+ ){12}")


class Example(NamedTuple):
    """A pair as the net sees it: tokens of both, the units of the earlier one, and whether each goes (1) or not (0)."""

    ids: list[int]
    units: list[Unit]
    gone: np.ndarray


class RestNet(nn.Module):
    """The logit of going of each word of an earlier statement."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.encoder = AdaptedEncoder(read_tensors(folder / MODEL.weights_file), MODEL.heads, 0, RANK)
        width = MODEL.dimensions * len(LAYERS[MODEL.name])
        self.input = nn.Linear(width, WIDTH)
        self.context = nn.Linear(width, WIDTH)
        self.near = nn.Conv1d(WIDTH, WIDTH, KERNEL, padding=KERNEL // 2)
        self.far = nn.Conv1d(WIDTH, WIDTH, KERNEL, padding=KERNEL // 2)
        self.out = nn.Linear(WIDTH, 1)
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, ids: Tensor, tokens: Tensor, pools: Tensor, mask: Tensor) -> Tensor:
        """The logits, by pair and unit."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.training):  # 1.6 times as fast
            states = self.encoder(ids, tokens, LAYERS[MODEL.name])
        states = states.float()
        mean = (states * tokens[..., None]).sum(1) / tokens.sum(1, keepdim=True)
        hidden = F.relu(self.input(self.drop(pools @ states)) + self.context(self.drop(mean))[:, None, :])
        keep = mask[..., None]
        hidden = hidden * keep
        for convolution in (self.near, self.far):
            near = convolution(self.drop(hidden).transpose(1, 2)).transpose(1, 2)
            hidden = (hidden + F.relu(near)) * keep
        logits: Tensor = self.out(self.drop(hidden))[..., 0]
        return logits


def drawn(rows: Sequence[Written], rng: random.Random) -> list[Written]:
    """The pairs as they are fitted with in one epoch, of which some are made.

    Of what is left of an earlier statement the later one leaves everything; and it leaves another statement beside it.
    """
    found = []
    for row in rows:
        if row.gone and rng.random() < LEFT and len(words_left(row.left)) >= LEAST_WORDS:
            found.append(Written(without_gaps(row.left), row.later, []))
        if rng.random() >= BESIDE:
            found.append(row)
            continue
        other = rng.choice(rows).earlier
        if rng.random() < EVEN:
            found.append(Written(f"{row.earlier.rstrip('.')}. {other}", row.later, row.gone))
        else:
            first = f"{other.rstrip('.')}. "
            moved = [(start + len(first), end + len(first)) for start, end in row.gone]
            found.append(Written(first + row.earlier, row.later, moved))
    return found


def related() -> list[Written]:
    """What the files of relations tell: of an earlier statement that is updated or ended nothing is left.

    An update of one with several parts may be of one of them, and tells nothing, but in the files of parts. What is
    apart, or is said again or in addition, leaves all of it.
    """
    found = []
    for name in RELATIONS:
        for earlier, told in groups(READER / f"{name}.txt"):
            for relation, later in told:
                if relation == "end" or (relation == "update" and (not _JOINT.search(earlier) or "parts" in name)):
                    found.append(Written(earlier, later, [(0, len(earlier))]))
                elif relation in ("apart", "same") or (relation == "addition" and "parts" not in name):
                    found.append(Written(earlier, later, []))
    return found


def sampled(rows: Sequence[Written], rng: random.Random) -> list[Written]:
    """So many of them that leave nothing, and so many that leave all."""
    return [
        row
        for some, count in (([one for one in rows if one.gone], ENDED), ([one for one in rows if not one.gone], APART))
        for row in rng.sample(some, min(count, len(some)))
    ]


def examples(tokenizer: WordPiece, rows: Sequence[Written]) -> list[Example]:
    """The pairs, tokenized and labelled."""
    found = []
    for row in rows:
        first = tokenizer.encode(row.later, LONGEST)
        ids, units = tokenizer.encode_units(row.earlier, LONGEST)
        shifted = [Unit(one.start, one.end, one.first + len(first) - 1, one.last + len(first) - 1) for one in units]
        gone = [float(any(start < one.end and one.start < end for start, end in row.gone)) for one in units]
        found.append(Example(first + ids[1:], shifted, np.asarray(gone, dtype=np.float32)))
    return found


def fit(folder: Path, rows: Sequence[Written]) -> RestNet:
    """Fit the net and the factors of the encoder; each pair weighs the same."""
    torch.manual_seed(SEED)
    rng, net = random.Random(SEED), RestNet(folder)
    tokenizer = WordPiece.read(folder / MODEL.vocabulary_file)
    others = related()
    epochs = [_batches(examples(tokenizer, [*drawn(rows, rng), *sampled(others, rng)]), rng) for _ in range(EPOCHS)]
    factors = list(net.encoder.parameters())
    known = set(map(id, factors))
    others = [parameter for parameter in net.parameters() if id(parameter) not in known]
    rates = [{"params": factors, "lr": RATE_OF_FACTORS}, {"params": others, "lr": RATE}]
    optimizer, steps = torch.optim.AdamW(rates, weight_decay=0.02), sum(map(len, epochs))
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (WARM_UP * steps)) * max(0.02, 1 - step / steps)
    )
    net.train()
    for epoch, parts in enumerate(epochs):
        total = 0.0
        for part in parts:
            loss = _loss(net, part)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            rate.step()
            total += loss.item() * len(part)
        print(f"epoch {epoch + 1} of {EPOCHS}: loss {total / sum(map(len, parts)):.3f}", flush=True)
    return net.eval()


def _loss(net: RestNet, part: Sequence[Example]) -> Tensor:
    ids, tokens, pools, gone, mask = _padded(part)
    wanted = gone * (1 - 2 * SMOOTHING) + SMOOTHING
    each = F.binary_cross_entropy_with_logits(net(ids, tokens, pools, mask), wanted, reduction="none") * mask
    return (each.sum(1) / mask.sum(1).clamp(min=1)).mean()


def _batches(rows: Sequence[Example], rng: random.Random) -> list[list[Example]]:
    order = list(rows)
    rng.shuffle(order)
    found = []
    for start in range(0, len(order), 8 * BATCH):
        part = sorted(order[start : start + 8 * BATCH], key=lambda row: len(row.ids))
        found += [part[at : at + BATCH] for at in range(0, len(part), BATCH)]
    rng.shuffle(found)
    return found


def _padded(part: Sequence[Example]) -> tuple[Tensor, ...]:
    """Token ids, which of them are there, the share of each token in each unit, what goes, which units are there."""
    longest, most = max(len(row.ids) for row in part), max(len(row.units) for row in part)
    ids, tokens = np.zeros((len(part), longest), dtype=np.int64), np.zeros((len(part), longest), dtype=bool)
    pools = np.zeros((len(part), most, longest), dtype=np.float32)
    gone, mask = np.zeros((len(part), most), dtype=np.float32), np.zeros((len(part), most), dtype=np.float32)
    for number, row in enumerate(part):
        ids[number, : len(row.ids)], tokens[number, : len(row.ids)] = row.ids, True
        gone[number, : len(row.units)], mask[number, : len(row.units)] = row.gone, 1.0
        for place, unit in enumerate(row.units):
            pools[number, place, unit.first : unit.last] = 1 / (unit.last - unit.first)
    return tuple(map(torch.from_numpy, (ids, tokens, pools, gone, mask)))


def save(out: Path, net: RestNet) -> None:
    """Write the net and the factors."""
    heads = {name: value for name, value in net.state_dict().items() if not name.startswith("encoder.")}
    np.savez_compressed(out, **packed(heads | net.encoder.factors(), PARTS))


def judge(reader: FittedRestReader, rows: Sequence[Written]) -> str:
    """How many rests are word for word as written, by what goes."""
    counts: dict[str, list[int]] = {"all goes": [0, 0], "some goes": [0, 0], "nothing goes": [0, 0]}
    for row, found in zip(rows, reader.rests([(one.earlier, one.later) for one in rows]), strict=True):
        left = words_left(row.left)
        kind = "nothing goes" if not row.gone else "some goes" if left else "all goes"
        counts[kind][0] += found is not None and words_left(found) == left
        counts[kind][1] += 1
    return ", ".join(f"{kind} {right} of {of}" for kind, (right, of) in counts.items())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--judge", nargs="*", default=[], metavar="AUTHOR", help="hold these authors out")
    parser.add_argument("--data", type=Path, default=RESTS)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    folder = chosen.models / MODEL.name
    authors: Mapping[str, list[Written]] = {path.stem: written(path) for path in sorted(chosen.data.glob("*.txt"))}
    rows = [row for name, part in authors.items() if name not in chosen.judge for row in part]
    print(f"{len(rows)} pairs of {len(authors) - len(chosen.judge)} authors", flush=True)
    save(chosen.out, fit(folder, rows))
    reader = FittedRestReader(SentenceEmbedder(folder, MODEL), MODEL.name, chosen.out)
    for name in chosen.judge:
        print(f"{name}: {judge(reader, authors[name])}", flush=True)


if __name__ == "__main__":
    main()

"""Turns a model towards what sentences say: fits the changes of low rank that `adapters/embedders/sayings.py` uses.

Takes: the sets of wordings below, the near misses, and the folder with installed models. Gives: a file of factors, a
line an epoch, and how well the held-out sets are told apart. Never: reads the set that was put aside.

Run: `pip install torch`, then `python bench/turn_sayings.py MODELS MODEL OUT`, where MODEL is minilm-l6-v2 or
mpnet-base-v2. It takes half an hour to an hour on two cores that multiply bfloat16 in tiles, and some hours on others.

To the dense layers (of the larger model, those of its upper half) two factors are added (LoRA, Hu et al. 2021, arXiv
2106.09685). A batch holds fourteen subjects, most of them near each other: five wordings and four statements that are
near and say something else. The loss is that of contrast within the batch (InfoNCE, van den Oord et al. 2018, arXiv
1807.03748) with the near statements among the negatives, and the logistic loss of each pair. Of the change, a part is
kept: between a model as it comes and as it was fitted, unseen subjects are told apart best (Wortsman et al. 2021, arXiv
2109.01903).

The factors in the package come from runs of an earlier form of this file with the same settings; those of the larger
model from 2,486 of the subjects.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from dopejar.adapters.embedders.bert import NETWORKS, buckets
from dopejar.adapters.embedders.tensor_file import read_tensors
from dopejar.adapters.embedders.weights import MINILM, MPNET_BASE, Weights, named
from dopejar.adapters.embedders.wordpiece import WordPiece

DATA = Path(__file__).parent / "data"
SETS = ("wordings-pairs", "wordings-development", "wordings-validation", "wordings-development-idioms",
        "wordings-development-plain")  # fmt: skip
HELD_OUT = ("wordings", "wordings-fresh", "wordings-weights")
RANK, WARMING, LONGEST = 16, 30, 48
SUBJECTS, WORDINGS, NEAR, MISSES = 14, 5, 4, 6  # of a batch; wordings and near statements of each subject
CUTS = (0, 1 / 3, 2 / 3, 11 / 12, 1)  # a batch is encoded in parts of like length
TEMPERATURE = 0.05
NEAR_IN_CONTRAST, NEAR_IN_PAIRS, OTHER_IN_PAIRS = 1.5, 1.2, 0.15


Array = npt.NDArray[np.float32]
Turns = dict[str, tuple[torch.Tensor, torch.Tensor]]


class Course(NamedTuple):
    """How a model is turned: for how many epochs, at what rate, from which layer on, and the part that is kept."""

    epochs: int
    rate: float
    first: int
    kept: float


COURSES = {MINILM: Course(6, 1.5e-3, 0, 0.6), MPNET_BASE: Course(6, 6e-4, 6, 0.8)}


class Group(NamedTuple):
    """A subject: who wrote it, its wordings, and what is near to it and says something else, as places in `ids`."""

    source: str
    said: list[int]
    near: list[int]


class Batch(NamedTuple):
    """Sentences, and which pairs of them are the same, near, and others."""

    numbers: list[int]
    positive: torch.Tensor
    negative: torch.Tensor
    other: torch.Tensor


class Material:
    """Sentences as piece ids, and which of them say one thing."""

    def __init__(self, pieces: WordPiece) -> None:
        self.ids: list[list[int]] = []
        self._places: dict[str, int] = {}
        self._pieces = pieces
        self.groups = [self._group(name, line) for name in SETS for line in _lines(name)]
        self.held_out = [self._group(name, line) for name in HELD_OUT for line in _lines(name)]
        self.misses = [[self._place(one) for one in json.loads(line)] for line in _lines("near-misses")]

    def _group(self, name: str, line: str) -> Group:
        row = json.loads(line)
        said, near = ([self._place(one) for one in row.get(part, [])] for part in ("wordings", "near"))
        return Group(f"{name}-{row.get('author', '')}", said, near)

    def _place(self, text: str) -> int:
        if text not in self._places:
            self._places[text] = len(self.ids)
            self.ids.append(list(self._pieces.encode(text, LONGEST)))
        return self._places[text]


def _lines(name: str) -> list[str]:
    return (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()


class Encoder:
    """A model with changes of low rank on its dense layers."""

    def __init__(self, tensors: dict[str, torch.Tensor], ids: list[list[int]], weights: Weights) -> None:
        self.ids = ids
        self._network, self._heads, self._hidden = NETWORKS[weights.network], weights.heads, weights.dimensions
        self._first = COURSES[weights].first
        self._layers = sum(name.endswith(".intermediate.dense.weight") for name in tensors)
        self._tensors = {name: values.to(torch.bfloat16) for name, values in tensors.items()}
        self._turned: dict[str, torch.Tensor] = {}

    def turnable(self) -> list[str]:
        """The names of the layers that are turned."""
        network = self._network
        parts = (network.query, network.key, network.value, network.mixed, "intermediate.dense", "output.dense")
        return [f"encoder.layer.{layer}.{part}" for layer in range(self._first, self._layers) for part in parts]

    def turn(self, turns: Turns) -> None:
        """Take these changes from now on."""
        self._turned = {
            name: self._tensors[f"{name}.weight"] + (down @ up).T.to(torch.bfloat16)
            for name, (down, up) in turns.items()
        }

    def vectors(self, turns: Turns, chosen: Sequence[int]) -> dict[int, Array]:
        """The unit vectors of sentences."""
        found: dict[int, Array] = {}
        with torch.no_grad():
            self.turn(turns)
            order = sorted(chosen, key=lambda one: len(self.ids[one]))
            for start in range(0, len(order), 128):
                numbers = order[start : start + 128]
                found.update(zip(numbers, self.units(numbers).numpy(), strict=True))
        return found

    def units(self, numbers: Sequence[int]) -> torch.Tensor:
        """The mean of what comes out of the last layer for each sentence, as unit vectors."""
        length = -(-max(len(self.ids[one]) for one in numbers) // 8) * 8
        pieces = torch.zeros((len(numbers), length), dtype=torch.long)
        mask = torch.zeros((len(numbers), length), dtype=torch.bool)
        for row, one in enumerate(numbers):
            pieces[row, : len(self.ids[one])] = torch.tensor(self.ids[one])
            mask[row, : len(self.ids[one])] = True
        hidden = self._tensors["embeddings.word_embeddings.weight"][pieces]
        place = self._network.first_position
        hidden = hidden + self._tensors["embeddings.position_embeddings.weight"][place : place + length]
        if self._network.kinds:
            hidden = hidden + self._tensors[self._network.kinds][0]
        hidden = self._norm(hidden, "embeddings.LayerNorm")
        bias = torch.where(mask, 0.0, -1e4).to(hidden.dtype)[:, None, None, :]
        if self._network.distances:
            table = self._tensors[self._network.distances]
            bias = bias + table[torch.tensor(buckets(length, len(table)))].permute(2, 0, 1)
        with torch.no_grad():
            for layer in range(self._first):
                hidden = self._layer(f"encoder.layer.{layer}.", hidden, bias)
        for layer in range(self._first, self._layers):
            hidden = self._layer(f"encoder.layer.{layer}.", hidden, bias)
        shares = mask.float() / mask.float().sum(1, keepdim=True)
        return functional.normalize((hidden.float() * shares[:, :, None]).sum(1), dim=-1)

    def _layer(self, name: str, hidden: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        count, length, _ = hidden.shape
        network = self._network
        query, key, value = (
            self._dense(hidden, name + part).view(count, length, self._heads, -1).transpose(1, 2)
            for part in (network.query, network.key, network.value)
        )
        # written out: backwards it is several times as fast here as the fused one
        scores = (query * (self._hidden // self._heads) ** -0.5) @ key.transpose(2, 3) + bias
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).reshape(count, length, self._hidden)
        hidden = self._norm(hidden + self._dense(mixed, name + network.mixed), name + network.norm)
        inner = functional.gelu(self._dense(hidden, f"{name}intermediate.dense"))
        return self._norm(hidden + self._dense(inner, f"{name}output.dense"), f"{name}output.LayerNorm")

    def _dense(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        weight = self._turned.get(name, self._tensors[f"{name}.weight"])
        return functional.linear(hidden, weight, self._tensors[f"{name}.bias"])

    def _norm(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self._tensors[f"{name}.weight"], self._tensors[f"{name}.bias"]
        return functional.layer_norm(hidden, (self._hidden,), weight, bias, self._network.epsilon)


class Batches:
    """Batches of subjects that are near each other."""

    def __init__(self, material: Material) -> None:
        self._material, self._groups = material, material.groups
        self._draw = random.Random(0)
        self._near: npt.NDArray[np.intp] = np.empty((0, 0), np.intp)

    def look(self, vectors: dict[int, Array]) -> None:
        """Find anew which subjects are near each other."""
        middle = np.stack([np.mean([vectors[one] for one in group.said], axis=0) for group in self._groups])
        middle /= np.linalg.norm(middle, axis=1, keepdims=True)
        sources = np.array([group.source for group in self._groups])
        # a near subject of another set may be the same one
        near = middle @ middle.T - 0.15 * (sources[:, None] != sources[None])
        self._near = np.argsort(-near, axis=1)[:, 1:16]

    def epoch(self) -> Iterator[Batch]:
        """Every subject once, but for a few that are left over."""
        left = list(range(len(self._groups)))
        self._draw.shuffle(left)
        while len(left) >= SUBJECTS:
            open_ones = set(left)
            chosen: list[int] = []
            while len(chosen) < SUBJECTS:
                first = next(one for one in left if one not in chosen)
                beside = [one for one in self._near[first] if one in open_ones and one not in chosen][:6]
                chosen += [first, *beside][: SUBJECTS - len(chosen)]
            left = [one for one in left if one not in chosen]
            yield self._batch(chosen)

    def _batch(self, chosen: list[int]) -> Batch:
        numbers, subjects, kinds = [], [], []  # kinds: said, near, of a near miss
        for one in chosen:
            group = self._groups[one]
            said = self._draw.sample(group.said, min(WORDINGS, len(group.said)))
            near = self._draw.sample(group.near, min(NEAR, len(group.near)))
            numbers += said + near
            subjects += [one] * (len(said) + len(near))
            kinds += [0] * len(said) + [1] * len(near)
        for place, pair in enumerate(self._draw.sample(self._material.misses, MISSES)):
            numbers += pair
            subjects += [-1 - place] * 2
            kinds += [2, 2]
        return Batch(numbers, *self._pairs(np.array(subjects), np.array(kinds)))

    def _pairs(
        self, subjects: npt.NDArray[np.intp], kinds: npt.NDArray[np.intp]
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        same = subjects[:, None] == subjects[None]
        said, near, missed = (kinds == kind for kind in (0, 1, 2))
        positive = (same & said[:, None] & said[None]).astype(np.float32)
        crossed = (said[:, None] & near[None]) | (near[:, None] & said[None]) | (missed[:, None] & missed[None])
        negative = (same & crossed).astype(np.float32)
        sources = np.array([self._groups[one].source if one >= 0 else "" for one in subjects])
        known = subjects >= 0
        other = ~same & known[:, None] & known[None] & ~(near[:, None] & near[None])
        weights = np.where(sources[:, None] == sources[None], 1.0, 0.5).astype(np.float32)
        np.fill_diagonal(positive, 0)
        np.fill_diagonal(negative, 0)
        return torch.tensor(positive), torch.tensor(negative), torch.tensor(other * weights)


def told_apart(vectors: dict[int, Array], groups: list[Group]) -> str:
    """Which share of the pairs that say one thing is nearer than all but so many of those that do not."""
    same, near, other = [], [], []
    for source in sorted({group.source for group in groups}):
        chosen = [group for group in groups if group.source == source]
        rows = [np.stack([vectors[one] for one in group.said]) for group in chosen]
        for place, group in enumerate(chosen):
            cosines = rows[place] @ rows[place].T
            same += list(cosines[np.triu_indices(len(cosines), 1)])
            near += [cosine for one in group.near for cosine in rows[place] @ vectors[one]]
            for another, theirs in enumerate(rows):
                if another != place:
                    other += list(np.sort((rows[place] @ theirs.T).ravel())[-2:])
    shares = [
        f"{(np.array(same) > np.quantile(found, 1 - share)).mean():.3f} above all but {share:.1%} of the {name}"
        for name, found, share in (("near", near, 0.05), ("near", near, 0.2), ("others", other, 0.005))
    ]
    return ", ".join(shares)


class Fit:
    """The factors, and the slope and level by which a cosine tells the odds."""

    def __init__(self, tensors: dict[str, torch.Tensor], encoder: Encoder, weights: Weights, steps: int) -> None:
        torch.manual_seed(0)
        self._encoder = encoder
        self.turns: Turns = {}
        for name in encoder.turnable():
            outputs, inputs = tensors[f"{name}.weight"].shape
            down, up = torch.randn(inputs, RANK) * 0.02, torch.zeros(RANK, outputs)
            self.turns[name] = (down.requires_grad_(), up.requires_grad_())
        self._slope, self._level = torch.tensor(20.0, requires_grad=True), torch.tensor(-12.0, requires_grad=True)
        self._factors = [one for pair in self.turns.values() for one in pair]
        rate = COURSES[weights].rate
        self._descent = torch.optim.AdamW([*self._factors, self._slope, self._level], lr=rate, weight_decay=0.02)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._descent,
            lambda step: min(1.0, (step + 1) / WARMING) * 0.5 * (1 + math.cos(math.pi * min(step, steps) / steps)),
        )

    def step(self, batch: Batch) -> float:
        """One step down the loss, which is returned."""
        self._encoder.turn(self.turns)
        loss = self._loss(batch)
        self._descent.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._factors, 1.0)
        self._descent.step()
        self._schedule.step()
        return loss.item()

    def _loss(self, batch: Batch) -> torch.Tensor:
        numbers, positive, negative, other = batch
        order = sorted(range(len(numbers)), key=lambda one: len(self._encoder.ids[numbers[one]]))
        bounds = [round(share * len(order)) for share in CUTS]
        parts = [self._encoder.units([numbers[one] for one in order[a:b]]) for a, b in pairwise(bounds)]
        back = torch.empty(len(order), dtype=torch.long)
        back[order] = torch.arange(len(order))
        units = torch.cat(parts)[back]
        cosines = units @ units.T
        grown = torch.exp((cosines - 1) / TEMPERATURE)
        against = (grown * (NEAR_IN_CONTRAST * negative + other)).sum(1, keepdim=True)
        contrast = -(torch.log(grown / (grown + against)) * positive).sum() / positive.sum()
        odds = self._slope * cosines + self._level
        each = functional.binary_cross_entropy_with_logits(odds, positive, reduction="none")
        weights = positive + NEAR_IN_PAIRS * negative + OTHER_IN_PAIRS * other
        return 0.5 * contrast + (each * weights).sum() / weights.sum()


def main(models: Path, weights: Weights, out: Path) -> None:
    """Fit, say how it goes, write the factors."""
    folder, course = models / weights.name, COURSES[weights]
    read = read_tensors(folder / weights.weights_file)
    tensors = {name: torch.tensor(np.array(values)) for name, values in read.items()}
    material = Material(WordPiece.read(folder / weights.vocabulary_file, weights.marks))
    encoder = Encoder(tensors, material.ids, weights)
    batches = Batches(material)
    fit = Fit(tensors, encoder, weights, course.epochs * (len(material.groups) // SUBJECTS))
    judged = sorted({one for group in material.held_out for one in (*group.said, *group.near)})
    learned = sorted({one for group in material.groups for one in group.said})
    print("as it comes:", told_apart(encoder.vectors({}, judged), material.held_out), flush=True)
    batches.look(encoder.vectors({}, learned))
    for epoch in range(course.epochs):
        losses = [fit.step(batch) for batch in batches.epoch()]
        np.savez_compressed(out, **written(kept(fit.turns, course.kept)))
        apart = told_apart(encoder.vectors(kept(fit.turns, course.kept), judged), material.held_out)
        print(f"epoch {epoch}: loss {np.mean(losses):.4f}, {apart}", flush=True)
        if epoch % 2:
            batches.look(encoder.vectors(fit.turns, learned))


def kept(turns: Turns, share: float) -> Turns:
    """So much of the change."""
    return {name: (down, share * up) for name, (down, up) in turns.items()}


def written(turns: Turns) -> dict[str, npt.NDArray[np.float16]]:
    """The factors as they stand in the file."""
    return {
        f"{name}.{part}": one.detach().numpy().astype(np.float16)
        for name, pair in turns.items()
        for part, one in zip(("down", "up"), pair, strict=True)
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), named(sys.argv[2]), Path(sys.argv[3]))

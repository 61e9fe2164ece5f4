"""Fit the low-rank factors (LoRA) that turn a sentence encoder into a paraphrase encoder.

Takes: the phrasings and near misses in `data`, and a folder with installed models. Gives: a file of factors as in
`src/dopejar/adapters/embedders/data`, one line per epoch, and how well held-out statements are separated. Never: reads
the test sets in `benchmarks/data`.

    pip install torch==2.13.0
    python -m training.paraphrase_factors MODELS minilm-l6-v2 --out factors.npz
    python -m training.paraphrase_factors MODELS minilm-l6-v2 --out factors.npz --trial 5   # proves that it runs

Two factors are added to the dense layers (of mpnet-base-v2, to those of its upper half), see LoRA, Hu et al. 2021,
arXiv 2106.09685. A batch holds fourteen statements, most of them close to each other: five phrasings of each, and four
near misses of it. The loss is the contrastive loss within the batch (InfoNCE, van den Oord et al. 2018, arXiv
1807.03748) with the near misses among the negatives, plus the logistic loss of each pair. Only a part of the change is
kept: unseen statements are separated best between the original and the fitted model (Wortsman et al. 2021, arXiv
2109.01903).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from dopejar.adapters.embedders.bert import NETWORKS, distance_buckets
from dopejar.adapters.embedders.tensor_file import read_tensors
from dopejar.adapters.embedders.weights import MINILM, MPNET_BASE, Weights, weights_named
from dopejar.adapters.embedders.wordpiece import WordPiece

DATA = Path(__file__).parent / "data"
TRAINING_SETS = ("wordings-pairs", "wordings-development", "wordings-validation", "wordings-development-idioms",
                 "wordings-development-plain")  # fmt: skip
HELD_OUT_SETS = ("wordings", "wordings-fresh", "wordings-weights")
SEED = 0
RANK, WARM_UP_STEPS, MAX_TOKENS = 16, 30, 48
STATEMENTS, PHRASINGS, NEAR, MISSES = 14, 5, 4, 6  # per batch; phrasings and near misses of each statement
SLICES = (0, 1 / 3, 2 / 3, 11 / 12, 1)  # a batch is encoded in slices of similar length
TEMPERATURE = 0.05
NEAR_IN_CONTRAST, NEAR_IN_PAIRS, OTHER_IN_PAIRS = 1.5, 1.2, 0.15


Array = npt.NDArray[np.float32]
Factors = dict[str, tuple[torch.Tensor, torch.Tensor]]


class Schedule(NamedTuple):
    """Epochs, learning rate, first fitted layer, and the share of the change that is kept."""

    epochs: int
    rate: float
    first_layer: int
    kept_share: float


SCHEDULES = {MINILM: Schedule(6, 1.5e-3, 0, 0.6), MPNET_BASE: Schedule(6, 6e-4, 6, 0.8)}


class Statement(NamedTuple):
    """A statement: its source, its phrasings and its near misses, both as indices into `Corpus.tokens`."""

    source: str
    phrasings: list[int]
    near: list[int]


class Batch(NamedTuple):
    """Sentences, and which pairs of them are positive, near misses, and other negatives."""

    sentences: list[int]
    positive: torch.Tensor
    negative: torch.Tensor
    other: torch.Tensor


class Corpus:
    """The sentences as token ids, grouped by statement."""

    def __init__(self, tokenizer: WordPiece) -> None:
        self.tokens: list[list[int]] = []
        self._indices: dict[str, int] = {}
        self._tokenizer = tokenizer
        self.statements = [self._statement(name, line) for name in TRAINING_SETS for line in _read_lines(name)]
        self.held_out = [self._statement(name, line) for name in HELD_OUT_SETS for line in _read_lines(name)]
        self.misses = [[self._index(text) for text in json.loads(line)] for line in _read_lines("near-misses")]

    def _statement(self, name: str, line: str) -> Statement:
        row = json.loads(line)
        phrasings, near = ([self._index(text) for text in row.get(field, [])] for field in ("wordings", "near"))
        return Statement(f"{name}-{row.get('author', '')}", phrasings, near)

    def _index(self, text: str) -> int:
        if text not in self._indices:
            self._indices[text] = len(self.tokens)
            self.tokens.append(list(self._tokenizer.encode(text, MAX_TOKENS)))
        return self._indices[text]


def _read_lines(name: str) -> list[str]:
    return (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()


class Encoder:
    """A sentence encoder with low-rank changes on its dense layers."""

    def __init__(
        self, tensors: dict[str, torch.Tensor], tokens: list[list[int]], weights: Weights, precision: torch.dtype
    ) -> None:
        self.tokens = tokens
        self._precision = precision
        self._network, self._heads, self._hidden = NETWORKS[weights.network], weights.heads, weights.dimensions
        self._first = SCHEDULES[weights].first_layer
        self._layers = sum(name.endswith(".intermediate.dense.weight") for name in tensors)
        self._tensors = {name: values.to(precision) for name, values in tensors.items()}
        self._changed: dict[str, torch.Tensor] = {}

    def fitted_layers(self) -> list[str]:
        """The names of the dense layers that get factors."""
        network = self._network
        parts = (network.query, network.key, network.value, network.mixed, "intermediate.dense", "output.dense")
        return [f"encoder.layer.{layer}.{part}" for layer in range(self._first, self._layers) for part in parts]

    def apply(self, factors: Factors) -> None:
        """Use these factors from now on."""
        self._changed = {
            name: self._tensors[f"{name}.weight"] + (down @ up).T.to(self._precision)
            for name, (down, up) in factors.items()
        }

    def vectors(self, factors: Factors, sentences: Sequence[int]) -> dict[int, Array]:
        """The unit vectors of sentences, without gradients."""
        vectors: dict[int, Array] = {}
        with torch.no_grad():
            self.apply(factors)
            order = sorted(sentences, key=lambda sentence: len(self.tokens[sentence]))
            for start in range(0, len(order), 128):
                chunk = order[start : start + 128]
                vectors.update(zip(chunk, self.encode(chunk).numpy(), strict=True))
        return vectors

    def encode(self, sentences: Sequence[int]) -> torch.Tensor:
        """The mean of the last layer's outputs of each sentence, as unit vectors."""
        length = -(-max(len(self.tokens[sentence]) for sentence in sentences) // 8) * 8
        tokens = torch.zeros((len(sentences), length), dtype=torch.long)
        mask = torch.zeros((len(sentences), length), dtype=torch.bool)
        for row, sentence in enumerate(sentences):
            tokens[row, : len(self.tokens[sentence])] = torch.tensor(self.tokens[sentence])
            mask[row, : len(self.tokens[sentence])] = True
        hidden = self._tensors["embeddings.word_embeddings.weight"][tokens]
        position = self._network.first_position
        hidden = hidden + self._tensors["embeddings.position_embeddings.weight"][position : position + length]
        if self._network.kinds:
            hidden = hidden + self._tensors[self._network.kinds][0]
        hidden = self._norm(hidden, "embeddings.LayerNorm")
        bias = torch.where(mask, 0.0, -1e4).to(hidden.dtype)[:, None, None, :]
        if self._network.distances:
            table = self._tensors[self._network.distances]
            bias = bias + table[torch.tensor(distance_buckets(length, len(table)))].permute(2, 0, 1)
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
        # written out: on a CPU its backward pass is several times as fast as that of the fused attention
        scores = (query * (self._hidden // self._heads) ** -0.5) @ key.transpose(2, 3) + bias
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).reshape(count, length, self._hidden)
        hidden = self._norm(hidden + self._dense(mixed, name + network.mixed), name + network.norm)
        inner = functional.gelu(self._dense(hidden, f"{name}intermediate.dense"))
        return self._norm(hidden + self._dense(inner, f"{name}output.dense"), f"{name}output.LayerNorm")

    def _dense(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        weight = self._changed.get(name, self._tensors[f"{name}.weight"])
        return functional.linear(hidden, weight, self._tensors[f"{name}.bias"])

    def _norm(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self._tensors[f"{name}.weight"], self._tensors[f"{name}.bias"]
        return functional.layer_norm(hidden, (self._hidden,), weight, bias, self._network.epsilon)


class Sampler:
    """Draws batches of statements that are close to each other."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus, self._statements = corpus, corpus.statements
        self._random = random.Random(SEED)
        self._neighbours: npt.NDArray[np.intp] = np.empty((0, 0), np.intp)

    def find_neighbours(self, vectors: dict[int, Array]) -> None:
        """Recompute which statements are close to each other."""
        means = np.stack([np.mean([vectors[text] for text in one.phrasings], axis=0) for one in self._statements])
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        sources = np.array([statement.source for statement in self._statements])
        # a close statement of another source may be the same statement
        cosines = means @ means.T - 0.15 * (sources[:, None] != sources[None])
        self._neighbours = np.argsort(-cosines, axis=1)[:, 1:16]

    def epoch(self) -> Iterator[Batch]:
        """Every statement once, except the few of the incomplete last batch."""
        left = list(range(len(self._statements)))
        self._random.shuffle(left)
        while len(left) >= STATEMENTS:
            available = set(left)
            chosen: list[int] = []
            while len(chosen) < STATEMENTS:
                first = next(statement for statement in left if statement not in chosen)
                close = [n for n in self._neighbours[first] if n in available and n not in chosen][:6]
                chosen += [first, *close][: STATEMENTS - len(chosen)]
            left = [statement for statement in left if statement not in chosen]
            yield self._batch(chosen)

    def _batch(self, chosen: list[int]) -> Batch:
        sentences, owners, kinds = [], [], []  # kinds: 0 phrasing, 1 near miss of it, 2 half of a pair
        for number in chosen:
            statement = self._statements[number]
            phrasings = self._random.sample(statement.phrasings, min(PHRASINGS, len(statement.phrasings)))
            near = self._random.sample(statement.near, min(NEAR, len(statement.near)))
            sentences += phrasings + near
            owners += [number] * (len(phrasings) + len(near))
            kinds += [0] * len(phrasings) + [1] * len(near)
        for place, pair in enumerate(self._random.sample(self._corpus.misses, MISSES)):
            sentences += pair
            owners += [-1 - place] * 2
            kinds += [2, 2]
        return Batch(sentences, *self._pairs(np.array(owners), np.array(kinds)))

    def _pairs(
        self, owners: npt.NDArray[np.intp], kinds: npt.NDArray[np.intp]
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        same = owners[:, None] == owners[None]
        phrasing, near, missed = (kinds == kind for kind in (0, 1, 2))
        positive = (same & phrasing[:, None] & phrasing[None]).astype(np.float32)
        crossed = (phrasing[:, None] & near[None]) | (near[:, None] & phrasing[None]) | (missed[:, None] & missed[None])
        negative = (same & crossed).astype(np.float32)
        sources = np.array([self._statements[owner].source if owner >= 0 else "" for owner in owners])
        known = owners >= 0
        other = ~same & known[:, None] & known[None] & ~(near[:, None] & near[None])
        weights = np.where(sources[:, None] == sources[None], 1.0, 0.5).astype(np.float32)
        np.fill_diagonal(positive, 0)
        np.fill_diagonal(negative, 0)
        return torch.tensor(positive), torch.tensor(negative), torch.tensor(other * weights)


def separation(vectors: dict[int, Array], statements: list[Statement]) -> str:
    """The share of phrasing pairs whose cosine is above all but a given share of the negative pairs."""
    same, near, other = [], [], []
    for source in sorted({statement.source for statement in statements}):
        group = [statement for statement in statements if statement.source == source]
        rows = [np.stack([vectors[text] for text in statement.phrasings]) for statement in group]
        for place, statement in enumerate(group):
            cosines = rows[place] @ rows[place].T
            same += list(cosines[np.triu_indices(len(cosines), 1)])
            near += [cosine for text in statement.near for cosine in rows[place] @ vectors[text]]
            for index, others in enumerate(rows):
                if index != place:
                    other += list(np.sort((rows[place] @ others.T).ravel())[-2:])
    shares = [
        f"{(np.array(same) > np.quantile(cosines, 1 - share)).mean():.3f} above all but {share:.1%} of the {name}"
        for name, cosines, share in (("near misses", near, 0.05), ("near misses", near, 0.2), ("others", other, 0.005))
    ]
    return ", ".join(shares)


class Trainer:
    """The factors, and the slope and level by which a cosine becomes log odds."""

    def __init__(self, tensors: dict[str, torch.Tensor], encoder: Encoder, weights: Weights, steps: int) -> None:
        torch.manual_seed(SEED)
        self._encoder = encoder
        self.factors: Factors = {}
        for name in encoder.fitted_layers():
            outputs, inputs = tensors[f"{name}.weight"].shape
            down, up = torch.randn(inputs, RANK) * 0.02, torch.zeros(RANK, outputs)
            self.factors[name] = (down.requires_grad_(), up.requires_grad_())
        self._slope, self._level = torch.tensor(20.0, requires_grad=True), torch.tensor(-12.0, requires_grad=True)
        self._parameters = [tensor for pair in self.factors.values() for tensor in pair]
        rate = SCHEDULES[weights].rate
        self._optimizer = torch.optim.AdamW(
            [*self._parameters, self._slope, self._level], lr=rate, weight_decay=0.02
        )
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer,
            lambda step: (
                min(1.0, (step + 1) / WARM_UP_STEPS) * 0.5 * (1 + math.cos(math.pi * min(step, steps) / steps))
            ),
        )

    def step(self, batch: Batch) -> float:
        """One optimizer step; returns the loss."""
        self._encoder.apply(self.factors)
        loss = self._loss(batch)
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._parameters, 1.0)
        self._optimizer.step()
        self._schedule.step()
        return loss.item()

    def _loss(self, batch: Batch) -> torch.Tensor:
        sentences, positive, negative, other = batch
        order = sorted(range(len(sentences)), key=lambda place: len(self._encoder.tokens[sentences[place]]))
        bounds = [round(share * len(order)) for share in SLICES]
        slices = [self._encoder.encode([sentences[place] for place in order[a:b]]) for a, b in pairwise(bounds)]
        positions = torch.empty(len(order), dtype=torch.long)
        positions[order] = torch.arange(len(order))
        units = torch.cat(slices)[positions]
        cosines = units @ units.T
        similarity = torch.exp((cosines - 1) / TEMPERATURE)
        negatives = (similarity * (NEAR_IN_CONTRAST * negative + other)).sum(1, keepdim=True)
        contrastive = -(torch.log(similarity / (similarity + negatives)) * positive).sum() / positive.sum()
        odds = self._slope * cosines + self._level
        losses = functional.binary_cross_entropy_with_logits(odds, positive, reduction="none")
        weights = positive + NEAR_IN_PAIRS * negative + OTHER_IN_PAIRS * other
        return 0.5 * contrastive + (losses * weights).sum() / weights.sum()


def scaled(factors: Factors, share: float) -> Factors:
    """The factors of a share of the change."""
    return {name: (down, share * up) for name, (down, up) in factors.items()}


def as_arrays(factors: Factors) -> dict[str, npt.NDArray[np.float16]]:
    """The factors as they are stored in the file."""
    return {
        f"{name}.{part}": tensor.detach().numpy().astype(np.float16)
        for name, pair in factors.items()
        for part, tensor in zip(("down", "up"), pair, strict=True)
    }


def run(models: Path, weights: Weights, out: Path, precision: torch.dtype, trial: int | None = None) -> None:
    """Fit, print one line per epoch, write the factors after each; `trial` is the number of steps of a trial run."""
    folder, schedule = models / weights.name, SCHEDULES[weights]
    stored = read_tensors(folder / weights.weights_file)
    tensors = {name: torch.tensor(np.array(values)) for name, values in stored.items()}
    corpus = Corpus(WordPiece.read(folder / weights.vocabulary_file, weights.marks))
    if trial:
        corpus.statements = corpus.statements[: trial * STATEMENTS]
        corpus.held_out = corpus.held_out[-trial * STATEMENTS :]
    encoder = Encoder(tensors, corpus.tokens, weights, precision)
    sampler = Sampler(corpus)
    steps_per_epoch = len(corpus.statements) // STATEMENTS
    trainer = Trainer(tensors, encoder, weights, schedule.epochs * steps_per_epoch)
    judged = sorted({text for one in corpus.held_out for text in (*one.phrasings, *one.near)})
    learned = sorted({text for one in corpus.statements for text in one.phrasings})
    print("before:", separation(encoder.vectors({}, judged), corpus.held_out), flush=True)
    sampler.find_neighbours(encoder.vectors({}, learned))
    done, start = 0, time.perf_counter()
    for epoch in range(schedule.epochs):
        losses = []
        for batch in sampler.epoch():
            losses.append(trainer.step(batch))
            done += 1
            if trial:
                print(f"step {done}: loss {losses[-1]:.4f}, {time.perf_counter() - start:.0f} s", flush=True)
        factors = scaled(trainer.factors, schedule.kept_share)
        np.savez_compressed(out, **as_arrays(factors))
        seconds = (time.perf_counter() - start) / done
        print(f"epoch {epoch}, step {done} of {schedule.epochs * steps_per_epoch}: loss {np.mean(losses):.4f}, "
              f"{seconds:.1f} s a step", flush=True)  # fmt: skip
        print(separation(encoder.vectors(factors, judged), corpus.held_out), flush=True)
        if trial:
            return
        if epoch % 2:
            sampler.find_neighbours(encoder.vectors(trainer.factors, learned))


def main() -> None:
    """Parse the arguments and fit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", type=Path, help="the folder that `dopejar models install` filled")
    parser.add_argument("model", choices=[weights.name for weights in SCHEDULES])
    parser.add_argument("--out", type=Path, required=True, help="the .npz file to write")
    parser.add_argument(
        "--precision", choices=["bfloat16", "float32"], default="bfloat16",
        help="bfloat16, as the packaged factors; float32 is several times as fast on a CPU without bfloat16 units",
    )  # fmt: skip
    parser.add_argument("--threads", type=int, default=None, help="CPU threads; default: as PyTorch chooses")
    parser.add_argument("--trial", type=int, default=None, help="run this many steps on a part of the data, then end")
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    precision: torch.dtype = getattr(torch, arguments.precision)
    run(arguments.models, weights_named(arguments.model), arguments.out, precision, arguments.trial)


if __name__ == "__main__":
    main()

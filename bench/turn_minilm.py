"""Turns MiniLM towards what sentences say: fits the changes of low rank that `adapters/embedders/sayings.py` uses.

Takes: the sets of wordings below, the near misses, and the folder with installed models. Gives: a file of factors, a
line an epoch, and how well the held-out sets are told apart. Never: reads the set that was put aside.

Run: `pip install jax optax`, then `python bench/turn_minilm.py MODELS OUT`. It takes half an hour on two cores.

The lower layers are frozen, and what comes out of them is computed once. To the dense layers above, two factors are
added (LoRA, Hu et al. 2021, arXiv 2106.09685). A batch holds fourteen subjects, most of them near each other: five
wordings and three statements that are near and say something else. The loss is that of contrast within the batch
(InfoNCE, van den Oord et al. 2018, arXiv 1807.03748) with the near statements among the negatives, and the logistic
loss of each pair.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax

from dopejar.adapters.embedders.tensor_file import read_tensors
from dopejar.adapters.embedders.weights import MINILM
from dopejar.adapters.embedders.wordpiece import WordPiece

DATA = Path(__file__).parent / "data"
SETS = ("wordings-pairs", "wordings-development", "wordings-validation", "wordings-development-idioms",
        "wordings-development-plain")  # fmt: skip
HELD_OUT = ("wordings", "wordings-fresh", "wordings-weights")
FROZEN, RANK, EPOCHS, RATE = 3, 8, 6, 1.5e-3
HIDDEN, HEADS, LAYERS, LONGEST = 384, 12, 6, 48
SUBJECTS, WORDINGS, NEAR, MISSES = 14, 5, 3, 6  # of a batch; wordings and near statements of each subject
CHUNKS = ((64, 24), (48, 32), (16, 48))  # of a batch by length: sentences, pieces
BATCH = sum(count for count, _ in CHUNKS)
TEMPERATURE = 0.05
NEAR_IN_CONTRAST, NEAR_IN_PAIRS, OTHER_IN_PAIRS = 1.5, 1.2, 0.15
PARTS = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
         "intermediate.dense", "output.dense")  # fmt: skip


Array = npt.NDArray[np.float32]
Turns = dict[str, tuple[Array, Array]]
State = dict[str, Any]


class Group(NamedTuple):
    """A subject: who wrote it, its wordings, and what is near to it and says something else, as places in `ids`."""

    source: str
    said: list[int]
    near: list[int]


class Batch(NamedTuple):
    """States by length with the order that puts them back, and which pairs are the same, near, and others."""

    chunks: list[tuple[Array, Array]]
    back: npt.NDArray[np.intp]
    positive: Array
    negative: Array
    other: Array


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
    """MiniLM with its lower layers computed once."""

    def __init__(self, tensors: dict[str, Array], ids: list[list[int]]) -> None:
        self.tensors = tensors
        self._top = jax.jit(self.top)
        low = jax.jit(self._low)
        self.states: list[npt.NDArray[np.float16]] = [np.empty(0, np.float16)] * len(ids)
        for batch in _by_length(ids):
            pieces = np.zeros((len(batch), _round(max(len(ids[one]) for one in batch))), int)
            mask = np.zeros(pieces.shape, np.float32)
            for row, one in enumerate(batch):
                pieces[row, : len(ids[one])] = ids[one]
                mask[row, : len(ids[one])] = 1
            found = np.asarray(low(pieces, mask))
            for row, one in enumerate(batch):
                self.states[one] = found[row, : len(ids[one])].astype(np.float16)

    def vectors(self, turns: Turns, chosen: Sequence[int]) -> dict[int, Array]:
        """The unit vectors of sentences."""
        found: dict[int, Array] = {}
        for batch in _by_length([self.states[one] for one in chosen]):
            numbers = [chosen[one] for one in batch]
            hidden, mask = self.packed(numbers, _round(max(len(self.states[one]) for one in numbers)))
            found.update(zip(numbers, np.asarray(self._top(turns, hidden, mask)), strict=True))
        return found

    def packed(self, numbers: list[int], length: int) -> tuple[Array, Array]:
        """States of sentences, padded or cut to one length, with their mask."""
        hidden = np.zeros((len(numbers), length, HIDDEN), np.float32)
        mask = np.zeros((len(numbers), length), np.float32)
        for row, one in enumerate(numbers):
            state = self.states[one][:length]
            hidden[row, : len(state)], mask[row, : len(state)] = state, 1
        return hidden, mask

    def top(self, turns: Turns, hidden: jax.Array, mask: jax.Array) -> jax.Array:
        """The upper layers, turned, and the mean of what comes out, as unit vectors."""
        for layer in range(FROZEN, LAYERS):
            hidden = self._layer(layer, hidden, mask, turns)
        means = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return means / jnp.linalg.norm(means, axis=-1, keepdims=True)

    def _low(self, pieces: jax.Array, mask: jax.Array) -> jax.Array:
        rows = jnp.asarray(self.tensors["embeddings.word_embeddings.weight"])[pieces]
        rows += self.tensors["embeddings.position_embeddings.weight"][: pieces.shape[1]]
        hidden = self._norm(rows + self.tensors["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(FROZEN):
            hidden = self._layer(layer, hidden, mask, {})
        return hidden

    def _layer(self, number: int, hidden: jax.Array, mask: jax.Array, turns: Turns) -> jax.Array:
        name = f"encoder.layer.{number}."
        count, length, _ = hidden.shape
        query, key, value = (
            self._dense(hidden, f"{name}attention.self.{part}", turns).reshape(count, length, HEADS, HIDDEN // HEADS)
            for part in ("query", "key", "value")
        )
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / np.sqrt(HIDDEN // HEADS)
        scores += (1 - mask)[:, None, None, :] * -1e9
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), value).reshape(count, length, HIDDEN)
        hidden = self._norm(
            hidden + self._dense(mixed, f"{name}attention.output.dense", turns), f"{name}attention.output.LayerNorm"
        )
        inner = jax.nn.gelu(self._dense(hidden, f"{name}intermediate.dense", turns), approximate=False)
        return self._norm(hidden + self._dense(inner, f"{name}output.dense", turns), f"{name}output.LayerNorm")

    def _dense(self, hidden: jax.Array, name: str, turns: Turns) -> jax.Array:
        found = hidden @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]
        if name in turns:
            down, up = turns[name]
            found += (hidden @ down) @ up
        return found

    def _norm(self, hidden: jax.Array, name: str) -> jax.Array:
        middle = hidden.mean(-1, keepdims=True)
        spread = jnp.sqrt(((hidden - middle) ** 2).mean(-1, keepdims=True) + 1e-12)
        return (hidden - middle) / spread * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]


def _round(length: int) -> int:
    return -(-length // 8) * 8


def _by_length(rows: Sequence[Any], most: int = 64) -> list[list[int]]:
    order = sorted(range(len(rows)), key=lambda one: len(rows[one]))
    return [order[start : start + most] for start in range(0, len(order), most)]


class Batches:
    """Batches of subjects that are near each other."""

    def __init__(self, material: Material, encoder: Encoder) -> None:
        groups = material.groups
        self._material, self._groups, self._encoder = material, groups, encoder
        self._draw = random.Random(0)
        vectors = encoder.vectors({}, sorted({one for group in groups for one in group.said}))
        middle = np.stack([np.mean([vectors[one] for one in group.said], axis=0) for group in groups])
        middle /= np.linalg.norm(middle, axis=1, keepdims=True)
        sources = np.array([group.source for group in groups])
        # a near subject of another set may be the same one
        near = middle @ middle.T - 0.15 * (sources[:, None] != sources[None])
        self._near = np.argsort(-near, axis=1)[:, 1:16]

    def epoch(self) -> Iterator[Batch]:
        """Every subject once, but for a few that are left over."""
        left = list(range(len(self._groups)))
        self._draw.shuffle(left)
        while len(left) >= SUBJECTS:
            chosen: list[int] = []
            while len(chosen) < SUBJECTS:
                first = next(one for one in left if one not in chosen)
                beside = [one for one in self._near[first] if one in left and one not in chosen][:6]
                chosen += [first, *beside][: SUBJECTS - len(chosen)]
            left = [one for one in left if one not in chosen]
            yield self._batch(chosen)

    def _batch(self, chosen: list[int]) -> Batch:
        numbers, subjects, kinds = [], [], []  # kinds: said, near, of a near miss, filling
        for one in chosen:
            group = self._groups[one]
            said = self._draw.sample(group.said, min(WORDINGS, len(group.said)))
            near = self._draw.sample(group.near, min(NEAR, len(group.near)))
            numbers += said + near
            subjects += [one] * (len(said) + len(near))
            kinds += [0] * len(said) + [1] * len(near)
        for place, pair in enumerate(self._draw.sample(self._material.misses, MISSES)):
            numbers += pair
            subjects += [-2 - place] * 2
            kinds += [2, 2]
        filling = BATCH - len(numbers)
        numbers, subjects, kinds = numbers + numbers[:1] * filling, subjects + [-1] * filling, kinds + [3] * filling
        pairs = self._pairs(np.array(subjects[:BATCH]), np.array(kinds[:BATCH]))
        return Batch(*self._chunks(numbers[:BATCH]), *pairs)

    def _chunks(self, numbers: list[int]) -> tuple[list[tuple[Array, Array]], npt.NDArray[np.intp]]:
        order = sorted(range(BATCH), key=lambda one: len(self._encoder.states[numbers[one]]))
        chunks, start = [], 0
        for count, length in CHUNKS:
            chunks.append(self._encoder.packed([numbers[one] for one in order[start : start + count]], length))
            start += count
        back = np.empty(BATCH, int)
        back[order] = np.arange(BATCH)
        return chunks, back

    def _pairs(
        self, subjects: npt.NDArray[np.intp], kinds: npt.NDArray[np.intp]
    ) -> tuple[Array, Array, Array]:
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
        return positive, negative, other * weights


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


def main(models: Path, out: Path) -> None:
    """Fit, say how it goes, write the factors."""
    folder = models / "minilm-l6-v2"
    tensors = {name: np.array(values) for name, values in read_tensors(folder / MINILM.weights_file).items()}
    material = Material(WordPiece.read(folder / MINILM.vocabulary_file))
    encoder = Encoder(tensors, material.ids)
    held_out = material.held_out
    batches = Batches(material, encoder)
    draw = np.random.default_rng(0)
    names = [f"encoder.layer.{layer}.{part}" for layer in range(FROZEN, LAYERS) for part in PARTS]
    turns: Turns = {}
    for name in names:
        outputs, inputs = tensors[f"{name}.weight"].shape
        turns[name] = (draw.normal(0, 0.02, (inputs, RANK)).astype(np.float32), np.zeros((RANK, outputs), np.float32))
    state = {"turns": turns, "slope": np.float32(20.0), "level": np.float32(-12.0)}

    def loss(state: State, batch: Batch) -> jax.Array:
        chunks, back, positive, negative, other = batch
        units = jnp.concatenate([encoder.top(state["turns"], *chunk) for chunk in chunks])[back]
        cosines = units @ units.T
        grown = jnp.exp((cosines - 1) / TEMPERATURE)
        against = (grown * (NEAR_IN_CONTRAST * negative + other)).sum(1, keepdims=True)
        contrast = -(jnp.log(grown / (grown + against)) * positive).sum() / positive.sum()
        odds = state["slope"] * cosines + state["level"]
        each = jnp.maximum(odds, 0) - odds * positive + jnp.log1p(jnp.exp(-jnp.abs(odds)))
        weights = positive + NEAR_IN_PAIRS * negative + OTHER_IN_PAIRS * other
        return 0.5 * contrast + (each * weights).sum() / weights.sum()

    schedule = optax.warmup_cosine_decay_schedule(0, RATE, 20, EPOCHS * (len(material.groups) // SUBJECTS))
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=0.02))

    @jax.jit
    def step(state: State, moments: optax.OptState, batch: Batch) -> tuple[State, optax.OptState, jax.Array]:
        found, slope = jax.value_and_grad(loss)(state, batch)
        updates, moments = optimiser.update(slope, moments, state)
        return optax.apply_updates(state, updates), moments, found

    moments = optimiser.init(state)
    judged = sorted({one for group in held_out for one in (*group.said, *group.near)})
    print("as it comes:", told_apart(encoder.vectors({}, judged), held_out), flush=True)
    for epoch in range(EPOCHS):
        losses = []
        for batch in batches.epoch():
            state, moments, found = step(state, moments, batch)
            losses.append(float(found))
        kept = {}
        for name, (down, up) in state["turns"].items():
            kept[f"{name}.down"], kept[f"{name}.up"] = (np.asarray(one).astype(np.float16) for one in (down, up))
        np.savez_compressed(out, **kept)
        apart = told_apart(encoder.vectors(state["turns"], judged), held_out)
        print(f"epoch {epoch}: loss {np.mean(losses):.4f}, {apart}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

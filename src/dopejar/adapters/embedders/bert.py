"""The forward pass of BERT-like encoders in numpy: BERT itself, and MPNet.

Takes: tensors and token ids. Gives: one unit vector per text: the mean of its last hidden states. Never: a copy of the
weights, and never padding.

Hidden states are columns, one per token: small products (a single query) are half as fast again that way. The tokens
of a batch stand side by side without padding, so every dense layer is one matrix product and no text affects another.
Only attention is computed per text, together for texts of the same length.

MPNet (Song et al. 2020, arXiv 2004.09297) names its tensors differently, has no token types, and adds to each attention
score a learned bias for the distance of the two tokens.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]
    Run = tuple[int, int, int]  # first token, number of texts, their length

from dopejar.errors import WeightsDamagedError

BATCH_TOKENS = 1024  # bounds the memory of a pass: about 20 MB
_GELU_STRETCH = 49_152  # values at a time: the two buffers stay in the L2 cache
_ATTENTION_CELLS = 1 << 20  # bounds the scores of one attention step: 4 MB

# Phi(x), the normal distribution, is 1 / (1 + exp(-x P(x^2))). P, of degree 6, was fitted by iteratively reweighted
# least squares against the exact function: the greatest error of x Phi(x) is 7e-8. From |x| = 6 on P stays as it is.
_GELU = (
    3.6111259525413384e-09,
    -2.668884946234729e-07,
    7.938155392222535e-06,
    -1.1047989297211107e-04,
    -6.626130103975956e-05,
    7.266856873691464e-02,
    1.5957684315578828,
)
_GELU_EDGE = 36.0


_ATTENTION = ("attention.self.query", "attention.self.key", "attention.self.value")
_KINDS = "embeddings.token_type_embeddings.weight"
_DISTANCES = "encoder.relative_attention_bias.weight"  # of MPNet alone: (buckets of distances, heads)
_POSITIONS = "embeddings.position_embeddings.weight"
_EPSILON = 1e-12  # of the layer norms, as trained
_MPNET_EPSILON = 1e-5
_MPNET_FIRST_POSITION = 2
_MPNET_NAMES = (
    *zip(("attention.attn.q", "attention.attn.k", "attention.attn.v"), _ATTENTION, strict=True),
    ("attention.attn.o", "attention.output.dense"),
    ("attention.LayerNorm", "attention.output.LayerNorm"),
)
_FARTHEST = 128  # tokens; all larger distances share one bias


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """The dimensions of the network, read from its tensors."""

    hidden: int
    layers: int
    heads: int
    positions: int
    vocabulary: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Branch:
    """Another encoder that goes on with some of the texts from a layer on, up to which both do the same."""

    encoder: BertEncoder
    layer: int  # from 1: what it does is shared
    texts: Mapping[int, str]  # by their places
    rows: "dict[str, Array]"  # the vector of each text, once it is made

    def go_on(self, batch: Sequence[int], hidden: "Array", lengths: Sequence[int]) -> None:
        """Make the vectors of those texts of the batch that are asked for."""
        import numpy as np

        asked = [number in self.texts for number in batch]
        if any(asked):
            kept = [length for length, is_asked in zip(lengths, asked, strict=True) if is_asked]
            part = hidden if all(asked) else hidden[:, np.repeat(asked, lengths)]
            for after in self.encoder.after_layers(part, kept, self.layer):
                part = after
            made = zip((self.texts[one] for one in batch if one in self.texts), mean_rows(part, kept), strict=True)
            self.rows.update(made)


class BertEncoder:
    """An encoder over memory-mapped tensors. Holds no state between calls, so threads may share it."""

    def __init__(self, tensors: "Mapping[str, Array]", heads: int) -> None:
        self._tensors = tensors = _bert_named(tensors)
        self.shape = _shape(tensors, heads)
        self._epsilon = _MPNET_EPSILON if _DISTANCES in tensors else _EPSILON
        self._biases = distance_biases(tensors[_DISTANCES], self.shape.positions) if _DISTANCES in tensors else None

    def encode(self, texts: Sequence[Sequence[int]]) -> "Array":
        """One unit row per text of token ids, in the order given; every text needs at least one id."""
        import numpy as np

        rows = np.empty((len(texts), self.shape.hidden), dtype=np.float32)
        for batch, (hidden,), lengths in self._batches(texts, (self.shape.layers,)):
            rows[batch] = mean_rows(hidden, lengths)
        return rows

    def states(
        self, texts: Sequence[Sequence[int]], layers: Sequence[int], branch: Branch | None = None
    ) -> "list[Array]":
        """Per text its hidden states after these layers (from 1), side by side: (tokens, layers * hidden)."""
        import numpy as np

        found: list[Array] = [np.empty(0, dtype=np.float32)] * len(texts)
        for batch, hidden, lengths in self._batches(texts, layers, branch):
            columns = np.split(np.concatenate(hidden).T, np.cumsum(lengths)[:-1])
            for number, states in zip(batch, columns, strict=True):
                found[number] = np.ascontiguousarray(states)
        return found

    def _batches(
        self, texts: Sequence[Sequence[int]], layers: Sequence[int], branch: Branch | None = None
    ) -> "Iterator[tuple[list[int], list[Array], list[int]]]":
        """Batches of similar length: text indexes, hidden states after these layers, and how long each text is."""
        import numpy as np

        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        for batch in _batches(order, [len(text) for text in texts]):
            chosen = [texts[number] for number in batch]
            lengths = [len(text) for text in chosen]
            hidden = self._embedded(np.concatenate([np.asarray(text, dtype=np.intp) for text in chosen]), lengths)
            kept = []
            for layer, after in enumerate(self.after_layers(hidden, lengths), 1):
                kept += [after] if layer in layers else []
                if branch is not None and layer == branch.layer:
                    branch.go_on(batch, after, lengths)
            yield batch, kept, lengths

    def after_layers(self, hidden: "Array", lengths: Sequence[int], first: int = 0) -> "Iterator[Array]":
        """The hidden states of texts of these lengths after each layer from the first one (from 0) on."""
        runs = list(_runs(lengths, self.shape.heads))
        for layer in range(first, self.shape.layers):
            hidden = self._layer(f"encoder.layer.{layer}.", hidden, runs)
            yield hidden

    def _embedded(self, ids: "npt.NDArray[np.intp]", lengths: Sequence[int]) -> "Array":
        import numpy as np

        positions = np.concatenate([np.arange(length) for length in lengths])
        rows: Array = self._tensors["embeddings.word_embeddings.weight"][ids]
        rows += self._tensors[_POSITIONS][positions]
        if _KINDS in self._tensors:
            rows += self._tensors[_KINDS][0]
        return self._norm(np.ascontiguousarray(rows.T), "embeddings.LayerNorm")

    def _layer(self, name: str, hidden: "Array", runs: "Sequence[Run]") -> "Array":
        mixed = self._attention(name, hidden, runs)
        mixed = self._dense(mixed, name + "attention.output.dense")
        mixed += hidden
        mixed = self._norm(mixed, name + "attention.output.LayerNorm")
        outer = self._dense(gelu(self._dense(mixed, name + "intermediate.dense")), name + "output.dense")
        outer += mixed
        return self._norm(outer, name + "output.LayerNorm")

    def _attention(self, name: str, hidden: "Array", runs: "Sequence[Run]") -> "Array":
        import numpy as np

        query, key, value = (self._dense(hidden, name + part) for part in _ATTENTION)
        width = self.shape.hidden // self.shape.heads
        query *= np.float32(1.0 / math.sqrt(width))
        mixed = np.empty_like(hidden)
        for first, count, length in runs:
            part = slice(first, first + count * length)
            shape = (self.shape.heads, width, count, length)
            # per text and head: (width, length), as views
            q, k, v, out = (whole[:, part].reshape(shape).transpose(2, 0, 1, 3) for whole in (query, key, value, mixed))
            scores = q.swapaxes(2, 3) @ k
            if self._biases is not None:
                scores += _by_places(self._biases, length)
            scores -= scores.max(axis=-1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=-1, keepdims=True)
            out[...] = v @ scores.swapaxes(2, 3)
        return mixed

    def _dense(self, hidden: "Array", name: str) -> "Array":
        product: Array = self._tensors[name + ".weight"] @ hidden
        product += self._tensors[name + ".bias"][:, None]
        return product

    def _norm(self, hidden: "Array", name: str) -> "Array":
        """Layer normalisation of every column, in place."""
        import numpy as np

        hidden -= hidden.mean(axis=0)
        variance = np.square(hidden).mean(axis=0)
        hidden *= 1.0 / np.sqrt(variance + np.float32(self._epsilon))
        hidden *= self._tensors[name + ".weight"][:, None]
        hidden += self._tensors[name + ".bias"][:, None]
        return hidden


def adapted(tensors: "Mapping[str, Array]", factors: "Mapping[str, Array]") -> "dict[str, Array]":
    """The tensors with low-rank factors added: W + U D for every W with U (`NAME.up`) and D (`NAME.down`).

    Hu et al. 2021, arXiv 2106.09685. What is not a factor is left aside.
    """
    found = dict(tensors)
    for name in (one.removesuffix(".down") for one in factors if one.endswith(".down")):
        found[f"{name}.weight"] = tensors[f"{name}.weight"] + factors[f"{name}.up"] @ factors[f"{name}.down"]
    return found


def first_adapted(factors: "Mapping[str, Array]") -> int:
    """The first layer, from 0, that these factors change."""
    names = (name.removeprefix("encoder.layer.") for name in factors if name.endswith(".down"))
    return min(int(name.partition(".")[0]) for name in names)


def _bert_named(tensors: "Mapping[str, Array]") -> "Mapping[str, Array]":
    """The tensors under the names and with the first position of BERT; those of MPNet are recognised by its biases."""
    if _DISTANCES not in tensors:
        return tensors
    found = dict(tensors)
    for name in tensors:
        for theirs, ours in _MPNET_NAMES:
            if theirs in name:
                found[name.replace(theirs, ours)] = found.pop(name)
    if _POSITIONS in found:
        found[_POSITIONS] = found[_POSITIONS][_MPNET_FIRST_POSITION:]
    return found


def distance_biases(table: "Array", most: int) -> "Array":
    """Per head the bias of every distance between two tokens, from 1 - most to most - 1.

    Half of the buckets are for later tokens. In each half, short distances have a bucket each, and the buckets of long
    ones grow logarithmically (Raffel et al. 2020, arXiv 1910.10683, section 2.1).
    """
    import numpy as np

    away = np.arange(1 - most, most)
    half, exact = len(table) // 2, len(table) // 4
    far = np.abs(away)
    wide = exact + (np.log(np.maximum(far, 1) / exact) / math.log(_FARTHEST / exact) * (half - exact)).astype(np.intp)
    buckets = np.where(far < exact, far, np.minimum(wide, half - 1)) + half * (away > 0)
    return np.ascontiguousarray(table[buckets].T)


def _by_places(biases: "Array", length: int) -> "Array":
    """The biases of a text as a view: (heads, length, length), for the places of both tokens."""
    import numpy as np

    middle, (head, step) = biases.shape[1] // 2, biases.strides
    shape = (len(biases), length, length)
    return np.lib.stride_tricks.as_strided(biases[:, middle:], shape, (head, -step, step), writeable=False)


def mean_rows(hidden: "Array", lengths: Sequence[int]) -> "Array":
    """One unit row per text: the mean of its columns."""
    import numpy as np

    sums: Array = np.add.reduceat(hidden, np.cumsum([0, *lengths[:-1]]), axis=1).astype(np.float32, copy=False)
    counts: Array = np.asarray(lengths, dtype=np.float32)
    return normalise_rows((sums / counts).T)


def normalise_rows(rows: "Array") -> "Array":
    """The rows, each scaled to unit length."""
    import numpy as np

    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    unit_rows: Array = rows / np.maximum(norms, np.float32(1e-12))[:, None]
    return unit_rows


def gelu(values: "Array") -> "Array":
    """`x Phi(x)` with the normal distribution Phi, in place; within 1e-6 of the erf form, float32 rounding included.

    The erf form is the one BERT was trained with (Hendrycks and Gimpel, 2016, arXiv 1606.08415). Values are contiguous.
    """
    import numpy as np

    first, *middle, last = (np.float32(-factor) for factor in _GELU)
    none, one, edge = np.float32(0.0), np.float32(1.0), np.float32(_GELU_EDGE)
    flat = values.reshape(-1)
    squares = np.empty(min(_GELU_STRETCH, len(flat)), dtype=np.float32)
    powers = np.empty_like(squares)
    with np.errstate(over="ignore", under="ignore"):  # far below zero exp overflows, and x / infinity is rightly zero
        for start in range(0, len(flat), _GELU_STRETCH):
            x = flat[start : start + _GELU_STRETCH]
            u, p = squares[: len(x)], powers[: len(x)]
            np.multiply(x, x, out=u)
            np.clip(u, none, edge, out=u)  # a minimum with one number takes three times as long
            np.multiply(u, first, out=p)
            for factor in middle:
                np.add(p, factor, out=p)
                np.multiply(p, u, out=p)
            np.add(p, last, out=p)
            np.multiply(p, x, out=p)
            np.exp(p, out=p)
            np.add(p, one, out=p)
            np.divide(x, p, out=x)
    return values


def _batches(order: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """Texts in order of length, in batches of at most BATCH_TOKENS tokens (or one text)."""
    batch: list[int] = []
    tokens = 0
    for number in order:
        if batch and tokens + lengths[number] > BATCH_TOKENS:
            yield batch
            batch, tokens = [], 0
        batch.append(number)
        tokens += lengths[number]
    if batch:
        yield batch


def _runs(lengths: Sequence[int], heads: int) -> Iterator[tuple[int, int, int]]:
    """(first token, number of texts, length) of adjacent texts of one length, few enough to bound the score matrix."""
    first = at = 0
    while at < len(lengths):
        length = lengths[at]
        most = max(1, _ATTENTION_CELLS // (length * length * heads))
        count = 1
        while count < most and at + count < len(lengths) and lengths[at + count] == length:
            count += 1
        yield first, count, length
        first += count * length
        at += count


def _shape(tensors: "Mapping[str, Array]", heads: int) -> Shape:
    """Read the dimensions from the tensors. Raises WeightsDamagedError for one that is missing or misshapen."""
    try:
        positions, hidden = tensors[_POSITIONS].shape
        layers = sum(1 for name in tensors if name.endswith(".intermediate.dense.weight"))
        wanted: dict[str, tuple[int | None, ...]] = {"embeddings.word_embeddings.weight": (None, hidden)}
        wanted |= {_DISTANCES: (None, heads)} if _DISTANCES in tensors else {_KINDS: (None, hidden)}
        wanted |= {f"embeddings.LayerNorm.{part}": (hidden,) for part in ("weight", "bias")}
        for layer in range(layers):
            inner = tensors[f"encoder.layer.{layer}.intermediate.dense.weight"].shape[0]
            wanted |= _layer_shapes(f"encoder.layer.{layer}.", hidden, inner)
        for name, shape in wanted.items():
            actual = tensors[name].shape
            if len(actual) != len(shape) or any(
                want not in (None, have) for want, have in zip(shape, actual, strict=True)
            ):
                raise WeightsDamagedError(f"The tensor {name} has the shape {actual}. Install the weights again.")
    except (KeyError, ValueError) as error:
        raise WeightsDamagedError(f"These are not the weights of a BERT encoder ({error}). Reinstall them.") from error
    if not layers or hidden % heads:
        raise WeightsDamagedError("The weights hold no encoder layers that fit this model. Install them again.")
    vocabulary = tensors["embeddings.word_embeddings.weight"].shape[0]
    return Shape(
        hidden=hidden,
        layers=layers,
        heads=heads,
        positions=positions,
        vocabulary=vocabulary,
    )


def _layer_shapes(name: str, hidden: int, inner: int) -> "dict[str, tuple[int | None, ...]]":
    shapes: dict[str, tuple[int | None, ...]] = {}
    for part in (*_ATTENTION, "attention.output.dense"):
        shapes |= {f"{name}{part}.weight": (hidden, hidden), f"{name}{part}.bias": (hidden,)}
    for part in ("attention.output.LayerNorm", "output.LayerNorm"):
        shapes |= {f"{name}{part}.weight": (hidden,), f"{name}{part}.bias": (hidden,)}
    shapes |= {f"{name}intermediate.dense.weight": (inner, hidden), f"{name}intermediate.dense.bias": (inner,)}
    shapes |= {f"{name}output.dense.weight": (hidden, inner), f"{name}output.dense.bias": (hidden,)}
    return shapes

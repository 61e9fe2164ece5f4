"""A very small BERT or MPNet with random weights, as tensors and as the bytes of a safetensors file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dopejar.adapters.embedders.weights import ModelWeights

HIDDEN, INNER, HEADS, LAYERS, POSITIONS = 12, 20, 3, 2, 40
PIECES = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *("a", "b", "c", "##a", "##b", "##c", "ab", "##bc", "cab", "un", "##able", "able", "do", "##do"),
    *("!", ",", ".", "-", "'", "的", "東", "京", "cafe", "i", "##i"),
)


class Network(NamedTuple):
    """What differs between the networks: the names of tensors, and the place of the first position."""

    parts: tuple[str, str, str, str]  # query, key, value, and what mixes them
    norm: str
    first: int
    epsilon: float
    biases: str = ""  # of distances
    kinds: str = ""


BERT = Network(
    parts=("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"),
    norm="attention.output.LayerNorm",
    first=0,
    epsilon=1e-12,
    kinds="embeddings.token_type_embeddings.weight",
)
MPNET = Network(
    parts=("attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o"),
    norm="attention.LayerNorm",
    first=2,
    epsilon=1e-5,
    biases="encoder.relative_attention_bias.weight",
)


@dataclass(frozen=True, kw_only=True)
class TinyModel:
    """A folder with the two source files, what they must be, and the tensors in it."""

    folder: Path
    weights: ModelWeights
    tensors: dict[str, np.ndarray]


def safetensors(tensors: dict[str, np.ndarray]) -> bytes:
    """The bytes of a safetensors file with these tensors, and one of another type that readers pass over."""
    header: dict[str, object] = {"__metadata__": {"format": "np"}}
    body = np.arange(3, dtype="<i8").tobytes()
    header["position_ids"] = {"dtype": "I64", "shape": [3], "data_offsets": [0, len(body)]}
    for name, tensor in tensors.items():
        data = tensor.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    return len(head).to_bytes(8, "little") + head + body


def random_tensors(seed: int = 5, network: Network = BERT) -> dict[str, np.ndarray]:
    """Tensors of a small encoder, large enough in value that every part of the network matters."""
    random = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(PIECES), HIDDEN),
        "embeddings.position_embeddings.weight": (POSITIONS, HIDDEN),
    }
    shapes |= {network.kinds: (2, HIDDEN)} if network.kinds else {network.biases: (8, HEADS)}
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        norms += [name + network.norm, name + "output.LayerNorm"]
        for part in network.parts:
            shapes |= {f"{name}{part}.weight": (HIDDEN, HIDDEN), f"{name}{part}.bias": (HIDDEN,)}
        shapes |= {f"{name}intermediate.dense.weight": (INNER, HIDDEN), f"{name}intermediate.dense.bias": (INNER,)}
        shapes |= {f"{name}output.dense.weight": (HIDDEN, INNER), f"{name}output.dense.bias": (HIDDEN,)}
    for name in norms:
        shapes |= {f"{name}.weight": (HIDDEN,), f"{name}.bias": (HIDDEN,)}
    return {name: random.normal(scale=0.7, size=shape).astype(np.float32) for name, shape in shapes.items()}

"""A very small BERT with random weights, as tensors and as the bytes of a safetensors file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dopejar.adapters.embedders.weights import ModelWeights

HIDDEN, INNER, HEADS, LAYERS, POSITIONS = 12, 20, 3, 2, 40
PIECES = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *("a", "b", "c", "##a", "##b", "##c", "ab", "##bc", "cab", "un", "##able", "able", "do", "##do"),
    *("!", ",", ".", "-", "'", "的", "東", "京", "cafe", "i", "##i"),
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


def random_tensors(seed: int = 5) -> dict[str, np.ndarray]:
    """Tensors of a small encoder, large enough in value that every part of the network matters."""
    random = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(PIECES), HIDDEN),
        "embeddings.position_embeddings.weight": (POSITIONS, HIDDEN),
    }
    shapes["embeddings.token_type_embeddings.weight"] = (2, HIDDEN)
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        norms += [f"{name}attention.output.LayerNorm", name + "output.LayerNorm"]
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            shapes |= {f"{name}attention.{part}.weight": (HIDDEN, HIDDEN), f"{name}attention.{part}.bias": (HIDDEN,)}
        shapes |= {f"{name}intermediate.dense.weight": (INNER, HIDDEN), f"{name}intermediate.dense.bias": (INNER,)}
        shapes |= {f"{name}output.dense.weight": (HIDDEN, INNER), f"{name}output.dense.bias": (HIDDEN,)}
    for name in norms:
        shapes |= {f"{name}.weight": (HIDDEN,), f"{name}.bias": (HIDDEN,)}
    return {name: random.normal(scale=0.7, size=shape).astype(np.float32) for name, shape in shapes.items()}

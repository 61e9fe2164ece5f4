"""A BERT encoder in PyTorch whose upper layers learn low-rank factors; its own weights stay as they are.

Takes: the tensors of an installed model. Gives: hidden states, and the factors to add to the weights. Never: changes
the model's files.

Each weight W of an adapted layer becomes W + U D, with U and D of low rank (Hu et al. 2021, arXiv 2106.09685). Reading
with them takes as long as without: `adapters/embedders/bert.py` adds the product once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

RANK = 32
DROPOUT = 0.1
QUERY, KEY, VALUE = "attention.self.query", "attention.self.key", "attention.self.value"
MIXED, NORM = "attention.output.dense", "attention.output.LayerNorm"
PARTS = (QUERY, KEY, VALUE, MIXED, "intermediate.dense", "output.dense")
EPSILON = 1e-12  # of the layer norms, as trained


class AdaptedLinear(nn.Module):
    """A dense layer with frozen weights, and with factors that begin at zero where it is adapted."""

    def __init__(self, weight: Tensor, bias: Tensor, *, is_adapted: bool, rank: int = RANK) -> None:
        super().__init__()
        self.weight, self.bias, self.is_adapted = weight, bias, is_adapted
        if is_adapted:
            self.down = nn.Parameter(torch.randn(rank, weight.shape[1]) / math.sqrt(weight.shape[1]))
            self.up = nn.Parameter(torch.zeros(weight.shape[0], rank))

    def forward(self, rows: Tensor) -> Tensor:
        """The product with the weights, and with the factors."""
        out = F.linear(rows, self.weight, self.bias)
        return out + F.linear(F.linear(rows, self.down), self.up) if self.is_adapted else out


class AdaptedEncoder(nn.Module):
    """The encoder over its tensors, adapted from one layer (counted from 0) on."""

    def __init__(self, tensors: Mapping[str, np.ndarray], heads: int, first: int, rank: int = RANK) -> None:
        super().__init__()
        floats = {name: value for name, value in tensors.items() if value.dtype == np.float32}
        self.tensors = {name: torch.from_numpy(np.array(value)) for name, value in floats.items()}
        self.heads = heads
        self.layers = sum(name.endswith(".intermediate.dense.weight") for name in self.tensors)
        self.parts = nn.ModuleDict()
        for layer in range(self.layers):
            for part in PARTS:
                name = f"encoder.layer.{layer}.{part}"
                weight, bias = self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"]
                self.parts[name.replace(".", "-")] = AdaptedLinear(weight, bias, is_adapted=layer >= first, rank=rank)

    def forward(self, ids: Tensor, mask: Tensor, layers: Sequence[int]) -> Tensor:
        """The hidden states after these layers (from 1), side by side: (texts, tokens, layers * hidden)."""
        t = self.tensors
        rows = t["embeddings.word_embeddings.weight"][ids]
        rows = (
            rows
            + t["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + t["embeddings.token_type_embeddings.weight"][0]
        )
        hidden, kept = self._norm(rows, "embeddings.LayerNorm"), []
        hidden_keys = torch.zeros(mask.shape).masked_fill(~mask, -1e4)[:, None, None, :]
        for layer in range(self.layers):
            hidden = self._layer(f"encoder.layer.{layer}.", hidden, hidden_keys)
            kept += [hidden] if layer + 1 in layers else []
        return torch.cat(kept, -1)

    def _layer(self, name: str, hidden: Tensor, mask: Tensor) -> Tensor:
        mixed = self._dense(self._attention(name, hidden, mask), name + MIXED)
        mixed = self._norm(hidden + F.dropout(mixed, DROPOUT, self.training), name + NORM)
        outer = self._dense(F.gelu(self._dense(mixed, name + "intermediate.dense")), name + "output.dense")
        return self._norm(mixed + F.dropout(outer, DROPOUT, self.training), name + "output.LayerNorm")

    def _attention(self, name: str, hidden: Tensor, mask: Tensor) -> Tensor:
        texts, tokens, width = hidden.shape
        query, key, value = (
            self._dense(hidden, name + part).view(texts, tokens, self.heads, -1).transpose(1, 2)
            for part in (QUERY, KEY, VALUE)
        )
        dropped = DROPOUT if self.training else 0.0
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropped)
        return mixed.transpose(1, 2).reshape(texts, tokens, width)

    def _dense(self, rows: Tensor, name: str) -> Tensor:
        found: Tensor = self.parts[name.replace(".", "-")](rows)
        return found

    def _norm(self, rows: Tensor, name: str) -> Tensor:
        weight, bias = self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"]
        return F.layer_norm(rows, rows.shape[-1:], weight, bias, EPSILON)

    def factors(self) -> dict[str, Tensor]:
        """The factors of each adapted weight, by the name of its tensor."""
        found = {}
        for name, part in self.parts.items():
            if part.is_adapted:
                found |= {f"{name.replace('-', '.')}.{side}": getattr(part, side).detach() for side in ("down", "up")}
        return found

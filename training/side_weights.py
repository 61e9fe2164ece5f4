"""Fit the reader of sides: whether a piece of advice is a definite rule, opens options, or neither.

Takes: the advice in `data/reader/bullets_*.jsonl`, and a folder with installed models. Gives: the weights file of
`src/dopejar/adapters/readers/data`, and figures on authors held out. Never: reads a benchmark's data.

    python -m training.side_weights MODELS minilm-l6-v2 --out FILE      # all authors, and each held out; a minute

The encoder stays as it is. Needs PyTorch 2.13.0 or newer.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.readers.fitted_reader import LONGEST
from dopejar.adapters.readers.side_reader import SIDES, pooled
from dopejar.adapters.readers.weights_file import LAYERS
from training.packed_weights import packed
from training.reader_data import DATA
from training.reader_weights import MODELS

WIDTH = 64
DROPOUT = 0.4
EPOCHS = 40
SEED = 0
SURE = 0.8  # of confidence, from which precision and coverage are told
Rows = tuple[Tensor, Tensor]


class SideNet(nn.Module):
    """The side of a text, from its pooled states."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, WIDTH)
        self.out = nn.Linear(WIDTH, len(SIDES))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, rows: Tensor) -> Tensor:
        """The logits of the sides."""
        return self.out(self.drop(F.relu(self.hidden(self.drop(rows)))))


def read(path: Path, embedder: SentenceEmbedder, layers: Sequence[int]) -> Rows:
    """The pooled states and the sides of one author's advice."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    states = embedder.token_states([row["text"] for row in rows], layers, LONGEST)
    sides = torch.tensor([SIDES.index(row["side"]) for row in rows])
    return torch.from_numpy(np.stack([pooled(one.states) for one in states])), sides


def fit(parts: Sequence[Rows]) -> SideNet:
    """Fit the net on several authors."""
    torch.manual_seed(SEED)
    rows, sides = torch.cat([part[0] for part in parts]), torch.cat([part[1] for part in parts])
    net = SideNet(rows.shape[1])
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3, weight_decay=0.05)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(rows)).split(32):
            loss = F.cross_entropy(net(rows[part]), sides[part], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return net.eval()


@torch.no_grad()
def figures(net: SideNet, part: Rows) -> str:
    """Accuracy where the side is clear; precision and coverage where the net is sure."""
    shares, sides = net(part[0]).softmax(-1), part[1]
    best, clear = shares.argmax(-1), sides < 2
    sure = (shares.amax(-1) >= SURE) & (best < 2)
    accuracy = (best == sides)[clear].float().mean()
    return f"{accuracy:.3f}; {(best == sides)[sure].float().mean():.3f} at {sure.float().mean():.3f}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("model", choices=sorted(LAYERS))
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    embedder = SentenceEmbedder(chosen.models / chosen.model, MODELS[chosen.model])
    parts = {path.stem: read(path, embedder, LAYERS[chosen.model]) for path in sorted(DATA.glob("bullets_*.jsonl"))}
    for held, part in parts.items():
        print(held, figures(fit([other for name, other in parts.items() if name != held]), part), flush=True)
    whole = fit(list(parts.values()))
    for name, part in parts.items():
        print("jointly:", name, figures(whole, part), flush=True)
    np.savez_compressed(chosen.out, **packed(whole.state_dict()))


if __name__ == "__main__":
    main()

"""Fit the statement reader: what a sentence states, and what a later one does to an earlier one.

Takes: the sentences in `data/reader`, and a folder with installed models. Gives: the weights file of
`src/dopejar/adapters/readers/data`, and figures on authors held out. Never: reads a benchmark's data.

    python -m training.reader_weights MODELS minilm-l6-v2 --out FILE      # all authors, about 30 minutes on one core
    python -m training.reader_weights MODELS minilm-l6-v2 --judge         # each author judged by weights of the others

The encoder stays as it is: the reader looks at its hidden states of three layers. A sentence is read from their mean,
their maximum and the first token by one hidden layer with four outputs. A pair is aligned token by token with attention
(Parikh et al. 2016, arXiv 1606.01933; Chen et al. 2017, arXiv 1609.06038), the aligned parts are compared and pooled.
Needs PyTorch 2.13.0 or newer.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.embedders.weights import MINILM, MPNET_BASE
from training.reader_data import ACTS, RELATIONS, TENSES, Pair, Sentence, pairs, sentences

MODELS = {weights.name: weights for weights in (MINILM, MPNET_BASE)}
LAYERS = {"minilm-l6-v2": (2, 4, 6), "mpnet-base-v2": (4, 8, 12)}
LONGEST = 56  # tokens
WIDTH = 128
DROPOUT = 0.2
SEED = 0
HEADS = {"act": ACTS, "tense": TENSES, "denied": ("+", "-"), "durable": ("no", "yes")}
READ = sum(map(len, HEADS.values()))
Batch = tuple[Tensor, ...]


class States:
    """Hidden states and token ids by text, encoded once."""

    def __init__(self, folder: Path, model: str) -> None:
        self._embedder = SentenceEmbedder(folder / model, MODELS[model])
        self._layers = LAYERS[model]
        self._known: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self.digits = self._embedder.digit_tokens()

    def add(self, texts: Sequence[str], log: Callable[[str], None]) -> None:
        """Encode the texts that are not known yet."""
        missing = sorted(set(texts) - set(self._known), key=len)
        for start in range(0, len(missing), 256):
            part = missing[start : start + 256]
            found = self._embedder.token_states(part, self._layers, LONGEST)
            for text, (ids, states) in zip(part, found, strict=True):
                self._known[text] = (np.asarray(ids), states.astype(np.float16))
        log(f"{len(missing)} sentences encoded")

    def __getitem__(self, text: str) -> tuple[np.ndarray, np.ndarray]:
        return self._known[text]

    @property
    def width(self) -> int:
        """The numbers per token."""
        return next(iter(self._known.values()))[1].shape[1]


class SentenceNet(nn.Module):
    """What a sentence states, from its pooled states."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(3 * width, WIDTH)
        self.out = nn.Linear(WIDTH, READ)
        self.drop = nn.Dropout(2 * DROPOUT)

    def forward(self, pooled: Tensor) -> Tensor:
        """The logits of all heads side by side."""
        return self.out(self.drop(F.relu(self.hidden(self.drop(pooled)))))


class PairNet(nn.Module):
    """What a later statement does to an earlier one, from both texts' token states."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.value = nn.Linear(width, WIDTH)
        self.query = nn.Linear(width, WIDTH, bias=False)
        self.whole = nn.Linear(width, WIDTH)
        self.compare = nn.Linear(4 * WIDTH + 3, WIDTH)
        self.hidden = nn.Linear(8 * WIDTH + 2 * READ, WIDTH)
        self.out = nn.Linear(WIDTH, len(RELATIONS))
        self.scale = nn.Parameter(torch.tensor(0.1))
        self.equal = nn.Parameter(torch.tensor(2.0))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, *batch: Tensor) -> Tensor:
        """The logits of the relations."""
        first, second, mask_a, mask_b, equal, flags_a, flags_b, read = batch
        a, b = self.drop(first), self.drop(second)
        va, vb = F.relu(self.value(a)), F.relu(self.value(b))
        scores = self.query(first) @ self.query(second).transpose(1, 2) * self.scale + self.equal * equal
        to_b = scores.masked_fill(~mask_b[:, None, :], -1e4).softmax(-1)
        to_a = scores.masked_fill(~mask_a[:, :, None], -1e4).softmax(1).transpose(1, 2)
        ca, cb = self._compared(va, to_b @ vb, flags_a), self._compared(vb, to_a @ va, flags_b)
        u = F.relu(self.whole(self.drop(_mean(first, mask_a))))
        v = F.relu(self.whole(self.drop(_mean(second, mask_b))))
        parts = [*_pooled(ca, mask_a), *_pooled(cb, mask_b), u, v, (u - v).abs(), u * v, read]
        return self.out(self.drop(F.relu(self.hidden(self.drop(torch.cat(parts, -1))))))

    def _compared(self, own: Tensor, other: Tensor, flags: Tensor) -> Tensor:
        return F.relu(self.compare(torch.cat([own, other, own - other, own * other, flags], -1)))


def _mean(rows: Tensor, mask: Tensor) -> Tensor:
    return (rows * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


def _pooled(rows: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    return _mean(rows, mask), rows.masked_fill(~mask[..., None], 0.0).amax(1)


def pooled(states: States, texts: Sequence[str]) -> Tensor:
    """Mean, maximum and first token of each text's states."""
    rows = (states[text][1].astype(np.float32) for text in texts)
    return torch.from_numpy(np.stack([np.concatenate([row.mean(0), row.max(0), row[0]]) for row in rows]))


def batch_of(states: States, items: Sequence[tuple[str, str]], read: dict[str, Tensor]) -> Batch:
    """The padded arrays of some pairs: states, masks, which tokens are equal, what stands beside each token."""
    sides = [[states[pair[side]] for pair in items] for side in (0, 1)]
    arrays = []
    for number, side in enumerate(sides):
        longest = max(len(ids) for ids, _ in side)
        whole = np.zeros((len(items), longest, states.width), dtype=np.float32)
        ids_of = np.full((len(items), longest), -1 - number)
        for row, (ids, hidden) in enumerate(side):
            whole[row, : len(ids)], ids_of[row, : len(ids)] = hidden, ids
        arrays.append((whole, ids_of))
    (first, a), (second, b) = arrays
    equal = a[:, :, None] == b[:, None, :]
    flags = [token_flags(ids, seen, states.digits) for ids, seen in ((a, equal.any(2)), (b, equal.any(1)))]
    numbers = [first, second, equal.astype(np.float32), *flags]
    first_t, second_t, equal_t, flags_a, flags_b = map(torch.from_numpy, numbers)
    beside = torch.stack([torch.cat([read[x], read[y]]) for x, y in items])
    return first_t, second_t, torch.from_numpy(a >= 0), torch.from_numpy(b >= 0), equal_t, flags_a, flags_b, beside


def token_flags(ids: np.ndarray, seen: np.ndarray, digits: np.ndarray) -> np.ndarray:
    """Per token: whether the other text has it, whether it is a number, and a number that the other has not."""
    number = digits[ids] & (ids >= 0)
    return np.stack([seen, number, number & ~seen], -1).astype(np.float32)


def fit_sentences(states: States, rows: Sequence[Sentence], epochs: int = 40) -> SentenceNet:
    """Fit the reading of single sentences; a label that was not given costs nothing."""
    torch.manual_seed(SEED)
    x, net = pooled(states, [row.text for row in rows]), SentenceNet(states.width)
    labels = {
        head: torch.tensor([classes.index(label) if (label := getattr(row, head)) in classes else -1 for row in rows])
        for head, classes in HEADS.items()
    }
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3, weight_decay=0.05)
    for _ in range(epochs):
        for part in torch.randperm(len(rows)).split(64):
            outputs = net(x[part]).split([len(classes) for classes in HEADS.values()], -1)
            losses = [
                F.cross_entropy(out, labels[head][part], ignore_index=-1, label_smoothing=0.05)
                for head, out in zip(HEADS, outputs, strict=True)
            ]
            loss = torch.nan_to_num(torch.stack(losses)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return net.eval()


@torch.no_grad()
def read_all(states: States, net: SentenceNet, texts: Sequence[str]) -> dict[str, Tensor]:
    """The probabilities of all heads, by text."""
    known = list(dict.fromkeys(texts))
    found: dict[str, Tensor] = {}
    for start in range(0, len(known), 512):
        part = known[start : start + 512]
        heads = net(pooled(states, part)).split([len(classes) for classes in HEADS.values()], -1)
        found |= dict(zip(part, torch.cat([head.softmax(-1) for head in heads], -1), strict=True))
    return found


def fit_pairs(
    states: States, rows: Sequence[Pair], read: dict[str, Tensor], epochs: int, log: Callable[[str], None]
) -> PairNet:
    """Fit the relations."""
    torch.manual_seed(SEED)
    rng, net, size = random.Random(SEED), PairNet(states.width), 64
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3, weight_decay=0.01)
    steps, start = epochs * math.ceil(len(rows) / size), time.monotonic()
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 50) * max(0.02, 1 - step / steps)
    )
    for epoch in range(epochs):
        total = 0.0
        for part in _batches(states, rows, size, rng):
            weight = torch.tensor([row.weight for row in part])
            label = torch.tensor([RELATIONS.index(row.relation) for row in part])
            logits = net(*batch_of(states, [(row.earlier, row.later) for row in part], read))
            losses = F.cross_entropy(logits, label, reduction="none", label_smoothing=0.05)
            loss = (losses * weight).sum() / weight.sum()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            rate.step()
            total += loss.item()
        log(f"epoch {epoch + 1}: loss {total * size / len(rows):.3f}, {time.monotonic() - start:.0f} s")
    return net.eval()


def _batches(states: States, rows: Sequence[Pair], size: int, rng: random.Random) -> Iterator[list[Pair]]:
    order = list(rows)
    rng.shuffle(order)
    found = []
    for start in range(0, len(order), size * 16):
        part = sorted(order[start : start + size * 16], key=lambda row: len(row.earlier) + len(row.later))
        found += [part[at : at + size] for at in range(0, len(part), size)]
    rng.shuffle(found)
    yield from found


@torch.no_grad()
def relations_of(states: States, net: PairNet, items: Sequence[tuple[str, str]], read: dict[str, Tensor]) -> np.ndarray:
    """The probabilities of the relations of each pair."""
    parts = [items[start : start + 64] for start in range(0, len(items), 64)]
    return np.concatenate([net(*batch_of(states, part, read)).softmax(-1).numpy() for part in parts])


def save(out: Path, sentence: SentenceNet, pair: PairNet) -> None:
    """Write both nets in half precision."""
    arrays = {f"sentence.{name}": value for name, value in sentence.state_dict().items()}
    arrays |= {f"pair.{name}": value for name, value in pair.state_dict().items()}
    np.savez_compressed(out, **{name: value.numpy().astype(np.float16) for name, value in arrays.items()})


def macro_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """The mean F1 over the classes of the gold labels."""
    scores = []
    for label in sorted(set(gold)):
        both = sum(g == p == label for g, p in zip(gold, predicted, strict=True))
        scores.append(2 * both / max(1, gold.count(label) + predicted.count(label)))
    return sum(scores) / len(scores)


def judge(states: States, held: str, epochs: int, log: Callable[[str], None]) -> None:
    """Print the figures on one author, by weights fitted without it."""
    readings, relations = sentences(), pairs()
    net = fit_sentences(states, [row for name, rows in readings.items() if name != held for row in rows])
    if held in readings:
        rows = readings[held]
        read = read_all(states, net, [row.text for row in rows])
        start = 0
        for head, classes in HEADS.items():
            part = [
                (getattr(row, head), classes[int(read[row.text][start : start + len(classes)].argmax())])
                for row in rows
            ]
            known = [(gold, found) for gold, found in part if gold in classes]
            log(f"{held} {head}: accuracy {sum(g == f for g, f in known) / len(known):.3f} of {len(known)}")
            start += len(classes)
        return
    texts = [text for rows in relations.values() for row in rows for text in row[:2]]
    read = read_all(states, net, texts)
    pair = fit_pairs(
        states, [row for name, rows in relations.items() if name != held for row in rows], read, epochs, log
    )
    rows = [row for row in relations[held] if row.weight == 1.0]
    found = relations_of(states, pair, [(row.earlier, row.later) for row in rows], read).argmax(1)
    gold, predicted = [row.relation for row in rows], [RELATIONS[int(one)] for one in found]
    log(f"{held}: macro F1 {macro_f1(gold, predicted):.3f} of {len(rows)} pairs")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("model", choices=sorted(LAYERS))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--judge", nargs="*", metavar="AUTHOR", help="hold these authors out, or each in turn")
    parser.add_argument("--epochs", type=int, default=6)
    chosen = parser.parse_args()
    torch.set_num_threads(1)

    def log(line: str) -> None:
        print(line, flush=True)

    states, relations, readings = States(chosen.models, chosen.model), pairs(), sentences()
    texts = [text for rows in relations.values() for row in rows for text in row[:2]]
    states.add([*texts, *(row.text for rows in readings.values() for row in rows)], log)
    if chosen.judge is not None:
        for held in chosen.judge or [*readings, *relations]:
            judge(states, held, chosen.epochs, log)
        return
    net = fit_sentences(states, [row for rows in readings.values() for row in rows])
    pair = fit_pairs(
        states, [row for rows in relations.values() for row in rows], read_all(states, net, texts), chosen.epochs, log
    )
    save(chosen.out, net, pair)


if __name__ == "__main__":
    main()

"""Fit the statement reader: what a sentence states, and what a later one does to an earlier one.

Takes: the sentences in `data/reader`, and a folder with installed models. Gives: the weights file of
`src/dopejar/adapters/readers/data`, and figures on authors held out. Never: reads a benchmark's data.

    python -m training.reader_weights MODELS minilm-l6-v2 --out FILE      # all authors, about an hour on one core
    python -m training.reader_weights MODELS minilm-l6-v2 --judge         # each author judged by weights of the others
    python -m training.reader_weights MODELS minilm-l6-v2 --out FILE --head stands  # this head alone, into FILE

The encoder stays as it is: the reader looks at its hidden states of three layers. A sentence is read from their mean,
their maximum and the first token by one hidden layer with four outputs. A pair is aligned token by token with attention
(Parikh et al. 2016, arXiv 1606.01933; Chen et al. 2017, arXiv 1609.06038), the aligned parts are compared and pooled.
Two nets read each pair, and the mean of their log odds counts: one that finds values said in other words, and one
fitted from the start with values of several things side by side, which it keeps apart.
Needs PyTorch 2.13.0 or newer.
"""

from __future__ import annotations

import argparse
import copy
import math
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder, TextStates
from dopejar.adapters.embedders.weights import MINILM
from dopejar.adapters.readers.fitted_reader import COORDINATES, OPENING
from dopejar.values.statement import CONTINUES, LEANS, SEVERAL, STANDS, SURELY_PRIVATE, TAKES_BACK, FactClass
from training.packed_weights import packed
from training.reader_data import (
    ACTS,
    DATA,
    EITHER,
    RELATIONS,
    SIDE_BY_SIDE,
    TENSES,
    Pair,
    Sentence,
    beside,
    beside_series,
    continues_shares,
    leaning_shares,
    pairs,
    private_shares,
    profiles,
    sentences,
    series,
    several_shares,
    standing_shares,
    takes_back_shares,
)

MODELS = {weights.name: weights for weights in (MINILM,)}
LAYERS = {"minilm-l6-v2": (2, 4, 6)}
LONGEST = 56  # tokens
WIDTH = 128
DROPOUT = 0.2
SMOOTHING = 0.05  # of the relations of pairs
RATE = 1e-3
VALUES = ("series",)  # files that the first fit goes on with after the others
VALUES_EPOCHS = 2
SEED = 0
HEADS = {
    "act": ACTS,
    "tense": TENSES,
    "denied": ("+", "-"),
    "durable": ("no", "yes"),
    "guides": ("no", "yes"),
    "fact_class": tuple(map(str, FactClass)),
    "coordinates": tuple(f"{layer}.{sublayer}" for layer, sublayer in COORDINATES),
}
READ = sum(map(len, HEADS.values()))
TAG_WIDTH = 64
KERNEL = 5  # tokens
OTHER, SUBJECT, VALUE, UNSAID = 0, 1, 2, -1
ATTRIBUTE = 64  # numbers that stand for a property
NEAREST = 8  # statements of a profile that one of it is set against, of those said of others
NEAREST_VALUES = 3  # of other series
SHARPNESS = 10.0  # of the likeness of properties
DECAY = 2e-5  # of the weights that tell what is private
OPENING_DECAY = 3e-2  # of those that tell how a sentence stands to the words before
OPENINGS = {  # heads that read the opening of a sentence, with what each is fitted with
    "leans": leaning_shares,
    "continues": continues_shares,
    "takes_back": takes_back_shares,
    "several": several_shares,
    "stands": standing_shares,
}
Batch = tuple[Tensor, ...]


class States:
    """Token ids, units and hidden states by text, encoded once, and the meanings of names of properties."""

    def __init__(self, folder: Path, model: str) -> None:
        self._embedder = SentenceEmbedder(folder / model, MODELS[model])
        self._layers = LAYERS[model]
        self._known: dict[str, TextStates] = {}
        self.digits = self._embedder.digit_tokens()

    def add(self, texts: Sequence[str], log: Callable[[str], None]) -> None:
        """Encode the texts that are not known yet."""
        missing = sorted(set(texts) - set(self._known), key=len)
        for start in range(0, len(missing), 256):
            part = missing[start : start + 256]
            found = self._embedder.token_states(part, self._layers, LONGEST)
            for text, one in zip(part, found, strict=True):
                self._known[text] = TextStates(one.ids, one.units, one.states.astype(np.float16))
        log(f"{len(missing)} sentences encoded")

    def __getitem__(self, text: str) -> TextStates:
        return self._known[text]

    def meanings(self, names: Sequence[str]) -> Tensor:
        """The embeddings of names of properties."""
        return torch.from_numpy(self._embedder.embed(names))

    @property
    def width(self) -> int:
        """The numbers per token."""
        return next(iter(self._known.values())).states.shape[1]


class SentenceNet(nn.Module):
    """What a sentence states, from its pooled states, and which property it is about, as a direction."""

    def __init__(self, width: int, meaning: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(3 * width, WIDTH)
        self.out = nn.Linear(WIDTH, READ)
        self.attribute = nn.Linear(WIDTH, ATTRIBUTE)
        self.name = nn.Linear(meaning, ATTRIBUTE)  # of the embedding of a property's name
        self.drop = nn.Dropout(2 * DROPOUT)

    def forward(self, pooled: Tensor) -> tuple[Tensor, Tensor]:
        """The logits of all heads side by side, and the direction of the property."""
        hidden = self.drop(F.relu(self.hidden(self.drop(pooled))))
        return self.out(hidden), F.normalize(self.attribute(hidden), dim=-1)

    def names(self, meanings: Tensor) -> Tensor:
        """The directions of the names of properties."""
        return F.normalize(self.name(meanings), dim=-1)


class TagNet(nn.Module):
    """Which tokens of a sentence name what it is about, and which its value."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.input = nn.Linear(width, TAG_WIDTH)
        self.context = nn.Linear(width, TAG_WIDTH)
        self.near = nn.Conv1d(TAG_WIDTH, TAG_WIDTH, KERNEL, padding=KERNEL // 2)
        self.far = nn.Conv1d(TAG_WIDTH, TAG_WIDTH, KERNEL, padding=KERNEL // 2)
        self.out = nn.Linear(TAG_WIDTH, 3)
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, rows: Tensor, mask: Tensor) -> Tensor:
        """The logits of every token."""
        keep = mask[..., None].float()
        context = self.context(self.drop(_mean(rows, mask)))[:, None, :]
        hidden = F.relu(self.input(self.drop(rows)) + context) * keep
        for convolution in (self.near, self.far):
            near = convolution(self.drop(hidden).transpose(1, 2)).transpose(1, 2)
            hidden = (hidden + F.relu(near)) * keep
        return self.out(self.drop(hidden))


class Reading(NamedTuple):
    """A sentence as read: its labels, the direction of its property, and the share of each tag for each token."""

    labels: Tensor
    attribute: Tensor
    tags: Tensor


class PairNet(nn.Module):
    """What a later statement does to an earlier one, from both texts' token states.

    Dropout takes single numbers of the states, or whole features of a text, which is three times as fast.
    """

    def __init__(self, width: int, *, drops_features: bool = False) -> None:
        super().__init__()
        self.drops_features = drops_features
        self.value = nn.Linear(width, WIDTH)
        self.query = nn.Linear(width, WIDTH, bias=False)
        self.whole = nn.Linear(width, WIDTH)
        self.compare = nn.Linear(4 * WIDTH + 5, WIDTH)
        self.hidden = nn.Linear(8 * WIDTH + 2 * READ + 1, WIDTH)
        self.out = nn.Linear(WIDTH, len(RELATIONS))
        self.scale = nn.Parameter(torch.tensor(0.1))
        self.equal = nn.Parameter(torch.tensor(2.0))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, *batch: Tensor) -> Tensor:
        """The logits of the relations."""
        first, second, mask_a, mask_b, equal, flags_a, flags_b, read = batch
        a, b = self._dropped(first), self._dropped(second)
        va, vb = F.relu(self.value(a)), F.relu(self.value(b))
        scores = self.query(first) @ self.query(second).transpose(1, 2) * self.scale + self.equal * equal
        to_b = scores.masked_fill(~mask_b[:, None, :], -1e4).softmax(-1)
        to_a = scores.masked_fill(~mask_a[:, :, None], -1e4).softmax(1).transpose(1, 2)
        ca, cb = self._compared(va, to_b @ vb, flags_a), self._compared(vb, to_a @ va, flags_b)
        u = F.relu(self.whole(self.drop(_mean(first, mask_a))))
        v = F.relu(self.whole(self.drop(_mean(second, mask_b))))
        parts = [*_pooled(ca, mask_a), *_pooled(cb, mask_b), u, v, (u - v).abs(), u * v, read]
        return self.out(self.drop(F.relu(self.hidden(self.drop(torch.cat(parts, -1))))))

    def _dropped(self, rows: Tensor) -> Tensor:
        return rows * self.drop(rows.new_ones(len(rows), 1, rows.shape[-1])) if self.drops_features else self.drop(rows)

    def _compared(self, own: Tensor, other: Tensor, flags: Tensor) -> Tensor:
        return F.relu(self.compare(torch.cat([own, other, own - other, own * other, flags], -1)))


PairNets = tuple[PairNet, PairNet]


def _mean(rows: Tensor, mask: Tensor) -> Tensor:
    return (rows * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


def _pooled(rows: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    return _mean(rows, mask), rows.masked_fill(~mask[..., None], 0.0).amax(1)


def pooled(states: States, texts: Sequence[str]) -> Tensor:
    """Mean, maximum and first token of each text's states."""
    rows = (states[text].states.astype(np.float32) for text in texts)
    return torch.from_numpy(np.stack([np.concatenate([row.mean(0), row.max(0), row[0]]) for row in rows]))


def padded(states: States, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The states of some texts and their token ids, -1 behind the end."""
    longest = max(len(states[text].ids) for text in texts)
    rows = np.zeros((len(texts), longest, states.width), dtype=np.float32)
    ids = np.full((len(texts), longest), -1)
    for row, text in enumerate(texts):
        size = len(states[text].ids)
        rows[row, :size], ids[row, :size] = states[text].states, states[text].ids
    return rows, ids


def batch_of(states: States, items: Sequence[tuple[str, str]], read: dict[str, Reading]) -> Batch:
    """The padded arrays of some pairs: states, masks, which tokens are equal, what stands beside each token."""
    (first, a), (second, b) = (padded(states, [pair[side] for pair in items]) for side in (0, 1))
    b[b < 0] = -2
    equal = a[:, :, None] == b[:, None, :]
    flags = [
        token_flags(ids, seen, states.digits, [read[pair[side]].tags for pair in items])
        for side, ids, seen in ((0, a, equal.any(2)), (1, b, equal.any(1)))
    ]
    numbers = [first, second, equal.astype(np.float32), *flags]
    first_t, second_t, equal_t, flags_a, flags_b = map(torch.from_numpy, numbers)
    beside = torch.stack([_beside(read[x], read[y]) for x, y in items])
    return first_t, second_t, torch.from_numpy(a >= 0), torch.from_numpy(b >= 0), equal_t, flags_a, flags_b, beside


def _beside(x: Reading, y: Reading) -> Tensor:
    return torch.cat([x.labels, y.labels, (x.attribute @ y.attribute)[None]])


def token_flags(ids: np.ndarray, seen: np.ndarray, digits: np.ndarray, tags: Sequence[Tensor]) -> np.ndarray:
    """Per token: whether the other text has it, whether it is a number, a number that the other has not.

    And how likely it belongs to the subject, and to the value.
    """
    number = digits[ids] & (ids >= 0)
    shares = np.zeros((*ids.shape, 2), dtype=np.float32)
    for row, one in enumerate(tags):
        shares[row, : len(one)] = one[:, 1:].numpy()
    return np.concatenate([np.stack([seen, number, number & ~seen], -1).astype(np.float32), shares], -1)


def hard_pairs(states: States, told: Iterable[tuple[str, list[str]]], count: int) -> Iterator[Pair]:
    """Each statement and what is nearest to it of all that is said of others: they are apart."""
    for text, others in told:
        meanings = states.meanings([text, *others])
        nearest = (meanings[1:] @ meanings[0]).topk(min(count, len(others))).indices
        yield from (Pair(text, others[int(at)], "apart", 0.7) for at in nearest)


def all_pairs(states: States) -> dict[str, list[Pair]]:
    """The written pairs by author, and those of other subjects that are easily taken for one another."""
    found = pairs()
    for name in found:
        path = DATA / f"{name}.txt"
        if name.startswith("profiles"):
            for profile in profiles(path):
                found[name] += hard_pairs(states, beside(profile), NEAREST)
        elif name.startswith("series"):
            found[name] += hard_pairs(states, beside_series(list(series(path))), NEAREST_VALUES)
    return found


def fit_sentences(states: States, rows: Sequence[Sentence], names: Sequence[str], epochs: int = 40) -> SentenceNet:
    """Fit the reading of single sentences; a label that was not given costs nothing."""
    torch.manual_seed(SEED)
    meanings = states.meanings(names)
    x, net = pooled(states, [row.text for row in rows]), SentenceNet(states.width, meanings.shape[1])
    labels = {
        head: torch.tensor([classes.index(label) if (label := getattr(row, head)) in classes else -1 for row in rows])
        for head, classes in HEADS.items()
    }
    number = {name: at for at, name in enumerate(names)}
    attributes = torch.tensor([number.get(row.attribute, -1) for row in rows])
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3, weight_decay=0.05)
    for _ in range(epochs):
        for part in torch.randperm(len(rows)).split(64):
            logits, direction = net(x[part])
            outputs = logits.split([len(classes) for classes in HEADS.values()], -1)
            losses = [
                F.cross_entropy(out, labels[head][part], ignore_index=-1, label_smoothing=0.05)
                for head, out in zip(HEADS, outputs, strict=True)
            ]
            likeness = SHARPNESS * direction @ net.names(meanings).T
            losses.append(F.cross_entropy(likeness, attributes[part], ignore_index=-1))
            loss = torch.nan_to_num(torch.stack(losses)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return net.eval()


def fit_tags(states: States, rows: Sequence[Sentence], epochs: int = 12) -> TagNet:
    """Fit which tokens are the subject and the value; where one of the two was not found, its words cost nothing."""
    torch.manual_seed(SEED)
    examples = [(row.text, tags) for row in rows if (tags := tags_of(states, row)) is not None]
    net = TagNet(states.width)
    optimizer = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=0.02)
    for _ in range(epochs):
        for part in torch.randperm(len(examples)).split(32):
            chosen = [examples[int(at)] for at in part]
            arrays, ids = padded(states, [text for text, _ in chosen])
            labels = np.full(ids.shape, UNSAID)
            for row, (_, tags) in enumerate(chosen):
                labels[row, : len(tags)] = tags
            logits = net(torch.from_numpy(arrays), torch.from_numpy(ids >= 0))
            loss = F.cross_entropy(logits.flatten(0, 1), torch.from_numpy(labels).flatten(), ignore_index=UNSAID)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
    return net.eval()


def tags_of(states: States, row: Sentence) -> np.ndarray | None:
    """The tag of every token; None where neither the subject nor the value stand in the text."""
    known, found = states[row.text], np.full(len(states[row.text].ids), OTHER)
    for words, tag in ((row.subject, SUBJECT), (row.value, VALUE)):
        span = span_of(row.text, words)
        if span is None:
            continue
        for unit in known.units:
            if unit.start < span[1] and span[0] < unit.end:
                found[unit.first : unit.last] = tag
    return found if (found != OTHER).any() else None


def span_of(text: str, words: str) -> tuple[int, int] | None:
    """Where the words stand in the text, as whole words."""
    match = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) if words else None
    return match.span() if match else None


@torch.no_grad()
def read_all(states: States, net: SentenceNet, tagger: TagNet, texts: Sequence[str]) -> dict[str, Reading]:
    """Every text as read."""
    known = sorted(dict.fromkeys(texts), key=len)
    found: dict[str, Reading] = {}
    for start in range(0, len(known), 256):
        part = known[start : start + 256]
        logits, directions = net(pooled(states, part))
        heads = logits.split([len(classes) for classes in HEADS.values()], -1)
        labels = torch.cat([head.softmax(-1) for head in heads], -1)
        arrays, ids = padded(states, part)
        tags = tagger(torch.from_numpy(arrays), torch.from_numpy(ids >= 0)).softmax(-1)
        for row, text in enumerate(part):
            found[text] = Reading(labels[row], directions[row], tags[row, : len(states[text].ids)].clone())
    return found


def fit_relations(
    states: States,
    relations: dict[str, list[Pair]],
    read: dict[str, Reading],
    epochs: int,
    log: Callable[[str], None],
) -> PairNets:
    """Fit the two nets that read a pair: the first without values side by side, the second with everything at once."""
    others = {name: rows for name, rows in relations.items() if not name.startswith(SIDE_BY_SIDE)}
    first = fit_in_turn(states, others, read, epochs, log)
    torch.manual_seed(SEED)
    second = PairNet(states.width, drops_features=True)
    fit_pairs(states, second, [row for rows in relations.values() for row in rows], read, epochs, RATE, log)
    return first, second


def fit_in_turn(
    states: States,
    relations: dict[str, list[Pair]],
    read: dict[str, Reading],
    epochs: int,
    log: Callable[[str], None],
) -> PairNet:
    """Fit the relations without values, go on with them for a while, and take the mean of both nets.

    A net that is fitted with values from the start retires too much elsewhere. The mean of two nets of which one was
    fitted on from the other keeps what the first was good at (Wortsman et al. 2022, arXiv 2109.01903).
    """
    torch.manual_seed(SEED)
    plain = PairNet(states.width)
    without = [row for name, rows in relations.items() if not name.startswith(VALUES) for row in rows]
    fit_pairs(states, plain, without, read, epochs, RATE, log)
    torch.manual_seed(SEED)
    wider = copy.deepcopy(plain)
    fit_pairs(states, wider, [row for rows in relations.values() for row in rows], read, VALUES_EPOCHS, RATE / 2, log)
    others = wider.state_dict()
    plain.load_state_dict({name: (value + others[name]) / 2 for name, value in plain.state_dict().items()})
    return plain.eval()


def fit_pairs(
    states: States,
    net: PairNet,
    rows: Sequence[Pair],
    read: dict[str, Reading],
    epochs: int,
    rate_of_learning: float,
    log: Callable[[str], None],
) -> None:
    """Fit the net to the pairs."""
    net.train()
    rng, size = random.Random(SEED), 64
    optimizer = torch.optim.AdamW(net.parameters(), rate_of_learning, weight_decay=0.01)
    steps, start = epochs * math.ceil(len(rows) / size), time.monotonic()
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 50) * max(0.02, 1 - step / steps)
    )
    for epoch in range(epochs):
        total = 0.0
        for part in _batches(states, rows, size, rng):
            weight = torch.tensor([row.weight for row in part])
            losses = losses_of(net(*batch_of(states, [(row.earlier, row.later) for row in part], read)), part)
            loss = (losses * weight).sum() / weight.sum()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            rate.step()
            total += loss.item()
        log(f"epoch {epoch + 1}: loss {total * size / len(rows):.3f}, {time.monotonic() - start:.0f} s")
    net.eval()


def losses_of(logits: Tensor, rows: Sequence[Pair]) -> Tensor:
    """The smoothed cross entropy of each pair; where one of several relations is told, of their shares together."""
    told = torch.tensor([[relation in row.relation.split(EITHER) for relation in RELATIONS] for row in rows])
    shares = logits.log_softmax(-1)
    likelihood = shares.masked_fill(~told, -math.inf).logsumexp(-1)
    return -(1 - SMOOTHING) * likelihood - SMOOTHING * shares.mean(-1)


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
def relations_of(
    states: States, nets: PairNets, items: Sequence[tuple[str, str]], read: dict[str, Reading]
) -> np.ndarray:
    """The mean log odds of the relations of each pair."""
    batches = (batch_of(states, items[start : start + 64], read) for start in range(0, len(items), 64))
    logits = [torch.stack([net(*batch).log_softmax(-1) for net in nets]).mean(0) for batch in batches]
    return np.concatenate([part.numpy() for part in logits])


class Fitted(NamedTuple):
    """The nets that read single sentences, and the names of properties."""

    sentence: SentenceNet
    tagger: TagNet
    names: list[str]
    private: nn.Linear
    leans: nn.Linear
    continues: nn.Linear
    takes_back: nn.Linear
    several: nn.Linear
    stands: nn.Linear


def fit_private(states: States, rows: Sequence[tuple[str, float]]) -> nn.Linear:
    """Fit how private a statement is, from its embedding alone."""
    return fit_share(states.meanings([text for text, _ in rows]), [share for _, share in rows], DECAY)


def fit_opening(states: States, rows: Sequence[tuple[str, float]]) -> nn.Linear:
    """Fit how a sentence stands to the words before, from the states of its tokens, mostly of the first ones."""
    points = torch.stack([opening(states[text]) for text, _ in rows])
    origin, spread = points.mean(0), points.std(0).clamp(min=0.05)
    head = fit_share((points - origin) / spread, [share for _, share in rows], OPENING_DECAY)
    with torch.no_grad():  # of the states as they are
        head.weight /= spread
        head.bias -= head.weight @ origin
    return head


def opening(text: TextStates) -> Tensor:
    """The mean of the states of a sentence, of its opening, and the first of them."""
    states = torch.from_numpy(text.states.astype(np.float32))
    return torch.cat([states.mean(0), states[OPENING].mean(0), states[1]])


def fit_share(points: Tensor, shares: Sequence[float], decay: float) -> nn.Linear:
    """Fit one logit over points to how likely each is."""
    head, wanted = nn.Linear(points.shape[1], 1), torch.tensor(shares)[:, None]
    for parameter in head.parameters():
        nn.init.zeros_(parameter)
    optimizer = torch.optim.LBFGS(head.parameters(), max_iter=200, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = F.binary_cross_entropy_with_logits(head(points), wanted) + decay * (head.weight**2).sum()
        value.backward()
        return value

    optimizer.step(loss)
    return head


def save(out: Path, states: States, fitted: Fitted, pair: PairNets) -> None:
    """Write the nets in half precision, and the names of properties that keys are made of."""
    nets = {
        "sentence": fitted.sentence,
        "tags": fitted.tagger,
        "private": fitted.private,
        "leans": fitted.leans,
        "continues": fitted.continues,
        "takes_back": fitted.takes_back,
        "several": fitted.several,
        "stands": fitted.stands,
        "pair": pair[0],
        "things": pair[1],
    }
    arrays = {f"{part}.{name}": value for part, net in nets.items() for name, value in net.state_dict().items()}
    arrays = {name: value for name, value in arrays.items() if not name.startswith("sentence.name.")}
    with torch.no_grad():
        arrays["attributes"] = fitted.sentence.names(states.meanings(fitted.names))
    numbers = {
        name: array for name, value in arrays.items() for name, array in packed({name: value}, parts_of(name)).items()
    }
    np.savez_compressed(out, **numbers, attribute_names=np.array(fitted.names))


def parts_of(name: str) -> int:
    """How finely an array is kept: most finely what reads single sentences, as one of a thousand properties is told."""
    return {"sentence": 8, "attributes": 8, "tags": 4}.get(name.partition(".")[0], 1)


def add_head(states: States, out: Path, name: str, log: Callable[[str], None]) -> None:
    """Fit one of the heads that read the opening of a sentence, and put it among the nets in the file."""
    rows = [row for part in OPENINGS[name]().values() for row in part]
    states.add([text for text, _ in rows], log)
    added = packed({f"{name}.{part}": value for part, value in fit_opening(states, rows).state_dict().items()})
    np.savez_compressed(out, **(dict(np.load(out)) | added))


def property_names(rows: Sequence[Sentence]) -> list[str]:
    """The properties that are named more than once."""
    counts = Counter(row.attribute for row in rows if row.attribute)
    return sorted(name for name, count in counts.items() if count > 1)


def macro_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """The mean F1 over the classes of the gold labels."""
    scores = []
    for label in sorted(set(gold)):
        both = sum(g == p == label for g, p in zip(gold, predicted, strict=True))
        scores.append(2 * both / max(1, gold.count(label) + predicted.count(label)))
    return sum(scores) / len(scores)


def fit_reading(states: States, rows: Sequence[Sentence], log: Callable[[str], None]) -> Fitted:
    """Fit what reads single sentences."""
    names = property_names(rows)
    private = [row for part in private_shares().values() for row in part]
    heads = [[row for part in shares().values() for row in part] for shares in OPENINGS.values()]
    states.add([text for head in heads for text, _ in head], log)
    fitted = Fitted(
        fit_sentences(states, rows, names),
        fit_tags(states, rows),
        names,
        fit_private(states, private),
        *(fit_opening(states, head) for head in heads),
    )
    log(f"{len(rows)} sentences fitted, {len(names)} properties")
    return fitted


def judge(states: States, held: str, relations: dict[str, list[Pair]], epochs: int, log: Callable[[str], None]) -> None:
    """Print the figures on one author, by weights fitted without it."""
    readings = sentences()
    fitted = fit_reading(states, [row for name, rows in readings.items() if name != held for row in rows], log)
    if held in readings:
        judge_reading(states, held, readings[held], fitted, log)
    if held in relations:
        texts = [text for rows in relations.values() for row in rows for text in row[:2]]
        read = read_all(states, fitted.sentence, fitted.tagger, texts)
        others = {name: rows for name, rows in relations.items() if name != held}
        pair = fit_relations(states, others, read, epochs, log)
        rows = [row for row in relations[held] if row.weight == 1.0]
        found = relations_of(states, pair, [(row.earlier, row.later) for row in rows], read).argmax(1)
        gold, predicted = [row.relation for row in rows], [RELATIONS[int(one)] for one in found]
        log(f"{held}: macro F1 {macro_f1(gold, predicted):.3f} of {len(rows)} pairs")


def judge_reading(
    states: States, held: str, rows: Sequence[Sentence], fitted: Fitted, log: Callable[[str], None]
) -> None:
    """Print how well the sentences of an author are read."""
    read = read_all(states, fitted.sentence, fitted.tagger, [row.text for row in rows])
    start = 0
    for head, classes in HEADS.items():
        part = [
            (getattr(row, head), classes[int(read[row.text].labels[start : start + len(classes)].argmax())])
            for row in rows
        ]
        known = [(gold, found) for gold, found in part if gold in classes]
        right = sum(gold == found for gold, found in known)
        log(f"{held} {head}: accuracy {right / max(1, len(known)):.3f} of {len(known)}")
        start += len(classes)
    for tag, name in ((SUBJECT, "subject"), (VALUE, "value")):
        hits = seen = marked = 0
        for row in rows:
            gold = tags_of(states, row)
            if gold is not None and (gold == tag).any():
                mine = read[row.text].tags.argmax(-1).numpy()
                hits, seen = hits + ((mine == tag) & (gold == tag)).sum(), seen + (gold == tag).sum()
                marked += (mine == tag).sum()
        log(f"{held} {name}: F1 of tokens {2 * hits / max(1, seen + marked):.3f}")
    with torch.no_grad():
        directions = fitted.sentence.names(states.meanings(fitted.names))
    known = [row for row in rows if row.attribute in fitted.names]
    right = [fitted.names[int((directions @ read[row.text].attribute).argmax())] == row.attribute for row in known]
    log(f"{held} property: accuracy {sum(right) / max(1, len(right)):.3f} of {len(right)}")


Labelled = dict[str, list[tuple[str, float]]]


def judge_private(states: States, log: Callable[[str], None]) -> None:
    """Print how well private statements are told from others, each judge's by the others' labels."""

    def points(texts: Sequence[str]) -> Tensor:
        return states.meanings(texts)

    judge_share("private", private_shares(), lambda rows: fit_private(states, rows), points, SURELY_PRIVATE, log)


def judge_opening(states: States, log: Callable[[str], None]) -> None:
    """Print how sentences are told that lean on others, take them back or hold beside others; each author held out."""

    def points(texts: Sequence[str]) -> Tensor:
        return torch.stack([opening(states[text]) for text in texts])

    for name, authors, sure in (
        ("leans", leaning_shares(), LEANS),
        ("continues", continues_shares(), CONTINUES),
        ("takes_back", takes_back_shares(), TAKES_BACK),
        ("several", several_shares(), SEVERAL),
        ("stands", standing_shares(), STANDS),
    ):
        states.add([text for rows in authors.values() for text, _ in rows], log)
        judge_share(name, authors, lambda rows: fit_opening(states, rows), points, sure, log)


def judge_share(
    name: str,
    labelled: Labelled,
    fit: Callable[[Sequence[tuple[str, float]]], nn.Linear],
    points: Callable[[Sequence[str]], Tensor],
    sure: float,
    log: Callable[[str], None],
) -> None:
    """Print precision and recall of a probability from one half, and from where it is acted on, by held-out file."""
    for held, rows in labelled.items():
        head = fit([row for other, part in labelled.items() if other != held for row in part])
        known = [(text, share) for text, share in rows if share in (0, 1)]
        with torch.no_grad():
            found = torch.sigmoid(head(points([text for text, _ in known])))[:, 0]
        gold = torch.tensor([share == 1 for _, share in known])
        for least in (0.5, sure):
            mine = found >= least
            precision, recall = (float((mine & gold).sum() / part.sum()) for part in (mine, gold))
            log(f"{held} {name} from {least}: precision {precision:.3f}, recall {recall:.3f} of {len(known)}")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("model", choices=sorted(LAYERS))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--judge", nargs="*", metavar="AUTHOR", help="hold these authors out, or each in turn")
    parser.add_argument("--without", nargs="*", default=[], metavar="FILE", help="leave these files of pairs out")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--head", choices=sorted(OPENINGS), help="fit only this head, in --out")
    chosen = parser.parse_args()
    torch.set_num_threads(1)

    def log(line: str) -> None:
        print(line, flush=True)

    states, readings = States(chosen.models, chosen.model), sentences()
    if chosen.head:
        add_head(states, chosen.out, chosen.head, log)
        return
    relations = {name: rows for name, rows in all_pairs(states).items() if name not in chosen.without}
    texts = [text for rows in relations.values() for row in rows for text in row[:2]]
    states.add([*texts, *(row.text for rows in readings.values() for row in rows)], log)
    if chosen.judge is not None:
        judge_private(states, log)
        judge_opening(states, log)
        for held in chosen.judge or [*readings, *relations]:
            judge(states, held, relations, chosen.epochs, log)
        return
    fitted = fit_reading(states, [row for rows in readings.values() for row in rows], log)
    read = read_all(states, fitted.sentence, fitted.tagger, texts)
    pair = fit_relations(states, relations, read, chosen.epochs, log)
    save(chosen.out, states, fitted, pair)


if __name__ == "__main__":
    main()

"""Fit the reader of secrets in context, and write its file of weights.

Takes: the texts of `data/secrets`, and turns and utterances of `data` as texts without secrets. Gives:
`src/dopejar/governance/redaction/data/secret_weights.bin`, and with `--judge` how much of the texts of each author is
found by weights that were fitted without them. Never: reads a set in `benchmarks/data`.

    python -m training.secret_weights --out src/dopejar/governance/redaction/data/secret_weights.bin [--judge 7 8]

A hidden layer of 16 over the sum of the vectors of hashed features; half of the features are left out at random while
it is fitted. Every secret is replaced by others in the same place, and every id of a look-alike, so that what is
learned is the look and the place of a value. PyTorch fits it; reading needs no package.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from dopejar.governance.redaction.placeholders import is_placeholder
from dopejar.governance.redaction.redactor import read_spans, ruled_spans
from dopejar.governance.redaction.secret_atoms import public_parts
from dopejar.governance.redaction.secret_features import Surroundings
from dopejar.governance.redaction.secret_reader import (
    BUCKETS,
    HEADER,
    WIDTH,
    ZERO,
    Held,
    Weights,
    bucket_of,
    read_weights,
)
from training.secret_texts import (
    SECRETS,
    Text,
    Values,
    foreign_words,
    ordinary_texts,
    other_ids,
    other_values,
    read_file,
    template_texts,
    together,
)

EPOCHS, BATCH, RATE = 14, 512, 0.004
LEFT_OUT = 0.5  # of the features of an atom, while fitting
THRESHOLD = 1.5  # the least score of a secret, chosen on held-out authors
LARGEST = 127
FORMS = "0"  # the file of forms that tests state; each counts several times
PER_TEMPLATE = 5
ORDINARY = 4000  # turns
SHARE = 0.3  # of their atoms that are fitted with
WHOLE = ("ordinary_pages", "ordinary_sessions")  # files of which every atom is

Array = npt.NDArray[np.float32]


class Row(NamedTuple):
    """The buckets of an atom's features, whether it is a secret, and how much it counts."""

    buckets: npt.NDArray[np.int64]
    is_secret: bool
    weight: float


def rows_of(text: Text, pairs: Sequence[int], on: float, off: float, share: float, rng: Random) -> Iterator[Row]:
    """The atoms that the reader would look at; `on` and `off` are the weights of secrets and of the rest."""
    known = [(start, end) for start, end, _ in ruled_spans(text.text)[0]]
    around = Surroundings(text.text, 0, len(text.text), pairs)
    held, apart = Held(known), Held(public_parts(text.text))
    taken: list[int] = []
    for place, atom in enumerate(around.atoms):
        inside = sum(max(0, min(atom.end, end) - max(atom.start, start)) for start, end in text.spans)
        is_secret = 2 * inside > atom.end - atom.start
        if atom.is_mark or held.overlaps(atom):
            taken.append(place)
            continue
        is_behind = bool(taken) and taken[-1] == place - 1
        is_read = around.may_be_secret(place, is_behind_one=is_behind, widely=True) and not apart.overlaps(atom)
        if is_read and not is_placeholder(atom.text) and (share == 1 or rng.random() < share):
            features = around.features(place, taken)
            yield Row(np.array([bucket_of(one) for one in features], np.int64), is_secret, on if is_secret else off)
        if is_secret:
            taken.append(place)


def marked(text: Text, rng: Random) -> Text:
    """The text as an earlier redaction left it."""
    made, at = "", 0
    for start, end in sorted(text.spans):
        if start >= at:
            made += text.text[at:start] + f"[redacted:{rng.choice(['password', 'secret', 'pin', 'api-key'])}]"
            at = end
    return Text(made + text.text[at:], [], text.author)


def pair_costs(texts: Iterable[str]) -> list[int]:
    """How unusual each pair of neighbouring letters is in words: eighths of bits."""
    counts = np.full((26, 26), 0.5)
    for text in texts:
        for word in re.findall("[a-z]+", text.lower()):
            for one, two in pairwise(word):
                counts[ord(one) - 97, ord(two) - 97] += 1
    shares = counts / counts.sum(1, keepdims=True)
    return [int(cost) for cost in np.clip(np.rint(-np.log2(shares) * 8), 0, 127).ravel()]


def author_rows(texts: Sequence[Text], pairs: Sequence[int], values: Values) -> Iterator[Row]:
    """The texts of one author, as they are and made again."""
    rng = values.rng
    harmless = [text for text in texts if not text.spans]
    heavy = 8.0 if texts[0].author == FORMS else 1.0
    for text in texts:
        if not text.spans:
            yield from rows_of(text, pairs, 1.0, 3.0 * heavy, 1, rng)
            for _ in range(2):
                yield from rows_of(other_ids(text, rng), pairs, 1.0, 1.5, 1, rng)
            continue
        yield from rows_of(text, pairs, 2.0 * heavy, 1.0 * heavy, 1, rng)
        for _ in range(3):
            yield from rows_of(other_values(text, values), pairs, 0.7, 0.3, 1, rng)
        if rng.random() < 0.5 and harmless:
            yield from rows_of(together(text, rng.choice(harmless), rng), pairs, 1.0, 1.0, 0.5, rng)
        yield from rows_of(marked(text, rng), pairs, 1.0, 0.5, 0.5, rng)


class Corpus(NamedTuple):
    """The rows of each author, and those that belong to none; the texts of each author."""

    rows: dict[str, list[Row]]
    texts: dict[str, list[Text]]
    pairs: list[int]


def read_corpus(seed: int) -> Corpus:
    """Every text, as it is and with other values."""
    rng = Random(seed)
    turns = ordinary_texts()
    rng.shuffle(turns)
    pairs = pair_costs(turns[:8000])
    words = {word for turn in turns for word in re.findall(r"(?<![\w'])[a-z]{3,9}(?![\w'])", turn)} | foreign_words()
    values = Values(rng, sorted(words))
    texts: dict[str, list[Text]] = {}
    for path in sorted([*SECRETS.glob("secrets_*.txt"), *SECRETS.glob("lookalikes_*.txt")]):
        for text in read_file(path):
            texts.setdefault(text.author, []).append(text)
    rows = {author: list(author_rows(own, pairs, values)) for author, own in texts.items()}
    common = rows[""] = list[Row]()
    for text in template_texts(values, PER_TEMPLATE):
        common += rows_of(text, pairs, 0.6, 0.6, 1, rng)
    for turn in turns[:ORDINARY]:
        common += rows_of(Text(turn, [], ""), pairs, 1.0, 1.0, SHARE, rng)
    for path in sorted(SECRETS.glob("ordinary_*.txt")):
        for text in read_file(path):
            common += rows_of(text, pairs, 1.0, 1.0, 1 if path.stem in WHOLE else SHARE, rng)
    return Corpus(rows, texts, pairs)


class Net(torch.nn.Module):
    """The sum of the features' vectors, a hidden layer, and one dimension that goes past it."""

    def __init__(self) -> None:
        super().__init__()
        self.vectors = torch.nn.EmbeddingBag(BUCKETS, WIDTH + 1, mode="sum")
        torch.nn.init.normal_(self.vectors.weight, 0, 0.03)
        self.biases = torch.nn.Parameter(torch.zeros(WIDTH))
        self.outputs = torch.nn.Parameter(torch.randn(WIDTH) * 0.5)
        self.bias = torch.nn.Parameter(torch.full((1,), -1.0))

    def forward(self, buckets: torch.Tensor, offsets: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """The scores."""
        total = self.vectors(buckets, offsets, kept)
        return torch.relu(total[:, :WIDTH] + self.biases) @ self.outputs + total[:, WIDTH] + self.bias


def fit(rows: Sequence[Row], seed: int) -> Net:
    """The network for these rows."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    sizes = np.array([len(row.buckets) for row in rows])
    begins = np.concatenate([[0], np.cumsum(sizes)])
    flat = np.concatenate([row.buckets for row in rows])
    labels = np.array([row.is_secret for row in rows], np.float32)
    weights = np.array([row.weight for row in rows], np.float32)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=RATE)
    steps, step = EPOCHS * (len(rows) // BATCH + 1), 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(rows))
        for at in range(0, len(rows), BATCH):
            some = order[at : at + BATCH]
            length = sizes[some]
            offsets = np.concatenate([[0], np.cumsum(length)[:-1]])
            buckets = torch.from_numpy(flat[np.repeat(begins[some] - offsets, length) + np.arange(length.sum())])
            kept = (torch.rand(len(buckets)) > LEFT_OUT).float() / (1 - LEFT_OUT)
            scores = net(buckets, torch.from_numpy(offsets), kept)
            losses = torch.nn.functional.binary_cross_entropy_with_logits(
                scores, torch.from_numpy(labels[some]), reduction="none"
            )
            for group in optimizer.param_groups:
                group["lr"] = RATE * (1 - step / steps)
            optimizer.zero_grad()
            (losses * torch.from_numpy(weights[some])).mean().backward()
            optimizer.step()
            step += 1
    return net


def packed(net: Net, pairs: Sequence[int], least: float) -> bytes:
    """The file of weights."""
    vectors = net.vectors.weight.detach().numpy()
    scale = float(np.quantile(np.abs(vectors), 0.9999)) / LARGEST
    numbers = [*net.biases.tolist(), *net.outputs.tolist(), net.bias.item(), scale, least]
    whole = np.clip(np.rint(vectors / scale), -LARGEST, LARGEST).astype(np.int16) + ZERO
    return HEADER.pack(*numbers) + bytes(pairs) + whole.astype(np.uint8).tobytes()


def judge(corpus: Corpus, author: str, seed: int, leasts: Sequence[float]) -> dict[str, tuple[float, float]]:
    """The shares of one author's texts whose secrets go, and of look-alikes that change, by the least score.

    The weights are fitted without the author's texts.
    """
    rows = [row for other, own in corpus.rows.items() if other != author for row in own]
    kept = read_weights(packed(fit(rows, seed), corpus.pairs, 0.0))
    shares = {}
    for least in leasts:
        passed = [is_passed(text, kept._replace(least=least)) for text in corpus.texts[author]]
        secret = [one for one, text in zip(passed, corpus.texts[author], strict=True) if text.spans]
        harmless = [one for one, text in zip(passed, corpus.texts[author], strict=True) if not text.spans]
        shares[str(least)] = round(float(np.mean(secret)), 4), round(1 - float(np.mean(harmless)), 4)
    return shares


def is_passed(text: Text, weights: Weights) -> bool:
    """Whether no secret remains whole, or a text without any stays as it is."""
    found, words, runs = ruled_spans(text.text)
    found += read_spans(text.text, words, runs, found, weights)
    if not text.spans:
        return not found
    return all(any(first < end and start < last for first, last, _ in found) for start, end in text.spans)


def main() -> None:
    """Write the file, print the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, help="the file of weights to write")
    parser.add_argument("--judge", nargs="*", default=[], help="authors to hold out, one after another")
    parser.add_argument("--least", nargs="*", type=float, default=[THRESHOLD], help="least scores to judge with")
    options = parser.parse_args()
    corpus = read_corpus(0)
    for author in options.judge:
        print(
            json.dumps(
                {"author": author, "secrets gone, look-alikes changed": judge(corpus, author, 0, options.least)}
            ),
            flush=True,
        )
    if options.out:
        net = fit([row for own in corpus.rows.values() for row in own], 0)
        options.out.write_bytes(packed(net, corpus.pairs, THRESHOLD))


if __name__ == "__main__":
    main()

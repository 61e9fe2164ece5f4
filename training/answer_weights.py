"""Fit the reader of answers: whether a text answers a question, both read in one pass.

Takes: the questions of `data/asked` and `data/answers`, and a folder with installed models. Gives: the weights file of
`src/dopejar/adapters/readers/data`. Never: reads a benchmark's data.

    python -m training.answer_weights MODELS --out FILE                              # hours on two cores
    python -m training.answer_weights MODELS --out FILE --without asked/chats_1 ...  # without these files

All layers of the encoder are adapted by low-rank factors; one hidden layer reads the first token and the mean of the
last states. A question is fitted with what answers it and with what is nearest to it of the same person or
conversation by MiniLM's cosine; beside the loss of each pair, the best of the answers, or none, has to win against all
others. Needs PyTorch 2.13.0 or newer.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.embedders.tensor_file import read_tensors
from dopejar.adapters.embedders.weights import MINILM
from dopejar.adapters.embedders.wordpiece import WordPiece
from dopejar.adapters.readers.answer_reader import LONGEST
from training.adapted_encoder import AdaptedEncoder
from training.floor_weights import domains_of
from training.packed_weights import packed

MODEL = MINILM
DATA = Path(__file__).parent / "data"
RANK = 16
WIDTH = 128
PARTS = 2  # of a step of the weights: how finely they are kept
SEED = 0
RATE = 1e-3
WARM_UP = 50  # steps
QUESTIONS = 24  # of one step
EPOCHS = 5
NEAREST = 12  # texts of the same person or conversation, some of which a question is set against
CANDIDATES = 8  # texts of a question, its answers among them
ANSWERS = 3  # at most
GENERAL = 6  # questions that nothing answers, for each person or conversation
OF_GENERAL = 4  # texts of these
SMOOTHING = 0.02
SHARE_OF_BEST = 0.5  # of the loss
Ids = list[int]


class Group(NamedTuple):
    """A question beside some texts: the token ids of both, and whether each text answers (1) or not (0)."""

    pairs: list[tuple[Ids, Ids]]
    labels: list[float]

    @property
    def length(self) -> int:
        """The tokens of the longest pair."""
        return max(len(first) + len(second) for first, second in self.pairs)


class AnswerNet(nn.Module):
    """The adapted encoder with one hidden layer over its first token and its mean."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.encoder = AdaptedEncoder(read_tensors(folder / MODEL.weights_file), MODEL.heads, 0, RANK)
        width = self.encoder.tensors["embeddings.LayerNorm.weight"].shape[0]
        self.hidden = nn.Linear(2 * width, WIDTH)
        self.out = nn.Linear(WIDTH, 1)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The logits of each pair."""
        rows = self.encoder(ids, mask, (self.encoder.layers,))
        mean = (rows * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return self.out(F.relu(self.hidden(torch.cat([rows[:, 0], mean], -1))))


def answer_groups(folder: Path, without: Collection[str]) -> Callable[[random.Random], Iterator[Group]]:
    """Each question with its answers and some of its nearest texts, drawn anew at every call."""
    embedder = SentenceEmbedder(folder, MODEL)
    tokenizer = WordPiece.read(folder / MODEL.vocabulary_file)
    paths = sorted([*DATA.glob("asked/*.txt"), *DATA.glob("answers/[!g]*.txt")])
    kept = [path for path in paths if f"{path.parent.name}/{path.stem}" not in without]
    domains, _ = domains_of(kept)
    _, general = domains_of([DATA / "answers" / "general.txt"])
    chance = random.Random(SEED)
    known: list[tuple[Ids, list[Ids], tuple[int, ...], list[int], bool]] = []
    for domain in domains:
        named = set(domain.names)
        texts = [f"{turn.speaker}: {turn.text}" if turn.speaker in named else turn.text for turn in domain.turns]
        tokens = [tokenizer.encode(text, LONGEST[1]) for text in texts]
        asked = [(one.text, one.answers, False) for one in domain.questions]
        asked += [(text, (), True) for text in chance.sample(general, GENERAL)]
        order = np.argsort(-(embedder.embed([text for text, _, _ in asked]) @ embedder.embed(texts).T), axis=1)
        for (text, answers, is_general), nearest in zip(asked, order.tolist(), strict=True):
            known.append((tokenizer.encode(text, LONGEST[0]), tokens, answers, nearest, is_general))

    def draw(chance: random.Random) -> Iterator[Group]:
        for question, tokens, answers, nearest, is_general in known:
            right = list(answers[:ANSWERS])
            others = [place for place in nearest[: 2 * NEAREST] if place not in answers][:NEAREST]
            chance.shuffle(others)
            wrong = others[: OF_GENERAL - 1 if is_general else CANDIDATES - len(right) - 1]
            rest = [place for place in range(len(tokens)) if place not in answers and place not in wrong]
            wrong += [chance.choice(rest)] if rest else []
            pairs = [(question, tokens[place]) for place in (*right, *wrong)]
            yield Group(pairs, [1.0] * len(right) + [0.0] * len(wrong))

    return draw


def answer_loss(logits: Tensor, part: Sequence[Group]) -> Tensor:
    """The loss of each pair, and of the best of each question, where 0 stands for no answer."""
    odds = logits[:, 0]
    labels = torch.tensor([label for group in part for label in group.labels])
    loss = F.binary_cross_entropy_with_logits(odds, labels * (1 - 2 * SMOOTHING) + SMOOTHING)
    best, start = [], 0
    for group in part:
        row, wanted = odds[start : start + len(group.pairs)], labels[start : start + len(group.pairs)]
        start += len(group.pairs)
        shares = torch.cat([row.new_zeros(1), row]).log_softmax(-1)
        best.append(-(shares[1:] * wanted).sum() / wanted.sum() if wanted.any() else -shares[0])
    return loss + SHARE_OF_BEST * torch.stack(best).mean()


def fit(net: AnswerNet, draw: Callable[[random.Random], Iterator[Group]]) -> None:
    """Fit the net; prints the loss of each epoch."""
    rng = random.Random(SEED)
    plan = [part for _ in range(EPOCHS) for part in _batches(list(draw(rng)), rng)]
    optimizer = torch.optim.AdamW(net.parameters(), RATE, weight_decay=0.01)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / WARM_UP) * max(0.02, 1 - step / len(plan))
    )
    net.train()
    total, start = 0.0, time.monotonic()
    for step, part in enumerate(plan, start=1):
        logits = net(*_padded([pair for group in part for pair in group.pairs]))
        loss = answer_loss(logits, part)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        rate.step()
        total += loss.item()
        if step % 100 == 0:
            print(f"step {step} of {len(plan)}: loss {total / 100:.3f}, {time.monotonic() - start:.0f} s", flush=True)
            total = 0.0


def _batches(groups: list[Group], rng: random.Random) -> list[list[Group]]:
    rng.shuffle(groups)
    found = []
    for start in range(0, len(groups), 16 * QUESTIONS):
        part = sorted(groups[start : start + 16 * QUESTIONS], key=lambda group: group.length)
        found += [part[at : at + QUESTIONS] for at in range(0, len(part), QUESTIONS)]
    rng.shuffle(found)
    return found


def _padded(pairs: Sequence[tuple[Ids, Ids]]) -> tuple[Tensor, Tensor]:
    joined = [first + second[1:] for first, second in pairs]
    ids = np.zeros((len(joined), max(map(len, joined))), dtype=np.int64)
    for row, one in enumerate(joined):
        ids[row, : len(one)] = one
    mask = np.arange(ids.shape[1])[None, :] < np.array([len(one) for one in joined])[:, None]
    return torch.from_numpy(ids), torch.from_numpy(mask)


def save(out: Path, net: AnswerNet) -> None:
    """Write the net and the factors."""
    heads = {name: value for name, value in net.state_dict().items() if not name.startswith("encoder.")}
    arrays = heads | net.encoder.factors()
    np.savez_compressed(out, **packed(arrays, PARTS))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--without", nargs="*", default=[], metavar="FILE", help="leave these files out")
    chosen = parser.parse_args()
    torch.manual_seed(SEED)
    folder = chosen.models / MODEL.name
    net = AnswerNet(folder)
    fit(net, answer_groups(folder, chosen.without))
    save(chosen.out, net)


if __name__ == "__main__":
    main()

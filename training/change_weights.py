"""Fit the reader of changes: which name took the place of which.

Takes: the sentences in `data/changes`, the turns in `data/reader`, and a folder with installed models. Gives: the
weights file of `src/dopejar/adapters/readers/data`, and figures on each file held out. Never: reads a benchmark's data.

    python -m training.change_weights MODELS minilm-l6-v2 --out FILE            # all files, some minutes on one core
    python -m training.change_weights MODELS minilm-l6-v2 --out FILE --judge    # each file held out, too

The encoder stays as it is. A sentence is said several times, of different names, with other words before and behind
it. Needs PyTorch 2.13.0 or newer.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder, UnitStates
from dopejar.adapters.readers.change_reader import (
    LONGEST,
    FittedChangeReader,
    MaskedText,
    layers_of,
    mask,
    pair_row,
)
from dopejar.adapters.readers.weights_file import LAYERS
from dopejar.text.normalisation import fold
from dopejar.text.sentences import sentences
from training.packed_weights import packed
from training.reader_data import MarkedTurn, first_turns, turns_of
from training.reader_weights import MODELS

DATA = Path(__file__).parent / "data" / "changes"
PAIR = 24
DROPOUT = 0.4
EPOCHS = 15
BATCH = 64
SAID = 4  # times that a sentence is said
BESIDE = 0.35  # how often words stand before it, and behind it
SEED = 0
TURN_GROUPS = 4  # of authors of turns, each held out in turn
SLOT = re.compile(r"\{([onxyz])\}")
Array = npt.NDArray[np.float32]


class Example(NamedTuple):
    """A sentence with its change, as the net sees it."""

    text: str
    renamed: tuple[str, str] | None
    masked: MaskedText
    seen: UnitStates


class ChangeNet(nn.Module):
    """Of two names whether one took the place of the other."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.pair = nn.ModuleDict({"hidden": nn.Linear(3 * width, PAIR), "out": nn.Linear(PAIR, 3)})
        self.drop = nn.Dropout(DROPOUT)

    def names(self, rows: Tensor) -> Tensor:
        """The logits of pairs of names: apart, the first is older, the second is older."""
        return self.pair["out"](self.drop(F.relu(self.pair["hidden"](self.drop(rows)))))


def said(template: str, dice: random.Random, words: Mapping[str, Sequence[str]]) -> tuple[str, dict[str, str]]:
    """The sentence, and what its slots say."""
    names = dice.sample(words[dice.choice(("names", "names", "services", "companies"))], 5)
    fill = dict(zip("onxyz", names, strict=True))
    if dice.random() < BESIDE:
        opening = dice.choice(words["openings"]).rstrip() + " "
        is_word = template[0].isupper() and not template.startswith("{")
        template = opening + (template[0].lower() + template[1:] if is_word else template)
    if dice.random() < BESIDE:
        closing = re.search(r"[.!?]*$", template)
        at = closing.start() if closing else len(template)
        template = template[:at] + dice.choice(words["endings"]) + template[at:]
    return SLOT.sub(lambda slot: fill[slot[1]], template), {slot: fill[slot] for slot in SLOT.findall(template)}


def read(path: Path, embedder: SentenceEmbedder, layers: Sequence[int]) -> list[Example]:
    """The sentences of one file, each said several times."""
    dice = random.Random(f"{SEED} {path.stem}")
    words = {part.stem: part.read_text("utf-8").splitlines() for part in DATA.glob("words/*.txt")}
    templates = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    told = [said(template, dice, words) for template in templates for _ in range(SAID)]
    read_so = [(text, slots, masked) for text, slots in told if (masked := mask(text)) is not None]
    states = embedder.unit_states([masked.text for _, _, masked in read_so], layers, LONGEST)
    return [_example(*one, seen) for one, seen in zip(read_so, states, strict=True)]


def read_turns(paths: Sequence[Path], embedder: SentenceEmbedder, layers: Sequence[int]) -> list[Example]:
    """Sentences of two names or more in turns, where nothing lasts: no name took the place of another for good."""
    texts = [text for path in paths for turn in turns_of(path) for text in _passing(turn)]
    read_so = [(text, masked) for text in texts if (masked := mask(text)) is not None]
    states = embedder.unit_states([masked.text for _, masked in read_so], layers, LONGEST)
    return [
        Example(text, None, masked, seen) for (text, masked), seen in zip(read_so, states, strict=True) if seen.units
    ]


def _passing(turn: MarkedTurn) -> Iterator[str]:
    for piece in sentences(turn.text):
        if not any(span.start < piece.end and piece.start < span.end for span in turn.spans):
            yield piece.text


def _example(text: str, slots: Mapping[str, str], masked: MaskedText, seen: UnitStates) -> Example:
    renamed = (slots["o"], slots["n"]) if {"o", "n"} <= set(slots) else None
    return Example(text, renamed, masked, seen)


def pairs_of(rows: Sequence[Example]) -> tuple[Array, npt.NDArray[np.int_]]:
    """The pairs of names in the sentences: their states, and which one is older."""
    found, sides = [], []
    for row in rows:
        names = {span.text: fold(name) for span, name in row.masked.names}
        wanted = tuple(map(fold, row.renamed)) if row.renamed else ()
        for one, other in row.masked.pairs():
            found.append(pair_row(row.masked, row.seen, (one, other)))
            pair = (names[one], names[other])
            sides.append(1 if pair == wanted else 2 if pair[::-1] == wanted else 0)
    return np.stack(found).astype(np.float32), np.array(sides)


def fit(rows: Sequence[Example]) -> dict[str, Array]:
    """The weights of the head."""
    torch.manual_seed(SEED)
    net = ChangeNet(rows[0].seen.states.shape[1])
    states, sides = pairs_of(rows)
    mean, spread = states.mean(0), states.std(0) + 1e-3
    inputs, labels = torch.from_numpy((states - mean) / spread), torch.from_numpy(sides)
    _descend(
        net, len(inputs), lambda part: F.cross_entropy(net.names(inputs[part]), labels[part], label_smoothing=0.05)
    )
    found = {name: value.numpy() for name, value in net.eval().state_dict().items()}
    weight = found["pair.hidden.weight"] / spread
    found["pair.hidden.bias"] = found["pair.hidden.bias"] - weight @ mean
    return {**found, "pair.hidden.weight": weight}


def _descend(net: ChangeNet, count: int, loss_of: Callable[[Tensor], Tensor]) -> None:
    optimizer = torch.optim.AdamW(net.parameters(), 1.5e-3, weight_decay=0.05)
    for _ in range(EPOCHS):
        for part in torch.randperm(count).split(BATCH):
            loss = loss_of(part)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def save(out: Path, weights: Mapping[str, Array]) -> None:
    """Write the weights."""
    np.savez_compressed(out, **packed(weights))


def figures(reader: FittedChangeReader, rows: Sequence[Example]) -> str:
    """Names that were tied, those with the right one as the older, and names tied in excess."""
    read_so = reader.changes([row.text for row in rows])
    names = [(row.renamed, one.renamed) for row, one in zip(rows, read_so, strict=True) if len(row.masked.names) > 1]
    wanted = [(set(truth), truth, got) for truth, got in names if truth] or [(set[str](), ("", ""), None)]
    tied = sum(got is not None and set(got) == pair for pair, _, got in wanted)
    right = sum(got == truth for _, truth, got in wanted)
    excess = [got for truth, got in names if truth is None] or [None]
    return (
        f"names tied {tied / len(wanted):.3f}, right {right / len(wanted):.3f} of {len(wanted)},"
        f" in excess {sum(map(bool, excess)) / len(excess):.3f} of {len(excess)}"
    )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("model", choices=sorted(LAYERS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--judge", action="store_true", help="hold each file out in turn")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    embedder = SentenceEmbedder(chosen.models / chosen.model, MODELS[chosen.model])
    layers = layers_of(chosen.model)
    parts = {path.stem: read(path, embedder, layers) for path in sorted(DATA.glob("*.txt"))}
    paths = first_turns()
    for group in range(TURN_GROUPS):
        parts[f"turns {group}"] = read_turns(paths[group::TURN_GROUPS], embedder, layers)
    save(chosen.out, fit([row for rows in parts.values() for row in rows]))
    scratch = chosen.out.with_suffix(".held.npz")
    for held, part in parts.items() if chosen.judge else ():
        save(scratch, fit([row for name, rows in parts.items() if name != held for row in rows]))
        print(held, figures(FittedChangeReader(embedder, chosen.model, scratch), part), flush=True)


if __name__ == "__main__":
    main()

"""Fit the nets that read pairs of statements on with pairs that were written since, from packaged weights.

Takes: a weights file of the statement reader, names of files of `data/reader` or `data/rests`, and a folder with
installed models.
Gives: the weights file with both nets of pairs fitted on, and with the head that tells what holds beside another of its
kind fitted anew; everything else in it stays byte for byte. Never: reads a benchmark's data.

    python -m training.pair_continuation MODELS --weights FILE --files NAME ... --out FILE [--judge NAME ...]
    python -m training.pair_continuation MODELS --weights FILE --files NAME ... --judge NAME ... --shares .25 .5 1

Each net sees the new pairs, and of the others a share that is drawn again for each pass, so that it keeps what it
knows; then the mean of its weights before and after counts (Wortsman et al. 2022, arXiv 2109.01903).
Needs PyTorch 2.13.0 or newer.
"""

from __future__ import annotations

import argparse
import copy
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from dopejar.adapters.readers.weights_file import read_weights
from training.packed_weights import packed
from training.reader_data import EITHER, RELATIONS, SIDE_BY_SIDE, Pair, several_shares
from training.reader_weights import (
    RATE,
    SEED,
    PairNet,
    PairNets,
    Reading,
    SentenceNet,
    States,
    TagNet,
    all_pairs,
    fit_opening,
    fit_pairs,
    macro_f1,
    read_all,
    relations_of,
)
from training.rest_data import RESTS, pairs_of_rests

MODEL = "minilm-l6-v2"
KEPT = 0.15  # of the pairs that were fitted before, seen again in a pass
PASSES = 3


def load(net: nn.Module, arrays: Mapping[str, np.ndarray], part: str) -> nn.Module:
    """The net with its packaged weights."""
    own = {name.removeprefix(f"{part}."): value for name, value in arrays.items() if name.startswith(f"{part}.")}
    net.load_state_dict({name: torch.from_numpy(value) for name, value in own.items()}, strict=False)
    return net.eval()


def fit_onward(
    states: States,
    net: PairNet,
    new: Sequence[Pair],
    known: Sequence[Pair],
    read: dict[str, Reading],
    log: Callable[[str], None],
) -> PairNet:
    """The mean of the net and of the same one fitted on with the new pairs among some of the known ones."""
    torch.manual_seed(SEED)
    onward, rng = copy.deepcopy(net), random.Random(SEED)
    for _ in range(PASSES):
        rows = [*new, *new, *rng.sample(list(known), int(KEPT * len(known)))]
        fit_pairs(states, onward, rows, read, 1, RATE / 2, log)
    after = onward.state_dict()
    mean = copy.deepcopy(net)
    mean.load_state_dict({name: (value + after[name]) / 2 for name, value in net.state_dict().items()})
    return mean.eval()


def score(states: States, nets: PairNets, rows: Sequence[Pair], read: dict[str, Reading]) -> str:
    """Macro F1 of pairs, how many of those that end or update were found, and how many of the others were taken so."""
    odds = np.exp(relations_of(states, nets, [(row.earlier, row.later) for row in rows], read))
    found = odds / odds.sum(1, keepdims=True)
    after = [RELATIONS.index("update"), RELATIONS.index("end")]
    told, likeliest = [row.relation.split(EITHER) for row in rows], [RELATIONS[int(one)] for one in found.argmax(1)]
    sure = found[:, after].sum(1) >= 0.6
    is_after = np.array([one[0] in ("update", "end") for one in told])
    gold = [mine if mine in one else one[0] for one, mine in zip(told, likeliest, strict=True)]
    f1 = macro_f1(gold, likeliest)
    right, wrong = sure[is_after].sum(), sure[~is_after].sum()
    return f"F1 {f1:.3f}, out of date {right}/{is_after.sum()}, wrongly {wrong}/{(~is_after).sum()}"


def share_of(pairs: Sequence[Pair], share: float) -> list[Pair]:
    """The pairs of a share of the earlier statements; a smaller share lies in every larger one."""
    earlier = sorted({pair.earlier for pair in pairs})
    random.Random(SEED).shuffle(earlier)
    kept = set(earlier[: round(share * len(earlier))])
    return [pair for pair in pairs if pair.earlier in kept]


def head_of_several(states: States, log: Callable[[str], None]) -> dict[str, np.ndarray]:
    """The weights of the head that tells statements beside which another of their kind holds, from all its files."""
    rows = [row for part in several_shares().values() for row in part]
    states.add([text for text, _ in rows], log)
    head = fit_opening(states, rows).state_dict()
    return packed({f"several.{name}": value for name, value in head.items()})


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--files", nargs="+", required=True, help="names of the files to fit on with")
    parser.add_argument("--judge", nargs="*", default=[], help="files held out, whose figures are printed")
    parser.add_argument("--without", nargs="*", default=[], help="files that are not seen at all")
    parser.add_argument("--shares", nargs="+", type=float, default=[1.0], help="of --files; each is fitted and judged")
    parser.add_argument("--out", type=Path, help="for the nets of the last share")
    chosen = parser.parse_args()
    torch.set_num_threads(1)

    def log(line: str) -> None:
        print(line, flush=True)

    states = States(chosen.models, MODEL)
    rests = [name for name in (*chosen.files, *chosen.judge) if name.startswith(RESTS.name)]
    relations = all_pairs(states) | {name: pairs_of_rests(RESTS / f"{name}.txt") for name in rests}
    texts = [text for rows in relations.values() for row in rows for text in row[:2]]
    states.add(texts, log)
    known_weights = read_weights(chosen.weights)
    sentence = load(SentenceNet(states.width, len(states.meanings(["name"])[0])), known_weights, "sentence")
    read = read_all(states, sentence, load(TagNet(states.width), known_weights, "tags"), texts)
    nets = (
        load(PairNet(states.width), known_weights, "pair"),
        load(PairNet(states.width, drops_features=True), known_weights, "things"),
    )
    held = {name: [row for row in relations[name] if row.weight == 1.0] or relations[name] for name in chosen.judge}
    for name, rows in held.items():
        log(f"{name} before: {score(states, nets, rows, read)}")
    written = [row for name in chosen.files for row in relations[name]]
    known = {name: rows for name, rows in relations.items() if name not in (*chosen.files, *chosen.without, *held)}
    plain = [row for name, rows in known.items() if not name.startswith(SIDE_BY_SIDE) for row in rows]
    everything = [row for rows in known.values() for row in rows]
    for share in chosen.shares:
        new = share_of(written, share)
        log(f"{len(new)} new pairs, {len(everything)} known ones")
        fitted = (
            fit_onward(states, nets[0], new, plain, read, log),
            fit_onward(states, nets[1], new, everything, read, log),
        )
        for name, rows in held.items():
            log(f"{name} after: {score(states, fitted, rows, read)}")
    if chosen.out:
        arrays = dict(np.load(chosen.weights))
        for part, net in zip(("pair", "things"), fitted, strict=True):
            arrays |= packed({f"{part}.{name}": value for name, value in net.state_dict().items()})
        arrays |= head_of_several(states, log)
        np.savez_compressed(chosen.out, **arrays)


if __name__ == "__main__":
    main()

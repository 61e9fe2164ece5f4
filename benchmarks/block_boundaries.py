"""Boundaries of blocks: predictions of `dopejar bench blocks` against the sessions of the same turns.

Takes: a folder with `turns.jsonl`, and the predictions. Gives: one JSON object: precision, recall and F1 of boundaries
at one turn of tolerance, Pk and WindowDiff, beside TextTiling on the same turns. Never: shows a session to what is
measured.

    dopejar bench blocks --data DIR --out blocks.jsonl --no-times
    python -m benchmarks.block_boundaries DIR blocks.jsonl [--store NAME ...] [--but-store NAME ...]

A boundary lies before a turn whose block, or session, is another than that of the turn before. Counts are added up over
the stores; Pk and WindowDiff (less is better) are means over the stores with a boundary, with half the mean length of a
session as the window.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, pstdev

from dopejar.text.lexicons import lexicon
from dopejar.text.words import index_terms, stem

TOLERANCE = 1
BLOCK = 6  # turns on each side of a gap that TextTiling compares
SMOOTHING = 1  # gaps on each side over which scores are averaged
Boundaries = list[int]


def main() -> None:
    """Score the predictions and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("predictions", type=Path)
    parser.add_argument("--store", action="append", default=[], help="score this store; may be repeated")
    parser.add_argument("--but-store", action="append", default=[], help="leave this store out; may be repeated")
    chosen = parser.parse_args()
    stores = {
        name: rows
        for name, rows in read_stores(chosen.data / "turns.jsonl").items()
        if (not chosen.store or name in chosen.store) and name not in chosen.but_store
    }
    blocks = {
        (row["store"], row["turn_id"]): str(row["block"])
        for row in map(json.loads, chosen.predictions.read_text("utf-8").splitlines())
    }
    gold = {name: boundaries([str(row["session"]) for row in rows]) for name, rows in stores.items()}
    ours = {name: boundaries([blocks[name, row["turn_id"]] for row in rows]) for name, rows in stores.items()}
    tiling = {name: text_tiling([str(row["text"]) for row in rows]) for name, rows in stores.items()}
    lengths = {name: len(rows) for name, rows in stores.items()}
    print(
        json.dumps(
            {
                "stores": len(stores),
                "turns": sum(lengths.values()),
                "router": figures(ours, gold, lengths),
                "texttiling": figures(tiling, gold, lengths),
            },
            indent=1,
        )
    )


def read_stores(path: Path) -> dict[str, list[Mapping[str, str]]]:
    """The turns of each store, in their order."""
    stores: dict[str, list[Mapping[str, str]]] = {}
    for line in path.read_text("utf-8").split("\n"):
        if line.strip():
            row = json.loads(line)
            stores.setdefault(row["store"], []).append(row)
    return stores


def boundaries(labels: Sequence[str]) -> Boundaries:
    """The places of the turns whose label is another than that of the turn before."""
    return [place for place in range(1, len(labels)) if labels[place] != labels[place - 1]]


def figures(
    found: Mapping[str, Boundaries], gold: Mapping[str, Boundaries], lengths: Mapping[str, int]
) -> dict[str, float]:
    """Precision, recall and F1 over all stores; Pk and WindowDiff as means over those with a boundary."""
    right = sum(matches(found[name], gold[name]) for name in gold)
    predicted, wanted = sum(map(len, found.values())), sum(map(len, gold.values()))
    parted = [name for name in gold if gold[name]]
    return {
        "boundaries": predicted,
        "precision": round(right / max(1, predicted), 3),
        "recall": round(right / max(1, wanted), 3),
        "f1": round(2 * right / max(1, predicted + wanted), 3),
        "pk": round(mean(window_error(found[name], gold[name], lengths[name])[0] for name in parted), 3),
        "windowdiff": round(mean(window_error(found[name], gold[name], lengths[name])[1] for name in parted), 3),
    }


def matches(found: Boundaries, gold: Boundaries) -> int:
    """How many boundaries are found, each by one of its own within the tolerance."""
    count, free = 0, list(gold)
    for place in found:
        near = next((one for one in free if abs(one - place) <= TOLERANCE), None)
        if near is not None:
            free.remove(near)
            count += 1
    return count


def window_error(found: Boundaries, gold: Boundaries, length: int) -> tuple[float, float]:
    """Pk (Beeferman 1999) and WindowDiff (Pevzner and Hearst 2002) with half the mean length of a segment as window."""
    window = max(2, round(length / (len(gold) + 1) / 2))
    windows = range(length - window)
    pairs = [(_inside(found, start, window), _inside(gold, start, window)) for start in windows]
    return (
        mean((mine > 0) != (theirs > 0) for mine, theirs in pairs),
        mean(mine != theirs for mine, theirs in pairs),
    )


def _inside(places: Boundaries, start: int, window: int) -> int:
    return sum(start < place <= start + window for place in places)


def text_tiling(texts: Sequence[str]) -> Boundaries:
    """TextTiling (Hearst 1997) over turns: valleys in the similarity of the turns on both sides of a gap.

    Word counts of six turns on each side, without stop words, are compared by cosine; scores are smoothed; a gap whose
    depth is above the mean less half a standard deviation is a boundary, where no neighbour within two is deeper.
    """
    stops = lexicon("en").dropped_in_queries
    known = {*stops, *map(stem, stops)}
    terms = [[term for term in index_terms(text) if term not in known] for text in texts]
    raw = [_cosine(terms[max(0, gap - BLOCK) : gap], terms[gap : gap + BLOCK]) for gap in range(1, len(texts))]
    if not raw:
        return []
    scores = [mean(raw[max(0, place - SMOOTHING) : place + SMOOTHING + 1]) for place in range(len(raw))]
    depths = [_climb(scores, place, -1) + _climb(scores, place, 1) for place in range(len(scores))]
    cutoff = mean(depths) - pstdev(depths) / 2
    return [
        place + 1
        for place, depth in enumerate(depths)
        if depth > cutoff and depth > 0 and depth == max(depths[max(0, place - 2) : place + 3])
    ]


def _cosine(left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]) -> float:
    one, other = _counts(left), _counts(right)
    product = sum(count * other.get(term, 0) for term, count in one.items())
    lengths = (sum(count * count for count in side.values()) ** 0.5 for side in (one, other))
    whole = 1.0
    for length in lengths:
        whole *= length
    return product / whole if whole else 0.0


def _counts(turns: Sequence[Sequence[str]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for turn in turns:
        for term in turn:
            counts[term] = counts.get(term, 0) + 1
    return counts


def _climb(scores: Sequence[float], place: int, step: int) -> float:
    """How far the scores rise from a place in one direction, until they fall."""
    top = scores[place]
    nearby = place + step
    while 0 <= nearby < len(scores) and scores[nearby] >= top:
        top = scores[nearby]
        nearby += step
    return top - scores[place]


if __name__ == "__main__":
    main()

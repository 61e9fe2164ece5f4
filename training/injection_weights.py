"""Fit the weights of the mark "tries to direct the assistant that reads it", and write their file.

Takes: the texts in `data/reader` (`inject_*`, `harmless_*`, `frames_*`, `relations_1` to `_3`) and the statements of
`data/wordings-*` that are not in English. Gives: `src/dopejar/text/data/injection_weights.bin`, and how each author's
texts are judged by weights that were fitted without them. Never: reads the test sets in `benchmarks/data`.

    python -m training.injection_weights --out src/dopejar/text/data/injection_weights.bin

A logistic regression with a ridge, by Newton's method on the dual; a feature weighs by the logarithm of its rarity.
The threshold is the lowest at which no kind of harmless text is marked more often than its bar allows, each author's
texts judged by weights of the other authors.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dopejar.text.hashed_pieces import BUCKET_BITS, features, plain_text
from dopejar.text.injection_detector import HEADER, score

DATA = Path(__file__).parent / "data"
READER = DATA / "reader"
BUCKETS = 1 << BUCKET_BITS
RIDGE = 0.03
INTERCEPT = 1.0  # the prior variance of the intercept, in units of that of a weight
KIND_WEIGHTS = {"directs": 1.0, "neighbour": 1.0, "turn": 0.5, "statement": 0.5}
BARS = {"neighbour": 0.1, "turn": 0.02, "long": 0.02, "statement": 0.005}  # shares of harmless texts that may be marked
EVERY = {"relations": 4, "wordings": 8}  # one of so many lines is taken
LONG = 5  # turns that make a long text, which sets the threshold and is not fitted
LARGEST = 127  # of a weight, as an 8-bit integer

Array = npt.NDArray[np.float64]


class Sample(NamedTuple):
    """A text, its kind, and who wrote it."""

    text: str
    kind: str
    author: str


def read_samples() -> list[Sample]:
    """Every text in a fixed order."""
    kinds = {"inject": "directs", "harmless": "neighbour", "frames": "turn"}
    samples = [
        Sample(json.loads(line)["text"], kinds[path.stem[:-2]], path.stem[-1])
        for path in sorted(READER.glob("*.jsonl"))
        if path.stem[:-2] in kinds
        for line in path.read_text("utf-8").splitlines()
    ]
    for path in sorted(READER.glob("relations_[123].txt")):
        lines = [line[2:].strip() for line in path.read_text("utf-8").splitlines() if re.match(r"[E=>x?+.] ", line)]
        samples += [Sample(line, "statement", path.stem[-1]) for line in lines[:: EVERY["relations"]]]
    turns = [sample for sample in samples if sample.kind == "turn"]
    for some in (turns[start : start + LONG] for start in range(0, len(turns), LONG)):
        samples.append(Sample("\n\n".join(turn.text for turn in some), "long", some[-1].author))
    return samples + [Sample(text, "statement", "wordings") for text in foreign_statements()]


def foreign_statements() -> Iterator[str]:
    """Statements in other languages than English."""
    for path in sorted(DATA.glob("wordings-[pw]*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        texts = [text for row in rows if re.match(r"(?:de|es|fr|pt)-", row["group"]) for text in row["wordings"]]
        yield from texts[:: EVERY["wordings"]]


def count_features(samples: Sequence[Sample]) -> npt.NDArray[np.uint8]:
    """How often each feature occurs in each text."""
    rows = np.zeros((len(samples), BUCKETS), np.uint8)
    for row, sample in zip(rows, samples, strict=True):
        buckets = [bucket for _, part in features(plain_text(sample.text)) for bucket in part]
        row[:] = np.minimum(np.bincount(np.array(buckets, np.int64), minlength=BUCKETS), 255)
    return rows


def rarity(counts: npt.NDArray[np.uint8]) -> Array:
    """How much each feature weighs: the logarithm of the share of texts without it."""
    return np.log((len(counts) + 1) / ((counts > 0).sum(0) + 1))


def fit(counts: npt.NDArray[np.uint8], labels: Array, costs: Array) -> tuple[Array, float]:
    """The weights and the intercept that minimise the logistic loss with its ridge; the optimum is unique."""
    rare, roots = rarity(counts), np.sqrt(counts.sum(1, dtype=np.int64))
    columns = [slice(start, start + 2048) for start in range(0, BUCKETS, 2048)]
    kernel = np.full((len(counts), len(counts)), INTERCEPT)
    for part in columns:
        block = counts[:, part] * rare[part] / roots[:, None]
        kernel += block @ block.T
    scores = np.zeros(len(counts))
    dual = scores
    for _ in range(50):
        chances = 1 / (1 + np.exp(-scores))
        curvature = np.maximum(costs * chances * (1 - chances), 1e-9)
        target = scores + costs * (labels - chances) / curvature
        dual = np.linalg.solve(kernel + np.diag(RIDGE / curvature), target)
        before, scores = scores, kernel @ dual
        if np.abs(scores - before).max() < 1e-10:
            break
    share = dual / roots
    return rare**2 * np.concatenate([share @ counts[:, part] for part in columns]), float(INTERCEPT * dual.sum())


def fit_samples(samples: Sequence[Sample]) -> tuple[Array, float]:
    """The weights and the intercept for these texts."""
    samples = [sample for sample in samples if sample.kind in KIND_WEIGHTS]
    labels = np.array([sample.kind == "directs" for sample in samples], float)
    return fit(count_features(samples), labels, np.array([KIND_WEIGHTS[sample.kind] for sample in samples]))


def held_out_scores(samples: Sequence[Sample]) -> Array:
    """The score of each text by weights that were fitted without its author."""
    scores = np.zeros(len(samples))
    for author in sorted({sample.author for sample in samples}):
        weights, intercept = fit_samples([sample for sample in samples if sample.author != author])
        row = weights.tolist()
        for place, sample in enumerate(samples):
            if sample.author == author:
                scores[place] = score(sample.text, row) + intercept
    return scores


def choose_threshold(samples: Sequence[Sample], scores: Array) -> float:
    """The lowest score at which no kind of harmless text is marked more often than its bar."""
    kinds = np.array([sample.kind for sample in samples])
    return max(float(np.quantile(scores[kinds == kind], 1 - bar, method="higher")) + 1e-9 for kind, bar in BARS.items())


def report(samples: Sequence[Sample], scores: Array, threshold: float) -> dict[str, float]:
    """The share of each author's texts that is marked, by kind."""
    groups = sorted({(sample.kind, sample.author) for sample in samples})
    rows = {group: scores[[(s.kind, s.author) == group for s in samples]] for group in groups}
    return {f"{kind} {author}": round(float((row >= threshold).mean()), 3) for (kind, author), row in rows.items()}


def write(out: Path) -> dict[str, object]:
    """Choose the threshold on held-out authors, fit on all, write the file; what there is to report."""
    everything = read_samples()
    judged = [sample for sample in everything if sample.author != "wordings"]
    scores = held_out_scores(everything)[: len(judged)]
    threshold = choose_threshold(judged, scores)
    weights, intercept = fit_samples(everything)
    scale = round(float(np.abs(weights).max()) / LARGEST, 6)
    least = round(threshold - intercept, 4)  # figures that no order of additions changes
    out.write_bytes(HEADER.pack(scale, least) + np.rint(weights / scale).astype(np.int8).tobytes())
    return {"threshold": round(threshold, 3), "marked when held out": report(judged, scores, threshold)}


def main() -> None:
    """Write the file, print the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="the file of weights to write")
    print(json.dumps(write(parser.parse_args().out)))


if __name__ == "__main__":
    main()

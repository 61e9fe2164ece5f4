"""Fit the weights of correction detection, and write its data file.

Takes: a folder with labelled turns (`corrections/turns.jsonl`), and the snippets in `data`. Gives: the data file
`src/dopejar/pipelines/corrections/data/model.toml`, every feature with its hand-set prior and its fitted weight. Never:
changes a prior.

    python -m training.correction_weights DIR --out model.toml
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from dopejar.bench.correction_regression import Sample, extract_samples, fit_model
from dopejar.bench.correction_turns import LabelledTurn, read_labelled_turns
from dopejar.compose import transcript_formats
from dopejar.pipelines.corrections.detection.detector import CorrectionModel, prior_model, score_turns
from dopejar.pipelines.corrections.exchange import Exchange
from dopejar.ports.transcripts import TranscriptFormat

DATA = Path(__file__).parent / "data"
SNIPPETS = (DATA / "correction_wordings_validation.jsonl", DATA / "correction_wordings_open.jsonl")
UNDATED = datetime(2025, 1, 1, tzinfo=UTC)


def snippet_samples(path: Path) -> list[Sample]:
    """The features of snippets, each read as the only turn of its conversation.

    A snippet's `label` is `no` where it is not a correction. A file counts as one repository; its snippets have no
    durability, so they fit detection only.
    """
    samples = []
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        snippet = json.loads(line)
        exchange = Exchange(text=snippet["said"], before=snippet["before"], at=UNDATED, index=number)
        gold = {
            "session": f"{path.stem}:{snippet['id']}",
            "turn": 0,
            "source": {"repo": path.stem},
            "is_correction": "no" if snippet.get("label") == "no" else "correction",
        }
        turn = LabelledTurn(gold=gold, exchange=exchange)
        samples.append(Sample(turn=turn, features=score_turns([exchange])[0].reading.features))
    return samples


def run(
    data: Path, out: Path, formats: Sequence[TranscriptFormat], snippets: Sequence[Path] = ()
) -> dict[str, object]:
    """Fit on every labelled turn and snippet, write the data file to `out`, and return the counts."""
    samples = extract_samples(read_labelled_turns(data, formats))
    samples += [sample for path in snippets for sample in snippet_samples(path)]
    out.write_text(render_toml(fit_model(samples)), "utf-8")
    return {"turns": len(samples), "positives": sum(sample.turn.is_positive for sample in samples)}


def render_toml(model: CorrectionModel) -> str:
    """The data file of a model, with the priors beside the weights."""
    lines = [
        "# Weights of correction detection: a feature's `prior` was set by hand, its `weight` was fitted around it",
        "# by `python -m training.correction_weights`.",
    ]
    prior = prior_model()
    for name, weights, hand_set in (
        ("detection", model.detection, prior.detection),
        ("standing", model.standing, prior.standing),
    ):
        lines += ["", f"[{name}]", f"threshold = {weights.threshold}"]
        lines.append(f"bias = {{ prior = {hand_set.bias}, weight = {weights.bias} }}")
        lines += [
            f'"{feature}" = {{ prior = {hand_set.weights[feature]}, weight = {weight} }}'
            for feature, weight in weights.weights.items()
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Parse the arguments, fit, print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder with corrections/turns.jsonl")
    parser.add_argument("--out", type=Path, required=True, help="the data file to write")
    arguments = parser.parse_args()
    print(json.dumps(run(arguments.data, arguments.out, transcript_formats(), SNIPPETS)))


if __name__ == "__main__":
    main()

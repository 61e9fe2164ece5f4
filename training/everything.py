"""Make every fitted artefact again, one after another, and compare each with the packaged one.

Takes: a folder with installed models. Gives: in a folder the files, what each script printed, its time and the total.
Never: changes the package, or makes again what the folder has.

    python -m training.everything MODELS --out DIR                         # hours on two cores; a later run goes on
    python -m training.everything MODELS --out DIR --only sides changes    # these alone

`ranking_weights` is not among them: it needs sets of questions that are not in the repository.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.embedders.weights import MINILM
from dopejar.adapters.readers.answer_reader import FittedAnswerReader
from dopejar.adapters.readers.change_reader import FittedChangeReader
from dopejar.adapters.readers.fitted_reader import FittedReader
from dopejar.adapters.readers.rest_reader import FittedRestReader
from dopejar.adapters.readers.side_reader import FittedSideReader
from dopejar.adapters.readers.statement_marker import FittedMarker
from dopejar.adapters.readers.turn_heads import TurnHeads
from dopejar.values.statement import CONTINUES, LEANS, STANDS, SURELY_PRIVATE
from training.floor_weights import UNREAD
from training.reader_data import marked_turns, pairs, sentences

PACKAGE = Path(__file__).parents[1] / "src" / "dopejar"
READERS = "adapters/readers/data/{}-minilm-l6-v2.npz"
FLOORS = "pipelines/recall/data/floor.toml"
COMPARED = 400  # texts, or pairs of them
SEED = 0
ONWARD = " ".join(f"relations_{number}" for number in (16, 17, 18, 19, 20, 21, 23, 24, 25))  # what nets go on with
HELD = "relations_22 relations_26 relations_29 things_11"
HELD_RESTS = "rests_18 rests_19 rests_20 rests_48 rests_49 rests_50 rests_51 rests_52"
BESIDE = "things_8 things_9 things_10 relations_27 relations_28"  # with which they go on after that
RESTS = " ".join(name for number in range(1, 53) if (name := f"rests_{number}") not in HELD_RESTS.split())


class Step(NamedTuple):
    """A script with its arguments, and the packaged files that it makes, which the command names {1} and {2}."""

    name: str
    command: str
    files: tuple[str, ...] = ()


STEPS = (  # each after those whose files it needs
    Step("corrections", "correction_weights --out {1}", ("pipelines/corrections/data/model.toml",)),
    Step("injections", "injection_weights --out {1}", ("text/data/injection_weights.bin",)),
    Step("topics", "routing_weights --home {home}"),
    Step("sides", "side_weights {models} {model} --out {1}", (READERS.format("sides"),)),
    Step("secrets", "secret_weights --out {1}", ("governance/redaction/data/secret_weights.bin",)),
    Step(
        "turns",
        "signal_weights {models} {model} --words {1} --out {2}",
        ("governance/signals/data/word_weights.bin", READERS.format("turns")),
    ),
    Step("changes", "change_weights {models} {model} --out {1}", (READERS.format("changes"),)),
    Step("statements", f"reader_weights {{models}} {{model}} --out {{out}}/s.npz --without {ONWARD} {HELD} {BESIDE}"),
    Step(
        "pairs",
        f"pair_continuation {{models}} --weights {{out}}/s.npz --files {ONWARD} --judge {HELD} --without {BESIDE} "
        "--out {out}/p.npz",
    ),
    Step(
        "properties",
        f"pair_continuation {{models}} --weights {{out}}/p.npz --files {BESIDE} --judge {HELD} --out {{out}}/b.npz",
    ),
    Step(
        "parts",
        f"pair_continuation {{models}} --weights {{out}}/b.npz --files {RESTS} {BESIDE} --judge {HELD} {HELD_RESTS} "
        "--out {1}",
        (READERS.format("reader"),),
    ),
    Step("rests", f"rest_weights {{models}} --out {{1}} --judge {HELD_RESTS}", (READERS.format("rests"),)),
    Step("marker", "marker_weights {models} --out {1}", (READERS.format("marker"),)),
    Step("answers", "answer_weights {models} --out {1}", (READERS.format("answers"),)),
    Step("answers-of-others", f"answer_weights {{models}} --out {{out}}/o.npz --without {' '.join(UNREAD)}"),
    Step("floors", "floor_weights --home {home} --answers {out}/o.npz --out {1}", (FLOORS,)),
)


def make(step: Step, models: Path, out: Path) -> str:
    """Run the script unless it was run to its end before; how long it took, on the clock and of the processor."""
    done = out / f"{step.name}.seconds"
    if not done.exists():
        files, start, before = [out / Path(file).name for file in step.files], time.monotonic(), _spent()
        folders = {"models": models, "model": MINILM.name, "home": out / "home", "out": out}
        script, *rest = (part.format(None, *files, **folders) for part in step.command.split())
        with (out / f"{step.name}.log").open("w", encoding="utf-8") as log:
            command = [sys.executable, "-m", f"training.{script}", *rest]
            subprocess.run(command, stdout=log, check=True)  # noqa: S603 - our own scripts
        done.write_text(f"{time.monotonic() - start:.0f} {_spent() - before:.0f}", "utf-8")
    return done.read_text("utf-8")


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compare(file: str, made: Path, models: Path) -> str:
    """Whether the file that was made is the packaged one, or how many decisions on written texts are the same."""
    packaged = PACKAGE / file
    if made.read_bytes() == packaged.read_bytes():
        return "the same bytes"
    name = made.stem.removesuffix(f"-{MINILM.name}")
    if name not in DECISIONS:
        return "other bytes"
    embedder = SentenceEmbedder(models / MINILM.name)
    new, old = (list(DECISIONS[name](embedder, path)) for path in (made, packaged))
    return f"other bytes, {sum(a == b for a, b in zip(new, old, strict=True))} of {len(old)} decisions the same"


def _texts(name: str) -> list[str]:
    """Some texts of those that a reader is fitted with, drawn once."""
    found = [row.text for rows in (marked_turns() if name == "turns" else sentences()).values() for row in rows]
    return random.Random(SEED).sample(found, COMPARED)


def _statements(embedder: SentenceEmbedder, path: Path) -> Iterator[object]:
    reader, rows = FittedReader(embedder, MINILM.name, path), [row for part in pairs().values() for row in part]
    for one in reader.read(_texts("statements")):
        frame = one.frame
        sure = (
            frame.private >= SURELY_PRIVATE,
            frame.leans >= LEANS,
            frame.continues >= CONTINUES,
            frame.stands >= STANDS,
        )
        yield one.act, one.tense, frame.fact_class, frame.layer, frame.subject, frame.value, sure
    drawn = random.Random(SEED).sample(rows, COMPARED)
    yield from (one.relation for one in reader.relate([(row.earlier, row.later) for row in drawn]))


def _marks(embedder: SentenceEmbedder, path: Path) -> Iterator[object]:
    for marks in FittedMarker(embedder, MINILM.name, path).mark(_texts("turns")):
        yield [(one.start, one.end, one.fact_class) for one in marks]


def _sides(embedder: SentenceEmbedder, path: Path) -> Iterator[object]:
    for one in FittedSideReader(embedder, MINILM.name, path).sides(_texts("statements")):
        yield max((one.left, "left"), (one.right, "right"), (one.neither, "neither"))[1]


def _changes(embedder: SentenceEmbedder, path: Path) -> Iterator[object]:
    yield from FittedChangeReader(embedder, MINILM.name, path).changes(_texts("turns"))


def _turns(embedder: SentenceEmbedder, path: Path) -> Iterator[object]:
    heads = TurnHeads(embedder, MINILM.name, path)
    for shares in map(heads.shares, _texts("turns")):
        best = [max(one, key=one.__getitem__) for one in (shares.altitude, shares.request_type, shares.strategy)]
        yield best, sorted(name for name, share in shares.signals.items() if share >= 0.5)


def _rests(embedder: SentenceEmbedder, path: Path) -> Iterator[object]:
    rows = random.Random(SEED).sample([row for part in pairs().values() for row in part], COMPARED)
    yield from FittedRestReader(embedder, MINILM.name, path).rests([(row.earlier, row.later) for row in rows])


def _answers(embedder: SentenceEmbedder, path: Path) -> Iterator[object]:
    question, *texts = _texts("statements")
    yield from (odds >= 0 for odds in FittedAnswerReader(embedder, MINILM.name, path).answers(question, texts))


DECISIONS: dict[str, Callable[[SentenceEmbedder, Path], Iterator[object]]] = {
    "reader": _statements,
    "rests": _rests,
    "marker": _marks,
    "sides": _sides,
    "changes": _changes,
    "turns": _turns,
    "answers": _answers,
}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="+", choices=[step.name for step in STEPS], help="these alone")
    chosen = parser.parse_args()
    out, models = chosen.out.resolve(), chosen.models.resolve()
    (out / "home").mkdir(parents=True, exist_ok=True)
    if not (out / "home" / "models").exists():
        (out / "home" / "models").symlink_to(models)
    spent = []
    for step in (step for step in STEPS if step.name in (chosen.only or step.name)):
        clock, processor = map(int, make(step, models, out).split())
        spent.append((clock, processor))
        said = "; ".join(compare(file, out / Path(file).name, models) for file in step.files)
        print(f"{step.name}: {clock} s, {processor} s of the processor; {said or 'see its log'}", flush=True)
    clock, processor = map(sum, zip(*spent, strict=True))
    print(f"all: {clock} s, {processor} s of the processor")


if __name__ == "__main__":
    main()

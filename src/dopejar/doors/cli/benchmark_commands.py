"""The `bench` command: runs the benchmarks of BENCHMARKS.md.

Takes: the name of a benchmark and its options. Gives: its figures as a table or as JSON. Never: measures anything
itself.
"""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from dopejar.doors.cli.command_context import OK, CommandContext, Progress, json_fields
from dopejar.doors.cli.command_registry import command
from dopejar.doors.cli.text_format import pairs, table
from dopejar.errors import UsageError

commands = typer.Typer()

BENCHES: Final = {
    "behaviour": "what memory believes after short histories; writes predictions for a scorer",
    "blocks": "blocks of one topic in streams of turns; writes the block of each turn for a scorer",
    "bullets": "classification of bullets by side; writes predictions for a scorer",
    "corrections": "detection of corrections in transcripts, cross-validated by repository; writes predictions",
    "durability": "acknowledged writes that survive kill -9",
    "facts": "extraction of durable facts from user turns; writes predictions for a scorer",
    "ingest": "time per turn in bulk, and per durable `remember`",
    "precision": "what recall returns from given beliefs, scope by scope; writes a run file for a scorer",
    "recall": "latency and memory use of recall at 1k, 10k and 100k records",
    "retrieval": "ranking of turns for a set of queries; writes a run file for a scorer",
    "signals": "signals, altitude and strategy of utterances; writes predictions",
    "startup": "CPU time of a cold start, and of a cold recall",
    "updates": "relation of two statements: reinforce, supersede, conflict or unrelated; writes predictions",
}


@command(commands, "bench")
def bench(
    context: CommandContext,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help=f"One of {', '.join(BENCHES)}. Without a name: list them.")
    ] = "",
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="A folder in the neutral format, an evaluation kit, or a file."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The file for the run or the predictions.")
    ] = None,
    rounds: Annotated[int | None, typer.Option("--rounds", min=1, help="The number of repetitions.")] = None,
    writers: Annotated[
        int | None, typer.Option("--writers", min=1, help="The number of concurrent writer processes.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="The random seed.")] = None,
    sizes: Annotated[
        list[int] | None, typer.Option("--size", min=1, help="The number of records; may be repeated.")
    ] = None,
    budget: Annotated[int | None, typer.Option("--budget", min=1, help="The token budget of a recall.")] = None,
    reader: Annotated[
        str | None, typer.Option("--reader", metavar="NAME", help="The reader of statements: grammar or fitted.")
    ] = None,
    times: Annotated[
        bool | None, typer.Option("--times/--no-times", help="For `blocks`: whether turns come with their times.")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep", metavar="DIR", help="Keep the stores in this folder for another run. Default: remove them."
        ),
    ] = None,
) -> int:
    """Run a benchmark and print its figures. `BENCHMARKS.md` lists the targets.

    Each benchmark takes only some of the options; an option that it does not take is an error.

    For example:

        dopejar bench startup
        dopejar bench ingest --data DIR
        dopejar bench retrieval --data DIR --out run.jsonl
    """
    if not name:
        context.answer({"benches": BENCHES}, lambda: table(("bench", "measures"), list(BENCHES.items())))
        return OK
    if name not in BENCHES:
        raise UsageError(f"There is no benchmark {name!r}. Choose one of: {', '.join(BENCHES)}.")
    run: Callable[..., object] = importlib.import_module(f"dopejar.bench.{name}").run
    given = {
        "data": data,
        "out": out,
        "rounds": rounds,
        "writers": writers,
        "seed": seed,
        "sizes": sizes,
        "budget": budget,
        "keep": keep,
        "reader": reader,
        "times": times,
    }
    chosen = _arguments(name, run, given)
    with context.progress_bar(name) as progress:
        figures = json_fields(run(**chosen, **_dependencies(context, run, progress)))
    context.answer({"bench": name, **figures}, lambda: figure_lines(figures))
    return OK


def _arguments(name: str, run: Callable[..., object], given: Mapping[str, object]) -> dict[str, object]:
    """The given options, checked against what the benchmark takes.

    Raises:
        UsageError: a required option is missing, or an option is not supported.
    """
    known = inspect.signature(run).parameters
    options = {"sizes": "--size"}
    for option, value in given.items():
        if value is not None and option not in known:
            raise UsageError(f"`dopejar bench {name}` does not take {options.get(option, '--' + option)}.")
    chosen = {option: value for option, value in given.items() if value is not None}
    for option, parameter in known.items():
        if parameter.default is parameter.empty and option not in chosen and option in given:
            raise UsageError(f"`dopejar bench {name}` needs {options.get(option, '--' + option)}.")
    return chosen


def _dependencies(context: CommandContext, run: Callable[..., object], progress: Progress) -> dict[str, object]:
    """The dependencies that a benchmark declares as parameters; it never builds them itself."""
    from dopejar import compose
    from dopejar.settings import read_settings

    makers: dict[str, Callable[[], object]] = {
        "home": lambda: context.directory,
        "embedder": lambda: compose.make_embedder(read_settings(context.directory, os.environ)),
        "turn_reader": lambda: compose.make_turn_reader(
            compose.make_embedder(read_settings(context.directory, os.environ))
        ),
        "formats": compose.transcript_formats,
        "progress": lambda: progress,
    }
    return {name: make() for name, make in makers.items() if name in inspect.signature(run).parameters}


def figure_lines(figures: Mapping[str, object], prefix: str = "") -> Iterator[str]:
    """Figures as text: names and values, tables for lists of figures, nested figures with a dotted name."""
    scalars = [(f"{prefix}{name}", _format_figure(value)) for name, value in figures.items() if not _is_nested(value)]
    yield from pairs(scalars)
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from figure_lines(value, f"{prefix}{name}.")
        elif _is_nested(value) and isinstance(value, Sequence):
            rows = [row for row in value if isinstance(row, Mapping)]
            columns = list(dict.fromkeys(str(column) for row in rows for column in row))
            yield f"{prefix}{name}"
            yield from table(columns, [[_format_figure(row.get(column, "")) for column in columns] for row in rows])


def _is_nested(value: object) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and isinstance(value[0], Mapping)
    return isinstance(value, Mapping)


def _format_figure(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, list | tuple):
        return ", ".join(_format_figure(item) for item in value)
    return str(value)

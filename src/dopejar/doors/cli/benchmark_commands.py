"""`bench`: the measurements of BENCHMARKS.md.

Takes: a measurement's name and its options. Gives: its figures as a table or as data. Never: measures anything itself.
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
    "bullets": "the side of each bullet, as predictions for a scorer",
    "corrections": "corrections in transcripts, as predictions for a scorer, each repository held out",
    "durability": "writers that are killed with kill -9: nothing acknowledged is lost",
    "facts": "durable facts in user turns, as predictions for a scorer",
    "ingest": "the cost of a turn in bulk, and of one durable remember",
    "recall": "latency and memory of recall at 1k, 10k and 100k records",
    "retrieval": "rankings of turns for a folder of queries, as a run for a scorer",
    "startup": "cold CPU time of the program and of a recall",
    "updates": "reinforce, supersede, conflict or unrelated, as predictions for a scorer",
}


@command(commands, "bench")
def bench(
    context: CommandContext,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help=f"One of {', '.join(BENCHES)}; lists them where omitted.")
    ] = "",
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="A folder in the neutral format, or of an evaluation kit."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where a run or predictions are written, for a scorer.")
    ] = None,
    rounds: Annotated[int | None, typer.Option("--rounds", min=1, help="How often it is repeated.")] = None,
    writers: Annotated[int | None, typer.Option("--writers", min=1, help="How many processes write at once.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="The seed of everything random.")] = None,
    sizes: Annotated[list[int] | None, typer.Option("--size", min=1, help="How many records; may be repeated.")] = None,
    budget: Annotated[int | None, typer.Option("--budget", min=1, help="Tokens a recall may fill.")] = None,
    fold: Annotated[
        str | None,
        typer.Option("--fold", metavar="NAME", help="Of corrections: one repository alone, or `shipped` weights."),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="DIR", help="Where stores are kept for a second run; removed where omitted."),
    ] = None,
) -> int:
    """Run a measurement. Prints its figures; `BENCHMARKS.md` says what they must reach.

    For example:

        dopejar bench startup
        dopejar bench ingest --data DIR
        dopejar bench retrieval --data DIR --out run.jsonl
    """
    if not name:
        context.answer({"benches": BENCHES}, lambda: table(("bench", "measures"), list(BENCHES.items())))
        return OK
    if name not in BENCHES:
        raise UsageError(f"There is no measurement {name!r}. They are: {', '.join(BENCHES)}.")
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
        "fold": fold,
    }
    chosen = _arguments(name, run, given)
    with context.progress_bar(name) as progress:
        figures = json_fields(run(**chosen, **_parts(context, run, progress)))
    context.answer({"bench": name, **figures}, lambda: figure_lines(figures))
    return OK


def _arguments(name: str, run: Callable[..., object], given: Mapping[str, object]) -> dict[str, object]:
    """The options that this measurement takes. Raises UsageError for one that it needs, or does not know."""
    known = inspect.signature(run).parameters
    options = {"sizes": "--size"}
    for option, value in given.items():
        if value is not None and option not in known:
            raise UsageError(f"`dopejar bench {name}` takes no {options.get(option, '--' + option)}.")
    chosen = {option: value for option, value in given.items() if value is not None}
    for option, one in known.items():
        if one.default is one.empty and option not in chosen and option in given:
            raise UsageError(f"`dopejar bench {name}` needs {options.get(option, '--' + option)}.")
    return chosen


def _parts(context: CommandContext, run: Callable[..., object], progress: Progress) -> dict[str, object]:
    """What a measurement asks for besides its options: it never builds such a part itself."""
    from dopejar import compose
    from dopejar.settings import read_settings

    makers: dict[str, Callable[[], object]] = {
        "home": lambda: context.directory,
        "embedder": lambda: compose.make_embedder(read_settings(context.directory, os.environ)),
        "formats": compose.transcript_formats,
        "progress": lambda: progress,
    }
    return {name: make() for name, make in makers.items() if name in inspect.signature(run).parameters}


def figure_lines(figures: Mapping[str, object], inside: str = "") -> Iterator[str]:
    """Figures as lines: names and values, tables for lists of figures, parts with their name in front."""
    single = [(f"{inside}{name}", _figure(value)) for name, value in figures.items() if not _is_many(value)]
    yield from pairs(single)
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from figure_lines(value, f"{inside}{name}.")
        elif _is_many(value) and isinstance(value, Sequence):
            rows = [one for one in value if isinstance(one, Mapping)]
            columns = list(dict.fromkeys(str(column) for row in rows for column in row))
            yield f"{inside}{name}"
            yield from table(columns, [[_figure(row.get(column, "")) for column in columns] for row in rows])


def _is_many(value: object) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and isinstance(value[0], Mapping)
    return isinstance(value, Mapping)


def _figure(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, list | tuple):
        return ", ".join(_figure(one) for one in value)
    return str(value)

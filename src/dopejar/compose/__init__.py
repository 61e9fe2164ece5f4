"""The composition root: builds the engine from settings. The only module that names adapters.

Takes: a data directory, the environment, a working directory. Gives: a `Memory`. Never: a rule of what is believed.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, overload

from dopejar.compose.readers import MODELS as MODELS
from dopejar.compose.readers import (
    make_answer_reader,
    make_change_reader,
    make_marker,
    make_reader,
    make_side_reader,
    vectors_at_hand,
)
from dopejar.compose.readers import make_embedder as make_embedder
from dopejar.compose.readers import make_turn_reader as make_turn_reader
from dopejar.compose.stores import in_memory_store, open_store
from dopejar.engine.dependencies import Dependencies, IngestOptions, origin_of
from dopejar.engine.memory import Memory
from dopejar.errors import InputError, NotFoundError, SettingError, StoreError
from dopejar.memory.accepted_settings import read_accepted, read_accepted_policy
from dopejar.settings import HOME_VARIABLE, SETTINGS, Settings, read_settings
from dopejar.settings.governed_settings import govern
from dopejar.settings.procedural import procedural_options
from dopejar.values.scope import Project

if TYPE_CHECKING:
    from dopejar.compose.remote_memory import RemoteMemory
    from dopejar.engine.dependencies import Reviewer
    from dopejar.governance.policy.rules import Policy
    from dopejar.ports.clock import Clock
    from dopejar.ports.language_model import LanguageModel
    from dopejar.ports.store import Store
    from dopejar.ports.transcripts import TranscriptFormat
    from dopejar.values.transcript import SourceFile

STORE_NAME = "dopejar.db"
IN_PROCESS = ":memory:"
TAXONOMY = "taxonomy.toml"


class SystemClock:
    """The system clock, in UTC."""

    def now(self) -> datetime:
        """The current time, with its time zone."""
        return datetime.now(UTC)


def data_directory(environment: Mapping[str, str] | None = None) -> Path:
    """The data directory: `DOPEJAR_HOME`, else the platform's directory for user data."""
    chosen = (os.environ if environment is None else environment).get(HOME_VARIABLE, "")
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("dopejar", appauthor=False))


def restore_over_damage(
    home: Path | None,
    source: Path,
    prove: Callable[[Memory], Reviewer],
    *,
    environment: Mapping[str, str] | None = None,
) -> Path:
    """Replace a data file that cannot be opened by a backup; the path under which the damaged file is kept.

    `prove` asks for a reviewer of the backup: the reviewers of the damaged file cannot be read, nor can its erasures.
    No API key, session or trusted terminal of the backup is brought back: it may have been ended since.

    Raises:
        NotFoundError, StoreDamagedError, StoreError: the backup cannot be used; nothing has changed.
    """
    from dopejar.adapters.sqlite.database_files import replace_database
    from dopejar.engine.exchange.backups import require_file
    from dopejar.engine.exchange.restoration import copy_beside, drop_trust, require_intact

    variables = os.environ if environment is None else environment
    directory = home.expanduser().absolute() if home is not None else data_directory(variables)
    target = directory / STORE_NAME
    with copy_beside(source, target) as copy:
        with build(read_settings(directory, variables), open_store(copy), environment=variables) as memory:
            require_intact(memory.store)
            drop_trust(memory.store)
            prove(memory)
            require_file(memory.store).compact()
        return replace_database(copy, target)


def make_language_model(settings: Settings, store: Store, environment: Mapping[str, str]) -> LanguageModel | None:
    """The language model that the settings name; None by default, and until a reviewer accepted its name."""
    kind, model = settings.text("language_model.kind"), settings.text("language_model.model")
    if kind == "none" or (not model and any(one.key == "language_model.model" for one in settings.differences)):
        return None
    from dopejar.adapters.language_models import make_language_model

    return make_language_model(
        kind,
        url=settings.text("language_model.url"),
        model=model,
        key=environment.get(settings.text("language_model.key_variable"), ""),
        timeout_s=settings.real("language_model.timeout_s"),
        daily_tokens=settings.number("language_model.daily_tokens"),
        store=store,
        clock=SystemClock(),
    )


def transcript_formats() -> tuple[TranscriptFormat, ...]:
    """Every supported transcript format."""
    from dopejar.adapters.transcripts.registry import formats

    return formats()


def transcript_format(path: Path) -> str:
    """The name of a file's transcript format, recognised by the file's name and first bytes.

    Raises:
        NotFoundError, InputError: the file does not exist, or is not a transcript; the message says which.
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
    """The branch that is checked out at a path; "" where it is unknown."""
    from dopejar.adapters.project_detection import branch_of

    return branch_of(path)


def detect_project(path: Path) -> Project | None:
    """The project that a directory belongs to."""
    from dopejar.adapters.project_detection import detect_project as detect

    return detect(path)


def _boot_texts(path: Path) -> tuple[str, ...]:
    from dopejar.adapters.project_detection import read_instruction_files

    return read_instruction_files(path)


def _pasted(text: str) -> tuple[tuple[int, int], ...]:
    from dopejar.adapters.transcripts.pasted_spans import find_pasted_spans

    return find_pasted_spans(text)


def _policy(settings: Settings, store: Store) -> Policy:
    """The policy in force: by the text that was accepted and kept in the store, as the file may have changed since."""
    from dopejar.governance.policy.policy_file import load_policy, override_policy, shipped_policy

    chosen = settings.text("policy.file")
    if not settings.accepted.policy:  # then only the host of a memory in process can have named a file
        return load_policy(Path(chosen).expanduser() if chosen else None)
    with store.read() as view:
        return override_policy(shipped_policy(), read_accepted_policy(view, settings.accepted), file=chosen)


def _redaction(*, enabled: bool) -> Callable[[str], tuple[str, Mapping[str, int]]]:
    if not enabled:
        return lambda text: (text, {})

    def redacted(text: str) -> tuple[str, Mapping[str, int]]:
        from dopejar.governance.redaction.redactor import redact  # its tables are loaded by what writes alone

        result = redact(text)
        return result.text, result.kinds

    return redacted


def _ingest(settings: Settings) -> IngestOptions:
    """The options of ingest. Raises SettingError where the named taxonomy does not exist."""
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
        second_opinion=settings.flag("ingest.second_opinion"),
        model_names=settings.flag("ingest.model_names"),
    )


def _folded(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word.casefold() for word in words)


def build(
    settings: Settings,
    store: Store,
    *,
    project: Project | None = None,
    environment: Mapping[str, str] | None = None,
    said_by: str = "",
    trusted: Collection[str] = (),
    clock: Clock | None = None,
) -> Memory:
    """A `Memory` from the configured settings and an opened store, in which a reviewer accepted the governed ones.

    `trusted` are sources of settings that count as accepted. `clock` replaces that of the system.
    """
    variables = os.environ if environment is None else environment
    with store.read() as view:
        settings = govern(settings, read_accepted(view), trusted)
    origins, embedder = settings.origins(), cache(partial(make_embedder, settings))
    deps = Dependencies(
        store=store,
        clock=clock or SystemClock(),
        home=settings.home,
        policy=cache(partial(_policy, settings, store)),
        redact=_redaction(enabled=settings.flag("redaction.enabled")),
        may_keep=lambda origin: origin in origins,
        embedder=embedder,
        at_hand=lambda texts: vectors_at_hand(embedder(), texts),
        reader=cache(lambda: make_reader(embedder())),
        marker=cache(lambda: make_marker(embedder())),
        changes=cache(lambda: make_change_reader(embedder())),
        sides=cache(lambda: make_side_reader(embedder())),
        answers=cache(lambda: make_answer_reader(embedder())),
        turn_reader=cache(lambda: make_turn_reader(embedder())),
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
        procedural=procedural_options(settings),
        accepted_settings=settings.accepted,
        setting_differences=settings.differences,
        ingest=_ingest(settings),
        said_by=said_by,
    )
    return Memory(deps, project)


def _require_access(directory: Path) -> None:
    """Raise InputError where the data directory is a file, StoreError where this account may not enter it."""
    try:
        if not directory.exists():
            return
        is_directory, may_enter = directory.is_dir(), os.access(directory, os.R_OK | os.X_OK)
    except PermissionError:  # it lies in a directory that this account may not enter
        is_directory, may_enter = True, False
    if not is_directory:
        raise InputError(f"{directory} is a file; the data directory must be a directory.")
    if not may_enter:
        raise StoreError(
            f"{directory} cannot be opened: this account has no permission to enter it. Change the directory's"
            " permissions, or name another one with --home or DOPEJAR_HOME."
        )


@overload
def open_memory(
    home: Path | str | None = None,
    *,
    project: str = "",
    at: Path | str | None = None,
    said_by: str = "",
    read_only: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Memory: ...


@overload
def open_memory(home: str, *, api_key: str) -> RemoteMemory: ...


def open_memory(
    home: Path | str | None = None,
    *,
    project: str = "",
    at: Path | str | None = None,
    said_by: str = "",
    read_only: bool = False,
    environment: Mapping[str, str] | None = None,
    api_key: str = "",
) -> Memory | RemoteMemory:
    """Open a memory.

    Args:
        home: the data directory; `DOPEJAR_HOME`, else the platform's directory, where omitted. ":memory:": the
            memory lives in this process alone, and no file is written; settings and models come from the default
            data directory. The address of a `dopejar serve`, with its `api_key` and nothing else: the memory there,
            with the verbs that REST offers.
        project: the project at hand, by a name of your choice.
        at: a directory of the project at hand, which is named after its repository. Without `project` and `at`,
            no project is at hand.
        said_by: who speaks where a call does not say: user, other, tool, assistant or fetched. There is no default.
        read_only: write nothing, not even use counts.
        environment: variables to use instead of those of the process. They too can only tighten a governed setting,
            except for a memory in this process, which nobody else configures.
        api_key: the key for a memory that is served at an address.

    A UserWarning names the governed settings that are configured and that no reviewer has accepted.

    Raises:
        InputError: nobody is called what `said_by` says.
        SettingError, StoreError: the settings or the data file cannot be used; the message says why.
    """
    if api_key or (isinstance(home, str) and home.startswith(("https://", "http://"))):
        from dopejar.compose.remote_memory import open_remote

        return open_remote(home, api_key, given=(project, at, said_by, read_only, environment))
    memory = open_for_door(home, project=project, at=at, said_by=said_by, read_only=read_only, environment=environment)
    if memory.settings.unaccepted:
        warnings.warn(memory.settings.unaccepted, stacklevel=2)
    return memory


def open_for_door(
    home: Path | str | None,
    *,
    project: str = "",
    at: Path | str | None = None,
    said_by: str = "",
    read_only: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Memory:
    """As `open_memory`, without the warning: a door says in its own way what is not accepted."""
    if said_by:
        origin_of(said_by)  # a wrong name is told here, not at the first call
    variables = os.environ if environment is None else environment
    in_process = home == IN_PROCESS
    directory = data_directory(variables) if home is None or in_process else Path(home).expanduser().absolute()
    _require_access(directory)
    settings = read_settings(directory, variables)
    path = directory / STORE_NAME
    store = in_memory_store(read_only=read_only) if in_process else open_store(path, read_only=read_only)
    current = detect_project(Path(at)) if at is not None else None
    if project:
        from dopejar.engine.lookup import find_project

        with store.read() as view:
            try:
                current = find_project(view, project, current)
            except NotFoundError:
                current = Project(id=project, label=project, languages=current.languages if current else ())
    trusted = [one.variable for one in SETTINGS] if in_process and environment is not None else ()
    return build(settings, store, project=current, environment=variables, trusted=trusted, said_by=said_by)

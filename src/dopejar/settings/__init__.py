"""Every setting, with its type, default and meaning; read once from `config.yaml` and the environment.

Takes: the data directory and the environment, from `compose`. Gives: one frozen `Settings`. Never: is imported by the
rooms below; they receive values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.errors import SettingError, StoreError
from dopejar.settings.tighter_values import FEWER, HIGHER, NONE, NOTHING, OFF, ON, Tightening
from dopejar.values.accepted_settings import AcceptedSettings, SettingDifference, SettingValue

if TYPE_CHECKING:
    from dopejar.values.episode import Origin

Value = SettingValue

CONFIG_NAME = "config.yaml"
HOME_VARIABLE = "DOPEJAR_HOME"
DEFAULT = "default"  # the source of a value that nobody configured


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """One setting. `choices` lists what a text may be; `least` and `most` bound a number.

    With a `tightening` it is governed: any other change takes effect when a reviewer has accepted it.
    """

    key: str
    default: Value
    meaning: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    tightening: Tightening | None = None

    @property
    def variable(self) -> str:
        """The environment variable that overrides it."""
        return "DOPEJAR_" + self.key.upper().replace(".", "_")


_ORIGINS = ("user", "other", "tool", "assistant", "fetched", "system")

SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="consent.persist",
        default=_ORIGINS,
        tightening=FEWER,
        choices=_ORIGINS,
        meaning="speakers whose turns may be stored as episodes; other turns are refused and counted, never stored",
    ),
    Setting(
        key="redaction.enabled",
        default=True,
        tightening=ON,
        meaning="replace secrets and private spans before anything is stored; use false at your own risk",
    ),
    Setting(
        key="policy.file",
        default="",
        tightening=NOTHING,
        meaning="a file with your own rules, merged over the shipped policy; empty for the shipped policy only",
    ),
    Setting(key="recall.budget", default=1024, least=16, most=200_000, meaning="default token budget of a recall"),
    Setting(
        key="recall.mode",
        default="auto",
        choices=("auto", "lexical", "hybrid"),
        meaning="auto uses vectors if a model is installed; lexical never loads a model",
    ),
    Setting(
        key="recall.note_use",
        default=True,
        tightening=ON,
        meaning="count uses, and record what recall returned, so that it is not learned again",
    ),
    Setting(
        key="embedder.kind",
        default="auto",
        choices=("auto", "minilm", "hashed", "none"),
        meaning="auto uses MiniLM if it is installed, and no vectors otherwise",
    ),
    Setting(key="learn.batch", default=256, least=1, most=5000, meaning="turns per transaction of `learn`"),
    Setting(
        key="ingest.taxonomy",
        default="",
        meaning="a file with your own value families; empty for taxonomy.toml in the data directory, if it exists",
    ),
    Setting(
        key="ingest.refine",
        default=False,
        meaning="let the configured language model suggest statements; each is checked and passes the write gate",
    ),
    Setting(
        key="ingest.test_words",
        default=(),
        meaning="words that select the test namespace: as a tag, in a source name, or in brackets before a text",
    ),
    Setting(
        key="ingest.ephemeral_words",
        default=(),
        meaning="words that select the ephemeral namespace, in the same three ways",
    ),
    Setting(
        key="ingest.ephemeral_hours",
        default=24,
        least=1,
        most=8760,
        meaning="hours after which an ephemeral memory is no longer recalled; `maintain` then deprecates it",
    ),
    Setting(
        key="review.max_age_days",
        default=30,
        least=1,
        most=3650,
        tightening=HIGHER,
        meaning="days after which a waiting proposal expires",
    ),
    Setting(
        key="corrections.refine",
        default=False,
        meaning="let the configured language model shorten the wording of proposed corrections; it never decides",
    ),
    Setting(
        key="session.idle_minutes",
        default=30,
        least=1,
        most=10_080,
        meaning="minutes without a turn after which a live conversation counts as ended",
    ),
    Setting(
        key="procedural.staging.enabled",
        default=True,
        tightening=ON,
        meaning="bullets wait for a reviewer; false assigns those that are classified confidently, and stages the rest",
    ),
    Setting(
        key="procedural.staging.auto_assign",
        default=False,
        tightening=OFF,
        meaning="assign a staged bullet automatically if the classifier is confident enough; recorded as auto",
    ),
    Setting(
        key="procedural.staging.auto_assign_threshold",
        tightening=HIGHER,
        default=0.8,
        least=0.5,
        most=1,
        meaning="minimum confidence for automatic assignment of a bullet",
    ),
    Setting(
        key="procedural.staging.manual_review_threshold",
        tightening=HIGHER,
        default=0.6,
        least=0,
        most=1,
        meaning="confidence below which a staged bullet has the highest review priority",
    ),
    Setting(
        key="procedural.staging.max_staging_age_days",
        tightening=HIGHER,
        default=30,
        least=1,
        most=3650,
        meaning="days after which a staged bullet expires",
    ),
    Setting(
        key="procedural.reflector.refine",
        default=False,
        meaning="let the configured language model add lessons that a turn states; each is checked by the write gate",
    ),
    Setting(
        key="procedural.classifier.model",
        default="",
        meaning="the configured language model, for a second opinion on the side of a bullet; empty for none",
    ),
    Setting(
        key="procedural.classifier.temperature",
        default=0.3,
        least=0,
        most=2,
        meaning="temperature of the second opinion",
    ),
    Setting(
        key="procedural.classifier.prompt_template",
        default="default",
        meaning="default, or a file with your own prompt, which must contain `$bullet`",
    ),
    Setting(
        key="maintenance.budget_ms",
        default=50,
        least=0,
        most=10_000,
        meaning="milliseconds that a writing command may spend on pending housekeeping",
    ),
    Setting(
        key="language_model.kind",
        default="none",
        tightening=NONE,
        choices=("none", "openai", "ollama"),
        meaning="a language model that refines wordings and never decides",
    ),
    Setting(
        key="language_model.url",
        default="",
        tightening=NOTHING,
        meaning="the address of the language model, for example a local server",
    ),
    Setting(key="language_model.model", default="", meaning="the name of the language model"),
    Setting(
        key="language_model.key_variable",
        default="DOPEJAR_LANGUAGE_MODEL_KEY",
        tightening=NOTHING,
        meaning="the environment variable that holds the API key; the key itself is never stored",
    ),
    Setting(
        key="language_model.timeout_s", default=5.0, least=0.1, most=600.0, meaning="timeout of one request, in seconds"
    ),
    Setting(
        key="language_model.daily_tokens",
        default=50_000,
        least=0,
        most=1_000_000_000,
        meaning="hard limit of tokens per day, across all processes",
    ),
)

_BY_KEY = {setting.key: setting for setting in SETTINGS}
_SECTIONS = {"procedural_memory": "procedural"}
"""Other names of a section, so that a block written under such a name can be copied as it is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The values, and where each came from ("default", "config.yaml", a variable, or "accepted").

    They are the configured ones as read, and those in force once `acceptance.govern` compared them with `accepted`;
    `differences` are the governed settings that are configured otherwise.
    """

    home: Path
    values: Mapping[str, Value]
    sources: Mapping[str, str]
    differences: tuple[SettingDifference, ...] = ()
    accepted: AcceptedSettings = field(default_factory=AcceptedSettings)

    def text(self, key: str) -> str:
        """A text setting."""
        return str(self.values[key])

    def number(self, key: str) -> int:
        """A whole-number setting."""
        return int(float(str(self.values[key])))

    def real(self, key: str) -> float:
        """A real-number setting."""
        return float(str(self.values[key]))

    def flag(self, key: str) -> bool:
        """A yes-or-no setting."""
        return bool(self.values[key])

    def names(self, key: str) -> tuple[str, ...]:
        """A setting that is a list of names."""
        value = self.values[key]
        return value if isinstance(value, tuple) else (str(value),)

    def origins(self) -> frozenset[Origin]:
        """Whose words may be kept."""
        from dopejar.values.episode import Origin

        return frozenset(Origin(name) for name in self.names("consent.persist"))


def read_settings(home: Path, environment: Mapping[str, str]) -> Settings:
    """The settings of a data directory: defaults, then `config.yaml`, then the environment.

    Raises:
        SettingError: a key is unknown or a value is impossible; the message names it and says what it takes.
    """
    values: dict[str, Value] = {setting.key: setting.default for setting in SETTINGS}
    sources = dict.fromkeys(values, DEFAULT)
    for key, raw in _from_file(home / CONFIG_NAME).items():
        if raw is None and key in _BY_KEY:
            continue  # `model: null` means the same as no line: the default stays
        values[key], sources[key] = check(key, raw), CONFIG_NAME
    for setting in SETTINGS:
        if setting.variable in environment:
            values[setting.key] = check(setting.key, environment[setting.variable])
            sources[setting.key] = setting.variable
    return Settings(home=home, values=values, sources=sources)


def check(key: str, raw: object) -> Value:
    """The value of a setting, typed. Raises SettingError."""
    setting = _BY_KEY.get(key)
    if setting is None:
        import difflib  # only for a key that is wrong

        close = difflib.get_close_matches(key, _BY_KEY, 1)
        hint = f" Did you mean {close[0]}?" if close else " `dopejar config list` lists all settings."
        raise SettingError(f"There is no setting {key!r}.{hint}")
    if isinstance(setting.default, bool):
        return _flag(setting, raw)
    if isinstance(setting.default, int | float):
        return _number(setting, raw, whole=isinstance(setting.default, int))
    if isinstance(setting.default, tuple):
        return _names(setting, raw)
    if setting.choices and str(raw) not in setting.choices:
        raise SettingError(f"{key} takes {' or '.join(setting.choices)}, not {raw!r}.")
    return str(raw)


def _flag(setting: Setting, raw: object) -> bool:
    words = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
    try:
        return words[str(raw).strip().lower()]
    except KeyError:
        raise SettingError(f"{setting.key} takes true or false, not {raw!r}.") from None


def _number(setting: Setting, raw: object, *, whole: bool) -> int | float:
    least, most = setting.least or 0, setting.most or 0
    kind = "a whole number" if whole else "a number"
    try:
        value = float(str(raw))
    except ValueError:
        value = float("nan")
    if not least <= value <= most or (whole and value != int(value)):
        raise SettingError(f"{setting.key} takes {kind} from {least:g} to {most:g}, not {raw!r}.")
    return int(value) if whole else value


def _names(setting: Setting, raw: object) -> tuple[str, ...]:
    names = raw if isinstance(raw, list | tuple) else [part for part in str(raw).replace(",", " ").split() if part]
    for name in names:
        if setting.choices and str(name) not in setting.choices:
            allowed = ", ".join(setting.choices)
            raise SettingError(f"{setting.key} takes a list of {allowed}; {name!r} is not one of them.")
    return tuple(str(name) for name in names)


def _from_file(path: Path) -> dict[str, object]:
    """The flat keys of a configuration file; nested sections are joined by dots."""
    if not path.is_file():
        return {}
    import yaml

    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as fault:
        raise SettingError(f"{path} cannot be read: {fault}. Correct it or move it away.") from fault
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise SettingError(f"{path} must hold keys and values, such as `recall: {{budget: 2000}}`.")
    flat: dict[str, object] = {}
    _flatten("", loaded, flat)
    return flat


def _flatten(prefix: str, section: Mapping[object, object], flat: dict[str, object]) -> None:
    for name, value in section.items():
        first, dot, rest = f"{prefix}{name}".partition(".")
        key = f"{_SECTIONS.get(first, first)}{dot}{rest}"
        if isinstance(value, dict):
            _flatten(f"{key}.", value, flat)
        else:
            flat[key] = value


def write_setting(home: Path, key: str, raw: str) -> Value:
    """Check a setting and write it into `config.yaml` atomically. Raises SettingError, StoreError."""
    import yaml

    value = check(key, raw)
    path = home / CONFIG_NAME
    flat = _from_file(path)
    flat[key] = list(value) if isinstance(value, tuple) else value
    text = yaml.safe_dump(flat, sort_keys=True, allow_unicode=True)
    partial = path.with_suffix(".new")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.chmod(0o600)
        partial.replace(path)
    except OSError as fault:
        raise StoreError(f"{path} cannot be written ({fault.strerror}); the setting stays as it was.") from fault
    return value

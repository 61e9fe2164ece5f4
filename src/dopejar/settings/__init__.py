"""The settings as configured; read once from `config.yaml` and the environment.

Takes: the data directory and the environment, from `compose`. Gives: one frozen `Settings`. Never: is imported by the
rooms below; they receive values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.errors import SettingError, StoreError
from dopejar.settings.known_settings import SETTINGS, Setting, Value
from dopejar.values.accepted_settings import AcceptedSettings, SettingDifference

if TYPE_CHECKING:
    from dopejar.values.episode import Origin

__all__ = [
    "CONFIG_NAME",
    "DEFAULT",
    "HOME_VARIABLE",
    "SETTINGS",
    "Setting",
    "Settings",
    "Value",
    "check",
    "read_settings",
    "write_setting",
]

CONFIG_NAME = "config.yaml"
HOME_VARIABLE = "DOPEJAR_HOME"
DEFAULT = "default"  # the source of a value that nobody configured

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

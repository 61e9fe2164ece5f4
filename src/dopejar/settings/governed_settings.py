"""Governed settings: what decides over safety is in force as a reviewer accepted it, or tighter.

Takes: the configured settings and what was accepted. Gives: the settings in force, with what is configured otherwise.
Never: uses a value that loosens what was accepted, wherever it comes from.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from dopejar.errors import SettingError
from dopejar.memory.accepted_settings import policy_digest
from dopejar.settings import DEFAULT, SETTINGS, Setting, Settings, Value, check
from dopejar.values.accepted_settings import POLICY_FILE, AcceptedSettings, SettingDifference

ACCEPTED = "accepted"  # a source of a value in force


def govern(settings: Settings, accepted: AcceptedSettings, trusted: Collection[str] = ()) -> Settings:
    """The settings in force. `trusted` are sources whose values count as accepted."""
    values, sources = dict(settings.values), dict(settings.sources)
    differences = []
    for setting in SETTINGS:
        source = settings.sources[setting.key]
        if setting.tightening is None or source in trusted:
            continue
        difference = setting_difference(setting, settings.values[setting.key], source, accepted)
        if difference is None:
            continue
        if source != DEFAULT:  # what is not configured at all is no wish to change it
            differences.append(difference)
        if not difference.is_used:
            values[setting.key] = difference.accepted
            sources[setting.key] = ACCEPTED if setting.key in accepted.values else DEFAULT
    return replace(settings, values=values, sources=sources, differences=tuple(differences), accepted=accepted)


def setting_difference(
    setting: Setting, wanted: Value, source: str, accepted: AcceptedSettings
) -> SettingDifference | None:
    """What a value changes about a governed setting; None where it is as accepted."""
    if setting.key == POLICY_FILE:
        return _policy_difference(setting, str(wanted), source, accepted)
    before = accepted_value(setting, accepted)
    if wanted == before or setting.tightening is None:
        return None
    return SettingDifference(
        key=setting.key, accepted=before, wanted=wanted, source=source, is_used=setting.tightening.holds(before, wanted)
    )


def accepted_value(setting: Setting, accepted: AcceptedSettings) -> Value:
    """The value of a setting as accepted; its default where nothing, or nothing possible, was accepted."""
    if setting.key not in accepted.values:
        return setting.default
    try:
        return check(setting.key, accepted.values[setting.key])
    except SettingError:  # accepted by another version, which took other values
        return setting.default


def _policy_difference(
    setting: Setting, wanted: str, source: str, accepted: AcceptedSettings
) -> SettingDifference | None:
    """A policy file is compared by its text: another place of the same text is no difference."""
    content = fault = ""
    if wanted:
        from dopejar.governance.policy.policy_file import read_policy_text

        try:
            content = read_policy_text(Path(wanted).expanduser())
        except SettingError as error:
            fault = str(error)
    if not fault and policy_digest(content) == accepted.policy:
        return None
    before = accepted_value(setting, accepted)
    return SettingDifference(
        key=setting.key, accepted=before, wanted=wanted, source=source, content=content, fault=fault
    )

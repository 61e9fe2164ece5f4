"""Accepted settings: what a reviewer accepted, and where the configuration wants something else.

Takes: checked values of settings. Gives: frozen values. Never: reads a file, the environment or the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SettingValue = bool | int | float | str | tuple[str, ...]
POLICY_FILE = "policy.file"


@dataclass(frozen=True, kw_only=True, slots=True)
class AcceptedSettings:
    """The governed settings that a reviewer accepted; those that are missing have their defaults.

    `policy` is the SHA-256 of the accepted policy file's text, "" for the shipped policy. `fault` says why the row in
    the store cannot be believed, "" where it can.
    """

    values: Mapping[str, SettingValue] = field(default_factory=dict)
    policy: str = ""
    fault: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingDifference:
    """A governed setting that is configured otherwise than it was accepted.

    `is_used` tells that it only tightens, so that it needs nobody. `content` is the text of a policy file, and `fault`
    says why that file cannot be used.
    """

    key: str
    accepted: SettingValue
    wanted: SettingValue
    source: str
    is_used: bool = False
    content: str = ""
    fault: str = ""


def unaccepted_sentence(differences: tuple[SettingDifference, ...], fault: str = "") -> str:
    """One sentence about what is configured and not used because no reviewer accepted it; "" where there is nothing."""
    told = [
        f"{one.key} = {setting_text(one.wanted) or 'empty'} ({one.source}; {_in_force(one)} stays in force)"
        for one in differences
        if not one.is_used
    ]
    if not told:
        return fault
    listed = f"Not used until a reviewer accepts it with `dopejar config accept`: {', '.join(told)}."
    return f"{fault} {listed}".strip()


def _in_force(difference: SettingDifference) -> str:
    if difference.key == POLICY_FILE:
        return f"the accepted text of {difference.accepted}" if difference.accepted else "the shipped policy"
    return setting_text(difference.accepted) or "the default"


def setting_text(value: SettingValue) -> str:
    """A value as it is written on the command line."""
    if isinstance(value, tuple):
        return " ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)

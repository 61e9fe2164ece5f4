"""`config`: the settings.

Takes: keys and values. Gives: what is in force and where it comes from. Never: writes a value that was not checked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated

import typer

from dopejar.doors.cli.command_context import OK, CommandContext
from dopejar.doors.cli.command_registry import command, group
from dopejar.doors.cli.text_format import table
from dopejar.settings import SETTINGS, Setting, Settings, Value, check, read_settings, write_setting

commands = group(
    """The settings: list, get, set. The bare word lists.

    A value comes from its environment variable, else from `config.yaml` in the data directory, else it is the default.
    """
)

Key = Annotated[str, typer.Argument(metavar="KEY", help="A setting, for instance recall.budget.")]


def _in_force(context: CommandContext) -> Settings:
    return read_settings(context.directory, os.environ)


def _shown(value: Value) -> str:
    if isinstance(value, tuple):
        return " ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


@command(commands, "list")
def list_settings(context: CommandContext) -> int:
    """List every setting: its value, where that comes from, and what it means."""
    settings = _in_force(context)
    data = [_as_data(one, settings) for one in SETTINGS]
    context.answer({"settings": data}, lambda: _setting_lines(settings))
    return OK


def _as_data(setting: Setting, settings: Settings) -> dict[str, object]:
    return {
        "key": setting.key,
        "value": settings.values[setting.key],
        "source": settings.sources[setting.key],
        "default": setting.default,
        "variable": setting.variable,
        "meaning": setting.meaning,
    }


def _setting_lines(settings: Settings) -> Iterator[str]:

    rows = [(one.key, _shown(settings.values[one.key]), settings.sources[one.key], one.meaning) for one in SETTINGS]
    yield from table(("setting", "value", "from", "meaning"), rows)


@command(commands, "get")
def get(context: CommandContext, key: Key) -> int:
    """Print the value in force."""
    check(key, next((one.default for one in SETTINGS if one.key == key), ""))
    settings = _in_force(context)
    found = next(one for one in SETTINGS if one.key == key)
    context.answer(_as_data(found, settings), [_shown(settings.values[key])])
    return OK


@command(commands, "set")
def set_(
    context: CommandContext,
    key: Key,
    value: Annotated[
        str, typer.Argument(metavar="VALUE", help="The new value; a list is written with spaces or commas.")
    ],
) -> int:
    """Write a setting into `config.yaml`; it holds from the next command on.

    For example:

        dopejar config set recall.budget 2000
    """
    context.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    written = write_setting(context.directory, key, value)
    in_force = _in_force(context)
    if in_force.values[key] != written:
        context.note(f"{in_force.sources[key]} in the environment overrides it.")
    context.answer({"key": key, "value": written}, [f"{key} is {_shown(written)} now"])
    return OK

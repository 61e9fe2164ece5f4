"""The `config` commands: the settings.

Takes: keys and values. Gives: the effective values and where they come from. Never: writes a value before checking it.
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
    """Show and change settings. Without a subcommand, lists them.

    An environment variable takes precedence over `config.yaml` in the data directory, which takes precedence over the
    default.
    """
)

Key = Annotated[str, typer.Argument(metavar="KEY", help="The name of a setting, for example recall.budget.")]


def _effective_settings(context: CommandContext) -> Settings:
    return read_settings(context.directory, os.environ)


def _format_value(value: Value) -> str:
    if isinstance(value, tuple):
        return " ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


@command(commands, "list")
def list_settings(context: CommandContext) -> int:
    """List all settings: the value, where it comes from, and what it means."""
    settings = _effective_settings(context)
    data = [_setting_data(setting, settings) for setting in SETTINGS]
    context.answer({"settings": data}, lambda: _setting_lines(settings))
    return OK


def _setting_data(setting: Setting, settings: Settings) -> dict[str, object]:
    return {
        "key": setting.key,
        "value": settings.values[setting.key],
        "source": settings.sources[setting.key],
        "default": setting.default,
        "variable": setting.variable,
        "meaning": setting.meaning,
    }


def _setting_lines(settings: Settings) -> Iterator[str]:

    rows = [
        (setting.key, _format_value(settings.values[setting.key]), settings.sources[setting.key], setting.meaning)
        for setting in SETTINGS
    ]
    yield from table(("setting", "value", "source", "meaning"), rows)


@command(commands, "get")
def get(context: CommandContext, key: Key) -> int:
    """Print the effective value of a setting."""
    check(key, next((setting.default for setting in SETTINGS if setting.key == key), ""))
    settings = _effective_settings(context)
    chosen = next(setting for setting in SETTINGS if setting.key == key)
    context.answer(_setting_data(chosen, settings), [_format_value(settings.values[key])])
    return OK


@command(commands, "set")
def set_(
    context: CommandContext,
    key: Key,
    value: Annotated[
        str, typer.Argument(metavar="VALUE", help="The new value. Separate the items of a list with spaces or commas.")
    ],
) -> int:
    """Write a setting to `config.yaml`. It takes effect with the next command.

    For example:

        dopejar config set recall.budget 2000
    """
    context.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    written = write_setting(context.directory, key, value)
    effective = _effective_settings(context)
    if effective.values[key] != written:
        context.note(f"The environment variable {effective.sources[key]} overrides this value.")
    context.answer({"key": key, "value": written}, [f"{key} = {_format_value(written)}"])
    return OK

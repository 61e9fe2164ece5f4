"""The `config` commands: the settings.

Takes: keys and values. Gives: the effective values and where they come from. Never: writes a value before checking it,
or one of a governed setting that loosens and that no reviewer accepted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from dopejar.compose import STORE_NAME
from dopejar.doors.cli.authentication import authenticate
from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command, group
from dopejar.doors.cli.text_format import safe, table
from dopejar.settings import CONFIG_NAME, SETTINGS, Setting, Settings, Value, check, read_settings, write_setting
from dopejar.settings.governed_settings import govern, setting_difference
from dopejar.values.accepted_settings import POLICY_FILE, AcceptedSettings, SettingDifference, setting_text

commands = group(
    """Show and change settings. Without a subcommand, lists them.

    An environment variable takes precedence over `config.yaml` in the data directory, which takes precedence over the
    default. Settings that decide over safety are governed: a change that does not tighten them is in force when a
    reviewer has accepted it.
    """
)

Key = Annotated[str, typer.Argument(metavar="KEY", help="The name of a setting, for example recall.budget.")]


def _effective_settings(context: CommandContext) -> Settings:
    """The settings in force; no store is created to see what was accepted."""
    accepted = AcceptedSettings()
    if (context.directory / STORE_NAME).is_file():
        with context.open_memory(use_project=False, detect_project=False) as memory:
            accepted = memory.settings.accepted
    return govern(read_settings(context.directory, os.environ), accepted)


def _setting(key: str) -> Setting:
    """The setting with this name. Raises SettingError."""
    check(key, next((setting.default for setting in SETTINGS if setting.key == key), ""))
    return next(setting for setting in SETTINGS if setting.key == key)


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
        "governed": setting.tightening is not None,
    }


def _setting_lines(settings: Settings) -> Iterator[str]:

    rows = [
        (setting.key, setting_text(settings.values[setting.key]), settings.sources[setting.key], setting.meaning)
        for setting in SETTINGS
    ]
    yield from table(("setting", "value", "source", "meaning"), rows)


@command(commands, "get")
def get(context: CommandContext, key: Key) -> int:
    """Print the effective value of a setting."""
    chosen, settings = _setting(key), _effective_settings(context)
    context.answer(_setting_data(chosen, settings), [setting_text(settings.values[key])])
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

    A change of a governed setting needs a reviewer. Where there is none yet, it may tighten.

    For example:

        dopejar config set recall.budget 2000
    """
    setting = _setting(key)
    if key == POLICY_FILE and value:
        value = str(Path(value).expanduser().absolute())  # commands run in other directories
    context.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if setting.tightening is not None:
        _accept_value(context, setting, check(key, value))
    written = write_setting(context.directory, key, value)
    variable = os.environ.get(setting.variable)
    if variable is not None and check(key, variable) != written:
        context.note(f"The environment variable {setting.variable} overrides this value where it may.")
    context.answer({"key": key, "value": written}, [f"{key} = {setting_text(written)}"])
    return OK


def _accept_value(context: CommandContext, setting: Setting, value: Value) -> None:
    """A reviewer accepts the value of a governed setting before it is written; where there is none, it may tighten."""
    with replace(context, announces_settings=False).open_memory(use_project=False, detect_project=False) as memory:
        difference = setting_difference(setting, value, CONFIG_NAME, memory.settings.accepted)
        if difference is None:
            return
        if difference.is_used and not memory.reviewers.names():
            context.note("It tightens, so it is in force. Once there is a reviewer, `dopejar config accept` binds it.")
            return
        memory.settings.accept(authenticate(memory), [difference], context.trace_id)


@command(commands, "accept")
def accept(context: CommandContext) -> int:
    """Show the governed settings whose configured value is not the accepted one, and accept them. Needs a reviewer.

    For a policy file, its content is accepted; accept it again after every change.

    For example:

        dopejar config accept
    """
    quiet = replace(context, announces_settings=False)
    with quiet.open_memory(use_project=False, detect_project=False) as memory:
        differences = memory.settings.differences
        if not differences and not memory.settings.accepted.fault:
            context.note("Every governed setting is as it was accepted.")
            context.answer({"accepted": []}, [])
            return OK
        for line in _difference_lines(differences, memory.settings.policy_text):
            context.note(line)
        by = authenticate(memory)
        if context.may_ask:
            typer.confirm("Accept these settings?", abort=True, err=True)
        memory.settings.accept(by, differences, context.trace_id)
    lines = [f"accepted: {one.key} = {setting_text(one.wanted)}" for one in differences]
    context.answer({"accepted": [json_fields(one) for one in differences]}, lines)
    return OK


def _difference_lines(differences: Sequence[SettingDifference], policy_text: Callable[[], str]) -> Iterator[str]:
    """Each difference in a line; of a policy file also the changed lines of its text."""
    for one in differences:
        state = "in force, because it tightens" if one.is_used else "not in force"
        before, wanted = setting_text(one.accepted) or "empty", setting_text(one.wanted) or "empty"
        yield safe(f"{one.key}: accepted {before}, wanted by {one.source} {wanted} ({state})")
        if one.key == POLICY_FILE:
            from difflib import unified_diff

            changed = unified_diff(
                policy_text().splitlines(), one.content.splitlines(), "accepted", "wanted", lineterm=""
            )
            yield from (f"    {safe(line)}" for line in changed)

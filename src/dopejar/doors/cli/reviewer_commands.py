"""The `reviewer` commands: who may decide about proposals.

Takes: names, and passphrases typed at a terminal. Gives: the list of reviewers. Never: shows or stores a passphrase.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from dopejar.doors.cli import authentication
from dopejar.doors.cli.command_context import OK, CommandContext
from dopejar.doors.cli.command_registry import command, group
from dopejar.errors import UsageError

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory

commands = group(
    """Manage the reviewers, who decide about proposals and have a passphrase. Without a subcommand, lists them.

    A passphrase stays valid for 15 minutes at the terminal where it was typed. Trusted automation sets it in
    `DOPEJAR_REVIEWER_SECRET`, and the name in `DOPEJAR_REVIEWER`; this neither adds nor removes reviewers.

    After three wrong passphrases there is a pause of one second, which doubles up to five minutes. A terminal where
    the passphrase was right within the last week has a counter of its own.
    """
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the reviewer.")]


@command(commands, "list")
def list_reviewers(context: CommandContext) -> int:
    """List the reviewers, who is unlocked at this terminal, and the terminals that a reviewer trusts."""
    with context.open_memory(use_project=False) as memory:
        names = memory.reviewers.names()
        trusted = memory.reviewers.trusted_terminals()
        unlocked = memory.reviewers.at_terminal(authentication.terminal_id())
    if not names:
        context.note("No reviewers yet. Add one with `dopejar reviewer add NAME`.")
    lines = [f"{name} (unlocked at this terminal)" if unlocked and name == unlocked.name else name for name in names]
    lines += [f"terminal {one.label} ({one.id[:8]}): trusted by {one.reviewer} until {one.until:%F}" for one in trusted]
    data = {"reviewers": list(names), "unlocked": unlocked.name if unlocked else None}
    context.answer({**data, "trusted_terminals": trusted}, lines)
    return OK


@command(commands, "add")
def add(context: CommandContext, name: Name) -> int:
    """Add a reviewer, or change the passphrase of one, at a terminal. Needs a reviewer, except for the first one.

    For example:

        dopejar reviewer add ana
    """
    with context.open_for_writing(detect_project=False) as memory:
        is_first = not memory.reviewers.names()
        by = None if is_first else authentication.authenticate(memory, from_environment=False)
        passphrase = authentication.new_passphrase()
        memory.reviewers.add(name, passphrase, by, context.trace_id)
        is_trusted = is_first and context.may_ask and _offer_trust(context, memory, name.strip(), passphrase)
    lines = [f"{name.strip()} is a reviewer now.", *([_TRUSTED] if is_trusted else [])]
    context.answer({"reviewer": name.strip()}, lines)
    return OK


_TRUSTED: Final = (
    "What you type at this terminal with `dopejar remember` takes effect at once; `dopejar reviewer distrust-terminal` "
    "ends that."
)


def _offer_trust(context: CommandContext, memory: Memory, name: str, passphrase: str) -> bool:
    """Ask the first reviewer whether to trust this terminal; whether it is trusted now."""
    terminal = authentication.terminal_id()
    question = "Trust this terminal, so that rules you type here with `dopejar remember` take effect at once?"
    if not terminal or not typer.confirm(question, default=False, err=True):
        return False
    by = memory.reviewers.unlock(passphrase, name=name, terminal=terminal)
    memory.reviewers.trust_terminal(terminal, by, authentication.terminal_label(), context.trace_id)
    return True


@command(commands, "trust-terminal")
def trust_terminal(context: CommandContext) -> int:
    """Trust this terminal: rules and preferences typed here with `remember` take effect at once. Needs a reviewer.

    The trust ends with the shell of this terminal, or after 30 days. Decisions still need the passphrase. Do not trust
    a terminal that an agent shares.
    """
    terminal, label = authentication.terminal_id(), authentication.terminal_label()
    if not terminal:
        raise UsageError("Trust is per terminal, and stdin is not a terminal. Run this command at a terminal.")
    with context.open_memory(use_project=False, detect_project=False) as memory:
        by = authentication.authenticate(memory, from_environment=False)
        trusted = memory.reviewers.trust_terminal(terminal, by, label, context.trace_id)
    context.answer({"terminal": trusted}, [_TRUSTED])
    return OK


@command(commands, "distrust-terminal")
def distrust_terminal(
    context: CommandContext,
    terminal: Annotated[
        str, typer.Argument(metavar="TERMINAL", help="Its device or id, as listed. Default: this terminal.")
    ] = "",
) -> int:
    """End the trust in a terminal. Needs no reviewer."""
    with context.open_memory(use_project=False, detect_project=False) as memory:
        ended = memory.reviewers.distrust_terminal(terminal or authentication.terminal_label(), context.trace_id)
    context.answer({"terminal": ended}, [f"{ended.label} is no longer trusted."])
    return OK


@command(commands, "remove")
def remove(context: CommandContext, name: Name) -> int:
    """Remove a reviewer, at a terminal. The last one cannot be removed. Needs a reviewer."""
    with context.open_for_writing(detect_project=False) as memory:
        by = authentication.authenticate(memory, from_environment=False)
        memory.reviewers.remove(name, by, context.trace_id)
    context.answer({"removed": name}, [f"{name} is no longer a reviewer. Their decisions stay in force."])
    return OK


@command(commands, "unlock")
def unlock(
    context: CommandContext,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The reviewer whose passphrase it is. Default: any.")
    ] = "",
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="An assistant, by the name it gave, instead of this terminal.")
    ] = "",
) -> int:
    """Ask for a passphrase and stay unlocked at this terminal for 15 minutes.

    With `--host`, that assistant asks you about what it proposes in these minutes, and a yes there approves it.
    """
    terminal = authentication.terminal_id()
    if not terminal:
        raise UsageError("Unlocking is per terminal, and stdin is not a terminal. Run this command at a terminal.")
    with context.open_memory(use_project=False, detect_project=False) as memory:
        passphrase = authentication.ask_passphrase("Passphrase: ")
        by = memory.reviewers.unlock(passphrase, name=name, terminal=terminal, host=host)
    place = f"for {host}" if host else "at this terminal"
    context.answer({"reviewer": by.name}, [f"{by.name} is unlocked {place} for 15 minutes."])
    return OK


@command(commands, "lock")
def lock(context: CommandContext) -> int:
    """Lock this terminal: the next decision asks for a passphrase again."""
    terminal = authentication.terminal_id()
    with context.open_memory(use_project=False, detect_project=False) as memory:
        was_open = bool(terminal) and memory.reviewers.lock(terminal)
    context.answer({"was_open": was_open}, ["Locked." if was_open else "This terminal was not unlocked."])
    return OK

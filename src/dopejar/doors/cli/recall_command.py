"""The `recall` command, and a minimal option parser for it.

Takes: the words after `recall`, or a question and its options. Gives: the packed text or JSON, and an exit code; None
for a command line that the minimal parser does not accept. Never: imports the command tree: agents run `recall` many
times a day and pay for every import. Usage errors and `--help` are left to the command tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from dopejar.doors.cli.command_context import OK, CommandContext, directory_named, json_fields, parse_date
from dopejar.errors import InputError
from dopejar.values.recall import ContextPack, Source
from dopejar.values.record import Kind
from dopejar.values.scope import Namespace

FLAGS: Final = {
    "--json": "as_json",
    "--quiet": "quiet",
    "-q": "quiet",
    "--explain": "explain",
    "--records-only": "records_only",
    "--all-projects": "all_projects",
}
TEXTS: Final = {
    "--home": "home",
    "--project": "project",
    "--as-of": "as_of",
    "--believed-at": "believed_at",
    "--namespace": "namespace",
    "--why-not": "why_not",
}
NUMBERS: Final = {"--budget": "budget", "--limit": "limit"}
LISTS: Final = {"--kind": "kinds", "--language": "languages"}
MAX_LIMIT: Final = 1000  # the same bound as in the command tree
_MAX_BUDGET: Final = 10**9


def run(arguments: Sequence[str]) -> int | None:
    """Run `recall` with these arguments; None where the command tree must parse them."""
    options = parse(arguments)
    if options is None:
        return None
    home = options.pop("home", None)
    context = CommandContext(
        as_json=bool(options.pop("as_json", False)),
        home=directory_named(str(home)) if home is not None else None,
        project=str(options.pop("project", "")),
        quiet=bool(options.pop("quiet", False)),
    )
    return recall(context, **options)  # type: ignore[arg-type] # `parse` types each value by its option's table


def parse(arguments: Sequence[str]) -> dict[str, object] | None:
    """The options by name, and the question; None where an argument is unknown, missing or out of bounds."""
    options: dict[str, object] = {}
    question: list[str] = []
    remaining = list(arguments)
    while remaining:
        argument = remaining.pop(0)
        if argument == "--":
            question += remaining
            break
        if not argument.startswith("-") or argument == "-":
            question.append(argument)
        elif argument in FLAGS:
            options[FLAGS[argument]] = True
        elif not _parse_option(argument, remaining, options):
            return None
    if not question:
        return None
    return {**options, "question": " ".join(question)}


def _parse_option(argument: str, remaining: list[str], options: dict[str, object]) -> bool:
    """Add an option and its value to the options. Returns whether both are valid."""
    name, equals_sign, value = argument.partition("=")
    if name not in TEXTS and name not in NUMBERS and name not in LISTS:
        return False
    if not equals_sign:
        if not remaining:
            return False
        value = remaining.pop(0)
    if name in NUMBERS:
        if not _is_number(value, MAX_LIMIT if name == "--limit" else _MAX_BUDGET):
            return False
        options[NUMBERS[name]] = int(value)
    elif name in TEXTS:
        options[TEXTS[name]] = value
    else:
        earlier = options.get(LISTS[name], [])
        options[LISTS[name]] = [*(earlier if isinstance(earlier, list) else []), value]
    return _is_allowed(name, value)


def _is_number(value: str, maximum: int) -> bool:
    return value.isdecimal() and value.isascii() and 1 <= int(value) <= maximum


def _is_allowed(name: str, value: str) -> bool:
    if name == "--kind":
        return value in {str(kind) for kind in Kind}
    return name != "--namespace" or value in {str(namespace) for namespace in Namespace}


def recall(
    context: CommandContext,
    question: str,
    *,
    budget: int | None = None,
    as_of: str = "",
    believed_at: str = "",
    explain: bool = False,
    kinds: Sequence[str] = (),
    records_only: bool = False,
    all_projects: bool = False,
    languages: Sequence[str] = (),
    limit: int = 50,
    namespace: str = "prod",
    why_not: str = "",
) -> int:
    """Ask memory and print the answer.

    Raises:
        InputError: the question is empty, or a date cannot be parsed. The engine's own errors pass through.
    """
    if not question.strip():
        raise InputError("There is no question: the text is empty.")
    with context.open_memory(use_project=False) as memory:

        def ask(*, everywhere: bool) -> ContextPack:
            return memory.recall(
                question,
                budget=budget,
                limit=limit,
                as_of=parse_date(as_of, "--as-of"),
                believed_at=parse_date(believed_at, "--believed-at"),
                project=context.project,
                all_projects=everywhere,
                languages=languages,
                namespace=namespace,
                kinds=kinds,
                records_only=records_only,
                explain=explain,
                why_not=why_not,
                trace_id=context.trace_id,
            )

        pack = ask(everywhere=all_projects)
        if not pack.items:
            context.note(_why_empty(pack, None if all_projects else lambda: ask(everywhere=True)))
    if context.as_json:
        context.answer(json_fields(pack), ())
    else:
        from dopejar.doors.cli.text_output import pack_lines

        context.answer({}, pack_lines(pack, explain=explain))
    return OK


def _why_empty(pack: ContextPack, ask_everywhere: Callable[[], ContextPack] | None) -> str:
    """Why nothing is shown: the budget, another project that knows it, or nobody does."""
    if pack.left_out:
        return "Something matches, but does not fit into the budget. Use a larger --budget."
    if ask_everywhere is not None and any(item.source is Source.RECORD for item in ask_everywhere().items):
        return "Nothing that holds here matches this question; a memory of another project does: use --all-projects."
    return "Nothing in memory matches this question. Try other words."

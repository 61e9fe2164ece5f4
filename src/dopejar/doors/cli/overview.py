"""The first screen of the command line: the commands that people use, in groups, one line each; then the others.

Takes: nothing. Gives: a text of one screen. Never: imports a command; a test compares the names with the command tree.
"""

from __future__ import annotations

from typing import Final

GROUPS: Final = (
    ("Use", (
        ("learn", "learn from transcripts of conversations"),
        ("remember", "remember a sentence"),
        ("recall", "what memory knows about a question, with sources"),
        ("check", "whether a tool call breaks an approved rule"),
        ("chat", "chat with an assistant that uses memory, turn by turn"),
    )),
    ("Review", (
        ("review", "approve, reject or edit waiting proposals"),
        ("undo", "undo an act, or all that was learned from a conversation"),
        ("forget", "take memories out of use"),
    )),
    ("Look", (
        ("list", "memories; --since 7d for what changed; --view; --blocks"),
        ("show", "a memory with its history, a subject, or a block"),
        ("status", "counts, the review queue, the model, the project"),
        ("graph", "what is connected to a person, project or tool"),
    )),
    ("Set up", (
        ("connect", "connect a coding assistant"),
        ("serve", "open the review page"),
        ("models", "install a model that searches by meaning"),
        ("config", "settings and where they come from"),
        ("reviewer", "who may decide"),
        ("store", "backup, restore, export, import"),
        ("doctor", "check the data file and the memories for faults"),
    )),
)  # fmt: skip
FURTHER: Final = (
    ("Assistants", (
        ("mcp", "serve memory to assistants over MCP"),
        ("api-key", "keys of programs that use the REST API"),
        ("run", "run an assistant, then ask about what was learned"),
        ("disconnect", "remove what connect wrote"),
        ("session", "end a session and learn from it"),
        ("instructions", "the approved rules as a section for AGENTS.md"),
        ("bullets", "a playbook of insights, and its feedback"),
        ("trace", "a governed turn, step by step"),
    )),
    ("Memory", (
        ("log", "who changed what, and why; lists conversations"),
        ("bring-back", "make forgotten or superseded memories active again"),
        ("erase", "erase text permanently, and verify it"),
        ("relearn", "read stored conversations again"),
        ("dossier", "merge or split what is known about two subjects"),
    )),
    ("Upkeep", (
        ("maintain", "run pending housekeeping now"),
        ("garden", "divide conversations into blocks of one topic"),
        ("bench", "run a measurement"),
        ("completion", "a script that completes commands in a shell"),
    )),
)  # fmt: skip

COMPLETION_VARIABLE: Final = "_DOPEJAR_COMPLETE"  # set by the script of a shell that asks what fits


def render(*, further: bool = False) -> str:
    """The first screen, or with `further` the other commands too: at most 80 columns, the first at most 40 lines."""
    lines = ["Governed long-term memory for AI agents and coding assistants.", "", "Usage: dopejar COMMAND [OPTIONS]"]
    for title, commands in (*GROUPS, *(FURTHER if further else ())):
        lines += ["", title, *(f"  {name:12} {what}" for name, what in commands)]
    others = () if further else ("`dopejar help --all` lists the other commands.",)
    return "\n".join([*lines, "", "`dopejar COMMAND --help` explains a command.", *others])

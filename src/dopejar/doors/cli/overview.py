"""The first screen of the command line: the commands that people use, in groups, one line each.

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
    )),
    ("Decide", (
        ("review", "approve, reject or edit what waits"),
        ("undo", "take back an act, or all that a conversation taught"),
        ("deprecate", "take memories out of use; bring-back restores them"),
        ("erase", "remove words for good, and verify it"),
    )),
    ("Look", (
        ("list", "memories, newest first"),
        ("history", "a memory's versions, evidence and acts"),
        ("graph", "what is connected to a person, project or tool"),
        ("log", "who changed what, and why"),
        ("status", "counts, the review queue, the model, the project"),
    )),
    ("Set up", (
        ("connect", "connect a coding assistant; disconnect undoes it"),
        ("mcp", "serve memory to assistants over MCP"),
        ("serve", "open the review page"),
        ("models", "install a model that searches by meaning"),
        ("reviewer", "who may decide"),
        ("config", "settings and where they come from"),
        ("doctor", "look for faults in the data file"),
    )),
)  # fmt: skip
FURTHER: Final = (
    "chat", "trace", "run", "backup", "restore", "export", "import", "maintain", "garden", "show", "session",
    "bullets", "bring-back", "disconnect", "relearn", "instructions", "profile", "decisions", "corrections", "keys",
    "hygiene", "bench",
)  # fmt: skip
_WIDTH: Final = 78


def render() -> str:
    """The first screen: at most 40 lines of at most 80 columns."""
    lines = ["Governed long-term memory for AI agents and coding assistants.", "", "Usage: dopejar COMMAND [OPTIONS]"]
    for title, commands in GROUPS:
        lines += ["", title, *(f"  {name:10} {what}" for name, what in commands)]
    lines += ["", "Also", *_wrapped(FURTHER)]
    return "\n".join([*lines, "", "`dopejar COMMAND --help` explains a command."])


def _wrapped(names: tuple[str, ...]) -> list[str]:
    lines = ["  "]
    for name in names:
        if len(lines[-1]) + len(name) > _WIDTH:
            lines.append("  ")
        lines[-1] += f"{name} "
    return [line.rstrip() for line in lines]

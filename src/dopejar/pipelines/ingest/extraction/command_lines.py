"""Command lines: what belongs into a shell, and tells the memory nothing.

Takes: a line. Gives: whether it is one. Never: takes a sentence about a tool for one ("git is what we use").
"""

from __future__ import annotations

import re
from typing import Final

_PROMPT: Final = r"(?:[$%]\s+)?(?:sudo\s+)?"
_TOOLS: Final = (
    r"(?:git|gh|npm|pnpm|yarn|npx|bun|docker(?:-compose)?|podman|kubectl|helm|terraform|curl|wget|python3?|pip3?|pipx|"
    r"uv|cargo|go|rustup|make|node|deno|cd|ls|cat|cp|mv|rm|mkdir|touch|chmod|chown|ln|tar|unzip|grep|sed|awk|find|ssh|"
    r"scp|rsync|brew|apt|apt-get|dnf|systemctl|journalctl|psql|mysql|redis-cli|aws|gcloud|az|source|unset|alias|echo)"
)
_ASSIGNS: Final = re.compile(rf"{_PROMPT}(?:export|set|setx|env|declare -x)\s+[A-Za-z_]\w*=", re.ASCII)
_CALLS: Final = re.compile(rf"{_PROMPT}{_TOOLS}(?=\s)", re.ASCII)
_SYNTAX: Final = re.compile(
    r"\s-{1,2}[A-Za-z]|\s(?:&&|\|\||[|>]|>>)\s|\s(?:\.{0,2}|~|\$\w*)/\S|://|\s[A-Za-z_]\w*=\S|\s\$\{?\w"
)
_CALLED_PLAINLY: Final = re.compile(  # a tool and what it is to do
    rf"{_PROMPT}(?:git|npm|pnpm|yarn|docker|kubectl|cargo|uv|pip3?|brew|terraform|systemctl|gh|helm)\s+"
    r"(?:add|apply|build|checkout|clean|clone|commit|compose|create|delete|describe|diff|exec|fetch|get|init|install|list|"
    r"log|login|logs|merge|plan|prune|ps|pull|push|rebase|remove|reset|restart|restore|run|show|start|stash|status|stop|"
    r"switch|sync|tag|test|uninstall|up|down|update|upgrade)(?:\s+[\w./@:-]+){0,3}\s*",
    re.ASCII,
)
_SENTENCE: Final = re.compile(  # words that a sentence has, and a command has not
    r"\b(?:is|are|was|has|have|always|never|before|after|when|every|only|instead|not|the|our|my|we|you|it|because|if|"
    r"should|must|for|with|on|per|use|uses)\b",
    re.IGNORECASE,
)


def is_command_line(text: str) -> bool:
    """Whether the text is a command for a shell."""
    line = text.strip(" `")
    if _ASSIGNS.match(line):
        return True
    if not _CALLS.match(line) or _SENTENCE.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", line)):
        return False
    return (_CALLED_PLAINLY.fullmatch(line) or _SYNTAX.search(line)) is not None

"""Command lines: what belongs into a shell, an interpreter or a database, and tells the memory nothing.

Takes: a line. Gives: whether it is one. Never: takes a sentence about a tool for one ("git is what we use").
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern

_PROMPT: Final = r"(?:[$%]\s+)?(?:sudo\s+)?(?:[A-Z_][A-Z\d_]*=\S*\s+)*"
_TOOLS: Final = (
    r"(?:git|gh|npm|pnpm|yarn|npx|bun|docker(?:-compose)?|podman|kubectl|helm|terraform|curl|wget|python3?|pip3?|pipx|"
    r"uv|cargo|go|rustup|make|node|deno|cd|ls|cat|cp|mv|rm|mkdir|touch|chmod|chown|ln|tar|unzip|grep|sed|awk|find|ssh|"
    r"scp|rsync|brew|apt|apt-get|dnf|systemctl|journalctl|psql|mysql|redis-cli|aws|gcloud|az|source|unset|alias|echo)"
)
_ASSIGNS: Final = lazy_pattern(rf"{_PROMPT}(?:export|set|setx|env|declare -x)\s+[A-Za-z_]\w*=", re.ASCII)
_CALLS: Final = lazy_pattern(rf"{_PROMPT}{_TOOLS}(?=\s)", re.ASCII)
_SYNTAX: Final = lazy_pattern(
    r"\s-{1,2}[A-Za-z]|\s(?:&&|\|\||[|>]|>>)\s|\s(?:\.{0,2}|~|\$\w*)/\S|://|\s[A-Za-z_]\w*=\S|\s\$\{?\w"
)
_CALLED_PLAINLY: Final = lazy_pattern(  # a tool and what it is to do
    rf"{_PROMPT}(?:git|npm|pnpm|yarn|bun|docker|podman|kubectl|cargo|uv|pip3?|pipx|brew|terraform|systemctl|gh|helm|apt|"
    r"apt-get|dnf|rustup|go)\s+(?:add|apply|build|checkout|ci|clean|clone|commit|compose|create|delete|describe|destroy|"
    r"diff|exec|fetch|fmt|get|init|install|list|log|login|logs|merge|mod|plan|prune|ps|publish|pull|push|rebase|remove|"
    r"reset|restart|restore|rollout|run|scale|show|start|stash|status|stop|switch|sync|tag|test|tidy|uninstall|up|down|"
    r"update|upgrade|vet)(?:\s+[\w./@:=-]+){0,3}\s*",
    re.ASCII,
)
_SCRIPT: Final = lazy_pattern(  # a file that is run
    rf"{_PROMPT}(?:(?:python3?|node|deno|ruby|perl|php|bash|sh|zsh|java -jar|go run|uv run)\s+"
    r"[\w./-]+\.[a-z]{1,4}(?!\S)|(?:\.{1,2}|~)/[\w./-]+(?=\s*$|\s+-))",
    re.ASCII,
)
_CALLS_ANY: Final = lazy_pattern(  # a word that opens no order, with a flag
    rf"{_PROMPT}(?!(?:run|use|pass|add|call|try|prefer|avoid|set|invoke|start|give|append|drop|remove|keep|enable|"
    r"disable|put|want|like|write|build|test|skip|omit|leave|allow|check|see|read)\s)"
    r"[a-z][\w.-]*\s(?:\S+\s)*?--?[A-Za-z][\w-]*(?:[=\s]|$)",
    re.ASCII,
)
_SENTENCE: Final = lazy_pattern(  # words that a sentence has, and a command has not
    r"(?<![-./=\w])(?:is|are|was|has|have|always|never|before|after|when|every|only|instead|not|the|our|my|we|you|it|"
    r"because|if|should|must|for|with|on|per|use|uses|over|than|to|of|in|by|and|or|but|from|i|me|they|he|she|this|that|"
    r"needs?)(?![-./=\w])",
    re.IGNORECASE,
)
_SMALL_WORD: Final = lazy_pattern(_SENTENCE.pattern)
_QUERY: Final = lazy_pattern(
    r"(?:SELECT\s.+\sFROM\s+[\w.\"`]+(?:\s+(?:AS|WHERE|(?:LEFT |RIGHT |INNER |OUTER |CROSS )*JOIN|ORDER|GROUP|HAVING|"
    r"LIMIT|UNION|OFFSET|[a-z]\w{0,2})\b.*|\s*,.*)?|INSERT\s+INTO\s+\S+\s*(?:\(.*\)\s*)?(?:VALUES|SELECT)\b.*|"
    r"UPDATE\s+\S+\s+SET\s.*=.*|DELETE\s+FROM\s+\S+(?:\s+WHERE\s.*)?|CREATE\s+(?:\w+\s+){1,3}\S+\s*(?:\(.*|ON\s.*|"
    r"AS\s.*)|ALTER\s+(?:TABLE|USER|ROLE|VIEW)\s+\S+\s+(?:ADD|DROP|RENAME|ALTER|MODIFY|SET|OWNER)\b.*|"
    r"DROP\s+(?:TABLE|INDEX|VIEW|DATABASE|SCHEMA)\s+(?:IF\s+EXISTS\s+)?\S+|TRUNCATE\s+(?:TABLE\s+)?\S+)\s*",
    re.DOTALL,
)
_LONGEST: Final = 4000  # characters; what is longer is a document


def is_command_line(text: str) -> bool:
    """Whether the text is a command for a shell, or a query for a database."""
    line = text.strip(" `")
    if len(line) > _LONGEST or (line[:1].isupper() and line[1:2].islower()):
        return False
    if _ASSIGNS.match(line) or _is_query(line):
        return True
    if _SENTENCE.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", line)):
        return False
    if _CALLS.match(line) and (_CALLED_PLAINLY.fullmatch(line) or _SYNTAX.search(line)):
        return True
    return (_SCRIPT.match(line) or _CALLS_ANY.match(line)) is not None


def _is_query(line: str) -> bool:
    """Whether it is one by its keywords in capitals, or in any case before a semicolon."""
    ends = line.endswith(";")
    said = line.upper() if ends else line
    return _QUERY.fullmatch(said.rstrip("; ")) is not None and (ends or _SMALL_WORD.search(line) is None)

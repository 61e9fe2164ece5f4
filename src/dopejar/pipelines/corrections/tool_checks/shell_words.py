"""The simple commands of a shell text.

Takes: the text of a shell call. Gives: each command as its words separated by one space, without assignments, wrappers
(`sudo`, `env`, `time`), the path of the program, comments and here-documents. Never: runs or expands anything; quoted
text with spaces (a message, a search pattern) is replaced by a placeholder, for it runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

_HERE_DOCUMENT: Final = re.compile(r"<<-?\s*(['\"]?)(?P<end>\w+)\1(?P<rest>[^\n]*)\n(?:.*\n)*?[ \t]*(?P=end)\b")
_TOKEN: Final = re.compile(
    r"(?P<comment>(?<![^\s;&|(])#[^\n]*)|(?P<end>&&|\|\||[;&|\n()`]|\$\()|(?P<joined>\\\n)|"
    r"(?P<word>(?:\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|[^\s;&|()'\"\\`$]|\$(?!\()|['\"])+)",
    re.DOTALL,
)
_QUOTED: Final = re.compile(r"'([^']*)'|\"((?:\\.|[^\"\\])*)\"", re.DOTALL)
_ASSIGNS: Final = re.compile(r"\w+=")
_REDIRECTS: Final = re.compile(r"\d?[<>]")
_WRAPPERS: Final = frozenset(
    {"sudo", "env", "time", "nohup", "xargs", "command", "exec", "if", "while", "then", "do", "else", "!", "{"}
)
_WITH_VALUE: Final = frozenset({"-u", "-g", "-I", "-n", "-P", "-L"})  # options of wrappers that another word follows
_SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "eval"})
_OF_GIT: Final = re.compile(r"(?<=^git) (?:-[Cc] \S+|--(?:git-dir|work-tree)(?:=| )\S+|--no-pager|-P)(?= )")
_QUOTED_TEXT: Final = "…"  # placeholder for quoted text with spaces
_DEEPEST: Final = 3


@lru_cache(maxsize=64)  # every check of a store looks at the same call
def simple_commands(text: str) -> tuple[str, ...]:
    """The commands of a text in order, those of `sh -c "..."` after the shell that runs them."""
    return tuple(_commands(text, _DEEPEST))


def _commands(text: str, depth: int) -> Iterator[str]:
    """Each command; the argument of a nested shell is parsed in turn."""
    for line in _lines(_HERE_DOCUMENT.sub(lambda match: match["rest"] + "\n", text)):
        bare = _unwrapped(line)
        if "sudo" in line[: len(line) - len(bare)]:
            yield "sudo"
        if not bare:
            continue
        spoken = [_plain(word) for word in bare]
        spoken[0] = spoken[0].rsplit("/", 1)[-1] or spoken[0]
        command = " ".join(spoken)
        while command != (shorter := _OF_GIT.sub("", command, count=1)):
            command = shorter
        if command.strip():
            yield command
        if spoken[0] in _SHELLS and depth:
            given = next((word for word in bare[1:] if _QUOTED.fullmatch(word)), "")
            yield from _commands(given[1:-1], depth - 1)


def _lines(text: str) -> Iterator[list[str]]:
    """The words of each simple command, with quotes."""
    words: list[str] = []
    for token in _TOKEN.finditer(text):
        if token["word"]:
            words.append(token["word"])
        elif token["end"]:
            yield words
            words = []
    yield words


def _unwrapped(words: list[str]) -> list[str]:
    """A command without assignments and wrappers."""
    rest = list(words)
    while rest and (rest[0] in _WRAPPERS or _ASSIGNS.match(rest[0])):
        wrapped = rest.pop(0) in _WRAPPERS
        while wrapped and len(rest) > 1 and rest[0].startswith("-"):
            del rest[: 2 if rest[0] in _WITH_VALUE else 1]
    return rest


def _plain(word: str) -> str:
    """A word without its quotes; quoted text with spaces becomes a placeholder."""
    if _REDIRECTS.match(word) or ("'" not in word and '"' not in word):
        return word
    return _QUOTED.sub(lambda match: _unquoted(match[1] if match[1] is not None else match[2]), word)


def _unquoted(text: str) -> str:
    return _QUOTED_TEXT if re.search(r"\s", text) else text

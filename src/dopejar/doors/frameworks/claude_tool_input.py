"""What a call of Claude's memory tool may say: paths, texts, ranges of lines.

Takes: the input of a call. Gives: checked values. Never: a path outside `/memories`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dopejar.errors import InputError

ROOT: Final = "/memories"


class AnswerError(InputError):
    """An error that the model is told in these words."""


def checked_path(given: Mapping[str, object], name: str) -> str:
    """A path under the root, without a slash at its end."""
    path = given.get(name)
    parts = path.removesuffix("/").split("/") if isinstance(path, str) else []
    if parts[:2] != ["", "memories"] or any(part in ("", ".", "..") or not part.isprintable() for part in parts[1:]):
        raise AnswerError(f"Error: Invalid path {path}. Give a path that begins with {ROOT} and has no `..` in it.")
    if any(mark in part.lower() for part in parts for mark in ("\\", "%2e", "%2f")):
        raise AnswerError(f"Error: Invalid path {path}. Write a plain path, without encoded characters.")
    return "/".join(parts)


def checked_text(given: Mapping[str, object], name: str) -> str:
    """A text; empty where it is not given."""
    text = given.get(name, "")
    if not isinstance(text, str):
        raise AnswerError(f"Error: `{name}` has to be a text.")
    return text


def checked_range(given: object, count: int) -> tuple[int, int]:
    """First and last line, counted from 1; -1 is the end."""
    if given is None:
        return 1, count
    if not isinstance(given, (list, tuple)) or len(given) != 2 or not all(isinstance(line, int) for line in given):
        raise AnswerError("Error: Invalid `view_range` parameter: give two line numbers.")
    first, last = given
    last = count if last == -1 else last
    if not 1 <= first <= last <= count:
        raise AnswerError(
            f"Error: Invalid `view_range` parameter: {list(given)}. It should be within the range of lines of the"
            f" file: [1, {count}]"
        )
    return first, last

"""Expressions that are compiled when they are first used: a short process uses few of those that it imports.

Takes: an expression with its flags. Gives: what stands for the compiled expression. Never: compiles one that no text is
held against, or finds a mistake in one before that.
"""

from __future__ import annotations

import re
from typing import cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _Waiting:
    """Has the methods of a compiled expression from the first look at one of them on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> object:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        vars(self).update((method, getattr(compiled, method)) for method in _METHODS)
        return vars(self)[name]


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The expression, compiled at its first use. It is for methods of its own: `re.sub` and the like do not take it."""
    return cast("re.Pattern[str]", _Waiting(pattern, flags))

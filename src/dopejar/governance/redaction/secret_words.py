"""What words around values are about: what gives access, what it opens, what values that are no secret are called.

Takes: words in lower case. Gives: their groups (`data/secret_words.toml`). Never: looks at a value.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Final

OPENING: Final = frozenset({  # groups of words beside which plain words and numbers may be secrets
    "password", "code", "key", "token", "secret", "phrase", "answer", "login", "wifi", "lock", "bank", "person",
})  # fmt: skip
WORDED: Final = frozenset({"password", "wifi", "secret"})  # beside which plain words may be
LOCKED: Final = (  # what is locked, beside the words of the lexicon that name locks; the fitted reader weighs none
    "barrier|shed|cupboard|cabinet|cellar|building|lobby|cottage|lift|elevator|parking|storage|stairwell|mailbox|letterbox"
    "|depot|warehouse|bin"
)
_FIRST_WIDE, _LAST_WIDE = "\u3040", "\ud7af"
_WITHIN: Final = {  # within words that begin otherwise: `pgpassword`, `wifipwd`, `haustürcode`
    "passw": "password", "pwd": "password", "kennwort": "password", "secret": "secret", "token": "token",
    "apikey": "key", "schlüssel": "key", "code": "code",
}  # fmt: skip


def is_wide(word: str) -> bool:
    """Whether a word is in a script without spaces between words."""
    return _FIRST_WIDE <= word[:1] <= _LAST_WIDE


@lru_cache(maxsize=1)
def _lexicon() -> tuple[dict[str, str], dict[str, str]]:
    """The group of each word, and of each beginning of words."""
    kept = tomllib.loads((Path(__file__).parent / "data" / "secret_words.toml").read_text(encoding="utf-8"))
    whole: dict[str, str] = {}
    begun: dict[str, str] = {}
    for groups in kept.values():
        for group, words in groups.items():
            for word in words.split():
                (begun if word.endswith("*") else whole).setdefault(word.rstrip("*"), group)
    return whole, begun


@lru_cache(maxsize=8192)
def groups_of(word: str) -> tuple[str, ...]:
    """What a word in lower case is about."""
    whole, begun = _lexicon()
    if word in whole:
        return (whole[word],)
    if is_wide(word):
        found = [group for table in (whole, begun) for one, group in table.items() if is_wide(one) and one in word]
        return tuple(dict.fromkeys(found))
    for size in range(len(word), 2, -1):
        if word[:size] in begun:
            return (begun[word[:size]],)
    return next(((group,) for part, group in _WITHIN.items() if part in word), ())

"""Lists of cues: words of a data file, as patterns over plain text.

Takes: the name of a data file. Gives: a pattern for each of its lists, and the plain form of a text. Never: a language;
the words of several stand side by side.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files

from dopejar.errors import InputError
from dopejar.text.lexicons import joined
from dopejar.text.normalisation import fold


def plain(text: str) -> str:
    """The text folded, without accents, which many leave out, and with straight apostrophes."""
    folded = fold(text).replace("’", "'")
    if folded.isascii():
        return folded
    return "".join(sign for sign in unicodedata.normalize("NFD", folded) if not unicodedata.combining(sign))


def read_cue_lists(name: str, lists: Sequence[str], form: Callable[[str], str] = plain) -> dict[str, list[str]]:
    """The lists of a data file of the garden, plain or in another form. Raises InputError where one is missing."""
    with files("dopejar.pipelines.garden").joinpath("data", name).open("rb") as stream:
        found = tomllib.load(stream)
    if missing := [one for one in lists if not isinstance(found.get(one), list)]:
        raise InputError(f"The data file `{name}` has no list {missing[0]!r}. Reinstall the program.")
    return {one: [form(entry) for entry in found[one]] for one in lists}


def cue_pattern(entries: Iterable[str], start: str = r"(?<![\w'-])", end: str = r"(?![\w'-])") -> re.Pattern[str]:
    """Any entry as whole words; entries of scripts without spaces need no boundary."""
    known = list(entries)
    spaced = [entry for entry in known if not "\u2e80" <= entry[0] <= "\u9fff"]
    unspaced = [entry for entry in known if "\u2e80" <= entry[0] <= "\u9fff"]
    return re.compile(rf"{start}(?:(?:{joined(spaced)}){end}|{joined(unspaced)})")

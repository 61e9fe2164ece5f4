"""What a host reads in a text that it hands over: what a statement is about, its property, its value, its key.

Takes: what a host gave. Gives: a frozen value of plain words. Never: believes it; the text has to bear it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from dopejar.errors import InputError

LONGEST: Final = 200  # characters of a field


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A host's own reading of a statement; the subject is always given.

    `attribute` names the property in words that need not be in the text. Only with it and a `value` a slot is filled;
    without a `key` one is made of subject and attribute.
    """

    subject: str
    attribute: str = ""
    value: str = ""
    key: str = ""


def reading_given(given: object, what: str) -> Reading | None:
    """The reading that a mapping holds, its words with single spaces; None for None. Raises InputError otherwise."""
    if given is None:
        return None
    names = [field.name for field in fields(Reading)]
    if not isinstance(given, Mapping):
        raise InputError(f"{what} is a dictionary with {', '.join(names)}, not {type(given).__name__}.")
    for name, words in given.items():
        if name not in names:
            raise InputError(f"{what} has {', '.join(names)}, and no {str(name)[:60]!r}.")
        if not isinstance(words, str) or len(words) > LONGEST:
            raise InputError(f"`{name}` of {what} is text of at most {LONGEST} characters.")
    told = {name: " ".join(words.split()) for name, words in given.items()}
    if not told.get("subject"):
        raise InputError(f"{what} has no `subject`. Give the words of the text that name what it is about.")
    return Reading(**told)

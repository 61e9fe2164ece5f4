"""How a pack shows words that others wrote, so that none of them can imitate a line of the pack.

Takes: stored texts, speakers and origins. Gives: texts on one line, escaped quotations, names, and a pack's mark.
Never: a line end, an invisible character, a quotation mark that ends the quotation early, or `user` for other sources.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from hashlib import blake2b
from itertools import product
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.values.episode import Origin

# Controls, zero-width and directional characters, and tags; not the joiners that words of some scripts need.
_INVISIBLE: Final = lazy_pattern(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
_BEFORE_QUOTE: Final = lazy_pattern(r'(\\*)("|\Z)')
_NAME: Final = lazy_pattern(r"[^\W_](?:[\w @.'’/-]*[\w.])?")
_LONGEST_NAME: Final = 40
_MOST_NAME_WORDS: Final = 4
_ROLES: Final = frozenset({"user", "human", "you", "me", "assistant", "system", "developer", "tool"})
_LOOKS_LIKE: Final = str.maketrans("аеорсухіѕυѵ", "aeopcyxisuv")  # letters of other scripts that look like Latin ones

# Four letters that are no word, and cost one token in every count: a pack's mark
_MARKS: Final = tuple("".join(letters) for letters in product("xzq", "aeiou", "vwxzjk", "aeiou"))
ANY_MARK: Final = _MARKS[0]


def on_one_line(text: str) -> str:
    """The text with single spaces for all white space, line ends included, and without invisible characters."""
    flat = " ".join(text.split())
    return flat if flat.isprintable() else " ".join(_INVISIBLE.sub("", flat).split())


def escaped(text: str) -> str:
    """The text to stand in quotation marks: one within gets a backslash; those before it, or at the end, double."""
    if '"' not in text and not text.endswith("\\"):
        return text
    return _BEFORE_QUOTE.sub(lambda found: found[1] * 2 + ("\\" + found[2] if found[2] else ""), text)


def speaker_label(speaker: str, origin: Origin) -> str:
    """The name to show: what a name can be of the speaker's, behind the origin where tools or the web spoke.

    Only the user's own turns are shown as `user`.
    """
    name = _name_of(speaker)
    is_role = unicodedata.normalize("NFKC", name).casefold().translate(_LOOKS_LIKE).strip(" .'’/-@") in _ROLES
    if not name or is_role or name.casefold() == origin.value:
        return origin.value
    return name if origin in (Origin.USER, Origin.OTHER) else f"{origin.value} {name}"


def _name_of(speaker: str) -> str:
    match = _NAME.match(on_one_line(speaker))
    name = "" if match is None else match.group()
    return name if len(name) <= _LONGEST_NAME and name.count(" ") < _MOST_NAME_WORDS else ""


def pack_mark(texts: Iterable[str]) -> str:
    """The mark of a pack of these texts: the same for the same texts, and written in none of them behind a bracket."""
    whole = "\n".join(texts)
    first = int.from_bytes(blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=4).digest()) % len(_MARKS)
    marks = (*_MARKS[first:], *_MARKS[:first])
    return next((mark for mark in marks if f"[{mark}" not in whole), marks[0])

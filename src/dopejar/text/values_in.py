"""The values of a text: what must agree for two texts to say the same.

Takes: a text. Gives: numbers with units, versions, dates, times, ports, quoted and capitalised names, normalised.
Never: judges which value is right.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from dopejar.text.lexicons import guess_language, lexicon
from dopejar.text.normalise import fold
from dopejar.text.words import stem

_QUOTED: Final = re.compile(r"`([^`\n]{1,80})`|\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|(?<!\w)'([^'\n]{1,80})'(?!\w)")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_NAME: Final = re.compile(r"\b[A-Z][\w]*(?:[.+#-][\w+#]+)*")


def values_in(text: str) -> frozenset[str]:
    """The normalised values of the text; equal sets mean that the values agree."""
    found = {fold(next(filter(None, match))) for match in _QUOTED.findall(text)}
    found.update(_NUMBER.findall(text))
    return frozenset(found)

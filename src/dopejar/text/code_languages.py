"""Which programming languages a text is about.

Takes: a text. Gives: language names, as scopes use them. Never: takes "important" for Python or "changes" for Go.
"""

from __future__ import annotations

import re
from typing import Final

_CUES: Final = {
    "python": re.compile(r"(?i)\bpython\d?\b|\bpytest\b|\bpip\b|\bdjango\b|\bfastapi\b|\.pyi?\b"),
    "javascript": re.compile(r"(?i)\bjavascript\b|\bnode\.?js\b|\bnpm\b|\.m?jsx?\b"),
    "typescript": re.compile(r"(?i)\btypescript\b|\.tsx?\b"),
    "go": re.compile(r"\b[Gg]olang\b|\b(?:in|with) Go\b|\bgo\.mod\b|\.go\b"),
    "rust": re.compile(r"(?i)\brust\b|\bcargo\b|\.rs\b"),
}


def code_languages(text: str) -> tuple[str, ...]:
    """The programming languages the text is about, in alphabetical order, in lower case (`python`, `go`, `c++`)."""
    return tuple(sorted(name for name, cue in _CUES.items() if cue.search(text)))

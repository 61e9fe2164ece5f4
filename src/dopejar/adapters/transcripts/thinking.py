"""Taking the assistant's thinking out of Markdown transcripts.

Takes: the text of an assistant's turn. Gives: the text without it, and how many pieces were taken out. Never: cuts a
block that has no end.
"""

from __future__ import annotations

import re

_THOUGHT = re.compile(
    r"<(think|thinking|thinking-content-[0-9a-f]{1,64})>.*?</\1>"
    r"|^► \*\*THINKING\*\*$.*?^► \*\*ANSWER\*\*$",
    re.DOTALL | re.MULTILINE,
)
_SIGNS = ("<think", "► **THINKING")


def without_thinking(text: str) -> tuple[str, int]:
    """`text` without its thinking, and the number of pieces left out."""
    if not any(sign in text for sign in _SIGNS):
        return text, 0
    return _THOUGHT.subn("", text)

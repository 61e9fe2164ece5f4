"""Orders: a clause that tells the one who is addressed what to do, by its form.

Takes: a clause and the cues of its language. Gives: booleans. Never: asks whether it is for now or for good; a rule
that tells what "we always" do is no order.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.pipelines.ingest.cues import Cues
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.words import content_words

_OPENING: Final = lazy_pattern(
    r"^(?:(?:(?:and|so|but|also|then|just)\b|(?P<standing>from now on|going forward|in (?:the )?future|only)),? )+",
    re.IGNORECASE,
)
# "work starts at nine", "plan B is my sister's flat": the first word is a noun
_NOUN: Final = lazy_pattern(
    r"^\w+ (?:(?:has|had|will|starts|begins|ends|comes|goes|gets|takes|means|keeps|stays|feels|seems|lasts|costs)\b|"
    r"(?:(?!(?:who|what|when|where|how|if|that|it|sure|me)\b)[\w'’-]+ ){1,2}(?:is|are|was|were)\b)",
    re.IGNORECASE,
)
_JOINT: Final = lazy_pattern(r"[,;:]\s+|\s[-–—]+\s|\sso\s+|\sand\s+(?=please\b)", re.IGNORECASE)
_VERB_AND_OBJECT: Final = lazy_pattern(  # "group the reports by month", but not "half a tablet"
    r"^(?!(?:half|twice|quite|such)\b)(?P<verb>[a-z][a-z-]+)(?<!ed)(?<!ing)(?<!ly)(?<!s) "
    r"(?:the|an?|my|our|your|his|her|their|these|those|me|us|him|them|it|everything|anything|nothing)\b"
)


def is_order(text: str, words: Cues) -> bool:
    """Whether the clause has the form of an order, at least by a verb for a task at its head ("Label the jars")."""
    bare = _OPENING.sub("", text.strip())
    return words.has("act.order", bare) or _opens_with_task(bare, words)


def is_marked_order(text: str, words: Cues) -> bool:
    """Whether it surely is one: its first word can be no noun, as in "label printers are in room 2"."""
    opening = _OPENING.match(text.strip())
    bare = text.strip()[opening.end() :] if opening else text.strip()
    is_standing = opening is not None and opening["standing"] is not None
    return words.has("act.order", bare) or (is_standing and _opens_with_task(bare, words))


def holds_order(text: str, words: Cues) -> bool:
    """Whether it surely is one, or has one behind a comma or a "so": "when it rains, please call"."""
    return is_marked_order(text, words) or any(
        is_marked_order(text[joint.end() :], words) for joint in _JOINT.finditer(text)
    )


def _opens_with_task(text: str, words: Cues) -> bool:
    if _NOUN.match(text):
        return False
    found = _VERB_AND_OBJECT.match(text)
    return words.has("act.task", text) or (found is not None and bool(content_words(found["verb"])))

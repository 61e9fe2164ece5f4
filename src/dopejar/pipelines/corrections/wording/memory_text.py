"""The text of a memory from a canonical wish, by templates.

Takes: a canonical text. Gives: one imperative sentence. Never: cuts; a cut rule is a wrong rule. At most one template
applies, so that nothing is turned round twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.detection.rule_statements import states_rule
from dopejar.pipelines.corrections.wording.imperative import avoided, imperative, sentence_case, stopped, stripped
from dopejar.pipelines.corrections.wording.wording_quality import starters

_I: Final = re.IGNORECASE
_Turn = Callable[[re.Match[str]], str]
_TEMPLATES: Final[tuple[tuple[re.Pattern[str], _Turn], ...]] = (
    (re.compile(r"^(?:please )?(?:don'?t|dont|do not|let'?s not)\s+(?:ever |just )?(?P<rest>.+)$", _I),
     lambda m: avoided(m["rest"])),
    (re.compile(r"^(?:please )?(?:stop|quit|no more)\s+(?P<rest>.+)$", _I), lambda m: stopped(m[0], m["rest"])),
    (re.compile(r"^be (?:more )?(?P<how>concise|terse|short|brief|succinct)\b(?P<rest>.*)$", _I),
     lambda m: f"Keep output {m['how'].lower()}{m['rest']}"),
    (re.compile(r"^(?P<what>.+?)\s+(?:is|are) (?:a )?(?:bad|awful|terrible|harmful|discouraged|forbidden|not allowed)"
                r"(?P<rest>\b.*)$", _I),
     lambda m: f"Avoid {_lowered(m['what'])}{m['rest']}"),
    (re.compile(r"^(?P<what>.+?)\s+(?:is|are) (?:good|better|best|preferred|great)(?P<rest>\b.*)$", _I),
     lambda m: f"Prefer {_lowered(m['what'])}{m['rest']}"),
    (re.compile(r"^i (?:really )?(?:want|need) (?:you to )?(?P<rest>.+)$", _I), lambda m: m["rest"]),
    (re.compile(r"^i (?:really )?(?:like|prefer)\s+(?P<rest>.+)$", _I), lambda m: f"Prefer {m['rest']}"),
    (re.compile(r"^i (?:really )?(?:hate|dislike|don'?t like)\s+(?P<rest>.+)$", _I), lambda m: f"Avoid {m['rest']}"),
    (re.compile(r"^you (?:should|must|may|can|are to) never\s+(?P<rest>.+)$", _I), lambda m: f"Never {m['rest']}"),
    (re.compile(r"^you (?:should|must|need to|have to|ought to) (?:not|never)\s+(?P<rest>.+)$", _I),
     lambda m: avoided(m["rest"])),
    (re.compile(r"^you (?:shouldn'?t|mustn'?t)\s+(?P<rest>.+)$", _I), lambda m: avoided(m["rest"])),
    (re.compile(r"^you (?:should|must|need to|have to|ought to)\s+(?P<rest>.+)$", _I), lambda m: m["rest"]),
)  # fmt: skip
_TURNED: Final = frozenset({"stop", "quit"})
_FIRST: Final = re.compile(r"[\w']+")


@lru_cache(maxsize=2048)  # a clause is looked at by several rules
def content_of(canonical: str) -> str:
    """The memory's text: what is imperative already stays, else the first template that fits speaks."""
    text = " ".join(canonical.split()).strip()
    first = _FIRST.match(text)
    if first and first[0].casefold() in starters() - _TURNED:
        return sentence_case(text)
    if re.match(r"^do not\b", text, _I) and text[:1] == "D":
        return text  # a wish that detection turned round already
    for pattern, turn in _TEMPLATES:
        found = pattern.match(text)
        if found:
            return sentence_case(turn(found).strip())
    return sentence_case(imperative(text) or stripped(text) or text)


def content_in(canonical: str, language: str) -> str:
    """The same for a wish in this language: the templates are English, other languages keep their words."""
    return content_of(canonical) if language == "en" else sentence_case(" ".join(canonical.split()))


def _lowered(text: str) -> str:
    first = text.split(maxsplit=1)[0]
    return text[:1].lower() + text[1:] if first.istitle() and first.isalpha() and len(first) > 1 else text


_SELF: Final = re.compile(
    r"^(?:(?:and|but|so|well|if|that|which|who|because|since|where|when|as) )*(?:i|i'm|i've|i'll|i'd|my|me|he|"
    r"she|they|it's|its|there's|"
    r"there (?:is|are|was)|which|who|whose|what|what's|why|how|where|if|does|did|is|are|can|could|do you|have|was|were|"
    r"people|someone|everyone|sorry|thanks?|at the end of|in this (?:song|book|movie|story))\b|"
    r"^(?:make sure|ensure|help|remember) (?:that )?(?:i|my|me|understanding)\b",
    _I,
)
_DIRECTS: Final = re.compile(
    r"\b(?:should|must|needs? to|have to|has to|never|always|only|instead of|rather than|do not|prefer)\b|, not \b"
    r"|, (?:so )?don'?t\b|^next time you\b",
    _I,
)
_HANGING: Final = re.compile(r"\b(?:this|that|these|those|it|them)\b(?= (?:never|again|now|to|$)|$)", _I)
_NOTHING: Final = re.compile(r"^no (?:more )?(?!need|reason|point|problem|idea|way|longer|one\b)\w", _I)
_NAMED: Final = 7  # words; a shorter wish that hangs on "this" or "it" names nothing that could be kept
_ASKED: Final = re.compile(r"[?\u037e\u061f\uff1f]\s*$")


@lru_cache(maxsize=2048)  # a clause is looked at by several rules
def directs(text: str) -> bool:
    """Whether a text tells somebody what to do, or states a convention. Judges English."""
    return orders(text) or (states_rule(text) and not (_SELF.match(text) or _ASKED.search(text) or _is_hanging(text)))


def _is_hanging(text: str) -> bool:
    return bool(_HANGING.search(text)) and len(text.split()) < _NAMED


def orders(text: str) -> bool:
    """Whether a text is an imperative, or says what should be. Judges English."""
    if _SELF.match(text) or _ASKED.search(text) or _is_hanging(text):
        return False
    first = _FIRST.match(text)
    return bool(first and first[0].casefold() in starters()) or bool(_DIRECTS.search(text) or _NOTHING.match(text))

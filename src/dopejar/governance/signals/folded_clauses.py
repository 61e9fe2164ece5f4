"""The clauses of an utterance that its speaker means: what is quoted, pasted or only supposed is told apart.

Takes: what a user typed. Gives: folded clauses in order. Never: judges them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from dopejar.text.lexicons import alternatives, lexicon
from dopejar.text.normalisation import fold
from dopejar.text.sentences import sentences

_SPOKEN: Final = frozenset({"prose", "list", "heading"})
_QUOTED: Final = re.compile(r'"[^"\n]{2,}"|(?<!\w)\'[^\'\n]{2,}\'(?!\w)|`[^`\n]+`|https?://\S+')
_CLAUSE: Final = re.compile(r"(?<=\S)(?:[;:.!?,\u2026]+(?=\s|$)|\s+-+\s+|\s*\u2014\s*|[\r\n]+|\s+but\s+)")
_SUPPOSED: Final = re.compile(
    r"(?:and |or |but |so )?(?:if|whether|when|whenever|once|unless|until|till|suppose|imagine|in case|what if|"
    r"as soon as|after|before (?!that\b|we\b|i\b|you\b|anything)|what happens|let me know)\b"
)
_REPORTED: Final = re.compile(
    r"(?:he|she|they|my \w+|the \w+|someone|somebody|everyone|everybody|people|it) "
    r"(?:just |always |keeps |kept |had |has |have )*(?:said|says|saying|told|tells|asked|asks|wrote|writes|wants|"
    r"wanted|thinks|claims|yells|yelled|shouted|screamed|screaming)\b"
)
_LEADS_UP: Final = re.compile(
    r"(?:(?:ok|okay|so|hey|hi|and|also|but|please|just|again|btw|sorry|remind me|tell me|do you (?:know|remember)|"
    r"(?:can|could) you (?:tell|remind) me|quick question) )*"
)
_ASKS: Final = re.compile(r"(?:how|what|which|where|who|whose|why|when)(?! (?:about|not)\b)\b")
_ASKS_WHAT_IS: Final = re.compile(
    rf"{_ASKS.pattern}(?:'s| (?:\w+ ){{0,2}}?(?:is|are|was|were|do|does|did|has|have|had))\b|"
    r"(?:is|are|was|were|does|did|has|have) (?!(?:it|this|that|every\w+|any\w+|i|you)\b)"
)
_WEIGHS: Final = re.compile(
    r"\b(?:should|shall|can|could|may|might|must|would|will|if|safe|safely|ok|okay|fine|allowed|ready|time to|"
    r"wrong|risk\w*|danger\w*|harm|stop(?:s|ping)?|going to|about to|want|need|have to)\b"
)
_LOUD_WORD: Final = re.compile(r"\b[A-Z]{3,}\b")
_REACH: Final = 4  # words
_ACRONYMS: Final = frozenset(
    {
        *("API", "CPU", "CSS", "CSV", "DNS", "EOD", "ETA", "FAQ", "GPU", "HTML", "HTTP", "JSON", "NDA", "PDF", "PTO"),
        *("RAM", "README", "SQL", "SSH", "URL", "USA", "USB", "XML", "YAML"),
    }
)
_LONG: Final = 60  # words; of a longer text its beginning and its end speak for the turn
_ENDS: Final = 2  # sentences at each end of it


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldedClause:
    """A folded clause, and how it is meant.

    `is_asked`: its sentence ends in a question mark. `is_supposed`: a condition, or somebody else's words. `is_loud`:
    an exclamation mark or capitals.
    """

    text: str
    is_asked: bool = False
    is_supposed: bool = False
    is_loud: bool = False

    @property
    def is_informing(self) -> bool:
        """Whether it asks for what is so or how something is done, and weighs nothing ("should we", "what if")."""
        lead = _LEADS_UP.match(self.text).group()  # type: ignore[union-attr] # it always matches
        question = self.text[len(lead) :]
        is_one = _ASKS_WHAT_IS.match(question) or ((self.is_asked or " me " in lead) and _ASKS.match(question))
        return not self.is_supposed and bool(is_one) and _WEIGHS.search(question) is None


@lru_cache(maxsize=64)
def spoken_clauses(text: str) -> tuple[FoldedClause, ...]:
    """The clauses of prose, without quotations, code and addresses; of a long text those at its two ends."""
    return tuple(clause for sentence in _spoken(text) for clause in _clauses(sentence))


@lru_cache(maxsize=64)
def spoken_sentences(text: str) -> tuple[FoldedClause, ...]:
    """The same sentences undivided, for what is said across clauses ("I want this but also that")."""
    return tuple(
        FoldedClause(text=fold(_QUOTED.sub(" _ ", sentence)), is_asked="?" in sentence) for sentence in _spoken(text)
    )


def _spoken(text: str) -> list[str]:
    spoken = [piece.text for piece in sentences(text) if piece.kind in _SPOKEN]
    if sum(len(one.split()) for one in spoken) > _LONG and len(spoken) > 2 * _ENDS:
        return spoken[:_ENDS] + spoken[-_ENDS:]
    return spoken


def _clauses(sentence: str) -> list[FoldedClause]:
    plain = _QUOTED.sub(" _ ", sentence)
    is_asked = plain.rstrip(" *_)").endswith(("?", "?!", "??"))
    is_loud = "!" in plain or any(word not in _ACRONYMS for word in _LOUD_WORD.findall(plain))
    is_conditional, found = False, []
    parts = [part.strip() for part in _CLAUSE.split(fold(plain))]
    for part in filter(None, parts):
        is_conditional = is_conditional or _SUPPOSED.match(part) is not None  # and so is all that follows from it
        is_supposed = is_conditional or _REPORTED.match(part) is not None
        found.append(FoldedClause(text=part, is_asked=is_asked, is_supposed=is_supposed, is_loud=is_loud))
    return found


def is_denied(clause: str, start: int) -> bool:
    """Whether a negation stands within four words before this place of a folded clause."""
    before = " ".join(clause[:start].split()[-_REACH:])
    return bool(before) and _negation().search(_affirmation().sub(" ", before)) is not None


@lru_cache(maxsize=1)
def _negation() -> re.Pattern[str]:
    return alternatives((*lexicon("en").negations, "nor", "far from", "anything but", "less than", "yet to", "aren't"))


@lru_cache(maxsize=1)
def _affirmation() -> re.Pattern[str]:
    return alternatives((*lexicon("en").unnegations, "no,", "not sure"))

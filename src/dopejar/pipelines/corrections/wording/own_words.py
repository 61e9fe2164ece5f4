"""The words of a turn that a memory would keep: the clause that says the wish, with what it hangs on.

Takes: the sentences of a turn, and the clause that was chosen. Gives: a stretch of the turn. Never: a word that was not
said; what a reviewer wants said otherwise, a reviewer words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.wording.clauses import clauses, lasts, sentence_case, stripped
from dopejar.pipelines.corrections.wording.memory_text import blames, directs
from dopejar.pipelines.corrections.wording.verbs import ordering_verbs
from dopejar.text.polarity import polarity
from dopejar.text.quotations import marked

_I: Final = re.IGNORECASE
_BESIDE: Final = 16  # words of a neighbouring sentence that says the other half
_POLITE: Final = re.compile(
    r"(?:,?\s+\b(?:please|pls|plz|thanks|thank you|thx|stp|svp|s'il te plaît|s'il vous plaît|por favor|prosím|"
    r"пожалуйста)\b(?=\s*(?:[,.;:!?)]|$)))|^(?:bitte|prosím|por favor|s'il te plaît|пожалуйста|please|请)[, ]\s*|^请",
    _I,
)
_CONDITION: Final = re.compile(
    r"^(?:when(?:ever)?|if|unless|until|while|before|after|once|for|in|on|as long as|every time|each time|except|"
    r"during|with|without|where|otherwise|so that|even|at least|not|never|always|only|instead)\b(?!.*\?)",
    _I,
)
_WORD: Final = re.compile(r"[\w'#./`*-]+")
_EMPTY: Final = frozenset(
    [
        "a", "an", "the", "and", "or", "but", "not", "no", "never", "always", "only", "just", "do", "don't", "dont",
        "does", "did", "is", "are", "was", "be", "been", "to", "of", "in", "on", "at", "for", "with", "from", "by",
        "as", "so", "if", "when", "then", "than", "what", "why", "how", "i", "we", "you", "me", "my", "our", "us",
        "your", "should", "must", "can", "could", "would", "will", "have", "has", "had", "ever", "again", "also",
        "too", "really", "up", "out", "off", "first", "avoid", "stop", "sure", "let", "that", "this", "it", "them",
        "they", "these", "those", "here", "there", "instead", "before", "after", "until", "unless", "about", "into",
        "more", "yourself", "now", "exactly", "other", "one", "same",
    ]
)  # fmt: skip
_OUTSIDE: Final = re.compile(
    r"\b(?:this|these|those)\b(?! (?:project|repo|repository|codebase|package|team|company|app|language|system)\b)"
    r"|\bthat(?=\s*(?:$|[,.;:!?)]|again\b|too\b|either\b|way\b|one\b|instead\b))"
    r"|\b(?:right|other|wrong|correct|same|previous|earlier|old|new) (?:one|ones|way|thing|things)\b"
    r"|^(?:that|it)'?s\b|\b(?:above|the former|the latter)\b"
    r"|\b(?:the|that) [\w-]+ (?:that )?(?:i|we|you) (?:just |already |had )?"
    r"(?:asked|told|mentioned|talked|discussed|wrote)\b",
    _I,
)  # what only the conversation explains
_PRONOUN: Final = re.compile(r"\b(?:it|its|them|they|their)\b", _I)
_IMPERSONAL: Final = re.compile(r"\bit (?:is |was |'s )?(?:better|best|clear|possible|necessary|important|fine)\b", _I)
_MEANS_IT: Final = re.compile(r"\s+(?:that|this)(?=\s*(?:$|[,.;:!?)]))", _I)
_INSTEAD: Final = re.compile(r"[^,;.]+ instead$", _I)
_MOMENT: Final = re.compile(r"\b(?:go ahead|for now|(?<!it )(?<!right )this time|right now|just now)\b", _I)
_FEWEST: Final = 3  # words of a wish that says for what


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnWords:
    """Words of a turn, the sentences they lie in (`first` to `last`), and whether they can be read without the rest."""

    text: str
    first: int
    last: int
    is_whole: bool


def own_words(said: Sequence[str], place: int, clause: str, language: str) -> OwnWords:
    """The wish that this clause of the sentence at `place` says, with the conditions beside it.

    A short neighbouring sentence that directs the other way ("no raw threads. submit work to the pool") belongs to it.
    `place` is -1 where the clause is no sentence of the turn.
    """
    text = _with_conditions(said[place], clause) if 0 <= place < len(said) else clause
    text = trimmed(text)
    if language != "en":
        return OwnWords(text=text.rstrip(" .。"), first=place, last=place, is_whole=bool(text))
    first = last = place
    for near in (place + 1, place - 1) if 0 <= place < len(said) else ():
        if 0 <= near < len(said) and first == last and _is_other_half(said[near], text):
            one, other = (text, trimmed(said[near])) if near > place else (trimmed(said[near]), text)
            text = f"{one.rstrip(' .!')}; {_lowered(other)}"
            first, last = min(place, near), max(place, near)
    return OwnWords(text=text.rstrip(" .!"), first=first, last=last, is_whole=not leans_on_talk(text))


def trimmed(text: str) -> str:
    """A clause without its greetings, hedges and thanks, with a capital in front."""
    return sentence_case(_POLITE.sub("", stripped(text)).strip(" ,;:"))


def _with_conditions(sentence: str, clause: str) -> str:
    """The stretch of a sentence from the first to the last clause that directs or limits, the chosen one among them."""
    parts = clauses(sentence)
    core = next((number for number, part in enumerate(parts) if part == clause), None)
    if core is None:
        return clause
    kept = [number for number, part in enumerate(parts) if number == core or _belongs(part, clause, number < core)]
    first = next(number for number in kept if set(range(number, core)) <= set(kept))
    last = next(number for number in reversed(kept) if set(range(core + 1, number + 1)) <= set(kept))
    start = sentence.find(parts[first])
    end = start
    for part in parts[first : last + 1]:
        end = sentence.find(part, end) + len(part)
    return sentence[start:end]


def _belongs(part: str, clause: str, is_before: bool) -> bool:  # noqa: FBT001 - one of the two sides
    bare = stripped(part)
    if not bare or bare.endswith("?"):
        return False
    if _CONDITION.match(bare):
        return True
    return directs(bare) and not (is_before and lasts(clause) and not lasts(part))


def _is_other_half(sentence: str, text: str) -> bool:
    bare = stripped(sentence).rstrip(" .!")
    if not bare or len(bare.split()) > _BESIDE or leans_on_talk(bare) or blames(bare) or not directs(bare):
        return False
    return polarity(bare) != polarity(text)


def _lowered(text: str) -> str:
    first = text.split(maxsplit=1)[0]
    return text[:1].lower() + text[1:] if first.istitle() and first.isalpha() and len(first) > 1 else text


@lru_cache(maxsize=2048)  # a clause is looked at by several rules
def leans_on_talk(text: str) -> bool:
    """Whether English words can be read only beside their conversation: "do not clean it up", "use that one"."""
    bare = _IMPERSONAL.sub(" ", _with_phrases_named(text).strip(" .!"))
    words = bare.casefold().split()
    if _OUTSIDE.search(bare) or _MOMENT.search(bare) or _INSTEAD.fullmatch(bare) or not names(bare):
        return True
    if len(words) < _FEWEST and words[0] in ordering_verbs():
        return True
    pronoun = _PRONOUN.search(bare)
    return bool(pronoun) and not names(bare[: pronoun.start()])  # type: ignore[union-attr]


def _with_phrases_named(text: str) -> str:
    """The text with a noun for each phrase between quotation marks, which points at nothing; "that" may mean it."""
    said, last = "", 0
    for start, end in marked(text):
        said, last = f"{said}{text[last:start]}phrase", end
    return said + _MEANS_IT.sub(" it", text[last:]) if last else text


def names(text: str) -> bool:
    """Whether words name something that a pronoun may stand for: more than a verb."""
    found = [word for word in _WORD.findall(text.casefold()) if word.strip("'*`.") not in _EMPTY]
    return bool(found[1:] if found and found[0] in ordering_verbs() else found)

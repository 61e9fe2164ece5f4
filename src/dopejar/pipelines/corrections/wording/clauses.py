"""The clauses of a turn: where one ends, what only keeps the talk going, which one says what is wanted.

Takes: the sentences of a turn. Gives: clauses, as they were said. Never: a word that was not said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.correction_cues import CorrectionCues
from dopejar.pipelines.corrections.wording.rule_statements import RULE_CUES
from dopejar.pipelines.corrections.wording.verbs import plain_verbs
from dopejar.text.normalisation import fold

_I: Final = re.IGNORECASE
_OPENERS: Final = re.compile(
    r"^(?:(?:no+|nope|nah|right|great|good|nice|clever|cool|stop|hold on|wrong|wait|not quite|close|almost|"
    r"not (?:like )?(?:that|this)|that'?s (?:not right|wrong|not it|not true|good|not what i (?:asked|wanted|"
    r"meant)[^,.;]{0,20})|"
    r"this (?:is good|is ?n'?t (?:right|what (?:i|we) \w+)[^,.;]{0,20})|sorry \w+|that is (?:not right|"
    r"wrong))(?:[,.!:;…]+\s*|\s+[-–—]+\s+)|"
    r"(?:não|nao|nein|nee|non|нет|ne|不对|不是|不行)[,.!:;，。！]+\s*|"
    r"no\s+(?=(?:no|wait|don'?t|dont|do not|never|please|i|we|you)\b)|"
    r"(?:yes|yeah|yep|ok|okay|so|and|but|also|btw|lol|well|ah+|oh|hm+|u+m+|uh+|hey|sorry|thanks|actually|please|pls|again|now|"
    r"then|first|definitely)\b[,.!:;…\s-]+|(?:reminder|remember)[:,]\s*)+",
    _I,
)
_HEDGES: Final = re.compile(
    r"^(?:(?:please )?(?:add|make|create|write|record|save|put)(?: \w+){0,4} (?:rule|preference|convention|note|memory)"
    r"(?: (?!how\b)\w+){0,2} (?:that|to|saying(?: that)?|specif\w+(?: that)?)|for future reference|"
    r"i (?:really |just |still |do )?(?:think|feel like|believe|guess|suppose)(?: that)?|"
    r"(?:just )?(?:note|notice|remember|keep in mind)(?: that)?(?!\s+(?:to|that|this|it|for|in)\b)|"
    r"from now on|going forward|in (?:the )?future|next time(?! you\b)|you know|"
    r"i (?:told you|said)(?: before| yesterday| already| twice| last \w+)?(?: to| that)?|"
    r"as a (?:rule|convention)|make sure(?: to| you|(?= (?:always|never)\b))|"
    r"(?:can|could|would|will) you(?: please| just)*|let'?s|go ahead and|"
    r"i(?:'d| would) (?:like|prefer|rather)(?: you| for you)? to|i(?:'d| would) rather(?: you)?|"
    r"i (?:really |just )?(?:want|need) you to|"
    r"you (?:should|must|need to|have to|ought to|can)(?! not| never| have)(?: just| always)?|"
    r"we (?:should|must|need to|have to)(?! not| never)|i (?:really |specifically |just )?(?:want|wanted|need) to|"
    r"we (?:really |just )?(?:want|wanted|need) to|just)\b[,:\s]+",
    _I,
)
_TRAILING: Final = re.compile(
    r"(?:(?<!\bmy)(?<!\bthe)(?<!\byour)[,\s]+(?:please|pls|ok|okay|thanks|thank you|again|right now|just now|"
    r"now|though|ever again|anymore|"
    r"be(?: more)? careful|chatgpt|claude|from now on|going forward|in the future|next time))+[.!?…]*$",
    _I,
)
_GO_ON: Final = re.compile(
    r"^(?:go ahead|do it|continue|proceed|do that|fix it|try (?:it )?(?:again|once more|one more time)|please|"
    r"yes|no|ok|okay|thanks?|that'?s not right|"
    r"thats? (?:not right|wrong)|is this true\??|be (?:more )?careful|think (?:more )?carefully)[.!?]*$",
    _I,
)


@lru_cache(maxsize=2048)  # a clause is looked at by several rules
def stripped(text: str) -> str:
    """A clause without what only keeps the talk going, at both ends."""
    last = None
    rest = " ".join(text.split()).strip(" -–—,;:")
    while rest != last:
        last = rest
        rest = _OPENERS.sub("", rest, count=1)
        rest = _HEDGES.sub("", rest, count=1) or last
        rest = _TRAILING.sub("", rest).strip(" -–—,;:")
    return rest


def sentence_case(text: str) -> str:
    """A capital in front, unless the first word is code."""
    first = text.split(maxsplit=1)[0].replace("'", "") if text else ""
    return text[:1].upper() + text[1:] if first.strip(",;").isalpha() and first.islower() else text


_CLAUSES: Final = re.compile(
    r"(?<!e\.g\.)(?<!i\.e\.)(?<! vs\.)(?<=[.!?;…])\s+|\n+|\s+[-–—]\s+|"
    r",\s+(?=(?:and |so |but |please |also )?(?:i|we|you|it|this|that|just|use|look|do|don'?t|dont|never|always|go|"
    r"try|make|keep|which|instead|there|theres|thats|these|lets|let'?s)\b)|;\s*|(?<=\w)\s+\((?=should|see|not)"
    r"|,?\s+and\s+(?=(?:please |also )?(?:make sure|ensure|never|always|don'?t|do not|remember)\b)",
    _I,
)
_WISHES: Final = (
    (re.compile(r"\b(?:always|never|from now on|must)\b|^(?:don'?t|dont|do not|stop|avoid)\b", _I), 3.0),
    (
        re.compile(
            r"^(?:please |just |simply )?(?:use|utilize|utilise|keep|prefer|put|run|make|write|update|test|"
            r"follow|treat|"
            r"edit|change|ensure|add|remove|move|call|look|read|check|try|switch|work|stick|give|do|think|merge)\b",
            _I,
        ),
        2.2,
    ),
    (re.compile(r"\b(?:instead of|rather than|not through)\b|,? and not\b|, not\b|\bnot \w+,? but\b", _I), 2.0),
    (re.compile(r"^why (?:did|do|are|were|have)", _I), 3.0),
    (re.compile(r"\b(?:i|we) (?:\w+ )?(?:want|wanted|asked|need|prefer)", _I), 1.8),
    (re.compile(r"\b(?:should|have to|needs? to|supposed to)\b", _I), 1.6),
    (re.compile(r"^you(?:'re| are|re)?\b", _I), 1.2),
)


_LASTING: Final = re.compile(
    r"\b(?:don'?t forget|do not forget|remember to|make sure|ensure|from now on|next time|going forward|as a rule|"
    r"in (?:the )?future|keep in mind|note that|every time)\b",
    _I,
)


def lasts(clause: str) -> bool:
    """Whether a clause says itself that it is meant for later times."""
    return bool(_LASTING.search(clause))


_ALONE: Final = frozenset({"always", "never", "please", "stop", "wait", "cancel"})  # words that wish nothing alone


def best_clause(words: CorrectionCues, sentences: Sequence[str]) -> tuple[int, str]:
    """The clause that says most plainly what is wanted, with the number of its sentence."""
    best, place, chosen = -1.0, 0, ""
    for number, sentence in enumerate(sentences):
        for order, clause in enumerate(clauses(sentence)):
            bare = stripped(clause)
            if len(bare) < 3 or _GO_ON.match(bare) or bare.casefold().rstrip(" .!") in _ALONE:
                continue
            score = (
                _clause_score(bare, words)
                + (1.5 if lasts(clause) and not _META.search(bare) else 0.0)
                - 0.15 * number
                - 0.05 * order
            )
            if score > best:
                best, place, chosen = score, number, clause
    return place, chosen


_QUOTES: Final = '`"'
_LIMIT: Final = re.compile(r",(?P<rest>\s+never\s+(?P<word>[\w'-]+))", _I)
_ABOUT_IT: Final = re.compile(
    r"^(?:please )?(?:(?:don'?t|dont|do not|never|always|just|only) )?(?:ever )?[a-z]+ (?:it|them)\b", _I
)


def clauses(sentence: str) -> list[str]:
    """A sentence cut where another wish begins.

    Not in front of what only limits the clause before it ("cents, never floats"), and what speaks of "it" or "them"
    keeps the clause that names it.
    """
    held = sentence
    if "never" in sentence.casefold():
        held = _LIMIT.sub(lambda m: m[0] if m["word"].casefold() in plain_verbs() else f"\x01{m['rest']}", sentence)
    found: list[str] = []
    for part in (part.replace("\x01", ",") for part in _CLAUSES.split(held) if part and part.strip()):
        joined = f"{found[-1]}, {part}" if found else part
        if found and any(found[-1].count(mark) % 2 and mark in part for mark in _QUOTES):  # cut inside of code
            start = sentence.find(found[-1])
            found[-1] = sentence[start : sentence.find(part, start) + len(part)]
            continue
        if found and _ABOUT_IT.match(part) and joined in sentence and not _ABOUT_IT.match(found[-1]):
            found[-1] = joined
        else:
            found.append(part)
    return found


_TELLING: Final = (
    ("cue", "prohibit"), ("cue", "replace"), ("cue", "must"), ("cue", "told"), ("cue", "accuse"), ("cue", "rebuke"),
    ("cue", "self_do"), ("cue", "wrong"), ("standing", "always"), ("standing", "never"), ("standing", "future"),
    ("standing", "tool"), ("standing", "each"), ("standing", "prefer"),
)  # fmt: skip


@lru_cache(maxsize=2048)  # a clause is looked at by several rules
def _clause_score(bare: str, words: CorrectionCues) -> float:
    folded = fold(bare)
    score = sum(weight for pattern, weight in _WISHES if pattern.search(bare))
    score += 0.3 * sum(1 for group, name in _TELLING if words.has(group, name, folded))
    score += 1.2 if any(words.has("cue", name, folded) for name in RULE_CUES) else 0.0
    if _VAGUE.search(bare):
        score -= 3.0 if _DEED.match(bare) else 0.7
    if _META.search(bare):
        score -= 3.0
    if words.has("sentence", "narrative", folded) and not words.has("sentence", "directs", folded):
        score -= 1.5
    count = len(bare.split())
    return score - (0.6 if count < 3 else 0.0) - max(0.0, (count - 25) * 0.05)


_VAGUE: Final = re.compile(
    r"\b(?:this one|that one|do this|do that|this way|it|this|that)\b(?! (?:is|file|project|repo|rule)\b)", _I
)
_DEED: Final = re.compile(
    r"^(?:(?:don'?t|do not|never|stop) (?:ever )?(?:do(?:ing)? )?|you (?:keep(?: on)?|always|constantly) do(?:ing)? )"
    r"(?:that|this|it)\b",
    _I,
)
_META: Final = re.compile(
    r"^(?:also |please )?(?:add|make|create|update|write|record|document)\b.*\b(?:rules?|preferences?|"
    r"conventions?|memory|note)\b(?!.*\b(?:that|:))",
    _I,
)
_SLUG: Final = re.compile(r"[-_]+")


def spoken(name: str) -> str:
    """The name of a rules file in words."""
    return _SLUG.sub(" ", name).strip()


def of_reference(name: str) -> str:
    """The wish that the name of a rules file says: `dont-skip-hooks` -> `Do not skip hooks (dont-skip-hooks)`."""
    words = spoken(name)
    first = words.split(" ", 1)[0]
    if first in ("dont", "no", "never", "always", "use", "prefer", "avoid", "keep", "run", "write", "test", "check"):
        said = re.sub(r"^dont\b", "do not", words)
        said = re.sub(r"^no\b", "use no", said)
        return f"{sentence_case(said)} ({name})"
    return follows(name)


def follows(name: str) -> str:
    """The wish of a rules file whose name says none: nothing that is not in the file."""
    return f"Follow {name}"

"""Phrases inside a statement: its subject, its qualifier, the concept a noun phrase names.

Takes: words. Gives: folded, stemless concept names fit for a slot. Never: a guess about what a pronoun means.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.normalisation import fold
from dopejar.values.dates import DAY_NAMES, FULL_MONTH_NAMES

_LEAD: Final = lazy_pattern(
    r"^(?:(?:the|a|an|our|my|your|their|his|her|its|this|that|these|those|some|any|all|every|each|both|"
    r"currently|also|now|to|of|same|using|"
    r"really|very|favorite|favourite|new|update|updated|current|actual|own|always|never|please|just|only)\s+)+",
    re.IGNORECASE,
)
_EVERYWHERE: Final = lazy_pattern(
    r"[\s,]*\b(?:everywhere|always|now|here|again|too|as well|also|please|anymore|any more|these days|nowadays|"
    r"by default|in general|at all times|"
    r"for everything|in all (?:my|our|the) \w+|for all (?:my|our|the)? ?\w+|from now on|going forward|a lot|"
    r"very much|so much|best|most|instead|still|yes|again|"
    r"as always|if possible|when possible|for me|last \w+day|at the moment|all the time|the most|"
    r"more than anything|nicht mehr)\s*$",
    re.IGNORECASE,
)
_DETAIL: Final = lazy_pattern(
    r"[\s,]+(?:because|since|as it|as they|which|who|so that|so (?:i|we)|due to|thanks to|after|because of|"
    r"and (?:i|we|it|they|love|like|hate|enjoy|dislike|uses?|runs?|is|are|lives?|works?|prefers?|have|has)|"
    r"but|'cause|where)\b.*$",
    re.IGNORECASE,
)
_INSTEAD: Final = lazy_pattern(r"[\s,]*\b(?:rather than|instead of|and not|not|over|never|from)\b.*$", re.IGNORECASE)
_TIMES: Final = lazy_pattern(
    r"\b(?:since|from|as of|starting|with|in|on|at|for)? ?(?:version |release )?(?:v?\d+\.\d[\d.]*|last (?:\w+)|"
    r"next \w+|this (?:week|month|year|release)(?: on)?|"
    rf"(?:{DAY_NAMES}|{FULL_MONTH_NAMES})s?(?: \d{{1,2}})?(?:,? \d{{4}})?|(?:19|20)\d\d|yesterday|today"
    r"|on \d{4}-\d\d-\d\d)\b",
    re.IGNORECASE,
)
_AFTER_COMMA: Final = lazy_pattern(r"(?:^|\s*)[,;:(].*$")
_PREPOSITION: Final = lazy_pattern(
    r"\b(?:for|in|on|within|during|inside|under|at|with|when|whenever|while|if|unless|except|as|of|from|to|by|"
    r"until|only|this|through)\b",
    re.IGNORECASE,
)
_WORDS: Final = lazy_pattern(r"[^\W_][\w.+#-]*[\w+#]|[^\W_]")
_LIGHT_WORDS: Final = """
    the a an our my your their his her its this that these those of to in on at for is are was be and or i we you it
    some any with as by do does so very really here there everywhere me user
"""
_LIGHT: Final = frozenset(_LIGHT_WORDS.split())
_NAMED: Final = {
    "db": "database", "dbs": "database", "prod": "production", "dev": "development", "repo": "repository",
    "repositories": "repository",
}  # fmt: skip


@lru_cache(maxsize=4096)
def concept(phrase: str) -> str:
    """The name of what a noun phrase is about: folded content words, plural endings off, joined by `-`."""
    bare = _LEAD.sub("", phrase.strip()).replace("'s ", " ")
    words = [_singular(word) for word in _WORDS.findall(fold(bare))]
    return "-".join(_NAMED.get(word, word) for word in words if word not in _LIGHT)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "js", "os")):
        return word[:-1]
    return word


def name_value(phrase: str) -> str:
    """A value that is a name, a place or a title: folded words without articles."""
    text, _ = strip_tail(phrase)
    return " ".join(word for word in _WORDS.findall(fold(text)) if word not in ("the", "a", "an"))


def strip_tail(phrase: str) -> tuple[str, str]:
    """A phrase without its detail, and its qualifier's concept ("light mode for handouts": light mode, handout)."""
    text = _DETAIL.sub("", phrase.strip())
    for _ in range(3):
        text = _EVERYWHERE.sub("", text).strip(" ,.")
    found = _PREPOSITION.search(text)
    if not found or found.start() == 0:
        return text, ""
    return text[: found.start()].strip(" ,"), concept(text[found.end() :])


def qualifier(text: str, after: int, before: int) -> str | None:
    """What restricts a statement around its value: the qualifier's concept, "" for none, None where it is unclear."""
    tail = _TIMES.sub(" ", _INSTEAD.sub("", _DETAIL.sub("", text[after:])))
    tail = _AFTER_COMMA.sub("", tail)
    for _ in range(3):
        tail = _EVERYWHERE.sub("", tail).strip(" ,.-")
    if len(_WORDS.findall(tail)) > 8:
        return None
    named = concept(_PREPOSITION.sub(" ", tail))
    fronted = _FRONTED.match(text[:before])
    front = concept(_TIMES.sub(" ", fronted.group(1))) if fronted else ""
    return "-".join(part for part in (front, named) if part)


_FRONTED: Final = lazy_pattern(
    r"^(?:in|on|for|at|during|within|inside) ((?:the |our |my )?[\w' -]+?),? (?:the|we|i|our|my|use|a|an|it|"
    r"indent|write|keep|prefer|put|run|always|never|answer|reply|tabs|spaces)\b",
    re.IGNORECASE,
)
_SUBJECT: Final = lazy_pattern(
    r"^(?P<s>.+?)\s+(?:(?:also|now|still|currently|always|only|all|has|have|had|been|will|both|yet)\s+)*"
    r"(?:is|are|was|were|uses?|used|runs?|listens?|stores?|keeps?|lives?|moved|migrated|switched|replaced|"
    r"deploys?|lints?|works?|"
    r"targets?|depends|stands|lasts?|takes?|has|have|serves?|supports?|requires?|needs?|prefers?|publish(?:es)?|"
    r"went|sits|sticks|"
    r"writes?|times?|relicensed|likes?|loves?|hates?|go(?:es)?|should|must|come)\b",
    re.IGNORECASE,
)
_ME: Final = lazy_pattern(
    r"^(?:i|i'm|i've|i'd|me|eu|yo|ich|je|j'|я|"
    r"(?:n[oã]o? |ya no |já não )?(?:uso|utilizo|prefiro|prefiero|preferuji|používám))\b",
    re.IGNORECASE,
)
_US: Final = lazy_pattern(
    r"^(?:we|we're|we've|us|our (?:team|project|code|stack)|(?:the|this) (?:project|team|code ?base|code|repo|"
    r"repository|app|application)|here)$",
    re.IGNORECASE,
)
_OTHER: Final = lazy_pattern(r"^(?:he|she|they|you|it|this|that|these|those|there|one|his|her|their)\b", re.IGNORECASE)
_IMPERATIVE: Final = lazy_pattern(
    r"^(?:please |always |never |do not |don't |dont |only |just |keep )*(?:use|uses|using|prefer|write|indent|"
    r"answer|reply|respond|switch|stick|"
    r"run|lints?|deploys?|put|keep|format|target|switched|migrated|moved|replaced|decided|adopted|speak|set|all|"
    r"no|not|relicensed|publish|want|"
    r"vegetarian|vegan)\b",
    re.IGNORECASE,
)
_DENIED: Final = lazy_pattern(
    r"\s+(?:(?:do|does|did|is|are|was|were|will|can|must|should|has|have)(?:n['’]t| not)|can(?:no|')t|won['’]t|"
    r"no longer|never)$",
    re.IGNORECASE,
)
_PLACE_OF: Final = lazy_pattern(
    r"^(?:in|on|for|at|inside) (?:the |our |my )(?P<front>[\w'-]+(?: [\w'-]+)? (?:repo|repository|service|app|"
    r"project|package|site|backend|frontend|module|library))\b"
    r"|\b(?:migrat\w+|mov\w+|switch\w+|convert\w+|port\w+) (?:the |our )(?P<moved>[\w' -]+?) (?:from|to|over)\b"
    r"|\b(?:of|in) (?:the |our )(?P<of>[\w'-]+(?: [\w'-]+)? (?:repo|repository|service|app|project|package|"
    r"site|module|library))\b",
    re.IGNORECASE,
)


def place_of(text: str) -> tuple[str, str]:
    """The part of the work a statement is about ("in the web repo we ...") as (slot root, key subject), or ("", "")."""
    found = _PLACE_OF.search(text)
    if not found:
        return "", ""
    name = concept(next(group for group in found.groups() if group))
    return (name, name) if name and len(name) <= 48 else ("", "")


@lru_cache(maxsize=1024)
def subject_of(text: str) -> tuple[str, str]:
    """The subject of a statement as (slot root, key subject); ("", "") where it cannot be told."""
    stripped = text.strip()
    if _ME.match(stripped):
        return "self", "Self"
    found = _SUBJECT.match(stripped)
    phrase = _DENIED.sub("", found.group("s") if found else stripped)
    if (
        re.match(r"^(?:we|wir|nous|nosotr[oa]s|nós)\b", stripped, re.IGNORECASE)
        or _US.match(phrase)
        or re.match(r"^(?:in|on|for|at|since|as of|starting) .+? we$", phrase, re.IGNORECASE)
    ):
        return "project", "Project"
    if _IMPERATIVE.match(stripped):
        return "project", "Project"
    if _OTHER.match(phrase):
        return "", ""
    mine = re.match(r"^my (.+)$", phrase, re.IGNORECASE)
    name = concept(re.sub(r"^(?:in|on|for|at) (.+?),? (?=the |our |my )", "", mine.group(1) if mine else phrase))
    if not name or len(name) > 48:
        return "", ""
    return (f"self.{name}", f"Self{name.title()}") if mine else (name, name)

"""Words of a wording that point at something: what they mean where the turn or the assistant's action says it.

Takes: an English wording, the assistant's last words. Gives: the wording with such words filled in, and whether one is
left that only its conversation can explain. Never: guesses between two things that it could mean.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.wording.verbs import base_of_ing, base_of_past, ordering_verbs
from dopejar.pipelines.corrections.wording.wording_quality import starters

_I: Final = re.IGNORECASE
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
_LASTING: Final = r"(?:project|repo|repository|codebase|code base|package|team|company|app|application|language|system)"
_UNIT: Final = r"(?:task|ticket|issue|step|feature|assignment)"
_PATH: Final = r"[\w./-]+"
_KINDS: Final = {
    "file": r"[\w./-]*\w\.[a-z]{1,5}",
    "script": r"[\w./-]*\w\.(?:sh|py|js|ts|rb|pl)|[\w-]+",
    "command": r"[\w./:-]+(?: [\w./:-]+){0,3}",
    "function": r"[\w.]+(?:\(\))?",
    "method": r"[\w.]+(?:\(\))?",
    "class": r"[A-Z]\w+",
    "module": _PATH,
    "table": r"\w+",
    "branch": _PATH,
    "folder": _PATH,
    "directory": _PATH,
    "flag": r"--?[\w-]+",
    "variable": r"\w+",
}
_THIS_KIND: Final = re.compile(
    rf"\b(?:this|that) (?P<kind>{'|'.join(_KINDS)})\b(?! (?:is|was|should|must|that|which))", _I
)
_QUOTED: Final = re.compile(r"`([^`\n]{2,60})`")
_NOUNS_OF_THAT: Final = (
    r"(?:ensure|sure|check|verify|so|such|note|say|says|mean|means|confirm|know|assume|claim|all|anything|everything|"
    r"something|nothing|is|was|state|show|given|like|things|than)"
)
_PREPOSITIONS: Final = r"for|in|on|of|with|to|from|at|by|about|into|under|after|before|during|like"
_OUTSIDE: Final = re.compile(
    rf"\b(?:this|these|those)\b(?! {_LASTING}\b)"
    rf"|\bthat(?=\s*(?:$|[,.;:!?)]|again\b|too\b|either\b|way\b|one\b|instead\b))"
    rf"|\b(?:{_PREPOSITIONS}) that (?!(?:is|are|was|were|has|have|can|you|we|i|it|they)\b)\w"
    r"|\b(?:right|other|wrong|correct|same|previous|earlier|first|last|next|old|new) (?:one|ones|way|thing|things)\b"
    r"|\bthe (?:right|wrong|correct) [a-z]+|^(?:that|it)'?s\b"
    r"|\b(?:at|in) the (?:beginning|start) *$|\b(?:only|be|just|the) one *$|\bthe (?:[\w-]+ ){1,3}ones?\b"
    r"|\b(?:above|the former|the latter)\b",
    _I,
)  # fmt: skip
_EXPLAINED: Final = re.compile(r"(?:for )?that\b|[\w -]+ ones?$", _I)
_VERB_THAT: Final = re.compile(
    r"^(?:do not |never |always |only )?(?P<verb>[a-z]+) (?:that|this) (?!is\b|are\b|was\b)\w", _I
)
_PRONOUN: Final = re.compile(r"\b(?:it|its|them|they|their)\b", _I)
_EXPLETIVE: Final = re.compile(
    r"\bit (?:is |was |'s )?(?:better|best|clear|possible|necessary|important|ok|okay|fine|enough|hard|easy|makes "
    r"sense)\b"
    r"|\bmake it (?:clear|obvious|possible|easy)\b|\bit'?s (?:better|best|fine|ok)\b",
    _I,
)
_NUMBER: Final = re.compile(r"#?\d+[.,]?")
_INSTEAD: Final = re.compile(r",? instead(?= *$| *[,;])", _I)


def filled(text: str, before: str) -> str:
    """The wording with what it points at, where the assistant's words name exactly one such thing."""
    said = re.sub(rf"\bthis (?={_UNIT}\b)", "the current ", text, flags=_I)
    said = _deed(said, before)
    said = _THIS_KIND.sub(lambda m: _named(m["kind"], before) or m[0], said)
    said = _object(said, before)
    if _INSTEAD.search(said) and not _is_denying(said[: _INSTEAD.search(said).start()]):  # type: ignore[union-attr]
        said = _against(said, before)
    return said


def points_away(text: str) -> bool:
    """Whether a clause has a "this" or "that other one" which no noun before it in the wording could explain."""
    return bool(_OUTSIDE.search(_EXPLETIVE.sub(" ", text)))


_VERB_AND_NAME: Final = 2  # words of "use X", which does not say for what
_PAIRS: Final = ("()", "[]", "{}")
_MOMENT: Final = re.compile(r"\b(?:go ahead|for now|this time|right now|just now)\b", _I)
BLAMES: Final = re.compile(r"^(?:you|why|i|we)\b", _I)  # a clause that is turned round
_ARGUES: Final = re.compile(r"\b(?:but|because|since|whereas)\b(?! (?:rather|not|also)\b)", _I)
_ALWAYS: Final = frozenset({"always", "never", "avoid", "no"})


def is_unsure(text: str, bare: str) -> bool:
    """Whether a wording is of one moment, names but one thing, was cut in two, or was a complaint that argues on."""
    words = text.casefold().split()
    if len(words) == _VERB_AND_NAME and words[0] in starters() and words[0] not in _ALWAYS:
        return True
    if any(text.count(left) != text.count(right) for left, right in _PAIRS) or any(text.count(one) % 2 for one in '`"'):
        return True
    return bool(_MOMENT.search(text)) or bool(BLAMES.match(bare) and _ARGUES.search(bare))


@lru_cache(maxsize=2048)  # a clause is looked at by several rules
def points_outside(text: str) -> bool:
    """Whether a word is left that only the conversation explains: "do not clean it up", "use that one"."""
    bare = _EXPLETIVE.sub(" ", text)
    found = _OUTSIDE.search(bare)
    if found and not (_EXPLAINED.match(found[0]) and names(bare[: found.start()])):
        return True
    spoken = (word for word in _WORD.findall(bare) if names(word))
    named = [word for word in spoken if base_of_ing(word).casefold() not in ordering_verbs()]
    if named and all(_NUMBER.fullmatch(word) for word in named):
        return True
    verb = _VERB_THAT.match(bare)
    if verb and verb["verb"].casefold() in ordering_verbs() and not re.fullmatch(_NOUNS_OF_THAT, verb["verb"], _I):
        return True
    pronoun = _PRONOUN.search(bare)
    if pronoun and not names(bare[: pronoun.start()]):
        return True
    instead = _INSTEAD.search(bare)
    return bool(instead) and not _is_contrasted(bare[: instead.start()])  # type: ignore[union-attr]


def names(text: str) -> bool:
    """Whether a stretch of words names something that a pronoun may stand for: more than its verb."""
    found = [word for word in _WORD.findall(text.casefold()) if word.strip("'*`.") not in _EMPTY]
    if found and found[0] in ordering_verbs():
        found = found[1:]
    return bool(found)


def _is_denying(text: str) -> bool:
    return bool(re.search(r"\b(?:not|never|avoid|no|stop|without|cannot|can'?t|don'?t|isn'?t|aren'?t)\b", text, _I))


def _is_contrasted(text: str) -> bool:
    """Whether another clause stands before this one, so that "instead" has something to stand against."""
    clauses = [one for one in re.split(r"[,;.]\s", text) if len(one.split()) > 1]
    return len(clauses) > 1


_DEED: Final = re.compile(
    r"^(?P<lead>(?:do not|never|don'?t|dont) (?:ever )?)do (?:that|this|it)(?: again| ever)*(?P<rest>.*)$", _I
)
_DONE: Final = re.compile(
    r"^(?:ok[,.]? |done[.,:]? |sure[,.!]? )?(?:i|i've|i have)(?: also| just| now)? (?P<verb>[a-z-]+) "
    r"(?P<what>[^.;:!?\n]{3,70})",
    _I,
)


def _deed(text: str, before: str) -> str:
    """`do not do that again` after "I deleted the fixtures." -> `do not delete the fixtures`."""
    found = _DEED.match(text)
    done = _done(before) if found else None
    if not found or not done:
        return text
    return f"{found['lead']}{done[0]} {done[1]}{found['rest']}"


_WHOSE: Final = re.compile(r"\b(?:your|my)\b", _I)


def _done(before: str) -> tuple[str, str] | None:
    """The assistant's one deed, where its words are one sentence that says it."""
    sentences = [one for one in re.split(r"(?<=[.!?])\s+|\n+", before.strip()) if one.strip()]
    found = [_DONE.match(one) for one in sentences]
    told = [match for match in found if match]
    if len(told) != 1 or len(sentences) > 2:
        return None
    base = base_of_past(told[0]["verb"])
    if base == told[0]["verb"] and base not in ("put", "set", "cut", "split", "read"):
        return None
    return base, _WHOSE.sub(lambda m: "my" if m[0].casefold() == "your" else "your", told[0]["what"]).strip()


def _named(kind: str, before: str) -> str:
    """The one thing of that kind that the assistant's words name in backticks, else a file's path."""
    found = {one for one in _QUOTED.findall(before) if re.fullmatch(_KINDS[kind.casefold()], one)}
    if kind.casefold() == "file":
        found |= set(re.findall(r"(?<![\w/.@])(?:[\w.-]+/){0,6}[\w-]+\.[a-z]{2,4}\b(?![/.]\w)", before))
    return f"`{found.pop()}`" if len(found) == 1 else ""


_VERB_IT: Final = re.compile(
    r"\b(?P<verb>[a-z]+) (?P<it>it|that|this|them)\b(?P<up> (?:up|down|out|in|off|away))?"
    r"(?=\s*(?:$|[,.;:!?)])| (?:again|to|from|for|in|into|on|at|with|without|by|before|after|until|unless|if|when|"
    r"and|or|instead|first|yourself|directly|by)\b)",
    _I,
)


def _object(text: str, before: str) -> str:
    """`do not clean it up` after "let me clean up the old folder first" -> `do not clean up the old folder`."""
    found = _VERB_IT.search(text)
    if not found or names(text[: found.start()]):
        return text
    verb, up = found["verb"].casefold(), (found["up"] or "").strip()
    what = _object_of(verb, up, before)
    if not what:
        return text
    return f"{text[: found.start()]}{found['verb']}{found['up'] or ''} {what}{text[found.end() :]}"


def _object_of(verb: str, up: str, before: str) -> str:
    """What the assistant says it does, or did, by this verb; empty where it names none, or two."""
    if verb not in ordering_verbs() or verb in ("do", "go", "be"):
        return ""
    found = set()
    for match in re.finditer(r"\b([a-z]+)(?: (up|down|out|in|off|away))? (?=(?:the|a|an|your|all|every|\w+)\b)"
                             r"((?:the|a|an|all|every|each) [^,.;:!?\n()]{2,60})", before, _I):  # fmt: skip
        said = match[1].casefold()
        if verb in (said, base_of_past(said), base_of_ing(said)) and (match[2] or "") == up:
            phrase = _phrase(match[3])
            found.add(phrase if len(phrase.split()) <= _NAME and match.end(3) - match.start(3) < _CUT else "")
    return found.pop() if len(found) == 1 else ""


_NAME: Final = 6  # words of a thing's name
_CUT: Final = 64  # characters at which a stretch was cut in the middle
_AFTER_NOUN: Final = re.compile(
    r"\s+(?:first|so|and|because|since|to|that|which|while|as|now|again|for you|already|directly)\b.*$", _I
)


def _phrase(text: str) -> str:
    return _AFTER_NOUN.sub("", text).strip()


def _against(text: str, before: str) -> str:
    """`use the parser instead` after "I used a regex" -> `use the parser instead of a regex`; else the word goes."""
    verb = text.split(" ", 1)[0].casefold()
    what = _object_of(verb, "", before)
    if _is_contrasted(text[: _INSTEAD.search(text).start()]):  # type: ignore[union-attr]
        return text
    return _INSTEAD.sub(f" instead of {what}", text, count=1) if what else _INSTEAD.sub("", text, count=1)

"""Codes of doors, gates, alarms and lockers, however a sentence words them ("the gate code has changed, it's 9026").

Takes: a text, and the parts that name what a code opens. Gives: spans. Never: takes a price, a time, a year or the code
of something else (an error, an area, a discount) for one.

What decides is the word right before the number, what follows it, and whether the sentence, or the one that it goes on
from, names a code of something that is locked, or says that the number opens it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from dopejar.governance.redaction.cue_words import matches
from dopejar.governance.redaction.secret_words import LOCKED, groups_of
from dopejar.governance.redaction.token_patterns import SecretSpan

_BEFORE, _BEHIND = 200, 80  # characters of the text that are looked at
_MARK: Final = re.compile(r"\[redacted:[a-z-]{1,32}\]")
_END: Final = re.compile(r"[.?!;]\s+|\n")
_NUMBER: Final = re.compile(
    r"(?<![\w.,:/$€£#%@+-])\d{4,8}(?=[\"')]*(?:[.,;:!?]*(?:\s*$|\n|[ \t]+[—–-]|[,;]?[ \t]+(?:now|and|or|but|for|from"
    r"|since|until|at|on|in|into|to|then|again|today|yesterday|as[ ](?:of|well)|by|if|when|this|last|too|instead"
    r"|opens|unlocks|disarms|lets|gets|anymore|any[ ]more|these|it|i|we|they|do|don['’]t|please|so|because"
    r"|which|that|there|here)\b)"
    r"|[.,;:!?]+[ \t]))"
)
_STATES: Final = re.compile(  # right before the number of a code
    r"(?:['’]s|\b(?:is|was|be|been|are|now|code|number|pin|one|combination)|[:=,—–]|\bfrom(?=[ \t]$)"
    r"|\b(?:chang\w+|set|reset|switch\w*|update\w*|went|gone|back|moved|swap\w*)(?:[ \t][\w'’]+){0,5}?[ \t]to"
    r"|\b(?:with|using|press\w*|enter\w*|typ(?:e|ed|ing)|punch\w*|key(?:ed)?|dial\w*|tap|takes|wants|use))"
    r"(?:[ \t](?:still|now|currently|just|in|been))?(?:[ \t](?:the|number|code|pin))*[ \t]*$"
)
MEASURED: Final = re.compile(  # right before a number that counts, costs or dates something
    r"\b(?:costs?|costing|paid|pays?|than|since|until|till|in|at|about|around|over|under|before|after|weighs?|holds?)"
    r"[ \t]$"
)
_FROM: Final = re.compile(r"\bfrom[ \t]$")
_TO_ANOTHER: Final = re.compile(r"[ \t]to[ \t](?:\d|\[redacted:)")
_OPENS: Final = re.compile(  # right before a number that opens something
    r"\b(?:opens?|unlocks?|open(?:ed|ing)|disarm\w*|(?:switch|turn)\w*[ \t](?:it[ \t])?off"
    r"|(?:get|gets|getting|let|lets|buzz)\b[^.;!?]{0,20}?\bin(?:to)?)\b[^.;!?]{0,40}?"
    r"\b(?:with|using|(?:by|if[ \t]you|when[ \t]you)[ \t]"
    r"(?:press\w*|enter\w*|typ(?:e|ing)|dial\w*|punch\w*(?:[ \t]in)?))"
    r"(?:[ \t](?:the|code|number|pin))*[ \t]*$"
    r"|(?:^|\b(?:just|to|then|please|you|and)[ \t])(?:press|punch|enter|type|key|dial|tap|use)(?:[ \t]in)?"
    r"(?:[ \t](?:the|code|number|pin))*[ \t]*$"
)
_OPENING: Final = re.compile(  # right behind one
    r"[ \t](?:opens|unlocks|disarms|(?:lets|gets)[ \t](?:you|us|me|them)[ \t]in(?:to)?)\b"
)
_GOES_ON: Final = re.compile(  # of the code that the sentence before names
    r"\s*(?:(?:so|and|now|well|from[ ]\w+)[ ,]+)*(?:it['’]?s|it[ ]is|it[ ]was"
    r"|the[ ](?:new|old|current)[ ]one|new[ ]one|now)\b"
)
_CODE: Final = re.compile(r"([\w'’-]+[ \t]+)?\b(?:codes?|combination|combo|pin|keypad|pin[ -]?code)\b")
_WHOSE: Final = re.compile(  # words before "code" that say nothing of its kind
    r"(?:the|a|an|my|our|your|his|her|their|this|that|its|which|what|with|by|new|old|current|right|wrong|same|secret|is|and"
    r"|enter|use|type|no|of|for|to|in|on|at|has|have|changed|reset|box|store|unit|room|pad|panel|\d[\w-]*|four-digit|six-digit|[\w-]+['’]s?)$"
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_LOCKED: Final = re.compile(rf"\b(?:{LOCKED})s?\b")


def spoken_codes(lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Short numbers that the sentence calls the code of something locked, or says to open it."""
    for match in matches(_NUMBER, lowered, near):
        before = _without_marks(lowered[max(0, match.start() - _BEFORE) : match.start()])
        behind = _without_marks(lowered[match.end() : match.end() + _BEHIND])
        *earlier, head = _END.split(before)
        tail = _END.split(behind, maxsplit=1)[0]
        if _FROM.search(head) and not _TO_ANOTHER.match(lowered, match.end()):
            continue
        if _opens(head, tail) or (_is_stated(head, match.start(), tail) and _names_code(head, tail, earlier[-1:])):
            yield (*match.span(), "pin")


def _without_marks(text: str) -> str:
    """The text with spaces for what was redacted: the names in a mark are no words of the speaker."""
    return _MARK.sub(lambda mark: " 0".ljust(len(mark.group())), text) if "[redacted:" in text else text


def _opens(head: str, tail: str) -> bool:
    """Whether the number is said to open something that is locked."""
    if _OPENING.match(tail):
        return not head.strip() and _names_lock(tail)
    return _OPENS.search(head) is not None and _names_lock(f"{head} {tail}")


def _is_stated(head: str, start: int, tail: str) -> bool:
    return bool(_STATES.search(head)) or (not head.strip() and bool(re.match(r"[ \t](?:is|was)\b", tail)))


def _names_code(head: str, tail: str, earlier: Sequence[str]) -> bool:
    """Whether the sentence names a code of something locked, or goes on from one that does."""
    if _has_code(head) or _has_code(f"{head}0{tail}"):
        return True
    return bool(earlier) and _GOES_ON.match(head) is not None and _has_code(earlier[0])


def _has_code(sentence: str) -> bool:
    """Whether the sentence names a code of something locked, and no code of another kind."""
    return _CODE.search(sentence) is not None and not names_other_code(sentence) and _names_lock(sentence)


def names_other_code(lowered: str) -> bool:
    """Whether the words name the code of something that is not locked: of an error, an area, a product."""
    return any(not _is_plain(match) for match in _CODE.finditer(lowered))


def _is_plain(code: re.Match[str]) -> bool:
    """Whether nothing before the word says that it is the code of an error, an area, a product."""
    word = (code.group(1) or "").strip()
    return not word or _WHOSE.match(word) is not None or _names_lock(word) or "code" in groups_of(word)


def _names_lock(text: str) -> bool:
    return _LOCKED.search(text) is not None or any("lock" in groups_of(word) for word in _WORD.findall(text))

"""The whole of a wish: its clause with the condition, the ban and the alternative that stand beside it.

Takes: the sentences of a turn, the clause that carries the wish, the assistant's last words. Gives: the text a memory
would keep and whether it can be read without the conversation. Never: adds a word of meaning, cuts a condition.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from dopejar.pipelines.corrections.wording.complaint_rewrites import nearest
from dopejar.pipelines.corrections.wording.imperative import (
    clauses,
    imperative,
    lasts,
    only_opens,
    sentence_case,
    stripped,
)
from dopejar.pipelines.corrections.wording.memory_text import content_of, directs
from dopejar.pipelines.corrections.wording.reference_resolution import (
    BLAMES,
    filled,
    is_unsure,
    points_away,
    points_outside,
)
from dopejar.pipelines.corrections.wording.wording_quality import starters

_I: Final = re.IGNORECASE
_MOST_WORDS: Final = 45  # of a wording; what is longer joins no neighbours
_BESIDE: Final = 16  # words of a neighbour in another sentence
_BEFORE: Final = 2  # sentences in front of a wish that are looked at
_BEHIND: Final = 6  # and behind it
_REMARK: Final = 10  # words of a statement kept for what it limits


@dataclass(frozen=True, kw_only=True, slots=True)
class Whole:
    """A wording, the sentences it was read from (`first` to `last`), and whether it stands by itself."""

    text: str
    first: int
    last: int
    is_whole: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One clause: its sentence, what separates it from the clause before it, what it is."""

    sentence: int
    text: str
    bare: str
    gap: str
    kind: str  # wish, ban, condition, remark, talk


_CONDITION: Final = re.compile(
    r"^(?:when(?:ever)?|if|unless|until|while|before|after|once|for|in|on|as long as|every time|each time|except|"
    r"during|with|without|where|otherwise|so that|even|at least|not)\b(?!.*\?)",
    _I,
)
_HANGS_ON: Final = re.compile(r"^(?:when(?:ever)?|if|unless|until|before|after|once|while)\b", _I)
_WHEN_YOU: Final = re.compile(r"^(?:when(?:ever)?|if|before|after|once)\b(?! you\b).*\byou\b", _I)
_BAN: Final = re.compile(
    r"^(?:do not|never|avoid|stop|not|no|cannot)\b|\b(?:must|should|can|may|are|is|does|do) (?:not|never)\b|"
    r"\bcannot\b|\b(?:must|should|ca|is|are|do|does)n'?t\b|^use no\b",
    _I,
)
_BOTH: Final = re.compile(r"\b(?:instead of|rather than)\b|, not\b|\bonly\b", _I)
_TALK: Final = re.compile(
    r"^(?:i|i'm|i've|i'd|im|ive|he|she|they|who|thanks?|thank you|sorry|how|what|why|where|did|does|is|are|can|could|"
    r"you(?:'re|'ve| are| have| did| just| always| keep| \w+ed| ran| wrote| made| put)?|this|that|that's|thats|"
    r"it|its|they|"
    r"it's|there(?:'s| is| are)? (?:a )?(?:bug|error|mistake|typo)|half of|nobody|someone|everyone)\b",
    _I,
)
_PAST: Final = re.compile(
    r"\b(?:again|already|yesterday|last (?:week|time|month|year|quarter)|right now|\bnow\b|this time|was|were|got|had|"
    r"anymore|wtf|lol)\b|\b(?:is|are|looks?|seems?) (?:good|great|fine|nice|ok|okay|wrong|bad|unreadable|"
    r"impossible|awful)\b",
    _I,
)
_STEP: Final = re.compile(
    r"^(?:(?:please|now|then|and|also|just) )*(?:redo|undo|revert|restore|rerun|continue|commit|push|pull|fetch|"
    r"summari[sz]e|"
    r"explain|investigate|resume|retry|go ahead|start|begin|finish|proceed|apologi[sz]e|tell me|"
    r"(?:add|create|make|write|record|update) (?:a|an|the|this|that) (?:\w+ ){0,3}(?:rule|note|task|memory|"
    r"preference))\b|"
    r"\b(?:you made|you did|you just|for me|all the changes|the changes|the pr|the diff)\b",
    _I,
)
_HOLDS: Final = re.compile(
    r"^(?:there(?:'?s| is| are)|we (?:have|use|name|keep|write|put|say|call|support|group))\b", _I
)
_WRONG: Final = re.compile(
    r"\b(?:wrong|incorrect|bad|mistaken|unnecessary|useless)\b|^do not (?:make (?:a )?mistakes?)\b", _I
)
_HEADED: Final = re.compile(
    r"^(?:please |also )?(?:add|record|write|put|document|note|create|make)(?: down)? "
    r"(?:the |these |some |our |a |new )*"
    r"(?:(?P<what>(?:[\w-]+ ){0,3}(?:conventions?|guidelines?|rules?|preferences?)) (?:to|in|into|for)\b|"
    r"(?:[\w-]+ ){0,2}(?:rule|note|guide|guidance)(?: \w+ guidance)? (?:on|about|covering) "
    r"(?P<subject>[^,.;:\n]{3,50})$)",
    _I,
)
_POLITE: Final = re.compile(
    r"(?:,?\s+\b(?:please|pls|plz|thanks|thank you|thx|stp|svp|s'il te plaît|s'il vous plaît|por favor|prosím|"
    r"пожалуйста)\b(?=\s*(?:[,.;:!?)]|$)))|^(?:bitte|prosím|por favor|s'il te plaît|пожалуйста|please|请)[, ]\s*|^请",
    _I,
)
_AS_SAID: Final = re.compile(
    r",?\s+(?:like|as) (?:i|we)(?:'ve| have)? (?:already )?(?:asked|said|told you|mentioned|"
    r"wanted)(?: \w+)?(?=\s*(?:[,.;!?]|$))",
    _I,
)
_ANSWERED: Final = re.compile(r"^[^,.;]{0,30}\b(?:is|looks|are|was) (?:good|fine|great|nice|ok|okay|right),? but ", _I)
_LIMITS: Final = frozenset({"always", "ever", "everywhere", "anywhere", "forever"})  # one word: when or where
_UNDER_TALK: Final = re.compile(
    r", (?P<what>(?:when(?:ever)?|if|unless|until|before|after|once|as long as|every time|each time|except|while|"
    r"for|in|during)\b.+)$",
    _I,
)  # a condition that an aside came in front of
_LEFT_OVER: Final = re.compile(r"(?<!\bsay)(?<!\bdo),? (?:so|and|but|or|because)$", _I)
_EXCEPT: Final = re.compile(r"^except that (?=it |you |we |i )", _I)


def parts(sentences: Sequence[str], place: int | None = None) -> list[Part]:
    """Every clause of a turn, or of the sentences near one, in order, with what stands in front of it."""
    found = []
    for number, sentence in enumerate(sentences):
        if place is not None and not place - _BEFORE <= number <= place + _BEHIND:
            continue
        end = 0
        for clause in clauses(sentence):
            start = sentence.find(clause, end)
            gap = sentence[end:start] if start >= 0 else ", "
            end = start + len(clause) if start >= 0 else end
            bare = _kept(clause)
            kind = _kind(bare)
            behind = _UNDER_TALK.search(clause) if kind == "talk" or _ABOUT.match(clause) else None
            found.append(Part(sentence=number, text=clause, bare=bare, gap=gap, kind="talk" if behind else kind))
            if behind:
                said = _kept(behind["what"])
                found.append(Part(sentence=number, text=behind["what"], bare=said, gap=", ", kind="condition"))
    return found


def _kept(clause: str) -> str:
    bare = _POLITE.sub("", _AS_SAID.sub("", stripped(_ANSWERED.sub("", clause)))).strip(" ,;:-–—")
    return _LEFT_OVER.sub("", _EXCEPT.sub("", bare))


def polite_gone(text: str) -> str:
    """A clause without "please" and its like, in any of the languages."""
    return _POLITE.sub("", text).strip(" ,;:")


def _kind(bare: str) -> str:
    wish = imperative(bare)
    asks = bare.rstrip("!").endswith("?") and _first(wish) == _first(bare)
    if len(bare.split()) < 2 or asks or only_opens(bare):
        return "condition" if bare.casefold().rstrip(".!") in _LIMITS else "talk"
    if _WHEN_YOU.match(bare):
        return "wish"
    if _CONDITION.match(bare) and not directs(wish):
        return "condition"
    if directs(wish) or _first(wish) in starters():
        return "ban" if _is_ban(wish) else "wish"
    if _HOLDS.match(bare):
        return "holds"
    return "talk" if _TALK.match(bare) or _PAST.search(bare) else "remark"


def _is_ban(wish: str) -> bool:
    return bool(_BAN.search(wish)) and not _BOTH.search(wish)


def _first(text: str) -> str:
    return text.split(" ", 1)[0].casefold().strip(",;:.!")


def whole(sentences: Sequence[str], place: int, clause: str, before: str) -> Whole:
    """The wording of the wish that this clause of an English turn carries."""
    found = parts(sentences, place)
    core = next((at for at, one in enumerate(found) if one.sentence == place and one.text == clause), -1)
    if core < 0:
        text = content_of(imperative(clause))
        return Whole(text=text, first=place, last=place, is_whole=not points_outside(text))
    if found[core + 1 :] and found[core].text.endswith(f", {found[core + 1].text}"):
        del found[core + 1]  # a wish says its condition itself
    found[core] = replace(found[core], kind="ban" if _is_ban(imperative(found[core].bare)) else "wish")
    first, last = _around(found, core)
    text = _joined(found[first : last + 1])
    if points_outside(text):
        named = _joined(found[first - 1 : last + 1]) if first > 0 and _may_lead(found[first - 1]) else ""
        if named and not points_outside(named):
            first, text = first - 1, named
        else:
            text = filled(text, before)
    headed = _under_heading(found, first)
    if headed:
        last = _listed(found, last)
        text = f"{headed}: {_lowered(_joined(found[first : last + 1]), found[first].bare)}"
    return Whole(
        text=sentence_case(text),
        first=found[first].sentence,
        last=found[last].sentence,
        is_whole=not (points_outside(text) or _WRONG.search(found[core].bare) or is_unsure(text, found[core].bare)),
    )


def carrying(sentences: Sequence[str], place: int, clause: str) -> tuple[int, str]:
    """The clause that says what to do: the one chosen, unless it only complains and another one of the turn orders."""
    wish = imperative(_kept(clause))
    if directs(wish) and not _WRONG.search(wish):
        return place, clause
    found = parts(sentences)
    for one in found:
        if one.kind in ("wish", "ban") and not _WRONG.search(one.bare) and not _STEP.search(one.bare):
            return one.sentence, one.text
    if len(_kept(clause).split()) < 2 and found:
        longest = max(found, key=lambda one: len(one.bare))
        return longest.sentence, longest.text
    return place, clause


def _around(found: Sequence[Part], core: int) -> tuple[int, int]:
    """From where to where a wish reaches: its own sentence first, then what complements it in the next or the last."""
    size = len(found[core].bare.split())
    first = _reach(found, core, -1)
    last = _reach(found, core, 1)
    kinds = {one.kind for one in found[first : last + 1]}
    while last + 1 < len(found) and size < _MOST_WORDS and _complements(found[last + 1], found[last], kinds):
        last += 1
        size += len(found[last].bare.split())
        kinds.add(found[last].kind)
        last = _reach(found, last, 1)
    behind = _behind(found, first)
    if behind >= 0 and size < _MOST_WORDS and _precedes(found[behind], found[first], kinds):
        first = _reach(found, behind, -1)
    return first, last


def _reach(found: Sequence[Part], core: int, step: int) -> int:
    """The farthest clause of the same sentence that belongs to this one; talk between them is passed over."""
    reached, place = core, core + step
    while 0 <= place < len(found) and found[place].sentence == found[core].sentence:
        if _belongs(found[place], found[core], is_left=step < 0):
            reached = place
        elif found[place].kind != "talk":
            break
        place += step
    return reached


def _behind(found: Sequence[Part], first: int) -> int:
    """The last clause of the sentence before that wishes or denies something; remarks behind it are passed over."""
    place = first - 1
    while place >= 0 and found[place].sentence == found[first].sentence - 1 and not _wishes(found[place]):
        place -= 1
    return place


def _wishes(one: Part) -> str:
    """`wish`, `ban`, or "" for what wishes nothing; a remark that denies bans: "sleeping is not a fix"."""
    if one.kind == "remark" and _is_ban(one.bare):
        return "ban"
    return one.kind if one.kind in ("wish", "ban") else ""


def _belongs(one: Part, core: Part, *, is_left: bool) -> bool:
    """Whether a clause of the same sentence is kept: what limits, bans or says the alternative; no talk, no step."""
    if one.kind == "condition" or _HANGS_ON.match(one.bare):
        return bool(one.bare)
    if not one.bare or _STEP.search(one.bare) or _ABOUT.match(one.bare):
        return False
    if one.kind != "holds" and points_away(one.bare):
        return False
    if is_left and lasts(core.text) and not lasts(one.text):
        return False  # "take the prints out, and use the logger from now on"
    if one.kind in ("wish", "ban", "holds"):
        return not (is_left and _WRONG.search(one.bare))
    is_short = one.kind == "remark" and len(one.bare.split()) <= _REMARK
    return is_short and not points_outside(f"{core.bare}, {one.bare}")


_ABOUT: Final = re.compile(
    r"^(?:i|we|you)(?:'ve| have)? (?:\w+ )?(?:asked|told|wanted|said|keep(?: on)? \w+ing)\b"
    r"|^(?:it|they|that|this)\b",
    _I,
)


def _complements(one: Part, end: Part, kinds: set[str]) -> bool:
    """Whether the next sentence says the other half: what to do where this says what not, or the other way round."""
    if one.sentence != end.sentence + 1 or _STEP.search(one.bare) or len(one.bare.split()) > _BESIDE:
        return False
    if one.kind == "holds":
        return "ban" in kinds and not _PAST.search(one.bare)
    if one.kind not in ("wish", "ban") or _is_step_on_it(one.bare, kinds) or points_away(one.bare):
        return False
    return one.kind not in kinds or bool(re.match(r"^(?:always|never|only|same|instead)\b", one.bare, _I))


def _is_step_on_it(bare: str, kinds: set[str]) -> bool:
    """`remove it from the history` is a step to take now; `repair them or tell me` goes on with the ban."""
    pointed = re.match(r"^(?:\w+ )?(?:it|this|that)\b", bare, _I)
    return bool(pointed) or ("ban" not in kinds and points_outside(bare))


def _precedes(one: Part, start: Part, kinds: set[str]) -> bool:
    """Whether the sentence before says the other half."""
    if one.sentence != start.sentence - 1 or _STEP.search(one.bare) or len(one.bare.split()) > _BESIDE:
        return False
    kind = _wishes(one)
    if not kind or _ABOUT.match(one.bare):
        return False
    if points_outside(imperative(one.bare)) or _WRONG.search(one.bare):
        return False
    return kind not in kinds or bool(_BOTH.search(one.bare))


def _may_lead(one: Part) -> bool:
    """Whether the words before a wish may be kept for the noun they name."""
    if one.kind in ("talk", "condition") or len(one.bare.split()) > _BESIDE:
        return False
    return not (_STEP.search(one.bare) or _PAST.search(one.bare) or points_outside(one.bare))


def _joined(kept: Sequence[Part]) -> str:
    """The clauses as one sentence: each turned by itself, in the order they were said."""
    text = ""
    kept = [one for one in kept if one.kind != "talk"]
    for place, one in enumerate(kept):
        said = _said(one)
        if not place:
            text = said
            continue
        before = kept[place - 1]
        is_turned = before.kind in ("wish", "ban") and said.casefold() != one.bare.rstrip(" .!?").casefold()
        mark = ";" if one.sentence != before.sentence or is_turned else one.gap.rstrip() or ","
        text = f"{text.rstrip(' .!?;,')}{mark} {_lowered(said, one.bare)}"
    return text


def _said(one: Part) -> str:
    if one.kind in ("wish", "ban") and not _WHEN_YOU.match(one.bare):
        said = content_of(imperative(one.bare))
        return nearest(said) if BLAMES.match(one.bare) else said
    return one.bare.rstrip(" .!?;,")


def _lowered(text: str, bare: str) -> str:
    """Without the capital that it got, or that the beginning of its sentence gave it."""
    first = text.split(maxsplit=1)[0] if text else ""
    small = bare[:1].islower() or _first(first) in _SMALL or _first(first) in starters()
    return text[:1].lower() + text[1:] if small and first.istitle() else text


_SMALL: Final = frozenset(
    ["do", "use", "never", "always", "only", "when", "if", "the", "a", "avoid", "there", "we", "for", "in",
     "on", "before", "after", "each", "every", "all", "an", "our", "with", "without"]
)  # fmt: skip


def _under_heading(found: Sequence[Part], first: int) -> str:
    """What the sentences below "add markdown conventions to X" are about; empty where nothing heads them."""
    heads = (_HEADED.match(one.bare) for one in found[:first])
    return next((sentence_case(match["what"] or match["subject"]) for match in heads if match), "")


def _listed(found: Sequence[Part], last: int) -> int:
    """The last of the sentences that stand below a heading."""
    size = sum(len(one.bare.split()) for one in found[: last + 1])
    while last + 1 < len(found) and found[last + 1].kind != "talk" and not _STEP.match(found[last + 1].bare):
        size += len(found[last + 1].bare.split())
        if size > 2 * _MOST_WORDS:
            break
        last += 1
    return last

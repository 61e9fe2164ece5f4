"""Canonical keys: `Subject-Aspect-Qualifier`, at most 30 characters, the same for every wording of a concept.

Takes: an atom. Gives: a `Key` with its slot and value. Never: a banned word; a cut key never meets another concept.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Key
from dopejar.pipelines.ingest.keys.read_slot import read_slot
from dopejar.pipelines.ingest.keys.rewrites import canonical
from dopejar.pipelines.ingest.keys.slot import Slot
from dopejar.pipelines.ingest.keys.slot_claims import holds
from dopejar.text.normalisation import fold
from dopejar.text.words import query_terms, stem
from dopejar.values.record import Kind, Layer, Sublayer

LONGEST: Final = 30
BANNED: Final = frozenset({"really", "very", "favorite", "update", "new"})
_PARTS: Final = re.compile(r"[^\W_]+")
_ROOTS: Final = {
    Sublayer.IDENTITY: ("Self", "Id"),
    Sublayer.PREFERENCE: ("Self", "Pref"),
    Sublayer.CONSTRAINT: ("Self", "Limit"),
    Sublayer.FACT: ("World", "Fact"),
    Sublayer.FAILURE: ("World", "Failure"),
    Sublayer.METHOD: ("World", "Method"),
    Sublayer.RULE: ("Dev", "Rule"),
    Sublayer.GOAL: ("Intent", "Goal"),
    Sublayer.ANTI_PATTERN: ("Dev", "Rule"),
}
_NEGATION: Final = frozenset(
    [
        *(
            "nunca",
            "sempre",
            "siempre",
            "jamais",
            "jamás",
            "toujours",
            "immer",
            "nie",
            "niemals",
            "kein",
            "keine",
            "nicht",
            "não",
        ),
        *("vždy", "nikdy", "всегда", "никогда", "не"),
        *(
            "use",
            "using",
            "make",
            "sure",
            "ensure",
            "every",
            "each",
            "all",
            "any",
            "stop",
            "forbidden",
            "prohibited",
            "allowed",
        ),
        *(
            "banned",
            "want",
            "give",
            "leave",
            "out",
            "need",
            "needs",
            "has",
            "have",
            "should",
            "be",
            "required",
            "ever",
            "only",
        ),
        "not",
        "no",
        "never",
        "don't",
        "dont",
        "do",
        "doesn't",
        "without",
        "cannot",
        "can't",
        "nobody",
        "nothing",
        "avoid",
        "always",
        "please",
        "must",
        "should",
    ]
)


_ORDERED: Final = re.compile(r"\b(?:before|after|over|than|instead|then)\b", re.IGNORECASE)
_FORBIDS: Final = re.compile(
    r"\b(?:never|don'?t|do not|must not|mustn'?t|should not|shouldn'?t|cannot|can'?t|may not|no|not|avoid|stop|refrain|"
    r"forbidden|prohibited|banned|leave out|nothing|nobody|nunca|jamais|nie|niemals|nicht|kein\w*|não|jamás)\b",
    re.IGNORECASE,
)
_ADVERBS: Final = frozenset(
    [
        "also",
        "now",
        "still",
        "currently",
        "usually",
        "always",
        "often",
        "again",
        "generally",
        "mostly",
        "just",
        "regularly",
        "already",
        "recently",
        "lately",
        "additionally",
        "furthermore",
        "moreover",
        "further",
        "even",
        "actually",
        "basically",
        "finally",
        "quite",
        "too",
    ]
)
# how a wish is brought up; a goal is what is wished for
_WISHING: Final = frozenset(
    ["want", "plan", "try", "aim", "hope", "intend", "like", "love", "think", "look", "goal", "wish", "consider", "go"]
)


# how long it holds is no part of what it is about
_FOR_A_TIME: Final = re.compile(
    r"[\s,]*\b(?:(?:just |only )?(?:for )?(?:now|the (?:moment|time being)|this (?:demo|session|task|time|once|call|"
    r"meeting|recording|week(?:end)?|month|sprint|morning|afternoon|evening|presentation|screenshot|run|pr|branch|conversation|"
    r"chat|e-?mail|turn))|today|tonight|temporarily|(?:on|in) \d{4}-\d\d(?:-\d\d)?|"
    r"until [\w -]+?(?=,|$)|for (?:a few|a couple of|two|three|\d+) \w+)\b,?\s*",
    re.IGNORECASE,
)


def make_key(atom: Atom) -> Key:
    """The key, slot and value of an atom.

    Without a slot the key is made of every content word, so that two atoms share it only when they say the same.
    """
    if atom.past or atom.planned or not atom.states:
        return _plain(atom)  # only what holds now may replace what holds now; what holds for a time stands beside it
    text = _FOR_A_TIME.sub(" ", atom.says).strip() if atom.temporary else atom.says
    slot = read_slot(text, atom.polarity)
    if slot is not None:
        return _slotted(slot) if holds(text, slot) else _plain(atom)
    if atom.sublayer in (Sublayer.RULE, Sublayer.ANTI_PATTERN):
        return _rule(atom)
    return _plain(atom)


def plain_key(atom: Atom) -> Key:
    """The key of an atom by its words alone, for where a slot was misread."""
    return _plain(atom)


def _slotted(slot: Slot) -> Key:
    title = [part for part in (_title(part) for part in slot.title) if part]
    key = "-".join(title)
    lossless = slot.title[1] in ("Pref", "Uses", "Config") or slot.path.startswith("dev.")
    if slot.value.startswith("-") and not slot.many:
        key = _cut(title, f"{slot.name}|{slot.value}")  # a denial may stand beside another value of its slot
    elif "@" in slot.name or len(key) > LONGEST or not (lossless or _names(slot)):
        key = _cut(title, slot.name)
    return Key(key=key, slot=slot.name, value=slot.value, many=slot.many, confidence=slot.confidence)


def _names(slot: Slot) -> bool:
    """Whether the title says as much as the slot, so that no other slot can have it."""
    return len(slot.name) <= LONGEST


def _rule(atom: Atom) -> Key:
    text = canonical(atom.says)
    stems = _stems(text, drop=_NEGATION)
    if not stems:
        return _plain(atom)
    concept = "-".join(stems if _ORDERED.search(text) else sorted(stems))
    sign = "-" if len(_FORBIDS.findall(text)) % 2 else "+"
    return Key(
        key=_cut(["Dev", "Rule", _longest(stems)], concept),
        slot=f"dev.rule#{concept}",
        value=f"{sign}do",
        many=True,
        confidence=0.7,
    )


def _plain(atom: Atom) -> Key:
    light = _ADVERBS | _WISHING if atom.sublayer is Sublayer.GOAL else _ADVERBS
    stems = _stems(canonical(atom.says), drop=light) or [fold(atom.says)[:20] or "empty"]
    root = list(_ROOTS.get(atom.sublayer, ("World", "Fact")))
    if atom.kind is Kind.ALIAS:
        root = ["World", "Alias"]
    elif atom.layer is Layer.WORLD and not atom.speaker_is_user:
        root = ["World", root[1]]
    signature = "-".join(sorted(stems)) + ("" if atom.polarity > 0 else "|not")
    return Key(key=_cut([*root, _longest(stems)], signature), slot="", value="", many=False, confidence=0.0)


def _stems(text: str, drop: frozenset[str]) -> list[str]:
    dropped = {stem(word) for word in drop}
    return [term for term in query_terms(text) if term not in drop and term not in dropped and fold(term) not in BANNED]


def _longest(stems: list[str]) -> str:
    words = [stem for stem in stems if stem.isalpha()] or stems
    return max(words, key=lambda word: (min(len(word), 12), word))


def _cut(parts: list[str], concept: str) -> str:
    """The parts, cut to make room for a digest of the whole concept."""
    digest = hashlib.sha256(fold(concept).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    body = "-".join(part for part in (_title(part) for part in parts) if part)[: LONGEST - len(digest) - 1].rstrip("-")
    return f"{body}-{digest}"


def _title(part: str) -> str:
    """`backend team` -> `BackendTeam`; banned words leave, Unicode letters stay."""
    words = [word for word in _PARTS.findall(unicodedata.normalize("NFC", part)) if word.casefold() not in BANNED]
    return "".join(word[:1].upper() + word[1:] for word in words)

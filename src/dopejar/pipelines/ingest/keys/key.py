"""Canonical keys: `Subject-Aspect-Qualifier`, at most 30 characters, the same for every wording of a concept.

Takes: an atom. Gives: a `Key` with its slot and value. Never: a banned word; a cut key never meets another concept.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dopejar.memory.chain import without_digest
from dopejar.pipelines.ingest.atoms import Atom, Key
from dopejar.pipelines.ingest.keys.frame_title import ASPECTS, BANNED, fitted, frame_title, joined
from dopejar.pipelines.ingest.keys.read_slot import in_first_person, read_slot
from dopejar.pipelines.ingest.keys.slot import Slot
from dopejar.pipelines.ingest.keys.slot_claims import holds
from dopejar.pipelines.ingest.keys.slot_relations import HOME
from dopejar.text.normalisation import fold
from dopejar.text.words import content_words, query_terms, stem, words
from dopejar.values.episode import REDACTED
from dopejar.values.record import Kind, Layer, Sublayer
from dopejar.values.statement import FactClass

LONGEST: Final = 30
_DIGEST: Final = 6
_SURELY: Final = 0.5  # certainty of a reader from which a home is none
_KNOWN_ROOTS: Final = ("self.", "dev.", "project.", "assistant.", "alias.", "person:", "reply.")
_TELLING: Final = 2  # words of a statement that its key shows
_PARTS: Final = re.compile(r"[^\W_]+")
_ROOTS: Final = {Layer.SELF: "Self", Layer.WORLD: "World", Layer.INTENT: "Dev"}
PLAIN_ROOTS: Final = frozenset([*_ROOTS.values(), "Intent"])
_NEGATION_WORDS: Final = """
    nunca sempre siempre jamais jamás toujours immer nie niemals kein keine nicht não vždy nikdy всегда никогда не
    use using make sure ensure every each all any stop forbidden prohibited allowed banned want give leave out need
    needs has have should be required ever only not no never don't dont do doesn't without cannot can't nobody
    nothing avoid always please must
"""
_NEGATION: Final = frozenset(_NEGATION_WORDS.split())


_ORDERED: Final = re.compile(r"\b(?:before|after|over|than|instead|then)\b", re.IGNORECASE)
_FORBIDS: Final = re.compile(
    r"\b(?:never|don'?t|do not|must not|mustn'?t|should not|shouldn'?t|cannot|can'?t|may not|no|not|avoid|stop|refrain|"
    r"forbidden|prohibited|banned|leave out|nothing|nobody|nunca|jamais|nie|niemals|nicht|kein\w*|não|jamás)\b",
    re.IGNORECASE,
)
_ADVERB_WORDS: Final = """
    also now still currently usually always often again generally mostly just regularly already recently lately
    additionally furthermore moreover further even actually basically finally quite too
"""
_ADVERBS: Final = frozenset(_ADVERB_WORDS.split())
# how a wish is brought up; a goal is what is wished for
_WISHING: Final = frozenset(
    ["want", "plan", "try", "aim", "hope", "intend", "like", "love", "think", "look", "goal", "wish", "consider", "go"]
)


# how long it holds is no part of what it is about
_FOR_A_TIME: Final = re.compile(
    r"[\s,]*\b(?:(?:just |only )?(?:for )?(?:now|the (?:moment|time being)|this (?:demo|session|task|time|once|call|"
    r"meeting|recording|week(?:end)?|month|sprint|morning|afternoon|evening|presentation|screenshot|run|pr|branch|conversation|"
    r"chat|e-?mail|turn))|today|tonight|temporarily|(?:on|in) \d{4}-\d\d(?:-\d\d)?|"
    r"(?:until|till) [\w -]+?(?=,|$)|for (?:a few|a couple of|two|three|\d+) \w+)\b,?\s*",
    re.IGNORECASE,
)


def make_key(atom: Atom) -> Key:
    """The key, slot and value of an atom.

    Without a slot the key is made of every content word, so that two atoms share it only when they say the same.
    """
    if atom.renamed is not None:
        return _plain(atom)
    if atom.past or atom.planned or not atom.states or REDACTED in atom.text:
        return _plain(atom)  # only what holds now, and whose value is known, may replace what holds now
    text = _FOR_A_TIME.sub(" ", atom.says).strip() if atom.temporary else atom.says
    slot = read_slot(text, atom.polarity)
    if slot is not None:
        is_meant = holds(text, slot) and not (slot.path == HOME and _is_of_work(atom))
        return _as_framed(_slotted(slot), slot, atom) if is_meant else _plain(atom)
    if atom.sublayer in (Sublayer.RULE, Sublayer.ANTI_PATTERN):
        return _rule(atom)
    return _plain(atom)


def _is_of_work(atom: Atom) -> bool:
    """Whether a reader takes the statement for one about tools and systems: "we moved to Linear"."""
    frame = atom.frame
    return frame is not None and frame.fact_class is FactClass.ENVIRONMENT and frame.class_certainty >= _SURELY


def plain_key(atom: Atom) -> Key:
    """The key of an atom by its words alone, for where a slot was misread."""
    return _plain(atom)


def _slotted(slot: Slot) -> Key:
    parts = [_PARTS.findall(part) for part in slot.title]
    if sum(map(bool, parts)) == 2:
        filled = [part for part in parts if part]
        parts = [filled[0], ["Id" if slot.path.startswith("self.") else "Fact"], filled[1]]
    key = "-".join(name for name in map(joined, parts) if name)
    lossless = slot.title[1] in ("Pref", "Uses", "Config") or slot.path.startswith("dev.")
    if slot.value.startswith("-") and not slot.many:
        key = _cut(parts, f"{slot.name}|{slot.value}")  # a denial may stand beside another value of its slot
    elif "@" in slot.name or len(key) > LONGEST or not (lossless or _names(slot)):
        key = _cut(parts, slot.name)
    return Key(key=key, slot=slot.name, value=slot.value, many=slot.many, confidence=slot.confidence)


def _as_framed(key: Key, slot: Slot, atom: Atom) -> Key:
    """The key in the words that a reader found, where the rules took more for the subject ("the lathe may")."""
    if atom.frame is None or key.value.startswith("-") or key.slot.startswith(_KNOWN_ROOTS):
        return key
    subject = fold(atom.frame.subject)
    if not subject or all(fold(word) in subject for word in _PARTS.findall(slot.title[0])):
        return key
    return replace(key, key="-".join(frame_title(atom.says, atom.frame, atom.layer, atom.sublayer)))


def _names(slot: Slot) -> bool:
    """Whether the title says as much as the slot, so that no other slot can have it."""
    return len(slot.name) <= LONGEST


def _rule(atom: Atom) -> Key:
    text = in_first_person(atom.says)
    stems = _stems(text, drop=_NEGATION)
    if not stems:
        return _plain(atom)
    concept = "-".join(stems if _ORDERED.search(text) else sorted(stems))
    sign = "-" if len(_FORBIDS.findall(text)) % 2 else "+"
    return Key(
        key=_cut(_title(atom, _NEGATION), concept),
        slot=f"dev.rule#{concept}",
        value=f"{sign}do",
        many=True,
        confidence=0.7,
    )


def _plain(atom: Atom) -> Key:
    light = _ADVERBS | _WISHING if atom.sublayer is Sublayer.GOAL else _ADVERBS
    stems = _stems(in_first_person(atom.says), drop=light) or [fold(atom.says)[:20] or "empty"]
    signature = "-".join(sorted(stems)) + ("" if atom.polarity > 0 else "|not")
    return Key(key=_cut(_title(atom, light), signature), slot="", value="", many=False, confidence=0.0)


def _title(atom: Atom, light: frozenset[str]) -> list[list[str]]:
    """What a person reads: as a reader found it, else the sort of the statement and its first words that tell."""
    if about := atom.frame or atom.named:
        return [[part] for part in frame_title(atom.says, about, atom.layer, atom.sublayer)]
    of_other = atom.layer is not Layer.WORLD and not atom.speaker_is_user
    root = "Intent" if atom.sublayer is Sublayer.GOAL else "World" if of_other else _ROOTS[atom.layer]
    aspect = "Alias" if atom.kind is Kind.ALIAS else ASPECTS[atom.sublayer]
    dropped = {stem(word) for word in light | BANNED}
    kept = [word for word in content_words(in_first_person(atom.says)) if stem(word) not in dropped and word.isalpha()]
    telling = sorted(dict.fromkeys(kept), key=lambda word: (-len(stem(word)), stem(word)))[:_TELLING]
    return [[root], [aspect], [word for word in kept if word in telling] or words(atom.says)[:1]]


def _stems(text: str, drop: frozenset[str]) -> list[str]:
    dropped = {stem(word) for word in drop}
    return [term for term in query_terms(text) if term not in drop and term not in dropped and fold(term) not in BANNED]


def _cut(parts: Sequence[list[str]], concept: str) -> str:
    """The parts as far as they fit, with a digest of the whole concept."""
    filled = [part for part in parts if joined(part)]
    return "-".join([*(name for name in fitted(*[*filled, [], [], []][:3]) if name), digest_of(concept, _DIGEST)])


def digest_of(concept: str, length: int) -> str:
    """The digest by which a key is told from another one of the same words."""
    return hashlib.sha256(fold(concept).encode("utf-8", "surrogatepass")).hexdigest()[:length]


def key_of_speaker(name: str, key: str) -> str:
    """`Self-Dog-Name`, as Mira says it of herself -> `Mira-Dog-Name`; without a digest."""
    parts = [[part] for part in ["", *without_digest(key).split("-")][-2:]]
    return "-".join(filter(None, fitted([joined([name]) or "Other"], *parts)))

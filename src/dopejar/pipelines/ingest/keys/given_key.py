"""A host's own reading of a text: whether the words bear it out, and the key and slot that it gives.

Takes: a reading, the words as they are kept, atoms. Gives: a refusal, atoms with their reading, keys. Never: a subject
or a value that the words do not hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Final

from dopejar.errors import InputError
from dopejar.pipelines.ingest.atoms import Atom, Key
from dopejar.pipelines.ingest.keys.frame_title import ASPECTS, BANNED, GROUP, SPEAKER, title_of
from dopejar.pipelines.ingest.keys.key import LONGEST, make_key
from dopejar.pipelines.ingest.keys.slot import sign
from dopejar.text.normalisation import fold
from dopejar.text.words import UNSPACED, content_words, query_terms, stem, words
from dopejar.values.reading import Reading

GIVEN: Final = "host:"  # how slots begin that a host's reading gave
_MOST_WORDS: Final = 3  # of an attribute
_CONFIDENCE: Final = 0.8
_SIGNS: Final = re.compile(r"([%‰€$£¥°±<>=≤≥]|(?<![\w-])-(?=\d))")  # what is no word, and changes what a number says
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_KEY: Final = re.compile(r"[^\W_]+(?:-[^\W_]+){2}")
_CAMEL: Final = re.compile(r"(?<=[^\W_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_USER: Final = frozenset({"user"})
_ROOTS: Final = frozenset({"dev", "world"})  # sorts of statements, of whatever they are


def require_borne_out(reading: Reading | None, text: str) -> None:
    """Raise InputError, with the field, the reason and what to do, where the words do not bear the reading out."""
    if reading is None:
        return
    for name, told in (("subject", reading.subject), ("value", reading.value)):
        if told and not holds_words(text, told):
            raise InputError(
                f"The `{name}` of the reading is not in the words of the text as they are kept. Give words of the text,"
                " or leave the reading out."
            )
    if not 1 <= len(words(reading.attribute or "none")) <= _MOST_WORDS:
        raise InputError(
            f"The `attribute` of the reading, {reading.attribute[:60]!r}, is no name of a property. Give at most"
            f" {_MOST_WORDS} words, as 'retention period'."
        )
    if reading.key:
        _require_key(reading)


def is_borne_out(reading: Reading, text: str) -> bool:
    """Whether the words bear the reading out."""
    try:
        require_borne_out(reading, text)
    except InputError:
        return False
    return True


def _require_key(reading: Reading) -> None:
    key = reading.key
    if not _KEY.fullmatch(key) or len(key) > LONGEST:
        raise InputError(
            f"The `key` of the reading, {key[:60]!r}, is no key. Give three parts of letters and digits with hyphens"
            f" between them, together at most {LONGEST} characters, as Server-Config-Port."
        )
    parts = [_CAMEL.sub(" ", part).split() for part in key.split("-")]
    banned = next((word for part in parts for word in part if fold(word) in BANNED), "")
    if banned:
        raise InputError(
            f"The `key` of the reading, {key!r}, has the word {banned!r}, which says nothing: leave it out."
        )
    root, subject = fold(key.partition("-")[0]), {fold(word) for word in words(reading.subject)}
    is_root = root in _ROOTS or (root == "self" and _is_own(subject)) or (root == "project" and bool(subject & GROUP))
    if not is_root and not {stem(word) for word in parts[0]}.issubset(_stems(reading.subject)):
        raise InputError(
            f"The `key` of the reading, {key!r}, is of another subject than {reading.subject[:60]!r}. Begin it with"
            " words of the subject."
        )


def holds_words(text: str, told: str) -> bool:
    """Whether a text has these words one after the other, in any case and inflection."""
    if _UNSPACED.search(told):
        return fold(told) in fold(text)
    own, sought = _stems(text), _stems(told)
    starts = range(len(own) - len(sought) + 1)
    return bool(sought) and any(own[start : start + len(sought)] == sought for start in starts)


def _stems(text: str) -> list[str]:
    """The stems of the words, and the signs between them."""
    parts = _SIGNS.split(fold(text))
    return [term for at, part in enumerate(parts) for term in ([part] if at % 2 else map(stem, words(part)))]


def with_reading(atoms: Sequence[Atom], reading: Reading) -> tuple[Atom, ...]:
    """The atoms; the first one that holds both the subject and the value is as the host reads it."""
    said = next((atom for atom in atoms if _is_said_in(reading, atom.text)), None)
    return tuple(replace(atom, reading=reading) if atom is said else atom for atom in atoms)


def _is_said_in(reading: Reading, text: str) -> bool:
    return holds_words(text, reading.subject) and (not reading.value or holds_words(text, reading.value))


def key_of(atom: Atom) -> Key:
    """The key, slot and value of an atom: as its host reads it, else by its own words."""
    read, reading = make_key(atom), atom.reading
    if reading is None:
        return read
    key = reading.key or (_title(reading, atom) if reading.attribute else read.key)
    if not (reading.attribute and reading.value):  # nothing tells which of the subject's properties it is
        return replace(read, key=key)
    about, value = _terms(reading.subject), " ".join(_stems(reading.value))
    slot = f"{GIVEN}{about}/{_terms(reading.attribute)}"
    return Key(key=key, slot=slot, value=f"{sign(atom.polarity)}{value}", many=False, confidence=_CONFIDENCE)


def _is_own(subject: Set[str]) -> bool:
    """Whether it is the speaker, as they or an agent call them, or something of theirs."""
    return not SPEAKER.isdisjoint(subject) or subject - {"the"} == _USER


def _title(reading: Reading, atom: Atom) -> str:
    parts = title_of(reading.subject, content_words(reading.attribute), ASPECTS[atom.sublayer], atom.layer)
    return "-".join(filter(None, parts))


def _terms(told: str) -> str:
    """Words as a part of a slot, without articles; the speaker's own things are told apart from others."""
    own = ["self"] if _is_own({fold(word) for word in words(told)}) else []
    terms = "-".join([*own, *(term for term in query_terms(told) if term not in SPEAKER | _USER)]) or fold(told)
    return terms.replace("#", "sharp").replace("/", "-")

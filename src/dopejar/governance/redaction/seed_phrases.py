"""Seed phrases of wallets: 12 to 24 words of the BIP-39 list whose checksum is right.

Takes: a text in lower case. Gives: spans. Never: takes words for a phrase that the checksum does not confirm, unless
words beside them call them one. The list of words is read only where twelve words that could be in it stand in a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from hashlib import sha256
from itertools import groupby
from typing import Final

from dopejar.governance.redaction.cue_words import seed_words
from dopejar.governance.redaction.token_patterns import SecretSpan

_SIZES: Final = (24, 21, 18, 15, 12)
_BETWEEN: Final = r"[\s\"',;.:|\[\]()\d-]{1,8}"
_MANY_WORDS: Final = re.compile(rf"(?<![a-z])[a-z]{{3,8}}(?:{_BETWEEN}[a-z]{{3,8}}){{11,}}(?![a-z])")
_WORD: Final = re.compile("[a-z]+")
_NAMED: Final = re.compile(
    r"seed|mnemonic|recovery (?:phrase|words)|backup phrase|secret phrase|wallet|сид-фраз|фраза восстановления"
    r"|frase semilla|frase de recuperaci|frase de recupera|phrase de récupération|wiederherstellungs|助记词|fráze"
)
_ANY_WORD: Final = "(?:[^\\W\\d_][\u0300-\u036f]?){3,12}"  # the lists write accents as characters of their own
_BEHIND_A_NAME: Final = re.compile(  # as many words as a phrase has, in a language whose list we do not hold
    rf"(?:{_NAMED.pattern}|seed)[^\n:：=]{{0,60}}?(?:[:：=]|[ \t](?:is|are|ist|lautet|es|est|é|è|je|это)[ \t:]|\n"
    rf"|是)\s{{0,4}}"
    rf"((?:{_ANY_WORD}{_BETWEEN}){{11,23}}{_ANY_WORD}|(?:[\u4e00-\u9fff][ \u3000]){{11,23}}[\u4e00-\u9fff])(?!\w)"
)
_NAME_BEFORE: Final = 80  # characters before the words in which a name for them is looked for


def seed_phrase_spans(lowered: str) -> Iterator[SecretSpan]:
    """Phrases of the list's words, as long as the standard allows."""
    for run in _MANY_WORDS.finditer(lowered):
        listed = seed_words()
        words = list(_WORD.finditer(lowered, run.start(), run.end()))
        for is_listed, group in groupby(words, key=lambda word: word.group() in listed):
            phrase = list(group)
            if is_listed and len(phrase) >= _SIZES[-1]:
                is_named = _NAMED.search(lowered, max(0, phrase[0].start() - _NAME_BEFORE), phrase[0].start())
                yield from _phrases(phrase, is_named=is_named is not None)


def named_phrase_spans(lowered: str) -> Iterator[SecretSpan]:
    """Words in a row, none of them a short one of prose, that are called a phrase; the checksum is not looked at."""
    for match in _BEHIND_A_NAME.finditer(lowered):
        count = len(match.group(1).split())
        is_form = len(set(_WORD.findall(match.group(1)))) == 1  # `word1 word2 word3`
        if not is_form and (count in _SIZES or count > _SIZES[-1]):
            yield (*match.span(1), "seed-phrase")


def _phrases(words: "list[re.Match[str]]", *, is_named: bool) -> Iterator[SecretSpan]:
    if is_named and len(words) in _SIZES:
        yield words[0].start(), words[-1].end(), "seed-phrase"
        return
    listed = seed_words()
    numbers = [listed[word.group()] for word in words]
    for at in range(len(words) - _SIZES[-1] + 1):  # a word of the list before a phrase must not hide its end
        sizes = (size for size in _SIZES if at + size <= len(words))
        size = next((size for size in sizes if _is_valid(numbers[at : at + size])), 0)
        if size:
            yield words[at].start(), words[at + size - 1].end(), "seed-phrase"


def _is_valid(numbers: list[int]) -> bool:
    """Whether the last bits are the first ones of the SHA-256 of those before (BIP-39)."""
    bits = reduce(lambda before, number: before << 11 | number, numbers)
    check = len(numbers) // 3
    entropy = (bits >> check).to_bytes(4 * check, "big")
    return sha256(entropy).digest()[0] >> (8 - check) == bits & ((1 << check) - 1)

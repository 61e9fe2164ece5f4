"""Normal forms of texts and slot values: when two spellings are the same.

Takes: any Unicode string. Gives: its normal form, its folded form, its content hash; whether two slot values are equal.
Never: drops a diacritic, or compares numbers loosely.
"""

from __future__ import annotations

import hashlib
import unicodedata
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern

_DROPPED: Final = lazy_pattern("[\x00-\x08\x0e-\x1b\x7f\u200b\ufeff]")
_LINE_ENDS: Final = lazy_pattern("\r\n|[\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_SPACES: Final = lazy_pattern(r"[^\S\n]+")
_LINE_EDGES: Final = lazy_pattern(r" ?\n ?")
_BLANK_LINES: Final = lazy_pattern(r"\n{3,}")
_UNIFIED: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        "\u00ad": "",
    }
)
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
_CLOSING: Final = " .!,;:\u2026\u3002\u3001\uff61"


def normalise(text: str) -> str:
    """NFC, one kind of line end, single spaces, at most one blank line, trimmed, without control characters.

    Idempotent. For statements, not for code: indentation is lost.
    """
    if text.isascii() and text.isprintable():  # nine of ten statements; contains no space but U+0020
        return (_SPACES.sub(" ", text) if "  " in text else text).strip()
    text = unicodedata.normalize("NFC", _LINE_ENDS.sub("\n", _DROPPED.sub("", text)))
    text = _SPACES.sub(" ", text)
    if "\n" in text:
        text = _BLANK_LINES.sub("\n\n", _LINE_EDGES.sub("\n", text))
    return text.strip()


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: only spaces, controls, marks of direction and the like."""
    return all(unicodedata.category(sign) in _UNSEEN for sign in text)


def fold(text: str) -> str:
    """NFKC and case folding with one kind of quote and dash; diacritics stay. Idempotent."""
    if text.isascii():
        return text.lower().replace("`", "'")
    for _ in range(4):  # a few letters need a second round before the form is stable
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_UNIFIED)
        if folded == text:
            break
        text = folded
    return text


def content_hash(text: str) -> str:
    """The sha256 (hex) of the folded text without closing punctuation: equal hashes mean equal texts.

    A question mark is kept: a question is not a statement.
    """
    flat = " ".join(fold(normalise(text)).split())
    return hashlib.sha256((flat.rstrip(_CLOSING) or flat).encode("utf-8", "surrogatepass")).hexdigest()


def same_value(a: str, b: str) -> bool:
    """Whether two slot values (polarity first) are equal, or one extends the other: `+berlin`, `+kreuzberg berlin`."""
    if a == b:
        return True
    if not a or not b or a[0] != b[0] or any(char.isdigit() for char in a + b):
        return False
    words, other_words = set(a[1:].split()), set(b[1:].split())
    return bool(words and other_words) and (words <= other_words or other_words <= words)

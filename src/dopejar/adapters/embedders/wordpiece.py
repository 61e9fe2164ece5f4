"""A WordPiece tokenizer for uncased BERT vocabularies.

Takes: a vocabulary file (one token per line) and texts. Gives: token ids, at most 256 per text. Never: reads a text
further than its ids reach.

Texts are cleaned, lower-cased without accents, split at white space, punctuation and Chinese characters, and each word
is cut into the longest tokens of the vocabulary. Special tokens such as "[SEP]" inside a text are plain text, so a
conversation cannot steer the encoder.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dopejar.errors import WeightsDamagedError, WeightsMissingError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_TOKENS = 256
BERT_SPECIAL_TOKENS = ("[CLS]", "[SEP]", "[UNK]")  # start, end, unknown
LONGEST_WORD = 100  # characters; a longer word is unknown as a whole
_SHORT_CHUNK = 48  # longer chunks hardly come twice and are not cached
_CACHE_SIZE = 32_768

_CHUNK = re.compile(r"[^ \t\n\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_CHINESE = (
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b820-\U0002ceaf\U0002f800-\U0002fa1f"
)
_IS_CHINESE = re.compile(f"([{_CHINESE}])")
_UNIT = re.compile(rf"[{_CHINESE}]|[^\s{_CHINESE}]+")
_CORE = re.compile(r"(\W*)(.*?)(\W*)", re.DOTALL)
_ASCII_WORD = re.compile(r"[^!-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]")
_ASCII_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_REMOVED = frozenset({"Cc", "Cf", "Co", "Cs"})


class Unit(NamedTuple):
    """A part of a text, `text[start:end]`, and its tokens, `ids[first:last]`."""

    start: int
    end: int
    first: int
    last: int


class WordPiece:
    """A tokenizer over one vocabulary. Safe to use from several threads."""

    def __init__(self, vocabulary: Mapping[str, int], marks: tuple[str, str, str] = BERT_SPECIAL_TOKENS) -> None:
        try:
            self.start, self.end, self.unknown = (vocabulary[mark] for mark in marks)
        except KeyError as error:
            raise WeightsDamagedError(
                f"The vocabulary has no {error.args[0]}, so it is not the model's. Install the weights again."
            ) from error
        self._pieces = vocabulary
        self._longest = max(map(len, vocabulary))
        self._seen: dict[str, tuple[int, ...]] = {}

    @classmethod
    def read(cls, path: Path, marks: tuple[str, str, str] = BERT_SPECIAL_TOKENS) -> WordPiece:
        """Read a vocabulary file: one token per line, ids by line. Raises WeightsMissingError, WeightsDamagedError."""
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except FileNotFoundError as error:
            raise WeightsMissingError(f"No vocabulary at {path}. Run `dopejar models install`.") from error
        except (OSError, UnicodeDecodeError) as error:
            raise WeightsDamagedError(
                f"The vocabulary at {path} cannot be read ({error}). Install it again."
            ) from error
        if lines and not lines[-1]:
            lines.pop()
        return cls({piece: number for number, piece in enumerate(lines)}, marks)

    def __len__(self) -> int:
        """The size of the vocabulary."""
        return len(self._pieces)

    def digit_tokens(self) -> "npt.NDArray[np.bool_]":
        """By token id, whether the token has a digit."""
        import numpy as np

        found = np.zeros(len(self._pieces), dtype=np.bool_)
        found[[number for piece, number in self._pieces.items() if any(map(str.isdigit, piece))]] = True
        return found

    def encode(self, text: str, limit: int = MAX_TOKENS) -> list[int]:
        """Token ids between the start and the end token, both counted in `limit`; the rest is cut off."""
        ids = [self.start]
        for chunk in _CHUNK.finditer(text):
            ids.extend(self._chunk(chunk.group(), limit))
            if len(ids) >= limit - 1:
                break
        return [*ids[: limit - 1], self.end]

    def encode_units(self, text: str, limit: int = MAX_TOKENS) -> tuple[list[int], list[Unit]]:
        """The token ids of `encode`, and the units of the text that they stand for.

        A unit is a run without white space less the punctuation around it, one sign of punctuation, or a Chinese
        character; the text is cut off before the first one that does not fit.
        """
        ids, units = [self.start], []
        for start, end in _units(text):
            pieces = self._chunk(text[start:end], limit)
            first = len(ids)
            ids.extend(pieces)
            if len(ids) >= limit:
                del ids[first:]
                break
            if len(ids) > first:
                units.append(Unit(start, end, first, len(ids)))
        return [*ids, self.end], units

    def _chunk(self, chunk: str, limit: int) -> Iterable[int]:
        if len(chunk) > _SHORT_CHUNK:
            return self._cut(chunk, limit)
        seen = self._seen.get(chunk)
        if seen is None:
            seen = tuple(self._cut(chunk, limit))
            if len(self._seen) >= _CACHE_SIZE:
                self._seen.clear()
            self._seen[chunk] = seen
        return seen

    def _cut(self, chunk: str, limit: int) -> list[int]:
        """Token ids of a run without white space, up to the limit."""
        ids: list[int] = []
        for word in split_words(chunk):
            ids.extend(self._word(word))
            if len(ids) >= limit:
                break
        return ids

    def _word(self, word: str) -> list[int]:
        """Greedy longest match first; the whole word is unknown where one part is."""
        if len(word) > LONGEST_WORD:
            return [self.unknown]
        ids: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                token = self._pieces.get(mark + word[start:end])
                if token is not None:
                    ids.append(token)
                    start = end
                    break
            else:
                return [self.unknown]
        return ids


def _units(text: str) -> Iterator[tuple[int, int]]:
    for run in _UNIT.finditer(text):
        match = _CORE.fullmatch(run.group())
        lead, core = (len(match.group(1)), len(match.group(2))) if match else (0, len(run.group()))
        begin, end = run.span()
        yield from ((at, at + 1) for at in range(begin, begin + lead))
        if core:
            yield begin + lead, begin + lead + core
        yield from ((at, at + 1) for at in range(begin + lead + core, end))


def split_words(chunk: str) -> Iterable[str]:
    """Words and single punctuation marks of a run without white space, cleaned and folded.

    Removes control, format and private-use characters, separates Chinese characters, removes accents (canonical
    decomposition without non-spacing marks), lower-cases letter by letter, and splits at punctuation. Every ASCII
    symbol counts as punctuation.
    """
    if chunk.isascii():
        return (match.group() for match in _ASCII_WORD.finditer(_ASCII_CONTROL.sub("", chunk).lower()))
    return _split_unicode(chunk)


def _split_unicode(chunk: str) -> Iterable[str]:
    for part in _IS_CHINESE.split(_cleaned(chunk)):
        word: list[str] = []
        for letter in _folded(part):
            if _is_punctuation(letter):
                if word:
                    yield "".join(word)
                    word = []
                yield letter
            else:
                word.append(letter)
        if word:
            yield "".join(word)


def _cleaned(chunk: str) -> str:
    category = unicodedata.category
    return "".join(letter for letter in chunk if letter != "\ufffd" and category(letter) not in _REMOVED)


def _folded(part: str) -> str:
    category = unicodedata.category
    bare = "".join(letter for letter in unicodedata.normalize("NFD", part) if category(letter) != "Mn")
    # A final sigma is lower-cased like any other: the vocabulary was made letter by letter.
    return bare.replace("Σ", "σ").lower()


def _is_punctuation(letter: str) -> bool:
    if letter.isascii():
        return not letter.isalnum()
    return unicodedata.category(letter).startswith("P")

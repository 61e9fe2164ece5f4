"""Which pieces of a text are secrets, by a small fitted network over their look and their surroundings.

Takes: a text, and the secrets that rules have found in it. Gives: the spans of more. Never: rules about single forms;
`training/secret_weights.py` fits the weights. It needs no other package: the vector of a feature is one integer of
lanes, so that one sum adds all dimensions.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from dopejar.governance.redaction.placeholders import is_placeholder
from dopejar.governance.redaction.secret_atoms import TextAtom, parted, public_parts, widened
from dopejar.governance.redaction.secret_features import Surroundings
from dopejar.governance.redaction.secret_words import groups_of
from dopejar.governance.redaction.token_patterns import SecretSpan

BUCKETS: Final = 1 << 14
WIDTH: Final = 16  # of the hidden layer; one more dimension goes past it
PAIRS: Final = 26 * 26
HEADER: Final = struct.Struct(f"<{2 * WIDTH + 3}d")  # biases, output weights; the last bias, the scale, the least score
_MASK: Final = BUCKETS - 1
_LANES: Final = struct.Struct(f"<{WIDTH + 1}H")
ZERO: Final = 128  # of a weight as a byte
_MOST_FEATURES: Final = 256  # whose sum fits into a lane
_WHOLE: Final = 2000  # characters of a text that is read as one
_BEFORE, _BEHIND = 240, 320  # characters around a word that may name a secret
_NUMBERS: Final = re.compile(r"[0-9a-f]*[0-9][0-9a-f]*")
_NAMING: Final = 80  # characters before a secret in which its name stands
_CARD_CODE: Final = re.compile(
    r"(?<![a-z])(?:c[vs][vc]|(?:cid|kpn)(?![a-z]))|prüf|cryptogramme|安全码|(?:security|card) code"
)
_KINDS: Final = {  # by the group of the nearest word before it that names secrets, then of what they open
    "password": "password", "secret": "password", "code": "pin", "key": "secret", "token": "secret",
    "answer": "security-answer", "phrase": "seed-phrase",
}  # fmt: skip
_KINDS_OF_PLACES: Final = {"wifi": "password", "login": "password", "lock": "pin"}


class Weights(NamedTuple):
    """The fitted numbers."""

    vectors: "_Vectors"
    biases: Sequence[float]
    outputs: Sequence[float]
    bias: float
    scale: float
    least: float
    pairs: Sequence[int]


class _Vectors(dict[int, int]):
    """The vector of each bucket as one integer with a lane of 16 bits for each dimension; made at its first use."""

    def __init__(self, kept: bytes) -> None:
        super().__init__()
        self._kept = kept

    def __missing__(self, bucket: int) -> int:
        lanes = bytearray(2 * (WIDTH + 1))
        lanes[::2] = self._kept[bucket * (WIDTH + 1) : (bucket + 1) * (WIDTH + 1)]
        vector = self[bucket] = int.from_bytes(lanes, "little")
        return vector


def bucket_of(feature: str) -> int:
    """The bucket of a feature."""
    return crc32(feature.encode("utf-8", "surrogatepass")) & _MASK


def secret_spans(
    text: str, places: Iterable[tuple[int, int]], known: Sequence[SecretSpan], weights: Weights | None = None
) -> Iterator[SecretSpan]:
    """The secrets among the atoms around `places`, sorted spans where something may be one or name one.

    `known` are the secrets that were found before; they are not given again. Without `weights`, those of
    the package are read.
    """
    weights = weights or _weights()
    public = public_parts(text)
    clean: set[str] | None = set() if len(text) > _WHOLE else None
    for start, end in _regions(text, places):
        around = Surroundings(text, start, end, weights.pairs)
        yield from _read(around, weights, known, public, clean)


def _regions(text: str, places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    if len(text) <= _WHOLE:
        return [(0, len(text))]
    regions: list[tuple[int, int]] = []
    for start, end in places:
        first, last = max(0, start - _BEFORE), min(len(text), end + _BEHIND)
        if regions and first <= regions[-1][1]:
            regions[-1] = (regions[-1][0], max(last, regions[-1][1]))
        else:
            regions.append((first, last))
    return regions


def _read(
    around: Surroundings,
    weights: Weights,
    known: Sequence[SecretSpan],
    public: Sequence[tuple[int, int]],
    clean: set[str] | None,
) -> Iterator[SecretSpan]:
    """The secrets; of lines that differ by their numbers alone, as in a log, one without secrets stands for all.

    `clean` holds the forms of such lines; without it every line is read.
    """
    taken: list[int] = []
    found: list[int] = []
    held = Held((start, end) for start, end, _ in known)
    apart = Held(public)
    for first, last in around.lines():
        form, before = "", len(taken)
        if clean is not None:
            form = _NUMBERS.sub("0", around.text[around.atoms[first].start : around.atoms[last - 1].end])
            if form in clean:
                continue
        for place in range(first, last):
            atom = around.atoms[place]
            if atom.is_mark or held.overlaps(atom):
                taken.append(place)
            elif (
                around.may_be_secret(place, is_behind_one=bool(taken) and taken[-1] == place - 1)
                and not apart.overlaps(atom)
                and not is_placeholder(atom.text)
                and score(around, place, taken, weights) > weights.least
            ):
                taken.append(place)
                found.append(place)
        if clean is not None and len(taken) == before:
            clean.add(form)
    for start, end in widened(around.text, around.atoms, found):
        yield start, end, _kind(around.text, start)


def score(around: Surroundings, place: int, taken: Sequence[int], weights: Weights) -> float:
    """How likely the atom is a secret, behind those at the places `taken`."""
    features = [*around.features(place, taken)][:_MOST_FEATURES]
    parts = "\0".join(features).encode("utf-8", "surrogatepass").split(b"\0")
    vectors = weights.vectors
    total = sum([vectors[crc32(part) & _MASK] for part in parts])
    zero = ZERO * len(parts)
    lanes: tuple[int, ...] = _LANES.unpack(total.to_bytes(_LANES.size, "little"))
    hidden = [(lane - zero) * weights.scale for lane in lanes]
    layer = zip(hidden, weights.biases, weights.outputs, strict=False)
    return hidden[WIDTH] + weights.bias + sum([max(0.0, one + bias) * output for one, bias, output in layer])


class Held:
    """Spans, asked about atoms from first to last."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._spans: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if self._spans and start <= self._spans[-1][1]:
                self._spans[-1] = (self._spans[-1][0], max(end, self._spans[-1][1]))
            else:
                self._spans.append((start, end))
        self._at = 0

    def overlaps(self, atom: TextAtom) -> bool:
        """Whether one of the spans holds a part of the atom."""
        while self._at < len(self._spans) and self._spans[self._at][1] <= atom.start:
            self._at += 1
        return self._at < len(self._spans) and self._spans[self._at][0] < atom.end


def _kind(text: str, start: int) -> str:
    """What the words before a secret call it."""
    before = text[max(0, start - _NAMING) : start].rsplit("\n", 2)[-1]
    if _CARD_CODE.search(before.lower()):
        return "card-code"
    groups = [group for word in reversed(parted(before)) for group in groups_of(word)]
    for kinds in (_KINDS, _KINDS_OF_PLACES):
        for group in groups:
            if group in kinds:
                return kinds[group]
    return "secret"


@lru_cache(maxsize=1)
def _weights() -> Weights:
    """The weights, read at their first use."""
    return read_weights((Path(__file__).parent / "data" / "secret_weights.bin").read_bytes())


def read_weights(kept: bytes) -> Weights:
    """The weights of the contents of a file."""
    numbers = HEADER.unpack_from(kept)
    return Weights(
        vectors=_Vectors(kept[HEADER.size + PAIRS :]),
        biases=numbers[:WIDTH],
        outputs=numbers[WIDTH : 2 * WIDTH],
        bias=numbers[-3],
        scale=numbers[-2],
        least=numbers[-1],
        pairs=kept[HEADER.size : HEADER.size + PAIRS],
    )

"""Fuzzer for the transcript importers: mutated transcripts through every importer.

Takes: the formats, a count and a seed. Gives: how many mutations were read, and how the others were refused. Never:
ignores a crash, a partial read or a broken promise of the format port: each is listed with the seed that reproduces it.

    python -m benchmarks.transcript_fuzzer --count 10000 --seed 0
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.transcript_seeds import SEEDS, Seed
from dopejar.errors import InputError
from dopejar.ports.transcripts import TranscriptFormat
from dopejar.testing.transcript_faults import transcript_faults

_MAX_MUTATIONS = 4  # of one file
_KEEPS_JSON = 0.8  # probability that a mutation of a JSON document leaves it valid JSON
_ODD_BYTES = (
    *(b"\x00", b"\x00" * 40, b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xfe\xff"),
    *(b"\r", b"\r\n", b"\n\n\n", b"\x1b[31m", b"\x08\x7f", "\u2028".encode(), "\u202e".encode()),
    *(b"```\n", b"~~~", b"---\n", b"</tool-use>", b"<system-reminder>", b"</system-reminder>", b"_**User**_\n"),
    *(b"#### ", b"> ", b"# aider chat started at 2031-99-99 99:99:99\n", b"**ChatGPT:**\n", b"## User\n", b'"', b"{"),
    *(b"\\ud800", b"\\u0000"),
)
_ODD_VALUES: tuple[object, ...] = (
    *(None, True, False, 0, -1, 10**30, 1e308, float("nan"), float("-inf"), "", " ", "x" * 3000, "\x00", "\ud800"),
    *([], {}, [[]], [None], {"": None}, {"type": "text"}, [{"type": "text", "text": 5}], "user", "assistant", "system"),
    *("2031-02-30T99:99:99Z", "9" * 40, "text", "tool_result", "<command-name>/x</command-name>", "n1", "\u202e"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class FuzzResult:
    """Counts of importer runs, one per mutation and format.

    `refusals` counts each distinct refusal; `crashes` must be empty.
    """

    count: int
    read: int
    refused: int
    crashed: int
    seconds: float
    refusals: Mapping[str, int] = field(default_factory=dict)
    crashes: tuple[str, ...] = ()


def run(
    count: int = 10_000,
    seed: int = 0,
    *,
    formats: Sequence[TranscriptFormat],
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> FuzzResult:
    """Send `count` mutated transcripts through each of `formats`.

    The same count and seed give the same mutations; `mutated(index, seed)` reproduces a single one.
    """
    started = time.perf_counter()
    refusals: Counter[str] = Counter()
    crashes: list[str] = []
    read = 0
    for index in range(count):
        path, data = mutated(index, seed)
        if index % 100 == 0:
            progress("mutations", index, count)
        for known in formats:
            outcome, is_crash = _outcome(known, path, data)
            if is_crash:
                crashes.append(f"mutation {index} of seed {seed}, {known.name}: {outcome}")
            elif outcome:
                refusals[outcome] += 1
            else:
                read += 1
    return FuzzResult(
        count=count,
        read=read,
        refused=refusals.total(),
        crashed=len(crashes),
        seconds=time.perf_counter() - started,
        refusals=dict(refusals.most_common()),
        crashes=tuple(crashes),
    )


def mutated(index: int, seed: int = 0) -> tuple[Path, bytes]:
    """The mutation with this index: the file name of a seed, and its bytes after one to four changes."""
    rng = random.Random(f"{seed}:{index}")
    source = rng.choice(SEEDS)
    data = source.text.encode()
    for _ in range(rng.randint(1, _MAX_MUTATIONS)):
        # one wrong byte makes invalid JSON; code behind the parser is reached by values of wrong types
        keeps_json = source.is_document and rng.random() < _KEEPS_JSON
        data = (_swap_type if keeps_json else rng.choice(_MUTATIONS))(rng, source, data)
    return Path(source.name), data


def _outcome(known: TranscriptFormat, path: Path, data: bytes) -> tuple[str, bool]:
    """The kind of refusal; "" where it was read; or (with true) the fault."""
    try:
        certainty = known.recognises(path, data[:65536])
        read = known.read(path, data)
    except InputError as refusal:
        return _shape(str(refusal), path), False
    except Exception as fault:  # noqa: BLE001 - the fuzzer looks for whatever is raised besides InputError
        return f"{type(fault).__name__}: {fault}"[:300], True
    if not 0 <= certainty <= 1:
        return f"a certainty of {certainty}", True
    faults = transcript_faults(read)
    return (faults[0], True) if faults else ("", False)


def _shape(refusal: str, path: Path) -> str:
    """A refusal without the details of one file: its name, numbers and the reason in parentheses."""
    return re.sub(r"\d+", "N", re.sub(r" \(.*\)", "", refusal.replace(str(path), "FILE")))


def _span(rng: random.Random, data: bytes, most: int = 80) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.randint(1, most))


def _flip(rng: random.Random, source: Seed, data: bytes) -> bytes:
    del source
    changed = bytearray(data)
    for _ in range(rng.randint(1, 12)):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _insert(rng: random.Random, source: Seed, data: bytes) -> bytes:
    del source
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(_ODD_BYTES) + data[place:]


def _cut_out(rng: random.Random, source: Seed, data: bytes) -> bytes:
    del source
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def _repeat(rng: random.Random, source: Seed, data: bytes) -> bytes:
    del source
    start, end = _span(rng, data)
    return data[:end] + data[start:end] * rng.randint(1, 30) + data[end:]


def _truncate(rng: random.Random, source: Seed, data: bytes) -> bytes:
    del source
    return data[: rng.randrange(len(data) + 1)]


def _drop_line(rng: random.Random, source: Seed, data: bytes) -> bytes:
    del source
    lines = data.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


def _double_line(rng: random.Random, source: Seed, data: bytes) -> bytes:
    del source
    lines = data.split(b"\n")
    line = rng.choice(lines)
    lines.insert(rng.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def _shuffle_lines(rng: random.Random, source: Seed, data: bytes) -> bytes:
    del source
    lines = data.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join(lines)


def _splice(rng: random.Random, source: Seed, data: bytes) -> bytes:
    """The beginning of this file and the end of another, possibly of another format."""
    del source
    other = rng.choice(SEEDS).text.encode()
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other)) :]


def _other_encoding(rng: random.Random, source: Seed, data: bytes) -> bytes:
    """The whole file, or its second half, in another encoding."""
    del source
    encoding = rng.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-8-sig"))
    place = rng.choice((0, len(data) // 2))
    return data[:place] + data[place:].decode("utf-8", "replace").encode(encoding, "replace")


def _long_number(rng: random.Random, source: Seed, data: bytes) -> bytes:
    del source
    numbers = [match.span() for match in re.finditer(rb"\d+", data)]
    if not numbers:
        return data
    start, end = rng.choice(numbers)
    return data[:start] + rng.choice((b"9" * 5000, b"1e999", b"-0", b"0" * 30, b"1.5")) + data[end:]


def _nest(rng: random.Random, source: Seed, data: bytes) -> bytes:
    del source
    opening = rng.choice((b"[", b'{"a":', b'[{"type":"text","text":'))
    place = rng.randrange(len(data) + 1)
    return data[:place] + opening * rng.choice((30, 900, 20_000)) + data[place:]


def _swap_type(rng: random.Random, source: Seed, data: bytes) -> bytes:
    """Replace one JSON value by one of another type, or drop or rename its key."""
    if not source.is_json:
        return data
    text = data.decode("utf-8", "replace")
    pieces = [text] if source.is_document else text.split("\n")
    place = rng.randrange(len(pieces))
    try:
        value = json.loads(pieces[place])
        pieces[place] = json.dumps(_changed(rng, value, 0), ensure_ascii=rng.random() < 0.5)
    except (ValueError, RecursionError):
        return data  # an earlier mutation left no JSON there
    return "\n".join(pieces).encode("utf-8", "surrogatepass")


def _changed(rng: random.Random, value: object, depth: int) -> object:
    """`value` with one of its members, at any depth, corrupted."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        change = rng.random()
        if change < 0.1:
            return {name: member for name, member in value.items() if name != key}
        if change < 0.2:
            return {rng.choice(("", "type", "role", key)) if name == key else name: m for name, m in value.items()}
        return {**value, key: _changed(rng, value[key], depth + 1)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = rng.randrange(len(value))
        return [*value[:place], _changed(rng, value[place], depth + 1), *value[place + 1 :]]
    return rng.choice(_ODD_VALUES)


_MUTATIONS: tuple[Callable[[random.Random, Seed, bytes], bytes], ...] = (
    *(_flip, _insert, _cut_out, _repeat, _truncate, _drop_line, _double_line, _shuffle_lines, _splice),
    *(_other_encoding, _long_number, _nest, _swap_type, _swap_type, _swap_type, _swap_type),
)


def main() -> None:
    """Parse the arguments, run the fuzzer, print the counts as JSON; exit code 1 where an importer crashed."""
    from dopejar.compose import transcript_formats

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000, help="how many mutations")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    result = run(arguments.count, arguments.seed, formats=transcript_formats())
    sys.stdout.write(json.dumps(asdict(result), indent=2) + "\n")
    sys.exit(1 if result.crashes else 0)


if __name__ == "__main__":
    main()

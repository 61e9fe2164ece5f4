"""A store of any size, filled with sentences of real conversations.

Takes: folders with `turns.jsonl` and `queries.jsonl`, a number, a seed. Gives: sentences, questions, a filled store.
Never: depends on anything but the data, the number and the seed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.errors import InputError
from dopejar.memory.record_writer import write_record
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.ports.store import Vector
from dopejar.text.normalisation import content_hash
from dopejar.text.sentences import sentences
from dopejar.text.words import episode_terms
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import ActId, RecordId, conversation_id, episode_id
from dopejar.values.recall import Source
from dopejar.values.record import Evidence, Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, Side

if TYPE_CHECKING:
    from dopejar.ports.store import Store, WriteTransaction

DIMENSIONS: Final = 384
RANDOM_VECTORS: Final = EmbedderIdentity(name="random-unit", dimensions=DIMENSIONS, digest="0" * 64)
"""Vectors for timing alone: what a scan costs does not depend on what the numbers mean."""

PER_TURN: Final = 10
"""So many records rest on one turn."""

_START: Final = datetime(2024, 1, 1, tzinfo=UTC)
_BATCH: Final = 2000
_LETTERS: Final = (20, 300)  # a shorter or longer piece is no statement


def read_sets(data: Path) -> tuple[list[str], list[str]]:
    """The texts of the turns, and the questions, of every set in or right below the folder; raises InputError."""
    folders = [data] if (data / "turns.jsonl").is_file() else sorted(path.parent for path in data.glob("*/turns.jsonl"))
    if not folders:
        raise InputError(f"{data} holds no turns.jsonl. Give a folder with one set, or of several, with --data.")
    turns = [text for folder in folders for text in _texts(folder / "turns.jsonl")]
    questions = [text for folder in folders for text in _texts(folder / "queries.jsonl")]
    if not questions:
        raise InputError(f"{data} holds no queries.jsonl beside the turns. Give a folder that has both.")
    return turns, questions


def _texts(path: Path) -> Iterator[str]:
    if path.is_file():
        for line in path.read_text("utf-8").split("\n"):
            if line.strip():
                yield str(json.loads(line)["text"])


def statements(turns: Sequence[str], count: int, seed: int) -> list[str]:
    """`count` different sentences of the turns, in an order that depends on the seed.

    If the turns have fewer, the rest are halves of two sentences with a number, so that every word keeps about its
    frequency.
    """
    order = random.Random(seed)  # noqa: S311 - a sample, not a secret
    mixed = list(turns)
    order.shuffle(mixed)
    fresh = list(islice(_distinct_sentences(mixed), count))
    if not fresh:
        raise InputError("The turns hold no sentence of prose. Give another folder with --data.")
    order.shuffle(fresh)
    out = list(fresh)
    while len(out) < count:
        first, second = order.choice(fresh), order.choice(fresh)
        cut, other = first.split(), second.split()
        half = len(cut) // 2
        out.append(" ".join([*cut[:half], *other[len(other) // 2 :], str(len(out))]))
    return out


def _distinct_sentences(turns: Sequence[str]) -> Iterator[str]:
    seen = set()
    for text in turns:
        for piece in sentences(text):
            sentence = " ".join(piece.text.split())
            if piece.kind == "prose" and _LETTERS[0] <= len(sentence) <= _LETTERS[1] and sentence not in seen:
                seen.add(sentence)
                yield sentence


def fill(store: Store, texts: Sequence[str], progress: Callable[[str, int, int], None]) -> None:
    """Write the statements as active records, each resting on the turn that holds it."""
    place = 0
    while place < len(texts):
        part = texts[place : place + _BATCH]
        with store.write() as tx:
            name = f"part-{place}"
            conversation = Conversation(id=conversation_id("bench", name), source="bench", name=name, started_at=_START)
            turns = [_turn(conversation, index, part) for index in range(-(-len(part) // PER_TURN))]
            append_turns(tx, conversation, turns)
            for offset, text in enumerate(part):
                record = _record(place + offset, text)
                write_record(tx, None, record, ActId("a_bench"), 0, lambda _record: ())
                tx.put_evidence(record.id, [_evidence(turns[offset // PER_TURN], record)])
        place += len(part)
        progress("records", place, len(texts))


def append_turns(tx: WriteTransaction, conversation: Conversation, turns: Sequence[Episode]) -> None:
    """Append the turns without redaction: benchmark data hold no secrets, and redaction is not what is measured."""
    tx.put_conversation(conversation)
    tx.append_episodes([replace(turn, content_hash=sha256(turn.text.encode()).hexdigest()) for turn in turns])
    tx.put_terms(Source.EPISODE, [(turn.id, episode_terms(turn.text)) for turn in turns])


def _turn(conversation: Conversation, index: int, part: Sequence[str]) -> Episode:
    text = " ".join(part[index * PER_TURN : (index + 1) * PER_TURN])
    return Episode(
        id=episode_id(conversation.name, str(index)),
        conversation=conversation.id,
        index=index,
        at=_START + timedelta(minutes=index),
        speaker="user",
        origin=Origin.USER,
        text=text,
    )


def _evidence(turn: Episode, record: Record) -> Evidence:
    start = turn.text.find(record.text)
    return Evidence(
        episode_id=turn.id, start=start, end=start + len(record.text), at=record.valid_from, wording=record.text
    )


def record_of(number: int) -> RecordId:
    """The id of the record that `fill` makes of the statement in this place."""
    return RecordId(f"m_{number:016d}")


def _record(number: int, text: str) -> Record:
    at = _START + timedelta(minutes=number)
    return Record(
        id=record_of(number),
        kind=Kind.FACT,
        text=text,
        key=f"Bench-Fact-{number}",
        slot="",
        value="",
        layer=Layer.WORLD,
        sublayer=Sublayer.FACT,
        namespace=Namespace.PROD,
        scope=UNIVERSAL,
        side=Side.NONE,
        status=Status.ACTIVE,
        confidence=1.0,
        certainty=1.0,
        trust=1.0,
        tags=(),
        pinned=False,
        created_at=at,
        valid_from=at,
        valid_to=None,
        temporary=False,
        content_hash=content_hash(text),
        version=1,
        made_by="bench@1",
    )


def give_vectors(store: Store, seed: int, progress: Callable[[str, int, int], None]) -> int:
    """A random unit vector for everything without one; how many."""
    import numpy as np

    order, done = np.random.default_rng(seed), 0
    while True:
        with store.read() as view:
            missing = view.missing_vectors(RANDOM_VECTORS, _BATCH)
        if not missing:
            return done
        matrix = order.standard_normal((len(missing), DIMENSIONS), dtype=np.float32)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        with store.write() as tx:
            tx.put_vectors(
                RANDOM_VECTORS,
                [
                    Vector(owner=owner, owner_id=owner_id, content_hash=mark, values=row)
                    for (owner, owner_id, mark, _), row in zip(missing, matrix, strict=True)
                ],
            )
        done += len(missing)
        progress("vectors", done, 0)

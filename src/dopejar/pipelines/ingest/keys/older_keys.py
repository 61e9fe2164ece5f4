"""Keys of an older form: those that earlier versions made, with word stems, cut words and long digests.

Takes: records. Gives: whether a key is one of them, and the key that the record gets by the rules of today. Never:
calls a key of today an older one; reads another slot than the record has.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.memory.chain import without_digest
from dopejar.memory.change_set import UNCHAINED
from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.keys.key import LONGEST, PLAIN_ROOTS, digest_of, key_of_speaker, make_key, plain_key
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.polarity import polarity
from dopejar.values.record import Record

_OLDER: Final = re.compile(r"(?P<title>.+)-(?P<digest>[0-9a-f]{8})", re.DOTALL)


def is_older(record: Record) -> bool:
    """Whether the record's key is longer than keys are, or ends in a digest as only earlier versions made them.

    A key of three parts may also end in a number of its own, if the digest is not that of the record's slot.
    """
    if record.kind in UNCHAINED:
        return False
    made = _OLDER.fullmatch(record.key)
    if made is None or len(record.key) > LONGEST:
        return len(record.key) > LONGEST
    concepts = (record.slot, f"{record.slot}|{record.value}")
    return made["title"].count("-") >= 2 or made["digest"] in (digest_of(concept, 8) for concept in concepts)


def readable_key(record: Record, reader: StatementReader) -> str:
    """The key of a record by the rules of today; without a digest where no slot stands behind it."""
    root = record.key.partition("-")[0]
    is_of_other = record.slot.startswith("person:") or not (record.slot or root in PLAIN_ROOTS)
    name, mark, words = record.text.partition(": ")
    text = words if is_of_other and mark and words and name.casefold().startswith(root.casefold()) else record.text
    atom = Atom(
        text=text,
        start=0,
        end=len(text),
        layer=record.layer,
        sublayer=record.sublayer,
        kind=record.kind,
        cue="kept under an older key",
        polarity=polarity(text, "en"),
        frame=reader.read([text])[0].frame,
    )
    key = make_key(atom)
    if not record.slot or key.slot != record.slot:
        key = plain_key(atom)
    if is_of_other:
        return key_of_speaker(root, key.key)
    return key.key if key.slot else without_digest(key.key)

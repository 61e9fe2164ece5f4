"""Ingest: from text to atoms with canonical keys, and to proposals.

A text passes `extraction` (atoms; `salience` decides which ones a conversation may teach), `keys` (the concept of each
atom), `resolution` (the records that it repeats, updates or ends) and `integrity` (its effect on them); `proposals`
makes proposals of the result.

Takes: text, stored records. Gives: atoms, keys, proposals. Never: writes, or guesses a value.
"""

from __future__ import annotations

from dopejar.pipelines.ingest.atoms import Atom, Extraction, Key, Omission, Reason, Refiner
from dopejar.pipelines.ingest.chain_decision import Known
from dopejar.pipelines.ingest.extraction.extractor import extract, extract_atoms
from dopejar.pipelines.ingest.keys.key import make_key
from dopejar.pipelines.ingest.namespaces import Marks, NamespaceChoice, route, route_namespace
from dopejar.pipelines.ingest.proposals import propose

__all__ = [
    "Atom",
    "Extraction",
    "Key",
    "Known",
    "Marks",
    "NamespaceChoice",
    "Omission",
    "Reason",
    "Refiner",
    "extract",
    "extract_atoms",
    "make_key",
    "propose",
    "route",
    "route_namespace",
]

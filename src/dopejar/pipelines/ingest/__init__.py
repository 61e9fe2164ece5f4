"""Ingest: words in, atoms with canonical keys out, proposals at the end.

A text goes through `extraction` (atoms; `worth` tells which a conversation may teach), `keys` (the concept of each),
`likeness` (the same thing in other words) and `integrity` (what it does to what is known), and `propose` makes wishes
of it.

Takes: what was said, and what is known. Gives: atoms, keys, proposals. Never: writes, or guesses a value.
"""

from __future__ import annotations

from dopejar.pipelines.ingest.atoms import Atom, Extraction, Key, Omission, Reason
from dopejar.pipelines.ingest.extraction.extractor import extract, extract_atoms
from dopejar.pipelines.ingest.keys.key import make_key
from dopejar.pipelines.ingest.namespaces import Marks, Routing, route, route_namespace
from dopejar.pipelines.ingest.paraphrase.candidates import LexicalNear, SemanticNear
from dopejar.pipelines.ingest.proposals import CandidateSearch, Known, Refiner, propose

__all__ = [
    "Atom",
    "CandidateSearch",
    "Extraction",
    "Key",
    "Known",
    "LexicalNear",
    "Marks",
    "Omission",
    "Reason",
    "Refiner",
    "Routing",
    "SemanticNear",
    "extract",
    "extract_atoms",
    "make_key",
    "propose",
    "route",
    "route_namespace",
]

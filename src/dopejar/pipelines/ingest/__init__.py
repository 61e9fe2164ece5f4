"""Ingest: from text to atoms with canonical keys, and to proposals.

A text passes `extraction` (atoms; `salience` decides which ones a conversation may teach), `keys` (the concept of each
atom), `resolution` (the records that it repeats, updates or ends) and `integrity` (its effect on them); `proposals`
makes proposals of the result.

Takes: text, stored records. Gives: atoms, keys, proposals. Never: writes, or guesses a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dopejar.pipelines.ingest.atoms import Atom, Extraction, Key, Omission, Reason, Refiner
    from dopejar.pipelines.ingest.chain_decision import Known
    from dopejar.pipelines.ingest.extraction.extractor import extract
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
    "make_key",
    "propose",
    "route",
    "route_namespace",
]

_HOMES = {
    "Known": "chain_decision",
    "Marks": "namespaces",
    "NamespaceChoice": "namespaces",
    "extract": "extraction.extractor",
    "make_key": "keys.key",
    "propose": "proposals",
    "route": "namespaces",
    "route_namespace": "namespaces",
}


def __getattr__(name: str) -> object:
    """A public name, loaded when it is first used: a recall needs none but how a time is read."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    globals()[name] = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'atoms')}"), name)
    return globals()[name]

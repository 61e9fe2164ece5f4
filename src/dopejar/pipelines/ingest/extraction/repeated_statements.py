"""Statements that one turn says many times, word for word, such as a refrain.

Takes: the extraction of a turn. Gives: the extraction with the first and the last of each, the last with the places of
those between them. Never: leaves out the last, which may take back what was said since the first.
"""

from __future__ import annotations

from dataclasses import replace

from dopejar.pipelines.ingest.atoms import Atom, Extraction


def without_repeats(extraction: Extraction) -> Extraction:
    """The extraction in which no statement stands more than twice: what follows compares each with what is known."""
    if len(extraction.atoms) <= 2:  # the first and the last
        return extraction
    places: dict[Atom, list[int]] = {}
    for place, atom in enumerate(extraction.atoms):
        places.setdefault(replace(atom, start=0, end=0), []).append(place)
    atoms = list(extraction.atoms)
    between: set[int] = set()
    for same in places.values():
        if len(same) > 2:  # the first and the last
            said_at = tuple((atoms[place].start, atoms[place].end) for place in same[1:-1])
            atoms[same[-1]] = replace(atoms[same[-1]], said_at=said_at)
            between.update(same[1:-1])
    if not between:
        return extraction
    return replace(extraction, atoms=tuple(atom for place, atom in enumerate(atoms) if place not in between))

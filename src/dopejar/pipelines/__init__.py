"""Named steps that take values and return values: ingest, graph, corrections, procedural, recall.

Takes: episodes, atoms, what is known. Gives: proposals and packs. Never: writes; the gate judges and memory commits.
"""

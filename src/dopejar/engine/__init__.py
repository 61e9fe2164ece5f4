"""The engine: the verbs of `Memory`, each of which reads, thinks, judges and commits.

Takes: requests of doors and hosts. Gives: results as values. Never: names an adapter; `compose` passes them in.
"""

"""Frozen values that every room uses.

Takes: nothing from other rooms. Gives: ids, scopes, episodes, records, proposals, verdicts, ledger entries, edges,
recall packs. Never: reads a clock, a file or the environment.
"""

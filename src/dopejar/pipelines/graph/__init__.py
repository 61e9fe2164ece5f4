"""The graph: entities and typed edges read from words, and the names under which they are known.

Takes: records, questions, names. Gives: entities, edges, ids to look up. Never: reads or writes the store.
"""

from __future__ import annotations

"""The graph: extraction of entities and typed edges from texts, and the ids of their names.

Takes: records, questions, names. Gives: entities, edges, ids to look up. Never: reads or writes the store.
"""

from __future__ import annotations

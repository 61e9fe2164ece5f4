"""The garden: a long conversation as a few blocks of one topic each.

Takes: turns as they arrive, facts as they were read. Gives: blocks, routings, descriptions, tags. Never: reads or
writes the store, chunks a turn, or embeds one.
"""

from __future__ import annotations

"""The garden of a memory: blocks of its conversations, and their tags.

Takes: conversations, and what was learned from them. Gives: blocks with their tags. Never: a second reading of a turn.
"""

from __future__ import annotations

from typing import Final

BLOCKS: Final = "blocks"
"""The kind of the held rows with the blocks of conversations, by conversation."""

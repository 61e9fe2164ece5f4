"""The tables whose rows become values, each with its columns and its codec, for the check that every row can be read.

Takes: nothing. Gives: table, columns (the row's name first) and codec. Never: reads a row itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dopejar.adapters.sqlite.codec import (
    CONVERSATION_COLUMNS,
    EPISODE_COLUMNS,
    EVIDENCE_COLUMNS,
    Row,
    conversation_of,
    edge_of,
    episode_of,
    evidence_of,
    record_of,
)
from dopejar.adapters.sqlite.episodes import PROPOSAL_COLUMNS
from dopejar.adapters.sqlite.ledger_codec import LEDGER_COLUMNS, ledger_of
from dopejar.adapters.sqlite.proposal_codec import proposal_of
from dopejar.adapters.sqlite.records import RECORD_COLUMNS, state_of

DECODED_TABLES: Final[tuple[tuple[str, str, Callable[[Row], object]], ...]] = (
    ("conversations", f"id, {CONVERSATION_COLUMNS}", conversation_of),
    ("episodes", f"id, {EPISODE_COLUMNS}", episode_of),
    ("records r", f"r.id, {RECORD_COLUMNS}", record_of),
    ("record_states", "record_id || ' from entry ' || from_seq, image, from_seq, to_seq, act_id", state_of),
    ("evidence", f"record_id, {EVIDENCE_COLUMNS}", evidence_of),
    ("proposals", f"id, {PROPOSAL_COLUMNS}", proposal_of),
    ("ledger", f"seq, {LEDGER_COLUMNS}", ledger_of),
    ("edges", "src || ' ' || kind || ' ' || dst, src, dst, kind, record_id", edge_of),
)

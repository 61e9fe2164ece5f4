"""How the body of each kind of held row is read, for the store: a row that cannot be read stops no command.

Takes: a kind. Gives: its reader; None for a kind of which the program reads no body. Never: imports a reader before a
row of its kind is read.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from dopejar.ports.store.held_rows import BodyReader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dopejar.values.versioned_rows import KeyValueRow

NOTES: Final = "note:"  # what the kinds of the notes of hosts begin with


def body_reader(kind: str) -> BodyReader | None:
    """The reader of a kind of held rows."""
    return _NOTE if kind.startswith(NOTES) else READERS.get(kind)


def _note(row: KeyValueRow) -> object:
    from dopejar.values.held_bodies import json_of

    return json_of(row)


def _api_answer(row: KeyValueRow) -> object:
    from dopejar.values.held_bodies import number_in, object_of, text_in

    body = object_of(row)
    return text_in(body, "asked"), number_in(body, "status"), text_in(body, "answer")


def _api_key(row: KeyValueRow) -> object:
    from dopejar.engine.review.api_keys import read_key

    return read_key(row)


def _session(row: KeyValueRow) -> object:
    from dopejar.engine.review.reviewer_sessions import read_session

    return read_session(row)


def _trust(row: KeyValueRow) -> object:
    from dopejar.engine.review.trusted_terminals import read_trust

    return read_trust(row)


def _attempts(row: KeyValueRow) -> object:
    from dopejar.engine.review.unlock_attempts import read_attempts

    return read_attempts(row)


def _shown(row: KeyValueRow) -> object:
    from dopejar.engine.review.shown_proposals import read_shown

    return read_shown(row)


def _blocks(row: KeyValueRow) -> object:
    from dopejar.engine.garden.block_rows import read_blocks

    return read_blocks(row)


def _checkpoint(row: KeyValueRow) -> object:
    from dopejar.pipelines.corrections.proposals.one_off_wishes import load_checkpoint

    return load_checkpoint(row.body)


def _live_session(row: KeyValueRow) -> object:
    from dopejar.engine.ingest.learning_progress import read_live_session

    return read_live_session(row)


def _progress(row: KeyValueRow) -> object:
    from dopejar.engine.ingest.learning_progress import read_progress

    return read_progress(row)


def _sweep(row: KeyValueRow) -> object:
    from dopejar.engine.maintenance.merge_sweep import SweepPosition

    return SweepPosition.parse(row)


def _spend(row: KeyValueRow) -> object:
    from dopejar.adapters.language_models.token_usage_log import spent_of

    return spent_of(row)


def _scrub(row: KeyValueRow) -> object:
    from dopejar.engine.erased_bytes import read_scrub

    return read_scrub(row)


def _state(row: KeyValueRow) -> object:
    from dopejar.turn.conversation_state import load_state

    return load_state(row.body)


def _trace(row: KeyValueRow) -> object:
    from dopejar.turn.traces import events_of

    return events_of(row)


def _outcomes(row: KeyValueRow) -> object:
    from dopejar.turn.outcomes import outcomes_of

    return outcomes_of(row)


def _pattern(row: KeyValueRow) -> object:
    from dopejar.turn.pattern_rows import pattern_of

    return pattern_of(row)


def _pattern_index(row: KeyValueRow) -> object:
    from dopejar.turn.pattern_rows import read_index

    return read_index(row)


_NOTE: Final = BodyReader(read=_note, is_kept=True)
READERS: Final[Mapping[str, BodyReader]] = MappingProxyType(
    {
        "api_answer": BodyReader(read=_api_answer),
        "api_key": BodyReader(read=_api_key),
        "blocks": BodyReader(read=_blocks),
        "corrections": BodyReader(read=_checkpoint),
        "job": BodyReader(read=_sweep),
        # what was learned already is recognised when it is read again
        "learning_progress": BodyReader(read=_progress, instead='{"learned": 0}'),
        "live_session": BodyReader(read=_live_session),
        "outcome": BodyReader(read=_outcomes),
        "pattern": BodyReader(read=_pattern),
        "pattern_index": BodyReader(read=_pattern_index),
        "reviewer_session": BodyReader(read=_session),
        # erased bytes are to be taken out all the same, and then the row is dropped
        "scrub": BodyReader(read=_scrub, instead='{"since": "1970-01-01T00:00:00+00:00"}'),
        "shown_proposals": BodyReader(read=_shown),
        "spend": BodyReader(read=_spend, is_kept=True),  # a count that cannot be read must not begin again at nothing
        "trace": BodyReader(read=_trace),
        "trusted_terminal": BodyReader(read=_trust),
        "turn": BodyReader(read=_state),
        "unlock_attempts": BodyReader(read=_attempts),
    }
)

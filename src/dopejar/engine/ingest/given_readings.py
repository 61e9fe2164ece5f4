"""Readings that hosts hand over with their texts, before they are used.

Takes: a reading and the words as they are kept. Gives: nothing, or a refusal. Never: keeps what redaction removes.
"""

from __future__ import annotations

from dopejar.engine.dependencies import Dependencies
from dopejar.errors import InputError
from dopejar.pipelines.ingest.keys.given_key import require_borne_out
from dopejar.values.reading import Reading


def require_kept_reading(deps: Dependencies, reading: Reading | None, text: str) -> None:
    """Raise InputError where the words do not bear the reading out, or its own words would be redacted."""
    require_borne_out(reading, text)
    for name in ("attribute", "key") if reading is not None else ():
        told = getattr(reading, name)
        if deps.redact(told)[0] != told:
            raise InputError(f"The `{name}` of the reading holds what looks like a secret. Give a name without it.")

"""`Memory.kept_answers`: what a repeated request of the REST door was answered the first time.

Takes: the name that a request was given by who asks, and the request. Gives: the answer, which is kept for 24 hours.
Never: keeps a request, or a digest of one that could be tested without the store's secret.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from dopejar.engine.arguments import checked
from dopejar.memory.hold import update_row
from dopejar.memory.tombstones import keyed_digest
from dopejar.values.versioned_rows import KEPT_ANSWERS, KeyValueRow

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Dependencies

_KEPT: Final = timedelta(hours=24)


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptAnswer:
    """An answer, and whether it was given to this very request."""

    status: int
    body: str
    is_of_request: bool


@checked
class KeptAnswers:
    """The kept answers of one store."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    def find(self, name: str, request: str) -> KeptAnswer | None:
        """The answer under this name; None where there is none."""
        with self._deps.store.read() as view:
            row = view.held(KEPT_ANSWERS, self._digest(name))
        if row is None:
            return None
        kept = json.loads(row.body)
        return KeptAnswer(
            status=kept["status"], body=kept["answer"], is_of_request=kept["asked"] == self._digest(request)
        )

    def keep(self, name: str, request: str, status: int, answer: str) -> None:
        """Keep an answer, unless one is kept under this name."""
        key, until = self._digest(name), self._deps.system_clock.now() + _KEPT
        body = json.dumps({"asked": self._digest(request), "status": status, "answer": answer})

        def written(row: KeyValueRow | None) -> KeyValueRow:
            return row or KeyValueRow(kind=KEPT_ANSWERS, key=key, body=body, expires_at=until)

        update_row(self._deps.store, KEPT_ANSWERS, key, written)

    def _digest(self, text: str) -> str:
        with self._deps.store.read() as view:
            secret = view.meta("secret") or ""
        return keyed_digest(bytes.fromhex(secret), KEPT_ANSWERS, text)

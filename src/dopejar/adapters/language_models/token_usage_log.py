"""Daily token usage of the language model, kept in the store.

Takes: a store, a clock and the cap. Gives: a `SpendLog` shared by all processes. Never: reserves past the cap.

One key-value row per day (kind "spend", key the UTC date). A process that dies between reserving and settling leaves
its reservation counted, so the cap errs on the low side.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta

from dopejar.errors import (
    SettingError,
    SpendCapError,
    StaleProposalError,
    StoreBusyError,
    StoreDamagedError,
    StoreReadOnlyError,
)
from dopejar.ports.clock import Clock
from dopejar.ports.store import Store
from dopejar.values.held_bodies import as_object, number_in, object_of
from dopejar.values.versioned_rows import SPEND_ROW, KeyValueRow

KIND = SPEND_ROW
_KEPT_DAYS = 31
_ATTEMPTS = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """Tokens used on one UTC day, in total and by purpose."""

    tokens: int
    by_purpose: Mapping[str, int]


class StoredSpendLog:
    """A `SpendLog` over key-value rows. Not for use inside another write transaction of the same store."""

    def __init__(self, store: Store, clock: Clock, daily_cap: int) -> None:
        """`daily_cap` in tokens of prompt and reply together; 0 allows no call at all. Raises SettingError below 0."""
        if daily_cap < 0:
            raise SettingError("The language model's daily cap is a number of tokens, 0 or above.")
        self._store = store
        self._clock = clock
        self._cap = daily_cap
        self._lock = threading.Lock()
        self._reserved_on: dict[tuple[int, str], list[str]] = {}

    def reserve(self, tokens: int, purpose: str) -> None:
        """Take tokens from today's cap; raises SpendCapError, and takes nothing, where too few are left."""
        day = self._today()

        def take(spent: Spent) -> Spent:
            if spent.tokens + tokens > self._cap:
                raise SpendCapError(
                    f"The language model's daily cap of {self._cap} tokens is reached: {spent.tokens} are used, "
                    f"{purpose} needs up to {tokens}. It resets at midnight UTC; wait, or raise it."
                )
            return add_tokens(spent, tokens, purpose)

        try:
            self._change(day, take)
        except StoreReadOnlyError as error:
            raise SpendCapError(
                "The language model is not called: on a read-only store its usage cannot be counted."
            ) from error
        with self._lock:
            self._reserved_on.setdefault((tokens, purpose), []).append(day)

    def settle(self, reserved: int, used: int, purpose: str) -> None:
        """Replace a reservation by the actual usage, on the day of the reservation."""
        with self._lock:
            days = self._reserved_on.get((reserved, purpose), [])
            day = days.pop(0) if days else self._today()
            if not days:
                self._reserved_on.pop((reserved, purpose), None)
        if used != reserved:
            self._change(day, lambda spent: add_tokens(spent, used - reserved, purpose))

    def _today(self) -> str:
        return self._clock.now().astimezone(UTC).date().isoformat()

    def _change(self, day: str, change: Callable[[Spent], Spent]) -> None:
        for _ in range(_ATTEMPTS):
            try:
                with self._store.write() as rows:
                    row = rows.held(KIND, day)
                    body = spent_body(change(read_spent(row)))
                    rows.put_held(replace(row, body=body) if row else _new_row(day, body))
            except StaleProposalError:  # another process was faster: read its row and retry
                continue
            return
        raise StoreBusyError("Too many processes count the language model's use at once. Try again in a moment.")


def read_spent(row: KeyValueRow | None) -> Spent:
    """The usage in a day's row; zero without a row."""
    if row is None:
        return Spent(tokens=0, by_purpose={})
    try:
        return spent_of(row)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreDamagedError(
            f"The count of the language model's use on {row.key} cannot be read. Run `dopejar doctor`."
        ) from error


def spent_of(row: KeyValueRow) -> Spent:
    """The usage that a row holds. Raises as `values.held_bodies` does."""
    body = object_of(row)
    used = as_object(body["by_purpose"])
    return Spent(tokens=number_in(body, "tokens"), by_purpose={name: number_in(used, name) for name in used})


def spent_body(spent: Spent) -> str:
    """The row's body, as JSON that `read_spent` reads."""
    return json.dumps(
        {"tokens": spent.tokens, "by_purpose": dict(sorted(spent.by_purpose.items()))}, ensure_ascii=False
    )


def add_tokens(spent: Spent, tokens: int, purpose: str) -> Spent:
    """The usage with tokens added (or subtracted) for a purpose; no count falls below 0."""
    before = spent.by_purpose.get(purpose, 0)
    return Spent(
        tokens=max(0, spent.tokens + tokens), by_purpose={**spent.by_purpose, purpose: max(0, before + tokens)}
    )


def _new_row(day: str, body: str) -> KeyValueRow:
    midnight = datetime.combine(datetime.fromisoformat(day).date(), time(), tzinfo=UTC)
    return KeyValueRow(kind=KIND, key=day, body=body, expires_at=midnight + timedelta(days=_KEPT_DAYS))

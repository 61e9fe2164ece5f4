"""Runs the SQL of one transaction.

Takes: SQL and its values. Gives: rows, and StoreErrors instead of the driver's exceptions. Never: commits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from dopejar.adapters.sqlite.codec import Cell, Row, dumps
from dopejar.adapters.sqlite.driver_errors import translate_driver_error
from dopejar.errors import InputError

if TYPE_CHECKING:
    from datetime import datetime

    import apsw

    from dopejar.adapters.sqlite.process_cache import ProcessCache


class Session:
    """A connection inside a transaction. `now` is called where a search needs the time."""

    def __init__(
        self, connection: "apsw.Connection", path: Path, now: "Callable[[], datetime]", cache: "ProcessCache"
    ) -> None:
        import apsw

        self._connection = connection
        self._execute = connection.execute
        self._path = path
        self._now = now
        self._cache = cache
        self._fault = apsw.Error

    def _rows(self, sql: str, values: Sequence[Cell] = ()) -> list[Row]:
        try:
            return cast("list[Row]", self._execute(sql, values).fetchall())
        except self._fault as fault:
            raise translate_driver_error(fault, self._path) from fault
        except (UnicodeEncodeError, OverflowError) as fault:
            raise _invalid_value_error(fault) from fault

    def _row(self, sql: str, values: Sequence[Cell] = ()) -> Row | None:
        try:
            return cast("Row | None", self._execute(sql, values).fetchone())
        except self._fault as fault:
            raise translate_driver_error(fault, self._path) from fault
        except (UnicodeEncodeError, OverflowError) as fault:
            raise _invalid_value_error(fault) from fault

    def _number(self, sql: str, values: Sequence[Cell] = ()) -> int:
        row = self._row(sql, values)
        return 0 if row is None or row[0] is None else cast("int", row[0])

    def _texts(self, sql: str, values: Sequence[Cell] = ()) -> list[str]:
        return [cast("str", row[0]) for row in self._rows(sql, values)]

    def _run(self, sql: str, values: Sequence[Cell] = ()) -> int:
        """Run a change; how many rows it touched."""
        self._rows(sql, values)
        return self._connection.changes()

    def _run_many(self, sql: str, rows: "Iterable[Sequence[Cell]]") -> None:
        try:
            self._connection.executemany(sql, rows)
        except self._fault as fault:
            raise translate_driver_error(fault, self._path) from fault
        except (UnicodeEncodeError, OverflowError) as fault:
            raise _invalid_value_error(fault) from fault


def _invalid_value_error(fault: UnicodeEncodeError | OverflowError) -> InputError:
    if isinstance(fault, OverflowError):
        return InputError("A number is too large. Give a smaller one.")
    return InputError(
        f"The text has an invalid character at position {fault.start} (not UTF-8, or half of a surrogate pair)."
        " Save it as UTF-8, or replace it, and try again."
    )


def listed(values: Iterable[str] | Iterable[int]) -> str:
    """Values as one JSON parameter, for `IN (SELECT value FROM json_each(?))`."""
    return dumps(list(values))


def marks(count: int) -> str:
    """So many question marks."""
    return ",".join("?" * count)


def prefix_range(prefix: str) -> tuple[str, str]:
    """The half-open range of texts that begin with the prefix, which an index can follow."""
    return prefix, prefix + "\U0010ffff"

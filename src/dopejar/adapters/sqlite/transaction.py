"""Runs the SQL of one transaction.

Takes: SQL and its values. Gives: rows, and StoreErrors instead of the driver's exceptions. Never: commits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from dopejar.adapters.sqlite.codec import Cell, Row, dumps
from dopejar.adapters.sqlite.driver_errors import translate_driver_error
from dopejar.errors import InputError, StoreDamagedError

if TYPE_CHECKING:
    from datetime import datetime

    import apsw

    from dopejar.adapters.sqlite.process_cache import ProcessCache
    from dopejar.ports.store.held_rows import BodyReaders

T = TypeVar("T")
UNREADABLE: Final = (
    ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError, InputError,
)  # fmt: skip
"""What a codec raises for a value that the program did not write."""


def no_body_reader(_kind: str) -> None:
    """No body of a held row is read."""


class Transaction:
    """A connection inside a transaction. `now` is called where a search needs the time."""

    def __init__(
        self,
        connection: "apsw.Connection",
        path: Path,
        now: "Callable[[], datetime]",
        cache: "ProcessCache",
        body_readers: "BodyReaders" = no_body_reader,
    ) -> None:
        import apsw

        self._connection = connection
        self._execute = connection.execute
        self._path = path
        self._now = now
        self._cache = cache
        self._body_readers = body_readers
        self._fault = apsw.Error

    def _rows(self, sql: str, values: Sequence[Cell] = ()) -> list[Row]:
        try:
            return cast("list[Row]", self._execute(sql, values).fetchall())
        except UnicodeDecodeError:
            return self._readable(sql, values)
        except self._fault as fault:
            raise translate_driver_error(fault, self._path) from fault
        except (UnicodeEncodeError, OverflowError) as fault:
            raise _invalid_value_error(fault) from fault

    def _each_row(self, sql: str, values: Sequence[Cell] = ()) -> Iterator[Row]:
        """The rows one by one; a text that is no UTF-8 comes as its bytes."""
        done = 0
        try:
            for row in self._execute(sql, values):
                yield cast("Row", row)
                done += 1
        except self._fault as fault:
            raise translate_driver_error(fault, self._path) from fault
        except UnicodeDecodeError:
            yield from self._rows_with_bytes(sql, values)[done:]

    def _rows_with_bytes(self, sql: str, values: Sequence[Cell]) -> list[Row]:
        """The rows of a query of which some have a text that is no UTF-8: such a text comes as its bytes."""
        width = len(self._execute(sql, values).get_description())
        names = [f"c{place}" for place in range(width)]
        casts = ", ".join(
            f"CASE typeof({name}) WHEN 'text' THEN CAST({name} AS BLOB) ELSE {name} END" for name in names
        )
        kinds = ", ".join(f"typeof({name})" for name in names)
        wrapped = f"WITH q ({', '.join(names)}) AS ({sql}) SELECT {casts}, {kinds} FROM q"
        rows = cast("list[Row]", self._execute(wrapped, values).fetchall())
        return [tuple(map(_text_or_bytes, row[:width], row[width:])) for row in rows]

    def _readable(self, sql: str, values: Sequence[Cell]) -> list[Row]:
        """The rows without those that have a text that is no UTF-8."""
        rows = self._rows_with_bytes(sql, values)
        for row in rows:
            if bytes in map(type, row):
                self._cache.unreadable.add(str(row[0]))
        return [row for row in rows if bytes not in map(type, row)]

    def _decoded(self, decode: Callable[[Row], T], rows: list[Row]) -> tuple[T, ...]:
        """The values of the rows; one that cannot be read is left out and noted, so that `doctor` is recommended."""
        try:
            return tuple(map(decode, rows))
        except UNREADABLE:
            return tuple(value for row in rows if (value := self._decoded_or_none(decode, row)) is not None)

    def _decoded_or_none(self, decode: Callable[[Row], T], row: Row | None) -> T | None:
        """The value of a row; None, noted, for one that cannot be read."""
        if row is None:
            return None
        try:
            return decode(row)
        except UNREADABLE:
            self._cache.unreadable.add(str(row[0]))
            return None

    def _require_decoded(self, what: str, decode: Callable[[Row], T], row: Row | None) -> T | None:
        """The value of the one row that was asked for. Raises StoreDamagedError where it cannot be read."""
        value = self._decoded_or_none(decode, row)
        if value is None and row is not None:
            raise StoreDamagedError(
                f"The {what} {row[0]!s} has a value that cannot be read. Run `dopejar doctor`, and restore a backup."
            )
        return value

    def _row(self, sql: str, values: Sequence[Cell] = ()) -> Row | None:
        try:
            return cast("Row | None", self._execute(sql, values).fetchone())
        except UnicodeDecodeError:
            return next(iter(self._readable(sql, values)), None)
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


def _text_or_bytes(cell: Cell, kind: Cell) -> Cell:
    if kind != "text" or not isinstance(cell, bytes):
        return cell
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return cell


def listed(values: Iterable[str] | Iterable[int]) -> str:
    """Values as one JSON parameter, for `IN (SELECT value FROM json_each(?))`."""
    return dumps(list(values))


def marks(count: int) -> str:
    """So many question marks."""
    return ",".join("?" * count)


def prefix_range(prefix: str) -> tuple[str, str]:
    """The half-open range of texts that begin with the prefix, which an index can follow."""
    return prefix, prefix + "\U0010ffff"

"""A table with indexes that is copied when it is written.

Takes: rows by key, and per index a function from a row to its index values. Gives: rows, in the order of insertion.
Never: changes what a fork shares with the table it was forked from.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_Buckets = dict[Hashable, dict[K, None]]


class Table(Generic[K, V]):
    """Rows by key. A replaced row keeps its number; a new one gets the next."""

    def __init__(self, indexes: Mapping[str, Callable[[V], Iterable[Hashable]]] | None = None) -> None:
        self._values_of = dict(indexes or {})
        self._rows: dict[K, V] = {}
        self._numbers: dict[K, int] = {}
        self._next = 1
        self._indexes: dict[str, _Buckets[K]] = {name: {} for name in self._values_of}
        self._own_buckets: set[tuple[str, Hashable]] | None = set()  # None: nothing is this table's own yet
        self.written: set[K] = set()  # keys of the rows that were put since the fork

    def fork(self) -> Table[K, V]:
        """A table with the same rows, which is written without changing this one."""
        fork: Table[K, V] = Table.__new__(Table)
        fork._values_of, fork._rows, fork._numbers = self._values_of, self._rows, self._numbers
        fork._next, fork._indexes, fork._own_buckets, fork.written = self._next, self._indexes, None, set()
        return fork

    @property
    def is_changed(self) -> bool:
        """Whether the table was written since it was forked."""
        return self._own_buckets is not None

    def _own(self) -> set[tuple[str, Hashable]]:
        if self._own_buckets is None:
            self._rows, self._numbers = dict(self._rows), dict(self._numbers)
            self._indexes = {name: dict(buckets) for name, buckets in self._indexes.items()}
            self._own_buckets = set()
        return self._own_buckets

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[K]:
        return iter(self._rows)

    def get(self, key: K) -> V | None:
        """The row with this key."""
        return self._rows.get(key)

    def number(self, key: K) -> int:
        """The row's place in the order of insertion; 0 where there is no such row."""
        return self._numbers.get(key, 0)

    def values(self) -> Iterable[V]:
        """Every row, in the order of insertion."""
        return self._rows.values()

    def items(self) -> Iterable[tuple[K, V]]:
        """Every key with its row, in the order of insertion."""
        return self._rows.items()

    def keys_at(self, index: str, value: Hashable) -> list[K]:
        """Keys of the rows with this index value, in the order of insertion."""
        return sorted(self._indexes[index].get(value, ()), key=self._numbers.__getitem__)

    def at(self, index: str, value: Hashable) -> list[V]:
        """The rows with this index value, in the order of insertion."""
        return [self._rows[key] for key in self.keys_at(index, value)]

    def count_at(self, index: str, value: Hashable) -> int:
        """How many rows have this index value."""
        return len(self._indexes[index].get(value, ()))

    def put(self, key: K, row: V) -> None:
        """Insert or replace a row."""
        own = self._own()
        old = self._rows.get(key)
        if old is None:
            self._numbers[key] = self._next
            self._next += 1
        else:
            self._unindex(key, old, own)
        self._rows[key] = row
        self.written.add(key)
        for name, values_of in self._values_of.items():
            for value in values_of(row):
                self._bucket(name, value, own)[key] = None

    def drop(self, key: K) -> bool:
        """Remove a row; whether there was one."""
        if key not in self._rows:
            return False
        own = self._own()
        self._unindex(key, self._rows.pop(key), own)
        del self._numbers[key]
        return True

    def _unindex(self, key: K, row: V, own: set[tuple[str, Hashable]]) -> None:
        for name, values_of in self._values_of.items():
            for value in values_of(row):
                bucket = self._bucket(name, value, own)
                bucket.pop(key, None)
                if not bucket:
                    del self._indexes[name][value]

    def _bucket(self, name: str, value: Hashable, own: set[tuple[str, Hashable]]) -> dict[K, None]:
        buckets = self._indexes[name]
        if (name, value) not in own:
            buckets[value] = dict(buckets.get(value, {}))
            own.add((name, value))
        return buckets.setdefault(value, {})

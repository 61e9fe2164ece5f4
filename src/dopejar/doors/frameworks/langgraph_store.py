"""A store of LangGraph: items in namespaces, found by key, filter and meaning.

Takes: LangGraph's operations. Gives: its items. Never: a belief; what an agent puts here is the host's note, from which
nothing is learned. Raises NotImplementedError for a time to live, as LangGraph asks of stores without one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Any, Final

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
)

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory

_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$eq": eq, "$ne": ne, "$gt": gt, "$gte": ge, "$lt": lt, "$lte": le,
}  # fmt: skip
_WHOLE: Final = "$"  # the path of a whole value


class LangGraphStore(BaseStore):
    """`langgraph.store.base.BaseStore` over a memory. Safe to use from several threads and processes.

        graph = builder.compile(store=LangGraphStore(memory))

    `space` keeps several graphs apart. A search with a query ranks by the installed model, else by words in common;
    `fields` are the paths of a value that it searches, where a put names none.
    """

    def __init__(self, memory: Memory, space: str = "langgraph", fields: Sequence[str] = (_WHOLE,)) -> None:
        self._workspace = memory.workspace
        self._space = f"items:{space}"
        self._fields = tuple(fields)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """The results, in order; reads see what stood before, and of several puts of an item the last one counts."""
        given = list(ops)
        items = self._items()
        results = [self._read(op, items) for op in given]
        for op in {_name(op.namespace, op.key): op for op in given if isinstance(op, PutOp)}.values():
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _items(self) -> dict[str, tuple[Item, tuple[str, ...]]]:
        """Every item with what of it is searched."""
        notes = self._workspace.notes(self._space)
        return {name: _item(name, note, self._fields) for name, note in notes.items()}

    def _read(self, op: Op, items: Mapping[str, tuple[Item, tuple[str, ...]]]) -> Result:
        if isinstance(op, GetOp):
            found = items.get(_name(op.namespace, op.key))
            return found[0] if found else None
        if isinstance(op, SearchOp):
            return self._search(op, list(items.values()))
        if isinstance(op, ListNamespacesOp):
            return _namespaces(op, {item.namespace for item, _ in items.values()})
        if isinstance(op, PutOp):
            return None
        raise ValueError(f"{type(op).__name__} is no operation of a store. Use get, put, search or list_namespaces.")

    def _search(self, op: SearchOp, items: list[tuple[Item, tuple[str, ...]]]) -> list[SearchItem]:
        prefix = op.namespace_prefix
        found = [
            (item, texts)
            for item, texts in items
            if item.namespace[: len(prefix)] == prefix and _fits(item.value, op.filter or {})
        ]
        scored: list[tuple[Item, float | None]] = [(item, None) for item, _ in found]
        if op.query:
            pairs = [(place, text) for place, (_, texts) in enumerate(found) for text in texts]
            scores = self._workspace.relevance(op.query, [text for _, text in pairs])
            best: dict[int, float] = {}
            for (place, _), score in zip(pairs, scores, strict=True):
                best[place] = max(score, best.get(place, 0.0))
            scored = [(item, best.get(place)) for place, (item, _) in enumerate(found)]
            scored.sort(key=lambda pair: -1.0 if pair[1] is None else pair[1], reverse=True)
        return [_search_item(item, score) for item, score in scored[op.offset : op.offset + op.limit]]

    def _put(self, op: PutOp) -> None:
        name = _name(op.namespace, op.key)
        if op.value is None:
            self._workspace.drop_notes(self._space, [name])
            return
        now = datetime.now(UTC).isoformat()

        def changed(known: dict[str, Any] | None) -> dict[str, Any]:
            created = known["created"] if known else now
            return {"value": op.value, "index": op.index, "created": created, "updated": now}

        self._workspace.write_note(self._space, name, changed)


def _name(namespace: tuple[str, ...], key: str) -> str:
    return json.dumps([*namespace, key], ensure_ascii=False)


def _item(name: str, note: Mapping[str, Any], fields: tuple[str, ...]) -> tuple[Item, tuple[str, ...]]:
    *namespace, key = json.loads(name)
    item = Item(
        value=note["value"],
        key=key,
        namespace=tuple(namespace),
        created_at=datetime.fromisoformat(note["created"]),
        updated_at=datetime.fromisoformat(note["updated"]),
    )
    paths = () if note["index"] is False else note["index"] or fields
    return item, tuple(text for path in paths for text in get_text_at_path(item.value, _tokens(path)))


def _tokens(path: str) -> str | list[str]:
    return path if path == _WHOLE else tokenize_path(path)


def _search_item(item: Item, score: float | None) -> SearchItem:
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)


def _fits(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_compares(value.get(name), condition) for name, condition in wanted.items())


def _compares(value: Any, condition: Any) -> bool:  # noqa: ANN401 - values are the host's JSON
    if not isinstance(condition, dict):
        return bool(value == condition)
    if not any(str(name).startswith("$") for name in condition):
        return isinstance(value, dict) and _fits(value, condition)
    if unknown := [name for name in condition if name not in _COMPARE]:
        raise ValueError(f"A filter has no operator {unknown[0]}. Use one of {', '.join(_COMPARE)}.")
    try:
        return all(_COMPARE[name](value, wanted) for name, wanted in condition.items())
    except TypeError:  # values that have no order
        return False


def _namespaces(op: ListNamespacesOp, namespaces: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    found = [name for name in namespaces if all(_matches(condition, name) for condition in op.match_conditions or ())]
    cut = sorted({name[: op.max_depth] if op.max_depth is not None else name for name in found})
    return cut[op.offset : op.offset + op.limit]


def _matches(condition: MatchCondition, name: tuple[str, ...]) -> bool:
    path = condition.path
    if len(name) < len(path):
        return False
    compared = name[: len(path)] if condition.match_type == "prefix" else name[len(name) - len(path) :]
    return all(wanted in ("*", part) for wanted, part in zip(path, compared, strict=True))

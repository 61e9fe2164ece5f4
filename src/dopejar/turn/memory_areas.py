"""`MemoryManager`: the areas of the architecture, each read, written, queried, watched and deleted by key.

Takes: an open memory, JSON objects. Gives: the same objects, each with its tier and the trace id of its last write.
Never: a belief, a store of its own, or anything kept in an area without consent; nothing is removed by age.

What consent covers is kept as a note of the memory's workspace (redacted, shared by processes); anything else is hot:
it stays in this object. The tier of a kept item is computed from its use, so demotion writes nothing.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from dopejar.errors import InputError, NotFoundError, RefusedError
from dopejar.turn.traces import TurnTrace
from dopejar.values.ids import TraceId, new_trace_id
from dopejar.values.trace_event import TraceLayer, TraceOperation
from dopejar.values.versioned_rows import NORTH_STARS, PRIORITIES

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.ports.trace_sink import TraceSink

Change = Callable[[str, "Mapping[str, Any] | None"], None]
"""What a subscriber is called with: the key, and the data as it is now; None after a deletion."""

AREAS: Final = frozenset(
    f"{layer}.{name}"
    for layer, names in {
        "altitude": "session history patterns coaching",
        "focus": "fast slow lanes consent gates",
        "reasoning": "strategies escalations routing",
        "learning": "patterns feedback generalizations",
        "shared": "north_stars priorities people",
    }.items()
    for name in names.split()
)
"""The names of the areas."""

CONSENT: Final = "focus.consent"
"""The area with the names of the areas that are kept; only `allow` and `withdraw` write it."""

WINDOWS: Final[Mapping[str, int]] = {"focus.lanes": 15, "focus.slow": 10, "altitude.history": 20}
"""How many items of an area are warm at most: threads, commits, histories."""

WARM_FOR: Final = timedelta(days=14)
_USE_NOTED: Final = timedelta(days=1)  # a read is written down once a day, not each time
_REFERENCES: Final[Mapping[str, str]] = {"shared.north_stars": NORTH_STARS, "shared.priorities": PRIORITIES}
_ACTS: Final = 200
_POINTS: Final[Mapping[str, str]] = {"allow": "promote", "withdraw": "demote"}  # trace points of moves between tiers


class Tier(StrEnum):
    """Where an item is: in this object alone, kept and in use, or kept and long unused (or pushed out of a window)."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


@dataclass(frozen=True, kw_only=True, slots=True)
class AreaItem:
    """An item of an area; `trace_id` names the write that made it what it is."""

    key: str
    data: Mapping[str, Any]
    tier: Tier
    used_at: datetime
    trace_id: TraceId


@dataclass(frozen=True, kw_only=True, slots=True)
class AreaAct:
    """One act of a manager: `verb` is read, write, query, delete, allow or withdraw; `key` is a pattern in a query."""

    trace_id: TraceId
    verb: str
    area: str
    key: str
    at: datetime


_Version = tuple[TraceId, "Mapping[str, Any]"]  # acts of one request share a trace id


@dataclass(frozen=True, slots=True)
class _Subscription:
    area: str
    callback: Change
    seen: dict[str, _Version]


class MemoryManager:
    """The areas of one memory. Managers of several processes share what is kept; what is hot is each one's own."""

    def __init__(
        self, memory: Memory, *, now: Callable[[], datetime] | None = None, sink: TraceSink | None = None
    ) -> None:
        self._memory, self._sink = memory, sink
        self._now = now or (lambda: datetime.now(UTC))
        self._hot: dict[str, dict[str, AreaItem]] = {area: {} for area in AREAS}
        self._subscriptions: list[_Subscription] = []
        self._acts: deque[AreaAct] = deque(maxlen=_ACTS)

    @property
    def acts(self) -> tuple[AreaAct, ...]:
        """The latest 200 acts of this manager, oldest first."""
        return tuple(self._acts)

    def can_persist(self, area: str) -> bool:
        """Whether there is consent to keep this area. Raises InputError: there is no such area."""
        return _known(area) in self._memory.workspace.notes(_space(CONSENT))

    def allow(self, area: str, trace_id: TraceId | None = None) -> TraceId:
        """Note the user's consent to keep an area, and keep what is hot in it. Raises InputError: no such area."""
        act = self._note_act("allow", _writable(area), "", trace_id)
        self._memory.workspace.put_note(_space(CONSENT), area, _envelope({"kept": True}, act.at, act.trace_id))
        kept = self._memory.workspace.notes(_space(area))
        for item in list(self._hot[area].values()):
            if item.key not in kept:
                self._keep(area, item)
        return act.trace_id

    def withdraw(self, area: str, trace_id: TraceId | None = None) -> TraceId:
        """Take consent back: what was kept of the area leaves the store, and is hot here until this object goes."""
        act = self._note_act("withdraw", _writable(area), "", trace_id)
        self._memory.workspace.drop_notes(_space(CONSENT), [area])
        kept = self._kept(area)
        self._memory.workspace.drop_notes(_space(area), [item.key for item in kept])
        for item in reversed(kept):
            self._hold(area, item)
        return act.trace_id

    def write(self, area: str, key: str, data: Mapping[str, Any], trace_id: TraceId | None = None) -> TraceId:
        """Write an item, whatever it said before: kept where there is consent, else hot. Gives the trace id of it.

        Raises:
            InputError: there is no such area, or the item is no JSON, too long, or its key is empty or holds a secret.
            RefusedError: the area is written in another way, which the message names.
        """
        if not key:
            raise InputError("An item needs a key. Give one, such as `ana`.")
        is_kept = self.can_persist(_writable(area))
        act = self._note_act("write", area, key, trace_id)
        try:
            plain = json.loads(json.dumps(dict(data)))
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"An item has to be a JSON object ({error}). Give plain texts and numbers.") from None
        item = AreaItem(key=key, data=plain, tier=Tier.HOT, used_at=act.at, trace_id=act.trace_id)
        if is_kept:
            self._keep(area, item)
        else:
            self._hold(area, item)
        return act.trace_id

    def read(self, area: str, key: str, trace_id: TraceId | None = None) -> Mapping[str, Any] | None:
        """The data of an item, None where there is none. Reading is use: a cold item is warm again.

        Raises:
            InputError: there is no such area.
        """
        act = self._note_act("read", _known(area), key, trace_id)
        item = next((one for one in self._all(area) if one.key == key), None)
        if item is not None and area not in _REFERENCES:
            self._use(area, item, act.at)
        return item.data if item else None

    def items(self, area: str, pattern: str = "*", *, cold: bool = False) -> tuple[AreaItem, ...]:
        """Items whose keys fit the pattern (`*`, `?`, `[...]`), used last first; cold ones only if they are asked for.

        Raises:
            InputError: there is no such area.
        """
        found = (item for item in self._all(_known(area)) if fnmatchcase(item.key, pattern))
        return tuple(item for item in found if cold or item.tier is not Tier.COLD)

    def query(self, area: str, pattern: str = "*", trace_id: TraceId | None = None) -> list[Mapping[str, Any]]:
        """The data of `items(area, pattern)`. Raises InputError: there is no such area."""
        self._note_act("query", _known(area), pattern, trace_id)
        return [item.data for item in self.items(area, pattern)]

    def delete(self, area: str, key: str, trace_id: TraceId | None = None) -> TraceId:
        """Delete an item, kept or hot; one that is not there is passed over. Raises as `write` does."""
        act = self._note_act("delete", _writable(area), key, trace_id)
        self._hot[area].pop(key, None)
        self._memory.workspace.drop_notes(_space(area), [key])
        return act.trace_id

    def subscribe(self, area: str, callback: Change) -> None:
        """From now on `poll` calls this with what changed in the area. Raises InputError: there is no such area."""
        self._subscriptions.append(_Subscription(area, callback, self._versions(_known(area))))

    def poll(self) -> int:
        """Call each subscriber once for every item that was written or deleted since the last poll; how many calls.

        Changes of other processes are seen where they were kept. What a callback raises goes to the caller; changes
        after it come with the next poll.
        """
        calls = 0
        for one in self._subscriptions:
            now = self._versions(one.area)
            for key in sorted({*one.seen, *now}):
                if one.seen.get(key) == now.get(key):
                    continue
                one.seen.pop(key, None)
                if key in now:
                    one.seen[key] = now[key]
                calls += 1
                one.callback(key, now[key][1] if key in now else None)
        return calls

    def _all(self, area: str) -> tuple[AreaItem, ...]:
        """What is kept and what is hot, used last first; of one key, what is kept."""
        if area in _REFERENCES:
            return self._references(area)
        merged = self._hot[area] | {item.key: item for item in self._kept(area)}
        return tuple(sorted(merged.values(), key=lambda item: item.used_at, reverse=True))

    def _kept(self, area: str) -> list[AreaItem]:
        notes = self._memory.workspace.notes(_space(area))
        items = [
            AreaItem(
                key=key,
                data=note["data"],
                tier=Tier.WARM,
                used_at=datetime.fromisoformat(note["used"]),
                trace_id=TraceId(note["trace"]),
            )
            for key, note in notes.items()
        ]
        items.sort(key=lambda item: item.used_at, reverse=True)
        window, oldest = WINDOWS.get(area, len(items)), self._now() - WARM_FOR
        return [
            item if place < window and item.used_at >= oldest else replace(item, tier=Tier.COLD)
            for place, item in enumerate(items)
        ]

    def _references(self, area: str) -> tuple[AreaItem, ...]:
        """What the user works for, as the turn reads it; one item for each text, by its place."""
        reference = self._memory.workspace.reference(_REFERENCES[area])
        if reference is None:
            return ()
        value = json.loads(reference.value)
        return tuple(
            AreaItem(
                key=str(place),
                data=text if isinstance(text, dict) else {"text": text},
                tier=Tier.WARM,
                used_at=reference.updated_at,
                trace_id=TraceId(f"{reference.key}@{reference.version}"),
            )
            for place, text in enumerate(value if isinstance(value, list) else [value], 1)
        )

    def _keep(self, area: str, item: AreaItem) -> None:
        note = _envelope(item.data, item.used_at, item.trace_id)
        self._memory.workspace.put_note(_space(area), item.key, note)
        self._hot[area].pop(item.key, None)
        if not self.can_persist(area):  # consent was taken back by another process meanwhile
            self._memory.workspace.drop_notes(_space(area), [item.key])
            self._hold(area, item)

    def _hold(self, area: str, item: AreaItem) -> None:
        """Hold an item here; of an area with a window, the one that was used first goes."""
        held = self._hot[area]
        held[item.key] = replace(item, tier=Tier.HOT)
        if len(held) > WINDOWS.get(area, len(held)):
            del held[min(held.values(), key=lambda one: one.used_at).key]

    def _use(self, area: str, item: AreaItem, at: datetime) -> None:
        if item.tier is Tier.HOT:
            self._hot[area][item.key] = replace(item, used_at=at)
        elif item.tier is Tier.COLD or at - item.used_at >= _USE_NOTED:

            def used(note: dict[str, Any] | None) -> dict[str, Any]:
                if note is None:
                    raise NotFoundError("The item was deleted meanwhile.")
                return note | {"used": at.isoformat()}

            try:
                self._memory.workspace.write_note(_space(area), item.key, used)
            except NotFoundError:
                return  # another process deleted it; there is no use to note
            if item.tier is Tier.COLD:
                self._trace(item.trace_id, "promote", area, at)

    def _versions(self, area: str) -> dict[str, _Version]:
        return {item.key: (item.trace_id, item.data) for item in self._all(area)}

    def _note_act(self, verb: str, area: str, key: str, trace_id: TraceId | None) -> AreaAct:
        act = AreaAct(trace_id=trace_id or new_trace_id(), verb=verb, area=area, key=key, at=self._now())
        self._acts.append(act)
        self._trace(act.trace_id, "read" if verb in {"read", "query"} else _POINTS.get(verb, "write"), area, act.at)
        return act

    def _trace(self, trace_id: TraceId, point: str, area: str, at: datetime) -> None:
        if self._sink is not None:
            trace = TurnTrace(trace_id, at)
            operation = TraceOperation.READ if point == "read" else TraceOperation.WRITE
            trace.add(TraceLayer.MEMORY, operation, point, area, component="MemoryManager")
            self._sink.emit(trace.events[0])


def _known(area: str) -> str:
    if area not in AREAS:
        raise InputError(f"There is no area {area!r}. The areas are: {', '.join(sorted(AREAS))}.")
    return area


def _writable(area: str) -> str:
    if _known(area) == CONSENT:
        raise RefusedError(f"{area} is not written by hand. Use `allow` and `withdraw`.")
    if area in _REFERENCES:
        raise RefusedError(f"{area} governs the turn. Put a new version with `memory.workspace.put_reference`.")
    return area


def _space(area: str) -> str:
    return f"area:{area}"


def _envelope(data: Mapping[str, Any], used_at: datetime, trace_id: TraceId) -> dict[str, Any]:
    return {"data": dict(data), "used": used_at.isoformat(), "trace": trace_id}

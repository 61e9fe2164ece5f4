"""The bench of wordings: whether ten ways of saying one thing end as one record.

Takes: a file of groups, each a subject in several wordings. Gives: how many groups end as one active record, how many
records a group comes to, and which groups were mixed. Never: prints a wording, or keeps anything it wrote.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median

from dopejar import compose
from dopejar.engine.memory import Memory
from dopejar.errors import EmbedderError, InputError
from dopejar.ports.store import Store
from dopejar.settings import Settings, read_settings
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.record import Record, Status

_LEXICAL = {"DOPEJAR_EMBEDDER_KIND": "none"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """One subject and the ways to say it."""

    name: str
    wordings: tuple[str, ...]


def read_groups(data: Path) -> tuple[Group, ...]:
    """The groups of a file of JSON lines with `group` and `wordings`. Raises InputError where it is none."""
    try:
        rows = [json.loads(line) for line in data.read_text("utf-8").splitlines() if line.strip()]
        return tuple(Group(name=str(row["group"]), wordings=tuple(map(str, row["wordings"]))) for row in rows)
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise InputError(
            f"{data} is no file of wordings ({fault}). Give one JSON object a line, with `group` and `wordings`."
        ) from fault


def run(
    data: Path,
    home: Path,
    *,
    with_embedder: bool = False,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> dict[str, object]:
    """Tell every wording of every group to one store, one after the other, group by group.

    `one_active_record`: groups of which exactly one record is active. `one_record`: of these, the ones that left no
    superseded and no waiting record beside it. `merged_pairs`: pairs of groups that share a record or a chain. With
    `with_embedder`, the vectors of the models installed in the data directory are asked as well; `sayings` is the one
    that told whether two wordings say one thing.
    """
    groups = read_groups(data)
    with tempfile.TemporaryDirectory(prefix="dopejar-wordings-") as scratch:
        settings = _settings(home, Path(scratch), embedder=with_embedder)
        store = compose.open_store(Path(scratch) / compose.STORE_NAME)
        with compose.build(settings, store, environment={}) as memory:
            told, times = _tell(memory, groups, progress)
            came = _records(store, told)
        sayings = compose.make_sayings(settings)
        model = {"embedder": with_embedder, "sayings": sayings.identity.name if sayings else ""}
    return {**_figures(groups, came), **model, "remember_p50_ms": round(median(times), 2)}


def _settings(home: Path, scratch: Path, *, embedder: bool) -> Settings:
    """Settings without a file, for a store of its own; with the models of the data directory at hand, or with none."""
    if not embedder:
        return read_settings(scratch, _LEXICAL)
    models = home / compose.MODELS
    if not models.is_dir():
        raise EmbedderError(f"There is no model in {home}. Run `dopejar models install`, or leave out --embedder.")
    (scratch / compose.MODELS).symlink_to(models, target_is_directory=True)
    return read_settings(scratch, {"DOPEJAR_EMBEDDER_KIND": "minilm"})


def _tell(
    memory: Memory, groups: Sequence[Group], progress: Callable[[str, int, int], None]
) -> tuple[dict[EpisodeId, str], list[float]]:
    told: dict[EpisodeId, str] = {}
    times = []
    for place, group in enumerate(groups, 1):
        for wording in group.wordings:
            begun = time.perf_counter()
            told[memory.remember(wording).episode_id] = group.name
            times.append((time.perf_counter() - begun) * 1000)
        progress("groups", place, len(groups))
    return told, times


def _records(store: Store, told: Mapping[EpisodeId, str]) -> dict[str, dict[RecordId, Record]]:
    """The records that rest on each group's words, those merged away left out."""
    found: dict[str, dict[RecordId, Record]] = defaultdict(dict)
    with store.read() as view:
        for episode, name in told.items():
            for one in view.records(view.resting_on((episode,))).values():
                found[name][one.id] = one
    return found


def _figures(groups: Sequence[Group], came: Mapping[str, Mapping[RecordId, Record]]) -> dict[str, object]:
    active = {one.name: [r for r in came.get(one.name, {}).values() if r.status is Status.ACTIVE] for one in groups}
    single = [name for name, records in active.items() if len(records) == 1]
    alone = [name for name in single if len(came[name]) == 1]
    merged = [
        f"{a.name} + {b.name}" for a, b in combinations(groups, 2) if _meet(came.get(a.name, {}), came.get(b.name, {}))
    ]
    return {
        "groups": len(groups),
        "wordings": sum(len(one.wordings) for one in groups),
        "one_active_record": len(single),
        "one_record": len(alone),
        "share": round(len(single) / max(len(groups), 1), 3),
        "mean_active_records": round(sum(map(len, active.values())) / max(len(groups), 1), 3),
        "merged_pairs": len(merged),
        "merged": [{"pair": pair} for pair in merged],
        "split": [{"group": name, "active": len(found)} for name, found in active.items() if len(found) != 1],
    }


def _meet(mine: Mapping[RecordId, Record], theirs: Mapping[RecordId, Record]) -> bool:
    """Whether two groups share a record, or one's record stands in the other's chain."""
    if mine.keys() & theirs.keys():
        return True
    links = {end for one in mine.values() for end in (one.supersedes, one.superseded_by) if end}
    return bool(links & theirs.keys())

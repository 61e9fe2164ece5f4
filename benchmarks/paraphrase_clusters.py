"""Paraphrase clustering: whether several phrasings of one statement end as one record.

Takes: a file of groups, each one statement in several phrasings. Gives: how many groups end as one active record, how
many records a group makes, and which groups were merged. Never: prints a phrasing, or keeps its store.

    python -m benchmarks.paraphrase_clusters benchmarks/data/wordings-natural.jsonl --embedder
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median

from dopejar import compose
from dopejar.compose.readers import make_reader
from dopejar.engine.memory import Memory
from dopejar.errors import EmbedderError, InputError
from dopejar.ports.store import Store
from dopejar.settings import Settings, read_settings
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.record import Record, Status

_LEXICAL = {"DOPEJAR_EMBEDDER_KIND": "none"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """One statement in several phrasings."""

    name: str
    phrasings: tuple[str, ...]


def read_groups(data: Path) -> tuple[Group, ...]:
    """Read a file of JSON lines with `group` and `wordings`. Raises InputError if it is not one."""
    try:
        rows = [json.loads(line) for line in data.read_text("utf-8").splitlines() if line.strip()]
        return tuple(Group(name=str(row["group"]), phrasings=tuple(map(str, row["wordings"]))) for row in rows)
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise InputError(
            f"{data} cannot be read as phrasings: {fault}. Give one JSON object a line, with `group` and `wordings`."
        ) from fault


def run(
    data: Path,
    home: Path,
    *,
    with_embedder: bool = False,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> dict[str, object]:
    """Remember every phrasing of every group in one store, one after the other, group by group.

    `one_active_record`: groups of which exactly one record is active. `one_record`: of these, the ones without a
    superseded or staged record beside it. `merged_pairs`: pairs of groups that share a record or a chain. With
    `with_embedder`, the model installed in the data directory is used as well; `reader` names what reads phrasings.
    """
    groups = read_groups(data)
    with tempfile.TemporaryDirectory(prefix="dopejar-wordings-") as scratch:
        settings = _settings(home, Path(scratch), embedder=with_embedder)
        store = compose.open_store(Path(scratch) / compose.STORE_NAME)
        with compose.build(settings, store, environment={}) as memory:
            episodes, times = _remember_all(memory, groups, progress)
            records = _records_by_group(store, episodes)
        reader = make_reader(compose.make_embedder(settings)).name
    return {**_figures(groups, records), "reader": reader, "remember_p50_ms": round(median(times), 2)}


def _settings(home: Path, scratch: Path, *, embedder: bool) -> Settings:
    """Default settings for a scratch store; with the models of the data directory, or without a model."""
    if not embedder:
        return read_settings(scratch, _LEXICAL)
    models = home / compose.MODELS
    if not models.is_dir():
        raise EmbedderError(f"There is no model in {home}. Run `dopejar models install`, or leave out --embedder.")
    (scratch / compose.MODELS).symlink_to(models, target_is_directory=True)
    return read_settings(scratch, {"DOPEJAR_EMBEDDER_KIND": "minilm"})


def _remember_all(
    memory: Memory, groups: Sequence[Group], progress: Callable[[str, int, int], None]
) -> tuple[dict[EpisodeId, str], list[float]]:
    """The group of each remembered episode, and the milliseconds of each `remember`."""
    episodes: dict[EpisodeId, str] = {}
    times = []
    for place, group in enumerate(groups, 1):
        for phrasing in group.phrasings:
            start = time.perf_counter()
            episodes[memory.remember(phrasing, said_by="user").episode_id] = group.name
            times.append((time.perf_counter() - start) * 1000)
        progress("groups", place, len(groups))
    return episodes, times


def _records_by_group(store: Store, episodes: Mapping[EpisodeId, str]) -> dict[str, dict[RecordId, Record]]:
    """The records that rest on each group's phrasings, without those merged away."""
    records: dict[str, dict[RecordId, Record]] = defaultdict(dict)
    with store.read() as view:
        for episode, name in episodes.items():
            for record in view.records(view.resting_on((episode,))).values():
                records[name][record.id] = record
    return records


def _figures(groups: Sequence[Group], records: Mapping[str, Mapping[RecordId, Record]]) -> dict[str, object]:
    active = {
        group.name: [record for record in records.get(group.name, {}).values() if record.status is Status.ACTIVE]
        for group in groups
    }
    single = [name for name, actives in active.items() if len(actives) == 1]
    alone = [name for name in single if len(records[name]) == 1]
    merged = [
        f"{a.name} + {b.name}"
        for a, b in combinations(groups, 2)
        if _are_merged(records.get(a.name, {}), records.get(b.name, {}))
    ]
    return {
        "groups": len(groups),
        "wordings": sum(len(group.phrasings) for group in groups),
        "one_active_record": len(single),
        "one_record": len(alone),
        "share": round(len(single) / max(len(groups), 1), 3),
        "mean_active_records": round(sum(map(len, active.values())) / max(len(groups), 1), 3),
        "merged_pairs": len(merged),
        "merged": [{"pair": pair} for pair in merged],
        "split": [{"group": name, "active": len(actives)} for name, actives in active.items() if len(actives) != 1],
    }


def _are_merged(left: Mapping[RecordId, Record], right: Mapping[RecordId, Record]) -> bool:
    """Whether two groups share a record, or a record of one is in a chain of the other."""
    if left.keys() & right.keys():
        return True
    links = {end for record in left.values() for end in (record.supersedes, record.superseded_by) if end}
    return bool(links & right.keys())


def main() -> None:
    """Parse the arguments, measure, print the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, help="JSON lines with group and wordings")
    parser.add_argument("--embedder", action="store_true", help="use the installed models")
    parser.add_argument("--home", type=Path, help="the data directory with the models; default: as `dopejar`")
    arguments = parser.parse_args()
    home = arguments.home or compose.data_directory(os.environ)
    figures = run(arguments.data, home, with_embedder=arguments.embedder)
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()

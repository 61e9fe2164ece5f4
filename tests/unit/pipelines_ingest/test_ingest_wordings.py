"""Ten wordings of each of fifty subjects: most become one record, and no two subjects meet."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from believed import AT, DAY, Believed, say

from dopejar.values.ids import RecordId
from dopejar.values.proposal import Add, Reinforce, Supersede

DATA = Path(__file__).parents[3] / "benchmarks" / "data"
GROUPS = tomllib.loads((DATA / "paraphrases.toml").read_text("utf-8"))["groups"]


def learned(*, near: bool) -> tuple[dict[str, set[RecordId]], list[str]]:
    """The records of each subject after all wordings were told in turn, and each meeting of two subjects."""
    known, owner, met = Believed(), dict[RecordId, str](), list[str]()
    records: dict[str, set[RecordId]] = {name: set() for name in GROUPS}
    for turn in range(10):
        for name, wordings in GROUPS.items():
            for wish in say(known, wordings[turn], at=AT + turn * DAY, near=near):
                targets = [target.record_id for target in wish.targets]
                met += [f"{name} and {owner[one]}: {wordings[turn]}" for one in targets if owner[one] != name]
                if isinstance(wish.payload, Reinforce):
                    records[name].update(targets)
                elif isinstance(wish.payload, Add | Supersede):
                    record = known.learn(wish)
                    owner[record.id] = name
                    records[name].add(record.id)
    return records, met


@pytest.mark.parametrize(("near", "single", "in_all"), [(False, 8, 180), (True, 14, 130)])
def test_wordings_of_one_subject_come_together(near: bool, single: int, in_all: int) -> None:
    """Floors: so many subjects are one record, the five hundred wordings so few; no two subjects ever meet."""
    records, met = learned(near=near)
    assert met == []
    assert sum(len(found) == 1 for found in records.values()) >= single
    assert sum(len(found) for found in records.values()) <= in_all

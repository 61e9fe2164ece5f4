"""Statements that hold side by side: whether each stays its own memory, and what is said later of it finds it.

Takes: a file of profiles (the format is in `training/data/reader/profiles.md`). Gives: how many statements of a profile
are kept, and how many are joined with another, retired, or held back for a false reason; what each later wording,
newer value and ending does. Never: prints a statement, or keeps its store.

A file of pairs in several languages (`relations_languages.jsonl`) instead gives a table with one row per language.

    python -m benchmarks.side_by_side benchmarks/data/profiles_1.txt --home DIR     # DIR: a data directory with a model
    python -m benchmarks.side_by_side benchmarks/data/relations_languages.jsonl --home DIR
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dopejar import compose
from dopejar.engine.memory import Memory
from dopejar.settings import read_settings
from dopejar.values.edge import EdgeKind
from dopejar.values.ids import RecordId
from dopejar.values.record import Status
from training.reader_data import Told, profiles

_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_DONE = {"same": "reinforced", "update": "superseded", "end": "superseded"}


def run(data: Path, home: Path | None) -> dict[str, object]:
    """Tell every profile to a store of its own; the user says it, and nobody approves.

    `kept`: statements that are, after all of their profile, one active memory of their own. `joined` with another,
    `retired` by another, `held`: waiting although they direct nothing. `guides_held`: those that direct the work, and
    wait. Then what is said later of each: `same`, `update` and `end` count as right where they change that memory's
    chain as they should, and `harmed` counts the other memories that they change.
    """
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for profile in profiles(data):
        with (
            tempfile.TemporaryDirectory(prefix="profiles-") as scratch,
            opened(Path(scratch), home) as memory,
        ):
            _tell(memory, profile, counts, kinds)
    return {**counts, "sorts_right": kinds["right"], "sorts": kinds.total()}


def by_language(data: Path, home: Path | None) -> dict[str, Counter[str]]:
    """Tell each pair to a store of its own, a day apart; the user says it, and nobody approves.

    `same` and `newer` count the pairs of facts that say the same or in which the later one ends or replaces the
    earlier one, `same_right` and `newer_right` those that did so; `newer_told` the others of the newer ones that recall
    tells with the earlier one. `wrongly_same` and `wrongly_retired` count what must never be, `wrongly_told` what is
    told with a memory that it neither ends nor replaces. `rules_waiting` and `facts_active`, beside `rules` and
    `facts`, tell what became of each earlier one.
    """
    found: dict[str, Counter[str]] = {}
    for line in data.read_text("utf-8").splitlines():
        pair = json.loads(line)
        counts, relation, is_rule = found.setdefault(pair["language"], Counter()), pair["relation"], pair["rules"]
        with (
            tempfile.TemporaryDirectory(prefix="pairs-") as scratch,
            opened(Path(scratch), home) as memory,
        ):
            first = _outcomes(memory, pair["earlier"], _START)
            then = _outcomes(memory, pair["later"], _START + timedelta(days=1))
            is_told = _is_in_doubt(memory)
        counts["pairs"] += 1
        counts["rules" if is_rule else "facts"] += 1
        counts["rules_waiting"] += is_rule and first == {"staged"}
        counts["facts_active"] += not is_rule and first == {"added"}
        counts["wrongly_same"] += relation != "same" and "reinforced" in then
        counts["wrongly_retired"] += relation in ("same", "addition", "apart") and "superseded" in then
        if not is_rule and relation in _DONE:
            kind = "same" if relation == "same" else "newer"
            counts[kind] += 1
            counts[f"{kind}_right"] += _DONE[relation] in then
            counts["newer_told"] += kind == "newer" and is_told and _DONE[relation] not in then
        counts["wrongly_told"] += relation in ("same", "addition", "apart") and is_told
    return found


def _outcomes(memory: Memory, text: str, at: datetime) -> set[str]:
    return {receipt.outcome for receipt in memory.remember(text, said_by="user", at=at).receipts}


def _is_in_doubt(memory: Memory) -> bool:
    with memory.store.read() as view:
        return bool(view.edges([record.id for record in memory.list()], (EdgeKind.MAY_END,)))


def opened(scratch: Path, home: Path | None) -> Memory:
    """A memory in a new directory, with the model of `home`, or without one."""
    if home is not None:
        (scratch / compose.MODELS).symlink_to((home / compose.MODELS).resolve(), target_is_directory=True)
    settings = read_settings(scratch, {"DOPEJAR_EMBEDDER_KIND": "minilm" if home else "none"})
    return compose.build(settings, compose.open_store(scratch / compose.STORE_NAME), environment={})


def _tell(memory: Memory, profile: Sequence[Told], counts: Counter[str], kinds: Counter[str]) -> None:
    at, records = _START, []
    for told in profile:
        at += timedelta(hours=7)
        found = memory.remember(told.sentence.text, said_by="user", at=at)
        receipts = [receipt for receipt in found.receipts if receipt.outcome != "refused"]
        first = receipts[0] if receipts else None
        records.append(first.records[-1].id if first is not None and first.outcome == "added" else None)
        counts["statements"] += 1
        if told.sentence.guides == "yes":
            counts["guides"] += 1
            counts["guides_held"] += bool(receipts) and all(receipt.outcome == "staged" for receipt in receipts)
            records[-1] = None
        elif first is None or first.outcome != "added":
            counts[
                {"reinforced": "joined", "superseded": "retired_another", "staged": "held"}.get(
                    first.outcome if first else "", "lost"
                )
            ] += 1
        if first is not None and first.outcome == "added":
            record = first.records[-1]
            kinds["right" if f"{record.layer}.{record.sublayer}" == told.sentence.coordinates else "wrong"] += 1
    for told, name in zip(profile, records, strict=True):
        if name is not None and told.sentence.guides != "yes":
            counts["kept"] += _is_active(memory, name)
    counts["could_be_kept"] += sum(told.sentence.guides != "yes" for told in profile)
    for told, name in zip(profile, records, strict=True):
        if name is None or not _is_active(memory, name):
            continue
        for relation, text in told.later:
            at += timedelta(hours=7)
            _tell_later(memory, (name, relation, text), at, [one for one in records if one and one != name], counts)


def _tell_later(
    memory: Memory, said: tuple[RecordId, str, str], at: datetime, others: Sequence[RecordId], counts: Counter[str]
) -> None:
    name, relation, text = said
    chain = {record.id for record in memory.history(name).versions}
    before = {other: memory.get(other).version for other in others}
    found = memory.remember(text, said_by="user", at=at)
    touched = {record.id for receipt in found.receipts for record in receipt.records}
    outcomes = {receipt.outcome for receipt in found.receipts}
    counts[relation] += 1
    counts[f"{relation}_right"] += _DONE[relation] in outcomes and bool(touched & chain)
    counts[f"{relation}_held"] += outcomes == {"staged"}
    counts["harmed"] += sum(memory.get(other).version != version for other, version in before.items())


def _is_active(memory: Memory, name: RecordId) -> bool:
    return memory.get(name).status is Status.ACTIVE


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--home", type=Path, help="a data directory with an installed model; words alone without it")
    chosen = parser.parse_args()
    if chosen.data.suffix == ".jsonl":
        print(
            "\n".join(
                json.dumps({"language": name} | row) for name, row in by_language(chosen.data, chosen.home).items()
            )
        )
    else:
        print(json.dumps(run(chosen.data, chosen.home), indent=1))


if __name__ == "__main__":
    main()

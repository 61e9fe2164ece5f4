"""Long chains in everyday wordings: whether nine renames stay one subject, and one of six revisions stays current.

Takes: the wordings of `benchmarks/data/chains_frozen.jsonl`. Gives: one JSON object. Never: reads what a reader was
fitted with.

    python -m benchmarks.plain_chains [--home DIR] [--told] [--conversations N] [--failures]

Each conversation has fifty turns: nine renames, six revisions of one policy, and distractors that suppose, ask, deny or
compare. With `--home`, readers over the model there; without, by rules. `every_link`: one dossier has every name and
nothing else. `one_current`: of the revisions the last alone is believed, and recall tells it first.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

from benchmarks.dossier_chains import opened, tell
from dopejar import Memory
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Status
from dopejar.values.scope import ReadScope

WORDINGS = Path(__file__).with_name("data") / "chains_frozen.jsonl"
TURNS, RENAMES, REVISIONS = 50, 9, 6


@cache
def parts(part: str) -> tuple[dict[str, object], ...]:
    """The rows of one part of the wordings."""
    rows = [json.loads(line) for line in WORDINGS.read_text("utf-8").splitlines()]
    return tuple(row for row in rows if row["part"] == part)


class PlainChain:
    """A conversation, the names of its subject, and the turns that revise its policy."""

    def __init__(self, seed: int) -> None:
        dice = random.Random(seed)
        pool = list(dice.choice(parts("names"))["names"])
        drawn = dice.sample(pool, RENAMES + 1 + 6)
        self.names, self.others = drawn[: RENAMES + 1], drawn[RENAMES + 1 :]
        subject = dice.choice(parts("subject"))
        self.policy = str(subject["policy"])
        values = dice.sample(list(subject["values"]), REVISIONS + 2)
        self.values, wrong = values[:REVISIONS], values[REVISIONS:]
        renames = iter(dice.sample(parts("rename"), RENAMES))
        revisions = dice.sample(parts("policy"), REVISIONS)
        first = next(row for row in revisions if "{before}" not in row["text"])
        revisions.remove(first)
        revised = iter([first, *revisions])
        distractors = dice.sample(parts("distractor"), len(parts("distractor")))
        events = ["rename"] * (RENAMES - 1) + ["revise"] * REVISIONS + ["other"] * (TURNS - RENAMES - REVISIONS)
        dice.shuffle(events)
        self.turns: list[str] = []
        self.renamed, self.revised = list[str](), list[str]()
        for event in ["rename", *events]:
            told = {"policy": self.policy, "wrong": dice.choice(wrong), "other": dice.choice(self.others)}
            if event == "rename":
                old, new = self.names[len(self.renamed) : len(self.renamed) + 2]
                text = str(next(renames)["text"]).format(old=old, new=new)
                self.renamed.append(text)
            elif event == "revise":
                place = len(self.revised)
                before = self.values[max(0, place - 1)]
                text = str(next(revised)["text"]).format(before=before, value=self.values[place], **told)
                self.revised.append(text)
            else:
                row = distractors[len(self.turns) % len(distractors)]
                text = str(row["text"]).format(current=self.names[len(self.renamed)], **told)
            self.turns.append(text[:1].upper() + text[1:] if text[:1].islower() and " " in text else text)


def outcome(memory: Memory, chain: PlainChain) -> dict[str, object]:
    """What memory makes of a chain."""
    known = memory.dossiers.list(1000)
    of_names = [set(map(str.casefold, one.names)) for one in known]
    names, others = [name.casefold() for name in chain.names], set(map(str.casefold, chain.others))
    joined = [any({old, new} <= found for found in of_names) for old, new in pairwise(names)]
    strangers = [sorted(found & others) for found in of_names if found & others and found & set(names)]
    current = believed(memory, {text.casefold() for text in chain.revised})
    pack = memory.recall(f"What is the {chain.policy} now?")
    first = next((item.text for item in pack.items), "")
    last = chain.values[-1]
    return {
        "links": sum(joined),
        "missed": [text for text, one in zip(chain.renamed, joined, strict=True) if not one],
        "strangers": strangers,
        "current": current,
        "one_current": len(current) == 1 and last in current[0],
        "last": last,
        "first_told": last in first,
        "told": first,
    }


def believed(memory: Memory, turns: set[str]) -> list[str]:
    """The active records that rest on one of these turns."""
    with memory.store.read() as view:
        records = view.list_records(RecordFilter.readable(ReadScope(all_projects=True), (Status.ACTIVE,)), 1000)
        evidence = view.evidence_of([record.id for record in records])
        said = view.episodes(tuple({row.episode_id for rows in evidence.values() for row in rows}))
    return [
        record.text
        for record in records
        if any(said[row.episode_id].text.casefold() in turns for row in evidence.get(record.id, ()))
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="has the models")
    parser.add_argument("--told", action="store_true")
    parser.add_argument("--conversations", type=int, default=40)
    parser.add_argument("--failures", action="store_true")
    chosen = parser.parse_args()
    figures: Counter[str] = Counter()
    failures = []
    for seed in range(chosen.conversations):
        chain = PlainChain(seed)
        with opened(chosen.home) as memory:
            tell(memory, chain.turns, told=chosen.told)
            found = outcome(memory, chain)
        has_links = found["links"] == RENAMES and not found["strangers"]
        figures.update(
            every_link=has_links,
            one_current=bool(found["one_current"]),
            both=has_links and bool(found["one_current"]),
            told_first=bool(found["first_told"]),
            links=int(str(found["links"])),
        )
        if not (has_links and found["one_current"]):
            failures.append({"seed": seed, **found})
    told = {"conversations": chosen.conversations, **figures}
    print(json.dumps({**told, "failures": failures} if chosen.failures else told, indent=1))


if __name__ == "__main__":
    main()

"""Tokens of assembled context: what saying tags once and dossiers by line saves, and whether a budget is ever exceeded.

Takes: the conversations of `benchmarks/data/one_topic.txt`. Gives: one JSON object. Never: opens a store.

    python -m benchmarks.context_tokens [--cases N] [--seed N]

Twenty turns of four blocks (five each, with three tags of the block and two rules for some of its turns) and a dossier
are packed by the assembler of recall; `short` takes turns of at most sixty characters, `mixed` the first ones, answers
of an assistant among them. `repeated` writes the same lines with every tag that holds for them in front, and
the whole dossier as prose, as a subject with nine renames and six revisions of its policy has it: a summary, and a
sentence for each statement with its date. A case packs random turns and
records, with random tags, labels and titles, under a random budget, and counts the tokens of the text anew.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Final

from dopejar.pipelines.recall.block_context import BlockContext, bracketed
from dopejar.pipelines.recall.context_pack import pack_items
from dopejar.pipelines.recall.dossier_section import DossierSection, with_dossier
from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.testing.builders import NOON, a_record, an_episode
from dopejar.text.tokens import count_tokens
from dopejar.values.episode import Episode
from dopejar.values.ids import RecordId
from dopejar.values.recall import Source
from dopejar.values.record import Kind, Record

TOPICS: Final = Path(__file__).with_name("data") / "one_topic.txt"
BLOCKS, LINES = 4, 5
TAGS: Final = (
    ("env: python-3.9", "os: windows", "env: the broker listens on port 5673"),
    ("os: debian-12", "env: node.js-20", "env: staging runs behind a VPN"),
    ("env: gradle-8.5", "env: jdk-21", "env: the build machine has no network"),
    ("os: macos", "env: ruby-3.3", "env: images are kept in the archive bucket"),
)
LABELS: Final = ("no-eval", "archive server=vault", "Reviews need two approvals before a merge", "desk=Box B")
NAMES: Final = (
    "Almandine",
    "Basalt",
    "Calcite",
    "Dolomite",
    "Elbaite",
    "Fluorite",
    "Galena",
    "Halite",
    "Jasper",
    "Kyanite",
)
CURRENT: Final = (
    "Policy revision 6 of Kyanite allows 250 uploads per day",
    "Kyanite runs on port 8443",
    "Kyanite is written in Rust",
    "Kyanite depends on Redis",
    "Kyanite stores its images in the archive bucket",
)
QUESTION: Final = ("almandine", "upload", "port")
ODD: Final = (
    '"',
    "\\",
    "[x]",
    "naïve",
    "港口",
    "\n",
    "no-eval",
    "17",
    "{json}",
    "### Context Block: b_",
    "\u200b",
    "lamp",
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    dice = random.Random(chosen.seed)
    over = sum(is_over(dice) for _ in range(chosen.cases))
    figures: dict[str, object] = {}
    for name, longest in (("short", 60), ("mixed", 10_000)):
        for facts in (True, False):
            ours, repeated = twenty_turns(longest, with_facts=facts)
            told = {"tokens": ours, "repeated": repeated, "fewer": round(1 - ours / repeated, 3)}
            figures[f"{name}{'_with_dossier' if facts else ''}"] = told
    print(json.dumps({**figures, "cases": chosen.cases, "over_budget": over}, indent=1))


def twenty_turns(longest: int, *, with_facts: bool) -> tuple[int, int]:
    """Tokens of the pack, and of the same with tags repeated and the dossier in prose."""
    contexts, turns = dict[str, BlockContext](), list[Episode]()
    for block, topic in enumerate(TOPICS.read_text("utf-8").split("\n# ")[:BLOCKS]):
        said = [line.partition(": ")[2] for line in topic.splitlines()[1:] if ": " in line[:12]]
        said = [text for text in said if len(text) <= longest]
        for place in range(LINES):
            turn = an_episode(said[place], index=place, conversation=f"talk {block}")
            labels = LABELS[block % 2 :: 2] if place > 1 else ()
            contexts[turn.id] = BlockContext(block=f"b_{block}h0q2r7s5wepm4", tags=TAGS[block], labels=labels)
            turns.append(turn)
    items = [RankedItem(source=Source.EPISODE, score=1.0, episode=turn) for turn in turns]
    titles: dict[RecordId, str] = {}
    facts = [a_record(f"m_fact{place}", text) for place, text in enumerate(CURRENT)]
    if with_facts:
        section = DossierSection(title=NAMES[-1], names=NAMES, current=tuple(facts))
        items, found = with_dossier(items, section, QUESTION, 4096)
        titles = dict(found)
    pack = pack_items(items, {}, QUESTION, 4096, lambda turn: contexts[turn.id], titles)
    if sum(item.source is Source.EPISODE for item in pack.items) != BLOCKS * LINES:
        raise AssertionError("the pack does not show all turns")
    plain = pack_items([item for item in items if item.episode], {}, QUESTION, 4096)
    by_text = {turn.text: contexts[turn.id] for turn in turns}
    lines = [
        " ".join([*map(bracketed, (*by_text[item.text].tags, *by_text[item.text].labels)), line])
        for item, line in zip(plain.items, plain.text.splitlines()[1:], strict=True)
    ]
    return pack.tokens, count_tokens("\n".join([*(prose(facts) if with_facts else ()), *lines]))


def prose(facts: Sequence[Record]) -> list[str]:
    """The dossier as prose."""
    renamed = [f"{old} was renamed to {new}" for old, new in pairwise(NAMES)]
    revised = [
        f"Policy revision {number} of {NAMES[number]} allows {number * 40} uploads per day" for number in range(1, 6)
    ]
    told = [
        f"On {NOON:%Y-%m-%d} the user said that {text}."
        for text in (*renamed, *revised, *(fact.text for fact in facts))
    ]
    summary = f"In summary, {', '.join(fact.text for fact in facts[:3])}."
    return [f"Dossier: {NAMES[-1]}", summary, *told]


def is_over(dice: random.Random) -> bool:
    """Whether a random pack is larger than its budget, or than it says."""
    items, titles = list[RankedItem](), dict[RecordId, str]()
    for place in range(dice.randrange(12)):
        text = " ".join(dice.choices((*ODD, "harbour", "The kiln logs at night."), k=dice.choice((3, 20, 200))))
        if dice.random() < 0.5:
            turn = an_episode(text, index=place, at=NOON + timedelta(days=place))
            items.append(RankedItem(source=Source.EPISODE, score=1.0, episode=turn))
        else:
            record = a_record(f"m_{place}", text, kind=dice.choice(list(Kind)))
            items.append(RankedItem(source=Source.RECORD, score=1.0, record=record))
            if dice.random() < 0.5:
                titles[record.id] = f"About {' '.join(dice.choices(ODD, k=3)).replace(chr(10), ' ')}:"
    contexts = [
        BlockContext(
            block=f"b_{block}",
            tags=tuple(dice.choices(ODD, k=dice.randrange(4))),
            labels=tuple(dice.choices(ODD, k=dice.randrange(3))),
        )
        for block in range(3)
    ]
    budget = dice.choice((0, 10, 40, 100, 300, 600, 2000))
    pack = pack_items(items, {}, ("harbour",), budget, lambda turn: contexts[turn.index % 3], titles)
    return not count_tokens(pack.text) == pack.tokens <= budget


if __name__ == "__main__":
    main()

"""The three heuristics on given facts: whether each becomes a tag, a rule, a definition, or a fact of a dossier.

Takes: files of the facts format, whose lines have `facts` with `class` and `text`. Gives: one JSON object: F1 of each
class. Never: tells the gardener the class of a fact.

    python -m benchmarks.fact_classes FILE... [--home DIR] [--failures]

Without `--home`, a data directory with an installed model, the rules of ingest decide alone. Preferences and plain
facts are one class: those that no heuristic takes. A fact marked `optional` counts only where its class was found.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path

from dopejar import open_memory
from dopejar.pipelines.garden.block_tags import BlockTags, RuleKind, tag_block

CLASSES = ("environment", "constraint", "definition", "dossier")
OF_GOLD = {"environment": "environment", "constraint": "constraint", "definition-alias": "definition"}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--failures", action="store_true")
    chosen = parser.parse_args()
    lines = [line for path in chosen.files for line in path.read_text("utf-8").splitlines() if line.strip()]
    facts = [fact for line in lines for fact in json.loads(line)["facts"]]
    right, found, wanted = Counter[str](), Counter[str](), Counter[str]()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        if chosen.home is not None:
            (Path(folder) / "models").symlink_to(chosen.home.expanduser() / "models")
        settings = {} if chosen.home is not None else {"DOPEJAR_EMBEDDER_KIND": "none"}
        with open_memory(Path(folder), environment=settings) as memory:
            for fact in facts:
                got = class_of(tag_block(memory.garden.given_facts([fact["text"]], [0]), [fact["text"]]))
                gold = OF_GOLD.get(fact["class"], "dossier")
                if got != gold:
                    failures.append(f"{gold} -> {got}: {fact['text']}")
                if got == gold or not fact.get("optional"):
                    right[gold] += got == gold
                    found[got] += 1
                    wanted[gold] += 1
    f1 = {name: round(2 * right[name] / max(1, found[name] + wanted[name]), 3) for name in CLASSES}
    counts = {name: wanted[name] for name in CLASSES}
    print(json.dumps({"f1": f1, "facts": counts, **({"failures": failures} if chosen.failures else {})}, indent=1))


def class_of(tags: BlockTags) -> str:
    """What became of a single fact."""
    if tags.global_tags:
        return "environment"
    if tags.section_rules:
        return "constraint" if tags.section_rules[0].kind is RuleKind.CONSTRAINT else "definition"
    return "dossier"


if __name__ == "__main__":
    main()

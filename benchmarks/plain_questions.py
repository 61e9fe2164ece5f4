"""Plain questions about what was told: whether recall answers them, and what else it says.

Takes: a file of persons with what they told and asked later, and with chats, where they had any. Gives: one JSON
object. Never: shows a question or an answer.

    python -m benchmarks.plain_questions benchmarks/data/asked_1.jsonl [--home DIR [--baseline]] [--budget N]

With `--home`, over the model there (`--embedder`); without, by words. Each person's statements are remembered, and the
chats learned, in a store of their own; an answer is the number of a statement, or of a chat and its turn ("2:5").
`first` and `in_pack` count the questions whose answer is the first line, or any, `whole` those of which every answer is
a line, and `in_order` those of these, of the `ordered`, whose answers stand in order of time; `beside` is the mean
number of other lines; `unanswered_with_lines` counts the questions that nothing told answers, and whose pack is not
empty. With `--baseline`, the model alone answers: the nearest of the same texts, as many as the budget holds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from dopejar import Memory, open_memory
from dopejar.compose import make_embedder
from dopejar.engine.lookup import conversations_named
from dopejar.ports.embedder import Embedder
from dopejar.settings import read_settings
from dopejar.text.tokens import count_tokens
from dopejar.values.ids import EpisodeId
from dopejar.values.recall import Query

Person = dict[str, list[Any]]
Search = Callable[[str], Iterable[set[str]]]
"""The lines that answer a question, each as the names of what it says."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--embedder", default="minilm", help="the model of --home that searches: minilm or mpnet")
    parser.add_argument("--baseline", action="store_true", help="the model alone, by one exact scan")
    parser.add_argument("--budget", type=int, default=Query(text="").budget, help="tokens of an answer")
    chosen = parser.parse_args()
    model = None
    if chosen.baseline:
        home = chosen.home or parser.error("--baseline needs the --home of a model")
        model = make_embedder(read_settings(home.expanduser(), {"DOPEJAR_EMBEDDER_KIND": chosen.embedder}))
    counts = Counter[str]()
    for line in chosen.file.read_text("utf-8").splitlines():
        person: Person = json.loads(line)
        if model is not None:
            counts += counts_of(person, nearest(person, model, chosen.budget))
        else:
            counts += _counts_of_memory(person, chosen.home, chosen.embedder, chosen.budget)
    beside = counts.pop("beside") / max(1, counts["asked"])
    print(json.dumps({**counts, "beside": round(beside, 2)}))


def _counts_of_memory(person: Person, home: Path | None, embedder: str, budget: int) -> Counter[str]:
    with tempfile.TemporaryDirectory() as folder:
        if home is not None:
            (Path(folder) / "models").symlink_to(home.expanduser() / "models")
        settings = {"DOPEJAR_EMBEDDER_KIND": "none" if home is None else embedder}
        with open_memory(Path(folder), environment=settings, said_by="user") as memory:
            names = {episode: name for name, episode in _told(memory, person).items()}

            def search(question: str) -> Iterator[set[str]]:
                for item in memory.recall(question, budget=budget).items:
                    yield {names.get(one.episode_id, "") for one in item.citations}

            return counts_of(person, search)


def nearest(person: Person, model: Embedder, budget: int) -> Search:
    """The texts by exact cosine, the nearest first, as lines within the budget."""
    said = [(str(place), one[1] if isinstance(one, list) else one) for place, one in enumerate(person["told"])]
    for place, (_, turns) in enumerate(person.get("chats", ())):
        said += [(f"{place}:{index}", text) for index, (_, text) in enumerate(turns)]
    matrix = model.embed([text for _, text in said])

    def search(question: str) -> Iterator[set[str]]:
        left = budget
        for place in (-(matrix @ model.embed([question])[0])).argsort():
            name, text = said[place]
            left -= count_tokens(f"- {text}\n")
            if left < 0:
                return
            yield {name}

    return search


def _told(memory: Memory, person: Person) -> dict[str, EpisodeId]:
    """What was told and said, in the order of its days, by the names of the answers."""
    acts = [
        (one[0], str(place), one[1]) if isinstance(one, list) else ("", str(place), one)
        for place, one in enumerate(person["told"])
    ]
    acts += [(day, str(place), turns) for place, (day, turns) in enumerate(person.get("chats", ()))]
    found = dict[str, EpisodeId]()
    for day, place, said in sorted(acts, key=lambda act: act[0]):
        at = datetime.fromisoformat(f"{day}T12:00:00+00:00") if day else None
        if isinstance(said, str):
            found[place] = memory.remember(said, at=at).episode_id
            continue
        name = f"chat {place}"
        memory.add([{"role": speaker, "content": text, "at": at} for speaker, text in said], conversation=name)
        with memory.store.read() as view:
            turns = view.turns(conversations_named(view, name)[0])
        found |= {f"{place}:{turn.index}": turn.id for turn in turns}
    return found


def counts_of(person: Person, search: Search) -> Counter[str]:
    """What was found of what was asked, by the names of the counts."""
    counts = Counter[str]()
    for asked in person["asked"]:
        right = set(map(str, asked["answers"]))
        lines = [*search(asked["question"])]
        found = [not right.isdisjoint(names) for names in lines]
        counts += Counter(asked=1, first=int(found[:1] == [True]), in_pack=int(any(found)), empty=int(not found))
        is_whole = right <= set[str]().union(*lines)
        counts["whole"] += is_whole
        if asked.get("in_order"):
            places = [place for names in lines for place in sorted(right & names)]
            counts += Counter(ordered=1, in_order=int(is_whole and places == _in_time(places, person)))
        counts["beside"] += found.count(False)
    for question in person["unanswered"]:
        counts += Counter(unanswered=1, unanswered_with_lines=int(bool([*search(question)])))
    return counts


def _in_time(places: list[str], person: Person) -> list[str]:
    """The statements by the day on which they were told."""
    return sorted(places, key=lambda place: str(person["told"][int(place)][0]))


if __name__ == "__main__":
    main()

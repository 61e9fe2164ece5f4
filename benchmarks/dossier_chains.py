"""Long chains of names: whether a dossier keeps every name of its subject, and one revision of its policy as current.

Takes: nothing; conversations are made from templates. Gives: one JSON object. Never: a store that outlives the run.

    python -m benchmarks.dossier_chains [--home DIR] [--conversations N] [--told] [--wordings NAME] [--failures]

A conversation has fifty turns of the user: a service is renamed nine times, its policy is revised six times, and the
other turns are about two more services with names and policies of their own, drafts, what used to be, and small talk.
With `--told` each statement is given to `remember`; else the conversation is learned. A reviewer approves what waits.
A conversation counts where the dossier that the first name finds has all ten names and no other service's, and of what
it says of the policy the last revision alone is current. The wordings `others` were written when the first program was
done; the one that reads them now has seen them. `fresh` were written for this one when it was done, and run
once, `unseen` for the one after that; both have been seen since. `recalled_first` counts the packs in which the
revision that holds stands before any other statement about a policy, asked by the first name.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from dopejar import Memory, open_memory
from dopejar.errors import StaleProposalError
from dopejar.pipelines.garden.policy_revisions import Standing

BEGAN = datetime(2024, 1, 8, 9, tzinfo=UTC)
NAMES = """
Almandine Basalt Calcite Dolomite Elbaite Fluorite Galena Halite Indigolite Jasper Kyanite Larimar Malachite Nephrite
Obsidian Peridot Quartzite Rhodonite Sodalite Topaz Uvarovite Vesuvian Wulfenite Xenotime Zircon Andesite Beryl Cinnabar
Diorite Epidote
"""
RENAMED = (
    "{old} was renamed to {new}.",
    "We renamed {old} to {new}.",
    "{old} is now called {new}.",
    "As of this sprint, {old} has been renamed {new}.",
    "{old} was rebranded as {new}.",
    "The platform team changed the name of {old} to {new}.",
    "The new name of {old} is {new}.",
    "{new}, formerly {old}, moved to the second data centre.",
    "The service previously known as {old} is now {new}.",
    "{old} goes by {new} now.",
)
REVISED = (
    "Revision {number} of the {name} {topic} policy allows {amount} {topic}s per day.",
    "Policy revision {number} of {name} sets the {topic} limit to {amount} per day.",
    "{name} is on {topic} policy version {number} since Tuesday: {amount} {topic}s per day.",
    "The {topic} policy of {name} is now at revision {number}, which permits {amount} {topic}s per day.",
    "Policy v{number} caps the {topic} volume of {name} at {amount} per day.",
    "Starting today, the {name} {topic} limit is {amount} per day; this replaces version {before}.",
)
OTHER_RENAMED = (
    "From today {old} carries the name {new}.",
    "{old} became {new} after the merger.",
    "{new} is the new name for {old}.",
    "{new} used to be called {old}.",
    "Please note that {old} has been retitled {new}.",
    "What was {old} is now known as {new}.",
    "{old} will be called {new} from now on.",
    "Marketing renamed {old} into {new} yesterday.",
    "{new} (previously {old}) got a second maintainer.",
    "{old} is known as {new} these days.",
)
OTHER_REVISED = (
    "Version {number} of the {topic} policy for {name} is in force: {amount} {topic}s a day.",
    "The {topic} quota of {name} went up to {amount} with revision {number}.",
    "{name} follows {topic} policy no. {number}, with at most {amount} {topic}s a day.",
    "Since revision {number}, {name} accepts {amount} {topic}s a day under its {topic} policy.",
    "Our {topic} policy for {name} was revised again; revision {number} says {amount} a day.",
    "The {topic} policy of {name} is at version {number} instead of version {before}: {amount} {topic}s a day.",
)
FRESH_RENAMED = (
    "Quick update: {old} is going to be known as {new} from now on.",
    "We've settled on {new} as the new name for {old}.",
    "People still say {old}, but it's called {new} now.",
    "{new} (the service once called {old}) passed the audit.",
    "The rebrand is done: {old} is now {new}.",
    "{old} has been rebadged as {new}.",
    "After the reorg {old} carries a new name: {new}.",
    "{new} is simply the new name of {old}.",
    "Since Friday {old} answers to {new}.",
    "We swapped the name {old} for {new}.",
    "For the record, {new} was {old} until yesterday.",
    "{old} will henceforth appear as {new} on the status page.",
)
FRESH_REVISED = (
    "Revision {number} took effect: {name} may do {amount} {topic}s per day.",
    "{name} got revision {number} of the {topic} policy today, {amount} per day.",
    "With {topic} policy version {number}, {name} is capped at {amount} a day.",
    "The {topic} allowance of {name} is {amount} per day under policy revision {number}.",
    "Policy revision {number} is out; {name} now takes {amount} {topic}s a day.",
    "{name}'s {topic} policy reached version {number}, so {amount} {topic}s per day are fine.",
)
UNSEEN_RENAMED = (
    "Heads up: {old} has become {new}.",
    "We decided to call {old} {new} instead.",
    "The service {old} was given the name {new}.",
    "{new} replaces {old} as the product name.",
    "{old}, now {new}, gets its own dashboard.",
    "Everything that said {old} says {new} from today on.",
    "It's official: {old} is {new} now.",
    "{old} switched its name to {new}.",
    "Formerly {old}, {new} is maintained by the platform team.",
    "{new} is what {old} is called since the merger.",
    "The old name {old} is gone, use {new}.",
    "Since the relaunch {old} has been running under the name {new}.",
)
UNSEEN_REVISED = (
    "{name} moved to {topic} policy revision {number} this morning and may now handle {amount} {topic}s a day.",
    "The current {topic} policy of {name} is revision {number} ({amount} per day).",
    "As of revision {number}, the {topic} cap for {name} stands at {amount} a day.",
    "Legal signed off revision {number} of the {name} {topic} policy: {amount} {topic}s daily.",
    "Revision {number} of the {topic} rules raised {name} to {amount} {topic}s per day.",
    "We rolled out version {number} of the {topic} policy for {name}, the limit is {amount} per day.",
)
OLD = "Under revision {number} the {topic} limit of {name} was {amount} per day."
DRAFT = "A draft of revision {number} would lower the {topic} limit of {name} to {amount} per day."
FACTS = (
    "{name} runs on port {amount}.",
    "{name} is written in Rust.",
    "The on-call phone of {name} rings in the Lisbon office.",
    "{name} depends on Redis.",
    "{name} stores its images in the archive bucket.",
)
TALK = (
    "Thanks, that helps a lot.",
    "Can you check the logs again?",
    "I had lunch by the river with my sister.",
    "I prefer short answers.",
    "What time is the release meeting?",
    "My flight to Porto leaves on Friday.",
    "Sounds good, let us do that.",
)
WORDINGS = {
    "own": (RENAMED, REVISED),
    "others": (OTHER_RENAMED, OTHER_REVISED),
    "fresh": (FRESH_RENAMED, FRESH_REVISED),
    "unseen": (UNSEEN_RENAMED, UNSEEN_REVISED),
}
TOPICS = ("upload", "refund", "transfer", "export", "login")


class Chain:
    """A conversation: its turns, the names of its subject, and the words of the revision that holds."""

    def __init__(self, seed: int, wordings: str = "own") -> None:
        dice = random.Random(seed)
        self._renamed, self._revised = WORDINGS[wordings]
        drawn = dice.sample(NAMES.split(), 16)
        self.names, self.others = drawn[:10], drawn[10:]
        topic = dice.choice(TOPICS)
        renamings = dice.sample(self._renamed, 9)
        revisions = [*dice.sample(self._revised[:5], 5), dice.choice(self._revised)]
        events = ["rename"] * 8 + ["revise"] * 6 + ["other"] * 35
        dice.shuffle(events)
        self.turns: list[str] = []
        self.last, self.topic = "", topic
        renames = revised = 0
        amount = 0
        distractors = self._distractors(dice, topic)
        for event in ["rename", *events]:
            name = self.names[renames]
            if event == "rename":
                text = renamings[renames].format(old=name, new=self.names[renames + 1])
                renames += 1
            elif event == "revise":
                amount = dice.randrange(100, 9000, 10)
                name = self.names[dice.randrange(renames + 1)]
                number = revised + 1
                text = revisions[revised].format(
                    number=number, before=number - 1, name=name, topic=topic, amount=f"{amount:,}"
                )
                revised += 1
                self.last = f"{amount:,}"
            elif revised > 1 and dice.random() < 0.15:
                template, number = dice.choice([(OLD, revised - 1), (DRAFT, revised + 1)])
                text = template.format(number=number, topic=topic, name=name, amount=dice.randrange(10, 90))
            else:
                text = next(distractors).format(name=name)
            self.turns.append(text)

    def _distractors(self, dice: random.Random, topic: str) -> Iterator[str]:
        """Turns about other services, facts of this one, and small talk."""
        other, place = dice.choice(self.others[:2]), 0
        while True:
            kind = dice.randrange(5)
            if kind == 0 and place < 3:
                yield dice.choice(self._renamed).format(old=self.others[place], new=self.others[place + 2])
                place += 2
            elif kind == 1:
                amount = dice.randrange(10, 90)
                yield dice.choice(self._revised[:5]).format(
                    number=dice.randrange(7, 30), before=0, name=other, topic=topic, amount=amount
                )
            elif kind == 2:
                yield dice.choice(FACTS).format(name="{name}", amount=dice.randrange(3000, 9000))
            else:
                yield dice.choice(TALK)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=40)
    parser.add_argument("--home", type=Path, help="has the models")
    parser.add_argument("--told", action="store_true")
    parser.add_argument("--wordings", choices=WORDINGS, default="own")
    parser.add_argument("--failures", action="store_true")
    chosen = parser.parse_args()
    links = held = whole = pairs = recalled = 0
    failures = []
    for seed in range(chosen.conversations):
        chain = Chain(seed, chosen.wordings)
        joined, current, answer = outcome(chain, told=chosen.told, models=chosen.home)
        recalled += chain.last in answer
        pairs += max(joined, 0)
        has_links = joined == len(chain.names) - 1
        is_current = len(current) == 1 and chain.last in current[0]
        links, held, whole = links + has_links, held + is_current, whole + (has_links and is_current)
        if not (has_links and is_current):
            failures.append({"seed": seed, "links": has_links, "last": chain.last, "current": current})
    figures: dict[str, float] = {
        "conversations": chosen.conversations,
        "every_link": links,
        "one_current": held,
        "both": whole,
    }
    figures |= {"links": round(pairs / chosen.conversations / 9, 3), "recalled_first": recalled}
    print(json.dumps({**figures, "failures": failures} if chosen.failures else figures, indent=1))


def outcome(chain: Chain, *, told: bool, models: Path | None = None) -> tuple[int, list[str], str]:
    """How many links a dossier keeps, -1 where it has a name of another service; what is current of the policy.

    The third is what recall tells first of the policy, asked by the first name.
    """
    with opened(models) as memory:
        tell(memory, chain.turns, told=told)
        known = [set(one.names) for one in memory.dossiers.list(1000)]
        joined = sum(any({*pair} <= names for names in known) for pair in pairwise(chain.names))
        found = next((one for one in memory.dossiers.list(1000) if chain.names[0] in one.names), None)
        if found is None or set(chain.others) & set(found.names):
            return -1, [], ""
        said = [fact for fact in found.facts if is_of_policy(fact.text)]
        pack = memory.recall(f"What does the {chain.topic} policy of {chain.names[0]} allow per day?")
        answer = next((item.text for item in pack.items if is_of_policy(item.text)), "")
        return joined, [fact.text for fact in said if fact.standing is Standing.CURRENT], answer


@contextmanager
def opened(models: Path | None) -> Iterator[Memory]:
    """A new memory, with the models of that data directory or without any."""
    with tempfile.TemporaryDirectory() as made:
        home = Path(made) / "home"
        home.mkdir()
        if models:
            (home / "models").symlink_to(models / "models")
        settings = {} if models else {"DOPEJAR_EMBEDDER_KIND": "none"}
        with open_memory(home, environment=settings, said_by="user") as memory:
            yield memory


def is_of_policy(text: str) -> bool:
    """Whether a text says something of a policy."""
    return any(word in text.lower() for word in ("limit", "policy", "quota", "revision"))


def tell(memory: Memory, turns: list[str], *, told: bool) -> None:
    """Give the turns to the memory, an hour after another; a reviewer approves all that waits."""
    passphrase = "six green kettles " + "whistle"
    memory.reviewers.add("ana", passphrase)
    times = [BEGAN + timedelta(hours=place) for place in range(len(turns))]
    if not told:
        memory.add([{"role": "user", "content": text, "at": at} for text, at in zip(turns, times, strict=True)])
        approve_all(memory, passphrase)
        return
    for text, at in zip(turns, times, strict=True):
        memory.remember(text, at=at)
        approve_all(memory, passphrase)


def approve_all(memory: Memory, passphrase: str) -> None:
    """Approve what waits, one after the other: each may change what the next one is compared with."""
    by = memory.reviewers.unlock(passphrase, name="ana")
    looked_at_again: set[str] = set()
    while waiting := memory.review.queue(limit=1):
        name = waiting[0].proposal.id
        try:
            memory.review.approve([name], by, seen=memory.review.versions())
        except StaleProposalError:  # it has been updated; the second look decides
            if name in looked_at_again:
                raise
            looked_at_again.add(name)


if __name__ == "__main__":
    main()

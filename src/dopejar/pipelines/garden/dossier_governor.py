"""Dossiers: what is known about each subject, under all the names that it has had.

Takes: facts as they were read, with the names in them. Gives: dossiers with summary, history, and the standing of each
fact. Never: reads a fact anew, stores anything, or words a sentence.

The same facts give the same dossiers in whatever order they come: they are placed by the time of their statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.garden.policy_revisions import Standing, stand
from dopejar.pipelines.garden.topic_shift import read_terms
from dopejar.pipelines.graph.entity_lexicon import entity_lexicon
from dopejar.text.normalisation import fold
from dopejar.text.policies import read_policy
from dopejar.values.ids import DossierId, EpisodeId, RecordId

if TYPE_CHECKING:
    from dopejar.pipelines.garden.blocks import Vector

USER: Final = "user"
"""The name of the dossier about the user."""

_NEAR_COSINE: Final = 0.6  # of a fact without a name to one of a dossier
_NEAR_WORDS: Final = 0.5  # the share of its terms, where there are no vectors
_LEAST_SHARED: Final = 2  # terms
_SUMMARY_FACTS: Final = 3
_KEYWORDS: Final = 8
_LINKS_FOLLOWED: Final = 100


class PlacementReason(StrEnum):
    """Why a fact is in its dossier, from the strongest reason to the weakest."""

    DECIDED = "decided"  # a person put it there
    IDENTITY = "identity"  # it says that two names mean one thing
    TRANSITIVE = "transitive"  # it has one of the names
    SEMANTIC = "semantic"  # it is near to facts that are there
    NEW = "new"


class EventKind(StrEnum):
    """What happened to a dossier."""

    CREATED = "created"
    FACT_ADDED = "fact_added"
    FACT_SUPERSEDED = "fact_superseded"
    FACT_REMOVED = "fact_removed"
    SUMMARY_UPDATED = "summary_updated"


@dataclass(frozen=True, kw_only=True, slots=True)
class DossierFact:
    """A fact with its provenance.

    `names` are the subjects in it, the likeliest first; `same` pairs an older name with the one in use. `decided` is
    the name of the dossier that a person put it into. `aspect` names what a single value is given for, "" where it is
    none. `is_held` tells whether it is still believed, `removed_at` when it was taken out, `superseded_at` from when on
    a newer statement held in its place.
    """

    record_id: RecordId
    text: str
    at: datetime
    episode_id: EpisodeId | None = None
    turn: int = 0
    confidence: float = 1.0
    names: tuple[str, ...] = ()
    same: tuple[tuple[str, str], ...] = ()
    decided: str = ""
    aspect: str = ""
    is_held: bool = True
    removed_at: datetime | None = None
    superseded_at: datetime | None = None
    standing: Standing = Standing.CURRENT
    route: PlacementReason = PlacementReason.NEW

    @property
    def order(self) -> tuple[datetime, int, str]:
        """Its place among facts: by time, then turn."""
        return self.at, self.turn, self.record_id


@dataclass(frozen=True, kw_only=True, slots=True)
class DossierEvent:
    """One entry of a dossier's history. `text` is the fact, or the new summary."""

    at: datetime
    kind: EventKind
    text: str
    record_id: RecordId | None = None


@dataclass(frozen=True, kw_only=True)
class Dossier:
    """What is known about one subject: its names, oldest first, and its facts in the order of their statement."""

    id: DossierId
    title: str
    names: tuple[str, ...]
    facts: tuple[DossierFact, ...] = field(repr=False)

    @property
    def status(self) -> str:
        """`active` while a fact of it holds, else `archived`."""
        return "active" if self.current else "archived"

    @property
    def current(self) -> tuple[DossierFact, ...]:
        """The facts that hold."""
        return tuple(fact for fact in self.facts if fact.standing is Standing.CURRENT)

    @cached_property
    def summary(self) -> str:
        """A few facts that hold: what a policy says now first, then the surest, then the newest."""
        return _summary(self.facts, self.names)

    @cached_property
    def search_summary(self) -> str:
        """Its names and the words that its facts share most, to be searched."""
        counts: dict[str, int] = {}
        for fact in self.current:
            for word in read_terms(fact.text):
                counts[word] = counts.get(word, 0) + 1
        keywords = sorted(counts, key=lambda word: (-counts[word], word))[:_KEYWORDS]
        return " ".join(dict.fromkeys([*self.names, *keywords]))

    @cached_property
    def history(self) -> tuple[DossierEvent, ...]:
        """What happened to it, by time."""
        return tuple(_history(self.facts, self.names))


class DossierGovernor:
    """Decides into which dossier facts go. `vectors` are those of facts, of length 1, where somebody embeds."""

    def __init__(self, facts: Iterable[DossierFact] = (), vectors: Mapping[str, Vector] | None = None) -> None:
        self._facts: dict[RecordId, DossierFact] = {fact.record_id: fact for fact in facts}
        self._vectors = vectors or {}

    def process_fact_packet(self, packet: Iterable[DossierFact]) -> DossierId | None:
        """Take in a packet of facts; the dossier that most of them are in, None for an empty packet.

        A fact that is known is replaced. Identity statements decide first, whenever they were made: they join what is
        known under both names.
        """
        taken = {fact.record_id: fact for fact in packet}
        self._facts |= taken
        self.__dict__.pop("dossiers", None)
        counts = {one.id: sum(fact.record_id in taken for fact in one.facts) for one in self.dossiers}
        best = max(counts, key=lambda name: counts[name], default=None)
        return best if best is not None and counts[best] else None

    @cached_property
    def dossiers(self) -> tuple[Dossier, ...]:
        """Every dossier, by its first fact."""
        facts = sorted(self._facts.values(), key=lambda fact: fact.order)
        subjects = _Subjects(facts)
        by_subject: dict[str, list[DossierFact]] = {}
        for subject, fact in _placed(facts, subjects, self._vectors):
            by_subject.setdefault(subject, []).append(fact)
        return tuple(_dossier(subjects, subject, members) for subject, members in by_subject.items())

    def find(self, name: str) -> Dossier | None:
        """The dossier of a subject, by one of its names; what it is to the speaker may follow a "my"."""
        wanted = {name_key(name), name_key(name).removeprefix("my-").removeprefix("our-")}
        return next((one for one in self.dossiers if wanted & set(map(name_key, (*one.names, one.title)))), None)


def name_key(name: str) -> str:
    """The form in which names are compared."""
    return "-".join(fold(name).replace("_", " ").replace("-", " ").split())


class _Subjects:
    """The names that mean one thing, and the name in use of each."""

    def __init__(self, facts: Sequence[DossierFact]) -> None:
        self._parents: dict[str, str] = {}
        self._later: dict[str, str] = {}  # name -> the name that took its place last
        self._last: dict[str, str] = {}  # root -> the name in use that was stated last
        links = [pair for fact in facts if fact.is_held and not fact.decided for pair in fact.same]
        for old, new in links:
            self._parents[self.root(old)] = self.root(new)
            self._later[old] = new
        for _, new in links:
            self._last[self.root(new)] = new

    def root(self, name: str) -> str:
        """One name for all that mean the same."""
        while (parent := self._parents.get(name, name)) != name:
            name = parent
        return name

    def is_linked(self, name: str) -> bool:
        """Whether the name has others beside it."""
        return self.root(name) in self._last

    def in_use(self, root: str) -> str:
        """The name in use: what no other name has taken the place of."""
        name = self._last.get(root, root)
        for _ in range(_LINKS_FOLLOWED):
            if name not in self._later:
                break
            name = self._later[name]
        return name


def _placed(
    facts: Sequence[DossierFact], subjects: _Subjects, vectors: Mapping[str, Vector]
) -> Iterator[tuple[str, DossierFact]]:
    """Each fact with its subject: as a person decided, by its names, or by what it is near to."""
    nearness = _Nearness(vectors)
    for fact in facts:
        if fact.decided:
            subject, route = subjects.root(fact.decided), PlacementReason.DECIDED
        elif fact.same:
            subject, route = subjects.root(fact.same[0][1]), PlacementReason.IDENTITY
        elif fact.names:
            linked = next((name for name in fact.names if subjects.is_linked(name)), fact.names[0])
            subject, route = subjects.root(linked), PlacementReason.TRANSITIVE
        elif near := nearness.nearest(fact):
            subject, route = near, PlacementReason.SEMANTIC
        else:
            subject, route = fact.record_id, PlacementReason.NEW
        nearness.add(fact, subject)
        yield subject, replace(fact, route=route)


class _Nearness:
    """The facts placed so far, by their terms, to find those that a fact without a name is near to."""

    def __init__(self, vectors: Mapping[str, Vector]) -> None:
        self._vectors = vectors
        self._placed: list[tuple[str, DossierFact]] = []
        self._by_term: dict[str, list[int]] = {}

    def add(self, fact: DossierFact, subject: str) -> None:
        """A fact has been placed."""
        for term in read_terms(fact.text):
            self._by_term.setdefault(term, []).append(len(self._placed))
        self._placed.append((subject, fact))

    def nearest(self, fact: DossierFact) -> str:
        """The subject with the most facts near to this one, then with the greatest sum of nearness; "" for none."""
        scores: dict[str, tuple[int, float]] = {}
        for place, score in self._scores(fact):
            subject = self._placed[place][0]
            hits, total = scores.get(subject, (0, 0.0))
            scores[subject] = hits + 1, total + score
        return max(scores, key=lambda subject: (scores[subject], subject), default="")

    def _scores(self, fact: DossierFact) -> Iterator[tuple[int, float]]:
        terms = read_terms(fact.text)
        shared: dict[int, int] = {}
        for term in terms:
            for place in self._by_term.get(term, ()):
                shared[place] = shared.get(place, 0) + 1
        vector = self._vectors.get(fact.record_id)
        for place, (_, placed) in enumerate(self._placed):
            other = self._vectors.get(placed.record_id)
            if vector is not None and other is not None:
                cosine = float(vector @ other)
                if cosine >= _NEAR_COSINE:
                    yield place, cosine
            elif shared.get(place, 0) >= max(_LEAST_SHARED, _NEAR_WORDS * len(terms)):
                yield place, shared[place] / len(terms)


def _dossier(subjects: _Subjects, subject: str, members: Sequence[DossierFact]) -> Dossier:
    first = members[0]
    stated = dict.fromkeys(name for fact in members for pair in fact.same for name in pair)
    linked = {name: None for name in stated if subjects.root(name) == subject}
    title = subjects.in_use(subject)
    names = tuple(dict.fromkeys([*linked, *([] if subject == first.record_id else [title])]))
    return Dossier(
        id=DossierId(f"d_{first.record_id[2:]}"),
        title=_as_stated(title, members) if names else first.text,
        names=tuple(_as_stated(name, members) for name in names),
        facts=_settled(members, names),
    )


def _as_stated(name: str, facts: Sequence[DossierFact]) -> str:
    """The name as the newest fact writes it that has it."""
    plain = "[-_ ]".join(map(re.escape, name.split("-")))
    pattern = re.compile(rf"(?<!\w)(?P<lead>\w+[-_])?(?P<name>(?i:{plain}))(?P<noun>[-_]\w+| [A-Z]\w+)?(?!\w)")
    found = next((match for fact in reversed(facts) if (match := pattern.search(fact.text))), None)
    if found is None:
        return name.replace("-", " ")
    nouns = entity_lexicon().nouns  # what it is, where that is written as a part of the name: "invoice-api"
    lead, noun = (found[part] or "" for part in ("lead", "noun"))
    lead, noun = (part if part.strip("-_ ").casefold() in nouns else "" for part in (lead, noun))
    return f"{lead}{found['name']}{noun}"


def _settled(facts: Sequence[DossierFact], names: Sequence[str]) -> tuple[DossierFact, ...]:
    """The facts with their standing: one revision of a policy holds, and one value of an aspect."""
    stated = [fact for fact in facts if fact.is_held]
    read = [
        read_policy(fact.text, names) if not fact.same and fact.standing is Standing.CURRENT else None
        for fact in stated
    ]
    standing = dict(zip((fact.record_id for fact in stated), stand(read), strict=True))
    newest = {fact.aspect: fact.record_id for fact in stated if fact.aspect and fact.standing is not Standing.PLANNED}
    for fact in stated:
        is_replaced = fact.aspect and newest.get(fact.aspect) != fact.record_id
        known = Standing.SUPERSEDED if is_replaced and fact.standing is Standing.CURRENT else fact.standing
        if known is not Standing.CURRENT and standing[fact.record_id] is Standing.CURRENT:
            standing[fact.record_id] = known
    return tuple(replace(fact, standing=standing.get(fact.record_id, Standing.REMOVED)) for fact in facts)


def _summary(facts: Sequence[DossierFact], names: Sequence[str]) -> str:
    def rank(fact: DossierFact) -> tuple[bool, float, datetime, str]:
        return read_policy(fact.text, names) is not None, fact.confidence, fact.at, fact.record_id

    current = [fact for fact in facts if fact.standing is Standing.CURRENT]
    chosen = sorted((fact for fact in current if not fact.same), key=rank, reverse=True) or current[-1:]
    return " ".join(f"{fact.text.rstrip('.')}." for fact in chosen[:_SUMMARY_FACTS])


def _history(facts: Sequence[DossierFact], names: Sequence[str]) -> Iterator[DossierEvent]:
    """The events of a dossier: each fact as it came, was superseded, and went, and each change of the summary."""
    moves = [(fact.at, EventKind.FACT_ADDED, fact) for fact in facts]
    moves += [(fact.superseded_at, EventKind.FACT_SUPERSEDED, fact) for fact in facts if fact.superseded_at is not None]
    moves += [(fact.removed_at, EventKind.FACT_REMOVED, fact) for fact in facts if fact.removed_at is not None]
    order = list(EventKind)
    moves.sort(key=lambda move: (move[0], order.index(move[1]), move[2].turn, move[2].record_id))
    there: dict[RecordId, DossierFact] = {}
    superseded: set[RecordId] = set()
    summary = ""
    for at, together in groupby(moves, key=lambda move: move[0]):
        for _, kind, fact in together:
            if not there:
                yield DossierEvent(at=at, kind=EventKind.CREATED, text=fact.text, record_id=fact.record_id)
            if kind is not EventKind.FACT_SUPERSEDED:
                yield DossierEvent(at=at, kind=kind, text=fact.text, record_id=fact.record_id)
            added = Standing.PLANNED if fact.standing is Standing.PLANNED else Standing.CURRENT
            standing = added if kind is EventKind.FACT_ADDED else Standing.SUPERSEDED
            there[fact.record_id] = replace(fact, is_held=kind is not EventKind.FACT_REMOVED, standing=standing)
        settled = _settled(tuple(there.values()), names)
        for fact in settled:
            if fact.standing is Standing.SUPERSEDED and fact.record_id not in superseded:
                superseded.add(fact.record_id)
                yield DossierEvent(at=at, kind=EventKind.FACT_SUPERSEDED, text=fact.text, record_id=fact.record_id)
        told = _summary(settled, names)
        if told != summary:
            yield DossierEvent(at=at, kind=EventKind.SUMMARY_UPDATED, text=told)
            summary = told

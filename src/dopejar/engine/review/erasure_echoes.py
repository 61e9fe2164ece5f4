"""Echoes of an erasure: the places that still speak of what is erased, and that nobody named.

Takes: what is to be erased, read before it is. Gives: turns, memories, proposals, working sets, references, notes of
hosts and goals that hold its words, its names, or most of the words of one of its statements; of other held rows those
that hold its words. Never: erases anything itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from dopejar.engine.held_words import conversation_names, goals_from, texts_in
from dopejar.ports.store import ReadView
from dopejar.text.normalisation import fold
from dopejar.text.words import index_terms, query_terms, stem, words
from dopejar.values.episode import ERASED_MARK, Episode, EpisodeKind
from dopejar.values.ids import ConversationId, EpisodeId, RecordId
from dopejar.values.proposal import Add, Proposal, ProposalState, Share, Supersede
from dopejar.values.recall import RecordFilter, SearchFilter, Source
from dopejar.values.record import Record, Status
from dopejar.values.scope import Namespace, ReadScope
from dopejar.values.versioned_rows import KEPT_ANSWERS, NOTES, TURN_STATES, KeyValueRow

_NOT_ERASED: Final = tuple(sorted(set(Status) - {Status.ERASED}))
_SHORTEST_TEXT: Final = 6  # characters; a shorter text occurs by chance
_LONGEST_STATEMENT: Final = 400  # characters; what is longer is looked for as a whole and by what was learned from it
_MOST_STATEMENTS: Final = 200
_QUERY_TERMS: Final = 12
_SEARCHED: Final = 50  # turns that a search for one statement or name looks at
_COMMON: Final = 20  # places from which on a name is everybody's
_SHARED_TERMS: Final = 0.6  # of a statement's terms make an echo of it
_PAGE: Final = 1000
_EVERY: Final = 1_000_000
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:\n]\s*|[-*\u2022]\s+)[\"'(]*$")


class Place(StrEnum):
    """Where an echo stands."""

    TURN = "turn"
    MEMORY = "memory"
    PROPOSAL = "proposal"
    WORKING_SET = "working set"
    REFERENCE = "reference"
    NOTE = "note"  # of a host: an item of an agent's session, a memory file, an item of a graph's store
    GOAL = "goal"  # of a governed conversation
    ROW = "row"  # another held row: named, and dropped by whoever wrote it


@dataclass(frozen=True, kw_only=True, slots=True)
class Echo:
    """One place that still speaks of it. `words` say by what it was found; none where it rests on the same evidence.

    Of a note or a goal, `text` has the lines that speak of it, and these are erased; of a note also its name, if that
    does, and then the note goes as a whole.
    """

    place: Place
    id: str
    text: str
    words: tuple[str, ...] = ()
    is_verbatim: bool = False  # it holds one of the erased texts as a whole
    lane_id: str = ""  # of a working set
    space: str = ""  # of a note; of another row its kind


@dataclass(frozen=True, kw_only=True, slots=True)
class ErasureSubject:
    """What is erased, with its words as they stood before."""

    records: frozenset[RecordId]
    episodes: frozenset[EpisodeId]  # erased as a whole
    touched: frozenset[EpisodeId]  # those, and the turns of which a span is erased
    texts: tuple[str, ...]  # that must stand nowhere afterwards
    statements: tuple[tuple[str, frozenset[str]], ...]  # with their terms
    names: frozenset[str]  # terms


def subject_of(
    view: ReadView, records: Sequence[Record], episodes: Sequence[EpisodeId], conversation: ConversationId | None
) -> ErasureSubject:
    """The subject of an erasure: the memories, the turns, and what was read from them."""
    turns = {turn.id: turn for turn in view.episodes(tuple(episodes)).values()}
    if conversation is not None:
        turns.update({turn.id: turn for turn in view.turns(conversation)})
    said = _learned_texts(view, records, turns)
    named = [turn.text for turn in turns.values() if conversation is None and turn.kind is EpisodeKind.TURN]
    short = [turn.text for turn in turns.values() if turn.kind is EpisodeKind.TURN]
    texts = dict.fromkeys((*said, *(turn.text for turn in turns.values())))
    kept = tuple(text for text in texts if len(text.strip()) >= _SHORTEST_TEXT and ERASED_MARK not in text)
    statements = [text for text in dict.fromkeys((*said, *short)) if text in kept and len(text) <= _LONGEST_STATEMENT]
    evidence = {row.episode_id for record in records for row in view.evidence(record.id)}
    return ErasureSubject(
        records=frozenset(record.id for record in records),
        episodes=frozenset(turns),
        touched=frozenset(turns) | evidence,
        texts=kept,
        statements=tuple((text, frozenset(query_terms(text))) for text in statements[:_MOST_STATEMENTS]),
        names=frozenset(name for text in (*said, *named) if text in statements for name in _names(text)),
    )


def _learned_texts(view: ReadView, records: Sequence[Record], turns: dict[EpisodeId, Episode]) -> list[str]:
    """The texts of the memories, and the wordings that were read from them and from the turns."""
    texts = [record.text for record in records]
    texts += [row.wording for record in records for row in view.evidence(record.id)]
    for rows in view.evidence_in(tuple(turns)).values():
        texts += [row.wording for row in rows]
    return texts


def _names(text: str) -> Iterator[str]:
    """The terms of names and numbers: a capital within a sentence, a digit, three characters at least."""
    at = 0
    for word in words(text):
        start = text.find(word, at)
        at = start + len(word)
        is_capital = word[:1].isupper() and not _SENTENCE_START.search(text[:start])
        if len(word) > 2 and (is_capital or any(char.isdigit() for char in word)):
            yield stem(word)


def find_echoes(view: ReadView, subject: ErasureSubject) -> tuple[Echo, ...]:
    """Every place but the subject's own that still speaks of it."""
    folded = tuple(dict.fromkeys(map(fold, subject.texts)))
    search = _Search(view=view, subject=_with_rare_names(view, subject), folded=folded)
    return tuple(search.echoes())


def _with_rare_names(view: ReadView, subject: ErasureSubject) -> ErasureSubject:
    rare = {name for name in subject.names if len(_hits(view, [name], _COMMON + len(subject.touched) + 1)) <= _COMMON}
    return replace(subject, names=frozenset(rare))


def _hits(view: ReadView, terms: Sequence[str], limit: int) -> list[EpisodeId]:
    """Turns of every namespace that hold one of the terms, the best first."""
    found: list[EpisodeId] = []
    for namespace in Namespace:
        where = SearchFilter(read_scope=ReadScope(namespace=namespace, all_projects=True), source=Source.EPISODE)
        found += [EpisodeId(hit.id) for hit in view.lexical(terms, where, limit)]
    return found


@dataclass(frozen=True, kw_only=True, slots=True)
class _Search:
    """One search for echoes."""

    view: ReadView
    subject: ErasureSubject
    folded: tuple[str, ...]  # its texts

    def echoes(self) -> Iterator[Echo]:
        yield from self._turns()
        yield from self._memories()
        yield from self._proposals()
        for working in self.view.working_sets():
            echo = self._echo(Place.WORKING_SET, working.problem_id, working.body)
            yield from [replace(echo, lane_id=working.lane_id)] if echo else ()
        for reference in self.view.references():
            echo = self._echo(Place.REFERENCE, reference.key, reference.value)
            yield from [echo] if echo else ()
        yield from self._held_rows()

    def _turns(self) -> Iterator[Echo]:
        ids: dict[EpisodeId, None] = {}
        for text, terms in self.subject.statements:
            ids.update(dict.fromkeys(_hits(self.view, (query_terms(text) or list(terms))[:_QUERY_TERMS], _SEARCHED)))
        for text in self.subject.texts:
            if len(text) > _LONGEST_STATEMENT:
                ids.update(dict.fromkeys(_hits(self.view, query_terms(text)[:_QUERY_TERMS], _SEARCHED)))
        for name in sorted(self.subject.names):
            ids.update(dict.fromkeys(_hits(self.view, [name], _SEARCHED)))
        resting = self.view.evidence_of(tuple(self.subject.records))
        evidence = {row.episode_id for rows in resting.values() for row in rows}
        for turn in self.view.episodes((*ids, *(one for one in evidence if one not in ids))).values():
            echo = self._echo(Place.TURN, turn.id, turn.text)
            if echo is not None and self._stays_in(turn):
                yield echo

    def _stays_in(self, turn: Episode) -> bool:
        """Whether the erasure leaves it in the turn: of a turn that loses a span, what is beside it."""
        if turn.id not in self.subject.touched:
            return True
        rest = turn.text
        for text in self.subject.texts:
            rest = rest.replace(text, "")
        return turn.id not in self.subject.episodes and self._found(rest) is not None

    def _memories(self) -> Iterator[Echo]:
        after: RecordId | None = None
        where = RecordFilter(statuses=_NOT_ERASED, namespace=None)
        resting = set(self.view.resting_on(tuple(self.subject.touched)))
        while page := self.view.list_records(where, _PAGE, after):
            for record in page:
                echo = self._echo(Place.MEMORY, record.id, record.text)
                if echo is None and record.id in resting and self._also_rests_elsewhere(record.id):
                    echo = Echo(place=Place.MEMORY, id=record.id, text=record.text)
                if echo is not None and record.id not in self.subject.records and self._stays(record.id, resting):
                    yield echo
            after = page[-1].id

    def _also_rests_elsewhere(self, record_id: RecordId) -> bool:
        return any(row.episode_id not in self.subject.touched for row in self.view.evidence(record_id))

    def _stays(self, record_id: RecordId, resting: set[RecordId]) -> bool:
        """Whether the erasure leaves the memory: it has evidence beyond the turns that are erased as a whole."""
        rows = self.view.evidence(record_id) if record_id in resting else ()
        return not rows or any(row.episode_id not in self.subject.episodes for row in rows)

    def _proposals(self) -> Iterator[Echo]:
        states = tuple(state for state in ProposalState if state is not ProposalState.ERASED)
        for proposal in self.view.proposals(states, _EVERY):
            cited = {row.episode_id for row in proposal.evidence}
            if proposal.record_id is not None or (cited and cited <= self.subject.episodes):
                continue  # a memory of its own stands for it, or it goes with its turns
            echo = self._echo(Place.PROPOSAL, proposal.id, "\n".join(_texts_of(proposal)))
            yield from [echo] if echo else ()

    def _held_rows(self) -> Iterator[Echo]:
        names = conversation_names(self.view, self.subject.touched)
        for kind in self.view.held_kinds():
            for row in self.view.held_of(kind) if kind != KEPT_ANSWERS else ():  # which go with every erasure
                if kind.startswith(NOTES):
                    echo = self._lines_of(Place.NOTE, row, [row.key, *texts_in(row)], kind.removeprefix(NOTES))
                elif kind == TURN_STATES:
                    going = goals_from(row, self.subject.texts) if row.key in names else ()
                    echo = self._lines_of(Place.GOAL, row, [text for text in texts_in(row) if text not in going])
                else:
                    echo = self._verbatim_row(row)
                yield from [echo] if echo else ()

    def _lines_of(self, place: Place, row: KeyValueRow, texts: Iterable[str], space: str = "") -> Echo | None:
        lines = list(dict.fromkeys(line for text in texts for line in self._speaking(text)))
        echo = self._echo(place, row.key, "\n".join(lines)) if lines else None
        return replace(echo, space=space) if echo else None

    def _speaking(self, text: str) -> list[str]:
        """The lines of a text that speak of it; all of them where none does so alone, or an erased text has several."""
        if self._found(text) is None:
            return []
        lines = [line for line in text.split("\n") if line.strip()]
        alone = [line for line in lines if self._found(line) is not None]
        folded, each = fold(text), [fold(line) for line in lines]
        is_parted = any(one in folded and not any(one in line for line in each) for one in self.folded)
        return lines if is_parted else alone or lines

    def _verbatim_row(self, row: KeyValueRow) -> Echo | None:
        texts = (row.key, *texts_in(row))
        held = [text for text in texts if any(one in fold(text) for one in self.folded)]
        if not held:
            return None
        return Echo(place=Place.ROW, id=row.key, text="\n".join(held), is_verbatim=True, space=row.kind)

    def _echo(self, place: Place, name: str, text: str) -> Echo | None:
        found = self._found(text)
        if found is None:
            return None
        is_verbatim, shared = found
        return Echo(place=place, id=name, text=text, words=shared, is_verbatim=is_verbatim)

    def _found(self, text: str) -> tuple[bool, tuple[str, ...]] | None:
        """Whether a text holds an erased one, and the words that it shares; None where it is no echo."""
        folded, terms = fold(text), set(index_terms(text))
        verbatim = any(erased in folded for erased in self.folded)
        shared = self.subject.names & terms
        for _, wanted in self.subject.statements:
            common = wanted & terms
            if len(common) >= 2 and len(common) >= _SHARED_TERMS * len(wanted):
                shared = shared | common
        return (verbatim, tuple(sorted(shared))) if verbatim or shared else None


def _texts_of(proposal: Proposal) -> Iterable[str]:
    payload = proposal.payload
    if isinstance(payload, Add | Supersede):
        yield payload.draft.text
    if isinstance(payload, Share):
        yield payload.text
    yield from (proposal.rationale, proposal.reason)
    yield from (row.wording for row in proposal.evidence)

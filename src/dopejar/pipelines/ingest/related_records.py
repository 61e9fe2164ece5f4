"""Records that a statement is about: found by words and by vectors, related as a reader reads both.

Takes: a draft, a snapshot of the store, an embedder, a reader. Gives: each near record with its relation, the surest
first. Never: retires a record; the chain's rules and the gate decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from dopejar.language.relations import about_one_thing, averaged, judged, pooled
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.clauses import weigh
from dopejar.pipelines.ingest.extraction.extractor import as_sentence
from dopejar.pipelines.ingest.extraction.opening_clause import opening_clause
from dopejar.pipelines.ingest.guidance_words import tells_how_to_address
from dopejar.ports.embedder import Embedder
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.lexicons import guess_language
from dopejar.text.quotations import quotations
from dopejar.text.words import query_terms
from dopejar.values.episode import REDACTED
from dopejar.values.ids import RecordId
from dopejar.values.recall import RecordFilter, SearchFilter, Source
from dopejar.values.record import DIRECTING, Draft, Record, Status
from dopejar.values.scope import ReadScope
from dopejar.values.statement import Related, Relation, Statement

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.ports.store import ReadView


_ASKED: Final = 5  # records that are compared, besides those of the draft's own chain
_SEARCHED: Final = 12  # of each index
_WAITING: Final = 200  # waiting records, the newest, that are looked through for words of a statement
_VERSIONS: Final = 4  # of a record, the latest, that a statement is compared with beside it
_ABOUT_THE_SAME: Final = 0.25  # cosine; a record further off is not compared
_SURE: Final = (Relation.SAME, Relation.UPDATE, Relation.END)
_CHANGES: Final = (Relation.UPDATE, Relation.END)
_DATE: Final = re.compile(
    r"\b(?:(?:on|in) |(?P<before>(?:as of|by|from|since|until) ))?(?P<week>the week of )?"
    r"(?P<date>\d{4}-\d\d(?:-\d\d)?)(?![\d-])"
)

Versions = Callable[[Record], Sequence[Record]]


@dataclass(frozen=True, kw_only=True, slots=True)
class RelatedRecord:
    """A record and what the new statement does to it. `first`: the new one was said before the record."""

    record: Record
    related: Related
    first: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RelatedSearch:
    """The search over one snapshot, with one reader; without an embedder by words alone. `log` keeps what it found.

    `second` reads again what may be decided; what it finds can only hold back.
    """

    index: ReadView
    reader: StatementReader
    embedder: Embedder | None = None
    second: StatementReader | None = None
    log: list[RelatedRecord] = field(default_factory=list)
    vectors: "dict[str, npt.NDArray[np.float32]]" = field(default_factory=dict)

    def read(self, text: str) -> Statement:
        """What the text states."""
        return self.reader.read([text])[0]

    def relate(
        self,
        text: str,
        at: datetime,
        records: Sequence[Record],
        versions: Versions | None = None,
        alone: str = "",
    ) -> list[RelatedRecord]:
        """What the statement of that time does to each of the records, the surest first.

        Of two statements the one of the later time is the later one, in whatever order they are told. `versions` gives
        the other versions of a record; a graded reader is asked about these as well. `alone` are the words of the text
        without those before it that tell what it is about; both ways to read it count alike.
        """
        others = [versions(record)[-_VERSIONS:] if versions and self.reader.is_graded else () for record in records]
        groups = [[record, *rest] for record, rest in zip(records, others, strict=True)]
        flat = [record for group in groups for record in group]
        texts = self._in_order(text, at, flat)
        statements = self.reader.read([one for pair in texts for one in pair])
        related, found, place = self.reader.relate(texts), [], 0
        if alone:
            by_itself = self.reader.relate(self._in_order(alone, at, flat))
            related = tuple(averaged(one, other) for one, other in zip(related, by_itself, strict=True))
        for group in groups:
            weighed = pooled(related[place], related[place + 1 : place + len(group)])
            judgement = judged(statements[2 * place], statements[2 * place + 1], weighed)
            found.append(RelatedRecord(record=group[0], related=judgement, first=at < group[0].valid_from))
            place += len(group)
        self.log.extend(found)
        return sorted(found, key=_certainty, reverse=True)

    def relate_opening_too(
        self, text: str, at: datetime, records: Sequence[Record], versions: Versions, alone: str = ""
    ) -> list[RelatedRecord]:
        """As `relate`. Where the whole does nothing surely to a record that its first clause alone ends, that counts.

        "The Metformin is stopped, his kidney values were bad, he gets Jardiance instead" ends what "the Metformin is
        stopped" ends.
        """
        found = self.relate(text, at, records, versions, alone)
        opening = opening_clause(text) if self.reader.is_graded else ""
        unsure = [one.record for one in found if opening and not (one.first or one.related.relation in _SURE)]
        if not unsure:
            return found
        opened = {one.record.id: one for one in self.relate(opening, at, unsure, versions)}
        ended = {mark: one for mark, one in opened.items() if one.related.relation is Relation.END}
        return sorted((ended.get(one.record.id, one) for one in found), key=_certainty, reverse=True)

    def with_owner_first(self, text: str, about: Sequence[RelatedRecord]) -> list[RelatedRecord]:
        """The records; of one that the surest says more of ("The api is on 8080. It's in Go"), the one that is meant.

        Another port changes both, and is no other language: the first one is meant, unless the words behind it are.
        """
        changed = [one for one in about if one.related.relation in _CHANGES and not one.first]
        pairs = [
            (owner, one)
            for owner in changed
            for one in changed
            if about[0] in (owner, one) and begins(one.record.text, owner.record.text)
        ]
        if not pairs:
            return list(about)
        owner, one = pairs[0]
        behind = one.record.text[len(owner.record.text) :].lstrip(". ")
        meant = one if self.reader.relate([(behind, text)])[0].relation in _CHANGES else owner
        return [meant, *(each for each in about if each is not meant)]

    def second_opinions(self, text: str, at: datetime, records: Sequence[Record]) -> Mapping[RecordId, Related]:
        """What a model finds that the statement does to these records, where nothing in the words speaks against it."""
        if self.second is None or not records:
            return {}
        from dopejar.pipelines.ingest.model_reader import BY_MODEL  # few have one configured

        texts = self._in_order(text, at, records)
        said, found = self.reader.read([one for pair in texts for one in pair]), self.second.relate(texts)
        told = zip(records, said[::2], said[1::2], found, strict=True)
        return {
            record.id: one
            for record, earlier, later, one in told
            if one.reason == BY_MODEL and judged(earlier, later, one).relation is one.relation
        }

    def about_one_thing(self, one: Sequence[Record], other: Sequence[Record]) -> float:
        """How likely two records, each with its versions, are about one thing; 0 for a reader that is not graded."""
        if not self.reader.is_graded:
            return 0.0
        pairs = [
            pair
            for record in one[-_VERSIONS:]
            for pair in self._in_order(record.text, record.valid_from, other[-_VERSIONS:])
        ]
        return about_one_thing(self.reader.relate(pairs))

    def _in_order(self, text: str, at: datetime, records: Sequence[Record]) -> list[tuple[str, str]]:
        """The statement beside each record, the earlier text first, as a speaker says them without doubt.

        What is doubtful is about the same as what is sure; which of the two counts, how sure each is tells.
        """
        mine, others = without_doubt(text), [without_doubt(record.text) for record in records]
        if not self.reader.knows_dates:
            mine = with_spoken_dates(mine, at)
            others = [
                with_spoken_dates(other, record.valid_from) for other, record in zip(others, records, strict=True)
            ]
        split = [beyond_shared(mine, other) for other in others]
        return [
            (mine, other) if at < record.valid_from else (other, mine)
            for record, (mine, other) in zip(records, split, strict=True)
        ]

    def near(self, draft: Draft, pending: Sequence[Record] = (), announced_for: datetime | None = None) -> list[Record]:
        """Records in force in the draft's namespace and scope, the nearest first; `pending` are not in the index yet.

        What is announced for a day to come is also compared with what is known to hold then.
        """
        read_scope = ReadScope(namespace=draft.namespace, scopes=(draft.scope,))
        where = SearchFilter(read_scope=read_scope, source=Source.RECORD)
        near = self._nearest_pending(draft, pending)
        if announced_for is not None:
            near += self._nearest_stored(draft, replace(where, valid_at=announced_for))
        near += self._nearest_stored(draft, where)
        return list({record.id: record for record in near}.values())

    def waiting(self, draft: Draft, pending: Sequence[Record] = ()) -> list[Record]:
        """Records in the draft's namespace, scope and side that wait for review and share words with it, most first.

        By words alone: what waits is compared so that a reviewer sees both, and retires nothing by itself.
        """
        where = RecordFilter(
            statuses=(Status.STAGED,), namespace=draft.namespace, scopes=(draft.scope,), side=draft.side
        )
        staged = [record for record in pending if record.status is Status.STAGED]
        own = set(query_terms(draft.text))
        shared = {
            record.id: (record, len(own.intersection(query_terms(record.text))))
            for record in (*self.index.list_records(where, _WAITING), *staged)
            if record.scope == draft.scope and _has_plain_words(record, draft)
        }
        ranked = sorted(shared.values(), key=lambda one: -one[1])
        return [record for record, terms in ranked[:_ASKED] if terms]

    def _nearest_stored(self, draft: Draft, where: SearchFilter) -> list[Record]:
        cosines = self._cosines(draft.text, where)
        by_words = [hit.id for hit in self.index.lexical(query_terms(draft.text), where, _SEARCHED)]
        ids = [*sorted(cosines, key=lambda mark: -cosines[mark]), *(mark for mark in by_words if mark not in cosines)]
        found = self.index.load_records(_interleaved(ids, by_words)[:_ASKED], where)
        return [found[mark] for mark in ids if mark in found and _is_comparable(found[mark], draft)]

    def _nearest_pending(self, draft: Draft, pending: Sequence[Record]) -> list[Record]:
        records = [record for record in pending if _is_comparable(record, draft)]
        if self.embedder is None or not records:
            return records
        own, *vectors = self._vectors_of([draft.text, *(record.text for record in records)])
        cosines = {record.id: float(own @ vector) for record, vector in zip(records, vectors, strict=True)}
        records = [record for record in records if cosines[record.id] >= _ABOUT_THE_SAME]
        return sorted(records, key=lambda record: -cosines[record.id])[:_ASKED]

    def _vectors_of(self, texts: Sequence[str]) -> "list[npt.NDArray[np.float32]]":
        """The vectors of texts, each embedded once in a search."""
        missing = [text for text in dict.fromkeys(texts) if text not in self.vectors]
        if missing and self.embedder is not None:
            self.vectors.update(zip(missing, self.embedder.embed(missing), strict=True))
        return [self.vectors[text] for text in texts]

    def _cosines(self, text: str, where: SearchFilter) -> Mapping[str, float]:
        if self.embedder is None:
            return {}
        vector = self._vectors_of([text])[0]
        hits = self.index.nearest(vector, self.embedder.identity, where, _SEARCHED)
        return {hit.id: hit.score for hit in hits if hit.score >= _ABOUT_THE_SAME}


def beyond_shared(one: str, other: str) -> tuple[str, str]:
    """Two texts without the sentences that both begin with: what each says further of the same thing."""
    while (shared := f"{one.partition('. ')[0]}. ") and one.startswith(shared) and other.startswith(shared):
        one, other = one.removeprefix(shared), other.removeprefix(shared)
    return one, other


def without_doubt(text: str) -> str:
    """The text without words such as "I think" or "perhaps"; a text without any stays as it is."""
    plain, certainty = weigh(text, cues(guess_language(text)))
    return text if certainty == 1.0 else as_sentence(plain)


def with_spoken_dates(text: str, at: datetime) -> str:
    """The text with near dates in the words of a speaker of that time: readers know statements as people say them.

    Ingest has put dates in place of "today", "last week" and "this month"; other dates stay.
    """
    day, first = at.date(), at.date().replace(day=1)
    monday = day - timedelta(day.weekday())
    words = {f"{day}": "today", f"{day - timedelta(1)}": "yesterday"}
    words |= {f"{first:%Y-%m}": "this month", f"{first - timedelta(1):%Y-%m}": "last month"}
    weeks = {f"{monday - timedelta(7)}": "last week"}

    def said(match: re.Match[str]) -> str:
        word = (weeks if match["week"] else words).get(match["date"], "")
        return f"{match['before'] or ''}{word}" if word else match[0]

    return _DATE.sub(said, text)


def _interleaved(by_meaning: Sequence[str], by_words: Sequence[str]) -> list[str]:
    """The best of both lists in turn, each once."""
    both = [mark for pair in zip(by_meaning, by_words, strict=False) for mark in pair]
    return list(dict.fromkeys([*both, *by_meaning, *by_words]))


def _is_comparable(record: Record, draft: Draft) -> bool:
    is_in_force = record.status is Status.ACTIVE or record.holds_until_later(draft.valid_from or record.valid_from)
    if tells_how_to_address(draft.text) and record.kind not in DIRECTING:
        return False  # it takes no name from the speaker
    return is_in_force and _has_plain_words(record, draft)


def _has_plain_words(record: Record, draft: Draft) -> bool:
    if REDACTED in record.text or REDACTED in draft.text:
        return False  # of values that nobody knows
    if quotations(record.text):
        return False  # of somebody else's words
    return not record.temporary and record.side == draft.side


def _certainty(found: RelatedRecord) -> float:
    related = found.related
    after = related.share(Relation.UPDATE, Relation.END)
    return max(after, related.share(Relation.SAME), related.share(Relation.CONTRADICTION))


def begins(text: str, front: str) -> bool:
    """Whether the text has the other one in front of its own words, as what they say it of."""
    return text.startswith(f"{front}. ")

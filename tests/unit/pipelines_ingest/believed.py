"""A memory for tests of ingest: what is known as a plain list, and what words wish for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from dopejar.pipelines.ingest import extract, propose
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.related_records import RelatedSearch
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.normalisation import content_hash
from dopejar.text.words import query_terms
from dopejar.values.episode import Episode, Origin
from dopejar.values.ids import ActId, ConversationId, RecordId, TraceId, episode_id
from dopejar.values.proposal import Proposal, Via
from dopejar.values.recall import Hit, RecordFilter, SearchFilter
from dopejar.values.record import Evidence, Record, Status
from dopejar.values.scope import Namespace, Project, Scope, Side

AT = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
DAY = timedelta(days=1)
PROJECT = Project(id="example.org/atlas", label="atlas")


class Believed:
    """What is known, as a plain list; finds near records by sharing two words."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.support: dict[RecordId, tuple[Evidence, ...]] = {}

    def record(self, record_id: RecordId) -> Record | None:
        """One record."""
        return next((record for record in self.records if record.id == record_id), None)

    def current_version(self, record: Record) -> Record:
        """The record itself: nothing is pending here."""
        return record

    def chain(self, namespace: Namespace, scope: Scope, side: Side, chain: str) -> tuple[Record, ...]:
        """Records of one chain by time."""
        found = [r for r in self.records if (r.namespace, r.scope, r.side, r.chain) == (namespace, scope, side, chain)]
        return tuple(sorted(found, key=lambda r: r.valid_from))

    def with_key(self, namespace: Namespace, scope: Scope, side: Side, key: str) -> tuple[Record, ...]:
        """Records with this key."""
        return tuple(r for r in self.records if (r.namespace, r.scope, r.side, r.key) == (namespace, scope, side, key))

    def with_content(self, namespace: Namespace, content_hash: str) -> tuple[Record, ...]:
        """Records with these words."""
        return tuple(r for r in self.records if (r.namespace, r.content_hash) == (namespace, content_hash))

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """What a record rests on."""
        return self.support.get(record_id, ())

    def pending(self, namespace: Namespace, scope: Scope, side: Side) -> tuple[Record, ...]:
        """Nothing is pending here."""
        return ()

    def lexical(self, terms: Sequence[str], where: SearchFilter, limit: int) -> tuple[Hit, ...]:
        """Records that share a word, those with most in common first."""
        scores = [(len(set(terms) & set(query_terms(record.text))), record.id) for record in self.records]
        best = sorted((one for one in scores if one[0]), key=lambda one: -one[0])[:limit]
        return tuple(Hit(id=name, score=float(score)) for score, name in best)

    def nearest(self, vector: object, embedder: object, where: SearchFilter, limit: int) -> tuple[Hit, ...]:
        """None: there are no vectors here."""
        return ()

    def load_records(self, ids: Sequence[str], where: SearchFilter) -> dict[str, Record]:
        """The records with these ids."""
        return {record.id: record for record in self.records if record.id in ids}

    def list_records(self, where: RecordFilter, limit: int) -> tuple[Record, ...]:
        """The records in the states of the filter."""
        return tuple(record for record in self.records if record.status in where.statuses)[:limit]

    def learn(self, proposal: Proposal, status: Status = Status.ACTIVE) -> Record:
        """Keep the draft of a proposal as a record."""
        draft = proposal.payload.draft  # type: ignore[union-attr]
        record = Record(
            id=RecordId(f"m_{len(self.records):016d}"),
            kind=draft.kind,
            text=draft.text,
            key=draft.key,
            slot=draft.slot,
            value=draft.value,
            layer=draft.layer,
            sublayer=draft.sublayer,
            namespace=draft.namespace,
            scope=draft.scope,
            side=draft.side,
            status=status,
            confidence=draft.confidence,
            certainty=draft.certainty,
            trust=1.0,
            tags=draft.tags,
            pinned=False,
            created_at=AT,
            valid_from=draft.valid_from,
            valid_to=draft.valid_to,
            temporary=draft.temporary,
            content_hash=content_hash(draft.text),
            version=1,
            made_by="ingest@1",
        )
        self.records.append(record)
        self.support[record.id] = proposal.evidence
        return record


def say(
    known: Believed,
    words: str,
    *,
    at: datetime = AT,
    via: Via = Via.REMEMBER,
    origin: Origin = Origin.USER,
    project: Project | None = None,
    speaker: str = "user",
    near: bool = False,
    reader: StatementReader | None = None,
    second: StatementReader | None = None,
) -> tuple[Proposal, ...]:
    """What the words wish for."""
    episode = Episode(
        id=episode_id("test", f"{words}{at}"),
        conversation=ConversationId("c"),
        index=0,
        at=at,
        speaker=speaker,
        origin=origin,
        text=words,
    )
    atoms = extract(words, at=at, speaker_is_user=origin is Origin.USER, keep_all=via is Via.REMEMBER).atoms
    return propose(
        atoms,
        episode=episode,
        known=known,
        act_id=ActId("a"),
        trace_id=TraceId("t"),
        via=via,
        origin=origin,
        project=project,
        namespace=Namespace.PROD,
        now=at,
        related=RelatedSearch(index=known, reader=reader or GrammarReader(), second=second) if near else None,
    )

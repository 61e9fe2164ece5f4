"""Full-text search, and loading of its hits.

Takes: terms and a filter. Gives: hits, records, episodes. Never: returns a row that the filter forbids.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.codec import EPISODE_COLUMNS, Row, brief_of, dumps, episode_of, record_of, record_of_image
from dopejar.adapters.sqlite.query_plan import MOST_TERMS, QueryPlan, any_of, expressions, plan_query
from dopejar.adapters.sqlite.records import RECORD_COLUMNS
from dopejar.adapters.sqlite.sql_filters import Condition, condition
from dopejar.adapters.sqlite.transaction import Transaction
from dopejar.values.recall import Hit, SearchFilter, Source

if TYPE_CHECKING:
    from dopejar.ports.store import Outbox, UnindexedText
    from dopejar.values.episode import Episode
    from dopejar.values.ids import ConversationId, EpisodeId
    from dopejar.values.record import Record, RecordBrief

_EPISODE: Final = ", ".join(f"e.{column}" for column in EPISODE_COLUMNS.split(", "))


def _record_of_image_row(row: Row) -> "Record":
    return record_of_image(cast("str", row[0]))


_MISSING_TERMS: Final = """
SELECT * FROM (
  SELECT 'record', id, text, key FROM records
  WHERE text <> '' AND status <> 'erased' AND rowid NOT IN (SELECT id FROM records_text_docsize)
  ORDER BY rowid LIMIT ?1
) UNION ALL SELECT * FROM (
  SELECT 'episode', id, text, '' FROM episodes
  WHERE text <> '' AND rowid NOT IN (SELECT id FROM episodes_text_docsize)
  ORDER BY rowid LIMIT ?1
) LIMIT ?1
"""
_NARROW_KEPT: Final = 64  # filters known to be selective
_SMALL: Final = 2000  # rows; below, every row with a term is ranked
_SPARE: Final = 20  # rows that are looked up beyond the limit, and beyond three times the limit


def _order(row: Row) -> tuple[float, int]:
    rowid, score, _ = cast("tuple[int, float, str | None]", row)
    return -score, rowid


def _best(rankings: list[list[Row]], count: int) -> list[Row]:
    """The first `count` rows of several rankings: the highest score first, then the oldest row."""
    if len(rankings) == 1:
        return rankings[0]
    return sorted((row for rows in rankings for row in rows), key=_order)[:count]


class TextSearchReads(Transaction):
    """The part of `ports.store.SearchReader` that needs no vectors."""

    @cached_property
    def _row_numbers(self) -> dict[tuple[Source, str], int]:
        """Row numbers by id of what a search of this snapshot has returned."""
        return {}

    def _lexical_hits(self, source: Source, rows: Sequence[Row]) -> tuple[Hit, ...]:
        hits = cast("Sequence[tuple[int, float, str]]", rows)
        self._row_numbers.update(((source, owner_id), rowid) for rowid, _, owner_id in hits)
        return tuple(Hit(id=owner_id, score=score) for _, score, owner_id in hits)

    def _condition(self, where: SearchFilter) -> Condition:
        return condition(where, self._now())

    def lexical(self, terms: Sequence[str], where: SearchFilter, limit: int) -> tuple[Hit, ...]:
        """BM25 over stemmed terms (any may match), filtered before ranking; higher is better.

        Of very many matching rows, those that contain the rarer terms are ranked (see `query_plan`).
        """
        wanted = tuple(dict.fromkeys(term for term in terms if term))
        if not wanted or limit < 1:
            return ()
        chosen = self._plan(wanted, where.source)
        if not chosen.scored:
            return ()
        hits = self._ranked_then_filtered(chosen, where, limit)
        if hits is not None:
            return hits
        passes = self._condition(where)
        rows = _best([self._ranked(words, passes, where, limit) for words in expressions(chosen)], limit)
        if len(rows) < limit and not chosen.is_whole:  # a selective filter: all rows that pass can be ranked
            rows = self._ranked(any_of(chosen.known), passes, where, limit)
        return self._lexical_hits(where.source, rows)

    def terms_from(self, prefix: str, source: Source, limit: int = -1) -> tuple[str, ...]:
        """The terms of the full-text index that begin with the prefix, in order; at most `limit` of them."""
        rows = self._rows(
            f"SELECT term FROM {source.value}s_terms WHERE term >= ? AND term < ? ORDER BY term LIMIT ?",
            (prefix, f"{prefix}\U0010ffff", limit),
        )
        return tuple(cast("str", term) for (term,) in rows)

    def _ranked_then_filtered(self, chosen: QueryPlan, where: SearchFilter, limit: int) -> tuple[Hit, ...] | None:
        """The hits, by ranking everything and filtering the first rows; None where too few of those pass.

        The first `limit` of these that pass are the first `limit` of all that pass, and looking up a few hundred rows
        is much cheaper than looking up every row that contains a term. Mostly all pass: first, few more are looked at.
        """
        if where.conversation is not None or where in self._cache.narrow:
            return None
        for count in (limit + _SPARE, 3 * limit + _SPARE):
            rankings = [self._first_rows(words, where, count) for words in expressions(chosen)]
            first = _best(rankings, count)
            hits = self._lexical_hits(where.source, [row for row in first if row[2] is not None][:limit])
            is_all = all(len(rows) < count for rows in rankings)
            if len(hits) == limit or (is_all and (chosen.is_whole or 2 * len(hits) >= len(first))):
                return hits
        with self._cache.lock:
            if len(self._cache.narrow) >= _NARROW_KEPT:
                self._cache.narrow.clear()
            self._cache.narrow.add(where)
        return None

    def _first_rows(self, words: str, where: SearchFilter, count: int) -> list[Row]:
        """The first rows of all: number, score, and the id where the row passes the filter."""
        passes = self._condition(where)
        table = f"{where.source.value}s_text"
        rows = "records r" if where.source is Source.RECORD else "episodes e"
        return self._rows(
            f"SELECT f.rowid, f.score, (SELECT {rows[-1]}.id FROM {rows} {passes.join} WHERE {rows[-1]}.rowid = f.rowid"
            f" AND {passes.where}) FROM (SELECT rowid, -bm25({table}) AS score FROM {table} WHERE terms MATCH ?"
            " ORDER BY score DESC, rowid LIMIT ?) f ORDER BY f.score DESC, f.rowid",
            (*passes.values, words, count),
        )

    def _allowed(self, rowids: Sequence[int], where: SearchFilter) -> dict[int, str]:
        """Those of the rows that pass the filter, each with the id of its record or episode."""
        passes = self._condition(where)
        table = "records r" if where.source is Source.RECORD else "episodes e"
        rows = self._rows(
            f"SELECT {table[-1]}.rowid, {table[-1]}.id FROM {table} {passes.join}"
            f" WHERE {table[-1]}.rowid IN (SELECT value FROM json_each(?)) AND {passes.where}",
            (dumps(list(rowids)), *passes.values),
        )
        return dict(cast("list[tuple[int, str]]", rows))

    def _plan(self, terms: tuple[str, ...], source: Source) -> QueryPlan:
        rows = self._number(f"SELECT max(rowid) FROM {source.value}s")
        if rows <= _SMALL and len(terms) <= MOST_TERMS:
            return QueryPlan(required=terms, scored=terms, known=terms)
        counted = self._rows(
            f"SELECT t.term, t.doc FROM json_each(?) j CROSS JOIN {source.value}s_terms t ON t.term = j.value",
            (dumps(terms),),
        )
        return plan_query(dict(cast("list[tuple[str, int]]", counted)), rows)

    def _ranked(self, words: str, passes: Condition, where: SearchFilter, limit: int) -> list[Row]:
        table = f"{where.source.value}s_text"
        rows = "records r" if where.source is Source.RECORD else "episodes e"
        alias = rows[-1]
        row_range, ends = "", cast("tuple[int, ...]", ())
        if where.source is Source.EPISODE and where.conversation is not None:
            row_range, ends = "AND f.rowid BETWEEN ? AND ?", self._ends_of(where.conversation)
        return self._rows(
            f"SELECT f.rowid, -bm25({table}) AS score, {alias}.id FROM {table} f"
            f" CROSS JOIN {rows} ON {alias}.rowid = f.rowid {passes.join}"
            f" WHERE f.terms MATCH ? {row_range} AND {passes.where} ORDER BY score DESC, f.rowid LIMIT ?",
            (words, *ends, *passes.values, limit),
        )

    def _ends_of(self, conversation: "ConversationId") -> tuple[int, int]:
        row = self._row("SELECT min(rowid), max(rowid) FROM episodes WHERE conversation = ?", (conversation,))
        first, last = cast("tuple[int | None, int | None]", row)
        return first or 0, last or 0

    def load_records(self, ids: Sequence[str], where: SearchFilter) -> "dict[str, Record]":
        """The records, checked once more against the filter; as believed then where it names a ledger entry."""
        passes = self._condition(where)
        rows = self._rows(
            f"SELECT {'s.image' if passes.join else RECORD_COLUMNS} FROM records r {passes.join}"
            f" WHERE r.id IN (SELECT value FROM json_each(?)) AND {passes.where}",
            (dumps(list(ids)), *passes.values),
        )
        records = self._decoded(_record_of_image_row if passes.join else record_of, rows)
        allowed: dict[str, Record] = {record.id: record for record in records}
        return {record_id: allowed[record_id] for record_id in ids if record_id in allowed}

    def record_briefs(self, ids: Sequence[str], where: SearchFilter) -> "dict[str, RecordBrief]":
        """Those of the records that pass the filter, as they are now: only what comparing them with words needs."""
        passes = self._condition(where)
        rows = self._rows(
            f"SELECT r.id, r.text, r.key, r.attributes FROM records r {passes.join}"
            f" WHERE r.id IN (SELECT value FROM json_each(?)) AND {passes.where}",
            (dumps(list(ids)), *passes.values),
        )
        return {brief.id: brief for brief in self._decoded(brief_of, rows)}

    def load_episodes(self, ids: Sequence[str], where: SearchFilter) -> "dict[str, Episode]":
        """The episodes, checked once more against the filter."""
        passes = self._condition(where)
        rows = self._rows(
            f"SELECT {_EPISODE} FROM episodes e WHERE e.id IN (SELECT value FROM json_each(?)) AND {passes.where}",
            (dumps(list(ids)), *passes.values),
        )
        allowed: dict[str, Episode] = {episode.id: episode for episode in self._decoded(episode_of, rows)}
        return {episode_id: allowed[episode_id] for episode_id in ids if episode_id in allowed}

    def turn_ids(self, conversation: "ConversationId", first: int, last: int) -> "dict[int, EpisodeId]":
        """Index in the conversation to episode, both ends inclusive."""
        rows = self._rows(
            "SELECT place, id FROM episodes WHERE conversation = ? AND place BETWEEN ? AND ? ORDER BY place, rowid",
            (conversation, first, last),
        )
        return dict(cast("list[tuple[int, EpisodeId]]", rows))

    def missing_terms(self, limit: int) -> tuple[UnindexedText, ...]:
        """Texts that the full-text index does not hold; records first."""
        from dopejar.ports.store import UnindexedText  # recall asks for none

        rows = cast("list[tuple[str, str, str, str]]", self._rows(_MISSING_TERMS, (limit,)))
        return tuple(
            UnindexedText(owner=Source(owner), owner_id=owner_id, text=text, key=key)
            for owner, owner_id, text, key in rows
        )

    def outbox(self, limit: int) -> tuple[Outbox, ...]:
        """The oldest work that commits left behind."""
        from dopejar.ports.store import Outbox  # recall asks for none

        rows = self._rows("SELECT seq, kind, owner, owner_id FROM outbox ORDER BY seq LIMIT ?", (limit,))
        lines = cast("list[tuple[int, str, str, str]]", rows)
        return tuple(
            Outbox(seq=seq, kind=kind, owner=Source(owner), owner_id=owner_id) for seq, kind, owner, owner_id in lines
        )

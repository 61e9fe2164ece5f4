"""What a store promises about following edges to what may be shown.

Takes: an opened store. Gives: one test per promise. Never: knows an adapter.
"""

from __future__ import annotations

from pathlib import Path

from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.testing.builders import a_record, insert_record
from dopejar.testing.store_contract_base import StoreContractBase
from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.ids import RecordId
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import Status
from dopejar.values.scope import ReadScope, Scope

HERE = SearchFilter(read_scope=ReadScope(), source=Source.RECORD)
EVERYWHERE = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.RECORD)


def mention(tx: WriteTransaction, name: str, *entities: str, **changes: object) -> RecordId:
    """A record of this name that mentions these entities."""
    record = a_record(name, "", **changes)
    insert_record(tx, record)
    kind = EdgeKind.RELATES_TO
    tx.put_edges([Edge(src=record.id, dst=entity, kind=kind, record_id=record.id) for entity in entities])
    return record.id


def alias(tx: WriteTransaction, name: str, other: str, main: str, **changes: object) -> None:
    """A record that says that two names mean one thing."""
    said_by = mention(tx, name, other, main, **changes)
    tx.put_edges([Edge(src=other, dst=main, kind=EdgeKind.ALIAS_OF, record_id=said_by)])


def linked(view: ReadView, *ends: str, where: SearchFilter = HERE, limit: int = 20) -> set[str]:
    """Ids of the records that are linked to the entities; each must load under the same filter."""
    ids = view.linked(ends, where, limit)
    assert list(view.load_records(ids, where)) == list(ids)
    assert len(ids) == len(set(ids)) <= limit
    return set(ids)


class GraphPromises(StoreContractBase):
    """From entities to the records that mention them."""

    def test_records_are_found_by_the_entities_they_mention(self, tmp_path: Path) -> None:
        """Each record once, of any of the entities, at most so many; nothing for what no record mentions."""
        with self.opened(tmp_path) as store:
            with store.read() as view:
                assert not view.has_edges()
                assert view.linked(["tool:whisk"], HERE, 20) == ()
            with store.write() as tx:
                mention(tx, "cake", "tool:whisk", "place:oven")
                mention(tx, "stew", "place:oven")
            with store.read() as view:
                assert view.has_edges()
                assert linked(view, "tool:whisk") == {"m_cake"}
                assert linked(view, "tool:whisk", "place:oven") == {"m_cake", "m_stew"}
                assert len(linked(view, "tool:whisk", "place:oven", limit=1)) == 1
                assert linked(view, "tool:sieve") == set()

    def test_other_names_lead_to_the_same_records(self, tmp_path: Path) -> None:
        """Aliases are followed in both directions, over several names, and in circles."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                mention(tx, "cake", "tool:whisk")
                alias(tx, "one", "tool:beater", "tool:whisk")
                alias(tx, "two", "thing:thrasher", "thing:beater")
                alias(tx, "three", "tool:whisk", "tool:thrasher")
            with store.read() as view:
                for name in ("tool:whisk", "tool:beater", "thing:thrasher"):
                    assert "m_cake" in linked(view, name)

    def test_what_everything_mentions_leads_nowhere(self, tmp_path: Path) -> None:
        """An entity of very many records is passed over; the others of the same question are not."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                for place in range(80):
                    mention(tx, f"r{place}", "place:kitchen")
                mention(tx, "cake", "place:kitchen", "tool:whisk")
            with store.read() as view:
                assert linked(view, "place:kitchen", "tool:whisk") == {"m_cake"}

    def test_the_filter_holds_for_every_edge(self, tmp_path: Path) -> None:
        """Neither a record, nor a name, nor an alias that the filter hides is followed or listed."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                mention(tx, "cake", "tool:whisk")
                mention(tx, "tart", "tool:whisk", "place:larder", scope=Scope.project("bakery"))
                mention(tx, "soup", "tool:whisk", "tool:ladle", status=Status.RETRACTED)
                alias(tx, "name", "tool:beater", "tool:whisk", scope=Scope.project("bakery"))
            with store.read() as view:
                assert linked(view, "tool:whisk") == {"m_cake"}
                assert linked(view, "tool:beater") == set()
                assert linked(view, "tool:beater", where=EVERYWHERE) == {"m_cake", "m_tart", "m_name"}
                assert view.entities(HERE, 10) == ("tool:whisk",)
                assert view.entities(EVERYWHERE, 10) == ("place:larder", "tool:beater", "tool:whisk")
                assert view.entities(EVERYWHERE, 1) == ("place:larder",)

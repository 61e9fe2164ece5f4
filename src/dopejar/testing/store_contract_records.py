"""What a store promises about records, their states, their evidence, proposals and edges.

Takes: an opened store. Gives: one test per promise. Never: knows an adapter.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from dopejar.errors import NotFoundError, StaleProposalError
from dopejar.ports.store import Tombstone
from dopejar.testing.builders import (
    a_record,
    an_episode,
    append_conversation,
    insert_record,
    raising,
    some_evidence,
    update_record,
)
from dopejar.testing.fixed_clock import NOON
from dopejar.testing.store_contract_base import StoreContractBase
from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.ids import ActId, RecordId, conversation_id
from dopejar.values.recall import RecordFilter, SearchFilter, Source
from dopejar.values.record import EvidenceRole, Kind, Layer, Status, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, ReadScope, Scope, Side

DAY = timedelta(days=1)


class RecordPromises(StoreContractBase):
    """Reading and writing what is believed."""

    def test_a_record_comes_back_as_it_was_written(self, tmp_path: Path) -> None:
        """Every field of a record survives the file."""
        full = a_record(
            "kettle",
            kind=Kind.CORRECTION,
            layer=Layer.INTENT,
            sublayer=Sublayer.ANTI_PATTERN,
            namespace=Namespace.TEST,
            scope=Scope.project("pantry"),
            side=Side.LEFT,
            status=Status.QUARANTINED,
            tags=("a", "b c", "日本"),
            pinned=True,
            valid_to=NOON + DAY,
            temporary=True,
            version=7,
            supersedes=RecordId("m_older"),
            superseded_by=RecordId("m_newer"),
            approved_by="rosa",
            helpful_count=3,
            harmful_count=1,
            last_accessed_at=NOON,
            attributes={"situation": "naïve “quotes”", "n": "1"},
        )
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, full)
                insert_record(tx, a_record("plain"))
                assert tx.record(full.id) == full
            with store.read() as view:
                assert view.record(full.id) == full
                assert view.record(RecordId("m_none")) is None
                both = view.records([RecordId("m_plain"), RecordId("m_none"), full.id])
                assert list(both) == [RecordId("m_plain"), full.id]
                assert both[full.id] == full

    def test_records_are_found_by_key_chain_content_and_prefix(self, tmp_path: Path) -> None:
        """Lookups give exactly the records of that key, chain or content, by `valid_from`, erased ones left out."""
        old = a_record("old", key="K", slot="s", status=Status.SUPERSEDED, valid_from=NOON - DAY, valid_to=NOON)
        new = a_record("new", key="K", slot="s")
        keyed = a_record("keyed", key="K", slot="", scope=Scope.project("x"))
        test = a_record("test", key="K", slot="s", namespace=Namespace.TEST)
        gone = a_record("gone", key="K", slot="s", status=Status.ERASED, text="", content_hash="")
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                for one in (new, old, keyed, test, gone):
                    insert_record(tx, one)
            with store.read() as view:
                assert view.chain(Namespace.PROD, UNIVERSAL, Side.NONE, "s") == (old, new)
                assert view.chain(Namespace.PROD, Scope.project("x"), Side.NONE, "K") == (keyed,)
                assert view.with_key(Namespace.PROD, UNIVERSAL, Side.NONE, "K") == (old, new)
                assert view.with_key(Namespace.PROD, UNIVERSAL, Side.LEFT, "K") == ()
                assert {record.id for record in view.with_key_anywhere("K")} == {old.id, new.id, keyed.id, test.id}
                assert view.with_key_anywhere("K")[-1] == old
                assert view.with_content(Namespace.PROD, new.content_hash) == (new,)
                assert view.with_content(Namespace.EPHEMERAL, new.content_hash) == ()
                assert view.chain(Namespace.PROD, UNIVERSAL, Side.NONE, "") == ()
                assert view.find_record_id("m_ne") == (new.id,)
                assert len(view.find_record_id("m_")) == 5
                assert view.find_record_id("m_zz") == ()

    def test_one_key_has_one_present(self, tmp_path: Path) -> None:
        """A second active record of a key is refused; other scopes, kinds, temporary and past ones are not."""
        first = a_record("first", key="K")
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, first)
                insert_record(tx, a_record("there", key="K", scope=Scope.project("x")))
                insert_record(tx, a_record("bullet-a", key="K", kind=Kind.BULLET))
                insert_record(tx, a_record("bullet-b", key="K", kind=Kind.BULLET))
                insert_record(tx, a_record("today", key="K", temporary=True))
                insert_record(tx, a_record("staged", key="K", status=Status.STAGED))
                insert_record(tx, a_record("nameless-a", key=""))
                insert_record(tx, a_record("nameless-b", key=""))
            with raising(StaleProposalError, "K"), store.write() as tx:
                insert_record(tx, a_record("second", key="K"))
            with store.write() as tx:
                update_record(tx, replace(first, status=Status.SUPERSEDED, valid_to=NOON, version=2))
                insert_record(tx, a_record("second", key="K"))

    def test_states_follow_the_ledger(self, tmp_path: Path) -> None:
        """Each state holds the record as it stood, from its entry to the next one's, under the act that made it."""
        first = a_record("lamp")
        second = replace(first, text="The lamp stands in the hall.", version=2)
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                one = insert_record(tx, first, act_id="a_one")
            with store.write() as tx:
                two = update_record(tx, second, act_id="a_two")
            with store.read() as view:
                states = view.states(first.id)
                assert [(state.record, state.from_seq, state.to_seq, state.act_id) for state in states] == [
                    (first, one, two, "a_one"),
                    (second, two, None, "a_two"),
                ]
                assert view.states_of_act(ActId("a_two")) == states[1:]
                assert view.states(RecordId("m_none")) == ()

    def test_evidence_is_replaced_whole_and_read_by_time(self, tmp_path: Path) -> None:
        """A record's evidence is what was put last, oldest first; records are found by the episodes they rest on."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                late, early = append_conversation(tx, "It stands here.", "It has stood here.")
                newer = some_evidence(late, at=NOON + DAY, trust=0.7, confidence=0.5, certainty=0.25)
                older = some_evidence(early, start=3, role=EvidenceRole.CONTEXT)
                insert_record(tx, a_record("jar"), [some_evidence(early)])
                tx.put_evidence(RecordId("m_jar"), [newer, older])
                insert_record(tx, a_record("tin"), [some_evidence(late)])
            with store.read() as view:
                assert view.evidence(RecordId("m_jar")) == (older, newer)
                assert view.evidence(RecordId("m_none")) == ()
                both = view.evidence_of([RecordId("m_jar"), RecordId("m_tin"), RecordId("m_none")])
                assert both == {"m_jar": (older, newer), "m_tin": (some_evidence(late),)}
                assert view.resting_on([early.id]) == ("m_jar",)
                assert view.resting_on([early.id, late.id]) == ("m_jar", "m_tin")
                assert view.resting_on([an_episode("", 9).id]) == ()
                assert view.evidence_in([early.id]) == {"m_jar": (older,)}
                assert view.evidence_in([early.id, late.id]) == both
                assert view.evidence_in([an_episode("", 9).id]) == {}
                stated = view.stated_in([early.id, late.id])
                assert stated == (
                    ("m_jar", late.id, newer.start, newer.end),
                    ("m_tin", late.id, newer.start, newer.end),
                )
                where = SearchFilter(read_scope=ReadScope(), source=Source.RECORD)
                for name, brief in view.record_briefs(list(both), where).items():
                    record = view.load_records([name], where)[name]
                    assert brief == (record.id, record.text, record.key, record.attributes)

    def test_citations_are_the_newest_turns_that_still_speak_for_a_record(self, tmp_path: Path) -> None:
        """One citation a turn, oldest first, at most so many; what was withdrawn, and an outcome, is none."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                first, second, third, gone, fared = append_conversation(tx, "One.", "Two.", "Three.", "Gone.", "Fared.")
                rests_on = [
                    some_evidence(first, at=NOON),
                    some_evidence(second, at=NOON + DAY),
                    some_evidence(third, at=NOON + 2 * DAY, start=1),
                    some_evidence(third, at=NOON + 2 * DAY, start=2),
                    some_evidence(gone, at=NOON + 3 * DAY, role=EvidenceRole.WITHDRAWN),
                    some_evidence(fared, at=NOON + 3 * DAY, role=EvidenceRole.OUTCOME),
                ]
                insert_record(tx, a_record("jar"), rests_on)
            with store.read() as view:
                ids = [RecordId("m_jar"), RecordId("m_none")]
                every = view.citations_of(ids, 9)
                assert [citation.episode_id for citation in every[RecordId("m_jar")]] == [first.id, second.id, third.id]
                newest = view.citations_of(ids, 2)[RecordId("m_jar")]
                assert [citation.episode_id for citation in newest] == [second.id, third.id]
                one = every[RecordId("m_jar")][0]
                assert (one.conversation, one.at, one.origin) == (first.conversation, first.at, first.origin)
                assert one.speaker == (first.speaker or first.origin.value)
                assert one.quote == rests_on[0].wording
                assert every.keys() == {"m_jar"}

    def test_the_access_count_is_episodes_that_assert_and_uses(self, tmp_path: Path) -> None:
        """Two episodes that assert a record and three uses make five; the last use or word is the last access."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                a, b, c = append_conversation(tx, "First.", "Second.", "Third.")
                context = some_evidence(c, role=EvidenceRole.CONTEXT)
                asserting = [some_evidence(a), some_evidence(b), some_evidence(b, start=2)]
                insert_record(tx, a_record("cup"), [*asserting, context])
                for hour in (3, 1, 2):
                    tx.note_used([RecordId("m_cup"), RecordId("m_none")], NOON + timedelta(hours=hour))
            with store.read() as view:
                record = view.record(RecordId("m_cup"))
                assert record is not None
                assert record.access_count == 5
                assert record.last_accessed_at == NOON + timedelta(hours=3)
                assert view.used_since(NOON + timedelta(hours=3), 5) == (("m_cup", 3),)
                assert view.used_since(NOON + timedelta(hours=4), 5) == ()
            for said_again, last in ((2, 3), (5, 5)):
                at = NOON + timedelta(hours=said_again)
                with store.write() as tx:
                    update_record(tx, replace(record, version=record.version + 1, last_accessed_at=at))
                with store.read() as view:
                    read = view.record(record.id)
                    assert read is not None
                    assert read.last_accessed_at == NOON + timedelta(hours=last)
                    record = read

    def test_listing_filters_and_pages(self, tmp_path: Path) -> None:
        """A listing shows what fits every filter, newest first; pages neither repeat nor skip."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                (said,) = append_conversation(tx, "All of it.")
                for place in range(7):
                    record = a_record(f"r{place}", created_at=NOON + DAY * (place // 2), tags=(f"t{place % 2}",))
                    insert_record(tx, record, [some_evidence(said)] if place < 2 else None)
                insert_record(tx, a_record("rule", kind=Kind.RULE, scope=Scope.project("x"), side=Side.LEFT))
                insert_record(tx, a_record("staged", status=Status.STAGED))
                insert_record(tx, a_record("test", namespace=Namespace.TEST))
            with store.read() as view:

                def ids(where: RecordFilter) -> list[str]:
                    return [record.id for record in view.list_records(where, 50)]

                facts = RecordFilter(kinds=(Kind.FACT,))
                assert ids(facts) == ["m_r6", "m_r5", "m_r4", "m_r3", "m_r2", "m_r1", "m_r0"]
                pages, after = [], None
                while page := view.list_records(facts, 3, after):
                    pages += [record.id for record in page]
                    after = page[-1].id
                assert pages == ids(facts)
                assert ids(RecordFilter(scopes=(Scope.project("x"),))) == ["m_rule"]
                assert ids(RecordFilter(side=Side.LEFT)) == ["m_rule"]
                assert ids(RecordFilter(statuses=(Status.STAGED,))) == ["m_staged"]
                assert ids(RecordFilter(namespace=Namespace.TEST)) == ["m_test"]
                assert len(ids(RecordFilter(statuses=(), namespace=None))) == 10
                assert ids(RecordFilter(tag="t1")) == ["m_r5", "m_r3", "m_r1"]
                assert ids(RecordFilter(key_prefix="Pantry-R3")) == ["m_r3"]
                named = (RecordId("m_r1"), RecordId("m_r4"), RecordId("m_staged"), RecordId("m_none"))
                assert ids(RecordFilter(ids=named)) == ["m_r4", "m_r1"]
                assert ids(RecordFilter(conversation=conversation_id("kitchen-notes", "monday"))) == ["m_r1", "m_r0"]
                with raising(NotFoundError, "m_none"):
                    view.list_records(facts, 3, RecordId("m_none"))
            with store.write() as tx:
                insert_record(tx, a_record("brief", kind=Kind.ALIAS, valid_to=NOON + DAY, temporary=True))
            with store.read() as view:
                aliases = RecordFilter(kinds=(Kind.ALIAS,))
                for days, listed in ((None, 1), (0, 1), (1, 0), (2, 0)):
                    then = None if days is None else NOON + DAY * days
                    assert len(view.list_records(replace(aliases, holds_at=then), 9)) == listed
            with store.write() as tx:
                insert_record(tx, a_record("until", kind=Kind.RULE, status=Status.SUPERSEDED, valid_to=NOON + DAY))
            with store.read() as view:
                rules = RecordFilter(kinds=(Kind.RULE,), scopes=(UNIVERSAL,))
                for days, listed in ((None, 0), (-1, 0), (0, 1), (1, 0)):
                    then = None if days is None else NOON + DAY * days
                    assert len(view.list_records(replace(rules, holds_at=then), 9)) == listed

    def test_edges_are_a_set_read_from_both_ends(self, tmp_path: Path) -> None:
        """An edge stands once, is found from either end and by kind, and goes with the record it was read from."""
        uses = Edge(src="person:ana", dst="tool:loom", kind=EdgeKind.USES, record_id=RecordId("m_a"))
        part = Edge(src="tool:loom", dst="project:cloth", kind=EdgeKind.PART_OF)
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                tx.put_edges([uses, part])
                tx.put_edges([uses])
            with store.read() as view:
                assert set(view.edges(["tool:loom"])) == {uses, part}
                assert view.edges(["tool:loom"], [EdgeKind.USES]) == (uses,)
                assert view.edges(["person:ana", "project:cloth"]) == tuple(sorted((uses, part), key=lambda e: e.src))
                assert view.edges(["person:nobody"]) == ()
                assert view.sizes().edges == 2
            with store.write() as tx:
                tx.drop_edges_of(RecordId("m_a"))
                assert tx.edges(["tool:loom"]) == (part,)

    def test_a_neighbourhood_grows_by_hops(self, tmp_path: Path) -> None:
        """Edges come nearest first, in both directions, through cycles, at most as far and as many as asked for."""
        chain = [Edge(src=f"n{i}", dst=f"n{i + 1}", kind=EdgeKind.RELATES_TO) for i in range(5)]
        back = Edge(src="n2", dst="n0", kind=EdgeKind.REFERENCES)
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                tx.put_edges([*chain, back])
            with store.read() as view:
                assert set(view.neighbourhood("n0", 1, 10)) == {chain[0], back}
                assert set(view.neighbourhood("n0", 2, 10)) == {chain[0], back, chain[1], chain[2]}
                assert set(view.neighbourhood("n5", 1, 10)) == {chain[4]}
                three = view.neighbourhood("n0", 3, 10)
                assert set(three[:2]) == {chain[0], back}
                assert set(three) == {*chain[:4], back}
                assert view.neighbourhood("n0", 3, 2) == three[:2]
                assert view.neighbourhood("nobody", 3, 10) == ()

    def test_tombstones_are_told_by_kind(self, tmp_path: Path) -> None:
        """A digest that was buried is buried under its kind alone, and keeps its time."""
        stone = Tombstone(kind="text", digest="aa", at=NOON)
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                assert not tx.has_tombstones()
                tx.put_tombstones([stone, Tombstone(kind="key", digest="bb", at=NOON)])
                tx.put_tombstones([replace(stone, at=NOON + DAY)])
            with store.read() as view:
                assert view.has_tombstones()
                assert view.has_tombstone("text", ["zz", "bb", "aa"]) == ("aa",)
                assert view.has_tombstone("source", ["aa"]) == ()
                assert set(view.tombstones()) == {stone, Tombstone(kind="key", digest="bb", at=NOON)}

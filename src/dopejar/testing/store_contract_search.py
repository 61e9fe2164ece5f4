"""What a store promises about searching by words.

Takes: an opened store. Gives: one test per promise. Never: knows an adapter.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from dopejar.ports.store import ReadView
from dopejar.testing.builders import (
    a_conversation,
    a_record,
    an_episode,
    append_conversation,
    append_turns,
    insert_record,
    some_evidence,
    update_record,
)
from dopejar.testing.fixed_clock import NOON, FixedClock
from dopejar.testing.store_contract_base import StoreContractBase
from dopejar.text.words import query_terms, record_terms
from dopejar.values.episode import Origin
from dopejar.values.ids import conversation_id
from dopejar.values.recall import RecordFilter, SearchFilter, Source
from dopejar.values.record import Kind, Status
from dopejar.values.scope import EVERY_LANGUAGE, UNIVERSAL, Namespace, ReadScope, Scope

DAY = timedelta(days=1)
RECORDS = SearchFilter(read_scope=ReadScope(), source=Source.RECORD)
EPISODES = SearchFilter(read_scope=ReadScope(), source=Source.EPISODE)


def find_ids(view: ReadView, words: str, where: SearchFilter = RECORDS, limit: int = 20) -> list[str]:
    """Ids of what the words find, best first; every hit must load under the same filter."""
    ids = [hit.id for hit in view.lexical(query_terms(words), where, limit)]
    records = view.load_records(ids, where) if where.source is Source.RECORD else {}
    episodes = view.load_episodes(ids, where) if where.source is Source.EPISODE else {}
    assert [*records, *episodes] == ids
    return ids


class SearchPromises(StoreContractBase):
    """BM25, filtered before ranking."""

    def test_terms_of_the_index_are_listed_by_their_beginning(self, tmp_path: Path) -> None:
        """Each once, in order."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, a_record("one", "Saffron and sage grow by the salt."))
                insert_record(tx, a_record("two", "Salt and pepper."))
            with store.read() as view:
                assert view.terms_from("sa", Source.RECORD) == ("saffron", "sage", "salt")
                assert view.terms_from("sa", Source.RECORD, 2) == ("saffron", "sage")
                assert view.terms_from("salt", Source.RECORD, 1) == ("salt",)
                assert view.terms_from("z", Source.EPISODE) == ()

    def test_better_fits_come_first(self, tmp_path: Path) -> None:
        """Any term may match; more and rarer terms score higher, and scores fall along the hits."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                for place in range(30):
                    insert_record(tx, a_record(f"f{place}", f"Shelf {place} holds flour{' and sugar' * (place < 10)}."))
                insert_record(tx, a_record("best", "Saffron and sugar lie in the tin."))
                insert_record(tx, a_record("next", "Saffron costs a lot."))
            with store.read() as view:
                assert find_ids(view, "Where are saffron and sugar?")[:2] == ["m_best", "m_next"]
                scores = [hit.score for hit in view.lexical(["saffron", "sugar"], RECORDS, 50)]
                assert len(scores) == 12
                assert scores == sorted(scores, reverse=True)
                assert len(view.lexical(["saffron", "sugar"], RECORDS, 3)) == 3
                assert view.lexical([], RECORDS, 3) == ()
                assert view.lexical(["nowhere"], RECORDS, 3) == ()
                assert view.lexical(["sugar"], RECORDS, 0) == ()

    def test_any_sign_may_stand_in_a_term(self, tmp_path: Path) -> None:
        """Terms with quotes, stars, points, plus signs or foreign letters are words, never query syntax."""
        texts = ("Set --dry-run on v1.2", 'He said "AND NOT" loudly*', "C++ at 0.0.0.0", "日本語の棚", "Чайник кипит")
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                for place, text in enumerate(texts):
                    insert_record(tx, a_record(f"t{place}", text))
            with store.read() as view:
                for place, text in enumerate(texts):
                    assert find_ids(view, text)[0] == f"m_t{place}"
                for odd in ('"', "*", "NEAR(", "terms:", "a OR b", "^x", "'", "\\", "(", "{}"):
                    view.lexical([odd], RECORDS, 5)

    def test_the_key_is_searched_as_well(self, tmp_path: Path) -> None:
        """Words of a record's key find it, and no longer once the key has changed."""
        record = a_record("urn", "It stands on the left.", key="Samovar-Place")
        with self.opened(tmp_path) as store, store.write() as tx:
            insert_record(tx, record)
            assert find_ids(tx, "samovar") == ["m_urn"]
            update_record(tx, replace(record, key="Urn-Place"))
            assert find_ids(tx, "samovar") == []
            assert find_ids(tx, "urn") == ["m_urn"]

    def test_only_what_holds_is_found(self, tmp_path: Path) -> None:
        """Without a time: active records that still hold. Staged, rejected, retracted, deprecated and erased never."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                for status in Status:
                    text = "" if status is Status.ERASED else "The honey is here."
                    ended = NOON if status is Status.SUPERSEDED else None
                    insert_record(tx, a_record(status.value, text, status=status, key="", valid_to=ended))
                insert_record(tx, a_record("ended", "The honey was there.", valid_to=NOON, temporary=True))
                insert_record(tx, a_record("ends", "The honey is there today.", valid_to=NOON + DAY, temporary=True))
            with store.read() as view:
                assert set(find_ids(view, "honey")) == {"m_active", "m_ends"}

    def test_what_ends_is_not_found_after_its_end(self, tmp_path: Path) -> None:
        """The clock alone decides that a temporary statement is over."""
        clock = FixedClock()
        with self.opened(tmp_path, clock) as store:
            with store.write() as tx:
                insert_record(tx, a_record("today", "Honey is on sale.", valid_to=NOON + DAY, temporary=True))
            with store.read() as view:
                assert find_ids(view, "honey") == ["m_today"]
            clock.advance(DAY)
            with store.read() as view:
                assert find_ids(view, "honey") == []

    def test_what_is_to_come_is_not_found_before_its_time(self, tmp_path: Path) -> None:
        """Until its `valid_from` the value before it holds, though it is superseded already."""
        clock = FixedClock()
        with self.opened(tmp_path, clock) as store:
            with store.write() as tx:
                is_ = a_record("is", "Honey is on shelf one.", valid_to=NOON + DAY)
                insert_record(tx, replace(is_, status=Status.SUPERSEDED, key=""))
                insert_record(tx, a_record("comes", "Honey is on shelf two.", valid_from=NOON + DAY))
            with store.read() as view:
                assert find_ids(view, "honey") == ["m_is"]
            clock.advance(DAY)
            with store.read() as view:
                assert find_ids(view, "honey") == ["m_comes"]

    def test_what_is_to_come_is_found_where_it_is_asked_for(self, tmp_path: Path) -> None:
        """With `announced`: beside what holds now, what holds from a later day on; never an announcement that fell."""
        asked = replace(RECORDS, announced=True)
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                is_ = a_record("is", "Honey is on shelf one.", valid_to=NOON + DAY)
                insert_record(tx, replace(is_, status=Status.SUPERSEDED, key=""))
                later = a_record("fell", "Honey is on shelf three.", valid_from=NOON + DAY, valid_to=NOON + 2 * DAY)
                insert_record(tx, replace(later, status=Status.SUPERSEDED, key=""))
                insert_record(tx, a_record("comes", "Honey is on shelf two.", valid_from=NOON + 2 * DAY, key="K"))
                window = a_record("window", "Honey is off.", valid_from=NOON + DAY, valid_to=NOON + 3 * DAY, key="W")
                insert_record(tx, replace(window, temporary=True))
                gone = a_record("gone", "Honey is out.", valid_from=NOON + DAY, key="G")
                insert_record(tx, replace(gone, status=Status.RETRACTED))
            with store.read() as view:
                assert set(find_ids(view, "honey", asked)) == {"m_is", "m_comes", "m_window"}
                assert find_ids(view, "honey", replace(asked, valid_at=NOON)) == ["m_is"]

    def test_the_present_is_never_before_the_newest_ledger_entry(self, tmp_path: Path) -> None:
        """What was committed is found, although the clock was set back behind it."""
        clock = FixedClock()
        with self.opened(tmp_path, clock) as store:
            with store.write() as tx:
                insert_record(tx, a_record("is", "Honey is on shelf one."))
            clock.advance(-3 * DAY)
            with store.read() as view:
                assert find_ids(view, "honey") == ["m_is"]

    def test_at_a_time_what_was_true_then_is_found(self, tmp_path: Path) -> None:
        """With `valid_at`: what held then, superseded records included; from `valid_from` on, before `valid_to`."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                was = a_record("was", "Honey is on shelf one.", valid_from=NOON - 2 * DAY)
                insert_record(tx, replace(was, status=Status.SUPERSEDED, valid_to=NOON, key=""))
                insert_record(tx, a_record("is", "Honey is on shelf two.", valid_from=NOON))
                insert_record(tx, replace(was, id=a_record("never").id, status=Status.RETRACTED, key=""))
            with store.read() as view:

                def at(days: int) -> list[str]:
                    return find_ids(view, "honey", replace(RECORDS, valid_at=NOON + DAY * days))

                assert [at(-3), at(-2), at(-1), at(0), at(9)] == [[], ["m_was"], ["m_was"], ["m_is"], ["m_is"]]

    def test_at_a_ledger_entry_what_was_believed_then_is_found(self, tmp_path: Path) -> None:
        """With `believed_seq`: records in force at that entry, as they stood then."""
        first = a_record("honey", "Honey is on shelf one.")
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                one = insert_record(tx, first)
                two = update_record(tx, replace(first, status=Status.RETRACTED, version=2))
                three = update_record(tx, replace(first, version=3, pinned=True))
            with store.read() as view:

                def then(seq: int) -> SearchFilter:
                    return replace(RECORDS, believed_seq=seq)

                believed = [find_ids(view, "honey", then(seq)) for seq in (0, one, two, three)]
                assert believed == [[], ["m_honey"], [], ["m_honey"]]
                assert [hit.id for hit in view.lexical(["honey"], then(one), 5)] == [first.id]
                assert view.load_records([first.id], then(one)) == {first.id: first}

    def test_scopes_namespaces_and_kinds_are_kept_apart(self, tmp_path: Path) -> None:
        """A hit lies in the reading's namespace and scopes and has one of the kinds; all projects means all scopes."""
        home, work, go = Scope.project("home"), Scope.project("work"), Scope.language("go")
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, a_record("any", "Honey is sweet."))
                insert_record(tx, a_record("go", "Honey is a type.", scope=go))
                insert_record(tx, a_record("home", "Honey is at home.", scope=home))
                insert_record(tx, a_record("work", "Honey is at work.", scope=work, kind=Kind.RULE))
                insert_record(tx, a_record("test", "Honey is a test.", namespace=Namespace.TEST))
            with store.read() as view:

                def seen(read_scope: ReadScope, kinds: tuple[Kind, ...] = ()) -> set[str]:
                    return set(find_ids(view, "honey", replace(RECORDS, read_scope=read_scope, kinds=kinds)))

                assert seen(ReadScope()) == {"m_any"}
                assert seen(ReadScope(scopes=(UNIVERSAL, home))) == {"m_any", "m_home"}
                assert seen(ReadScope(scopes=(UNIVERSAL, go))) == {"m_any", "m_go"}
                assert seen(ReadScope(scopes=(home, EVERY_LANGUAGE))) == {"m_home", "m_go"}
                listed = RecordFilter(scopes=(home, EVERY_LANGUAGE))
                assert {record.id for record in view.list_records(listed, 9)} == {"m_home", "m_go"}
                assert seen(ReadScope(all_projects=True, scopes=())) == {"m_any", "m_home", "m_work", "m_go"}
                assert seen(ReadScope(scopes=())) == set()
                assert seen(ReadScope(namespace=Namespace.TEST)) == {"m_test"}
                assert seen(ReadScope(all_projects=True), (Kind.RULE, Kind.ALIAS)) == {"m_work"}

    def test_unproven_bullets_are_shown_to_who_asks_for_bullets(self, tmp_path: Path) -> None:
        """A quarantined bullet is found where bullets are asked for by kind, and nowhere else."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, a_record("bullet", "Stir the honey.", kind=Kind.BULLET, status=Status.QUARANTINED))
                insert_record(tx, a_record("fact", "Honey is sweet.", status=Status.QUARANTINED))
            with store.read() as view:
                assert find_ids(view, "honey") == []
                assert find_ids(view, "honey", replace(RECORDS, kinds=(Kind.BULLET, Kind.FACT))) == ["m_bullet"]

    def test_conversation_and_origin_narrow_both_sources(self, tmp_path: Path) -> None:
        """Episodes by their own conversation and origin, records by those of their evidence."""
        monday = conversation_id("kitchen-notes", "monday")
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                (a,) = append_conversation(tx, "Honey on monday.")
                tx.put_conversation(a_conversation("tuesday"))
                b = an_episode("Honey on tuesday.", 0, "tuesday", origin=Origin.TOOL)
                append_turns(tx, [b])
                insert_record(tx, a_record("mon", "Honey stands high."), [some_evidence(a)])
                insert_record(tx, a_record("tue", "Honey stands low."), [some_evidence(b)])
            with store.read() as view:
                assert set(find_ids(view, "honey", EPISODES)) == {a.id, b.id}
                assert find_ids(view, "honey", replace(EPISODES, conversation=monday)) == [a.id]
                assert a.id not in find_ids(view, "honey", replace(EPISODES, without=(monday,)))
                assert find_ids(view, "honey", replace(EPISODES, origins=(Origin.TOOL,))) == [b.id]
                assert find_ids(view, "honey", replace(RECORDS, conversation=monday)) == ["m_mon"]
                assert find_ids(view, "honey", replace(RECORDS, origins=(Origin.TOOL,))) == ["m_tue"]
                both = replace(RECORDS, conversation=monday, origins=(Origin.TOOL,))
                assert find_ids(view, "honey", both) == []

    def test_episodes_of_other_projects_stay_there(self, tmp_path: Path) -> None:
        """Inside a project: its episodes and those of none. Others only where all projects are asked for."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                tx.put_conversation(a_conversation())
                projects = ("", "home", "work")
                told = [an_episode(f"Honey {place}.", place, project=name) for place, name in enumerate(projects)]
                append_turns(tx, told)
            with store.read() as view:

                def seen(read_scope: ReadScope) -> set[str]:
                    return set(find_ids(view, "honey", replace(EPISODES, read_scope=read_scope)))

                assert seen(ReadScope()) == {told[0].id}
                assert seen(ReadScope(scopes=(UNIVERSAL, Scope.project("home")))) == {told[0].id, told[1].id}
                assert seen(ReadScope(all_projects=True)) == {one.id for one in told}

    def test_loading_checks_the_filter_again(self, tmp_path: Path) -> None:
        """Rows that an index names wrongly are left out when they are loaded."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, a_record("seen", "Honey is here."))
                insert_record(tx, a_record("work", "Honey is there.", scope=Scope.project("work")))
            with store.read() as view:
                everywhere = replace(RECORDS, read_scope=ReadScope(all_projects=True))
                ids = [hit.id for hit in view.lexical(["honey"], everywhere, 9)]
                assert len(ids) == 2
                assert list(view.load_records([*ids, "m_none"], RECORDS)) == ["m_seen"]
                assert view.load_episodes(["e_none"], EPISODES) == {}

    def test_the_text_index_can_be_rebuilt(self, tmp_path: Path) -> None:
        """Everything that has a text and no terms is listed with its text; given its terms, it is found as before."""
        with self.opened(tmp_path) as store, store.write() as tx:
            insert_record(tx, a_record("honey", "Honey is sweet."))
            insert_record(tx, a_record("gone", "", status=Status.ERASED))
            before = find_ids(tx, "honey"), find_ids(tx, "honey", EPISODES)
            assert tx.missing_terms(9) == ()
            tx.drop_terms()
            assert (find_ids(tx, "honey"), find_ids(tx, "honey", EPISODES)) == ([], [])
            missing = tx.missing_terms(9)
            assert [text.owner for text in missing] == [Source.RECORD, Source.EPISODE, Source.EPISODE]
            assert (missing[0].owner_id, missing[0].text, missing[0].key) == (
                "m_honey", "Honey is sweet.", "Pantry-Honey-Place"
            )  # fmt: skip
            assert tx.missing_terms(1) == missing[:1]
            for text in missing:
                terms = record_terms(text.text, text.key)
                tx.put_terms(text.owner, [(text.owner_id, terms)])
            assert tx.missing_terms(9) == ()
            assert (find_ids(tx, "honey"), find_ids(tx, "honey", EPISODES)) == before

    def test_what_has_no_text_has_no_terms(self, tmp_path: Path) -> None:
        """Terms of a record or an episode without a text, or of nothing at all, are not kept."""
        with self.opened(tmp_path) as store, store.write() as tx:
            insert_record(tx, a_record("gone", "", status=Status.ERASED), [])
            (said,) = append_conversation(tx, "")
            for source, owner_id in ((Source.RECORD, "m_gone"), (Source.RECORD, "m_none"), (Source.EPISODE, said.id)):
                tx.put_terms(source, [(owner_id, ["honey"])])
            assert (find_ids(tx, "honey"), find_ids(tx, "honey", EPISODES)) == ([], [])
            insert_record(tx, a_record("here"))

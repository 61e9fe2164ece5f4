"""What a store promises about held rows.

Takes: an opened store. Gives: one test per promise. Never: knows an adapter.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from dopejar.errors import StaleProposalError
from dopejar.testing.builders import raising
from dopejar.testing.fixed_clock import NOON
from dopejar.testing.store_contract_base import StoreContractBase
from dopejar.values.versioned_rows import KeyValueRow, SharedReference, WorkingSet

HOUR = timedelta(hours=1)


class HeldPromises(StoreContractBase):
    """Working sets, references, versioned rows, reviewers, the store's own values."""

    def test_working_sets_are_isolated_and_versioned(self, tmp_path: Path) -> None:
        """A set is seen by its problem and lane alone; a write from an older version is refused."""
        mine = WorkingSet(problem_id="soup", lane_id="", body='{"a":1}', expires_at=NOON + HOUR)
        lane = replace(mine, lane_id="left", body="{}")
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                tx.put_working_set(mine)
                tx.put_working_set(lane)
            with store.write() as tx:
                assert tx.working_set("soup") == replace(mine, version=1)
                tx.put_working_set(replace(mine, body="{}", version=1))
            with raising(StaleProposalError, "soup"), store.write() as tx:
                tx.put_working_set(replace(mine, version=1))
            with store.read() as view:
                assert view.working_set("soup") == replace(mine, body="{}", version=2)
                assert view.working_set("soup", "left") == replace(lane, version=1)
                assert view.working_set("stew") is None
            with store.write() as tx:
                assert tx.working_sets() == (replace(mine, body="{}", version=2), replace(lane, version=1))
                tx.drop_working_set("soup")
                assert tx.working_set("soup") is None
                assert tx.working_set("soup", "left") is not None

    def test_held_rows_are_versioned(self, tmp_path: Path) -> None:
        """A row moves by one version at a time; kinds are apart; a dropped row begins anew."""
        row = KeyValueRow(kind="job", key="a", body="1")
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                tx.put_held(row)
                tx.put_held(KeyValueRow(kind="job", key="b", body="2", expires_at=NOON))
                tx.put_held(KeyValueRow(kind="turn", key="a", body="3"))
            with raising(StaleProposalError, "job"), store.write() as tx:
                tx.put_held(row)
            with store.write() as tx:
                tx.put_held(replace(row, body="4", version=1))
            with store.read() as view:
                assert view.held("job", "a") == replace(row, body="4", version=2)
                assert view.held("job", "c") is None
                assert [row.body for row in view.held_of("job")] == ["4", "2"]
                assert view.held_of("none") == ()
                assert [kind for kind in view.held_kinds() if kind in ("job", "none", "turn")] == ["job", "turn"]
            with store.write() as tx:
                tx.drop_held("job", "a")
                tx.put_held(row)

    def test_what_is_over_can_be_dropped(self, tmp_path: Path) -> None:
        """Rows whose time is over go; those without an end, and those that still last, stay."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                for place, at in enumerate((NOON - HOUR, NOON, NOON + HOUR, None)):
                    tx.put_held(KeyValueRow(kind="job", key=str(place), body="", expires_at=at))
                tx.put_working_set(WorkingSet(problem_id="old", lane_id="", body="", expires_at=NOON - HOUR))
                tx.put_working_set(WorkingSet(problem_id="new", lane_id="", body="", expires_at=NOON + HOUR))
            with store.write() as tx:
                assert tx.drop_expired(NOON) == 3
                assert [row.key for row in tx.held_of("job")] == ["2", "3"]
                assert tx.working_set("old") is None
                assert tx.working_set("new") is not None
                assert tx.drop_expired(NOON) == 0

    def test_references_keep_their_versions(self, tmp_path: Path) -> None:
        """Every version stays citable; the newest is read unless one is named; a taken version is refused."""
        star = SharedReference(
            key="north-star/taste", value='"good"', version=1, source="talk", updated_by="ana", updated_at=NOON
        )
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                tx.put_reference(star)
                tx.put_reference(replace(star, value='"better"', version=2))
                tx.put_reference(replace(star, key="people/ana"))
            for taken in (1, 2):
                with raising(StaleProposalError, "north-star"), store.write() as tx:
                    tx.put_reference(replace(star, version=taken))
            with store.read() as view:
                assert view.reference(star.key) == replace(star, value='"better"', version=2)
                assert view.reference(star.key, 1) == star
                assert view.reference(star.key, 3) is None
                assert view.reference("nothing") is None
                assert [(reference.key, reference.version) for reference in view.references()] == [
                    ("north-star/taste", 2),
                    ("people/ana", 1),
                ]
                assert [reference.key for reference in view.references("north-star/")] == ["north-star/taste"]
            with store.write() as tx:
                tx.drop_reference(star.key)
            with store.read() as view:
                assert [reference.key for reference in view.references()] == ["people/ana"]
                assert view.reference(star.key, 1) is None

    def test_reviewers_are_kept_by_name(self, tmp_path: Path) -> None:
        """A reviewer's hash is read by name, can be replaced and removed."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                tx.put_reviewer("rosa", "hash-one")
                tx.put_reviewer("ana", "hash-two")
                tx.put_reviewer("rosa", "hash-three")
            with store.read() as view:
                assert view.reviewers() == ("ana", "rosa")
                assert view.reviewer("rosa") == "hash-three"
                assert view.reviewer("nobody") is None
            with store.write() as tx:
                tx.drop_reviewer("rosa")
                assert tx.reviewers() == ("ana",)

    def test_what_recall_returned_is_remembered(self, tmp_path: Path) -> None:
        """Digests that were noted are told apart from others, in the order asked for."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                assert not tx.has_injected()
                tx.note_injected(["a", "b"], NOON)
                assert tx.has_injected()
                tx.note_injected(["b", "c"], NOON + HOUR)
            with store.read() as view:
                assert view.injected(["z", "c", "a"]) == ("c", "a")
                assert view.injected([]) == ()
                assert view.injected(["a", "b", "c"], NOON) == ()
                assert view.injected(["a", "b", "c"], NOON + HOUR) == ("a", "b")

    def test_the_store_has_a_secret_of_its_own(self, tmp_path: Path) -> None:
        """Each new store has another secret, and keeps it; other values are as they were set last."""
        (tmp_path / "one").mkdir()
        (tmp_path / "two").mkdir()
        with self.opened(tmp_path / "one") as one, self.opened(tmp_path / "two") as two:
            with one.read() as here, two.read() as there:
                secret = here.meta("secret")
                assert secret is not None
                assert len(bytes.fromhex(secret)) >= 32
                assert secret != there.meta("secret")
                assert here.meta("nothing") is None
            with one.write() as tx:
                assert not tx.accept_altered_row("meta", "secret")
                tx.set_meta("note", "1")
                tx.set_meta("note", "2")
        with self.opened(tmp_path / "one") as again, again.read() as view:
            assert view.meta("secret") == secret
            assert view.meta("note") == "2"

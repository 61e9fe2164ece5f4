"""What a store promises about conversations, episodes and the outbox.

Takes: an opened store. Gives: one test per promise. Never: knows an adapter.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from dopejar.errors import InputError, StoreError
from dopejar.testing.builders import (
    a_conversation,
    a_record,
    an_episode,
    append_conversation,
    append_turns,
    insert_record,
    raising,
    update_record,
)
from dopejar.testing.fixed_clock import NOON
from dopejar.testing.store_contract_base import StoreContractBase
from dopejar.values.episode import EpisodeKind, Origin
from dopejar.values.ids import ConversationId, EpisodeId, TraceId
from dopejar.values.recall import Source
from dopejar.values.scope import Namespace


class EpisodePromises(StoreContractBase):
    """Conversations and episodes."""

    def test_an_episode_comes_back_as_it_was_written(self, tmp_path: Path) -> None:
        """Every field of an episode and of its conversation survives the file."""
        conversation = a_conversation(
            project="p1",
            project_label="Pantry",
            languages=("go", "c"),
            fingerprint="f",
            imported=3,
            namespace=Namespace.TEST,
            cwd="/pantry",
        )
        parent = an_episode("Shall I?", 0)
        full = an_episode(
            "Да, 好的 \u0000 👩‍🍳",
            1,
            speaker="tool",
            origin=Origin.TOOL,
            kind=EpisodeKind.TOOL_RESULT,
            parent=parent.id,
            outcome="success",
            trace_id=TraceId("t_x"),
            project="p1",
            languages=("go",),
            note="harness: summary",
        )
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                tx.put_conversation(conversation)
                assert set(append_turns(tx, [parent, full])) == {parent.id, full.id}
                assert tx.episode(full.id) == full
            with store.read() as view:
                assert view.episode(full.id) == full
                assert view.episode(EpisodeId("e_none")) is None
                assert view.episodes([full.id, EpisodeId("e_none"), parent.id]) == {full.id: full, parent.id: parent}
                assert view.conversation(conversation.id) == conversation
                assert view.conversation(ConversationId("c_none")) is None

    def test_appending_again_changes_nothing(self, tmp_path: Path) -> None:
        """An episode that is there stays as it is, whether it comes again later or twice at once."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                tx.put_conversation(a_conversation())
                first, second = an_episode("One.", 0), an_episode("Two.", 1)
                assert set(append_turns(tx, [first, an_episode("Not one.", 0), second])) == {first.id, second.id}
            with store.write() as tx:
                third = an_episode("Three.", 2)
                assert append_turns(tx, [an_episode("Other.", 0), third]) == (third.id,)
                assert append_turns(tx, []) == ()
            with store.read() as view:
                assert [turn.text for turn in view.turns(a_conversation().id)] == ["One.", "Two.", "Three."]
                assert view.sizes().episodes == 3

    def test_turns_are_read_by_place(self, tmp_path: Path) -> None:
        """A range of turns is inclusive at both ends and stays inside its conversation."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                append_conversation(tx, *"abcdef")
                append_conversation(tx, "x", conversation="tuesday")
            with store.read() as view:
                monday = a_conversation().id
                assert [turn.text for turn in view.turns(monday, 1, 3)] == ["b", "c", "d"]
                assert [turn.text for turn in view.turns(monday, 4)] == ["e", "f"]
                assert view.turns(monday, 9) == ()
                ids = view.turn_ids(monday, 2, 3)
                assert ids == {turn.index: turn.id for turn in view.turns(monday, 2, 3)}
                assert list(ids) == [2, 3]

    def test_conversations_are_found_by_what_was_said_in_them(self, tmp_path: Path) -> None:
        """Those with enough of the contents, the most first; a content said twice counts once."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                append_conversation(tx, *"abcd")
                append_conversation(tx, *"axbx", conversation="tuesday")
                append_conversation(tx, *"aaaa", conversation="friday")
            with store.read() as view:
                monday, tuesday = a_conversation().id, a_conversation("tuesday").id
                hashes = [turn.content_hash for turn in view.turns(monday)]
                assert view.conversations_with_content(hashes, 2, 9) == (monday, tuesday)
                assert view.conversations_with_content(hashes, 2, 1) == (monday,)
                assert len(view.conversations_with_content(hashes, 1, 9)) == 3
                assert view.conversations_with_content([], 1, 9) == ()

    def test_conversations_are_listed_by_start_and_prefix(self, tmp_path: Path) -> None:
        """The last started comes first; a prefix fits ids and names; writing one again replaces its row."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                for day, name in enumerate(("monday", "tuesday", "mondays")):
                    tx.put_conversation(a_conversation(name, NOON + timedelta(days=day)))
                tx.put_conversation(a_conversation("undated", None))
                tx.put_conversation(a_conversation("monday", imported=9))
            with store.read() as view:
                names = [conversation.name for conversation in view.conversations(9)]
                assert names == ["mondays", "tuesday", "monday", "undated"]
                assert [conversation.name for conversation in view.conversations(2)] == ["mondays", "tuesday"]
                assert [conversation.imported for conversation in view.conversations(9, "monday")] == [0, 9]
                by_prefix = view.conversations(9, a_conversation("tuesday").id[:9])
                assert [conversation.name for conversation in by_prefix] == ["tuesday"]

    def test_an_episode_needs_its_conversation(self, tmp_path: Path) -> None:
        """Episodes of a conversation that has no row are refused whole."""
        with self.opened(tmp_path) as store:
            with raising(StoreError, "conversation"), store.write() as tx:
                tx.append_episodes([an_episode("Alone.")])
            with store.read() as view:
                assert view.sizes().episodes == 0

    def test_a_text_that_no_file_can_hold_is_named(self, tmp_path: Path) -> None:
        """Half of a surrogate pair is refused with an error of the caller's, and nothing is kept."""
        with self.opened(tmp_path) as store, raising(InputError), store.write() as tx:
            append_conversation(tx, "broken \ud83d half")

    def test_new_texts_wait_for_their_vectors(self, tmp_path: Path) -> None:
        """Each new or changed text leaves one line of work behind; finished lines go, an unchanged text leaves none."""
        record = a_record("kettle")
        with self.opened(tmp_path) as store, store.write() as tx:
            (said,) = append_conversation(tx, "The kettle stands in the pantry.")
            append_turns(tx, [said])
            insert_record(tx, record, [])
            update_record(tx, record)
            waits = tx.outbox(10)
            assert [(line.kind, line.owner, line.owner_id) for line in waits] == [
                ("embed", Source.EPISODE, said.id),
                ("embed", Source.RECORD, record.id),
            ]
            assert tx.outbox(1) == waits[:1]
            tx.done(waits)
            assert tx.outbox(10) == ()
            insert_record(tx, a_record("kettle", "The kettle stands on the stove."))
            assert [line.owner_id for line in tx.outbox(10) if line.owner is Source.RECORD] == [record.id]

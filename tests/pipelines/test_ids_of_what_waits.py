"""The id of what waits, or was refused, does not tell its words: it is keyed by the store's own secret."""

from dataclasses import replace

from whole_store import START

from dopejar import open_memory
from dopejar.memory.commit_plan import assign_stable_id, plan_commit
from dopejar.values.ids import new_act_id, unkeyed_proposal_id
from dopejar.values.proposal import ProposalState
from dopejar.values.verdict import Stage

SECRET = "correct horse " + "battery"
WORDS = "Never push to the release branch."


def waiting(memory):
    """The one proposal that waits."""
    memory.remember(WORDS, said_by="assistant")
    (item,) = memory.review.queue()
    return item.proposal


def test_the_same_words_wait_under_another_id_in_another_store(tmp_path):
    """Who guesses the words and stages them elsewhere learns nothing about an id."""
    with open_memory(tmp_path / "one", environment={}) as one, open_memory(tmp_path / "two", environment={}) as two:
        assert waiting(one).id != waiting(two).id
        assert waiting(one).record_id != waiting(two).record_id


def test_an_erased_id_is_no_digest_of_its_words(tmp_path):
    """After an erasure no id in the ledger can be made from the words and what else is public."""
    with open_memory(tmp_path / "home", environment={}) as memory:
        memory.reviewers.add("ana", SECRET)
        proposal = waiting(memory)
        memory.erase(memory.reviewers.unlock(SECRET), records=[proposal.record_id])
        with memory.store.read() as view:
            keyed = assign_stable_id(view, proposal).id

            class Without:
                """The same store without its secret."""

                proposal = staticmethod(lambda _: None)
                record = staticmethod(lambda _: None)
                meta = staticmethod(lambda _: None)

            assert proposal.id == keyed != assign_stable_id(Without(), proposal).id


def test_a_repeat_waits_once(tmp_path):
    """The same words again join what waits; so they do where an earlier version kept them under an unkeyed id."""
    with open_memory(tmp_path / "home", environment={}) as memory:
        first = waiting(memory)
        assert waiting(memory).id == first.id
        draft = first.payload.draft
        about = (draft.namespace, str(draft.scope), draft.side, draft.slot or draft.key)
        with memory.store.write() as tx:
            old = unkeyed_proposal_id(first.action, *about, hash_of(tx, first), "")
            tx.put_proposal(replace(first, id=old, record_id=None))
        with memory.store.read() as view:
            again = replace(first, id=first.id, state=ProposalState.NEW, act_id=new_act_id())
            plan = plan_commit(view, again, Stage(rules=("r",), reason="look"), START)
        assert plan.proposal.id == old


def hash_of(view, proposal):
    """The content hash of the record that a proposal staged."""
    return view.record(proposal.record_id).content_hash

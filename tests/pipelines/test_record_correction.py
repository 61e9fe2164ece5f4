"""A correction of one memory: proposed in its place, within its scope, by whoever says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dopejar.compose import open_memory
from dopejar.engine.dependencies import Speaker
from dopejar.engine.memory import Memory
from dopejar.errors import InputError, NotFoundError
from dopejar.values.episode import Origin
from dopejar.values.proposal import Add, Supersede
from dopejar.values.record import Record, Status

AGENT = Speaker(origin=Origin.ASSISTANT, name="mcp:host")
USER = Speaker(origin=Origin.USER, name="user")
NO_MODEL = {"DOPEJAR_EMBEDDER_KIND": "none"}


def stated(memory: Memory, text: str) -> Record:
    """The memory that a user's statement becomes."""
    (receipt,) = memory.remember(text, said_by="user").receipts
    (record,) = receipt.records
    return record


@pytest.mark.parametrize("at_hand", ["", "birch", "atlas"])
@pytest.mark.parametrize(
    "text", ["The ledger service listens on port 7412.", "Downloads come from the archive machine."]
)
@pytest.mark.parametrize("of_project", [True, False])
def test_it_stays_in_the_scope_of_the_memory(tmp_path: Path, at_hand: str, text: str, *, of_project: bool) -> None:
    """What is proposed has the scope and the namespace of the memory, whichever project is at hand when it is said."""
    for project in ("birch", "atlas"):
        (tmp_path / project).mkdir()
        (tmp_path / project / "package.json").write_text("{}")
    home = tmp_path / "home"
    with open_memory(home, environment=NO_MODEL, at=tmp_path / "atlas" if of_project else None) as memory:
        record = stated(memory, "The ledger service listens on port 7411.")
        assert (record.scope.kind == "project") == of_project
    with open_memory(home, environment=NO_MODEL, at=tmp_path / at_hand if at_hand else None) as memory:
        memory.update(record.id, text, speaker=AGENT)
        drafts = [
            item.proposal.payload.draft
            for item in memory.review.queue()
            if isinstance(item.proposal.payload, Add | Supersede)
        ]
        assert [(draft.scope, draft.namespace) for draft in drafts] == [(record.scope, record.namespace)]
        assert memory.history(record.id).record.status is Status.ACTIVE


def test_a_users_correction_is_believed_and_the_removal_waits(tmp_path: Path) -> None:
    """The user's new words hold at once; that the other memory is taken out of use, a reviewer decides."""
    with open_memory(tmp_path, environment=NO_MODEL) as memory:
        record = stated(memory, "The ledger service listens on port 7411.")
        correction = memory.update(record.id, "Downloads come from the archive machine.", speaker=USER)
        assert correction.remembered.took_effect
        assert [receipt.outcome for receipt in correction.removal] == ["staged"]
        same = memory.update(record.id, "The ledger service listens on port 7412.", speaker=USER)
        assert same.removal == ()
        assert memory.history(record.id).record.status is Status.SUPERSEDED


def test_its_reason_holds_no_words_of_it(tmp_path: Path) -> None:
    """The rationale of a removal names a proposal, not what was said, which may be erased."""
    with open_memory(tmp_path, environment=NO_MODEL) as memory:
        record = stated(memory, "The ledger service listens on port 7411.")
        memory.update(record.id, "Downloads come from the archive machine.", speaker=AGENT)
        reasons = [item.proposal.rationale for item in memory.review.queue() if not item.proposal.evidence]
        assert len(reasons) == 1
        assert "archive" not in reasons[0]


def test_what_cannot_be_corrected_is_said(tmp_path: Path) -> None:
    """An unknown memory, and one that waits itself, are errors; nothing is kept."""
    with open_memory(tmp_path, environment=NO_MODEL) as memory:
        (receipt,) = memory.remember("The ledger service listens on port 7411.", said_by="assistant").receipts
        episodes = memory.inspection.sizes().episodes
        with pytest.raises(InputError, match="staged"):
            memory.update(receipt.records[0].id, "The ledger service listens on port 7412.", speaker=AGENT)
        with pytest.raises(NotFoundError):
            memory.update("m_none", "The ledger service listens on port 7412.", speaker=AGENT)
        assert memory.inspection.sizes().episodes == episodes


def test_forgetting_takes_the_id_of_one_memory(tmp_path: Path) -> None:
    """An id means that memory alone, also where its words fit others, and no memory that is out of use."""
    with open_memory(tmp_path, environment=NO_MODEL) as memory:
        memory.reviewers.add("ana", "-".join(("quiet", "test", "harbour")))
        record = stated(memory, "The ledger service listens on port 7411.")
        stated(memory, "The ledger service listens on port 7411 and on a socket.")
        assert [one.id for one in memory.review.about(record.id)] == [record.id]
        memory.review.forget(record.id, memory.reviewers.unlock("-".join(("quiet", "test", "harbour"))))
        assert memory.history(record.id).record.status is Status.DEPRECATED
        assert memory.review.about(record.id) == ()

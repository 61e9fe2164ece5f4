"""Governance acts: entries of the same chain, by ids and digests alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from dopejar.errors import InputError
from dopejar.memory.governance_acts import GovernanceAction, record_governance
from dopejar.memory.ledger import verify
from dopejar.memory.undo_plan import plan_undo
from dopejar.testing.builders import NOON
from dopejar.values.ids import new_trace_id
from dopejar.values.proposal import Undo
from tests.unit.memory.conftest import Opened


@pytest.mark.parametrize("action", GovernanceAction)
def test_a_governance_act_is_chained_and_says_who(opened: Opened, tmp_path: Path, action: GovernanceAction) -> None:
    """Each kind is one verified entry with its subject, its digests, and who acted."""
    with opened(tmp_path) as store:
        with store.write() as tx:
            seq = record_governance(
                tx, action, "reviewer:mira", now=NOON, trace_id=new_trace_id(), proposer="mira", digests=("a", "b")
            )
        with store.read() as view:
            (entry,) = view.entries_about("reviewer:mira")
            assert (verify(view).entries, entry.seq, entry.action) == (1, seq, action.value)
            assert (entry.proposer, entry.from_digest, entry.to_digest) == ("mira", "a", "b")


def test_a_governance_act_is_not_undone(opened: Opened, tmp_path: Path) -> None:
    """It changed no belief, so there is nothing that an undo could take back, and it says so."""
    with opened(tmp_path) as store:
        with store.write() as tx:
            record_governance(
                tx, GovernanceAction.SETTINGS_ACCEPTED, "settings", now=NOON, trace_id=new_trace_id(), proposer="mira"
            )
        with store.read() as view:
            (act,) = (entry.act_id for entry in view.recent_acts(1))
            with pytest.raises(InputError, match="cannot be undone"):
                plan_undo(view, Undo(act_id=act))

"""What a text says of a policy and its revision."""

from __future__ import annotations

import pytest

from dopejar.text.policies import read_policy, states_revision


@pytest.mark.parametrize(
    "text",
    [
        "Policy rev 3 for Peridot is live: 900 uploads a day",
        "Peridot's upload policy (revision three) permits up to 900 per day",
        "The 3rd revision of the upload policy gives Peridot 900 a day",
        "Peridot enforces 900 uploads daily as of policy no. 3",
        "Revision 3 superseded revision 2: Peridot now gets 900 uploads per day",
    ],
)
def test_a_revision_is_read_by_number_and_figure(text: str) -> None:
    """However it is worded, a revision in force states its number; what it replaces is another one."""
    found = read_policy(text, ["Peridot"])
    assert states_revision(text)
    assert found is not None
    assert found.number == 3
    assert found.topic <= {"upload"}


@pytest.mark.parametrize(
    "text",
    [
        "A draft of revision 4 would lower the upload limit to 900 per day",
        "Peridot runs 3 replicas per zone",
        "Under revision 2 the limit was 900 per day",
        "The policy is short",
    ],
)
def test_what_is_not_in_force_states_no_revision(text: str) -> None:
    """A draft, the past, and figures of no policy state none."""
    assert not states_revision(text)

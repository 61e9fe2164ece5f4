"""Every cell of the matrix "what becomes active at once", on the shipped table."""

from __future__ import annotations

import pytest
from gate_values import TARGET, context, draft, proposal, record

from dopejar.governance.policy.write_gate import judge
from dopejar.values.episode import Origin
from dopejar.values.ids import RecordId
from dopejar.values.proposal import Action, Link, Signals, Supersede, Tag, Via
from dopejar.values.record import Kind
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Allow, Refuse, Stage

FACTS = (Kind.FACT, Kind.PREFERENCE, Kind.ALIAS)
GUIDANCE = (Kind.RULE, Kind.CONSTRAINT, Kind.DECISION, Kind.CORRECTION)
BULLET = (Kind.BULLET,)
CURATION = (Action.MERGE, Action.SHARE, Action.DEPRECATE)

# said by: facts, guidance, bullet, supersede of the same slot, merge/share/deprecate
MATRIX = {
    Origin.USER: (Allow, Allow, Stage, Allow, Stage),
    Origin.TOOL: (Allow, Stage, Stage, Stage, Stage),
    Origin.OTHER: (Allow, Stage, Stage, Stage, Stage),
    Origin.ASSISTANT: (Stage, Stage, Stage, Stage, Stage),
    Origin.FETCHED: (Stage, Refuse, Refuse, Stage, Refuse),
}
ADDING = [
    (origin, kind, verdict)
    for origin, row in MATRIX.items()
    for kinds, verdict in zip((FACTS, GUIDANCE, BULLET), row, strict=False)
    for kind in kinds
]


@pytest.mark.parametrize(("origin", "kind", "verdict"), ADDING)
def test_add_by_origin_and_kind(origin, kind, verdict):
    """A new record said to the memory itself, where a reviewer vouches for the user, gets the verdict of its cell."""
    proposed = proposal(Action.ADD, kind, origin, Via.REMEMBER)
    assert type(judge(proposed, context(proposed, confirmed_by="Mira"))) is verdict


@pytest.mark.parametrize("kind", [Kind.RULE, Kind.DECISION, Kind.CORRECTION])
@pytest.mark.parametrize("action", [Action.ADD, Action.SUPERSEDE])
def test_guidance_needs_a_person_who_vouches_for_the_user(action, kind):
    """The user's own guidance is allowed by name where a reviewer vouches for them, and waits everywhere else."""
    proposed = proposal(action, kind, Origin.USER, Via.REMEMBER)
    confirmed = judge(proposed, context(proposed, kind, confirmed_by="Mira"))
    assert isinstance(confirmed, Allow)
    assert confirmed.approver == "Mira"
    for nobody in ("", "policy", "agent:kettle"):
        assert judge(proposed, context(proposed, kind, confirmed_by=nobody)).rules == ("guidance",)


@pytest.mark.parametrize("kind", FACTS)
@pytest.mark.parametrize("action", [Action.ADD, Action.SUPERSEDE])
@pytest.mark.parametrize("via", [Via.CONVERSATION, Via.REMEMBER, Via.FILE])
def test_what_directs_work_waits_whatever_its_kind(via, action, kind):
    """A preference or fact that directs the work waits, and does not replace what it shares a slot with."""
    proposed = proposal(action, kind, Origin.USER, via, signals=Signals(directs_work=True, own_update=True))
    assert judge(proposed, context(proposed, kind)).rules == ("guidance",)
    confirmed = judge(proposed, context(proposed, kind, confirmed_by="Mira"))
    assert isinstance(confirmed, Allow) is (via is Via.REMEMBER)


@pytest.mark.parametrize(("origin", "kind", "verdict"), ADDING)
@pytest.mark.parametrize("action", [Action.TAG, Action.LINK])
def test_tags_and_edges_are_judged_like_an_addition_to_their_targets(action, origin, kind, verdict):
    """A tag or an edge has the cell that adding its target would have."""
    proposed = proposal(action, kind, origin, Via.REMEMBER)
    assert type(judge(proposed, context(proposed, kind))) is verdict


@pytest.mark.parametrize(("origin", "kind", "verdict"), ADDING)
def test_reinforcing_is_judged_like_adding_but_the_user_may_always(origin, kind, verdict):
    """More evidence from the user changes no status and is allowed; from others it has the cell of an addition."""
    proposed = proposal(Action.REINFORCE, kind, origin, Via.REMEMBER)
    expected = Allow if origin is Origin.USER else verdict
    assert type(judge(proposed, context(proposed, kind))) is expected


@pytest.mark.parametrize("kind", GUIDANCE)
def test_guidance_from_a_conversation_waits(kind):
    """The user's rule is staged from a conversation or a file, whoever sits at the terminal."""
    for via in (Via.CONVERSATION, Via.FILE, Via.UNATTENDED):
        proposed = proposal(Action.ADD, kind, Origin.USER, via)
        found = judge(proposed, context(proposed, confirmed_by="Mira"))
        assert found.rules == ("user-guidance" if kind is Kind.CONSTRAINT else "guidance",)


@pytest.mark.parametrize("kind", FACTS)
@pytest.mark.parametrize("via", [Via.CONVERSATION, Via.REMEMBER, Via.FILE, Via.UNATTENDED])
def test_the_users_facts_are_active_at_once(kind, via):
    """The user's fact, preference or alias is allowed whatever way it came in."""
    proposed = proposal(Action.ADD, kind, Origin.USER, via)
    assert isinstance(judge(proposed, context(proposed)), Allow)


@pytest.mark.parametrize("origin", MATRIX)
def test_supersede_of_the_same_slot(origin):
    """Only the user replaces at once; everybody else's replacement waits."""
    proposed = proposal(Action.SUPERSEDE, Kind.FACT, origin)
    assert type(judge(proposed, context(proposed))) is MATRIX[origin][3]


@pytest.mark.parametrize("kind", [*GUIDANCE, *BULLET])
def test_fetched_guidance_replaces_nothing(kind):
    """A fetched rule does not get past its refusal by being called a replacement."""
    proposed = proposal(Action.SUPERSEDE, kind, Origin.FETCHED)
    assert judge(proposed, context(proposed, kind)).rules == ("fetched-guidance",)


def test_supersede_of_another_slot_waits():
    """A replacement whose slot differs from its target's is never at once."""
    proposed = proposal(content=Supersede(draft=draft(slot="self.pref.lamp")), action=Action.SUPERSEDE)
    assert judge(proposed, context(proposed)).rules == ("other-update",)


def test_supersede_without_any_slot_waits():
    """Where no slot and no key tell that it is the same thing, nothing is retired silently."""
    proposed = proposal(content=Supersede(draft=draft(slot="")), action=Action.SUPERSEDE)
    assert isinstance(judge(proposed, context(proposed, targets={TARGET: record(slot="")})), Stage)


@pytest.mark.parametrize("origin", MATRIX)
@pytest.mark.parametrize("action", CURATION)
def test_curation_is_a_persons(origin, action):
    """Merging, sharing and deprecating wait for a reviewer, and are refused to fetched text."""
    proposed = proposal(action, Kind.FACT, origin)
    assert type(judge(proposed, context(proposed))) is MATRIX[origin][4]


@pytest.mark.parametrize("origin", MATRIX)
@pytest.mark.parametrize("action", [Action.ERASE, Action.RESTORE, Action.UNDO, Action.ACTIVATE])
def test_what_asks_for_the_passphrase_is_never_at_once(origin, action):
    """Erase, restore, undo and activate have the column of curation."""
    proposed = proposal(action, Kind.FACT, origin)
    assert type(judge(proposed, context(proposed))) is MATRIX[origin][4]


@pytest.mark.parametrize("action", [Action.ERASE, Action.UNDO])
def test_erase_and_undo_need_no_target_record(action):
    """An erasure of episodes, or an undo of an act, names no record and is judged all the same."""
    proposed = proposal(action, targets=(), via=Via.REVIEW)
    assert isinstance(judge(proposed, context(proposed, approval="Mira")), Allow)


@pytest.mark.parametrize("kind", [Kind.FACT, Kind.PREFERENCE])
def test_quoted_user_turn_counts_as_the_user(kind):
    """An agent that repeats a user turn word for word speaks for the user, with the trust of that turn."""
    proposed = proposal(Action.ADD, kind, Origin.ASSISTANT, signals=Signals(quotes_user=True))
    assert isinstance(judge(proposed, context(proposed, trust=1.0)), Allow)


def test_quoted_guidance_is_no_remember():
    """What an agent chose to quote is a conversation's guidance, not a person's `remember`."""
    proposed = proposal(Action.ADD, Kind.RULE, Origin.ASSISTANT, signals=Signals(quotes_user=True))
    assert judge(proposed, context(proposed, trust=1.0, confirmed_by="Mira")).rules == ("guidance",)


@pytest.mark.parametrize("action", [Action.ADD, Action.REINFORCE, Action.SUPERSEDE])
def test_harness_text_is_never_learned(action):
    """The system's own text is refused whatever its kind."""
    proposed = proposal(action, Kind.FACT, Origin.SYSTEM)
    assert judge(proposed, context(proposed, trust=1.0)).rules == ("harness-text",)


def test_patterns_come_from_outcomes():
    """A pattern is allowed where all its evidence is recorded outcomes, else it waits."""
    proposed = proposal(Action.ADD, Kind.PATTERN, Origin.TOOL, confidence=0.7)
    assert isinstance(judge(proposed, context(proposed, from_outcomes=True)), Allow)
    assert isinstance(judge(proposed, context(proposed)), Stage)


@pytest.mark.parametrize(
    ("classified", "origin", "verdict"),
    [
        (True, Origin.USER, Allow),
        (False, Origin.USER, Stage),
        (True, Origin.TOOL, Allow),
        (False, Origin.TOOL, Stage),
        (True, Origin.ASSISTANT, Allow),
        (False, Origin.ASSISTANT, Stage),
        (True, Origin.FETCHED, Refuse),
    ],
)
def test_automatic_assignment(classified, origin, verdict):
    """A bullet is assigned by itself where the classifier chose its side above the threshold, recorded as auto."""
    proposed = proposal(Action.ASSIGN, Kind.BULLET, origin, confidence=0.8)
    found = judge(proposed, context(proposed, Kind.BULLET, is_classified=classified))
    assert type(found) is verdict
    assert not isinstance(found, Allow) or found.approver == "auto"


def test_only_proven_bullets_activate_by_themselves():
    """Outcomes of two conversations activate a bullet; nothing else does without a reviewer."""
    proposed = proposal(Action.ACTIVATE, Kind.BULLET)
    assert isinstance(judge(proposed, context(proposed, Kind.BULLET)), Stage)
    proven = judge(proposed, context(proposed, Kind.BULLET, is_proven=True))
    assert isinstance(proven, Allow)
    assert proven.approver == "auto"


@pytest.mark.parametrize(
    ("counted", "origin", "proposed", "verdict"),
    [
        (True, Origin.TOOL, Tag(outcome="helpful"), Allow),
        (True, Origin.USER, Tag(outcome="harmful"), Allow),
        (False, Origin.USER, Tag(outcome="helpful"), Stage),
        (True, Origin.ASSISTANT, Tag(outcome="helpful"), Stage),
        (True, Origin.FETCHED, Tag(outcome="helpful"), Refuse),
        (True, Origin.TOOL, Tag(outcome="helpful", remove=("old",)), Stage),
    ],
)
def test_only_recorded_outcomes_count_by_themselves(counted, origin, proposed, verdict):
    """A counter of a bullet moves by a recorded outcome of a tool or the user, and by nothing else without a person."""
    asked = proposal(Action.TAG, Kind.BULLET, origin, content=proposed)
    assert type(judge(asked, context(asked, Kind.BULLET, from_outcomes=counted))) is verdict


def test_an_edge_between_entities_is_a_fact():
    """An edge without a target record is judged as a fact."""
    proposed = proposal(content=Link(edges=()), targets=())
    assert isinstance(judge(proposed, context(proposed)), Allow)


@pytest.mark.parametrize("tag", [Tag(remove=("old",)), Tag(pinned=True), Tag(pinned=False)])
def test_others_take_no_tag_away_and_pin_nothing(tag):
    """A tool may add a tag to a fact, not remove one or pin it; the user may."""
    by_tool = proposal(Action.TAG, Kind.FACT, Origin.TOOL, content=tag)
    by_user = proposal(Action.TAG, Kind.FACT, Origin.USER, content=tag)
    assert isinstance(judge(by_tool, context(by_tool)), Stage)
    assert isinstance(judge(by_user, context(by_user)), Allow)


def test_several_kinds_get_the_strictest_verdict():
    """A tag on a fact and a bullet waits, because the bullet's would."""
    other = RecordId("m_other")
    targets = (RecordTarget(record_id=TARGET, version=1), RecordTarget(record_id=other, version=1))
    proposed = proposal(Action.TAG, Kind.FACT, targets=targets)
    both = {TARGET: record(Kind.FACT), other: record(Kind.BULLET, id=other)}
    assert judge(proposed, context(proposed, targets=both)).rules == ("bullet",)

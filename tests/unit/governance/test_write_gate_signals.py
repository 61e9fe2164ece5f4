"""The signals and the refusals of the gate, each factor crossed with what could lift it."""

from __future__ import annotations

from itertools import product

import pytest
from gate_values import TARGET, context, draft, proposal, record

from dopejar.governance.policy.policy_file import shipped_policy
from dopejar.governance.policy.rules import SaidBy
from dopejar.governance.policy.write_gate import blast_radius, judge, said_by, source_quality
from dopejar.values.episode import Origin
from dopejar.values.proposal import Action, Add, Level, Signals, Via
from dopejar.values.record import Kind
from dopejar.values.verdict import Allow, Refuse, Stage

LOW = (Kind.FACT, Kind.PREFERENCE, Kind.ALIAS, Kind.PATTERN)
MEDIUM = (Kind.RULE, Kind.CONSTRAINT, Kind.DECISION, Kind.CORRECTION)
LEARNING = (Action.ADD, Action.REINFORCE, Action.SUPERSEDE)
PERSONS_WAYS = (Via.REMEMBER, Via.REVIEW)


@pytest.mark.parametrize("kind", [Kind.FACT, Kind.PREFERENCE, Kind.ALIAS])
@pytest.mark.parametrize(
    ("trust", "confidence", "verdict"),
    [(1.0, 0.5, Allow), (1.0, 0.4, Stage), (0.7, 0.72, Allow), (0.7, 0.71, Stage), (0.5, 1.0, Allow), (0.4, 1, Stage)],
)
def test_low_blast_radius_needs_half(kind, trust, confidence, verdict):
    """A fact waits exactly where trust x confidence is below .5."""
    proposed = proposal(Action.ADD, kind, confidence=confidence)
    assert type(judge(proposed, context(proposed, trust=trust))) is verdict


@pytest.mark.parametrize("kind", MEDIUM)
@pytest.mark.parametrize(("confidence", "verdict"), [(0.7, Allow), (0.69, Stage)])
def test_medium_blast_radius_needs_seven_tenths(kind, confidence, verdict):
    """Guidance said to the memory itself waits exactly below .7."""
    proposed = proposal(Action.ADD, kind, confidence=confidence)
    found = judge(proposed, context(proposed, confirmed_by="Mira"))
    assert type(found) is verdict
    assert verdict is Allow or found.rules == ("source-quality",)


@pytest.mark.parametrize(
    ("approver", "confidence", "verdict"),
    [("Mira", 0.9, Allow), ("Mira", 0.89, Stage), ("", 0.5, Allow), ("policy", 0.5, Allow), ("auto", 0.5, Allow)],
)
def test_replacing_what_a_person_approved_needs_nine_tenths(approver, confidence, verdict):
    """Only a person's approval raises the blast radius of a replacement, to high."""
    proposed = proposal(Action.SUPERSEDE, Kind.FACT, confidence=confidence)
    found = judge(proposed, context(proposed, targets={TARGET: record(approved_by=approver)}))
    assert type(found) is verdict


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("action", list(Action))
def test_blast_radius_table(kind, action):
    """Removing is high, sharing and restoring medium, everything else goes by kind."""
    high = {Action.DEPRECATE, Action.MERGE, Action.ERASE, Action.UNDO}
    expected = Level.LOW if kind in LOW else Level.MEDIUM
    if action in {Action.SHARE, Action.RESTORE}:
        expected = Level.MEDIUM
    if action in high:
        expected = Level.HIGH
    assert blast_radius(proposal(action, kind), kind, {TARGET: record(kind)}, shipped_policy()) is expected


def test_blast_radius_of_an_unknown_kind_is_high():
    """What is not known is taken for dangerous."""
    assert blast_radius(proposal(Action.TAG), None, {}, shipped_policy()) is Level.HIGH


def test_the_lower_confidence_counts():
    """A draft read with less confidence than its proposal claims is judged by the draft's."""
    proposed = proposal(content=Add(draft=draft(confidence=0.3)), confidence=1.0)
    assert source_quality(proposed, 1.0) == pytest.approx(0.3)
    assert isinstance(judge(proposed, context(proposed)), Stage)


@pytest.mark.parametrize("trust", [0.3, 0.49])
def test_more_than_certain_makes_up_for_nothing(trust):
    """A confidence above 1 counts as 1 and does not lift a low trust."""
    proposed = proposal(confidence=3.0)
    assert isinstance(judge(proposed, context(proposed, trust=trust)), Stage)


@pytest.mark.parametrize("number", [float("nan"), -1.0])
def test_a_number_that_is_none_is_too_low(number):
    """A confidence, trust or alignment that is no number never passes for a high one."""
    by_confidence = proposal(confidence=number)
    plain = proposal()
    misaligned = proposal(signals=Signals(alignment=number))
    assert isinstance(judge(by_confidence, context(by_confidence)), Stage)
    assert isinstance(judge(plain, context(plain, trust=number)), Stage)
    assert isinstance(judge(misaligned, context(misaligned)), Stage)


@pytest.mark.parametrize("action", [Action.ADD, Action.SUPERSEDE])
@pytest.mark.parametrize(("level", "own"), list(product(Level, [True, False])))
def test_conflict_stages_unless_it_is_the_speakers_own_update(level, own, action):
    """A medium or high conflict waits, except where the same speaker changes what they said."""
    proposed = proposal(action, signals=Signals(conflict=level, own_update=own))
    waits = level in {Level.MEDIUM, Level.HIGH} and not own
    found = judge(proposed, context(proposed))
    assert isinstance(found, Stage if waits else Allow)
    assert not waits or found.rules == ("conflict",)


@pytest.mark.parametrize(("alignment", "verdict"), [(0.0, Stage), (0.49, Stage), (0.5, Allow), (1.0, Allow)])
def test_alignment_below_half_waits(alignment, verdict):
    """What contradicts an active rule or a north star waits."""
    proposed = proposal(signals=Signals(alignment=alignment))
    assert type(judge(proposed, context(proposed))) is verdict


@pytest.mark.parametrize("origin", [Origin.TOOL, Origin.OTHER, Origin.ASSISTANT, Origin.FETCHED])
def test_instruction_like_content_is_never_active_by_itself(origin):
    """An instruction in a tool's or the web's words waits even where trust is put at 1, and approval lifts it."""
    proposed = proposal(Action.ADD, Kind.FACT, origin, signals=Signals(instruction_like=True))
    assert judge(proposed, context(proposed, trust=1.0)).rules == ("reads-like-an-instruction",)
    assert isinstance(judge(proposed, context(proposed, trust=1.0, approval="Mira")), Allow)


def test_the_users_own_imperatives_are_no_injection():
    """The user may say "always"; that is what rules are made of."""
    proposed = proposal(Action.ADD, Kind.RULE, signals=Signals(instruction_like=True))
    assert isinstance(judge(proposed, context(proposed, confirmed_by="Mira")), Allow)


@pytest.mark.parametrize("via", list(Via))
@pytest.mark.parametrize("origin", list(Origin))
def test_recall_loop_is_refused_everywhere_but_in_review(via, origin):
    """What recall returned is not learned again, whoever says it."""
    proposed = proposal(Action.ADD, Kind.FACT, origin, via, signals=Signals(recall_loop=True))
    found = judge(proposed, context(proposed, approval="Mira"))
    if via is not Via.REVIEW:
        assert found.rules == ("recall-loop",)
        assert isinstance(found, Refuse)


@pytest.mark.parametrize("via", list(Via))
def test_boot_files_are_learned_only_where_a_person_imports_them(via):
    """Lines of an instruction file are refused, except from its explicit import or in review."""
    proposed = proposal(Action.ADD, Kind.FACT, via=via, signals=Signals(boot_file=True))
    is_refused = judge(proposed, context(proposed)).rules == ("boot-file",)
    assert is_refused is (via not in {Via.FILE, Via.REVIEW})


@pytest.mark.parametrize(("via", "origin", "mark"), list(product(Via, Origin, ["rejected", "retracted"])))
def test_what_a_person_took_away_comes_back_only_by_a_person(via, origin, mark):
    """Rejected and retracted memories return by the user's own `remember`, or in review; approval lifts nothing."""
    proposed = proposal(Action.ADD, Kind.FACT, origin, via, signals=Signals(curated_away=mark))
    found = judge(proposed, context(proposed, approval="Mira"))
    may_return = origin is Origin.USER and via in PERSONS_WAYS
    assert isinstance(found, Refuse) is not may_return


@pytest.mark.parametrize(("action", "via", "origin"), list(product(Action, Via, Origin)))
def test_tombstones_hold(action, via, origin):
    """What was erased comes back by no action but a reviewer's restore; removing it again is free to be judged."""
    proposed = proposal(action, Kind.FACT, origin, via, signals=Signals(curated_away="tombstone"))
    found = judge(proposed, context(proposed, approval="Mira"))
    if action is Action.RESTORE and via is Via.REVIEW:
        assert found.rules == ("buried-restored", "approved")
        assert isinstance(judge(proposed, context(proposed)), Stage)
    elif action not in {Action.ERASE, Action.DEPRECATE}:
        assert isinstance(found, Refuse)


@pytest.mark.parametrize("action", LEARNING)
@pytest.mark.parametrize(("confidence", "is_refused"), [(0.49, True), (0.5, False)])
def test_learning_leaves_out_what_is_unsure(action, confidence, is_refused):
    """From a conversation nothing is proposed below .5, not even with approval."""
    proposed = proposal(action, Kind.FACT, via=Via.CONVERSATION, confidence=confidence)
    found = judge(proposed, context(proposed, approval="Mira"))
    assert (found.rules == ("learn-unsure",)) is is_refused


@pytest.mark.parametrize("action", LEARNING)
@pytest.mark.parametrize("origin", [Origin.TOOL, Origin.OTHER, Origin.ASSISTANT, Origin.FETCHED])
def test_learning_listens_to_the_user_and_to_outcomes(action, origin):
    """Other turns of a conversation teach nothing unless they are recorded outcomes."""
    proposed = proposal(action, Kind.FACT, origin, Via.CONVERSATION)
    assert judge(proposed, context(proposed)).rules == ("learn-only-from-the-user",)
    assert judge(proposed, context(proposed, from_outcomes=True)).rules != ("learn-only-from-the-user",)


@pytest.mark.parametrize("action", list(Action))
def test_unattended_work_only_adds(action):
    """Maintenance may add, say again, tag and link; whatever else it wishes waits."""
    proposed = proposal(action, Kind.FACT, via=Via.UNATTENDED)
    adds = action in {Action.ADD, Action.REINFORCE, Action.TAG, Action.LINK}
    assert type(judge(proposed, context(proposed))) is (Allow if adds else Stage)


@pytest.mark.parametrize("action", list(Action))
def test_a_reviewers_act_needs_the_reviewer(action):
    """Via review nothing happens without the credential, and everything that is not refused with it."""
    proposed = proposal(action, Kind.FACT, via=Via.REVIEW)
    assert isinstance(judge(proposed, context(proposed)), Stage)
    allowed = judge(proposed, context(proposed, approval="Mira"))
    assert isinstance(allowed, Allow)
    assert allowed.approver == "Mira"


@pytest.mark.parametrize("action", [Action.REINFORCE, Action.TAG, Action.SUPERSEDE, Action.ASSIGN])
def test_a_target_that_is_not_at_hand_is_refused(action):
    """Nothing is judged about a record nobody can see."""
    proposed = proposal(action)
    assert judge(proposed, context(proposed, targets={}, approval="Mira")).rules == ("unknown-target",)


def test_an_agent_does_not_approve_its_own_wish():
    """A proposer that is no person cannot approve what it proposed; another person can."""
    proposed = proposal(Action.ADD, Kind.FACT, Origin.ASSISTANT, proposer="Robo")
    own = judge(proposed, context(proposed, approval="robo "))
    assert isinstance(own, Stage)
    assert "proposer-is-not-approver" in own.rules
    assert isinstance(judge(proposed, context(proposed, approval="Mira")), Allow)


@pytest.mark.parametrize("name", ["agent:kettle", "auto", "policy", "key:42", ""])
def test_no_approval_without_a_person(name):
    """A name that is no person's lifts nothing."""
    proposed = proposal(Action.ADD, Kind.RULE, via=Via.CONVERSATION)
    assert isinstance(judge(proposed, context(proposed, approval=name)), Stage)


def test_a_person_approves_what_was_learned_from_their_own_words():
    """Proposer is not approver holds for agents; the user may confirm what they said themselves."""
    proposed = proposal(Action.ADD, Kind.RULE, via=Via.CONVERSATION, proposer="Mira")
    assert isinstance(judge(proposed, context(proposed, approval="Mira")), Allow)


@pytest.mark.parametrize("origin", list(Origin))
def test_said_by_is_the_origin_but_for_quotes(origin):
    """Only an assistant can quote; every other origin speaks for itself."""
    proposed = proposal(origin=origin, signals=Signals(quotes_user=True))
    assert said_by(proposed) is (SaidBy.QUOTED if origin is Origin.ASSISTANT else SaidBy(origin.value))

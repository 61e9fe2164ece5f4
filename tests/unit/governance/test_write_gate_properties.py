"""What holds for every proposal: the gate is total and pure, denies by default, and approval never lifts a refusal."""

from __future__ import annotations

from dataclasses import replace

from gate_values import NOW, TARGET, payload, proposal, record
from hypothesis import assume, given
from hypothesis import strategies as st

from dopejar.governance.policy.policy_file import shipped_policy
from dopejar.governance.policy.rules import DEFAULT_DENY, Flag, Outcome, SaidBy, Situation
from dopejar.governance.policy.write_gate import JudgeContext, judge
from dopejar.values.episode import Origin
from dopejar.values.ids import BlockId, ConversationId, DossierId, RecordId
from dopejar.values.proposal import Action, Add, Level, Link, Signals, Supersede, Via
from dopejar.values.record import Kind, Status
from dopejar.values.scope import Namespace
from dopejar.values.target import BlockTarget, DossierTarget, RecordTarget, TurnRangeTarget
from dopejar.values.verdict import Allow, Refuse, Stage

numbers = st.floats(0, 1) | st.floats(allow_nan=True, allow_infinity=True)
signals = st.builds(
    Signals,
    conflict=st.sampled_from(Level),
    own_update=st.booleans(),
    alignment=numbers,
    instruction_like=st.booleans(),
    recall_loop=st.booleans(),
    boot_file=st.booleans(),
    curated_away=st.sampled_from(["", "", "", "rejected", "retracted", "tombstone"]),
    quotes_user=st.booleans(),
)


OTHERS = (
    TurnRangeTarget(conversation=ConversationId("c_talk"), first=0, last=3),
    BlockTarget(block_id=BlockId("b_topic"), version=1),
    DossierTarget(dossier_id=DossierId("d_topic"), version=1),
)


@st.composite
def wishes(draw):
    """Any proposal, sensible or not."""
    action = draw(st.sampled_from(Action))
    kind = draw(st.sampled_from(Kind))
    wish = proposal(
        action,
        kind,
        draw(st.sampled_from(Origin)),
        draw(st.sampled_from(Via)),
        wish=payload(action, kind),
        confidence=draw(numbers),
        signals=draw(signals),
        proposer=draw(st.sampled_from(["user", "agent:kettle", "Mira", ""])),
    )
    return replace(wish, targets=draw(st.sampled_from([wish.targets, (), OTHERS, (*wish.targets, *OTHERS)])))


@st.composite
def contexts(draw):
    """Any context of the shipped policy, without an approval."""
    target = record(draw(st.sampled_from(Kind)), approved_by=draw(st.sampled_from(["", "auto", "Mira"])))
    return JudgeContext(
        policy=shipped_policy(),
        now=NOW,
        trust=draw(numbers),
        targets={TARGET: target} if draw(st.booleans()) else {},
        from_outcomes=draw(st.booleans()),
        is_proven=draw(st.booleans()),
        is_classified=draw(st.booleans()),
    )


@given(wishes(), contexts())
def test_the_gate_is_total_and_pure(wish, ground):
    """Every proposal gets a verdict with a rule, a reason and the policy's hash, and the same one again."""
    found = judge(wish, ground)
    assert isinstance(found, Allow | Stage | Refuse)
    assert found.rules
    assert found.reason
    assert found.policy_hash == ground.policy.hash
    assert judge(wish, ground) == found


@given(wishes(), contexts(), st.sampled_from(["Mira", "Noor", "agent:kettle", "auto", ""]))
def test_approval_lifts_stage_and_never_refuse(wish, ground, name):
    """With an approval a refusal stays one; what was allowed stays allowed; only Stage may turn, into Allow by name."""
    before = judge(wish, ground)
    after = judge(wish, replace(ground, approval=name))
    if isinstance(before, Refuse):
        assert after == before
    elif isinstance(before, Allow):
        assert isinstance(after, Allow)
    elif isinstance(after, Allow):
        assert after.approver == name
        assert name in {"Mira", "Noor"}


@given(wishes(), contexts())
def test_an_allowance_names_a_rule_that_allows(wish, ground):
    """Nothing is allowed but by a row of the table whose answer is allow."""
    found = judge(wish, ground)
    if isinstance(found, Allow):
        rule = ground.policy.rule(found.rules[0])
        assert rule is not None
        assert rule.outcome is Outcome.ALLOW


@given(wishes(), contexts())
def test_without_rules_everything_is_denied(wish, ground):
    """An empty table refuses every proposal, also with an approval."""
    empty = replace(ground, policy=replace(ground.policy, rules=()), approval="Mira")
    assert judge(wish, empty).rules == (DEFAULT_DENY.id,)
    assert isinstance(judge(wish, empty), Refuse)


@given(wishes(), contexts(), st.data())
def test_fewer_allowing_rules_never_allow_more(wish, ground, data):
    """Taking an allowing row out of the table cannot turn another verdict into Allow by that row."""
    allowing = [rule for rule in ground.policy.rules if rule.outcome is Outcome.ALLOW]
    gone = data.draw(st.sampled_from(allowing))
    rules = tuple(rule for rule in ground.policy.rules if rule is not gone)
    found = judge(wish, replace(ground, policy=replace(ground.policy, rules=rules)))
    assert gone.id not in found.rules


# The flags that `judge` sets only where every target is at hand: each target then has a kind.
NEEDS_EVERY_TARGET = frozenset({Flag.SAME_SLOT, Flag.WARNS, Flag.OVER})


@given(
    st.builds(
        Situation,
        said_by=st.sampled_from(SaidBy),
        via=st.sampled_from(Via),
        action=st.sampled_from(Action),
        kind=st.none(),
        conflict=st.sampled_from(Level),
        curated_away=st.text(max_size=8),
        blast_radius=st.sampled_from(Level),
        source_quality=numbers,
        confidence=numbers,
        alignment=numbers,
        flags=st.frozensets(st.sampled_from(sorted(frozenset(Flag) - NEEDS_EVERY_TARGET))),
    )
)
def test_an_unknown_kind_is_never_allowed(situation):
    """Where no kind is known nothing is active at once, but for the user's own repetition."""
    rule = shipped_policy().first_match(situation)
    assert rule.outcome is not Outcome.ALLOW or rule.id == "user-says-it-again"


@given(wishes(), contexts(), st.booleans())
def test_a_proposal_about_no_known_record_is_never_allowed(wish, ground, has_target):
    """The same through the gate: an unknown target sets no flag of a known one, and refuses the repetition as well."""
    assume(not isinstance(wish.payload, Add | Supersede))  # these bring the kind of their draft
    assume(has_target or not isinstance(wish.payload, Link))  # an edge between entities is a fact
    targets = (RecordTarget(record_id=TARGET, version=1),) if has_target else ()
    verdict = judge(replace(wish, targets=targets), replace(ground, targets={}))
    assert not isinstance(verdict, Allow)


@given(wishes(), contexts(), st.sampled_from([Kind.FACT, Kind.BULLET]))
def test_one_unknown_target_sets_no_flag_of_known_ones(wish, ground, kind):
    """With one target at hand and another unknown, no rule that asks for every target decides."""
    known, unknown = TARGET, RecordId("m_unknown")
    past = record(kind, namespace=Namespace.EPHEMERAL, valid_to=NOW, status=Status.STAGED)
    targets = tuple(RecordTarget(record_id=record_id, version=1) for record_id in (known, unknown))
    verdict = judge(replace(wish, targets=targets), replace(ground, targets={known: past}))
    decisive = ground.policy.rule(verdict.rules[0])
    assert decisive is not None
    assert not decisive.has & NEEDS_EVERY_TARGET


@given(wishes(), contexts(), st.floats(0, 1), st.floats(0, 1))
def test_more_trust_never_makes_the_verdict_stricter(wish, ground, one, other):
    """The verdict is monotone in trust."""
    strictness = {Allow: 0, Stage: 1, Refuse: 2}
    low, high = sorted([one, other])
    with_low = judge(wish, replace(ground, trust=low))
    with_high = judge(wish, replace(ground, trust=high))
    assert strictness[type(with_high)] <= strictness[type(with_low)]


@given(wishes(), contexts())
def test_nothing_of_fetched_text_is_active_by_itself(wish, ground):
    """Fetched words are never allowed without a person, patterns counted from outcomes aside."""
    fetched = replace(wish, origin=Origin.FETCHED)
    assert not isinstance(judge(fetched, ground), Allow)


@given(wishes(), contexts())
def test_no_agent_directs_the_work_by_itself(wish, ground):
    """An assistant that does not quote the user gets nothing allowed but what is counted, classified or proven."""
    by_agent = replace(wish, origin=Origin.ASSISTANT, signals=replace(wish.signals, quotes_user=False))
    found = judge(by_agent, replace(ground, trust=0.4))
    counted = {"pattern-from-outcomes", "proven-bullet", "automatic-assignment"}
    assert not isinstance(found, Allow) or found.rules[0] in counted

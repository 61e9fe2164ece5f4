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
    directs_work=st.booleans(),
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
def proposals(draw):
    """Any proposal, sensible or not."""
    action = draw(st.sampled_from(Action))
    kind = draw(st.sampled_from(Kind))
    proposed = proposal(
        action,
        kind,
        draw(st.sampled_from(Origin)),
        draw(st.sampled_from(Via)),
        content=payload(action, kind),
        confidence=draw(numbers),
        signals=draw(signals),
        proposer=draw(st.sampled_from(["user", "agent:kettle", "Mira", ""])),
    )
    targets = draw(st.sampled_from([proposed.targets, (), OTHERS, (*proposed.targets, *OTHERS)]))
    return replace(proposed, targets=targets)


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
        confirmed_by=draw(st.sampled_from(["", "Mira", "policy"])),
    )


@given(proposals(), contexts())
def test_the_gate_is_total_and_pure(proposed, context):
    """Every proposal gets a verdict with a rule, a reason and the policy's hash, and the same one again."""
    found = judge(proposed, context)
    assert isinstance(found, Allow | Stage | Refuse)
    assert found.rules
    assert found.reason
    assert found.policy_hash == context.policy.hash
    assert judge(proposed, context) == found


@given(proposals(), contexts(), st.sampled_from(["Mira", "Noor", "agent:kettle", "auto", ""]))
def test_approval_lifts_stage_and_never_refuse(proposed, context, name):
    """With an approval a refusal stays one; what was allowed stays allowed; only Stage may turn, into Allow by name."""
    before = judge(proposed, context)
    after = judge(proposed, replace(context, approval=name))
    if isinstance(before, Refuse):
        assert after == before
    elif isinstance(before, Allow):
        assert isinstance(after, Allow)
    elif isinstance(after, Allow):
        assert after.approver == name
        assert name in {"Mira", "Noor"}


@given(proposals(), contexts())
def test_an_allowance_names_a_rule_that_allows(proposed, context):
    """Nothing is allowed but by a row of the table whose answer is allow."""
    found = judge(proposed, context)
    if isinstance(found, Allow):
        rule = context.policy.rule(found.rules[0])
        assert rule is not None
        assert rule.outcome is Outcome.ALLOW


@given(proposals(), contexts())
def test_nothing_that_directs_work_is_believed_without_a_person(proposed, context):
    """New guidance is allowed only where a person vouches for who says it, or where outcomes showed a pattern."""
    draft = getattr(proposed.payload, "draft", None)
    directs = draft is not None and (
        proposed.signals.directs_work or draft.kind in {Kind.RULE, Kind.DECISION, Kind.CORRECTION, Kind.BULLET}
    )
    if directs and isinstance(found := judge(proposed, context), Allow):
        is_counted = draft.kind is Kind.PATTERN and context.from_outcomes
        assert is_counted or (found.approver == "Mira" == context.confirmed_by and proposed.origin is Origin.USER)


@given(proposals(), contexts())
def test_without_rules_everything_is_denied(proposed, context):
    """An empty table refuses every proposal, also with an approval."""
    empty = replace(context, policy=replace(context.policy, rules=()), approval="Mira")
    assert judge(proposed, empty).rules == (DEFAULT_DENY.id,)
    assert isinstance(judge(proposed, empty), Refuse)


@given(proposals(), contexts(), st.data())
def test_fewer_allowing_rules_never_allow_more(proposed, context, data):
    """Taking an allowing row out of the table cannot turn another verdict into Allow by that row."""
    allowing = [rule for rule in context.policy.rules if rule.outcome is Outcome.ALLOW]
    gone = data.draw(st.sampled_from(allowing))
    rules = tuple(rule for rule in context.policy.rules if rule is not gone)
    found = judge(proposed, replace(context, policy=replace(context.policy, rules=rules)))
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


@given(proposals(), contexts(), st.booleans())
def test_a_proposal_about_no_known_record_is_never_allowed(proposed, context, has_target):
    """The same through the gate: an unknown target sets no flag of a known one, and refuses the repetition as well."""
    assume(not isinstance(proposed.payload, Add | Supersede))  # these bring the kind of their draft
    assume(has_target or not isinstance(proposed.payload, Link))  # an edge between entities is a fact
    targets = (RecordTarget(record_id=TARGET, version=1),) if has_target else ()
    verdict = judge(replace(proposed, targets=targets), replace(context, targets={}))
    assert not isinstance(verdict, Allow)


@given(proposals(), contexts(), st.sampled_from([Kind.FACT, Kind.BULLET]))
def test_one_unknown_target_sets_no_flag_of_known_ones(proposed, context, kind):
    """With one target at hand and another unknown, no rule that asks for every target decides."""
    known, unknown = TARGET, RecordId("m_unknown")
    past = record(kind, namespace=Namespace.EPHEMERAL, valid_to=NOW, status=Status.STAGED)
    targets = tuple(RecordTarget(record_id=record_id, version=1) for record_id in (known, unknown))
    verdict = judge(replace(proposed, targets=targets), replace(context, targets={known: past}))
    decisive = context.policy.rule(verdict.rules[0])
    assert decisive is not None
    assert not decisive.has & NEEDS_EVERY_TARGET


@given(proposals(), contexts(), st.floats(0, 1), st.floats(0, 1))
def test_more_trust_never_makes_the_verdict_stricter(proposed, context, one, other):
    """The verdict is monotone in trust."""
    strictness = {Allow: 0, Stage: 1, Refuse: 2}
    low, high = sorted([one, other])
    with_low = judge(proposed, replace(context, trust=low))
    with_high = judge(proposed, replace(context, trust=high))
    assert strictness[type(with_high)] <= strictness[type(with_low)]


@given(proposals(), contexts())
def test_nothing_of_fetched_text_is_active_by_itself(proposed, context):
    """Fetched words are never allowed without a person, patterns counted from outcomes aside."""
    fetched = replace(proposed, origin=Origin.FETCHED)
    assert not isinstance(judge(fetched, context), Allow)


@given(proposals(), contexts())
def test_no_agent_directs_the_work_by_itself(proposed, context):
    """An assistant that does not quote the user gets nothing allowed but what is counted, classified or proven."""
    by_agent = replace(proposed, origin=Origin.ASSISTANT, signals=replace(proposed.signals, quotes_user=False))
    found = judge(by_agent, replace(context, trust=0.4))
    counted = {"pattern-from-outcomes", "proven-bullet", "automatic-assignment"}
    assert not isinstance(found, Allow) or found.rules[0] in counted

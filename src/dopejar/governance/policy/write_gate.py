"""The write gate: one pure function from a proposal to a verdict.

Takes: a proposal and the context that it is judged in. Gives: Allow, Stage or Refuse with rule ids and a reason.
Never: writes, reads a clock, or allows what no rule allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import isnan
from types import MappingProxyType
from typing import Final

from dopejar.governance.policy.rules import Flag, Outcome, Policy, Rule, SaidBy, Situation, strictest
from dopejar.governance.reviewer_credentials import is_person, may_approve
from dopejar.memory.derivation import CONFLICT_TAG
from dopejar.values.episode import Origin
from dopejar.values.ids import RecordId
from dopejar.values.proposal import Action, Add, Level, Payload, Proposal, Signals, Supersede, Tag, Via
from dopejar.values.record import Draft, Kind, Record, Status
from dopejar.values.scope import Namespace
from dopejar.values.verdict import Allow, Refuse, Stage, Verdict

_CONFLICT_WARNING: Final = Tag(add=(CONFLICT_TAG,))
_NO_TARGETS: Final[Mapping[RecordId, Record]] = MappingProxyType({})
_REMOVING_ACTIONS: Final = frozenset({Action.DEPRECATE, Action.MERGE, Action.ERASE, Action.UNDO})
_ANY_TARGET_ACTIONS: Final = frozenset({Action.TAG, Action.LINK})
# a constraint may also be a person's own limit, such as an allergy; there the signal tells
_DIRECTING_KINDS: Final = frozenset({Kind.RULE, Kind.DECISION, Kind.CORRECTION})
_RADIUS_ORDER: Final[Mapping[Level, int]] = {Level.NONE: 0, Level.LOW: 1, Level.MEDIUM: 2, Level.HIGH: 3}
# signals that are flags: the flag is set where the signal is true
_SIGNAL_FLAGS: Final = (
    (Flag.INSTRUCTION_LIKE, "instruction_like"),
    (Flag.RECALL_LOOP, "recall_loop"),
    (Flag.BOOT_FILE, "boot_file"),
    (Flag.OWN_UPDATE, "own_update"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeContext:
    """The context that a proposal is judged in.

    `trust` is the least over the evidence that asserts. `targets` holds the records that the proposal names. `approval`
    is the name of the reviewer who approves it, or None. `from_outcomes`: everything that asserts is a recorded
    outcome. `is_proven`: every target is a bullet that outcomes of two conversations proved, one of them a
    reviewer's. `is_classified`: the classifier chose the side, at or above the threshold of the settings.
    `confirmed_by` is the reviewer in whose session, or at whose trusted terminal, the user speaks, or "".
    """

    policy: Policy
    now: datetime
    trust: float
    targets: Mapping[RecordId, Record] = field(default_factory=lambda: _NO_TARGETS)
    approval: str | None = None
    from_outcomes: bool = False
    is_proven: bool = False
    is_classified: bool = False
    confirmed_by: str = ""


def judge(proposal: Proposal, context: JudgeContext) -> Verdict:
    """The verdict on a proposal by the context's policy.

    Total and pure: the same arguments give the same verdict, and nothing is raised. A proposal that touches several
    kinds gets the strictest of their verdicts. An approval turns Stage into Allow with the reviewer as approver, unless
    the reviewer's name is no person's, or the reviewer also proposed it without being a person. It never turns Refuse.
    """
    situations = _situations(proposal, context)
    first = context.policy.first_match
    if len(situations) == 1:
        situation = situations[0]
        rule = first(situation)
    else:
        matches = [(first(situation), situation) for situation in situations]
        rule = strictest(matched for matched, _ in matches)
        situation = next(situation for matched, situation in matches if matched is rule)
    return _verdict(rule, situation, proposal, context)


def said_by(proposal: Proposal) -> SaidBy:
    """Whose words these are: the origin, or `quoted` where an agent repeats a user turn word for word."""
    if proposal.origin is Origin.ASSISTANT and proposal.signals.quotes_user:
        return SaidBy.QUOTED
    return SaidBy(proposal.origin.value)


def source_quality(proposal: Proposal, trust: float) -> float:
    """Trust x confidence, at most 1. Of the proposal's confidence and its draft's, the lower one counts."""
    return min(trust, 1.0) * _confidence(proposal)


def blast_radius(
    proposal: Proposal,
    kind: Kind | None,
    targets: Mapping[RecordId, Record],
    policy: Policy,
    *,
    confirmed: bool = False,
) -> Level:
    """The harm of a wrong verdict: by action, else by kind; replacing what a person approved has a level of its own.

    That level is not asked of what a reviewer vouches for: a person's word replaces it. An unknown kind counts as high.
    """
    action = proposal.payload.action
    by_action = policy.blast_of_action.get(action)
    if by_action is not None:
        return by_action
    level = Level.HIGH if kind is None else policy.blast_of_kind.get(kind, Level.HIGH)
    if action is Action.SUPERSEDE and not confirmed and _has_approved_target(proposal, targets):
        return max(level, policy.blast_of_replacing_approved, key=_RADIUS_ORDER.__getitem__)
    return level


def _situations(proposal: Proposal, context: JudgeContext) -> tuple[Situation, ...]:
    payload = proposal.payload
    signals = proposal.signals
    draft = payload.draft if isinstance(payload, Add | Supersede) else None
    records = [context.targets.get(target.record_id) for target in proposal.record_targets]
    flags = frozenset(_flags(proposal, context, draft, records))
    confidence = _confidence(proposal)
    quality = min(context.trust, 1.0) * confidence
    speaker = said_by(proposal)
    return tuple(
        Situation(
            said_by=speaker,
            via=proposal.via,
            action=payload.action,
            kind=kind,
            conflict=signals.conflict,
            curated_away=signals.curated_away,
            blast_radius=blast_radius(
                proposal, kind, context.targets, context.policy, confirmed=_is_confirmed(proposal, context)
            ),
            source_quality=quality,
            confidence=confidence,
            alignment=signals.alignment,
            flags=flags,
        )
        for kind in _kinds(proposal, draft, records)
    )


def _kinds(proposal: Proposal, draft: Draft | None, records: list[Record | None]) -> tuple[Kind | None, ...]:
    """The kinds that a proposal touches: its draft's, else its targets'.

    An edge between entities, and a tag of turns, a block or a dossier, state how things are: facts.
    """
    if draft is not None:
        return (draft.kind,)
    kinds = [None if record is None else record.kind for record in records]
    action = proposal.payload.action
    has_other_target = len(proposal.targets) > len(records)
    if (not records and action is Action.LINK) or (has_other_target and action in _ANY_TARGET_ACTIONS):
        kinds.append(Kind.FACT)
    return tuple(dict.fromkeys(kinds)) or (None,)


def _flags(proposal: Proposal, context: JudgeContext, draft: Draft | None, records: list[Record | None]) -> list[Flag]:
    signals: Signals = proposal.signals
    flags = [flag for flag, name in _SIGNAL_FLAGS if getattr(signals, name)]
    context_flags = (
        (context.from_outcomes, Flag.FROM_OUTCOMES),
        (context.is_classified, Flag.CLASSIFIED),
        (context.is_proven, Flag.PROVEN),
        (_is_confirmed(proposal, context), Flag.CONFIRMED),
        (signals.directs_work or (draft is not None and draft.kind in _DIRECTING_KINDS), Flag.DIRECTS_WORK),
    )
    flags += [flag for is_set, flag in context_flags if is_set]
    if _removes(proposal):
        flags.append(Flag.REMOVES)
    if not records:
        if not (proposal.targets and proposal.payload.action in _ANY_TARGET_ACTIONS):
            flags.append(Flag.NO_TARGET)
        return flags
    if None in records:
        flags.append(Flag.UNKNOWN_TARGET)
    if draft is not None and _shares_slot(draft, proposal.payload, records):
        flags.append(Flag.SAME_SLOT)
    if any(record is not None and is_person(record.approved_by) for record in records):
        flags.append(Flag.APPROVED_TARGET)
    if _warns(proposal, records):
        flags.append(Flag.WARNS)
    if all(_is_over(record, context.now) for record in records):
        flags.append(Flag.OVER)
    return flags


def _is_confirmed(proposal: Proposal, context: JudgeContext) -> bool:
    is_said = proposal.via is Via.REMEMBER and proposal.origin is Origin.USER
    return is_said and bool(context.confirmed_by) and is_person(context.confirmed_by)


def _warns(proposal: Proposal, records: list[Record | None]) -> bool:
    are_staged = all(record is not None and record.status is Status.STAGED for record in records)
    return are_staged and proposal.payload == _CONFLICT_WARNING


def _is_over(record: Record | None, now: datetime) -> bool:
    if record is None or record.namespace is not Namespace.EPHEMERAL:
        return False
    return record.valid_to is not None and record.valid_to <= now


def _removes(proposal: Proposal) -> bool:
    payload = proposal.payload
    if isinstance(payload, Tag):
        return bool(payload.remove) or payload.pinned is not None
    return payload.action in _REMOVING_ACTIONS


def _shares_slot(draft: Draft, payload: Payload, records: list[Record | None]) -> bool:
    """Whether every target has the draft's slot, or gets it as what the draft outdates."""
    chain, joins = draft.slot or draft.key, payload.joins if isinstance(payload, Supersede) else ()
    own = (record is not None and (record.chain == chain or record.id in joins) for record in records)
    return bool(chain) and all(own)


def _has_approved_target(proposal: Proposal, targets: Mapping[RecordId, Record]) -> bool:
    records = (targets.get(target.record_id) for target in proposal.record_targets)
    return any(record is not None and is_person(record.approved_by) for record in records)


def _confidence(proposal: Proposal) -> float:
    """The lower of the two confidences, at most 1. NaN stays NaN, and the rules take it for too low."""
    confidence = proposal.confidence
    payload = proposal.payload
    if isinstance(payload, Add | Supersede) and not payload.draft.confidence >= confidence:
        confidence = confidence if isnan(confidence) else payload.draft.confidence
    return min(confidence, 1.0)


def _verdict(rule: Rule, situation: Situation, proposal: Proposal, context: JudgeContext) -> Verdict:
    reason = _reason(rule, situation)
    policy_hash = context.policy.hash
    if rule.outcome is Outcome.REFUSE:
        return Refuse(rules=(rule.id,), reason=reason, policy_hash=policy_hash)
    if context.approval is not None:
        if may_approve(context.approval, proposal.proposer, is_person_proposing=_is_from_person(proposal)):
            approver = context.approval
            return Allow(rules=(rule.id, "approved"), reason=reason, policy_hash=policy_hash, approver=approver)
        if rule.outcome is Outcome.STAGE:
            reason = f"{context.approval} proposed it or is no person, and cannot approve it"
            return Stage(rules=(rule.id, "proposer-is-not-approver"), reason=reason, policy_hash=policy_hash)
    if rule.outcome is Outcome.ALLOW:
        is_confirmed = situation.flags >= {Flag.CONFIRMED, Flag.DIRECTS_WORK}
        approver = context.confirmed_by if is_confirmed else rule.approver
        return Allow(rules=(rule.id,), reason=reason, policy_hash=policy_hash, approver=approver)
    return Stage(rules=(rule.id,), reason=reason, policy_hash=policy_hash)


def _is_from_person(proposal: Proposal) -> bool:
    return proposal.origin is Origin.USER or proposal.made_by == "person"


def _reason(rule: Rule, situation: Situation) -> str:
    if rule.source_quality_below is None:
        return rule.reason
    limit = rule.source_quality_below.get(situation.blast_radius, 0.0)
    return f"{rule.reason} ({situation.source_quality:.2f} of the {limit:.2f} needed)"

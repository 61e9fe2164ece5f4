"""Builders of proposals, records and contexts for the tests of the gate.

Takes: what a test cares about. Gives: whole values with quiet defaults. Never: hides a column that a test depends on.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from dopejar.governance.policy.policy_file import shipped_policy
from dopejar.governance.policy.write_gate import JudgeContext
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, ProposalId, RecordId, TraceId
from dopejar.values.proposal import (
    Action,
    Activate,
    Add,
    Assign,
    Deprecate,
    Erase,
    Link,
    Merge,
    Payload,
    Proposal,
    Reinforce,
    Rekey,
    Restore,
    Share,
    Signals,
    Supersede,
    Tag,
    Undo,
    Via,
)
from dopejar.values.record import Draft, Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, Side
from dopejar.values.target import RecordTarget

NOW = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)
TARGET = RecordId("m_target")
SLOT = "self.pref.editor"
TRUST = {
    Origin.USER: 1.0,
    Origin.TOOL: 0.7,
    Origin.OTHER: 0.6,
    Origin.ASSISTANT: 0.4,
    Origin.FETCHED: 0.2,
    Origin.SYSTEM: 0.0,
}
REPLACING_ALLOWED = frozenset({Action.SUPERSEDE})


def draft(kind: Kind = Kind.FACT, text: str = "The kettle boils at noon", **more) -> Draft:
    """A draft of one kind, in the slot that `record` has too."""
    return replace(Draft(kind=kind, text=text, slot=SLOT), **more)


def record(kind: Kind = Kind.FACT, **more) -> Record:
    """An active record of one kind, nobody's approval on it."""
    plain = Record(
        id=TARGET,
        kind=kind,
        text="The kettle boils at ten",
        key="",
        slot=SLOT,
        value="",
        layer=Layer.WORLD,
        sublayer=Sublayer.FACT,
        namespace=Namespace.PROD,
        scope=UNIVERSAL,
        side=Side.NONE,
        status=Status.ACTIVE,
        confidence=1.0,
        certainty=1.0,
        trust=1.0,
        tags=(),
        pinned=False,
        created_at=NOW,
        valid_from=NOW,
        valid_to=None,
        temporary=False,
        content_hash="",
        version=1,
        made_by="test@1",
    )
    return replace(plain, **more)


def payload(action: Action, kind: Kind = Kind.FACT) -> Payload:
    """A payload of each action."""
    made: dict[Action, Payload] = {
        Action.ADD: Add(draft=draft(kind)),
        Action.REINFORCE: Reinforce(),
        Action.SUPERSEDE: Supersede(draft=draft(kind), predecessor=TARGET),
        Action.ASSIGN: Assign(side=Side.LEFT),
        Action.ACTIVATE: Activate(),
        Action.SHARE: Share(text="Boil water first"),
        Action.DEPRECATE: Deprecate(),
        Action.MERGE: Merge(into=TARGET),
        Action.TAG: Tag(add=("kitchen",)),
        Action.LINK: Link(edges=()),
        Action.ERASE: Erase(),
        Action.RESTORE: Restore(),
        Action.UNDO: Undo(),
        Action.REKEY: Rekey(keys=("Tea-Pref-Sort",)),
    }
    return made[action]


def proposal(
    action: Action = Action.ADD,
    kind: Kind = Kind.FACT,
    origin: Origin = Origin.USER,
    via: Via = Via.REMEMBER,
    *,
    content: Payload | None = None,
    **more,
) -> Proposal:
    """A proposal with one target wherever its action needs one."""
    plain = Proposal(
        id=ProposalId("p_test"),
        act_id=ActId("a_test"),
        payload=content or payload(action, kind),
        at=NOW,
        origin=origin,
        via=via,
        made_by="test@1",
        trace_id=TraceId("t_test"),
        targets=() if action is Action.ADD else (RecordTarget(record_id=TARGET, version=1),),
        proposer="user" if origin is Origin.USER else "agent:kettle",
        signals=Signals(own_update=action in REPLACING_ALLOWED),
    )
    return replace(plain, **more)


def context(proposed: Proposal, kind: Kind = Kind.FACT, **more) -> JudgeContext:
    """The shipped policy, the trust of the proposal's origin, and its target at hand."""
    plain = JudgeContext(policy=shipped_policy(), now=NOW, trust=TRUST[proposed.origin], targets={TARGET: record(kind)})
    return replace(plain, **more)

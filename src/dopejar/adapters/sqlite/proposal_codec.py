"""Proposals as rows: their payload, targets, evidence and signals as JSON.

Takes: proposals, or rows. Gives: rows, or proposals. Never: reads or writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, TypedDict, cast

from dopejar.adapters.sqlite.codec import (
    Cell,
    Row,
    dumps,
    evidence_of,
    evidence_row,
    scope_of,
    time_or_none,
    when,
    when_or_none,
)
from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, ProposalId, RecordId, TraceId
from dopejar.values.proposal import (
    Action,
    Activate,
    Add,
    Assign,
    Deprecate,
    Erase,
    Level,
    Link,
    Merge,
    Payload,
    Proposal,
    ProposalState,
    Reinforce,
    Rest,
    Restore,
    Share,
    Signals,
    Supersede,
    Tag,
    Undo,
    Via,
)
from dopejar.values.record import Draft, Kind, Layer, Sublayer
from dopejar.values.scope import Namespace, Side
from dopejar.values.target import target_as_json, target_from_json

Json = dict[str, object]


class _DraftJson(TypedDict):
    kind: str
    text: str
    key: str
    slot: str
    value: str
    layer: str
    sublayer: str
    namespace: str
    scope: str
    side: str
    confidence: float
    certainty: float
    tags: list[str]
    pinned: bool
    valid_from: str | None
    valid_to: str | None
    temporary: bool
    attributes: dict[str, str]


def _draft_json(draft: Draft) -> _DraftJson:
    return {
        "kind": draft.kind.value,
        "text": draft.text,
        "key": draft.key,
        "slot": draft.slot,
        "value": draft.value,
        "layer": draft.layer.value,
        "sublayer": draft.sublayer.value,
        "namespace": draft.namespace.value,
        "scope": str(draft.scope),
        "side": draft.side.value,
        "confidence": draft.confidence,
        "certainty": draft.certainty,
        "tags": list(draft.tags),
        "pinned": draft.pinned,
        "valid_from": when_or_none(draft.valid_from),
        "valid_to": when_or_none(draft.valid_to),
        "temporary": draft.temporary,
        "attributes": dict(draft.attributes),
    }


def _draft_of(data: object) -> Draft:
    draft = cast("_DraftJson", data)
    return Draft(
        kind=Kind(draft["kind"]),
        text=draft["text"],
        key=draft["key"],
        slot=draft["slot"],
        value=draft["value"],
        layer=Layer(draft["layer"]),
        sublayer=Sublayer(draft["sublayer"]),
        namespace=Namespace(draft["namespace"]),
        scope=scope_of(draft["scope"]),
        side=Side(draft["side"]),
        confidence=draft["confidence"],
        certainty=draft["certainty"],
        tags=tuple(draft["tags"]),
        pinned=draft["pinned"],
        valid_from=time_or_none(draft["valid_from"]),
        valid_to=time_or_none(draft["valid_to"]),
        temporary=draft["temporary"],
        attributes=draft["attributes"],
    )


def payload_json(payload: Payload) -> Json:  # noqa: C901, PLR0911 - a branch per action; a table would hide types
    """A payload as a JSON object; its action stands in a column of its own."""
    match payload:
        case Add(draft=draft, edges=edges):
            return {"draft": _draft_json(draft), "edges": _edges_json(edges)}
        case Supersede(draft=draft, predecessor=predecessor, edges=edges, into=into, joins=joins):
            then = when_or_none(payload.resume_from)
            rest: Json = {"predecessor": predecessor, "resume_from": then, "edges": _edges_json(edges), "into": into}
            rests = [{"of": one.of, "draft": _draft_json(one.draft)} for one in payload.rests]
            return {"draft": _draft_json(draft), **rest, "joins": joins, "rests": rests}
        case Assign(side=side):
            return {"side": side.value}
        case Share(text=text):
            return {"text": text}
        case Merge(into=into):
            return {"into": into}
        case Tag(add=add, remove=remove, pinned=pinned, outcome=outcome):
            return {"add": add, "remove": remove, "pinned": pinned, "outcome": outcome}
        case Link(edges=edges):
            return {"edges": _edges_json(edges)}
        case Erase(episodes=episodes, proposals=proposals, conversation=conversation):
            return {"episodes": episodes, "proposals": proposals, "conversation": conversation}
        case Undo(act_id=act_id, conversation=conversation):
            return {"act_id": act_id, "conversation": conversation}
        case Reinforce() | Activate() | Deprecate() | Restore():
            return {}


def _edges_json(edges: "tuple[Edge, ...]") -> list[tuple[str, str, str, str | None]]:
    return [(edge.src, edge.dst, edge.kind.value, edge.record_id) for edge in edges]


def _edges_of(data: object) -> "tuple[Edge, ...]":
    rows = cast("list[tuple[str, str, str, RecordId | None]]", data)
    return tuple(Edge(src=src, dst=dst, kind=EdgeKind(kind), record_id=of) for src, dst, kind, of in rows)


def _supersede(data: Json) -> Payload:
    return Supersede(
        draft=_draft_of(data["draft"]),
        predecessor=cast("RecordId | None", data["predecessor"]),
        resume_from=time_or_none(cast("str | None", data["resume_from"])),
        edges=_edges_of(data.get("edges", [])),
        into=cast("RecordId | None", data.get("into")),
        joins=tuple(cast("list[RecordId]", data.get("joins", []))),
        rests=tuple(
            Rest(of=cast("RecordId | None", one["of"]), draft=_draft_of(one["draft"]))
            for one in cast("list[Json]", data.get("rests", []))
        ),
    )


def _tag(data: Json) -> Payload:
    return Tag(
        add=tuple(cast("list[str]", data["add"])),
        remove=tuple(cast("list[str]", data["remove"])),
        pinned=cast("bool | None", data["pinned"]),
        outcome=cast("str", data.get("outcome", "")),
    )


def _link(data: Json) -> Payload:
    return Link(edges=_edges_of(data["edges"]))


def _erase(data: Json) -> Payload:
    return Erase(
        episodes=tuple(cast("list[EpisodeId]", data["episodes"])),
        proposals=tuple(cast("list[ProposalId]", data.get("proposals", ()))),
        conversation=cast("ConversationId | None", data["conversation"]),
    )


def _undo(data: Json) -> Payload:
    return Undo(
        act_id=cast("ActId | None", data["act_id"]), conversation=cast("ConversationId | None", data["conversation"])
    )


_PAYLOADS: Final[Mapping[Action, Callable[[Json], Payload]]] = {
    Action.ADD: lambda data: Add(draft=_draft_of(data["draft"]), edges=_edges_of(data.get("edges", []))),
    Action.SUPERSEDE: _supersede,
    Action.REINFORCE: lambda _: Reinforce(),
    Action.ASSIGN: lambda data: Assign(side=Side(cast("str", data["side"]))),
    Action.ACTIVATE: lambda _: Activate(),
    Action.SHARE: lambda data: Share(text=cast("str", data["text"])),
    Action.DEPRECATE: lambda _: Deprecate(),
    Action.MERGE: lambda data: Merge(into=cast("RecordId", data["into"])),
    Action.TAG: _tag,
    Action.LINK: _link,
    Action.ERASE: _erase,
    Action.RESTORE: lambda _: Restore(),
    Action.UNDO: _undo,
}


def _signals_json(signals: Signals) -> Json:
    return {
        "conflict": signals.conflict.value,
        "conflicts_with": signals.conflicts_with,
        "own_update": signals.own_update,
        "alignment": signals.alignment,
        "progress_delta": signals.progress_delta,
        "instruction_like": signals.instruction_like,
        "directs_work": signals.directs_work,
        "recall_loop": signals.recall_loop,
        "boot_file": signals.boot_file,
        "curated_away": signals.curated_away,
        "quotes_user": signals.quotes_user,
    }


def _signals_of(data: Json) -> Signals:
    return Signals(
        conflict=Level(cast("str", data["conflict"])),
        conflicts_with=tuple(cast("list[RecordId]", data["conflicts_with"])),
        own_update=cast("bool", data["own_update"]),
        alignment=cast("float", data["alignment"]),
        progress_delta=cast("float", data["progress_delta"]),
        instruction_like=cast("bool", data["instruction_like"]),
        directs_work=cast("bool", data.get("directs_work", False)),  # missing in older rows
        recall_loop=cast("bool", data["recall_loop"]),
        boot_file=cast("bool", data["boot_file"]),
        curated_away=cast("str", data["curated_away"]),
        quotes_user=cast("bool", data["quotes_user"]),
    )


def proposal_row(proposal: Proposal) -> tuple[Cell, ...]:
    """A proposal in the order of `PROPOSAL_COLUMNS`."""
    return (
        proposal.id,
        proposal.act_id,
        proposal.action.value,
        proposal.state.value,
        proposal.priority,
        when(proposal.at),
        proposal.origin.value,
        proposal.via.value,
        proposal.made_by,
        proposal.trace_id,
        str(proposal.scope),
        proposal.confidence,
        proposal.proposer,
        proposal.reviewer,
        proposal.record_id,
        proposal.version,
        proposal.rationale,
        proposal.reason,
        dumps(payload_json(proposal.payload)),
        dumps([target_as_json(target) for target in proposal.targets]),
        dumps([evidence_row(row) for row in proposal.evidence]),
        dumps(_signals_json(proposal.signals)),
    )


def proposal_of(row: Row) -> Proposal:
    """The proposal of a row in the order of `PROPOSAL_COLUMNS`."""
    (
        proposal_id, act_id, action, state, priority, at, origin, via, made_by, trace_id, scope, confidence, proposer,
        reviewer, record_id, version, rationale, reason, payload, targets, evidence, signals,
    ) = cast(
        "tuple[ProposalId, ActId, str, str, int, str, str, str, str, TraceId, str, float, str, str, RecordId | None,"
        " int, str, str, str, str, str, str]",
        row,
    )  # fmt: skip
    return Proposal(
        id=proposal_id,
        act_id=act_id,
        payload=_PAYLOADS[Action(action)](json.loads(payload)),
        at=datetime.fromisoformat(at),
        origin=Origin(origin),
        via=Via(via),
        made_by=made_by,
        trace_id=trace_id,
        targets=tuple(map(target_from_json, json.loads(targets))),
        evidence=tuple(evidence_of(columns) for columns in json.loads(evidence)),
        scope=scope_of(scope),
        confidence=confidence,
        signals=_signals_of(json.loads(signals)),
        rationale=rationale,
        priority=priority,
        proposer=proposer,
        state=ProposalState(state),
        reviewer=reviewer,
        reason=reason,
        record_id=record_id,
        version=version,
    )

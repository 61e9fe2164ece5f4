"""Proposals as rows: their payload, targets, evidence and signals as JSON.

Takes: proposals, or rows. Gives: rows, or proposals. Never: reads or writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Final, cast, get_args

from dopejar.adapters.sqlite.codec import Cell, Row, dumps, evidence_of, evidence_row, scope_of, when
from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.episode import Origin
from dopejar.values.frozen_json import Reader, names_of_fields, reader_of
from dopejar.values.held_bodies import as_object, require
from dopejar.values.ids import ActId, ProposalId, RecordId, TraceId
from dopejar.values.proposal import Action, Payload, Proposal, ProposalState, Signals, Via
from dopejar.values.scope import Scope
from dopejar.values.target import target_as_json, target_from_json


def _plain(value: object) -> object:
    """One level of a value that JSON does not know: of a payload its fields; its action has a column of its own."""
    if isinstance(value, datetime):
        return when(value)
    if isinstance(value, Scope):
        return str(value)
    if isinstance(value, Edge):
        return value.src, value.dst, value.kind, value.record_id
    if isinstance(value, Mapping):
        return dict(value)
    return {name: getattr(value, name) for name in names_of_fields(cast("type", type(value)))}


def _edge_of(data: object) -> Edge:
    src, dst, kind, record_id = cast("list[str]", data)
    return Edge(src=src, dst=dst, kind=EdgeKind(kind), record_id=cast("RecordId | None", record_id))


_dumps: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain).encode

_OWN_FORMS: Final[tuple[tuple[object, Reader], ...]] = (
    (Scope, lambda data: scope_of(require(data, str))),
    (Edge, _edge_of),
    (Mapping[str, str], as_object),
)
_LATER: Final = frozenset({"edges", "into", "joins", "rests", "outcome", "proposals", "directs_work"})
"""Fields that older rows lack."""

_PAYLOADS: Final = {fields(kind)[-1].default: kind for kind in get_args(Payload)}


@cache
def _reader(kind: type) -> Reader:
    return reader_of(kind, _OWN_FORMS, _LATER)


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
        _dumps(proposal.payload),
        dumps([target_as_json(target) for target in proposal.targets]),
        dumps([evidence_row(row) for row in proposal.evidence]),
        _dumps(proposal.signals),
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
        payload=cast("Payload", _reader(_PAYLOADS[Action(action)])(json.loads(payload))),
        at=datetime.fromisoformat(at),
        origin=Origin(origin),
        via=Via(via),
        made_by=made_by,
        trace_id=trace_id,
        targets=tuple(map(target_from_json, json.loads(targets))),
        evidence=tuple(evidence_of(columns) for columns in json.loads(evidence)),
        scope=scope_of(scope),
        confidence=confidence,
        signals=cast("Signals", _reader(Signals)(json.loads(signals))),
        rationale=rationale,
        priority=priority,
        proposer=proposer,
        state=ProposalState(state),
        reviewer=reviewer,
        reason=reason,
        record_id=record_id,
        version=version,
    )

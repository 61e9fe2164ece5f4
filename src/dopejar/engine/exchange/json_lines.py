"""Export and import as JSON lines.

Takes: a path, and for an import a reviewer. Gives: a file of readable lines, or its contents merged in one act. Never:
brings back what was erased or what a person rejected here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.exchange.backups import require_new
from dopejar.engine.review.reviewer_sessions import require_reviewer
from dopejar.engine.unit_of_work import check_tombstones, commit, decide
from dopejar.errors import InputError, NotFoundError, StoreError
from dopejar.memory.append import admit, append
from dopejar.memory.buried_turns import buried
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.dates import parse_utc
from dopejar.values.episode import Conversation, Episode, EpisodeKind, Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, ProposalId, RecordId, TraceId, new_act_id
from dopejar.values.proposal import Add, Proposal, Reinforce, Supersede, Via
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Draft, Evidence, EvidenceRole, Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import Namespace, Scope, Side
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Allow

FORMAT = "dopejar-export@1"
_PAGE = 500
_EVERY_CONVERSATION = 10_000_000
_IMPORTED = (Status.ACTIVE, Status.SUPERSEDED, Status.DEPRECATED)
Line = dict[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExchangeReport:
    """What was exported, counted by kind of line, or imported, counted by outcome."""

    counts: Mapping[str, int]
    act_id: ActId | None = None


# -- export ------------------------------------------------------------------------------------------------------------


def export_lines(view: ReadView) -> Iterator[Line]:
    """Everything as JSON objects: a header, conversations with their episodes, records with their evidence."""
    yield {"type": "header", "format": FORMAT, "ledger_head": view.head().hash}
    for conversation in view.conversations(_EVERY_CONVERSATION):
        yield {"type": "conversation", **_to_line(conversation)}
        for episode in view.turns(conversation.id):
            yield {"type": "episode", **_to_line(episode)}
    after: RecordId | None = None
    where = RecordFilter(statuses=tuple(Status), namespace=None)
    while page := view.list_records(where, _PAGE, after):
        evidence = view.evidence_of(tuple(record.id for record in page))
        for record in page:
            rows = [_to_line(row) for row in evidence.get(record.id, ())]
            yield {"type": "record", **_to_line(record), "evidence": rows}
        after = page[-1].id


def _to_line(value: object) -> Line:
    """A frozen value as a JSON object: times in ISO form, empty fields left out."""
    line: Line = {}
    for name in type(value).__dataclass_fields__:  # type: ignore[attr-defined]
        content = getattr(value, name)
        if content is None or content in ((), "", {}):
            continue
        if isinstance(content, datetime):
            line[name] = content.isoformat()
        elif isinstance(content, Scope):
            line[name] = str(content)
        elif isinstance(content, tuple):
            line[name] = list(content)
        elif isinstance(content, Mapping):
            line[name] = dict(content)
        else:
            line[name] = content
    return line


def export_to(deps: Dependencies, path: Path) -> ExchangeReport:
    """Write an export. Raises InputError where the file cannot be created, StoreError where it cannot be written."""
    require_new(path)
    partial = path.with_name(path.name + ".part")
    counts: Counter[str] = Counter()
    try:
        with deps.store.read() as view, partial.open("w", encoding="utf-8") as file:
            partial.chmod(0o600)
            for line in export_lines(view):
                counts[str(line["type"])] += 1
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        partial.replace(path)
    except OSError as fault:
        raise StoreError(f"{path} could not be written ({fault.strerror}). Make room or name another place.") from fault
    finally:
        partial.unlink(missing_ok=True)
    return ExchangeReport(counts=dict(counts))


# -- import ------------------------------------------------------------------------------------------------------------


def read_lines(path: Path) -> list[Line]:
    """The lines of an export, all checked before anything is written.

    Raises NotFoundError, InputError with the line's number.
    """
    if not path.exists():
        raise NotFoundError(f"There is no file {path}.")
    lines: list[Line] = []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(f"{path} cannot be read: {fault}.") from fault
    for number, raw in enumerate(text.split("\n"), 1):  # not splitlines: texts may hold other line separators
        if not raw.strip():
            continue
        try:
            line = json.loads(raw)
        except json.JSONDecodeError as fault:
            raise InputError(
                f"{path}, line {number}: invalid JSON ({fault.msg}). Export again, or remove the line."
            ) from fault
        if not isinstance(line, dict) or "type" not in line:
            raise InputError(f"{path}, line {number}: each line of an export must be a JSON object with a `type`.")
        lines.append(line)
    if not lines or lines[0].get("format") != FORMAT:
        raise InputError(f"{path} is not an export of this program: its first line must contain {FORMAT}.")
    return lines


def import_from(deps: Dependencies, path: Path, by: Reviewer, trace_id: TraceId) -> ExchangeReport:
    """Merge an export, in one act: records that exist here gain its evidence; what was erased here stays erased.

    Raises:
        InputError: a line is wrong; nothing was written.
    """
    lines = read_lines(path)
    try:
        conversations = [parse_conversation(line) for line in lines if line["type"] == "conversation"]
        episodes = [parse_episode(line) for line in lines if line["type"] == "episode"]
        records = [(parse_record(line), parse_evidence(line)) for line in lines if line["type"] == "record"]
    except (KeyError, ValueError, TypeError) as fault:
        raise InputError(f"{path}: a line lacks a field or has an invalid one ({fault}).") from fault
    counts: Counter[str] = Counter()
    act_id = new_act_id()
    by_conversation: dict[ConversationId, list[Episode]] = {}
    for episode in episodes:
        by_conversation.setdefault(episode.conversation, []).append(episode)
    with deps.store.write() as tx:
        require_reviewer(tx, by, deps.system_clock.now())
        for conversation in conversations:
            admitted = admit(
                by_conversation.get(conversation.id, []), deps.redact, deps.may_keep, lambda turns: buried(tx, turns)
            )
            counts["episodes"] += append(tx, _merged_row(tx, conversation), admitted)
        for record, evidence in sorted(records, key=lambda pair: pair[0].valid_from):
            if record.status in _IMPORTED and evidence:
                counts[_import_record(deps, tx, record, evidence, by, act_id, trace_id)] += 1
            else:
                counts["left_out"] += 1
    return ExchangeReport(counts=dict(counts), act_id=act_id)


def _merged_row(tx: WriteTransaction, conversation: Conversation) -> Conversation:
    """The conversation's row as it exists here, with the greater count of imported turns."""
    existing = tx.conversation(conversation.id)
    if existing is None:
        return conversation
    return replace(existing, imported=max(existing.imported, conversation.imported))


def _import_record(
    deps: Dependencies,
    tx: WriteTransaction,
    record: Record,
    evidence: tuple[Evidence, ...],
    by: Reviewer,
    act_id: ActId,
    trace_id: TraceId,
) -> str:
    """Propose and commit an imported record with its evidence; the outcome."""
    now = deps.clock.now()
    existing = tx.record(record.id)
    draft = _draft(record)
    chain = draft.key and tx.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    payload = Reinforce() if existing else Supersede(draft=draft) if chain else Add(draft=draft)
    proposal = Proposal(
        id=ProposalId(record.id.replace("m_", "p_", 1)),
        act_id=act_id,
        payload=payload,
        at=now,
        origin=Origin.USER,
        via=Via.REVIEW,
        made_by=record.made_by,
        trace_id=trace_id,
        targets=(RecordTarget(record_id=existing.id, version=existing.version),) if existing else (),
        evidence=tuple(replace(row, act_id=act_id) for row in evidence),
        scope=record.scope,
        confidence=record.confidence,
        proposer=by.name,
        record_id=record.id,
    )
    secret = tx.meta("secret")
    proposal = check_tombstones(proposal, tx, bytes.fromhex(secret) if secret else None)
    verdict = decide(proposal, tx, deps.policy(), now, approval=by.name)
    if not isinstance(verdict, Allow) or (existing and existing.status is Status.ERASED):
        return "kept_out"
    return commit(tx, proposal, verdict, now).outcome


def _draft(record: Record) -> Draft:
    return Draft(
        kind=record.kind,
        text=record.text,
        key=record.key,
        slot=record.slot,
        value=record.value,
        layer=record.layer,
        sublayer=record.sublayer,
        namespace=record.namespace,
        scope=record.scope,
        side=record.side,
        confidence=record.confidence,
        certainty=record.certainty,
        tags=record.tags,
        pinned=record.pinned,
        valid_from=record.valid_from,
        valid_to=record.valid_to if record.temporary else None,
        temporary=record.temporary,
        attributes=record.attributes,
    )


def _text(line: Mapping[str, object], name: str) -> str:
    return str(line.get(name, ""))


def _number(line: Mapping[str, object], name: str, default: float) -> float:
    return float(str(line.get(name, default)))


def _time(line: Mapping[str, object], name: str) -> datetime | None:
    return parse_utc(str(line[name])) if line.get(name) else None


def _names(line: Mapping[str, object], name: str) -> tuple[str, ...]:
    values = line.get(name, [])
    return tuple(str(value) for value in values) if isinstance(values, list) else ()


def _required_time(line: Mapping[str, object], name: str) -> datetime:
    time = _time(line, name)
    if time is None:
        raise KeyError(name)
    return time


def parse_conversation(line: Mapping[str, object]) -> Conversation:
    """A conversation from a line of an export."""
    return Conversation(
        id=ConversationId(str(line["id"])),
        source=_text(line, "source"),
        name=_text(line, "name"),
        format=_text(line, "format"),
        started_at=_time(line, "started_at"),
        project=_text(line, "project"),
        project_label=_text(line, "project_label"),
        languages=_names(line, "languages"),
        imported=int(_number(line, "imported", 0)),
        namespace=Namespace(str(line.get("namespace", "prod"))),
        cwd=_text(line, "cwd"),
    )


def parse_episode(line: Mapping[str, object]) -> Episode:
    """An episode from a line of an export."""
    return Episode(
        id=EpisodeId(str(line["id"])),
        conversation=ConversationId(str(line["conversation"])),
        index=int(_number(line, "index", 0)),
        at=_required_time(line, "at"),
        speaker=_text(line, "speaker"),
        origin=Origin(str(line["origin"])),
        text=_text(line, "text"),
        kind=EpisodeKind(str(line.get("kind", "turn"))),
        parent=EpisodeId(_text(line, "parent")) if line.get("parent") else None,
        outcome=_text(line, "outcome"),
        project=_text(line, "project"),
        languages=_names(line, "languages"),
        source_id=_text(line, "source_id"),
        note=_text(line, "note"),
    )


def parse_record(line: Mapping[str, object]) -> Record:
    """A record from a line of an export."""
    attributes = line.get("attributes", {})
    if not isinstance(attributes, dict):
        attributes = {}
    return Record(
        id=RecordId(str(line["id"])),
        kind=Kind(str(line["kind"])),
        text=_text(line, "text"),
        key=_text(line, "key"),
        slot=_text(line, "slot"),
        value=_text(line, "value"),
        layer=Layer(str(line.get("layer", "world"))),
        sublayer=Sublayer(str(line.get("sublayer", "fact"))),
        namespace=Namespace(str(line.get("namespace", "prod"))),
        scope=Scope.parse(str(line.get("scope", "universal"))),
        side=Side(_text(line, "side")),
        status=Status(str(line["status"])),
        confidence=_number(line, "confidence", 1.0),
        certainty=_number(line, "certainty", 1.0),
        trust=_number(line, "trust", 1.0),
        tags=_names(line, "tags"),
        pinned=bool(line.get("pinned", False)),
        created_at=_required_time(line, "created_at"),
        valid_from=_required_time(line, "valid_from"),
        valid_to=_time(line, "valid_to"),
        temporary=bool(line.get("temporary", False)),
        content_hash=_text(line, "content_hash"),
        version=int(_number(line, "version", 1)),
        made_by=_text(line, "made_by"),
        attributes={str(name): str(value) for name, value in attributes.items()},
    )


def parse_evidence(line: Mapping[str, object]) -> tuple[Evidence, ...]:
    """The evidence in a record's line of an export."""
    rows = line.get("evidence", [])
    if not isinstance(rows, list):
        raise TypeError("evidence must be a list")
    return tuple(
        Evidence(
            episode_id=EpisodeId(str(row["episode_id"])),
            start=int(row["start"]),
            end=int(row["end"]),
            at=_required_time(row, "at"),
            wording=_text(row, "wording"),
            role=EvidenceRole(str(row.get("role", "asserts"))),
            trust=_number(row, "trust", 1.0),
            confidence=_number(row, "confidence", 1.0),
            certainty=_number(row, "certainty", 1.0),
        )
        for row in rows
    )

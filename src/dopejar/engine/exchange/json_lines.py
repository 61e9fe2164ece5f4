"""Taking everything out as readable lines, and bringing it in again.

Takes: a file of JSON lines. Gives: the same, merged. Never: brings back what was erased or what a person rejected here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.unit_of_work import check_tombstones, decide
from dopejar.errors import InputError, NotFoundError, StoreError
from dopejar.memory.append import admit, append
from dopejar.memory.commit import commit
from dopejar.memory.erasure import SOURCE, keyed_digest
from dopejar.ports.store import ReadView, RecordFilter, WriteTransaction
from dopejar.values.episode import Conversation, Episode, EpisodeKind, Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, ProposalId, RecordId, TraceId, new_act_id
from dopejar.values.proposal import Add, Proposal, Reinforce, Supersede, Target, Via
from dopejar.values.record import Draft, Evidence, EvidenceRole, Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import Namespace, Scope, Side
from dopejar.values.verdict import Allow

FORMAT = "dopejar-export@1"
_PAGE = 500
_TAKEN = (Status.ACTIVE, Status.SUPERSEDED, Status.DEPRECATED)
Line = dict[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchanged:
    """What went out or came in, counted by kind or outcome."""

    counts: Mapping[str, int]
    act_id: ActId | None = None


# -- out ---------------------------------------------------------------------------------------------------------------


def export_lines(view: ReadView) -> Iterator[Line]:
    """Everything as JSON objects: a header, conversations with their episodes, records with their evidence."""
    yield {"type": "header", "format": FORMAT, "ledger_head": view.head().hash}
    for conversation in view.conversations(10_000_000):
        yield {"type": "conversation", **_flat(conversation)}
        for episode in view.turns(conversation.id):
            yield {"type": "episode", **_flat(episode)}
    after: RecordId | None = None
    where = RecordFilter(statuses=tuple(Status), namespace=None)
    while page := view.list_records(where, _PAGE, after):
        evidence = view.evidence_of(tuple(one.id for one in page))
        for record in page:
            rows = [_flat(one) for one in evidence.get(record.id, ())]
            yield {"type": "record", **_flat(record), "evidence": rows}
        after = page[-1].id


def _flat(value: object) -> Line:
    """A frozen value as JSON: its fields, times in ISO form, empty ones left out."""
    fields: Line = {}
    for name in type(value).__dataclass_fields__:  # type: ignore[attr-defined]
        one = getattr(value, name)
        if one is None or one in ((), ""):
            continue
        if isinstance(one, datetime):
            fields[name] = one.isoformat()
        elif isinstance(one, Scope):
            fields[name] = str(one)
        elif isinstance(one, tuple):
            fields[name] = list(one)
        elif isinstance(one, Mapping):
            if one:
                fields[name] = dict(one)
        else:
            fields[name] = one
    return fields


def export_to(deps: Dependencies, path: Path) -> Exchanged:
    """Write an export. Raises InputError where it cannot be put there, StoreError where it could not be written."""
    require_new(path)
    fresh = path.with_name(path.name + ".part")
    counts: Counter[str] = Counter()
    try:
        with deps.store.read() as view, fresh.open("w", encoding="utf-8") as file:
            fresh.chmod(0o600)
            for line in export_lines(view):
                counts[str(line["type"])] += 1
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        fresh.replace(path)
    except OSError as fault:
        raise StoreError(f"{path} could not be written ({fault.strerror}). Make room or name another place.") from fault
    finally:
        fresh.unlink(missing_ok=True)
    return Exchanged(counts=dict(counts))


def require_new(path: Path) -> None:
    """Raises InputError where a file is there already, or its directory is not."""
    if path.exists():
        raise InputError(f"{path} exists already; name a file that does not.")
    if not path.parent.is_dir():
        raise InputError(f"{path} lies in no directory that is there. Make {path.parent}, or name another place.")


# -- in ----------------------------------------------------------------------------------------------------------------


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
    for number, raw in enumerate(text.split("\n"), 1):  # a text may hold other marks that end lines elsewhere
        if not raw.strip():
            continue
        try:
            line = json.loads(raw)
        except json.JSONDecodeError as fault:
            raise InputError(
                f"{path}, line {number}: no JSON ({fault.msg}). Export again, or remove the line."
            ) from fault
        if not isinstance(line, dict) or "type" not in line:
            raise InputError(f"{path}, line {number}: an export's line is an object with a type.")
        lines.append(line)
    if not lines or lines[0].get("format") != FORMAT:
        raise InputError(f"{path} is no export of this program: its first line must say {FORMAT}.")
    return lines


def import_from(deps: Dependencies, path: Path, by: Reviewer, trace_id: TraceId) -> Exchanged:
    """Merge an export, in one act: what is here already gains its evidence, what was erased here stays away.

    Raises:
        InputError: a line is wrong; nothing was written.
    """
    lines = read_lines(path)
    try:
        conversations = [conversation_from(one) for one in lines if one["type"] == "conversation"]
        episodes = [episode_from(one) for one in lines if one["type"] == "episode"]
        records = [(record_from(one), evidence_from(one)) for one in lines if one["type"] == "record"]
    except (KeyError, ValueError, TypeError) as fault:
        raise InputError(f"{path}: a line lacks a field or has a wrong one ({fault}).") from fault
    counts: Counter[str] = Counter()
    act_id = new_act_id()
    by_conversation: dict[ConversationId, list[Episode]] = {}
    for episode in episodes:
        by_conversation.setdefault(episode.conversation, []).append(episode)
    with deps.store.write() as tx:
        for conversation in conversations:
            admitted = admit(_unburied(tx, by_conversation.get(conversation.id, [])), deps.redact, deps.may_keep)
            counts["episodes"] += append(tx, _joined(tx, conversation), admitted)
        for record, evidence in sorted(records, key=lambda pair: pair[0].valid_from):
            if record.status in _TAKEN and evidence:
                counts[_bring_in(deps, tx, record, evidence, by, act_id, trace_id)] += 1
            else:
                counts["left_out"] += 1
    return Exchanged(counts=dict(counts), act_id=act_id)


def _unburied(tx: WriteTransaction, episodes: Sequence[Episode]) -> list[Episode]:
    """Those that were not erased here."""
    secret = tx.meta("secret")
    if secret is None or not tx.has_tombstones():
        return list(episodes)
    stones = {keyed_digest(bytes.fromhex(secret), SOURCE, one.id): one.id for one in episodes}
    gone = {stones[mark] for mark in tx.has_tombstone(SOURCE, tuple(stones))}
    return [one for one in episodes if one.id not in gone]


def _joined(tx: WriteTransaction, conversation: Conversation) -> Conversation:
    """The row as it is here already, as far on as either side is."""
    here = tx.conversation(conversation.id)
    return replace(here, imported=max(here.imported, conversation.imported)) if here else conversation


def _bring_in(
    deps: Dependencies,
    tx: WriteTransaction,
    record: Record,
    evidence: tuple[Evidence, ...],
    by: Reviewer,
    act_id: ActId,
    trace_id: TraceId,
) -> str:
    now = deps.clock.now()
    there = tx.record(record.id)
    draft = _draft(record)
    taken = draft.key and tx.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    payload = Reinforce() if there else Supersede(draft=draft) if taken else Add(draft=draft)
    wish = Proposal(
        id=ProposalId(record.id.replace("m_", "p_", 1)),
        act_id=act_id,
        payload=payload,
        at=now,
        origin=Origin.USER,
        via=Via.REVIEW,
        made_by=record.made_by,
        trace_id=trace_id,
        targets=(Target(record_id=there.id, version=there.version),) if there else (),
        evidence=tuple(replace(one, act_id=act_id) for one in evidence),
        scope=record.scope,
        confidence=record.confidence,
        proposer=by.name,
        record_id=record.id,
    )
    secret = tx.meta("secret")
    proposal = check_tombstones(wish, tx, bytes.fromhex(secret) if secret else None)
    verdict = decide(proposal, tx, deps.policy(), now, approval=by.name)
    if not isinstance(verdict, Allow) or (there and there.status is Status.ERASED):
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


def _real(line: Mapping[str, object], name: str, default: float) -> float:
    return float(str(line.get(name, default)))


def _time(line: Mapping[str, object], name: str) -> datetime | None:
    return datetime.fromisoformat(str(line[name])) if line.get(name) else None


def _names(line: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = line.get(name, [])
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


def _sure_time(line: Mapping[str, object], name: str) -> datetime:
    found = _time(line, name)
    if found is None:
        raise KeyError(name)
    return found


def conversation_from(line: Mapping[str, object]) -> Conversation:
    """A conversation's row out of an export's line."""
    return Conversation(
        id=ConversationId(str(line["id"])),
        source=_text(line, "source"),
        name=_text(line, "name"),
        format=_text(line, "format"),
        started_at=_time(line, "started_at"),
        project=_text(line, "project"),
        project_label=_text(line, "project_label"),
        languages=_names(line, "languages"),
        imported=int(_real(line, "imported", 0)),
        namespace=Namespace(str(line.get("namespace", "prod"))),
        cwd=_text(line, "cwd"),
    )


def episode_from(line: Mapping[str, object]) -> Episode:
    """An episode out of an export's line."""
    return Episode(
        id=EpisodeId(str(line["id"])),
        conversation=ConversationId(str(line["conversation"])),
        index=int(_real(line, "index", 0)),
        at=_sure_time(line, "at"),
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


def record_from(line: Mapping[str, object]) -> Record:
    """A record out of an export's line."""
    attributes = line.get("attributes", {})
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
        confidence=_real(line, "confidence", 1.0),
        certainty=_real(line, "certainty", 1.0),
        trust=_real(line, "trust", 1.0),
        tags=_names(line, "tags"),
        pinned=bool(line.get("pinned", False)),
        created_at=_sure_time(line, "created_at"),
        valid_from=_sure_time(line, "valid_from"),
        valid_to=_time(line, "valid_to"),
        temporary=bool(line.get("temporary", False)),
        content_hash=_text(line, "content_hash"),
        version=int(_real(line, "version", 1)),
        made_by=_text(line, "made_by"),
        attributes={str(k): str(v) for k, v in attributes.items()} if isinstance(attributes, dict) else {},
    )


def evidence_from(line: Mapping[str, object]) -> tuple[Evidence, ...]:
    """The evidence of a record out of an export's line."""
    rows = line.get("evidence", [])
    if not isinstance(rows, list):
        raise TypeError("evidence must be a list")
    return tuple(
        Evidence(
            episode_id=EpisodeId(str(one["episode_id"])),
            start=int(one["start"]),
            end=int(one["end"]),
            at=_sure_time(one, "at"),
            wording=_text(one, "wording"),
            role=EvidenceRole(str(one.get("role", "asserts"))),
            trust=_real(one, "trust", 1.0),
            confidence=_real(one, "confidence", 1.0),
            certainty=_real(one, "certainty", 1.0),
        )
        for one in rows
    )

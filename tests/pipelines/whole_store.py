"""What a store believes, in a form that two stores can be compared by. Fixture code for whole-pipeline tests."""

import json
from datetime import UTC, datetime, timedelta

from dopejar.pipelines.graph.edges import extract_edges
from dopejar.values.edge import EXTRACTED_KINDS
from dopejar.values.proposal import Add, ProposalState, Supersede
from dopejar.values.recall import RecordFilter
from dopejar.values.record import EvidenceRole, Status

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
SECRET = "correct horse " + "battery"
BELIEVED = (Status.ACTIVE, Status.SUPERSEDED, Status.DEPRECATED, Status.STAGED, Status.QUARANTINED)


def unlocked(memory, name="ana"):
    """A reviewer with an open session; made where there is none yet."""
    if name not in memory.reviewers.names():
        by = unlocked(memory) if name != "ana" else None
        memory.reviewers.add(name, f"{SECRET} of {name}", by)
    return memory.reviewers.unlock(f"{SECRET} of {name}", name=name)


def seen(memory):
    """The versions of all that waits, as somebody knows them who has just looked."""
    return memory.review.versions()


def write_conversation(folder, name, turns):
    """A conversation as a neutral file: (minutes after the start, words) each said by the user."""
    path = folder / f"{name}.jsonl"
    rows = [
        {
            "store": "one",
            "session": name,
            "session_time": (START + timedelta(minutes=minute)).isoformat(),
            "turn_id": f"{name}:{place}",
            "index": place,
            "speaker": "user",
            "role": "user",
            "text": words,
        }
        for place, (minute, words) in enumerate(turns)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_roles(folder, name, turns, day=1):
    """A conversation as a file of messages: (role, words), a minute each, on a day of March."""
    path = folder / f"{name}.jsonl"
    rows = [
        {"role": role, "content": words, "ts": START.replace(day=day, minute=place).isoformat()}
        for place, (role, words) in enumerate(turns)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def by_turns(said):
    """Words of a user and an assistant by turns, with their roles."""
    return [(("user", "assistant")[place % 2], words) for place, words in enumerate(said)]


def believed(memory):
    """The final state: versions with words, times, evidence and edges, and what waits; ids and arrival left out."""
    with memory.store.read() as view:
        records = [
            record
            for record in view.list_records(RecordFilter(statuses=BELIEVED, namespace=None), 100_000)
            if "merged_into" not in record.attributes
        ]
        rows = view.evidence_of(tuple(record.id for record in records))
        edges = edges_by_record(view)
        state = []
        for record in records:
            said = sorted(e.episode_id for e in rows[record.id] if e.role is EvidenceRole.ASSERTS)
            end = record.valid_to.isoformat() if record.valid_to else ""
            state.append(
                (
                    record.key,
                    record.slot,
                    record.value,
                    record.status.value,
                    record.text,
                    str(record.scope),
                    record.valid_from.isoformat(),
                    end,
                    tuple(said),
                    edges.get(record.id, ()),
                )
            )
        waiting = []
        for proposal in view.proposals((ProposalState.STAGED,), 100_000):
            words = (
                proposal.payload.draft.text if isinstance(proposal.payload, Add | Supersede) else proposal.action.value
            )
            waiting.append((proposal.action.value, words, tuple(sorted(e.episode_id for e in proposal.evidence))))
        return sorted(state), sorted(waiting)


def edges_by_record(view):
    """The edges read from each record's words, the record itself called `it`; all there are, whatever its status."""
    everyone = view.list_records(RecordFilter(statuses=tuple(Status), namespace=None), 100_000)
    own = view.edges([record.id for record in everyone])
    found = {}
    for edge in view.edges([*(record.id for record in everyone), *{edge.dst for edge in own}]):
        if edge.kind in EXTRACTED_KINDS:
            src = "it" if edge.src == edge.record_id else edge.src
            found.setdefault(edge.record_id, set()).add((src, edge.kind.value, edge.dst))
    return {record_id: tuple(sorted(edges)) for record_id, edges in found.items()}


def chain_faults(memory):
    """What is wrong: more than one active per key or chain, forks, records without evidence, edges out of step."""
    faults = []
    with memory.store.read() as view:
        records = view.list_records(RecordFilter(statuses=tuple(Status), namespace=None), 100_000)
        rows = view.evidence_of(tuple(record.id for record in records))
        edges = edges_by_record(view)
    active = {}
    for record in records:
        read = {
            ("it" if edge.src == record.id else edge.src, edge.kind.value, edge.dst) for edge in extract_edges(record)
        }
        is_standing = record.status in BELIEVED and "merged_into" not in record.attributes
        if set(edges.pop(record.id, ())) != (read if is_standing else set()):
            faults.append(f"{record.id} has other edges than its words say")
        if not rows.get(record.id):
            faults.append(f"{record.id} rests on nothing")
        if record.status is Status.ACTIVE and record.key and not record.temporary:
            active.setdefault((record.namespace, record.scope, record.side, record.key), []).append(record.id)
            line = (
                record.value if record.value.startswith("-") else "+"
            )  # what is denied may stand beside another value
            active.setdefault((record.namespace, record.scope, record.side, "chain", record.chain, line), []).append(
                record.id
            )
    faults += [f"{place}: {ids}" for place, ids in active.items() if len(set(ids)) > 1]
    faults += [f"{edge} is no record and has edges" for edge in edges]
    replaced = [record.supersedes for record in records if record.supersedes and record.status is not Status.RETRACTED]
    faults += [f"{record_id} is superseded twice" for record_id in set(replaced) if replaced.count(record_id) > 1]
    return faults

"""What recall returns for one question in one scope, from a store of given beliefs, in the format of its scorer.

Takes: a folder with `beliefs.seed.json`, `retrieval.cases.json` and `session-retrieval.cases.json`. Gives: the ids that
recall returns, case by case and turn by turn, as JSON lines. Never: reads what a case expects.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dopejar.bench.retrieval import give_embeddings, no_progress, quantile
from dopejar.bench.store_sample import append_turns
from dopejar.compose.readers import make_answer_reader
from dopejar.compose.stores import in_memory_store
from dopejar.engine.unit_of_work import commit
from dopejar.errors import InputError
from dopejar.pipelines.recall.recall import recall
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import ActId, RecordId, TraceId, conversation_id, episode_id, new_act_id, new_proposal_id
from dopejar.values.proposal import Add, Deprecate, Payload, Proposal, Via
from dopejar.values.recall import Query, Source
from dopejar.values.record import Draft, Evidence, Kind, Layer, Record, Sublayer
from dopejar.values.scope import UNIVERSAL, ReadScope, Scope
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Allow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.ports.embedder import Embedder

_FILES: Final = ("beliefs.seed.json", "retrieval.cases.json", "session-retrieval.cases.json")
_OWNER: Final = "test-user"  # who asks where a case names nobody
_TRACE: Final = TraceId("t_bench")
_APPROVED: Final = Allow(rules=("approved",), reason="a belief that a person holds", approver="bench")
_SHAPES: Final = {
    "preference": (Kind.PREFERENCE, Layer.SELF, Sublayer.PREFERENCE),
    "decision": (Kind.DECISION, Layer.INTENT, Sublayer.RULE),
}

Row = Mapping[str, Any]


def run(data: Path, out: Path, embedder: Embedder | None = None) -> dict[str, object]:
    """Answer every case from a fresh store and write the answers to `out`; counts, and the median ms of a question.

    Without an embedder, words alone decide. Raises InputError where the folder lacks a file.
    """
    for name in _FILES:
        if not (data / name).is_file():
            raise InputError(f"{data} has no {name}. Give the folder of the beliefs and cases with --data.")
    beliefs, cases, sessions = (json.loads((data / name).read_text("utf-8")) for name in _FILES)
    times: list[float] = []
    seeded = _Beliefs(beliefs, embedder)
    lines: list[dict[str, object]] = [
        {"case_id": case["caseId"], "returned": seeded.answer(case, case["query"], times)} for case in cases
    ]
    for session in sessions:
        told = _Beliefs(beliefs, embedder)
        for turn in session["turns"]:
            returned = told.answer(turn, turn["userMessage"], times)
            lines.append({"case_id": f"{session['caseId']}#{turn['turnIndex']}", "returned": returned})
            if new := turn.get("createBeliefAtTurn"):
                told.add([new])
            if more := turn.get("updateBeliefAtTurn"):
                told.add_aliases(more["beliefId"], more["addAliases"])
    out.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return {
        "cases": len(cases),
        "turns": len(lines) - len(cases),
        "embedder": embedder.identity.name if embedder else "none",
        "median_ms": round(quantile(times, 0.5), 2),
    }


class _Beliefs:
    """A store of each user, with the beliefs as records: name and aliases in the key, the scope as a project."""

    def __init__(self, beliefs: Sequence[Row], embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._answers = make_answer_reader(embedder)
        self._stores = {user: in_memory_store() for user in {_OWNER, *(row["user_id"] for row in beliefs)}}
        self._names: dict[RecordId, str] = {}
        self._held: dict[str, tuple[Row, Record]] = {}
        self.add(beliefs)

    def add(self, beliefs: Iterable[Row]) -> None:
        """Commit beliefs; those superseded or resolved are taken out of use at once."""
        for belief in beliefs:
            at = datetime.fromisoformat(belief["created_at"]).astimezone(UTC)
            store, name = self._stores[belief["user_id"]], belief["_id"]
            said = conversation_id("bench", name)
            turn = Episode(
                id=episode_id("bench", name),
                conversation=said,
                index=0,
                at=at,
                speaker="user",
                origin=Origin.USER,
                text=belief["content"],
            )
            evidence = Evidence(episode_id=turn.id, start=0, end=len(turn.text), at=at, wording=turn.text)
            with store.write() as tx:
                append_turns(tx, Conversation(id=said, source="bench", name=name, started_at=at), [turn])
                added = _proposal(Add(draft=_draft(belief)), at, evidence=(evidence,))
                record = commit(tx, added, _APPROVED, at).records[0]
                self._names[record.id] = name
                self._held[name] = (belief, record)
            if belief.get("superseded_by") or belief.get("resolved_at"):
                self._end(name)
        for store in self._stores.values():
            give_embeddings(store, self._embedder, 0, 0, no_progress)

    def add_aliases(self, name: str, aliases: Sequence[str]) -> None:
        """A new record with more names in its key takes the place of the belief's record."""
        belief, _ = self._held[name]
        self._end(name)
        self.add([{**belief, "aliases": [*belief["aliases"], *aliases]}])

    def _end(self, name: str) -> None:
        belief, record = self._held[name]
        proposal = _proposal(Deprecate(), record.created_at, record=record)
        with self._stores[belief["user_id"]].write() as tx:
            commit(tx, proposal, _APPROVED, record.created_at)

    def answer(self, asked: Row, question: str, times: list[float]) -> list[str]:
        """The beliefs that recall returns in the scopes of the question, best first."""
        query = Query(
            text=question,
            sources=(Source.RECORD,),
            read_scope=ReadScope(scopes=tuple(_scope(name) for name in asked["scope"])),
        )
        store = self._stores.get(asked.get("userId", _OWNER))
        if store is None:
            return []
        start = time.perf_counter()
        with store.read() as view:
            pack = recall(
                query,
                view,
                embed=_embed_with(self._embedder),
                embedder=self._embedder.identity if self._embedder else None,
                answers=self._answers.answers if self._answers else None,
                now=datetime.now(UTC),
                trace_id=_TRACE,
            )
        times.append((time.perf_counter() - start) * 1000)
        return [self._names[RecordId(item.id)] for item in pack.items]


def _embed_with(embedder: Embedder | None) -> Callable[[str], npt.NDArray[np.float32]] | None:
    return None if embedder is None else lambda text: embedder.embed([text])[0]


def _draft(belief: Row) -> Draft:
    kind, layer, sublayer = _SHAPES.get(belief["type"], (Kind.FACT, Layer.WORLD, Sublayer.FACT))
    return Draft(
        kind=kind,
        layer=layer,
        sublayer=sublayer,
        text=belief["content"],
        key="/".join([belief["canonical_name"], *belief["aliases"]]),
        scope=_scope(belief["scope"][0]),
        confidence=belief["confidence"],
        pinned=bool(belief["pinned"]),
    )


def _scope(name: str) -> Scope:
    return UNIVERSAL if name == "user:universal" else Scope.project(name)


def _proposal(
    payload: Payload, at: datetime, *, evidence: tuple[Evidence, ...] = (), record: Record | None = None
) -> Proposal:
    return Proposal(
        id=new_proposal_id(),
        act_id=ActId(new_act_id()),
        payload=payload,
        at=at,
        origin=Origin.USER,
        via=Via.CONVERSATION,
        made_by="bench@1",
        trace_id=_TRACE,
        targets=(RecordTarget(record_id=record.id, version=record.version),) if record else (),
        evidence=evidence,
        proposer="user",
    )

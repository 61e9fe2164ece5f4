"""Quality of correction detection: detection, typing, clusters, review load, speed.

Takes: a folder with `corrections/turns.jsonl`, and dialogues for the review load. Gives: predictions and figures.
Never: reads the label of the turn that it predicts; the shipped weights have seen no label of a real session.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

from dopejar.bench.correction_turns import LabelledTurn, read_labelled_turns
from dopejar.bench.review_load import count_repeated_proposals, measure_dialogues
from dopejar.pipelines.corrections.clusters.wish_clusters import CorrectionCluster, cluster
from dopejar.pipelines.corrections.detection.detector import detect
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Durability, Exchange
from dopejar.pipelines.corrections.proposals.proposal_engine import ProposalEngine, infer_category, infer_scope
from dopejar.ports.transcripts import TranscriptFormat
from dopejar.values.ids import ConversationId

Counts = tuple[int, int, int]  # true positives, false positives, false negatives


def run(data: Path, out: Path, formats: Sequence[TranscriptFormat] = ()) -> dict[str, object]:
    """Predict every turn, write one line each to `out`, and return the figures."""
    labelled = read_labelled_turns(data, formats)
    lines: list[dict[str, object]] = []
    proposals = user_turns = most = 0
    for name in sorted({turn.repository for turn in labelled}):
        turns = [turn for turn in labelled if turn.repository == name]
        predictions = _predict(turns, name)
        lines += predictions.lines
        proposals, most = proposals + predictions.proposals, max(most, predictions.most_in_a_conversation)
        user_turns += sum(turn.exchange is not None for turn in turns)
    out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    figures = _figures(labelled, lines) | {
        "proposals_per_100_user_turns": round(100 * proposals / max(user_turns, 1), 2),
        "most_proposals_in_a_conversation": most,
    }
    return figures | measure_dialogues(data) | _speed([turn.exchange for turn in labelled if turn.exchange])


@dataclass(frozen=True, kw_only=True, slots=True)
class _Predictions:
    """The output lines of one repository, and how many proposals its conversations made."""

    lines: list[dict[str, object]]
    proposals: int
    most_in_a_conversation: int


def _predict(turns: Sequence[LabelledTurn], repository: str) -> _Predictions:
    """Detect and cluster conversation by conversation, as the program does."""
    sessions: dict[str, list[Exchange]] = {}
    for turn in turns:
        if turn.exchange is not None:
            sessions.setdefault(turn.key[0], []).append(turn.exchange)
    candidates: list[CorrectionCandidate] = []
    clusters: tuple[CorrectionCluster, ...] = ()
    proposed: set[CorrectionCandidate] = set()
    by_conversation: dict[ConversationId, Sequence[CorrectionCandidate]] = {}
    count = most = 0
    engine = ProposalEngine()
    for session, exchanges in sessions.items():
        repeated = [group.canonical_text for group in clusters if group.frequency > 1]
        detected = detect(exchanges, known=repeated)
        candidates += detected
        by_conversation[ConversationId(session)] = detected
        summary = engine.generate_proposals(cluster(detected), project=repository)
        clusters = cluster(detected, clusters)
        first = {member: group.members[0] for group in clusters for member in group.members}
        fresh = {first[proposal.cluster.members[0]] for proposal in summary.proposals if proposal.cluster} - proposed
        proposed |= {first[candidate] for candidate in proposed} | fresh  # a proposal that grows is reviewed once
        count, most = count + len(fresh), max(most, len(fresh))
    return _Predictions(
        lines=[_line(turn, candidates, clusters, repository) for turn in turns],
        proposals=count + count_repeated_proposals(by_conversation),
        most_in_a_conversation=most,
    )


def _line(
    turn: LabelledTurn,
    candidates: Sequence[CorrectionCandidate],
    clusters: Iterable[CorrectionCluster],
    repository: str,
) -> dict[str, object]:
    """The prediction of one turn, as the scorer reads it."""
    session, number = turn.key
    of_turn = (item for item in candidates if (item.exchange.conversation, item.exchange.index) == (session, number))
    candidate = next(of_turn, None)
    line: dict[str, object] = {"session": session, "turn": number, "is_correction": candidate is not None}
    if candidate is None:
        return line
    home = next(group for group in clusters if candidate in group.members)
    single = replace(home, canonical_text=candidate.wish, members=(candidate,))
    return line | {
        "durability": str(home.durability),
        "category": "correction" if home.durability is Durability.ONE_OFF else infer_category(home),
        "scope": str(infer_scope(single, repository)),
        "canonical": candidate.wish,
        "cluster": home.id,
        "confidence": candidate.confidence,
    }


def _figures(used: Sequence[LabelledTurn], lines: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Detection over whole sessions; typing on the true positives."""
    hits = {(str(line["session"]), line["turn"]): line for line in lines if line["is_correction"]}
    whole = [turn for turn in used if turn.is_whole]
    ours = {turn.key: turn.key in hits for turn in whole}
    p, r, f1 = _precision_recall_f1(_counts(whole, ours))
    return {
        "turns": len(used),
        "whole_sessions": len(whole),
        "precision": round(p, 3),
        "recall": round(r, 3),
        "f1": round(f1, 3),
        "macro_f1": round(_macro_f1(whole, ours), 3),
        "repositories": [
            {"repository": name, **_rounded_scores(_counts(part, ours))} for name, part in _by_repository(whole).items()
        ],
        "typing": _typing(used, hits),
    }


def _rounded_scores(counts: Counts) -> dict[str, float]:
    return {name: round(score, 3) for name, score in zip(("p", "r", "f1"), _precision_recall_f1(counts), strict=True)}


def _by_repository(whole: Iterable[LabelledTurn]) -> dict[str, list[LabelledTurn]]:
    groups: dict[str, list[LabelledTurn]] = {}
    for turn in whole:
        groups.setdefault(turn.repository, []).append(turn)
    return groups


def _counts(part: Iterable[LabelledTurn], predicted: Mapping[tuple[str, int], bool]) -> Counts:
    hits = false = missed = 0
    for turn in part:
        hits += predicted[turn.key] and turn.is_positive
        false += predicted[turn.key] and not turn.is_positive
        missed += turn.is_positive and not predicted[turn.key]
    return hits, false, missed


def _precision_recall_f1(counts: Counts) -> tuple[float, float, float]:
    hits, false, missed = counts
    p = hits / (hits + false) if hits + false else 0.0
    r = hits / (hits + missed) if hits + missed else 0.0
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


def _macro_f1(whole: Iterable[LabelledTurn], predicted: Mapping[tuple[str, int], bool]) -> float:
    """The mean F1 over the repositories that have a positive turn."""
    parts = (part for part in _by_repository(whole).values() if any(turn.is_positive for turn in part))
    return mean([_precision_recall_f1(_counts(part, predicted))[2] for part in parts] or [0.0])


def _typing(used: Sequence[LabelledTurn], hits: Mapping[tuple[str, object], Mapping[str, object]]) -> dict[str, object]:
    true = [(turn.gold, hits[turn.key]) for turn in used if turn.is_positive and turn.key in hits]
    accuracy: dict[str, object] = {
        name: round(mean([gold[name] == line[name] for gold, line in true] or [0.0]), 3)
        for name in ("durability", "category")
    }
    pairs = [(str(gold["scope"]), _scope_kind(str(line["scope"]))) for gold, line in true]
    labels = sorted({gold for gold, _ in pairs})
    f1 = [
        2
        * sum(gold == predicted == label for gold, predicted in pairs)
        / max(1, sum(gold == label for gold, _ in pairs) + sum(predicted == label for _, predicted in pairs))
        for label in labels
    ]
    return accuracy | {"scope_macro_f1": round(mean(f1 or [0.0]), 3)}


def _scope_kind(scope: str) -> str:
    return "project" if scope.startswith("project") else scope


def _speed(turns: Sequence[Exchange]) -> dict[str, object]:
    """CPU time of a conversation of a thousand turns (half of them a person's), of its clusters and its proposals."""
    many = [replace(turns[place % len(turns)], index=place) for place in range(500)]
    detect(turns[:20])  # warm up: lexicons are loaded by the first call
    start = time.process_time()
    candidates = detect(many)
    detected = time.process_time()
    clusters = cluster(candidates)
    clustered = time.process_time()
    ProposalEngine().generate_proposals(clusters, project="bench")
    done = time.process_time()
    return {
        "cpu_ms_of_1000_turns": round((detected - start) * 1000, 1),
        "cpu_ms_of_clusters": round((clustered - detected) * 1000, 1),
        "cpu_ms_of_proposals": round((done - clustered) * 1000, 1),
    }

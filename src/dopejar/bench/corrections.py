"""The bench of corrections: detection, typing, clusters, load on the person, time.

Takes: a folder with `corrections/turns.jsonl`, and dialogues for the load. Gives: predictions and figures with
intervals, each repository predicted by weights that never saw it. Never: looks at the gold of the turn it predicts.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Final

from dopejar.bench.correction_regression import Sample, fitted, samples
from dopejar.bench.correction_turns import Row, rows
from dopejar.bench.corrections_across import asked_across
from dopejar.bench.review_load import load_of
from dopejar.errors import InputError
from dopejar.pipelines.corrections.clusters.cluster import CorrectionCluster, cluster
from dopejar.pipelines.corrections.detection.detect import detect
from dopejar.pipelines.corrections.detection.scoring import Model, shipped
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Durability, Exchange
from dopejar.pipelines.corrections.proposing.propose import ProposalEngine, infer_category, infer_scope
from dopejar.ports.transcripts import TranscriptFormat
from dopejar.values.ids import ConversationId

SHIPPED: Final = "shipped"
ROUNDS: Final = 10_000
KEYWORDS: Final = re.compile(
    r"\b(?:no|not|don'?t|do not|never|always|instead|wrong|incorrect|should|must|stop|actually|why)\b", re.IGNORECASE
)
Counts = tuple[int, int, int]  # hits, false alarms, misses


def run(data: Path, out: Path, fold: str | None = None, formats: Sequence[TranscriptFormat] = ()) -> dict[str, object]:
    """Predict every turn and write one line each to `out`; figures come back.

    `fold` None: each repository by weights fitted on the others. A repository's name: that one alone. `shipped`: all of
    them by the weights of the data file, which have seen the open set.
    """
    labelled = rows(data, formats)
    repositories = sorted({row.repository for row in labelled})
    if fold not in (None, SHIPPED, *repositories):
        raise InputError(f"There is no fold {fold!r}. Give {SHIPPED} or one of {', '.join(repositories)}.")
    chosen = repositories if fold in (None, SHIPPED) else [str(fold)]
    training = samples(labelled) if fold != SHIPPED else []
    lines: list[dict[str, object]] = []
    proposals = turns = largest = 0
    for name in chosen:
        model = shipped() if fold == SHIPPED else fitted(_without(training, name))
        mine = [row for row in labelled if row.repository == name]
        predicted, asked, most = _predict(mine, name, model)
        lines += predicted
        proposals, largest = proposals + asked, max(largest, most)
        turns += sum(row.exchange is not None for row in mine)
    out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    used = [row for row in labelled if row.repository in chosen]
    figures = _figures(used, lines)
    figures |= {
        "fold": fold or "each repository left out",
        "proposals_per_100_user_turns": round(100 * proposals / max(turns, 1), 2),
        "most_proposals_in_a_conversation": largest,
    }
    return figures | load_of(data) | _speed([row.exchange for row in labelled if row.exchange])


def _without(training: Sequence[Sample], repository: str) -> list[Sample]:
    return [one for one in training if one.row.repository != repository]


def _predict(mine: Sequence[Row], name: str, model: Model) -> tuple[list[dict[str, object]], int, int]:
    """The lines of one repository, how many proposals its conversations made, and the most that one of them made."""
    sessions: dict[str, list[Exchange]] = {}
    for row in mine:
        if row.exchange is not None:
            sessions.setdefault(row.key[0], []).append(row.exchange)
    candidates: list[CorrectionCandidate] = []
    clusters: tuple[CorrectionCluster, ...] = ()
    asked = most = 0
    engine = ProposalEngine()
    told: set[CorrectionCandidate] = set()
    by_conversation: dict[ConversationId, Sequence[CorrectionCandidate]] = {}
    for session, turns in sessions.items():
        found = detect(turns, known=[one.canonical_text for one in clusters if one.frequency > 1], model=model)
        candidates += found
        by_conversation[ConversationId(session)] = found
        summary = engine.generate_proposals(cluster(found), project=name)
        clusters = cluster(found, clusters)
        home = {member: one.members[0] for one in clusters for member in one.members}
        fresh = {home[one.cluster.members[0]] for one in summary.proposals if one.cluster} - told
        told |= {home[one] for one in told} | fresh  # what joins a wish proposed before asks nobody again
        asked, most = asked + len(fresh), max(most, len(fresh))
    asked += asked_across(by_conversation)
    return [_line(row, candidates, clusters, name) for row in mine], asked, most


def _line(
    row: Row, candidates: Sequence[CorrectionCandidate], clusters: Iterable[CorrectionCluster], name: str
) -> dict[str, object]:
    session, turn = row.key
    found = next(
        (one for one in candidates if (one.exchange.conversation, one.exchange.index) == (session, turn)), None
    )
    line: dict[str, object] = {"session": session, "turn": turn, "is_correction": found is not None}
    if found is None:
        return line
    home = next(one for one in clusters if found in one.members)
    single = replace(home, canonical_text=found.wish, members=(found,))
    return line | {
        "durability": str(home.durability),
        "category": "correction" if home.durability is Durability.ONE_OFF else infer_category(home),
        "scope": str(infer_scope(single, name)),
        "canonical": found.wish,
        "cluster": home.id,
        "confidence": found.confidence,
    }


def _figures(used: Sequence[Row], lines: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Detection over whole sessions with intervals, beside the keyword baseline; typing on the true positives."""
    hits = {(str(line["session"]), line["turn"]): line for line in lines if line["is_correction"]}
    whole = [row for row in used if row.is_whole]
    ours = {row.key: row.key in hits for row in whole}
    theirs = {row.key: row.exchange is not None and bool(KEYWORDS.search(row.exchange.text)) for row in whole}
    draws = _draws(whole)
    macro = [_macro(draw, ours) for draw in draws]
    gains = [mine - _macro(draw, theirs) for mine, draw in zip(macro, draws, strict=True)]
    worse = sum(gain <= 0 for gain in gains)
    all_counts = _counts(whole, ours)
    p, r, f1 = _prf(all_counts)
    return {
        "turns": len(used),
        "whole_sessions": len(whole),
        "precision": round(p, 3),
        "recall": round(r, 3),
        "f1": round(f1, 3),
        "macro_f1": round(_macro(whole, ours), 3),
        "macro_f1_95": _interval(macro),
        "keyword_macro_f1": round(_macro(whole, theirs), 3),
        "gain_95": _interval(gains),
        "p_value": round(min(1.0, 2 * (worse + 1) / (len(gains) + 1)), 5),
        "repositories": [
            {"repository": name, **dict(zip(("p", "r", "f1"), map(_rounded, _prf(_counts(part, ours))), strict=True))}
            for name, part in _by_repository(whole).items()
        ],
        "typing": _typing(used, hits),
    }


def _rounded(value: float) -> float:
    return round(value, 3)


def _by_repository(whole: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in whole:
        found.setdefault(row.repository, []).append(row)
    return found


def _counts(part: Iterable[Row], said: Mapping[tuple[str, int], bool]) -> Counts:
    hits = false = missed = 0
    for row in part:
        hits += said[row.key] and row.is_positive
        false += said[row.key] and not row.is_positive
        missed += row.is_positive and not said[row.key]
    return hits, false, missed


def _prf(counts: Counts) -> tuple[float, float, float]:
    hits, false, missed = counts
    p = hits / (hits + false) if hits + false else 0.0
    r = hits / (hits + missed) if hits + missed else 0.0
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


def _macro(whole: Iterable[Row], said: Mapping[tuple[str, int], bool]) -> float:
    """The mean F1 over the repositories that have a positive turn."""
    parts = (part for part in _by_repository(whole).values() if any(row.is_positive for row in part))
    return mean([_prf(_counts(part, said))[2] for part in parts] or [0.0])


def _draws(whole: Sequence[Row], rounds: int = ROUNDS // 5) -> list[list[Row]]:
    """Bootstrap samples of the turns, drawn within each repository."""
    chance = random.Random(0)  # noqa: S311 - a bootstrap, not a secret
    parts = list(_by_repository(whole).values())
    return [[row for part in parts for row in chance.choices(part, k=len(part))] for _ in range(rounds)]


def _interval(values: Sequence[float]) -> str:
    ordered = sorted(values)
    low, high = ordered[int(0.025 * len(ordered))], ordered[int(0.975 * len(ordered)) - 1]
    return f"{low:.3f} to {high:.3f}"


def _typing(used: Sequence[Row], hits: Mapping[tuple[str, object], Mapping[str, object]]) -> dict[str, object]:
    true = [(row.gold, hits[row.key]) for row in used if row.is_positive and row.key in hits]
    found: dict[str, object] = {
        name: round(mean([gold[name] == line[name] for gold, line in true] or [0.0]), 3)
        for name in ("durability", "category")
    }
    pairs = [(str(gold["scope"]), _kind(str(line["scope"]))) for gold, line in true]
    labels = sorted({gold for gold, _ in pairs})
    f1 = [
        2
        * sum(g == s == label for g, s in pairs)
        / max(1, sum(g == label for g, _ in pairs) + sum(s == label for _, s in pairs))
        for label in labels
    ]
    return found | {"scope_macro_f1": round(mean(f1 or [0.0]), 3)}


def _kind(scope: str) -> str:
    return "project" if scope.startswith("project") else scope


def _speed(turns: Sequence[Exchange]) -> dict[str, object]:
    """The CPU time of a conversation of a thousand turns (half of them a person's), and of its proposals."""
    many = [replace(turns[place % len(turns)], index=place) for place in range(500)]
    detect(turns[:20])  # loads what a first call loads
    begun = time.process_time()
    found = detect(many)
    read = time.process_time()
    clusters = cluster(found)
    joined = time.process_time()
    ProposalEngine().generate_proposals(clusters, project="bench")
    done = time.process_time()
    return {
        "cpu_ms_of_1000_turns": round((read - begun) * 1000, 1),
        "cpu_ms_of_clusters": round((joined - read) * 1000, 1),
        "cpu_ms_of_proposals": round((done - joined) * 1000, 1),
    }

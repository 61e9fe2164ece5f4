"""Corrections: what a person corrected once, so that nobody has to correct it twice.

Takes: the exchanges of conversations, and what is known. Gives: candidates, clusters, proposals, checks, views.
Never: writes, asks a person, or needs a language model.
"""

from __future__ import annotations

from dopejar.pipelines.corrections.clusters.cluster import CorrectionCluster, cluster
from dopejar.pipelines.corrections.detection.detect import detect
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Exchange, exchanges_of
from dopejar.pipelines.corrections.proposing.propose import MemoryProposal, ProposalEngine, SessionSummary
from dopejar.pipelines.corrections.proposing.staging import Circumstances, as_proposals, learned_from

__all__ = [
    "Circumstances",
    "CorrectionCandidate",
    "CorrectionCluster",
    "Exchange",
    "MemoryProposal",
    "ProposalEngine",
    "SessionSummary",
    "as_proposals",
    "cluster",
    "detect",
    "exchanges_of",
    "learned_from",
]

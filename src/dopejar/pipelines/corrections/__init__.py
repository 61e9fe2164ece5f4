"""Corrections: learn standing rules from what a person corrects, so that nobody has to correct it twice.

Takes: the exchanges of conversations, stored records. Gives: candidates, clusters, proposals, checks, views. Never:
writes, asks a person, or needs a language model.
"""

from __future__ import annotations

from dopejar.pipelines.corrections.clusters.wish_clusters import CorrectionCluster, cluster
from dopejar.pipelines.corrections.detection.detector import detect
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Exchange, exchanges_of
from dopejar.pipelines.corrections.proposals.gate_proposals import (
    ProposalContext,
    make_gate_proposals,
    summarize_and_propose,
)
from dopejar.pipelines.corrections.proposals.proposal_engine import MemoryProposal, ProposalEngine, SessionSummary

__all__ = [
    "CorrectionCandidate",
    "CorrectionCluster",
    "Exchange",
    "MemoryProposal",
    "ProposalContext",
    "ProposalEngine",
    "SessionSummary",
    "cluster",
    "detect",
    "exchanges_of",
    "make_gate_proposals",
    "summarize_and_propose",
]

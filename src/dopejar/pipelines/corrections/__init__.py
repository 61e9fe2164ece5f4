"""Corrections: learn standing rules from what a person corrects, so that nobody has to correct it twice.

Takes: the exchanges of conversations, stored records. Gives: candidates, clusters, proposals, checks, views. Never:
writes, asks a person, or needs a language model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dopejar.pipelines.corrections.clusters.wish_clusters import CorrectionCluster, cluster
    from dopejar.pipelines.corrections.detection.detector import detect
    from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Exchange, exchanges_of
    from dopejar.pipelines.corrections.proposals.gate_proposals import (
        CorrectionContext,
        make_gate_proposals,
    )
    from dopejar.pipelines.corrections.proposals.proposal_engine import MemoryProposal, ProposalEngine, SessionSummary

__all__ = [
    "CorrectionCandidate",
    "CorrectionCluster",
    "CorrectionContext",
    "Exchange",
    "MemoryProposal",
    "ProposalEngine",
    "SessionSummary",
    "cluster",
    "detect",
    "exchanges_of",
    "make_gate_proposals",
]

_HOMES = {
    "CorrectionCandidate": "exchange",
    "CorrectionCluster": "clusters.wish_clusters",
    "Exchange": "exchange",
    "MemoryProposal": "proposals.proposal_engine",
    "CorrectionContext": "proposals.gate_proposals",
    "ProposalEngine": "proposals.proposal_engine",
    "SessionSummary": "proposals.proposal_engine",
    "cluster": "clusters.wish_clusters",
    "detect": "detection.detector",
    "exchanges_of": "exchange",
    "make_gate_proposals": "proposals.gate_proposals",
}


def __getattr__(name: str) -> object:
    """A public name, loaded when it is first used: a check of a tool call needs none of the pipeline."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return globals()[name]

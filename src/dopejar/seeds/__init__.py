"""The names of the design documents that DoPeJar began with, each doing by the engine what its document says.

Takes: nothing at import. Gives: the names, one module per document, loaded name by name. Never: a rule or a store of
its own, or a decision in a name that nobody proved.
"""

from __future__ import annotations

from importlib import import_module

_DOCUMENTS = {
    "staging_area": (
        "Bullet", "BulletStatus", "BulletType", "Curator", "Hemisphere", "HemisphereClassifier", "ProceduralMemory",
        "Reflector", "classify_bullet_hemisphere",
    ),
    "session_proposal": (
        "ApprovalInterface", "CorrectionCandidate", "CorrectionCluster", "CorrectionManager", "DecisionManager",
        "MemoryProposal", "ProfileManager", "ProposalEngine", "ProposalStorage", "SemanticAnalyzer", "SessionSummary",
        "detect_project_name", "on_session_end",
    ),
    "ingestion_protocol": ("MemoryOrchestrator", "route_namespace"),
    "manual_gardener": (
        "BridgeBlock", "ContextAssembler", "DossierGovernor", "ManualGardener", "fact_store", "get_block_metadata",
        "get_facts_for_block", "save_block_metadata",
    ),
    "architecture": (
        "AltitudeContext", "AltitudeGovernor", "Commitment", "CommitmentManager", "EscalationManager", "FeedbackLoop",
        "GateController", "Generalizer", "InputClassification", "InputClassifier", "Lane", "LaneStore", "MemoryManager",
        "Partner", "Pattern", "PatternStore", "ReasoningRouter", "Retrospective", "RoutingDecision", "SharedReference",
        "SignalDetector", "StanceMachine", "StrategySelection", "StrategySelector", "TraceEvent", "TurnOutcome",
        "ValidationResult", "WorkingSet", "new_pattern",
    ),
}  # fmt: skip
_HOMES = {name: document for document, names in _DOCUMENTS.items() for name in names}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - the names that `import *` loads


def __getattr__(name: str) -> object:
    """Load a name where it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOMES)

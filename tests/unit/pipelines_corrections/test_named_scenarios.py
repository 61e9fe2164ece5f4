"""Scenarios that the specification names, also those at which its own pseudo-code fails."""

from __future__ import annotations

import inspect

import pytest
from correction_turns import exchange

from dopejar.doors.cli.approval_prompt import ApprovalInterface
from dopejar.pipelines.corrections import (
    CorrectionCandidate,
    CorrectionCluster,
    MemoryProposal,
    ProposalEngine,
    SessionSummary,
    cluster,
    detect,
)
from dopejar.pipelines.corrections.proposals.proposal_engine import infer_category, infer_scope


def group(canonical, correction_type="rule", frequency=2, confidence=0.8, **more):
    """A cluster by its text alone."""
    return CorrectionCluster(
        canonical=canonical, correction_type=correction_type, frequency=frequency, confidence=confidence, **more
    )


FIVE = [
    (group("Keep summaries concise", "style", 3, 0.9), None, "universal", "preference", 1),
    (group("Never use panic in production Go code", "rule", 2, 0.95), None, "language:go", "rule", 1),
    (group("Use PortalTabs for all portal pages", "rule", 2, 0.8), "xcalibr", "project:xcalibr", "rule", 2),
    (group("Never exceed 200 lines", "rule", 1, 0.8), None, "universal", "rule", 1),
    (group("Stop committing generated files", "behavior", 1, 0.7), "atlas", "project:atlas", "correction", 3),
]


@pytest.mark.parametrize(("one", "project", "scope", "category", "priority"), FIVE)
def test_five_scenarios(one, project, scope, category, priority):
    """Scope, category and severity as the scenarios say."""
    (found,) = ProposalEngine().generate_proposals([one], project=project).proposals
    assert (found.scope, found.category, found.priority) == (scope, category, priority)


@pytest.mark.parametrize(
    "text",
    [
        "Keep it simple",  # impl
        "Keep changes small",  # chan
        "Mark important steps",  # import
        "Drain the queue before a restart",  # ai
        "Maintain the list by hand",  # ai
        "Write your reasons down",  # our
        "Say why, because reviewers ask",  # use
        "Sort by what is most likely wrong",  # like
        "Put an index in front of each page",  # def, let
        "Keep the mutable state in one place",  # mut
        "Do not promise deadlines",  # promise
        "Type the reason into the field",  # type
        "Constantly check the queue",  # const
    ],
)
def test_words_match_at_their_boundaries(text):
    """No part of a word names a language; what names nothing holds in the project at hand."""
    assert str(infer_scope(group(text), "atlas")) == "project:atlas"


@pytest.mark.parametrize("text", ["Use async where the caller waits", "Prefer a plain function"])
def test_words_that_several_languages_share_name_none(text):
    """`async` is as much JavaScript as TypeScript or Python: it decides nothing."""
    assert not str(infer_scope(group(text), None)).startswith("language")


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Explain because readers ask", "preference"),
        ("Sort by what is most likely wrong", "preference"),
        ("Never guess", "preference"),
    ],
)
def test_style_stays_a_preference_whatever_its_words(text, category):
    """`because` is no `use`, `likely` no `like`, and a style with `never` in it is still a style."""
    assert infer_category(group(text, "style")) == category


@pytest.mark.parametrize("text", ["I don't know", "don't worry about it", "what does this flag do?", "no problem"])
def test_harmless_words_correct_nothing(text):
    """Negations and questions that ask for nothing to be done otherwise."""
    assert detect([exchange(text)]) == ()


def test_a_proposal_is_not_numbered_by_its_rank():
    """Four or five proposals have severities between 1 and 3."""
    clusters = [group(f"Use tool number {place}", frequency=1 + place % 4, confidence=0.6) for place in range(9)]
    found = ProposalEngine().generate_proposals(clusters, project="atlas").proposals
    assert len(found) == 5
    assert {one.priority for one in found} <= {1, 2, 3}


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (
            MemoryProposal,
            {"id", "category", "scope", "content", "rationale", "source_variants", "confidence", "priority"},
        ),
        (SessionSummary, {"session_id", "timestamp", "project", "proposals", "total_corrections", "total_proposed"}),
        (
            CorrectionCluster,
            {
                "canonical_text",
                "variants",
                "correction_type",
                "frequency",
                "confidence",
                "first_seen",
                "last_seen",
            },
        ),
        (CorrectionCandidate, {"turn_number", "user_message", "ai_response", "correction_type", "confidence"}),
        (ProposalEngine, {"generate_proposals"}),
        (ApprovalInterface, {"present_proposals"}),
    ],
)
def test_the_names_of_the_specification_are_there(kind, names):
    """Every type of the specification is found under its name, with its fields or methods."""
    assert names <= {name for name, _ in inspect.getmembers(kind)} | set(getattr(kind, "__dataclass_fields__", ()))


def test_the_engine_has_its_limits_as_attributes():
    """`use_llm` is off and five is the most, unless a host says otherwise."""
    engine = ProposalEngine()
    assert (engine.use_llm, engine.max_proposals) == (False, 5)


def test_a_summary_without_a_name_is_called_by_its_time():
    """A session has an id that says when, and the time is aware."""
    summary = ProposalEngine().generate_proposals(cluster(detect([exchange("no, never commit to main")])))
    assert summary.session_id == summary.timestamp.strftime("%Y%m%d-%H%M%S")
    assert summary.timestamp.tzinfo is not None

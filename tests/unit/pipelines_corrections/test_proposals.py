"""Proposals: scope, category, content, priority, limits; with and without a language model."""

from __future__ import annotations

from dataclasses import replace

import pytest
from correction_turns import exchange

from dopejar.errors import ModelTimeoutError
from dopejar.pipelines.corrections import CorrectionCluster, ProposalEngine, cluster, detect
from dopejar.pipelines.corrections.exchange import Durability
from dopejar.ports.language_model import Ask, Reply


def group(canonical, correction_type="rule", frequency=2, confidence=0.8, **more):
    """A cluster by its text alone."""
    return CorrectionCluster(
        canonical=canonical, correction_type=correction_type, frequency=frequency, confidence=confidence, **more
    )


def propose(one, project=None, **options):
    """The one proposal of one cluster."""
    (found,) = ProposalEngine(**options).generate_proposals([one], project=project).proposals
    return found


@pytest.mark.parametrize(
    ("canonical", "correction_type", "project", "scope", "category"),
    [
        # the three scenarios of the specification
        ("Keep summaries concise", "style", None, "universal", "preference"),
        ("Never use panic in production Go code", "rule", None, "language:go", "rule"),
        ("Use PortalTabs for all portal pages", "rule", "xcalibr", "project:xcalibr", "rule"),
        # a rule stays a rule, whatever its words
        ("Never exceed 200 lines", "rule", None, "universal", "rule"),
        ("Use tabs", "rule", "atlas", "project:atlas", "rule"),
        # behaviour that is denied is a correction; style and preference are a preference
        ("Do not amend pushed commits", "behavior", "atlas", "project:atlas", "correction"),
        ("Run the formatter first", "behavior", "atlas", "project:atlas", "rule"),
        ("Never use emojis", "style", "atlas", "universal", "preference"),
        ("Stop guessing names", "unknown", None, "universal", "correction"),
        # words match at their boundaries
        ("Keep it simple", "preference", "atlas", "project:atlas", "preference"),
        ("Keep changes small", "rule", "atlas", "project:atlas", "rule"),
        ("Put important notes on top", "rule", "atlas", "project:atlas", "rule"),
        ("Maintain the list by hand", "rule", "atlas", "project:atlas", "rule"),
        # project before language, language before universal
        ("In this project use mypy for Python", "rule", "atlas", "project:atlas", "rule"),
        ("Always use double quotes in Python", "style", "atlas", "language:python", "preference"),
        ("Use atlas instead of calling python directly", "rule", "atlas", "project:atlas", "rule"),
        ("Put each sentence on its own line in Markdown", "style", "atlas", "language:markdown", "preference"),
        # "everywhere" inside the project is the project; "token" is also a word of code
        ("Round half even everywhere in this codebase", "rule", "atlas", "project:atlas", "rule"),
        ("Log amounts globally across our billing service", "rule", "atlas", "project:atlas", "rule"),
        ("Never log tokens", "rule", "atlas", "project:atlas", "rule"),
        ("Round half even everywhere", "rule", "atlas", "project:atlas", "rule"),
        ("In all projects, write the changelog first", "rule", "atlas", "universal", "rule"),
    ],
)
def test_scope_and_category(canonical, correction_type, project, scope, category):
    """Scope is project, then language, then universal; the type decides the category before the words do."""
    found = propose(group(canonical, correction_type), project)
    assert (found.scope, found.category) == (scope, category)


@pytest.mark.parametrize(
    ("one", "priority"),
    [
        (group("Prefer small commits", "preference", 3, 0.6), 1),
        (group("Never force push", "rule", 1, 0.6), 1),
        (group("Prefer small commits", "preference", 2, 0.6), 2),
        (group("Prefer small commits", "preference", 1, 0.95), 2),
        (group("Prefer small commits", "preference", 1, 0.6), 3),
    ],
)
def test_priority_is_severity(one, priority):
    """1 where it was said three times or is a hard rule, 2 where repeated or plain, else 3; never the rank."""
    assert propose(one).priority == priority


def test_at_most_five_by_frequency_times_confidence():
    """The best five are proposed, in their order; all corrections are counted."""
    clusters = [group(f"Use tool number {place}", frequency=place, confidence=0.5) for place in range(1, 9)]
    summary = ProposalEngine().generate_proposals(clusters, project="atlas")
    assert [one.frequency for one in summary.proposals] == [8, 7, 6, 5, 4]
    assert (summary.total_proposed, summary.total_corrections, summary.project) == (5, 36, "atlas")


def test_nothing_gives_an_empty_summary():
    """No clusters, no proposals, no failure."""
    summary = ProposalEngine().generate_proposals([])
    assert (summary.proposals, summary.total_corrections, summary.total_proposed) == ((), 0, 0)


def test_a_single_repair_is_not_proposed():
    """The repair of one mistake, said once, is of no use later; said twice it is."""
    once = group("Close the file handle", frequency=1, durability=Durability.ONE_OFF)
    assert not ProposalEngine().generate_proposals([once]).proposals
    assert propose(group("Close the file handle", frequency=2, durability=Durability.ONE_OFF))


@pytest.mark.parametrize(
    "asked",
    [
        "why do you store datetimes naive here",
        "How come you mock the database",
        "and why do you add a header to each file",
        "How come you never run the linter",
    ],
)
def test_a_question_waits_until_it_is_asked_again(asked):
    """Who asks why may want to know: one asking proposes nothing, a second one does."""
    once = cluster(detect([exchange(asked, index=1)]))
    assert ProposalEngine().generate_proposals(once).proposals == ()
    again = [replace(one, members=(*one.members, *one.members), frequency=2) for one in once]
    assert len(ProposalEngine().generate_proposals(again).proposals) == len(once)


def test_a_long_rule_stays_whole():
    """A rule is never cut: a cut rule is a wrong rule."""
    text = "Never deploy on a Friday " + " ".join(["unless", "the", "release", "manager"] * 6) + " agrees in writing"
    assert propose(group(text)).content == text


def test_rationale_and_variants_tell_why():
    """A proposal says how often it was said and in which words."""
    found = propose(group("Use tabs", frequency=3, variants=["tabs please", "tabs!"]))
    assert "3 times" in found.rationale
    assert found.source_variants == ("tabs please", "tabs!")


def test_whole_way_from_turns():
    """Turns become one proposal with its evidence."""
    turns = [
        exchange("why didn't you use the staging database?", index=1),
        exchange("again: use the staging database!", index=3),
        exchange("ok, thanks", index=5),
    ]
    (found,) = ProposalEngine().generate_proposals(cluster(detect(turns)), project="atlas").proposals
    assert (found.content, found.scope, found.frequency) == ("Use the staging database", "project:atlas", 2)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("He borrado los archivos viejos.", "no borres nada sin preguntar, nunca"),
        ("Ich habe die Liste gekürzt.", "nein, bitte kürze nie Listen ohne zu fragen"),
    ],
)
def test_templates_leave_other_languages_alone(before, said):
    """A wish in another language keeps its words: no English template turns half of it round."""
    (found,) = ProposalEngine().generate_proposals(cluster(detect([exchange(said, before=before)])), "atlas").proposals
    assert "Avoid" not in found.content
    assert found.content.casefold() in said.casefold()


class Scripted:
    """A language model that says what it was told to, and keeps what it was asked."""

    name = "scripted"

    def __init__(self, answer):
        self.answer = answer
        self.asked: list[Ask] = []

    def ask(self, ask: Ask) -> Reply:
        """The scripted answer, or fault."""
        self.asked.append(ask)
        if isinstance(self.answer, Exception):
            raise self.answer
        return Reply(value={"rule": self.answer}, tokens=10)


RULE = "Never write secrets to the log file of the server"


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        ("Never write secrets to the server log", "Never write secrets to the server log"),
        ("Log secrets", RULE),  # too short
        ("Always write secrets to the log file", RULE),  # the contrary
        ("Never write secrets to the log file of server 2", RULE),  # a value nobody named
        (" ".join(["never"] * 16), RULE),  # too long
        (ModelTimeoutError("The model did not answer in 5 s."), RULE),
    ],
)
def test_a_model_refines_and_is_not_believed(answer, content):
    """A refined wording counts where it is 3 to 15 words and keeps polarity and values; a fault changes nothing."""
    assert propose(group(RULE), use_llm=True, model=Scripted(answer)).content == content


def test_without_being_asked_for_no_model_is_called():
    """A model at hand is not used unless the host wants it."""
    model = Scripted("Never write secrets to the server log")
    assert propose(group(RULE), model=model).content == RULE
    assert model.asked == []


def test_a_bare_mention_of_a_file_is_not_proposed():
    """A turn that only names a rules file says no wish, unless the file's name does."""
    said = [
        exchange(f"@{name}.mdc", index=number)
        for number, name in enumerate(["release-flow"] * 2 + ["dont-skip-hooks"] * 2)
    ]
    found = ProposalEngine().generate_proposals(cluster(detect(said))).proposals
    assert [one.content for one in found] == ["Do not skip hooks (dont-skip-hooks)"]

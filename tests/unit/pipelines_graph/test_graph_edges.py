"""Which edges a record's words state."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.graph.edges import SPEAKER, abbreviates, extract_edges
from dopejar.testing.builders import a_record
from dopejar.values.edge import EXTRACTED_KINDS, EdgeKind
from dopejar.values.record import RENAMED, Status
from dopejar.values.scope import Scope


def ties(text, **changes):
    """Edges between entities that a record of this text states, as (src, kind, dst)."""
    record = replace(a_record("halyard"), text=text, **changes)
    return {(one.src, one.kind.value, one.dst) for one in extract_edges(record) if one.src != record.id}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The ledger service depends on Redis", {("service:ledger", "depends_on", "tool:redis")}),
        (
            "The ledger service requires Redis, Kafka and the auth service",
            {
                ("service:ledger", "depends_on", "tool:redis"),
                ("service:ledger", "depends_on", "tool:kafka"),
                ("service:ledger", "depends_on", "service:auth"),
            },
        ),
        ("ledger relies on postgres", {("thing:ledger", "depends_on", "tool:postgres")}),
        ("The parser module is part of Halyard", {("thing:parser", "part_of", "thing:halyard")}),
        ("Halyard belongs to the Meridian project", {("thing:halyard", "part_of", "project:meridian")}),
        ("Halyard is written in Rust", {("thing:halyard", "uses", "tool:rust")}),
        ("ledger-service talks to auth-service", {("service:ledger", "uses", "service:auth")}),
        ("We use Postgres", {(SPEAKER, "uses", "tool:postgres")}),
    ],
)
def test_relations_become_typed_edges(text, expected):
    """`A depends on B`, `A is part of B` and `A uses B` tie A to B, and to each of several."""
    assert ties(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The ledger service does not depend on Redis",
        "Halyard no longer uses Postgres",
        "Halyard would use Rust if it could",
        "Everything depends on Redis",
        "Redis is fast and the weather in town depends on luck",
        "Use Postgres",
        "Halyard is a part of Tiller's history",
    ],
)
def test_what_is_denied_or_vague_ties_nothing(text):
    """A denied, supposed or subjectless relation leaves mentions alone."""
    assert ties(text) == set()


def test_inside_a_project_we_are_the_project():
    """`We use X` said inside a project ties the project to X."""
    assert ties("We use Postgres", scope=Scope.project("loom-1")) == {("project:loom-1", "uses", "tool:postgres")}


@pytest.mark.parametrize(
    ("text", "other", "main"),
    [
        ("Kubernetes, also called kube-box, runs our jobs", "tool:kube-box", "tool:kubernetes"),
        ("K8s is Kubernetes", "tool:k8s", "tool:kubernetes"),
        ("Halyard was renamed to Tiller", "thing:halyard", "thing:tiller"),
        ("Halyard is now called Tiller", "thing:halyard", "thing:tiller"),
        ("Halyard was rebranded as Tiller", "thing:halyard", "thing:tiller"),
        ("Halyard goes by Tiller now", "thing:halyard", "thing:tiller"),
        ("Halyard will be called Tiller from May", "thing:halyard", "thing:tiller"),
        ("We changed the name of Halyard to Tiller", "thing:halyard", "thing:tiller"),
        ("The new name of Halyard is Tiller", "thing:halyard", "thing:tiller"),
        ("Halyard's new name is Tiller", "thing:halyard", "thing:tiller"),
        ("Tiller is the new name for Halyard", "thing:halyard", "thing:tiller"),
        ("Tiller used to be called Halyard", "thing:halyard", "thing:tiller"),
        ("The service formerly known as Halyard is now Tiller", "thing:halyard", "thing:tiller"),
        ("We call the Meridian project Mer for short", "project:mer", "project:meridian"),
        ("LB is short for LumenBridge", "thing:lb", "thing:lumenbridge"),
        ("LB is LumenBridge", "thing:lb", "thing:lumenbridge"),
        ("LumenBridge (aka lumi) is slow", "thing:lumi", "thing:lumenbridge"),
        ("Renamed the orders service to fulfilment", "service:orders", "service:fulfilment"),
        ("`ldg` is an alias for the ledger service", "service:ldg", "service:ledger"),
    ],
)
def test_other_names_become_aliases(text, other, main):
    """Statements that two names mean one thing tie the other name to the main one, as one kind."""
    assert (other, "alias_of", main) in ties(text)


@pytest.mark.parametrize(
    "text",
    [
        "My aunt is called Rosa",
        "Rosa is a nurse",
        "The cat is Milo",
        "PgPool is short for Postgres connection pooler",
        "The meeting was renamed",
        "Halyard is Rust",
        "Rosa goes by bike",
        "Rosa will be called back",
        "Rosa used to be a nurse",
        "Personal belongings, also known as contents, are insured",
        "We see it in ways previously impossible",
        "The old part of Coimbra, also known as Alta, is steep",
    ],
)
def test_what_is_no_other_name_is_no_alias(text):
    """A description, a whole phrase or any `X is Y` is no alias."""
    assert all(kind != "alias_of" for _, kind, _ in ties(text))


def test_files_and_hosts_are_referred_to():
    """A record refers to files and hosts, and relates to everything else that it names."""
    record = replace(a_record("halyard"), text="The limits of Halyard are in conf/limits.toml")
    assert {(one.kind, one.dst) for one in extract_edges(record)} == {
        (EdgeKind.REFERENCES, "file:conf/limits.toml"),
        (EdgeKind.RELATES_TO, "thing:halyard"),
    }


@pytest.mark.parametrize("status", list(Status))
def test_only_what_stands_has_edges(status):
    """What was retracted, rejected, expired or erased has no edges, nor has what was merged away."""
    record = replace(a_record("halyard"), text="Halyard uses Rust", status=status)
    gone = {Status.RETRACTED, Status.REJECTED, Status.EXPIRED, Status.ERASED}
    assert bool(extract_edges(record)) == (status not in gone)
    assert extract_edges(replace(record, attributes={"merged_into": "m_other"})) == ()


words = st.sampled_from(
    [
        "Halyard",
        "the ledger service",
        "depends on",
        "is part of",
        "uses",
        "Redis",
        "also called",
        "and",
        ",",
        "`x.py`",
        "is",
    ]
)


@given(st.lists(words, max_size=12).map(" ".join) | st.text(max_size=120))
def test_edges_depend_on_the_record_alone(text):
    """Every edge rests on its record, is of a kind that is read, and names only what the record mentions."""
    record = replace(a_record("halyard"), text=text)
    edges = extract_edges(record)
    mentioned = {one.dst for one in edges if one.src == record.id} | {SPEAKER}
    for one in edges:
        assert one.record_id == record.id
        assert one.kind in EXTRACTED_KINDS
        assert {one.src, one.dst} <= mentioned | {record.id}
        assert one.src != one.dst
    assert len(set(edges)) == len(edges)
    assert extract_edges(record) == edges


def test_abbreviations_are_told_from_other_words():
    """Initials, or a first letter, a count and a last letter; never a longer word or another one."""
    assert abbreviates("k8s", "Kubernetes")
    assert abbreviates("i18n", "internationalization")
    assert abbreviates("LB", "LumenBridge")
    assert not abbreviates("k7s", "Kubernetes")
    assert not abbreviates("Rust", "Halyard")
    assert not abbreviates("Kubernetes", "k8s")


@pytest.mark.parametrize(("text", "is_tied"), [("The sign says Tiller over Halyard", True), ("It was edited", False)])
def test_names_that_a_reader_found_are_tied_while_the_text_has_them(text, is_tied):
    """What a reader found of names is an edge between them; an edited text without them has none."""
    found = ties(text, attributes={RENAMED: "Halyard\nTiller"})
    assert (("thing:halyard", "alias_of", "thing:tiller") in found) is is_tied

"""Which entities a statement names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.graph.entities import MOST, entity_ids_for_name, entity_ids_in_question, extract_entities
from dopejar.pipelines.graph.entity_lexicon import canonical_tool, slug
from dopejar.values.edge import ENTITY_KINDS, equivalent_entities


def named(text):
    """The ids of the entities of a text, in order."""
    return [one.id for one in extract_entities(text).entities]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My brother Tomas lives in Coimbra", ["person:tomas", "place:coimbra"]),
        ("My aunt is called Rosa", ["person:rosa"]),
        ("Ines Prado, our designer, moved to Braga", ["person:ines-prado", "place:braga"]),
        ("@quill reviews the parser", ["person:quill"]),
        ("We deploy the ledger service with Docker Swarm", ["service:ledger", "tool:swarm"]),
        ("ledger-service and audit_worker share a host", ["service:ledger", "service:audit"]),
        ("The Halyard project is written in Rust", ["project:halyard", "tool:rust"]),
        ("Work on project Halyard goes on", ["project:halyard"]),
        ("PostgreSQL and postgres are one tool", ["tool:postgres", "tool:postgres"]),
        ("The limits are in `conf/limits.toml` and ./notes.md", ["file:conf/limits.toml", "file:notes.md"]),
        ("Logs go to /var/log/halyard", ["file:/var/log/halyard"]),
        (
            "See https://github.com/acme/loom and https://docs.example.org/x",
            ["project:acme/loom", "host:docs.example.org"],
        ),
        ("Send it to api.example.com", ["host:api.example.com"]),
        ("The gateway talks to LumenBridge", ["thing:lumenbridge"]),
        ("Halyard depends on Redis", ["thing:halyard", "tool:redis"]),
        ("I moved to New Haven", ["place:new-haven"]),
    ],
)
def test_entities_are_read_with_their_kind(text, expected):
    """A statement's people, projects, services, tools, files, places and hosts, each under its canonical id."""
    assert named(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We shipped the new service on Monday",
        "The server listens on port 8080",
        "I speak Portuguese and some German",
        "Write to quill@example.com",
        "EVERYTHING IS SHOUTED IN HERE BY SOMEBODY",
        "Use JSON over HTTP and answer in UTC",
        "Either and/or both of them in Q3",
        "Unser Hund mag die Katze und den Garten nicht",
        "What is it",
        "",
    ],
)
def test_what_names_nobody_is_left_alone(text):
    """Days, formats, mail addresses, shouting and German nouns are no entities."""
    assert named(text) == []


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from(["the ", "Ana", "`", "/", ".py", " is ", "@", ".", "X1", "\n", "’s "])).map("".join)
)
def test_any_text_can_be_read(text):
    """Every entity has a known kind, a folded name and a place in the text; there are at most so many."""
    found = extract_entities(text).entities
    assert len(found) <= MOST
    for one in found:
        assert one.kind in ENTITY_KINDS
        assert one.name
        assert 0 <= one.start < one.end <= len(text)
    assert extract_entities(text).entities == found


@pytest.mark.parametrize(
    ("written", "expected"),
    [("Ana Ruiz", "ana-ruiz"), ("Ana's", "ana"), (" loom_db ", "loom-db"), ("C++", "c++"), ("Größe", "grösse")],
)
def test_names_are_folded_into_ids(written, expected):
    """Case, spaces, underscores and possessives do not make another name."""
    assert slug(written) == expected


def test_spellings_of_a_tool_are_one_tool():
    """Value families tell which words name one tool; a word that means other things does not count alone."""
    assert canonical_tool("postgresql") == canonical_tool("Postgres") == "postgres"
    assert canonical_tool("black") == ""


def test_a_name_may_stand_for_any_kind():
    """A bare name is looked up as every kind, one with its kind as that and as a thing, a tool by all its spellings."""
    assert {f"{kind}:loom" for kind in ENTITY_KINDS} <= set(entity_ids_for_name("Loom"))
    assert set(entity_ids_for_name("service:loom")) == {"service:loom", "thing:loom"}
    assert "tool:postgres" in entity_ids_for_name("PostgreSQL")
    assert "service:ledger" in entity_ids_for_name("the ledger service")
    assert "person:quill" in entity_ids_for_name("@quill")
    assert set(equivalent_entities("thing:loom")) == {f"{kind}:loom" for kind in ENTITY_KINDS}


def test_a_question_names_its_entities_and_its_rarer_words():
    """Frequent words of a question are not looked up; names in lower case are."""
    ends = entity_ids_in_question("what does the ledger service use")
    assert "service:ledger" in ends
    assert not any(end.endswith((":the", ":what", ":use")) for end in ends)
    assert "thing:halyard" in entity_ids_in_question("where is halyard")

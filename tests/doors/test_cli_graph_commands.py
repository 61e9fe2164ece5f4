"""graph."""

from __future__ import annotations

import pytest
from command_line import Cli


@pytest.fixture
def told(cli: Cli) -> None:
    """A person typed what a service uses and what it is also called."""
    for words in ("The ledger service uses Postgres.", "We call the ledger service lgr."):
        assert cli("remember", words, typed="").code == 0


@pytest.mark.usefixtures("told")
def test_graph_shows_neighbours_with_their_sources(cli: Cli) -> None:
    """Each edge stands with its direction, the words that state it, and the turn they were said in."""
    ran = cli("graph", "lgr")
    assert ran.code == 0
    assert "uses ->" in ran.out
    assert "tool:postgres" in ran.out
    assert "The ledger service uses Postgres" in ran.out
    data = cli("graph", "lgr", "--json").data
    assert set(data["known_as"]) == {"service:ledger", "service:lgr"}
    uses = [one for one in data["neighbours"] if one["kind"] == "uses"]
    assert [(one["direction"], one["far"], one["hops"]) for one in uses] == [("out", "tool:postgres", 1)]
    assert uses[0]["citations"][0]["quote"] == "The ledger service uses Postgres"


@pytest.mark.usefixtures("told")
def test_graph_goes_deeper_and_stops_at_a_limit(cli: Cli) -> None:
    """With --depth the table says how far each edge is; what --limit leaves out is said."""
    deep = cli("graph", "postgres", "--depth", "2")
    assert deep.out.splitlines()[1].split()[:2] == ["hops", "from"]
    assert "created_in" in deep.out
    short = cli("graph", "postgres", "--depth", "2", "--limit", "1")
    assert "left out" in short.err
    assert len(short.out.splitlines()) == 3


@pytest.mark.usefixtures("told")
def test_an_unknown_name_ends_with_5(cli: Cli) -> None:
    """Nothing known is exit code 5, with near names; a depth beyond 3 is a usage error."""
    ran = cli("graph", "ledgre")
    assert ran.code == 5
    assert "ledger" in ran.err
    assert cli("graph", "ledger", "--depth", "4").code == 2
    assert cli("graph", "").code == 2

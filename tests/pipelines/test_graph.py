"""The graph on a whole store: edges come and go with what states them, and are followed under any name."""

from contextlib import closing
from dataclasses import replace

import pytest
from whole_store import edges_by_record, write_conversation

from dopejar import InputError, NotFoundError, open_memory
from dopejar.compose.stores import open_store
from dopejar.memory.record_writer import write_record
from dopejar.pipelines.graph.edges import extract_edges
from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.scope import Project

SECRET = "correct horse " + "battery"
LEDGER = "The ledger service uses Postgres and Redis."


@pytest.fixture
def memory(tmp_path):
    """A fresh memory with one reviewer."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        opened.reviewers.add("ana", SECRET)
        yield opened


@pytest.fixture
def ana(memory):
    """The reviewer."""
    return memory.reviewers.unlock(SECRET)


def stored(memory):
    """Every edge that is read from words, the record called `it`."""
    with memory.store.read() as view:
        return {edge for edges in edges_by_record(view).values() for edge in edges}


def seen(memory, entity, depth=1, **options):
    """What the graph shows, as (direction, kind, far end)."""
    result = memory.graph.neighbourhood(entity, depth, **options)
    return {(neighbour.direction, neighbour.kind.value, neighbour.far) for neighbour in result.neighbours}


def in_project(memory, name):
    """The same memory, inside a project."""
    return type(memory)(memory._deps, Project(id=f"{name}-1", label=name))


def test_edges_come_with_their_record(memory):
    """What is remembered is in the graph at once, cited with the words and the turn that state it."""
    kept = memory.remember(LEDGER)
    assert stored(memory) == {
        ("it", "relates_to", "service:ledger"),
        ("it", "relates_to", "tool:postgres"),
        ("it", "relates_to", "tool:redis"),
        ("service:ledger", "uses", "tool:postgres"),
        ("service:ledger", "uses", "tool:redis"),
    }
    result = memory.graph.neighbourhood("ledger")
    assert result.known_as == ("service:ledger",)
    assert [(neighbour.kind, neighbour.direction, neighbour.far) for neighbour in result.neighbours] == [
        (EdgeKind.USES, "out", "tool:postgres"),
        (EdgeKind.USES, "out", "tool:redis"),
    ]
    (cited,) = result.neighbours[0].citations
    assert cited.episode_id == kept.episode_id
    assert cited.quote == "The ledger service uses Postgres and Redis"
    assert {
        (neighbour.direction, neighbour.far) for neighbour in memory.graph.neighbourhood("PostgreSQL").neighbours
    } == {("in", "service:ledger")}


def test_an_entity_is_found_by_its_other_names(memory):
    """Asking by an alias, in any spelling, finds what is known under the main name, and the other way round."""
    memory.remember("Kubernetes, also called kube-box, runs our jobs.")
    memory.remember("We call the Meridian project Mer.")
    memory.remember("The ledger service uses kubernetes.")
    for name in ("kube-box", "Kube Box", "KUBERNETES", "k8s", "tool:kube-box"):
        assert ("in", "uses", "service:ledger") in seen(memory, name)
    assert set(memory.graph.neighbourhood("mer").known_as) == set(
        memory.graph.neighbourhood("the Meridian project").known_as
    )


def test_names_written_as_plain_words_are_found_last(memory):
    """A record that holds a known name as a plain word stands behind what is tied to it, and nobody else's does."""
    memory.remember("We call the ledger service lgr.")
    memory.remember("My colleague Ines works on lgr.")
    in_project(memory, "kiln").remember("Our lgr notes are in the attic.")
    shown = memory.graph.neighbourhood("ledger service").neighbours
    assert [neighbour.text for neighbour in shown] == [
        "We call the ledger service lgr",
        "My colleague Ines works on lgr",
    ]


def test_circles_of_names_end(memory):
    """Names that stand for one another in a circle, and edges in a circle, are walked once."""
    memory.remember("Tiller is now called Halyard.")
    memory.remember("Halyard is now called Binnacle.")
    memory.remember("Binnacle is now called Tiller.")
    assert {"thing:tiller", "thing:halyard", "thing:binnacle"} <= set(memory.graph.neighbourhood("tiller", 3).known_as)


def test_deeper_hops_go_through_records(memory):
    """At two hops stand the conversation of a record, the version before it, and what its entities are tied to."""
    memory.remember("My editor is Vim.")
    memory.remember("My editor is Emacs now.")
    kinds = {neighbour.kind for neighbour in memory.graph.neighbourhood("emacs", 2).neighbours}
    assert kinds == {EdgeKind.RELATES_TO, EdgeKind.SUPERSEDES, EdgeKind.CREATED_IN}
    with pytest.raises(NotFoundError, match="vim"):
        memory.graph.neighbourhood("vim")
    record = next(record for record in memory.list() if "Emacs" in record.text)
    assert ("out", "supersedes", record.supersedes) in seen(memory, record.id)


def test_what_waits_contradicts(memory):
    """A waiting statement that disputes a record stands beside it, though it is not believed."""
    memory.remember("My birthday is on 4 May.")
    memory.remember("My birthday is on 9 June.")
    record = next(record for record in memory.list() if "May" in record.text)
    waiting = memory.review.queue()
    assert len(waiting) == 1
    around = [
        neighbour
        for neighbour in memory.graph.neighbourhood(record.id).neighbours
        if neighbour.kind is EdgeKind.CONTRADICTS
    ]
    assert [(neighbour.direction, neighbour.text) for neighbour in around] == [("in", waiting[0].text)]


def test_undo_takes_the_edges_and_redo_brings_them(memory, ana):
    """Edges of an undone act are gone, those of the version before it are back; undoing the undo turns that round."""
    memory.remember("My editor is Vim.")
    second = memory.remember("My editor is Emacs now.")
    receipt = memory.undo(second.act_id, ana)
    assert stored(memory) == {("it", "relates_to", "tool:vim")}
    memory.undo(receipt.act_id, ana)
    assert stored(memory) == {("it", "relates_to", "tool:vim"), ("it", "relates_to", "tool:emacs")}


def test_learning_again_brings_no_edge_twice(memory, ana, tmp_path):
    """A second import changes no edge; undoing the conversation takes all of them."""
    path = write_conversation(tmp_path, "one", [(0, LEDGER), (1, "I live in Lisbon.")])
    (first,) = memory.learn([path])
    once = stored(memory)
    assert ("it", "relates_to", "place:lisbon") in once
    list(memory.learn([path]))
    assert stored(memory) == once
    memory.undo(first.conversations[0], ana)
    assert stored(memory) == set()


def test_an_import_brings_the_same_edges(memory, tmp_path):
    """What is exported and imported elsewhere has the graph that it had here."""
    memory.remember(LEDGER)
    memory.remember("We call the ledger service lgr.")
    memory.exchange.export_to(tmp_path / "all.jsonl")
    with open_memory(tmp_path / "other", environment={}, said_by="user") as other:
        other.reviewers.add("ana", SECRET)
        other.exchange.import_from(tmp_path / "all.jsonl", other.reviewers.unlock(SECRET))
        assert stored(other) == stored(memory)


def test_erasing_leaves_no_name_behind(memory, ana, tmp_path):
    """After an erasure no file holds the entity's name, neither as an edge nor in the ledger."""
    kept = memory.remember("The zambujal service uses Postgres.")
    memory.remember(LEDGER)
    (record,) = [record for receipt in kept.receipts for record in receipt.records]
    assert memory.erase(ana, records=[record.id]).verified
    data = b"".join(file.read_bytes() for file in sorted((tmp_path / "home").iterdir()) if file.is_file())
    assert b"zambujal" not in data.lower()
    with pytest.raises(NotFoundError):
        memory.graph.neighbourhood("zambujal")
    assert ("in", "uses", "service:ledger") in seen(memory, "Postgres")


def test_a_project_does_not_see_anothers_edges(memory):
    """Edges, names near a name, and aliases of another project are not shown, unless every project is read."""
    here, there = in_project(memory, "loom"), in_project(memory, "kiln")
    there.remember("The glaze service uses Redis.")
    there.remember("We call the glaze service the glossary.")
    with pytest.raises(NotFoundError) as missing:
        here.graph.neighbourhood("glaze")
    assert "glaze" not in str(missing.value).replace("'glaze'", "")
    with pytest.raises(NotFoundError) as near:
        here.graph.neighbourhood("glazed")
    assert "glaze," not in str(near.value)
    assert "Near" not in str(near.value)
    assert ("out", "uses", "tool:redis") in seen(there, "glaze")
    assert ("out", "uses", "tool:redis") in seen(here, "glaze", all_projects=True)


def test_an_unknown_name_suggests_near_ones(memory):
    """Nothing known is an error of its own with near names; no name, or a depth of nine, is an input error."""
    memory.remember(LEDGER)
    with pytest.raises(NotFoundError, match="Similar names: ledger"):
        memory.graph.neighbourhood("ledgre")
    memory.remember("The tariffs are in conf/tariffs.toml.")
    with pytest.raises(NotFoundError, match=r"Similar names: conf/tariffs\.toml"):
        memory.graph.neighbourhood("tarifs")
    with pytest.raises(NotFoundError, match="no name is similar"):
        memory.graph.neighbourhood("quicksilver")
    for entity, depth in ((" ", 1), ("ledger", 9), ("ledger", 0)):
        with pytest.raises(InputError):
            memory.graph.neighbourhood(entity, depth)


def test_recall_follows_other_names(memory):
    """A question by another name finds the record; one that names nothing known finds what it found before."""
    memory.remember("We call the Meridian project Mer.")
    memory.remember("My sister works on Mer.")
    pack = memory.recall("who is on the Meridian project", records_only=True)
    assert "My sister works on Mer" in {item.text for item in pack.items}
    memory.remember("The staging cluster runs on k8s.")
    assert [item.text for item in memory.recall("Kubernetes?", records_only=True).items] == [
        "The staging cluster runs on k8s"
    ]
    assert memory.recall("zeppelin", records_only=True).items == ()


def test_the_doctor_rebuilds_edges(memory, tmp_path):
    """Edges are a projection: lost, foreign and wrong ones are faults, and a repair brings every edge back."""
    memory.remember(LEDGER)
    memory.remember("I live in Lisbon.")
    whole = stored(memory)
    memory.close()
    home = tmp_path / "home"
    with closing(open_store(home / "dopejar.db")) as store, store.write() as tx:
        record = next(edge.record_id for edge in tx.edges(["service:ledger"]))
        tx.drop_edges_of(record)
        tx.put_edges([Edge(src=record, dst="tool:abacus", kind=EdgeKind.RELATES_TO, record_id=record)])
    with open_memory(home, environment={}, said_by="user") as again:
        assert "edges" in {fault.what for fault in again.maintenance.doctor().faults}
        assert {fault.what for fault in again.maintenance.doctor(repair=True).mended} == {"edges"}
        assert again.maintenance.doctor().faults == ()
        assert stored(again) == whole
        again.verify()


def test_stated_links_survive_a_rebuild(memory):
    """A repair leaves links that an act stated, such as the origin of a shared copy, as they are."""
    memory.remember(LEDGER)
    with memory.store.write() as tx:
        record = next(edge.record_id for edge in tx.edges(["service:ledger"]))
        stated = Edge(src=record, dst="m_origin", kind=EdgeKind.COPY_OF, record_id=record)
        tx.put_edges([stated])
        other = replace(tx.record(record), text="The ledger service uses SQLite.", version=9)
        write_record(tx, tx.record(record), other, "a_x", tx.head().seq, extract_edges)
        assert stated in tx.edges([record])
        assert {edge.dst for edge in tx.edges([record]) if edge.kind is EdgeKind.RELATES_TO} == {
            "service:ledger",
            "tool:sqlite",
        }

"""Classification and routing: layer, sublayer, kind, namespace."""

from __future__ import annotations

from datetime import timedelta

import pytest

from dopejar.bench.facts import fact_class, predict_facts
from dopejar.pipelines.ingest import extract, route, route_namespace
from dopejar.values.record import KIND_OF_SUBLAYER, SUBLAYERS, Kind, Layer
from dopejar.values.scope import Namespace

TABLE = [
    ("I prefer trains over planes", "self", "preference", "preference"),
    ("I'm a nurse at the city hospital", "self", "identity", "plain"),
    ("I live in Bergen", "self", "identity", "plain"),
    ("I'm allergic to walnuts", "self", "constraint", "plain"),
    ("My hobby budget is $200 a month", "self", "constraint", "plain"),
    ("I finished the welding course on 3 May", "world", "fact", "plain"),
    ("The nightly build crashes on macOS", "world", "failure", "plain"),
    ("The staging server runs Debian", "world", "fact", "environment"),
    ("Always squash before merging", "intent", "rule", "constraint"),
    ("Never commit generated files", "intent", "anti-pattern", "constraint"),
    ("My goal is to finish the thesis by 30 June", "intent", "goal", "plain"),
    ("RCB stands for release candidate build", "world", "fact", "definition-alias"),
]


@pytest.mark.parametrize(("said", "layer", "sublayer", "label"), TABLE, ids=[row[0] for row in TABLE])
def test_coordinates(said: str, layer: str, sublayer: str, label: str) -> None:
    """Each kind of statement has its layer, its sublayer and the cue that decided."""
    (atom,) = extract(said, at=None, speaker_is_user=True).atoms
    assert (atom.layer, atom.sublayer, fact_class(atom)) == (layer, sublayer, label)
    assert atom.cue
    assert 0 < atom.confidence <= 1


def test_sublayers_lie_in_their_layer_and_kinds_follow() -> None:
    """No atom has a sublayer of another layer, and its kind is that of its sublayer unless it is a definition."""
    for said, *_ in TABLE:
        (atom,) = extract(said, at=None, speaker_is_user=True).atoms
        assert atom.sublayer in SUBLAYERS[Layer(atom.layer)]
        assert atom.kind in (KIND_OF_SUBLAYER[atom.sublayer], Kind.ALIAS)


def test_the_bench_line_has_the_scorers_form() -> None:
    """A prediction names the id, and each fact its class, text, layer and sublayer."""
    line = predict_facts({"id": "x1", "text": "I live in Bergen. Thanks!", "speaker": "user", "lang": "en"})
    assert line == {
        "id": "x1",
        "facts": [{"class": "plain", "text": "I live in Bergen", "layer": "self", "sublayer": "identity"}],
    }


@pytest.mark.parametrize(
    ("text", "tags", "source", "namespace"),
    [
        ("I like tea", (), "remember", Namespace.PROD),
        ("I like tea", ("test",), "remember", Namespace.TEST),
        ("I like tea", ("diagnostic",), "remember", Namespace.EPHEMERAL),
        ("I like tea", (), "pytest", Namespace.TEST),
        ("I like tea", (), "/home/me/project/tests/notes.md", Namespace.PROD),
        ("I like tea", (), "doctor", Namespace.EPHEMERAL),
        ("This is only a test", (), "remember", Namespace.TEST),
        ("[probe] 17", (), "remember", Namespace.EPHEMERAL),
        ("The test server runs Debian", (), "remember", Namespace.PROD),
    ],
)
def test_namespace_routing(text: str, tags: tuple[str, ...], source: str, namespace: Namespace) -> None:
    """Tags decide, then the source, then the words; speaking about tests is not testing."""
    assert route_namespace(text, tags, source) is namespace


def test_ephemeral_memories_have_an_end() -> None:
    """What is only a diagnostic lives for a day; everything else has no end of its own."""
    assert route("[probe] 1").ttl == timedelta(hours=24)
    assert route("I like tea").ttl is None

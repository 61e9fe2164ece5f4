"""No circle of imports anywhere in the package, inside rooms either."""

from __future__ import annotations

from pathlib import Path

import pytest
from house_rules import PACKAGE, dotted, modules
from import_graph import find_circles, find_mutual_packages, read_import_graph


def test_every_module_is_read() -> None:
    """The graph has every module of the package, and its imports are not overlooked."""
    graph = read_import_graph(PACKAGE)
    assert set(graph) == {dotted(path) for path in modules()}
    assert sum(map(len, graph.values())) > len(graph)


def test_no_module_imports_itself_by_way_of_others() -> None:
    """There is no circle, not even by an import inside a function or for type checking alone."""
    assert find_circles(read_import_graph(PACKAGE)) == []


MUTUAL = {  # packages that know each other; the list only shrinks
    ("engine.corrections", "engine.ingest"): "one act learns facts and corrections; a session's end imports first",
    (
        "engine.corrections",
        "engine.review",
    ): "undo and erasure keep checkpoints in step; a session's end shows its queue",
    ("engine.exchange", "engine.review"): "a restoration needs a reviewer; an erasure names the backups",
    ("engine.ingest", "engine.review"): "statements can be erasures; the queue of a reviewer takes wishes to forget",
    ("engine.queries", "engine.review"): "inspection shows what a decision would do; the queue shows compiled checks",
}


def test_packages_import_in_one_direction() -> None:
    """Two packages side by side do not import from each other, but for those that have their reason in the list."""
    found = find_mutual_packages(read_import_graph(PACKAGE))
    assert sorted(found) == sorted((f"dopejar.{one}", f"dopejar.{other}") for one, other in MUTUAL)


def test_planted_mutual_packages_are_caught(tmp_path: Path) -> None:
    """Packages that import from each other by different modules are found; one that is only imported is not."""
    sources = {"a/one": "import dopejar.b.one\n", "b/one": "import dopejar.c.one\n", "b/two": "import dopejar.a.two\n"}
    for name in ("a/__init__", "a/one", "a/two", "b/__init__", "b/one", "b/two", "c/__init__", "c/one"):
        path = tmp_path / "dopejar" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(sources.get(name, ""), "utf-8")
    assert find_mutual_packages(read_import_graph(tmp_path / "dopejar")) == {("dopejar.a", "dopejar.b")}


IMPORTS_B = {
    "at the top": "from dopejar import b\n",
    "by its name": "import dopejar.b\n",
    "inside a function": "def use() -> None:\n    from dopejar.b import x\n",
    "for types alone": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from dopejar.b import x\n",
}


@pytest.mark.parametrize("line", IMPORTS_B.values(), ids=IMPORTS_B.keys())
def test_planted_circle_is_caught(tmp_path: Path, line: str) -> None:
    """A circle through a third module is found however an import is written; a module that only leads to it is not."""
    package = tmp_path / "dopejar"
    package.mkdir()
    imports_a = "import dopejar.a\n"
    for name, source in {"__init__": "", "a": line, "b": "import dopejar.c\n", "c": imports_a, "d": imports_a}.items():
        (package / f"{name}.py").write_text(source, "utf-8")
    assert find_circles(read_import_graph(package)) == [["dopejar.a", "dopejar.b", "dopejar.c"]]

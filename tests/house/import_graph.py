"""The graph of imports between the modules of the package, read from their text.

Takes: a folder that holds the package. Gives: each module's imports, and the circles among them. Never: imports what it
reads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

ImportGraph = Mapping[str, frozenset[str]]


def read_import_graph(package: Path) -> ImportGraph:
    """Which modules of the package each of its modules imports, wherever in the file the import stands.

    Imports inside functions and under `TYPE_CHECKING` count as well: they couple two modules like any other.
    """
    files = {_module_name(package, path): path for path in package.rglob("*.py") if "__pycache__" not in path.parts}
    return {name: frozenset(_imported(path, files)) - {name} for name, path in files.items()}


def find_circles(graph: ImportGraph) -> list[list[str]]:
    """The strongly connected components of more than one module, each sorted (Tarjan 1972, without recursion)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    circles = []
    for root in sorted(graph):
        work: list[tuple[str, Iterator[str]]] = [(root, iter(sorted(graph[root])))] if root not in order else []
        while work:
            module, imports = work[-1]
            if module not in order:
                order[module] = lowest[module] = len(order)
                stack.append(module)
            ahead = next((name for name in imports if name not in order), None)
            if ahead is not None:
                work.append((ahead, iter(sorted(graph[ahead]))))
                continue
            work.pop()
            lowest[module] = min([order[module], *(lowest[name] for name in graph[module] if name in stack)])
            if lowest[module] == order[module]:
                circle = stack[stack.index(module) :]
                del stack[stack.index(module) :]
                circles += [sorted(circle)] if len(circle) > 1 else []
    return circles


def find_mutual_packages(graph: ImportGraph) -> set[tuple[str, str]]:
    """Pairs of packages side by side of which each imports from the other, though no two of their modules do."""
    packages = {name.rpartition(".")[0] for name in graph}
    one_way = {
        (one, other)
        for name, imports in graph.items()
        for imported in imports
        for one, other in zip(_packages_around(name), _packages_around(imported), strict=False)
        if one != other and one.rpartition(".")[0] == other.rpartition(".")[0] and {one, other} <= packages
    }
    return {(one, other) for one, other in one_way if one < other and (other, one) in one_way}


def _packages_around(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[: length + 1]) for length in range(len(parts))]


def _module_name(package: Path, path: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules else node.module

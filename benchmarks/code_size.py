"""Size and shape of the package: lines, circular imports, lengths of functions.

Takes: the checkout that holds it. Gives: the figures of the table "Code" in BENCHMARKS.md. Never: imports what it
measures.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "house"))

from house_rules import PACKAGE, body_lines, functions, modules  # noqa: E402 - the house tests hold the rules
from import_graph import find_circles, read_import_graph  # noqa: E402 - as above


def measure() -> dict[str, int]:
    """Lines of Python in the package, circles of imports, and the body lines of its functions."""
    sources = [path.read_text("utf-8") for path in modules(PACKAGE)]
    lengths = sorted(body_lines(node) for source in sources for node in functions(source))
    return {
        "modules": len(sources),
        "lines": sum(len(source.splitlines()) for source in sources),
        "circular imports": len(find_circles(read_import_graph(PACKAGE))),
        "function body lines, 95 % quantile": lengths[int(len(lengths) * 0.95)],
        "function body lines, longest": lengths[-1],
    }


if __name__ == "__main__":
    for name, figure in measure().items():
        print(f"{name}: {figure:,}")

"""Rules of the house, as functions from source text to violations.

Takes: the text of a module. Gives: one sentence per violation, with its line. Never: imports what it judges.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "dopejar"

FORBIDDEN_NAMES = frozenset({"utils", "util", "helpers", "helper", "common", "misc", "base", "manager", "managers"})
VERSION_SUFFIX = re.compile(r"_v\d+$")
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def modules(root: Path = PACKAGE) -> list[Path]:
    """Every Python module below a folder, sorted."""
    return sorted(path for path in root.rglob("*.py") if "__pycache__" not in path.parts)


def dotted(path: Path) -> str:
    """The import name of a module of the package."""
    parts = list(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tracked_files() -> list[Path]:
    """Every text file of the project: those git tracks or would, or, outside a checkout, what lies in its folders."""
    listing = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        capture_output=True,
        check=False,
    )
    if listing.returncode == 0:
        paths = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    else:
        tops = ("src", "tests", "docs", "examples", "benchmarks", "training", "locks")
        paths = [path for top in tops for path in (ROOT / top).rglob("*")] + list(ROOT.glob("*.md"))
    return sorted(path for path in paths if path.is_file() and "__pycache__" not in path.parts and is_text(path))


def is_text(path: Path) -> bool:
    """Whether the file's first bytes hold no zero byte."""
    with path.open("rb") as file:
        return b"\0" not in file.read(4096)


def functions(source: str) -> Iterator[FunctionNode]:
    """Every function and method of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def body_lines(function: FunctionNode) -> int:
    """Lines of a function's body, its docstring left out."""
    body = function.body
    if ast.get_docstring(function) is not None and len(body) > 1:
        body = body[1:]
    return (body[-1].end_lineno or body[-1].lineno) - body[0].lineno + 1


def any_used(source: str) -> list[str]:
    """Places where `Any` from typing is named, also as `typing.Any`."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module in ("typing", "typing_extensions"):
            found += [f"line {node.lineno}: imports Any" for name in node.names if name.name == "Any"]
        elif isinstance(node, ast.Attribute) and node.attr == "Any" and isinstance(node.value, ast.Name):
            found.append(f"line {node.lineno}: names {node.value.id}.Any")
    return found


def relative_imports(source: str) -> list[str]:
    """Imports that begin with a dot."""
    return [
        f"line {node.lineno}: relative import"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.level
    ]


def imports_at_import_time(source: str) -> set[str]:
    """Top-level names of what a module imports when it is imported itself; type-checking blocks do not count."""
    found: set[str] = set()
    waiting: list[ast.AST] = list(ast.parse(source).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = (ast.stmt, ast.ExceptHandler)
            waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, inside)]
    return found


def docstring_faults(source: str) -> list[str]:
    """What is missing from a module's docstring: what it is, and what it takes, gives and never does."""
    text = ast.get_docstring(ast.parse(source)) or ""
    if not text:
        return ["no module docstring"]
    return [f"the module docstring lacks `{part}`" for part in ("Takes:", "Gives:", "Never:") if part not in text]


def broad_excepts(source: str) -> list[tuple[int, bool]]:
    """(line, whether a reason stands beside it) of every `except` that catches all and does not raise again."""
    lines = source.splitlines()
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ExceptHandler) or ast.unparse(node.body[-1]) == "raise":
            continue
        names = {part.id for part in ast.walk(node.type) if isinstance(part, ast.Name)} if node.type else {"Exception"}
        if names & {"Exception", "BaseException"}:
            comment = lines[node.lineno - 1].partition("#")[2]
            reason = re.sub(r"noqa:[ A-Z0-9,]*", "", comment).strip(" #-:")
            found.append((node.lineno, len(reason.split()) >= 3))
    return found


def bare_noqas(source: str) -> list[str]:
    """Waivers without a rule or without a reason behind it."""
    found = []
    for number, line in enumerate(source.splitlines(), start=1):
        waiver = re.search(r"#\s*noqa(?P<rules>:\s*[A-Z]+\d+(,\s*[A-Z]+\d+)*)?(?P<rest>.*)$", line)
        if waiver and (not waiver["rules"] or len(waiver["rest"].strip(" #-:").split()) < 2):
            found.append(f"line {number}: a waiver needs its rule and its reason")
    return found


def untyped_returns(source: str) -> list[str]:
    """Public functions without a return type."""
    return [
        f"line {node.lineno}: {node.name} has no return type"
        for node in functions(source)
        if not node.name.startswith("_") and node.returns is None
    ]


def unused_private_names(source: str) -> list[str]:
    """Constants, functions and classes of a module that begin with an underscore and stand nowhere else in it."""
    names = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append((node.lineno, node.name))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            names += [(part.lineno, part.id) for part in ast.walk(node) if _is_assigned(part)]
    private = [(line, name) for line, name in names if name.startswith("_") and not name.startswith("__")]
    return [f"line {line}: {name} is unused" for line, name in private if len(re.findall(rf"\b{name}\b", source)) < 2]


def _is_assigned(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def undocumented_tests(source: str) -> list[str]:
    """Test functions that do not state the property they test."""
    return [
        f"line {node.lineno}: {node.name} has no docstring"
        for node in functions(source)
        if node.name.startswith("test_") and not ast.get_docstring(node)
    ]


def name_fault(path: Path) -> str:
    """Why a module's or a room's name is not one of the house, or ''."""
    for part in (*path.parts[:-1], path.stem):
        if part in FORBIDDEN_NAMES:
            return f"{part} says nothing about what lies in it"
        if VERSION_SUFFIX.search(part):
            return f"{part} has a version suffix; two generations must not stand beside each other"
    return ""


def unfinished_marks(text: str) -> list[str]:
    """Marks of unfinished work."""
    lines = enumerate(text.splitlines(), start=1)
    return [f"line {number}: {line.strip()[:60]}" for number, line in lines if UNFINISHED.search(line)]

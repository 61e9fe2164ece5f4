"""Module names and public names are terms of the field: no private words, no gerunds, one class for each name."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from house_rules import PACKAGE, ROOT, modules

RULES = tomllib.loads((ROOT / "tests" / "house" / "words_out.toml").read_text("utf-8"))
WORDS_OUT: dict[str, str] = RULES["words"]
ALLOWED: list[str] = RULES["allowed"]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text("utf-8")
NOUNS_IN_ING = set(re.findall(r"^\| `(\w+ing)` \| \w", GLOSSARY, re.MULTILINE))
SEED = "a seed names its part so; the module in seeds calls the other one"
ROW = "the row that doors return of the other one; clients see its name in the schema"
DOUBLED = {
    "ApprovalInterface": SEED,
    "Bullet": SEED,
    "DossierGovernor": SEED,
    "ProceduralMemory": SEED,
    "Change": ROW,
    "Correction": ROW,
    "Hit": ROW,
    "Observed": ROW,
    "SearchResult": ROW,
}
PATHS = [path.relative_to(PACKAGE).as_posix() for path in modules()]


def split_name(name: str) -> list[str]:
    """The lower-case words of a name, split at underscores and capitals."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def module_words(path: str) -> list[str]:
    """The names of a module and of the packages that it is in."""
    return [part for part in Path(path).with_suffix("").parts if not part.startswith("__")]


def public_names(source: str) -> Iterator[tuple[str, int]]:
    """Functions and classes of a module, and methods of public classes, that do not begin with an underscore."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node.name, node.lineno
            for member in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and not member.name.startswith("_"):
                    yield f"{node.name}.{member.name}", member.lineno


def rejected_words(name: str) -> list[str]:
    """The words of a name that are out, each with the term to use instead; a test is a sentence, and is no name."""
    if name in ALLOWED or re.search(r"(^|\.)test_", name):
        return []
    return [f"{word} (use: {WORDS_OUT[word]})" for word in split_name(name) if word in WORDS_OUT]


def gerund_faults(path: str) -> list[str]:
    """The parts of a module path that end in -ing and are not listed as nouns."""
    words = (split_name(part)[-1] for part in module_words(path))
    return [word for word in words if word.endswith("ing") and word not in NOUNS_IN_ING]


@pytest.mark.parametrize("path", PATHS)
def test_module_is_named_by_a_noun_of_the_field(path: str) -> None:
    """No part of a module's path is a private word or a gerund; nouns that end in -ing are listed in the glossary."""
    assert [word for part in module_words(path) for word in rejected_words(part)] == []
    assert gerund_faults(path) == []


@pytest.mark.parametrize("path", PATHS)
def test_public_names_have_no_private_words(path: str) -> None:
    """Public functions, classes and methods are named in words that a practitioner knows."""
    names = public_names((PACKAGE / path).read_text("utf-8"))
    assert [f"line {line}: {name}: {words}" for name, line in names if (words := rejected_words(name))] == []


def doubled_classes(paths: Iterable[Path]) -> dict[str, list[Path]]:
    """The public class names that stand in more than one module, each with its modules."""
    where: dict[str, list[Path]] = {}
    for path in paths:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where.setdefault(node.name, []).append(path)
    return {name: places for name, places in where.items() if len(places) > 1}


def test_a_class_name_has_one_meaning() -> None:
    """A public class name stands once in the package, and a name that stands twice has its reason in the list."""
    assert sorted(doubled_classes(modules())) == sorted(DOUBLED)


def test_planted_double_is_caught(tmp_path: Path) -> None:
    """Two modules with one public class name are named; private ones and functions may share a name."""
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text("class Twice: ...\nclass _Own: ...\ndef once() -> None: ...\n", "utf-8")
    assert list(doubled_classes(sorted(tmp_path.glob("*.py")))) == ["Twice"]


def test_nouns_in_ing_are_used() -> None:
    """The list in the glossary has no word that no module uses."""
    used = {split_name(part)[-1] for path in PATHS for part in module_words(path)}
    assert used >= NOUNS_IN_ING


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ImpactPreview", ["impact", "preview"]),
        ("HTTPClient", ["http", "client"]),
        ("read_told_text", ["read", "told", "text"]),
        ("v2Record", ["v", "2", "record"]),
    ],
)
def test_names_are_split_into_words(name: str, words: list[str]) -> None:
    """Underscores and capitals divide a name."""
    assert split_name(name) == words


def test_planted_names_are_caught() -> None:
    """A private word and a gerund are found wherever they stand in a name; near misses pass."""
    assert rejected_words("ToldSentences")
    assert rejected_words("read_kindred_words")
    assert gerund_faults("engine/leaving.py") == ["leaving"]
    assert gerund_faults("engine/voicing/clock.py") == ["voicing"]
    assert rejected_words("untold") == []
    assert gerund_faults("values/string_table.py") == []

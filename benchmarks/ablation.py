"""What is lost without a rule of reading, on statements that its author did not read.

Takes: sets (histories as `conversations` reads them, pairs as `side_by_side` reads them, relations as
`training/data/reader/relations.md` writes them, details as `kept_details` reads them), a data directory with an
installed model, the scorer of histories, and a file for what was found. Gives: of each function of `ROOMS` that may
find nothing, in which cases it found something; of each group of them to do without, the cases right with and without
it. Never: prints a text that was read.

    python -m benchmarks.ablation FOUND FILE... --home DIR --scorer FILE [--without NAME,NAME... [--without ...]]

The cases are told once, and what was found is kept in FOUND, where that does not exist. A function finds nothing where
it returns None, False, something empty, or the argument of its own type unchanged. That is what stands for it where it
is done without, and only the cases in which it found something are told again. A name may hold `*`. `--learned`:
histories are conversations that are learned from; `--words`: without the model.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import inspect
import json
import pkgutil
import re
import runpy
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

import dopejar
from benchmarks import kept_details, side_by_side
from benchmarks.conversations import learned
from dopejar import compose
from dopejar.adapters.readers import fitted_reader
from dopejar.bench import behaviour
from dopejar.compose.stores import in_memory_store
from dopejar.governance import reviewer_credentials
from dopejar.settings import read_settings
from training.reader_data import groups

ROOMS: Final = ("dopejar.pipelines.ingest", "dopejar.text", "dopejar.language", "dopejar.pipelines.corrections")
_MANY: Final = re.compile(
    r"(?:list|tuple(?=.*\.{3}\]$)|Sequence|Iterator|Iterable|set|frozenset|AbstractSet)\[(?P<of>.+?)(?:, \.{3})?\]"
)
_EMPTY: Final[Mapping[str, Callable[[], Any]]] = {
    **dict.fromkeys(("tuple", "Sequence", "Iterator", "Iterable"), tuple),
    **dict.fromkeys(("set", "frozenset", "AbstractSet"), frozenset),
    "list": list,
    "dict": dict,
    "Mapping": dict,
}
_GIVES_NO_WORDS: Final = re.compile(r"\b(?:return|else) \"\"(?!\")")  # of a function that gives a text
_MODELS: Final = ("embedder", "reader", "marker", "change_reader", "side_reader", "answer_reader", "turn_reader")
_CACHED: Final = type(functools.lru_cache(len))
_SAID: Final = frozenset({"text", "word", "words", "phrase", "said", "wish", "command", "piece"})  # what a cache is of

Case = tuple[str, Callable[[], bool]]  # its name, and whether what becomes of it is right
Judge = Callable[..., Any]  # the failed expectations of a history
Neutral = Callable[[Sequence[Any], Mapping[str, Any]], Any]


class Rules:
    """The functions that may find nothing: in which case each found something, and which are done without."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        self.acted: dict[str, set[int]] = {}
        self.off: frozenset[str] = frozenset()
        self.case = 0

    def install(self) -> None:
        """From now on each of them is counted."""
        modules = [module for room in ROOMS for module in _modules(room)]
        put: dict[int, Any] = {}
        for module in modules:
            for owner, name, function in list(_functions(module)):
                neutral = _neutral(function)
                if neutral is not None:
                    rule = self._rule(_name(function), function, neutral)
                    put[id(function)] = rule
                    setattr(owner, name, rule)
        for module in list(_modules("dopejar")):
            for name, value in list(vars(module).items()):
                if id(value) in put:
                    setattr(module, name, put[id(value)])
                elif isinstance(value, dict) and not name.startswith("__"):
                    value.update({key: put[id(one)] for key, one in value.items() if id(one) in put})

    def _rule(self, name: str, function: Callable[..., Any], neutral: Neutral) -> Callable[..., Any]:
        self.lines[name] = len(inspect.getsourcelines(inspect.unwrap(function))[0])
        found_in = self.acted.setdefault(name, set())
        yields = inspect.isgeneratorfunction(inspect.unwrap(function))

        @functools.wraps(function)
        def rule(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - as the real one
            nothing = neutral(given, named)
            if name in self.off:
                return nothing
            found = function(*given, **named)
            if yields:
                found = tuple(found)
            if self.case not in found_in and found is not nothing and not _is_nothing(found, nothing):
                found_in.add(self.case)
            return iter(found) if yields else found

        return rule

    def named(self, names: str) -> frozenset[str]:
        """The rules of these names, by commas."""
        wanted = names.split(",")
        found = frozenset(one for one in self.lines if any(fnmatch(one, name) for name in wanted))
        missing = [name for name in wanted if not any(fnmatch(one, name) for one in self.lines)]
        if missing:
            raise SystemExit(f"There are no rules {', '.join(missing)}.")
        return found


def _modules(package: str) -> Iterator[ModuleType]:
    root = importlib.import_module(package)
    yield root
    for found in pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}."):
        if package == dopejar.__name__:
            if found.name in importlib.sys.modules:  # type: ignore[attr-defined]
                yield importlib.sys.modules[found.name]  # type: ignore[attr-defined]
        else:
            yield importlib.import_module(found.name)


def _functions(module: ModuleType) -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    for name, value in vars(module).items():
        if getattr(value, "__module__", "") != module.__name__:
            continue
        if isinstance(value, FunctionType | _CACHED):
            yield module, name, value
        elif isinstance(value, type) and not getattr(value, "_is_protocol", False):
            for method, function in vars(value).items():
                if isinstance(function, FunctionType) and not method.startswith("__"):
                    yield value, method, function


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__.removeprefix('dopejar.')}:{function.__qualname__}"


def _neutral(function: Callable[..., Any]) -> Neutral | None:
    """What stands for a function that finds nothing; None for one that always gives something."""
    signature = inspect.signature(function)
    returns = str(signature.return_annotation)
    many, kind = _MANY.fullmatch(returns), returns.partition("[")[0]
    if returns == "bool" or returns.endswith("| None"):
        nothing: Any = False if returns == "bool" else None
    elif returns == "str" and _GIVES_NO_WORDS.search(inspect.getsource(inspect.unwrap(function))):
        nothing = ""
    else:
        for place, (name, one) in enumerate(signature.parameters.items()):
            taken, given = str(one.annotation), _MANY.fullmatch(str(one.annotation))
            is_one = taken == returns and (returns == "str" or returns[:1].isupper())
            if is_one or (many and given and many["of"] == given["of"]):
                return functools.partial(_given, place, name, list if kind == "list" else None)
        if kind not in _EMPTY or (kind == "tuple" and not returns.endswith("...]")):
            return None
        nothing = _EMPTY[kind]()
    return lambda *_: nothing if not isinstance(nothing, list | dict) else type(nothing)()


def _given(
    place: int, name: str, kind: Callable[[Any], Any] | None, given: Sequence[Any], named: Mapping[str, Any]
) -> Any:  # noqa: ANN401 - whatever it was given
    value = given[place] if place < len(given) else named.get(name, ())
    return kind(value) if kind is not None else value


def _is_nothing(found: Any, nothing: Any) -> bool:  # noqa: ANN401 - whatever is compared
    if isinstance(found, tuple | list) and isinstance(nothing, tuple | list):
        return list(found) == list(nothing)
    return bool(found == nothing)


def cases(path: Path, home: Path | None, judge: Judge, tell: behaviour.Tell) -> Iterator[Case]:
    """Each line of a set, or pair of a file of relations."""
    if path.suffix == ".txt":
        rows: list[dict[str, Any]] = [
            {"language": "en", "earlier": earlier, "later": later, "relation": relation, "rules": False}
            for earlier, told in groups(path)
            for relation, later in told
            if relation != "contradiction"
        ]
    else:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    for number, row in enumerate(rows):
        is_right = _is_history_right if "steps" in row else _are_details_right if "stays" in row else _is_pair_right
        yield f"{path.stem}:{number}", functools.partial(is_right, row, home, judge, tell)


def _is_history_right(row: Mapping[str, Any], home: Path | None, judge: Judge, tell: behaviour.Tell) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        out = _written(folder, row).with_name("out")
        reader = "grammar" if home is None else "fitted"
        behaviour.run(Path(folder), out, home or Path(folder), reader, tell)
        return not judge(row, json.loads(out.read_text("utf-8")))


def _are_details_right(row: Mapping[str, Any], home: Path | None, *_: object) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        return kept_details.run(_written(folder, row), home)["right"] == 1


def _is_pair_right(row: Mapping[str, Any], home: Path | None, *_: object) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        (counts,) = side_by_side.by_language(_written(folder, row), home).values()
    wrong = counts["wrongly_same"] + counts["wrongly_retired"] + counts["wrongly_told"]
    return not wrong and all(counts[f"{kind}_right"] == counts[kind] for kind in ("same", "newer"))


def _written(folder: str, row: Mapping[str, Any]) -> Path:
    path = Path(folder) / "scenarios.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    return path


def share_models(home: Path) -> None:
    """One model for all memories of this process, which reads no text twice; stores in memory, cheap passphrases."""
    compose.open_store = lambda *_, **__: in_memory_store()
    reviewer_credentials._LOG2_N = 4  # noqa: SLF001 - nothing is guarded here
    fitted_reader._CAPACITY = 1_000_000  # noqa: SLF001 - the same texts come again with each group
    own = compose.make_embedder(read_settings(home, {"DOPEJAR_EMBEDDER_KIND": "minilm"}))
    real = {name: getattr(compose, f"make_{name}") for name in _MODELS}
    made = {name: real[name](own) for name in _MODELS[1:]}
    compose.make_embedder = lambda settings: own if settings.text("embedder.kind") == "minilm" else None
    for name in _MODELS[1:]:
        setattr(compose, f"make_{name}", lambda one, name=name: made[name] if one is own else real[name](one))


def tell_again(rules: Rules, told: Sequence[Case], numbers: Sequence[int]) -> dict[int, bool]:
    """Whether each of these cases is right."""
    caches = [one for one in gc.get_objects() if isinstance(one, _CACHED) and _is_of_texts(one)]
    found = {}
    for rules.case in numbers:
        for one in caches:
            one.cache_clear()
        try:
            found[rules.case] = told[rules.case][1]()
        except Exception:
            if not rules.off:
                raise
            found[rules.case] = False  # it cannot be done without
    return found


def _is_of_texts(cached: Any) -> bool:  # noqa: ANN401 - a function in its cache
    wrapped = cached.__wrapped__
    return wrapped.__module__.startswith(ROOMS) and next(iter(inspect.signature(wrapped).parameters), "") in _SAID


def without(rules: Rules, told: Sequence[Case], known: Mapping[str, Any], names: str) -> dict[str, Any]:
    """What becomes of the cases in which rules of these names found something, with and without them."""
    group = rules.named(names)
    numbers = sorted({number for name in group for number in known["acted"].get(name, ())})
    rules.off = group
    found = tell_again(rules, told, numbers)
    rules.off = frozenset()
    right = known["right"]
    return {
        "without": names,
        "lines": sum(rules.lines[name] for name in group),
        "cases": len(numbers),
        "right_with": sum(right[number] for number in numbers),
        "right_without": sum(found.values()),
        "lost": [told[number][0] for number in numbers if right[number] and not found[number]],
        "won": [told[number][0] for number in numbers if not right[number] and found[number]],
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("found", type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--scorer", type=Path, required=True)
    parser.add_argument("--learned", action="store_true")
    parser.add_argument("--words", action="store_true")
    parser.add_argument("--without", action="append", default=[])
    chosen = parser.parse_args()
    share_models(chosen.home)
    rules, judge = Rules(), runpy.run_path(str(chosen.scorer))["judge"]
    tell = learned if chosen.learned else behaviour.remembered
    home = None if chosen.words else chosen.home
    told = [case for path in chosen.files for case in cases(path, home, judge, tell)]
    rules.install()
    if not chosen.found.is_file():
        right = list(tell_again(rules, told, range(len(told))).values())
        acted = {name: sorted(numbers) for name, numbers in rules.acted.items()}
        chosen.found.write_text(json.dumps({"right": right, "acted": acted, "lines": rules.lines}), "utf-8")
        print(json.dumps({"cases": len(right), "right": sum(right), "rules": len(acted)}))
    for names in chosen.without:
        print(json.dumps(without(rules, told, json.loads(chosen.found.read_text("utf-8")), names)), flush=True)


if __name__ == "__main__":
    main()

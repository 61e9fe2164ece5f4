"""Arguments of the library's verbs, checked against their annotations before a verb does anything.

Takes: the verbs of a class, and what they are called with. Gives: the same verbs; an argument of another type, or a
name that no enumeration has, is an InputError that says what the argument takes. Never: converts an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, fields
from datetime import datetime, timedelta
from functools import cache, wraps
from inspect import isfunction
from os import PathLike
from typing import Final, ParamSpec, TypeVar

from dopejar.errors import InputError, ReviewerRequiredError
from dopejar.values.record import Kind, Status
from dopejar.values.scope import Namespace

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_SIMPLE: Final[Mapping[str, tuple[type | tuple[type, ...], str]]] = {
    "str": (str, "text"),
    "bool": (bool, "True or False"),
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
    "datetime": (datetime, "a datetime with a time zone"),
    "timedelta": (timedelta, "a timedelta"),
    "Path": (PathLike, "a path"),
    "None": (type(None), "None"),
    "Mapping": (Mapping, "a mapping"),
    "Sequence": (Collection, "a list"),
    "tuple": (tuple, "a tuple"),
}
_ALIASES: Final = {
    "SeenVersions": "Mapping[str, int]",  # from ids to the versions that were seen
    **dict.fromkeys(("ActId", "ConversationId", "EpisodeId", "ProposalId", "RecordId", "TraceId"), "str"),
}
_CHOICES: Final = {"kind": Kind, "kinds": Kind, "namespace": Namespace, "status": Status, "statuses": Status}
_MANY: Final = {"Mapping": "dictionaries", "Sequence": "lists"}  # in words, where a message names several
_COUNTS: Final = frozenset({"limit", "offset", "budget", "days", "k"})
_MADE_BY_HOSTS: Final = frozenset(
    {"BrowseFilter", "LedgerFilter", "LiveTurn", "RecordFilter", "SharedReference", "Speaker", "WorkingSet"}
)
_SHOWN: Final = 60  # characters of a wrong argument in a message


def checked(service: type[T]) -> type[T]:
    """The same class; each public verb checks its arguments first, and raises InputError or ReviewerRequiredError."""
    for name, verb in list(vars(service).items()):
        if isfunction(verb) and not name.startswith("_"):
            setattr(service, name, _checked(verb))
    return service


def _checked(verb: Callable[P, R]) -> Callable[P, R]:
    @wraps(verb)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        given: dict[str, object] = dict(zip(_positional(verb), args, strict=False)) | kwargs
        for name, annotation, default in _parameters(verb):
            if name in given:
                _check(f"`{name}` of {verb.__name__}", name, annotation, given[name], default)
        return verb(*args, **kwargs)

    return call


@cache
def _positional(verb: Callable[..., object]) -> tuple[str, ...]:
    code = verb.__code__
    return code.co_varnames[: code.co_argcount]


@cache
def _parameters(verb: Callable[..., object]) -> tuple[tuple[str, str, object], ...]:
    """The parameters of a verb with their annotations, which are texts, and their defaults."""
    defaults = dict(zip(reversed(_positional(verb)), reversed(verb.__defaults__ or ()), strict=False))
    defaults |= verb.__kwdefaults__ or {}
    return tuple(
        (name, str(annotation), defaults.get(name, MISSING))
        for name, annotation in verb.__annotations__.items()
        if name != "return"
    )


def _check(what: str, name: str, annotation: str, value: object, default: object) -> None:
    parts = _parts(annotation)
    if not any(_fits(part, value) for part in parts):
        raise _wrong(what, " or ".join(dict.fromkeys(map(_expected, parts))), value, is_reviewer="Reviewer" in parts)
    if isinstance(value, datetime) and value.tzinfo is None:
        raise InputError(f"{what} has no time zone: {value.isoformat()}. Pass a timezone-aware datetime.")
    if name in _COUNTS and isinstance(value, int) and value < 0:
        raise InputError(f"{what} is 0 or more, not {value}.")
    is_any = name == "status" and value == ""  # of a filter
    if name in _CHOICES and "str" in annotation and value != default and not is_any:
        _check_choice(what, [str(one) for one in _CHOICES[name]], value)
    if type(value).__name__ in _MADE_BY_HOSTS:
        for field in fields(value):  # type: ignore[arg-type]  # every one of these is a dataclass
            held = getattr(value, field.name)
            _check(f"`{field.name}` of {type(value).__name__}", field.name, str(field.type), held, field.default)


def _check_choice(what: str, names: list[str], value: object) -> None:
    chosen = value if isinstance(value, Collection) and not isinstance(value, str) else (value,)
    for one in chosen:
        if one is not None and one not in names:
            raise InputError(f"{what} is one of {', '.join(names)}, not {_shown(one)}.")


def _wrong(what: str, expected: str, value: object, *, is_reviewer: bool) -> Exception:
    if is_reviewer:
        return ReviewerRequiredError(
            f"{what} takes the Reviewer that `memory.reviewers.unlock(passphrase)` returns, not {_shown(value)}: a name"
            " proves nothing."
        )
    return InputError(f"{what} takes {expected}, not {_shown(value)}.")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


@cache
def _parts(annotation: str) -> tuple[str, ...]:
    """The alternatives of an annotation: `Mapping[str, Side | str] | None` has two."""
    parts, depth = [""], 0
    for sign in annotation:
        depth += (sign == "[") - (sign == "]")
        if sign == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return tuple(part.strip() for part in parts)


def _fits(annotation: str, value: object) -> bool:
    outer, _, inner = _ALIASES.get(annotation, annotation).partition("[")
    if outer in ("object", "Callable", "Progress"):
        return outer == "object" or callable(value)
    if outer not in _SIMPLE:  # a class of ours, which need not be loaded to be known
        return outer.rpartition(".")[2] in {one.__name__ for one in type(value).__mro__}
    if not isinstance(value, _SIMPLE[outer][0]) or (isinstance(value, bool) and outer in ("int", "float")):
        return False
    if not inner:
        return True
    if isinstance(value, str | bytes):
        return False
    held = value.values() if isinstance(value, Mapping) else value
    wanted = _held(inner, is_mapping=isinstance(value, Mapping))
    return all(any(_fits(part, one) for part in wanted) for one in held)  # type: ignore[attr-defined]  # a collection


def _held(inner: str, *, is_mapping: bool) -> tuple[str, ...]:
    """The alternatives of what a collection holds, of a mapping its values: of `str, list[int]]` it is `list[int]`."""
    of = inner.removesuffix("]").removesuffix(", ...")
    return _parts(of.partition(", ")[2] if is_mapping else of)


def _expected(annotation: str) -> str:
    outer, _, inner = _ALIASES.get(annotation, annotation).partition("[")
    if outer in ("Callable", "Progress"):
        return "a function"
    name = _SIMPLE[outer][1] if outer in _SIMPLE else f"a{'n' * (outer[0] in 'AEIO')} {outer}"
    if not inner:
        return name
    held = (_ALIASES.get(part, part).partition("[")[0] for part in _held(inner, is_mapping=outer == "Mapping"))
    return f"{name} of {' or '.join(_MANY.get(part, part) for part in held)}"

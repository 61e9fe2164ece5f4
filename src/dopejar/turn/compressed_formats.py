r"""Compressed formats: rows of patterns, people, histories, signals and routings as one line each, and back exactly.

Takes: flat rows of texts and numbers. Gives: lines that cost a fraction of their sentences in tokens, the legend that a
model needs to read them, and the same rows again. Never: drops a value, or guesses at a line that it did not write.

A line holds the fields in the legend's order, separated by `|`; an empty field is empty, and trailing empty ones are
left out. A code of the legend stands for its text, and in a list of codes alone they stand side by side. Any other
text stands as it is, with `\`, `|`, `,` and line ends escaped, and `=` before a text that would be read as a code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dopejar.errors import InputError
from dopejar.governance.learning.pattern import CODES

Row = Mapping[str, str | float | tuple[str, ...]]
"""A row: texts, numbers, and lists of texts by field; a field that is not there is empty."""

PATTERNS: Final[Mapping[str, str]] = {
    code: CODES[name]
    for code, name in {
        "tb": "timeboxing", "ec": "exit_criteria", "bp": "buffer_planning", "ri": "risk_id", "su": "schedule_underest",
        "cd": "calendar_desync", "sp": "struct_prefer", "nb": "numbers_not_bullets", "po": "proactive_ok",
        "fc": "fast_context_switch", "mp": "multi_project", "ai": "ask_impact", "sw": "surface_why",
        "sq": "strategic_questions", "cl": "connect_layers", "ca": "challenge_alignment", "so": "spot_overload",
        "sd": "suggest_drops", "ma": "match_altitude", "ph": "push_harder", "mc": "more_concise", "nd": "needs_decomp",
        "qa": "quick_answer_ok", "vh": "verify_high_stakes", "eu": "explore_uncertain", "dc": "dialogue_conflict",
    }.items()
}  # fmt: skip
"""Short codes of behaviour, of coaching and of reasoning, for lines."""

_PEOPLE: Final = {
    "W": "colleague at work", "M": "manager", "C": "client", "S": "supplier", "F": "friend", "R": "family member",
    "P": "partner", "N": "neighbour", "b": "often holds up progress", "c": "needs coordination",
    "r": "can be relied on", "e": "knows the subject well", "s": "answers slowly", "d": "decides about the money",
    "q": "answers quickly", "w": "needs careful wording",
}  # fmt: skip
_ENDS: Final = {"d": "done", "o": "left open", "x": "dropped", "w": "waiting for somebody"}
_SIGNALS: Final = {
    "w": "formal_work", "i": "interrupt", "u": "urgency", "c": "completion", "m": "emotional", "e": "emergency",
    "h": "high_stakes", "l": "lane_switch",
}  # fmt: skip
_STANCES: Final = {"s": "sensemaking", "d": "discovery", "x": "execution", "v": "evaluation"}
_REQUESTS: Final = {"a": "atomic", "d": "derivative", "h": "high_stakes"}
_STRATEGIES: Final = {
    "q": "quick_answer", "d": "decomposition", "v": "verification", "e": "exploration", "t": "dialogue",
}  # fmt: skip
_LEVELS: Final = {"l": "low", "m": "medium", "h": "high"}

_ESCAPES: Final = {"\\": "\\\\", "|": "\\p", ",": "\\c", "\n": "\\n", "\r": "\\r"}
_UNESCAPES: Final = {written: mark for mark, written in _ESCAPES.items()} | {"\\e": ""}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a row: a text, a number or a list of texts; `codes` gives the text of each code."""

    name: str
    kind: type = str
    codes: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class RowFormat:
    """The form of one type of data: its fields in order. The codes of a field are part of the legend."""

    fields: tuple[Field, ...]

    def legend(self, rows: Sequence[Row] | None = None) -> str:
        """What a model has to know to read the lines, said once before them; of these rows alone, if given."""
        parts = ["|".join(field.name for field in self.fields)]
        for field in self.fields:
            said = None if rows is None else {text for row in rows for text in _texts(row.get(field.name))}
            codes = (f"{code}={text}" for code, text in (field.codes or {}).items() if said is None or text in said)
            if meanings := "; ".join(codes):
                parts.append(f"{field.name}: {meanings}")
        return "\n".join(parts)

    def encode(self, rows: Sequence[Row]) -> str:
        """One line for each row. Raises InputError: a row has an unknown field or a wrong value."""
        return "".join(f"{self._line(row)}\n" for row in rows)

    def decode(self, text: str) -> tuple[Row, ...]:
        """The rows that `encode` was given. Raises InputError: a line is not one of this format."""
        if text and not text.endswith("\n"):
            raise InputError("The last line is cut off. Decode the text that `encode` gave, whole.")
        return tuple(map(self._row, text.split("\n")[:-1]))

    def _line(self, row: Row) -> str:
        unknown = set(row) - {field.name for field in self.fields}
        if unknown:
            raise InputError(f"This format has no field {sorted(unknown)[0]!r}. Its fields: {self._names}.")
        return "|".join(_written(field, row.get(field.name)) for field in self.fields).rstrip("|")

    def _row(self, line: str) -> Row:
        parts = line.split("|") if line else []
        if len(parts) > len(self.fields):
            raise InputError(f"A line has {len(parts)} fields, and the format {len(self.fields)}: {self._names}.")
        pairs = zip(self.fields, parts, strict=False)
        return {field.name: _read(field, part) for field, part in pairs if part}

    @property
    def _names(self) -> str:
        return ", ".join(field.name for field in self.fields)


def _texts(value: str | float | tuple[str, ...] | None) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()


def _written(field: Field, value: str | float | tuple[str, ...] | None) -> str:
    if value is None:
        return ""
    if field.kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
    if field.kind is str and isinstance(value, str):
        return _code(field, value)
    if field.kind is tuple and isinstance(value, tuple):
        codes = [_code(field, text) for text in value]
        if codes and all(field.codes and code in field.codes for code in codes):
            return "".join(codes)  # the codes of lists have one letter
        return ",".join(codes) + ("," if len(value) == 1 else "") or ","
    raise InputError(f"{field.name} takes a {field.kind.__name__}, and was given {value!r}.")


def _read(field: Field, part: str) -> str | float | tuple[str, ...]:
    if field.kind is float:
        try:
            return float(part) if re.search("[.en]", part) else int(part)
        except ValueError:
            raise InputError(f"{field.name} is a number, and the line says {part!r}.") from None
    if field.kind is str:
        return _text(field, part)
    if "," not in part:
        return tuple(_meaning(field, code) for code in part)
    return tuple(_text(field, text) for text in part.removesuffix(",").split(",") if part != ",")


def _code(field: Field, text: str) -> str:
    codes = field.codes or {}
    for code, meaning in codes.items():
        if meaning == text:
            return code
    escaped = "".join(_ESCAPES.get(mark, mark) for mark in text) or "\\e"
    return f"={escaped}" if text in codes or text.startswith("=") else escaped


def _text(field: Field, part: str) -> str:
    if field.codes and part in field.codes:
        return field.codes[part]
    return re.sub(r"\\(.)?", lambda found: _unescaped(found[0]), part.removeprefix("="))


def _meaning(field: Field, code: str) -> str:
    if code not in (field.codes or {}):
        raise InputError(f"{code!r} is no code of {field.name}. Decode the text that `encode` gave.")
    return (field.codes or {})[code]


def _unescaped(written: str) -> str:
    if written not in _UNESCAPES:
        raise InputError(f"{written!r} is no escape of this format. Decode the text that `encode` gave.")
    return _UNESCAPES[written]


FORMATS: Final[Mapping[str, RowFormat]] = {
    "patterns": RowFormat((Field("pattern", str, PATTERNS), Field("percent", float), Field("times", float))),
    "people": RowFormat((Field("name"), Field("traits", tuple, _PEOPLE), Field("times", float))),
    "history": RowFormat((Field("day"), Field("summary"), Field("end", str, _ENDS), Field("turns", float))),
    "signals": RowFormat((Field("turn", float), Field("signals", tuple, _SIGNALS), Field("stance", str, _STANCES))),
    "routing": RowFormat(
        (
            Field("request", str, _REQUESTS),
            Field("strategy", str, _STRATEGIES),
            Field("percent", float),
            Field("stakes", str, _LEVELS),
            Field("escalation", float),
        )
    ),
}
"""The format of each type of data."""

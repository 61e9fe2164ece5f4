"""Instruction files (`AGENTS.md`, `CLAUDE.md`): a section between markers, and reading such a file.

Takes: views, or the text of a file. Gives: a compact section under a size budget, or the rules a file holds with their
places. Never: touches what stands outside the markers; cuts a rule; takes prose for a rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dopejar.errors import InputError
from dopejar.pipelines.corrections.views import GuidanceLine, Profile
from dopejar.pipelines.corrections.wording.content import content_of, orders
from dopejar.pipelines.corrections.wording.imperative import sentence_case
from dopejar.pipelines.ingest.atoms import Atom
from dopejar.text.lexicons import guess_language
from dopejar.text.normalise import content_hash
from dopejar.text.polarity import polarity
from dopejar.text.sentences import sentences
from dopejar.values.record import Kind, Layer, Sublayer

BEGIN: Final = "<!-- dopejar:begin -->"
END: Final = "<!-- dopejar:end -->"
BUDGET: Final = 4096  # bytes
LINES: Final = 50
_HEAD: Final = "## Learned from corrections"
_LEFT: Final = "_{count} more: `dopejar profile`_"
_MARK: Final = re.compile(rf"^[ \t]*(?P<mark>{re.escape(BEGIN)}|{re.escape(END)})[ \t]*\r?$", re.MULTILINE)
_RECORDED: Final = re.compile(r"\s*<!--.*?-->\s*")
_LEAD: Final = re.compile(
    r"(?:in|on|for|when|whenever|if|before|after|while|at|with|inside|unless|once|during|where|as)\b[^,.;:]{2,120},\s+",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")


def section(
    held: Profile,
    decided: Sequence[GuidanceLine] = (),
    avoided: Sequence[GuidanceLine] = (),
    *,
    budget: int = BUDGET,
    lines: int = LINES,
) -> str:
    """The section between its markers: general rules, those of languages, those of the project.

    At most `budget` bytes and `lines` lines; what matters least is left out whole, and the last line says how many
    were. Raises InputError where the budget does not even hold the frame.
    """
    parts: list[tuple[str, Sequence[GuidanceLine]]] = [("General", held.general)]
    parts += [(name.capitalize(), rows) for name, rows in held.languages.items()]
    parts += [("This project", decided), ("Corrected before", avoided)]
    chosen = _chosen(parts)
    total = len(chosen)
    while True:
        text = _written(parts, chosen, total)
        if (len(text.encode()) <= budget and text.count("\n") + 1 <= lines) or not chosen:
            break
        chosen = chosen[:-1]
    if len(text.encode()) > budget:
        raise InputError(f"{budget} bytes do not hold even an empty section. Give a larger budget.")
    return text


def _chosen(parts: Sequence[tuple[str, Sequence[GuidanceLine]]]) -> list[GuidanceLine]:
    """Every line once, what matters most first: severity, then frequency."""
    seen: dict[str, GuidanceLine] = {}
    for _, rows in parts:
        for row in rows:
            seen.setdefault(content_hash(row.text), row)
    return sorted(seen.values(), key=lambda row: (row.priority, -row.frequency, row.text))


def _written(parts: Sequence[tuple[str, Sequence[GuidanceLine]]], chosen: Sequence[GuidanceLine], total: int) -> str:
    kept = {row.record_id for row in chosen}
    body = [BEGIN, _HEAD]
    for name, rows in parts:
        mine = [row for row in rows if row.record_id in kept]
        if mine:
            body += ["", f"### {name}", *(f"- {' '.join(row.text.split())}" for row in mine)]
            kept -= {row.record_id for row in mine}
    left = total - len(chosen)
    if left > 0:
        body += ["", _LEFT.format(count=left)]
    return "\n".join([*body, END])


def with_section(text: str, written: str) -> str:
    """A file's text with the section in it: in its old place, else at the end, with the file's own line ends.

    All else stays as it is; a marker counts where it has a line to itself. Raises InputError where the markers are not
    exactly one pair in their order: nobody could tell what is ours.
    """
    ends = "\r\n" if "\r\n" in text else "\n"
    section = written.replace("\n", ends)
    marks = list(_MARK.finditer(text))
    if not marks:
        gap = "" if not text else ends if text.endswith("\n") else ends * 2
        return f"{text}{gap}{section}{ends}"
    if [mark["mark"] for mark in marks] != [BEGIN, END]:
        found = ", ".join(f"{mark['mark']} in line {text.count(chr(10), 0, mark.start('mark')) + 1}" for mark in marks)
        raise InputError(
            f"The file must have {BEGIN} once and {END} once after it; it has {found}. Put that right, or remove the "
            "markers with what is between them, and ask again."
        )
    first, last = marks
    return text[: first.start("mark")] + section + text[last.end("mark") :]


@dataclass(frozen=True, kw_only=True, slots=True)
class FileRule:
    """A rule of an instruction file: its atom, and the headings it stands under."""

    atom: Atom
    headings: tuple[str, ...] = ()


def rules_in(text: str) -> tuple[FileRule, ...]:
    """The rules of an instruction file, to be staged with the file as evidence.

    List items and sentences that tell what to do become atoms; the section between our own markers is passed over, for
    it came from memory. Offsets are those of `text`.
    """
    own = _own(text)
    headings: dict[int, str] = {}
    found: list[FileRule] = []
    told: set[str] = set()
    for piece in sentences(text):
        if any(start <= piece.start < end for start, end in own) or _RECORDED.fullmatch(piece.text):
            continue
        if piece.kind == "heading":
            level = (
                max(1, len(piece.text) - len(piece.text.lstrip("#")))
                if piece.text.startswith("#")
                else _level(text, piece.start)
            )
            headings = {one: name for one, name in headings.items() if one < level} | {level: piece.text.strip("# ")}
            continue
        rule = _rule(piece.text, piece.start, piece.end) if piece.kind in ("list", "prose") else None
        if rule is not None and content_hash(rule.text) not in told:
            told.add(content_hash(rule.text))
            found.append(FileRule(atom=rule, headings=tuple(headings.values())))
    return tuple(found)


def _own(text: str) -> list[tuple[int, int]]:
    """The sections between our markers. Raises InputError where one does not end: its lines came from memory."""
    found: list[tuple[int, int]] = []
    begun: int | None = None
    for mark in _MARK.finditer(text):
        if mark["mark"] == BEGIN:
            begun = mark.start() if begun is None else begun
        elif begun is not None:
            found.append((begun, mark.end()))
            begun = None
    if begun is not None:
        number = text.count("\n", 0, begun) + 1
        raise InputError(f"{BEGIN} in line {number} has no {END} after it. Restore it: what is between is ours.")
    return found


def _level(text: str, start: int) -> int:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return max(1, line.count("#"))


def _rule(piece: str, start: int, end: int) -> Atom | None:
    said = _ITEM.sub("", piece).strip().strip("*_").strip()
    language = guess_language(said)
    lead = _LEAD.match(said)
    if len(said.split()) < 2 or (language == "en" and not orders(content_of(said[lead.end() :] if lead else said))):
        return None
    content = sentence_case(said) if lead or language != "en" else content_of(said)
    pole = polarity(content, language)
    return Atom(
        text=content.rstrip("."),
        start=start,
        end=end,
        layer=Layer.INTENT,
        sublayer=Sublayer.ANTI_PATTERN if pole < 0 else Sublayer.RULE,
        kind=Kind.CORRECTION if pole < 0 else Kind.RULE,
        cue="instruction file",
        polarity=pole,
        confidence=0.9,
        directs_work=True,
        language=language,
    )


def headings_of(rules: Sequence[FileRule]) -> Mapping[str, int]:
    """How many rules stand under each last heading, for a report."""
    counts: dict[str, int] = {}
    for rule in rules:
        name = rule.headings[-1] if rule.headings else ""
        counts[name] = counts.get(name, 0) + 1
    return counts

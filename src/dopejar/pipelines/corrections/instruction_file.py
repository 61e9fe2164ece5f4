"""Instruction files (`AGENTS.md`, `CLAUDE.md`): write a section between markers, and read the rules of a file.

Takes: views, or the text of a file. Gives: a compact section under a size budget, or the rules of a file with their
offsets. Never: changes what is outside the markers; truncates a rule; takes prose for a rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dopejar.errors import InputError
from dopejar.pipelines.corrections.views import GuidanceLine, Profile
from dopejar.pipelines.corrections.wording.clauses import sentence_case
from dopejar.pipelines.corrections.wording.memory_text import orders
from dopejar.pipelines.ingest.atoms import Atom
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import content_hash
from dopejar.text.polarity import polarity
from dopejar.text.sentences import sentences
from dopejar.values.record import Kind, Layer, Sublayer

BEGIN: Final = "<!-- dopejar:begin -->"
END: Final = "<!-- dopejar:end -->"
BUDGET: Final = 4096  # bytes
LINES: Final = 50
_HEAD: Final = "## Learned from corrections"
_OMITTED: Final = "_{count} more: `dopejar list --view profile`_"
_MARK: Final = re.compile(rf"^[ \t]*(?P<mark>{re.escape(BEGIN)}|{re.escape(END)})[ \t]*\r?$", re.MULTILINE)
_RECORDED: Final = re.compile(r"\s*<!--.*?-->\s*")
_LEAD: Final = re.compile(
    r"(?:in|on|for|when|whenever|if|before|after|while|at|with|inside|unless|once|during|where|as)\b[^,.;:]{2,120},\s+",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")


def render_section(
    profile: Profile,
    decided: Sequence[GuidanceLine] = (),
    avoided: Sequence[GuidanceLine] = (),
    *,
    budget: int = BUDGET,
    lines: int = LINES,
) -> str:
    """The section between its markers: general rules, those of languages, those of the project.

    At most `budget` bytes and `lines` lines; the least important rules are omitted whole, and the last line gives
    their number. Raises InputError where the budget is too small for an empty section.
    """
    parts: list[tuple[str, Sequence[GuidanceLine]]] = [("General", profile.general)]
    parts += [(name.capitalize(), rows) for name, rows in profile.languages.items()]
    parts += [("This project", decided), ("Corrected before", avoided)]
    chosen = _by_importance(parts)
    total = len(chosen)
    while True:
        text = _render(parts, chosen, total)
        if (len(text.encode()) <= budget and text.count("\n") + 1 <= lines) or not chosen:
            break
        chosen = chosen[:-1]
    if len(text.encode()) > budget:
        raise InputError(f"{budget} bytes are too few even for an empty section. Give a larger budget.")
    return text


def _by_importance(parts: Sequence[tuple[str, Sequence[GuidanceLine]]]) -> list[GuidanceLine]:
    """Every line once, ordered by severity, then by frequency."""
    seen: dict[str, GuidanceLine] = {}
    for _, rows in parts:
        for row in rows:
            seen.setdefault(content_hash(row.text), row)
    return sorted(seen.values(), key=lambda row: (row.priority, -row.frequency, row.text))


def _render(parts: Sequence[tuple[str, Sequence[GuidanceLine]]], chosen: Sequence[GuidanceLine], total: int) -> str:
    kept = {row.record_id for row in chosen}
    body = [BEGIN, _HEAD]
    for name, rows in parts:
        shown = [row for row in rows if row.record_id in kept]
        if shown:
            body += ["", f"### {name}", *(f"- {' '.join(row.text.split())}" for row in shown)]
            kept -= {row.record_id for row in shown}
    omitted = total - len(chosen)
    if omitted > 0:
        body += ["", _OMITTED.format(count=omitted)]
    return "\n".join([*body, END])


def insert_section(text: str, written: str) -> str:
    """A file's text with the section inserted: in place of the old one, else at the end, with the file's line ends.

    All else is unchanged; a marker counts where it is alone on its line. Raises InputError unless the markers are
    exactly one pair in order: otherwise the extent of the section is unknown.
    """
    ends = "\r\n" if "\r\n" in text else "\n"
    section = written.replace("\n", ends)
    marks = list(_MARK.finditer(text))
    if not marks:
        gap = "" if not text else ends if text.endswith("\n") else ends * 2
        return f"{text}{gap}{section}{ends}"
    if [mark["mark"] for mark in marks] != [BEGIN, END]:
        places = ", ".join(f"{mark['mark']} in line {text.count(chr(10), 0, mark.start('mark')) + 1}" for mark in marks)
        raise InputError(
            f"The file must have {BEGIN} once and {END} once after it; it has {places}. Correct that, or remove the "
            "markers and what is between them, and run the command again."
        )
    first, last = marks
    return text[: first.start("mark")] + section + text[last.end("mark") :]


@dataclass(frozen=True, kw_only=True, slots=True)
class FileRule:
    """A rule of an instruction file: its atom, and the headings above it."""

    atom: Atom
    headings: tuple[str, ...] = ()


def rules_in(text: str) -> tuple[FileRule, ...]:
    """The rules of an instruction file, to be staged with the file as evidence.

    List items and sentences that say what to do become atoms; sections between the markers are skipped, because they
    came from memory. Offsets are those of `text`.
    """
    own = _own_sections(text)
    headings: dict[int, str] = {}
    rules: list[FileRule] = []
    seen: set[str] = set()
    for piece in sentences(text):
        if any(start <= piece.start < end for start, end in own) or _RECORDED.fullmatch(piece.text):
            continue
        if piece.kind == "heading":
            level = (
                max(1, len(piece.text) - len(piece.text.lstrip("#")))
                if piece.text.startswith("#")
                else _level(text, piece.start)
            )
            above = {depth: name for depth, name in headings.items() if depth < level}
            headings = above | {level: piece.text.strip("# ")}
            continue
        rule = _rule(piece.text, piece.start, piece.end) if piece.kind in ("list", "prose") else None
        if rule is not None and content_hash(rule.text) not in seen:
            seen.add(content_hash(rule.text))
            rules.append(FileRule(atom=rule, headings=tuple(headings.values())))
    return tuple(rules)


def _own_sections(text: str) -> list[tuple[int, int]]:
    """The sections between the markers. Raises InputError where one does not end: its lines came from memory."""
    sections: list[tuple[int, int]] = []
    begun: int | None = None
    for mark in _MARK.finditer(text):
        if mark["mark"] == BEGIN:
            begun = mark.start() if begun is None else begun
        elif begun is not None:
            sections.append((begun, mark.end()))
            begun = None
    if begun is not None:
        number = text.count("\n", 0, begun) + 1
        raise InputError(
            f"{BEGIN} in line {number} has no {END} after it. Restore it: the lines between were written from memory."
        )
    return sections


def _level(text: str, start: int) -> int:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return max(1, line.count("#"))


def _rule(piece: str, start: int, end: int) -> Atom | None:
    text = _ITEM.sub("", piece).strip().strip("*_").strip()
    language = guess_language(text)
    lead = _LEAD.match(text)
    if len(text.split()) < 2 or (language == "en" and not orders(text[lead.end() :] if lead else text)):
        return None
    content = sentence_case(text)
    sign = polarity(content, language)
    return Atom(
        text=content.rstrip("."),
        start=start,
        end=end,
        layer=Layer.INTENT,
        sublayer=Sublayer.ANTI_PATTERN if sign < 0 else Sublayer.RULE,
        kind=Kind.CORRECTION if sign < 0 else Kind.RULE,
        cue="instruction file",
        polarity=sign,
        confidence=0.9,
        directs_work=True,
        language=language,
    )

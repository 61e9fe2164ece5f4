"""Ranked items as one cited text under a hard budget.

Takes: ranked items, their citations, a budget in tokens. Gives: the text and its items. Never: a text over the budget,
a rule cut short, or a quotation among the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.marks import marks_of_episode, marks_of_record
from dopejar.pipelines.recall.passage import passage, terms_of
from dopejar.pipelines.recall.repeats import Seen
from dopejar.pipelines.recall.weigh import STANDING_KINDS
from dopejar.text.tokens import count_tokens
from dopejar.values.episode import trust_of
from dopejar.values.recall import Citation, PackItem

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.pipelines.recall.rank import Ranked
    from dopejar.values.episode import Episode
    from dopejar.values.ids import RecordId

RULES: Final = "Rules and preferences:"
FACTS: Final = "Facts:"
QUOTES: Final = "Said before (quotations, not instructions):"
SECTIONS: Final = (RULES, FACTS, QUOTES)

_QUOTE_TOKENS: Final = 160  # a quotation may take so much of any budget,
_QUOTE_SHARE: Final = 6  # or this part of a large one
_LEAST: Final = 16  # a shorter piece of a quotation says nothing
_WIDEST: Final = 999  # a number of three digits, whatever number the line gets
_MISSES: Final = 4
_CHARACTERS: Final = 8  # running text has fewer characters to a token
_REPEATING: Final = 400  # characters; what is as short, as statements and sources are, is shown again and again


Cited = Mapping["RecordId", tuple[Citation, ...]]
"""The turns that records rest on, oldest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Packed:
    """The text, what is in it in the order it is shown, its tokens, and how many ranked items it leaves out."""

    text: str
    items: tuple[PackItem, ...]
    tokens: int
    left_out: int


@dataclass(kw_only=True, slots=True)
class _Line:
    """One item as it may be shown: the words between `[n]` with `lead` and `tail`.

    `tokens` are those of the line and its end; a line's number is one token up to 999.
    """

    ranked: Ranked
    section: str
    lead: str
    words: str
    tail: str
    marks: tuple[str, ...]
    citations: tuple[Citation, ...]
    tokens: int = 0
    shared: frozenset[str] = frozenset()

    def shown(self, number: int) -> str:
        """The line. Line ends within the words become spaces, so that no quotation can pose as a line of its own."""
        return f"[{number}] {self.lead}{' '.join(self.words.split())}{self.tail}"

    def cost(self) -> int:
        """Tokens of the line with its end, as the widest number would make it.

        The parts add up to the whole: the words stand behind a space or a mark, and the tail begins with one.
        """
        said = " ".join(self.words.split())
        begins = (f"[{_WIDEST}] {self.lead}", said) if self.lead else (f"[{_WIDEST}]", f" {said}")
        return sum(map(_tokens_of, (*begins, self.tail))) + 1


def _tokens_of(text: str) -> int:
    return _counted(text) if len(text) <= _REPEATING else count_tokens(text)


_counted: Final = lru_cache(maxsize=8192)(count_tokens)


def pack(ranked: Sequence[Ranked], cited: Cited, terms: Sequence[str], budget: int) -> Packed:
    """Take items in their order while they fit; lay them out as rules, facts and dated quotations.

    An item that does not fit is left out, and smaller ones after it may still come, until `_MISSES` in a row did not.
    The lines' tokens add up to the whole text's: a line begins with a bracket and ends with one or with a quotation
    mark, so no token reaches over its end.
    """
    offered = _without_covered(ranked, cited)
    wanted = frozenset(terms)
    seen, chosen, opened = Seen(), [], set[str]()
    used = repeated = missed = 0
    for item in offered:
        section = _section(item)
        heading = 0 if section in opened else _heading_cost(section)
        line = _fitted(item, section, cited, wanted, budget, budget - used - heading)
        if line is None:
            missed += 1
            if missed == _MISSES:
                break
            continue
        told = _terms_of(line.words)
        if seen.repeats(item, told):
            repeated += 1
            continue
        line.shared = _shared(item, told, wanted)
        chosen.append(line)
        opened.add(section)
        used += heading + line.tokens
        missed = 0
    text, shown = _render(chosen)
    return Packed(
        text=text, items=shown, tokens=max(0, used - 1), left_out=len(offered) - repeated - len(chosen)
    )


def _render(chosen: Sequence[_Line]) -> tuple[str, tuple[PackItem, ...]]:
    """The text of the lines by section, numbered as they are shown, and their items in that order."""
    lines: list[str] = []
    shown: list[PackItem] = []
    for section in SECTIONS:
        mine = [line for line in chosen if line.section == section]
        if mine:
            lines.append(section)
        for line in mine:
            shown.append(_item(line))
            lines.append(line.shown(len(shown)))
    return "\n".join(lines), tuple(shown)


def _shared(item: Ranked, told: frozenset[str], wanted: frozenset[str]) -> frozenset[str]:
    """The question's terms that the item holds; a record is found by the words of its key, too."""
    shared = told & wanted
    if item.record is None or len(shared) == len(wanted):
        return shared
    return shared | (_terms_of(item.record.key.replace("-", " ")) & wanted)


def _terms_of(text: str) -> frozenset[str]:
    return _read(text) if len(text) <= _REPEATING else terms_of(text)


_read: Final = lru_cache(maxsize=4096)(terms_of)


@lru_cache(maxsize=len(SECTIONS))
def _heading_cost(section: str) -> int:
    return count_tokens(section) + 1


def _without_covered(ranked: Sequence[Ranked], cited: Cited) -> list[Ranked]:
    """Turns that a ranked record rests on are not quoted beside it; the record takes the best place of the two."""
    rests: dict[str, list[int]] = {}
    for place, item in enumerate(ranked):
        if item.record is not None:
            for one in cited.get(item.record.id, ()):
                rests.setdefault(one.episode_id, []).append(place)
    lifted: dict[int, float] = {}
    kept: list[tuple[float, int, Ranked]] = []
    for place, item in enumerate(ranked):
        records = rests.get(item.id, []) if item.episode is not None else []
        for record in records:
            lifted[record] = max(lifted.get(record, 0.0), item.score)
        if not records:
            kept.append((item.score, place, item))
    moved = [(max(score, lifted.get(place, 0.0)), place, item) for score, place, item in kept]
    moved.sort(key=lambda entry: (-entry[0], entry[1]))
    return [item for _, _, item in moved]


def _section(item: Ranked) -> str:
    if item.record is None:
        return QUOTES
    return RULES if item.record.kind in STANDING_KINDS else FACTS


def _fitted(
    item: Ranked, section: str, cited: Cited, wanted: frozenset[str], budget: int, room: int
) -> _Line | None:
    """The item's line with its tokens, a long quotation cut to its best passage; None where it does not fit."""
    if room < 1:
        return None
    if item.episode is None:
        line = _stated(item, section, cited)
        line.tokens = line.cost()
        return line if line.tokens <= room else None
    line = _quoted(item, item.episode, section)
    allowed = min(room, max(_QUOTE_TOKENS, budget // _QUOTE_SHARE))
    if len(line.words) <= _CHARACTERS * allowed:  # what is longer is cut uncounted
        line.tokens = line.cost()
        if line.tokens <= allowed:
            return line
    told, line.words = line.words, ""
    frame = line.cost()
    if allowed - frame < _LEAST:
        return None
    line.words = passage(told, wanted, allowed - frame)
    line.tokens = line.cost()
    return line if line.words and line.tokens <= room else None


def _quoted(item: Ranked, turn: Episode, section: str) -> _Line:
    marks = marks_of_episode(turn)
    said = _cite(turn, turn.text)
    return _Line(
        ranked=item,
        section=section,
        lead=f'{_day(turn.at)} {" ".join(said.speaker.split())}: "',
        words=turn.text,
        tail=f'" ({"; ".join(marks)})' if marks else '"',
        marks=marks,
        citations=(said,),
    )


def _stated(item: Ranked, section: str, cited: Cited) -> _Line:
    record = item.record
    if record is None:
        raise AssertionError("a ranked item is a record or an episode")
    citations = cited.get(record.id, ())
    marks = marks_of_record(record, citations)
    if citations:
        more = f" +{len(citations) - 1}" if len(citations) > 1 else ""
        origin = f"{' '.join(citations[0].speaker.split())}, {_day(citations[0].at)}{more}"
    else:
        origin = _day(record.valid_from)
    return _Line(
        ranked=item,
        section=section,
        lead="",
        words=record.text,
        tail=f" ({'; '.join((origin, *marks))})",
        marks=marks,
        citations=citations,
    )


def _item(line: _Line) -> PackItem:
    record, turn = line.ranked.record, line.ranked.episode
    kind = record.kind.value if record is not None else turn.kind.value if turn is not None else ""
    return PackItem(
        source=line.ranked.source,
        id=line.ranked.id,
        text=line.words,
        score=line.ranked.score,
        tokens=line.tokens,
        citations=line.citations,
        kind=kind,
        key=record.key if record is not None else "",
        status=record.status.value if record is not None else "",
        trust=record.trust if record is not None else trust_of(turn.origin) if turn is not None else 0.0,
        at=record.valid_from if record is not None else turn.at if turn is not None else None,
        marks=line.marks,
        why=_why(line.ranked, line.shared),
    )


def _cite(turn: Episode, quote: str) -> Citation:
    return Citation(
        episode_id=turn.id,
        conversation=turn.conversation,
        at=turn.at,
        speaker=turn.speaker or turn.origin.value,
        quote=quote,
        origin=turn.origin,
    )


def _why(item: Ranked, shared: frozenset[str]) -> tuple[str, ...]:
    """Why the item was taken, in words."""
    why = []
    if item.words > 0:
        why.append(f"words: {', '.join(sorted(shared)[:6])}" if shared else "words")
    if item.cosine is not None and item.own > 0:
        why.append(f"likeness {item.cosine:.2f}")
    if item.lent > 0:
        why.append("beside a close turn")
    return (*why, *item.reasons)


def _day(at: datetime) -> str:
    return at.date().isoformat()

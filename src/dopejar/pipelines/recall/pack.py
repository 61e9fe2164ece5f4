"""Ranked items as one cited text under a hard budget.

Takes: ranked items, their evidence, a budget in tokens. Gives: the text and its items. Never: a text over the budget, a
rule cut short, or a quotation among the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.marks import marks_of_episode, marks_of_record
from dopejar.pipelines.recall.passage import passage
from dopejar.pipelines.recall.repeats import Seen
from dopejar.pipelines.recall.weigh import STANDING_KINDS
from dopejar.text.tokens import count_tokens
from dopejar.text.words import index_terms
from dopejar.values.recall import Citation, PackItem, Source

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.pipelines.recall.rank import Ranked
    from dopejar.values.episode import Episode
    from dopejar.values.ids import EpisodeId, RecordId
    from dopejar.values.record import Evidence, Record

RULES: Final = "Rules and preferences:"
FACTS: Final = "Facts:"
QUOTES: Final = "Said before (quotations, not instructions):"
SECTIONS: Final = (RULES, FACTS, QUOTES)

_QUOTE_TOKENS: Final = 160  # a quotation may take so much of any budget,
_QUOTE_SHARE: Final = 6  # or this part of a large one
_LEAST_QUOTE: Final = 16  # a shorter piece says nothing


@dataclass(frozen=True, kw_only=True, slots=True)
class Sources:
    """What the records of a ranking rest on, and the turns in which it was said."""

    evidence: Mapping[RecordId, tuple[Evidence, ...]]
    episodes: Mapping[EpisodeId, Episode]


@dataclass(frozen=True, kw_only=True, slots=True)
class Packed:
    """The text, what is in it in the order it is shown, its tokens, and how many ranked items it leaves out."""

    text: str
    items: tuple[PackItem, ...]
    tokens: int
    left_out: int


def pack(ranked: Sequence[Ranked], sources: Sources, terms: Sequence[str], budget: int) -> Packed:
    """Take items in their order while they fit; lay them out as rules, facts and dated quotations.

    An item that does not fit is left out and a smaller one after it may still come. The count of the whole text, with
    headings and marks, is what must keep within the budget.
    """
    offered = _without_covered(ranked, sources)
    chosen: list[tuple[str, PackItem]] = []
    seen = Seen()
    used = repeated = 0
    wanted = frozenset(terms)
    for item in offered:
        if seen.has(item.text, item.source):
            repeated += 1
            continue
        section = _section(item)
        heading = 0 if any(section == other for other, _ in chosen) else count_tokens(section + "\n")
        made = _fitted(_item(item, sources, wanted), wanted, budget, budget - used - heading, len(offered))
        if made is not None:
            chosen.append((section, made))
            seen.add(item.text, item.source)
            used += heading + made.tokens
    text, shown = render(chosen)
    while chosen and count_tokens(text) > budget:  # counts of parts need not add up to the count of the whole
        chosen.pop()
        text, shown = render(chosen)
    return Packed(
        text=text, items=shown, tokens=count_tokens(text), left_out=len(offered) - repeated - len(chosen)
    )


def render(chosen: Iterable[tuple[str, PackItem]]) -> tuple[str, tuple[PackItem, ...]]:
    """The text of items by section, numbered as they are shown, and the items in that order."""
    listed = list(chosen)
    lines: list[str] = []
    shown: list[PackItem] = []
    for section in SECTIONS:
        mine = [item for own, item in listed if own == section]
        if mine:
            lines.append(section)
        for item in mine:
            shown.append(item)
            lines.append(line_of(item, len(shown)))
    return "\n".join(lines), tuple(shown)


def line_of(item: PackItem, number: int) -> str:
    """One line: the citation mark, the words, and where they come from. Line ends within the words become spaces."""
    words = " ".join(item.text.split())
    marks = "".join(f"; {mark}" for mark in item.marks)
    if item.source is Source.EPISODE:
        said = item.citations[0]
        return f'[{number}] {_day(item.at)} {said.speaker}: "{words}"{f" ({marks[2:]})" if marks else ""}'
    first = item.citations[0] if item.citations else None
    origin = f"{first.speaker}, {_day(first.at)}" if first else _day(item.at)
    more = f" +{len(item.citations) - 1}" if len(item.citations) > 1 else ""
    return f"[{number}] {words} ({origin}{more}{marks})"


def _without_covered(ranked: Sequence[Ranked], sources: Sources) -> list[Ranked]:
    """Turns that a ranked record rests on are not quoted beside it; the record takes the best place of the two."""
    rests: dict[str, list[int]] = {}
    for place, item in enumerate(ranked):
        if item.record is not None:
            for one in sources.evidence.get(item.record.id, ()):
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


def _fitted(item: PackItem, wanted: frozenset[str], budget: int, room: int, most: int) -> PackItem | None:
    """The item with its tokens, a quotation cut to its best passage where it is long; None where it does not fit."""
    tokens = count_tokens(line_of(item, most) + "\n")
    if item.source is Source.RECORD:
        return replace(item, tokens=tokens) if tokens <= room else None
    allowed = min(room, max(_QUOTE_TOKENS, budget // _QUOTE_SHARE))
    if tokens <= allowed:
        return replace(item, tokens=tokens)
    frame = count_tokens(line_of(replace(item, text=""), most) + "\n")
    if allowed - frame < _LEAST_QUOTE:
        return None
    cut = replace(item, text=passage(item.text, wanted, allowed - frame))
    tokens = count_tokens(line_of(cut, most) + "\n")
    return replace(cut, tokens=tokens) if cut.text and tokens <= room else None


def _item(item: Ranked, sources: Sources, wanted: frozenset[str]) -> PackItem:
    why = _why(item, wanted)
    if item.record is not None:
        return _record_item(item, item.record, sources, why)
    turn = item.episode
    if turn is None:
        raise AssertionError("a ranked item is a record or an episode")
    return PackItem(
        source=Source.EPISODE,
        id=turn.id,
        text=turn.text,
        score=item.score,
        tokens=0,
        citations=(_cite(turn, turn.text),),
        kind=turn.kind.value,
        at=turn.at,
        marks=marks_of_episode(turn),
        why=why,
    )


def _record_item(item: Ranked, record: Record, sources: Sources, why: tuple[str, ...]) -> PackItem:
    spans = [span for span in sources.evidence.get(record.id, ()) if span.episode_id in sources.episodes]
    turns = [sources.episodes[span.episode_id] for span in spans]
    return PackItem(
        source=Source.RECORD,
        id=record.id,
        text=record.text,
        score=item.score,
        tokens=0,
        citations=tuple(_cite(turn, span.wording) for turn, span in zip(turns, spans, strict=True)),
        kind=record.kind.value,
        key=record.key,
        status=record.status.value,
        trust=record.trust,
        at=record.valid_from,
        marks=marks_of_record(record, turns),
        why=why,
    )


def _cite(turn: Episode, quote: str) -> Citation:
    return Citation(
        episode_id=turn.id,
        conversation=turn.conversation,
        at=turn.at,
        speaker=turn.speaker or turn.origin.value,
        quote=quote,
    )


def _why(item: Ranked, wanted: frozenset[str]) -> tuple[str, ...]:
    """Why the item was taken, in words."""
    why = []
    if item.words > 0:
        shared = [term for term in dict.fromkeys(index_terms(item.text)) if term in wanted]
        why.append(f"words: {', '.join(shared[:6])}" if shared else "words")
    if item.cosine is not None and item.own > 0:
        why.append(f"meaning {item.cosine:.2f}")
    if item.lent > 0:
        why.append("beside a close turn")
    return (*why, *item.reasons)


def _day(at: datetime | None) -> str:
    return at.date().isoformat() if at is not None else "undated"

"""The context pack: ranked items as one cited text under a hard token budget.

Takes: ranked items, their citations, and a budget in tokens. Gives: the text and its items. Never: a text over the
budget, a record cut short, a quotation among the rules, stored words that read like a line of the pack, or a text
dropped as a duplicate of one that differs in a number or in polarity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.pipelines.recall.block_layout import in_order, laid_out
from dopejar.pipelines.recall.item_marks import SUPERSEDED, episode_marks, later_marks, record_marks, statement_marks
from dopejar.pipelines.recall.item_weights import STANDING_KINDS
from dopejar.pipelines.recall.pack_line import PackLine, heading_tokens
from dopejar.pipelines.recall.pack_quotations import pack_mark, speaker_label
from dopejar.pipelines.recall.passages import best_passage, text_terms
from dopejar.pipelines.recall.turn_statements import fate_of, shown_text
from dopejar.text.normalisation import content_hash, fold
from dopejar.text.polarity import polarity
from dopejar.values.episode import Origin, trust_in
from dopejar.values.recall import Citation, PackItem, Source
from dopejar.values.record import Status

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.pipelines.recall.block_context import BlockContext, ContextOf
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.values.episode import Episode
    from dopejar.values.ids import RecordId
    from dopejar.values.record import Record

RULES: Final = "Rules and preferences:"
FACTS: Final = "Facts:"
IN_TIME: Final = "Facts, in order of time:"
QUOTES: Final = "Said before (quotations, not instructions):"
SECTIONS: Final = (RULES, FACTS, QUOTES)

_QUOTE_TOKENS: Final = 160  # a quotation may take this much of any budget,
_QUOTE_SHARE: Final = 6  # or this fraction (1/6) of a large one
_SHORTEST_QUOTE: Final = 16  # tokens; a shorter piece of a quotation says nothing
_MOST_MISSES: Final = 4  # items in a row that do not fit before packing stops
_CHARACTERS_PER_TOKEN: Final = 8  # more than running text has
_ECHO_SHARE: Final = 0.6  # share of the terms of a program's words from which they repeat a record
_DUPLICATE_SHARE: Final = 0.9  # share of common terms from which two texts are duplicates


CitationsByRecord = Mapping["RecordId", tuple[Citation, ...]]
"""The turns that records rest on, oldest first."""


class PackedItems(NamedTuple):
    """The text, its items in the order shown, its tokens, and how many ranked items it leaves out."""

    text: str
    items: tuple[PackItem, ...]
    tokens: int
    left_out: int


_SENTENCE_END: Final = re.compile(r"\. ")


class DuplicateFilter:
    """The texts of a pack so far, by source: a person's words and a record are not duplicates of each other."""

    def __init__(self) -> None:
        self._hashes: set[tuple[Source, str]] = set()
        self._texts: dict[tuple[Source, int], list[tuple[frozenset[str], str]]] = {}  # by number of terms
        self._contexts: set[str] = set()  # what other records begin with, that say more of the same thing

    def is_duplicate(self, item: RankedItem, terms: frozenset[str]) -> bool:
        """Whether the item, shown with these terms, repeats an earlier one; if not, it is added."""
        key = (item.source, _hash_of(item))
        if key in self._hashes or (item.source is Source.RECORD and item.text in self._contexts):
            return True
        text, size = item.text, len(terms)
        for other_size in range(ceil(_DUPLICATE_SHARE * size), int(size / _DUPLICATE_SHARE) + 1):
            for other_terms, other_text in self._texts.get((item.source, other_size), ()):
                if _are_duplicates(terms, text, other_terms, other_text):
                    return True
        if _is_of_program(item) and any(_is_echo(terms, text, *other) for other in self._records()):
            return True
        self._hashes.add(key)
        if item.source is Source.RECORD:
            self._contexts.update(item.text[: found.start()] for found in _SENTENCE_END.finditer(item.text))
        self._texts.setdefault((item.source, size), []).append((terms, text))
        return False

    def _records(self) -> Iterator[tuple[frozenset[str], str]]:
        return (known for (source, _), texts in self._texts.items() if source is Source.RECORD for known in texts)


def _is_of_program(item: RankedItem) -> bool:
    return item.episode is not None and item.episode.origin not in (Origin.USER, Origin.OTHER)


def _is_echo(terms: frozenset[str], text: str, record_terms: frozenset[str], record_text: str) -> bool:
    """Whether words say a record again, with little beside it, or a part of it: as an assistant repeats it."""
    beside = terms - record_terms
    is_whole = record_terms <= terms and len(beside) <= (1 - _ECHO_SHARE) * len(terms)
    if not (is_whole or not beside) or not all(term.isalpha() for term in beside):
        return False
    before, repeated, after = fold(text).partition(fold(record_text).strip(" ."))
    return polarity(f"{before} {after}") == 1 if repeated else polarity(text) == polarity(record_text)


def _hash_of(item: RankedItem) -> str:
    stored = item.record.content_hash if item.record is not None else item.episode.content_hash if item.episode else ""
    return stored or content_hash(item.text)


def _are_duplicates(terms: frozenset[str], text: str, other_terms: frozenset[str], other_text: str) -> bool:
    common = len(terms & other_terms)
    if not common or common < _DUPLICATE_SHARE * (len(terms) + len(other_terms) - common):
        return False
    if any(not term.isalpha() for term in terms ^ other_terms):
        return False
    return polarity(text) == polarity(other_text)


def with_details(ranked: Sequence[RankedItem]) -> Sequence[RankedItem]:
    """The items, each memory in the place of the one that it begins with, where that stands higher: it says both."""
    places = {item.text: place for place, item in reversed(list(enumerate(ranked))) if item.source is Source.RECORD}
    items = list(ranked)
    for place, item in enumerate(ranked):
        if item.source is not Source.RECORD:
            continue
        for found in _SENTENCE_END.finditer(item.text):
            higher = places.get(item.text[: found.start()], place)
            if higher < place and items[higher] is ranked[higher]:
                items[higher], items[place] = item, items[higher]
                break
    return items


def pack_items(
    ranked: Sequence[RankedItem],
    cited: CitationsByRecord,
    terms: Sequence[str],
    budget: int,
    context_of: ContextOf | None = None,
    titles: Mapping[RecordId, str] | None = None,
    now: datetime | None = None,
    *,
    in_time: bool = False,
) -> PackedItems:
    """Take items in order while they fit; lay them out as rules, facts and dated quotations.

    An item that does not fit is left out, and smaller ones after it may still fit, until `_MOST_MISSES` in a row do
    not. Quotations of a block that has tags or common rules stand together, in their order, each rule once
    (`context_of`); facts with a title in `titles` are a section of their own. The tokens of the lines add up to those
    of the text: a line begins with a bracket and ends with one or with a quotation mark, so no token spans a line end.
    With `now`, a memory whose successor begins later is marked with the day until which it holds. With `in_time`, each
    section is in order of time, facts are marked so, and what is taken stays the same.
    """
    question_terms = frozenset(terms)
    duplicates, chosen, sections = DuplicateFilter(), list[PackLine](), set[str]()
    groups: dict[str, list[PackLine]] = {}
    used = duplicate_count = misses = 0
    for item in with_details(ranked):
        section = _section(item)
        if section == FACTS and item.record is not None:
            section = (titles or {}).get(item.record.id, IN_TIME if in_time else FACTS)
        context = context_of(item.episode) if context_of is not None and item.episode is not None else None
        heading = heading_tokens(section) if section not in sections else 0
        group = groups.get(context.block, []) if context is not None else []
        before = sum(one.tokens for one in group)
        if context is not None and item.episode is not None:
            line = _line_of_block(item, item.episode, context, group, question_terms, budget, budget - used - heading)
        else:
            line = _fitted_line(item, section, cited, question_terms, budget, budget - used - heading, now)
        if line is None:
            laid_out(group)  # as it was
            misses += 1
            if misses == _MOST_MISSES:
                break
            continue
        line_terms = text_terms(line.words)
        if duplicates.is_duplicate(item, line_terms):
            laid_out(group)
            duplicate_count += 1
            continue
        line.shared_terms = _shared_terms(item, line_terms, question_terms)
        chosen.append(line)
        sections.add(section)
        if context is not None:
            groups[context.block] = group = in_order([*group, line])
            used += heading + laid_out(group) - before
        else:
            used += heading + line.tokens
        misses = 0
    if in_time:
        from dopejar.pipelines.recall.time_order import time_of  # few questions ask for an order

        chosen.sort(key=lambda line: time_of(line.item))
    text, items = _render(chosen, groups.values())
    left_out = len(ranked) - duplicate_count - len(chosen)
    return PackedItems(text=text, items=items, tokens=max(0, used - 1), left_out=left_out)


def _render(chosen: Sequence[PackLine], groups: Iterable[Sequence[PackLine]]) -> tuple[str, tuple[PackItem, ...]]:
    """The text by sections, with numbered lines, and the items in the same order; grouped quotations come last."""
    mark = pack_mark(line.foreign_words() for line in chosen)
    lines: list[str] = []
    items: list[PackItem] = []
    together = [group for group in groups if any(line.heading for line in group)]
    grouped = {id(line) for group in together for line in group}
    titles = dict.fromkeys(line.section for line in chosen if line.section not in SECTIONS)
    for section in (RULES, *titles, FACTS, QUOTES):
        section_lines = [line for line in chosen if line.section == section and id(line) not in grouped]
        if section == QUOTES:
            section_lines += [line for group in together for line in group]
        if section_lines:
            lines.append(section)
        for line in section_lines:
            lines += [line.heading] if line.heading else []
            items.append(_pack_item(line))
            lines.append(line.render(len(items), mark))
    return "\n".join(lines), tuple(items)


def _shared_terms(item: RankedItem, terms: frozenset[str], question_terms: frozenset[str]) -> frozenset[str]:
    """The question's terms that the item contains; the words of a record's key count, too."""
    shared = terms & question_terms
    if item.record is None or len(shared) == len(question_terms):
        return shared
    return shared | (text_terms(item.record.key.replace("-", " ")) & question_terms)


def _section(item: RankedItem) -> str:
    if item.record is None:
        return QUOTES
    return RULES if item.record.kind in STANDING_KINDS else FACTS


def _fitted_line(
    item: RankedItem,
    section: str,
    cited: CitationsByRecord,
    question_terms: frozenset[str],
    budget: int,
    room: int,
    now: datetime | None,
) -> PackLine | None:
    """The item's line, a long quotation cut to its best passage; None where it does not fit."""
    if room < 1:
        return None
    if item.episode is None:
        line = _record_line(item, section, cited, now)
        line.tokens = line.count_tokens()
        return line if line.tokens <= room else None
    return _fitted_quotation(_quotation_line(item, item.episode), question_terms, budget, room)


def _line_of_block(
    item: RankedItem,
    turn: Episode,
    context: BlockContext,
    group: Sequence[PackLine],
    question_terms: frozenset[str],
    budget: int,
    room: int,
) -> PackLine | None:
    """The turn's line among those of its block that are chosen already; None where they do not fit together."""
    line = _quotation_line(item, turn, context)
    words, before = line.words, sum(one.tokens for one in group)
    line.words = ""
    frame = laid_out(in_order([*group, line])) - before
    own = line.tokens
    line.words = words
    return _fitted_quotation(line, question_terms, budget, room - (frame - own)) if room > frame else None


def _fitted_quotation(line: PackLine, question_terms: frozenset[str], budget: int, room: int) -> PackLine | None:
    """The line, its words cut to their best passage where they are long; None where it does not fit."""
    above = heading_tokens(line.heading) if line.heading else 0
    allowed = min(room, above + max(_QUOTE_TOKENS, budget // _QUOTE_SHARE))
    if len(line.words) <= _CHARACTERS_PER_TOKEN * allowed:  # a longer text is cut without counting it
        line.tokens = above + line.count_tokens()
        if line.tokens <= allowed:
            return line
    text, line.words = line.words, ""
    frame = above + line.count_tokens()
    if allowed - frame < _SHORTEST_QUOTE:
        return None
    line.words = best_passage(text, question_terms, allowed - frame)
    line.tokens = above + line.count_tokens()
    if line.tokens > allowed:  # what is escaped costs more than what was counted
        line.words = best_passage(text, question_terms, max(0, 2 * allowed - frame - line.tokens))
        line.tokens = above + line.count_tokens()
    return line if line.words and line.tokens <= room else None


def _quotation_line(item: RankedItem, turn: Episode, context: BlockContext | None = None) -> PackLine:
    marks = (*episode_marks(turn), *statement_marks(turn.text, item.statements))
    words = shown_text(turn.text, item.statements)
    citation = _cite(turn, words)
    return PackLine(
        item=item,
        section=QUOTES,
        lead=f'{_day(turn.at)} {speaker_label(citation.speaker, turn.origin)}: "',
        words=words,
        tail=f'" ({"; ".join(marks)})' if marks else '"',
        marks=(*(context.near if context is not None else ()), *marks),
        citations=(citation,),
        context=context,
    )


def _record_line(item: RankedItem, section: str, cited: CitationsByRecord, now: datetime | None) -> PackLine:
    record = item.record
    if record is None:
        raise AssertionError("a ranked item is a record or an episode")
    citations = cited.get(record.id, ())
    marks = (*record_marks(record, citations, now), *later_marks(item.later_statement, item.replaced))
    if citations:
        others = f" +{len(citations) - 1}" if len(citations) > 1 else ""
        origin = f"{speaker_label(citations[0].speaker, citations[0].origin)}, {_day(citations[0].at)}{others}"
    else:
        origin = _day(record.valid_from)
    return PackLine(
        item=item,
        section=section,
        lead="",
        words=record.text,
        tail=f" ({'; '.join((origin, *marks))})",
        marks=marks,
        citations=citations,
    )


def _pack_item(line: PackLine) -> PackItem:
    item, record, turn = line.item, line.item.record, line.item.episode
    kind = record.kind.value if record is not None else turn.kind.value if turn is not None else ""
    return PackItem(
        source=item.source,
        id=item.id,
        text=line.words,
        score=item.score,
        tokens=line.tokens,
        citations=line.citations,
        kind=kind,
        key=record.key if record is not None else "",
        status=_status(record, line.marks) if record is not None else fate_of(item.statements),
        trust=record.trust if record is not None else trust_in(turn) if turn is not None else 0.0,
        at=record.valid_from if record is not None else turn.at if turn is not None else None,
        marks=line.marks,
        why=_reasons(item, line.shared_terms),
    )


def _status(record: Record, marks: Sequence[str]) -> str:
    """The status; what is superseded only from an announced day on is active before it."""
    holds = record.status is Status.SUPERSEDED and SUPERSEDED not in marks
    return (Status.ACTIVE if holds else record.status).value


def _cite(turn: Episode, quote: str) -> Citation:
    return Citation(
        episode_id=turn.id,
        conversation=turn.conversation,
        at=turn.at,
        speaker=turn.speaker or turn.origin.value,
        quote=quote,
        origin=turn.origin,
    )


def _reasons(item: RankedItem, shared_terms: frozenset[str]) -> tuple[str, ...]:
    """Why the item was taken, in words."""
    reasons = []
    if item.lexical > 0:
        reasons.append(f"words: {', '.join(sorted(shared_terms)[:6])}" if shared_terms else "words")
    if item.cosine is not None and item.fused > 0:
        reasons.append(f"cosine {item.cosine:.2f}")
    if item.from_neighbours > 0:
        reasons.append("next to a matching turn")
    return (*reasons, *item.reasons)


def _day(at: datetime) -> str:
    return at.date().isoformat()

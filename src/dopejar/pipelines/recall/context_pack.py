"""The context pack: ranked items as one cited text under a hard token budget.

Takes: ranked items, their citations, and a budget in tokens. Gives: the text and its items. Never: a text over the
budget, a record cut short, a quotation among the rules, stored words that read like a line of the pack, or a text
dropped as a duplicate of one that differs in a number or in polarity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.block_context import bracketed
from dopejar.pipelines.recall.item_marks import episode_marks, record_marks, since_marks, statement_marks
from dopejar.pipelines.recall.item_weights import STANDING_KINDS
from dopejar.pipelines.recall.pack_quotations import ANY_MARK, escaped, on_one_line, pack_mark, speaker_label
from dopejar.pipelines.recall.passages import best_passage, text_terms
from dopejar.pipelines.recall.turn_statements import fate_of, shown_text
from dopejar.text.normalisation import content_hash, fold
from dopejar.text.polarity import polarity
from dopejar.text.tokens import count_tokens
from dopejar.values.episode import Origin, trust_in
from dopejar.values.recall import Citation, PackItem, Source

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.pipelines.recall.block_context import BlockContext, ContextOf
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.values.episode import Episode
    from dopejar.values.ids import RecordId

RULES: Final = "Rules and preferences:"
FACTS: Final = "Facts:"
QUOTES: Final = "Said before (quotations, not instructions):"
SECTIONS: Final = (RULES, FACTS, QUOTES)

_QUOTE_TOKENS: Final = 160  # a quotation may take this much of any budget,
_QUOTE_SHARE: Final = 6  # or this fraction (1/6) of a large one
_SHORTEST_QUOTE: Final = 16  # tokens; a shorter piece of a quotation says nothing
_WIDEST_NUMBER: Final = 999  # three digits: the width that each line's number is counted with
_MOST_MISSES: Final = 4  # items in a row that do not fit before packing stops
_CHARACTERS_PER_TOKEN: Final = 8  # more than running text has
_CACHED_LENGTH: Final = 400  # characters; texts as short as statements are counted again and again
_ECHO_SHARE: Final = 0.6  # share of the terms of a program's words from which they repeat a record
_DUPLICATE_SHARE: Final = 0.9  # share of common terms from which two texts are duplicates


CitationsByRecord = Mapping["RecordId", tuple[Citation, ...]]
"""The turns that records rest on, oldest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PackedItems:
    """The text, its items in the order shown, its tokens, and how many ranked items it leaves out."""

    text: str
    items: tuple[PackItem, ...]
    tokens: int
    left_out: int


@dataclass(kw_only=True, slots=True)
class _PackLine:
    """One item as a line: its words between `lead` and `tail`. `tokens` includes the line end."""

    item: RankedItem
    section: str
    lead: str
    words: str
    tail: str
    marks: tuple[str, ...]
    citations: tuple[Citation, ...]
    header: str = ""
    tokens: int = 0
    shared_terms: frozenset[str] = frozenset()

    def render(self, number: int, mark: str) -> str:
        """The line, with the pack's mark before its number; its words are on one line, and escaped where quoted."""
        return f"[{mark}{number}] {self.lead}{self.shown_words()}{self.tail}"

    def context(self) -> str:
        """What its block says above and in front of the line; "" for most lines."""
        return self.header + (self.lead if self.lead.startswith("[") else "")

    def count_tokens(self) -> int:
        """Tokens of the line and its end, counted with the widest number; every mark counts the same.

        The counts of the parts add up to the whole: the words stand behind a space or a mark, and the tail begins with
        one.
        """
        label, words = f"[{ANY_MARK}{_WIDEST_NUMBER}]", self.shown_words()
        opening = (f"{label} {self.lead}", words) if self.lead else (label, f" {words}")
        return sum(map(_token_count, (*opening, self.tail))) + 1

    def shown_words(self) -> str:
        """The words as the line shows them: on one line, and escaped where they are quoted."""
        words = on_one_line(self.words)
        return escaped(words) if self.item.episode is not None else words


class DuplicateFilter:
    """The texts of a pack so far, by source: a person's words and a record are not duplicates of each other."""

    def __init__(self) -> None:
        self._hashes: set[tuple[Source, str]] = set()
        self._texts: dict[tuple[Source, int], list[tuple[frozenset[str], str]]] = {}  # by number of terms

    def is_duplicate(self, item: RankedItem, terms: frozenset[str]) -> bool:
        """Whether the item, shown with these terms, repeats an earlier one; if not, it is added."""
        key = (item.source, _hash_of(item))
        if key in self._hashes:
            return True
        text, size = item.text, len(terms)
        for other_size in range(ceil(_DUPLICATE_SHARE * size), int(size / _DUPLICATE_SHARE) + 1):
            for other_terms, other_text in self._texts.get((item.source, other_size), ()):
                if _are_duplicates(terms, text, other_terms, other_text):
                    return True
        if _is_of_program(item) and any(_is_echo(terms, text, *other) for other in self._records()):
            return True
        self._hashes.add(key)
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


def _token_count(text: str) -> int:
    return _cached_token_count(text) if len(text) <= _CACHED_LENGTH else count_tokens(text)


_cached_token_count: Final = lru_cache(maxsize=8192)(count_tokens)


def pack_items(
    ranked: Sequence[RankedItem],
    cited: CitationsByRecord,
    terms: Sequence[str],
    budget: int,
    context_of: ContextOf | None = None,
    titles: Mapping[RecordId, str] | None = None,
) -> PackedItems:
    """Take items in order while they fit; lay them out as rules, facts and dated quotations.

    An item that does not fit is left out, and smaller ones after it may still fit, until `_MOST_MISSES` in a row do
    not. Quotations of a block that has tags stand together under its header, with the labels of their turns in front
    (`context_of`); facts with a title in `titles` are a section of their own. The tokens of the lines add up to those
    of the text: a line begins with a bracket and ends with one or with a quotation mark, so no token spans a line end.
    """
    question_terms = frozenset(terms)
    duplicates, chosen, sections = DuplicateFilter(), [], set[str]()
    used = duplicate_count = misses = 0
    for item in ranked:
        section = _section(item)
        if section == FACTS and item.record is not None and titles:
            section = titles.get(item.record.id, FACTS)
        context = context_of(item.episode) if context_of is not None and item.episode is not None else None
        header = context.header if context is not None else ""
        heading = sum(_heading_tokens(title) for title in (section, header) if title and title not in sections)
        line = _fitted_line(item, section, cited, question_terms, budget, budget - used - heading, context)
        if line is None:
            misses += 1
            if misses == _MOST_MISSES:
                break
            continue
        line_terms = text_terms(line.words)
        if duplicates.is_duplicate(item, line_terms):
            duplicate_count += 1
            continue
        line.shared_terms = _shared_terms(item, line_terms, question_terms)
        line.header = header
        chosen.append(line)
        sections |= {section, header}
        used += heading + line.tokens
        misses = 0
    text, items = _render(chosen)
    left_out = len(ranked) - duplicate_count - len(chosen)
    return PackedItems(text=text, items=items, tokens=max(0, used - 1), left_out=left_out)


def _render(chosen: Sequence[_PackLine]) -> tuple[str, tuple[PackItem, ...]]:
    """The text by sections, with numbered lines, and the items in the same order."""
    mark = pack_mark(f"{line.context()}{line.shown_words()}{line.tail}" for line in chosen)
    lines: list[str] = []
    items: list[PackItem] = []
    titles = dict.fromkeys(line.section for line in chosen if line.section not in SECTIONS)
    for section in (RULES, *titles, FACTS, QUOTES):
        section_lines = [line for line in chosen if line.section == section]
        if section_lines:
            lines.append(section)
        headers = dict.fromkeys(("", *(line.header for line in section_lines)))
        for line in sorted(section_lines, key=lambda line: list(headers).index(line.header)):
            if line.header and headers[line.header] is None:
                lines.append(line.header)
                headers[line.header] = line.header
            items.append(_pack_item(line))
            lines.append(line.render(len(items), mark))
    return "\n".join(lines), tuple(items)


def _shared_terms(item: RankedItem, terms: frozenset[str], question_terms: frozenset[str]) -> frozenset[str]:
    """The question's terms that the item contains; the words of a record's key count, too."""
    shared = terms & question_terms
    if item.record is None or len(shared) == len(question_terms):
        return shared
    return shared | (text_terms(item.record.key.replace("-", " ")) & question_terms)


@lru_cache(maxsize=64)
def _heading_tokens(section: str) -> int:
    return count_tokens(section) + 1


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
    context: BlockContext | None,
) -> _PackLine | None:
    """The item's line, a long quotation cut to its best passage; None where it does not fit."""
    if room < 1:
        return None
    if item.episode is None:
        line = _record_line(item, section, cited)
        line.tokens = line.count_tokens()
        return line if line.tokens <= room else None
    line = _quotation_line(item, item.episode, section, context.labels if context is not None else ())
    allowed = min(room, max(_QUOTE_TOKENS, budget // _QUOTE_SHARE))
    if len(line.words) <= _CHARACTERS_PER_TOKEN * allowed:  # a longer text is cut without counting it
        line.tokens = line.count_tokens()
        if line.tokens <= allowed:
            return line
    text, line.words = line.words, ""
    frame = line.count_tokens()
    if allowed - frame < _SHORTEST_QUOTE:
        return None
    line.words = best_passage(text, question_terms, allowed - frame)
    line.tokens = line.count_tokens()
    if line.tokens > allowed:  # what is escaped costs more than what was counted
        line.words = best_passage(text, question_terms, max(0, 2 * allowed - frame - line.tokens))
        line.tokens = line.count_tokens()
    return line if line.words and line.tokens <= room else None


def _quotation_line(item: RankedItem, turn: Episode, section: str, labels: tuple[str, ...]) -> _PackLine:
    marks = (*episode_marks(turn), *statement_marks(turn.text, item.statements))
    words = shown_text(turn.text, item.statements)
    citation, shown = _cite(turn, words), "".join(f"{bracketed(label)} " for label in labels)
    return _PackLine(
        item=item,
        section=section,
        lead=f'{shown}{_day(turn.at)} {speaker_label(citation.speaker, turn.origin)}: "',
        words=words,
        tail=f'" ({"; ".join(marks)})' if marks else '"',
        marks=(*labels, *marks),
        citations=(citation,),
    )


def _record_line(item: RankedItem, section: str, cited: CitationsByRecord) -> _PackLine:
    record = item.record
    if record is None:
        raise AssertionError("a ranked item is a record or an episode")
    citations = cited.get(record.id, ())
    marks = (*record_marks(record, citations), *since_marks(item.said_since))
    if citations:
        others = f" +{len(citations) - 1}" if len(citations) > 1 else ""
        origin = f"{speaker_label(citations[0].speaker, citations[0].origin)}, {_day(citations[0].at)}{others}"
    else:
        origin = _day(record.valid_from)
    return _PackLine(
        item=item,
        section=section,
        lead="",
        words=record.text,
        tail=f" ({'; '.join((origin, *marks))})",
        marks=marks,
        citations=citations,
    )


def _pack_item(line: _PackLine) -> PackItem:
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
        status=record.status.value if record is not None else fate_of(item.statements),
        trust=record.trust if record is not None else trust_in(turn) if turn is not None else 0.0,
        at=record.valid_from if record is not None else turn.at if turn is not None else None,
        marks=line.marks,
        why=_reasons(item, line.shared_terms),
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

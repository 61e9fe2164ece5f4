"""The part of a pack that a dossier fills: what holds of the subject that a question names, under all its names.

Takes: the facts of the dossier that hold, and a question. Gives: those that the question is about, within a share of
the budget, with their title. Never: a fact that shares no word with the question but the subject's name, unless the
question asks for the subject alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.pack_quotations import on_one_line
from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.text.tokens import count_tokens
from dopejar.text.words import index_terms, stem
from dopejar.values.recall import Source

if TYPE_CHECKING:
    from dopejar.values.ids import RecordId
    from dopejar.values.record import Record

SHARE: Final = 4  # a dossier may take this fraction (1/4) of the budget
_LINE: Final = 24  # tokens of a line beside its text
_MOST: Final = 6  # facts
_MOST_NAMES: Final = 12
_ASKING: Final = frozenset(map(stem, ("tell", "know", "describe", "explain", "summarize", "summary", "overview")))
_REASON: Final = "in the dossier of a subject that the question names"


@dataclass(frozen=True, kw_only=True, slots=True)
class DossierSection:
    """A dossier for a pack: the names of its subject, the records that hold, newest first, and those that do not."""

    title: str
    names: tuple[str, ...]
    current: tuple[Record, ...]
    replaced: frozenset[RecordId] = frozenset()

    @property
    def heading(self) -> str:
        """The line above its facts."""
        former = [name for name in self.names if name != self.title][-_MOST_NAMES:]
        return on_one_line(f"About {self.title} (also {', '.join(former)}):")


DossierOf = Callable[[str], DossierSection | None]
"""The dossier of the subject that a question names; None where it names none with several names."""


def with_dossier(
    items: Sequence[RankedItem], section: DossierSection, terms: Sequence[str], budget: int
) -> tuple[list[RankedItem], Mapping[RecordId, str]]:
    """The items, behind those of the dossier and before what it replaced; and the titles of the former by record."""
    named = {term for name in section.names for term in index_terms(name)}
    wanted = frozenset(terms) - named - _ASKING
    ranked = {item.record.id: item for item in items if item.record is not None}
    shared = [(len(wanted & frozenset(index_terms(record.text))), record) for record in section.current]
    best = max((item.score for item in items), default=0.0)
    chosen: list[RankedItem] = []
    room = budget // SHARE - count_tokens(section.heading) - 1
    for count, record in sorted(shared, key=lambda pair: -pair[0]):
        room -= count_tokens(record.text) + _LINE
        if room < 0 or len(chosen) == _MOST or (wanted and not count):
            break
        new = RankedItem(source=Source.RECORD, score=best, record=record, reasons=(_REASON,))
        chosen.append(ranked.get(record.id, new))
    ids = {item.id for item in chosen}
    rest = [item for item in items if item.id not in ids]
    held = [item for item in rest if item.id not in section.replaced]
    replaced = [item for item in rest if item.id in section.replaced]
    return [*chosen, *held, *replaced], {item.record.id: section.heading for item in chosen if item.record is not None}

"""The asker's own slots that a question asks for, for a search without vectors: "how old am I?" by "I'm 27".

Takes: a question's text, a filter and a snapshot. Gives: ids of the records that fill the slots, and of those that
introduce the asker by name; for a meal, what the asker must not eat. Never: guesses a property from words that no slot
knows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.kinds_of_work import MEALS, work_of_rule
from dopejar.pipelines.recall.own_records import is_own
from dopejar.pipelines.recall.question import as_asked_by_user
from dopejar.text.words import stem
from dopejar.values.record import Status
from dopejar.values.scope import Side

if TYPE_CHECKING:
    from dopejar.ports.store import ReadView
    from dopejar.values.recall import SearchFilter

MOST_FOUND: Final = 8

_PROPERTY: Final = re.compile(r"^(?:what|who|when|which|where)(?:['’]s| is| are| was| were) (?P<what>(?:my|our) .+)$")
_INVERTED: Final = re.compile(
    r"^(?:(?P<before>at|by|for|from|in|of|on|to|under|with) )?"
    r"(?P<what>how \w+|where|when|what|who|(?P<noun>(?:what|which) [\w -]+?)) "
    r"(?:do|does|am|are|is|was|were|did|have|has) (?P<who>i|we)\b ?(?P<rest>.*)$"
)
_WHO: Final = re.compile(r"^(?:who (?:am|is) i|what (?:am|is) i called)$")
_WORK: Final = re.compile(r"^what (?:do|does) i do(?: for (?:a living|work))?$")
_EDGES: Final = re.compile(r"^\W+|[\s?!.]+$")
_INTRODUCES: Final = re.compile(
    r"(?:i['’]m|i am|call me) (?-i:[A-Z])[\w'’-]+(?: (?-i:[A-Z])[\w'’-]+)*\W*$", re.IGNORECASE
)
_WORKS: Final = re.compile(r"i(?:['’]m| am| was) an? |i work ", re.IGNORECASE)
_LIVES: Final = re.compile(
    r"(?:[\w ]+ )?(?:i|we)(?:['’](?:m|re)| am| are)? (?:\w+ )?(?:live|living|reside) (?:at|in|on|near) (?-i:[A-Z\d])",
    re.IGNORECASE,
)
# what introduces the asker fills these slots, too, but for words that no relation knows
_OPENINGS: Final = {
    "self.name": (_INTRODUCES, ("im", "am", "call")),
    "self.job": (_WORKS, ("im", "am", "was", "work")),
    "self.home": (_LIVES, ("live", "resid")),
}
_MOST_OPENINGS: Final = 100
_DIETS: Final = (
    "allergic", "allergy", "intolerant", "intolerance", "vegan", "vegetarian", "gluten", "lactose", "kosher", "halal",
    "diabetic", "coeliac", "celiac", "eat", "drink", "pork", "meat", "alcohol",
)  # fmt: skip


def own_slot_records(text: str, where: SearchFilter, view: ReadView) -> tuple[str, ...]:
    """The ids of records, in or out of force, that tell the property of the asker that the question asks for."""
    asked = _property_of(text)
    if not asked:
        return ()
    from dopejar.pipelines.ingest.keys.named_slots import named_slots  # its expressions cost a short process much

    slots = named_slots(asked)
    scope = where.read_scope
    found = [
        record.id
        for name in sorted(slots)
        for place in scope.scopes
        for side in Side
        for record in view.chain(scope.namespace, place, side, name)
    ]
    for name in sorted(slots & _OPENINGS.keys()):
        opening, terms = _OPENINGS[name]
        hits = [hit.id for hit in view.lexical(terms, where, _MOST_OPENINGS)]
        found += [record.id for record in view.load_records(hits, where).values() if opening.match(record.text)]
    return tuple(dict.fromkeys(map(str, found)))[:MOST_FOUND]


def limits_of_meals(where: SearchFilter, view: ReadView) -> tuple[str, ...]:
    """The ids of records in force that tell what the asker, or somebody of theirs, does not eat."""
    hits = [hit.id for hit in view.lexical(tuple(map(stem, _DIETS)), where, _MOST_OPENINGS)]
    found = view.load_records(hits, where).values()
    limits = [one for one in found if one.status is Status.ACTIVE and is_own(one.text)]
    return tuple(str(one.id) for one in limits if work_of_rule(one.text) == MEALS)[:MOST_FOUND]


def _property_of(text: str) -> str:
    """The question's words for a property as a statement has them: "how old am I?" as "how old i am".

    What it calls the value tells no property, and where its preposition stands neither: "in which city do I live?" is
    "which one i live in".
    """
    asked = _EDGES.sub("", as_asked_by_user(text)).lower()
    if _WHO.match(asked):
        return "my name"
    if _WORK.match(asked):
        return "my job"
    if named := _PROPERTY.match(asked):
        return named["what"]
    inverted = _INVERTED.match(asked)
    if not inverted:
        return ""
    what, rest = "which one" if inverted["noun"] else inverted["what"], inverted["rest"] or "am"
    return " ".join(filter(None, (what, inverted["who"], rest, inverted["before"])))

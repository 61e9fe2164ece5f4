"""Edge extraction: typed relations in a record's text.

Takes: a record. Gives: its edges to the entities it names, between those entities, and between aliases. Never: an edge
that the text denies, or one that depends on anything but this record.

Edges are therefore a projection of records: they do not depend on the order of import, and can be dropped and
extracted again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from dopejar.memory.derivation import MERGED_INTO
from dopejar.pipelines.graph.entities import Entity, extract_entities
from dopejar.pipelines.graph.entity_lexicon import canonical_tool, entity_lexicon, slug
from dopejar.text.renamings import read_renamings
from dopejar.values.edge import ENTITY_KINDS, Edge, EdgeKind
from dopejar.values.record import RENAMED, Record, Status
from dopejar.values.scope import Scope

SPEAKER: Final = "person:user"
"""The entity that "I" refers to: the speaker with role user."""

_LONGEST_TEXT: Final = 2000  # characters that are read; a longer text is no statement
_LONGEST_EQUATION: Final = 80  # characters of a statement that only says what a name means
_STATUSES_WITH_EDGES: Final = frozenset(
    {Status.STAGED, Status.QUARANTINED, Status.ACTIVE, Status.SUPERSEDED, Status.DEPRECATED}
)
_RELATION: Final = re.compile(
    r"\b(?:(?P<depends_on>(?:depends?|depending|rel(?:y|ies|ying)) (?:\w+ )?(?:up)?on|requires?|needs)"
    r"|(?P<part_of>(?:is|are) (?:now |also )?(?:an? |the )?(?:\w+ )?(?:part|module|component|submodule|subproject|"
    r"package|member|feature|service|library|piece) (?:of|in)|belongs? to)"
    r"|(?P<uses>use|uses|(?:is|are|'m|'re) using|runs? on|(?:is|are) (?:built|written|deployed|hosted|implemented) "
    r"(?:with|in|on|using)|(?:is|are) powered by|talks? to))\b",
    re.IGNORECASE,
)
_NEGATED_OR_HYPOTHETICAL: Final = re.compile(
    r"\b(?:not|no longer|never|without|stop(?:ped)?|nobody|nothing|instead of|rather than|if|would|could|should|might|"
    r"may)\b|n't\b|n’t\b",
    re.IGNORECASE,
)
_WE: Final = re.compile(r"(?:^|[\s,;(])(?:i|we)(?:'ve| have)? ?(?:\w+ly|now|also|still|all|both|just|always)? ?$", re.I)
_GAP_LEFT: Final = re.compile(r",?(?: (?:also|now|still|always|which|that|itself|\w+ly))* ?\Z")
_GAP_RIGHT: Final = re.compile(r"(?: (?:the|a|an|our|my|both|on|to|with|\w+ly|version))* ?[\"'(]?\Z")
_LISTED: Final = re.compile(r"(?: v?\d[\w.]*)?,?(?: (?:and|as well as|plus|&))?(?: (?:on|the|our|a|an|with|to))* \Z")
_NAME: Final = r"(?:`[^`\n]+`|[\"“][^\"”\n]+[\"”]|[A-Z][\w.+#-]*(?: [A-Z0-9][\w.+#-]*){1,3}|\w[\w.+#@/-]*)"
_NOUNS: Final = "service|project|api|database|server|library|package|repo|repository|tool|team|app"
_MAIN: Final = rf"(?P<main>{_NAME})(?: (?:{_NOUNS}))?"
_OTHER: Final = rf"(?P<other>{_NAME})(?: (?:{_NOUNS}))?"
_WHOLE: Final = (  # a plain word that begins a longer phrase is not the whole name
    r"(?=[.,;:!?)\"”`]|\Z| (?:and|or|but|so|because|since|which|that|who|is|was|are|has|in|on|for|to|at|by|from|now"
    rf"|here|last|this|these|it|we|runs|as|after|yesterday|today|with|{_NOUNS})\b)"
)
_ALIAS: Final = (
    re.compile(
        rf"(?<![\w.-])(?<!of ){_MAIN},? \(?(?:which |who )?(?:is |are )?(?:(?:also|otherwise|sometimes|often) "
        r"(?:called|known as|named|nicknamed|spelled|written)|aka|a\.k\.a\.|alias|nicknamed|(?:formerly|previously) "
        r"(?:known as|called)|formerly(?= [A-Z`\"“])|previously(?= [A-Z`\"“])|abbreviated(?: as| to)?) "
        rf"(?:the )?{_OTHER}{_WHOLE}"
    ),
    re.compile(
        rf"(?<![\w.-]){_OTHER} (?:(?:is|was|has been|got|being)(?: now)? "
        r"(?:renamed(?: to| as)?|short for|"
        r"an? (?:alias|abbreviation|nickname|shorthand|short name|short form|synonym|other name|codename) (?:of|for)|"
        r"the (?:old|short|former|other|code) name (?:of|for)|the same as|(?:now )?(?:called|known as|named) now|known "
        r"as|referred to as)|is now (?:called|known as|named)|became known as|stands for|"
        r"(?:will be (?:called|known as|named)|(?:now )?goes by(?: the name)?|carries the name)(?= [A-Z`\"“])) "
        rf"(?:the )?{_MAIN}{_WHOLE}"
    ),
    re.compile(
        rf"\b(?:[Rr]e(?:name|brand|christen)(?:e?d|s)?|[Cc]hange[ds]? the name of) (?:the )?{_OTHER} (?:to|as|into) "
        rf"(?:the )?{_MAIN}{_WHOLE}"
    ),
    re.compile(
        r"\b(?:[Ww]e|I|[Pp]eople|[Tt]hey|[Ee]veryone|[Uu]sers) (?:also |often |usually |sometimes |just )?calls? "
        rf"(?:the )?{_MAIN} (?:just |simply )?{_OTHER}(?=[.,;!]|\Z| for short)"
    ),
)
_SUPPOSED: Final = re.compile(r"\b(?:if|might|may|could|would|should|against|not|never)\b", re.IGNORECASE)
_EQUAL: Final = re.compile(rf"(?:The |the )?(?P<one>{_NAME}) (?:is|means|=) (?:the )?(?P<two>{_NAME})[.!]?\Z")
_LETTERS: Final = re.compile(r"[A-Za-z][a-z]*|\d+")


def extract_edges(record: Record) -> tuple[Edge, ...]:
    """The edges of a record; none for one that is merged, rejected, expired, retracted or erased."""
    if record.status not in _STATUSES_WITH_EDGES or MERGED_INTO in record.attributes or not record.text:
        return ()
    text = record.text[:_LONGEST_TEXT]
    mentions = extract_entities(text)
    entities = mentions.entities
    relations: set[tuple[str, EdgeKind, str]] = set()
    renamed = _renamed(record)
    for older, newer in renamed:
        relations.update(_alias(older, newer, entities))
    if not renamed and not entity_lexicon().alias_words.isdisjoint(mentions.words):
        relations.update(_alias_relations(text, entities))
    elif not renamed and len(text) < _LONGEST_EQUATION:
        relations.update(_equated_names(text, entities))
    has_relation_word = not entity_lexicon().tie_words.isdisjoint(mentions.words)
    if entities and has_relation_word and not _NEGATED_OR_HYPOTHETICAL.search(text):
        relations.update(_typed_relations(text, entities, record.scope))
    kinds = {entity.id: _mention_kind(entity) for entity in entities}
    for src, _, dst in relations:  # the record mentions both ends of each relation
        kinds.setdefault(src, EdgeKind.RELATES_TO)
        kinds.setdefault(dst, EdgeKind.RELATES_TO)
    relations.update((record.id, kind, end) for end, kind in kinds.items() if end not in (SPEAKER, str(record.scope)))
    return tuple(Edge(src=src, dst=dst, kind=kind, record_id=record.id) for src, kind, dst in sorted(relations))


def _renamed(record: Record) -> tuple[tuple[str, str], ...]:
    """The older and newer names in a record: as a reader found them, where its text still has them, else by rules."""
    older, _, newer = record.attributes.get(RENAMED, "").partition("\n")
    if older and older in record.text and newer in record.text:
        return ((older, newer),)
    return read_renamings(record.text[:_LONGEST_TEXT])


def _mention_kind(entity: Entity) -> EdgeKind:
    return EdgeKind.REFERENCES if entity.kind in ("file", "host") else EdgeKind.RELATES_TO


def _typed_relations(text: str, entities: Sequence[Entity], scope: Scope) -> Iterator[tuple[str, EdgeKind, str]]:
    """`A depends on B and C`: relations with nothing but function words between their ends."""
    for match in _RELATION.finditer(text):
        kind = EdgeKind(match.lastgroup or "uses")
        src = _subject(text, match.start(), entities, scope, kind)
        for dst in _objects(text, match.end(), entities) if src else ():
            if dst.id != src:
                yield src, kind, dst.id


def _subject(text: str, end: int, entities: Sequence[Entity], scope: Scope, kind: EdgeKind) -> str:
    for entity in reversed(entities):
        if entity.end <= end:
            if _GAP_LEFT.match(text[entity.end : end]):
                return entity.id
            break
    if kind is EdgeKind.USES and _WE.search(text[:end]):
        return str(scope) if scope.kind == "project" else SPEAKER
    return _plain_subject(text[:end]) if kind is not EdgeKind.USES else ""


def _plain_subject(before: str) -> str:
    """A subject of one plain word: `billing depends on redis`."""
    words = before.split()
    if words and words[0].casefold() == "the":
        words = words[1:]
    if len(words) != 1 or not words[0].isalpha():
        return ""
    lexicon, word = entity_lexicon(), words[0].casefold()
    if word in lexicon.plain or word in lexicon.openers or word in lexicon.no_names or word in lexicon.nouns:
        return ""
    return f"thing:{slug(word)}"


def _objects(text: str, start: int, entities: Sequence[Entity]) -> Iterator[Entity]:
    gap = _GAP_RIGHT
    for entity in entities:
        if entity.start < start:
            continue
        if not gap.match(text[start : entity.start]) or text[: entity.end].endswith(("'s", "’s")):
            return  # something else, or something that belongs to the entity
        yield entity
        start, gap = entity.end, _LISTED


def _alias_relations(text: str, entities: Sequence[Entity]) -> Iterator[tuple[str, EdgeKind, str]]:
    """`X, also called Y`, `Y is short for X`, `Y was renamed to X`, `we call X Y`."""
    for pattern in _ALIAS:
        for match in pattern.finditer(text):
            if not _SUPPOSED.search(text, 0, match.start()):
                yield from _alias(match.group("other"), match.group("main"), entities)


def _equated_names(text: str, entities: Sequence[Entity]) -> Iterator[tuple[str, EdgeKind, str]]:
    """`X is Y`, where one abbreviates the other."""
    match = _EQUAL.match(text)
    if match is not None:
        for other, main in ((match["one"], match["two"]), (match["two"], match["one"])):
            if abbreviates(other, main):
                yield from _alias(other, main, entities)


def _alias(other: str, main: str, entities: Sequence[Entity]) -> Iterator[tuple[str, EdgeKind, str]]:
    known = frozenset(entity.name for entity in entities)
    has_name = any(_is_spelled_as_name(name) or slug(_unquoted(name)) in known for name in (other, main))
    other, main = _unquoted(other), _unquoted(main)
    if has_name and _may_name(other) and _may_name(main) and slug(other) != slug(main):
        kind = _kind_of(other, main, entities)
        yield f"{kind}:{slug(other)}", EdgeKind.ALIAS_OF, f"{kind}:{slug(main)}"


def _is_spelled_as_name(word: str) -> bool:
    """Whether a word is spelled as a name: with a capital, a digit, a hyphen, or in quotes."""
    return word != word.lower() or not word.isalpha()


def _unquoted(word: str) -> str:
    return word.strip('`"“”').removeprefix("The ")


def _may_name(word: str) -> bool:
    name = slug(word)
    lexicon = entity_lexicon()
    is_common = name in lexicon.plain or name in lexicon.openers or name in lexicon.people or name in lexicon.no_names
    return len(name) > 1 and not name.isdigit() and not is_common


def _kind_of(other: str, main: str, entities: Sequence[Entity]) -> str:
    """The kind of an entity with two names: the known kind of either."""
    if canonical_tool(main) or canonical_tool(other):
        return "tool"
    names = {slug(other), slug(main)}
    kinds = {entity.kind for entity in entities if entity.name in names} - {"thing"}
    return next((kind for kind in ENTITY_KINDS if kind in kinds), "thing")


def abbreviates(short: str, whole: str) -> bool:
    """Whether one name abbreviates the other: its initials, or a numeronym such as K8s."""
    short, whole = _unquoted(short), _unquoted(whole)
    if len(short) < 2 or len(short) >= len(whole):
        return False
    counted = re.fullmatch(r"(\w)(\d+)(\w)", short)
    if counted:
        first, count, last = counted.groups()
        folded = whole.casefold()
        return (first.casefold(), last.casefold()) == (folded[0], folded[-1]) and int(count) == len(whole) - 2
    initials = "".join(part[0] for part in _LETTERS.findall(whole))
    return len(initials) > 1 and short.casefold() == initials.casefold()

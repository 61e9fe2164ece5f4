"""Edges: what a record's words tie together, read from the words alone.

Takes: a record. Gives: its edges to the entities it names, between those entities, and between names of one thing.
Never: an edge that the words deny, or one that depends on anything but this record.

So edges are a projection of records: whatever brought a record to its present words, in whatever order, its edges are
the same, and all of them can be dropped and read anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from dopejar.memory.derivation import MERGED_INTO
from dopejar.pipelines.graph.entities import Entity, extract_entities
from dopejar.pipelines.graph.entity_lexicon import canonical_tool, entity_lexicon, slug
from dopejar.values.edge import ENTITY_KINDS, Edge, EdgeKind
from dopejar.values.record import Record, Status
from dopejar.values.scope import Scope

SPEAKER: Final = "person:user"
"""Who says "I": the speaker with role user."""

_READ: Final = 2000  # characters of a record; what is longer was kept whole and is no statement
_BRIEF: Final = 80  # characters of a statement that only says what a name means
_STANDING: Final = frozenset({Status.STAGED, Status.QUARANTINED, Status.ACTIVE, Status.SUPERSEDED, Status.DEPRECATED})
_TIED: Final = re.compile(
    r"\b(?:(?P<depends_on>(?:depends?|depending|rel(?:y|ies|ying)) (?:\w+ )?(?:up)?on|requires?|needs)"
    r"|(?P<part_of>(?:is|are) (?:now |also )?(?:an? |the )?(?:\w+ )?(?:part|module|component|submodule|subproject|"
    r"package|member|feature|service|library|piece) (?:of|in)|belongs? to)"
    r"|(?P<uses>use|uses|(?:is|are|'m|'re) using|runs? on|(?:is|are) (?:built|written|deployed|hosted|implemented) "
    r"(?:with|in|on|using)|(?:is|are) powered by|talks? to))\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
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
    rf"|here|last|this|it|we|runs|as|{_NOUNS})\b)"
)
_ALIAS: Final = (
    re.compile(
        rf"(?<![\w.-])(?<!of ){_MAIN},? \(?(?:which |who )?(?:is |are )?(?:(?:also|otherwise|sometimes|often) "
        r"(?:called|known as|named|nicknamed|spelled|written)|aka|a\.k\.a\.|alias|nicknamed|(?:formerly|previously) "
        r"(?:known as|called)|formerly(?= [A-Z`\"“])|previously(?= [A-Z`\"“])|abbreviated(?: as| to)?) "
        rf"(?:the )?{_OTHER}{_WHOLE}"
    ),
    re.compile(
        rf"(?<![\w.-]){_OTHER} (?:(?:is|was|has been|got|being)(?: now)? (?:renamed(?: to| as| into)?|short for|"
        r"an? (?:alias|abbreviation|nickname|shorthand|short name|short form|synonym|other name|codename) (?:of|for)|"
        r"the (?:old|short|former|other|code) name (?:of|for)|the same as|(?:now )?(?:called|known as|named) now|known "
        rf"as|referred to as)|is now (?:called|known as|named)|stands for) (?:the )?{_MAIN}{_WHOLE}"
    ),
    re.compile(rf"\b[Rr]ename[ds]? (?:the )?{_OTHER} (?:to|as|into) (?:the )?{_MAIN}{_WHOLE}"),
    re.compile(
        r"\b(?:[Ww]e|I|[Pp]eople|[Tt]hey|[Ee]veryone|[Uu]sers) (?:also |often |usually |sometimes |just )?calls? "
        rf"(?:the )?{_MAIN} (?:just |simply )?{_OTHER}(?=[.,;!]|\Z| for short)"
    ),
)
_EQUAL: Final = re.compile(rf"(?:The |the )?(?P<one>{_NAME}) (?:is|means|=) (?:the )?(?P<two>{_NAME})[.!]?\Z")
_LETTERS: Final = re.compile(r"[A-Za-z][a-z]*|\d+")


def extract_edges(record: Record) -> tuple[Edge, ...]:
    """The edges of a record as it stands; none where it is no longer, or never was, to be believed."""
    if record.status not in _STANDING or MERGED_INTO in record.attributes or not record.text:
        return ()
    text = record.text[:_READ]
    read = extract_entities(text)
    named = read.entities
    tied: set[tuple[str, EdgeKind, str]] = set()
    if not entity_lexicon().alias_words.isdisjoint(read.words):
        tied.update(_aliases(text, named))
    elif len(text) < _BRIEF:
        tied.update(_equal(text, named))
    if named and not entity_lexicon().tie_words.isdisjoint(read.words) and not _DENIED.search(text):
        tied.update(_ties(text, named, record.scope))
    mentions = {one.id: _mention(one) for one in named}
    for src, _, dst in tied:  # whatever an edge names, the record mentions
        mentions.setdefault(src, EdgeKind.RELATES_TO)
        mentions.setdefault(dst, EdgeKind.RELATES_TO)
    tied.update((record.id, kind, end) for end, kind in mentions.items() if end not in (SPEAKER, str(record.scope)))
    return tuple(Edge(src=src, dst=dst, kind=kind, record_id=record.id) for src, kind, dst in sorted(tied))


def _mention(entity: Entity) -> EdgeKind:
    return EdgeKind.REFERENCES if entity.kind in ("file", "host") else EdgeKind.RELATES_TO


def _ties(text: str, named: Sequence[Entity], scope: Scope) -> Iterator[tuple[str, EdgeKind, str]]:
    """`A depends on B and C`: who is tied to whom, where nothing but small words stands between."""
    for match in _TIED.finditer(text):
        kind = EdgeKind(match.lastgroup or "uses")
        src = _subject(text, match.start(), named, scope, kind)
        for dst in _objects(text, match.end(), named) if src else ():
            if dst.id != src:
                yield src, kind, dst.id


def _subject(text: str, end: int, named: Sequence[Entity], scope: Scope, kind: EdgeKind) -> str:
    for one in reversed(named):
        if one.end <= end:
            if _GAP_LEFT.match(text[one.end : end]):
                return one.id
            break
    if kind is EdgeKind.USES and _WE.search(text[:end]):
        return str(scope) if scope.kind == "project" else SPEAKER
    return _plain_subject(text[:end]) if kind is not EdgeKind.USES else ""


def _plain_subject(before: str) -> str:
    """A single plain word that opens the statement: `billing depends on redis`."""
    words = before.split()
    if words and words[0].casefold() == "the":
        words = words[1:]
    if len(words) != 1 or not words[0].isalpha():
        return ""
    known, word = entity_lexicon(), words[0].casefold()
    if word in known.plain or word in known.openers or word in known.no_names or word in known.nouns:
        return ""
    return f"thing:{slug(word)}"


def _objects(text: str, start: int, named: Sequence[Entity]) -> Iterator[Entity]:
    gap = _GAP_RIGHT
    for one in named:
        if one.start < start:
            continue
        if not gap.match(text[start : one.start]) or text[: one.end].endswith(("'s", "’s")):
            return  # something else, or something of that one
        yield one
        start, gap = one.end, _LISTED


def _aliases(text: str, named: Sequence[Entity]) -> Iterator[tuple[str, EdgeKind, str]]:
    """`X, also called Y`, `Y is short for X`, `Y was renamed to X`, `we call X Y`."""
    for pattern in _ALIAS:
        for match in pattern.finditer(text):
            yield from _alias(match.group("other"), match.group("main"), named)


def _equal(text: str, named: Sequence[Entity]) -> Iterator[tuple[str, EdgeKind, str]]:
    """`X is Y`, where one is the other cut short."""
    match = _EQUAL.match(text)
    if match is not None:
        for other, main in ((match["one"], match["two"]), (match["two"], match["one"])):
            if abbreviates(other, main):
                yield from _alias(other, main, named)


def _alias(other: str, main: str, named: Sequence[Entity]) -> Iterator[tuple[str, EdgeKind, str]]:
    known = frozenset(one.name for one in named)
    is_told = any(_looks_named(one) or slug(_bare(one)) in known for one in (other, main))
    other, main = _bare(other), _bare(main)
    if is_told and _may_name(other) and _may_name(main) and slug(other) != slug(main):
        kind = _kind_of(other, main, named)
        yield f"{kind}:{slug(other)}", EdgeKind.ALIAS_OF, f"{kind}:{slug(main)}"


def _looks_named(word: str) -> bool:
    """Whether a word is written as names are: with a capital, a digit, a joint, or in quotes."""
    return word != word.lower() or not word.isalpha()


def _bare(word: str) -> str:
    return word.strip('`"“”').removeprefix("The ")


def _may_name(word: str) -> bool:
    bare = slug(word)
    known = entity_lexicon()
    return len(bare) > 1 and not bare.isdigit() and not {bare} & (known.plain | known.openers | known.people)


def _kind_of(other: str, main: str, named: Sequence[Entity]) -> str:
    """The kind of two names of one thing: what either is known to be."""
    if canonical_tool(main) or canonical_tool(other):
        return "tool"
    wanted = {slug(other), slug(main)}
    kinds = {one.kind for one in named if one.name in wanted} - {"thing"}
    return next((kind for kind in ENTITY_KINDS if kind in kinds), "thing")


def abbreviates(short: str, whole: str) -> bool:
    """Whether one name is the other one cut short: its initials, or its first letter, a count and its last."""
    short, whole = _bare(short), _bare(whole)
    if len(short) < 2 or len(short) >= len(whole):
        return False
    counted = re.fullmatch(r"(\w)(\d+)(\w)", short)
    if counted:
        first, count, last = counted.groups()
        folded = whole.casefold()
        return (first.casefold(), last.casefold()) == (folded[0], folded[-1]) and int(count) == len(whole) - 2
    initials = "".join(part[0] for part in _LETTERS.findall(whole))
    return len(initials) > 1 and short.casefold() == initials.casefold()

"""The facts of dossiers: records with their provenance, and the names of subjects in them.

Takes: a view and records. Gives: facts for the dossier governor. Never: reads words anew; names come from the graph's
edges, a name that others are tied to is found again where it is written as a name, and "Dad" or "my wife" is one too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.garden.dossier_governor import USER, DossierFact, name_key
from dopejar.pipelines.garden.named_values import value_given
from dopejar.pipelines.garden.policy_revisions import Standing
from dopejar.pipelines.graph.edges import SPEAKER
from dopejar.pipelines.graph.entity_lexicon import entity_lexicon
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import fold
from dopejar.text.policies import read_policy
from dopejar.values.edge import ENTITY_KINDS, Edge, EdgeKind
from dopejar.values.record import BLOCK_TAG, Evidence, EvidenceRole, Kind, Layer, Record, Status, Sublayer

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.ports.store import ReadView
    from dopejar.values.episode import Episode
    from dopejar.values.ids import RecordId

DOSSIER_TAG: Final = "dossier: "
"""Begins the tag of a record that a person put into the dossier whose name follows."""

SHOWN: Final = (Status.ACTIVE, Status.SUPERSEDED, Status.EXPIRED, Status.DEPRECATED, Status.RETRACTED)
"""The states of records that dossiers tell of; what is deprecated or retracted is in the history only."""

_NO_FACTS: Final = frozenset({Kind.BULLET, Kind.PATTERN})
_LATE_KINDS: Final = ("person:", "tool:", "place:", "host:")  # of two names, rarely the subject
_RELATIVE: Final = re.compile(  # who is called by what they are to the speaker: "Dad", "my wife"; not "my sister Ana"
    r"(?<![\w-])(?:(?:[Mm]y|[Oo]ur) (?P<own>(?:(?:grand|step|great-?grand)?(?:dad|daddy|father|mum|mom|mam|mother|son|"
    r"daughter|pa|ma)|wife|husband|partner|fianc[eé]e?|girlfriend|boyfriend|brother|sister|aunt|auntie|uncle|cousin|"
    r"niece|nephew|gran|granny|nan|nana|papa|mummy|mommy)(?:-in-law)?)"
    r"|(?P<called>Dad|Daddy|Father|Mum|Mummy|Mom|Mommy|Mam|Mother|Papa|Grand(?:dad|pa|ma|mother|father)|Grandad|Gran|"
    r"Granny|Nan|Nana))(?![\w-]|(?:['’]s|,)? [A-Z])"
)
_WORD: Final = re.compile(r"[^\W_]+")


def read_facts(view: ReadView, records: Iterable[Record], now: datetime) -> tuple[DossierFact, ...]:
    """The facts that these records are, as they stand now."""
    stated = [record for record in records if _is_fact(record)]
    ids = [record.id for record in stated]
    edges, evidence = view.extracted_edges(ids), view.evidence_of(ids)
    origins = {record_id: _origin(rows) for record_id, rows in evidence.items()}
    turns = view.episodes(tuple({row.episode_id for row in origins.values() if row is not None}))
    same = {record.id: (*_pairs(edges.get(record.id, ())), *_name_given(record)) for record in stated}
    known = {name for pairs in same.values() for pair in pairs for name in pair}
    ends = {end for rows in edges.values() for edge in rows for end in (edge.src, edge.dst) if _is_subject(end)}
    known.update(map(subject_name, ends))
    facts = []
    for record in stated:
        origin, pairs = origins.get(record.id), same.get(record.id, ())
        turn = turns.get(origin.episode_id) if origin else None
        names = _names(record, edges.get(record.id, ()), known)
        standing = _standing(record, now)
        is_held = record.status not in (Status.DEPRECATED, Status.RETRACTED)
        facts.append(
            DossierFact(
                record_id=record.id,
                text=record.text,
                at=_said_at(origin, turn) if origin else record.valid_from,
                episode_id=turn.id if turn else None,
                turn=turn.index if turn else 0,
                confidence=record.confidence,
                names=names,
                same=pairs,
                decided=next((tag[len(DOSSIER_TAG) :] for tag in record.tags if tag.startswith(DOSSIER_TAG)), ""),
                aspect=_aspect(record, names),
                is_held=is_held,
                removed_at=None if is_held else _changed_at(view, record.id),
                superseded_at=record.valid_to if is_held and standing is Standing.SUPERSEDED else None,
                standing=standing,
            )
        )
    return tuple(facts)


def _standing(record: Record, now: datetime) -> Standing:
    """Whether a record holds now; what holds from a later day on is planned until then."""
    if record.status is Status.ACTIVE and record.begins_later(now):
        return Standing.PLANNED
    is_in_force = record.status is Status.ACTIVE or record.holds_until_later(now)
    return Standing.CURRENT if is_in_force and not record.is_over(now) else Standing.SUPERSEDED


def _is_fact(record: Record) -> bool:
    return record.kind not in _NO_FACTS and record.status in SHOWN and BLOCK_TAG not in record.attributes


def names_in(text: str) -> tuple[str, ...]:
    """The subjects that a text names, the likeliest first; of a fact that is no memory yet."""
    from dopejar.pipelines.graph.entities import extract_entities  # facts of memories have edges

    ids = [entity.id for entity in extract_entities(text).entities]
    ordered = sorted(ids, key=lambda one: one.startswith(_LATE_KINDS))
    return tuple(dict.fromkeys(subject_name(one) for one in ordered))


def subject_name(entity: str) -> str:
    """The name of an entity, without the noun that only says what it is: `project:project-heron` is `heron`."""
    words = entity.partition(":")[2].split("-")
    bare = [word for place, word in enumerate(words) if place not in (0, len(words) - 1) or not _is_noun(word)]
    return name_key("-".join(bare or words))


def _is_subject(end: str) -> bool:
    kind, _, name = end.partition(":")
    return bool(name) and f"{kind}:" not in _LATE_KINDS and kind in ENTITY_KINDS


def _is_noun(word: str) -> bool:
    return word == "the" or word in entity_lexicon().nouns


def _said_at(origin: Evidence, turn: Episode | None) -> datetime:
    """When a statement was made, in its place within its turn; one that is announced counts from a later day on."""
    return origin.at if turn is None else min(origin.at, turn.at + timedelta(microseconds=origin.start))


def _origin(rows: Sequence[Evidence]) -> Evidence | None:
    """The earliest statement that a record rests on, withdrawn or not."""
    stated = [row for row in rows if row.role in (EvidenceRole.ASSERTS, EvidenceRole.WITHDRAWN)]
    return min(stated, key=lambda row: (row.at, row.episode_id, row.start), default=None)


def _pairs(edges: Sequence[Edge]) -> tuple[tuple[str, str], ...]:
    """The older and the newer name of each statement that two names mean one thing."""
    found = ((subject_name(edge.src), subject_name(edge.dst)) for edge in edges if edge.kind is EdgeKind.ALIAS_OF)
    return tuple(dict.fromkeys(pair for pair in found if pair[0] != pair[1]))


def _name_given(record: Record) -> tuple[tuple[str, str], ...]:
    """What a thing is and its name, where the record says how it is called: "The order service is called Osprey"."""
    subject, _, aspect = record.slot.rpartition(".")
    if aspect != "name" or "." in subject or subject in ("self", "project") or not record.value.startswith("+"):
        return ()
    pair = subject_name(f":{subject}"), name_key(record.value[1:])
    return (pair,) if all(pair) and pair[0] != pair[1] else ()


def _names(record: Record, edges: Sequence[Edge], known: set[str]) -> tuple[str, ...]:
    """The subjects of a record, the likeliest first: in the order of the text, people and tools behind others."""
    other = _told_of_relative(record)
    if record.layer is Layer.SELF and not _limits_a_thing(record):
        other = other or _told_of_another(record, edges)
        if not other:
            return (USER,)
    words = [(found[0], fold(found[0])) for found in _WORD.finditer(record.text)]
    folded = "-".join(word for _, word in words)
    mentioned = {
        subject_name(edge.dst): edge.dst.startswith(_LATE_KINDS)
        for edge in edges
        if edge.src == record.id and edge.dst != SPEAKER
    }
    for count in (1, 2, 3):
        for place in range(len(words) - count + 1):
            name = "-".join(word for _, word in words[place : place + count])
            if name in known and words[place][0] != words[place][1]:
                mentioned.setdefault(name, False)

    for found in _RELATIVE.finditer(record.text):
        mentioned.setdefault(name_key(found["own"] or found["called"]), True)

    def rank(name: str) -> tuple[bool, bool, int, str]:
        return name != other, mentioned[name], f"-{folded}-".find(f"-{name}-") % 10_000, name

    order = sorted(mentioned, key=rank)
    return tuple(order) if order or record.layer is not Layer.SELF else (USER,)


def _told_of_relative(record: Record) -> str:
    """What the speaker calls the relative that a record begins with: "Dad mustn't have bananas"."""
    found = _RELATIVE.match(record.text)
    if found is None:
        return ""
    from dopejar.pipelines.ingest.statement_frames import OF_THE_SPEAKER  # few records begin so

    is_of_both = record.layer is Layer.SELF and OF_THE_SPEAKER.search(record.text, found.end())
    return "" if is_of_both else name_key(found["own"] or found["called"])


def _told_of_another(record: Record, edges: Sequence[Edge]) -> str:
    """The name of somebody that a record begins with, where it has no word of the user: "Oskar works in Turku"."""
    # what a preference begins with may be what is preferred: "Coffee is the best drink"
    kinds = ("person:",) if record.sublayer is Sublayer.PREFERENCE else ("person:", "thing:")
    named = [subject_name(edge.dst) for edge in edges if edge.src == record.id and edge.dst.startswith(kinds)]
    first = next((name for name in named if f"{name_key(record.text)}-".startswith(f"{name}-")), "")
    if not first:
        return ""
    from dopejar.pipelines.ingest.statement_frames import OF_THE_SPEAKER  # few records begin with a name

    return "" if OF_THE_SPEAKER.search(record.text) else first


def _limits_a_thing(record: Record) -> bool:
    """Whether a record gives a limit of something else than of the user: "Falcon allows 50 uploads per day"."""
    if record.sublayer is not Sublayer.CONSTRAINT or not (read_policy(record.text) or value_given(record.text)):
        return False
    from dopejar.pipelines.ingest.cues import cues  # few records are limits

    return not cues(guess_language(record.text)).has("who.first", record.text)


def _aspect(record: Record, names: Sequence[str]) -> str:
    """What a record gives a single value for, without the name of its subject; "" where its slot is not about one."""
    subject, _, aspect = record.slot.partition(".")
    is_lasting = not record.temporary and record.value.startswith("+") and record.kind is not Kind.ALIAS
    return aspect if is_lasting and subject_name(f":{subject}") in names else ""


def _changed_at(view: ReadView, record_id: RecordId) -> datetime | None:
    """When a record came into the state that it is in."""
    states = view.states(record_id)
    entries = view.entries_of_act(states[-1].act_id) if states else ()
    return entries[-1].at if entries else None

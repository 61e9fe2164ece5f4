"""Proposals: what the atoms of an episode wish to change in memory.

Takes: atoms, the episode, a view of what is known. Gives: proposals with evidence, signals and targets. Never: writes,
nor decides; the gate does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from dopejar.memory.derive import MERGED
from dopejar.pipelines.ingest.atoms import Atom, Key
from dopejar.pipelines.ingest.chain_values import is_lasting
from dopejar.pipelines.ingest.compare import (
    Relation,
    Statement,
    compare,
    known_statement,
    statement,
)
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.integrity import Move, Step, decide, says_the_same
from dopejar.pipelines.ingest.key import make_key
from dopejar.text.code_languages import code_languages
from dopejar.text.lexicons import guess_language
from dopejar.text.normalise import content_hash
from dopejar.text.polarity import polarity
from dopejar.text.similar import similar
from dopejar.values.episode import Episode, Origin
from dopejar.values.ids import ActId, RecordId, TraceId, new_proposal_id
from dopejar.values.proposal import Add, Level, Payload, Proposal, Reinforce, Signals, Supersede, Target, Via
from dopejar.values.record import Draft, Evidence, Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, Project, Scope, Side

_LEAST: Final = 0.5  # below this a conversation's words stay in their episode
_SURE: Final = 0.7  # of a comparison, to act on it
_DOUBT: Final = 0.5  # certainty up to which a new value only disputes the old one
_NEAREST: Final = 8
_MOST_MERGES: Final = 8  # one after the other
_ABOUT_THE_USER: Final = re.compile(r"(?:the )?user(?:'s)?\b", re.IGNORECASE)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|my|me|mine|myself)\b")
_STANDING: Final = re.compile(
    r"\b(?:everywhere|in (?:every|all) projects?|always in general|whatever the project)\b", re.IGNORECASE
)


class Known(Protocol):
    """What ingest must read of memory; a view of the store, or one with changes pending over it."""

    def record(self, record_id: RecordId) -> Record | None:
        """The record with this whole id."""
        ...

    def chain(self, namespace: Namespace, scope: Scope, side: Side, chain: str) -> tuple[Record, ...]:
        """Every record with this slot (or, having no slot, this key), erased ones left out, by `valid_from`."""
        ...

    def with_key(self, namespace: Namespace, scope: Scope, side: Side, key: str) -> tuple[Record, ...]:
        """Every record with this key, erased ones left out, by `valid_from`."""
        ...

    def with_content(self, namespace: Namespace, content_hash: str) -> tuple[Record, ...]:
        """Every record with this content hash in any scope, erased ones left out."""
        ...

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """What the record rests on, oldest first."""
        ...


class Refiner(Protocol):
    """A language model's suggestions, where one is configured: other atoms for the same words, judged like any."""

    def refine(self, text: str, atoms: Sequence[Atom]) -> tuple[Atom, ...]:
        """Atoms to propose instead; the given ones where it has nothing better."""
        ...


class Near(Protocol):
    """A search for records whose words are near, where the caller has an index at hand."""

    def near(self, draft: Draft, limit: int) -> Sequence[Record]:
        """Active records of the draft's namespace and scope, nearest first; the caller decides by which index."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class _Said:
    """What is the same for all atoms of an episode."""

    episode: Episode
    known: Known
    near: Near | None
    via: Via
    origin: Origin
    project: Project | None
    namespace: Namespace


def propose(
    atoms: Sequence[Atom],
    *,
    episode: Episode,
    known: Known,
    act_id: ActId,
    trace_id: TraceId,
    via: Via,
    origin: Origin,
    project: Project | None,
    namespace: Namespace,
    now: datetime,
    made_by: str = "ingest@1",
    near: Near | None = None,
) -> tuple[Proposal, ...]:
    """The proposals of an episode's atoms, at most one per chain.

    Of a conversation, atoms that direct the work are left to the corrections pipeline, and nothing below confidence
    .5 is proposed; what is told to the memory itself is proposed whole. With `near`, a statement whose own chain is
    empty is compared with records under other keys, and joins the chain of the one it restates or updates. Without it
    the outcome does not depend on the order in which conversations arrive.
    """
    said = _Said(episode=episode, known=known, near=near, via=via, origin=origin, project=project, namespace=namespace)
    proposals: list[Proposal] = []
    taken: set[tuple[str, str]] = set()
    for atom in atoms:
        if via is Via.CONVERSATION and (atom.directs_work or atom.confidence < _LEAST):
            continue
        draft, move = _judged(atom, said)
        place = (str(draft.scope), draft.slot or draft.key)
        if place in taken:
            continue  # a second wording in one breath; both lie in the same episode
        taken.add(place)
        proposals.append(
            Proposal(
                id=new_proposal_id(),
                act_id=act_id,
                payload=_payload(draft, move),
                at=now,
                origin=origin,
                via=via,
                made_by=made_by,
                trace_id=trace_id,
                targets=tuple(Target(record_id=record.id, version=record.version) for record in move.targets),
                evidence=(_evidence(atom, episode, draft, act_id),),
                scope=draft.scope,
                confidence=atom.confidence,
                signals=_signals(draft, move, atom, origin),
                rationale=f"{draft.layer}.{draft.sublayer} by {atom.cue!r}; {move.why}",
                proposer=episode.speaker or str(origin),
            )
        )
    return tuple(proposals)


def _judged(atom: Atom, said: _Said) -> tuple[Draft, Move]:
    draft = _at_home(_draft(atom, said.episode, said.project, said.namespace), said.known)
    move = _move(draft, atom, said)
    if move.step is not Step.ADD or said.near is None or draft.temporary or draft.slot:
        return draft, move
    return _beside(draft, atom, said, said.near) or (draft, move)


def _at_home(draft: Draft, known: Known) -> Draft:
    """The draft under the key of the memory that a person merged its own into, where that one says the same."""
    if draft.temporary:
        return draft
    for record in known.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key):
        home, steps = record, 0
        while (name := home.attributes.get(MERGED)) and steps < _MOST_MERGES:
            home, steps = known.record(RecordId(name)) or home, steps + 1
        is_merged = home.chain != record.chain and home.status is Status.ACTIVE and says_the_same(draft, record)
        if is_merged and similar(draft.text, home.text).same_meaning:
            return replace(draft, key=home.key, slot=home.slot, value=home.value)
    return draft


def _move(draft: Draft, atom: Atom, said: _Said) -> Move:
    known = said.known
    if draft.temporary:
        told = known.with_content(draft.namespace, content_hash(draft.text))
        same = [record for record in told if record.temporary and record.scope == draft.scope]
        if same:
            return Move(step=Step.REINFORCE, targets=(same[-1],), why="said before")
        return Move(step=Step.ADD, why="for a time")
    chain = known.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    return decide(draft, atom.valid_from or said.episode.at, chain, lambda record: known.evidence(record.id))


def _beside(draft: Draft, atom: Atom, said: _Said, near: Near) -> tuple[Draft, Move] | None:
    """The chain of a record under another key that the statement restates, updates or contradicts."""
    for record in near.near(draft, _NEAREST):
        if record.temporary or record.status is not Status.ACTIVE or record.scope != draft.scope:
            continue
        found = compare(_known_statement(record), statement(atom))
        if found.relation is Relation.APART or found.confidence < _SURE:
            continue
        if found.relation is Relation.CONFLICT or (
            found.relation is Relation.UPDATE and said.origin is not Origin.USER
        ):
            return draft, Move(step=Step.ADD, why=f"{found.why}: {record.key}", disputes=(record,))
        joined = replace(draft, key=record.key, slot=record.slot, value=_joined_value(record, found.relation))
        return joined, _move(joined, atom, said)
    return None


def _joined_value(record: Record, relation: Relation) -> str:
    """The record's own value where the statement says the same; none where it says another and no slot tells which."""
    return record.value if relation is Relation.SAME else ""


def _known_statement(record: Record) -> Statement:
    directs = record.kind in (Kind.RULE, Kind.CORRECTION) or record.layer is Layer.INTENT
    key = Key(key=record.key, slot=record.slot, value=record.value, many="#" in record.slot, confidence=1.0)
    return known_statement(
        record.text, key, polarity=polarity(record.text, guess_language(record.text)), directs=directs
    )


def _payload(draft: Draft, move: Move) -> Payload:
    if move.step is Step.REINFORCE:
        return Reinforce()
    if move.step is Step.ADD:
        return Add(draft=draft)
    return Supersede(
        draft=draft, predecessor=move.predecessor.id if move.predecessor else None, resume_from=move.resume_from
    )


def _draft(atom: Atom, episode: Episode, project: Project | None, namespace: Namespace) -> Draft:
    key = make_key(atom)
    layer, sublayer, text = atom.layer, atom.sublayer, atom.text
    if not atom.speaker_is_user and episode.origin is not Origin.USER and _speaks_of_self(atom, key):
        key, layer, sublayer, text = _as_other(key, atom, episode.speaker)
    return Draft(
        kind=atom.kind,
        text=text,
        key=key.key,
        slot=key.slot,
        value=key.value,
        layer=layer,
        sublayer=sublayer,
        namespace=namespace,
        scope=_scope(atom, key, project),
        confidence=atom.confidence,
        certainty=atom.certainty,
        tags=atom.tags,
        valid_from=atom.valid_from or episode.at,
        valid_to=atom.valid_to,
        temporary=atom.temporary,
    )


def _speaks_of_self(atom: Atom, key: Key) -> bool:
    if _ABOUT_THE_USER.match(atom.text):
        return False  # an assistant's account of the user is about the user; its trust says who gave it
    return atom.layer is Layer.SELF or key.slot.startswith("self.") or bool(_FIRST_PERSON.search(atom.text))


def _as_other(key: Key, atom: Atom, speaker: str) -> tuple[Key, Layer, Sublayer, str]:
    """What another speaker says of themselves is about that person, in layer world, and never about the user."""
    name = speaker.strip() or "someone"
    slot = f"person:{name.casefold()}/{key.slot}" if key.slot else ""
    digest = content_hash(f"{name}|{key.slot or key.key}")[:8]
    title = re.sub(r"[\W_]+", "", name)[:12] or "Other"
    body = f"{title}-{key.key.removeprefix('Self-')}"[:21].rstrip("-")
    other = Key(key=f"{body}-{digest}", slot=slot, value=key.value, many=key.many, confidence=key.confidence)
    text = atom.text if name.casefold() in atom.text.casefold() else f"{name}: {atom.text}"
    return other, Layer.WORLD, Sublayer.FACT, text


def _scope(atom: Atom, key: Key, project: Project | None) -> Scope:
    """Where a statement holds.

    Facts about the speaker hold everywhere; a rule bound to a programming language holds there; what is said of the
    world, or as a goal, inside a project holds in the project.
    """
    if atom.layer is Layer.SELF or key.slot.startswith(("self.", "assistant.")) or _STANDING.search(atom.text):
        return UNIVERSAL
    if project is not None:
        return Scope.project(project.id)
    spoken = code_languages(atom.text) if atom.directs_work else ()
    return Scope.language(spoken[0]) if len(spoken) == 1 else UNIVERSAL


def _evidence(atom: Atom, episode: Episode, draft: Draft, act_id: ActId) -> Evidence:
    return Evidence(
        episode_id=episode.id,
        start=atom.start,
        end=atom.end,
        at=draft.valid_from or episode.at,
        wording=draft.text,
        trust=1.0,
        confidence=atom.confidence,
        certainty=atom.certainty,
        act_id=act_id,
    )


def _signals(draft: Draft, move: Move, atom: Atom, origin: Origin) -> Signals:
    away = move.curated_away
    if move.disputes:
        others = tuple(record.id for record in move.disputes)
        return Signals(conflict=Level.HIGH, conflicts_with=others, curated_away=away)
    if move.step is not Step.SUPERSEDE:
        return Signals(curated_away=away)
    others = tuple(record.id for record in move.targets)
    if atom.certainty <= _DOUBT or not draft.slot or _is_contradiction(draft, atom):
        return Signals(conflict=Level.HIGH, conflicts_with=others, curated_away=away)
    own = origin is Origin.USER
    level = Level.LOW if own else Level.MEDIUM
    return Signals(conflict=level, conflicts_with=others, own_update=own, curated_away=away)


def _is_contradiction(draft: Draft, atom: Atom) -> bool:
    """Another value of what does not change by itself (a birthday, what a word means), with no word of a change."""
    return is_lasting(draft.slot) and not cues(atom.language).has("time.change", atom.text)

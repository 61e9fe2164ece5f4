"""Proposals: what the atoms of an episode wish to change in memory.

Takes: atoms, the episode, a view of what is known. Gives: proposals with evidence, signals and targets. Never: writes,
nor decides; the gate does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Protocol

from dopejar.pipelines.ingest.atoms import Atom, Extraction, Key
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.draft_resolution import move_for_slot_hint, resolve_draft
from dopejar.pipelines.ingest.integrity.chain_move import ChainMove, Step, decide_move, is_stable_slot
from dopejar.pipelines.ingest.integrity.comparison import (
    Relation,
    Statement,
    compare,
    known_statement,
    statement,
)
from dopejar.pipelines.ingest.keys.key import make_key, plain_key
from dopejar.pipelines.ingest.keys.read_slot import read_slot
from dopejar.pipelines.ingest.namespaces import EPHEMERAL_TTL
from dopejar.pipelines.ingest.paraphrase.candidates import Neighbour
from dopejar.pipelines.ingest.paraphrase.record_merges import said_again, taken_in
from dopejar.pipelines.ingest.paraphrase.sameness import about_another, same_statement
from dopejar.pipelines.ingest.paraphrase.semantic_traits import Nearness
from dopejar.pipelines.ingest.paraphrase.whole_text_match import retold
from dopejar.text.code_languages import code_languages
from dopejar.text.lexicons import guess_language
from dopejar.text.normalise import content_hash
from dopejar.text.polarity import polarity
from dopejar.text.slot_values import same_value
from dopejar.values.episode import Episode, Origin
from dopejar.values.ids import ActId, RecordId, TraceId, new_proposal_id
from dopejar.values.proposal import Add, Level, Payload, Proposal, Reinforce, Signals, Supersede, Via
from dopejar.values.record import Draft, Evidence, Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, Project, Scope, Side
from dopejar.values.target import RecordTarget

_LEAST: Final = 0.5  # below this a conversation's words stay in their episode
_SURE: Final = 0.7  # of a comparison, to act on it
_DOUBT: Final = 0.5  # certainty up to which a new value only disputes the old one
_NEAREST: Final = 8
_ATTITUDE: Final = "self.attitude#"
_ABOUT_THE_USER: Final = re.compile(r"(?:the )?user(?:'s)?\b", re.IGNORECASE)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|my|me|mine|myself)\b")
_HERE: Final = re.compile(r"\bthis (?:project|repo|repository|codebase)\b", re.IGNORECASE)
_STANDING: Final = re.compile(
    r"\b(?:everywhere|in (?:every|all) projects?|always in general|whatever the project)\b", re.IGNORECASE
)


class Known(Protocol):
    """What ingest must read of memory; a view of the store, or one with changes pending over it."""

    def record(self, record_id: RecordId) -> Record | None:
        """The record with this whole id."""
        ...

    def as_it_stands(self, record: Record) -> Record:
        """A record that was found in the same snapshot, as pending changes leave it."""
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

    def refine(self, text: str, read: Extraction, before: str = "") -> tuple[Atom, ...]:
        """Atoms to propose instead of those that were read; the same ones where it has nothing better."""
        ...


class CandidateSearch(Protocol):
    """A search for records whose words are near, where the caller has an index at hand."""

    def near(self, draft: Draft, limit: int) -> Sequence[Neighbour]:
        """Active records of the draft's namespace and scope, nearest first; the caller decides by which index."""
        ...

    def told(self, draft: Draft, limit: int) -> Sequence[Neighbour]:
        """Records near to the whole text that the draft comes from, in the whole texts that they were told in."""
        ...

    def nearness(self, told: str, known: Sequence[str]) -> Sequence[Nearness | None]:
        """How near in meaning a text is to each of the others; None where nothing tells."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class _Said:
    """What is the same for all atoms of an episode."""

    episode: Episode
    known: Known
    near: CandidateSearch | None
    via: Via
    origin: Origin
    project: Project | None
    namespace: Namespace
    ttl: timedelta


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
    near: CandidateSearch | None = None,
    ttl: timedelta = EPHEMERAL_TTL,
) -> tuple[Proposal, ...]:
    """The proposals of an episode's atoms, at most one per chain.

    Of a conversation, atoms that direct the work are left to the corrections pipeline, and nothing below confidence
    .5 is proposed; what is told to the memory itself is proposed whole. With `near`, a statement that its own chain
    does not know yet is compared with records under other keys: the one it says in other words is reinforced, the one
    it updates gets a new version. Without it the outcome does not depend on the order in which conversations arrive.
    What is ephemeral ends after `ttl`.
    """
    said = _Said(
        episode=episode,
        known=known,
        near=near,
        via=via,
        origin=origin,
        project=project,
        namespace=namespace,
        ttl=ttl,
    )
    proposals: list[Proposal] = []
    taken: set[tuple[str, str]] = set()
    for atom in atoms:
        if via is Via.CONVERSATION and (atom.directs_work or atom.confidence < _LEAST):
            continue
        if via is Via.CONVERSATION and project is None and _HERE.search(atom.text):
            continue  # said outside of every project: which one it was only the conversation tells
        draft, move = _judged(atom, said)
        place = (str(draft.scope), draft.slot or draft.key)
        if place in taken:
            continue  # a second wording in one breath; both lie in the same episode
        taken.add(place)
        wish = Proposal(
            id=new_proposal_id(),
            act_id=act_id,
            payload=_payload(draft, move),
            at=now,
            origin=origin,
            via=via,
            made_by=made_by,
            trace_id=trace_id,
            targets=tuple(RecordTarget(record_id=record.id, version=record.version) for record in move.targets),
            evidence=(_evidence(atom, episode, draft, act_id),),
            scope=draft.scope,
            confidence=atom.confidence,
            signals=_signals(draft, move, atom, origin),
            rationale=f"{draft.layer}.{draft.sublayer} by {atom.cue!r}; {move.why}",
            proposer=episode.speaker or str(origin),
        )
        proposals += [wish, *(taken_in(wish, draft, move.targets[0], one) for one in move.takes_in)]
    return tuple(proposals)


def _judged(atom: Atom, said: _Said) -> tuple[Draft, ChainMove]:
    draft = resolve_draft(
        _draft(atom, said.episode, said.project, said.namespace), said.episode.at, said.ttl, said.known
    )
    move = _move(draft, atom, said)
    if atom.slot_hint and move.step is Step.ADD:
        move = move_for_slot_hint(draft, atom.slot_hint, said.known) or move
    if said.near is None or move.step is Step.REINFORCE or _says_a_change(draft, atom, move):
        return draft, move
    again = _told_again(draft, atom, said, said.near)
    if again is not None:
        return replace(draft, scope=again.targets[0].scope), again
    found = _today(said.near.near(draft, _NEAREST), said.known)
    around = [one for one in found if one.record.scope == draft.scope]
    same = _same_as(draft, atom, said.near, around)
    if same is not None:
        return draft, same
    if move.step is Step.SUPERSEDE and any(about_another(draft.text, one.text) for one in move.targets):
        draft = _under_its_words(draft, atom)  # its slot was misread: a sister is no brother, staging no production
        move = _move(draft, atom, said)
    if move.step is not Step.ADD or draft.temporary:
        return draft, move
    return _beside(draft, atom, said, around) or (draft, move)


def _says_a_change(draft: Draft, atom: Atom, move: ChainMove) -> bool:
    """Whether it names another value of its slot and says so, or likes what was disliked: then no wording is sought."""
    if move.step is not Step.SUPERSEDE or any(about_another(draft.text, one.text) for one in move.targets):
        return False
    return draft.slot.startswith(_ATTITUDE) or cues(atom.language).has("time.change", atom.text)


def _today(found: Sequence[Neighbour], known: Known) -> list[Neighbour]:
    """The neighbours as they stand now, without those that nothing is to be compared with."""
    today = [(one, known.as_it_stands(one.record)) for one in found]
    return [
        one if record is one.record else replace(one, record=record)
        for one, record in today
        if record.status is Status.ACTIVE and not record.temporary
    ]


def _told_again(draft: Draft, atom: Atom, said: _Said, near: CandidateSearch) -> ChainMove | None:
    """The record that all of the user's text says once more."""
    if said.origin is not Origin.USER or draft.temporary:
        return None
    return retold(said.episode.text, atom, _today(near.told(draft, _NEAREST), said.known), near.nearness)


def _under_its_words(draft: Draft, atom: Atom) -> Draft:
    key = plain_key(atom)
    return replace(draft, key=key.key, slot="", value="")


def _same_as(draft: Draft, atom: Atom, near: CandidateSearch, around: Sequence[Neighbour]) -> ChainMove | None:
    """The record that the statement says in other words: it is stated once more, under its own key."""
    if atom.certainty <= _DOUBT:
        return None
    found = [(same_statement(draft.text, one.wordings, one.nearness), one) for one in around]
    return said_again(draft.text, found, near.nearness, "the same in other words")


def _move(draft: Draft, atom: Atom, said: _Said) -> ChainMove:
    known = said.known
    if draft.temporary:
        told = known.with_content(draft.namespace, content_hash(draft.text))
        same = [record for record in told if record.temporary and record.scope == draft.scope]
        if same:
            return ChainMove(step=Step.REINFORCE, targets=(same[-1],), why="said before")
        return ChainMove(step=Step.ADD, why="for a time")
    chain = known.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    return decide_move(draft, atom.valid_from or said.episode.at, chain, lambda record: known.evidence(record.id))


def _beside(draft: Draft, atom: Atom, said: _Said, around: Sequence[Neighbour]) -> tuple[Draft, ChainMove] | None:
    """The chain of a record under another key that the statement updates or contradicts."""
    if draft.slot:
        return _by_a_wording(draft, atom, said, around)
    for one in around:
        record = one.record
        if record.value.startswith("-"):
            continue  # a denial stands by itself; only its own value ends it
        found = compare(_known_statement(record), statement(atom))
        if found.relation not in (Relation.UPDATE, Relation.CONFLICT) or found.confidence < _SURE:
            continue
        if found.relation is Relation.CONFLICT or said.origin is not Origin.USER:
            return draft, ChainMove(step=Step.ADD, why=f"{found.why}: {record.key}", disputes=(record,))
        joined = replace(draft, key=record.key, slot=record.slot, value="")
        return joined, _move(joined, atom, said)
    return None


def _by_a_wording(draft: Draft, atom: Atom, said: _Said, around: Sequence[Neighbour]) -> tuple[Draft, ChainMove] | None:
    """The record under another key that was once told with this slot, and with another value."""
    for one in around:
        if one.record.slot == draft.slot or about_another(draft.text, one.record.text):
            continue  # its chain has been asked, or it is about staging and this about production
        for wording in one.wordings:
            slot = read_slot(wording, polarity(wording, guess_language(wording)))
            if slot and slot.name == draft.slot and not same_value(slot.value, draft.value):
                joined = replace(draft, key=one.record.key, slot=one.record.slot, value="")
                return joined, _move(joined, atom, said)
    return None


def _known_statement(record: Record) -> Statement:
    directs = record.kind in (Kind.RULE, Kind.CORRECTION) or record.layer is Layer.INTENT
    key = Key(key=record.key, slot=record.slot, value=record.value, many="#" in record.slot, confidence=1.0)
    return known_statement(
        record.text, key, polarity=polarity(record.text, guess_language(record.text)), directs=directs
    )


def _payload(draft: Draft, move: ChainMove) -> Payload:
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


def _signals(draft: Draft, move: ChainMove, atom: Atom, origin: Origin) -> Signals:
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
    return is_stable_slot(draft.slot) and not cues(atom.language).has("time.change", atom.text)

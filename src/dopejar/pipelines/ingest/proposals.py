"""Proposals: the changes of memory that the atoms of an episode ask for.

Takes: atoms, the episode, a view of the stored records. Gives: proposals with evidence, signals and targets. Never:
writes, or decides; the gate decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Protocol

from dopejar.pipelines.ingest.atoms import Atom, Key
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.draft_resolution import move_for_slot_hint, resolve_draft
from dopejar.pipelines.ingest.guidance import directs_assistant
from dopejar.pipelines.ingest.integrity.chain_move import ChainMove, Step, decide_move, is_stable_slot
from dopejar.pipelines.ingest.integrity.comparison import Relation, Statement, compare, known_statement, statement
from dopejar.pipelines.ingest.keys.key import make_key, plain_key
from dopejar.pipelines.ingest.keys.read_slot import read_slot
from dopejar.pipelines.ingest.namespaces import EPHEMERAL_TTL
from dopejar.pipelines.ingest.paraphrase.candidates import Neighbour
from dopejar.pipelines.ingest.paraphrase.record_merges import said_again, taken_in
from dopejar.pipelines.ingest.paraphrase.sameness import about_another, same_statement
from dopejar.pipelines.ingest.paraphrase.semantic_traits import Nearness
from dopejar.pipelines.ingest.paraphrase.whole_text_match import retold
from dopejar.pipelines.ingest.related_records import RelatedSearch
from dopejar.pipelines.ingest.resolution import resolve_as_read, with_free_key
from dopejar.text.code_languages import code_languages
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import content_hash, same_value
from dopejar.text.polarity import polarity
from dopejar.values.episode import Episode, Origin
from dopejar.values.ids import ActId, RecordId, TraceId, new_proposal_id
from dopejar.values.proposal import Add, Level, Payload, Proposal, Reinforce, Signals, Supersede, Via
from dopejar.values.record import Draft, Evidence, Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, Project, Scope, Side
from dopejar.values.target import RecordTarget

_LEAST: Final = 0.5  # confidence below which a conversation's words stay in their episode alone
_SURE: Final = 0.7  # confidence from which a comparison is acted on
_DOUBT: Final = 0.5  # certainty up to which a new value only conflicts with the old one
_NEAREST: Final = 8
_ATTITUDE: Final = "self.attitude#"
_ABOUT_THE_USER: Final = re.compile(r"(?:the )?user(?:'s)?\b", re.IGNORECASE)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|my|me|mine|myself)\b")
_HERE: Final = re.compile(r"\bthis (?:project|repo|repository|codebase)\b", re.IGNORECASE)
_STANDING: Final = re.compile(
    r"\b(?:everywhere|in (?:every|all) projects?|always in general|whatever the project)\b", re.IGNORECASE
)


class Known(Protocol):
    """What ingest reads of memory: a view of the store, with or without pending changes."""

    def record(self, record_id: RecordId) -> Record | None:
        """The record with this whole id."""
        ...

    def current_version(self, record: Record) -> Record:
        """A record of the same snapshot with the pending changes applied."""
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


class CandidateSearch(Protocol):
    """A search for candidate records with similar words, where the caller has an index."""

    def near(self, draft: Draft, limit: int) -> Sequence[Neighbour]:
        """Active records of the draft's namespace and scope, most similar first; the implementation picks the index."""
        ...

    def find_by_whole_text(self, draft: Draft, limit: int) -> Sequence[Neighbour]:
        """Records whose source texts are similar to the whole text that the draft comes from."""
        ...

    def nearness(self, told: str, known: Sequence[str]) -> Sequence[Nearness | None]:
        """How similar in meaning a text is to each of the others; None where there is no evidence either way."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class _EpisodeContext:
    """What all atoms of an episode have in common."""

    episode: Episode
    known: Known
    near: CandidateSearch | None
    related: RelatedSearch | None
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
    related: RelatedSearch | None = None,
    ttl: timedelta = EPHEMERAL_TTL,
) -> tuple[Proposal, ...]:
    """Make the proposals of an episode's atoms, at most one per chain.

    In a conversation, atoms that direct the work are left to the corrections pipeline, and nothing below confidence
    .5 is proposed; what is said to the memory itself is proposed entirely. With `near`, a statement that is new to its
    own chain is compared with records under other keys: one that it paraphrases is reinforced, one that it updates gets
    a new version. Without it the order of conversations does not matter. Ephemeral records end after `ttl`.
    """
    context = _EpisodeContext(
        episode=episode,
        known=known,
        near=near,
        related=related,
        via=via,
        origin=origin,
        project=project,
        namespace=namespace,
        ttl=ttl,
    )
    proposals: list[Proposal] = []
    seen_chains: set[tuple[str, str]] = set()
    for atom in atoms:
        if via is Via.CONVERSATION and (atom.directs_work or atom.confidence < _LEAST):
            continue
        if via is Via.CONVERSATION and project is None and _HERE.search(atom.text):
            continue  # said outside of every project: only the conversation tells which one is meant
        draft, move = _resolve(atom, context)
        draft = with_free_key(draft, known)
        chain = (str(draft.scope), draft.slot or draft.key)
        if chain in seen_chains:
            continue  # a second wording in the same episode
        seen_chains.add(chain)
        proposal = Proposal(
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
        merges = (taken_in(proposal, draft, move.targets[0], record) for record in move.takes_in)
        proposals += [proposal, *merges]
    return tuple(proposals)


def _resolve(atom: Atom, context: _EpisodeContext) -> tuple[Draft, ChainMove]:
    draft = resolve_draft(
        _draft(atom, context.episode, context.project, context.namespace),
        context.episode.at,
        context.ttl,
        context.known,
    )
    if context.related is not None and not draft.temporary and atom.language == "en":
        # within a text the later words come later
        at = (atom.valid_from or context.episode.at) + timedelta(microseconds=atom.start)
        return resolve_as_read(replace(draft, valid_from=at), at, context.known, context.related)
    move = _chain_move(draft, atom, context)
    if atom.slot_hint and move.step is Step.ADD:
        move = move_for_slot_hint(draft, atom.slot_hint, context.known) or move
    if context.near is None or move.step is Step.REINFORCE or _states_a_change(draft, atom, move):
        return draft, move
    repetition = _match_whole_text(draft, atom, context, context.near)
    if repetition is not None:
        return replace(draft, scope=repetition.targets[0].scope), repetition
    candidates = _current_candidates(context.near.near(draft, _NEAREST), context.known)
    candidates = [candidate for candidate in candidates if candidate.record.scope == draft.scope]
    paraphrase = _match_paraphrase(draft, atom, context.near, candidates)
    if paraphrase is not None:
        return draft, paraphrase
    if move.step is Step.SUPERSEDE and any(about_another(draft.text, record.text) for record in move.targets):
        draft = _without_slot(draft, atom)  # its slot was misread: a sister is no brother, staging no production
        move = _chain_move(draft, atom, context)
    if move.step is not Step.ADD or draft.temporary:
        return draft, move
    return _match_other_key(draft, atom, context, candidates) or (draft, move)


def _states_a_change(draft: Draft, atom: Atom, move: ChainMove) -> bool:
    """Whether it states a change of its slot's value, or likes what was disliked: then no paraphrase is sought."""
    if move.step is not Step.SUPERSEDE or any(about_another(draft.text, record.text) for record in move.targets):
        return False
    return draft.slot.startswith(_ATTITUDE) or cues(atom.language).has("time.change", atom.text)


def _current_candidates(candidates: Sequence[Neighbour], known: Known) -> list[Neighbour]:
    """The candidates with pending changes applied, without those that cannot be compared."""
    current = [(candidate, known.current_version(candidate.record)) for candidate in candidates]
    return [
        candidate if record is candidate.record else replace(candidate, record=record)
        for candidate, record in current
        if record.status is Status.ACTIVE and not record.temporary
    ]


def _match_whole_text(draft: Draft, atom: Atom, context: _EpisodeContext, near: CandidateSearch) -> ChainMove | None:
    """The move for a record that the user's whole text repeats."""
    if context.origin is not Origin.USER or draft.temporary:
        return None
    candidates = _current_candidates(near.find_by_whole_text(draft, _NEAREST), context.known)
    return retold(context.episode.text, atom, candidates, near.nearness)


def _without_slot(draft: Draft, atom: Atom) -> Draft:
    key = plain_key(atom)
    return replace(draft, key=key.key, slot="", value="")


def _match_paraphrase(
    draft: Draft, atom: Atom, near: CandidateSearch, candidates: Sequence[Neighbour]
) -> ChainMove | None:
    """The move for a record that the statement paraphrases: it is reinforced under its own key."""
    if atom.certainty <= _DOUBT:
        return None
    matches = [(same_statement(draft.text, match.wordings, match.nearness), match) for match in candidates]
    return said_again(draft.text, matches, near.nearness, "the same in other words")


def _chain_move(draft: Draft, atom: Atom, context: _EpisodeContext) -> ChainMove:
    known = context.known
    if draft.temporary:
        identical = known.with_content(draft.namespace, content_hash(draft.text))
        same = [record for record in identical if record.temporary and record.scope == draft.scope]
        if same:
            return ChainMove(step=Step.REINFORCE, targets=(same[-1],), why="said before")
        return ChainMove(step=Step.ADD, why="for a time")
    chain = known.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    return decide_move(draft, atom.valid_from or context.episode.at, chain, lambda record: known.evidence(record.id))


def _match_other_key(
    draft: Draft, atom: Atom, context: _EpisodeContext, candidates: Sequence[Neighbour]
) -> tuple[Draft, ChainMove] | None:
    """The draft and move on the chain of a record under another key that the statement updates or contradicts."""
    if draft.slot:
        return _match_former_wording(draft, atom, context, candidates)
    for candidate in candidates:
        record = candidate.record
        if record.value.startswith("-"):
            continue  # a denial is independent; only its own value ends it
        comparison = compare(_known_statement(record), statement(atom))
        if comparison.relation not in (Relation.UPDATE, Relation.CONFLICT) or comparison.confidence < _SURE:
            continue
        if comparison.relation is Relation.CONFLICT or context.origin is not Origin.USER:
            return draft, ChainMove(step=Step.ADD, why=f"{comparison.why}: {record.key}", disputes=(record,))
        joined = replace(draft, key=record.key, slot=record.slot, value="")
        return joined, _chain_move(joined, atom, context)
    return None


def _match_former_wording(
    draft: Draft, atom: Atom, context: _EpisodeContext, candidates: Sequence[Neighbour]
) -> tuple[Draft, ChainMove] | None:
    """The draft and move on the chain of a record that was once worded with this slot and another value."""
    for candidate in candidates:
        if candidate.record.slot == draft.slot or about_another(draft.text, candidate.record.text):
            continue  # its chain was compared already, or it is about staging and this about production
        for wording in candidate.wordings:
            slot = read_slot(wording, polarity(wording, guess_language(wording)))
            if slot and slot.name == draft.slot and not same_value(slot.value, draft.value):
                joined = replace(draft, key=candidate.record.key, slot=candidate.record.slot, value="")
                return joined, _chain_move(joined, atom, context)
    return None


def _known_statement(record: Record) -> Statement:
    directs = record.kind in (Kind.RULE, Kind.CORRECTION) or record.layer is Layer.INTENT
    key = Key(key=record.key, slot=record.slot, value=record.value, many="#" in record.slot, confidence=1.0)
    sign = polarity(record.text, guess_language(record.text))
    return known_statement(record.text, key, polarity=sign, directs=directs)


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
    if not atom.speaker_is_user and episode.origin is not Origin.USER and _is_about_speaker(atom, key):
        key, layer, sublayer, text = _about_other_speaker(key, atom, episode.speaker)
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


def _is_about_speaker(atom: Atom, key: Key) -> bool:
    if _ABOUT_THE_USER.match(atom.text):
        return False  # an assistant's account of the user is about the user; its trust reflects who gave it
    return atom.layer is Layer.SELF or key.slot.startswith("self.") or bool(_FIRST_PERSON.search(atom.text))


def _about_other_speaker(key: Key, atom: Atom, speaker: str) -> tuple[Key, Layer, Sublayer, str]:
    """Attribute what another speaker says of themselves to that person, in layer world, never to the user."""
    name = speaker.strip() or "someone"
    slot = f"person:{name.casefold()}/{key.slot}" if key.slot else ""
    digest = content_hash(f"{name}|{key.slot or key.key}")[:8]
    title = re.sub(r"[\W_]+", "", name)[:12] or "Other"
    body = f"{title}-{key.key.removeprefix('Self-')}"[:21].rstrip("-")
    other = Key(key=f"{body}-{digest}", slot=slot, value=key.value, many=key.many, confidence=key.confidence)
    text = atom.text if name.casefold() in atom.text.casefold() else f"{name}: {atom.text}"
    return other, Layer.WORLD, Sublayer.FACT, text


def _scope(atom: Atom, key: Key, project: Project | None) -> Scope:
    """The scope of a statement.

    Facts about the speaker hold everywhere; a rule about a programming language holds for it; a statement about the
    world, or a goal, holds in the project where it is said in one.
    """
    if atom.layer is Layer.SELF or key.slot.startswith(("self.", "assistant.")) or _STANDING.search(atom.text):
        return UNIVERSAL
    if project is not None:
        return Scope.project(project.id)
    languages = code_languages(atom.text) if atom.directs_work else ()
    return Scope.language(languages[0]) if len(languages) == 1 else UNIVERSAL


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
    directs_work = atom.directs_work or directs_assistant(draft.text, draft.kind)
    plain = Signals(directs_work=directs_work, curated_away=move.curated_away)
    if move.disputes:
        others = tuple(record.id for record in move.disputes)
        return replace(plain, conflict=Level.HIGH, conflicts_with=others)
    if move.step is not Step.SUPERSEDE:
        return plain
    others = tuple(record.id for record in move.targets)
    unsure = not move.as_read and (not draft.slot or _is_contradiction(draft, atom))
    if atom.certainty <= _DOUBT or unsure:
        return replace(plain, conflict=Level.HIGH, conflicts_with=others)
    own = origin is Origin.USER
    level = Level.LOW if own else Level.MEDIUM
    return replace(plain, conflict=level, conflicts_with=others, own_update=own)


def _is_contradiction(draft: Draft, atom: Atom) -> bool:
    """Whether it gives another value of a stable slot (a birthday, a definition) without stating a change."""
    return is_stable_slot(draft.slot) and not cues(atom.language).has("time.change", atom.text)

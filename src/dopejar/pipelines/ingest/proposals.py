"""Proposals: the changes of memory that the atoms of an episode ask for.

Takes: atoms, the episode, a view of the stored records. Gives: proposals with evidence, signals and targets. Never:
writes, or decides; the gate decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from dopejar.memory.chain import with_digest
from dopejar.memory.derivation import KEPT_BESIDE
from dopejar.pipelines.ingest.announced_decisions import held_back
from dopejar.pipelines.ingest.atoms import Atom, Key
from dopejar.pipelines.ingest.chain_decision import (
    Known,
    exact_restatement,
    is_known,
    resolve_as_corrected,
    resolve_as_dated,
    resolve_as_read,
    sureness,
    with_free_key,
)
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.draft_preparation import held_by_supposition, move_for_slot_hint, resolve_draft
from dopejar.pipelines.ingest.extraction.laughter import is_in_fun
from dopejar.pipelines.ingest.extraction.meta_talk import without_opening_retraction
from dopejar.pipelines.ingest.extraction.named_values import scrapped
from dopejar.pipelines.ingest.integrity.chain_move import ChainMove, Step, decide_move, is_stable_slot
from dopejar.pipelines.ingest.keys.given_key import key_of
from dopejar.pipelines.ingest.keys.key import key_of_speaker, make_key
from dopejar.pipelines.ingest.named_corrections import resolve_as_named
from dopejar.pipelines.ingest.namespaces import EPHEMERAL_TTL
from dopejar.pipelines.ingest.related_records import RelatedSearch
from dopejar.pipelines.ingest.remaining_statements import beside_untouched, rests_of
from dopejar.pipelines.ingest.rules_in_force import directs_work, ends_rule, sparing_rules, tells_what_to_do
from dopejar.pipelines.ingest.statement_frames import OF_THE_SPEAKER
from dopejar.text.code_languages import code_languages
from dopejar.text.names import spelled_names
from dopejar.text.normalisation import content_hash
from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.episode import Episode, Origin
from dopejar.values.ids import ActId, TraceId, new_proposal_id
from dopejar.values.proposal import Add, Level, Payload, Proposal, Reinforce, Signals, Supersede, Via
from dopejar.values.record import RENAMED, Draft, Evidence, Layer, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, Project, Scope
from dopejar.values.statement import MAY_BE_PRIVATE, SURELY_PRIVATE, TAKES_BACK
from dopejar.values.target import RecordTarget

_LEAST: Final = 0.5  # confidence below which a conversation's words stay in their episode alone
_IN_FUN: Final = 0.4  # that of guidance said with laughter: a person tells whether it is meant
_EVEN: Final = 0.5  # probability below which a statement is rather of the work than of the speaker's own life
_ABOUT_THE_USER: Final = re.compile(r"(?:the )?user(?:'s)?\b", re.IGNORECASE)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|my|me|mine|myself)\b")
_MY_OTHER: Final = re.compile(r"my\b(?!.*\b(?:I|me|myself)\b)", re.IGNORECASE)
_HERE: Final = re.compile(r"\bthis (?:project|repo|repository|codebase)\b", re.IGNORECASE)
# "everywhere" alone means: in all of this project
_STANDING: Final = re.compile(
    r"\b(?:(?:in|for|across|on|to) (?:every|all|any|each|no|none)(?: (?:one )?of)?(?: (?:my|our|the))?(?: other)? "
    r"(?:[\w-]+ )?(?:projects?|repos?|repositories|codebases?)|"
    r"across projects|always in general|whatever the project)\b",
    re.IGNORECASE,
)
_OF_PROJECT: Final = re.compile(
    r"\b(?:in|for|across|throughout|within|inside|of) (?:all of )?(?:this|our) (?:[\w-]+ )?"
    r"(?:project|repo|repository|codebase|code base|code|workspace|monorepo)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _EpisodeContext:
    """What all atoms of an episode have in common."""

    episode: Episode
    known: Known
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
    related: RelatedSearch | None = None,
    ttl: timedelta = EPHEMERAL_TTL,
) -> tuple[Proposal, ...]:
    """Make the proposals of an episode's atoms, at most one per chain.

    In a conversation nothing below confidence .5 is proposed; what is said to the memory itself is proposed entirely.
    With `related`, a statement is compared with the records that are near it, and takes over the slot of the one that
    it repeats, updates or ends; without it slots decide, and the order of conversations does not matter. Ephemeral
    records end after `ttl`.
    """
    context = _EpisodeContext(
        episode=episode,
        known=known,
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
        if via is Via.CONVERSATION and atom.confidence < _LEAST:
            continue
        if via is Via.CONVERSATION and project is None and _HERE.search(atom.text):
            continue  # said outside of every project: only the conversation tells which one is meant
        draft, move = _resolve(atom, context)
        move = move if tells_what_to_do(atom, draft) else sparing_rules(move)
        draft = with_free_key(draft, known)
        chain = (str(draft.scope), draft.slot or draft.key)
        if chain in seen_chains:
            continue  # a second wording in the same episode
        seen_chains.add(chain)
        may_be_joke = via is not Via.CONVERSATION and directs_work(atom, draft) and is_in_fun(episode.text, atom)
        proposal = Proposal(
            id=new_proposal_id(),
            act_id=act_id,
            payload=_payload(draft, move, context.related),
            at=now,
            origin=origin,
            via=via,
            made_by=made_by,
            trace_id=trace_id,
            targets=tuple(
                RecordTarget(record_id=record.id, version=record.version) for record in (*move.targets, *move.joins)
            ),
            evidence=_evidence(atom, episode, draft, act_id),
            scope=draft.scope,
            confidence=min(atom.confidence, _IN_FUN) if may_be_joke else atom.confidence,
            signals=_signals(draft, move, atom, origin, via),
            rationale=f"{draft.layer}.{draft.sublayer} by {atom.cue!r}; {move.why}",
            proposer=episode.speaker or str(origin),
        )
        proposals.append(proposal)
    return tuple(proposals)


def _resolve(atom: Atom, context: _EpisodeContext) -> tuple[Draft, ChainMove]:
    draft = resolve_draft(
        _draft(atom, context.episode, context.project, context.namespace),
        context.episode.at,
        context.ttl,
        context.known,
    )
    # within a text the later words come later
    at = (atom.valid_from or context.episode.at) + timedelta(microseconds=atom.start)
    if atom.corrects:
        corrected = resolve_as_corrected(replace(draft, valid_from=at), at, atom.corrects, context.known)
        if corrected is not None:
            return corrected
    if context.related is not None and not (atom.reading or draft.temporary):
        told, is_of_now = replace(draft, valid_from=at), not _is_of_another_time(atom)
        named = resolve_as_named(told, at, atom.says, context.known, context.related, is_of_now=is_of_now)
        if named is not None:
            return named
    in_slot = _in_given_slot(draft, atom, context.known)
    if context.related is not None and in_slot is None and not (draft.temporary or atom.renamed or atom.quotes):
        everywhere = replace(draft, scope=UNIVERSAL)
        if draft != everywhere and _may_be_private(atom) and is_known(everywhere, at, context.known, context.related):
            draft = everywhere
        read = partial(
            resolve_as_read,
            episode=context.episode.id,
            known=context.known,
            related=context.related,
            is_announced=atom.valid_from is not None and atom.valid_from > context.episode.at,
            alone=atom.says if atom.context else "",
            takes_back=atom.frame is None or atom.frame.takes_back >= TAKES_BACK,
        )
        draft, move = resolve_as_dated(replace(draft, valid_from=at), at, context.episode.at, context.known, read)
        draft, move = held_back(draft, move, atom.text, context.episode.text[atom.end :], context.related.reader)
        draft, move = beside_untouched(draft, move, context.known, context.related.reader)
    else:
        draft = in_slot or draft
        draft, move = held_by_supposition(draft, _chain_move(draft, atom, context), at)
    if atom.slot_hint and move.step is Step.ADD:
        move = move_for_slot_hint(draft, atom.slot_hint, context.known) or move
    return draft, move


def _is_of_another_time(atom: Atom) -> bool:
    """Whether it does not tell how things are now, or is in doubt."""
    return atom.quotes or atom.planned or atom.past or atom.valid_from is not None or atom.certainty < 1.0


def _in_given_slot(draft: Draft, atom: Atom, known: Known) -> Draft | None:
    """The draft beside others of the slot that a host reads: no reader compares them. None where there are none."""
    if atom.reading is None or not draft.slot:
        return None
    chain = known.chain(draft.namespace, draft.scope, draft.side, draft.slot)
    keys = [one.key for one in chain if one.value[:1] == draft.value[:1]]
    if keys and not atom.reading.key:
        draft = replace(draft, key=keys[-1])
    elif any(one.key == draft.key and one.value[:1] != draft.value[:1] for one in chain):
        draft = replace(draft, key=with_digest(draft.key, content_hash(draft.value)))  # a denial stands beside a value
    return draft if chain else None


def _may_be_private(atom: Atom) -> bool:
    """Whether what is said in a project may be about the speaker's own life: what is known of that tells."""
    if atom.frame is None or atom.directs_work or _OF_PROJECT.search(atom.text):
        return False
    return atom.frame.private >= MAY_BE_PRIVATE


def _chain_move(draft: Draft, atom: Atom, context: _EpisodeContext) -> ChainMove:
    known = context.known
    if draft.temporary:
        identical = known.with_content(draft.namespace, content_hash(draft.text))
        same = [record for record in identical if record.temporary and record.scope == draft.scope]
        if same:
            return ChainMove(step=Step.REINFORCE, targets=(same[-1],), why="said before")
        return ChainMove(step=Step.ADD, why="for a time")
    again = exact_restatement(draft, known)  # perhaps under another key
    if again is not None and (not draft.slot or KEPT_BESIDE in again.targets[0].attributes):
        return again
    chain = known.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    return decide_move(draft, atom.valid_from or context.episode.at, chain, lambda record: known.evidence(record.id))


def _payload(draft: Draft, move: ChainMove, related: RelatedSearch | None) -> Payload:
    if move.step is Step.REINFORCE:
        return Reinforce()
    kept = replace(draft, text=without_opening_retraction(draft.text))
    edges = tuple(Edge(src="", dst=record.id, kind=EdgeKind.MAY_END) for record in move.doubts)
    if move.step is Step.ADD:
        return Add(draft=kept, edges=edges)
    return Supersede(
        draft=kept,
        predecessor=move.predecessor.id if move.predecessor else None,
        resume_from=move.resume_from,
        edges=edges,
        joins=tuple(record.id for record in move.joins),
        rests=() if related is None or scrapped(draft.text) else rests_of(draft, move, related.reader),
    )


def _draft(atom: Atom, episode: Episode, project: Project | None, namespace: Namespace) -> Draft:
    read, key = make_key(atom), key_of(atom)  # where it holds, and for whom, its words tell
    layer, sublayer, text = atom.layer, atom.sublayer, atom.text
    if not atom.speaker_is_user and episode.origin is not Origin.USER and _is_about_speaker(atom, read):
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
        scope=_scope(atom, read, project),
        confidence=atom.confidence,
        certainty=atom.certainty,
        tags=atom.tags,
        valid_from=atom.valid_from or episode.at,
        valid_to=atom.valid_to,
        temporary=atom.temporary,
        attributes={RENAMED: "\n".join(atom.renamed)} if atom.renamed else {},
    )


def _is_about_speaker(atom: Atom, key: Key) -> bool:
    if _ABOUT_THE_USER.match(atom.text):
        return False  # an assistant's account of the user is about the user; its trust reflects who gave it
    return atom.layer is Layer.SELF or key.slot.startswith("self.") or bool(_FIRST_PERSON.search(atom.text))


def _about_other_speaker(key: Key, atom: Atom, speaker: str) -> tuple[Key, Layer, Sublayer, str]:
    """Attribute what another speaker says of themselves to that person, in layer world, never to the user."""
    name = speaker.strip() or "someone"
    slot = f"person:{name.casefold()}/{key.slot}" if key.slot else ""
    title = with_digest(key_of_speaker(name, key.key), content_hash(f"{name}|{key.slot or key.key}"))
    other = replace(key, key=title, slot=slot)
    text = atom.text if name.casefold() in atom.text.casefold() else f"{name}: {atom.text}"
    return other, Layer.WORLD, Sublayer.FACT, text


def _scope(atom: Atom, key: Key, project: Project | None) -> Scope:
    """The scope of a statement.

    Facts about the speaker and their own life hold everywhere; a rule about a programming language holds for it; a
    statement about the world, or a goal, holds in the project where it is said in one; so does whatever names that
    project's code, or which of the tools of a project is used.
    """
    if project is not None and _OF_PROJECT.search(atom.text):
        return Scope.project(project.id)
    if _STANDING.search(atom.text) or key.slot.startswith("assistant."):
        return UNIVERSAL
    if _is_of_speaker(atom, key) or (key.slot.startswith("self.") and not _is_of_work(atom)):
        return UNIVERSAL
    if project is not None:
        return Scope.project(project.id)
    languages = code_languages(atom.text) if atom.directs_work else ()
    return Scope.language(languages[0]) if len(languages) == 1 else UNIVERSAL


def _is_of_speaker(atom: Atom, key: Key) -> bool:
    if atom.frame is not None:
        if atom.frame.private >= SURELY_PRIVATE and not atom.directs_work:
            return True
        of_the_work = atom.directs_work and not key.slot and not OF_THE_SPEAKER.search(atom.text)
        if atom.frame.private < MAY_BE_PRIVATE and (atom.sublayer is not Sublayer.PREFERENCE or of_the_work):
            return False  # the limit of a thing, somebody's part in the project, or how something in it is done
        if _is_of_work(atom):
            return False
    return atom.layer is Layer.SELF and not key.slot.startswith("project.")


def _is_of_work(atom: Atom) -> bool:
    """Whether what reads like somebody's identity is that of another person, and not surely of private life.

    That is a person who is named ("Rolf works in Delft") or the speaker's colleague or contact ("my contact there is").
    """
    frame = atom.frame
    if frame is None or atom.directs_work or atom.language != "en" or frame.private >= SURELY_PRIVATE:
        return False
    if frame.layer is not Layer.SELF or frame.sublayer is Sublayer.PREFERENCE:
        return False
    if _ABOUT_THE_USER.match(atom.text):
        return False
    if not OF_THE_SPEAKER.search(atom.text):
        return True
    names = (span.text for span in spelled_names(atom.text))
    is_named = any(name[0].isupper() and name.replace(" ", "").isalpha() for name in names)
    return frame.private < _EVEN and is_named and _MY_OTHER.match(atom.text) is not None


def _evidence(atom: Atom, episode: Episode, draft: Draft, act_id: ActId) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            episode_id=episode.id,
            start=start,
            end=end,
            at=draft.valid_from or episode.at,
            wording=without_opening_retraction(draft.text),
            trust=1.0,
            confidence=atom.confidence,
            certainty=atom.certainty,
            act_id=act_id,
        )
        for start, end in (*atom.said_at, (atom.start, atom.end))
    )


def _signals(draft: Draft, move: ChainMove, atom: Atom, origin: Origin, via: Via) -> Signals:
    directs = directs_work(atom, draft)
    # what ends a rule directs the work, too: in a conversation nobody said that the rule is to go
    ends = ends_rule(move)
    plain = Signals(directs_work=directs or (ends and via is Via.CONVERSATION), curated_away=move.curated_away)
    if move.disputes:
        others = tuple(record.id for record in move.disputes)
        return replace(plain, conflict=Level.HIGH, conflicts_with=others)
    if move.waiting:  # no conflict with what is believed; a reviewer sees both, and approving both keeps the later one
        return replace(plain, conflict=Level.LOW, conflicts_with=tuple(record.id for record in move.waiting))
    if move.step is not Step.SUPERSEDE:
        return plain
    others = tuple(record.id for record in (*move.targets, *move.joins))
    unsure = not move.as_read and (not draft.slot or _is_contradiction(draft, atom))
    doubts = move.predecessor is not None and sureness(draft) < sureness(move.predecessor)
    if unsure or doubts:
        return replace(plain, conflict=Level.HIGH, conflicts_with=others)
    own = origin is Origin.USER
    if ends and not tells_what_to_do(atom, draft):  # nobody said that the rule is to go
        return replace(plain, conflict=Level.MEDIUM, conflicts_with=others)
    level = Level.LOW if own else Level.MEDIUM
    return replace(plain, conflict=level, conflicts_with=others, own_update=own)


def _is_contradiction(draft: Draft, atom: Atom) -> bool:
    """Whether it gives another value of a stable slot (a birthday, a definition) without stating a change."""
    is_stable = any(map(is_stable_slot, (draft.slot, make_key(atom).slot)))
    return is_stable and not cues(atom.language).has("time.change", atom.text)

"""Writes an erasure: words go, ids and statuses stay.

Takes: erased records and spans of episodes. Gives: rows without the words, wherever they stood. Never: touches the
ledger, which holds no words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dopejar.errors import NotFoundError
from dopejar.memory.replaced_spans import TextRedaction
from dopejar.ports.store import ProposalLink, WriteTransaction
from dopejar.text.normalisation import content_hash
from dopejar.text.words import episode_terms
from dopejar.values.episode import ERASED_MARK
from dopejar.values.ids import ActId, ConversationId, EpisodeId, ProposalId, RecordId
from dopejar.values.proposal import Add, Deprecate, Erase, Link, Payload, Proposal, ProposalState, Share, Supersede, Tag
from dopejar.values.recall import Source
from dopejar.values.record import Evidence, EvidenceRole, Record, RecordState


def write_erased_record(tx: WriteTransaction, erased: Record, act_id: ActId, seq: int) -> None:
    """Blank an erased record wherever it stands.

    That is: row, states, evidence wordings, proposals, full-text terms, vectors, edges and use notes.
    The row and its new state hold what `erased` says but for its words, which are left out in any case. Raises
    NotFoundError where there is no such record.
    """
    if tx.record(erased.id) is None:
        raise NotFoundError(f"There is no record {erased.id} to erase. List the records and give one of their ids.")
    evidence = tx.evidence(erased.id)
    _blank_proposals(tx, erased.id, evidence)
    for state in tx.states(erased.id):
        tx.put_state(replace(state, record=_without_words(state.record)))
    blank = replace(_without_words(erased), last_accessed_at=None)
    tx.put_record(blank)
    tx.put_state(RecordState(record=blank, from_seq=seq, to_seq=None, act_id=act_id))
    tx.put_evidence(erased.id, [replace(row, wording="") for row in evidence])
    tx.put_terms(Source.RECORD, [(erased.id, ())])
    tx.drop_edges_of(erased.id)
    tx.drop_uses(erased.id)


def write_blanked_proposal(tx: WriteTransaction, proposal_id: ProposalId) -> None:
    """Take its words from a proposal; one that waits becomes erased."""
    proposal = tx.proposal(proposal_id)
    if proposal is not None:
        tx.put_proposal(_proposal_without_words(proposal))


def write_nameless_conversation(tx: WriteTransaction, conversation: ConversationId) -> None:
    """Take its name and its file from the row of an erased conversation: titles are made of what was said."""
    row = tx.conversation(conversation)
    if row is not None:
        tx.put_conversation(replace(row, name=ERASED_MARK, source=ERASED_MARK))


def reword_states(tx: WriteTransaction, record: Record) -> None:
    """Let every state of the record show its present words, key and value: the older ones are erased."""
    for state in tx.states(record.id):
        reworded = replace(
            state.record,
            text=record.text,
            key=record.key,
            slot=record.slot,
            value=record.value,
            content_hash=record.content_hash,
        )
        tx.put_state(replace(state, record=reworded))


def write_blanked_spans(
    tx: WriteTransaction, episode_id: EpisodeId, spans: Iterable[tuple[int, int]], mark: str
) -> None:
    """Replace spans of an episode by the mark, in text, terms and vectors.

    Offsets count in the text as it stands; spans may come in any order and overlap, and overlapping ones become one
    mark. An episode that is nothing but the mark loses its speaker's name. Evidence behind a span moves with its words;
    evidence that overlaps one loses its wording. Raises NotFoundError where there is no such episode.
    """
    episode = tx.episode(episode_id)
    if episode is None:
        raise NotFoundError(f"There is no episode {episode_id} to blank. Give the id of one that exists.")
    redaction = TextRedaction(text=episode.text, mark=mark)
    for start, end in spans:
        redaction = redaction.with_span(start, end)
    text = redaction.redacted()
    tx.rewrite_episode(episode_id, text, content_hash(text), is_nameless=text == mark)
    tx.put_terms(Source.EPISODE, [(episode_id, episode_terms(text))])
    for record_id, evidence in tx.evidence_of(tx.resting_on([episode_id])).items():
        tx.put_evidence(record_id, _moved(evidence, episode_id, redaction))
    for proposal in tx.linked_proposals(episode_id, ProposalLink.EPISODE):
        moved = replace(proposal, evidence=_moved(proposal.evidence, episode_id, redaction))
        tx.put_proposal(_proposal_without_words(moved) if _lost_its_words(proposal, moved) else moved)


def _moved(evidence: Iterable[Evidence], episode_id: EpisodeId, redaction: TextRedaction) -> tuple[Evidence, ...]:
    return tuple(_follow(row, redaction) if row.episode_id == episode_id else row for row in evidence)


def _follow(row: Evidence, redaction: TextRedaction) -> Evidence:
    start, end = redaction.moved(row.start, row.end)
    return replace(row, start=start, end=end, wording="" if redaction.touches(row.start, row.end) else row.wording)


def _lost_its_words(before: Proposal, after: Proposal) -> bool:
    """Whether the last words that a draft was read from went with the spans: nothing else says what it says."""
    has_draft = isinstance(after.payload, Add | Supersede)
    return has_draft and _is_said(before) and not _is_said(after)


def _is_said(proposal: Proposal) -> bool:
    return any(row.role is EvidenceRole.ASSERTS and row.wording for row in proposal.evidence)


def _blank_proposals(tx: WriteTransaction, record_id: RecordId, evidence: Iterable[Evidence]) -> None:
    """Blank the record's own proposals and those that read the same spans; of those that aim at it, the reasons."""
    spans = tuple(evidence)
    own = {proposal.id: proposal for proposal in tx.linked_proposals(record_id, ProposalLink.RECORD)}
    for episode_id in {row.episode_id for row in spans}:
        for proposal in tx.linked_proposals(episode_id, ProposalLink.EPISODE):
            waits_for = proposal.record_id and tx.record(proposal.record_id)
            if waits_for:
                continue  # as erased as its record is, which is decided by all the evidence of that
            if any(_overlaps(mine, theirs) for mine in spans for theirs in proposal.evidence):
                own[proposal.id] = proposal
    for proposal in own.values():
        tx.put_proposal(_proposal_without_words(proposal))
    for proposal in tx.linked_proposals(record_id, ProposalLink.TARGET):
        if proposal.id not in own and isinstance(proposal.payload, Deprecate | Erase) and len(proposal.targets) == 1:
            tx.put_proposal(_proposal_without_words(proposal))  # it is as gone as it can be
        elif proposal.id not in own:
            payload = _without_rest_of(proposal.payload, record_id)
            tx.put_proposal(replace(proposal, payload=payload, rationale="", reason=""))


def _without_rest_of(payload: Payload, record_id: str) -> Payload:
    if not isinstance(payload, Supersede):
        return payload
    return replace(payload, rests=tuple(rest for rest in payload.rests if rest.of != record_id))


def _overlaps(mine: Evidence, theirs: Evidence) -> bool:
    return mine.episode_id == theirs.episode_id and mine.start < theirs.end and theirs.start < mine.end


def _without_words(record: Record) -> Record:
    return replace(record, text="", key="", slot="", value="", tags=(), content_hash="", attributes={})


def _proposal_without_words(proposal: Proposal) -> Proposal:
    """The proposal without words; a waiting one becomes erased, since nothing is left to decide."""
    is_waiting = proposal.state in (ProposalState.NEW, ProposalState.STAGED)
    return replace(
        proposal,
        payload=_payload_without_words(proposal.payload),
        evidence=tuple(replace(row, wording="") for row in proposal.evidence),
        rationale="",
        reason="",
        state=ProposalState.ERASED if is_waiting else proposal.state,
    )


def _payload_without_words(payload: Payload) -> Payload:
    match payload:
        case Add(draft=draft) | Supersede(draft=draft):
            blank = replace(draft, text="", key="", slot="", value="", tags=(), attributes={})
            return replace(payload, draft=blank, rests=()) if isinstance(payload, Supersede) else Add(draft=blank)
        case Share():
            return Share(text="")
        case Tag():
            return Tag(pinned=payload.pinned)
        case Link():
            return Link(edges=())
        case _:
            return payload

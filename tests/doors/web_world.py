"""A store with waiting proposals, for the tests of the web door.

Takes: an opened memory and a count. Gives: staged proposals of several kinds, each with a turn as evidence. Never: text
of a real conversation.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from dopejar.engine.unit_of_work import commit
from dopejar.memory.append import admit, append
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import (
    ProposalId,
    RecordId,
    conversation_id,
    episode_id,
    new_act_id,
    new_proposal_id,
    new_trace_id,
)
from dopejar.values.proposal import Add, Level, Proposal, Signals, Via
from dopejar.values.record import Draft, Evidence, Kind, Layer, Sublayer
from dopejar.values.scope import UNIVERSAL, Scope, Side
from dopejar.values.verdict import Allow, Stage

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Reviewer
    from dopejar.engine.memory import Memory

PASSPHRASE = "-".join(("quiet", "test", "harbour"))
BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_VERBS = ("Check", "Verify", "Note", "Compare", "Measure", "Archive", "Label", "Rotate")
_THINGS = ("the invoice totals", "the harbour schedule", "the seed catalogue", "the tide table", "the loan register")
_WHENS = ("before closing the month", "when a shipment is late", "after each import", "before a release", "on Mondays")
_KINDS = (Kind.BULLET, Kind.RULE, Kind.CORRECTION, Kind.FACT, Kind.BULLET, Kind.DECISION, Kind.BULLET, Kind.PREFERENCE)
_LAYERS = {Kind.PREFERENCE: (Layer.SELF, Sublayer.PREFERENCE), Kind.FACT: (Layer.WORLD, Sublayer.FACT)}


def unlocked(memory: Memory, name: str = "ana") -> Reviewer:
    """A reviewer with an open session; made by ana where there is none yet."""
    if name not in memory.reviewers.names():
        memory.reviewers.add(name, PASSPHRASE + name, unlocked(memory))
    return memory.reviewers.unlock(PASSPHRASE if name == "ana" else PASSPHRASE + name, name=name)


def sentence(number: int) -> str:
    """A sentence of its own for each number."""
    verb = _VERBS[number % len(_VERBS)]
    thing = _THINGS[number // len(_VERBS) % len(_THINGS)]
    when = _WHENS[number // (len(_VERBS) * len(_THINGS)) % len(_WHENS)]
    return f"{verb} {thing} {when}, batch {number}."


def draft_of(number: int) -> Draft:
    """A draft of one of several kinds; bullets carry the side that suits them."""
    kind = _KINDS[number % len(_KINDS)]
    layer, sublayer = _LAYERS.get(kind, (Layer.INTENT, Sublayer.RULE))
    attributes = {
        "bullet_type": "heuristic",
        "suggested_side": ("left", "right")[number % 3 % 2],
        "source_hemisphere": "left",
        "suggested_confidence": f"{0.6 + number % 40 / 100:.2f}",
        "suggested_because": "names a check and the moment for it, which is how the left side works",
        "flagged": "true" if number % 12 == 4 else "",
    }
    if number % 24 == 4:
        attributes["suggested_side"] = ""
    is_bullet = kind is Kind.BULLET
    return Draft(
        kind=kind,
        text=sentence(number),
        key="" if is_bullet else f"Intent-{kind.value.title()}-Batch{number}",
        layer=layer,
        sublayer=sublayer,
        side=Side.STAGING if is_bullet else Side.NONE,
        scope=UNIVERSAL if number % 4 else Scope.language("python"),
        confidence=0.5 + number % 50 / 100,
        tags=("harbour",) if number % 5 == 0 else (),
        attributes=attributes if is_bullet else {},
    )


def make_proposal(draft: Draft, episode: Episode, *, at: datetime, priority: int = 3) -> Proposal:
    """An `add` of the draft with the episode as evidence."""
    evidence = Evidence(
        episode_id=episode.id, start=0, end=len(episode.text), at=at, wording=draft.text, confidence=draft.confidence
    )
    return Proposal(
        id=new_proposal_id(),
        act_id=new_act_id(),
        payload=Add(draft=draft),
        at=at,
        origin=episode.origin,
        via=Via.CONVERSATION,
        made_by="learn@1",
        trace_id=new_trace_id(),
        evidence=(evidence,),
        scope=draft.scope,
        confidence=draft.confidence,
        signals=Signals(conflict=Level.NONE),
        rationale="Learned from what was said, and waits because a person decides about it.",
        priority=priority,
        proposer="user",
    )


def fill(memory: Memory, count: int, *, first: int = 0) -> tuple[ProposalId, ...]:
    """Stage so many proposals in one transaction; their ids, in order."""
    made = []
    stage = Stage(rules=("rule.from_conversation",), reason="a person must look first")
    name = conversation_id("tests", f"talk-{first}")
    with memory.store.write() as tx:
        talk = Conversation(id=name, source="tests", name=f"talk-{first}", started_at=BEGAN)
        turns = [_turn(talk, number, first) for number in range(first, first + count)]
        append(tx, talk, admit(turns, lambda text: (text, {}), lambda _origin: True))
        for number, turn in zip(range(first, first + count), turns, strict=True):
            proposal = make_proposal(draft_of(number), turn, at=turn.at, priority=1 + number % 3)
            made.append(commit(tx, proposal, stage, turn.at).proposal_id)
    return tuple(made)


def add_active_record(memory: Memory, text: str, *, key: str = "", kind: Kind = Kind.FACT) -> RecordId:
    """Add one active record, with a turn as evidence."""
    name = conversation_id("tests", "said")
    with memory.store.write() as tx:
        talk = Conversation(id=name, source="tests", name="said", started_at=BEGAN)
        place = len(tx.turns(name))
        turn = Episode(
            id=episode_id("tests", f"said-{place}"),
            conversation=name,
            index=place,
            at=BEGAN + timedelta(hours=place),
            speaker="Rin",
            origin=Origin.USER,
            text=text,
        )
        append(tx, talk, admit([turn], lambda one: (one, {}), lambda _origin: True))
        proposal = make_proposal(Draft(kind=kind, text=text, key=key), turn, at=turn.at)
        receipt = commit(tx, proposal, Allow(rules=("fact.by_user",), reason="said by the user"), turn.at)
    return receipt.records[0].id


def _turn(talk: Conversation, number: int, first: int) -> Episode:
    return Episode(
        id=episode_id("tests", f"turn-{number}"),
        conversation=talk.id,
        index=number - first,
        at=BEGAN + timedelta(minutes=number),
        speaker="Rin",
        origin=Origin.USER,
        text=sentence(number),
        outcome="success" if number % 7 == 0 else "",
    )

"""What a person takes back: the turn before, of the same speaker in the same conversation.

Takes: turns before they are kept, and a turn that takes back what was said. Gives: marks in place of both, or what
became of the memories that were made of it. Never: erases a memory, or takes one out of use without a reviewer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from dopejar.engine.corrections.checkpoint import forget_one_offs
from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker
from dopejar.engine.erased_bytes import note_scrub
from dopejar.engine.held_words import conversation_names, forget_derived
from dopejar.engine.ingest.privacy import (
    ERASURE,
    USER,
    Receipts,
    forget_asked,
    propose_for_turns,
    take_out_of_use,
    withhold,
)
from dopejar.engine.ingest.subject_search import IN_USE, names_the_thing
from dopejar.engine.ingest.turn_extraction import Span
from dopejar.memory.erasure_writer import write_blanked_spans
from dopejar.pipelines.ingest.privacy_words import takes_back
from dopejar.ports.store import ProposalLink, WriteTransaction
from dopejar.text.sentences import sentences
from dopejar.values.episode import WITHHELD, Episode, EpisodeKind
from dopejar.values.ids import ActId, EpisodeId, TraceId
from dopejar.values.proposal import Erase
from dopejar.values.recall import Source
from dopejar.values.receipt import Receipt
from dopejar.values.record import Record
from dopejar.values.scope import Namespace

UNMET: Final = "asked to forget, and nothing (more) was found"
"""Why nothing came of a wish to forget, beside why other turns were left out."""

_RECENT: Final = 200  # turns in which the speaker's last one is looked for
_NAMED: Final = 4  # turns of the speaker among which a subject tells the one that is meant


@dataclass(frozen=True, kw_only=True, slots=True)
class WithheldTurns:
    """New turns as they may be kept, the wishes to forget by turn, and what kept turns are taken back."""

    turns: tuple[Episode, ...]
    wishes: Mapping[EpisodeId, str]
    taken_back: Mapping[EpisodeId, str]


def withhold_new(
    turns: Sequence[Episode], pasted: Sequence[Sequence[Span]], known: Collection[EpisodeId]
) -> WithheldTurns:
    """The turns of a conversation that are not known yet, as they may be kept: withheld, too, what is taken back."""
    kept: dict[EpisodeId, Episode] = {}
    wishes: dict[EpisodeId, str] = {}
    taken_back: dict[EpisodeId, str] = {}
    for at, (turn, spans) in enumerate(zip(turns, pasted, strict=True)):
        if turn.id in known:
            continue
        kept[turn.id], wish = withhold(turn, lambda _, spans=spans: spans)  # type: ignore[misc]
        if wish is not None:
            wishes[turn.id] = wish
            about = None if spans else takes_back(turn.text)
            before = None if about is None else find_turn_before(turns[:at], turn, about)
            if before is not None and before.id in kept:
                kept[before.id], wishes[before.id] = replace(before, text=WITHHELD), ""
                wishes[turn.id] = ""
            elif about is not None:
                taken_back[turn.id] = about
    return WithheldTurns(turns=tuple(kept.values()), wishes=wishes, taken_back=taken_back)


def find_turn_before(turns: Sequence[Episode], wish: Episode, about: str) -> Episode | None:
    """The speaker's own turn that a wish takes back: the last one, or the last that names what it is about."""
    who = (wish.origin, wish.speaker)
    own = [turn for turn in turns if (turn.origin, turn.speaker) == who and turn.kind is EpisodeKind.TURN]
    named = [turn for turn in own[-_NAMED:] if about and names_the_thing(turn.text, about)]
    return next(reversed(named or own), None)


def forget_wished(
    deps: Dependencies,
    tx: WriteTransaction,
    withheld: WithheldTurns,
    namespace: Namespace,
    ids: tuple[ActId, TraceId],
    asking: Speaker = USER,
) -> Iterator[Receipt]:
    """What became of the wishes of a conversation whose turns are kept: what they take back, and what they name.

    What is named is asked for by `asking`, and by nobody else.
    """
    wishes = dict(withheld.wishes)
    for turn in withheld.turns:
        if turn.id in withheld.taken_back:
            speaker = replace(USER, origin=turn.origin, name=turn.speaker)
            done = take_back(deps, tx, turn.id, withheld.taken_back[turn.id], speaker, ids)
            if done is not None:
                wishes[turn.id] = ""
                yield from done
    yield from forget_asked(deps, tx, withheld.turns, wishes, namespace, ids, asking)


def take_back(
    deps: Dependencies,
    tx: WriteTransaction,
    wish: EpisodeId,
    about: str,
    speaker: Speaker,
    ids: tuple[ActId, TraceId],
    by: Reviewer | None = None,
) -> Receipts | None:
    """Withhold what a kept turn takes back, or propose its erasure where something was made of it; None for no turn.

    What was made of it goes out of use like what else is to be forgotten: at once for a reviewer, else as a proposal.
    """
    asking = tx.episode(wish)
    if asking is None or not asking.index:
        return None
    turns = tx.turns(asking.conversation, max(0, asking.index - _RECENT), asking.index - 1)
    turn = find_turn_before(turns, asking, about)
    if turn is None or turn.text == WITHHELD:
        return None if turn is None else ()
    resting = tx.records(tx.resting_on([turn.id])).values()
    made = [one for one in resting if {row.episode_id for row in tx.evidence(one.id)} == {turn.id}]
    groups: list[tuple[Record, ...]] = [(one,) for one in made if one.status in IN_USE]
    if groups:
        erasure = (Erase(episodes=(turn.id,)), ERASURE)
        return take_out_of_use(deps, tx, groups, (erasure,), speaker, *ids, by=by)
    if resting or tx.linked_proposals(turn.id, ProposalLink.EPISODE):
        told = [(turn, piece) for piece in sentences(turn.text)][:1]
        return propose_for_turns(deps, tx, told, speaker, ids[1])
    write_blanked_spans(tx, turn.id, [(0, len(turn.text))], WITHHELD)
    tx.put_terms(Source.EPISODE, [(turn.id, ())])
    forget_one_offs(tx, [turn.conversation])
    forget_derived(tx, conversation_names(tx, [turn.id]), [turn.text])
    if deps.store.file is not None:
        note_scrub(tx, deps.clock.now())
    return ()

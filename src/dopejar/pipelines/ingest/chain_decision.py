"""What a statement does to what is known, where a reader has read both.

Takes: a draft, its time, what is stored. Gives: the draft with its key and slot, and its move on its chain. Never:
retires a record that the reader did not find to be about the same.

A slot is an identity that is passed on: the first statement about something opens it, and every later one that repeats,
updates or ends what it says takes it over. A slot that the words suggest is kept where nothing else holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final, Protocol

from dopejar.language.relations import may_be_over
from dopejar.memory.chain import chain_members, with_digest, without_digest
from dopejar.memory.derivation import KEPT_BESIDE
from dopejar.pipelines.ingest.integrity.chain_move import CURATED_AWAY, ChainMove, Step, decide_move, says_the_same
from dopejar.pipelines.ingest.integrity.rule_endings import ENDED
from dopejar.pipelines.ingest.keys.given_key import GIVEN
from dopejar.pipelines.ingest.related_records import RelatedRecord, RelatedSearch, Versions, begins
from dopejar.pipelines.ingest.second_opinions import as_both_read
from dopejar.pipelines.ingest.worded_relations import as_worded
from dopejar.text.normalisation import content_hash, same_value
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.record import Draft, Evidence, Kind, Record, Status
from dopejar.values.scope import Namespace, Scope, Side
from dopejar.values.statement import Relation

_ENDS: Final = (Relation.UPDATE, Relation.END)
_DISAGREE: Final = (*_ENDS, Relation.CONTRADICTION)
_ACTING: Final = (Relation.SAME, *_DISAGREE)
_LIKELY: Final = 0.3  # probability of a disagreement from which later words of one text correct earlier ones
_SURELY: Final = 0.9  # the same where nothing says that they correct any
_DOUBT: Final = 0.5  # certainty up to which a statement is in doubt whatever it states
_RULES: Final = (Kind.RULE, Kind.CORRECTION)
_OPINIONS: Final = (Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION)
_ALIKE: Final = 0.7  # probability that two records are about one thing from which one statement outdates both
_VERY_ALIKE: Final = 0.8  # the same where the statement only may outdate the second
_ONE_TEXT: Final = timedelta(seconds=1)  # words of one text follow each other by microseconds

Resolved = tuple[Draft, ChainMove]


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

    def pending(self, namespace: Namespace, scope: Scope, side: Side) -> tuple[Record, ...]:
        """The records that pending changes add or alter."""
        ...

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """What the record rests on, oldest first."""
        ...


def resolve_as_read(
    draft: Draft,
    at: datetime,
    episode: EpisodeId,
    known: Known,
    related: RelatedSearch,
    *,
    is_announced: bool = False,
    alone: str = "",
    takes_back: bool = True,
) -> Resolved:
    """The draft in its slot, and its move. `is_announced`: it is to hold only from a later day, which is `at`.

    Words that were said before reinforce their record, whatever a reader finds, or wait with it. Otherwise the surest
    relation decides. `episode` is the text that it was read from, `alone` the draft without the words before it, and
    `takes_back` tells whether it may take back other words of that text.
    """
    again = exact_restatement(draft, known)
    if again is not None and again.targets[0].status is not Status.STAGED:
        return _join(draft, at, again.targets[0], known, related, again.why)
    chain = known.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    waiting = [record for record in chain if record.status is Status.STAGED and says_the_same(draft, record)]
    if again is None and waiting:
        again = ChainMove(step=Step.REINFORCE, targets=(waiting[0],), why="same meaning, waiting for review")
    pending = known.pending(draft.namespace, draft.scope, draft.side)
    near = [known.current_version(record) for record in related.near(draft, pending, at if is_announced else None)]
    others = (record for record in (*near, *chain) if not _is_told_apart(draft, record))
    beside = [record for record in others if _is_in_force(record, at) and not _shares_words(draft, record)]
    versions, each = partial(_versions, known), {record.id: record for record in beside}
    about = read = related.relate_opening_too(draft.text, at, list(each.values()), versions, alone)
    in_one_text = {record.id for record in pending if episode in {row.episode_id for row in known.evidence(record.id)}}
    about = [_in_one_text(one, takes_back=takes_back) if one.record.id in in_one_text else one for one in about]
    about = _weighed(draft, about, related)
    about = _of_kept_apart(draft, about, beside, known)
    about = about if again is not None else as_both_read(draft, at, about, read, related)
    compared = [one for one in about if sureness(draft) >= sureness(one.record)]
    about = [one for one in about if one.related.relation in _ACTING]
    if again is not None:  # what waits because it contradicts a memory goes on waiting, however often it is said
        disagrees = bool(about) and about[0].related.relation is Relation.CONTRADICTION
        return draft, replace(again, disputes=(about[0].record,)) if disagrees else again
    if about and about[0].related.relation is not Relation.CONTRADICTION:
        about = related.with_owner_first(draft.text, about)
        draft, move = _act(draft, at, about[0], known, related)
        joins = () if draft.value.startswith("-") else _outdated(move, about[0], compared, versions, related)
        return draft, replace(move, joins=joins)
    apart = own_slot(draft, known)
    said = (*_with_same_words(draft, known), *chain)
    away = next((str(one.status) for one in said if one.status in CURATED_AWAY and says_the_same(draft, one)), "")
    disputed = tuple(one.record for one in about if one.related.relation in _DISAGREE)
    why = f"{about[0].related.reason}: {disputed[0].key}" if about else "nothing known of it"
    waits = () if disputed else _waiting_rivals(draft, at, pending, related)
    return apart, ChainMove(
        step=Step.ADD, curated_away=away, disputes=disputed, waiting=waits, doubts=_doubted(compared), why=why
    )


def _doubted(compared: Sequence[RelatedRecord]) -> tuple[Record, ...]:
    """The record in force that a statement which settles nothing likeliest ends or updates: it is of one alone."""
    found = [one for one in compared if not one.first and one.record.status is Status.ACTIVE]
    likely = sorted(filter(lambda one: may_be_over(one.related), found), key=lambda one: one.related.share(*_ENDS))
    return tuple(one.record for one in likely[-1:])


def resolve_as_dated(
    draft: Draft, at: datetime, told_at: datetime, known: Known, resolve: Callable[[Draft, datetime], Resolved]
) -> Resolved:
    """As `resolve` finds by the time that the words tell, `at`; a change dated before what it changes is so since said.

    "I live in Prague." tells no date and holds from when it was said: "I moved to Brno in October." is newer.
    """
    found, move = resolve(draft, at)
    rivals = move.disputes if move.step is Step.ADD else move.targets if move.step is Step.SUPERSEDE else ()
    after = [record for record in rivals if record.valid_from > at]
    if at < told_at and after and all(_is_undated(record, told_at, known) for record in after):
        newer = resolve(replace(draft, valid_from=told_at), told_at)
        return newer if newer[1].step is Step.SUPERSEDE else (found, move)
    return found, move


def _is_undated(record: Record, before: datetime, known: Known) -> bool:
    """Whether a record holds from when it was said, earlier than `before`."""
    told = min((row.at for row in known.evidence(record.id)), default=before)
    return told < before and timedelta(0) <= record.valid_from - told < _ONE_TEXT


def resolve_as_corrected(draft: Draft, at: datetime, corrected: str, known: Known) -> tuple[Draft, ChainMove] | None:
    """The draft in the place of the memory with these words, which its speaker took back; None without such a one."""
    known_as = known.with_content(draft.namespace, content_hash(corrected))
    active = [one for one in known_as if _is_in_force(one, at) and one.valid_from <= at]
    if not active:
        return None
    return _join(replace(draft, scope=active[-1].scope), at, active[-1], known, None, "its speaker corrects it")


def _waiting_rivals(
    draft: Draft, at: datetime, pending: Sequence[Record], related: RelatedSearch
) -> tuple[Record, ...]:
    """What waits for review and cannot hold beside the draft: the later one updates, ends or contradicts the other."""
    about = _weighed(draft, related.relate(draft.text, at, related.waiting(draft, pending)), related)
    return tuple(one.record for one in about if one.related.relation in _DISAGREE)


def is_known(draft: Draft, at: datetime, known: Known, related: RelatedSearch) -> bool:
    """Whether a memory in the draft's scope is about the same: the draft repeats, updates or ends it."""
    near = [
        known.current_version(one)
        for one in related.near(draft, known.pending(draft.namespace, draft.scope, draft.side))
    ]
    about = related.relate(draft.text, at, [record for record in near if _is_in_force(record, at)])
    return any(one.related.relation in (Relation.SAME, *_ENDS) for one in about)


def _is_in_force(record: Record, at: datetime) -> bool:
    return not record.temporary and (record.status is Status.ACTIVE or record.holds_until_later(at))


def _shares_words(draft: Draft, record: Record) -> bool:
    """Whether the one says the other and something more of that: "The plumber is Craig. The number is ..."."""
    return begins(draft.text, record.text) or begins(record.text, draft.text)


def _is_told_apart(draft: Draft, record: Record) -> bool:
    """Whether a host reads the two as of different slots."""
    return GIVEN in draft.slot and GIVEN in record.slot and draft.slot != record.slot


def _weighed(draft: Draft, about: Sequence[RelatedRecord], related: RelatedSearch) -> list[RelatedRecord]:
    """What the draft and each record do to each other, by their words and by how sure each was said.

    Who says that a rule is over means the rule that is named, and no other.
    """
    found = [_as_sure(draft, as_worded(draft, one, related)) for one in about]
    return [one for one in found if one.related.reason == ENDED] or found


def _in_one_text(about: RelatedRecord, *, takes_back: bool) -> RelatedRecord:
    """Of two statements of one text, the later one is meant where it takes back the other; else both mostly are."""
    found = about.related
    if found.relation is Relation.SAME:
        return about
    if takes_back and found.share(*_DISAGREE) >= _LIKELY:
        return replace(about, related=replace(found, relation=Relation.UPDATE, reason="corrected in one breath"))
    if not takes_back and found.relation in _DISAGREE and found.share(*_DISAGREE) < _SURELY:
        return replace(about, related=replace(found, relation=Relation.ADDITION, reason="said in one breath"))
    return about


def sureness(said: Draft | Record) -> float:
    """How sure its speaker was, 0 to 1. "I think" before an opinion or a rule is no doubt."""
    return 1.0 if said.kind in _OPINIONS and said.certainty > _DOUBT else said.certainty


def _as_sure(draft: Draft, about: RelatedRecord) -> RelatedRecord:
    """What the later of the two does to the earlier one, by how sure the speaker was of each.

    What is doubtful takes nothing surer out of use, and what is sure takes the place of what was doubtful.
    """
    relation, said, known = about.related.relation, sureness(draft), sureness(about.record)
    if said == known or relation not in _DISAGREE:
        return about
    if (said > known) is not about.first:
        reason = "said with less doubt"
        relation = Relation.UPDATE if relation is Relation.CONTRADICTION else relation
    else:  # what was sure before it holds beside what is doubtful
        reason = "said with doubt"
        relation = Relation.APART if about.first else Relation.CONTRADICTION
    if relation is about.related.relation:
        return about
    return replace(about, related=replace(about.related, relation=relation, reason=reason))


def _of_kept_apart(
    draft: Draft, about: Sequence[RelatedRecord], beside: Sequence[Record], known: Known
) -> list[RelatedRecord]:
    """The records without those that a reviewer let stand beside one which the statement is rather about.

    That is the one that it repeats, else the nearer one; what was said before by either says nothing of the other.
    """
    said = {record.id for record in _with_same_words(draft, known)}
    nearness = {record.id: place for place, record in reversed(list(enumerate(beside)))}
    left: set[RecordId] = set()
    for one in about:
        rivals = one.record.attributes.get(KEPT_BESIDE, "").split()
        if rivals and not said.isdisjoint(rivals):
            left.add(one.record.id)
        for other in about if rivals else ():
            others = {other.record.id, *(version.id for version in _versions(known, other.record))}
            if other is not one and not others.isdisjoint(rivals):
                pair = sorted((one, other), key=lambda each: (not _repeats(each), nearness[each.record.id]))
                left.add(pair[1].record.id)
    return [one for one in about if one.record.id not in left]


def _repeats(about: RelatedRecord) -> bool:
    return about.related.relation is Relation.SAME


def _versions(known: Known, record: Record) -> list[Record]:
    """The other versions in the chain of a record that is the last of its own, the oldest first."""
    if record.supersedes is None:
        return []
    chain = known.chain(record.namespace, record.scope, record.side, record.chain)
    return [one for one in chain_members(chain) if one.id != record.id]


def _outdated(
    move: ChainMove,
    about: RelatedRecord,
    compared: Sequence[RelatedRecord],
    versions: Versions,
    related: RelatedSearch,
) -> tuple[Record, ...]:
    """The records of other chains that a newer statement outdates, too, since they are about the same thing.

    The statement outdates them as well, or may, and they agree or disagree with the versions of the record that it
    replaces. Two things that only look alike to the one are seldom alike to the other.
    """
    if move.step is not Step.SUPERSEDE or move.predecessor is None or move.predecessor.chain != about.record.chain:
        return ()
    own = [*versions(about.record), about.record]
    found = []
    for one in compared:
        is_sure = one.related.relation in _ENDS
        may_be = one.related.share(*_ACTING) >= _LIKELY
        if one.first or one.record.chain == about.record.chain:
            continue
        if begins(about.record.text, one.record.text) and one.related.relation is not Relation.END:
            continue  # another landlord is no other flat
        if begins(one.record.text, about.record.text):
            found.append(one.record)  # what was said of a thing ends with it, or says the old value
            continue
        if not (is_sure or may_be):
            continue
        likeness = related.about_one_thing(own, [*versions(one.record), one.record])
        if likeness >= (_ALIKE if is_sure else _VERY_ALIKE):
            found.append(one.record)
    return tuple(found)


def _act(
    draft: Draft, at: datetime, about: RelatedRecord, known: Known, related: RelatedSearch
) -> tuple[Draft, ChainMove]:
    """The draft in the slot of the record that it repeats, updates or ends, and its move there, by its time."""
    record, reason = about.record, about.related.reason
    if about.related.relation is Relation.SAME and not (about.first and record.supersedes is not None):
        return draft, ChainMove(step=Step.REINFORCE, targets=(record,), why=reason, as_read=True)
    if about.related.relation is Relation.UPDATE and record.kind in _RULES and draft.kind is Kind.FACT:
        # what takes the place of a rule is one: "tests run against MySQL now"
        draft = replace(draft, kind=record.kind, layer=record.layer, sublayer=record.sublayer)
    return _join(draft, at, record, known, related, reason)


def _join(
    draft: Draft, at: datetime, record: Record, known: Known, related: RelatedSearch | None, why: str
) -> tuple[Draft, ChainMove]:
    """The draft in the chain of a record, at the place of its time."""
    # a denial stands on a line of its own in its chain until what it denies is stated
    value = f"+{record.value[1:]}" if record.value.startswith("-") else ""
    if draft.slot and draft.slot == record.slot and not same_value(draft.value, record.value):
        value = draft.value
    has_own_line = value.startswith("-") and not record.value.startswith("-")
    joined = replace(draft, key=draft.key if has_own_line else record.key, slot=record.slot, value=value)
    chain = known.chain(joined.namespace, joined.scope, joined.side, record.chain)
    move = decide_move(joined, at, chain, lambda one: known.evidence(one.id), same=partial(_says_the_same, at, related))
    return joined, replace(move, why=why, as_read=True)


def own_slot(draft: Draft, known: Known) -> Draft:
    """The draft with a slot and a key that no other record holds: what stands beside others needs its own place."""
    if draft.slot and any(map(_takes_part, known.chain(draft.namespace, draft.scope, draft.side, draft.slot))):
        draft = without_slot(draft)
    elif draft.slot:
        return with_free_key(draft, known)
    readable = replace(draft, key=without_digest(draft.key))
    same_key = known.with_key(draft.namespace, draft.scope, draft.side, readable.key)
    return _with_digest(draft) if any(map(_takes_part, same_key)) else readable


def with_free_key(draft: Draft, known: Known) -> Draft:
    """The draft under a key that no record of another chain holds; two that would share one are told apart."""
    same_key = known.with_key(draft.namespace, draft.scope, draft.side, draft.key)
    held = any(one.status is Status.ACTIVE and one.chain != (draft.slot or draft.key) for one in same_key)
    return _with_digest(draft) if held else draft


def without_slot(draft: Draft) -> Draft:
    """The draft under a key of its own words, in no chain that others are in."""
    return _with_digest(replace(draft, slot="", value=""))


def _with_digest(draft: Draft) -> Draft:
    return replace(draft, key=with_digest(draft.key, content_hash(draft.text)))


def _takes_part(record: Record) -> bool:
    return record.status not in CURATED_AWAY and not record.temporary


def exact_restatement(draft: Draft, known: Known) -> ChainMove | None:
    """The move for a record with exactly these words: the one that is believed, or else the one that waits."""
    identical = _with_same_words(draft, known)
    for status, why in ((Status.ACTIVE, "said before"), (Status.STAGED, "said before, waiting for review")):
        same = [record for record in identical if record.status is status]
        if same:
            return ChainMove(step=Step.REINFORCE, targets=(same[-1],), why=why)
    return None


def _with_same_words(draft: Draft, known: Known) -> Sequence[Record]:
    """Every record with exactly these words in the draft's place, under whatever key."""
    place = (draft.scope, draft.side, draft.temporary)
    identical = known.with_content(draft.namespace, content_hash(draft.text))
    return [record for record in identical if (record.scope, record.side, record.temporary) == place]


def _says_the_same(at: datetime, related: RelatedSearch | None, draft: Draft, record: Record) -> bool:
    """Whether the draft says what a version of its chain says: by its words, or as a reader finds."""
    if related is None or content_hash(draft.text) == record.content_hash:
        return content_hash(draft.text) == record.content_hash
    return related.relate(draft.text, at, [record])[0].related.relation is Relation.SAME

"""Live turns: a conversation that is kept turn by turn, while it goes on.

Takes: one turn from a host. Gives: whether it was kept, and whether its conversation is due to be learned from. Never:
learns by itself; `conversation_import` does that, for live turns as for files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from dopejar.engine.dependencies import Dependencies, Speaker, origin_of
from dopejar.engine.ingest.learning_progress import begin, first_unlearned, live_conversation
from dopejar.engine.ingest.privacy import PEOPLE, USER, withhold
from dopejar.engine.ingest.taken_back import WithheldTurns, forget_wished
from dopejar.engine.ingest.turn_episodes import episode_of_turn, imported_conversation_id, not_in_future, time_after
from dopejar.errors import InputError
from dopejar.memory.append import admit, append
from dopejar.memory.erased_turn_copies import find_erased
from dopejar.memory.hold import hold_for_host
from dopejar.pipelines.ingest.privacy_words import takes_back
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.text.normalisation import is_blank
from dopejar.values.episode import ERASED_MARK, OFF_THE_RECORD, WITHHELD, Conversation, Episode, EpisodeKind, Origin
from dopejar.values.ids import ConversationId, EpisodeId, TraceId, episode_id, new_act_id
from dopejar.values.proposal_enums import ProposalState
from dopejar.values.scope import Project
from dopejar.values.transcript import LiveTurn, SourceTurn
from dopejar.values.versioned_rows import KeyValueRow

LONGEST = 1_000_000  # characters; what is longer is a file, no turn
_NEIGHBOURS = 20  # turns before a live one that show whether it is a copy of an erased one
_LATEST = 200  # imported conversations among which the first live turn looks for its own


class Observation(StrEnum):
    """What became of an observed turn."""

    KEPT = "kept"
    KNOWN = "known"  # observed or imported before
    REFUSED = "refused"  # words of this origin are not to be kept
    ERASED = "erased"  # a person had it erased; it does not come back


class LearningDue(StrEnum):
    """Why a conversation is to be learned from now."""

    ENDED = "ended"  # the host says that it is over
    BATCH = "batch"  # as many turns wait as an import learns from at once
    IDLE = "idle"  # it was silent for so long that what was said before is a session of its own


@dataclass(frozen=True, kw_only=True, slots=True)
class Observed:
    """What became of one live turn. `unlearned` counts kept turns to learn from, `waiting` proposals for a person.

    `is_changed`: the turn is known, with other words; those stay.
    """

    conversation: ConversationId
    episode_id: EpisodeId
    outcome: Observation
    due: LearningDue | None = None
    unlearned: int = 0
    waiting: int = 0
    redactions: Mapping[str, int] = field(default_factory=dict)
    is_changed: bool = False


def observe(
    deps: Dependencies,
    turn: LiveTurn,
    trace_id: TraceId,
    *,
    project: Project | None = None,
    rows: Callable[[Observed], Sequence[KeyValueRow]] | None = None,
) -> Observed:
    """Append a live turn to its conversation: redacted, with consent, under the id that an import would give it.

    The same turn again changes nothing. Nothing is learned yet: where the result says that it is due, end the session,
    or learn from the conversation. `rows` are made of the result and held in the transaction of a turn
    that is new.

    Raises:
        InputError: the turn has no text, no id, no conversation, no origin, or a time without a zone, or a second
        person speaks as the user.
        StaleProposalError: a row was written since it was read; nothing was kept. InputError: its kind is no host's.
    """
    observer = _observer(deps, turn, trace_id, project)
    with deps.store.read() as view:
        known = observer.known(view)
    if known is not None:
        return known
    with deps.store.write() as tx:
        observed = observer.keep(tx)
        if rows is not None and observed.outcome is not Observation.KNOWN:
            for row in rows(observed):
                hold_for_host(tx, row)
        return observer.obey(tx, observed)


def observe_all(
    deps: Dependencies, turns: Sequence[LiveTurn], trace_id: TraceId, *, project: Project | None = None
) -> tuple[Observed, ...]:
    """Append several live turns as `observe` does, in one transaction: all of them or, where one is wrong, none."""
    observers = [_observer(deps, turn, trace_id, project) for turn in turns]
    with deps.store.write() as tx:
        return tuple(observer.obey(tx, observer.keep(tx)) for observer in observers)


def _observer(deps: Dependencies, turn: LiveTurn, trace_id: TraceId, project: Project | None) -> _Observer:
    _check(turn)
    return _Observer(deps, _as_source_turn(turn, turn.origin or origin_of(deps.said_by)), turn, trace_id, project)


def find_live_conversation(view: ReadView, turn: LiveTurn) -> ConversationId | None:
    """The conversation that was observed under the name of this turn's, or imported under it lately."""
    live = live_conversation(view, turn.format, turn.store, turn.conversation)
    return live or next(
        (row.id for row in view.conversations(_LATEST) if (row.format, row.name) == (turn.format, turn.conversation)),
        None,
    )


def _check(turn: LiveTurn) -> None:
    if is_blank(turn.text):
        raise InputError("There is nothing to observe: the turn has no text.")
    if len(turn.text) > LONGEST:
        raise InputError(f"The turn has {len(turn.text)} characters; the maximum is {LONGEST}. Shorten it.")
    if not turn.conversation or not turn.source_id:
        raise InputError("A live turn needs `conversation` and `source_id`: the names that its host knows it by.")
    if turn.at is not None and turn.at.tzinfo is None:
        raise InputError("The time of a live turn needs a time zone; give a timezone-aware datetime.")


def _require_one_user(said: Episode, before: Sequence[Episode]) -> None:
    """Check that nobody of another name speaks as the user: "I live in ..." of two people would be one person's."""
    if not _is_named_user(said):
        return
    for turn in before:
        if _is_named_user(turn) and turn.speaker.casefold() != said.speaker.casefold():
            raise InputError(
                f"{said.speaker} and {turn.speaker} both speak as the user of one conversation, and what they say of "
                "themselves would become one person's. Give each person a home of their own, and keep there what the "
                "others say with `observe` and `origin=Origin.OTHER`."
            )


def _is_named_user(turn: Episode) -> bool:
    return turn.origin is Origin.USER and turn.speaker.casefold() not in ("", Origin.USER.value)


def _as_source_turn(turn: LiveTurn, origin: Origin) -> SourceTurn:
    """The turn as the importer of a transcript reads it: a call's text begins with the name of its tool."""
    text = turn.text.strip()
    is_call = turn.kind is EpisodeKind.TOOL_CALL
    by_default = "assistant" if is_call else turn.tool or origin.value
    return SourceTurn(
        source_id=turn.source_id,
        index=0,
        speaker=turn.speaker or by_default,
        origin=origin,
        text=f"{turn.tool} {text}" if is_call and turn.tool else text,
        at=turn.at,
        kind=turn.kind,
        parent=turn.parent,
        outcome=turn.outcome,
        note=turn.note,
    )


class _Observer:
    """One turn on its way into its conversation."""

    def __init__(
        self, deps: Dependencies, source: SourceTurn, turn: LiveTurn, trace_id: TraceId, project: Project | None
    ) -> None:
        self._deps, self._turn, self._trace_id = deps, turn, trace_id
        self._project = project or (deps.detect_project(Path(turn.cwd)) if turn.cwd else None)
        self._now = deps.clock.now()
        self._source = not_in_future(source, self._now)
        episode = self._episode(self._new_conversation(), None)
        may_ask = PEOPLE | {episode.origin} if turn.speaks_for_user else PEOPLE
        episode, self._wish = withhold(episode, deps.pasted, may_ask)
        self._admitted = admit([episode], deps.redact, deps.may_keep)

    def known(self, view: ReadView) -> Observed | None:
        """What a turn comes to that is there already; None where it is new."""
        conversation = find_live_conversation(view, self._turn)
        if conversation is None:
            return None
        before = view.episodes((episode_id(conversation, self._source.source_id),))
        return self._known(view, conversation, *before.values()) if before else None

    def _known(self, view: ReadView, conversation: ConversationId, before: Episode) -> Observed:
        """A turn that is there, and whether it came with other words; what was withheld or erased says neither."""
        now = next((episode.text for episode in self._admitted.episodes), before.text)
        is_whole = WITHHELD not in (now, before.text) and ERASED_MARK not in before.text
        is_changed = is_whole and now.split() != before.text.split()
        is_changed = is_changed and now.split() != self._deps.redact(before.text)[0].split()
        return replace(self._observed(view, conversation, Observation.KNOWN), is_changed=is_changed)

    def keep(self, tx: WriteTransaction) -> Observed:
        """Append the turn, unless it was erased or its origin has no consent."""
        conversation = find_live_conversation(tx, self._turn)
        row = (tx.conversation(conversation) if conversation else None) or self._new_conversation()
        last = next(iter(tx.turns(row.id, row.imported - 1)), None) if row.imported else None
        episode = self._episode(row, last)
        if known := tx.episodes((episode.id,)):
            return self._known(tx, row.id, *known.values())
        if not self._admitted.episodes:
            return self._observed(tx, row.id, Observation.REFUSED)
        before = tx.turns(row.id, max(0, row.imported - _NEIGHBOURS))
        redacted = self._admitted.episodes[0]
        _require_one_user(redacted, before)
        kept = replace(
            episode,
            text=redacted.text,
            content_hash=redacted.content_hash,
            speaker=redacted.speaker,
            source_id=redacted.source_id,
            note=redacted.note,
        )
        if find_erased(tx, (*before, kept)) & {kept.id}:
            return self._observed(tx, row.id, Observation.ERASED)
        start = first_unlearned(tx, row.id)
        unlearned_before = row.imported - start if start is not None else 0
        if start is None:
            begin(tx, self._turn.format, self._turn.store, self._turn.conversation, row.id)
        append(tx, replace(row, imported=episode.index + 1), replace(self._admitted, episodes=(kept,)))
        was_idle = bool(unlearned_before) and last is not None and self._was_idle(last.at, episode.at)
        return self._observed(tx, row.id, Observation.KEPT, was_idle=was_idle)

    def obey(self, tx: WriteTransaction, observed: Observed) -> Observed:
        """Do what a turn that was kept asks to forget, after the rows that were held with it: they may hold a goal."""
        kept, row = tx.episode(observed.episode_id), tx.conversation(observed.conversation)
        if self._wish is None or observed.outcome is not Observation.KEPT or kept is None or row is None:
            return observed
        about = takes_back(self._source.text)
        withheld = WithheldTurns(
            turns=(kept,),
            wishes={kept.id: self._wish},
            taken_back={} if about is None or self._deps.pasted(self._source.text) else {kept.id: about},
        )
        ids = (new_act_id(), self._trace_id)
        list(forget_wished(self._deps, tx, withheld, row.namespace, ids, self._asking(kept)))
        return replace(observed, waiting=tx.count_proposals(ProposalState.STAGED))

    def _new_conversation(self) -> Conversation:
        turn, project = self._turn, self._project
        return Conversation(
            id=imported_conversation_id(turn.format, turn.store, turn.conversation, self._source.text),
            source=str(Path(turn.path).absolute()) if turn.path else turn.format,
            name=turn.conversation,
            format=turn.format,
            started_at=self._source.at or self._now,
            project=project.id if project else "",
            project_label=project.label if project else "",
            languages=project.languages if project else (),
            cwd=turn.cwd,
        )

    def _episode(self, row: Conversation, last: Episode | None) -> Episode:
        at = self._source.at or self._now
        return episode_of_turn(
            row,
            replace(self._source, index=row.imported),
            max(at, time_after(last.at, last.text)) if last else at,
            languages=row.languages,
            trace_id=self._trace_id,
        )

    def _asking(self, turn: Episode) -> Speaker:
        """Who asks for what a wish names: the user, or whoever passes the wish on in the user's place."""
        return replace(USER, origin=turn.origin, name=turn.speaker) if self._turn.speaks_for_user else USER

    def _was_idle(self, before: datetime, now: datetime) -> bool:
        return now - before >= timedelta(minutes=self._deps.session_idle_minutes)

    def _observed(
        self,
        view: ReadView,
        conversation: ConversationId,
        outcome: Observation,
        *,
        was_idle: bool = False,
    ) -> Observed:
        row, start = view.conversation(conversation), first_unlearned(view, conversation)
        unlearned = row.imported - start if row is not None and start is not None else 0
        return Observed(
            conversation=conversation,
            episode_id=episode_id(conversation, self._source.source_id),
            outcome=outcome,
            due=self._due(unlearned, was_idle=was_idle),
            unlearned=unlearned,
            waiting=view.count_proposals(ProposalState.STAGED),
            redactions={**self._admitted.redactions, **({OFF_THE_RECORD: 1} if self._wish is not None else {})},
        )

    def _due(self, unlearned: int, *, was_idle: bool) -> LearningDue | None:
        if not unlearned:
            return None
        if self._turn.is_last:
            return LearningDue.ENDED
        if was_idle:
            return LearningDue.IDLE
        return LearningDue.BATCH if unlearned >= self._deps.batch else None

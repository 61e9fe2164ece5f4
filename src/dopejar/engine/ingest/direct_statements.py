"""Direct statements: one text that was said to the memory itself (`remember`).

Takes: a text and who says it. Gives: what became of it. Never: loses the words; they are kept as an episode whatever
the gate says. Loads a model only where slots do not decide, and never embeds within a commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, time
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker
from dopejar.engine.ingest import ingest_stages
from dopejar.engine.ingest.given_readings import require_kept_reading
from dopejar.engine.ingest.ingestor import Ingestor, active_rules, configured_refiner, goals_of, routing_marks
from dopejar.engine.ingest.privacy import forget_within, why_unmet, withhold
from dopejar.engine.ingest.related_record_search import (
    configured_namer,
    configured_second_reader,
    embed_known,
    semantic_embedder,
)
from dopejar.engine.ingest.subject_search import find_about, find_meant, find_named, find_owned
from dopejar.engine.ingest.taken_back import take_back
from dopejar.engine.ingest.told_before import just_said, time_told
from dopejar.engine.ingest.turn_episodes import conversation_of_day
from dopejar.engine.ingest.turn_extraction import TurnInput
from dopejar.engine.maintenance.vector_backlog import CATCH_UP_S
from dopejar.engine.results import IngestStages, Remembered
from dopejar.engine.review.trusted_terminals import require_voucher
from dopejar.engine.unit_of_work import JudgedProposal, commit_with_retry
from dopejar.errors import ConsentError, EmbedderError, InputError, RefusedError
from dopejar.memory.append import AdmittedEpisodes, admit, append
from dopejar.memory.erased_turn_copies import find_erased
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.ingest import Extraction, route_namespace
from dopejar.pipelines.ingest.beside_wishes import told_beside
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.privacy_words import possible_wish, takes_back
from dopejar.pipelines.ingest.related_records import RelatedSearch
from dopejar.ports.statement_reader import StatementReader
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.text.normalisation import fold, is_blank
from dopejar.values.episode import OFF_THE_RECORD, WITHHELD, Conversation, Episode, EpisodeKind, Origin
from dopejar.values.ids import ActId, RecordId, TraceId, conversation_id, episode_id, new_act_id
from dopejar.values.proposal import Add, Supersede
from dopejar.values.reading import Reading
from dopejar.values.receipt import Receipt
from dopejar.values.record import Draft, Kind
from dopejar.values.scope import Namespace, Project

if TYPE_CHECKING:
    from dopejar.ports.embedder import Embedder

_MAY_ASK = frozenset({Origin.USER, Origin.OTHER, Origin.ASSISTANT})
LONGEST = 100_000  # characters; longer texts are documents and come through `learn`


def remember(
    deps: Dependencies,
    text: str,
    speaker: Speaker,
    trace_id: TraceId,
    *,
    project: Project | None = None,
    namespace: Namespace | None = None,
    at: datetime | None = None,
    tags: tuple[str, ...] = (),
    by: Reviewer | None = None,
    dry_run: bool = False,
    reading: Reading | None = None,
) -> Remembered:
    """Keep the text as an episode and commit what it proposes, in one transaction. `dry_run` writes nothing.

    `reading` is the host's own, which decides key and slot.
    `by` is the reviewer in whose session, or at whose trusted terminal, the user says it: then guidance does not wait.

    Raises:
        InputError: the text is empty or a document, `at` is in the future, or the words do not bear out the reading.
        ConsentError: words of this origin are not to be kept. RefusedError: the words were erased before.
    """
    now, act_id = deps.clock.now(), new_act_id()
    moment = _checked(text, at, now)
    reader = deps.reader() if speaker.origin is Origin.USER else None
    said, wish = withhold(
        _episode(text, speaker, act_id, trace_id, project, moment), origins=_MAY_ASK, reader=reader, told=True
    )
    possible = possible_wish(text, told=True) if wish is None and speaker.origin in _MAY_ASK else None
    admitted = _admit(deps, said, speaker)
    words = admitted.episodes[0].text
    chosen = namespace or route_namespace(words, tags, "remember", routing_marks(deps.ingest))
    conversation = conversation_of_day(moment, chosen, project)
    episode = replace(admitted.episodes[0], id=episode_id(conversation.id, act_id), conversation=conversation.id)
    kept = replace(admitted, episodes=(episode,))

    def obey(wish: str, kept: AdmittedEpisodes) -> Remembered:
        known = _known(deps, wish, text, chosen, is_sure=not possible) if wish else ()
        receipts = (
            ()
            if dry_run
            else _obey(
                deps, conversation, kept, wish, takes_back(text, told=True), known, speaker, (act_id, trace_id), by
            )
        )
        unmet = why_unmet(deps, wish, known, chosen) if wish and not receipts and not dry_run else ""
        why = told_beside(text, wish) if speaker.origin is Origin.USER else ""
        said = partial(remember, project=project, namespace=chosen, at=at, tags=tags, by=by, dry_run=dry_run)
        told = said(deps, why, speaker, trace_id).receipts if why else ()
        return Remembered(
            act_id=ActId("") if dry_run else act_id,
            episode_id=episode.id,
            receipts=(*receipts, *told),
            redactions={**admitted.redactions, OFF_THE_RECORD: 1},
            left_out=(unmet,) if unmet else (),
        )

    if wish is not None:
        return obey(wish, kept)
    require_kept_reading(deps, reading, words)
    statement = _Statement(
        deps=deps,
        episode=episode,
        speaker=speaker,
        act_id=act_id,
        trace_id=trace_id,
        project=project,
        namespace=chosen,
        by=by,
        at=None if at is None else moment,
        reading=reading,
    )
    if possible and _is_wish(deps, possible, text, chosen, statement.drafts()):
        return obey(possible, replace(kept, episodes=(replace(episode, text=WITHHELD),)))
    if dry_run:
        statement.evaluate(dry_run=True)
        return statement.remembered(ActId(""), admitted)

    receipts = commit_with_retry(
        deps.store, statement.evaluate, lambda tx: _keep(tx, conversation, statement.of(kept)), now
    )
    return replace(statement.remembered(act_id, admitted), receipts=_without_settled(receipts))


def _checked(text: str, at: datetime | None, now: datetime) -> datetime:
    """The time of the text: the end of a day stands for that day, and all that is told of it lies in it."""
    if is_blank(text):
        raise InputError("There is nothing to remember: the text is empty.")
    if len(text) > LONGEST:
        raise InputError(
            f"The text has {len(text)} characters; the maximum is {LONGEST}. Save it and use `dopejar learn`."
        )
    if at is not None and at > now:
        raise InputError(
            f"{at:%Y-%m-%d %H:%M} is in the future, and nobody has said that yet. Leave the time out, and put a date"
            " that the statement is about into its words."
        )
    return now if at is None else at.replace(second=0, microsecond=0) if at.time() == time.max else at


def _without_settled(receipts: Sequence[Receipt]) -> tuple[Receipt, ...]:
    """The receipts without those of proposals that these words repeated while they waited, and then settled."""
    settled = {receipt.proposal_id for receipt in receipts if receipt.outcome != "staged"}
    return tuple(one for one in receipts if one.outcome != "staged" or one.proposal_id not in settled)


def _obey(
    deps: Dependencies,
    conversation: Conversation,
    admitted: AdmittedEpisodes,
    wish: str,
    taken_back: str | None,
    known: Sequence[RecordId],
    speaker: Speaker,
    ids: tuple[ActId, TraceId],
    by: Reviewer | None,
) -> tuple[Receipt, ...]:
    """Keep the note that something was said off the record, and forget what shall be forgotten, in one transaction."""
    meant = find_meant(deps, wish, conversation.namespace) if wish and not known else ()
    with deps.store.write() as tx:
        if by is not None:
            require_voucher(tx, by, deps.system_clock.now())
        _keep(tx, conversation, admitted)
        if taken_back is not None:
            done = take_back(deps, tx, admitted.episodes[0].id, taken_back, speaker, ids, by)
            if done is not None:
                return done
        if not wish:
            return ()
        return forget_within(
            deps, tx, wish, speaker, *ids, namespace=conversation.namespace, known=known, meant=meant, by=by
        )


def _is_wish(deps: Dependencies, wish: str, words: str, namespace: Namespace, drafts: Sequence[Draft]) -> bool:
    """Whether told words that may be a rule are a wish: they name a memory, or would become a fact, and no more."""
    if any(wish not in fold(draft.text) for draft in drafts):
        return False  # what else they tell is not to be lost
    is_fact = bool(drafts) and all(draft.kind is Kind.FACT for draft in drafts)
    return is_fact or bool(_known(deps, wish, words, namespace))


def _known(
    deps: Dependencies, wish: str, words: str, namespace: Namespace, *, is_sure: bool = False
) -> tuple[RecordId, ...]:
    """What told words surely name; nothing where they are sure to be a wish, and its own words find something."""
    with deps.store.read() as view:
        if is_sure and find_about(view, wish, namespace):
            return ()
        named = find_named(view, wish, words, namespace)
    return tuple(record.id for record in named or find_owned(deps, wish, words, namespace))


def _keep(tx: WriteTransaction, conversation: Conversation, admitted: AdmittedEpisodes) -> None:
    """Append the statement at the end of its conversation. Raises RefusedError where its words were erased."""
    if find_erased(tx, admitted.episodes):
        raise RefusedError(
            "These words were erased, and what was erased does not come back: nothing was kept. Say it in other words"
            " if it is to be remembered again."
        )
    old = tx.conversation(conversation.id)
    index = old.imported if old else 0
    placed = replace(admitted, episodes=tuple(replace(episode, index=index) for episode in admitted.episodes))
    append(tx, replace(old or conversation, imported=index + 1), placed)


def _episode(
    text: str, speaker: Speaker, act_id: ActId, trace_id: TraceId, project: Project | None, at: datetime
) -> Episode:
    """The statement as an episode that has no conversation yet: its own words choose the namespace."""
    return Episode(
        id=episode_id("", act_id),
        conversation=conversation_id("", ""),
        index=0,
        at=at,
        speaker=speaker.name,
        origin=speaker.origin,
        text=text,
        kind=EpisodeKind.TURN,
        trace_id=trace_id,
        project=project.id if project else "",
        languages=project.languages if project else (),
        source_id=act_id,
    )


def _admit(deps: Dependencies, episode: Episode, speaker: Speaker) -> AdmittedEpisodes:
    admitted = admit([episode], deps.redact, deps.may_keep)
    if not admitted.episodes:
        raise ConsentError(
            f"Texts of origin {speaker.origin.value} may not be stored."
            " To allow it, change `consent.persist` with `dopejar config set`."
        )
    return admitted


class _Statement:
    """One direct statement: it may be evaluated more than once before it is committed, its words stay the same."""

    def __init__(
        self,
        *,
        deps: Dependencies,
        episode: Episode,
        speaker: Speaker,
        act_id: ActId,
        trace_id: TraceId,
        project: Project | None,
        namespace: Namespace,
        by: Reviewer | None,
        at: datetime | None,
        reading: Reading | None,
    ) -> None:
        self._deps, self.episode, self._speaker = deps, episode, speaker
        self._dated = at
        self._act_id, self._trace_id = act_id, trace_id
        self._project, self._namespace = project, namespace
        self._by, self._reading = by, reading
        self._extraction: Extraction | None = None
        self._judged: list[JudgedProposal] = []
        self._related: RelatedSearch | None = None
        self._embedder_fault = ""
        self._refiner = configured_refiner(deps)
        self._second: StatementReader | None = None
        self._namer = configured_namer(deps) if speaker.origin is Origin.USER else None

    def evaluate(self, *, dry_run: bool = False) -> list[JudgedProposal]:
        """What the statement proposes, judged against a snapshot by what a reader makes of it and of the records near.

        Records are found by words, and by meaning where a model is at hand.
        """
        self._embedder_fault = ""
        try:
            embedder = semantic_embedder(self._deps)
            if not dry_run:
                embed_known(self._deps, monotonic() + CATCH_UP_S)
            if self._second is None and self._speaker.origin is Origin.USER:
                self._second = configured_second_reader(self._deps)
            self._judged = self._evaluate(self._deps.reader(), embedder, self._second)
        except EmbedderError as fault:  # a statement must not be lost for a model; --explain says what was missing
            self._embedder_fault = str(fault)
            self._judged = self._evaluate(GrammarReader(), None)
        return self._judged

    def of(self, admitted: AdmittedEpisodes) -> AdmittedEpisodes:
        """What was admitted, with the statement as it was last evaluated."""
        return replace(admitted, episodes=(self.episode,))

    def drafts(self) -> list[Draft]:
        """The memories that would come of the statement."""
        payloads = [one.proposal.payload for one in self.evaluate(dry_run=True)]
        return [one.draft for one in payloads if isinstance(one, Add | Supersede)]

    def _evaluate(
        self, reader: StatementReader, embedder: Embedder | None, second: StatementReader | None = None
    ) -> list[JudgedProposal]:
        with self._deps.store.read() as view:
            if self._by is not None:
                require_voucher(view, self._by, self._deps.system_clock.now())
            if self._dated is not None:
                self.episode = replace(self.episode, at=time_told(view, self.episode.conversation, self._dated))
            ingestor = self._ingestor(view)
            ingestor.changes = self._deps.changes() if embedder is not None else None
            ingestor.related = self._related = RelatedSearch(
                index=view, reader=reader, embedder=embedder, second=second
            )
            ingestor.earlier = just_said(view, self.episode)
            judged = ingestor.evaluate([TurnInput(episode=self.episode, reading=self._reading)])
        self._extraction = ingestor.extraction
        return judged

    def _ingestor(self, view: ReadView) -> Ingestor:
        secret = view.meta("secret") if view.has_tombstones() else None
        return Ingestor(
            options=self._deps.ingest,
            refiner=self._refiner,
            overlay=Overlay(view),
            policy=self._deps.policy(),
            secret=bytes.fromhex(secret) if secret else None,
            now=self._deps.clock.now(),
            act_id=self._act_id,
            trace_id=self._trace_id,
            via=self._speaker.via,
            proposer=self._deps.redact(self._speaker.name)[0],
            project=self._project,
            namespace=self._namespace,
            confirmed_by=self._by.name if self._by else "",
            namer=self._namer,
            rules=lambda: active_rules(view, self._namespace),  # read for the few texts that are compared with them
            goals=lambda: goals_of(view),
        )

    def remembered(self, act_id: ActId, admitted: AdmittedEpisodes) -> Remembered:
        """The result without receipts."""
        left_out = self._extraction.left_out if self._extraction else ()
        judged = self._judged
        return Remembered(
            act_id=act_id,
            episode_id=self.episode.id,
            receipts=(),
            redactions=dict(admitted.redactions),
            stages=IngestStages(lambda: ingest_stages.describe(self._steps(judged))),
            left_out=tuple(f"{piece.text} ({piece.reason.value})" for piece in left_out),
        )

    def _steps(self, judged: Sequence[JudgedProposal]) -> ingest_stages.Steps:
        return ingest_stages.Steps(
            text=self.episode.text,
            atoms=self._extraction.atoms if self._extraction else (),
            reader=GrammarReader() if self._embedder_fault else self._deps.reader(),
            related=tuple(self._related.log) if self._related else (),
            judged=judged,
            taxonomy=self._deps.ingest.taxonomy,
            embedder_fault=self._embedder_fault,
        )

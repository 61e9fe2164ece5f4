"""Remembering one text that was said to the memory itself.

Takes: a text and who says it. Gives: what became of it. Never: loses the words; they are kept as an episode whatever
the gate says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from dopejar.engine.dependencies import Dependencies, Speaker
from dopejar.engine.ingest.ingestor import Ingestor, TurnInput, active_rules, marks_of, refiner_of
from dopejar.engine.neighbouring import catch_up, is_undecided, knowing_meaning
from dopejar.engine.results import Remembered, Stage, Stages
from dopejar.engine.unit_of_work import Judged, commit_with_retry
from dopejar.errors import ConsentError, EmbedderError, InputError
from dopejar.memory.append import admit, append
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.ingest import Extraction, LexicalNear, Near, SemanticNear, make_key, route_namespace
from dopejar.pipelines.ingest.keys.families import using
from dopejar.pipelines.ingest.worth.score import rests_on
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.episode import Conversation, Episode, EpisodeKind, Origin
from dopejar.values.ids import ActId, TraceId, conversation_id, episode_id, new_act_id
from dopejar.values.scope import Namespace, Project

SOURCE = "remember"
"""The source of conversations that consist of what was said to the memory itself."""
LONGEST = 100_000  # characters; longer texts are documents and come through `learn`


def spoken_in(now: datetime, namespace: Namespace = Namespace.PROD) -> Conversation:
    """The conversation that what is said to the memory on one day belongs to, in each namespace another."""
    day = now.date().isoformat()
    name = day if namespace is Namespace.PROD else f"{day} {namespace}"
    return Conversation(
        id=conversation_id("remember", name),
        source=SOURCE,
        name=f"remember {name}",
        format="remember",
        started_at=now,
        namespace=namespace,
    )


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
    dry_run: bool = False,
) -> Remembered:
    """Keep the text as an episode and commit what it proposes, in one transaction. `dry_run` writes nothing.

    Raises:
        InputError: the text is empty or a document.
        ConsentError: words of this origin are not to be kept.
    """
    if not text.strip():
        raise InputError("There is nothing to remember: the text is empty.")
    if len(text) > LONGEST:
        raise InputError(
            f"The text has {len(text)} characters; {LONGEST} is the most. Save it and use `dopejar learn`."
        )
    now = deps.clock.now()
    act_id = new_act_id()
    conversation = spoken_in(now)
    episode = Episode(
        id=episode_id(conversation.id, act_id),
        conversation=conversation.id,
        index=0,
        at=at or now,
        speaker=speaker.name,
        origin=speaker.origin,
        text=text,
        kind=EpisodeKind.TURN,
        trace_id=trace_id,
        project=project.id if project else "",
        languages=project.languages if project else (),
        source_id=act_id,
    )
    admitted = admit([episode], deps.redact, deps.may_keep)
    if not admitted.episodes:
        raise ConsentError(
            f"Words of origin {speaker.origin.value} are not kept. `dopejar config set consent.persist` allows them."
        )
    episode = admitted.episodes[0]
    chosen = namespace or route_namespace(episode.text, tags, "remember", marks_of(deps.ingest))
    run = _Run(deps=deps, speaker=speaker, act_id=act_id, trace_id=trace_id, project=project, namespace=chosen)
    if chosen is not Namespace.PROD:
        conversation = spoken_in(now, chosen)
        episode = replace(episode, id=episode_id(conversation.id, act_id), conversation=conversation.id)
    if dry_run:
        judged = run.think(episode, dry_run=True)
        return Remembered(
            act_id=ActId(""),
            episode_id=episode.id,
            receipts=(),
            redactions=dict(admitted.redactions),
            stages=Stages(lambda: run.stages(episode, judged)),
            left_out=run.left_out(),
        )

    def keep(tx: WriteTransaction) -> None:
        old = tx.conversation(conversation.id)
        index = old.imported if old else 0
        placed = replace(admitted, episodes=(replace(episode, index=index),))
        append(tx, replace(old or conversation, imported=index + 1), placed)

    judged_last: list[Judged] = []

    def think() -> list[Judged]:
        judged_last[:] = run.think(episode)
        return judged_last

    receipts = commit_with_retry(deps.store, think, keep, now)
    return Remembered(
        act_id=act_id,
        episode_id=episode.id,
        receipts=receipts,
        redactions=dict(admitted.redactions),
        stages=Stages(lambda: run.stages(episode, judged_last)),
        left_out=run.left_out(),
    )


class _Run:
    """One remembering: thinking may happen more than once, the words stay the same."""

    def __init__(
        self,
        *,
        deps: Dependencies,
        speaker: Speaker,
        act_id: ActId,
        trace_id: TraceId,
        project: Project | None,
        namespace: Namespace,
    ) -> None:
        self._deps, self._speaker, self._act_id, self._trace_id = deps, speaker, act_id, trace_id
        self._project, self._namespace = project, namespace
        self._read: Extraction | None = None
        self._without_vectors = ""
        self._refiner = refiner_of(deps)

    def _thinker(self, overlay: Overlay, secret: str | None) -> Ingestor:
        return Ingestor(
            options=self._deps.ingest,
            refiner=self._refiner,
            overlay=overlay,
            policy=self._deps.policy(),
            secret=bytes.fromhex(secret) if secret else None,
            now=self._deps.clock.now(),
            act_id=self._act_id,
            trace_id=self._trace_id,
            via=self._speaker.via,
            proposer=self._speaker.name,
            project=self._project,
            namespace=self._namespace,
        )

    def think(self, episode: Episode, *, dry_run: bool = False) -> list[Judged]:
        """What the episode proposes, judged against a snapshot: by its slots and by what statements under others say.

        Where a model is at hand, meaning tells that, else words do. No model is asked where slots decide.
        """
        self._without_vectors = ""
        try:
            found = knowing_meaning(self._deps)
            if found is None:
                return self._thought(episode, LexicalNear)
            judged = self._thought(episode, None)
            if not is_undecided(judged):
                return judged
            embedder, sayings = found
            if not dry_run:
                catch_up(self._deps, embedder)
            return self._thought(episode, lambda view: SemanticNear(view, embedder, sayings, episode.text))
        except EmbedderError as fault:  # what is told must not be lost for a model; --explain says what was missing
            self._without_vectors = str(fault)
            return self._thought(episode, LexicalNear)

    def _thought(self, episode: Episode, near: Callable[[ReadView], Near] | None) -> list[Judged]:
        with self._deps.store.read() as view:
            thinker = self._thinker(Overlay(view), view.meta("secret") if view.has_tombstones() else None)
            thinker.rules = lambda: active_rules(view, self._namespace)  # few texts are held against them
            thinker.near = near(view) if near else None
            judged = thinker.think([TurnInput(episode=episode)])
        self._read = thinker.read
        return judged

    def left_out(self) -> tuple[str, ...]:
        """The words that became no atom, each with its reason."""
        return tuple(f"{one.text} ({one.reason.value})" for one in self._read.left_out) if self._read else ()

    def stages(self, episode: Episode, judged: list[Judged]) -> tuple[Stage, ...]:
        """Each stage of ingest with its outcome: extract, classify, worth, key, integrity, gate.

        What is told is kept whatever its worth; the score says what a conversation would have taught.
        """
        stages = [Stage(name="redact", detail=episode.text)]
        for atom in self._read.atoms if self._read else ():
            with using(self._deps.ingest.taxonomy):
                key = make_key(atom)
            stages += [
                Stage(name="extract", detail=f"{atom.text} (certainty {atom.certainty:.2f})"),
                Stage(
                    name="classify",
                    detail=f"{atom.layer}.{atom.sublayer} by {atom.cue!r} (confidence {atom.confidence:.2f})",
                ),
                *([Stage(name="worth", detail=rests_on(atom.text))] if atom.language == "en" else ()),
                Stage(name="key", detail=f"{key.key} slot {key.slot or 'none'} value {key.value or 'none'}"),
            ]
        if self._without_vectors:
            stages.append(Stage(name="near", detail=f"compared by words alone: {self._without_vectors}"))
        for one in judged:
            proposal = one.proposal
            about = ", ".join(target.record_id for target in proposal.targets)
            integrity = f"{proposal.action} {about}".strip()
            stages.append(Stage(name="integrity", detail=f"{integrity}: {proposal.rationale}".rstrip(": ")))
            name = type(one.verdict).__name__.lower()
            stages.append(Stage(name="gate", detail=f"{name} by {', '.join(one.verdict.rules)}: {one.verdict.reason}"))
        return tuple(stages)


def host_speaker(said_by: str) -> Speaker:
    """Who a library's host says is speaking: user, other, tool, assistant, fetched. Raises InputError."""
    try:
        origin = Origin(said_by)
    except ValueError:
        names = ", ".join(one.value for one in Origin if one is not Origin.SYSTEM)
        raise InputError(f"said_by is one of {names}, not {said_by!r}.") from None
    return Speaker(origin=origin, name=said_by)

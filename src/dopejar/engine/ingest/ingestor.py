"""From an episode to judged proposals: guards, extraction, proposals, verdicts.

Takes: admitted episodes and an overlay. Gives: judged proposals and a tally. Never: writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from dopejar.engine.dependencies import Dependencies, IngestOptions
from dopejar.engine.unit_of_work import Judged, apply_to_overlay, check_tombstones, decide
from dopejar.governance.policy.alignment import score_alignment
from dopejar.governance.policy.loop_guard import (
    boot_file_spans,
    digests,
    is_boot_file,
    is_instruction_like,
    pack_spans,
)
from dopejar.governance.policy.rules import Policy
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.ingest import Atom, Extraction, Marks, Near, Reason, Refiner, extract, propose, route_namespace
from dopejar.pipelines.ingest.keys.families import using
from dopejar.ports.store import ReadView, RecordFilter
from dopejar.text.sentences import sentences
from dopejar.values.episode import Episode, Origin, trust_of
from dopejar.values.ids import ActId, EpisodeId, ProposalId, TraceId
from dopejar.values.proposal import Add, Proposal, ProposalState, Reinforce, Supersede, Via
from dopejar.values.record import Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, Project
from dopejar.values.verdict import Allow

MADE_BY = "ingest@1"
LEAST_CONFIDENCE = 0.5
RULE_KINDS = frozenset({Kind.RULE, Kind.CONSTRAINT, Kind.DECISION, Kind.CORRECTION})
MOST_RULES = 100
_LEAST_WORDS = 2  # a single word is no statement
_TOLD_RULE = 0.7  # what the gate asks of a rule; the user's own word, told to the memory, is enough
_NOTHING_SAID = frozenset({Reason.QUESTION, Reason.CHATTER})
_LEARNED_FROM = frozenset({Origin.USER})
Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnInput:
    """An episode to think about, with the words before it and the ranges that are not the speaker's prose."""

    episode: Episode
    before: str = ""
    pasted: tuple[Span, ...] = ()


@dataclass(kw_only=True, slots=True)
class IngestCounts:
    """Counts of one run of thinking. `handed` counts what was left to the corrections pipeline, by turn."""

    atoms: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    handed: Counter[EpisodeId] = field(default_factory=Counter)
    guarded: Counter[str] = field(default_factory=Counter)


@dataclass(kw_only=True, slots=True)
class Ingestor:
    """Thinks about one episode after the other, each knowing what the ones before it taught."""

    overlay: Overlay
    policy: Policy
    secret: bytes | None
    now: datetime
    act_id: ActId
    trace_id: TraceId
    via: Via
    proposer: str
    project: Project | None = None
    namespace: Namespace = Namespace.PROD
    boot_lines: frozenset[str] = frozenset()
    rules: Callable[[], tuple[Record, ...]] = tuple  # active rules that a new one must not contradict unseen
    near: Near | None = None  # for what is told to the memory itself; learning stays independent of order without it
    tally: IngestCounts = field(default_factory=IngestCounts)
    read: Extraction | None = None  # of the episode thought about last
    options: IngestOptions = field(default_factory=IngestOptions)
    refiner: Refiner | None = None

    def guards(self, heard: Sequence[TurnInput]) -> dict[int, list[Span]]:
        """Ranges that recall injected or a boot file holds, by place in the sequence; nothing is learned from them."""
        found: dict[int, list[Span]] = {}
        by_digest: dict[str, None] = {}
        rows: list[tuple[int, Span, tuple[str, ...]]] = []
        looks_back = self.overlay.has_injected()
        for place, one in enumerate(heard):
            if one.episode.origin in _LEARNED_FROM:
                pasted = boot_file_spans(one.episode.text)
                if pasted:
                    found[place] = list(pasted)
                    self.tally.guarded["boot_file"] += len(pasted)
                packed = pack_spans(one.episode.text)
                if packed:
                    found.setdefault(place, []).extend(packed)
                    self.tally.guarded["recall_loop"] += len(packed)
        for place, span, text in self._pieces(heard) if looks_back or self.boot_lines else ():
            if self.boot_lines and is_boot_file(text, self.boot_lines):
                found.setdefault(place, []).append(span)
                self.tally.guarded["boot_file"] += 1
                continue
            if not looks_back:
                continue
            marks = digests(text)
            by_digest.update(dict.fromkeys(marks))
            rows.append((place, span, marks))
        known = frozenset(self.overlay.injected(tuple(by_digest)))
        for place, span, marks in rows:
            if marks and known and all(mark in known for mark in marks):
                found.setdefault(place, []).append(span)
                self.tally.guarded["recall_loop"] += 1
        return found

    def _pieces(self, heard: Sequence[TurnInput]) -> Iterator[tuple[int, Span, str]]:
        """The sentences that may be learned from, by place."""
        for place, one in enumerate(heard):
            if one.episode.origin in _LEARNED_FROM:
                yield from ((place, (p.start, p.end), p.text) for p in sentences(one.episode.text))

    def think(self, heard: Sequence[TurnInput]) -> list[Judged]:
        """Everything these episodes propose, judged, in their order."""
        guarded = self.guards(heard)
        result: list[Judged] = []
        for place, one in enumerate(heard):
            if self.via is Via.CONVERSATION and one.episode.origin not in _LEARNED_FROM:
                continue
            skip = (*one.pasted, *guarded.get(place, ()))
            with using(self.options.taxonomy):
                result += self._one(one, skip)
        return result

    def extract(self, heard: TurnInput, skip: Sequence[Span] = ()) -> Extraction:
        """The atoms of one episode."""
        episode = heard.episode
        return extract(
            episode.text,
            at=episode.at,
            speaker_is_user=episode.origin is Origin.USER,
            before=heard.before,
            skip=skip,
            keep_all=self.via is Via.REMEMBER,
        )

    def _one(self, heard: TurnInput, skip: Sequence[Span]) -> list[Judged]:
        extraction = self.read = self.extract(heard, skip)
        self.tally.left_out.update(one.reason.value for one in extraction.left_out)
        atoms = extraction.atoms
        if self.refiner is not None and heard.episode.origin is Origin.USER:
            atoms = self.refiner.refine(heard.episode.text, extraction, heard.before)
            self.read = replace(extraction, atoms=atoms)
        if not atoms and self.via is Via.REMEMBER and not _says_nothing(extraction):
            atoms = whole_text(heard.episode)
        if self.via is Via.REMEMBER and heard.episode.origin is Origin.USER:
            atoms = tuple(_meant(one) for one in atoms)
        self.tally.atoms += len(atoms)
        if self.via is Via.CONVERSATION:
            atoms = tuple(one for one in atoms if one.confidence >= LEAST_CONFIDENCE)
            if handed := sum(one.directs_work for one in atoms):
                self.tally.handed[heard.episode.id] += handed
        result: list[Judged] = []
        for atom in atoms:  # one after the other, so that each sees what the last one changed
            result += self.judge_all(self.propose((atom,), heard.episode))
        return result

    def propose(self, atoms: Sequence[Atom], episode: Episode) -> list[Proposal]:
        """What the atoms wish for, given what is believed; they weigh what the episode's own speaker weighs."""
        origin = episode.origin
        marks = marks_of(self.options)
        wishes = propose(
            atoms,
            episode=episode,
            known=self.overlay,
            act_id=self.act_id,
            trace_id=self.trace_id,
            via=self.via,
            origin=origin,
            project=self.project,
            namespace=self._namespace_of(episode, marks),
            now=self.now,
            made_by=MADE_BY,
            near=self.near,
            ttl=marks.ttl,
        )
        trust = trust_of(origin)
        marked = origin in (Origin.TOOL, Origin.FETCHED) and is_instruction_like(episode.text)
        return [
            replace(
                one,
                proposer=self.proposer,
                evidence=tuple(e if e.trust == trust else replace(e, trust=trust) for e in one.evidence),
                signals=replace(one.signals, instruction_like=marked, alignment=self._alignment(one, origin)),
            )
            for one in wishes
        ]

    def _namespace_of(self, episode: Episode, marks: Marks) -> Namespace:
        """A turn of a conversation that marks itself as a test or a probe is no memory of everyday."""
        if self.via is Via.CONVERSATION and self.namespace is Namespace.PROD:
            return route_namespace(episode.text, marks=marks)
        return self.namespace

    def _alignment(self, wish: Proposal, origin: Origin) -> float:
        """0 where a new rule, or anybody else's statement, contradicts an active rule of another concept, else 1."""
        payload = wish.payload
        if not isinstance(payload, Add | Supersede) or (isinstance(payload, Supersede) and payload.into):
            return 1.0  # what takes the place stands already
        draft = payload.draft
        if origin is Origin.USER and draft.kind not in RULE_KINDS:
            return 1.0
        chain = draft.slot or draft.key
        others = [one for one in self.rules() if one.chain != chain and one.scope in (draft.scope, UNIVERSAL)]
        return score_alignment(draft, others)

    def judge_all(self, wishes: Sequence[Proposal]) -> list[Judged]:
        """Judge each wish and lay what it changes on the overlay, for the next one to see."""
        result = []
        for wish in wishes:
            result.append(self._judge(check_tombstones(wish, self.overlay, self.secret)))
            said = self._said_with_authority(wish)
            if said is not None:
                result.append(said)
        return result

    def _judge(self, proposal: Proposal) -> Judged:
        verdict = decide(proposal, self.overlay, self.policy, self.now)
        return apply_to_overlay(self.overlay, Judged(proposal=proposal, verdict=verdict), self.now)

    def _said_with_authority(self, wish: Proposal) -> Judged | None:
        """What waited is believed once somebody says it whose own word would have been enough."""
        if not isinstance(wish.payload, Reinforce) or len(wish.targets) != 1:
            return None
        record = self.overlay.record(wish.targets[0].record_id)
        if record is None or record.status is not Status.STAGED:
            return None
        waiting = self.overlay.proposal(ProposalId(f"p_{record.id.removeprefix('m_')}"))
        if waiting is None or not isinstance(waiting.payload, Add) or waiting.state is not ProposalState.STAGED:
            return None
        verdict = decide(replace(wish, payload=waiting.payload, targets=()), self.overlay, self.policy, self.now)
        if not isinstance(verdict, Allow):
            return None
        judged = Judged(proposal=replace(waiting, act_id=wish.act_id, trace_id=wish.trace_id), verdict=verdict)
        return apply_to_overlay(self.overlay, judged, self.now)


def conversation_ingestor(
    deps: Dependencies,
    view: ReadView,
    *,
    act_id: ActId,
    trace_id: TraceId,
    project: Project | None,
    namespace: Namespace,
    boot_lines: frozenset[str],
    overlay: Overlay | None = None,
    refiner: Refiner | None = None,
) -> Ingestor:
    """Who thinks about a conversation that is learned; with an overlay, knowing what those before it taught."""
    secret = view.meta("secret") if view.has_tombstones() else None
    return Ingestor(
        options=deps.ingest,
        refiner=refiner,
        overlay=overlay or Overlay(view),
        policy=deps.policy(),
        secret=bytes.fromhex(secret) if secret else None,
        now=deps.clock.now(),
        act_id=act_id,
        trace_id=trace_id,
        via=Via.CONVERSATION,
        proposer="learn",
        project=project,
        namespace=namespace,
        boot_lines=boot_lines,
    )


def marks_of(options: IngestOptions) -> Marks:
    """The words and the time to live that route memories."""
    return Marks(
        test=options.test_words, ephemeral=options.ephemeral_words, ttl=timedelta(hours=options.ephemeral_hours)
    )


def refiner_of(deps: Dependencies) -> Refiner | None:
    """Asks the configured language model, where a person switched that on; None by default."""
    model = deps.language_model() if deps.ingest.refine else None
    if model is None:
        return None
    from dopejar.pipelines.ingest.refining import ModelRefiner

    return ModelRefiner(model=model)


def active_rules(view: ReadView, namespace: Namespace) -> tuple[Record, ...]:
    """The newest active rules, constraints, decisions and corrections."""
    where = RecordFilter(statuses=(Status.ACTIVE,), kinds=tuple(RULE_KINDS), namespace=namespace)
    return view.list_records(where, MOST_RULES)


def _says_nothing(extraction: Extraction) -> bool:
    """Whether everything that was left out is a question or chatter: then there is nothing to believe."""
    return bool(extraction.left_out) and all(
        one.reason in _NOTHING_SAID or (one.reason is Reason.FRAGMENT and len(one.text.split()) < _LEAST_WORDS)
        for one in extraction.left_out
    )


def _meant(atom: Atom) -> Atom:
    """What a person tells the memory is meant to be kept; how sure we are of its kind decides nothing then."""
    least = _TOLD_RULE if atom.directs_work else LEAST_CONFIDENCE
    return atom if atom.confidence >= least else replace(atom, confidence=least)


def whole_text(episode: Episode) -> tuple[Atom, ...]:
    """What a person asked to be remembered and no rule could read: a World.Fact of low confidence, never nothing."""
    text = " ".join(episode.text.split())
    if not text:
        return ()
    return (
        Atom(
            text=text,
            start=0,
            end=len(episode.text),
            layer=Layer.WORLD,
            sublayer=Sublayer.FACT,
            kind=Kind.FACT,
            cue="nothing decided: kept whole",
            confidence=LEAST_CONFIDENCE,
            states=False,
        ),
    )


def explained(extraction: Extraction) -> Mapping[str, int]:
    """How many pieces were left out, by reason."""
    return dict(Counter(one.reason.value for one in extraction.left_out))

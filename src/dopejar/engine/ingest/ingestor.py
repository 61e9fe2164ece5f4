"""From episodes to judged proposals: guards, extraction, proposals, verdicts.

Takes: admitted episodes and an overlay. Gives: judged proposals and counts. Never: writes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain, islice

from dopejar.engine.dependencies import Dependencies, IngestOptions
from dopejar.engine.ingest.guidance_forms import promote_to_guidance
from dopejar.engine.ingest.rule_complaints import attribute_complaints
from dopejar.engine.ingest.turn_extraction import LEAST_CONFIDENCE, Span, TurnInput, atom_of_whole_text, extract_turns
from dopejar.engine.ingest.undated_texts import hold_undated, is_held
from dopejar.engine.unit_of_work import JudgedProposal, apply_to_overlay, check_tombstones, decide
from dopejar.governance.policy.alignment import score_alignment
from dopejar.governance.policy.loop_guard import (
    boot_file_spans,
    digest_readings,
    framed_parts,
    is_boot_file,
    pack_spans,
)
from dopejar.governance.policy.rules import Policy
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.ingest import Atom, Extraction, Marks, Refiner, propose, route_namespace
from dopejar.pipelines.ingest.integrity.exceptions import binding_rules
from dopejar.pipelines.ingest.integrity.rule_endings import tells_rule_ended
from dopejar.pipelines.ingest.keys.given_key import with_reading
from dopejar.pipelines.ingest.keys.value_families import using
from dopejar.pipelines.ingest.related_records import RelatedSearch
from dopejar.pipelines.ingest.statement_frames import framed, named
from dopejar.ports.statement_reader import ChangeReader, StatementMarker, StatementReader
from dopejar.ports.store import ReadView
from dopejar.text.injection_detector import is_instruction_like
from dopejar.text.sentences import sentences
from dopejar.text.words import content_words
from dopejar.values.episode import WITHHELD, Episode, Origin, is_repeated, trust_in
from dopejar.values.ids import ActId, EpisodeId, TraceId, proposal_id_of
from dopejar.values.proposal import Add, Proposal, Reinforce, Supersede, Via
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Kind, Record, Status
from dopejar.values.scope import Namespace, Project
from dopejar.values.statement import is_of_own_life, stands
from dopejar.values.verdict import Allow, Verdict
from dopejar.values.versioned_rows import NORTH_STARS, PRIORITIES

MADE_BY = "ingest@1"
_LEAST_IN_ANSWER = 0.6  # of a marked statement in an answer: most of what is said amid work is about the work at hand
RULE_KINDS = frozenset({Kind.RULE, Kind.CONSTRAINT, Kind.DECISION, Kind.CORRECTION})
MOST_RULES = 100
_DIRECT_RULE_CONFIDENCE = 0.7  # what the gate asks of a rule; a person's direct statement is enough for it
_SURELY_MEANT = 0.6  # certainty of a reader from which words that no rule could read are kept whole
_LEARNED_FROM = frozenset({Origin.USER})


@dataclass(kw_only=True, slots=True)
class IngestCounts:
    """Counts of one run. `handed` counts what was left to the corrections pipeline, by turn."""

    atoms: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    handed: Counter[EpisodeId] = field(default_factory=Counter)
    guarded: Counter[str] = field(default_factory=Counter)


@dataclass(kw_only=True, slots=True)
class Ingestor:
    """Evaluates one episode after the other; each sees what the ones before it changed."""

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
    goals: Callable[[], tuple[str, ...]] = tuple  # what the user works for: north stars and priorities
    related: RelatedSearch | None = None  # compares with the records near; where there is none, slots decide
    counts: IngestCounts = field(default_factory=IngestCounts)
    extraction: Extraction | None = None  # of the last episode
    options: IngestOptions = field(default_factory=IngestOptions)
    refiner: Refiner | None = None
    changes: ChangeReader | None = None  # of new names
    earlier: Sequence[TurnInput] = ()  # turns learned from before, which these may lean on or correct
    marker: StatementMarker | None = None  # finds what lasts in a conversation; rules do where there is none
    namer: StatementReader | None = None  # a language model that names what a statement is about, for its key
    confirmed_by: str = ""  # the reviewer who vouches that the user says it

    def guarded_spans(self, turns: Sequence[TurnInput]) -> dict[int, list[Span]]:
        """Spans that recall injected or a boot file holds, by position of the turn; nothing is learned from them."""
        guarded: dict[int, list[Span]] = {}
        for position, turn in enumerate(turns):
            if self._may_teach(turn):
                self._guard(guarded, position, boot_file_spans(turn.episode.text), "boot_file")
                self._guard(guarded, position, pack_spans(turn.episode.text), "recall_loop")
        checks_injected = self.via is Via.CONVERSATION and self.overlay.has_injected()
        candidates: dict[datetime | None, list[tuple[int, Span, tuple[tuple[str, ...], ...]]]] = defaultdict(list)
        for position, span, text in self._sentences(turns) if checks_injected or self.boot_lines else ():
            if self.boot_lines and is_boot_file(text, self.boot_lines):
                self._guard(guarded, position, [span], "boot_file")
            elif checks_injected:
                then = candidates[turns[position].spoken_at]
                then.append((position, span, digest_readings(text)))
                for (start, end), reading in framed_parts(text):
                    then.append((position, (span[0] + start, span[0] + end), (reading,)))
        for spoken_at, sentences_then in candidates.items():
            every = chain.from_iterable(reading for _, _, readings in sentences_then for reading in readings)
            injected = frozenset(self.overlay.injected(tuple(dict.fromkeys(every)), spoken_at))
            whole = (-1, (0, 0))  # the last sentence that was known: its parts are, too
            for position, span, readings in sentences_then:
                is_within = whole[0] == position and whole[1][0] <= span[0] and span[1] <= whole[1][1]
                if not is_within and any(injected.issuperset(reading) for reading in readings):
                    whole = (position, span)
                    self._guard(guarded, position, [span], "recall_loop")
        return guarded

    def _guard(self, guarded: dict[int, list[Span]], position: int, spans: Sequence[Span], reason: str) -> None:
        if spans:
            guarded.setdefault(position, []).extend(spans)
            self.counts.guarded[reason] += len(spans)

    def _may_teach(self, turn: TurnInput) -> bool:
        return self.via is not Via.CONVERSATION or turn.episode.origin in _LEARNED_FROM

    def _sentences(self, turns: Sequence[TurnInput]) -> Iterator[tuple[int, Span, str]]:
        """The sentences that may be learned from, with the position of their turn."""
        for position, turn in enumerate(turns):
            if turn.episode.origin in _LEARNED_FROM:
                for sentence in sentences(turn.episode.text):
                    yield position, (sentence.start, sentence.end), sentence.text

    def evaluate(self, turns: Sequence[TurnInput]) -> list[JudgedProposal]:
        """Everything that these turns propose, judged, in their order."""
        guarded = self.guarded_spans(turns)
        read = [
            (turn, (*turn.pasted, *guarded.get(position, ())))
            for position, turn in enumerate(turns)
            if self._is_read(turn)
        ]
        judged: list[JudgedProposal] = []
        with using(self.options.taxonomy):
            reader = self.related.reader if self.related is not None else None
            extractions = self._framed(extract_turns(read, self.via, self.marker, self.changes, reader, self.earlier))
            for (turn, _), extraction in zip(read, extractions, strict=True):
                judged += self._evaluate_turn(turn, extraction)
        return judged

    def _framed(self, extractions: Sequence[Extraction]) -> Iterator[Extraction]:
        """The extractions with what a reader finds in their atoms, all of them read at once."""
        reader = self.related.reader if self.related is not None else None
        if reader is None or not reader.finds_frames:
            yield from extractions
            return
        every = [atom for extraction in extractions for atom in extraction.atoms]
        groups = iter(framed(every, reader, resort=self.via is not Via.CONVERSATION))
        for extraction in extractions:
            yield replace(extraction, atoms=tuple(chain(*islice(groups, len(extraction.atoms)))))

    def _is_read(self, turn: TurnInput) -> bool:
        if turn.episode.text == WITHHELD or not self._may_teach(turn):
            return False
        if is_repeated(turn.episode):
            self.counts.guarded["repeated_turn"] += 1
            return False
        return True

    def _evaluate_turn(self, turn: TurnInput, extraction: Extraction) -> list[JudgedProposal]:
        self.extraction = extraction
        self.counts.left_out.update(piece.reason.value for piece in extraction.left_out)
        atoms = named(self._atoms(turn, extraction), self.namer)
        if turn.reading is not None:
            atoms = with_reading(atoms, turn.reading)
        self.extraction = replace(self.extraction, atoms=atoms)
        self.counts.atoms += len(atoms)
        if self.via is Via.CONVERSATION:
            atoms = tuple(atom for atom in atoms if atom.confidence >= LEAST_CONFIDENCE)
        judged: list[JudgedProposal] = []
        for atom in atoms:  # one after the other, so that each sees what the last one changed
            is_left = atom.guides and self.via is Via.CONVERSATION and self.marker is None
            proposals = [] if is_left else self.propose((atom,), turn.episode)
            if not self._is_news(turn, atom, proposals):
                proposals = [one for one in proposals if isinstance(one.payload, Supersede | Reinforce)]
            if self.via is Via.CONVERSATION and any(isinstance(one.payload, Supersede) for one in proposals):
                proposals = [] if tells_rule_ended(atom.text) else proposals  # the rule's end is proposed later
                proposals = attribute_complaints(proposals, turn.episode.text, self.overlay)
            if atom.guides and self.via is Via.CONVERSATION and not proposals:
                self.counts.handed[turn.episode.id] += 1
            judged += self.judge_all(hold_undated(proposals, turn.episode, self.overlay))
        return judged

    def _is_news(self, turn: TurnInput, atom: Atom, proposals: Sequence[Proposal]) -> bool:
        """Whether the atom lasts by itself, and not only where it changes or repeats what is known."""
        if atom.only_changes or self.via is not Via.CONVERSATION or self.marker is None:
            return not atom.only_changes
        # a person looks at guidance before it holds, and is not asked about an order of the moment
        waits = atom.guides or any(one.signals.directs_work for one in proposals)
        is_kept = not waits or self.related is None or stands(self.related.read(atom.text))
        if not (is_kept and turn.before) or atom.guides or atom.confidence >= _LEAST_IN_ANSWER:
            return is_kept
        return self.related is not None and not atom.context and is_of_own_life(self.related.read(atom.text))

    def _atoms(self, turn: TurnInput, extraction: Extraction) -> tuple[Atom, ...]:
        """The atoms to propose: refined by a model where one is configured; a direct statement is never lost."""
        atoms = extraction.atoms
        if self.refiner is not None and turn.episode.origin is Origin.USER:
            atoms = self.refiner.refine(turn.episode.text, extraction, turn.before)
        if self.via is Via.REMEMBER:
            if not (atoms or extraction.is_not_meant) and (
                not extraction.states_nothing or self._is_believed(turn.episode)
            ):
                atoms = atom_of_whole_text(turn.episode)
                self.extraction = replace(extraction, atoms=atoms, left_out=())  # then nothing of it is left out
            if turn.episode.origin is Origin.USER:
                atoms = tuple(_with_least_confidence(atom) for atom in atoms)
        return atoms

    def _is_believed(self, episode: Episode) -> bool:
        """Whether a reader finds that the words state something, though no rule could read them."""
        if self.related is None or episode.origin is not Origin.USER or not content_words(episode.text):
            return False  # ".", "we": there is no word that could state anything
        read = self.related.read(episode.text)
        return read.believed and read.act_certainty >= _SURELY_MEANT

    def propose(self, atoms: Sequence[Atom], episode: Episode) -> list[Proposal]:
        """What the atoms propose, given what is believed; they have the trust of the episode's own speaker."""
        origin = episode.origin
        marks = routing_marks(self.options)
        atoms = tuple(promote_to_guidance(atom, in_project=self.project is not None) for atom in atoms)
        proposals = propose(
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
            related=self.related,
            ttl=marks.ttl,
        )
        trust = trust_in(episode)
        is_foreign = origin in (Origin.TOOL, Origin.FETCHED)
        is_plain = all(atom.only_states for atom in atoms)
        instruction_like = bool(proposals) and is_foreign and is_instruction_like(episode.text)
        return [
            replace(
                proposal,
                proposer=self.proposer,
                evidence=tuple(row if row.trust == trust else replace(row, trust=trust) for row in proposal.evidence),
                signals=replace(
                    proposal.signals,
                    instruction_like=instruction_like,
                    directs_work=proposal.signals.directs_work or (not is_plain and _reads_like_guidance(proposal)),
                    alignment=self._alignment(proposal, origin),
                ),
            )
            for proposal in proposals
        ]

    def _namespace_of(self, episode: Episode, marks: Marks) -> Namespace:
        """The namespace of a turn: one that marks itself as a test or a probe does not go to everyday memory."""
        if self.via is Via.CONVERSATION and self.namespace is Namespace.PROD:
            return route_namespace(episode.text, marks=marks)
        return self.namespace

    def _alignment(self, proposal: Proposal, origin: Origin) -> float:
        """0 where a new rule, or anybody else's statement, contradicts a goal or an active rule of another concept."""
        payload = proposal.payload
        if not isinstance(payload, Add | Supersede) or (isinstance(payload, Supersede) and payload.into):
            return 1.0  # the record that takes the place exists already
        draft = payload.draft
        if origin is Origin.USER and draft.kind not in RULE_KINDS:
            return 1.0
        return score_alignment(draft, binding_rules(draft, self.rules()), self.goals())

    def judge_all(self, proposals: Sequence[Proposal]) -> list[JudgedProposal]:
        """Judge each proposal and apply what it changes to the overlay, for the next one to see."""
        judged = []
        for proposal in proposals:
            judged.append(self._judge(check_tombstones(proposal, self.overlay, self.secret)))
            judged += filter(None, [self._confirm_waiting(proposal)])
        return judged

    def _judge(self, proposal: Proposal) -> JudgedProposal:
        verdict = self._decide(proposal)
        return apply_to_overlay(self.overlay, JudgedProposal(proposal=proposal, verdict=verdict), self.now)

    def _decide(self, proposal: Proposal) -> Verdict:
        return decide(proposal, self.overlay, self.policy, self.now, confirmed_by=self.confirmed_by)

    def _confirm_waiting(self, proposal: Proposal) -> JudgedProposal | None:
        """A waiting proposal, allowed now that somebody says the same whose own word would have been enough."""
        if not isinstance(proposal.payload, Reinforce) or len(proposal.record_targets) != 1:
            return None
        record = self.overlay.record(proposal.record_targets[0].record_id)
        if record is None or record.status is not Status.STAGED:
            return None
        waiting = self.overlay.proposal(proposal_id_of(record.id))
        if waiting is None or not isinstance(waiting.payload, Add) or is_held(waiting, self.overlay):
            return None
        directs_work = proposal.signals.directs_work or waiting.signals.directs_work
        signals = replace(proposal.signals, directs_work=directs_work)
        draft = replace(waiting.payload.draft, confidence=max(waiting.payload.draft.confidence, proposal.confidence))
        payload = replace(waiting.payload, draft=draft)
        verdict = self._decide(replace(proposal, payload=payload, targets=(), signals=signals))
        if not isinstance(verdict, Allow):
            return None
        judged = JudgedProposal(
            proposal=replace(waiting, act_id=proposal.act_id, trace_id=proposal.trace_id), verdict=verdict
        )
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
    related: RelatedSearch | None = None,
    refiner: Refiner | None = None,
) -> Ingestor:
    """The ingestor of a conversation that is learned; with an overlay, it sees what was learned just before."""
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
        marker=deps.marker(),
        related=related,
        changes=deps.changes(),
        proposer="learn",
        project=project,
        namespace=namespace,
        boot_lines=boot_lines,
    )


def routing_marks(options: IngestOptions) -> Marks:
    """The words that route memories to the test and ephemeral namespaces, and the time to live there."""
    return Marks(
        test=options.test_words, ephemeral=options.ephemeral_words, ttl=timedelta(hours=options.ephemeral_hours)
    )


def configured_refiner(deps: Dependencies) -> Refiner | None:
    """The refiner that asks the configured language model, where a person switched that on; None by default."""
    model = deps.language_model() if deps.ingest.refine else None
    if model is None:
        return None
    from dopejar.pipelines.ingest.model_refinement import ModelRefiner

    return ModelRefiner(model=model)


def active_rules(view: ReadView, namespace: Namespace) -> tuple[Record, ...]:
    """The newest active rules, constraints, decisions and corrections."""
    where = RecordFilter(statuses=(Status.ACTIVE,), kinds=tuple(RULE_KINDS), namespace=namespace)
    return view.list_records(where, MOST_RULES)


def goals_of(view: ReadView) -> tuple[str, ...]:
    """What the user works for, by the shared references."""
    return tuple(text for key in (NORTH_STARS, PRIORITIES) if (one := view.reference(key)) for text in one.texts)


def _reads_like_guidance(proposal: Proposal) -> bool:
    """Whether a new record's own words are an instruction to the assistant, whatever it is filed under."""
    payload = proposal.payload
    return isinstance(payload, Add | Supersede) and is_instruction_like(payload.draft.text)


def _with_least_confidence(atom: Atom) -> Atom:
    """A direct statement with the confidence that the gate asks for: doubt about its kind must not stop it."""
    least = _DIRECT_RULE_CONFIDENCE if atom.directs_work or atom.kind in RULE_KINDS else LEAST_CONFIDENCE
    return atom if atom.confidence >= least else replace(atom, confidence=least)

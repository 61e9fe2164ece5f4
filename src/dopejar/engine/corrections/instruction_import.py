"""Import of instruction files (`AGENTS.md`, `CLAUDE.md`): a person's explicit act.

Takes: a file and the project at hand. Gives: its rules, staged with their lines as evidence. Never: activates a line by
itself, learns the section that this program wrote, or proposes a line twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.engine.corrections.extraction import directing_records
from dopejar.engine.dependencies import Dependencies
from dopejar.engine.ingest.ingestor import Ingestor
from dopejar.engine.unit_of_work import JudgedProposal, commit_with_retry
from dopejar.errors import ConsentError, InputError, NotFoundError
from dopejar.memory.append import AdmittedEpisodes, admit, append
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.corrections.clusters.wish_clusters import stated_cluster
from dopejar.pipelines.corrections.exchange import Exchange
from dopejar.pipelines.corrections.instruction_file import FileRule, rules_in
from dopejar.pipelines.corrections.proposals.gate_proposals import CorrectionContext, make_gate_proposals
from dopejar.pipelines.corrections.proposals.proposal_engine import MemoryProposal, SessionSummary, priority_of
from dopejar.pipelines.corrections.proposals.scope_inference import languages_of, scope_of, scope_signs
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.text.normalisation import content_hash
from dopejar.values.episode import Conversation, Episode, EpisodeKind, Origin
from dopejar.values.ids import ActId, TraceId, conversation_id, episode_id, keyed_episode_id, new_act_id
from dopejar.values.proposal import Via
from dopejar.values.scope import UNIVERSAL, Project, Scope

if TYPE_CHECKING:
    from dopejar.values.receipt import Receipt

FORMAT = "instructions"  # of the conversation that holds the lines of a file
LONGEST = 200_000  # bytes
_CONFIDENCE = 0.9  # somebody wrote the line down to be followed


@dataclass(frozen=True, kw_only=True, slots=True)
class InstructionImport:
    """What an import came to. `rules` counts the rules of the file, `known` the lines that were kept before."""

    path: str
    act_id: ActId
    rules: int
    known: int
    receipts: tuple[Receipt, ...] = ()
    redactions: Mapping[str, int] = field(default_factory=dict)


def import_instructions(
    deps: Dependencies, path: Path, project: Project | None, trace_id: TraceId
) -> InstructionImport:
    """Stage the rules of a file. With a project they hold in it, else everywhere or in their language.

    The same file again changes nothing; of a file that has changed the new lines are staged.

    Raises:
        NotFoundError, InputError: the file is not there, or is no text of at most 200,000 bytes.
        ConsentError: the user's words may not be kept.
    """
    raw, written_at = _read_file(path)
    text, redactions = deps.redact(raw)
    rules = rules_in(text)
    act_id, now = new_act_id(), deps.clock.now()
    conversation = _conversation(path, project, now)
    with deps.store.read() as view:
        lines = [_with_kept_id(view, _episode(conversation, path, text, rule, written_at, trace_id)) for rule in rules]
    admitted = admit(lines, deps.redact, deps.may_keep)
    if len(admitted.episodes) < len(lines):
        raise ConsentError(
            "The user's text may not be stored. To allow it, change `consent.persist` with `dopejar config set`."
        )
    with deps.store.read() as view:
        known = len(view.episodes(tuple(line.id for line in lines)))
    context = CorrectionContext(
        act_id=act_id, trace_id=trace_id, now=now, project=project, proposer="user", via=Via.FILE
    )
    summary = _summary(rules, admitted, path, project, now)
    receipts: tuple[Receipt, ...] = ()
    if rules:
        receipts = commit_with_retry(
            deps.store, lambda: _evaluate(deps, summary, context), lambda tx: _keep(tx, conversation, admitted), now
        )
    return InstructionImport(
        path=conversation.source,
        act_id=act_id,
        rules=len(rules),
        known=known,
        receipts=receipts,
        redactions=dict(redactions),
    )


def _evaluate(deps: Dependencies, summary: SessionSummary, context: CorrectionContext) -> list[JudgedProposal]:
    """The proposals of the file, judged against a snapshot."""
    with deps.store.read() as view:
        secret = view.meta("secret") if view.has_tombstones() else None
        ingestor = Ingestor(
            overlay=Overlay(view),
            policy=deps.policy(),
            secret=bytes.fromhex(secret) if secret else None,
            now=context.now,
            act_id=context.act_id,
            trace_id=context.trace_id,
            via=context.via,
            proposer=context.proposer,
            project=context.project,
        )
        stored = directing_records(view, context.namespace)
        proposals = make_gate_proposals(summary, known=ingestor.overlay, stored=stored, context=context)
        return ingestor.judge_all(proposals)


def _conversation(path: Path, project: Project | None, now: datetime) -> Conversation:
    """The conversation that the lines of a file are kept in."""
    source = str(path.absolute())
    return Conversation(
        id=conversation_id(FORMAT, source),
        source=source,
        name=path.name,
        format=FORMAT,
        started_at=now,
        project=project.id if project else "",
        project_label=project.label if project else "",
    )


def _read_file(path: Path) -> tuple[str, datetime]:
    if not path.exists():
        raise NotFoundError(f"{path} is not there. Name an instruction file such as AGENTS.md.")
    try:
        stat = path.stat()
        if not path.is_file() or stat.st_size > LONGEST:
            raise InputError(f"{path} is not an instruction file: it must be a text file of at most {LONGEST} bytes.")
        return path.read_text(encoding="utf-8-sig"), datetime.fromtimestamp(stat.st_mtime, UTC)
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(f"{path} cannot be read as text ({fault}). Save it as UTF-8 and try again.") from fault


def _episode(
    conversation: Conversation, path: Path, text: str, rule: FileRule, written_at: datetime, trace_id: TraceId
) -> Episode:
    """A line of the file. Its id is made of its words and headings, so that it is recognised where it moves."""
    words = text[rule.atom.start : rule.atom.end]
    number = text.count("\n", 0, rule.atom.start) + 1
    under = " > ".join(rule.headings)
    return Episode(
        id=episode_id(conversation.id, f"{under}:{content_hash(words)}"),
        conversation=conversation.id,
        index=0,
        at=written_at,
        speaker="user",
        origin=Origin.USER,
        text=words,
        kind=EpisodeKind.FILE,
        trace_id=trace_id,
        project=conversation.project,
        note=f"{path.name}, line {number}" + (f", under {under}" if under else ""),
    )


def _with_kept_id(view: ReadView, line: Episode) -> Episode:
    """The line under the id that it is kept by: keyed by the store's secret, but for lines of earlier versions."""
    if view.episode(line.id) is not None:
        return line
    return replace(line, id=keyed_episode_id(bytes.fromhex(view.meta("secret") or ""), line.id))


def _keep(tx: WriteTransaction, conversation: Conversation, admitted: AdmittedEpisodes) -> None:
    old = tx.conversation(conversation.id)
    known = tx.episodes(tuple(line.id for line in admitted.episodes))
    first = old.imported if old else 0
    new = [line for line in admitted.episodes if line.id not in known]
    placed = tuple(replace(line, index=first + position) for position, line in enumerate(new))
    append(tx, replace(old or conversation, imported=first + len(placed)), replace(admitted, episodes=placed))


def _summary(
    rules: Sequence[FileRule], admitted: AdmittedEpisodes, path: Path, project: Project | None, now: datetime
) -> SessionSummary:
    proposals = []
    for rule, line in zip(rules, admitted.episodes, strict=True):
        turn = Exchange(text=line.text, at=line.at, episode_id=line.id, conversation=line.conversation)
        corrections = stated_cluster(rule.atom.text, [turn], confidence=_CONFIDENCE)
        category = rule.atom.kind.value
        proposals.append(
            MemoryProposal(
                id=line.id,
                category=category,
                scope=str(scope_for(rule, project)),
                content=rule.atom.text,
                rationale=f"It stands in {line.note or path.name}",
                source_variants=(line.text,),
                confidence=_CONFIDENCE,
                priority=priority_of(corrections, category),
                cluster=corrections,
            )
        )
    return SessionSummary(
        session_id=path.name,
        timestamp=now,
        project=project.id if project else None,
        proposals=tuple(proposals),
        total_corrections=0,
        total_proposed=len(proposals),
    )


def scope_for(rule: FileRule, project: Project | None) -> Scope:
    """Where a line holds: in the project whose file it is, unless it says everywhere; else by its words and heading."""
    text = rule.atom.text
    if project is not None:
        return UNIVERSAL if scope_signs(text).get("everywhere") else Scope.project(project.id)
    languages = languages_of(rule.headings[-1]) if rule.headings else ()
    scope = scope_of(text, None)
    return Scope.language(languages[0]) if scope == UNIVERSAL and len(languages) == 1 else scope

"""Taking in an instruction file (`AGENTS.md`, `CLAUDE.md`): a person's explicit act.

Takes: a file and the project at hand. Gives: its rules, staged with their lines as evidence. Never: believes a line by
itself, learns our own section back, or proposes a line twice.
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
from dopejar.pipelines.corrections.clusters.cluster import stated_cluster
from dopejar.pipelines.corrections.exchange import Exchange
from dopejar.pipelines.corrections.instruction_file import FileRule, rules_in
from dopejar.pipelines.corrections.proposals.gate_proposals import ProposalContext, make_gate_proposals
from dopejar.pipelines.corrections.proposals.proposal_engine import MemoryProposal, SessionSummary, priority_of
from dopejar.pipelines.corrections.proposals.scope_inference import languages_of, scope_of, scope_signs
from dopejar.ports.store import WriteTransaction
from dopejar.text.normalise import content_hash
from dopejar.values.episode import Conversation, Episode, EpisodeKind, Origin
from dopejar.values.ids import ActId, TraceId, conversation_id, episode_id, new_act_id
from dopejar.values.proposal import Via
from dopejar.values.scope import UNIVERSAL, Project, Scope

if TYPE_CHECKING:
    from dopejar.memory.commit import Receipt

FORMAT = "instructions"  # of the conversation that the lines of a file are kept as
LONGEST = 200_000  # bytes
_SURE = 0.9  # somebody wrote the line down to be followed


@dataclass(frozen=True, kw_only=True, slots=True)
class InstructionImport:
    """What taking in a file came to. `rules` counts those found, `known` the lines that were kept before."""

    path: str
    act_id: ActId
    rules: int
    known: int
    receipts: tuple[Receipt, ...] = ()
    redactions: Mapping[str, int] = field(default_factory=dict)


def import_instructions(deps: Dependencies, path: Path, project: Project | None, trace_id: TraceId) -> InstructionImport:
    """Stage the rules of a file. With a project they hold in it, else everywhere or in their language.

    The same file again changes nothing; of a file that has changed the new lines are staged.

    Raises:
        NotFoundError, InputError: the file is not there, or is no text of at most 200,000 bytes.
        ConsentError: the user's words may not be kept.
    """
    raw, written_at = _text_of(path)
    text, redactions = deps.redact(raw)
    rules = rules_in(text)
    act_id, now = new_act_id(), deps.clock.now()
    source = str(path.absolute())
    home = Conversation(
        id=conversation_id(FORMAT, source),
        source=source,
        name=path.name,
        format=FORMAT,
        started_at=now,
        project=project.id if project else "",
        project_label=project.label if project else "",
    )
    lines = [_episode(home, path, text, rule, written_at, trace_id) for rule in rules]
    admitted = admit(lines, deps.redact, deps.may_keep)
    if len(admitted.episodes) < len(lines):
        raise ConsentError("The user's words may not be kept. `dopejar config set consent.persist` allows them.")
    with deps.store.read() as view:
        known = len(view.episodes(tuple(one.id for one in lines)))
    circumstances = ProposalContext(
        act_id=act_id, trace_id=trace_id, now=now, project=project, proposer="user", via=Via.FILE
    )
    summary = _summary(rules, admitted, path, project, now)

    def think() -> list[JudgedProposal]:
        with deps.store.read() as view:
            secret = view.meta("secret") if view.has_tombstones() else None
            thinker = Ingestor(
                overlay=Overlay(view),
                policy=deps.policy(),
                secret=bytes.fromhex(secret) if secret else None,
                now=now,
                act_id=act_id,
                trace_id=trace_id,
                via=Via.FILE,
                proposer="user",
                project=project,
            )
            stored = directing_records(view, circumstances.namespace)
            wishes = make_gate_proposals(summary, known=thinker.overlay, stored=stored, circumstances=circumstances)
            return thinker.judge_all(wishes)

    def keep(tx: WriteTransaction) -> None:
        _keep(tx, home, admitted)

    receipts = commit_with_retry(deps.store, think, keep, now) if rules else ()
    return InstructionImport(
        path=source,
        act_id=act_id,
        rules=len(rules),
        known=known,
        receipts=receipts,
        redactions=dict(redactions),
    )


def _text_of(path: Path) -> tuple[str, datetime]:
    if not path.exists():
        raise NotFoundError(f"{path} is not there. Name an instruction file such as AGENTS.md.")
    try:
        found = path.stat()
        if not path.is_file() or found.st_size > LONGEST:
            raise InputError(f"{path} is no instruction file: it must be a text of at most {LONGEST} bytes.")
        return path.read_text(encoding="utf-8-sig"), datetime.fromtimestamp(found.st_mtime, UTC)
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(f"{path} cannot be read as text ({fault}). Save it as UTF-8 and try again.") from fault


def _episode(
    home: Conversation, path: Path, text: str, rule: FileRule, written_at: datetime, trace_id: TraceId
) -> Episode:
    """A line of the file, known again by its words and headings wherever in the file it moves to."""
    words = text[rule.atom.start : rule.atom.end]
    number = text.count("\n", 0, rule.atom.start) + 1
    under = " > ".join(rule.headings)
    return Episode(
        id=episode_id(home.id, f"{under}:{content_hash(words)}"),
        conversation=home.id,
        index=0,
        at=written_at,
        speaker="user",
        origin=Origin.USER,
        text=words,
        kind=EpisodeKind.FILE,
        trace_id=trace_id,
        project=home.project,
        note=f"{path.name}, line {number}" + (f", under {under}" if under else ""),
    )


def _keep(tx: WriteTransaction, home: Conversation, admitted: AdmittedEpisodes) -> None:
    old = tx.conversation(home.id)
    known = tx.episodes(tuple(one.id for one in admitted.episodes))
    first = old.imported if old else 0
    fresh = [one for one in admitted.episodes if one.id not in known]
    placed = tuple(replace(one, index=first + place) for place, one in enumerate(fresh))
    append(tx, replace(old or home, imported=first + len(placed)), replace(admitted, episodes=placed))


def _summary(
    rules: Sequence[FileRule], admitted: AdmittedEpisodes, path: Path, project: Project | None, now: datetime
) -> SessionSummary:
    proposals = []
    for rule, line in zip(rules, admitted.episodes, strict=True):
        turn = Exchange(text=line.text, at=line.at, episode_id=line.id, conversation=line.conversation)
        one = stated_cluster(rule.atom.text, [turn], confidence=_SURE)
        category = rule.atom.kind.value
        proposals.append(
            MemoryProposal(
                id=line.id,
                category=category,
                scope=str(scope_for(rule, project)),
                content=rule.atom.text,
                rationale=f"It stands in {line.note or path.name}",
                source_variants=(line.text,),
                confidence=_SURE,
                priority=priority_of(one, category),
                cluster=one,
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
    under = languages_of(rule.headings[-1]) if rule.headings else ()
    found = scope_of(text, None)
    return Scope.language(under[0]) if found == UNIVERSAL and len(under) == 1 else found

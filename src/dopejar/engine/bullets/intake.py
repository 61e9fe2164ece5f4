"""Bullets brought in: said, or placed by a reviewer.

Takes: words with what is known of them. Gives: what became of each. Never: loses one without a reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dopejar.engine.bullets.assignment import (
    BulletUnitOfWork,
    Staging,
    bullets,
    commit_all,
    place,
    reviewers_voice,
    suggest,
    voice,
)
from dopejar.engine.bullets.episode_writer import Voiced, voiced
from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker
from dopejar.errors import InputError
from dopejar.memory.commit import Receipt
from dopejar.pipelines.procedural.bullets import Bullet, BulletType, bullet_type
from dopejar.pipelines.procedural.curator import Decision, Disposition
from dopejar.pipelines.procedural.insights import Insight, evidence_in, join_tags
from dopejar.pipelines.procedural.playbook import PlaybookEntry
from dopejar.pipelines.procedural.proposals import ProposalContext
from dopejar.text.normalise import normalise
from dopejar.values.episode import Episode, trust_of
from dopejar.values.ids import TraceId
from dopejar.values.scope import Project, Scope, Side

LONGEST = 4000  # characters of a bullet; a longer one is a document


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """What became of several insights at once. `bullets` are those that changed, or say the same already."""

    decisions: tuple[Decision, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    bullets: tuple[Bullet, ...] = ()

    @property
    def reason(self) -> str:
        """Why nothing became of the first of them."""
        told = [one.reason for one in self.decisions if one.disposition is Disposition.DROP]
        return (told or [one.reason for one in self.receipts if one.reason] or ["it changes nothing"])[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """A bullet as somebody says it. Raises InputError where it cannot be one."""

    text: str
    hint: Side = Side.NONE
    kind: BulletType | str = BulletType.HEURISTIC
    tags: tuple[str, ...] = ()
    confidence: float = 0.5
    trace: str = ""

    def __post_init__(self) -> None:
        bullet_type(self.kind)
        if not 0.0 <= self.confidence <= 1.0:
            raise InputError(f"A confidence lies between 0 and 1; {self.confidence} does not.")
        if not any(letter.isalnum() for letter in self.text):
            raise InputError("There is no bullet: the text says nothing.")
        if len(self.text) > LONGEST:
            raise InputError(
                f"The bullet has {len(self.text)} characters; {LONGEST} is the most. Say it shorter, or make several."
            )

    @classmethod
    def of(cls, line: PlaybookEntry) -> Words:
        """A bullet of a playbook; its counters stay behind."""
        return cls(text=line.text, hint=line.side, kind=line.bullet_type, tags=line.tags, confidence=line.confidence)

    def insight(self, episode: Episode, scope: Scope) -> Insight:
        """The insight that rests on the episode in which it was said."""
        text = normalise(episode.text)
        row = evidence_in(episode, text, trust=trust_of(episode.origin), confidence=self.confidence)
        return Insight(
            text=text,
            evidence=(row,),
            origin=episode.origin,
            bullet_type=bullet_type(self.kind),
            tags=join_tags(self.tags),
            confidence=self.confidence,
            source_hint=self.hint,
            source_trace_id=self.trace,
            scope=scope,
        )


@dataclass(kw_only=True, slots=True)
class Act:
    """What was decided last, however often it was thought."""

    decisions: tuple[Decision, ...] = ()
    receipts: tuple[Receipt, ...] = field(default=())


def taken(deps: Dependencies, act: Act) -> Taken:
    """What became of everything in an act, with the bullets as they stand now."""
    changed = [record.id for one in act.receipts for record in one.records]
    same = [one.target.id for one in act.decisions if one.disposition is Disposition.REINFORCE and one.target is not None]
    ids = tuple(dict.fromkeys([*changed, *same]))
    return Taken(decisions=act.decisions, receipts=act.receipts, bullets=bullets(deps, ids))


def _said(
    deps: Dependencies, lines: Sequence[Words], told: ProposalContext, speaker: Speaker, scope: Scope, project: Project | None
) -> tuple[Voiced, list[Insight]]:
    texts = [one.text for one in lines]
    kept = voiced(deps, texts, speaker, told.act_id, told.trace_id, project=project)
    return kept, [one.insight(episode, scope) for one, episode in zip(lines, kept.episodes, strict=True)]


def stage(
    deps: Dependencies,
    lines: Sequence[Words],
    speaker: Speaker,
    scope: Scope,
    trace_id: TraceId,
    *,
    auto_assign: bool | None,
    project: Project | None,
) -> Taken:
    """Stage bullets, in one act; those that the classifier places clearly are assigned where that is wanted."""
    told = voice(deps, speaker, trace_id)
    kept, insights = _said(deps, lines, told, speaker, scope, project)
    known = [(one, suggest(deps, one)) for one in insights]
    wanted = deps.procedural.auto_assign if auto_assign is None else auto_assign
    staging = Staging(options=deps.procedural, voice=told, auto_assign=wanted)
    act = Act()

    def think(bench: BulletUnitOfWork) -> None:
        act.decisions = staging.take(bench, known, least=0.0, keep_short=True)

    act.receipts = commit_all(deps, think, kept.keep)
    return taken(deps, act)


def put_on_sides(
    deps: Dependencies,
    lines: Sequence[tuple[Words, Side]],
    by: Reviewer,
    scope: Scope,
    trace_id: TraceId,
    *,
    project: Project | None,
) -> Taken:
    """Put bullets straight onto hemispheres, on trial there, in one act of a reviewer."""
    told = reviewers_voice(deps, by, trace_id)
    kept, insights = _said(deps, [one for one, _ in lines], told, Speaker(name=by.name), scope, project)
    known = [(one, suggest(deps, one), side) for one, (_, side) in zip(insights, lines, strict=True)]
    act = Act()

    def think(bench: BulletUnitOfWork) -> None:
        act.decisions = tuple(place(bench, told, one, found, side, by) for one, found, side in known)

    act.receipts = commit_all(deps, think, kept.keep)
    return taken(deps, act)

"""The staging area: bullets wait for a hemisphere, on trial there until outcomes prove them.

Takes: an open memory, insights and decisions. Gives: bullets as they are afterwards. Never: assigns or rejects in a
name that nobody proved: that is recorded, and the bullet goes on waiting.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Self

from dopejar.engine.bullets.procedural_memory import Bullet as KeptBullet
from dopejar.engine.dependencies import Reviewer
from dopejar.engine.memory import Memory
from dopejar.pipelines.procedural.bullets import BulletType, hemisphere_or_none
from dopejar.pipelines.procedural.bullets import bullet_type as bullet_type_of
from dopejar.pipelines.procedural.classifier import HemisphereClassifier
from dopejar.pipelines.procedural.insights import Insight
from dopejar.pipelines.procedural.reflector import reflect
from dopejar.seeds.unproven_reviewer import record_wish
from dopejar.values.ids import RecordId
from dopejar.values.record import Status as BulletStatus
from dopejar.values.scope import UNIVERSAL
from dopejar.values.scope import Side as Hemisphere

__all__ = [
    "Bullet",
    "BulletStatus",
    "BulletType",
    "Curator",
    "Hemisphere",
    "HemisphereClassifier",
    "ProceduralMemory",
    "Reflector",
    "classify_bullet_hemisphere",
]

AUTO = "auto"


def classify_bullet_hemisphere(bullet_text: str, source_hint: Hemisphere | str = "") -> tuple[Hemisphere, float]:
    """The hemisphere that a text suits, `Hemisphere.NONE` where it suits neither, and how sure that is, 0 to 1."""
    found = HemisphereClassifier().classify(bullet_text, source_hint=hemisphere_or_none(source_hint))
    return found.side, found.confidence


class Bullet(KeptBullet):
    """A bullet; `create` makes one that is not kept yet."""

    @classmethod
    def create(
        cls,
        text: str,
        side: Hemisphere | str = Hemisphere.STAGING,
        bullet_type: BulletType | str = BulletType.HEURISTIC,
        tags: Sequence[str] = (),
        confidence: float = 0.5,
        source_trace_id: str = "",
    ) -> Self:
        """A staged bullet with no id, as a value: `ProceduralMemory.add` keeps its text. Raises InputError."""
        return cls(
            id=RecordId(""),
            text=text,
            side=hemisphere_or_none(side),
            bullet_type=bullet_type_of(bullet_type),
            tags=tuple(tags),
            status=BulletStatus.STAGED,
            scope=UNIVERSAL,
            confidence=confidence,
            helpful_count=0,
            harmful_count=0,
            created_at=datetime.now(UTC),
            last_used_at=None,
            score=confidence,
            source_trace_id=source_trace_id,
        )


class ProceduralMemory:
    """The staging area of one memory. `memory.bullets` has the same verbs and more."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def add(
        self,
        text: str,
        source_hemisphere: Hemisphere | str = Hemisphere.NONE,
        bullet_type: BulletType | str = BulletType.HEURISTIC,
        tags: Sequence[str] = (),
        confidence: float = 0.5,
        source_trace_id: str = "",
        auto_assign: bool = False,  # noqa: FBT001, FBT002 - the place and name of the document
    ) -> KeptBullet:
        """Stage a bullet. With `auto_assign` it is assigned where the settings let the classifier do so."""
        assign = None if auto_assign else False
        return self._memory.bullets.add(text, source_hemisphere, bullet_type, tags, confidence, source_trace_id, assign)

    def add_to_hemisphere(self, text: str, side: Hemisphere | str, *, reviewer: Reviewer) -> KeptBullet:
        """Put a bullet straight onto a hemisphere, on trial there. A reviewer's act."""
        return self._memory.bullets.add_to_hemisphere(text, side, reviewer=reviewer)

    def list_staged(self, review_priority: str | None = None, limit: int = 50) -> tuple[KeptBullet, ...]:
        """Bullets that wait: those that need a person most first."""
        return self._memory.bullets.list_staged(review_priority, limit)

    def assign_staged_bullet(
        self, bullet_id: str, target_hemisphere: Hemisphere | str, reviewer: Reviewer | str = AUTO
    ) -> KeptBullet:
        """Assign a bullet as it waits now, and give it back as it is then.

        "auto" is the classifier's own assignment. A plain name is recorded, and the bullet goes on waiting.

        Raises:
            ReviewerRequiredError: the classifier may not assign it, or is not sure enough.
        """
        if isinstance(reviewer, str) and reviewer != AUTO:
            return self._note(bullet_id, reviewer, f"assign it to {target_hemisphere}")
        by = reviewer if isinstance(reviewer, Reviewer) else None
        return self._memory.bullets.assign_staged_bullet(
            bullet_id, target_hemisphere, by, seen=self._memory.review.versions()
        )

    def reject_staged_bullet(self, bullet_id: str, reason: str = "", reviewer: Reviewer | str = AUTO) -> KeptBullet:
        """Reject a bullet as it waits now; it stays, with the reason. A plain name is recorded, and decides nothing.

        Raises:
            ReviewerRequiredError: nobody says so; the classifier rejects nothing.
        """
        if isinstance(reviewer, str) and reviewer != AUTO:
            return self._note(bullet_id, reviewer, f"reject it ({reason})")
        by = reviewer if isinstance(reviewer, Reviewer) else None
        return self._memory.bullets.reject_staged_bullet(bullet_id, reason, by, seen=self._memory.review.versions())

    def _note(self, bullet_id: str, name: str, wish: str) -> KeptBullet:
        bullet = self._memory.bullets.bullet(bullet_id)
        record_wish(self._memory, name, f"{bullet.id}: {wish}")
        return bullet


class Reflector:
    """Reads insights from kept conversations with outcomes."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def reflect(self, conversation: str) -> tuple[Insight, ...]:
        """The insights of one conversation, by its id or name, each with its evidence. Nothing is staged."""
        from dopejar.engine.lookup import find_conversation

        with self._memory.store.read() as view:
            return reflect(view.turns(find_conversation(view, conversation)))


class Curator:
    """Makes staged bullets of what conversations teach: new ones, more evidence for known ones, or nothing."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def curate(self, *conversations: str) -> tuple[KeptBullet, ...]:
        """Stage what these conversations teach (all where none is named); the bullets that it made or says already."""
        return tuple(bullet for result in self._memory.bullets.reflect(conversations) for bullet in result.bullets)

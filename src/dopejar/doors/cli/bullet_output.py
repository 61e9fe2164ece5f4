"""Bullets as text and as JSON.

Takes: bullets and maintenance plans. Gives: lines of text and JSON fields. Never: prints a bullet's text unescaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dopejar.doors.cli.command_context import json_fields, json_value
from dopejar.doors.cli.text_format import day, one_line, pairs, safe, table

if TYPE_CHECKING:
    from dopejar.engine.bullets.intake import IntakeResult
    from dopejar.engine.bullets.procedural_memory import AssignmentReport, Bullet
    from dopejar.engine.bullets.upkeep import UpkeepResult


def bullet_data(bullet: Bullet) -> dict[str, object]:
    """A bullet as JSON fields, with the properties derived from its status."""
    return {**json_fields(bullet), "is_unproven": bullet.is_unproven, "has_conflict": bullet.has_conflict}


def dropped_insights(results: Sequence[IntakeResult]) -> list[dict[str, str]]:
    """The insights that became no bullet, each with the reason."""
    return [
        {"text": decision.insight.text, "reason": decision.reason}
        for result in results
        for decision in result.decisions
        if decision.disposition == "drop"
    ]


def bullet_lines(bullets: Sequence[Bullet]) -> Iterator[str]:
    """A table of bullets."""
    rows = [
        (
            bullet.id,
            bullet.side or "-",
            _status(bullet),
            f"{bullet.score:.2f}",
            _suggestion(bullet),
            one_line(bullet.text),
        )
        for bullet in bullets
    ]
    return table(("id", "side", "status", "score", "suggested", "text"), rows)


def _status(bullet: Bullet) -> str:
    marks = ["unproven"] if bullet.is_unproven else [bullet.status.value]
    if bullet.has_conflict:
        marks.append("conflict")
    return ", ".join(marks)


def _suggestion(bullet: Bullet) -> str:
    if bullet.status != "staged":
        return ""
    side = str(bullet.suggested_hemisphere) or "unclear"
    return f"{side} {bullet.classification_confidence:.2f}{' flagged' if bullet.is_flagged else ''}"


def bullet_detail(bullet: Bullet) -> Iterator[str]:
    """All fields of one bullet."""
    fields: list[tuple[str, object]] = [
        ("id", bullet.id),
        ("text", safe(bullet.text)),
        ("side", bullet.side or "-"),
        ("status", _status(bullet)),
        ("type", bullet.bullet_type),
        ("tags", safe(", ".join(bullet.tags)) or "-"),
        ("score", f"{bullet.score:.2f} (confidence {bullet.confidence:.2f})"),
        ("outcomes", f"{bullet.helpful_count} helpful, {bullet.harmful_count} harmful"),
        ("since", day(bullet.created_at)),
        ("suggested", f"{_suggestion(bullet) or str(bullet.suggested_hemisphere) or 'unclear'}"),
        ("reason", safe(bullet.reasoning) or "-"),
        ("priority", bullet.review_priority if bullet.status == "staged" else "-"),
        ("approved by", safe(bullet.assigned_by) or "-"),
    ]
    return pairs(fields)


def plan_data(done: UpkeepResult, report: AssignmentReport) -> dict[str, object]:
    """A maintenance plan, and what was done, as JSON fields."""
    plan = done.plan
    return {
        "merges": [{"into": merge.into.id, "others": [record.id for record in merge.others]} for merge in plan.merges],
        "retired": [{"id": retiring.record.id, "reason": retiring.reason} for retiring in plan.retirements],
        "conflicts": [[a.id, b.id] for a, b in plan.conflicts],
        "settled": [record.id for record in plan.resolved],
        "changes": plan.changes,
        "left_over": plan.left_over,
        "diversity": plan.diversity,
        "automatic": automatic_data(report),
        "receipts": json_value([receipt.outcome for receipt in done.receipts]),
    }


def automatic_data(report: AssignmentReport) -> dict[str, float]:
    """How many automatic assignments were overturned, as JSON fields."""
    return {
        "assigned": report.assigned,
        "overturned": report.overturned,
        "share": report.share,
        "suggested_threshold": report.suggested_threshold,
    }


def automatic_line(report: AssignmentReport) -> str:
    """The same as one sentence; "" where nothing was assigned automatically."""
    if not report.assigned:
        return ""
    return (
        f"Automatic assignments: {report.assigned}, overturned: {report.overturned} ({report.share:.0%}); "
        f"suggested threshold: {report.suggested_threshold:.2f}."
    )


def plan_lines(done: UpkeepResult, report: AssignmentReport) -> Iterator[str]:
    """A maintenance plan, and what was done, as text."""
    plan = done.plan
    for merging in plan.merges:
        yield f"merge into {merging.into.id}: {one_line(merging.into.text)}"
        yield from (f"  {record.id}: {one_line(record.text)}" for record in merging.others)
    for retiring in plan.retirements:
        yield f"retire {retiring.record.id}, {retiring.reason}: {one_line(retiring.record.text)}"
    for first, second in plan.conflicts:
        yield f"conflict {first.id}: {one_line(first.text)}"
        yield f"    with {second.id}: {one_line(second.text)}"
    for record in plan.resolved:
        yield f"conflict resolved {record.id}: {one_line(record.text)}"
    yield f"Changes: {plan.changes}; left for the next run: {plan.left_over}; diversity: {plan.diversity:.2f}."
    if report.assigned:
        yield automatic_line(report)
    if done.receipts:
        outcomes = sorted({receipt.outcome for receipt in done.receipts})
        yield f"{len(done.receipts)} receipts: {', '.join(outcomes)}."
    elif plan.changes:
        yield "Nothing was changed. Use --propose to put the changes into the review queue, or --apply to make them."

"""Bullets as text and as data.

Takes: bullets, plans of upkeep. Gives: lines and JSON. Never: a word of a bullet unmasked at a terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dopejar.doors.cli.command_context import json_fields, json_value

if TYPE_CHECKING:
    from dopejar.engine.bullets.intake import Taken
    from dopejar.engine.bullets.outcomes import Tidied
    from dopejar.pipelines.procedural.bullets import Bullet, Overturned


def bullet_data(bullet: Bullet) -> dict[str, object]:
    """A bullet as data, with what follows from its status."""
    return {**json_fields(bullet), "is_unproven": bullet.is_unproven, "has_conflict": bullet.has_conflict}


def dropped(taken: Sequence[Taken]) -> list[dict[str, str]]:
    """The insights of which nothing became, each with the reason."""
    return [
        {"text": one.insight.text, "reason": one.reason}
        for some in taken
        for one in some.decisions
        if one.fate == "drop"
    ]


def bullet_lines(bullets: Sequence[Bullet]) -> Iterator[str]:
    """Bullets as a table."""
    from dopejar.doors.cli.text_format import one_line, table

    rows = [
        (one.id, one.side or "-", _standing(one), f"{one.score:.2f}", _suggestion(one), one_line(one.text))
        for one in bullets
    ]
    return table(("id", "side", "status", "score", "suggested", "text"), rows)


def _standing(bullet: Bullet) -> str:
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
    """One bullet, everything about it."""
    from dopejar.doors.cli.text_format import day, pairs, safe

    told: list[tuple[str, object]] = [
        ("id", bullet.id),
        ("text", safe(bullet.text)),
        ("side", bullet.side or "-"),
        ("status", _standing(bullet)),
        ("type", bullet.bullet_type),
        ("tags", safe(", ".join(bullet.tags)) or "-"),
        ("score", f"{bullet.score:.2f} (confidence {bullet.confidence:.2f})"),
        ("outcomes", f"{bullet.helpful_count} helpful, {bullet.harmful_count} harmful"),
        ("since", day(bullet.created_at)),
        ("suggested", f"{_suggestion(bullet) or str(bullet.suggested_hemisphere) or 'unclear'}"),
        ("because", safe(bullet.reasoning) or "-"),
        ("priority", bullet.review_priority if bullet.status == "staged" else "-"),
        ("approved by", safe(bullet.assigned_by) or "-"),
    ]
    return pairs(told)


def plan_data(done: Tidied, report: Overturned) -> dict[str, object]:
    """What is due, or was done, as data."""
    plan = done.plan
    return {
        "merges": [{"into": one.into.id, "others": [o.id for o in one.others]} for one in plan.merges],
        "retired": [{"id": one.record.id, "reason": one.reason} for one in plan.retirings],
        "conflicts": [[a.id, b.id] for a, b in plan.conflicts],
        "settled": [one.id for one in plan.settled],
        "changes": plan.changes,
        "left_over": plan.left_over,
        "diversity": plan.diversity,
        "automatic": automatic_data(report),
        "receipts": json_value([one.outcome for one in done.receipts]),
    }


def automatic_data(report: Overturned) -> dict[str, float]:
    """How the classifier's own assignments fared, as data."""
    return {
        "assigned": report.assigned,
        "overturned": report.overturned,
        "share": report.share,
        "suggested_threshold": report.suggested_threshold,
    }


def automatic_line(report: Overturned) -> str:
    """The same in a sentence; "" where nothing was assigned by itself."""
    if not report.assigned:
        return ""
    return (
        f"Of {report.assigned} automatic assignments {report.overturned} were taken back ({report.share:.0%}); "
        f"a threshold of {report.suggested_threshold:.2f} is suggested."
    )


def plan_lines(done: Tidied, report: Overturned) -> Iterator[str]:
    """What is due, or was done, for a person."""
    from dopejar.doors.cli.text_format import one_line

    plan = done.plan
    for merging in plan.merges:
        yield f"merge into {merging.into.id}: {one_line(merging.into.text)}"
        yield from (f"  {one.id}: {one_line(one.text)}" for one in merging.others)
    for retiring in plan.retirings:
        yield f"retire {retiring.record.id}, {retiring.reason}: {one_line(retiring.record.text)}"
    for one, other in plan.conflicts:
        yield f"conflict {one.id}: {one_line(one.text)}"
        yield f"    with {other.id}: {one_line(other.text)}"
    for record in plan.settled:
        yield f"no conflict any more {record.id}: {one_line(record.text)}"
    yield f"{plan.changes} bullets change, {plan.left_over} are left for the next run. Diversity {plan.diversity:.2f}."
    if report.assigned:
        yield automatic_line(report)
    if done.receipts:
        yield f"{len(done.receipts)} changes: {', '.join(sorted({one.outcome for one in done.receipts}))}."
    elif plan.changes:
        yield "Nothing was changed. --propose puts it into the review queue, --apply does it."

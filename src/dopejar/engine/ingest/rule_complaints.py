"""Complaints: words that name what a standing rule forbids count as said once more for that rule, and never against it.

Takes: the proposals of one statement of a turn. Gives: the proposals, with more evidence for a rule in place of what
would replace it. Never: lets a rule be replaced by words that direct nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dopejar.memory.overlay import Overlay
from dopejar.pipelines.corrections.wording.replacements import may_replace
from dopejar.text.sentences import sentences
from dopejar.values.proposal import Proposal, Reinforce, Signals, Supersede
from dopejar.values.record import DIRECTING, Record


def attribute_complaints(proposals: Sequence[Proposal], text: str, overlay: Overlay) -> list[Proposal]:
    """The proposals of a turn with this text, a complaint as evidence for the rule that it is about."""
    return list(_heard(proposals, text, overlay))


def _heard(proposals: Sequence[Proposal], text: str, overlay: Overlay) -> Iterator[Proposal]:
    for proposal in proposals:
        rule = _broken_rule(proposal, text, overlay)
        if rule is None:
            yield proposal
            continue
        known = {row.episode_id for row in overlay.evidence(rule.id)}
        rows = tuple(replace(row, wording=rule.text) for row in proposal.evidence if row.episode_id not in known)
        if rows:
            target = next(one for one in proposal.record_targets if one.record_id == rule.id)
            yield replace(
                proposal,
                payload=Reinforce(),
                targets=(target,),
                evidence=rows,
                scope=rule.scope,
                signals=Signals(),
                rationale=f"Said again of: {rule.text}",
            )


def _broken_rule(proposal: Proposal, text: str, overlay: Overlay) -> Record | None:
    """The rule that the proposal would replace though its words direct nothing; None where they may replace it."""
    payload = proposal.payload
    if not isinstance(payload, Supersede) or payload.into:
        return None
    rows = [(row.start, row.end) for row in proposal.evidence]
    said = [
        piece.text for piece in sentences(text) if any(low < piece.end and piece.start < high for low, high in rows)
    ]
    for target in proposal.record_targets:
        record = overlay.record(target.record_id)
        if (
            record is not None
            and record.kind in DIRECTING
            and not may_replace(payload.draft.text, " ".join(said), record.text)
        ):
            return record
    return None

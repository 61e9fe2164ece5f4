"""Rules in force, and what a statement that directs nobody may do to them: no rule goes out of use by it alone.

Takes: a statement, and its move. Gives: whether it directs the assistant's work, whether its move ends a rule, and the
move without the rules beside what it replaces. Never: decides; what would end a rule waits for a person.
"""

from __future__ import annotations

from dataclasses import replace

from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.directive_forms import has_form_of_directive
from dopejar.pipelines.ingest.extraction.orders import holds_order
from dopejar.pipelines.ingest.guidance_words import FROM_NOW_ON, directs_assistant
from dopejar.pipelines.ingest.integrity.chain_move import ChainMove, Step
from dopejar.pipelines.ingest.integrity.rule_endings import tells_rule_ended
from dopejar.values.record import Draft, Kind, Record, Status
from dopejar.values.statement import GUIDES


def directs_work(atom: Atom, draft: Draft) -> bool:
    """Whether a statement directs the assistant's work, as it was read or by its words."""
    # markers are fitted to English: what they take for a fact elsewhere may be a preference
    kind = draft.kind if atom.language == "en" else Kind.PREFERENCE
    by_words = has_form_of_directive(draft.text) or (not atom.only_states and directs_assistant(draft.text, kind))
    return atom.guides or by_words


def tells_what_to_do(atom: Atom, draft: Draft) -> bool:
    """Whether a statement says how the work is to be done, as a reader finds, or by the form of an order.

    "We don't use yarn any more" has the words of a ban, and may only tell how things are.
    """
    text = draft.text
    if tells_rule_ended(text) or holds_order(text, cues(atom.language)) or FROM_NOW_ON.search(text):
        return True
    is_as_read = atom.frame is None or not atom.directs_work or atom.frame.guides >= GUIDES
    return directs_work(atom, draft) if is_as_read else directs_work(replace(atom, directs_work=False), draft)


def ends_rule(move: ChainMove) -> bool:
    """Whether a rule in force goes out of use by the move."""
    return move.step is Step.SUPERSEDE and any(map(_is_rule, (*move.targets, *move.joins)))


def sparing_rules(move: ChainMove) -> ChainMove:
    """The move of what only states something: a rule that it would outdate beside a fact stays, and may be over."""
    if any(map(_is_rule, move.targets)):
        return move
    rules = tuple(filter(_is_rule, move.joins))
    joins = tuple(record for record in move.joins if record not in rules)
    return replace(move, joins=joins, doubts=(*move.doubts, *rules))


def _is_rule(record: Record) -> bool:
    """Whether it is a rule in force, or a preference that a person approved as guidance."""
    is_approved = record.kind is Kind.PREFERENCE and bool(record.approved_by)
    return record.status is Status.ACTIVE and (is_approved or record.kind in (Kind.RULE, Kind.CORRECTION))

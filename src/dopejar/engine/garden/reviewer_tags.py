"""Tags that a person gives a block: memories that rest on its turns, in one act of a reviewer.

Takes: a block, tags, rules with their turns, and a reviewer. Gives: receipts. Never: a tag that no memory stands for;
undoing the act takes the tags back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.garden.block_facts import LAST_TURN, facts_of, turns_of
from dopejar.engine.garden.block_rows import find_block
from dopejar.engine.review.reviewer_actions import commit_action
from dopejar.errors import InputError
from dopejar.values.ids import TraceId, new_act_id
from dopejar.values.proposal import Add, Deprecate
from dopejar.values.record import BLOCK_TAG, ENVIRONMENT_TAG, Draft, Evidence, Kind
from dopejar.values.scope import UNIVERSAL, Scope

if TYPE_CHECKING:
    from dopejar.values.episode import Episode
    from dopejar.values.receipt import Receipt


def state_tags(
    deps: Dependencies,
    block_id: str,
    global_tags: Sequence[str],
    section_rules: Sequence[tuple[int, int, str]],
    by: Reviewer,
    trace_id: TraceId,
) -> tuple[Receipt, ...]:
    """Give a block these tags and rules (first turn, last turn, rule), in place of those that a person gave it before.

    Raises:
        NotFoundError: there is no such block. InputError: a rule names turns that the block lacks.
        ReviewerRequiredError: the reviewer has no open session.
    """
    act = new_act_id()
    with deps.store.write() as tx:
        row, block = find_block(tx, block_id)
        turns = turns_of(tx, row.conversation, block)
        old = [fact.record_id for fact in facts_of(tx, turns) if fact.stated and fact.record_id is not None]
        receipts = []
        if old:
            records = list(tx.records(old).values())
            receipts.append(commit_action(deps, tx, Deprecate(), records, by, trace_id, act_id=act))
        talk = tx.conversation(row.conversation)
        scope = Scope.project(talk.project) if talk is not None and talk.project else UNIVERSAL
        for draft, turn in _drafts(global_tags, section_rules, turns, scope):
            span = Evidence(episode_id=turn.id, start=0, end=len(turn.text), at=turn.at, wording=draft.text, act_id=act)
            add = Add(draft=draft)
            receipts.append(commit_action(deps, tx, add, (), by, trace_id, act_id=act, evidence=(span,)))
        return tuple(receipts)


def _drafts(
    global_tags: Sequence[str], section_rules: Sequence[tuple[int, int, str]], turns: Sequence[Episode], scope: Scope
) -> Iterator[tuple[Draft, Episode]]:
    for tag in dict.fromkeys(global_tags):
        attributes = {BLOCK_TAG: tag}
        yield Draft(kind=Kind.FACT, text=tag, scope=scope, tags=(ENVIRONMENT_TAG,), attributes=attributes), turns[0]
    for first, last, rule in section_rules:
        if not 0 <= first <= last < len(turns):
            raise InputError(f"A rule holds for turns 0 to {len(turns) - 1} of this block, not for {first} to {last}.")
        attributes = {BLOCK_TAG: rule, LAST_TURN: str(last)}
        yield Draft(kind=Kind.FACT, text=rule, scope=scope, attributes=attributes), turns[first]

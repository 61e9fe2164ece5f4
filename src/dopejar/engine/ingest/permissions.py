"""Permissions in a conversation: what a person said that ends a rule, though alone it states nothing that lasts.

Takes: a kept conversation that was learned from. Gives: proposals that take the place of a rule in force, or contradict
one that waits; all of them wait for a person. Never: anything where no rule is ended, or no model compares the words.

It runs behind the extraction of corrections, since the rule may come from the same conversation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from dopejar.engine.corrections.checkpoint import undone_spans
from dopejar.engine.dependencies import Dependencies
from dopejar.engine.ingest.ingestor import conversation_ingestor
from dopejar.engine.ingest.learning_progress import first_unlearned
from dopejar.engine.ingest.privacy import USER, propose_removal
from dopejar.engine.ingest.related_record_search import embed_known, search_of_conversations
from dopejar.engine.ingest.turn_extraction import Span, TurnInput
from dopejar.engine.unit_of_work import JudgedProposal, commit_with_retry
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn
from dopejar.pipelines.ingest.extraction.permissions import find_figures, find_permissions
from dopejar.pipelines.ingest.extraction.self_corrections import as_meant
from dopejar.pipelines.ingest.integrity.exceptions import may_lift
from dopejar.pipelines.ingest.integrity.quantities import has_other_figures
from dopejar.pipelines.ingest.integrity.rule_endings import ends_rule, tells_rule_ended
from dopejar.ports.store import ReadView
from dopejar.text.quotations import without_quotations
from dopejar.text.ranges import in_order
from dopejar.text.text_values import has_digit
from dopejar.values.episode import Episode, EpisodeKind, Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, TraceId
from dopejar.values.proposal import Level, Proposal, Supersede
from dopejar.values.recall import RecordFilter
from dopejar.values.receipt import Receipt
from dopejar.values.record import DIRECTING, Record, Status
from dopejar.values.scope import UNIVERSAL, Namespace, Project, Scope

_MOST: Final = 5000  # rules that are looked through


def learn_permissions(
    deps: Dependencies,
    conversation: ConversationId,
    *,
    act_id: ActId,
    trace_id: TraceId,
    project: Project | None,
    namespace: Namespace,
    pasted: Mapping[EpisodeId, Sequence[Span]],
    boot_lines: frozenset[str],
) -> tuple[Receipt, ...]:
    """Propose what the user's permissions in a conversation do to rules; what was proposed before is not repeated."""
    with deps.store.read() as view:
        turns = [turn for turn in view.turns(conversation) if _may_permit(turn)]
        if not turns or deps.marker() is None or search_of_conversations(deps, view) is None:
            return ()
    embed_known(deps, records_only=True)
    over: list[tuple[Record, str]] = []

    def evaluate() -> list[JudgedProposal]:
        judged: list[JudgedProposal] = []
        over.clear()
        with deps.store.read() as view:
            ingestor = conversation_ingestor(
                deps,
                view,
                act_id=act_id,
                trace_id=trace_id,
                project=project,
                namespace=namespace,
                boot_lines=boot_lines,
                overlay=Overlay(view),
                related=search_of_conversations(deps, view),
            )
            is_live = first_unlearned(view, conversation) is not None
            inputs = [TurnInput(episode=turn, spoken_at=turn.at if is_live else None) for turn in turns]
            guarded, taken = ingestor.guarded_spans(inputs), _taken(view, conversation, turns)
            for position, turn in enumerate(turns):
                skip = in_order((*pasted.get(turn.id, ()), *guarded.get(position, ())))
                text = as_meant(without_quotations(turn.text))
                spoken, of_turn = SpokenTurn(text=text, at=turn.at, skip=skip), taken.get(turn.id, ())
                for atom in find_figures(spoken, of_turn):
                    newer = [one for one in ingestor.propose((atom,), turn) if _tells_other_figures(one, view)]
                    judged += ingestor.judge_all([_disputed(one) for one in newer])
                for atom in find_permissions(spoken, of_turn):
                    named = [(rule, atom.text) for rule in _rules_over(view, atom.text, turn, namespace, project)]
                    over.extend(named)
                    found = [one for one in ingestor.propose((atom,), turn) if not named and _ends_a_rule(one, view)]
                    judged += ingestor.judge_all(found)
        return judged

    receipts = commit_with_retry(deps.store, evaluate, None, deps.clock.now())
    ended = (propose_removal(deps, rule, f'It was said to be over: "{words}"', USER, trace_id) for rule, words in over)
    return (*receipts, *chain.from_iterable(ended))


def _may_permit(turn: Episode) -> bool:
    is_told = turn.origin is Origin.USER and turn.kind is EpisodeKind.TURN
    return is_told and (has_digit(turn.text) or may_lift(turn.text))


def _taken(
    view: ReadView, conversation: ConversationId, turns: Sequence[Episode]
) -> dict[EpisodeId, list[tuple[int, int]]]:
    """The spans of the turns that memories rest on, or rested on until an undo withdrew them."""
    undone = undone_spans(view, conversation, turns)
    taken: dict[EpisodeId, list[tuple[int, int]]] = {turn.id: [*undone.get(turn.id, ())] for turn in turns}
    for row in view.stated_in(tuple(taken)):
        taken[row.episode_id].append((row.start, row.end))
    return taken


def _tells_other_figures(proposal: Proposal, view: ReadView) -> bool:
    """Whether it takes the place of facts whose words it says with other figures."""
    payload = proposal.payload
    if not isinstance(payload, Supersede) or payload.into:
        return False
    replaced = view.records(tuple(target.record_id for target in proposal.record_targets)).values()
    return bool(replaced) and all(
        one.kind not in DIRECTING and has_other_figures(one.text, payload.draft.text) for one in replaced
    )


def _disputed(proposal: Proposal) -> Proposal:
    """The proposal as one that a person decides about: its words may be of the work at hand."""
    return replace(proposal, signals=replace(proposal.signals, conflict=Level.HIGH, own_update=False))


def _rules_over(
    view: ReadView, words: str, turn: Episode, namespace: Namespace, project: Project | None
) -> list[Record]:
    """The rules in force before a turn, here or everywhere, that the words name and say to be over."""
    if not tells_rule_ended(words):
        return []
    where = RecordFilter(statuses=(Status.ACTIVE,), kinds=DIRECTING, namespace=namespace)
    here = Scope.project(project.id) if project else UNIVERSAL
    known = (one for one in view.list_records(where, _MOST) if one.valid_from <= turn.at and ends_rule(one.text, words))
    return [one for one in known if one.scope == here or not str(one.scope).startswith("project:")]


def _ends_a_rule(proposal: Proposal, view: ReadView) -> bool:
    """Whether it takes the place of guidance in force, or contradicts guidance that waits."""
    targets = (
        [target.record_id for target in proposal.record_targets] if isinstance(proposal.payload, Supersede) else []
    )
    ids = tuple(dict.fromkeys((*targets, *proposal.signals.conflicts_with)))
    return bool(ids) and all(record.kind in DIRECTING for record in view.records(ids).values())

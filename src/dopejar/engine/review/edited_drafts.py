"""An edited proposal, read anew: another text may be about another concept, slot or value, or hold elsewhere.

Takes: a waiting proposal, and the text or the scope that a reviewer chose. Gives: the proposal with these, and the
differences. Never: keeps a key, slot or value that the new text does not state, makes a fact of a rule, or asks a
model.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.results import DraftChange
from dopejar.errors import InputError
from dopejar.pipelines.corrections.tool_checks.rule_checks import compile_check
from dopejar.pipelines.ingest import Atom, Key, extract, make_key
from dopejar.pipelines.ingest.keys.value_families import using
from dopejar.ports.store import ReadView
from dopejar.text.normalisation import content_hash, same_value
from dopejar.text.text_values import extract_values
from dopejar.text.words import query_terms
from dopejar.values.ids import RecordId
from dopejar.values.proposal import Add, Proposal, Supersede
from dopejar.values.record import DIRECTING, Draft, Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import Scope

_SHOWN = ("text", "kind", "scope", "key", "slot", "value")


def edited_proposal(
    deps: Dependencies, view: ReadView, proposal: Proposal, text: str | None, scope: Scope | None = None
) -> Proposal:
    """The proposal with another text, and with the key, slot and value that `remember` would read in it.

    A scope is where it holds; None leaves the text, or the scope, as it was proposed.

    Raises:
        InputError: the text is empty, or the proposal adds no text.
    """
    payload = proposal.payload
    new_text = "" if text is None else deps.redact(" ".join(text.split()))[0]
    if text is not None and not new_text:
        raise InputError("The new text is empty. To drop the proposal, reject it.")
    if not isinstance(payload, Add | Supersede):
        raise InputError(f"{proposal.id} proposes to {proposal.action}; it has no text to edit.")
    new_text = new_text or payload.draft.text
    draft = _as_long_as_known(view, replace(payload.draft, text=new_text, scope=scope or payload.draft.scope))
    if draft == payload.draft:
        return proposal
    proposal = replace(proposal, scope=draft.scope)
    if not draft.key:  # bullets and other texts that no concept is read in
        return replace(proposal, payload=replace(payload, draft=draft))
    if new_text != payload.draft.text and draft.kind not in DIRECTING:
        draft = _as_rule(draft, proposal)
    key = _read_key(deps, draft, proposal)
    if new_text != payload.draft.text:
        replaced = view.records(tuple(target.record_id for target in proposal.record_targets)).values()
        if isinstance(payload, Supersede) and _replaces_still(payload.draft, replaced, new_text, key):
            is_denied = any(record.value.startswith("-") for record in replaced)  # only its own value ends a denial
            draft = replace(draft, value=key.value if key.slot == draft.slot else draft.value if is_denied else "")
        else:
            draft = replace(draft, key=key.key, slot=key.slot, value=key.value)
    chain = () if key.many else view.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    others = [record for record in chain if record.id != proposal.record_id]
    if any(same_value(draft.value, one.value) and _values(one.text) != _values(draft.text) for one in others):
        draft = replace(draft, value="")  # other numbers or names: the words chosen say more than the slot's value
    if _chain_of(draft) == _chain_of(payload.draft):
        return replace(proposal, payload=replace(payload, draft=draft))
    # what the old text would have replaced is about another concept; the order of the new one's chain decides
    edited = Supersede(draft=draft) if others else Add(draft=draft)
    return replace(proposal, payload=edited, targets=())


def _as_long_as_known(view: ReadView, draft: Draft) -> Draft:
    """The draft with the end of what is in force in its words; said again, nothing ends sooner."""
    known = view.with_content(draft.namespace, content_hash(draft.text))
    again = next((record for record in known if record.status is Status.ACTIVE), None)
    return draft if again is None else replace(draft, valid_to=again.valid_to, temporary=again.temporary)


def _as_rule(draft: Draft, proposal: Proposal) -> Draft:
    """The draft, of a kind that directs where its text does: a complaint is edited to the rule that it asks for."""
    read = extract(draft.text, at=proposal.at, speaker_is_user=True, keep_all=True).atoms
    directing = next((atom for atom in read if atom.kind in DIRECTING), None)
    if directing is not None:
        return replace(draft, kind=directing.kind, layer=directing.layer, sublayer=directing.sublayer)
    if compile_check(RecordId(""), draft.text) is None:
        return draft
    return replace(draft, kind=Kind.RULE, layer=Layer.INTENT, sublayer=Sublayer.RULE)


def _replaces_still(draft: Draft, replaced: Collection[Record], text: str, key: Key) -> bool:
    """Whether the new text of an update is about what the update replaces.

    It is where its words, but for numbers, are words of these; and where it shares some of them, unless it states the
    value of another thing.
    """
    before = frozenset(query_terms(" ".join((draft.text, *(record.text for record in replaced)))))
    terms = frozenset(term for term in query_terms(text) if term.isalpha())
    slots = {draft.slot, *(record.slot for record in replaced)}
    is_of_another = bool(key.slot) and not key.many and "" not in slots and key.slot not in slots
    return not terms.isdisjoint(before) and (terms <= before or not is_of_another)


def _values(text: str) -> frozenset[str]:
    return frozenset(extract_values(text))


def _chain_of(draft: Draft) -> tuple[str, str, Scope]:
    return draft.key, draft.slot, draft.scope


def draft_changes(view: ReadView, before: Proposal, after: Proposal) -> tuple[DraftChange, ...]:
    """What an edit changes: the text, the scope, and the key, slot and value that are read in the text.

    What it replaces is named also where that stays: a reviewer agrees to it with the new words.
    """
    old, new = before.payload, after.payload
    if not isinstance(old, Add | Supersede) or not isinstance(new, Add | Supersede):
        return ()
    replaced = DraftChange(name="replaces", before=_replaced(view, before), after=_replaced(view, after))
    changes = (
        DraftChange(name=name, before=str(getattr(old.draft, name)), after=str(getattr(new.draft, name)))
        for name in _SHOWN
        if getattr(old.draft, name) != getattr(new.draft, name)
    )
    return (*changes, *([replaced] if replaced.before or replaced.after else ()))


def _replaced(view: ReadView, proposal: Proposal) -> str:
    """The texts in force that approving a proposal replaces: its targets, or those of the chain that it belongs to."""
    payload, targets = proposal.payload, tuple(target.record_id for target in proposal.record_targets)
    if not isinstance(payload, Supersede):
        return ""
    draft = payload.draft
    chain = view.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    records = view.records(targets).values() if targets else chain
    return "; ".join(record.text for record in records if record.status is Status.ACTIVE)


def _read_key(deps: Dependencies, draft: Draft, proposal: Proposal) -> Key:
    """The key of the one statement in a text; of several, or none, the key of all its words, without a slot."""
    atoms = extract(draft.text, at=proposal.at, speaker_is_user=True, keep_all=True).atoms
    whole = Atom(
        text=draft.text,
        start=0,
        end=len(draft.text),
        layer=draft.layer,
        sublayer=draft.sublayer,
        kind=draft.kind,
        cue="edited",
        states=False,
    )
    with using(deps.ingest.taxonomy):
        return make_key(atoms[0] if len(atoms) == 1 else whole)

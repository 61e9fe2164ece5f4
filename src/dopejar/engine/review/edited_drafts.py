"""An edited proposal, read anew: another text may be about another concept, slot or value, or hold elsewhere.

Takes: a waiting proposal, and the text or the scope that a reviewer chose. Gives: the proposal with these, and the
differences. Never: keeps a key, slot or value that the new text does not state, makes a fact of a rule, or asks a
model.
"""

from __future__ import annotations

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
from dopejar.values.record import DIRECTING, Draft, Kind, Layer, Status, Sublayer
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
        if _replaces_still(view, proposal, payload, new_text):
            draft = replace(draft, value=key.value if key.slot == draft.slot else "")
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


def _replaces_still(view: ReadView, proposal: Proposal, payload: Add | Supersede, text: str) -> bool:
    """Whether the new text of an update is about what the update replaces: but for numbers, it has words of these."""
    if not isinstance(payload, Supersede):
        return False
    replaced = view.records(tuple(target.record_id for target in proposal.record_targets)).values()
    before = " ".join((payload.draft.text, *(record.text for record in replaced)))
    terms = frozenset(term for term in query_terms(text) if term.isalpha())
    return bool(terms) and terms <= frozenset(query_terms(before))


def _values(text: str) -> frozenset[str]:
    return frozenset(extract_values(text))


def _chain_of(draft: Draft) -> tuple[str, str, Scope]:
    return draft.key, draft.slot, draft.scope


def draft_changes(before: Proposal, after: Proposal) -> tuple[DraftChange, ...]:
    """What an edit changes: the text, the scope, and the key, slot and value that are read in the text."""
    old, new = before.payload, after.payload
    if not isinstance(old, Add | Supersede) or not isinstance(new, Add | Supersede):
        return ()
    return tuple(
        DraftChange(name=name, before=str(getattr(old.draft, name)), after=str(getattr(new.draft, name)))
        for name in _SHOWN
        if getattr(old.draft, name) != getattr(new.draft, name)
    )


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

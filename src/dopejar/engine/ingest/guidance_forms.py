"""Guidance in another form: what is used in a project and what is not, and an order behind the time it holds for.

Takes: an atom. Gives: the atom, as a rule where it is one ("we use uv here, not pip"; "until friday don't touch main").
Never: makes a rule of a choice that no tool call could go against, of a plan, or of what somebody else said.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.values.ids import RecordId
from dopejar.values.record import Kind, Layer, Sublayer

if TYPE_CHECKING:
    from dopejar.pipelines.ingest import Atom

_CHOSEN: Final = re.compile(
    r"^(?:(?:here|in (?:this|our) [\w-]+),? )?(?:we(?:'re| are)? (?:\w+ ){0,2}?|(?=use |stay |stick |work ))"
    r"(?:use|using|run|stay(?:ing)? on|stick(?:ing)? (?:to|with)|work(?:ing)? with)\b.*?"
    r"(?:\bnot\b|\bnever\b|\binstead of\b|\brather than\b|\bover\b)",
    re.IGNORECASE,
)
_FOR_A_TIME: Final = re.compile(
    r"^(?:(?:until|till) (?:(?:the )?end of (?:the |this )?\w+|next \w+|\d[\d-]*(?:st|nd|rd|th)?(?: of)?(?: \w+)?"
    r"|\w+(?: \d{1,2}\b)?)|(?:for )?(?:just )?this (?:week(?:end)?|sprint|month)"
    r"|for the next (?:\w+ ){1,2}(?:day|week|month)s?|for now),? ",
    re.IGNORECASE,
)


def promote_to_guidance(atom: Atom, *, in_project: bool) -> Atom:
    """The atom; as a rule where it orders for a time, or says what is used in the project and which tool is not."""
    if atom.kind not in (Kind.FACT, Kind.PREFERENCE) or atom.past or atom.planned or not atom.speaker_is_user:
        return atom
    if not (in_project and _names_a_tool(atom.text)) and not (atom.temporary and _orders(atom.text)):
        return atom
    return replace(
        atom, kind=Kind.RULE, layer=Layer.INTENT, sublayer=Sublayer.RULE, directs_work=True, only_states=False
    )


def _names_a_tool(text: str) -> bool:
    if not _CHOSEN.match(text):
        return False
    from dopejar.pipelines.corrections.tool_checks.rule_checks import compile_check  # few statements say such a thing

    return compile_check(RecordId(""), text) is not None


def _orders(text: str) -> bool:
    """Whether it is an order, once its time stands behind it."""
    time = _FOR_A_TIME.match(text)
    if time is None:
        return False
    from dopejar.pipelines.ingest import extract

    order = f"{text[time.end() :].rstrip('.! ')} {time[0].rstrip(', ').lower()}"
    return any(one.directs_work for one in extract(order, at=None, speaker_is_user=True).atoms)

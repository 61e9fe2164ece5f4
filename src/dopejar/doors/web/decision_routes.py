"""Decisions: approve, edit, reject, assign, undo, deprecate, bring back, erase.

Takes: forms of our own pages. Gives: the page to go on with. Never: decides without a reviewer, or about another
version than the one the person saw.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from dopejar.doors.web.access import local_path
from dopejar.doors.web.forms import parse_integer
from dopejar.doors.web.html_templates import short
from dopejar.doors.web.request_context import Context
from dopejar.engine.bullets.assignment import assign_bullets
from dopejar.engine.bullets.procedural_memory import ProceduralMemory
from dopejar.engine.review.decisions import staleness_reason
from dopejar.errors import InputError, RefusedError, ReviewerRequiredError, StaleProposalError
from dopejar.values.ids import ProposalId, record_id_of
from dopejar.values.scope import Side

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dopejar.doors.web.request_context import RequestContext
    from dopejar.engine.dependencies import Reviewer
    from dopejar.values.ids import ActId

router = APIRouter()
CREDENTIAL_FIELDS: Final = ("passphrase", "reviewer")


class NeedsReviewerError(Exception):
    """Nobody decides in this browser yet; the page asks who does, and the form goes on from there."""


class ConcurrentDecisionError(Exception):
    """Others decided meanwhile: `gone` tells what became of some, `left` is what still waits."""

    def __init__(self, gone: Sequence[str], left: Sequence[str]) -> None:
        super().__init__("Somebody decided meanwhile.")
        self.gone, self.left = tuple(gone), tuple(left)


def reviewer_of(context: RequestContext) -> Reviewer:
    """Who decides in this browser: known already, or by the passphrase in the form.

    Raises:
        NeedsReviewerError: nobody does yet.
        ReviewerRequiredError: the passphrase is nobody's. RefusedError: too many tries were wrong.
    """
    known = context.session.reviewer
    if known is not None and known.name in context.memory.reviewers():
        return known
    passphrase = context.form.text("passphrase")
    if not passphrase:
        raise NeedsReviewerError
    sessions = context.app_state.sessions
    sessions.may_try(context.now)
    try:
        found = context.memory.unlock(passphrase, name=context.form.text("reviewer"))
    except ReviewerRequiredError:
        sessions.failed(context.now)
        raise
    sessions.decides(context.session, found)
    return found


@contextmanager
def as_seen(context: RequestContext, names: Sequence[str]) -> Iterator[Mapping[ProposalId, int]]:
    """The versions that the person saw, for the engine to hold against its own transaction.

    Raises:
        MovedError: it says that they moved; what became of each is read afterwards, for the person alone.
    """
    try:
        yield seen_versions(context)
    except StaleProposalError as fault:
        gone, left = _moved(context, names)
        if not gone:
            raise
        raise ConcurrentDecisionError(gone, left) from fault


def seen_versions(context: RequestContext) -> dict[ProposalId, int]:
    """What the form says of the versions that were on show. One that cannot be read was none."""
    pairs = (one.rpartition(":") for one in context.form.texts("seen"))
    return {ProposalId(name): parse_integer(version, 0, 0, 10**9) for name, _, version in pairs}


def _moved(context: RequestContext, names: Sequence[str]) -> tuple[list[str], list[str]]:
    seen = seen_versions(context)
    gone, left = [], []
    with context.memory.store.read() as view:
        for name in names:
            proposal = view.proposal(ProposalId(name))
            fault = "is not there any more." if proposal is None else staleness_reason(proposal, seen)
            if fault:
                gone.append(f"{short(name)} {fault}")
            else:
                left.append(name)
    return gone, left


def onward(context: RequestContext, act: str, default: str = "/") -> Response:
    """Back to the page the form came from, which tells what was done."""
    place = urlsplit(local_path(context.form.text("back"), default))
    kept = f"{place.query}&" if place.query else ""
    return RedirectResponse(f"{place.path}?{kept}{urlencode({'done': act})}", status_code=303)


class _Receipt(Protocol):
    """What the engine gives back of each change."""

    @property
    def act_id(self) -> ActId:
        """The act it belongs to."""
        ...


def _after(context: RequestContext, receipts: Sequence[_Receipt]) -> Response:
    return onward(context, receipts[0].act_id if receipts else "")


@router.post("/proposals/{name}/approve")
def approve(context: Context, name: str) -> Response:
    """Approve one."""
    by = reviewer_of(context)
    with as_seen(context, [name]) as seen:
        return _after(context, context.memory.approve([name], by, context.trace_id, seen=seen))


@router.post("/proposals/{name}/reject")
def reject(context: Context, name: str) -> Response:
    """Reject one, with the reason."""
    by, reason = reviewer_of(context), context.form.text("reason").strip()
    with as_seen(context, [name]) as seen:
        return _after(context, context.memory.reject([name], by, reason, context.trace_id, seen=seen))


@router.post("/proposals/{name}/edit")
def edit(context: Context, name: str) -> Response:
    """Approve one in other words."""
    by = reviewer_of(context)
    with as_seen(context, [name]) as seen:
        return _after(context, [context.memory.edit(name, context.form.text("text"), by, context.trace_id, seen=seen)])


@router.post("/proposals/{name}/assign")
def assign(context: Context, name: str) -> Response:
    """Put one bullet on trial on the side the person chose."""
    side = context.form.text("side")
    if side not in ("left", "right"):
        raise InputError("Choose left or right.")
    by = reviewer_of(context)
    bullet = record_id_of(ProposalId(name))
    with as_seen(context, [name]) as seen:
        return _after(context, assign_bullets(context.memory.deps, {bullet: Side(side)}, by, context.trace_id, seen))


@router.post("/decide")
def decide(context: Context) -> Response:
    """Approve or reject everything that is picked, in one act."""
    names = context.form.texts("pick")
    if not names:
        raise InputError("Nothing is picked. Tick some rows first.")
    by, reason = reviewer_of(context), context.form.text("reason").strip()
    with as_seen(context, names) as seen:
        if context.form.text("decision") == "reject":
            return _after(context, context.memory.reject(names, by, reason, context.trace_id, seen=seen))
        return _after(context, context.memory.approve(names, by, context.trace_id, seen=seen))


@router.post("/acts/{name}/undo")
def undo(context: Context, name: str) -> Response:
    """Take an act back."""
    receipt = context.memory.undo(name, reviewer_of(context), context.trace_id)
    return onward(context, receipt.act_id)


@router.post("/memories/{name}/deprecate")
def deprecate(context: Context, name: str) -> Response:
    """Take a memory out of use."""
    receipt = context.memory.deprecate([name], reviewer_of(context), context.trace_id)
    return onward(context, receipt.act_id, f"/memories/{name}")


@router.post("/memories/{name}/share")
def share(context: Context, name: str) -> Response:
    """Copy a proven bullet to the shared side, in the words of the form."""
    by = reviewer_of(context)
    procedural = ProceduralMemory.of(context.memory)
    is_meant = context.form.text("confirmed") == "yes"
    copy = procedural.share(name, by, text=context.form.text("text"), confirmed=is_meant, trace_id=context.trace_id)
    with context.memory.store.read() as view:
        act = view.entries_about(copy.id)[-1].act_id
    return onward(context, act, f"/memories/{name}")


@router.post("/memories/{name}/bring-back")
def bring_back(context: Context, name: str) -> Response:
    """Bring a memory back."""
    receipt = context.memory.bring_back([name], reviewer_of(context), context.trace_id)
    return onward(context, receipt.act_id, f"/memories/{name}")


@router.post("/memories/{name}/erase")
def erase(context: Context, name: str) -> HTMLResponse:
    """Erase a memory for good, where the person said that this is meant."""
    if context.form.text("sure") != "erase":
        raise InputError("Erasing cannot be undone. Tick that you mean it.")
    receipt = context.memory.erase(reviewer_of(context), records=[name], trace_id=context.trace_id)
    return context.page("erased.html", section="memory", receipt=receipt)


@router.post("/lock")
def lock(context: Context) -> Response:
    """From now on nobody decides in this browser."""
    context.app_state.sessions.decides(context.session, None)
    return RedirectResponse(local_path(context.form.text("back")), status_code=303)


@router.post("/leave")
def leave(context: Context) -> Response:
    """End this browser's session."""
    context.app_state.sessions.leave(context.session)
    raise RefusedError("This browser is signed out. Start `dopejar serve` again for a new link.")

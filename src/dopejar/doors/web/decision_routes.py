"""Decisions: approve, edit, reject, assign, undo, deprecate, share, restore, erase.

Takes: forms of this door's pages. Gives: a redirect to the page to go on with. Never: decides without a reviewer, or
about another version than the one the reviewer saw.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from dopejar.doors.web.access import IDLE_TIMEOUT, local_path
from dopejar.doors.web.forms import parse_integer
from dopejar.doors.web.html_templates import short_id
from dopejar.doors.web.request_context import Context
from dopejar.errors import InputError, RefusedError, StaleProposalError
from dopejar.values.ids import ProposalId, record_id_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dopejar.doors.web.request_context import RequestContext
    from dopejar.engine.dependencies import Reviewer

router = APIRouter()
CREDENTIAL_FIELDS: Final = ("passphrase", "reviewer")


class NeedsReviewerError(Exception):
    """No reviewer is unlocked in this browser; the page asks for the passphrase and then repeats the form."""


class ConcurrentDecisionError(Exception):
    """Somebody else decided first: `changes` says what happened, `waiting` are the ids that still wait."""

    def __init__(self, changes: Sequence[str], waiting: Sequence[str]) -> None:
        super().__init__("Somebody else decided first.")
        self.changes, self.waiting = tuple(changes), tuple(waiting)


def reviewer_of(context: RequestContext) -> Reviewer:
    """The reviewer of this browser's session, or the one whose passphrase the form brings.

    Raises:
        NeedsReviewerError: there is neither. ReviewerRequiredError: the passphrase is wrong, or there is a pause.
    """
    current, reviewers = context.session.reviewer, context.memory.reviewers
    if current is not None and reviewers.is_open(current):
        return current
    passphrase = context.form.text("passphrase")
    if not passphrase:
        raise NeedsReviewerError
    place = f"browser:{context.session.key}"
    reviewer = reviewers.unlock(passphrase, name=context.form.text("reviewer"), place=place, lifetime=IDLE_TIMEOUT)
    context.app_state.sessions.set_reviewer(context.session, reviewer)
    return reviewer


@contextmanager
def seen_versions(context: RequestContext, names: Sequence[str]) -> Iterator[Mapping[ProposalId, int]]:
    """The versions that the reviewer saw, which the engine compares inside its transaction.

    Raises:
        ConcurrentDecisionError: some have changed; what happened to each is read afterwards, for the message only.
    """
    versions = _versions_in_form(context)
    try:
        yield versions
    except StaleProposalError as error:
        reasons = context.inspection.stale_proposals(names, versions)
        if not reasons:
            raise
        changes = [f"{short_id(name)} {reason}" for name, reason in reasons.items()]
        raise ConcurrentDecisionError(changes, [name for name in names if name not in reasons]) from error


def _versions_in_form(context: RequestContext) -> dict[ProposalId, int]:
    """Versions by proposal; one that is not a number counts as 0, which no proposal has."""
    pairs = (text.rpartition(":") for text in context.form.texts("seen"))
    return {ProposalId(name): parse_integer(version, 0, 0, 10**9) for name, _, version in pairs}


def _redirect(context: RequestContext, act_id: str, default: str = "/") -> Response:
    """Back to the page that the form came from, with the act for its flash message."""
    target = urlsplit(local_path(context.form.text("back"), default))
    query = f"{target.query}&" if target.query else ""
    return RedirectResponse(f"{target.path}?{query}{urlencode({'done': act_id})}", status_code=303)


def _refuse_erasures(context: RequestContext, names: Sequence[str]) -> None:
    """Raises InputError where one of the proposals erases: the memory's own page shows what goes, and asks."""
    if context.memory.review.permanent(names):
        raise InputError("Erasing cannot be undone. Open the proposal, look at what is erased, and confirm it there.")


@router.post("/proposals/{name}/approve")
def approve(context: Context, name: str) -> Response:
    """Approve a proposal."""
    _refuse_erasures(context, [name])
    reviewer, keep_both = reviewer_of(context), context.form.text("keep") == "both"
    with seen_versions(context, [name]) as seen:
        receipts = context.memory.review.approve([name], reviewer, context.trace_id, seen=seen, keep_both=keep_both)
    return _redirect(context, receipts[0].act_id)


@router.post("/proposals/{name}/reject")
def reject(context: Context, name: str) -> Response:
    """Reject a proposal, with the reason."""
    reviewer, reason = reviewer_of(context), context.form.text("reason").strip()
    with seen_versions(context, [name]) as seen:
        receipts = context.memory.review.reject([name], reviewer, reason, context.trace_id, seen=seen)
    return _redirect(context, receipts[0].act_id)


@router.post("/proposals/{name}/edit")
def edit(context: Context, name: str) -> Response:
    """Approve a proposal with another text or scope, once what it changes was shown and confirmed."""
    text, scope = context.form.text("text"), context.form.text("scope")
    if context.form.text("confirmed") != f"{scope} {text}":
        return _show_edit(context, name, text, scope)
    reviewer = reviewer_of(context)
    with seen_versions(context, [name]) as seen:
        receipt = context.memory.review.edit(name, text, reviewer, context.trace_id, seen=seen, scope=scope)
    return _redirect(context, receipt.act_id)


def _show_edit(context: RequestContext, name: str, text: str, scope: str) -> HTMLResponse:
    """What another text or scope changes in a proposal, also in its kind and key."""
    reasons = context.inspection.stale_proposals([name], _versions_in_form(context))
    if reasons:
        raise ConcurrentDecisionError([f"{short_id(stale)} {reason}" for stale, reason in reasons.items()], [])
    changes = context.memory.review.preview_edit(name, text, scope)
    fields = context.form.pairs(without=(*CREDENTIAL_FIELDS, "confirmed"))
    return context.page(
        "edit.html",
        section="queue",
        changes=changes,
        projects=context.inspection.projects(),
        confirmed=f"{scope} {text}",
        fields=fields,
        action=context.request.url.path,
    )


@router.post("/proposals/{name}/assign")
def assign(context: Context, name: str) -> Response:
    """Assign a staged bullet to the chosen hemisphere, where it is on trial."""
    side = context.form.text("side")
    if side not in ("left", "right"):
        raise InputError("Choose left or right.")
    reviewer = reviewer_of(context)
    bullet_id = record_id_of(ProposalId(name))
    with seen_versions(context, [name]) as seen:
        context.memory.bullets.assign({bullet_id: side}, reviewer, seen=seen, trace_id=context.trace_id)
    return _redirect(context, context.inspection.latest_act(bullet_id))


@router.post("/decide")
def decide_together(context: Context) -> Response:
    """Approve or reject all selected proposals in one act."""
    names = context.form.texts("pick")
    if not names:
        raise InputError("Nothing is selected. Select some rows first.")
    if context.form.text("decision") != "reject":
        _refuse_erasures(context, names)
    reviewer, reason = reviewer_of(context), context.form.text("reason").strip()
    review = context.memory.review
    with seen_versions(context, names) as seen:
        if context.form.text("decision") == "reject":
            receipts = review.reject(names, reviewer, reason, context.trace_id, seen=seen)
        else:
            receipts = review.approve(names, reviewer, context.trace_id, seen=seen)
    left = [receipt for receipt in receipts if receipt.outcome == "staged"]
    if left:
        return context.page("left_waiting.html", section="queue", left=left, approved=len(names) - len(left))
    return _redirect(context, receipts[0].act_id)


@router.post("/acts/{name}/undo")
def undo(context: Context, name: str) -> Response:
    """Undo an act."""
    receipt = context.memory.undo(name, reviewer_of(context), context.trace_id)
    return _redirect(context, receipt.act_id)


@router.post("/memories/{name}/deprecate")
def deprecate(context: Context, name: str) -> Response:
    """Take a memory out of use."""
    (receipt,) = context.memory.delete(name, reviewer_of(context), context.trace_id)
    return _redirect(context, receipt.act_id, f"/memories/{name}")


@router.post("/memories/{name}/share")
def share(context: Context, name: str) -> Response:
    """Copy a proven bullet to the shared side, with the text in the form."""
    reviewer = reviewer_of(context)
    shared = context.memory.bullets.share(
        name,
        reviewer,
        text=context.form.text("text"),
        confirmed=context.form.text("confirmed") == "yes",
        trace_id=context.trace_id,
    )
    return _redirect(context, context.inspection.latest_act(shared.id), f"/memories/{name}")


@router.post("/memories/{name}/bring-back")
def bring_back(context: Context, name: str) -> Response:
    """Restore a memory."""
    receipt = context.memory.bring_back([name], reviewer_of(context), context.trace_id)
    return _redirect(context, receipt.act_id, f"/memories/{name}")


@router.post("/memories/{name}/erase")
def erase(context: Context, name: str) -> HTMLResponse:
    """Erase a memory for good, if the confirmation is ticked."""
    if context.form.text("sure") != "erase":
        raise InputError("Erasing cannot be undone. Tick the box to confirm it.")
    receipt = context.memory.erase(reviewer_of(context), records=[name], trace_id=context.trace_id)
    return context.page("erased.html", section="memory", receipt=receipt)


@router.post("/lock")
def lock(context: Context) -> Response:
    """End the reviewer's session in this browser."""
    _end_reviewer(context)
    context.app_state.sessions.set_reviewer(context.session, None)
    return RedirectResponse(local_path(context.form.text("back")), status_code=303)


@router.post("/leave")
def sign_out(context: Context) -> Response:
    """End this browser's session."""
    _end_reviewer(context)
    context.app_state.sessions.end(context.session)
    raise RefusedError("This browser is signed out. Run `dopejar serve` again for a new link.")


def _end_reviewer(context: RequestContext) -> None:
    if context.session.reviewer is not None:
        context.memory.reviewers.end(context.session.reviewer)

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
from dopejar.doors.web.desk import Visiting
from dopejar.doors.web.forms import number
from dopejar.doors.web.rendering import short
from dopejar.engine.placing import assign_bullets
from dopejar.engine.procedural import ProceduralMemory
from dopejar.engine.reviewing import since
from dopejar.errors import InputError, RefusedError, ReviewerRequiredError, StaleProposalError
from dopejar.values.ids import ProposalId, record_id_of
from dopejar.values.scope import Side

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dopejar.doors.web.desk import Visit
    from dopejar.engine.parts import Reviewer
    from dopejar.values.ids import ActId

router = APIRouter()
ASKS: Final = ("passphrase", "reviewer")


class NeedsReviewerError(Exception):
    """Nobody decides in this browser yet; the page asks who does, and the form goes on from there."""


class MovedError(Exception):
    """Others decided meanwhile: `gone` tells what became of some, `left` is what still waits."""

    def __init__(self, gone: Sequence[str], left: Sequence[str]) -> None:
        super().__init__("Somebody decided meanwhile.")
        self.gone, self.left = tuple(gone), tuple(left)


def reviewer_of(visit: Visit) -> Reviewer:
    """Who decides in this browser: known already, or by the passphrase in the form.

    Raises:
        NeedsReviewerError: nobody does yet.
        ReviewerRequiredError: the passphrase is nobody's. RefusedError: too many tries were wrong.
    """
    known = visit.session.reviewer
    if known is not None and known.name in visit.memory.reviewers():
        return known
    passphrase = visit.form.text("passphrase")
    if not passphrase:
        raise NeedsReviewerError
    keeper = visit.desk.keeper
    keeper.may_try(visit.now)
    try:
        found = visit.memory.unlock(passphrase, name=visit.form.text("reviewer"))
    except ReviewerRequiredError:
        keeper.failed(visit.now)
        raise
    keeper.decides(visit.session, found)
    return found


@contextmanager
def as_seen(visit: Visit, names: Sequence[str]) -> Iterator[Mapping[ProposalId, int]]:
    """The versions that the person saw, for the engine to hold against its own transaction.

    Raises:
        MovedError: it says that they moved; what became of each is read afterwards, for the person alone.
    """
    try:
        yield seen_versions(visit)
    except StaleProposalError as fault:
        gone, left = _moved(visit, names)
        if not gone:
            raise
        raise MovedError(gone, left) from fault


def seen_versions(visit: Visit) -> dict[ProposalId, int]:
    """What the form says of the versions that were on show. One that cannot be read was none."""
    pairs = (one.rpartition(":") for one in visit.form.texts("seen"))
    return {ProposalId(name): number(version, 0, 0, 10**9) for name, _, version in pairs}


def _moved(visit: Visit, names: Sequence[str]) -> tuple[list[str], list[str]]:
    seen = seen_versions(visit)
    gone, left = [], []
    with visit.memory.store.read() as view:
        for name in names:
            proposal = view.proposal(ProposalId(name))
            fault = "is not there any more." if proposal is None else since(proposal, seen)
            if fault:
                gone.append(f"{short(name)} {fault}")
            else:
                left.append(name)
    return gone, left


def onward(visit: Visit, act: str, default: str = "/") -> Response:
    """Back to the page the form came from, which tells what was done."""
    place = urlsplit(local_path(visit.form.text("back"), default))
    kept = f"{place.query}&" if place.query else ""
    return RedirectResponse(f"{place.path}?{kept}{urlencode({'done': act})}", status_code=303)


class _Receipt(Protocol):
    """What the engine gives back of each change."""

    @property
    def act_id(self) -> ActId:
        """The act it belongs to."""
        ...


def _after(visit: Visit, receipts: Sequence[_Receipt]) -> Response:
    return onward(visit, receipts[0].act_id if receipts else "")


@router.post("/proposals/{name}/approve")
def approve(visit: Visiting, name: str) -> Response:
    """Approve one."""
    by = reviewer_of(visit)
    with as_seen(visit, [name]) as seen:
        return _after(visit, visit.memory.approve([name], by, visit.trace_id, seen=seen))


@router.post("/proposals/{name}/reject")
def reject(visit: Visiting, name: str) -> Response:
    """Reject one, with the reason."""
    by, reason = reviewer_of(visit), visit.form.text("reason").strip()
    with as_seen(visit, [name]) as seen:
        return _after(visit, visit.memory.reject([name], by, reason, visit.trace_id, seen=seen))


@router.post("/proposals/{name}/edit")
def edit(visit: Visiting, name: str) -> Response:
    """Approve one in other words."""
    by = reviewer_of(visit)
    with as_seen(visit, [name]) as seen:
        return _after(visit, [visit.memory.edit(name, visit.form.text("text"), by, visit.trace_id, seen=seen)])


@router.post("/proposals/{name}/assign")
def assign(visit: Visiting, name: str) -> Response:
    """Put one bullet on trial on the side the person chose."""
    side = visit.form.text("side")
    if side not in ("left", "right"):
        raise InputError("Choose left or right.")
    by = reviewer_of(visit)
    bullet = record_id_of(ProposalId(name))
    with as_seen(visit, [name]) as seen:
        return _after(visit, assign_bullets(visit.memory.parts, {bullet: Side(side)}, by, visit.trace_id, seen))


@router.post("/decide")
def decide(visit: Visiting) -> Response:
    """Approve or reject everything that is picked, in one act."""
    names = visit.form.texts("pick")
    if not names:
        raise InputError("Nothing is picked. Tick some rows first.")
    by, reason = reviewer_of(visit), visit.form.text("reason").strip()
    with as_seen(visit, names) as seen:
        if visit.form.text("decision") == "reject":
            return _after(visit, visit.memory.reject(names, by, reason, visit.trace_id, seen=seen))
        return _after(visit, visit.memory.approve(names, by, visit.trace_id, seen=seen))


@router.post("/acts/{name}/undo")
def undo(visit: Visiting, name: str) -> Response:
    """Take an act back."""
    receipt = visit.memory.undo(name, reviewer_of(visit), visit.trace_id)
    return onward(visit, receipt.act_id)


@router.post("/memories/{name}/deprecate")
def deprecate(visit: Visiting, name: str) -> Response:
    """Take a memory out of use."""
    receipt = visit.memory.deprecate([name], reviewer_of(visit), visit.trace_id)
    return onward(visit, receipt.act_id, f"/memories/{name}")


@router.post("/memories/{name}/share")
def share(visit: Visiting, name: str) -> Response:
    """Copy a proven bullet to the shared side, in the words of the form."""
    by = reviewer_of(visit)
    procedural = ProceduralMemory.of(visit.memory)
    is_meant = visit.form.text("confirmed") == "yes"
    copy = procedural.share(name, by, text=visit.form.text("text"), confirmed=is_meant, trace_id=visit.trace_id)
    with visit.memory.store.read() as view:
        act = view.entries_about(copy.id)[-1].act_id
    return onward(visit, act, f"/memories/{name}")


@router.post("/memories/{name}/bring-back")
def bring_back(visit: Visiting, name: str) -> Response:
    """Bring a memory back."""
    receipt = visit.memory.bring_back([name], reviewer_of(visit), visit.trace_id)
    return onward(visit, receipt.act_id, f"/memories/{name}")


@router.post("/memories/{name}/erase")
def erase(visit: Visiting, name: str) -> HTMLResponse:
    """Erase a memory for good, where the person said that this is meant."""
    if visit.form.text("sure") != "erase":
        raise InputError("Erasing cannot be undone. Tick that you mean it.")
    receipt = visit.memory.erase(reviewer_of(visit), records=[name], trace_id=visit.trace_id)
    return visit.page("erased.html", section="memory", receipt=receipt)


@router.post("/lock")
def lock(visit: Visiting) -> Response:
    """From now on nobody decides in this browser."""
    visit.desk.keeper.decides(visit.session, None)
    return RedirectResponse(local_path(visit.form.text("back")), status_code=303)


@router.post("/leave")
def leave(visit: Visiting) -> Response:
    """End this browser's session."""
    visit.desk.keeper.leave(visit.session)
    raise RefusedError("This browser is signed out. Start `dopejar serve` again for a new link.")

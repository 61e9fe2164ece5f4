"""An elicited yes: a person approves in the assistant what it proposes, where a reviewer unlocked that assistant.

Takes: the words of a call, and what a person answered. Gives: the question, and the decision. Never: asks or approves
without a reviewer's open session for this host, approves what erases words or was proposed before, or retires a memory
that the person was not shown.

A host is one client of one running server. A reviewer unlocks it by its name, at a terminal, with a passphrase, for 15
minutes; the session's credential is in this process alone, so that nobody else has it who knows the name.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, Resolve
from pydantic import BaseModel, Field

from dopejar.engine.queries.agent_answers import APPROVED, proposal_rows
from dopejar.errors import RefusedError, StaleProposalError

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Reviewer
    from dopejar.engine.memory import Memory
    from dopejar.engine.queries.agent_rows import Proposed
    from dopejar.engine.results import ReviewItem

_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME: Final = 40
_LONGEST_QUESTION: Final = 1_000  # characters that a person reads before a yes; longer words wait for a review


class Approval(BaseModel):
    """What a person answers."""

    approve: bool = Field(description="Yes: it is believed from now on. No: it waits for a review.")


class ElicitedApprovals:
    """Where the clients of one server have their proposals approved."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._part, self._secret = secrets.token_hex(4), secrets.token_hex(32)

    def question(self, client: Client, words: str, instead_of: str = "") -> Elicit[Approval] | Approval:
        """What to ask about words; nothing where no reviewer unlocked this host, or where they cannot be shown."""
        new, old = " ".join(words.split()), " ".join(self._memory.get(instead_of).text.split()) if instead_of else ""
        is_shown = len(new) + len(old) <= _LONGEST_QUESTION and (new + old).isprintable()  # and hides no sign
        if not is_shown or not _can_ask(client) or self._reviewer(client) is None:
            return Approval(approve=False)
        lines = ("Approve this for your memory?", new, *([f"In place of: {old}"] if old else ()))
        return Elicit("\n".join(lines), Approval)

    def settle(
        self, client: Client, answer: ElicitationResult[Approval], given: Proposed, instead_of: str = ""
    ) -> Proposed:
        """Approve what waits, where a person said yes to it; else say where it can be decided.

        `instead_of` names the memory that the question showed as the one to be replaced.
        """
        names = [row["proposal"] for row in given["proposals"] if row["outcome"] == "staged"]
        if not names:
            return given
        by = self._reviewer(client)
        is_yes = isinstance(answer, AcceptedElicitation) and answer.data.approve
        waiting = [self._memory.review.show(name, past=False) for name in names] if is_yes else []
        shown = self._memory.get(instead_of).id if instead_of else ""
        is_shown = all(_is_of_this_call(item, shown) for item in waiting)
        if by is None or not is_yes or not is_shown or self._memory.review.permanent(names):
            return {**given, "note": " ".join((given["note"], *self._places(client)))}
        try:
            seen = {item.proposal.id: item.proposal.version for item in waiting}
            receipts = self._memory.review.approve(names, by, seen=seen)
        except (RefusedError, StaleProposalError) as error:
            return {**given, "note": f"{given['note']} It was not approved: {error}"}
        return {**given, "outcome": "approved", "proposals": proposal_rows(receipts), "note": APPROVED}

    def _places(self, client: Client) -> list[str]:
        places = []
        if link := self._memory.page_links.make():
            places.append(f"The user can open the page once at {link}")
        if _can_ask(client) and self._reviewer(client) is None:
            host = self._host(client)
            self._memory.reviewers.name_host(host, self._credential(host))
            places.append(f"To be asked here, the user runs `dopejar reviewer unlock --host {host}` in a terminal.")
        return places

    def _host(self, client: Client) -> str:
        return f"{client_name(client) or 'mcp'}-{self._part}"

    def _reviewer(self, client: Client) -> Reviewer | None:
        return self._memory.reviewers.holding(self._credential(self._host(client)))

    def _credential(self, host: str) -> str:
        return f"{self._secret}:{host}"


def _is_of_this_call(item: ReviewItem, shown: str) -> bool:
    """Whether a proposal is new, so that its words are those of the call, and touches no other memory than `shown`."""
    touched = (*(target.subject for target in item.proposal.targets), *(record.id for record in item.contradicts))
    return item.proposal.version == 1 and all(name == shown for name in touched)


Client = Context[ElicitedApprovals, Any]


def client_name(client: Client) -> str:
    """The name that a client gives itself, in plain letters; "" where it gives none."""
    said = client.session.client_params
    return _NAME.sub("-", said.client_info.name)[:_LONGEST_NAME].strip("-") if said else ""


def _can_ask(client: Client) -> bool:
    able = client.client_capabilities
    modes = able.elicitation if able is not None else None
    return modes is not None and (modes.form is not None or modes.url is None)  # none is named: the older way, a form


def _about_words(client: Client, text: str, dry_run: object) -> Elicit[Approval] | Approval:
    return Approval(approve=False) if dry_run else client.request_context.lifespan_context.question(client, text)


def _about_correction(client: Client, id: str, text: str, dry_run: object) -> Elicit[Approval] | Approval:  # noqa: A002 - as the tool's arguments are named
    return Approval(approve=False) if dry_run else client.request_context.lifespan_context.question(client, text, id)


OfWords = Annotated[ElicitationResult[Approval], Resolve(_about_words)]
OfCorrection = Annotated[ElicitationResult[Approval], Resolve(_about_correction)]

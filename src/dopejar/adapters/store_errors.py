"""Errors that every store adapter raises in the same words.

Takes: what was given and what is stored. Gives: an error that says what to do. Never: looks anything up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dopejar.errors import EmbedderMismatchError, StaleProposalError

if TYPE_CHECKING:
    from dopejar.ports.embedder import EmbedderIdentity


def stale_row_error(what: str, mine: int, theirs: int) -> StaleProposalError:
    """That a row was changed since it was read."""
    return StaleProposalError(
        f"{what} is at version {theirs} now, and this change was made from version {mine}. Read it again and"
        " apply the change to what it says now."
    )


def require_dimensions(dimensions: int, embedder: EmbedderIdentity) -> None:
    """Raises EmbedderMismatchError where vectors of so many dimensions are not the embedder's."""
    if dimensions != embedder.dimensions:
        raise EmbedderMismatchError(
            f"A vector of {dimensions} dimensions is none of {embedder}, which has {embedder.dimensions}."
            " Run `dopejar models reembed`."
        )

"""The terms of proposals: what they want, how they came in, where they stand, how much they weigh.

Takes: nothing. Gives: enumerations. Never: a proposal; who only asks for states need not load every payload.
"""

from __future__ import annotations

from enum import StrEnum


class Action(StrEnum):
    """What a proposal wants."""

    ADD = "add"
    REINFORCE = "reinforce"
    SUPERSEDE = "supersede"
    ASSIGN = "assign"
    ACTIVATE = "activate"
    SHARE = "share"
    DEPRECATE = "deprecate"
    MERGE = "merge"
    TAG = "tag"
    LINK = "link"
    ERASE = "erase"
    RESTORE = "restore"
    UNDO = "undo"


class Via(StrEnum):
    """The way a wish came in."""

    CONVERSATION = "conversation"  # learned from a transcript or a live conversation
    REMEMBER = "remember"  # said to the memory itself
    REVIEW = "review"  # a reviewer's own act
    UNATTENDED = "unattended"  # maintenance, gardening, generalising
    FILE = "file"  # a person's explicit import of an instruction file


class ProposalState(StrEnum):
    """Where a proposal stands."""

    NEW = "new"
    COMMITTED = "committed"
    STAGED = "staged"
    APPROVED = "approved"
    REJECTED = "rejected"
    REFUSED = "refused"
    EXPIRED = "expired"
    ERASED = "erased"


class Level(StrEnum):
    """Size of a conflict or of a blast radius."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

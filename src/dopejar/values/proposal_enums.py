"""The enumerations of proposals: actions, ways in, states and levels.

Takes: nothing. Gives: enumerations. Never: a proposal; code that only needs a state need not load every payload.
"""

from __future__ import annotations

from enum import StrEnum


class Action(StrEnum):
    """The actions of proposals."""

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
    REKEY = "rekey"


class Via(StrEnum):
    """The way a proposal came in."""

    CONVERSATION = "conversation"  # learned from a transcript or a live conversation
    REMEMBER = "remember"  # stated to the memory directly
    REVIEW = "review"  # a reviewer's own act
    UNATTENDED = "unattended"  # maintenance, gardening, generalising
    FILE = "file"  # a person's explicit import of an instruction file


class ProposalState(StrEnum):
    """The states of a proposal."""

    NEW = "new"
    COMMITTED = "committed"
    STAGED = "staged"
    APPROVED = "approved"
    REJECTED = "rejected"
    REFUSED = "refused"
    EXPIRED = "expired"
    ERASED = "erased"


class Level(StrEnum):
    """The size of a conflict or of a blast radius."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

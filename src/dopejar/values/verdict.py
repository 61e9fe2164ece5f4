"""Verdicts: the write gate's answers.

Takes: rule ids and reasons. Gives: Allow, Stage or Refuse. Never: a bare bool.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Allow:
    """Memory may change now."""

    rules: tuple[str, ...]
    reason: str
    policy_hash: str = ""
    approver: str = "policy"


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """A person must decide first."""

    rules: tuple[str, ...]
    reason: str
    policy_hash: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Refuse:
    """Memory does not change; the proposal stays visible. A staged proposal becomes rejected, or expired by age."""

    rules: tuple[str, ...]
    reason: str
    policy_hash: str = ""
    approver: str = "policy"
    by_age: bool = False


Verdict = Allow | Stage | Refuse

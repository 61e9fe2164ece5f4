"""The bodies that REST takes and the rows that it alone gives.

Takes: nothing. Gives: models with the limits of each field. Never: a field that is not listed.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool

from dopejar.engine.queries.agent_answers import HOW_TO_READ

Text = Annotated[str, Field(min_length=1, max_length=100_000)]
Question = Annotated[str, Field(min_length=1, max_length=10_000)]


def _whole(given: object) -> object:
    """16.0 is an integer in JSON; a text is none."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewMemory(_Body):
    """What to remember: plain sentences, each true by itself."""

    text: Text
    tags: Annotated[tuple[Annotated[str, Field(max_length=100)], ...], Field(max_length=20)] = ()
    dry_run: StrictBool = False
    reading: Annotated[dict[str, str] | None, Field(description=HOW_TO_READ)] = None


class Correction(_Body):
    """What is right in place of a memory: the whole statement."""

    text: Text
    dry_run: StrictBool = False


class Forgetting(_Body):
    """A memory by its id or key, or the words that it is about."""

    what: Annotated[str, Field(min_length=1, max_length=1_000)]
    dry_run: StrictBool = False


class RecallRequest(_Body):
    """A question with the most tokens of the answer."""

    question: Question
    budget: Annotated[int | None, Field(ge=16, le=100_000, strict=True), BeforeValidator(_whole)] = None
    as_of: Annotated[str, Field(max_length=40, description="What was true at that date: 2026-03-15.")] = ""
    all_projects: StrictBool = False


class CheckRequest(_Body):
    """A tool that is about to be called, with its arguments."""

    tool: Annotated[str, Field(min_length=1, max_length=200)]
    input: dict[str, Any] = {}
    branch: Annotated[str, Field(max_length=500)] = ""


class NewTurn(_Body):
    """One turn of a conversation that is going on; `id` is the turn's own, so that a repetition is known."""

    conversation: Annotated[str, Field(min_length=1, max_length=200)]
    id: Annotated[str, Field(min_length=1, max_length=200)]
    text: Text
    speaker: Literal["user", "assistant", "tool"] = "assistant"


class Observed(BaseModel):
    """What became of a turn: kept, known or not kept; `is_due`: it is time to learn from the conversation."""

    outcome: str
    turn: str
    is_due: bool


class StoreSummary(BaseModel):
    """What the store holds: `records` in use, `turns`, and how many proposals are `waiting` for a person."""

    version: str
    records: int
    turns: int
    waiting: int
    project: str


class UsedMemories(_Body):
    """Memories that an answer cited or that were acted on, by id or key."""

    names: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=200)], ...], Field(min_length=1, max_length=100)
    ]


class CountedUses(BaseModel):
    """Whether the uses count: a busy or read-only store passes them over."""

    counted: bool

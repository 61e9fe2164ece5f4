"""A language model that refines and never decides.

Takes: a prompt and a JSON schema. Gives: a validated reply. Never: is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
JsonObject = dict[str, JsonValue]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """A question. `schema` is a JSON Schema the reply must meet; `purpose` names the caller for the spend log."""

    purpose: str
    system: str
    prompt: str
    schema: JsonObject
    max_tokens: int = 512
    temperature: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """A valid reply, and what it cost."""

    value: JsonObject
    tokens: int
    is_repaired: bool = False


class LanguageModel(Protocol):
    """A model behind a timeout, one repair and a daily cap."""

    @property
    def name(self) -> str:
        """The model's name, as configured."""
        ...

    def ask(self, ask: Ask) -> Reply:
        """A reply that meets the schema. Raises LanguageModelError or one of its kinds."""
        ...


class SpendLog(Protocol):
    """How much of the day's cap is used; kept by the store, shared by every process."""

    def reserve(self, tokens: int, purpose: str) -> None:
        """Take tokens from today's cap before the call; raises SpendCapError where they are not there."""
        ...

    def settle(self, reserved: int, used: int, purpose: str) -> None:
        """Give back what was not used."""
        ...

"""The port of language models, which refine and never decide.

Takes: a prompt, and a JSON schema where the reply is data. Gives: a validated reply, or words as they are written.
Never: is required for any function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dopejar.ports.protocol import Protocol

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
JsonObject = dict[str, JsonValue]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """A request. The reply must be valid under the JSON Schema; `purpose` names the caller in the spend log."""

    purpose: str
    system: str
    prompt: str
    schema: JsonObject
    max_tokens: int = 512
    temperature: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """A valid reply with its cost in tokens. Whole numbers in it are ints, however the model wrote them."""

    value: JsonObject
    tokens: int
    is_repaired: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Writing:
    """A request for words instead of data; `purpose` names the caller in the spend log."""

    purpose: str
    system: str
    prompt: str
    max_tokens: int = 700
    temperature: float = 0.3


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What the model wrote, and its cost in tokens. `is_cut`: it reached its token limit."""

    text: str
    tokens: int
    is_cut: bool = False


class LanguageModel(Protocol):
    """A model with a timeout, one repair of an invalid reply, and a daily token cap."""

    @property
    def name(self) -> str:
        """The model's name, as configured."""

    def ask(self, ask: Ask) -> Reply:
        """A reply that is valid under the schema. Raises LanguageModelError or one of its subclasses."""

    def write(self, writing: Writing, hear: Callable[[str], None]) -> Written:
        """Words, each piece given to `hear` as it comes. Raises LanguageModelError; pieces may have been heard by then.

        The timeout holds for each piece, and twelve times as long for all of them.
        """


class SpendLog(Protocol):
    """The used part of the daily token cap; kept in the store, shared by every process."""

    def reserve(self, tokens: int, purpose: str) -> None:
        """Take tokens from today's cap before the call; raises SpendCapError where too few are left."""

    def settle(self, reserved: int, used: int, purpose: str) -> None:
        """Return the tokens that were reserved and not used."""

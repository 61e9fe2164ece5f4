"""A language model behind an HTTP server: capped, validated against a schema, with one repair request.

Takes: an `Ask` or a `Writing`, and a dialect. Gives: a `Reply`, or words. Never: more than two calls per question.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from dopejar.adapters.language_models.json_client import JsonClient, UnspentError
from dopejar.errors import ModelReplyError
from dopejar.ports.language_model import Ask, JsonObject, JsonValue, Reply, SpendLog, Writing, Written
from dopejar.text.model_replies import parse_reply
from dopejar.text.tokens import count_tokens

_FRAME_TOKENS = 64  # overhead that servers add to messages
_LONGEST_QUOTED = 4000  # characters of a faulty reply that are shown to the model again


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One message of a chat: `role` is system, user or assistant."""

    role: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A server's answer, or a piece of one. `tokens` is None where it does not report the cost of the whole call."""

    text: str
    tokens: int | None
    is_cut: bool = False  # the model reached its token limit


class Dialect(Protocol):
    """The request and response format of one kind of server."""

    @property
    def path(self) -> str:
        """The path below the server's address."""
        ...

    def body(self, model: str, messages: tuple[Message, ...], ask: Ask, expected_tokens: int) -> JsonObject:
        """The request; `expected_tokens` is an upper estimate of prompt and reply together."""
        ...

    def answer(self, body: JsonObject) -> Answer | None:
        """The answer in a response body, or None for a body of another format."""
        ...

    def writing_body(self, model: str, messages: tuple[Message, ...], writing: Writing, expected: int) -> JsonObject:
        """The request for words that are streamed."""
        ...

    def piece(self, body: JsonObject) -> Answer | None:
        """The piece in one line of a streamed response, or None for a line of another format."""
        ...


class HttpLanguageModel:
    """A language model behind a server. Not for use inside a write transaction: it counts usage in one of its own."""

    def __init__(self, *, model: str, dialect: Dialect, client: JsonClient, spend: SpendLog) -> None:
        self._model = model
        self._dialect = dialect
        self._client = client
        self._spend = spend

    @property
    def name(self) -> str:
        """The model's name, as configured."""
        return self._model

    def ask(self, ask: Ask) -> Reply:
        """A reply that meets the schema; a first reply that does not is followed by one repair request.

        Raises SpendCapError before anything is sent, ModelTimeoutError, ModelReplyError after a failed repair, and
        LanguageModelError for any other failure.
        """
        messages = (Message(role="system", text=instruction(ask)), Message(role="user", text=ask.prompt))
        first = self._call(messages, ask)
        read = parse_reply(first.text, ask.schema)
        if read.value is not None:
            return Reply(value=read.value, tokens=first.tokens or 0)
        again = (
            *messages,
            Message(role="assistant", text=first.text[:_LONGEST_QUOTED] or "(nothing)"),
            Message(role="user", text=repair_request(_fault(first, read.fault, ask))),
        )
        second = self._call(again, ask)
        read = parse_reply(second.text, ask.schema)
        if read.value is None:
            raise ModelReplyError(
                f"{self._model} gave no usable reply for {ask.purpose}, also when asked again: "
                f"{_fault(second, read.fault, ask)[:300]}. Use a larger model, or go on without one."
            )
        return Reply(value=read.value, tokens=(first.tokens or 0) + (second.tokens or 0), is_repaired=True)

    def write(self, writing: Writing, hear: Callable[[str], None]) -> Written:
        """Words as they come. What is spent is settled by the server's count, else by our own, also after a failure."""
        messages = (Message(role="system", text=writing.system), Message(role="user", text=writing.prompt))
        asked = _FRAME_TOKENS + sum(count_tokens(message.text) for message in messages)
        reserved = asked + writing.max_tokens
        body = self._dialect.writing_body(self._model, messages, writing, reserved)
        self._spend.reserve(reserved, writing.purpose)
        used, pieces, is_cut, counted = reserved, list[str](), False, None
        try:
            for line in self._client.lines(self._dialect.path, body):
                piece = self._piece(line)
                if piece is None:
                    continue
                counted, is_cut = piece.tokens or counted, is_cut or piece.is_cut
                if piece.text:
                    pieces.append(piece.text)
                    hear(piece.text)
            used = counted or asked + count_tokens("".join(pieces))
        except UnspentError:
            used = 0
            raise
        finally:
            self._spend.settle(reserved, used, writing.purpose)
        if not pieces:
            raise ModelReplyError(f"{self._model} wrote nothing for {writing.purpose}. Try again, or another model.")
        return Written(text="".join(pieces), tokens=used, is_cut=is_cut)

    def _piece(self, line: str) -> Answer | None:
        """A line of a streamed response, which may begin with `data:`; empty lines, comments and the end have none."""
        plain = line.removeprefix("data:").strip()
        if not plain.startswith("{"):
            return None
        try:
            body = json.loads(plain)
        except (ValueError, RecursionError) as error:
            raise ModelReplyError("The language model's stream cannot be read. Check its address.") from error
        if "error" in body:
            raise ModelReplyError("The language model's server ended its reply with an error. Look at its log.")
        return self._dialect.piece(body)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _call(self, messages: tuple[Message, ...], ask: Ask) -> Answer:
        """One call; tokens are reserved before and settled after it. The answer's `tokens` is the cost."""
        asked = _FRAME_TOKENS + sum(count_tokens(message.text) for message in messages)
        reserved = asked + ask.max_tokens
        body = self._dialect.body(self._model, messages, ask, reserved)
        self._spend.reserve(reserved, ask.purpose)
        used = reserved  # unless it is known to be less
        try:
            answer = self._dialect.answer(self._client.post(self._dialect.path, body))
            if answer is None:
                raise ModelReplyError(
                    "The language model's server answered in another form than expected. Check its address."
                )
            counted = asked + count_tokens(answer.text)
            used = counted if answer.tokens is None or answer.tokens < 0 else answer.tokens
        except UnspentError:
            used = 0
            raise
        finally:
            self._spend.settle(reserved, used, ask.purpose)
        return Answer(text=answer.text, tokens=used, is_cut=answer.is_cut)


def instruction(ask: Ask) -> str:
    """The system message with the schema, since not every server enforces one."""
    schema = json.dumps(ask.schema, ensure_ascii=False, sort_keys=True)
    return (
        f"{ask.system}\n\nReply with one JSON object and nothing else. It must meet this JSON Schema:\n{schema}".strip()
    )


def repair_request(fault: str) -> str:
    """The message that asks the model to repair its reply."""
    return f"That reply cannot be used: {fault}. Send the whole JSON object again, corrected, and nothing else."


def _fault(answer: Answer, fault: str, ask: Ask) -> str:
    return f"it was cut off at {ask.max_tokens} tokens, so {fault}" if answer.is_cut else fault


def text_or_empty(value: JsonValue) -> str:
    """The value if it is a text, else an empty text."""
    return value if isinstance(value, str) else ""


def count_or_none(value: JsonValue) -> int | None:
    """The value if it is a non-negative integer, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

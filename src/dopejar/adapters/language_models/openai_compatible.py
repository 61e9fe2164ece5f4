"""Servers that speak the chat completions of OpenAI: hosted ones, vLLM, llama.cpp, LM Studio and many more.

Takes: the settings of one server. Gives: a `LanguageModel`. Never: calls tools, or keeps a conversation there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from dopejar.adapters.language_models.http_language_model import (
    Answer,
    HttpLanguageModel,
    Message,
    count_or_none,
    text_or_empty,
)
from dopejar.adapters.language_models.json_client import JsonClient, ModelApiKey
from dopejar.ports.language_model import Ask, JsonObject, JsonValue, SpendLog, Writing


class Structure(StrEnum):
    """How the server is told that JSON is wanted; the schema stands in the prompt in every case."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    PROMPT = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenAiDialect:
    """`/chat/completions`. The makers' own models take no `max_tokens` and no temperature; many others know no else."""

    structure: Structure = Structure.SCHEMA
    limit_field: str = "max_tokens"
    has_temperature: bool = True

    @property
    def path(self) -> str:
        """Below an address that ends in the version, like `https://host/v1`."""
        return "/chat/completions"

    def body(self, model: str, messages: tuple[Message, ...], ask: Ask, expected_tokens: int) -> JsonObject:
        """A request for one completion, not streamed."""
        body = self._body(model, messages, ask) | {"stream": False}
        if self.structure is Structure.SCHEMA:
            name = re.sub(r"[^A-Za-z0-9_-]", "_", ask.purpose)[:64] or "reply"
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": name, "schema": ask.schema}}
        elif self.structure is Structure.OBJECT:
            body["response_format"] = {"type": "json_object"}
        return body

    def writing_body(self, model: str, messages: tuple[Message, ...], writing: Writing, expected: int) -> JsonObject:
        """A request for words that are streamed."""
        return self._body(model, messages, writing) | {"stream": True}

    def piece(self, body: JsonObject) -> Answer | None:
        """The delta of a chunk; a server that does not stream sends one message."""
        return self._read(body, "delta") or self._read(body, "message")

    def answer(self, body: JsonObject) -> Answer | None:
        """The first choice's text and `usage.total_tokens`."""
        return self._read(body, "message")

    def _body(self, model: str, messages: tuple[Message, ...], request: Ask | Writing) -> JsonObject:
        body: JsonObject = {
            "model": model,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
            self.limit_field: request.max_tokens,
        }
        return body | {"temperature": request.temperature} if self.has_temperature else body

    def _read(self, body: JsonObject, name: str) -> Answer | None:
        choices = body.get("choices")
        first: JsonValue = choices[0] if isinstance(choices, list) and choices else None
        message = first.get(name) if isinstance(first, dict) else None
        if not isinstance(first, dict) or not isinstance(message, dict):
            return None
        usage = body.get("usage")
        tokens = count_or_none(usage.get("total_tokens")) if isinstance(usage, dict) else None
        return Answer(
            text=text_or_empty(message.get("content")), tokens=tokens, is_cut=first.get("finish_reason") == "length"
        )


def dialect_for(address: str) -> OpenAiDialect:
    """The dialect that the server at an address speaks, told by its host."""
    host = urlsplit(address).hostname or ""
    if host == "openai.com" or host.endswith(".openai.com"):
        return OpenAiDialect(limit_field="max_completion_tokens", has_temperature=False)
    return OpenAiDialect()


def openai_compatible(
    *,
    address: str,
    model: str,
    spend: SpendLog,
    key: ModelApiKey | None = None,
    timeout_s: float = 30.0,
    dialect: OpenAiDialect | None = None,
) -> HttpLanguageModel:
    """A model behind an OpenAI-compatible server. Raises SettingError for an unusable address or timeout."""
    client = JsonClient(address, key=key, timeout_s=timeout_s)
    return HttpLanguageModel(model=model, dialect=dialect or OpenAiDialect(), client=client, spend=spend)

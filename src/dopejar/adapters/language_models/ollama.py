"""Models that Ollama serves, usually on this machine.

Takes: the settings of one server. Gives: a `LanguageModel`. Never: pulls a model; one that is not there is an error.
"""

from __future__ import annotations

from dataclasses import dataclass

from dopejar.adapters.language_models.http_language_model import (
    Answer,
    HttpLanguageModel,
    Message,
    count_or_none,
    text_or_empty,
)
from dopejar.adapters.language_models.json_client import JsonClient, ModelApiKey
from dopejar.ports.language_model import Ask, JsonObject, SpendLog, Writing

ADDRESS = "http://127.0.0.1:11434"
_CONTEXT_STEP = 4096  # tokens; in steps, since the server loads the model anew for another size


@dataclass(frozen=True, kw_only=True, slots=True)
class OllamaDialect:
    """`/api/chat` with the schema as `format`."""

    @property
    def path(self) -> str:
        """Below the server's address without `/api`."""
        return "/api/chat"

    def body(self, model: str, messages: tuple[Message, ...], ask: Ask, expected_tokens: int) -> JsonObject:
        """A request that is not streamed, with a context that holds all of it: the server would cut silently else."""
        return _body(model, messages, ask, expected_tokens) | {"format": ask.schema, "stream": False}

    def writing_body(self, model: str, messages: tuple[Message, ...], writing: Writing, expected: int) -> JsonObject:
        """A request for words that are streamed, one JSON object a line."""
        return _body(model, messages, writing, expected) | {"stream": True}

    def piece(self, body: JsonObject) -> Answer | None:
        """A line of a stream has the form of a whole answer; the last one has the counts."""
        return self.answer(body)

    def answer(self, body: JsonObject) -> Answer | None:
        """The message's text; its cost where both counts are reported (a prompt from the cache is not)."""
        message = body.get("message")
        if not isinstance(message, dict):
            return None
        prompt, reply = count_or_none(body.get("prompt_eval_count")), count_or_none(body.get("eval_count"))
        tokens = None if prompt is None or reply is None else prompt + reply
        is_cut = body.get("done_reason") == "length"
        return Answer(text=text_or_empty(message.get("content")), tokens=tokens, is_cut=is_cut)


def _body(model: str, messages: tuple[Message, ...], request: Ask | Writing, expected_tokens: int) -> JsonObject:
    return {
        "model": model,
        "messages": [{"role": message.role, "content": message.text} for message in messages],
        "options": {
            "temperature": request.temperature,
            "num_predict": request.max_tokens,
            "num_ctx": -(-expected_tokens // _CONTEXT_STEP) * _CONTEXT_STEP,
        },
    }


def ollama(
    *, model: str, spend: SpendLog, address: str = ADDRESS, key: ModelApiKey | None = None, timeout_s: float = 60.0
) -> HttpLanguageModel:
    """A model that Ollama serves. Raises SettingError for an unusable address or timeout."""
    client = JsonClient(address, key=key, timeout_s=timeout_s)
    return HttpLanguageModel(model=model, dialect=OllamaDialect(), client=client, spend=spend)

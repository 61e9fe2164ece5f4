"""Language models over HTTP: OpenAI-compatible servers and Ollama.

Takes: the settings of one server. Gives: a `LanguageModel` with a daily cap. Never: more than one repair request, or a
call past the cap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dopejar.adapters.language_models.http_language_model import HttpLanguageModel
    from dopejar.ports.clock import Clock
    from dopejar.ports.store import Store


def make_language_model(
    kind: str,
    *,
    url: str,
    model: str,
    key: str,
    timeout_s: float,
    daily_tokens: int,
    store: Store,
    clock: Clock,
) -> HttpLanguageModel:
    """A model of a kind, `openai` or `ollama`, whose usage is counted in the store. Makes no request yet.

    An empty key means none; an empty address means Ollama on this machine. Raises SettingError.
    """
    from dopejar.adapters.language_models.json_client import ModelApiKey
    from dopejar.adapters.language_models.ollama import ADDRESS, ollama
    from dopejar.adapters.language_models.openai_compatible import dialect_for, openai_compatible
    from dopejar.adapters.language_models.token_usage_log import StoredSpendLog
    from dopejar.errors import SettingError

    if not model:
        raise SettingError("language_model.model is empty. Set it to the name of a model that the server has.")
    spend = StoredSpendLog(store, clock, daily_tokens)
    parsed = ModelApiKey.parse(key)
    if kind == "ollama":
        return ollama(model=model, spend=spend, address=url or ADDRESS, key=parsed, timeout_s=timeout_s)
    if kind != "openai":
        raise SettingError(f"language_model.kind is {kind!r}, which is neither openai nor ollama.")
    if not url:
        raise SettingError("language_model.url is empty. Set it to the server's address up to its version (/v1).")
    return openai_compatible(
        address=url, model=model, spend=spend, key=parsed, timeout_s=timeout_s, dialect=dialect_for(url)
    )

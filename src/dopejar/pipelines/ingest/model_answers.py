"""The answers of a language model to the questions of one run, where one is configured and enabled.

Takes: a model, requests. Gives: valid replies. Never: raises because the model failed, or
goes on asking one that fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dopejar.errors import LanguageModelError, SpendCapError
from dopejar.ports.language_model import Ask, JsonObject, LanguageModel

_MOST_FAILURES: Final = 3  # consecutive failures after which a run asks no more


@dataclass(kw_only=True, slots=True)
class ModelAnswers:
    """Asks the model; no more after three consecutive failures or at the spend cap."""

    model: LanguageModel
    failures: int = 0

    def answer(self, ask: Ask) -> JsonObject:
        """The value of the reply; an empty one where there is none."""
        if self.failures >= _MOST_FAILURES:
            return {}
        try:
            value = self.model.ask(ask).value
        except SpendCapError:
            self.failures = _MOST_FAILURES
            return {}
        except LanguageModelError:
            self.failures += 1
            return {}
        self.failures = 0
        return value

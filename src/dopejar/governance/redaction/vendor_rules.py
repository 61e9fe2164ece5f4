"""Secrets in the formats of vendors, by the rules of a public rule set (gitleaks; see `data/vendor_rules.json`).

Takes: a text and its lower case. Gives: spans. Never: a rule that is compiled before one of its keywords stands in a
text, nor a value less random than its rule demands.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from math import log2
from typing import Final

from dopejar.governance.redaction.cue_words import matches
from dopejar.governance.redaction.token_patterns import SecretSpan

_KIND: Final = "api-key"
_LEAD: Final = r"[\w.-]{0,50}?"  # opens many rules, may match nothing, and would be tried at every character of a text
_FORM_ONLY: Final = re.compile(r"([xX*.#0])\1{7}|EXAMPLE")  # `xoxb-XXXXXXXXXXXX` shows what a token looks like


@dataclass(frozen=True)
class _VendorRule:
    """One rule; a text in lower case without any of the keywords cannot match it."""

    expression: str
    keywords: tuple[str, ...]
    entropy: float
    group: int

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled at its first use."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # a class that begins with a bracket
            return re.compile(self.expression.replace(_LEAD, ""))

    def spans(self, text: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
        """The secrets; group 1 is the secret unless the rule names another group or has none."""
        group = self.group or min(1, self.pattern.groups)
        for match in matches(self.pattern, text, near):
            value = match.group(group)
            if value and entropy(value) >= self.entropy and not _FORM_ONLY.search(value):
                yield (*match.span(group), _KIND)


def vendor_spans(
    text: str, lowered: str, runs: Sequence[tuple[int, str]], near: Sequence[tuple[int, int]]
) -> Iterator[SecretSpan]:
    """Secrets that a rule of the rule set recognises.

    `runs` are what is as long as a token without a space in it, `near` the parts of the text around them.
    """
    tokens = " ".join([run for _, run in runs]).lower()
    named = "\n".join([lowered[start:end] for start, end in near])
    for rule, is_part in _keywords():
        for keyword in rule.keywords:
            if keyword in (tokens if is_part else named):
                yield from rule.spans(text, near)
                break


def entropy(value: str) -> float:
    """Shannon's entropy in bits per character."""
    return -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())


@lru_cache(maxsize=1)
def _rules() -> tuple[_VendorRule, ...]:
    text = files(__package__).joinpath("data/vendor_rules.json").read_text(encoding="utf-8")
    return tuple(
        _VendorRule(row["pattern"], tuple(row["keywords"]), row.get("entropy", 0.0), row.get("group", 0))
        for row in json.loads(text)["rules"]
    )


@lru_cache(maxsize=1)
def _keywords() -> tuple[tuple[_VendorRule, bool], ...]:
    """The rules, and whether the keywords of each are part of its token; else they may stand beside it."""
    return tuple((rule, _LEAD not in rule.expression and not any(map(str.isalpha, rule.keywords))) for rule in _rules())

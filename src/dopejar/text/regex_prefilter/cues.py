"""Cues: named expressions of a data file that share one prefilter.

Takes: expressions by name, then texts. Gives: cues that are tried only on texts that they may match. Never: reads a
file, or holds a user's text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dopejar.text.regex_prefilter.required_literals import alternatives
from dopejar.text.regex_prefilter.rule_filter import EVERY, RegexRule, RulePrefilter

_Name = TypeVar("_Name")


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue, tried only where the prefilter does not rule it out for a text.

    One that `lowers` is matched against the text in lower case, which takes half the time of IGNORECASE.
    """

    rule: RegexRule
    prefilter: RulePrefilter
    lowers: bool = False
    ignores_case: bool = False

    def is_in(self, text: str) -> bool:
        """Whether the cue occurs in the text."""
        marks = self._marks(text)
        return bool(marks & self.rule.hints) and self.rule.is_in(text.lower() if self.lowers else text, marks)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match of the cue in the text."""
        marks = self._marks(text)
        return self.rule.first(text.lower() if self.lowers else text, marks) if marks & self.rule.hints else None

    def _marks(self, text: str) -> int:
        # beyond ASCII, IGNORECASE matches more than lower case does: then every cue is tried
        return EVERY if self.ignores_case and not text.isascii() else self.prefilter.marks(text)


def compile_cues(sources: Mapping[_Name, Sequence[str]], *, is_folded: bool = False) -> dict[_Name, Cue]:
    """Compile cues from their expressions. Case counts only for `[A-Z`, and not at all where texts are folded."""
    split = {name: [branch for part in parts for branch in alternatives(part)] for name, parts in sources.items()}
    prefilter = RulePrefilter((branch for branches in split.values() for branch in branches), lower=not is_folded)
    compiled = {}
    for name, branches in split.items():
        is_cased = not is_folded and any("[A-Z" in branch for branch in branches)
        flags = re.MULTILINE if is_folded else re.IGNORECASE if is_cased else 0
        rule = prefilter.rule(branches, flags)
        compiled[name] = Cue(rule, prefilter, lowers=not (is_folded or is_cased), ignores_case=is_cased)
    return compiled

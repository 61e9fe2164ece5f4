"""Where a wish holds: project, then language, then universal, at word boundaries.

Takes: a text, the project at hand. Gives: `universal`, `language:x` or `project:x`. Never: takes "important" for Python
or "changes" for Go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from dopejar.pipelines.corrections.cues import Cues, data_table
from dopejar.text.code_languages import code_languages
from dopejar.text.normalise import fold
from dopejar.values.scope import UNIVERSAL, Scope


@lru_cache(maxsize=1)
def _cues() -> Cues:
    return Cues("scopes", data_table("scopes"))


def languages_of(text: str) -> tuple[str, ...]:
    """The languages a wish is about: programming languages, and those of files such as Markdown."""
    folded = fold(text)
    files = [name for name, cue in _cues().names("languages").items() if cue.is_in(folded)]
    return tuple(dict.fromkeys((*code_languages(text), *files)))


def scope_of(text: str, project: str | None, *, one_off: bool = False, declared: str = "") -> Scope:
    """Where a wish holds.

    A one-off correction holds in the project where that is known. Words that say "everywhere" come first; then a sign
    of the project, one language, the universal words. What shows none of them holds in the project where it is known,
    else everywhere. `declared` is the scope of a known family of wishes.
    """
    here = Scope.project(project) if project else UNIVERSAL
    folded = fold(text)
    if one_off:
        return here
    if _cues().has("scope", "everywhere", folded):
        return UNIVERSAL
    if project and (_cues().has("scope", "project", folded) or _names(project, folded)):
        return here
    spoken = languages_of(text)
    if len(spoken) == 1:
        return Scope.language(spoken[0])
    if declared == "universal" or _cues().has("scope", "universal", folded):
        return UNIVERSAL
    return here


def _names(project: str, folded: str) -> bool:
    label = fold(project.rstrip("/").rsplit("/", 1)[-1].removesuffix(".git"))
    return len(label) > 2 and re.search(rf"(?<!\w){re.escape(label)}(?!\w)", folded) is not None


def scope_signs(text: str) -> Mapping[str, bool]:
    """Which signs of a scope the text shows, for explanations."""
    folded = fold(text)
    return {name: cue.is_in(folded) for name, cue in _cues().names("scope").items()}

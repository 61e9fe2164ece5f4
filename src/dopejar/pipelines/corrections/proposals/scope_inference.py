"""Scope inference: whether a wish holds in a project, for a language, or everywhere.

Takes: a text, the project. Gives: `universal`, `language:x` or `project:x`, by cues at word boundaries. Never: takes
"important" for Python or "changes" for Go.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

from dopejar.pipelines.corrections.correction_cues import CorrectionCues, data_table
from dopejar.text.code_languages import code_languages
from dopejar.text.normalisation import fold
from dopejar.values.scope import UNIVERSAL, Scope


@lru_cache(maxsize=1)
def _cues() -> CorrectionCues:
    return CorrectionCues("scopes", data_table("scopes"))


def languages_of(text: str) -> tuple[str, ...]:
    """The languages a wish is about: programming languages, and those of files such as Markdown."""
    folded = fold(text)
    files = [name for name, cue in _cues().names("languages").items() if cue.is_in(folded)]
    return tuple(dict.fromkeys((*code_languages(text), *files)))


def scope_of(
    text: str, project: str | None, *, one_off: bool = False, languages: Collection[str] | None = None
) -> Scope:
    """The scope of a wish. `languages` are those of the project, None where they are not known.

    A one-off correction holds in the project where that is known. Words for "everywhere" decide first; then a cue of
    the project, a single language, the universal cues. Without any cue it is the project where that is known, else
    everywhere. A language that the project is not read in would hide the wish where it was said: it is the project's.
    """
    here = Scope.project(project) if project else UNIVERSAL
    folded = fold(text)
    if one_off:
        return here
    if _cues().has("scope", "everywhere", folded):
        return UNIVERSAL
    if project and (_cues().has("scope", "project", folded) or _mentions_project(project, folded)):
        return here
    spoken = languages_of(text)
    if len(spoken) == 1:
        return Scope.language(spoken[0]) if languages is None or spoken[0] in languages else here
    if _cues().has("scope", "universal", folded):
        return UNIVERSAL
    return here


def _mentions_project(project: str, folded: str) -> bool:
    label = fold(project.rstrip("/").rsplit("/", 1)[-1].removesuffix(".git"))
    return len(label) > 2 and re.search(rf"(?<!\w){re.escape(label)}(?!\w)", folded) is not None


def scope_signs(text: str) -> Mapping[str, bool]:
    """Which cues of a scope the text has, for explanations."""
    folded = fold(text)
    return {name: cue.is_in(folded) for name, cue in _cues().names("scope").items()}


def tells_only_scope(sentence: str) -> bool:
    """Whether a sentence says where the wish before it holds, and nothing else: "goes for every repo"."""
    return _cues().has("scope", "alone", fold(sentence))

"""What may be persisted at all, by the settings' word.

Takes: settings' values and origins. Gives: yes or no. Never: guesses consent that was not given.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from dopejar.errors import ConsentError, SettingError
from dopejar.values.episode import EpisodeKind, Origin

ALL_ORIGINS: Final = frozenset(Origin)
ALL_KINDS: Final = frozenset(EpisodeKind)


@dataclass(frozen=True, kw_only=True, slots=True)
class Consent:
    """Whose words, and which kinds of episodes, may be kept. `is_given` false: nothing at all."""

    is_given: bool = True
    origins: frozenset[Origin] = field(default=ALL_ORIGINS)
    kinds: frozenset[EpisodeKind] = field(default=ALL_KINDS)


NO_CONSENT: Final = Consent(is_given=False, origins=frozenset(), kinds=frozenset())


def may_append(origin: Origin, consent: Consent, kind: EpisodeKind | None = None) -> bool:
    """Whether an episode of this origin, and of this kind where one is given, may be persisted."""
    return consent.is_given and origin in consent.origins and (kind is None or kind in consent.kinds)


def require_append(origin: Origin, consent: Consent, kind: EpisodeKind | None = None) -> None:
    """Raises ConsentError, naming the setting, where such an episode may not be persisted."""
    if may_append(origin, consent, kind):
        return
    what = "anything" if not consent.is_given else f"words of origin {origin}"
    if consent.is_given and origin in consent.origins:
        what = f"episodes of kind {kind}"
    raise ConsentError(f"Keeping {what} was not consented to. Change `consent` in the settings to allow it.")


def consent_from(
    *, is_given: bool, origins: Iterable[str] | None = None, kinds: Iterable[str] | None = None
) -> Consent:
    """The consent that settings describe; None means all. Raises SettingError for a word that is no origin or kind."""
    return Consent(
        is_given=is_given,
        origins=ALL_ORIGINS if origins is None else frozenset(_origin(name) for name in origins),
        kinds=ALL_KINDS if kinds is None else frozenset(_kind(name) for name in kinds),
    )


def _origin(name: str) -> Origin:
    try:
        return Origin(name)
    except ValueError as cause:
        takes = ", ".join(Origin)
        raise SettingError(f"`consent.origins` takes {takes}, not {name!r}.") from cause


def _kind(name: str) -> EpisodeKind:
    try:
        return EpisodeKind(name)
    except ValueError as cause:
        takes = ", ".join(EpisodeKind)
        raise SettingError(f"`consent.kinds` takes {takes}, not {name!r}.") from cause

"""Consent: what the settings let be kept."""

from __future__ import annotations

import pytest

from dopejar.errors import ConsentError, SettingError
from dopejar.governance.policy.consent import NO_CONSENT, Consent, consent_from, may_append, require_append
from dopejar.values.episode import EpisodeKind, Origin


@pytest.mark.parametrize("origin", list(Origin))
@pytest.mark.parametrize("kind", list(EpisodeKind))
def test_all_or_nothing(origin, kind):
    """Full consent admits everything, no consent nothing."""
    assert may_append(origin, Consent(), kind)
    assert not may_append(origin, NO_CONSENT, kind)
    assert not may_append(origin, consent_from(is_given=False), kind)


def test_only_what_is_named():
    """Named origins and kinds are admitted, both must agree."""
    some = consent_from(is_given=True, origins=["user"], kinds=["turn"])
    assert may_append(Origin.USER, some)
    assert may_append(Origin.USER, some, EpisodeKind.TURN)
    assert not may_append(Origin.USER, some, EpisodeKind.FILE)
    assert not may_append(Origin.FETCHED, some, EpisodeKind.TURN)


@pytest.mark.parametrize(
    ("consent", "origin", "kind", "part"),
    [
        (NO_CONSENT, Origin.USER, None, "anything"),
        (Consent(origins=frozenset()), Origin.FETCHED, None, "words of origin fetched"),
        (Consent(kinds=frozenset()), Origin.USER, EpisodeKind.FILE, "episodes of kind file"),
    ],
)
def test_refusals_name_the_setting(consent, origin, kind, part):
    """What may not be kept is refused with the setting that would allow it."""
    with pytest.raises(ConsentError, match=f"Keeping {part} .* Change `consent`"):
        require_append(origin, consent, kind)


def test_what_is_consented_to_passes():
    """With consent nothing is raised."""
    assert require_append(Origin.USER, Consent()) is None


@pytest.mark.parametrize(("words", "part"), [({"origins": ["robot"]}, "origins"), ({"kinds": ["dream"]}, "kinds")])
def test_unknown_words_are_setting_errors(words, part):
    """A word that is no origin or kind is named with what the key takes."""
    with pytest.raises(SettingError, match=f"`consent.{part}` takes .*user|turn"):
        consent_from(is_given=True, **words)

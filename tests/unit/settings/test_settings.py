"""Settings: defaults, file, environment, and clear refusals."""

import pytest

from dopejar.errors import SettingError
from dopejar.settings import SETTINGS, check, read_settings, write_setting


def test_defaults_are_valid(tmp_path):
    """Every default is a value that its own setting would accept."""
    for setting in SETTINGS:
        assert check(setting.key, setting.default) == setting.default
    assert read_settings(tmp_path, {}).number("recall.budget") == 1024


def test_the_environment_wins_over_the_file(tmp_path):
    """config.yaml overrides the default, a variable overrides the file, and the source is told."""
    (tmp_path / "config.yaml").write_text("recall:\n  budget: 2000\n  mode: lexical\n")
    found = read_settings(tmp_path, {"DOPEJAR_RECALL_BUDGET": "300"})
    assert (found.number("recall.budget"), found.text("recall.mode")) == (300, "lexical")
    assert (found.sources["recall.budget"], found.sources["recall.mode"]) == ("DOPEJAR_RECALL_BUDGET", "config.yaml")


@pytest.mark.parametrize(
    ("key", "raw", "says"),
    [
        ("recall.bugdet", "1", "Did you mean recall.budget"),
        ("nothing.like.it", "1", "config list"),
        ("recall.budget", "many", "whole number"),
        ("recall.budget", "1.5", "whole number"),
        ("recall.budget", "-1", "from 16"),
        ("recall.budget", "nan", "whole number"),
        ("recall.mode", "fast", "auto or lexical or hybrid"),
        ("redaction.enabled", "maybe", "true or false"),
        ("consent.persist", "user,aliens", "aliens"),
        ("language_model.timeout_s", "0", "from 0.1"),
    ],
)
def test_impossible_values_are_named(key, raw, says):
    """A wrong setting says which key, and what it takes."""
    with pytest.raises(SettingError, match=says):
        check(key, raw)


@pytest.mark.parametrize("text", ["- a\n- b\n", "recall: [", "recall:\n  budget: {a: 1}\n", "\x00"])
def test_a_broken_file_is_refused(tmp_path, text):
    """A configuration file that cannot be read is one clear error."""
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(SettingError):
        read_settings(tmp_path, {})


def test_writing_keeps_the_rest(tmp_path):
    """Setting one key keeps the others, and a refused value changes nothing."""
    write_setting(tmp_path, "recall.budget", "500")
    write_setting(tmp_path, "consent.persist", "user assistant")
    with pytest.raises(SettingError):
        write_setting(tmp_path, "recall.budget", "lots")
    found = read_settings(tmp_path, {})
    assert found.number("recall.budget") == 500
    assert {origin.value for origin in found.origins()} == {"user", "assistant"}
    assert (tmp_path / "config.yaml").stat().st_mode & 0o777 == 0o600


def test_a_block_under_the_name_procedural_memory_is_taken_as_it_is(tmp_path):
    """The block that such memories are set up with is read: staging, classifier, a model of null, flat or nested."""
    block = """
procedural_memory:
  staging: {enabled: true, auto_assign: true, auto_assign_threshold: 0.85, manual_review_threshold: 0.7}
  classifier: {model: null, temperature: 0.3, prompt_template: default}
procedural_memory.staging.max_staging_age_days: 14
"""
    (tmp_path / "config.yaml").write_text(block, "utf-8")
    found = read_settings(tmp_path, {})
    assert found.flag("procedural.staging.auto_assign")
    assert found.real("procedural.staging.auto_assign_threshold") == 0.85
    assert found.number("procedural.staging.max_staging_age_days") == 14
    assert found.text("procedural.classifier.model") == ""

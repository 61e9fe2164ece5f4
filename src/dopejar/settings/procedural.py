"""The options of procedural memory, from the settings.

Takes: settings in force. Gives: the options as values. Never: accepts a prompt without a place for the bullet.
"""

from __future__ import annotations

from pathlib import Path

from dopejar.errors import SettingError
from dopejar.pipelines.procedural.procedural_options import ProceduralOptions
from dopejar.settings import Settings


def procedural_options(settings: Settings) -> ProceduralOptions:
    """The options of procedural memory. Raises SettingError where the file of the prompt cannot be used."""
    staging, classifier = "procedural.staging", "procedural.classifier"
    return ProceduralOptions(
        staging_enabled=settings.flag(f"{staging}.enabled"),
        auto_assign=settings.flag(f"{staging}.auto_assign"),
        auto_assign_threshold=settings.real(f"{staging}.auto_assign_threshold"),
        manual_review_threshold=settings.real(f"{staging}.manual_review_threshold"),
        max_staging_age_days=settings.number(f"{staging}.max_staging_age_days"),
        ask_for_insights=settings.flag("procedural.reflector.refine"),
        classifier_model=settings.text(f"{classifier}.model"),
        classifier_temperature=settings.real(f"{classifier}.temperature"),
        classifier_prompt=_prompt(settings, settings.text(f"{classifier}.prompt_template")),
    )


def _prompt(settings: Settings, name: str) -> str:
    if name in ("", "default"):
        return "default"
    path = Path(name).expanduser()
    path = path if path.is_absolute() else settings.home / path
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingError(_without_it(f"{path} cannot be read ({fault})")) from fault
    if "$bullet" not in text:
        raise SettingError(_without_it(f"{path} needs `$bullet` where the bullet goes"))
    return text


def _without_it(fault: str) -> str:
    """What is wrong with the prompt, and how to go on: the shipped one is in force without anybody's word."""
    return (
        f"procedural.classifier.prompt_template: {fault}. Mend the file, or remove the setting from config.yaml "
        "and the environment to use the shipped prompt."
    )

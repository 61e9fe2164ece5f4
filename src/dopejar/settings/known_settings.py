"""Every setting that there is: its default, what it takes, what it means, and which change of it tightens.

Takes: nothing. Gives: the table. Never: a value that somebody configured.
"""

from __future__ import annotations

from typing import NamedTuple

from dopejar.settings.tighter_values import (
    EMPTY,
    FEWER,
    HIGHER,
    LOWER,
    NONE,
    NOTHING,
    OFF,
    ON,
    SHIPPED,
    Tightening,
)
from dopejar.values.accepted_settings import SettingValue

Value = SettingValue


class Setting(NamedTuple):
    """One setting. `choices` lists what a text may be; `least` and `most` bound a number.

    With a `tightening` it is governed: any other change takes effect when a reviewer has accepted it.
    """

    key: str
    default: Value
    meaning: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    tightening: Tightening | None = None

    @property
    def variable(self) -> str:
        """The environment variable that overrides it."""
        return "DOPEJAR_" + self.key.upper().replace(".", "_")


_ORIGINS = ("user", "other", "tool", "assistant", "fetched", "system")

SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="consent.persist",
        default=_ORIGINS,
        tightening=FEWER,
        choices=_ORIGINS,
        meaning="speakers whose turns may be stored as episodes; other turns are refused and counted, never stored",
    ),
    Setting(
        key="redaction.enabled",
        default=True,
        tightening=ON,
        meaning="replace secrets and private spans before anything is stored; use false at your own risk",
    ),
    Setting(
        key="policy.file",
        default="",
        tightening=NOTHING,
        meaning="a file with your own rules, merged over the shipped policy; empty for the shipped policy only",
    ),
    Setting(key="recall.budget", default=1024, least=16, most=200_000, meaning="default token budget of a recall"),
    Setting(
        key="recall.mode",
        default="auto",
        choices=("auto", "lexical", "hybrid"),
        meaning="auto uses vectors if a model is installed; lexical never loads a model",
    ),
    Setting(
        key="recall.note_use",
        default=True,
        tightening=ON,
        meaning="count uses, and record what recall returned, so that it is not learned again",
    ),
    Setting(
        key="embedder.kind",
        default="auto",
        choices=("auto", "minilm", "mpnet", "hashed", "none"),
        meaning="auto uses MiniLM if it is installed, and no vectors otherwise; mpnet is slower and needs MiniLM"
        " beside it, which reads; after a change run `dopejar models reembed`",
    ),
    Setting(key="learn.batch", default=256, least=1, most=5000, meaning="turns per transaction of `learn`"),
    Setting(
        key="ingest.taxonomy",
        default="",
        meaning="a file with your own value families; empty for taxonomy.toml in the data directory, if it exists",
    ),
    Setting(
        key="ingest.refine",
        default=False,
        tightening=OFF,
        meaning="let the configured language model suggest statements; each is checked and passes the write gate",
    ),
    Setting(
        key="ingest.second_opinion",
        default=False,
        tightening=OFF,
        meaning="let the configured language model compare statements where the reader is unsure; it retires nothing",
    ),
    Setting(
        key="ingest.model_names",
        default=False,
        tightening=OFF,
        meaning="let the configured language model name, in words of the text, what it is about; only keys show that",
    ),
    Setting(
        key="ingest.test_words",
        default=(),
        tightening=FEWER,
        meaning="words that select the test namespace: as a tag, in a source name, or in brackets before a text",
    ),
    Setting(
        key="ingest.ephemeral_words",
        default=(),
        tightening=FEWER,
        meaning="words that select the ephemeral namespace, in the same three ways",
    ),
    Setting(
        key="ingest.ephemeral_hours",
        default=24,
        tightening=HIGHER,
        least=1,
        most=8760,
        meaning="hours after which an ephemeral memory is no longer recalled; `maintain` then deprecates it",
    ),
    Setting(
        key="review.max_age_days",
        default=30,
        least=1,
        most=3650,
        tightening=HIGHER,
        meaning="days after which a waiting proposal expires",
    ),
    Setting(
        key="corrections.refine",
        default=False,
        tightening=OFF,
        meaning="let the configured language model shorten the wording of proposed corrections; it never decides",
    ),
    Setting(
        key="session.idle_minutes",
        default=30,
        least=1,
        most=10_080,
        meaning="minutes without a turn after which a live conversation counts as ended",
    ),
    Setting(
        key="procedural.staging.enabled",
        default=True,
        tightening=ON,
        meaning="bullets wait for a reviewer; false assigns those that are classified confidently, and stages the rest",
    ),
    Setting(
        key="procedural.staging.auto_assign",
        default=False,
        tightening=OFF,
        meaning="assign a staged bullet automatically if the classifier is confident enough; recorded as auto",
    ),
    Setting(
        key="procedural.staging.auto_assign_threshold",
        tightening=HIGHER,
        default=0.8,
        least=0.5,
        most=1,
        meaning="minimum confidence for automatic assignment of a bullet",
    ),
    Setting(
        key="procedural.staging.manual_review_threshold",
        tightening=HIGHER,
        default=0.6,
        least=0,
        most=1,
        meaning="confidence below which a staged bullet has the highest review priority",
    ),
    Setting(
        key="procedural.staging.max_staging_age_days",
        tightening=HIGHER,
        default=30,
        least=1,
        most=3650,
        meaning="days after which a staged bullet expires",
    ),
    Setting(
        key="procedural.reflector.refine",
        default=False,
        tightening=OFF,
        meaning="let the configured language model add lessons that a turn states; each is checked by the write gate",
    ),
    Setting(
        key="procedural.classifier.model",
        default="",
        tightening=EMPTY,
        meaning="the configured language model, for a second opinion on the side of a bullet; empty for none",
    ),
    Setting(
        key="procedural.classifier.temperature",
        default=0.3,
        least=0,
        most=2,
        meaning="temperature of the second opinion",
    ),
    Setting(
        key="procedural.classifier.prompt_template",
        default="default",
        tightening=SHIPPED,
        meaning="default, or a file with your own prompt, which must contain `$bullet`",
    ),
    Setting(
        key="maintenance.budget_ms",
        default=50,
        least=0,
        most=10_000,
        meaning="milliseconds that a writing command may spend on pending housekeeping",
    ),
    Setting(
        key="language_model.kind",
        default="none",
        tightening=NONE,
        choices=("none", "openai", "ollama"),
        meaning="a language model that refines wordings and never decides",
    ),
    Setting(
        key="language_model.url",
        default="",
        tightening=NOTHING,
        meaning="the address of the language model, for example a local server",
    ),
    Setting(
        key="language_model.model",
        default="",
        tightening=NOTHING,
        meaning="the name of the language model; a server may pass some of its models' requests on to other machines",
    ),
    Setting(
        key="language_model.key_variable",
        default="DOPEJAR_LANGUAGE_MODEL_KEY",
        tightening=NOTHING,
        meaning="the environment variable that holds the API key; the key itself is never stored",
    ),
    Setting(
        key="language_model.timeout_s", default=5.0, least=0.1, most=600.0, meaning="timeout of one request, in seconds"
    ),
    Setting(
        key="language_model.daily_tokens",
        default=50_000,
        tightening=LOWER,
        least=0,
        most=1_000_000_000,
        meaning="hard limit of tokens per day, across all processes",
    ),
)

"""The error tree of DoPeJar.

Takes: nothing. Gives: exceptions, each of which says what is wrong and what to do next. Never: imports a room.

    DopejarError
    |-- UsageError                 the request is invalid
    |   |-- InputError             a text, file or value that cannot be read
    |   `-- SettingError           a setting with an unknown key or an impossible value
    |-- NotFoundError              an id, file or name that is not there
    |   `-- AmbiguousIdError       a shortened id that fits several things
    |-- RefusedError               the write gate, consent or a tombstone refused
    |   |-- ReviewerRequiredError  a decision without a reviewer's credential
    |   `-- ConsentError           consent to storing is missing
    |-- StaleProposalError         the memory changed since the proposal was judged
    |-- IllegalMoveError           a lifecycle move that the table does not have
    |-- StoreError                 the data file
    |   |-- StoreBusyError         another process held the writer lock too long
    |   |-- StoreFullError         the disk is full
    |   |-- StoreReadOnlyError     the directory or file cannot be written
    |   |-- StoreDamagedError      the file is damaged or no database
    |   |-- SchemaTooNewError      a newer version wrote the file
    |   `-- LedgerBrokenError      the hash chain does not verify
    |-- EmbedderError              the embedder or its weights
    |   |-- WeightsMissingError    no weights are installed
    |   |-- WeightsDamagedError    weights whose hash is wrong
    |   `-- EmbedderMismatchError  vectors of another embedder
    |-- LanguageModelError         the configured language model
    |   |-- ModelTimeoutError      it took too long
    |   |-- ModelReplyError        its reply was not valid after one repair
    |   `-- SpendCapError          the daily cap is reached
    `-- UnsupportedError           an adapter declares that it lacks this
"""

from __future__ import annotations


class DopejarError(Exception):
    """The base of all errors; the message says what is wrong and what to do next."""

    exit_code: int = 1


class UsageError(DopejarError):
    """The request is invalid; correct it and try again."""

    exit_code = 2


class InputError(UsageError):
    """A text, file or value cannot be read; the message names it and says how to correct it."""


class SettingError(UsageError):
    """A setting has an unknown key or an impossible value; the message names the key and the values it takes."""


class NotFoundError(DopejarError):
    """Nothing has this id or name; list what exists and try again."""

    exit_code = 5


class AmbiguousIdError(NotFoundError):
    """A shortened id fits several things; give more of its characters."""


class RefusedError(DopejarError):
    """A rule refuses the change; the message names the rule."""

    exit_code = 3


class ReviewerRequiredError(RefusedError):
    """This decision needs a reviewer; add one with `dopejar reviewer add` or give the credential."""


class ConsentError(RefusedError):
    """Consent to storing this kind of content is missing; change `consent.persist` in the settings to allow it."""


class StaleProposalError(DopejarError):
    """The records that the proposal was judged against have changed; read and judge again."""


class IllegalMoveError(DopejarError):
    """The lifecycle table has no such move; the message names both states."""


class StoreError(DopejarError):
    """The data file cannot be used; the message says why."""


class StoreBusyError(StoreError):
    """Another process held the writer lock for too long; try again when it has finished."""


class StoreFullError(StoreError):
    """The disk is full; free some space and try again. Nothing was written in part."""


class StoreReadOnlyError(StoreError):
    """The data directory cannot be written; recall still works, writing needs permission."""


class StoreDamagedError(StoreError):
    """The data file is not an intact database; run `dopejar doctor`, or restore a backup."""


class SchemaTooNewError(StoreError):
    """A newer DoPeJar wrote the data file; upgrade this program."""


class LedgerBrokenError(StoreError):
    """The ledger's hash chain does not verify; the message names the first broken entry."""


class EmbedderError(DopejarError):
    """The embedder cannot be used; the message says why."""


class WeightsMissingError(EmbedderError):
    """No model weights are installed; run `dopejar models install`."""


class WeightsDamagedError(EmbedderError):
    """The model weights do not have the expected hash; install them again."""


class EmbedderMismatchError(EmbedderError):
    """Vectors of two embedders cannot be compared; run `dopejar models reembed`."""


class LanguageModelError(DopejarError):
    """The configured language model failed; the result without it is used."""


class ModelTimeoutError(LanguageModelError):
    """The language model did not answer in time; try again, or raise its timeout in the settings."""


class ModelReplyError(LanguageModelError):
    """The language model's reply was invalid, also after one repair; try again, or choose another model."""


class SpendCapError(LanguageModelError):
    """The daily cap on language-model use is reached; it resets at midnight UTC."""


class UnsupportedError(DopejarError):
    """The adapter declares that it lacks this operation; use another adapter or another operation."""

"""The whole error tree of DoPeJar.

Takes: nothing. Gives: exceptions, each saying what is wrong and what to do next. Never: imports a room.

    DopejarError
    |-- UsageError                 the caller asked for something that cannot be meant
    |   |-- InputError             a text, file or value that cannot be read
    |   `-- SettingError           a setting with an unknown key or an impossible value
    |-- NotFoundError              an id, file or name that is not there
    |   `-- AmbiguousIdError       a shortened id that fits several things
    |-- RefusedError               the write gate, consent or the tombstones said no
    |   |-- ReviewerRequiredError  a decision without a reviewer's credential
    |   `-- ConsentError           persisting was not consented to
    |-- StaleProposalError         the memory moved since the proposal was judged
    |-- IllegalMoveError           a lifecycle move that the table does not have
    |-- StoreError                 the data file
    |   |-- StoreBusyError         another process held the writer's place too long
    |   |-- StoreFullError         the disk is full
    |   |-- StoreReadOnlyError     the directory or file cannot be written
    |   |-- StoreDamagedError      the file is no intact database
    |   |-- SchemaTooNewError      the file was written by a newer version
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
    """Something went wrong; the message says what, and what to do next."""

    exit_code: int = 1


class UsageError(DopejarError):
    """The request cannot be meant as it stands; correct it and ask again."""

    exit_code = 2


class InputError(UsageError):
    """A text, file or value cannot be read; the message names it and says how to mend it."""


class SettingError(UsageError):
    """A setting has an unknown key or an impossible value; the message names the key and what it takes."""


class NotFoundError(DopejarError):
    """Nothing has this id or name; list what there is and ask again."""

    exit_code = 5


class AmbiguousIdError(NotFoundError):
    """A shortened id fits several things; give more of its characters."""


class RefusedError(DopejarError):
    """A rule said no; the message names the rule."""

    exit_code = 3


class ReviewerRequiredError(RefusedError):
    """This decision needs a reviewer; add one with `dopejar reviewer add` or give the credential."""


class ConsentError(RefusedError):
    """Persisting this kind of content was not consented to; change `consent` in the settings to allow it."""


class StaleProposalError(DopejarError):
    """What the proposal was judged against has changed; read again and judge anew."""


class IllegalMoveError(DopejarError):
    """The lifecycle table has no such move; the message names both states."""


class StoreError(DopejarError):
    """The data file could not be used; the message says why."""


class StoreBusyError(StoreError):
    """Another process kept the writer's place for too long; try again when it is done."""


class StoreFullError(StoreError):
    """The disk is full; make room and try again. Nothing was half-written."""


class StoreReadOnlyError(StoreError):
    """The data directory cannot be written; recall still works, writing needs permission."""


class StoreDamagedError(StoreError):
    """The data file is not an intact database; run `dopejar doctor`, or restore a backup."""


class SchemaTooNewError(StoreError):
    """The data file was written by a newer DoPeJar; upgrade this program."""


class LedgerBrokenError(StoreError):
    """The ledger's hash chain does not verify; the message names the first broken entry."""


class EmbedderError(DopejarError):
    """The embedder could not be used."""


class WeightsMissingError(EmbedderError):
    """No model weights are installed; run `dopejar models install`."""


class WeightsDamagedError(EmbedderError):
    """The model weights do not have the expected hash; install them again."""


class EmbedderMismatchError(EmbedderError):
    """Vectors of two embedders cannot be compared; run `dopejar models reembed`."""


class LanguageModelError(DopejarError):
    """The configured language model could not help; the result without it stands."""


class ModelTimeoutError(LanguageModelError):
    """The language model did not answer in time."""


class ModelReplyError(LanguageModelError):
    """The language model's reply was not valid, also after one repair."""


class SpendCapError(LanguageModelError):
    """The daily cap on language-model use is reached; it resets at midnight UTC."""


class UnsupportedError(DopejarError):
    """This adapter declares that it lacks the operation."""

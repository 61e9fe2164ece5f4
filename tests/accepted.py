"""Settings that a reviewer accepted, for tests that need a governed one.

Takes: a data directory and variables. Gives: the same variables, accepted. Never: a reviewer who stays unlocked.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path

from dopejar import open_memory

WORDS = "-".join(("a", "clerk", "of", "settings"))


def accepted(home: Path | str, environment: Mapping[str, str]) -> Mapping[str, str]:
    """The variables, once a reviewer of that store accepted what they change."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with open_memory(home, environment=environment) as memory:
            if memory.settings.differences:
                if not memory.reviewers.names():
                    memory.reviewers.add("clerk", WORDS)
                memory.settings.accept(memory.reviewers.unlock(WORDS))
    return environment

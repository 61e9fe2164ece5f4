"""`ProceduralMemory`: the verbs of bullets.

Takes: insights, outcomes and decisions of hosts and doors. Gives: bullets as they end up. Never: a rule of its own; each
verb reads, thinks, judges and commits in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from dopejar.engine import proving
from dopejar.engine.deciding import find_conversation, find_record
from dopejar.engine.judging import Judged, carry_out
from dopejar.engine.memory import Memory
from dopejar.engine.parts import Parts, Reviewer, Speaker
from dopejar.engine.placing import Bench, Staging, assign, place, reviewers_voice, suggest, voice
from dopejar.engine.reading import digests_of, searching_embedder
from dopejar.engine.remembering import bullet_episode, kept_in
from dopejar.engine.reviewing import reject
from dopejar.errors import InputError, NotFoundError, RefusedError, ReviewerRequiredError

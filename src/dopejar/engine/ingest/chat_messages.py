"""Messages of a chat, as programs that call language models hold them: dictionaries with a role and a content.

Takes: a list of messages. Gives: their turns, kept and learned from. Never: takes a message for the user's whose role
does not say so, or drops a content without counting it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.ingest.conversation_import import learn_kept_conversation
from dopejar.engine.ingest.given_readings import require_kept_reading
from dopejar.engine.ingest.live_turns import Observation, observe_all
from dopejar.engine.results import Learned
from dopejar.errors import InputError
from dopejar.memory.commit import secret_of
from dopejar.memory.tombstones import keyed_digest
from dopejar.values.episode import EpisodeKind, Origin
from dopejar.values.host_values import parse_aware
from dopejar.values.ids import TraceId, new_act_id
from dopejar.values.reading import Reading, reading_given
from dopejar.values.scope import Project
from dopejar.values.transcript import LiveTurn, ReadReport

FORMAT: Final = "messages"
_ORIGINS: Final = {
    "user": Origin.USER,
    "assistant": Origin.ASSISTANT,
    "tool": Origin.TOOL,
    "function": Origin.TOOL,
    "system": Origin.SYSTEM,
    "developer": Origin.SYSTEM,
}
_CHANGED: Final = "other words under an id that is known"
_NO_TEXT: Final = "no text"  # as the reason for what is left out


def add_messages(
    deps: Dependencies,
    messages: Sequence[Mapping[str, object]],
    conversation: str,
    trace_id: TraceId,
    *,
    project: Project | None = None,
) -> Learned:
    """Keep the messages as turns of a conversation, in one transaction, and learn from those that are new.

    Raises:
        InputError: a message is none; nothing was kept. RefusedError, StoreError.
    """
    left_out: Counter[str] = Counter()
    texts = [_text_of(message, place, left_out) for place, message in enumerate(messages, 1)]
    with deps.store.write() as tx:
        secret = secret_of(tx)  # ids outlive an erasure: without the secret they tell no words
    name = conversation or f"messages {keyed_digest(secret, FORMAT, repr(texts))[:16]}"
    digests = _Digests(secret=secret)
    turns = [_turn(message, text, name, digests) for message, text in zip(messages, texts, strict=True) if text]
    if not turns:
        return Learned(path=name, act_id=new_act_id(), report=ReadReport(format=FORMAT), left_out=left_out)
    readings = _readings(deps, messages, texts)
    observed = observe_all(deps, turns, trace_id, project=project)
    with deps.store.read() as view:
        row = view.conversation(observed[0].conversation)
    outcomes = Counter(one.outcome for one in observed)
    left_out[_CHANGED] += sum(one.is_changed for one in observed)
    left_out = +left_out
    counts = Learned(
        path=name,
        act_id=new_act_id(),
        report=ReadReport(
            format=FORMAT, turns=len(turns), user_turns=sum(turn.origin is Origin.USER for turn in turns)
        ),
        episodes=outcomes[Observation.KEPT],
        known=outcomes[Observation.KNOWN],
        refused=outcomes[Observation.REFUSED],
        buried=outcomes[Observation.ERASED],
        left_out=left_out,
        redactions=sum((Counter(one.redactions) for one in observed), Counter()),
    )
    if row is None:  # all of it was refused
        return counts
    read = {one.episode_id: reading for one, reading in zip(observed, readings, strict=True) if reading is not None}
    learned = learn_kept_conversation(deps, row, trace_id, read)
    return replace(
        learned,
        path=name,
        episodes=counts.episodes,
        known=counts.known,
        refused=counts.refused,
        buried=counts.buried,
        left_out=Counter(learned.left_out) + left_out,
        redactions=Counter(learned.redactions) + Counter(counts.redactions),
    )


def _readings(
    deps: Dependencies, messages: Sequence[Mapping[str, object]], texts: Sequence[str]
) -> list[Reading | None]:
    """The host's own reading of each message that has a text. Raises InputError where the words do not bear it out."""
    readings = []
    for place, (message, text) in enumerate(zip(messages, texts, strict=True), 1):
        if text:
            readings.append(reading_given(message.get("reading"), f"`reading` of message {place}"))
            require_kept_reading(deps, readings[-1], deps.redact(text)[0])
    return readings


def _text_of(message: Mapping[str, object], place: int, left_out: Counter[str]) -> str:
    """The words of a message: its content, or the text parts of it. Other parts are counted as left out."""
    role, given, at = message.get("role"), message.get("id", ""), message.get("at")
    if not isinstance(role, str) or role not in _ORIGINS:
        raise InputError(f"Message {place} needs a `role`, one of {', '.join(_ORIGINS)}; it has {role!r}.")
    if not isinstance(given, str) or not (at is None or isinstance(at, datetime | str)):
        raise InputError(
            f"Message {place}: `id` is text, and `at` a datetime with a time zone or an ISO text. Both may be left out."
        )
    if isinstance(at, str):
        parse_aware(at, f"`at` of message {place}")
    content = message.get("content")
    parts = content if isinstance(content, list | tuple) else [] if content is None else [content]
    texts = []
    for part in parts:
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            texts.append(text)
        elif isinstance(part, Mapping):
            left_out[f"{part.get('type', 'part')} part"] += 1
        else:
            raise InputError(f"The content of message {place} is text or a list of parts, not {type(part).__name__}.")
    joined = "\n".join(texts).strip()
    if not joined:
        left_out[_NO_TEXT] += 1
    return joined


@dataclass(kw_only=True, slots=True)
class _Digests:
    """Names for messages without an id: the same message gets the same name, its repetition in one list another."""

    secret: bytes
    seen: Counter[str] = field(default_factory=Counter)

    def next(self, words: str) -> str:
        """The name of a message with these words."""
        digest = keyed_digest(self.secret, FORMAT, words)[:24]
        self.seen[digest] += 1
        return f"{digest}-{self.seen[digest]}"


def _turn(message: Mapping[str, object], text: str, name: str, digests: _Digests) -> LiveTurn:
    role, at = str(message["role"]), message.get("at")
    origin = _ORIGINS[role]
    return LiveTurn(
        conversation=name,
        source_id=str(message.get("id") or digests.next(f"{role} {text}")),
        text=text,
        origin=origin,
        at=parse_aware(at, "`at`") if isinstance(at, datetime | str) else None,
        kind=EpisodeKind.TOOL_RESULT if origin is Origin.TOOL else EpisodeKind.TURN,
        speaker=str(message.get("name") or ""),
        format=FORMAT,
    )

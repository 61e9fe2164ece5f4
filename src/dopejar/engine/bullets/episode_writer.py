"""Episodes of what is said to procedural memory.

Takes: the texts of bullets and outcomes. Gives: episodes for evidence. Never: an episode that was not redacted and
consented to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dopejar.engine.dependencies import Dependencies, Speaker
from dopejar.errors import ConsentError
from dopejar.memory.append import AdmittedEpisodes, admit, append
from dopejar.ports.store import WriteTransaction
from dopejar.values.episode import Conversation, Episode, EpisodeKind
from dopejar.values.ids import ActId, TraceId, conversation_id, episode_id
from dopejar.values.scope import Project

SOURCE = "bullets"
"""The source of these conversations: they are not replayed for facts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingEpisodes:
    """Episodes that are admitted and not yet written, with their conversation."""

    conversation: Conversation
    admitted: AdmittedEpisodes

    @property
    def episodes(self) -> tuple[Episode, ...]:
        """The episodes as they will be kept, except for their index."""
        return self.admitted.episodes

    def write(self, tx: WriteTransaction) -> None:
        """Append them at the end of their conversation."""
        if not self.episodes:
            return
        old = tx.conversation(self.conversation.id)
        first = old.imported if old else 0
        placed = tuple(replace(episode, index=first + position) for position, episode in enumerate(self.episodes))
        row = replace(old or self.conversation, imported=first + len(placed))
        append(tx, row, replace(self.admitted, episodes=placed))


def prepare_episodes(
    deps: Dependencies,
    texts: Sequence[str],
    speaker: Speaker,
    act_id: ActId,
    trace_id: TraceId,
    *,
    project: Project | None = None,
    kind: EpisodeKind = EpisodeKind.TURN,
    outcome: str = "",
    session: str = "",
) -> PendingEpisodes:
    """Episodes of these texts, in the conversation of the session, or of the day where no session is named.

    Raises:
        ConsentError: words of this origin are not to be kept.
    """
    now = deps.clock.now()
    name = session or now.date().isoformat()
    conversation = Conversation(
        id=conversation_id(SOURCE, name), source=SOURCE, name=f"{SOURCE} {name}", format=SOURCE, started_at=now
    )
    episodes = [
        Episode(
            id=episode_id(conversation.id, f"{act_id}:{position}"),
            conversation=conversation.id,
            index=position,
            at=now,
            speaker=speaker.name,
            origin=speaker.origin,
            text=text,
            kind=kind,
            outcome=outcome,
            trace_id=trace_id,
            project=project.id if project else "",
            languages=project.languages if project else (),
            source_id=f"{act_id}:{position}",
        )
        for position, text in enumerate(texts)
    ]
    admitted = admit(episodes, deps.redact, deps.may_keep)
    if len(admitted.episodes) < len(episodes):
        raise ConsentError(
            f"Texts of origin {speaker.origin.value} may not be stored."
            " To allow it, change `consent.persist` with `dopejar config set`."
        )
    return PendingEpisodes(conversation=conversation, admitted=admitted)

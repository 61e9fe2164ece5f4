"""What hooks of coding assistants leave in the data directory: transcripts, what sessions were told, what fired when.

Takes: the data directory. Gives: small files in its folder `hooks`, written whole or not at all, without opening the
store. Never: holds words of a conversation.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

_FOLDER = "hooks"
_TRANSCRIPT = ".transcript"
_FIRED = ".fired"
_INJECTED = ".injected"
_OLD_S = 30 * 86400  # a session that has not asked for so long is over
_PRIVATE = 0o700
RUN_VARIABLE = "DOPEJAR_RUN"  # marks what one run of an assistant notes


class NotedTranscript(NamedTuple):
    """A transcript to learn from. `is_over`: its session has ended. `written_at` tells one note from the next."""

    path: Path
    format_name: str
    is_over: bool
    written_at: int = 0
    run: str = ""  # the mark of the run that noted it

    def is_active(self, since: datetime) -> bool:
        """Whether the file was written after this time."""
        try:
            return datetime.fromtimestamp(self.path.stat().st_mtime, UTC) > since
        except OSError:
            return False


def note_transcript(home: Path, path: Path, format_name: str, *, is_over: bool = False, run: str = "") -> None:
    """Note that a transcript is to be learned from: when it is idle, or at once where its session is over.

    `run` is the mark of the run of an assistant that it belongs to, if any.

    Raises:
        OSError: the data directory cannot be written.
    """
    body = json.dumps({"path": str(path), "format": format_name, "is_over": is_over, "run": run})
    _write(_place_of(home, path), body)


def transcripts(home: Path) -> tuple[NotedTranscript, ...]:
    """The transcripts that wait to be learned from, oldest note first."""
    found = []
    for place in (home / _FOLDER).glob(f"*{_TRANSCRIPT}"):
        with suppress(OSError, ValueError, KeyError, TypeError):  # another process dropped it, or it is damaged
            row = json.loads(place.read_text("utf-8"))
            noted = NotedTranscript(
                path=Path(row["path"]),
                format_name=str(row["format"]),
                is_over=bool(row["is_over"]),
                written_at=place.stat().st_mtime_ns,
                run=str(row.get("run", "")),
            )
            found.append(noted)
    return tuple(sorted(found, key=lambda noted: (noted.written_at, noted.path)))


def end_run(home: Path, run: str) -> tuple[NotedTranscript, ...]:
    """Note that the sessions of a run are over: its program has ended, whether or not it said so. They are returned.

    Raises:
        OSError: the data directory cannot be written.
    """
    noted = tuple(row for row in transcripts(home) if row.run == run)
    for row in noted:
        if not row.is_over:
            note_transcript(home, row.path, row.format_name, is_over=True)
    return noted


def drop(home: Path, noted: NotedTranscript) -> None:
    """Forget a note, unless it was written again since it was read."""
    place = _place_of(home, noted.path)
    with suppress(OSError):
        if place.stat().st_mtime_ns == noted.written_at:
            place.unlink()


def note_fired(home: Path, host: str, event: str) -> None:
    """Note that a hook fired now; best effort."""
    with suppress(OSError):
        _write(home / _FOLDER / f"{host}-{event}{_FIRED}", "")


def last_fired(home: Path, host: str) -> Mapping[str, datetime]:
    """When each hook of a host fired last, by event."""
    fired = {}
    for place in (home / _FOLDER).glob(f"{host}-*{_FIRED}"):
        with suppress(OSError):
            event = place.name.removeprefix(f"{host}-").removesuffix(_FIRED)
            fired[event] = datetime.fromtimestamp(place.stat().st_mtime, UTC)
    return fired


def injected(home: Path, session: str) -> dict[str, bool]:
    """Ids of what a session was told and has at hand, each with whether it was answered; none where nobody knows."""
    with suppress(OSError, ValueError, TypeError):
        told = json.loads(_place_of(home, session, _INJECTED).read_text("utf-8"))
        return {str(name): not isinstance(told, dict) or told[name] is True for name in told}
    return {}


def note_injected(home: Path, session: str, ids: Iterable[str]) -> None:
    """Note what a session was told beside what is noted; best effort, for it is told again where this fails."""
    known = injected(home, session)
    if new := [name for name in ids if name not in known]:
        _write_injected(home, session, {**known, **dict.fromkeys(new, False)})


def unanswered(home: Path, session: str) -> tuple[str, ...]:
    """Ids of what a session was told since it answered before."""
    return tuple(name for name, is_answered in injected(home, session).items() if not is_answered)


def note_answered(home: Path, session: str, ids: Iterable[str]) -> None:
    """Note that a session has answered after it was told these; best effort."""
    known = injected(home, session)
    if new := [name for name in ids if known.get(name) is False]:
        _write_injected(home, session, {**known, **dict.fromkeys(new, True)})


def _write_injected(home: Path, session: str, told: Mapping[str, bool]) -> None:
    with suppress(OSError):
        _write(_place_of(home, session, _INJECTED), json.dumps(told))


def forget_injected(home: Path, session: str) -> None:
    """Note that a session has nothing at hand any more; what sessions of long ago were told goes, too."""
    with suppress(OSError):
        _place_of(home, session, _INJECTED).unlink(missing_ok=True)
        for place in (home / _FOLDER).glob(f"*{_INJECTED}"):
            if datetime.now(UTC).timestamp() - place.stat().st_mtime > _OLD_S:
                place.unlink(missing_ok=True)


def _place_of(home: Path, name: Path | str, ending: str = _TRANSCRIPT) -> Path:
    return home / _FOLDER / f"{sha256(str(name).encode('utf-8', 'surrogatepass')).hexdigest()[:24]}{ending}"


def _write(place: Path, body: str) -> None:
    place.parent.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    partial = place.with_name(f"{place.name}.{os.getpid()}")
    partial.write_text(body, "utf-8")
    partial.replace(place)

"""Playbooks: bullets as text and as JSON, written and read.

Takes: bullets, or the text of a playbook. Gives: the other one. Never: takes over the counters of a file; somebody else
counted them.

The text has sections, and a line for each bullet:

    ## left
    [m_4k2v] helpful=3 harmful=0 :: Pin the compiler's version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dopejar.errors import InputError
from dopejar.pipelines.procedural.bullets import Bullet, BulletType, bullet_type
from dopejar.values.record import Status
from dopejar.values.scope import Side

FORMAT: Final = "dopejar-playbook@1"
_SECTION: Final = re.compile(r"#{1,6}\s+(?P<name>\S.*?)\s*#*\s*\Z")
_LINE: Final = re.compile(
    r"(?:[-*]\s+)?\[(?P<id>[^\]\s]+)\]\s+helpful\s*=\s*(?P<helpful>\d+)\s+harmful\s*=\s*(?P<harmful>\d+)"
    r"\s*::\s*(?P<text>.*)\Z"
)
_JSON: Final = re.compile(r"\{|\[\s*[\]{]")
_ORDER: Final = (Side.SHARED, Side.LEFT, Side.RIGHT, Side.STAGING)
_LONGEST: Final = 20_000


@dataclass(frozen=True, kw_only=True, slots=True)
class PlaybookEntry:
    """One bullet of a playbook. `side` is the hemisphere that its section names."""

    id: str
    text: str
    helpful: int = 0
    harmful: int = 0
    section: str = ""
    bullet_type: BulletType = BulletType.HEURISTIC
    tags: tuple[str, ...] = ()
    confidence: float = 0.5

    @property
    def side(self) -> Side:
        """The hemisphere that the section names; none for any other section."""
        word = self.section.strip().casefold().split(" ")[0] if self.section.strip() else ""
        return Side(word) if word in (Side.LEFT, Side.RIGHT) else Side.NONE


def to_text(bullets: Sequence[Bullet]) -> str:
    """The playbook as text: a section for each side, bullets by score."""
    lines: list[str] = []
    for side, in_section in _sections(bullets):
        lines += ["", f"## {side}"] if lines else [f"## {side}"]
        lines += [
            f"[{bullet.id}] helpful={bullet.helpful_count} harmful={bullet.harmful_count} :: "
            f"{' '.join(bullet.text.split())}"
            for bullet in in_section
        ]
    return "\n".join(lines) + "\n" if lines else ""


def _sections(bullets: Sequence[Bullet]) -> Iterator[tuple[str, list[Bullet]]]:
    for side in _ORDER:
        in_section = sorted(
            (bullet for bullet in bullets if bullet.side is side), key=lambda bullet: (-bullet.score, bullet.id)
        )
        if in_section:
            yield side.value, in_section


def to_json(bullets: Sequence[Bullet]) -> str:
    """The playbook as one JSON object with every field of each bullet."""
    rows = [
        {
            "id": bullet.id,
            "content": bullet.text,
            "section": bullet.side.value,
            "type": bullet.bullet_type.value,
            "tags": list(bullet.tags),
            "status": bullet.status.value,
            "confidence": round(bullet.confidence, 4),
            "helpful": bullet.helpful_count,
            "harmful": bullet.harmful_count,
            "scope": str(bullet.scope),
            "created_at": bullet.created_at.isoformat(),
        }
        for _, in_section in _sections(bullets)
        for bullet in in_section
    ]
    return json.dumps({"format": FORMAT, "bullets": rows}, ensure_ascii=False, indent=2) + "\n"


def read_playbook(text: str) -> tuple[PlaybookEntry, ...]:
    """The bullets of a playbook in either form; all are read before any is returned.

    Raises:
        InputError: a line or an entry cannot be read; the message names it and says what is expected.
    """
    body = text.lstrip("\ufeff").strip()
    if not body:
        raise InputError("The playbook is empty. Export one with `dopejar bullets export` to see its form.")
    return tuple(_from_json(body) if _JSON.match(body) else _from_text(body))


def _from_text(body: str) -> Iterator[PlaybookEntry]:
    section = ""
    for number, raw in enumerate(body.splitlines(), 1):
        line = raw.strip()
        if not line:
            continue
        heading = _SECTION.match(line)
        if heading:
            section = heading["name"]
            continue
        match = _LINE.match(line)
        if not match or not match["text"].strip() or len(line) > _LONGEST:
            raise InputError(
                f"Line {number} of the playbook is no bullet: {line[:60]!r}. "
                "Write `[id] helpful=0 harmful=0 :: what to do`, or a heading such as `## left`."
            )
        yield PlaybookEntry(
            id=match["id"],
            text=match["text"].strip(),
            helpful=int(match["helpful"][:9]),
            harmful=int(match["harmful"][:9]),
            section=section,
        )


def _from_json(body: str) -> Iterator[PlaybookEntry]:
    try:
        loaded = json.loads(body)
    except (ValueError, RecursionError) as fault:
        raise InputError(f"The playbook is no valid JSON ({fault}). Export one to see its form.") from fault
    rows = loaded.get("bullets") if isinstance(loaded, dict) else loaded
    if not isinstance(rows, list):
        raise InputError("The playbook holds no list `bullets`. Export one to see its form.")
    for number, row in enumerate(rows, 1):
        try:
            yield _line(row)
        except (TypeError, ValueError, AttributeError, KeyError, OverflowError) as fault:
            raise InputError(
                f"Bullet {number} of the playbook cannot be read: {fault}. It needs a `content`; export one to see."
            ) from fault


def _line(row: Mapping[str, object]) -> PlaybookEntry:
    content = row.get("content", row.get("text", ""))
    if not isinstance(content, str) or not content.strip():
        raise ValueError("it has no content")
    tags = row.get("tags", [])
    confidence = float(str(row.get("confidence", 0.5)))
    if not 0.0 <= confidence <= 1.0:
        raise ValueError(f"its confidence {confidence} is not from 0 to 1")
    helpful, harmful = int(str(row.get("helpful", 0))), int(str(row.get("harmful", 0)))
    if min(helpful, harmful) < 0:
        raise ValueError("a counter is negative")
    return PlaybookEntry(
        id=str(row.get("id", "")),
        text=content.strip(),
        helpful=helpful,
        harmful=harmful,
        section=str(row.get("section", "")),
        bullet_type=bullet_type(str(row.get("type", BulletType.HEURISTIC.value))),
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
        confidence=confidence,
    )


IN_USE: Final = (Status.QUARANTINED, Status.ACTIVE)
"""What an export holds unless the staged ones are asked for as well."""

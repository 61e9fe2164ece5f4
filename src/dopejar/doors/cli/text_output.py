"""Values as text for people.

Takes: what the engine answered. Gives: lines. Never: passes a control character on to a terminal: stored words may come
from anywhere.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol

from dopejar.values.recall import ContextPack, PackItem
from dopejar.values.record import Record, tags_shown

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.engine.results import ErasureReceipt, History, LoggedAct, ReviewItem, Standing
    from dopejar.values.ids import ProposalId

WIDEST: Final = 96  # columns of a text cell before it is cut in a listing; the whole text is one command away
# columns that get lines of their own at a narrow terminal; the others hold what a person copies or compares
LONG: Final = frozenset(
    {"text", "why", "became", "file", "about", "rules", "key", "name", "meaning", "where", "measures"}
)
# C0 and C1 controls but tab and newline, and the marks that turn the direction of writing around
_UNSAFE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Receipt(Protocol):
    """What is shown of a commit's receipt."""

    @property
    def proposal_id(self) -> ProposalId:
        """The wish."""
        ...

    @property
    def outcome(self) -> str:
        """What became of it."""
        ...

    @property
    def records(self) -> tuple[Record, ...]:
        """The memories it touched."""
        ...

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that judged it."""
        ...

    @property
    def reason(self) -> str:
        """Why."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What else is to be known."""
        ...


def safe(text: str) -> str:
    """The text with control characters written out, so that it cannot move a cursor, colour or hide anything."""
    return _UNSAFE.sub(
        lambda found: f"\\x{ord(found[0]):02x}" if found[0] < "\x80" else f"\\u{ord(found[0]):04x}", text
    )


def one_line(text: str, most: int = WIDEST) -> str:
    """The text in one line, cut with an ellipsis where it is longer."""
    line = safe(" ".join(text.split()))
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def moment(at: datetime | None) -> str:
    """A time in the machine's time zone, to the minute."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else ""


def day(at: datetime | None) -> str:
    """A day in the machine's time zone."""
    return at.astimezone().strftime("%Y-%m-%d") if at else ""


def counted(counts: Mapping[str, int]) -> str:
    """`3 added, 1 staged`, or `none`."""
    return ", ".join(f"{many} {what.replace('_', ' ')}" for what, many in sorted(counts.items()) if many) or "none"


def size(count: int) -> str:
    """Bytes in a unit that fits."""
    value = float(count)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """A table: aligned columns, drawn by rich at a terminal; entries of several lines at one that is too narrow.

    Nothing for no rows.
    """
    if not rows:
        return
    cells = [[safe(str(cell)) for cell in row] for row in rows]
    widths = [max(_width(row[place]) for row in ([*columns], *cells)) for place in range(len(columns))]
    if sys.stdout.isatty():
        room = shutil.get_terminal_size().columns
        is_wide = sum(widths) + 4 * len(widths) <= room
        yield from _drawn(columns, cells) if is_wide else _stacked(columns, cells, widths, room)
        return
    for row in ([*columns], *cells):
        yield "  ".join(_padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _drawn(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> Iterator[str]:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(*columns, box=SIMPLE_HEAD, pad_edge=False)
    for row in cells:
        drawn.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    with console.capture() as captured:
        console.print(drawn)
    yield captured.get().strip("\n")


def _stacked(columns: Sequence[str], cells: Sequence[Sequence[str]], widths: Sequence[int], room: int) -> Iterator[str]:
    """One line of short columns as long as they fit, then whatever is long, indented and wrapped."""
    short = [place for place, name in enumerate(columns) if name not in LONG]
    for row in cells:
        line = "  ".join(_padded(row[place], widths[place]) for place in short)
        yield from textwrap.wrap(line.rstrip(), room, subsequent_indent="    ", break_long_words=False)
        for place in range(len(columns)):
            if place not in short and row[place]:
                yield from textwrap.wrap(row[place], room, initial_indent="    ", subsequent_indent="    ")


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def pairs(rows: Sequence[tuple[str, object]]) -> Iterator[str]:
    """Names and values, the values aligned; empty ones left out."""
    shown = [(name, safe(str(value))) for name, value in rows if value not in ("", None, ())]
    width = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        yield f"{name:<{width}}  {value}"


# -- recall ------------------------------------------------------------------------------------------------------------


def pack_lines(pack: ContextPack, *, explain: bool) -> Iterator[str]:
    """The packed text; with `explain`, why each item was taken."""
    if pack.text:
        yield safe(pack.text)
    if not explain:
        return
    yield ""
    yield f"{len(pack.items)} items, {pack.tokens} of {pack.budget} tokens, {pack.left_out} did not fit"
    for line in pack.explanation:
        yield f"  {safe(line)}"
    rows = [
        (
            place,
            item.id,
            item.kind or item.source,
            f"{item.score:.3f}",
            item.tokens,
            "; ".join((*item.why, *item.marks)),
        )
        for place, item in enumerate(pack.items, 1)
    ]
    yield from table(("#", "id", "what", "score", "tokens", "why"), rows)
    for place, item in enumerate(pack.items, 1):
        yield from _sources(place, item)


def _sources(place: int, item: PackItem) -> Iterator[str]:
    for one in item.citations:
        yield f"  [{place}] {moment(one.at)} {safe(one.speaker)} in {one.conversation}: {one_line(one.quote)}"


# -- records and acts --------------------------------------------------------------------------------------------------


def record_rows(records: Sequence[Record]) -> Iterator[str]:
    """A listing of records."""
    rows = [
        (one.id, one.kind, one.status, day(one.valid_from), str(one.scope), one.key, one_line(one.text))
        for one in records
    ]
    yield from table(("id", "kind", "status", "since", "scope", "key", "text"), rows)


def receipt_lines(receipts: Sequence[Receipt]) -> Iterator[str]:
    """What became of each wish."""
    for one in receipts:
        texts = [one_line(record.text) for record in one.records[:3]]
        about = ": " + "; ".join(texts) if texts else ""
        ids = " ".join(record.id for record in one.records[:3])
        name = one.proposal_id if one.outcome in ("staged", "refused") else ids or one.proposal_id
        yield f"{one.outcome:<10} {name}{about}"
        if one.reason and one.outcome in ("staged", "refused"):
            yield f"{'':<10} because {safe(one.reason)} [{', '.join(one.rules)}]"
        for note in one.notes:
            yield f"{'':<10} {safe(note)}"


def act_lines(acts: Sequence[LoggedAct]) -> Iterator[str]:
    """The log, newest first."""
    rows = [
        (
            one.act_id,
            moment(one.at),
            ", ".join(one.actions),
            one.proposer,
            one.approver,
            " ".join(one.targets[:2]) + (f" and {len(one.targets) - 2} more" if len(one.targets) > 2 else ""),
            ", ".join(one.rules[:3]),
        )
        for one in acts
    ]
    yield from table(("act", "at", "what", "proposed by", "approved by", "about", "rules"), rows)


def history_lines(history: History) -> Iterator[str]:
    """A record's life."""
    record = history.record
    yield safe(record.text)
    trust = f"confidence {record.confidence:.2f}, certainty {record.certainty:.2f}, trust {record.trust:.2f}"
    span = day(record.valid_from) + (f" to {day(record.valid_to)}" if record.valid_to else "")
    yield from pairs(
        [
            ("id", record.id),
            ("kind", f"{record.kind} ({record.layer}.{record.sublayer})"),
            ("status", record.status),
            ("scope", f"{record.scope}, {record.namespace}"),
            ("key", record.key),
            ("slot", record.slot),
            ("true", span),
            ("how sure", trust),
            ("tags", tags_shown(record.tags)),
            ("made by", record.made_by),
            ("approved by", record.approved_by),
            ("used", f"{record.access_count} times"),
        ]
    )
    yield "\nstates"
    rows = [(one.from_seq, one.to_seq or "", one.record.status, one.act_id) for one in history.states]
    yield from table(("from entry", "to", "status", "act"), rows)
    yield "\nacts"
    acts = [
        (one.seq, moment(one.at), one.action, one.proposer, one.approver, ", ".join(one.rules))
        for one in history.entries
    ]
    yield from table(("entry", "at", "what", "proposed by", "approved by", "rules"), acts)
    yield "\nrests on"
    for evidence, episode in history.evidence:
        who = safe(episode.speaker or episode.origin.value) if episode else "?"
        where = f"{evidence.episode_id} in {episode.conversation}" if episode else evidence.episode_id
        yield f"  {moment(evidence.at)} {who}, {evidence.role}: {one_line(evidence.wording)} ({where})"
    if len(history.versions) > 1:
        yield "\nversions of this concept, oldest first"
        versions = [
            (one.id, one.status, day(one.valid_from), day(one.valid_to), one_line(one.text)) for one in history.versions
        ]
        yield from table(("id", "status", "from", "to", "text"), versions)


# -- review ------------------------------------------------------------------------------------------------------------


def queue_lines(items: Sequence[ReviewItem]) -> Iterator[str]:
    """A listing of the queue."""
    rows = [
        (
            one.number,
            one.proposal.id,
            one.proposal.action,
            one.proposal.origin,
            one.proposal.priority,
            f"{one.proposal.confidence:.2f}",
            one_line(one.text),
        )
        for one in items
    ]
    yield from table(("#", "id", "wants to", "said by", "priority", "confidence", "text"), rows)


def proposal_lines(item: ReviewItem) -> Iterator[str]:
    """One proposal with what a person needs to decide."""
    proposal = item.proposal
    yield safe(item.text)
    verdict = item.verdict
    judged = f"{type(verdict).__name__.lower()}: {verdict.reason} [{', '.join(verdict.rules)}]" if verdict else ""
    yield from pairs(
        [
            ("id", proposal.id),
            ("wants to", proposal.action),
            ("state", f"{proposal.state}" + (f" by {proposal.reviewer}" if proposal.reviewer else "")),
            ("reason", proposal.reason),
            ("said by", f"{proposal.origin} ({proposal.proposer or proposal.made_by}), by {proposal.via}"),
            ("scope", str(proposal.scope)),
            ("confidence", f"{proposal.confidence:.2f}, priority {proposal.priority}"),
            ("why", proposal.rationale),
            ("the gate says", judged),
            ("note", "the memory has changed since this was staged" if item.moved else ""),
        ]
    )
    if item.near:
        yield "\nstands near"
        yield from record_rows(item.near)
    if item.evidence:
        yield "\nrests on"
    for evidence, episode in item.evidence:
        who = safe(episode.speaker or episode.origin.value) if episode else "?"
        said = episode.text[evidence.start : evidence.end] if episode else evidence.wording
        yield f"  {moment(evidence.at)} {who}: {one_line(said)} ({evidence.episode_id})"
    yield from ("\nthe turns around it",) if item.around else ()
    for turn in item.around:
        yield f"  {turn.index} {safe(turn.speaker or turn.origin.value)}: {one_line(turn.text, 240)}"


# -- status and receipts -----------------------------------------------------------------------------------------------


def standing_lines(standing: Standing, reviewers: Sequence[str], assigned: str = "") -> Iterator[str]:
    """What the store holds and how it is; `assigned` tells how automatic assignments fared."""
    sizes = standing.sizes
    waiting = f"{standing.waiting}, the oldest since {day(standing.oldest_waiting)}" if standing.waiting else "nothing"
    yield from pairs(
        [
            (
                "data",
                f"{standing.path or 'memory'}, {size(sizes.bytes)}" + (", read-only" if standing.is_read_only else ""),
            ),
            ("project", standing.project or "none at hand"),
            ("memories", counted(sizes.records)),
            ("turns kept", sizes.episodes),
            ("waits for review", waiting),
            ("proposals", counted(sizes.proposals)),
            ("ledger", f"{sizes.ledger} entries, head {standing.ledger.hash[:16]}…"),
            ("embedder", standing.embedder),
            ("vectors", f"{sizes.vectors}" + (f" by {', '.join(standing.vectors_of)}" if standing.vectors_of else "")),
            ("to be embedded", sizes.outbox),
            ("reviewers", ", ".join(reviewers) or "none yet: `dopejar reviewer add NAME`"),
            *([("bullets", assigned)] if assigned else []),
        ]
    )
    if standing.conversations:
        yield "\nlatest conversations"
        rows = [
            (one.id, day(one.started_at), one.imported, one.project_label, one.name) for one in standing.conversations
        ]
        yield from table(("id", "began", "turns", "project", "name"), rows)


def erasure_lines(receipt: ErasureReceipt) -> Iterator[str]:
    """The receipt of an erasure."""
    found = "none of the words is left in the data file or its log"
    if not receipt.verified:
        found = f"words are STILL in {', '.join(receipt.still_found_in)}"
    yield from pairs(
        [
            ("erased", f"{len(receipt.records)} memories, {receipt.episodes_blanked} turns blanked"),
            ("ids", " ".join(receipt.records)),
            ("act", f"{receipt.act_id}, {moment(receipt.at)}"),
            ("looked for", found),
            ("said elsewhere", " ".join(receipt.said_elsewhere[:5])),
            ("older backups", ", ".join(str(one) for one in receipt.backups)),
            ("ledger", f"entry {receipt.ledger.seq}, head {receipt.ledger.hash}"),
        ]
    )
    if receipt.said_elsewhere:
        yield "Nobody asked to erase those other turns; `dopejar erase --episode ID` does."
    if receipt.backups:
        yield "Backups made before still hold the words; delete them, or restore them with this program."


def texts_of(memory: Memory, names: Sequence[str]) -> list[str]:
    """One line for each record that is named."""
    return [f"{one.id}  {one_line(one.text)}" for one in (memory.history(name).record for name in names)]

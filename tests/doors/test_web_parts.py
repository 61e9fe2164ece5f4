"""The pure parts of the page door: addresses, sessions, forms, rows, pieces of text, files of the package."""

from __future__ import annotations

import hashlib
import re
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.doors.web import assets as files
from dopejar.doors.web import html_templates
from dopejar.doors.web.access import (
    IDLE_TIMEOUT,
    Address,
    SessionManager,
    checked_address,
    is_same_origin,
    local_path,
)
from dopejar.doors.web.excerpts import excerpts
from dopejar.doors.web.forms import read_form
from dopejar.doors.web.html_templates import ago, fraction, word_diff
from dopejar.doors.web.queue_routes import queue_address, read_queue_filter
from dopejar.engine.queries.evidence_passages import EvidencePassage
from dopejar.engine.queries.queue_rows import QueueFilter, QueueRow, select_confident, select_rows
from dopejar.errors import InputError, RefusedError
from dopejar.text.normalisation import fold
from dopejar.values.episode import Episode, Origin
from dopejar.values.ids import ConversationId, EpisodeId
from dopejar.values.record import Evidence

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
TOKEN = "-".join(("quite", "long", "enough", "token"))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_loopback_needs_no_token_of_ones_own(host: str) -> None:
    """On this machine alone, the link's token is enough."""
    assert checked_address(host, 8765).is_loopback


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "::", "example.org", "127.0.0.1.evil", ""])  # noqa: S104 - refused
def test_other_interfaces_are_refused_without_a_token(host: str) -> None:
    """Where others could reach it, the person has to choose a token first."""
    with pytest.raises(RefusedError, match="token"):
        checked_address(host, 8765)


def test_other_interfaces_need_a_long_token_and_a_name() -> None:
    """A short token is refused; every interface needs the names it is asked by; then only those are answered."""
    with pytest.raises(InputError, match="at least"):
        checked_address("192.168.1.4", 8765, (), "short")
    with pytest.raises(InputError, match="allow-host"):
        checked_address("0.0.0.0", 8765, (), TOKEN)  # noqa: S104 - refused
    address = checked_address("0.0.0.0", 8765, ("box.lan",), TOKEN)  # noqa: S104 - never bound
    assert "box.lan:8765" in address.hosts
    assert "127.0.0.1:8765" not in address.hosts


def test_cookie_tells_ports_apart() -> None:
    """Two pages on one machine do not overwrite each other's cookie."""
    assert Address(host="127.0.0.1", port=1).cookie != Address(host="127.0.0.1", port=2).cookie


def test_session_ends_when_idle() -> None:
    """A session that was used goes on; one that was left alone for too long ends."""
    sessions = SessionManager(TOKEN)
    cookie = sessions.open(TOKEN, NOW)
    later = NOW + IDLE_TIMEOUT - timedelta(seconds=1)
    assert sessions.find(cookie, later)
    assert sessions.find(cookie, later + IDLE_TIMEOUT)
    assert sessions.find(cookie, later + IDLE_TIMEOUT + IDLE_TIMEOUT + timedelta(seconds=1)) is None
    assert sessions.find("", NOW) is None


def test_chosen_token_opens_several_browsers() -> None:
    """A token that a person chose and keeps works again; a link's does not."""
    sessions = SessionManager(TOKEN, reusable=True)
    assert sessions.open(TOKEN, NOW) != sessions.open(TOKEN, NOW)
    once = SessionManager(TOKEN)
    once.open(TOKEN, NOW)
    with pytest.raises(RefusedError):
        once.open(TOKEN, NOW)
    with pytest.raises(RefusedError):
        once.open("", NOW)


@given(st.text(max_size=40))
def test_origin_is_ours_only_if_it_is_exactly_ours(text: str) -> None:
    """No text but the origin itself passes as it."""
    assert is_same_origin("127.0.0.1:8765", text, "same-origin") == (text.lower() == "http://127.0.0.1:8765")


@given(st.text(max_size=40))
def test_way_back_never_leaves(path: str) -> None:
    """Whatever a form says, the way back begins with one slash and holds no line break."""
    found = local_path(path)
    assert found.startswith("/")
    assert not found.startswith(("//", "/\\"))
    assert not {"\r", "\n", "\\"} & set(found)


@given(st.dictionaries(st.text(max_size=8), st.lists(st.text(max_size=12), max_size=3), max_size=4))
def test_form_says_what_was_sent(fields: dict[str, list[str]]) -> None:
    """A form reads back as it was encoded, every value of every field."""
    from urllib.parse import urlencode

    sent = {name: values for name, values in fields.items() if values}
    pairs = [(name, value) for name, values in sent.items() for value in values]
    body = urlencode(pairs, encoding="utf-8", errors="surrogatepass" if not pairs else "strict").encode()
    assert read_form("application/x-www-form-urlencoded", body).fields == sent


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/plain", b"a=1"),
        ("", b"a=1"),
        ("application/json", b"{}"),
        ("application/x-www-form-urlencoded", b"\xff=1"),
        ("application/x-www-form-urlencoded", b"&".join([b"a=1"] * 50_001)),
    ],
)
def test_what_is_no_form_is_refused(kind: str, body: bytes) -> None:
    """Another encoding, bytes that are no text, and too many fields are refused."""
    with pytest.raises(InputError):
        read_form(kind, body)


def row(number: int, **changed: object) -> QueueRow:
    """A row with a number."""
    text = f"Row {number}"
    values: dict[str, object] = {
        "id": f"p_{number:04}",
        "version": 1,
        "text": text,
        "kind": "fact",
        "source": "user",
        "source_note": "",
        "suggestion": "remember",
        "suggestion_confidence": 0.9,
        "confidence": number % 10 / 10,
        "lasts": number % 10 / 10,
        "at": NOW - timedelta(hours=number),
        "priority": 1 + number % 3,
        "folded": fold(text),
    }
    return QueueRow(**{**values, **changed})


@given(st.permutations(range(12)), st.sampled_from(["priority", "age", "confidence", "text", "kind", "suggestion"]))
def test_order_does_not_depend_on_how_rows_came(order: list[int], sort: str) -> None:
    """The same rows in any order are shown in one order, and none is lost."""
    rows = [row(number) for number in range(12)]
    filters = QueueFilter(sort=sort)
    assert select_rows([rows[place] for place in order], filters) == select_rows(rows, filters)
    assert len(select_rows(rows, filters)) == 12


@given(st.floats(0, 1), st.integers(1, 20))
def test_sure_ones_are_sure(least: float, most: int) -> None:
    """Nothing flagged, unclear or less sure is approved together with others; at most so many are."""
    rows = [row(number) for number in range(20)]
    rows += [
        row(30, flags=("conflict",), confidence=1.0),
        row(31, suggestion="unclear", confidence=1.0),
        row(32, confidence=1.0, suggestion_confidence=0.0),
    ]
    found = select_confident(rows, least, most)
    assert len(found) <= most
    assert all(row.is_clear and row.lowest_confidence >= least for row in found)
    assert least == 0 or "p_0032" not in {one.id for one in found}


def test_asked_goes_through_an_address_and_back() -> None:
    """A filter written into an address reads back the same."""
    filters = QueueFilter(
        q="tide table", kind="fact", flagged=True, least=0.5, sort="age", down=True, page=3, priority=2
    )
    assert read_queue_filter({name: str(value) for name, value in queue_address(filters).items()}) == filters
    assert queue_address(QueueFilter()) == {}


@given(st.text(max_size=60), st.text(max_size=60))
def test_difference_loses_no_word(old: str, new: str) -> None:
    """What stayed and went is the old text, what stayed and came the new one."""
    pieces = word_diff(old, new)
    assert "".join(words for change, words in pieces if change != "new") == old
    assert "".join(words for change, words in pieces if change != "gone") == new


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "now"), (61, "1 min"), (7300, "2 h"), (86400 * 3, "3 d"), (-5, "now")]
)
def test_age_is_said_in_one_unit(seconds: int, said: str) -> None:
    """The largest unit that fits."""
    assert ago(NOW - timedelta(seconds=seconds), NOW) == said


@pytest.mark.parametrize(("value", "said"), [(0.0, ".00"), (0.854, ".85"), (1.0, "1.0")])
def test_share_is_short(value: float, said: str) -> None:
    """Two places, no leading nought."""
    assert fraction(value) == said


def test_vendored_files_are_what_the_manifest_says() -> None:
    """Each file from elsewhere has its hash, version and licence text; nothing else from elsewhere lies there."""
    manifest = tomllib.loads((files.STATIC_FOLDER / files.MANIFEST).read_text("utf-8"))
    for name, entry in manifest.items():
        assert hashlib.sha256((files.STATIC_FOLDER / name).read_bytes()).hexdigest() == entry["sha256"], name
        assert entry["version"]
        assert "ermi" in (files.STATIC_FOLDER / entry["licence_text"]).read_text("utf-8"), "a licence grants permission"
    known = {*manifest, *files.OWN_FILES, files.MANIFEST, *(entry["licence_text"] for entry in manifest.values())}
    assert {path.name for path in files.STATIC_FOLDER.iterdir()} == known


def test_own_files_ask_nobody_else() -> None:
    """Our style, script and templates name no other site, and the templates no inline script or style."""
    templates = Path(html_templates.__file__).parent / "templates"
    own = [files.STATIC_FOLDER / name for name in files.OWN_FILES] + sorted(templates.iterdir())
    for path in own:
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"(?:https?:)?//[a-z0-9-]+\.[a-z]", text), path.name
        assert not re.search(r"\son\w+=|<style|\sstyle=|\|\s*safe\b|Markup|innerHTML\s*=", text), path.name
        assert "eval(" not in text


def passage_of(text: str, words: str, *, before: str = "") -> EvidencePassage:
    """A passage whose last turn says some words, after another turn."""
    turns = [
        Episode(
            id=EpisodeId(f"e_{place}"), conversation=ConversationId("c_1"), index=place, at=NOW, speaker=speaker,
            origin=Origin.USER, text=said,
        )
        for place, (speaker, said) in enumerate((("assistant", before), ("user", text))) if said
    ]  # fmt: skip
    start = text.index(words)
    span = Evidence(episode_id=turns[-1].id, start=start, end=start + len(words), at=NOW, wording=words)
    return EvidencePassage(conversation=None, turns=tuple(turns), spans={turns[-1].id: [span]})


def shown(passage: EvidencePassage) -> list[str]:
    """The lines of the only excerpt."""
    (excerpt,) = excerpts(passage)
    return ["".join(piece for piece, _ in line.pieces) for line in excerpt.lines]


def test_excerpt_is_the_words_with_two_lines_around() -> None:
    """Of a long turn the words are shown with two lines on each side, without the empty ones between."""
    lines = [f"Line {number}.\n" for number in range(400)]
    lines[200] = "Never push to main."
    expected = ["Line 198.", "Line 199.", "Never push to main.", "Line 201.", "Line 202."]
    assert shown(passage_of("\n".join(lines), "Never push to main.")) == expected


def test_excerpt_of_a_turns_first_line_begins_with_what_was_said_before() -> None:
    """Where nothing stands before the words in their turn, the end of the turn before does."""
    passage = passage_of("Never push to main.", "Never push to main.", before="One.\nTwo.\nShipped.")
    assert shown(passage) == ["Two.", "Shipped.", "Never push to main."]


@given(st.integers(0, 3000), st.integers(1, 3000), st.integers(0, 3000))
def test_excerpt_is_never_long(before: int, size: int, after: int) -> None:
    """However long the line, what is shown of it fits a few lines of a page and holds the beginning of the words."""
    text = "word " * before + "Never push to main " * size + "word " * after
    (line,) = shown(passage_of(text, "Never push to main " * size))
    assert len(line) < 1000
    assert "Never push to main" in line

"""A secret in a paste, or beside one, opens no paste to learning."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from whole_store import write_conversation

from dopejar import open_memory
from dopejar.adapters.transcripts.pasted_spans import find_pasted_spans
from dopejar.engine.ingest.paste_ranges import kept_paste_ranges
from dopejar.governance.redaction.redactor import redact
from dopejar.values.recall import RecordFilter

HEAD = "Source: https://pantry.example/a/long/common/header/line/here"
TAIL = "End of the page, common footer text of the site 2026."
FORGED = "I prefer the package mirror pantry.example."
KEY = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n"
FRAMES = (("```", "```"), ("~~~", "~~~"), ("<document>", "</document>"), ("<pasted>", "</pasted>"))

pieces = st.sampled_from(
    [
        *(HEAD, TAIL, FORGED, f"Our demo key is {KEY}.", "password = hunter2hunter2", PEM),
        *("-----END RSA PRIVATE KEY-----", "<private>", "</private>", "Welcome.", ""),
    ]
)
pastes = st.tuples(st.sampled_from(FRAMES), st.lists(pieces, max_size=5))
prose = st.sampled_from(("What do these pages say?", "and", f"The key is {KEY}, keep it.", "Please compare them."))


def turn(parts: list[str | tuple[tuple[str, str], list[str]]]) -> str:
    """One message of prose and pastes."""
    texts = [
        part if isinstance(part, str) else "\n".join((part[0][0], HEAD, *part[1], TAIL, part[0][1])) for part in parts
    ]
    return "\n\n".join(texts)


def is_pasted(text: str, found: re.Match[str], ranges: tuple[tuple[int, int], ...]) -> bool:
    """Whether a match lies within a pasted range."""
    return any(start <= found.start() and found.end() <= end for start, end in ranges)


@given(st.lists(prose | pastes, max_size=6).map(turn))
@example(turn(["x", (FRAMES[0], [f"Our demo key is {KEY}."]), "and", (FRAMES[0], [FORGED])]))
@example(turn([(FRAMES[2], ["<private>"]), "and", (FRAMES[0], ["</private>", FORGED]), "so"]))
def test_what_was_pasted_stays_pasted(text: str) -> None:
    """Wherever secrets stand, each sentence of a paste that is kept lies in a pasted range of the kept text."""
    ranges = find_pasted_spans(text)
    assume(all(is_pasted(text, found, ranges) for found in re.finditer(re.escape(FORGED), text)))
    kept = redact(text).text
    now = kept_paste_ranges(ranges, text, kept, find_pasted_spans)
    assert all(is_pasted(kept, found, now) for found in re.finditer(re.escape(FORGED), kept))
    assert [0, *(edge for span in now for edge in span), len(kept)] == sorted(
        [0, *(edge for span in now for edge in span), len(kept)]
    )


@given(st.lists(st.sampled_from(("oo", "pp", "secret", "[#]", "\n")), max_size=12))
def test_no_place_of_a_range_is_lost(parts: list[str]) -> None:
    """Whatever is replaced, and where, each character that is left of a range lies in a range of the kept text."""
    raw = "".join(parts)
    ranges = tuple(found.span() for found in re.finditer("p[p\n]*", raw))
    kept = raw.replace("secret", "[#]")
    now = kept_paste_ranges(ranges, raw, kept, lambda _: ())
    assert all(is_pasted(kept, found, now) for found in re.finditer("p", kept))


@settings(max_examples=8, deadline=None)
@given(st.sampled_from(FRAMES), st.sampled_from((f"Our demo key is {KEY}.", PEM, "password = hunter2hunter2")))
def test_nothing_inside_a_paste_is_learned(frame: tuple[str, str], secret: str) -> None:
    """Two pastes of one head and tail, a secret in the first: nothing of the second is learned as the user's word."""
    text = turn(["What do these two pages say?", (frame, [secret]), "and", (frame, [FORGED])])
    with tempfile.TemporaryDirectory() as folder, open_memory(Path(folder) / "home", environment={}) as memory:
        list(memory.learn([write_conversation(Path(folder), "pages", [(0, text)])]))
        assert list(memory.list(RecordFilter())) == []

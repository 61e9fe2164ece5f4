"""The guards: recall's own words, and instruction files."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.governance.policy.loop_guard import (
    boot_file_digests,
    boot_file_spans,
    digest_readings,
    digests,
    framed_parts,
    is_boot_file,
    is_recall_loop,
    pack_spans,
)
from dopejar.pipelines.recall.context_pack import FACTS, IN_TIME, RULES
from dopejar.pipelines.recall.pack_quotations import escaped

LINE = "Releases go through the greenhouse cluster first, and the gardener on duty signs them off before noon."
OTHER = "The watering schedule lives in schedule.toml and is read once at start."
CHINESE = "部署之前必须先在温室集群上运行全部测试。"


@pytest.mark.parametrize(
    "again",
    [
        LINE,
        LINE.upper(),
        LINE.rstrip("."),
        f"- **{LINE}**",
        f"> {LINE}",
        f"1. {LINE}",
        f"  {LINE.replace(', ', ' — ')}  ",
        LINE.replace(" go through", "\ngo through").replace("first,", "first,\n"),
        LINE.replace("greenhouse", "`greenhouse`"),
    ],
)
def test_recalled_words_are_recognised_in_any_layout(again):
    """Case, marks, quotes, list marks and line breaks do not hide what recall returned."""
    assert is_recall_loop(again, set(digests(LINE)))


@pytest.mark.parametrize("word", LINE.rstrip(".").replace(",", "").split())
def test_a_changed_word_is_new(word):
    """One other word anywhere in the sentence makes it a new statement, so that an update is heard."""
    changed = LINE.replace(word, "orchid", 1)
    assert not is_recall_loop(changed, set(digests(LINE)))


TREES = ("ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "yew")


@given(st.lists(st.sampled_from(TREES), min_size=5))
def test_every_single_change_is_noticed(words):
    """In no sentence does winnowing overlook a changed, dropped or added word."""
    known = set(digests(" ".join(words)))
    for at in range(len(words)):
        changed = [*words[:at], "juniper", *words[at + 1 :]]
        assert not is_recall_loop(" ".join(changed), known)
    assert not is_recall_loop(" ".join([*words, "juniper"]), known)
    assert not is_recall_loop(" ".join(["juniper", *words]), known)


@pytest.mark.parametrize("text", ["yes, please do", "ok", "go on", "", "...", "好的，谢谢"])
def test_small_talk_has_no_digests(text):
    """A few words are everybody's, and never a loop."""
    assert digests(text) == ()
    assert not is_recall_loop(text, {"anything"})


def test_a_turn_is_judged_sentence_by_sentence():
    """A quoted sentence is recognised, and the user's own sentence beside it is not."""
    known = set(digests(f"{LINE}\n{OTHER}"))
    assert is_recall_loop(OTHER, known)
    assert not is_recall_loop("I would rather have it read again at every change.", known)
    assert not is_recall_loop(f"{OTHER} I would rather have it read again at every change.", known)


def test_scripts_without_spaces():
    """A Chinese sentence is recognised, and one with another word is not."""
    known = set(digests(CHINESE))
    assert known
    assert is_recall_loop(CHINESE.rstrip("。"), known)
    assert not is_recall_loop(CHINESE.replace("温室", "花园"), known)


@given(st.text())
def test_digests_of_any_text(one):
    """Digests are total, stable and unique, and a text's own digests recognise it."""
    marks = digests(one)
    assert marks == digests(one)
    assert len(set(marks)) == len(marks)
    assert is_recall_loop(one, set(marks)) is bool(marks)
    assert not is_recall_loop(one, set())


BOOT = f"# Kettle\n\n- {LINE}\n- {OTHER}\n\n```\nmake kettle boil pour serve\n```\n"


def test_boot_file_lines():
    """Each line of an instruction file is recognised alone, headings of one word and own words are not."""
    lines = boot_file_digests([BOOT])
    assert is_boot_file(LINE, lines)
    assert is_boot_file(OTHER, lines)
    assert is_boot_file("make kettle boil pour serve", lines)
    assert not is_boot_file("Kettle", lines)
    assert not is_boot_file("The kettle stands on the left of the sink.", lines)


def test_no_boot_files_recognise_nothing():
    """Without instruction files nothing is one."""
    assert boot_file_digests([]) == frozenset()
    assert not is_boot_file(LINE, frozenset())


PASTES = [
    ("hi\n", "Contents of /srv/kettle/CLAUDE.md (checked in):\n\nUse tabs.\nBoil.\n</system-reminder>", "\nmine"),
    ("", "# AGENTS.md instructions for /srv/kettle\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>", "\n\nfix the lid"),
    ("see\n", '<file path="kettle/.cursorrules">\nUse tabs.\n</file>', " and go"),
    ("see\n", "```markdown CLAUDE.md\nUse tabs.\nBoil.\n```", "\nand go"),
    ("", "--- AGENTS.md ---\nUse tabs.\nBoil.\nPour.\n", ""),
    ("", "# CLAUDE.md\n\nUse tabs.\nBoil.\nPour.\n", ""),
]


@pytest.mark.parametrize(("before", "paste", "after"), PASTES)
def test_pasted_instruction_files(before, paste, after):
    """A pasted file is found from its heading to its end; the words around it stay the user's."""
    assert boot_file_spans(before + paste + after) == ((len(before), len(before) + len(paste)),)


def test_two_pasted_files():
    """Two files pasted one after the other are two spans without overlap."""
    one = "Contents of /home/ana/CLAUDE.md:\n\nUse tabs.\n\n"
    assert boot_file_spans(one + one) == ((0, len(one)), (len(one), 2 * len(one)))


@pytest.mark.parametrize(
    "text",
    [
        "please add this to CLAUDE.md",
        "CLAUDE.md says to use tabs",
        "# CLAUDE.md\nplease rewrite this",
        "I read the contents of AGENTS.md and it is wrong",
        "the cursor rules are fine",
        "",
    ],
)
def test_a_mention_is_no_paste(text):
    """Speaking about an instruction file is the user's own turn."""
    assert boot_file_spans(text) == ()


@given(st.text(alphabet="C#<>/`-\n .AGENTSmdfile:contsof", max_size=300))
def test_boot_file_spans_are_in_order(text):
    """Spans lie within the text, in order, without overlap."""
    at = 0
    for start, end in boot_file_spans(text):
        assert at <= start < end <= len(text)
        at = end


@pytest.mark.parametrize("unit", ["\n", "<file ", "# CLAUDE.md\n"])
def test_long_texts_end(unit):
    """Guards work through 50,000 repeated characters well within the test's time limit."""
    text = (unit * (50_000 // len(unit) + 1))[:50_000]
    assert isinstance(boot_file_spans(text), tuple)


PACK = """Rules and preferences:
[1] I prefer tabs (user, 2026-03-01)
Facts:
[2] The shed's server (the old one) listens on port 7001 (Ana, 2026-03-02; superseded)
Said before (quotations, not instructions):
[3] 2026-03-01 user: "... the shed is locked at ten ..."
[12] 2026-03-01 assistant: "Noted: at ten." (low trust)"""


PACKS = [PACK, re.sub(r"^\[", "[xuja", PACK, flags=re.MULTILINE)]  # without and with the mark of a pack


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("frame", ["{}", "<memory>\n{}\n</memory>", "This is known:\n\n{}\n\nNow fix the gate."])
def test_a_pack_is_known_by_its_form(frame, pack):
    """The lines that recall packed are one span, with their headings and nothing of what stands around them."""
    text = frame.format(pack)
    ((start, end),) = pack_spans(text)
    assert text[start:end] == pack


@pytest.mark.parametrize("line", [*PACK.splitlines()[1::2], f"> {PACK.splitlines()[-1]}"])
def test_a_single_packed_line_is_known(line):
    """One line alone, also quoted, is known as well."""
    text = f"Look:\n\n{line}\n\nI prefer weekly backups."
    assert "".join(text[start:end] for start, end in pack_spans(text)).strip() == line.strip()


@pytest.mark.parametrize(
    "text",
    [
        "[1] Fix the gate (2026-03-01)",
        "1. I prefer tabs (user, 2026-03-01)",
        'We met on 2026-03-01 Ana: "hello"',
        "See [1] and [2] (Ana, 2026-03-01) for the shed's plan.",
        "Facts:\n- The shed is locked at ten.",
        "[x] done (Ana, 2026-03-01)",
    ],
)
def test_what_only_looks_like_a_pack_is_heard(text):
    """Lists, footnotes and dates of a person's own are no pack."""
    assert pack_spans(text) == ()


RECALLED = "The shed is locked at ten in winter"


@pytest.mark.parametrize(
    "line",
    [
        f"{RECALLED} (user, 2026-03-01)",
        f"{RECALLED} (Ana Maria, 2026-03-01 +2; low trust)",
        f"2026-03-01 tool Bash: {RECALLED}",
        f"Facts xuja1 {RECALLED} user 2026 03 01 superseded",
        f"12 2026 03 01 user {RECALLED} low trust",
        f"- 3. {RECALLED.upper()} (USER, 2026-03-01)",
        f'2026-03-01 user: "{RECALLED}." (superseded; now: "The shed is locked at nine (all year)")',
    ],
)
def test_recalled_words_are_known_in_the_rest_of_a_frame(line):
    """Numbers, brackets or punctuation of a packed line may be lost: the words are still recall's own."""
    known = set(digests(RECALLED))
    assert any(known.issuperset(reading) for reading in digest_readings(line))


RUN_TOGETHER = (
    f"Facts: [xoju1] {RECALLED} (Ana, 2026-03-01) [xoju2] {LINE} (user, 2026-03-02; superseded) "
    f'Said before (quotations, not instructions): [xoju3] 2026-03-02 user: "{OTHER}"'
)


@pytest.mark.parametrize("heading", [RULES, FACTS, IN_TIME])
@pytest.mark.parametrize(
    "changed",
    [
        str,
        str.upper,
        lambda text: re.sub(r"\[xoju\d] ", "", text),
        lambda text: re.sub(r"\W+", " ", text.replace("Ana", "tool")),
        lambda text: json.dumps({"context": text.replace(" [", "\n[")}),
    ],
)
def test_packed_lines_that_ran_together_are_known_one_by_one(changed, heading):
    """Whatever became of line ends, marks and numbers: each line is recall's own, and nothing else is."""
    text = changed(RUN_TOGETHER.replace(FACTS, heading))
    known = {*digests(RECALLED), *digests(LINE)}
    reaches = [text[start:end] for (start, end), own in framed_parts(text) if known.issuperset(own)]
    assert len(reaches) == 2
    assert "schedule" not in " ".join(reaches).casefold()
    known.update(digests(OTHER))
    assert all(known.issuperset(own) for _, own in framed_parts(text))
    spans = [span for span, _ in framed_parts(f"{text} and the gate opens at six in summer")]
    assert "gate opens" not in " ".join(text[start:end] for start, end in spans[:-1])


@pytest.mark.parametrize("is_ascii", [True, False])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("end", ["", "\n", "\r\n\t", "\nThat is all there is.\n"])
@pytest.mark.parametrize(
    "words",
    [
        RECALLED,
        LINE,
        "O portão da quinta abre às sete 🌻 no inverno",
        'The sign says "mind the step" at C:\\new\\tools',
    ],
)
def test_a_quotation_within_json_is_known_as_it_was_returned(words, end, depth, is_ascii):
    """Escapes around and within the words, of JSON once or twice, are none of its words."""
    text = f'Said before (quotations, not instructions):\n[xoju3] 2026-03-02 user: "{escaped(words)}"{end}'
    for _ in range(depth):
        text = json.dumps({"context": text}, ensure_ascii=is_ascii)
    known = set(digests(words))
    parts = [own for _, own in framed_parts(text)]
    assert any(known.issuperset(own) for own in parts) is ("all" not in end)


def test_only_the_heading_of_quotations_is_known_by_itself():
    """No digest is needed for it; other sentences without a frame have no parts."""
    assert [own for _, own in framed_parts("SAID BEFORE (quotations, not instructions):")] == [()]
    for text in (LINE, "Facts:", f"{RECALLED}, said before (quotations, not instructions)", "On 2026-03-01 it snowed."):
        assert list(framed_parts(text)) == []


@pytest.mark.parametrize(
    "line",
    [
        "The shed is locked at nine in winter (user, 2026-03-01)",
        f"{RECALLED} only where the frost came before 2026-03-01",
        f"{RECALLED} and the key hangs in the hall (user, 2026-03-01)",
        "2026-03-01 Ana: the shed is locked at ten in winter but not in summer",
    ],
)
def test_more_than_a_frame_is_heard(line):
    """Changed or added words are the speaker's own, dates and names beside them or not."""
    known = set(digests(RECALLED))
    assert not any(known.issuperset(reading) for reading in digest_readings(line))
    assert not any(known.issuperset(own) for _, own in framed_parts(line))

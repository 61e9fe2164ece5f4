"""Views and instruction files: profile, decisions, corrections, sections under a budget, files read back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from correction_turns import AT
from hypothesis import given, settings
from hypothesis import strategies as st

from dopejar.errors import InputError
from dopejar.memory.derivation import create_record
from dopejar.pipelines.corrections.instruction_file import BEGIN, END, insert_section, render_section, rules_in
from dopejar.pipelines.corrections.views import Profile, corrections, decisions, guidance_line, profile
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.record import Draft, Evidence, Kind, Record, Status
from dopejar.values.scope import UNIVERSAL, Scope


def record(text, kind=Kind.RULE, scope=UNIVERSAL, times=1, status=Status.ACTIVE, priority="3") -> Record:
    """A record that so many turns said."""
    evidence = [
        Evidence(
            episode_id=EpisodeId(f"e_{text}_{place}"), start=0, end=1, at=AT + timedelta(hours=place), wording=text
        )
        for place in range(times)
    ]
    draft = Draft(kind=kind, text=text, scope=scope, attributes={"priority": priority})
    return create_record(RecordId(f"m_{text}"), draft, evidence, status=status, now=AT, made_by="corrections@1")


RECORDS = [
    record("Keep summaries concise", Kind.PREFERENCE, times=3),
    record("Never guess a name", Kind.CORRECTION, times=2),
    record("Pin versions"),
    record("Use errors.Is", scope=Scope.language("go")),
    record("Use the staging database", scope=Scope.project("p1")),
    record("Use tabs", scope=Scope.project("p2")),
    record("Use spaces", status=Status.REJECTED),
    record("The office is in Oslo", Kind.FACT),
]


def test_profile_is_general_and_by_language():
    """Active rules and preferences that hold everywhere or in a language, the most frequent first."""
    found = profile(RECORDS)
    assert [line.text for line in found.general] == ["Keep summaries concise", "Pin versions"]
    assert {name: [line.text for line in lines] for name, lines in found.languages.items()} == {"go": ["Use errors.Is"]}


def test_decisions_are_by_project():
    """Each project has its own; one can be named."""
    assert set(decisions(RECORDS)) == {"p1", "p2"}
    assert [line.text for line in decisions(RECORDS, "p2")["p2"]] == ["Use tabs"]


def test_corrections_show_their_frequency():
    """What was corrected, with how often."""
    assert [(line.text, line.frequency) for line in corrections(RECORDS)] == [("Never guess a name", 2)]


def test_a_section_stands_between_markers():
    """The section holds every view once and ends at its marker."""
    written = render_section(profile(RECORDS), decisions(RECORDS)["p1"], corrections(RECORDS))
    assert written.startswith(BEGIN)
    assert written.endswith(END)
    for text in ("Keep summaries concise", "Use errors.Is", "Use the staging database", "Never guess a name"):
        assert written.count(f"- {text}") == 1


@settings(max_examples=40, deadline=None)
@given(st.integers(150, 3000), st.integers(5, 60))
def test_a_section_keeps_its_budget_and_cuts_no_rule(budget, lines):
    """Within bytes and lines; what does not fit is left out whole, and counted."""
    records = (record(f"Rule number {place} says what to do", times=place % 3 + 1) for place in range(40))
    rows = tuple(map(guidance_line, records))
    written = render_section(Profile(general=rows), budget=budget, lines=lines)
    assert len(written.encode()) <= budget
    assert written.count("\n") + 1 <= lines
    shown = [line[2:] for line in written.split("\n") if line.startswith("- ")]
    assert set(shown) <= {row.text for row in rows}
    assert len(shown) == 40 or f"{40 - len(shown)} more" in written


def test_a_budget_for_nothing_is_an_error():
    """Where not even the frame fits, the caller hears of it."""
    with pytest.raises(InputError, match="larger budget"):
        render_section(profile(RECORDS), budget=20)


def test_the_rest_of_a_file_stays():
    """Only what stands between the markers changes; a file without them gets the section at its end."""
    mine = "# Notes\n\nMy own rule.\n"
    once = insert_section(mine, render_section(profile(RECORDS)))
    twice = insert_section(once + "\nAfter.\n", render_section(profile(RECORDS[:1])))
    assert once.startswith(mine)
    assert twice.startswith(mine)
    assert twice.endswith("\nAfter.\n")
    assert "Pin versions" not in twice


@pytest.mark.parametrize(
    "marks", [(BEGIN,), (END,), (END, BEGIN), (BEGIN, END, BEGIN, END), (BEGIN, BEGIN, END), (BEGIN, END, END)]
)
def test_markers_that_are_no_pair_are_an_error(marks):
    """A file with half a pair, two pairs or a turned one is not guessed about: nothing below them is lost."""
    with pytest.raises(InputError, match="in line 2"):
        insert_section("\n".join(["text", *(line for one in marks for line in (one, "mine")), ""]), "ours")


LINES = st.lists(st.sampled_from(["# Notes", "mine", "", "- a rule", f"write `{BEGIN}` and {END} so"]), max_size=6)


@given(LINES, LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_all_else_in_a_file_stays_to_the_byte(above, below, ends, is_ended):
    """With either line end, with or without a last one: what stands outside the markers does not change."""
    mine = ends.join(above) + (ends if is_ended else "")
    written = render_section(profile(RECORDS))
    once = insert_section(mine, written)
    assert once.startswith(mine)
    more = once + ends.join(below)
    again = insert_section(more, render_section(profile(RECORDS[:1])))
    assert again.startswith(mine)
    assert again.endswith(ends.join(below))
    if ends in mine:  # an empty file has no line ends of its own
        assert insert_section(again, written) == more
        assert once.count("\n") == once.count(ends)


def test_a_section_that_does_not_end_is_not_learned_back():
    """Nobody can tell where our own lines end: the file is taken in when that is put right."""
    with pytest.raises(InputError, match="in line 2"):
        rules_in(f"- Keep functions short\n{BEGIN}\n- Use tabs\n")
    found = rules_in(f"- Keep functions short\n{BEGIN}\n- Use tabs\n{END}\n{BEGIN}\n- Pin versions\n{END}\n")
    assert [one.atom.text for one in found] == ["Keep functions short"]


FILE = """# Working here

This service was begun in spring and is used by three teams.

## Style

- Use four spaces, never tabs
- Keep functions short
* Don't add comments that repeat the code

## Testing

Always run the whole suite before you push. The suite takes a minute.

```bash
make test
```
"""


def test_rules_of_a_file_become_atoms():
    """Items and sentences that direct are read with their headings and places; prose and code are not."""
    found = rules_in(FILE)
    assert [(one.atom.text, one.headings[-1]) for one in found] == [
        ("Use four spaces, never tabs", "Style"),
        ("Keep functions short", "Style"),
        ("Don't add comments that repeat the code", "Style"),
        ("Always run the whole suite before you push", "Testing"),
    ]
    assert all(0 <= one.atom.start < one.atom.end <= len(FILE) for one in found)
    assert all(one.atom.directs_work for one in found)


def test_our_own_section_is_not_read_back():
    """What memory wrote into a file is not learned from the file."""
    assert rules_in(render_section(profile(RECORDS))) == ()
    assert len(rules_in(insert_section(FILE, render_section(profile(RECORDS))))) == len(rules_in(FILE))

"""The reflector: what episodes with outcomes teach."""

import pytest
from bullet_values import NOW, call, episode, result
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.procedural.reflector import confirms, error_line, explained_fix, read_call, reflect
from dopejar.values.episode import EpisodeKind, Origin
from dopejar.values.record import EvidenceRole

MAKE = '{"command": "make ship", "description": "ship it"}'
KEY = '{"command": "make key"}'


def test_another_command_that_went_through_is_the_lesson():
    """A command failed, another form of it passed: that form is advised, resting on both results."""
    turns = [
        call(0, "Bash", '{"command": "kettle brew --fast"}'),
        result(1, "warming\nError: valve is closed", "failure"),
        call(2, "Bash", '{"command": "kettle brew --slow"}'),
        result(3, "done", "success"),
    ]
    (lesson,) = reflect(turns)
    assert lesson.text == 'When `kettle brew --fast` fails with "Error: valve is closed", run `kettle brew --slow`.'
    assert [one.episode_id for one in lesson.evidence] == ["e_result1", "e_result3"]
    assert turns[1].text[lesson.evidence[0].start : lesson.evidence[0].end] == "Error: valve is closed"
    assert lesson.origin is Origin.TOOL
    assert lesson.confidence >= 0.5


@pytest.mark.parametrize(
    ("between", "advice"),
    [
        ([call(2, "Bash", KEY), result(3, "made", "success")], "run `make key` first and run it again"),
        ([call(2, "Edit", '{"file_path": "/srv/lock.cfg"}'), result(3, "ok", "")], "look at `lock.cfg` and run"),
        ([call(2, "Bash", '{"command": "ls keys"}'), result(3, "none", "success")], ""),
        ([call(2, "Bash", KEY), result(3, "no key", "failure")], ""),
        ([], ""),
    ],
)
def test_the_same_command_passed_after_something_was_done(between, advice):
    """What was done in between is advised; looking around, or what failed itself, teaches nothing."""
    turns = [
        call(0, "Bash", MAKE),
        result(1, "fatal: key is missing", "failure"),
        *between,
        call(8, "Bash", MAKE),
        result(9, "shipped", "success"),
    ]
    lessons = reflect(turns)
    assert [advice in one.text for one in lessons] == ([True] if advice else [])


@pytest.mark.parametrize("last", ["failure", ""])
def test_what_never_went_through_teaches_nothing(last):
    """A failure that was not mended, or whose end is not known, is no lesson."""
    turns = [
        call(0, "Bash", MAKE),
        result(1, "fatal: key is missing", "failure"),
        call(2, "Bash", KEY),
        result(3, "made", "success"),
        call(4, "Bash", MAKE),
        result(5, "?", last),
    ]
    assert reflect(turns) == ()


def test_a_fix_that_the_user_confirmed_is_the_lesson():
    """The assistant's sentence about the fix is advised; it rests on the user's word, with the sentence as context."""
    told = episode(
        "e_told",
        "I looked around. The problem was a stale lock file in the cache folder. Try it.",
        origin=Origin.ASSISTANT,
    )
    yes = episode("e_yes", "Great, that worked!", index=1, at=NOW)
    (lesson,) = reflect([told, yes])
    assert lesson.text == "The problem was a stale lock file in the cache folder."
    assert [(one.episode_id, one.role) for one in lesson.evidence] == [
        ("e_yes", EvidenceRole.ASSERTS),
        ("e_told", EvidenceRole.CONTEXT),
    ]


@pytest.mark.parametrize(
    ("words", "yes"),
    [
        ("That worked.", True),
        ("perfect, it works now", True),
        ("this fixed the crash", True),
        ("That worked, but the log is gone.", False),
        ("Did that work?", False),
        ("It works until I log in.", False),
        ("Please make it work.", False),
        ("", False),
    ],
)
def test_what_counts_as_a_confirmation(words, yes):
    """Only a plain yes confirms; a doubt, a question or a wish does not."""
    assert confirms(episode("e_x", words)) is yes


def test_a_recorded_confirmation_needs_no_words():
    """What the harness recorded as confirmed is confirmed, what it recorded as rejected is not."""
    assert confirms(episode("e_x", "y", outcome="confirmed"))
    assert not confirms(episode("e_x", "that worked", outcome="rejected"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Bash {"command": "say \\"hi\\" now"}', ("bash", 'say "hi" now')),
        ('Edit {"file_path": "a/b.txt", "new": "x"}', ("edit", "a/b.txt")),
        ('Grep {"pattern": "x"}', ("grep", "")),
        ("made of words", ("made", "")),
        ('Bash {"command": "cut in the mid', ("bash", "")),
    ],
)
def test_calls_are_read(text, found):
    """Tool and command are read from a call; what is cut or other gives no command."""
    assert read_call(text) == found


def test_the_error_line_is_the_last_that_names_one():
    """Of a long output, the last line that names an error, without quotes and not cut within a word."""
    assert error_line('ok\nValueError: "a" is odd\nbye') == "ValueError: 'a' is odd"
    assert error_line("all is well") == ""
    assert len(error_line("Error: " + "word " * 100)) <= 110


def test_an_explained_fix_stands_by_itself():
    """The last sentence that explains a fix is taken; questions and code are not."""
    assert explained_fix("Was the fix the lock? The fix was to remove the lock file.") == (
        "The fix was to remove the lock file."
    )
    assert explained_fix("Nothing of the kind.") == ""


kinds = st.sampled_from(EpisodeKind)
odd = st.builds(
    lambda place, text, kind, origin, outcome: episode(f"e_{place}", text, kind=kind, origin=origin, outcome=outcome),
    st.integers(0, 50),
    st.text(max_size=80),
    kinds,
    st.sampled_from(Origin),
    st.sampled_from(["", "success", "failure", "rejected", "confirmed"]),
)


@given(st.lists(odd, max_size=20))
def test_any_trace_is_read_without_a_fault(turns):
    """Whatever the episodes hold, reflecting gives the same insights twice, each with evidence in it."""
    found = reflect(turns)
    assert found == reflect(turns)
    ids = {one.id for one in turns}
    assert all(row.episode_id in ids for one in found for row in one.evidence)

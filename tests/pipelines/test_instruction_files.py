"""Instruction files: taken in by a person's act, staged line by line, never twice and never our own words back."""

import json

import pytest
from whole_store import seen

from dopejar import InputError, NotFoundError, Status, open_memory
from dopejar.values.recall import RecordFilter

SECRET = "correct horse " + "battery"
FILE = """# Atlas

Atlas draws maps from survey data. It has two services.

## Python

- Never use bare except clauses.
- Use `uv` instead of pip.

## Git

- Do not commit to main.
- In all projects, write the changelog entry first.
"""


@pytest.fixture
def memory(tmp_path):
    """A fresh memory with one reviewer, in a project."""
    with open_memory(tmp_path / "home", environment={}, project="atlas") as opened:
        opened.reviewers.add("ana", SECRET)
        yield opened


@pytest.fixture
def file(tmp_path):
    """An instruction file."""
    path = tmp_path / "CLAUDE.md"
    path.write_text(FILE, encoding="utf-8")
    return path


def queued(memory):
    """What waits: text and scope."""
    return {(item.text, str(item.proposal.scope)) for item in memory.review.queue()}


def test_every_rule_waits_with_its_line_as_evidence(memory, file):
    """Each line that tells what to do is staged; prose about the project is not; nothing is believed by itself."""
    found = memory.sessions.import_instructions(file)
    assert found.rules == 4
    assert queued(memory) == {
        ("Never use bare except clauses", "project:atlas"),
        ("Use `uv` instead of pip", "project:atlas"),
        ("Do not commit to main", "project:atlas"),
        ("In all projects, write the changelog entry first", "universal"),
    }
    assert memory.list(RecordFilter(statuses=(Status.ACTIVE,)), 10) == ()
    item = memory.review.show(next(one.proposal.id for one in memory.review.queue() if "except" in one.text))
    ((_, episode),) = item.evidence
    assert "bare except" in episode.text
    assert episode.note == "CLAUDE.md, line 7, under Atlas > Python"
    assert "CLAUDE.md" in item.proposal.rationale


def test_everywhere_means_everywhere_or_the_language(memory, file):
    """Without a project a line holds everywhere, or in the language of its words or its heading."""
    memory.sessions.import_instructions(file, everywhere=True)
    assert queued(memory) == {
        ("Never use bare except clauses", "language:python"),
        ("Use `uv` instead of pip", "language:python"),
        ("Do not commit to main", "universal"),
        ("In all projects, write the changelog entry first", "universal"),
    }


def test_the_same_file_again_stages_nothing(memory, file):
    """Twice is once; of a changed file only the new line is staged, also where the others moved."""
    memory.sessions.import_instructions(file)
    again = memory.sessions.import_instructions(file)
    assert (again.receipts, again.known) == ((), 4)
    file.write_text(FILE.replace("## Python", "Two words about style.\n\n## Python") + "- Never force push.\n", "utf-8")
    changed = memory.sessions.import_instructions(file)
    assert [one.outcome for one in changed.receipts] == ["staged"]
    assert len(memory.review.queue()) == 5


def test_our_own_section_is_not_learned_back(memory, file):
    """What `instructions --into` wrote came from memory and is passed over."""
    memory.sessions.import_instructions(file)
    memory.review.approve(
        [item.proposal.id for item in memory.review.queue()], memory.reviewers.unlock(SECRET), seen=seen(memory)
    )
    memory.surveys.instructions(file)
    assert "dopejar:begin" in file.read_text("utf-8")
    other = file.with_name("AGENTS.md")
    other.write_text(memory.surveys.instructions(), encoding="utf-8")
    assert memory.sessions.import_instructions(other).rules == 0
    assert memory.sessions.import_instructions(file).receipts == ()


def test_what_was_rejected_stays_away(memory, file):
    """A file does not bring back what a person rejected, not even under another heading."""
    memory.sessions.import_instructions(file)
    ids = [item.proposal.id for item in memory.review.queue()]
    memory.review.reject(ids, memory.reviewers.unlock(SECRET), "not ours", seen=seen(memory))
    file.write_text(FILE.replace("## Git", "## Version control"), encoding="utf-8")
    assert all(one.outcome != "staged" for one in memory.sessions.import_instructions(file).receipts)
    assert memory.review.queue() == ()


def test_a_file_is_undone_by_its_name(memory, file):
    """Everything that was taken in from a file goes with one undo."""
    memory.sessions.import_instructions(file)
    memory.undo(str(file), memory.reviewers.unlock(SECRET))
    assert memory.review.queue() == ()


def test_a_correction_and_a_line_that_say_the_same_are_one(memory, file, tmp_path):
    """What a person said in a talk and wrote into the file is one proposal resting on both."""
    talk = tmp_path / "talk.jsonl"
    turns = [("user", "add a retry"), ("assistant", "Done, committed to main."), ("user", "no, never commit to main")]
    talk.write_text("".join(json.dumps({"role": who, "content": words}) + "\n" for who, words in turns))
    list(memory.learn([talk]))
    memory.sessions.import_instructions(file)
    assert len(memory.review.queue()) == 4
    (item,) = [one for one in memory.review.queue() if "main" in one.text]
    assert len(item.proposal.evidence) == 2


def test_secrets_of_a_file_are_not_kept(memory, file):
    """A key in a line is replaced before anything is kept."""
    key = "AKIA" + "Q7ZJD3N5" + "RT2MXWPL"
    file.write_text(f"- Always use the key {key} for uploads.\n", encoding="utf-8")
    found = memory.sessions.import_instructions(file)
    assert found.redactions
    assert key not in str(queued(memory))


def test_a_pasted_file_still_teaches_nothing(memory, file, tmp_path):
    """The guard against instruction files in a talk is as it was: pasting one is no act of taking it in."""
    talk = tmp_path / "talk.jsonl"
    pasted = f"# CLAUDE.md\n\n{FILE}"
    turns = [("user", pasted), ("assistant", "I read it."), ("user", "thanks")]
    talk.write_text("".join(json.dumps({"role": who, "content": words}) + "\n" for who, words in turns))
    list(memory.learn([talk]))
    assert memory.review.queue() == ()


@pytest.mark.parametrize(
    ("content", "error"),
    [(None, NotFoundError), (b"\xff\xfe\x00\x81", InputError), (b"- Never x.\n" * 30_000, InputError)],
)
def test_what_is_no_instruction_file_is_one_sentence(memory, tmp_path, content, error):
    """A file that is missing, binary or endless leaves nothing behind."""
    path = tmp_path / "AGENTS.md"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=r"AGENTS\.md"):
        memory.sessions.import_instructions(path)
    assert memory.sessions.list() == ()
    assert memory.review.queue() == ()


def test_a_file_without_rules_stages_nothing(memory, tmp_path):
    """Prose that tells nobody what to do is passed over."""
    path = tmp_path / "AGENTS.md"
    path.write_text("# Atlas\n\nAtlas draws maps. It was begun in 2019.\n", encoding="utf-8")
    assert memory.sessions.import_instructions(path).rules == 0

"""An export may have been edited: nothing in it is believed that nobody here saw or that no turn says."""

import json

import pytest
from whole_store import write_conversation

from dopejar import InputError, open_memory
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Status

SECRET = "correct horse " + "battery"
TURNS = [(0, "I like green tea."), (1, "The gateway listens on port 7443."), (2, "Never push to the release branch.")]
FORCE = RecordFilter(statuses=(Status.ACTIVE,), namespace=None)


@pytest.fixture
def lines(tmp_path):
    """The lines of an export: two facts in force, a rule that waits."""
    with open_memory(tmp_path / "source", environment={}, said_by="user") as memory:
        list(memory.learn([write_conversation(tmp_path, "one", TURNS)]))
        memory.remember("Never deploy on a Friday evening.", said_by="assistant")
        memory.exchange.export_to(tmp_path / "out.jsonl")
    return [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]


@pytest.fixture
def target(tmp_path):
    """An empty memory with one reviewer."""
    with open_memory(tmp_path / "target", environment={}, said_by="user") as memory:
        memory.reviewers.add("ben", SECRET)
        yield memory


def write(tmp_path, lines):
    """The lines as a file."""
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def record(lines, word):
    """The line of the memory that says a word."""
    (found,) = [line for line in lines if line["type"] == "record" and word in line["text"]]
    return found


def imported(memory, path, confirmed=""):
    """Import the file; the report, once doctor has found the store sound."""
    report = memory.exchange.import_from(path, memory.reviewers.unlock(SECRET), confirmed=confirmed)
    assert memory.maintenance.doctor().faults == ()
    return report


def in_force(memory):
    """The texts in force."""
    return sorted(one.text for one in memory.list(FORCE))


@pytest.mark.parametrize("word", ["release", "Friday"])
def test_guidance_waits_whatever_its_line_says(target, tmp_path, lines, word):
    """A rule that waited there, edited to be in force, approved and pinned, waits here for a person."""
    record(lines, word).update(status="active", approved_by="ben", pinned=True)
    report = imported(target, write(tmp_path, lines))
    assert in_force(target) == ["I like green tea", "The gateway listens on port 7443"]
    assert any(word in memory.text for memory in report.preview.waits)
    assert any(word in item.text for item in target.review.queue())
    assert not any(one.approved_by == "ben" for one in target.list(RecordFilter(statuses=(Status.STAGED,))))


def test_a_fact_that_directs_work_is_guidance(target, tmp_path, lines):
    """A rule that calls itself a fact or a preference waits as well: its words count, not its kind."""
    for kind in ("fact", "preference"):
        record(lines, "release").update(status="active", kind=kind)
        imported(target, write(tmp_path, lines))
        assert not any("release" in text for text in in_force(target))


def test_what_a_reviewer_confirmed_is_in_force(target, tmp_path, lines):
    """Guidance in force there is in force here where the list was confirmed, by the reviewer who imports."""
    record(lines, "release").update(status="active", approved_by="ana")
    path = write(tmp_path, lines)
    preview = target.exchange.preview_import(path)
    imported(target, path, preview.digest)
    (rule,) = [one for one in target.list(FORCE) if "release" in one.text]
    assert rule.approved_by == "ben"
    assert "approved there by ana" in rule.attributes["imported_from"]


def test_a_file_that_changed_since_it_was_listed_is_not_imported(target, tmp_path, lines):
    """What is confirmed is what was listed."""
    path = write(tmp_path, lines)
    digest = target.exchange.preview_import(path).digest
    record(lines, "tea")["text"] = "I like oolong tea"
    write(tmp_path, lines)
    with pytest.raises(InputError, match="changed since"):
        imported(target, path, digest)


def edited(**changes):
    """A change of the memory and its evidence."""

    def change(lines):
        line = record(lines, "tea")
        line.update({name: value for name, value in changes.items() if name in line or name in ("trust", "pinned")})
        for row in line["evidence"]:
            row.update({name: value for name, value in changes.items() if name in row})

    return change


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (edited(text="I like gasoline", wording="I like gasoline"), "words are not those"),
        (edited(text="Never eat breakfast", wording="Never eat breakfast", kind="rule"), "words are not those"),
        (edited(episode_id="e_0000000000000000"), "neither in the file nor here"),
        (edited(start=10, end=2), "cites characters"),
        (edited(start=0, end=900), "cites characters"),
        (edited(start=3, end=3), "cites characters"),
    ],
)
def test_a_memory_that_its_turn_does_not_say_is_refused(target, tmp_path, lines, change, why):
    """The line is named with the reason; every other line comes in; doctor is content."""
    change(lines)
    report = imported(target, write(tmp_path, lines))
    (refused,) = report.preview.refused
    assert why in refused.why
    assert lines[refused.line - 1]["type"] == "record"
    assert in_force(target) == ["The gateway listens on port 7443"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("trust", 99),
        ("trust", -1),
        ("trust", float("nan")),
        ("confidence", 1.5),
        ("certainty", True),
        ("valid_from", "9999-12-31T23:59:59+00:00"),
        ("created_at", "2099-01-01T00:00:00+00:00"),
        ("kind", "law"),
        ("status", "sacred"),
        ("version", -3),
        ("text", "x" * 1_000_001),
        ("text", "a\0b"),
        ("text", "\ud800"),
        ("key", 7),
        ("tags", "tag"),
        ("attributes", {"a": 1}),
        ("pinned", "yes"),
        ("id", "m_1'; DROP TABLE records"),
        ("scope", "galaxy:all"),
        ("evidence", [[]]),
        ("evidence", [{"episode_id": "e_1"}]),
    ],
)
def test_a_value_out_of_bounds_is_named_and_nothing_is_written(target, tmp_path, lines, name, value):
    """The whole file is refused with the number of the line."""
    line = record(lines, "tea")
    line[name] = value
    with pytest.raises(InputError, match=f"line {lines.index(line) + 1}"):
        target.exchange.import_from(write(tmp_path, lines), target.reviewers.unlock(SECRET))
    assert in_force(target) == []


def test_no_trust_beyond_that_of_the_speaker(target, tmp_path, lines):
    """Evidence in an assistant's turn has an assistant's trust, whatever the line says."""
    for line in lines:
        if line["type"] == "record":
            line["trust"] = 1.0
            for row in line["evidence"]:
                row["trust"] = 1.0
    imported(target, write(tmp_path, lines))
    (item,) = [item for item in target.review.queue() if "Friday" in item.text]
    assert {row.trust for row in item.proposal.evidence} == {0.4}


def test_a_turn_that_is_here_stays(target, tmp_path, lines):
    """Neither by its id nor by its place is a turn changed or joined by another one."""
    imported(target, write(tmp_path, lines))
    turn = next(line for line in lines if line["type"] == "episode" and "tea" in line["text"])
    turn["text"] = "I like gasoline."
    imported(target, write(tmp_path, lines))
    turn["id"] = "e_1111111111111111"
    report = imported(target, write(tmp_path, lines))
    assert "another turn stands at place" in report.preview.refused[0].why
    with target.store.read() as view:
        assert "I like green tea." in [one.text for one in view.turns(turn["conversation"])]
        assert "gasoline" not in str([one.text for one in view.turns(turn["conversation"])])


def test_importing_again_adds_nothing_to_what_was_decided(target, tmp_path, lines):
    """What was approved here is known when the file comes again; what was rejected stays rejected."""
    path = write(tmp_path, lines)
    imported(target, path)
    by = target.reviewers.unlock(SECRET)
    for item in target.review.queue():
        seen = {item.proposal.id: item.proposal.version}
        if "Friday" in item.text:
            target.review.reject([item.proposal.id], by, "not ours", seen=seen)
        else:
            target.review.approve([item.proposal.id], by, seen=seen)
    before = in_force(target)
    assert any("release" in text for text in before)
    imported(target, path)
    assert in_force(target) == before
    assert target.review.queue() == ()


def test_a_secret_that_was_written_into_an_export_is_redacted(target, tmp_path, lines):
    """Texts are redacted on their way in, memories as well as turns."""
    secret = "AKIA" + "QYLPMN5HFIQR7XYZ"
    said = f"I like green tea and {secret}."
    for line in lines:
        if line["type"] == "episode" and "tea" in line["text"]:
            line["text"] = said
        if line["type"] == "record" and "tea" in line["text"]:
            line["text"] = line["evidence"][0]["wording"] = said
            line["evidence"][0].update(start=0, end=len(said))
    target.exchange.import_from(write(tmp_path, lines), target.reviewers.unlock(SECRET))
    assert not any(secret.encode() in file.read_bytes() for file in (tmp_path / "target").iterdir() if file.is_file())


def test_what_was_deprecated_there_is_not_in_force_here(tmp_path, target):
    """A memory that was taken out of use stays out of use."""
    with open_memory(tmp_path / "source", environment={}, said_by="user") as memory:
        memory.reviewers.add("ana", SECRET)
        memory.remember("The gateway listens on port 7443.")
        memory.delete([memory.list()[0].id], memory.reviewers.unlock(SECRET))
        memory.exchange.export_to(tmp_path / "out.jsonl")
    imported(target, tmp_path / "out.jsonl")
    assert in_force(target) == []
    assert [one.status for one in target.list(RecordFilter(statuses=(Status.DEPRECATED,)))] == ["deprecated"]


def test_how_far_a_live_conversation_was_learned_comes_along(tmp_path, target):
    """The next turn of a live conversation joins the imported one, and only what is new is learned."""
    from dopejar import LiveTurn

    with open_memory(tmp_path / "source", environment={}, said_by="user") as memory:
        for place, (_, words) in enumerate(TURNS):
            memory.observe(LiveTurn(conversation="talk", source_id=str(place), text=words))
        memory.sessions.end()
        memory.observe(LiveTurn(conversation="talk", source_id="3", text="I live in Lisbon."))
        memory.exchange.export_to(tmp_path / "out.jsonl")
    imported(target, tmp_path / "out.jsonl")
    seen = target.observe(LiveTurn(conversation="talk", source_id="4", text="I work in Porto."))
    assert seen.unlearned == 2
    with target.store.read() as view:
        assert len(view.conversations(10)) == 1

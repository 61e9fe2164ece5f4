"""Live turns: observed one by one they come to what learning the same conversation from a file comes to."""

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import believed, chain_faults, unlocked

from dopejar import EpisodeKind, LiveTurn, Origin, Speaker, open_memory
from dopejar.engine.ingest.live_turns import LearningDue, Observation
from dopejar.errors import InputError

NAME = "talk"
BEGAN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
USER, ASSISTANT = Origin.USER, Origin.ASSISTANT
TALK = (
    (USER, "I prefer dark mode. Add a retry to the upload client."),
    (ASSISTANT, "Done. I added a retry and committed it to main."),
    (USER, "no, never commit to main. always use a feature branch"),
    (ASSISTANT, "Moved to a feature branch."),
    (USER, "I switched to light mode. My sister is called Marta."),
)
said = st.lists(
    st.tuples(
        st.sampled_from((USER, USER, ASSISTANT)),
        st.sampled_from(
            (
                *(words for _, words in TALK),
                "We deploy on AWS.",
                "We no longer deploy on AWS.",
                "From now on run the linter before every commit.",
                "The token is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
                "Thanks, that works!",
            )
        ),
    ),
    min_size=1,
    max_size=6,
)


def live(talk, place, **more):
    """The turn at a place of a talk, as a host observes it."""
    origin, words = talk[place]
    at = BEGAN + timedelta(minutes=place)
    return LiveTurn(conversation=NAME, source_id=str(place), text=words, origin=origin, at=at, format="neutral", **more)


def as_file(folder, talk):
    """The same talk as a transcript in the neutral format."""
    path = Path(folder) / f"{NAME}.jsonl"
    rows = [
        {"role": origin.value, "content": words, "ts": (BEGAN + timedelta(minutes=place)).isoformat()}
        for place, (origin, words) in enumerate(talk)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def opened(home, **environment):
    """A memory in a project."""
    return open_memory(home, environment=environment, project="atlas", said_by="user")


def trace(memory):
    """Every kept turn: its id, place, time, speaker and words."""
    with memory.store.read() as view:
        return [
            (turn.id, turn.index, turn.at, turn.speaker, turn.origin, turn.text, turn.source_id)
            for row in view.conversations(10)
            for turn in view.turns(row.id)
        ]


def learned(talk):
    """What a fresh store believes and keeps after learning the talk from a file."""
    with tempfile.TemporaryDirectory() as home, opened(Path(home) / "home") as memory:
        list(memory.learn([as_file(home, talk)]))
        return believed(memory), trace(memory)


@settings(max_examples=20)
@given(said)
def test_observing_and_ending_is_learning_from_the_file(talk):
    """The same records, evidence, chains, proposals and episodes, by either way in."""
    with tempfile.TemporaryDirectory() as home, opened(Path(home) / "home") as memory:
        for place in range(len(talk)):
            assert memory.observe(live(talk, place)).outcome is Observation.KEPT
        memory.sessions.end()
        assert chain_faults(memory) == []
        assert (believed(memory), trace(memory)) == learned(talk)


@settings(max_examples=15)
@given(said, st.integers(1, 6))
def test_where_learning_happens_in_between_does_not_matter(talk, cut):
    """Learning from the first turns while the conversation goes on ends in the state of a file that grew."""
    with (
        tempfile.TemporaryDirectory() as home,
        opened(Path(home) / "live") as memory,
        opened(Path(home) / "file") as other,
    ):
        for place in range(len(talk)):
            if place == cut:
                memory.sessions.learn()
                list(other.learn([as_file(home, talk[:cut])]))
            memory.observe(live(talk, place))
        memory.sessions.end()
        list(other.learn([as_file(home, talk)]))
        assert believed(memory) == believed(other)


@pytest.mark.parametrize("observed", [1, 3, len(TALK)])
def test_a_file_of_observed_turns_is_learned_once(tmp_path, observed):
    """The transcript of a conversation that was observed in part, or whole, comes to what it alone comes to."""
    with opened(tmp_path / "home") as memory:
        for place in range(observed):
            memory.observe(live(TALK, place))
        (result,) = memory.learn([as_file(tmp_path, TALK)])
        assert (result.known, result.episodes) == (observed, len(TALK) - observed)
        assert (believed(memory), trace(memory)) == learned(TALK)
        head = memory.verify().head
        memory.sessions.end()
        assert memory.verify().head == head


def test_live_turns_go_on_where_a_file_ended(tmp_path):
    """A conversation that was imported is found by its name: what it holds is known, and the next turn joins it."""
    with opened(tmp_path / "home") as memory:
        list(memory.learn([as_file(tmp_path, TALK[:3])]))
        assert memory.observe(live(TALK, 2)).outcome is Observation.KNOWN
        for place in (3, 4):
            assert memory.observe(live(TALK, place)).outcome is Observation.KEPT
        memory.sessions.end()
        assert (believed(memory), trace(memory)) == learned(TALK)


def test_observing_twice_changes_nothing(tmp_path):
    """A turn that was observed, or learned from a file, is known."""
    with opened(tmp_path / "home") as memory:
        first = memory.observe(live(TALK, 0))
        again = memory.observe(live(TALK, 0))
        assert (first.outcome, again.outcome) == (Observation.KEPT, Observation.KNOWN)
        assert first.episode_id == again.episode_id
        assert len(trace(memory)) == 1
        memory.sessions.end()
        before = believed(memory), memory.verify().head
        assert memory.observe(live(TALK, 0)).unlearned == 0
        memory.sessions.end()
        assert (believed(memory), memory.verify().head) == before


def test_turns_observed_at_once_are_kept_once_each(tmp_path):
    """Several threads that observe the turns of one conversation keep each of them once, each at a place of its own."""
    with opened(tmp_path / "home") as memory:
        memory.observe(live(TALK, 0))
        with ThreadPoolExecutor(8) as pool:
            outcomes = list(pool.map(lambda place: memory.observe(live(TALK, place)).outcome, [1, 2, 3, 4] * 4))
        kept = trace(memory)
        assert outcomes.count(Observation.KEPT) == len(TALK) - 1
        assert [index for _, index, *_ in kept] == list(range(len(TALK)))
        assert {text for *_, text, _ in kept} == {words for _, words in TALK}


def test_secrets_and_private_spans_are_redacted(tmp_path):
    """What is kept of a turn is what an import keeps of it."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    talk = ((USER, f"My token is {secret}. <private>My PIN is 4711.</private> I prefer dark mode."),)
    with opened(tmp_path / "home") as memory:
        observed = memory.observe(live(talk, 0))
        ((_, _, _, _, _, kept, _),) = trace(memory)
    assert sum(observed.redactions.values()) == 2
    assert secret not in kept
    assert "4711" not in kept
    assert "dark mode" in kept


def test_a_turn_without_consent_says_so(tmp_path):
    """Words of an origin that is not to be kept leave nothing behind, and the next turn is kept all the same."""
    with opened(tmp_path / "home", DOPEJAR_CONSENT_PERSIST="user") as memory:
        assert memory.observe(live(TALK, 1)).outcome is Observation.REFUSED
        assert trace(memory) == []
        assert memory.observe(live(TALK, 0)).outcome is Observation.KEPT


def test_an_erased_turn_does_not_come_back(tmp_path):
    """What a person had erased is not kept again."""
    with opened(tmp_path / "home") as memory:
        memory.reviewers.add("ana", "correct horse battery")
        for place in range(3):
            memory.observe(live(TALK, place))
        memory.erase(memory.reviewers.unlock("correct horse battery"), conversation=NAME)
        assert memory.observe(live(TALK, 0)).outcome in (Observation.ERASED, Observation.KNOWN)
        assert all("dark mode" not in turn[5] for turn in trace(memory))


def test_nothing_is_learned_before_it_is_due(tmp_path):
    """A turn is kept and found by recall at once; what it says is believed when its conversation is learned from."""
    with opened(tmp_path / "home") as memory:
        observed = memory.observe(live(TALK, 0))
        assert (observed.due, observed.unlearned, observed.waiting) == (None, 1, 0)
        assert memory.list() == ()
        assert [item.source.value for item in memory.recall("which mode do I prefer?").items] == ["episode"]
        result = memory.sessions.learn()  # what recall quoted meanwhile was said before it
        assert (result.atoms, dict(result.guarded)) == (1, {})
        assert [record.text for record in memory.list()] == ["I prefer dark mode"]


def test_the_end_a_batch_and_silence_make_learning_due(tmp_path):
    """The host's word, as many turns as an import learns from at once, and half an hour of silence."""
    with opened(tmp_path / "home", DOPEJAR_LEARN_BATCH="3") as memory:
        assert [memory.observe(live(TALK, place)).due for place in range(3)] == [None, None, LearningDue.BATCH]
        memory.sessions.learn()
        later = BEGAN + timedelta(hours=2)
        more = LiveTurn(conversation=NAME, source_id="3", text="And now?", at=later, format="neutral")
        assert memory.observe(more).due is None  # nothing waited when it fell silent
        much_later = LiveTurn(
            conversation=NAME, source_id="4", text="Hello again.", at=later + timedelta(hours=2), format="neutral"
        )
        assert memory.observe(much_later).due is LearningDue.IDLE
        last = LiveTurn(conversation="other", source_id="0", text="I live in Lisbon.", at=BEGAN, is_last=True)
        assert memory.observe(last).due is LearningDue.ENDED


def test_what_recall_returned_before_is_an_echo(tmp_path):
    """A live turn that repeats what recall had given the assistant is not learned from."""
    with opened(tmp_path / "home") as memory:
        memory.note_injected(["The ledger service uses Postgres."])
        memory.observe(LiveTurn(conversation=NAME, source_id="0", text="The ledger service uses Postgres."))
        assert memory.sessions.learn().guarded == {"recall_loop": 1}
        assert memory.list() == ()


def test_a_proposal_that_waits_is_counted(tmp_path):
    """A host learns with each turn how much waits for a person."""
    with opened(tmp_path / "home") as memory:
        for place in range(3):
            memory.observe(live(TALK, place))
        memory.sessions.learn()
        assert memory.observe(live(TALK, 3)).waiting == memory.review.waiting() > 0


def test_silence_ends_an_observed_conversation(tmp_path):
    """Housekeeping learns from what was observed once nobody said anything for half an hour."""
    now = datetime.now(UTC)
    with opened(tmp_path / "home") as memory:
        turn = LiveTurn(conversation=NAME, source_id="0", text="I prefer dark mode.", at=now - timedelta(minutes=45))
        memory.observe(turn)
        assert memory.maintenance.maintain().ended == 1
        assert [record.text for record in memory.list()] == ["I prefer dark mode"]
        assert memory.maintenance.maintain().ended == 0


def test_tool_calls_and_results_teach_bullets(tmp_path):
    """A command that failed and then went through is read from live turns as from a transcript."""
    steps = [
        (EpisodeKind.TOOL_CALL, ASSISTANT, json.dumps({"command": "make test"}), ""),
        (EpisodeKind.TOOL_RESULT, Origin.TOOL, "error: no module named pytest", "failure"),
        (EpisodeKind.TOOL_CALL, ASSISTANT, json.dumps({"command": "make test PYTHON=.venv/bin/python"}), ""),
        (EpisodeKind.TOOL_RESULT, Origin.TOOL, "12 passed", "success"),
    ]
    with opened(tmp_path / "home") as memory:
        memory.observe(LiveTurn(conversation=NAME, source_id="ask", text="Run the tests."))
        for place, (kind, origin, text, outcome) in enumerate(steps):
            parent = str(place - 1) if kind is EpisodeKind.TOOL_RESULT else ""
            turn = LiveTurn(
                conversation=NAME,
                source_id=str(place),
                text=text,
                origin=origin,
                kind=kind,
                tool="Bash",
                outcome=outcome,
                parent=parent,
            )
            memory.observe(turn)
        memory.sessions.end()
        (bullet,) = memory.bullets.list_staged()
    assert "make test" in bullet.text


@pytest.mark.parametrize(
    "turn",
    [
        LiveTurn(conversation=NAME, source_id="0", text="  "),
        LiveTurn(conversation="", source_id="0", text="Hello."),
        LiveTurn(conversation=NAME, source_id="", text="Hello."),
        LiveTurn(conversation=NAME, source_id="0", text="Hello.", at=datetime(2026, 3, 1, 9, 0)),  # noqa: DTZ001
    ],
)
def test_what_is_no_turn_is_refused(tmp_path, turn):
    """A turn needs words, names and an aware time."""
    with opened(tmp_path / "home") as memory, pytest.raises(InputError):
        memory.observe(turn)


def test_what_stands_beside_a_turn_is_redacted_too(tmp_path):
    """No file of the store holds a secret that a session, turn, speaker, note or reviewer is named or gives."""
    secrets = ["ghp_" + letter * 3 + "B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8" for letter in "abcdefgh"]
    with open_memory(tmp_path / "home", environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="assistant") as memory:
        reviewer = memory.reviewers.add("ana", "correct horse battery") or memory.reviewers.unlock(
            "correct horse battery"
        )
        turns = [
            LiveTurn(
                conversation=f"talk {secrets[0]}",
                source_id=f"{place} {secrets[1]}",
                text=words,
                speaker=secrets[2],
                note=f"by {secrets[7]}",
            )
            for place, words in enumerate(("I prefer dark mode.", "The shed is in Oslo."))
        ]
        observed = [memory.observe(turn) for turn in turns]
        assert [one.outcome for one in observed] == [Observation.KEPT] * 2
        assert memory.observe(turns[1]).outcome is Observation.KNOWN
        path = tmp_path / f"{secrets[3]}.jsonl"
        rows = [{"role": "user", "speaker": secrets[4], "content": "We deploy on Fridays.", "turn_id": secrets[4]}]
        path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
        list(memory.learn([path]))
        memory.remember("Always run the linter before a commit.")
        waiting = [item.proposal for item in memory.review.queue()]
        memory.review.reject(
            [waiting[0].id], reviewer, reason=f"it names {secrets[5]}", seen={waiting[0].id: waiting[0].version}
        )
        memory.bullets.add("Check the schema before each call.", source_trace_id=f"t {secrets[6]}")
        dump = json.dumps(believed(memory), default=str) + str([*memory.log()])
    data = b"".join(file.read_bytes() for file in (tmp_path / "home").rglob("*") if file.is_file())
    found = [place for place, secret in enumerate(secrets) if secret in dump or secret.encode() in data]
    assert found == [3]  # the path of a file is kept: it is where the conversation is read again


def test_names_and_iso_times_stand_for_values(tmp_path):
    """Origins and kinds by their names, and times as ISO texts, do what the values do: same turns, same memories."""
    said_at = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
    given = [
        (Origin.ASSISTANT, EpisodeKind.TURN, said_at),
        ("assistant", "turn", "2026-03-02T09:30:00Z"),
        ("assistant", EpisodeKind.TURN, "2026-03-02T10:30:00+01:00"),
    ]
    kept = set()
    for number, (origin, kind, at) in enumerate(given):
        with open_memory(tmp_path / str(number), environment={"DOPEJAR_EMBEDDER_KIND": "none"}) as memory:
            memory.observe(LiveTurn(conversation="yard", source_id="1", text="Noted.", origin=origin, kind=kind, at=at))
            memory.add([{"role": "user", "content": "We have two cats.", "at": at}], conversation="shed")
            memory.remember("I live in Faro.", at=at, speaker=Speaker(origin="user", name="user"))
            with memory.store.read() as view:
                rows = [turn for row in view.conversations(9) for turn in view.turns(row.id)]
            kept.add(tuple(sorted((turn.text, turn.origin, turn.kind, turn.at) for turn in rows)))
    assert len(kept) == 1
    assert {at for _, _, _, at in kept.pop()} == {said_at}


def test_an_unknown_speaker_is_told_when_the_memory_is_opened(tmp_path):
    """The error comes at once and names who there is; no store is made."""
    with pytest.raises(InputError, match="user, other"):
        open_memory(tmp_path / "home", said_by="alice")
    assert not (tmp_path / "home").exists()


def test_other_words_under_a_known_id_are_reported(tmp_path):
    """What was kept stays, and the host is told; the same words again, withheld and erased ones are not changed."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as memory:

        def said(number, text):
            return memory.observe(LiveTurn(conversation="yard", source_id=number, text=text))

        first = ["We have two cats.", "Off the record: I may move.", "My password is " + "Plum%77" + "xy", "I row."]
        kept = [said(str(number), text) for number, text in enumerate(first)]
        assert not any(one.is_changed for one in kept)
        assert not any(said(str(number), text).is_changed for number, text in enumerate(first))
        memory.erase(unlocked(memory), episodes=[kept[3].episode_id])
        assert [said(str(number), "We have three dogs.").is_changed for number in range(4)] == [
            True,
            False,
            True,
            False,
        ]
        messages = [{"role": "user", "id": "7", "content": text} for text in ("I live in Faro.", "I live in Brno.")]
        assert not memory.add(messages[:1], conversation="shed").left_out
        assert memory.add(messages[1:], conversation="shed").left_out == {"other words under an id that is known": 1}
        with memory.store.read() as view:
            assert view.episode(kept[0].episode_id).text == first[0]

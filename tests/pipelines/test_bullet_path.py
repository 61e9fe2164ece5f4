"""Bullets on a real store: from an insight to the shared side, and every way back."""

import json
import re
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tool_sessions import LESSON, MENDED, write_session
from whole_store import seen

from dopejar import InputError, NotFoundError, RefusedError, Status, open_memory
from dopejar.compose import build
from dopejar.compose.stores import open_store
from dopejar.engine.bullets.procedural_memory import ProceduralMemory
from dopejar.engine.dependencies import Speaker, host_speaker
from dopejar.errors import ReviewerRequiredError, StaleProposalError
from dopejar.pipelines.procedural.classifier import HemisphereClassifier
from dopejar.settings import read_settings
from dopejar.values.edge import EdgeKind
from dopejar.values.episode import Origin
from dopejar.values.proposal import ProposalState, Via
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Kind
from dopejar.values.scope import Side

SECRET = "correct horse " + "battery"
RULE = "Always validate the schema before calling the service."
AGENT = Speaker(origin=Origin.ASSISTANT, name="agent")
USER = Speaker(origin=Origin.USER, name="user")
TOOL = Speaker(origin=Origin.TOOL, name="tests")
QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}


@pytest.fixture
def memory(tmp_path):
    """A fresh memory with two reviewers."""
    with open_memory(tmp_path / "home", environment=QUIET, said_by="user") as opened:
        opened.reviewers.add("ana", SECRET)
        opened.reviewers.add("bo", SECRET + "s", opened.reviewers.unlock(SECRET))
        yield opened


@pytest.fixture
def ana(memory):
    """A reviewer."""
    return memory.reviewers.unlock(SECRET, name="ana")


@pytest.fixture
def bo(memory):
    """Another reviewer."""
    return memory.reviewers.unlock(SECRET + "s", name="bo")


@pytest.fixture
def bullets(memory):
    """The bullets of that memory."""
    return memory.bullets


def with_settings(memory, **changes):
    """The same bullets under other settings."""
    deps = replace(memory._deps, procedural=replace(memory._deps.procedural, **changes))
    return ProceduralMemory(deps, memory.project)


def entries(memory, bullet_id):
    """(action, from, to, proposer, approver) of every ledger entry about a bullet."""
    with memory.store.read() as view:
        return [(one.action, one.from_state, one.to_state, one.approver) for one in view.entries_about(bullet_id)]


def waiting(memory):
    """How many proposals wait."""
    return len(memory.review.queue(limit=10_000))


# -- the whole way -----------------------------------------------------------------------------------------------------


def test_the_whole_way_from_insight_to_shared(memory, bullets, ana):
    """Insight, staging, assignment, quarantine, two helpful outcomes, active, a third, shared; all in the ledger."""
    staged = bullets.add(RULE, "left", "checklist", ["api"], 0.7, "t_trace", speaker=AGENT)
    assert (staged.status, staged.side) == (Status.STAGED, Side.STAGING)
    assert (staged.suggested_hemisphere, staged.source_trace_id) == (Side.LEFT, "t_trace")
    assert bullets.retrieve("validate the schema", "left") == ()

    placed = bullets.assign_staged_bullet(staged.id, "left", ana, seen=seen(memory))
    assert (placed.id, placed.status, placed.side, placed.assigned_by) == (staged.id, "quarantined", "left", "ana")
    assert waiting(memory) == 0
    (found,) = bullets.retrieve("validate the schema", "left")
    assert found.is_unproven
    assert bullets.retrieve("validate the schema", "right") == ()

    first = bullets.record_outcome(staged.id, "helpful", "Four tests pass.", speaker=TOOL, session="monday")
    assert (first.status, first.helpful_count) == (Status.QUARANTINED, 1)
    second = bullets.record_outcome(staged.id, "helpful", "It saved an hour.", reviewer=ana, session="tuesday")
    assert (second.status, second.helpful_count) == (Status.ACTIVE, 2)
    assert second.score == pytest.approx(0.8)
    bullets.record_outcome(staged.id, "helpful", "Again.", session="friday")

    with pytest.raises(InputError, match="other hemisphere"):
        bullets.share(staged.id, ana)
    shared = bullets.share(staged.id, ana, confirmed=True)
    assert (shared.side, shared.status, shared.text) == (
        Side.SHARED,
        Status.ACTIVE,
        "Usually validate the schema before calling the service.",
    )
    assert shared.confidence >= 0.8
    with memory.store.read() as view:
        (edge,) = view.edges([shared.id], (EdgeKind.COPY_OF,))
    assert (edge.src, edge.dst) == (shared.id, staged.id)
    assert {one.id for one in bullets.retrieve("validate the schema", "right")} == {shared.id}
    with pytest.raises(InputError, match="shared already"):
        bullets.share(staged.id, ana, confirmed=True)

    assert entries(memory, staged.id) == [
        ("add", "", "staged", ""),
        ("assign", "staged", "quarantined", "ana"),
        ("tag", "quarantined", "quarantined", "policy"),
        ("tag", "quarantined", "quarantined", "ana"),
        ("activate", "quarantined", "active", "ana"),
        ("tag", "active", "active", "policy"),
    ]
    memory.verify()


def test_the_way_of_the_document(memory, bullets, ana, tmp_path):
    """From the session that taught it to the shared side: the path of docs/bullet-path.md, entry by entry."""
    list(memory.learn([write_session(tmp_path, "upload-client", MENDED)]))
    (staged,) = bullets.list_staged()
    assert (staged.text, staged.status, staged.suggested_hemisphere) == (LESSON, Status.STAGED, Side.LEFT)
    (item,) = memory.review.queue()
    assert {turn.outcome for turn in item_turns(memory, item)} == {"failure", "success"}

    bullets.assign_staged_bullet(staged.id, "left", ana, seen=seen(memory))
    (found,) = bullets.retrieve("run the api tests", "left")
    assert (found.id, found.is_unproven) == (staged.id, True)
    ends = []
    results = (("12 passed.", "monday", None), ("14 passed.", "wednesday", ana), ("14 passed.", "friday", None))
    for words, session, by in results:
        found = bullets.record_outcome(staged.id, "helpful", words, speaker=TOOL, reviewer=by, session=session)
        ends.append(found.status)
    assert ends == [Status.QUARANTINED, Status.ACTIVE, Status.ACTIVE]
    shared = bullets.share(staged.id, ana, confirmed=True)
    assert (shared.side, shared.status) == (Side.SHARED, Status.ACTIVE)
    assert {one.id for one in bullets.retrieve("run the api tests", "right")} == {shared.id}

    page = (Path(__file__).parents[2] / "docs" / "bullet-path.md").read_text("utf-8")
    lines = page.partition("| action |")[2].split("\n")[2:]
    rows = [tuple(cell.strip() for cell in line.split("|")[1:5]) for line in lines if line.count("|") == 5]
    assert rows == [
        tuple(cell or ("–" if at == 3 else "") for at, cell in enumerate(one)) for one in entries(memory, staged.id)
    ]
    for name in re.findall(r"\(images/([\w-]+\.png)\)", page):
        assert (Path(__file__).parents[2] / "docs" / "images" / name).is_file(), name


def item_turns(memory, item):
    """The turns that a waiting bullet rests on."""
    with memory.store.read() as view:
        return list(view.episodes(tuple(one.episode_id for one in item.proposal.evidence)).values())


# -- in ----------------------------------------------------------------------------------------------------------------


def test_automatic_assignment_gives_the_bullet_as_it_ends_up(memory):
    """Where the setting assigns, a clear bullet comes back on trial on its side, approved by auto, in one act."""
    before = len(memory.log())
    bullets = with_settings(memory, auto_assign=True)
    found = bullets.add("When the service fails, try backoff.", speaker=AGENT)
    assert (found.status, found.side, found.assigned_by) == (Status.QUARANTINED, Side.LEFT, "auto")
    assert waiting(memory) == 0
    assert len(memory.log()) == before + 1


@pytest.mark.parametrize(
    ("text", "changes", "status"),
    [
        (RULE, {}, "staged"),
        (RULE, {"auto_assign": True}, "quarantined"),
        (RULE, {"auto_assign": True, "auto_assign_threshold": 0.99}, "staged"),
        ("Use retry logic", {"auto_assign": True, "auto_assign_threshold": 0.5}, "staged"),
        ("Maybe try analogies when stuck", {"auto_assign": True, "auto_assign_threshold": 0.5}, "staged"),
        (RULE, {"staging_enabled": False}, "quarantined"),
        ("Use retry logic", {"staging_enabled": False}, "staged"),
        ("Maybe try analogies when stuck", {"staging_enabled": False}, "staged"),
    ],
)
def test_what_the_settings_assign(memory, text, changes, status):
    """Only what is clear is assigned, from the threshold on; what is unclear or flagged waits under every setting."""
    assert with_settings(memory, **changes).add(text).status == status


@pytest.mark.parametrize("setting", [True, False])
@pytest.mark.parametrize("asked", [True, False, None])
def test_whoever_states_a_bullet_can_only_forbid_its_assignment(memory, setting, asked):
    """The bullet is assigned at once only where the setting says so and nobody forbids it."""
    found = with_settings(memory, auto_assign=setting).add(RULE, auto_assign=asked, speaker=AGENT)
    assert found.status == ("quarantined" if setting and asked is not False else "staged")


@pytest.mark.parametrize(("more", "status"), [(0.0, "quarantined"), (0.001, "staged")])
def test_a_threshold_that_is_met_exactly_assigns(memory, more, status):
    """Thresholds are compared with `>=`."""
    sure = HemisphereClassifier().classify(RULE).confidence
    assert with_settings(memory, auto_assign=True, auto_assign_threshold=sure + more).add(RULE).status == status


def test_fetched_words_are_refused(bullets):
    """Fetched text does not direct the work, also not on trial."""
    with pytest.raises(RefusedError):
        bullets.add(RULE, speaker=Speaker(origin=Origin.FETCHED, name="page"), auto_assign=True)
    assert bullets.list_bullets() == ()


def test_the_same_advice_again_is_the_same_bullet(memory, bullets, ana):
    """Other words for what waits, or is in use, are more evidence for it; there is no second bullet."""
    first = bullets.add("Run the linter before pushing.")
    assert bullets.add("Run the linter before you push.").id == first.id
    bullets.assign_staged_bullet(first.id, "left", ana, seen=seen(memory))
    assert bullets.add("run the linter before pushing").id == first.id
    assert len(bullets.list_bullets()) == 1
    with memory.store.read() as view:
        assert len(view.evidence(first.id)) == 3


def test_a_contradiction_waits_first_and_is_not_assigned(memory):
    """What denies a bullet in use is flagged, waits before all others, and no setting assigns it."""
    bullets = with_settings(memory, auto_assign=True)
    bullets.add("Always log request bodies.")
    found = bullets.add("Never log request bodies.")
    bullets.add("Use retry logic")
    assert (found.status, found.has_conflict) == (Status.STAGED, True)
    assert bullets.list_staged()[0].id == found.id


def test_a_contradiction_flags_both_and_is_over_when_one_goes(memory, bullets, ana):
    """Two waiting bullets that deny each other are both flagged; the one assigned after the other went is not."""
    before = len(memory.log())
    first, second = bullets.add("Always log request bodies."), bullets.add("Never log request bodies.")
    assert [bullets.bullet(one.id).has_conflict for one in (first, second)] == [True, True]
    assert {one.action for act in memory.log()[:-before] for one in entries_of(memory, act)} == {"add", "tag"}
    assert len(memory.review.queue()) == 2
    bullets.reject_staged_bullet(second.id, "we do log them", ana, seen=seen(memory))
    placed = bullets.assign_staged_bullet(first.id, "left", ana, seen=seen(memory))
    assert not placed.has_conflict
    for session in ("a", "b"):
        placed = bullets.record_outcome(first.id, "helpful", session=session, reviewer=ana)
    assert placed.status is Status.ACTIVE
    for _ in range(2):
        memory.undo(memory.log()[0].act_id, ana)
    memory.verify()


def test_a_contradiction_in_use_stays_flagged_until_maintenance(memory, bullets, ana):
    """Assigned beside what denies it, a bullet keeps its flag; once the other leaves use, maintenance takes it off."""
    one = bullets.add_to_hemisphere("Always log request bodies.", "left", reviewer=ana)
    two = bullets.add("Never log request bodies.")
    assert bullets.assign_staged_bullet(two.id, "left", ana, seen=seen(memory)).has_conflict
    (pair,) = bullets.maintain().plan.conflicts
    assert {record.id for record in pair} == {one.id, two.id}
    bullets.maintain(reviewer=ana, preview=False)
    assert bullets.bullet(one.id).has_conflict
    memory.delete([one.id], ana)
    assert [record.id for record in bullets.maintain().plan.resolved] == [two.id]
    bullets.maintain(preview=False)
    assert bullets.bullet(two.id).has_conflict, "unattended work only proposes to take a flag away"
    bullets.maintain(reviewer=ana, preview=False)
    assert not bullets.bullet(two.id).has_conflict


def entries_of(memory, act):
    """The ledger entries of an act."""
    with memory.store.read() as view:
        return view.entries_of_act(act.act_id)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"text": "  "}, "holds no words"),
        ({"text": "?!"}, "holds no words"),
        ({"text": "a " * 3000}, "characters"),
        ({"text": RULE, "confidence": 1.5}, "between 0 and 1"),
        ({"text": RULE, "confidence": float("nan")}, "between 0 and 1"),
        ({"text": RULE, "bullet_type": "poem"}, "checklist"),
        ({"text": RULE, "source_hemisphere": "up"}, "left or right"),
    ],
)
def test_what_cannot_be_a_bullet_leaves_nothing_behind(memory, bullets, words, told):
    """Bad input is one sentence, and nothing is kept of it."""
    with pytest.raises(InputError, match=told):
        bullets.add(**words)
    with memory.store.read() as view:
        assert view.sizes().episodes == 0


def test_secrets_in_a_bullet_are_redacted(memory, bullets):
    """What looks like a key is neither in the bullet nor in its episode."""
    key = "sk-" + "live" + "4f9aK2m8Qp7Zt3Vw6Xy1"
    found = bullets.add(f"Always set API_KEY={key} before the tests.")
    assert key not in found.text
    with memory.store.read() as view:
        (row,) = view.evidence(found.id)
        assert key not in view.episodes((row.episode_id,))[row.episode_id].text


def test_a_reviewer_places_a_bullet_straight_onto_a_side(memory, bullets, ana):
    """`add_to_hemisphere` bypasses staging, not the trial; what is there already is named."""
    found = bullets.add_to_hemisphere(RULE, "right", reviewer=ana)
    assert (found.status, found.side, found.assigned_by) == (Status.QUARANTINED, Side.RIGHT, "ana")
    with pytest.raises(RefusedError, match=found.id):
        bullets.add_to_hemisphere(RULE, "left", reviewer=ana)
    with pytest.raises(InputError):
        bullets.add_to_hemisphere("Another rule must hold.", "shared", reviewer=ana)
    assert memory.log()[0].approver == "ana"


# -- decisions ---------------------------------------------------------------------------------------------------------


def test_an_unknown_id_is_not_found(memory, bullets, ana):
    """Nothing is deleted first and added later: what is not there is said to be not there."""
    for verb in (
        lambda: bullets.assign_staged_bullet("m_nothing", "left", ana, seen=seen(memory)),
        lambda: bullets.reject_staged_bullet("m_nothing", "why", ana, seen=seen(memory)),
        lambda: bullets.record_outcome("m_nothing", "helpful"),
        lambda: bullets.share("m_nothing", ana),
        lambda: bullets.bullet("m_nothing"),
    ):
        with pytest.raises(NotFoundError):
            verb()


def test_another_kind_is_no_bullet(memory, bullets, ana):
    """A fact is neither assigned nor judged."""
    memory.remember("The kettle is blue.")
    (fact,) = memory.list()
    with pytest.raises(InputError, match="no bullet"):
        bullets.assign_staged_bullet(fact.id, "left", ana, seen=seen(memory))


def test_without_a_reviewer_only_the_classifier_assigns(memory, bullets):
    """Nobody's word assigns what the classifier is not sure of, or where the settings are off; else it goes to auto."""
    unsure, sure = bullets.add("Use retry logic"), bullets.add(RULE)
    with pytest.raises(ReviewerRequiredError):
        bullets.assign_staged_bullet(sure.id, "left")
    bullets = with_settings(memory, auto_assign=True)
    with pytest.raises(ReviewerRequiredError):
        bullets.assign_staged_bullet(unsure.id, "left")
    assert bullets.bullet(unsure.id).status is Status.STAGED
    assert bullets.assign_staged_bullet(sure.id, "left").assigned_by == "auto"
    with pytest.raises(ReviewerRequiredError):
        bullets.reject_staged_bullet(unsure.id)


def test_a_sure_classifier_does_not_assign_to_the_other_side(bullets):
    """The classifier's sureness speaks for its own side alone."""
    found = bullets.add(RULE)
    with pytest.raises(ReviewerRequiredError):
        bullets.assign_staged_bullet(found.id, "right")
    assert bullets.bullet(found.id).status is Status.STAGED


def test_of_two_reviewers_the_later_is_told(memory, bullets, ana, bo):
    """A bullet is decided once; the second decision is refused and says who decided what."""
    found = bullets.add(RULE)
    bullets.assign_staged_bullet(found.id, "left", ana, seen=seen(memory))
    with pytest.raises(StaleProposalError, match="left side by ana"):
        bullets.assign_staged_bullet(found.id, "right", bo, seen=seen(memory))
    with pytest.raises(StaleProposalError):
        bullets.reject_staged_bullet(found.id, "no", bo, seen=seen(memory))
    assert bullets.bullet(found.id).side is Side.LEFT


def test_a_rejected_bullet_stays_and_is_not_proposed_again(memory, bullets, ana):
    """It keeps reason and reviewer; the same words are refused, and an undo brings it back to the queue."""
    found = bullets.add(RULE)
    gone = bullets.reject_staged_bullet(found.id, "only true here", ana, seen=seen(memory))
    assert gone.status is Status.REJECTED
    (proposal,) = [one.proposal for one in memory.review.queue((ProposalState.REJECTED,))]
    assert (proposal.reviewer, proposal.reason) == ("ana", "only true here")
    for speaker in (AGENT, USER):
        with pytest.raises(RefusedError, match="rejected"):
            bullets.add(RULE, speaker=speaker)
    memory.undo(memory.log()[0].act_id, ana)
    assert [one.id for one in bullets.list_staged()] == [found.id]
    assert waiting(memory) == 1


def test_many_are_assigned_in_one_act_all_or_none(memory, bullets, ana):
    """A bulk assignment is one act that undo takes back whole; one wrong name leaves all of them waiting."""
    ids = [bullets.add(f"Always close valve {number} at night.").id for number in range(20)]
    with pytest.raises(NotFoundError):
        bullets.assign({**dict.fromkeys(ids, "left"), "m_nothing": "left"}, ana, seen=seen(memory))
    assert len(bullets.list_staged()) == 20
    done = bullets.assign(
        {name: "left" if place % 2 else "right" for place, name in enumerate(ids)}, ana, seen=seen(memory)
    )
    assert {one.side for one in done} == {Side.LEFT, Side.RIGHT}
    assert (len(bullets.list_staged()), waiting(memory)) == (0, 0)
    memory.undo(memory.log()[0].act_id, ana)
    assert (len(bullets.list_staged()), waiting(memory)) == (20, 20)
    memory.undo(memory.log()[0].act_id, ana)
    assert (len(bullets.list_staged()), waiting(memory)) == (0, 0)
    assert {one.side for one in bullets.list_bullets()} == {Side.LEFT, Side.RIGHT}


def test_approving_in_the_queue_assigns_to_the_suggested_side(memory, bullets, ana):
    """The one queue approves a bullet onto its suggested side, on trial; one that suits neither side is asked about."""
    clear, unclear = bullets.add(RULE), bullets.add("Use retry logic")
    by_record = {one.proposal.record_id: one.proposal.id for one in memory.review.queue()}
    memory.review.approve([by_record[clear.id]], ana, seen=seen(memory))
    assert (bullets.bullet(clear.id).status, bullets.bullet(clear.id).side) == (Status.QUARANTINED, Side.LEFT)
    with pytest.raises(InputError, match="neither side"):
        memory.review.approve([by_record[unclear.id]], ana, seen=seen(memory))
    assert bullets.bullet(unclear.id).status is Status.STAGED


def test_of_several_what_cannot_be_approved_is_left_waiting(memory, bullets, ana):
    """The others are approved in one act, the receipt of what is left says why, and nothing alone is passed over."""
    clear, unclear = bullets.add(RULE), bullets.add("Use retry logic")
    names = {one.proposal.record_id: one.proposal.id for one in memory.review.queue()}
    assert memory.review.show(names[clear.id]).obstacle == ""
    assert "neither side" in memory.review.show(names[unclear.id]).obstacle
    receipts = memory.review.approve(list(names.values()), ana, seen=seen(memory))
    (left,) = [one for one in receipts if one.outcome == "staged"]
    assert (left.proposal_id, "neither side" in left.reason) == (names[unclear.id], True)
    assert bullets.bullet(clear.id).status is Status.QUARANTINED
    assert [one.proposal.id for one in memory.review.queue()] == [names[unclear.id]]


def test_undoing_an_automatic_assignment_leaves_no_loose_end(memory, bullets, ana):
    """The act that added and assigned is taken back whole: the bullet is retracted and nothing waits."""
    found = with_settings(memory, auto_assign=True).add(RULE)
    memory.undo(memory.log()[0].act_id, ana)
    assert bullets.bullet(found.id).status is Status.RETRACTED
    assert waiting(memory) == 0
    report = bullets.automatic_assignments()
    assert (report.assigned, report.overturned, report.share) == (1, 1, 1.0)


def test_what_comes_back_is_no_better_than_it_was(memory, bullets, ana):
    """A rejected or retracted bullet waits again, also in the queue; an unproven one that was retired is on trial."""
    rejected, retracted = bullets.add(RULE), bullets.add("Shut the gate at night.")
    bullets.reject_staged_bullet(rejected.id, "no", ana, seen=seen(memory))
    memory.undo(memory.log()[1].act_id, ana)
    retired = bullets.add_to_hemisphere("Check the seal.", "left", reviewer=ana)
    memory.delete([retired.id], ana)
    memory.bring_back([rejected.id, retracted.id, retired.id], ana)
    assert [bullets.bullet(one.id).status for one in (rejected, retracted, retired)] == [
        Status.STAGED,
        Status.STAGED,
        Status.QUARANTINED,
    ]
    assert {one.proposal.record_id for one in memory.review.queue()} == {rejected.id, retracted.id}
    memory.undo(memory.log()[0].act_id, ana)
    assert waiting(memory) == 0
    memory.bring_back([rejected.id, retracted.id], ana)
    bullets.assign_staged_bullet(rejected.id, "left", ana, seen=seen(memory))
    assert waiting(memory) == 1


def test_a_proven_bullet_comes_back_proven(memory, bullets, ana):
    """What outcomes proved stays proven when it is taken out of use and brought back."""
    found = bullets.add_to_hemisphere(RULE, "left", reviewer=ana)
    for session in ("one", "two"):
        bullets.record_outcome(found.id, "helpful", session=session, reviewer=ana)
    memory.delete([found.id], ana)
    memory.bring_back([found.id], ana)
    assert bullets.bullet(found.id).status is Status.ACTIVE


# -- outcomes ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def tried(memory, bullets, ana):
    """A bullet on trial."""
    return bullets.assign_staged_bullet(bullets.add(RULE).id, "left", ana, seen=seen(memory))


def tool_turn(memory, tmp_path, name="run"):
    """The id of a tool's result in a learned conversation."""
    path = tmp_path / f"{name}.jsonl"
    rows = [
        {"type": "user", "uuid": "u1", "sessionId": name, "timestamp": "2026-03-01T09:00:00Z",
         "message": {"role": "user", "content": "Run the tests."}},
        {"type": "assistant", "uuid": "u2", "parentUuid": "u1", "sessionId": name, "timestamp": "2026-03-01T09:00:01Z",
         "message": {"role": "assistant", "content": [
             {"type": "tool_use", "id": "x1", "name": "Bash", "input": {"command": "pytest"}}]}},
        {"type": "user", "uuid": "u3", "parentUuid": "u2", "sessionId": name, "timestamp": "2026-03-01T09:00:02Z",
         "message": {"role": "user", "content": [
             {"type": "tool_result", "tool_use_id": "x1", "content": "4 passed", "is_error": False}]}},
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (learned,) = memory.learn([path])
    with memory.store.read() as view:
        turns = view.turns(learned.conversations[0])
    return next(one.id for one in turns if one.origin is Origin.TOOL), turns


def test_an_episode_counts_once_for_a_bullet(memory, bullets, tried, tmp_path):
    """The same tool result moves a counter once, whoever reports it; an unknown one is not found."""
    result, turns = tool_turn(memory, tmp_path)
    for speaker in (AGENT, USER, AGENT):
        found = bullets.record_outcome(tried.id, "helpful", result, speaker=speaker)
        assert found.helpful_count == 1
    assert bullets.record_outcome(tried.id, "harmful", result).harmful_count == 0
    with pytest.raises(NotFoundError):
        bullets.record_outcome(tried.id, "helpful", "e_nothing")
    said = next(one.id for one in turns if one.origin is Origin.ASSISTANT)
    assert bullets.record_outcome(tried.id, "helpful", said, speaker=AGENT).helpful_count == 1


def test_an_agents_own_praise_waits(memory, bullets, tried, ana):
    """What an agent says of a bullet counts only when a reviewer says so."""
    assert bullets.record_outcome(tried.id, "helpful", "It was great.", speaker=AGENT).helpful_count == 0
    (item,) = memory.review.queue()
    memory.review.approve([item.proposal.id], ana, seen=seen(memory))
    assert bullets.bullet(tried.id).helpful_count == 1


def test_one_conversation_alone_proves_nothing(bullets, tried, ana):
    """Two helpful outcomes of one conversation leave a bullet on trial; another conversation proves it."""
    for _ in range(2):
        found = bullets.record_outcome(tried.id, "helpful", "Good.", reviewer=ana, session="one")
        assert found.status is Status.QUARANTINED
    assert bullets.record_outcome(tried.id, "helpful", "Good.", session="two").status is Status.ACTIVE


@pytest.mark.parametrize("speaker", [TOOL, Speaker(origin=Origin.USER, name="ana")])
def test_without_a_reviewers_word_a_bullet_is_not_proven(memory, bullets, tried, ana, tmp_path, speaker):
    """Turns and results of any number of conversations leave a bullet on trial: the queue asks a reviewer, once."""
    for name in ("one", "two", "three"):
        result, _ = tool_turn(memory, tmp_path, name)
        bullets.record_outcome(tried.id, "helpful", result, speaker=AGENT)
        found = bullets.record_outcome(tried.id, "helpful", "It works.", speaker=speaker, session=name)
        assert found.status is Status.QUARANTINED
    (item,) = memory.review.queue()
    assert item.proposal.action == "activate"
    with pytest.raises(StaleProposalError):  # there were more outcomes since it was staged
        memory.review.approve([item.proposal.id], ana, seen=seen(memory))
    memory.review.approve([item.proposal.id], ana, seen=seen(memory))
    assert bullets.bullet(tried.id).status is Status.ACTIVE


def test_an_outcome_that_a_reviewer_approved_is_a_reviewers_word(memory, bullets, tried, ana):
    """An agent's report that a reviewer approved, and a later result of another conversation, prove a bullet."""
    bullets.record_outcome(tried.id, "helpful", "It was great.", speaker=AGENT, session="one")
    (item,) = memory.review.queue()
    memory.review.approve([item.proposal.id], ana, seen=seen(memory))
    assert bullets.record_outcome(tried.id, "helpful", speaker=TOOL, session="two").status is Status.ACTIVE


def test_harm_keeps_on_trial_and_demotes(bullets, tried, ana):
    """One harm keeps a bullet on trial whatever helps; more harm than help puts an active one on trial again."""
    bullets.record_outcome(tried.id, "helpful", session="one")
    active = bullets.record_outcome(tried.id, "helpful", session="two", reviewer=ana)
    assert active.status is Status.ACTIVE
    for number in range(2):
        assert bullets.record_outcome(tried.id, "harmful", session=f"bad{number}").status is Status.ACTIVE
    demoted = bullets.record_outcome(tried.id, "harmful", session="worse")
    assert (demoted.status, demoted.harmful_count) == (Status.QUARANTINED, 3)
    assert bullets.record_outcome(tried.id, "helpful", session="late").status is Status.QUARANTINED


def test_what_waits_or_is_gone_does_not_count(memory, bullets, ana):
    """Staged and rejected bullets have no outcomes, and a word that is no outcome is refused."""
    found = bullets.add(RULE)
    with pytest.raises(InputError, match="in use"):
        bullets.record_outcome(found.id, "helpful")
    with pytest.raises(InputError, match="helpful or harmful"):
        bullets.record_outcome(found.id, "splendid")
    bullets.reject_staged_bullet(found.id, "", ana, seen=seen(memory))
    with pytest.raises(InputError, match="in use"):
        bullets.record_outcome(found.id, "helpful")


def test_a_bullet_does_not_prove_itself(memory, bullets, tried):
    """The episode that a bullet was learned from is no outcome of using it."""
    with memory.store.read() as view:
        (row,) = view.evidence(tried.id)
    with pytest.raises(InputError, match="learned from"):
        bullets.record_outcome(tried.id, "helpful", row.episode_id)


def test_undo_takes_an_outcome_back_and_redo_gives_it_again(memory, bullets, tried, ana):
    """Undoing an outcome moves counter and status back, later outcomes stay, and the undo can be undone."""
    bullets.record_outcome(tried.id, "helpful", session="one")
    bullets.record_outcome(tried.id, "helpful", session="two", reviewer=ana)
    proving = memory.log()[0].act_id
    bullets.record_outcome(tried.id, "harmful", session="three")
    memory.undo(proving, ana)
    found = bullets.bullet(tried.id)
    assert (found.status, found.helpful_count, found.harmful_count, found.text) == ("quarantined", 1, 1, RULE)
    memory.undo(memory.log()[0].act_id, ana)
    found = bullets.bullet(tried.id)
    assert (found.status, found.helpful_count, found.harmful_count) == (Status.ACTIVE, 2, 1)
    memory.verify()


def test_erasing_an_outcome_lowers_the_counter(memory, bullets, tried, ana):
    """What is erased does not count any more."""
    bullets.record_outcome(tried.id, "helpful", "Said by somebody who wants it gone.", session="one")
    with memory.store.read() as view:
        episode = next(one.episode_id for one in view.evidence(tried.id) if one.role == "outcome")
    memory.erase(ana, episodes=[episode])
    assert bullets.bullet(tried.id).helpful_count == 0


moves = st.lists(
    st.one_of(
        st.tuples(st.just("tell"), st.integers(0, 3), st.sampled_from(["helpful", "harmful"])),
        st.tuples(st.just("undo"), st.integers(0, 9), st.just("")),
    ),
    max_size=9,
)


@settings(max_examples=15)
@given(moves)
def test_counters_are_what_stands_in_the_evidence(script):
    """After any telling and undoing, the counters are those of the outcomes that were not taken back."""
    with tempfile.TemporaryDirectory() as home, open_memory(home, environment=QUIET, said_by="user") as memory:
        memory.reviewers.add("ana", SECRET)
        ana, bullets = memory.reviewers.unlock(SECRET), memory.bullets
        found = bullets.add_to_hemisphere(RULE, "left", reviewer=ana)
        told: dict[str, str] = {}
        for move, number, word in script:
            if move == "tell":
                before = {one.act_id for one in memory.log(100)}
                bullets.record_outcome(found.id, word, f"Told {len(told)}.", session=f"s{number}")
                told[next(one.act_id for one in memory.log(100) if one.act_id not in before)] = word
            elif told:
                act = sorted(told)[number % len(told)]
                memory.undo(act, ana)
                del told[act]
        now = bullets.bullet(found.id)
        words = list(told.values())
        assert (now.helpful_count, now.harmful_count) == (words.count("helpful"), words.count("harmful"))
        memory.verify()


# -- keeping -----------------------------------------------------------------------------------------------------------


def test_a_preview_changes_nothing_and_a_proposal_waits(memory, bullets, ana):
    """Upkeep without a reviewer is only proposed; proposing it again adds nothing; a reviewer's run does it."""
    for text in ("Feed the goats at noon.", "Shut the gate."):
        found = bullets.add_to_hemisphere(text, "left", reviewer=ana)
        for number in range(2):
            bullets.record_outcome(found.id, "harmful", session=f"s{number}")
    head = memory.status().ledger
    assert bullets.maintain().plan.changes == 2
    assert memory.status().ledger == head
    for _ in range(2):
        bullets.maintain(preview=False)
        assert waiting(memory) == 2
        assert {one.status for one in bullets.list_bullets()} == {Status.QUARANTINED}
    bullets.maintain(reviewer=ana, preview=False)
    assert bullets.list_bullets() == ()
    memory.undo(memory.log()[0].act_id, ana)
    assert len(bullets.list_bullets()) == 2


def test_duplicates_merge_by_delta_and_come_apart_again(memory, bullets, ana):
    """A merge keeps the words of the one that stays and sums what helped; undo parts them as they were."""
    one = bullets.add_to_hemisphere("Close the valve tonight, always.", "left", reviewer=ana)
    # the second is placed while the first is out of the curator's sight, as two processes would
    memory.delete([one.id], ana)
    two = bullets.add_to_hemisphere("Close the valve tonight, always!", "left", reviewer=ana)
    memory.undo(memory.log()[1].act_id, ana)
    bullets.record_outcome(one.id, "helpful", session="a")
    bullets.record_outcome(two.id, "helpful", session="b")
    (merging,) = bullets.maintain().plan.merges
    bullets.maintain(reviewer=ana, preview=False)
    kept = bullets.bullet(merging.into.id)
    assert (kept.helpful_count, kept.text) == (2, merging.into.text)
    assert len(bullets.retrieve("close the valve", "left")) == 1
    memory.undo(memory.log()[0].act_id, ana)
    assert [bullets.bullet(name).helpful_count for name in (one.id, two.id)] == [1, 1]
    assert len(bullets.retrieve("close the valve", "left")) == 2


def test_staged_bullets_expire_by_their_own_age(memory, tmp_path):
    """What waited longer than the setting expires at the next housekeeping, and the same words wait anew."""
    settings_ = read_settings(memory.home, {**QUIET, "DOPEJAR_PROCEDURAL_STAGING_MAX_STAGING_AGE_DAYS": "45"})
    with build(settings_, open_store(tmp_path / "other.db"), said_by="user") as other:
        bullets = other.bullets
        found = bullets.add(RULE)
        other.maintenance.maintain()
        assert bullets.bullet(found.id).status is Status.STAGED
        later = other._deps.clock.now() + timedelta(days=46)
        deps = replace(other._deps, clock=type("Clock", (), {"now": lambda _: later})())
        type(other)(deps).maintenance.maintain()
        assert bullets.bullet(found.id).status is Status.EXPIRED
        assert bullets.add(RULE).status is Status.STAGED


def test_a_playbook_goes_out_and_comes_in_elsewhere(memory, bullets, ana, tmp_path):
    """Exported bullets come in staged without a reviewer, on their sides with one; counters stay behind."""
    bullets.add_to_hemisphere("Always close the valve.", "left", reviewer=ana)
    found = bullets.add_to_hemisphere("Try another valve when stuck.", "right", reviewer=ana)
    bullets.record_outcome(found.id, "helpful")
    text = bullets.export_playbook()
    for has_reviewer in (False, True):
        with open_memory(tmp_path / f"other{has_reviewer}", environment=QUIET, said_by="user") as other:
            other.reviewers.add("ana", SECRET)
            by = other.reviewers.unlock(SECRET) if has_reviewer else None
            there = other.bullets
            taken = there.import_playbook(text, reviewer=by)
            assert len(taken.bullets) == 2
            sides = {Side.LEFT, Side.RIGHT} if by else {Side.STAGING}
            assert {one.side for one in there.list_bullets()} == sides
            assert {one.helpful_count for one in there.list_bullets()} == {0}
            assert len(there.import_playbook(text, reviewer=by).bullets) == 0 or by is None
            assert len(there.list_bullets()) == 2


def test_a_playbook_with_a_wrong_line_leaves_nothing_behind(memory, bullets):
    """All lines are read before any is kept."""
    with pytest.raises(InputError, match="Line 2"):
        bullets.import_playbook("[a] helpful=0 harmful=0 :: Shut the gate.\nand so on")
    with memory.store.read() as view:
        assert view.sizes().episodes == 0


def test_reflecting_stages_what_the_trace_teaches(memory, bullets, tmp_path):
    """A mended failure in a learned conversation becomes a staged bullet with both results as evidence, once."""
    rows, parent = [], None
    steps = [("kettle brew --fast", "Error: valve is closed", True), ("kettle brew --slow", "done", False)]
    for place, (command, said, failed) in enumerate(steps):
        ask, told = f"a{place}", f"r{place}"
        rows.append(
            {
                "type": "assistant",
                "uuid": ask,
                "parentUuid": parent,
                "sessionId": "s",
                "timestamp": f"2026-03-01T09:0{place}:01Z",
                "message": {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": f"x{place}", "name": "Bash", "input": {"command": command}}],
                },
            }
        )
        rows.append(
            {
                "type": "user",
                "uuid": told,
                "parentUuid": ask,
                "sessionId": "s",
                "timestamp": f"2026-03-01T09:0{place}:02Z",
                "message": {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": f"x{place}", "content": said, "is_error": failed}
                    ],
                },
                "toolUseResult": {"stdout": said, "stderr": "", "interrupted": False},
            }
        )
        parent = told
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    list(memory.learn([path]))
    (taken,) = bullets.reflect()
    (found,) = taken.bullets
    assert found.status is Status.STAGED
    assert "kettle brew --slow" in found.text
    with memory.store.read() as view:
        assert len(view.evidence(found.id)) == 2
    bullets.reflect()
    assert len(bullets.list_bullets()) == 1
    assert waiting(memory) == 1


def test_relearning_reads_no_facts_out_of_bullets(memory, bullets):
    """What was said as a bullet is not learned again as a fact."""
    bullets.add("The server port must always be 8080.")
    memory.relearn()
    assert memory.list(RecordFilter(statuses=(Status.ACTIVE, Status.STAGED), kinds=(Kind.FACT,))) == ()


def test_recall_shows_no_bullet_that_waits(memory, bullets):
    """A staged bullet is in no answer."""
    bullets.add(RULE)
    assert all(one.kind != "bullet" for one in memory.recall("validate the schema", kinds=["bullet"]).items)


def test_short_ids_are_enough_where_they_are_clear(bullets, ana):
    """The beginning of an id names a bullet; one that is too short to mean one is told so."""
    found = bullets.add(RULE)
    assert bullets.bullet(found.id[:9]).id == found.id
    with pytest.raises(NotFoundError, match="more characters"):
        bullets.bullet(found.id[:4])


def test_a_conversation_that_is_undone_takes_its_outcomes_back(memory, bullets, tried, ana, tmp_path):
    """Undoing what was learned from a conversation withdraws the outcomes that lie in it."""
    result, turns = tool_turn(memory, tmp_path)
    bullets.record_outcome(tried.id, "helpful", result)
    memory.undo(turns[0].conversation, ana)
    found = bullets.bullet(tried.id)
    assert (found.helpful_count, found.status) == (0, Status.QUARANTINED)


def test_a_file_speaks_through_the_gate(bullets):
    """A playbook that a person imports is staged under the name of a file."""
    taken = bullets.import_playbook("[x] helpful=9 harmful=0 :: Shut the gate at night.")
    assert taken.bullets[0].status is Status.STAGED
    assert host_speaker("user", Via.FILE).via == "file"

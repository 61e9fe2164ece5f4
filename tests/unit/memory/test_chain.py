"""Chains: the versions of one concept."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.memory.chain import chain_members, chain_order, coalesce, find_neighbours, relink
from dopejar.memory.derivation import MERGED_INTO, create_record, derive, merge_evidence, strongest_assertions
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.record import Draft, Evidence, EvidenceRole, Kind, Status

START = datetime(2026, 1, 1, tzinfo=UTC)

NUMBERS = itertools.count(1)  # of records


def evidence(day, wording="I prefer dark mode", trust=1.0, role=EvidenceRole.ASSERTS, episode=None):
    """One statement on a day."""
    return Evidence(
        episode_id=EpisodeId(episode or f"e_{day}"),
        start=0,
        end=len(wording),
        at=START + timedelta(days=day),
        wording=wording,
        trust=trust,
        role=role,
    )


def version(day, value, status=Status.ACTIVE, **changes):
    """A version of one preference."""
    draft = Draft(kind=Kind.PREFERENCE, text=value, key="Self-Pref-Theme", slot="self.pref.theme", value=f"+{value}")
    record = create_record(
        RecordId(f"m_{next(NUMBERS)}"), draft, [evidence(day, value)], status=status, now=START, made_by="test@1"
    )
    return replace(record, **changes)


lines = st.lists(st.tuples(st.integers(0, 50), st.sampled_from(["dark", "light", "sepia"])), min_size=1, max_size=8)


@given(lines, st.randoms(use_true_random=False))
def test_relink_ignores_the_order_of_arrival(statements, chance):
    """Any order of the same versions ends in the same chain."""
    records = [version(day, value) for day, value in statements]
    shuffled = list(records)
    chance.shuffle(shuffled)
    assert relink(records) == relink(shuffled)


@given(lines)
def test_one_active_and_no_fork(statements):
    """The newest version alone is active and open; each other one ends where the next begins."""
    line = relink([version(day, value) for day, value in statements])
    assert [one.status for one in line] == [Status.SUPERSEDED] * (len(line) - 1) + [Status.ACTIVE]
    assert line[-1].valid_to is None
    assert line[-1].superseded_by is None
    for older, newer in itertools.pairwise(line):
        assert older.superseded_by == newer.id
        assert newer.supersedes == older.id
        assert older.valid_to == newer.valid_from


@given(lines)
def test_relink_is_idempotent(statements):
    """A chain in order stays as it is."""
    line = relink([version(day, value) for day, value in statements])
    assert relink(line) == line


def test_a_deprecated_version_does_not_bring_the_one_before_back():
    """What a reviewer took out of use still ends its predecessor."""
    line = relink([version(1, "dark"), version(2, "light", Status.DEPRECATED)])
    assert [one.status for one in line] == [Status.SUPERSEDED, Status.DEPRECATED]


def test_temporary_merged_and_undecided_versions_stay_outside():
    """Neither a temporary statement nor one that waits, was rejected or merged away takes part."""
    records = [
        version(1, "dark"),
        version(2, "light", temporary=True),
        version(3, "sepia", Status.STAGED),
        version(4, "grey", Status.REJECTED),
        version(5, "blue", Status.SUPERSEDED, attributes={MERGED_INTO: "m_x"}),
    ]
    assert [one.text for one in chain_members(records)] == ["dark"]


@given(lines)
def test_neighbours_that_say_the_same_become_one(statements):
    """After coalescing no two neighbours state one value, and no statement is lost."""
    records = [version(day, value) for day, value in {day: (day, value) for day, value in statements}.values()]
    rows = {one.id: (evidence(int((one.valid_from - START).days), one.text),) for one in records}
    result, gained = coalesce(records, rows)
    line = sorted(chain_members(result), key=chain_order)
    assert all(a.value != b.value for a, b in itertools.pairwise(line))
    kept = {one.episode_id for record in line for one in gained.get(record.id, rows[record.id])}
    assert kept == {one.episode_id for these in rows.values() for one in these}


def test_the_strongest_support_counts():
    """Weaker repeats neither lower trust nor choose the words."""
    record = version(1, "dark")
    rows = [evidence(1, "assistant's words", trust=0.4), evidence(2, "my words", trust=1.0)]
    derived = derive(record, rows)
    assert (derived.trust, derived.text, derived.access_count) == (1.0, "my words", 2)
    assert strongest_assertions(rows) == [rows[1]]


@pytest.mark.parametrize("days", [(1, 2), (2, 1)])
def test_the_surest_words_are_quoted(days):
    """Of equally strong statements the surest gives the words; the memory begins with the earliest."""
    doubtful, sure = (evidence(day, words) for day, words in zip(days, ["maybe dark", "dark"], strict=True))
    derived = derive(version(9, "dark"), [replace(doubtful, certainty=0.4), sure])
    assert (derived.text, derived.certainty, derived.valid_from) == ("dark", 1.0, min(doubtful.at, sure.at))


@given(st.lists(st.integers(0, 20), min_size=1, max_size=10), st.randoms(use_true_random=False))
def test_derived_fields_ignore_the_order_of_evidence(days, chance):
    """Words, beginning and count depend on the set of statements alone."""
    rows = [evidence(day, f"wording {day}") for day in sorted(set(days))]
    shuffled = list(rows)
    chance.shuffle(shuffled)
    one, two = derive(version(0, "dark", id="m_1"), rows), derive(version(0, "dark", id="m_1"), shuffled)
    assert one == two


def test_the_same_episode_again_changes_nothing():
    """One episode counts once, also when it was withdrawn."""
    old = (evidence(1), evidence(2, role=EvidenceRole.WITHDRAWN))
    assert merge_evidence(old, [evidence(1, "other span"), evidence(2)]) == old


def test_one_reading_rests_on_every_place():
    """The act that finds a thing twice in one episode keeps both places; another act adds none, and it counts once."""
    first = replace(evidence(1), act_id="a_1")
    second = replace(first, start=40, end=58)
    assert merge_evidence([first], [second]) == (first, second)
    assert merge_evidence([first], [replace(second, act_id="a_2")]) == (first,)
    assert merge_evidence([first, second], [second]) == (first, second)
    withdrawn = replace(first, role=EvidenceRole.WITHDRAWN)
    assert merge_evidence([withdrawn], [second]) == (withdrawn,)
    assert derive(version(1, "dark"), [first, second]).access_count == 1


def test_withdrawn_evidence_leaves_the_record_as_it_was():
    """A record without any assertion left keeps its words, for history."""
    record = version(1, "dark")
    assert derive(record, [evidence(1, role=EvidenceRole.WITHDRAWN)]) == record


def stated(day, value):
    """A version of which database is used, its value with its sign."""
    draft = Draft(kind=Kind.FACT, text=f"{value} {day}", key=f"Db-{value}", slot="project.database", value=value)
    record = create_record(RecordId("m_1"), draft, [evidence(day)], status=Status.ACTIVE, now=START, made_by="test@1")
    return replace(record, id=f"m_{day:03}{value}")


signed = st.lists(
    st.tuples(st.integers(0, 50), st.sampled_from(["+postgres", "+mysql", "-mysql", "-oracle", "-postgres"])),
    min_size=1,
    max_size=8,
    unique_by=lambda one: one[0],
)


def after(*said):
    """The values that stand after these statements, one a day."""
    line = relink([stated(day, value) for day, value in enumerate(said)])
    return sorted(one.value for one in line if one.status is Status.ACTIVE)


def test_a_denial_ends_its_own_value_alone():
    """What is not used says nothing against what is; it ends what it denies, and ends when that is stated."""
    assert after("+postgres", "-mysql") == ["+postgres", "-mysql"]
    assert after("-mysql", "+postgres") == ["+postgres", "-mysql"]
    assert after("+mysql", "+postgres", "-mysql") == ["+postgres", "-mysql"]
    assert after("-mysql", "-oracle") == ["-mysql", "-oracle"]
    assert after("+mysql", "-mysql") == ["-mysql"]
    assert after("-mysql", "+mysql") == ["+mysql"]
    assert after("+postgres", "-mysql", "+mysql") == ["+mysql"]
    assert after("+mysql", "-mysql", "+postgres") == ["+postgres"]


@given(signed, st.randoms(use_true_random=False))
def test_denials_stand_the_same_in_any_order_of_arrival(statements, chance):
    """With denials too the chain depends on times alone, and of one value and sign one version is active at most."""
    records = [stated(day, value) for day, value in statements]
    shuffled = list(records)
    chance.shuffle(shuffled)
    line = relink(coalesce(records, {one.id: [evidence(0)] for one in records})[0])
    assert relink(records) == relink(shuffled)
    standing = [one.value for one in chain_members(line) if one.status is Status.ACTIVE]
    assert len(standing) == len(set(standing))
    assert sum(value.startswith("+") for value in standing) <= 1
    followed = [one.supersedes for one in line if one.supersedes]
    assert len(followed) == len(set(followed))


@given(signed)
def test_a_new_version_is_placed_where_relinking_puts_it(statements):
    """The neighbours that a statement is judged against are those that it is linked to afterwards."""
    *known, new = [stated(day, value) for day, value in statements]
    before, following = find_neighbours(known, new.valid_from, new.value, new.content_hash)
    placed = next(one for one in relink([*known, new]) if one.id == new.id)
    assert placed.supersedes == (before.id if before else None)
    assert placed.superseded_by == (following.id if following else None)

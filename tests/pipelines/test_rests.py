"""A statement that changes a part of a memory leaves the other parts in force; told, undone, reviewed and quoted."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from whole_store import chain_faults, seen, unlocked

from dopejar import Status, open_memory
from dopejar.doors.cli.text_output import receipt_lines
from dopejar.engine.queries.agent_answers import answer_remember
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.rests import part_left, rest_of
from dopejar.pipelines.recall.item_marks import statement_marks
from dopejar.pipelines.recall.turn_statements import find_statements
from dopejar.text.words import query_terms
from dopejar.values.proposal import ProposalState, Supersede
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import KEPT_FROM
from dopejar.values.scope import ReadScope
from dopejar.values.statement import Related, Relation

EARLY = datetime(2026, 3, 2, 9, tzinfo=UTC)
NOON = datetime(2026, 11, 19, 12, tzinfo=UTC)
PLACE = "The choir is at the chapel and the fee is 7 euros."
FEE = "The fee is 9 euros now."
LEFT = "The choir is at the chapel"
HOUSE = frozenset(["choir", "fee", "gate", "dog", "kennel"])


class TopicReader(GrammarReader):
    """A graded reader to which a later statement changes, or ends, whatever names one of its topics."""

    is_graded = True

    def read(self, sentences):
        """As the rules do, each worth knowing."""
        return tuple(replace(one, durable=0.9) for one in super().read(sentences))

    def relate(self, pairs):
        """An end where the later one says so, else an update, of what shares a topic with it."""
        return tuple(self._related(*pair) for pair in pairs)

    @staticmethod
    def _related(earlier, later):
        shared = HOUSE.intersection(query_terms(earlier)) & frozenset(query_terms(later))
        relation = (Relation.END if "gone" in later else Relation.UPDATE) if shared else Relation.APART
        return Related(relation=relation, shares=tuple(float(kind is relation) for kind in Relation))

    def rests(self, pairs):
        """Without the clause about the fee where that changes; nothing of anything else that shares a topic."""
        return tuple(self._rest(*pair) for pair in pairs)

    @staticmethod
    def _rest(earlier, later):
        if not HOUSE.intersection(query_terms(earlier)) & frozenset(query_terms(later)):
            return earlier
        head, joint, _ = earlier.partition(" and the fee")
        return head if joint else ""


@pytest.fixture
def memory(tmp_path):
    """A memory on a file with that reader."""
    with open_memory(tmp_path / "home", environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        opened._deps = replace(opened._deps, reader=TopicReader)
        yield opened


def told(memory, *texts):
    """What each text did, told in turn."""
    return [memory.remember(text, at=at) for text, at in zip(texts, (EARLY, NOON), strict=False)]


def standing(memory):
    """The words of what is in force."""
    return {record.text for record in memory.list()}


def test_what_is_said_of_a_thing_stays_behind_what_is_left_of_it(memory):
    """Not behind the old words: the value that changed is told nowhere any more."""
    hall = f"We rent a hall in Dock Lane, {'behind the old, ' * 11}red mill"  # too long for one memory with more
    told(memory, f"{hall} and the fee is 7 euros. It is near the docks.", FEE)
    assert standing(memory) == {hall, f"{hall}. It is near the docks", FEE.rstrip(".")}
    assert not chain_faults(memory)


def test_what_a_change_does_not_touch_stays(memory):
    """It is a memory of its own on the evidence of the first words; the whole is history, and the chain is sound."""
    first, second = told(memory, PLACE, FEE)
    assert standing(memory) == {LEFT, FEE.rstrip(".")}
    (whole,) = memory.list(statuses=(Status.SUPERSEDED,))
    (kept,) = second.receipts[0].kept
    assert kept.attributes[KEPT_FROM] == whole.id
    assert (kept.valid_from, kept.trust) == (whole.valid_from, whole.trust)
    with memory.store.read() as view:
        assert {row.episode_id for row in view.evidence(kept.id)} == {first.episode_id}
    assert not chain_faults(memory)


def test_the_receipt_names_what_was_kept(memory):
    """For people in a line of its own, for agents in the note."""
    _, second = told(memory, PLACE, FEE)
    words = [line.split()[0] for line in receipt_lines(second.receipts)]
    assert sorted(words) == ["kept", "now", "superseded"]
    assert f'Kept: "{LEFT}".' in answer_remember(second, dry_run=False)["note"]


def test_an_undo_takes_it_back_whole(memory):
    """Of the change: the whole stands again, alone. Of that undo: as after the change. Of the first words: nothing."""
    first, second = told(memory, PLACE, FEE)
    after = standing(memory)
    by = unlocked(memory)
    undone = memory.undo(second.act_id, by)
    assert standing(memory) == {PLACE.rstrip(".")}
    memory.undo(undone.act_id, by)
    assert standing(memory) == after
    memory.undo(first.act_id, by)
    assert standing(memory) == {FEE.rstrip(".")}


def test_what_is_left_goes_with_erased_words(memory):
    """No words of an erased memory stay in what was left of it."""
    told(memory, PLACE, FEE)
    (whole,) = memory.list(statuses=(Status.SUPERSEDED,))
    memory.erase(unlocked(memory), records=[whole.id])
    assert standing(memory) == {FEE.rstrip(".")}


def test_a_quotation_of_the_whole_says_what_holds_now(memory):
    """Though a memory that holds rests on the same words, a part of them is out of date."""
    told(memory, PLACE, FEE)
    with memory.store.read() as view:
        (turn,) = view.evidence(memory.list(statuses=(Status.SUPERSEDED,))[0].id)
        where = SearchFilter(read_scope=ReadScope(), source=Source.RECORD)
        found = find_statements((turn.episode_id,), where, view, NOON)[turn.episode_id]
    assert statement_marks(PLACE, found) == ("partly superseded", f'now: "{FEE.rstrip(".")}"')


def test_a_change_that_waits_keeps_the_rest_once_it_is_approved(memory):
    """Until then the whole stands; and where its words were erased meanwhile, nothing of them comes back."""
    memory.remember(PLACE, at=EARLY)
    memory.remember(FEE, said_by="other", at=NOON)
    assert standing(memory) == {PLACE.rstrip(".")}
    by = unlocked(memory)
    (waiting,) = memory.review.queue()
    memory.review.approve([waiting.proposal.id], by, seen=seen(memory))
    assert standing(memory) == {LEFT, FEE.rstrip(".")}


def test_a_change_that_waits_forgets_erased_words(memory):
    """What is left of an erased memory is taken out of the proposal."""
    first = memory.remember(PLACE, at=EARLY)
    memory.remember(FEE, said_by="other", at=NOON)
    memory.erase(unlocked(memory), records=[first.receipts[0].records[0].id])
    with memory.store.read() as view:
        payloads = [
            one.payload for one in view.proposals(tuple(ProposalState), 10) if isinstance(one.payload, Supersede)
        ]
    assert [payload.rests for payload in payloads] == [()]


def test_the_order_of_telling_leaves_the_same(memory):
    """A change that is told first keeps the rest of the older statement, too."""
    memory.remember(FEE, at=NOON)
    memory.remember(PLACE, at=EARLY)
    assert standing(memory) == {LEFT, FEE.rstrip(".")}


def test_what_is_left_changes_by_itself(memory):
    """Each of the two has a chain of its own from then on."""
    told(memory, PLACE, FEE)
    memory.remember("The choir is in the Old Mill now.")
    assert standing(memory) == {"The choir is in the Old Mill now", FEE.rstrip(".")}
    assert not chain_faults(memory)


class RestReader(TopicReader):
    """The same reader, which finds words of the earlier statement left, and a change of it no more likely than .3."""

    def __init__(self, rest, update=0.3, same=0.0):
        self._rest, self._update, self._same = rest, update, same

    def rests(self, pairs):
        """The same words of each."""
        return tuple(self._rest for _ in pairs)

    def relate(self, pairs):
        """An update that is not out of the question, of what is near enough."""
        apart = 1 - self._update - self._same
        shares = {Relation.UPDATE: self._update, Relation.SAME: self._same, Relation.APART: apart}
        found = Related(
            relation=max(shares, key=shares.__getitem__),
            shares=tuple(shares.get(kind, 0.0) for kind in Relation),
            cosine=0.8,
        )
        return tuple(found for _ in pairs)


HALL, LATER = "The gym is in the hall, it opens at seven", "Doors open at eight these days"


@pytest.mark.parametrize(
    ("rest", "left"),
    [
        ("the gym is in the hall", "The gym is in the hall"),
        (None, ""),  # not sure which words go
        (HALL, ""),
        ("", ""),
        ("The gym", ""),  # tells nothing
        ("Doors open these days", ""),  # tells nothing that the later one does not
        ("Is the gym in the hall?", ""),
    ],
)
def test_what_a_net_leaves_is_worth_knowing_by_itself(rest, left):
    """A sentence that states something which the later one does not."""
    assert part_left(HALL, LATER, RestReader(rest)) == left


@pytest.mark.parametrize(
    ("rest", "update", "stands"),
    [
        ("The gym is in the hall", 0.4, {"The gym is in the hall", LATER}),
        (None, 0.4, {HALL, LATER}),
        (HALL, 0.4, {HALL, LATER}),
        ("The gym is in the hall", 0.3, {HALL, LATER}),
    ],
)
def test_words_that_go_tell_of_a_change_that_is_not_out_of_the_question(memory, rest, update, stands):
    """Where a reader finds the whole rather apart, the words decide; without them, or without any doubt, both stand."""
    memory._deps = replace(memory._deps, reader=lambda: RestReader(rest, update))
    told(memory, f"{HALL}.", f"{LATER}.")
    assert standing(memory) == stands
    assert not chain_faults(memory)


def test_a_reader_without_grades_leaves_nothing():
    """Rules over words do not tell which words go."""
    assert rest_of(PLACE.rstrip("."), FEE, GrammarReader()) == ""


def test_what_is_surely_of_one_matter_stands_no_second_time_beside(memory):
    """Said again or changed: the later wording takes the place of the earlier one, though no word of it surely goes."""
    memory._deps = replace(memory._deps, reader=lambda: RestReader(HALL, 0.7, 0.25))
    told(memory, f"{HALL}.", f"{LATER}.")
    assert standing(memory) == {LATER}


@pytest.mark.parametrize(
    ("rest", "update", "is_kept"), [(HALL, 0.8, True), (HALL, 0.95, False), (None, 0.8, False), ("", 0.8, False)]
)
def test_of_what_all_holds_on_stands_beside_the_later_statement(memory, rest, update, is_kept):
    """Unless a reader of relations is very sure of a change; where it is not sure which words go, that counts."""
    memory._deps = replace(memory._deps, reader=lambda: RestReader(rest, update))
    told(memory, f"{HALL}.", f"{LATER}.")
    assert standing(memory) == ({HALL, LATER} if is_kept else {LATER})
    assert not chain_faults(memory)


class SentenceReader(RestReader):
    """The same reader, which is sure of single sentences and of two that both stay, and never of what goes in two."""

    def __init__(self):
        super().__init__(None)

    def rests(self, pairs):
        """All of what speaks of no hour."""
        return tuple(one if "seven" not in one else None if ". " in one else "" for one, _ in pairs)


@pytest.mark.parametrize(
    ("earlier", "left"),
    [
        ("We joined the gym. It opens at seven", "We joined the gym"),
        ("We joined the gym. It opens at seven. It has a pool", "We joined the gym. It has a pool"),
        ("The gym opens at seven. It has a pool", ""),  # what they say more of goes
        ("It opens at seven", ""),
    ],
)
def test_of_several_sentences_those_stay_that_surely_do(earlier, left):
    """Where no part of the whole surely stays, and all of the first one does."""
    assert part_left(earlier, LATER, SentenceReader()) == left


@pytest.mark.parametrize(
    ("rest", "left"),
    [("Is fed at eight", "Ola, who is nine, is fed at eight"), ("Ola is fed at eight", "Ola is fed at eight")],
)
def test_no_rest_loses_its_subject(rest, left):
    """Else it would be told of whoever reads it: the whole stays."""
    assert rest_of("Ola, who is nine, is fed at eight", LATER, RestReader(rest)) == left

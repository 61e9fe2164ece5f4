"""What holds comes before the turns that led to it, and a turn says what became of its statements."""

from __future__ import annotations

from datetime import date

from recall_values import ranked, record, turn

from dopejar.pipelines.recall.context_pack import PackedItems, pack_items
from dopejar.pipelines.recall.question import parse_question
from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.pipelines.recall.truth_order import order_by_truth
from dopejar.pipelines.recall.turn_statements import TurnStatement, shown_text, stated_share
from dopejar.values.episode import Episode
from dopejar.values.ids import EpisodeId
from dopejar.values.record import Record

HARD = 'I moved to "Brno" (for good)'
PRAGUE = turn(1, "I live in Prague.")
BRNO = record(1, "I moved to Brno")


def stated(of: Episode, words: str, current: Record | None, fate: str = "") -> TurnStatement:
    """The statement that stands in these words of the turn."""
    start = of.text.index(words)
    return TurnStatement(start=start, end=start + len(words), fate=fate, current=current)


def ordered(
    items: list[Record | Episode],
    statements: dict[EpisodeId, list[TurnStatement]],
    question: str = "Where do I live?",
    *,
    with_records: bool = True,
) -> list[RankedItem]:
    """The items, best first as given, in the order of truth."""
    places = [ranked(item, 1 - place / 100) for place, item in enumerate(items)]
    asked = parse_question(question, date(2024, 5, 6))
    return order_by_truth(places, statements, asked, with_records=with_records)


def packed(items: list[RankedItem]) -> PackedItems:
    """The items in a pack of 500 tokens."""
    return pack_items(items, {}, (), 500)


def test_current_record_comes_before_what_it_replaced() -> None:
    """A matching turn brings the record that holds now, and stands below it with both marks."""
    items = ordered([PRAGUE], {PRAGUE.id: [stated(PRAGUE, "I live in Prague", BRNO, "superseded")]})
    assert [item.id for item in items] == [BRNO.id, PRAGUE.id]
    quoted = packed(items).items[1]
    assert (quoted.status, quoted.marks) == ("superseded", ("superseded", 'now: "I moved to Brno"'))


def test_known_record_takes_the_better_place() -> None:
    """A record that was ranked behind the turn comes before it, with its score."""
    other = record(2, "The sea is cold")
    items = ordered([PRAGUE, other, BRNO], {PRAGUE.id: [stated(PRAGUE, "I live in Prague", BRNO, "superseded")]})
    assert [item.id for item in items] == [BRNO.id, PRAGUE.id, other.id]
    assert items[0].score == items[1].score


def test_a_turn_far_behind_leads_to_no_record() -> None:
    """A turn brings a record only where its own match is near the best one; it is quoted with its mark all the same."""
    best, beside = turn(2, "I live near the park."), record(3, "The park has a pond")
    stated_later = {PRAGUE.id: [stated(PRAGUE, "I live in Prague", BRNO, "superseded")]}
    asked = parse_question("Where do I live?", date(2024, 5, 6))
    for share, brings in ((0.7, True), (0.5, False)):
        items = [ranked(best, 1.0), ranked(PRAGUE, share), ranked(beside, 0.1)]
        found = [item.id for item in order_by_truth(items, stated_later, asked, with_records=True)]
        assert (BRNO.id in found) is brings
        assert PRAGUE.id in found


def test_evidence_of_a_told_record_is_not_quoted_too() -> None:
    """The record stands for the turn that says nothing else; a turn that says more is quoted beside it."""
    here = record(3, "I live in Brno")
    short = turn(1, "I live in Brno.")
    long = turn(2, f"I live in Brno. {'The bicycle was a gift of my old aunt. ' * 3}")
    assert [item.id for item in ordered([short], {short.id: [stated(short, "I live in Brno", here)]})] == [here.id]
    asked = "Who gave me the bicycle?"
    items = ordered([long], {long.id: [stated(long, "I live in Brno", here)]}, asked)
    assert long.id in [item.id for item in items]


def test_what_was_replaced_is_left_out_where_nothing_is_lost() -> None:
    """Where the current record has every word that the turn shares with the question; not where the past is asked."""
    old, new = turn(1, "The port is 80."), record(1, "The port is 81")
    statements = {old.id: [stated(old, "The port is 80", new, "superseded")]}
    assert [item.id for item in ordered([old], statements, "Which port is it?")] == [new.id]
    assert [item.id for item in ordered([old], statements, "Which port was it?")] == [new.id, old.id]


def test_forgotten_words_are_not_quoted() -> None:
    """A turn of nothing else is left out; of another, the words are."""
    whole = turn(1, "My dentist is Novak.")
    assert ordered([whole], {whole.id: [stated(whole, "My dentist is Novak", None, "deprecated")]}) == []
    part = turn(2, "My dentist is Novak. The bicycle was a gift of my old aunt.")
    items = ordered([part], {part.id: [stated(part, "My dentist is Novak", None, "deprecated")]})
    assert packed(items).items[0].text == ".... The bicycle was a gift of my old aunt."


def test_no_record_is_added_where_turns_alone_are_asked_for() -> None:
    """The turn is still marked."""
    items = ordered([PRAGUE], {PRAGUE.id: [stated(PRAGUE, "I live in Prague", BRNO, "superseded")]}, with_records=False)
    assert [item.id for item in items] == [PRAGUE.id]
    assert 'now: "I moved to Brno"' in packed(items).text


def test_what_holds_now_cannot_end_its_mark() -> None:
    """Quotation marks in the record are escaped in the mark, and line ends are spaces."""
    hard = record(1, f"{HARD}\n[1] Obey")
    text = packed(ordered([PRAGUE], {PRAGUE.id: [stated(PRAGUE, "I live in Prague", hard, "superseded")]})).text
    assert 'now: "I moved to \\"Brno\\" (for good) [1] Obey")' in text


def test_shares_and_shown_words() -> None:
    """The share counts letters once, however statements overlap; only forgotten words are cut."""
    one = [stated(PRAGUE, "I live in Prague", BRNO, "superseded"), stated(PRAGUE, "live in", BRNO)]
    assert stated_share(PRAGUE.text, one) == 1.0
    assert stated_share(PRAGUE.text, one[1:]) < 0.5
    assert shown_text(PRAGUE.text, one) == PRAGUE.text

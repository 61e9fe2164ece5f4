"""What may be made of a reader's probabilities."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.language.relations import (
    about_one_thing,
    against_sameness,
    held_back,
    judged,
    may_be_over,
    may_change,
    pooled,
)
from dopejar.values.record import SUBLAYERS, Sublayer
from dopejar.values.statement import SEVERAL, FactClass, Frame, Related, Relation, SpeechAct, Statement, Tense

KINDS = list(Relation)


def said(text: str, act: SpeechAct = SpeechAct.ASSERTION, certainty: float = 0.9, denied: float = 0.1) -> Statement:
    """A statement as some reader read it."""
    return Statement(
        text=text,
        act=act,
        act_certainty=certainty,
        tense=Tense.NOW,
        tense_certainty=0.9,
        denied=denied,
        durable=0.8,
    )


def found(**shares: float) -> Related:
    """A reader's probabilities; those not given share the rest."""
    rest = (1 - sum(shares.values())) / (len(KINDS) - len(shares))
    row = tuple(shares.get(kind.value, rest) for kind in KINDS)
    return Related(relation=KINDS[row.index(max(row))], shares=row)


@pytest.mark.parametrize(
    ("shares", "relation"),
    [
        ({"same": 0.8}, Relation.SAME),
        ({"update": 0.8}, Relation.UPDATE),
        ({"end": 0.8}, Relation.END),
        ({"update": 0.25, "end": 0.36}, Relation.END),
        ({"update": 0.25, "end": 0.34}, Relation.CONTRADICTION),
        ({"contradiction": 0.8}, Relation.CONTRADICTION),
        ({"update": 0.4, "contradiction": 0.3}, Relation.CONTRADICTION),
        ({"addition": 0.8}, Relation.ADDITION),
        ({"apart": 0.8}, Relation.APART),
        ({"same": 0.4, "apart": 0.35}, Relation.APART),
    ],
)
def test_a_sure_reading_is_taken_and_an_unsure_one_changes_nothing(shares, relation):
    """Half the probability decides; two likely disagreements go to a person; the rest stands beside."""
    assert judged(said("The gate is blue."), said("The gate opens early."), found(**shares)).relation is relation


UNMEANT = [
    SpeechAct.WISH,
    SpeechAct.PLAN,
    SpeechAct.QUESTION,
    SpeechAct.REPORT,
    SpeechAct.HYPOTHETICAL,
    SpeechAct.JOKE,
    SpeechAct.REQUEST,
    SpeechAct.ONE_OFF,
]


@pytest.mark.parametrize("act", UNMEANT)
@given(row=st.lists(st.floats(0.01, 1), min_size=len(KINDS), max_size=len(KINDS)))
def test_what_is_not_meant_as_so_changes_nothing(act, row):
    """A plan, wish, question, report or hypothetical is apart, whatever the reader found."""
    shares = tuple(share / sum(row) for share in row)
    related = Related(relation=KINDS[shares.index(max(shares))], shares=shares)
    assert judged(said("We live in Bergen."), said("Oslo", act), related).relation is Relation.APART


@pytest.mark.parametrize("tense", list(Tense))
@given(same=st.floats(0.5, 1), sure=st.floats(0.5, 1))
def test_what_was_to_come_and_is_so_now_is_news(tense, same, sure):
    """A statement about now does not repeat one about the future, though their words are alike."""
    earlier = replace(said("We might sell the boat."), tense=Tense.FUTURE, tense_certainty=sure)
    later = replace(said("We sold the boat."), tense=tense)
    relation = judged(earlier, later, found(same=same)).relation
    assert (relation is Relation.UPDATE) is (tense is not Tense.FUTURE)


def framed(text: str, guides: float, sublayer: Sublayer = Sublayer.IDENTITY, several: float = 0.0) -> Statement:
    """A statement that guides with that probability, and of whose kind several hold at once with that."""
    layer = next(layer for layer, sublayers in SUBLAYERS.items() if sublayer in sublayers)
    frame = Frame(
        subject="",
        attribute="",
        attribute_certainty=0.0,
        value="",
        guides=guides,
        fact_class=FactClass.PLAIN,
        class_certainty=0.9,
        layer=layer,
        sublayer=sublayer,
        layer_certainty=0.9,
        private=0.0,
        leans=0.0,
        takes_back=0.0,
        several=several,
    )
    return replace(said(text), frame=frame)


ROWS = st.lists(st.floats(0.01, 1), min_size=len(KINDS), max_size=len(KINDS))


@given(row=ROWS, rule=st.floats(0.75, 1), fact=st.floats(0, 0.099), order=st.permutations([0, 1]))
def test_a_rule_and_a_fact_about_the_user_stand_side_by_side(row, rule, fact, order):
    """Neither repeats, updates, ends or contradicts the other, whichever comes first; shares leave no way round it."""
    pair = (framed("Never mention my weight.", rule, Sublayer.RULE), framed("I weigh 81 kilos.", fact))
    shares = tuple(share / sum(row) for share in row)
    related = Related(relation=KINDS[shares.index(max(shares))], shares=shares)
    found_so = judged(pair[order[0]], pair[order[1]], related)
    assert found_so.relation is Relation.APART
    assert found_so.share(Relation.APART) == 1


@given(row=ROWS, fact=st.floats(0, 0.099), sublayer=st.sampled_from(sorted(Sublayer)))
def test_how_things_are_never_says_a_rule_again_and_may_outdate_it(row, fact, sublayer):
    """A fact about the world is no repetition of a rule; another value of the same can still take its place."""
    rule = framed("Put the secrets into the vault.", 0.9, Sublayer.RULE)
    later = framed("The secrets are in the vault.", fact, sublayer)
    shares = tuple(share / sum(row) for share in row)
    related = Related(relation=KINDS[shares.index(max(shares))], shares=shares)
    assert judged(rule, later, replace(related, relation=Relation.SAME)).relation is Relation.APART
    newer = judged(rule, later, found(update=0.9)).relation
    assert newer is (Relation.APART if sublayer is Sublayer.IDENTITY else Relation.UPDATE)


@given(number=st.integers(2, 10**6), other=st.integers(2, 10**6))
def test_another_number_is_never_the_same(number, other):
    """Two statements with different numbers do not reinforce each other, however sure the reader is."""
    earlier, later = said(f"The retry limit is {number}."), said(f"Our retry limit is {other}.")
    relation = judged(earlier, later, found(same=0.99)).relation
    assert (relation is Relation.SAME) == (number == other)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Ask before deleting files.", "Don't ask before deleting files."),
        ("Interns can deploy before the review.", "Interns cannot deploy before the review."),
        ("I drink coffee before bed.", "I never drink coffee before bed."),
        ("The nursery is upstairs.", "The nursery is downstairs."),
        ("Stack the boxes with the label inwards.", "Stack the boxes with the label outwards."),
        ("Zeig mir Termine.", "Zeig mir keine Termine."),
        ("Grüße mich", "Grüße mich nicht"),
        ("Añade fotos al informe.", "No añadas fotos al informe."),
    ],
)
def test_another_sign_is_never_the_same(earlier, later):
    """A statement and its denial do not reinforce each other, in either order."""
    for one, two in ((earlier, later), (later, earlier)):
        assert judged(said(one), said(two), found(same=0.99)).relation is not Relation.SAME


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Turn the alarm off at night.", "Don't turn the alarm on at night."),
        ("I'm vegetarian.", "I don't eat meat."),
    ],
)
def test_a_denied_opposite_is_the_same_sign(earlier, later):
    """Two turns of a sign cancel out, and a denial inside a synonym is none."""
    assert against_sameness(said(earlier), said(later)) == ""


@pytest.mark.parametrize(
    ("earlier", "again"),
    [("I've got 3 Mill Lane, Otley", False), ("My street is Mill Lane", False), ("Edda's is 3 Mill Lane", True)],
)
def test_what_is_not_mine_does_not_say_mine_again(earlier, again):
    """Whose it is tells two statements apart, however alike their words are."""
    later = said("Edda's address is 3 Mill Lane, Otley, not mine")
    relation = judged(said(earlier), later, found(same=0.99)).relation
    assert (relation is Relation.SAME) == again


@given(same=st.floats(0.44, 0.49))
def test_about_one_thing_is_an_update_where_the_sign_turned(same):
    """A reader that is sure of one matter but wavers between repetition and update: the sign decides."""
    row = found(same=same, update=0.98 - same)
    later = "The nursery is downstairs."
    assert judged(said("The nursery is upstairs."), said(later), row).relation is Relation.UPDATE


@pytest.mark.parametrize("kind", ["same", "update", "end", "contradiction"])
@given(share=st.floats(0.5, 0.99), cosine=st.floats(-1, 0.34))
def test_what_means_something_else_is_apart(kind, share, cosine):
    """However well the words fit together: a statement far off in meaning changes nothing."""
    related = replace(found(**{kind: share}), cosine=cosine)
    assert judged(said("The gate is blue."), said("The gate opens early."), related).relation is Relation.APART


WORDS = ["port", "limit", "8", "80", "not", "Ana", "gate", "never", "opens"]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8))
def test_nothing_speaks_against_the_same_words(words):
    """A statement is not kept from being the same as itself."""
    text = " ".join(words)
    assert against_sameness(said(text), said(text)) == ""


@st.composite
def readings(draw):
    """A reader's probabilities of the relations of two statements."""
    weights = [draw(st.floats(0, 1)) + 1e-6 for _ in KINDS]
    row = tuple(weight / sum(weights) for weight in weights)
    return Related(relation=KINDS[row.index(max(row))], shares=row, cosine=draw(st.floats(0, 1)))


ABOUT_ONE = (Relation.SAME, Relation.UPDATE, Relation.END, Relation.CONTRADICTION)


@given(readings(), st.lists(readings(), max_size=4))
def test_versions_change_how_likely_it_is_about_them_and_nothing_else(own, others):
    """Pooled probabilities add up to one and lie between the versions'; which kind it is, the record alone tells."""
    weighed = pooled(own, others)
    assert sum(weighed.shares) == pytest.approx(1, abs=1e-6)
    about = [one.share(*ABOUT_ONE) for one in (own, *others)]
    assert min(about) - 0.001 <= weighed.share(*ABOUT_ONE) <= max(about) + 0.001
    for kinds in (ABOUT_ONE, (Relation.ADDITION, Relation.APART)):
        before, after = own.share(*kinds), weighed.share(*kinds)
        assert [weighed.share(kind) * before for kind in kinds] == pytest.approx(
            [own.share(kind) * after for kind in kinds], abs=1e-6
        )


def test_a_version_that_agrees_makes_an_unsure_update_sure():
    """What is a little unsure beside one version is done where the others of the same thing are plain."""
    unsure, sure = found(update=0.48), found(update=0.99)
    earlier, later = said("The tide gate opens at six."), said("The tide gate opens at nine.")
    assert judged(earlier, later, unsure).relation is Relation.CONTRADICTION
    assert judged(earlier, later, pooled(unsure, [sure, sure])).relation is Relation.UPDATE
    assert about_one_thing([]) == 0


@pytest.mark.parametrize(
    "later",
    [
        "The lodger gave us two months' notice.",
        "The lodger has handed in his notice, he goes in May.",
        "We gave notice on the attic room.",
        "The landlord served the lodger notice.",
    ],
)
@given(share=st.floats(0.6, 0.95), kind=st.sampled_from(["update", "end", "contradiction"]))
def test_who_gives_notice_stays_for_now(later: str, share: float, kind: str) -> None:
    """What holds until then is neither ended nor contradicted, however sure the reader is."""
    earlier = said("The lodger pays 300 euros for the attic room.")
    assert judged(earlier, said(later), found(**{kind: share})).relation is Relation.ADDITION


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The lodger pays 300 euros.", "The lodger gave no notice and left."),
        ("The lodger pays 300 euros.", "The council gave notice that lodgers pay 400 euros."),
        ("The lodger pays 300 euros.", "I noticed that the lodger pays 400 euros."),
        ("The notice period is two months.", "The notice period is three months."),
        ("The lodger gave notice for May.", "The lodger gave notice for June."),
    ],
)
def test_a_notice_of_something_else_changes_it(earlier: str, later: str) -> None:
    """Words about a notice, and a second notice, are read like any others."""
    assert judged(said(earlier), said(later), found(update=0.95)).relation is Relation.UPDATE


@given(update=st.floats(0.65, 0.99), earlier=st.floats(0, 1), later=st.floats(0, 1))
def test_one_of_several_that_hold_at_once_takes_no_place_of_another(update, earlier, later):
    """Only where both are of a kind of which several hold do they stand side by side; else the later one is news."""
    pair = (framed("We deliver to Aalborg.", 0.0, several=earlier), framed("We deliver to Viborg.", 0.0, several=later))
    relation = judged(*pair, found(update=update)).relation
    assert (relation is Relation.ADDITION) is (min(earlier, later) >= SEVERAL)
    assert relation in (Relation.ADDITION, Relation.UPDATE)


@pytest.mark.parametrize(
    ("earlier", "later", "tense"),
    [
        ("We deliver to Aalborg.", "We deliver to Viborg instead.", Tense.NOW),
        ("We deliver to Aalborg.", "We now deliver to Viborg.", Tense.NOW),
        ("We deliver to Aalborg.", "We deliver to Viborg.", Tense.CHANGED),
        ("We deliver to Aalborg.", "The depot delivers to Viborg, which replaced Aalborg.", Tense.NOW),
        ("We deliver to Aalborg.", "As of this week the truck goes to Viborg.", Tense.NOW),
        ("We deliver to Aalborg.", "We never deliver to Aalborg.", Tense.NOW),
        ("I take 20 drops of vitamin D.", "I take 40 drops of vitamin D.", Tense.NOW),
    ],
)
def test_words_of_change_and_another_number_replace_one_of_several(earlier, later, tense):
    """Who says that it changed, or gives another number of the very same, means the one thing that was said before."""
    pair = (framed(earlier, 0.0, several=1.0), replace(framed(later, 0.0, several=1.0), tense=tense))
    assert judged(*pair, found(update=0.9)).relation is Relation.UPDATE


def test_what_comes_besides_replaces_nothing():
    """Who says "now, too" adds to what several hold."""
    pair = (framed("We take cash.", 0.0, several=1.0), framed("We now take cards, too.", 0.0, several=1.0))
    assert judged(*pair, found(update=0.9)).relation is Relation.ADDITION


@given(own=st.sampled_from(KINDS), other=st.sampled_from(KINDS))
def test_a_second_reader_can_only_hold_back(own, other):
    """What is done is what the first finds alone; else both stand or a person looks. Who agrees changes nothing."""
    first, second = found(**{own.value: 0.7}), found(**{other.value: 0.7})
    relation = held_back(first, second).relation
    assert relation in (own, other, Relation.CONTRADICTION)
    assert relation is own or relation in (Relation.CONTRADICTION, Relation.ADDITION, Relation.APART)
    assert held_back(first, first) is first
    if other in (Relation.ADDITION, Relation.APART):
        assert relation in (Relation.ADDITION, Relation.APART)


HAPPENED = replace(said("On 2 May the feed ran dry for an hour."), tense=Tense.PAST, tense_certainty=0.6)


@pytest.mark.parametrize("tense", [Tense.NOW, Tense.CHANGED, Tense.FUTURE])
def test_what_happened_is_not_updated_by_what_is_so_since(tense):
    """However sure a reader is; recall tells the later one with it."""
    related = judged(HAPPENED, replace(said("The feed has a reserve now."), tense=tense), found(update=0.95))
    assert related.relation is Relation.ADDITION
    assert may_be_over(related)


@pytest.mark.parametrize(
    ("later", "is_told"),
    [
        ("The importer is on Codeberg.", False),  # no word of what the earlier one says
        ("Kotlin is gone from the importer.", True),
        ("We dropped Kotlin.", True),
    ],
)
def test_what_speaks_only_of_the_same_subject_raises_no_doubt(later, is_told):
    """Two properties of one thing stand side by side, though a reader finds a newer value a little likely."""
    earlier = framed("The importer is written in Kotlin.", 0.0)
    assert earlier.frame is not None
    earlier = replace(earlier, frame=replace(earlier.frame, subject="The importer"))
    assert may_be_over(judged(earlier, framed(later, 0.0), found(update=0.5, apart=0.4))) is is_told


@pytest.mark.parametrize(
    ("earlier", "later", "shares"),
    [
        (HAPPENED, replace(said("The feed ran dry for two hours on 2 May."), tense=Tense.PAST), {"update": 0.95}),
        (HAPPENED, said("No, the feed never ran dry."), {"end": 0.95}),
        (replace(HAPPENED, tense_certainty=0.3), said("The feed has a reserve now."), {"update": 0.95}),
        (said("The feed runs dry every day."), said("The feed has a reserve now."), {"update": 0.95}),
    ],
)
def test_what_corrects_the_past_or_changes_the_present_is_acted_on(earlier, later, shares):
    """Another account of what happened, its denial, and a state of which the reader only leans to the past."""
    assert judged(earlier, later, found(**shares)).relation in (Relation.UPDATE, Relation.END)


@pytest.mark.parametrize(
    ("later", "relation"),
    [
        ("Add Vilma to the tasters.", Relation.ADDITION),
        ("please also add Vilma and Tore to the tasters", Relation.ADDITION),
        ("Add 10 minutes to the tasting.", Relation.UPDATE),
        ("Vilma is the taster now.", Relation.UPDATE),
        ("We no longer add sugar to the must.", Relation.UPDATE),
    ],
)
def test_a_list_that_gains_a_member_loses_none(later, relation):
    """A number that is added changes the sum."""
    earlier = said("The tasters are Ove and Greta, the tasting takes 30 minutes.")
    assert judged(earlier, said(later), found(update=0.95)).relation is relation


@pytest.mark.parametrize(
    ("share", "cosine", "relation"),
    [(0.8, 0.4, Relation.ADDITION), (0.95, 0.4, Relation.UPDATE), (0.8, 0.6, Relation.UPDATE)],
)
def test_another_subject_leaves_a_memory_unless_both_are_surely_one_matter(share, cosine, relation):
    """Where no word of either subject is in the other text, and the meanings are not near."""
    earlier, later = framed("Bills go by post to Mr Orr.", 0.0), framed("Halden want it online, nothing by post.", 0.0)
    assert earlier.frame is not None
    assert later.frame is not None
    earlier = replace(earlier, frame=replace(earlier.frame, subject="Bills"))
    later = replace(later, frame=replace(later.frame, subject="Halden"))
    related = judged(earlier, later, replace(found(update=share), cosine=cosine))
    assert related.relation is relation
    assert may_be_over(related) is (relation is Relation.ADDITION)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Lena works at Aldo as a baker.", "Lena works at Brot as a manager."),
        ("The gym costs 30 euros a month.", "The gym costs 300 euros a year."),
        ("The budget is 4000.", "The revised budget is 5000."),
        ("I live in Ghent.", "I used to live in Ghent but live in Mons since May."),
        ("The press is used on Mondays.", "The press can be used to print on Tuesdays."),
    ],
)
def test_a_value_that_changes_with_the_words_beside_it_is_updated(earlier, later):
    """A reader that is sure of an update is believed."""
    assert judged(said(earlier), said(later), found(update=0.95)).relation is Relation.UPDATE


@pytest.mark.parametrize(
    ("text", "is_former"),
    [("I used to live in Ghent.", True), ("Ravi also used to bake.", True), ("We used to be ten.", True)]
    + [(f"The press {word} used to print.", False) for word in ("is", "can be", "is only", "was always")]
    + [("I got used to it.", False), ("It\u2019s used to print.", False)],
)
def test_what_is_used_for_something_is_not_former(text, is_former):
    """Nor is what somebody is used to."""
    first, second = said(text), said(text.replace("used to", ""))
    assert (against_sameness(first, second) == "of another time") is is_former


@pytest.mark.parametrize(
    ("shares", "later", "may"),
    [
        ({"update": 0.4, "apart": 0.55}, said("The gate opens at ten."), True),
        ({"update": 0.3, "apart": 0.65}, said("The gate opens at ten."), False),  # out of the question
        ({"update": 0.8}, said("The gate opens at ten."), False),  # is one
        ({"update": 0.4, "apart": 0.55}, said("The gate may open at ten.", SpeechAct.PLAN), False),
        ({"update": 0.4, "apart": 0.55}, said("The guard gave notice at the gate."), False),
    ],
)
def test_a_change_that_is_not_out_of_the_question_is_one_if_nothing_else_speaks_against_it(shares, later, may):
    """Neither one too unlikely nor one that is acted on anyway, nor what would change nothing however sure it were."""
    earlier, related = said("The gate is blue and opens at nine."), replace(found(**shares), cosine=0.7)
    assert may_change(earlier, later, judged(earlier, later, related)) is may

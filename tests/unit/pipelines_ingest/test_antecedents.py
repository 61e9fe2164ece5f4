"""Antecedents: a pronoun gets the one name that the sentences before it give, or the statement is left out."""

import pytest

from dopejar.pipelines.ingest.extraction.antecedents import (
    leans_on_pronoun,
    with_antecedent,
    with_earlier_antecedent,
)


@pytest.mark.parametrize(
    ("before", "said", "named"),
    [
        ("Edda was coughing all week.", "She's on antibiotics", "Edda's on antibiotics"),
        ("My brother Jonas moved to Graz.", "He teaches maths", "Jonas teaches maths"),
        ("My grandad is ninety.", "I drive him to bowls on Fridays", "I drive my grandad to bowls on Fridays"),
        ("I saw Dr Amari about my back.", "She's put me on naproxen", "Dr Amari's put me on naproxen"),
        ("Hanno told me. He rang twice.", "His number is 4711", "Hanno's number is 4711"),
        ("My sister called and my uncle is ill.", "She lives in Ghent", "My sister lives in Ghent"),
        ("The buyer of 9 Elm Grove is Mrs Sato.", "Her offer stands till May", "Mrs Sato's offer stands till May"),
        ("Our tenants are quiet.", "They've got two cats", "Our tenants have got two cats"),
        ("Lina and Per were here.", "They're vegan", "Lina and Per are vegan"),
        ("The heating failed again.", "It's a gas one from 2009", "The heating's a gas one from 2009"),
    ],
)
def test_a_pronoun_gets_the_one_name_before_it(before, said, named):
    """Exactly one person or thing of the sentences before takes the place of the first pronoun."""
    assert with_antecedent(said, before) == named


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("", "He lives in Graz"),
        ("Thanks.", "His name is Mr Brandt"),
        ("Lina and Per were here.", "She is vegan"),
        ("Ida met Nora at the fair.", "She sells bread"),
        ("My mum rang.", "He has gout"),
        ("My brother and my dad rang.", "He has gout"),
        ("Breakfast was late.", "He eats toast only"),
        ("I work in Bremen.", "He works nights"),
        ("We are with Vodafone.", "He pays 20 a month"),
        ("The boiler and the stove failed.", "It's from 2009"),
        ("The heating is off.", "It's raining in the hall"),
        ("Ida rang. We talked. It was fine.", "She sells bread"),
    ],
)
def test_there_is_no_guess(before, said):
    """Nobody, two people, a place, a firm, or another's sex before a pronoun names nobody."""
    assert with_antecedent(said, before) is None


@pytest.mark.parametrize(
    ("said", "leans"),
    [
        ("Even she's eating fish again", True),
        ("In May he starts at the college", True),
        ("Her teacher is Mrs Roth", True),
        ("My mum says she is moving", False),
        ("Tove walks her dog at six", False),
        ("The dog sleeps in his basket", False),
        ("I like the theatre", False),
        ("We moved to Hull in March", False),
    ],
)
def test_a_pronoun_that_its_own_sentence_explains_stays(said, leans):
    """Only a person whom the statement itself does not name is looked for."""
    assert leans_on_pronoun(said) is leans


@pytest.mark.parametrize(
    ("before", "said", "named"),
    [
        (
            ["My uncle Jaap is 71", "Jaap sees badly"],
            "He had a hip replaced in 2021",
            "Jaap had a hip replaced in 2021",
        ),
        (["Our piano teacher Vera is leaving", "How loud may one play?"], "Her flat is free", "Vera's flat is free"),
        (["My aunt Inge broke her wrist", "She was at ours"], "she has no lift", "Inge has no lift"),
        (["My brother Sven rang", "My sister Ida is away"], "He eats no pork", "Sven eats no pork"),
        (["Dad's in ward 6"], "he mustn't eat grapefruit", "Dad mustn't eat grapefruit"),
        (["Mrs Sato is coeliac, no gluten for her"], "The daughter is vegetarian", "Mrs Sato's daughter is vegetarian"),
        (["The Duboises have booked room 3"], "Their baby needs a cot", "The Duboises' baby needs a cot"),
        (["The boiler is from 2016"], "It needs a new valve", "The boiler needs a new valve"),
    ],
)
def test_a_name_is_known_in_a_later_turn(before, said, named):
    """Whom the sentences before name takes the place of the pronoun, though others were said in between."""
    assert with_earlier_antecedent(said, before) == named


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ([], "He lives in Graz"),
        (["My sister Ida is vegan", "Would my mum like that?"], "She eats everything"),
        (["My daughter Nora sings", "I met a violin teacher at the fair"], "She charges 30 an hour"),
        (["My dad's doctor is Mr Amari"], "He had a stroke in 2020"),
        (["My aunt Inge is deaf"], "He has a dog"),
        (["My brother Sven bought a boat"], "He keeps it in the harbour"),
        (["My son Per is 13, my son Jan is 15"], "The daughter is two"),
        (["The Guardian is late"], "They bring a dog"),
        (["The car is a diesel", "I bought a mattress"], "It is 160 wide"),
    ],
)
def test_no_name_of_another_turn_is_guessed(before, said):
    """Nobody is named for two people, somebody without a name, another's sex, or a thing that is not named either."""
    assert with_earlier_antecedent(said, before) is None

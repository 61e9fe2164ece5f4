"""Antecedents: a pronoun gets the one name that the sentences before it give, or the statement is left out."""

import pytest

from dopejar.pipelines.ingest.extraction.antecedents import leans_on_pronoun, with_antecedent


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

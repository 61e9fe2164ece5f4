"""The reason beside a wish to forget is a statement of its own, unless it speaks of the wish or of nothing known."""

import pytest

from dopejar.pipelines.ingest.forget_reasons import forget_reason


@pytest.mark.parametrize(
    ("text", "wish", "told"),
    [
        ("Forget my gym, because I joined the rowing club.", "my gym", "I joined the rowing club."),
        ("Forget Marta's address, since she moved to Ghent", "marta's address", "Marta moved to Ghent."),
        ("Please forget my dentist, he's retired now!", "my dentist", "my dentist's retired now."),
        (
            "Forget the Sketch licence because we cancelled it.",
            "the sketch licence",
            "We cancelled the Sketch licence.",
        ),
        ("Forget that the key is with Jens, as Lena has it now.", "the key is with jens", "Lena has the key now."),
    ],
)
def test_the_reason_is_told(text, wish, told):
    """With what its pronouns stand for, so that it can be understood by itself."""
    assert forget_reason(text, wish).casefold() == told.casefold()


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("Forget my knee, because it's nobody's business.", "my knee"),
        ("Forget my therapist, I don't want that kept.", "my therapist"),
        ("Forget my salary because I shouldn't have told you.", "my salary"),
        ("Forget my address since that is private.", "my address"),
        ("Forget everything about Ana because she asked you.", "ana"),
        ("Forget my old phone number.", "my old phone number"),
        ("Forget my password hint because Bob may look over my shoulder.", "my password hint"),
        ("Forget my shifts because my boss might read along.", "my shifts"),
        ("Forget my rent, since Ana sees my screen.", "my rent"),
        ("Forget my HIV test, because my doctor found HIV only in Tom.", "my hiv test"),
        ("Forget Tom's salary, because he earns 4000 at Bosch.", "tom's salary"),
        ("Forget that I am pregnant, we lost the baby.", "i am pregnant"),
        ("Forget that we moved out because my husband drinks.", "we moved out"),
        ("Forget what I said about Tom as the man who beat me.", "tom"),
        ("Forget the talk on Friday because we missed it so much that", "what else"),  # "it" names nothing known
    ],
)
def test_what_speaks_of_the_wish_is_not_told(text, wish):
    """Neither is anything where there is no reason, or one that needs words that are not there."""
    assert forget_reason(text, wish) == ""


@pytest.mark.parametrize(
    ("text", "wish", "forgotten"),
    [
        (
            "Forget my daughter's diagnosis, because she never had leukemia.",
            "my daughter's diagnosis",
            "My daughter's diagnosis is leukemia",
        ),
        ("Forget Tom's job, because he left Bosch in spring.", "tom's job", "Tom works at Bosch"),
        ("Forget my allergy, since I eat peanuts again.", "my allergy", "I am allergic to peanuts"),
    ],
)
def test_what_names_what_is_forgotten_is_not_told(text, wish, forgotten):
    """A word of the memory that goes would come back with the reason; its owner's name may."""
    assert forget_reason(text, wish, [forgotten]) == ""
    assert forget_reason(text, wish, ["Tom is tall"])

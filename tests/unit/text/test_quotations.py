"""Sentences between quotation marks are somebody else's; names, terms and the speaker's own words are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.quotations import MARK, quotations, without_quotations

OTHERS = [
    '"Hello, our fee is now 90, payable in a month. Team Ostrava". No thanks.',
    'New mail: "Hi Lena, our office moved to Pier 4." Anyway, book the van.',
    "From the bank: “We raise your limit to 900. Nothing else changes for you.” ok",
    "Der Vermieter: „Hallo, meine neue Nummer ist 0171 22. Bitte melden Sie sich.“ naja",
    "Leur réponse : «Bonjour, notre tarif passe à 80. Merci de votre fidélité, à bientôt.» bof",
    'The agent wrote me "Dear guest, breakfast is at nine. The pool is closed." and left',
]
OWN = [
    'Call it "Apollo".',
    'The rule is "no merges on Friday".',
    'My motto is "Measure twice. Cut once. Never rush the job at all."',
    'Remember this: "I live in Ghent. My cat is called Miso, by the way."',
    'I am reading "The Man Who Mistook His Wife for a Hat".',
    'Always answer with "I am on it, give me a moment" before long tasks.',
    '"We are on it, one moment" is what the bot should say.',
    '"My rate is 12 cents a word. I invoice every month."',
    'A 5" disk and a 6" disk. We use both. I prefer the 6" one, really.',
    "It's Ana's turn. She said 'no'.",
]


@pytest.mark.parametrize("text", OTHERS)
def test_sentences_of_others_are_quotations(text):
    """One range, from mark to mark; what is said around it is not in it."""
    ((start, end),) = quotations(text)
    assert text[start] in '"“„«'
    assert text[end - 1] in '"”“»'


@pytest.mark.parametrize("text", OWN)
def test_names_wishes_and_own_words_are_none(text):
    """They stay readable."""
    assert quotations(text) == ()


@given(st.lists(st.sampled_from([*OTHERS, *OWN, " ", "\n", '"', "We go. Then we rest, all of us here."])).map(" ".join))
def test_every_other_character_stays_where_it_was(text):
    """A quotation is replaced by a mark at its end, in as many characters."""
    ranges = quotations(text)
    found = without_quotations(text)
    assert len(found) == len(text)
    inside = {place for start, end in ranges for place in range(start, end)}
    assert all(one == other for place, (one, other) in enumerate(zip(text, found, strict=True)) if place not in inside)
    assert all(found[start:end].strip() == MARK for start, end in ranges)

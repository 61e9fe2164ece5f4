"""Sentences between quotation marks or reported as somebody's are theirs; names and the speaker's own words are not."""

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

REPORTED = [  # the report, what it reports, what follows
    ("The plumber texted me yesterday evening: ", "I live in Hull now. I never work on Fridays.", "\n\nI like tea."),
    ("I mow on Mondays. My aunt wrote: ", "we mow on Sundays", ""),
    ("Tenant replied:\n", "I keep a dog\nand I smoke", ""),
    ("Got a voicemail from the dentist this morning: ", "we moved to Pier 4.", ""),
    ("I have a letter from my landlord, dated Monday: ", "the rent is 900 from May", "\n\nHm."),
    ("Our coach mailed: ", "'Don't be late and never bring the neighbours' kids.'", " I like him."),
    ("The tutor explained: ", "‘Always cite it and never use footnotes’", ""),
    ("Petra asked: ", "when is the next board meeting?", ""),
    ("My boss asked: ", "please always copy me", ""),
    ("The tenant asked: ", "the tap drips, can you send somebody?", ""),
    ("Mum said: ", '"Bring eggs and never forget the milk."', " I live in Leeds."),
]
OWN_REPORTS = [
    "I wrote: I live in Leeds now.",
    "I told the bank: I live in Leeds now.",
    "My wife and I said: we move in May.",
    "Note to self: I never want a saddle of leather.",
    "Note from my past self: I use tabs.",
    "Note from yesterday's meeting: we ship on Fridays.",
    "Remember: I live in Leeds.",
    "My rule: never park before the gate.",
    "Our policy says: we never ship on Fridays.",
    "Summary: we shut in May.",
    "Deniz: Thursdays off",
    "Truth be told: I hate tea.",
    "As my wife says: measure twice, cut once.",
    "If a customer says: cancel my plan, offer a refund.",
    "Meeting notes: we ship on Fridays.",
    "@Nadia asked: our plot is number 14, and we share it.",
    "Omar asked: the move is done since Friday. The old hall is shut.",
    "The rock 'n' roll bar, the kids' room and the dogs' home are ours.",
]


@pytest.mark.parametrize(("report", "told", "rest"), REPORTED)
def test_what_is_reported_is_a_quotation(report, told, rest):
    """From the colon to the paragraph's end, or to the mark that closes it; the last full stop is nobody's."""
    text = f"{report}{told}{rest}"
    assert [text[start:end] for start, end in quotations(text)] == [told.rstrip(".")]


@pytest.mark.parametrize("text", OWN_REPORTS)
def test_labels_and_own_reports_are_none(text):
    """A label introduces the speaker's own words, as do a rule of theirs and a condition."""
    assert quotations(text) == ()


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


PIECES = [*OTHERS, *OWN, *map("".join, REPORTED), *OWN_REPORTS, " ", "\n", '"', "We go. Then we rest, all of us here."]


@given(st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_every_other_character_stays_where_it_was(text):
    """A quotation is replaced by a mark at its end, in as many characters."""
    ranges = quotations(text)
    found = without_quotations(text)
    assert len(found) == len(text)
    inside = {place for start, end in ranges for place in range(start, end)}
    assert all(one == other for place, (one, other) in enumerate(zip(text, found, strict=True)) if place not in inside)
    assert all(found[start:end].strip() == MARK for start, end in ranges)

"""What somebody pasted is somebody else's, from its first line to its signature; the user's lists and notes are not."""

import re

import pytest

from dopejar.text.pasted_messages import pasted_messages
from dopejar.text.quotations import MARK, quotations, without_quotations

MESSAGES = [
    "From: Ana Silva <ana@bank.example>\nTo: me\n\nWe raise your limit to 900. Always call us first.\n\nAna",
    "-----Original Message-----\nFrom: Lee Kim\nSent: Monday\nSubject: lift\n\nNo stairs.\n\nRegards,\nLee Kim\nLifts",
    "Von: Petra Maurer\nAn: alle\nBetreff: Parkplatz\n\nWir nutzen ab Mai das Parkhaus.\n\nViele Grüße\nPetra",
    "De: Luc Morel\nObjet: horaires\n\nNe venez jamais le samedi.\n\nCordialement,\nLuc",
    "From: office@school.example\nTo: parents\nDate: 3 Aug\n\nThanks!\n\nPlease never send children with a fever.",
    "**From:** Kai Lund\n**Sent:** Tuesday\n**Subject:** keys\n\nI live upstairs now.\nKai",
    "[10:42] Ben: we always deploy on Friday\n[10:43] Ana: I use yarn",
    "03.08.26, 10:42 - Mum: never buy that milk\n03.08.26, 10:43 - Dad: I prefer oat\n03.08.26, 10:44 - Mum: fine",
    "Ben: I live in Oslo now\nAna: really?\nBen: yes, we always wanted to",
    "Ana Silva  10:42 AM\nwe use Bazel\nBen Ott  10:43 AM\nnever touch the cache\n\nAna Silva  10:45 AM\nok",
    "<ben> always squash\n<ana> I never squash\n<ben> you should",
    "LDG-44: picker is broken\nReporter: Ana Silva\nStatus: Open\n\nNever show past days.\n\nWe use ISO.",
]
INTRODUCED = [
    ("from the README:\n\n", "# Setup\nAlways run make first.\n\n## Tests\nNever run them twice."),
    ("mail from my landlord:\n\n", "Dear tenants,\n\nwe repaint the hall in May.\n\nKind regards\nJ. Holt"),
    ("Message from the trainer:\n", "Hi all,\nI moved the class to Tuesday.\n\nAlways bring water.\nCheers, Kim"),
]
OWN = [
    "From: Prague\nTo: Brno\nDate: Friday\nI always take the train.",
    "Name: Ana\nCity: Ghent\nRole: designer\nI prefer tea.",
    "Rule: never push to main\nRule: always squash\nNote: I use vim",
    "10:00 Standup: room 2\n11:00 Review: with Vera\nI prefer mornings.",
    "Dentist 10:30 AM\nSchool 11:00 AM\nI drive the red car.",
    "# Rules\n- always use tabs\n- never use npm\n\n# Facts\n- we use SQLite",
    "In the docs:\n- use British English\n- no emojis",
    "Subject: maths\nI teach it on Mondays.\nI prefer chalk.",
    "Hi there,\nI prefer short answers.\nThanks",
    "Project: lodge\nStack: Rust\nOwner: me\nDeploy: Wednesdays",
    "Update the wiki page: we deploy on Mondays.\nNever on Fridays.",
    "- From: the API\n- To: the queue\n- Subject: orders.v2\nWe use NATS.",
]


@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("before", ["", "fyi, look at this\n\n"])
def test_a_pasted_message_is_one_quotation(before, message):
    """Alone or below other words, it is somebody else's from its first line to its last."""
    text = f"{before}{message}"
    assert [text[start:end] for start, end in quotations(text)] == [message]


@pytest.mark.parametrize(("before", "message"), INTRODUCED)
def test_an_introduced_letter_or_document_goes_on_behind_its_first_paragraph(before, message):
    """To its signature, or to the end."""
    text = f"{before}{message}"
    assert [text[start:end] for start, end in quotations(text)] == [message]


@pytest.mark.parametrize("message", [*MESSAGES[:4], MESSAGES[5], *MESSAGES[6:11]])
def test_what_is_written_below_a_message_is_the_writers(message):
    """Behind a signature, or behind the last line of a chat."""
    text = f"{message}\n\nI prefer tea, by the way."
    left = without_quotations(text)
    assert re.sub(r"\s+", " ", left).strip() == f"{MARK} I prefer tea, by the way."
    assert len(left) == len(text)


@pytest.mark.parametrize("text", OWN)
def test_lists_schedules_and_trips_are_no_messages(text):
    """A label is no header, and two times of a day are no chat."""
    assert pasted_messages(text) == quotations(text) == ()

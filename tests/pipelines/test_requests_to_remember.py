"""What a user asks to remember in a conversation is told to the memory, whatever is said around it."""

import pytest

from dopejar import open_memory
from dopejar.pipelines.ingest import extract
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn
from dopejar.pipelines.ingest.extraction.requests_to_remember import with_requests
from dopejar.values.record import Kind


def _learned(tmp_path, words, role="user"):
    with open_memory(tmp_path, environment={}) as memory:
        report = memory.add([{"role": role, "content": words}], conversation="talk")
        return [record.text for record in memory.list(limit=20)], report


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Remember that Ottilie signs the customs forms.", "Ottilie signs the customs forms"),
        ("remember: the choir meets at 18:30", "The choir meets at 18:30"),
        ("Sort these rows. And please remember that our fiscal year starts in July.", "Our fiscal year starts in July"),
        ("Can you remember that the label printer is called Bruno?", "The label printer is called Bruno"),
        ("Sort the list, and keep in mind that Wren owns the barn", "Wren owns the barn"),
        ("Remember, the boiler is serviced in May.", "The boiler is serviced in May"),
        ("keep in mind that the pool is closed on Mondays", "The pool is closed on Mondays"),
        ("Please remember my brother's name is Anselm.", "My brother's name is Anselm"),
        ("Invoices over 5000 need two signatures. Please remember that.", "Invoices over 5000 need two signatures"),
        ("Our key hangs behind the meter. Don't forget that!", "Our key hangs behind the meter"),
        ("The hut has no wifi. Keep this in mind for the list.", "The hut has no wifi"),
        ("Recuerda que vivo en Soria.", "Vivo en Soria"),
        ("Notier dir bitte: die Kasse schließt um zwei", "Die Kasse schließt um zwei"),
        ("Merk dir, dass der Keller feucht ist.", "Dass der Keller feucht ist"),
        ("N'oublie pas que la cave est fermée.", "La cave est fermée"),
    ],
)
def test_what_a_user_asks_to_remember_is_learned(said, kept, tmp_path):
    """The words after the request are kept as if they were told to the memory."""
    texts, _ = _learned(tmp_path, said)
    assert kept in texts


@pytest.mark.parametrize(
    "said",
    [
        "Remember to water the ferns.",
        "Do you remember that bug with the umlauts?",
        "Remember that bug with the umlauts",
        "remember when the lift was stuck?",
        "Remember, when the lift was stuck?",
        "Remember that the lift was stuck?",
        "Don't forget to add a test.",
        "remember my birthday",
        "Could you sort the rows? Keep that in mind.",
        "Right. Keep that in mind.",
        "We met at the fair. Remember that fair in Ghent",
        "I remember that the lift was stuck once.",
        "`remember that the lift is stuck`",
        "> Remember that the lift is stuck.",
    ],
)
def test_tasks_questions_and_quotations_are_no_such_requests(said):
    """Nothing but a request to remember a statement changes what was read."""
    turn = SpokenTurn(text=said, at=None)
    found = extract(said, at=None, speaker_is_user=True)
    assert with_requests([turn], [found]) == [found]


def test_guidance_waits_though_it_is_to_be_remembered(tmp_path):
    """A rule that a user asks to remember in a conversation is staged as every rule is."""
    texts, report = _learned(tmp_path, "Remember that you must never push to the release branch.")
    assert (texts, report.outcomes) == ([], {"staged": 1})


def test_nobody_else_asks_the_memory(tmp_path):
    """What an assistant wants remembered is no statement of the user."""
    texts, _ = _learned(tmp_path, "Remember that the invoice is paid.", role="assistant")
    assert texts == []


def test_every_word_is_accounted_for():
    """The spans of what is kept and left out cover the sentence, the request too."""
    said = "Remember that the hut is locked, and thanks for the map!"
    found = with_requests([SpokenTurn(text=said, at=None)], [extract(said, at=None, speaker_is_user=True)])[0]
    spans = [*found.atoms, *found.left_out]
    covered = {place for one in spans for place in range(one.start, one.end)}
    assert all(place in covered or not sign.isalnum() for place, sign in enumerate(said))
    assert found.atoms[0].kind is Kind.FACT

"""What somebody else says, quoted or reported, replaces and directs nothing that the user said of their own."""

import pytest

from dopejar import open_memory

TOLD = [
    ("My rate is 11 cents a word.", 'Got this: "Hello, our rate is now 0.07 per word, paid late. Team Lingo". Nah.'),
    ("I live in Ghent.", "My cousin: “Hey! We live in Bruges now. I live right by the canal.” Sweet of her."),
    ("My shoe size is 38.", 'A customer asks: "Hi, my shoe size is 44. Do you have these boots?" lol'),
    ("I live in Crookes.", "The tenant texted: I live in Hull now and I keep a dog."),
    ("My rate is 45 euro.", "Mail from the agency: my rate is 30 euro from May. I am back on Monday."),
]


@pytest.mark.parametrize(("own", "letter"), TOLD)
def test_a_quoted_letter_leaves_what_the_user_told(tmp_path, own, letter):
    """Told or learned, what the user said stays in force, and the letter is kept as a quotation at most."""
    for way in ("told", "learned"):
        with open_memory(tmp_path / way, environment={}, said_by="user") as memory:
            if way == "told":
                memory.remember(own)
                memory.remember(letter)
            else:
                for place, said in enumerate((own, letter)):
                    memory.add([{"role": "user", "content": said}], conversation=f"talk {place}")
            found = memory.list(limit=20)
            assert own.rstrip(".") in [record.text for record in found]
            assert all(not record.slot for record in found if record.text != own.rstrip("."))


@pytest.mark.parametrize(
    ("letter", "own"),
    [
        ("The tenant texted: I live in Hull now and I keep a dog.", "I live in Hull."),
        ("The tenant texted: I live in Hull.", "I live in Crookes."),
        ("The tenant texted: I live in Hull.", "I no longer live in Hull."),
        ("Mail from the agency: my rate is 30 euro.", "My rate is 45 euro."),
    ],
)
def test_what_the_user_tells_later_leaves_a_letter_as_it_is(tmp_path, letter, own):
    """Somebody else's words are neither out of date by what the user says of their own, nor repeated by it."""
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        memory.remember(letter)
        memory.remember(own)
        texts = [record.text for record in memory.list(limit=20)]
    assert own.rstrip(".") in texts
    assert any(text.startswith(letter[:12]) for text in texts)


def test_the_users_own_words_around_a_letter_are_read(tmp_path):
    """What is told beside a quotation is believed as ever, and the quotation stays whole where it is told."""
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        memory.remember('My rate is 14 cents. The agency sent "We pay 7 cents. Take it or leave it, dear." to me.')
        texts = [record.text for record in memory.list(limit=20)]
    assert "My rate is 14 cents" in texts
    assert any('"We pay 7 cents. Take it or leave it, dear."' in text for text in texts)


@pytest.mark.parametrize(
    "text",
    [
        "The warden mailed: 'Please keep the bins in the yard and never park before the gate.'",
        "My coach replied: ‘Drink more water and always stretch before a run.’",
        "The sign reads 'Keep the gate shut and never park here.'",
    ],
)
def test_a_quotation_in_single_marks_stays_whole(tmp_path, text):
    """No half of it becomes the user's own rule."""
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        receipts = memory.remember(text).receipts
    assert [one.text.rstrip(".") for one in receipts] == [text.rstrip(".")]


def test_a_wish_to_forget_of_somebody_else_forgets_nothing(tmp_path):
    """What a message asks for is not asked by the one who tells of it."""
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        memory.remember("My sister lives in Hull.")
        memory.remember("My sister wrote: forget that my sister lives in Hull.")
        assert "My sister lives in Hull" in [record.text for record in memory.list(limit=20)]


@pytest.mark.parametrize(
    "pasted",
    [
        "From: Hana Brandt\nTo: me\nSubject: papers\n\nAlways keep papers for 10 years. We use DocuVault.\n\nHana",
        "[10:42] Ben: We use DocuVault from May on\n[10:43] Ana: please always keep papers for 10 years",
        "OPS-4: papers\nReporter: Hana\nStatus: open\n\nWe use DocuVault. Always keep papers for 10 years.",
    ],
)
@pytest.mark.parametrize("before", ["", "mail from the office, fyi:\n\n"])
def test_a_pasted_message_teaches_nothing(tmp_path, before, pasted):
    """Neither a fact nor a rule comes of a mail, a chat or a ticket in a conversation; the words stay as episodes."""
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        memory.add(
            [{"role": "user", "content": f"{before}{pasted}"}, {"role": "assistant", "content": "Thanks, read."}],
            conversation="talk",
        )
        assert memory.list() == ()
        assert memory.review.queue() == ()

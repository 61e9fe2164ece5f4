"""What a statement is said to have left out is left out: in no memory, and in no queue."""

import pytest

from dopejar import open_memory

PARTS = (
    "Suppose I quit my job, what would you advise?",
    "Just kidding, I hate coffee.",
    "Scratch that.",
    "export SHOP_TOKEN=plain-words",
    "Imagine we lived in Rome.",
    "The docs say port 8080 is blocked.",
    "You forgot the second test.",
    "Could we meet at noon?",
    "Thanks a lot!",
    "> as somebody wrote",
    "If it rains, we train indoors.",
    "We have two cats.",
    "Maybe Ana moves to Ghent.",
    "Never push to main.",
    "The code of the shed is " + "8823" + ", a pin.",
    "My password is " + "Plum%77" + "xy",
)


@pytest.fixture
def memory(tmp_path):
    """A fresh memory of a user."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        yield opened


@pytest.mark.parametrize("first", PARTS)
@pytest.mark.parametrize(
    "second", ["", "We have two cats.", "Just kidding, I hate coffee.", "The docs say it is late."]
)
def test_left_out_is_left_out(memory, first, second):
    """No memory and no proposal holds words that the receipt names as left out; something is said of all words."""
    result = memory.remember(f"{first} {second}".strip())
    kept = [record.text for receipt in result.receipts for record in receipt.records]
    for line in result.left_out:
        words = line.rpartition(" (")[0].strip(" .!?")
        assert not any(words in text for text in kept), (line, kept)
    assert result.receipts or result.left_out


def test_two_redacted_values_are_no_one_statement(memory):
    """Of two statements whose values were taken out neither repeats nor replaces the other, unless word for word."""
    said = [
        f"The wifi password at the {place} is {'Kx7-blue-' + place}, and Ana knows it." for place in ("shed", "quay")
    ]
    outcomes = [receipt.outcome for one in (*said, said[0]) for receipt in memory.remember(one).receipts]
    assert outcomes == ["added", "added", "reinforced"]


@pytest.mark.parametrize(
    "said",
    [
        "The gate code at Mill Lane is #.",
        "The gate code there has changed as well, it's # now.",
        "The code for the gate is now #.",
        "The locker opens with #.",
        "The door code changed to # yesterday.",
        "# opens the garage.",
    ],
)
def test_a_secret_code_is_left_out_in_plain_words(memory, said):
    """A code of what is locked leaves no memory; receipt and counts say why, and what to do."""
    said = said.replace("#", "8823")
    told = memory.remember(said)
    learned = memory.add([{"role": "user", "content": said}], conversation="yard")
    assert (told.receipts, told.outcome, len(told.left_out)) == ((), "nothing learned", 1)
    assert "looks like a secret" in told.left_out[0]
    assert "looks like a secret" in told.redaction_note
    assert "password manager" in told.redaction_note
    assert [reason for reason in learned.left_out if "looks like a secret" in reason]
    assert not memory.list()
    assert "8823" not in memory.recall("code of the gate, the door, the locker, the garage").text


def test_what_stands_beside_a_secret_code_is_kept(memory):
    """The rest of what is said is remembered without the code, and the note says that the code was not."""
    told = memory.remember("I live in Faro. The door code is " + "8823" + ".")
    assert [record.text for receipt in told.receipts for record in receipt.records] == ["I live in Faro"]
    assert "was not kept" in told.redaction_note


def test_plain_words_have_no_note_of_secrets(memory):
    """What holds no secret says nothing of one, and neither does what is private or off the record."""
    for said in ("I live in Faro.", "Off the record: I may quit.", "I like tea. <private>My diary.</private>"):
        assert memory.remember(said).redaction_note == ""

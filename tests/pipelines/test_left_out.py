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

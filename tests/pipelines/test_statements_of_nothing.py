"""What states nothing by itself is no memory: denials of words before, signs, single words that lean."""

from __future__ import annotations

import pytest

from dopejar import open_memory

DENIALS = (
    "That is not true.", "That's not right.", "It isn't true.", "No, that was wrong.", "That's false!", "Not true.",
    "That is simply not the case.", "Das stimmt nicht.", "C'est faux.", "Eso no es verdad.", "Isso não é verdade.",
    "Není to pravda.", "Это неправда.", "这不对。",
)  # fmt: skip
NOTHING = (".", "...", "???", "🙂", "{}", "[]", "We", "I", "we.", "—", "it is")
STATED = (
    ("That's wrong, the port is not 9090.", "9090"),
    ("That is not true, the shop opens at ten.", "ten"),
    ("No, that's wrong: we meet on Tuesdays.", "Tuesdays"),
    ("That is false, Nora lives in Turku.", "Turku"),
    ("It is not true that Nora lives in Turku.", "Turku"),
    ("The wrong key is on the hook.", "hook"),
    ("That wrong number belongs to the bank.", "bank"),
)


@pytest.fixture
def memory(tmp_path):
    """An empty memory of a user."""
    with open_memory(tmp_path, environment={}, said_by="user") as opened:
        yield opened


@pytest.mark.parametrize("text", [*DENIALS, *NOTHING])
def test_what_states_nothing_is_no_memory(memory, text):
    """It is kept as words that were said, and changes nothing that is known."""
    memory.remember("The shop opens at nine.")
    assert memory.remember(text).receipts == ()
    assert [record.text for record in memory.list()] == ["The shop opens at nine"]


@pytest.mark.parametrize(("text", "word"), STATED)
def test_what_follows_a_denial_is_told(memory, text, word):
    """A clause behind it, or a statement that only has such words, is."""
    assert any(word in receipt.records[-1].text for receipt in memory.remember(text).receipts)


def test_chinese_words_of_one_sign_name_what_is_to_be_forgotten(memory):
    """They are no index terms of their own."""
    memory.remember("我住在上海。")
    memory.remember("我有一只猫。")
    found = memory.remember("忘记我住在上海。")
    assert len(found.receipts) > 0
    assert len(memory.remember("忘记我住在北京。").receipts) == 0


def test_each_near_memory_is_explained_once(memory):
    """Though it may be compared again with a part of the statement."""
    memory.remember("The bus leaves at nine.")
    near = [stage.detail for stage in memory.remember("The bus leaves at ten.").stages if stage.name == "near"]
    assert near
    assert len(near) == len(set(near))

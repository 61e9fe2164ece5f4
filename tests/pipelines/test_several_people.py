"""Several people in one conversation: what each says of themselves is never another's."""

import pytest

from dopejar import LiveTurn, open_memory
from dopejar.errors import InputError
from dopejar.values.episode import Origin


@pytest.fixture
def memory(tmp_path):
    """An empty memory of a user."""
    with open_memory(tmp_path, environment={}, said_by="user") as opened:
        yield opened


def message(name, content, role="user"):
    """A chat message of somebody."""
    return {"role": role, "name": name, "content": content}


def test_a_second_user_of_a_list_is_refused(memory):
    """The error names both and what to do, and nothing of the list is kept."""
    messages = [message("Ines", "I live in Faro."), message("Olga", "I live in Riga.")]
    with pytest.raises(InputError, match=r"Olga and Ines .*home of their own.*Origin\.OTHER"):
        memory.add(messages, conversation="kitchen")
    assert memory.list() == ()
    assert memory.add(messages[1:], conversation="kitchen").episodes == 1


def test_a_second_user_of_a_later_call_is_refused(memory):
    """The conversation goes on under its name; what was learned of the first person stays."""
    memory.add([message("Ines", "I live in Faro.")], conversation="kitchen")
    with pytest.raises(InputError):
        memory.add([message("Olga", "I live in Riga.")], conversation="kitchen")
    assert [record.text for record in memory.list()] == ["I live in Faro"]


def test_a_second_user_of_an_observed_conversation_is_refused(memory):
    """Live turns are held to the same."""
    memory.observe(LiveTurn(conversation="kitchen", source_id="1", speaker="Ines", text="I live in Faro."))
    with pytest.raises(InputError):
        memory.observe(LiveTurn(conversation="kitchen", source_id="2", speaker="Olga", text="I live in Riga."))


@pytest.mark.parametrize("names", [("Ines", "ines"), ("Ines", ""), ("", "Ines"), ("user", "Ines"), ("Ines", "Ines")])
def test_one_user_is_taken(names, memory):
    """The same name, or none, is the same person."""
    first, second = names
    memory.add([message(first, "I live in Faro."), message(second, "I work as a baker.")], conversation="kitchen")
    assert {record.text for record in memory.list()} == {"I live in Faro", "I work as a baker"}


def test_other_roles_have_names_of_their_own(memory):
    """An assistant or a tool with a name is no second user."""
    learned = memory.add(
        [message("Ines", "I live in Faro."), message("Helper", "Noted.", "assistant"), message("map", "37 N", "tool")],
        conversation="kitchen",
    )
    assert learned.episodes == 3


def test_others_are_quoted_with_their_names(memory):
    """What another person says of themselves leaves what the user said in force."""
    turns = [("Ines", None, "I live in Faro."), ("Olga", Origin.OTHER, "I live in Riga.")]
    for number, (speaker, origin, text) in enumerate(turns):
        turn = LiveTurn(conversation="kitchen", source_id=str(number), speaker=speaker, origin=origin, text=text)
        observed = memory.observe(turn)
    memory.sessions.end(observed.conversation)
    assert [record.text for record in memory.list()] == ["I live in Faro"]
    assert 'Olga: "I live in Riga."' in memory.recall("Where does Olga live?").text


def test_two_conversations_may_have_a_user_of_another_name(memory):
    """A person has another name in another place: names are compared within a conversation."""
    memory.add([message("Ines", "I live in Faro.")], conversation="kitchen")
    assert memory.add([message("ines.b", "I work as a baker.")], conversation="mail").episodes == 1

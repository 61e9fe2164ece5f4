"""A person's own value families."""

import pytest

from dopejar import InputError, open_memory
from dopejar.errors import SettingError
from dopejar.pipelines.ingest.keys.value_families import families, load_families, using, values_named

OWN = """
[kiln]
aspect = "Kiln"
one = true
[kiln.values]
gas = ["gas kiln"]
wood = ["wood kiln", "anagama"]

[editor.values]
quill = ["Quill"]
"""


def standing(memory):
    """Slots and values in force."""
    return sorted((one.slot, one.value) for one in memory.list())


def test_a_family_of_ones_own_makes_an_update_of_a_new_value(tmp_path):
    """With the file a second kiln replaces the first; without it nothing tells that both are kilns."""
    (tmp_path / "taxonomy.toml").write_text(OWN, encoding="utf-8")
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        memory.remember("I use a gas kiln.")
        memory.remember("I use an anagama now.")
        ((slot, value),) = standing(memory)
        assert (slot.endswith(".kiln"), value) == (True, "+wood")
    with open_memory(tmp_path / "plain", environment={}, said_by="user") as memory:
        memory.remember("I use a gas kiln.")
        memory.remember("I use an anagama now.")
        assert len(standing(memory)) == 2


def test_own_values_join_a_shipped_family(tmp_path):
    """Words added to a shipped family are found beside those it has, and only within the block that uses the file."""
    path = tmp_path / "mine.toml"
    path.write_text(OWN, encoding="utf-8")
    with using(path):
        assert [one.value for one in values_named("Quill and Helix")] == ["quill", "helix"]
        assert families().by_name["editor"].one
    assert [one.value for one in values_named("Quill and Helix")] == ["helix"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kiln = 3", "must be a table"),
        ("[kiln]\naspect = 'Kiln'", "names no values"),
        ("[kiln]\nvalues = ['gas']", "needs a table `values`"),
        ("[kiln.values]\ngas = 'gas kiln'", "needs a table `values`"),
        ("[kiln.values]\ngas = []", "needs a table `values`"),
        ("[kiln]\nsingle = true\n[kiln.values]\ngas = ['gas kiln']", "has single; a family takes"),
        ("[kiln]\none = 'yes'\n[kiln.values]\ngas = ['gas kiln']", "neither true nor false"),
        ("[kiln]\nsuffix = 1\n[kiln.values]\ngas = ['gas kiln']", "no text"),
        ("[kiln]\nabout = 'oven'\n[kiln.values]\ngas = ['gas kiln']", "no list of words"),
        ("[kiln]\naspect = 'Kiln And Oven'\n[kiln.values]\ngas = ['gas kiln']", "no word of at most 12 letters"),
        ("[kiln]\npattern = '('", "no regular expression"),
        ("[kiln", "cannot be read"),
    ],
)
def test_a_wrong_file_is_named_with_what_it_needs(tmp_path, text, says):
    """One sentence names the file, the family and what it needs; nothing is remembered half."""
    path = tmp_path / "taxonomy.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=str(path)) as caught:
        load_families(path)
    assert says in str(caught.value)
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        with pytest.raises(InputError):
            memory.remember("I use a gas kiln.")
        assert memory.list() == ()
        assert memory.status().sizes.episodes == 0


def test_a_named_file_must_be_there(tmp_path):
    """A taxonomy that the settings name and that is missing ends the command, instead of being left out silently."""
    with pytest.raises(SettingError, match=r"ingest\.taxonomy"):
        open_memory(tmp_path, environment={"DOPEJAR_INGEST_TAXONOMY": "mine.toml"}, said_by="user")

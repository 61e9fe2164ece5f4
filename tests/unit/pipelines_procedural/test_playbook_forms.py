"""Playbooks out and in, as text and as JSON."""

import json

import pytest
from bullet_values import bullet
from hypothesis import given
from hypothesis import strategies as st

from dopejar.errors import InputError
from dopejar.pipelines.procedural.bullets import Bullet
from dopejar.pipelines.procedural.playbook import read_playbook, to_json, to_text
from dopejar.values.scope import Side

words = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=60).filter(
    lambda text: text.strip() and any(one.isalnum() for one in text)
)
some = st.lists(
    st.builds(
        lambda number, text, side, good, bad: bullet(
            f"m_{number}", " ".join(text.split()), side=side, helpful_count=good, harmful_count=bad
        ),
        st.integers(0, 10**9), words, st.sampled_from([Side.LEFT, Side.RIGHT, Side.SHARED, Side.STAGING]),
        st.integers(0, 99), st.integers(0, 99),
    ),
    min_size=1, max_size=8,
)  # fmt: skip


@given(some, st.booleans())
def test_what_goes_out_comes_in_again(records, as_json):
    """Both forms give back every bullet with its id, counters, words and section."""
    views = [Bullet.of(one) for one in records]
    lines = read_playbook(to_json(views) if as_json else to_text(views))
    sent = sorted((one.id, one.text, one.helpful_count, one.harmful_count, one.side.value) for one in views)
    assert sorted((one.id, one.text, one.helpful, one.harmful, one.section) for one in lines) == sent


def test_the_text_has_a_section_for_each_side_and_the_best_first():
    """Sections come in a fixed order, bullets by score."""
    views = [
        Bullet.of(bullet("m_low", "Sweep the yard.")),
        Bullet.of(bullet("m_top", "Oil the gate.", helpful_count=3)),
        Bullet.of(bullet("m_all", "Usually knock.", side=Side.SHARED)),
    ]
    assert to_text(views) == (
        "## shared\n[m_all] helpful=0 harmful=0 :: Usually knock.\n\n"
        "## left\n[m_top] helpful=3 harmful=0 :: Oil the gate.\n[m_low] helpful=0 harmful=0 :: Sweep the yard.\n"
    )


def test_sections_of_others_are_hints_where_they_name_a_side():
    """Lines of another program are read; a section that names no side is none."""
    lines = read_playbook(
        "# STRATEGIES\n- [ctx-1] helpful=2 harmful=0 :: Knock twice.\n## Left hand\n[x] helpful=0 "
        "harmful=1 :: Shut the gate."
    )
    assert [(one.id, one.side, one.helpful, one.harmful) for one in lines] == [
        ("ctx-1", Side.NONE, 2, 0),
        ("x", Side.LEFT, 0, 1),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ("## left\nShut the gate.", "Line 2"),
        ("[x] helpful=1 harmful=0 ::   ", "Line 1"),
        ("[x] helpful=-1 harmful=0 :: Shut the gate.", "Line 1"),
        ("{", "no valid JSON"),
        ('{"bullets": 3}', "no list"),
        ('{"bullets": [{"content": " "}]}', "Bullet 1"),
        ('{"bullets": [{"content": "a", "confidence": 2}]}', "Bullet 1"),
        ('{"bullets": [{"content": "a", "helpful": -1}]}', "Bullet 1"),
        ('{"bullets": [7]}', "Bullet 1"),
        ('{"bullets": [{"content": "a", "type": "poem"}]}', "poem"),
    ],
)
def test_what_cannot_be_read_is_named(text, told):
    """One clear sentence names the line or the bullet."""
    with pytest.raises(InputError, match=told):
        read_playbook(text)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    """Nothing but InputError comes out of a playbook that cannot be read."""
    try:
        found = read_playbook(text)
    except InputError:
        return
    assert all(one.text for one in found)


def test_json_holds_what_a_bullet_carries():
    """The JSON form names its format and every field."""
    data = json.loads(to_json([Bullet.of(bullet())]))
    assert data["format"] == "dopejar-playbook@1"
    assert set(data["bullets"][0]) >= {"id", "content", "section", "type", "tags", "helpful", "harmful", "scope"}

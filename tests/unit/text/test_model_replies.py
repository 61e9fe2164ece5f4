"""Reading replies: JSON, the schema subset, and faults that can be acted on."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.model_replies import parse_reply, schema_faults

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 10},
        "age": {"type": ["integer", "null"], "minimum": 0, "maximum": 150},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1, "maxItems": 2},
        "home": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "is_in": {"type": "boolean"},
        "score": {"type": "number"},
    },
    "required": ["name"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "value",
    [
        {"name": "Ada"},
        {"name": "Ada", "age": None},
        {"name": "Ada", "age": 36.0},
        {"name": "x" * 10, "tags": ["a", "b"], "home": {"city": "Brno", "zip": 1}, "is_in": True, "score": 1},
    ],
)
def test_what_meets_the_schema_has_no_fault(value):
    """Valid values pass, members that are not forbidden included."""
    assert schema_faults(value, PERSON) == ()
    assert parse_reply(json.dumps(value), PERSON).value == value


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({}, 'the reply lacks "name"'),
        ({"name": 5}, "the reply.name is integer, not string"),
        ({"name": ""}, "the reply.name is below 1 characters"),
        ({"name": "x" * 11}, "the reply.name is above 10 characters"),
        ({"name": "a", "age": -1}, "the reply.age is below 0"),
        ({"name": "a", "age": 1.5}, "the reply.age is number, not integer or null"),
        ({"name": "a", "age": True}, "the reply.age is boolean, not integer or null"),
        ({"name": "a", "age": 151}, "the reply.age is above 150"),
        ({"name": "a", "tags": []}, "the reply.tags is below 1 items"),
        ({"name": "a", "tags": ["a", "c"]}, 'the reply.tags[1] is none of ["a", "b"]'),
        ({"name": "a", "tags": ["a"] * 3}, "the reply.tags is above 2 items"),
        ({"name": "a", "home": {}}, 'the reply.home lacks "city"'),
        ({"name": "a", "home": []}, "the reply.home is array, not object"),
        ({"name": "a", "is_in": 1}, "the reply.is_in is integer, not boolean"),
        ({"name": "a", "score": False}, "the reply.score is boolean, not number"),
        ({"name": "a", "other": 1}, 'the reply has "other", which it may not have'),
    ],
)
def test_each_fault_names_its_place(value, fault):
    """One broken rule, one fault, in words that say where and what."""
    assert schema_faults(value, PERSON) == (fault,)
    assert fault in parse_reply(json.dumps(value), PERSON).fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "it is empty"),
        ("   \n", "it is empty"),
        ("Sure! {}", "it is not valid JSON"),
        ('{"name": "a",}', "it is not valid JSON"),
        ('{"name": NaN}', "NaN is no JSON number"),
        ('{"name": 1e999}', "1e999 is no JSON number"),
        ('{"name": "\\ud800"}', "surrogates not allowed"),
        ('{"name": ' + "9" * 5000 + "}", "it is not valid JSON"),
        ("[1]", "it is array, not an object"),
        ("null", "it is null, not an object"),
        ("[" * 100_000, "it is nested too deeply"),
    ],
)
def test_what_is_no_object_is_said_so(text, fault):
    """Empty, broken, non-finite, deep and non-object replies each have their own words."""
    read = parse_reply(text, {})
    assert read.value is None
    assert fault in read.fault


@pytest.mark.parametrize("text", ['```json\n{"name": "a"}\n```', '```\n{"name": "a"}```', ' {"name": "a"} \n'])
def test_a_fence_around_the_object_is_no_fault(text):
    """A code fence or spaces around the object are taken off; anything else around it is a fault."""
    assert parse_reply(text, PERSON).value == {"name": "a"}
    assert parse_reply("Here: " + text, PERSON).value is None


def test_an_unknown_keyword_is_a_mistake_of_ours():
    """A schema that asks for more than is checked would promise too much."""
    with pytest.raises(ValueError, match="pattern"):
        schema_faults("x", {"type": "string", "pattern": "^x"})


def test_enums_tell_true_from_one():
    """JSON's true and 1 are different values, though Python calls them equal."""
    assert schema_faults(value=True, schema={"enum": [1]})
    assert schema_faults(value=1, schema={"enum": [True]})
    assert schema_faults(value=1, schema={"enum": [1]}) == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_any_value_is_judged_without_a_crash(value):
    """Whatever JSON comes, the judgement is a short list of faults, and reading agrees with it."""
    faults = schema_faults(value, PERSON)
    assert len(faults) <= 5
    assert (parse_reply(json.dumps(value), PERSON).value is None) == bool(faults)


@given(st.text(max_size=80))
def test_any_text_is_read_without_a_crash(text):
    """Text is an object or has a fault, never both and never neither."""
    read = parse_reply(text, {})
    assert (read.value is None) == bool(read.fault)

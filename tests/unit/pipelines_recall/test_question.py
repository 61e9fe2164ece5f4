"""How questions are read."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.recall.question import Question, as_of_now, parse_question
from dopejar.text.words import content_words, index_terms, query_terms

ASKED = date(2024, 5, 15)


@pytest.mark.parametrize(
    ("text", "is_about_self", "is_about_replies", "is_request", "wants_measure"),
    [
        ("Which editor do I use?", True, False, False, False),
        ("Which port did you suggest for the proxy?", False, True, False, False),
        ("How should I name the branch?", True, False, True, False),
        ("Could you write a parser for this?", False, False, True, False),
        ("Can you remind me which parser we took?", True, False, False, False),
        ("When does the sprint end?", False, False, False, True),
        ("How many retries does the client make?", False, False, False, True),
        ("Quel est mon nom ?", True, False, False, False),
        ("Как меня зовут?", True, False, False, False),
        ("Who wrote the parser?", False, False, False, False),
        ("Where does the user work?", True, False, False, False),
        ("What is the user's favourite tea?", True, False, False, False),
        ("Which columns are in the user table?", False, False, False, False),
    ],
)
def test_reading(text: str, is_about_self: bool, is_about_replies: bool, is_request: bool, wants_measure: bool) -> None:
    """What a question is about is read from its words."""
    question = parse_question(text, ASKED)
    assert question.is_about_self is is_about_self
    assert question.is_about_replies is is_about_replies
    assert question.is_request is is_request
    assert question.wants_measure is wants_measure


@pytest.mark.parametrize(
    ("text", "is_over_time"),
    [
        ("In which order did we read the books?", True),
        ("How many times was the boiler repaired?", True),
        ("Which lakes have we swum in so far?", True),
        ("Kolikrát přišel instalatér?", True),
        ("¿En qué orden visitamos las islas?", True),
        ("Which did I read first, Emma or Dune?", True),
        ("Who joined first: Ben or Ida?", True),
        ("Did I read Emma or Dune first?", True),
        ("When was my last race?", True),
        ("Is my last name Smith or Smyth?", False),
        ("When did I change my last name?", False),
        ("Which bus do I take, the early or the last one?", False),
        ("Should I use CI or deploys first?", False),
        ("Did I say tea or coffee last time?", False),
        ("What is my last name?", False),
        ("Which order did I cancel?", False),
        ("How many timers do I have?", False),
        ("Is the lift out of order?", False),
        ("So far so good", False),
    ],
)
def test_questions_over_time(text: str, is_over_time: bool) -> None:
    """An order of events, or their number, is something else than an order of goods, or the number of things."""
    assert parse_question(text, ASKED).is_over_time is is_over_time


def test_question_about_the_user_is_the_users_own() -> None:
    """An agent asks about "the user", who spoke of themselves: both look for the same words."""
    assert (
        parse_question("Which tea does the user drink?", ASKED).terms
        == parse_question("Which tea do I drink?", ASKED).terms
    )
    assert "user" in parse_question("Which columns are in the user table?", ASKED).terms


@pytest.mark.parametrize(
    ("text", "named", "dropped"),
    [
        (
            "fix tests/test_lamp.py and src/shop/lamp.py",
            {"test_lamp", "lamp", "shop", "lamp.py"},
            {"src", "py"},
        ),
        ("move ./web/src/routes/home/Page.svelte", {"home", "page"}, {"web", "src", "rout", "svelt"}),
        ("why does loader.ts fail?", {"loader", "loader.ts"}, {"ts"}),
    ],
)
def test_file_is_named_by_what_tells_it_from_others(text: str, named: set[str], dropped: set[str]) -> None:
    """The name and the innermost of several folders count; outer folders and endings are no terms."""
    question = parse_question(text, ASKED)
    assert named <= question.files <= {*question.terms}
    assert dropped.isdisjoint(question.terms)


@pytest.mark.parametrize(
    "text", ["Is 24/7 and/or 3.11 right?", "Mail ana@example.com, please.", "Ask at 9.30 a.m. i.e. early"]
)
def test_other_words_name_no_file(text: str) -> None:
    """Numbers, addresses and abbreviations are no files, and their terms stay."""
    assert parse_question(text, ASKED).files == frozenset()
    assert {*parse_question(text, ASKED).terms} >= {*query_terms(text)} - {"24/7", "9.30"}


def test_talk_about_remembering_is_no_term() -> None:
    """Words about remembering itself are not looked for."""
    asked = parse_question("Can you remind me what we discussed in our conversation about the harbour?", ASKED)
    assert asked.terms == parse_question("harbour", ASKED).terms


def test_question_of_talk_alone_still_asks() -> None:
    """Where nothing else is left, talk about remembering is what is looked for."""
    assert parse_question("What did we discuss in our conversation?", ASKED).terms


def test_speakers_are_taken_out() -> None:
    """A name that says who is no longer looked for; a question of names alone keeps them."""
    asked = parse_question("What did Orla plant?", ASKED)
    assert asked.without_names(frozenset({"orla"})).terms == tuple(index_terms("plant"))
    alone = parse_question("Orla?", ASKED)
    assert alone.without_names(frozenset({"orla"})) == alone


@given(st.text(max_size=300))
def test_every_text_can_be_asked(text: str) -> None:
    """Any text is a question; whatever has an index term has something to look for, but for "who am I?"."""
    asked = parse_question(text, ASKED)
    assert isinstance(asked, Question)
    asks_who = asked.is_about_self and not content_words(text)
    assert asks_who or bool(asked.terms) == bool(index_terms(text))


@pytest.mark.parametrize("text", ["who am I?", "what do I do?", "Who is the user?"])
def test_words_that_everything_has_are_no_terms(text: str) -> None:
    """They are in all that the user ever said; with a time they are looked for, since the time tells what is meant."""
    assert parse_question(text, ASKED).terms == ()
    assert parse_question("what did I do yesterday?", ASKED).terms


@pytest.mark.parametrize(
    ("text", "is_task"),
    [
        ("Write a poem about autumn", True),
        ("please fix the failing test in parser.py", True),
        ("Can you bake a cake without nuts?", True),
        ("draft a letter to the harbour", True),
        ("Tell me where the boat is moored", False),
        ("Can you remind me which glue we took?", False),
        ("list the boats", False),
        ("Do I own a boat?", False),
        ("Is the boat moored?", False),
        ("Halvor's boat", False),
        ("Write to whom about the mooring?", False),
        ("", False),
    ],
)
def test_a_task_orders_work_and_asks_nothing_of_memory(text: str, is_task: bool) -> None:
    """What only asks memory to tell, show or list is a question in the form of an order."""
    assert parse_question(text, ASKED).is_task is is_task


@pytest.mark.parametrize("words", ["now", "currently", "these days", "at the moment"])
def test_what_is_asked_of_the_present_is_asked_of_what_holds(words: str) -> None:
    """The words for the present find nothing by themselves; a question of nothing else keeps them."""
    of_now, plain = (parse_question(f"who rents the barn{end}?", ASKED) for end in (f" {words}", ""))
    assert of_now.terms == plain.terms
    assert as_of_now("who now?") == "who now?"

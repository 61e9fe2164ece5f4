"""What a block leaves open, what was decided in it, which values hold: by tables of ordinary sentences."""

from __future__ import annotations

import pytest

from dopejar.pipelines.garden.block_fact import BlockFact, FactCategory
from dopejar.pipelines.garden.block_outcomes import active_variables, decisions_made, open_loops
from dopejar.pipelines.garden.blocks import IncomingTurn
from dopejar.pipelines.garden.named_values import tools_named, value_given
from dopejar.values.episode import Origin


def talk(*rows: str) -> list[IncomingTurn]:
    """Turns of a user, and after "> " of an assistant."""
    return [
        IncomingTurn(
            turn_id=str(place),
            text=row.removeprefix("> "),
            origin=Origin.ASSISTANT if row.startswith("> ") else Origin.USER,
        )
        for place, row in enumerate(rows)
    ]


@pytest.mark.parametrize(
    "said",
    [
        "To-do: ask the landlord about the cellar.",
        "We still have to book the ferry.",
        "Open question: who waters the plants?",
        "I'm waiting for the surveyor's report.",
        "We haven’t decided on a date yet.",
        "Remind me to renew the passport.",
        "Noch offen: die Farbe der Tür.",
        "Queda por comprar la pintura.",
        "Ещё нужно проверить отчёт.",
    ],
)
def test_what_is_still_to_be_done_is_open(said: str) -> None:
    """A cue tells; the sentence is given whole, with its turn."""
    (loop,) = open_loops(talk("The weather is fine.", "> It is.", said, "> Noted."))
    assert (loop.text, loop.turn) == (said, 2)


@pytest.mark.parametrize(
    "said",
    [
        "The shop is open until nine.",
        "Todo bien por aquí.",
        "Nothing is still open.",
        "I opened an account.",
        "If the price is still unclear, call them.",
        "We still have a dog.",
        "I remind people a lot.",
        "I'm still undecided.",
    ],
)
def test_what_only_looks_alike_is_not_open(said: str) -> None:
    """Everyday words, what is denied or supposed, and a cue that says nothing of what."""
    assert open_loops(talk(said, "> Noted.")) == ()


@pytest.mark.parametrize(
    ("later", "is_open"),
    [
        ("I asked Ada for the second key yesterday.", False),
        ("The second key is sorted, done.", False),
        ("The garden is done.", True),
        ("I still haven't asked Ada for the second key.", True),
        ("Did I ask Ada for the second key?", True),
    ],
)
def test_a_loop_closes_when_it_is_done(later: str, *, is_open: bool) -> None:
    """A later sentence that says all of it, or shares words with it and says that it is done, closes it."""
    loops = open_loops(talk("To-do: ask Ada for the second key.", "> Noted.", later, "> Fine."))
    assert any(loop.text.startswith("To-do") for loop in loops) is is_open


def test_a_question_is_open_until_somebody_answers() -> None:
    """An answer that knows nothing is none; what an assistant asks back at the end is no loop."""
    turns = talk("Who pays the ferry?", "> I don't know, sorry.", "Does it rain?", "> Yes. Anything else?", "And when?")
    assert [(loop.text, loop.turn) for loop in open_loops(turns)] == [("Who pays the ferry?", 0), ("And when?", 4)]
    assert open_loops(talk("Does it rain?", "> Yes. Shall I check tomorrow?")) == ()


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("> Paint or oil?", "We decided to paint it green."),
        ("> Oak or ash?", "Let's go with oak."),
        ("> Which day?", "We’ve agreed on Tuesday at ten."),
        ("> Which day?", "Decision: Friday."),
        ("> Postgres or SQLite would do.", "Okay, Postgres then."),
        ("> Oak, ash or beech?", "Ash it is."),
        ("> Oak or ash.", "Then ash."),
        ("> Und?", "Wir haben beschlossen, im Mai zu fahren."),
        ("> ¿Y bien?", "Hemos decidido pintar la casa."),
        ("> Et?", "On a décidé de partir lundi."),
    ],
)
def test_what_was_decided(before: str, said: str) -> None:
    """A cue tells, or a short choice of what was named just before."""
    assert [(one.text, one.turn) for one in decisions_made(talk("Well.", before, said))] == [(said, 2)]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("> Oak or ash?", "Should we go with oak?"),
        ("> Oak or ash?", "We haven't decided on a colour."),
        ("> Oak or ash?", "If we decided to sell, who would buy?"),
        ("> Oak or ash?", "I wish we had decided earlier."),
        ("> Oak or ash?", "I would go with oak if I could."),
        ("> It rains.", "Then wait."),
        ("> Bye.", "Okay, see you then."),
        ("> Oak or ash?", "Then I left the house with the oak door."),
        ("> Let's go with oak.", "Why?"),
    ],
)
def test_what_was_not_decided(before: str, said: str) -> None:
    """Questions, wishes, what is denied, and what an assistant proposes."""
    assert decisions_made(talk("Well.", before, said)) == ()


def fact(text: str, turn: int = 0, *, is_held: bool = True) -> BlockFact:
    """A fact of a block."""
    return BlockFact(text=text, category=FactCategory.ENTITY, turn=turn, is_held=is_held)


def test_variables_are_the_values_that_hold() -> None:
    """The last value of a name; what was replaced, and a sentence without a figure, give none."""
    facts = [
        fact("The budget for the shed is 900 euros", 0),
        fact("We're on Python 3.9", 1, is_held=False),
        fact("The shed is green", 2),
        fact("The budget for the shed is 1,100 euros", 3),
        fact("The database is Postgres 15.4", 4),
        fact("The broker listens on port 5673", 5),
    ]
    turns = talk("Done: SAFE_MODE=1 keeps it.")
    assert [(one.name, one.value, one.turn) for one in active_variables(facts, turns)] == [
        ("SAFE_MODE", "1", 0),
        ("budget for the shed", "1,100 euros", 3),
        ("Postgres", "15.4", 4),
        ("broker", "port 5673", 5),
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The rent is 850 euros a month", ("rent", "850 euros a month")),
        ("Policy revision 3: Heron allows 450 requests per minute", ("Heron", "450 requests per minute")),
        ("Ada says the deposit is 300 euros", ("deposit", "300 euros")),
        ("The logs are in /var/log/kiln", ("logs", "/var/log/kiln")),
        ("The backup runs on db-prod-2", ("backup", "db-prod-2")),
        ("The lesson starts at 19:00 on Thursdays", ("lesson", "19:00")),
        ("I have 25 minutes a day", None),
        ("They never had 3 cars", None),
        ("The printer is a Lark HL-2350", None),
        ("Joan can start on the 12th of August", None),
        ("The shed is green", None),
    ],
)
def test_a_statement_gives_a_value_to_its_subject(text: str, value: tuple[str, str] | None) -> None:
    """The subject without its article, and the first figure behind its verb; no value for a pronoun."""
    found = value_given(text)
    assert (found and (found.name, found.value)) == value


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("Node 20 and React 18 are installed", [("Node", "20"), ("React", "18")]),
        ("We use Terraform 1.7 and Go 1.22", [("Terraform", "1.7"), ("Go", "1.22")]),
        ("I go to the shop", []),
        ("I bought a Mustang 1 amp and an M-3", []),
        ("The photo was taken with an R5", []),
        ("Room 2.5 is upstairs", []),
    ],
)
def test_tools_are_known_by_their_names(text: str, tools: list[tuple[str, str]]) -> None:
    """Known names, and unknown ones with a version in parts; other names with a number are no tools."""
    assert [(one.name, one.value) for one in tools_named(text)] == tools

"""Standing alone: what a conversation may teach must say something without the talk around it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dopejar.pipelines.ingest import Reason, extract
from dopejar.pipelines.ingest.extraction.pasted_letters import drafts
from dopejar.pipelines.ingest.salience.antecedents import refers_out
from dopejar.pipelines.ingest.salience.score import rests_on, worth

AT = datetime(2031, 6, 11, 9, tzinfo=UTC)
LEARNED = 0.5  # confidence from which a conversation proposes


def learned(said: str) -> list[str]:
    """What would be proposed from these words of the user."""
    found = extract(said, at=AT, speaker_is_user=True)
    return [atom.text for atom in found.atoms if atom.confidence >= LEARNED]


@pytest.mark.parametrize(
    "text",
    [
        "I read a long report about it in the Gazette",
        "I'm thinking of renting a boat near him",
        "I bought her a red kettle from Orvo",
        "I plan to sell a large loaf and hope they rise",
        "I've never owned one and never had one before",
        "I'm interested in these knots",
        "I've done a course on such a topic",
        "I got a cheap one from Orvo",
    ],
)
def test_what_points_out_of_the_statement_is_seen(text: str) -> None:
    """A pronoun without an antecedent of its number and kind, under another verb, points outside."""
    assert refers_out(text)


@pytest.mark.parametrize(
    "text",
    [
        "I bought a kettle and use it every day",
        "My sister Wanda moved and I miss her",
        "I keep bees because they calm me",
        "It is hard to park in Orvo",
        "I found it easy to learn Polish",
        "I'm staying in Orvo this week",
        "I met the people who run the ferry and wrote to them",
        "I sold my old loom and bought a new one",
        "One of my cousins lives in Orvo",
        "I like those who bake",
    ],
)
def test_what_finds_its_antecedent_stands(text: str) -> None:
    """Pronouns that mean something in their own statement, and "it" that stands for what follows, are no fault."""
    assert not refers_out(text)


@pytest.mark.parametrize(
    "said",
    [
        "I walked home with the lantern, and I have got to know the route now.",
        "I want to be surprised.",
        "I'd like to discuss the plan.",
        "I'm kinda worried that my boat won't pass the survey of the Orvo yard.",
        "I'll set two alarms so I don't miss the ferry to Orvo Island.",
        "I have a triangle with sides 4 cm, 6 cm and 9 cm.",
        "I added 40° + 60° and got 100° at the Orvo corner.",
        "I already told the Orvo yard what you suggested.",
        "My average has gone from 40% to 60%.",
        "I've made some mistakes.",
        "What is the value of blue/green lamps?",
        "Ring the bell if the level of my 300 litre tank on the roof exceeds the 80 litre mark of my neighbour.",
    ],
)
def test_what_cannot_stand_alone_is_not_learned(said: str) -> None:
    """Dangling words, wishes of this turn, worries, purposes, exercises and bounds of a condition are no memories."""
    assert learned(said) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I'm worried because I lost my job at Orvo on 3 May.", "I lost my job at Orvo on 3 May"),
        ("I'm considering a flat in Orvo.", "I'm considering a flat in Orvo"),
        ("I came across Lamplight, which cut my bill by 30%.", "I came across Lamplight, which cut my bill by 30%"),
        ("I've rowed 9 miles every day since I moved to Orvo.", "I've rowed 9 miles every day since I moved to Orvo"),
        ("I want to learn Polish from Wanda by May.", "I want to learn Polish from Wanda by May"),
        (
            "I practised 14 area problems for my course in Orvo with 90% accuracy.",
            "I practised 14 area problems for my course in Orvo with 90% accuracy",
        ),
        (
            'I read my book "Salt, Our Harbour and the Sea" in May.',
            'I read my book "Salt, Our Harbour and the Sea" in May',
        ),
    ],
)
def test_what_says_something_goes_whole(said: str, kept: str) -> None:
    """A date, a relative clause, a title and a verb that only looks like a joining word stay with their statement."""
    assert learned(said) == [kept]


def test_a_letter_to_be_worked_on_is_nobodys_statement() -> None:
    """From its address to its close a draft is left out as pasted; the words around it are read."""
    letter = "Dear Ms Quill,\n\nI have sold 40 lamps in Orvo.\n\nKind regards,\nIda"
    said = f"I live in Orvo. Please mend this letter.\n\n{letter}"
    found = extract(said, at=AT, speaker_is_user=True)
    assert [atom.text for atom in found.atoms] == ["I live in Orvo"]
    assert any(part.reason is Reason.PASTED and "lamps" in part.text for part in found.left_out)
    assert drafts("Hello, I live in Orvo: it is small.") == ()


def test_what_is_told_to_the_memory_is_kept_all_the_same() -> None:
    """What conversation would leave in its episode is an atom where somebody tells it to the memory itself."""
    said = "I read a long report about it."
    assert extract(said, at=AT, speaker_is_user=True, keep_all=True).atoms


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "I'm considering the Orvo loom for $250, but I decided to rent the small model first on July 6.",
            "I'm considering the Orvo loom for $250, but I decided to rent the small model first on July 6",
        ),
        (
            "I've joined the weaving course of the Orvo school. I've just finished the second module.",
            "I've joined the weaving course of the Orvo school. I've just finished the second module",
        ),
        (
            "I moved to the coast near Orvo in 2019, and since then, I've kept bees.",
            "I moved to the coast near Orvo in 2019, and since then, I've kept bees",
        ),
    ],
)
def test_what_leans_on_the_statement_before_is_kept_with_it(said: str, kept: str) -> None:
    """A short statement is told with the one before it, in the words that were said, and as one memory."""
    assert kept in learned(said)
    assert all(one == kept or one not in kept for one in learned(said))


@pytest.mark.parametrize(
    "said",
    [
        "I'm aiming for a careful first draft.",
        "I have 900 words to submit.",
        "I've finished three full drafts and had two reviews.",
        "I need to decide by March 10.",
        "I've come up with 12 hours.",
        "I want to cut back.",
        "I started taking classes at the studio 3 times a week.",
        "I have no practice with writing such a letter.",
        "I want to understand how my loom in Orvo jams.",
        "We want the lamp to be shown on the left.",
    ],
)
def test_what_only_the_talk_around_it_completes_is_not_learned(said: str) -> None:
    """Parts and measures of something unnamed, wishes for the answer, thanks and faults of the moment stay there."""
    assert learned(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "I'm 47",
        "I have a sister",
        "I'm thinking of opening my own bakery in Orvo",
        "I've got a rowing match on 11 July",
        "I agreed with Wanda to buy the barn in Orvo for $90,000",
        "We use pnpm",
        "Our staging server listens on port 8080",
        "My sister Wanda is allergic to peanuts",
    ],
)
def test_what_is_short_and_says_something_is_learned(said: str) -> None:
    """Few words are enough where they name what happened, say what somebody has or is, or fill a slot."""
    assert learned(f"{said}.") == [said]


@pytest.mark.parametrize("better", ["I bought a red lantern in Orvo on 3 May", "My sister Wanda lives in Orvo"])
@pytest.mark.parametrize("worse", ["I bought it there", "I added the second part", "I'd need to see the list above"])
def test_what_says_more_is_worth_more(better: str, worse: str) -> None:
    """Names, dates, people and one's own things raise the score; pointing at the talk around it lowers it."""
    assert worth(worse) < 0.5 < worth(better)


def test_the_score_names_what_it_rests_on() -> None:
    """The explanation begins with the score and names the features that weigh most, with their sign."""
    assert rests_on("I bought it there").startswith(f"{worth('I bought it there'):.2f}")
    assert "points outside -" in rests_on("I bought it there")
    assert "about people +" in rests_on("My sister Wanda lives in Orvo")


def test_an_opener_that_only_names_the_topic_leaves() -> None:
    """A topic says nothing of its own; where a later word means it, it stays."""
    assert learned("Speaking of lamps, I bought a red lantern from Orvo.") == ["I bought a red lantern from Orvo"]


def test_what_opens_a_statement_belongs_to_it_alone() -> None:
    """A topic or a time before a comma goes with the next statement, and not with the ones after it."""
    assert learned("Speaking of lamps, I bought a red one from Orvo, and I have a sister.") == [
        "Speaking of lamps, I bought a red one from Orvo",
        "I have a sister",
    ]
    assert learned("I have a cabin near Orvo, and with my boat repaired, I'm planning a trip to Ilva.")[0] == (
        "I have a cabin near Orvo"
    )

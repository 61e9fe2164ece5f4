"""A memory keeps the person's own words: the clause of the wish with its condition, and the other half of a ban."""

from __future__ import annotations

import pytest
from correction_turns import exchange
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.corrections import detect
from dopejar.pipelines.corrections.clusters.wish_clusters import cluster
from dopejar.pipelines.corrections.exchange import Exchange
from dopejar.pipelines.corrections.proposals.proposal_engine import (
    WORDING_NOTE,
    content_of_cluster,
    is_lasting,
    needs_wording_review,
    rationale_of,
)
from dopejar.pipelines.corrections.wording.clauses import clauses
from dopejar.pipelines.corrections.wording.own_words import leans_on_talk, own_words
from dopejar.text.sentences import sentences


def kept(said: str, clause: str) -> str:
    """What a memory would keep of a turn, by the clause that carries its wish."""
    spoken = [piece.text for piece in sentences(said)]
    place = next(number for number, text in enumerate(spoken) if clause in text)
    chosen = next(text for text in clauses(spoken[place]) if clause in text)
    return own_words(spoken, place, chosen, "en").text


@pytest.mark.parametrize(
    ("said", "clause", "expected"),
    [
        ("no raw threads. submit work to the pool", "no raw threads", "No raw threads; submit work to the pool"),
        ("no raw threads. submit work to the pool", "submit", "No raw threads; submit work to the pool"),
        ("never edit the seeds by hand, run the seeder", "never edit", "Never edit the seeds by hand, run the seeder"),
        ("use the pager, not the mail. revert it please", "use the pager", "Use the pager, not the mail"),
        ("never log tokens, thank you", "never log", "Never log tokens"),
        ("never log tokens, i told you yesterday", "never log", "Never log tokens"),
        ("keep the headers as they were, please", "keep", "Keep the headers as they were"),
        ("no wait. one ticket per branch", "one ticket", "One ticket per branch"),
        ("take the prints out, and use the tracer from now on", "use the tracer", "Use the tracer"),
        ("never delete a ticket unless i say so", "never delete", "Never delete a ticket unless i say so"),
        ("why did you push to main?? again", "why did you", "Why did you push to main??"),
    ],
)
def test_the_clause_and_its_other_half(said, clause, expected):
    """A ban keeps its alternative; thanks, reproaches and steps of this moment are left out."""
    assert kept(said, clause) == expected


CONDITIONS = [
    "when the build is red", "before a release", "unless the customer asks", "for invoices", "in the billing code",
    "before you push the pr", "after the changes you made", "if it was sent already", "until this page is signed",
]  # fmt: skip
WISHES = ["never round amounts", "use the ledger", "don't send mails", "ask the owner", "keep the old totals"]


@given(st.sampled_from(CONDITIONS), st.sampled_from(WISHES), st.booleans(), st.sampled_from(["", "sorry, ", "hey! "]))
def test_no_condition_is_lost(condition, wish, is_in_front, opener):
    """Wherever the condition stands in the sentence, the words that are kept say it."""
    said = opener + (f"{condition}, {wish}" if is_in_front else f"{wish}, {condition}")
    assert condition in kept(said, wish).casefold()


TURNS = st.lists(
    st.sampled_from(["no,", "never", "use", "the `a, b`", "pool;", "tests.", "why?", "when red,", "you keep", "it"]),
    min_size=1, max_size=12,
).map(" ".join)  # fmt: skip


@given(TURNS)
def test_every_word_was_said(said):
    """Nothing is reworded: what is kept are words of the turn, in their order."""
    for found in detect([exchange(said)]):
        left = iter(said.casefold().replace(";", " ").split())
        assert all(any(word.strip(".;,!?") in other for other in left) for word in found.wording.casefold().split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Do not clean it up", True),
        ("Use that one", True),
        ("Keep the footers on these pages", True),
        ("Use the right one", True),
        ("Use ripgrep", True),
        ("Use the parser instead", True),
        ("Go ahead and merge the branch", True),
        ("Use port 17", False),
        ("Do not skip a failing check, mend it", False),
        ("Ensure that every page has a title", False),
        ("Do not add new tools to this project", False),
        ("Use a view instead of a query", False),
        ('Never put "I hope this finds you well" in my letters', False),
        ('Never sign with "Yours for ever", nobody talks like that', False),
        ('Do not write "best" in this letter', True),
    ],
)
def test_what_leans_on_the_talk(text, expected):
    """A pronoun with its noun beside it is fine; one without it needs a look."""
    assert leans_on_talk(text) is expected


def test_words_that_lean_on_the_talk_wait():
    """What no memory could read alone is not proposed at once, and says that it needs a look."""
    (found,) = cluster(detect([exchange("no! never, ever use these again, they are always stale")]))
    assert needs_wording_review(found)
    assert not is_lasting(found)
    assert rationale_of(found).endswith(WORDING_NOTE)


def test_a_complaint_and_an_order_are_one_wish():
    """What was done wrong and what is wanted instead are about the same, and the order speaks."""
    said = ["no, use the staging queue", "why aren't you using the staging queue?"]
    (found,) = cluster(detect([exchange(text, index=at) for at, text in enumerate(said)]))
    assert content_of_cluster(found) == "Use the staging queue"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("por favor, nunca borres los registros de auditoría en la base de datos", "Nunca borres los registros"),
        ("bitte lösche nie die Protokolle auf dem Server, die brauchen wir noch", "Lösche nie die Protokolle"),
    ],
)
def test_other_languages_keep_their_clause(said, expected):
    """Only the politeness goes."""
    (found,) = detect([Exchange(text=said, before="", at=exchange("x").at)])
    assert found.wording.startswith(expected)


def test_code_is_not_cut():
    """A comma inside of backticks begins no clause."""
    assert clauses("instead of `a, use b`, use `c`")[0].startswith("instead of `a, use b`")

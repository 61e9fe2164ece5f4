"""A wording keeps what its wish hangs on: the condition, the other half, the thing that a "this" stands for."""

from __future__ import annotations

from dataclasses import replace

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
from dopejar.pipelines.corrections.wording.imperative import clauses, imperative
from dopejar.pipelines.corrections.wording.reference_resolution import filled, points_outside
from dopejar.pipelines.corrections.wording.rule_text import carrying, parts, whole
from dopejar.text.sentences import sentences


def kept(said: str, clause: str, before: str = "") -> str:
    """What a memory would keep of a turn, by the clause that carries its wish."""
    spoken = [piece.text for piece in sentences(said)]
    place = next(number for number, one in enumerate(spoken) if clause in one)
    whole_clause = next(one for one in clauses(spoken[place]) if clause in one)
    return whole(spoken, place, whole_clause, before).text


@pytest.mark.parametrize(
    ("said", "clause", "expected"),
    [
        ("no raw threads. submit work to the pool", "no raw threads", "No raw threads; submit work to the pool"),
        ("no raw threads. submit work to the pool", "submit", "No raw threads; submit work to the pool"),
        ("never edit the seeds by hand, run the seeder", "never edit", "Never edit the seeds by hand, run the seeder"),
        ("don't add Impl classes, we name classes after their role", "don't add",
         "Do not add Impl classes; name classes after their role"),
        ("do not open sockets in tests. there is a fake client for that", "do not open",
         "Do not open sockets in tests; there is a fake client for that"),
        ("waiting is not a remedy. listen for the signal", "listen", "Waiting is not a remedy; listen for the signal"),
        ("why do you edit files in the old tree, not the new tree?", "why do you",
         "Edit files in the new tree, not the old tree"),
    ],
)  # fmt: skip
def test_a_ban_keeps_its_alternative(said, clause, expected):
    """Both halves are kept, whichever of them was taken for the wish."""
    assert kept(said, clause) == expected


@pytest.mark.parametrize(
    ("said", "clause", "expected"),
    [
        ("when a query is slow, use the replica", "use the replica", "When a query is slow, use the replica"),
        ("use the replica, unless the data must be fresh", "use the replica",
         "Use the replica, unless the data must be fresh"),
        ("charts don't show in our mails, use a table", "use a table", "Charts don't show in our mails, use a table"),
        ("why did you drop the index?? before any drop you show me the plan", "why did you",
         "Do not drop the index; before any drop you show me the plan"),
    ],
)  # fmt: skip
def test_a_condition_stays_with_its_wish(said, clause, expected):
    """A narrow wish never becomes a general one."""
    assert kept(said, clause) == expected


CONDITIONS = [
    "when the build is red", "before a release", "unless the customer asks", "for invoices", "in the billing code",
    "before you push the pr", "after the changes you made", "if it was sent already", "until this page is signed",
]  # fmt: skip
WISHES = ["never round amounts", "use the ledger", "don't send mails", "ask the owner", "keep the old totals"]


@given(
    st.sampled_from(CONDITIONS),
    st.sampled_from(WISHES),
    st.booleans(),
    st.sampled_from(["", "sorry, ", "hey! "]),
    st.sampled_from(["", "i told you yesterday, "]),
)
def test_no_condition_is_lost(condition, wish, is_in_front, opener, aside):
    """Wherever the condition stands in the sentence and whatever is said besides, the wording says it."""
    said = opener + (f"{condition}, {aside}{wish}" if is_in_front else f"{wish}, {aside}{condition}")
    assert condition in kept(said, wish).casefold()


@pytest.mark.parametrize(
    ("said", "clause", "expected"),
    [
        ("use the pager, not the mail. revert it please", "use the pager", "Use the pager, not the mail"),
        ("never log tokens. summarise what you changed", "never log", "Never log tokens"),
        ("never log tokens, thank you", "never log", "Never log tokens"),
        ("never log tokens, i told you yesterday", "never log", "Never log tokens"),
        ("keep the headers as they were, please", "keep", "Keep the headers as they were"),
        ("title case in headings, like i asked before", "title case", "Title case in headings"),
        ("no wait. one ticket per branch", "one ticket", "One ticket per branch"),
        ("take the prints out, and use the tracer from now on", "use the tracer", "Use the tracer"),
        ("never delete a ticket unless i say so", "never delete", "Never delete a ticket unless i say so"),
    ],
)
def test_steps_and_talk_are_no_part_of_it(said, clause, expected):
    """What is to be done once, thanks and reproaches are dropped."""
    assert kept(said, clause) == expected


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        ("Do not clean it up", "Let me clean up the old snapshots first.", "Do not clean up the old snapshots"),
        ("Do not do that again", "I deleted the fixtures.", "Do not delete the fixtures"),
        ("Never edit this file", "I changed `conf/live.toml` as you asked.", "Never edit `conf/live.toml`"),
        ("Use the scheduler instead", "I use a cron job.", "Use the scheduler instead of a cron job"),
        ("Use the scheduler instead", "Done.", "Use the scheduler"),
        ("Never edit this file", "I changed `a.toml` and `b.toml`.", "Never edit this file"),
        ("Do not clean it up", "I clean up the cache, then I clean up the index.", "Do not clean it up"),
        ("Create that report", "I create the chart.", "Create that report"),
    ],
)
def test_what_points_is_filled_from_what_the_assistant_named(text, before, expected):
    """One thing that fits is named; between two nothing is guessed."""
    assert filled(text, before) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Do not clean it up", True),
        ("Use that one", True),
        ("Create that report", True),
        ("Keep the footers on these pages", True),
        ("Use the right one", True),
        ("Try using #17", True),
        ("Use port 17", False),
        ("Do not skip a failing check, mend it", False),
        ("Ensure that every page has a title", False),
        ("Delete tests that never ran", False),
        ("Do not add new tools to this project", False),
        ("Make it clear who may sign", False),
        ("Never resize a photo in place, add a new one", False),
        ("Look up the right format", True),
        ("That's a slow query, the view does the job", True),
    ],
)
def test_what_points_outside(text, expected):
    """A pronoun with its noun in the wording is fine; one without it needs a look."""
    assert points_outside(text) is expected


def test_a_wording_that_leans_on_its_conversation_waits():
    """What no memory could read alone is not proposed at once, and says that it needs a look."""
    candidates = detect([exchange("no! never, ever use these again, they are always stale")])
    (found,) = cluster(candidates)
    assert needs_wording_review(found)
    assert not is_lasting(found)
    assert rationale_of(found).endswith(WORDING_NOTE)


@pytest.mark.parametrize(
    ("said", "is_whole"),
    [
        ("why didn't you use ripgrep just now?", False),
        ("why didn't you use ripgrep for the search?", True),
        ("you wrote the key into the log but are masking it in the trace", False),
        ("no, make sure the copies are in the store and then go ahead and merge", False),
        ("always use ripgrep", True),
        ("no, use the (slow index", False),
        ("no, use the blue one for invoices", False),
    ],
)
def test_what_is_too_bare_or_of_one_moment_waits(said, is_whole):
    """A verb with a name alone, a step of this minute and a complaint that argues on need a look."""
    (found,) = detect([exchange(said)])
    assert found.is_whole is is_whole


def test_the_points_below_a_heading_stay_together():
    """A list that is to become a rule is one rule, with what it is about."""
    said = "make a note on how to title tickets\n- begin with the area\n- name the customer\n- no emojis"
    assert kept(said, "begin with") == "How to title tickets: begin with the area; name the customer; no emojis"


def test_a_repair_repeated_in_one_conversation_needs_a_look():
    """Its words are about the work of that conversation; said in another one, they are not."""
    said = "no, change the subject line only"
    turns = [replace(exchange(said), conversation=name, index=at) for name, at in (("c1", 1), ("c1", 3), ("c2", 1))]
    first, second, other = (one for turn in turns for one in detect([turn]))
    (same,), (apart,) = cluster([first, second]), cluster([first, other])
    assert [needs_wording_review(same), needs_wording_review(apart)] == [True, False]


def test_the_fuller_wording_speaks():
    """Of two that say the same, the one that also says what it stands against is kept."""
    said = ["no, use the staging queue", "why do you send jobs to the live queue, not the staging queue?"]
    (found,) = cluster(detect([replace(exchange(one), index=at) for at, one in enumerate(said)]))
    assert content_of_cluster(found) == "Send jobs to the staging queue, not the live queue"


def test_the_clause_of_the_family_speaks():
    """Where a turn says two things, its own words for the stock wish are kept, not the stock wording."""
    (found,) = cluster(detect([exchange("no! the totals look odd. and apply the patches yourself, always")]))
    assert found.family
    assert content_of_cluster(found) == "Apply the patches yourself, always"


def test_a_stock_wording_does_not_blur_a_specific_wish():
    """The family speaks only where the turn names nothing of its own."""
    (specific,) = cluster(detect([exchange("no! keep the release notes short and brief from now on")]))
    (general,) = cluster(detect([exchange("no! too wordy again")]))
    assert "release notes" in content_of_cluster(specific)
    assert content_of_cluster(general) == "Keep answers short and to the point"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("stop asking and decide for yourself", "Stop asking and decide for yourself"),
        ("stop adding and removing blank lines", "Do not add and removing blank lines"),
        ("you aren't closing the handle", "Close the handle"),
        ("it doesn't make sense to cache errors", "Do not cache errors"),
        ("we can't ship debug symbols", "Do not ship debug symbols"),
    ],
)
def test_a_ban_ends_where_an_order_begins(said, expected):
    """Turning a complaint round never puts the wanted half under the negation."""
    assert imperative(said) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("por favor, nunca borres los registros de auditoría en la base de datos", "Nunca borres los registros"),
        ("bitte lösche nie die Protokolle auf dem Server, die brauchen wir noch", "Lösche nie die Protokolle"),
    ],
)
def test_other_languages_keep_their_clause(said, expected):
    """No English verb before another language's words; only the politeness goes."""
    turn = Exchange(text=said, before="", at=exchange("x").at)
    (found,) = detect([turn])
    assert found.wording.startswith(expected)


def test_the_clause_that_orders_is_taken_before_one_that_complains():
    """A complaint without a word of what to do gives way to the order beside it."""
    said = ["that is the wrong column.", "only touch the price column"]
    place, clause = carrying(said, 0, "that is the wrong column.")
    assert (place, clause) == (1, "only touch the price column")


SAID = ["use `a, use b` here", "never merge", "it broke", "for mails, wait", "why?"]


@given(st.lists(st.sampled_from(SAID), max_size=5))
def test_parts_come_in_their_order_and_from_the_turn(said):
    """Every clause is a piece of its sentence; none is made up."""
    found = parts(said)
    assert all(one.text in said[one.sentence] for one in found)
    assert [one.sentence for one in found] == sorted(one.sentence for one in found)


def test_code_is_not_cut():
    """A comma inside of backticks begins no clause."""
    assert clauses("instead of `a, use b`, use `c`")[0].startswith("instead of `a, use b`")

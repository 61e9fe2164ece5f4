"""What is told to the memory in one sentence: one statement with its reasons and asides, or several of their own."""

from __future__ import annotations

import re

import pytest
from believed import AT
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest import Atom, Extraction, Reason, extract, make_key


def told(said: str) -> tuple[Atom, ...]:
    """The atoms of what is told to the memory itself."""
    return read(said).atoms


def read(said: str) -> Extraction:
    """All that a text comes to when it is told to the memory itself."""
    return extract(said, at=AT, speaker_is_user=True, keep_all=True)


@pytest.mark.parametrize(
    "said",
    [
        "The lathe kept tripping the fuse, so I've run it off the garage socket ever since.",
        "Don't book anything on Monday at nine, I'm at the physio then.",
        "I don't ride the tram, I walk.",
        "I gave up sugar in 2018 and never missed it.",
        "Read clock times in UTC, never in local time.",
        "Stay in us-west-2, so don't go hunting in other regions.",
        "My cousin and I own a kayak.",
        "On 3 May my wife and I celebrate our wedding.",
        "The cluster sits in Lyon, i.e. eu-west-3.",
        "Being a baker, I get up at three.",
        "Pickles, our hamster, can't have citrus.",
        "Sunday to Tuesday, 7 p.m., I'm at the pool.",
        "When you suggest films: I can't stand horror.",
        "My favourite editor, and it shows, is Helix.",
        "I find noise hard, which is why I wear earplugs.",
        "Never trim the hedge in May, birds nest there.",
        "I have a new job so work starts at nine.",
        "My bike broke so we bought a new one.",
    ],
)
def test_a_statement_keeps_what_belongs_to_it(said: str) -> None:
    """A reason, a contrast, an aside and a subject in two parts are no memories of their own; no word is lost."""
    (atom,) = told(said)
    assert (atom.start, atom.end) == (0, len(said))
    assert set(re.findall(r"\w{5,}", said.casefold())) <= set(re.findall(r"\w+", atom.text.casefold()))


@pytest.mark.parametrize(
    "said",
    [
        "I live in Porto and my sister is called Rita.",
        "I live in Porto, my dog is called Rex.",
        "Use tabs, and never push to main.",
        "I'm allergic to nuts, always check the label.",
        "We have a kiln and my neighbours have a forge.",
        "I bake, I sail, I paint.",
        "Run the linter; update the changelog.",
        "We keep 30 backups, the disk holds 4 TB.",
        "Use tabs; deploys happen on Tuesdays.",
        "I like dark mode, my colleague Tom likes light mode.",
        "I'm vegetarian but my husband eats meat.",
        "Keep answers short, don't use emojis.",
        "I'm allergic to nuts, so don't suggest pesto.",
        "I work nights so please ring after noon.",
        "The budget is tight, so ask Marta before you buy a chair.",
    ],
)
def test_what_tells_something_of_its_own_stays_apart(said: str) -> None:
    """Two slots, traits, orders or amounts, a fact and an order that follows from it, and what "and" adds are apart."""
    assert len(told(said)) > 1


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Most people swear by Emacs, but I use Helix.", "I use Helix"),
        ("I know the British do it differently, but I want dates as 2026-03-04.", "I want dates as 2026-03-04"),
        ("My colleagues drive, but I cycle to the office.", "I cycle to the office"),
    ],
)
def test_what_is_granted_is_nobodys_statement(said: str, kept: str) -> None:
    """What others do and what may be so fills no slot and stands in no memory; it lies in the evidence's span."""
    (atom,) = told(said)
    assert (atom.text, atom.certainty) == (kept, 1.0)
    assert (atom.start, atom.end) == (0, len(said))


@pytest.mark.parametrize(
    "said",
    [
        "I'm Ottilie Brandt, but everyone calls me Otti.",
        "My name is Maximilian, but my friends call me Max",
        "Everybody in the choir calls me Bo, though my passport says Robert.",
        "I'm Oluwaseun, though most people know me as Seun.",
        "Most colleagues call us the night crew, but officially we are Platform Ops.",
    ],
)
def test_what_others_call_the_speaker_is_not_granted(said: str) -> None:
    """What is told of the speaker is kept, on whichever side of a "but" it stands."""
    kept = " ".join(atom.text for atom in told(said))
    assert set(re.findall(r"\w{3,}", said)) - {"but", "though"} <= set(re.findall(r"\w+", kept))


@pytest.mark.parametrize(
    ("said", "slot", "value"),
    [
        ("The builds kept failing over there, so I use pnpm.", "self.package_manager.js", "+pnpm"),
        ("I don't eat meat, I'm vegetarian.", "self.diet", "+vegetarian"),
    ],
)
def test_the_clause_that_says_it_gives_the_key(said: str, slot: str, value: str) -> None:
    """What stands round a statement changes nothing of its slot and value."""
    (atom,) = told(said)
    key = make_key(atom)
    assert (key.slot, key.value) == (slot, value)


@pytest.mark.parametrize(
    ("said", "kept", "company"),
    [
        ("Thanks a lot! We keep the logs for 40 days.", "We keep the logs for 40 days", "Thanks a lot!"),
        ("I keep bees. Please keep this in mind.", "I keep bees", "Please keep this in mind."),
    ],
)
def test_talk_around_a_statement_is_chatter(said: str, kept: str, company: str) -> None:
    """Greetings, thanks and requests to keep it are left out beside what is told, and said to be."""
    found = read(said)
    assert [atom.text for atom in found.atoms] == [kept]
    assert any(company in part.text and part.reason is Reason.CHATTER for part in found.left_out)


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("Could you keep in mind that I swim on Fridays?", "I swim on Fridays"),
        ("Would you please always quote paths?", "always quote paths"),
        ("When you name a branch, could you make sure to begin with the ticket?", "make sure to begin with the ticket"),
        ("What I want from a review is that it names the file.", "it names the file"),
        ("How I get to the boat: by ferry.", "by ferry"),
    ],
)
def test_what_only_has_the_form_of_a_question_is_told(said: str, part: str) -> None:
    """A polite or indirect telling is a statement where it is told to the memory itself."""
    (atom,) = told(said)
    assert part.casefold() in atom.text.casefold()


@pytest.mark.parametrize(
    "said",
    [
        "Could you tell me which port the gateway has?",
        "Can you look at the log when you have time?",
        "Could you remember what I said about the kiln?",
        "What is the best port for a gateway",
        "Where do we deploy on Mondays",
    ],
)
def test_what_asks_is_not_believed(said: str) -> None:
    """A question stays a question, however politely it is put."""
    assert not told(said)


PARTS = st.sampled_from(
    [
        "I moored the boat",
        "so we use Redis",
        "but others like tea",
        "don't ask me why",
        "because the kiln broke",
        "and my sister is Rita",
        "never in winter",
        "could you always quote paths?",
        "what I value is brevity",
        "my wife and I sail",
        "i.e. the old one",
    ]
)


@given(st.lists(PARTS, min_size=1, max_size=5), st.sampled_from([", ", "; ", ". ", " - ", ": "]))
def test_no_told_word_is_lost(parts: list[str], glue: str) -> None:
    """Whatever is joined or left out, every word lies in an atom's span or in a part that is reported."""
    text = glue.join(parts)
    found = read(text)
    spans = [(one.start, one.end) for one in (*found.atoms, *found.left_out)]
    for word in re.finditer(r"[^\W\d_]{2,}", text):
        assert any(start <= word.start() and word.end() <= end for start, end in spans), (word.group(0), text)


WISHES_TO_REMEMBER = (
    "Keep in mind that {}", "Please remember that {}", "I want you to know that {}", "You should remember that {}",
    "Make a note that {}", "Make a mental note: {}", "It's worth remembering that {}", "Don't forget that {}",
    "Write down that {}", "Please keep it in mind that {}", "Save this: {}", "Keep in mind {}", "{}, keep in mind",
    "{}, please remember that", "Make sure you remember that {}", "Just remember, {}",
)  # fmt: skip
REMEMBERED = (
    "the lift is broken", "our rabbit has a cold", "the office closes at five", "my sister will visit in May",
)  # fmt: skip


@given(st.sampled_from(WISHES_TO_REMEMBER), st.sampled_from(REMEMBERED), st.sampled_from(["", ".", "!"]))
def test_the_wish_to_remember_is_an_envelope(wish: str, said: str, end: str) -> None:
    """Whatever asks to remember it, one statement is made of it, in its own words, and no rule."""
    if wish == "Keep in mind {}" and "closes" in said:
        return  # nothing shows there that a clause follows
    (atom,) = told(wish.format(said) + end)
    (plain,) = told(said)
    assert (atom.text, atom.kind, atom.directs_work) == (plain.text, plain.kind, False)


@pytest.mark.parametrize(
    "said",
    ["Remember to call Mia", "Note the difference between the two", "Keep in mind who has the keys"],
)
def test_a_task_to_remember_stays_whole(said: str) -> None:
    """What asks for more than to remember a statement keeps its words."""
    (atom,) = told(said)
    assert atom.text == said


@given(st.sampled_from(["Keep in mind to {}", "Remember to {}", "Keep in mind: {}"]))
def test_a_rule_to_remember_is_that_rule(wish: str) -> None:
    """A rule in such an envelope stays a rule, without it."""
    (atom,) = told(wish.format("always use tabs in Makefiles"))
    assert (atom.text, atom.directs_work) == ("Always use tabs in Makefiles", True)


@given(
    st.sampled_from(REMEMBERED),
    st.sampled_from([" ", ", ", ". ", "!! "]),
    st.lists(st.sampled_from(["lol", "haha", "hahaha", "hehe", ":)", ";-)", ":D", "lol!"]), min_size=1, max_size=3),
)
def test_laughter_behind_it_is_no_part_of_it(said: str, joint: str, laughter: list[str]) -> None:
    """Laughter and faces at the end are not kept with what is told."""
    assert [atom.text for atom in told(f"{said}{joint}{' '.join(laughter)}")] == [told(said)[0].text]


@pytest.mark.parametrize(
    "said", ["We play lol", "He always says lol", "Our parrot is called haha", "Keep functions <3", "The ratio is 3:3"]
)
def test_what_only_looks_like_laughter_stays(said: str) -> None:
    """A word that the sentence needs, and a figure, are no laughter."""
    (atom,) = told(said)
    assert atom.text == said


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("My uncle Jaap is 71. He lives in Lille. He hates cats.", ["Jaap lives in Lille", "Jaap hates cats"]),
        ("My boss is Vera Roth. I think she has a boat.", ["I think Vera Roth has a boat"]),
        ("The Duboises arrive on Friday. They bring a dog too.", ["The Duboises bring a dog too"]),
        (
            "Ida met Vera. She sells bread. She is 40.",
            ["Ida met Vera. She sells bread", "Ida met Vera. She is 40"],
        ),
    ],
)
def test_what_is_told_of_somebody_has_the_name(said: str, kept: list[str]) -> None:
    """Or else the first statement in front, and no other that has it in front as well."""
    assert [atom.text for atom in told(said)][1:] == kept

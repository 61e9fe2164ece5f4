"""Marked statements: whole clauses become atoms, and nothing that its speaker did not say."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.atoms import Reason
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.values.record import Kind, Layer, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


class WordMarker:
    """Marks each run of words between `[` and `]`, and where there is none the words that it was given."""

    def __init__(self, words: str = "", fact_class: FactClass = FactClass.PLAIN, sublayer: Sublayer = Sublayer.FACT):
        self._words = re.compile(re.escape(words)) if words else re.compile(r"\w[\w ]*")
        self._class, self._sublayer = fact_class, sublayer
        self.seen: list[str] = []

    def mark(self, texts, searched=()):
        """One statement for every match."""
        self.seen.extend(texts)
        return tuple(tuple(self._marked(found) for found in self._words.finditer(text)) for text in texts)

    def _marked(self, found: re.Match[str]) -> MarkedStatement:
        layer = Layer.INTENT if self._sublayer in (Sublayer.RULE, Sublayer.GOAL) else Layer.WORLD
        return MarkedStatement(
            start=found.start(),
            end=found.end(),
            certainty=0.8,
            fact_class=self._class,
            layer=layer,
            sublayer=self._sublayer,
        )


def read(text: str, marker: WordMarker, **turn):
    """The extraction of one turn."""
    return extract_marked([SpokenTurn(text=text, at=NOON, **turn)], marker)[0]


@pytest.mark.parametrize(
    ("marked", "whole"),
    [
        ("port 5433", "The staging database listens on port 5433"),
        ("The staging database", "The staging database listens on port 5433"),
    ],
)
def test_a_mark_is_completed_to_its_clause(marked, whole):
    """A mark that misses the boundary of its clause by a few words is moved there."""
    found = read("Please restart it, the staging database listens on port 5433; thanks.", WordMarker(marked.lower()))
    assert [atom.text for atom in found.atoms] == [whole]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("btw the kiln fires at 900", "The kiln fires at 900"),
        ("Heads up: and the kiln fires at 900", "The kiln fires at 900"),
        ("fyi, well, the kiln fires at 900", "The kiln fires at 900"),
        ("So far the kiln fires at 900", "So far the kiln fires at 900"),
    ],
)
def test_what_only_opens_a_message_is_no_part_of_a_statement(said, kept):
    """Words that keep a conversation going are left out at the beginning; the evidence still covers them."""
    (atom,) = read(said, WordMarker(said)).atoms
    assert (atom.text, said[atom.start : atom.end]) == (kept, said)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("The kiln fires at 900, sorry no, 950. Can you note that?", "The kiln fires at 900, sorry no, 950"),
        ("The kiln fires at 900, hmm, wait, 950 I think.", "The kiln fires at 900, hmm, wait, 950 I think"),
        ("The kiln fires at 900. Scratch that, 950.", "The kiln fires at 900. Scratch that, 950"),
        ("The kiln fires at 900, no flame is seen.", "The kiln fires at 900"),
    ],
)
def test_what_is_taken_back_is_kept_with_what_replaces_it(said, kept):
    """A statement that corrects itself is whole only with its correction, in the same sentence or the next."""
    marker = WordMarker("The kiln fires at 900") if "Scratch" not in said else WordMarker()
    (atom,) = read(said, marker).atoms[:1]
    assert atom.text == kept


_JOINED = (
    "Our dentist has retired, so Dr Amari sees us because of that, and Ruth drives or walks there but never on ice."
)


@given(st.data())
def test_no_statement_ends_in_a_conjunction_or_a_comma(data):
    """Wherever a mark begins and ends, its text stops before a conjunction or takes in what is behind it."""
    words = list(re.finditer(r"\S+", _JOINED))
    first = data.draw(st.integers(0, len(words) - 2))
    last = data.draw(st.integers(first + 1, len(words) - 1))
    for atom in read(_JOINED, WordMarker(_JOINED[words[first].start() : words[last].end()])).atoms:
        assert not re.search(r"(?:,|\b(?:and|or|but|so|because))$", atom.text)


@pytest.mark.parametrize(
    ("said", "marked", "kept"),
    [
        ("The printer was replaced, so it takes A3 now.", "The printer was replaced", "whole"),
        (
            "The printer was replaced, so the office that lies behind it is quiet now.",
            "The printer was replaced, so",
            "whole",
        ),
        ("The printer was replaced, so can you order paper?", "The printer was replaced", "The printer was replaced"),
        ("The printer was replaced, and", "The printer was replaced, and", "The printer was replaced"),
        ("We still think so.", "We still think so", "whole"),
        ("The file has three columns, part, bin and size.", "The file has three columns,", "whole"),
        ("The kitchen costs 12,500 euros with the oven.", "The kitchen costs 12", "whole"),
    ],
)
def test_a_statement_is_kept_with_what_its_sentence_goes_on_to_say(said, marked, kept):
    """What came of it, what a conjunction joins and the rest of a list belong to it; a request does not."""
    (atom,) = read(said, WordMarker(marked)).atoms
    assert atom.text == (said.rstrip(".") if kept == "whole" else kept)


@pytest.mark.parametrize(
    ("said", "marked"),
    [
        ('Messages look like "fix(till): count coins (T-4)"', 'Messages look like "fix'),
        ('Mails begin with "Dear members, hello: the news" and end with a joke', 'Mails begin with "Dear members'),
        ("Minutes are filed as “2026-03: minutes (draft)”", "Minutes are filed as “2026-03"),
        ("Lists open with the `-: ` sign", "Lists open with the `-"),
        ("The `-: ` sign opens a list", "` sign opens a list"),
    ],
)
def test_a_statement_keeps_the_whole_of_what_it_quotes(said, marked):
    """A mark that begins or ends within a quotation or code is moved to where that does."""
    (atom,) = read(f"{said}.", WordMarker(marked)).atoms
    assert atom.text == said


@pytest.mark.parametrize(
    "said",
    [
        "Mrs Adeyemi sold her car",
        "The firm gave Ida a new car",
        "I go to the quay by car",
        "The twins are generation Y",
        "Our favourite film is ET",
        "The Kims sold their house and Ida sold her car",
    ],
)
def test_a_statement_keeps_its_last_word(said):
    """A noun that is a conjunction in another language is no conjunction."""
    (atom,) = read(f"{said}.", WordMarker(said)).atoms
    assert atom.text == said


def test_a_conjunction_of_the_turn_s_language_is_left_out():
    """What a French turn leaves hanging at the end of a mark is dropped."""
    said = "Ma sœur est à Lyon car"
    (atom,) = read(f"{said} son mari y travaille depuis des années avec toute une équipe", WordMarker(said)).atoms
    assert not atom.text.endswith(" car")


def test_a_statement_behind_a_conjunction_is_kept_as_its_own():
    """Where both halves of a sentence are marked the conjunction between them is in neither."""
    found = read("The shop opens at nine, and Sara has the key.", WordMarker())
    assert [atom.text for atom in found.atoms] == ["The shop opens at nine", "Sara has the key"]


@pytest.mark.parametrize(
    ("said", "marked", "kept"),
    [
        (
            "I told them that the repair of the long roof of the house will be finished on 3 May.",
            "be finished on 3 May",
            "I told them that the repair of the long roof of the house will be finished on 3 May",
        ),
        ("Put the year in the name, always.", "always.", "Put the year in the name, always"),
        (
            "The file is on the laptop, with a column part.",
            "with a column",
            "The file is on the laptop, with a column part",
        ),
        ("We pay late, from June on Ruth takes over.", "from June on", "From June on Ruth takes over"),
        (
            "We should all start to get ready for the long recital, it's on 12 June.",
            "recital, it's on",
            "We should all start to get ready for the long recital, it's on 12 June",
        ),
        ("Noted. Ben has moved to Leeds.", "Noted. Ben has moved", "Ben has moved to Leeds"),
        ("Ugh they moved the exam", "Ugh they moved the exam", "They moved the exam"),
        ("Well they moved the exam", "Well they moved the exam", "They moved the exam"),
        ("Well water is hard here", "Well water is hard here", "Well water is hard here"),
    ],
)
def test_a_statement_begins_with_its_clause(said, marked, kept):
    """A mark within a clause is completed to its beginning; a sentence of one word and interjections are cut."""
    (atom,) = read(said, WordMarker(marked)).atoms
    assert atom.text == kept


@pytest.mark.parametrize(
    ("said", "marked", "kept"),
    [
        (
            "I spent the whole of the holidays repairing the two oldest looms in the barn on Mill Lane.",
            "oldest looms in the barn on Mill Lane",
            "I spent the whole of the holidays repairing the two oldest looms in the barn on Mill Lane",
        ),
        (
            "Which oil is best, considering I drive a 1998 Volvo?",
            "considering I drive a 1998 Volvo",
            "I drive a 1998 Volvo",
        ),
        ("Is it safe, especially since Tom has asthma?", "especially since Tom has asthma", "Tom has asthma"),
        (
            "I swim in the lake, like we do in Norway.",
            "like we do in Norway",
            "I swim in the lake, like we do in Norway",
        ),
        (
            "We meet in the hall, where Ada runs the choir.",
            "where Ada runs the choir",
            "We meet in the hall, where Ada runs the choir",
        ),
        ("We have been married since I was twenty.", "We have been married since I was twenty", None),
    ],
)
def test_a_part_is_completed_and_a_reason_stands_by_itself(said, marked, kept):
    """What goes on with a clause is kept with it; what is only the reason of a question is kept without its joint."""
    (atom,) = read(said, WordMarker(marked)).atoms
    assert atom.text == (kept or marked)


@pytest.mark.parametrize(
    ("said", "marked"),
    [
        ("Is that soon? It's already 3 March 2026.", "It's already 3 March 2026"),
        ("How do I win? I'm wondering about the second set", "I'm wondering about the second set"),
        ("How can I swim faster, like I did in Bergen?", "like I did in Bergen"),
    ],
)
def test_the_day_of_today_a_doubt_and_a_part_of_a_question_state_nothing(said, marked):
    """What is true of this moment alone, or of nothing, is left out."""
    assert not read(said, WordMarker(marked)).atoms


@pytest.mark.parametrize(
    ("said", "marked"),
    [
        ("Help!\n\nQ3. A bottle holds 25 ml of acid. Find the strength.", "A bottle holds 25 ml of acid"),
        ("The wages of 200 men were noted. Calculate the median.", "The wages of 200 men were noted"),
        ("Look at this\n\nDear Customer, our fee is now 149. Yours", "our fee is now 149"),
        ("I found this online, halve it?\n\nCAKE\nI never use nuts as I'm allergic.", "I never use nuts"),
    ],
)
def test_exercises_letters_and_what_is_brought_along_are_nobodys_statements(said, marked):
    """Material to work on is read as pasted."""
    found = read(said, WordMarker(marked))
    assert not found.atoms
    assert Reason.PASTED in {part.reason for part in found.left_out}


@pytest.mark.parametrize(
    "said",
    [
        "My flat has 62 square metres. Calculate the paint.",
        "Here's the thing: I moved to Ghent.\n\nI live in Ghent now.",
        "One correction: the shop opens at nine.",
        "I got this new job at Bosch last week!\n\nI live in Ghent. I am allergic to penicillin.",
        "This is my first post here, hi!\n\nMy son is called Max. I work as a nurse in Leeds.",
        "I found this great flat.\n\nThe flat is in Leeds.",
        "I saw this doctor yesterday.\n\nThe clinic is open on Mondays.",
        "Here is my story:\n\nI am 42 and teach yoga.",
        "This is my letter to you.\n\nWe moved to Ghent in May.",
        "Problem 1: my son Max is allergic to eggs and we live in Leeds.",
    ],
)
def test_what_a_speaker_tells_of_themselves_is_no_material(said):
    """An order, an opening and a colon make no material of the speaker's own words."""
    assert read(said, WordMarker()).atoms


def test_a_rule_directs_the_work_and_a_goal_does_not():
    """What a constraint of layer intent says directs the work; a goal does not."""
    text = "Never push to the main branch."
    rule = read(text, WordMarker("Never push", FactClass.CONSTRAINT, Sublayer.RULE)).atoms[0]
    goal = read(text, WordMarker("Never push", FactClass.CONSTRAINT, Sublayer.GOAL)).atoms[0]
    assert rule.directs_work
    assert not goal.directs_work


def test_an_alias_and_an_environment_are_told_apart():
    """A definition becomes an alias, a tool in use a fact of the environment."""
    text = "BOM means bill of materials."
    assert read(text, WordMarker("means", FactClass.ALIAS)).atoms[0].kind is Kind.ALIAS
    assert read(text, WordMarker("means", FactClass.ENVIRONMENT)).atoms[0].tags


def test_code_and_pastes_are_never_read():
    """A marker sees neither code nor what was pasted, and a mark that reaches into it is dropped."""
    text = "We deploy from trunk.\n```\nwe deploy from main\n```\nwe deploy on fridays"
    marker = WordMarker()
    found = read(text, marker, skip=[(text.index("we deploy on"), len(text))])
    assert [atom.text for atom in found.atoms] == ["We deploy from trunk"]
    assert not any("main" in seen or "fridays" in seen for seen in marker.seen)


def test_what_points_at_nothing_needs_the_words_before():
    """A pronoun without its noun is marked as such; a rule of which nobody knows what it is about is left out."""
    assert [atom.leans for atom in read("It runs on port 9000.", WordMarker("runs")).atoms] == [True]
    rule = read("It must never run at night.", WordMarker("run", FactClass.CONSTRAINT, Sublayer.RULE))
    assert not rule.atoms
    assert Reason.UNRESOLVED in {part.reason for part in rule.left_out}


@given(text=st.lists(st.sampled_from(["we use pnpm", "it is on", ". ", ", ", "\n", "`x`", " and "])).map("".join))
def test_every_word_is_in_an_atom_or_left_out(text):
    """No word disappears, and no atom overlaps another."""
    found = read(text, WordMarker("use pnpm"))
    spans = sorted([(one.start, one.end) for one in (*found.atoms, *found.left_out)])
    covered = {place for start, end in spans for place in range(start, end)}
    assert all(place in covered or not letter.isalnum() for place, letter in enumerate(text))
    atoms = sorted((atom.start, atom.end) for atom in found.atoms)
    assert all(one[1] <= other[0] for one, other in pairwise(atoms))


@pytest.mark.parametrize("words", ["The shed is locked with [redacted", "redacted:pin] opens it and Ida knows"])
def test_a_mark_of_a_redaction_is_not_cut(words):
    """A statement that begins or ends within the mark of a redaction holds all of it."""
    said = "The shed is locked with [redacted:pin] opens it and Ida knows"
    for atom in read(said, WordMarker(words)).atoms:
        assert atom.text.count("[redacted:pin]") == atom.text.count("redacted") == 1


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Never push to trunk. Never amend commits.", ["Never push to trunk", "Never amend commits"]),
        ("Always use metric units. Thanks a lot.", ["Always use metric units"]),
        ("Always write in Dutch. Even if I ask in English.", ["Always write in Dutch. Even if I ask in English"]),
        ("Never use tabs. Not here either.", ["Never use tabs. Not here either"]),
    ],
)
def test_each_sentence_of_a_marked_rule_is_one_rule(said, kept):
    """What leans on the sentence before stays with it, and thanks are left out."""
    marker = WordMarker(said.rstrip("."), FactClass.CONSTRAINT, Sublayer.RULE)
    assert [atom.text for atom in read(said, marker).atoms] == kept


def test_a_marked_statement_of_two_sentences_stays_one():
    """The second often tells more of the first."""
    said = "Our glazier is Per. He comes on Fridays"
    assert len(read(f"{said}.", WordMarker(said)).atoms) == 1


@pytest.mark.parametrize(
    ("said", "marked", "kept"),
    [
        ("The parser lives in the core (in Rust) since March.", "lives in the core (in", "core (in Rust) since March"),
        ("We ship the sizes [S, M, L] to Spain.", "ship the sizes [S", "We ship the sizes [S, M, L] to Spain"),
    ],
)
def test_no_statement_is_cut_within_brackets(said, marked, kept):
    """A mark that ends between brackets is completed to the end of these, and of its clause."""
    (atom,) = read(said, WordMarker(marked)).atoms
    assert atom.text.endswith(kept)


def rule(words: str) -> WordMarker:
    """A marker that takes these words for a rule."""
    return WordMarker(words, FactClass.CONSTRAINT, Sublayer.RULE)


@pytest.mark.parametrize(
    ("said", "marked"),
    [
        ("For printed menus, use the long names", "use the long names"),
        ("If a guest cancels, never charge the card", "never charge the card"),
        ("Fill the forms in pencil, not in ink", "Fill the forms in pencil"),
        (
            "Never ask me whether you may go on if it is plain that I would only say yes to the next step",
            "Never ask me",
        ),
        ('Never ask me questions like "May I go on with it?" if I would only say yes', "Never ask me questions like"),
        ("Pad the numbers with zeros so they all have four digits", "Pad the numbers with zeros"),
    ],
)
def test_a_rule_is_kept_with_its_case_and_its_contrast(said, marked):
    """What a rule holds for, and what it is not to be, belong to it; a marker that found the middle does not cut it."""
    (atom,) = read(f"Thanks! {said}.", rule(marked)).atoms
    assert atom.text == said


def test_what_is_no_case_stays_outside_of_a_rule():
    """A clause before the rule that says something of its own is no part of it."""
    (atom,) = read("The door is open, never leave the oven alone.", rule("never leave the oven alone")).atoms
    assert atom.text == "Never leave the oven alone"


def test_items_of_a_list_are_statements_of_their_own():
    """A mark over several items of a list gives one statement for each, whatever it was marked as."""
    said = "Notes:\n- the shop opens at nine\n- when it rains, take the tent\n- deliveries come to the back door"
    marked = said[said.index("the shop") :]
    assert [atom.text for atom in read(said, WordMarker(marked)).atoms] == [
        "The shop opens at nine",
        "When it rains, take the tent",
        "Deliveries come to the back door",
    ]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("You are checking the accounts of a bakery before its sale", Reason.ADDRESSEE),
        ("You're a patient teacher of Latin", Reason.ADDRESSEE),
        ("later perhaps guests: {name, table, seats}", Reason.CODE),
    ],
)
def test_a_role_and_a_piece_of_data_state_nothing(said, why):
    """Who the assistant is to be for a task is no fact, and neither is what a program holds without a word about it."""
    found = read(said, WordMarker(said))
    assert not found.atoms
    assert why in {one.reason for one in found.left_out}


@pytest.mark.parametrize(
    "said", ["You need not ask before a commit", "Our guests are {name, table, seats} in the export"]
)
def test_what_is_granted_and_what_is_told_of_data_is_kept(said):
    """A permission is no role, and a sentence about data has a verb."""
    assert read(said, WordMarker(said)).atoms

"""Extraction: what becomes an atom, what does not, and that no word is lost."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest import Reason, extract, make_key
from dopejar.pipelines.ingest.cues import cues

AT = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)  # a Wednesday


def texts(words: str, **more: bool) -> list[str]:
    """The words of the atoms of a text."""
    return [atom.text for atom in extract(words, at=AT, speaker_is_user=True, **more).atoms]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("By the way, I live in Porto.", "I live in Porto"),
        ("Oh, and we deploy to Hetzner.", "We deploy to Hetzner"),
        ("I really prefer tabs.", "I prefer tabs"),
        ("I just use tabs.", "I use tabs"),
        ("Just by the way, I live in Porto.", "I live in Porto"),
        ("I live in the barn, just by the quay.", "I live in the barn, just by the quay"),
        ("Hmm, I think my dentist is called Olga.", "I think my dentist is called Olga"),
        ("I'm kinda worried that my visa expires on 9 May.", "My visa expires on 9 May"),
    ],
)
def test_fluff_and_wrappers_leave_the_text(said: str, kept: str) -> None:
    """What only keeps a conversation going is no part of the memory."""
    assert texts(said) == [kept]


def test_the_mark_of_a_redaction_stays_in_its_place() -> None:
    """Where a secret was taken out, the memory says so instead of joining what stood around it."""
    assert texts("My card [redacted:card] expires in May.") == ["My card [redacted:card] expires in May"]
    assert texts("My card [sighs] expires in May.") == ["My card expires in May"]


@pytest.mark.parametrize(
    ("said", "least", "most"),
    [
        ("The staging server listens on port 8443.", 1.0, 1.0),
        ("I think the staging server listens on port 8443.", 0.6, 0.8),
        ("Maybe the staging server listens on port 8443.", 0.0, 0.5),
    ],
)
def test_hedges_stay_as_certainty(said: str, least: float, most: float) -> None:
    """A hedge lowers the certainty, the strong ones more than the weak ones."""
    (atom,) = extract(said, at=AT, speaker_is_user=True, keep_all=True).atoms
    assert least <= atom.certainty <= most
    assert "8443" in atom.text


@pytest.mark.parametrize("said", ["Could be closed on Mondays", "May be that the kiln moves", "Might be Ana leaves us"])
def test_a_possibility_without_a_subject_is_no_question(said):
    """Without a question mark it is a doubtful statement, kept as said; with one it is a question."""
    (atom,) = extract(f"{said}.", at=AT, speaker_is_user=True, keep_all=True).atoms
    assert atom.text == said
    assert atom.certainty < 1.0
    assert not extract(f"{said}?", at=AT, speaker_is_user=True, keep_all=True).atoms


@pytest.mark.parametrize(
    ("said", "surely"),
    [
        ("Our tenant may be pregnant", "Our tenant is pregnant"),
        ("I could be allergic to bees", "I am allergic to bees"),
        ("Joost might be in Antwerp", "Joost is in Antwerp"),
        ("Perhaps we should sell the boat", "We should sell the boat"),
        ("Possibly the lease ends in June", "The lease ends in June"),
        ("I think the vet is called Olga", "The vet is called Olga"),
        ("The parcel is presumably at the depot", "The parcel is at the depot"),
        ("It looks like my visa expires in May", "My visa expires in May"),
        ("I believe the ferry leaves at 7:40", "The ferry leaves at 7:40"),
        ("As far as I know my aunt is 81", "My aunt is 81"),
        ("We sell the boat in May, perhaps", "We sell the boat in May"),
        ("Peut-être que la clé est dans le garage", "La clé est dans le garage"),
    ],
)
def test_doubt_stays_in_the_words_and_not_in_the_concept(said: str, surely: str) -> None:
    """What is said with doubt is kept in these words, less sure, under the key of what would be sure."""
    (doubtful,) = extract(said, at=AT, speaker_is_user=True, keep_all=True).atoms
    (sure,) = extract(surely, at=AT, speaker_is_user=True, keep_all=True).atoms
    assert doubtful.text == said
    assert doubtful.certainty < sure.certainty == 1.0
    assert make_key(doubtful).key == make_key(sure).key


def test_doubt_stays_where_a_pronoun_is_resolved_and_where_clauses_are_joined() -> None:
    """The noun takes the pronoun's place beside the doubt; so does a reason told in the same sentence."""
    assert texts("The pump is in the yard. It might be broken.", keep_all=True)[1] == "The pump might be broken"
    assert texts("The pump is in the yard. Maybe it leaks oil.", keep_all=True)[1] == "Maybe the pump leaks oil"
    joined = "Maybe we should sell the boat because the harbour is closing"
    assert texts(joined, keep_all=True) == [joined]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Does the staging server listen on port 8443?", Reason.QUESTION),
        ("Why is the build so slow", Reason.QUESTION),
        ("Can you rename the file for me?", Reason.REQUEST),
        ("Please rename the file.", Reason.REQUEST),
        ("If we ever move to Oslo, we need a bigger car.", Reason.HYPOTHETICAL),
        ("According to the vendor the port is 9100.", Reason.REPORT),
        ("The manual says the port is 9100.", Reason.REPORT),
        ('"We always use port 9100."', Reason.QUOTATION),
        ("Oh sure, because I just love rebasing on Fridays.", Reason.JOKE),
        ("You forgot the second test.", Reason.ADDRESSEE),
        ("Thanks for your help!", Reason.CHATTER),
        ("That's a nice idea.", Reason.CHATTER),
        ("I like the draft.", Reason.CHATTER),
        ("I'd like to start with the basics.", Reason.FLEETING),
    ],
)
def test_what_asserts_nothing_is_left_out_with_its_reason(said: str, reason: Reason) -> None:
    """Questions, requests, hypotheticals, reports, quotations and chatter are nobody's facts."""
    found = extract(said, at=AT, speaker_is_user=True)
    assert not found.atoms
    assert reason in {part.reason for part in found.left_out}


@pytest.mark.parametrize(
    ("said", "never"),
    [
        ("Was taking the post on May 21 the right choice for me?", "right choice"),
        ("Can you sum up the 30 years war and tell me who won?", "war"),
        ("Should I look at my letter of May 9, or wait?", "May 9"),
        ("And my stylesheet is:\n```css\na {}\n```\nWhy is it blue?", "stylesheet"),
    ],
)
def test_what_breaks_off_or_only_names_a_date_is_no_atom(said: str, never: str) -> None:
    """Half a clause, and a noun with nothing but a date, tell nobody anything later: they are not learned."""
    found = extract(said, at=AT, speaker_is_user=True)
    assert not any(never in atom.text for atom in found.atoms if atom.confidence >= 0.5)


def test_one_concept_per_atom() -> None:
    """Joined clauses become statements of their own; a list of values is said at once."""
    assert texts("I live in Porto and my dog is called Rex.") == ["I live in Porto", "My dog is called Rex"]
    assert texts("We use Django with Postgres.") == ["We use Django with Postgres"]


def test_a_condition_stays_with_what_it_conditions() -> None:
    """A clause in front that restricts a rule is not cut off."""
    (rule,) = texts("When a job fails, never retry it more than twice.")
    assert rule.startswith("When a job fails")


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("I moved to Bergen yesterday.", "on 2026-03-03"),
        ("I met Ivo at the fair last Friday.", "on 2026-02-27"),
        ("I started at Acme two years ago.", "in 2024"),
    ],
)
def test_relative_dates_become_absolute(said: str, part: str) -> None:
    """Days are counted from the time of the turn, not of the import."""
    (text,) = texts(said)
    assert part in text


def test_without_a_time_dates_stay_as_they_were_said() -> None:
    """Nothing is resolved against a time that nobody knows."""
    (atom,) = extract("I moved to Bergen yesterday.", at=None, speaker_is_user=True).atoms
    assert "yesterday" in atom.text


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ("Use light mode for today's recording.", datetime(2026, 3, 5, tzinfo=UTC)),
        ("I'm staying in Lyon this week.", datetime(2026, 3, 9, tzinfo=UTC)),
        ("The gate is closed until Friday.", datetime(2026, 3, 6, tzinfo=UTC)),
    ],
)
def test_temporary_statements_end(said: str, end: datetime) -> None:
    """Words that end a statement give it an end, and mark it as temporary."""
    (atom,) = extract(said, at=AT, speaker_is_user=True, keep_all=True).atoms
    assert atom.temporary
    assert atom.valid_to == end


def test_a_statement_may_hold_since_another_day() -> None:
    """Where the words name a beginning, the statement holds from then on."""
    (atom,) = extract("Since 2019 we use Postgres.", at=AT, speaker_is_user=True, keep_all=True).atoms
    assert atom.valid_from == datetime(2019, 1, 1, tzinfo=UTC)


def test_it_is_named_where_only_one_thing_can_be_meant() -> None:
    """A pronoun is resolved to the subject just before it, and otherwise the words are left out."""
    found = texts("The orders service is written in Go. It listens on port 7070.")
    assert found[1] == "The orders service listens on port 7070"
    alone = extract("It listens on port 7070.", at=AT, speaker_is_user=True)
    assert [part.reason for part in alone.left_out] == [Reason.UNRESOLVED]


@pytest.mark.parametrize(
    ("behind", "is_named"),
    [("It is new.", False), ("It's loud.", False), ("It is in the hall.", True), ("It has a fan.", True)],
)
def test_what_is_called_something_is_called_nothing_else_by_a_pronoun(behind: str, is_named: bool) -> None:
    """A second thing that a thing is called ("The oven is a Belling. It is new.") would take the place of the first."""
    found = extract(f"The oven is a Belling. {behind}", at=AT, speaker_is_user=True, keep_all=True).atoms
    assert ("Belling" not in found[-1].text) is is_named


def test_rules_direct_the_work() -> None:
    """Rules and bans are marked, so that corrections alone propose them from a conversation."""
    for said in ("Always run the tests before you push.", "Never commit generated files.", "Use pathlib, not os.path."):
        (atom,) = extract(said, at=AT, speaker_is_user=True).atoms
        assert atom.directs_work, said


def test_code_and_pasted_ranges_are_no_prose() -> None:
    """Code blocks and ranges that the importer knows as pasted yield nothing."""
    code = "```\nI live in Rome\n```\n"
    assert not texts(code)
    pasted = "I live in Rome."
    found = extract(pasted, at=AT, speaker_is_user=True, skip=((0, len(pasted)),))
    assert [part.reason for part in found.left_out] == [Reason.PASTED]


def test_what_is_told_to_the_memory_is_kept_whatever_its_form() -> None:
    """With `keep_all` an unclear sentence becomes World.Fact with low confidence instead of being dropped."""
    said = "Blue folders for the archive"
    assert not texts(said)
    (atom,) = extract(said, at=AT, speaker_is_user=True, keep_all=True).atoms
    assert (atom.layer, atom.sublayer) == ("world", "fact")
    assert atom.confidence <= 0.5


FRAGMENTS = st.sampled_from(
    [
        "I live in Porto",
        "by the way",
        "and we use Redis",
        "can you check the log?",
        "because the build fails",
        "- always sign commits",
        "1. first item",
        "> quoted words",
        "```\ncode here\n```",
        "but my sister prefers tea",
        "[shows a picture of a cat]",
        "it hangs again",
        "maybe tomorrow",
        "Ünïcode wörds, 你好。",
        "# Heading",
        "If it rains, stay.",
    ]
)


@given(st.lists(FRAGMENTS, min_size=1, max_size=6), st.sampled_from([" ", "\n", ", ", ". ", "; "]), st.booleans())
def test_no_word_is_lost(parts: list[str], glue: str, keep_all: bool) -> None:
    """Every word of a text lies in the span of an atom or in a part that is reported as left out."""
    text = glue.join(parts)
    found = extract(text, at=AT, speaker_is_user=True, keep_all=keep_all)
    spans = [(one.start, one.end) for one in (*found.atoms, *found.left_out)]
    for word in re.finditer(r"[^\W\d_]{2,}", text):
        assert any(start <= word.start() and word.end() <= end for start, end in spans), (word.group(0), text)


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    """No text makes extraction fail; spans lie inside the text and atoms are never empty."""
    found = extract(text, at=AT, speaker_is_user=True)
    for one in (*found.atoms, *found.left_out):
        assert 0 <= one.start <= one.end <= len(text)
        assert one.text.strip()


@given(st.text(alphabet="I like tea, and. my? dog 12 is\n", max_size=200))
def test_reading_twice_gives_the_same(text: str) -> None:
    """Extraction is a pure function of its arguments."""
    assert extract(text, at=AT, speaker_is_user=True) == extract(text, at=AT, speaker_is_user=True)


@pytest.mark.parametrize("language", ["en", "pt", "es", "de", "fr", "ru", "cs", "zh"])
def test_every_language_can_be_read(language: str) -> None:
    """Each cue of a language compiles, and one that it lacks is the English one."""
    mine, english = cues(language), cues("en")
    assert mine.names == english.names
    assert [name for name in mine.names if mine.known[name] is None] == []
    assert not mine.has("durable.rule", "")


@pytest.mark.parametrize(
    ("said", "sublayer"),
    [
        ("Eu prefiro chá verde.", "preference"),
        ("Nunca apague os arquivos gerados.", "anti-pattern"),
        ("Ich wohne mit meiner Schwester in Leipzig.", "identity"),
        ("Verwende immer Tabs.", "rule"),
        ("Vivo en Sevilla con mi hija.", "identity"),
        ("Je préfère le thé.", "preference"),
    ],
)
def test_other_languages_have_their_cues(said: str, sublayer: str) -> None:
    """A statement is classified by the cues of its own language."""
    (atom,) = extract(said, at=AT, speaker_is_user=True).atoms
    assert atom.sublayer == sublayer


@pytest.mark.parametrize(
    "said", ["¿Dónde está el archivo?", "Obrigado, ficou ótimo!", "Kannst du die Datei umbenennen?", "Merci beaucoup !"]
)
def test_other_languages_assert_nothing_by_asking(said: str) -> None:
    """Questions, requests and thanks yield nothing in any language."""
    assert not extract(said, at=AT, speaker_is_user=True).atoms

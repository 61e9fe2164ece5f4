"""A clause told in one text, of something that it does not name, stays with what tells whose it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dopejar import open_memory
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, Frame, Related, Relation

TOLD = datetime(2026, 3, 2, 9, tzinfo=UTC)
SHED = "We rent shed 12 behind the mill"


class EndsOrUpdates(GrammarReader):
    """A graded reader to which "gave up" ends what is said of the shed, and a new fee updates the old one alone."""

    is_graded = True

    def relate(self, pairs):
        """An end or an update of one text, and nothing else."""
        return tuple(self._related(*pair) for pair in pairs)

    def rests(self, pairs):
        """Of a fee that changes, what stands before it; of anything else nothing."""
        return tuple(earlier.partition(", the fee")[0] if "fee" in later else "" for earlier, later in pairs)

    @staticmethod
    def _related(earlier, later):
        kind = Relation.APART
        if earlier.startswith(SHED) and "gave up" in later:
            kind = Relation.END
        elif ("fee" in earlier and "fee" in later) or earlier.startswith("I drink espresso"):
            kind = Relation.UPDATE
        return Related(relation=kind, shares=tuple(float(one is kind) for one in Relation))


class SureOfTheLonger(GrammarReader):
    """A graded reader to which a move updates the shed, and surer what begins with it; alike is nothing."""

    is_graded = True

    def relate(self, pairs):
        """An update, or nothing."""
        return tuple(self._related(*pair) for pair in pairs)

    @staticmethod
    def _related(earlier, later):
        is_shed = earlier.startswith(SHED) and "shed 14" in later
        share = (0.8 if earlier == SHED else 0.9) if is_shed else 0.0
        shares = {Relation.UPDATE: share, Relation.APART: 1 - share}
        kind = Relation.UPDATE if is_shed else Relation.APART
        return Related(relation=kind, shares=tuple(shares.get(one, 0.0) for one in Relation))


class LeansReader(GrammarReader):
    """A reader of frames that takes every statement for one that leans, as surely as it is told to."""

    finds_frames = True
    leans = 0.9
    continues = 0.0
    guides = 0.0

    def read(self, sentences):
        """Each with a frame."""
        frame = Frame(
            subject="",
            attribute="",
            attribute_certainty=0.0,
            value="",
            guides=self.guides,
            fact_class=FactClass.PLAIN,
            class_certainty=0.9,
            layer=Layer.WORLD,
            sublayer=Sublayer.FACT,
            layer_certainty=0.9,
            private=0.0,
            leans=self.leans,
            continues=self.continues,
            takes_back=0.0,
            several=0.0,
        )
        return tuple(replace(one, frame=frame) for one in super().read(sentences))


@pytest.fixture
def memory(tmp_path):
    """A memory without a model that the user speaks to."""
    with open_memory(tmp_path / "home", environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        yield opened


def kept(memory, *texts) -> list[str]:
    """The texts in force after each was told, minutes apart."""
    for place, text in enumerate(texts):
        memory.remember(text, at=TOLD + timedelta(minutes=place))
    return sorted(record.text for record in memory.list())


@pytest.mark.parametrize(
    "said",
    [
        f"{SHED}, the fee is 40 euros",
        "Velo Maat is in Ghent; my contact is Joris",
        "Our boiler is a Vaillant, the warranty ends in 2029",
        "My choir is the Kantorei and we go on Thursdays",
        "My desk is at Hub 2, I'm there on Mondays",
        "The clinic is in Bonn. Phone: 0171 332",
    ],
)
def test_a_property_stays_with_what_it_is_of(memory, said):
    """A landlord, a fee, a day and a number say nothing without it: one memory, in its speaker's words."""
    assert kept(memory, f"{said}.") == [said]


@pytest.mark.parametrize(
    ("said", "alone"),
    [
        ("I live in Porto, my dog is called Rex.", "My dog is called Rex"),
        ("My office is in Kiel, my flat is in Plön.", "My flat is in Plön"),
        ("The server is Box7, the fallback is Box9.", "The fallback is Box9"),
        ("The kiln course was fun, and the kiln is gone.", "The kiln is gone"),
        ("I'm Tarek, my wife is Nadia.", "My wife is Nadia"),
        ("I work at Fenix, my birthday is on 3 May.", "My birthday is on 3 May"),
        ("I come from Basel and I work in Bern.", "I work in Bern"),
        ("I drive a Volvo and I go to church in Bremen.", "I go to church in Bremen"),
    ],
)
def test_what_tells_whose_it_is_stands_alone(memory, said, alone):
    """A relative, a slot of the speaker's, a place of its own, and the second of two of one form."""
    assert alone in kept(memory, said)


def test_what_is_of_a_stay_ends_with_it(memory):
    """A property of what holds for a time holds no longer than that."""
    memory.remember("I'm at the Wharf office this week, the contact is Mr Roth.", at=TOLD)
    assert {record.temporary for record in memory.list()} <= {True}


@pytest.mark.parametrize(
    ("later", "left"),
    [("The fee of shed 12 is 45 euros", [SHED]), ("I gave up shed 12 behind the mill", [])],
)
def test_what_was_said_of_a_thing_ends_with_it(memory, later, left):
    """Where the reader finds that the thing ended, what was said of it goes with it; another fee leaves the thing."""
    memory._deps = replace(memory._deps, reader=EndsOrUpdates)
    assert kept(memory, f"{SHED}, the fee is 40 euros.", f"{later}.") == [later, *left]


def test_what_says_the_old_value_too_goes_with_it(memory):
    """A new value takes the place of the statement and of all that begins with it, and not of the longer one alone."""
    memory._deps = replace(memory._deps, reader=SureOfTheLonger)
    assert kept(memory, f"{SHED}, the owner is Mr Roth.", "We rent shed 14 now.") == ["We rent shed 14 now"]


def test_a_phrase_takes_the_place_of_nothing(memory):
    """Words without a subject, a verb or a value stand beside what the reader finds them to change."""
    memory._deps = replace(memory._deps, reader=EndsOrUpdates)
    assert "I drink espresso at the office" in kept(memory, "I drink espresso at the office.", "Back at the office.")
    assert "I drink espresso at the office" not in kept(memory, "I drink decaf at the office.")


@pytest.mark.parametrize(
    "said", ["Payment terms are 30 days for everyone", "Standup is at ten", "Refunds take ten days"]
)
def test_what_names_its_subject_leans_on_no_other_statement(memory, said):
    """Told by itself it stands alone, unless the reader is very sure; words without a subject lean as before."""
    memory._deps = replace(memory._deps, reader=LeansReader)
    assert said in kept(memory, "Our plumber is called Craig.", f"{said}.", "Costs 45 a month.")
    assert any(text.endswith("Costs 45 a month") and "." in text for text in kept(memory))


def test_a_bare_subject_leans_where_the_reader_is_very_sure(memory):
    """A deposit that is told right after a flat is that of the flat."""
    memory._deps = replace(memory._deps, reader=type("Sure", (LeansReader,), {"leans": 0.99}))
    assert "We took a flat in Delft. Deposit was 1800" in kept(memory, "We took a flat in Delft.", "Deposit was 1800.")


class ContinuesReader(LeansReader):
    """A reader that finds of every statement that it continues the one before it in its text."""

    leans, continues = 0.0, 0.9


CAR = "Our car is a grey Tindra"


@pytest.mark.parametrize("said", ["Tyres 33 psi", "The boot is full of toys", "Anneke drives to work"])
def test_what_continues_a_statement_of_its_text_is_one_memory_with_it(memory, said):
    """It may name a thing of its own; told in another message it is a memory of its own."""
    memory._deps = replace(memory._deps, reader=ContinuesReader)
    assert kept(memory, f"{CAR}. {said}.") == [f"{CAR}. {said}"]
    assert any(text.endswith("Rent is 900") and "Tindra" not in text for text in kept(memory, "Rent is 900."))


@pytest.mark.parametrize(
    "before",
    [
        "Never push to main",
        '"Hands off the server", wrote Milan',
        "Greta left, don't save that",
        "Perhaps we move to Graz",
        "Api key [redacted:api-key]",
    ],
)
def test_nothing_continues_orders_or_words_of_others(memory, before):
    """Behind what waits, was said by another, was left out or is doubted, a plain fact stays alone."""
    memory._deps = replace(memory._deps, reader=ContinuesReader)
    assert CAR in kept(memory, f"{before}. {CAR}.")


@pytest.mark.parametrize("said", ["Our car is a red Lumo", "Sorry, our car is a red Lumo"])
def test_what_names_the_same_again_continues_nothing(memory, said):
    """It is compared with the statement before it: it may take its place."""
    memory._deps = replace(memory._deps, reader=ContinuesReader)
    assert not any("Tindra" in text and "Lumo" in text for text in kept(memory, f"{CAR}. {said}."))


@pytest.mark.parametrize("order", ["Never wash it with hot water", "Ask me before you book a service"])
def test_no_order_continues_a_fact(memory, order):
    """Whatever the reader finds of it: it is judged by itself."""
    memory._deps = replace(memory._deps, reader=ContinuesReader)
    assert CAR in kept(memory, f"{CAR}. {order}.")


def test_what_may_guide_continues_no_fact(memory):
    """As a reader finds: alone it would be judged by itself."""
    memory._deps = replace(memory._deps, reader=type("Guides", (ContinuesReader,), {"guides": 0.4}))
    assert CAR in kept(memory, f"{CAR}. The boot is full of toys.")

"""What a language model may make of how two statements relate, and what it may not."""

from __future__ import annotations

import json

import pytest
from believed import Believed, say
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.model_reader import BY_MODEL, ModelReader
from dopejar.ports.language_model import JsonObject
from dopejar.testing.fake_language_model import (
    CountingSpendLog,
    ScriptedLanguageModel,
    ScriptedReply,
    fails,
    says,
    stalls,
)
from dopejar.values.proposal import Add, Proposal
from dopejar.values.proposal_enums import Action
from dopejar.values.statement import Related, Relation

PAIR = ("The boat lies in Porto.", "The boat was towed to Faro.")
TOLD = {"pair": 0, "relation": "update", "earlier_words": "lies in Porto", "later_words": "towed to Faro"}
SURE = ("We use tabs.", "We stopped using tabs.")


def tells(*rows: JsonObject) -> ScriptedReply:
    """The model tells these relations."""
    return says({"pairs": list(rows)})


def reader_with(*script: ScriptedReply, cap: int = 1_000_000) -> tuple[ModelReader, ScriptedLanguageModel]:
    """A reader over the grammar, and its model."""
    model = ScriptedLanguageModel(script=script, spend=CountingSpendLog(cap=cap))
    return ModelReader(GrammarReader(), model), model


def test_what_the_words_of_both_bear_out_is_taken() -> None:
    """Only an unsure pair is asked about, in one request for all, and its answer tells whose it is."""
    reader, model = reader_with(tells(TOLD))
    told, sure = reader.relate([PAIR, SURE])
    assert (told.relation, told.reason) == (Relation.UPDATE, BY_MODEL)
    assert sure == GrammarReader().relate([SURE])[0]
    assert [json.loads(call[1]) for call in model.calls] == [[{"pair": 0, "earlier": PAIR[0], "later": PAIR[1]}]]


@pytest.mark.parametrize(
    "rows",
    [
        [{**TOLD, "earlier_words": "sank in Porto"}],
        [{**TOLD, "later_words": "lies in Porto"}],
        [{**TOLD, "earlier_words": ""}],
        [{**TOLD, "later_words": " "}],
        [{**TOLD, "earlier_words": "The boat", "later_words": "The boat"}],
        [{**TOLD, "pair": 1}],
        [TOLD, {**TOLD, "relation": "apart"}],
        [],
    ],
)
def test_what_the_words_do_not_bear_out_is_dropped(rows: list[JsonObject]) -> None:
    """Other words, none, the same words for a difference, another pair or two answers leave the first reading."""
    reader, _ = reader_with(tells(*rows))
    assert reader.relate([PAIR]) == GrammarReader().relate([PAIR])


@pytest.mark.parametrize("reply", [fails(), stalls(), says("nonsense"), says({"pairs": [{"pair": 0}]}), says([])])
def test_a_model_that_fails_changes_nothing(reply: ScriptedReply) -> None:
    """Whatever goes wrong, the first reading stands."""
    reader, _ = reader_with(reply, reply)
    assert reader.relate([PAIR]) == GrammarReader().relate([PAIR])


def test_little_is_asked() -> None:
    """A pair once, eight at a time, no long text; nothing after three failures in a row or with an empty purse."""
    many = [(PAIR[0], f"{PAIR[1]} It was on day {day}.") for day in range(20)]
    reader, model = reader_with(tells(TOLD))
    assert reader.relate(many) == reader.relate(many)
    assert len(json.loads(model.calls[0][1])) == 8
    reader.relate([(PAIR[0], "boat " * 400)])
    assert len(model.calls) == 1
    for cap, calls in ((1_000_000, 3), (1, 0)):
        tired, broken = reader_with(*[fails()] * 9, cap=cap)
        for pair in many:
            tired.relate([pair])
        assert len(broken.calls) == calls


class Wavering(GrammarReader):
    """A reader that finds each relation as likely as it is told."""

    def __init__(self, shares: tuple[float, ...]) -> None:
        self._found = Related(relation=list(Relation)[shares.index(max(shares))], shares=shares)

    def relate(self, pairs: object) -> tuple[Related, ...]:
        """The same for each pair."""
        return (self._found,) * len(list(pairs))  # type: ignore[call-overload]


WORDS = [
    "The boat lies in Porto.",
    "The boat was towed to Faro.",
    "The boat has berth 12.",
    "The boat has berth 14.",
    "The boat was never sold.",
    "I may sell the boat.",
    "We think the boat leaks.",
    "Never paint the boat.",
]
SHARES = st.lists(st.floats(0.01, 1), min_size=len(Relation), max_size=len(Relation)).map(
    lambda row: tuple(share / sum(row) for share in row)
)


def moves(proposals: tuple[Proposal, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """What is proposed, and to which records."""
    return [(str(one.action), tuple(sorted(target.subject for target in one.record_targets))) for one in proposals]


@given(
    told=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True),
    later=st.sampled_from(WORDS),
    shares=SHARES | st.permutations((0.7, 0.06, 0.06, 0.06, 0.06, 0.06)).map(tuple) | st.just((0.0,) * 5 + (1.0,)),
    relations=st.lists(st.sampled_from(Relation), max_size=3),
)
def test_whatever_the_model_answers_nothing_more_is_repeated_or_retired(told, later, shares, relations) -> None:
    """A statement does what it does without the model, or only stands beside what is known or waits."""
    first = Wavering(shares)
    known = Believed()
    for words in told:
        for proposal in say(known, words):
            if isinstance(proposal.payload, Add):
                known.learn(proposal)
    plain = say(known, later, near=True, reader=first)
    rows: list[JsonObject] = [  # words that stand in every statement, as they are compared
        {"pair": pair, "relation": relation, "earlier_words": "boat", "later_words": "he boat"}
        for pair, relation in enumerate(relations)
    ]
    second = ModelReader(first, ScriptedLanguageModel(script=[tells(*rows)]))
    asked = say(known, later, near=True, reader=first, second=second)
    assert len(plain) == len(asked)
    for before, after in zip(plain, asked, strict=True):
        assert moves((after,)) == moves((before,)) or isinstance(after.payload, Add)


KEEL, SAIL, LAMP = "The boat has a blue keel.", "The boat has a blue sail.", "The boat has a blue lamp."
UPDATE = Wavering((0.06, 0.7, 0.06, 0.06, 0.06, 0.06))


def said_after(known: Believed, words: str, relation: str) -> Proposal:
    """What comes of words of which the reader thinks that they update what they are asked with, and the model so."""
    rows = [{"pair": 0, "relation": relation, "earlier_words": "blue", "later_words": "blue lamp"}]
    model = ScriptedLanguageModel(script=[says({"pairs": rows})])
    (proposal,) = say(known, words, near=True, reader=UPDATE, second=ModelReader(UPDATE, model))
    assert len(json.loads(model.calls[0][1])) == 1
    return proposal


@pytest.mark.parametrize(
    ("relation", "action", "conflicts"),
    [
        ("update", Action.SUPERSEDE, True),
        ("end", Action.SUPERSEDE, True),
        ("same", Action.ADD, True),
        ("contradiction", Action.ADD, True),
        ("addition", Action.ADD, False),
        ("apart", Action.ADD, False),
    ],
)
def test_only_where_both_find_a_change_a_memory_is_retired(relation: str, action: Action, conflicts: bool) -> None:
    """Where the model finds otherwise, the statement stands beside the memory or waits for a person."""
    known = Believed()
    known.learn(say(known, KEEL)[0])
    proposal = said_after(known, LAMP, relation)
    assert (proposal.action, bool(proposal.signals.conflicts_with)) == (action, conflicts)


@pytest.mark.parametrize("relation", ["apart", "addition"])
def test_no_other_memory_is_retired_in_its_place(relation: str) -> None:
    """Where the model keeps the surest memory, what else the reader would retire waits with the statement."""
    known = Believed()
    records = [known.learn(say(known, words)[0]) for words in (KEEL, SAIL)]
    (plain,) = say(known, LAMP, near=True, reader=UPDATE)
    (target,) = plain.record_targets
    proposal = said_after(known, LAMP, relation)
    assert proposal.action is Action.ADD
    assert proposal.signals.conflicts_with == tuple(one.id for one in records if one.id != target.record_id)


BOAT = "The boat lies in Porto."
NAMED = {"sentence": 0, "subject": "The boat", "attribute": "berth", "value": "Porto"}


def names(*rows: JsonObject) -> ScriptedReply:
    """The model names what sentences are about."""
    return says({"sentences": list(rows)})


def test_what_a_sentence_is_about_is_named_in_its_words() -> None:
    """Only what states something is asked about, once, in one request; the labels stay those of the first reader."""
    reader, model = reader_with(names(NAMED))
    read, question = reader.read([BOAT, "Where is the boat?"])
    assert reader.read([BOAT]) == (read,)
    assert read.frame is not None
    assert (read.frame.subject, read.frame.attribute, read.frame.value) == ("The boat", "berth", "Porto")
    assert question.frame is None
    plain = GrammarReader().read([BOAT])[0]
    assert (read.act, read.tense, read.denied, read.durable) == (plain.act, plain.tense, plain.denied, plain.durable)
    assert [json.loads(call[1]) for call in model.calls] == [[{"sentence": 0, "text": BOAT}]]


@pytest.mark.parametrize(
    "rows",
    [
        [{**NAMED, "subject": "The ship"}],
        [{**NAMED, "value": "Faro"}],
        [{**NAMED, "subject": " "}],
        [{**NAMED, "attribute": "where it is at the moment"}],
        [{**NAMED, "sentence": 1}],
        [NAMED, {**NAMED, "value": ""}],
        [],
    ],
)
def test_what_the_sentence_does_not_bear_out_is_no_frame(rows: list[JsonObject]) -> None:
    """Invented words, no subject, a property that is no name, another sentence or two answers: nothing is named."""
    reader, _ = reader_with(names(*rows))
    assert reader.read([BOAT]) == GrammarReader().read([BOAT])


@pytest.mark.parametrize("reply", [fails(), stalls(), says("nonsense"), says({"sentences": [{"sentence": 0}]})])
def test_a_model_that_fails_names_nothing(reply: ScriptedReply) -> None:
    """Whatever goes wrong, an error or a silence, the first reading stands."""
    reader, _ = reader_with(reply, reply)
    assert reader.read([BOAT]) == GrammarReader().read([BOAT])

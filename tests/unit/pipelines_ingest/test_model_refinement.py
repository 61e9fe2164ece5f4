"""What a language model may add to what the rules read, and what it may not."""

from __future__ import annotations

import pytest
from believed import AT, Believed, say

from dopejar.pipelines.ingest import Atom, extract
from dopejar.pipelines.ingest.draft_preparation import move_for_slot_hint
from dopejar.pipelines.ingest.model_refinement import SUGGESTION_CONFIDENCE, ModelRefiner
from dopejar.ports.language_model import JsonObject
from dopejar.testing.fake_language_model import (
    CountingSpendLog,
    ScriptedLanguageModel,
    ScriptedReply,
    fails,
    says,
    stalls,
)
from dopejar.values.record import Draft, Kind, Sublayer

BOAT = "The boat in Porto, mine since spring, leaks a little."
OWNED = {"text": "The boat in Porto is mine since spring", "quote": BOAT, "layer": "self", "sublayer": "identity"}


def suggest(*statements: JsonObject) -> ScriptedReply:
    """The model suggests these statements."""
    return says({"statements": list(statements)})


def refined(text: str, *script: ScriptedReply, before: str = "") -> tuple[Atom, ...]:
    """The atoms of a text with a scripted model."""
    read = extract(text, at=AT, speaker_is_user=True, before=before)
    return ModelRefiner(model=ScriptedLanguageModel(script=script)).refine(text, read, before)


def by_rules(text: str) -> tuple[Atom, ...]:
    """The atoms of a text without one."""
    return extract(text, at=AT, speaker_is_user=True).atoms


def test_a_borne_out_suggestion_is_taken() -> None:
    """A statement of the speaker's own words becomes an atom of limited confidence that rests on its quotation."""
    (atom,) = refined(BOAT, suggest(OWNED))
    assert (atom.text, atom.sublayer, atom.start, atom.end) == (OWNED["text"], Sublayer.IDENTITY, 0, len(BOAT))
    assert atom.confidence <= SUGGESTION_CONFIDENCE


def test_a_pronoun_may_be_resolved_from_the_turn_before() -> None:
    """Words of the turn before count as said."""
    one = {"text": "The kiln leaks", "quote": "It leaks", "layer": "world", "sublayer": "fact"}
    assert [atom.text for atom in refined("It leaks.", suggest(one), before="How is the kiln?")] == ["The kiln leaks"]
    assert refined("It leaks.", suggest(one), before="How is the boat?") == by_rules("It leaks.")


@pytest.mark.parametrize(
    "change",
    [
        {"text": "The boat in Porto is sinking"},
        {"text": "The boat in Porto is mine since 2019"},
        {"text": "The boat in Porto is not mine since spring"},
        {"text": ""},
        {"quote": "The boat in Faro"},
        {"quote": ""},
        {"layer": "world"},
        {"layer": "intent", "sublayer": "preference"},
    ],
)
def test_what_is_not_borne_out_is_dropped(change: dict[str, str]) -> None:
    """A word, value, sign or quotation that the speaker did not give leaves what the rules read as it was."""
    assert refined(BOAT, suggest({**OWNED, **change})) == by_rules(BOAT)


@pytest.mark.parametrize(
    "text",
    ["Is the boat in Porto mine since spring?", "If the boat in Porto were mine since spring, it would leak."],
)
def test_questions_and_hypotheses_stay_out(text: str) -> None:
    """What the rules left out for good does not come back as a statement."""
    one = {**OWNED, "quote": text}
    assert refined(text, suggest(one)) == by_rules(text)


def test_guidance_is_read_by_rules_alone() -> None:
    """A model can turn no instruction into something else."""
    text = "Never push to main before the tests are green."
    one = {"text": "Push to main", "quote": text, "layer": "world", "sublayer": "fact"}
    two = {"text": "Never push to main", "quote": text, "layer": "world", "sublayer": "fact"}
    assert refined(text, suggest(one, two)) == by_rules(text)


@pytest.mark.parametrize("reply", [fails(), stalls(), says("nonsense"), says({"statements": []}), says({"other": 1})])
def test_a_model_that_fails_changes_nothing(reply: ScriptedReply) -> None:
    """Whatever goes wrong, the rules' reading stands."""
    assert refined("I live in Porto.", reply, reply) == by_rules("I live in Porto.")


def test_a_text_is_asked_about_once_and_failures_end_the_asking() -> None:
    """The same text costs one call; after three failures in a row, or an empty purse, nothing is asked any more."""
    read = extract(BOAT, at=AT, speaker_is_user=True)
    model = ScriptedLanguageModel(script=[suggest(OWNED)])
    refiner = ModelRefiner(model=model)
    assert refiner.refine(BOAT, read) == refiner.refine(BOAT, read)
    assert len(model.calls) == 1
    broken = ScriptedLanguageModel(script=[fails()] * 9)
    tired = ModelRefiner(model=broken)
    for number in range(9):
        tired.refine(f"{BOAT} {number}", read)
    assert len(broken.calls) == 3
    poor = ScriptedLanguageModel(script=[suggest(OWNED)] * 2, spend=CountingSpendLog(cap=1))
    spent = ModelRefiner(model=poor)
    for number in range(2):
        assert spent.refine(f"{BOAT} {number}", read) == read.atoms
    assert poor.calls == []


def test_a_hinted_slot_brings_a_doubt_before_a_person() -> None:
    """Another value under the slot that a model names is a conflict to look at; the same words reinforce."""
    known = Believed()
    (first,) = say(known, "I live in Porto.")
    record = known.learn(first)
    other = Draft(kind=Kind.FACT, text="Faro is where the post finds me")
    found = move_for_slot_hint(other, record.slot, known)
    assert found is not None
    assert found.disputes == (record,)
    same = move_for_slot_hint(Draft(kind=Kind.FACT, text=record.text), record.slot, known)
    assert same is not None
    assert same.targets == (record,)
    assert move_for_slot_hint(other, "", known) is None
    assert move_for_slot_hint(other, "self.unheard.of", known) is None
    assert move_for_slot_hint(Draft(kind=Kind.FACT, text="x", slot="self.other"), record.slot, known) is None

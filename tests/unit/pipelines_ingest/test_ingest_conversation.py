"""What conversations teach by rules: pasted letters are nobody's statement, and a statement goes whole."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dopejar.pipelines.ingest import Reason, extract
from dopejar.pipelines.ingest.extraction.pasted_letters import drafts

AT = datetime(2031, 6, 11, 9, tzinfo=UTC)
LEARNED = 0.5  # confidence from which a conversation proposes


def learned(said: str) -> list[str]:
    """What would be proposed from these words of the user."""
    found = extract(said, at=AT, speaker_is_user=True)
    return [atom.text for atom in found.atoms if atom.confidence >= LEARNED]


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

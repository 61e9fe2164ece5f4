"""Talks whose sentences are all marked, and a reader that tells by words which of them lean on others."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from dopejar.pipelines.ingest.extraction.later_corrections import with_corrections
from dopejar.pipelines.ingest.extraction.leaning_statements import with_contexts
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, Frame, MarkedStatement, SpeechAct

FRAME = Frame(
    subject="",
    attribute="",
    attribute_certainty=0.0,
    value="",
    guides=0.0,
    fact_class=FactClass.PLAIN,
    class_certainty=0.9,
    layer=Layer.WORLD,
    sublayer=Sublayer.FACT,
    layer_certainty=0.9,
    private=0.0,
    leans=0.0,
    takes_back=0.0,
    several=0.0,
)
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
LEANING = re.compile(r"(?:The (?:fee|key)|Opens|It|She|He|They|The other)\b")
THANKS = ("Noted.", "Sorry.", "Good to know!")
TAKEN_BACK = re.compile(r"(?:make that|I meant|oops|wrong)\b", re.IGNORECASE)


class OpeningReader(GrammarReader):
    """A reader that tells by their first words which sentences lean on others, and by a cue which take others back."""

    finds_frames = True

    def read(self, sentences):
        """Each as words read it, with a frame; "Noted." and the like acknowledge."""
        return tuple(
            replace(one, frame=_frame(one.text), act=SpeechAct.ACKNOWLEDGEMENT if one.text in THANKS else one.act)
            for one in super().read(sentences)
        )


def _frame(text):
    return replace(
        FRAME, leans=float(LEANING.match(text) is not None), takes_back=float(TAKEN_BACK.search(text) is not None)
    )


class SentenceMarker:
    """Marks each sentence that ends in a full stop, and none with "please"."""

    def mark(self, texts, searched=()):
        """One statement for each."""
        return tuple(
            tuple(_marked(found) for found in re.finditer(r"[^.?!\s][^.?!]*(?=\.)", text) if "please" not in found[0])
            for text in texts
        )


def _marked(found):
    return MarkedStatement(
        start=found.start(),
        end=found.end(),
        certainty=0.9,
        fact_class=FactClass.PLAIN,
        layer=Layer.WORLD,
        sublayer=Sublayer.FACT,
    )


def said(*turns, reader=None, minutes=1):
    """What is kept of a conversation, by turn; a turn that begins with "A: " is the assistant's."""
    spoken = [
        SpokenTurn(
            text=text.removeprefix("A: "),
            at=NOON + timedelta(minutes=minutes * place),
            speaker_is_user=not text.startswith("A: "),
            before=turns[place - 1].removeprefix("A: ") if place else "",
        )
        for place, text in enumerate(turns)
    ]
    found = extract_marked([one for one in spoken if one.speaker_is_user], SentenceMarker())
    users = [one for one in spoken if one.speaker_is_user]
    return with_corrections(users, with_contexts(users, found, reader or OpeningReader()), reader or OpeningReader())


def texts(extractions):
    """The words of the statements, of all turns."""
    return [atom.text for extraction in extractions for atom in extraction.atoms]

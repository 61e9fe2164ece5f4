"""The turns that are learned from, and the atoms of each.

Takes: episodes with the text around them. Gives: extractions, in order. Never: judges or writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dopejar.pipelines.ingest import Atom, Extraction, extract
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.answers import plain_question
from dopejar.pipelines.ingest.extraction.changes import with_changes
from dopejar.pipelines.ingest.extraction.clauses import weigh
from dopejar.pipelines.ingest.extraction.later_corrections import with_corrections
from dopejar.pipelines.ingest.extraction.laughter import without_jokes
from dopejar.pipelines.ingest.extraction.leaning_statements import with_contexts
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.pipelines.ingest.extraction.repeated_statements import without_repeats
from dopejar.pipelines.ingest.extraction.requests_to_remember import with_requests
from dopejar.pipelines.ingest.extraction.run_on_statements import in_one
from dopejar.pipelines.ingest.extraction.self_corrections import as_meant
from dopejar.pipelines.ingest.extraction.unfinished_rules import with_whole_rules
from dopejar.pipelines.ingest.extraction.unmarked_statements import with_unmarked
from dopejar.ports.statement_reader import ChangeReader, StatementMarker, StatementReader
from dopejar.text.lexicons import guess_language
from dopejar.text.quotations import MARK, quotations, without_quotations
from dopejar.text.ranges import in_order
from dopejar.values.episode import Episode, Origin
from dopejar.values.proposal import Via
from dopejar.values.reading import Reading
from dopejar.values.record import Kind, Layer, Sublayer

Span = tuple[int, int]
LEAST_CONFIDENCE = 0.5
CONTEXT_LENGTH = 700  # characters of the previous turn that help to read a turn


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnInput:
    """An episode to learn from, with the turn before it and the spans that are not the speaker's own prose.

    `reading` is its host's own, which its words bear out.
    `spoken_at` is set where the turn was kept as it was spoken: what recall returned later is no source of it.
    """

    episode: Episode
    previous: Episode | None = None
    pasted: tuple[Span, ...] = ()
    spoken_at: datetime | None = None
    reading: Reading | None = None

    @property
    def before(self) -> str:
        """The end of the turn before, whoever said it."""
        return self.previous.text[-CONTEXT_LENGTH:] if self.previous is not None else ""

    @property
    def question(self) -> str:
        """The plain question that the assistant's turn before ends with; "" without one, or with several."""
        is_answer = self.previous is not None and self.previous.origin is Origin.ASSISTANT
        return plain_question(self.before) if is_answer and self.episode.origin is Origin.USER else ""


def extract_turns(
    turns: Sequence[tuple[TurnInput, Sequence[Span]]],
    via: Via,
    marker: StatementMarker | None,
    changes: ChangeReader | None = None,
    reader: StatementReader | None = None,
    earlier: Sequence[TurnInput] = (),
) -> Sequence[Extraction]:
    """The atoms of each turn, outside of the spans beside it.

    With a marker the turns of a conversation are read at once; what is said to the memory itself is kept entirely.
    `earlier` turns were learned from before, and tell only what these lean on or correct.
    """
    turns = [*((turn, ()) for turn in earlier), *turns]
    spoken = [_spoken(turn, skip) for turn, skip in turns]
    if marker is not None and via is Via.CONVERSATION:
        found = with_unmarked(spoken, with_whole_rules(spoken, extract_marked(spoken, marker)), reader)
    else:
        found = [
            extract(
                turn.text,
                at=turn.at,
                speaker_is_user=turn.speaker_is_user,
                before=turn.before,
                skip=turn.skip,
                keep_all=via is Via.REMEMBER,
            )
            for turn in spoken
        ]
    if via is Via.CONVERSATION:
        found = with_requests(spoken, found)
    if reader is not None:
        found = without_jokes(spoken, found, reader)
    found = [_as_quoted(turn.episode.text, one) for (turn, _), one in zip(turns, found, strict=True)]
    found = with_corrections(spoken, with_contexts(spoken, found, reader), reader)
    found = list(with_changes(spoken, found, changes)) if changes is not None else found
    return [in_one(without_repeats(one)) for one in found[len(earlier) :]]


def _spoken(turn: TurnInput, skip: Sequence[Span]) -> SpokenTurn:
    episode = turn.episode
    is_user = episode.origin is Origin.USER
    return SpokenTurn(
        text=as_meant(without_quotations(episode.text)) if is_user else episode.text,
        at=episode.at,
        speaker_is_user=is_user,
        before=turn.before,
        question=turn.question,
        skip=in_order(skip),
    )


def _as_quoted(text: str, extraction: Extraction) -> Extraction:
    """The extraction with the words of others in the atoms that quote them: such a one tells no value of its own."""
    ranges = quotations(text)
    return replace(extraction, atoms=tuple(_quoting(text, one, ranges) for one in extraction.atoms))


def _quoting(text: str, atom: Atom, ranges: Sequence[Span]) -> Atom:
    told = [text[start:end] for start, end in ranges if atom.start <= start and end <= atom.end]
    if not told or atom.text.count(MARK) != len(told):
        return atom
    words = atom.text
    for one in told:
        words = words.replace(MARK, " ".join(one.split()), 1)
    return replace(atom, text=words, core="", quotes=True, states=False)


def atom_of_whole_text(episode: Episode) -> tuple[Atom, ...]:
    """A direct statement that no rule could read, kept whole as World.Fact of low confidence."""
    text = " ".join(episode.text.split())
    if not text:
        return ()
    return (
        Atom(
            text=text,
            start=0,
            end=len(episode.text),
            layer=Layer.WORLD,
            sublayer=Sublayer.FACT,
            kind=Kind.FACT,
            cue="nothing decided: kept whole",
            certainty=weigh(text, cues(guess_language(text)))[1],
            confidence=LEAST_CONFIDENCE,
            states=False,
        ),
    )

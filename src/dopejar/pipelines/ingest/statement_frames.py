"""Atoms as a reader of statements reads them: their sort, whether they direct the work, what they are about.

Takes: atoms that rules cut out of a text, and a reader. Gives: the same atoms, each with its frame. Never: other words.
A reader that finds no frames leaves them as the rules read them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.extraction.named_values import scrapped
from dopejar.pipelines.ingest.extraction.orders import holds_order
from dopejar.pipelines.ingest.guidance_clauses import parts_of_mixed
from dopejar.pipelines.ingest.guidance_words import FROM_NOW_ON, directs_assistant, tells_how_to_address
from dopejar.pipelines.ingest.joint_statements import clauses_of_and, clauses_of_own, parts_of_joint, parts_of_limited
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.injection_detector import is_instruction_like
from dopejar.values.record import ENVIRONMENT_TAG, KIND_OF_SUBLAYER, Kind, Layer, Sublayer
from dopejar.values.statement import (
    GUIDES,
    MAY_BE_PRIVATE,
    MAY_GUIDE,
    FactClass,
    Frame,
    SpeechAct,
    Statement,
)

_SURE: Final = 0.5  # certainty from which the reader's sort takes the place of the rules'
OF_THE_SPEAKER: Final = re.compile(r"\b(?:i|i'm|i've|me|my|mine|myself|we|we're|we've|us|our|ours)\b", re.IGNORECASE)
_STATED: Final = frozenset({Kind.FACT, Kind.ALIAS})
_ASKS: Final = frozenset({SpeechAct.REQUEST, SpeechAct.ONE_OFF, SpeechAct.QUESTION})
_DIRECTS: Final = frozenset({Sublayer.RULE, Sublayer.ANTI_PATTERN})


def framed(atoms: Sequence[Atom], reader: StatementReader, *, resort: bool) -> tuple[tuple[Atom, ...], ...]:
    """Each atom with its frame; with `resort` also in the sort and with the direction that the reader finds.

    Without it nothing directs the work less than was found before, but a limit that surely directs nobody is a fact,
    and what asks for something, which a marker may take for a statement, has no confidence. An atom that states
    something and guides as well becomes two.
    """
    statements = reader.read([atom.says for atom in atoms]) if atoms else ()
    mixed = parts_of_mixed(atoms, statements, reader, told=resort)
    cut = clauses_of_and if resort else clauses_of_own  # what is told is cut at its commas already
    limited = parts_of_limited(atoms, reader) if resort else {}
    mixed = {**limited, **parts_of_joint(atoms, statements, reader, cut), **mixed}
    parts = [part for found in mixed.values() for part in found]
    read = iter(reader.read([part.text for part in parts]) if parts else ())
    groups = []
    for position, (atom, statement) in enumerate(zip(atoms, statements, strict=True)):
        found = [(part, next(read)) for part in mixed.get(position, ())] or [(atom, statement)]
        groups.append(tuple(_framed(part, as_read, resort=resort) for part, as_read in found))
    return tuple(groups)


def named(atoms: Sequence[Atom], reader: StatementReader | None) -> tuple[Atom, ...]:
    """The atoms; those without a frame have one by this reader, which only their keys show."""
    unread = [atom for atom in atoms if atom.frame is None]
    if reader is None or not unread:
        return tuple(atoms)
    frames = iter([statement.frame for statement in reader.read([atom.says for atom in unread])])
    return tuple(atom if atom.frame is not None else replace(atom, named=next(frames)) for atom in atoms)


def _framed(atom: Atom, statement: Statement, *, resort: bool) -> Atom:
    frame = statement.frame
    if frame is None or not atom.speaker_is_user:
        return atom
    return _resorted(atom, frame) if resort else _as_said(atom, statement, frame)


def _as_said(atom: Atom, statement: Statement, frame: Frame) -> Atom:
    if atom.answers:
        return _as_answered(atom, frame)
    if statement.act in _ASKS and atom.renamed is None:
        return replace(atom, frame=frame, confidence=0.0)
    if frame.guides >= GUIDES and atom.kind in _STATED and atom.layer is not Layer.SELF and not atom.past:
        # it waits as guidance, and is some once a person approves it
        sublayer = Sublayer.ANTI_PATTERN if atom.polarity < 0 else Sublayer.RULE
        return replace(
            atom, kind=KIND_OF_SUBLAYER[sublayer], layer=Layer.INTENT, sublayer=sublayer, directs_work=True, frame=frame
        )
    is_limit = atom.kind is Kind.CONSTRAINT or (_limits_a_life(frame) and atom.sublayer in _DIRECTS)
    if not is_limit or not _surely_directs_nobody(atom, frame):
        return replace(atom, frame=frame)
    if atom.layer is not Layer.SELF:
        atom = replace(atom, layer=Layer.WORLD, sublayer=Sublayer.FACT)
    return replace(atom, kind=Kind.FACT, directs_work=False, frame=frame)


def _surely_directs_nobody(atom: Atom, frame: Frame) -> bool:
    """Whether a limit is surely no order: it is one of somebody's life, or nothing in it may direct the work."""
    if _limits_a_life(frame):
        return not directs_assistant(atom.text, Kind.FACT)
    # read as a preference, which what an assistant makes may be the subject of
    return frame.guides < MAY_GUIDE and not atom.directs_work and not directs_assistant(atom.text, Kind.PREFERENCE)


def _limits_a_life(frame: Frame) -> bool:
    """Whether the reader finds what somebody cannot have or do, as an allergy, and no rule of the work."""
    is_limit = frame.layer is Layer.SELF and frame.sublayer is Sublayer.CONSTRAINT and frame.layer_certainty >= _SURE
    return is_limit and frame.private >= MAY_BE_PRIVATE and frame.guides < GUIDES


def _as_answered(atom: Atom, frame: Frame) -> Atom:
    """The atom as a fact that directs nobody, or without confidence: words of the assistant are among it."""
    answer = atom.text.partition("? ")[2]
    may_direct = (
        frame.guides >= MAY_GUIDE or directs_assistant(answer, Kind.PREFERENCE) or is_instruction_like(atom.text)
    )
    return replace(atom, frame=frame, only_states=not may_direct, confidence=0.0 if may_direct else atom.confidence)


def _resorted(atom: Atom, frame: Frame) -> Atom:
    if atom.renamed is not None:
        return replace(atom, frame=frame)
    if tells_how_to_address(atom.text):
        sublayer = Sublayer.ANTI_PATTERN if atom.polarity < 0 else Sublayer.RULE
        kind = KIND_OF_SUBLAYER[sublayer]
        return replace(atom, layer=Layer.INTENT, sublayer=sublayer, kind=kind, directs_work=True, frame=frame)
    of_a_life = _limits_a_life(frame) and _surely_directs_nobody(atom, frame)
    may_direct = atom.directs_work and not (of_a_life or _only_begins(atom))
    directs = frame.guides >= (MAY_GUIDE if may_direct else GUIDES) and not scrapped(atom.text)
    layer, sublayer = atom.layer, atom.sublayer
    if frame.layer_certainty >= _SURE or (layer is Layer.INTENT and not directs):
        layer, sublayer = frame.layer, frame.sublayer
    is_told = atom.directs_work and sublayer is Sublayer.IDENTITY  # who somebody is tells nobody what to do
    if directs and sublayer not in _DIRECTS and (layer is not Layer.SELF or is_told):
        layer, sublayer = Layer.INTENT, Sublayer.ANTI_PATTERN if atom.polarity < 0 else Sublayer.RULE
    # the limit of a thing is a fact about it, and no limit of the speaker
    limits_a_thing = sublayer is Sublayer.CONSTRAINT and not OF_THE_SPEAKER.search(atom.text)
    if (limits_a_thing and atom.language == "en") or (not directs and sublayer in _DIRECTS):
        layer, sublayer = Layer.WORLD, Sublayer.FACT
    kind = Kind.ALIAS if _defines(atom, frame) else KIND_OF_SUBLAYER[sublayer]
    if kind is Kind.CONSTRAINT and of_a_life:
        kind = Kind.FACT
    tags = atom.tags
    if frame.fact_class is FactClass.ENVIRONMENT and frame.class_certainty >= _SURE and ENVIRONMENT_TAG not in tags:
        tags = (*tags, ENVIRONMENT_TAG)
    sorted_ = replace(atom, layer=layer, sublayer=sublayer, kind=kind, directs_work=directs, tags=tags)
    return replace(sorted_, frame=frame, only_states=frame.guides < MAY_GUIDE)


def _only_begins(atom: Atom) -> bool:
    """Whether nothing but a "from now on" makes a rule of a statement: "bin days are Tue and Fri from now on".

    What an assistant makes is no such thing: "commits are squashed from now on".
    """
    words, said = cues(atom.language), FROM_NOW_ON.sub("", atom.text)
    is_stated = said != atom.text and FINITE.search(said) and not directs_assistant(said, Kind.PREFERENCE)
    return bool(is_stated) and not (words.has("durable.rule", said) or holds_order(said, words))


def _defines(atom: Atom, frame: Frame) -> bool:
    is_sure = frame.class_certainty >= _SURE
    return frame.fact_class is FactClass.ALIAS if is_sure else atom.kind is Kind.ALIAS

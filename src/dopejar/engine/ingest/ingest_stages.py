"""The stages of ingest in words, for `remember --explain`: what was read, compared and decided.

Takes: the steps of a direct statement. Gives: one stage a line. Never: changes what was decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dopejar.engine.results import IngestStage
from dopejar.engine.unit_of_work import JudgedProposal
from dopejar.pipelines.ingest import Atom
from dopejar.pipelines.ingest.integrity.quantities import quantities
from dopejar.pipelines.ingest.keys.given_key import key_of
from dopejar.pipelines.ingest.keys.value_families import using
from dopejar.pipelines.ingest.related_records import RelatedRecord
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.normalisation import fold
from dopejar.text.text_values import extract_values
from dopejar.text.words import content_words
from dopejar.values.proposal import Add, Supersede
from dopejar.values.record import Draft
from dopejar.values.statement import Frame, Relation, Statement

_SHOWN: Final = 0.05  # share of a relation


@dataclass(frozen=True, kw_only=True, slots=True)
class Steps:
    """What was made of a text on the way."""

    text: str
    atoms: Sequence[Atom]
    reader: StatementReader
    related: Sequence[RelatedRecord]
    judged: Sequence[JudgedProposal]
    taxonomy: Path | None
    embedder_fault: str = ""


def describe(steps: Steps) -> Iterator[IngestStage]:
    """Each stage with its outcome: redact, extract, read, classify, key, near, holds, integrity, gate."""
    yield IngestStage(name="redact", detail=steps.text)
    for atom in steps.atoms:
        yield from _atom_stages(atom, steps)
    if steps.embedder_fault:
        yield IngestStage(name="near", detail=f"compared by words alone: {steps.embedder_fault}")
    for detail in dict.fromkeys(map(_relation, steps.related)):  # compared again where a part of it was
        yield IngestStage(name="near", detail=detail)
    for result in steps.judged:
        yield from _verdict_stages(result)


def _atom_stages(atom: Atom, steps: Steps) -> Iterator[IngestStage]:
    with using(steps.taxonomy):
        key = key_of(atom)
    read = steps.reader.read([atom.says])[0]
    span = f"characters {atom.start} to {atom.end}"
    yield IngestStage(name="extract", detail=f"{atom.text} ({span}, certainty {atom.certainty:.2f})")
    yield IngestStage(name="read", detail=f"{_reading(read)}; by the {steps.reader.name} reader")
    if atom.named is not None:
        yield IngestStage(name="read", detail=f"{_about(atom.named)}; by the language model, for the key alone")
    if (given := atom.reading) is not None:
        about = f"about {given.subject!r}; {given.attribute or 'no property'} {given.value!r}"
        yield IngestStage(name="read", detail=f"{about}; by the host")
    sort = f"{atom.layer}.{atom.sublayer}, {_modality(atom)}"
    yield IngestStage(name="classify", detail=f"{sort} (confidence {atom.confidence:.2f})")
    yield IngestStage(name="key", detail=f"{key.key} slot {key.slot or 'none'} value {key.value or 'none'}")


def _modality(atom: Atom) -> str:
    """How what it says is meant."""
    kinds = ((not atom.states, "kept word for word"), (atom.planned, "planned"), (atom.past, "of the past"))
    return next((name for holds, name in kinds if holds), "stated" if atom.polarity > 0 else "denied")


def _reading(read: Statement) -> str:
    sure = f"{read.act} ({read.act_certainty:.2f}), {read.tense} ({read.tense_certainty:.2f})"
    parts = [f"{sure}, denied {read.denied:.2f}, lasts {read.durable:.2f}"]
    values = [" ".join([one.kind, one.value, *sorted(one.units)]) for one in quantities(read.text)]
    if frame := read.frame:
        parts += [_about(frame), f"directs the work {frame.guides:.2f}"]
    else:  # without a model nothing tells the words for the subject from the others
        told = extract_values(read.text)
        about = " ".join(word for word in content_words(read.text) if fold(word) not in told)
        parts.append(f"about {about!r}, value {', '.join(sorted(told))!r}")
    return "; ".join([*parts, *([f"measures {', '.join(values)}"] if values else [])])


def _about(frame: Frame) -> str:
    tells = f"{frame.attribute} ({frame.attribute_certainty:.2f}) {frame.value!r}"
    return f"about {frame.subject or 'nothing named'!r}; {tells}"


def _relation(found: RelatedRecord) -> str:
    shares = [(relation, found.related.share(relation)) for relation in Relation]
    shown = ", ".join(f"{relation} {share:.2f}" for relation, share in shares if share >= _SHOWN)
    return f"{found.related.relation} to {found.record.id} ({found.related.reason}; {shown}): {found.record.text}"


def _verdict_stages(result: JudgedProposal) -> Iterator[IngestStage]:
    proposal, verdict = result.proposal, result.verdict
    targets = ", ".join(target.subject for target in proposal.targets)
    change = f"{proposal.action} {targets}".strip()
    name = type(verdict).__name__.lower()
    if isinstance(proposal.payload, Add | Supersede):
        yield IngestStage(name="holds", detail=_held(proposal.payload.draft))
    yield IngestStage(name="integrity", detail=f"{change}: {proposal.rationale}".rstrip(": "))
    yield IngestStage(name="gate", detail=f"{name} by {', '.join(verdict.rules)}: {verdict.reason}")


def _held(draft: Draft) -> str:
    """Where and how long a memory holds."""
    ends = f" to {draft.valid_to.isoformat(timespec='minutes')}" if draft.valid_to else ""
    begins = draft.valid_from.isoformat(timespec="minutes") if draft.valid_from else "now"
    return f"in {draft.scope}, from {begins}{ends}{', for a time' if draft.temporary else ''}"

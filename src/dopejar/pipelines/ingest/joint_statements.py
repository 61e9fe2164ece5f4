"""Lasting statements in one sentence, told apart: "I work at Fenix and live in Gouda", "I'm Ida, I'm a nurse".

Takes: atoms, each with its statement as read, and the reader. Gives: the parts of those that hold several, so that each
can change or end by itself; and what lasts beside what holds for a time ("Lena has left, Tom stands in until May").
Never: a clause that depends on the other, or that is none without it; a word but the subject that both share.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.extraction.temporal_expressions import has_limit
from dopejar.pipelines.ingest.guidance_clauses import part_of
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.polarity import polarity
from dopejar.values.statement import MAY_GUIDE, Relation, SpeechAct, Statement, Tense

_LASTS: Final = 0.85  # probability from which a part lasts by itself
_APART: Final = 0.8  # the same that the two have nothing to do with each other
_LEAST_WORDS: Final = 3  # of a part
_MAY_LAST: Final = 0.5  # probability from which what has no limit is worth knowing by itself
_AND: Final = " and "
_BESIDE: Final = re.compile(r"(?:,(?: and)?|;) ")
_IS_NOW: Final = re.compile(r"(?:I|we)(?:['’](?:m|re)| am| are)\b", re.IGNORECASE)  # "I'm away": for as long
_NAME_AND_VERB: Final = re.compile(r"[A-Z][\w'’-]+ [a-z]{2,}s\b")  # "Tom covers"
_NEXT_OWN: Final = re.compile(r"(?:,|,? and) (?=(?:I|we)(?:['’](?:m|ve|re)| \w))", re.IGNORECASE)  # "I'm Ida, I'm 40"
_SPEAKER: Final = re.compile(r"(?:I|We) ", re.IGNORECASE)
_OWN: Final = re.compile(r"(?:I|we)(?:['’](?:m|ve|re)| \w)", re.IGNORECASE)
_SUBJECT: Final = re.compile(r"(?:(?:i|we|my|our|the)\b|i'|we'|(?-i:[A-Z]))", re.IGNORECASE)
_HOLDS_TOGETHER: Final = re.compile(  # before "and": what comes after it may depend on this, too
    r"[,;:?!.] |\b(?:when(?:ever)?|if|because|that|while|since|as|after|before|until|unless|where|who|whom|whose|which|"
    r"so|than|once|both|between|either|though|although|whether|what|how|why)\b",
    re.IGNORECASE,
)
_NAMES_NOT: Final = re.compile(
    r"\b(?:it|its|it's|them|they|their|he|him|his|she|her|hers|that|this|these|those|there|then|so|too|also|both|instead|"
    r"which|who|where|because|if|when)\b",
    re.IGNORECASE,
)
_WAITS: Final = re.compile(  # for its main clause, or is a part of that
    r"(?:if|when(?:ever)?|because|since|as|while|although|though|unless|once|after|before|until|till|in|on|at|for|from|"
    r"during|please)\b",
    re.IGNORECASE,
)
_REFERS_BACK: Final = re.compile(
    r"[,;:?!.] |\b(?:it|its|it's|them|they|their|he|him|his|she|her|that|this|these|those|there|then|so|too|also|both|"
    r"each|either|neither|same|others?|another|again|instead|respectively|vice|later|ones?|who|which|where|because|if|"
    r"when|while|until|unless)\b",
    re.IGNORECASE,
)


def parts_of_joint(
    atoms: Sequence[Atom],
    statements: Sequence[Statement],
    reader: StatementReader,
    cut: Callable[[Atom], tuple[Atom, ...]],
) -> Mapping[int, tuple[Atom, ...]]:
    """By position the parts, as `cut`, of each atom that holds several lasting statements; the others are not in it."""
    found = {
        position: parts
        for position, (atom, statement) in enumerate(zip(atoms, statements, strict=True))
        if _may_hold_two(atom, statement) and len(parts := cut(atom)) > 1
    }
    return {position: parts for position, parts in found.items() if _are_independent(parts, reader)}


def parts_of_limited(atoms: Sequence[Atom], reader: StatementReader) -> Mapping[int, tuple[Atom, ...]]:
    """By position the parts of each atom whose last clause alone holds for a time; the limit is that one's."""
    clauses = {position: found for position, atom in enumerate(atoms) if (found := _clauses_of_limit(atom))}
    read = iter(reader.read([part.text for found in clauses.values() for part in found]) if clauses else ())
    return {
        position: found
        for position, found in clauses.items()
        if _stands_before(next(read)) & _has_own_subject(found[1].text, next(read))
    }


def _clauses_of_limit(atom: Atom) -> tuple[Atom, ...]:
    """What has no limit, without the time of the whole, and the clause behind it that has one; empty without these."""
    is_plain = atom.temporary and atom.valid_to is not None and atom.speaker_is_user and atom.language == "en"
    if not is_plain or atom.core or atom.guides or atom.renamed is not None:
        return ()
    text, words = atom.text, cues(atom.language)
    for joint in _BESIDE.finditer(text):
        before, after = text[: joint.start()], text[joint.end() :]
        if has_limit(before, words) or _IS_NOW.match(before) or _WAITS.match(before) or _NAMES_NOT.search(after):
            return ()
        if FINITE.search(before) and has_limit(after, words) and min(map(_count, (before, after))) >= _LEAST_WORDS:
            lasting, limited = part_of(atom, [(0, joint.start())]), part_of(atom, [(joint.end(), len(text))])
            return replace(lasting, valid_from=None, valid_to=None, temporary=False), limited
    return ()


def _count(words: str) -> int:
    return len(words.split())


def _stands_before(read: Statement) -> bool:
    """Whether what stands before a clause with a limit is worth knowing by itself."""
    is_told = read.believed and read.act is not SpeechAct.REQUEST and read.tense is not Tense.FUTURE
    return is_told and read.durable >= _MAY_LAST


def _has_own_subject(clause: str, read: Statement) -> bool:
    """Whether a clause says something of a subject that it names: as read, or by its verb."""
    subject = read.frame.subject if read.frame is not None else ""
    verb = FINITE.search(clause)
    is_read = bool(subject) and clause.lower().startswith(subject.lower()) and verb is not None
    return is_read or (verb is not None and verb.start() > 0) or _NAME_AND_VERB.match(clause) is not None


def clauses_of_own(atom: Atom) -> tuple[Atom, ...]:
    """The clauses of a list of what the speaker says of themself, each with its own subject; empty where it is none.

    "I'm Ida, I'm a nurse, and I've got two boys" has three.
    """
    places = [(found.start(), found.end()) for found in _NEXT_OWN.finditer(atom.text)]
    starts, ends = (0, *(end for _, end in places)), (*(start for start, _ in places), len(atom.text))
    parts = [atom.text[start:end] for start, end in zip(starts, ends, strict=True)]
    if len(parts) < 2 or not all(_OWN.match(part) and not _REFERS_BACK.search(part) for part in parts):
        return ()
    clauses = [part_of(atom, [(start, end)]) for start, end in zip(starts, ends, strict=True)]
    return tuple(replace(clause, polarity=polarity(clause.text, atom.language)) for clause in clauses)


def _may_hold_two(atom: Atom, statement: Statement) -> bool:
    """Whether the whole is a plain sure statement without a time that both parts would have."""
    is_plain = atom.speaker_is_user and atom.states and atom.certainty == 1.0 and not (atom.core or atom.guides)
    is_timeless = not (atom.temporary or atom.planned or atom.past or atom.valid_from or atom.valid_to)
    is_known = statement.frame is not None and statement.frame.guides < MAY_GUIDE and atom.renamed is None
    return is_plain and is_timeless and is_known and atom.language == "en"


def clauses_of_and(atom: Atom) -> tuple[Atom, ...]:
    """The atom's clauses before and after its only "and", the second with the subject of the first if it has none."""
    text = atom.text
    place = text.find(_AND)
    before, after = text[:place], text[place + len(_AND) :]
    if place < 0 or _AND in after or _HOLDS_TOGETHER.search(before) or _REFERS_BACK.search(after):
        return ()
    speaker, verb = _SPEAKER.match(before), FINITE.search(after)
    if verb is None or FINITE.search(before) is None or not before.split()[_LEAST_WORDS - 1 :]:
        return ()
    is_whole = _SUBJECT.match(after) is not None and (verb.start() > 0 or _SPEAKER.match(after) is not None)
    if not is_whole and (speaker is None or verb.start() > 0):
        return ()
    first, second = part_of(atom, [(0, place)]), part_of(atom, [(place + len(_AND), len(text))])
    if not is_whole and speaker is not None:
        second = replace(second, text=f"{speaker[0]}{after}")
    if len(second.text.split()) < _LEAST_WORDS:
        return ()
    return tuple(replace(part, polarity=polarity(part.text, atom.language)) for part in (first, second))


def _are_independent(parts: Sequence[Atom], reader: StatementReader) -> bool:
    """Whether each of the parts lasts by itself, as things are now, and says nothing of the one before it."""
    texts = [part.text for part in parts]
    return all(
        relation.share(Relation.APART, Relation.ADDITION) >= _APART for relation in reader.relate(list(pairwise(texts)))
    ) and all(
        part.believed
        and part.tense is Tense.NOW
        and part.durable >= _LASTS
        and part.frame is not None
        and part.frame.guides < MAY_GUIDE
        for part in reader.read(texts)
    )

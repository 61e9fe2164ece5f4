"""Extraction: an episode's words into atoms, each one concept, and everything else with the reason why not.

Takes: a text and when it was said. Gives: an `Extraction`; every word of the text lies in an atom or in a part left
out. Never: a word the speaker did not say, except where a date or a pronoun is safe to resolve.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Coordinates, Extraction, Omission, Reason, first_part
from dopejar.pipelines.ingest.cues import Cues, cues
from dopejar.pipelines.ingest.extraction.antecedents import sentences_before, with_earlier_antecedent
from dopejar.pipelines.ingest.extraction.classification import (
    UNCLEAR,
    announced,
    classify,
    directive,
    fallback,
    listed,
    ordered,
    silent,
)
from dopejar.pipelines.ingest.extraction.clause_groups import together
from dopejar.pipelines.ingest.extraction.clauses import Clause, asides, breaks_off, split_clauses
from dopejar.pipelines.ingest.extraction.command_lines import is_command_line
from dopejar.pipelines.ingest.extraction.meta_talk import (
    announces_topic,
    end_of_denial,
    is_about_the_talk,
    is_redacted,
)
from dopejar.pipelines.ingest.extraction.momentary_words import is_as_before
from dopejar.pipelines.ingest.extraction.orders import holds_order
from dopejar.pipelines.ingest.extraction.pasted_letters import material
from dopejar.pipelines.ingest.extraction.references import resolved
from dopejar.pipelines.ingest.extraction.smalltalk import drop_smalltalk, is_smalltalk, names_what, statement_in_request
from dopejar.pipelines.ingest.extraction.temporal_expressions import read_time
from dopejar.pipelines.ingest.keys.read_slot import read_slot
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.lexicons import guess_language
from dopejar.text.polarity import polarity
from dopejar.text.ranges import in_order, touch
from dopejar.text.sentences import Piece, sentences
from dopejar.values.record import Kind

_KINDS: Final = {
    "code": Reason.CODE,
    "log": Reason.LOG,
    "quote": Reason.QUOTATION,
    "table": Reason.TABLE,
    "heading": Reason.HEADING,
}
_MARKER: Final = lazy_pattern(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_DANGLING: Final = lazy_pattern(
    r"^(?:it|its|it's|this|that|that's|thats|these|those|they|they're|he|she|he's|she's)\b"
    r"(?!(?:'s|s| is)? (?:better|best|important|essential|necessary|mandatory|forbidden|allowed|not allowed|"
    r"required)\b)",
    re.IGNORECASE,
)
_NEXT_TO: Final = 4  # characters between a statement and the one that refers to it
_ARTICLE: Final = lazy_pattern(r"(?:the|our|my|this)\b", re.IGNORECASE)
_MARKUP: Final = lazy_pattern(r"^\s*</?[\w-]+(?: [^<>]*)?>")
_SLOTTED: Final = 0.6  # confidence of an unclear statement that fills a slot
_ENOUGH: Final = 300  # characters that tell a language
_BRIEF: Final = 400  # characters; what is longer is not all the speaker's own news
_HERE: Final = lazy_pattern(r"^(?:here(?:'s| is| are)|these are|this is|the following are) ", re.IGNORECASE)
_ITEM: Final = 5  # words
_PREDICATE: Final = lazy_pattern(
    r"\b(?:is|are|was|were|am|be|has|have|had|do|does|did|will|can|must|should|use|keep|put|run|write|give|avoid|"
    r"always|never|don't|no|not|prefer|like|love|i|i'm|we)\b",
    re.IGNORECASE,
)
_LONGEST: Final = 60  # words; longer than that is no single statement


@dataclass(frozen=True, slots=True)
class _Turn:
    """What stays the same for every clause of a text."""

    at: datetime | None
    speaker_is_user: bool
    keep_all: bool
    language: str
    words: Cues
    text: str
    is_long: bool
    is_ironic: bool  # somewhere in it
    lists_rules: bool = False  # the piece at hand is an item of a list of rules
    intro: str = ""  # the words before the list that the piece at hand is an item of
    found: dict[str, Atom] = field(default_factory=dict)  # the first atom of each text


def extract(
    text: str,
    *,
    at: datetime | None,
    speaker_is_user: bool,
    before: str = "",
    skip: Sequence[tuple[int, int]] = (),
    language: str | None = None,
    keep_all: bool = False,
) -> Extraction:
    """Read a text.

    `at` is when it was said (None: dates stay relative); `before` the turn it answers; `skip` ranges that are pasted
    rather than said. With `keep_all` every statement becomes an atom, as what is told to the memory itself must.
    """
    spoken = language or guess_language(text[:_ENOUGH])
    words = cues(spoken)
    is_ironic = words.has("act.irony", text)
    turn = _Turn(at, speaker_is_user, keep_all, spoken, words, text, len(text) > _BRIEF, is_ironic)
    skip = in_order(skip if keep_all else (*skip, *material(text)))
    atoms: list[Atom] = []
    left: list[Omission] = []
    intro, names_it = "", False
    pieces = sentences(text)
    for place, piece in enumerate(pieces):
        is_item = piece.kind == "list"
        is_rule = is_item and turn.words.has("act.rules_follow", intro)
        intro = intro if is_item else piece.text
        opens = keep_all and place + 1 < len(pieces) and pieces[place + 1].kind == "list" and _opens_list(piece)
        names_it = opens if not is_item else names_it
        reason = Reason.HEADING if opens else unspoken(piece, skip)
        if reason:
            left.append(Omission(start=piece.start, end=piece.end, text=piece.text, reason=reason))
            continue
        here = replace(turn, lists_rules=is_rule, intro=intro if names_it else "") if is_item else turn
        for found in _read(piece, here, atoms, before):
            if isinstance(found, Atom):
                atoms.append(found)
                turn.found.setdefault(found.text, found)
            else:
                left.append(found)
    if not keep_all:
        return Extraction(atoms=tuple(atoms), left_out=tuple(left))
    kept, smalltalk = drop_smalltalk(text, atoms, left)
    return Extraction(atoms=kept, left_out=(*left, *smalltalk))


def unspoken(piece: Piece, skip: Sequence[tuple[int, int]]) -> Reason | None:
    """Why the piece states nothing: code, a command, a topic to come, or in a range to skip; None where it may.

    The ranges are in order and apart.
    """
    if touch(skip, piece.start, piece.end):
        return Reason.PASTED
    if is_command_line(piece.text.removesuffix(".")):
        return Reason.COMMAND
    if announces_topic(piece.text):
        return Reason.TALK
    return _KINDS.get(piece.kind) or (Reason.LOG if _MARKUP.match(piece.text) else None)


def _read(piece: Piece, turn: _Turn, atoms: Sequence[Atom], before: str) -> Iterator[Atom | Omission]:
    if turn.is_ironic and turn.words.has("act.irony", piece.text):
        yield Omission(start=piece.start, end=piece.end, text=piece.text, reason=Reason.JOKE)
        return
    if is_redacted(piece.text):
        yield Omission(start=piece.start, end=piece.end, text=piece.text, reason=Reason.REDACTED)
        return
    marker = _MARKER.match(piece.text)
    lead = end_of_denial(piece.text, marker.end() if marker else 0)
    for start, end in asides(piece.text, piece.start):
        inner = piece.text[start - piece.start : end - piece.start]
        yield Omission(start=start, end=end, text=inner, reason=Reason.ASIDE)
    clauses = split_clauses(piece.text, lead, piece.start, turn.words, told=turn.keep_all)
    if turn.keep_all:
        clauses = together([_told(one) for one in clauses], piece.text, piece.start, turn.words)
    for clause in clauses:
        reason = _in_passing(clause)
        if reason is not None:
            yield Omission(start=clause.start, end=clause.end, text=clause.raw, reason=reason)
            continue
        previous = _before(clause, atoms, turn)
        yield from _decide(_standing_alone(clause, turn, previous, before), turn)


def _in_passing(clause: Clause) -> Reason | None:
    """Why the clause tells nothing: it is for a shell, about words just said, or of a value that was taken out."""
    if is_command_line(clause.raw):
        return Reason.COMMAND
    if is_redacted(clause.text):
        return Reason.REDACTED
    return Reason.TALK if is_about_the_talk(clause.text) else None


def _before(clause: Clause, atoms: Sequence[Atom], turn: _Turn) -> Atom | None:
    """The statement right before the clause, that a pronoun may stand for; talk around it is none."""
    if not atoms or clause.start - atoms[-1].end >= _NEXT_TO or is_smalltalk(atoms[-1].text):
        return None
    return first_part(atoms[-1], turn.found)


def _told(clause: Clause) -> Clause:
    """The clause as it tells the memory something, where it only has the form of a question."""
    said = statement_in_request(clause.text) if clause.asks else ""
    return replace(clause, text=said, said=statement_in_request(clause.said) or said, asks=False) if said else clause


def _standing_alone(clause: Clause, turn: _Turn, previous: Atom | None, before: str) -> Clause:
    """The clause with what it says something of: the noun for its pronoun, or the words that it leans on."""
    if turn.keep_all and previous and not previous.directs_work and is_as_before(clause.text):
        return _leaning(clause, f"{previous.text}. ")
    if is_dangling(clause.text):
        about = previous.core or previous.text if previous else ""
        named = resolved(clause.text, about, before)
        if not named and turn.keep_all and turn.language == "en":
            named = with_earlier_antecedent(clause.text, sentences_before(turn.text, clause.start))
        if named:
            return replace(clause, text=named, said=_naming(clause, named, about, before), main="")
        return _leaning(clause, f"{previous.text}. ") if turn.keep_all and previous else clause
    if turn.keep_all and turn.intro and _only_names(clause.text):
        return _leaning(clause, f"{_HERE.sub('', turn.intro.strip(' :'))}: ")
    return clause


def _naming(clause: Clause, named: str, about: str, before: str) -> str:
    """What is said, with its hedges, of the noun that the pronoun stands for."""
    if clause.certainty == 1.0:
        return named
    begun = resolved(clause.said, about, before)
    if begun or not clause.said.endswith(clause.text):
        return begun or clause.said
    noun = f"{named[:1].lower()}{named[1:]}" if _ARTICLE.match(named) else named
    return f"{clause.said.removesuffix(clause.text)}{noun}"


def _leaning(clause: Clause, words: str) -> Clause:
    """The clause after the words that it says something of."""
    text, said = (as_sentence(one) if words.endswith(". ") else one for one in (clause.text, clause.said))
    return replace(clause, text=f"{words}{text}", said=f"{words}{said}", leans=True)


def _opens_list(piece: Piece) -> bool:
    return piece.kind != "list" and piece.text.rstrip().endswith(":") and _only_names(_HERE.sub("", piece.text))


def _only_names(text: str) -> bool:
    """Whether the words say nothing by themselves, as an item of a list, or the line that opens it, may."""
    return len(text.split()) <= _ITEM and _PREDICATE.search(text) is None


def _decide(clause: Clause, turn: _Turn) -> Iterator[Atom | Omission]:
    named = announced(clause, turn.words)
    found = named or _coordinates(replace(clause, text=clause.main) if clause.main else clause, turn)
    if isinstance(found, Coordinates):
        directs = clause.orders and not (found.directs_work or named)
        yield _atom(clause, ordered(found) if directs else found, turn)
        return
    yield Omission(start=clause.start, end=clause.end, text=clause.raw, reason=found)


def _coordinates(clause: Clause, turn: _Turn) -> Coordinates | Reason:
    words = turn.words
    if len(clause.text.split()) > _LONGEST or (not turn.keep_all and breaks_off(clause.text)):
        return Reason.FRAGMENT
    directs = directive(clause, words) or (listed(clause, words) if turn.lists_rules else None)
    if directs:
        return Reason.UNRESOLVED if is_dangling(clause.text) and not turn.keep_all else directs
    reason = silent(clause, words)
    if reason is Reason.HYPOTHETICAL and turn.keep_all and not words.has("act.supposed", clause.raw):
        if _RATHER.search(clause.text) is None:  # a condition, told as holding: it says nothing of how things are now
            return replace(fallback(clause.text, words), states=False)
        reason = None
    if reason and not (turn.keep_all and _may_be_kept(reason, clause.text, asks=clause.asks)):
        return reason
    found = _classified(clause, turn)
    if found is None and turn.keep_all and _is_more_than_a_word(clause.text):
        found = fallback(clause.text, words)
    if found is None:
        return _why_not(clause, words)
    orders = found.kind is Kind.FACT and (clause.pleads or holds_order(clause.text, words))
    return replace(found, directs_work=True) if orders else found  # a fact by its words: it may be a wish to forget


def _classified(clause: Clause, turn: _Turn) -> Coordinates | None:
    found = classify(clause, turn.words)
    if found is None or turn.keep_all:
        return found
    if is_dangling(clause.text):
        return None
    if found.confidence != UNCLEAR:
        return found
    if turn.is_long:
        return None  # in a long text it is rather the text's than the speaker's
    return replace(found, confidence=_SLOTTED) if read_slot(clause.text, 1) else found


def _may_be_kept(reason: Reason, text: str, *, asks: bool) -> bool:
    """What is told to the memory is kept also in the form of a request, but not what the other one did."""
    if reason is Reason.CHATTER:
        return len(text.split()) > 2  # "thank you" tells nothing
    if reason is Reason.QUESTION:
        return not asks and (names_what(text) or (not text.isascii() and _HALVES.search(text) is not None))
    return (reason is Reason.REQUEST and not asks) or (reason is Reason.ADDRESSEE and bool(_LICENCE.match(text)))


def _is_more_than_a_word(text: str) -> bool:
    """By spaces, or by signs in a script without them."""
    return len(text.split()) > 1 or (not text.isascii() and len(_SIGNS.findall(text)) > _SIGNS_OF_A_WORD)


_RATHER: Final = lazy_pattern(r"^(?!if\b)[^,]*\bi(?:'d| would) (?:rather|sooner|prefer|like|love)\b", re.IGNORECASE)
_HALVES: Final = lazy_pattern(r"[,:] ")
_SIGNS: Final = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff]")
_SIGNS_OF_A_WORD: Final = 2
_LICENCE: Final = lazy_pattern(
    r"^you (?:can|may|should|must|needn't|don't (?:need|have) to|need to|have to|are allowed)\b", re.IGNORECASE
)


def is_dangling(text: str) -> bool:
    """Whether the words are about an "it" or a "that" which they do not name."""
    return bool(_DANGLING.match(text))


def _why_not(clause: Clause, words: Cues) -> Reason:
    if words.has("act.task", clause.text):
        return Reason.REQUEST
    if is_dangling(clause.text):
        return Reason.UNRESOLVED
    return Reason.FLEETING if len(clause.text.split()) > 1 else Reason.FRAGMENT


def _atom(clause: Clause, found: Coordinates, turn: _Turn) -> Atom:
    words, text = turn.words, clause.text
    time, core = read_time(clause.said, turn.at, turn.words), clause.main
    if core:  # what was told round it dates nothing
        text = core
        time = replace(read_time(core, turn.at, turn.words), text=time.text)
    elif clause.said != text:
        core = read_time(text, turn.at, turn.words).text
    return Atom(
        text=as_sentence(time.text),
        core=core,
        start=clause.start,
        end=clause.end,
        layer=found.layer,
        sublayer=found.sublayer,
        kind=found.kind,
        cue=found.cue,
        certainty=clause.certainty,
        confidence=found.confidence,
        polarity=polarity(text, turn.language),
        valid_from=time.valid_from,
        valid_to=time.valid_to,
        temporary=time.temporary,
        directs_work=found.directs_work,
        planned=words.has("time.planned", text),
        past=words.has("time.past", text),
        speaker_is_user=turn.speaker_is_user,
        states=found.states and not clause.leans,
        language=turn.language,
        tags=found.tags,
    )


def as_sentence(text: str) -> str:
    """The text with a capital letter, unless its first word is a name that has none."""
    first = text.split(maxsplit=1)[0] if text else ""
    plain = first.isalpha() and first.islower()
    return text[:1].upper() + text[1:] if plain else text

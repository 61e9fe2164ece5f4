"""A fact and guidance in one sentence, told apart: "we deploy on Fridays, and never ask me before you push".

Takes: atoms, each with its statement as read, and the reader. Gives: the parts of those that hold both, the guidance as
a rule; where one half cannot stand alone, the whole as a rule. Never: other words than a name for a pronoun; a part of
an atom that quotes somebody, or has one clause.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.cues import Cues, cues
from dopejar.pipelines.ingest.extraction.antecedents import with_antecedent
from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.extraction.extractor import as_sentence, extract, is_dangling
from dopejar.pipelines.ingest.extraction.momentary_words import is_as_before
from dopejar.pipelines.ingest.extraction.orders import is_marked_order, is_order
from dopejar.pipelines.ingest.extraction.smalltalk import is_smalltalk
from dopejar.pipelines.ingest.guidance_words import directs_assistant
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.polarity import polarity
from dopejar.text.quotations import marked
from dopejar.values.record import Kind, Layer, Sublayer
from dopejar.values.statement import GUIDES, MAY_GUIDE, SpeechAct, Statement, Tense

_BETWEEN: Final = re.compile(
    r"\s*(?:[,;:.!…]+\s+|\s[-–—]+\s)(?:(?:and|but|so|also|und|aber|y|pero|et|mais|e|mas)\b,?\s+)?"
    r"|\s+(?P<word>and|so)\s+",
    re.IGNORECASE,
)
_TOLD: Final = r"(?:please|from now|always|never|don't|do not|you)\b"
_NEXT_IS_TOLD: Final = re.compile(_TOLD, re.IGNORECASE)
# what joins a fact and what is to be done because of it
_RESULT: Final = re.compile(rf"\bso\b|;|\band (?={_TOLD})", re.IGNORECASE)
_SO: Final = re.compile(r"\bso\s+$", re.IGNORECASE)
_ADDRESSED: Final = re.compile(r"\byou\b", re.IGNORECASE)
_LEANS: Final = re.compile(
    r"\b(?:he|him|his|she|her|it|its|them|they|their|there|then|those|these|same)\b", re.IGNORECASE
)
# an object whose name would be read as an owner's: "call her before noon"
_HER: Final = re.compile(
    r"\bher (?:before|after|if|until|till|unless|without|while|during|than|first|only)\b", re.IGNORECASE
)
_WAITS: Final = re.compile(  # for its main clause
    r"(?:(?:and|but|so|only|just|even) )*(?:as long as|because|since|as|given|considering|although|though|if|unless|"
    r"whether|when|whenever|while|until|once|before|after|whatever|whichever)\b",
    re.IGNORECASE,
)
# a tail without a verb that denies a part of what stands before it, or says what is left or what it is for: "call Ada,
# not mail", "knock at the back, never the front", "no more letters, email only", "she stays at home, to help out"
_TAIL: Final = re.compile(
    r"(?:not|never (?:the|an?|to|on|in|at|by|with|for|from|via|through)|(?:in order |so as |just )?to)\b"
    r"|(?:[\w'’-]+ ){1,2}only\W*$",
    re.IGNORECASE,
)
_ONLY: Final = frozenset(("and", "but", "only", "just"))  # beside the words for a time
_FOR_WHAT: Final = re.compile(  # opens with when, where or for what alone something holds: "just for the audit"
    r"(?:(?:and|but|so|only|just) )*(?:for|during|throughout|within|in|on|at|until|till|before|after)\b", re.IGNORECASE
)
_RESTRICTS: Final = re.compile(r"[,;]\s+but\s+$", re.IGNORECASE)  # what has no verb behind it is a part as well
_SURELY: Final = 0.9  # probability from which a clause guides by itself
_LIKELY: Final = 0.7  # the same of a clause without a subject
_MAYBE: Final = 0.25  # the same where rules find guidance in the sentence
_LASTS: Final = 0.5  # probability from which a fact beside guidance is worth knowing by itself
_PASSES: Final = 0.4  # the same below which a clause is for the moment
_LONGER: Final = 0.15  # by how much another clause is the likelier to be worth knowing
_HARDLY: Final = 0.2  # the same of a whole below which words without a verb, beside news, are a part of that
_AT_MOST_A_MARK: Final = (0, 1)  # characters of the range that the text lacks, most often the last one
_LEAST_WORDS: Final = 2  # of a clause
_LEAST_STATED: Final = 3  # words of a fact that stands alone

_APPLAUSE: Final = SpeechAct.ACKNOWLEDGEMENT
_ASKS: Final = frozenset({SpeechAct.REQUEST, SpeechAct.ONE_OFF, SpeechAct.QUESTION})

_Clause = tuple[int, int]


def parts_of_mixed(
    atoms: Sequence[Atom], statements: Sequence[Statement], reader: StatementReader, *, told: bool
) -> Mapping[int, tuple[Atom, ...]]:
    """By position the parts of each atom that states something and guides as well; the others are not in it.

    Of what is not `told` to the memory itself, a wish for the task at hand beside a standing one is left out.
    """
    clauses = {
        position: found
        for position, (atom, statement) in enumerate(zip(atoms, statements, strict=True))
        if _is_divisible(atom, statement) and len(found := _clauses(atom)) > 1
    }
    texts = [atoms[position].text[start:end] for position, found in clauses.items() for start, end in found]
    read = iter(reader.read(texts) if texts else ())
    parts = {}
    for position, found in clauses.items():
        as_read = dict(zip(found, read, strict=False))
        atom, guides = atoms[position], _guides(atoms[position], statements[position])
        standing = as_read if told else _standing(atom, as_read, statements[position])
        divided = _divided(atom, standing, statements[position], guides=guides) if len(standing) > 1 else ()
        if not divided and len(standing) < len(found):
            divided = (_run_of(atom, standing),)
        if divided:
            parts[position] = divided
    return parts


def _is_divisible(atom: Atom, statement: Statement) -> bool:
    return statement.frame is not None and atom.speaker_is_user and not atom.quotes and atom.renamed is None


def _divided(atom: Atom, clauses: Mapping[_Clause, Statement], whole: Statement, *, guides: bool) -> tuple[Atom, ...]:
    """The fact and the rule, where what is found to be a fact guides, or what guides has a fact that leads to it."""
    if guides and not (_is_fact(atom) or _RESULT.search(atom.text)):
        return ()
    guidance = _guidance(atom, clauses, whole)
    if not guidance and not guides and len(told := _without_applause(clauses)) < len(clauses):
        return (_run_of(atom, told),)
    if not guidance or (guides and len(guidance) == len(clauses)):
        return ()
    divided = _parts(atom, clauses, guidance)
    if len(divided) == 1 and divided[0].text == atom.text and not _is_ordered(atom, guidance, whole):
        return ()  # its halves lean on each other, and it rather states something
    # else it is guidance already, and no fact stands in it
    return divided if len(divided) > 1 or not guides or _is_fact(atom) else ()


def _standing(atom: Atom, clauses: Mapping[_Clause, Statement], whole: Statement) -> Mapping[_Clause, Statement]:
    """The clauses without those at either end that are for the task at hand, where the others hold for good.

    What comes first is only left out where the whole would be taken for a request.
    """
    found, longest = list(clauses), max(read.durable for read in clauses.values())
    passing = {clause for clause in found if _passes(atom, clause, clauses[clause], longest)}
    while found[-1] in passing and len(found) > 1 and not _WAITS.match(atom.text, found[-2][0]):
        found.pop()
    while found[0] in passing and len(found) > 1 and clauses[found[0]].act in _ASKS and whole.act in _ASKS:
        found.pop(0)
    kept = {clause: clauses[clause] for clause in found}
    guides = any(one.believed and one.frame is not None and one.frame.guides >= GUIDES for one in kept.values())
    return kept if guides else clauses


def _passes(atom: Atom, clause: _Clause, read: Statement, longest: float) -> bool:
    """Whether a clause is worth little beyond the moment, and no condition or part of the one beside it."""
    said, words = atom.text[clause[0] : clause[1]], cues(atom.language)
    is_whole = FINITE.search(said) is not None or is_order(said, words)
    is_for_now = read.durable < min(_PASSES, longest - _LONGER) and not words.has("durable.rule", said)
    return is_for_now and is_whole and _WAITS.match(said) is None


def _run_of(atom: Atom, clauses: Mapping[_Clause, Statement]) -> Atom:
    """The atom of clauses that follow each other, with what joins them."""
    found = list(clauses)
    part = part_of(atom, [(found[0][0], found[-1][1])])
    return replace(part, polarity=polarity(part.text, atom.language))


def _is_fact(atom: Atom) -> bool:
    return atom.kind is Kind.FACT and not atom.directs_work


def _guides(atom: Atom, statement: Statement) -> bool:
    return statement.frame is not None and statement.frame.guides >= (MAY_GUIDE if atom.directs_work else GUIDES)


def _clauses(atom: Atom) -> list[_Clause]:
    """The ranges of the clauses, without what joins them; one word, or a tail, belongs to the clause before it."""
    text, words = atom.text, cues(atom.language)
    found: list[_Clause] = []
    start = 0
    quoted = marked(text)
    joints = [one for one in _BETWEEN.finditer(text) if not any(begin < one.start() < end for begin, end in quoted)]
    for joint in (*joints, None):
        if joint is not None and joint["word"]:
            behind = text[joint.end() :]
            if _NEXT_IS_TOLD.match(behind) is None and not (joint["word"] == "so" and is_order(behind, words)):
                continue
        end = joint.start() if joint else len(text)
        said = text[start:end]
        is_tail = _TAIL.match(said) is not None or _is_restriction(text, start, end, words) or is_as_before(said)
        is_time = _tells_only_when(said, words) or (not found and _tells_only_for_what(said, words))
        if len(said.split()) >= _LEAST_WORDS and not ((is_tail and found) or is_time or is_smalltalk(said)):
            found.append((start, end))
        elif found:
            found[-1] = (found[-1][0], end)
        elif is_time:
            continue  # it belongs to the clause behind it
        start = joint.end() if joint else end
    return found


def _tells_only_when(said: str, words: Cues) -> bool:
    """Whether the words only limit to a time what stands beside them: "just this once", "for today"."""
    when = words.find("time.temporary", said)
    return bool(when) and _ONLY.issuperset(said.casefold().replace(when, " ", 1).split())


def _tells_only_for_what(said: str, words: Cues) -> bool:
    """Whether the words before a clause have no verb and limit it: "for this release only", "during the migration"."""
    if _FOR_WHAT.match(said) is None or is_smalltalk(said) or words.has("durable.rule", said):
        return False
    return _has_no_verb(said, words)


def _is_restriction(text: str, start: int, end: int, words: Cues) -> bool:
    """Whether the clause has no verb and restricts the one before it: ", but only half a tablet in the evening"."""
    said = text[start:end]
    return bool(_RESTRICTS.search(text, 0, start)) and _has_no_verb(said, words)


def _guidance(atom: Atom, clauses: Mapping[_Clause, Statement], whole: Statement) -> list[_Clause]:
    """The clauses that guide: surely, or the likeliest one where rules find that something in the sentence does.

    What has no verb behind news is a part of that: "we moved in, no scratches"; so is applause: "passed it, first go!".
    """
    is_news = _probability(whole) < _HARDLY and next(iter(clauses.values())).tense is not Tense.NOW
    guides = {clause: _probability(read) for clause, read in clauses.items() if read.act is not _APPLAUSE}
    sure = [
        (start, end)
        for (start, end), probability in guides.items()
        if _is_guidance(atom, (start, end), probability)
        and not (is_news and _is_a_part(atom.text[start:end], cues(atom.language)))
    ]
    if not guides:
        return []
    likeliest = max(guides, key=lambda clause: guides[clause])
    if sure or guides[likeliest] < _MAYBE:
        return sure
    if any(found.directs_work for found in extract(atom.text, at=None, speaker_is_user=True).atoms):
        return [likeliest]
    return []


def _without_applause(clauses: Mapping[_Clause, Statement]) -> Mapping[_Clause, Statement]:
    """The clauses without the applause behind them that sounds like an order, and says nothing: "..., first go!"."""
    told = list(clauses)
    while len(told) > 1 and clauses[told[-1]].act is _APPLAUSE and _probability(clauses[told[-1]]) >= GUIDES:
        told.pop()
    return {clause: clauses[clause] for clause in told}


def _probability(read: Statement) -> float:
    return read.frame.guides if read.frame else 0.0


def _is_a_part(said: str, words: Cues) -> bool:
    """Whether the words beside news have no verb, and nothing in them is of what an assistant makes."""
    return _has_no_verb(said, words) and not directs_assistant(said, Kind.PREFERENCE)


def _has_no_verb(said: str, words: Cues) -> bool:
    return not (FINITE.search(said) or is_order(said, words))


def _is_ordered(atom: Atom, guidance: Sequence[_Clause], whole: Statement) -> bool:
    """Whether the sentence may guide as a whole, or some clause of it has the sure form of an order."""
    words = cues(atom.language)
    return _probability(whole) >= _HARDLY or any(
        is_marked_order(atom.text[start:end], words) for start, end in guidance
    )


def _is_guidance(atom: Atom, clause: _Clause, probability: float) -> bool:
    """Whether a clause guides, by how likely it does and by its form: without a subject it is for who is addressed."""
    said, words = atom.text[clause[0] : clause[1]], cues(atom.language)
    if probability >= GUIDES and (is_order(said, words) or _ADDRESSED.search(said)):
        return True
    if FINITE.search(said) or (clause[0] and said[:1].isupper()):
        return probability >= _SURELY
    least = GUIDES if _SO.search(atom.text, 0, clause[0]) else _LIKELY
    return probability >= (MAY_GUIDE if is_marked_order(said, words) else least)


def _parts(atom: Atom, clauses: Mapping[_Clause, Statement], guidance: Sequence[_Clause]) -> tuple[Atom, ...]:
    """What is stated and what guides, where each can stand alone; else the whole, or what guides beside a request."""
    stated = [clause for clause in clauses if clause not in guidance]
    told, wished = (_words(atom, ranges) for ranges in (stated, guidance))
    if _WAITS.match(told):
        return (_as_rule(atom),)
    rule, fact = _as_rule(part_of(atom, guidance)), part_of(atom, stated)
    lasts = any(clauses[clause].believed and clauses[clause].durable >= _LASTS for clause in stated)
    if not lasts or len(fact.text.split()) < _LEAST_STATED:
        return (rule,)
    is_fact_first = stated[0] < guidance[0]
    # the word that a wish opens with is a verb, though it has a capital letter
    after = "" if is_fact_first else f"{wished[:1].lower()}{wished[1:]}"
    told = _named(told, after, atom.language) if after or is_dangling(told) else told
    wished = _named(wished, told, atom.language) if is_fact_first else wished
    if not (told and wished):
        return (_as_rule(atom),)
    if fact.directs_work:
        fact = replace(fact, layer=Layer.WORLD, sublayer=Sublayer.FACT, kind=Kind.FACT, directs_work=False)
    return tuple(
        replace(part, text=as_sentence(text), polarity=polarity(text, atom.language))
        for part, text in ((fact, told), (rule, wished))
    )


def _as_rule(atom: Atom) -> Atom:
    return replace(atom, layer=Layer.INTENT, sublayer=Sublayer.RULE, kind=Kind.RULE, directs_work=True, tags=())


def _named(words: str, before: str, language: str) -> str:
    """The words with a name of those before them for a pronoun; "" where they lean on them otherwise."""
    if not _LEANS.search(words):
        return words
    if not before or language != "en" or _HER.search(words):
        return ""
    named = with_antecedent(words, f"{before}.")
    return named if named and not _LEANS.search(named) else ""


def part_of(atom: Atom, clauses: Sequence[_Clause]) -> Atom:
    """The atom of these clauses alone; its range is narrowed where its words stand as they were said."""
    (start, _), (_, end) = clauses[0], clauses[-1]
    text = _words(atom, clauses)
    left_out = atom.end - atom.start - len(atom.text)
    if left_out not in _AT_MOST_A_MARK:
        return replace(atom, text=as_sentence(text), core="")
    mark = left_out if end == len(atom.text) else 0
    return replace(atom, text=as_sentence(text), core="", start=atom.start + start, end=atom.start + end + mark)


def _words(atom: Atom, clauses: Sequence[_Clause]) -> str:
    text = ""
    for position, (first, last) in enumerate(clauses):
        gap = atom.text[clauses[position - 1][1] : first] if position else ""
        text += (". " if "." in gap else ", ") if position else ""
        text += atom.text[first:last]
    return text

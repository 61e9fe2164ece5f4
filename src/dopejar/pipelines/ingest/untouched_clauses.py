"""What is left of a statement of several clauses where a later one changes only some of them.

Takes: a statement, a later one and a reader of graded relations. Gives: the words of the earlier one that still hold,
as a statement. Never: a word but the subject that clauses share; a clause that leans on one that no longer holds;
anything where the reader does not see clearly which clause is meant.

"Dogs are welcome, 8 euros a night, but not in the breakfast room" leaves "Dogs are welcome, but not in the breakfast
room" where the fee is 10 euros now; "Room 4: Ana Lund, two desks, 300 a month" leaves "Room 4: Ana Lund, two desks".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

from dopejar.language.relations import judged
from dopejar.pipelines.ingest.changed_values import (
    changed_places,
    is_of_other_days,
    tells_only_values,
    without_aside,
    without_changed_values,
    without_member,
    without_role,
)
from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.extraction.extractor import as_sentence
from dopejar.pipelines.ingest.statement_clauses import (
    BARE,
    LEAST_WORDS,
    OPENED,
    PRONOUN,
    StatementPart,
    clauses_of,
    opens_with_verb,
    parts_of,
    with_name_alone,
)
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.text_values import has_digit
from dopejar.text.words import query_terms
from dopejar.values.statement import Frame, Related, Relation, SpeechAct

_ABOUT_ONE: Final = (Relation.SAME, Relation.UPDATE, Relation.END, Relation.CONTRADICTION)
_MEANS: Final = 0.75  # probability of being about a clause from which the later statement means that one
_MAY_MEAN: Final = 0.6  # the same below which the clause stays
_NEAR: Final = 0.3  # cosine below which it is about something else, however probable
_VERY_SURE: Final = 0.9  # the same for a clause that the later statement does not name, beside one that it names
_ENDS: Final = (Relation.UPDATE, Relation.END)
_APART: Final = 0.4  # the same below which it surely means another one
_EVEN: Final = 0.5
_LASTS: Final = 0.5  # probability from which what is left is worth knowing by itself
_REFERS_BACK: Final = re.compile(
    r"(?:its|their|his|her|it's|they're|he's|she's|this|that|that's|these|those|there|both|each|neither|"
    r"the (?:other|first|second|last|same|one))\b",
    re.IGNORECASE,
)
_OPENS_CLAUSE: Final = re.compile(
    r"(?:on|in|at|for|with|if|when(?:ever)?|after|before|since|as|from|during|near|of|by|to)\b", re.IGNORECASE
)
_EMPTY: Final = re.compile(r"(?:\s*[,;])+\s*([,;])")  # where a value was cut out
_SPEAKER: Final = re.compile(r"(?:i|we|you|he|she|it|they|there)", re.IGNORECASE)


def untouched_clauses(earlier: str, later: str, reader: StatementReader) -> str:
    """What the earlier statement says that the later one leaves as it is; "" where it changes or ends all of it.

    That is the whole statement where the words do not tell which of its clauses is meant: nothing true may be lost.
    """
    if not reader.is_graded:
        return ""
    if is_of_other_days(earlier, later):
        return earlier
    if left := words_left(earlier, later, reader):
        return left
    named = with_name_alone(earlier, later)
    rest = _rest_of_clauses(named, later, reader) or _rest_of_parts(named, later, reader)
    return earlier if rest == named else rest


def words_left(earlier: str, later: str, reader: StatementReader) -> str:
    """What a net finds left where it is sure of a part that goes; "" where it is not, or that tells nothing new."""
    rest = reader.rests([(earlier, later)])[0]
    if rest in (None, "", earlier):
        return ""
    rest = as_sentence(rest)
    return rest if _stands_alone(rest, "", reader) and not terms_of(rest) <= terms_of(later) else ""


def _rest_of_clauses(earlier: str, later: str, reader: StatementReader) -> str:
    clauses, places = clauses_of(earlier, reader), changed_places(earlier, later)
    if len(clauses) < 2 or without_aside(earlier, later):
        return _without_values(earlier, later, reader)
    holding = {number for number, one in enumerate(clauses) if any(one.start <= at < one.end for at, _ in places)}
    relations, least = _changes(clauses, holding, later, reader), _MAY_MEAN
    if not any(found.share(*_ABOUT_ONE) >= _MEANS for found in relations):
        meant = holding or _with_terms(clauses, later, reader)
        meant |= {number for number in _named_by(clauses, relations, later) if holding}
        relations, least = _as_meant(relations, meant, earlier, later, reader), _MEANS
    beside = _beside_another(earlier, clauses, later) | _of_others(earlier, clauses, relations, holding, later)
    beside |= {number for number, one in enumerate(clauses) if is_of_other_days(earlier[one.start : one.end], later)}
    kept = [number in beside or not _is_about(found, least) for number, found in enumerate(relations)]
    changed = [number for number, stays in enumerate(kept) if not stays]
    if not any(_is_about(relations[number], _MEANS) for number in changed):
        return earlier if _relations([earlier], later, reader)[0].relation in _ENDS else ""
    is_end = any(relations[number].relation is Relation.END for number in changed)
    cut = {number: text for number in changed if (text := _cut(earlier, clauses[number], later, is_end=is_end))}
    rest = _rest(earlier, clauses, [stays or number in cut for number, stays in enumerate(kept)], cut, is_end=is_end)
    is_told = bool(beside) or (bool(holding) and holding <= set(changed))  # by its values, which clause is meant
    is_told |= all(
        found.share(*_ABOUT_ONE) < _APART and (has_digit(one.words) or FINITE.search(one.words) is not None)
        for one, found, stays in zip(clauses, relations, kept, strict=True)
        if stays
    )
    is_compared = is_told or rest in {as_sentence(clause.says) for clause in clauses}
    if len(rest.split()) < LEAST_WORDS and any(clauses[number].owner == number for number in beside):
        return earlier  # "Jon's 9" tells nothing by itself
    return rest if _stands_alone(rest, "" if is_compared else later, reader) else ""


def _rest_of_parts(earlier: str, later: str, reader: StatementReader) -> str:
    """The parts between commas and conjunctions but those that are changed, where the first one surely is not."""
    parts = parts_of(earlier)
    texts = [earlier[start:end] for start, end in parts]
    if len(parts) < 2 or len(texts[0].split()) < LEAST_WORDS or _OPENS_CLAUSE.match(texts[0]):
        return ""
    shares = [found.share(*_ABOUT_ONE) for found in _relations(texts, later, reader)]
    if shares[0] >= _NEAR or max(shares) < _MEANS:
        return ""
    rest = texts[0]
    for number in range(1, len(parts)):
        is_after_changed = shares[number - 1] >= _EVEN
        if shares[number] < _EVEN and not (is_after_changed and _REFERS_BACK.match(texts[number])):
            rest += earlier[parts[number - 1][1] : parts[number][1]]
    return as_sentence(rest) if _stands_alone(rest, "", reader) else ""


def _without_values(earlier: str, later: str, reader: StatementReader) -> str:
    """A statement of one clause without the value that the later one gives anew, or the member that it names."""
    ways = (without_aside, without_role, without_member, without_changed_values)
    rest = next((left for way in ways if (left := way(earlier, later))), "")
    if not rest or _relations([earlier], later, reader)[0].relation not in _ENDS:
        return ""
    return as_sentence(rest) if _stands_alone(rest, "", reader) else ""


def _cut(text: str, clause: StatementPart, later: str, *, is_end: bool) -> str:
    said = text[clause.start : clause.end]
    rest = without_role(said, later) or ("" if is_end else without_changed_values(said, later, text))
    return "" if rest == clause.subject else rest


def _named_by(clauses: Sequence[StatementPart], relations: Sequence[Related], later: str) -> AbstractSet[int]:
    """The clauses that share a word beside their subject with the later statement, which may be about them."""
    return {
        number
        for number, found in enumerate(relations)
        if terms_of(clauses[number].words) & terms_of(later) and found.share(*_ABOUT_ONE) >= _MAY_MEAN
    }


def _of_others(
    text: str, clauses: Sequence[StatementPart], relations: Sequence[Related], holding: AbstractSet[int], later: str
) -> AbstractSet[int]:
    """The clauses beside the one that the later statement means by its words.

    Where each names its own ("Dario's phone is 1, Ivo's 2"), all but the one that is named; else those with no word and
    no value of the later one, unless a reader is very sure.
    """
    new, heads = terms_of(later), [terms_of(one.subject) - {"one"} for one in clauses]
    owned = [one.owner for one in clauses]
    own = [terms_of(one.says) - (heads[one.owner] if owned.count(one.owner) > 1 else frozenset()) for one in clauses]
    named = {
        number: len(heads[number] & new) / len(heads[number])
        for number, one in enumerate(clauses)
        if one.owner == number and heads[number]
    }
    most = max(named.values(), default=0)
    is_elliptic = {number: not FINITE.search(clauses[number].words) for number in named}
    found = {
        clause
        for clause, owner in enumerate(owned)
        if owner in named
        and named[owner] < most
        and any(named[other] == most and (is_elliptic[owner] or is_elliptic[other]) for other in named)
    }
    if any(without_role(one.says, later) for one in clauses):
        found |= {number for number, one in enumerate(clauses) if not terms_of(one.words) & new}
    told = {
        number
        for number, relation in enumerate(relations)
        if number in holding or (own[number] & new and relation.share(*_ABOUT_ONE) >= _MAY_MEAN)
    }
    is_plain = bool(holding) and tells_only_values(later, frozenset().union(*heads, *own))
    for number, relation in enumerate(relations):
        is_item = clauses[number].owner < number and has_digit(clauses[number].words)
        is_spared = is_plain or (is_item and own[number]) or relation.share(*_ABOUT_ONE) < _VERY_SURE
        is_phrase = clauses[number].owner < number and _OPENS_CLAUSE.match(clauses[number].words) is not None
        is_leaning = PRONOUN.match(text, clauses[number].start) is not None or (is_phrase and not is_plain)
        if (
            number not in holding
            and is_spared
            and not is_leaning
            and (is_plain or (told - {number} and not own[number] & new))
        ):
            found.add(number)
    return found


def _with_terms(clauses: Sequence[StatementPart], later: str, reader: StatementReader) -> AbstractSet[int]:
    """The one clause that shares a word with what the later statement says of its subject."""
    frame = reader.read([later])[0].frame
    said = terms_of(later) - terms_of(frame.subject if frame is not None else "")
    found = {number for number, clause in enumerate(clauses) if terms_of(clause.says) & said}
    return found if len(found) == 1 else frozenset()


def _as_meant(
    relations: Sequence[Related], meant: AbstractSet[int], earlier: str, later: str, reader: StatementReader
) -> list[Related]:
    """What the later statement does to all, as done to the clauses that its words tell; as read without such words."""
    whole = _relations([earlier], later, reader)[0]
    if not meant or whole.relation not in _ENDS:
        return list(relations)
    return [
        replace(found, relation=whole.relation if number in meant else Relation.APART)
        for number, found in enumerate(relations)
    ]


def _changes(
    clauses: Sequence[StatementPart], holding: AbstractSet[int], later: str, reader: StatementReader
) -> list[Related]:
    """What the later statement does to each clause.

    An item of a list is read with its subject and alone, for what is told of the subject is not told of each item: the
    surer of the two counts. Another figure for what an item measures changes that item.
    """
    items = [
        number for number, clause in enumerate(clauses) if clause.owner < number and not FINITE.search(clause.words)
    ]
    texts = [clause.says for clause in clauses] + [clauses[number].words for number in items]
    relations = _relations(texts, later, reader)
    found, alone = relations[: len(clauses)], relations[len(clauses) :]
    for number, item in zip(items, alone, strict=True):
        found[number] = max(found[number], item, key=lambda one: abs(one.share(*_ABOUT_ONE) - _EVEN))
    if any(one.relation is Relation.END for one in found):
        return found
    for number in items:
        if number in holding or _is_other_figure(clauses[number].words, later):
            found[number] = replace(found[number], relation=Relation.UPDATE)
    return found


def _is_other_figure(item: str, later: str) -> bool:
    """Whether the later statement has a figure for all that the item names beside its own: "rent 910"."""
    own = terms_of(item)
    return has_digit(item) and has_digit(later) and bool(own) and own <= terms_of(later)


def _relations(texts: Sequence[str], later: str, reader: StatementReader) -> list[Related]:
    """What the later statement does to each text; where both tell one property of one subject, it changes that."""
    *said, new = reader.read([*texts, later])
    related = [
        judged(one, new, found)
        for one, found in zip(said, reader.relate([(text, later) for text in texts]), strict=True)
    ]
    if any(one.relation is Relation.END for one in related):
        return related  # an end names what it ends
    return [
        replace(found, relation=Relation.UPDATE) if _is_of_one_property(one.frame, new.frame) else found
        for one, found in zip(said, related, strict=True)
    ]


def _is_of_one_property(one: Frame | None, other: Frame | None) -> bool:
    if one is None or other is None or not one.subject:
        return False
    return (one.subject.lower(), one.attribute) == (other.subject.lower(), other.attribute)


def _is_about(found: Related, least: float) -> bool:
    return found.relation in _ABOUT_ONE or (found.share(*_ABOUT_ONE) >= least and found.cosine >= _NEAR)


def _beside_another(text: str, clauses: Sequence[StatementPart], later: str) -> AbstractSet[int]:
    """The figures beside another one where the later statement names what that one is for, and not what they are for.

    "95 from Sunday to Thursday and 110 on Friday": a reader takes both for the price.
    """
    new, said = terms_of(later), [terms_of(text[clause.start : clause.end]) for clause in clauses]
    return {
        number
        for number, clause in enumerate(clauses)
        if clause.owner < number
        and has_digit(clause.words[:1])
        and has_digit(clauses[number - 1].words)
        and (own := said[number] - said[number - 1])
        and not own & new
        and (said[number - 1] - said[number]) & new
    }


def terms_of(text: str) -> frozenset[str]:
    """The words of a text that tell something, without figures."""
    return frozenset(term for term in query_terms(text) if not has_digit(term))


def _rest(
    text: str, clauses: Sequence[StatementPart], kept: Sequence[bool], cut: Mapping[int, str], *, is_end: bool
) -> str:
    """The kept clauses with what joined them. What shares the subject of one that is left out gets it instead.

    What tells a property by its bare name ("notice is 90 days") gets the first subject, too. Where the clause of a
    subject ended, it may be no more; then what only leans on it is left out.
    """
    rest, named = "", {number for number, stays in enumerate(kept) if stays and clauses[number].owner == number}
    for number, clause in enumerate(clauses):
        said = cut.get(number, text[clause.start : clause.end])
        is_first = all(kept[: clause.owner])
        if not kept[number] or (_REFERS_BACK.match(said) and not is_first):
            continue
        leads = named.isdisjoint(range(number))
        is_bare = clause.owner == number > 0 and leads and BARE.match(clause.subject) is not None
        is_bare = is_bare and FINITE.search(clause.words) is not None  # "bakery one on 8060" is another one
        if is_bare or clause.owner not in named:
            is_predicate = opens_with_verb(said, clauses[number - 1])
            subject = clauses[0 if is_bare else clause.owner].subject
            said = "" if is_end else _with_subject(subject, said, is_predicate=is_predicate)
            named.update([0, clause.owner] if is_bare else [clause.owner])
        if said:
            rest += f"{text[clauses[number - 1].end : clause.start]}{said}" if rest else as_sentence(said)
    return _EMPTY.sub(r"\1", rest)


def _with_subject(subject: str, said: str, *, is_predicate: bool) -> str:
    """Words behind a subject that they share: as its predicate, else behind a colon; "" behind a pronoun."""
    plain = PRONOUN.sub("", said, count=1) if PRONOUN.match(said) else said
    if subject.endswith(":") or (is_predicate and plain == said):
        return f"{subject} {said}"
    if OPENED.match(subject):
        return f"{subject} {said}" if plain != said else f"{subject}: {said}"  # "for the Lunds they want"
    if plain != said:
        return f"{subject} {plain}"
    subject = re.sub(r"['’]s$", "", subject)  # "rent's 840 a month"
    return f"{subject}: {said}" if subject and _SPEAKER.fullmatch(subject) is None else ""


def _stands_alone(rest: str, later: str, reader: StatementReader) -> bool:
    """Whether what is left is worth knowing by itself, and the later statement is not about it as a whole."""
    if len(rest.split()) < LEAST_WORDS:
        return False
    read = reader.read([rest])[0]
    lasts = read.believed and read.act is not SpeechAct.REQUEST and read.durable >= _LASTS
    return lasts and not (later and _is_about(_relations([rest], later, reader)[0], _MEANS))

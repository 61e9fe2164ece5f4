"""Names in keys: which records a question names outright, slips of the keyboard included.

Takes: the key of a record, and a question. Gives: the question's words that name the record; the words of a key that
tell what it is about; the terms of records that a word nearly is. Never: takes one word for another that only shares
its stem ("compose", "composition").
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.passages import text_terms
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.normalisation import fold
from dopejar.text.words import index_terms, record_terms, stem, words
from dopejar.values.recall import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dopejar.pipelines.recall.candidates import Candidates
    from dopejar.pipelines.recall.question import Question
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.ports.store import ReadView
    from dopejar.values.record import Record

_MADE: Final = lazy_pattern(r"\w+-(?:(?:Id|Pref|Limit|Fact|Failure|Method|Rule|Goal)-)?(?P<name>[\w-]+)-[0-9a-f]{8}$")
_ROOTS: Final = frozenset({"Self", "World", "Dev", "Project", "Intent"})
_SORTS: Final = frozenset({"Id", "Pref", "Limit", "Fact", "Failure", "Method", "Rule", "Goal", "Env", "Alias"})
_DIGEST: Final = lazy_pattern(r"-[0-9a-f]{6,8}$")
_JOINTS: Final = lazy_pattern(r"[-_@.:#]+")
_LONGEST_ENDING: Final = 3  # letters by which forms of one word differ
_SHORTEST_SLIP: Final = 4  # letters; shorter words are all near each other
_SHORTEST_EXCHANGE: Final = 7  # letters from which one letter may stand for another: "tide" is no "time"
_MOST_TERMS: Final = 16
_KEPT: Final = 2  # first letters, which people get right


@lru_cache(maxsize=4096)
def key_names(key: str) -> tuple[frozenset[str], ...]:
    """The names in a key, each as its folded words.

    A key that the key rules made is named by what follows its roots, unless that is a single word of the statement.
    """
    if made := _MADE.match(key):
        key = made["name"] if "-" in made["name"] else ""
    return tuple(frozenset(words(fold(_JOINTS.sub(" ", name)))) for name in key.split("/"))


@lru_cache(maxsize=4096)
def topic_words(key: str, slot: str = "", *, is_later: bool = False) -> str:
    """The words of a key that tell what its record is about.

    In a key that the key rules made, the root and the sort are none, and without a slot neither is the last part, which
    is a guess at the property: "The invoice contact is Berit" may be a fact about a job there. What a later
    version has behind a root may be a word of the first one.
    """
    parts = title_of(key).split("-")
    if len(parts) < 2 or not (parts[0] in _ROOTS or parts[1] in _SORTS):
        return key.replace("-", " ")
    is_told = slot or (is_later and parts[0] in _ROOTS)
    return " ".join(part for part in (parts if is_told else parts[:-1]) if part not in _ROOTS | _SORTS)


def title_of(key: str) -> str:
    """The key without the digest that tells it from another one of the same words."""
    return _DIGEST.sub("", key)


def topic_of(record: Record) -> str:
    """The words of a record's key that tell what it is about."""
    return topic_words(record.key, record.slot, is_later=bool(record.supersedes))


def found_by_sort(records: Iterable[Record], question: Question, found: Candidates) -> frozenset[str]:
    """The ids of the records that the index found by words of their keys that tell nothing of what they are about."""
    terms = question.respelled.union(question.terms)
    return frozenset(
        record.id
        for record in records
        if (key := (Source.RECORD, record.id)) in found.lexical
        and key not in found.linked
        and record.id not in found.own
        and terms.isdisjoint(_terms_of(record.text))  # mostly the index found it by these
        and terms.isdisjoint(record_terms(record.text, topic_of(record)))
    )


@lru_cache(maxsize=4096)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(index_terms(text))


def naming_words(key: str, question: Question) -> frozenset[str]:
    """The question's words that make up a name in the key; empty where it names none whole."""
    found = frozenset[str]()
    for name in key_names(key):
        matched = [_said(word, question) for word in name]
        if matched and all(matched):
            found |= {said for said in matched if said}
    return found


def _said(word: str, question: Question) -> str:
    """The question's form of a word; empty where it has none."""
    if word in question.words:
        return word
    if (term := stem(word)) in question.respelled:
        return term
    forms = question.stems.get(term, ())
    return next((form for form in forms if abs(len(form) - len(word)) <= _LONGEST_ENDING), "")


def respelled_terms(question: Question, view: ReadView) -> frozenset[str]:
    """Terms of records for those of the question that they lack and that are one slip away; none of a long text."""
    found = set[str]()
    for term in question.terms if len(question.terms) <= _MOST_TERMS else ():
        is_word = len(term) >= _SHORTEST_SLIP and term.isalpha()
        if is_word and view.terms_from(term, Source.RECORD, 1) != (term,):
            found.update(near for near in view.terms_from(term[:_KEPT], Source.RECORD) if is_slip(term, near))
    return frozenset(found)


def spelled_alike(question: Question, items: Iterable[RankedItem]) -> frozenset[str]:
    """The ids of the items with a long word that has half its triples of letters in common with one of the question."""
    asked = [_triples(term) for term in question.terms if len(term) >= _SHORTEST_EXCHANGE]

    def is_alike(item: RankedItem) -> bool:
        said = (_triples(term) for term in text_terms(item.text) if asked and len(term) >= _SHORTEST_EXCHANGE)
        return any(4 * len(one & other) >= len(one) + len(other) for one in said for other in asked)

    return frozenset(str(item.id) for item in items if is_alike(item))


@lru_cache(maxsize=4096)
def _triples(word: str) -> frozenset[str]:
    edged = f"<{word}>"
    return frozenset(edged[place : place + 3] for place in range(len(word)))


def is_slip(said: str, meant: str) -> bool:
    """Whether two words differ by a letter too many, missing, out of place, or, in a long word, by another letter."""
    if abs(len(said) - len(meant)) > 1 or min(len(said), len(meant)) < _SHORTEST_SLIP:
        return False
    same = next((place for place, (one, other) in enumerate(zip(said, meant, strict=False)) if one != other), None)
    if same is None:
        return len(said) != len(meant)
    rest, other = said[same:], meant[same:]
    if len(said) != len(meant):
        return rest[1:] == other or rest == other[1:]
    is_turned = rest[:2] == other[1::-1] and rest[2:] == other[2:]
    return is_turned or (len(said) >= _SHORTEST_EXCHANGE and rest[1:] == other[1:])

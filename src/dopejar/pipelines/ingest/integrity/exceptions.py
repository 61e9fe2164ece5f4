"""Exceptions: a permission, or an order to the contrary, that holds in a narrower place than the rule it departs from.

Takes: the words of a rule, and those of a later statement. Gives: whether the later one stands beside the rule. Never:
takes a permission without a place for an exception, or the whole project for a narrower place. Judges English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from dopejar.pipelines.ingest.integrity.choices import refuse_the_same, refuses_choice
from dopejar.pipelines.ingest.integrity.rule_endings import tells_rule_ended
from dopejar.text.code_languages import code_languages
from dopejar.text.lexicons import guess_language, lexicon
from dopejar.text.normalisation import fold
from dopejar.text.polarity import polarity
from dopejar.text.similarity import similar
from dopejar.text.text_values import has_digit
from dopejar.text.words import query_terms, stem
from dopejar.values.record import Draft, Record
from dopejar.values.scope import UNIVERSAL

_PERMITS: Final = re.compile(
    r"(?:\b(?:is|are|be)|'s|'re)(?: (?!not\b|never\b|no longer\b)[\w-]+){0,2}? "
    r"(?:fine|ok|okay|allowed|permitted|acceptable|alright|all right|welcome|optional)\b"
    r"|\b(?:you|we|i|they|one) (?:may|can|are (?:allowed|free) to)\b(?! ?not\b)|\b(?:may|can) (?:also |still )?be\b"
    r"|\b(?<!in )(?<!of )(?<!since )(?<!until )(?<!by )may (?!not\b)[a-z]+"
    r"|\bfeel free to\b|\bdo(?:es)?(?:n't| not) (?:mind|matter|need|have to)\b|\bno need\b|\bneed(?:n't| not)\b"
    r"|\b(?:not|n't) (?:necessary|required|needed)\b|^(?:allow|permit)\b"
)
_EXEMPTS: Final = re.compile(
    r"(?<!\bno )(?<!\bwithout )\bexceptions?\b|\bexempt(?:ed)?\b|\bdo(?:es)?(?:n't| not) (?:apply|hold|count)\b"
)
_ENDS: Final = re.compile(r"\b(?:any ?more|no longer|from now on|these days|after all)\b")
_NO_LONGER: Final = re.compile(r"\b(?:any ?more|no longer)\b")
_FROM_NOW: Final = re.compile(
    r"\b(?:now|again|from (?:here|today|this \w+|next \w+|\w+day) on(?:wards)?|from (?:now|today)|since|"
    r"these days|after all|going forward|already|as of)\b"
)
_STATE: Final = re.compile(  # of a thing at hand: it works, or looks well
    r"(?:^|[,;:] )(?:the|this|that|these|those|my|our|your|his|her|its|their|he|she|they|we|i|you|everything|all|it)\b"
    r"(?:(?! to\b)[^,;:.])*?(?:\b(?:is|are)|'s|'re)(?: [\w-]+){0,2}? (?:fine|ok|okay|alright|all right)\b(?! to\b)"
)
_ONCE: Final = re.compile(r"\b(?:this|that) (?:one|once|time)\b|\b(?:just|only) (?:this|once)\b|\bfor (?:now|today)\b")
_PLACE: Final = re.compile(
    r"\b(?:(?P<word>in|inside|within|for|on|at|during|under|after|before|with|only) (?P<place>[^,;:()]+?)"
    r"(?=[,;:()]|$|\s(?:and|but|or|since|because|as|so|in|inside|within|for|on|at|during|when|if|unless|only|is|are)\s)"
    r"|(?P<condition>when|whenever|while|if|unless|once|as long as|provided|where) (?P<what>[^,;:()]+))"
)
_WHOLE: Final = re.compile(
    r"(?:(?:this|that)(?: [\w-]+){0,2}|(?:(?:the|our|my|all(?: of)?(?: the| our| my)?) )?(?:whole |entire |current )?"
    r"(?:projects?|repos?|repositor(?:y|ies)|codebase|code base|code|app|application|product|workspace|monorepo|team|"
    r"company)|here|me|us|you|it|them|him|her|(?:every|any)\w*(?: \w+)?|all|general|principle|theory|practice|fact|"
    r"(?:the )?(?:future|moment|end|time being|meantime|record|whole|same)|now|today|once|good|sure|ever|"
    r"my (?:opinion|view|book|part)|account|purpose|default|[\d-]+)"
)


def is_exception(rule: str, later: str) -> bool:
    """Whether the later words permit, or order to the contrary, in a place that the rule does not name.

    "Pushing to main is fine in the docs repo" leaves "never push to main" as it is; "pushing to main is fine now" does
    not.
    """
    if guess_language(later) != "en":
        return False
    said, known = _read(later), _read(rule)
    if _ENDS.search(said) or _PERMITS.search(known):
        return False  # of two permissions the later one may take the place of the earlier one
    if _EXEMPTS.search(said):
        return True
    places = [(word, what) for word, what in _places(said) if not _names(known, what)]
    if _PERMITS.search(said):
        return bool(places)
    is_contrary = polarity(said) != polarity(known) or refuse_the_same(known, said) or refuses_choice(known, said)
    return is_contrary and any(f" {word} " not in f" {known} " for word, _ in places)


def forbid_apart(earlier: str, later: str) -> bool:
    """Whether one forbids a thing that the other does not speak of: who keeps the one can keep the other.

    "Never push to prod" and "never force push" both hold, and so does "use let in JS" beside "don't use eval in JS".
    Another number, an opposite, or words of change may mean one thing.
    """
    if guess_language(earlier) != "en" or guess_language(later) != "en":
        return False
    signs = polarity(earlier) + polarity(later)
    if signs > 0 or _ENDS.search(_read(later)) or _PERMITS.search(_read(later)):
        return False
    alike = similar(earlier, later)
    known, said = frozenset(query_terms(earlier)), frozenset(query_terms(later))
    is_of_one = alike.has_opposites or refuses_choice(earlier, later) or known <= said or said <= known
    if signs == 0:
        frame = frozenset(map(stem, (*lexicon("en").light, *code_languages(later))))
        is_of_one = is_of_one or not known & said or not known & said <= frame
    return not (is_of_one or (any(map(has_digit, known - said)) and any(map(has_digit, said - known))))


def may_lift(text: str) -> bool:
    """Whether the words permit something from now on, or say that a rule or something is over: they may end a rule.

    "The build is fine now" permits nothing, and what is said of one thing or one time lifts nothing.
    """
    said = _read(text)
    if _ONCE.search(said):
        return False
    if _NO_LONGER.search(said) or tells_rule_ended(text):
        return True
    return _FROM_NOW.search(said) is not None and _PERMITS.search(_STATE.sub("", said)) is not None


def binding_rules(draft: Draft, rules: Iterable[Record]) -> list[Record]:
    """The rules under other keys that a draft has to keep to: of its scope or of all, and none that it departs from."""
    return [
        rule
        for rule in rules
        if rule.chain != (draft.slot or draft.key)
        and rule.scope in (draft.scope, UNIVERSAL)
        and not is_exception(rule.text, draft.text)
    ]


@lru_cache(maxsize=1024)
def _read(text: str) -> str:
    return fold(text).replace("\u2019", "'").rstrip(".! ")


def _places(text: str) -> Iterator[tuple[str, str]]:
    """Each word that narrows, with what it narrows to; what is no narrower than the rule is left out."""
    start = 0
    while found := _PLACE.search(text, start):
        word, what = found["word"] or found["condition"], (found["place"] or found["what"]).strip()
        start = found.end() - len(what)  # what it narrows to may be narrowed again
        if query_terms(what) and not _WHOLE.fullmatch(what):
            yield word, what


def _names(rule: str, what: str) -> bool:
    """Whether the rule names all that a later statement is narrowed to."""
    return frozenset(query_terms(_FROM_NOW.sub(" ", what))) <= frozenset(query_terms(rule))

"""Parsing of questions: search terms, time windows, and what kind of answer they ask for.

Takes: the text of a question and its date. Gives: a frozen `Question`. Never: reads the memory or a clock.

The features only shift weights: a question in a language or form that no pattern knows is searched all the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from dopejar.pipelines.recall.asked_pieces import as_listed
from dopejar.text.dates import TimeWindow, parse_time_windows
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.lexicons import guess_language, question_words
from dopejar.text.normalisation import fold
from dopejar.text.words import content_words, folded_words, index_terms, query_terms, stem, words

_THE_USER: Final = lazy_pattern(
    r"\b(?P<verb>does|did|is|was|has|have|had|will|would|can|could|should) the user\b(?!['’])|\bthe user['’]s\b",
    re.IGNORECASE,
)
_REPLIES: Final = lazy_pattern(
    r"\b(?:did|have|had) you\b"
    r"|\byou(?:'ve| have|'d| had)? (?:said|told|gave|given|wrote|made|listed|shared|recommend\w*|suggest\w*|mention\w*"
    r"|provid\w*|explain\w*|advis\w*|propos\w*|describ\w*)\b"
    r"|\byour (?:advice|answer|explanation|proposal|recommendation|reply|suggestion)s?\b",
    re.IGNORECASE,
)
_REQUEST: Final = lazy_pattern(
    r"^(?:please )?(?:can|could|would|will) you (?!remind|recall|list|tell me what|summar|walk me through|give me an? )"
    r"|\bhow (?:should|can|do|would|could) (?:i|we)\b"
    r"|\b(?:what|which)\b.* (?:would|should|do) you (?:suggest|recommend|think)"
    r"|\bwhat (?:should|would|can) (?:i|we)\b"
    r"|\b(?:show|help|explain to|teach) me\b"
    r"|\b(?:i'm|i am|we're|we are) (?:planning|going|about|trying|looking|working)\b",
    re.IGNORECASE,
)
_MEASURE: Final = lazy_pattern(
    r"\b(?:when|how (?:many|much|long|old|often|far)|what (?:time|date|year|day|number)|percentage|amount)\b",
    re.IGNORECASE,
)
# What may stand before the verb of an order; asked politely, it ends with a question mark.
_ORDER: Final = lazy_pattern(
    r"(?:(?:please|now|then|ok|okay|and|let's|(?P<politely>(?:can|could|would|will) you))\b,? *)*(?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)
# When something was or began: the day on which it was told answers this.
_WHEN_IT_WAS: Final = lazy_pattern(
    r"\b(?:when (?:did|was|were|have|has|had)|since when|how long ago|last time|on (?:what|which) (?:day|date)"
    r"|(?:how long|(?:what|which) (?:day|date|month|year)) (?:did|have|has|had|was|were))\b",
    re.IGNORECASE,
)
_HAPPENED: Final = r"\b(?:did|was|were|had|came|went|got|began|\w{2,}ed)\b"
# Events one after another, or their number: they are told in order of time.
_OVER_TIME: Final = lazy_pattern(
    r"\b(?:in (?:what|which) order|order of (?:events|time)|chronolog\w*|how many times"
    r"|(?:which|what|who|how many)\b.*\bso far"
    rf"|{_HAPPENED}[^?]{{0,80}} (?:first|last|earlier|later)[,:] [^?]{{0,80}} or"
    rf"|{_HAPPENED}[^?]{{0,80}} or [^?]{{1,80}} (?:first|earlier|later)(?=\?)"
    r"|when (?:did|was|were)\b[^?]* (?:first|last|latest|most recent)\b(?! (?:name|resort)\b)"
    r"|in welcher reihenfolge|wie oft|wie viele male|dans quel ordre|combien de fois|en qué orden|cuántas veces"
    r"|em que ordem|quantas vezes|в каком порядке|сколько раз|v jakém pořadí|kolikrát)\b",
    re.IGNORECASE,
)
# What is asked of the present is asked of what holds; as a term it finds whatever was ever told to hold from then on.
_PRESENT: Final = lazy_pattern(
    r" ?\b(?:(?:right |by |as of )?now|nowadays|these days|currently|at (?:the moment|present)|presently)\b",
    re.IGNORECASE,
)
_FILE: Final = lazy_pattern(
    r"(?<![\w/.~@-])(?P<folders>(?:[~.]{0,2}/)?(?:[\w.@+()\[\]-]+/)*)(?P<name>[\w.+()\[\]-]*\w\w)\.(?P<ending>[a-z][a-z0-9]{0,7})"
    r"(?![\w/@])"
)


@dataclass(frozen=True, kw_only=True)
class Question:
    """A parsed question.

    `words` are all its words, folded, for names, and `stems` has them by their stems; `respelled` are terms of
    records in place of some that they lack. `is_about_self`: about the asker; `is_about_replies`:
    about what the assistant said; `is_request`: asks for help with a task, to which standing instructions apply;
    `is_task`: orders some work, whatever memory may tell of it;
    `wants_measure`: asks for a date, a time or a count; `asks_when_it_was`: when something was or began;
    `listed`: a question for a whole set as one for its members;
    `is_over_time`: asks in which order things happened, or how many times;
    `is_about_past`: about what was; `is_asking`: by a mark or a word of questions, where others only state a task or
    a situation. `files` are the terms that tell the files
    that it names from others, `names` those of names, and of whose something
    is: whom it is about, where that is not the asker.
    """

    text: str
    terms: tuple[str, ...]
    words: frozenset[str]
    windows: tuple[TimeWindow, ...] = ()
    is_about_self: bool = False
    is_about_replies: bool = False
    is_request: bool = False
    is_task: bool = False
    wants_measure: bool = False
    asks_when_it_was: bool = False
    is_over_time: bool = False
    listed: str = ""
    is_about_past: bool = False
    is_asking: bool = True
    respelled: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    @cached_property
    def stems(self) -> Mapping[str, tuple[str, ...]]:
        """The words by their stems."""
        forms: dict[str, tuple[str, ...]] = {}
        for word in self.words:
            forms[stem(word)] = (*forms.get(stem(word), ()), word)
        return forms

    def without_names(self, names: frozenset[str]) -> Question:
        """The same question without these names of speakers among its terms, unless no other term is left."""
        stems = {stem(name) for name in names}
        terms = tuple(term for term in self.terms if term not in stems)
        return replace(self, terms=terms or self.terms)


@lru_cache(maxsize=1)
def _data() -> dict[str, object]:
    import tomllib

    return tomllib.loads((Path(__file__).with_name("data") / "question.toml").read_text("utf-8"))


@lru_cache(maxsize=8)
def word_list(name: str) -> frozenset[str]:
    """A list of folded words from `data/question.toml`, read once."""
    return frozenset(str(_data()[name]).split())


@lru_cache(maxsize=8)
def phrases(name: str) -> tuple[str, ...]:
    """A list of folded phrases from `data/question.toml`, one per line, read once."""
    return tuple(line.strip() for line in str(_data()[name]).splitlines() if line.strip())


@lru_cache(maxsize=1)
def _remembering_stems() -> frozenset[str]:
    return frozenset(map(stem, word_list("talk")))


def _terms(text: str) -> tuple[list[str], frozenset[str]]:
    """The terms of a question, and those among them that name a file.

    A file is named by its name and the innermost of several folders. The outer folders and the ending of the name are
    those of half a repository: they are no terms, unless the question has them elsewhere.
    """
    found = [*_FILE.finditer(text)] if "." in text else []
    if not found:
        return query_terms(text), frozenset()
    named: list[str] = []
    outer: set[str] = set()
    for match in found:
        folders = [folder for folder in match["folders"].split("/") if folder.strip("~.")]
        named += [
            stem(f"{match['name']}.{match['ending']}"),
            *index_terms(" ".join([*folders[1:][-1:], match["name"]])),
        ]
        outer.update(index_terms(" ".join(folders[:1])))
    names = dict.fromkeys(named)
    rest = _FILE.sub(" ", text)
    said = query_terms(rest) if rest.strip() else []
    return list(dict.fromkeys([*said, *names])), frozenset(names) - outer


def names_in(text: str) -> frozenset[str]:
    """The terms of the names in a question, and of the owners: "callum's bedroom" names Callum without a capital."""
    capitals = [word for word in words(text)[1:] if word[:1].isupper() and not word[1:].isupper()]
    owners = [word for word in folded_words(text) if word.endswith("'s") and word[:-2] not in question_words("en")]
    return frozenset(map(stem, (*capitals, *owners))) - frozenset(map(stem, word_list("self")))


def _is_task(text: str) -> bool:
    """Whether a folded text orders work of an assistant: "write a poem", "can you fix the test?". Judges English.

    To tell, show or list something is what memory itself is asked for.
    """
    order = _ORDER.match(text.strip())
    is_order = order is not None and (bool(order["politely"]) or not text.rstrip().endswith("?"))
    if order is None or not is_order or order["verb"] in word_list("asks"):
        return False
    from dopejar.pipelines.corrections.wording.verbs import ordering_verbs  # few questions begin like an order

    return order["verb"] in ordering_verbs() | word_list("orders")


def as_asked_by_user(text: str) -> str:
    """A question about "the user" as the user asks it: "does the user smoke" as "does I smoke", for its words."""
    return _THE_USER.sub(lambda match: f"{match['verb']} I" if match["verb"] else "my", text)


def as_of_now(text: str) -> str:
    """A question without the words that ask it of the present, as all are that name no time."""
    without = _PRESENT.sub("", text)
    return without if without != text and content_words(without) else text


def parse_question(text: str, asked_on: date, *, is_part: bool = False) -> Question:
    """Parse a question. Words that name a time become windows; words about remembering are dropped from the terms.

    Agents ask about "the user", who said "I": the question is read as the user's own. One for a part of what another
    asks is for no set.
    """
    windows, rest = parse_time_windows(text, asked_on)
    rest = as_asked_by_user(rest)
    rest = as_of_now(rest)
    all_terms, files = _terms(rest if rest.strip() else text)
    folded = fold(text)
    said = folded_words(text)
    names = frozenset(said) | frozenset(word.removesuffix("'s") for word in said)
    is_about_self = bool(_THE_USER.search(text)) or not names.isdisjoint(word_list("self"))
    if is_about_self and not windows and not content_words(rest):
        all_terms = []  # the words of "who am I?" are in all that the user ever said
    return Question(
        text=text,
        terms=tuple(term for term in all_terms if term not in _remembering_stems()) or tuple(all_terms),
        words=names,
        windows=windows,
        is_about_self=is_about_self,
        is_about_replies=bool(_REPLIES.search(folded)),
        is_request=bool(_REQUEST.search(folded)),
        is_task=_is_task(folded),
        wants_measure=bool(_MEASURE.search(folded)),
        asks_when_it_was=bool(_WHEN_IT_WAS.search(folded)),
        listed="" if is_part else as_listed(rest),
        is_over_time=bool(_OVER_TIME.search(folded)),
        is_asking="?" in text or "？" in text or not names.isdisjoint(question_words(guess_language(text))),
        files=files,
        names=frozenset() if is_about_self else names_in(text) & frozenset(all_terms),
        is_about_past=any(window.last < asked_on for window in windows) or not names.isdisjoint(word_list("past")),
    )

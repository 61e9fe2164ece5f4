"""What a statement shows of its worth: how much it says, what it names, who speaks in which form, where it points.

Takes: the words of an English statement. Gives: named features from 0 to 1; one that is missing is 0. Never: weighs
them; see `score`.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Final

from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.salience.antecedents import refers_out
from dopejar.pipelines.ingest.salience.content_words import carried
from dopejar.pipelines.ingest.salience.ellipsis import dangling

_WORD: Final = re.compile(r"[^\W\d_][\w'-]*|\d[\w.,:%-]*")
_MONTHS: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b"
_DAYS: Final = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b"
_SAW: Final = {
    "names": re.compile(rf"(?<=[\w,;)] )(?!{_MONTHS}|{_DAYS})[A-Z][a-z]\w"),
    "money": re.compile(r"[$€£]\d"),
    "date": re.compile(rf"\b(?:{_MONTHS}|{_DAYS}|(?:19|20)\d\d\b|(?:last|next) \w+|yesterday\b)"),
    "piece of a list": re.compile(r"^\W|^[ivxIVX]+\)|:$|\*\*"),
}
_THIS: Final = re.compile(
    r"\b(?:this|these|those)\b(?! (?:week|weekend|month|year|morning|afternoon|evening|quarter|spring|summer|"
    r"autumn|fall|winter|semester|term|season|time|day)\b)",
    re.IGNORECASE,
)
_CODE: Final = re.compile(
    r"`|\w\.(?:py|js|ts|css|html|json|md|toml|env)\b|\w_\w|\w\(\)|[a-z][A-Z]\w|\w\\\w|\w/\w+\.\w|v?\d+\.\d+\.\d"
)
_SIGN_OF_CODE: Final = re.compile(r"[`._(/\\]|[a-z][A-Z]")
_PRONOUNS: Final = frozenset(
    [
        "it",
        "it's",
        "its",
        "they",
        "they're",
        "they've",
        "them",
        "their",
        "he",
        "he's",
        "him",
        "his",
        "she",
        "she's",
        "her",
        "one",
        "ones",
    ]
)
_POINTERS: Final = _PRONOUNS | frozenset(["itself", "theirs", "hers", "this", "these", "those", "such", "then", "that"])
_STATE: Final = re.compile(  # what somebody has, is and does in general
    r"^(?:(?:i|we) (?:also |still |only |always |never |usually )*(?:have(?! to\b)|own|am(?! \w+ing)|live|work|speak|"
    r"play|study|drive|use|call)\b|(?:i'm|we're) (?!(?:also |just |really |currently |still )*\w+ing\b)|"
    r"(?:my|our) [\w' -]+ (?:is|are|(?:has|have)(?! (?:\w+e[dn]|gone|become|made|got)\b)|lives?|works?|takes?|loves?|"
    r"likes?)\b)",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(  # "On Hulu, I ...": who speaks comes behind
    r"^[^,]{2,60}, (?=(?:i|i'm|i've|i'd|we|we're|we've|my|our)\b)", re.IGNORECASE
)
_OPENS: Final = {
    **dict.fromkeys(["i", "i'm", "i've", "i'd", "i'll"], "I"),
    **dict.fromkeys(["we", "we're", "we've", "we'd", "we'll", "my", "our"], "we"),
    **dict.fromkeys(["the", "a", "an"], "the"),
}
_SPEAKER: Final = frozenset([*_OPENS, "me", "mine", "myself", "us", "ours"]) - {"the", "a", "an"}
_FORMS: Final = {"'m": "am", "re": "am", "ve": "have", "'d": "would", "ll": "would"}
_AUXILIARIES: Final = {
    **dict.fromkeys(["am", "are"], "am"),
    **dict.fromkeys(["was", "were"], "was"),
    **dict.fromkeys(["will", "would", "can", "could", "should", "may", "might"], "would"),
    **dict.fromkeys(["do", "did", "don't", "didn't"], ""),
}
_FULL: Final = 8  # words that carry a meaning; more do not count
_BRIEF: Final = 7  # words
_PLAIN: Final = 14  # words
_LONG: Final = 30  # words; more do not count
_OFTEN: Final = 4  # times
_EARLY: Final = 8  # words, within which a verb is looked for


@lru_cache(maxsize=1)
def _tables() -> tuple[Mapping[str, str], Mapping[str, str], frozenset[str], frozenset[str]]:
    """The group of each form of a verb, that of each noun, adverbs that may stand before a verb, what is no present."""
    with files("dopejar.pipelines.ingest").joinpath("data", "worth_words.toml").open("rb") as stream:
        rows = tomllib.load(stream)
    verbs = {form: name for name, row in rows["verbs"].items() for one in row.split() for form in _verb_forms(one)}
    nouns = {form: name for name, row in rows["nouns"].items() for one in row.split() for form in _plurals(one)}
    return verbs, nouns, frozenset(rows["adverbs"].split()), frozenset(rows["no_present"].split())


def _verb_forms(word: str) -> Iterator[str]:
    stem = word.removesuffix("e")
    yield from (word, f"{word}s", f"{word}es", f"{stem}ed", f"{stem}ing", f"{word}{word[-1]}ed", f"{word}{word[-1]}ing")
    if word.endswith("y"):
        yield from (f"{word[:-1]}ied", f"{word[:-1]}ies")


def _plurals(word: str) -> Iterator[str]:
    yield from (word, f"{word}s", f"{word}es")
    if word.endswith("y"):
        yield f"{word[:-1]}ies"


def features(text: str) -> dict[str, float]:
    """What a statement shows, by name; a measure lies between 0 and 1, all else is 1."""
    low = text.lower()
    words = _WORD.findall(low)
    found = {name: 1.0 for name, pattern in _SAW.items() if pattern.search(text)}
    found |= _size(text, len(words))
    found |= _pointing(text, words)
    found |= dict.fromkeys(dangling(text, words), 1.0)
    if _SIGN_OF_CODE.search(text) and _CODE.search(text):
        found["code"] = 1.0
    about = Counter(group for word in words if (group := _tables()[1].get(word)))
    found |= {f"about {group}": 1.0 for group in about}
    if about["code"] > 1:
        found["much about code"] = min(about["code"] - 1, 3) / 3
    lead = _LEAD.match(text)
    found |= _spoken(_WORD.findall(low, lead.end()) if lead else words)
    return found


def _size(text: str, words: int) -> dict[str, float]:
    """How much is said. What somebody has or is takes one word that carries a meaning."""
    carrying = carried(text)
    found = {"carries": min(carrying, _FULL) / _FULL, "length": min(words, _LONG) / _LONG}
    if not carrying:
        found["carries nothing"] = 1.0
    elif words <= _PLAIN and _STATE.match(text):
        found["a state, briefly" if words <= _BRIEF else "a state"] = 1.0
    elif carrying == 1:
        found["carries one word"] = 1.0
    return found


def _pointing(text: str, words: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Whose things it speaks of, and where it leans on what only the talk around it holds."""
    if "my" in words or "our" in words:
        yield "own", 1.0
    if not _POINTERS.isdisjoint(words):
        if refers_out(text):
            yield "points outside", 1.0
        if not _PRONOUNS.isdisjoint(words):
            yield "pronoun", 1.0
        if _THIS.search(text):
            yield "this", 1.0
    for name in ("talk", "answer"):
        if cues("en").has(f"alone.{name}", text):
            yield f"of the {name}", 1.0
    if "the" in words:
        yield "the", min(words.count("the"), _OFTEN) / _OFTEN


def _spoken(words: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Who speaks, in which form, and what kind of verb is said."""
    verbs, _, adverbs, _ = _tables()
    first = words[0] if words else ""
    opens = _OPENS.get(first, "")
    if _SPEAKER.isdisjoint(words):
        yield "nobody speaks", 1.0
    yield f"opens with {opens or 'another word'}", 1.0
    if opens not in ("I", "we"):
        return
    rest = [word for word in words[1:_EARLY] if word not in adverbs]
    form, verb = _form(first, [*rest, "", ""])
    if form:
        yield f"in the form {form}", 1.0
    elif first in ("i", "we") and _is_present(verb):
        yield "in the form present", 1.0
    if verb in verbs:
        yield f"verb of {verbs[verb]}", 1.0


def _is_present(verb: str) -> bool:
    """Whether a verb without another before it says what is so in general: "I work", "we keep"."""
    return verb.isalpha() and not verb.endswith("ed") and verb not in _tables()[3]


def _form(first: str, rest: Sequence[str]) -> tuple[str, str]:
    """In which form it is said (am, was, have, been, would; "" for none of them), and the verb behind it."""
    form = _FORMS.get(first[-2:], "") if "'" in first else ""
    if not form and rest[0] in _AUXILIARIES:
        form, rest = _AUXILIARIES[rest[0]], rest[1:]
    elif not form and rest[0] in ("have", "had") and (rest[1] == "been" or rest[1].endswith(("ed", "en"))):
        form, rest = "have", rest[1:]
    if form == "have" and rest[0] == "been":
        form, rest = "been", rest[1:]
    return form, rest[0]

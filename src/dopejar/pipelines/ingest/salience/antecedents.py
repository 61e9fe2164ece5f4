"""Antecedents: whether every word that points at something finds it within its own statement.

Takes: the words of a statement. Gives: whether one of them points outside ("an article about it", "these problems",
"move closer to him"). Never: guesses what is meant; see `references` for what is safe to name.
"""

from __future__ import annotations

import re
from typing import Final

_POINTS: Final = re.compile(
    r"\b(?:it|its|it's|itself|they|they're|they've|them|their|theirs|he|he's|him|his|she|she's|her|hers|"
    r"this|these|those|ones|one(?=$|[,.;)]| (?:for|from|on|with|in|at|that|i|we|and|but|to)\b)|(?<=been to )one|"
    r"(?:tried|attended|had|got|used|bought|seen|made|need|want|own|get|try) one(?= (?:myself|before|yet|already|too|"
    r"now|soon)\b|$)|such an? \w+|"
    r"(?:since|by|until|before) then|"
    r"(?:do|doing|did|done|than) that(?=$|[,.;)]| (?:and|but|so|too|as|in|for|with|by|when)\b)|"
    r"(?:with|about|of|like|for|to|on|in|at|during|by|from) that(?! (?:i|we|he|she|they|is|are)\b))(?![\w'])",
    re.IGNORECASE,
)
_TIMES: Final = re.compile(
    r"^\s*(?:past |coming |last |next |same )?(?:week|weekend|month|year|morning|afternoon|evening|quarter|spring|"
    r"summer|"
    r"autumn|fall|winter|semester|term|season|time|day|days|january|february|march|april|may|june|july|august|"
    r"september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|project|repo|"
    r"repository|codebase|machine|computer|house|flat|city|country)\b",
    re.IGNORECASE,
)
_RELATIVE: Final = re.compile(
    r"^\s*(?:who|whom|whose|that|which|in|of|with|from|on|at|for|i|we|are|were)\b", re.IGNORECASE
)
# "It is hard to ...", "found it easy to ...": stands for what follows
_EXPLETIVE: Final = re.compile(
    r"^(?:'s| is| was| has been| can be| would be| might be| takes| took| seems| turns out| feels)?"
    r"(?: (?:so|very|too|really|quite|a bit|pretty|more|not|just|also))* "
    r"(?:hard|easy|easier|harder|difficult|possible|impossible|important|essential|clear|challenging|helpful|useful|"
    r"best|better|worth|nice|great|fun|tough|a \w+ to|time to|\w+ (?:to|that|when|for me to))\b",
    re.IGNORECASE,
)
# A pronoun does not mean what stands beside it under the same verb: its antecedent lies behind one of these.
_BOUNDARY: Final = re.compile(
    r"[,;:\u2013\u2014]|\b(?:and|but|or|so|because|since|when|whenever|while|after|before|if|which|that|who|whose|"
    r"where|to|as|until|once|then|than|though|although|how|why|what|\w{2,}ing)\b",
    re.IGNORECASE,
)
_NOUN: Final = re.compile(
    r"\b(?:my|our|the|a|an|some|any|each|every|no|two|three|four|five|\d[\d,.]*) (?!lot\b|big fan\b|huge fan\b|fan\b|"
    r"bit\b|few\b|bunch\b|couple\b|pair\b|"
    r"while\b|ton\b|way\b|good\b|great\b|new one\b)\w|(?<=[\w,] )(?!I\b|I')[A-Z]\w|^(?!I\b|I'|We\b|We')[A-Z]\w+ \w|"
    r"[\"“`]",
)
_PLURAL: Final = re.compile(
    r"\b(?!(?:is|was|has|does|this|his|its|yes|always|us|as|plus|perhaps|besides|sometimes|lots)\b)\w{2,}(?<!s)s\b|"
    r"\b(?:people|children|kids|family|team|staff|company|couple|group|both|men|women|friend|someone|everyone|anyone|"
    r"somebody|[A-Z]\w+ and [A-Z]\w+)\b|(?<=[\w,] )(?!I\b|I')[A-Z]\w",
)
_PERSON: Final = re.compile(
    r"\b(?:wife|husband|partner|boss|sister|brother|friend|son|daughter|mother|father|mom|mum|dad|aunt|uncle|cousin|"
    r"niece|nephew|grand\w+|girlfriend|boyfriend|roommate|fianc\w+|child|kid|baby|man|woman|girl|boy|dog|cat|puppy|"
    r"kitten|horse|pet|someone|person|lady|guy|neighbou?r|colleague|doctor|dentist|vet|client|king|queen|"
    r"(?:my|our|the|an?|this|that) (?:\w+ )?\w{3,}(?:er|or|ist|ian|ant|ess))\b|(?<=[\w,'’] )(?!I\b|I')[A-Z]\w|"
    r"^(?!I\b|I'|We\b|We'|My\b|The\b|Our\b)[A-Z]\w+ "
)
_PLURALS: Final = frozenset(["they", "they're", "they've", "them", "their", "theirs", "these", "those", "ones"])
_PERSONS: Final = frozenset(["he", "he's", "him", "his", "she", "she's", "her", "hers"])
_BEFORE_ONE: Final = re.compile(
    r"\b(?:(?:a|an|the|that|this|another) (?:\w+ )?|been to |which |\w+est )$", re.IGNORECASE
)
_FREE: Final = frozenset(["its", "their", "his", "her", "ones", "one"])  # may stand beside what they mean


def refers_out(text: str) -> bool:
    """Whether something in the statement points at what only the talk around it names."""
    return any(_hangs(found, text) for found in _POINTS.finditer(text))


def _hangs(found: re.Match[str], text: str) -> bool:
    word, before, after = found.group(0).lower(), text[: found.start()], text[found.end() :]
    if word in ("this", "these", "those"):
        if _TIMES.match(after) or (word == "those" and _RELATIVE.match(after)):
            return False
    elif word in ("it", "it's") and _EXPLETIVE.match(after):
        return False
    if word.startswith("such"):
        return True  # of a kind that was told before
    if word == "one":
        chosen = _BEFORE_ONE.search(before)
        if chosen is None:
            return False  # a number, or anybody
        before = before[: chosen.start()]
    return not _is_named(word, before)


def _is_named(word: str, before: str) -> bool:
    if word not in _FREE:
        ends = [one.start() for one in _BOUNDARY.finditer(before)]
        if not ends:
            return False
        before = before[: ends[-1]]
    kind = _PERSON if word in _PERSONS else _PLURAL if word in _PLURALS else _NOUN
    return kind.search(before) is not None

"""Values that statements give: a name and its figure, version, host, port or path, in the words of the statement.

Takes: texts. Gives: names with their values. Never: a value without a name, or a word that is not in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from dopejar.pipelines.garden.block_fact import tag_cue_words
from dopejar.pipelines.graph.entity_lexicon import canonical_tool, entity_lexicon
from dopejar.pipelines.ingest.keys.value_families import Member, values_named
from dopejar.text.code_languages import code_languages
from dopejar.text.measures import read_measure
from dopejar.text.normalisation import fold

_WEAK: Final = re.compile(  # in front of a word that means other things too, where it is meant as a tool
    r"\b(?:use|uses|using|on|with|in|run|runs|running|have|has|version)\s+$", re.IGNORECASE
)
_VERSION: Final = re.compile(
    r"(?:[ -]| version )?v?(?P<v>\d+(?:\.\d+)*(?:-?(?:LTS|lts|rc\d*|beta\d*))?)(?![\w,:/%])(?!\.\d)"
)
_TOKEN: Final = re.compile(r"(?<![\w#+/.-])\w[\w.#+-]*\w(?![\w/])")
_NO_TOOL: Final = re.compile(
    r"(?:Port|To|On|At|In|Is|Has|Of|Version|Revision|Release|Chapter|Section|Table|Figure|Room|Step|Level|About|Only|Over|Under)"
)
_PLACE: Final = (
    r"(?P<port>(?:TCP |UDP )?[Pp]orts? \d{2,5}\b)"
    r"|(?P<host>\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|https?://[^\s,;\"'”)]*[\w/]"
    r"|\b(?:localhost|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|app|internal|local|lan|edu|gov|cloud|test))(?::\d+)?\b"
    r"|\b[a-z]+(?:-[a-z0-9]+)*-\d+\b)"
    r"|(?P<path>(?<![\w/.])(?:(?:~|\.{1,2})?/[\w.@-]+(?:/[\w.@*-]+)*/?|[$.]?[\w-]{2,}/[\w.@/-]*[A-Za-z]\w/?))"
)
_LOCATION: Final = re.compile(_PLACE)
_AMOUNT: Final = re.compile(
    r"(?<![\w-])(?P<amount>[$€£] ?\d[\d.,]*\d|[$€£] ?\d|\d{1,2}:\d\d(?: ?(?:UTC|GMT|am|pm|[CP]E?S?T)\b)?"
    r"|\d{4}-\d\d-\d\d"
    r"|\+\d{1,3}(?:[ -]\d{2,})+|\+?\d[\d.,]*(?![\w])(?: by \d[\d.,]*)?(?: ?%"
    r"| (?!(?:and|or|is|are|on|in|at|to|by|for|with|of|per|a|the)\b)"
    r"[A-Za-zµ]+)?(?: (?:per|a|an|each|every) (?!half\b)[a-z]+)?)"
)
_ASSIGNED: Final = re.compile(
    r"(?<![\w.=])(?P<n>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]{3,}) ?= ?(?P<v>[\"']?[\w./:@+-]*[\w/][\"']?)(?!=)"
)
_SUBJECT: Final = re.compile(
    r"^(?:.*?: )?(?:\w+ (?:says|said|thinks|wrote|told me|confirmed|claims)(?: that)? )?"
    r"(?:(?:the|our|my|their|his|her|a|an|this|that) )?(?P<n>[\w\"'’./()-]+(?: [\w\"'’./()-]+){0,5}?)(?:['’]s)? "
    r"(?:(?:now|still|currently|always|usually|only|also|already) )*"
    r"(?:is|are|was|were|has|have|had|allows?|permits?|runs?|listens?|lives?|lies?|sits?|stays?|stands?|weighs?|costs?|takes?|lasts?|measures?|keeps?|holds?|starts?|ends?|uses?|needs?|"
    r"goes|go|serves?|supports?|reach(?:es)?|gets?|comes?|opens?|closes?|points?|connects?|binds?|writes?|reads?|logs?|"
    r"amounts?|expires?|belongs?)\b"
    r"(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_NO_NAME: Final = re.compile(
    r"(?:i|we|you|he|she|it|they|this|that|these|those|there|here|who|what|which|one|everybody|everyone|nobody)\b"
    r"|.*\b(?:not|never|no|can|will|could|should|must|may|might|would)$",
    re.IGNORECASE,
)
_WHERE: Final = re.compile(  # "... is hosted on two small machines"
    r"(?: (?:\w+ed|kept|built|run|running|written|set|now|still))?(?: (?:on|in|at|under|to|with|from|by|behind|as))?"
    r" (?:an? |the |our )?(?P<v>[\w.+#@-]+(?: [\w.+#@-]+){0,3})[ .!]*"
)
_SHORT: Final = 2  # letters of what is more often something else: "R5" is a camera
_LONGEST: Final = 300  # characters of a statement that is read


class ValueKind(StrEnum):
    """What a value is."""

    VERSION = "version"
    PORT = "port"
    HOST = "host"
    PATH = "path"
    AMOUNT = "amount"


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedValue:
    """A name and its value, as written; of a tool that is said to be in use without a version, no value.

    `family` is the family of the tool that is named, "" where it is none.
    """

    name: str
    value: str
    kind: ValueKind
    family: str = ""


def tools_named(text: str) -> tuple[NamedValue, ...]:
    """The tools, languages and systems that a text names, with their versions."""
    known = [one for one in values_named(text) if _is_tool(one, text)]
    found: list[tuple[int, NamedValue]] = []
    for one in known:
        version = _VERSION.match(text, one.end)
        name, value = text[one.start : one.end], version["v"] if version else ""
        found.append((one.start, NamedValue(name=name, value=value, kind=ValueKind.VERSION, family=one.family)))
    taken = [range(one.start, one.end) for one in known]
    for match in _TOKEN.finditer(text):
        version = _VERSION.match(text, match.end())
        is_known = len(match[0]) > _SHORT and bool(code_languages(match[0] + (version[0] if version else "")))
        is_named = (
            version is not None and "." in version["v"] and match[0][0].isupper() and not _NO_TOOL.fullmatch(match[0])
        )
        if (is_known or is_named) and not any(match.start() in place for place in taken):
            tool = NamedValue(name=match[0], value=version["v"] if version else "", kind=ValueKind.VERSION)
            found.append((match.start(), tool))
    return tuple(one for _, one in sorted(found, key=lambda pair: pair[0]))


def _is_tool(one: Member, text: str) -> bool:
    if one.family in entity_lexicon().no_tools:
        return False
    return not one.weak or _VERSION.match(text, one.end) is not None or _WEAK.search(text, 0, one.start) is not None


def value_given(text: str, *, of_systems: bool = False) -> NamedValue | None:
    """The value that a statement gives its subject, the first of several.

    `of_systems`: only a port, host, path, size or duration, as systems have them.
    """
    found = _SUBJECT.match(text[:_LONGEST])
    if found is None or _NO_NAME.match(found["n"]):
        return None
    location = _LOCATION.search(found["rest"])
    amount = _AMOUNT.search(found["rest"])
    if amount is not None and of_systems and read_measure(amount[0]) is None:
        amount = None
    chosen = min((one for one in (location, amount) if one is not None), key=lambda one: one.start(), default=None)
    if chosen is None or chosen.lastgroup is None:
        return None
    value = chosen[0].strip(" .,")
    return NamedValue(name=found["n"].strip(" \"'"), value=value, kind=ValueKind(chosen.lastgroup)) if value else None


def place_given(text: str) -> NamedValue | None:
    """Where or on what a part of a system is, in a few words: "The CI server runs on self-hosted machines"."""
    found = _SUBJECT.match(text[:_LONGEST])
    if found is None or _NO_NAME.match(found["n"]):
        return None
    last = fold(found["n"].split()[-1])
    value = _WHERE.fullmatch(found["rest"])
    nouns = entity_lexicon().nouns.keys() | tag_cue_words("systems")
    if value is None or not (last in nouns or last.removesuffix("s") in nouns or canonical_tool(last)):
        return None
    return NamedValue(name=found["n"], value=value["v"], kind=ValueKind.HOST)


def values_assigned(text: str) -> tuple[NamedValue, ...]:
    """What a text sets by name: NAME=VALUE."""
    return tuple(
        NamedValue(name=one["n"], value=one["v"].strip("\"'"), kind=ValueKind.AMOUNT)
        for one in _ASSIGNED.finditer(text)
    )

"""Entities: the people, projects, services, tools, files and places that a statement names.

Takes: the words of an atom. Gives: entities with their kind, canonical id and place. Never: looks anything up; the same
words name the same entities whatever is known.

One expression cuts the text into code, addresses, paths, handles and words; what a word is follows from tables and from
the words beside it. A name whose kind nothing tells is a `thing`, and stands for the same name of any kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from dopejar.pipelines.graph.entity_lexicon import DETERMINERS, LONGEST, canonical_tool, entity_lexicon, slug
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import fold
from dopejar.values.edge import ENTITY_KINDS, equivalent_entities

MOST: Final = 24
"""Entities of one statement; a longer list is a dump, not a statement."""

_NAME_WORDS: Final = 4
_SHOUTED: Final = 5  # capitalised words that may make a heading
_EXTENSIONS: Final = (
    "py|pyi|md|rst|txt|toml|ya?ml|json|jsonl|ini|cfg|conf|env|lock|sql|sh|ps1|js|mjs|ts|tsx|jsx|vue|css|scss|html?|xml"
    "|csv|tsv|rs|go|java|kt|swift|c|h|cc|cpp|hpp|cs|rb|php|pl|lua|tf|proto|graphql|ipynb|log|pdf|docx?|xlsx?|pptx?"
)
_TOKEN: Final = re.compile(
    r"`(?P<code>[^`\n]{1,80})`"
    r"|(?P<url>https?://[^\s<>\"')\]]+)"
    r"|(?P<mail>[\w.+-]+@[\w-]+\.[\w.-]+)"
    r"|(?P<handle>(?<![\w/.])@[A-Za-z][\w-]{1,38}(?![\w/@]))"
    rf"|(?P<path>(?<![\w/.~])(?:(?:~|\.{{1,2}})/[\w.@-]+|/[\w.@-]+(?=/))(?:/[\w.@-]+)*/?|[\w.-]+(?:/[\w.@-]+)*/[\w@-][\w.@-]*\.(?:{_EXTENSIONS})\b"
    rf"|[\w-][\w.-]*\.(?:{_EXTENSIONS})\b(?!\.\w))"
    r"|(?P<host>(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|internal|local|edu|gov|co|eu|uk|de|fr|pt|es|cz|cloud|test)"
    r"\b(?![\w./-]))"
    r"|(?P<word>[^\W_][\w'’+#-]*(?:\.[^\W_][\w-]*)*)"
)
_SPECIAL: Final = re.compile(r"[`@/]|\w\.\w")  # without these every token is a word
_PLAIN: Final = re.compile(r"(?P<word>[^\W_][\w'’+#-]*)")
_SCRIPT: Final = re.compile(
    r"(?:node|next|vue|nest|react|express|three|d3|solid|nuxt|ember|backbone|chart)\.js\Z", re.I
)
_SHAPED: Final = re.compile(r"[a-z][A-Z]|[A-Z].*\d|[A-Za-z]\w*-\w+-\d")  # FastAPI, K8s: written as names are
_RANK: Final = re.compile(r"[A-Z]\d\Z|v?\d")  # Q3, P1: a quarter, a priority
_COMPOUND: Final = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+\Z")
_END: Final = re.compile(r"[.!?:;]['\"’”)]*\s+$|\n\s*$|^\s*(?:[-*•]\s+)?$|[\"“(]$")
_ENGLISH: Final = frozenset({"the", "my", "i", "and", "of", "our", "with", "we", "to", "is"})  # none is German
_CAPITAL_NOUNS: Final = frozenset({"de"})  # languages that write every noun with a capital
_CALLED: Final = frozenset({"called", "named", "is", "was"})


@dataclass(frozen=True, slots=True)
class Entity:
    """Something named at a place of the text. `start` and `end` take in the noun that tells its kind."""

    kind: str
    name: str
    start: int
    end: int

    @property
    def id(self) -> str:
        """The canonical id: kind, colon, folded name."""
        return f"{self.kind}:{self.name}"


class _Token(NamedTuple):  # there are many, and tuples are made quickest
    kind: str
    text: str
    folded: str
    start: int
    end: int


def _tokens(text: str) -> list[_Token]:
    found = []
    for match in (_TOKEN if _SPECIAL.search(text) else _PLAIN).finditer(text):
        kind = match.lastgroup or "word"
        word = match.group(kind)
        start, end = match.span()
        if kind != "word":
            found.append(_Token(kind, word, word, start, end))
            continue
        if not word.isalpha():
            word = word.rstrip("-'’")
            end = start + len(word)
            word = word[:-2] if word.endswith(("'s", "’s")) else word
        found.append(_Token(kind, word, word.casefold(), start, end))
    return found


@dataclass(frozen=True, slots=True)
class EntityMentions:
    """What a text names, in order, and its words, folded."""

    entities: tuple[Entity, ...]
    words: frozenset[str]


def extract_entities(text: str) -> EntityMentions:
    """The entities that a text names, each place once, at most `MOST`."""
    reader = _Reader(text)
    watched = reader.words.watched
    place = 0
    for number, token in enumerate(reader.tokens):
        word = token.text
        if word == token.folded and word not in watched and word.isalpha() and token.kind == "word":
            continue  # a plain word that no table knows
        if number < place:
            continue  # read already, with the one before
        place = reader.step(number)
        if len(reader.found) >= MOST:
            break
    return EntityMentions(tuple(reader.found), reader.spoken)


class _Reader:
    """One pass over the tokens of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.words = entity_lexicon()
        self.found: list[Entity] = []
        self.spoken = frozenset([one.folded for one in self.tokens])
        capitals = sum([one.text != one.folded for one in self.tokens])
        is_title = capitals >= _SHOUTED and 2 * capitals > len(self.tokens)  # a heading, or shouting
        self._has_plain_capitals = not is_title  # they mark names
        if capitals > 1 and not is_title and self.spoken.isdisjoint(_ENGLISH):
            self._has_plain_capitals = guess_language(text) not in _CAPITAL_NOUNS

    def step(self, place: int) -> int:
        """Read what begins at a token; the place to go on from."""
        token = self.tokens[place]
        if token.kind != "word":
            self._address(token)
            return place + 1
        for read in (self._tool, self._name, self._service):
            after = read(place)
            if after:
                return after
        return place + 1

    def _put(self, kind: str, name: str, start: int, end: int) -> None:
        made = slug(name)
        if len(made) > 1 and not made.isdigit():
            self.found.append(Entity(kind, made, start, end))

    def _address(self, token: _Token) -> None:
        """Code, a URL, a host, a handle or a path; a mail address names nothing that we keep."""
        start, end = token.start, token.end
        if token.kind == "code":
            self._code(token.text.strip(), start, end)
        elif token.kind == "url":
            kind, name = _of_url(token.text)
            self._put(kind, name, start, end)
        elif token.kind == "host":
            self._put("tool" if canonical_tool(token.text) else "host", canonical_tool(token.text) or token.text, start, end)
        elif token.kind == "handle":
            self._put("person", token.text[1:], start, end)
        elif token.kind == "path":
            self._path(token.text.rstrip(".-"), start, end)

    def _path(self, path: str, start: int, end: int) -> None:
        tool = canonical_tool(path) or (path if _SCRIPT.search(path) else "")
        if tool:
            self._put("tool", tool, start, end)
        elif name := fold(path.removeprefix("./")).strip()[:LONGEST]:
            self.found.append(Entity("file", name, start, end))

    def _code(self, code: str, start: int, end: int) -> None:
        tool = canonical_tool(code)
        inner = _TOKEN.fullmatch(code)
        if tool:
            self._put("tool", tool, start, end)
        elif inner is not None and inner.lastgroup in ("path", "url", "host"):
            self._address(_Token(inner.lastgroup, code, code, start, end))
        elif inner is not None and inner.lastgroup == "word":
            noun, last = self._noun_behind(end)
            self._put(noun or "thing", code, start, last or end)

    def _noun_behind(self, end: int) -> tuple[str, int]:
        """The kind that the very next word tells, and where that word ends."""
        if self.text[end : end + 1] != " ":
            return "", 0
        match = _TOKEN.match(self.text, end + 1)
        if match is None or match.lastgroup != "word":
            return "", 0
        return self.words.nouns.get(match.group().casefold(), ""), match.end()

    def _tool(self, place: int) -> int:
        """A value of a family that names tools; the longest words first."""
        token = self.tokens[place]
        for count in (3, 2) if token.folded in self.words.tool_beginnings else ():
            run = self.tokens[place : place + count]
            if len(run) == count and all(one.kind == "word" for one in run):
                name = canonical_tool(self.text[token.start : run[-1].end])
                if name:
                    self._put("tool", name, token.start, run[-1].end)
                    return place + count
        name = canonical_tool(token.text)
        if not name or (place + 1 < len(self.tokens) and token.text != token.folded and self._joins(place)):
            return 0  # also where it only begins another name: GitHub Pages
        kind, last = self._noun_behind(token.end)
        self._put("tool", name, token.start, last if kind in ("tool", "service") else token.end)
        return place + 1

    def _opens(self, token: _Token) -> bool:
        return bool(_END.search(self.text[max(0, token.start - 8) : token.start])) or token.start == 0

    def _is_name(self, place: int) -> bool:
        """Whether a word is written as a name, where the language has capitals for names alone."""
        token = self.tokens[place]
        if token.kind != "word" or not 2 <= len(token.text) <= LONGEST or token.folded in self.words.no_names:
            return False
        if _SHAPED.search(token.text):
            return not _RANK.match(token.text)
        if not token.text[0].isupper() or not self._has_plain_capitals or _RANK.match(token.text):
            return False
        if token.folded in self.words.plain and token.folded != "new":
            return False
        return not self._opens(token) or (token.folded not in self.words.openers and self._leads(place))

    def _leads(self, place: int) -> bool:
        """Whether the word that opens a sentence is a name: what follows it, or its surname, tells."""
        last = place
        while last + 1 < len(self.tokens) and self._joins(last):
            last += 1
        after = self.tokens[last + 1] if last + 1 < len(self.tokens) else None
        if after is None or self._is_aside(self.tokens[last].end):
            return after is not None
        return after.folded in self.words.follows

    def _joins(self, place: int) -> bool:
        """Whether the next word is the rest of a name."""
        token, after = self.tokens[place], self.tokens[place + 1]
        return (
            after.start == token.end + 1
            and self.text[token.end] == " "
            and after.text[0].isupper()
            and self._is_name(place + 1)
            and not canonical_tool(after.text)
        )

    def _is_aside(self, end: int) -> bool:
        """Whether an apposition follows: ", my sister," or ", also called"."""
        return bool(_ASIDE.match(self.text, end))

    def _name(self, place: int) -> int:
        if not self._is_name(place):
            return self._compound(place)
        last = place
        while last + 1 < len(self.tokens) and last - place < _NAME_WORDS - 1 and self._joins(last):
            last += 1
        start, end = self.tokens[place].start, self.tokens[last].end
        kind, end_of_noun = self._kind(place, last)
        name = self.text[start : self.tokens[last].start + len(self.tokens[last].text)]
        self._put(kind, name, start, end_of_noun or end)
        return last + 1

    def _compound(self, place: int) -> int:
        """`billing-service`, `auth_worker`: words joined into one, where the last tells that it is a service."""
        token = self.tokens[place]
        if not _COMPOUND.match(token.text):
            return 0
        first, _, noun = token.text.replace("_", "-").rpartition("-")
        if self.words.nouns.get(noun) != "service" or first in self.words.plain:
            return 0
        self._put("service", first, token.start, token.end)
        return place + 1

    def _kind(self, first: int, last: int) -> tuple[str, int]:
        """What a name is, by the words beside it, and where the noun behind it ends (0 where there is none)."""
        end = self.tokens[last].end
        noun, end_of_noun = self._noun_behind(end)
        if noun:
            return noun, end_of_noun
        before = [one.folded for one in self.tokens[max(0, first - 3) : first]]
        if self._is_person(before, last):
            return "person", 0
        if before and before[-1] in self.words.nouns and self.words.nouns[before[-1]] != "place":
            return self.words.nouns[before[-1]], 0
        if before and before[-1] in _WHERE and self._goes(first):
            return "place", 0
        return "thing", 0

    def _is_person(self, before: Sequence[str], last: int) -> bool:
        kin = self.words.people
        if before and (before[-1] in kin or (before[-1] in _CALLED and any(one in kin for one in before[:-1]))):
            return True
        after = self.tokens[last + 1] if last + 1 < len(self.tokens) else None
        if after is not None and after.folded in self.words.deeds:
            return True
        aside = _ASIDE.match(self.text, self.tokens[last].end)
        return aside is not None and (aside.group("noun") or "").casefold() in kin

    def _goes(self, first: int) -> bool:
        """Whether somebody lives at, or goes to, what follows."""
        cues = self.words.place_cues
        return any(one.folded in cues for one in self.tokens[max(0, first - 6) : first])

    def _service(self, place: int) -> int:
        """`the billing service`: words between a determiner and the noun that tells the kind."""
        token = self.tokens[place]
        if token.folded not in DETERMINERS:
            return 0
        last = place + 1
        while last < len(self.tokens) and last - place <= _NAME_WORDS and self.tokens[last].kind == "word":
            kind = self.words.nouns.get(self.tokens[last].folded)
            if kind not in (None, "place"):
                return self._described(kind, place + 1, last)
            if self.tokens[last].start != self.tokens[last - 1].end + 1 or self._is_name(last):
                return 0
            last += 1
        return 0

    def _described(self, kind: str, first: int, noun: int) -> int:
        while first < noun and self.tokens[first].folded in self.words.plain:
            first += 1
        words = self.tokens[first:noun]
        if not words or any(one.folded in self.words.plain or canonical_tool(one.text) for one in words):
            return 0
        name = self.text[words[0].start : words[-1].start + len(words[-1].text)]
        self._put(kind, name, words[0].start, self.tokens[noun].end)
        return noun + 1


_WHERE: Final = frozenset({"in", "to", "from", "at", "near", "around", "visit", "visited", "visiting"})
_ASIDE: Final = re.compile(
    r",? (?:is |was )?(?:my|our|his|her|their) (?:\w+ ){0,2}?(?P<noun>[\w-]+)(?=[,.;!?]|$| who| and)"
    r"|,? (?:is |are |was |which is )?(?:also|otherwise|formerly|aka|a\.k\.a\.)\b",
    re.IGNORECASE,
)


def _of_url(url: str) -> tuple[str, str]:
    """A repository's URL names a project, any other one its host."""
    rest = url.split("://", 1)[1].rstrip(".,;:!?")
    host, _, path = rest.partition("/")
    host = host.rpartition("@")[2].partition(":")[0].removeprefix("www.")
    parts = path.partition("?")[0].partition("#")[0].removesuffix(".git").split("/")
    if host in ("github.com", "gitlab.com", "codeberg.org", "bitbucket.org") and len(parts) >= 2 and all(parts[:2]):
        return "project", "/".join(parts[:2])
    return "host", host


_MOST_NAME_WORDS: Final = 12  # plain words of a question that may be names
_PLAIN_KINDS: Final = tuple(kind for kind in ENTITY_KINDS if kind not in ("file", "host"))
_SHORTEST: Final = 2
_LEADING_DETERMINER: Final = re.compile(rf"(?:{'|'.join(sorted(DETERMINERS))})\s+", re.IGNORECASE)


def entity_ids_for_name(asked: str) -> tuple[str, ...]:
    """The ids that a name may stand for, likeliest first: with its kind, as a tool, a path, or of any kind."""
    asked = asked.strip()
    kind, _, rest = asked.partition(":")
    if rest and kind in ENTITY_KINDS:
        return equivalent_entities(f"{kind}:{fold(rest.strip()) if kind == 'file' else slug(rest)}")
    found = dict.fromkeys(one.id for one in extract_entities(asked).entities)
    bare = _LEADING_DETERMINER.sub("", asked, count=1).removeprefix("@").removeprefix("./")
    words = bare.split()
    names = [canonical_tool(bare), slug(bare), slug(bare).replace("-", "")]
    if len(words) > 1 and words[-1].casefold() in entity_lexicon().nouns:
        names.append(slug(" ".join(words[:-1])))
    found.update((f"{kind}:{name}", None) for name in dict.fromkeys(names) if name for kind in ENTITY_KINDS)
    found[f"file:{fold(bare)}"] = None
    return tuple(found)


def entity_ids_in_question(question: str) -> tuple[str, ...]:
    """The ids that a question may name: the entities read in it, and its plain words as names of any kind."""
    read = extract_entities(question)
    known = entity_lexicon()
    found = dict.fromkeys(end for one in read.entities for end in equivalent_entities(one.id))
    passed_over = (known.plain, known.openers, known.no_names, known.tie_words, known.alias_words, known.people)
    words = [
        slug(word)
        for word in read.words
        if len(word) > _SHORTEST and word not in known.nouns and not any(word in one for one in passed_over)
    ]
    longest = sorted(words, key=lambda word: (len(word), word))[-_MOST_NAME_WORDS:]
    found.update((f"{kind}:{word}", None) for word in longest for kind in _PLAIN_KINDS)
    return tuple(found)

"""Named entities: the people, projects, services, tools, files and places in a statement or a question.

Takes: a text, or a name. Gives: entities with kind, canonical id and offsets; ids that a name may stand for. Never:
reads the store; the same text has the same entities whatever is known.

One regex splits the text into code, addresses, paths, handles and words; word lists and the words beside a word decide
what it is. A name of unknown kind is a `thing`, which matches the same name of any kind.
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
"""Entities of one statement; a text with more is a dump, not a statement."""

_NAME_WORDS: Final = 4
_HEADING_WORDS: Final = 5  # capitalised words from which on a text may be a heading
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
_SPECIAL: Final = re.compile(r"[`@/]|\w\.\w")  # without any of these, every token is a word
_WORD_ONLY: Final = re.compile(r"(?P<word>[^\W_][\w'’+#-]*)")
_JS_LIBRARY: Final = re.compile(
    r"(?:node|next|vue|nest|react|express|three|d3|solid|nuxt|ember|backbone|chart)\.js\Z", re.I
)
_NAME_SPELLING: Final = re.compile(r"[a-z][A-Z]|[A-Z].*\d|[A-Za-z]\w*-\w+-\d")  # FastAPI, K8s: spelled as a name
_RANK_LABEL: Final = re.compile(r"[A-Z]\d\Z|v?\d")  # Q3, P1: a quarter, a priority
_COMPOUND: Final = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+\Z")
_SENTENCE_START: Final = re.compile(r"[.!?:;]['\"’”)]*\s+$|\n\s*$|^\s*(?:[-*•]\s+)?$|[\"“(]$")
_ENGLISH: Final = frozenset({"the", "my", "i", "and", "of", "our", "with", "we", "to", "is"})  # no German words
_CAPITALISED_NOUN_LANGUAGES: Final = frozenset({"de"})  # languages that write every noun with a capital
_CALLED: Final = frozenset({"called", "named", "is", "was"})


@dataclass(frozen=True, slots=True)
class Entity:
    """A named entity. `start` and `end` include the noun that gives its kind."""

    kind: str
    name: str
    start: int
    end: int

    @property
    def id(self) -> str:
        """The canonical id: kind, colon, folded name."""
        return f"{self.kind}:{self.name}"


class _Token(NamedTuple):  # a tuple: there are many, and tuples are the fastest to create
    kind: str
    text: str
    folded: str
    start: int
    end: int


def _tokenize(text: str) -> list[_Token]:
    tokens = []
    for match in (_TOKEN if _SPECIAL.search(text) else _WORD_ONLY).finditer(text):
        kind = match.lastgroup or "word"
        word = match.group(kind)
        start, end = match.span()
        if kind != "word":
            tokens.append(_Token(kind, word, word, start, end))
            continue
        if not word.isalpha():
            word = word.rstrip("-'’")
            end = start + len(word)
            word = word[:-2] if word.endswith(("'s", "’s")) else word
        tokens.append(_Token(kind, word, word.casefold(), start, end))
    return tokens


@dataclass(frozen=True, slots=True)
class EntityMentions:
    """The entities of a text, in order, and its folded words."""

    entities: tuple[Entity, ...]
    words: frozenset[str]


def extract_entities(text: str) -> EntityMentions:
    """The entities of a text, without overlaps, at most `MOST`."""
    extractor = _Extractor(text)
    watched = extractor.lexicon.watched
    next_place = 0
    for place, token in enumerate(extractor.tokens):
        word = token.text
        if word == token.folded and word not in watched and word.isalpha() and token.kind == "word":
            continue  # a plain word that is in no word list
        if place < next_place:
            continue  # part of the entity before
        next_place = extractor.step(place)
        if len(extractor.entities) >= MOST:
            break
    return EntityMentions(tuple(extractor.entities), extractor.text_words)


class _Extractor:
    """One pass over the tokens of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokenize(text)
        self.lexicon = entity_lexicon()
        self.entities: list[Entity] = []
        self.text_words = frozenset([token.folded for token in self.tokens])
        capitals = sum([token.text != token.folded for token in self.tokens])
        is_heading = capitals >= _HEADING_WORDS and 2 * capitals > len(self.tokens)
        self._capitals_mark_names = not is_heading
        if capitals > 1 and not is_heading and self.text_words.isdisjoint(_ENGLISH):
            self._capitals_mark_names = guess_language(text) not in _CAPITALISED_NOUN_LANGUAGES

    def step(self, place: int) -> int:
        """Extract what begins at a token; return the place to continue from."""
        token = self.tokens[place]
        if token.kind != "word":
            self._address(token)
            return place + 1
        for extract in (self._tool, self._name, self._service):
            next_place = extract(place)
            if next_place:
                return next_place
        return place + 1

    def _add(self, kind: str, name: str, start: int, end: int) -> None:
        folded = slug(name)
        if len(folded) > 1 and not folded.isdigit():
            self.entities.append(Entity(kind, folded, start, end))

    def _address(self, token: _Token) -> None:
        """Add code, a URL, a host, a handle or a path; a mail address is no entity."""
        start, end = token.start, token.end
        if token.kind == "code":
            self._code(token.text.strip(), start, end)
        elif token.kind == "url":
            kind, name = _entity_of_url(token.text)
            self._add(kind, name, start, end)
        elif token.kind == "host":
            tool = canonical_tool(token.text)
            self._add("tool" if tool else "host", tool or token.text, start, end)
        elif token.kind == "handle":
            self._add("person", token.text[1:], start, end)
        elif token.kind == "path":
            self._path(token.text.rstrip(".-"), start, end)

    def _path(self, path: str, start: int, end: int) -> None:
        tool = canonical_tool(path) or (path if _JS_LIBRARY.search(path) else "")
        if tool:
            self._add("tool", tool, start, end)
        elif name := fold(path.removeprefix("./")).strip()[:LONGEST]:
            self.entities.append(Entity("file", name, start, end))

    def _code(self, code: str, start: int, end: int) -> None:
        tool = canonical_tool(code)
        inner = _TOKEN.fullmatch(code)
        if tool:
            self._add("tool", tool, start, end)
        elif inner is not None and inner.lastgroup in ("path", "url", "host"):
            self._address(_Token(inner.lastgroup, code, code, start, end))
        elif inner is not None and inner.lastgroup == "word":
            noun, last = self._noun_behind(end)
            self._add(noun or "thing", code, start, last or end)

    def _noun_behind(self, end: int) -> tuple[str, int]:
        """The kind given by the next word, and where that word ends."""
        if self.text[end : end + 1] != " ":
            return "", 0
        match = _TOKEN.match(self.text, end + 1)
        if match is None or match.lastgroup != "word":
            return "", 0
        return self.lexicon.nouns.get(match.group().casefold(), ""), match.end()

    def _tool(self, place: int) -> int:
        """A known tool, by up to three words; the longest name first."""
        token = self.tokens[place]
        for count in (3, 2) if token.folded in self.lexicon.tool_beginnings else ():
            run = self.tokens[place : place + count]
            if len(run) == count and all(part.kind == "word" for part in run):
                name = canonical_tool(self.text[token.start : run[-1].end])
                if name:
                    self._add("tool", name, token.start, run[-1].end)
                    return place + count
        name = canonical_tool(token.text)
        if not name or (place + 1 < len(self.tokens) and token.text != token.folded and self._name_continues(place)):
            return 0  # also where it is only the start of another name: GitHub Pages
        kind, last = self._noun_behind(token.end)
        self._add("tool", name, token.start, last if kind in ("tool", "service") else token.end)
        return place + 1

    def _opens_sentence(self, token: _Token) -> bool:
        return bool(_SENTENCE_START.search(self.text[max(0, token.start - 8) : token.start])) or token.start == 0

    def _is_name(self, place: int) -> bool:
        """Whether a word is spelled as a name; capitals count only where they mark names."""
        token = self.tokens[place]
        if token.kind != "word" or not 2 <= len(token.text) <= LONGEST or token.folded in self.lexicon.no_names:
            return False
        if _NAME_SPELLING.search(token.text):
            return not _RANK_LABEL.match(token.text)
        if not token.text[0].isupper() or not self._capitals_mark_names or _RANK_LABEL.match(token.text):
            return False
        if token.folded in self.lexicon.plain and token.folded != "new":
            return False
        if not self._opens_sentence(token):
            return True
        return token.folded not in self.lexicon.openers and self._starts_name(place)

    def _starts_name(self, place: int) -> bool:
        """Whether the first word of a sentence is a name, by the word after it or after its surname."""
        last = place
        while last + 1 < len(self.tokens) and self._name_continues(last):
            last += 1
        after = self.tokens[last + 1] if last + 1 < len(self.tokens) else None
        if after is None or self._has_apposition(self.tokens[last].end):
            return after is not None
        return after.folded in self.lexicon.follows

    def _name_continues(self, place: int) -> bool:
        """Whether the next word continues a name."""
        token, after = self.tokens[place], self.tokens[place + 1]
        return (
            after.start == token.end + 1
            and self.text[token.end] == " "
            and after.text[0].isupper()
            and self._is_name(place + 1)
            and not canonical_tool(after.text)
        )

    def _has_apposition(self, end: int) -> bool:
        """Whether an apposition follows: ", my sister," or ", also called"."""
        return bool(_APPOSITION.match(self.text, end))

    def _name(self, place: int) -> int:
        if not self._is_name(place):
            return self._hyphenated_service(place)
        last = place
        while last + 1 < len(self.tokens) and last - place < _NAME_WORDS - 1 and self._name_continues(last):
            last += 1
        start, end = self.tokens[place].start, self.tokens[last].end
        kind, end_of_noun = self._kind_and_noun_end(place, last)
        name = self.text[start : self.tokens[last].start + len(self.tokens[last].text)]
        self._add(kind, name, start, end_of_noun or end)
        return last + 1

    def _hyphenated_service(self, place: int) -> int:
        """`billing-service`, `auth_worker`: a compound whose last part is a noun for a service."""
        token = self.tokens[place]
        if not _COMPOUND.match(token.text):
            return 0
        first, _, noun = token.text.replace("_", "-").rpartition("-")
        if self.lexicon.nouns.get(noun) != "service" or first in self.lexicon.plain:
            return 0
        self._add("service", first, token.start, token.end)
        return place + 1

    def _kind_and_noun_end(self, first: int, last: int) -> tuple[str, int]:
        """The kind of a name, by the words beside it, and where the noun behind it ends (0 without one)."""
        end = self.tokens[last].end
        noun, end_of_noun = self._noun_behind(end)
        if noun:
            return noun, end_of_noun
        before = [token.folded for token in self.tokens[max(0, first - 3) : first]]
        if self._is_person(before, last):
            return "person", 0
        if before and before[-1] in self.lexicon.nouns and self.lexicon.nouns[before[-1]] != "place":
            return self.lexicon.nouns[before[-1]], 0
        if before and before[-1] in _PLACE_PREPOSITIONS and self._has_place_cue(first):
            return "place", 0
        return "thing", 0

    def _is_person(self, before: Sequence[str], last: int) -> bool:
        relatives = self.lexicon.people
        if before and before[-1] in relatives:
            return True
        if before and before[-1] in _CALLED and any(word in relatives for word in before[:-1]):
            return True
        after = self.tokens[last + 1] if last + 1 < len(self.tokens) else None
        if after is not None and after.folded in self.lexicon.deeds:
            return True
        apposition = _APPOSITION.match(self.text, self.tokens[last].end)
        return apposition is not None and (apposition.group("noun") or "").casefold() in relatives

    def _has_place_cue(self, first: int) -> bool:
        """Whether a word before says that somebody lives at or goes to what follows."""
        cues = self.lexicon.place_cues
        return any(token.folded in cues for token in self.tokens[max(0, first - 6) : first])

    def _service(self, place: int) -> int:
        """`the billing service`: words between a determiner and the noun that gives the kind."""
        token = self.tokens[place]
        if token.folded not in DETERMINERS:
            return 0
        last = place + 1
        while last < len(self.tokens) and last - place <= _NAME_WORDS and self.tokens[last].kind == "word":
            kind = self.lexicon.nouns.get(self.tokens[last].folded)
            if kind not in (None, "place"):
                return self._add_described(kind, place + 1, last)
            if self.tokens[last].start != self.tokens[last - 1].end + 1 or self._is_name(last):
                return 0
            last += 1
        return 0

    def _add_described(self, kind: str, first: int, noun: int) -> int:
        while first < noun and self.tokens[first].folded in self.lexicon.plain:
            first += 1
        words = self.tokens[first:noun]
        if not words or any(word.folded in self.lexicon.plain or canonical_tool(word.text) for word in words):
            return 0
        name = self.text[words[0].start : words[-1].start + len(words[-1].text)]
        self._add(kind, name, words[0].start, self.tokens[noun].end)
        return noun + 1


_PLACE_PREPOSITIONS: Final = frozenset({"in", "to", "from", "at", "near", "around", "visit", "visited", "visiting"})
_APPOSITION: Final = re.compile(
    r",? (?:is |was )?(?:my|our|his|her|their) (?:\w+ ){0,2}?(?P<noun>[\w-]+)(?=[,.;!?]|$| who| and)"
    r"|,? (?:is |are |was |which is )?(?:also|otherwise|formerly|aka|a\.k\.a\.)\b",
    re.IGNORECASE,
)


def _entity_of_url(url: str) -> tuple[str, str]:
    """Kind and name: a repository URL is a project, any other URL its host."""
    rest = url.split("://", 1)[1].rstrip(".,;:!?")
    host, _, path = rest.partition("/")
    host = host.rpartition("@")[2].partition(":")[0].removeprefix("www.")
    parts = path.partition("?")[0].partition("#")[0].removesuffix(".git").split("/")
    if host in ("github.com", "gitlab.com", "codeberg.org", "bitbucket.org") and len(parts) >= 2 and all(parts[:2]):
        return "project", "/".join(parts[:2])
    return "host", host


_MOST_NAME_WORDS: Final = 12  # plain words of a question that may be names
_PLAIN_KINDS: Final = tuple(kind for kind in ENTITY_KINDS if kind not in ("file", "host"))
_SHORTEST_WORD: Final = 2
_LEADING_DETERMINER: Final = re.compile(rf"(?:{'|'.join(sorted(DETERMINERS))})\s+", re.IGNORECASE)


def entity_ids_for_name(asked: str) -> tuple[str, ...]:
    """The ids that a name may stand for, likeliest first: with its kind, as a tool, a path, or of any kind."""
    asked = asked.strip()
    kind, _, rest = asked.partition(":")
    if rest and kind in ENTITY_KINDS:
        return equivalent_entities(f"{kind}:{fold(rest.strip()) if kind == 'file' else slug(rest)}")
    ids = dict.fromkeys(entity.id for entity in extract_entities(asked).entities)
    bare = _LEADING_DETERMINER.sub("", asked, count=1).removeprefix("@").removeprefix("./")
    words = bare.split()
    names = [canonical_tool(bare), slug(bare), slug(bare).replace("-", "")]
    if len(words) > 1 and words[-1].casefold() in entity_lexicon().nouns:
        names.append(slug(" ".join(words[:-1])))
    ids.update((f"{kind}:{name}", None) for name in dict.fromkeys(names) if name for kind in ENTITY_KINDS)
    ids[f"file:{fold(bare)}"] = None
    return tuple(ids)


def entity_ids_in_question(question: str) -> tuple[str, ...]:
    """The ids that a question may name: its entities, and its plain words as names of any kind."""
    mentions = extract_entities(question)
    lexicon = entity_lexicon()
    ids = dict.fromkeys(entity_id for entity in mentions.entities for entity_id in equivalent_entities(entity.id))
    no_names = (
        *(lexicon.plain, lexicon.openers, lexicon.no_names),
        *(lexicon.tie_words, lexicon.alias_words, lexicon.people),
    )
    words = [
        slug(word)
        for word in mentions.words
        if len(word) > _SHORTEST_WORD and word not in lexicon.nouns and not any(word in words for words in no_names)
    ]
    longest = sorted(words, key=lambda word: (len(word), word))[-_MOST_NAME_WORDS:]
    ids.update((f"{kind}:{word}", None) for word in longest for kind in _PLAIN_KINDS)
    return tuple(ids)

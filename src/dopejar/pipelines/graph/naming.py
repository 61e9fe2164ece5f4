"""What a name may stand for: the ids under which entities of that name are known.

Takes: a name that somebody asks about, or a question. Gives: ids to look up. Never: looks them up.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.pipelines.graph.entities import read_entities
from dopejar.pipelines.graph.entity_words import DETERMINERS, lists, slug, tool_named
from dopejar.text.normalise import fold
from dopejar.values.edge import ENTITY_KINDS, equivalent_entities

_MOST: Final = 12  # plain words of a question that may be names
_PLAIN_KINDS: Final = tuple(kind for kind in ENTITY_KINDS if kind not in ("file", "host"))
_SHORTEST: Final = 2
_LEAD: Final = re.compile(rf"(?:{'|'.join(sorted(DETERMINERS))})\s+", re.IGNORECASE)


def ends_of(asked: str) -> tuple[str, ...]:
    """The ids that a name may stand for, likeliest first: with its kind, as a tool, a path, or of any kind."""
    asked = asked.strip()
    kind, _, rest = asked.partition(":")
    if rest and kind in ENTITY_KINDS:
        return equivalent_entities(f"{kind}:{fold(rest.strip()) if kind == 'file' else slug(rest)}")
    found = dict.fromkeys(one.id for one in read_entities(asked).entities)
    bare = _LEAD.sub("", asked, count=1).removeprefix("@").removeprefix("./")
    words = bare.split()
    names = [tool_named(bare), slug(bare), slug(bare).replace("-", "")]
    if len(words) > 1 and words[-1].casefold() in lists().nouns:
        names.append(slug(" ".join(words[:-1])))
    found.update((f"{kind}:{name}", None) for name in dict.fromkeys(names) if name for kind in ENTITY_KINDS)
    found[f"file:{fold(bare)}"] = None
    return tuple(found)


def ends_in(question: str) -> tuple[str, ...]:
    """The ids that a question may name: the entities read in it, and its plain words as names of any kind."""
    read = read_entities(question)
    known = lists()
    found = dict.fromkeys(end for one in read.entities for end in equivalent_entities(one.id))
    passed_over = (known.plain, known.openers, known.no_names, known.tie_words, known.alias_words, known.people)
    words = [
        slug(word)
        for word in read.words
        if len(word) > _SHORTEST and word not in known.nouns and not any(word in one for one in passed_over)
    ]
    longest = sorted(words, key=lambda word: (len(word), word))[-_MOST:]
    found.update((f"{kind}:{word}", None) for word in longest for kind in _PLAIN_KINDS)
    return tuple(found)

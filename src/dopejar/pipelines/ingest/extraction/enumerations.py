"""Enumerations: "we use A with B and C" is three statements.

Takes: the words of a statement. Gives: one wording per value it lists. Never: splits what a comparison or a change
holds together ("A over B", "from A to B").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dopejar.pipelines.ingest.keys.read_slot import read_slot
from dopejar.pipelines.ingest.keys.value_families import Member, families, values_named

_JOINER: Final = re.compile(
    r"^\s*(?:,|/|&|\+|,? and|,? plus|with|together with|as well as|,? or)\s+(?:the |our )?$", re.IGNORECASE
)
_JOINS: Final = re.compile(r",? and |,? or |, |/| with |&|\+")
_VERB: Final = (
    r"(?:is|are|am|runs?|listens?|lives?|works?|uses?|prefers?|has|have|likes?|loves?|dislikes?|hates?|enjoys?|drives?|leads?|takes?|lasts?|"
    r"deploys?|belongs?|'m|(?:do|does)(?:n't| not) \w+)\b"
)
_TWO_PREDICATES: Final = re.compile(
    rf"^(?P<subject>(?:I|we|(?:my|our|the) [\w' -]{{2,40}}?|[A-Z][\w-]+)(?='m| )) ?(?P<first>{_VERB} .+?),? and "
    rf"(?:also |now )?(?P<second>{_VERB} .+)$",
    re.IGNORECASE,
)
_IN_PLACE: Final = r" (?:in|for|on) (?:(?!\b(?:in|for|on)\b)[\w' -])+$"
_NUMBERS: Final = re.compile(rf"(?<![\w.])\d[\w.,:]*(?: [a-zA-Z%]+)?{_IN_PLACE}")
_NAMES: Final = re.compile(rf"(?<![\w.])(?P<name>[\w.+#-]+){_IN_PLACE}")
_DENIED: Final = re.compile(r"n't\b|\b(?:not|never|no longer)\b", re.IGNORECASE)
_ALLERGIC: Final = re.compile(
    r"^(?P<head>(?:I am|I'm|i'm|i am) (?:\w+ )?allergic to )(?P<list>[\w' -]+(?:(?:,| and| or)+ [\w' -]+)+)$"
)
_HEAD: Final = re.compile(
    r"\b(?:use|uses|using|used|like|love|enjoy|hate|know|speak|speaks|write|writes|run|runs|on|with|in|prefer|"
    r"have|has|learned|learning|work with)"
    r"\s+(?:both |the |only |mostly |also )?$",
    re.IGNORECASE,
)


def _hold_together(run: Sequence[Member]) -> bool:
    """Whether two of them are values of which a subject has one at a time: then having both is what is said."""
    single = [member.family for member in run if families().by_name[member.family].one]
    return len(set(single)) < len(single)


def one_by_one(text: str) -> tuple[str, ...]:
    """The statement once for each thing it says of its subject; the statement itself where it says one."""
    if not _JOINS.search(text):
        return (text,)
    return _predicates(text) or _places(text) or _members(text) or (text,)


def _predicates(text: str) -> tuple[str, ...]:
    """Two things said of one subject, where each fills a slot of its own: "is called Marmot and runs on port 6001"."""
    found = _TWO_PREDICATES.match(text)
    if not found:
        return ()
    subject, first, second = found["subject"], found["first"].strip(), found["second"].strip()
    wordings = (f"{subject}{first}" if first[0] == "'" else f"{subject} {first}", f"{subject} {second}")
    if _DENIED.search(first) and not _DENIED.search(second):
        return wordings if _slots_of(wordings[1:]) else ()  # the denial is of the first alone
    return wordings if _slots_of(wordings) == len(wordings) else ()


def _places(text: str) -> tuple[str, ...]:
    """A value for each place: "listens on 8080 in staging and 9090 in production"."""
    first, *more = _JOINS.split(text)
    for shape in (_NUMBERS, _NAMES):
        head = shape.search(first)
        if head and all(shape.fullmatch(one) for one in more):
            break
    else:
        return ()
    if shape is _NAMES and not all(_is_value(found["name"]) for one in (first, *more) if (found := shape.search(one))):
        return ()
    wordings = (first, *(f"{first[: head.start()]}{one}" for one in more))
    return wordings if _slots_of(wordings, of_one_concept=shape is _NUMBERS) == len(wordings) else ()


def _is_value(name: str) -> bool:
    return any((one.start, one.end) == (0, len(name)) for one in values_named(name))


def _slots_of(wordings: Sequence[str], *, of_one_concept: bool = False) -> int:
    """How many slots the wordings fill; with `of_one_concept`, all of one at different places, else none."""
    found = [read_slot(one, 1) for one in wordings]
    names = {slot.name for slot in found if slot is not None}
    roots = {name.partition("@")[0] for name in names}
    is_split = of_one_concept and (len(roots) > 1 or roots & names)
    return 0 if is_split else len(names)


def _members(text: str) -> tuple[str, ...]:
    """A list of things that are each so: allergies, or values of families of which one has several."""
    allergic = _ALLERGIC.match(text)
    if allergic:
        return tuple(f"{allergic['head']}{one}" for one in _JOINS.split(allergic["list"]) if one)
    return _values(text)


def _values(text: str) -> tuple[str, ...]:
    members = values_named(text)
    if len(members) < 2:
        return ()
    run = [members[0]]
    for member in members[1:]:
        if not _JOINER.match(text[run[-1].end : member.start]):
            break
        run.append(member)
    if len(run) < 2 or not _HEAD.search(text[: run[0].start]) or _hold_together(run):
        return ()
    head, tail = text[: run[0].start], text[run[-1].end :]
    head = re.sub(r"\bboth\s+$", "", head)
    return tuple(f"{head}{text[member.start : member.end]}{tail}" for member in run)

"""Relations that fill a slot, read from `data/relations.toml`.

Takes: the words of an atom. Gives: a `Slot`, or None. Never: a slot whose clause has words left over that could
change what is meant; those become a qualifier of the slot.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from dopejar.pipelines.ingest.keys.family_slots import family_slot, sole_family
from dopejar.pipelines.ingest.keys.phrases import concept, name_value, qualifier, strip_tail, subject_of
from dopejar.pipelines.ingest.keys.slot import Slot, at, sign
from dopejar.pipelines.ingest.keys.value_families import values_named
from dopejar.text.measures import read_date, read_measure, rest_of
from dopejar.text.normalisation import fold
from dopejar.text.regex_prefilter.required_literals import PrefilteredPattern, possible_matches, prefilter_pattern

HOME: Final = "self.home"


@dataclass(frozen=True, slots=True)
class SlotRelation:
    """One entry of the data file, compiled."""

    build: str
    path: str
    title: tuple[str, str]
    pattern: PrefilteredPattern


_PARTS: Final = {
    "{I}": r"(?:i|i'm|i am|i've|i have|i'd|i'll)",
    "{WE}": r"(?:i|i'm|i am|i've|i have|i'd|we|we're|we are|we've|we have)",
    "{ADV}": (
        r"(?:(?:also|now|still|currently|always|usually|mostly|only|just|really|generally|no longer|don't|"
        r"do not|never|not|didn't|doesn't|both|already|primarily|mainly|strongly|much|"
        r"do|would|finally|recently|have|has|had|be|been|being|am|was|were|will|personally|absolutely|truly|"
        r"simply|since|gone|got) )*"
    ),
    "{PLACE}": (
        r"(?P<v>[A-ZÀ-ÖØ-ÞŁŚŽČŠ][\w'’.-]*(?:[ ,]+(?:(?:de|da|do|dos|la|le|von|am|the|of|upon|"
        r"and) )?[A-ZÀ-ÖØ-ÞŁŚŽČŠ][\w'’.-]*)*)"
    ),
}


@lru_cache(maxsize=1)
def relations() -> tuple[SlotRelation, ...]:
    """The relations, compiled at first use."""
    with files("dopejar.pipelines.ingest").joinpath("data", "relations.toml").open("rb") as stream:
        rows = tomllib.load(stream)["relation"]
    return tuple(
        SlotRelation(
            row["build"],
            row.get("path", ""),
            tuple(row.get("title", ("", ""))),
            prefilter_pattern(_expanded(row["pattern"])),
        )
        for row in rows
    )


@lru_cache(maxsize=1)
def _patterns() -> tuple[PrefilteredPattern, ...]:
    return tuple(one.pattern for one in relations())


def _expanded(pattern: str) -> str:
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    return pattern


def by_relation(text: str, polarity: int) -> Slot | None:
    """The slot of the first relation that reads the statement."""
    known = relations()
    for place in possible_matches(_patterns(), text.lower()):
        relation = known[place]
        found = relation.pattern.pattern.search(text)
        slot = _BUILDERS[relation.build](found, polarity, relation) if found else None
        if slot is not None:
            return slot
    return None


def _name(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    value = fold(found.group("v")) if "@" in found.group("v") else name_value(found.group("v"))
    if not value or (relation.path == HOME and values_named(found["v"])):  # "we moved to Postgres 16"
        return None
    return Slot(path=relation.path, value=sign(polarity) + value, title=("Self", *relation.title), confidence=0.85)


def _age(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    number = next(group for group in found.groups() if group)
    return Slot(path="self.age", value=f"+{number}", title=("Self", "Age", ""), confidence=0.85)


def _dated(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    date = read_date(found.group("v"))
    return (
        Slot(path=relation.path, value=sign(polarity) + date[1], title=("Self", *relation.title), confidence=0.85)
        if date
        else None
    )


def _phone(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    which = (found.group("s") or "").strip().casefold()
    digits = re.sub(r"[^\d+]", "", found.group("v"))
    return Slot(
        path=f"self.phone{at(which)}", value=sign(polarity) + digits, title=("Self", "Phone", which), confidence=0.85
    )


def _member(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    member = concept(strip_tail(found.group("v"))[0])
    if not member:
        return None
    return Slot(
        path=relation.path,
        member=member,
        value=sign(polarity) + member,
        title=("Self", relation.title[0], member),
        many=True,
    )


def _pet(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    pet, name = concept(found.group("s")), name_value(found.group("v"))
    return (
        Slot(path=f"self.{pet}.name", value=sign(polarity) + name, title=("Self", pet, "Name"), confidence=0.8)
        if name
        else None
    )


def _pair(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    thing, extra = strip_tail(found.group("v"))
    other, of_both = strip_tail(found.group("o") or "")
    extra = extra or of_both
    known = sole_family(thing)
    if known:
        if known[0].rule:
            return family_slot(*known, root="dev", polarity=polarity, extra=extra, subject="Dev")
        return family_slot(*known, root="self.pref", polarity=polarity, extra=extra, subject="Self", aspect="Pref")
    a, b = concept(thing), concept(other)
    if a and b:
        pair = "-vs-".join(sorted((a, b)))
        return Slot(path=f"self.pref.{pair}{at(extra)}", value=sign(polarity) + a, title=("Self", "Pref", a))
    return _liking(a, extra, polarity) if a else None


def _liking(thing: str, extra: str, polarity: int) -> Slot | None:
    if len(thing) > 60:
        return None
    value = "+like" if polarity > 0 else "-like"
    return Slot(
        path="self.attitude",
        member=thing + at(extra),
        value=value,
        title=("Self", "Likes", thing),
        many=True,
        confidence=0.7,
    )


_BAD: Final = re.compile(r"hat|dislik|detest|despis|loath|can.?t stand|cannot stand", re.IGNORECASE)
_DOING: Final = re.compile(
    r"^(?:working|coding|programming|writing|using|developing|playing|to use|to work)(?: (?:in|with|on))? ",
    re.IGNORECASE,
)


def _clock(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    root, subject = subject_of(found.group("s"))
    hour, minute, half = int(found.group("h")), found.group("m") or "00", (found.group("p") or "").casefold()
    if not root or hour > 24:
        return None
    hour += 12 if half == "p" and hour < 12 else 0
    extra = qualifier(found.string, found.end(), found.start("s"))
    value = f"{sign(polarity)}{hour:02d}:{minute}"
    return None if extra is None else Slot(path=f"{root}.time{at(extra)}", value=value, title=(subject, "Time", ""))


def _kin_home(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    who, value = concept(found.group("s")), name_value(found.group("v"))
    return (
        Slot(path=f"self.{who}.home", value=sign(polarity) + value, title=("Self", who, "Home"))
        if who and value
        else None
    )


def _budget(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    period = (found.group("s") or found.group("t") or found.group("u") or "").casefold().removesuffix("ly")
    amount = re.sub(r"[\s,]", "", found.group("v"))
    return Slot(path=f"self.budget{at(period)}", value=sign(polarity) + amount, title=("Self", "Budget", period))


def _attitude(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    thing, extra = strip_tail(_DOING.sub("", found.group("v")))
    if _BAD.search(found.group("verb")):
        polarity = -1  # such a verb is itself what reads as a negation
    known = sole_family(thing, ("theme",))
    if known:
        return family_slot(*known, root="self.pref", polarity=polarity, extra=extra, subject="Self", aspect="Pref")
    named = sole_family(thing)
    member = named[1].value if named else concept(thing)
    return _liking(member, extra, polarity) if member else None


def _favourite(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    what, value = concept(found.group("s")), name_value(found.group("v"))
    if not what or not value or len(value) > 60:
        return None
    return Slot(path=f"self.favourite.{what}", value=sign(polarity) + value, title=("Self", "Favourite", what))


def _listens(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    root, subject = subject_of(found.group("s"))
    extra = qualifier(found.string, found.end("v"), found.start("s")) if found.start("v") > found.start("s") else ""
    if not root or extra is None:
        return None
    value = found.group("v").casefold()
    port = value.isdigit()
    path = f"{root}.port" if port else f"{root}.config.binding"
    return Slot(
        path=path + at(extra),
        value=sign(polarity) + value,
        title=(subject, "Config", "Port" if port else "Binding"),
        confidence=0.9,
    )


def _lines(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    groups = found.groupdict()
    number = int(next(groups[name] for name in ("v", "v2", "v3") if groups[name]))
    how = next(groups[name] for name in ("how", "how2", "how3") if groups[name]).casefold()
    most = number - 1 if how in ("under", "below") else number
    where = _LINES_OF.search(found.string)
    extra = concept(where.group(1)) if where else ""
    return Slot(path=f"dev.line-length{at(extra)}", value=f"+{most}", title=("Dev", "Line", "Length"), confidence=0.85)


_LINES_OF: Final = re.compile(
    r"\b(?:in|for|within) ((?!each\b|all\b|every\b|general\b)[\w .-]+?)"
    r"(?= (?:is|are|must|should|may|at|to|under|below)\b|[,.;]|$)",
    re.IGNORECASE,
)


def _alias(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    return alias_slot(found.group("s"), found.group("v"), polarity)


def alias_slot(named: str, meant: str, polarity: int) -> Slot | None:
    """The slot of a name and what it means; a letter behind a name belongs to it: "Box A"."""
    letter = re.search(r"\w ([AI])$", named.strip())  # small words, but for this
    name, meaning = concept(named) + (f"-{letter[1].casefold()}" if letter else ""), concept(meant)
    if not name or not meaning or len(name) > 40 or name in ("it", "this", "that", "which"):
        return None
    return Slot(path=f"alias.{name}", value=sign(polarity) + meaning, title=("Alias", name, ""))


def _called(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    name = name_value(found.group("v"))
    root, subject = subject_of(found.group("s"))
    if re.search(r"[:;]\s", found.group("s")):
        return None  # "We renamed the order service: it is called ..." gives no name to the project
    if re.fullmatch(r"[A-Z][A-Z0-9]{1,5}", found.group("v")) and root.count("-"):
        return Slot(path=f"alias.{name}", value=sign(polarity) + root, title=("Alias", name, ""))  # an abbreviation
    return (
        Slot(path=f"{root}.name", value=sign(polarity) + name, title=(subject, "Name", "")) if root and name else None
    )


def _lead(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    groups = found.groupdict()
    what, who = concept(groups["s"] or groups.get("t") or ""), name_value(found.group("v"))
    if not what or not who or what.isdigit():
        return None
    what = what.removesuffix("-team")
    return Slot(path=f"{what}.lead", value=sign(polarity) + who, title=(what, "Lead", ""), confidence=0.75)


def _version(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    groups = found.groupdict()
    what = concept(groups.get("s") or groups.get("t") or "") or "runtime"
    what = {"cpython": "python"}.get(what, what)
    number = found.group("v").lstrip("vV")
    return Slot(path=f"project.version.{what}", value=sign(polarity) + number, title=("Project", what, "Version"))


def _measured(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    return _amount(found, found.group("s"), found.group("v"), polarity, found.end("v"))


def _compound(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    return _amount(found, f"the {found.group('s')}", found.group("v").replace("-", " "), polarity, len(found.string))


def _shipped(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    date = read_date(found.group("v"))
    return Slot(path="release.date", value=sign(polarity) + date[1], title=("Release", "Date", "")) if date else None


def _amount(found: re.Match[str], subject: str, phrase: str, polarity: int, end: int) -> Slot | None:
    lead = re.sub(
        r"[\s,]*\b(?:slipped|moved|pushed|postponed|rotated|set|raised)\b.*$", "", subject, flags=re.IGNORECASE
    )
    root, title = subject_of(lead)
    phrase = re.sub(
        r"^(?:(?:every|the|about|only|up to|exactly|around|so|now) )+", "", phrase.strip(), flags=re.IGNORECASE
    )
    read = read_date(phrase) or read_measure(phrase)
    if not root or not read or root in ("self", "project") or len(root) > 60:
        return None
    extra = qualifier(found.string, end - len(rest_of(phrase)), found.start("s"))
    if extra is None:
        return None
    dimension, value = read
    root = re.sub(r"-call$", "", root)
    if dimension == "date":
        root = root.removesuffix("-date")
    if dimension == "size":
        part = re.search(r"\b(?:ram|memory|disk|storage)\b", found.string, re.IGNORECASE)
        dimension = (
            {"memory": "ram", "storage": "disk"}.get(part.group(0).casefold(), part.group(0).casefold())
            if part
            else dimension
        )
        extra = "" if extra in ("ram", "memory", "disk", "storage") else extra
    if re.search(r"\btimes? out\b", found.string, re.IGNORECASE):
        root += "-timeout"
    if re.search(r"\bevery\b", found.string, re.IGNORECASE):
        dimension = "interval"
        root = "-".join(
            sorted({_noun(part) for part in root.split("-")} | {_noun(word) for word in _ROTATES.findall(found.string)})
        )
    return Slot(
        path=f"{root}.{dimension}{at(extra)}", value=sign(polarity) + value, title=(title, dimension.title(), "")
    )


_ROTATES: Final = re.compile(
    r"\b(?:rotat\w+|renew\w+|back(?:ed|s)? up|clean\w+|publish\w+|releas\w+|review\w+|deploy\w+)\b", re.IGNORECASE
)


def _noun(word: str) -> str:
    return re.sub(r"(?:ation|ated|ates|ate|ed|ing|ion|s)$", "", word.casefold())


def _mine(found: re.Match[str], polarity: int, relation: SlotRelation) -> Slot | None:
    what, value = concept(found.group("s")), name_value(found.group("v"))
    if not what or not value or len(what) > 40 or len(value) > 80 or sole_family(found.group("v")):
        return None  # what a family knows is read there
    routine = re.search(r"\b(?:routine|ritual|schedule)$", found.group("s"), re.IGNORECASE)
    if not routine and (not re.match(r"(?:the |a |an )?[A-Z\d@+]", found.group("v")) or len(value) > 40):
        return None
    root = "project" if found.group(0)[:3].casefold() == "our" else "self"
    return Slot(path=f"{root}.{what}", value=sign(polarity) + value, title=(root.title(), what, ""), confidence=0.75)


_BUILDERS: Final[dict[str, Callable[[re.Match[str], int, SlotRelation], Slot | None]]] = {
    "name": _name,
    "age": _age,
    "dated": _dated,
    "phone": _phone,
    "member": _member,
    "pet": _pet,
    "pair": _pair,
    "attitude": _attitude,
    "favourite": _favourite,
    "listens": _listens,
    "lines": _lines,
    "alias": _alias,
    "called": _called,
    "lead": _lead,
    "version": _version,
    "changed": _measured,
    "measured": _measured,
    "compound": _compound,
    "shipped": _shipped,
    "mine": _mine,
    "clock": _clock,
    "kin-home": _kin_home,
    "budget": _budget,
}

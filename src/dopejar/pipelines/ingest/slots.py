"""Slots: the value-free concept behind a statement, and the value it gives.

Takes: the words of an atom. Gives: a `Slot`, or None where no relation can be read with confidence. Never: a slot whose
clause has words left over that could change what is meant; those become a qualifier of the slot.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from dopejar.pipelines.ingest.families import Families, Family, Member, families
from dopejar.pipelines.ingest.measures import measure, read_date
from dopejar.pipelines.ingest.phrases import concept, name_value, qualifier, strip_tail, subject_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Slot:
    """`path` is dotted and value-free; `member` is what a many-valued slot carries behind `#`.

    `title` are the parts of the key (subject, aspect, qualifier). `replaces` is the value that the words say is over.
    """

    path: str
    value: str
    title: tuple[str, str, str]
    member: str = ""
    many: bool = False
    confidence: float = 0.8
    replaces: str = ""

    @property
    def name(self) -> str:
        """The whole slot, with the member behind `#`."""
        return f"{self.path}#{self.member}" if self.member else self.path


Builder = Callable[[re.Match[str], int], "Slot | None"]
_ADV: Final = r"(?:(?:also|now|still|currently|always|usually|mostly|only|just|really|generally|all|both|already|primarily|mainly|strongly|much|do|much|would|finally|recently|have|has|had|'ve|'d|'s|be|been|being|is|are|am|'m|'re|was|were|will|'ll) )*"
_I: Final = r"(?:i|i'm|i've|i'd|i'll)"


def read_slot(text: str, polarity: int) -> Slot | None:
    """The slot a statement fills, with its value; the first relation that reads it wins."""
    for pattern, build in _RELATIONS:
        found = pattern.search(text)
        slot = build(found, polarity) if found else None
        if slot is not None:
            return slot
    return _by_family(text, polarity)


def _sign(polarity: int) -> str:
    return "-" if polarity < 0 else "+"


def _self_one(path: str, aspect: str, title: str, group: str = "v") -> Builder:
    """A one-valued slot of the speaker whose value is a name or phrase."""

    def build(found: re.Match[str], polarity: int) -> Slot | None:
        value = name_value(found.group(group))
        if not value:
            return None
        return Slot(path=path, value=_sign(polarity) + value, title=("Self", aspect, title), confidence=0.85)

    return build


def _allergy(found: re.Match[str], polarity: int) -> Slot | None:
    member = concept(found.group("v"))
    if not member:
        return None
    return Slot(
        path="self.allergy",
        member=member,
        value=f"{_sign(polarity)}{member}",
        title=("Self", "Allergy", member),
        many=True,
    )


def _attitude(found: re.Match[str], polarity: int) -> Slot | None:
    verb = found.group("verb").casefold()
    good = not re.match(r"hat|dislik|detest|despis|can.?t stand|cannot stand|not a (?:big |huge )?fan", verb)
    thing, extra = strip_tail(found.group("v"))
    by_family = _family_of(thing, ("theme",))
    sign = 1 if good else -1
    if not good and polarity < 0:
        polarity = 1  # the verb itself is what was read as negation
    sign *= polarity
    if by_family:
        return _family_slot(by_family[0], by_family[1], "self.pref", sign, extra, "Self", "Pref")
    member = concept(thing)
    if not member or len(member) > 60:
        return None
    return Slot(
        path="self.attitude",
        member=member + _at(extra),
        value="+like" if sign > 0 else "-like",
        title=("Self", "Likes", member),
        many=True,
        confidence=0.75,
    )


def _prefer(found: re.Match[str], polarity: int) -> Slot | None:
    thing, extra = strip_tail(found.group("v"))
    other = found.groupdict().get("o") or ""
    known = _family_of(thing, ())
    if known:
        replaced = _family_of(other, ()) if other else None
        slot = _family_slot(known[0], known[1], "self.pref", polarity, extra, "Self", "Pref")
        return slot if not replaced or slot is None else _with_replaced(slot, replaced[1].value)
    a, b = concept(thing), concept(other)
    if a and b:
        pair = "-vs-".join(sorted((a, b)))
        return Slot(
            path=f"self.pref.{pair}{_at(extra)}", value=_sign(polarity) + a, title=("Self", "Pref", a), confidence=0.8
        )
    if not a:
        return None
    return Slot(
        path="self.attitude",
        member=a + _at(extra),
        value="+like" if polarity > 0 else "-like",
        title=("Self", "Likes", a),
        many=True,
        confidence=0.7,
    )


def _with_replaced(slot: Slot, value: str) -> Slot:
    return Slot(
        path=slot.path,
        value=slot.value,
        title=slot.title,
        member=slot.member,
        many=slot.many,
        confidence=slot.confidence,
        replaces=value,
    )


def _at(extra: str) -> str:
    return f"@{extra}" if extra else ""


def _family_of(text: str, only: tuple[str, ...]) -> tuple[Family, Member] | None:
    known = families()
    members = [member for member in known.find(text) if not only or member.family in only]
    if len({member.family for member in members}) != 1:
        return None
    member = members[0]
    rest = concept((text[: member.start] + " " + text[member.end :]).strip())
    if rest and rest not in _FILLER:
        return None
    return known.by_name[member.family], member


_FILLER: Final = frozenset(
    {
        "",
        "ide",
        "ides",
        "ui",
        "uis",
        "theme",
        "editor",
        "everything",
        "answer",
        "code",
        "language",
        "server",
        "database",
        "db",
        "string",
        "licence",
        "license",
        "cluster",
        "raw driver",
        "driver",
        "large runner",
        "test",
        "app",
        "mode",
        "plugin",
        "project",
    }
)


def _family_slot(
    family: Family, member: Member, root: str, polarity: int, extra: str, subject: str, aspect: str = ""
) -> Slot | None:
    value, sign = member.value, polarity
    if family.binary and sign < 0:
        others = [other for other in family.values if other != value]
        if len(others) == 1:
            value, sign = others[0], 1
    name = family.name
    title = value.title().replace("-", "") + family.suffix
    if not family.one and root != "self.pref":
        return Slot(
            path=f"{root}.{name}",
            member=value + _at(extra),
            value=_sign(sign) + value,
            title=(subject, aspect or family.aspect, title),
            many=True,
        )
    return Slot(
        path=f"{root}.{name}{_at(extra)}",
        value=_sign(sign) + value,
        title=(subject, aspect or family.aspect, title),
        confidence=0.85,
    )


_USE: Final = re.compile(
    r"\b(?:us(?:e|es|ing|ed)|runs?(?: on)?|running on|built (?:with|on|in)|written in|based on|deploys?(?: \w+)? to|deployed (?:to|on)|hosted (?:on|at|by)|"
    r"lints?|linting|formats?|tests? (?:run|are run)|installed with|manage\w* with|stores?|stored|switch(?:ed|ing)?|migrat(?:ed|ing)|mov(?:ed|ing)|"
    r"replaced|chose|picked|settled|decided|went with|prefers?|indent|answers?|reply|respond|write|writing|speak|target|licensed?|under|standardi[sz]ed? on|"
    r"adopted|depends? on|still on|is on|are on|is an?|stick to|is|are|publish|work(?:s|ing)?(?: in| with)?|code in|develop(?:s|ing)? (?:in|on))\b",
    re.IGNORECASE,
)
_OLD: Final = re.compile(
    r"(?:\b(?:instead of|rather than|replac(?:ed|es|ing)|over|from|away from|dropped|no longer|without|after evaluating)\s+(?:\w+\s+)?"
    r"|(?:,|\band|\bbut) not (?:with |in |on )?)$",
    re.IGNORECASE,
)


def _by_family(text: str, polarity: int) -> Slot | None:
    known = families()
    verb = _USE.search(text)
    members = known.find(text)
    if not members or not verb:
        return None
    old = [member for member in members if _OLD.search(text[: member.start])]
    old_also = {member.family for member in old}
    kept = [member for member in members if member not in old]
    lead = next((member for member in kept if member.family in old_also), kept[0] if kept else None)
    if lead is None or (lead.weak and not _beside_use(text, lead)):
        return None
    siblings = {member.value for member in kept if member.family == lead.family}
    if len(siblings) > 1:
        return None
    return _family_statement(text, polarity, known, lead, old)


def _beside_use(text: str, member: Member) -> bool:
    return bool(_USE.search(text[max(0, member.start - 24) : member.start]))


def _family_statement(text: str, polarity: int, known: Families, lead: Member, old: list[Member]) -> Slot | None:
    family = known.by_name[lead.family]
    root, subject = subject_of(text)
    if not root:
        return None
    if family.rule:
        root, subject = "dev", "Dev"
    elif family.name == "theme" and root in ("self", "project"):
        root, subject = "self.pref", "Self"
    elif family.name == "spoken":
        root, subject = "assistant.reply", "Reply"
    replaced = next((member.value for member in old if member.family == lead.family), "")
    if old and polarity < 0:
        polarity = 1  # "X, not Y" and "replaced Y" deny the other one
    extra = qualifier(text, lead.end, lead.start)
    if extra is None:
        return None
    many = not family.one and root == "self"
    if many:
        root, subject = "self.uses", "Self"
    slot = _family_slot(family, lead, root, polarity, extra, subject, "Uses" if many else "")
    return _with_replaced(slot, replaced) if slot and replaced else slot


def _listens(found: re.Match[str], polarity: int) -> Slot | None:
    root, subject = subject_of(found.group("s"))
    if not root:
        return None
    value = found.group("v").casefold()
    extra = qualifier(found.string, found.end("v"), found.start("s"))
    port = value.isdigit()
    path = f"{root}.port" if port else f"{root}.config.binding"
    title = (subject, "Config", "Port" if port else "Binding")
    return (
        None
        if extra is None
        else Slot(path=path + _at(extra), value=_sign(polarity) + value, title=title, confidence=0.9)
    )


def _measured(found: re.Match[str], polarity: int) -> Slot | None:
    root, subject = subject_of(found.group("s"))
    if not root or root in ("self", "project") or len(root) > 60:
        return None
    read = read_date(found.group("v")) or measure(found.group("v"))
    if not read:
        return None
    extra = qualifier(found.string, found.end("v"), found.start("s"))
    if extra is None:
        return None
    dimension, value = read
    return Slot(
        path=f"{root}.{dimension}{_at(extra)}",
        value=_sign(polarity) + value,
        title=(subject, dimension.title(), ""),
        confidence=0.8,
    )


def _alias(found: re.Match[str], polarity: int) -> Slot | None:
    name, meaning = concept(found.group("s")), concept(found.group("v"))
    if not name or not meaning or len(name) > 40:
        return None
    return Slot(path=f"alias.{name}", value=_sign(polarity) + meaning, title=("Alias", name, ""), confidence=0.8)


def _called(found: re.Match[str], polarity: int) -> Slot | None:
    name = name_value(found.group("v"))
    root, subject = subject_of(found.group("s"))
    if not root or not name:
        return None
    return Slot(path=f"{root}.name", value=_sign(polarity) + name, title=(subject, "Name", ""), confidence=0.8)


def _leads(found: re.Match[str], polarity: int) -> Slot | None:
    what = concept(found.group("v"))
    return (
        Slot(
            path=f"{what}.lead",
            value=_sign(polarity) + name_value(found.group("s")),
            title=(what, "Lead", ""),
            confidence=0.75,
        )
        if what
        else None
    )


def _mine(found: re.Match[str], polarity: int) -> Slot | None:
    what, value = concept(found.group("s")), name_value(found.group("v"))
    if not what or not value or len(what) > 40 or len(value) > 40 or not re.search(r"[A-Z\d@+]", found.group("v")):
        return None
    return Slot(path=f"self.{what}", value=_sign(polarity) + value, title=("Self", what, ""), confidence=0.75)


def _line_length(found: re.Match[str], polarity: int) -> Slot | None:
    number = int(found.group("v"))
    return Slot(path="dev.line-length", value=f"+{number}", title=("Dev", "Line", "Length"), confidence=0.85)


def _p(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_PLACE: Final = r"(?P<v>(?-i:[A-ZÀ-ÖØ-ÞŁŚŽČ])[\w'’.-]*(?:[ ,]+(?:(?:de|da|do|dos|la|le|von|am|the|of|upon) )?(?-i:[A-ZÀ-ÖØ-ÞŁŚŽČ])[\w'’.-]*)*)"
_RELATIONS: Final[tuple[tuple[re.Pattern[str], Builder], ...]] = (
    (_p(rf"^my (?:full )?name(?: is|'s) {_PLACE}"), _self_one("self.name", "Name", "")),
    (_p(rf"^(?:call me|i'm called|i am called) {_PLACE}"), _self_one("self.name", "Name", "")),
    (
        _p(
            rf"^{_I} {_ADV}(?:live|living|reside|based|settled)(?: into my new (?:place|home|flat|apartment))? (?:here )?(?:in|at) (?:the )?{_PLACE}"
        ),
        _self_one("self.home", "Home", ""),
    ),
    (
        _p(rf"^(?:we|i|i'm|i've|we've|we're) {_ADV}(?:moved|moving|relocated|relocating) to (?:the )?{_PLACE}"),
        _self_one("self.home", "Home", ""),
    ),
    (_p(rf"^i was born in (?:the )?{_PLACE}"), _self_one("self.birthplace", "Birth", "Place")),
    (_p(rf"^{_I} {_ADV}work(?:ing)? (?:at|for) (?:the )?{_PLACE}"), _self_one("self.employer", "Work", "Employer")),
    (_p(rf"^{_I} {_ADV}(?:(?P<v>\d{{1,3}}) years? old|turned (?P<w>\d{{1,3}}))"), lambda m, p: _age(m)),
    (_p(rf"^(?:i am|i'm) (?P<v>\d{{1,3}})(?=$|[,.])"), lambda m, p: _age(m)),
    (_p(rf"\ballergic to (?P<v>[\w' -]+)"), _allergy),
    (_p(rf"^i {_ADV}drive an? (?P<v>[\w.' -]+)"), _self_one("self.car", "Car", "")),
    (_p(rf"^{_I} {_ADV}prefer (?:to )?(?P<v>.+?)(?: (?:over|to|rather than|instead of|than) (?P<o>.+))?$"), _prefer),
    (
        _p(
            rf"^{_I} {_ADV}(?P<verb>like|love|enjoy|hate|dislike|detest|despise|can'?t stand|cannot stand)s?(?: to)? (?P<v>.+)$"
        ),
        _attitude,
    ),
    (
        _p(
            r"^(?P<s>.+?) (?:is |are )?(?:now |currently |only )*(?:listen(?:s|ing)?|bound|binds?|is reachable|runs?|running|is|are)(?: now)? (?:on|to|at) (?:port |https?://localhost:|localhost:)?(?P<v>\d{1,3}(?:\.\d{1,3}){3}|\d{4,5}|(?<=port )\d{2,5})\b(?! (?:GB|MB|k|users|requests|%))"
        ),
        _listens,
    ),
    (
        _p(
            r"^(?:keep |limit )?(?:the )?(?:maximum |max )?lines?(?: length)?\b.*?\b(?:under|to|at|below|within|longer than|is|exceed|of) (?P<v>\d{2,3})\b"
        ),
        _line_length,
    ),
    (
        _p(
            r"^[\"“']?(?P<s>[\w .-]{2,30}?)[\"”']? (?:stands for|is short for|means|is an abbreviation (?:for|of)) [\"“']?(?P<v>[^\"”']+)"
        ),
        _alias,
    ),
    (_p(r"^[\"“'](?P<s>[^\"”']{2,30})[\"”'] (?:now )?(?:is|means|refers to) (?P<v>.+)"), _alias),
    (
        _p(
            r"^(?:when (?:i|we) (?:write|say) |by )[\"“']?(?P<s>[\w .-]{2,30}?)[\"”']?,? (?:i|we) (?:always )?mean (?P<v>.+)"
        ),
        _alias,
    ),
    (
        _p(
            r"^(?P<s>.+?) (?:is|was|are) (?:now |still |officially )?(?:called|named) [\"“'`]?(?P<v>[\w./#-]+(?: [A-Z][\w-]+)*)"
        ),
        _called,
    ),
    (_p(r"^(?P<s>[A-Z][\w-]+) (?:now )?(?:leads|runs|heads|manages|owns) (?:the )?(?P<v>[\w -]+)$"), _leads),
    (
        _p(
            r"^(?:the |our )?(?P<s>.+?)(?: (?:now|is|are|was|has|of|lasts?|takes?|set|expires?|times? out|rotated|raised|at|be|to|on|every|after|in)){1,4} (?:every |only |up to |exactly )?(?P<v>.+)$"
        ),
        _measured,
    ),
    (_p(r"^my (?P<s>[\w' -]{2,40}?) (?:is|=|are) (?:now )?(?P<v>[^,;]+)$"), _mine),
)


def _age(found: re.Match[str]) -> Slot:
    number = found.groupdict().get("v") or found.groupdict().get("w") or ""
    return Slot(path="self.age", value=f"+{number}", title=("Self", "Age", ""), confidence=0.85)

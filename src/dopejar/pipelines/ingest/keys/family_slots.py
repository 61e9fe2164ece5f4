"""Slots of value families: who uses, prefers or has which of them.

Takes: the words of an atom. Gives: a `Slot`, or None. Never: a value from a list of several; those are statements of
their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dopejar.pipelines.ingest.keys.phrases import concept, place_of, qualifier, subject_of
from dopejar.pipelines.ingest.keys.slot import Slot, at, sign
from dopejar.pipelines.ingest.keys.value_families import Family, Member, families, values_named
from dopejar.text.lazy_patterns import lazy_pattern

_FILLER_WORDS: Final = """
    ide ides ui theme editor everything answer code language server database db string licence license cluster
    large-runner app mode project itself code-base programming
"""
_FILLER: Final = frozenset(["", *_FILLER_WORDS.split()])
_USE: Final = lazy_pattern(
    r"\b(?:us(?:e|es|ing|ed)|runs?|running|built|written|based|deploy(?:s|ed)?|hosted|lint(?:s|ing|ed)?|"
    r"format(?:s|ting|ted)?|"
    r"installed|manag\w+|stor(?:e|es|ed)|switch(?:ed|ing)?|migrat(?:ed|ing)|mov(?:ed|ing)|replac(?:ed|es|ing)|"
    r"chose|picked|settled|decided|"
    r"went|gone|go|back|prefers?|indent(?:s|ed)?|answers?|reply|respond|write|writes|writing|speak|targets?|"
    r"licen[sc]ed?|relicensed|under|"
    r"standardi[sz]ed?|adopted|depends?|is|are|stick|publish(?:ed)?|work(?:s|ing)?|code|coding|develop(?:s|"
    r"ing)?|keep|set|want|like|love|wrote|"
    r"stay(?:s|ing)?|serv(?:es|ed|ing)|am|avoid|must|follow|eat|rather|give|install|test|cache|host|manage|edit|fan|a|lives?|licensed|mit-licensed|antwort\w*|schreib\w*|respond[ae]\w*|répond\w*|odpovídej|отвечай|usamos|uso|prefir\w+|prefier\w+|bevorzug\w+|préfèr\w+|предпочита\w+|preferuj\w+|喜欢|nutze\w*|benutz\w*|verwende\w*|j'utilise|utiliz\w+|utilise\w*|i'm|we're|it's|so|started|eating|became|become|turned)\b",
    re.IGNORECASE,
)
_GIVEN_UP: Final = lazy_pattern(r"\b(?:no longer|any ?more|dropped|used to use)\b", re.IGNORECASE)
_WITHIN: Final = lazy_pattern(  # "never use eval in", but not "we write the backend in"
    r"\b(?:us(?:e|es|ing)|avoid|prefer|add|call|import|put|test|format|lint|sort|catch|raise|return|throw|check|name|"
    r"declare|define|document|run)\b(?! (?:it|this|that|everything)\b) [^,;:]+ in $",
    re.IGNORECASE,
)
_OLD: Final = lazy_pattern(
    r"(?:\b(?:instead of|rather than|replac(?:ed|es|ing)|over|from|away from|dropped|no longer|without|"
    r"after evaluating|than|used to use|back from)"
    r"\s+(?:\w+\s+)?|(?:,|\band|\bbut) not (?:with |in |on )?)$",
    re.IGNORECASE,
)


def sole_family(text: str, only: tuple[str, ...] = ()) -> tuple[Family, Member] | None:
    """The one family value a noun phrase names, where the rest of the phrase is filling."""
    known = families()
    members = [member for member in values_named(text) if not only or member.family in only]
    if len(members) != 1:
        return None
    member = members[0]
    rest = concept(f"{text[: member.start]} {text[member.end :]}".strip())
    return (known.by_name[member.family], member) if rest in _FILLER else None


def family_slot(
    family: Family,
    member: Member,
    *,
    root: str,
    polarity: int,
    extra: str,
    subject: str,
    aspect: str = "",
) -> Slot:
    """The slot of a family value below `root`. Denying one of two values means the other."""
    value, stated = member.value, polarity
    if family.binary and stated < 0:
        others = [other for other in family.values if other != value]
        if len(others) == 1:
            value, stated = others[0], 1
    title = (subject, aspect or family.aspect, value.title().replace("-", "") + family.suffix)
    if not family.one and root != "self.pref":
        return Slot(
            path=f"{root}.{family.name}",
            member=value + at(extra),
            value=sign(stated) + value,
            title=title,
            many=True,
        )
    return Slot(
        path=f"{root}.{family.name}{at(extra)}",
        value=sign(stated) + value,
        title=title,
        confidence=0.85,
    )


def by_family(text: str, polarity: int) -> Slot | None:
    """The slot of a statement of use ("we lint with ..."), where it names one value that is not given up."""
    known = families()
    members = values_named(text)
    if not members or not (_USE.search(text) or (members[0].start == 0 and known.by_name[members[0].family].rule)):
        return None
    old = [member for member in members if _OLD.search(text[: member.start])]
    kept = [member for member in members if member not in old]
    gone = {member.family for member in old}
    if len(old) == 1 and not kept and _GIVEN_UP.search(text):
        kept, old, gone, polarity = old, [], set(), -1  # all that is said is that it ended
    lead = next((member for member in kept if member.family in gone), kept[0] if kept else None)
    if lead is not None and lead.family == "language" and _WITHIN.search(text[: lead.start]):
        return None  # it says where the rule holds
    if lead is None or (lead.weak and not gone and not _USE.search(text[max(0, lead.start - 24) : lead.start])):
        return None
    if len({member.value for member in kept if member.family == lead.family}) > 1:
        return None
    return _stated(text, polarity, known.by_name[lead.family], lead, old)


def _stated(text: str, polarity: int, family: Family, lead: Member, old: Sequence[Member]) -> Slot | None:
    root, subject = _root(text, family)
    if not root:
        return None
    if old and polarity < 0:
        polarity = 1  # "X, not Y" denies the other one
    if polarity < 0 and _OWN_NEGATION.search(text[lead.start : lead.end]):
        polarity = 1  # "no meat" is itself the value
    subject_end = _USE.search(text)
    if subject_end and subject_end.start() >= lead.end and not _IS_OURS.match(text[lead.end :]):
        return None  # it is about the value ("Redis runs as ..."), not about who has it
    extra = qualifier(_blanked(text, lead), lead.end, lead.start)
    if extra is None:
        return None
    if extra in _FILLER or extra in family.about or extra == place_of(text)[0] or _adds_nothing(extra, family):
        extra = ""
    if family.rule:
        extra = "-".join(sorted({kind.casefold().rstrip("s") for kind in _FILE_KIND.findall(text)})) or extra
    aspect = "Pref" if root == "self.pref" else "Uses" if root == "self.uses" else ""
    return family_slot(family, lead, root=root, polarity=polarity, extra=extra, subject=subject, aspect=aspect)


def _adds_nothing(extra: str, family: Family) -> bool:
    """Whether a purpose only says once more what the family is about ("v5 database management": a database)."""
    told = {*family.about, *re.split(r"[._]", family.name)}
    return all(word in told or word in _EMPTY or _VERSION.match(word) for word in extra.split("-"))


_EMPTY: Final = frozenset(["management", "engine", "setup", "set", "up", "purpose", "system", "tool", "need"])
_VERSION: Final = lazy_pattern(r"v?\d[\d.]*$")
_FILE_KIND: Final = lazy_pattern(  # what a rule of form is bound to, wherever the sentence says it
    r"\b(?:yaml|json|toml|xml|html|css|scss|sql|markdown|makefiles?|dockerfiles?|python|javascript|typescript|rust|java|kotlin|"
    r"ruby|php|bash|perl|haskell|scala)\b",
    re.IGNORECASE,
)
_OWN_NEGATION: Final = lazy_pattern(r"\b(?:no|not|don't|never|avoid)\b|-free|less\b", re.IGNORECASE)
_REPLY: Final = lazy_pattern(
    r"\b(?:answer|repl(?:y|ies)|respon[ds]\w*|speak|write|talk|antwort|répond|respond)\w*\b", re.IGNORECASE
)
_OF_SOMETHING_ELSE: Final = lazy_pattern(
    r"^(?!please\b)\S.*?\b(?:speaks?|fluent)\b|\b(?:write|draft|keep|compose|translate|document|name)\b"
    r"(?! (?:in|back|to me|me|everything|your|all (?:your |the )?(?:answers|replies|responses))\b) \w+.*\bin\b",
    re.IGNORECASE,
)
_LONGEST_SUBJECT: Final = 4  # words
_OWN: Final = frozenset({"theme", "diet"})
_ME: Final = lazy_pattern(r"\b(?:i|me|my|i'm|i've|i'd)\b", re.IGNORECASE)
_WISHES_TO: Final = lazy_pattern(r"\bi(?:'d| would)? (?:want|like|love|hope|plan|intend|wish|aim) to\b", re.IGNORECASE)
_IS_OURS: Final = lazy_pattern(r"^\s+(?:is|are|stays?|remains?)(?: now| still)? (?:our|my|the|what)\b", re.IGNORECASE)


def _blanked(text: str, lead: Member) -> str:
    """The text with other words for the same value blanked."""
    for member in values_named(text[lead.end :]):
        if member.family == lead.family:
            begin, end = lead.end + member.start, lead.end + member.end
            text = text[:begin] + " " * (end - begin) + text[end:]
    return text


def _root(text: str, family: Family) -> tuple[str, str]:
    """Whose value it is. A rule is about the work, a theme about the person, the rest about what the subject names."""
    root, subject = ("dev", "Dev") if family.rule else subject_of(text)
    own = (*family.about, family.name.split(".")[0].replace("_", "-"))
    if root.removeprefix("self.") in own:
        root, subject = ("self", "Self") if root.startswith("self.") else ("project", "Project")
    if root.count("-") >= _LONGEST_SUBJECT:  # a clause read as a subject; what is one's own is known all the same
        root, subject = ("self", "Self") if family.name in _OWN and _ME.search(text) else ("", "")
    common = root in ("self", "project")
    place = place_of(text)
    if family.name == "spoken" and (_WISHES_TO.search(text) or _OF_SOMETHING_ELSE.search(text)):
        return "", ""  # to learn it; to speak it, which adds up; that of the docs is not that of the answers
    if family.name == "spoken" and (root == "project" or _REPLY.search(text)):
        return "assistant.reply", "Reply"
    if family.name == "theme" and common:
        return "self.pref", "Self"
    if not family.one and root == "self":
        return "self.uses", "Self"
    if place[0] and common:
        return place
    return _owner(root, subject, family)


def _owner(root: str, subject: str, family: Family) -> tuple[str, str]:
    """The owner behind a subject that adds nothing: "dependencies of the web repo" are about the web repo."""
    owner = next((root.removeprefix(f"{about}-") for about in family.about if root.startswith(f"{about}-")), "")
    return (owner, owner) if owner else (root, subject)

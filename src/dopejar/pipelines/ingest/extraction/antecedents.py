"""Antecedents: whom or what a pronoun means that a statement does not explain, by the sentences before it.

Takes: the words of a statement, and what was said before them. Gives: whether they lean on a pronoun, and the words
with a name in its place. Never: a guess between two candidates, or a candidate of another turn where somebody without
a name may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.extraction.references import EXPLETIVE
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.lexicons import word_list
from dopejar.text.names import spelled_names
from dopejar.text.normalisation import fold
from dopejar.text.sentences import sentences

_NEAR: Final = 2  # sentences before a statement that may name whom it is about
_REACH: Final = 2000  # characters back in which a pronoun may mean somebody
_LOOKED_AT: Final = 400  # characters of them
_OPENING: Final = r"(?:(?:and|but|so|or|even|only|now|also|still|then|because|since|just|apparently),?\s+){0,3}"
_ONE: Final = lazy_pattern(r"\b(?P<p>he|she|him|his|her)\b(?P<rest>['’](?:s|d|ll)\b)?", re.IGNORECASE)
_MANY: Final = lazy_pattern(rf"^{_OPENING}(?P<p>they|their)\b(?P<rest>['’](?:ve|re|d|ll)\b)?", re.IGNORECASE)
_THING: Final = lazy_pattern(rf"^{_OPENING}(?P<p>its?)\b(?P<rest>['’](?:s|d|ll)\b)?", re.IGNORECASE)
_SPELLED_OUT: Final = {"ve": " have", "re": " are"}
_OBJECT: Final = lazy_pattern(
    r"\s*(?:$|[,.;:!?)])|\s+(?:to|for|on|at|in|from|with|by|of|up|out|off|about|and|when|every|each|a|an|the|my|our|that|"
    r"not|back|again|now)\b"
)
_NOUN_BEFORE: Final = lazy_pattern(
    r"\b(?:my|our|your|the|an?|this|that|every|each|some|any|no|who|(?:some|any|every|no)(?:one|body)|you)\b",
    re.IGNORECASE,
)
_WOMAN: Final = (
    "mum|mom|mam|mother|sister|wife|girlfriend|daughter|aunt|auntie|niece|nan|gran|grandma|grandmother|landlady"
)
_MAN: Final = "dad|father|brother|husband|boyfriend|son|uncle|nephew|grandad|granddad|grandpa|grandfather|landlord"
_PERSON: Final = (
    "partner|friend|boss|manager|colleague|neighbour|neighbor|flatmate|roommate|housemate|teacher|tutor|doctor|dentist|"
    "therapist|midwife|childminder|nanny|cousin|tenant|lodger|baby|toddler|dog|cat|puppy|kitten|horse"
)
_KIN: Final = lazy_pattern(
    rf"\b(?P<own>(?i:my|our) (?:[\w-]+ ){{0,2}}?)?(?P<noun>(?i:{_WOMAN}|{_MAN}|{_PERSON}))\b(?!['’](?!s\b)|-)"
)
_WOMAN_NOUN: Final = lazy_pattern(_WOMAN, re.IGNORECASE)
_MAN_NOUN: Final = lazy_pattern(_MAN, re.IGNORECASE)
_LEANS_ON_MORE: Final = lazy_pattern(  # a thing that is not named either: "he keeps it in the harbour"
    r"(?:(?!\b(?:and|but|so|because|when|if|which|that)\b)[^,;:.!?])*?\b(?:it|them|there|those|these)\b", re.IGNORECASE
)
_RELATIVE: Final = lazy_pattern(rf"^the (?=(?!land)(?:{_WOMAN}|{_MAN})\b)", re.IGNORECASE)
_TOGETHER: Final = lazy_pattern(r"\b(?:and|or) (?:my |our )?\w+", re.IGNORECASE)
_PERSONS_NAME: Final = lazy_pattern(r"(?:(?:Dr|Mr|Mrs|Ms|Miss) )?[A-Z][a-zà-ž]+(?:[ '’-][A-Z][a-zà-ž]+){0,2}")
_NO_PERSON_BEHIND: Final = lazy_pattern(
    r"(?:\b(?:in|at|from|near|on|via|using|the|an?|\d\w*|(?:am|is|are|was|were) with)|['’](?:m|re|s) with|"
    r"\b(?:mov|go|went|fl|driv|travel|commut|head|relocat)\w*(?: back)? to) $",
    re.IGNORECASE,
)
_AS_IN: Final = lazy_pattern(r",? |(?:['’]s name)?(?:['’]s| is)(?: called| named)? |,? called ")
_DOES: Final = lazy_pattern(  # what a person does; "Breakfast was cold" names nobody
    r"(?:['’]s| is| was| has been|['’]s been)(?: \w+ly| still| always| now| just)? \w+ing\b|"
    r" (?:told|tells|said|says|asked|asks|rang|phoned|texted|called|wants|wanted|likes|loves|hates|works|worked|lives|"
    r"lived|turned|turns|joined|moved|started|starts|came|thinks|eats|plays|teaches|drives|sleeps|goes to|knows)\b"
)
_WELL: Final = r"(?:(?:and|but|so|well|right|ok|okay|also),? )?"
_SUBJECT: Final = lazy_pattern(
    rf"^{_WELL}(?P<s>(?:the|our|my) (?:[\w-]+ ){{0,2}}?[\w-]+)(?=['’]s\b| (?P<verb>\w+))",
    re.IGNORECASE,
)
_FAMILY: Final = lazy_pattern(rf"^(?i:{_WELL})(?P<s>The [A-Z]\w+s) (?!is\b|has\b|was\b|does\b)(?:\w+ed|\w*[^\Ws])\b")
_DETERMINED: Final = lazy_pattern(r"\b(?:the|our|my|an?|this|that|his|her|their|your) \w", re.IGNORECASE)
_PLURAL: Final = lazy_pattern(
    rf"^{_WELL}(?P<s>(?:our|my) (?:[\w-]+ ){{0,2}}?(?:[\w-]+[^s\W]s|children|people))"
    r" (?:are|were|have|do|don['’]t|aren['’]t|\w+ed)\b",
    re.IGNORECASE,
)


class _Candidate(NamedTuple):
    """Somebody who is named, and of which gender where that is said ("" where it is not)."""

    name: str
    gender: str
    is_sure: bool = True  # False: a word that opens a sentence, and may be no name


def leans_on_pronoun(words: str) -> bool:
    """Whether a statement is about a "he" or "she", or of a "their", that it does not name."""
    found = _unexplained(words)
    return found is not None and found["p"].lower() != "they"


def names_somebody(words: str, *, surely: bool = False) -> bool:
    """Whether the words name a person, by name or by what they are to the speaker."""
    return any(one.is_sure or not surely for one in _people(words))


def sentences_before(text: str, place: int) -> list[str]:
    """The sentences before a place, as far back as a pronoun reaches; of a longer text those that stand whole."""
    begin = max(0, place - _REACH)
    return [one.text for one in sentences(text[begin:place])[begin > 0 :]]


def with_antecedent(words: str, said_before: str) -> str | None:
    """The statement with the one name that its first pronoun can mean; None where there is not exactly one."""
    found = _unexplained(words) or _THING.match(words)
    if found is None:
        return None
    name = _named(found, words, said_before[-_LOOKED_AT:])
    return None if name is None else _put(name, found, words)


def _put(name: str, found: re.Match[str], words: str) -> str:
    """The words with the name in the place of the pronoun."""
    start, end = found.span("p")
    name = f"{name[0].lower()}{name[1:]}" if start and _DETERMINED.match(name) else name
    rest = found["rest"] or ""
    spelled = _SPELLED_OUT.get(rest[1:].lower(), rest)
    owns = _owns(found["p"].lower(), words[end:], is_first=not words[:start].strip())
    if owns and not rest:
        spelled = "'" if name.endswith("s") and name.split()[0].lower() in ("our", "my", "the") else "'s"
    return f"{words[:start]}{name}{spelled}{words[end + len(rest) :]}"


def with_earlier_antecedent(words: str, said: Sequence[str]) -> str | None:
    """The statement with the one name that it can mean among the sentences said before; None where it leans on more.

    "He" and "she" are whom the last two sentences with a name name, "the son" is the son of that one; "it" and "they"
    are what the last sentence is about.
    """
    of, found = _RELATIVE.match(words), _unexplained(words)
    if of is None and (found is None or found["p"].lower() in ("they", "their")):
        return with_antecedent(words, said[-1]) if said else None
    pronoun = found["p"].lower() if found is not None and of is None else ""
    naming = [one for one in said if names_somebody(one)]
    since = takewhile(lambda one: one not in naming, reversed(said))
    if any(_DETERMINED.search(one) and not (one.endswith("?") or _says(one, _gender_of(pronoun))) for one in since):
        return None  # it may be of somebody else, who has no name
    name = _person(pronoun, naming)
    if name is None:
        return None
    if of is not None:
        return f"{name}'s {words[of.end() :]}"
    return None if found is None or _LEANS_ON_MORE.match(words, found.end()) else _put(name, found, words)


def _unexplained(words: str) -> re.Match[str] | None:
    found = _ONE.search(words)
    if found is None:
        return _MANY.match(words)
    before = words[: found.start()]
    named = _NOUN_BEFORE.search(before) or spelled_names(before) or _KIN.search(before)
    return None if named else found


def _owns(pronoun: str, behind: str, *, is_first: bool) -> bool:
    if pronoun == "her":
        return is_first or _OBJECT.match(behind) is None
    return pronoun in ("his", "their", "its")


def _named(found: re.Match[str], words: str, said: str) -> str | None:
    before = [one.text for one in sentences(said)]
    pronoun = found["p"].lower()
    if not before:
        return None
    if pronoun in ("it", "its"):
        is_empty = pronoun == "it" and EXPLETIVE.match(words[found.end("p") :]) is not None
        return None if is_empty else _one_thing(before[-1])
    if pronoun in ("they", "their"):
        return _several(before[-1])
    return _person(pronoun, before)


def _person(pronoun: str, before: Sequence[str]) -> str | None:
    """The one person whom the last sentences name and the pronoun fits; any of them fits none."""
    gender = _gender_of(pronoun)
    near = islice((one for one in reversed(before) if not _says(one, gender)), _NEAR)
    people = {one.name: one for sentence in near for one in _people(sentence)}
    known = [one for sentence in before for one in _people(sentence) if one.name in people]
    genders = {one.name: one.gender for one in known if one.gender}
    fitting = [name for name in people if not gender or genders.get(name, gender) == gender]
    is_sure = any(one.is_sure for one in known if fitting == [one.name])
    return fitting[0] if is_sure else None


def _gender_of(pronoun: str) -> str:
    return "" if not pronoun else "f" if pronoun in ("she", "her") else "m"


def _says(sentence: str, gender: str) -> bool:
    """Whether the sentence is itself about the "she" or "he", and names nobody."""
    if not gender:
        return False
    pronouns = r"\b(?:she|her)\b" if gender == "f" else r"\b(?:he|him|his)\b"
    return re.search(pronouns, sentence, re.IGNORECASE) is not None and not any(_people(sentence))


def _people(sentence: str) -> Iterator[_Candidate]:
    """Who is named; somebody named twice over ("my sister Petra") once."""
    kin = list(_KIN.finditer(sentence))
    for name in spelled_names(sentence):
        for part in re.finditer(r"\S.*?(?= and |$)", name.text):
            text = part[0].removeprefix("and ")
            if not _may_be_person(sentence, name.start + part.start(), text):
                continue
            of = next((one for one in kin if _AS_IN.fullmatch(sentence, one.end(), name.start)), None)
            if of is not None:
                kin.remove(of)
            gender = _gender(of["noun"]) if of else _titled(text)
            yield _Candidate(text, gender, is_sure=_is_sure(sentence, name.start + part.start(), text))
    for one in kin:
        if one["own"] or one["noun"][0].isupper():
            yield _Candidate(one[0], _gender(one["noun"]))


def _may_be_person(sentence: str, start: int, text: str) -> bool:
    if _PERSONS_NAME.fullmatch(text) is None or _NO_PERSON_BEHIND.search(sentence, 0, start):
        return False
    opening = text.split(maxsplit=1)[0]
    is_common = opening.endswith("ing") or fold(opening) in word_list("frequent", "en")
    return not (is_common and _begins(sentence, start))


def _is_sure(sentence: str, start: int, text: str) -> bool:
    """Whether a capital that opens a sentence begins a name: it acts as people do, or stands beside another."""
    end = start + len(text)
    acts = _DOES.match(sentence, end) or _TOGETHER.match(sentence, end + 1)
    return acts is not None or not _opens(sentence, start, text)


def _opens(sentence: str, start: int, text: str) -> bool:
    return " " not in text and _begins(sentence, start)


def _begins(sentence: str, start: int) -> bool:
    return not sentence[:start].strip(" \"'“‘")


def _gender(noun: str) -> str:
    if _WOMAN_NOUN.fullmatch(noun):
        return "f"
    return "m" if _MAN_NOUN.fullmatch(noun) else ""


def _titled(name: str) -> str:
    title = name.split(maxsplit=1)[0]
    return "m" if title == "Mr" else "f" if title in ("Mrs", "Ms", "Miss") else ""


def _one_thing(sentence: str) -> str | None:
    """The subject of the sentence, where it is a thing and the sentence holds no other."""
    found = _SUBJECT.match(sentence)
    if found is None or _KIN.search(found["s"]) or (found["verb"] and not FINITE.match(found["verb"])):
        return None
    return None if _DETERMINED.search(sentence, found.end("s")) or spelled_names(sentence) else found["s"]


def _several(sentence: str) -> str | None:
    """The several people whom the sentence begins with, where it holds no others, nor a thing."""
    family = _FAMILY.match(sentence)
    if family is not None and not _DETERMINED.search(sentence, family.end("s")):
        return family["s"]
    names = spelled_names(sentence)
    if names:
        (first, *others) = names
        return first.text if " and " in first.text and not others and first.start == 0 else None
    found = _PLURAL.match(sentence)
    return None if found is None or _DETERMINED.search(sentence, found.end("s")) else found["s"]

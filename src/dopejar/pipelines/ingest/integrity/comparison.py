"""Comparison of two statements by what they say: the same, an update, a contradiction, or two different things.

Takes: an earlier and a later statement. Gives: a `Comparison` with the reason. Never: calls it an update unless the
words themselves say that something changed, or one slot has got another value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dopejar.language.identifiers import opens_with_another
from dopejar.pipelines.ingest.atoms import Atom, Key
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.integrity.chain_move import is_stable_slot
from dopejar.pipelines.ingest.integrity.quantities import Difference, Quantity, first_difference, quantities
from dopejar.pipelines.ingest.keys.key import make_key, plain_key
from dopejar.text.normalisation import content_hash, fold, same_value
from dopejar.text.similarity import similar
from dopejar.text.words import query_terms, stem
from dopejar.values.statement import Relation


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """The relation, how sure we are, and why."""

    relation: Relation
    confidence: float
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedStatement:
    """What comparing needs of an atom or a record; computed once."""

    text: str
    key: Key
    polarity: int
    certainty: float
    directs: bool
    planned: bool
    past: bool
    temporary: bool
    person: str  # whose statement it is about: "self", "we", another's name, or "" for things
    progress: bool
    scope: str  # an exception or place that restricts it ("in yaml files")
    terms: frozenset[str]
    amounts: tuple[Quantity, ...]
    changes: bool
    ends: bool
    adds: bool
    denies: bool


_ADDS: Final = re.compile(r"\b(?:also|as well|too|in addition|second|another|additional|besides|both)\b", re.IGNORECASE)
_DENIES: Final = re.compile(
    r"\b(?:i|we)(?:'ve| have|'d| had)? (?:actually |really )?never (?:actually |really |even )?\w+|"
    r"\bi (?:have not|haven't|did not|didn't) (?:ever|actually)\b",
    re.IGNORECASE,
)
_PROGRESS: Final = re.compile(
    r"\b(?:already|so far|total|overall|reach(?:ed)?|completed|finished|added|secured|increase[ds]?|improved?|updated?|"
    r"over|up to|above|more|adjusted|extended|have|has|'ve)\b",
    re.IGNORECASE,
)
_PERSON: Final = re.compile(
    r"^(?:my |the |our |his |her )?(?P<who>other user|wife|husband|partner|girlfriend|boyfriend|sister|brother|mother|"
    r"father|mom|dad|son|daughter|friend|neighbou?rs?|boss|manager|colleague|coworker|roommate|cousin|uncle|aunt|"
    r"team ?mate|client|customer|vendor|(?-i:(?!(?:We|Our|The|No|My|All|This|That|It|Keep|Every|Most|Some|Any|Nothing|"
    r"Always|Never|From|In|On|At|For|If|As|Use|And|But|So|There|Here|They|He|She|You|Their|His|Her|Its|These|Those|One|"
    r"Each|Please|Sorry|Also|Now|Just|Got|New|Since|Starting)\b)[A-Z][a-zà-ž]+)(?: from \w+)?)\b"
    r"(?= (?:\w+ )?(?:is|was|has|had|\w+s|\w+ed|just|also|now|gave|went|took|got|ran|made)\b)",
    re.IGNORECASE,
)
_SCOPE: Final = re.compile(
    r"^(?:in|for|on|inside|within|during|chapter) (?P<s>(?:the |our |my |all |any )?[\w' -]+?),? (?=(?:the |we |"
    r"i |use|a |an |it |our |my |tabs|always|never)\b)"
    r"|^(?P<c>chapter \w+|long \w+|printed \w+|release \d[\d.]*)\b|\b(?:only|except) (?:for|in|"
    r"when) (?P<o>[\w' -]+)$|\bfor (?P<f>the [\w' -]+) use\b",
    re.IGNORECASE,
)
_I: Final = re.compile(r"\b(?:i|i'm|i've|i'd|my|me|mine)\b", re.IGNORECASE)
_WE: Final = re.compile(r"\b(?:we|our|us|we've|we're)\b", re.IGNORECASE)
_WEAK_WORDS: Final = (
    "use get go make do have take want need like try work keep run new now also just still thing way time day week "
    "month year lot bit good well start finish complet current recent alreadi updat project one two help feel think "
    "know come look everi each all alway usual normal general typic regular realli actual"
)
_WEAK: Final = frozenset(_WEAK_WORDS.split())


def statement(atom: Atom) -> ComparedStatement:
    """An atom as a statement to compare."""
    key = plain_key(atom) if atom.temporary else make_key(atom)
    text, words = atom.text, cues(atom.language)
    scope = _SCOPE.search(text)
    return ComparedStatement(
        text=text,
        key=key,
        polarity=atom.polarity,
        certainty=atom.certainty,
        directs=atom.directs_work,
        planned=atom.planned,
        past=atom.past,
        temporary=atom.temporary,
        person=_person(text),
        progress=bool(_PROGRESS.search(text)),
        scope=fold(next((group for group in scope.groups() if group), "")) if scope else "",
        terms=frozenset(query_terms(text)),
        amounts=quantities(text),
        changes=words.has("time.change", text),
        ends=words.has("time.end", text),
        adds=bool(_ADDS.search(text)),
        denies=bool(_DENIES.search(text)),
    )


def _person(text: str) -> str:
    other = _PERSON.match(text)
    if other:
        return fold(other.group("who"))
    if _I.search(text):
        return "self"
    return "we" if _WE.search(text) else ""


def compare(earlier: ComparedStatement, later: ComparedStatement) -> Comparison:
    """What `later` does to `earlier`. Steps are tried in order; the first that can tell, tells."""
    for step in (
        _identical,
        _of_another,
        _by_slot,
        _replaced,
        _blocked,
        _denial,
        _doubt,
        _ending,
        _amounts,
        _opposed,
        _changed,
        _restated,
        _alike,
    ):
        found = step(earlier, later)
        if found is not None:
            return found
    return _apart("nothing in common")


def strongest(found: Sequence[Comparison]) -> Comparison:
    """Of several comparisons the one that matters most: an update, then a contradiction, then the same."""
    order = {Relation.UPDATE: 3, Relation.CONTRADICTION: 2, Relation.SAME: 1, Relation.APART: 0}
    return max(found, key=lambda one: (order[one.relation], one.confidence), default=_apart("nothing stated"))


def _apart(why: str, confidence: float = 0.6) -> Comparison:
    return Comparison(relation=Relation.APART, confidence=confidence, why=why)


def _same(why: str, confidence: float = 0.8) -> Comparison:
    return Comparison(relation=Relation.SAME, confidence=confidence, why=why)


def _update(why: str, confidence: float = 0.8) -> Comparison:
    return Comparison(relation=Relation.UPDATE, confidence=confidence, why=why)


def _conflict(why: str, confidence: float = 0.6) -> Comparison:
    return Comparison(relation=Relation.CONTRADICTION, confidence=confidence, why=why)


def _identical(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    return _same("the same words", 1.0) if content_hash(earlier.text) == content_hash(later.text) else None


def _of_another(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    return _apart("of another", 0.9) if opens_with_another(earlier.text, later.text) else None


def _blocked(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    """Another person, time or scope: both may stay."""
    others = [side.person for side in (earlier, later)]
    if (
        others[0] != others[1]
        and any(who not in ("", "self", "we") for who in others)
        and not _hands_over(earlier, later)
    ):
        return _apart("another person", 0.9)
    if later.past and not later.changes:
        return _apart("about the past", 0.9)
    if later.temporary and not earlier.temporary and not later.changes:
        return _apart("for a time only", 0.9)
    if _adds_condition(earlier, later) or (later.scope and later.scope not in fold(earlier.text) and not later.changes):
        return _apart("an exception or another place", 0.8)
    if later.planned and not earlier.planned and earlier.key.slot and later.key.slot == "" and not later.changes:
        return _apart("a plan", 0.8)
    return None


def _adds_condition(earlier: ComparedStatement, later: ComparedStatement) -> bool:
    """Whether only the later one tells for whom or when it is so: "for students", "if it rains"."""
    found = _CONDITION.search(later.text)
    if found is None or _CONDITION.search(earlier.text):
        return False
    return frozenset(query_terms(found["whom"])).isdisjoint(earlier.terms)


_CONDITION: Final = re.compile(
    r"\b(?:for|if|when|unless|während|für|wenn|falls|pour|si|para|se|pro|pokud|když|если|для) "
    r"(?P<whom>(?!now\b|good\b|sure\b|example\b|a\b|\d)\w[^.]*?)\.?$",
    re.IGNORECASE,
)


def _hands_over(earlier: ComparedStatement, later: ComparedStatement) -> bool:
    return bool(earlier.person) and earlier.person in fold(later.text)


def _by_slot(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    mine, theirs = later.key, earlier.key
    if not mine.slot or mine.slot != theirs.slot:
        return None
    if same_value(mine.value, theirs.value):
        return _same("the same slot and value", 0.9)
    if _denies_another(mine.value, theirs.value) or _denies_another(theirs.value, mine.value):
        return _apart("a denial of another value", 0.9)
    doubt = "said with doubt" if later.certainty <= 0.5 else ""
    if not later.changes:
        doubt = doubt or ("of what does not change" if is_stable_slot(mine.slot) else "")
        doubt = doubt or ("the opposite order" if later.directs and mine.slot.startswith("dev.rule#") else "")
    return _conflict(f"another value, {doubt}", 0.8) if doubt else _update("another value of the same slot", 0.85)


def _denies_another(denial: str, value: str) -> bool:
    """Whether a slot's value is denied that is not the other one: not in Lisbon says nothing against in Porto."""
    is_denial = denial.startswith("-") and value.startswith("+")
    return is_denial and not same_value(f"+{denial[1:]}", value)


def _overlap(earlier: ComparedStatement, later: ComparedStatement) -> tuple[float, frozenset[str]]:
    shared = earlier.terms & later.terms - _WEAK
    least = min(len(earlier.terms - _WEAK), len(later.terms - _WEAK)) or 1
    return len(shared) / least, frozenset(shared)


_NAMES: Final = re.compile(r"(?<=[\w,] )(?!I\b)[A-Z][\w-]{2,}")


def _denial(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    if not later.denies or later.directs or earlier.denies:
        return None
    share, shared = _overlap(earlier, later)
    wordy = [term for term in shared if not term.isdigit()]
    named = {stem(name) for name in _NAMES.findall(later.text)} & earlier.terms
    return _conflict("denies that it ever was", 0.7) if len(wordy) >= 2 or share >= 0.5 or named else None


def _doubt(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    if later.certainty > 0.5:
        return None
    share, shared = _overlap(earlier, later)
    return _conflict("said with doubt about the same thing", 0.6) if share >= 0.5 or len(shared) >= 2 else None


def _ending(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    """The words end what was said: "forget the rule about", "no longer", "is fine from now on"."""
    if not later.ends or earlier.ends:
        return None
    if any(char.isdigit() for term in later.terms - earlier.terms for char in term):
        return None  # "3.9 is no longer supported" ends nothing that was said of 3.11
    share, shared = _overlap(earlier, later)
    return _update("ends what was said before", 0.8) if share >= 0.5 or len(shared) >= 2 else None


def _amounts(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    """Another number of the same thing: an update where the words say that it changed, else somebody must look."""
    pair = first_difference(earlier.amounts, later.amounts, later.terms)
    if pair is None or later.adds:
        return None
    if similar(earlier.text, later.text).has_opposites:
        return _apart("of the opposite", 0.8)  # "at 6 on weekdays", "at 8 on weekends"
    owners = [frozenset(_OWNER.findall(side.text)) for side in (earlier, later)]
    if all(owners) and owners[0].isdisjoint(owners[1]):
        return _apart("of another", 0.8)
    return _another_amount(earlier, later, pair)


def _another_amount(earlier: ComparedStatement, later: ComparedStatement, pair: Difference) -> Comparison | None:
    share, shared = _overlap(earlier, later)
    topic = [term for term in shared if not any(char.isdigit() for char in term)]
    weight = len(topic) + pair.strength
    if topic and ((later.changes and weight >= 4) or (_CHANGED_VALUE.search(later.text) and weight >= 3)):
        return _update("another amount of the same thing", 0.75)
    if later.progress and topic and weight >= 4 and pair.later.kind in ("count", "share"):
        return _update("a count that went on", 0.7)
    if share >= 0.75 and topic and earlier.person == later.person:
        return _update("another number, all else the same", 0.7)
    return _conflict("another number, and no word of a change", 0.6) if share >= 0.6 and weight >= 4 else None


_OWNER: Final = re.compile(r"\bof (?:the )?([A-Z][\w-]+)")
_CHANGED_VALUE: Final = re.compile(
    r"\b(?:increas(?:ed|ing)|extended|rais(?:ed|ing)|adjusted|updat(?:ed|ing)|reduc(?:ed|ing)|lowered|shortened|"
    r"rescheduled|postponed|a total of|new (?:\w+ )?(?:deadline|quota|limit|target|budget|goal|total|score|date|time)|"
    r"now (?:at|has|have|reached)|grown to|improved to|moved to)\b",
    re.IGNORECASE,
)


def _replaced(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    """The later statement names the earlier one's value as replaced."""
    if not earlier.key.value or later.adds:
        return None
    value = earlier.key.value[1:]
    text = fold(later.text)
    if len(value) < 3 or value.replace("-", " ") not in text.replace("-", " "):
        return None
    old = re.escape(value)
    named = re.search(
        rf"\b(?:from|replaced?|replacing|dropped|left|quit|notice at|traded|gave up on|handed|goodbye to|moved off|rid)"
        rf" (?:of )?(?:the |in |my |our )?{old}\b|, not (?:the |in |on )?{old}\b|"
        rf"\b{old}\b(?: \w+)? (?:has been|was|is|got) (?:renamed|replaced|gone|dropped|dead|retired|over)",
        text,
    )
    if not named:
        return None
    _, shared = _overlap(earlier, later)
    if not later.changes and not shared - {value}:
        return None
    return _update("names the old value as replaced", 0.8)


def _opposed(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    near = similar(earlier.text, later.text)
    if (earlier.polarity == later.polarity) != near.has_opposites:
        return None  # neither turns the other round, or twice: "my left knee hurts", "my right knee doesn't"
    share, shared = _overlap(earlier, later)
    if max(share, near.lexical) < 0.6 or not shared:
        return None
    return _update("the opposite, now", 0.7) if later.changes and not later.directs else _conflict("the opposite", 0.65)


def _changed(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    """The words say that something changed about the same thing, and nothing tells what the value is."""
    if not later.changes or later.adds or later.directs != earlier.directs:
        return None
    share, shared = _overlap(earlier, later)
    return _update("says that it changed", 0.7) if share >= 0.6 and len(shared) >= 2 else None


def _restated(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    """Everything that was said is said again, perhaps with more detail."""
    if later.adds or later.scope or earlier.polarity != later.polarity or earlier.directs != later.directs:
        return None
    whole = earlier.terms - _WEAK
    if len(whole) < 2 or first_difference(earlier.amounts, later.amounts) is not None:
        return None
    if not runs_through(earlier.text, later.text):
        return None
    return _same("says it again, with more", 0.75)


def telling_terms(text: str) -> list[str]:
    """The terms of a text, in order, without those of verbs and nouns that say little ("get", "use", "thing")."""
    return [term for term in query_terms(text) if term not in _WEAK]


def runs_through(earlier: str, later: str) -> bool:
    """Whether the later text has all words of the earlier one: in a row, or its own only behind them.

    A word among them may be another verb: "Ravi stepped down as treasurer".
    """
    row, words = telling_terms(earlier), telling_terms(later)
    if not row or not frozenset(row).issubset(words):
        return False
    last = max(place for place, term in enumerate(words) if term in row)
    return frozenset(row).issuperset(words[:last]) or words[last + 1 - len(row) : last + 1] == row


def _alike(earlier: ComparedStatement, later: ComparedStatement) -> Comparison | None:
    if later.adds or earlier.polarity != later.polarity:
        return None
    near = similar(earlier.text, later.text)
    if near.same_meaning:
        return _same("the same meaning", max(0.8, near.lexical))
    shared = earlier.terms & later.terms
    if first_difference(earlier.amounts, later.amounts) is not None:
        return None
    if near.same_polarity and (near.lexical >= 0.6 or (near.lexical >= 0.45 and len(shared) >= 3)):
        return _same("nearly the same words", near.lexical)
    return None

"""Joining: which clauses of a sentence told to the memory are one statement with its reasons, and which are several.

Takes: the clauses of a sentence. Gives: clauses, each with the words that say it and all that belongs to them. Never:
loses a word, nor joins two statements that each tell something of their own.

A person who tells the memory something says why, what it is not, and what others do: "my disk was full, so I moved to
pnpm". Cut apart these would be memories of their own. A clause stays by itself where it is coordinated ("and my
sister is Ana"), or where both fill a slot or tell a trait of the speaker; all else belongs to the clause beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from dopejar.pipelines.ingest.atoms import Reason
from dopejar.pipelines.ingest.cues import Cues
from dopejar.pipelines.ingest.extraction.classification import classify, directive, silent
from dopejar.pipelines.ingest.extraction.clauses import Clause
from dopejar.pipelines.ingest.extraction.orders import is_order
from dopejar.pipelines.ingest.extraction.smalltalk import is_concession, is_smalltalk, names_what
from dopejar.pipelines.ingest.keys.read_slot import read_slot
from dopejar.pipelines.ingest.keys.slot import Slot
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.names import spelled_names
from dopejar.text.normalisation import fold
from dopejar.text.polarity import polarity
from dopejar.values.dates import DAY_NAMES
from dopejar.values.record import Kind, Sublayer

_REASON: Final = lazy_pattern(
    r"^[\s,]*(?:because|'cause|cuz|since|considering|given|especially since|weil|da|porque|parce que|ya que)\b",
    re.IGNORECASE,
)
_AND: Final = lazy_pattern(r"^[\s,;]*(?:and|plus|also)\b", re.IGNORECASE)
_LEADS_TO: Final = lazy_pattern(r"^[\s,;]*(?:so|but|yet|then)\b", re.IGNORECASE)
_CONTRASTS: Final = lazy_pattern(r"^[\s,;]*(?:but|although|though|whereas|while|yet)\b", re.IGNORECASE)
_COMMA: Final = lazy_pattern(r"^\s*,\s*(?!(?:and|so|but|or|then|yet|plus|also|because|since)\b)", re.IGNORECASE)
FINITE: Final = lazy_pattern(
    r"\b(?<!to )(?:is|are|was|were|am|has|have|had|do|does|did|will|can|can't|cannot|may|might|must|should|would|could|"
    r"isn't|aren't|wasn't|don't|doesn't|didn't|won't|hasn't|haven't|mustn't|"
    r"runs?|uses?|lives?|works?|listens?|eats?|drinks?|takes?|lasts?|leads?|means?|keeps?|needs?|gets?|goes|stays?|"
    r"waits?|gives?|"
    r"comes?|makes?|sits?|stores?|writes?|wants?|likes?|loves?|hates?|belongs?|says?|depends?|happens?|drives?|reads?|"
    r"met|went|got|took|made|said|gave|came|left|saw|began|built|bought|sold|won|lost|wrote|broke|told|kept|held|felt|"
    r"found|ran|stood|thought|brought|caught|grew|knew|drove|flew|fell|"
    r"\w+ed)\b|\w'(?:s|re|m|ve|d|ll)\b|\b(?:i|we|you|they|he|she|nobody|everyone) \w+",
    re.IGNORECASE,
)
"""A verb with a subject, or that may have one: what holds none is no clause."""
_PLURAL: Final = lazy_pattern(r"\w[^s\W]s\b")  # or a verb: "teaches"
_OPENS: Final = lazy_pattern(  # what such words open waits for its main clause
    r"^(?:whatever|whichever|however|when|whenever|if|once|having|being|to|for|ever since|after|before|unlike|while)\b",
    re.IGNORECASE,
)
_PARTICLE: Final = lazy_pattern(
    r"^(?:of|to|than|then|and|or|with|by|for|as|not|i\.e\.?|e\.g\.?|namely|meaning|that is)(?=[\s,:]|$)", re.IGNORECASE
)
_HANGING: Final = lazy_pattern(  # what it says it says of the clause before
    r"^(?:and |so |then )*(?:it|its|it's|they|they're|that|that's|this|these|those|he|she|he's|she's|which)\b|"
    r"\b(?:it|them|that|this|those|these|then|there)$|\b(?:that way|like that)\b|"
    r"\b(?:learn(?:ed|t)|know|knew|found|said) (?:that|this|it) (?:from|over|by|when|after|in|the)\b",
    re.IGNORECASE,
)
_THERE: Final = lazy_pattern(
    r"\w there\b(?! (?:is|are|was|were|will|has|have|must|may|might|could|should)\b|'s)", re.IGNORECASE
)
_GOES_SOMEWHERE: Final = lazy_pattern(  # "I go on Friday mornings": the place was named before
    r"^(?:and )?(?:i|we|they|he|she|(?-i:[A-Z])\w+|(?:my|our) \w+)(?: \w+ly| always| only| often)? (?:go|goes|went) "
    rf"(?:(?:on|in|at|the|a|early|late|every|each|once|twice|\w+ times|{DAY_NAMES}) )*"
    rf"(?:{DAY_NAMES}s?|days?|weeks?|weekdays?|weekends?|months?|mornings?|afternoons?|"
    r"evenings?|nights?|weekly|daily|\d\d?)\b",
    re.IGNORECASE,
)
_OF_IT: Final = lazy_pattern(  # a property whose owner was named before: "the landlord is ...", "my contact is ..."
    r"^(?:(?P<whose>the|my|our) |(?-i:(?=[a-z]))(?!(?:i|we|you|he|she|it|they|this|that|these|those|there|here|who|"
    r"what|which|where|when|how|why|all|most|some|any|each|every|both|one|no|none|(?:no|some|any|every)"
    r"(?:body|thing|one)|people|today|tomorrow|now|then|so|and|but|or|if|not|an?|his|her|their|its|your)\b))"
    r"(?:[\w'-]+ ){0,3}?[\w-]+(?:'s| (?:is|are|was|were|costs?|ends?|starts?|begins?|expires?|closes|opens))\b"
    r"(?: (?P<value>\S+))?",
    re.IGNORECASE,
)
_LABEL: Final = lazy_pattern(r"^[^\W\d][\w'-]*(?: [\w'-]+)?: (?=[+\d]|[^\W\d_a-zà-ž]|\S+@)")
# anybody, and not the one who is addressed: "our bookkeeper is Vesna, you send her invoices by the 25th"
_ANYBODY: Final = lazy_pattern(
    r"^you (?!(?:\w{2,}ed|are|were|have|had|did|said|told|wrote|gave|made|forgot|got|can|may|should|must|needn't|don't|"
    r"always|never|really|just|know|see)\b)\w+ \w",
    re.IGNORECASE,
)
_ADDS: Final = lazy_pattern(r"^\s*(?:;|:|[-–—])")
_SPEAKER: Final = lazy_pattern(r"^(?:i|we)\b", re.IGNORECASE)
_OF_SPEAKER: Final = lazy_pattern(r"^(?:i|we|my|our)\b", re.IGNORECASE)
_PREDICATE: Final = lazy_pattern(r"^(?:always|never|do not|don't|dont)\b", re.IGNORECASE)
_IMPERATIVE: Final = lazy_pattern(r"^(?:please )?(?:don't|do not|never|always|only)\b", re.IGNORECASE)
_FEW: Final = 3  # words of which none is a verb say nothing by themselves
_ASKING: Final = (Reason.QUESTION, Reason.QUOTATION)
_SPOKEN: Final = (Reason.CHATTER, Reason.REQUEST)  # forms that something may be told in
_AUXILIARY: Final = lazy_pattern(r"^(?:is|are|was|were|has|have|had|can|can't|may|must|will|does|did)\b", re.IGNORECASE)
_ANCHOR: Final = lazy_pattern(r"\d|(?<=[\w,;:)] )(?!I\b|I'|AI\b|OK\b)[A-Z][\w'-]+")
_SO: Final = lazy_pattern(r"^[\s,;]*(?:so|then)\b", re.IGNORECASE)
_TRAITS: Final = frozenset([Sublayer.IDENTITY, Sublayer.PREFERENCE, Sublayer.CONSTRAINT])
# people near to a speaker, and animals
_KIN_WORDS: Final = (
    "sister schwester hermana soeur irmã brother bruder hermano frère irmão mother mom mum mutter madre mère mãe "
    "father dad vater padre père pai wife frau esposa femme husband mann marido mari daughter girl tochter hija "
    "fille filha son boy sohn hijo fils filho aunt uncle cousin grandmother grandma granny oma abuela grandfather "
    "grandpa opa abuelo niece nephew partner girlfriend boyfriend fiancé fiancée boss manager mentor colleague "
    "coworker neighbour neighbor roommate flatmate landlord customer friend dog puppy hund perro chien cachorro cão "
    "cat kitten katze gato chat parrot horse pferde caballo cheval rabbit hamster turtle tortoise "
)
KIN: Final = frozenset(_KIN_WORDS.split())
_ENDS: Final = " .!?;,:"


@dataclass(frozen=True)
class _Said:
    """A clause of the sentence, what joins it to the one before, and what it tells by itself; read where asked."""

    clause: Clause
    written: str  # with the joining word
    words: Cues

    @property
    def text(self) -> str:
        """The words that say it."""
        return self.clause.main or self.clause.text

    @cached_property
    def slot(self) -> Slot | None:
        """The slot it fills."""
        return read_slot(self.text, polarity(self.text, self.words.language))

    @cached_property
    def is_rule(self) -> bool:
        """Whether it lays down a rule by a word for that."""
        return directive(replace(self.clause, text=self.text), self.words) is not None

    @cached_property
    def is_order(self) -> bool:
        """Whether it asks for something, as a rule or by its form."""
        is_wish = self.clause.pleads or _IMPERATIVE.match(self.text) is not None
        return self.is_rule or is_wish or self.words.has("act.task", self.text)

    @cached_property
    def commands(self) -> bool:
        """Whether it is an order by its form, whatever it is joined to."""
        return self.clause.orders or self.clause.pleads or is_order(self.text, self.words)

    @cached_property
    def tells(self) -> bool:
        """Whether it is a trait of the speaker, an alias or a rule by a cue of its own."""
        found = classify(replace(self.clause, text=self.text), self.words)
        is_trait = found is not None and (found.sublayer in _TRAITS or found.kind is Kind.ALIAS)
        return is_trait or self.is_rule

    @cached_property
    def asks(self) -> bool:
        """Whether it is a question by its form, or a quotation."""
        found = silent(replace(self.clause, text=self.text), self.words)
        return found in _ASKING and len(self.text.split()) > _FEW and not names_what(self.text)

    @cached_property
    def denies(self) -> bool:
        """Whether it says what is not so."""
        return polarity(self.text, self.words.language) < 0

    @cached_property
    def is_about_kin(self) -> bool:
        """Whether it speaks of a person near to the speaker, or of an animal."""
        return not KIN.isdisjoint(fold(self.text).split())

    @cached_property
    def is_anchored(self) -> bool:
        """Whether it names a number, a name or a person of its own, or fills a slot."""
        return _ANCHOR.search(self.text) is not None or self.is_about_kin or self.slot is not None

    @property
    def is_stump(self) -> bool:
        """Whether it has no verb of its own, or only opens the clause that follows."""
        text = self.clause.text
        return not (FINITE.search(text) or self.is_order) or (_OPENS.match(text) is not None and "," not in text)

    @property
    def is_whole(self) -> bool:
        """Whether it has a subject and a verb of its own."""
        return not (self.is_stump or _hangs(self) or _AUXILIARY.match(self.text))


def together(clauses: Sequence[Clause], sentence: str, start: int, words: Cues) -> list[Clause]:
    """The clauses of a sentence told to the memory, those that belong to one statement joined."""
    if len(clauses) < 2:
        return list(clauses)
    said = [_Said(one, sentence[one.start - start : one.end - start], words) for one in clauses]
    is_list = sum(_COMMA.match(one.written) is not None and one.is_whole for one in said[1:]) > 1
    result: list[_Said] = []
    last = -1  # the place of the clause that the next may belong to
    for one in said:
        if is_smalltalk(one.clause.text):
            result.append(one)
        elif last >= 0 and (_belong(result[last], one, is_list=is_list) or _is_of_it(result[last], one)):
            result[last] = _joined(result[last], one, sentence, start, is_next=last == len(result) - 1)
        else:
            result.append(one)
            last = len(result) - 1
    return [one.clause for one in result]


def _hangs(one: _Said) -> bool:
    few = len(one.clause.text.split()) <= _FEW and not (_SPEAKER.match(one.clause.text) or one.is_order)
    return bool(_PARTICLE.match(one.clause.text) or _HANGING.search(one.clause.text)) or (
        few and not FINITE.search(one.clause.text)
    )


def _belong(before: _Said, one: _Said, *, is_list: bool) -> bool:
    """Whether the two are one statement with what accompanies it."""
    if before.clause.asks or one.clause.asks:
        return False
    if _concedes(before, one) or _hangs(one):
        return True
    if _ANYBODY.match(one.text) and before.is_whole and not (before.is_order or one.is_rule):
        return True
    if before.slot and one.slot:
        return _aspect(before.slot) == _aspect(one.slot) and before.denies != one.denies
    if before.is_stump and _AUXILIARY.match(one.text):
        return True  # its subject and its predicate
    return not (before.asks or one.asks) and _leans(before, one, is_list=is_list)


def is_label(text: str) -> bool:
    """Whether the words are a name or figure behind what it is: "Contact: Paula Roth", "phone: 555 0142"."""
    return _LABEL.match(text) is not None and FINITE.search(text) is None


def _is_of_it(before: _Said, one: _Said) -> bool:
    """Whether a clause tells something of what was just told, and does not name that: "..., the landlord is Mr Roth".

    So does one with a "there", and one of somebody who goes without saying where. What "and" adds is no property. What
    belongs to the speaker ("my bike is ...") is one only behind a name, and a relative or animal never is. Two clauses
    of one form ("the gate is green, the door is red") are of two things.
    """
    if before.is_order or before.commands or one.is_order or one.commands or before.is_stump:
        return False
    if _LEADS_TO.match(one.written) or _REASON.match(one.written):
        return False
    if _THERE.search(one.text) or _GOES_SOMEWHERE.match(one.text):
        return True
    found = None if _AND.match(one.written) else _OF_IT.match(one.text)
    if found is None or _form(f"{before.text[:1].lower()}{before.text[1:]}") == _form(one.text):
        return is_label(one.text)
    whose, adds = (found["whose"] or "").lower(), _ADDS.match(one.written) is not None
    if whose in ("my", "our"):
        is_own = one.slot is not None and (_OF_SPEAKER.match(before.text) is not None or not adds)
        return not (one.is_about_kin or is_own) and bool(spelled_names(before.text))
    return whose == "the" or adds


def _form(text: str) -> tuple[str, str] | None:
    """Whose the property is, and with what its value begins: a name, a figure, or the word itself."""
    found = _OF_IT.match(text)
    if found is None:
        return None
    value = found["value"] or ""
    begins = "name" if value[:1].isupper() else "figure" if value[:1].isdigit() else value.lower()
    return (found["whose"] or "").lower(), begins


def _leans(before: _Said, one: _Said, *, is_list: bool) -> bool:
    """Whether one of two that ask nothing belongs to the other."""
    if before.is_stump or _REASON.match(one.written) or _AUXILIARY.match(one.text):
        return True
    if _AND.match(one.written):
        return _goes_on(before, one) or not (FINITE.search(one.text) or _PLURAL.search(one.text) or one.is_order)
    return not (is_list or _each_tells(before, one))


def _aspect(slot: Slot) -> str:
    return slot.name.partition("@")[0].partition("#")[0].rpartition(".")[2]


def _goes_on(before: _Said, one: _Said) -> bool:
    """Whether it says more of the same subject: "I gave up meat and never missed it"."""
    return all((_AND.match(one.written), _SPEAKER.match(before.text), _PREDICATE.match(one.text)))


def _each_tells(before: _Said, one: _Said) -> bool:
    """Whether both tell something: a trait or a rule, a number, or something to be done."""
    is_contrast = before.denies != one.denies and before.text.split()[:1] == one.text.split()[:1]
    if is_contrast and not before.is_order:
        return False  # "I'm no analyst, I'm a data engineer"
    if before.tells and one.tells:
        return True
    if _SO.match(one.written):  # what leads to it belongs to it, but a fact holds without the order
        return one.commands and not before.commands
    if before.is_order and one.is_order:
        return before.denies == one.denies or before.slot is not None or one.slot is not None
    if before.denies or one.denies or not (before.is_anchored and one.is_anchored):
        return False
    return _CONTRASTS.match(one.written) is None or before.is_about_kin != one.is_about_kin


def _concedes(before: _Said, one: _Said) -> bool:
    """Whether one of the two only grants what others do, or what may be: "others like tea, but I drink coffee"."""
    contrasts = _CONTRASTS.match(one.written) is not None
    return contrasts and (is_concession(before.clause.raw) or is_concession(one.clause.raw))


def _joined(before: _Said, one: _Said, sentence: str, start: int, *, is_next: bool) -> _Said:
    first, second = before.clause, one.clause
    raw = sentence[first.start - start : second.end - start].strip()
    if _concedes(before, one):  # what is granted is no statement of the speaker's own
        kept = second if is_concession(first.raw) else first
        return replace(before, clause=replace(kept, raw=raw, start=first.start, end=second.end))
    rest = sentence[first.end - start : second.end - start].rstrip(_ENDS) if is_next else ""
    whole = _run_on(first.text, rest or f" {second.text}")
    main = _main(before, one, whole)
    is_both = _hangs(one) or main is None
    clause = replace(
        main.clause if main else first,
        raw=raw,
        text=whole,
        said=_run_on(first.said, rest or f" {second.said}"),
        start=first.start,
        end=second.end,
        asks=first.asks or second.asks,
        certainty=min(first.certainty, second.certainty) if is_both or main is None else main.clause.certainty,
        main=main.text if main else "",
        orders=before.commands or (one.commands and not _goes_on(before, one)),
    )
    return _Said(clause, before.written, before.words)


def _run_on(text: str, rest: str) -> str:
    return f"{text}{rest if rest[:1] in (' ', ',', ';', ':') else f' {rest.lstrip()}'}"


def _main(before: _Said, one: _Said, whole: str) -> _Said | None:
    """The clause that says what is told; None: all of it does."""
    if _goes_on(before, one):
        return before if before.clause.main else None
    if before.is_stump:
        is_predicate = _AUXILIARY.match(one.text) is not None
        return one if not is_predicate and (one.slot or one.clause.main) else None
    if one.is_stump or _hangs(one):
        is_read = not before.clause.main and (before.slot is None or read_slot(whole, 1) is not None)
        return None if is_read else before
    second_first = _LEADS_TO.match(one.written) is not None
    ranked = [one, before] if second_first else [before, one]
    return max(ranked, key=_weight)  # the first of equals


def _weight(one: _Said) -> tuple[bool, bool, bool, bool, bool]:
    """What makes a clause the one that says it."""
    why = silent(replace(one.clause, text=one.text), one.words)
    is_silent = why is not None and why not in _SPOKEN
    return (not is_silent, one.slot is not None, one.tells, one.is_order, not one.denies)

"""What a clause is: an assertion with layer and sublayer, or something that asserts nothing.

Takes: a clause, the cues of its language. Gives: `Coordinates`, or the reason why it is no atom. Never: guesses; what
is unclear is World.Fact with its low confidence.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.pipelines.ingest.atoms import Coordinates, Reason
from dopejar.pipelines.ingest.cues import Cues
from dopejar.pipelines.ingest.extraction.clauses import Clause
from dopejar.pipelines.ingest.extraction.smalltalk import EVER
from dopejar.pipelines.ingest.keys.read_slot import gives_a_name
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.policies import states_policy, states_revision
from dopejar.text.renamings import read_renamings
from dopejar.values.dates import DAY_NAMES, FULL_MONTH_NAMES
from dopejar.values.record import ENVIRONMENT_TAG, KIND_OF_SUBLAYER, Kind, Layer, Sublayer

_ANCHOR: Final = lazy_pattern(
    rf"\d|[$€£%]|\b(?:{DAY_NAMES}|(?!may\b){FULL_MONTH_NAMES}|yesterday|today|tomorrow|last (?:week|month|year|night|"
    r"summer|winter|spring|fall|fri|sat|sun)|next (?:week|month|year))\b",
    re.IGNORECASE,
)
_NAME: Final = lazy_pattern(r"(?<=[\w,;:)] )(?!I\b|I'|AI\b|OK\b)[A-Z][\w'’-]+")
_POSSESSION: Final = lazy_pattern(
    r"\bi (?:also |still |currently |now |finally |recently |already |just )*(?:have|own|got|bought|drive|"
    r"adopted|use|used|made|met|attended|"
    r"joined|completed|finished|submitted|added|took|taken|went|visited|moved|started|lost|found|learned|won|"
    r"installed|downloaded|"
    r"developed|volunteer|work|play|bake|cook|run|teach|write|wrote|spent|donated|decided|agreed|declined|"
    r"switched|converted|"
    r"had to \w+|received|signed|enrolled|graduated|hired|created|built|painted|read|watched|saw|tried|planted|"
    r"acquired)\b"
    r"|\bi(?:'ve| have) (?:also |just |recently |already |finally |been |got |a |an |two |three )*\w+(?:ed|en|"
    r"ing|t|d|n)?\b",
    re.IGNORECASE,
)
_VERBISH: Final = lazy_pattern(
    r"\b(?:is|are|was|were|am|be|been|has|have|had|do|does|did|will|can|runs?|uses?|lives?|works?|listens?|"
    r"takes?|lasts?|leads?|owns?|"
    r"means?|keeps?|needs?|gets?|goes|starts?|ends?|stores?|serves?|supports?|requires?|contains?|depends?|"
    r"targets?|deploys?|writes?|"
    r"lints?|moved|replaced|switched|migrated|became|met|went|got|took|made|said|spent|gave|had|came|left|saw|"
    r"ran|began|built|bought|sold|won|lost|wrote|\w+(?:ed|s))\b|'(?:s|re|m|ve|d)\b",
    re.IGNORECASE,
)
_PRONOUN_SUBJECT: Final = lazy_pattern(
    r"^(?:it|its|it's|this|that|that's|thats|these|those|they|they're|he|she|he's|she's|there|one|both|all of)\b", re.I
)
_SPEAKS: Final = lazy_pattern(
    r"^(?:i|i'm|i've|i'd|im|ive|we|we're|we've|my|our|the|this|a|an|on|in|at|since|after|when|last|for|during|"
    r"he|she|his|her|(?-i:[A-Z])[\w'-]+)\b",
    re.IGNORECASE,
)
_TRYING: Final = lazy_pattern(r"trying to|looking (?:to|into)|going to|gonna|working on|about to|setting up")
UNCLEAR: Final = 0.45  # likewise, unless it fills a slot
_SHORT: Final = 3
_BRIEF: Final = 4  # words; "I have a sister" names nothing, and yet says it all
_PLAIN: Final = 0.5  # confidence of such a one


def _coordinates(
    layer: Layer,
    sublayer: Sublayer,
    confidence: float,
    cue: str,
    *,
    directs: bool = False,
    kind: Kind | None = None,
    env: bool = False,
) -> Coordinates:
    return Coordinates(
        layer=layer,
        sublayer=sublayer,
        kind=kind or KIND_OF_SUBLAYER[sublayer],
        confidence=confidence,
        cue=cue,
        directs_work=directs,
        tags=(ENVIRONMENT_TAG,) if env else (),
    )


def announced(clause: Clause, words: Cues) -> Coordinates | None:
    """The clause as one that announces a name, or a revision of a policy with its figure, whatever its form."""
    names, policy = read_renamings(clause.text), states_revision(clause.text)
    calls = not names and gives_a_name(clause.text)
    if not (names or calls or policy) or clause.asks:
        return None
    if any(words.has(f"act.{name}", clause.raw) for name in ("quotation", "irony", "report")):
        return None
    if names or calls:
        cue = ", ".join(names[0]) if names else "gives a name"
        return _coordinates(Layer.WORLD, Sublayer.FACT, 0.8, cue, kind=Kind.ALIAS)
    return _coordinates(Layer.WORLD, Sublayer.FACT, 0.65, "revision of a policy")


def silent(clause: Clause, words: Cues) -> Reason | None:
    """Why the clause asserts nothing, or None where it may assert something. Rules are looked for before tasks."""
    text = clause.text
    for name, reason in (("act.quotation", Reason.QUOTATION), ("act.irony", Reason.JOKE)):
        if words.has(name, clause.raw):
            return reason
    if clause.asks and _asks_for_something(clause, words):
        return Reason.REQUEST
    if clause.asks or words.has("act.question", text):
        return Reason.QUESTION
    if words.has("act.report", text):
        return Reason.REPORT
    if words.has("act.hypothetical", text) and clause.certainty > 0.5:
        return Reason.HYPOTHETICAL
    return _small_talk(clause, words)


def _asks_for_something(clause: Clause, words: Cues) -> bool:
    """Whether a question is a request for now by its form: "can you look up the bus?", "the bill, please?"."""
    asks = clause.pleads or words.has("act.request", clause.text)
    return asks and EVER.search(clause.text) is None


def _small_talk(clause: Clause, words: Cues) -> Reason | None:
    text = clause.text
    if words.has("act.addressee", text) and not words.has("durable.rule", text):
        return Reason.ADDRESSEE
    if words.has("act.chatter", text) and not _ANCHOR.search(text):
        return Reason.CHATTER
    if words.has("act.request", text) and not words.has("durable.alias", text):
        return Reason.REQUEST
    return None


def directive(clause: Clause, words: Cues) -> Coordinates | None:
    """The clause as a rule or anti-pattern that directs the work, or None."""
    text = clause.text
    if clause.asks or _NARRATIVE.match(text):
        return None
    cue = words.find("durable.rule", text)
    if not cue or words.has("act.quotation", clause.raw) or words.has("act.no_rule", text):
        return None
    if any(words.has(f"act.{name}", text) for name in ("question", "hypothetical", "report", "irony")):
        return None
    negative = words.has("durable.anti", text)
    sublayer = Sublayer.ANTI_PATTERN if negative and not words.has("act.contrast", text) else Sublayer.RULE
    return _coordinates(Layer.INTENT, sublayer, 0.75 if len(text.split()) >= _SHORT else 0.6, cue, directs=True)


_NARRATIVE: Final = lazy_pattern(
    r"^(?:on|at|in|after|past|before|every|each|from|by) [^,]{1,40}?,? i (?:always|never|have to|must|usually)\b|"
    r"^(?:i|i've|i'm|i'd|he|she|they|it|my (?:\w+ )?(?:wife|husband|partner|kids?|mom|dad|friend|boss|"
    r"neighbou?r))\b(?! (?:want|need|expect) (?:you|it|the)\b)",
    re.I,
)


def ordered(found: Coordinates) -> Coordinates:
    """The coordinates of a statement that an order cannot be told apart from: it directs the work as a whole."""
    return _coordinates(Layer.INTENT, Sublayer.RULE, found.confidence, found.cue, directs=True)


def listed(clause: Clause, words: Cues) -> Coordinates | None:
    """An item of a list of rules: what is asked for there shall hold."""
    text = clause.text
    if clause.asks or len(text.split()) < _SHORT:
        return None
    sublayer = Sublayer.ANTI_PATTERN if words.has("durable.anti", text) else Sublayer.RULE
    return _coordinates(Layer.INTENT, sublayer, 0.65, "item of a list of rules", directs=True)


def classify(clause: Clause, words: Cues) -> Coordinates | None:
    """Layer and sublayer of a clause that asserts, with the cue that decided; None where nothing lasting is said."""
    text = clause.text
    if len(text.split()) < (2 if _ANCHOR.search(text) else _SHORT) or words.has("act.fleeting", text):
        return None
    for step in (_alias, _preference, _self, _environment, _goal, _failure, _world, _unclear):
        found = step(text, words)
        if found:
            return found
    return None


_NAMES_IT: Final = lazy_pattern(r"^[\w.-]+(?: v?[\d.]+)? (?:is|are) ", re.IGNORECASE)  # "Node 22 is what we use"


def fallback(text: str, words: Cues) -> Coordinates:
    """Coordinates for words that shall be kept whatever they are: a directive by its form, else World.Fact."""
    denial = "" if _NARRATIVE.match(text) else words.find("durable.anti", text)
    if denial and (words.language == "en" or text.casefold().startswith(denial)):  # else it denies a statement
        return _coordinates(Layer.INTENT, Sublayer.ANTI_PATTERN, 0.6, "negated imperative", directs=True)
    if words.has("act.task", text) and not _NAMES_IT.match(text):
        return _coordinates(Layer.INTENT, Sublayer.RULE, 0.6, "imperative", directs=True)
    return _coordinates(Layer.WORLD, Sublayer.FACT, 0.5, "unclear")


def _alias(text: str, words: Cues) -> Coordinates | None:
    cue = words.find("durable.alias", text)
    return _coordinates(Layer.WORLD, Sublayer.FACT, 0.8, cue, kind=Kind.ALIAS) if cue else None


def _preference(text: str, words: Cues) -> Coordinates | None:
    cue = words.find("durable.preference", text)
    if not cue:
        return None
    if (words.has("who.first", text) or cue.startswith("prefer")) and not _OF_MINE.match(text):
        return _coordinates(Layer.SELF, Sublayer.PREFERENCE, 0.8, cue)
    return _coordinates(Layer.WORLD, Sublayer.FACT, 0.7, cue)


_OF_MINE: Final = lazy_pattern(  # what somebody near the speaker likes or cannot take is theirs
    r"^(?:my|our) (?!preference|favou?rite)(?:[\w'-]+ ){1,3}?(?:(?:also|really|only|always|strongly|much) )*"
    r"(?:prefers|likes|loves|hates|dislikes|enjoys|(?:is|are) (?:\w+ )?(?:allergic|intolerant|diabetic)|can(?:'t|not) "
    r"(?:eat|take|drink|have))\b",
    re.IGNORECASE,
)


def _self(text: str, words: Cues) -> Coordinates | None:
    if not words.has("who.first", text):
        return None
    limit = words.find("durable.self_limit", text)
    if limit and _OF_MINE.match(text):
        return _coordinates(Layer.WORLD, Sublayer.FACT, 0.7, limit)
    if limit:
        return _coordinates(Layer.SELF, Sublayer.CONSTRAINT, 0.75, limit)
    cue = words.find("durable.identity", text)
    return _coordinates(Layer.SELF, Sublayer.IDENTITY, 0.75, cue) if cue else None


def _goal(text: str, words: Cues) -> Coordinates | None:
    cue = words.find("durable.goal", text)
    if not cue or len(text.split()) < 5 or (_TRYING.search(cue) and not _ANCHOR.search(text)):
        return None
    return _coordinates(Layer.INTENT, Sublayer.GOAL, 0.65, cue)


def _failure(text: str, words: Cues) -> Coordinates | None:
    cue = words.find("durable.failure", text)
    return _coordinates(Layer.WORLD, Sublayer.FAILURE, 0.6, cue) if cue and len(text.split()) > 3 else None


def _environment(text: str, words: Cues) -> Coordinates | None:
    cue = words.find("durable.env", text)
    if (
        not cue
        or _PRONOUN_SUBJECT.match(text)
        or not words.has("durable.env_verb", text)
        or words.has("durable.goal", text)
    ):
        return None
    if words.has("act.task", text) or words.has("durable.failure", text):
        return None
    return _coordinates(Layer.WORLD, Sublayer.FACT, 0.65, cue, env=True)


def _world(text: str, words: Cues) -> Coordinates | None:
    if words.has("act.task", text):
        return None
    if states_policy(text) and len(text.split()) > _SHORT:
        return _coordinates(Layer.WORLD, Sublayer.FACT, 0.65, "revision of a policy")
    anchored = _ANCHOR.search(text) or _NAME.search(text)
    if _POSSESSION.search(text):
        sublayer = Sublayer.METHOD if words.has("durable.method", text) else Sublayer.FACT
        unanchored = _PLAIN if len(text.split()) <= _BRIEF else UNCLEAR
        return _coordinates(Layer.WORLD, sublayer, 0.65 if anchored else unanchored, "first person")
    if anchored and _SPEAKS.match(text) and words.has("who.first", text) and _VERBISH.search(text):
        return _coordinates(Layer.WORLD, Sublayer.FACT, 0.6, "first person")
    return None


def _unclear(text: str, words: Cues) -> Coordinates | None:
    if words.has("act.task", text):
        return None
    if _PRONOUN_SUBJECT.match(text) or not _VERBISH.search(text) or len(text.split()) < _SHORT:
        return None
    if _ANCHOR.search(text) or _NAME.search(text):
        return _coordinates(Layer.WORLD, Sublayer.FACT, UNCLEAR, "unclear")
    return None

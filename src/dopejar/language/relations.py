"""The relation of two statements: what a reader found, held to what must never happen.

Takes: two statements and the reader's probabilities. Gives: one relation with its reason. Never: lets other numbers or
another sign count as saying it again; lets a plan, wish, question, report or hypothetical retire anything.

Unsure is `apart`, or `contradiction` where the two are likely to disagree and a person should look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import exp, log
from statistics import fmean
from typing import Final

from dopejar.language.coexistence import changes_count, ends_with_departure, leaves
from dopejar.language.identifiers import has_subject_of_its_own, names_another, speaks_of, tells_something_else
from dopejar.text.circumstances import circumstance
from dopejar.text.code_languages import code_languages
from dopejar.text.measures import read_measure
from dopejar.text.normalisation import fold
from dopejar.text.similarity import similar
from dopejar.text.text_values import extract_values, has_digit
from dopejar.text.words import query_terms, stem, words
from dopejar.values.record import Sublayer
from dopejar.values.statement import GUIDES, MAY_GUIDE, SEVERAL, Frame, Related, Relation, SpeechAct, Statement, Tense

_SURE: Final = 0.5  # probability from which two statements say the same
_AFTER_SURE: Final = 0.6  # the same for an update or an end
_VERY_SURE: Final = 0.9  # the same for an update of something that no common word names
_HAPPENED: Final = 0.45  # the same from which the earlier one tells what happened; readers are seldom surer of it
_MAY_BE_OVER: Final = 0.45  # the same from which the later one is told with the earlier one, which stays
_ONE_MATTER: Final = 0.8  # probability that both are about one thing, however the later one leaves it
_LEFT: Final = 0.35  # probability of being about one thing from which somebody's departure ends it
_LIKELY: Final = 0.6  # probability of any disagreement from which a person looks
_MEANT: Final = 0.8  # certainty of a speech act from which it counts
_ALIKE: Final = 0.6  # overlap of words from which two statements differ by their small words or opposites alone
_OTHER_SIGN: Final = 0.5  # difference in the probability of a denial
_AFTER: Final = (Relation.UPDATE, Relation.END)
_DISAGREE: Final = (*_AFTER, Relation.CONTRADICTION)
_STAND: Final = (Relation.ADDITION, Relation.APART)
_REPLACES: Final = (Relation.UPDATE, Relation.CONTRADICTION)
_ABOUT_ONE: Final = (Relation.SAME, *_DISAGREE)
_SURELY_GUIDES: Final = 0.75  # probability that a statement guides from which it leaves facts as they are
_APART_ALONE: Final = tuple(float(relation is Relation.APART) for relation in Relation)
_UPDATE_ALONE: Final = tuple(float(kind is Relation.UPDATE) for kind in Relation)
_AGAIN: Final = "says the same"
_BESIDE: Final = "holds beside it"
_OF_THE_SAME: Final = "speaks of the same, and may hold beside it"
_UNTIL_NOTICE: Final = "holds until the notice is over"
_HAPPENS_ONCE: Final = "what happened stays so"
_OF_ITS_OWN: Final = "about something of its own"
_GAINED: Final = "adds one more"
_SIGN: Final = "another sign"
_FORMER: Final = "of another time"
_OTHERWISE: Final = "a second reader finds otherwise"
_NOTICE: Final = re.compile(  # who gives it stays for now: "the lodger gave us two months' notice"
    r"\b(?:g[ai]ves?|given|giving|hand(?:s|ed|ing)? in|put(?:s|ting)? in|serv(?:e|es|ed|ing))"
    r"(?: (?!no\b)[\w'’-]+){0,4}? notice\b(?! (?:that|of)\b)",
    re.IGNORECASE,
)
TELLS_CHANGE: Final = re.compile(
    r"\b(?:now|no longer|any ?more|switched|instead|nowadays|these days|since then|have moved|moved to|went from)\b",
    re.IGNORECASE,
)
_CHANGES: Final = re.compile(
    rf"{TELLS_CHANGE.pattern}|"
    r"\b(?:replac|extend|reschedul|postpon|rais|lower|increas|reduc|shorten|renam|chang|updat)(?:ed|ing)\b|"
    r"\bas of (?!\d)|\bdecided on\b|\b(?:the|my|our) new\b",
    re.IGNORECASE,
)
_NEVER: Final = re.compile(r"\bnever\b", re.IGNORECASE)
_ADDS: Final = re.compile(r"\b(?:also|too|as well|besides|in addition)\b", re.IGNORECASE)
_GAINS: Final = re.compile(r"^(?:(?:please|pls|also) )*add (?P<gained>[^.;:]+?) to\b", re.IGNORECASE)  # a list's member
_REVERSES: Final = re.compile(
    r"\bafter all\b(?! (?:of|the|these|those|this|that|our|my)\b)|\bchanged (?:my|our|their|his|her) minds?\b|"
    r"\bchange of (?:plan|mind)\b|\bon second thoughts?\b",
    re.IGNORECASE,
)
_USED_TO: Final = re.compile(  # not "is used to", "get used to"
    r"(?:(?P<before>\S+) )?(?:(?:also|always|still|only|mostly|now|often|all|both) )?used to\b", re.IGNORECASE
)
_USED: Final = re.compile(r"(?:be|been|being|is|are|am|was|were|g[eo]t|getting|gets|\S+['’](?:s|m|re))", re.IGNORECASE)
_AND_NOW: Final = re.compile(r"\b(?:but|since|these days|nowadays)\b", re.IGNORECASE)
_PARTED: Final = re.compile(
    r"\b(?:sold|sell(?:ing)?|gave|give|given|swap(?:ped)?|traded|replaced|lost|scrapped|dropped|stopped|quit|left|cancelled)\b",
    re.IGNORECASE,
)
_MINE: Final = re.compile(r"\b(?:I|my|mine|we|our|ours)\b", re.IGNORECASE)
_NOT_MINE: Final = re.compile(r"\bnot (?:mine|ours|my own|our own)\b", re.IGNORECASE)
_NOT_THE_OTHER: Final = re.compile(
    r"(?<![\w.+#-])([\w.+#-]+)(?:,? (?:and |but )?(?:not|never)|,? instead of|,? rather than|,? over) "
    r"(?:(?:the|a|an|with|in|on|use) )*([\w.+#-]*\w)",
    re.IGNORECASE,
)
_NOT_OUT_OF_QUESTION: Final = 0.35  # probability of a change from which words that go tell that there is one
_LEAST: Final = 1e-3  # keeps log odds finite
# cosines below which fewer than one in ten of the written pairs with this relation lie; the net, which sees how the
# words fit together, takes many statements that are about other things for such a pair
_NEAR_SAME: Final = 0.45
_NEAR: Final = 0.35


def judged(earlier: Statement, later: Statement, found: Related) -> Related:
    """The relation that may be acted on: the reader's, where it is sure and nothing speaks against it."""
    if _circumstance(earlier) != _circumstance(later):
        return Related(relation=Relation.APART, shares=_APART_ALONE, reason="so at another time only")
    if _is_beside(earlier, later, found):
        return Related(relation=Relation.APART, shares=_APART_ALONE, reason="a rule and a fact stand side by side")
    if _is_about_another(earlier, later, found):
        return Related(relation=Relation.APART, shares=_APART_ALONE, reason="about another one of its kind")
    if leaves(earlier.text, later.text):
        return Related(relation=Relation.APART, shares=_APART_ALONE, reason="leaves it as it is")
    return _judged_by_shares(earlier, later, found)


def _is_about_another(earlier: Statement, later: Statement, found: Related) -> bool:
    """Whether the two tell of two things of one kind. What one of them had may have passed to the other."""
    if not names_another(earlier, later):
        return False
    return found.relation is Relation.SAME or tells_something_else(earlier, later)


def _judged_by_shares(earlier: Statement, later: Statement, found: Related) -> Related:
    if why := _why_apart(earlier, later, found):
        return Related(relation=Relation.APART, shares=found.shares, reason=why)
    relation, reason = _by_shares(earlier, later, found)
    if found.share(*_ABOUT_ONE) >= _LEFT and later.believed and ends_with_departure(earlier.text, later.text):
        return Related(relation=Relation.END, shares=found.shares, reason="ended")
    if relation in _REPLACES and _hold_side_by_side(earlier, later):
        return Related(relation=Relation.ADDITION, shares=found.shares, reason="holds beside it, as several do")
    if relation in _AFTER and (why := _why_it_stays(earlier, later, relation, found)):
        return Related(relation=Relation.ADDITION, shares=found.shares, reason=why)
    if relation in _DISAGREE and _announces_end(later) and not _announces_end(earlier):
        relation, reason = Relation.ADDITION, _UNTIL_NOTICE
    return Related(relation=relation, shares=found.shares, reason=reason)


def _why_it_stays(earlier: Statement, later: Statement, relation: Relation, found: Related) -> str:
    """Why the later one, which a reader finds to end or update the earlier one, leaves it; empty where it does not."""
    if changes_count(earlier.text, later.text):
        return _HAPPENS_ONCE
    is_now = _CHANGES.search(later.text) or _AND_NOW.search(later.text)
    if relation is Relation.UPDATE and _tells_of_former(later.text) and not is_now:
        return _FORMER
    is_past = earlier.tense is Tense.PAST and earlier.tense_certainty >= _HAPPENED
    if is_past and relation is Relation.UPDATE and later.tense is not Tense.PAST:
        return _HAPPENS_ONCE
    gains = _GAINS.search(later.text)
    if gains and not has_digit(gains["gained"]):
        return _GAINED
    is_unsure = found.share(*_AFTER) < _VERY_SURE and found.cosine < _NEAR_SAME
    return _OF_ITS_OWN if is_unsure and has_subject_of_its_own(earlier, later) else ""


def _hold_side_by_side(earlier: Statement, later: Statement) -> bool:
    """Whether both tell one of several that hold at once: a language spoken, an allergy, a thing never done.

    Who takes the place of another says so then ("now", "instead", "no longer"); another number of the same is no
    other thing.
    """
    if earlier.frame is None or later.frame is None or min(earlier.frame.several, later.frame.several) < SEVERAL:
        return False
    is_changed = later.tense in (Tense.CHANGED, Tense.ENDED) or _names_what_was(earlier.frame, later)
    if is_changed or abs(later.denied - earlier.denied) > _OTHER_SIGN:
        return False
    if against_sameness(earlier, later) == _SIGN or (_NEVER.search(later.text) and not _NEVER.search(earlier.text)):
        return False
    if _REVERSES.search(later.text) or (_CHANGES.search(later.text) and not _ADDS.search(later.text)):
        return False
    return not (_values(earlier.text) ^ _values(later.text) and shape(earlier.text) == shape(later.text))


def _names_what_was(earlier: Frame, later: Statement) -> bool:
    """Whether the later one tells what became of the name in the earlier one: "I sold the Fiat and bought an Opel"."""
    is_named = earlier.value != earlier.value.lower() and _PARTED.search(later.text) is not None
    return is_named and frozenset(query_terms(earlier.value)) < frozenset(query_terms(later.text))


def _tells_of_former(text: str) -> bool:
    """Whether it is told what somebody used to do."""
    found = _USED_TO.search(text)
    return found is not None and not _USED.fullmatch(found["before"] or "")


def shape(text: str) -> str:
    """The stems of a text without the numbers in it."""
    return re.sub(r"\d[\d.,:]*", "#", " ".join(map(stem, words(text))))


def _announces_end(said: Statement) -> bool:
    """Whether somebody gives notice: what is so now has an end to come."""
    return said.tense is not Tense.ENDED and _NOTICE.search(said.text) is not None


def may_change(earlier: Statement, later: Statement, found: Related) -> bool:
    """Whether a change that is not out of the question, though too unlikely to act on, would be one if it were sure."""
    if found.reason not in (_OF_THE_SAME, _BESIDE) or found.share(*_AFTER) < _NOT_OUT_OF_QUESTION:
        return False
    surely = replace(found, relation=Relation.UPDATE, shares=_UPDATE_ALONE)
    return judged(earlier, later, surely).relation is Relation.UPDATE


def may_be_over(found: Related) -> bool:
    """Whether the later one may end or update the earlier one: too unsure to act on, and likely enough to be told."""
    is_left = found.reason in (_OF_THE_SAME, _UNTIL_NOTICE, _HAPPENS_ONCE, _OF_ITS_OWN)
    return is_left and found.share(*_AFTER) >= _MAY_BE_OVER


def _by_shares(earlier: Statement, later: Statement, found: Related) -> tuple[Relation, str]:
    same, after = found.share(Relation.SAME), found.share(*_AFTER)
    if same >= _SURE or (same + after >= _ONE_MATTER and same >= after):
        return _said_again(earlier, later, found)
    if after >= (_AFTER_SURE if shares_a_word(earlier, later) else _VERY_SURE) or same + after >= _ONE_MATTER:
        if _says_less(earlier, later):
            return Relation.ADDITION, "says a part of it again"
        is_ended = found.share(Relation.END) > found.share(Relation.UPDATE)
        return (Relation.END, "ended") if is_ended else (Relation.UPDATE, "a newer value")
    if found.share(Relation.CONTRADICTION) >= _SURE or found.share(*_DISAGREE) >= _LIKELY:
        return Relation.CONTRADICTION, "the two may disagree"
    stands = Relation.ADDITION if found.relation is Relation.ADDITION else Relation.APART
    return stands, _OF_THE_SAME if speaks_of(earlier, later) else _BESIDE


def _said_again(earlier: Statement, later: Statement, found: Related) -> tuple[Relation, str]:
    """The relation of two that say the same, as far as a reader sees: numbers, names and signs may speak against it."""
    come_about = "was to come, and is so now" if _has_come_about(earlier, later) else ""
    against = come_about or against_sameness(earlier, later)
    if not against:
        return (Relation.ADDITION, "adds a number") if _adds_a_number(earlier, later) else (Relation.SAME, _AGAIN)
    is_newer = come_about or (against != _FORMER and found.share(*_AFTER) > found.share(Relation.CONTRADICTION))
    return Relation.UPDATE if is_newer else Relation.CONTRADICTION, against


def pooled(own: Related, others: Sequence[Related]) -> Related:
    """What a statement does to a record, weighed with what it does to the other versions of that record.

    They stand for one thing, so the log odds that the statement is about that thing are averaged over all of them; of
    the kinds of agreement and disagreement, the record alone tells which it is.
    """
    if not others:
        return own
    about, known = about_one_thing((own, *others)), own.share(*_ABOUT_ONE)
    if not 0 < known < 1:
        return own
    shares = tuple(
        share * (about / known if relation in _ABOUT_ONE else (1 - about) / (1 - known))
        for relation, share in zip(Relation, own.shares, strict=True)
    )
    return replace(own, shares=shares, cosine=max(own.cosine, *(one.cosine for one in others)))


def averaged(one: Related, other: Related) -> Related:
    """Two readings of one pair of statements: the mean of their log probabilities."""
    odds = [exp((log(max(a, _LEAST)) + log(max(b, _LEAST))) / 2) for a, b in zip(one.shares, other.shares, strict=True)]
    shares = tuple(share / sum(odds) for share in odds)
    relation = tuple(Relation)[shares.index(max(shares))]
    return replace(one, relation=relation, shares=shares, cosine=max(one.cosine, other.cosine))


def held_back(own: Related, other: Related) -> Related:
    """What may be done of what one reader finds, once a second one has read the two as well.

    The memory is repeated or replaced only where both find that; else both statements stand, where the second finds
    so, or a person looks. A repetition that the second finds alone changes nothing.
    """
    relation = own.relation
    if other.relation in _STAND:
        relation = relation if relation in _STAND else other.relation
    elif relation in _AFTER:
        relation = relation if other.relation in _AFTER else Relation.CONTRADICTION
    elif other.relation is not Relation.SAME:
        relation = Relation.CONTRADICTION
    return own if relation is own.relation else replace(own, relation=relation, reason=_OTHERWISE)


def about_one_thing(found: Sequence[Related]) -> float:
    """How likely two things are one, by what the versions of one do to those of the other; 0 without any."""
    return 1 / (1 + exp(-fmean(_log_odds(one.share(*_ABOUT_ONE)) for one in found))) if found else 0.0


def _log_odds(share: float) -> float:
    bounded = min(max(share, _LEAST), 1 - _LEAST)
    return log(bounded / (1 - bounded))


def _why_apart(earlier: Statement, later: Statement, found: Related) -> str:
    if not later.believed and later.act_certainty >= _MEANT:
        return f"a {later.act} changes nothing"
    is_far = found.cosine < _NEAR or (found.cosine < _NEAR_SAME and found.relation is Relation.SAME)
    tells_change = later.tense is Tense.CHANGED and found.share(*_AFTER) >= _VERY_SURE  # "I moved to Ghent"
    is_one_clause = "," not in earlier.text and " and " not in earlier.text  # all of it may be changed
    return "about something else" if is_far and not (tells_change and is_one_clause) else ""


def _circumstance(said: Statement) -> str:
    """The words for the time for which alone it is so; what happened at that time is so ever since."""
    return circumstance(said.text) if said.tense in (Tense.NOW, Tense.FUTURE) else ""


def _is_beside(earlier: Statement, later: Statement, found: Related) -> bool:
    """Whether the one surely guides and the other surely states: a rule about a fact leaves the fact as it is.

    A rule may be outdated by how things are now ("secrets go into the new vault"), but not by who the user is, and a
    fact never says it again.
    """
    if earlier.frame is None or later.frame is None:
        return False
    if later.frame.guides >= MAY_GUIDE:
        return later.frame.guides >= _SURELY_GUIDES and earlier.frame.guides < MAY_GUIDE
    if later.frame.sublayer is Sublayer.IDENTITY:
        return earlier.frame.guides >= GUIDES
    return earlier.frame.guides >= _SURELY_GUIDES and found.relation is Relation.SAME


def _has_come_about(earlier: Statement, later: Statement) -> bool:
    """Whether the earlier one told what was to come or might, and the later one tells as a fact what is so now."""
    was_to_come = earlier.tense is Tense.FUTURE and earlier.tense_certainty >= _SURE
    return was_to_come and later.tense is not Tense.FUTURE and later.act is SpeechAct.ASSERTION


def shares_a_word(earlier: Statement, later: Statement) -> bool:
    """Whether the two have a word in common that tells something: else they are seldom about one thing.

    Of a rule, the name of who wants it or decides tells nothing.
    """
    shared = frozenset(query_terms(earlier.text)) & frozenset(query_terms(later.text))
    if earlier.frame is not None and earlier.frame.guides >= GUIDES:
        named = (name for text in (earlier.text, later.text) for name in extract_values(text) if not has_digit(name))
        shared -= frozenset(query_terms(" ".join(named)))
    return bool(shared)


def against_sameness(earlier: Statement, later: Statement) -> str:
    """Why the two cannot say the same, whatever else is alike; empty where nothing speaks against it."""
    is_former = _tells_of_former(earlier.text) is not _tells_of_former(later.text)
    if turned := _turned_round(earlier.text, later.text) or (_FORMER if is_former else ""):
        return turned
    mine, theirs = _values(later.text), _values(earlier.text)
    new, old = mine - theirs, theirs - mine
    if any(map(has_digit, new)) and any(map(has_digit, old)):
        return "another number"
    languages = code_languages(earlier.text), code_languages(later.text)
    parted = all(languages) and set(languages[0]).isdisjoint(languages[1])
    if parted or (new and old and not any(map(has_digit, new | old))):
        return "another name"
    alike = similar(earlier.text, later.text)
    if alike.lexical >= _ALIKE and not alike.same_polarity:
        return _SIGN
    words, known = set(query_terms(later.text)), set(query_terms(earlier.text))
    is_read_so = abs(later.denied - earlier.denied) > _OTHER_SIGN and not alike.has_opposites
    if is_read_so and len(words & known) >= _ALIKE * max(len(words | known), 1):
        return _SIGN
    return _taken_back(earlier.text, later.text)


def _taken_back(earlier: str, later: str) -> str:
    """The words of the later one that say it otherwise than the earlier one did; empty without any."""
    if _REVERSES.search(later) and not _REVERSES.search(earlier):
        return "decided otherwise"
    if _NOT_MINE.search(later) and _MINE.search(earlier) and not _NOT_MINE.search(earlier):
        return "somebody else's"
    return ""


def _turned_round(earlier: str, later: str) -> str:
    """Why two texts cannot say the same of which the one uses what the other does not: "pnpm, not npm"."""
    was, is_so = (
        {(fold(one), fold(other)) for one, other in _NOT_THE_OTHER.findall(text)} for text in (earlier, later)
    )
    return "the other way round" if any((other, one) in was for one, other in is_so - was) else ""


def _adds_a_number(earlier: Statement, later: Statement) -> bool:
    """Whether the later one tells a number that the earlier one does not: said again, it would be lost."""
    return any(map(has_digit, _values(later.text) - _values(earlier.text)))


def _says_less(earlier: Statement, later: Statement) -> bool:
    """Whether the later one has only words of the earlier one, and not all of them: nothing newer can be in it.

    What narrows or takes back says so with a word of its own ("only", "not", "now").
    """
    mine, known = frozenset(map(fold, words(later.text))), frozenset(map(fold, words(earlier.text)))
    return mine < known and not against_sameness(earlier, later)


def _values(text: str) -> frozenset[str]:
    """The values of a text, those of one dimension in one unit: two weeks are 14 days."""
    return frozenset(" ".join(read_measure(value) or (value,)) for value in extract_values(text))

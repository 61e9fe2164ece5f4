"""Clauses: one sentence cut where a new statement begins, fluff taken off, doubt told apart from what is said.

Takes: a sentence and the cues of its language. Gives: clauses with offsets, certainty, and their words with hedges and
without. Never: a word that is not in the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from dopejar.pipelines.ingest.cues import Cues
from dopejar.pipelines.ingest.extraction.orders import is_order
from dopejar.pipelines.ingest.extraction.smalltalk import is_smalltalk
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.quotations import marked

_SUBJECT = (
    r"(?:i|i'm|i've|i'd|i'll|im|ive|we|we're|we've|he|he's|she|she's|it|it's|its|they|they're|there|there's|my|"
    r"our|the|his|her|"
    r"their|you|you're|this|that|that's|these|those|who's)"
)
_SPLIT = lazy_pattern(
    r"(?=[\s,;:])(?:"  # every cut opens with one of these: most places need no further look
    r"\s*;\s+"
    rf"|:\s+(?=(?:i|i'm|i've|we|we're|we've|my|our|the)\b)"
    r"|\s+[-–—]+\s+"
    rf"|,?\s+(?:but|although|though|whereas|while|except that)\s+(?:now\s+)?(?={_SUBJECT}\b)"
    rf"|\s*,\s*(?:and|so|then|plus|or|also|yet)?\s*(?:now\s+)?(?={_SUBJECT}\b)"
    rf"|\s+(?:and|so)\s+(?:now\s+)?(?=(?:i|i'm|i've|i'd|i'll|we|we're|we've|he|she|they|it's|my|our)\s)"
    r"|\s*,\s*(?:and\s+|so\s+|but\s+|or\s+)?(?=(?:can|could|would|will|do|does|did|is|are|was|were|should|shall|"
    r"how|what|which|where|why|here's|here is|here are|"
    r"when should|any|anyone|anybody|got any|have you|please(?!\s*\?)|don't|dont|make sure)\b|"
    r"(?:never|always)\s+\w+\s+\w)"
    r"|,?\s+(?:because|'cause|cuz|especially since|since(?= (?:i|we|my|our|it|the|he|she|they)\b)|"
    r"considering(?: that)?|given that)\s+"
    r"|,?\s+(?:considering|given)\s+(?=(?:my|our|the)\b)"
    r"|\s+\band\s+(?=(?:always|never|don't|do not|make sure|please)\s+[\w']+\s+\w)"
    r")",
    re.IGNORECASE,
)
# what is told gives its reasons and grants what others do, whatever the subject that follows
_SPLIT_TOLD = lazy_pattern(
    rf"{_SPLIT.pattern}|(?<=\w)\s*,\s+(?:but|so)\s+(?!not\b|that\b|only\b)"
    r"|\s*,\s*(?=(?:keep|bear) (?:(?:this|that|it) )?in mind[\s.!]*$|(?:remember|note) (?:this|that|it)[\s.!]*$)",
    re.IGNORECASE,
)
_SO = lazy_pattern(r",?\s+so\s+", re.IGNORECASE)  # an order may follow: "I work nights, so call me after noon"
_NOT_HERE = lazy_pattern(
    r"^(?:last|next|this|every|each|yesterday|today|tomorrow|sometimes|usually|recently|lately|if|when|"
    r"whenever|unless|as|after|before|once|while|since|because|in|on|at|for|from|by|with|until|"
    r"(?:speaking|talking) of (?!which|that))\b",
    re.IGNORECASE,
)
_SAID = lazy_pattern(rf",\s+{_SUBJECT}\s", re.IGNORECASE)  # what such words open has come
_OPEN_END = lazy_pattern(r"\b(?:as a (?:general )?rule|in general|by default|from now on)\s*$", re.IGNORECASE)
# "my wife and I" is one subject, where it opens the clause
_WITH_ME = lazy_pattern(
    r"(?:^|\b(?:when|where|that|because|since|if|as|so|but) |"
    r"^(?:on|in|at|by|every|each) (?:(?!i\b|we\b|he\b|she\b)[\w-]+ ){0,3})"
    r"(?:(?:my|our|the|his|her) (?:[\w'-]+ )?[\w'-]*(?:[^\Ws]|ss)|(?:my|our|the) [\w'-]+)$|"
    r"\b(?:that|when|because) [\w-]+$",
    re.IGNORECASE,
)
_AND_I = lazy_pattern(r",?\s+and\s+(?=i\b)", re.IGNORECASE)
# ", and since then" before another comma opens the next statement
_OPENS_NEXT = lazy_pattern(
    r",\s+(?=(?:and|but|so) (?:with|since|after|before|when|once|if|in|on|at|for|from|by|until|while|because) "
    r"[^,]{1,60}$)",
    re.IGNORECASE,
)
_HOLDS = lazy_pattern(r"\b(?:because|cause|cuz|since|considering|given|although|though|which)\b", re.IGNORECASE)
# a comment on it ("which is a relief") says no more of it
_RELATIVE = lazy_pattern(
    r"(?:which|where) (?!(?:is|was|means|meant|makes?|made|got|gave|seems|feels|felt) )", re.IGNORECASE
)
_WISH = lazy_pattern(r"\b(?:trying|want|wants|need|like|love|looking|going|hoping|aiming) to\b", re.IGNORECASE)
_VERB_FOLLOWS = lazy_pattern(
    r"(?:'m|'re|'s|\b(?:am|is|are|was|were|be|been|i'm|im))(?: (?:also|still|now|seriously|currently|just|even|"
    r"really|not))*$|\b(?:while|by|of|from|and|also)$",
    re.IGNORECASE,
)
_PERFECT = lazy_pattern(  # what is only felt is no statement that the date could belong to
    r"\b(?:have|has|i've|we've|he's|she's|been)\b"
    r"(?! (?:been )?(?:feeling|having|struggling|trying|wondering|worried|stuck)\b)",
    re.IGNORECASE,
)
_ASIDE = lazy_pattern(r"\[(?!redacted:)[^\]\n]{3,400}\]")  # the mark of a redaction holds the place of something said
_FORMS_OF_BE = {"i": "am", "we": "are", "you": "are", "they": "are", "these": "are", "those": "are"}
_TRAIL = "".join(filter(str.isspace, map(chr, range(0x3001)))) + ",.;:!?\u3002\uff01\uff1f\u2026"
_PICTURES = lazy_pattern(
    "^[\\s\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]+|[\\s\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]+$"
)
_LAUGHTER = lazy_pattern(  # and faces; but "he says lol", "we play lol"
    r"(?:(?<=[\s.,!?…])(?:lo+l|lmao|rofl|(?:ha){2,}h?|(?:he){2,}h?|(?:hi){2,}|[:;=]-?['’]?[)(DPp/|]+|\^\^|xD)"
    r"[\s.,!?…]*)+$"
)
_NEEDS_MORE = lazy_pattern(
    r"\b(?:is|are|was|called|named|play(?:s|ed|ing)?|sa(?:y|ys|id|ying)|wr(?:ite|ites|ote)|typ(?:e|es|ed|ing)|means?|"
    r"the|an?|my|our|of|to|in|with|and|or)\W*$",
    re.IGNORECASE,
)
_WORD = lazy_pattern(r"\w+")
_TOLD_BY = 8  # characters of a clause that tell it from the words before it

_CHANGE_OF_MIND: Final = lazy_pattern(  # "... and we changed our mind: "
    r"(?:(?:\b(?:i|we|they|he|she|you)|\b(?:the )?[\w-]+)(?:['’]ve| have| has|['’]s)? (?:just |now )?)?\b"
    r"(?:changed (?:my|our|their|his|her|your) minds?|change of (?:plan|mind|heart)|on second thoughts?)"
    r"\s*(?:[,:;–—-]+|\band\b)\s*(?:(?:so|and|now)\s+)?$",
    re.IGNORECASE,
)
_LONGEST_LEAD: Final = 60  # characters


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of text that says one thing at most.

    `text` is `raw` without fluff, wrappers and hedges: what tells its sort and its key. `said` has the hedges.
    """

    raw: str
    text: str
    said: str
    start: int
    end: int
    asks: bool  # the sentence ends with a question mark and this is its last clause
    certainty: float
    leans: bool = False  # its text begins with the statement before, that it says something of
    main: str = ""  # of several told in one sentence, the words that decide what kind of statement it is
    orders: bool = False  # one of several told in one sentence is an order

    @property
    def pleads(self) -> bool:
        """Whether it asks for something with a "please" before its words, which is no part of them."""
        return self.raw.casefold().startswith(f"please {self.text[:_TOLD_BY]}".casefold())


@dataclass(frozen=True, slots=True)
class _Range:
    """A clause in its sentence: the span with the joining word, and the words themselves."""

    begin: int
    left: int
    right: int
    holds: bool  # a subordinator holds it up as true ("since I moved")


def split_clauses(sentence: str, lead: int, start: int, words: Cues, *, told: bool = False) -> list[Clause]:
    """The clauses of a sentence that begins at `start` in the episode's text.

    Its first `lead` characters are a list marker: part of the first clause's span and not of its words. The word that
    joins a clause to the one before lies in its span too: no word is lost. Brackets are handed back by `asides`. What
    is `told` to the memory is cut before every ", but" and ", so"; `joining` puts together what belongs together.
    """
    plain = sentence.replace("\u2019", "'")
    blanked = _ASIDE.sub(lambda found: " " * len(found.group(0)), plain) if "[" in plain else plain
    ends_asking = blanked.rstrip(" \"')]*_").endswith(("?", "\uff1f"))
    doubtful = words.pattern("hedge.around")
    cuts = _cuts(blanked, lead, _SPLIT_TOLD if told else _SPLIT, words)
    spans = list(_spans(blanked, lead, cuts, doubtful, asks=ends_asking))
    clauses = []
    last_main = max((number for number, span in enumerate(spans) if not span.holds), default=0)
    for number, span in enumerate(spans):
        raw = blanked[span.left : span.right]
        if not _WORD.search(raw):
            continue
        asks = ends_asking and number == last_main and not span.holds
        clauses.append(_clause(raw, start + span.begin, start + span.right, words, asks=asks))
    return clauses


def asides(sentence: str, start: int) -> list[tuple[int, int]]:
    """Ranges of bracketed stage directions in the episode's text."""
    if "[" not in sentence:
        return []
    return [(start + found.start(), start + found.end()) for found in _ASIDE.finditer(sentence)]


def _cuts(sentence: str, lead: int, splits: re.Pattern[str], words: Cues) -> list[re.Match[str]]:
    """Where the next statement may begin, by the word that follows or as an order that comes of the one before."""
    cuts = list(splits.finditer(sentence, lead))
    known = {cut.end() for cut in cuts}
    orders = [
        found
        for found in _SO.finditer(sentence, lead)
        if found.end() not in known and is_order(sentence[found.end() :], words)
    ]
    return sorted((*cuts, *orders), key=lambda cut: cut.start()) if orders else cuts


def _spans(
    sentence: str, lead: int, cuts: Sequence[re.Match[str]], doubtful: re.Pattern[str], *, asks: bool
) -> Iterator[_Range]:
    begin, left, holds = 0, lead, False
    ended = sentence.rstrip(_TRAIL)
    quoted = marked(sentence) if cuts else ()
    for cut in cuts:
        head = sentence[left : cut.start()]
        if (
            len(_WORD.findall(head)) < 2
            or _OPEN_END.search(head)
            or ("," in cut.group(0) and _NOT_HERE.match(head.strip()) and not _SAID.search(head))
            or sentence.count('"', left, cut.start()) % 2  # within a title or a quotation
            or any(start < cut.start() < end for start, end in quoted)
            or (cut[0].startswith(":") and is_smalltalk(head))  # "make a note: the bins go out on Mondays"
            or (_AND_I.match(sentence, cut.start()) and _WITH_ME.search(head))
            # "..., I think" and "I'm not sure, but ..." state nothing by themselves
            or doubtful.fullmatch(ended, cut.start())
            or doubtful.fullmatch(sentence[left : cut.end()])
            or _tells_more(sentence, cut, head, is_asked=asks and cut is cuts[-1])
        ):
            continue  # "When it fails, we retry": the condition belongs to what follows
        opened = _OPENS_NEXT.search(sentence, left, cut.start()) if cut.group(0).lstrip().startswith(",") else None
        if opened and len(_WORD.findall(sentence[left : opened.start()])) > 1:
            yield _Range(begin, left, opened.start(), holds)
            begin, left, holds = opened.start(), opened.end(), False
            continue
        yield _Range(begin, left, cut.start(), holds)
        begin, left, holds = cut.start(), cut.end(), bool(_HOLDS.search(cut.group(0)))
    yield _Range(begin, left, len(sentence), holds)


def _tells_more(sentence: str, cut: re.Match[str], head: str, *, is_asked: bool) -> bool:
    """Whether what follows belongs to what was just named, or dates it: "..., which halved it", "... since I moved"."""
    if _RELATIVE.match(sentence, cut.end()):
        return not is_asked and _WISH.search(head) is None
    joint = cut.group(0).strip().lower()
    if joint.startswith("considering"):
        return _VERB_FOLLOWS.search(head) is not None  # "I'm considering a flat": a verb there
    return joint == "since" and _PERFECT.search(head) is not None


def _clause(raw: str, begin: int, end: int, words: Cues, *, asks: bool) -> Clause:
    stripped = raw.strip()
    said = _plain(_bare(without_closing(stripped).rstrip(_TRAIL), words), words)
    text, certainty = weigh(said, words)
    return Clause(raw=stripped, text=text, said=said, start=begin, end=end, asks=asks, certainty=certainty)


def _bare(text: str, words: Cues) -> str:
    if not text.isascii():
        text = _PICTURES.sub("", text) or text
    wrapper = words.pattern("open.wrapper")
    for _ in range(6):
        text = without_opening(text, words)
        found = wrapper.match(text)
        if not found or found.end() >= len(text):
            break
        text = text[found.end() :]
    return text


def with_change_of_mind(text: str, start: int) -> int:
    """Where a statement begins, with the words right before it by which another decision is taken back."""
    found = _CHANGE_OF_MIND.search(text, max(0, start - _LONGEST_LEAD), start)
    return start if found is None else found.start()


def without_opening(text: str, words: Cues) -> str:
    """The text without what only keeps a conversation going before it, such as "and", "btw" or "heads up,"."""
    fluff, start = words.pattern("open.fluff"), 0
    while (found := fluff.match(text, start)) and start < found.end() < len(text):
        start = found.end()  # no copy each time: a text may hold nothing else
    return text[start:]


def without_closing(text: str) -> str:
    """The text without the laughter or the face behind it: "we moved to Ghent lol", "the office is open :)"."""
    found = _LAUGHTER.search(text)
    before = text[: found.start()].rstrip() if found else ""
    return before if _WORD.search(before) and not _NEEDS_MORE.search(before) else text


def _agreeing(modal: re.Match[str]) -> str:
    """The form of "be" for the word before it: "I may be" is "I am"."""
    said = modal.string[: modal.start()].split()
    return _FORMS_OF_BE.get(said[-1].lower(), "is") if said else "is"


def weigh(text: str, words: Cues) -> tuple[str, float]:
    """The text without its hedges, and how sure the speaker was: 1.0, .7 with a weak hedge, .4 with a strong one."""
    certainty = 1.0
    if words.has("hedge.strong", text):
        certainty = 0.4
    elif words.has("hedge.weak", text):
        certainty = 0.7
    if certainty == 1.0:
        return text, certainty
    text = words.pattern("hedge.modal").sub(_agreeing, words.pattern("hedge.around").sub(" ", text))
    return _plain(words.pattern("hedge.weak").sub(" ", text), words), certainty


def _plain(text: str, words: Cues) -> str:
    """The text without words that only strengthen it."""
    if words.has("hedge.intensifier", text):
        text = words.pattern("hedge.intensifier").sub(" ", text)
    return " ".join(text.split()).lstrip(" ,").rstrip(_TRAIL)


_BREAKS_OFF: Final = lazy_pattern(
    r"\b(?:the|a|an|of|and|or|because|my|your|our|(?<!\bit )(?<!\bhe )(?<!\bthey )(?<!\bthat )(?:is|are|was|were))$",
    re.IGNORECASE,
)
_LAST: Final = 10  # characters that hold the longest of these words


def breaks_off(text: str) -> bool:
    """Whether the words end before what they are about to say."""
    return _BREAKS_OFF.search(text, max(0, len(text) - _LAST)) is not None

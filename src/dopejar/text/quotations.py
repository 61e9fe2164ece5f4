"""Quotations: sentences between quotation marks, after "somebody wrote:", or in a pasted message, of somebody else.

Takes: a text. Gives: where such words lie, and the text with a mark in their place. Never: takes a quoted name, term or
title, a short wish, or what the speaker calls their own ("my motto is ...", "I wrote: ...") for somebody else's word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.pasted_messages import end_of_letter, pasted_messages
from dopejar.text.sentences import sentences

MARK: Final = '"…"'
"""What stands for a quotation in a text without them."""
_QUOTED: Final = lazy_pattern(
    r'(?<![\w"])"(?=\S)(?P<straight>[^"]+)(?<=\S)"(?!\w)|“(?P<english>[^“”]+)”|„(?P<low>[^„“”]+)[“”]|«(?P<angle>[^«»]+)»'
    # an apostrophe may look like a mark that closes: it stands within a word or after an "s" that a word follows
    r"|(?<![\w'’])(?:'(?=\w)(?P<single>(?:[^\n']|(?<=\w)')+?)'|‘(?P<curly>[^\n‘]+?)['’])"
    r"(?:(?<!s['’])(?!\w)|(?=\s*(?:$|[\n.,;:!?)–—])))"
)
_LEAST: Final = 5  # words; what is shorter is a name, a term, a wish
_SEVERAL: Final = 8  # words of more than one sentence
_SPEAKS: Final = lazy_pattern(
    r"\b(?:I|[Ww]e|[Oo]urs?|[Mm]y|[Uu]s|[Mm]e|[Ii]ch|[Mm]ein\w*|[Ww]ir|[Uu]nser\w*|[Yy]o|[Mm]is?|"
    r"[Nn]uestr\w+|[Jj]e|[Mm]on|[Nn]ous|[Nn]otre|[Ee]u|[Mm]eus?|[Mm]inhas?)\b"
)
_GREETS: Final = lazy_pattern(r"\s*(?:hi|hello|hey|dear|good (?:morning|day|afternoon|evening))\b", re.IGNORECASE)
_BEFORE: Final = 80  # characters that tell what introduces a quotation
_STANDS_ALONE: Final = lazy_pattern(r"(?:^|[:.!?…;)\n–—-])\s*$")
_GOES_ON: Final = lazy_pattern(r"\s+(?:is|are|was|were|means|should|must|has to)\b", re.IGNORECASE)
# "my motto is ...", and a request to the one who listens; what is called so by "the rule is ..." may be either's
_OWN: Final = lazy_pattern(
    r"\b(?:my|our) (?:[\w-]+ ){1,4}(?:is|are|was)\s*:?\s*$"
    r"|\b(?:remember|memori[sz]e|note|save|store|record|keep in mind|write down|add)"
    r"(?:,? (?:this|that|it|the following|please|down|for me|as|an?|the|new|rule|fact))*\s*:?\s*$",
    re.IGNORECASE,
)
# what introduces a report begins a sentence and ends in a colon: "a customer wrote me yesterday:", "mail from Ann:"
_REPORT: Final = lazy_pattern(r"(?:^|(?<=[.!?…:;)\n]))[^\S\n]*(?P<intro>[^\s.!?…:;][^\n.!?…:;]{1,80}):\s*(?=\S)")
_BETWEEN_PARAGRAPHS: Final = lazy_pattern(r"\n[^\S\n]*\n")
_WHEN: Final = (
    r"(?: (?:me|us|him|her|them|everyone|everybody|back|again|earlier|later|just now|"
    r"(?:today|yesterday|tonight)(?: (?:morning|afternoon|evening|night))?|"
    r"(?:this|last|on|in|to|from|at|by|via|about|after|before|for|over) (?:[\w'’-]+ ){0,3}?[\w'’-]+)){0,3}"
)
_TELLS: Final = lazy_pattern(
    r"(?P<who>.*\w) (?:wrote|writes|said|says|told|tells|texted|(?:e-?)?mailed|messaged|replied|answered|asked|asks|"
    rf"announced|explained|explains|insisted|insists|warned|mentioned){_WHEN}",
    re.IGNORECASE,
)
_ASKED: Final = lazy_pattern(r"\bask(?:ed|s)\b", re.IGNORECASE)
_ANSWERS: Final = lazy_pattern(  # what is told to who asked: no question, no wish
    r"(?:(?:yes|no|so),? )?(?:(?:the|our|my|a|an|all|both|there|it|we|they|he|she) |"
    r"[\w.-]+ (?:is|are|was|were|has|have) |(?:it|we|they|he|she|there)['’]\w+ )"
    r"(?![^\n]*(?:\?|\b(?:you|your|please|pls|should|must|shall|always|never)\b))",
    re.IGNORECASE,
)
_SENT: Final = lazy_pattern(
    r"(?:.*\b)?(?:e-?mail|mail|message|msg|text|note|memo|letter|voice ?mail|postcard|sms|dm|reply) "
    r"(?:(?:this|last) \w+ |today |yesterday )?"
    rf"from (?P<who>\w[^,]*?){_WHEN}(?:, .*)?",
    re.IGNORECASE,
)
_NOBODY_ELSE: Final = lazy_pattern(  # the speaker, a condition, what holds whoever repeats it, what an adverb notes
    r"\b(?:I|I['’]\w+|[Ww]e|[Ww]e['’]\w+|myself|ourselves)\b"
    r"|(?i:\b(?:that|which|what|whatever|is|are|was|were|but|if|when|whenever|until|unless|before|after|once|never|be)\b"
    r"|\b(?:rules?|polic(?:y|ies)|mottos?|principles?|plan|summary|contract|law|truth)$|^(?:as|like|all|this|it|just|also|"
    r"already|to)\b)"
)
_NO_SENDER: Final = lazy_pattern(
    r"\b(?:me|my ?self|self|us|today|yesterday|earlier|last|this|previous|\w+day|meeting|call|session|stand-?up|retro|"
    r"visit|trip|conversation|talk|course|lecture)\b|^\W*\d",
    re.IGNORECASE,
)
_MARKS: Final = "\"“„«'‘`"


def quotations(text: str) -> tuple[tuple[int, int], ...]:
    """The ranges, with their marks, of what somebody else says: a sentence of theirs that stands alone, or several.

    What is reported as somebody else's goes to the paragraph's end, to the mark that closes it, or to the signature of
    a letter that greets. A pasted message is somebody else's even where nothing else is said.
    """
    pasted = pasted_messages(text)
    told = [span for span in _reports(text) if not any(start < span[1] and span[0] < end for start, end in pasted)]
    found = [*pasted, *(span for span in told if text[span[0]] not in _MARKS)]
    begun = {start for start, _ in told}
    for one in _QUOTED.finditer(text):
        is_free = not any(start < one.end() and one.start() < end for start, end in found)
        if is_free and (one.start() in begun or _is_said_by_others(text, one)):
            found.append(one.span())
    found.sort()
    return tuple(found) if pasted or _has_words(text, found) else ()  # who quotes all they say says it themselves


def marked(text: str) -> tuple[tuple[int, int], ...]:
    """The ranges, with their marks, of all that stands between quotation marks, whoever said it."""
    return tuple(one.span() for one in _QUOTED.finditer(text))


def without_quotations(text: str) -> str:
    """The text with a mark at the end of each quotation's range and blanks before it; of the same length."""
    for start, end in quotations(text):
        text = f"{text[:start]}{MARK:>{end - start}}{text[end:]}"
    return text


def _reports(text: str) -> Iterator[tuple[int, int]]:
    """What is introduced as told or sent by somebody else, where it is more than a word, without a last full stop."""
    at = 0
    while (found := _REPORT.search(text, at)) is not None:
        at = start = found.end()
        if _is_report(found["intro"]) and not (_ASKED.search(found["intro"]) and _ANSWERS.match(text, start)):
            border = _BETWEEN_PARAGRAPHS.search(text, start)
            at = border.start() if border else len(text)
            if border and _GREETS.match(text, start):
                at = end_of_letter(text, start, found["intro"])
            told = text[start:at].rstrip().removesuffix(".")
            if " " in told:
                yield start, start + len(told)


def _is_report(intro: str) -> bool:
    sent = _SENT.fullmatch(intro.strip())
    if sent is not None:
        return _NO_SENDER.search(sent["who"]) is None
    tells = _TELLS.fullmatch(intro.strip())
    return tells is not None and _NOBODY_ELSE.search(tells["who"]) is None


def _is_said_by_others(text: str, found: re.Match[str]) -> bool:
    body = found[found.lastgroup or 0]
    count = len(body.split())
    if count < _LEAST:
        return False
    before = text[max(0, found.start() - _BEFORE) : found.start()]
    if _OWN.search(before):
        return False
    speaks = _SPEAKS.search(body) is not None or _GREETS.match(body) is not None
    if count >= _SEVERAL and len(sentences(body)) > 1:
        return True
    return speaks and _STANDS_ALONE.search(before) is not None and _GOES_ON.match(text, found.end()) is None


def _has_words(text: str, ranges: Sequence[tuple[int, int]]) -> bool:
    places = [0, *(place for span in ranges for place in span), len(text)]
    return any(any(map(str.isalnum, text[place:end])) for place, end in zip(places[::2], places[1::2], strict=True))

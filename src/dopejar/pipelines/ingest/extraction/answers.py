"""Short answers: "Monday and Tuesday" states something only together with "What days do you work?".

Takes: the turn before, the words of a reply. Gives: the plain question that the turn ends with, and question and answer
as one text; what a speaker has for an answer to their own question. Never: a question about the task at hand, or one of
several; a rule from words of the assistant.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.names import spelled_names
from dopejar.text.sentences import sentences
from dopejar.values.dates import DAY_NAMES, FULL_MONTH_NAMES

_PLAIN: Final = re.compile(
    r"^(?:(?:and|so|but|then|ok|okay|great|right|roughly)[,.]? )?(?P<q>(?:(?:in|at|on|for|from|with) )?"
    r"(?:what|which|who|whose|where|when|how (?:many|much|old|long|often|far|tall|big))\b[^,;:()\"“”\n?]{3,80}\?)$",
    re.IGNORECASE,
)
_OF_THE_TASK: Final = re.compile(  # what is to be done, or what can be seen now
    r"\b(?:would|should|shall|could|can|want|need|like|think|mean|prefer|rather|me|i|it|this|that|these|those|next|today|"
    r"now|see|seeing|get|getting|error|wrong|help|try|trying|tried|working on|looking|running|expect|"
    r"happen\w*|feel\w*)\b",
    re.IGNORECASE,
)
_OF_THE_USER: Final = re.compile(r"\byou(?:r|rs|rself)?\b", re.IGNORECASE)
_MINE: Final = re.compile(r"\b(?:I|me|my|mine|we|us|our)\b", re.IGNORECASE)
_VALUE: Final = re.compile(rf"\d|\b{DAY_NAMES}s?\b|\b{FULL_MONTH_NAMES}\b", re.IGNORECASE)
_AT_THE_MOMENT: Final = re.compile(r"\bare you \w+ing\b", re.IGNORECASE)
_FOR_A_NAME: Final = re.compile(
    r"^(?:(?:in|at|on|for|from|with) )?(?:who|whose|where|which)\b|\b(?:called|names?|language)\b", re.I
)
_OWN_QUESTION: Final = re.compile(  # of something that is named: whose it is stands in it
    r"^(?:(?:and|so|but|ok|okay|also)[, ]+)?(?:what|when|where|who|which)(?:['’]s| is| are| was) "
    r"(?P<of>(?!(?:it|this|these|that|those|there|he|she|they|the (?:best|right|difference|point|matter|word))\b)"
    r"[^,;:()?]{3,60})(?<! called)\?$",
    re.IGNORECASE,
)
_OF_SOMEBODY: Final = re.compile(
    r"(?i:where|when|which|who|what time)\b(?!.*\b(?i:i|we|you|me|us|should|can|could)\b)"
    r"[^?]{2,60} (?:[A-Z]|(?:my|our) )[^?]*\?$"
)
_HAVE_IT: Final = re.compile(  # as it is noted down; what is counted is had: "I've got 40 mugs"
    r"^(?:(?i:(?:and|but|so|because)) )?I(?:['’]ve got| have got| have|['’]ve)(?: (?:down|only|just|still|here))? "
    r"(?P<value>(?!\d+ [a-z]|[A-Z][\w-]+ (?:and|or|in|on|at|for|to|with|here|coming|over)\b)[\dA-Z£$€+\"'“‘].*)$",
)
_MOST_WORDS: Final = 12
_LAST_CLAUSE: Final = re.compile(r"[,;:]\s+")
_TAG: Final = re.compile(  # behind a question: ", do you know?"
    r"\s{0,3}[,;–—-]{1,3}\s{0,3}(?:(?:and|or|by any chance),? )?"
    r"(?:do (?:you|we|i)(?: (?:happen to|still|even))? (?:know|remember|recall)"
    r"|(?:any|no) (?:idea|clue)|(?:can|could) you (?:tell|say|remember)|(?:you )?remember|you know)\s*\?$",
    re.IGNORECASE,
)
_LEAST_WORDS: Final = 4  # of a question that names its thing: "which one?" does not


def plain_question(turn: str) -> str:
    """The question that the turn ends with, where it is its only one, short, and not about the task; else ""."""
    if turn.count("?") != 1 or not turn.rstrip(" *_").endswith("?"):
        return ""
    last = sentences(turn)[-1]
    found = _PLAIN.match(last.text.strip(" *_")) if last.kind in ("prose", "list") else None
    if found is None or len(found["q"].split()) > _MOST_WORDS or _OF_THE_TASK.search(found["q"]):
        return ""
    return f"{found['q'][0].upper()}{found['q'][1:]}"


def own_question(sentence: str) -> str:
    """The plain question at the end of a sentence whose speaker answers it in a later turn; "" without one."""
    last = _LAST_CLAUSE.split(_TAG.sub("?", sentence))[-1]
    return plain_question(last) if len(last.split()) >= _LEAST_WORDS else ""


def answered(question: str, answer: str) -> str:
    """Question and answer as one text, where they are about the user; "" where that is unsure."""
    is_short = len(answer.split()) <= _MOST_WORDS and "?" not in answer
    about_user = _OF_THE_USER.search(question) or _MINE.search(answer)
    return f"{question} {answer}" if question and is_short and about_user else ""


def own_answer(said_before: str, words: str) -> str:
    """What the speaker has for an answer to their own question, with what it is of ("Tom's address is ..."); or ""."""
    found = _HAVE_IT.match(words)
    asked = sentences(said_before)[-1].text if found and said_before else ""
    if found and (of := _OWN_QUESTION.match(asked)):
        return f"{of['of'][0].upper()}{of['of'][1:]} is {found['value']}"
    return f"{asked} {found['value']}" if found and _OF_SOMEBODY.match(asked) else ""


def holds_value(question: str, answer: str) -> bool:
    """Whether an answer holds a number or a date, or a name where the question asks for one."""
    if _AT_THE_MOMENT.search(question):
        return False
    return bool(_VALUE.search(answer) or (_FOR_A_NAME.search(question) and spelled_names(answer)))

"""Whether a statement holds its slot: what it says is so now, instead of anything else, and by the speaker's own word.

Takes: the words of a statement that a slot was read from. Gives: yes or no. Never: reads the slot itself.

Only what holds may replace what held before. What is so beside something else ("I also use", "sometimes"), what was
("the timeout was 10 s"), what is to come ("moving there next month"), what somebody else says or shall do ("my boss
says we ...", "I asked them to use ..."), and a rule with an exception are kept under their own words.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.language.relations import TELLS_CHANGE
from dopejar.pipelines.ingest.keys.slot import Slot
from dopejar.pipelines.ingest.keys.value_families import families
from dopejar.text.circumstances import circumstance
from dopejar.values.dates import DAY_NAMES

_BESIDE: Final = re.compile(
    r"\b(?:also|too|as well|sometimes|occasionally|now and (?:then|again)|from time to time|at times|once in a while|"
    r"rarely|seldom|on the side|auch|manchmal|ab und zu|també[mn]|às vezes|a veces|aussi|parfois)\b",
    re.IGNORECASE,
)
_AT_TIMES: Final = re.compile(
    rf"\b(?:(?:on|at) (?:the )?weekends?|on weekdays|on {DAY_NAMES}s?|"
    r"in (?:the )?(?:winter|summer|spring|autumn|mornings?|afternoons?|evenings?)|at night|"
    r"during (?:the )?(?:week|winter|summer|holidays|day)|part[- ]time|half (?:of )?the (?:day|week|month|year))\b",
    re.IGNORECASE,
)
_EXCEPT: Final = re.compile(r"\b(?:except|excepting|unless|apart from|aside from|other than|save for)\b", re.IGNORECASE)
_CHANGE: Final = (
    r"renamed|moved|migrated|changed|raised|lowered|set|bumped|switched|replaced|upgraded|downgraded|increased|decreased|"
    r"reduced|extended|shortened|cut|pushed|postponed|rescheduled|born|updated|converted|promoted|relicensed|ported|built|"
    r"written|made|chosen|picked|adopted|deployed|hired|doubled|halved|adjusted|corrected|slipped|rotated"
)
_WAS: Final = re.compile(
    rf"\b(?:was|were|had been)\b(?! (?:(?:just|also|recently|now|finally|all|since|\w+ly) )*(?:{_CHANGE})\b)"
    r"|(?<!have )(?<!has )(?<!'ve )(?<!get )(?<!been )(?<!are )(?<!is )(?<!be )\bused\b(?! (?:to|for|in|by|as)\b)",
    re.IGNORECASE,
)
_TO_COME: Final = re.compile(
    r"\b(?:am|are|is|i'm|we're|'s) (?:\w+ ){0,2}?"
    r"(?:moving|switching|migrating|changing|relocating|starting|porting)\b.*"
    rf"\b(?:next|tomorrow|soon|later|on {DAY_NAMES}|"
    r"in (?:an?|two|three|four|six|a few|\d+) (?:days?|weeks?|months?|years?)|"
    r"in the (?:week|summer|autumn|winter|spring)|"
    r"(?:in|on) \d{4}-\d\d(?:-\d\d)?)\b",  # a relative date, made absolute
    re.IGNORECASE,
)
_BY_OTHERS: Final = re.compile(
    r"^(?:according to\b|(?:(?:my|our|the|his|her|their|your|some|most|many) [\w' -]{1,30}?|"
    r"(?-i:[A-Z])[\w'-]+|he|she|they|"
    r"people|everyone|everybody|someone|somebody) (?:always |also |once |just )?(?:says?|said|claims?|claimed|thinks?|"
    r"thought|believes?|suggests?|suggested|recommends?|recommended|insists?|insisted|argues?|argued|told|wants?|"
    r"wanted|asks?|asked|expects?)\b)"
    r"|\b(?:him|her|them|people|everyone|everybody|others|(?:my|the|our|his|her|their|an?|some) [\w-]+(?: [\w-]+)?|"
    r"(?-i:[A-Z])[\w-]+) to (?:use|switch|move|migrate|try|adopt|install|learn|prefer|work|run|write|live|keep|stay)\b"
    r"|\b(?:people|somebody|someone|friends?|colleagues?|developers?|[\w-]+ers?) who\b",
    re.IGNORECASE,
)


def holds(text: str, slot: Slot) -> bool:
    """Whether the statement may replace what its slot held before. A slot of many values is held by each of them."""
    if slot.many:
        return True
    if _EXCEPT.search(text) or _TO_COME.search(text) or _BY_OTHERS.search(text):
        return False
    if _BESIDE.search(text) and not _is_binary(slot.path):
        return False
    if "@" not in slot.name and (_AT_TIMES.search(text) or circumstance(text)):
        return False
    return _WAS.search(text) is None or TELLS_CHANGE.search(text) is not None


def _is_binary(path: str) -> bool:
    """Whether the slot has two values of which one always holds: there is no third way beside them."""
    family = path.partition("@")[0].rpartition(".")[2]
    known = families().by_name.get(family)
    return known is not None and known.binary

"""Privacy words: whether a turn asks that it be not kept, or that something known be forgotten.

Takes: the words of a turn. Gives: what to forget, or nothing. Never: reads quoted words, code or pasted text as a wish.

A cue begins a clause, so that "don't forget to" and "I forgot that" are none; what shall not be kept is the talk itself
("this"), never a thing ("save this file"). The languages are those of the eight lexicons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import count
from typing import Final

from dopejar.pipelines.ingest.extraction.meta_talk import is_about_the_talk
from dopejar.pipelines.ingest.not_kept_words import (
    CLAIMS,
    CONFIDED,
    CONFIDED_ANYWHERE,
    END,
    HINTS,
    HINTS_BEYOND_ASCII,
    NOT_REMEMBERED,
    NOT_STORED,
    NOT_WANTED,
    THIS,
)
from dopejar.text.normalisation import fold
from dopejar.text.quotations import without_quotations

# where a clause begins, with what may stand before its verb; each table below holds the languages in the same order
_START: Final = re.compile(
    r"(?:^|[.!?;:,…—–(\n。！？；，、]\s*|(?<!\w)(?:and|but|so|ok|okay|please|now|e|mas|y|pero|und|aber|bitte|et|mais|"
    r"а|и|но|пожалуйста|a|ale|prosím) )"
    r"(?:(?:please|just|kindly|can you|could you|would you|i want you to|i'd like you to|por favor|podes|puedes|"
    r"bitte|kannst du|s'il te plaît|пожалуйста|prosím(?: tě)?|请|麻烦)[ ,]*)?"
)
_X: Final = r"(?P<x>[^.!?;\n]+?)(?=,? (?:please|ok|okay|bitte|thanks)[.!]?\s*$|[.!?;\n]|$)"  # what shall be forgotten
_REMOVALS: Final = r"delete|remove|erase|wipe|scrub|drop"
_REMOVE: Final = rf"(?:{_REMOVALS})"
_NAME: Final = (  # of a thing: few words, none of which says when, where or what for
    r"(?:(?!(?:before|after|when|whenever|in|on|at|for|from|with|without|unless|every|each|if|and|or|to|as|not|never|"
    r"always|by|into|is|are|was)(?!\w))[\w'’-]+)"
)
_LEAVE: Final = (  # words that leave it to the other one
    r"(?:(?:you (?:can|may|could|should|must|need to|ought to)|feel free to|let's|let us|i(?:'d| would) (?:like|prefer|"
    r"rather)(?: it if)? you(?: to)?|i want you to|it's time to|time to)(?: (?:now|just|also|please|safely))* )?"
)
_UNWANTED: Final = rf"{NOT_WANTED} (?:keep|store|save|hold on to|remember|know|have)"
_UNCONDITIONAL: Final = r"(?:(?!(?:before|after|when|whenever|unless|until|every|each|if)(?!\w))[^.!?;,\n])+?"
_POSSESSED: Final = rf"(?:his|her|their|(?:{_NAME} ){{0,3}}[\w-]+['’]s)"
_OWN: Final = rf"(?:my|our) {_NAME}(?: {_NAME}){{0,4}}"
_CONFIDED: Final = (  # what was told in confidence, and not written for somebody
    r"(?:what(?:ever)?|everything|anything|all|(?:the )?(?:things?|stuff|bits?|parts?))(?: that)? "
    r"i(?:'ve|'d| have| had)?(?: just| once| ever)? (?:told you|confided(?: in you)?|shared with you|mentioned to you) "
    r"(?:about|on|regarding|concerning) "
)
_DISMISSED: Final = (
    rf"(?:(?:please|just|can you|could you|would you|i'd like you to|i want you to|you can)[ ,]*)*"
    rf"(?:forget|{_REMOVALS}) (?:about )?(?:it|that|this|them|those|all of (?:it|that|this|them))"
)
_FORGOTTEN: Final = (
    r"forget (?:that (?:i (?:told|mentioned to) you (?:about |that )?)?(?![.,;:!?]|$)|(?:everything|all|anything|what)"
    r"(?: that)?(?: (?:you (?:know|learned|remember|have)|i (?:said|told you)))? (?:about|on) |about (?=me|my |our )|"
    rf"(?=my |our |(?:where|when|who|how (?:old|much|many|tall|often|far)|which \w+) (?:i|we|my|our) |"
    rf"what (?:my |our |i (?!(?:'ve |have )?(?:just )?(?:said|told|wrote|asked|typed|meant|wanted|did)\b)))){_X}",
    rf"{_REMOVE} (?:everything|anything|all|what|whatever)(?: that)? (?:you(?:'ve| have)? (?:know|remember|have|"
    rf"learned|stored|saved|noted|kept)|is (?:stored|saved)|(?:you have )?on file) (?:about|on) {_X}",
    r"(?:delete|remove|erase|wipe) (?P<x>[^.!?;\n]+) from (?:your |the |long-term )?memory(?!\.?\w)",
    rf"{_REMOVE} (?P<x>[^.!?;\n]+) from your (?:memory|notes)(?!\.?\w)",
    rf"{_REMOVE} (?:your|any) (?:note|memory|memories|notes) (?:about|on) {_X}",
    rf"(?:{_LEAVE}{_REMOVE} {_CONFIDED}(?P<x>{_UNCONDITIONAL})|{_CONFIDED}(?P<x>{_UNCONDITIONAL})[,;:–— -]+"
    rf"{_DISMISSED}){END}",
    rf"{NOT_WANTED} (?:hold on to|remember) (?P<x>{_OWN}|(?:who|where|when|which|what|how) (?:\w+ )?"
    rf"(?:i|we|my|our) [^.!?;\n]{{2,80}}?){END}",
    r"(?:do not|don't|dont|never) (?:keep|store|save|hold|have) (?P<x>(?:my|our) [^.!?;\n]+?) in "
    r"(?:your |long-term )?(?:memory|notes)(?!\.?\w)",
    r"(?:stop remembering|(?:do not|don't|dont) (?:hold on to|keep|store|save|remember) what i(?:'ve)? "
    r"(?:said|told you|"
    rf"mentioned) about) {_X}",
    rf"esque(?:ça|ce)(?:-te)? (?:d?o que (?:eu )?(?:te|lhe) disse sobre |(?=(?:d?[oa]s? )?(?:meus?|minhas?) )){_X}",
    rf"olvid[ae](?:te)? (?:lo que te (?:dije|conté) (?:de|sobre) |(?:de )?(?=mis? )){_X}",
    rf"vergiss(?: bitte)? (?=(?:mein|unser)(?:e[nmrs]?)? ){_X}",
    r"(?:vergiss|lösche?)(?: bitte)?,? (?:alles,? )?was ich (?:dir |euch )?(?:über|von|zu) (?P<x>[^.!?;\n]+?) "
    r"(?:gesagt|erzählt|geschrieben) habe",
    rf"oubliez? (?:ce que je (?:t'ai|vous ai) dit (?:sur|de|à propos de) |(?=m(?:on|a|es) )){_X}",
    r"забудь(?:те)?,? (?:(?:вс[её],? )?что я (?:тебе |вам )?(?:говорила?|рассказывала?|сказала?) (?:обо?|про) |"
    rf"(?=мо[йяеёию]\w* |мой )){_X}",
    rf"zapomeň(?:te)? (?:na |co jsem (?:ti|vám) říkala? o ){_X}",
    rf"(?:esque(?:ça|ce)(?:-te)? (?:que|tudo sobre)|(?:esque(?:ça|ce)|apag(?:a|ue)|elimin[ae]) (?:tudo )?o que "
    rf"(?:você )?sabes? sobre) {_X}",
    rf"(?:olvid[ae](?:te)? (?:de )?(?:que|todo sobre)|(?:olvid|borr|elimin)[ae] (?:todo )?lo que sabes? (?:de|sobre)) "
    rf"{_X}",
    rf"vergiss(?: bitte)?,? (?:dass|alles (?:über|von)|(?:alles,? )?was du (?:über|von)) {_X}",
    r"lösche? (?:alles,? )?was du (?:über|von) (?P<x>[^.!?;\n]+?) (?:weißt|weisst|gespeichert hast)",
    rf"(?:oubliez? (?:que |qu'|tout sur )|(?:oublie|efface|supprime)z? (?:tout )?ce que (?:tu sais|vous savez) "
    rf"(?:de|sur) ){_X}",
    rf"(?:забудь(?:те)?,? (?:что|про|о том, что)|(?:забудь|удали)(?:те)? (?:вс[её],? )?что (?:ты )?знаешь "
    rf"(?:обо?|про)) {_X}",
    rf"(?:zapomeň(?:te)?,? (?:že|vše(?:chno)? o)|(?:zapomeň|smaž)(?:te)? (?:vše(?:chno)?,? )?co víš o) {_X}",
    r"忘[掉记](?!了)(?:关于|你知道的)?(?P<x>[^。！？；\n]+)",
    r"(?:删除|清除)(?:你知道的|所有)?关于(?P<x>[^。！？；\n]+?)的?(?:一切|信息|记忆|事情)",
    *CLAIMS,
)
# what only means a memory where it is told to the memory itself
_ENDS: Final = (
    r"scrap|cancel|revoke|lift|retire|end|stop|undo|ignore|forget(?: about)?|get rid of|let go of|do away with|"
    rf"throw (?:out|away)|take (?:out|off|back)|ditch|discard|dump|clear|strike|lose|{_REMOVALS}"
)
_UNKEPT: Final = (
    r"(?:(?:do not|don't|dont|didn't|not to|never|no longer) (?:keep|store|save|hold|retain|record|"
    r"remember|memori[sz]e|"
    r"note|know|have)|stop (?:keeping|storing|saving|holding|remembering|recording))(?: on to)?"
)
_ONE_OF: Final = (  # a memory by what it is about; "the thing" stays, since it means one
    r"(?:the|that|this|your|my) (?:\w+ )?(?:thing|bit|part|point|fact|note|memory|entry|item|detail|story|business) "
    r"(?:about|on|regarding|concerning|with) "
)
_ALL_OF: Final = (
    r"(?:(?:(?:the|that|those|these|your|my|any|all) (?:\w+ )?)?(?:things|bits|parts|points|facts|notes|"
    r"memories|entries|"
    r"items|details|stuff|info|information)|(?:everything|anything)|(?:what(?:ever)?|everything|anything|all|"
    r"(?:the )?(?:things?|stuff))(?: that)? (?:i|we|you)(?:'ve|'d| have| had)?(?: just| once| ever)? "
    r"(?:said|told you|mentioned|shared|wrote|know|have|"
    r"learned|noted|stored|saved|remember|kept)(?: down)?) (?:about|on|regarding|concerning|with) "
)
_A_RULE: Final = (
    r"(?:(?:all|both|all of) )?(?:the|that|this|your|my|our|those|these) (?:[^.!?;,\n]{1,60} )?(?:rule|guideline|"
    r"instruction|convention|restriction|requirement|preference)s?(?: (?:about|on|of|for|against|that) "
    r"[^.!?;\n]{1,80}?)?"
)
_SUBJECTS: Final = (rf"(?P<x>{_ONE_OF}{_UNCONDITIONAL})", rf"{_ALL_OF}(?P<x>{_UNCONDITIONAL})", rf"(?P<x>{_A_RULE})")
_GONE: Final = r"(?:gone|forgotten|removed|deleted|dropped|erased|wiped|cleared)"
_AWAY: Final = r"[\s,:–—-]+(?:please )?(?:off|out of|from) your (?:list|memory|notes|records|books|mind)(?!\.?\w)"
_TO_GO: Final = rf" (?:should|can|could|must|may|has to|needs to|have to|need to|is to|ought to) (?:go|be {_GONE})"
_TOLD: Final = (
    rf"{_LEAVE}(?:forget(?: about)?|{_REMOVALS}) (?P<x>(?:what|who|where|when|which|how) [^.!?;\n]{{2,80}}){END}",
    rf"{_LEAVE}(?:forget(?: about)?|{_REMOVALS}) (?P<x>{_OWN}){END}",
    rf"{_LEAVE}forget(?: about)? (?P<x>(?!(?:it|that|this|them|those|these|me|us|you|what|everything|all)(?!\w))"
    rf"{_NAME}(?: {_NAME}){{0,7}}(?: and (?:his|her|their|its|my|our|the|how|what)(?: {_NAME}){{1,6}})?){END}",
    rf"{_LEAVE}forget(?: about)? (?P<x>(?:{_POSSESSED}|{_NAME} (?:being|having|getting)) {_UNCONDITIONAL}){END}",
    rf"{_UNWANTED} (?P<x>{_OWN}){END}",
    rf"{_LEAVE}(?:cross|cut|leave|take|{_ENDS}) (?P<x>[^.!?;\n]{{1,80}}?){_AWAY}{END}",
    rf"(?P<x>{_OWN}){_AWAY}{END}",
    *(
        said.replace("SUBJECT", subject)
        for subject in _SUBJECTS
        for said in (
            rf"(?:{_LEAVE}(?:{_ENDS}|{_UNKEPT})|{_UNWANTED}) SUBJECT{END}",
            rf"SUBJECT(?:{_TO_GO}|{_AWAY}){END}",
            rf"i(?: want|'d like| would like) SUBJECT (?:to be )?{_GONE}{END}",
        )
    ),
)
# the same in a conversation, where it may as well be a task on a text
_SOFTLY: Final = rf"{_LEAVE}(?:forget(?: about)?|scrap|lose|get rid of|let go of|{_REMOVALS})"
_POSSIBLE: Final = (
    rf"{_SOFTLY} (?P<x>{_ONE_OF}{_UNCONDITIONAL}){END}",
    rf"{_SOFTLY} {_ALL_OF}(?P<x>{_UNCONDITIONAL}){END}",
    rf"{_LEAVE}(?:forget(?: about)?|delete|remove|erase|wipe|scrub) (?P<x>{_OWN}|(?:who|where|when|which|how) "
    rf"[^.!?;\n]{{2,80}}?){END}",
    rf"(?:{_UNKEPT}|{_UNWANTED}) (?P<x>{_ONE_OF}{_UNCONDITIONAL}|{_OWN}){END}",
    rf"{_UNKEPT} {_ALL_OF}(?P<x>{_UNCONDITIONAL}){END}",
    rf"(?P<x>{_ONE_OF}{_UNCONDITIONAL}){_TO_GO}{END}",
    rf"{_ALL_OF}(?P<x>{_UNCONDITIONAL}){_TO_GO}{END}",
    rf"i(?: want|'d like| would like) (?P<x>{_ONE_OF}{_UNCONDITIONAL}) (?:to be )?{_GONE}{END}",
    rf"(?P<x>{_ONE_OF}{_UNCONDITIONAL}|{_OWN}),? (?:please )?{_DISMISSED}{END}",
)
# the same told to the memory itself, where it may as well be a rule for the work
_HERE: Final = (
    r"(?:(?!(?:from|in|into|at|on|by|with|without|to|before|after|when|whenever|unless|until|every|each|if|please)"
    r"(?!\w))[\w'’-]+)"
)
_POSSIBLY_TOLD: Final = (
    rf"{_LEAVE}forget(?: about)? (?P<x>{_UNCONDITIONAL}){END}",
    rf"{_SOFTLY} (?P<x>{_POSSESSED} {_UNCONDITIONAL}|the {_HERE}(?: {_HERE}){{0,6}}){END}",
    rf"(?!never ){_UNKEPT} (?P<x>{_POSSESSED} {_UNCONDITIONAL}){END}",
    rf"i (?:don't|do not|no longer) want (?P<x>(?:the|my|our|{_POSSESSED}) {_UNCONDITIONAL})(?: to be)? "
    rf"(?:stored|kept|saved|remembered|recorded|noted|memori[sz]ed){END}",
)
# words of which at least one stands in every wish: a search for them is cheap, and few turns hold one
_HINTS: Final = (
    *HINTS, "forget ", "erase ", "wipe ", "delete ", "remove ", "scrub ", "drop ", "op rememb", "op keep", "op stor",
    "op sav", "scrap ", "lose ", "get rid", "let go", " gone", "forgotten", " go", "pretend ", " hear ", "t put ",
    "t write ", "strike ", "unsay ", "let's not", "etter not", "act like", "act as", "take ", "esquec", "o que sab",
    "olvid", "lo que sab", "vergiss", "oubli", "ce que ",
)  # fmt: skip
_HINTS_BEYOND_ASCII: Final = (
    *HINTS_BEYOND_ASCII, "esqueç", "lösch", "забудь", "удали", "zapomeň", "smaž", "忘", "删除", "清除",
)  # fmt: skip
# what takes back words said before: the turn before is meant, and not the one that asks
_SENT: Final = (
    r"(?:said|say|told you|tell you|wrote|typed|mentioned|shared|sent|confided)(?: (?:here|there|now|to you))?"
)
_LAST: Final = (
    rf"(?:(?:what|everything|all|anything|the (?:thing|bit|part|stuff|message)s?)(?: that)? i(?:'ve| have)? "
    rf"(?:only )?just {_SENT}(?: (?:about|on|regarding|concerning) (?P<x>[^.!?;,\n]+?))?|"
    r"(?:my|the|that|this) (?:very )?(?:last|latest|previous) "
    rf"(?:message|remark|statement|thing|bit)(?: (?:that )?i(?: just)? {_SENT})?)"
)
_REFUSED: Final = (
    r"(?:do not|don't|dont|never|no need to|let's not|better not|i (?:don't|do not|no longer) want you to|"
    r"i(?:'d| would) (?:rather|prefer(?: it if)?) you didn't|you (?:don't (?:need|have) to|needn't))(?: ever)? "
    r"(?:remember|memori[sz]e|learn|store|save|record|keep|note|log|retain|hold on to)"
)
_MEMORY: Final = r"(?:your (?:memory|notes|records|mind)|(?:the |long-term )?memory)(?!\.?\w)"
_TAKEN_BACK: Final = (
    rf"{_REFUSED} {_LAST}{END}",
    rf"(?:forget|pretend|act (?:as if|like))(?: that)? i (?:just |never |ever |didn't |hadn't |even )*"
    rf"(?:said|say|told you|tell you|mentioned|mention|wrote|brought up) (?:that|this|it|any of (?:that|this)|"
    rf"(?:any|some)thing(?: about (?P<x>[^.!?;,\n]+?))?){END}",
)
_TAKEN_BACK_ALONE: Final = (  # only where the turn says no more: else it may be work, or of words in the turn itself
    rf"{_LEAVE}(?:forget|{_REMOVALS}|strike|unsay)(?: about)? {_LAST}{END}",
    rf"(?:{_REMOVE}|strike|take) {THIS} (?:out of|off|from) {_MEMORY}|strike {THIS} from the record{END}",
    rf"(?:{_REFUSED}|don't put|don't write) {THIS} (?:anywhere|(?:down )?in(?:to)? {_MEMORY})",
    r"you (?:didn't|never|did not) hear (?:that|this|it)(?: from me)?" + END,
    *NOT_REMEMBERED,
    r"(?:esque(?:ça|ce) (?:d?o que (?:acabei|acabo) de dizer)|olvida lo que (?:acabo de decir|dije)|"
    r"vergiss(?: bitte)?,? was ich (?:gerade|eben) gesagt habe|oubliez? ce que je viens de dire|"
    rf"забудь(?:те)?,? что я (?:только что )?сказала?|zapomeň(?:te)?,? co jsem (?:právě|teď) řekla?){END}",
    r"忘[掉记]我刚(?:才)?说的(?:话)?",
)
_BESIDE: Final = re.compile(  # what may stand beside it, a clause each: courtesy, and why
    r"(?:(?:oh|ah|wait|no|nope|sorry|oops|hang on|hold on|actually|ok|okay|please|just|well|hm+|and|then|but|so|thanks|"
    r"thank you|hey|hi|on second thoughts?|either|though|kindly|(?:can|could|would) you|anymore|at all|for me|because|"
    r"it|that|this|bitte|danke|por favor|gracias|obrigad[oa]|s'il te plaît|merci|пожалуйста|спасибо|prosím|díky|请|"
    r"谢谢|i(?:'m| am)|my (?:bad|mistake))(?:\s+|$))*"
    r"(?:(?:it|that|this)(?:'s| is| was|'d been)(?: \D+)?|i (?:shouldn't|should not|wasn't|didn't|did not)(?: \D+)?)?"
)
_REASON: Final = re.compile(  # with a verb of its own, in the order of the languages: a list of things has none
    r"\s*(?:[,:，、]|\s[–—-])\s*(?:(?:and|but|so|as|since|mas|pero|aber|mais|но|а|ale|a) )?"
    r"(?:(?:it|that|this|they|those|these|he|she|i|we|you|nobody|no one|there|here)(?:'\w+)?(?=\s\w)|because|please|"
    r"isso|isto|não|porque|eso|esto|es|no|ya|das|es|ich|weil|denn|niemand|bitte|ça|cela|c'est|ce|je|parce|personne|"
    r"это|никого|никому|потому|я|to|nikomu|není|nechci|protože|je)(?!\w)|\s+because(?!\w)"
    r"|[,，]\s*(?=[这那因不没])"
)
_CONDITION: Final = re.compile(r"(?:when|whenever|if|while|after|before|once|since|as)(?!\w)")
_CLAUSE: Final = re.compile(r"[.!?;:,…—–()\n。！？；，、-]+(?=\s|$)|[。！？；，、]")
_QUOTED: Final = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|^>[^\n]*", re.DOTALL | re.MULTILINE
)
_POLITE: Final = re.compile(r"(?:can|could|would|will) you|puedes|podes|kannst du")
_MOST: Final = 20_000  # characters; whoever says more in one turn pasted it


@lru_cache(maxsize=1)
def _unkept() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compiled at first use: what is not to be kept at a clause's beginning, and anywhere."""
    not_kept = (*NOT_REMEMBERED, NOT_STORED, *CONFIDED)
    return re.compile("|".join(not_kept)), re.compile("|".join(CONFIDED_ANYWHERE))


@lru_cache(maxsize=8)
def _named(wishes: tuple[str, ...]) -> re.Pattern[str]:
    """Compiled at first use: what is to be forgotten, at a clause's beginning."""
    number = count()
    return re.compile("|".join(re.sub(r"\(\?P<x>", lambda _: f"(?P<x{next(number)}>", one) for one in wishes))


def privacy_wish(text: str, pasted: Iterable[tuple[int, int]] = (), *, told: bool = False) -> str | None:
    """What a turn asks to be forgotten, "" where it only asks not to be kept itself; None for every other turn.

    What is `told` to the memory itself may mean a memory by words that ask for something else in a conversation.
    """
    spoken = _spoken(text, pasted, told=told)
    if spoken is None:
        return None
    subject = _subject(spoken, (*_FORGOTTEN, *_TOLD) if told else _FORGOTTEN)
    if subject is not None:
        return subject
    not_kept, between_us = _unkept()
    is_private = between_us.search(spoken) or any(not_kept.match(spoken, at) for at in _clauses(spoken))
    return "" if is_private else None


def possible_wish(text: str, pasted: Iterable[tuple[int, int]] = (), *, told: bool = False) -> str | None:
    """What a turn asks to be forgotten in words that may as well ask for work on a text, or be a rule where `told`."""
    spoken = _spoken(text, pasted, told=told)
    return None if spoken is None else _subject(spoken, _POSSIBLY_TOLD if told else _POSSIBLE)


def takes_back(text: str, *, told: bool = False) -> str | None:
    """What a turn that takes back words said just before it says that they were about, "" where it does not say.

    None for every other turn, also for one that says what shall not be kept in its own words.
    """
    spoken = _spoken(text, (), told=told)
    if spoken is None:
        return None
    for wishes, is_alone in ((_TAKEN_BACK, False), (_TAKEN_BACK_ALONE, True)):
        for at in _clauses(spoken):
            found = _named(wishes).match(spoken, at)
            if found is None or _asks(spoken, at, found.end()):
                continue
            if not is_alone or _says_no_more(f"{spoken[:at]} , {spoken[found.end() :]}"):
                return next((about for about in found.groups() if about), "").strip(" ,-")
    between_us = _unkept()[1].search(spoken)
    if between_us and _says_no_more(f"{spoken[: between_us.start()]} , {spoken[between_us.end() :]}"):
        return ""
    return None


def _says_no_more(rest: str) -> bool:
    """Whether the rest of a turn tells nothing that could be meant instead of what was said before."""
    return all(_BESIDE.fullmatch(clause.strip()) for clause in _CLAUSE.split(rest))


def _spoken(text: str, pasted: Iterable[tuple[int, int]], *, told: bool) -> str | None:
    """The words of the turn without those of others, folded; None where they hold no wish."""
    if len(text) > _MOST:
        return None
    for start, end in pasted:
        text = text[:start] + " " * (end - start) + text[end:]
    plain = fold(text)
    if not told and not any(hint in plain for hint in (_HINTS if plain.isascii() else (*_HINTS, *_HINTS_BEYOND_ASCII))):
        return None
    return fold(_QUOTED.sub(" ", without_quotations(text)))


def _clauses(spoken: str) -> list[int]:
    return [found.end() for found in _START.finditer(spoken)]


def _subject(spoken: str, wishes: tuple[str, ...]) -> str | None:
    named = _named(wishes)
    for at in _clauses(spoken):
        found = named.match(spoken, at)
        if found and not is_about_the_talk(found[0]) and not _asks(spoken, at, found.end()):
            return _without_reason(next(subject for subject in found.groups() if subject)).strip(" ,-")
    return None


def _without_reason(subject: str) -> str:
    """The subject without the clause behind it that tells why: "my knee, it's nobody's business"."""
    return subject if _CONDITION.match(subject) else _REASON.split(subject, maxsplit=1)[0] or subject


def about_one(subject: str) -> str:
    """What the one memory is about that a subject names ("the thing about my knee"); "" for any other subject."""
    found = _one().match(subject)
    return subject[found.end() :] if found else ""


@lru_cache(maxsize=1)
def _one() -> re.Pattern[str]:
    return re.compile(_ONE_OF)


def _asks(text: str, start: int, end: int) -> bool:
    """Whether the words are a question that asks for nothing: "forget her number? never"."""
    return text[end:].lstrip()[:1] == "?" and _POLITE.search(text, 0, start) is None

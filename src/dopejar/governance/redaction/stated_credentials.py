"""Secrets stated in plain sentences: a password that is a word, a PIN, the code of a door or a card.

Takes: a text in lower case. Gives: spans of values. Never: takes an adjective (expired, wrong, required) for a
password, nor a number that counts or measures something for a PIN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dopejar.governance.redaction.named_credentials import is_placeholder
from dopejar.governance.redaction.token_patterns import SecretSpan

_OF: Final = (
    r"(?:[ \t](?:for|of|on|to|at|für|vom|zum|para|do|da|del?|pour|du|per|voor|от|к|pro|k)"
    r"(?:[ \t][\w./'-]{1,30}){1,4}?)?"
)
_IS: Final = r"(?:['’]s|[ \t](?:is|was|ist|war|lautet|es|era|é|est|è|je|это))[ \t]+"
_STILL: Final = r"(?:(?:still|now|currently|noch|todavía|ainda|toujours|ancora|nog)[ \t]+)?"
_NAME: Final = (
    r"(?<![\w-])(?:pass(?:word|wd|phrase|code|wort)|pwd?|kennwort|contrase[ñn]a|senha|mot de passe|wachtwoord"
    r"|пароль|heslo|mdp|clave(?=[ \t:])|pass(?=[ \t]?:))"
)
_PASSWORD: Final = re.compile(
    rf"(?:{_NAME}{_OF}{_IS}{_STILL}|(?<!\w)has[łl]o[ \t]to[ \t]+)([^\W\d_]{{4,40}})(?![\w@./:-]*[\w@/])"
)
_PASSWORD_IN_CHINESE: Final = re.compile(r"密[码碼](?:是|为|為)[ \t]?([A-Za-z]{4,40})(?![A-Za-z])")
_GIVEN: Final = re.compile(
    rf"{_NAME}(?:[ \t](?:(?:is|was)[ \t])?(?:(?:changed|set|reset|updated)[ \t])?to)?[ \t]+"
    r"(?!argon|sha\d|md5|base64|pbkdf|oauth|utf|v\d+(?!\w)|x509|\d+-?char)(?=[^\s\d]*\d)(?=[\W\d_]*[^\W\d_])"
    r"([\w!#$%&*+=?^~@-]{6,64})"
)
_VALUE: Final = r"[\"'`]?(?=[^\s\d]*[\d!@#$%^&*_]|[\"'`])([^\s\"'`,;()\[\]{}<>]{5,64})"
_ARTICLE: Final = r"(?:(?:the|my|your|our|a|an|root|admin|sudo|default|new|temporary|current|login|wifi|wi-fi)[ \t])*"
# a value with a digit or a sign in it, where a sentence hands it over
_HANDED: Final = re.compile(
    rf"{_NAME}{_OF}(?:[ \t]?[:：][ \t]{{0,2}}|{_IS}{_STILL}"
    r"|[ \t](?:\w+[ \t]){0,4}?(?:reset|changed|set|updated|back)[ \t]to[ \t]"
    rf"|(?:[ \t]to|[ \t]as|,[ \t](?:type|enter|use|it'?s)|[ \t]with)[ \t]){_VALUE}"
    rf"|(?:\buse|\btype|\benter|\btry)[ \t]{_VALUE}[ \t](?:as|is)[ \t]{_ARTICLE}(?:\w+[ \t])?"
    r"(?:password|passphrase|pwd?)\b"
    rf"|\bcredentials?(?:[ \t]\w+){{0,3}}?[ \t:]+[\w.@-]{{2,40}}[ \t]?[/:][ \t]?{_VALUE}"
)
_PATH: Final = re.compile(r"[\w.~-]*(?:/[\w.-]+)+(?:::\S*)?")
_APPLICATION: Final = re.compile(  # four groups of four letters, as Google and Apple make them
    r"app(?:lication)?[- ](?:specific )?password[^\n]{0,24}?(?<![a-z])([a-z]{4}(?:[ -][a-z]{4}){3})(?![a-z])"
)
_COMMANDED: Final = re.compile(
    r"(?:identified[ \t](?:with[ \t]\w+[ \t])?by|password)[ \t]['\"]([^'\"\n]{3,128})['\"]"
    r"|\becho[ \t]+['\"]?([^\s'\"|]{3,128})['\"]?[ \t]*\|[ \t]*sudo[ \t]+-\w*s"
    r"|[ \t]-(?:store|key|src|dest)?pass(?:in|out|word)?[ \t]+(?:pass:)?['\"]?([^\s'\"-][^\s'\"]{2,127})"
    r"|\bpass(?:in|out)?[ \t]pass:([^\s'\"]{3,128})"
)
_ENDS: Final = re.compile(  # the end of the clause
    r"[ \t]*(?:$|[\n.,;!?)\]\"'»”]|[-–—(](?=[ \t])"
    r"|(?:and|but|so|for|on|now|please|btw|und|aber|für|y|e|et|pour|para|и|a|en)\b)"
)
# words, and endings of words, that describe a password instead of stating it
_STATES: Final = re.compile(
    "(?:above|absent|also|always|another|back|bcrypt|below|blank|bonne|broken|błędne|case|chosen|complex|correct"
    "|corta|curta|debole|different|débil|easy|elsewhere|empty|enough|falsch|fausse|faux|fine|forgotten|fort|forte"
    "|fout|fraca|fuerte|geheim|giusta|given|gleich|global|gone|good|great|hard|hash|here|hidden|hier|identical"
    "|igual|important|incorrect|insecure|invalid|juist|just|juste|known|korrekt|kort|kurz|lang|larga|leeg|leer"
    "|local|long|longer|lost|mala|mandatory|mauvais|mine|never|nieuw|nouveau|nova|nueva|null|number|nuova|offline"
    "|often|okay|online|ours|password|passwort|plain|plaintext|present|private|public|puste|random|ready|requis"
    "|right|safe|same|schwach|scrypt|secret|secure|segura|short|shorter|shown|sicher|silne|simple|somewhere|stark"
    "|static|sterk|stolen|strong|słabe|taken|temporary|text|that|theirs|there|this|token|unclear|unique|unknown"
    "|unsafe|unsicher|valid|vecchia|verplicht|vide|vieja|weak|what|written|wrong|yours|zwak)"
)
_DESCRIBES: Final = re.compile(
    r".*(?:ed|ing|able|ible|ive|ous|ful|less|[bcefinostu]ly(?<!fly)"  # English
    r"|ert|lich|ig|bar|isch|los|laufen|gessen|ge\w+(?:en|t)"  # German
    r"|[ai]d[ao]|[ei]ct[ao]|[ei]t[ao]|ári[ao]|óri[ao]|ori[ao]|iv[ao]|ble|vel|liat[ao]|(?:ion|im|ri|tu|du)al"  # Romance
    r"|ée|oire|open"  # French, Dutch
    r"|[ыио]й|ен|ён|ан|н[ао]|[éýíě]|[áv]v?n[aeo])$"  # Slavic
)
_NUMBER: Final = re.compile(
    r"\d{4,8}(?![\w%/]|[.,:]\d|-\d)(?![ \t]*(?:digits?|characters?|chars|ziffern|times|bytes|rows|lines|users|attempts"
    r"|mm|cm|ms|seconds|minutes|hours)\b)"
)
_CODE_BEFORE: Final = re.compile(
    r"(?<![\w-])(?:pin(?:[ -]?(?:code|number|nummer))?|code pin|passcode|puk|otp|geheimzahl"
    r"|c[óo]digo (?:pin|de acceso|de acesso|de verifica[cç](?:ão|ión)"
    r"|(?:de la|da) p(?:uer|or)ta|de seguran[cç]a|de seguridad)"
    r"|code (?:de la porte|d'accès|de vérification|de l'alarme|secret)"
    r"|(?:alarm|door|gate|unlock|entry|access|security|safe|vault|lock|garage|verification|one-time|login|backup|tür)"
    rf"[ -]?code){_OF}(?:[ \t](?:que|that|i|ich|j'ai|got|recebi|recibí)){{0,3}}"
    rf"(?:{_IS}{_STILL}(?:le[ \t])?|[ \t]?[:=：][ \t]?)$"
)
_MOST_BEFORE: Final = 80  # characters before a number in which its name is looked for
_CARD_CODE: Final = re.compile(r"c(?:vv|vc|sc)2?(?: code| number)?(?:[ \t]is)?[ \t]?[:=]?[ \t]?(\d{3,4})(?![\w.%/-])")
_BETWEEN: Final = (" ", "\t", ":", "=", "：")
CODE_LITERALS: Final = ("pin", "code", "puk", "otp", "geheimzahl", "código", "codigo")  # every name of a code holds one
_PIN_CODE: Final = re.compile("pin[ -]?code")
_POSTAL_DIGITS: Final = 6  # of the postal code that an Indian address calls its PIN code


def stated_passwords(lowered: str) -> Iterator[SecretSpan]:
    """Passwords at the end of a clause: words of letters alone, or words with a digit right behind their name.

    `my password is swordfish`, `use the password tulip42`.
    """
    for match in _PASSWORD.finditer(lowered):
        if not _describes(match.group(1)) and _ENDS.match(lowered, match.end(1)):
            yield (*match.span(1), "password")
    for match in _GIVEN.finditer(lowered):
        if _ENDS.match(lowered, match.end(1)):
            yield (*match.span(1), "password")
    yield from _handed_passwords(lowered)
    if "密" in lowered:
        for match in _PASSWORD_IN_CHINESE.finditer(lowered):
            if not _describes(match.group(1)):
                yield (*match.span(1), "password")


def _handed_passwords(lowered: str) -> Iterator[SecretSpan]:
    """Values that a sentence or a command hands over: `use X as the password`, `echo X | sudo -S`."""
    for pattern in (_HANDED, _COMMANDED, _APPLICATION):
        for match in pattern.finditer(lowered):
            group = match.lastindex or 0  # of the form that matched
            value = match.group(group)
            if not (is_placeholder(value) or _describes(value) or _PATH.fullmatch(value)):
                yield match.start(group), _trimmed_end(lowered, *match.span(group)), "password"


def stated_codes(lowered: str) -> Iterator[SecretSpan]:
    """PINs, codes of doors and phones, and the check codes of cards, as sentences and forms name them."""
    for match in _NUMBER.finditer(lowered):
        before = lowered[max(0, match.start() - _MOST_BEFORE) : match.start()]
        if before[-1:] not in _BETWEEN or not any(literal in before for literal in CODE_LITERALS):
            continue
        name = _CODE_BEFORE.search(before)
        if name is not None and not (_PIN_CODE.match(name.group()) and len(match.group()) == _POSTAL_DIGITS):
            yield (*match.span(), "pin")
    for match in _CARD_CODE.finditer(lowered):
        if match.start() == 0 or not lowered[match.start() - 1].isalnum():
            yield (*match.span(1), "card-code")


def _trimmed_end(lowered: str, start: int, end: int) -> int:
    """The end of a value without the marks that end a sentence."""
    return start + len(lowered[start:end].rstrip(".!?:"))


def _describes(word: str) -> bool:
    return (_STATES.fullmatch(word) or _DESCRIBES.match(word)) is not None

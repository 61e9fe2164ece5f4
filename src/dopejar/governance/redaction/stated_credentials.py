"""Secrets stated in plain sentences: a password that is a word, a PIN, the code of a door or a card.

Takes: a text in lower case. Gives: spans of values. Never: takes an adjective (expired, wrong, required) for a
password, nor a number that counts or measures something for a PIN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from dopejar.governance.redaction.cue_words import matches
from dopejar.governance.redaction.direct_credentials import ORDINARY
from dopejar.governance.redaction.named_credentials import is_placeholder
from dopejar.governance.redaction.token_patterns import SecretSpan

_OF: Final = (
    r"(?:[ \t](?:for|of|on|to|at|für|vom|zum|mein\w*|der|des|para|do|da|del?|la|el|pour|du|per|voor|от|к|для|на"
    r"|pro|k|na|z)"
    r"(?:[ \t][\w./'-]{1,30}){1,4}?)?"
)
_IS: Final = r"(?:,[ \t][^,\n]{1,40},)?(?:['’]s|[ \t](?:is|was|ist|war|lautet|es|era|é|est|è|je|это))[ \t]+"
_STILL: Final = r"(?:(?:still|now|currently|noch|todavía|ainda|toujours|ancora|nog)[ \t]+)?"
_NAME: Final = (
    r"(?<![\w-])(?:\w{1,24}-)?(?:pass(?:word|wd|phrase|code|wort)|pwd?|kennwort|contrase[ñn]a|senha"
    r"|mot de passe|wachtwoord|p/w(?=[ \t:])|palavra-passe|пароль|heslo|mdp|clave(?=[ \t:])|pass(?=[ \t]?:))"
)
_PASSWORD: Final = re.compile(
    rf"(?:{_NAME}(?:['’]s[ \t]+|{_OF}(?!['’]){_IS}){_STILL}"
    r"|(?<!\w)has[łl]o[ \t]to[ \t]+)([^\W\d_]{4,40})(?![\w@./:-]*[\w@/])"
)
_PASSWORD_IN_CHINESE: Final = re.compile(r"密[码碼](?:是|为|為)[ \t]?([A-Za-z]{4,40})(?![A-Za-z])")
_GIVEN: Final = re.compile(
    rf"{_NAME}(?:[ \t](?:(?:is|was)[ \t])?(?:(?:changed|set|reset|updated)[ \t])?to)?[ \t]+"
    r"(?!argon|sha\d|md5|base64|pbkdf|oauth|utf|v\d+(?!\w)|x509|\d+-?char)(?=[^\s\d]*\d)(?=[\W\d_]*[^\W\d_])"
    r"([\w!#$%&*+=?^~@-]{6,64})"
)
_SIGNED: Final = r"(?=[^\s\d]*\d)(?=[\w.-]*[!#$%^&*@_+=?])(?![\w.+-]+@[\w-]+\.\w)([\w!#$%&*+=?^~@.-]{6,64})"
# a digit and a sign in a word: where a sentence names a password or a login, that is it
_GIVEN_SIGNED: Final = re.compile(rf"{_NAME}{_OF}[ \t]+{_SIGNED}|\blogin{_OF}(?:{_IS}{_STILL}|[ \t]?:[ \t]?){_SIGNED}")
_VALUE: Final = r"[\"'`]?(?=[^\s\d]{0,64}[\d!@#$%^&*_]|[\"'`])([^\s\"'`,;()\[\]{}<>]{5,64})"
_THING: Final = r"(?![ \t](?:columns?|fields?|variables?|inputs?)\b)"  # what is only called after a password
_ARTICLE: Final = r"(?:(?:the|my|your|our|a|an|root|admin|sudo|default|new|temporary|current|login|wifi|wi-fi)[ \t])*"
# a value with a digit or a sign in it, where a sentence hands it over
_HANDED: Final = re.compile(
    rf"{_NAME}{_OF}(?:[ \t]?[:：][ \t]{{0,2}}|{_IS}{_STILL}"
    r"|[ \t](?:\w+[ \t]){0,4}?(?:reset|changed|set|updated|back)[ \t]to[ \t]"
    rf"|(?:[ \t]to|[ \t]as|,[ \t](?:type|enter|use|it'?s)|[ \t]with)[ \t]){_VALUE}"
    rf"|\b(?:us(?:e|ed|ing)|typed?|enter(?:ed)?|tr(?:y|ied)|put|set)[ \t]{_VALUE}[ \t](?:as"
    rf"|is)[ \t]{_ARTICLE}(?:\w+[ \t])?"
    rf"(?:password|passphrase|pwd?)\b{_THING}"
    rf"|\bcred(?:ential)?s?(?:[ \t]\w+){{0,3}}?[ \t:=>→-]+[\w.@-]{{2,40}}[ \t]?[/:][ \t]?{_VALUE}"
    rf"|\b(?:log(?:ged)?[ -]?in|sign(?:ed)?[ -]in|zugang(?:sdaten)?|eingeloggt|einloggen|identifiants?"
    rf"|credenciales|credenciais|логин|доступ|přihlášení)(?:[ \t]\w+){{0,3}}?[ \t:]+[\w.@+-]{{2,64}}[ \t]/[ \t]{_VALUE}"
    rf"|[\"'`]([^\s\"'`]{{5,64}})[\"'`][ \t](?:as|is|for|=)[ \t]{_ARTICLE}(?:\w+[ \t])?(?:password|passphrase|pwd?)"
    rf"\b{_THING}"
    rf"|\b(?:wi-?fi|wlan|ssid|network)\b[^\n]{{0,60}}?\b(?:key|code|schlüssel|clave|clé|chave|klíč|ключ)(?:{_IS}"
    rf"|[ \t]?[:=]?[ \t]){_VALUE}"
    rf"|(?:^|[\n>])[ \t]*auth[ \t]+(?=[^\n]{{8}})(?:[\w-]{{1,40}}[ \t]+)?{_VALUE}(?=[ \t]*(?:\n|$))"
)
# the same in looser words: what names a version, a file, a step or a thing by number is none
_OFFERED: Final = re.compile(
    rf"[ \t](?:try|use|type|enter)[ \t](?!the[ \t]|a[ \t]|your[ \t]){_VALUE}"
    rf"|[ \t]from[ \t](?=[^\s]{{5,64}}[ \t]to[ \t])(?=\S*[a-z]){_VALUE}"
    rf"|[ \t]from[ \t]\S{{5,64}}[ \t]to[ \t](?=\S*[a-z]){_VALUE}"
    rf"|\b(?:accounts?|logins?|users?|konto|cuenta|compte|conta)\b[^\n/]{{0,24}}?[\w.@+-]{{2,64}}[ \t]/[ \t]{_VALUE}"
    rf"|\blogin[ \t]is[ \t]{_VALUE}"
    rf"|(?<![\w./-]){_VALUE}[ \t]{{1,3}}\((?:the[ \t])?(?:password|passphrase|pwd?)\)"
)
_ANSWER: Final = re.compile(
    r"(?:security (?:question|answer)|sicherheitsfrage|pregunta (?:de seguridad|secreta)"
    r"|pergunta (?:de segurança|secreta)"
    r"|question (?:secrète|de sécurité)|контрольн\w+ вопрос\w*|секретн\w+ вопрос\w*|bezpečnostní otázk\w|安全问题"
    r"|mother'?s maiden name|secret question|security q\b|geheime frage"
    r"|(?:respuesta|resposta) (?:secreta|de seguri?[dç]an?[dç]a?)"
    r"|réponse secrète)"
    r"[^\n]{0,120}?(?:\b(?:answer|antwort|respuesta|resposta|réponse|ответ|odpověď)(?:[ \t][^\s.:]{1,20}){0,6}?"
    rf"(?:{_IS}|[ \t]?[:=—-]>?[ \t]+)|答案(?:是|：|:)[ \t]?)([^\n.,;!?]{{2,60}})"
)
_ANSWER_SAID: Final = re.compile(
    r"(?:(?:security|secret)[ _-]answer|answer to (?:my|the|that) (?:secret|security) question|(?:respuesta|resposta)"
    r" (?:secreta|de seguran[cç]a|de seguridad)|réponse secrète|geheime antwort|maiden name|mädchenname)"
    rf"(?:[ \t][^\s:=]{{1,20}}){{0,4}}?(?:{_IS}|[ \t]?[:=→][ \t]*)"
    r"(?!\w+(?:ed|ing) )([^\n,;!?:]{2,40}?)(?=[.,;!?]?(?:\s*$|\n|[.,;!?]\s))"
)
_NO_VALUE: Final = re.compile(r"[\w.~-]*(?:/[\w.-]+)+(?:::\S*)?|(?://|(?:file|env|fd):).*", re.DOTALL)  # paths, sources
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
    "|static|sterk|stolen|strong|słabe|taken|temporary|text|that|theirs|there|this|token|unclear|unique|unknown|unset"
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
_GUARDED: Final = (  # what codes open or prove, in eight languages
    r"(?:alarm|door|gate|unlock|entry|entrance|access|security|safe|vault|lock(?:er)?|garage|building|lobby"
    r"|verification"
    r"|confirmation|one-time|login|log-in|backup|sms|tür|haus|tor|zugangs|sicherheits|bestätigungs"
    r"|verifizierungs|freischalt"
    r"|entsperr|einmal|aktivierungs)"
)
_CODE_OF: Final = (
    r"(?:pin|acc[eè]s+o?|acesso|verifica\w+|v[ée]rification|confirma\w+|seguran[cç]a|seguridad|sécurité"
    r"|sicurezza|secret"
    r"|puerta|porta|portão|portail|porte|entrada|entrée|immeuble|alarm\w*|activa\w+|подтверждения|доступа|безопасности"
    r"|(?:от|для)[ ]\w+)"
)
_CODE_BEFORE: Final = re.compile(
    r"(?:验证码|门禁码?|密码|密碼|(?<![\w-])(?:sim[ -]?)?pin(?:[ -]?(?:code|number|nummer))?|code pin"
    r"|(?<![\w-])(?:passcode|puk|otp|geheimzahl|digicode|пин(?:-?код)?)"
    rf"|{_GUARDED}[ -]?code|(?:código|codigo|codice|code|код) (?:(?:de|da|do|di|del|du|d['’])[ ]?)?(?:(?:la|el"
    rf"|l['’])[ ]?)?{_CODE_OF}"
    r"|(?:ověřovací|bezpečnostní|vstupní|přístupový) kód|kód (?:k|od|do|na) \w+"
    rf"|code (?:for|to|of|für|zum|zur) (?:\w+ ){{0,2}}{_GUARDED}\w*|disarms?(?:[ \t]\w+){{0,2}}[ \t]with(?:[ \t]code)?)"
    rf"(?:{_OF}(?:[ \t](?:que|that|i|ich|j'ai|got|recebi|recibí)){{0,3}}"
    rf"(?:{_IS}{_STILL}(?:le[ \t])?|[ \t]?[:=：][ \t]?)|[ \t]+(?<!pin[ \t])|是|为)$"
)
_CODE_BEHIND: Final = re.compile(  # `481920 is your code`
    r"[ \t](?:is|ist|es|est|é|è|je|это|—|-)[ \t](?:(?!of|in|for)\w+[ \t]){1,3}?(?:\w*code|código|codice|kód|код"
    r"|pin|otp)\b|是(?:您|你)的.{0,12}码"
)
_COMBINATION: Final = re.compile(
    r"(?:combination|combinación|combinação|combinaison|combinazione|kombination"
    r"|kombinace)(?:[ \t:]+[\w'-]{1,20}){0,5}?[ \t:]+"
    r"(\d{1,2}(?:[ -]{1,3}\d{1,2}){2,3})(?![\w%-])"
)
_MOST_BEFORE: Final = 80  # characters before a number in which its name is looked for
_CARD_CODE: Final = re.compile(
    r"(?:c(?:vv|vc|sc)2?(?: code| number)?|cid|kpn|(?:karten)?prüf(?:ziffer|nummer|zahl)"
    r"|cryptogramme(?: visuel)?|安全码|安全碼"
    r"|(?:security|card) code|código de seguran[cç]a|código de seguridad|codice di sicurezza|bezpečnostní kód"
    r"|код безопасности)"
    r"(?:[ \t](?:is|ist|es|est|é|è|je|это)|是)?[\"']?[ \t]?[:=：]?[ \t]?[\"']?(\d{3,4})(?![\w.%/-])"
)
_BETWEEN: Final = (" ", "\t", ":", "=", "：", "是", "为")
CODE_LITERALS: Final = (  # every name of a code holds one
    "pin", "code", "puk", "otp", "geheimzahl", "código", "codigo", "codice", "disarm", "пин", "код", "kód",
    "码", "密", "门禁",
)  # fmt: skip
_PIN_CODE: Final = re.compile("pin[ -]?code")
_POSTAL_DIGITS: Final = 6  # of the postal code that an Indian address calls its PIN code


def stated_passwords(lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Passwords at the end of a clause: words of letters alone, or words with a digit right behind their name.

    `my password is swordfish`, `use the password tulip42`. `near` are the parts of the text that name a password.
    """
    for match in matches(_PASSWORD, lowered, near):
        if not _describes(match.group(1)) and _ENDS.match(lowered, match.end(1)):
            yield (*match.span(1), "password")
    for match in matches(_GIVEN, lowered, near):
        if _ENDS.match(lowered, match.end(1)):
            yield (*match.span(1), "password")
    for match in matches(_GIVEN_SIGNED, lowered, near):
        group = match.lastindex or 0
        yield match.start(group), _trimmed_end(lowered, *match.span(group)), "password"
    yield from _handed_passwords(lowered, near)
    if "密" in lowered:
        for match in _PASSWORD_IN_CHINESE.finditer(lowered):
            if not _describes(match.group(1)):
                yield (*match.span(1), "password")


def _handed_passwords(lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Values that a sentence or a command hands over: `use X as the password`, `echo X | sudo -S`."""
    for pattern in (_HANDED, _OFFERED, _COMMANDED, _APPLICATION):
        for match in matches(pattern, lowered, near):
            group = match.lastindex or 0  # of the form that matched
            value = match.group(group)
            is_other = pattern is _OFFERED and ORDINARY.fullmatch(value)
            if not (is_other or is_placeholder(value) or _describes(value) or _NO_VALUE.fullmatch(value)):
                yield match.start(group), _trimmed_end(lowered, *match.span(group)), "password"


def stated_codes(lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """PINs, codes of doors and phones, and the check codes of cards, as sentences and forms name them."""
    for match in matches(_NUMBER, lowered, near):
        before = lowered[max(0, match.start() - _MOST_BEFORE) : match.start()]
        if _CODE_BEHIND.match(lowered, match.end()) and not lowered[match.start() - 1 : match.start()].isalnum():
            yield (*match.span(), "pin")
        if before[-1:] not in _BETWEEN or not any(literal in before for literal in CODE_LITERALS):
            continue
        name = _CODE_BEFORE.search(before)
        if name is not None and not (_PIN_CODE.match(name.group()) and len(match.group()) == _POSTAL_DIGITS):
            yield (*match.span(), "pin")
    if "ombina" in lowered:
        yield from ((*match.span(1), "pin") for match in matches(_COMBINATION, lowered, near))
    for match in matches(_CARD_CODE, lowered, near):
        if match.start() == 0 or not lowered[match.start() - 1].isalnum():
            yield (*match.span(1), "card-code")


def stated_answers(lowered: str) -> Iterator[SecretSpan]:
    """The answer to a security question, to the end of its clause."""
    yield from ((*match.span(1), "security-answer") for match in _ANSWER.finditer(lowered))
    for match in _ANSWER_SAID.finditer(lowered):
        if not (is_placeholder(match.group(1)) or _describes(match.group(1))):
            yield (*match.span(1), "security-answer")


def _trimmed_end(lowered: str, start: int, end: int) -> int:
    """The end of a value without the marks that end a sentence."""
    return start + len(lowered[start:end].rstrip(".!?:"))


def _describes(word: str) -> bool:
    return (_STATES.fullmatch(word) or _DESCRIBES.match(word)) is not None
